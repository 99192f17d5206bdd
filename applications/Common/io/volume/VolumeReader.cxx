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
#include "io/volume/VolumeReader.h"

#include "io/files/Deflate.h"
#include "console/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace CudaSplineProgram
{

/** Bytes of a file, or of its decompressed data, which are read sequentially. */
class VolumeReader::Source
{
public:
  explicit Source(const VolumePlace & place)
    : m_Place(place)
    , m_File(place.path, std::ios::binary)
    , m_In(place.isPacked ? InflateStream::bytesBefore + (1 << 17) : 0)
  {
    if (!m_File)
    {
      throw ProgramError("the file \"" + place.path + "\" cannot be read: " + std::strerror(errno));
    }
    this->Restart();
  }

  Source(const Source &) = delete;
  Source &
  operator=(const Source &) = delete;

  /** Moves to a byte: in compressed data everything before it has to be decompressed. */
  void
  Seek(double place)
  {
    if (!m_Place.isPacked)
    {
      m_File.clear();
      m_File.seekg(static_cast<std::streamoff>(place));
      return;
    }
    if (place < m_Done)
    {
      this->Restart();
    }
    std::vector<char> passed(1 << 18);
    while (m_Done < place)
    {
      const double piece = std::min(place - m_Done, static_cast<double>(passed.size()));
      if (this->Read(passed.data(), static_cast<std::size_t>(piece)) == 0)
      {
        return; // the data to read there are missing, too
      }
    }
  }

  /** Reads the available bytes.
   *
   * \exception ProgramError compressed data are damaged */
  std::size_t
  Read(void * to, std::size_t bytes)
  {
    if (!m_Place.isPacked)
    {
      m_File.read(static_cast<char *>(to), static_cast<std::streamsize>(bytes));
      return static_cast<std::size_t>(m_File.gcount());
    }
    constexpr std::size_t most = 1 << 30; // per call, because libraries count with 32 bits
    std::size_t           done = 0;
    while (done < bytes && !m_IsAtEnd)
    {
      done += this->Inflate(static_cast<char *>(to) + done, std::min(bytes - done, most));
    }
    m_Done += static_cast<double>(done);
    return done;
  }

  /** Reads the rest, up to the checksum. */
  void
  Finish()
  {
    std::vector<char> rest(m_Place.isPacked ? 1 << 18 : 0);
    while (m_Place.isPacked && this->Read(rest.data(), rest.size()) > 0)
    {}
  }

private:
  void
  Restart()
  {
    m_File.clear();
    m_File.seekg(static_cast<std::streamoff>(m_Place.stream));
    m_Done = 0.0;
    m_IsAtEnd = false;
    m_NextBytes = 0;
    m_Stream.Restart();
  }

  /** Fills the input if it is empty.
   *
   * \return false at the end of the file */
  bool
  Fill()
  {
    if (m_NextBytes == 0)
    {
      char * const begin = m_In.data() + InflateStream::bytesBefore;
      std::copy(m_In.end() - InflateStream::bytesBefore, m_In.end(), m_In.begin());
      m_File.read(begin, static_cast<std::streamsize>(m_In.size() - InflateStream::bytesBefore));
      m_Next = begin;
      m_NextBytes = static_cast<std::size_t>(m_File.gcount());
    }
    return m_NextBytes > 0;
  }

  /** Decompresses until the output is full, or everything is done.
   *
   * \return the number of bytes */
  std::size_t
  Inflate(char * to, std::size_t bytes)
  {
    std::size_t left = bytes;
    while (left > 0 && !m_IsAtEnd)
    {
      const bool                 hasInput = this->Fill();
      const std::size_t          before = left;
      const InflateStream::State state = m_Stream.Inflate(m_Next, m_NextBytes, to, left);
      if (state == InflateStream::State::Unfinished && !hasInput && left == before)
      {
        throw ProgramError("the file \"" + m_Place.path +
                           "\" is damaged or truncated: the end of its compressed data is missing");
      }
      if (state == InflateStream::State::Damaged)
      {
        throw ProgramError("the file \"" + m_Place.path +
                           "\" is damaged: its compressed data or their checksum are wrong");
      }
      if (state == InflateStream::State::AtEnd)
      {
        // gzip files may have several consecutive members; other bytes do not belong to them.
        m_IsAtEnd = !this->Fill() || *m_Next != 0x1F;
        m_Stream.Restart();
      }
    }
    return bytes - left;
  }

  VolumePlace       m_Place;
  std::ifstream     m_File;
  std::vector<char> m_In;
  InflateStream     m_Stream;
  const char *      m_Next{ nullptr };
  std::size_t       m_NextBytes{ 0 };
  bool              m_IsAtEnd{ false };
  double            m_Done{ 0.0 }; ///< number of decompressed bytes
};

VolumeReader::VolumeReader(const VolumePlace & place)
  : m_Place(place)
  , m_Source(std::make_unique<Source>(place))
{}

VolumeReader::~VolumeReader() = default;

void
VolumeReader::CheckLength(double bytes) const
{
  std::error_code error;
  const auto      size = static_cast<double>(std::filesystem::file_size(m_Place.path, error));
  if (!m_Place.isPacked && !error && size < m_Place.begin + bytes)
  {
    throw ProgramError("the file \"" + m_Place.path + "\" is damaged or truncated: it contains " +
                       std::to_string(static_cast<long long>(std::max(0.0, size - m_Place.begin))) +
                       " bytes of pixels, but its header requires " + std::to_string(static_cast<long long>(bytes)));
  }
}

void
VolumeReader::Read(std::size_t volume, std::size_t volumes, std::size_t bytes, void * pixels)
{
  this->CheckLength(static_cast<double>(volumes) * static_cast<double>(bytes)); // before the work, not after it
  m_Source->Seek(m_Place.begin + static_cast<double>(volume) * static_cast<double>(bytes));
  if (const std::size_t found = m_Source->Read(pixels, bytes); found < bytes)
  {
    throw ProgramError("the file \"" + m_Place.path + "\" is damaged or truncated: it contains " +
                       std::to_string(found) + " of the " + std::to_string(bytes) + " bytes of volume " +
                       std::to_string(volume) + (m_Place.isPacked ? " (decompressed)" : ""));
  }
  if (volume + 1 == volumes)
  {
    m_Source->Finish();
  }
  char * const numbers = static_cast<char *>(pixels);
  for (std::size_t at = 0; m_Place.isSwapped && at < bytes; at += m_Place.numberBytes)
  {
    std::reverse(numbers + at, numbers + at + m_Place.numberBytes);
  }
}

} // namespace CudaSplineProgram
