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
#include "itkCudaSpline/kernels/fields/FieldOperations.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
/** Evaluates a polynomial with powers from 0 up. */
template <std::size_t VCount>
double
Polynomial(const double (&factors)[VCount], double x)
{
  double sum = factors[VCount - 1];
  for (std::size_t i = VCount - 1; i-- > 0;)
  {
    sum = factors[i] + x * sum;
  }
  return sum;
}

constexpr double Near = 3.75; // boundary between the two approximations of Abramowitz and Stegun, 9.8.1 to 9.8.4

/** The modified Bessel function of order 0, as itk::GaussianOperator approximates it. */
double
BesselOfOrder0(double y)
{
  if (y < Near)
  {
    const double t = y / Near;
    return Polynomial({ 1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2 }, t * t);
  }
  return (std::exp(y) / std::sqrt(y)) * Polynomial({ 0.39894228,
                                                     0.1328592e-1,
                                                     0.225319e-2,
                                                     -0.157565e-2,
                                                     0.916281e-2,
                                                     -0.2057706e-1,
                                                     0.2635537e-1,
                                                     -0.1647633e-1,
                                                     0.392377e-2 },
                                                   Near / y);
}

/** The modified Bessel function of order 1. */
double
BesselOfOrder1(double y)
{
  if (y < Near)
  {
    const double t = y / Near;
    return y * Polynomial({ 0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3 }, t * t);
  }
  const double sum = Polynomial({ 0.39894228,
                                  -0.3988024e-1,
                                  -0.362018e-2,
                                  0.163801e-2,
                                  -0.1031555e-1,
                                  0.2282967e-1,
                                  -0.2895312e-1,
                                  0.1787654e-1,
                                  -0.420059e-2 },
                                Near / y);
  return sum * (std::exp(y) / std::sqrt(y));
}

/** The modified Bessel function of order 2 and above, by downward recursion from an arbitrary start. */
double
BesselOfOrder(int order, double y)
{
  constexpr double accuracy = 40.0;
  constexpr double large = 1.0e10;
  const double     factor = 2.0 / y;
  double           above = 0.0;
  double           value = 0.0;
  double           here = 1.0;
  for (int j = 2 * (order + static_cast<int>(std::sqrt(accuracy * order))); j > 0; --j)
  {
    const double below = above + j * factor * here;
    above = here;
    here = below;
    if (std::fabs(here) > large)
    {
      value *= 1.0 / large;
      here *= 1.0 / large;
      above *= 1.0 / large;
    }
    if (j == order)
    {
      value = above;
    }
  }
  return value * (BesselOfOrder0(y) / here);
}

/** Returns the weights of itk::GaussianOperator, from the middle one outwards. */
std::vector<double>
HalfOfGaussian(double variance, double maximumError, std::size_t width)
{
  const double        scale = std::exp(-variance);
  const double        enough = 1.0 - maximumError;
  std::vector<double> weights{ scale * BesselOfOrder0(variance), scale * BesselOfOrder1(variance) };
  double              sum = weights[0] + weights[1] * 2.0;
  for (int i = 2; sum < enough; ++i)
  {
    weights.push_back(scale * BesselOfOrder(i, variance));
    sum += weights.back() * 2.0;
    if (weights.back() <= 0.0 || weights.size() > width)
    {
      break;
    }
  }
  for (double & weight : weights)
  {
    weight /= sum;
  }
  return weights;
}
} // namespace

FieldSmoothing
MakeFieldSmoothing(const FieldGrid & grid, double variance, double maximumError, unsigned int kernelWidth)
{
  if (!(variance > 0.0) || !(maximumError > 0.0 && maximumError < 1.0))
  {
    throw std::invalid_argument("A field has a smoothing variance of " + std::to_string(variance) +
                                " and a maximum error of " + std::to_string(maximumError) +
                                "; the variance must be above 0, and the error between 0 and 1.");
  }
  constexpr double whole = 0.5; // from this variance on, the unsmoothed field has no weight
  FieldSmoothing   smoothing;
  smoothing.share = variance < whole ? 1.0 - 1.0 * (variance / whole) : 1.0;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    const std::vector<double> half =
      HalfOfGaussian(variance, maximumError, kernelWidth != 0 ? kernelWidth : static_cast<std::size_t>(grid.size[d]));
    smoothing.weights[d].assign(half.rbegin(), half.rend());
    smoothing.weights[d].insert(smoothing.weights[d].end(), half.begin() + 1, half.end());
  }
  return smoothing;
}

} // namespace itk::CudaSpline
