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

#include "kernels/DeviceEvaluation.h"

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace
{
using namespace itk::CudaSpline;

/** A transform between indices of the output and the input, about their centres. */
struct Move
{
  std::string                          name;
  std::array<std::array<double, 3>, 3> matrix{ { { { 1, 0, 0 } }, { { 0, 1, 0 } }, { { 0, 0, 1 } } } };
  std::array<double, 3>                shift{};
  std::int64_t                         input{ 512 };  ///< samples per axis
  std::int64_t                         output{ 512 }; ///< samples per axis
};

/** A method of evaluation. */
struct Way
{
  std::string        name;
  Interpolation      interpolation{ Interpolation::BSpline };
  unsigned int       order{ 3 };
  EvaluationMode     mode{ EvaluationMode::Exact };
  CoefficientStorage storage{ CoefficientStorage::Element };
  int                tableEntries{ 0 };
  Derivatives        derivatives{ Derivatives::None };
};

/** Returns a rotation about the axes x, y, z by angles in radians. */
Move
Rotation(const std::string & name, double a, double b, double c)
{
  const double ca = std::cos(a), sa = std::sin(a), cb = std::cos(b), sb = std::sin(b), cc = std::cos(c),
               sc = std::sin(c);
  Move move;
  move.name = name;
  move.matrix = { { { { cb * cc, -cb * sc, sb } },
                    { { ca * sc + sa * sb * cc, ca * cc - sa * sb * sc, -sa * cb } },
                    { { sa * sc - ca * sb * cc, sa * cc + ca * sb * sc, ca * cb } } } };
  return move;
}

/** Returns the ends of the scanlines of a cube or a square. */
std::vector<double>
EndsOf(const Move & move, unsigned int dimension)
{
  const std::int64_t  lines = dimension == 3 ? move.output * move.output : move.output;
  std::vector<double> ends;
  ends.reserve(static_cast<std::size_t>(lines) * 2 * dimension);
  const double centre = 0.5 * static_cast<double>(move.output - 1);
  for (std::int64_t line = 0; line < lines; ++line)
  {
    const double y = static_cast<double>(line % move.output) - centre;
    const double z = dimension == 3 ? static_cast<double>(line / move.output) - centre : 0.0;
    for (const double x : { -centre, static_cast<double>(move.output) - centre })
    {
      for (unsigned int r = 0; r < dimension; ++r)
      {
        ends.push_back(0.5 * static_cast<double>(move.input - 1) + move.shift[r] + move.matrix[r][0] * x +
                       move.matrix[r][1] * y + move.matrix[r][2] * z);
      }
    }
  }
  return ends;
}

/** Returns the source of a cell. The last one is cached, because consecutive benchmarks use the same one. */
std::shared_ptr<const SampleSource>
SourceFor(const Cell & cell, const SourceDescriptor & samples, const ExecutionContext & context)
{
  static std::shared_ptr<const SampleSource> kept;
  if (kept == nullptr || !(kept->GetDescriptor() == samples))
  {
    kept.reset();
    kept = MakeSource(samples, PixelsOf(cell), context);
  }
  return kept;
}

void
MeasureEvaluation(benchmark::State & state, unsigned int dimension, const Move & move, const Way & way)
{
  try
  {
    Cell cell;
    cell.backend = Backend::Cuda;
    cell.dimension = dimension;
    cell.size = move.input;
    const ExecutionContext context = ContextOf(cell);
    SourceDescriptor       samples = SourceOf(cell);
    samples.order = way.interpolation == Interpolation::BSpline ? way.order : 0;
    samples.storage = way.storage;
    samples.tableEntries = way.tableEntries;
    if (way.interpolation == Interpolation::Linear)
    {
      samples.extension.fill(Extension::Nearest);
    }
    const auto                source = SourceFor(cell, samples, context);
    const std::vector<double> ends = EndsOf(move, dimension);
    ResampleDescriptor        descriptor;
    descriptor.interpolation = way.interpolation;
    descriptor.mode = way.mode;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      descriptor.lower[d] = -0.5;
      descriptor.upper[d] = static_cast<double>(move.input) - 0.5;
    }
    descriptor.samples = move.output;
    descriptor.lines = dimension == 3 ? move.output * move.output : move.output;
    descriptor.lineLength = move.output;
    descriptor.sliceLines = dimension == 3 ? move.output : 0;
    descriptor.scanlineEnds = ends.data();
    DeviceEvaluation evaluation(descriptor, way.derivatives, source, context);
    evaluation.Time(); // loads the kernel
    for (auto _ : state)
    {
      state.SetIterationTime(evaluation.Time());
    }
    Declare(state, cell.Bytes(), descriptor.samples * descriptor.lines * 4);
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}

void
Register(unsigned int dimension, const Move & move, const Way & way)
{
  const std::string name = "EvaluationKernel/backend:cuda/dimension:" + std::to_string(dimension) +
                           "/size:" + std::to_string(move.input) + "/way:" + way.name + "/move:" + move.name;
  WithQuartiles(benchmark::RegisterBenchmark(
                  name.c_str(), [=](benchmark::State & state) { MeasureEvaluation(state, dimension, move, way); }))
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
}
} // namespace

