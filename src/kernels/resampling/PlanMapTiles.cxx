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
#include "kernels/evaluation/marches/TiledKernels.h"
#include "kernels/resampling/MapShape.h"
#include "itkCudaSpline/math/Geometry.h"

#include "kernels/resampling/EndpointTable.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

/** Maximum number of copies of a window by a block. */
constexpr std::int64_t MaxWindowCopies = std::int64_t{ WindowCopiesPerThread } * TileThreads;

/** Smallest and largest of the numbers that are inside. */
struct Range
{
  double least{ std::numeric_limits<double>::infinity() };
  double largest{ -std::numeric_limits<double>::infinity() };

  void
  Add(double x)
  {
    least = std::min(least, x);
    largest = std::max(largest, x);
  }
  double
  Width() const
  {
    return largest >= least ? largest - least : 0.0;
  }
};

/** Returns the numbers of an axis by output index. Numbers outside are NaN. */
std::vector<double>
PlacesOnAxis(const ResampleDescriptor & descriptor, const EndpointTable & table, unsigned int axis)
{
  const std::int64_t  rows = std::min(descriptor.sliceLines, descriptor.lines);
  const std::int64_t  count = axis == 0 ? descriptor.samples : (axis == 1 ? rows : (descriptor.lines - 1) / rows + 1);
  std::vector<double> places(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
  {
    const std::int64_t line = axis == 0 ? 0 : (axis == 1 ? i : i * rows);
    ScanlineEnds<1>    ends;
    ends.start[0] = table.Start(line)[axis];
    ends.end[0] = table.End(line)[axis];
    double       place[1];
    const double sample = axis == 0 ? static_cast<double>(descriptor.lineOffset + i) : 0.0;
    if (descriptor.singleCoordinates)
    {
      ends.AtFraction<float>(sample / static_cast<double>(descriptor.lineLength), place);
    }
    else
    {
      ends.AtFraction<double>(sample / static_cast<double>(descriptor.lineLength), place);
    }
    const bool inside = place[0] >= descriptor.lower[axis] && place[0] < descriptor.upper[axis];
    places[static_cast<std::size_t>(i)] = inside ? place[0] : std::numeric_limits<double>::quiet_NaN();
  }
  return places;
}

/** Returns the largest distance of two numbers in a tile of an axis. */
double
WidestTile(const std::vector<double> & places, std::size_t tile)
{
  double widest = 0.0;
  for (std::size_t begin = 0; begin < places.size(); begin += tile)
  {
    Range range;
    for (std::size_t i = begin; i < std::min(begin + tile, places.size()); ++i)
    {
      if (!std::isnan(places[i]))
      {
        range.Add(places[i]);
      }
    }
    widest = std::max(widest, range.Width());
  }
  return widest;
}

/** Returns 1 if numbers do not decrease, -1 if they do not increase, and 0 otherwise. Numbers outside do not count, and
 * have to be before or after all others. */
int
DirectionOf(const std::vector<double> & places)
{
  bool   rises = true;
  bool   falls = true;
  bool   hasGap = false; // whether the numbers inside are not consecutive
  double last = std::numeric_limits<double>::quiet_NaN();
  bool   wasOutside = false;
  for (const double x : places)
  {
    const bool isOutside = std::isnan(x);
    hasGap = hasGap || (!isOutside && wasOutside && !std::isnan(last));
    wasOutside = isOutside;
    rises = rises && !(x < last);
    falls = falls && !(x > last);
    last = isOutside ? last : x;
  }
  return hasGap ? 0 : (rises ? 1 : (falls ? -1 : 0));
}

/** Returns the size of a window along an axis if the numbers of an index have a distance of \p width: the supports of
 * both, and one more sample, because a support begins at a floor that may be rounded. */
int
WindowSize(double width, int taps)
{
  return width < 1e6 ? static_cast<int>(std::floor(width)) + taps + 2 : 1 << 24;
}

int
RoundedUp(int number, int multiple)
{
  return (number + multiple - 1) / multiple * multiple;
}

struct PlanInput
{
  const ResampleDescriptor & descriptor;
  EndpointTable              table;
  unsigned int               dimension;
  int                        taps;
  int                        elementBytes;
  int                        wide; ///< elements in 16 bytes
};

MapTiles
PlanSeparable(const PlanInput & input)
{
  std::vector<double> places[3];
  for (unsigned int d = 0; d < 3; ++d)
  {
    places[d] = PlacesOnAxis(input.descriptor, input.table, d);
  }
  MapTiles  best;
  const int direction = DirectionOf(places[2]);
  if (direction == 0)
  {
    return best;
  }
  double     least = std::numeric_limits<double>::infinity();
  const auto rowCount = static_cast<int>(std::min<std::size_t>(places[1].size(), 1 << 20));
  for (int tileX = TileThreads; tileX >= 32; tileX /= 2)
  {
    const int width = WindowSize(WidestTile(places[0], static_cast<std::size_t>(tileX)), input.taps);
    // One additional vector, because the window begins at a multiple of a vector.
    const int pitch = RoundedUp(width + input.wide - 1, input.wide);
    const int vectors = pitch / input.wide;
    const int mostRows = 32 * TileThreads / tileX;
    for (int tileY = std::min({ rowCount, mostRows, SeparableItems * TileThreads / vectors }); tileY > 0; --tileY)
    {
      const int  rows = WindowSize(WidestTile(places[1], static_cast<std::size_t>(tileY)), input.taps);
      const auto bytes = static_cast<std::int64_t>(WindowStages * rows + 2 * tileY) * pitch * input.elementBytes;
      if (bytes > MaxWindowBytes || pitch > MaxWindowColumns ||
          static_cast<std::int64_t>(vectors) * rows > MaxWindowCopies)
      {
        continue;
      }
      // The fixed work of a block for a slice costs as much as copying eight elements per thread.
      const double blocks =
        std::ceil(static_cast<double>(places[0].size()) / tileX) * std::ceil(static_cast<double>(rowCount) / tileY);
      const double cost = blocks * (static_cast<double>(pitch) * rows + 8.0 * TileThreads);
      if (cost < least)
      {
        least = cost;
        best.shape = MapShape::Separable;
        best.tileX = tileX;
        best.tileY = tileY;
        best.pitch = pitch;
        best.rows = rows;
        best.backward = direction < 0;
      }
      if (tileY < 8)
      {
        break;
      }
    }
  }
  return best;
}

/** Returns whether both ends of the lines move in the same direction along an axis, except for a thousandth of a sample
 * per line. Over the lines of a tile this is less than a sample. Numbers that should be equal differ by roundings. */
bool
IsNearlyMonotone(const EndpointTable & table, unsigned int axis, std::int64_t rows, bool single)
{
  constexpr double slack = 1e-3;
  // Up to this magnitude, rounding to float changes an index by less than a sixty-fourth.
  const double most = single ? 0x1p18 : std::numeric_limits<double>::max();
  bool         rises = true;
  bool         falls = true;
  for (std::int64_t line = 0; line < rows; ++line)
  {
    const double start = table.Start(line)[axis];
    const double end = table.End(line)[axis];
    if (!(std::abs(start) <= most && std::abs(end) <= most))
    {
      return false;
    }
    if (line > 0)
    {
      const double atStart = start - table.Start(line - 1)[axis];
      const double atEnd = end - table.End(line - 1)[axis];
      rises = rises && atStart > -slack && atEnd > -slack;
      falls = falls && atStart < slack && atEnd < slack;
    }
  }
  return rises || falls;
}

/** Bounds the windows of in-plane tiles.
 *
 * On the lines of a tile, an index is an affine function of the fraction of the line. The difference between the
 * largest and the smallest of several such functions is convex, so it is largest at an end of the lines. Along a tile,
 * each of them changes by its slope. */
MapTiles
PlanPlane(const PlanInput & input, int tileY)
{
  constexpr int      tileX = 32;
  MapTiles           tiles;
  const std::int64_t rows =
    input.dimension == 3 ? std::min(input.descriptor.sliceLines, input.descriptor.lines) : input.descriptor.lines;
  const double part = static_cast<double>(tileX - 1) / static_cast<double>(input.descriptor.lineLength);
  double       widest[2] = { 0.0, 0.0 };
  double       slopes[2] = { 0.0, 0.0 };
  for (unsigned int d = 0; d < 2; ++d)
  {
    if (!IsNearlyMonotone(input.table, d, rows, input.descriptor.singleCoordinates))
    {
      return tiles;
    }
    // In two dimensions slabs begin at any line, and so do tiles.
    for (std::int64_t begin = 0; begin < rows; begin += input.dimension == 3 ? tileY : 1)
    {
      Range  starts;
      Range  ends;
      double slope = 0.0;
      for (std::int64_t line = begin; line < std::min(begin + tileY, rows); ++line)
      {
        const double start = input.table.Start(line)[d];
        const double end = input.table.End(line)[d];
        starts.Add(start);
        ends.Add(end);
        slope = std::max(slope, std::abs(end - start));
      }
      widest[d] = std::max(widest[d], std::max(starts.Width(), ends.Width()) + slope * part);
      slopes[d] = std::max(slopes[d], slope);
    }
  }
  // One additional sample on both sides, which IsNearlyMonotone() allows.
  const int width = WindowSize(widest[0], input.taps) + 2;
  tiles.rows = WindowSize(widest[1], input.taps) + 2;
  // If a step along a line is mainly along the rows of the input, 32 samples of a line are in different banks if all
  // rows begin in the same bank. Otherwise 8 x 4 samples are in different banks if rows are four banks apart.
  tiles.square = slopes[1] > slopes[0];
  const int banks = 128 / input.elementBytes;
  const int residue = tiles.square ? 16 / input.elementBytes : 0;
  tiles.pitch = RoundedUp(width + input.wide - 1 - residue, banks) + residue;
  const int vectors = RoundedUp(width + input.wide - 1, input.wide) / input.wide;
  const int stages = input.dimension == 3 ? WindowStages : 1;
  if (static_cast<std::int64_t>(tiles.pitch) * tiles.rows * stages * input.elementBytes > MaxWindowBytes ||
      tiles.pitch > MaxWindowColumns ||
      (input.dimension == 3 && static_cast<std::int64_t>(vectors) * tiles.rows > MaxWindowCopies))
  {
    return MapTiles();
  }
  if (input.dimension == 3)
  {
    const int direction = DirectionOf(PlacesOnAxis(input.descriptor, input.table, 2));
    if (direction == 0)
    {
      return MapTiles();
    }
    tiles.backward = direction < 0;
  }
  tiles.shape = MapShape::InPlane;
  tiles.tileX = tileX;
  tiles.tileY = tileY;
  return tiles;
}

/** Returns whether all indices of a separable or in-plane map, and numbers that are computed from them, fit into an
 * int. The kernels use int. */
bool
IndicesAreSmall(const PlanInput & input, const SourceDescriptor & source)
{
  constexpr double most = 0x1p20;
  for (unsigned int d = 0; d < input.dimension; ++d)
  {
    if (std::abs(static_cast<double>(source.start[d])) > most || static_cast<double>(source.size[d]) > most)
    {
      return false;
    }
  }
  const auto lineIsSmall = [&input](std::int64_t line) {
    for (unsigned int d = 0; d < input.dimension; ++d)
    {
      if (!(std::abs(input.table.Start(line)[d]) <= most && std::abs(input.table.End(line)[d]) <= most))
      {
        return false;
      }
    }
    return true;
  };
  // The lines of one slice, and one line of each slice. The shape of the map implies that other lines have the same
  // numbers.
  const std::int64_t rows = input.dimension == 3 ? input.descriptor.sliceLines : input.descriptor.lines;
  bool               areSmall = true;
  for (std::int64_t line = 0; line < rows && areSmall; ++line)
  {
    areSmall = lineIsSmall(line);
  }
  for (std::int64_t line = rows; line < input.descriptor.lines && areSmall; line += rows)
  {
    areSmall = lineIsSmall(line);
  }
  return areSmall;
}

/** Returns the samples of a support along an axis for methods with a basis. */
unsigned int
TapsOfBasis(const ResampleDescriptor & descriptor, const SourceDescriptor & source)
{
  return static_cast<unsigned int>(GetTaps(descriptor, source.order, 0));
}

/** Returns whether tiles are possible for a resampling, for any map. */
bool
IsForTiles(const ResampleDescriptor & descriptor, const SourceDescriptor & source)
{
  return HasTiles(descriptor.interpolation) && HasTiledKernel(TapsOfBasis(descriptor, source), source.element) &&
         descriptor.mode == EvaluationMode::Exact && source.storage == CoefficientStorage::Element &&
         descriptor.extrapolation == nullptr && source.size[0] * source.size[1] <= std::numeric_limits<int>::max() &&
         source.size[2] <= std::numeric_limits<int>::max();
}

} // namespace

