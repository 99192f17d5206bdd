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

#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkEuler3DTransform.h"
#include "itkMatrixOffsetTransformBase.h"
#include "itkTransformFactory.h"
#include "itkTransformFileWriter.h"
#include "itkTranslationTransform.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

/** \file
 * \brief Files of transforms in the programs: one transform for each volume of a series, B-splines of all orders, and
 * files of other programs, which are refused.
 *
 * A volume of a series is resampled like a separate image, with the same program and therefore the same bits. */

namespace TransformFilesTesting // separate namespaces: several tests are compiled together
{
namespace
{

using Image3 = itk::Image<float, 3>;
using Image4 = itk::Image<float, 4>;
using Euler = itk::Euler3DTransform<double>;

template <typename TReal = double>
void
WriteTransforms(const std::vector<const itk::Object *> & transforms, const std::string & path)
{
  const auto writer = itk::TransformFileWriterTemplate<TReal>::New();
  for (const itk::Object * const transform : transforms)
  {
    writer->AddTransform(transform);
  }
  writer->SetFileName(path);
  writer->Update();
}

class VolumeTransforms : public ProgramTest
{
protected:
  static constexpr unsigned int volumes = 3;

  void
  SetUp() override
  {
    ProgramTest::SetUp();
    const auto            plain = MakePhantom<Image3>({ { 12, 11, 10 } });
    const auto            series = Image4::New();
    const std::size_t     count = plain->GetBufferedRegion().GetNumberOfPixels();
    Image4::SpacingType   spacing(2.0);
    Image4::PointType     origin(0.0);
    Image4::DirectionType direction;
    direction.SetIdentity();
    for (unsigned int row = 0; row < 3; ++row)
    {
      spacing[row] = plain->GetSpacing()[row];
      origin[row] = plain->GetOrigin()[row];
      for (unsigned int column = 0; column < 3; ++column)
      {
        direction[row][column] = plain->GetDirection()[row][column];
      }
    }
    series->SetRegions(Image4::SizeType{ { 12, 11, 10, volumes } });
    series->SetSpacing(spacing);
    series->SetOrigin(origin);
    series->SetDirection(direction);
    series->Allocate();
    for (unsigned int number = 0; number < volumes; ++number)
    {
      for (std::size_t voxel = 0; voxel < count; ++voxel)
      {
        plain->GetBufferPointer()[voxel] += static_cast<float>(voxel % 7);
      }
      std::memcpy(series->GetBufferPointer() + number * count, plain->GetBufferPointer(), count * sizeof(float));
      const std::string text = std::to_string(number);
      WriteTestImage(plain.GetPointer(), Path("volume" + text + ".nrrd"));
      m_Motions.push_back(Euler::New());
      m_Motions.back()->SetRotation(0.1 * number, -0.05, 0.02 * number);
      m_Motions.back()->SetTranslation(Vector3(1.0 * number, 2.0, -0.5));
      WriteTransforms({ m_Motions.back().GetPointer() }, Path("one_00" + text + ".tfm"));
    }
    WriteTestImage(series.GetPointer(), Path("series.nrrd"));
    WriteTransforms({ m_Motions[0].GetPointer(), m_Motions[1].GetPointer(), m_Motions[2].GetPointer() },
                    Path("all.tfm"));
    WriteTransforms({ m_Motions[0].GetPointer(), m_Motions[1].GetPointer(), m_Motions[2].GetPointer() },
                    Path("all.h5"));
    const auto common = itk::TranslationTransform<double, 3>::New();
    common->Translate(Vector3(-1.5, 0.25, 1.0));
    WriteTransforms({ common.GetPointer() }, Path("common.tfm"));
  }

