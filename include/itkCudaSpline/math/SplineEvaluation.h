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

#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/SplineWeights.h"
#include "itkCudaSpline/math/TensorProduct.h"

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Coefficients, or samples, on a grid in memory, x fastest, and their extension outside. */
template <unsigned int VDimension, typename TCoefficient>
struct CoefficientGrid
{
  const TCoefficient *   data{ nullptr };         ///< first element, host or device
  GridExtent<VDimension> extent;                  ///< the samples in memory
  Extension              extension[VDimension]{}; ///< extension of lines along each axis
  TCoefficient           border{};                ///< value outside for Extension::GridConstant
};

/** \brief The B-spline basis of a degree, as required by EvaluateOnGrid().
 *
 * \tparam VOrder spline order, 0 to 5 */
template <unsigned int VOrder>
struct SplineBasis
{
  /** Number of input samples of a value along an axis. */
  static constexpr unsigned int Taps = VOrder + 1;

  /** First index of the support of a coordinate (samples); see SplineSupportStart(). */
  template <typename TIndex = std::int64_t>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE TIndex
  Start(double x)
  {
    return SplineSupportStart<VOrder, TIndex>(x);
  }
  /** Argument of the weights for a coordinate and the first index of its support (samples). */
  template <typename TIndex>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE double
  Position(double x, TIndex start)
  {
    return SplineSupportPosition<VOrder>(x, start);
  }
  /** Weights of the value, the first and the second derivative (per sample). */
  ///@{
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Weights(TReal t, TReal * w) const
  {
    SplineWeights<VOrder>(t, w);
  }
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  DerivativeWeights(TReal t, TReal * w) const
  {
    SplineDerivativeWeights<VOrder>(t, w);
  }
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  SecondDerivativeWeights(TReal t, TReal * w) const
  {
    SplineSecondDerivativeWeights<VOrder>(t, w);
  }
  ///@}
  /** Calls \p use with this basis: it has no parameters. */
  template <typename TUse>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Specialize(const TUse & use) const
  {
    use(*this);
  }
};

/** \brief The support of a point in a grid: the support's first index and the weight argument of each axis.
 *
 * \tparam TBasis SplineBasis or CubicConvolutionBasis */
template <typename TBasis, unsigned int VDimension, typename TReal>
struct BasisSupport
{
  std::int64_t start[VDimension];    ///< relative to the grid's first sample
  TReal        position[VDimension]; ///< argument of the weights (samples)
  bool         inside{ true };       ///< no tap needs folding

  /** \param[in] index continuous index (samples), in the index space of \p extent
   * \param[in] extent the samples in memory */
  template <typename TCoordinate>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  BasisSupport(const TCoordinate (&index)[VDimension], const GridExtent<VDimension> & extent)
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const double       x = static_cast<double>(index[d]);
      const std::int64_t first = TBasis::Start(x);
      position[d] = static_cast<TReal>(TBasis::Position(x, first));
      start[d] = first - extent.start[d];
      inside = inside && start[d] >= 0 && start[d] + static_cast<std::int64_t>(TBasis::Taps) <= extent.size[d];
    }
  }
};

/** \brief Copies the elements of a support with every index folded into the grid, or the border value.
 *
 * \param[in] grid the coefficients
 * \param[in] start first index of the support along each axis, relative to the grid's first sample
 * \param[in] taps elements per axis, at most 8
 * \param[out] elements elements of the support, x fastest: \p taps to the power of VDimension */
template <unsigned int VDimension, typename TCoefficient>
CUDASPLINE_HOST_DEVICE CUDASPLINE_NOINLINE void
CopyFolded(const CoefficientGrid<VDimension, TCoefficient> & grid,
           const std::int64_t (&start)[VDimension],
           unsigned int   taps,
           TCoefficient * elements)
{
  FoldedTaps<VDimension, 8, TCoefficient> folded{ grid.data, grid.border, {} };
  std::int64_t                            stride = 1;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    for (unsigned int k = 0; k < taps; ++k)
    {
      const std::int64_t index = FoldIndex(start[d] + k, grid.extent.size[d], grid.extension[d]);
      folded.offset[d][k] = index < 0 ? OffsetOutside : index * stride;
    }
    stride *= grid.extent.size[d];
  }
  unsigned int row[VDimension]{}; // taps of the axes above x
  unsigned int axis = 0;
  while (axis < VDimension)
  {
    std::int64_t at = 0;
    for (unsigned int d = 1; d < VDimension; ++d)
    {
      at += folded.Offset(d, row[d]);
    }
    for (unsigned int x = 0; x < taps; ++x)
    {
      *elements++ = folded.Element(at, x);
    }
    for (axis = 1; axis < VDimension && ++row[axis] == taps; ++axis)
    {
      row[axis] = 0;
    }
  }
}

