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
#ifndef CudaSplineTest_RandomData_h
#define CudaSplineTest_RandomData_h

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <vector>

/** \file
 * \brief Fresh random data for tests, by a seed that can be given again.
 *
 * Every run of a test program takes a new seed and prints it. The environment variable CUDASPLINE_TEST_SEED repeats a
 * run: the numbers are made from the generator's bits here, not by the standard library's distributions, so a seed
 * means the same everywhere. Bounds in tests are derived, so they hold for any seed. */

namespace CudaSplineTest
{

/** \brief The seed of this run: CUDASPLINE_TEST_SEED where it is set, else a new one. Printed when it is first asked
 * for. */
inline std::uint64_t
TestSeed()
{
  static const std::uint64_t seed = [] {
    const char *        given = std::getenv("CUDASPLINE_TEST_SEED");
    const std::uint64_t value = given && *given
                                  ? std::strtoull(given, nullptr, 10)
                                  : (std::uint64_t(std::random_device()()) << 16 ^ std::random_device()());
    std::cout << "CUDASPLINE_TEST_SEED=" << value << std::endl;
    return value;
  }();
  return seed;
}

/** \brief Random numbers of one test: independent of which other tests ran before. */
class Random
{
public:
  /** \param[in] stream a number that differs between the generators of one run (for example a line number) */
  explicit Random(std::uint64_t stream)
  {
    std::seed_seq sequence{ static_cast<std::uint32_t>(TestSeed()),
                            static_cast<std::uint32_t>(TestSeed() >> 32),
                            static_cast<std::uint32_t>(stream),
                            static_cast<std::uint32_t>(stream >> 32) };
    m_Generator.seed(sequence);
  }

  /** Uniform in [low, high). */
  double
  Uniform(double low, double high)
  {
    return low + (high - low) * (static_cast<double>(m_Generator() >> 11) * 0x1p-53);
  }

  /** Uniform in low ... high, both included. */
  std::int64_t
  Integer(std::int64_t low, std::int64_t high)
  {
    return low + static_cast<std::int64_t>(m_Generator() % static_cast<std::uint64_t>(high - low + 1));
  }

  /** -1 or 1. */
  double
  Sign()
  {
    return (m_Generator() & 1) ? 1.0 : -1.0;
  }

  /** A value at most \p steps representable numbers away from \p x. */
  template <typename T>
  T
  Near(T x, int steps)
  {
    const std::int64_t count = this->Integer(-steps, steps);
    for (std::int64_t k = 0; k < std::abs(count); ++k)
    {
      x = std::nextafter(x, count < 0 ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity());
    }
    return x;
  }

  /** \p count values, uniform in [low, high). */
  std::vector<double>
  Values(std::size_t count, double low, double high)
  {
    std::vector<double> values(count);
    for (double & value : values)
    {
      value = this->Uniform(low, high);
    }
    return values;
  }

  /** A rotation matrix (rows x columns, row by row), each plane of axes turned by a random angle. */
  std::vector<double>
  Rotation(unsigned int dimension)
  {
    std::vector<double> matrix(dimension * dimension, 0.0);
    for (unsigned int d = 0; d < dimension; ++d)
    {
      matrix[d * dimension + d] = 1.0;
    }
    for (unsigned int a = 0; a < dimension; ++a)
    {
      for (unsigned int b = a + 1; b < dimension; ++b)
      {
        const double angle = this->Uniform(-3.0, 3.0);
        for (unsigned int r = 0; r < dimension; ++r)
        {
          const double first = matrix[r * dimension + a];
          const double second = matrix[r * dimension + b];
          matrix[r * dimension + a] = std::cos(angle) * first + std::sin(angle) * second;
          matrix[r * dimension + b] = std::cos(angle) * second - std::sin(angle) * first;
        }
      }
    }
    return matrix;
  }

private:
  std::mt19937_64 m_Generator;
};

} // namespace CudaSplineTest

#endif
