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
#include "files/NrrdGeometry.h"

#include "files/HeaderText.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace itk::CudaSpline
{

namespace
{

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/** Finds the space from the values of "space" and "space dimension". */
NrrdSpace
FindSpace(const NrrdFields & fields, std::vector<std::string> & warnings)
{
  constexpr unsigned int mostCoordinates = 4;
  NrrdSpace              space;
  if (!fields.Has("space"))
  {
    if (fields.Has("space dimension"))
    {
      const std::string & value = fields.Get("space dimension");
      const double        dimension = NumbersOfField("space dimension", value, 1)[0];
      if (!(dimension == 2.0 || dimension == 3.0 || dimension == mostCoordinates))
      {
        RefuseField("space dimension", value, "2, 3 and 4 are allowed");
      }
      space.dimension = static_cast<unsigned int>(dimension);
    }
    return space;
  }
  const std::string & value = fields.Get("space");
  std::string name; // letters and digits only: "left-posterior-superior" and "left posterior superior" are the same
  for (const char letter : Lower(value))
  {
    name += letter == '-' || letter == ' ' || letter == '_' ? "" : std::string(1, letter);
  }
  if (name == "rast" || name == "last" || name == "lpst")
  {
    name.back() = '-'; // no other name has this suffix
    name = name.substr(0, 3) + "time";
  }
  if (name.size() > 4 && name.compare(name.size() - 4, 4, "time") == 0)
  {
    space.hasTime = true;
    name.resize(name.size() - 4);
  }
  space.dimension = space.hasTime ? 4 : 3;
  if (name == "ras" || name == "rightanteriorsuperior")
  {
    space.signs[0] = -1.0;
    space.signs[1] = -1.0;
  }
  else if (name == "las" || name == "leftanteriorsuperior")
  {
    space.signs[1] = -1.0;
  }
  else if (name == "3drighthanded")
  {
    warnings.push_back("space is \"" + value +
                       "\", which is not a patient coordinate system; its coordinates are taken as LPS");
  }
  else if (name == "scannerxyz")
  {
    RefuseField("space", value, "the position of the patient in the scanner is unknown; use RAS, LAS or LPS");
  }
  else if (name == "3dlefthanded")
  {
    RefuseField("space",
                value,
                "how it lies in a patient is not known, or which way it is mirrored; RAS, LAS and LPS "
                "are allowed");
  }
  else if (name != "lps" && name != "leftposteriorsuperior")
  {
    RefuseField("space",
                value,
                "right-anterior-superior (RAS), left-anterior-superior (LAS), left-posterior-superior "
                "(LPS), 3D-right-handed, and these with -time are allowed");
  }
  return space;
}

/** Sets the units of a space. */
void
SetUnits(const NrrdFields & fields, NrrdSpace & space)
{
  if (!fields.Has("space units"))
  {
    return;
  }
  const std::string &            value = fields.Get("space units");
  const std::vector<std::string> units = QuotedWordsOfField("space units", value);
  if (space.dimension == 0 || units.size() != space.dimension)
  {
    RefuseField(
      "space units", value, std::to_string(space.dimension) + " units are needed, one per dimension of space");
  }
  for (std::size_t axis = 0; axis < units.size(); ++axis)
  {
    space.units[axis] =
      axis < 3 ? LengthUnitOfField("space units", value, units[axis]) : SecondsOf(units[axis]).value_or(1.0);
  }
}

/** Returns a field with a number for each axis; NaN if it is missing. */
std::vector<double>
NumbersOfAxes(const NrrdFields & fields, const std::string & field, std::size_t dimension)
{
  return fields.Has(field) ? NumbersOfField(field, fields.Get(field), dimension)
                           : std::vector<double>(dimension, notANumber);
}

/** Spacing and position of axes without a direction: from spacings, axis mins and maxs, centerings and units. */
struct AxisGeometry
{
  double step{ 1.0 };   ///< may be negative
  double origin{ 0.0 }; ///< centre of the first sample
  bool   isKnown{ false };
};

AxisGeometry
GeometryOfAxis(const NrrdFields & fields, unsigned int axis, const std::vector<std::uint64_t> & sizes)
{
  const std::size_t              dimension = sizes.size();
  const double                   minimum = NumbersOfAxes(fields, "axis mins", dimension)[axis];
  const double                   maximum = NumbersOfAxes(fields, "axis maxs", dimension)[axis];
  const std::vector<std::string> centerings = SplitWords(fields.Get("centerings"));
  const bool                     isNode = axis < centerings.size() && Lower(centerings[axis]) == "node";
  const auto                     samples = static_cast<double>(sizes[axis]);
  AxisGeometry                   geometry;
  double                         step = NumbersOfAxes(fields, "spacings", dimension)[axis];
  if (std::isnan(step) && !std::isnan(minimum) && !std::isnan(maximum) && samples > (isNode ? 1.0 : 0.0))
  {
    step = (maximum - minimum) / (isNode ? samples - 1.0 : samples);
  }
  geometry.isKnown = !std::isnan(step);
  geometry.step = geometry.isKnown ? step : 1.0;
  // Samples are at nodes, or in the middle of cells between the ends of the axis.
  const double half = isNode ? 0.0 : 0.5;
  if (!std::isnan(minimum))
  {
    geometry.origin = minimum + half * geometry.step;
  }
  else if (!std::isnan(maximum))
  {
    geometry.origin = maximum - (samples - 1.0 + half) * geometry.step;
  }
  return geometry;
}

/** Sets the grid of a file with space directions. */
void
SetGridOfDirections(const NrrdFields &                fields,
                    const NrrdSpace &                 space,
                    const std::vector<NrrdAxis> &     axes,
                    const std::vector<unsigned int> & order,
                    ImageFileHeader &                 header)
{
  const std::string & directions = fields.Get("space directions");
  const unsigned int  spatial = space.hasTime || space.dimension == 4 ? 3 : space.dimension;
  if (header.dimension != spatial)
  {
    RefuseField("space directions",
                directions,
                "an image of " + std::to_string(header.dimension) + " axes in a space of " + std::to_string(spatial) +
                  " dimensions has no grid that is known; as many axes as dimensions are allowed");
  }
  std::vector<std::array<double, 3>> columns(header.dimension, { { 0, 0, 0 } });
  for (unsigned int axis = 0; axis < header.dimension; ++axis)
  {
    const std::vector<double> & step = axes[order[axis]].step;
    for (unsigned int row = 0; row < spatial; ++row)
    {
      columns[axis][row] = space.signs[row] * space.units[row] * step[row];
    }
    if (space.dimension == 4 && step[3] != 0.0)
    {
      RefuseField("space directions", directions, "axes of space that move in time are not supported");
    }
  }
  SetColumns(header, columns, "space directions");
  if (header.isSeries && !axes[order[header.dimension]].step.empty())
  {
    const std::vector<double> & step = axes[order[header.dimension]].step;
    if (space.dimension != 4 || step[0] != 0.0 || step[1] != 0.0 || step[2] != 0.0)
    {
      RefuseField("space directions", directions, "volumes of a series that move in space are not supported");
    }
    header.volumeSpacing = space.units[3] * step[3];
  }
  std::vector<double> origin;
  if (fields.Has("space origin"))
  {
    origin = VectorsOfField("space origin", fields.Get("space origin"), 1, space.dimension)[0];
  }
  if (origin.empty() || std::any_of(origin.begin(), origin.end(), [](double x) { return std::isnan(x); }))
  {
    header.warnings.push_back("there is no space origin; the first voxel is taken to be at 0");
    return;
  }
  for (unsigned int row = 0; row < spatial; ++row)
  {
    header.origin[row] = space.signs[row] * space.units[row] * origin[row];
    if (!std::isfinite(origin[row]))
    {
      RefuseField("space origin", fields.Get("space origin"), "finite numbers are allowed");
    }
  }
  header.volumeOrigin = space.dimension == 4 ? space.units[3] * origin[3] : 0.0;
}

/** Sets the grid of a file without space directions. */
void
SetGridOfSpacings(const NrrdFields & fields, const std::vector<unsigned int> & order, ImageFileHeader & header)
{
  if (fields.Has("space") || fields.Has("space origin"))
  {
    throw std::invalid_argument("space directions is missing, and there is a " +
                                std::string(fields.Has("space") ? "space" : "space origin") +
                                "; the directions of the axes in it are needed");
  }
  const std::vector<std::string>     units = QuotedWordsOfField("units", fields.Get("units"));
  std::vector<std::array<double, 3>> columns(header.dimension, { { 0, 0, 0 } });
  std::string                        unknown;
  for (unsigned int axis = 0; axis < header.dimension; ++axis)
  {
    const unsigned int stored = order[axis];
    const double unit = stored < units.size() ? LengthUnitOfField("units", fields.Get("units"), units[stored]) : 1.0;
    const AxisGeometry geometry = GeometryOfAxis(fields, stored, header.storedSizes);
    columns[axis][axis] = unit * geometry.step;
    header.origin[axis] = unit * geometry.origin;
    unknown += geometry.isKnown ? "" : (unknown.empty() ? "" : ", ") + std::to_string(stored);
  }
  SetColumns(header, columns, "spacings");
  if (!unknown.empty())
  {
    header.warnings.push_back("there is no spacing of axis " + unknown + "; 1 mm is taken");
  }
}

/** Sets the time of a series whose axis has no direction. */
void
SetTime(const NrrdFields & fields, unsigned int axis, ImageFileHeader & header)
{
  const AxisGeometry             geometry = GeometryOfAxis(fields, axis, header.storedSizes);
  const std::vector<std::string> units = QuotedWordsOfField("units", fields.Get("units"));
  const double                   unit = axis < units.size() ? SecondsOf(units[axis]).value_or(1.0) : 1.0;
  header.volumeSpacing = unit * geometry.step;
  header.volumeOrigin = unit * geometry.origin;
}

} // namespace

NrrdSpace
ReadNrrdSpace(const NrrdFields & fields, std::vector<std::string> & warnings)
{
  NrrdSpace space = FindSpace(fields, warnings);
  SetUnits(fields, space);
  return space;
}

void
SetNrrdGrid(const NrrdFields &                fields,
            const NrrdSpace &                 space,
            const std::vector<NrrdAxis> &     axes,
            const std::vector<unsigned int> & order,
            ImageFileHeader &                 header)
{
  if (fields.Has("space directions"))
  {
    SetGridOfDirections(fields, space, axes, order, header);
  }
  else
  {
    SetGridOfSpacings(fields, order, header);
  }
  if (header.isSeries && axes[order.back()].step.empty())
  {
    SetTime(fields, order.back(), header);
  }
}

void
CheckNrrdMeasurementFrame(const NrrdFields & fields, const NrrdSpace & space, ImageFileHeader & header)
{
  const bool hasDirections = header.meaning == PixelMeaning::Vector ||
                             header.meaning == PixelMeaning::CovariantVector || header.meaning == PixelMeaning::Point ||
                             header.meaning == PixelMeaning::SymmetricTensor;
  const std::string field = "measurement frame";
  if (!fields.Has(field) || space.dimension == 0)
  {
    return;
  }
  const auto columns = VectorsOfField(field, fields.Get(field), space.dimension, space.dimension);
  bool       isIdentity = true;
  for (std::size_t column = 0; column < columns.size(); ++column)
  {
    for (std::size_t row = 0; row < columns[column].size(); ++row)
    {
      const double number = (row < 3 ? space.signs[row] : 1.0) * columns[column][row];
      isIdentity = isIdentity && std::abs(number - (row == column ? 1.0 : 0.0)) < 1e-6;
    }
  }
  if (!isIdentity && hasDirections)
  {
    header.warnings.push_back("measurement frame is \"" + fields.Get(field) +
                              "\": the components of vectors and tensors stay as in the file, and are not LPS");
  }
}

} // namespace itk::CudaSpline
