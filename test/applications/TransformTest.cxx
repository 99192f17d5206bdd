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

#include "itkAffineTransform.h"
#include "itkCompositeTransform.h"
#include "itkDisplacementFieldTransform.h"
#include "itkEuler2DTransform.h"
#include "itkLinearInterpolateImageFunction.h"
#include "itkResampleImageFilter.h"
#include "itkTransformFileWriter.h"
#include "itkTranslationTransform.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/** \file
 * \brief --rotate and --transform, compared with itk::ResampleImageFilter with an equal transform. Linear
 * interpolation of the phantom in float agrees with ITK's double to single precision: values below 256 have a rounding
 * of 1.5e-5, with several operations. A wrong transform differs by units. */

namespace
{

constexpr double tolerance = 1e-4;

template <unsigned int VDimension>
using FloatImage = itk::Image<float, VDimension>;

/** Returns ITK's result on the grid of the input. */
template <unsigned int VDimension>
typename itk::Image<double, VDimension>::Pointer
Expected(const FloatImage<VDimension> * image, const itk::Transform<double, VDimension, VDimension> * transform)
{
  const auto filter = itk::ResampleImageFilter<FloatImage<VDimension>, itk::Image<double, VDimension>>::New();
  filter->SetInput(image);
  filter->SetTransform(transform);
  filter->UseReferenceImageOn();
  filter->SetReferenceImage(image);
  filter->Update();
  return filter->GetOutput();
}

template <unsigned int VDimension>
typename FloatImage<VDimension>::PointType
CentreOf(const FloatImage<VDimension> * image)
{
  itk::ContinuousIndex<double, VDimension> index;
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    index[axis] = 0.5 * (static_cast<double>(image->GetLargestPossibleRegion().GetSize()[axis]) - 1.0);
  }
  typename FloatImage<VDimension>::PointType point;
  image->TransformContinuousIndexToPhysicalPoint(index, point);
  return point;
}

void
WriteTransforms(const std::vector<const itk::Object *> & transforms, const std::string & path)
{
  const auto writer = itk::TransformFileWriterTemplate<double>::New();
  for (const itk::Object * const transform : transforms)
  {
    writer->AddTransform(transform);
  }
  writer->SetFileName(path);
  writer->Update();
}

class ProgramTransforms : public ProgramTest
{
protected:
  using Affine = itk::AffineTransform<double, 3>;

  void
  SetUp() override
  {
    ProgramTest::SetUp();
    m_Image = MakePhantom<FloatImage<3>>({ { 24, 20, 16 } });
    WriteTestImage(m_Image.GetPointer(), Path("in.nrrd"));

    // Two transforms that do not commute.
    m_A = Affine::New();
    m_A->SetCenter(CentreOf<3>(m_Image));
    m_A->Rotate3D(Vector3(0.0, 0.0, 1.0), 0.4);
    m_A->Scale(1.1);
    m_B = Affine::New();
    m_B->SetCenter(CentreOf<3>(m_Image));
    m_B->Shear(0, 1, 0.3);
    m_B->Translate(Vector3(2.0, -1.0, 0.5));
    WriteTransforms({ m_A.GetPointer() }, Path("a.tfm"));
    WriteTransforms({ m_B.GetPointer() }, Path("b.h5"));
  }

  /** Runs the program and compares with ITK under a transform. */
  void
  ExpectTransform(std::vector<std::string> options, const itk::Transform<double, 3, 3> * transform)
  {
    options.insert(options.begin(), { Path("in.nrrd"), Path("out.nrrd") });
    const ProgramResult result = RunProgram(options);
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_LT(LargestDifference(ReadTestImage<FloatImage<3>>(Path("out.nrrd")).GetPointer(),
                                Expected<3>(m_Image, transform).GetPointer()),
              tolerance);
  }

  FloatImage<3>::Pointer m_Image;
  Affine::Pointer        m_A;
  Affine::Pointer        m_B;
};

TEST_F(ProgramTransforms, One)
{
  ExpectTransform({ "--transform", Path("a.tfm") }, m_A);
  ExpectTransform({ "-t", Path("b.h5") }, m_B);
}

