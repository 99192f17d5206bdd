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
#ifndef itkCudaSpline_kernels_resampling_ResampleTask_h
#define itkCudaSpline_kernels_resampling_ResampleTask_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/resampling/Resample.h"

#include <cstddef>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A resampling from the host's pixels on: what is made of them, and what is done with that. */
struct ResampleTask
{
  SourceDescriptor   samples;               ///< what is evaluated
  bool               needsOutside{ false }; ///< whether another source of the same pixels continues them outside
  SourceDescriptor   outside;               ///< that source, of as many samples
  ResampleDescriptor resampling;            ///< what is done; its \c extrapolation is not read
  /** True where the value of a point that is outside is that of the nearest sample. */
  bool extrapolates{ false };
};

/** \brief A task of a description.
 *
 * \param[in] samples what is evaluated
 * \param[in] resampling what is done
 * \param[in] extrapolates whether the value of a point that is outside is that of the nearest sample */
ResampleTask
MakeResampleTask(const SourceDescriptor & samples, const ResampleDescriptor & resampling, bool extrapolates);

/** \brief The type of elements that are only moved: the pixels' own, or of pixels of several numbers, whose sources are
 * real, one that holds them as well as a double does.
 *
 * \param[in] samples pixel type and components */
ScalarType
ElementToMove(const SourceDescriptor & samples);

/** \brief Whether the elements of a source are the image's samples, so that what continues it outside is read there.
 *
 * \param[in] samples the source */
bool
HasPixels(const SourceDescriptor & samples);

/** \brief The samples that continue an image outside: its pixels as they are.
 *
 * \param[in] samples any source of the image */
SourceDescriptor
OutsideOf(const SourceDescriptor & samples);

/** \brief Plans a task that is done at once on a device: PlanResample(), and what continues the image outside.
 *
 * \param[in] task what is done
 * \param[in] budget bytes that may be allocated */
MemoryPlan
PlanTask(const ResampleTask & task, std::size_t budget);

/** \brief Work of a task, its sources included.
 *
 * \param[in] task what is done */
OperationWork
CountTaskWork(const ResampleTask & task);

/** @} */
} // namespace itk::CudaSpline

#endif
