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
#include "itkCudaSpline/files/NiftiHeader.h"
#include "itkCudaSpline/files/NiftiPixels.h"

#include "NiftiReference.h"
#include "RandomData.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

/** \file
 * \brief NIfTI headers: random ones, valid and nearly valid, are compared with the rule of NiftiReference.h in double
 * precision. Each sentence of the rule is also tested separately.
 *
 * Reading is correct within 1e-5 voxel at all corners. Written headers differ by the rounding of the sform's float32
 * fields, 2^-24 of each number, summed over the three terms and the offset of a coordinate. NIfTI-2's fields are
 * double. */

namespace
{

using namespace itk::CudaSpline;
using CudaSplineTest::Random;
using NiftiReference::Affine;
using NiftiReference::Answer;
using NiftiReference::Fields;
using NiftiReference::Pack;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

NiftiDescription
Describe(const Fields & fields)
{
  const std::string bytes = Pack(fields);
  return DescribeNifti(bytes.data(), bytes.size());
}

/** Returns the matrix of a grid along NIfTI's axes. */
Affine
AffineOf(const NiftiGrid & grid)
{
  Affine affine{};
  for (std::size_t i = 0; i < 3; ++i)
  {
    const double sign = i < 2 ? -1.0 : 1.0;
    for (std::size_t j = 0; j < 3; ++j)
    {
      affine[i][j] = sign * grid.direction[i][j] * grid.spacing[j];
    }
    affine[i][3] = sign * grid.origin[i];
  }
  return affine;
}

/** Returns the largest distance of corners, relative to the smallest spacing of the first one. */
double
VoxelsAtCorners(const Affine & one, const Affine & other, const NiftiGrid & grid)
{
  double largest = 0.0;
  for (unsigned int corner = 0; corner < 8; ++corner)
  {
    double square = 0.0;
    for (std::size_t i = 0; i < 3; ++i)
    {
      double distance = one[i][3] - other[i][3];
      for (std::size_t j = 0; j < 3; ++j)
      {
        const double index = (corner >> j & 1U) != 0 ? static_cast<double>(grid.size[j] - 1) : 0.0;
        distance += (one[i][j] - other[i][j]) * index;
      }
      square += distance * distance;
    }
    largest = std::max(largest, std::sqrt(square));
  }
  return largest / *std::min_element(grid.spacing.begin(), grid.spacing.end());
}

std::string
MessageOf(const Fields & fields)
{
  try
  {
    Describe(fields);
    return {};
  }
  catch (const std::invalid_argument & invalid)
  {
    return invalid.what();
  }
}

double
OneOf(Random & random, std::initializer_list<double> values)
{
  return *(values.begin() + random.Integer(0, static_cast<std::int64_t>(values.size()) - 1));
}

/** Draws a header as scanners and programs write it, or nearly so. */
Fields
DrawHeader(Random & random)
{
  Fields f;
  f.version = random.Integer(0, 2) == 0 ? 2 : 1;
  f.isSwapped = random.Integer(0, 1) == 1;
  const bool isPair = random.Integer(0, 3) == 0;
  f.magic = f.version == 2 ? NiftiReference::SecondMagic(isPair ? "ni2" : "n+2") : isPair ? "ni1" : "n+1";
  f.voxOffset = isPair ? OneOf(random, { 0, 16, 352 }) : OneOf(random, { 0, 544, 560, 1024 });
  f.dim[0] = random.Integer(1, 7);
  for (std::size_t axis = 1; axis <= 7; ++axis)
  {
    f.dim[axis] = axis <= 3 ? random.Integer(1, axis == 3 ? 40 : 512) : 1;
  }
  f.dim[4] = random.Integer(0, 3) == 0 ? random.Integer(1, 300) : 1;
  f.dim[5] = random.Integer(0, 3) == 0 ? random.Integer(1, 6) : 1;
  const int types[] = { 2, 4, 8, 16, 64, 256, 512, 768, 1024, 1280, 128, 2304, 32, 1792 };
  f.datatype = types[random.Integer(0, 13)];
  const auto bits = NiftiReference::BitsOf(f.datatype);
  f.bitpix = bits->first;
  if (bits->second > 1)
  {
    f.dim[5] = 1;
  }
  const double size = std::pow(10.0, random.Uniform(-3.0, 3.0)); // 1 um to 1 m, in mm
  f.xyztUnits = static_cast<int>(OneOf(random, { 0, 1, 2, 3, 8, 10, 18, 26, 11, 2 }));
  const double unit = (f.xyztUnits & 7) == 1 ? 1000.0 : (f.xyztUnits & 7) == 3 ? 0.001 : 1.0;
  for (std::size_t axis = 1; axis <= 4; ++axis)
  {
    f.pixdim[axis] = size / unit * random.Uniform(0.3, 3.0) * (random.Integer(0, 4) == 0 ? -1.0 : 1.0);
  }
  f.pixdim[0] = OneOf(random, { -1, 1, 0, 1 });
  f.qformCode = static_cast<int>(random.Integer(0, 4));
  f.sformCode = static_cast<int>(random.Integer(0, 4));
  f.slope = OneOf(random, { 0, 1, 1, 0.5, -2, 1e-3 });
  f.intercept = OneOf(random, { 0, 0, -1024, 3.5 });
  // A quaternion, also close to 180 degrees.
  std::array<double, 4> q{};
  double                norm = 0.0;
  for (double & number : q)
  {
    number = random.Integer(0, 3) == 0 ? 0.0 : random.Uniform(-1.0, 1.0);
  }
  q[0] = random.Integer(0, 3) == 0 ? random.Uniform(0.0, 1e-3) : std::abs(q[0]);
  q[1] = q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0 && q[0] == 0.0 ? 1.0 : q[1];
  for (const double number : q)
  {
    norm += number * number;
  }
  for (std::size_t i = 0; i < 3; ++i)
  {
    f.quatern[i] = q[i + 1] / std::sqrt(norm);
    f.qoffset[i] = random.Uniform(-300.0, 300.0) * size / unit;
  }
  // A matrix, also rounded, sheared, or with exchanged axes.
  const std::vector<double> rotation =
    random.Integer(0, 1) == 0 ? random.Rotation(3) : std::vector<double>{ 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  const double digits = OneOf(random, { 0, 0, 1e-6, 1e-4, 1e-3 });
  const double shear = OneOf(random, { 0, 0, 0, 0, 1e-6, 1e-4, 3e-3, 7e-3, 0.02, 0.5 });
  const auto   first = static_cast<std::size_t>(random.Integer(0, 2));
  const double handed = random.Sign();
  for (std::size_t i = 0; i < 3; ++i)
  {
    std::array<double, 3> row{};
    for (std::size_t j = 0; j < 3; ++j)
    {
      const double number = rotation[3 * i + (j + first) % 3] * (j == 0 ? handed : 1.0);
      row[j] = digits > 0.0 ? std::round(number / digits) * digits : number;
    }
    row[0] += shear * row[1];
    for (std::size_t j = 0; j < 3; ++j)
    {
      f.srow[i][j] = row[j] * std::abs(f.pixdim[j + 1]);
    }
    f.srow[i][3] = random.Integer(0, 1) == 0 ? f.qoffset[i] : random.Uniform(-300.0, 300.0) * size / unit;
  }
  // Nearly valid: one field is changed.
  if (random.Integer(0, 3) == 0)
  {
    const auto   axis = static_cast<std::size_t>(random.Integer(0, 7));
    const double strange = OneOf(random, { nan, infinity, -infinity, 0, -1, 1e30, 1e-30 });
    switch (random.Integer(0, 11))
    {
      case 0:
        f.dim[axis] = static_cast<std::int64_t>(OneOf(random, { 0, -1, 2, 8, 32767 }));
        break;
      case 1:
        f.pixdim[1 + axis % 3] = strange;
        break;
      case 2:
        f.quatern[axis % 3] = strange;
        break;
      case 3:
        f.qoffset[axis % 3] = OneOf(random, { nan, infinity, -infinity });
        break;
      case 4:
        f.srow[axis % 3][axis / 2] = OneOf(random, { nan, infinity, -infinity });
        break;
      case 5:
        for (auto & row : f.srow)
        {
          row[axis % 3] = 0.0;
        }
        break;
      case 6:
        f.slope = strange;
        break;
      case 7:
        f.intercept = strange;
        break;
      case 8:
        f.datatype = static_cast<int>(OneOf(random, { 0, 1, 1536, 2048, 255, 3 }));
        break;
      case 9:
        f.srow[axis % 3] = f.srow[(axis + 1) % 3];
        break;
      case 10:
        f.sformCode = -1;
        break;
      default:
        f.qformCode = 300;
    }
  }
  return f;
}

/** Returns whether rounding decides on the treatment of a shear. Such headers are drawn again. */
bool
IsNearLimit(const Fields & f)
{
  if (f.sformCode <= 0)
  {
    return false;
  }
  double cosine = 0.0;
  for (std::size_t j = 0; j < 3; ++j)
  {
    const std::size_t k = (j + 1) % 3;
    double            dot = 0.0;
    double            one = 0.0;
    double            two = 0.0;
    for (std::size_t i = 0; i < 3; ++i)
    {
      const double a = NiftiReference::Held(f, f.srow[i][j]);
      const double b = NiftiReference::Held(f, f.srow[i][k]);
      dot += a * b;
      one += a * a;
      two += b * b;
    }
    cosine = std::max(cosine, std::abs(dot) / std::sqrt(one * two));
  }
  const auto isNear = [cosine](double limit) { return std::abs(std::asin(std::min(cosine, 1.0)) - limit) < 1e-9; };
  return isNear(negligibleNiftiShear) || isNear(silentNiftiShear) || isNear(maxNiftiShear);
}

/** Returns whether there are single voxels without a column, which the reference does not handle: their column is made
 * up. */
bool
HasColumnOfSingleVoxel(const Fields & f)
{
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const bool isSingle = static_cast<std::int64_t>(axis) >= f.dim[0] || f.dim[axis + 1] == 1;
    if (isSingle && f.srow[0][axis] == 0.0 && f.srow[1][axis] == 0.0 && f.srow[2][axis] == 0.0)
    {
      return true;
    }
  }
  return false;
}

TEST(NiftiHeader, RandomHeaders)
{
  Random       random(__LINE__);
  unsigned int refused = 0;
  unsigned int warned = 0;
  for (unsigned int count = 0; count < 20000; ++count)
  {
    Fields fields = DrawHeader(random);
    if (IsNearLimit(fields) || HasColumnOfSingleVoxel(fields))
    {
      continue;
    }
    const std::optional<Answer> answer = NiftiReference::Interpret(fields);
    const std::string           bytes = Pack(fields);
    SCOPED_TRACE("header " + std::to_string(count));
    if (!answer)
    {
      ++refused;
      EXPECT_THROW(DescribeNifti(bytes.data(), bytes.size()), std::invalid_argument);
      continue;
    }
    NiftiDescription found;
    ASSERT_NO_THROW(found = DescribeNifti(bytes.data(), bytes.size())) << MessageOf(fields);
    EXPECT_LE(VoxelsAtCorners(AffineOf(found.grid), answer->affine, found.grid), 1e-5);
    EXPECT_EQ(found.slope, answer->slope);
    EXPECT_EQ(found.intercept, answer->intercept);
    EXPECT_EQ(found.components, answer->components);
    const bool isWarned = std::any_of(found.warnings.begin(), found.warnings.end(), [](const std::string & text) {
      return text.find("sheared") != std::string::npos;
    });
    EXPECT_EQ(isWarned, answer->isWarned);
    warned += isWarned ? 1 : 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      EXPECT_EQ(found.grid.size[axis], static_cast<std::int64_t>(axis) < fields.dim[0] ? fields.dim[axis + 1] : 1);
    }
    EXPECT_EQ(found.volumes, static_cast<std::uint64_t>(fields.dim[0] >= 4 ? fields.dim[4] : 1));
  }
  EXPECT_GT(refused, 500U); // both occur
  EXPECT_GT(warned, 100U);
}

