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
// Statistics of images and fields before and after a registration. Expected: centres of gravity, quantiles, scale
// factors of values and determinants have closed forms or are computed by plain loops in double.

#include "../fields/FieldCase.h"
#include "GridCase.h"

#include "itkCudaSpline/kernels/fields/FieldFolding.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/ImageStatistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

using namespace CudaSplineTest;

namespace
{

template <typename TPixel>
void
CheckQuantiles(ScalarType type)
{
  FreshRandom         random;
  std::vector<TPixel> values(10000);
  std::iota(values.begin(), values.end(), TPixel(-300));
  for (std::size_t i = values.size(); i-- > 1;)
  {
    std::swap(values[i], values[static_cast<std::size_t>(random.Uniform(0.0, static_cast<double>(i)))]);
  }
  values.push_back(std::numeric_limits<TPixel>::quiet_NaN());
  values.push_back(std::numeric_limits<TPixel>::infinity());
  const auto           count = static_cast<std::int64_t>(values.size());
  const ThreadExecutor three{ 3 };
  ExecutionContext     context;
  const auto           alone = FindQuantiles(values.data(), type, count, { { 0.01, 0.75 } }, context);
  context.host = &three;
  const auto found = FindQuantiles(values.data(), type, count, { { 0.01, 0.75 } }, context);
  ASSERT_TRUE(alone && found);
  EXPECT_EQ(*alone, *found);
  // For 10000 values at intervals of 1 a quantile is between two of them.
  EXPECT_NEAR((*found)[0], -300.0 + 100.0, 1.0);
  EXPECT_NEAR((*found)[1], -300.0 + 7500.0, 1.0);
  const std::vector<TPixel> same(100, TPixel(4));
  EXPECT_FALSE(FindQuantiles(same.data(), type, 100, { { 0.1, 0.9 } }, context));
  EXPECT_FALSE(FindQuantiles(same.data(), type, 0, { { 0.1, 0.9 } }, context));
  EXPECT_THROW(FindQuantiles(same.data(), type, 100, { { 0.1, 1.1 } }, context), std::invalid_argument);
  EXPECT_THROW(FindQuantiles(same.data(), ScalarType::UInt8, 100, { { 0.1, 0.9 } }, context), std::invalid_argument);
}

TEST(ImageStatistics, Quantiles)
{
  CheckQuantiles<float>(ScalarType::Float32);
  CheckQuantiles<double>(ScalarType::Float64);
}

/** Images with a given largest magnitude, in the memory of a backend. */
class ImageValues : public FieldsOnBackend
{
protected:
  /** A ramp up to a magnitude. Its first pixel has another value, which a mask on another grid may exclude. */
  MaskedImage
  Make(ScalarType type, double largest, double first, bool isMasked)
  {
    const Residence residence = this->MakeResidence();
    MaskedImage     image;
    image.grid.size = { { 19, 12, 5 } };
    for (unsigned int d = 0; d < 3; ++d)
    {
      image.grid.indexToPoint[d][d] = image.grid.pointToIndex[d][d] = 1.0;
    }
    image.pixel = type;
    std::vector<double> values(static_cast<std::size_t>(image.grid.Count()));
    for (std::size_t n = 0; n < values.size(); ++n)
    {
      values[n] = -largest * static_cast<double>(n) / static_cast<double>(values.size() - 1);
    }
    values.front() = first;
    m_Arrays.push_back(Resident(values, type, residence));
    image.pixels = m_Arrays.back().Data();
    if (isMasked)
    {
      image.maskGrid = image.grid;
      image.maskGrid.size = { { 19, 12, 4 } };
      image.maskGrid.origin[2] += 1.0;
      const std::vector<std::uint8_t> ones(static_cast<std::size_t>(image.maskGrid.Count()), 3);
      m_Arrays.emplace_back(ones.size(), residence);
      Upload(m_Arrays.back().Data(), ones.data(), ones.size(), residence);
      image.mask = static_cast<const std::uint8_t *>(m_Arrays.back().Data());
    }
    residence.Wait();
    return image;
  }

private:
  std::vector<ResidentArray> m_Arrays;
};

TEST_P(ImageValues, Factors)
{
  using Pair = std::array<double, 2>;
  struct Case
  {
    Pair largest;
    Pair each; // factors
    Pair common;
    bool isFaint;
  };
  const double infinite = std::numeric_limits<double>::infinity();
  for (const Case & one : { Case{ { 1.0, 700.0 }, { 1.0, 1.0 }, { 1.0, 1.0 }, false },
                            Case{ { 0x1p-7, 0x1p30 }, { 1.0, 1.0 }, { 1.0, 1.0 }, false },
                            Case{ { 0x1.8p-8, 0x1p-31 }, { 0x1p8, 0x1p31 }, { 0x1p8, 0x1p8 }, true },
                            Case{ { 0x1.8p-30, 0x1p-31 }, { 0x1p30, 0x1p31 }, { 0x1p30, 0x1p30 }, false },
                            Case{ { 0x1.4p30, 1.0 }, { 0x1p-30, 1.0 }, { 0x1p-30, 0x1p-30 }, true },
                            Case{ { 1e-9, 5.0 }, { 0x1p30, 1.0 }, { 1.0, 1.0 }, true },
                            Case{ { 0.0, 0x1p-20 }, { 1.0, 0x1p20 }, { 0x1p20, 0x1p20 }, false },
                            Case{ { 0.0, 0.0 }, { 1.0, 1.0 }, { 1.0, 1.0 }, false },
                            Case{ { infinite, 4.0 }, { 1.0, 1.0 }, { 1.0, 1.0 }, false } })
  {
    for (const ScalarType type : { ScalarType::Float32, ScalarType::Float64 })
    {
      for (const bool isMasked : { false, true })
      {
        const double hidden = isMasked ? 0x1p31 : 0.0;
        const auto   fixed = this->Make(type, one.largest[0], hidden, isMasked);
        const auto   moving = this->Make(type, one.largest[1], hidden, isMasked);
        const auto   each = FindValueScales(fixed, moving, false, this->MakeResidence());
        const auto   common = FindValueScales(fixed, moving, true, this->MakeResidence());
        EXPECT_EQ(each.factors, one.each);
        EXPECT_EQ(common.factors, one.common);
        EXPECT_EQ(common.isFaint, one.isFaint);
        EXPECT_FALSE(each.isFaint);
        const auto rounded = [&](double value) {
          return type == ScalarType::Float32 ? static_cast<double>(static_cast<float>(value)) : value;
        };
        EXPECT_EQ(each.largest, (Pair{ { rounded(one.largest[0]), rounded(one.largest[1]) } }));
      }
    }
  }
  // The factors are finite numbers of the type, and values outside of the mask stay finite.
  const auto factor = [&](ScalarType type, double largest, double hidden) {
    const auto image = this->Make(type, largest, hidden, true);
    return FindValueScales(image, image, false, this->MakeResidence()).factors[0];
  };
  EXPECT_EQ(factor(ScalarType::Float32, 0x1p-140, 0.0), 0x1p126);
  EXPECT_EQ(factor(ScalarType::Float32, 0x1.8p127, 0.0), 0x1p-126);
  EXPECT_EQ(factor(ScalarType::Float32, 0x1p-60, 0x1p100), 0x1p26);
  EXPECT_EQ(factor(ScalarType::Float64, 0x1p-60, 0x1p100), 0x1p60);
  EXPECT_EQ(factor(ScalarType::Float64, 0x1p-1040, 0.0), 0x1p1022);
  EXPECT_EQ(factor(ScalarType::Float32, 0x1p-60, infinite), 1.0);
  auto image = this->Make(ScalarType::Float32, 1.0, 0.0, false);
  auto other = image;
  other.pixel = ScalarType::Float64;
  EXPECT_THROW(FindValueScales(image, other, true, this->MakeResidence()), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Backend, ImageValues, testing::Bool(), NameOfBackend);

TEST(ImageStatistics, CentresOfGravity)
{
  FreshRandom          random;
  const ThreadExecutor three{ 3 };
  for (const unsigned int dimension : { 2U, 3U })
  {
    const FieldGrid grid = MakeGrid(random, dimension, { { 17, 12, dimension == 3 ? 9 : 1 } });
    FieldGrid       coarse = ShrinkGrid(grid, 2);
    coarse.origin[0] += 0.0371; // no position is exactly between two of its samples
    std::vector<double>       values;
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(coarse.Count()));
    std::generate(mask.begin(), mask.end(), [&] { return random.Uniform(0.0, 1.0) < 0.6 ? 7 : 0; });
    for (std::int64_t n = 0; n < grid.Count(); ++n)
    {
      values.push_back(random.Uniform(-20.0, 30.0));
    }
    values[5] = std::numeric_limits<double>::quiet_NaN();
    for (const bool isMasked : { false, true })
    {
      // From positions and the values above the minimum.
      double            least = std::numeric_limits<double>::infinity();
      double            total = 0.0;
      FieldGrid::Vector sum{};
      for (const bool isSecond : { false, true })
      {
        for (std::int64_t n = 0; n < grid.Count(); ++n)
        {
          const double            value = values[static_cast<std::size_t>(n)];
          const FieldGrid::Vector place = PlaceOf(grid, n);
          std::int64_t            offset = 0;
          bool                    isInside = true;
          for (unsigned int r = dimension; r-- > 0;)
          {
            double index = 0.0;
            for (unsigned int c = 0; c < dimension; ++c)
            {
              index += coarse.pointToIndex[r][c] * (place[c] - coarse.origin[c]);
            }
            const auto nearest = static_cast<std::int64_t>(std::floor(index + 0.5));
            isInside = isInside && nearest >= 0 && nearest < coarse.size[r];
            offset = offset * coarse.size[r] + nearest;
          }
          if (!std::isfinite(value) || (isMasked && !(isInside && mask[static_cast<std::size_t>(offset)] != 0)))
          {
            continue;
          }
          if (!isSecond)
          {
            least = std::min(least, value);
            continue;
          }
          total += value - least;
          for (unsigned int d = 0; d < dimension; ++d)
          {
            sum[d] += (value - least) * place[d];
          }
        }
      }
      const MaskedImage image{ grid, ScalarType::Float64, values.data(), coarse, isMasked ? mask.data() : nullptr };
      ExecutionContext  context;
      const auto        alone = FindCentreOfGravity(image, Residence(context));
      context.host = &three;
      const auto found = FindCentreOfGravity(image, Residence(context));
      ASSERT_TRUE(alone && found);
      EXPECT_EQ(*alone, *found);
      for (unsigned int d = 0; d < dimension; ++d)
      {
        EXPECT_NEAR((*found)[d], sum[d] / total, 1e-10); // mm: sums of some thousand values
      }
    }
    std::fill(values.begin(), values.end(), 3.0);
    const MaskedImage constant{ grid, ScalarType::Float64, values.data(), {}, nullptr };
    EXPECT_FALSE(FindCentreOfGravity(constant, Residence(ExecutionContext())));
  }
}

TEST(FieldFolding, OfMatricesIsTheirDeterminant)
{
  FreshRandom          random;
  const ThreadExecutor three{ 3 };
  ExecutionContext     context;
  context.host = &three;
  for (const unsigned int dimension : { 2U, 3U })
  {
    FieldShape shape;
    shape.grid = MakeGrid(random, dimension, { { 11, 8, dimension == 3 ? 5 : 1 } });
    shape.element = ScalarType::Float64;
    for (const double mirror : { 1.0, -1.0 })
    {
      FieldGrid::Matrix matrix{};
      for (unsigned int r = 0; r < dimension; ++r)
      {
        for (unsigned int c = 0; c < dimension; ++c)
        {
          matrix[r][c] = (r == c ? 1.0 : 0.0) + random.Uniform(-0.2, 0.2);
        }
      }
      for (unsigned int c = 0; c < dimension; ++c)
      {
        matrix[0][c] *= mirror;
      }
      matrix[2][2] = dimension == 2 ? 1.0 : matrix[2][2];
      const double determinant = matrix[0][0] * (matrix[1][1] * matrix[2][2] - matrix[1][2] * matrix[2][1]) -
                                 matrix[0][1] * (matrix[1][0] * matrix[2][2] - matrix[1][2] * matrix[2][0]) +
                                 matrix[0][2] * (matrix[1][0] * matrix[2][1] - matrix[1][1] * matrix[2][0]);
      std::vector<double> field;
      for (std::int64_t n = 0; n < shape.grid.Count(); ++n)
      {
        const FieldGrid::Vector place = PlaceOf(shape.grid, n);
        for (unsigned int r = 0; r < dimension; ++r)
        {
          double moved = 0.0;
          for (unsigned int c = 0; c < dimension; ++c)
          {
            moved += matrix[r][c] * place[c];
          }
          field.push_back(moved - place[r]);
        }
      }
      std::vector<double> found(static_cast<std::size_t>(shape.grid.Count()));
      const FieldFolding  folding = MeasureFolding(shape, field.data(), found.data(), false, context);
      for (const double one : found)
      {
        EXPECT_NEAR(one, determinant, 1e-11); // differences of positions of some 100 mm over steps of 1 mm
      }
      EXPECT_EQ(folding.all, shape.grid.Count());
      EXPECT_EQ(folding.voxels, mirror > 0.0 ? 0 : shape.grid.Count());
      EXPECT_EQ(folding.least, *std::min_element(found.begin(), found.end()));
      EXPECT_EQ(folding.largest, *std::max_element(found.begin(), found.end()));
      MeasureFolding(shape, field.data(), found.data(), true, context);
      EXPECT_NEAR(found.front(), std::log(std::max(determinant, 1e-4)), 1e-10);
      MeasureFolding(shape, field.data(), nullptr, false, context);
    }
    shape.grid.dimension = 1;
    EXPECT_THROW(MeasureFolding(shape, nullptr, nullptr, false, context), std::invalid_argument);
  }
}

} // namespace
