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
#include "itkCudaSpline/kernels/common/CostModel.h"

#include <algorithm>

namespace itk::CudaSpline
{

std::uint64_t
KindOf(std::initializer_list<std::uint64_t> parts)
{
  // The finalizer of SplitMix64 mixes each number: a change of any of its bits changes half of the bits of the result.
  std::uint64_t kind = 0x9e3779b97f4a7c15ULL;
  for (const std::uint64_t part : parts)
  {
    kind = (kind ^ part) + 0x9e3779b97f4a7c15ULL;
    kind = (kind ^ (kind >> 30)) * 0xbf58476d1ce4e5b9ULL;
    kind = (kind ^ (kind >> 27)) * 0x94d049bb133111ebULL;
    kind ^= kind >> 31;
  }
  return kind;
}

OperationWork
operator+(const OperationWork & first, const OperationWork & second)
{
  OperationWork sum = first;
  sum.uploadBytes += second.uploadBytes;
  sum.convertSamples += second.convertSamples;
  sum.filterPasses += second.filterPasses;
  sum.samples += second.samples;
  sum.taps += second.taps;
  sum.sums += second.sums;
  sum.downloadBytes += second.downloadBytes;
  const bool isBoth = first.kind != 0 && second.kind != 0;
  sum.kind = isBoth ? KindOf({ first.kind, second.kind }) : (first.kind | second.kind);
  return sum;
}

HostSpeeds
TypicalHost(unsigned int threads)
{
  // An x86-64 core at 3 GHz, doc/Performance.md. Two threads usually share a core, and all cores of a socket together
  // are slower than the same number of single ones. 16 threads of a server resampled 256^3 voxels in 14 ms (nearest),
  // 28 ms (linear) and 184 ms (cubic).
  const double cores = std::max(1.0, 0.4 * threads + 0.6);
  HostSpeeds   speeds;
  speeds.convert = 1.0e-9 / cores;
  speeds.filter = 2.2e-9 / cores;
  speeds.sample = 5.0e-9 / cores;
  speeds.tap = 0.9e-9 / cores;
  speeds.sum = 60.0e-9 / cores;
  return speeds;
}

DeviceSpeeds
TypicalDevice()
{
  DeviceSpeeds speeds;
  speeds.start = 0.25;
  speeds.end = 0.13;
  speeds.operation = 3.0e-4;
  speeds.upload = 5.0e-11;
  speeds.filter = 2.0e-11;
  speeds.sample = 2.0e-11;
  speeds.tap = 2.0e-12;
  speeds.sum = 2.0e-11;
  speeds.download = 6.0e-11;
  return speeds;
}

double
EstimateSeconds(const OperationWork & work, const HostSpeeds & speeds)
{
  return work.convertSamples * speeds.convert + work.filterPasses * speeds.filter + work.samples * speeds.sample +
         work.taps * speeds.tap + work.sums * speeds.sum;
}

double
EstimateSeconds(const OperationWork & work, const DeviceSpeeds & speeds)
{
  return speeds.operation + work.uploadBytes * speeds.upload + work.filterPasses * speeds.filter +
         work.samples * speeds.sample + work.taps * speeds.tap + work.sums * speeds.sum +
         work.downloadBytes * speeds.download;
}

} // namespace itk::CudaSpline
