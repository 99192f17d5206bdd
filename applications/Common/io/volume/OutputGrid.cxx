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
#include "io/volume/OutputGrid.h"

#include "console/Error.h"
#include "io/volume/GridCheck.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace CudaSplineProgram
{

namespace
{

/** Returns the value for an axis of an option with no value, one value, or one value per axis. */
template <typename TValue>
TValue
ValueForAxis(const std::vector<TValue> & values, unsigned int axis)
{
  return values.size() == 1 ? values.front() : values[axis];
}

template <typename TValue>
void
CheckCount(const char * option, const std::vector<TValue> & values, unsigned int dimension)
{
  if (values.size() > 1 && values.size() != dimension)
  {
    throw ProgramError(std::string(option) + " has " + std::to_string(values.size()) +
                       " values; it must have 1 or, for this " + std::to_string(dimension) + "D image, " +
                       std::to_string(dimension));
  }
}

void
RequireCount(const char * option, std::size_t count, std::size_t wanted, unsigned int dimension)
{
  if (count != 0 && count != wanted)
  {
    throw ProgramError(std::string(option) + " has " + std::to_string(count) + " values; for this " +
                       std::to_string(dimension) + "D image it must have " + std::to_string(wanted));
  }
}

/** Returns the grid of the voxels that are kept. */
Grid
CropGrid(const Grid & base, const std::vector<VoxelRange> & ranges)
{
  RequireCount("--crop", ranges.size(), base.dimension, base.dimension);
  Grid        grid = base;
  Coordinates first{ 0.0, 0.0, 0.0 };
  for (unsigned int axis = 0; axis < base.dimension && !ranges.empty(); ++axis)
  {
    const VoxelRange & range = ranges[axis];
    const std::size_t  end = range.end == VoxelRange{}.end ? base.size[axis] : range.end;
    if (range.first >= end || end > base.size[axis])
    {
      throw ProgramError("--crop " + std::to_string(range.first) + ":" + std::to_string(end) + " along " + "xyz"[axis] +
                         " is not a range of the " + std::to_string(base.size[axis]) +
                         " voxels of the grid along this axis, numbered from 0");
    }
    grid.size[axis] = end - range.first;
    first[axis] = static_cast<double>(range.first);
  }
  grid.origin = PointOfIndex(base, first);
  return grid;
}

/** Sets the directions of the axes. */
void
SetDirection(const std::vector<double> & direction, Grid & grid)
{
  const std::size_t count = grid.dimension;
  RequireCount("--direction", direction.size(), count * count, grid.dimension);
  for (std::size_t row = 0; row < count; ++row)
  {
    std::copy_n(direction.begin() + static_cast<std::ptrdiff_t>(row * count), count, grid.direction[row].begin());
  }
  constexpr double tolerance = 1e-4; // numbers in headers have about six digits
  for (std::size_t a = 0; a < count; ++a)
  {
    for (std::size_t b = 0; b <= a; ++b)
    {
      double product = 0.0;
      for (std::size_t row = 0; row < count; ++row)
      {
        product += grid.direction[row][a] * grid.direction[row][b];
      }
      if (!(std::abs(product - (a == b ? 1.0 : 0.0)) <= tolerance))
      {
        throw ProgramError(std::string("--direction: ") +
                           (a == b ? std::string("column ") + "xyz"[a] + " has a length of " +
                                       Brief(std::sqrt(product)) + "; it must be 1"
                                   : std::string("columns ") + "xyz"[b] + " and " + "xyz"[a] + " are not orthogonal"));
      }
    }
  }
}

} // namespace

Grid
MakeOutputGrid(const Grid & whole, const GridOptions & options)
{
  const Grid                       base = CropGrid(whole, options.crop);
  const std::vector<double> &      spacing = options.spacing;
  const std::vector<std::size_t> & size = options.size;
  CheckCount("--spacing", spacing, base.dimension);
  CheckCount("--size", size, base.dimension);
  Grid        grid = base;
  Coordinates shift{ 0.0, 0.0, 0.0 }; // of the origin, in voxels of the base
  for (unsigned int axis = 0; axis < base.dimension; ++axis)
  {
    const double extent = static_cast<double>(base.size[axis]) * base.spacing[axis];
    if (!spacing.empty())
    {
      grid.spacing[axis] = ValueForAxis(spacing, axis);
    }
    if (!size.empty())
    {
      grid.size[axis] = ValueForAxis(size, axis);
      if (spacing.empty() && options.origin.empty() && grid.size[axis] != base.size[axis])
      {
        grid.spacing[axis] = extent / static_cast<double>(grid.size[axis]);
      }
    }
    else if (!spacing.empty())
    {
      const double voxels = std::max(1.0, std::round(extent / grid.spacing[axis]));
      if (voxels > 4294967295.0)
      {
        throw ProgramError("--spacing " + Brief(grid.spacing[axis]) + " mm divides " + Brief(extent) +
                           " mm into too many voxels");
      }
      grid.size[axis] = static_cast<std::size_t>(voxels);
    }
    // Exactly zero if nothing changed, so that the origin keeps its bits.
    shift[axis] = 0.5 *
                  (static_cast<double>(base.size[axis] - 1) * base.spacing[axis] -
                   static_cast<double>(grid.size[axis] - 1) * grid.spacing[axis]) /
                  base.spacing[axis];
  }
  grid.origin = PointOfIndex(base, shift);
  if (!options.direction.empty())
  {
    const Coordinates centre = PointOfIndex(grid, CentreIndex(grid));
    SetDirection(options.direction, grid);
    const Coordinates turned = PointOfIndex(grid, CentreIndex(grid));
    for (unsigned int axis = 0; axis < grid.dimension; ++axis)
    {
      grid.origin[axis] += centre[axis] - turned[axis];
    }
  }
  RequireCount("--origin", options.origin.size(), grid.dimension, grid.dimension);
  std::copy(options.origin.begin(), options.origin.end(), grid.origin.begin());
  const std::string why = WhyNoGeometry(grid);
  if (!why.empty())
  {
    throw ProgramError("the output " + why);
  }
  for (unsigned int axis = 0; axis < base.dimension; ++axis)
  {
    // A voxel that is larger than the whole image may be intended. One that is a million times as large is a mistake.
    const double extent = static_cast<double>(base.size[axis]) * base.spacing[axis];
    if (!spacing.empty() && grid.spacing[axis] > 1e6 * extent)
    {
      throw ProgramError("--spacing " + Brief(grid.spacing[axis]) + " mm is " + Brief(grid.spacing[axis] / extent) +
                         " times the extent along " + "xyz"[axis] + " (" + Brief(extent) + " mm)");
    }
  }
  return grid;
}

Coordinates
StepsOfSampling(const Grid &                                            input,
                const Grid &                                            output,
                const std::function<Coordinates(const Coordinates &)> & mapping)
{
  Coordinates       steps{ 0.0, 0.0, 0.0 };
  const Coordinates centre = CentreIndex(output);
  for (unsigned int axis = 0; axis < output.dimension; ++axis)
  {
    Coordinates before = centre;
    Coordinates after = centre;
    before[axis] -= 0.5;
    after[axis] += 0.5;
    const Coordinates from = IndexOfPoint(input, mapping(PointOfIndex(output, before)));
    const Coordinates to = IndexOfPoint(input, mapping(PointOfIndex(output, after)));
    for (unsigned int inputAxis = 0; inputAxis < input.dimension && output.size[axis] > 1; ++inputAxis)
    {
      steps[inputAxis] =
        input.size[inputAxis] > 1 ? std::max(steps[inputAxis], std::abs(to[inputAxis] - from[inputAxis])) : 0.0;
    }
  }
  return steps;
}

std::string
DescribeDownsampling(const Grid &                                            input,
                     const Grid &                                            output,
                     const std::function<Coordinates(const Coordinates &)> & mapping)
{
  constexpr double  coarse = 1.5; // voxels of the input; documented in doc/Programs.md
  std::string       text;
  const Coordinates centre = CentreIndex(output);
  for (unsigned int axis = 0; axis < output.dimension; ++axis)
  {
    if (output.size[axis] < 2)
    {
      continue;
    }
    Coordinates before = centre;
    Coordinates after = centre;
    before[axis] -= 0.5;
    after[axis] += 0.5;
    const Coordinates from = IndexOfPoint(input, mapping(PointOfIndex(output, before)));
    const Coordinates to = IndexOfPoint(input, mapping(PointOfIndex(output, after)));
    double            step = 0.0;
    for (unsigned int inputAxis = 0; inputAxis < input.dimension; ++inputAxis)
    {
      if (input.size[inputAxis] > 1)
      {
        step = std::max(step, std::abs(to[inputAxis] - from[inputAxis]));
      }
    }
    if (step > coarse)
    {
      text += (text.empty() ? "" : ", ") + Brief(step) + " input voxels per step along " + "xyz"[axis];
    }
  }
  return text;
}

} // namespace CudaSplineProgram
