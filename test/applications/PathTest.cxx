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
#include "RegisterTestSupport.h"

#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/** \file
 * \brief Names that are allowed as outputs, and files that a killed run has left. */

namespace
{

namespace fs = std::filesystem;

class ProgramPaths : public RegisterTest
{
protected:
  void
  SetUp() override
  {
    ProgramTest::SetUp();
    WritePair<2>(KnownRigid(), 20);
    const auto writer = itk::TransformFileWriterTemplate<double>::New();
    writer->SetInput(KnownRigid());
    writer->SetFileName(Path("move.tfm"));
    writer->Update();
    WriteTestImage(MakePhantom<itk::Image<unsigned char, 2>>({ { 20, 20 } }).GetPointer(), Path("mask.mhd"));
    fs::create_symlink(Path("fixed.nrrd"), Path("link.nrrd"));
    fs::create_directory(Path("folder"));
    for (const auto & entry : fs::directory_iterator(m_Folder))
    {
      if (entry.is_regular_file())
      {
        m_Before.emplace_back(entry.path().string(), Content(entry.path().string()));
      }
    }
  }

  /** Expects an error, and that all files are unchanged. */
  void
  ExpectRefused(const ProgramResult & result, const std::string & program, const std::string & word = "overwritten")
  {
    ExpectError(result, { word }, 1, program);
    for (const auto & [name, content] : m_Before)
    {
      EXPECT_EQ(Content(name), content) << name;
    }
  }

