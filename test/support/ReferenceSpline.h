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
#ifndef CudaSplineTest_ReferenceSpline_h
#define CudaSplineTest_ReferenceSpline_h

#include "ReferenceBSpline.h"

#include "itkCudaSpline/math/Extension.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/** \file
 * \brief Spline interpolation in N dimensions in long double on the fully folded extension: the judge where ITK, which
 * folds once, cannot be one, and of accuracy everywhere.
 *
 * Coefficients solve the interpolation equations directly (no recursion, no poles), axis by axis. */

namespace CudaSplineTest
{

using itk::CudaSpline::Extension;

/** \brief One period of sample indices under an extension, written out; index 0 is sample 0. */
inline std::vector<std::int64_t>
ExtensionPeriod(std::int64_t size, Extension extension)
{
  std::vector<std::int64_t> period;
  for (std::int64_t k = 0; k < size; ++k)
  {
    period.push_back(k);
  }
  if (extension == Extension::Mirror)
  {
    for (std::int64_t k = size - 2; k > 0; --k)
    {
      period.push_back(k);
    }
  }
  else if (extension == Extension::Reflect)
  {
    for (std::int64_t k = size - 1; k >= 0; --k)
    {
      period.push_back(k);
    }
  }
  return period;
}

/** \brief The sample at \p index: looked up in the explicit period. */
inline std::int64_t
ReferenceFold(std::int64_t index, const std::vector<std::int64_t> & period)
{
  const auto length = static_cast<std::int64_t>(period.size());
  return period[static_cast<std::size_t>(((index % length) + length) % length)];
}

/** \brief The interpolation equations of one line, factored: sum over k of B(k) c[fold(i + k)] = s[i].
 *
 * Gaussian elimination that skips zeros. No pivoting: the rows are diagonally dominant for orders up to 5. */
class InterpolationEquations
{
public:
  InterpolationEquations(std::int64_t size, unsigned int order, Extension extension)
    : m_Size(static_cast<std::size_t>(size))
    , m_Rows(m_Size * m_Size, 0.0L)
  {
    const std::vector<std::int64_t> period = ExtensionPeriod(size, extension);
    const auto                      reach = static_cast<std::int64_t>(order / 2);
    for (std::int64_t i = 0; i < size; ++i)
    {
      for (std::int64_t k = -reach; k <= reach; ++k)
      {
        m_Rows[static_cast<std::size_t>(i * size + ReferenceFold(i + k, period))] +=
          BSpline(order, static_cast<long double>(k));
      }
    }
    for (std::size_t p = 0; p < m_Size; ++p)
    {
      std::size_t last = m_Size;
      while (last > p + 1 && m_Rows[p * m_Size + last - 1] == 0)
      {
        --last;
      }
      for (std::size_t r = p + 1; r < m_Size; ++r)
      {
        if (m_Rows[r * m_Size + p] == 0)
        {
          continue;
        }
        const long double factor = m_Rows[r * m_Size + p] / m_Rows[p * m_Size + p];
        m_Steps.push_back({ p, r, factor });
        for (std::size_t c = p; c < last; ++c)
        {
          m_Rows[r * m_Size + c] -= factor * m_Rows[p * m_Size + c];
        }
      }
    }
    for (std::size_t r = 0; r < m_Size; ++r)
    {
      for (std::size_t c = r + 1; c < m_Size; ++c)
      {
        if (m_Rows[r * m_Size + c] != 0)
        {
          m_Upper.push_back({ r, c, m_Rows[r * m_Size + c] });
        }
      }
    }
  }

  /** Replaces the samples at first, first + stride, ... by the coefficients. */
  void
  Solve(long double * first, std::size_t stride) const
  {
    for (const Entry & step : m_Steps)
    {
      first[step.column * stride] -= step.value * first[step.row * stride];
    }
    std::size_t entry = m_Upper.size();
    for (std::size_t r = m_Size; r-- > 0;)
    {
      while (entry > 0 && m_Upper[entry - 1].row == r)
      {
        --entry;
        first[r * stride] -= m_Upper[entry].value * first[m_Upper[entry].column * stride];
      }
      first[r * stride] /= m_Rows[r * m_Size + r];
    }
  }

private:
  struct Entry
  {
    std::size_t row;
    std::size_t column;
    long double value;
  };

