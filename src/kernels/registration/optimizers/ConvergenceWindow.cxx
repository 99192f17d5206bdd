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
#include "itkCudaSpline/kernels/registration/ConvergenceWindow.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace itk::CudaSpline
{

void
ConvergenceWindow::Add(double energy)
{
  m_Energies.push_back(energy);
  if (m_Energies.size() > m_Size)
  {
    m_Energies.pop_front();
  }
  m_Total += std::abs(energy);
}

double
ConvergenceWindow::GetValue() const
{
  if (m_Energies.size() < m_Size)
  {
    return std::numeric_limits<double>::max();
  }
  // Scattered data approximation of Lee, Wolberg and Shin by a B-spline of order 1 with two control points, like
  // itk::BSplineScatteredDataPointSetToImageFilter. It moves the last position inside its domain by a thousandth of its
  // spacing.
  constexpr auto inset = static_cast<float>(0.1 * static_cast<double>(1e-3F));
  double         sums[2] = { 0.0, 0.0 };
  float          squares[2] = { 0.0F, 0.0F };
  for (std::size_t n = 0; n < m_Size; ++n)
  {
    float place = static_cast<float>(n) / static_cast<float>(m_Size - 1);
    if (std::abs(place - 1.0F) <= inset)
    {
      place = 1.0F - inset;
    }
    const float weights[2] = { 1.0F - place,
                               1.0F - std::abs(place - 1.0F) }; // the second one is only approximately the position
    const float square = weights[0] * weights[0] + weights[1] * weights[1];
    for (int node = 0; node < 2; ++node)
    {
      const float weight = weights[node];
      sums[node] += m_Energies[n] / m_Total * static_cast<double>(weight * weight * weight / square);
      squares[node] += weight * weight;
    }
  }
  return sums[0] / static_cast<double>(squares[0]) - sums[1] / static_cast<double>(squares[1]);
}

void
FallRate::Add(double value)
{
  constexpr std::size_t span = 11; // ten iterations and the value before them
  m_Lowest.push_back(m_Lowest.empty() ? value : std::min(value, m_Lowest.back()));
  if (m_Lowest.size() > span)
  {
    m_Lowest.pop_front();
  }
  m_Largest = value < std::numeric_limits<double>::max() ? std::max(m_Largest, std::abs(value)) : m_Largest;
}

double
FallRate::GetValue() const
{
  return m_Largest > 0.0 ? (m_Lowest.front() - m_Lowest.back()) / m_Largest : 0.0;
}

} // namespace itk::CudaSpline
