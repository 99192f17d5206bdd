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
#include "../fields/FieldCase.h"

#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/kernels/metrics/Features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

/** \file
 * \brief Descriptors of self-similarity against plain loops, and forces of features against differences of the value.
 */

using namespace CudaSplineTest;

namespace
{

class Features : public FieldsOnBackend
{
protected:
  static FieldGrid
  PlainGrid(const std::vector<std::int64_t> & size)
  {
    FieldGrid grid;
    grid.dimension = static_cast<unsigned int>(size.size());
    std::copy(size.begin(), size.end(), grid.size.begin());
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      grid.indexToPoint[d][d] = grid.pointToIndex[d][d] = 1.0;
    }
    return grid;
  }

  static std::vector<double>
  RandomImage(const FieldGrid & grid, FreshRandom & random)
  {
    std::vector<double> image(static_cast<std::size_t>(grid.Count()));
    for (double & value : image)
    {
      value = static_cast<double>(static_cast<float>(random.Uniform(-100.0, 100.0)));
    }
    return image;
  }

  static std::vector<double>
  Describe(const FieldGrid &             grid,
           const std::vector<double> &   image,
           ScalarType                    pixel,
           const SelfSimilarityOptions & options,
           const Residence &             residence)
  {
    const ResidentArray pixels = Resident(image, pixel, residence);
    const FeatureImage  made = MakeSelfSimilarity(grid, pixel, pixels.Data(), options, residence);
    EXPECT_EQ(made.channels, CountSelfSimilarityChannels(grid.dimension));
    return Numbers(
      made.data.get(), image.size() * static_cast<std::size_t>(made.channels), ScalarType::Float32, residence);
  }
};

INSTANTIATE_TEST_SUITE_P(Backend, Features, testing::Bool(), NameOfBackend);

/** By definition, in double precision. */
std::vector<double>
ExpectedSelfSimilarity(const FieldGrid & grid, const std::vector<double> & image, const SelfSimilarityOptions & options)
{
  const auto dimension = static_cast<int>(grid.dimension);
  const auto value = [&](const std::array<std::int64_t, 3> & at) {
    std::int64_t offset = 0;
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < 3; ++d)
    {
      offset += std::clamp<std::int64_t>(at[d], 0, grid.size[d] - 1) * stride;
      stride *= grid.size[d];
    }
    return image[static_cast<std::size_t>(offset)];
  };
  const auto moved = [&](std::array<std::int64_t, 3> at, int patch) {
    at[static_cast<std::size_t>(patch / 2)] += patch % 2 == 0 ? options.distance : -options.distance;
    return at;
  };
  std::vector<double> distances;
  std::vector<double> means;
  double              total = 0.0;
  for (std::int64_t i = 0; i < grid.Count(); ++i)
  {
    const auto          centre = SampleOf(grid, i);
    std::vector<double> own;
    for (int first = 0; first < 2 * dimension; ++first)
    {
      for (int second = first + 1; second < 2 * dimension; ++second)
      {
        if (first / 2 == second / 2)
        {
          continue;
        }
        double             sum = 0.0;
        const std::int64_t radius = options.radius;
        const std::int64_t radiusOfZ = dimension > 2 ? radius : 0;
        for (std::int64_t z = -radiusOfZ; z <= radiusOfZ; ++z)
        {
          for (std::int64_t y = -radius; y <= radius; ++y)
          {
            for (std::int64_t x = -radius; x <= radius; ++x)
            {
              const std::array<std::int64_t, 3> at{ centre[0] + x, centre[1] + y, centre[2] + z };
              const double                      difference = value(moved(at, first)) - value(moved(at, second));
              sum += difference * difference;
            }
          }
        }
        own.push_back(sum);
      }
    }
    const double least = *std::min_element(own.begin(), own.end());
    double       mean = 0.0;
    for (double & distance : own)
    {
      distance -= least;
      mean += distance / static_cast<double>(own.size());
    }
    distances.insert(distances.end(), own.begin(), own.end());
    means.push_back(mean);
    total += mean;
  }
  const double      typical = total / static_cast<double>(grid.Count());
  const std::size_t channels = distances.size() / means.size();
  for (std::size_t i = 0; i < distances.size(); ++i)
  {
    const double variance = std::clamp(means[i / channels], 0.001 * typical, 1000.0 * typical);
    distances[i] = variance > 0.0 ? std::exp(-distances[i] / variance) : 1.0;
  }
  return distances;
}

void
ExpectNear(const std::vector<double> & found, const std::vector<double> & expected, double tolerance)
{
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
  {
    ASSERT_NEAR(found[i], expected[i], tolerance) << i;
  }
}

