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
#ifndef SplineRefinement_h
#define SplineRefinement_h

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/** \file
 * \brief Coefficients of the same B-spline on a grid with half the spacing, which are closer to it. */

namespace itk::CudaSpline
{

/** \brief Refines coefficients along one axis with the two-scale relation.
 *
 * A B-spline of order n is a sum of those of half the width, with the binomial coefficients C(n + 1, i) / 2^n as
 * weights. For odd orders, coarse index x is fine index 2 x, for even ones 2 x + 1/2. Coarse coefficients beyond the
 * ends are treated as 0; they are not needed in the region where the whole support is inside.
 *
 * \param[in] coarse \p before * \p length * \p behind numbers, \p before is the fastest
 * \param[in] order 1 to 3
 * \return refined numbers, with 2 * \p length along the axis */
inline std::vector<double>
RefineAxis(const std::vector<double> & coarse, std::int64_t before, std::int64_t length, std::int64_t behind, int order)
{
  // Indexed by the fine index minus twice the coarse one, from -2 on.
  static constexpr double masks[3][5] = { { 0.0, 0.5, 1.0, 0.5, 0.0 },
                                          { 0.0, 0.25, 0.75, 0.75, 0.25 },
                                          { 0.125, 0.5, 0.75, 0.5, 0.125 } };
  const double(&mask)[5] = masks[order - 1];
  std::vector<double> fine(coarse.size() * 2);
  for (std::int64_t o = 0; o < behind; ++o)
  {
    for (std::int64_t j = 0; j < 2 * length; ++j)
    {
      double * const to = fine.data() + (o * 2 * length + j) * before;
      for (std::int64_t k = j / 2 - 1; k <= j / 2 + 1; ++k)
      {
        const std::int64_t at = j - 2 * k + 2;
        if (k < 0 || k >= length || at < 0 || at > 4 || mask[at] == 0.0)
        {
          continue;
        }
        const double * const from = coarse.data() + (o * length + k) * before;
        for (std::int64_t i = 0; i < before; ++i)
        {
          to[i] += mask[at] * from[i];
        }
      }
    }
  }
  return fine;
}

/** \brief Refines planes of coefficients along all axes.
 *
 * \param[in,out] planes one plane per component
 * \param[in,out] size samples of a plane along each axis; doubled
 * \param[in] order 1 to 3 */
template <std::size_t VDimension>
void
RefineSpline(std::vector<double> & planes, std::array<std::int64_t, VDimension> & size, int order)
{
  std::int64_t before = 1;
  for (std::size_t d = 0; d < VDimension; ++d)
  {
    const std::int64_t behind = static_cast<std::int64_t>(planes.size()) / before / size[d];
    planes = RefineAxis(planes, before, size[d], behind, order);
    size[d] *= 2;
    before *= size[d];
  }
}

/** \brief Converts an index on the coarse grid to the refined grid, both relative to the first coefficient. */
inline double
RefinedIndex(double index, int order)
{
  return 2.0 * index + (order % 2 == 0 ? 0.5 : 0.0);
}

} // namespace itk::CudaSpline

#endif
