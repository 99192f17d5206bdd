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
#ifndef ShortArrayStart_cuh
#define ShortArrayStart_cuh

#include "itkCudaSpline/math/RoundedArithmetic.h"

#include "kernels/evaluation/ScanlineSpan.cuh"

namespace itk::CudaSpline
{

namespace
{

/** Computes the first tap of ArraySupport() for a coordinate within 2^30 of 0.
 *
 * \param[out] middle origin of the position in the support */
template <unsigned int VOrder>
__device__ __forceinline__ int
ShortArrayStart(double x, double & middle)
{
  return ShortFloor(VOrder % 2 == 1 ? x : RoundedSum(x, 0.5), middle) - static_cast<int>(VOrder / 2);
}

} // namespace
} // namespace itk::CudaSpline

#endif
