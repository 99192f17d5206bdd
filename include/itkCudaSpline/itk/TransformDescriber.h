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
#ifndef itkCudaSpline_itk_TransformDescriber_h
#define itkCudaSpline_itk_TransformDescriber_h

#include "itkCudaSpline/itk/DoubleTransform.h"
#include "itkCudaSpline/itk/ImageAccess.h"
#include "itkCudaSpline/kernels/transforms/ScanlinesOfChain.h"

#include "itkBSplineExponentialDiffeomorphicTransform.h"
#include "itkBSplineSmoothingOnUpdateDisplacementFieldTransform.h"
#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkConstantVelocityFieldTransform.h"
#include "itkDisplacementFieldTransform.h"
#include "itkGaussianExponentialDiffeomorphicTransform.h"
#include "itkGaussianSmoothingOnUpdateDisplacementFieldTransform.h"
#include "itkGaussianSmoothingOnUpdateTimeVaryingVelocityFieldTransform.h"
#include "itkMatrixOffsetTransformBase.h"
#include "itkTimeVaryingBSplineVelocityFieldTransform.h"
#include "itkTimeVaryingVelocityFieldTransform.h"
#include "itkVectorLinearInterpolateImageFunction.h"
#include "itkVectorNearestNeighborInterpolateImageFunction.h"
#include "itkVelocityFieldTransform.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <typeinfo>
#include <vector>

/** \file
 * \brief Describes the transforms that the module's kernels support. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Describes the grid of a stage: the buffered region of an image.
 *
 * \param[in] image the image
 * \param[in,out] stage its start, size, origin and matrix are set */
template <typename TImage>
void
DescribeGrid(const TImage * image, CudaSpline::TransformChain::Stage & stage)
{
  const auto &                       region = image->GetBufferedRegion();
  CudaSpline::TransformChain::Matrix unused{};
  DescribeAxes<TImage::ImageDimension>(image, stage.origin, unused, stage.pointToIndex);
  for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
  {
    stage.start[d] = region.GetIndex(d);
    stage.size[d] = static_cast<std::int64_t>(region.GetSize(d));
  }
}

/** \brief Sets the displacements of a stage.
 *
 * \tparam TField type of the field, whose pixels are vectors of float or double
 * \param[in] displacements the first component, in host or device memory
 * \param[in,out] stage its displacements are set */
template <typename TField>
void
SetDisplacements(const std::shared_ptr<const void> & displacements, CudaSpline::TransformChain::Stage & stage)
{
  using Component = typename ImageTraits<TField>::ComponentType;
  const auto data = std::static_pointer_cast<const Component>(displacements);
  if constexpr (std::is_same<Component, float>::value)
  {
    stage.singleData = data;
  }
  else
  {
    stage.data = data;
  }
}

/** \brief Lets a stage borrow the displacements of a field, whose pixels are vectors of float or double.
 *
 * \param[in] field the field; it must outlive the stage
 * \param[in,out] stage its displacements are set */
template <typename TField>
void
BorrowDisplacements(const TField * field, CudaSpline::TransformChain::Stage & stage)
{
  SetDisplacements<TField>(std::shared_ptr<const void>(field->GetBufferPointer(), [](const void *) {}), stage);
}

/** \brief Describes transforms as stages of a chain: linear ones, B-spline transforms of order 1 to 3, displacement
 * fields with linear or nearest-neighbour interpolation, and composites of these, nested to any depth.
 *
 * Transforms of float are described by their parameters in double precision: the mapped points equal ITK's except for
 * ITK's roundings.
 *
 * \tparam VDimension dimension, 1 to 3; for float 2 or 3
 * \tparam TParameter type of the transforms' parameters, double or float */
template <unsigned int VDimension, typename TParameter = double>
class TransformDescriber
{
public:
  /** A transform between spaces of that dimension. */
  using TransformType = Transform<TParameter, VDimension, VDimension>;

