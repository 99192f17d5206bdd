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
#include <cstddef>
#include <cstdint>
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
constexpr std::size_t blockBytes = std::size_t{ 1 } << 19;

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

/** Deflates a block to a whole number of bytes, so that the next one can follow it. */
void
Deflate(Block & block)
{
  constexpr int rawWindow = -15; // no header of zlib's
  constexpr int memory = 8;
  z_stream      stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, rawWindow, memory, Z_DEFAULT_STRATEGY) != Z_OK)
  {
    return;
  }
  const std::size_t dictionary = std::min(block.before, windowBytes);
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
  const int state = deflate(&stream, block.isLast ? Z_FINISH : Z_SYNC_FLUSH);
  block.isDone = state == (block.isLast ? Z_STREAM_END : Z_OK) && stream.avail_in == 0 && stream.avail_out > 0;
  block.packed.resize(block.packed.size() - stream.avail_out);
  deflateEnd(&stream);
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

/** A number of four bytes, the least significant first. */
void
PutNumber(std::ostream & stream, std::uint32_t number)
{
  for (int byte = 0; byte < 4; ++byte)
  {
    stream.put(static_cast<char>((number >> (8 * byte)) & 0xFFU));
  }
}

} // namespace

void
CompressFile(const std::string & from, const std::string & to)
{
  const auto    threader = itk::MultiThreaderBase::New();
  std::ifstream input(from, std::ios::binary);
  std::ofstream output(to, std::ios::binary | std::ios::trunc);
  bool          isDone = input.good();
  // Of gzip: deflate, no name, no time, no promise about the speed, a system that is not told.
  constexpr unsigned char header[10] = { 0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255 };
  output.write(reinterpret_cast<const char *>(header), sizeof(header));

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
      output.write(block.packed.data(), static_cast<std::streamsize>(block.packed.size()));
      checksum = crc32_combine(checksum, block.checksum, static_cast<z_off_t>(block.bytes));
      length += block.bytes;
    }
    const std::size_t kept = std::min(end, windowBytes);
    std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(end - kept),
              buffer.begin() + static_cast<std::ptrdiff_t>(end),
              buffer.begin());
    before = kept;
  }
  PutNumber(output, static_cast<std::uint32_t>(checksum));
  PutNumber(output, static_cast<std::uint32_t>(length)); // modulo 2^32
  output.close();
  if (!isDone || !output)
  {
    throw ProgramError("the output cannot be compressed (is the disk full?)");
  }
  std::error_code error;
  std::filesystem::remove(from, error);
}

} // namespace CudaSplineProgram
