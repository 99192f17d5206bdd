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
#include "itkCudaSpline/kernels/metrics/MappedImage.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

/** \file
 * \brief Images as metrics see them through a field and an affine transform: of a linear image, of which values and
 * gradients are known everywhere. */

using namespace CudaSplineTest;

namespace
{

class MappedImages : public FieldsOnBackend
{};

INSTANTIATE_TEST_SUITE_P(Backend, MappedImages, testing::Bool(), NameOfBackend);

/** A mapping, and its results. */
struct Mapped
{
  std::vector<double>       values;
  std::vector<std::uint8_t> inside;
  std::vector<double>       gradients;
};

Mapped
Map(const ImageMapping & mapping, const MappedSources & sources, const Residence & residence)
{
  const auto          count = static_cast<std::size_t>(mapping.output.grid.Count());
  const ResidentArray values(count * SizeOf(mapping.pixel), residence);
  const ResidentArray inside(count, residence);
  const ResidentArray gradients(mapping.output.Bytes(), residence);
  MapImage(mapping, sources, { values.Data(), inside.As<std::uint8_t>(), gradients.Data() }, residence);
  Mapped mapped;
  mapped.values = Numbers(values.Data(), count, mapping.pixel, residence);
  mapped.inside.resize(count);
  Download(mapped.inside.data(), inside.Data(), count, residence);
  mapped.gradients =
    Numbers(gradients.Data(), count * mapping.output.grid.dimension, mapping.output.element, residence);
  return mapped;
}

/** Index of the sample that is nearest, by axis. */
bool
IsNearestSet(const FieldGrid & grid, const std::vector<std::uint8_t> & mask, const Vector & index, bool & isNearTie)
{
  std::int64_t offset = 0;
  std::int64_t stride = 1;
  bool         isWithin = true;
  isNearTie = false;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    const auto at = static_cast<std::int64_t>(std::floor(index[d] + 0.5));
    isNearTie = isNearTie || std::abs(index[d] + 0.5 - std::round(index[d] + 0.5)) < 1e-6;
    isWithin = isWithin && at >= 0 && at < grid.size[d];
    offset += at * stride;
    stride *= grid.size[d];
  }
  return isWithin && mask[static_cast<std::size_t>(offset)] != 0;
}

} // namespace

