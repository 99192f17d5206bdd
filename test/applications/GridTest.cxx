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

#include <filesystem>
#include <iomanip>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief The output grid for --reference, --spacing and --size, and the warning about down-sampling. */

namespace
{

using ImageType = itk::Image<float, 3>;

class ProgramGrid : public ProgramTest
{
protected:
  void
  SetUp() override
  {
    ProgramTest::SetUp();
    m_Image = MakePhantom<ImageType>({ { 20, 16, 12 } }); // spacing 1, 1.25, 1.5 mm: 20 x 20 x 18 mm
    WriteTestImage(m_Image.GetPointer(), Path("in.nrrd"));
  }

  /** Runs the program and returns the output. */
  ImageType::Pointer
  Run(std::vector<std::string> options)
  {
    options.insert(options.begin(), { Path("in.nrrd"), Path("out.nrrd") });
    ExpectQuietSuccess(RunProgram(options));
    return ReadTestImage<ImageType>(Path("out.nrrd"));
  }

  /** Returns the physical point in the middle of an image. */
  static ImageType::PointType
  Centre(const ImageType * image)
  {
    itk::ContinuousIndex<double, 3> index;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      index[axis] = 0.5 * (static_cast<double>(image->GetLargestPossibleRegion().GetSize()[axis]) - 1.0);
    }
    ImageType::PointType point;
    image->TransformContinuousIndexToPhysicalPoint(index, point);
    return point;
  }

  void
  ExpectGrid(const ImageType * image, const ImageType::SizeType & size, const std::vector<double> & spacing)
  {
    EXPECT_EQ(image->GetLargestPossibleRegion().GetSize(), size);
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      EXPECT_NEAR(image->GetSpacing()[axis], spacing[axis], 1e-12);
      EXPECT_NEAR(Centre(image)[axis], Centre(m_Image)[axis], 1e-9);
      for (unsigned int row = 0; row < 3; ++row)
      {
        EXPECT_NEAR(image->GetDirection()[row][axis], m_Image->GetDirection()[row][axis], 1e-12);
      }
    }
  }

  ImageType::Pointer m_Image;
};

TEST_F(ProgramGrid, OneSpacing)
{
  ExpectGrid(Run({ "--spacing", "0.8" }), { { 25, 25, 23 } }, { 0.8, 0.8, 0.8 }); // 18 / 0.8 = 22.5, rounded
}

TEST_F(ProgramGrid, SpacingAnAxisInBothNotations)
{
  ExpectGrid(Run({ "--spacing", "0.5", "1", "1.5" }), { { 40, 20, 12 } }, { 0.5, 1.0, 1.5 });
  ExpectGrid(Run({ "--spacing", "0.5,1,1.5" }), { { 40, 20, 12 } }, { 0.5, 1.0, 1.5 });
  ExpectGrid(Run({ "--spacing=0.5,1,1.5" }), { { 40, 20, 12 } }, { 0.5, 1.0, 1.5 });
}

TEST_F(ProgramGrid, SizeKeepsTheExtent)
{
  ExpectGrid(Run({ "--size", "40", "20", "36" }), { { 40, 20, 36 } }, { 0.5, 1.0, 0.5 });
}

TEST_F(ProgramGrid, SizeAndSpacing)
{
  ExpectGrid(Run({ "--size", "10", "--spacing", "1,1,1" }), { { 10, 10, 10 } }, { 1.0, 1.0, 1.0 });
}

/** A crop is a region of the base grid with the values of its voxels. */
TEST_F(ProgramGrid, Crop)
{
  const auto image = Run({ "--crop", "3:11,:,5:" });
  EXPECT_EQ(image->GetLargestPossibleRegion().GetSize(), (ImageType::SizeType{ { 8, 16, 7 } }));
  ImageType::PointType first;
  m_Image->TransformIndexToPhysicalPoint({ { 3, 0, 5 } }, first);
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    EXPECT_NEAR(image->GetOrigin()[axis], first[axis], 1e-9);
  }
  EXPECT_NEAR(image->GetPixel({ { 2, 3, 4 } }), m_Image->GetPixel({ { 5, 3, 9 } }), 1e-4);
  // The reference's grid is cropped before --spacing, which keeps the extent of the cropped grid: 8 mm by 20 mm by 10.5
  // mm.
  const auto fine = Run({ "--crop", "3:11,:,5:", "--spacing", "0.5" });
  EXPECT_EQ(fine->GetLargestPossibleRegion().GetSize(), (ImageType::SizeType{ { 16, 40, 21 } }));
  for (const auto & [crop, why] :
       { std::pair("3:11,:", "2 values"), std::pair("3:21,:,:", "20 voxels"), std::pair("5:5,:,:", "5:5") })
  {
    ExpectError(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "--crop", crop }), { "--crop", why });
  }
  for (const std::string crop : { "3,:,:", "-1:4,:,:", "a:4,:,:", "1.5:4,:,:" })
  {
    ExpectError(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "--crop", crop }), { "--crop " + crop }, 2);
  }
}

