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
#include <numeric>
#include <sstream>

/** \file
 * \brief NRRD files: every space, unit, encoding and order of axes gives the grid and the numbers of the definition of
 * the format, https://teem.sourceforge.net/nrrd/format.html, or is refused with the field and its value.
 *
 * Expected grids are computed here, in double precision, from the numbers that the test writes. In LPS the point of an
 * index is S U (origin + directions index), where S changes the signs of the coordinates of the space, and U are its
 * units. */

namespace
{

using itk::CudaSpline::ImageFileHeader;
using itk::CudaSpline::ParseNrrdHeader;

/** A space and the signs of its first two coordinates in LPS. */
struct NamedSpace
{
  const char * name;
  double       x;
  double       y;
  bool         hasTime;
};

const NamedSpace spaces[] = { { "right-anterior-superior", -1, -1, false },
                              { "RAS", -1, -1, false },
                              { "left-anterior-superior", 1, -1, false },
                              { "LAS", 1, -1, false },
                              { "left-posterior-superior", 1, 1, false },
                              { "LPS", 1, 1, false },
                              { "Left Posterior Superior", 1, 1, false },
                              { "right-anterior-superior-time", -1, -1, true },
                              { "RAST", -1, -1, true },
                              { "left-anterior-superior-time", 1, -1, true },
                              { "LAST", 1, -1, true },
                              { "left-posterior-superior-time", 1, 1, true },
                              { "LPST", 1, 1, true },
                              { "3D-right-handed", 1, 1, false },
                              { "3D-right-handed-time", 1, 1, true } };

class ProgramNrrd : public StoredFormatTest
{
protected:
  /** Returns the header of 5 x 6 x 7 numbers of type float. */
  static std::string
  Header(
    const std::string & fields = "space: LPS\nspace directions: (1.5,0,0) (0,2,0) (0,0,3)\nspace origin: (10,20,30)\n",
    const std::string & encoding = "raw",
    const std::string & more = "")
  {
    return "NRRD0004\n# a comment\ntype: float\ndimension: 3\nsizes: 5 6 7\nkinds: domain domain domain\n" + fields +
           "endian: little\nencoding: " + encoding + "\n" + more;
  }

