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
#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkEuler2DTransform.h"
#include "itkEuler3DTransform.h"
#include "itkLinearInterpolateImageFunction.h"
#include "itkResampleImageFilter.h"
#include "itkSimilarity2DTransform.h"
#include "itkSimilarity3DTransform.h"
#include "itkTranslationTransform.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <random>
#include <sstream>
#include <string>
#include <vector>

/** \file
 * \brief --transform with files as elastix writes them, compared with itk::ResampleImageFilter with an equal transform
 * on the grid of the file. Both interpolate linearly. Values below 256 in float have a rounding of 1.5e-5, with
 * several operations. A wrong transform differs by units. (elastix_test.py compares with transformix itself.) */

namespace
{

constexpr double elastixTolerance = 1e-4;

template <unsigned int VDimension>
using ElastixImage = itk::Image<float, VDimension>;
template <unsigned int VDimension>
using ElastixMap = itk::Transform<double, VDimension, VDimension>;

template <typename TNumbers>
std::string
WordsOf(const TNumbers & numbers)
{
  std::ostringstream text;
  text << std::setprecision(17);
  for (unsigned int i = 0; i < numbers.size(); ++i)
  {
    text << ' ' << numbers[i];
  }
  return text.str();
}

/** Returns a rotation about z and, in 3D, one about x after it. */
template <unsigned int VDimension>
typename ElastixImage<VDimension>::DirectionType
TurnedAxes(double angle)
{
  typename ElastixImage<VDimension>::DirectionType turn;
  turn.SetIdentity();
  turn[0][0] = turn[1][1] = std::cos(angle);
  turn[0][1] = -std::sin(angle);
  turn[1][0] = std::sin(angle);
  if constexpr (VDimension == 3)
  {
    typename ElastixImage<VDimension>::DirectionType tilt;
    tilt.SetIdentity();
    tilt[1][1] = tilt[2][2] = std::cos(0.5 * angle);
    tilt[1][2] = -std::sin(0.5 * angle);
    tilt[2][1] = std::sin(0.5 * angle);
    return turn * tilt;
  }
  return turn;
}

/** Returns a matrix as elastix writes it, column by column. */
template <typename TMatrix>
std::string
Columns(const TMatrix & matrix)
{
  std::ostringstream text;
  text << std::setprecision(17);
  for (unsigned int column = 0; column < TMatrix::ColumnDimensions; ++column)
  {
    for (unsigned int row = 0; row < TMatrix::RowDimensions; ++row)
    {
      text << ' ' << matrix[row][column];
    }
  }
  return text.str();
}

template <unsigned int VDimension>
class ElastixFiles : public ProgramTest
{
protected:
  using Image = ElastixImage<VDimension>;

