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
#ifndef HostHistogram_h
#define HostHistogram_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/math/ParzenBins.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

/** \file
 * \brief Joint histograms on the host. */

namespace itk::CudaSpline
{

/** \brief Weights rounded as in the metric: in digits, see ParzenWeight. */
struct DigitsOfParzenWeight
{
  static constexpr std::size_t Count = 3; ///< digits of a weight
  bool                         isDouble;  ///< all three of them are used

  std::array<std::uint64_t, Count>
  operator()(double weight) const
  {
    const ParzenWeight made = isDouble ? ParzenWeight::OfThreeDigits(weight) : ParzenWeight(weight, false);
    return { { made.digit[0], made.digit[1], made.digit[2] } };
  }
  double
  GetUnit(std::size_t digit) const
  {
    return ParzenWeight::Units[digit];
  }
};

/** \brief Weights as one integer, in the smallest units with which all samples may be in one bin. */
struct OneDigit
{
  static constexpr std::size_t Count = 1;       ///< integers of a weight
  double                       units{ 0x1p62 }; ///< units of a weight of 1

  /** \param[in] samples number of samples */
  explicit OneDigit(std::int64_t samples)
  {
    for (double capacity = 1.0; capacity < static_cast<double>(samples); capacity *= 2.0)
    {
      units *= 0.5;
    }
  }

  std::array<std::uint64_t, Count>
  operator()(double weight) const
  {
    return { { static_cast<std::uint64_t>(std::llrint(weight * units)) } };
  }
  double
  GetUnit(std::size_t) const
  {
    return 1.0 / units;
  }
};

/** \brief A histogram whose weights are summed as integers, in any order.
 *
 * \tparam TDigits converts weights to integers: DigitsOfParzenWeight or OneDigit */
template <typename TDigits>
class HostHistogram
{
public:
  /** \param[in] size number of bins
   * \param[in] digits converts weights to integers */
  HostHistogram(std::size_t size, const TDigits & digits)
    : m_Bins(size)
    , m_Digits(digits)
  {}

  /** Adds a weight to a bin. */
  void
  Add(int bin, double weight)
  {
    AddDigits(m_Bins[static_cast<std::size_t>(bin)], m_Digits(weight));
  }

  /** Adds samples on all threads; the result does not depend on their number.
   *
   * \param[in] count number of samples
   * \param[in] context the threads
   * \param[in] add called with the first sample, the end, and a histogram to which it adds these samples */
  template <typename TAdd>
  void
  AddSamples(std::int64_t count, const ExecutionContext & context, const TAdd & add)
  {
    std::mutex mutex;
    context.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
      HostHistogram own(m_Bins.size(), m_Digits);
      add(begin, end, own);
      const std::lock_guard<std::mutex> lock(mutex);
      for (std::size_t bin = 0; bin < m_Bins.size(); ++bin)
      {
        AddDigits(m_Bins[bin], own.m_Bins[bin]);
      }
    });
  }

  /** The sum of a bin's weights. */
  double
  GetWeight(std::size_t bin) const
  {
    double sum = 0.0;
    for (std::size_t k = 0; k < TDigits::Count; ++k)
    {
      sum += static_cast<double>(m_Bins[bin][k]) * m_Digits.GetUnit(k);
    }
    return sum;
  }

private:
  using Bin = std::array<std::uint64_t, TDigits::Count>;

  static void
  AddDigits(Bin & sum, const Bin & digits)
  {
    for (std::size_t k = 0; k < TDigits::Count; ++k)
    {
      sum[k] += digits[k];
    }
  }

  std::vector<Bin> m_Bins;
  TDigits          m_Digits;
};

template <typename TDigits>
HostHistogram(std::size_t, const TDigits &) -> HostHistogram<TDigits>;

} // namespace itk::CudaSpline

#endif