  /** Returns its grid in a space. */
  static ReferenceGrid
  Grid(double x = 1, double y = 1, double unit = 1)
  {
    return { { { 5, 6, 7 } },
             { { 10 * x * unit, 20 * y * unit, 30 * unit } },
             { { { { 1.5 * x * unit, 0, 0 } }, { { 0, 2 * y * unit, 0 } }, { { 0, 0, 3 * unit } } } } };
  }
};

TEST_F(ProgramNrrd, Spaces)
{
  for (const NamedSpace & space : spaces)
  {
    SCOPED_TRACE(space.name);
    const std::string name = space.name;
    std::string       fields = "space: " + name + "\n";
    fields += space.hasTime ? "space directions: (1.5,0,0,0) (0,2,0,0) (0,0,3,0)\nspace origin: (10,20,30,0)\n"
                            : "space directions: (1.5,0,0) (0,2,0) (0,0,3)\nspace origin: (10,20,30)\n";
    Write("in.nrrd", Header(fields) + "\n" + BytesOf(Ramp()));
    const ProgramResult result = Convert("in.nrrd");
    EXPECT_EQ(result.code, 0) << result.errors;
    const bool isGeneral = name.find("handed") != std::string::npos;
    EXPECT_EQ(result.CountErrorLines(), isGeneral ? 1u : 0u) << result.errors;
    EXPECT_EQ(result.errors.find("taken as LPS") != std::string::npos, isGeneral) << result.errors;
    ExpectGrid(Grid(space.x, space.y));
    ExpectNumbers(Ramp());
  }
  for (const char * const name : { "scanner-xyz", "scanner-xyz-time", "3D-left-handed", "3D-left-handed-time", "LSP" })
  {
    Write("in.nrrd",
          Header("space: " + std::string(name) +
                 "\nspace directions: (1.5,0,0) (0,2,0) (0,0,3)\nspace origin: (10,20,30)\n") +
            "\n" + BytesOf(Ramp()));
    ExpectRefusedByBoth("in.nrrd", { "in.nrrd", "space is \"" + std::string(name) + "\"", "LAS" });
  }
  // Without a space, coordinates are LPS, as in ITK.
  Write("in.nrrd",
        Header("space dimension: 3\nspace directions: (1.5,0,0) (0,2,0) (0,0,3)\nspace origin: (10,20,30)\n") + "\n" +
          BytesOf(Ramp()));
  ExpectQuietSuccess(Convert("in.nrrd"));
  ExpectGrid(Grid());
}

/** Fixed and moving images, masks, references and fields are read by the same code. */
TEST_F(ProgramNrrd, SpacesOfAllInputs)
{
  Write("las.nrrd",
        Header("space: LAS\nspace directions: (1.5,0,0) (0,2,0) (0,0,3)\nspace origin: (10,20,30)\n") + "\n" +
          BytesOf(Ramp()));
  ProgramSettings settings;
  settings.program = "CudaSplineRegister";
  const ProgramResult result = RunProgram({ Path("las.nrrd"),
                                            Path("las.nrrd"),
                                            "-w",
                                            Path("out.mha"),
                                            "--stage",
                                            "translation",
                                            "--levels",
                                            "1",
                                            "--iterations",
                                            "1",
                                            "--fixed-mask",
                                            Path("las.nrrd"),
                                            "--device",
                                            "cpu" },
                                          settings);
  EXPECT_EQ(result.code, 0) << result.errors;
  ExpectGrid(Grid(1, -1));
  // As a reference.
  WriteTestImage(MakePhantom<itk::Image<float, 3>>({ { 8, 8, 8 } }).GetPointer(), Path("in.mha"));
  EXPECT_EQ(RunProgram({ Path("in.mha"), Path("out.mha"), "-r", Path("las.nrrd"), "--device", "cpu" }).code, 0);
  ExpectGrid(Grid(1, -1));
  // A constant field of (1.5, 0, 0) mm moves by a voxel: its grid has to match that of the image.
  std::vector<float> vectors;
  for (int voxel = 0; voxel < 5 * 6 * 7; ++voxel)
  {
    vectors.insert(vectors.end(), { 1.5F, 0.0F, 0.0F });
  }
  Write("field.nrrd",
        "NRRD0004\ntype: float\ndimension: 4\nsizes: 3 5 6 7\nkinds: vector domain domain domain\nspace: LAS\nspace "
        "directions: none (1.5,0,0) (0,2,0) (0,0,3)\nspace origin: (10,20,30)\nendian: little\nencoding: raw\n\n" +
          BytesOf(vectors));
  ExpectQuietSuccess(Convert("las.nrrd", { "-t", Path("field.nrrd") }));
  const auto moved = ReadTestImage<Volume>(Path("out.mha"));
  EXPECT_EQ(moved->GetPixel({ { 2, 3, 4 } }), 1 + 3 + 5 * 3 + 30 * 4);
  EXPECT_EQ(moved->GetPixel({ { 0, 0, 0 } }), 2);
}

TEST_F(ProgramNrrd, Units)
{
  for (const auto & [unit, millimetres] : { std::pair("mm", 1.0),
                                            std::pair("um", 1e-3),
                                            std::pair("\xC2\xB5m", 1e-3),
                                            std::pair("microns", 1e-3),
                                            std::pair("nm", 1e-6),
                                            std::pair("cm", 10.0),
                                            std::pair("m", 1000.0),
                                            std::pair("", 1.0) })
  {
    SCOPED_TRACE(unit);
    const std::string quoted = "\"" + std::string(unit) + "\"";
    Write("in.nrrd",
          Header("space: RAS\nspace directions: (1.5,0,0) (0,2,0) (0,0,3)\nspace origin: (10,20,30)\nspace units: " +
                 quoted + " " + quoted + " " + quoted + "\n") +
            "\n" + BytesOf(Ramp()));
    ExpectQuietSuccess(Convert("in.nrrd"));
    ExpectGrid(Grid(-1, -1, millimetres));
    // Units of axes if there are no directions.
    Write("in.nrrd",
          Header("spacings: 1.5 2 3\naxis mins: 10 20 30\ncenterings: node node node\nunits: " + quoted + " " + quoted +
                 " " + quoted + "\n") +
            "\n" + BytesOf(Ramp()));
    ExpectQuietSuccess(Convert("in.nrrd"));
    ExpectGrid(Grid(1, 1, millimetres));
  }
  Write("in.nrrd",
        Header("space: RAS\nspace directions: (1.5,0,0) (0,2,0) (0,0,3)\nspace origin: (10,20,30)\nspace units: \"mm\" "
               "\"mm\" \"parsec\"\n") +
          "\n" + BytesOf(Ramp()));
  ExpectRefusedByBoth("in.nrrd", { "space units", "parsec", "um, mm, cm, m" });
}

/** Axes without directions: cells are between the ends of an axis, nodes at the ends. */
TEST_F(ProgramNrrd, SpacingsMinimaAndMaxima)
{
  const auto expect = [this](const std::string & fields, const Vector3d & spacing, const Vector3d & origin) {
    SCOPED_TRACE(fields);
    Write("in.nrrd", Header(fields) + "\n" + BytesOf(Ramp()));
    ExpectQuietSuccess(Convert("in.nrrd"));
    ReferenceGrid grid{ { { 5, 6, 7 } }, origin, {} };
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      grid.steps[axis][axis] = spacing[axis];
    }
    ExpectGrid(grid);
  };
  expect("spacings: 1.5 2 3\n", { { 1.5, 2, 3 } }, { { 0, 0, 0 } });
  expect("spacings: 1.5 2 3\naxis mins: 10 20 30\n", { { 1.5, 2, 3 } }, { { 10.75, 21, 31.5 } });
  expect("spacings: 1.5 2 3\nAxis Mins: 10 20 30\ncenters: node cell node\n", { { 1.5, 2, 3 } }, { { 10, 21, 30 } });
  expect("axis mins: 0 0 0\naxis maxs: 10 12 21\n", { { 2, 2, 3 } }, { { 1, 1, 1.5 } });
  expect("axismins: 0 0 0\naxismaxs: 8 10 18\ncenterings: node node node\n", { { 2, 2, 3 } }, { { 0, 0, 0 } });
  expect("spacings: -1.5 2 3\naxis maxs: nan nan 21\n", { { -1.5, 2, 3 } }, { { 0, 0, 1.5 } });

