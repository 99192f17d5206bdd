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
#include "BenchmarkCell.h"

#include "itkCudaSpline/device/Device.h"

#include <cstring>
#include <random>
#include <vector>

using namespace itk::CudaSpline;

namespace
{
/** Uniform values in [-1000, 1000). They are the same for a cell in every run. */
template <typename T>
std::vector<char>
RandomPixels(std::int64_t count)
{
  std::vector<char>                 bytes(static_cast<std::size_t>(count) * sizeof(T));
  std::mt19937_64                   generator(12345);
  std::uniform_real_distribution<T> distribution(T(-1000), T(1000));
  for (std::int64_t i = 0; i < count; ++i)
  {
    const T value = distribution(generator);
    std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
  }
  return bytes;
}

} // namespace

std::int64_t
Cell::Lines() const
{
  return dimension == 3 ? size * size : size;
}

std::int64_t
Cell::Bytes() const
{
  return size * this->Lines() * static_cast<std::int64_t>(SizeOf(type));
}

std::string
Cell::Axes() const
{
  return std::string("/backend:") + (backend == Backend::Cuda ? "cuda" : "cpu") +
         "/dimension:" + std::to_string(dimension) + "/size:" + std::to_string(size) +
         "/precision:" + (type == ScalarType::Float32 ? "single" : "double");
}

std::string
Cell::FilterAxes() const
{
  const std::string name = "/order:" + std::to_string(order) + "/mode:";
  switch (method.kind)
  {
    case PrefilterMethod::Kind::Fir:
      return name + "fir/taps:" + std::to_string(method.taps);
    case PrefilterMethod::Kind::ItkHorizon:
      return name + "itk-horizon";
    default:
      return name + "exact";
  }
}

const void *
PixelsOf(const Cell & cell)
{
  static std::vector<char> pixels;
  static std::string       key;
  const std::string        wanted = std::to_string(cell.size * cell.Lines()) + NameOf(cell.type);
  if (key != wanted)
  {
    key = wanted;
    pixels = std::vector<char>(); // freed before the next ones are allocated: both may not fit into memory
    pixels = cell.type == ScalarType::Float32 ? RandomPixels<float>(cell.size * cell.Lines())
                                              : RandomPixels<double>(cell.size * cell.Lines());
  }
  return pixels.data();
}

SourceDescriptor
SourceOf(const Cell & cell)
{
  SourceDescriptor source;
  source.dimension = cell.dimension;
  for (unsigned int d = 0; d < cell.dimension; ++d)
  {
    source.size[d] = cell.size;
  }
  source.pixel = cell.type;
  source.element = cell.type;
  source.order = cell.interpolation == Interpolation::BSpline ? cell.order : 0;
  source.method = cell.method;
  return source;
}

ExecutionContext
ContextOf(const Cell & cell)
{
  static const ThreadExecutor threads;
  ExecutionContext            context;
  context.backend = cell.backend;
  context.host = &threads;
  if (cell.backend == Backend::Cuda)
  {
    context.device = SelectDevice().device;
  }
  return context;
}

void
Declare(benchmark::State & state, std::int64_t read, std::int64_t written)
{
  using benchmark::Counter;
  state.counters["read"] = Counter(static_cast<double>(read), Counter::kDefaults, Counter::kIs1024);
  state.counters["written"] = Counter(static_cast<double>(written), Counter::kDefaults, Counter::kIs1024);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * (read + written));
}

void
DeclareCopies(benchmark::State & state, double seconds, double copySeconds)
{
  state.counters["copy_ms"] = 1000.0 * copySeconds;
  state.counters["copies"] = seconds / copySeconds;
  state.counters["percent_of_copy"] = 100.0 * copySeconds / seconds;
}
