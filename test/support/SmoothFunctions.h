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
#ifndef CudaSplineTest_SmoothFunctions_h
#define CudaSplineTest_SmoothFunctions_h

#include <cmath>
#include <cstddef>
#include <vector>

/** \file
 * \brief Functions of some parameters, with their gradients, whose minima are known: for optimizers. */

namespace CudaSplineTest
{

/** Returns the value and writes the gradient. */
using SmoothFunction = double (*)(const std::vector<double> & x, std::vector<double> & gradient);

/** Rosenbrock's valleys, one for each pair of parameters: 0 where all are 1. */
inline double
Rosenbrock(const std::vector<double> & x, std::vector<double> & gradient)
{
  double value = 0.0;
  gradient.assign(x.size(), 0.0);
  for (std::size_t i = 0; i + 1 < x.size(); i += 2)
  {
    const double bend = x[i + 1] - x[i] * x[i];
    const double away = 1.0 - x[i];
    value += 100.0 * bend * bend + away * away;
    gradient[i] = -400.0 * x[i] * bend - 2.0 * away;
    gradient[i + 1] = 200.0 * bend;
  }
  return value;
}

/** A parabola whose curvatures differ by a hundred: -1 where parameter n is n. */
inline double
Parabola(const std::vector<double> & x, std::vector<double> & gradient)
{
  double value = -1.0;
  gradient.assign(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i)
  {
    const double curvature = 1.0 + 99.0 * static_cast<double>(i) / static_cast<double>(x.size());
    const double away = x[i] - static_cast<double>(i);
    value += 0.5 * curvature * away * away;
    gradient[i] = curvature * away;
  }
  return value;
}

/** Waves on a bowl, along which slopes change their signs: searches along a line take all their ways. */
inline double
WavyBowl(const std::vector<double> & x, std::vector<double> & gradient)
{
  double value = 0.0;
  gradient.assign(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i)
  {
    const double frequency = 3.0 + static_cast<double>(i % 3);
    value += 0.1 * x[i] * x[i] - std::cos(frequency * x[i] + 0.3);
    gradient[i] = 0.2 * x[i] + frequency * std::sin(frequency * x[i] + 0.3);
  }
  return value;
}

/** A start that is not a minimum. */
inline std::vector<double>
StartOfFunctions(std::size_t count)
{
  std::vector<double> start;
  for (std::size_t i = 0; i < count; ++i)
  {
    start.push_back(i % 2 == 0 ? -1.2 + 0.05 * static_cast<double>(i % 14) : 1.0);
  }
  return start;
}

} // namespace CudaSplineTest

#endif
