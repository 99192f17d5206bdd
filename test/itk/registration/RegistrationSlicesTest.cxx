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
#include "RegistrationTestSupport.h"

#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"
#include "itkCudaMeanSquaresImageToImageMetricv4.h"

#include "itkEuler2DTransform.h"
#include "itkImageFileReader.h"
#include "itkPNGImageIO.h"

#include <cstdlib>
#include <fstream>

/** \file
 * \brief The slices of a brain that ITK's examples register: proton density and T1, with a border of 20 mm, shifted by
 * 13 and 17 mm and rotated by 10 degrees. Debian's package insighttoolkit5-examples has them; CUDASPLINE_SLICES names
 * another folder. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

using SliceTypes = RegistrationOf<2>;
using SliceImage = SliceTypes::Image;
using SliceRigid = itk::Euler2DTransform<double>;
using SliceMeanSquares = itk::CudaMeanSquaresImageToImageMetricv4<SliceImage, SliceImage>;
using SliceMattes = itk::CudaMattesMutualInformationImageToImageMetricv4<SliceImage, SliceImage>;

constexpr double degree = 0.017453292519943295;

std::string
SlicePath(const std::string & name)
{
  const char * const folder = std::getenv("CUDASPLINE_SLICES");
  return std::string(folder != nullptr ? folder : "/usr/share/doc/insighttoolkit5-examples/examples/Data") + "/" + name;
}

SliceImage::Pointer
ReadSlice(const std::string & name)
{
  auto reader = itk::ImageFileReader<SliceImage>::New();
  reader->SetImageIO(itk::PNGImageIO::New());
  reader->SetFileName(SlicePath(name));
  reader->Update();
  return reader->GetOutput();
}

class SliceRecovery : public GpuOnAndOff
{
protected:
  void
  SetUp() override
  {
    GpuOnAndOff::SetUp();
    if (!std::ifstream(SlicePath("BrainProtonDensitySliceBorder20.png")))
    {
      GTEST_SKIP() << "There is no " << SlicePath("BrainProtonDensitySliceBorder20.png")
                   << " (Debian's package insighttoolkit5-examples).";
    }
  }

  /** Registers with a metric of the module. */
  template <typename TMetric, typename TTransform>
  void
  Run(const std::string & fixedName, const std::string & movingName, TTransform * transform) const
  {
    const auto metric = TMetric::New();
    metric->SetGPUEnabled(GetParam());
    metric->SetPrecision(itk::CudaSplinePrecision::Double); // for comparison with ITK's steps
    RunWith(metric.GetPointer(), fixedName, movingName, transform);
    EXPECT_EQ(metric->GetLastBackend(), GetParam() ? Backend::Cuda : Backend::Cpu) << metric->GetFallbackReason();
  }

  /** Registers from the identity, about the middle of the images; \p transform is optimized. */
  template <typename TMetric, typename TTransform>
  static void
  RunWith(TMetric * metric, const std::string & fixedName, const std::string & movingName, TTransform * transform)
  {
    const auto fixed = ReadSlice(fixedName);
    const auto moving = ReadSlice(movingName);
    metric->SetUseMovingImageGradientFilter(false);
    metric->SetUseFixedImageGradientFilter(false);
    auto optimizer = itk::RegularStepGradientDescentOptimizerv4<double>::New();
    optimizer->SetLearningRate(4.0);
    optimizer->SetMinimumStepLength(1e-4);
    optimizer->SetRelaxationFactor(0.6);
    itk::Array<double> scales = MovementScales(fixed.GetPointer(), transform);
    for (double & scale : scales)
    {
      scale *= scale; // a gradient descent needs their squares
    }
    optimizer->SetScales(scales);
    RegistrationPlan plan;
    plan.shrink = { 4, 2, 1 };
    plan.sigmas = { 4.0, 2.0, 0.0 };
    plan.iterations = { 150, 100, 150 };
    MakeRegistration<2>(metric, fixed, moving, optimizer, transform, plan)->Update();
  }

  /** Returns the displacement of the middle of the images by a transform, mm. */
  template <typename TTransform>
  static itk::Vector<double, 2>
  ShiftOfMiddle(const TTransform * transform)
  {
    const auto middle = Middle();
    return transform->TransformPoint(middle) - middle;
  }

  static itk::Point<double, 2>
  Middle()
  {
    itk::Point<double, 2> middle;
    middle[0] = 110.0; // of 221 by 257 pixels of 1 mm
    middle[1] = 128.0;
    return middle;
  }
};

