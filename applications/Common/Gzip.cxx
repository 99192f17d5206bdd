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
  const char *        data{ nullptr };
  std::size_t         bytes{ 0 };
  std::size_t         before{ 0 }; ///< bytes that stand before it, and may be its dictionary
  bool                isLast{ false };
  std::vector<char> * packed{ nullptr }; ///< begins with it deflated; larger, and used again
  std::size_t         packedBytes{ 0 };
  unsigned long       checksum{ 0 };
  bool                isDone{ false };
};

/** Deflates by which a block may be packed: zlib's own, and runs alone, which takes a third of the time and, of the
 * noise that real numbers end with, about as few bytes. */
enum Way : std::size_t
{
  Matches,
  Runs,
  Ways
};

/** Pieces of a block that are packed to find out by which way, and their bytes. */
///@{
constexpr std::size_t trials = 4;
constexpr std::size_t trialBytes = std::size_t{ 1 } << 12;
///@}

/** How much more than by matches runs may take. */
constexpr double mostMore = 1.03;

/** What a thread packs and unpacks by, from block to block: made anew it would be half a megabyte of new pages each
 * time, for which threads wait on each other. */
class Packer
{
public:
  Packer()
  {
    constexpr int memory = 8;
    m_IsMade = inflateInit2(&m_Inflate, rawWindow) == Z_OK;
    for (std::size_t way = 0; way < Ways; ++way)
    {
      const int strategy = way == Runs ? Z_RLE : Z_DEFAULT_STRATEGY;
      m_IsMade =
        deflateInit2(&m_Deflate[way], Z_DEFAULT_COMPRESSION, Z_DEFLATED, rawWindow, memory, strategy) == Z_OK &&
        m_IsMade;
    }
  }

  ~Packer()
  {
    for (z_stream & stream : m_Deflate)
    {
      deflateEnd(&stream);
    }
    inflateEnd(&m_Inflate);
  }

  Packer(const Packer &) = delete;
  Packer &
  operator=(const Packer &) = delete;

  /** Deflates a block to a whole number of bytes, so that the next one can follow it, and looks whether it is that. */
  void
  Pack(Block & block)
  {
    block.isDone = m_IsMade && this->Deflate(block) && this->IsInflatedAgain(block);
    block.checksum = crc32(crc32(0, nullptr, 0), BytesOf(block.data), static_cast<uInt>(block.bytes));
  }

private:
  /** zlib's interface has no const. */
  static Bytef *
  BytesOf(const char * data)
  {
    return reinterpret_cast<Bytef *>(const_cast<char *>(data));
  }

  /** Bytes before a block that are its dictionary. */
  static uInt
  DictionaryOf(const Block & block)
  {
    return static_cast<uInt>(std::min(block.before, windowBytes));
  }

  /** Deflates the first bytes of a block.
   *
   * \return what deflate() says */
  int
  Deflate(z_stream & stream, Block & block, std::size_t bytes, int flush)
  {
    deflateReset(&stream);
    if (const uInt dictionary = DictionaryOf(block); dictionary > 0)
    {
      deflateSetDictionary(&stream, BytesOf(block.data - dictionary), dictionary);
    }
    constexpr std::size_t empty = 16; // an empty block
    const std::size_t     most = deflateBound(&stream, static_cast<uLong>(bytes)) + empty;
    block.packed->resize(std::max(block.packed->size(), most));
    stream.next_in = BytesOf(block.data);
    stream.avail_in = static_cast<uInt>(bytes);
    stream.next_out = BytesOf(block.packed->data());
    stream.avail_out = static_cast<uInt>(most);
    const int state = deflate(&stream, flush);
    block.packedBytes = most - stream.avail_out;
    return state;
  }

