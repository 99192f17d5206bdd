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

#include <algorithm>
#include <chrono>

/** \file
 * \brief A batch that is started again makes outputs that do not match their inputs and options. Other options, files
 * and outputs are detected, also data files of headers. */

namespace
{

using Clock = std::filesystem::file_time_type::clock;
using Words = std::vector<std::string>;

class ProgramBatchAgain : public ProgramBatch
{
protected:
  /** Runs a batch and returns the states of its items, one letter each. */
  std::string
  Run(const Words & options = {}, const std::string & list = "list.csv")
  {
    Words words{ "--batch", Path(list), "--report", Path("report.json") };
    words.insert(words.end(), options.begin(), options.end());
    const ProgramResult result = RunProgram(words);
    ExpectQuietSuccess(result);
    m_Output = result.output;
    std::string          states;
    const nlohmann::json report = ReadReport();
    for (const auto & item : report["items"])
    {
      states += item["status"].get<std::string>()[0];
    }
    return states;
  }

  /** Returns why an item was made again. */
  std::string
  Reason(int item) const
  {
    return ReadReport()["items"][item]["made_again"];
  }

  /** Adds one to a byte in the middle of a file. */
  void
  Change(const std::string & path)
  {
    std::string bytes = Content(path);
    ASSERT_GT(bytes.size(), 2u);
    ++bytes[bytes.size() / 2];
    std::ofstream(path, std::ios::binary) << bytes;
  }

  std::string m_Output; ///< of the last run
};

} // namespace

TEST_F(ProgramBatchAgain, WhatIsThereIsSkipped)
{
  WriteInputs(3);
  WriteList(3);
  EXPECT_EQ(Run(), "ddd");
  EXPECT_EQ(m_Output, "");
  const auto time = std::filesystem::last_write_time(Output(1));
  std::filesystem::remove(Output(2));
  EXPECT_EQ(Run(), "ssd");
  EXPECT_EQ(std::filesystem::last_write_time(Output(1)), time);
  EXPECT_EQ(m_Output.find("2 of 3 images were there already, made with these options"), 0u) << m_Output;
  EXPECT_EQ(Reason(2), "");
  // The device and the number of jobs do not change the result.
  EXPECT_EQ(Run({ "--device", "cpu", "--jobs", "1" }), "sss");
  EXPECT_EQ(Run({ "--overwrite" }), "ddd");
  EXPECT_EQ(m_Output, "");
}

TEST_F(ProgramBatchAgain, WhatOthersMadeIsMadeAgain)
{
  WriteInputs(2);
  WriteList(2);
  std::ofstream(Output(0)) << "from elsewhere";
  EXPECT_EQ(Run(), "dd");
  EXPECT_NE(Reason(0).find("by no batch"), std::string::npos) << Reason(0);
  EXPECT_EQ(m_Output.find("1 of 2 images were there, made otherwise, and were made again"), 0u) << m_Output;
  const std::string made = Content(Output(0));
  ExpectQuietSuccess(RunProgram({ Input(0), Output(0), "--rotate", "1,2,3" }));
  EXPECT_EQ(Run(), "ds");
  EXPECT_NE(Reason(0).find("was changed"), std::string::npos) << Reason(0);
  EXPECT_EQ(Content(Output(0)), made);
}

TEST_F(ProgramBatchAgain, OtherOptionsAreNoticed)
{
  WriteInputs(1);
  WriteList(1);
  const std::string        move = WriteTranslation(1.5);
  const std::vector<Words> calls{ {},
                                  { "-i", "nearest" },
                                  { "-i", "bspline" },
                                  { "-i", "bspline", "--order", "4" },
                                  { "--spacing", "0.9" },
                                  { "--size", "30" },
                                  { "--rotate", "0,0,7" },
                                  { "--rotate", "0,0,7", "--default-value", "3" },
                                  { "--output-type", "float" },
                                  { "-r", Input(0), "--size", "35" },
                                  { "-t", move },
                                  { "-t", move + ",inverse" },
                                  { "-t", move, "-t", move } };
  for (const Words & call : calls)
  {
    const std::string name = call.empty() ? "" : call.back();
    EXPECT_EQ(Run(call), "d") << name;
    EXPECT_TRUE(call.empty() || !Reason(0).empty()) << name;
    Words single{ Input(0), Path("single.nrrd") };
    single.insert(single.end(), call.begin(), call.end());
    ExpectQuietSuccess(RunProgram(single));
    EXPECT_EQ(Content(Output(0)), Content(Path("single.nrrd"))) << name;
    EXPECT_EQ(Run(call), "s") << name;
  }
}

