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
#include "NiftiLength.h"

#include "Error.h"

#include "itk_zlib.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

namespace CudaSplineProgram
{

namespace fs = std::filesystem;

namespace
{

using GzFile = std::unique_ptr<gzFile_s, int (*)(gzFile)>;

/** Opens a file, compressed or not. */
GzFile
Open(const std::string & path)
{
  return GzFile(gzopen(path.c_str(), "rb"), &gzclose);
}

/** Number of bytes of a file after decompression, as many as can be read. */
double
CountBytes(const std::string & path)
{
  const GzFile file = Open(path);
  if (!file)
  {
    return 0.0;
  }
  if (gzdirect(file.get()) == 1)
  {
    return static_cast<double>(fs::file_size(path));
  }
  std::vector<char> buffer(1 << 18);
  double            bytes = 0.0;
  for (int count = 0; (count = gzread(file.get(), buffer.data(), static_cast<unsigned int>(buffer.size()))) > 0;)
  {
    bytes += count;
  }
  return bytes;
}

/** A number of a header, of either byte order. */
template <typename T>
T
Number(const std::vector<char> & header, std::size_t offset, bool isSwapped)
{
  std::array<char, sizeof(T)> bytes;
  std::copy_n(header.begin() + static_cast<std::ptrdiff_t>(offset), sizeof(T), bytes.begin());
  if (isSwapped)
  {
    std::reverse(bytes.begin(), bytes.end());
  }
  T number;
  std::memcpy(&number, bytes.data(), sizeof(T));
  return number;
}

/** What a header says of the file with the pixels. */
struct Layout
{
  double bytes{ 0.0 };          ///< of that file, at least
  bool   isSingleFile{ false }; ///< header and pixels in one
};

/** Reads a header of version 1 (348 bytes), or 2 (540 bytes); offsets are those of nifti1.h and nifti2.h. */
Layout
ReadLayout(const std::string & path)
{
  std::vector<char> header(540, '\0');
  const GzFile      file = Open(path);
  if (!file || gzread(file.get(), header.data(), 540) < 348)
  {
    throw ProgramError("the file \"" + path + "\" is cut short within its header");
  }
  const auto isSize = [](std::int32_t size) { return size == 348 || size == 540; };
  const bool isSwapped = !isSize(Number<std::int32_t>(header, 0, false));
  const auto size = Number<std::int32_t>(header, 0, isSwapped);
  if (!isSize(size))
  {
    return {}; // of another kind, for the reader to judge
  }
  const bool isSecond = size == 540;
  Layout     layout;
  layout.isSingleFile = header[isSecond ? 4 : 344] == 'n' && header[isSecond ? 5 : 345] == '+';
  const auto dimension = [&](unsigned int index) {
    return isSecond ? static_cast<double>(Number<std::int64_t>(header, 16 + 8 * index, isSwapped))
                    : static_cast<double>(Number<std::int16_t>(header, 40 + 2 * index, isSwapped));
  };
  layout.bytes = Number<std::int16_t>(header, isSecond ? 14 : 72, isSwapped) / 8.0; // a pixel
  for (unsigned int index = 1; index <= std::min(7.0, dimension(0)); ++index)
  {
    layout.bytes *= std::max(1.0, dimension(index));
  }
  layout.bytes += isSecond ? static_cast<double>(Number<std::int64_t>(header, 168, isSwapped))
                           : static_cast<double>(Number<float>(header, 108, isSwapped));
  return layout;
}

/** The other file of a pair, which may be compressed or not; empty where there is none. */
std::string
Partner(const std::string & path, const std::string & from, const std::string & to)
{
  const std::size_t end = path.rfind(from);
  for (const char * const compression : { "", ".gz" })
  {
    std::string candidate = end == std::string::npos ? "" : path.substr(0, end) + to + compression;
    if (!candidate.empty() && fs::exists(candidate))
    {
      return candidate;
    }
  }
  return {};
}

} // namespace

void
CheckNiftiLength(const std::string & path)
{
  const std::string otherHeader = Partner(path, ".img", ".hdr");
  const Layout      layout = ReadLayout(otherHeader.empty() ? path : otherHeader);
  const std::string otherPixels = layout.isSingleFile ? "" : Partner(path, ".hdr", ".img");
  const std::string pixels = otherPixels.empty() ? path : otherPixels;
  if (layout.bytes > 0.0)
  {
    const double found = CountBytes(pixels);
    if (found < layout.bytes)
    {
      throw ProgramError("the file \"" + pixels + "\" is damaged or cut short: it holds " +
                         std::to_string(static_cast<long long>(found)) +
                         " bytes (decompressed) where its header promises " +
                         std::to_string(static_cast<long long>(layout.bytes)));
    }
  }
}

} // namespace CudaSplineProgram