  Write("in.nrrd", Header("spacings: 1.5 nan 3\n") + "\n" + BytesOf(Ramp()));
  ProgramResult result = Convert("in.nrrd");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.CountErrorLines(), 1u);
  EXPECT_NE(result.errors.find("no spacing of axis 1; 1 mm is taken"), std::string::npos) << result.errors;
  Write("in.nrrd", Header("space: LPS\nspace directions: (1.5,0,0) (0,2,0) (0,0,3)\n") + "\n" + BytesOf(Ramp()));
  result = Convert("in.nrrd");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.CountErrorLines(), 1u);
  EXPECT_NE(result.errors.find("no space origin"), std::string::npos) << result.errors;
}

TEST_F(ProgramNrrd, GzipOfSeveralMembers)
{
  const std::string raw = BytesOf(Ramp());
  const std::string packed =
    Deflate(raw.substr(0, 400)) + Deflate("") + Deflate(raw.substr(400, 1)) + Deflate(raw.substr(401));
  const std::string fields = "space: LPS\nspace directions: (1.5,0,0) (0,2,0) (0,0,3)\nspace origin: (10,20,30)\n";
  Write("in.nrrd", Header(fields, "gzip") + "\n" + packed);
  ExpectQuietSuccess(Convert("in.nrrd"));
  ExpectNumbers(Ramp());
  Write("data.gz", packed);
  Write("in.nhdr", Header(fields, "gz", "data file: data.gz\n"));
  ExpectQuietSuccess(Convert("in.nhdr"));
  ExpectNumbers(Ramp());
  // Lines are skipped in the file, bytes in the decompressed data.
  Write("data.gz", "a line\nanother\n" + Deflate("xyz" + raw.substr(0, 100)) + Deflate(raw.substr(100)));
  Write("in.nhdr", Header(fields, "gzip", "line skip: 2\nbyte skip: 3\ndata file: data.gz\n"));
  ExpectQuietSuccess(Convert("in.nhdr"));
  ExpectNumbers(Ramp());
  // A missing or damaged member.
  Write("in.nrrd", Header(fields, "gzip") + "\n" + Deflate(raw.substr(0, 400)));
  ExpectRefusedByBoth("in.nrrd", { "in.nrrd", "400 of the 840 bytes" });
  std::string damaged = packed;
  damaged[damaged.size() - 5] = static_cast<char>(damaged[damaged.size() - 5] ^ 1);
  Write("in.nrrd", Header(fields, "gzip") + "\n" + damaged);
  ExpectRefusedByBoth("in.nrrd", { "in.nrrd", "damaged" });
}