/** Everything that was read can be written, and is read again unchanged. */
TEST(NiftiHeader, RoundTrip)
{
  Random random(__LINE__);
  for (unsigned int count = 0; count < 20000; ++count)
  {
    const Fields fields = DrawHeader(random);
    if (!MessageOf(fields).empty())
    {
      continue;
    }
    NiftiDescription       wanted = Describe(fields);
    const NiftiDescription before = wanted;
    const std::string      bytes = MakeNiftiHeader(wanted);
    const NiftiDescription found = DescribeNifti(bytes.data(), bytes.size());
    SCOPED_TRACE("header " + std::to_string(count));
    EXPECT_EQ(bytes.size(), found.isSingleFile ? found.pixelOffset : found.version == 2 ? 540U : 348U);
    EXPECT_EQ(found.version, before.version);
    EXPECT_EQ(found.grid.dimension, before.grid.dimension);
    EXPECT_EQ(found.grid.size, before.grid.size);
    EXPECT_EQ(found.volumes, before.volumes);
    EXPECT_EQ(found.components, before.components);
    EXPECT_EQ(found.type, before.type);
    EXPECT_FALSE(found.isScaled);
    const bool isInteger = before.type != ScalarType::Float32 && before.type != ScalarType::Float64;
    EXPECT_TRUE(found.pixel == before.pixel || (isInteger && before.pixel == NiftiPixel::Displacement));
    const Affine written = AffineOf(before.grid);
    const Affine read = AffineOf(found.grid);
    const double rounding = found.version == 2 ? 1e-9 : 0x1p-24; // of a number; for NIfTI-2 of the whole, in voxels
    double       bound = found.version == 2 ? 1e-9 : 1e-9;
    if (found.version == 1)
    {
      double square = 0.0;
      for (std::size_t i = 0; i < 3; ++i)
      {
        double row = std::abs(written[i][3]);
        for (std::size_t j = 0; j < 3; ++j)
        {
          row += std::abs(written[i][j]) * static_cast<double>(before.grid.size[j] - 1);
        }
        square += row * row;
      }
      bound += rounding * std::sqrt(square) / *std::min_element(before.grid.spacing.begin(), before.grid.spacing.end());
    }
    else
    {
      for (std::size_t i = 0; i < 3; ++i)
      {
        bound +=
          0x1p-50 * std::abs(written[i][3]) / *std::min_element(before.grid.spacing.begin(), before.grid.spacing.end());
      }
    }
    EXPECT_LE(VoxelsAtCorners(written, read, before.grid), bound);
    EXPECT_TRUE(found.warnings.empty()) << found.warnings.front(); // the qform is the same
  }
}