/** With a given origin and direction, every voxel has the value at its position. */
TEST_F(ProgramGrid, OriginAndDirection)
{
  ImageType::PointType first;
  m_Image->TransformIndexToPhysicalPoint({ { 5, 4, 3 } }, first);
  std::ostringstream text;
  text << std::setprecision(17) << first[0] << "," << first[1] << "," << first[2];
  const auto moved = Run({ "--origin", text.str(), "--size", "9,8,7", "--spacing", "0.7" });
  EXPECT_EQ(moved->GetLargestPossibleRegion().GetSize(), (ImageType::SizeType{ { 9, 8, 7 } }));
  EXPECT_NEAR(moved->GetPixel({ { 0, 0, 0 } }), m_Image->GetPixel({ { 5, 4, 3 } }), 1e-4);
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    EXPECT_NEAR(moved->GetSpacing()[axis], 0.7, 1e-12); // files round the last bit
    EXPECT_NEAR(moved->GetOrigin()[axis], first[axis], 1e-9);
    for (unsigned int row = 0; row < 3; ++row)
    {
      EXPECT_NEAR(moved->GetDirection()[row][axis], m_Image->GetDirection()[row][axis], 1e-12);
    }
  }
  // Rows of the matrix; its columns are the axes. Without an origin, the centre does not change.
  const auto turned = Run({ "--direction", "0", "-1", "0", "1", "0", "0", "0", "0", "1", "--spacing", "0.7" });
  EXPECT_NEAR(turned->GetDirection()[0][1], -1.0, 1e-12);
  EXPECT_NEAR(turned->GetDirection()[1][0], 1.0, 1e-12);
  EXPECT_NEAR(turned->GetDirection()[2][2], 1.0, 1e-12);
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    EXPECT_NEAR(Centre(turned)[axis], Centre(m_Image)[axis], 1e-9);
  }
  const auto both =
    Run({ "--direction=0,-1,0,1,0,0,0,0,1", "--origin", text.str(), "--spacing", "0.7", "--size", "3,3,3" });
  EXPECT_NEAR(both->GetOrigin()[2], first[2], 1e-9);
  EXPECT_NEAR(both->GetDirection()[0][1], -1.0, 1e-12);
  const auto wrong = [this](const std::string & option, const std::string & value) {
    return RunProgram({ Path("in.nrrd"), Path("out.nrrd"), option, value });
  };
  ExpectError(wrong("--origin", "1,2"), { "--origin has 2 values", "3" });
  ExpectError(wrong("--direction", "1,0,0,1"), { "--direction has 4 values", "9" });
  ExpectError(wrong("--direction", "2,0,0,0,1,0,0,0,1"), { "--direction", "length of 2" });
  ExpectError(wrong("--direction", "1,0.6,0,0,0.8,0,0,0,1"), { "--direction", "not orthogonal" });
}

TEST_F(ProgramGrid, TheSameSizeChangesNoBit)
{
  const auto image = Run({ "--size", "20,16,12" });
  EXPECT_EQ(image->GetOrigin(), m_Image->GetOrigin());
  EXPECT_EQ(image->GetSpacing(), m_Image->GetSpacing());
  EXPECT_EQ(LargestDifference(image.GetPointer(), m_Image.GetPointer()), 0.0);
}

TEST_F(ProgramGrid, Reference)
{
  const auto   reference = MakeObliqueImage<ImageType>({ { 9, 8, 7 } });
  const double origin[] = { 10.0, -10.0, -30.0 };
  reference->SetOrigin(origin);
  WriteTestImage(reference.GetPointer(), Path("reference.nrrd"));
  ExpectSameGrid(Run({ "--reference", Path("reference.nrrd") }).GetPointer(), reference.GetPointer());
}

TEST_F(ProgramGrid, ReferenceOfAnotherDimension)
{
  WriteTestImage(MakePhantom<itk::Image<float, 2>>({ { 9, 8 } }).GetPointer(), Path("reference.nrrd"));
  ExpectError(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-r", Path("reference.nrrd") }),
              { "reference.nrrd", "2 dimensions", "3" });
}