  /** Expects that each volume of a result equals that of the volume's own image. */
  void
  ExpectVolumes(const std::vector<std::string> & transforms, const std::vector<std::string> & ofEach)
  {
    std::vector<std::string> options{ Path("series.nrrd"), Path("out.nrrd"),         "-i",
                                      "bspline",           "--transform-per-volume", "-t" };
    options.insert(options.end(), transforms.begin(), transforms.end());
    ExpectQuietSuccess(RunProgram(options));
    const auto        out = ReadTestImage<Image4>(Path("out.nrrd"));
    const std::size_t count = out->GetBufferedRegion().GetNumberOfPixels() / volumes;
    for (unsigned int number = 0; number < volumes; ++number)
    {
      SCOPED_TRACE(number);
      const std::string text = std::to_string(number);
      options = { Path("volume" + text + ".nrrd"), Path("one.nrrd"), "-i", "bspline", "-t" };
      for (std::string one : ofEach)
      {
        const auto at = one.find('#');
        options.push_back(at == std::string::npos ? one : one.replace(at, 1, text));
      }
      ExpectQuietSuccess(RunProgram(options));
      const auto one = ReadTestImage<Image3>(Path("one.nrrd"));
      EXPECT_EQ(std::memcmp(out->GetBufferPointer() + number * count, one->GetBufferPointer(), count * sizeof(float)),
                0);
    }
  }