/** Tests the written qform separately. */
TEST(NiftiHeader, WrittenQform)
{
  Random random(__LINE__);
  for (unsigned int count = 0; count < 2000; ++count)
  {
    NiftiDescription wanted;
    wanted.version = 2;
    wanted.grid.size = { 100, 90, 80 };
    const std::vector<double> rotation = random.Rotation(3);
    const double              handed = random.Sign();
    for (std::size_t i = 0; i < 3; ++i)
    {
      wanted.grid.spacing[i] = random.Uniform(0.5, 2.0);
      wanted.grid.origin[i] = random.Uniform(-100.0, 100.0);
      for (std::size_t j = 0; j < 3; ++j)
      {
        wanted.grid.direction[i][j] = rotation[3 * i + j] * (j == 1 ? handed : 1.0);
      }
    }
    std::string bytes = MakeNiftiHeader(wanted);
    bytes.replace(348, 4, 4, '\0'); // sform_code
    const NiftiDescription found = DescribeNifti(bytes.data(), bytes.size());
    // The fourth number is the square root of the remainder to 1: its rounding error is 2^-53, or the square root of
    // that.
    EXPECT_LE(VoxelsAtCorners(AffineOf(wanted.grid), AffineOf(found.grid), wanted.grid), 150 * 4 * 3e-8);
  }
}

Fields
Plain()
{
  Fields f;
  f.dim = { { 3, 5, 6, 7, 1, 1, 1, 1 } };
  f.sformCode = 1;
  f.srow = { { { -2, 0, 0, 10 }, { 0, 3, 0, 20 }, { 0, 0, 4, 30 } } };
  f.pixdim = { { 1, 2, 3, 4, 0, 0, 0, 0 } };
  return f;
}