TEST_F(ProgramBatchAgain, OtherFilesAreNoticed)
{
  WriteInputs(2);
  WriteList(2);
  const std::string move = WriteTranslation(1.5);
  EXPECT_EQ(Run({ "-t", move }), "dd");
  // An older file replaces another one.
  std::filesystem::copy_file(Input(1), Input(0), std::filesystem::copy_options::overwrite_existing);
  std::filesystem::last_write_time(Input(0), Clock::now() - std::chrono::hours(100));
  EXPECT_EQ(Run({ "-t", move }), "ds");
  EXPECT_NE(Reason(0).find("other files"), std::string::npos) << Reason(0);
  EXPECT_EQ(Run({ "-t", move }), "ss");
  WriteTranslation(2.5);
  EXPECT_EQ(Run({ "-t", move }), "dd");
  EXPECT_EQ(Run({ "-t", move }), "ss");
}

TEST_F(ProgramBatchAgain, DataOfHeadersAreLookedAt)
{
  WriteInputs(1);
  for (const auto & [header, data] : { std::pair("in.mhd", "in.raw"),
                                       std::pair("zip.mhd", "zip.zraw"),
                                       std::pair("in.nhdr", "in.raw"),
                                       std::pair("pair.hdr", "pair.img") })
  {
    SCOPED_TRACE(header);
    auto writer = itk::ImageFileWriter<BatchImage>::New();
    writer->SetInput(ReadTestImage<BatchImage>(Input(0)));
    writer->SetFileName(Path(header));
    writer->SetUseCompression(std::string(data) == "zip.zraw");
    writer->Update();
    ASSERT_TRUE(std::filesystem::exists(Path(data)));
    std::ofstream(Path("list.csv")) << Path(header) << ',' << Output(0) << '\n';
    EXPECT_EQ(Run(), "d");
    EXPECT_EQ(Run(), "s");
    std::filesystem::last_write_time(Path(data), Clock::now() + std::chrono::seconds(1));
    EXPECT_EQ(Run(), "d");
    if (std::string(data) != "zip.zraw")
    {
      Change(Path(data));
      const std::string before = Content(Output(0));
      EXPECT_EQ(Run(), "d");
      EXPECT_NE(Content(Output(0)), before);
    }
    EXPECT_EQ(Run(), "s");
  }
}

TEST_F(ProgramBatchAgain, DataOfSeveralFilesAreLookedAt)
{
  const std::string start =
    "ObjectType = Image\nNDims = 3\nDimSize = 4 4 3\nElementSpacing = 1 1 1\nElementType = MET_SHORT\n";
  std::filesystem::create_directory(Path("slices"));
  for (const char * const name : { "slices/a1.bin", "slices/a2.bin", "slices/a3.bin" })
  {
    std::ofstream(Path(name)) << std::string(32, 'x');
  }
  std::ofstream(Path("some.mhd")) << start << "ElementDataFile = LIST\nslices/a1.bin\nslices/a2.bin\nslices/a3.bin\n";
  std::ofstream(Path("all.mhd")) << start << "ElementDataFile = slices/a%d.bin 1 3 1\n";
  std::ofstream(Path("list.csv")) << Path("some.mhd") << ',' << Output(0) << '\n'
                                  << Path("all.mhd") << ',' << Output(1) << '\n';
  EXPECT_EQ(Run({ "-i", "nearest" }), "dd");
  EXPECT_EQ(Run({ "-i", "nearest" }), "ss");
  Change(Path("slices/a2.bin"));
  EXPECT_EQ(Run({ "-i", "nearest" }), "dd");
  EXPECT_EQ(Run({ "-i", "nearest" }), "ss");
  std::ofstream(Path("slices/b2.bin")) << "of another image";
  EXPECT_EQ(Run({ "-i", "nearest" }), "ss");
}

