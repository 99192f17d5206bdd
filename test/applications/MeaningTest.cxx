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
#include "console/Error.h"
#include "io/formats/ImageOutput.h"
#include "TestImages.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief Meanings of numbers that formats keep: the table of doc/FileFormats.md, cell by cell. */

namespace
{

using namespace CudaSplineProgram;
using Pixel = itk::IOPixelEnum;

/** An image in a format, and part of the text about the loss. The text is empty if nothing is lost. */
struct MeaningCase
{
  Pixel        pixel;
  unsigned int components;
  ScalarType   type;
  std::string  ending;
  std::string  lost;
  unsigned int dimension{ 3 };
};

class ProgramMeaning
  : public ProgramTest
  , public ::testing::WithParamInterface<MeaningCase>
{
protected:
  static Volume
  MakeVolume(const MeaningCase & of)
  {
    Volume volume;
    volume.grid.dimension = of.dimension;
    volume.grid.size = { 4, 3, of.dimension == 2 ? std::size_t{ 1 } : 2 };
    volume.type = of.type;
    const auto pixels = std::make_shared<std::vector<char>>(volume.GetNumberOfBytes() * of.components, '\x01');
    volume.pixels = std::shared_ptr<void>(pixels->data(), [pixels](void *) {});
    return volume;
  }
};

constexpr auto uint8 = ScalarType::UInt8;
constexpr auto float32 = ScalarType::Float32;

/** Returns cells that lose a meaning, with the meaning that a reader finds. */
std::vector<MeaningCase>
LossyCells()
{
  std::vector<MeaningCase> cells;
  for (const std::string ending : { ".mha", ".mhd", ".h5" })
  {
    cells.push_back({ Pixel::RGB, 3, uint8, ending, "RGB colours (they become vectors; .nrrd and .nii.gz keep them)" });
    cells.push_back({ Pixel::RGBA, 4, uint8, ending, "RGBA colours (they become vectors; .nrrd and .nii.gz keep" });
    cells.push_back(
      { Pixel::SYMMETRICSECONDRANKTENSOR, 6, float32, ending, "symmetric tensors (they become vectors; .n" });
    cells.push_back(
      { Pixel::COMPLEX, 2, float32, ending, "complex numbers (they become vectors; .nrrd and .nii.gz keep" });
    cells.push_back(
      { Pixel::COVARIANTVECTOR, 3, float32, ending, "covariant vectors (they become vectors; .nrrd keeps" });
    cells.push_back({ Pixel::POINT, 3, float32, ending, "points (they become vectors; .nrrd keeps them)" });
  }
  for (const std::string ending : { ".nii", ".nii.gz", ".hdr", ".img.gz" })
  {
    cells.push_back({ Pixel::COMPLEX, 2, ScalarType::Int16, ending, "complex numbers (they become vectors; .nrrd k" });
    cells.push_back(
      { Pixel::COVARIANTVECTOR, 3, float32, ending, "covariant vectors (they become vectors; .nrrd keeps" });
    cells.push_back({ Pixel::POINT, 3, float32, ending, "points (they become vectors; .nrrd keeps them)" });
    cells.push_back({ Pixel::VECTOR, 3, float32, ending, "2 dimensions (it becomes a slice of 3)", 2 });
  }
  cells.push_back(
    { Pixel::VECTOR, 3, float32, ".tif", "vectors (they become RGB colours; .nrrd and .nii.gz keep them)" });
  cells.push_back({ Pixel::RGBA, 4, uint8, ".tif", "RGBA colours (they become RGB colours; .nrrd and .nii.gz keep" });
  cells.push_back(
    { Pixel::COMPLEX, 2, float32, ".tif", "complex numbers (they become RGB colours; .nrrd and .nii.gz" });
  cells.push_back(
    { Pixel::SYMMETRICSECONDRANKTENSOR, 6, float32, ".tif", "symmetric tensors (they become RGB colours" });
  for (const Pixel pixel : { Pixel::COVARIANTVECTOR, Pixel::POINT })
  {
    cells.push_back({ pixel, 3, float32, ".tif", "(they become RGB colours; .nrrd keeps them)" });
    cells.push_back({ pixel, 3, float32, ".vtk", "(they become vectors; .nrrd keeps them)" });
    for (const std::string ending : { ".png", ".jpg", ".bmp", ".dcm" })
    {
      cells.push_back({ pixel, 3, uint8, ending, "(they become RGB colours; .nrrd keeps them)", 2 });
    }
  }
  cells.push_back({ Pixel::COMPLEX, 2, float32, ".vtk", "complex numbers (they become vectors; .nrrd and .nii.gz" });
  for (const std::string ending : { ".png", ".jpg", ".bmp", ".dcm" })
  {
    cells.push_back({ Pixel::VECTOR, 3, uint8, ending, "vectors (they become RGB colours; .nrrd and .nii.gz", 2 });
  }
  return cells;
}

/** Returns cells that keep everything. */
std::vector<MeaningCase>
ExactCells()
{
  std::vector<MeaningCase> cells;
  for (const std::string ending : { ".nrrd", ".nhdr", ".nii", ".nii.gz", ".hdr", ".img.gz" })
  {
    cells.push_back({ Pixel::RGB, 3, uint8, ending, "" });
    cells.push_back({ Pixel::RGB, 3, float32, ending, "" });
    cells.push_back({ Pixel::RGBA, 4, uint8, ending, "" });
    cells.push_back({ Pixel::RGB, 3, uint8, ending, "", 2 });
    cells.push_back({ Pixel::SYMMETRICSECONDRANKTENSOR, 6, float32, ending, "" });
    cells.push_back({ Pixel::COMPLEX, 2, float32, ending, "" });
    cells.push_back({ Pixel::VECTOR, 3, float32, ending, "" });
    cells.push_back({ Pixel::VECTOR, 2, float32, ending, "", 2 });
  }
  for (const std::string ending : { ".nrrd", ".nhdr" })
  {
    cells.push_back({ Pixel::COMPLEX, 2, ScalarType::Int16, ending, "" });
    cells.push_back({ Pixel::COVARIANTVECTOR, 3, float32, ending, "" });
    cells.push_back({ Pixel::POINT, 3, float32, ending, "" });
    cells.push_back({ Pixel::VECTOR, 3, float32, ending, "", 2 });
  }
  for (const std::string ending : { ".mha", ".mhd", ".h5", ".vtk" })
  {
    cells.push_back({ Pixel::VECTOR, 3, float32, ending, "" });
  }
  for (const std::string ending : { ".png", ".jpg", ".bmp", ".dcm", ".tif", ".vtk" })
  {
    cells.push_back({ Pixel::RGB, 3, uint8, ending, "", 2 });
  }
  for (const std::string ending : { ".png", ".bmp", ".vtk" })
  {
    cells.push_back({ Pixel::RGBA, 4, uint8, ending, "", 2 });
  }
  return cells;
}

TEST_P(ProgramMeaning, IsKeptOrReported)
{
  ImageLayout layout;
  layout.components = GetParam().components;
  layout.pixel = GetParam().pixel;
  const std::string lost = WriteImage(MakeVolume(GetParam()), Path("out" + GetParam().ending), layout);
  EXPECT_EQ(lost.empty(), GetParam().lost.empty()) << lost;
  EXPECT_NE(lost.find(GetParam().lost), std::string::npos) << lost << " instead of " << GetParam().lost;
}

TEST_F(ProgramMeaning, IsRefused)
{
  for (const std::string ending : { ".png", ".jpg", ".bmp", ".dcm" })
  {
    for (const auto & [pixel, components] :
         { std::pair(Pixel::COMPLEX, 2u), std::pair(Pixel::SYMMETRICSECONDRANKTENSOR, 6u), std::pair(Pixel::RGBA, 4u) })
    {
      if (pixel == Pixel::RGBA && (ending == ".png" || ending == ".bmp"))
      {
        continue;
      }
      const MeaningCase cell{ pixel, components, pixel == Pixel::RGBA ? uint8 : float32, ending, "", 2 };
      ImageLayout       layout;
      layout.components = cell.components;
      layout.pixel = cell.pixel;
      EXPECT_THROW(WriteImage(MakeVolume(cell), Path("out" + ending), layout), ProgramError) << ending << components;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lossy, ProgramMeaning, ::testing::ValuesIn(LossyCells()));
INSTANTIATE_TEST_SUITE_P(Exact, ProgramMeaning, ::testing::ValuesIn(ExactCells()));

/** A series: spacing and origin along the fourth axis are kept, or the format is refused. */
TEST_F(ProgramMeaning, OfTheFourthAxis)
{
  ImageLayout layout;
  layout.isSeries = true;
  layout.volumes = 3;
  layout.volumeSpacing = 2.5;
  layout.volumeOrigin = 7.0;
  // The three volumes are the planes of a pixel with three numbers.
  const Volume volume = MakeVolume({ Pixel::SCALAR, 3, float32, "", "" });
  for (const std::string ending : { ".nii.gz", ".hdr", ".nrrd", ".nhdr", ".mha", ".mhd", ".h5", ".gipl" })
  {
    EXPECT_EQ(WriteImage(volume, Path("out" + ending), layout), "") << ending;
  }
  for (const std::string ending : { ".tif", ".png", ".jpg", ".bmp", ".vtk", ".dcm", ".mrc" })
  {
    EXPECT_THROW(WriteImage(volume, Path("out" + ending), layout), ProgramError) << ending;
  }
}

/** One line of the program for any number of volumes, and none if the format keeps the meaning. */
TEST_F(ProgramMeaning, IsAWarningOfOneLine)
{
  const MeaningCase cell{ Pixel::RGB, 3, uint8, "", "" };
  ImageLayout       layout;
  layout.components = cell.components;
  layout.pixel = cell.pixel;
  EXPECT_EQ(WriteImage(MakeVolume(cell), Path("in.nii.gz"), layout), "");
  const ProgramResult result = RunProgram({ Path("in.nii.gz"), Path("out.mha"), "-i", "nearest" });
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.errors,
            "CudaSplineResample: warning: the format of \"" + Path("out.mha") +
              "\" does not keep the image's RGB colours (they become vectors; .nrrd and .nii.gz keep them)\n");
  ExpectQuietSuccess(RunProgram({ Path("in.nii.gz"), Path("out.nrrd"), "-i", "nearest" }));
  ExpectQuietSuccess(RunProgram({ Path("out.nrrd"), Path("out.nii"), "-i", "nearest" }));
}

} // namespace