TEST(NiftiHeader, SformIsTakenBeforeQform)
{
  Fields f = Plain();
  f.sformCode = 2;
  f.qformCode = 1;
  f.quatern = { 0, 1, 0 };
  f.pixdim[0] = -1; // diag(-2, 3, 4)
  f.qoffset = { 19, 20, 30 };
  const NiftiDescription both = Describe(f);
  EXPECT_EQ(both.grid.origin[0], -10.0);
  ASSERT_EQ(both.warnings.size(), 1U);
  EXPECT_NE(both.warnings[0].find("differ by up to 9 mm"), std::string::npos) << both.warnings[0];
  EXPECT_NE(both.warnings[0].find("ITK 5.2 and ANTs may take the qform"), std::string::npos);
  f.qoffset = { 10, 20, 30 };
  EXPECT_TRUE(Describe(f).warnings.empty());
  f.sformCode = 0;
  f.qoffset = { 19, 20, 30 };
  EXPECT_EQ(Describe(f).grid.origin[0], -19.0);
  f.qformCode = 0; // method 1: RAS, only spacings
  const NiftiGrid grid = Describe(f).grid;
  EXPECT_EQ(grid.origin, (std::array<double, 3>{ 0, 0, 0 }));
  EXPECT_EQ(grid.spacing, (std::array<double, 3>{ 2, 3, 4 }));
  EXPECT_EQ(grid.direction[0][0], -1.0);
  EXPECT_EQ(grid.direction[1][1], -1.0);
  EXPECT_EQ(grid.direction[2][2], 1.0);
}

TEST(NiftiHeader, InvalidQformNextToSform)
{
  Fields f = Plain();
  f.qformCode = 1;
  f.quatern = { 0, nan, 0 };
  const NiftiDescription found = Describe(f);
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_NE(found.warnings[0].find("quatern_c is nan"), std::string::npos) << found.warnings[0];
}

TEST(NiftiHeader, SignOfPixdimIsIgnored)
{
  Fields f = Plain();
  f.sformCode = 0;
  for (const int qform : { 0, 1 })
  {
    f.qformCode = qform;
    f.pixdim = { { 1, 2, 3, 4, 0, 0, 0, 0 } };
    const NiftiGrid plain = Describe(f).grid;
    f.pixdim = { { 1, -2, -3, -4, 0, 0, 0, 0 } };
    const NiftiGrid found = Describe(f).grid;
    EXPECT_EQ(found.spacing, plain.spacing);
    EXPECT_EQ(found.direction, plain.direction);
    EXPECT_EQ(found.origin, plain.origin);
  }
}

TEST(NiftiHeader, UnitsAreOfSpacingAndOrigin)
{
  Fields f = Plain();
  for (const auto & [code, unit] : { std::pair(0, 1.0), std::pair(1, 1000.0), std::pair(2, 1.0), std::pair(3, 0.001) })
  {
    for (const bool isSform : { true, false })
    {
      f.xyztUnits = code;
      f.sformCode = isSform ? 1 : 0;
      f.qformCode = 1;
      f.quatern = { 0, 1, 0 };
      f.pixdim[0] = -1;
      f.qoffset = { 10, 20, 30 };
      const NiftiGrid grid = Describe(f).grid;
      EXPECT_DOUBLE_EQ(grid.spacing[1], 3.0 * unit);
      EXPECT_DOUBLE_EQ(grid.origin[2], 30.0 * unit);
    }
  }
  f.xyztUnits = 5;
  EXPECT_NE(Describe(f).warnings.at(0).find("unit of length 5"), std::string::npos);
}

TEST(NiftiHeader, UnitsOfTime)
{
  Fields f = Plain();
  f.dim = { { 4, 5, 6, 7, 9, 1, 1, 1 } };
  f.version = 2;
  f.magic = NiftiReference::SecondMagic();
  f.voxOffset = 544;
  f.pixdim[4] = -2000;
  f.toffset = 500;
  f.sliceDuration = 50;
  for (const auto & [code, unit, kept] : { std::tuple(8, 1.0, 8),
                                           std::tuple(16, 1e-3, 8),
                                           std::tuple(24, 1e-6, 8),
                                           std::tuple(0, 1.0, 0),
                                           std::tuple(32, 1.0, 32),
                                           std::tuple(56, 1.0, 0) })
  {
    f.xyztUnits = 2 | code;
    const NiftiFields fields = Describe(f).fields;
    EXPECT_DOUBLE_EQ(fields.volumeSpacing, 2000 * unit);
    EXPECT_DOUBLE_EQ(fields.volumeOrigin, 500 * unit);
    EXPECT_DOUBLE_EQ(fields.sliceDuration, 50 * unit);
    EXPECT_EQ(fields.volumeUnit, kept);
  }
  f.pixdim[4] = nan;
  EXPECT_EQ(Describe(f).fields.volumeSpacing, 0.0);
}

TEST(NiftiHeader, ScalingOfEveryType)
{
  for (const bool isSecond : { false, true })
  {
    for (const int datatype : { 2, 4, 8, 16, 64, 256, 512, 768, 1024, 1280, 32, 1792 })
    {
      Fields f = Plain();
      f.version = isSecond ? 2 : 1;
      f.magic = isSecond ? NiftiReference::SecondMagic() : "n+1";
      f.voxOffset = isSecond ? 544 : 352;
      f.datatype = datatype;
      f.bitpix = NiftiReference::BitsOf(datatype)->first;
      f.slope = 0.5;
      f.intercept = -3;
      const NiftiDescription scaled = Describe(f);
      EXPECT_TRUE(scaled.isScaled);
      EXPECT_EQ(scaled.type,
                datatype == 8 || datatype == 768 || datatype == 1024 || datatype == 1280 || datatype == 64 ||
                    datatype == 1792
                  ? ScalarType::Float64
                  : ScalarType::Float32);
      for (const double slope : { 0.0, nan, infinity, -infinity })
      {
        f.slope = slope;
        const NiftiDescription found = Describe(f);
        EXPECT_FALSE(found.isScaled);
        EXPECT_EQ(found.type, found.storedType);
        EXPECT_EQ(found.warnings.size(), std::isfinite(slope) ? 0U : 1U);
      }
      f.slope = 1;
      f.intercept = 0;
      EXPECT_FALSE(Describe(f).isScaled);
      f.intercept = nan;
      EXPECT_NE(MessageOf(f).find("scl_inter is nan"), std::string::npos);
    }
  }
}

