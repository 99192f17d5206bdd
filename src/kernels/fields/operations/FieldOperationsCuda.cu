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
#include "kernels/fields/common/FieldBackends.h"
#include "kernels/fields/inversion/FieldInverse.h"
#include "kernels/fields/common/FieldLaunch.cuh"

#include <algorithm>
#include <cstddef>

namespace itk::CudaSpline
{

namespace
{
constexpr int    Threads = 256;
constexpr int    NormBlocksOfMultiprocessor = 4;
constexpr size_t MaxNormBlocks = MaximumNormScratch / sizeof(double);

/** Returns enough blocks for one thread per number, or for several numbers per thread: starting a block takes longer
 * than some numbers. */
unsigned int
BlocksOfNumbers(std::int64_t count)
{
  constexpr std::int64_t most = 1 << 14;
  return static_cast<unsigned int>(std::min((count + Threads - 1) / Threads, most));
}

/** Enqueues a kernel for vectors on all devices of a residence.
 *
 * \param[in] enqueue called with the first number and the number of numbers of a share, and its stream */
template <typename TEnqueue>
void
ShareNumbers(const FieldShape & shape, const Residence & residence, const char * kernel, const TEnqueue & enqueue)
{
  const std::int64_t samples = shape.grid.Count();
  const auto         components = static_cast<std::int64_t>(shape.grid.dimension);
  RunShares(AllDevicesOf(residence), samples, samples, [&](const DeviceShare & share) {
    enqueue(share.items.first * components, share.items.count * components, share.stream.Get());
    CheckCuda(cudaGetLastError(), kernel);
  });
}

/** Returns the largest number of a block, in thread 0. */
__device__ __forceinline__ double
LargestOfBlock(double mine)
{
  constexpr int     warps = Threads / LanesOfWarp;
  __shared__ double largest[warps];
  for (int half = LanesOfWarp / 2; half > 0; half /= 2)
  {
    const double other = __shfl_down_sync(0xffffffffU, mine, half);
    mine = mine < other ? other : mine;
  }
  if (threadIdx.x % LanesOfWarp == 0)
  {
    largest[threadIdx.x / LanesOfWarp] = mine;
  }
  __syncthreads();
  for (int warp = 0; warp < warps; ++warp)
  {
    mine = mine < largest[warp] ? largest[warp] : mine;
  }
  return mine;
}

template <unsigned int VDimension>
struct Spacing
{
  double of[VDimension];
};

/** Computes the largest norm of the vectors of each block. */
template <unsigned int VDimension, typename TReal>
__global__ void
__launch_bounds__(Threads)
  NormKernel(const TReal * field, std::int64_t count, const Spacing<VDimension> spacing, double * largest)
{
  double most = 0.0;
  for (std::int64_t i = std::int64_t{ blockIdx.x } * Threads + threadIdx.x; i < count;
       i += std::int64_t{ gridDim.x } * Threads)
  {
    TReal vector[VDimension];
    LoadVector(field, i, vector);
    const double norm = UpdateNorm(vector, spacing.of);
    most = most < norm ? norm : most; // NaN is never the largest
  }
  most = LargestOfBlock(most);
  if (threadIdx.x == 0)
  {
    largest[blockIdx.x] = most;
  }
}

template <typename TReal>
__global__ void
__launch_bounds__(Threads) WeighKernel(TReal * numbers, std::int64_t count, unsigned int dimension, double3 weights)
{
  for (std::int64_t i = std::int64_t{ blockIdx.x } * Threads + threadIdx.x; i < count;
       i += std::int64_t{ gridDim.x } * Threads)
  {
    const auto axis = static_cast<unsigned int>(i % dimension);
    numbers[i] = static_cast<TReal>(numbers[i] * (axis == 0 ? weights.x : (axis == 1 ? weights.y : weights.z)));
  }
}

/** Computes the largest norm of all blocks. */
__global__ void
__launch_bounds__(Threads) LargestKernel(const double * largest, int count, double * maximum)
{
  double most = 0.0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += Threads)
  {
    most = most < largest[i] ? largest[i] : most;
  }
  most = LargestOfBlock(most);
  if (threadIdx.x == 0)
  {
    *maximum = most;
  }
}

template <typename TReal>
__global__ void
__launch_bounds__(Threads)
  ScaleKernel(const TReal * numbers, std::int64_t count, TReal length, const double * maximum, TReal * scaled)
{
  const auto  most = static_cast<TReal>(*maximum);
  const TReal scale = most > TReal(0) ? RoundedQuotient(length, most) : length;
  for (std::int64_t i = std::int64_t{ blockIdx.x } * Threads + threadIdx.x; i < count;
       i += std::int64_t{ gridDim.x } * Threads)
  {
    scaled[i] = numbers[i] * scale;
  }
}

template <typename TReal>
__global__ void
__launch_bounds__(Threads) AverageKernel(TReal * first, TReal * second, std::int64_t count)
{
  for (std::int64_t i = std::int64_t{ blockIdx.x } * Threads + threadIdx.x; i < count;
       i += std::int64_t{ gridDim.x } * Threads)
  {
    const TReal difference = first[i] - second[i];
    first[i] = difference;
    second[i] = -difference;
  }
}
} // namespace

