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

#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaResampleImageFilter.h"
#include "itkCudaSmoothingRecursiveGaussianImageFilter.h"

#include "itkAffineTransform.h"
#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkNearestNeighborExtrapolateImageFunction.h"

namespace CudaSplineTest
{
namespace
{

template <typename TInput, typename TOutput>
std::unique_ptr<FilterSubject<itk::CudaResampleImageFilter<TInput, TOutput>>>
MakeResampler(itk::Transform<double, 3, 3> * transform)
{
  auto       subject = std::make_unique<FilterSubject<itk::CudaResampleImageFilter<TInput, TOutput>>>();
  const auto image = MakeImage<TInput>();
  subject->m_Filter->SetInput(image);
  subject->m_Filter->SetTransform(transform);
  subject->m_Filter->SetReferenceImage(image);
  subject->m_Filter->UseReferenceImageOn();
  return subject;
}

itk::AffineTransform<double, 3>::Pointer
MakeAffine()
{
  auto affine = itk::AffineTransform<double, 3>::New();
  affine->Rotate(0, 1, 0.2);
  affine->Rotate(0, 2, -0.1);
  return affine;
}

/** A transform that no kernel supports: ITK maps its points. */
class Bend : public itk::AffineTransform<double, 3>
{
public:
  using Self = Bend;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  TransformCategoryEnum
  GetTransformCategory() const override
  {
    return TransformCategoryEnum::UnknownTransformCategory;
  }
  OutputPointType
  TransformPoint(const InputPointType & point) const override
  {
    auto result = point;
    result[0] += 0.02 * point[1] * point[2];
    return result;
  }
};

std::unique_ptr<Subject>
MakeCubic()
{
  auto subject = MakeResampler<Shorts, Floats>(MakeAffine());
  subject->m_Filter->SetInterpolator(itk::BSplineInterpolateImageFunction<Shorts>::New());
  return subject;
}

std::unique_ptr<Subject>
MakeChain()
{
  auto spline = itk::BSplineTransform<double, 3, 3>::New();
  spline->SetTransformDomainPhysicalDimensions(itk::Vector<double, 3>(15.0).GetDataPointer());
  auto parameters = spline->GetParameters();
  for (unsigned int i = 0; i < parameters.Size(); ++i)
  {
    parameters[i] = 0.8 * std::sin(0.3 * i);
  }
  spline->SetParametersByValue(parameters);
  auto composite = itk::CompositeTransform<double, 3>::New();
  composite->AddTransform(MakeAffine());
  composite->AddTransform(spline);
  return MakeResampler<Floats, Floats>(composite);
}

/** Linear interpolation of a source that was evaluated before, so it also has its samples in a texture. */
class AgainSubject : public FilterSubject<itk::CudaResampleImageFilter<Floats, Floats>>
{
public:
  AgainSubject()
  {
    const auto image = MakeImage<Floats>();
    m_Filter->SetInput(image);
    m_Filter->SetTransform(MakeAffine());
    m_Filter->SetReferenceImage(image);
    m_Filter->UseReferenceImageOn();
    m_Filter->KeepSourceOn();
  }
  void
  Run() override
  {
    FilterSubject::Run();
    FilterSubject::Run();
  }
};

std::unique_ptr<Subject>
MakePointsOfVectors()
{
  auto subject = MakeResampler<Vectors, Vectors>(Bend::New());
  subject->m_Filter->SetDefaultPixelValue(itk::Vector<float, 3>(3.0F));
  return subject;
}

std::unique_ptr<Subject>
MakeExtrapolated()
{
  auto subject = MakeResampler<Doubles, Doubles>(MakeAffine());
  subject->m_Filter->SetInterpolator(itk::BSplineInterpolateImageFunction<Doubles>::New());
  subject->m_Filter->SetExtrapolator(itk::NearestNeighborExtrapolateImageFunction<Doubles, double>::New());
  subject->m_Filter->KeepSourceOn();
  return subject;
}

std::unique_ptr<Subject>
MakeTexture()
{
  auto subject = MakeResampler<Floats, Floats>(MakeAffine());
  auto spline = itk::CudaBSplineInterpolateImageFunction<Floats>::New();
  spline->SetMode(itk::CudaSpline::EvaluationMode::TextureTable);
  subject->m_Filter->SetInterpolator(spline);
  return subject;
}

std::unique_ptr<Subject>
MakeDecomposition()
{
  using Filter = itk::CudaBSplineDecompositionImageFilter<Shorts, Doubles>;
  auto subject = std::make_unique<FilterSubject<Filter>>();
  subject->m_Filter->SetInput(MakeImage<Shorts>());
  subject->m_Filter->SetSplineOrder(5);
  return subject;
}

std::unique_ptr<Subject>
MakeGaussian()
{
  auto subject = std::make_unique<FilterSubject<itk::CudaSmoothingRecursiveGaussianImageFilter<Floats>>>();
  subject->m_Filter->SetInput(MakeImage<Floats>());
  subject->m_Filter->SetSigma(1.5);
  return subject;
}

} // namespace

std::vector<Scenario>
ScenariosOfImages()
{
  return {
    { "Cubic", MakeCubic, 1e-2 },
    { "Chain", MakeChain, 1e-2 },
    { "PointsOfVectors", MakePointsOfVectors, 1e-2 },
    { "Extrapolated", MakeExtrapolated, 1e-9 },
    // The hardware's weights have 8 bits: 3 / 256 of the coefficients in a volume, twice.
    { "Texture", MakeTexture, 8.0 },
    { "LinearAgain", []() -> std::unique_ptr<Subject> { return std::make_unique<AgainSubject>(); }, 1e-2, true },
    { "Decomposition", MakeDecomposition, 1e-9 },
    { "Gaussian", MakeGaussian, 1e-2 },
  };
}

} // namespace CudaSplineTest