TEST(NiftiHeader, ColoursAreNotScaled)
{
  Fields f = Plain();
  f.slope = 2;
  f.datatype = 128;
  f.bitpix = 24;
  EXPECT_FALSE(Describe(f).isScaled);
  EXPECT_EQ(Describe(f).components, 3U);
  EXPECT_EQ(Describe(f).pixel, NiftiPixel::Rgb);
  f.datatype = 2304;
  f.bitpix = 32;
  EXPECT_FALSE(Describe(f).isScaled);
  EXPECT_EQ(Describe(f).pixel, NiftiPixel::Rgba);
  EXPECT_EQ(Describe(f).components, 4U);
}

TEST(NiftiHeader, Dimensions)
{
  Fields f = Plain();
  f.dim = { { 2, 5, 6, 77, 88, 99, 1, 1 } }; // sizes above dim[0] have no meaning
  NiftiDescription found = Describe(f);
  EXPECT_EQ(found.grid.dimension, 2U);
  EXPECT_EQ(found.grid.size, (std::array<std::uint64_t, 3>{ 5, 6, 1 }));
  EXPECT_EQ(found.grid.origin[2], 30.0); // position and thickness of the slice
  EXPECT_EQ(found.grid.spacing[2], 4.0);
  EXPECT_EQ(found.volumes, 1U);
  // A plane that is not parallel to x and y is a slice in space.
  f.srow = { { { 0, 0, 4, 10 }, { 2, 0, 0, 20 }, { 0, 3, 0, 30 } } };
  EXPECT_EQ(Describe(f).grid.dimension, 3U);
  f = Plain();
  f.dim[0] = 1;
  EXPECT_EQ(Describe(f).grid.size, (std::array<std::uint64_t, 3>{ 5, 1, 1 }));
  f.dim = { { 4, 5, 6, 7, 3, 1, 1, 1 } };
  EXPECT_EQ(Describe(f).volumes, 3U);
  f.dim = { { 5, 5, 6, 7, 3, 2, 1, 1 } };
  found = Describe(f);
  EXPECT_EQ(found.volumes, 3U);
  EXPECT_EQ(found.components, 2U);
  EXPECT_TRUE(found.arePlanes);
  f.dim = { { 7, 5, 6, 7, 1, 1, 1, 1 } };
  EXPECT_EQ(Describe(f).components, 1U);
  f.dim = { { 7, 5, 6, 7, 1, 1, 2, 1 } };
  EXPECT_NE(MessageOf(f).find("7 dimensions (5 x 6 x 7 x 1 x 1 x 2 x 1)"), std::string::npos) << MessageOf(f);
  f.dim = { { 8, 5, 6, 7, 1, 1, 1, 1 } };
  EXPECT_NE(MessageOf(f).find("dim[0] (the number of dimensions) is 8"), std::string::npos);
  f.dim = { { 3, 5, 0, 7, 1, 1, 1, 1 } };
  EXPECT_NE(MessageOf(f).find("dim[2] is 0"), std::string::npos);
}

TEST(NiftiHeader, PixelsAreNotInTheHeader)
{
  Fields f = Plain();
  for (const double offset : { 1.0, 100.0, 347.0, -1.0, nan, infinity, 352.5 })
  {
    f.voxOffset = offset;
    EXPECT_NE(MessageOf(f).find("vox_offset"), std::string::npos) << offset;
  }
  f.voxOffset = 0;
  EXPECT_EQ(Describe(f).pixelOffset, 352U);
  EXPECT_EQ(Describe(f).warnings.size(), 1U);
  f.voxOffset = 1024;
  EXPECT_EQ(Describe(f).pixelOffset, 1024U);
  f.magic = "ni1";
  f.voxOffset = 0;
  EXPECT_EQ(Describe(f).pixelOffset, 0U);
  EXPECT_TRUE(Describe(f).warnings.empty());
}

TEST(NiftiHeader, Shears)
{
  Fields f = Plain();
  f.srow[0][1] = 3 * std::tan(0.3 / 57.29577951308232);
  NiftiDescription found = Describe(f);
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_NE(found.warnings[0].find("sform is sheared by 0.3 degrees"), std::string::npos) << found.warnings[0];
  double dot = 0.0;
  for (std::size_t i = 0; i < 3; ++i)
  {
    dot += found.grid.direction[i][0] * found.grid.direction[i][1];
  }
  EXPECT_NEAR(dot, 0.0, 1e-15);
  EXPECT_NEAR(std::asin(std::abs(found.grid.direction[1][0])), 0.15 / 57.29577951308232, 1e-6); // half of it each
  f.srow[0][1] = 0.1;
  EXPECT_NE(MessageOf(f).find("sheared by 1.90915 degrees; at most 0.5"), std::string::npos) << MessageOf(f);
  // A rotation with three digits: no warning.
  const double c = std::round(std::cos(20 / 57.29577951308232) * 1000) / 1000;
  const double s = std::round(std::sin(20 / 57.29577951308232) * 1000) / 1000;
  f.srow = { { { c, -s, 0, 0 }, { s, c, 0, 0 }, { 0, 0, 1, 0 } } };
  EXPECT_TRUE(Describe(f).warnings.empty());
}

