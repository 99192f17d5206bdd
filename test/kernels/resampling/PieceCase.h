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
#ifndef PieceCase_h
#define PieceCase_h

#include "itkCudaSpline/kernels/resampling/ResamplePieces.h"

#include "TransformChainCase.h"

/** \file
 * \brief Random resamplings that are cut into pieces. */

namespace CudaSplineTest
{

/** A task with all data that it refers to. */
struct PieceCase
{
  ResampleTask               task;
  TransformChain             chain;
  std::vector<double>        ends;
  std::vector<unsigned char> pixels;
  std::string                name;

  void
  Link()
  {
    task.resampling.chain = chain.regionSize[0] > 1 ? &chain : nullptr;
    task.resampling.scanlineEnds = task.resampling.chain == nullptr ? ends.data() : nullptr;
  }
};

/** A case without points: the interpolation, its parameters and its bounds. */
inline PieceCase
MethodCase(const std::vector<std::int64_t> & shape, Interpolation interpolation, FreshRandom & random)
{
  PieceCase          test;
  SourceDescriptor & samples = test.task.samples;
  const ScalarType   pixel = AllScalarTypes[random.Engine()() % AllScalarTypes.size()];
  const bool         moves = MovesPixels(interpolation);
  const auto         element = moves ? pixel : (random.Engine()() % 2 == 0 ? ScalarType::Float32 : ScalarType::Float64);
  const unsigned int order = interpolation == Interpolation::BSpline ? 2 + random.Engine()() % 4 : 0;
  samples = MakeDescriptor(shape, pixel, element, order);
  samples.components = moves || random.Engine()() % 3 != 0 ? 1 : 2;
  auto & resampling = test.task.resampling;
  resampling.interpolation = interpolation;
  resampling.output = moves ? pixel : (random.Engine()() % 2 == 0 ? ScalarType::Float32 : ScalarType::Int16);
  resampling.singleCoordinates = random.Engine()() % 4 == 0;
  resampling.defaultPixel = 0x4142434445464748ULL;
  const Extension extensions[] = {
    Extension::Mirror, Extension::Reflect, Extension::GridWrap, Extension::Nearest, Extension::GridConstant
  };
  for (unsigned int d = 0; d < samples.dimension; ++d)
  {
    samples.start[d] = static_cast<std::int64_t>(random.Engine()() % 21) - 10;
    samples.extension[d] = extensions[random.Engine()() % (order >= 2 ? 3 : 5)];
    resampling.lower[d] = static_cast<double>(samples.start[d]) - 0.5;
    resampling.upper[d] = static_cast<double>(samples.start[d] + samples.size[d]) - 0.5;
    resampling.sigma[d] = random.Uniform(0.5, 1.5);
    resampling.cutOff[d] = random.Uniform(0.5, 3.0);
    if (!moves && random.Engine()() % 3 == 0)
    {
      resampling.lower[d] -= 7.0; // an address mode
      resampling.upper[d] += 40.0;
    }
  }
  resampling.radius = 1 + static_cast<int>(random.Engine()() % 4);
  resampling.cubic = DrawCubicParameters(random);
  test.pixels = RandomPixels(pixel, samples.Elements(), random);
  test.task.extrapolates = random.Engine()() % 3 == 0;
  test.task.needsOutside = test.task.extrapolates && (samples.NeedsFilter() || element != pixel);
  test.task.outside = samples;
  test.task.outside.order = 0;
  test.task.outside.element = samples.components > 1 ? ScalarType::Float64 : pixel;
  test.name = std::string(NameOf(interpolation)) + " order " + std::to_string(order) + " of " + NameOf(pixel) + " as " +
              NameOf(element) + " in " + std::to_string(samples.dimension) + "D";
  return test;
}

/** Scanlines of an affine map: rotated, stretched, and sometimes outside of the input. */
inline PieceCase
ScanlineCase(const std::vector<std::int64_t> & shape, Interpolation interpolation, FreshRandom & random)
{
  PieceCase          test = MethodCase(shape, interpolation, random);
  auto &             resampling = test.task.resampling;
  const unsigned int dimension = test.task.samples.dimension;
  resampling.samples = 75;
  resampling.sliceLines = dimension == 3 ? 31 : 0;
  resampling.lines = dimension == 3 ? 31 * 11 : 61;
  resampling.lineOffset = 3;
  resampling.lineLength = 83;
  double       matrix[3][3];
  double       middle[3];
  const double turn = random.Engine()() % 2 == 0 ? 0.0 : random.Uniform(0.0, 0.6);
  for (unsigned int r = 0; r < dimension; ++r)
  {
    const auto size = static_cast<double>(shape[r]);
    middle[r] = static_cast<double>(test.task.samples.start[r]) + size * random.Uniform(0.4, 0.6);
    for (unsigned int c = 0; c < dimension; ++c)
    {
      matrix[r][c] = size * (r == c ? random.Uniform(0.9, 1.1) : turn * random.Uniform(-1.0, 1.0));
    }
  }
  for (std::int64_t line = 0; line < resampling.lines; ++line)
  {
    const double at[2] = { dimension == 3 ? static_cast<double>(line % 31) / 31.0 - 0.5
                                          : static_cast<double>(line) / 61.0 - 0.5,
                           dimension == 3 ? static_cast<double>(line / 31) / 11.0 - 0.5 : 0.0 };
    for (const double x : { -0.5, 0.5 })
    {
      for (unsigned int r = 0; r < dimension; ++r)
      {
        double index = middle[r] + matrix[r][0] * x;
        index += dimension > 1 ? matrix[r][1] * at[0] : 0.0;
        index += dimension > 2 ? matrix[r][2] * at[1] : 0.0;
        test.ends.push_back(line == 11 ? std::numeric_limits<double>::quiet_NaN() : index);
      }
    }
  }
  test.Link();
  return test;
}

/** A chain centred in an image of about 40 samples along each axis. */
inline PieceCase
ChainCase(unsigned int dimension, const std::string & stages, Interpolation interpolation, FreshRandom & random)
{
  const std::int64_t sizes[] = { 61, 57, 40 };
  PieceCase          test = MethodCase({ sizes, sizes + dimension }, interpolation, random);
  test.task.resampling.singleCoordinates = false;
  Case plain;
  plain.source = test.task.samples;
  test.chain = RandomChain(plain, stages, random);
  auto & resampling = test.task.resampling;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    test.chain.regionSize[d] = 47 + static_cast<std::int64_t>(d);
    test.chain.indexToPoint[d][d] *= 0.6; // mm; grids have spacings of about 2 mm, the input 0.4
    for (unsigned int c = 0; c < dimension; ++c)
    {
      test.chain.pointToIndex[d][c] *= 3.0;
    }
    test.chain.inputOrigin[d] =
      random.Uniform(-2.0, 2.0) - static_cast<double>(test.task.samples.start[d]) / (0.6 * 3.0);
  }
  resampling.samples = test.chain.regionSize[0];
  resampling.lines = test.chain.regionSize[1] * test.chain.regionSize[2];
  resampling.sliceLines = dimension == 3 ? test.chain.regionSize[1] : 0;
  test.name += ", chain " + stages;
  test.Link();
  return test;
}