  void
  SetUp() override
  {
    ProgramTest::SetUp();
    typename Image::SizeType size;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      size[d] = 24 - 4 * d;
    }
    m_Image = MakePhantom<Image>(size);
    m_Image->SetDirection(TurnedAxes<VDimension>(0.2));
    WriteTestImage(m_Image.GetPointer(), Path("in.nrrd"));
    m_Grid = Image::New();
    typename Image::IndexType first;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      size[d] = 20 - 3 * d;
      first[d] = static_cast<itk::IndexValueType>(d) - 1;
    }
    m_Grid->SetRegions(typename Image::RegionType(first, size));
    auto spacing = m_Image->GetSpacing();
    spacing[0] *= 1.25;
    m_Grid->SetSpacing(spacing);
    auto origin = m_Image->GetOrigin();
    origin[1] += 1.5;
    m_Grid->SetOrigin(origin);
    m_Grid->SetDirection(TurnedAxes<VDimension>(0.3));
  }

  /** Returns the entries of every file: the grid, and the initial transform. */
  std::string
  Common(const std::string & initial, const std::string & how = "Compose", const std::string & cosines = "true") const
  {
    const auto         region = m_Grid->GetLargestPossibleRegion();
    std::ostringstream text;
    text << "(InitialTransformParameterFileName \"" << initial << "\")\n(HowToCombineTransforms \"" << how
         << "\")\n\n// Image specific\n(FixedImageDimension " << VDimension << ")\n(MovingImageDimension " << VDimension
         << ")\n(FixedInternalImagePixelType \"float\")\n(Size" << WordsOf(region.GetSize()) << ")\n(Index";
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      text << ' ' << region.GetIndex(d);
    }
    text << ")\n(Spacing" << WordsOf(m_Grid->GetSpacing()) << ")\n(Origin" << WordsOf(m_Grid->GetOrigin())
         << ")\n(Direction" << Columns(m_Grid->GetDirection()) << ")\n(UseDirectionCosines \"" << cosines << "\")\n";
    return text.str();
  }

  /** Writes a file of one transform; \p more contains the entries of its kind. */
  template <typename TTransform>
  void
  WriteFile(const std::string & name, const std::string & kind, const TTransform * transform, const std::string & more)
  {
    const auto & parameters = transform->GetParameters();
    std::ofstream(Path(name)) << "(Transform \"" << kind << "\") // a comment\n(NumberOfParameters "
                              << parameters.size() << ")\n(TransformParameters" << WordsOf(parameters) << ")\n"
                              << more;
  }

  template <typename TTransform>
  std::string
  CentreOf(const TTransform * transform) const
  {
    return "(CenterOfRotationPoint" + WordsOf(transform->GetCenter().GetVnlVector()) + ")\n";
  }

  void
  Expect(const std::string & name, const ElastixMap<VDimension> * transform)
  {
    const ProgramResult result = RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-t", Path(name) });
    EXPECT_EQ(result.code, 0) << result.errors;
    const auto filter = itk::ResampleImageFilter<Image, itk::Image<double, VDimension>>::New();
    filter->SetInput(m_Image);
    filter->SetTransform(transform);
    filter->SetOutputParametersFromImage(m_Grid);
    filter->Update();
    const auto output = ReadTestImage<Image>(Path("out.nrrd"));
    ASSERT_EQ(output->GetLargestPossibleRegion().GetSize(), m_Grid->GetLargestPossibleRegion().GetSize());
    double largest = 0.0;
    for (itk::SizeValueType i = 0; i < output->GetLargestPossibleRegion().GetNumberOfPixels(); ++i)
    {
      largest = std::max(largest, std::abs(filter->GetOutput()->GetBufferPointer()[i] - output->GetBufferPointer()[i]));
    }
    EXPECT_LT(largest, elastixTolerance) << name;
    typename Image::PointType first;
    m_Grid->TransformIndexToPhysicalPoint(m_Grid->GetLargestPossibleRegion().GetIndex(), first);
    EXPECT_LT((output->GetOrigin() - first).GetNorm(), 1e-9);
  }

  /** Returns the centre of the input, about which rotations are made. */
  typename Image::PointType
  Centre() const
  {
    itk::ContinuousIndex<double, VDimension> index;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      index[d] = 0.5 * static_cast<double>(m_Image->GetLargestPossibleRegion().GetSize(d));
    }
    typename Image::PointType point;
    m_Image->TransformContinuousIndexToPhysicalPoint(index, point);
    return point;
  }

  /** Returns a B-spline on a rotated grid around the output, which moves points by millimetres. */
  template <unsigned int VOrder>
  typename itk::BSplineTransform<double, VDimension, VOrder>::Pointer
  MakeSpline(std::string & more)
  {
    using Spline = itk::BSplineTransform<double, VDimension, VOrder>;
    const auto                               spline = Spline::New();
    typename Spline::FixedParametersType     fixed(VDimension * (VDimension + 3));
    itk::ContinuousIndex<double, VDimension> index;
    index.Fill(-12.0);
    typename Image::PointType origin;
    m_Grid->TransformContinuousIndexToPhysicalPoint(index, origin);
    const auto          direction = m_Grid->GetDirection();
    std::vector<double> sizes, origins, spacings;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      sizes.push_back(9.0 + d);
      origins.push_back(origin[d]);
      spacings.push_back(6.0 * m_Grid->GetSpacing()[d]);
      fixed[d] = sizes[d];
      fixed[VDimension + d] = origins[d];
      fixed[2 * VDimension + d] = spacings[d];
      for (unsigned int column = 0; column < VDimension; ++column)
      {
        fixed[(3 + d) * VDimension + column] = direction[d][column];
      }
    }
    spline->SetFixedParameters(fixed);
    typename Spline::ParametersType        parameters(spline->GetNumberOfParameters());
    std::mt19937                           random(VOrder);
    std::uniform_real_distribution<double> uniform(-2.0, 2.0);
    std::generate(parameters.begin(), parameters.end(), [&] { return uniform(random); });
    spline->SetParametersByValue(parameters);
    // The file has its grid with another first index.
    std::vector<double> moved(VDimension);
    for (unsigned int row = 0; row < VDimension; ++row)
    {
      moved[row] = origins[row] - direction[row][0] * spacings[0];
    }
    more = "(GridSize" + WordsOf(sizes) + ")\n(GridIndex 1 0" + (VDimension == 3 ? " 0" : "") + ")\n(GridSpacing" +
           WordsOf(spacings) + ")\n(GridOrigin" + WordsOf(moved) + ")\n(GridDirection" + Columns(direction) +
           ")\n(BSplineTransformSplineOrder " + std::to_string(VOrder) + ")\n(UseCyclicTransform \"false\")\n";
    return spline;
  }

  typename Image::Pointer m_Image;
  typename Image::Pointer m_Grid; ///< of the output
};

