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
#include "io/transforms/TransformNumbers.h"

#include "console/Error.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace CudaSplineProgram
{

namespace
{

/** Returns the order of a B-spline. */
std::size_t
OrderOf(const std::string & type)
{
  const std::size_t order = NumberOfTransformType(type, 2);
  return order == 0 ? 3 : order;
}

/** Throws if a grid in fixed parameters (sizes, origin, spacings, directions) is invalid, or needs another number of
 * parameters. */
void
CheckGrid(const TransformNumbers & numbers, std::size_t dimension, std::size_t components, double leastSize)
{
  const std::size_t needed = dimension * (dimension + 3);
  if (numbers.fixed.size() != needed)
  {
    throw ProgramError("its grid needs " + std::to_string(needed) + " fixed parameters, but has " +
                       std::to_string(numbers.fixed.size()));
  }
  std::string text;
  double      count = static_cast<double>(components);
  for (std::size_t axis = 0; axis < dimension; ++axis)
  {
    const double size = numbers.fixed[axis];
    text += (axis == 0 ? "" : " x ") + Brief(size);
    if (!(size >= leastSize) || size != std::floor(size))
    {
      throw ProgramError("its grid has a size of " + Brief(size) + "; whole numbers from " + Brief(leastSize) +
                         " are allowed");
    }
    count *= size;
    if (const double spacing = numbers.fixed[2 * dimension + axis]; !(spacing > 0.0))
    {
      throw ProgramError(std::string("the spacing of its grid along ") + "xyz"[axis] + " is " + Brief(spacing) +
                         " mm; it must be above 0");
    }
  }
  if (count != static_cast<double>(numbers.parameters.size()))
  {
    throw ProgramError("its grid of " + text + " needs " + Brief(count) + " parameters, but has " +
                       std::to_string(numbers.parameters.size()));
  }
}

void
CheckFinite(const std::vector<double> & numbers, const char * what)
{
  const auto found = std::find_if(numbers.begin(), numbers.end(), [](double number) { return !std::isfinite(number); });
  if (found != numbers.end())
  {
    throw ProgramError(std::string("its ") + what + " number " + std::to_string(found - numbers.begin() + 1) + " is " +
                       Brief(*found) + "; it must be finite");
  }
}

/** Throws if fixed parameters of a linear transform do not match its class: the centre, and for Euler angles in 3D the
 * order of rotations. A file may omit them: the centre is then the origin. ITK ignores others. */
void
CheckFixedOfLinear(const TransformNumbers & numbers, const std::string & name, std::size_t dimension)
{
  const std::size_t count = numbers.fixed.size();
  const bool        hasOrder = name == "Euler3DTransform" || name == "CenteredEuler3DTransform";
  if (count != 0 && count != dimension && !(hasOrder && count == dimension + 1))
  {
    throw ProgramError(
      "it has " + std::to_string(count) + " fixed parameters; allowed are 0 (the centre is the origin)" +
      (hasOrder ? ", " : " or ") + std::to_string(dimension) + " (the centre)" +
      (hasOrder ? " or " + std::to_string(dimension + 1) + " (the centre and the order of rotations)" : ""));
  }
  // The centre is also among the parameters, before the translation. (The fixed parameters of CenteredRigid2DTransform
  // and CenteredSimilarity2DTransform are a placeholder, in all files of ITK.)
  const bool hasCentre = name == "CenteredAffineTransform" || name == "CenteredEuler3DTransform";
  if (hasCentre && count != 0 && numbers.parameters.size() >= 2 * dimension)
  {
    const std::size_t first = numbers.parameters.size() - 2 * dimension;
    for (std::size_t d = 0; d < dimension; ++d)
    {
      const double given = numbers.parameters[first + d];
      if (!(std::abs(given - numbers.fixed[d]) <= 1e-5 * (1.0 + std::abs(given)))) // a float has 7 digits
      {
        throw ProgramError("its fixed parameters have another centre (" + Brief(numbers.fixed[d]) + " on axis " +
                           std::to_string(d) + ") than its parameters (" + Brief(given) + ")");
      }
    }
  }
}

} // namespace

std::string
ClassOfTransform(const std::string & type)
{
  return type.substr(0, type.find('_'));
}

std::size_t
NumberOfTransformType(const std::string & type, std::size_t which)
{
  std::size_t at = 0;
  for (std::size_t count = 0; count < which + 2; ++count)
  {
    at = type.find('_', at);
    if (at == std::string::npos)
    {
      return 0;
    }
    ++at;
  }
  return std::strtoul(type.c_str() + at, nullptr, 10);
}

void
CheckTransform(const TransformNumbers & numbers)
{
  CheckFinite(numbers.fixed, "fixed");
  CheckFinite(numbers.parameters, "");
  const std::string name = ClassOfTransform(numbers.type);
  const std::size_t dimension = NumberOfTransformType(numbers.type, 0);
  if (dimension == 0)
  {
    throw ProgramError("its type does not have a dimension; types such as AffineTransform_double_3_3 are allowed");
  }
  const auto contains = [&name](const char * text) { return name.find(text) != std::string::npos; };
  if (contains("VelocityField") || contains("Exponential"))
  {
    throw ProgramError(
      "it is a velocity field, which ITK does not integrate when it reads the file; write its displacement "
      "field instead");
  }
  if (contains("AzimuthElevation") || contains("Perspective"))
  {
    throw ProgramError("it is not a map between points of images (mm)");
  }
  if (name.compare(0, 7, "BSpline") == 0 && !contains("Field"))
  {
    const std::size_t order = OrderOf(numbers.type);
    CheckGrid(numbers, dimension, dimension, static_cast<double>(order + 1));
  }
  else if (contains("DisplacementField"))
  {
    CheckGrid(numbers, dimension, dimension, 1.0);
  }
  else
  {
    CheckFixedOfLinear(numbers, name, dimension);
  }
}

} // namespace CudaSplineProgram
