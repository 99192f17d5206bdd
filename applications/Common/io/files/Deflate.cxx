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
#include "io/files/Deflate.h"

#include "itk_zlib.h"

#ifdef CUDASPLINE_HAS_ISAL
#  include <isa-l/igzip_lib.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

namespace CudaSplineProgram
{

namespace
{

/** The maximum distance of matches. */
constexpr std::size_t windowBytes = std::size_t{ 1 } << 15;

/** zlib's window bits for deflate without a header. */
constexpr int rawWindow = -15;

/** Levels of zlib: the first needs half the time of the default for about 1 % more bytes of images; the second is the
 * default. */
constexpr int quickLevel = 4;

constexpr int memoryLevel = 8; // default of zlib

/** zlib's interface is not const-correct. */
Bytef *
BytesOf(const char * data)
{
  return reinterpret_cast<Bytef *>(const_cast<char *>(data));
}

std::size_t
DictionaryOf(const DeflateInput & input)
{
  return std::min(input.before, windowBytes);
}

/** Deflates with zlib. */
class ZlibWay
{
public:
  ZlibWay(int level, int strategy)
    : m_HasDictionary(strategy != Z_RLE) // runs do not refer to it
  {
    if (deflateInit2(&m_Stream, level, Z_DEFLATED, rawWindow, memoryLevel, strategy) != Z_OK)
    {
      throw std::bad_alloc();
    }
  }

  ~ZlibWay() { deflateEnd(&m_Stream); }

  ZlibWay(const ZlibWay &) = delete;
  ZlibWay &
  operator=(const ZlibWay &) = delete;