  std::vector<Euler::Pointer> m_Motions;
};

TEST_F(VolumeTransforms, OneForEachVolume)
{
  ExpectVolumes({ Path("all.tfm") }, { Path("one_00#.tfm") });
  ExpectVolumes({ Path("all.h5") }, { Path("one_00#.tfm") });
  ExpectVolumes({ Path("all.tfm") + ",inverse" }, { Path("one_00#.tfm") + ",inverse" });
  ExpectVolumes({ Path("one_%03d.tfm") }, { Path("one_00#.tfm") });
  // Transforms of other files are for all volumes.
  ExpectVolumes({ Path("common.tfm"), Path("all.tfm") }, { Path("common.tfm"), Path("one_00#.tfm") });
  ExpectVolumes({ Path("one_%03d.tfm") + ",inverse", Path("common.tfm") },
                { Path("one_00#.tfm") + ",inverse", Path("common.tfm") });
}

/** Without the option all are applied, the last one first, with a one-line warning. */
TEST_F(VolumeTransforms, SeveralAreAChainWithAWarning)
{
  const auto expectWarning = [](const ProgramResult & result, bool isAlone) {
    EXPECT_EQ(result.code, 0);
    EXPECT_TRUE(!isAlone || result.CountErrorLines() == 1u) << result.errors;
    for (const char * const word : { "warning", "3 transforms", "no composite", "--transform-per-volume" })
    {
      EXPECT_NE(result.errors.find(word), std::string::npos) << word << " is missing in: " << result.errors;
    }
  };
  expectWarning(RunProgram({ Path("volume0.nrrd"), Path("out.nrrd"), "-t", Path("all.tfm") }), true);
  ExpectQuietSuccess(RunProgram(
    { Path("volume0.nrrd"), Path("chain.nrrd"), "-t", Path("one_000.tfm"), Path("one_001.tfm"), Path("one_002.tfm") }));
  EXPECT_EQ(Content(Path("out.nrrd")), Content(Path("chain.nrrd")));
  const auto composite = itk::CompositeTransform<double, 3>::New();
  for (const auto & motion : m_Motions)
  {
    composite->AddTransform(motion);
  }
  WriteTransforms({ composite.GetPointer() }, Path("composite.tfm"));
  ExpectQuietSuccess(RunProgram({ Path("volume0.nrrd"), Path("chain.nrrd"), "-t", Path("composite.tfm") }));
  EXPECT_EQ(Content(Path("out.nrrd")), Content(Path("chain.nrrd")));
  std::vector<itk::TranslationTransform<double, 3>::Pointer> small(3);
  for (auto & translation : small)
  {
    translation = itk::TranslationTransform<double, 3>::New();
    translation->Translate(Vector3(0.1, 0.0, -0.1));
  }
  WriteTransforms({ small[0].GetPointer(), small[1].GetPointer(), small[2].GetPointer() }, Path("small.h5"));
  ProgramSettings settings;
  settings.program = "CudaSplineRegister";
  expectWarning(RunProgram({ Path("volume0.nrrd"),
                             Path("volume1.nrrd"),
                             "-o",
                             Path("found.tfm"),
                             "--initial-transform",
                             Path("small.h5"),
                             "--stage",
                             "rigid",
                             "--iterations",
                             "1" },
                           settings),
                false); // one iteration may be undone, which causes another warning
}

TEST_F(VolumeTransforms, Errors)
{
  const auto run = [this](const std::string & image, const std::vector<std::string> & transforms) {
    std::vector<std::string> options{ Path(image), Path("out.nrrd"), "--transform-per-volume" };
    for (const std::string & transform : transforms)
    {
      options.insert(options.end(), { "-t", Path(transform) });
    }
    return RunProgram(options);
  };
  WriteTransforms({ m_Motions[0].GetPointer(), m_Motions[1].GetPointer() }, Path("two.tfm"));
  ExpectError(run("series.nrrd", { "two.tfm" }), { "--transform-per-volume", "two.tfm", "2 transforms", "3 volumes" });
  ExpectError(run("volume0.nrrd", { "all.tfm" }), { "all.tfm", "3 transforms", "1 volume" });
  ExpectError(run("series.nrrd", { "common.tfm" }), { "--transform-per-volume", "3 volumes", "%d" });
  ExpectError(run("series.nrrd", {}), { "--transform-per-volume", "no transform" });
  ExpectError(run("series.nrrd", { "none_%02d.tfm" }), { "none_00.tfm", "no transform file" });
  ExpectError(run("series.nrrd", { "one_%3s.tfm" }), { "one_%3s.tfm", "%d" });
  EXPECT_FALSE(std::filesystem::exists(Path("out.nrrd")));
}

class SplineOrders : public ProgramTest
{
protected:
  template <unsigned int VOrder>
  void
  Check()
  {
    SCOPED_TRACE(VOrder);
    using Spline = itk::BSplineTransform<double, 3, VOrder>;
    const auto image = MakePhantom<Image3>({ { 12, 11, 10 } });
    WriteTestImage(image.GetPointer(), Path("in.nrrd"));
    const auto                           spline = Spline::New();
    typename Spline::FixedParametersType fixed(18);
    const auto                           centre = image->GetOrigin();
    const double numbers[] = { 6, 6, 6, centre[0] - 30, centre[1] - 30, centre[2] - 30, 12, 12, 12, 1, 0, 0, 0, 1, 0,
                               0, 0, 1 };
    std::copy(std::begin(numbers), std::end(numbers), fixed.begin());
    spline->SetFixedParameters(fixed);
    typename Spline::ParametersType parameters(spline->GetNumberOfParameters());
    parameters.Fill(0.25); // the sum of the weights is 1: a shift within the domain
    spline->SetParametersByValue(parameters);
    WriteTransforms({ spline.GetPointer() }, Path("spline.tfm"));
    WriteTransforms({ spline.GetPointer() }, Path("spline.h5"));
    const auto shift = itk::TranslationTransform<double, 3>::New();
    shift->Translate(Vector3(0.25, 0.25, 0.25));
    WriteTransforms({ shift.GetPointer() }, Path("shift.tfm"));
    const auto difference = [this](const std::string & of, const std::string & from) {
      ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("a.nrrd"), "-t", Path(of) }));
      ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("b.nrrd"), "-t", Path(from) }));
      return LargestDifference(ReadTestImage<Image3>(Path("a.nrrd")).GetPointer(),
                               ReadTestImage<Image3>(Path("b.nrrd")).GetPointer());
    };
    // Linear interpolation of values below 256 in float; the weights of 216 coefficients are rounded.
    EXPECT_LT(difference("spline.tfm", "shift.tfm"), 1e-3);
    EXPECT_LT(difference("spline.h5", "shift.tfm"), 1e-3);
    // The inverse, by iteration: samples at the border of the domain, where the shift ends, need shorter steps.
    const ProgramResult result =
      RunProgram({ Path("in.nrrd"), Path("a.nrrd"), "-t", Path("spline.tfm") + ",inverse", Path("spline.tfm") });
    ExpectQuietSuccess(result);
    ProgramSettings settings;
    settings.program = "CudaSplineRegister";
    const ProgramResult found = RunProgram({ Path("in.nrrd"),
                                             Path("in.nrrd"),
                                             "-o",
                                             Path("found.h5"),
                                             "--initial-transform",
                                             Path("spline.tfm"),
                                             "--stage",
                                             "rigid",
                                             "--iterations",
                                             "1" },
                                           settings);
    EXPECT_EQ(found.code, 0) << found.errors;
  }
};

