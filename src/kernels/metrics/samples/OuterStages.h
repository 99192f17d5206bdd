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
#ifndef OuterStages_h
#define OuterStages_h

#include "itkCudaSpline/math/TransformStage.h"

#include "kernels/metrics/samples/MetricArguments.h"

#include <cstdint>
#include <type_traits>

/** \file
 * \brief Stages after the optimized one that are not affine: the gradient of the moving image is multiplied by their
 * Jacobians with respect to position, for each sample. */

namespace itk::CudaSpline
{

/** \brief Derivatives of the displacement of a B-spline stage with respect to the grid's indices.
 *
 * \tparam VOrder the order
 * \param[in] stage the stage
 * \param[in] point the point (mm)
 * \param[out] byIndex one row per component (mm), one column per axis of the grid (index)
 * \return false outside the grid's valid region, where there is no displacement */
template <unsigned int VOrder, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
SplineSlopes(const TransformStage<VDimension> & stage,
             const double (&point)[VDimension],
             double (&byIndex)[VDimension][VDimension])
{
  TensorWeights<VDimension, VOrder + 1, Derivatives::First, double> weights;
  std::int64_t                                                      offset = 0;
  if (!stage.template FindSupport<VOrder>(point, weights.value, offset))
  {
    return false;
  }
  double                             index[VDimension];
  ContiguousTaps<VDimension, double> taps;
  std::int64_t                       stride = 1;
  PointToContinuousIndex(stage.origin, stage.pointToIndex, point, index);
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    if (index[d] >= stage.atUpper[d] && index[d] <= stage.pastUpper[d])
    {
      index[d] = stage.belowUpper[d]; // as in FindSupport()
    }
    const std::int64_t start = FloorIndex(index[d] + 0.5 - VOrder / 2.0);
    SplineDerivativeWeights<VOrder>(index[d] - static_cast<double>(start + static_cast<std::int64_t>(VOrder / 2)),
                                    weights.first[d]);
    taps.stride[d] = stride;
    stride *= stage.extent.size[d];
  }
  taps.data = stage.data + offset;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    Jet<VDimension, double> displacement;
    TensorProductSum(taps, weights, displacement);
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      byIndex[d][axis] = displacement.gradient[axis];
    }
    taps.data += stage.componentStride;
  }
  return true;
}

/** \brief The same for a displacement field, with the fourth-order differences at the nearest sample of
 * itk::DisplacementFieldTransform::ComputeJacobianWithRespectToPosition(), for any interpolator of the field: samples
 * beyond the border are replaced by those at the border.
 *
 * \return false at the border samples and outside, where ITK's Jacobian is the identity */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
FieldSlopes(const TransformStage<VDimension> & stage,
            const double (&point)[VDimension],
            double (&byIndex)[VDimension][VDimension])
{
  constexpr double beyond = 0x1p52; // beyond any index; false for NaN, too
  double           index[VDimension];
  std::int64_t     at[VDimension];
  std::int64_t     nearest = 0;
  std::int64_t     stride = stage.elementStride;
  PointToContinuousIndex(stage.origin, stage.pointToIndex, point, index);
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    at[d] = index[d] >= -beyond && index[d] <= beyond ? NearestIndex(index[d]) - stage.extent.start[d] : 0;
    if (!(at[d] > 0 && at[d] < stage.extent.size[d] - 1))
    {
      return false;
    }
    nearest += at[d] * stride;
    stride *= stage.extent.size[d];
  }
  const auto value = [&stage](std::int64_t sample, unsigned int component) {
    const std::int64_t number = sample + static_cast<std::int64_t>(component) * stage.componentStride;
    return stage.singleData != nullptr ? static_cast<double>(stage.singleData[number]) : stage.data[number];
  };
  stride = stage.elementStride;
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    const std::int64_t outerBelow = nearest - (at[axis] > 1 ? 2 : 1) * stride;
    const std::int64_t outerAbove = nearest + (at[axis] < stage.extent.size[axis] - 2 ? 2 : 1) * stride;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      byIndex[d][axis] = (value(outerBelow, d) - 8.0 * value(nearest - stride, d) + 8.0 * value(nearest + stride, d) -
                          value(outerAbove, d)) /
                         12.0;
    }
    stride *= stage.extent.size[axis];
  }
  return true;
}

