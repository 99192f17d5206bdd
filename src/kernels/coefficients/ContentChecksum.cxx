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
#include "itkCudaSpline/kernels/coefficients/ContentChecksum.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

/** Bytes of a part that has its own checksum. The checksums of the parts are combined in order. */
constexpr std::size_t PartBytes = std::size_t(1) << 20;

/** Independent lanes, so that multiplications overlap. */
constexpr std::size_t Lanes = 4;

/** Odd, so that multiplication permutes the 64-bit words: 2^64 divided by the golden ratio. */
constexpr std::uint64_t Multiplier = 0x9E3779B97F4A7C15ULL;

/** Another odd number without a pattern: the first digits of the binary fraction of pi. */
constexpr std::uint64_t SecondMultiplier = 0x243F6A8885A308D3ULL;

/** One step. For a given state it is a permutation of the word, and for a given word a permutation of the state. */
std::uint64_t
Mix(std::uint64_t state, std::uint64_t word)
{
  // Two rounds: after one round, the highest bits of a word affect only two bits of the state, and a second change
  // could cancel the first one.
  state = (state ^ word) * Multiplier;
  state = (state ^ (state >> 29)) * SecondMultiplier;
  return state ^ (state >> 32);
}

std::uint64_t
PartChecksum(const unsigned char * data, std::size_t bytes)
{
  std::uint64_t     lane[Lanes] = { 1, 2, 3, 4 };
  const std::size_t step = Lanes * sizeof(std::uint64_t);
  std::size_t       at = 0;
  for (; at + step <= bytes; at += step)
  {
    for (std::size_t i = 0; i < Lanes; ++i)
    {
      std::uint64_t word = 0;
      std::memcpy(&word, data + at + i * sizeof(word), sizeof(word));
      lane[i] = Mix(lane[i], word);
    }
  }
  std::uint64_t sum = bytes;
  for (; at < bytes; at += sizeof(std::uint64_t))
  {
    std::uint64_t word = 0;
    std::memcpy(&word, data + at, std::min(sizeof(word), bytes - at));
    sum = Mix(sum, word);
  }
  for (const std::uint64_t value : lane)
  {
    sum = Mix(sum, value);
  }
  return sum;
}

} // namespace

std::uint64_t
ContentChecksum(const void * data, std::size_t bytes, const ExecutionContext & context)
{
  const auto * const         first = static_cast<const unsigned char *>(data);
  std::vector<std::uint64_t> parts((bytes + PartBytes - 1) / PartBytes);
  context.ParallelFor(static_cast<std::int64_t>(parts.size()), [&](std::int64_t begin, std::int64_t end) {
    for (auto part = static_cast<std::size_t>(begin); part < static_cast<std::size_t>(end); ++part)
    {
      parts[part] = PartChecksum(first + part * PartBytes, std::min(PartBytes, bytes - part * PartBytes));
    }
  });
  std::uint64_t sum = bytes;
  for (const std::uint64_t part : parts)
  {
    sum = Mix(sum, part);
  }
  return sum;
}

} // namespace itk::CudaSpline
