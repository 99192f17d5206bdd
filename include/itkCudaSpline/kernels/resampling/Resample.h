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

/** \brief The parameters of a resampling: the kernel descriptor.
 *
 * Template parameters of the kernels are the dimension (1 to 3), the interpolation with its order, and the precision
 * (float or double). All other parameters are here, at run time. See doc/Architecture.md. */
struct ResampleDescriptor : InterpolationDescriptor
{
  StoredType   output{ ScalarType::Float32 }; ///< type of the output pixels, and conversion to integers
  std::int64_t samples{ 0 };                  ///< requested output samples per scanline
  std::int64_t lines{ 0 };                    ///< requested output scanlines, in memory order
  /** First requested sample, relative to the start of the largest possible scanline. */
  std::int64_t lineOffset{ 0 };
  std::int64_t lineLength{ 1 }; ///< samples of the largest possible scanline
  /** Requested lines per slice of the output, or 0 if it has no slices. It only affects which samples a device computes
   * together. */
  std::int64_t sliceLines{ 0 };

  /** \name Where the samples are
   * One of the first three is given, or on a device the fourth alone. */
  ///@{
  /** Continuous input indices of both ends of every requested scanline: lines x (start, end) x dimension, in host
   * memory.
   */
  const double * scanlineEnds{ nullptr };
  /** Transforms that a kernel evaluates; its region contains the requested samples. */
  const TransformChain * chain{ nullptr };
  /** Writes the continuous input indices of some whole lines to host memory, \c samples x dimension numbers per line.
   * Several threads call it at once. */
  std::function<void(std::int64_t firstLine, std::int64_t lines, double * indices)> indexProvider;
  /** Affine maps (HasAffineScanlines()) of which a device makes the scanline ends if they are null: those of the whole
   * output, which is the region of the chain. */
  const TransformChain * scanlineChain{ nullptr };
  ///@}

  std::uint64_t defaultPixel{ 0 }; ///< bits of the output pixel for points outside, in the low bytes
  /** The same for pixels with several components: one number per component, in host memory. */
  const std::uint64_t * defaultPixels{ nullptr };
  /** The source whose nearest sample is the value of a point outside. It is made without a filter on the same backend
   * from the same image. Null: the default pixel. */
  const SampleSource * extrapolation{ nullptr };
};

/** \brief Resamples a source to the scanlines of the descriptor.
 *
 * \param[in] descriptor the resampling
 * \param[in] source samples or coefficients; made by the backend (and device) of the context
 * \param[out] output host memory, descriptor.samples x descriptor.lines pixels of descriptor.output, sample index
 * fastest; the components of a pixel, as many as the source has, are contiguous
 * \param[in] context backend, device, threads, progress
 * \exception std::invalid_argument an unsupported dimension or order, or a source of another backend
 * \exception DeviceError a device that is out of memory or lost; the output is then undefined
 * \exception OperationAborted the progress callback stopped it
 *
 * \par Accuracy
 * see SplineValue() and LinearValue(); coordinates are bitwise equal to ITK's */
void
Resample(const ResampleDescriptor & descriptor,
         const SampleSource &       source,
         void *                     output,
         const ExecutionContext &   context);

/** \brief Plans the memory of MakeSource() followed by Resample() on a device.
 *
 * \param[in] source the source
 * \param[in] resample the resampling
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory())
 * \param[in] isMade as for PlanSource() */
MemoryPlan
PlanResample(const SourceDescriptor &   source,
             const ResampleDescriptor & resample,
             std::size_t                budget,
             bool                       isMade = false);

/** \brief Work of Resample().
 *
 * \param[in] source the source
 * \param[in] resample the resampling; its arrays are not read */
OperationWork
CountResampleWork(const SourceDescriptor & source, const ResampleDescriptor & resample);

/** @} */
} // namespace itk::CudaSpline

#endif
