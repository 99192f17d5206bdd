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
#ifndef LocalCorrelationBackends_h
#define LocalCorrelationBackends_h

#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

/** \file
 * \brief EvaluateLocalCorrelation() on each backend; arguments have been checked. */

namespace itk::CudaSpline
{

/** \brief Results of EvaluateLocalCorrelation(). */
struct LocalCorrelationResults
{
  LocalCorrelationSums * sums;
  void *                 movingDerivative;
  void *                 fixedDerivative;
  void *                 scratch;
};

/** \brief Calls \p run with a number of the type of the pixels, and whether products are rounded as in ITK. */
template <typename TRun>
void
DispatchLocalCorrelation(const LocalCorrelationDescriptor & descriptor, const TRun & run)
{
  if (descriptor.pixel == ScalarType::Float64) // whose products are always rounded
  {
    run(double(), std::true_type());
  }
  else if (descriptor.arithmetic == ScalarType::Float64)
  {
    run(float(), std::true_type());
  }
  else
  {
    run(float(), std::false_type());
  }
}

/** \brief See EvaluateLocalCorrelation(). */
void
EvaluateLocalCorrelationOnCpu(const LocalCorrelationDescriptor & descriptor,
                              const LocalCorrelationImages &     images,
                              const LocalCorrelationResults &    results,
                              const Residence &                  residence);

/** \brief See EvaluateLocalCorrelation(). */
void
EvaluateLocalCorrelationOnCuda(const LocalCorrelationDescriptor & descriptor,
                               const LocalCorrelationImages &     images,
                               const LocalCorrelationResults &    results,
                               const Residence &                  residence);

/** \brief Rounds numbers to float, in the memory of the backend. */
///@{
void
RoundToSingle(const double * from, float * to, std::int64_t count, const Residence & residence);
void
RoundToSingleOnCuda(const double * from, float * to, std::int64_t count, const Residence & residence);
///@}

/** \brief See CountLocalCorrelationScratch(). */
std::size_t
CountLocalCorrelationScratchOnCuda(const LocalCorrelationDescriptor & descriptor, const Residence & residence);

} // namespace itk::CudaSpline

#endif
