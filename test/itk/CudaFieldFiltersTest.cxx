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
// The filters of displacement fields. Expected values: ITK's filters on one thread; double fields the same to the bit.

#include "FieldTestSupport.h"
#include "GpuOnAndOff.h"

#include "itkCudaComposeDisplacementFieldsImageFilter.h"
#include "itkCudaDisplacementFieldJacobianDeterminantFilter.h"
#include "itkCudaExponentialDisplacementFieldImageFilter.h"
#include "itkCudaInvertDisplacementFieldImageFilter.h"

#include <vnl/vnl_det.h>

#include "itkVectorNearestNeighborInterpolateImageFunction.h"

#include <cmath>
#include <limits>
#include <type_traits>

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

namespace
{

class CudaFieldFilters : public GpuOnAndOff
{
protected:
  /** What a filter is promised. */
  template <typename TFilter>
  void
  ExpectPromised(const TFilter * filter, unsigned int dimension) const
  {
    const std::string name = filter->GetNameOfClass();
    EXPECT_EQ(filter->GetLastBackend(),
              PromisedBackend({ name, "vector", std::to_string(dimension), "-", "-", "-" }, GetParam()))
      << name << ": " << filter->GetFallbackReason();
  }

  template <typename TReal, unsigned int VDimension>
  void
  Compare(const std::vector<std::int64_t> & size);
};

CUDASPLINE_GPU_ON_AND_OFF(CudaFieldFilters);

template <typename TReal, unsigned int VDimension>
void
CudaFieldFilters::Compare(const std::vector<std::int64_t> & size)
{
  using Field = DisplacementsOf<TReal, VDimension>;
  const double bound = std::is_same<TReal, double>::value ? 0.0 : SingleBound;
  Random       random(__LINE__ + VDimension);
  const auto   field = MakeObliqueImage<Field>(size, true, random);
  auto         other = LikeImage(field.GetPointer());
  FillField(field.GetPointer(), 1.0, true, random);
  FillField(other.GetPointer(), 2.0, false, random);
  if (std::is_same<TReal, float>::value)
  {
    VanishAtTheBorder(field.GetPointer()); // places gather where it jumps, and there the roundings of float decide
  }

  const auto setCompose = [&](auto filter) {
    filter->SetDisplacementField(other);
    filter->SetWarpingField(field);
    filter->Update();
  };
  const auto theirs = itk::ComposeDisplacementFieldsImageFilter<Field>::New();
  const auto ours = itk::CudaComposeDisplacementFieldsImageFilter<Field>::New();
  ours->SetGPUEnabled(GetParam());
  setCompose(theirs);
  setCompose(ours);
  this->ExpectPromised(ours.GetPointer(), VDimension);
  EXPECT_LE(LargestDifference(ours->GetOutput(), theirs->GetOutput()), bound);

  for (const bool hasEstimate : { false, true })
  {
    const auto setInvert = [&](auto filter) {
      filter->SetInput(field);
      filter->SetMaximumNumberOfIterations(7);
      filter->SetMeanErrorToleranceThreshold(1e-4);
      filter->SetMaxErrorToleranceThreshold(1e-3);
      filter->SetEnforceBoundaryCondition(hasEstimate);
      filter->SetNumberOfWorkUnits(1);
      if (hasEstimate)
      {
        filter->SetInverseFieldInitialEstimate(other);
      }
      filter->Update();
    };
    const auto inverse = itk::InvertDisplacementFieldImageFilter<Field>::New();
    const auto ourInverse = itk::CudaInvertDisplacementFieldImageFilter<Field>::New();
    ourInverse->SetGPUEnabled(GetParam());
    const auto estimate = CopyOf(other.GetPointer());
    setInvert(inverse);
    setInvert(ourInverse);
    this->ExpectPromised(ourInverse.GetPointer(), VDimension);
    EXPECT_LE(LargestDifference(ourInverse->GetOutput(), inverse->GetOutput()), 2.0 * bound);
    EXPECT_NEAR(ourInverse->GetMaxErrorNorm(), inverse->GetMaxErrorNorm(), 2.0 * bound);
    EXPECT_NEAR(ourInverse->GetMeanErrorNorm(), inverse->GetMeanErrorNorm(), 2.0 * bound + 1e-13);
    EXPECT_EQ(LargestDifference(estimate.GetPointer(), other.GetPointer()), 0.0); // it is not touched
  }

  for (const unsigned int iterations : { 20U, 0U, 3U })
  {
    for (const bool isInverse : { false, true })
    {
      const auto setExponential = [&](auto filter) {
        filter->SetInput(other);
        filter->SetComputeInverse(isInverse);
        filter->SetMaximumNumberOfIterations(iterations);
        filter->SetAutomaticNumberOfIterations(iterations == 20U);
        filter->Update();
      };
      const auto exponential = itk::ExponentialDisplacementFieldImageFilter<Field, Field>::New();
      const auto ourExponential = itk::CudaExponentialDisplacementFieldImageFilter<Field, Field>::New();
      ourExponential->SetGPUEnabled(GetParam());
      setExponential(exponential);
      setExponential(ourExponential);
      this->ExpectPromised(ourExponential.GetPointer(), VDimension);
      EXPECT_LE(LargestDifference(ourExponential->GetOutput(), exponential->GetOutput()), 4.0 * bound) << iterations;
    }
  }

  for (const bool usesSpacing : { true, false })
  {
    const auto setJacobian = [&](auto filter) {
      filter->SetInput(other);
      filter->SetUseImageSpacing(usesSpacing);
      filter->Update();
    };
    const auto jacobian = itk::DisplacementFieldJacobianDeterminantFilter<Field, TReal>::New();
    const auto ourJacobian = itk::CudaDisplacementFieldJacobianDeterminantFilter<Field, TReal>::New();
    ourJacobian->SetGPUEnabled(GetParam());
    setJacobian(jacobian);
    setJacobian(ourJacobian);
    this->ExpectPromised(ourJacobian.GetPointer(), VDimension);
    for (itk::SizeValueType i = 0; i < field->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      ASSERT_EQ(ourJacobian->GetOutput()->GetBufferPointer()[i], jacobian->GetOutput()->GetBufferPointer()[i]) << i;
    }
  }
}

} // namespace

