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
#ifndef ChainBounds_h
#define ChainBounds_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include <array>
#include <cstdint>
#include <vector>

namespace itk::CudaSpline
{

/** \brief Smallest and largest displacement of any box of a grid, by component: those of whole blocks of samples, which
 * are looked at once. */
class DisplacementRange
{
public:
  /** \param[in] stage BSpline or DisplacementField, \param[in] dimension of the grid */
  DisplacementRange(const TransformChain::Stage & stage, unsigned int dimension, const ExecutionContext & context);

  /** Widens ranges by the displacements of a box: its first and last sample, from the grid's first one, inside of it.
   * NaN is passed over. */
  void
  Include(const std::array<std::int64_t, 3> & first,
          const std::array<std::int64_t, 3> & last,
          std::array<double, 3> &             lower,
          std::array<double, 3> &             upper) const;

private:
  struct Block
  {
    std::array<double, 3> lower;
    std::array<double, 3> upper;
  };

  unsigned int                m_Dimension;
  std::int64_t                m_Length; // samples of a block, by axis
  std::array<std::int64_t, 3> m_Blocks{ { 1, 1, 1 } };
  std::vector<Block>          m_Ranges;
};

/** \brief Bounds of the continuous input indices that a chain of transforms gives the samples of a box of the output.
 *
 * A point is known as \c centre + \c spread * e + d, where e is one number of [-1, 1] for each axis of the output and
 * |d| is at most \c radius. Affine maps move centre and spread, so boxes that are turned and turned back stay what they
 * were; they widen the radius by the sums of the magnitudes of their row times \c radius.
 *
 * A displacement is a sum of displacements of the grid by weights that are not negative and sum up to 1, B-spline,
 * linear or nearest: it is between the smallest and the largest of those in the support of any point of the box, and 0
 * is one of them where a point of the box may be outside of the grid. Half of the difference goes to the radius.
 *
 * Roundings: a sum of n <= 4 products, each operation rounded by u = 2^-53, is off by less than 8 u of the sum of the
 * magnitudes; what the kernel does and what is done here each are such sums. \c Slack = 2^-46 = 128 u of the sum of
 * magnitudes is added for each map, and 2^-40 of the largest displacement for each displacement, whose 64 weights are
 * products of three polynomials, each within some u, or 2^-19 where sums over at most 8 neighbours are rounded to
 * float. So the indices that a kernel computes are within the bounds, not only those of exact arithmetic. */
class ChainBounds
{
public:
  /** \param[in] chain the transforms, borrowed, \param[in] dimension of both images */
  ChainBounds(const TransformChain & chain, unsigned int dimension, const ExecutionContext & context);

  /** \param[in] first sample, line, slice of the chain's region
   * \param[in] size as many of each
   * \param[out] lower
   * \param[out] upper bounds, infinite where there are none */
  void
  Bound(const std::array<std::int64_t, 3> & first,
        const std::array<std::int64_t, 3> & size,
        std::array<double, 3> &             lower,
        std::array<double, 3> &             upper) const;

private:
  struct Points
  {
    std::array<double, 3>                centre{};
    std::array<std::array<double, 3>, 3> spread{}; // by axis of space, then of the output
    std::array<double, 3>                radius{};

    /** The largest distance from the centre along an axis. */
    double
    Extent(unsigned int axis) const;
  };

  /** matrix * (points - before) + after. */
  Points
  Map(const Points &                 points,
      const TransformChain::Matrix & matrix,
      const TransformChain::Vector & before,
      const TransformChain::Vector & after) const;

  /** Adds what stage \p number may displace the points by. */
  void
  Displace(std::size_t number, Points & points) const;

  const TransformChain &         m_Chain;
  unsigned int                   m_Dimension;
  std::vector<DisplacementRange> m_Ranges; // of each stage that displaces
};

} // namespace itk::CudaSpline

#endif
