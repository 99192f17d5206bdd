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
#include "kernels/arrays/ArrayRun.h"
#include "kernels/coefficients/PrefilterBackends.h"

#include <algorithm>
#include <memory>

namespace itk::CudaSpline
{

namespace
{

/** Neighbours that are summed up together. */
constexpr std::int64_t PackLength = 32;

template <typename TReal>
struct Pack
{
  TReal lane[PackLength];
};

/** The host's threads, for ArrayRun.h. */
class ArrayBackend
{
public:
  static constexpr bool convertsInFilter = true;

  /** Memory that is not written before it is used. */
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
  Copy(const ArrayCopy & copy, TReal * to) const
  {
    this->ForElements(copy.output, [&copy, to](std::int64_t line, std::int64_t sample) {
      to[line * copy.output.Samples() + sample] = CopiedArrayElement<TReal>(copy, line, sample);
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
    // In place where that is possible.
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

  /** The sums of the axes one after the other take fewer operations. */
  template <typename TReal>
  bool
  EvaluateAtOnce(const ArrayArguments &) const
  {
    return false;
  }

private:
  /** Few long lines are cut as well as many short ones. */
  template <typename TBody>
  void
  ForElements(const ArrayShape & shape, const TBody & body) const
  {
    constexpr std::int64_t longest = 4096;
    const std::int64_t     samples = shape.Samples();
    const std::int64_t     parts = (samples + longest - 1) / longest;
    m_Context.ParallelFor(shape.Lines() * parts, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t part = begin; part < end; ++part)
      {
        const std::int64_t first = part % parts * longest;
        for (std::int64_t sample = first; sample < std::min(first + longest, samples); ++sample)
        {
          body(part / parts, sample);
        }
      }
    });
  }

  const ExecutionContext & m_Context;
};

/** The context of a call with so many elements: to start threads takes longer than to make a few thousand. */
ExecutionContext
ContextFor(std::int64_t elements, const ExecutionContext & context)
{
  constexpr std::int64_t few = 8192;
  ExecutionContext       own = context;
  own.host = elements < few ? nullptr : context.host;
  return own;
}

} // namespace

void
InterpolateArrayOnCpu(const ArrayInterpolation & interpolation, const ExecutionContext & context)
{
  const ExecutionContext own = ContextFor(std::max(interpolation.input.Count(), interpolation.output.Count()), context);
  ArrayBackend           backend(own);
  if (interpolation.element == ScalarType::Float32)
  {
    RunInterpolation<float>(backend, interpolation);
  }
  else
  {
    RunInterpolation<double>(backend, interpolation);
  }
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