TEST_F(ProgramTransforms, Inverse)
{
  ExpectTransform({ "-t", Path("a.tfm") + ",inverse" }, m_A->GetInverseTransform());
}

/** The last given one is applied first to a point: A(B(p)). */
TEST_F(ProgramTransforms, Composition)
{
  const auto composite = itk::CompositeTransform<double, 3>::New();
  composite->AddTransform(m_A);
  composite->AddTransform(m_B);
  const itk::Point<double, 3> point(Vector3(3.0, 4.0, 5.0).GetDataPointer());
  ASSERT_EQ(composite->TransformPoint(point), m_A->TransformPoint(m_B->TransformPoint(point)));
  ExpectTransform({ "-t", Path("a.tfm"), "-t", Path("b.h5") }, composite);

  // Several files after one -t, also before the images.
  ExpectTransform({ "-t", Path("a.tfm"), Path("b.h5") }, composite);
  ExpectTransform({ "--ants-order", "-t", Path("b.h5"), Path("a.tfm"), "-i", "linear" }, composite);
  EXPECT_EQ(RunProgram({ "-t", Path("a.tfm"), Path("b.h5"), Path("in.nrrd"), Path("before.nrrd") }).code, 0);
  EXPECT_LT(LargestDifference(ReadTestImage<FloatImage<3>>(Path("before.nrrd")).GetPointer(),
                              Expected<3>(m_Image, composite).GetPointer()),
            tolerance);
  ExpectError(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-t" }), { "--transform" }, 2);

  const auto withInverse = itk::CompositeTransform<double, 3>::New();
  withInverse->AddTransform(m_B->GetInverseTransform());
  withInverse->AddTransform(m_A);
  ExpectTransform({ "-t", Path("b.h5") + ",inverse", "-t", Path("a.tfm") }, withInverse);
}

/** Several transforms in a file, and a composite in a file, have the same order. The inverse is that of all. */
TEST_F(ProgramTransforms, SeveralInAFile)
{
  const auto composite = itk::CompositeTransform<double, 3>::New();
  composite->AddTransform(m_A);
  composite->AddTransform(m_B);
  WriteTransforms({ m_A.GetPointer(), m_B.GetPointer() }, Path("both.tfm"));
  WriteTransforms({ composite.GetPointer() }, Path("composite.h5"));
  ExpectTransform({ "-t", Path("both.tfm") }, composite);
  ExpectTransform({ "-t", Path("composite.h5") }, composite);
  ExpectTransform({ "-t", Path("composite.h5") + ",inverse" }, composite->GetInverseTransform());
}

TEST_F(ProgramTransforms, SinglePrecisionFile)
{
  const auto translation = itk::TranslationTransform<float, 3>::New();
  translation->Translate(Vector3(1.5f, -0.5f, 2.0f));
  const auto writer = itk::TransformFileWriterTemplate<float>::New();
  writer->SetInput(translation);
  writer->SetFileName(Path("float.tfm"));
  writer->Update();
  const auto expected = itk::TranslationTransform<double, 3>::New();
  expected->Translate(Vector3(1.5, -0.5, 2.0));
  ExpectTransform({ "-t", Path("float.tfm") }, expected);
}

/** A field in a file of transforms and in images, unchanged and inverted by iteration. */
TEST_F(ProgramTransforms, DisplacementField)
{
  using FieldTransform = itk::DisplacementFieldTransform<double, 3>;
  const auto field = FieldTransform::DisplacementFieldType::New();
  field->CopyInformation(m_Image);
  field->SetRegions(m_Image->GetLargestPossibleRegion());
  field->Allocate();
  itk::ImageRegionIteratorWithIndex<FieldTransform::DisplacementFieldType> it(field, field->GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it)
  {
    it.Set(Vector3(std::sin(0.3 * it.GetIndex()[1]), 0.5, std::cos(0.2 * it.GetIndex()[0])));
  }
  const auto transform = FieldTransform::New();
  transform->SetDisplacementField(field);
  WriteTransforms({ transform.GetPointer() }, Path("field.h5"));
  ExpectTransform({ "-t", Path("field.h5") }, transform);
  for (const char * const name : { "Warp.nii.gz", "Warp.nrrd", "Warp.mha" })
  {
    SCOPED_TRACE(name);
    WriteTestImage(field.GetPointer(), Path(name));
    ExpectTransform({ "-t", Path(name) }, transform);
  }
  const auto composite = itk::CompositeTransform<double, 3>::New();
  composite->AddTransform(m_A);
  composite->AddTransform(transform);
  ExpectTransform({ "--ants-order", "-t", Path("Warp.nrrd"), "-t", Path("a.tfm") }, composite);
  ExpectTransform({ "--ants-order", "-t", Path("Warp.nrrd"), Path("a.tfm") }, composite);
  ExpectTransform({ "-t", Path("a.tfm"), Path("Warp.nrrd") }, composite);

  // Forward and back: points in the middle, where the field is defined on the path, do not move, up to the
  // interpolation of the inverse between its samples. Its error is an eighth of the second derivative of the field,
  // 0.09 mm per square voxel, in each of two axes. The limit below allows the effect of this at the steepest edge of
  // the phantom.
  const ProgramResult result =
    RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-t", Path("Warp.nrrd") + ",inverse", "-t", Path("Warp.nrrd") });
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_NE(result.errors.find("computed by iteration"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("mm on average"), std::string::npos) << result.errors; // the residual
  const auto                                       out = ReadTestImage<FloatImage<3>>(Path("out.nrrd"));
  const auto &                                     size = m_Image->GetBufferedRegion().GetSize();
  double                                           sum = 0.0;
  double                                           shifted = 0.0;
  std::size_t                                      count = 0;
  const auto                                       moved = Expected<3>(m_Image, transform);
  itk::ImageRegionIteratorWithIndex<FloatImage<3>> voxel(out, out->GetBufferedRegion());
  for (; !voxel.IsAtEnd(); ++voxel)
  {
    bool isInside = true;
    for (unsigned int d = 0; d < 3; ++d)
    {
      isInside = isInside && voxel.GetIndex()[d] >= 3 && voxel.GetIndex()[d] + 3 < static_cast<long>(size[d]);
    }
    if (isInside)
    {
      sum += std::abs(voxel.Get() - m_Image->GetPixel(voxel.GetIndex()));
      shifted += std::abs(moved->GetPixel(voxel.GetIndex()) - m_Image->GetPixel(voxel.GetIndex()));
      ++count;
    }
  }
  EXPECT_LT(sum, 0.1 * shifted) << count; // a wrong inverse has an error of once or twice the displacement
}

/** The names of ANTs. */
TEST_F(ProgramTransforms, WordsOfAnts)
{
  const auto inverse = m_A->GetInverseTransform();
  ExpectTransform({ "-t", "[" + Path("a.tfm") + ",1]" }, inverse);
  ExpectTransform({ "-t", "[" + Path("a.tfm") + ",0]" }, m_A);
  ExpectTransform({ "-t", "identity" }, itk::AffineTransform<double, 3>::New());
  const auto composite = itk::CompositeTransform<double, 3>::New();
  composite->AddTransform(m_A);
  composite->AddTransform(m_B);
  ExpectTransform({ "--ants-order", "-t", Path("b.h5"), "-t", Path("a.tfm") }, composite);
  WriteTransforms({ m_A.GetPointer() }, Path("0GenericAffine.mat"));
  ExpectTransform({ "-t", Path("0GenericAffine.mat") }, m_A);
  // Names that old versions wrote.
  std::string       text = Content(Path("a.tfm"));
  const std::string name = "AffineTransform_double";
  ASSERT_NE(text.find(name), std::string::npos);
  std::ofstream(Path("Affine.txt")) << text.replace(text.find(name), name.size(), "MatrixOffsetTransformBase_double");
  ExpectTransform({ "-t", Path("Affine.txt") }, m_A);
}

/** A list that seems to have the order of antsApplyTransforms causes one warning, and is computed as before. */
TEST_F(ProgramTransforms, OrderOfAnts)
{
  const auto field = itk::Image<itk::Vector<double, 3>, 3>::New();
  field->CopyInformation(m_Image);
  field->SetRegions(m_Image->GetBufferedRegion());
  field->Allocate();
  field->FillBuffer(itk::Vector<double, 3>(0.5));
  for (const std::string name : { "s_1Warp.nii.gz", "s_1InverseWarp.nii.gz", "warp.nii.gz" })
  {
    WriteTestImage(field.GetPointer(), Path(name));
  }
  WriteTransforms({ m_A.GetPointer() }, Path("s_0GenericAffine.mat"));
  const auto warnings = [this](const std::vector<std::string> & options) {
    std::vector<std::string> all{ Path("in.nrrd"), Path("out.nrrd") };
    all.insert(all.end(), options.begin(), options.end());
    const ProgramResult result = RunProgram(all);
    EXPECT_EQ(result.code, 0) << result.errors;
    const std::size_t first = result.errors.find("--ants-order");
    EXPECT_EQ(result.errors.find("--ants-order", first + 1), std::string::npos) << result.errors; // once
    return first != std::string::npos;
  };
  const std::string matrix = Path("s_0GenericAffine.mat");
  EXPECT_TRUE(warnings({ "-t", Path("s_1Warp.nii.gz"), "-t", matrix }));
  EXPECT_TRUE(warnings({ "-t", Path("s_1Warp.nii.gz"), matrix }));
  EXPECT_TRUE(warnings({ "-t", "[" + matrix + ",1]", "-t", Path("s_1InverseWarp.nii.gz") }));
  EXPECT_FALSE(warnings({ "--ants-order", "-t", Path("s_1Warp.nii.gz"), "-t", matrix }));
  EXPECT_FALSE(warnings({ "-t", matrix, "-t", Path("s_1Warp.nii.gz") }));
  EXPECT_FALSE(warnings({ "-t", Path("s_1InverseWarp.nii.gz"), "-t", matrix + ",inverse" }));
  EXPECT_FALSE(warnings({ "-t", Path("warp.nii.gz"), "-t", Path("a.tfm") }));
  std::ofstream(Path("list.csv")) << "in.nrrd,s_1Warp.nii.gz;s_0GenericAffine.mat,one.nrrd\n"
                                  << "in.nrrd,s_1Warp.nii.gz;s_0GenericAffine.mat,two.nrrd\n";
  const ProgramResult result = RunProgram({ "--batch", Path("list.csv") });
  EXPECT_EQ(result.code, 0) << result.errors;
  const std::size_t first = result.errors.find("--ants-order");
  EXPECT_NE(first, std::string::npos) << result.errors;
  EXPECT_EQ(result.errors.find("--ants-order", first + 1), std::string::npos) << result.errors; // of both images
}

/** Points of the output space are mapped to those of the input space at which the value of an image is taken. */
TEST_F(ProgramTransforms, Points)
{
  std::ofstream(Path("in.csv")) << "label,X,y,z,t,note\n1,1.5,-2,3,0,\"left, upper\"\n\n# a comment\n2,0,0,1e1,0,b\n";
  const auto map = [this](const std::vector<std::string> & options) {
    std::vector<std::string> all{ "--points", Path("in.csv"), Path("out.csv") };
    all.insert(all.end(), options.begin(), options.end());
    ExpectQuietSuccess(RunProgram(all));
    std::istringstream       stream(Content(Path("out.csv")));
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
    {
      lines.push_back(line);
    }
    return lines;
  };
  const auto expectPoint = [](const std::string & line, const itk::Point<double, 3> & expected, std::size_t column) {
    std::istringstream words(line);
    std::string        word;
    for (std::size_t i = 0; i < column; ++i)
    {
      std::getline(words, word, ',');
    }
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      std::getline(words, word, ',');
      EXPECT_NEAR(std::stod(word), expected[axis], 1e-12) << line;
    }
  };
  const auto point = Point3(1.5, -2.0, 3.0);
  auto       lines = map({ "-t", Path("a.tfm") });
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0], "label,X,y,z,t,note");
  EXPECT_EQ(lines[1].substr(0, 2), "1,");
  EXPECT_NE(lines[1].find(",0,\"left, upper\""), std::string::npos) << lines[1];
  EXPECT_EQ(lines[2], "");
  EXPECT_EQ(lines[3], "# a comment");
  expectPoint(lines[1], m_A->TransformPoint(point), 1);
  expectPoint(lines[4], m_A->TransformPoint(Point3(0.0, 0.0, 10.0)), 1);
  // Orders and inverses as for images.
  expectPoint(map({ "-t", Path("a.tfm"), "-t", Path("b.h5") })[1], m_A->TransformPoint(m_B->TransformPoint(point)), 1);
  expectPoint(
    map({ "--ants-order", "-t", Path("a.tfm"), Path("b.h5") })[1], m_B->TransformPoint(m_A->TransformPoint(point)), 1);
  expectPoint(map({ "-t", Path("a.tfm") + ",inverse" })[1], m_A->GetInverseTransform()->TransformPoint(point), 1);
  // Without names of columns. Numbers are unchanged.
  std::ofstream(Path("in.csv")) << "\xEF\xBB\xBF"
                                   "1.5,-2,3,first\r\n0.1,0.2,0.3,second\r\n";
  expectPoint(map({ "-t", Path("a.tfm") })[0], m_A->TransformPoint(point), 0);
  EXPECT_EQ(map({ "-t", "identity" }), (std::vector<std::string>{ "1.5,-2,3,first", "0.1,0.2,0.3,second" }));
  // In 2D, with and without ANTs' column of zeros.
  const auto flat = itk::AffineTransform<double, 2>::New();
  flat->Translate(itk::Vector<double, 2>(2.5));
  WriteTransforms({ flat.GetPointer() }, Path("flat.tfm"));
  std::ofstream(Path("in.csv")) << "x,y\n1,2\n";
  EXPECT_EQ(map({ "-t", Path("flat.tfm") })[1], "3.5,4.5");
  std::ofstream(Path("in.csv")) << "x,y,z,t\n1,2,0,0\n";
  EXPECT_EQ(map({ "-t", Path("flat.tfm") })[1], "3.5,4.5,0,0");

  const auto wrong = [this](const std::string & text, const std::vector<std::string> & options) {
    std::ofstream(Path("in.csv")) << text;
    std::vector<std::string> all{ "--points", Path("in.csv"), Path("none.csv") };
    all.insert(all.end(), options.begin(), options.end());
    return RunProgram(all);
  };
  ExpectError(wrong("x,y,z\n1,2,3\n", {}), { "--transform" }, 2);
  ExpectError(wrong("x,y,z\n1,2,3\n", { "-t", Path("a.tfm"), "--spacing", "1" }), { "--points", "--spacing" }, 2);
  ExpectError(wrong("x,y,z\n1,2,three\n", { "-t", Path("a.tfm") }), { "in.csv", "line 2", "column 3" });
  ExpectError(wrong("x,y,z\n1,2,inf\n", { "-t", Path("a.tfm") }), { "in.csv", "line 2" });
  ExpectError(wrong("a,b\n1,2\n", { "-t", Path("a.tfm") }), { "in.csv", "line 1", "x, y" });
  ExpectError(wrong("x,y,z\n", { "-t", Path("a.tfm") }), { "in.csv", "does not contain a point" });
  ExpectError(wrong("x,y,z\n1,2,3\n", { "-t", Path("flat.tfm") }), { "flat.tfm" });
  EXPECT_FALSE(std::filesystem::exists(Path("none.csv")));
}

