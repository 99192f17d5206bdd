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
#include "BrainTestSupport.h"

#include "itkAffineTransform.h"
#include "itkEuler3DTransform.h"

/** \file
 * \brief The registration of a brain that was moved by a known transform and has other grey values.
 *
 * On the GPU every voxel is a sample, at two levels of smoothing. On the host it is one of fifty (of 7.1 million; one
 * of a hundred without noise), chosen at random with a fixed seed, after a level with fewer, so that the test takes
 * seconds. The error of the transform at the corners of the image, up to 165 mm away from its middle, is below 0.1 mm
 * with noise of 3 % of the range and a bias field, on both. Without noise it is below 0.01 mm on the GPU, and below
 * 0.05 mm on the host, as expected for a hundredth of the voxels. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

/** The result, and the start of the search. */
template <typename TTransform>
struct BrainRegistration
{
  BrainImage::Pointer          brain{ ReadBrain("ch2.nii.gz") };
  typename TTransform::Pointer known{ TTransform::New() };
  typename TTransform::Pointer found{ TTransform::New() };

  BrainRegistration()
  {
    known->SetCenter(MiddleOf(brain));
    found->SetCenter(MiddleOf(brain));
  }

  void
  Run(double noise, bool onGpu)
  {
    ASSERT_GT(CornerDistance(brain.GetPointer(), found.GetPointer(), known.GetPointer()), 10.0);
    const auto fixed = MovedBrain(brain, known);
    ChangeContrast(fixed, noise);
    const auto       metric = MakeBrainMetric(onGpu);
    const auto       optimizer = MakeQuasiNewton(1.0, MovementScales(brain.GetPointer(), found.GetPointer()));
    RegistrationPlan plan = BrainPlan(onGpu, 60);
    if (!onGpu && noise == 0.0)
    {
      plan.fractions = { 0.002, 0.01 };
    }
    MakeRegistration<3>(metric, fixed, brain, optimizer, found, plan)->Update();
    EXPECT_EQ(metric->GetLastBackend(), onGpu ? Backend::Cuda : Backend::Cpu) << metric->GetFallbackReason();
    const double error = CornerDistance(brain.GetPointer(), found.GetPointer(), known.GetPointer());
    EXPECT_LE(error, noise > 0.0 ? 0.1 : (onGpu ? 0.01 : 0.05)) << optimizer->GetStopConditionDescription();
    testing::Test::RecordProperty("corner_error_um", static_cast<int>(error * 1000.0));
    if (HasBrain("aal.nii.gz"))
    {
      // An error of a thousandth of a voxel changes a thousandth of the voxels next to an edge.
      EXPECT_GE(LabelAgreement(ReadBrain("aal.nii.gz"), found, known), noise > 0.0 ? 0.97 : 0.995);
    }
  }
};

class BrainRecovery : public GpuOnAndOff
{
protected:
  void
  SetUp() override
  {
    GpuOnAndOff::SetUp();
    CUDASPLINE_NEEDS_BRAIN("ch2.nii.gz");
  }

  static void
  RunRigid(double noise, bool onGpu)
  {
    BrainRegistration<itk::Euler3DTransform<double>> registration;
    registration.known->SetRotation(0.07, -0.05, 0.09);
    itk::Vector<double, 3> shift;
    shift[0] = 4.3;
    shift[1] = -3.1;
    shift[2] = 2.6;
    registration.known->SetTranslation(shift);
    registration.Run(noise, onGpu);
  }

  static void
  RunAffine(double noise, bool onGpu)
  {
    BrainRegistration<itk::AffineTransform<double, 3>> registration;
    itk::Vector<double, 3>                             axis;
    axis[0] = 1.0;
    axis[1] = -2.0;
    axis[2] = 1.5;
    registration.known->Rotate3D(axis, 0.08);
    itk::Vector<double, 3> scale;
    scale[0] = 1.05;
    scale[1] = 0.96;
    scale[2] = 1.03;
    registration.known->Scale(scale);
    registration.known->Shear(0, 1, 0.03);
    itk::Vector<double, 3> shift;
    shift[0] = -3.4;
    shift[1] = 2.7;
    shift[2] = 3.9;
    registration.known->Translate(shift);
    registration.Run(noise, onGpu);
  }
};

TEST_P(BrainRecovery, Rigid)
{
  RunRigid(0.0, GetParam());
}

TEST_P(BrainRecovery, RigidWithNoise)
{
  RunRigid(0.03, GetParam());
}

TEST_P(BrainRecovery, Affine)
{
  RunAffine(0.0, GetParam());
}

TEST_P(BrainRecovery, AffineWithNoise)
{
  RunAffine(0.03, GetParam());
}

/** Two brains of one person, of 1 mm and of 0.5 mm, acquired ten years apart. Both are in the same space, so the result
 * is close to the identity, for any start of the search. */
TEST_P(BrainRecovery, BetterBrain)
{
  CUDASPLINE_NEEDS_BRAIN("ch2better.nii.gz");
  const auto fixed = ReadBrain("ch2.nii.gz");
  const auto moving = ReadBrain("ch2better.nii.gz");
  using Rigid = itk::Euler3DTransform<double>;
  std::vector<Rigid::Pointer> found;
  for (const double offset : { 5.0, -4.0 })
  {
    auto rigid = Rigid::New();
    rigid->SetCenter(MiddleOf(fixed));
    rigid->SetRotation(0.01 * offset, 0.0, -0.008 * offset);
    itk::Vector<double, 3> shift;
    shift.Fill(offset);
    rigid->SetTranslation(shift);
    const auto             metric = MakeBrainMetric(GetParam());
    const auto             optimizer = MakeQuasiNewton(1.0, MovementScales(fixed.GetPointer(), rigid.GetPointer()));
    const RegistrationPlan plan = BrainPlan(GetParam(), 40);
    MakeRegistration<3>(metric, fixed, moving, optimizer, rigid, plan)->Update();
    EXPECT_EQ(metric->GetLastBackend(), GetParam() ? Backend::Cuda : Backend::Cpu) << metric->GetFallbackReason();
    found.push_back(rigid);
  }
  EXPECT_LE(CornerDistance(fixed.GetPointer(), found[0].GetPointer(), found[1].GetPointer()), 0.1);
  const auto identity = Rigid::New();
  EXPECT_LE(CornerDistance(fixed.GetPointer(), found[0].GetPointer(), identity.GetPointer()), 2.0);
}

CUDASPLINE_GPU_ON_AND_OFF(BrainRecovery);

} // namespace
