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
#include "Gzip.h"

#include "Error.h"

#include "itkMultiThreaderBase.h"

#include "itk_zlib.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace CudaSplineProgram
{

namespace
{

/** What deflate looks back at, at most. */
constexpr std::size_t windowBytes = std::size_t{ 1 } << 15;

/** Large beside what a block costs (its dictionary, an empty block of deflate), small beside an image. */
constexpr std::size_t blockBytes = std::size_t{ 1 } << 18;

/** Of deflate without a header of zlib's. */
constexpr int rawWindow = -15;

/** A part of the file, and what becomes of it. */
struct Block
{
  const char *      data{ nullptr };
  std::size_t       bytes{ 0 };
  std::size_t       before{ 0 }; ///< bytes that stand before it, and may be its dictionary
  bool              isLast{ false };
  std::vector<char> packed;
  unsigned long     checksum{ 0 };
  bool              isDone{ false };
};

/** Bytes before a block that are its dictionary. */
std::size_t
DictionaryOf(const Block & block)
{
  return std::min(block.before, windowBytes);
}

/** Whether a deflated block is what it was made of.
 * \param[in,out] buffer of the thread */
bool
IsInflatedAgain(const Block & block, std::vector<char> & buffer)
{
  z_stream stream{};
  if (inflateInit2(&stream, rawWindow) != Z_OK)
  {
    return false;
  }
  const std::size_t dictionary = DictionaryOf(block);
  if (dictionary > 0)
  {
    inflateSetDictionary(
      &stream, reinterpret_cast<const Bytef *>(block.data - dictionary), static_cast<uInt>(dictionary));
  }
  buffer.resize(blockBytes + 1); // one more would be seen
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(block.packed.data()));
  stream.avail_in = static_cast<uInt>(block.packed.size());
  stream.next_out = reinterpret_cast<Bytef *>(buffer.data());
  stream.avail_out = static_cast<uInt>(buffer.size());
  const int  state = inflate(&stream, Z_SYNC_FLUSH);
  const bool isWhole = state == (block.isLast ? Z_STREAM_END : Z_OK) && stream.avail_in == 0;
  inflateEnd(&stream);
  return isWhole && buffer.size() - stream.avail_out == block.bytes &&
         std::memcmp(buffer.data(), block.data, block.bytes) == 0;
}

/** Deflates a block to a whole number of bytes, so that the next one can follow it. */
void
Deflate(Block & block)
{
  constexpr int memory = 8;
  z_stream      stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, rawWindow, memory, Z_DEFAULT_STRATEGY) != Z_OK)
  {
    return;
  }
  const std::size_t dictionary = DictionaryOf(block);
  if (dictionary > 0)
  {
    deflateSetDictionary(
      &stream, reinterpret_cast<const Bytef *>(block.data - dictionary), static_cast<uInt>(dictionary));
  }
  constexpr std::size_t flush = 16; // an empty block
  block.packed.resize(deflateBound(&stream, static_cast<uLong>(block.bytes)) + flush);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(block.data));
  stream.avail_in = static_cast<uInt>(block.bytes);
  stream.next_out = reinterpret_cast<Bytef *>(block.packed.data());
  stream.avail_out = static_cast<uInt>(block.packed.size());
  const int  state = deflate(&stream, block.isLast ? Z_FINISH : Z_SYNC_FLUSH);
  const bool isDone = state == (block.isLast ? Z_STREAM_END : Z_OK) && stream.avail_in == 0 && stream.avail_out > 0;
  block.packed.resize(block.packed.size() - stream.avail_out);
  deflateEnd(&stream);
  thread_local std::vector<char> buffer;
  block.isDone = isDone && IsInflatedAgain(block, buffer);
  block.checksum =
    crc32(crc32(0, nullptr, 0), reinterpret_cast<const Bytef *>(block.data), static_cast<uInt>(block.bytes));
}

/** Cuts what was read into blocks. */
std::vector<Block>
BlocksOf(const std::vector<char> & buffer, std::size_t begin, std::size_t end, bool isEnd)
{
  std::vector<Block> blocks;
  for (std::size_t at = begin; at < end || (isEnd && blocks.empty()); at += blockBytes)
  {
    Block block;
    block.data = buffer.data() + at;
    block.bytes = std::min(blockBytes, end - at);
    block.before = at;
    block.isLast = isEnd && at + block.bytes == end;
    blocks.push_back(std::move(block));
  }
  return blocks;
}

