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
#include "kernels/arrays/ArrayGather.h"
#include "kernels/arrays/ArrayNearest.h"
#include "kernels/arrays/ArrayRun.h"
#include "kernels/arrays/ArrayWindows.h"
#include "kernels/coefficients/PrefilterBackends.h"

#include <algorithm>
#include <memory>

namespace itk::CudaSpline
{

namespace
{

/** Number of neighbours that are summed together. */
constexpr std::int64_t PackLength = 32;

template <typename TReal>
struct Pack
{
  TReal lane[PackLength];
};

/** The threads of the host as a backend of ArrayRun.h. */
class ArrayBackend
{
public:
  static constexpr bool convertsInFilter = true;

  /** Uninitialized memory. */
  template <typename T>
  class Buffer
  {
  public:
    Buffer() = default;
    explicit Buffer(std::int64_t count)
      : m_Data(count > 0 ? new T[static_cast<std::size_t>(count)] : nullptr)
    {}

    T *
    Data() const
    {
      return m_Data.get();
    }

  private:
    std::unique_ptr<T[]> m_Data;
  };

  explicit ArrayBackend(const ExecutionContext & context)
    : m_Context(context)
  {}

  template <typename T>
  Buffer<T>
  Allocate(std::int64_t count) const
  {
    return Buffer<T>(count);
  }

  template <typename TReal>
  void
  Copy(const ArrayCopy & copy, const StridedArray & array, TReal * to) const
  {
    if (array.IsPlain())
    {
      this->ForElements(copy.output, [&copy, to](std::int64_t line, std::int64_t sample) {
        to[line * copy.output.Samples() + sample] = CopiedArrayElement<TReal>(copy, line, sample);
      });
      return;
    }
    const ArrayReader reader(array);
    this->ForElements(copy.output, [&copy, &reader, to](std::int64_t line, std::int64_t sample) {
      to[line * copy.output.Samples() + sample] =
        CopiedArrayElement<TReal>(copy, line, sample, [&reader](std::int64_t offset) {
          TReal element;
          reader.Gather(&offset, 1, 0, &element);
          return element;
        });
    });
  }

  template <typename TReal>
  void
  Filter(const SourceDescriptor &             descriptor,
         unsigned int                         axis,
         ArrayElements<ArrayBackend, TReal> & elements,
         TReal *                              target) const
  {
    const void * const from = elements.view.data;
    if (elements.owned.Data() == nullptr && target == nullptr)
    {
      elements.owned = this->Allocate<TReal>(descriptor.Count());
    }
    // In place if possible.
    TReal * const to = elements.owned.Data() != nullptr ? elements.owned.Data() : target;
    if (axis == MaximumDimension)
    {
      PrefilterOnCpu(descriptor, from, to, m_Context);
    }
    else
    {
      PrefilterAxisOnCpu(descriptor, axis, from, to, m_Context);
    }
    elements.view.data = to;
    elements.view.type = descriptor.element;
  }

  template <typename TReal>
  void
  Store(const TReal * elements, const ArrayShape & shape, ScalarType type, void * output) const
  {
    this->ForElements(shape, [=](std::int64_t line, std::int64_t sample) {
      std::int64_t index[MaximumArrayDimension];
      shape.IndexOf(line, sample, index);
      StoreRounded(output, type, shape.OffsetOf(index), static_cast<double>(elements[line * shape.Samples() + sample]));
    });
  }

  template <typename TReal>
  void
  Fill(const ArrayAxis & axis, const ArrayAxisTable<TReal> & table) const
  {
    for (std::int64_t element = 0; element < axis.count; ++element)
    {
      FillArrayTable(axis, table, element);
    }
  }

  template <typename TReal>
  void
  Sum(const ArrayPass<TReal> & pass) const
  {
    m_Context.ParallelFor(pass.outer * pass.table.count, [&pass](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
      {
        std::int64_t i = 0;
        for (; i + PackLength <= pass.inner; i += PackLength)
        {
          SumAlongAxis<Pack<TReal>>(pass, row, i);
        }
        for (; i < pass.inner; ++i)
        {
          SumAlongAxis<TReal>(pass, row, i);
        }
      }
    });
  }

