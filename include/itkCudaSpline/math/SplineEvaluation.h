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
#ifndef itkCudaSpline_math_SplineEvaluation_h
#define itkCudaSpline_math_SplineEvaluation_h

#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/SplineWeights.h"
#include "itkCudaSpline/math/TensorProduct.h"

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Coefficients on a grid in memory, x fastest, and how they continue outside. */
template <unsigned int VDimension, typename TCoefficient>
struct CoefficientGrid
{
  const TCoefficient *   data{ nullptr };         ///< first element, host or device
  GridExtent<VDimension> extent;                  ///< the samples in memory
  Extension              extension[VDimension]{}; ///< how lines continue outside, by axis
};

/** \brief Where a point falls into a coefficient grid: the support's first index and the weight argument of each axis.
 */
template <unsigned int VOrder, unsigned int VDimension, typename TReal>
struct SplineSupport
{
  std::int64_t start[VDimension];    ///< relative to the grid's first sample
  TReal        position[VDimension]; ///< argument of SplineWeights() (samples)
  bool         inside{ true };       ///< no tap needs folding

  /** \param[in] index continuous index (samples), in the index space of \p extent
   * \param[in] extent the samples in memory */
  template <typename TCoordinate>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  SplineSupport(const TCoordinate (&index)[VDimension], const GridExtent<VDimension> & extent)
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const double       x = static_cast<double>(index[d]);
      const std::int64_t first = SplineSupportStart<VOrder>(x);
      position[d] = static_cast<TReal>(SplineSupportPosition<VOrder>(x, first));
      start[d] = first - extent.start[d];
      inside = inside && start[d] >= 0 && start[d] + static_cast<std::int64_t>(VOrder) < extent.size[d];
    }
  }
};

/** \brief Weighted sum over the support, with the taps folded only where the support leaves the grid.
 *
 * \param[in] grid the coefficients
 * \param[in] support where the point falls
 * \param[in] weights weights by axis and tap */
template <unsigned int VOrder, unsigned int VDimension, typename TCoefficient, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
SumOverSupport(const CoefficientGrid<VDimension, TCoefficient> & grid,
               const SplineSupport<VOrder, VDimension, TReal> &  support,
               const TReal (&weights)[VDimension][VOrder + 1])
{
  if (support.inside)
  {
    ContiguousTaps<VDimension> taps;
    taps.base = 0;
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      taps.stride[d] = stride;
      taps.base += support.start[d] * stride;
      stride *= grid.extent.size[d];
    }
    return TensorProductSum<VDimension, VOrder + 1>(grid.data, taps, taps.Base(), weights);
  }
  FoldedTaps<VDimension, VOrder + 1> taps;
  std::int64_t                       stride = 1;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    for (unsigned int k = 0; k <= VOrder; ++k)
    {
      taps.offset[d][k] = FoldIndex(support.start[d] + k, grid.extent.size[d], grid.extension[d]) * stride;
    }
    stride *= grid.extent.size[d];
  }
  return TensorProductSum<VDimension, VOrder + 1>(grid.data, taps, taps.Base(), weights);
}

/** \brief Value of the spline at a continuous index.
 *
 * \tparam VOrder spline order, 0 to 5
 * \tparam TReal float or double: weights and sum
 * \tparam TCoordinate float or double, type of the continuous index
 * \param[in] grid the coefficients
 * \param[in] index continuous index (samples), in the index space of grid.extent
 *
 * \par Accuracy
 * the weights are non-negative and sum to 1, so the error is at most (VDimension (VOrder + 4)) units of rounding of
 * TReal times max|c| over the support */
template <unsigned int VOrder, typename TReal, unsigned int VDimension, typename TCoefficient, typename TCoordinate>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
SplineValue(const CoefficientGrid<VDimension, TCoefficient> & grid, const TCoordinate (&index)[VDimension])
{
  const SplineSupport<VOrder, VDimension, TReal> support(index, grid.extent);
  TReal                                          weights[VDimension][VOrder + 1];
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    SplineWeights<VOrder>(support.position[d], weights[d]);
  }
  return SumOverSupport<VOrder>(grid, support, weights);
}

/** \brief Value and partial derivatives (per sample, along the grid's axes) of the spline at a continuous index.
 *
 * For template parameters and accuracy see SplineValue().
 *
 * \param[in] grid the coefficients
 * \param[in] index continuous index (samples), in the index space of grid.extent
 * \param[out] value the value
 * \param[out] derivative one component an axis, x first; not divided by the spacing */
template <unsigned int VOrder, typename TReal, unsigned int VDimension, typename TCoefficient, typename TCoordinate>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
SplineValueAndDerivative(const CoefficientGrid<VDimension, TCoefficient> & grid,
                         const TCoordinate (&index)[VDimension],
                         TReal & value,
                         TReal (&derivative)[VDimension])
{
  const SplineSupport<VOrder, VDimension, TReal> support(index, grid.extent);
  TReal                                          weights[VDimension][VOrder + 1];
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    SplineWeights<VOrder>(support.position[d], weights[d]);
  }
  value = SumOverSupport<VOrder>(grid, support, weights);
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    TReal kept[VOrder + 1];
    for (unsigned int k = 0; k <= VOrder; ++k)
    {
      kept[k] = weights[d][k];
    }
    SplineDerivativeWeights<VOrder>(support.position[d], weights[d]);
    derivative[d] = SumOverSupport<VOrder>(grid, support, weights);
    for (unsigned int k = 0; k <= VOrder; ++k)
    {
      weights[d][k] = kept[k];
    }
  }
}

/** @} */
} // namespace itk::CudaSpline

#endif
