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
// Whether images show the same object. Expected: heads are ellipsoids with random blobs inside. A head agrees with
// itself in another contrast, but neither with a head with other blobs in an ellipsoid with nearly the same axes nor
// with noise. Distributions of both: doc/architecture/Registration.md.

#include "itkCudaSpline/kernels/registration/ImageAgreement.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace itk::CudaSpline;

namespace
{

constexpr std::array<double, 3> typical{ { 34.0, 42.0, 36.0 } }; // axes of the ellipsoid (mm)

FieldGrid
MakeGrid(unsigned int dimension)
{
  FieldGrid grid;
  grid.dimension = dimension;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    grid.spacing[d] = dimension == 2 ? 1.5 : 3.0;
    grid.size[d] = static_cast<std::int64_t>(2.6 * typical[d] / grid.spacing[d]);
    grid.origin[d] = -0.5 * grid.spacing[d] * static_cast<double>(grid.size[d] - 1);
    grid.indexToPoint[d][d] = grid.spacing[d];
    grid.pointToIndex[d][d] = 1.0 / grid.spacing[d];
  }
  return grid;
}

/** A head with the blobs of a seed. */
std::vector<float>
MakeHead(const FieldGrid & grid, unsigned int seed)
{
  struct Blob
  {
    std::array<double, 3> centre{};
    double                width{ 0.0 };
    double                height{ 0.0 };
  };
  std::mt19937                           random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::array<double, 3>                  axes = typical;
  for (double & axis : axes) // by 10 %
  {
    axis *= 0.9 + 0.2 * uniform(random);
  }
  std::vector<Blob> blobs(40);
  for (Blob & blob : blobs)
  {
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      blob.centre[d] = axes[d] * (1.6 * uniform(random) - 0.8);
    }
    blob.width = 3.0 + 6.0 * uniform(random);
    blob.height = 170.0 * uniform(random) - 80.0;
  }
  std::vector<float> values;
  for (std::int64_t n = 0; n < grid.Count(); ++n)
  {
    const std::array<std::int64_t, 3> index{
      { n % grid.size[0], n / grid.size[0] % grid.size[1], n / grid.size[0] / grid.size[1] }
    };
    std::array<double, 3> at{};
    double                radius = 0.0;
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      at[d] = grid.origin[d] + grid.spacing[d] * static_cast<double>(index[d]);
      radius += at[d] * at[d] / axes[d] / axes[d];
    }
    double value = 90.0;
    for (const Blob & blob : blobs)
    {
      double square = 0.0;
      for (unsigned int d = 0; d < grid.dimension; ++d)
      {
        square += (at[d] - blob.centre[d]) * (at[d] - blob.centre[d]);
      }
      value += blob.height * std::exp(-0.5 * square / blob.width / blob.width);
    }
    values.push_back(static_cast<float>(value / (1.0 + std::exp((std::sqrt(radius) - 1.0) * 20.0))));
  }
  return values;
}

MaskedImage
Describe(const FieldGrid & grid, const std::vector<float> & pixels)
{
  MaskedImage image;
  image.grid = grid;
  image.pixels = pixels.data();
  return image;
}

ImageAgreement
Measure(const FieldGrid &                 grid,
        const std::vector<float> &        fixed,
        const std::vector<float> &        moving,
        double                            shift = 0.0,
        const std::vector<std::uint8_t> & mask = {})
{
  const auto source = [shift](const FieldGrid & on) {
    return std::vector<double>(static_cast<std::size_t>(on.Count()) * on.dimension, shift);
  };
  MaskedImage masked = Describe(grid, fixed);
  masked.mask = mask.empty() ? nullptr : mask.data();
  masked.maskGrid = grid;
  return MeasureAgreement(masked, Describe(grid, moving), source, source, Residence(ExecutionContext()));
}

/** A ball (mm) in a grid. */
std::vector<std::uint8_t>
MakeBall(const FieldGrid & grid, const std::array<double, 3> & centre, double radius)
{
  std::vector<std::uint8_t> mask;
  for (std::int64_t n = 0; n < grid.Count(); ++n)
  {
    const std::array<std::int64_t, 3> index{
      { n % grid.size[0], n / grid.size[0] % grid.size[1], n / grid.size[0] / grid.size[1] }
    };
    double square = 0.0;
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      square += std::pow(grid.origin[d] + grid.spacing[d] * static_cast<double>(index[d]) - centre[d], 2);
    }
    mask.push_back(square <= radius * radius ? 1 : 0);
  }
  return mask;
}

