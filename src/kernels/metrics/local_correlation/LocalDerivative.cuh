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
#ifndef LocalDerivative_cuh
#define LocalDerivative_cuh

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "device/DeviceGroup.h"
#include "kernels/metrics/samples/GridPair.h"
#include "kernels/metrics/local_correlation/LocalMarch.cuh"

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

/** \file
 * \brief Derivatives by displacements on a device: gradients at centres of windows, and how rows are written. */

namespace itk::CudaSpline
{

namespace
{

/** The pixels of a centre, and of its neighbours where their differences are the gradients. */
template <typename TPixel>
struct CentrePixels
{
  TPixel                 fixed;
  TPixel                 moving;
  GridNeighbours<TPixel> aroundFixed;
  GridNeighbours<TPixel> aroundMoving;

  __device__ __forceinline__ void
  Load(const GridPair<TPixel> & centre, const std::int64_t (&place)[3], std::int64_t offset)
  {
    fixed = centre.fixed[offset];
    moving = centre.moving[offset];
    this->LoadNeighbours(centre, place, offset);
  }

  __device__ __forceinline__ void
  LoadNeighbours(const GridPair<TPixel> & centre, const std::int64_t (&place)[3], std::int64_t offset)
  {
    if (centre.movingDerivative != nullptr && centre.HasDifferences(centre.movingGradient))
    {
      aroundMoving = centre.differences.Neighbours(centre.moving, place, offset);
    }
    if (centre.fixedDerivative != nullptr && centre.HasDifferences(centre.fixedGradient))
    {
      aroundFixed = centre.differences.Neighbours(centre.fixed, place, offset);
    }
  }

  template <typename TReal>
  __device__ __forceinline__ void
  Gradients(const GridPair<TPixel> & centre,
            const std::int64_t (&place)[3],
            std::int64_t offset,
            TReal (&ofMoving)[3],
            TReal (&ofFixed)[3]) const
  {
    if (centre.movingDerivative != nullptr)
    {
      centre.Gradient(aroundMoving, centre.movingGradient, place, offset, ofMoving);
    }
    if (centre.fixedDerivative != nullptr)
    {
      centre.Gradient(aroundFixed, centre.fixedGradient, place, offset, ofFixed);
    }
  }
};

/** Writes the derivatives of a row of samples, one a lane, by way of shared memory; all of a warp call it.
 *
 * \param[in] isZero the derivative is 0, whatever the gradient is
 * \param[in] rowLength samples of the row, \param[in] first offset of its first sample
 * \param[out] staged memory of the warp, 3 numbers a sample */
template <int VRadius, typename TReal, typename TPixel>
__device__ __forceinline__ void
StoreRow(const GridPair<TPixel> & pair,
         void *                   derivative,
         TReal                    factor,
         const TReal (&gradient)[3],
         bool         isZero,
         int          lane,
         int          rowLength,
         std::int64_t first,
         TReal *      staged)
{
#pragma unroll
  for (int d = 0; d < 3; ++d)
  {
    if (d < pair.numbers)
    {
      staged[ColumnOfLane<VRadius>(lane) * pair.numbers + d] = isZero ? TReal(0) : factor * gradient[d];
    }
  }
  __syncwarp();
  const std::int64_t from = first * pair.numbers;
  const auto         copy = [&](auto * to) {
#pragma unroll
    for (int d = 0; d < 3; ++d)
    {
      const int i = lane + d * LocalColumns;
      if (i < rowLength * pair.numbers)
      {
        to[i] = static_cast<std::remove_pointer_t<decltype(to)>>(staged[i]);
      }
    }
  };
  pair.isDouble ? copy(static_cast<double *>(derivative) + from) : copy(static_cast<float *>(derivative) + from);
  __syncwarp();
}

/** Multiplies factors, each of which is the first number of its vector, with gradients along axes that are not those of
 * space: in a kernel of its own, as what finds them takes registers. */
template <typename TPixel>
__global__ void
LocalObliqueKernel(const __grid_constant__ GridPair<TPixel> centre,
                   const TPixel *                           image,
                   std::int64_t                             first,
                   std::int64_t                             end,
                   void *                                   derivative)
{
  const auto &       size = centre.differences.extent.size;
  const std::int64_t offset = first + std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x;
  if (offset >= end)
  {
    return;
  }
  const std::int64_t row = offset / size[0];
  const std::int64_t at[3] = { offset - row * size[0], row % size[1], row / size[1] };
  const double       factor = centre.Load(derivative, offset * centre.numbers);
  double             gradient[3] = {};
  if (factor != 0.0) // a gradient that is not finite adds nothing to others
  {
    centre.differences.OfPlace(image, at, gradient);
  }
#pragma unroll
  for (int d = 0; d < 3; ++d)
  {
    if (d < centre.numbers)
    {
      centre.Store(derivative, offset * centre.numbers + d, factor * gradient[d]);
    }
  }
}

/** Enqueues LocalObliqueKernel. */
template <typename TPixel>
void
LaunchOblique(const GridPair<TPixel> & pair,
              std::int64_t             samples,
              const TPixel *           image,
              void *                   derivative,
              const StepDevices &      devices)
{
  constexpr unsigned int threads = 128;
  RunShares(devices, samples, samples, [&](const DeviceShare & share) {
    const auto blocks = static_cast<unsigned int>((share.items.count + threads - 1) / threads);
    LocalObliqueKernel<<<blocks, threads, 0, share.stream.Get()>>>(
      pair, image, share.items.first, share.items.first + share.items.count, derivative);
    CheckCuda(cudaGetLastError(), "LocalObliqueKernel");
  });
}

} // namespace
} // namespace itk::CudaSpline

#endif
