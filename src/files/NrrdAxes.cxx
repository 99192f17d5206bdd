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
#include "files/NrrdAxes.h"

#include "files/HeaderText.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{

const NrrdKind kinds[] = {
  { "domain", NrrdRole::Space, 0, PixelMeaning::Scalar, false },
  { "space", NrrdRole::Space, 0, PixelMeaning::Scalar, false },
  { "time", NrrdRole::Time, 0, PixelMeaning::Scalar, false },
  { "list", NrrdRole::Components, 0, PixelMeaning::Vector, false },
  { "point", NrrdRole::Components, 0, PixelMeaning::Point, false },
  { "vector", NrrdRole::Components, 0, PixelMeaning::Vector, false },
  { "covariant-vector", NrrdRole::Components, 0, PixelMeaning::CovariantVector, false },
  { "normal", NrrdRole::Components, 0, PixelMeaning::CovariantVector, false },
  { "stub", NrrdRole::Components, 1, PixelMeaning::Scalar, false },
  { "scalar", NrrdRole::Components, 1, PixelMeaning::Scalar, false },
  { "complex", NrrdRole::Components, 2, PixelMeaning::Complex, false },
  { "2-vector", NrrdRole::Components, 2, PixelMeaning::Vector, false },
  { "3-color", NrrdRole::Components, 3, PixelMeaning::Rgb, false },
  { "rgb-color", NrrdRole::Components, 3, PixelMeaning::Rgb, false },
  { "hsv-color", NrrdRole::Components, 3, PixelMeaning::Rgb, false },
  { "xyz-color", NrrdRole::Components, 3, PixelMeaning::Rgb, false },
  { "4-color", NrrdRole::Components, 4, PixelMeaning::Rgba, false },
  { "rgba-color", NrrdRole::Components, 4, PixelMeaning::Rgba, false },
  { "3-vector", NrrdRole::Components, 3, PixelMeaning::Vector, false },
  { "3-gradient", NrrdRole::Components, 3, PixelMeaning::CovariantVector, false },
  { "3-normal", NrrdRole::Components, 3, PixelMeaning::CovariantVector, false },
  { "4-vector", NrrdRole::Components, 4, PixelMeaning::Vector, false },
  { "quaternion", NrrdRole::Components, 4, PixelMeaning::Vector, false },
  { "2d-symmetric-matrix", NrrdRole::Components, 3, PixelMeaning::Vector, false },
  { "2d-masked-symmetric-matrix", NrrdRole::Components, 4, PixelMeaning::Vector, true },
  { "2d-matrix", NrrdRole::Components, 4, PixelMeaning::Vector, false },
  { "2d-masked-matrix", NrrdRole::Components, 5, PixelMeaning::Vector, true },
  { "3d-symmetric-matrix", NrrdRole::Components, 6, PixelMeaning::SymmetricTensor, false },
  { "3d-masked-symmetric-matrix", NrrdRole::Components, 7, PixelMeaning::SymmetricTensor, true },
  { "3d-matrix", NrrdRole::Components, 9, PixelMeaning::Vector, false },
  { "3d-masked-matrix", NrrdRole::Components, 10, PixelMeaning::Vector, true }
};

/** Returns the kind of an axis; null if the file has none. */
const NrrdKind *
KindOfNrrdAxis(const std::string & word)
{
  if (word.empty() || word == "???" || word == "none")
  {
    return nullptr;
  }
  const std::string lower = Lower(word);
  for (const NrrdKind & kind : kinds)
  {
    if (lower == kind.name)
    {
      return &kind;
    }
  }
  throw std::invalid_argument("kinds has \"" + ToPrintable(word.substr(0, 40)) +
                              "\"; allowed are domain, space, time, list, vector, scalar, complex, RGB-color, "
                              "3D-symmetric-matrix and the others of the format");
}

} // namespace

