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
#ifndef FieldLoopCpu_h
#define FieldLoopCpu_h

#include "itkCudaSpline/kernels/common/Residence.h"

#include "kernels/fields/common/FieldGeometry.h"

namespace itk::CudaSpline
{

/** \brief Calls \p body with each sample of a grid, row by row, on the host's threads. */
template <typename TBody>
void
ForEachSampleOnCpu(const FieldWalk & walk, const Residence & residence, const TBody & body)
{
  residence.GetContext().ParallelFor(walk.size[1] * walk.size[2], [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
    {
      for (std::int64_t x = 0; x < walk.size[0]; ++x)
      {
        const std::int64_t at[3] = { x, row % walk.size[1], row / walk.size[1] };
        body(at);
      }
    }
  });
}

} // namespace itk::CudaSpline

#endif
