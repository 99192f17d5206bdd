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
#include "Error.h"
#include "Gzip.h"
#include "TestImages.h"

#include "itkMultiThreaderBase.h"

#include "itk_zlib.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <future>
#include <random>
#include <string>
#include <vector>

/** \file
 * \brief Files that are compressed block by block are what they were, for every reader and by any number of threads. */

namespace
{

namespace fs = std::filesystem;

class ProgramGzip : public ProgramTest
{
protected:
  /** Bytes that repeat, at distances within blocks and across them, with noise between. */
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

  /** Bytes that zlib makes of them as gzip does by default. */
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

  /** The file as zlib reads it; its checksum is compared there. */
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
  // Blocks look back beyond their beginning: what repeats across them costs next to nothing.
  EXPECT_LT(several.size(), bytes.size() / 4);
}

/** Displacements, of which runs are all that is looked for, and labels, of which matches are: neither takes much more
 * than zlib's own way. */
TEST_F(ProgramGzip, LittleMoreThanZlib)
{
  // Smooth, without a last bit that follows from those before, and still in a third of the volume.
  constexpr std::size_t                 count = 1000000;
  std::mt19937                          random(20261);
  std::uniform_real_distribution<float> noise(-1e-4F, 1e-4F);
  std::vector<float>                    field(count, 0.0F);
  for (std::size_t i = count / 3; i < count; ++i)
  {
    field[i] = 3.0F * std::sin(1e-3F * static_cast<float>(i)) + noise(random);
  }
  // Stripes of labels that differ from row to row, as regions with ragged borders.
  std::string labels(4 * count, '\0');
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    labels[i] = static_cast<char>(i % 200 < 12 ? random() % 3 : (i % 200) / 20);
  }
  const std::string numbers(reinterpret_cast<const char *>(field.data()), count * sizeof(float));
  for (const std::string & bytes : { numbers, labels })
  {
    // By pieces runs are taken where they cost 5 % at most; a hundredth is for what the pieces do not tell.
    EXPECT_LT(static_cast<double>(this->Compressed(bytes).size()), 1.06 * SizeByZlib(bytes));
    EXPECT_TRUE(this->Decompressed(bytes.size()) == bytes);
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
