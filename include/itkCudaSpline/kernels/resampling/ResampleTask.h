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

/** \brief A resampling of pixels: the source made from them, and its evaluation. */
struct ResampleTask
{
  SourceDescriptor   samples;               ///< the source
  bool               needsOutside{ false }; ///< whether a second source of the same pixels continues them outside
  SourceDescriptor   outside;               ///< that source, with as many samples
  ResampleDescriptor resampling;            ///< the resampling; its \c extrapolation is not read
  /** True if the value of a point outside is that of the nearest sample. */
  bool extrapolates{ false };
};

/** \brief Creates a task.
 *
 * \param[in] samples the source
 * \param[in] resampling the resampling
 * \param[in] extrapolates whether the value of a point outside is that of the nearest sample */
ResampleTask
MakeResampleTask(const SourceDescriptor & samples, const ResampleDescriptor & resampling, bool extrapolates);

/** \brief The element type of samples that are only copied: the pixels' own type. For pixels with several components,
 * whose sources are real, it is a type that represents the components as exactly as double does.
 *
 * \param[in] samples pixel type and components */
ScalarType
ElementToMove(const SourceDescriptor & samples);

/** \brief Whether the elements of a source are the image's samples, so that values outside can be read from it.
 *
 * \param[in] samples the source */
bool
HasPixels(const SourceDescriptor & samples);

/** \brief The source that continues an image outside: its unchanged pixels.
 *
 * \param[in] samples any source of the image */
SourceDescriptor
OutsideOf(const SourceDescriptor & samples);

/** \brief Plans the memory of a task that is done at once on a device: PlanResample(), and the source that continues
 * the image outside.
 *
 * \param[in] task the resampling
 * \param[in] budget bytes that may be allocated */
MemoryPlan
PlanTask(const ResampleTask & task, std::size_t budget);

/** \brief Work of a task, including its sources.
 *
 * \param[in] task the resampling */
OperationWork
CountTaskWork(const ResampleTask & task);

/** @} */
} // namespace itk::CudaSpline

#endif