TEST(ImageAgreement, HeadsOfOneSubject)
{
  for (const unsigned int dimension : { 2U, 3U })
  {
    const FieldGrid grid = MakeGrid(dimension);
    for (unsigned int seed = 1; seed <= 8; ++seed)
    {
      const std::vector<float>        head = MakeHead(grid, seed);
      std::vector<float>              other = head;
      std::mt19937                    random(seed);
      std::normal_distribution<float> normal(0.0F, 3.0F);
      for (float & value : other) // inverted, with noise
      {
        value = 60.0F * std::sin(value / 40.0F) + normal(random);
      }
      const ImageAgreement agreement = Measure(grid, head, other);
      EXPECT_EQ(DescribePoorAgreement(agreement), "") << dimension << ' ' << seed << ' ' << agreement.significance;
      EXPECT_EQ(agreement.overlap, 1.0);
    }
  }
}

TEST(ImageAgreement, UnrelatedHeadsAndNoise)
{
  for (const unsigned int dimension : { 2U, 3U })
  {
    const FieldGrid grid = MakeGrid(dimension);
    int             caught = 0;
    constexpr int   pairs = 12;
    for (unsigned int seed = 1; seed <= pairs; ++seed)
    {
      const ImageAgreement agreement = Measure(grid, MakeHead(grid, seed), MakeHead(grid, seed + 100));
      caught += DescribePoorAgreement(agreement).empty() ? 0 : 1;
    }
    EXPECT_GE(caught, pairs - 3) << dimension;
    std::vector<float>                    noise(static_cast<std::size_t>(grid.Count()));
    std::mt19937                          random(5);
    std::uniform_real_distribution<float> uniform(0.0F, 100.0F);
    for (float & value : noise)
    {
      value = uniform(random);
    }
    const ImageAgreement agreement = Measure(grid, MakeHead(grid, 1), noise);
    EXPECT_LT(agreement.explained, 0.02);
    EXPECT_NE(DescribePoorAgreement(agreement).find("as little as an unrelated image"), std::string::npos);
  }
}

/** With a small mask finer voxels are compared: images that agree differ clearly from those with a distance of 10 mm.
 */
TEST(ImageAgreement, SmallMasks)
{
  for (const unsigned int dimension : { 2U, 3U })
  {
    FieldGrid grid = MakeGrid(dimension);
    for (unsigned int d = 0; d < dimension; ++d)
    {
      const double fine = dimension == 2 ? 3.0 : 2.0; // times as many voxels
      grid.spacing[d] /= fine;
      grid.size[d] = static_cast<std::int64_t>(static_cast<double>(grid.size[d]) * fine);
      grid.indexToPoint[d][d] /= fine;
      grid.pointToIndex[d][d] *= fine;
    }
    for (unsigned int seed = 1; seed <= 3; ++seed)
    {
      const std::vector<float>        head = MakeHead(grid, seed);
      const std::vector<std::uint8_t> ball = MakeBall(grid, { { -12.0, 15.0, -8.0 } }, 14.0);
      const ImageAgreement            right = Measure(grid, head, head, 0.0, ball);
      const ImageAgreement            wrong = Measure(grid, head, head, 10.0, ball);
      EXPECT_EQ(DescribePoorAgreement(right), "") << dimension << ' ' << seed;
      EXPECT_GT(right.explained, 0.6) << dimension << ' ' << seed;
      EXPECT_LT(wrong.explained, 0.5 * right.explained) << dimension << ' ' << seed;
      EXPECT_FALSE(right.isUnknown || wrong.isUnknown);
    }
    const ImageAgreement few =
      Measure(grid, MakeHead(grid, 1), MakeHead(grid, 1), 0.0, MakeBall(grid, { { 0.0, 0.0, 0.0 } }, 2.0));
    EXPECT_TRUE(few.isUnknown);
    EXPECT_NE(DescribePoorAgreement(few).find("too few voxels"), std::string::npos);
  }
}

TEST(ImageAgreement, OverlapAndBitsOnAnyNumberOfThreads)
{
  const FieldGrid          grid = MakeGrid(3);
  const std::vector<float> head = MakeHead(grid, 3);
  const double             extent = grid.spacing[0] * static_cast<double>(grid.size[0]);
  EXPECT_EQ(Measure(grid, head, head, 2.0 * extent).overlap, 0.0);
  EXPECT_NE(DescribePoorAgreement(Measure(grid, head, head, 0.9 * extent))
              .find(" of the fixed image is inside the moving image"),
            std::string::npos);
  const std::vector<float> flat(head.size(), 7.0F);
  for (const ImageAgreement & agreement : { Measure(grid, flat, head), Measure(grid, head, flat) })
  {
    EXPECT_NE(DescribePoorAgreement(agreement).find("has only one value"), std::string::npos);
  }
}

} // namespace
