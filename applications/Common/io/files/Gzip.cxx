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
#include "io/files/Gzip.h"

#include "io/files/Deflate.h"
#include "console/Error.h"

#include "itkMultiThreaderBase.h"

#include "itk_zlib.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace CudaSplineProgram
{

namespace
{

/** The maximum distance that deflate refers back. */
constexpr std::size_t windowBytes = std::size_t{ 1 } << 15;

/** Large compared with the overhead of a block (its dictionary, an empty deflate block), small compared with an image.
 */
constexpr std::size_t blockBytes = std::size_t{ 1 } << 18;

/** Number of blocks that are compressed before they are written: enough for many threads, with little memory. */
constexpr std::size_t groupBlocks = 64;

/** gzip header: deflate, no name, no time, no information on the speed, unknown system. */
constexpr std::array<unsigned char, 10> header = { 0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255 };

/** Number of blocks that are compressed with the same method, which is chosen from samples of them, and the bytes of a
 * sample. Most of the time to choose is spent to find matches in the samples: a sixty-fourth of the bytes. */
///@{
constexpr std::size_t setBlocks = 4;
constexpr std::size_t trials = 4;
constexpr std::size_t trialBytes = std::size_t{ 1 } << 12;
///@}

/** Maximum ratio between the bytes of a faster method and those of the last one, in the samples. */
constexpr double maxRatio = 1.02;

/** A part of the file, and its compressed position. */
struct Block
{
  std::uint64_t begin{ 0 };
  std::size_t   bytes{ 0 };
  bool          isLast{ false };
  std::size_t   way{ Deflater::numberOfWays - 1 };
  unsigned long checksum{ 0 };
  std::uint64_t packedBegin{ 0 }; ///< in the compressed file
  std::size_t   packedBytes{ 0 };

  /** Returns the number of bytes before it that it may refer to. */
  std::size_t
  GetBytesBefore() const
  {
    return static_cast<std::size_t>(std::min<std::uint64_t>(begin, windowBytes));
  }
};

/** A file that several threads read at different positions. */
class FileBytes
{
public:
  explicit FileBytes(const std::string & name)
    : m_File(open(name.c_str(), O_RDONLY | O_CLOEXEC))
  {
    struct stat status = {};
    m_IsOpen = m_File >= 0 && fstat(m_File, &status) == 0;
    m_Size = m_IsOpen ? static_cast<std::uint64_t>(status.st_size) : 0;
  }

  FileBytes(const FileBytes &) = delete;
  FileBytes &
  operator=(const FileBytes &) = delete;

  ~FileBytes()
  {
    if (m_File >= 0)
    {
      close(m_File);
    }
  }

  bool
  IsOpen() const
  {
    return m_IsOpen;
  }

  std::uint64_t
  GetSize() const
  {
    return m_Size;
  }

  /** \return whether there are enough bytes */
  bool
  Read(std::uint64_t begin, std::size_t bytes, char * to) const
  {
    for (std::size_t done = 0; done < bytes;)
    {
      const ssize_t count = pread(m_File, to + done, bytes - done, static_cast<off_t>(begin + done));
      if (count <= 0 && !(count < 0 && errno == EINTR))
      {
        return false;
      }
      done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    }
    return true;
  }

private:
  int           m_File;
  bool          m_IsOpen{ false };
  std::uint64_t m_Size{ 0 };
};

/** The buffers of a thread, which are reused for all blocks. Allocating them for each block would need a megabyte of
 * new pages, for which threads wait on each other. */
class Packer
{
public:
  /** Chooses the method for consecutive blocks.
   *
   * \return whether the file could be read */
  bool
  Choose(const ReadBytes & input, Block * blocks, std::size_t count)
  {
    constexpr std::size_t last = Deflater::numberOfWays - 1;
    const std::size_t     most = this->MeasureTrials(input, blocks, count, last);
    std::size_t           way = 0;
    while (most > 0 && way < last)
    {
      const std::size_t bytes = this->MeasureTrials(input, blocks, count, way);
      if (bytes > 0 && static_cast<double>(bytes) <= maxRatio * static_cast<double>(most))
      {
        break;
      }
      ++way;
    }
    std::for_each(blocks, blocks + count, [way](Block & block) { block.way = way; });
    return most > 0;
  }

  /** Deflates a block to a whole number of bytes, so that the next block can follow.
   *
   * \param[in] input reads the file
   * \param[in,out] block the block
   * \param[in] packed begins with the result; it may be larger, and is reused
   * \return whether it succeeded */
  bool
  Pack(const ReadBytes & input, Block & block, std::vector<char> & packed)
  {
    const DeflateInput data = this->Read(input, block);
    block.packedBytes = data.data == nullptr ? 0 : m_Deflater.Deflate(block.way, data, packed);
    block.checksum = crc32(crc32(0, nullptr, 0),
                           reinterpret_cast<const Bytef *>(m_Source.data() + block.GetBytesBefore()),
                           static_cast<uInt>(block.bytes));
    return block.packedBytes > 0;
  }

  /** Returns whether the written data of a block inflate to it. */
  bool
  IsInflatedAgain(const ReadBytes & input, const FileBytes & output, const Block & block)
  {
    m_Packed.resize(std::max(m_Packed.size(), block.packedBytes));
    const DeflateInput data = this->Read(input, block);
    return data.data != nullptr && output.Read(block.packedBegin, block.packedBytes, m_Packed.data()) &&
           m_Deflater.IsInflatedTo(data, m_Packed.data(), block.packedBytes);
  }

private:
  /** Reads a block, and the bytes before it that it may refer to.
   *
   * \return no data if the file cannot be read */
  DeflateInput
  Read(const ReadBytes & input, const Block & block)
  {
    const std::size_t before = block.GetBytesBefore();
    const bool        isRead = input(block.begin - before, before + block.bytes, m_Source.data());
    return { isRead ? m_Source.data() + before : nullptr, block.bytes, before, block.isLast };
  }

  /** Returns the bytes of compressed samples of blocks for a method, or 0 if the file cannot be read. */
  std::size_t
  MeasureTrials(const ReadBytes & input, const Block * blocks, std::size_t count, std::size_t way)
  {
    const std::uint64_t begin = blocks[0].begin;
    const std::uint64_t bytes = blocks[count - 1].begin + blocks[count - 1].bytes - begin;
    std::size_t         packed = 0;
    for (std::size_t number = 0; number < trials; ++number)
    {
      Block trial;
      trial.begin = begin + bytes * (2 * number + 1) / (2 * trials);
      trial.bytes = static_cast<std::size_t>(std::min<std::uint64_t>(begin + bytes - trial.begin, trialBytes));
      const DeflateInput data = this->Read(input, trial);
      const std::size_t  of = data.data == nullptr ? 0 : m_Deflater.Deflate(way, data, m_Trial);
      if (of == 0)
      {
        return 0;
      }
      packed += of;
    }
    return packed;
  }

  Deflater          m_Deflater;
  std::vector<char> m_Source = std::vector<char>(windowBytes + blockBytes);
  std::vector<char> m_Packed;
  std::vector<char> m_Trial;
};

/** Divides a file into blocks. An empty file has one block. */
std::vector<Block>
BlocksOf(std::uint64_t size)
{
  std::vector<Block> blocks;
  for (std::uint64_t begin = 0; begin < size || blocks.empty(); begin += blockBytes)
  {
    Block block;
    block.begin = begin;
    block.bytes = static_cast<std::size_t>(std::min<std::uint64_t>(blockBytes, size - begin));
    block.isLast = begin + block.bytes == size;
    blocks.push_back(block);
  }
  return blocks;
}

/** Calls a function with the numbers from 0 on all threads.
 *
 * \return whether all calls succeeded */
bool
DoAll(std::size_t count, const std::function<bool(Packer &, std::size_t)> & work)
{
  const auto        threader = itk::MultiThreaderBase::New();
  std::vector<char> isDone(count, 0);
  threader->ParallelizeArray(
    0,
    count,
    [&](itk::SizeValueType number) {
      thread_local Packer packer;
      isDone[number] = work(packer, number) ? 1 : 0;
    },
    nullptr);
  return std::all_of(isDone.begin(), isDone.end(), [](char one) { return one != 0; });
}

/** Returns the trailer of a gzip file: checksum and length of the uncompressed data, modulo 2^32, least significant
 * byte first. */
std::array<unsigned char, 8>
TrailerOf(const std::vector<Block> & blocks)
{
  unsigned long checksum = crc32(0, nullptr, 0);
  std::uint64_t length = 0;
  for (const Block & block : blocks)
  {
    checksum = crc32_combine(checksum, block.checksum, static_cast<z_off_t>(block.bytes));
    length += block.bytes;
  }
  std::array<unsigned char, 8> trailer{};
  for (std::size_t byte = 0; byte < 4; ++byte)
  {
    trailer[byte] = static_cast<unsigned char>((checksum >> (8 * byte)) & 0xFFU);
    trailer[4 + byte] = static_cast<unsigned char>((length >> (8 * byte)) & 0xFFU);
  }
  return trailer;
}

template <std::size_t VBytes>
void
Write(std::ostream & stream, const std::array<unsigned char, VBytes> & bytes)
{
  stream.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(VBytes));
}

/** Returns whether a file has given bytes at a position. */
template <std::size_t VBytes>
bool
Has(const FileBytes & file, std::uint64_t begin, const std::array<unsigned char, VBytes> & bytes)
{
  std::array<unsigned char, VBytes> found{};
  return file.Read(begin, VBytes, reinterpret_cast<char *>(found.data())) && found == bytes;
}

/** Compresses all blocks, and writes the file.
 *
 * \return whether it succeeded */
bool
WritePacked(const ReadBytes & input, std::vector<Block> & blocks, const std::string & to)
{
  std::ofstream output(to, std::ios::binary | std::ios::trunc);
  bool          isDone = DoAll((blocks.size() + setBlocks - 1) / setBlocks, [&](Packer & packer, std::size_t number) {
    const std::size_t first = number * setBlocks;
    return packer.Choose(input, &blocks[first], std::min(setBlocks, blocks.size() - first));
  });
  Write(output, header);
  std::uint64_t                  end = header.size();
  std::vector<std::vector<char>> packed(std::min(groupBlocks, blocks.size()));
  for (std::size_t first = 0; isDone && output && first < blocks.size(); first += groupBlocks)
  {
    const std::size_t count = std::min(groupBlocks, blocks.size() - first);
    isDone = DoAll(count, [&](Packer & packer, std::size_t number) {
      return packer.Pack(input, blocks[first + number], packed[number]);
    });
    for (std::size_t number = 0; number < count; ++number)
    {
      Block & block = blocks[first + number];
      block.packedBegin = end;
      end += block.packedBytes;
      output.write(packed[number].data(), static_cast<std::streamsize>(block.packedBytes));
    }
  }
  Write(output, TrailerOf(blocks));
  output.close();
  return isDone && !output.fail();
}

/** Reads the file back.
 *
 * \return whether it contains exactly the input */
bool
IsRight(const ReadBytes & input, const std::vector<Block> & blocks, const std::string & to)
{
  const FileBytes output(to);
  const Block &   last = blocks.back();
  const auto      trailer = TrailerOf(blocks);
  const auto      end = last.packedBegin + last.packedBytes;
  return output.IsOpen() && output.GetSize() == end + trailer.size() && Has(output, 0, header) &&
         Has(output, end, trailer) && DoAll(blocks.size(), [&](Packer & packer, std::size_t number) {
           return packer.IsInflatedAgain(input, output, blocks[number]);
         });
}

} // namespace

void
CompressBytes(const ReadBytes & from, std::uint64_t size, const std::string & to)
{
  std::vector<Block> blocks = BlocksOf(size);
  if (!WritePacked(from, blocks, to) || !IsRight(from, blocks, to))
  {
    throw ProgramError("the output \"" + std::filesystem::path(to).filename().string() +
                       "\" cannot be compressed (is the disk full?)");
  }
}

void
CompressFile(const std::string & from, const std::string & to)
{
  const FileBytes input(from);
  if (!input.IsOpen())
  {
    throw ProgramError("the temporary file to be compressed cannot be read");
  }
  CompressBytes(
    [&input](std::uint64_t begin, std::size_t bytes, char * buffer) { return input.Read(begin, bytes, buffer); },
    input.GetSize(),
    to);
  std::error_code error;
  std::filesystem::remove(from, error);
}

} // namespace CudaSplineProgram
