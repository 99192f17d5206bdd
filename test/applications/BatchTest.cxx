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
#include "ProgramBatch.h"

#include "itkAffineTransform.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <set>
#include <thread>
#include <vector>

#include <sys/stat.h>

/** \file
 * \brief Several images in one call: each result equals that of a separate call. Existing outputs are skipped,
 * failures are reported, and the other images are processed. */

namespace
{

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
  EXPECT_EQ(CountFiles(), 7u + 7u + 2u + 1u); // inputs, outputs, the list, the single result and the record
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

/** Paths of a list are relative to it, and a line may have several transforms, in the order of the command line. */
TEST_F(ProgramBatch, ListsBesideTheirImages)
{
  WriteInputs(1);
  WriteTranslation(2.0);
  const auto turn = itk::AffineTransform<double, 3>::New();
  turn->Rotate3D(Vector3(0.0, 0.0, 1.0), 0.3);
  const auto writer = itk::TransformFileWriterTemplate<double>::New();
  writer->SetInput(turn);
  writer->SetFileName(Path("turn.tfm"));
  writer->Update();
  std::filesystem::create_directory(Path("lists"));
  std::ofstream(Path("lists/list.csv")) << "../in0.nrrd,\"../move.tfm,inverse; ../turn.tfm\",../out0.nrrd\n"
                                        << "../in0.nrrd,identity,out.nrrd\n";
  const std::vector<std::string> transforms{ "-t", Path("move.tfm") + ",inverse", Path("turn.tfm") };
  for (const bool isAnts : { false, true })
  {
    std::vector<std::string> batch{ "--batch", Path("lists/list.csv"), "--overwrite" };
    std::vector<std::string> single{ Input(0), Path("single.nrrd") };
    single.insert(single.end(), transforms.begin(), transforms.end());
    if (isAnts)
    {
      batch.emplace_back("--ants-order");
      single.emplace_back("--ants-order");
    }
    ExpectQuietSuccess(RunProgram(batch));
    ExpectQuietSuccess(RunProgram(single));
    EXPECT_EQ(Content(Output(0)), Content(Path("single.nrrd")));
  }
  EXPECT_EQ(LargestDifference(ReadTestImage<BatchImage>(Path("lists/out.nrrd")).GetPointer(),
                              ReadTestImage<BatchImage>(Input(0)).GetPointer()),
            0.0);
}

TEST_F(ProgramBatch, SeveralInputsGoToAFolder)
{
  WriteInputs(2);
  std::filesystem::create_directory(Path("results"));
  ExpectQuietSuccess(RunProgram({ Input(0), Input(1), Path("results"), "-i", "nearest" }));
  EXPECT_TRUE(std::filesystem::exists(Path("results/in0.nrrd")));
  EXPECT_TRUE(std::filesystem::exists(Path("results/in1.nrrd")));
}

TEST_F(ProgramBatch, FailuresAreToldAndTheOthersAreDone)
{
  WriteInputs(4);
  const std::string list = WriteList(5); // in4 is missing
  std::ofstream(Input(1)) << "NRRD0004\nthis is not an image\n";
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

  // Only failed images are tried again.
  std::filesystem::copy_file(Input(0), Input(1), std::filesystem::copy_options::overwrite_existing);
  std::filesystem::copy_file(Input(0), Input(4));
  ExpectQuietSuccess(RunProgram({ "--batch", list, "--report", Path("report.json") }));
  for (int i = 0; i < 5; ++i)
  {
    EXPECT_EQ(ReadReport()["items"][i]["status"], i == 1 || i == 4 ? "done" : "skipped") << i;
    EXPECT_TRUE(std::filesystem::exists(Output(i))) << i;
  }
}

/** Returns the letter of the state of a process and its parent from /proc; zeros if there is no such process. */
std::pair<char, pid_t>
StateOf(pid_t process)
{
  std::ifstream stream("/proc/" + std::to_string(process) + "/stat");
  std::string   line;
  std::getline(stream, line);
  const std::size_t      end = line.rfind(')'); // end of the name
  std::pair<char, pid_t> state{ '\0', 0 };
  if (end != std::string::npos)
  {
    std::istringstream(line.substr(end + 1)) >> state.first >> state.second;
  }
  return state;
}

/** Returns the stopped process that works on images, for a batch with one job; 0 if there is none.
 *
 * All have the list in their command line. The first one is our child. The worker is its child, and may have a child
 * that reads. */
pid_t
StopWorkerOf(const std::string & list)
{
  const auto isOfBatch = [&list](pid_t process) {
    std::ifstream     stream("/proc/" + std::to_string(process) + "/cmdline");
    std::stringstream line;
    line << stream.rdbuf();
    return line.str().find(list) != std::string::npos;
  };
  for (const auto & entry : std::filesystem::directory_iterator("/proc"))
  {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos)
    {
      continue;
    }
    const pid_t process = std::stoi(name);
    const pid_t first = StateOf(process).second;
    if (isOfBatch(process) && first > 0 && isOfBatch(first) && StateOf(first).second == getpid() &&
        kill(process, SIGSTOP) == 0)
    {
      for (int wait = 0; wait < 2000; ++wait)
      {
        const char state = StateOf(process).first;
        if (state == 'T')
        {
          return process;
        }
        if (state == '\0' || state == 'Z')
        {
          return 0;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  }
  return 0;
}

/** The parent removes the files of a process that was ended during its work. */
TEST_F(ProgramBatch, AProcessThatEndsLeavesNothing)
{
  WriteInputs(3);
  const std::string list = WriteList(3);
  ProgramSettings   settings;
  bool              isInTime = false; // on a busy machine the image may be finished first
  settings.signalWhenFolder = m_Folder.string();
  settings.whenFolder = [&] {
    const pid_t worker = StopWorkerOf(list);
    ASSERT_GT(worker, 0);
    isInTime = HasHiddenFolder(m_Folder) && !std::filesystem::exists(Output(0));
    EXPECT_EQ(kill(worker, SIGKILL), 0);
  };
  ProgramResult result;
  for (int attempt = 0; attempt < 10 && !isInTime; ++attempt)
  {
    result = RunProgram({ "--batch",
                          list,
                          "--jobs",
                          "1",
                          "-i",
                          "bspline",
                          "--order",
                          "5",
                          "--size",
                          "100",
                          "--output-type",
                          "double",
                          "--overwrite" },
                        settings);
    if (!isInTime)
    {
      std::filesystem::remove(Output(0));
    }
  }
  EXPECT_TRUE(isInTime);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.errors.find(Input(0) + ": its process was ended by a signal"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("1 of 3 images failed"), std::string::npos) << result.errors;
  EXPECT_FALSE(HasHiddenFolder(m_Folder));
  EXPECT_FALSE(std::filesystem::exists(Output(0)));
  EXPECT_TRUE(std::filesystem::exists(Output(2)));
}

/** A signal while the report is written, which takes some time. */
TEST_F(ProgramBatch, ASignalLeavesNothingOfTheReport)
{
  std::filesystem::create_directory(Path("reports"));
  const std::string list = WriteList(2000); // missing images
  ProgramSettings   settings;
  settings.signalWhenFolder = Path("reports");
  int signal = 0;
  for (int attempt = 0; attempt < 10 && signal == 0; ++attempt)
  {
    signal = RunProgram({ "--batch", list, "--report", Path("reports/report.json") }, settings).signal;
    EXPECT_FALSE(HasHiddenFolder(Path("reports")));
  }
  EXPECT_EQ(signal, SIGTERM) << "it was done before each signal";
}

/** A process that is killed is a failure of its image only: another process handles the images after it. */
TEST_F(ProgramBatch, AProcessThatEndsIsOneFailure)
{
  WriteInputs(6);
  const std::string list = Path("list.csv");
  const std::string third = Path("third/out.nrrd"); // its hidden folder differs from that of another image
  std::filesystem::create_directory(Path("third"));
  {
    std::ofstream stream(list);
    for (int i = 0; i < 6; ++i)
    {
      stream << Input(i) << ',' << (i == 2 ? third : Output(i)) << '\n';
    }
  }
  std::atomic<bool> hasEnded{ false };
  std::atomic<bool> isKilled{ false };
  std::thread       killer([&] {
    while (!hasEnded && !isKilled)
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      if (!std::filesystem::exists(Output(1)) || !HasHiddenFolder(Path("third")))
      {
        continue;
      }
      if (const pid_t worker = StopWorkerOf(list); worker > 0)
      {
        const bool isInTime = HasHiddenFolder(Path("third")) && !std::filesystem::exists(third);
        isKilled = kill(worker, isInTime ? SIGKILL : SIGCONT) == 0 && isInTime;
      }
    }
  });
  ProgramResult     result;
  for (int attempt = 0; attempt < 10 && !isKilled; ++attempt) // on a busy machine the image may be finished first
  {
    std::filesystem::remove(Output(1));
    std::filesystem::remove(third);
    result = RunProgram({ "--batch",
                          list,
                          "--jobs",
                          "1",
                          "-i",
                          "bspline",
                          "--order",
                          "5",
                          "--size",
                          "80",
                          "--output-type",
                          "double",
                          "--overwrite" });
  }
  hasEnded = true;
  killer.join();
  EXPECT_TRUE(isKilled);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.errors.find("1 of 6 images failed"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find(Input(2) + ": its process was ended by a signal"), std::string::npos) << result.errors;
  for (const int done : { 0, 1, 3, 4, 5 })
  {
    EXPECT_TRUE(std::filesystem::exists(Output(done))) << done;
  }
  EXPECT_FALSE(std::filesystem::exists(third));
}

TEST_F(ProgramBatch, WrongLists)
{
  WriteInputs(2);
  const auto expect = [this](const std::string & text, const std::vector<std::string> & words) {
    std::ofstream(Path("list.csv")) << text;
    ExpectError(RunProgram({ "--batch", Path("list.csv") }), words, 2);
  };
  expect("", { "list.csv", "is empty" });
  expect(",\n,,\n , ,,,\n", { "list.csv", "is empty" }); // for an empty table
  expect(",,;\n", { "line 1", "the input is missing" });
  expect(Input(0) + "\n", { "line 1", "1 fields" });
  expect(Input(0) + ",," + Output(0) + "\n" + Input(1) + "\n", { "line 2", "3 are expected" });
  expect(Input(0) + ",,\n", { "line 1", "the output is missing" });
  expect("\"" + Input(0) + "\n", { "line 1", "quotation mark" });
  ExpectError(RunProgram({ "--batch", Path("none.csv") }), { "none.csv", "cannot be read" }, 2);
  ExpectError(
    RunProgram({ Input(0), Input(1), Path("none") }), { "none", "which exists or ends with /", "is not a folder" }, 2);
  ExpectError(RunProgram({ Input(0), "--batch", WriteList(2) }), { "in0.nrrd", "from the command line" }, 2);
  ExpectError(RunProgram({ "--batch", WriteList(2), "--jobs", "0" }), { "--jobs 0", "1 to 256" }, 2);
  ExpectError(RunProgram({ "--batch", WriteList(2), "--compare-itk" }), { "--compare-itk", "one image" }, 2);
  ExpectError(RunProgram({ Input(0), Output(0), "--overwrite" }), { "--overwrite", "several images" }, 2);
  ExpectError(RunProgram({ Input(0), Output(0), "--device", "0,1," }), { "\"0,1,\"", "such as 0 or 0,1" }, 2);
  ExpectError(RunProgram({ "--batch", WriteList(2), "--device", "cpu,cpu" }), { "\"cpu,cpu\"", "such as 0 or 0,1" }, 2);
  ProgramSettings settings;
  settings.environment.emplace_back("CUDASPLINE_DEVICE", "cpu,0");
  ExpectError(RunProgram({ "--batch", WriteList(2) }, settings), { "CUDASPLINE_DEVICE=cpu,0", "as in 0,1" }, 2);
  ExpectError(RunProgram({ "--batch", WriteList(2), "--explain" }), { "--explain", "one image" }, 2);

  std::filesystem::create_directory(Path("results"));
  std::filesystem::create_directory(Path("series"));
  ExpectError(RunProgram({ Path("series/"), Input(0), Path("results") }), { "series", "--batch" }, 2);
  // A folder with the name of an output does not count as an existing output.
  std::ofstream(Path("list.csv")) << Input(0) << ',' << Path("results") << '\n';
  const ProgramResult folder = RunProgram({ "--batch", Path("list.csv") });
  EXPECT_EQ(folder.code, 1);
  EXPECT_NE(folder.errors.find("is a folder"), std::string::npos) << folder.errors;

  std::ofstream(Path("list.csv")) << Input(0) << ',' << Output(0) << '\n' << Input(1) << ',' << Output(0) << '\n';
  ExpectError(RunProgram({ "--batch", Path("list.csv") }), { "out0.nrrd", "name the same file" });
  std::ofstream(Path("list.csv")) << Input(0) << ',' << Input(1) << '\n' << Input(1) << ',' << Output(0) << '\n';
  ExpectError(RunProgram({ "--batch", Path("list.csv") }), { "in1.nrrd", "an input and an output" });
  EXPECT_FALSE(std::filesystem::exists(Output(0)));
  const std::string move = WriteTranslation(1.0);
  std::ofstream(Path("list.csv")) << Input(0) << ',' << Input(0) << "x.nrrd\n" << Input(1) << ',' << move << '\n';
  ExpectError(RunProgram({ "--batch", Path("list.csv"), "-t", move }), { "move.tfm", "an input and an output" });
}

/** Names are bytes. Those that move the cursor of a terminal, or clear it, are not printed. */
TEST_F(ProgramBatch, NamesWithControlCharacters)
{
  WriteInputs(1);
  const std::string clear = "\x1b[2J"; // ESC [ 2 J clears the screen
  const std::string inUtf8 = "\xC2\x9B"
                             "2J"; // U+009B, which has the same effect
  const std::string input = Path("in" + clear + inUtf8 + "\a.nrrd");
  const std::string output = Path("out" + clear + inUtf8 + "\a.nrrd");
  std::filesystem::copy_file(Input(0), input);
  std::ofstream(Path("list.csv")) << input << ',' << output << '\n'
                                  << Path("none" + clear + inUtf8 + "\a.nrrd,none.nrrd\n");
  const ProgramResult result = RunProgram({ "--batch", Path("list.csv"), "--size", "3", "--verbose" });
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.CountErrorLines(), 3u) << result.errors; // a warning, an error, and the number of failures
  EXPECT_NE(result.errors.find("in?[2J?2J?.nrrd: the output grid is coarser"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("none?[2J?2J?.nrrd: "), std::string::npos) << result.errors;
  EXPECT_NE(result.output.find("out?[2J?2J?.nrrd: done"), std::string::npos) << result.output;
  for (const std::string & text : { result.errors, result.output })
  {
    EXPECT_TRUE(std::none_of(
      text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7F || c == 0xC2; }))
      << text;
  }
  EXPECT_TRUE(std::filesystem::exists(output));
}

/** Images are assigned to the devices in turn, each by its own number. */
TEST_F(ProgramBatch, SeveralDevices)
{
  WriteInputs(8);
  const std::string list = WriteList(8);
  const auto        run = [&](const std::string & devices) {
    return RunProgram(
      { "--batch", list, "--device", devices, "--jobs", "2", "-i", "bspline", "--report", Path("report.json") });
  };
  // A missing device fails its images, with its number.
  const ProgramResult wrong = run("97,98");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.errors.find("8 of 8 images failed"), std::string::npos) << wrong.errors;
  EXPECT_NE(wrong.errors.find("97"), std::string::npos) << wrong.errors;
  EXPECT_NE(wrong.errors.find("98"), std::string::npos) << wrong.errors;

