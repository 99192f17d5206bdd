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

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

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
  Compressed(const std::string & bytes) const
  {
    std::ofstream(Path("plain"), std::ios::binary) << bytes;
    CudaSplineProgram::CompressFile(Path("plain"), Path("packed.gz"));
    EXPECT_FALSE(fs::exists(Path("plain")));
    return Content(Path("packed.gz"));
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
