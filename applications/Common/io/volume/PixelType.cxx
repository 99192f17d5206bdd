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
#include "io/volume/PixelType.h"

#include "console/Error.h"
#include "console/Names.h"

#include "itkCudaSplineSystem.h"

#include <cmath>
#include <limits>
#include <utility>

namespace CudaSplineProgram
{

namespace
{

using itk::CudaSpline::SizeOf;

/** The types with their names and components. Components of 8 bytes appear under the first of their two names. */
struct Entry
{
  ScalarType           type;
  const char *         name;
  itk::IOComponentEnum component;
};
constexpr Entry entries[] = { { ScalarType::UInt8, "uint8", itk::IOComponentEnum::UCHAR },
                              { ScalarType::Int8, "int8", itk::IOComponentEnum::CHAR },
                              { ScalarType::UInt16, "uint16", itk::IOComponentEnum::USHORT },
                              { ScalarType::Int16, "int16", itk::IOComponentEnum::SHORT },
                              { ScalarType::UInt32, "uint32", itk::IOComponentEnum::UINT },
                              { ScalarType::Int32, "int32", itk::IOComponentEnum::INT },
                              { ScalarType::UInt64, "uint64", itk::IOComponentEnum::ULONGLONG },
                              { ScalarType::Int64, "int64", itk::IOComponentEnum::LONGLONG },
                              { ScalarType::Float32, "float", itk::IOComponentEnum::FLOAT },
                              { ScalarType::Float64, "double", itk::IOComponentEnum::DOUBLE } };

/** The names in NumPy, ANTs and c3d. */
constexpr std::pair<const char *, const char *> otherNames[] = {
  { "float32", "float" }, { "float64", "double" }, { "uchar", "uint8" }, { "char", "int8" },    { "ushort", "uint16" },
  { "short", "int16" },   { "uint", "uint32" },    { "int", "int32" },   { "ulong", "uint64" }, { "long", "int64" }
};

bool
IsSigned(ScalarType type)
{
  return type == ScalarType::Int8 || type == ScalarType::Int16 || type == ScalarType::Int32 ||
         type == ScalarType::Int64;
}

} // namespace

std::string
NameOfPixelType(ScalarType type)
{
  for (const Entry & entry : entries)
  {
    if (entry.type == type)
    {
      return entry.name;
    }
  }
  return {};
}

std::string
PixelTypeNames()
{
  std::string names;
  for (const Entry & entry : entries)
  {
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  return names;
}

ScalarType
ParsePixelType(const std::string & option, const std::string & name)
{
  std::vector<std::string> ours;
  std::vector<std::string> others;
  std::string              word = ToLower(name);
  for (const auto & [other, known] : otherNames)
  {
    others.emplace_back(other);
    word = word == other ? known : word;
  }
  for (const Entry & entry : entries)
  {
    if (word == entry.name)
    {
      return entry.type;
    }
    ours.emplace_back(entry.name);
  }
  throw ProgramError(DescribeUnknownName(option, name, ours, others));
}

std::optional<ScalarType>
PixelTypeOfComponent(itk::IOComponentEnum component)
{
  if (component == itk::IOComponentEnum::LONG)
  {
    return itk::CudaSpline::ScalarTypeOf<long>();
  }
  if (component == itk::IOComponentEnum::ULONG)
  {
    return itk::CudaSpline::ScalarTypeOf<unsigned long>();
  }
  for (const Entry & entry : entries)
  {
    if (entry.component == component)
    {
      return entry.type;
    }
  }
  return std::nullopt;
}

itk::IOComponentEnum
ComponentOfPixelType(ScalarType type)
{
  // More formats support long than long long. If both have 8 bytes, the files are identical.
  if (type == itk::CudaSpline::ScalarTypeOf<long>())
  {
    return sizeof(long) == 8 ? itk::IOComponentEnum::LONG : itk::IOComponentEnum::INT;
  }
  if (type == itk::CudaSpline::ScalarTypeOf<unsigned long>())
  {
    return sizeof(long) == 8 ? itk::IOComponentEnum::ULONG : itk::IOComponentEnum::UINT;
  }
  for (const Entry & entry : entries)
  {
    if (entry.type == type)
    {
      return entry.component;
    }
  }
  return itk::IOComponentEnum::UNKNOWNCOMPONENTTYPE;
}

bool
HoldsAllValues(ScalarType from, ScalarType to)
{
  if (from == to)
  {
    return true;
  }
  if (IsReal(to))
  {
    return IsReal(from) ? SizeOf(from) <= SizeOf(to) : SizeOf(from) < SizeOf(to);
  }
  return !IsReal(from) && SizeOf(from) < SizeOf(to) && (IsSigned(to) || !IsSigned(from));
}

bool
CanHold(ScalarType type, double value)
{
  if (type == ScalarType::Float64)
  {
    return true;
  }
  if (type == ScalarType::Float32)
  {
    return !std::isfinite(value) || std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
  }
  const int    bits = static_cast<int>(8 * SizeOf(type));
  const double low = IsSigned(type) ? -std::ldexp(1.0, bits - 1) : 0.0;
  const double end = std::ldexp(1.0, IsSigned(type) ? bits - 1 : bits); // first value above the range
  return value >= low && value < end && value == std::trunc(value);
}

Volume
CastVolume(const Volume & volume, itk::CudaSpline::StoredType type)
{
  Volume             result = Volume::Allocate(volume.grid, type);
  const std::int64_t count = static_cast<std::int64_t>(volume.grid.GetNumberOfVoxels());
  for (std::int64_t index = 0; index < count; ++index)
  {
    itk::CudaSpline::StoreScalar(
      result.pixels.get(), type, index, itk::CudaSpline::LoadScalar<double>(volume.pixels.get(), volume.type, index));
  }
  return result;
}

} // namespace CudaSplineProgram
