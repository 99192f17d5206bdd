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

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>

/** \file
 * \brief CudaSplineRegister finds known motions of the volumes of a series, and its table agrees with its transforms.
 */

namespace
{

class RegisterMotion : public RegisterTest
{
protected:
  using Rigid = itk::Euler3DTransform<double>;
  using Series = itk::Image<short, 4>;

  static constexpr unsigned int size = 26;
  static constexpr unsigned int volumes = 4;

  /** Returns a motion about the middle of the images, of millimetres and degrees; none for volume 0. */
  static Rigid::Pointer
  MotionOf(unsigned int volume)
  {
    constexpr double numbers[volumes][6] = { { 0.0, 0.0, 0.0, 0.0, 0.0, 0.0 },
                                             { 0.03, -0.02, 0.05, 1.2, -0.7, 0.4 },
                                             { -0.04, 0.045, 0.01, -1.6, 0.3, 1.9 },
                                             { 0.012, 0.03, -0.05, 0.5, 1.8, -1.1 } };
    const auto       motion = Rigid::New();
    motion->SetRotation(numbers[volume][0], numbers[volume][1], numbers[volume][2]);
    motion->SetTranslation(Vector3(numbers[volume][3], numbers[volume][4], numbers[volume][5]));
    return motion;
  }

  /** Writes series.nii.gz and volume 0 as first.nrrd. A known motion maps points of volume 0 to each volume. */
  void
  WriteSeries()
  {
    const auto            plain = MakeGrid<3>(size);
    const auto            series = Series::New();
    const auto            extent = plain->GetBufferedRegion().GetSize();
    const auto            count = plain->GetBufferedRegion().GetNumberOfPixels();
    Series::SpacingType   spacing;
    Series::PointType     origin;
    Series::DirectionType direction;
    direction.SetIdentity();
    spacing.Fill(2.0);
    origin.Fill(0.0);
    for (unsigned int row = 0; row < 3; ++row)
    {
      spacing[row] = plain->GetSpacing()[row];
      origin[row] = plain->GetOrigin()[row];
      for (unsigned int column = 0; column < 3; ++column)
      {
        direction[row][column] = plain->GetDirection()[row][column];
      }
    }
    series->SetRegions(Series::SizeType{ { extent[0], extent[1], extent[2], volumes } });
    series->SetSpacing(spacing);
    series->SetOrigin(origin);
    series->SetDirection(direction);
    series->Allocate();
    for (unsigned int number = 0; number < volumes; ++number)
    {
      m_Known[number] = MotionOf(number);
      const auto back = Rigid::New();
      ASSERT_TRUE(m_Known[number]->GetInverse(back));
      Fill<3>(plain, back, &ValueAt<3>);
      std::transform(plain->GetBufferPointer(),
                     plain->GetBufferPointer() + count,
                     series->GetBufferPointer() + number * count,
                     [](float value) { return static_cast<short>(std::lround(100.0f * value)); });
      if (number == 0)
      {
        WriteTestImage(plain.GetPointer(), Path("first.nrrd"));
      }
    }
    WriteTestImage(series.GetPointer(), Path("series.nii.gz"));
  }

  static ProgramResult
  Run(const std::vector<std::string> & options)
  {
    ProgramSettings settings;
    settings.program = "CudaSplineRegister";
    return RunProgram(options, settings);
  }

  /** Returns the rows of numbers of a table and the names of its columns; "n/a" is NaN. */
  std::vector<std::vector<double>>
  ReadTable(const std::string & name, std::string & header) const
  {
    std::istringstream               stream(Content(Path(name)));
    std::vector<std::vector<double>> rows;
    header.clear();
    for (std::string line; std::getline(stream, line);)
    {
      if (header.empty())
      {
        header = line;
        continue;
      }
      std::istringstream words(line);
      rows.emplace_back();
      for (std::string word; std::getline(words, word, '\t');)
      {
        rows.back().push_back(word == "n/a" ? std::nan("") : std::stod(word));
      }
    }
    return rows;
  }

  /** Returns the largest difference of two volumes of a series in the middle half of the grid. */
  static double
  DifferenceOfVolumes(const itk::Image<float, 4> * series, unsigned int a, unsigned int b)
  {
    double                                              largest = 0.0;
    itk::ImageRegionConstIterator<itk::Image<float, 4>> it(series, series->GetBufferedRegion());
    for (; !it.IsAtEnd(); ++it)
    {
      auto index = it.GetIndex();
      bool isInside = index[3] == 0;
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        const auto extent = static_cast<double>(series->GetBufferedRegion().GetSize(axis));
        isInside = isInside && std::abs(static_cast<double>(index[axis]) - 0.5 * extent) < 0.25 * extent;
      }
      if (isInside)
      {
        index[3] = a;
        const float first = series->GetPixel(index);
        index[3] = b;
        largest = std::max(largest, static_cast<double>(std::abs(first - series->GetPixel(index))));
      }
    }
    return largest;
  }

