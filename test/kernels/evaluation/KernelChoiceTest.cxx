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
#include "kernels/evaluation/KernelChoice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

/** \file
 * \brief The choice of kernels: every family once, and the conditions that exclude the faster ones. */

namespace itk::CudaSpline
{

namespace
{

/** The sizes of an H100 (bytes). */
constexpr SharedMemorySizes sharedMemory{ 232448, 233472 };

/** A cubic resampling of 64^3 floats with a rotation, which tests modify. */
struct Case
{
  KernelRequest          request;
  EvaluationArguments<3> arguments{};
  double                 alpha{ 0.0 };
  std::uint64_t          pixel{ 0 };

  Case()
  {
    request.lines = 64 * 64;
    arguments.element = ScalarType::Float32;
    arguments.components = 1;
    arguments.outputType = ScalarType::Float32;
    arguments.coordinates = Coordinates::Scanlines;
    arguments.mode = EvaluationMode::Exact;
    arguments.alphas = &alpha;
    arguments.samples = 64;
    arguments.sliceLines = 64;
    const double turned[3][3] = { { 0.8, -0.6, 0.1 }, { 0.6, 0.8, 0.0 }, { 0.0, 0.1, 0.9 } };
    for (int d = 0; d < 3; ++d)
    {
      arguments.extent.size[d] = 64;
      arguments.extension[d] = Extension::Mirror;
      arguments.lower[d] = -0.5;
      arguments.upper[d] = 63.5;
      for (int j = 0; j < 3; ++j)
      {
        arguments.steps[d][j] = turned[d][j];
      }
    }
  }

