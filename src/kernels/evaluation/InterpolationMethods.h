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
#ifndef InterpolationMethods_h
#define InterpolationMethods_h

#include "itkCudaSpline/math/CubicConvolution.h"
#include "itkCudaSpline/math/LabelGaussian.h"
#include "itkCudaSpline/math/LinearEvaluation.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "itkCudaSpline/math/SplineEvaluation.h"
#include "itkCudaSpline/math/WindowedSinc.h"

#include "kernels/evaluation/EvaluationArguments.h"

#include <type_traits>

/** \file
 * \brief The interpolation methods for which kernels are compiled.
 *
 * A method whose HasValues is true has Values(arguments, index, put), which calls put(component, value) for the
 * components at a continuous index inside the bounds. Others copy pixels unchanged: Store(arguments, index, at) stores
 * the output element \p at. Methods with derivatives also have Evaluate<VDerivatives>(arguments, index, jet). */

namespace itk::CudaSpline
{

/** \brief Calls \p run with the index in the type of ITK's interpolator, on which its roundings depend. */
template <unsigned int VDimension, typename TRun>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE auto
WithCoordinates(const double (&index)[VDimension], bool single, const TRun & run)
{
  if (single)
  {
    float singleIndex[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      singleIndex[d] = static_cast<float>(index[d]);
    }
    return run(singleIndex);
  }
  return run(index);
}

/** \brief Distance of adjacent samples along x (elements), which are contiguous on a device. */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                         SampleStrideOf(const EvaluationArguments<VDimension> & arguments)
{
#if defined(__CUDA_ARCH__)
  (void)arguments;
  return 1;
#else
  return arguments.sampleStride;
#endif
}

/** \brief Stores an unchanged sample, bitwise if the types are the same integer type.
 *
 * \p offset of the sample (samples); negative for the border value. */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
StoreSample(const EvaluationArguments<VDimension> & arguments, std::int64_t offset, std::int64_t at)
{
  if (arguments.components > 1)
  {
    for (int c = 0; c < arguments.components; ++c)
    {
      const std::int64_t element = offset * SampleStrideOf(arguments) + c * arguments.planeStride;
      const double       value =
        offset < 0 ? arguments.border : LoadScalar<double>(arguments.source, arguments.element, element);
      StoreScalar(arguments.output, arguments.outputType, at * arguments.components + c, value);
    }
    return;
  }
  if (offset < 0)
  {
    StoreScalar(arguments.output, arguments.outputType, at, arguments.border);
  }
  // ITK converts every pixel to double, which loses 64-bit labels above 2^53; its cast clamps float infinities.
  else if (arguments.element == arguments.outputType && !IsReal(arguments.element))
  {
    CopyBits(arguments.output, at, arguments.source, offset, SizeOf(arguments.element));
  }
  else
  {
    StoreScalar(
      arguments.output, arguments.outputType, at, LoadScalar<double>(arguments.source, arguments.element, offset));
  }
}

/** \brief Offset of the sample at the nearest index, folded; negative for the border value. */
struct NearestOffset
{
  template <unsigned int VDimension, typename TCoordinate>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE std::int64_t
  Of(const EvaluationArguments<VDimension> & arguments, const TCoordinate (&index)[VDimension])
  {
    std::int64_t offset = 0;
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      // Just below a half NearestIndex() may round up (as in ITK) to a sample beyond the last: with Extension::Nearest,
      // which is ITK's rule, the bound belongs to the last.
      const std::int64_t size = arguments.extent.size[d];
      const std::int64_t nearest =
        FoldIndex(NearestIndex(index[d]) - arguments.extent.start[d], size, arguments.extension[d]);
      offset += nearest < 0 ? OffsetOutside : nearest * stride;
      stride *= size;
    }
    return offset;
  }
};

/** \brief The pixel of the nearest index. */
struct NearestMethod
{
  /** Whether the method computes real values, which are then stored. */
  static constexpr bool HasValues = false;
  /** Whether values are sums over the supports of a basis, which Basis() returns. */
  static constexpr bool HasBasis = false;

  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Store(const EvaluationArguments<VDimension> & arguments, const double (&index)[VDimension], std::int64_t at)
  {
    const std::int64_t offset = WithCoordinates(
      index, arguments.singleCoordinates, [&arguments](const auto & x) { return NearestOffset::Of(arguments, x); });
    StoreSample(arguments, offset, at);
  }
};

/** \brief The source as a grid of real numbers. */
template <typename TElement, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE CoefficientGrid<VDimension, TElement>
                                         GridOf(const EvaluationArguments<VDimension> & arguments)
{
  CoefficientGrid<VDimension, TElement> grid;
  grid.data = static_cast<const TElement *>(arguments.source);
  grid.extent = arguments.extent;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    grid.extension[d] = arguments.extension[d];
  }
  grid.border = static_cast<TElement>(arguments.border);
  return grid;
}

/** \brief Linear interpolation of real samples. */
template <typename TReal>
struct LinearMethod
{
  static constexpr bool HasValues = true;
  static constexpr bool HasBasis = false;

  /** Type of the values. */
  using Real = TReal;

  template <unsigned int VDimension, typename TPut>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Values(const EvaluationArguments<VDimension> & arguments, const double (&index)[VDimension], const TPut & put)
  {
    bool itk = true; // between samples, and outside the border samples if these are continued
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const auto first = static_cast<double>(arguments.extent.start[d]);
      const auto last = static_cast<double>(arguments.extent.start[d] + arguments.extent.size[d] - 1);
      itk = itk && (arguments.extension[d] == Extension::Nearest ? index[d] < last + 1.0
                                                                 : index[d] >= first && index[d] <= last);
    }
    CoefficientGrid<VDimension, TReal> grid = GridOf<TReal>(arguments);
    for (int c = 0; c < arguments.components; ++c)
    {
      const TReal value = WithCoordinates(index, arguments.singleCoordinates, [&](const auto & x) {
        const std::int64_t stride = SampleStrideOf(arguments);
        return itk ? LinearValue(grid.data, grid.extent, x, stride) : LinearValueExtended(grid, x, stride);
      });
      put(c, value);
      grid.data += arguments.planeStride;
    }
  }
};