void
ComposeFieldsOnCuda(const FieldShape & displacementShape,
                    const void *       displacement,
                    const FieldShape & warpingShape,
                    const void *       warping,
                    void *             output,
                    const Residence &  residence)
{
  DispatchField(warpingShape.grid.dimension, warpingShape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int                  dimension = decltype(compiled)::Dimension;
    const FieldComposition<dimension, Real> body{ MakeGeometry<dimension>(displacementShape.grid),
                                                  static_cast<const Real *>(displacement),
                                                  MakeGeometry<dimension>(warpingShape.grid),
                                                  static_cast<const Real *>(warping),
                                                  static_cast<Real *>(output),
                                                  WalkOf(warpingShape.grid) };
    LaunchField(body, body.walk, AllDevicesOf(residence));
  });
}

void
ResampleFieldOnCuda(const FieldShape & inputShape,
                    const void *       input,
                    const FieldShape & outputShape,
                    void *             output,
                    const Residence &  residence)
{
  DispatchField(inputShape.grid.dimension, inputShape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int                 dimension = decltype(compiled)::Dimension;
    const FieldResampling<dimension, Real> body{ MakeGeometry<dimension>(inputShape.grid),
                                                 static_cast<const Real *>(input),
                                                 MakeGeometry<dimension>(outputShape.grid),
                                                 static_cast<Real *>(output),
                                                 WalkOf(outputShape.grid) };
    const bool isForAll = IsForAllDevices(input, residence); // the previous level may have had one device
    LaunchField(body, body.walk, isForAll ? AllDevicesOf(residence) : FirstDeviceOf(residence));
  });
}

void
FindMaximumNormOnCuda(const FieldShape & shape,
                      const void *       field,
                      double *           maximum,
                      void *             scratch,
                      const Residence &  residence)
{
  const DeviceGroup * const group = residence.GetGroup().get();
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    const std::int64_t     count = shape.grid.Count();
    auto * const           largest = static_cast<double *>(scratch);
    Spacing<dimension>     spacing;
    std::copy_n(shape.grid.spacing.begin(), dimension, spacing.of);
    int used = 0; // numbers of the scratch memory
    RunShares(AllDevicesOf(residence), count, count, [&](const DeviceShare & share) {
      const auto         mine = static_cast<std::int64_t>(MaxNormBlocks / (group != nullptr ? group->Count() : 1));
      const auto         most = std::min(mine, (share.items.count + Threads - 1) / Threads);
      const unsigned int blocks = ResidentBlocks(most, NormBlocksOfMultiprocessor, share.device);
      NormKernel<dimension, Real><<<blocks, Threads, 0, share.stream.Get()>>>(
        static_cast<const Real *>(field) + share.items.first * dimension, share.items.count, spacing, largest + used);
      CheckCuda(cudaGetLastError(), "NormKernel");
      used += static_cast<int>(blocks);
    });
    const DeviceScope scope(residence.GetContext().device);
    LargestKernel<<<1, Threads, 0, residence.GetStream().Get()>>>(largest, used, maximum);
    CheckCuda(cudaGetLastError(), "LargestKernel");
  });
}

void
ScaleFieldOnCuda(const FieldShape & shape,
                 const void *       field,
                 double             length,
                 const double *     maximum,
                 void *             scaled,
                 const Residence &  residence)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    ShareNumbers(shape, residence, "ScaleKernel", [&](std::int64_t first, std::int64_t count, StreamHandle stream) {
      ScaleKernel<Real><<<BlocksOfNumbers(count), Threads, 0, stream>>>(static_cast<const Real *>(field) + first,
                                                                        count,
                                                                        static_cast<Real>(length),
                                                                        maximum,
                                                                        static_cast<Real *>(scaled) + first);
    });
  });
}

void
WeighFieldOnCuda(const FieldShape &            shape,
                 void *                        field,
                 const std::array<double, 3> & weights,
                 const Residence &             residence)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    ShareNumbers(shape, residence, "WeighKernel", [&](std::int64_t first, std::int64_t count, StreamHandle stream) {
      WeighKernel<Real>
        <<<BlocksOfNumbers(count), Threads, 0, stream>>>(static_cast<Real *>(field) + first,
                                                         count,
                                                         shape.grid.dimension,
                                                         make_double3(weights[0], weights[1], weights[2]));
    });
  });
}

void
AverageMidpointFieldsOnCuda(const FieldShape & shape, void * first, void * second, const Residence & residence)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    ShareNumbers(shape, residence, "AverageKernel", [&](std::int64_t begin, std::int64_t count, StreamHandle stream) {
      AverageKernel<Real><<<BlocksOfNumbers(count), Threads, 0, stream>>>(
        static_cast<Real *>(first) + begin, static_cast<Real *>(second) + begin, count);
    });
  });
}

} // namespace itk::CudaSpline