TEST_F(ProgramNrrd, EncodingsSkipsAndFiles)
{
  const std::string raw = BytesOf(Ramp());
  const std::string fields = "space: LPS\nspace directions: (1.5,0,0) (0,2,0) (0,0,3)\nspace origin: (10,20,30)\n";
  const auto        expect = [this](const std::string & name) {
    ExpectQuietSuccess(Convert(name));
    ExpectGrid(Grid());
    ExpectNumbers(Ramp());
  };
  std::ostringstream text;
  std::string        hex;
  for (const float number : Ramp())
  {
    text << number << (static_cast<int>(number) % 7 == 0 ? "\n" : " ");
  }
  for (const char letter : raw)
  {
    const char * const digits = "0123456789ABCDEF";
    const auto         byte = static_cast<unsigned char>(letter);
    hex += { digits[byte / 16], digits[byte % 16] };
    hex += byte == 0 ? "\n" : "";
  }
  for (const char * const encoding : { "text", "txt", "ascii", "ASCII" })
  {
    Write("in.nrrd", Header(fields, encoding) + "\n" + text.str());
    expect("in.nrrd");
  }
  Write("in.nrrd", Header(fields, "hex") + "\n" + hex);
  expect("in.nrrd");
  std::string big = Header(fields);
  big.replace(big.find("little"), 6, "big");
  Write("in.nrrd", big + "\n" + BytesOf(Ramp(), true));
  expect("in.nrrd");

  Write("data.raw", "line\n12345" + raw);
  Write("in.nhdr", Header(fields, "raw", "line skip: 1\nbyteskip: 5\ndatafile: data.raw\n"));
  expect("in.nhdr");
  Write("in.nhdr", Header(fields, "raw", "byte skip: -1\ndata file: data.raw\n"));
  expect("in.nhdr");
  Write("data.raw", raw + "end");
  Write("in.nhdr", Header(fields, "raw", "byte skip: -4\ndata file: data.raw\n"));
  expect("in.nhdr");
  // One file per slice, two slices per file, and the names of a pattern.
  std::string list = "data file: LIST\n";
  for (int z = 0; z < 7; ++z)
  {
    Write("slices/s" + std::to_string(10 + 2 * z) + ".raw", raw.substr(120 * z, 120));
    Write("slices/r0" + std::to_string(7 - z) + ".raw", raw.substr(120 * z, 120));
    list += "slices/s" + std::to_string(10 + 2 * z) + ".raw\n";
  }
  Write("in.nhdr", Header(fields, "raw", list));
  expect("in.nhdr");
  Write("in.nhdr", Header(fields, "raw", "data file: slices/s%d.raw 10 22 2\n"));
  expect("in.nhdr");
  Write("in.nhdr", Header(fields, "raw", "data file: slices/r%02d.raw 7 1 -1 2\n"));
  expect("in.nhdr");
  Write("in.nhdr", Header(fields, "raw", "data file: slices/s%d.raw 10 20 2\n"));
  ExpectRefusedByBoth("in.nhdr", { "names 6 files", "needs 7" });
  Write("in.nhdr", Header(fields, "raw", "data file: slices/t%d.raw 10 22 2\n"));
  ExpectRefusedByBoth("in.nhdr", { "t10.raw", "missing" });
  // Names with blanks and percent signs, also patterns that are names of existing files.
  for (const char * const name : { "a b.raw", "50 %.raw", "50 %d.raw", "a%d 1 7 1" })
  {
    Write(name, raw);
    Write("in.nhdr", Header(fields, "raw", "data file: " + std::string(name) + "\n"));
    expect("in.nhdr");
  }
}

