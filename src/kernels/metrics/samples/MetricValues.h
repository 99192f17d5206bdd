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
#ifndef MetricValues_h
#define MetricValues_h

#include "itkCudaSpline/math/LinearCell.h"

#include "kernels/metrics/samples/MetricArguments.h"
#include "kernels/metrics/samples/PointDifferences.h"

/** \file
 * \brief Values and gradients of the moving image, for which the kernels of a metric are compiled. */

namespace itk::CudaSpline
{

/** \brief Gradients from an image of gradients: planes, each interpolated linearly.
 *
 * \tparam TReal type of the planes and the interpolation
 * \param[in] cell cell of the sample in the moving image
 * \param[out] gradient (per mm) */
template <typename TReal, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
GradientOfImage(const MetricArguments<VDimension> & arguments,
                const LinearCell<VDimension> &      cell,
                double (&gradient)[VDimension])
{
  const auto * plane = static_cast<const TReal *>(arguments.gradient);
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    gradient[d] = static_cast<double>(cell.template Value<TReal>(plane));
    plane += arguments.moving.planeStride;
  }
}

/** \brief Values of nearest neighbours and of linear interpolation.
 *
 * They are interpolated in double for float samples, too: it costs little compared with the reads, and for float pixels
 * the value equals ITK's. Histogram bins, and the logarithms of nearly empty ones, amplify rounding errors of the
 * value.
 *
 * \tparam TReal type of the samples, and of the interpolation of gradients */
template <typename TReal>
struct PlainValues
{
  using Real = TReal;

  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_DEVICE_INLINE double
  Value(const MetricArguments<VDimension> & arguments, const double (&index)[VDimension])
  {
    const auto * const data = static_cast<const TReal *>(arguments.moving.source);
    if (arguments.nearest)
    {
      return static_cast<double>(data[NearestOffset::Of(arguments.moving, index)]);
    }
    return LinearCell<VDimension>(arguments.moving.extent, index).template Value<double>(data);
  }

  /** Value, and gradient from the image of gradients: in one cell if both are linear. */
  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE double
  ValueAndGradientOfImage(const MetricArguments<VDimension> & arguments,
                          const double (&index)[VDimension],
                          double (&gradient)[VDimension])
  {
    const LinearCell<VDimension> cell(arguments.moving.extent, index);
    const auto * const           data = static_cast<const TReal *>(arguments.moving.source);
    GradientOfImage<TReal>(arguments, cell, gradient);
    return arguments.nearest ? static_cast<double>(data[NearestOffset::Of(arguments.moving, index)])
                             : cell.template Value<double>(data);
  }

  /** These values have no gradient: descriptors that request one are rejected. */
  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE double
  ValueAndGradient(const MetricArguments<VDimension> & arguments,
                   const double (&index)[VDimension],
                   double (&)[VDimension])
  {
    return Value(arguments, index);
  }
};

/** \brief Value and, if requested, gradient (per sample) of a B-spline: a separate function, for the orders that few
 * kernels use. */
template <unsigned int VOrder, bool VWithGradient, unsigned int VDimension, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_NOINLINE void
EvaluateMetricSpline(const EvaluationArguments<VDimension> & moving,
                     const double (&index)[VDimension],
                     Jet<VDimension, TReal> & jet)
{
  constexpr Derivatives derivatives = VWithGradient ? Derivatives::First : Derivatives::None;
  EvaluateOnGrid<derivatives>(SplineBasis<VOrder>(), GridOf<TReal>(moving), index, jet);
}

/** \brief Values of B-splines of any order. */
template <typename TReal>
struct SplineValues
{
  using Real = TReal;

  template <bool VWithGradient, unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_DEVICE_INLINE void
  Evaluate(const MetricArguments<VDimension> & arguments,
           const double (&index)[VDimension],
           Jet<VDimension, TReal> & jet)
  {
    switch (arguments.moving.order)
    {
      case 0:
        return EvaluateMetricSpline<0, VWithGradient>(arguments.moving, index, jet);
      case 1:
        return EvaluateMetricSpline<1, VWithGradient>(arguments.moving, index, jet);
      case 2:
        return EvaluateMetricSpline<2, VWithGradient>(arguments.moving, index, jet);
      case 3: // the usual order, inlined into the kernel
        return EvaluateOnGrid < VWithGradient
                 ? Derivatives::First
                 : Derivatives::None > (SplineBasis<3>(), GridOf<TReal>(arguments.moving), index, jet);
      case 4:
        return EvaluateMetricSpline<4, VWithGradient>(arguments.moving, index, jet);
      default:
        return EvaluateMetricSpline<5, VWithGradient>(arguments.moving, index, jet);
    }
  }

  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_DEVICE_INLINE double
  Value(const MetricArguments<VDimension> & arguments, const double (&index)[VDimension])
  {
    Jet<VDimension, TReal> jet;
    Evaluate<false>(arguments, index, jet);
    return static_cast<double>(jet.value);
  }

  /** Value, and gradient from the image of gradients. */
  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE double
  ValueAndGradientOfImage(const MetricArguments<VDimension> & arguments,
                          const double (&index)[VDimension],
                          double (&gradient)[VDimension])
  {
    GradientOfImage<TReal>(arguments, LinearCell<VDimension>(arguments.moving.extent, index), gradient);
    return Value(arguments, index);
  }

  /** Value, and gradient (per mm): the derivatives with respect to the index times the transposed matrix from points to
   * indices. */
  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE double
  ValueAndGradient(const MetricArguments<VDimension> & arguments,
                   const double (&index)[VDimension],
                   double (&gradient)[VDimension])
  {
    Jet<VDimension, TReal> jet;
    Evaluate<true>(arguments, index, jet);
    for (unsigned int i = 0; i < VDimension; ++i)
    {
      gradient[i] = 0.0;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        gradient[i] += arguments.moving.pointToIndex[d][i] * static_cast<double>(jet.gradient[d]);
      }
    }
    return static_cast<double>(jet.value);
  }
};

/** \brief Values that an earlier pass stored: only gradients are evaluated.
 *
 * \tparam TReal type of the samples */
template <typename TReal>
struct KeptValues
{
  using Real = TReal;
};

/** \brief Whether values are those that an earlier pass stored. */
///@{
template <typename TValues>
inline constexpr bool AreKept = false;
template <typename TReal>
inline constexpr bool AreKept<KeptValues<TReal>> = true;
///@}

/** \brief PointDifferences() of the moving image.
 *
 * \tparam TReal type of the samples
 * \param[in] place in the moving image's space (mm)
 * \param[out] gradient (per mm) */
template <typename TReal, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_DEVICE_INLINE void
CentralDifferences(const MetricArguments<VDimension> & arguments,
                   const double (&place)[VDimension],
                   double (&gradient)[VDimension])
{
  PointDifferences(
    static_cast<const TReal *>(arguments.gradient), arguments.moving, arguments.halfSpacing, place, gradient);
}

} // namespace itk::CudaSpline

#endif