/** Two images of random features under a field and an affine transform each. */
struct ForceCase
{
  FieldShape                           shape;
  std::array<FieldGrid, 2>             grids;
  std::array<std::vector<double>, 2>   features;
  std::array<std::vector<double>, 2>   fields;
  std::array<TransformChain::Stage, 2> affine;
  std::vector<std::uint8_t>            mask; ///< of the moving image; empty: none
  int                                  channels;

  struct Outcome
  {
    PointSums           sums;
    std::vector<double> byMoving;
    std::vector<double> byFixed;
  };

  ForceCase(const std::vector<std::int64_t> & size, ScalarType element, int count, FreshRandom & random)
    : shape{ RandomGrid(size, random), element }
    , channels(count)
  {
    const unsigned int dimension = shape.grid.dimension;
    for (std::size_t side = 0; side < 2; ++side)
    {
      grids[side] = RandomGrid(size, random);
      const std::array<std::int64_t, 3> centre{ size[0] / 2, size[1] / 2, dimension == 3 ? size[2] / 2 : 0 };
      const Vector                      from = PlaceOf(grids[side], centre);
      const Vector                      to = PlaceOf(shape.grid, centre);
      affine[side].kind = TransformKind::Affine;
      for (unsigned int r = 0; r < dimension; ++r)
      {
        grids[side].origin[r] += to[r] - from[r];
        for (unsigned int c = 0; c < dimension; ++c)
        {
          affine[side].matrix[r][c] = (r == c ? 1.0 : 0.0) + random.Uniform(-0.05, 0.05);
        }
      }
      for (std::int64_t i = 0; i < grids[side].Count() * channels; ++i)
      {
        features[side].push_back(static_cast<double>(static_cast<float>(random.Uniform(0.0, 1.0))));
      }
      fields[side] = RandomField(shape.grid, 1.0, true, random);
    }
  }

  Outcome
  Run(const Residence & residence) const
  {
    std::array<MovedFeatures, 2> images;
    std::array<ResidentArray, 2> vectors;
    const ResidentArray          bytes(mask.size(), residence);
    Upload(bytes.Data(), mask.data(), mask.size(), residence);
    for (std::size_t side = 0; side < 2; ++side)
    {
      vectors[side] = Resident(fields[side], shape.element, residence);
      const auto data = std::make_shared<ResidentArray>(Resident(features[side], ScalarType::Float32, residence));
      images[side].features = { grids[side], channels, std::shared_ptr<const void>(data, data->Data()) };
      images[side].stages = { MakeFieldStage(shape, vectors[side].Data()), affine[side] };
    }
    images[1].maskGrid = grids[1];
    images[1].mask = bytes.As<std::uint8_t>();
    const ResidentArray sums(sizeof(PointSums), residence);
    const ResidentArray byMoving(shape.Bytes(), residence);
    const ResidentArray byFixed(shape.Bytes(), residence);
    const ResidentArray scratch(CountFeatureForcesScratch(shape.grid), residence);
    EvaluateFeatureForces(
      shape, images, sums.As<PointSums>(), byMoving.Data(), byFixed.Data(), scratch.Data(), residence);
    Outcome    outcome;
    const auto numbers = static_cast<std::size_t>(shape.Numbers());
    Download(&outcome.sums, sums.Data(), sizeof(outcome.sums), residence);
    outcome.byMoving = Numbers(byMoving.Data(), numbers, shape.element, residence);
    outcome.byFixed = Numbers(byFixed.Data(), numbers, shape.element, residence);
    return outcome;
  }

  /** Continuous index of a sample in an image. */
  Vector
  IndexIn(std::size_t side, std::int64_t sample) const
  {
    const unsigned int dimension = shape.grid.dimension;
    Vector             before = PlaceOf(shape.grid, SampleOf(shape.grid, sample));
    Vector             place{};
    for (unsigned int d = 0; d < dimension; ++d)
    {
      before[d] += fields[side][static_cast<std::size_t>(sample) * dimension + d];
    }
    for (unsigned int r = 0; r < dimension; ++r)
    {
      for (unsigned int c = 0; c < dimension; ++c)
      {
        place[r] += affine[side].matrix[r][c] * before[c];
      }
    }
    return IndexOf(grids[side], place);
  }

  /** A channel at an index, linear between samples, that of the border beyond it. */
  double
  ValueAt(std::size_t side, const Vector & index, int channel) const
  {
    double value = 0.0;
    for (int corner = 0; corner < 8; ++corner)
    {
      double       weight = 1.0;
      std::int64_t offset = 0;
      std::int64_t stride = 1;
      for (std::size_t d = 0; d < 3; ++d)
      {
        const std::int64_t size = grids[side].size[d];
        const double       at = std::clamp(index[d], 0.0, static_cast<double>(size - 1));
        const auto base = std::min<std::int64_t>(static_cast<std::int64_t>(at), std::max<std::int64_t>(size - 2, 0));
        const bool isUpper = ((corner >> d) & 1) != 0;
        weight *= isUpper ? at - static_cast<double>(base) : 1.0 - (at - static_cast<double>(base));
        offset += std::min(base + (isUpper ? 1 : 0), size - 1) * stride;
        stride *= size;
      }
      value += weight * features[side][static_cast<std::size_t>(offset * channels + channel)];
    }
    return value;
  }