  bool
  Deflate(Block & block)
  {
    double packed[Ways] = {};
    for (std::size_t number = 0; number < trials; ++number)
    {
      Block             trial = block;
      const std::size_t at = block.bytes * (2 * number + 1) / (2 * trials);
      trial.data += at;
      trial.before += at;
      const std::size_t bytes = std::min(block.bytes - at, trialBytes);
      for (std::size_t way = 0; way < Ways; ++way)
      {
        this->Deflate(m_Deflate[way], trial, bytes, Z_SYNC_FLUSH);
        packed[way] += static_cast<double>(trial.packedBytes);
      }
    }
    z_stream & stream = m_Deflate[packed[Runs] <= mostMore * packed[Matches] ? Runs : Matches];
    const int  state = this->Deflate(stream, block, block.bytes, block.isLast ? Z_FINISH : Z_SYNC_FLUSH);
    return state == (block.isLast ? Z_STREAM_END : Z_OK) && stream.avail_in == 0 && stream.avail_out > 0;
  }

  bool
  IsInflatedAgain(const Block & block)
  {
    inflateReset(&m_Inflate);
    if (const uInt dictionary = DictionaryOf(block); dictionary > 0)
    {
      inflateSetDictionary(&m_Inflate, BytesOf(block.data - dictionary), dictionary);
    }
    m_Inflate.next_in = BytesOf(block.packed->data());
    m_Inflate.avail_in = static_cast<uInt>(block.packedBytes);
    m_Inflate.next_out = BytesOf(m_Unpacked.data());
    m_Inflate.avail_out = static_cast<uInt>(m_Unpacked.size());
    const int state = inflate(&m_Inflate, Z_SYNC_FLUSH);
    return state == (block.isLast ? Z_STREAM_END : Z_OK) && m_Inflate.avail_in == 0 &&
           m_Unpacked.size() - m_Inflate.avail_out == block.bytes &&
           std::memcmp(m_Unpacked.data(), block.data, block.bytes) == 0;
  }

  z_stream          m_Deflate[Ways]{};
  z_stream          m_Inflate{};
  std::vector<char> m_Unpacked = std::vector<char>(blockBytes + 1); // one more would be seen
  bool              m_IsMade{ false };
};

/** Cuts what was read into blocks.
 *
 * \param[in] packed memory of each for what it becomes */
std::vector<Block>
BlocksOf(const std::vector<char> &        buffer,
         std::size_t                      begin,
         std::size_t                      end,
         bool                             isEnd,
         std::vector<std::vector<char>> & packed)
{
  std::vector<Block> blocks;
  for (std::size_t at = begin; at < end || (isEnd && blocks.empty()); at += blockBytes)
  {
    Block block;
    block.data = buffer.data() + at;
    block.bytes = std::min(blockBytes, end - at);
    block.before = at;
    block.isLast = isEnd && at + block.bytes == end;
    block.packed = &packed[blocks.size()];
    blocks.push_back(block);
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

  constexpr std::size_t          groupBlocks = 64;
  constexpr std::size_t          groupBytes = groupBlocks * blockBytes;
  std::vector<char>              buffer(windowBytes + groupBytes);
  std::vector<std::vector<char>> packed(groupBlocks);
  std::size_t                    before = 0; // bytes of the group before that are kept
  unsigned long                  checksum = crc32(0, nullptr, 0);
  std::uint64_t                  length = 0;
  for (bool isEnd = false; isDone && !isEnd;)
  {
    input.read(buffer.data() + before, static_cast<std::streamsize>(groupBytes));
    const std::size_t end = before + static_cast<std::size_t>(input.gcount());
    isDone = !input.bad();
    isEnd = end - before < groupBytes || input.peek() == std::ifstream::traits_type::eof();
    std::vector<Block> blocks = BlocksOf(buffer, before, end, isEnd, packed);
    const auto         pack = [&blocks](itk::SizeValueType number) {
      thread_local Packer packer;
      packer.Pack(blocks[number]);
    };
    threader->ParallelizeArray(0, blocks.size(), pack, nullptr);
    for (const Block & block : blocks)
    {
      isDone = isDone && block.isDone;
      output.Write(block.packed->data(), block.packedBytes);
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
