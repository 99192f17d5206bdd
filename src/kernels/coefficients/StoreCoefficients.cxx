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
#include "kernels/coefficients/StoreCoefficients.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"
#include "itkCudaSpline/math/TextureSpline.h"
#include "kernels/coefficients/CoefficientRows.h"
#include "kernels/coefficients/TextureLayout.h"

#include <mutex>
#include <new>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
/** Copies coefficients and extends them by a margin, as in a texture. */
void
AddMargins(const SourceDescriptor & descriptor,
           const float *            elements,
           float *                  texels,
           const ExecutionContext & context)
{
  const TextureLayout layout(descriptor);
  context.ParallelFor(layout.Rows(), [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
    {
      const float * const from = elements + layout.OffsetOfRow(row);
      float * const       to = texels + row * layout.texels[0];
      for (std::int64_t x = 0; x < layout.texels[0]; ++x)
      {
        to[x] = from[layout.Fold(0, x)];
      }
    }
  });
}

std::shared_ptr<void>
Allocate(std::size_t bytes)
{
  // Not a std::vector: it would write the elements twice, and this thread would touch every page first.
  return { ::operator new(bytes), [](void * memory) { ::operator delete(memory); } };
}

template <typename TStored>
void
Pack(const StorageScale &     scale,
     const float *            elements,
     std::int64_t             count,
     TStored *                packed,
     const ExecutionContext & context)
{
  context.ParallelFor(count, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
    {
      scale.Store(elements[i], packed[i]);
    }
  });
}
} // namespace

StorageScale
ScaleOf(const SourceDescriptor & descriptor, const CoefficientStatistics<float> & coefficients)
{
  if (descriptor.storage == CoefficientStorage::Half)
  {
    return ScaleOfHalves(coefficients);
  }
  if (coefficients.infinite > 0)
  {
    throw std::invalid_argument(std::to_string(coefficients.infinite) +
                                " coefficients are not finite and cannot be stored as 16-bit integers; use storage "
                                "Element or Half, which keep NaN and infinity.");
  }
  return ScaleOfIntegers(coefficients);
}

template <typename TReal>
CoefficientStatistics<TReal>
MeasureOnCpu(const SourceDescriptor & descriptor,
             const TReal *            elements,
             bool                     neighbours,
             const ExecutionContext & context)
{
  const CoefficientRows<TReal> rows(descriptor, elements, neighbours);
  CoefficientStatistics<TReal> all;
  std::mutex                   mutex;
  context.ParallelFor(rows.count, [&](std::int64_t begin, std::int64_t end) {
    CoefficientStatistics<TReal> part;
    for (std::int64_t piece = begin; piece < end; ++piece)
    {
      rows.AddPiece(piece, 0, 1, part);
    }
    const std::lock_guard<std::mutex> lock(mutex);
    all.Merge(part);
  });
  return all;
}

template CoefficientStatistics<float>
MeasureOnCpu(const SourceDescriptor &, const float *, bool, const ExecutionContext &);
template CoefficientStatistics<double>
MeasureOnCpu(const SourceDescriptor &, const double *, bool, const ExecutionContext &);

TextureContents
ContentsOf(const CoefficientStatistics<float> & coefficients, unsigned long long object, const void * table)
{
  TextureContents contents;
  contents.object = object;
  contents.table = table;
  contents.largest = coefficients.Largest();
  for (unsigned int d = 0; d < 3; ++d)
  {
    contents.difference[d] = static_cast<double>(coefficients.difference[d]);
  }
  return contents;
}

void
FillTable(const SourceDescriptor & descriptor, void * table)
{
  DispatchSplineOrder(descriptor.order, [&](auto order) {
    constexpr unsigned int VOrder = decltype(order)::value;
    if constexpr (VOrder >= 2)
    {
      FillPairedTable<VOrder>(static_cast<PairedTableEntry<FetchesOf(VOrder)> *>(table), descriptor.tableEntries);
    }
  });
}

std::shared_ptr<const SampleSource>
StoreOnCpu(const SourceDescriptor & descriptor, const float * elements, const ExecutionContext & context)
{
  const std::shared_ptr<void> stored = Allocate(descriptor.Bytes());
  if (descriptor.storage == CoefficientStorage::Texture)
  {
    AddMargins(descriptor, elements, static_cast<float *>(stored.get()), context);
    void * const table = static_cast<char *>(stored.get()) + descriptor.TexelBytes();
    const bool   hasTable = descriptor.TableBytes() > 0;
    if (hasTable)
    {
      FillTable(descriptor, table);
    }
    const auto statistics = MeasureOnCpu(descriptor, elements, true, context);
    return std::make_shared<SampleSource>(
      descriptor, Backend::Cpu, 0, stored, StorageScale(), ContentsOf(statistics, 0, hasTable ? table : nullptr));
  }
  const StorageScale scale = ScaleOf(descriptor, MeasureOnCpu(descriptor, elements, false, context));
  if (descriptor.storage == CoefficientStorage::Half)
  {
    Pack(scale, elements, descriptor.Elements(), static_cast<HalfCoefficient *>(stored.get()), context);
  }
  else
  {
    Pack(scale, elements, descriptor.Elements(), static_cast<Int16Coefficient *>(stored.get()), context);
  }
  return std::make_shared<SampleSource>(descriptor, Backend::Cpu, 0, stored, scale);
}

} // namespace itk::CudaSpline