TEST_F(SplineOrders, BothPrograms)
{
  Check<1>();
  Check<2>();
  Check<3>();
}

/** Transforms of other programs are reported with a program that converts them. */
class ForeignTransforms : public ProgramTest
{
protected:
  /** Returns a NIfTI file of zeros: 4 x 4 x 4 pixels of three floats. */
  std::string
  Nifti(std::int16_t intent, bool hasExtensionOfAfni) const
  {
    std::string bytes(352, '\0');
    const auto  put = [&bytes](std::size_t at, auto value) { std::memcpy(&bytes[at], &value, sizeof(value)); };
    const auto  extension = static_cast<std::int32_t>(hasExtensionOfAfni ? 32 : 0);
    put(0, std::int32_t{ 348 });
    const std::int16_t dimensions[] = { 5, 4, 4, 4, 1, 3, 1, 1 };
    for (std::size_t i = 0; i < 8; ++i)
    {
      put(40 + 2 * i, dimensions[i]);
      put(76 + 4 * i, 1.0F);
    }
    put(68, intent);
    put(70, std::int16_t{ 16 });
    put(72, std::int16_t{ 32 });
    put(108, 352.0F + static_cast<float>(extension));
    put(252, std::int16_t{ 1 });
    std::memcpy(&bytes[344], "n+1", 4);
    if (hasExtensionOfAfni)
    {
      bytes[348] = 1;
      bytes.resize(352 + 32, ' ');
      put(352, extension);
      put(356, std::int32_t{ 4 });
    }
    return bytes + std::string(4 * 4 * 4 * 3 * 4, '\0');
  }

  void
  Expect(const std::string & name, const std::string & content, const std::vector<std::string> & words)
  {
    std::ofstream(Path(name), std::ios::binary) << content;
    std::vector<std::string> all{ name, "convert it" };
    all.insert(all.end(), words.begin(), words.end());
    ExpectError(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-t", Path(name) }), all);
    ProgramSettings settings;
    settings.program = "CudaSplineRegister";
    ExpectError(
      RunProgram({ Path("in.nrrd"), Path("in.nrrd"), "-o", Path("out.tfm"), "--initial-transform", Path(name) },
                 settings),
      all,
      1,
      "CudaSplineRegister");
  }
};

TEST_F(ForeignTransforms, AreNamed)
{
  WriteTestImage(MakePhantom<Image3>({ { 8, 8, 8 } }).GetPointer(), Path("in.nrrd"));
  Expect("flirt.mat", "1 0 0 3  \n0 1 0 4  \n0 0 1 5  \n0 0 0 1  \n", { "FSL", "c3d_affine_tool" });
  Expect("warp.nii", Nifti(2006, false), { "FSL", "2006", "FSL_FNIRT_DISPLACEMENT_FIELD", "wb_command" });
  Expect("coef.nii", Nifti(2007, false), { "FSL", "FSL_CUBIC_SPLINE_COEFFICIENTS", "fnirtfileutils" });
  Expect("coef9.nii", Nifti(2009, false), { "FSL", "2009" });
  Expect("afni.nii", Nifti(1007, true), { "AFNI", "nitransforms" });
  Expect("warp.HEAD", "type = string-attribute\n", { "AFNI", "nitransforms" });
  Expect("mat.aff12.1D", "# 3dvolreg\n1 0 0 1 0 1 0 2 0 0 1 3\n", { "AFNI", "matrix" });
  Expect("mat.txt", "1 0 0 1 0 1 0 2 0 0 1 3\n1 0 0 1 0 1 0 2 0 0 1 3\n", { "AFNI", "matrix" });
  Expect("a.xfm", "MNI Transform File\nTransform_Type = Linear;\n", { "MINC" });
  Expect("a.lta", "type = 1\n", { "FreeSurfer", "lta_convert" });
  EXPECT_FALSE(std::filesystem::exists(Path("out.nrrd")));
  EXPECT_FALSE(std::filesystem::exists(Path("out.tfm")));
}

} // namespace
} // namespace TransformFilesTesting
