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
#ifndef itkCudaSpline_kernels_resampling_Resample_h
#define itkCudaSpline_kernels_resampling_Resample_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/evaluation/Interpolation.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"
#include "itkCudaSpline/math/StoredType.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What one resampling does: the kernel descriptor.
 *
 * Template parameters of the kernels are the dimension (2 or 3; 1 too), the interpolation with its order, and the
 * precision (float or double). All else is here, at run time. See doc/Architecture.md. */
struct ResampleDescriptor : InterpolationDescriptor
{
  StoredType   output{ ScalarType::Float32 }; ///< type of the output pixels, and how integers are made
  std::int64_t samples{ 0 };                  ///< output samples a scanline that are wanted
  std::int64_t lines{ 0 };                    ///< output scanlines that are wanted, in memory order
  std::int64_t lineOffset{ 0 };               ///< first wanted sample, from the start of the largest possible scanline
  std::int64_t lineLength{ 1 };               ///< samples of the largest possible scanline
  /** Wanted lines of a slice of the output, 0 where it has none: which samples a device takes together depends on it,
   * and nothing else. */
  std::int64_t sliceLines{ 0 };

  /** \name Where the samples are
   * One of the first three is given, or on a device the fourth alone. */
  ///@{
  /** Continuous input indices of the two ends of every wanted scanline: lines x (start, end) x dimension, host memory.
   */
  const double * scanlineEnds{ nullptr };
  /** Transforms that a kernel walks; the wanted samples are its region. */
  const TransformChain * chain{ nullptr };
  /** Writes the continuous input indices of some whole lines, \c samples x dimension numbers each, into host memory;
   * called by several threads at once. */
  std::function<void(std::int64_t firstLine, std::int64_t lines, double * indices)> indexProvider;
  /** Affine maps (HasAffineScanlines()) of which a device makes the scanline ends if they are null: those of the whole
   * output, which is the region of the chain. */
  const TransformChain * scanlineChain{ nullptr };
  ///@}

  std::uint64_t defaultPixel{ 0 }; ///< bits of the output pixel where the point is outside, in the low bytes
  /** The same for pixels of several components: a number each, host memory. */
  const std::uint64_t * defaultPixels{ nullptr };
  /** Where a point is outside the value is that of the nearest sample: of this source, made on the same backend from
   * the same image without a filter. Null: the default pixel. */
  const SampleSource * extrapolation{ nullptr };
};

/** \brief Resamples a source onto the scanlines of the descriptor.
 *
 * \param[in] descriptor what is done
 * \param[in] source samples or coefficients; made by the same backend (and device) as the context names
 * \param[out] output host memory, descriptor.samples x descriptor.lines pixels of descriptor.output, sample index
 *   fastest; the components of a pixel, as many as those of the source, follow each other
 * \param[in] context backend, device, threads, progress
 * \exception std::invalid_argument a dimension or order that is not built, or a source of another backend
 * \exception DeviceError a device that is out of memory or lost; what was written to output is then undefined
 * \exception OperationAborted the progress callback stopped it
 *
 * \par Accuracy
 * see SplineValue() and LinearValue(); coordinates are ITK's bit for bit */
void
Resample(const ResampleDescriptor & descriptor,
         const SampleSource &       source,
         void *                     output,
         const ExecutionContext &   context);

/** \brief Plans MakeSource() and Resample() on a device, one after the other.
 *
 * \param[in] source what is evaluated
 * \param[in] resample what is done
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory())
 * \param[in] isMade as for PlanSource() */
MemoryPlan
PlanResample(const SourceDescriptor &   source,
             const ResampleDescriptor & resample,
             std::size_t                budget,
             bool                       isMade = false);

/** \brief Work of Resample().
 *
 * \param[in] source what is evaluated
 * \param[in] resample what is done; its host memory does not matter */
OperationWork
CountResampleWork(const SourceDescriptor & source, const ResampleDescriptor & resample);

/** @} */
} // namespace itk::CudaSpline

#endif
