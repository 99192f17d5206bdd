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
#ifndef HistogramSpace_h
#define HistogramSpace_h

#include <cstdint>

/** \file
 * \brief The memory of a joint histogram on a device. */

namespace itk::CudaSpline
{

/** \brief Memory in which the histograms of blocks are added: the count; the finest digits; sums of the other digits,
 * one plane of bins for each PlaneBlocks blocks. */
struct HistogramSpace
{
  unsigned long long * sums;
  bool                 isShared; ///< blocks have their own histograms, in shared memory
  std::int64_t         samples;  ///< samples of a block
};

} // namespace itk::CudaSpline

#endif