/** \brief The common base of SplineMethod and CubicConvolutionMethod: sums over the supports of a basis.
 *
 * \tparam TMethod has static Basis(arguments) */
template <typename TMethod, typename TReal>
struct BasisMethod
{
  static constexpr bool HasValues = true;
  static constexpr bool HasBasis = true;

  /** Type of the arithmetic and the values. */
  using Real = TReal;

  template <Derivatives VDerivatives, unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Evaluate(const EvaluationArguments<VDimension> & arguments,
           const double (&index)[VDimension],
           Jet<VDimension, TReal> & jet)
  {
    EvaluateOnGrid<VDerivatives>(TMethod::Basis(arguments), GridOf<TReal>(arguments), index, jet);
  }

  template <unsigned int VDimension, typename TPut>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Values(const EvaluationArguments<VDimension> & arguments, const double (&index)[VDimension], const TPut & put)
  {
    CoefficientGrid<VDimension, TReal> grid = GridOf<TReal>(arguments);
    const auto                         basis = TMethod::Basis(arguments);
    using Basis = std::decay_t<decltype(basis)>;
    const BasisSupport<Basis, VDimension, TReal>                     support(index, grid.extent);
    TensorWeights<VDimension, Basis::Taps, Derivatives::None, TReal> weights;
    FillWeights(basis, support.position, weights);
    Jet<VDimension, TReal> jet;
    for (int c = 0; c < arguments.components; ++c)
    {
      SumOverSupport(grid, support, weights, jet);
      put(c, jet.value);
      grid.data += arguments.planeStride;
    }
  }
};

/** \brief B-spline of one order from its coefficients, with the exact sum over the support. */
template <unsigned int VOrder, typename TReal>
struct SplineMethod : BasisMethod<SplineMethod<VOrder, TReal>, TReal>
{
  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE SplineBasis<VOrder>
                                                  Basis(const EvaluationArguments<VDimension> &)
  {
    return {};
  }
};

/** \brief Cubic convolution of the samples. */
template <typename TReal>
struct CubicConvolutionMethod : BasisMethod<CubicConvolutionMethod<TReal>, TReal>
{
  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE CubicConvolutionBasis
  Basis(const EvaluationArguments<VDimension> & arguments)
  {
    return { arguments.cubic };
  }
};

/** \brief Windowed sinc of the samples, in double. */
template <typename TReal>
struct SincMethod
{
  static constexpr bool HasValues = true;
  static constexpr bool HasBasis = false;

  /** Type of the values. */
  using Real = double;

  template <unsigned int VDimension, typename TPut>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Values(const EvaluationArguments<VDimension> & arguments, const double (&index)[VDimension], const TPut & put)
  {
    const TReal * data = static_cast<const TReal *>(arguments.source);
    for (int c = 0; c < arguments.components; ++c, data += arguments.planeStride)
    {
      const double value = WithCoordinates(index, arguments.singleCoordinates, [&](const auto & x) {
        const auto fold = [&arguments](std::int64_t sample, unsigned int axis) {
          return FoldIndex(sample, arguments.extent.size[axis], arguments.extension[axis]);
        };
        return WindowedSincValue(data, arguments.extent, x, arguments.radius, arguments.window, fold, arguments.border);
      });
      put(c, value);
    }
  }
};

/** \brief The label with the largest Gaussian weight. */
struct LabelGaussianMethod
{
  static constexpr bool HasValues = false;
  static constexpr bool HasBasis = false;

  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Store(const EvaluationArguments<VDimension> & arguments, const double (&index)[VDimension], std::int64_t at)
  {
    LabelGaussian<VDimension> rule;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      rule.sigma[d] = arguments.sigma[d];
      rule.cutOff[d] = arguments.cutOff[d];
    }
    const std::int64_t offset = WithCoordinates(index, arguments.singleCoordinates, [&](const auto & x) {
      return LabelGaussianWinner(rule, arguments.extent, x, LabelReader{ arguments.source, arguments.element });
    });
    if (offset < 0)
    {
      // For scalars: no weight is positive, and ITK returns 0.
      StoreScalar(arguments.output, arguments.outputType, at, 0.0);
    }
    else
    {
      StoreSample(arguments, offset, at);
    }
  }
};

/** \brief The method of an interpolation type, for a type of arithmetic. B-splines have one for each order:
 * SplineMethod. */
///@{
template <typename TType, typename TReal>
struct MethodOf;
template <typename TReal>
struct MethodOf<NearestInterpolation, TReal>
{
  using Type = NearestMethod;
};
template <typename TReal>
struct MethodOf<LinearInterpolation, TReal>
{
  using Type = LinearMethod<TReal>;
};
template <typename TReal>
struct MethodOf<CubicConvolutionInterpolation, TReal>
{
  using Type = CubicConvolutionMethod<TReal>;
};
template <typename TReal>
struct MethodOf<WindowedSincInterpolation, TReal>
{
  using Type = SincMethod<TReal>;
};
template <typename TReal>
struct MethodOf<LabelGaussianInterpolation, TReal>
{
  using Type = LabelGaussianMethod;
};
///@}

} // namespace itk::CudaSpline

#endif