/** \brief Number of elements of a support. */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE constexpr unsigned int
SupportElements(unsigned int taps)
{
  unsigned int count = 1;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    count *= taps;
  }
  return count;
}

/** \brief SumOverSupport() for the host. The sum is compiled once: a support that needs folding is copied first, and
 * the copy is summed. */
template <typename TBasis, Derivatives VDerivatives, unsigned int VDimension, typename TCoefficient, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
SumOnHost(const CoefficientGrid<VDimension, TCoefficient> &                    grid,
          const BasisSupport<TBasis, VDimension, TReal> &                      support,
          const TensorWeights<VDimension, TBasis::Taps, VDerivatives, TReal> & weights,
          Jet<VDimension, TReal> &                                             jet)
{
  TCoefficient                             copies[SupportElements<VDimension>(TBasis::Taps)];
  ContiguousTaps<VDimension, TCoefficient> taps;
  taps.data = support.inside ? grid.data : copies;
  std::int64_t stride = 1;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    taps.stride[d] = stride;
    taps.data += support.inside ? support.start[d] * stride : 0;
    stride *= support.inside ? grid.extent.size[d] : static_cast<std::int64_t>(TBasis::Taps);
  }
  if (!support.inside)
  {
    CopyFolded(grid, support.start, TBasis::Taps, copies);
  }
  TensorProductSum(taps, weights, jet);
}

/** \brief The same as a function that is not inlined: compilers generate better code for a long sum in a separate
 * function. */
template <typename TBasis, Derivatives VDerivatives, unsigned int VDimension, typename TCoefficient, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_NOINLINE void
CallSumOnHost(const CoefficientGrid<VDimension, TCoefficient> &                    grid,
              const BasisSupport<TBasis, VDimension, TReal> &                      support,
              const TensorWeights<VDimension, TBasis::Taps, VDerivatives, TReal> & weights,
              Jet<VDimension, TReal> &                                             jet)
{
  SumOnHost(grid, support, weights, jet);
}

/** \brief Weighted sums over the support. The taps are folded only if the support leaves the grid.
 *
 * \param[in] grid the coefficients
 * \param[in] support support of the point
 * \param[in] weights weights by axis and tap
 * \param[out] jet value and derivatives (per sample) */
template <typename TBasis, Derivatives VDerivatives, unsigned int VDimension, typename TCoefficient, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
SumOverSupport(const CoefficientGrid<VDimension, TCoefficient> &                    grid,
               const BasisSupport<TBasis, VDimension, TReal> &                      support,
               const TensorWeights<VDimension, TBasis::Taps, VDerivatives, TReal> & weights,
               Jet<VDimension, TReal> &                                             jet)
{
#if defined(__CUDA_ARCH__)
  if (support.inside)
  {
    ContiguousTaps<VDimension, TCoefficient> taps;
    taps.data = grid.data;
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      taps.stride[d] = stride;
      taps.data += support.start[d] * stride;
      stride *= grid.extent.size[d];
    }
    TensorProductSum(taps, weights, jet);
    return;
  }
  FoldedTaps<VDimension, TBasis::Taps, TCoefficient> taps;
  taps.data = grid.data;
  taps.border = grid.border;
  std::int64_t stride = 1;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    for (unsigned int k = 0; k < TBasis::Taps; ++k)
    {
      const std::int64_t folded = FoldIndex(support.start[d] + k, grid.extent.size[d], grid.extension[d]);
      taps.offset[d][k] = folded < 0 ? OffsetOutside : folded * stride;
    }
    stride *= grid.extent.size[d];
  }
  TensorProductSum(taps, weights, jet);
