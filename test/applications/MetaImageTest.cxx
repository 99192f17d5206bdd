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
#include "StoredFormats.h"

#include "itkCudaSpline/files/ImageFileHeader.h"

#include <algorithm>
#include <sstream>

/** \file
 * \brief MetaImages: each field gives the grid and the numbers of MetaIO's documentation,
 * https://itk.org/Wiki/MetaIO/Documentation, or is refused with its value. Names may contain percent signs.
 *
 * A point is TransformMatrix' (ElementSpacing * index) + Offset, where the matrix has one axis per row. Comments note
 * where SimpleITK 2.5.7 reads a file differently. */

namespace
{

class ProgramMetaImage : public StoredFormatTest
{
protected:
  /** A header of 5 x 6 x 7 numbers of type float. */
  static std::string
  Header(const std::string & fields, const std::string & data = "LOCAL")
  {
    return "ObjectType = Image\nNDims = 3\nDimSize = 5 6 7\nElementType = MET_FLOAT\n" + fields +
           "ElementDataFile = " + data + "\n";
  }

  static ReferenceGrid
  Grid(const Vector3d & spacing = { { 1.5, 2, 3 } }, const Vector3d & origin = { { 10, 20, 30 } })
  {
    return { { { 5, 6, 7 } },
             origin,
             { { { { spacing[0], 0, 0 } }, { { 0, spacing[1], 0 } }, { { 0, 0, spacing[2] } } } } };
  }

