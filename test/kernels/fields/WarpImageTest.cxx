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
// Images under displacements, interpolated by cubic B-splines. Expected: sums over 4 samples per axis of mirrored
// coefficients by simple loops in double.

#include "FieldCase.h"

#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/math/SplineWeights.h"

#include <cmath>
#include <vector>

using namespace CudaSplineTest;

namespace
{

class CubicWarps : public FieldsOnBackend
{
protected:
  /** Returns the index of a sample after mirroring at the ends of its line. */
  static std::int64_t
  Mirrored(std::int64_t at, std::int64_t size)
  {
    if (size == 1)
    {
      return 0;
    }
    const std::int64_t period = 2 * size - 2;
    const std::int64_t within = ((at % period) + period) % period;
    return within < size ? within : period - within;
  }

  /** Returns the spline at a continuous index, from the first sample. */
  static double
  SplineAt(const FieldGrid & grid, const std::vector<double> & coefficients, const Vector & index)
  {
    double sum = 0.0;
    for (int tap = 0; tap < (grid.dimension == 2 ? 16 : 64); ++tap)
    {
      double       weight = 1.0;
      std::int64_t offset = 0;
      std::int64_t stride = 1;
      for (unsigned int d = 0; d < grid.dimension; ++d)
      {
        const double base = std::floor(index[d]);
        const int    k = (tap >> (2 * d)) & 3;
        const double distance = std::abs(index[d] - (base - 1.0 + k));
        weight *= distance < 1.0 ? 2.0 / 3.0 - distance * distance * (1.0 - 0.5 * distance)
                                 : (distance < 2.0 ? std::pow(2.0 - distance, 3.0) / 6.0 : 0.0);
        offset += Mirrored(static_cast<std::int64_t>(base) - 1 + k, grid.size[d]) * stride;
        stride *= grid.size[d];
      }
      sum += weight * coefficients[static_cast<std::size_t>(offset)];
    }
    return sum;
  }
};

INSTANTIATE_TEST_SUITE_P(Backend, CubicWarps, testing::Bool(), NameOfBackend);

} // namespace

TEST_P(CubicWarps, AreThoseOfPlainLoops)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : FieldSizes)
  {
    for (const ScalarType type : FieldTypes)
    {
      SCOPED_TRACE(Describe(size, type));
      const FieldShape          shape{ RandomGrid(size, random), type };
      const FieldGrid &         grid = shape.grid;
      const std::vector<double> field = RandomField(grid, 2.0, false, random);
      std::vector<double>       coefficients;
      for (std::int64_t n = 0; n < grid.Count(); ++n)
      {
        coefficients.push_back(random.Uniform(-2.0, 2.0));
      }
      const auto          vectors = Resident(field, type, residence);
      const auto          input = Resident(coefficients, type, residence);
      const ResidentArray output(input.Bytes(), residence);
      ImageWarp           warp;
      warp.input = grid;
      warp.output = grid;
      warp.pixel = type;
      warp.cubic = true;
      warp.stages = { MakeFieldStage(shape, vectors.Data()) };
      WarpImage(warp, input.Data(), output.Data(), residence);
      const std::vector<double> found = Numbers(output.Data(), coefficients.size(), type, residence);
      for (std::int64_t n = 0; n < grid.Count(); ++n)
      {
        const auto at = SampleOf(grid, n);
        Vector     index{};
        bool       isInside = true;
        double     fromBorder = 1.0;
        for (unsigned int r = 0; r < grid.dimension; ++r)
        {
          index[r] = static_cast<double>(at[r]);
          for (unsigned int c = 0; c < grid.dimension; ++c)
          {
            index[r] += grid.pointToIndex[r][c] * field[static_cast<std::size_t>(n * grid.dimension + c)];
          }
          const double last = static_cast<double>(grid.size[r]) - 0.5;
          isInside = isInside && index[r] >= -0.5 && index[r] < last;
          fromBorder = std::min({ fromBorder, std::abs(index[r] + 0.5), std::abs(index[r] - last) });
        }
        if (fromBorder > 1e-4) // rounding decides close to the border
        {
          const double wanted = isInside ? SplineAt(grid, coefficients, index) : 0.0;
          ASSERT_NEAR(found[static_cast<std::size_t>(n)], wanted, type == ScalarType::Float32 ? 2e-5 : 1e-9) << n;
        }
      }
    }
  }
}
