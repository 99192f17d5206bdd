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
#include "itkCudaSpline/files/NiftiPixels.h"

#include "itkCudaSpline/files/NiftiHeader.h"

#include "files/NiftiGeometry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

/** Returns the component in memory for a plane of the file, or vice versa. */
std::uint32_t
PermuteComponent(const NiftiDescription & description, std::uint32_t index)
{
  // xx yx yy zx zy zz in the file, xx xy xz yy yz zz in memory: two of them are exchanged.
  if (description.pixel == NiftiPixel::SymmetricMatrix && description.components == 6 && (index == 2 || index == 3))
  {
    return 5 - index;
  }
  return index;
}

/** Returns whether numbers of a component have the opposite sign in memory: RAS and LPS differ in the first two axes.
 */
bool
HasOppositeSign(const NiftiDescription & description, std::uint32_t component)
{
  return description.pixel == NiftiPixel::Displacement && component < 2;
}

template <std::size_t VBytes>
void
CopyNumbers(const char * from,
            std::size_t  fromStride,
            bool         isSwapped,
            std::size_t  count,
            char *       to,
            std::size_t  toStride)
{
  for (std::size_t number = 0; number < count; ++number)
  {
    std::array<char, VBytes> bytes;
    std::memcpy(bytes.data(), from + number * fromStride, VBytes);
    if (isSwapped)
    {
      std::reverse(bytes.begin(), bytes.end());
    }
    std::memcpy(to + number * toStride, bytes.data(), VBytes);
  }
}

/** Copies numbers with given distances in bytes. */
void
CopyNumbers(std::size_t  numberBytes,
            const char * from,
            std::size_t  fromStride,
            bool         isSwapped,
            std::size_t  count,
            char *       to,
            std::size_t  toStride)
{
  switch (numberBytes)
  {
    case 1:
      CopyNumbers<1>(from, fromStride, false, count, to, toStride);
      return;
    case 2:
      CopyNumbers<2>(from, fromStride, isSwapped, count, to, toStride);
      return;
    case 4:
      CopyNumbers<4>(from, fromStride, isSwapped, count, to, toStride);
      return;
    default:
      CopyNumbers<8>(from, fromStride, isSwapped, count, to, toStride);
  }
}

/** Changes the sign of real numbers by their highest bit. They may be zero, infinite or NaN.
 *
 * \param[in] stride in bytes */
void
ChangeSigns(std::size_t numberBytes, std::size_t count, char * numbers, std::size_t stride)
{
  for (std::size_t number = 0; number < count; ++number, numbers += stride)
  {
    if (numberBytes == 4)
    {
      float value;
      std::memcpy(&value, numbers, sizeof(value));
      value = -value;
      std::memcpy(numbers, &value, sizeof(value));
    }
    else
    {
      double value;
      std::memcpy(&value, numbers, sizeof(value));
      value = -value;
      std::memcpy(numbers, &value, sizeof(value));
    }
  }
}

/** \return whether the type of the image represents all numbers */
template <typename TStored, typename TNumber>
bool
ScaleNumbers(const char * stored,
             bool         isSwapped,
             double       slope,
             double       intercept,
             std::size_t  count,
             char *       to,
             std::size_t  stride)
{
  bool isInRange = true;
  for (std::size_t number = 0; number < count; ++number)
  {
    TStored value;
    CopyNumbers<sizeof(TStored)>(
      stored + number * sizeof(TStored), 0, isSwapped, 1, reinterpret_cast<char *>(&value), 0);
    const auto result = static_cast<TNumber>(static_cast<double>(value) * slope + intercept);
    isInRange &= !std::isinf(result) || std::isinf(static_cast<double>(value));
    std::memcpy(to + number * stride, &result, sizeof(result));
  }
  return isInRange;
}

template <typename TStored, typename... TArguments>
bool
ScaleStored(ScalarType type, TArguments... arguments)
{
  return type == ScalarType::Float32 ? ScaleNumbers<TStored, float>(arguments...)
                                     : ScaleNumbers<TStored, double>(arguments...);
}