/** A rotation by 90 degrees about z maps the voxel at +x from the centre to +y, in an image whose axes are those of
 * space. */
TEST_F(ProgramTransforms, RotationIsRightHanded)
{
  const auto image = FloatImage<3>::New();
  image->SetRegions(FloatImage<3>::SizeType{ { 11, 11, 11 } });
  image->Allocate(true);
  const itk::Index<3> centre{ { 5, 5, 5 } };
  image->SetPixel({ { 8, 5, 5 } }, 1.0f); // x
  image->SetPixel({ { 5, 8, 5 } }, 2.0f); // y
  image->SetPixel({ { 5, 5, 8 } }, 3.0f); // z
  WriteTestImage(image.GetPointer(), Path("axes.nrrd"));
  const auto run = [this](std::vector<std::string> angles) {
    angles.insert(angles.begin(), { Path("axes.nrrd"), Path("turned.nrrd"), "-i", "nearest", "--rotate" });
    ExpectQuietSuccess(RunProgram(angles));
    return ReadTestImage<FloatImage<3>>(Path("turned.nrrd"));
  };
  auto turned = run({ "90", "0", "0" });
  EXPECT_EQ(turned->GetPixel({ { 5, 5, 8 } }), 2.0f); // y to z
  turned = run({ "0", "90", "0" });
  EXPECT_EQ(turned->GetPixel({ { 8, 5, 5 } }), 3.0f); // z to x
  turned = run({ "0", "0", "90" });
  EXPECT_EQ(turned->GetPixel({ { 5, 8, 5 } }), 1.0f); // x to y
  turned = run({ "90", "0", "90" });                  // about x first: y to z, which does not change
  EXPECT_EQ(turned->GetPixel({ { 5, 5, 8 } }), 2.0f);
  turned = run({ "0", "0", "-90" });
  EXPECT_EQ(turned->GetPixel({ { 5, 2, 5 } }), 1.0f);
  EXPECT_EQ(turned->GetPixel(centre), 0.0f);
}

