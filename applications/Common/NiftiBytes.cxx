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
#include "NiftiBytes.h"

#include "NiftiFile.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

namespace CudaSplineProgram
{

namespace
{

/** Copies numbers that lie apart. */
template <std::size_t VBytes>
void
Gather(const char * from, std::size_t stride, std::size_t count, char * to)
{
  for (std::size_t number = 0; number < count; ++number)
  {
    std::memcpy(to + VBytes * number, from + stride * number, VBytes);
  }
}

void
Gather(std::size_t numberBytes, const char * from, std::size_t stride, std::size_t count, char * to)
{
  switch (numberBytes)
  {
    case 1:
      Gather<1>(from, stride, count, to);
      return;
    case 2:
      Gather<2>(from, stride, count, to);
      return;
    case 4:
      Gather<4>(from, stride, count, to);
      return;
    default:
      Gather<8>(from, stride, count, to);
  }
}

} // namespace

NiftiBytes::NiftiBytes(const Volume & volume, unsigned int components)
  : m_Volume(volume)
  , m_Components(components)
{}

Volume
NiftiBytes::MakeSample(const Volume & volume, unsigned int components)
{
  Volume sample = volume;
  for (std::size_t & size : sample.grid.size)
  {
    size = std::min<std::size_t>(size, 2);
  }
  const std::size_t numberBytes = itk::CudaSpline::SizeOf(volume.type);
  const std::size_t bytes = sample.GetNumberOfBytes() * components;
  const auto        pixels = std::make_shared<std::vector<char>>(bytes, '\0');
  for (std::size_t number = 0; number < bytes / numberBytes; ++number)
  {
    // A small integer; of real numbers it is one of the least above 0, and no NaN, which may be quieted on the way.
    (*pixels)[numberBytes * number] = static_cast<char>(number % 251 + 1);
    if (numberBytes > 1)
    {
      (*pixels)[numberBytes * number + 1] = static_cast<char>(number / 251 % 100);
    }
  }
  sample.pixels = std::shared_ptr<void>(pixels->data(), [pixels](void *) {});
  return sample;
}

std::optional<NiftiBytes>
NiftiBytes::Learn(const std::string & file, const Volume & sample, const Volume & volume, unsigned int components)
{
  std::ifstream         stream(file, std::ios::binary);
  const std::string     all{ std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>() };
  const std::size_t     bytes = sample.GetNumberOfBytes() * components;
  constexpr std::size_t leastHeader = 348;
  if (all.size() < leastHeader + bytes)
  {
    return std::nullopt;
  }
  NiftiBytes image(volume, components);
  image.m_Header = all.substr(0, all.size() - bytes);
  NiftiBytes like(sample, components);
  like.m_Header = image.m_Header;
  std::string again(all.size(), '\0');
  for (const bool areApart : { false, true })
  {
    like.m_AreApart = areApart;
    image.m_AreApart = areApart;
    like.Read(0, again.size(), again.data());
    if (again == all)
    {
      return SetSizeOfNifti(image.m_Header, volume.grid.size) ? std::optional<NiftiBytes>(image) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::uint64_t
NiftiBytes::GetSize() const
{
  return m_Header.size() + static_cast<std::uint64_t>(m_Volume.GetNumberOfBytes()) * m_Components;
}

void
NiftiBytes::Read(std::uint64_t begin, std::size_t bytes, char * to) const
{
  if (begin < m_Header.size())
  {
    const std::size_t ofHeader = std::min<std::size_t>(bytes, m_Header.size() - static_cast<std::size_t>(begin));
    std::memcpy(to, m_Header.data() + begin, ofHeader);
    begin += ofHeader;
    bytes -= ofHeader;
    to += ofHeader;
  }
  this->ReadPixels(begin - m_Header.size(), bytes, to);
}

void
NiftiBytes::ReadPixels(std::uint64_t begin, std::size_t bytes, char * to) const
{
  const auto * const pixels = static_cast<const char *>(m_Volume.pixels.get());
  if (!m_AreApart)
  {
    std::memcpy(to, pixels + begin, bytes);
    return;
  }
  const std::size_t numberBytes = itk::CudaSpline::SizeOf(m_Volume.type);
  const std::size_t pixelBytes = numberBytes * m_Components;
  const std::size_t planeBytes = m_Volume.GetNumberOfBytes();
  while (bytes > 0)
  {
    const std::size_t plane = static_cast<std::size_t>(begin / planeBytes);
    const std::size_t within = static_cast<std::size_t>(begin % planeBytes);
    const std::size_t part = within % numberBytes; // of a number that began before
    const char *      from = pixels + within / numberBytes * pixelBytes + plane * numberBytes + part;
    std::size_t       count = 0;
    if (part != 0 || bytes < numberBytes)
    {
      count = std::min(bytes, numberBytes - part);
      std::memcpy(to, from, count);
    }
    else
    {
      const std::size_t numbers = std::min(bytes, planeBytes - within) / numberBytes;
      Gather(numberBytes, from, pixelBytes, numbers, to);
      count = numbers * numberBytes;
    }
    begin += count;
    bytes -= count;
    to += count;
  }
}

} // namespace CudaSplineProgram
