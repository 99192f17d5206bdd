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

/** Returns enough blocks for one thread per number, or for several numbers per thread. */
unsigned int
BlocksOfNumbers(std::int64_t count)
{
  constexpr std::int64_t most = 1 << 20;
  return static_cast<unsigned int>(std::min((count + Threads - 1) / Threads, most));
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
    LaunchField(body, body.walk, residence);
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
    LaunchField(body, body.walk, residence);
  });
}

void
FindMaximumNormOnCuda(const FieldShape & shape,
                      const void *       field,
                      double *           maximum,
                      void *             scratch,
                      const Residence &  residence)
{
  const int         device = residence.GetContext().device;
  const DeviceScope scope(device);
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    const std::int64_t     count = shape.grid.Count();
    const auto             most = std::min(static_cast<std::int64_t>(MaxNormBlocks), (count + Threads - 1) / Threads);
    const unsigned int     blocks = ResidentBlocks(most, NormBlocksOfMultiprocessor, device);
    auto * const           largest = static_cast<double *>(scratch);
    Spacing<dimension>     spacing;
    std::copy_n(shape.grid.spacing.begin(), dimension, spacing.of);
    const auto stream = residence.GetStream().Get();
    NormKernel<dimension, Real>
      <<<blocks, Threads, 0, stream>>>(static_cast<const Real *>(field), count, spacing, largest);
    LargestKernel<<<1, Threads, 0, stream>>>(largest, static_cast<int>(blocks), maximum);
    CheckCuda(cudaGetLastError(), "NormKernel");
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
  const DeviceScope scope(residence.GetContext().device);
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    const std::int64_t count = shape.Numbers();
    ScaleKernel<Real><<<BlocksOfNumbers(count), Threads, 0, residence.GetStream().Get()>>>(
      static_cast<const Real *>(field), count, static_cast<Real>(length), maximum, static_cast<Real *>(scaled));
    CheckCuda(cudaGetLastError(), "ScaleKernel");
  });
}

void
WeighFieldOnCuda(const FieldShape &            shape,
                 void *                        field,
                 const std::array<double, 3> & weights,
                 const Residence &             residence)
{
  const DeviceScope scope(residence.GetContext().device);
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    const std::int64_t count = shape.Numbers();
    WeighKernel<Real><<<BlocksOfNumbers(count), Threads, 0, residence.GetStream().Get()>>>(
      static_cast<Real *>(field), count, shape.grid.dimension, make_double3(weights[0], weights[1], weights[2]));
    CheckCuda(cudaGetLastError(), "WeighKernel");
  });
}

void
AverageMidpointFieldsOnCuda(const FieldShape & shape, void * first, void * second, const Residence & residence)
{
  const DeviceScope scope(residence.GetContext().device);
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    const std::int64_t count = shape.Numbers();
    AverageKernel<Real><<<BlocksOfNumbers(count), Threads, 0, residence.GetStream().Get()>>>(
      static_cast<Real *>(first), static_cast<Real *>(second), count);
    CheckCuda(cudaGetLastError(), "AverageKernel");
  });
}

} // namespace itk::CudaSpline