  /** Appends a transform to a chain.
   *
   * The chain borrows the transform's parameters: it is valid only while they do not change.
   *
   * \param[in] transform the transform
   * \param[in,out] chain the chain; undefined if false is returned
   * \param[in,out] optimized if not null, receives the numbers of the stages whose parameters the transform has: for
   * composites those of the transforms to optimize
   * \return false if the kernels do not support the transform */
  static bool
  Append(const TransformType *        transform,
         CudaSpline::TransformChain & chain,
         std::vector<std::size_t> *   optimized = nullptr)
  {
    using Composite = CompositeTransform<TParameter, VDimension>;
    if (const auto * const composite = dynamic_cast<const Composite *>(transform))
    {
      if (typeid(*composite) != typeid(Composite))
      {
        return false;
      }
      // The last added transform maps a point first.
      for (SizeValueType n = composite->GetNumberOfTransforms(); n-- > 0;)
      {
        const bool counts = composite->GetNthTransformToOptimize(n);
        if (!Append(composite->GetNthTransformConstPointer(n), chain, counts ? optimized : nullptr))
        {
          return false;
        }
      }
      return true;
    }
    const std::size_t stages = chain.stages.size();
    const bool        isKnown = transform->GetTransformCategory() == TransformType::TransformCategoryEnum::Linear
                                  ? AppendLinear(transform, chain)
                                  : AppendSpline<1>(transform, chain) || AppendSpline<2>(transform, chain) ||
                               AppendSpline<3>(transform, chain) || AppendField(transform, chain);
    if (isKnown && optimized != nullptr && chain.stages.size() > stages)
    {
      optimized->push_back(stages);
    }
    return isKnown;
  }

  /** Appends a linear transform whose points are, to the bit, those of its description.
   *
   * \param[in] transform the transform; as for Append() the chain borrows from it
   * \param[in,out] chain the chain; not defined where false is returned
   * \return false for all other transforms, and if a kernel does not make the scanlines of so many stages */
  static bool
  AppendScanlines(const TransformType * transform, CudaSpline::TransformChain & chain)
  {
    if constexpr (IsDouble && VDimension >= 2)
    {
      return IsChainOfAffineMaps(transform) && Append(transform, chain) && CudaSpline::HasAffineScanlines(chain);
    }
    else
    {
      return false;
    }
  }

private:
  using Stage = CudaSpline::TransformChain::Stage;
  using DoubleTransform = Transform<double, VDimension, VDimension>;
  static constexpr bool IsDouble = std::is_same<TParameter, double>::value;

  /** Appends an affine map. Returns false if the transform maps points differently from its matrix and offset, as a
   * user's class may, or if it does not provide them. */
  static bool
  AppendLinear(const TransformType * transform, CudaSpline::TransformChain & chain)
  {
    try
    {
      const auto inDouble = InDoublePrecision(transform);
      if (inDouble.IsNull())
      {
        return false;
      }
      const Stage stage = DescribeLinear(inDouble.GetPointer());
      if (!IsMapOf(transform, stage))
      {
        return false;
      }
      chain.stages.push_back(stage);
      return true;
    }
    catch (const ExceptionObject &)
    {
      // The Jacobian of itk::Transform throws. ITK's filters do not need it: they only transform points.
      return false;
    }
  }

