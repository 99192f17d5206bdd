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
#ifndef ValueRun_h
#define ValueRun_h

#include "itkCudaSpline/math/StoredType.h"

#include <cstdint>

/** \file
 * \brief Values of samples one after the other, which are stored together. */

namespace itk::CudaSpline
{

/** \brief Samples of a run. */
inline constexpr int SamplesOfRun = 64;

/** \brief The values of a run, and which samples have one. */
template <typename TReal>
struct ValueRun
{
  TReal        value[SamplesOfRun];    ///< of the samples that have one
  std::uint8_t isSet[SamplesOfRun]{};  ///< 1: it has a value, which is stored
  std::uint8_t isDone[SamplesOfRun]{}; ///< 1: nothing is left to evaluate
  bool         isAllDone{ false };     ///< of all samples

  /** Sets the value of a sample. */
  void
  Set(int sample, TReal number)
  {
    value[sample] = number;
    isSet[sample] = 1;
  }
};

/** \brief Holds an index within bounds: without a branch and in doubles, so that the compiler makes vectors of a run.
 *
 * \param[in] index the index; NaN is outside
 * \param[in] first, last the bounds: the first index, and the end
 * \param[out] held the index, or \p first where it is outside
 * \return 1 for inside, else 0 */
CUDASPLINE_INLINE double
HoldWithin(double index, double first, double last, double & held)
{
  const double raised = index >= first ? index : first;
  held = raised < last ? raised : first;
  return (index >= first ? 1.0 : 0.0) * (index < last ? 1.0 : 0.0);
}

/** \brief Stores the values that are set, by StoreScalar().
 *
 * \param[in] run the values
 * \param[in] count samples of the run
 * \param[out] output first pixel of the output
 * \param[in] type its type, and how integers are rounded
 * \param[in] at number of the run's first sample in the output
 * \param[in] stride numbers from a sample to the next */
///@{
void
StoreRun(const ValueRun<float> & run,
         int                     count,
         void *                  output,
         StoredType              type,
         std::int64_t            at,
         std::int64_t            stride = 1);
void
StoreRun(const ValueRun<double> & run,
         int                      count,
         void *                   output,
         StoredType               type,
         std::int64_t             at,
         std::int64_t             stride = 1);
///@}

/** \brief StoreScalar(), as a function that is called. */
///@{
void
StoreValue(void * output, StoredType type, std::int64_t at, float value);
void
StoreValue(void * output, StoredType type, std::int64_t at, double value);
///@}

} // namespace itk::CudaSpline

#endif