/** \brief Maps a point through stages of any kind, and computes the Jacobian of the mapping with respect to the point.
 *
 * It is a separate function, as WalkStages() is.
 *
 * \param[in] stages the stages, in the order in which they map the point; host or device
 * \param[in] count number of stages
 * \param[in,out] point the point (mm)
 * \param[out] jacobian one row per axis of the mapped point, one column per axis of the original one */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_NOINLINE void
WalkWithJacobian(const TransformStage<VDimension> * stages,
                 int                                count,
                 double (&point)[VDimension],
                 double (&jacobian)[VDimension][VDimension])
{
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      jacobian[r][c] = r == c ? 1.0 : 0.0;
    }
  }
  for (int i = 0; i < count; ++i)
  {
    const TransformStage<VDimension> & stage = stages[i];
    double                             own[VDimension][VDimension];
    if (stage.kind == TransformKind::Affine)
    {
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        for (unsigned int c = 0; c < VDimension; ++c)
        {
          own[r][c] = stage.map.matrix[r][c];
        }
      }
    }
    else
    {
      double slopes[VDimension][VDimension];
      bool   moves = false;
      if (stage.kind == TransformKind::DisplacementField)
      {
        moves = FieldSlopes(stage, point, slopes);
      }
      else if (stage.order == 1)
      {
        moves = SplineSlopes<1>(stage, point, slopes);
      }
      else if (stage.order == 2)
      {
        moves = SplineSlopes<2>(stage, point, slopes);
      }
      else
      {
        moves = SplineSlopes<3>(stage, point, slopes);
      }
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        for (unsigned int c = 0; c < VDimension; ++c)
        {
          own[r][c] = r == c ? 1.0 : 0.0;
          for (unsigned int k = 0; moves && k < VDimension; ++k)
          {
            own[r][c] += slopes[r][k] * stage.pointToIndex[k][c];
          }
        }
      }
    }
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      double column[VDimension];
      for (unsigned int k = 0; k < VDimension; ++k)
      {
        column[k] = jacobian[k][c];
      }
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        jacobian[r][c] = 0.0;
        for (unsigned int k = 0; k < VDimension; ++k)
        {
          jacobian[r][c] += own[r][k] * column[k];
        }
      }
    }
    stage.Apply(point);
  }
}

/** \brief Maps samples with the arguments' own stages, and multiplies gradients with the Jacobians of those after the
 * front. */
template <unsigned int VDimension>
struct OuterJacobianMove
{
  const MetricArguments<VDimension> & arguments; ///< the chain

  /** \brief Maps a point of the virtual domain into the moving image's space (mm). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const double (&place)[VDimension], double (&moved)[VDimension]) const
  {
    arguments.template Move<SampleMove::AnyWithJacobian>(0, place, moved);
  }

  /** \brief The gradient with respect to the output of the front stages, if some following stages are not affine.
   *
   * \param[in] place point of the virtual domain (mm)
   * \param[in,out] gradient g (per mm of the moving image's space); then J' g */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  PullBackGradient(const double (&place)[VDimension], double (&gradient)[VDimension]) const
  {
    if (arguments.front < 0)
    {
      return;
    }
    double point[VDimension];
    double jacobian[VDimension][VDimension];
    double there[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      point[d] = place[d];
      there[d] = gradient[d];
    }
    const TransformStage<VDimension> * const stages = arguments.moving.stages;
    const int                                front = arguments.front;
    WalkStages(stages, front, point);
    WalkWithJacobian(stages + front, arguments.moving.stageCount - front, point, jacobian);
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      gradient[c] = 0.0;
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        gradient[c] += jacobian[r][c] * there[r];
      }
    }
  }
};

/** \brief Whether a mapping of samples also transforms gradients. */
///@{
template <typename TMove>
inline constexpr bool BringsBack = false;
template <unsigned int VDimension>
inline constexpr bool BringsBack<OuterJacobianMove<VDimension>> = true;
///@}

} // namespace itk::CudaSpline

#endif