TEST_P(MappedImages, HaveTheValuesAndGradientsOfALinearImage)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : { std::vector<std::int64_t>{ 31, 23 }, std::vector<std::int64_t>{ 19, 13, 9 } })
  {
    for (const ScalarType pixel : FieldTypes)
    {
      for (const ScalarType element : FieldTypes)
      {
        for (const bool isGiven : { false, true })
        {
          SCOPED_TRACE(Describe(size, pixel) + " " + NameOf(element) + (isGiven ? ", gradients are given" : ""));
          const auto   dimension = static_cast<unsigned int>(size.size());
          ImageMapping mapping;
          mapping.input = RandomGrid(size, random);
          mapping.mask = RandomGrid(size, random);
          mapping.pixel = pixel;
          mapping.output = { RandomGrid(size, random), element };
          for (FieldGrid * const grid : { &mapping.mask, &mapping.output.grid }) // with one centre
          {
            const std::array<std::int64_t, 3> centre{ size[0] / 2, size[1] / 2, dimension == 3 ? size[2] / 2 : 0 };
            const Vector                      from = PlaceOf(*grid, centre);
            const Vector                      to = PlaceOf(mapping.input, centre);
            for (unsigned int d = 0; d < dimension; ++d)
            {
              grid->origin[d] += to[d] - from[d];
            }
          }

          // An image whose value is that of a plane, and its gradient.
          const Vector        slope{ 1.5, -2.0, dimension == 3 ? 0.7 : 0.0 };
          std::vector<double> image;
          std::vector<double> given;
          for (std::int64_t i = 0; i < mapping.input.Count(); ++i)
          {
            const Vector place = PlaceOf(mapping.input, SampleOf(mapping.input, i));
            image.push_back(slope[0] * place[0] + slope[1] * place[1] + slope[2] * place[2]);
            given.insert(given.end(), slope.begin(), slope.begin() + dimension);
          }
          std::vector<std::uint8_t> mask(static_cast<std::size_t>(mapping.mask.Count()));
          for (std::uint8_t & byte : mask)
          {
            byte = random.Uniform(0.0, 1.0) < 0.8 ? 1 : 0;
          }
          const auto          field = RandomField(mapping.output.grid, 1.0, true, random);
          const ResidentArray pixels = Resident(image, pixel, residence);
          const ResidentArray vectors = Resident(field, element, residence);
          const ResidentArray gradients = Resident(given, element, residence);
          const ResidentArray bytes(mask.size(), residence);
          Upload(bytes.Data(), mask.data(), mask.size(), residence);

          TransformChain::Stage affine;
          affine.kind = TransformKind::Affine;
          for (unsigned int r = 0; r < dimension; ++r)
          {
            for (unsigned int c = 0; c < dimension; ++c)
            {
              affine.matrix[r][c] = (r == c ? 1.0 : 0.0) + random.Uniform(-0.1, 0.1);
            }
            affine.offset[r] = random.Uniform(-1.0, 1.0);
          }
          mapping.stages = { MakeFieldStage(mapping.output, vectors.Data()), affine };
          const Mapped mapped =
            Map(mapping, { pixels.Data(), bytes.As<std::uint8_t>(), isGiven ? gradients.Data() : nullptr }, residence);

          std::size_t  insideCount = 0;
          const double unit = pixel == ScalarType::Float32 || element == ScalarType::Float32 ? 0x1p-23 : 0x1p-48;
          for (std::int64_t i = 0; i < mapping.output.grid.Count(); ++i)
          {
            const auto at = static_cast<std::size_t>(i);
            Vector     before = PlaceOf(mapping.output.grid, SampleOf(mapping.output.grid, i));
            Vector     place{};
            for (unsigned int d = 0; d < dimension; ++d)
            {
              before[d] += field[at * dimension + d];
            }
            for (unsigned int r = 0; r < dimension; ++r)
            {
              place[r] = affine.offset[r];
              for (unsigned int c = 0; c < dimension; ++c)
              {
                place[r] += affine.matrix[r][c] * before[c];
              }
            }
            const Vector index = IndexOf(mapping.input, place);
            const double depth = Depth(mapping.input, index);
            bool         isNearTie = false;
            const bool   isAdmitted = IsNearestSet(mapping.mask, mask, IndexOf(mapping.mask, place), isNearTie);
            if (std::abs(depth) < 1e-6 || isNearTie)
            {
              continue; // either is right
            }
            const bool isInside = depth > 0.0 && isAdmitted;
            ASSERT_EQ(mapped.inside[at] != 0, isInside) << i;
            insideCount += isInside ? 1 : 0;
            if (isInside && depth < 3.0)
            {
              continue; // half a sample from the border the image is not linear; half a spacing is at most 2 samples
            }
            double value = 0.0;
            for (unsigned int c = 0; c < dimension; ++c)
            {
              double by = 0.0;
              for (unsigned int r = 0; r < dimension; ++r)
              {
                by += affine.matrix[r][c] * slope[r];
              }
              value += slope[c] * place[c];
              // A difference of values of some hundred, by a spacing of 0.5 and more.
              ASSERT_NEAR(mapped.gradients[at * dimension + c], isInside ? by : 0.0, 4096.0 * unit) << i;
            }
            ASSERT_NEAR(mapped.values[at], isInside ? value : 0.0, 1024.0 * unit) << i;
          }
          EXPECT_GT(insideCount, 0U);
        }
      }
    }
  }
}

TEST_P(MappedImages, RefuseWhatIsNotSupported)
{
  const Residence residence = this->MakeResidence();
  ImageMapping    mapping;
  mapping.stages.resize(MaximumWarpStages + 1);
  EXPECT_THROW(MapImage(mapping, {}, {}, residence), std::invalid_argument);
  mapping.stages.clear();
  mapping.output.grid.dimension = 4;
  EXPECT_THROW(MapImage(mapping, {}, {}, residence), std::invalid_argument);
}