template <typename... TArguments>
bool
ScaleNumbers(ScalarType storedType, TArguments... arguments)
{
  switch (storedType)
  {
    case ScalarType::UInt8:
      return ScaleStored<std::uint8_t>(arguments...);
    case ScalarType::Int8:
      return ScaleStored<std::int8_t>(arguments...);
    case ScalarType::UInt16:
      return ScaleStored<std::uint16_t>(arguments...);
    case ScalarType::Int16:
      return ScaleStored<std::int16_t>(arguments...);
    case ScalarType::UInt32:
      return ScaleStored<std::uint32_t>(arguments...);
    case ScalarType::Int32:
      return ScaleStored<std::int32_t>(arguments...);
    case ScalarType::UInt64:
      return ScaleStored<std::uint64_t>(arguments...);
    case ScalarType::Int64:
      return ScaleStored<std::int64_t>(arguments...);
    case ScalarType::Float32:
      return ScaleStored<float>(arguments...);
    case ScalarType::Float64:
      return ScaleStored<double>(arguments...);
  }
  return true;
}

} // namespace

std::uint32_t
GetNumberOfNiftiPlanes(const NiftiDescription & description)
{
  return description.arePlanes ? description.components : 1;
}

NiftiPlane
GetNiftiPlane(const NiftiDescription & description, std::uint64_t volume, std::uint32_t index)
{
  NiftiPlane plane;
  plane.count = description.GetNumberOfVoxels() * (description.arePlanes ? 1 : description.components);
  plane.offset =
    description.pixelOffset + (index * description.volumes + volume) * plane.count * SizeOf(description.storedType);
  plane.component = description.arePlanes ? PermuteComponent(description, index) : 0;
  return plane;
}

ScalarType
GetScaledNiftiType(const NiftiDescription & description)
{
  if (description.storedType == ScalarType::Float32 || description.storedType == ScalarType::Float64)
  {
    return description.storedType;
  }
  constexpr double maxShort = 65536.0;
  const double     maximum = std::abs(description.slope) * maxShort + std::abs(description.intercept);
  const bool       isSingle = SizeOf(description.storedType) <= 2 && maximum <= std::numeric_limits<float>::max();
  return isSingle ? ScalarType::Float32 : ScalarType::Float64;
}

bool
NeedsNiftiConversion(const NiftiDescription & description, std::uint32_t component)
{
  return description.isScaled || (description.isSwapped && SizeOf(description.storedType) > 1) ||
         HasOppositeSign(description, component);
}

void
ConvertNiftiNumbers(const NiftiDescription & description,
                    std::uint32_t            component,
                    const void *             stored,
                    std::size_t              count,
                    void *                   numbers,
                    std::size_t              stride)
{
  const auto * const from = static_cast<const char *>(stored);
  auto * const       to = static_cast<char *>(numbers);
  const bool         isOpposite = HasOppositeSign(description, component);
  const std::size_t  bytes = SizeOf(description.type);
  if (description.isScaled)
  {
    const double sign = isOpposite ? -1.0 : 1.0;
    const bool   isInRange = ScaleNumbers(description.storedType,
                                        description.type,
                                        from,
                                        description.isSwapped,
                                        sign * description.slope,
                                        sign * description.intercept,
                                        count,
                                        to,
                                        stride * bytes);
    if (!isInRange)
    {
      throw std::invalid_argument("scl_slope is " + NumberText(description.slope) + " and scl_inter is " +
                                  NumberText(description.intercept) + ": scaled voxels are outside the range of float" +
                                  std::to_string(8 * bytes));
    }
    return;
  }
  if (stride == 1 && !NeedsNiftiConversion(description, component))
  {
    std::memmove(to, from, count * bytes);
    return;
  }
  CopyNumbers(bytes, from, bytes, description.isSwapped, count, to, stride * bytes);
  if (isOpposite)
  {
    ChangeSigns(bytes, count, to, stride * bytes);
  }
}

