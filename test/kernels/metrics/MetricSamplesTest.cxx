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
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/metrics/MetricSamples.h"
#include "itkCudaSpline/math/LinearEvaluation.h"
#include "../common/KernelTestData.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

/** \file
 * \brief Samples of the fixed image are compared with LinearValue(), which has the bits of ITK's interpolator. */

namespace
{

using namespace CudaSplineTest;

/** A double image, some of whose pixels are not finite, and a grid of samples for it. */
template <unsigned int VDimension>
struct SampledImage
{
  GridExtent<VDimension> extent;
  std::vector<double>    pixels;
  MetricDescriptor       descriptor;
  MetricSources          sources;

  /** \p size pixels along each axis; 0: random sizes. */
  explicit SampledImage(FreshRandom & random, std::int64_t size = 0)
  {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    SourceDescriptor source;
    source.dimension = VDimension;
    source.pixel = ScalarType::Float64;
    source.element = ScalarType::Float64;
    source.extension.fill(Extension::Nearest);
    std::size_t count = 1;
    descriptor.dimension = VDimension;
    descriptor.interpolation.interpolation = Interpolation::Linear;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      extent.start[d] = static_cast<std::int64_t>(d) - 1;
      extent.size[d] = size > 0 ? size : static_cast<std::int64_t>(random.Uniform(1.0, 9.0));
      source.start[d] = extent.start[d];
      source.size[d] = extent.size[d];
      count *= static_cast<std::size_t>(extent.size[d]);
      descriptor.interpolation.lower[d] = static_cast<double>(extent.start[d]) - 0.5;
      descriptor.interpolation.upper[d] = static_cast<double>(extent.start[d] + extent.size[d]) - 0.5;
      descriptor.chain.indexToPoint[d][d] = 1.0;
      descriptor.chain.pointToIndex[d][d] = 1.0;
      descriptor.chain.regionStart[d] = extent.start[d];
      descriptor.chain.regionSize[d] = extent.size[d];
    }
    for (std::size_t i = 0; i < count; ++i)
    {
      const double kind = random.Uniform(0.0, 20.0);
      pixels.push_back(kind < 1.0   ? infinity
                       : kind < 2.0 ? -infinity
                       : kind < 3.0 ? std::numeric_limits<double>::quiet_NaN()
                                    : random.Uniform(-5.0, 5.0));
    }
    sources.moving = MakeSource(source, pixels.data(), ExecutionContext());
  }

  std::size_t
  Count() const
  {
    std::size_t count = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      count *= static_cast<std::size_t>(descriptor.chain.regionSize[d]);
    }
    return count;
  }

  /** Positions of the samples of the grid (mm), one after the other. */
  std::vector<double>
  Places() const
  {
    std::vector<double> places;
    for (std::size_t i = 0; i < this->Count(); ++i)
    {
      auto   rest = static_cast<std::int64_t>(i);
      double index[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        index[d] = static_cast<double>(descriptor.chain.regionStart[d] + rest % descriptor.chain.regionSize[d]);
        rest /= descriptor.chain.regionSize[d];
      }
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        double place = descriptor.chain.outputOrigin[r];
        for (unsigned int c = 0; c < VDimension; ++c)
        {
          place += descriptor.chain.indexToPoint[r][c] * index[c];
        }
        places.push_back(place);
      }
    }
    return places;
  }
};

bool
IsSame(double a, double b)
{
  return a == b || (std::isnan(a) && std::isnan(b));
}

/** Samples a grid, the places of the grid as a list, and by LinearValue(): of an identity between image and space. */
template <unsigned int VDimension>
void
CompareWays(const SampledImage<VDimension> & image)
{
  const std::size_t         count = image.Count();
  std::vector<double>       values(count, -77.0);
  std::vector<double>       ofList(count, -77.0);
  std::vector<std::uint8_t> inside(count, 9);
  std::vector<std::uint8_t> insideOfList(count, 9);
  const auto                places = image.Places();
  SourceDescriptor          list;
  list.dimension = 1;
  list.size[0] = static_cast<std::int64_t>(places.size());
  list.pixel = ScalarType::Float64;
  list.element = ScalarType::Float64;
  MetricSources asList = image.sources;
  asList.points = MakeSource(list, places.data(), ExecutionContext());
  const ThreadExecutor threads(3);
  ExecutionContext     context;
  context.host = &threads;
  const bool all = SampleForMetric(image.descriptor, image.sources, context, values.data(), inside.data());
  const bool allOfList = SampleForMetric(image.descriptor, asList, context, ofList.data(), insideOfList.data());
  EXPECT_EQ(all, std::count(inside.begin(), inside.end(), 1) == static_cast<std::ptrdiff_t>(count));
  EXPECT_EQ(all, allOfList);
  EXPECT_EQ(inside, insideOfList);
  for (std::size_t i = 0; i < count; ++i)
  {
    double index[VDimension];
    bool   isInside = true;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      index[d] = places[i * VDimension + d];
      isInside = isInside && index[d] >= image.descriptor.interpolation.lower[d] &&
                 index[d] < image.descriptor.interpolation.upper[d];
    }
    const double expected = isInside ? LinearValue(image.pixels.data(), image.extent, index) : 0.0;
    ASSERT_EQ(inside[i], isInside ? 1 : 0) << i;
    ASSERT_TRUE(IsSame(values[i], expected)) << i << ": " << values[i] << " is not " << expected;
    ASSERT_TRUE(IsSame(ofList[i], expected)) << i << ": " << ofList[i] << " is not " << expected;
  }
}

