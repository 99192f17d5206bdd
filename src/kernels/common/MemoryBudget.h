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
#ifndef MemoryBudget_h
#define MemoryBudget_h

#include "itkCudaSpline/kernels/common/MemoryPlan.h"

#include <cstddef>
#include <cstdint>

/** \file
 * \brief Compares plans of memory with the memory that a device can allocate. */

namespace itk::CudaSpline
{

/** \brief Marks a plan as not fitting, with the reason, if its peak is above the budget.
 *
 * \param[in,out] plan all its bytes are set
 * \param[in] budget bytes that may be allocated */
void
RefuseUnlessWithin(MemoryPlan & plan, std::size_t budget);

/** \brief Sets the lines of a slab: slabs shrink to a single scanline if necessary, before a plan does not fit.
 *
 * \param[in,out] plan its source and its table are set
 * \param[in] lines lines of the output
 * \param[in] lineBytes bytes of a line
 * \param[in] budget bytes that may be allocated */
void
SetSlabLines(MemoryPlan & plan, std::int64_t lines, std::size_t lineBytes, std::size_t budget);

} // namespace itk::CudaSpline

#endif