TEST(NiftiHeader, WhatIsRefused)
{
  Fields f = Plain();
  for (const auto & [datatype, name] :
       { std::pair(1, "binary"), std::pair(1536, "float128"), std::pair(2048, "complex256") })
  {
    f.datatype = datatype;
    EXPECT_NE(MessageOf(f).find(name), std::string::npos);
  }
  f = Plain();
  f.magic = "";
  EXPECT_NE(MessageOf(f).find("Analyze 7.5"), std::string::npos);
  f.magic = "n+3";
  EXPECT_NE(MessageOf(f).find("magic"), std::string::npos);
  f = Plain();
  f.version = 2;
  f.magic = std::string("n+2\0\n\032\n", 7); // its carriage return was removed as a line end
  EXPECT_NE(MessageOf(f).find("binary mode"), std::string::npos) << MessageOf(f);
  f = Plain();
  f.srow[1][2] = infinity;
  EXPECT_NE(MessageOf(f).find("srow_y[2] is inf"), std::string::npos) << MessageOf(f);
  f = Plain();
  f.srow[2] = { 0, 0, 0, 0 };
  EXPECT_NE(MessageOf(f).find("sform"), std::string::npos);
  f.sformCode = 0;
  f.pixdim[2] = 0;
  EXPECT_NE(MessageOf(f).find("pixdim[2]"), std::string::npos);
  f = Plain();
  f.sformCode = 0;
  f.qformCode = 1;
  f.quatern = { 1, 1, 0 };
  EXPECT_NE(MessageOf(f).find("sum of their squares is 2"), std::string::npos) << MessageOf(f);
  EXPECT_THROW(DescribeNifti("abc", 3), std::invalid_argument);
  const std::string bytes = Pack(Plain());
  EXPECT_THROW(DescribeNifti(bytes.data(), 347), std::invalid_argument);
}

TEST(NiftiHeader, IntentsOfSeveralNumbers)
{
  Fields f = Plain();
  f.dim = { { 5, 5, 6, 7, 1, 3, 1, 1 } };
  for (const auto & [intent, pixel] : { std::pair(0, NiftiPixel::Vector),
                                        std::pair(1007, NiftiPixel::Vector),
                                        std::pair(1006, NiftiPixel::Displacement),
                                        std::pair(2003, NiftiPixel::Rgb) })
  {
    f.intentCode = intent;
    EXPECT_EQ(Describe(f).pixel, pixel);
  }
  f.intentCode = 1005;
  EXPECT_EQ(Describe(f).pixel, NiftiPixel::SymmetricMatrix);
  f.intentP[0] = 3;
  EXPECT_NE(MessageOf(f).find("intent_p1 is 3"), std::string::npos);
  f.dim[5] = 6;
  EXPECT_EQ(Describe(f).pixel, NiftiPixel::SymmetricMatrix);
  f.intentCode = 1006;
  EXPECT_NE(MessageOf(f).find("1006"), std::string::npos);
}

TEST(NiftiHeader, FieldsSurvive)
{
  for (const int version : { 1, 2 })
  {
    NiftiDescription wanted;
    wanted.version = version;
    wanted.grid.size = { 4, 5, 6 };
    wanted.fields.qformCode = 1;
    wanted.fields.sformCode = 4;
    wanted.fields.intentCode = 3;
    wanted.fields.intentParameters = { 12, 0.5, 0 };
    wanted.fields.intentName = "t statistic";
    wanted.fields.calMin = -2;
    wanted.fields.calMax = 8;
    wanted.fields.description = std::string(80, 'd'); // fills the field
    wanted.fields.auxFile = "other.txt";
    wanted.fields.dimInfo = 0x39;
    wanted.fields.sliceCode = 3;
    wanted.fields.sliceStart = 1;
    wanted.fields.sliceEnd = 5;
    wanted.fields.sliceDuration = 0.0625;
    wanted.fields.volumeSpacing = 2.5;
    wanted.fields.volumeOrigin = 0.75;
    const NiftiFields fields = wanted.fields;
    const std::string bytes = MakeNiftiHeader(wanted);
    const NiftiFields found = DescribeNifti(bytes.data(), bytes.size()).fields;
    EXPECT_EQ(found.qformCode, fields.qformCode);
    EXPECT_EQ(found.sformCode, fields.sformCode);
    EXPECT_EQ(found.intentCode, fields.intentCode);
    EXPECT_EQ(found.intentParameters, fields.intentParameters);
    EXPECT_EQ(found.intentName, fields.intentName);
    EXPECT_EQ(found.calMin, fields.calMin);
    EXPECT_EQ(found.calMax, fields.calMax);
    EXPECT_EQ(found.description, fields.description);
    EXPECT_EQ(found.auxFile, fields.auxFile);
    EXPECT_EQ(found.dimInfo, fields.dimInfo);
    EXPECT_EQ(found.sliceCode, fields.sliceCode);
    EXPECT_EQ(found.sliceStart, fields.sliceStart);
    EXPECT_EQ(found.sliceEnd, fields.sliceEnd);
    EXPECT_EQ(found.sliceDuration, fields.sliceDuration);
    EXPECT_EQ(found.volumeSpacing, fields.volumeSpacing);
    EXPECT_EQ(found.volumeOrigin, fields.volumeOrigin);
    EXPECT_EQ(found.volumeUnit, 8);
  }
}

