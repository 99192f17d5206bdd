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
#include "files/RawNiftiHeader.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace itk::CudaSpline
{

namespace
{

/** Visits the fields of a header. Offsets and types are those of nifti1.h and nifti2.h. */
template <typename THeader, typename TVisitor>
void
VisitFields(THeader & h, const TVisitor & visit)
{
  using Byte = std::int8_t;
  using Short = std::int16_t;
  using Int = std::int32_t;
  using Long = std::int64_t;
  const auto list = [&visit](std::size_t offset, auto type, auto & values) {
    for (std::size_t index = 0; index < values.size(); ++index)
    {
      visit.Number(offset + index * sizeof(type), type, values[index]);
    }
  };
  visit.Number(0, Int{}, h.sizeofHdr);
  if (h.version == 2)
  {
    visit.Text(4, 4, h.magic);
    visit.Text(8, 4, h.magicEnding);
    visit.Number(12, Short{}, h.datatype);
    visit.Number(14, Short{}, h.bitpix);
    list(16, Long{}, h.dim);
    list(80, double{}, h.intentP);
    list(104, double{}, h.pixdim);
    visit.Number(168, Long{}, h.voxOffset);
    visit.Number(176, double{}, h.sclSlope);
    visit.Number(184, double{}, h.sclInter);
    visit.Number(192, double{}, h.calMax);
    visit.Number(200, double{}, h.calMin);
    visit.Number(208, double{}, h.sliceDuration);
    visit.Number(216, double{}, h.toffset);
    visit.Number(224, Long{}, h.sliceStart);
    visit.Number(232, Long{}, h.sliceEnd);
    visit.Text(240, 80, h.descrip);
    visit.Text(320, 24, h.auxFile);
    visit.Number(344, Int{}, h.qformCode);
    visit.Number(348, Int{}, h.sformCode);
    list(352, double{}, h.quatern);
    list(376, double{}, h.qoffset);
    list(400, double{}, h.srow);
    visit.Number(496, Int{}, h.sliceCode);
    visit.Number(500, Int{}, h.xyztUnits);
    visit.Number(504, Int{}, h.intentCode);
    visit.Text(508, 16, h.intentName);
    visit.Number(524, Byte{}, h.dimInfo);
    return;
  }
  visit.Number(39, Byte{}, h.dimInfo);
  list(40, Short{}, h.dim);
  list(56, float{}, h.intentP);
  visit.Number(68, Short{}, h.intentCode);
  visit.Number(70, Short{}, h.datatype);
  visit.Number(72, Short{}, h.bitpix);
  visit.Number(74, Short{}, h.sliceStart);
  list(76, float{}, h.pixdim);
  visit.Number(108, float{}, h.voxOffset);
  visit.Number(112, float{}, h.sclSlope);
  visit.Number(116, float{}, h.sclInter);
  visit.Number(120, Short{}, h.sliceEnd);
  visit.Number(122, Byte{}, h.sliceCode);
  visit.Number(123, Byte{}, h.xyztUnits);
  visit.Number(124, float{}, h.calMax);
  visit.Number(128, float{}, h.calMin);
  visit.Number(132, float{}, h.sliceDuration);
  visit.Number(136, float{}, h.toffset);
  visit.Text(148, 80, h.descrip);
  visit.Text(228, 24, h.auxFile);
  visit.Number(252, Short{}, h.qformCode);
  visit.Number(254, Short{}, h.sformCode);
  list(256, float{}, h.quatern);
  list(268, float{}, h.qoffset);
  list(280, float{}, h.srow);
  visit.Text(328, 16, h.intentName);
  visit.Text(344, 4, h.magic);
}

class Reader
{
public:
  Reader(const unsigned char * bytes, bool isSwapped)
    : m_Bytes(bytes)
    , m_IsSwapped(isSwapped)
  {}

  template <typename TStored, typename TField>
  void
  Number(std::size_t offset, TStored stored, TField & field) const
  {
    unsigned char bytes[sizeof(TStored)];
    std::memcpy(bytes, m_Bytes + offset, sizeof(TStored));
    if (m_IsSwapped)
    {
      std::reverse(bytes, bytes + sizeof(TStored));
    }
    std::memcpy(&stored, bytes, sizeof(TStored));
    field = static_cast<TField>(stored);
  }

  void
  Text(std::size_t offset, std::size_t bytes, std::string & field) const
  {
    const auto * const begin = reinterpret_cast<const char *>(m_Bytes + offset);
    field.assign(begin, std::find(begin, begin + bytes, '\0'));
  }

private:
  const unsigned char * m_Bytes;
  bool                  m_IsSwapped;
};

class Writer
{
public:
  explicit Writer(std::string & bytes)
    : m_Bytes(bytes)
  {}

  template <typename TStored, typename TField>
  void
  Number(std::size_t offset, TStored, TField field) const
  {
    TStored stored;
    if constexpr (std::is_integral<TStored>::value)
    {
      // If the other version cannot store a value of the input, the field is set to unknown instead of another number.
      const auto wanted = static_cast<std::int64_t>(field);
      const bool isHeld = wanted >= static_cast<std::int64_t>(std::numeric_limits<TStored>::min()) &&
                          wanted <= static_cast<std::int64_t>(std::numeric_limits<TStored>::max());
      stored = isHeld ? static_cast<TStored>(wanted) : TStored{ 0 };
    }
    else
    {
      stored = static_cast<TStored>(field);
    }
    std::memcpy(m_Bytes.data() + offset, &stored, sizeof(TStored));
  }

  void
  Text(std::size_t offset, std::size_t bytes, const std::string & field) const
  {
    field.copy(m_Bytes.data() + offset, bytes);
  }

private:
  std::string & m_Bytes;
};

} // namespace

int
FindNiftiVersion(const void * bytes, std::size_t count, bool & isSwapped)
{
  if (count < sizeof(std::int32_t))
  {
    return 0;
  }
  for (const bool swapped : { false, true })
  {
    std::int32_t size = 0;
    Reader(static_cast<const unsigned char *>(bytes), swapped).Number(0, std::int32_t{}, size);
    for (const int version : { 1, 2 })
    {
      if (size == static_cast<std::int32_t>(SizeOfNiftiHeader(version)))
      {
        isSwapped = swapped;
        return version;
      }
    }
  }
  return 0;
}

RawNiftiHeader
ReadRawNiftiHeader(const void * bytes, std::size_t count)
{
  RawNiftiHeader header;
  header.version = FindNiftiVersion(bytes, count, header.isSwapped);
  if (header.version == 0 && count >= sizeof(std::int32_t))
  {
    std::int32_t size = 0;
    std::memcpy(&size, bytes, sizeof(size));
    throw std::invalid_argument("it has no NIfTI header: sizeof_hdr is " + std::to_string(size) +
                                "; 348 (NIfTI-1) and 540 (NIfTI-2) are allowed");
  }
  if (count < SizeOfNiftiHeader(header.version))
  {
    throw std::invalid_argument("its header is truncated: it has " + std::to_string(count) + " of " +
                                std::to_string(SizeOfNiftiHeader(header.version)) + " bytes");
  }
  VisitFields(header, Reader(static_cast<const unsigned char *>(bytes), header.isSwapped));
  return header;
}

std::string
WriteRawNiftiHeader(const RawNiftiHeader & header)
{
  std::string bytes(SizeOfNiftiHeader(header.version), '\0');
  VisitFields(header, Writer(bytes));
  if (header.version == 1)
  {
    bytes[38] = 'r'; // the field "regular", which readers of Analyze files expect
  }
  return bytes;
}

} // namespace itk::CudaSpline