  std::vector<std::pair<std::string, std::string>> m_Before;
};

/** Every output is compared with every input, also with other spellings. */
TEST_F(ProgramPaths, OutputsThatAreInputsAreRefused)
{
  const std::string other = Path("folder/../fixed.nrrd");
  for (const std::string & name : { Path("fixed.nrrd"),
                                    Path("link.nrrd"),
                                    other,
                                    Path("moving.nrrd"),
                                    Path("move.tfm"),
                                    Path("mask.mhd"),
                                    Path("mask.raw") })
  {
    SCOPED_TRACE(name);
    for (const char * const option : { "-o", "-w", "-p", "--report", "--field", "--inverse", "--jacobian" })
    {
      SCOPED_TRACE(option);
      ExpectRefused(
        Register({ "--initial-transform", Path("move.tfm"), "--fixed-mask", Path("mask.mhd"), option, name }),
        "CudaSplineRegister");
    }
    const std::vector<std::string> inputs{ "-r", Path("moving.nrrd"), "-t", Path("move.tfm") };
    const auto                     resample = [&](std::vector<std::string> arguments) {
      arguments.insert(arguments.end(), inputs.begin(), inputs.end());
      return RunProgram(arguments);
    };
    if (name.find("mask") == std::string::npos)
    {
      ExpectRefused(resample({ Path("fixed.nrrd"), name }), "CudaSplineResample");
      ExpectRefused(resample({ Path("fixed.nrrd"), Path("out.nrrd"), "--report", name }), "CudaSplineResample");
      ExpectRefused(resample({ Path("fixed.nrrd"), Path("out.nrrd"), "--compare-itk", "--difference", name }),
                    "CudaSplineResample");
    }
  }
  // The files of a prefix.
  for (const char * const ending :
       { "0GenericAffine.mat", "1Warp.nii.gz", "1InverseWarp.nii.gz", "Warped.nii.gz", "InverseWarped.nii.gz" })
  {
    fs::create_symlink(Path("moving.nrrd"), Path(std::string("p_") + ending));
    ExpectRefused(Register({ "--output-prefix", Path("p_") }), "CudaSplineRegister");
    fs::remove(Path(std::string("p_") + ending));
  }
  // The data file of a header that an output would write.
  ExpectRefused(RunProgram({ Path("mask.mhd"), Path("mask.nhdr") }), "CudaSplineResample");
  EXPECT_FALSE(fs::exists(Path("out.nrrd")));
}

TEST_F(ProgramPaths, OutputsThatAreEachOtherAreRefused)
{
  fs::create_symlink(Path("out.nrrd"), Path("dangling.nrrd"));
  for (const std::string & name : { Path("out.nrrd"), Path("folder/../out.nrrd"), Path("dangling.nrrd") })
  {
    ExpectRefused(
      RunProgram({ Path("fixed.nrrd"), Path("out.nrrd"), "--report", name }), "CudaSplineResample", "same file");
    ExpectRefused(Register({ "-w", Path("out.nrrd"), "--report", name }), "CudaSplineRegister", "same file");
  }
  ExpectRefused(RunProgram({ Path("fixed.nrrd"), Path("out.mhd"), "--report", Path("out.raw") }),
                "CudaSplineResample",
                "same file");
  ExpectRefused(
    Register({ "-w", Path("p_Warped.nii.gz"), "--output-prefix", Path("p_") }), "CudaSplineRegister", "same file");
  ExpectRefused(
    Register({ "--field", Path("f.nrrd"), "--jacobian", Path("folder/../f.nrrd") }), "CudaSplineRegister", "same file");
  std::ofstream(Path("list.csv")) << Path("fixed.nrrd") << ',' << Path("folder/out.nrrd") << '\n';
  m_Before.emplace_back(Path("list.csv"), Content(Path("list.csv")));
  ExpectError(RunProgram({ "--batch", Path("list.csv"), "--report", Path("list.csv") }), { "overwritten" }, 2);
  ExpectRefused(RunProgram({ "--batch", Path("list.csv"), "--report", Path("folder/out.nrrd") }),
                "CudaSplineResample",
                "same file");
}

/** The target of a link is written, even if it does not exist yet. */
TEST_F(ProgramPaths, LinksAreFollowed)
{
  fs::create_symlink("out.nrrd", Path("folder/to.nrrd"));
  fs::create_symlink("folder/to.nrrd", Path("twice.nrrd"));
  for (int time = 0; time < 2; ++time) // first dangling, then not
  {
    ExpectQuietSuccess(RunProgram({ Path("fixed.nrrd"), Path("twice.nrrd") }));
    EXPECT_TRUE(fs::is_symlink(Path("twice.nrrd")));
    EXPECT_TRUE(fs::is_symlink(Path("folder/to.nrrd")));
    EXPECT_TRUE(fs::is_regular_file(Path("folder/out.nrrd")));
  }
}

TEST_F(ProgramPaths, DevicesAreNoOutputs)
{
  for (const char * const name : { "/dev/stdout", "/dev/null", "/dev/new.nii" })
  {
    ExpectError(RunProgram({ Path("fixed.nrrd"), name }), { name, "device or a pipe" });
    ExpectError(Register({ "-o", name }), { name, "device or a pipe" }, 1, "CudaSplineRegister");
  }
  ASSERT_EQ(mkfifo(Path("pipe.nrrd").c_str(), 0600), 0);
  ExpectError(RunProgram({ Path("pipe.nrrd"), Path("out.nrrd") }), { "pipe.nrrd", "device or a pipe" });
}

/** Folders of killed runs are removed, those of running processes are not. */
TEST_F(ProgramPaths, LeftFoldersAreRemoved)
{
  const std::string dead = Path("folder/.CudaSplineResample-dead01");
  const std::string alive = Path("folder/.CudaSplineResample-live01");
  for (const std::string & name : { dead, alive })
  {
    fs::create_directories(name + "/.old");
    std::ofstream(name + "/out.nrrd") << "half an image";
  }
  std::ofstream(dead + "/.old/replaced.raw") << "set aside";
  const int lock = open(alive.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  ExpectQuietSuccess(RunProgram({ Path("fixed.nrrd"), Path("folder/out.nrrd") }));
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(alive));
  EXPECT_EQ(Content(Path("folder/replaced.raw")), "set aside");
  close(lock);
  ExpectQuietSuccess(RunProgram({ Path("fixed.nrrd"), Path("folder/out.nrrd") }));
  EXPECT_FALSE(fs::exists(alive));
}

TEST_F(ProgramPaths, StandardOutputThatIsFull)
{
  ProgramSettings settings;
  settings.outputTo = "/dev/full";
  for (const char * const program : { "CudaSplineResample", "CudaSplineRegister" })
  {
    settings.program = program;
    ExpectError(RunProgram({ "--help" }, settings), { "standard output" }, 1, program);
  }
}

TEST_F(ProgramPaths, WrongMemoryLimit)
{
  ProgramSettings settings;
  for (const char * const limit : { "much", "4X", "-1", "4GB" })
  {
    settings.environment = { { "CUDASPLINE_MEMORY_LIMIT", limit } };
    settings.program = "CudaSplineResample";
    const std::vector<std::string> words{ "CUDASPLINE_MEMORY_LIMIT", limit, "K, M or G" };
    ExpectError(RunProgram({ Path("fixed.nrrd"), Path("out.nrrd"), "--device", "cpu" }, settings), words);
    ExpectError(Register({ "-o", Path("out.tfm"), "--device", "cpu" }, settings), words, 1, "CudaSplineRegister");
  }
}

} // namespace