/** A file that is known to hold what was written. */
class CheckedOutput
{
public:
  explicit CheckedOutput(const std::string & name)
    : m_Name(name)
    , m_Stream(name, std::ios::binary | std::ios::trunc)
  {}

  void
  Write(const char * data, std::size_t bytes)
  {
    m_Stream.write(data, static_cast<std::streamsize>(bytes));
    m_Checksum = crc32(m_Checksum, reinterpret_cast<const Bytef *>(data), static_cast<uInt>(bytes));
    m_Bytes += bytes;
  }

  /** A number of four bytes, the least significant first. */
  void
  WriteNumber(std::uint32_t number)
  {
    std::array<char, 4> bytes{};
    for (std::size_t byte = 0; byte < bytes.size(); ++byte)
    {
      bytes[byte] = static_cast<char>((number >> (8 * byte)) & 0xFFU);
    }
    this->Write(bytes.data(), bytes.size());
  }

  /** Closes the file, and reads it back. \return whether it holds what was written */
  bool
  Close()
  {
    m_Stream.close();
    if (!m_Stream)
    {
      return false;
    }
    std::ifstream     input(m_Name, std::ios::binary);
    std::vector<char> buffer(std::size_t{ 1 } << 20);
    unsigned long     checksum = crc32(0, nullptr, 0);
    std::uint64_t     bytes = 0;
    while (bytes <= m_Bytes && // devices have no end
           (input.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), input.gcount() > 0))
    {
      const auto count = static_cast<std::size_t>(input.gcount());
      checksum = crc32(checksum, reinterpret_cast<const Bytef *>(buffer.data()), static_cast<uInt>(count));
      bytes += count;
    }
    return !input.bad() && bytes == m_Bytes && checksum == m_Checksum;
  }

private:
  std::string   m_Name;
  std::ofstream m_Stream;
  unsigned long m_Checksum{ crc32(0, nullptr, 0) };
  std::uint64_t m_Bytes{ 0 };
};

} // namespace

void
CompressFile(const std::string & from, const std::string & to)
{
  const auto    threader = itk::MultiThreaderBase::New();
  std::ifstream input(from, std::ios::binary);
  CheckedOutput output(to);
  bool          isDone = input.good();
  // Of gzip: deflate, no name, no time, no promise about the speed, a system that is not told.
  constexpr unsigned char header[10] = { 0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255 };
  output.Write(reinterpret_cast<const char *>(header), sizeof(header));

  constexpr std::size_t groupBytes = 64 * blockBytes;
  std::vector<char>     buffer(windowBytes + groupBytes);
  std::size_t           before = 0; // bytes of the group before that are kept
  unsigned long         checksum = crc32(0, nullptr, 0);
  std::uint64_t         length = 0;
  for (bool isEnd = false; isDone && !isEnd;)
  {
    input.read(buffer.data() + before, static_cast<std::streamsize>(groupBytes));
    const std::size_t end = before + static_cast<std::size_t>(input.gcount());
    isDone = !input.bad();
    isEnd = end - before < groupBytes || input.peek() == std::ifstream::traits_type::eof();
    std::vector<Block> blocks = BlocksOf(buffer, before, end, isEnd);
    threader->ParallelizeArray(
      0, blocks.size(), [&blocks](itk::SizeValueType number) { Deflate(blocks[number]); }, nullptr);
    for (const Block & block : blocks)
    {
      isDone = isDone && block.isDone;
      output.Write(block.packed.data(), block.packed.size());
      checksum = crc32_combine(checksum, block.checksum, static_cast<z_off_t>(block.bytes));
      length += block.bytes;
    }
    const std::size_t kept = std::min(end, windowBytes);
    std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(end - kept),
              buffer.begin() + static_cast<std::ptrdiff_t>(end),
              buffer.begin());
    before = kept;
  }
  output.WriteNumber(static_cast<std::uint32_t>(checksum));
  output.WriteNumber(static_cast<std::uint32_t>(length)); // modulo 2^32
  const bool isWritten = output.Close();
  if (!isDone || !isWritten)
  {
    throw ProgramError("the output cannot be compressed (is the disk full?)");
  }
  std::error_code error;
  std::filesystem::remove(from, error);
}

} // namespace CudaSplineProgram
