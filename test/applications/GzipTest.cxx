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
#include "console/Error.h"
#include "io/files/Gzip.h"
#include "StoredFormats.h"
#include "TestImages.h"

#include "itkMultiThreaderBase.h"

#include "itk_zlib.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <future>
#include <random>
#include <string>
#include <vector>

/** \file
 * \brief Files that are compressed block by block decompress to the original for every reader and any number of
 * threads. */

namespace
{

namespace fs = std::filesystem;

class ProgramGzip : public ProgramTest
{
protected:
  /** Returns bytes that repeat, at distances within blocks and across them, with noise between. */
  static std::string
  MakeBytes(std::size_t count)
  {
    std::mt19937 random(20260);
    std::string  bytes(count, '\0');
    for (std::size_t i = 0; i < count; ++i)
    {
      const bool repeats = i > 30000 && (i / 4096) % 3 != 0;
      bytes[i] = repeats ? bytes[i - 30000] : static_cast<char>(random() % 17);
    }
    return bytes;
  }

  std::string
  Compressed(const std::string & bytes, const std::string & name = "packed") const
  {
    std::ofstream(Path(name + ".plain"), std::ios::binary) << bytes;
    CudaSplineProgram::CompressFile(Path(name + ".plain"), Path(name + ".gz"));
    EXPECT_FALSE(fs::exists(Path(name + ".plain")));
    return Content(Path(name + ".gz"));
  }

  /** Returns the number of bytes with zlib's compression, as gzip uses by default. */
  static double
  SizeByZlib(const std::string & bytes)
  {
    std::vector<Bytef> packed(compressBound(static_cast<uLong>(bytes.size())));
    uLongf             size = packed.size();
    EXPECT_EQ(compress2(packed.data(),
                        &size,
                        reinterpret_cast<const Bytef *>(bytes.data()),
                        static_cast<uLong>(bytes.size()),
                        Z_DEFAULT_COMPRESSION),
              Z_OK);
    return static_cast<double>(size);
  }

  /** Reads the file with zlib, which verifies its checksum. */
  std::string
  Decompressed(std::size_t most) const
  {
    std::string  bytes(most + 1, 'x');
    gzFile const file = gzopen(Path("packed.gz").c_str(), "rb");
    std::size_t  count = 0;
    for (int read = 1; read > 0 && count < bytes.size(); count += static_cast<std::size_t>(read))
    {
      read = gzread(file, bytes.data() + count, static_cast<unsigned int>(bytes.size() - count));
      EXPECT_GE(read, 0);
    }
    EXPECT_EQ(gzclose(file), Z_OK);
    bytes.resize(count);
    return bytes;
  }
};

} // namespace

TEST_F(ProgramGzip, EveryLengthAroundBlocksAndGroups)
{
  constexpr std::size_t block = std::size_t{ 1 } << 18;
  constexpr std::size_t group = 64 * block;
  const std::string     all = MakeBytes(2 * group + 100);
  for (const std::size_t length : { std::size_t{ 0 },
                                    std::size_t{ 1 },
                                    std::size_t{ 100 },
                                    block - 1,
                                    block,
                                    block + 1,
                                    3 * block,
                                    group,
                                    group + 1,
                                    2 * group + 100 })
  {
    const std::string bytes = all.substr(0, length);
    this->Compressed(bytes);
    EXPECT_TRUE(this->Decompressed(length) == bytes) << length;
  }
}

TEST_F(ProgramGzip, ThreadsChangeNothing)
{
  const std::string bytes = MakeBytes(5000000);
  const std::string several = this->Compressed(bytes);
  const auto        threads = itk::MultiThreaderBase::GetGlobalDefaultNumberOfThreads();
  itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(threads > 1 ? 1 : 3);
  const std::string others = this->Compressed(bytes);
  itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(threads);
  EXPECT_TRUE(several == others);
  // Blocks refer to data before their beginning, so repetitions across blocks need almost no bytes.
  EXPECT_LT(several.size(), bytes.size() / 4);
}

/** Displacements and labels, which need different methods: neither needs many more bytes than with zlib's default. */
TEST_F(ProgramGzip, LittleMoreThanZlib)
{
  // Smooth, with a last bit that cannot be predicted, and still compressible to a third of the volume.
  constexpr std::size_t                 count = 1000000;
  std::mt19937                          random(20261);
  std::uniform_real_distribution<float> noise(-1e-4F, 1e-4F);
  std::vector<float>                    field(count, 0.0F);
  for (std::size_t i = count / 3; i < count; ++i)
  {
    field[i] = 3.0F * std::sin(1e-3F * static_cast<float>(i)) + noise(random);
  }
  // Stripes of labels that differ from row to row, like regions with ragged borders.
  std::string labels(4 * count, '\0');
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    labels[i] = static_cast<char>(i % 200 < 12 ? random() % 3 : (i % 200) / 20);
  }
  const std::string numbers(reinterpret_cast<const char *>(field.data()), count * sizeof(float));
  for (const std::string & bytes : { numbers, labels })
  {
    // A faster method is used if it needs at most 2 % more bytes for samples. One more percent is allowed for the
    // difference between samples and the whole.
    EXPECT_LT(static_cast<double>(this->Compressed(bytes).size()), 1.03 * SizeByZlib(bytes));
    EXPECT_TRUE(this->Decompressed(bytes.size()) == bytes);
  }
}

