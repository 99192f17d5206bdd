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
 * \brief How long an operation takes on the host and on a device, estimated before it starts.
 *
 * Each operation counts its work next to its descriptor (CountResampleWork() and so on); typical speeds make seconds of
 * that. The model is linear and knows neither caches nor this machine: what calls have really taken corrects it
 * (BackendLedger.h). */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What an operation does, in counts that do not depend on the machine. */
struct OperationWork
{
  double uploadBytes{ 0.0 };    ///< pixels that travel to a device
  double convertSamples{ 0.0 }; ///< pixels converted to elements
  double filterPasses{ 0.0 };   ///< samples times filtered axes times poles; a double counts twice
  double samples{ 0.0 };        ///< output samples
  double taps{ 0.0 };           ///< output samples times the samples that each is made of; a double counts twice
  double sums{ 0.0 };           ///< samples that a metric adds up; those of a derivative count three times
  double downloadBytes{ 0.0 };  ///< results that travel back

  /** Stands for what is not counted: operation, method, types (KindOf()). Calls of one kind and about one size are
   * expected to be off the model by the same factor. 0: nothing is done. */
  std::uint64_t kind{ 0 };
};

/** \brief A number for a kind of work: equal for equal numbers in the same order, as good as never for others.
 *
 * \param[in] parts what makes the kind: an operation's own number first, then its method, types and the like */
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

/** \brief The sum of two operations, one after the other. */
OperationWork
operator+(const OperationWork & first, const OperationWork & second);

/** \brief Speeds of the host's kernels, in seconds a unit by all threads together. */
struct HostSpeeds
{
  double convert{ 0.0 }; ///< s a converted sample
  double filter{ 0.0 };  ///< s a filter pass
  double sample{ 0.0 };  ///< s an output sample
  double tap{ 0.0 };     ///< s a tap
  double sum{ 0.0 };     ///< s a sum
};

/** \brief Speeds of a device, in seconds a unit. */
struct DeviceSpeeds
{
  double start{ 0.0 };     ///< s until a process can use CUDA
  double end{ 0.0 };       ///< s that a process which has used CUDA takes longer to end
  double operation{ 0.0 }; ///< s that every operation takes: allocations, launches, waits
  double upload{ 0.0 };    ///< s a byte from pageable memory
  double filter{ 0.0 };    ///< s a filter pass
  double sample{ 0.0 };    ///< s an output sample
  double tap{ 0.0 };       ///< s a tap
  double sum{ 0.0 };       ///< s a sum
  double download{ 0.0 };  ///< s a byte into fresh pageable memory
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
 * \param[in] work what has to be done
 * \param[in] speeds speeds of the host */
double
EstimateSeconds(const OperationWork & work, const HostSpeeds & speeds);

/** \brief Seconds of an operation on a device that was started before.
 *
 * \param[in] work what has to be done
 * \param[in] speeds speeds of the device */
double
EstimateSeconds(const OperationWork & work, const DeviceSpeeds & speeds);

/** @} */
} // namespace itk::CudaSpline

#endif