/** Headers of formats that usually have their data in the same file, but here name another one. */
TEST_F(ProgramBatchAgain, DataBesideMetaImagesAndNrrdsAreLookedAt)
{
  std::ofstream(Path("data.bin")) << std::string(96, 'x');
  std::ofstream(Path("in.mha"))
    << "ObjectType = Image\nNDims = 3\nDimSize = 4 4 3\nElementSpacing = 1 1 1\nElementType = MET_SHORT\n"
    << "ElementDataFile = data.bin\n";
  std::ofstream(Path("in.nrrd"))
    << "NRRD0004\ntype: short\ndimension: 3\nsizes: 4 4 3\nspacings: 1 1 1\nencoding: raw\n"
    << "endian: little\ndata file: data.bin\n";
  std::ofstream(Path("list.csv")) << Path("in.mha") << ',' << Output(0) << '\n'
                                  << Path("in.nrrd") << ',' << Output(1) << '\n';
  EXPECT_EQ(Run({ "-i", "nearest" }), "dd");
  EXPECT_EQ(Run({ "-i", "nearest" }), "ss");
  Change(Path("data.bin"));
  EXPECT_EQ(Run({ "-i", "nearest" }), "dd");
  EXPECT_EQ(Run({ "-i", "nearest" }), "ss");
}

/** Numbers for which JSON has the same word. */
TEST_F(ProgramBatchAgain, DefaultValuesThatAreNoNumbers)
{
  WriteInputs(1);
  WriteList(1);
  for (const char * const value : { "nan", "inf", "-inf", "0.1", "0.10000000000000002" })
  {
    EXPECT_EQ(Run({ "--output-type", "double", "--default-value", value }), "d") << value;
    EXPECT_EQ(Run({ "--output-type", "double", "--default-value", value }), "s") << value;
  }
}

/** Names in other encodings than UTF-8 are supported. */
TEST_F(ProgramBatchAgain, NamesOfAnyBytes)
{
  WriteInputs(1);
  const std::string name = Path("\xe4ltere 100%.nrrd"); // Latin-1
  std::ofstream(Path("list.csv")) << Input(0) << ',' << name << '\n';
  ExpectQuietSuccess(RunProgram({ "--batch", Path("list.csv") }));
  const auto time = std::filesystem::last_write_time(name);
  ExpectQuietSuccess(RunProgram({ "--batch", Path("list.csv") }));
  EXPECT_EQ(std::filesystem::last_write_time(name), time);
}

/** An output that was replaced with an invalid file is made again, and does not stop the others. */
TEST_F(ProgramBatchAgain, AnOutputThatNamesWhatIsNotThere)
{
  WriteInputs(2);
  std::ofstream(Path("list.csv")) << Input(0) << ',' << Path("out.mhd") << '\n' << Input(1) << ',' << Output(1) << '\n';
  EXPECT_EQ(Run(), "dd");
  std::ofstream(Path("out.mhd"), std::ios::app) << "ElementDataFile = nowhere/%d.raw 1 2 1\n";
  EXPECT_EQ(Run(), "ds");
  EXPECT_NE(Reason(0).find("was changed"), std::string::npos) << Reason(0);
}

TEST_F(ProgramBatchAgain, OutputsOfTwoFiles)
{
  WriteInputs(1);
  std::ofstream(Path("list.csv")) << Input(0) << ',' << Path("out.mhd") << '\n';
  EXPECT_EQ(Run(), "d");
  EXPECT_EQ(Run(), "s");
  std::filesystem::remove(Path("out.raw"));
  EXPECT_EQ(Run(), "d");
  EXPECT_TRUE(std::filesystem::exists(Path("out.raw")));
  // Older data of the same size.
  Change(Path("out.raw"));
  std::filesystem::last_write_time(Path("out.raw"), Clock::now() - std::chrono::hours(100));
  EXPECT_EQ(Run(), "d");
}

/** For any damage of the record, outputs are made again at worst. */
TEST_F(ProgramBatchAgain, ADamagedRecord)
{
  WriteInputs(3);
  WriteList(3);
  EXPECT_EQ(Run({ "--jobs", "1" }), "ddd");
  const std::string record = Path(".CudaSplineResample.done");
  const std::string whole = Content(record);
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '{'), 3);
  std::ofstream(record) << whole.substr(0, whole.size() - 20); // truncated in the middle of a line
  EXPECT_EQ(Run(), "ssd");
  EXPECT_EQ(Run(), "sss"); // the new line is read
  std::ofstream(record) << "[]\n{\"output\": 3}\n\xff\xfe{{{\n";
  EXPECT_EQ(Run(), "ddd");
  std::filesystem::remove(record);
  EXPECT_EQ(Run(), "ddd");
  // A record that cannot be written is reported, and does not affect other outputs.
  std::filesystem::remove(record);
  std::filesystem::create_directory(record);
  const ProgramResult result = RunProgram({ "--batch", Path("list.csv") });
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.CountErrorLines(), 3u) << result.errors;
  EXPECT_NE(result.errors.find("cannot be recorded"), std::string::npos) << result.errors;
}
