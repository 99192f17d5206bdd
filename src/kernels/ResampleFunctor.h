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
#ifndef ResampleFunctor_h
#define ResampleFunctor_h

#include "itkCudaSpline/kernels/Resample.h"
#include "itkCudaSpline/math/LinearEvaluation.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "itkCudaSpline/math/SplineEvaluation.h"

namespace itk::CudaSpline
{

/** \brief What a resampling kernel reads: the descriptor and the source, with the dimension fixed. Passed by value. */
template <unsigned int VDimension>
struct ResampleArguments
{
  const void *                     source; ///< first element, host or device
  ScalarType                       element;
  GridExtent<VDimension>           extent;
  Extension                        extension[VDimension];
  const ScanlineEnds<VDimension> * ends; ///< of the first scanline of the slab, host or device
  double                           lower[VDimension];
  double                           upper[VDimension];
  double                           lineLength;
  std::int64_t                     lineOffset;
  std::int64_t                     samples; ///< output samples a scanline
  void *                           output;  ///< first sample of the slab, host or device
  ScalarType                       outputType;
  std::uint64_t                    defaultPixel;
  bool                             singleCoordinates;
};

/** \brief Calls \p run with the index in the type of ITK's interpolator: its roundings depend on it. */
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

/** \brief Offset of the pixel at the nearest index, which is always within the extent. */
struct NearestOffset
{
  template <unsigned int VDimension, typename TCoordinate>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE std::int64_t
  Of(const GridExtent<VDimension> & extent, const TCoordinate (&index)[VDimension])
  {
    std::int64_t offset = 0;
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      // Just below a half NearestIndex() may round up (as ITK's does) to a sample beyond the last: the bound belongs to
      // the last.
      const std::int64_t last = extent.size[d] - 1;
      const std::int64_t nearest = NearestIndex(index[d]) - extent.start[d];
      offset += (nearest < 0 ? 0 : (nearest > last ? last : nearest)) * stride;
      stride *= extent.size[d];
    }
    return offset;
  }
};

/** \name Interpolation methods
 * Evaluate(arguments, index, at) stores the output pixel of a continuous index that is inside of the buffer. */
///@{

/** \brief The pixel of the nearest index: its bits move where the types are the same integer. */
struct NearestMethod
{
  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Evaluate(const ResampleArguments<VDimension> & arguments, const double (&index)[VDimension], std::int64_t at)
  {
    const std::int64_t offset = WithCoordinates(index, arguments.singleCoordinates, [&arguments](const auto & x) {
      return NearestOffset::Of(arguments.extent, x);
    });
    // ITK passes every pixel through a double, in which 64-bit labels above 2^53 are lost; float infinities are clamped
    // by its cast.
    if (arguments.element == arguments.outputType && !IsReal(arguments.element))
    {
      CopyBits(arguments.output, at, arguments.source, offset, SizeOf(arguments.element));
    }
    else
    {
      StoreScalar(
        arguments.output, arguments.outputType, at, LoadScalar<double>(arguments.source, arguments.element, offset));
    }
  }
};

/** \brief Linear interpolation of real samples. */
template <typename TReal>
struct LinearMethod
{
  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Evaluate(const ResampleArguments<VDimension> & arguments, const double (&index)[VDimension], std::int64_t at)
  {
    const TReal value = WithCoordinates(index, arguments.singleCoordinates, [&arguments](const auto & x) {
      return LinearValue(static_cast<const TReal *>(arguments.source), arguments.extent, x);
    });
    StoreScalar(arguments.output, arguments.outputType, at, value);
  }
};

/** \brief B-spline of one order from its coefficients, by the exact sum over the support. */
template <unsigned int VOrder, typename TReal>
struct SplineMethod
{
  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Evaluate(const ResampleArguments<VDimension> & arguments, const double (&index)[VDimension], std::int64_t at)
  {
    CoefficientGrid<VDimension, TReal> grid;
    grid.data = static_cast<const TReal *>(arguments.source);
    grid.extent = arguments.extent;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      grid.extension[d] = arguments.extension[d];
    }
    StoreScalar(arguments.output, arguments.outputType, at, SplineValue<VOrder, TReal>(grid, index));
  }
};
///@}

/** \brief The body of every resampling kernel: one output sample, from its place on the scanline to its pixel.
 *
 * \param[in] line scanline of the slab, \param[in] sample wanted sample of the scanline */
template <typename TMethod, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
ResampleSample(const ResampleArguments<VDimension> & arguments, std::int64_t line, std::int64_t sample)
{
  double index[VDimension];
  if (arguments.singleCoordinates)
  {
    arguments.ends[line].template At<float>(arguments.lineOffset + sample, arguments.lineLength, index);
  }
  else
  {
    arguments.ends[line].template At<double>(arguments.lineOffset + sample, arguments.lineLength, index);
  }
  const std::int64_t at = line * arguments.samples + sample;
  bool               inside = true;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    // Written so that NaN is outside.
    inside = inside && index[d] >= arguments.lower[d] && index[d] < arguments.upper[d];
  }
  if (inside)
  {
    TMethod::Evaluate(arguments, index, at);
  }
  else
  {
    StoreBits(arguments.output, at, arguments.defaultPixel, SizeOf(arguments.outputType));
  }
}

/** \brief The arguments of a whole resampling, but for the pointers that differ by backend and slab. */
template <unsigned int VDimension>
ResampleArguments<VDimension>
MakeResampleArguments(const ResampleDescriptor & descriptor, const SampleSource & source)
{
  const SourceDescriptor &      samples = source.GetDescriptor();
  ResampleArguments<VDimension> arguments{};
  arguments.source = source.GetData();
  arguments.element = samples.element;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    arguments.extent.start[d] = samples.start[d];
    arguments.extent.size[d] = samples.size[d];
    arguments.extension[d] = samples.extension[d];
    arguments.lower[d] = descriptor.lower[d];
    arguments.upper[d] = descriptor.upper[d];
  }
  arguments.lineLength = static_cast<double>(descriptor.lineLength);
  arguments.lineOffset = descriptor.lineOffset;
  arguments.samples = descriptor.samples;
  arguments.outputType = descriptor.output;
  arguments.defaultPixel = descriptor.defaultPixel;
  arguments.singleCoordinates = descriptor.singleCoordinates;
  return arguments;
}

} // namespace itk::CudaSpline

#endif