  KernelChoice
  Choose(const SharedMemorySizes & memory = sharedMemory) const
  {
    return ChooseKernel(request, arguments, memory);
  }
  KernelFamily
  Family(const SharedMemorySizes & memory = sharedMemory) const
  {
    return this->Choose(memory).family;
  }
};

} // namespace

TEST(KernelChoice, MapsThatAreSimplerMarch)
{
  Case test;
  test.arguments.tiles.shape = MapShape::Separable;
  EXPECT_EQ(test.Family(), KernelFamily::SeparableMarch);
  test.arguments.tiles.shape = MapShape::InPlane;
  EXPECT_EQ(test.Family(), KernelFamily::PlaneMarch);
  // They compute values only.
  test.request.derivatives = Derivatives::Second;
  EXPECT_EQ(test.Family(), KernelFamily::Samples);
}

TEST(KernelChoice, BoxesAreForFloatsAlongScanlines)
{
  const Case plain;
  const auto choice = plain.Choose();
  ASSERT_EQ(choice.family, KernelFamily::Boxes);
  EXPECT_TRUE(choice.boxes.exists);
  EXPECT_EQ(choice.boxes.rows, 64);
  for (const unsigned int order : { 1U, 2U, 3U, 4U, 5U })
  {
    Case test;
    test.request.order = order;
    EXPECT_EQ(test.Family(), KernelFamily::Boxes) << order;
    test.request.derivatives = Derivatives::First;
    double gradient = 0.0;
    test.arguments.gradients = &gradient;
    EXPECT_EQ(test.Family(), order == 3 ? KernelFamily::Boxes : KernelFamily::Samples) << order;
    test.arguments.hessians = &gradient;
    EXPECT_EQ(test.Family(), KernelFamily::Samples) << order;
  }
  Case cubicConvolution;
  cubicConvolution.request.method = Interpolation::CubicConvolution;
  EXPECT_EQ(cubicConvolution.Family(), KernelFamily::Boxes);

  // All of these need the kernel for single samples.
  const auto expectSamples = [](const char * what, const auto & change) {
    Case test;
    change(test);
    EXPECT_EQ(test.Family(), KernelFamily::Samples) << what;
  };
  static const double anything = 0.0;
  static std::uint8_t mask = 0;
  expectSamples("order 0", [](Case & test) { test.request.order = 0; });
  expectSamples("a list", [](Case & test) { test.arguments.coordinates = Coordinates::Indices; });
  expectSamples("a chain", [](Case & test) { test.arguments.coordinates = Coordinates::Stages; });
  expectSamples("components", [](Case & test) { test.arguments.components = 3; });
  expectSamples("extrapolation", [](Case & test) { test.arguments.extrapolation = &anything; });
  expectSamples("several defaults", [](Case & test) { test.arguments.defaultPixels = &test.pixel; });
  expectSamples("a mask", [](Case & test) { test.arguments.inside = &mask; });
  expectSamples("a long axis", [](Case & test) { test.arguments.extent.size[1] = MaxTileIndex; });
  expectSamples("far from 0", [](Case & test) { test.arguments.extent.start[2] = -MaxTileIndex; });
  expectSamples("steps too wide for a tile", [](Case & test) { test.arguments.steps[0][0] = 40.0; });
  expectSamples("a step that is not a number", [](Case & test) { test.arguments.steps[1][1] = std::nan(""); });
  EXPECT_EQ(Case().Family({ 1024, 1024 }), KernelFamily::Samples) << "no room for a tile";

  Case ofDoubles;
  ofDoubles.request.element = ScalarType::Float64;
  EXPECT_EQ(ofDoubles.Family(), KernelFamily::Samples);
}

TEST(KernelChoice, MoreBoxesThanAGridHasGoSampleBySample)
{
  Case test;
  test.arguments.sliceLines = 1;
  test.request.lines = std::int64_t{ 1 } << 25; // slices of a line: at least 2^25 / 2^4 blocks
  test.arguments.samples = 8;
  EXPECT_EQ(test.Family(), KernelFamily::Samples);
}

TEST(KernelChoice, LinearGoesAlongScanlines)
{
  Case test;
  test.request.method = Interpolation::Linear;
  test.arguments.outputType = ScalarType::Int16;
  const auto choice = test.Choose();
  ASSERT_EQ(choice.family, KernelFamily::LinearScanlines);
  // 16 samples of 8 lanes, 8 rows, 4 slices.
  EXPECT_EQ(choice.scanlines.extent[0], 128);
  EXPECT_EQ(choice.scanlines.extent[1], 8);
  EXPECT_EQ(choice.scanlines.extent[2], 4);
  EXPECT_EQ(choice.scanlines.blocks[1], 8);
  EXPECT_EQ(choice.scanlines.blocks[2], 16);
  EXPECT_EQ(choice.scanlines.bounds.least[0], 0.0);
  EXPECT_LT(choice.scanlines.bounds.most[0], 63.0);
  test.arguments.singleCoordinates = true;
  EXPECT_EQ(test.Family(), KernelFamily::Samples);
  test.arguments.singleCoordinates = false;
  test.arguments.alphas = nullptr;
  EXPECT_EQ(test.Family(), KernelFamily::Samples);
  test.arguments.alphas = &test.alpha;
  test.arguments.extent.start[0] = std::int64_t{ 1 } << 30;
  EXPECT_EQ(test.Family(), KernelFamily::Samples);
  test.arguments.extent.start[0] = 0;
  test.request.element = ScalarType::Float64;
  EXPECT_EQ(test.Family(), KernelFamily::Samples);
}

TEST(KernelChoice, TexturesGoAlongScanlinesAndStoreFloats)
{
  Case test;
  test.arguments.mode = EvaluationMode::Texture;
  EXPECT_EQ(test.Family(), KernelFamily::TextureScanlines);
  test.arguments.outputType = ScalarType::Int16;
  EXPECT_EQ(test.Family(), KernelFamily::Texture);
}

TEST(KernelChoice, EveryMethodHasOne)
{
  for (const Interpolation method : AllInterpolations)
  {
    Case test;
    test.request.method = method;
    test.arguments.coordinates = Coordinates::Points;
    const KernelChoice choice = test.Choose();
    EXPECT_EQ(choice.family, KernelFamily::Samples);
    EXPECT_EQ(DescribeKernel(choice, {}), std::string(NameOf(method)) + " of float32, sample by sample");
  }
  Case packed;
  packed.request.storage = CoefficientStorage::Half;
  EXPECT_EQ(packed.Family(), KernelFamily::Packed);
}

TEST(KernelChoice, PlanesHaveNoBoxes)
{
  EvaluationArguments<2> arguments{};
  KernelRequest          request;
  arguments.mode = EvaluationMode::Exact;
  request.lines = 64;
  EXPECT_EQ(ChooseKernel(request, arguments, sharedMemory).family, KernelFamily::Samples);
  arguments.tiles.shape = MapShape::InPlane;
  EXPECT_EQ(ChooseKernel(request, arguments, sharedMemory).family, KernelFamily::PlaneMarch);
}

TEST(KernelChoice, IsToldInWords)
{
  Case       test;
  const auto boxes = test.Choose();
  const auto extent = [&boxes](int axis) { return std::to_string(1 << boxes.boxes.logExtent[axis]); };
  EXPECT_EQ(DescribeKernel(boxes, {}),
            "boxes of " + extent(0) + " x " + extent(1) + " x " + extent(2) + " samples, " +
              std::to_string(boxes.boxes.threads) + " threads");
  test.arguments.tiles = { MapShape::Separable, 64, 8, 72, 12, false, false };
  EXPECT_EQ(DescribeKernel(test.Choose(), test.arguments.tiles),
            "separable march, tiles of 64 x 8 samples, windows of 72 x 12");
}

} // namespace itk::CudaSpline