/** Numbers as text: a number that the type cannot represent is refused, not clamped, wrapped or truncated. */
TEST_F(ProgramNrrd, NumbersAsText)
{
  const auto header = [](const char * type) {
    return "NRRD0004\ntype: " + std::string(type) + "\ndimension: 3\nsizes: 2 1 1\nspacings: 1 1 1\nencoding: text\n\n";
  };
  const auto expect = [&](const char * type, const std::string & words, const auto & numbers) {
    SCOPED_TRACE(words);
    Write("in.nrrd", header(type) + words);
    ExpectQuietSuccess(Convert("in.nrrd"));
    ExpectNumbers(numbers);
  };
  using Signed = std::vector<std::int64_t>;
  expect("int64", "-9223372036854775808 9223372036854775807", Signed{ INT64_MIN, INT64_MAX });
  expect("int64", "1e3 +7.0", Signed{ 1000, 7 });
  expect("uint64", "18446744073709551615 0", std::vector<std::uint64_t>{ UINT64_MAX, 0 });
  expect("short", "1e3 -7.0", std::vector<std::int16_t>{ 1000, -7 });
  expect("double", "inf -Infinity", std::vector<double>{ HUGE_VAL, -HUGE_VAL });
  const std::pair<const char *, const char *> wrong[] = { { "int64", "9223372036854775808" },
                                                          { "int64", "-9223372036854775809" },
                                                          { "int64", "3.7" },
                                                          { "int64", "nan" },
                                                          { "int64", "0x10" },
                                                          { "uint64", "-5" },
                                                          { "uint64", "18446744073709551616" },
                                                          { "short", "3.7" },
                                                          { "short", "40000" },
                                                          { "float", "1e39" },
                                                          { "float", "0x1p3" },
                                                          { "float", "1_0" },
                                                          { "float", "1,0" } };
  for (const auto & [type, word] : wrong)
  {
    Write("in.nrrd", header(type) + "1 " + word);
    ExpectRefusedByBoth("in.nrrd", { "in.nrrd", "\"" + std::string(word) + "\" is not a number of type" });
  }
}

/** The axis of components, and that of time, may be at any position. */
TEST_F(ProgramNrrd, OrderOfAxes)
{
  const auto number = [](int c, int x, int y, int z, int t) {
    return static_cast<std::int16_t>(c + 3 * (x + 5 * (y + 4 * (z + 2 * t))));
  };
  const int                 sizes[] = { 3, 5, 4, 2, 2 }; // components, x, y, z, time
  const char * const        kindOf[] = { "3-vector", "domain", "space", "domain", "time" };
  const char * const        directionOf[] = { "none", "(1.5,0,0)", "(0,2,0)", "(0,0,3)", "none" };
  const ReferenceGrid       grid{ { { 5, 4, 2 } },
                            { { -10, -20, 30 } },
                            { { { { -1.5, 0, 0 } }, { { 0, -2, 0 } }, { { 0, 0, 3 } } } } };
  std::vector<std::int16_t> expected;
  for (int count = 0; count < 3 * 5 * 4 * 2 * 2; ++count)
  {
    expected.push_back(static_cast<std::int16_t>(count));
  }
  const std::vector<std::vector<int>> orders{
    { 0, 1, 2, 3, 4 }, { 1, 2, 3, 0, 4 }, { 1, 2, 3, 4, 0 }, { 4, 0, 1, 2, 3 }, { 1, 0, 2, 4, 3 }
  };
  for (const std::vector<int> & order : orders)
  {
    for (const bool hasTime : { false, true })
    {
      std::string header = "NRRD0005\ntype: int16\ndimension: " + std::to_string(hasTime ? 5 : 4) + "\nspace: RAS\n";
      std::string size = "sizes:";
      std::string kinds = "kinds:";
      std::string directions = "space directions:";
      std::string units = "units:";
      std::vector<std::vector<int>> indices{ { 0, 0, 0, 0, 0 } };
      for (const int axis : order)
      {
        if (axis == 4 && !hasTime)
        {
          continue;
        }
        size += " " + std::to_string(sizes[axis]);
        kinds += std::string(" ") + kindOf[axis];
        directions += std::string(" ") + directionOf[axis];
        units += axis == 4 ? " \"ms\"" : " \"\"";
        std::vector<std::vector<int>> more;
        for (int sample = 0; sample < sizes[axis]; ++sample)
        {
          for (std::vector<int> index : indices)
          {
            index[axis] = sample;
            more.push_back(index);
          }
        }
        indices = more;
      }
      std::vector<std::int16_t> stored;
      for (const std::vector<int> & index : indices)
      {
        stored.push_back(number(index[0], index[1], index[2], index[3], index[4]));
      }
      SCOPED_TRACE(kinds);
      Write("in.nrrd",
            header + size + "\n" + kinds + "\n" + directions + "\n" + (hasTime ? units + "\n" : "") +
              "space origin: (10,20,30)\nendian: little\nencoding: raw\n\n" + BytesOf(stored));
      ExpectQuietSuccess(Convert("in.nrrd"));
      ExpectNumbers(hasTime ? expected : std::vector<std::int16_t>(expected.begin(), expected.begin() + 120));
      if (!hasTime)
      {
        ExpectGrid(grid);
      }
    }
  }
}

