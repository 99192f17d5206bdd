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
#include "BenchmarkCell.h"
#include "BenchmarkHarness.h"

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/math/Geometry.h"

#include <cmath>
#include <vector>

namespace
{
using namespace itk::CudaSpline;

/** Returns a grid of unit spacing with origin at index 0. */
template <unsigned int VDimension>
GridGeometry<VDimension>
UnitGrid(std::int64_t size)
{
  GridGeometry<VDimension> grid;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    grid.extent.size[d] = size;
    grid.indexToPoint[d][d] = 1.0;
    grid.pointToIndex[d][d] = 1.0;
  }
  return grid;
}

/** Rotates by 0.1 radians in every plane about the centre of the grid, so that no axis remains aligned. */
template <unsigned int VDimension>
AffineMap<VDimension>
Rotation(std::int64_t size)
{
  AffineMap<VDimension> map;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    map.matrix[d][d] = 1.0;
  }
  const double c = std::cos(0.1), s = std::sin(0.1);
  for (unsigned int a = 0; a < VDimension; ++a)
  {
    for (unsigned int b = a + 1; b < VDimension; ++b)
    {
      for (unsigned int column = 0; column < VDimension; ++column)
      {
        const double first = map.matrix[a][column];
        const double second = map.matrix[b][column];
        map.matrix[a][column] = c * first - s * second;
        map.matrix[b][column] = s * first + c * second;
      }
    }
  }
  const double centre = 0.5 * static_cast<double>(size - 1);
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    map.offset[r] = centre;
    for (unsigned int column = 0; column < VDimension; ++column)
    {
      map.offset[r] -= map.matrix[r][column] * centre;
    }
  }
  return map;
}

/** Returns the table for ResampleDescriptor::scanlineEnds. */
template <unsigned int VDimension>
std::vector<double>
EndsOfScanlines(std::int64_t size)
{
  const GridGeometry<VDimension> grid = UnitGrid<VDimension>(size);
  const AffineMap<VDimension>    map = Rotation<VDimension>(size);
  const std::int64_t             lines = grid.extent.Count() / size;
  std::vector<double>            ends;
  ends.reserve(static_cast<std::size_t>(lines) * 2 * VDimension);
  for (std::int64_t line = 0; line < lines; ++line)
  {
    std::int64_t index[VDimension] = {};
    std::int64_t rest = line;
    for (unsigned int d = 1; d < VDimension; ++d)
    {
      index[d] = rest % size;
      rest /= size;
    }
    const ScanlineEnds<VDimension> both = MapScanline<VDimension>(grid, map, grid, index);
    ends.insert(ends.end(), both.start, both.start + VDimension);
    ends.insert(ends.end(), both.end, both.end + VDimension);
  }
  return ends;
}

void
MeasureResample(benchmark::State & state, const Cell & cell)
{
  try
  {
    const ExecutionContext    context = ContextOf(cell);
    const auto                source = MakeSource(SourceOf(cell), PixelsOf(cell), context);
    const std::vector<double> ends =
      cell.dimension == 3 ? EndsOfScanlines<3>(cell.size) : EndsOfScanlines<2>(cell.size);
    std::vector<char> output(static_cast<std::size_t>(cell.Bytes()), char(0x5a));

    ResampleDescriptor descriptor;
    descriptor.interpolation = cell.interpolation;
    descriptor.output = cell.type;
    for (unsigned int d = 0; d < cell.dimension; ++d)
    {
      descriptor.lower[d] = -0.5;
      descriptor.upper[d] = static_cast<double>(cell.size) - 0.5;
    }
    descriptor.samples = cell.size;
    descriptor.lines = cell.Lines();
    descriptor.lineLength = cell.size;
    descriptor.scanlineEnds = ends.data();
    Resample(descriptor, *source, output.data(), context);
    for (auto _ : state)
    {
      Resample(descriptor, *source, output.data(), context);
      benchmark::ClobberMemory();
    }
    Declare(state, cell.Bytes() + static_cast<std::int64_t>(ends.size() * sizeof(double)), cell.Bytes());
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}

void
Register(const Cell & cell, const std::string & axes)
{
  const std::string name = "Resample" + cell.Axes() + "/interpolation:" + axes;
  WithQuartiles(
    benchmark::RegisterBenchmark(name.c_str(), [cell](benchmark::State & state) { MeasureResample(state, cell); }))
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
}
} // namespace

void
RegisterResamplings(bool withCuda)
{
  ForCells(withCuda, [](Cell cell) {
    cell.interpolation = Interpolation::Nearest;
    Register(cell, "nearest");
    cell.interpolation = Interpolation::Linear;
    Register(cell, "linear");
    cell.interpolation = Interpolation::BSpline;
    for (const unsigned int order : { 2, 3, 4, 5 })
    {
      cell.order = order;
      Register(cell, "bspline/order:" + std::to_string(order));
    }
  });
}
