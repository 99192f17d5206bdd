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
#include "io/formats/DicomGeometry.h"

#include "console/Error.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace CudaSplineProgram
{

namespace
{

constexpr double degreesOfRadian = 57.29577951308232;

double
Dot(const Coordinates & a, const Coordinates & b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Coordinates
Column(const Grid & grid, unsigned int axis)
{
  return { grid.direction[0][axis], grid.direction[1][axis], grid.direction[2][axis] };
}

/** Returns the largest distance of two positions that counts as zero, including the rounding of their difference. */
double
Tolerance(double gap)
{
  return std::max(0.01, 0.01 * gap) + 1e-6;
}

/** Returns the distances between neighbours. */
std::vector<double>
Gaps(const std::vector<DicomSlice> & slices)
{
  std::vector<double> gaps;
  for (std::size_t slice = 1; slice < slices.size(); ++slice)
  {
    gaps.push_back(slices[slice].position - slices[slice - 1].position);
  }
  return gaps;
}

std::string
OrientationText(const Grid & grid)
{
  std::string text;
  for (unsigned int axis = 0; axis < 2; ++axis)
  {
    for (const double cosine : Column(grid, axis))
    {
      text += (text.empty() ? "" : "\\") + Brief(cosine);
    }
  }
  return text;
}

/** Finds missing slices (gaps that are multiples of the usual one) and gaps that differ in other ways. */
void
CheckGaps(const std::vector<DicomSlice> & slices, std::vector<std::string> & problems)
{
  const std::vector<double> gaps = Gaps(slices);
  if (gaps.empty())
  {
    return;
  }
  std::vector<double> sorted = gaps;
  std::sort(sorted.begin(), sorted.end());
  // The lower median: for an even number of gaps, the smaller one is more likely to be without a missing slice.
  const double usual = sorted[(sorted.size() - 1) / 2];
  const double tolerance = Tolerance(usual);

  std::size_t missing = 0;
  std::size_t others = 0;
  std::string where;
  for (std::size_t index = 0; index < gaps.size(); ++index)
  {
    if (std::abs(gaps[index] - usual) <= tolerance)
    {
      continue;
    }
    const double multiple = std::round(gaps[index] / usual);
    if (multiple < 2.0 || std::abs(gaps[index] - multiple * usual) > tolerance * multiple)
    {
      ++others;
      continue;
    }
    missing += static_cast<std::size_t>(multiple) - 1;
    if (where.empty())
    {
      where = "between the positions " + Brief(slices[index].position) + " and " + Brief(slices[index + 1].position) +
              " mm the gap is " + Brief(gaps[index]) + " mm, elsewhere " + Brief(usual) + " mm";
    }
  }
  if (others > 0)
  {
    problems.push_back("the slice spacing is not uniform: gaps from " + Brief(sorted.front()) + " to " +
                       Brief(sorted.back()) + " mm, usually " + Brief(usual) + " mm");
  }
  else if (missing > 0)
  {
    problems.push_back(std::to_string(missing) + (missing == 1 ? " slice is missing: " : " slices are missing: ") +
                       where);
  }
}

/** Finds gaps that are all close to the usual one, but add up to positions that differ from a regular grid. */
void
CheckDrift(const std::vector<DicomSlice> & slices, std::vector<std::string> & problems)
{
  const double first = slices.front().position;
  const double step = (slices.back().position - first) / static_cast<double>(slices.size() - 1);
  double       largest = 0.0;
  for (std::size_t index = 0; index < slices.size(); ++index)
  {
    largest = std::max(largest, std::abs(slices[index].position - first - static_cast<double>(index) * step));
  }
  if (largest > 0.1 * step + Tolerance(0.0))
  {
    problems.push_back("the slice spacing is not uniform: slices are up to " + Brief(largest) +
                       " mm from where even gaps of " + Brief(step) + " mm have them");
  }
}

/** Finds slices that are shifted within their plane: all by the same angle, or some of them. */
void
CheckShifts(const std::vector<DicomSlice> & slices, std::vector<std::string> & problems)
{
  const Grid & grid = slices.front().grid;
  // From the first slice to another one, along rows and columns.
  const auto shiftOf = [&grid](const DicomSlice & slice) {
    const Coordinates along{ slice.grid.origin[0] - grid.origin[0],
                             slice.grid.origin[1] - grid.origin[1],
                             slice.grid.origin[2] - grid.origin[2] };
    return std::array<double, 2>{ Dot(along, Column(grid, 0)), Dot(along, Column(grid, 1)) };
  };
  const auto   whole = shiftOf(slices.back());
  const double length = slices.back().position - slices.front().position;
  const double angle = std::atan2(std::hypot(whole[0], whole[1]), length) * degreesOfRadian;
  if (angle > 0.05)
  {
    problems.push_back(
      "gantry tilt: the slices are sheared by " + Brief(angle) + " degrees" +
      (slices.front().tilt.empty() ? "" : " (Gantry/Detector Tilt " + OneLine(slices.front().tilt) + ")"));
  }
  // Positions are rounded in files, to 0.1 mm at most.
  const double tolerance = std::max(0.05, 0.1 * std::min(grid.spacing[0], grid.spacing[1])) + 1e-6;
  double       largest = 0.0;
  double       position = 0.0;
  for (const DicomSlice & slice : slices)
  {
    const auto   shift = shiftOf(slice);
    const double part = length > 0.0 ? (slice.position - slices.front().position) / length : 0.0;
    const double distance = std::hypot(shift[0] - part * whole[0], shift[1] - part * whole[1]);
    if (distance > largest)
    {
      largest = distance;
      position = slice.position;
    }
  }
  if (largest > tolerance)
  {
    problems.push_back("slices are shifted within their plane: the one at the position " + Brief(position) + " mm by " +
                       Brief(largest) + " mm from the line between the first and the last one");
  }
}

} // namespace

void
SortByPosition(std::vector<DicomSlice> & slices)
{
  const Coordinates normal = Column(slices.front().grid, 2);
  for (DicomSlice & slice : slices)
  {
    slice.position = Dot(slice.grid.origin, normal);
  }
  std::stable_sort(
    slices.begin(), slices.end(), [](const DicomSlice & a, const DicomSlice & b) { return a.position < b.position; });
}

std::string
WhyNoVolume(const std::vector<DicomSlice> & slices)
{
  const Grid & first = slices.front().grid;
  for (const DicomSlice & slice : slices)
  {
    const Grid & grid = slice.grid;
    if (grid.size[2] != 1 && slices.size() > 1)
    {
      return "\"" + slice.file + "\" has " + std::to_string(grid.size[2]) +
             " slices; in a series of several files each file must have one slice";
    }
    if (grid.size != first.size)
    {
      return "its slices differ in size: " + SizeText(first) + " and " + SizeText(grid);
    }
    for (unsigned int axis = 0; axis < 2; ++axis)
    {
      if (std::abs(grid.spacing[axis] - first.spacing[axis]) > 1e-4 * first.spacing[axis])
      {
        return "its slices differ in pixel spacing: " + SpacingText(first) + " and " + SpacingText(grid);
      }
      for (unsigned int row = 0; row < 3; ++row)
      {
        if (std::abs(grid.direction[row][axis] - first.direction[row][axis]) > 1e-3)
        {
          return "its slices differ in orientation: " + OrientationText(first) + " and " + OrientationText(grid);
        }
      }
    }
  }
  for (std::size_t slice = 1; slice < slices.size(); ++slice)
  {
    if (slices[slice].position - slices[slice - 1].position < 1e-3)
    {
      return "several slices lie at the position " + Brief(slices[slice].position) +
             " mm (a series of volumes, or files without positions)";
    }
  }
  return {};
}

std::vector<std::string>
FindIrregularities(const std::vector<DicomSlice> & slices)
{
  std::vector<std::string> problems;
  CheckGaps(slices, problems);
  if (problems.empty() && slices.size() > 1)
  {
    CheckDrift(slices, problems);
  }
  CheckShifts(slices, problems);
  return problems;
}

Grid
GridOfSlices(const std::vector<DicomSlice> & slices)
{
  Grid grid = slices.front().grid;
  if (slices.size() > 1)
  {
    const Coordinates & first = slices.front().grid.origin;
    const Coordinates & last = slices.back().grid.origin;
    grid.size[2] = slices.size();
    grid.spacing[2] =
      std::hypot(last[0] - first[0], last[1] - first[1], last[2] - first[2]) / static_cast<double>(slices.size() - 1);
  }
  return grid;
}

} // namespace CudaSplineProgram
