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
#ifndef DeviceHistogram_cuh
#define DeviceHistogram_cuh

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "itkCudaSpline/math/ParzenBins.h"

#include "kernels/metrics/mutual_information/HistogramSpace.h"
#include "kernels/metrics/passes/MetricReduction.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/** \file
 * \brief Joint histograms on a device: in shared memory of a block, and in global memory for all blocks. */

namespace itk::CudaSpline
{

namespace
{

constexpr unsigned int HistogramThreads = 256;
constexpr std::int64_t HistogramSamples = 31 * 256; // per block: less than 2^13, whose digits fit into 32 bits
constexpr unsigned int PlaneBlocks = 4096;          // their sums in units of 2^-38 fit into 64 bits

/** The histogram of a block: sums of the coarse and fine digits of the weights. A block has few enough samples for sums
 * of 32 bits. The finest digits, which few weights have, are added in global memory; so are all digits if the blocks
 * do not have enough shared memory. The sums of the block are then added to those of all blocks. They are integers, so
 * the order does not matter. */
class BlockHistogram
{
public:
  /** The constructor and Store() need to be called by all threads of the block.
   *
   * \param[in] bins number of bins along either axis
   * \param[in] isDouble whether weights are rounded as in double precision
   * \param[in] space sums of all blocks */
  __device__
  BlockHistogram(int bins, bool isDouble, const HistogramSpace & space)
    : m_Size(bins * bins)
    , m_Sums(space.sums)
    , m_IsShared(space.isShared)
    , m_IsDouble(isDouble)
  {
    for (int word = threadIdx.x; m_IsShared && word < 2 * m_Size; word += HistogramThreads)
    {
      Words()[word] = 0;
    }
    __syncthreads();
  }

  /** Adds a weight to a bin. */
  __device__ __forceinline__ void
  Add(int bin, double weight)
  {
    const ParzenWeight digits(weight, m_IsDouble);
    if (!m_IsShared)
    {
      this->AddToPlane(bin, digits.digit[0], digits.digit[1]);
    }
    else
    {
      if (digits.digit[0] != 0)
      {
        atomicAdd(Words() + bin, digits.digit[0]);
      }
      if (digits.digit[1] != 0)
      {
        atomicAdd(Words() + m_Size + bin, digits.digit[1]);
      }
    }
    if (digits.digit[2] != 0)
    {
      atomicAdd(m_Sums + 1 + bin, static_cast<unsigned long long>(digits.digit[2]));
    }
  }

  /** Adds the histogram, and the counts of the threads, to those of all blocks. */
  __device__ __forceinline__ void
  Store(double count)
  {
    count = WarpSum(count);
    if (threadIdx.x % 32 == 0 && count > 0.0)
    {
      atomicAdd(m_Sums, static_cast<unsigned long long>(count));
    }
    __syncthreads();
    for (int bin = threadIdx.x; m_IsShared && bin < m_Size; bin += HistogramThreads)
    {
      this->AddToPlane(bin, Words()[bin], Words()[m_Size + bin]);
    }
  }

private:
  __device__ static std::uint32_t *
  Words()
  {
    extern __shared__ std::uint32_t words[];
    return words;
  }

  /** The weight is in units of 2^-38. */
  __device__ __forceinline__ void
  AddToPlane(int bin, std::uint32_t coarse, std::uint32_t fine)
  {
    const unsigned long long sum = (static_cast<unsigned long long>(coarse) << ParzenWeight::Bits) + fine;
    if (sum != 0)
    {
      atomicAdd(m_Sums + 1 + std::int64_t{ blockIdx.x / PlaneBlocks + 1 } * m_Size + bin, sum);
    }
  }

