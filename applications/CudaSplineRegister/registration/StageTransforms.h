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
#ifndef CudaSplineRegister_StageTransforms_h
#define CudaSplineRegister_StageTransforms_h

#include "itkCudaSpline/itk/SplineGrid.h"
#include "itkCudaSpline/pipeline/RegistrationSpec.h"

#include "itkAffineTransform.h"
#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkDisplacementFieldTransform.h"
#include "itkEuler2DTransform.h"
#include "itkEuler3DTransform.h"
#include "itkImageBase.h"
#include "itkSimilarity2DTransform.h"
#include "itkSimilarity3DTransform.h"
#include "itkTranslationTransform.h"

#include <type_traits>
#include <vector>

/** \file
 * \brief Transforms of the stages. */

namespace CudaSplineRegister
{

/** \brief Types of transforms by dimension. */
template <unsigned int VDimension>
struct StageTransforms
{
  using Base = itk::Transform<double, VDimension, VDimension>;
  using Linear = itk::MatrixOffsetTransformBase<double, VDimension, VDimension>;
  using Rigid = std::conditional_t<VDimension == 2, itk::Euler2DTransform<double>, itk::Euler3DTransform<double>>;
  using Translation = itk::TranslationTransform<double, VDimension>;
  using Similarity =
    std::conditional_t<VDimension == 2, itk::Similarity2DTransform<double>, itk::Similarity3DTransform<double>>;
  using Affine = itk::AffineTransform<double, VDimension>;
  using Spline = itk::BSplineTransform<double, VDimension, 3>;
  using Composite = itk::CompositeTransform<double, VDimension>;
  using Field = itk::DisplacementFieldTransform<double, VDimension>;
  using Image = itk::ImageBase<VDimension>;
  using Point = typename Base::InputPointType;
  using Mesh = typename Spline::MeshSizeType;

  /** Returns the identity of a kind, about a centre. */
  static typename Base::Pointer
  MakeLinear(itk::CudaSpline::LinearKind kind, const Point & centre)
  {
    typename Linear::Pointer transform;
    switch (kind)
    {
      case itk::CudaSpline::LinearKind::Translation:
        return Translation::New().GetPointer();
      case itk::CudaSpline::LinearKind::Rigid:
        transform = Rigid::New().GetPointer();
        break;
      case itk::CudaSpline::LinearKind::Similarity:
        transform = Similarity::New().GetPointer();
        break;
      default:
        transform = Affine::New().GetPointer();
    }
    transform->SetCenter(centre);
    return transform.GetPointer();
  }

  /** Returns a B-spline transform without displacements on the domain of an image. */
  static typename Spline::Pointer
  MakeSpline(const Image * image, const Mesh & mesh)
  {
    const auto spline = Spline::New();
    itk::CudaSplineDetail::SetSplineGrid<VDimension>(
      spline.GetPointer(),
      itk::CudaSplineDetail::DescribeFieldGrid<VDimension>(image, image->GetLargestPossibleRegion()),
      image->GetDirection(),
      mesh);
    return spline;
  }

  /** Returns a copy. Displacement fields are not copied, because they are large, and no stage changes them. */
  static typename Base::Pointer
  Copy(const typename Base::Pointer & transform)
  {
    return dynamic_cast<const Field *>(transform.GetPointer()) != nullptr ? transform : transform->Clone();
  }

  /** Combines transforms; the last one is applied first to a point. They are copied, so that later stages do not change
   * them. */
  static typename Base::Pointer
  Combine(const std::vector<typename Base::Pointer> & chain)
  {
    const auto composite = Composite::New();
    for (const auto & transform : chain)
    {
      composite->AddTransform(transform);
    }
    composite->FlattenTransformQueue();
    if (composite->GetNumberOfTransforms() == 0)
    {
      return Affine::New().GetPointer();
    }
    if (composite->GetNumberOfTransforms() == 1)
    {
      return Copy(composite->GetNthTransform(0));
    }
    const auto copy = Composite::New();
    for (itk::SizeValueType number = 0; number < composite->GetNumberOfTransforms(); ++number)
    {
      copy->AddTransform(Copy(composite->GetNthTransform(number)));
    }
    return copy.GetPointer();
  }
};

} // namespace CudaSplineRegister

#endif