TEST_P(SliceRecovery, Shift)
{
  auto shift = itk::TranslationTransform<double, 2>::New();
  this->Run<SliceMeanSquares>(
    "BrainProtonDensitySliceBorder20.png", "BrainProtonDensitySliceShifted13x17y.png", shift.GetPointer());
  EXPECT_NEAR(shift->GetOffset()[0], 13.0, 0.01);
  EXPECT_NEAR(shift->GetOffset()[1], 17.0, 0.01);
}

TEST_P(SliceRecovery, ShiftOfAnotherModality)
{
  auto shift = itk::TranslationTransform<double, 2>::New();
  this->Run<SliceMattes>("BrainT1SliceBorder20.png", "BrainProtonDensitySliceShifted13x17y.png", shift.GetPointer());
  EXPECT_NEAR(shift->GetOffset()[0], 13.0, 0.1);
  EXPECT_NEAR(shift->GetOffset()[1], 17.0, 0.1);
}

// The file is rotated by slightly more than its name says: ITK's guide finds 10.2 degrees.
TEST_P(SliceRecovery, Rotation)
{
  auto rigid = SliceRigid::New();
  rigid->SetCenter(Middle());
  this->Run<SliceMeanSquares>(
    "BrainProtonDensitySliceBorder20.png", "BrainProtonDensitySliceRotated10.png", rigid.GetPointer());
  EXPECT_NEAR(rigid->GetAngle() / degree, 10.0, 0.2);
  EXPECT_LE(ShiftOfMiddle(rigid.GetPointer()).GetNorm(), 0.2);
}

/** The file names do not specify the centre of the rotation for the shift of 13 and 17 mm. For the centre of the image
 * the shift is 13.0 and 15.9, also with ITK's own metric, with which the result is compared. */
TEST_P(SliceRecovery, RotationAndShift)
{
  const char * const fixed = "BrainProtonDensitySliceBorder20.png";
  const char * const moving = "BrainProtonDensitySliceR10X13Y17.png";
  auto               rigid = SliceRigid::New();
  rigid->SetCenter(Middle());
  this->Run<SliceMeanSquares>(fixed, moving, rigid.GetPointer());
  EXPECT_NEAR(rigid->GetAngle() / degree, 10.0, 0.1);
  EXPECT_NEAR(ShiftOfMiddle(rigid.GetPointer())[0], 13.0, 0.1);
  EXPECT_NEAR(ShiftOfMiddle(rigid.GetPointer())[1], 17.0, 1.2);

  auto reference = SliceRigid::New();
  reference->SetCenter(Middle());
  using ItkMeanSquares = itk::MeanSquaresImageToImageMetricv4<SliceImage, SliceImage>;
  RunWith(ItkMeanSquares::New().GetPointer(), fixed, moving, reference.GetPointer());
  EXPECT_LE(CornerDistance(ReadSlice(fixed).GetPointer(), rigid.GetPointer(), reference.GetPointer()), 0.1);
}

/** Mutual information and the difference agree where both are available: across modalities and within one. */
TEST_P(SliceRecovery, RotationAndShiftOfAnotherModality)
{
  const char * const moving = "BrainProtonDensitySliceR10X13Y17.png";
  auto               rigid = SliceRigid::New();
  rigid->SetCenter(Middle());
  this->Run<SliceMattes>("BrainT1SliceBorder20.png", moving, rigid.GetPointer());
  EXPECT_NEAR(rigid->GetAngle() / degree, 10.0, 0.2);
  auto same = SliceRigid::New();
  same->SetCenter(Middle());
  this->Run<SliceMeanSquares>("BrainProtonDensitySliceBorder20.png", moving, same.GetPointer());
  EXPECT_LE((ShiftOfMiddle(rigid.GetPointer()) - ShiftOfMiddle(same.GetPointer())).GetNorm(), 0.2);
}

CUDASPLINE_GPU_ON_AND_OFF(SliceRecovery);

} // namespace
