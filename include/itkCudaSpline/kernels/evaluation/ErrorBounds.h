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
#ifndef itkCudaSpline_kernels_evaluation_ErrorBounds_h
#define itkCudaSpline_kernels_evaluation_ErrorBounds_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/evaluation/Interpolation.h"

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief How far a value of a B-spline can be from that of coefficients that are not rounded for storage.
 *
 * The weights are non-negative and sum to 1, so it is the largest rounding of a finite coefficient: u times the largest
 * magnitude where coefficients are computed, u being 2^-24 or 2^-53 (0 where samples are their coefficients, and no
 * bits are lost), and the bound of their scale (StorageScale::errorBound) where they are packed. A derivative along an
 * axis errs by twice as much a sample.
 *
 * Coefficients that are not packed are read once to find the largest.
 *
 * \param[in] source the source; of any storage
 * \param[in] context threads of the host, where the source is in its memory
 * \exception DeviceError a device that is out of memory or lost */
double
StorageErrorBound(const SampleSource & source, const ExecutionContext & context);

/** \brief How far a value of a B-spline, or of linear interpolation, can be from the exact sum over coefficients that
 * are not rounded for storage: StorageErrorBound(), what fetches add in the texture modes (TextureErrorBound()), and
 * the rounding of the sum.
 *
 * In D dimensions a sum of order n is rounded by at most D (3 n + 8) u c: the weights of an axis take at most 2 n + 2
 * operations on terms of at most 2, the sum n + 1 products and additions; c is the largest magnitude of the
 * coefficients, u 2^-24 or, where they are double, 2^-53. Order 0 has no sum. TextureErrorBound() has its own.
 *
 * \param[in] method the mode
 * \param[in] source a source of the mode's storage
 * \param[in] context threads of the host, where the source is in its memory
 * \exception DeviceError a device that is out of memory or lost */
double
ModeErrorBound(const InterpolationDescriptor & method, const SampleSource & source, const ExecutionContext & context);

/** \brief Whether ModeErrorBound() is reported for an operation: if the source has it already, and if the user requests
 * it.
 *
 * \param[in] method the mode
 * \param[in] source storage of the coefficients
 * \param[in] isWanted the user asks */
inline bool
GivesErrorBound(const InterpolationDescriptor & method, const SourceDescriptor & source, bool isWanted)
{
  return source.storage != CoefficientStorage::Element || (isWanted && HasErrorBound(method.interpolation));
}

/** @} */
} // namespace itk::CudaSpline

#endif
