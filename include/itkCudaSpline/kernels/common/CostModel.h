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
#ifndef itkCudaSpline_kernels_common_CostModel_h
#define itkCudaSpline_kernels_common_CostModel_h

#include <cstdint>
#include <initializer_list>

/** \file
 * \brief Estimates the duration of an operation on the host and on a device.
 *
 * Each operation counts its work next to its descriptor (CountResampleWork() and so on); typical speeds convert it to
 * seconds. The model is linear and ignores caches and the actual machine: measured durations correct it
 * (BackendCostModel.h). */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The work of an operation, in counts that do not depend on the machine. */
struct OperationWork
{
  double uploadBytes{ 0.0 };    ///< bytes that are transferred to a device
  double convertSamples{ 0.0 }; ///< pixels converted to elements
  double filterPasses{ 0.0 };   ///< samples times filtered axes times poles; a double counts twice
  double samples{ 0.0 };        ///< output samples
  double taps{ 0.0 };           ///< output samples times the input samples for each of them; a double counts twice
  double sums{ 0.0 };           ///< samples that a metric sums; those of a derivative count three times
  double downloadBytes{ 0.0 };  ///< bytes of results that are transferred to the host

  /** Identifies properties that are not counted: operation, method, types (KindOf()). The model is expected to be off
   * by the same factor for calls of one kind and similar size. 0: no work. */
  std::uint64_t kind{ 0 };
};

/** \brief A number for a kind of work: equal for equal numbers in the same order, and almost certainly different for
 * others.
 *
 * \param[in] parts properties of the kind: the operation's WorkKind first, then its method, types and so on */
std::uint64_t
KindOf(std::initializer_list<std::uint64_t> parts);

/** \brief The first number of a kind. */
enum class WorkKind : std::uint64_t
{
  Source = 1,
  Prefilter,
  Resample,
  Points,
  Displacements,
  Metric,
  Gaussian,
  Fields,
  Syn,
  Linear
};

/** \brief The sum of two operations that run one after the other. */
OperationWork
operator+(const OperationWork & first, const OperationWork & second);

/** \brief Speeds of the host's kernels with all threads, in seconds per unit. */
struct HostSpeeds
{
  double convert{ 0.0 }; ///< s per converted sample
  double filter{ 0.0 };  ///< s per filter pass
  double sample{ 0.0 };  ///< s per output sample
  double tap{ 0.0 };     ///< s per tap
  double sum{ 0.0 };     ///< s per sum
};

/** \brief Speeds of a device, in seconds per unit. */
struct DeviceSpeeds
{
  double start{ 0.0 };     ///< s until a process can use CUDA
  double end{ 0.0 };       ///< additional s to end a process that has used CUDA
  double operation{ 0.0 }; ///< s of every operation: allocations, launches, waits
  double upload{ 0.0 };    ///< s per byte from pageable memory
  double filter{ 0.0 };    ///< s per filter pass
  double sample{ 0.0 };    ///< s per output sample
  double tap{ 0.0 };       ///< s per tap
  double sum{ 0.0 };       ///< s per sum
  double download{ 0.0 };  ///< s per byte to newly allocated pageable memory
};

/** \brief Speeds of an ordinary machine of 2024 with one data-centre GPU.
 *
 * \param[in] threads threads of the host */
///@{
HostSpeeds
TypicalHost(unsigned int threads);

DeviceSpeeds
TypicalDevice();
///@}

/** \brief Seconds of an operation on the host.
 *
 * \param[in] work the work
 * \param[in] speeds speeds of the host */
double
EstimateSeconds(const OperationWork & work, const HostSpeeds & speeds);

/** \brief Seconds of an operation on a device that is already started.
 *
 * \param[in] work the work
 * \param[in] speeds speeds of the device */
double
EstimateSeconds(const OperationWork & work, const DeviceSpeeds & speeds);

/** @} */
} // namespace itk::CudaSpline

#endif
