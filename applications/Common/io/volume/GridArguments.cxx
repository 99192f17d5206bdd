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
#include "io/volume/GridArguments.h"

#include "console/Error.h"
#include "console/Numbers.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <sstream>

namespace CudaSplineProgram
{

namespace
{

/** Parses a range of voxels along an axis of --crop: "10:50", "10:", ":50" or ":". */
VoxelRange
ParseRange(const std::string & text, const std::string & option)
{
  const std::size_t colon = text.find(':');
  VoxelRange        range;
  const auto        number = [&](const std::string & word, std::size_t & value) {
    const std::optional<double> found = ParseNumber(word);
    if (word.empty())
    {
      return;
    }
    if (!found || *found < 0.0 || *found != std::floor(*found) || *found > 4294967295.0)
    {
      throw ProgramError(option + ": \"" + word + "\" is not a number of voxels, 0 or more");
    }
    value = static_cast<std::size_t>(*found);
  };
  if (colon == std::string::npos)
  {
    throw ProgramError(option + ": \"" + text +
                       "\" is not a range of voxels; allowed are first:end (end excluded), first:, :end and :");
  }
  number(text.substr(0, colon), range.first);
  number(text.substr(colon + 1), range.end);
  return range;
}

} // namespace

GridOptions
ParseGridArguments(const GridArguments & raw)
{
  GridOptions grid;
  if (!raw.spacing.empty())
  {
    grid.spacing = ParseNumbers("--spacing", raw.spacing);
    for (const double value : grid.spacing)
    {
      if (value <= 0.0)
      {
        throw ProgramError("--spacing " + raw.spacing + ": values in mm above 0 are allowed");
      }
    }
  }
  if (!raw.size.empty())
  {
    for (const double value : ParseNumbers("--size", raw.size))
    {
      if (value < 1.0 || value != std::floor(value) || value > 4294967295.0)
      {
        throw ProgramError("--size " + raw.size + ": whole numbers of voxels, 1 or more, are allowed");
      }
      grid.size.push_back(static_cast<std::size_t>(value));
    }
  }
  if (!raw.origin.empty())
  {
    grid.origin = ParseNumbers("--origin", raw.origin);
  }
  if (!raw.direction.empty())
  {
    grid.direction = ParseNumbers("--direction", raw.direction, 9);
  }
  if (!raw.crop.empty())
  {
    std::istringstream ranges(raw.crop + ","); // also counts an empty range at the end
    for (std::string range; std::getline(ranges, range, ',');)
    {
      grid.crop.push_back(ParseRange(range, "--crop " + raw.crop));
    }
  }
  return grid;
}

} // namespace CudaSplineProgram