/** The first number of a masked kind is the mask, which is not a component. */
TEST_F(ProgramNrrd, MaskedKinds)
{
  for (const auto & [kind, components] : { std::pair("3D-masked-symmetric-matrix", 7),
                                           std::pair("2D-masked-symmetric-matrix", 4),
                                           std::pair("2D-masked-matrix", 5),
                                           std::pair("3D-masked-matrix", 10) })
  {
    for (const bool isLast : { false, true })
    {
      SCOPED_TRACE(kind);
      std::vector<float> stored(static_cast<std::size_t>(components) * 24);
      std::vector<float> expected;
      for (int voxel = 0; voxel < 24; ++voxel)
      {
        for (int component = 0; component < components; ++component)
        {
          const auto value = static_cast<float>(100 * voxel + component);
          stored[isLast ? component * 24 + voxel : voxel * components + component] = value;
          if (component > 0)
          {
            expected.push_back(value);
          }
        }
      }
      const std::string count = std::to_string(components);
      Write("in.nrrd",
            "NRRD0004\ntype: float\ndimension: 4\nspace: LPS\nsizes: " +
              (isLast ? "2 3 4 " + count : count + " 2 3 4") + "\nkinds: " +
              (isLast ? "domain domain domain " + std::string(kind) : std::string(kind) + " domain domain domain") +
              "\nspace directions: " + (isLast ? "(1,0,0) (0,1,0) (0,0,1) none" : "none (1,0,0) (0,1,0) (0,0,1)") +
              "\nspace origin: (0,0,0)\nendian: little\nencoding: raw\n\n" + BytesOf(stored));
      const ProgramResult result = Convert("in.nrrd");
      EXPECT_EQ(result.code, 0);
      const bool isTensor = components == 7; // their meaning is lost in the output, a MetaImage
      EXPECT_EQ(result.CountErrorLines(), isTensor ? 2u : 1u) << result.errors;
      EXPECT_EQ(result.errors.find("symmetric tensors") != std::string::npos, isTensor) << result.errors;
      EXPECT_NE(result.errors.find("mask as its first component, which is left out"), std::string::npos);
      ExpectNumbers(expected);
    }
  }
  Write("in.nrrd",
        "NRRD0004\ntype: float\ndimension: 4\nsizes: 6 2 3 4\nkinds: 3D-masked-symmetric-matrix domain domain "
        "domain\nspacings: nan 1 1 1\nendian: little\nencoding: raw\n\n" +
          std::string(576, '\0'));
  ExpectRefusedByBoth("in.nrrd", { "6 for axis 0", "needs 7" });
}

TEST_F(ProgramNrrd, MeasurementFrame)
{
  const auto write = [this](const std::string & space, const std::string & frame) {
    Write("in.nrrd",
          "NRRD0004\ntype: float\ndimension: 4\nsizes: 3 2 3 4\nkinds: vector domain domain domain\nspace: " + space +
            "\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\nspace origin: (0,0,0)\nmeasurement frame: " + frame +
            "\nendian: little\nencoding: raw\n\n" + BytesOf(Ramp(72)));
    return Convert("in.nrrd");
  };
  ExpectQuietSuccess(write("LPS", "(1,0,0) (0,1,0) (0,0,1)"));
  ExpectQuietSuccess(write("RAS", "(-1,0,0) (0,-1,0) (0,0,1)"));
  for (const ProgramResult & result :
       { write("RAS", "(1,0,0) (0,1,0) (0,0,1)"), write("LPS", "(0,1,0) (-1,0,0) (0,0,1)") })
  {
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.CountErrorLines(), 1u) << result.errors;
    EXPECT_NE(result.errors.find("measurement frame"), std::string::npos) << result.errors;
  }
  ExpectNumbers(Ramp(72)); // as in the file
}