  if (RunProgram({ Input(0), Output(0), "--device", "1", "--explain" }).code != 0)
  {
    GTEST_SKIP() << "There are no two usable GPUs.";
  }
  ExpectQuietSuccess(run("0,1"));
  std::set<std::string> devices;
  const nlohmann::json  report = ReadReport();
  for (const auto & item : report["items"])
  {
    EXPECT_EQ(item["report"]["backend"], "Cuda");
    const std::string device = item["report"]["device"];
    devices.insert(device.substr(0, device.find(',')));
  }
  EXPECT_EQ(devices, (std::set<std::string>{ "device 0", "device 1" }));
  for (int i = 0; i < 8; ++i)
  {
    ExpectQuietSuccess(RunProgram({ Input(i), Path("single.nrrd"), "--device", "0", "-i", "bspline" }));
    EXPECT_EQ(Content(Output(i)), Content(Path("single.nrrd"))) << i;
  }
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

/** A batch that is killed leaves only complete outputs, and the next run continues where it stopped. */
TEST_F(ProgramBatch, GoesOnAfterASignal)
{
  WriteInputs(6);
  ProgramSettings settings;
  settings.signalWhenFolder = m_Folder.string();
  const std::vector<std::string> how{ "--batch", WriteList(6), "-i",  "bspline", "--order",
                                      "5",       "--size",     "100", "--jobs",  "2" };
  const ProgramResult            ended = RunProgram(how, settings);
  EXPECT_EQ(ended.signal, SIGTERM);
  // The processes get the signal when their parent has ended.
  for (int wait = 0; wait < 200 && HasHiddenFolder(m_Folder); ++wait)
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_FALSE(HasHiddenFolder(m_Folder));
  ExpectQuietSuccess(RunProgram(how));
  for (int i = 0; i < 6; ++i)
  {
    EXPECT_EQ(ReadTestImage<BatchImage>(Output(i))->GetBufferedRegion().GetSize()[0], 100u) << i;
  }
}

} // namespace
