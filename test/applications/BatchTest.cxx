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
#include "TestImages.h"

#include "itkTransformFileWriter.h"
#include "itkTranslationTransform.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include <sys/stat.h>

/** \file
 * \brief Several images in one call: each result is that of a call of its own; what is there is skipped, what fails is
 * told, and the others are done. */

namespace
{

using ImageType = itk::Image<short, 3>;

class ProgramBatch : public ProgramTest
{
protected:
  /** Writes in0.nrrd, in1.nrrd, ..., each other pixels. */
  void
  WriteInputs(int count)
  {
    for (int i = 0; i < count; ++i)
    {
      const auto image = MakePhantom<ImageType>({ { 20, 18, 16 } });
      for (std::size_t at = 0; at < image->GetBufferedRegion().GetNumberOfPixels(); ++at)
      {
        image->GetBufferPointer()[at] = static_cast<short>(image->GetBufferPointer()[at] + 10 * i);
      }
      WriteTestImage(image.GetPointer(), this->Input(i));
    }
  }

  std::string
  Input(int number) const
  {
    return Path("in" + std::to_string(number) + ".nrrd");
  }
  std::string
  Output(int number) const
  {
    return Path("out" + std::to_string(number) + ".nrrd");
  }

  /** A list of the first inputs and outputs, with a header. */
  std::string
  WriteList(int count)
  {
    std::ofstream list(Path("list.csv"));
    list << "input,output\n";
    for (int i = 0; i < count; ++i)
    {
      list << Input(i) << ',' << Output(i) << '\n';
    }
    return Path("list.csv");
  }

  std::string
  WriteTranslation(double millimetres)
  {
    const auto transform = itk::TranslationTransform<double, 3>::New();
    auto       parameters = transform->GetParameters();
    parameters.Fill(millimetres);
    transform->SetParameters(parameters);
    const auto writer = itk::TransformFileWriterTemplate<double>::New();
    writer->SetInput(transform);
    writer->SetFileName(Path("move.tfm"));
    writer->Update();
    return Path("move.tfm");
  }

  nlohmann::json
  ReadReport() const
  {
    return nlohmann::json::parse(Content(Path("report.json")));
  }
};

TEST_F(ProgramBatch, EachResultIsThatOfACallOfItsOwn)
{
  WriteInputs(7);
  const std::vector<std::string> how{ "-i", "bspline", "--rotate", "5", "3", "-2" };
  for (const char * const jobs : { "1", "3", "20" })
  {
    std::vector<std::string> batch{ "--batch", WriteList(7), "--jobs", jobs, "--overwrite" };
    batch.insert(batch.end(), how.begin(), how.end());
    ExpectQuietSuccess(RunProgram(batch));
    for (int i = 0; i < 7; ++i)
    {
      std::vector<std::string> single{ Input(i), Path("single.nrrd") };
      single.insert(single.end(), how.begin(), how.end());
      ExpectQuietSuccess(RunProgram(single));
      EXPECT_EQ(Content(Output(i)), Content(Path("single.nrrd"))) << i << ", jobs " << jobs;
    }
  }
  EXPECT_EQ(CountFiles(), 7u + 7u + 2u); // inputs, outputs, the list and the single result: nothing hidden is left
}

TEST_F(ProgramBatch, TransformsOfTheListComeBeforeTheOthers)
{
  WriteInputs(1);
  const std::string move = WriteTranslation(2.0);
  std::ofstream(Path("list.csv")) << "# a remark\n"
                                  << "output,input,transform\n\n"
                                  << '"' << Output(0) << "\",\"" << Input(0) << "\",\"" << move << ",inverse\"\r\n";
  const std::vector<std::string> how{ "-i", "linear", "--rotate", "0,0,20" };
  std::vector<std::string>       batch{ "--batch", Path("list.csv") };
  std::vector<std::string>       single{ Input(0), Path("single.nrrd"), "-t", move + ",inverse" };
  std::vector<std::string>       without{ Input(0), Path("without.nrrd") };
  for (auto * const call : { &batch, &single, &without })
  {
    call->insert(call->end(), how.begin(), how.end());
    ExpectQuietSuccess(RunProgram(*call));
  }
  EXPECT_EQ(Content(Output(0)), Content(Path("single.nrrd")));
  EXPECT_NE(Content(Output(0)), Content(Path("without.nrrd")));
}

TEST_F(ProgramBatch, SeveralInputsGoToAFolder)
{
  WriteInputs(2);
  std::filesystem::create_directory(Path("results"));
  ExpectQuietSuccess(RunProgram({ Input(0), Input(1), Path("results"), "-i", "nearest" }));
  EXPECT_TRUE(std::filesystem::exists(Path("results/in0.nrrd")));
  EXPECT_TRUE(std::filesystem::exists(Path("results/in1.nrrd")));
}

TEST_F(ProgramBatch, WhatIsThereIsSkipped)
{
  using Clock = std::filesystem::file_time_type::clock;
  WriteInputs(3);
  const std::string list = WriteList(3);
  std::ofstream(Output(1)) << "from the last time";
  ExpectQuietSuccess(RunProgram({ "--batch", list, "--report", Path("report.json") }));
  EXPECT_EQ(Content(Output(1)), "from the last time");
  EXPECT_EQ(ReadReport()["items"][0]["status"], "done");
  EXPECT_EQ(ReadReport()["items"][1]["status"], "skipped");
  EXPECT_EQ(ReadReport()["items"][2]["report"]["output"]["file"], Output(2));

  // Not what is older than its input, or the transform of all.
  std::filesystem::last_write_time(Output(1), Clock::now() - std::chrono::hours(1));
  ExpectQuietSuccess(RunProgram({ "--batch", list }));
  EXPECT_NE(Content(Output(1)), "from the last time");
  const std::string before = Content(Output(0));
  const std::string move = WriteTranslation(1.0);
  std::filesystem::last_write_time(move, Clock::now() + std::chrono::hours(1));
  ExpectQuietSuccess(RunProgram({ "--batch", list, "-t", move }));
  EXPECT_NE(Content(Output(0)), before);

  std::ofstream(Output(1)) << "from the last time";
  ExpectQuietSuccess(RunProgram({ "--batch", list, "--overwrite" }));
  EXPECT_NE(Content(Output(1)), "from the last time");
}

TEST_F(ProgramBatch, FailuresAreToldAndTheOthersAreDone)
{
  WriteInputs(4);
  const std::string list = WriteList(5); // in4 is missing
  std::ofstream(Input(1)) << "NRRD0004\nthis is no image\n";
  const ProgramResult result = RunProgram({ "--batch", list, "--report", Path("report.json") });
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.CountErrorLines(), 3u) << result.errors;
  EXPECT_NE(result.errors.find(Input(1)), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find(Input(4) + ": "), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("2 of 5 images failed"), std::string::npos) << result.errors;
  for (const int done : { 0, 2, 3 })
  {
    EXPECT_TRUE(std::filesystem::exists(Output(done))) << done;
  }
  EXPECT_FALSE(std::filesystem::exists(Output(1)));
  const nlohmann::json report = ReadReport();
  EXPECT_EQ(report["items"][1]["status"], "failed");
  EXPECT_NE(report["items"][4]["message"].get<std::string>().find("no file"), std::string::npos);

