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
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include "kernels/arrays/ArrayDirect.cuh"
#include "kernels/arrays/ArrayKernels.cuh"
#include "kernels/arrays/ArrayLaunchers.h"
#include "kernels/arrays/ArrayRun.h"
#include "kernels/coefficients/LineFilterCuda.h"

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

/** The current device as a backend of ArrayRun.h. All work is in one stream. */
class ArrayBackend
{
public:
  static constexpr bool convertsInFilter = false;

  template <typename T>
  class Buffer
  {
  public:
    Buffer() = default;
    Buffer(std::int64_t count, const Stream & stream)
      : m_Buffer(static_cast<std::size_t>(count) * sizeof(T), stream)
    {}

    T *
    Data() const
    {
      return static_cast<T *>(m_Buffer.Data());
    }

  private:
    DeviceBuffer m_Buffer;
  };

  explicit ArrayBackend(const Stream & stream)
    : m_Stream(stream)
  {}

  template <typename T>
  Buffer<T>
  Allocate(std::int64_t count) const
  {
    return Buffer<T>(count, m_Stream);
  }

  template <typename TReal>
  void
  Copy(const ArrayCopy & copy, const StridedArray &, TReal * to) const
  {
    if (copy.type == ScalarTypeOf<TReal>() && IsPlain(copy))
    {
      const auto bytes = static_cast<std::size_t>(copy.output.Lines() * copy.output.Samples()) * sizeof(TReal);
      CheckCuda(cudaMemcpyAsync(to, copy.source, bytes, cudaMemcpyDeviceToDevice, m_Stream.Get()), "cudaMemcpyAsync");
      return;
    }
    const ArrayTiles tiles(copy.output, false);
    ArrayCopyKernel<TReal><<<tiles.Blocks(), ArrayThreads, 0, m_Stream.Get()>>>(copy, to, tiles);
    CheckCuda(cudaGetLastError(), "ArrayCopyKernel");
  }

  template <typename TReal>
  void
  Filter(const SourceDescriptor &             descriptor,
         unsigned int                         axis,
         ArrayElements<ArrayBackend, TReal> & elements,
         TReal *                              target) const
  {
    const TReal * const from = static_cast<const TReal *>(elements.view.data);
    TReal * const       own = elements.owned.Data(); // may be overwritten; if it exists, it is the input
    const int           passes = axis == MaximumDimension ? PrefilterPasses<TReal>(descriptor) : 1;
    auto                made = this->Allocate<TReal>(target != nullptr ? 0 : descriptor.Count());
    auto                between = this->Allocate<TReal>(passes > 1 && own == nullptr ? descriptor.Count() : 0);
    TReal * const       to = target != nullptr ? target : made.Data();
    if (axis != MaximumDimension)
    {
      LaunchAxisPrefilter(descriptor, axis, from, to, m_Stream);
    }
    else if (passes % 2 == 0 && own != nullptr)
    {
      LaunchPrefilterTo(descriptor, from, own, to, m_Stream);
      return; // the result is in the original memory
    }
    else
    {
      LaunchPrefilterTo(descriptor, from, to, own != nullptr ? own : between.Data(), m_Stream);
    }
    elements.owned = std::move(made);
    elements.view.data = to;
  }

  template <typename TReal>
  void
  Store(const TReal * elements, const ArrayShape & shape, ScalarType type, void * output) const
  {
    const ArrayTiles tiles(shape, false);
    ArrayStoreKernel<TReal><<<tiles.Blocks(), ArrayThreads, 0, m_Stream.Get()>>>(elements, shape, type, output, tiles);
    CheckCuda(cudaGetLastError(), "ArrayStoreKernel");
  }

  template <typename TReal>
  void
  Fill(const ArrayAxis & axis, const ArrayAxisTable<TReal> & table) const
  {
    ArrayTableKernel<TReal><<<BlocksOf(axis.count), ArrayThreads, 0, m_Stream.Get()>>>(axis, table);
    CheckCuda(cudaGetLastError(), "ArrayTableKernel");
  }

  template <typename TReal>
  void
  Sum(const ArrayPass<TReal> & pass) const
  {
    using Vector = std::conditional_t<sizeof(TReal) == 4, float4, double2>;
    constexpr std::int64_t width = sizeof(Vector) / sizeof(TReal);
    const std::int64_t     count = pass.outer * pass.table.count * pass.inner;
    // The output is allocated by this class and aligned; the source may be the caller's.
    if (pass.inner % width == 0 && reinterpret_cast<std::uintptr_t>(pass.source) % sizeof(Vector) == 0)
    {
      ArrayAxisKernel<Vector><<<BlocksOf(count / width), ArrayThreads, 0, m_Stream.Get()>>>(pass, count / width);
    }
    else
    {
      ArrayAxisKernel<TReal><<<BlocksOf(count), ArrayThreads, 0, m_Stream.Get()>>>(pass, count);
    }
    CheckCuda(cudaGetLastError(), "ArrayAxisKernel");
  }

  template <typename TReal>
  void
  Evaluate(const ArrayCells<TReal> & cells) const
  {
    const ArrayTiles tiles(cells.output.shape, false);
    DispatchArrayCells(cells.taps, [&](auto taps) {
      ArrayCellKernel<decltype(taps)::value><<<tiles.Blocks(), ArrayThreads, 0, m_Stream.Get()>>>(cells, tiles);
    });
    CheckCuda(cudaGetLastError(), "ArrayCellKernel");
  }