NiftiFileBytes::NiftiFileBytes(const NiftiDescription & description, const void * pixels)
  : m_Description(description)
  , m_Header(MakeNiftiHeader(m_Description))
  , m_Pixels(static_cast<const char *>(pixels))
{}

NiftiFileBytes::NiftiFileBytes(const NiftiDescription & description, ReadPixels read)
  : m_Description(description)
  , m_Header(MakeNiftiHeader(m_Description))
  , m_Read(std::move(read))
{}

std::uint64_t
NiftiFileBytes::GetSize() const
{
  return m_Description.pixelOffset + m_Description.GetStoredBytes();
}

void
NiftiFileBytes::Read(std::uint64_t begin, std::size_t bytes, char * to) const
{
  if (begin < m_Description.pixelOffset) // of a single file, whose header ends there
  {
    const auto ofHeader = std::min<std::size_t>(bytes, static_cast<std::size_t>(m_Description.pixelOffset - begin));
    std::memcpy(to, m_Header.data() + begin, ofHeader);
    begin += ofHeader;
    bytes -= ofHeader;
    to += ofHeader;
  }
  begin -= m_Description.pixelOffset;
  const std::size_t   numberBytes = SizeOf(m_Description.type);
  std::array<char, 8> number;
  while (bytes > 0)
  {
    const auto  first = begin / numberBytes;
    const auto  within = static_cast<std::size_t>(begin % numberBytes);
    std::size_t done = bytes / numberBytes * numberBytes;
    if (within == 0 && done > 0)
    {
      this->ReadNumbers(first, done / numberBytes, to);
    }
    else // the end or the beginning of a number
    {
      done = std::min(bytes, numberBytes - within);
      this->ReadNumbers(first, 1, number.data());
      std::memcpy(to, number.data() + within, done);
    }
    begin += done;
    bytes -= done;
    to += done;
  }
}

void
NiftiFileBytes::ReadNumbers(std::uint64_t first, std::size_t count, char * to) const
{
  const std::size_t bytes = SizeOf(m_Description.type);
  if (!m_Description.arePlanes)
  {
    if (m_Pixels != nullptr)
    {
      std::memcpy(to, m_Pixels + first * bytes, count * bytes);
    }
    else
    {
      m_Read(first * bytes, count * bytes, to);
    }
    return;
  }
  const std::uint64_t   voxels = m_Description.GetNumberOfVoxels();
  const std::size_t     pixelBytes = bytes * m_Description.components;
  constexpr std::size_t piece = 4096; // pixels that are read at once
  std::vector<char>     buffer(m_Pixels == nullptr ? piece * pixelBytes : 0);
  while (count > 0)
  {
    const std::uint64_t plane = first / voxels; // plane of a component and a volume
    const std::uint64_t voxel = first % voxels;
    const std::uint64_t begin = (plane % m_Description.volumes * voxels + voxel) * pixelBytes;
    const auto          index = static_cast<std::uint32_t>(plane / m_Description.volumes);
    const std::uint32_t component = PermuteComponent(m_Description, index);
    auto                numbers = static_cast<std::size_t>(std::min<std::uint64_t>(count, voxels - voxel));
    const char *        from = buffer.data();
    if (m_Pixels != nullptr)
    {
      from = m_Pixels + begin;
    }
    else
    {
      numbers = std::min(numbers, piece);
      m_Read(begin, numbers * pixelBytes, buffer.data());
    }
    CopyNumbers(bytes, from + component * bytes, pixelBytes, false, numbers, to, bytes);
    if (HasOppositeSign(m_Description, component))
    {
      ChangeSigns(bytes, numbers, to, bytes);
    }
    first += numbers;
    count -= numbers;
    to += numbers * bytes;
  }
}

} // namespace itk::CudaSpline
