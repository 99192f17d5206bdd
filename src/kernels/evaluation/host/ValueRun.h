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
 * \brief Values of consecutive samples, which are stored together. */

namespace itk::CudaSpline
{

/** \brief Samples of a run. */
inline constexpr int SamplesOfRun = 64;

/** \brief The values of a run, and flags of the samples that have one. */
template <typename TReal>
struct ValueRun
{
  TReal        value[SamplesOfRun];    ///< valid if \c isSet
  std::uint8_t isSet[SamplesOfRun]{};  ///< 1: the value is set and will be stored
  std::uint8_t isDone[SamplesOfRun]{}; ///< 1: the sample is completely evaluated
  bool         isAllDone{ false };     ///< all samples are completely evaluated

  /** Sets the value of a sample. */
  void
  Set(int sample, TReal number)
  {
    value[sample] = number;
    isSet[sample] = 1;
  }
};

/** \brief Clamps an index to bounds, without branches and in doubles, so that the loop over a run is vectorised.
 *
 * \param[in] index the index; NaN is outside
 * \param[in] first, last the bounds: the first index, and the end
 * \param[out] held the index, or \p first if it is outside
 * \return 1 for inside, else 0 */
CUDASPLINE_INLINE double
HoldWithin(double index, double first, double last, double & held)
{
  const double raised = index >= first ? index : first;
  held = raised < last ? raised : first;
  return (index >= first ? 1.0 : 0.0) * (index < last ? 1.0 : 0.0);
}

/** \brief Stores the values that are set, with StoreScalar().
 *
 * \param[in] run the values
 * \param[in] count samples of the run
 * \param[out] output first pixel of the output
 * \param[in] type its type, with the rounding of integers
 * \param[in] at number of the run's first sample in the output
 * \param[in] stride distance of successive samples (numbers) */
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

/** \brief StoreScalar(), as a function that is not inlined. */
///@{
void
StoreValue(void * output, StoredType type, std::int64_t at, float value);
void
StoreValue(void * output, StoredType type, std::int64_t at, double value);
///@}

} // namespace itk::CudaSpline

#endif
