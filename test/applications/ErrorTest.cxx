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

#include "GpuIsRequired.h"

#include "itkRGBPixel.h"

/** \file
 * \brief Invalid input results in an exit code, one line with the problem and what is allowed, and unchanged outputs.
 */

namespace
{

class ProgramErrors : public ProgramTest
{
protected:
  void
  SetUp() override
  {
    ProgramTest::SetUp();
    WriteTestImage(MakePhantom<itk::Image<short, 3>>({ { 20, 20, 20 } }).GetPointer(), Path("in.nii"));
    std::ofstream(Path("out.nii")) << "what was there";
  }

  void
  TearDown() override
  {
    // In all cases the old file still exists and there is no other file.
    EXPECT_EQ(Content(Path("out.nii")), "what was there");
    for (const auto & entry : std::filesystem::directory_iterator(m_Folder))
    {
      EXPECT_NE(entry.path().filename().string()[0], '.') << entry.path();
    }
    ProgramTest::TearDown();
  }

  /** Runs the program from in.nii to out.nii. */
  ProgramResult
  Run(std::vector<std::string> options)
  {
    options.insert(options.begin(), { Path("in.nii"), Path("out.nii") });
    return RunProgram(options);
  }
};

TEST_F(ProgramErrors, CommandLine)
{
  ExpectError(RunProgram({}), { "input is required" }, 2);
  ExpectError(RunProgram({ Path("in.nii") }), { "output is required" }, 2);
  ExpectError(Run({ "third.nii" }), { "third.nii" }, 2);
  ExpectError(Run({ "--frobnicate" }), { "--frobnicate" }, 2);
  ExpectError(Run({ "--interpolation", "quintic" }), { "quintic", "nearest", "linear", "bspline" }, 2);
  ExpectError(Run({ "--interpolation", "linaer" }), { "linaer", "did you mean \"linear\"?" }, 2);
  ExpectError(Run({ "--interpolation", "BSpline[3]", "--order", "2" }), { "--order 2", "BSpline[3]" }, 2);
  ExpectError(Run({ "--interpolation", "BSpline[7]" }), { "--order 7" }, 2);
  ExpectError(Run({ "--interpolation", "cubic", "--order", "5" }), { "--order 5", "cubic" }, 2);
  ExpectError(Run({ "--spaceing", "1" }), { "\"--spaceing\"", "did you mean \"--spacing\"?" }, 2);
  ExpectError(Run({ "--type", "float" }), { "\"--type\"" }, 2);
  ExpectError(Run({ "--output-type", "flaot32" }), { "flaot32", "did you mean \"float32\"?" }, 2);
  ExpectError(Run({ "--round", "neaerst" }), { "neaerst", "did you mean \"nearest\"?", "itk" }, 2);
  ExpectError(Run({ "--smooth", "atuo" }), { "atuo", "did you mean \"auto\"?" }, 2);
  ExpectError(Run({ "--interpolation", "bspline", "--order", "6" }), { "--order 6", "0, 1, 2, 3, 4 and 5" }, 2);
  ExpectError(Run({ "--interpolation", "bspline", "--order", "three" }), { "--order three" }, 2);
  ExpectError(Run({ "--order", "3" }), { "--order", "bspline", "linear" }, 2);
  ExpectError(Run({ "--size", "0,10,10" }), { "--size 0,10,10", "1 or more" }, 2);
  ExpectError(Run({ "--size", "-5" }), { "--size -5" }, 2);
  ExpectError(Run({ "--size", "2.5" }), { "--size 2.5", "whole numbers" }, 2);
  ExpectError(Run({ "--spacing", "0" }), { "--spacing 0", "above 0" }, 2);
  ExpectError(Run({ "--spacing", "1,x" }), { "--spacing 1,x", "\"x\" is not a number" }, 2);
  ExpectError(Run({ "--spacing", "nan" }), { "--spacing nan" }, 2);
  ExpectError(Run({ "--spacing", "1,1,1,1" }), { "--spacing 1,1,1,1", "at most 3" }, 2);
  ExpectError(Run({ "--spacing" }), { "--spacing" }, 2);
  // Lists that consist of commas.
  for (const std::string option : { "--spacing", "--size", "--rotate" })
  {
    ExpectError(Run({ option, "," }), { option + " ,", "\"\" is not a number" }, 2);
    ExpectError(Run({ option, "1,,2" }), { option + " 1,,2", "\"\" is not a number" }, 2);
    ExpectError(Run({ option, "" }), { option }, 2);
  }
  ExpectError(Run({ "-i", "label-gaussian", "--sigma", ",," }), { "--sigma ,,", "\"\" is not a number" }, 2);
  ExpectError(Run({ "--device", ",," }), { "\",,\"", "such as 0 or 0,1" }, 2);
  ExpectError(Run({ "-t", "," }), { "\",\"" });
  ExpectError(Run({ "--rotate", "ten" }), { "--rotate ten" }, 2);
  ExpectError(Run({ "--output-type", "half" }), { "half", "uint8", "float, double" }, 2);
  ExpectError(Run({ "--device", "fast" }), { "fast", "auto, cpu, gpu" }, 2);
}

TEST_F(ProgramErrors, NumberOfValues)
{
  ExpectError(Run({ "--spacing", "1", "2" }), { "--spacing has 2 values", "1 or", "3" });
  ExpectError(Run({ "--size", "1,2" }), { "--size has 2 values" });
}

TEST_F(ProgramErrors, Input)
{
  ExpectError(RunProgram({ Path("none.nii"), Path("out.nii") }), { "none.nii", "no file" });
  ExpectError(Run({ "--reference", Path("none.nii") }), { "none.nii", "no file" });
  ExpectError(Run({ "--series", "1.2.3" }), { "--series", "in.nii" });
  std::ofstream(Path("text.nii")) << "this is not an image, although its name ends in .nii\n";
  ExpectError(RunProgram({ Path("text.nii"), Path("out.nii") }), { "text.nii", "no NIfTI header" });
  std::ofstream(Path("empty.nii"));
  ExpectError(RunProgram({ Path("empty.nii"), Path("out.nii") }), { "empty.nii" });
}

TEST_F(ProgramErrors, WhatKindsOfImagesAreAllowed)
{
  const auto image5 = itk::Image<float, 5>::New();
  image5->SetRegions(itk::Size<5>{ { 4, 5, 6, 7, 2 } });
  image5->Allocate(true);
  WriteTestImage(image5.GetPointer(), Path("five.nrrd"));
  ExpectError(RunProgram({ Path("five.nrrd"), Path("out.nii") }),
              { "five.nrrd", "space dimension is \"5\"", "2, 3 and 4 are allowed" });
  // Formats that do not support colours of that type, or series.
  const auto color = itk::Image<itk::RGBPixel<unsigned char>, 3>::New();
  color->SetRegions(itk::Size<3>{ { 4, 5, 6 } });
  color->Allocate(true);
  WriteTestImage(color.GetPointer(), Path("color.nrrd"));
  ExpectError(RunProgram({ Path("color.nrrd"), Path("out.png") }), { "out.png" });
}

/** Truncated files are reported, also for formats in which ITK reads zeros instead. */
TEST_F(ProgramErrors, CutShort)
{
  const auto image = MakePhantom<itk::Image<short, 3>>({ { 20, 20, 20 } });
  for (const std::string format : { ".nii", ".nii.gz", ".nrrd", ".mha", ".tif" })
  {
    const std::string file = Path("short" + format);
    WriteTestImage(image.GetPointer(), file);
    std::filesystem::resize_file(file, std::filesystem::file_size(file) * 3 / 4);
    ExpectError(RunProgram({ file, Path("out.nii") }), { "short" + format });
  }
  for (const std::string format : { ".mhd", ".hdr" })
  {
    const std::string file = Path("pair" + format);
    const std::string pixels = Path(format == ".mhd" ? "pair.raw" : "pair.img");
    WriteTestImage(image.GetPointer(), file);
    std::filesystem::resize_file(pixels, std::filesystem::file_size(pixels) / 2);
    ExpectError(RunProgram({ file, Path("out.nii") }), { "pair" });
  }
}

TEST_F(ProgramErrors, Output)
{
  ExpectError(RunProgram({ Path("in.nii"), Path("none/out.nii") }), { "none", "does not exist" });
  ExpectError(RunProgram({ Path("in.nii"), m_Folder.string() }), { "is a folder" });
  ExpectError(RunProgram({ Path("in.nii"), Path("out.xyz") }), { "out.xyz", ".nii.gz" });
  ExpectError(RunProgram({ Path("in.nii"), Path("out.png") }), { "out.png" });
  ExpectError(Run({ "--report", Path("none/report.json") }), { "none", "does not exist" });
}

TEST_F(ProgramErrors, PixelTypeThatTheFormatLacks)
{
  WriteTestImage(MakePhantom<itk::Image<float, 2>>({ { 20, 20 } }).GetPointer(), Path("flat.nrrd"));
  ExpectError(RunProgram({ Path("flat.nrrd"), Path("out.png") }), { "out.png", "float", "unsigned char" });
}

TEST_F(ProgramErrors, Devices)
{
  ExpectError(Run({ "--device", "99" }), { "\"99\"", "allowed are cpu" });
  const auto withVariable = [this](const std::string & value) {
    ProgramSettings settings;
    settings.environment = { { "CUDASPLINE_DEVICE", value } };
    return RunProgram({ Path("in.nii"), Path("out.nii") }, settings);
  };
  ExpectError(withVariable("99"), { "\"99\"", "allowed are cpu" });
  ExpectError(withVariable("fast"), { "\"fast\"", "allowed are cpu" });
  ExpectError(withVariable("0,"), { "\"0,\"", "allowed are cpu" });
  ExpectError(withVariable("0,0"), { "\"0,0\"", "allowed are cpu" });
  ExpectError(Run({ "--device", "98,99" }), { "98", "allowed are cpu" });
}

/** If a GPU that was requested by number has too little memory, this is an error, and no other backend is used
 * silently. */
TEST_F(ProgramErrors, DeviceWithoutMemory)
{
  ProgramSettings settings;
  settings.environment = { { "CUDASPLINE_MEMORY_LIMIT", "1K" } };
  const ProgramResult result = RunProgram({ Path("in.nii"), Path("out.nii"), "--device", "0" }, settings);
  ExpectError(result, { "0" });
  if (result.errors.find("allowed are cpu") != std::string::npos)
  {
    CUDASPLINE_SKIP_WITHOUT_GPU();
  }
  ExpectError(result, { "device 0 was requested", "memory" });
}

TEST_F(ProgramErrors, OutputTooLargeForTheMemory)
{
  ExpectError(Run({ "--size", "2000000" }), { "memory", "2000000 x 2000000 x 2000000" });
}

} // namespace