/** Each error is one line with the field, its value and what is allowed. */
TEST_F(ProgramNrrd, Refusals)
{
  const std::string fields = "space: LPS\nspace directions: (1.5,0,0) (0,2,0) (0,0,3)\nspace origin: (10,20,30)\n";
  const auto        expect = [&](const std::string & from, const std::string & to, std::vector<std::string> words) {
    SCOPED_TRACE(to);
    std::string header = Header(fields);
    header.replace(header.find(from), from.size(), to);
    Write("in.nrrd", header + "\n" + BytesOf(Ramp()));
    words.push_back("in.nrrd");
    ExpectRefusedByBoth("in.nrrd", words);
  };
  // Versions that ITK's own reader might take, with its spaces.
  expect("NRRD0004", "NRRD0009", { "NRRD0009", "NRRD0001 to NRRD0006" });
  expect("NRRD0004", "NRRD00.01", { "NRRD00.01", "NRRD0001 to NRRD0006" });
  expect("type: float\n", "", { "field type is missing" });
  expect("type: float", "type: block", { "type is \"block\"", "float and double" });
  expect("sizes: 5 6 7", "sizes: 5 6", { "sizes is \"5 6\"", "3 numbers" });
  expect("sizes: 5 6 7", "sizes: 5 0 7", { "sizes is \"5 0 7\"", "above 0" });
  expect("sizes: 5 6 7", "sizes: 4000000000 4000000000 7", { "sizes", "2^62" });
  expect("encoding: raw", "encoding: bzip2", { "encoding is \"bzip2\"", "raw, gzip, text and hex" });
  expect("endian: little", "endian: middle", { "endian is \"middle\"", "little and big" });
  expect("endian: little\n", "", { "endian is \"\"", "little and big" });
  expect("(0,2,0)", "(0,0,0)", { "space directions", "axis 1", "above 0" });
  expect("(0,2,0)", "none", { "1 others" });
  expect("(0,2,0)", "(0,nan,0)", { "space directions", "finite" });
  expect("(0,2,0)", "(3,0,0)", { "not independent" });
  expect("(0,2,0)", "(0,2)", { "space directions", "3 numbers" });
  expect("(0,2,0)", "(0,2,0", { "space directions" });
  expect("(10,20,30)", "(10,20)", { "space origin", "3 numbers" });
  expect("(10,20,30)", "(10,inf,30)", { "space origin", "finite" });
  expect("kinds: domain", "kinds: domaine", { "kinds has \"domaine\"" });
  expect("kinds: domain domain", "kinds: vector vector", { "axis 0 has components" });
  expect("space: LPS\n", "", { "space directions", "space dimension is needed" });
  expect("dimension: 3", "dimension: 17", { "dimension is \"17\"", "1 to 16" });
  expect("type: float", "type: float\ntype: double", { "type is \"double\"", "an earlier line" });
  Write("in.nrrd", Header(fields, "raw", "data file: none.raw\n"));
  ExpectRefusedByBoth("in.nrrd", { "none.raw", "missing" });
  Write("in.nrrd", Header(fields) + "\n" + BytesOf(Ramp()).substr(1));
  ExpectRefusedByBoth("in.nrrd", { "839 bytes", "840" });
  Write("in.nrrd", Header(fields, "text") + "\n1 2 x");
  ExpectRefusedByBoth("in.nrrd", { "\"x\" is not a number" });
}

/** A header of random fields, and their meaning. */
struct RandomHeader
{
  std::string   text;
  ReferenceGrid grid;
};