  template <typename TReal>
  void
  Evaluate(const ArrayCells<TReal> & cells) const
  {
    DispatchArrayCells(cells.taps, [&](auto taps) {
      this->ForElements(cells.output.shape, [&cells](std::int64_t line, std::int64_t sample) {
        EvaluateArrayCell<decltype(taps)::value>(cells, line, sample);
      });
    });
  }

  template <typename TReal>
  void
  Evaluate(ArrayArguments arguments) const
  {
    JoinLinesOfList(arguments);
    DispatchArrayKernel(arguments, [&](auto dimension, auto order) {
      this->ForElements(arguments.output.shape, [&arguments](std::int64_t line, std::int64_t sample) {
        EvaluateArrayElement<decltype(dimension)::value, decltype(order)::value, TReal>(arguments, line, sample);
      });
    });
  }

  /** Evaluates elements, with taps that are read from their original memory. */
  template <typename TReal>
  void
  Gather(ArrayArguments arguments, const StridedArray & source) const
  {
    JoinLinesOfList(arguments);
    if (NearestByAxes<TReal>::IsFor(arguments))
    {
      const NearestByAxes<TReal> nearest(arguments, source);
      this->ForParts(arguments.output.shape, [&nearest](std::int64_t line, std::int64_t first, std::int64_t last) {
        nearest.Write(line, first, last);
      });
      return;
    }
    const ArrayReader reader(source);
    const auto        run = [&](auto dimension, auto order) {
      this->ForParts(arguments.output.shape, [&](std::int64_t line, std::int64_t first, std::int64_t last) {
        GatherLine<decltype(dimension)::value, decltype(order)::value, TReal>(arguments, reader, line, first, last);
      });
    };
    using std::integral_constant;
    const auto withOrder = [&](auto dimension) {
      arguments.order == 0 ? run(dimension, integral_constant<unsigned int, 0>())
                           : run(dimension, integral_constant<unsigned int, 1>());
    };
    switch (arguments.order <= 1 ? arguments.dimension : 0)
    {
      case 1:
        withOrder(integral_constant<unsigned int, 1>());
        break;
      case 2:
        withOrder(integral_constant<unsigned int, 2>());
        break;
      case 3:
        withOrder(integral_constant<unsigned int, 3>());
        break;
      default:
        run(integral_constant<unsigned int, 0>(), integral_constant<unsigned int, 0>());
        break;
    }
  }

  /** Evaluates elements with given numbers. */
  template <typename TReal>
  void
  EvaluateSome(const ArrayArguments & arguments, const std::vector<std::int64_t> & elements) const
  {
    const std::int64_t samples = arguments.output.shape.Samples();
    DispatchArrayKernel(arguments, [&](auto dimension, auto order) {
      m_Context.ParallelFor(static_cast<std::int64_t>(elements.size()), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
        {
          const std::int64_t number = elements[static_cast<std::size_t>(i)];
          EvaluateArrayElement<decltype(dimension)::value, decltype(order)::value, TReal>(
            arguments, number / samples, number % samples);
        }
      });
    });
  }

  /** Returns whether sums along one axis after the other need fewer operations. */
  template <typename TReal>
  bool
  EvaluateAllAxes(const ArrayArguments &) const
  {
    return false;
  }

private:
  /** Calls \p body with parts of lines. A few long lines are divided as well as many short ones. */
  template <typename TBody>
  void
  ForParts(const ArrayShape & shape, const TBody & body) const
  {
    constexpr std::int64_t longest = 4096;
    const std::int64_t     samples = shape.Samples();
    const std::int64_t     parts = (samples + longest - 1) / longest;
    m_Context.ParallelFor(shape.Lines() * parts, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t part = begin; part < end; ++part)
      {
        const std::int64_t first = part % parts * longest;
        body(part / parts, first, std::min(first + longest, samples));
      }
    });
  }

  template <typename TBody>
  void
  ForElements(const ArrayShape & shape, const TBody & body) const
  {
    this->ForParts(shape, [&](std::int64_t line, std::int64_t first, std::int64_t last) {
      for (std::int64_t sample = first; sample < last; ++sample)
      {
        body(line, sample);
      }
    });
  }

  const ExecutionContext & m_Context;
};

/** Returns the context for a number of elements. Starting threads takes longer than computing a few thousand elements.
 */