TEST(NiftiHeader, LargeImagesAreOfTheSecondVersion)
{
  NiftiDescription wanted;
  wanted.grid.size = { 32767, 2, 2 };
  MakeNiftiHeader(wanted);
  EXPECT_EQ(wanted.version, 1);
  wanted.grid.size = { 32768, 2, 2 };
  const std::string bytes = MakeNiftiHeader(wanted);
  EXPECT_EQ(wanted.version, 2);
  EXPECT_EQ(DescribeNifti(bytes.data(), bytes.size()).grid.size[0], 32768U);
}

TEST(NiftiHeader, WarpsOfOtherPrograms)
{
  Fields f = Plain();
  f.intentCode = 2006;
  std::string bytes = Pack(f);
  EXPECT_NE(GetForeignWarpReason(bytes.data(), bytes.size()).find("FSL"), std::string::npos);
  for (const auto & [name, program] : { std::pair("Mapping", "SPM"), std::pair("NREG_TRANS", "NiftyReg") })
  {
    f = Plain();
    f.intentName = name;
    for (const int intent : { 1007, 1001 })
    {
      f.intentCode = intent;
      bytes = Pack(f);
      EXPECT_EQ(GetForeignWarpReason(bytes.data(), bytes.size()).find(program) != std::string::npos, intent == 1007);
    }
  }
  for (const bool isSwapped : { false, true })
  {
    f = Plain();
    f.isSwapped = isSwapped;
    bytes = Pack(f);
    EXPECT_EQ(GetForeignWarpReason(bytes.data(), bytes.size()), "");
    NiftiReference::Packer extensions(36, isSwapped);
    extensions.Put<char>(0, 1);
    extensions.Put<std::int32_t>(4, 16);
    extensions.Put<std::int32_t>(8, 6); // a comment
    extensions.Put<std::int32_t>(20, 16);
    extensions.Put<std::int32_t>(24, 4); // AFNI's attributes
    bytes += extensions.Take();
    EXPECT_NE(GetForeignWarpReason(bytes.data(), bytes.size()).find("AFNI"), std::string::npos);
  }
}

/** Stored numbers of every type, in both byte orders, with and without a slope. */
template <typename T>
void
CheckNumbers(int datatype)
{
  const std::vector<T> stored{ static_cast<T>(0),
                               static_cast<T>(1),
                               static_cast<T>(100),
                               std::numeric_limits<T>::lowest(),
                               std::numeric_limits<T>::max() };
  for (const bool isSwapped : { false, true })
  {
    for (const double slope : { 1.0, 0.5 })
    {
      Fields f = Plain();
      f.isSwapped = isSwapped;
      f.datatype = datatype;
      f.bitpix = 8 * sizeof(T);
      f.slope = slope;
      f.intercept = slope == 1.0 ? 0.0 : -3.0;
      const NiftiDescription description = Describe(f);
      NiftiReference::Packer packer(stored.size() * sizeof(T), isSwapped);
      for (std::size_t index = 0; index < stored.size(); ++index)
      {
        packer.Put<T>(index * sizeof(T), stored[index]);
      }
      const std::string   bytes = packer.Take();
      std::vector<double> buffer(2 * stored.size());
      ConvertNiftiNumbers(description, 0, bytes.data(), stored.size(), buffer.data(), 2);
      for (std::size_t index = 0; index < stored.size(); ++index)
      {
        const auto * const at = reinterpret_cast<const char *>(buffer.data());
        const double       wanted = static_cast<double>(stored[index]) * slope + f.intercept;
        if (description.type == ScalarType::Float32)
        {
          EXPECT_EQ(reinterpret_cast<const float *>(at)[2 * index], static_cast<float>(wanted));
        }
        else if (description.type == ScalarType::Float64)
        {
          EXPECT_EQ(reinterpret_cast<const double *>(at)[2 * index], wanted);
        }
        else
        {
          EXPECT_EQ(reinterpret_cast<const T *>(at)[2 * index], stored[index]);
        }
      }
    }
  }
}

TEST(NiftiPixels, NumbersOfEveryType)
{
  CheckNumbers<std::uint8_t>(2);
  CheckNumbers<std::int8_t>(256);
  CheckNumbers<std::uint16_t>(512);
  CheckNumbers<std::int16_t>(4);
  CheckNumbers<std::uint32_t>(768);
  CheckNumbers<std::int32_t>(8);
  CheckNumbers<std::uint64_t>(1280);
  CheckNumbers<std::int64_t>(1024);
  CheckNumbers<float>(16);
  CheckNumbers<double>(64);
}

/** Integers are float64 if float32 does not represent all of their scaled numbers; other numbers out of range are
 * refused. */
TEST(NiftiPixels, ScaledNumbersOutOfRange)
{
  Fields f = Plain();
  f.slope = 3e37;
  for (const int datatype : { 2, 256, 4, 512 })
  {
    f.datatype = datatype;
    f.bitpix = NiftiReference::BitsOf(datatype)->first;
    EXPECT_EQ(Describe(f).type, ScalarType::Float64) << datatype;
  }
  const std::int16_t stored = -32768;
  double             number = 0.0;
  f.datatype = 4;
  f.bitpix = 16;
  ConvertNiftiNumbers(Describe(f), 0, &stored, 1, &number);
  EXPECT_EQ(number, -32768.0 * static_cast<double>(3e37F));

  f.datatype = 16;
  f.bitpix = 32;
  std::vector<float> found(3);
  const float        valid[]{ INFINITY, 11.0F, NAN };
  ConvertNiftiNumbers(Describe(f), 0, valid, 3, found.data());
  EXPECT_EQ(found[0], INFINITY);
  EXPECT_EQ(found[1], static_cast<float>(11.0 * static_cast<double>(3e37F)));
  EXPECT_TRUE(std::isnan(found[2]));
  const float invalid[]{ 0.0F, -12.0F, 0.0F };
  EXPECT_THROW(ConvertNiftiNumbers(Describe(f), 0, invalid, 3, found.data()), std::invalid_argument);
}

