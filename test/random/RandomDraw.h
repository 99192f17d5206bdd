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
#ifndef RandomDraw_h
#define RandomDraw_h

#include <cmath>
#include <cstdint>
#include <random>

/** \file
 * \brief Numbers of a case of the randomised comparison: all of them follow from its seed, on every machine. */

namespace CudaSplineTest
{

/** \brief Draws numbers; made from the generator's bits here, not by the standard library's distributions. */
class Draw
{
public:
  /** \param[in] seed the case
   * \param[in] inPieces whether inputs shall be long enough to be cut, and updates be limited so that they are */
  explicit Draw(std::uint64_t seed, bool inPieces = false)
    : m_InPieces(inPieces)
  {
    std::seed_seq sequence{ static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 6U };
    m_Generator.seed(sequence);
  }

  /** Whether updates are to be divided into pieces. */
  bool
  InPieces() const
  {
    return m_InPieces;
  }

  /** Uniform in [low, high). */
  double
  Uniform(double low, double high)
  {
    return low + (high - low) * (static_cast<double>(m_Generator() >> 11) * 0x1p-53);
  }

  /** Uniform in low ... high, both included. */
  int
  Integer(int low, int high)
  {
    return low + static_cast<int>(m_Generator() % static_cast<std::uint64_t>(high - low + 1));
  }

  /** True with the given probability (per cent). */
  bool
  Percent(int percent)
  {
    return this->Integer(0, 99) < percent;
  }

  /** A rotation: in each plane of two axes by at most an angle (radians). */
  template <typename TMatrix>
  TMatrix
  Rotation(unsigned int dimension, double angle)
  {
    TMatrix matrix;
    matrix.SetIdentity();
    for (unsigned int a = 0; a < dimension; ++a)
    {
      for (unsigned int b = a + 1; b < dimension; ++b)
      {
        const double phi = this->Uniform(-angle, angle);
        for (unsigned int r = 0; r < dimension; ++r)
        {
          const double first = matrix[r][a];
          const double second = matrix[r][b];
          matrix[r][a] = std::cos(phi) * first + std::sin(phi) * second;
          matrix[r][b] = std::cos(phi) * second - std::sin(phi) * first;
        }
      }
    }
    return matrix;
  }

private:
  bool            m_InPieces;
  std::mt19937_64 m_Generator;
};

} // namespace CudaSplineTest

#endif