TEST_F(ProgramGrid, DownsamplingWarns)
{
  const ProgramResult result = RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "--spacing", "1,1.25,3" });
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.CountErrorLines(), 1u);
  EXPECT_NE(result.errors.find("warning: the output grid is coarser than the input (2 input voxels per step along z)"),
            std::string::npos)
    << result.errors;
}

TEST_F(ProgramGrid, UpsamplingAndTurningDoNotWarn)
{
  Run({ "--spacing", "0.7" });
  Run({ "--rotate", "0", "0", "30" });
}

TEST_F(ProgramTest, AnOutputBesideTheInputIsSaid)
{
  WriteTestImage(MakePhantom<itk::Image<short, 3>>({ { 8, 8, 8 } }).GetPointer(), Path("in.nrrd"));
  const auto far = MakePhantom<itk::Image<short, 3>>({ { 8, 8, 8 } });
  auto       origin = far->GetOrigin();
  origin[0] += 1000.0;
  far->SetOrigin(origin);
  WriteTestImage(far.GetPointer(), Path("far.nrrd"));
  const ProgramResult result = RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-r", Path("far.nrrd") });
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.errors.find("all 512 voxels of the output have the default value 0"), std::string::npos)
    << result.errors;
}

/** A warning concerns all volumes of a series, and is not printed if one of them overlaps. */
TEST_F(ProgramTest, ASeriesBesideTheInputIsSaid)
{
  using Series = itk::Image<float, 4>; // two integers would be labels
  const auto series = Series::New();
  series->SetRegions(Series::SizeType{ { 8, 8, 8, 3 } });
  series->Allocate(true);
  series->SetPixel({ { 4, 4, 4, 1 } }, 70);
  WriteTestImage(series.GetPointer(), Path("in.nii"));
  const auto near = itk::Image<short, 3>::New();
  near->SetRegions(itk::Image<short, 3>::SizeType{ { 8, 8, 8 } });
  near->Allocate(true);
  WriteTestImage(near.GetPointer(), Path("near.nii"));
  const double origin[] = { 1000.0, 0.0, 0.0 };
  near->SetOrigin(origin);
  WriteTestImage(near.GetPointer(), Path("far.nii"));
  ExpectQuietSuccess(RunProgram({ Path("in.nii"), Path("out.nii"), "-r", Path("near.nii") }));
  const ProgramResult result = RunProgram({ Path("in.nii"), Path("out.nii"), "-r", Path("far.nii") });
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.errors.find("all 1536 voxels of the output have the default value 0"), std::string::npos)
    << result.errors;
}

/** A folder name with a slash at its end is created. */
TEST_F(ProgramTest, FoldersAreMade)
{
  WriteTestImage(MakePhantom<itk::Image<short, 3>>({ { 8, 8, 8 } }).GetPointer(), Path("in.nrrd"));
  ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("new/folder/") }));
  EXPECT_TRUE(std::filesystem::exists(Path("new/folder/in.nrrd")));
}

/** Missing folders of outputs are created if requested, and removed after an error. */
TEST_F(ProgramTest, FoldersOfOutputsAreMade)
{
  WriteTestImage(MakePhantom<itk::Image<short, 3>>({ { 8, 8, 8 } }).GetPointer(), Path("in.nrrd"));
  ExpectError(RunProgram({ Path("in.nrrd"), Path("a/b/out.nrrd") }), { "does not exist" });
  ExpectQuietSuccess(
    RunProgram({ Path("in.nrrd"), Path("a/b/out.nrrd"), "--report", Path("c/r.json"), "--make-folders" }));
  EXPECT_TRUE(std::filesystem::exists(Path("a/b/out.nrrd")));
  EXPECT_TRUE(std::filesystem::exists(Path("c/r.json")));
  ExpectError(RunProgram({ Path("none.nrrd"), Path("d/e/out.nrrd"), "--make-folders" }), { "none.nrrd" });
  EXPECT_FALSE(std::filesystem::exists(Path("d")));
  ProgramSettings settings;
  settings.program = "CudaSplineRegister";
  ExpectQuietSuccess(RunProgram({ Path("in.nrrd"),
                                  Path("in.nrrd"),
                                  "-o",
                                  Path("f/g/t.tfm"),
                                  "--output-prefix",
                                  Path("h/p_"),
                                  "--stage",
                                  "Translation",
                                  "--levels",
                                  "1",
                                  "--make-folders" },
                                settings));
  EXPECT_TRUE(std::filesystem::exists(Path("f/g/t.tfm")));
  EXPECT_TRUE(std::filesystem::exists(Path("h/p_0GenericAffine.mat")));
}

} // namespace
