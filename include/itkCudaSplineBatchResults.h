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
#ifndef itkCudaSplineBatchResults_h
#define itkCudaSplineBatchResults_h

namespace itk
{

/** \brief The output arrays of a batch, allocated by the caller: one entry per point, null if not wanted.
 *
 * They are in host memory, or all of them and the points are in memory of one device.
 *
 * \tparam TValue float or double; for interpolators that move pixels (nearest neighbour, labels) any scalar type
 * \ingroup CudaSpline */
template <typename TValue>
struct CudaSplineBatchResults
{
  TValue * values{ nullptr };    ///< values
  TValue * gradients{ nullptr }; ///< first derivatives (per mm), a number an axis
  /** Second derivatives (per mm squared): the upper triangle row by row, xx, xy, xz, yy, yz, zz in 3D. */
  TValue *        hessians{ nullptr };
  unsigned char * inside{ nullptr }; ///< 1 where the point is inside, else 0
  TValue          defaultValue{};    ///< value outside; derivatives are 0 there
  void *          stream{ nullptr }; ///< of arrays on a device: the cudaStream_t in whose order they are used
};

} // namespace itk

#endif