RandomHeader
MakeRandomHeader(std::mt19937_64 & random, const std::string & more)
{
  const auto draw = [&random](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto pick = [&random](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  const auto vector = [](const std::vector<double> & numbers) {
    std::ostringstream stream;
    stream.precision(17);
    for (std::size_t index = 0; index < numbers.size(); ++index)
    {
      stream << (index == 0 ? "(" : ",") << numbers[index];
    }
    return stream.str() + ")";
  };
  RandomHeader       header;
  const NamedSpace & space = spaces[pick(std::size(spaces))];
  const auto         unit =
    std::vector<std::pair<std::string, double>>{ { "mm", 1 }, { "um", 1e-3 }, { "cm", 10 }, { "m", 1e3 } }[pick(4)];
  const bool   hasUnit = pick(2) == 0;
  const double scale = std::pow(10.0, draw(-3.0, 1.0)); // from micrometres to centimetres
  const double signs[] = { space.x, space.y, 1.0 };
  std::string  directions;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    // Rows of a well-conditioned matrix: large on the diagonal of a permutation of axes.
    std::vector<double> step(3);
    for (std::size_t row = 0; row < 3; ++row)
    {
      step[row] = scale * draw(-0.3, 0.3);
    }
    step[axis] = scale * draw(0.8, 2.0) * (pick(2) == 0 ? 1 : -1);
    for (std::size_t row = 0; row < 3; ++row)
    {
      header.grid.steps[axis][row] = signs[row] * (hasUnit ? unit.second : 1.0) * step[row];
    }
    if (space.hasTime)
    {
      step.push_back(0.0);
    }
    directions += " " + vector(step);
    header.grid.size[axis] = 2 + static_cast<int>(pick(6));
  }
  std::vector<double> origin;
  for (std::size_t row = 0; row < 3; ++row)
  {
    origin.push_back(scale * draw(-300.0, 300.0));
    header.grid.origin[row] = signs[row] * (hasUnit ? unit.second : 1.0) * origin[row];
  }
  if (space.hasTime)
  {
    origin.push_back(0.0);
  }
  std::vector<std::string> fields{
    "type: uchar", "dimension: 3", std::string("space: ") + space.name, "encoding: raw", more
  };
  if (pick(2) == 0)
  {
    fields.emplace_back("kinds: domain space domain");
  }
  if (hasUnit)
  {
    fields.push_back("space units: \"" + unit.first + "\" \"" + unit.first + "\" \"" + unit.first + "\"" +
                     (space.hasTime ? " \"s\"" : ""));
  }
  fields.push_back("sizes: " + std::to_string(header.grid.size[0]) + " " + std::to_string(header.grid.size[1]) + " " +
                   std::to_string(header.grid.size[2]));
  std::string late = "space directions:" + directions + "\nspace origin: " + vector(origin) + "\n";
  std::shuffle(fields.begin(), fields.end(), random);
  header.text = "NRRD000" + std::to_string(1 + pick(6)) + "\n";
  for (const std::string & field : fields)
  {
    header.text += field.empty() ? "" : field + (pick(5) == 0 ? "\r\n" : "\n");
  }
  header.text += late + "key:=encoding: none\n\n";
  return header;
}

void
ExpectHeader(const ReferenceGrid & expected, const ImageFileHeader & found)
{
  for (int corner = 0; corner < 8; ++corner)
  {
    Vector3d index;
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      ASSERT_EQ(static_cast<int>(found.size[axis]), expected.size[axis]);
      index[axis] = (corner >> axis) % 2 == 0 ? 0.0 : expected.size[axis] - 1.0;
    }
    const Vector3d wanted = expected.PointOf(index);
    for (std::size_t row = 0; row < 3; ++row)
    {
      double point = found.origin[row];
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        point += found.direction[row][axis] * found.spacing[axis] * index[axis];
      }
      ASSERT_NEAR(point, wanted[row], 1e-5 * expected.SmallestStep());
    }
  }
}

TEST(NrrdHeader, RandomHeaders)
{
  std::mt19937_64 random(51);
  for (int number = 0; number < 20000; ++number)
  {
    const RandomHeader header = MakeRandomHeader(random, "");
    SCOPED_TRACE(header.text);
    ExpectHeader(header.grid, ParseNrrdHeader(header.text));
    if (::testing::Test::HasFatalFailure())
    {
      return;
    }
  }
}

/** Damaged headers are read, or refused with the documented exception. */
TEST(NrrdHeader, DamagedHeaders)
{
  std::mt19937_64 random(52);
  int             refused = 0;
  const char * words[] = { "nan", "-1", "1e300", "none", "(", "\"", "LIST", "%d", "99999999999999999999", ":", "\n" };
  for (int number = 0; number < 20000; ++number)
  {
    std::string text = MakeRandomHeader(random, number % 3 == 0 ? "data file: a%d.raw 1 3 1" : "").text;
    for (std::size_t change = 1 + random() % 3; change > 0; --change)
    {
      const std::size_t at = 8 + random() % (text.size() - 8);
      if (random() % 2 == 0)
      {
        text.erase(at, 1 + random() % 5);
      }
      else
      {
        text.insert(at, words[random() % std::size(words)]);
      }
    }
    try
    {
      ParseNrrdHeader(text);
    }
    catch (const std::invalid_argument &)
    {
      ++refused;
    }
  }
  EXPECT_GT(refused, 5000);
  EXPECT_LT(refused, 19000);
}

TEST_F(ProgramNrrd, RandomFiles)
{
  std::mt19937_64 random(53);
  for (int number = 0; number < 40; ++number)
  {
    const RandomHeader header = MakeRandomHeader(random, "");
    SCOPED_TRACE(header.text);
    const auto & size = header.grid.size;
    std::string  pixels(static_cast<std::size_t>(size[0]) * size[1] * size[2], '\0');
    for (char & pixel : pixels)
    {
      pixel = static_cast<char>(random());
    }
    Write("in.nrrd", header.text + pixels);
    EXPECT_EQ(Convert("in.nrrd").code, 0);
    ExpectGrid(header.grid);
    ExpectNumbers(std::vector<unsigned char>(pixels.begin(), pixels.end()));
  }
}

} // namespace