/** All methods, for blocks in the middle and at the end of a stream, with and without bytes before them: repetitions,
 * and incompressible noise. */
TEST_F(ProgramGzip, BlocksOfEveryWay)
{
  using namespace CudaSplineProgram;
  std::mt19937 random(20263);
  std::string  bytes = MakeBytes(400000);
  for (std::size_t i = 300000; i < bytes.size(); ++i)
  {
    bytes[i] = static_cast<char>(random());
  }
  Deflater          deflater;
  std::vector<char> packed;
  for (int number = 0; number < 300; ++number)
  {
    DeflateInput input;
    input.before = number % 3 == 0 ? 0 : random() % 70000;
    input.data = bytes.data() + input.before + random() % 200000;
    input.bytes = 1 + random() % (number % 10 == 0 ? 100000 : 500);
    input.isLast = number % 2 == 0;
    const std::size_t way = number % Deflater::numberOfWays;
    const std::size_t size = deflater.Deflate(way, input, packed);
    ASSERT_GT(size, 0u);
    EXPECT_LT(size, input.bytes + 100);
    EXPECT_TRUE(deflater.IsInflatedTo(input, packed.data(), size)) << way;
    packed[random() % size] ^= static_cast<char>(1 << random() % 8);
    std::string other(input.data - input.before, input.before + input.bytes);
    other.back() = static_cast<char>(other.back() + 1);
    DeflateInput changed = input;
    changed.data = other.data() + input.before;
    ASSERT_EQ(deflater.Deflate(way, input, packed), size); // the same bytes again
    EXPECT_FALSE(deflater.IsInflatedTo(changed, packed.data(), size)) << way;
  }
}

/** Members of any length, in pieces of any length, with other bytes after them. */
TEST_F(ProgramGzip, StreamsInPieces)
{
  using namespace CudaSplineProgram;
  std::mt19937 random(20264);
  const auto   between = [&random](std::size_t least, std::size_t most) { return least + random() % (most - least); };
  for (int number = 0; number < 200; ++number)
  {
    const bool  isGzip = number % 4 != 0;
    std::string expected;
    std::string file(InflateStream::bytesBefore, '\0');
    for (std::size_t members = isGzip ? between(1, 5) : 1; members > 0; --members)
    {
      const std::string bytes = MakeBytes(between(0, 40000)).substr(0, between(0, 40000));
      expected += bytes;
      file += Deflate(bytes, isGzip);
    }
    const bool isDamaged = number % 5 == 0;
    if (isDamaged)
    {
      file.back() = static_cast<char>(file.back() ^ 4); // the length in the trailer of gzip, or the checksum of zlib
    }
    const std::size_t end = file.size();
    file += std::string(between(0, 20), 'x');
    InflateStream        stream;
    std::string          found(expected.size() + 100, 'x');
    char *               out = found.data();
    const char *         in = file.data() + InflateStream::bytesBefore;
    InflateStream::State state = InflateStream::State::Unfinished;
    const auto           left = [&] { return static_cast<std::size_t>(file.data() + file.size() - in); };
    for (int steps = 0; steps < 1000000 && state != InflateStream::State::Damaged; ++steps)
    {
      if (state == InflateStream::State::AtEnd)
      {
        if (left() == 0 || *in != '\x1F')
        {
          break;
        }
        stream.Restart();
      }
      std::size_t inBytes = std::min(left(), between(0, number % 2 == 0 ? 5000 : 4));
      std::size_t outBytes =
        std::min<std::size_t>(between(0, 5000), static_cast<std::size_t>(found.data() + found.size() - out));
      state = stream.Inflate(in, inBytes, out, outBytes);
    }
    EXPECT_EQ(state == InflateStream::State::Damaged, isDamaged) << number;
    if (!isDamaged)
    {
      found.resize(static_cast<std::size_t>(out - found.data()));
      EXPECT_TRUE(found == expected) << number;
      EXPECT_EQ(static_cast<std::size_t>(in - file.data()), end) << number;
    }
  }
}

TEST_F(ProgramGzip, SeveralFilesAtTheSameTime)
{
  constexpr std::size_t                 files = 4;
  const std::string                     bytes = MakeBytes(3000000 * files);
  std::vector<std::future<std::string>> all;
  const auto part = [&bytes](std::size_t number) { return bytes.substr(3000000 * number, 2900000); };
  for (std::size_t number = 0; number < files; ++number)
  {
    all.push_back(std::async(std::launch::async,
                             [&, number] { return this->Compressed(part(number), "file" + std::to_string(number)); }));
  }
  for (std::size_t number = 0; number < files; ++number)
  {
    const std::string together = all[number].get();
    EXPECT_TRUE(together == this->Compressed(part(number))) << number;
  }
}

TEST_F(ProgramGzip, WhatCannotBeWrittenIsSaid)
{
  std::ofstream(Path("plain")) << "bytes";
  EXPECT_THROW(CudaSplineProgram::CompressFile(Path("plain"), Path("no folder/packed.gz")),
               CudaSplineProgram::ProgramError);
  EXPECT_THROW(CudaSplineProgram::CompressFile(Path("not there"), Path("packed.gz")), CudaSplineProgram::ProgramError);
  fs::create_symlink("/dev/full", Path("full.gz"));
  EXPECT_THROW(CudaSplineProgram::CompressFile(Path("plain"), Path("full.gz")), CudaSplineProgram::ProgramError);
  EXPECT_TRUE(fs::exists(Path("plain")));
}
