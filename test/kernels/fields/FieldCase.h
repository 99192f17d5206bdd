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
#ifndef FieldCase_h
#define FieldCase_h

#include "../common/KernelTestData.h"

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/FieldOperations.h"

#include "Gpu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

/** \file
 * \brief Random grids and fields, and simple loops in double over them. */

namespace CudaSplineTest
{

using Vector = std::array<double, 3>;

/** Tests run once on the Cpu backend, and once on the GPU if there is one. */
class FieldsOnBackend : public testing::TestWithParam<bool>
{
protected:
  void
  SetUp() override
  {
    if (this->GetParam())
    {
      CUDASPLINE_NEEDS_GPU();
    }
  }

  Residence
  MakeResidence() const
  {
    ExecutionContext context;
    context.backend = this->GetParam() ? Backend::Cuda : Backend::Cpu;
    context.host = &m_Threads;
    return Residence(context);
  }

private:
  ThreadExecutor m_Threads{ 3 };
};

inline std::string
NameOfBackend(const testing::TestParamInfo<bool> & test)
{
  return test.param ? "Gpu" : "Cpu";
}

inline const std::vector<std::vector<std::int64_t>> FieldSizes{ { 13, 11 },   { 37, 1 },     { 67, 41 },
                                                                { 1, 1 },     { 7, 5, 3 },   { 41, 23, 9 },
                                                                { 33, 9, 5 }, { 19, 17, 1 }, { 1, 13, 11 } };

/** Returns numbers as bytes on a backend. */
inline ResidentArray
Resident(const std::vector<double> & numbers, ScalarType type, const Residence & residence)
{
  const std::size_t bytes = numbers.size() * SizeOf(type);
  ResidentArray     array(bytes, residence);
  if (type == ScalarType::Float32)
  {
    const std::vector<float> single(numbers.begin(), numbers.end());
    Upload(array.Data(), single.data(), bytes, residence);
  }
  else
  {
    Upload(array.Data(), numbers.data(), bytes, residence);
  }
  return array;
}

/** Returns numbers from a backend. */
inline std::vector<double>
Numbers(const void * data, std::size_t count, ScalarType type, const Residence & residence)
{
  if (type == ScalarType::Float32)
  {
    std::vector<float> single(count);
    Download(single.data(), data, count * sizeof(float), residence);
    return { single.begin(), single.end() };
  }
  std::vector<double> numbers(count);
  Download(numbers.data(), data, count * sizeof(double), residence);
  return numbers;
}

/** Returns the inverse of a matrix of 2 or 3 rows. */
inline FieldGrid::Matrix
Inverse(const FieldGrid::Matrix & matrix, unsigned int dimension)
{
  FieldGrid::Matrix full = matrix;
  if (dimension == 2)
  {
    full[2] = { 0.0, 0.0, 1.0 };
    full[0][2] = full[1][2] = 0.0;
  }
  FieldGrid::Matrix inverse{};
  double            determinant = 0.0;
  for (unsigned int r = 0; r < 3; ++r)
  {
    for (unsigned int c = 0; c < 3; ++c)
    {
      const unsigned int r1 = (c + 1) % 3;
      const unsigned int r2 = (c + 2) % 3;
      const unsigned int c1 = (r + 1) % 3;
      const unsigned int c2 = (r + 2) % 3;
      inverse[r][c] = full[r1][c1] * full[r2][c2] - full[r1][c2] * full[r2][c1];
    }
    determinant += full[0][r] * inverse[r][0];
  }
  for (auto & row : inverse)
  {
    for (double & number : row)
    {
      number /= determinant;
    }
  }
  return inverse;
}

/** Returns a rotated grid with different spacings and a first index other than 0. */
inline FieldGrid
RandomGrid(const std::vector<std::int64_t> & size, FreshRandom & random, bool starts = true)
{
  FieldGrid grid;
  grid.dimension = static_cast<unsigned int>(size.size());
  const double angle = random.Uniform(-0.5, 0.5);
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    grid.size[d] = size[d];
    grid.start[d] = starts ? static_cast<std::int64_t>(random.Uniform(-5.0, 5.0)) : 0;
    grid.origin[d] = random.Uniform(-20.0, 20.0);
    grid.spacing[d] = random.Uniform(0.5, 2.0);
  }
  for (unsigned int r = 0; r < grid.dimension; ++r)
  {
    for (unsigned int c = 0; c < grid.dimension; ++c)
    {
      double direction = r == c ? 1.0 : 0.0;
      if (r < 2 && c < 2)
      {
        direction = r == c ? std::cos(angle) : (r < c ? -std::sin(angle) : std::sin(angle));
      }
      grid.indexToPoint[r][c] = direction * grid.spacing[c];
    }
  }
  grid.pointToIndex = Inverse(grid.indexToPoint, grid.dimension);
  return grid;
}

/** Returns a random field, or a smooth one. */
inline std::vector<double>
RandomField(const FieldGrid & grid, double size, bool smooth, FreshRandom & random)
{
  std::vector<double> field(static_cast<std::size_t>(grid.Count() * grid.dimension));
  const double        phase = random.Uniform(0.0, 6.0);
  for (std::size_t i = 0; i < field.size(); ++i)
  {
    const auto   d = i % grid.dimension;
    const auto   sample = static_cast<std::int64_t>(i / grid.dimension);
    const double x = static_cast<double>(sample % grid.size[0]) / static_cast<double>(grid.size[0]);
    const double y = static_cast<double>(sample / grid.size[0] % grid.size[1]) / static_cast<double>(grid.size[1]);
    const double z = static_cast<double>(sample / grid.size[0] / grid.size[1]) / static_cast<double>(grid.size[2]);
    const double number = smooth ? size * std::sin(4.0 * x + 2.0 * static_cast<double>(d) + phase) *
                                     std::cos(5.0 * y - phase) * std::cos(3.0 * z + static_cast<double>(d))
                                 : random.Uniform(-size, size);
    field[i] = static_cast<double>(static_cast<float>(number)); // representable in both types
  }
  return field;
}