  /** The mean of the squared differences of a sample, in double; negative: it does not count; NaN: either is right. */
  double
  SquareAt(std::int64_t sample) const
  {
    std::array<Vector, 2> index;
    for (std::size_t side = 0; side < 2; ++side)
    {
      index[side] = this->IndexIn(side, sample);
      const double depth = Depth(grids[side], index[side]);
      if (std::abs(depth) < 1e-6)
      {
        return std::numeric_limits<double>::quiet_NaN();
      }
      if (depth < 0.0)
      {
        return -1.0;
      }
    }
    if (!mask.empty())
    {
      std::int64_t offset = 0;
      std::int64_t stride = 1;
      for (unsigned int d = 0; d < shape.grid.dimension; ++d)
      {
        offset += static_cast<std::int64_t>(std::floor(index[1][d] + 0.5)) * stride;
        stride *= grids[1].size[d];
      }
      if (mask[static_cast<std::size_t>(offset)] == 0)
      {
        return -1.0;
      }
    }
    double sum = 0.0;
    for (int channel = 0; channel < channels; ++channel)
    {
      const double difference = this->ValueAt(0, index[0], channel) - this->ValueAt(1, index[1], channel);
      sum += difference * difference / static_cast<double>(channels);
    }
    return sum;
  }
};

} // namespace

TEST_P(Features, SelfSimilarityIsThatOfTheDefinition)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : { std::vector<std::int64_t>{ 23, 17 },
                             std::vector<std::int64_t>{ 11, 13, 9 },
                             std::vector<std::int64_t>{ 37, 19, 35 },
                             std::vector<std::int64_t>{ 5, 1, 4 } })
  {
    for (const ScalarType pixel : FieldTypes)
    {
      for (const SelfSimilarityOptions & options :
           { SelfSimilarityOptions{ 1, 2 }, SelfSimilarityOptions{ 2, 1 }, SelfSimilarityOptions{ 0, 3 } })
      {
        const FieldGrid grid = PlainGrid(size);
        const auto      image = RandomImage(grid, random);
        SCOPED_TRACE(CudaSplineTest::Describe(size, pixel));
        ExpectNear(
          Describe(grid, image, pixel, options, residence), ExpectedSelfSimilarity(grid, image, options), 5e-5);
      }
    }
  }
}

TEST_P(Features, SelfSimilarityDoesNotDependOnContrast)
{
  FreshRandom               random;
  const Residence           residence = this->MakeResidence();
  const FieldGrid           grid = PlainGrid({ 14, 12, 10 });
  const std::vector<double> image = RandomImage(grid, random);
  std::vector<double>       other = image;
  for (double & value : other)
  {
    value = 1000.0 - 2.0 * value;
  }
  ExpectNear(Describe(grid, other, ScalarType::Float64, {}, residence),
             Describe(grid, image, ScalarType::Float64, {}, residence),
             1e-5);
}

TEST_P(Features, ConstantAndNonFinitePatchesHaveOnes)
{
  FreshRandom         random;
  const Residence     residence = this->MakeResidence();
  const FieldGrid     grid = PlainGrid({ 15, 15, 15 });
  std::vector<double> image(static_cast<std::size_t>(grid.Count()), 7.0);
  for (const double channel : Describe(grid, image, ScalarType::Float32, {}, residence))
  {
    ASSERT_EQ(channel, 1.0);
  }
  image = RandomImage(grid, random);
  image[(7 * 15 + 7) * 15 + 7] = std::numeric_limits<double>::quiet_NaN();
  const auto found = Describe(grid, image, ScalarType::Float32, {}, residence);
  EXPECT_TRUE(std::all_of(found.begin(), found.end(), [](double channel) { return channel >= 0.0 && channel <= 1.0; }));
  for (std::size_t channel = 0; channel < 12; ++channel)
  {
    EXPECT_EQ(found[((7 * 15 + 7) * 15 + 9) * 12 + channel], 1.0); // two samples from it is a patch with it
  }
}

