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
// Images smoothed with their masks. Expected: values outside of the mask, including NaN, do not change any bit of the
// result. An image that is constant in the mask stays constant except where it fades out. Without smoothing the pixels
// in the mask keep their bits. Host and device agree except for rounding.

#include "../fields/FieldCase.h"

#include "itkCudaSpline/kernels/registration/ImagePyramid.h"

#include "kernels/registration/images/MaskedImage.h"

#include <cmath>
#include <limits>
#include <vector>

using namespace CudaSplineTest;

namespace
{

class MaskedImages : public FieldsOnBackend
{
protected:
  /** An image of a side. */
  struct Case
  {
    FieldGrid                 grid;
    ScalarType                type;
    std::vector<std::uint8_t> mask;
  };

  static SynSide
  MakeSide(const Case & of, const std::vector<double> & pixels, const Residence & residence)
  {
    SynSide side;
    side.image.grid = of.grid;
    side.image.pixel = of.type;
    const auto numbers = std::make_shared<ResidentArray>(Resident(pixels, of.type, residence));
    side.image.data = std::shared_ptr<const void>(numbers, numbers->Data());
    const auto mask = std::make_shared<ResidentArray>(of.mask.size(), residence);
    Upload(mask->Data(), of.mask.data(), of.mask.size(), residence);
    side.mask = ResidentImage{ of.grid, ScalarType::UInt8, std::shared_ptr<const void>(mask, mask->Data()) };
    return side;
  }

  static std::vector<double>
  Smooth(const Case & of, const std::vector<double> & pixels, double sigma, const Residence & residence)
  {
    PyramidLevel level;
    level.iterations = 1;
    level.sigma = sigma;
    const SynSide smooth = SmoothSide(MakeSide(of, pixels, residence), level, false, residence, true);
    return Numbers(smooth.image.data.get(), pixels.size(), of.type, residence);
  }

  /** The middle of the image has a ball that is excluded. */
  static Case
  MakeCase(ScalarType type, FreshRandom & random)
  {
    Case made{ RandomGrid({ 23, 19, 17 }, random), type, {} };
    for (std::int64_t n = 0; n < made.grid.Count(); ++n)
    {
      made.mask.push_back(DistanceToMiddle(made.grid, n) > 5.0 ? 1 : 0);
    }
    return made;
  }

  static double
  DistanceToMiddle(const FieldGrid & grid, std::int64_t sample)
  {
    double     square = 0.0;
    const auto at = SampleOf(grid, sample);
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      square += std::pow(static_cast<double>(at[d] - grid.size[d] / 2), 2.0);
    }
    return std::sqrt(square);
  }
};

INSTANTIATE_TEST_SUITE_P(Backend, MaskedImages, testing::Bool(), NameOfBackend);

} // namespace

TEST_P(MaskedImages, DoNotDependOnWhatIsLeftOut)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const ScalarType type : FieldTypes)
  {
    const Case of = MakeCase(type, random);
    for (const double sigma : { 0.0, 1.0, 2.0 })
    {
      std::vector<double> one;
      std::vector<double> other;
      for (const std::uint8_t counts : of.mask)
      {
        const double pixel = random.Uniform(-3.0, 5.0);
        one.push_back(counts != 0 ? pixel : 1e4 * pixel);
        other.push_back(counts != 0 ? pixel : std::numeric_limits<double>::quiet_NaN());
      }
      EXPECT_EQ(Smooth(of, one, sigma, residence), Smooth(of, other, sigma, residence)) << sigma;
    }
  }
}

TEST_P(MaskedImages, ContinueConstants)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const ScalarType type : FieldTypes)
  {
    const Case          of = MakeCase(type, random);
    const double        constant = random.Uniform(10.0, 20.0);
    std::vector<double> pixels;
    for (const std::uint8_t counts : of.mask)
    {
      pixels.push_back(counts != 0 ? constant : -constant);
    }
    for (const double sigma : { 0.0, 1.0, 2.0 })
    {
      const std::vector<double> smooth = Smooth(of, pixels, sigma, residence);
      for (std::int64_t n = 0; n < of.grid.Count(); ++n)
      {
        if (DistanceToMiddle(of.grid, n) > 4.0) // a sample from the border
        {
          ASSERT_NEAR(smooth[static_cast<std::size_t>(n)], constant, 1e-5 * constant) << sigma << " at " << n;
        }
      }
    }
  }
}

TEST_P(MaskedImages, KeepPixelsWithoutSmoothing)
{
  FreshRandom               random;
  const Residence           residence = this->MakeResidence();
  const Case                of = MakeCase(ScalarType::Float64, random);
  const std::vector<double> pixels = RandomField(of.grid, 3.0, false, random);
  const std::vector<double> values(pixels.begin(), pixels.begin() + of.grid.Count());
  const std::vector<double> kept = Smooth(of, values, 0.0, residence);
  for (std::size_t n = 0; n < values.size(); ++n)
  {
    if (of.mask[n] != 0)
    {
      ASSERT_EQ(kept[n], values[n]);
    }
    else
    {
      ASSERT_NE(kept[n], values[n]);
    }
  }
}