  std::array<Rigid::Pointer, volumes> m_Known;
};

/** Registration to the first volume: transforms, table and corrected series. */
TEST_F(RegisterMotion, OverTheFirstVolume)
{
  WriteSeries();
  ExpectQuietSuccess(Run({ Path("series.nii.gz"),
                           "--motion",
                           "first",
                           "-o",
                           Path("moco_%03d.tfm"),
                           "--parameters",
                           Path("motion.tsv"),
                           "-w",
                           Path("corrected.nii.gz"),
                           "-i",
                           "bspline" }));
  std::string header;
  const auto  rows = ReadTable("motion.tsv", header);
  EXPECT_EQ(header, "volume\ttrans_x\ttrans_y\ttrans_z\trot_x\trot_y\trot_z\tframewise_displacement\tmetric");
  ASSERT_EQ(rows.size(), volumes);
  // The description next to the table, as in BIDS.
  const auto         described = ReadReport("motion.json");
  std::istringstream names(header);
  for (std::string name; std::getline(names, name, '\t');)
  {
    SCOPED_TRACE(name);
    const std::string kind = name.substr(0, 4);
    ASSERT_TRUE(described.contains(name));
    EXPECT_FALSE(described[name]["Description"].get<std::string>().empty());
    EXPECT_EQ(described[name].value("Units", ""),
              kind == "tran" || kind == "fram" ? "mm" : (kind == "rot_" ? "rad" : ""));
  }
  EXPECT_EQ(described["Reference"], "volume 0");
  EXPECT_EQ(described["Sources"][0], Path("series.nii.gz"));
  EXPECT_EQ(described["CentreOfRotation"].size(), 3u);
  std::vector<double> before;
  for (unsigned int number = 0; number < volumes; ++number)
  {
    SCOPED_TRACE(number);
    const std::string name = "moco_00" + std::to_string(number) + ".tfm";
    // A tenth of a voxel; the motions are of millimetres.
    EXPECT_LE(DistanceOf<3>(name, m_Known[number].GetPointer(), size), 0.1);
    const auto   found = ReadTransform<3>(Path(name));
    const auto * rigid = dynamic_cast<const Rigid *>(found.GetPointer());
    ASSERT_NE(rigid, nullptr);
    const auto &              row = rows[number];
    const std::vector<double> motion{ rigid->GetTranslation()[0], rigid->GetTranslation()[1],
                                      rigid->GetTranslation()[2], rigid->GetAngleX(),
                                      rigid->GetAngleY(),         rigid->GetAngleZ() };
    ASSERT_EQ(row.size(), 9u);
    EXPECT_EQ(row[0], number);
    double displacement = 0.0;
    for (std::size_t p = 0; p < motion.size(); ++p)
    {
      EXPECT_NEAR(row[p + 1], motion[p], 1e-7); // nine digits
      displacement += number == 0 ? 0.0 : (p < 3 ? 1.0 : 50.0) * std::abs(motion[p] - before[p]);
    }
    before = motion;
    if (number == 0)
    {
      EXPECT_TRUE(std::isnan(row[7]));
      continue;
    }
    EXPECT_NEAR(row[7], displacement, 1e-5);
    // The value of the known motions, about the same centre: four times a tenth of a millimetre, and angles of 1e-3.
    double known = 0.0;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      known += std::abs(m_Known[number]->GetTranslation()[axis] - m_Known[number - 1]->GetTranslation()[axis]);
    }
    known += 50.0 * std::abs(m_Known[number]->GetAngleX() - m_Known[number - 1]->GetAngleX());
    known += 50.0 * std::abs(m_Known[number]->GetAngleY() - m_Known[number - 1]->GetAngleY());
    known += 50.0 * std::abs(m_Known[number]->GetAngleZ() - m_Known[number - 1]->GetAngleZ());
    EXPECT_NEAR(row[7], known, 1.5);
  }
  const auto corrected = ReadTestImage<itk::Image<float, 4>>(Path("corrected.nii.gz"));
  const auto series = ReadTestImage<itk::Image<float, 4>>(Path("series.nii.gz"));
  ExpectSameGrid(corrected.GetPointer(), series.GetPointer());
  for (unsigned int number = 1; number < volumes; ++number)
  {
    // Values are up to some 20000, with slopes of up to 2000 a millimetre.
    EXPECT_LE(DifferenceOfVolumes(corrected, 0, number), 400.0);
  }
  EXPECT_FALSE(HasHiddenFolder(m_Folder.string()));
}