  static Stage
  DescribeLinear(const DoubleTransform * transform)
  {
    Stage stage;
    stage.kind = CudaSpline::TransformKind::Affine;
    if (const auto * const affine =
          dynamic_cast<const MatrixOffsetTransformBase<double, VDimension, VDimension> *>(transform))
    {
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        stage.offset[r] = affine->GetOffset()[r];
        for (unsigned int c = 0; c < VDimension; ++c)
        {
          stage.matrix[r][c] = affine->GetMatrix()[r][c];
        }
      }
    }
    else // translations, scales, and any other class that reports to be linear
    {
      typename DoubleTransform::InputPointType origin;
      origin.Fill(0.0);
      typename DoubleTransform::JacobianPositionType matrix;
      transform->ComputeJacobianWithRespectToPosition(origin, matrix);
      const auto offset = transform->TransformPoint(origin);
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        stage.offset[r] = offset[r];
        for (unsigned int c = 0; c < VDimension; ++c)
        {
          stage.matrix[r][c] = matrix(r, c);
        }
      }
    }
    return stage;
  }

  /** Whether a stage maps the origin and points along the axes as the transform does, except for roundings. */
  static bool
  IsMapOf(const TransformType * transform, const Stage & stage)
  {
    constexpr double tolerance =
      IsDouble ? 1e-12 : 2e-6; // relative to the magnitudes: some roundings, also of a centre
    constexpr double distances[] = { 0.0, 100.0, -37.0 };
    for (const double distance : distances)
    {
      for (unsigned int axis = 0; axis < VDimension; ++axis)
      {
        typename TransformType::InputPointType point;
        point.Fill(0);
        point[axis] = static_cast<TParameter>(distance);
        const auto mapped = transform->TransformPoint(point);
        for (unsigned int r = 0; r < VDimension; ++r)
        {
          const double product = stage.matrix[r][axis] * distance;
          const double scale = std::abs(product) + std::abs(stage.offset[r]) + 100.0;
          if (!(std::abs(product + stage.offset[r] - mapped[r]) <= tolerance * scale))
          {
            return false;
          }
        }
      }
    }
    return true;
  }

  template <unsigned int VOrder>
  static bool
  AppendSpline(const TransformType * transform, CudaSpline::TransformChain & chain)
  {
    using SplineType = BSplineTransform<TParameter, VDimension, VOrder>;
    if (typeid(*transform) != typeid(SplineType))
    {
      return false;
    }
    const auto images = static_cast<const SplineType *>(transform)->GetCoefficientImages();
    if (images[0]->GetBufferPointer() == nullptr)
    {
      return true; // without coefficients ITK's transform is the identity
    }
    Stage stage;
    stage.kind = CudaSpline::TransformKind::BSpline;
    stage.order = static_cast<int>(VOrder);
    DescribeGrid(images[0].GetPointer(), stage);
    const auto plane = static_cast<std::size_t>(images[0]->GetBufferedRegion().GetNumberOfPixels());
    bool       follow = IsDouble; // planes are adjacent, as those of a parameter array are
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      follow = follow && images[d]->GetBufferPointer() == images[0]->GetBufferPointer() + d * plane;
    }
    if constexpr (IsDouble)
    {
      if (follow)
      {
        stage.data = std::shared_ptr<const double>(images[0]->GetBufferPointer(), [](const double *) {});
      }
    }
    if (!follow)
    {
      const std::shared_ptr<double> copy(new double[plane * VDimension], std::default_delete<double[]>());
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        std::copy_n(images[d]->GetBufferPointer(), plane, copy.get() + d * plane);
      }
      stage.data = copy;
    }
    chain.stages.push_back(stage);
    return true;
  }

  /** Whether an object has exactly one of these classes. */
  template <typename... TClasses>
  static bool
  IsOneOf(const std::type_info & type)
  {
    return ((type == typeid(TClasses)) || ...);
  }

  static bool
  AppendField(const TransformType * transform, CudaSpline::TransformChain & chain)
  {
    // These classes use the field unchanged; a user's class may differ.
    using FieldTransform = DisplacementFieldTransform<TParameter, VDimension>;
    if (!IsOneOf<FieldTransform,
                 GaussianSmoothingOnUpdateDisplacementFieldTransform<TParameter, VDimension>,
                 BSplineSmoothingOnUpdateDisplacementFieldTransform<TParameter, VDimension>,
                 ConstantVelocityFieldTransform<TParameter, VDimension>,
                 GaussianExponentialDiffeomorphicTransform<TParameter, VDimension>,
                 BSplineExponentialDiffeomorphicTransform<TParameter, VDimension>,
                 VelocityFieldTransform<TParameter, VDimension>,
                 TimeVaryingVelocityFieldTransform<TParameter, VDimension>,
                 GaussianSmoothingOnUpdateTimeVaryingVelocityFieldTransform<TParameter, VDimension>,
                 TimeVaryingBSplineVelocityFieldTransform<TParameter, VDimension>>(typeid(*transform)))
    {
      return false;
    }
    const auto * const transformOfField = static_cast<const FieldTransform *>(transform);
    using FieldType = typename FieldTransform::DisplacementFieldType;
    const FieldType * const field = transformOfField->GetDisplacementField();
    const auto * const      interpolator = transformOfField->GetInterpolator();
    if (field == nullptr || field->GetBufferPointer() == nullptr || interpolator == nullptr)
    {
      return false; // ITK throws
    }
    if (interpolator->GetInputImage() != field)
    {
      return false; // another transform's field, as after GetInverse() of velocity fields: ITK reads both
    }
    Stage stage;
    stage.kind = CudaSpline::TransformKind::DisplacementField;
    stage.nearest =
      typeid(*interpolator) == typeid(VectorNearestNeighborInterpolateImageFunction<FieldType, TParameter>);
    if (!stage.nearest && typeid(*interpolator) != typeid(VectorLinearInterpolateImageFunction<FieldType, TParameter>))
    {
      return false;
    }
    DescribeGrid(field, stage);
    BorrowDisplacements(field, stage);
    chain.stages.push_back(stage);
    return true;
  }
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
