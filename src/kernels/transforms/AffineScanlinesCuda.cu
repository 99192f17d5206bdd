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
#include "kernels/transforms/AffineScanlinesCuda.h"

#include "itkCudaSpline/device/DeviceError.h"

#include <cuda_runtime.h>

namespace itk::CudaSpline
{

namespace
{

constexpr int Threads = 128;

unsigned int
BlocksOf(std::int64_t count)
{
  return static_cast<unsigned int>((count + Threads - 1) / Threads);
}

template <unsigned int VDimension>
__global__ void
MapScanlinesKernel(const AffineScanlines<VDimension> scanlines,
                   std::int64_t                      lines,
                   ScanlineEnds<VDimension> *        ends,
                   double *                          alphas)
{
  const std::int64_t i = std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x;
  if (i < lines)
  {
    scanlines.EndsOf(i, ends[i]);
  }
  if (i < scanlines.size[0])
  {
    alphas[i] = static_cast<double>(i) / static_cast<double>(scanlines.size[0]);
  }
}

template <unsigned int VDimension>
__global__ void
MoveScanlinesKernel(const AffineScanlines<VDimension> scanlines, std::int64_t lines, ScanlineEnds<VDimension> * ends)
{
  const std::int64_t i = std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x;
  if (i < lines)
  {
    scanlines.DisplacementsOf(i, ends[i]);
  }
}

} // namespace

template <unsigned int VDimension>
void
LaunchMapScanlines(const AffineScanlines<VDimension> & scanlines,
                   std::int64_t                        lines,
                   ScanlineEnds<VDimension> *          ends,
                   double *                            alphas,
                   const Stream &                      stream)
{
  const std::int64_t count = lines > scanlines.size[0] ? lines : scanlines.size[0];
  MapScanlinesKernel<<<BlocksOf(count), Threads, 0, stream.Get()>>>(scanlines, lines, ends, alphas);
  CheckCuda(cudaGetLastError(), "MapScanlinesKernel");
}

template <unsigned int VDimension>
void
LaunchMoveScanlines(const AffineScanlines<VDimension> & scanlines,
                    std::int64_t                        lines,
                    ScanlineEnds<VDimension> *          ends,
                    const Stream &                      stream)
{
  MoveScanlinesKernel<<<BlocksOf(lines), Threads, 0, stream.Get()>>>(scanlines, lines, ends);
  CheckCuda(cudaGetLastError(), "MoveScanlinesKernel");
}

template void
LaunchMapScanlines<1>(const AffineScanlines<1> &, std::int64_t, ScanlineEnds<1> *, double *, const Stream &);
template void
LaunchMapScanlines<2>(const AffineScanlines<2> &, std::int64_t, ScanlineEnds<2> *, double *, const Stream &);
template void
LaunchMapScanlines<3>(const AffineScanlines<3> &, std::int64_t, ScanlineEnds<3> *, double *, const Stream &);
template void
LaunchMoveScanlines<1>(const AffineScanlines<1> &, std::int64_t, ScanlineEnds<1> *, const Stream &);
template void
LaunchMoveScanlines<2>(const AffineScanlines<2> &, std::int64_t, ScanlineEnds<2> *, const Stream &);
template void
LaunchMoveScanlines<3>(const AffineScanlines<3> &, std::int64_t, ScanlineEnds<3> *, const Stream &);

} // namespace itk::CudaSpline
