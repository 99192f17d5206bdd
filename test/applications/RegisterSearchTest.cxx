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
#include "RegisterFieldSupport.h"
#include "RunProgram.h"

#include "itkImageFileReader.h"
#include "itkLinearInterpolateImageFunction.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <type_traits>

/** \file
 * \brief Search for rotations in CudaSplineRegister. */

namespace
{

/** Images that are rotated by large angles are found with --initialize search, but not by moments alone. */
TEST_F(RegisterFields, SearchInPlane)
{
  for (const double degrees : { 30.0, 170.0 })
  {
    SCOPED_TRACE(degrees);
    const auto known = itk::Euler2DTransform<double>::New();
    known->SetAngle(degrees * std::acos(-1.0) / 180.0);
    known->Translate({ std::array<double, 2>{ 3.0, -2.0 }.data() });
    WritePair<2>(known.GetPointer(), fieldSize);
    ExpectQuietSuccess(
      Register({ "--stage", "rigid", "--initialize", "search", "-o", Path("out.tfm"), "--levels", "2" }));
    EXPECT_LE(DistanceOf<2>("out.tfm", known.GetPointer(), fieldSize), 0.5);
  }
}

TEST_F(RegisterFields, SearchInSpace)
{
  const auto known = itk::AffineTransform<double, 3>::New();
  known->Rotate3D(Vector3(1.0, 0.5, -1.0), std::acos(-1.0) / 3.0);
  known->Translate(Vector3(2.0, -1.5, 1.0));
  constexpr unsigned int size = 28;
  WritePair<3>(known.GetPointer(), size);
  ExpectQuietSuccess(Register({ "--stage",
                                "rigid",
                                "--initialize",
                                "search",
                                "--metric",
                                "correlation",
                                "-o",
                                Path("out.tfm"),
                                "--levels",
                                "2" }));
  EXPECT_LE(DistanceOf<3>("out.tfm", known.GetPointer(), size), 0.5);
}

/** The same for a brain (Debian's mricron-data, a fifth as large) in two contrasts: in a plane rotated by 30 and by 170
 * degrees, in 3D by 60. */
TEST_F(RegisterFields, SearchOfBrains)
{
  const std::string path = "/usr/share/mricron/templates/ch2bet.nii.gz";
  if (!std::ifstream(path).good())
  {
    GTEST_SKIP() << "There is no " << path << " (Debian's package mricron-data).";
  }
  const auto reader = itk::ImageFileReader<Image<3>>::New();
  reader->SetFileName(path);
  reader->Update();
  const auto brain = itk::LinearInterpolateImageFunction<Image<3>, double>::New();
  brain->SetInputImage(reader->GetOutput());
  const auto write = [&](auto transform, unsigned int size) {
    constexpr unsigned int VDimension = std::decay_t<decltype(*transform)>::InputSpaceDimension;
    const auto             valueAt = [&](bool isOther) {
      return [&brain, isOther](const Point<VDimension> & place) {
        itk::ContinuousIndex<double, 3> index;
        for (unsigned int d = 0; d < 3; ++d)
        {
          const auto & region = brain->GetInputImage()->GetBufferedRegion();
          index[d] = 0.5 * static_cast<double>(region.GetSize(d)) + (d < place.Size() ? 5.0 * place[d] : 0.0);
        }
        const double value = brain->IsInsideBuffer(index) ? brain->EvaluateAtContinuousIndex(index) : 0.0;
        return isOther && value > 5.0 ? 200.0 - value : value;
      };
    };
    const auto fixed = MakeGrid<VDimension>(size);
    const auto moving = MakeGrid<VDimension>(size + 3);
    Fill<VDimension>(fixed, transform, valueAt(true));
    Fill<VDimension>(moving, nullptr, valueAt(false));
    WriteTestImage(fixed.GetPointer(), Path("fixed.nrrd"));
    WriteTestImage(moving.GetPointer(), Path("moving.nrrd"));
    ExpectQuietSuccess(
      Register({ "--stage", "rigid", "--initialize", "search", "-o", Path("out.tfm"), "--levels", "1" }));
    EXPECT_LE(DistanceOf<VDimension>("out.tfm", transform, size), 0.4); // 2 mm of the brain
  };
  for (const double degrees : { 30.0, 170.0 })
  {
    const auto known = itk::Euler2DTransform<double>::New();
    known->SetAngle(degrees * std::acos(-1.0) / 180.0);
    known->Translate({ std::array<double, 2>{ 3.0, -2.0 }.data() });
    write(static_cast<const Transform<2> *>(known.GetPointer()), 40);
  }
  const auto known = itk::AffineTransform<double, 3>::New();
  known->Rotate3D(Vector3(1.0, 0.5, -1.0), std::acos(-1.0) / 3.0);
  known->Translate(Vector3(2.0, -1.5, 1.0));
  write(static_cast<const Transform<3> *>(known.GetPointer()), 36);
}

/** Images with nothing in common cause a warning with the number. */
TEST_F(RegisterFields, SearchSaysWhatItDidNotFind)
{
  WritePair<2>(KnownRigid().GetPointer(), fieldSize);
  const auto                                  moving = ReadTestImage<Image<2>>(Path("moving.nrrd"));
  itk::ImageRegionIteratorWithIndex<Image<2>> it(moving, moving->GetBufferedRegion());
  std::uint32_t                               state = 1;
  for (; !it.IsAtEnd(); ++it)
  {
    state = state * 1664525u + 1013904223u;
    it.Set(static_cast<float>(state >> 16));
  }
  WriteTestImage(moving.GetPointer(), Path("moving.nrrd"));
  const ProgramResult result = Register(
    { "--stage", "rigid", "--initialize", "search", "--iterations", "1", "--levels", "1", "-o", Path("out.tfm") });
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_NE(result.errors.find("warning: the search of rotations found no good alignment: the best rotation explains"),
            std::string::npos)
    << result.errors;
}

} // namespace
