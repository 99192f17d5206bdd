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
#ifndef itkCudaSpline_math_ValueRange_h
#define itkCudaSpline_math_ValueRange_h

#include <cstddef>
#include <limits>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief The smallest and the greatest of a list of numbers, with the comparisons of
 * itk::MattesMutualInformationImageToImageMetricv4::Initialize(), one number after the other:
 *
 * least = least < value ? least : value
 *
 * greatest = greatest > value ? greatest : value
 *
 * They begin with the greatest and the lowest finite number. NaN therefore replaces all earlier values, and the next
 * number replaces NaN. Ranges of consecutive parts of a list, appended in their order, give the range of the list.
 *
 * \tparam TValue float or double */
template <typename TValue>
class ValueRange
{
public:
  /** \brief Continues with the numbers of an array.
   *
   * \param[in] values the first of them
   * \param[in] count number of values */
  void
  Add(const TValue * values, std::size_t count)
  {
    if (count == 0)
    {
      return;
    }
    ValueRange next;
    next.m_IsEmpty = false;
    next.m_Least = values[0];
    next.m_Greatest = values[0];
    for (std::size_t i = 0; i < count; ++i)
    {
      const TValue value = values[i];
      next.m_Least = next.m_Least < value ? next.m_Least : value;
      next.m_Greatest = next.m_Greatest > value ? next.m_Greatest : value;
      next.m_HasNaN |= value != value;
    }
    this->Append(next);
  }

  /** \brief Continues with the numbers of another list.
   *
   * \param[in] next their range */
  void
  Append(const ValueRange & next)
  {
    if (next.m_IsEmpty)
    {
      return;
    }
    if (m_IsEmpty || next.m_HasNaN) // NaN replaces earlier values
    {
      *this = next;
      return;
    }
    m_Least = m_Least < next.m_Least ? m_Least : next.m_Least;
    m_Greatest = m_Greatest > next.m_Greatest ? m_Greatest : next.m_Greatest;
  }

  /** The smallest number found by ITK's comparisons; the greatest finite number for an empty list, and if all are
   * infinite. */
  TValue
  GetLeast() const
  {
    constexpr TValue first = std::numeric_limits<TValue>::max();
    return m_IsEmpty || (!m_HasNaN && first < m_Least) ? first : m_Least;
  }

  /** The greatest number found by ITK's comparisons; the lowest finite number for an empty list, and if all are
   * -infinity. */
  TValue
  GetGreatest() const
  {
    constexpr TValue first = std::numeric_limits<TValue>::lowest();
    return m_IsEmpty || (!m_HasNaN && first > m_Greatest) ? first : m_Greatest;
  }

private:
  bool   m_IsEmpty{ true };
  bool   m_HasNaN{ false };
  TValue m_Least{};
  TValue m_Greatest{};
};

/** @} */
} // namespace itk::CudaSpline

#endif
