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

/** \brief Bound of the error of a B-spline's value that is due to the rounding of stored coefficients.
 *
 * The weights are non-negative and sum to 1: the bound is the largest rounding of a finite coefficient. For
 * coefficients that are not packed it is u times their largest magnitude, where u is 2^-24 or 2^-53 (0 if samples are
 * their own coefficients, and no bits are lost). For packed coefficients it is the bound of their scale
 * (StorageScale::errorBound). The bound of a derivative along an axis is twice as large, per sample.
 *
 * Coefficients that are not packed are read once to find the largest magnitude.
 *
 * \param[in] source source of any storage
 * \param[in] context threads of the host, for a source in its memory
 * \exception DeviceError a device that is out of memory or lost */
double
StorageErrorBound(const SampleSource & source, const ExecutionContext & context);

/** \brief Bound of the error of a value of a B-spline or of linear interpolation, compared with the exact sum over
 * coefficients without storage rounding. It is the sum of StorageErrorBound(), the error of texture fetches in the
 * texture modes (TextureErrorBound()), and the rounding of the sum.
 *
 * In D dimensions the rounding of a sum of order n is at most D (3 n + 8) u c. The weights of an axis take at most 2 n
 * + 2 operations on terms of at most 2, and the sum takes n + 1 products and additions. c is the largest magnitude of
 * the coefficients; u is 2^-24, or 2^-53 for double coefficients. Order 0 has no sum. TextureErrorBound() includes its
 * own sum.
 *
 * \param[in] method the mode
 * \param[in] source source with the mode's storage
 * \param[in] context threads of the host, for a source in its memory
 * \exception DeviceError a device that is out of memory or lost */
double
ModeErrorBound(const InterpolationDescriptor & method, const SampleSource & source, const ExecutionContext & context);

/** \brief Whether ModeErrorBound() is reported for an operation: if the source already provides it, or if the user
 * requests it.
 *
 * \param[in] method the mode
 * \param[in] source storage of the coefficients
 * \param[in] isWanted the user requests it */
inline bool
GivesErrorBound(const InterpolationDescriptor & method, const SourceDescriptor & source, bool isWanted)
{
  return source.storage != CoefficientStorage::Element || (isWanted && HasErrorBound(method.interpolation));
}

/** @} */
} // namespace itk::CudaSpline

#endif