  // What failed is tried again, and only that.
  WriteInputs(5);
  for (const int done : { 0, 2, 3 })
  {
    std::ofstream(Output(done)) << "kept";
  }
  ExpectQuietSuccess(RunProgram({ "--batch", list }));
  EXPECT_EQ(Content(Output(0)), "kept");
  EXPECT_TRUE(std::filesystem::exists(Output(1)));
  EXPECT_TRUE(std::filesystem::exists(Output(4)));
}

/** The processes of a batch, by its list in their command line; the first of all is their parent. */
std::vector<pid_t>
ProcessesOf(const std::string & list)
{
  std::vector<pid_t> processes;
  for (const auto & entry : std::filesystem::directory_iterator("/proc"))
  {
    const std::string name = entry.path().filename().string();
    std::ifstream     stream(entry.path() / "cmdline");
    std::stringstream line;
    line << stream.rdbuf();
    if (name.find_first_not_of("0123456789") == std::string::npos && line.str().find(list) != std::string::npos)
    {
      processes.push_back(std::stoi(name));
    }
  }
  std::sort(processes.begin(), processes.end());
  return processes;
}

/** A process that is ended is a failure of its image: what is behind it is done by another process. */
TEST_F(ProgramBatch, AProcessThatEndsIsOneFailure)
{
  WriteInputs(6);
  // A pipe into which nobody writes: who opens it waits.
  std::filesystem::remove(Input(2));
  ASSERT_EQ(mkfifo(Input(2).c_str(), 0600), 0);
  const std::string   list = WriteList(6);
  std::atomic<bool>   isKilled{ false };
  std::thread         killer([&] {
    for (int wait = 0; wait < 2000 && !isKilled; ++wait)
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const std::vector<pid_t> processes = ProcessesOf(list);
      if (processes.size() == 2 && std::filesystem::exists(Output(1)))
      {
        std::this_thread::sleep_for(std::chrono::milliseconds(300)); // it is at the pipe by then
        isKilled = kill(processes[1], SIGKILL) == 0;
      }
    }
  });
  const ProgramResult result = RunProgram({ "--batch", list, "--jobs", "1" });
  killer.join();
  EXPECT_TRUE(isKilled);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.errors.find("1 of 6 images failed"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find(Input(2) + ": its process was ended by a signal"), std::string::npos) << result.errors;
  for (const int done : { 0, 1, 3, 4, 5 })
  {
    EXPECT_TRUE(std::filesystem::exists(Output(done))) << done;
  }
  EXPECT_FALSE(std::filesystem::exists(Output(2)));
}