TEST(NiftiPixels, WhatIsNotFiniteStays)
{
  Fields                   f = Plain();
  const std::vector<float> stored{ NAN, INFINITY, -INFINITY, -0.0F };
  std::vector<float>       found(4);
  ConvertNiftiNumbers(Describe(f), 0, stored.data(), 4, found.data());
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_EQ(found[1], INFINITY);
  EXPECT_EQ(found[2], -INFINITY);
  EXPECT_TRUE(std::signbit(found[3]));
}

/** Written files are read again: series of every kind of pixel, in pieces of any length. */
TEST(NiftiPixels, FilesOfSeries)
{
  Random random(__LINE__);
  for (const auto & [pixel, components, type] : { std::tuple(NiftiPixel::Scalar, 1U, ScalarType::Int16),
                                                  std::tuple(NiftiPixel::Vector, 3U, ScalarType::Float32),
                                                  std::tuple(NiftiPixel::Vector, 5U, ScalarType::UInt8),
                                                  std::tuple(NiftiPixel::Displacement, 3U, ScalarType::Float64),
                                                  std::tuple(NiftiPixel::Displacement, 2U, ScalarType::Int16),
                                                  std::tuple(NiftiPixel::SymmetricMatrix, 6U, ScalarType::Float32),
                                                  std::tuple(NiftiPixel::Rgb, 3U, ScalarType::UInt8),
                                                  std::tuple(NiftiPixel::Rgb, 3U, ScalarType::UInt16),
                                                  std::tuple(NiftiPixel::Rgba, 4U, ScalarType::UInt8),
                                                  std::tuple(NiftiPixel::Complex, 2U, ScalarType::Float32) })
  {
    NiftiDescription wanted;
    wanted.pixel = pixel;
    wanted.components = components;
    wanted.type = type;
    wanted.grid.size = { 3, 4, 2 };
    wanted.volumes = 3;
    const std::size_t numbers = 24 * 3 * components;
    std::vector<char> memory(numbers * SizeOf(type));
    for (char & byte : memory)
    {
      byte = static_cast<char>(random.Integer(0, 100)); // no byte pattern of NaN
    }
    const NiftiFileBytes file(wanted, memory.data());
    std::string          bytes(file.GetSize(), '?');
    for (std::size_t begin = 0; begin < bytes.size();)
    {
      const auto count = std::min<std::size_t>(static_cast<std::size_t>(random.Integer(1, 50)), bytes.size() - begin);
      file.Read(begin, count, bytes.data() + begin);
      begin += count;
    }
    const NiftiFileBytes streamed(wanted, [&memory](std::uint64_t begin, std::size_t count, char * to) {
      std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(begin), count, to);
    });
    std::string          same(bytes.size(), '?');
    streamed.Read(0, same.size(), same.data());
    EXPECT_EQ(bytes, same);
    const NiftiDescription found = DescribeNifti(bytes.data(), bytes.size());
    ASSERT_EQ(found.components, components);
    ASSERT_EQ(found.pixelOffset + found.GetStoredBytes(), bytes.size());
    std::vector<char> again(memory.size());
    const std::size_t pixelBytes = SizeOf(type) * components;
    for (std::uint64_t volume = 0; volume < 3; ++volume)
    {
      char * const base = again.data() + volume * 24 * pixelBytes;
      for (std::uint32_t index = 0; index < GetNumberOfNiftiPlanes(found); ++index)
      {
        const NiftiPlane plane = GetNiftiPlane(found, volume, index);
        ConvertNiftiNumbers(found,
                            plane.component,
                            bytes.data() + plane.offset,
                            static_cast<std::size_t>(plane.count),
                            base + plane.component * SizeOf(type),
                            found.arePlanes ? components : 1);
      }
    }
    EXPECT_EQ(memory, again) << components;
  }
}

/** In the file a tensor has xx yx yy zx zy zz, and displacements are along RAS. */
TEST(NiftiPixels, OrderAndAxesInTheFile)
{
  NiftiDescription tensor;
  tensor.pixel = NiftiPixel::SymmetricMatrix;
  tensor.components = 6;
  const std::array<float, 6> upper{ 11, 12, 13, 22, 23, 33 };
  std::array<float, 6>       stored{};
  NiftiFileBytes             file(tensor, upper.data());
  file.Read(352, sizeof(stored), reinterpret_cast<char *>(stored.data()));
  EXPECT_EQ(stored, (std::array<float, 6>{ 11, 12, 22, 13, 23, 33 }));
  NiftiDescription field;
  field.pixel = NiftiPixel::Displacement;
  field.components = 3;
  const std::array<float, 3> lps{ 1, 2, 3 };
  std::array<float, 3>       ras{};
  NiftiFileBytes(field, lps.data()).Read(352, sizeof(ras), reinterpret_cast<char *>(ras.data()));
  EXPECT_EQ(ras, (std::array<float, 3>{ -1, -2, 3 }));
}

} // namespace