template <unsigned int VDimension>
void
CompareGrids()
{
  FreshRandom random;
  for (int n = 0; n < 60; ++n)
  {
    SampledImage<VDimension> image(random);
    CompareWays(image); // on its own grid
    EXPECT_TRUE(AreSamplesPixels(image.descriptor, image.sources));
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      image.descriptor.chain.regionSize[d] = static_cast<std::int64_t>(random.Uniform(1.0, 12.0));
      image.descriptor.chain.indexToPoint[d][d] = n % 3 == 0 ? 0.5 : random.Uniform(-1.5, 1.5);
      image.descriptor.chain.outputOrigin[d] = n % 3 == 1 ? 0.5 : random.Uniform(-2.0, 2.0);
    }
    image.descriptor.chain.regionSize[1] *= n % 5 == 0 ? 100 : 1; // enough for several threads
    CompareWays(image);
  }
}

TEST(MetricSamples, OfGridsAndListsAreLinearValues)
{
  CompareGrids<2>();
  CompareGrids<3>();
}

// A matrix may be singular: no axis of the grid is the image's then.
TEST(MetricSamples, TwoAxesMayFallTogether)
{
  FreshRandom     random;
  SampledImage<3> image(random, 6);
  image.descriptor.chain.indexToPoint[1][1] = 0.0;
  image.descriptor.chain.indexToPoint[1][0] = 1.0;
  const auto       places = image.Places();
  SourceDescriptor list;
  list.dimension = 1;
  list.size[0] = static_cast<std::int64_t>(places.size());
  list.pixel = list.element = ScalarType::Float64;
  MetricSources asList = image.sources;
  asList.points = MakeSource(list, places.data(), ExecutionContext());
  std::vector<double>       values(image.Count());
  std::vector<double>       ofList(image.Count());
  std::vector<std::uint8_t> inside(image.Count());
  std::vector<std::uint8_t> insideOfList(image.Count());
  SampleForMetric(image.descriptor, image.sources, ExecutionContext(), values.data(), inside.data());
  SampleForMetric(image.descriptor, asList, ExecutionContext(), ofList.data(), insideOfList.data());
  EXPECT_EQ(inside, insideOfList);
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    ASSERT_TRUE(IsSame(values[i], ofList[i])) << i << ": " << values[i] << " is not " << ofList[i];
  }
  image.descriptor.chain.regionSize[2] = 0; // a grid without samples cannot contain a listed sample, either
  EXPECT_THROW(SampleForMetric(image.descriptor, asList, ExecutionContext(), ofList.data(), insideOfList.data()),
               std::invalid_argument);
}

TEST(MetricSamples, ArePixelsWhereEveryIndexIsTheirs)
{
  FreshRandom random;
  const auto  arePixels = [&random](const auto & change) {
    SampledImage<3> image(random, 4);
    change(image.descriptor);
    return AreSamplesPixels(image.descriptor, image.sources);
  };
  EXPECT_TRUE(arePixels([](MetricDescriptor &) {}));
  EXPECT_FALSE(arePixels([](MetricDescriptor & descriptor) { descriptor.chain.outputOrigin[1] = 0.5; }));
  EXPECT_FALSE(arePixels([](MetricDescriptor & descriptor) { descriptor.chain.outputOrigin[2] = 1e-14; }));
  EXPECT_FALSE(arePixels([](MetricDescriptor & descriptor) { descriptor.chain.regionSize[0] += 1; }));
  EXPECT_FALSE(arePixels([](MetricDescriptor & descriptor) { descriptor.chain.indexToPoint[0][1] = 1e-9; }));
  // Axes that are swapped twice and turned round twice are themselves; once, they are not.
  for (const bool twice : { true, false })
  {
    SampledImage<3> image(random, 5);
    const auto      swap = [](TransformChain::Matrix & matrix) {
      matrix[0][0] = matrix[1][1] = 0.0;
      matrix[0][1] = matrix[1][0] = -1.0;
    };
    swap(image.descriptor.chain.indexToPoint);
    if (twice)
    {
      swap(image.descriptor.chain.pointToIndex);
    }
    EXPECT_EQ(AreSamplesPixels(image.descriptor, image.sources), twice);
  }
}

TEST(MetricSamples, AreRefusedWhereTheKernelsHaveOtherBits)
{
  FreshRandom               random;
  std::vector<double>       values(1000);
  std::vector<std::uint8_t> inside(1000);
  const auto                sample = [&](const auto & change) {
    SampledImage<3> image(random);
    change(image.descriptor, image.sources);
    SampleForMetric(image.descriptor, image.sources, ExecutionContext(), values.data(), inside.data());
  };
  EXPECT_NO_THROW(sample([](MetricDescriptor &, MetricSources &) {}));
  EXPECT_THROW(sample([](MetricDescriptor & descriptor, MetricSources &) {
                 descriptor.interpolation.interpolation = Interpolation::BSpline;
               }),
               std::invalid_argument);
  EXPECT_THROW(sample([](MetricDescriptor & descriptor, MetricSources &) {
                 descriptor.chain.stages.resize(1);
                 descriptor.chain.stages[0].kind = TransformKind::BSpline;
               }),
               std::invalid_argument);
  EXPECT_THROW(sample([](MetricDescriptor & descriptor, MetricSources &) { descriptor.chain.regionSize[1] = 0; }),
               std::invalid_argument);
  EXPECT_THROW(sample([](MetricDescriptor &, MetricSources & sources) { sources.moving = nullptr; }),
               std::invalid_argument);
}

} // namespace
