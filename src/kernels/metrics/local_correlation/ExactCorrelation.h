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
#ifndef ExactCorrelation_h
#define ExactCorrelation_h

#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"

#include <cstddef>
#include <cstdint>

/** \file
 * \brief Local correlation of pairs of images with exact gradients, for metrics of registrations and losses of
 * automatic differentiation. */

namespace itk::CudaSpline
{

struct StepDevices;

/** \brief The number of ExactWindowNumbers that one derivative needs. */
inline constexpr int FactorsOfOne = 3;

/** \brief Pairs of images, each compared separately: their arrays follow one another. Arguments have been checked. */
struct ExactCorrelation
{
  LocalCorrelationDescriptor descriptor; ///< for one pair; the grid may have one axis if derivatives are factors
  LocalCorrelationImages     images;     ///< of the first pair
  std::int64_t               pairs{ 1 };
  std::int64_t               maskStride{ 0 }; ///< distance of the next pair's masks (samples)
  /** The sum of a pair with a non-finite value in a window is NaN; else such a window is a flat one. */
  bool                   keepsNonFinite{ false };
  LocalCorrelationSums * sums{ nullptr };             ///< one per pair
  void *                 movingDerivative{ nullptr }; ///< null: not computed
  void *                 fixedDerivative{ nullptr };  ///< null: not computed
  void *                 scratch{ nullptr };          ///< CountExactCorrelationScratch() bytes
  std::size_t            devices{ 1 };                ///< devices that share a single pair, see CountSharing()
};

/** \brief Numbers of a window that the requested derivatives need. */
inline int
CountFactors(const ExactCorrelation & correlation)
{
  const bool ofFixed = correlation.fixedDerivative != nullptr;
  const bool ofMoving = correlation.movingDerivative != nullptr;
  return ofFixed && ofMoving ? ExactWindowNumbers : (ofFixed || ofMoving ? FactorsOfOne : 0);
}

/** \brief Bytes of scratch memory, on the host or on a device.
 *
 * \param[in] factors CountFactors(), or more
 * \param[in] device ordinal; -1: the host
 * \exception DeviceError the windows do not fit into the shared memory of the device */
std::size_t
CountExactCorrelationScratch(const ExactCorrelation & correlation, int factors, int device);

/** \brief Evaluates sums and derivatives; see EvaluateLocalCorrelation(). On devices the call is asynchronous. */
///@{
void
EvaluateExactCorrelationOnCpu(const ExactCorrelation & correlation, const ExecutionContext & context);
void
EvaluateExactCorrelationOnCuda(const ExactCorrelation & correlation, const StepDevices & devices);
///@}

/** \brief Evaluates losses on a device, and allocates their memory. The call is asynchronous.
 *
 * \param[in] correlation without sums and scratch memory
 * \param[out] sums sums of the squared correlations, one number of the type of the pixels per pair, in device memory
 * \param[in] stream stream of the caller, in which all work is enqueued; null: the default stream
 * \exception DeviceError out of memory, or a lost device */
void
EvaluateLossOnCuda(ExactCorrelation correlation, void * sums, StreamHandle stream, int device);

/** \brief Part of CountExactCorrelationScratch(): partial sums of blocks (bytes). */
std::size_t
CountExactPartialSumsOnCuda(const ExactCorrelation & correlation, int factors, int device);

} // namespace itk::CudaSpline

#endif