std::vector<NrrdAxis>
FindNrrdAxes(const NrrdFields & fields, std::size_t coordinates, std::size_t dimension)
{
  std::vector<NrrdAxis> axes(dimension);
  if (fields.Has("kinds"))
  {
    const std::vector<std::string> words = SplitWords(fields.Get("kinds"));
    if (words.size() != dimension)
    {
      RefuseField("kinds", fields.Get("kinds"), std::to_string(dimension) + " kinds are needed");
    }
    for (std::size_t axis = 0; axis < dimension; ++axis)
    {
      axes[axis].kind = KindOfNrrdAxis(words[axis]);
      axes[axis].role = axes[axis].kind != nullptr ? axes[axis].kind->role : NrrdRole::Space;
    }
  }
  const bool hasDirections = fields.Has("space directions");
  if (hasDirections)
  {
    const std::string & value = fields.Get("space directions");
    if (coordinates == 0)
    {
      RefuseField("space directions", value, "space or space dimension is needed, too");
    }
    const auto vectors = VectorsOfField("space directions", value, dimension, coordinates);
    for (std::size_t axis = 0; axis < dimension; ++axis)
    {
      const auto & vector = vectors[axis];
      const bool   isMissing = std::all_of(vector.begin(), vector.end(), [](double x) { return std::isnan(x); });
      if (!isMissing && !std::all_of(vector.begin(), vector.end(), [](double x) { return std::isfinite(x); }))
      {
        RefuseField("space directions", value, "finite numbers are allowed");
      }
      axes[axis].step = isMissing ? std::vector<double>() : vector;
      if (axes[axis].role == NrrdRole::Components && !isMissing)
      {
        RefuseField("space directions", value, "axis " + std::to_string(axis) + " has components, and no direction");
      }
    }
  }
  return axes;
}

std::vector<unsigned int>
OrderNrrdAxes(const NrrdFields & fields, const std::vector<NrrdAxis> & axes, const std::vector<std::uint64_t> & sizes)
{
  const bool                hasDirections = fields.Has("space directions");
  std::vector<unsigned int> spatial;
  std::vector<unsigned int> further; // axes of time, and axes without a direction if others have one
  for (unsigned int axis = 0; axis < axes.size(); ++axis)
  {
    if (axes[axis].role == NrrdRole::Components)
    {
      continue;
    }
    const bool isFurther = axes[axis].role == NrrdRole::Time || (hasDirections && axes[axis].step.empty());
    if (isFurther && axes[axis].kind == nullptr && sizes[axis] > 1)
    {
      RefuseField("space directions",
                  fields.Get("space directions"),
                  "axis " + std::to_string(axis) + " has no direction, and kinds does not name its kind");
    }
    (isFurther ? further : spatial).push_back(axis);
  }
  while (spatial.size() > 3 && sizes[spatial.back()] == 1)
  {
    spatial.pop_back();
  }
  if (spatial.size() == 4)
  {
    further.insert(further.begin(), spatial.back());
    spatial.pop_back();
  }
  further.erase(
    std::remove_if(further.begin(), further.end(), [&sizes](unsigned int axis) { return sizes[axis] == 1; }),
    further.end());
  if (spatial.size() < 2 || spatial.size() > 3 || further.size() > 1 || (spatial.size() == 2 && !further.empty()))
  {
    throw std::invalid_argument("sizes is \"" + ToPrintable(fields.Get("sizes").substr(0, 100)) + "\" with " +
                                std::to_string(spatial.size()) + " axes of space and " +
                                std::to_string(further.size()) +
                                " others; images of 2 and 3 dimensions, and series of volumes, are allowed");
  }
  spatial.insert(spatial.end(), further.begin(), further.end());
  return spatial;
}

void
SetNrrdComponents(const std::vector<NrrdAxis> & axes, ImageFileHeader & header)
{
  constexpr std::uint64_t most = 1024;
  for (unsigned int axis = 0; axis < axes.size(); ++axis)
  {
    if (axes[axis].role != NrrdRole::Components)
    {
      continue;
    }
    const NrrdKind &    kind = *axes[axis].kind;
    const std::uint64_t size = header.storedSizes[axis];
    if (header.hasComponentAxis)
    {
      throw std::invalid_argument("the field kinds has two axes for the components of a pixel; only one is allowed");
    }
    if (kind.size != 0 && kind.size != size)
    {
      throw std::invalid_argument("the field sizes has " + std::to_string(size) + " for axis " + std::to_string(axis) +
                                  ", but its kind " + kind.name + " needs " + std::to_string(kind.size));
    }
    if (size > most)
    {
      throw std::invalid_argument("sizes has " + std::to_string(size) + " for axis " + std::to_string(axis) +
                                  " of kind " + kind.name + "; 1 to 1024 components per pixel are allowed");
    }
    header.hasComponentAxis = true;
    header.order.push_back(axis);
    header.skippedComponents = kind.isMasked ? 1 : 0;
    header.components = static_cast<unsigned int>(size) - header.skippedComponents;
    header.meaning = header.components > 1 ? kind.meaning : PixelMeaning::Scalar;
    if (kind.isMasked)
    {
      header.warnings.push_back(std::string("the kind ") + kind.name +
                                " has a mask as its first component, which is left out");
    }
  }
}

} // namespace itk::CudaSpline