TEST_P(Features, ForcesAreTheDerivativeOfTheValue)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : { std::vector<std::int64_t>{ 21, 17 }, std::vector<std::int64_t>{ 11, 9, 8 } })
  {
    for (const ScalarType element : FieldTypes)
    {
      // A multiple of four, and more than twelve, have kernels of their own on a device.
      const int channels = size.size() == 3 ? (element == ScalarType::Float32 ? 16 : 12) : 5;
      SCOPED_TRACE(CudaSplineTest::Describe(size, element));
      ForceCase          test(size, element, channels, random);
      const unsigned int dimension = test.shape.grid.dimension;
      if (element == ScalarType::Float32)
      {
        test.mask.resize(static_cast<std::size_t>(test.grids[1].Count()));
        std::generate(test.mask.begin(), test.mask.end(), [&] { return random.Uniform(0.0, 1.0) < 0.8 ? 1 : 0; });
      }
      const ForceCase::Outcome found = test.Run(residence);
      double                   squares = 0.0;
      std::int64_t             count = 0;
      std::int64_t             unclear = 0;
      for (std::int64_t i = 0; i < test.shape.grid.Count(); ++i)
      {
        const double square = test.SquareAt(i);
        unclear += std::isnan(square) ? 1 : 0;
        count += square >= 0.0 ? 1 : 0;
        squares += square >= 0.0 ? square : 0.0;
        for (std::size_t side = 0; side < 2; ++side)
        {
          const std::vector<double> & forces = side == 0 ? found.byFixed : found.byMoving;
          for (unsigned int d = 0; d < dimension; ++d)
          {
            const auto       number = static_cast<std::size_t>(i) * dimension + d;
            double &         component = test.fields[side][number];
            const double     old = component;
            constexpr double step = 1e-5; // mm
            component = old + step;
            const double above = test.SquareAt(i);
            component = old - step;
            const double below = test.SquareAt(i);
            component = old;
            if (square < 0.0)
            {
              ASSERT_EQ(forces[number], 0.0);
            }
            // Else one of them may be in another cell, or outside, for which there is no derivative.
            else if (std::abs(above - 2.0 * square + below) < 1e-8 && above >= 0.0 && below >= 0.0)
            {
              ASSERT_NEAR((below - above) / (2.0 * step), forces[number], 2e-4);
            }
          }
        }
      }
      EXPECT_EQ(unclear, 0);
      EXPECT_EQ(found.sums.count, count);
      EXPECT_GT(count, test.shape.grid.Count() / 16);
      EXPECT_NEAR(found.sums.squares, squares, 1e-5 * squares);
    }
  }
}

TEST(FeaturesGpu, ForcesAtSamplesAreThoseOfTheHost)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const int channels : { 5, 12 })
  {
    ForceCase test({ 35, 11, 9 }, ScalarType::Float32, channels, random);
    test.shape.grid.indexToPoint =
      test.shape.grid.pointToIndex = { { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } } };
    for (std::size_t side = 0; side < 2; ++side)
    {
      test.grids[side] = test.shape.grid;
      test.affine[side] = TransformChain::Stage();
      for (unsigned int d = 0; d < 3; ++d)
      {
        test.affine[side].matrix[d][d] = 1.0;
      }
    }
    // All vectors are 0, then those of every other sample are along one axis of space.
    for (const double length : { 0.0, 0.2 })
    {
      for (std::vector<double> & field : test.fields)
      {
        for (std::size_t n = 0; n < field.size(); ++n)
        {
          field[n] = n % 6 == 0 ? length : 0.0;
        }
      }
      ExecutionContext context;
      context.backend = Backend::Cpu;
      const ForceCase::Outcome host = test.Run(Residence(context));
      context.backend = Backend::Cuda;
      const ForceCase::Outcome device = test.Run(Residence(context));
      EXPECT_EQ(device.sums.count, host.sums.count);
      EXPECT_NEAR(device.sums.squares, host.sums.squares, 1e-6 * host.sums.squares);
      ExpectNear(device.byMoving, host.byMoving, 1e-5);
      ExpectNear(device.byFixed, host.byFixed, 1e-5);
    }
  }
}

TEST_P(Features, RefuseWhatDoesNotFit)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  const FieldGrid grid = PlainGrid({ 4, 5, 6 });
  const auto      image = RandomImage(grid, random);
  EXPECT_THROW(Describe(grid, image, ScalarType::Float32, { -1, 2 }, residence), std::invalid_argument);
  EXPECT_THROW(Describe(grid, image, ScalarType::Float32, { 1, 0 }, residence), std::invalid_argument);
  EXPECT_THROW(MakeSelfSimilarity(grid, ScalarType::Int16, image.data(), {}, residence), std::invalid_argument);
  EXPECT_THROW(CountSelfSimilarityChannels(4), std::invalid_argument);
  EXPECT_THROW(EvaluateFeatureForces({ grid, ScalarType::Float32 }, {}, nullptr, nullptr, nullptr, nullptr, residence),
               std::invalid_argument);
}