void
RegisterEvaluations()
{
  const Way cubic{ "cubic" };
  const Way linear{ "linear", Interpolation::Linear };
  const Way texture{ "cubic-texture", Interpolation::BSpline, 3, EvaluationMode::Texture, CoefficientStorage::Texture };
  const Way linearTexture{
    "linear-texture", Interpolation::BSpline, 1, EvaluationMode::Texture, CoefficientStorage::Texture
  };
  const Way table{
    "cubic-table", Interpolation::BSpline, 3, EvaluationMode::TextureTable, CoefficientStorage::Texture, 256
  };
  const Way half{ "cubic-half", Interpolation::BSpline, 3, EvaluationMode::Exact, CoefficientStorage::Half };
  const Way int16{ "cubic-int16", Interpolation::BSpline, 3, EvaluationMode::Exact, CoefficientStorage::Int16 };
  const Way catmullRom{ "catmull-rom", Interpolation::CubicConvolution };
  Way       gradient = cubic;
  gradient.name = "cubic-gradient";
  gradient.derivatives = Derivatives::First;

  const Move rotation = Rotation("rotation", 0.17, 0.26, 0.35);
  for (const Way & way : { cubic, linear, texture, linearTexture, table, half, int16, catmullRom, gradient })
  {
    Register(3, rotation, way);
  }
  for (const unsigned int order : { 2, 4, 5 })
  {
    Register(3, rotation, { "order-" + std::to_string(order), Interpolation::BSpline, order });
  }
  const Move slight = Rotation("rotation-0.02", 0.02, 0.02, 0.02);
  Register(3, slight, cubic);
  Register(3, slight, texture);
  for (const int degrees : { 0, 15, 30, 45, 60, 75, 90 })
  {
    const double      angle = degrees * 3.14159265358979 / 180.0;
    const std::string name = std::to_string(degrees) + "-about-";
    Register(3, Rotation(name + "x", angle, 0, 0), cubic);
    Register(3, Rotation(name + "y", 0, angle, 0), cubic);
    Register(3, Rotation(name + "z", 0, 0, angle), cubic);
  }
  Register(3, Rotation("random-1", 1.1, -0.4, 2.3), cubic);
  Register(3, Rotation("random-2", -0.7, 0.9, 0.5), cubic);

  Move zoom;
  zoom.name = "zoom";
  zoom.input = 256;
  for (unsigned int d = 0; d < 3; ++d)
  {
    zoom.matrix[d][d] = 0.5;
  }
  Register(3, zoom, cubic);
  Move shift;
  shift.name = "shift";
  shift.shift = { { 0.3, -1.6, 2.2 } };
  Register(3, shift, cubic);
  Move inPlane = Rotation("in-plane", 0, 0, 0.3);
  inPlane.matrix[2][2] = 0.9;
  Register(3, inPlane, cubic);

  Move square = Rotation("rotation", 0, 0, 0.3);
  square.input = 4096;
  square.output = 4096;
  for (const Way & way : { cubic, texture, linearTexture, linear })
  {
    Register(2, square, way);
  }
}