/** The volumes are also aligned with another volume, the mean, and another image. */
TEST_F(RegisterMotion, OverWhatIsNamed)
{
  WriteSeries();
  ExpectQuietSuccess(Run({ Path("series.nii.gz"), "--motion", "2", "-o", Path("two.tfm") }));
  ExpectQuietSuccess(Run({ Path("series.nii.gz"), "--motion", "mean", "-o", Path("mean/") }));
  ExpectQuietSuccess(Run({ Path("first.nrrd"),
                           Path("series.nii.gz"),
                           "--stage",
                           "rigid",
                           "-o",
                           Path("other_%d.tfm"),
                           "--parameters",
                           Path("other.tsv") }));
  for (unsigned int number = 0; number < volumes; ++number)
  {
    SCOPED_TRACE(number);
    EXPECT_LE(DistanceOf<3>("other_" + std::to_string(number) + ".tfm", m_Known[number].GetPointer(), size), 0.1);
    for (const auto & [name, limit] : { std::pair("two_000", 0.1), std::pair("mean/000", 0.2) })
    {
      // From volume 0 to the target, and from there to this one.
      const auto chain = itk::CompositeTransform<double, 3>::New();
      const auto first = ReadTransform<3>(Path(name + std::string("0.tfm")));
      chain->AddTransform(ReadTransform<3>(Path(name + std::to_string(number) + ".tfm")));
      chain->AddTransform(first->GetInverseTransform());
      EXPECT_LE(LargestDistance<3>(chain.GetPointer(), m_Known[number].GetPointer(), size), 2.0 * limit) << name;
    }
  }
  EXPECT_LE(DistanceOf<3>("two_0002.tfm", Rigid::New().GetPointer(), size), 0.02);
}

/** Report, picture and the files of a prefix belong to the same transforms as the table. */
TEST_F(RegisterMotion, FurtherOutputs)
{
  WriteSeries();
  ExpectQuietSuccess(Run({ Path("series.nii.gz"),
                           "--motion",
                           "first",
                           "--levels",
                           "1",
                           "--iterations",
                           "3",
                           "-o",
                           Path("a.tfm"),
                           "-w",
                           Path("warped.nii.gz"),
                           "--output-prefix",
                           Path("moved/"),
                           "--picture",
                           Path("p.png"),
                           "--report",
                           Path("r.json"),
                           "--parameters",
                           Path("m.tsv") }));
  std::string header;
  const auto  rows = ReadTable("m.tsv", header);
  const auto  report = ReadReport("r.json");
  ASSERT_EQ(report["volumes"].size(), volumes);
  EXPECT_EQ(report["fixed"]["volume"], 0);
  for (unsigned int number = 0; number < volumes; ++number)
  {
    SCOPED_TRACE(number);
    const auto & volume = report["volumes"][number];
    EXPECT_EQ(volume["volume"], number);
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      EXPECT_NEAR(volume["translation_mm"][axis].get<double>(), rows[number][1 + axis], 1e-7);
      EXPECT_NEAR(volume["rotation_rad"][axis].get<double>(), rows[number][4 + axis], 1e-7);
    }
    if (number == 0)
    {
      EXPECT_TRUE(volume["framewise_displacement_mm"].is_null());
    }
    else
    {
      EXPECT_NEAR(volume["framewise_displacement_mm"].get<double>(), rows[number][7], 1e-5);
    }
    ASSERT_EQ(volume["stages"].size(), 1u);
    EXPECT_NEAR(volume["stages"][0]["levels"][0]["value"].get<double>(), rows[number][8], 1e-7);
    EXPECT_GT(volume["agreement"]["overlap"].get<double>(), 0.8);
    const std::string digits = "000" + std::to_string(number);
    // MATLAB files of ITK have double numbers.
    EXPECT_LE(DistanceOf<3>("moved/" + digits + "_0GenericAffine.mat",
                            ReadTransform<3>(Path("a_" + digits + ".tfm")).GetPointer(),
                            size),
              1e-6);
  }
  const auto warped = ReadTestImage<itk::Image<float, 4>>(Path("warped.nii.gz"));
  const auto same = ReadTestImage<itk::Image<float, 4>>(Path("moved/Warped.nii.gz"));
  EXPECT_EQ(LargestDifference(warped.GetPointer(), same.GetPointer()), 0.0);
  EXPECT_GE((ReadTestImage<itk::Image<unsigned char, 2>>(Path("p.png"))->GetBufferedRegion().GetSize(0)), 899u);
  EXPECT_FALSE(HasHiddenFolder(m_Folder.string()));
}