using ElastixFiles2D = ElastixFiles<2>;
using ElastixFiles3D = ElastixFiles<3>;

TEST_F(ElastixFiles3D, LinearTransforms)
{
  const auto translation = itk::TranslationTransform<double, 3>::New();
  translation->Translate(Vector3(1.5, -0.5, 2.0));
  WriteFile("translation.txt", "TranslationTransform", translation.GetPointer(), Common("NoInitialTransform"));
  Expect("translation.txt", translation);

  for (const bool zyx : { false, true })
  {
    const auto euler = itk::Euler3DTransform<double>::New();
    euler->SetComputeZYX(zyx);
    euler->SetCenter(Centre());
    euler->SetRotation(0.3, -0.2, 0.25);
    euler->SetTranslation(Vector3(1.0, 2.0, -1.0));
    WriteFile("euler.txt",
              "EulerTransform",
              euler.GetPointer(),
              Common("NoInitialTransform") + CentreOf(euler.GetPointer()) + "(ComputeZYX \"" +
                (zyx ? "true" : "false") + "\")\n");
    Expect("euler.txt", euler);
  }

  const auto similarity = itk::Similarity3DTransform<double>::New();
  similarity->SetCenter(Centre());
  similarity->SetRotation(Vector3(0.2, 0.9, -0.3), 0.35);
  similarity->SetScale(1.15);
  similarity->SetTranslation(Vector3(0.5, 0.0, -1.0));
  WriteFile("similarity.txt",
            "SimilarityTransform",
            similarity.GetPointer(),
            Common("NoInitialTransform") + CentreOf(similarity.GetPointer()));
  Expect("similarity.txt", similarity);
}

TEST_F(ElastixFiles2D, LinearTransforms)
{
  const auto euler = itk::Euler2DTransform<double>::New();
  euler->SetCenter(Centre());
  euler->SetAngle(0.4);
  WriteFile(
    "euler.txt", "EulerTransform", euler.GetPointer(), Common("NoInitialTransform") + CentreOf(euler.GetPointer()));
  Expect("euler.txt", euler);

  const auto similarity = itk::Similarity2DTransform<double>::New();
  similarity->SetCenter(Centre());
  similarity->SetAngle(-0.3);
  similarity->SetScale(0.9);
  WriteFile("similarity.txt",
            "SimilarityTransform",
            similarity.GetPointer(),
            Common("NoInitialTransform") + CentreOf(similarity.GetPointer()));
  Expect("similarity.txt", similarity);
}

TEST_F(ElastixFiles2D, SplinesOfEveryOrder)
{
  std::string more;
  const auto  first = MakeSpline<1>(more);
  WriteFile("one.txt", "BSplineTransform", first.GetPointer(), Common("NoInitialTransform") + more);
  Expect("one.txt", first);
  const auto second = MakeSpline<2>(more);
  WriteFile("two.txt", "RecursiveBSplineTransform", second.GetPointer(), Common("NoInitialTransform") + more);
  Expect("two.txt", second);
}

TEST_F(ElastixFiles3D, SplinesOfOtherOrdersThanThree)
{
  std::string more;
  const auto  spline = MakeSpline<2>(more);
  WriteFile("two.txt", "BSplineTransform", spline.GetPointer(), Common("NoInitialTransform") + more);
  Expect("two.txt", spline);
}

