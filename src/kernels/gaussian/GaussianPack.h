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
#ifndef GaussianPack_h
#define GaussianPack_h

#include "itkCudaSpline/math/RecursiveGaussian.h"

#include "kernels/coefficients/lines/LineFilter.h"

#include <cstdint>

namespace itk::CudaSpline
{

/** \brief One sample from each of the lines that the host filters together. */
using GaussianPack = PackOf<double>;

/** \brief Filters a pack of whole lines.
 *
 * \param[in] filter the coefficients
 * \param[in] x samples
 * \param[out] y results; must not overlap the samples
 * \param[in] length samples of a line, SmallestGaussianLine or more */
inline void
FilterLines(const RecursiveGaussian & filter, const GaussianPack * x, GaussianPack * y, std::int64_t length)
{
  const auto causal =
    [&](std::int64_t n, const GaussianPack & x1, const GaussianPack & x2, const GaussianPack & x3, int known) {
      const GaussianPack & edge = x[0];
      y[n] = NextOfGaussian(filter.causal,
                            x[n],
                            x1,
                            x2,
                            x3,
                            filter.feedback,
                            filter.causalEdge,
                            known > 0 ? y[n - 1] : edge,
                            known > 1 ? y[n - 2] : edge,
                            known > 2 ? y[n - 3] : edge,
                            known > 3 ? y[n - 4] : edge,
                            known);
    };
  causal(0, x[0], x[0], x[0], 0);
  causal(1, x[0], x[0], x[0], 1);
  causal(2, x[1], x[0], x[0], 2);
  causal(3, x[2], x[1], x[0], 3);
  for (std::int64_t n = 4; n < length; ++n)
  {
    causal(n, x[n - 1], x[n - 2], x[n - 3], 4);
  }

  const GaussianPack & edge = x[length - 1];
  GaussianPack         out[4] = { edge, edge, edge, edge }; // the result of sample n is element n % 4
  const auto           anticausal = [&](std::int64_t         n,
                              int                  at,
                              const GaussianPack & x1,
                              const GaussianPack & x2,
                              const GaussianPack & x3,
                              const GaussianPack & x4,
                              int                  known) {
    out[at] = NextOfGaussian(filter.anticausal,
                             x1,
                             x2,
                             x3,
                             x4,
                             filter.feedback,
                             filter.anticausalEdge,
                             out[(at + 1) % 4],
                             out[(at + 2) % 4],
                             out[(at + 3) % 4],
                             out[at],
                             known);
    y[n] = y[n] + out[at];
  };
  const auto last = length - 1;
  anticausal(last, static_cast<int>(last % 4), edge, edge, edge, edge, 0);
  anticausal(last - 1, static_cast<int>((last - 1) % 4), x[last], edge, edge, edge, 1);
  anticausal(last - 2, static_cast<int>((last - 2) % 4), x[last - 1], x[last], edge, edge, 2);
  anticausal(last - 3, static_cast<int>((last - 3) % 4), x[last - 2], x[last - 1], x[last], edge, 3);
  std::int64_t n = length - 5;
  for (; n >= 0 && n % 4 != 3; --n)
  {
    anticausal(n, static_cast<int>(n % 4), x[n + 1], x[n + 2], x[n + 3], x[n + 4], 4);
  }
  for (; n >= 3; n -= 4) // the elements are known at compile time here
  {
    anticausal(n, 3, x[n + 1], x[n + 2], x[n + 3], x[n + 4], 4);
    anticausal(n - 1, 2, x[n], x[n + 1], x[n + 2], x[n + 3], 4);
    anticausal(n - 2, 1, x[n - 1], x[n], x[n + 1], x[n + 2], 4);
    anticausal(n - 3, 0, x[n - 2], x[n - 1], x[n], x[n + 1], 4);
  }
}

} // namespace itk::CudaSpline

#endif
