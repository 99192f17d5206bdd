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

/** \brief Smallest and largest displacement of any box of a grid, for each component: those of whole blocks of samples,
 * which are read once. */
class DisplacementRange
{
public:
  /** \param[in] stage BSpline or DisplacementField, \param[in] dimension of the grid */
  DisplacementRange(const TransformChain::Stage & stage, unsigned int dimension, const ExecutionContext & context);

  /** Extends ranges by the displacements of a box: its first and last sample, relative to the grid's first one, inside
   * the grid. NaN is ignored. */
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
  std::int64_t                m_Length; // samples of a block, along each axis
  std::array<std::int64_t, 3> m_Blocks{ { 1, 1, 1 } };
  std::vector<Block>          m_Ranges;
};

/** \brief Bounds of the continuous input indices to which a chain of transforms maps the samples of a box of the
 * output.
 *
 * A point is represented as \c centre + \c spread * e + d, where e is one number of [-1, 1] for each axis of the output
 * and |d| is at most \c radius. Affine maps transform centre and spread: boxes that are rotated forth and back are
 * unchanged. The new radius is the sum of the magnitudes of a row times \c radius.
 *
 * A displacement is a sum of displacements of the grid with B-spline, linear or nearest weights that are not negative
 * and sum to 1. It is between the smallest and the largest of those in the support of any point of the box. 0 is
 * included if a point of the box may be outside the grid. Half of the difference is added to the radius.
 *
 * Roundings: the error of a sum of n <= 4 products, with each operation rounded by u = 2^-53, is less than 8 u times
 * the sum of the magnitudes. The computations of the kernel and of this class are such sums. \c Slack = 2^-46 = 128 u
 * of the sum of magnitudes is added for each map. For each displacement 2^-40 of the largest displacement is added: its
 * 64 weights are products of three polynomials, each within some u. For sums over at most 8 neighbours that are rounded
 * to float it is 2^-19. The bounds therefore hold for the indices that a kernel computes, not only for exact
 * arithmetic. */
class ChainBounds
{
public:
  /** \param[in] chain the transforms, borrowed, \param[in] dimension of both images */
  ChainBounds(const TransformChain & chain, unsigned int dimension, const ExecutionContext & context);

  /** \param[in] first sample, line, slice of the chain's region
   * \param[in] size number of each
   * \param[out] lower lower bounds
   * \param[out] upper upper bounds; infinite if there are none */
  void
  Bound(const std::array<std::int64_t, 3> & first,
        const std::array<std::int64_t, 3> & size,
        std::array<double, 3> &             lower,
        std::array<double, 3> &             upper) const;

private:
  struct Points
  {
    std::array<double, 3>                centre{};
    std::array<std::array<double, 3>, 3> spread{}; // for each axis of space, then of the output
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

  /** Adds the possible displacements of stage \p number to the points. */
  void
  Displace(std::size_t number, Points & points) const;

  const TransformChain &         m_Chain;
  unsigned int                   m_Dimension;
  std::vector<DisplacementRange> m_Ranges; // of each stage with displacements
};

} // namespace itk::CudaSpline

#endif
