/*=========================================================================
 *
 *  Copyright the CudaSpline contributors
 *
 *  Licensed under the Apache License, Version 2.0 (the "License");
 *  you may not use this file except in compliance with the License.
 *  You may obtain a copy of the License at
 *
 *         https://www.apache.org/licenses/LICENSE-2.0.txt
 *
 *  Unless required by applicable law or agreed to in writing, software
 *  distributed under the License is distributed on an "AS IS" BASIS,
 *  WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 *  See the License for the specific language governing permissions and
 *  limitations under the License.
 *
 *=========================================================================*/
#include "ScenarioSupport.h"

#include "itkCudaComposeDisplacementFieldsImageFilter.h"
#include "itkCudaDisplacementFieldJacobianDeterminantFilter.h"
#include "itkCudaDisplacementFieldToBSplineImageFilter.h"
#include "itkCudaExponentialDisplacementFieldImageFilter.h"
#include "itkCudaInvertDisplacementFieldImageFilter.h"
#include "itkCudaWarpImageFilter.h"

namespace CudaSplineTest
{
namespace
{

std::unique_ptr<Subject>
MakeWarp()
{
  auto       subject = std::make_unique<FilterSubject<itk::CudaWarpImageFilter<Floats, Floats, Vectors>>>();
  const auto image = MakeImage<Floats>();
  const auto field = MakeImage<Vectors>();
  for (itk::ImageRegionIteratorWithIndex<Vectors> it(field, field->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set((it.Get() - Vectors::PixelType(50.0F)) * 0.05F);
  }
  subject->m_Filter->SetInput(image);
  subject->m_Filter->SetDisplacementField(field);
  subject->m_Filter->SetOutputParametersFromImage(image);
  return subject;
}

std::unique_ptr<Subject>
MakeInversion()
{
  auto subject = std::make_unique<FilterSubject<itk::CudaInvertDisplacementFieldImageFilter<Vectors>>>();
  subject->m_Filter->SetInput(MakeSmallField());
  return subject;
}

std::unique_ptr<Subject>
MakeExponential()
{
  auto subject = std::make_unique<FilterSubject<itk::CudaExponentialDisplacementFieldImageFilter<Vectors, Vectors>>>();
  subject->m_Filter->SetInput(MakeSmallField());
  return subject;
}

std::unique_ptr<Subject>
MakeComposition()
{
  auto subject = std::make_unique<FilterSubject<itk::CudaComposeDisplacementFieldsImageFilter<Vectors, Vectors>>>();
  subject->m_Filter->SetDisplacementField(MakeSmallField());
  subject->m_Filter->SetWarpingField(MakeSmallField());
  return subject;
}

std::unique_ptr<Subject>
MakeJacobian()
{
  using Filter = itk::CudaDisplacementFieldJacobianDeterminantFilter<Vectors, float>;
  auto subject = std::make_unique<FilterSubject<Filter>>();
  subject->m_Filter->SetInput(MakeSmallField());
  return subject;
}

/** Smooths double vectors on an oblique grid: with a point of each sample, and with a confidence image. */
std::unique_ptr<Subject>
MakeSplineSmoothing()
{
  using Field = itk::Image<itk::Vector<double, 3>, 3>;
  using Filter = itk::CudaDisplacementFieldToBSplineImageFilter<Field>;
  auto       subject = std::make_unique<FilterSubject<Filter>>();
  const auto field = MakeImage<Field>();
  const auto confidence = MakeImage<Doubles>();
  auto       direction = field->GetDirection();
  direction[0][0] = direction[1][1] = 0.8;
  direction[0][1] = 0.6;
  direction[1][0] = -0.6;
  field->SetDirection(direction);
  confidence->SetDirection(direction);
  subject->m_Filter->SetUseInputFieldToDefineTheBSplineDomain(true);
  subject->m_Filter->SetDisplacementField(field);
  subject->m_Filter->SetConfidenceImage(confidence);
  subject->m_Filter->SetNumberOfControlPoints(Filter::ArrayType(5));
  return subject;
}

} // namespace

std::vector<Scenario>
ScenariosOfFields()
{
  return {
    { "Warp", MakeWarp, 1e-2 },
    { "Inversion", MakeInversion, 1e-4 },
    { "Exponential", MakeExponential, 1e-4 },
    { "Composition", MakeComposition, 1e-4 },
    { "Jacobian", MakeJacobian, 1e-4 },
    { "SplineSmoothing", MakeSplineSmoothing, 1e-8 },
  };
}

} // namespace CudaSplineTest
