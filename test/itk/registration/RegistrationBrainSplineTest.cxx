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

#include "itkBSplineTransform.h"
#include "itkImageDuplicator.h"

/** \file
 * \brief The registration of a brain that was bent by a known B-spline transform and has other grey values.
 *
 * Cells are 36 mm, coefficients up to 2.5 mm. On the GPU every voxel is a sample, at two levels of smoothing; on the
 * host one voxel of fifty is, after a level with fewer. The limit for both is 0.2 mm, root mean square of the error of
 * the displacements inside the head. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using BrainSpline = itk::BSplineTransform<double, 3, 3>;

class BrainSplineRecovery : public GpuOnAndOff
{
protected:
  void
  SetUp() override
  {
    GpuOnAndOff::SetUp();
    CUDASPLINE_NEEDS_BRAIN("ch2.nii.gz");
  }

  /** Returns a B-spline transform on the domain of an image without displacements. */
  static BrainSpline::Pointer
  MakeSpline(const BrainImage * image)
  {
    auto                                spline = BrainSpline::New();
    BrainSpline::PhysicalDimensionsType extent;
    BrainSpline::MeshSizeType           mesh;
    for (unsigned int d = 0; d < 3; ++d)
    {
      extent[d] = (static_cast<double>(image->GetBufferedRegion().GetSize(d)) - 1.0) * image->GetSpacing()[d];
      mesh[d] = static_cast<itk::SizeValueType>(std::lround(extent[d] / 36.0));
    }
    spline->SetTransformDomainOrigin(image->GetOrigin());
    spline->SetTransformDomainDirection(image->GetDirection());
    spline->SetTransformDomainPhysicalDimensions(extent);
    spline->SetTransformDomainMeshSize(mesh);
    return spline;
  }

  /** Returns the root mean square of the distance of two transforms over the voxels of a head, every fourth along each
   * axis, mm. */
  static double
  DistanceInside(const BrainImage * head, const BrainTransform * found, const BrainTransform * known)
  {
    double                                        sum = 0.0;
    double                                        count = 0.0;
    itk::ImageRegionIteratorWithIndex<BrainImage> it(const_cast<BrainImage *>(head), head->GetBufferedRegion());
    for (; !it.IsAtEnd(); ++it)
    {
      const auto & index = it.GetIndex();
      if (index[0] % 4 == 0 && index[1] % 4 == 0 && index[2] % 4 == 0 && it.Get() > 40.0F)
      {
        BrainImage::PointType point;
        head->TransformIndexToPhysicalPoint(index, point);
        sum += found->TransformPoint(point).SquaredEuclideanDistanceTo(known->TransformPoint(point));
        count += 1.0;
      }
    }
    EXPECT_GT(count, 10000.0);
    return std::sqrt(sum / count);
  }

  static void
  Run(double noise, bool onGpu)
  {
    const auto brain = ReadBrain("ch2.nii.gz");
    const auto known = MakeSpline(brain);
    const auto found = MakeSpline(brain);
    auto       parameters = known->GetParameters();
    for (unsigned int p = 0; p < parameters.Size(); ++p)
    {
      parameters[p] = 2.5 * std::sin(0.7 * p + 0.2);
    }
    known->SetParametersByValue(parameters);
    const auto fixed = MovedBrain(brain, known);
    auto       duplicator = itk::ImageDuplicator<BrainImage>::New();
    duplicator->SetInputImage(fixed);
    duplicator->Update();
    const BrainImage::Pointer unchanged = duplicator->GetOutput();
    ASSERT_GT(DistanceInside(unchanged, found, known), 1.0);
    ChangeContrast(fixed, noise);

    const auto       metric = MakeBrainMetric(onGpu);
    const auto       optimizer = MakeQuasiNewton(10.0, itk::Array<double>());
    RegistrationPlan plan = BrainPlan(onGpu, 60);
    if (!onGpu)
    {
      // So many parameters need many iterations, most of which can use fewer voxels.
      plan.iterations = { 60, 8 };
      plan.fractions = { 0.004, 0.02 };
    }
    MakeRegistration<3>(metric, fixed, brain, optimizer, found, plan)->Update();
    EXPECT_EQ(metric->GetLastBackend(), onGpu ? Backend::Cuda : Backend::Cpu) << metric->GetFallbackReason();
    const double error = DistanceInside(unchanged, found, known);
    EXPECT_LE(error, 0.2) << optimizer->GetStopConditionDescription();
    RecordProperty("field_error_um", static_cast<int>(error * 1000.0));
    if (HasBrain("aal.nii.gz"))
    {
      EXPECT_GE(LabelAgreement(ReadBrain("aal.nii.gz"), found, known), 0.95);
      EXPECT_LE(LabelAgreement(ReadBrain("aal.nii.gz"), MakeSpline(brain).GetPointer(), known), 0.8); // at the start
    }
  }
};

TEST_P(BrainSplineRecovery, WithoutNoise)
{
  Run(0.0, GetParam());
}

TEST_P(BrainSplineRecovery, WithNoise)
{
  Run(0.03, GetParam());
}

CUDASPLINE_GPU_ON_AND_OFF(BrainSplineRecovery);

} // namespace