ExecutionContext
ContextFor(std::int64_t elements, const ExecutionContext & context)
{
  constexpr std::int64_t few = 8192;
  ExecutionContext       own = context;
  own.host = elements < few ? nullptr : context.host;
  return own;
}

/** Filters the samples that few elements read, and evaluates these elements, window by window. Returns false if this is
 * the whole array. */
template <typename TReal>
bool
RunWindows(ArrayBackend & backend, const ArrayInterpolation & interpolation)
{
  const bool   isPadded = IsPadded(interpolation.mode);
  const double padding = isPadded ? static_cast<double>(ArrayPadding) : 0.0;
  StridedArray whole = interpolation.input; // with padding, but never allocated
  for (unsigned int d = 0; d < whole.dimension; ++d)
  {
    whole.size[d] += isPadded ? 2 * ArrayPadding : 0;
  }
  ArrayArguments                 arguments = ArgumentsOf(interpolation, whole, padding);
  const std::vector<ArrayWindow> windows = FindArrayWindows(interpolation, arguments);
  for (const ArrayWindow & window : windows)
  {
    StridedArray::Numbers first = window.first;
    for (unsigned int d = 0; d < whole.dimension; ++d)
    {
      first[d] -= isPadded ? ArrayPadding : 0;
    }
    auto                                    elements = CopyBox<TReal>(backend,
                                   interpolation.input,
                                   first,
                                   window.size,
                                   interpolation.mode == ArrayMode::GridConstant,
                                   interpolation.padding);
    std::array<bool, MaximumArrayDimension> axes;
    axes.fill(true);
    FilterElements(backend, elements, axes, interpolation.order, FilterExtensionOf(interpolation.mode));
    // Start of the whole array in virtual memory: positions in the window are then positions in the whole array.
    std::int64_t offset = 0;
    for (unsigned int d = 0; d < whole.dimension; ++d)
    {
      offset += window.first[d] * elements.view.stride[d];
      arguments.stride[whole.dimension - 1 - d] = elements.view.stride[d];
    }
    arguments.source = reinterpret_cast<const void *>(reinterpret_cast<std::uintptr_t>(elements.view.data) -
                                                      static_cast<std::uintptr_t>(offset) * sizeof(TReal));
    backend.EvaluateSome<TReal>(arguments, window.elements);
  }
  return !windows.empty();
}

/** InterpolateArrayOnCpu() for the type of its elements. */
template <typename TReal>
void
RunOnHost(const ArrayInterpolation & interpolation, const ExecutionContext & context)
{
  const StridedArray & input = interpolation.input;
  const std::int64_t   outputs = interpolation.output.Count();
  ArrayBackend         backend(context);
  bool                 isBatch = false;
  std::int64_t         taps = 1;
  for (unsigned int d = 0; d < input.dimension; ++d)
  {
    isBatch = isBatch || interpolation.isBatch[d];
    taps *= interpolation.order + 1;
  }
  if (interpolation.prefilter && interpolation.order >= 2)
  {
    if (isBatch || !HasFewElements(interpolation) || !RunWindows<TReal>(backend, interpolation))
    {
      RunInterpolation<TReal>(backend, interpolation);
    }
    return;
  }
  // Coefficients are converted first if the number of reads is larger than their number.
  const bool isCopied = interpolation.order >= 2 && outputs * taps > input.Count();
  if (interpolation.order <= 1 || !(isCopied || CanReadOriginal<TReal>(interpolation, GoesByAxes(interpolation.map))))
  {
    backend.Gather<TReal>(ArgumentsOf(interpolation, input, 0.0), input);
    return;
  }
  RunInterpolation<TReal>(backend, interpolation);
}

} // namespace

void
InterpolateArrayOnCpu(const ArrayInterpolation & interpolation, const ExecutionContext & context)
{
  const std::int64_t     outputs = interpolation.output.Count();
  const bool             isFiltered = interpolation.prefilter && interpolation.order >= 2;
  const ExecutionContext own =
    ContextFor(isFiltered ? std::max(interpolation.input.Count(), outputs) : outputs, context);
  (interpolation.element == ScalarType::Float32 ? RunOnHost<float> : RunOnHost<double>)(interpolation, own);
}

void
FilterArrayOnCpu(const ArrayFilter & filter, const ExecutionContext & context)
{
  const ExecutionContext own = ContextFor(filter.input.Count(), context);
  ArrayBackend           backend(own);
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