  int                  m_Size;
  unsigned long long * m_Sums;
  bool                 m_IsShared;
  bool                 m_IsDouble;
};

/** Returns the sum of the weights of a bin over all blocks.
 *
 * \param[in] sums the space of a histogram
 * \param[in] size number of bins
 * \param[in] planes number of planes of sums after the finest one */
__device__ __forceinline__ double
GetWeight(const unsigned long long * sums, std::int64_t size, unsigned int planes, std::int64_t bin)
{
  double weight = 0.0;
  for (unsigned int plane = 1; plane <= planes; ++plane)
  {
    weight += static_cast<double>(sums[1 + plane * size + bin]) * ParzenWeight::Units[1];
  }
  return weight + static_cast<double>(sums[1 + bin]) * ParzenWeight::Units[2];
}

/** Returns the number of samples of a block of a histogram. It is small for few samples, so that all multiprocessors
 * have some of them. */
inline std::int64_t
SamplesOfBlock(std::int64_t count, int device)
{
  constexpr int ofMultiprocessor = 4; // blocks per multiprocessor
  int           multiprocessors = 0;
  CheckCuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  const std::int64_t blocks = std::int64_t{ ofMultiprocessor } * multiprocessors;
  const std::int64_t turns = (count + blocks * HistogramThreads - 1) / (blocks * HistogramThreads);
  return std::clamp<std::int64_t>(turns * HistogramThreads, HistogramThreads, HistogramSamples);
}

/** The memory of a histogram, and the launch configuration of its kernel. */
class DeviceHistogram
{
public:
  /** \param[in] bins number of bins along either axis
   * \param[in] count number of samples
   * \param[in] others other shared memory of the kernel (bytes)
   * \param[in] stream clears the memory
   * \param[in] samples samples of a block */
  DeviceHistogram(int            bins,
                  std::int64_t   count,
                  std::size_t    others,
                  const Stream & stream,
                  std::int64_t   samples = HistogramSamples)
    : m_Size(static_cast<std::size_t>(bins) * static_cast<std::size_t>(bins))
    , m_Samples(samples)
    , m_Blocks(static_cast<unsigned int>((count + samples - 1) / samples))
    , m_Planes((m_Blocks + PlaneBlocks - 1) / PlaneBlocks)
    , m_Memory((1 + (1 + m_Planes) * m_Size) * sizeof(unsigned long long), stream)
  {
    int device = 0;
    int mostShared = 0;
    CheckCuda(cudaGetDevice(&device), "cudaGetDevice");
    CheckCuda(cudaDeviceGetAttribute(&mostShared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
              "cudaDeviceGetAttribute");
    const std::size_t wanted = 2 * m_Size * sizeof(std::uint32_t);
    const std::size_t reserved = 1024; // used by the runtime in each block
    m_Shared = wanted + reserved + others <= static_cast<std::size_t>(mostShared) ? wanted : 0;
    CheckCuda(cudaMemsetAsync(m_Memory.Data(), 0, m_Memory.Bytes(), stream.Get()), "cudaMemsetAsync");
  }

  unsigned int
  Blocks() const
  {
    return m_Blocks;
  }
  /** Returns the dynamic shared memory of a block in bytes. */
  std::size_t
  Shared() const
  {
    return m_Shared;
  }
  HistogramSpace
  Space() const
  {
    return { static_cast<unsigned long long *>(m_Memory.Data()), m_Shared > 0, m_Samples };
  }
  /** Returns the number of planes of sums after the finest one. */
  unsigned int
  Planes() const
  {
    return static_cast<unsigned int>(m_Planes);
  }

  /** Returns the count and the histogram. Waits for the stream. */
  MetricResult
  Download(const Stream & stream) const
  {
    std::vector<unsigned long long> host(m_Memory.Bytes() / sizeof(unsigned long long));
    DownloadThroughStaging(host.data(), m_Memory.Data(), m_Memory.Bytes(), stream);
    MetricResult result;
    result.count = static_cast<std::int64_t>(host[0]);
    result.histogram.assign(m_Size, 0.0);
    for (std::size_t plane = 1; plane <= m_Planes; ++plane)
    {
      for (std::size_t bin = 0; bin < m_Size; ++bin)
      {
        result.histogram[bin] += static_cast<double>(host[1 + plane * m_Size + bin]) * ParzenWeight::Units[1];
      }
    }
    for (std::size_t bin = 0; bin < m_Size; ++bin)
    {
      result.histogram[bin] += static_cast<double>(host[1 + bin]) * ParzenWeight::Units[2];
    }
    return result;
  }

private:
  std::size_t  m_Size;
  std::int64_t m_Samples;
  unsigned int m_Blocks;
  std::size_t  m_Planes;
  std::size_t  m_Shared{ 0 };
  DeviceBuffer m_Memory;
};

} // namespace
} // namespace itk::CudaSpline

#endif