TEST_F(ProgramBatch, WrongLists)
{
  WriteInputs(2);
  const auto expect = [this](const std::string & text, const std::vector<std::string> & words) {
    std::ofstream(Path("list.csv")) << text;
    ExpectError(RunProgram({ "--batch", Path("list.csv") }), words, 2);
  };
  expect("", { "list.csv", "names no images" });
  expect(Input(0) + "\n", { "line 1", "1 fields" });
  expect(Input(0) + ",," + Output(0) + "\n" + Input(1) + "\n", { "line 2", "3 are expected" });
  expect(Input(0) + ",,\n", { "line 1", "no output" });
  expect("\"" + Input(0) + "\n", { "line 1", "quote" });
  ExpectError(RunProgram({ "--batch", Path("none.csv") }), { "none.csv", "cannot be read" }, 2);
  ExpectError(RunProgram({ Input(0), Input(1), Path("none") }), { "none", "existing folder" }, 2);
  ExpectError(RunProgram({ Input(0), "--batch", WriteList(2) }), { "in0.nrrd", "one too many" }, 2);
  ExpectError(RunProgram({ "--batch", WriteList(2), "--jobs", "0" }), { "--jobs 0", "1 to 256" }, 2);
  ExpectError(RunProgram({ "--batch", WriteList(2), "--compare-itk" }), { "--compare-itk", "one image" }, 2);
  ExpectError(RunProgram({ Input(0), Output(0), "--overwrite" }), { "--overwrite", "several images" }, 2);
  ExpectError(RunProgram({ Input(0), Output(0), "--device", "0,1," }), { "\"0,1,\"", "as 0 or 0,1" }, 2);
  ExpectError(RunProgram({ "--batch", WriteList(2), "--explain" }), { "--explain", "one image" }, 2);

  std::filesystem::create_directory(Path("results"));
  std::filesystem::create_directory(Path("series"));
  ExpectError(RunProgram({ Path("series/"), Input(0), Path("results") }), { "series", "--batch" }, 2);
  // A folder in the place of an output is not there already.
  std::ofstream(Path("list.csv")) << Input(0) << ',' << Path("results") << '\n';
  const ProgramResult folder = RunProgram({ "--batch", Path("list.csv") });
  EXPECT_EQ(folder.code, 1);
  EXPECT_NE(folder.errors.find("is a folder"), std::string::npos) << folder.errors;

  std::ofstream(Path("list.csv")) << Input(0) << ',' << Output(0) << '\n' << Input(1) << ',' << Output(0) << '\n';
  ExpectError(RunProgram({ "--batch", Path("list.csv") }), { "out0.nrrd", "named twice" });
  std::ofstream(Path("list.csv")) << Input(0) << ',' << Input(1) << '\n' << Input(1) << ',' << Output(0) << '\n';
  ExpectError(RunProgram({ "--batch", Path("list.csv") }), { "in1.nrrd", "an input and an output" });
  EXPECT_FALSE(std::filesystem::exists(Output(0)));
  const std::string move = WriteTranslation(1.0);
  std::ofstream(Path("list.csv")) << Input(0) << ',' << Input(0) << "x.nrrd\n" << Input(1) << ',' << move << '\n';
  ExpectError(RunProgram({ "--batch", Path("list.csv"), "-t", move }), { "move.tfm", "an input and an output" });
}

TEST_F(ProgramBatch, AListOfASpreadsheetHasAMark)
{
  WriteInputs(1);
  std::ofstream(Path("list.csv")) << "\xEF\xBB\xBF"
                                  << "output,input\r\n"
                                  << Output(0) << ',' << Input(0) << "\r\n";
  ExpectQuietSuccess(RunProgram({ "--batch", Path("list.csv") }));
  EXPECT_TRUE(std::filesystem::exists(Output(0)));
}

/** A batch that is ended leaves whole outputs and nothing else, and goes on where it was. */
TEST_F(ProgramBatch, GoesOnAfterASignal)
{
  WriteInputs(6);
  ProgramSettings settings;
  settings.signalWhenFolder = m_Folder.string();
  const ProgramResult ended = RunProgram({ "--batch", WriteList(6), "--jobs", "2" }, settings);
  EXPECT_EQ(ended.signal, SIGTERM);
  // The processes get the signal when their parent is gone.
  const auto hidden = [this] {
    const std::filesystem::directory_iterator files(m_Folder);
    return std::any_of(
      begin(files), end(files), [](const auto & entry) { return entry.path().filename().string()[0] == '.'; });
  };
  for (int wait = 0; wait < 200 && hidden(); ++wait)
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_FALSE(hidden());
  ExpectQuietSuccess(RunProgram({ "--batch", Path("list.csv") }));
  for (int i = 0; i < 6; ++i)
  {
    EXPECT_EQ(ReadTestImage<ImageType>(Output(i))->GetBufferedRegion().GetSize()[0], 20u) << i;
  }
}

} // namespace