TEST_P(CudaFieldFilters, AreItks)
{
  this->Compare<float, 2>({ 23, 17 });
  this->Compare<double, 2>({ 31, 1 });
  this->Compare<float, 3>({ 13, 11, 7 });
  this->Compare<double, 3>({ 17, 23, 11 });
  this->Compare<double, 3>({ 19, 13, 1 });
}

// The determinant of a linear map is that of its matrix, within the border.
TEST_P(CudaFieldFilters, JacobianOfALinearMap)
{
  using Field = DisplacementsOf<double, 3>;
  auto                      field = Field::New();
  const Field::SizeType     size = { { 9, 8, 7 } };
  const double              matrix[3][3] = { { 0.1, 0.2, -0.1 }, { 0.0, -0.2, 0.3 }, { 0.05, 0.1, 0.15 } };
  const Field::SpacingType  spacing(0.5);
  itk::Matrix<double, 3, 3> full;
  field->SetRegions(size);
  field->SetSpacing(spacing);
  field->Allocate();
  for (itk::SizeValueType i = 0; i < field->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    Field::PointType place;
    field->TransformIndexToPhysicalPoint(field->ComputeIndex(static_cast<itk::OffsetValueType>(i)), place);
    for (unsigned int r = 0; r < 3; ++r)
    {
      field->GetBufferPointer()[i][r] = matrix[r][0] * place[0] + matrix[r][1] * place[1] + matrix[r][2] * place[2];
      for (unsigned int c = 0; c < 3; ++c)
      {
        full[r][c] = matrix[r][c] + (r == c ? 1.0 : 0.0);
      }
    }
  }
  const auto filter = itk::CudaDisplacementFieldJacobianDeterminantFilter<Field, double>::New();
  filter->SetGPUEnabled(GetParam());
  filter->SetInput(field);
  filter->Update();
  const Field::IndexType inside = { { 4, 4, 3 } };
  EXPECT_NEAR(filter->GetOutput()->GetPixel(inside), vnl_det(full.GetVnlMatrix()), 1e-13);
}

// What the kernels do not know is ITK's, and said.
TEST_P(CudaFieldFilters, OthersAreItks)
{
  using Field = DisplacementsOf<float, 2>;
  Random     random(__LINE__);
  const auto field = MakeObliqueImage<Field>({ 23, 17 }, false, random);
  FillField(field.GetPointer(), 1.0, true, random);
  const auto compose = itk::CudaComposeDisplacementFieldsImageFilter<Field>::New();
  compose->SetGPUEnabled(GetParam());
  compose->SetInterpolator(itk::VectorNearestNeighborInterpolateImageFunction<Field, float>::New());
  compose->SetDisplacementField(field);
  compose->SetWarpingField(field);
  compose->Update();
  EXPECT_EQ(compose->GetLastBackend(), Backend::Superclass);
  EXPECT_NE(compose->GetFallbackReason(), "");

  // A part of a determinant.
  const auto jacobian = itk::CudaDisplacementFieldJacobianDeterminantFilter<Field>::New();
  jacobian->SetGPUEnabled(GetParam());
  jacobian->SetInput(field);
  jacobian->UpdateOutputInformation();
  auto region = field->GetBufferedRegion();
  region.SetIndex(0, region.GetIndex(0) + 3);
  region.SetSize(0, 5);
  jacobian->GetOutput()->SetRequestedRegion(region);
  jacobian->GetOutput()->Update();
  EXPECT_EQ(jacobian->GetLastBackend(), Backend::Superclass);
  EXPECT_EQ(jacobian->GetOutput()->GetBufferedRegion(), region);

  // An estimate on another grid of the same size.
  auto estimate = LikeImage(field.GetPointer());
  FillField(estimate.GetPointer(), 0.1, true, random);
  estimate->SetSpacing(field->GetSpacing() * (1.0 + 1e-9));
  const auto inverse = itk::CudaInvertDisplacementFieldImageFilter<Field>::New();
  inverse->SetGPUEnabled(GetParam());
  inverse->SetInput(field);
  inverse->SetInverseFieldInitialEstimate(estimate);
  inverse->Update();
  EXPECT_EQ(inverse->GetLastBackend(), Backend::Superclass);
  EXPECT_GT(inverse->GetMaxErrorNorm(), 0.0);
}