/** Returns the sample of an offset, from the first one of the grid. */
inline std::array<std::int64_t, 3>
SampleOf(const FieldGrid & grid, std::int64_t offset)
{
  return { offset % grid.size[0], offset / grid.size[0] % grid.size[1], offset / grid.size[0] / grid.size[1] };
}

/** Returns the point of a sample (mm). */
inline Vector
PlaceOf(const FieldGrid & grid, const std::array<std::int64_t, 3> & at)
{
  Vector place = grid.origin;
  for (unsigned int r = 0; r < grid.dimension; ++r)
  {
    for (unsigned int c = 0; c < grid.dimension; ++c)
    {
      place[r] += grid.indexToPoint[r][c] * static_cast<double>(grid.start[c] + at[c]);
    }
  }
  return place;
}

/** Returns the continuous index of a point, from the first sample of the grid. */
inline Vector
IndexOf(const FieldGrid & grid, const Vector & place)
{
  Vector index{};
  for (unsigned int r = 0; r < grid.dimension; ++r)
  {
    for (unsigned int c = 0; c < grid.dimension; ++c)
    {
      index[r] += grid.pointToIndex[r][c] * (place[c] - grid.origin[c]);
    }
    index[r] -= static_cast<double>(grid.start[r]);
  }
  return index;
}

/** Returns the distance of an index from the border of the buffer (samples); below 0: outside. */
inline double
Depth(const FieldGrid & grid, const Vector & index)
{
  double depth = std::numeric_limits<double>::infinity();
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    depth = std::min({ depth, index[d] + 0.5, static_cast<double>(grid.size[d]) - 0.5 - index[d] });
  }
  return depth;
}

/** Interpolates linearly between samples. Beyond the border, the outermost samples are repeated. */
inline Vector
LinearAt(const FieldGrid & grid, const std::vector<double> & field, unsigned int components, const Vector & index)
{
  Vector sum{};
  for (unsigned int corner = 0; corner < (1U << grid.dimension); ++corner)
  {
    double       weight = 1.0;
    std::int64_t offset = 0;
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      const double base = std::floor(index[d]);
      const bool   upper = ((corner >> d) & 1U) != 0;
      weight *= upper ? index[d] - base : 1.0 - (index[d] - base);
      const auto at = static_cast<std::int64_t>(base) + (upper ? 1 : 0);
      offset += std::clamp(at, std::int64_t{ 0 }, grid.size[d] - 1) * stride;
      stride *= grid.size[d];
    }
    for (unsigned int c = 0; c < components && weight != 0.0; ++c)
    {
      sum[c] += weight * field[static_cast<std::size_t>(offset * components + c)];
    }
  }
  return sum;
}

inline const std::vector<ScalarType> FieldTypes{ ScalarType::Float32, ScalarType::Float64 };

inline std::string
Describe(const std::vector<std::int64_t> & size, ScalarType type)
{
  std::string text = NameOf(type);
  for (const std::int64_t length : size)
  {
    text += " " + std::to_string(length);
  }
  return text;
}

/** Returns the allowed error of a field's value between samples: a continuous index of this magnitude, rounded to the
 * type, and the roundings of the sum. */
inline double
InterpolationBound(ScalarType type, double size)
{
  constexpr double indices = 100.0; // maximum of the grids here
  const double     unit = type == ScalarType::Float32 ? 0x1p-24 : 0x1p-53;
  return unit * size * (2.0 * 3.0 * 2.0 * indices + 64.0);
}

/** Computes the composition at a sample with simple loops. Returns false if it is so close to the border of the buffer
 * that either result is correct. */
inline bool
ComposePlainly(const FieldGrid &           displacementGrid,
               const std::vector<double> & displacement,
               const FieldGrid &           grid,
               const std::vector<double> & warping,
               std::int64_t                sample,
               Vector &                    composed)
{
  const unsigned int dimension = grid.dimension;
  const Vector       place = PlaceOf(grid, SampleOf(grid, sample));
  Vector             moved{};
  for (unsigned int d = 0; d < dimension; ++d)
  {
    composed[d] = warping[static_cast<std::size_t>(sample * dimension + d)];
    moved[d] = place[d] + composed[d];
  }
  const Vector index = IndexOf(displacementGrid, moved);
  const double depth = Depth(displacementGrid, index);
  if (depth >= 0.0)
  {
    const Vector there = LinearAt(displacementGrid, displacement, dimension, index);
    for (unsigned int d = 0; d < dimension; ++d)
    {
      composed[d] += there[d];
    }
  }
  return std::abs(depth) > 1e-4;
}

inline bool
IsBorder(const FieldGrid & grid, std::int64_t sample)
{
  const auto at = SampleOf(grid, sample);
  bool       border = false;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    const std::int64_t index = grid.start[d] + at[d];
    border = border || index == grid.start[d] || index == grid.size[d] - grid.start[d] - 1;
  }
  return border;
}

} // namespace CudaSplineTest

#endif
