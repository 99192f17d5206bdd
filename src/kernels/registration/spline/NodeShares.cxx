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
#include "kernels/registration/spline/NodeShares.h"

#include "itkCudaSpline/kernels/registration/ImageStatistics.h"
#include "itkCudaSpline/math/SplineWeights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace itk::CudaSpline
{

namespace
{

/** The nodes along an axis that move a sample, and their weights. */
struct NodeTaps
{
  std::size_t           first{ 0 };
  std::array<double, 4> weights{ { 1.0, 0.0, 0.0, 0.0 } };
};

/** The taps of the samples along an axis. */
std::vector<NodeTaps>
MakeTaps(const TransformChain::Stage & spline, const FieldGrid & grid, unsigned int axis)
{
  const auto            samples = grid.size[axis];
  std::vector<NodeTaps> taps(static_cast<std::size_t>(samples));
  FieldGrid::Vector     index{
    { static_cast<double>(grid.start[0]), static_cast<double>(grid.start[1]), static_cast<double>(grid.start[2]) }
  };
  for (NodeTaps & own : taps)
  {
    const FieldGrid::Vector point = PlaceOfIndex(grid, index);
    double                  node = 0.0;
    for (unsigned int c = 0; c < grid.dimension; ++c)
    {
      node += spline.pointToIndex[axis][c] * (point[c] - spline.origin[c]);
    }
    const double last = static_cast<double>(spline.size[axis] - 3); // where the last four nodes begin
    const double begin = std::clamp(std::floor(node), 1.0, last);
    SplineWeights<3>(node - begin, own.weights.data());
    own.first = static_cast<std::size_t>(begin) - 1;
    index[axis] += 1.0;
  }
  return taps;
}

/** Adds a value to the nodes of a sample along an axis whose nodes are apart by a stride. */
void
Spread(const NodeTaps & taps, double value, double * nodes)
{
  for (std::size_t k = 0; k < 4; ++k)
  {
    nodes[taps.first + k] += taps.weights[k] * value;
  }
}

/** Sums of the weights of each node along an axis. */
std::vector<double>
SumTaps(const std::vector<NodeTaps> & taps, std::int64_t nodes)
{
  std::vector<double> sums(static_cast<std::size_t>(nodes), 0.0);
  for (const NodeTaps & own : taps)
  {
    Spread(own, 1.0, sums.data());
  }
  return sums;
}

} // namespace

NodeShares
MeasureNodeShares(const TransformChain::Stage & spline,
                  const FieldGrid &             grid,
                  const SpatialMask &           mask,
                  const ExecutionContext &      context)
{
  std::array<std::vector<NodeTaps>, 3> taps{ { { NodeTaps() }, { NodeTaps() }, { NodeTaps() } } };
  std::array<std::vector<double>, 3>   all{ { { 1.0 }, { 1.0 }, { 1.0 } } };
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    taps[d] = MakeTaps(spline, grid, d);
    all[d] = SumTaps(taps[d], spline.size[d]);
  }
  const std::size_t                columns = all[0].size();
  const std::size_t                plane = columns * all[1].size();
  std::vector<std::vector<double>> slices(taps[2].size()); // sums of each slice of samples
  const auto                       index = [](std::int64_t start, std::size_t n) {
    return static_cast<double>(start + static_cast<std::int64_t>(n));
  };
  context.ParallelFor(static_cast<std::int64_t>(slices.size()), [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> row(columns);
    for (auto z = static_cast<std::size_t>(begin); z < static_cast<std::size_t>(end); ++z)
    {
      slices[z].assign(plane, 0.0);
      for (std::size_t y = 0; y < taps[1].size(); ++y)
      {
        std::fill(row.begin(), row.end(), 0.0);
        for (std::size_t x = 0; x < taps[0].size(); ++x)
        {
          const FieldGrid::Vector point =
            PlaceOfIndex(grid, { { index(grid.start[0], x), index(grid.start[1], y), index(grid.start[2], z) } });
          Spread(taps[0][x], mask.IsInside(point) ? 1.0 : 0.0, row.data());
        }
        for (std::size_t k = 0; k < std::min<std::size_t>(4, all[1].size()); ++k)
        {
          double * const to = slices[z].data() + (taps[1][y].first + k) * columns;
          for (std::size_t x = 0; x < columns; ++x)
          {
            to[x] += taps[1][y].weights[k] * row[x];
          }
        }
      }
    }
  });
  std::vector<double> seen(plane * all[2].size(), 0.0);
  for (std::size_t z = 0; z < slices.size(); ++z)
  {
    for (std::size_t k = 0; k < std::min<std::size_t>(4, all[2].size()); ++k)
    {
      double * const to = seen.data() + (taps[2][z].first + k) * plane;
      for (std::size_t n = 0; n < plane; ++n)
      {
        to[n] += taps[2][z].weights[k] * slices[z][n];
      }
    }
  }
  NodeShares found;
  for (std::size_t n = 0; n < seen.size(); ++n)
  {
    const double whole = all[0][n % columns] * all[1][n % plane / columns] * all[2][n / plane];
    found.weights.push_back(whole / static_cast<double>(grid.Count()));
    found.shares.push_back(whole > 0.0 ? seen[n] / whole : 0.0);
  }
  return found;
}

} // namespace itk::CudaSpline
