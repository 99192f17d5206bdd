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
#include "itkCudaSpline/math/LineRecursion.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include "kernels/LinePack.h"
#include "kernels/PrefilterBackends.h"

#include <algorithm>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

/** Lines that are filtered together: 64 bytes, a cache line, of each sample row. */
template <typename TReal>
inline constexpr int PackedLines = static_cast<int>(64 / sizeof(TReal));

/** Filters \p count neighbouring lines, count <= PackedLines, in \p line: one pack a sample, replaced by the
 * coefficients. */
template <unsigned int VOrder, typename TReal>
void
FilterPackedLines(std::vector<LinePack<TReal, PackedLines<TReal>>> & line,
                  std::vector<LinePack<TReal, PackedLines<TReal>>> & filtered,
                  Extension                                          extension)
{
  using Pack = LinePack<TReal, PackedLines<TReal>>;
  const auto length = static_cast<std::int64_t>(line.size());
  const auto load = [&line, length, extension](std::int64_t n) -> const Pack & {
    return line[static_cast<std::size_t>(FoldIndex(n, length, extension))];
  };
  for (std::int64_t begin = 0; begin < length; begin += LineSegmentLength)
  {
    FilterSegment<VOrder, TReal, Pack>(begin, load, [&filtered, length, begin](int k, const Pack & coefficient) {
      if (begin + k < length)
      {
        filtered[static_cast<std::size_t>(begin + k)] = coefficient;
      }
    });
  }
  line.swap(filtered);
}

/** Filters all lines of one axis, in place. */
template <unsigned int VOrder, typename TReal>
void
FilterAxis(TReal * data, const AxisView & view, Extension extension, const ExecutionContext & context)
{
  constexpr std::int64_t pack = PackedLines<TReal>;
  using Pack = LinePack<TReal, PackedLines<TReal>>;
  // Packs of neighbouring lines: along a slower axis they are neighbours in memory, along x they are consecutive rows.
  const bool         alongX = view.inner == 1;
  const std::int64_t across = alongX ? view.outer : view.inner;
  const std::int64_t packs = (across + pack - 1) / pack;
  const std::int64_t groups = alongX ? 1 : view.outer;
  context.ParallelFor(packs * groups, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Pack> line(static_cast<std::size_t>(view.length), Pack{});
    std::vector<Pack> filtered(static_cast<std::size_t>(view.length), Pack{});
    for (std::int64_t item = begin; item < end; ++item)
    {
      const std::int64_t first = item % packs * pack;
      const int          count = static_cast<int>(std::min(pack, across - first));
      TReal * const      corner =
        alongX ? data + first * view.length : data + item / packs * view.length * view.inner + first;
      const std::int64_t lineStride = alongX ? view.length : 1;
      for (std::int64_t n = 0; n < view.length; ++n)
      {
        for (int i = 0; i < count; ++i)
        {
          line[static_cast<std::size_t>(n)].lane[i] = corner[n * view.inner + i * lineStride];
        }
      }
      FilterPackedLines<VOrder, TReal>(line, filtered, extension);
      for (std::int64_t n = 0; n < view.length; ++n)
      {
        for (int i = 0; i < count; ++i)
        {
          corner[n * view.inner + i * lineStride] = line[static_cast<std::size_t>(n)].lane[i];
        }
      }
    }
  });
}

template <typename TReal>
void
PrefilterAs(const SourceDescriptor & descriptor,
            const void *             pixels,
            TReal *                  coefficients,
            const ExecutionContext & context)
{
  if (pixels != coefficients)
  {
    context.ParallelFor(descriptor.Count(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
      {
        coefficients[i] = LoadScalar<TReal>(pixels, descriptor.pixel, i);
      }
    });
  }
  if (descriptor.order < 2)
  {
    return;
  }
  for (unsigned int axis = 0; axis < descriptor.dimension; ++axis)
  {
    context.Report(static_cast<double>(axis) / descriptor.dimension);
    if (descriptor.size[axis] > 1)
    {
      DispatchSplineOrder(descriptor.order, [&](auto order) {
        if constexpr (SplinePoles<decltype(order)::value>::Count > 0)
        {
          FilterAxis<decltype(order)::value>(
            coefficients, ViewAxis(descriptor, axis), descriptor.extension[axis], context);
        }
      });
    }
  }
}

} // namespace

void
PrefilterOnCpu(const SourceDescriptor & descriptor,
               const void *             pixels,
               void *                   coefficients,
               const ExecutionContext & context)
{
  if (descriptor.element == ScalarType::Float32)
  {
    PrefilterAs(descriptor, pixels, static_cast<float *>(coefficients), context);
  }
  else if (descriptor.element == ScalarType::Float64)
  {
    PrefilterAs(descriptor, pixels, static_cast<double *>(coefficients), context);
  }
  else
  {
    const std::size_t bytes = SizeOf(descriptor.element);
    context.ParallelFor(descriptor.Count(), [&](std::int64_t begin, std::int64_t end) {
      std::copy(static_cast<const char *>(pixels) + begin * static_cast<std::int64_t>(bytes),
                static_cast<const char *>(pixels) + end * static_cast<std::int64_t>(bytes),
                static_cast<char *>(coefficients) + begin * static_cast<std::int64_t>(bytes));
    });
  }
  context.Report(1.0);
}

} // namespace itk::CudaSpline