  template <typename TReal>
  void
  Evaluate(ArrayArguments arguments) const
  {
    constexpr double fewRows = 3.0; // below it, a tile gains less for two taps per axis than it costs
    if constexpr (std::is_same_v<TReal, float>)
    {
      if ((arguments.order > 1 || CrossedRows(arguments) > fewRows) && LaunchArrayTiles(arguments, m_Stream))
      {
        return;
      }
    }
    if (LaunchArrayBricks(arguments, ScalarTypeOf<TReal>(), m_Stream))
    {
      return;
    }
    JoinLinesOfList(arguments);
    if (!this->EvaluateDirectly<TReal>(arguments))
    {
      const ArrayTiles tiles(arguments.output.shape, false);
      ArrayPointKernel<TReal><<<tiles.Blocks(), ArrayThreads, 0, m_Stream.Get()>>>(arguments, tiles);
      CheckCuda(cudaGetLastError(), "ArrayPointKernel");
    }
  }

  /** Returns whether few taps, or those of a plane, are summed faster than memory is read for each axis. */
  template <typename TReal>
  bool
  EvaluateAllAxes(const ArrayArguments & arguments) const
  {
    for (unsigned int d = 0; d < arguments.dimension; ++d)
    {
      if (arguments.size[d] < 4 * (arguments.order + 1)) // most supports extend beyond an edge
      {
        return false;
      }
    }
    if (arguments.order <= 1 || arguments.dimension == 2)
    {
      return this->EvaluateDirectly<TReal>(arguments);
    }
    if constexpr (std::is_same_v<TReal, float>)
    {
      return LaunchArrayTiles(arguments, m_Stream);
    }
    return false;
  }

private:
  /** Returns whether input and output are the same elements in the same order. */
  static bool
  IsPlain(const ArrayCopy & copy)
  {
    bool         isPlain = true;
    std::int64_t next = 1;
    for (unsigned int d = copy.input.dimension; d-- > 0; next *= copy.input.size[d])
    {
      isPlain = isPlain && copy.first[d] == 0 && copy.output.size[d] == copy.input.size[d] &&
                (copy.input.size[d] == 1 || copy.input.stride[d] == next);
    }
    return isPlain;
  }

  /** Enqueues ArrayDirectKernel.
   *
   * \return whether the kernel can be used */
  template <typename TReal>
  bool
  EvaluateDirectly(const ArrayArguments & arguments) const
  {
    const auto launch = [&](auto dimension) {
      constexpr unsigned int VDimension = decltype(dimension)::value;
      if (!ArrayDirect<VDimension>::CanEvaluate(arguments))
      {
        return false;
      }
      constexpr double              manyRows = 6.0; // from here on, square warps are faster
      const ArrayDirect<VDimension> direct(arguments);
      const ArrayTiles              tiles(arguments.output.shape, CrossedRows(arguments) > manyRows, MaxDirectSamples);
      DispatchSplineOrder(arguments.order, [&](auto order) {
        ArrayDirectKernel<VDimension, decltype(order)::value, TReal>
          <<<tiles.Blocks(), ArrayThreads, 0, m_Stream.Get()>>>(arguments, direct, tiles);
      });
      CheckCuda(cudaGetLastError(), "ArrayDirectKernel");
      return true;
    };
    return arguments.dimension == 2 ? launch(std::integral_constant<unsigned int, 2>())
                                    : launch(std::integral_constant<unsigned int, 3>());
  }

  /** Returns the number of rows of the source that the elements of a warp need along a line of an affine output. */
  static double
  CrossedRows(const ArrayArguments & arguments)
  {
    const ArrayShape & shape = arguments.output.shape;
    if (arguments.map != ArrayMap::Affine || shape.dimension < 2 || shape.size[shape.dimension - 2] < 4)
    {
      return 0.0;
    }
    double rows = 0.0;
    for (unsigned int axis = 1; axis < arguments.dimension; ++axis)
    {
      rows += std::abs(arguments.matrix[axis][shape.dimension - 1]) * 32.0;
    }
    return rows;
  }

  const Stream & m_Stream;
};

} // namespace

void
InterpolateArrayOnCuda(const ArrayInterpolation & interpolation, const ExecutionContext & context)
{
  const DeviceScope scope(context.device);
  const Stream      stream = Stream::Of(static_cast<StreamHandle>(interpolation.place.stream));
  ArrayBackend      backend(stream);
  if (interpolation.element == ScalarType::Float32)
  {
    RunInterpolation<float>(backend, interpolation);
  }
  else
  {
    RunInterpolation<double>(backend, interpolation);
  }
  stream.SynchronizeIfDefault();
}

void
FilterArrayOnCuda(const ArrayFilter & filter, const ExecutionContext & context)
{
  const DeviceScope scope(context.device);
  const Stream      stream = Stream::Of(static_cast<StreamHandle>(filter.place.stream));
  ArrayBackend      backend(stream);
  if (filter.element == ScalarType::Float32)
  {
    RunFilter<float>(backend, filter);
  }
  else
  {
    RunFilter<double>(backend, filter);
  }
}

} // namespace itk::CudaSpline