  std::size_t              m_Size;
  std::vector<long double> m_Rows;
  std::vector<Entry>       m_Steps;
  std::vector<Entry>       m_Upper;
};

/** \brief An interpolating spline of any dimension in long double. x is the fastest axis. */
class ReferenceSpline
{
public:
  /** \param[in] size samples an axis
   * \param[in] samples the samples, or the coefficients where \p areCoefficients
   * \param[in] order 0 to 5
   * \param[in] extensions one an axis, or one for all axes
   * \param[in] start index of the first sample; zeros where empty */
  ReferenceSpline(std::vector<std::int64_t>   size,
                  const std::vector<double> & samples,
                  unsigned int                order,
                  std::vector<Extension>      extensions = { Extension::Mirror },
                  std::vector<std::int64_t>   start = {},
                  bool                        areCoefficients = false)
    : m_Size(std::move(size))
    , m_Start(std::move(start))
    , m_Order(order)
    , m_Coefficients(samples.begin(), samples.end())
  {
    m_Start.resize(m_Size.size(), 0);
    extensions.resize(m_Size.size(), extensions.front());
    std::size_t stride = 1;
    for (std::size_t d = 0; d < m_Size.size(); ++d)
    {
      const std::int64_t axisSize = m_Size[d];
      m_Periods.push_back(ExtensionPeriod(axisSize, extensions[d]));
      const auto length = static_cast<std::size_t>(axisSize);
      if (!areCoefficients && order >= 2 && length > 1)
      {
        const InterpolationEquations equations(axisSize, order, extensions[d]);
        for (std::size_t at = 0; at < m_Coefficients.size(); ++at)
        {
          if ((at / stride) % length == 0)
          {
            equations.Solve(&m_Coefficients[at], stride);
          }
        }
      }
      stride *= length;
    }
  }

  /** Coefficients, x fastest. */
  const std::vector<long double> &
  Coefficients() const
  {
    return m_Coefficients;
  }

  /** Largest absolute coefficient: what rounding bounds are relative to. */
  long double
  LargestCoefficient() const
  {
    long double largest = 0;
    for (const long double coefficient : m_Coefficients)
    {
      largest = std::max(largest, std::abs(coefficient));
    }
    return largest;
  }

  /** Value at a continuous index (samples, in the index space of \p start). */
  long double
  Value(const std::vector<double> & index) const
  {
    return this->Sum(index, std::vector<int>(m_Size.size(), 0));
  }

  /** Derivative along \p axis at a continuous index (a sample; not divided by any spacing). */
  long double
  Derivative(const std::vector<double> & index, unsigned int axis) const
  {
    std::vector<int> orders(m_Size.size(), 0);
    ++orders[axis];
    return this->Sum(index, orders);
  }

  /** Derivative along two axes, which may be the same (a sample squared). */
  long double
  SecondDerivative(const std::vector<double> & index, unsigned int first, unsigned int second) const
  {
    std::vector<int> orders(m_Size.size(), 0);
    ++orders[first];
    ++orders[second];
    return this->Sum(index, orders);
  }

private:
  long double
  Sum(const std::vector<double> & index, const std::vector<int> & orders) const
  {
    const std::size_t                     dimension = m_Size.size();
    const std::size_t                     taps = m_Order + 1;
    std::vector<std::vector<std::size_t>> offsets(dimension);
    std::vector<std::vector<long double>> weights(dimension);
    std::size_t                           stride = 1;
    std::size_t                           count = 1;
    for (std::size_t d = 0; d < dimension; ++d)
    {
      const std::int64_t     first = ReferenceSupportStart(m_Order, index[d]);
      const ReferenceWeights pieces(m_Order, ReferencePosition(m_Order, index[d], first));
      weights[d] = orders[d] == 0 ? pieces.value : (orders[d] == 1 ? pieces.derivative : pieces.second);
      for (std::size_t k = 0; k < taps; ++k)
      {
        const std::int64_t at = first + static_cast<std::int64_t>(k) - m_Start[d];
        offsets[d].push_back(static_cast<std::size_t>(ReferenceFold(at, m_Periods[d])) * stride);
      }
      stride *= static_cast<std::size_t>(m_Size[d]);
      count *= taps;
    }
    long double sum = 0;
    for (std::size_t n = 0; n < count; ++n)
    {
      long double product = 1;
      std::size_t offset = 0;
      std::size_t rest = n;
      for (std::size_t d = 0; d < dimension; ++d)
      {
        product *= weights[d][rest % taps];
        offset += offsets[d][rest % taps];
        rest /= taps;
      }
      sum += product * m_Coefficients[offset];
    }
    return sum;
  }

  std::vector<std::int64_t>              m_Size;
  std::vector<std::int64_t>              m_Start;
  unsigned int                           m_Order;
  std::vector<long double>               m_Coefficients;
  std::vector<std::vector<std::int64_t>> m_Periods;
};

} // namespace CudaSplineTest

#endif