/** A zoom of a volume along its slices, in float, that can always be split: no slice reads both ends of the input. */
inline PieceCase
ZoomCase(FreshRandom & random)
{
  PieceCase   test = ScanlineCase({ 33, 21, 400 }, Interpolation::Linear, random);
  Extension & extension = test.task.samples.extension[2];
  extension = extension == Extension::GridWrap ? Extension::Mirror : extension;
  test.task.outside.extension[2] = extension;
  test.task.samples.element = ScalarType::Float32;
  test.task.samples.components = 1;
  test.task.extrapolates = false;
  test.task.needsOutside = false;
  return test;
}

/** An output with initial values. */
inline std::vector<unsigned char>
OutputFor(const ResampleTask & task)
{
  return std::vector<unsigned char>(static_cast<std::size_t>(task.resampling.samples * task.resampling.lines) *
                                      task.samples.components * SizeOf(task.resampling.output),
                                    0xA5);
}

/** The output of a source that is prepared and evaluated as a whole. */
inline std::vector<unsigned char>
ComputeWhole(const PieceCase & test, const ExecutionContext & context)
{
  auto       output = OutputFor(test.task);
  const auto source = MakeSource(test.task.samples, test.pixels.data(), context);
  const auto outside = test.task.needsOutside ? MakeSource(test.task.outside, test.pixels.data(), context) : source;
  ResampleDescriptor resampling = test.task.resampling;
  resampling.extrapolation = test.task.extrapolates ? outside.get() : nullptr;
  Resample(resampling, *source, output.data(), context);
  return output;
}

/** Bytes of the whole source, including the values that extend it. */
inline std::size_t
BytesOfWhole(const ResampleTask & task)
{
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  return PlanResample(task.samples, task.resampling, most).PeakBytes() +
         (task.needsOutside ? PlanSource(task.outside, most).PeakBytes() : 0);
}

} // namespace CudaSplineTest

#endif
