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
#ifndef NiftiReference_h
#define NiftiReference_h

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief A second implementation of NIfTI headers as nifti1.h and nifti2.h define them: fields to bytes, and fields to
 * a matrix in double precision. It does not use the library. */

namespace NiftiReference
{

using Matrix3 = std::array<std::array<double, 3>, 3>;
using Affine = std::array<std::array<double, 4>, 3>; ///< rows, RAS

/** Returns the magic of a single file of NIfTI-2. */
inline std::string
SecondMagic(const std::string & begin = "n+2")
{
  return begin + std::string("\0\r\n\032\n", 5);
}

/** The fields of a header that tests set. Numbers are valid for headers of the version. */
struct Fields
{
  int                         version{ 1 };
  bool                        isSwapped{ false };
  std::string                 magic{ "n+1" };
  std::array<std::int64_t, 8> dim{ { 3, 5, 6, 7, 1, 1, 1, 1 } };
  std::array<double, 8>       pixdim{ { 1, 1, 1, 1, 1, 1, 1, 1 } };
  std::array<double, 3>       intentP{};
  int                         intentCode{ 0 };
  int                         datatype{ 16 };
  int                         bitpix{ 32 };
  double                      voxOffset{ 352 };
  double                      slope{ 1 };
  double                      intercept{ 0 };
  double                      calMax{ 0 };
  double                      calMin{ 0 };
  double                      sliceDuration{ 0 };
  double                      toffset{ 0 };
  int                         xyztUnits{ 10 };
  int                         sliceCode{ 0 };
  int                         qformCode{ 0 };
  int                         sformCode{ 0 };
  std::array<double, 3>       quatern{};
  std::array<double, 3>       qoffset{};
  Affine                      srow{ { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
  std::string                 descrip;
  std::string                 intentName;
};

class Packer
{
public:
  Packer(std::size_t size, bool isSwapped)
    : m_Bytes(size, '\0')
    , m_IsSwapped(isSwapped)
  {}

  template <typename T>
  void
  Put(std::size_t offset, T value)
  {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (std::size_t index = 0; index < sizeof(T); ++index)
    {
      m_Bytes[offset + index] = bytes[m_IsSwapped ? sizeof(T) - 1 - index : index];
    }
  }

  void
  Put(std::size_t offset, const std::string & text)
  {
    m_Bytes.replace(offset, text.size(), text);
  }

  std::string
  Take()
  {
    return std::move(m_Bytes);
  }

private:
  std::string m_Bytes;
  bool        m_IsSwapped;
};

/** Returns the bytes of a header. */
inline std::string
Pack(const Fields & f)
{
  if (f.version == 2)
  {
    Packer p(540, f.isSwapped);
    p.Put<std::int32_t>(0, 540);
    p.Put(4, f.magic);
    p.Put(12, static_cast<std::int16_t>(f.datatype));
    p.Put(14, static_cast<std::int16_t>(f.bitpix));
    for (std::size_t i = 0; i < 8; ++i)
    {
      p.Put<std::int64_t>(16 + 8 * i, f.dim[i]);
      p.Put<double>(104 + 8 * i, f.pixdim[i]);
    }
    for (std::size_t i = 0; i < 3; ++i)
    {
      p.Put<double>(80 + 8 * i, f.intentP[i]);
      p.Put<double>(352 + 8 * i, f.quatern[i]);
      p.Put<double>(376 + 8 * i, f.qoffset[i]);
      for (std::size_t j = 0; j < 4; ++j)
      {
        p.Put<double>(400 + 32 * i + 8 * j, f.srow[i][j]);
      }
    }
    p.Put(168, static_cast<std::int64_t>(f.voxOffset));
    p.Put<double>(176, f.slope);
    p.Put<double>(184, f.intercept);
    p.Put<double>(192, f.calMax);
    p.Put<double>(200, f.calMin);
    p.Put<double>(208, f.sliceDuration);
    p.Put<double>(216, f.toffset);
    p.Put(240, f.descrip);
    p.Put<std::int32_t>(344, f.qformCode);
    p.Put<std::int32_t>(348, f.sformCode);
    p.Put<std::int32_t>(496, f.sliceCode);
    p.Put<std::int32_t>(500, f.xyztUnits);
    p.Put<std::int32_t>(504, f.intentCode);
    p.Put(508, f.intentName);
    return p.Take();
  }
  Packer p(348, f.isSwapped);
  p.Put<std::int32_t>(0, 348);
  for (std::size_t i = 0; i < 8; ++i)
  {
    p.Put(40 + 2 * i, static_cast<std::int16_t>(f.dim[i]));
    p.Put(76 + 4 * i, static_cast<float>(f.pixdim[i]));
  }
  for (std::size_t i = 0; i < 3; ++i)
  {
    p.Put(56 + 4 * i, static_cast<float>(f.intentP[i]));
    p.Put(256 + 4 * i, static_cast<float>(f.quatern[i]));
    p.Put(268 + 4 * i, static_cast<float>(f.qoffset[i]));
    for (std::size_t j = 0; j < 4; ++j)
    {
      p.Put(280 + 16 * i + 4 * j, static_cast<float>(f.srow[i][j]));
    }
  }
  p.Put(68, static_cast<std::int16_t>(f.intentCode));
  p.Put(70, static_cast<std::int16_t>(f.datatype));
  p.Put(72, static_cast<std::int16_t>(f.bitpix));
  p.Put(108, static_cast<float>(f.voxOffset));
  p.Put(112, static_cast<float>(f.slope));
  p.Put(116, static_cast<float>(f.intercept));
  p.Put(122, static_cast<char>(f.sliceCode));
  p.Put(123, static_cast<char>(f.xyztUnits));
  p.Put(124, static_cast<float>(f.calMax));
  p.Put(128, static_cast<float>(f.calMin));
  p.Put(132, static_cast<float>(f.sliceDuration));
  p.Put(136, static_cast<float>(f.toffset));
  p.Put(148, f.descrip);
  p.Put(252, static_cast<std::int16_t>(f.qformCode));
  p.Put(254, static_cast<std::int16_t>(f.sformCode));
  p.Put(328, f.intentName);
  p.Put(344, f.magic);
  return p.Take();
}

/** Returns a number after rounding to a field of float32. NIfTI-2's fields represent all numbers. */
inline double
Held(const Fields & f, double number)
{
  return f.version == 2 ? number : static_cast<double>(static_cast<float>(number));
}

/** Returns the bits of a datatype and the numbers of a voxel. Empty for datatypes that cannot be read. */
inline std::optional<std::pair<int, int>>
BitsOf(int datatype)
{
  switch (datatype)
  {
    case 2:
    case 256:
      return std::pair(8, 1);
    case 4:
    case 512:
      return std::pair(16, 1);
    case 8:
    case 16:
    case 768:
      return std::pair(32, 1);
    case 64:
    case 1024:
    case 1280:
      return std::pair(64, 1);
    case 32:
      return std::pair(64, 2);
    case 1792:
      return std::pair(128, 2);
    case 128:
      return std::pair(24, 3);
    case 2304:
      return std::pair(32, 4);
    default:
      return std::nullopt;
  }
}

/** Returns the orthonormal factor of the polar decomposition, M (M^T M)^(-1/2), from the eigenvectors of M^T M
 * (Jacobi). */
inline Matrix3
Orthonormal(const Matrix3 & m)
{
  Matrix3 s{};
  Matrix3 v{ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
  for (int i = 0; i < 3; ++i)
  {
    for (int j = 0; j < 3; ++j)
    {
      for (int k = 0; k < 3; ++k)
      {
        s[i][j] += m[k][i] * m[k][j];
      }
    }
  }
  for (int sweep = 0; sweep < 60; ++sweep)
  {
    for (const auto & [p, q] : { std::pair(0, 1), std::pair(0, 2), std::pair(1, 2) })
    {
      if (s[p][q] == 0.0)
      {
        continue;
      }
      const double angle = 0.5 * std::atan2(2.0 * s[p][q], s[q][q] - s[p][p]);
      const double c = std::cos(angle);
      const double t = std::sin(angle);
      for (int k = 0; k < 3; ++k)
      {
        const double a = s[k][p];
        const double b = s[k][q];
        s[k][p] = c * a - t * b;
        s[k][q] = t * a + c * b;
      }
      for (int k = 0; k < 3; ++k)
      {
        const double a = s[p][k];
        const double b = s[q][k];
        s[p][k] = c * a - t * b;
        s[q][k] = t * a + c * b;
        const double d = v[k][p];
        const double e = v[k][q];
        v[k][p] = c * d - t * e;
        v[k][q] = t * d + c * e;
      }
    }
  }
  Matrix3 root{}; // (M^T M)^(-1/2)
  for (int i = 0; i < 3; ++i)
  {
    for (int j = 0; j < 3; ++j)
    {
      for (int k = 0; k < 3; ++k)
      {
        root[i][j] += v[i][k] * v[j][k] / std::sqrt(s[k][k]);
      }
    }
  }
  Matrix3 result{};
  for (int i = 0; i < 3; ++i)
  {
    for (int j = 0; j < 3; ++j)
    {
      for (int k = 0; k < 3; ++k)
      {
        result[i][j] += m[i][k] * root[k][j];
      }
    }
  }
  return result;
}

/** The expected meaning of a header. */
struct Answer
{
  Affine       affine{}; ///< mm, RAS
  bool         isWarned{ false };
  double       slope{ 1 };
  double       intercept{ 0 };
  unsigned int components{ 1 };
};

/** The rules of doc/FileFormats.md. Empty if a header has to be refused. */
inline std::optional<Answer>
Interpret(const Fields & f)
{
  Answer     answer;
  const auto bits = BitsOf(f.datatype);
  if (!bits || f.dim[0] < 1 || f.dim[0] > 7)
  {
    return std::nullopt;
  }
  std::array<double, 8> size{ { 0, 1, 1, 1, 1, 1, 1, 1 } };
  for (std::int64_t axis = 1; axis <= f.dim[0]; ++axis)
  {
    const auto at = static_cast<std::size_t>(axis);
    size[at] = static_cast<double>(f.dim[at]);
    if (f.dim[at] < 1 || (axis > 5 && f.dim[at] > 1) || (axis == 5 && f.dim[at] > 1024))
    {
      return std::nullopt;
    }
  }
  if (bits->second > 1 && size[5] > 1)
  {
    return std::nullopt;
  }
  const bool isColour = f.datatype == 128 || f.datatype == 2304;
  answer.components = static_cast<unsigned int>(bits->second * size[5]);
  const double slope = Held(f, f.slope);
  if (!isColour && std::isfinite(slope) && slope != 0.0)
  {
    if (!std::isfinite(f.intercept))
    {
      return std::nullopt;
    }
    answer.slope = slope;
    answer.intercept = Held(f, f.intercept);
  }
  const double unit = (f.xyztUnits & 7) == 1 ? 1000.0 : (f.xyztUnits & 7) == 3 ? 0.001 : 1.0;
  const auto   spacing = [&](int axis) -> double {
    const double number = std::abs(Held(f, f.pixdim[static_cast<std::size_t>(axis)]));
    const bool   isValid = std::isfinite(number) && number > 0.0;
    return isValid ? number : size[static_cast<std::size_t>(axis)] > 1.0 ? NAN : 1.0;
  };
  Affine raw{};
  if (f.sformCode > 0)
  {
    for (int i = 0; i < 3; ++i)
    {
      for (int j = 0; j < 4; ++j)
      {
        raw[i][j] = Held(f, f.srow[i][j]);
      }
    }
  }
  else if (f.qformCode > 0)
  {
    const double b = Held(f, f.quatern[0]);
    const double c = Held(f, f.quatern[1]);
    const double d = Held(f, f.quatern[2]);
    const double a2 = 1.0 - (b * b + c * c + d * d);
    if (!(a2 >= -1e-4))
    {
      return std::nullopt;
    }
    const double a = std::sqrt(std::max(0.0, a2));
    const double n = a * a + b * b + c * c + d * d; // 1 except for rounding
    // nifti1.h, METHOD 2
    const double r[3][3] = { { a * a + b * b - c * c - d * d, 2 * b * c - 2 * a * d, 2 * b * d + 2 * a * c },
                             { 2 * b * c + 2 * a * d, a * a + c * c - b * b - d * d, 2 * c * d - 2 * a * b },
                             { 2 * b * d - 2 * a * c, 2 * c * d + 2 * a * b, a * a + d * d - c * c - b * b } };
    for (int i = 0; i < 3; ++i)
    {
      for (int j = 0; j < 3; ++j)
      {
        raw[i][j] = r[i][j] / n * spacing(j + 1) * (j == 2 && f.pixdim[0] < 0.0 ? -1.0 : 1.0);
      }
      raw[i][3] = Held(f, f.qoffset[static_cast<std::size_t>(i)]);
    }
  }
  else
  {
    for (int i = 0; i < 3; ++i)
    {
      raw[i][i] = spacing(i + 1);
    }
  }
  Matrix3               axes{};
  std::array<double, 3> length{};
  for (int j = 0; j < 3; ++j)
  {
    for (int i = 0; i < 3; ++i)
    {
      length[static_cast<std::size_t>(j)] += raw[i][j] * raw[i][j];
    }
    length[static_cast<std::size_t>(j)] = std::sqrt(length[static_cast<std::size_t>(j)]);
    for (int i = 0; i < 3; ++i)
    {
      axes[i][j] = raw[i][j] / length[static_cast<std::size_t>(j)];
      if (!std::isfinite(raw[i][j]) || !std::isfinite(raw[i][3]) || !std::isfinite(axes[i][j]))
      {
        return std::nullopt;
      }
    }
  }
  for (std::size_t j = 0; j < 3; ++j)
  {
    const double spacingMm = length[j] * unit;
    if (!(spacingMm > 1e-15 && spacingMm < 1e15) || !(std::abs(raw[j][3] * unit) < 1e15))
    {
      return std::nullopt;
    }
  }
  double cosine = 0.0;
  for (int j = 0; j < 3; ++j)
  {
    const int    k = (j + 1) % 3;
    const double dot = axes[0][j] * axes[0][k] + axes[1][j] * axes[1][k] + axes[2][j] * axes[2][k];
    cosine = std::max(cosine, std::abs(dot));
  }
  constexpr double pi = 3.14159265358979323846;
  const double     shear = std::asin(std::min(1.0, cosine)) * 180.0 / pi;
  if (shear > 0.5)
  {
    return std::nullopt;
  }
  answer.isWarned = shear > 1.8e-3 * 180.0 / pi;
  if (shear > 1e-5 * 180.0 / pi)
  {
    axes = Orthonormal(axes);
  }
  for (int i = 0; i < 3; ++i)
  {
    for (int j = 0; j < 3; ++j)
    {
      answer.affine[i][j] = axes[i][j] * length[static_cast<std::size_t>(j)] * unit;
    }
    answer.affine[i][3] = raw[i][3] * unit;
  }
  return answer;
}

} // namespace NiftiReference

#endif