/** The rotation acts on the input about its own centre; transforms act on the rotated image. */
TEST_F(ProgramTransforms, RotationAndTransform)
{
  constexpr double degree = 0.017453292519943295;
  const auto       turn = Affine::New();
  turn->SetCenter(CentreOf<3>(m_Image));
  turn->Rotate3D(Vector3(1.0, 0.0, 0.0), 10 * degree);
  turn->Rotate3D(Vector3(0.0, 1.0, 0.0), -5 * degree);
  turn->Rotate3D(Vector3(0.0, 0.0, 1.0), 20 * degree);
  const auto composite = itk::CompositeTransform<double, 3>::New();
  composite->AddTransform(turn->GetInverseTransform());
  ExpectTransform({ "--rotate", "10", "-5", "20" }, composite);
  ExpectTransform({ "--rotate=10,-5,20" }, composite);
  composite->AddTransform(m_A);
  ExpectTransform({ "--rotate", "10", "-5", "20", "-t", Path("a.tfm") }, composite);
}

TEST_F(ProgramTransforms, RotationIn2D)
{
  const auto image = MakePhantom<FloatImage<2>>({ { 24, 20 } });
  WriteTestImage(image.GetPointer(), Path("flat.nrrd"));
  ExpectQuietSuccess(RunProgram({ Path("flat.nrrd"), Path("out.nrrd"), "--rotate", "-25" }));
  const auto turn = itk::Euler2DTransform<double>::New();
  turn->SetCenter(CentreOf<2>(image));
  turn->SetAngle(25 * 0.017453292519943295);
  EXPECT_LT(LargestDifference(ReadTestImage<FloatImage<2>>(Path("out.nrrd")).GetPointer(),
                              Expected<2>(image, turn).GetPointer()),
            tolerance);
}

TEST_F(ProgramTransforms, Errors)
{
  const auto flat = itk::Euler2DTransform<double>::New();
  WriteTransforms({ flat.GetPointer() }, Path("flat.tfm"));
  const auto run = [this](const std::vector<std::string> & options) {
    std::vector<std::string> arguments{ Path("in.nrrd"), Path("out.nrrd") };
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunProgram(arguments);
  };
  ExpectError(run({ "-t", Path("flat.tfm") }), { "flat.tfm", "Euler2DTransform", "2D", "3D" });
  ExpectError(run({ "-t", Path("none.tfm") }), { "none.tfm", "no transform file" });
  for (const char * const name : { "bad.tfm", "bad.h5", "bad.mat", "bad.xyz" })
  {
    std::ofstream(Path(name)) << "this is not a transform\n";
    ExpectError(run({ "-t", Path(name) }), { "cannot read the transform", name });
  }
  ExpectError(run({ "--rotate", "10" }), { "--rotate", "3 angles", "it has 1" });
  ExpectError(run({ "--rotate", "10,20" }), { "--rotate", "3 angles", "it has 2" });
  EXPECT_FALSE(std::filesystem::exists(Path("out.nrrd")));
}

} // namespace
