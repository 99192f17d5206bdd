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
#ifndef SmoothHistogram_h
#define SmoothHistogram_h

#include <cstddef>
#include <vector>

/** \file
 * \brief Smoothing of joint histograms. */

namespace itk::CudaSpline
{

/** \brief Smooths a joint histogram with the weights 1/4, 1/2, 1/4 along both axes, eight times.
 *
 * A box window along the fixed values, and the logarithms of bins with few samples, make the derivative of mutual
 * information rough: a rounding difference of a value then changes forces by their whole length. At an end the last bin
 * replaces the missing one: the sum of the bins does not change, and smoothing is its own transpose. The derivative
 * with respect to the original histogram is therefore the smoothed derivative with respect to the smoothed one.
 *
 * \param[in,out] histogram bins x bins numbers
 * \param[in] bins bins along either axis */
inline void
SmoothHistogram(std::vector<double> & histogram, std::size_t bins)
{
  constexpr int passes = 8; // a standard deviation of two bins
  for (int pass = 0; pass < 2 * passes; ++pass)
  {
    const std::vector<double> before = histogram;
    const std::size_t         stride = pass % 2 == 0 ? 1 : bins;
    for (std::size_t n = 0; n < histogram.size(); ++n)
    {
      const std::size_t at = n / stride % bins;
      const double      below = before[at > 0 ? n - stride : n];
      const double      above = before[at + 1 < bins ? n + stride : n];
      histogram[n] = 0.5 * before[n] + 0.25 * (below + above);
    }
  }
}

} // namespace itk::CudaSpline

#endif