MapTiles
PlanMapTiles(const ResampleDescriptor & descriptor,
             const SourceDescriptor &   source,
             const EndpointTable &      table,
             MapShape                   shape)
{
  if (!IsForTiles(descriptor, source) || shape == MapShape::General)
  {
    return {};
  }
  PlanInput input{ descriptor, table, source.dimension, 4, 0, 0 };
  input.taps = static_cast<int>(TapsOfBasis(descriptor, source));
  input.elementBytes = static_cast<int>(SizeOf(source.element));
  input.wide = 16 / input.elementBytes;
  if (!IndicesAreSmall(input, source))
  {
    return {};
  }
  const MapTiles tiles =
    shape == MapShape::Separable ? PlanSeparable(input) : PlanPlane(input, PlaneTileRows(source.dimension));
  const std::int64_t rows = source.dimension == 3 ? descriptor.sliceLines : descriptor.lines;
  const std::int64_t slices = source.dimension == 3 ? descriptor.lines / descriptor.sliceLines : 1;
  const bool fits = tiles.shape != MapShape::General && rows / tiles.tileY < MaxGridBlocks && slices < MaxGridBlocks;
  return fits ? tiles : MapTiles();
}

MapTiles
PlanMapTiles(const ResampleDescriptor & descriptor, const SourceDescriptor & source, const ExecutionContext & context)
{
  if (!IsForTiles(descriptor, source))
  {
    return {};
  }
  const EndpointTable table{ descriptor.scanlineEnds, source.dimension };
  return PlanMapTiles(descriptor, source, table, ShapeOfMap(descriptor, source.dimension, context));
}

} // namespace itk::CudaSpline