#else
  constexpr unsigned int mostInlined = 27; // elements: a call costs 2 ns
  if constexpr (SupportElements<VDimension>(TBasis::Taps) <= mostInlined)
  {
    SumOnHost(grid, support, weights, jet);
  }
  else
  {
    CallSumOnHost(grid, support, weights, jet);
  }
#endif
}

/** \brief The weights of a support.
 *
 * \param[in] basis the basis
 * \param[in] position argument of the weights of each axis (samples)
 * \param[out] weights weights by axis and tap */
template <typename TBasis, Derivatives VDerivatives, unsigned int VDimension, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
FillWeights(const TBasis & basis,
            const TReal (&position)[VDimension],
            TensorWeights<VDimension, TBasis::Taps, VDerivatives, TReal> & weights)
{
  basis.Specialize([&position, &weights](const auto & special) {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      special.Weights(position[d], weights.value[d]);
      if constexpr (HasOrder(VDerivatives, 1))
      {
        special.DerivativeWeights(position[d], weights.first[d]);
      }
      if constexpr (HasOrder(VDerivatives, 2))
      {
        special.SecondDerivativeWeights(position[d], weights.second[d]);
      }
    }
  });
}

/** \brief Value and derivatives at a continuous index of the function that a basis and the elements of a grid define.
 *
 * \tparam VDerivatives the derivatives to evaluate
 * \tparam TBasis SplineBasis or CubicConvolutionBasis
 * \tparam TReal float or double: weights and sums
 * \tparam TCoordinate float or double, type of the continuous index
 * \param[in] basis the basis
 * \param[in] grid the coefficients, or samples
 * \param[in] index continuous index (samples), in the index space of grid.extent, with a magnitude below 2^62
 * \param[out] jet value and derivatives (per sample, along the grid's axes; not divided by the spacing)
 *
 * \par Accuracy
 * See SplineValue() for the value. The magnitudes of the weights of a derivative of order k along an axis sum to at
 * most 2^k, and its bound is larger by that factor. */
template <Derivatives VDerivatives,
          typename TBasis,
          unsigned int VDimension,
          typename TCoefficient,
          typename TReal,
          typename TCoordinate>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
EvaluateOnGrid(const TBasis &                                    basis,
               const CoefficientGrid<VDimension, TCoefficient> & grid,
               const TCoordinate (&index)[VDimension],
               Jet<VDimension, TReal> & jet)
{
  const BasisSupport<TBasis, VDimension, TReal>                support(index, grid.extent);
  TensorWeights<VDimension, TBasis::Taps, VDerivatives, TReal> weights{};
  FillWeights(basis, support.position, weights);
  SumOverSupport(grid, support, weights, jet);
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
 * The weights are non-negative and sum to 1: the error is at most (VDimension (VOrder + 4)) units of rounding of TReal
 * times max|c| over the support */
template <unsigned int VOrder, typename TReal, unsigned int VDimension, typename TCoefficient, typename TCoordinate>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
SplineValue(const CoefficientGrid<VDimension, TCoefficient> & grid, const TCoordinate (&index)[VDimension])
{
  Jet<VDimension, TReal> jet;
  EvaluateOnGrid<Derivatives::None>(SplineBasis<VOrder>(), grid, index, jet);
  return jet.value;
}

/** \brief Value and partial derivatives (per sample, along the grid's axes) of the spline at a continuous index.
 *
 * For template parameters and accuracy see SplineValue().
 *
 * \param[in] grid the coefficients
 * \param[in] index continuous index (samples), in the index space of grid.extent
 * \param[out] value the value
 * \param[out] derivative one component per axis, x first; not divided by the spacing */
template <unsigned int VOrder, typename TReal, unsigned int VDimension, typename TCoefficient, typename TCoordinate>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
SplineValueAndDerivative(const CoefficientGrid<VDimension, TCoefficient> & grid,
                         const TCoordinate (&index)[VDimension],
                         TReal & value,
                         TReal (&derivative)[VDimension])
{
  Jet<VDimension, TReal> jet;
  EvaluateOnGrid<Derivatives::First>(SplineBasis<VOrder>(), grid, index, jet);
  value = jet.value;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    derivative[d] = jet.gradient[d];
  }
}

/** @} */
} // namespace itk::CudaSpline

#endif