  std::size_t
  Deflate(const DeflateInput & input, std::vector<char> & packed)
  {
    deflateReset(&m_Stream);
    if (const std::size_t dictionary = m_HasDictionary ? DictionaryOf(input) : 0; dictionary > 0)
    {
      deflateSetDictionary(&m_Stream, BytesOf(input.data - dictionary), static_cast<uInt>(dictionary));
    }
    m_Stream.next_in = BytesOf(input.data);
    m_Stream.avail_in = static_cast<uInt>(input.bytes);
    m_Stream.next_out = BytesOf(packed.data());
    m_Stream.avail_out = static_cast<uInt>(packed.size());
    const int  state = deflate(&m_Stream, input.isLast ? Z_FINISH : Z_SYNC_FLUSH);
    const bool isDone =
      state == (input.isLast ? Z_STREAM_END : Z_OK) && m_Stream.avail_in == 0 && m_Stream.avail_out > 0;
    return isDone ? packed.size() - m_Stream.avail_out : 0;
  }

private:
  z_stream m_Stream{};
  bool     m_HasDictionary;
};

#ifdef CUDASPLINE_HAS_ISAL
/** The slowest level of ISA-L, which is ten times as fast as zlib's default. */
class FastWay
{
public:
  std::size_t
  Deflate(const DeflateInput & input, std::vector<char> & packed)
  {
    isal_deflate_init(&m_Stream);
    m_Stream.level = ISAL_DEF_MAX_LEVEL;
    m_Stream.level_buf = m_Memory.data();
    m_Stream.level_buf_size = static_cast<std::uint32_t>(m_Memory.size());
    if (const std::size_t dictionary = DictionaryOf(input); dictionary > 0)
    {
      isal_deflate_set_dict(&m_Stream, BytesOf(input.data - dictionary), static_cast<std::uint32_t>(dictionary));
    }
    m_Stream.flush = input.isLast ? NO_FLUSH : SYNC_FLUSH;
    m_Stream.end_of_stream = input.isLast ? 1 : 0;
    m_Stream.next_in = BytesOf(input.data);
    m_Stream.avail_in = static_cast<std::uint32_t>(input.bytes);
    m_Stream.next_out = BytesOf(packed.data());
    m_Stream.avail_out = static_cast<std::uint32_t>(packed.size());
    const int  state = isal_deflate(&m_Stream);
    const bool isDone = state == COMP_OK && m_Stream.avail_in == 0 && m_Stream.avail_out > 0 &&
                        (!input.isLast || m_Stream.internal_state.state == ZSTATE_END);
    return isDone ? packed.size() - m_Stream.avail_out : 0;
  }

private:
  isal_zstream               m_Stream{};
  std::vector<unsigned char> m_Memory = std::vector<unsigned char>(ISAL_DEF_LVL3_DEFAULT);
};

/** Inflates a block to a buffer.
 *
 * \return the number of bytes; -1 if the block is damaged or has more bytes */
std::ptrdiff_t
InflateBlock(inflate_state & state, const DeflateInput & input, const char * packed, std::size_t bytes, char * to)
{
  isal_inflate_reset(&state);
  state.crc_flag = ISAL_DEFLATE;
  if (const std::size_t dictionary = DictionaryOf(input); dictionary > 0)
  {
    isal_inflate_set_dict(&state, BytesOf(input.data - dictionary), static_cast<std::uint32_t>(dictionary));
  }
  state.next_in = BytesOf(packed);
  state.avail_in = static_cast<std::uint32_t>(bytes);
  state.next_out = BytesOf(to);
  state.avail_out = static_cast<std::uint32_t>(input.bytes + 1); // to detect additional bytes
  const bool isRead = isal_inflate(&state) >= ISAL_DECOMP_OK && state.avail_in == 0;
  const bool isAtEnd = state.block_state == ISAL_BLOCK_FINISH;
  return isRead && isAtEnd == input.isLast ? static_cast<std::ptrdiff_t>(input.bytes + 1 - state.avail_out) : -1;
}
#else
/** Only finds runs, which are nearly all redundancy in the noise of real numbers. */
class FastWay : public ZlibWay
{
public:
  FastWay()
    : ZlibWay(Z_DEFAULT_COMPRESSION, Z_RLE)
  {}
};
#endif

} // namespace

struct Deflater::Impl
{
  FastWay fast;
  ZlibWay quick{ quickLevel, Z_DEFAULT_STRATEGY };
  ZlibWay thorough{ Z_DEFAULT_COMPRESSION, Z_DEFAULT_STRATEGY };
#ifdef CUDASPLINE_HAS_ISAL
  inflate_state inflater{};
#else
  z_stream inflater{};
#endif
  std::vector<char> inflated;
};

Deflater::Deflater()
  : m_Impl(std::make_unique<Impl>())
{
#ifdef CUDASPLINE_HAS_ISAL
  isal_inflate_init(&m_Impl->inflater);
#else
  if (inflateInit2(&m_Impl->inflater, rawWindow) != Z_OK)
  {
    throw std::bad_alloc();
  }
#endif
}

Deflater::~Deflater()
{
#ifndef CUDASPLINE_HAS_ISAL
  inflateEnd(&m_Impl->inflater);
#endif
}

std::size_t
Deflater::Deflate(std::size_t way, const DeflateInput & input, std::vector<char> & packed)
{
  // Incompressible blocks are stored, with a few additional bytes for each 64 kB.
  packed.resize(std::max(packed.size(), input.bytes + input.bytes / 8 + 4096));
  return way == 0   ? m_Impl->fast.Deflate(input, packed)
         : way == 1 ? m_Impl->quick.Deflate(input, packed)
                    : m_Impl->thorough.Deflate(input, packed);
}

bool
Deflater::IsInflatedTo(const DeflateInput & input, const char * packed, std::size_t packedBytes)
{
  std::vector<char> & inflated = m_Impl->inflated;
  inflated.resize(std::max(inflated.size(), input.bytes + 1));
#ifdef CUDASPLINE_HAS_ISAL
  const std::ptrdiff_t count = InflateBlock(m_Impl->inflater, input, packed, packedBytes, inflated.data());
#else
  z_stream & stream = m_Impl->inflater;
  inflateReset(&stream);
  if (const std::size_t dictionary = DictionaryOf(input); dictionary > 0)
  {
    inflateSetDictionary(&stream, BytesOf(input.data - dictionary), static_cast<uInt>(dictionary));
  }
  stream.next_in = BytesOf(packed);
  stream.avail_in = static_cast<uInt>(packedBytes);
  stream.next_out = BytesOf(inflated.data());
  stream.avail_out = static_cast<uInt>(input.bytes + 1); // to detect additional bytes
  const bool isRead = inflate(&stream, Z_SYNC_FLUSH) == (input.isLast ? Z_STREAM_END : Z_OK) && stream.avail_in == 0;
  const std::ptrdiff_t count = isRead ? static_cast<std::ptrdiff_t>(input.bytes + 1 - stream.avail_out) : -1;
#endif
  return count == static_cast<std::ptrdiff_t>(input.bytes) &&
         std::memcmp(inflated.data(), input.data, input.bytes) == 0;
}

#ifdef CUDASPLINE_HAS_ISAL

struct InflateStream::Impl
{
  inflate_state state{};
  bool          isBegun{ false };
};

InflateStream::InflateStream()
  : m_Impl(std::make_unique<Impl>())
{
  isal_inflate_init(&m_Impl->state);
}

InflateStream::~InflateStream() = default;

void
InflateStream::Restart()
{
  isal_inflate_reset(&m_Impl->state);
  m_Impl->isBegun = false;
}

InflateStream::State
InflateStream::Inflate(const char *& in, std::size_t & inBytes, char *& out, std::size_t & outBytes)
{
  inflate_state & state = m_Impl->state;
  if (!m_Impl->isBegun && inBytes == 0)
  {
    return State::Unfinished;
  }
  if (!m_Impl->isBegun)
  {
    state.crc_flag = *in == 0x1F ? ISAL_GZIP : ISAL_ZLIB;
    m_Impl->isBegun = true;
  }
  const std::size_t inGiven = inBytes;
  const std::size_t outGiven = outBytes;
  state.next_in = BytesOf(in);
  state.avail_in = static_cast<std::uint32_t>(inBytes);
  state.next_out = BytesOf(out);
  state.avail_out = static_cast<std::uint32_t>(outBytes);
  const int result = isal_inflate(&state);
  inBytes = state.avail_in;
  outBytes = state.avail_out;
  in += inGiven - inBytes;
  out += outGiven - outBytes;
  if (result < ISAL_DECOMP_OK || result == ISAL_NEED_DICT)
  {
    return State::Damaged;
  }
  if (state.block_state != ISAL_BLOCK_FINISH)
  {
    return State::Unfinished;
  }
  const auto ahead =
    static_cast<std::size_t>(std::max(state.read_in_length, 0) / 8); // read beyond the end of this stream
  in -= ahead;
  inBytes += ahead;
  return State::AtEnd;
}

#else

struct InflateStream::Impl
{
  z_stream stream{};
};

InflateStream::InflateStream()
  : m_Impl(std::make_unique<Impl>())
{
  constexpr int eitherFormat = 47; // zlib's or gzip's header, with a window of 32 kB
  if (inflateInit2(&m_Impl->stream, eitherFormat) != Z_OK)
  {
    throw std::bad_alloc();
  }
}

InflateStream::~InflateStream()
{
  inflateEnd(&m_Impl->stream);
}

void
InflateStream::Restart()
{
  inflateReset(&m_Impl->stream);
}

InflateStream::State
InflateStream::Inflate(const char *& in, std::size_t & inBytes, char *& out, std::size_t & outBytes)
{
  z_stream & stream = m_Impl->stream;
  stream.next_in = BytesOf(in);
  stream.avail_in = static_cast<uInt>(inBytes);
  stream.next_out = BytesOf(out);
  stream.avail_out = static_cast<uInt>(outBytes);
  const int state = inflate(&stream, Z_NO_FLUSH);
  in += inBytes - stream.avail_in;
  out += outBytes - stream.avail_out;
  inBytes = stream.avail_in;
  outBytes = stream.avail_out;
  if (state == Z_MEM_ERROR)
  {
    throw std::bad_alloc();
  }
  return state == Z_STREAM_END                   ? State::AtEnd
         : state == Z_OK || state == Z_BUF_ERROR ? State::Unfinished
                                                 : State::Damaged;
}

#endif

} // namespace CudaSplineProgram