  void
  ExpectRead(const std::string & fields, const ReferenceGrid & grid, const std::string & warning = "")
  {
    SCOPED_TRACE(fields);
    Write("in.mha", Header(fields) + BytesOf(Ramp()));
    const ProgramResult result = Convert("in.mha");
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_EQ(result.CountErrorLines(), warning.empty() ? 0u : 1u) << result.errors;
    EXPECT_NE(result.errors.find(warning), std::string::npos) << result.errors;
    ExpectGrid(grid);
    ExpectNumbers(Ramp());
  }
};

TEST_F(ProgramMetaImage, Geometry)
{
  const std::string place = "Offset = 10 20 30\nElementSpacing = 1.5 2 3\n";
  ExpectRead(place, Grid());
  ExpectRead("Position = 10 20 30\nElementSpacing = 1.5 2 3\n", Grid());
  ExpectRead("Origin = 10 20 30\nElementSpacing = 1.5 2 3\n", Grid());
  ExpectRead("Origin = 10 20 30\nOffset = 10 20 30\nElementSpacing = 1.5 2 3\n", Grid());
  ExpectRead("offset : 10 20 30\nELEMENTSPACING = 1.5 2 3\n", Grid());
  ExpectRead(place + "ElementSize = 9 9 9\n", Grid());
  // SimpleITK uses 1 mm.
  ExpectRead("Offset = 10 20 30\nElementSize = 1.5 2 3\n", Grid());
  // SimpleITK interprets the numbers as millimetres.
  ExpectRead(place + "DistanceUnits = um\n", Grid({ { 1.5e-3, 2e-3, 3e-3 } }, { { 0.01, 0.02, 0.03 } }));
  ExpectRead(place + "DistanceUnits = cm\n", Grid({ { 15, 20, 30 } }, { { 100, 200, 300 } }));
  ExpectRead(place + "DistanceUnits = mm\n", Grid());
  const ReferenceGrid turned{ { { 5, 6, 7 } },
                              { { 10, 20, 30 } },
                              { { { { 0, 1.5, 0 } }, { { -2, 0, 0 } }, { { 0, 0, 3 } } } } };
  for (const char * const name : { "TransformMatrix", "Rotation", "Orientation" })
  {
    ExpectRead(place + name + " = 0 1 0 -1 0 0 0 0 1\n", turned);
  }
  // If rows are not unit vectors, their lengths are part of the spacing; ITK keeps such a direction.
  ExpectRead(place + "TransformMatrix = 2 0 0 0 0.5 0 0 0 1\n", Grid({ { 3, 1, 3 } }));
  ExpectRead("Offset = 10 20 30\nElementSpacing = -1.5 2 3\n", Grid({ { -1.5, 2, 3 } }));
  ExpectRead("Offset = 10 20 30\n", Grid({ { 1, 1, 1 } }), "no ElementSpacing; 1 mm is taken");
  ExpectRead(place + "AnatomicalOrientation = RAI\n", Grid());
  ExpectRead(place + "AnatomicalOrientation = ???\n", Grid());
  ExpectRead(place + "AnatomicalOrientation = LPI\n", Grid(), "AnatomicalOrientation is \"LPI\"");
  ExpectRead(place + "CenterOfRotation = 0 0 0\nTransformMatrix = 1 0 0 0 1 0 0 0 1\n", Grid());
  ExpectRead(place + "CenterOfRotation = 1 2 3\nTransformMatrix = 0 1 0 -1 0 0 0 0 1\n",
             turned,
             "CenterOfRotation is \"1 2 3\"");
  ExpectRead(place + "ElementToIntensityFunctionSlope = 1\nElementToIntensityFunctionOffset = 0\n", Grid());
}

TEST_F(ProgramMetaImage, Data)
{
  const std::string place = "Offset = 10 20 30\nElementSpacing = 1.5 2 3\n";
  const std::string raw = BytesOf(Ramp());
  const auto        expect = [this](const std::string & name) {
    SCOPED_TRACE(name);
    ExpectQuietSuccess(Convert(name));
    ExpectGrid(Grid());
    ExpectNumbers(Ramp());
  };
  Write("in.mha", Header(place + "CompressedData = True\n") + Deflate(raw, false));
  expect("in.mha");
  Write("in.mha", Header(place + "CompressedData = True\n") + Deflate(raw.substr(0, 400)) + Deflate(raw.substr(400)));
  expect("in.mha");
  for (const char * const field : { "BinaryDataByteOrderMSB", "ElementByteOrderMSB" })
  {
    Write("in.mha", Header(place + field + " = True\n") + BytesOf(Ramp(), true));
    expect("in.mha");
    Write("in.mha", Header(place + field + " = False\n") + raw);
    expect("in.mha");
  }
  std::ostringstream text;
  for (const float number : Ramp())
  {
    text << number << " ";
  }
  Write("in.mha", Header(place + "BinaryData = False\n") + text.str());
  expect("in.mha");
  Write("data.raw", "junk" + raw);
  Write("in.mhd", Header(place + "HeaderSize = 4\n", "data.raw"));
  expect("in.mhd");
  Write("in.mhd", Header(place + "HeaderSize = -1\n", "data.raw"));
  expect("in.mhd");
  std::string list = "LIST\n";
  std::string volumes = "LIST 2D\n";
  for (int z = 0; z < 7; ++z)
  {
    Write("slices/s" + std::to_string(10 + 2 * z) + ".raw", raw.substr(120 * z, 120));
    Write("slices/t" + std::to_string(1 + z) + ".raw", raw.substr(120 * z, 120));
    Write("slices/u0" + std::to_string(3 + z) + ".raw", raw.substr(120 * z, 120));
    list += "slices/s" + std::to_string(10 + 2 * z) + ".raw\n";
    volumes += "slices/t" + std::to_string(1 + z) + ".raw\n";
  }
  for (const std::string & data : { list,
                                    volumes,
                                    std::string("slices/s%d.raw 10 22 2"),
                                    std::string("slices/t%d.raw 1 7 1"),
                                    std::string("slices/u%02d.raw 3"),
                                    std::string("slices/t%d.raw") })
  {
    Write("in.mhd", Header(place, data));
    expect("in.mhd");
  }
  // Channels are the numbers of a pixel, and long has 4 bytes on every machine.
  std::vector<std::int32_t> numbers(48);
  for (std::size_t index = 0; index < numbers.size(); ++index)
  {
    numbers[index] = static_cast<std::int32_t>(index) - 5;
  }
  for (const char * const type : { "MET_LONG", "MET_INT", "MET_INT_ARRAY" })
  {
    Write("in.mha",
          "NDims = 3\nDimSize = 2 3 4\nElementSpacing = 1 1 1\nElementNumberOfChannels = 2\nElementType = " +
            std::string(type) + "\nElementDataFile = LOCAL\n" + BytesOf(numbers));
    ExpectQuietSuccess(Convert("in.mha"));
    ExpectNumbers(numbers);
  }
}

/** Names of headers and data with percent signs, as inputs and outputs. Patterns are still patterns. */
TEST_F(ProgramMetaImage, PercentSigns)
{
  const std::string place = "Offset = 10 20 30\nElementSpacing = 1.5 2 3\n";
  const std::string raw = BytesOf(Ramp());
  for (const char * const name : { "77 %", "50%d", "%s%n", "100%", "a%03d b" })
  {
    SCOPED_TRACE(name);
    const std::string base = name;
    Write(base + ".raw", raw);
    Write(base + ".mhd", Header(place, base + ".raw"));
    for (const char * const ending : { ".mhd", ".mha", ".nhdr", ".nrrd", ".nii", ".nii.gz" })
    {
      const std::string output = "out " + base + ending;
      ExpectQuietSuccess(RunProgram({ Path(base + ".mhd"), Path(output), "-i", "nearest", "--device", "cpu" }));
      // Another reader finds the pixels.
      const auto image = ReadTestImage<Volume>(Path(output));
      EXPECT_EQ(image->GetPixel({ { 4, 5, 6 } }), 210.0);
      EXPECT_NEAR(image->GetOrigin()[1], 20.0, 1e-5);
      ExpectQuietSuccess(Convert(output));
      ExpectNumbers(Ramp());
    }
    // A header that contains its data has no data file next to it.
    EXPECT_FALSE(std::filesystem::exists(Path("out " + base + ".raw")));
  }
  // A series, which is written volume by volume.
  Write("in.mha",
        "NDims = 4\nDimSize = 5 6 7 3\nElementSpacing = 1 1 1 2\nElementType = MET_FLOAT\nElementDataFile = LOCAL\n" +
          BytesOf(Ramp(630)));
  ExpectQuietSuccess(RunProgram({ Path("in.mha"), Path("s %d.mhd"), "-i", "nearest", "--device", "cpu" }));
  ExpectNumbers(Ramp(630), "s %d.mhd");
}

TEST_F(ProgramMetaImage, Refusals)
{
  const std::string place = "Offset = 10 20 30\nElementSpacing = 1.5 2 3\n";
  const auto        expect =
    [&](const std::string & fields, const std::vector<std::string> & words, const std::string & data = "LOCAL") {
      Write("in.mha", Header(fields, data) + BytesOf(Ramp()));
      ExpectRefusedByBoth("in.mha", words);
    };
  // SimpleITK uses the last of Position, Offset and Origin.
  expect(place + "Origin = 1 2 3\n", { "Origin is \"1 2 3\"", "\"10 20 30\"" });
  // SimpleITK does not change the numbers.
  expect(place + "ElementToIntensityFunctionSlope = 2\n", { "ElementToIntensityFunctionSlope is \"2\"" });
  expect(place + "ElementToIntensityFunctionOffset = -1024\n", { "ElementToIntensityFunctionOffset is \"-1024\"" });
  expect(place + "DistanceUnits = inch\n", { "DistanceUnits is \"inch\"", "um, mm, cm" });
  expect("ElementSpacing = 1.5 0 3\n", { "ElementSpacing", "axis 1", "above 0" });
  expect("ElementSpacing = 1.5 nan 3\n", { "ElementSpacing", "axis 1" });
  expect("ElementSpacing = 1.5 2\n", { "ElementSpacing is \"1.5 2\"", "3 numbers" });
  expect(place + "TransformMatrix = 1 0 0 1 0 0 0 0 1\n", { "not independent" });
  expect(place + "BinaryData = maybe\n", { "BinaryData is \"maybe\"", "True and False" });
  expect(place + "ElementNumberOfChannels = 0\n", { "ElementNumberOfChannels is \"0\"" });
  expect(place + "HeaderSize = -2\n", { "HeaderSize is \"-2\"" });
  expect(place + "CompressedData = True\nHeaderSize = -1\n", { "HeaderSize is \"-1\"" });
  expect(place, { "none.raw", "missing" }, "none.raw");
  expect(place, { "names 3 files", "needs 7" }, "slices/t%d.raw 1 3 1");
  expect(place, { "ElementDataFile is \"LIST 4\"" }, "LIST 4");
  Write("in.mha", "NDims = 3\nDimSize = 5 6 7\nElementType = MET_STRING\nElementDataFile = LOCAL\n");
  ExpectRefusedByBoth("in.mha", { "ElementType is \"MET_STRING\"", "MET_FLOAT" });
  Write("in.mha", "NDims = 3\nElementType = MET_FLOAT\nElementDataFile = LOCAL\n");
  ExpectRefusedByBoth("in.mha", { "DimSize is missing" });
  Write("in.mha",
        "NDims = 4\nDimSize = 2 2 2 2\nTransformMatrix = 1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1\nElementSpacing = 1 1 1 "
        "1\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n0123456789abcdef");
  ExpectRefusedByBoth("in.mha", { "TransformMatrix", "axis 3" });
}

/** Random headers give the grid of the formula. */
TEST(MetaImageHeader, RandomHeaders)
{
  std::mt19937_64 random(61);
  const auto      draw = [&random](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int number = 0; number < 20000; ++number)
  {
    const double       scale = std::pow(10.0, draw(-3.0, 1.0));
    const double       unit = std::array<double, 4>{ { 1, 1e-3, 10, 1 } }[number % 4];
    const char * const units[] = { "mm", "um", "cm", "" };
    ReferenceGrid      grid;
    std::ostringstream matrix;
    std::ostringstream spacings;
    std::ostringstream offset;
    std::ostringstream sizes;
    for (std::ostringstream * stream : { &matrix, &spacings, &offset })
    {
      stream->precision(17);
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      const double spacing = scale * draw(0.5, 2.0);
      const double place = scale * draw(-300.0, 300.0);
      for (std::size_t row = 0; row < 3; ++row)
      {
        const double cosine = row == axis ? draw(0.8, 1.2) * (random() % 2 == 0 ? 1 : -1) : draw(-0.2, 0.2);
        matrix << cosine << " ";
        grid.steps[axis][row] = unit * spacing * cosine;
      }
      grid.origin[axis] = unit * place;
      grid.size[axis] = 1 + static_cast<int>(random() % 7);
      spacings << spacing << " ";
      offset << place << " ";
      sizes << grid.size[axis] << " ";
    }
    std::vector<std::string> fields{
      "NDims = 3", "DimSize = " + sizes.str(), "ElementType = MET_SHORT", "ElementSpacing = " + spacings.str()
    };
    fields.push_back((number % 3 == 0 ? "Rotation = " : "TransformMatrix = ") + matrix.str());
    fields.push_back((number % 5 == 0 ? "Position = " : "Offset = ") + offset.str());
    fields.push_back("DistanceUnits = " + std::string(units[number % 4]));
    std::shuffle(fields.begin(), fields.end(), random);
    std::string text;
    for (const std::string & field : fields)
    {
      text += field + "\n";
    }
    const auto header = itk::CudaSpline::ParseMetaImageHeader(text + "ElementDataFile = LOCAL\n");
    for (int corner = 0; corner < 8; ++corner)
    {
      Vector3d index;
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        index[axis] = (corner >> axis) % 2 == 0 ? 0.0 : grid.size[axis] - 1.0;
      }
      const Vector3d wanted = grid.PointOf(index);
      for (std::size_t row = 0; row < 3; ++row)
      {
        double point = header.origin[row];
        for (std::size_t axis = 0; axis < 3; ++axis)
        {
          point += header.direction[row][axis] * header.spacing[axis] * index[axis];
        }
        ASSERT_NEAR(point, wanted[row], 1e-5 * grid.SmallestStep()) << text;
      }
    }
  }
}

} // namespace
