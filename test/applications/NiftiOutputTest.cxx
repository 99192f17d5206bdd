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
#include "io/formats/ImageOutput.h"
#include "TestImages.h"

#include "itk_zlib.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

/** \file
 * \brief Compressed NIfTI files, which are written from memory, have the same bytes as uncompressed ones. */

namespace
{

using namespace CudaSplineProgram;

/** An image of random numbers. The layout may depend on its kind and size. */
struct PackedCase
{
  std::string                name;
  ScalarType                 type;
  itk::IOPixelEnum           pixel;
  unsigned int               components;
  std::array<std::size_t, 3> size; ///< two axes if the last size is 0
};

class ProgramNiftiOutput
  : public ProgramTest
  , public ::testing::WithParamInterface<PackedCase>
{
protected:
  static Volume
  MakeVolume(const PackedCase & of)
  {
    Volume volume;
    volume.grid.dimension = of.size[2] == 0 ? 2 : 3;
    volume.grid.size = { of.size[0], of.size[1], of.size[2] == 0 ? 1 : of.size[2] };
    volume.grid.spacing = { 1.5, 2.0, volume.grid.dimension == 2 ? 1.0 : 3.0 };
    volume.grid.origin = { -20.0, 30.0, volume.grid.dimension == 2 ? 0.0 : 7.0 };
    volume.type = of.type;
    const std::size_t bytes = volume.GetNumberOfBytes() * of.components;
    const auto        pixels = std::make_shared<std::vector<char>>(bytes);
    std::mt19937      random(20262);
    for (char & byte : *pixels)
    {
      byte = static_cast<char>(random() % 64); // real numbers of such bytes are finite
    }
    volume.pixels = std::shared_ptr<void>(pixels->data(), [pixels](void *) {});
    return volume;
  }

  std::string
  Unpacked(const std::string & path) const
  {
    const gzFile      file = gzopen(path.c_str(), "rb");
    std::string       bytes;
    std::vector<char> buffer(1 << 16);
    for (int count = 0; (count = gzread(file, buffer.data(), static_cast<unsigned int>(buffer.size()))) > 0;)
    {
      bytes.append(buffer.data(), static_cast<std::size_t>(count));
    }
    EXPECT_EQ(gzclose(file), Z_OK);
    return bytes;
  }
};

} // namespace

TEST_P(ProgramNiftiOutput, IsTheSameWhenCompressed)
{
  const Volume volume = MakeVolume(GetParam());
  ImageLayout  layout;
  layout.components = GetParam().components;
  layout.pixel = GetParam().pixel;
  for (const bool hasNotes : { false, true })
  {
    if (hasNotes)
    {
      layout.notes = { { "qform_code", "4" }, { "sform_code", "4" }, { "ITK_FileNotes", "a template" } };
    }
    EXPECT_EQ(WriteImage(volume, Path("plain.nii"), layout), "");
    EXPECT_EQ(WriteImage(volume, Path("packed.nii.gz"), layout), "");
    EXPECT_TRUE(Unpacked(Path("packed.nii.gz")) == Content(Path("plain.nii"))) << hasNotes;
    EXPECT_FALSE(std::filesystem::exists(Path("packed.nii")));
  }
}

/** Scalars, components that are stored one after the other, and tensors, whose components have a special order. Some
 * files have several compression blocks, which begin within numbers or pixels. */
INSTANTIATE_TEST_SUITE_P(
  ProgramNifti,
  ProgramNiftiOutput,
  ::testing::Values(
    PackedCase{ "Bytes", ScalarType::UInt8, itk::IOPixelEnum::SCALAR, 1, { 101, 67, 43 } },
    PackedCase{ "Shorts", ScalarType::Int16, itk::IOPixelEnum::SCALAR, 1, { 67, 101, 1 } },
    PackedCase{ "Doubles", ScalarType::Float64, itk::IOPixelEnum::SCALAR, 1, { 43, 41, 37 } },
    PackedCase{ "Vectors", ScalarType::Float32, itk::IOPixelEnum::VECTOR, 3, { 61, 53, 47 } },
    PackedCase{ "VectorsOfDoubles", ScalarType::Float64, itk::IOPixelEnum::VECTOR, 3, { 31, 33, 29 } },
    PackedCase{ "FlatVectors", ScalarType::Float32, itk::IOPixelEnum::VECTOR, 2, { 301, 203, 0 } },
    PackedCase{ "Colours", ScalarType::UInt8, itk::IOPixelEnum::RGB, 3, { 61, 53, 47 } },
    PackedCase{ "Complex", ScalarType::Float32, itk::IOPixelEnum::COMPLEX, 2, { 41, 43, 37 } },
    PackedCase{ "Tensors", ScalarType::Float32, itk::IOPixelEnum::SYMMETRICSECONDRANKTENSOR, 6, { 23, 19, 17 } }),
  [](const auto & instance) { return instance.param.name; });