/** A volume that does not overlap is reported, and no other volume is written. */
TEST_F(RegisterMotion, VolumesThatDoNotOverlap)
{
  WriteSeries();
  auto far = ReadTestImage<Image<3>>(Path("first.nrrd"));
  auto origin = far->GetOrigin();
  origin[0] += 1000.0;
  far->SetOrigin(origin);
  WriteTestImage(far.GetPointer(), Path("first.nrrd"));
  ExpectError(
    Run({ Path("first.nrrd"), Path("series.nii.gz"), "--stage", "rigid", "--initialize", "none", "-o", Path("a.tfm") }),
    { "volume 0 of ", "do not overlap", "0 %", "--initialize moments|centre|search" },
    1,
    "CudaSplineRegister");
  EXPECT_EQ(CountFiles(), 2u);
}

/** There may be more volumes than the initial limit of open files. */
TEST_F(RegisterMotion, MoreVolumesThanOpenFiles)
{
  constexpr unsigned int many = 60;
  const auto             series = Series::New();
  series->SetRegions(Series::SizeType{ { 8, 8, 8, many } });
  series->Allocate();
  for (std::size_t voxel = 0; voxel < 512 * many; ++voxel)
  {
    series->GetBufferPointer()[voxel] = static_cast<short>((voxel % 8) * (voxel / 8 % 8 + 1) * (voxel / 64 % 8 + 2));
  }
  WriteTestImage(series.GetPointer(), Path("many.nrrd"));
  ProgramSettings settings;
  settings.program = "CudaSplineRegister";
  settings.openFilesLimit = 40;
  ExpectQuietSuccess(RunProgram(
    { Path("many.nrrd"), "--motion", "first", "--levels", "1", "--iterations", "1", "-o", Path("a/") }, settings));
  std::size_t count = 0;
  for ([[maybe_unused]] const auto & entry : std::filesystem::directory_iterator(Path("a")))
  {
    ++count;
  }
  EXPECT_EQ(count, many);
}

TEST_F(RegisterMotion, Errors)
{
  WriteSeries();
  const auto expect = [this](std::vector<std::string> options, const std::vector<std::string> & words, int code = 1) {
    SCOPED_TRACE(options.back());
    ExpectError(Run(options), words, code, "CudaSplineRegister");
    EXPECT_EQ(CountFiles(), 2u);
  };
  const std::string series = Path("series.nii.gz");
  expect({ Path("first.nrrd"), "--motion", "first", "-o", Path("a.tfm") }, { "single volume", "4D" });
  expect({ series, "--motion", "4", "-o", Path("a.tfm") }, { "--motion 4", "0 to 3" });
  expect({ series, "--motion", "last", "-o", Path("a.tfm") }, { "--motion last" }, 2);
  expect({ series, "-o", Path("a.tfm") }, { "moving is required", "--motion" }, 2);
  expect({ series, series, "--motion", "mean", "-o", Path("a.tfm") }, { "needs only one image; remove" }, 2);
  expect({ series, Path("first.nrrd"), "-o", Path("a.tfm") }, { "series of 4 volumes", "--motion" });
  expect({ series, "--motion", "first", "-o", Path("a_%s.tfm") }, { "%04d" });
  expect({ series, "--motion", "first", "-o", Path("a.tfm"), "--field", Path("f.nrrd") },
         { "--field can only be used with one" });
  expect({ Path("first.nrrd"), series, "--stage", "syn", "--output-prefix", Path("p_") },
         { "--output-prefix", "one matrix per volume of a series", "p_%04d.h5" });
  expect({ series, "--motion", "first", "--output-prefix", Path("p_"), "-w", Path("p_Warped.nii.gz") },
         { "--output-prefix", "--warped", "the same file" });
  expect({ series, "--motion", "first", "--warped", series }, { "input and an output" });
  expect({ series, "--motion", "first", "-o", Path("a.tfm"), "--parameters", Path("a_0001.tfm") },
         { "--parameters", "--output", "the same file" });
  expect({ series, "--motion", "first", "--stage", "affine", "--parameters", Path("a.tsv") }, { "rigid" }, 2);
  expect({ Path("first.nrrd"), Path("first.nrrd"), "--stage", "rigid", "--parameters", Path("a.tsv") },
         { "--parameters can only be used with a series" });
}

} // namespace