/** A chain of three files, the first of which is in the same folder as the others, and the sum of displacements. */
TEST_F(ElastixFiles3D, Chains)
{
  const auto affine = itk::AffineTransform<double, 3>::New();
  affine->SetCenter(Centre());
  affine->Rotate3D(Vector3(0.0, 0.0, 1.0), 0.3);
  affine->Shear(0, 2, 0.1);
  const auto translation = itk::TranslationTransform<double, 3>::New();
  translation->Translate(Vector3(1.5, -0.5, 2.0));
  std::string more;
  const auto  spline = MakeSpline<3>(more);
  WriteFile("0.txt", "TranslationTransform", translation.GetPointer(), Common("NoInitialTransform"));
  WriteFile(
    "1.txt", "AffineTransform", affine.GetPointer(), Common("/where/it/was/0.txt") + CentreOf(affine.GetPointer()));
  WriteFile("2.txt", "BSplineTransform", spline.GetPointer(), Common(Path("1.txt")) + more);
  const auto composite = itk::CompositeTransform<double, 3>::New();
  composite->AddTransform(spline);
  composite->AddTransform(affine);
  composite->AddTransform(translation);
  Expect("2.txt", composite);

  // Windows paths: the file name and the relative path are searched in the folder of the file that names it.
  for (const char * const initial :
       { R"(C:\Users\me\registration\0.txt)", R"(..\elsewhere\0.txt)", "D:/0.txt", R"(\\server\0.txt)" })
  {
    SCOPED_TRACE(initial);
    WriteFile("1.txt", "AffineTransform", affine.GetPointer(), Common(initial) + CentreOf(affine.GetPointer()));
    Expect("2.txt", composite);
  }
  std::filesystem::create_directory(Path("below"));
  std::filesystem::rename(Path("0.txt"), Path("below/first.txt"));
  WriteFile(
    "1.txt", "AffineTransform", affine.GetPointer(), Common(R"(below\first.txt)") + CentreOf(affine.GetPointer()));
  Expect("2.txt", composite);

  // The sum of two translations does not depend on their order; the spline adds to the point that is passed to the
  // affine one.
  WriteFile("added.txt", "TranslationTransform", translation.GetPointer(), Common(Path("2.txt"), "Add"));
  const auto behind = itk::TranslationTransform<double, 3>::New();
  behind->Translate(Vector3(1.5, -0.5, 2.0));
  const auto sum = itk::CompositeTransform<double, 3>::New();
  sum->AddTransform(behind);
  sum->AddTransform(spline);
  sum->AddTransform(affine);
  sum->AddTransform(translation);
  Expect("added.txt", sum);
}

/** Ignored axes: the transform maps between grids that are not rotated. */
TEST_F(ElastixFiles3D, WithoutDirectionCosines)
{
  const auto translation = itk::TranslationTransform<double, 3>::New();
  translation->Translate(Vector3(1.5, -0.5, 2.0));
  WriteFile(
    "t.txt", "TranslationTransform", translation.GetPointer(), Common("NoInitialTransform", "Compose", "false"));
  const ProgramResult result = RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-t", Path("t.txt") });
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto output = ReadTestImage<Image>(Path("out.nrrd"));
  // As in transformix: images without directions, which are then restored in the result.
  Image::DirectionType identity;
  identity.SetIdentity();
  m_Image->SetDirection(identity);
  const auto turned = m_Grid->GetDirection();
  m_Grid->SetDirection(identity);
  const auto filter = itk::ResampleImageFilter<Image, Image>::New();
  filter->SetInput(m_Image);
  filter->SetTransform(translation);
  filter->SetOutputParametersFromImage(m_Grid);
  filter->Update();
  for (itk::SizeValueType i = 0; i < output->GetLargestPossibleRegion().GetNumberOfPixels(); ++i)
  {
    ASSERT_NEAR(filter->GetOutput()->GetBufferPointer()[i], output->GetBufferPointer()[i], elastixTolerance) << i;
  }
  EXPECT_NEAR(output->GetDirection()[0][1], turned[0][1], 1e-9);
}

TEST_F(ElastixFiles3D, BadFilesAreErrors)
{
  const auto expectError = [&](const std::string & text, const std::string & words) {
    std::ofstream(Path("bad.txt")) << text;
    const ProgramResult result = RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-t", Path("bad.txt") });
    EXPECT_NE(result.code, 0) << text;
    EXPECT_EQ(result.signal, 0) << text;
    EXPECT_NE(result.errors.find(words), std::string::npos) << result.errors;
    EXPECT_EQ(result.CountErrorLines(), 1U) << result.errors;
  };
  const std::string common = Common("NoInitialTransform");
  const std::string translation = "(Transform \"TranslationTransform\")\n(TransformParameters ";
  expectError("(Transform \"AffineDTITransform\")\n" + common, "AffineDTITransform");
  expectError(translation + "1 2)\n" + common, "2 parameters");
  expectError(translation + "1 2 nan)\n" + common, "not a number");
  expectError(translation + "1 2 3\n" + common, "not closed");
  expectError(translation + "1 2 3)\n" + Common(Path("bad.txt")), "its initial transform is the file itself");
  expectError(translation + "1 2 3)\n" + Common("nowhere.txt"), "nowhere.txt");
  expectError(translation + "1 2 3)\n" + Common(Path("in.nrrd")), "cannot read");
}

} // namespace
