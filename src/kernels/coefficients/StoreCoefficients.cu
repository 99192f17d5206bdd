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
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/coefficients/CoefficientRows.h"
#include "kernels/coefficients/StoreCoefficients.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

constexpr int BlockThreads = 256;

/** Measures pieces of rows, and writes the result of a block to its element of \p partial. */
template <typename TReal>
__global__ void
__launch_bounds__(BlockThreads)
  StatisticsKernel(const __grid_constant__ CoefficientRows<TReal> rows, CoefficientStatistics<TReal> * partial)
{
  // Raw memory, because the elements have initializers.
  __shared__ alignas(16) unsigned char bytes[BlockThreads * sizeof(CoefficientStatistics<TReal>)];
  auto * const                         found = reinterpret_cast<CoefficientStatistics<TReal> *>(bytes);
  CoefficientStatistics<TReal>         mine;
  for (std::int64_t piece = blockIdx.x; piece < rows.count; piece += gridDim.x)
  {
    rows.AddPiece(piece, threadIdx.x, BlockThreads, mine);
  }
  found[threadIdx.x] = mine;
  for (unsigned int half = BlockThreads / 2; half > 0; half /= 2)
  {
    __syncthreads();
    if (threadIdx.x < half)
    {
      found[threadIdx.x].Merge(found[threadIdx.x + half]);
    }
  }
  if (threadIdx.x == 0)
  {
    partial[blockIdx.x] = found[0];
  }
}

template <typename TStored>
__global__ void
PackKernel(const StorageScale scale, const float * elements, std::int64_t count, TStored * packed)
{
  const std::int64_t step = std::int64_t{ gridDim.x } * blockDim.x;
  for (std::int64_t i = std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x; i < count; i += step)
  {
    scale.Store(elements[i], packed[i]);
  }
}

template <typename TStored>
void
LaunchPack(const StorageScale & scale, const void * elements, std::int64_t count, void * packed, const Stream & stream)
{
  const std::int64_t blocks = std::min<std::int64_t>((count + BlockThreads - 1) / BlockThreads, 1 << 16);
  PackKernel<<<static_cast<unsigned int>(blocks), BlockThreads, 0, stream.Get()>>>(
    scale, static_cast<const float *>(elements), count, static_cast<TStored *>(packed));
  CheckCuda(cudaGetLastError(), "PackKernel");
}

} // namespace

template <typename TReal>
CoefficientStatistics<TReal>
MeasureOnCuda(const SourceDescriptor & descriptor, const TReal * elements, bool neighbours, const Stream & stream)
{
  const CoefficientRows<TReal> rows(descriptor, elements, neighbours);
  const auto                   blocks = static_cast<std::size_t>(std::min<std::int64_t>(rows.count, 2048));
  const DeviceBuffer           partial(blocks * sizeof(CoefficientStatistics<TReal>), stream);
  StatisticsKernel<<<static_cast<unsigned int>(blocks), BlockThreads, 0, stream.Get()>>>(
    rows, static_cast<CoefficientStatistics<TReal> *>(partial.Data()));
  CheckCuda(cudaGetLastError(), "StatisticsKernel");
  std::vector<CoefficientStatistics<TReal>> found(blocks);
  DownloadThroughStaging(found.data(), partial.Data(), partial.Bytes(), stream);
  CoefficientStatistics<TReal> all;
  for (const CoefficientStatistics<TReal> & part : found)
  {
    all.Merge(part);
  }
  return all;
}

template CoefficientStatistics<float>
MeasureOnCuda(const SourceDescriptor &, const float *, bool, const Stream &);
template CoefficientStatistics<double>
MeasureOnCuda(const SourceDescriptor &, const double *, bool, const Stream &);

std::shared_ptr<const SampleSource>
StoreOnCuda(const SourceDescriptor & descriptor, DeviceBuffer elements, int device, const Stream & stream)
{
  if (descriptor.storage == CoefficientStorage::Texture)
  {
    return StoreInTexture(descriptor, std::move(elements), device, stream);
  }
  const StorageScale scale =
    ScaleOf(descriptor, MeasureOnCuda(descriptor, static_cast<const float *>(elements.Data()), false, stream));
  const auto packed = std::make_shared<DeviceBuffer>(descriptor.Bytes(), stream);
  const auto pack =
    descriptor.storage == CoefficientStorage::Half ? LaunchPack<HalfCoefficient> : LaunchPack<Int16Coefficient>;
  pack(scale, elements.Data(), descriptor.Elements(), packed->Data(), stream);
  stream.Synchronize();
  return std::make_shared<SampleSource>(
    descriptor, Backend::Cuda, device, std::shared_ptr<const void>(packed, packed->Data()), scale);
}

} // namespace itk::CudaSpline
