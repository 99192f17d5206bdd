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
#include "TestCases.h"

#include "itkCudaComposeDisplacementFieldsImageFilter.h"
#include "itkCudaDisplacementFieldJacobianDeterminantFilter.h"
#include "itkCudaExponentialDisplacementFieldImageFilter.h"
#include "itkCudaInvertDisplacementFieldImageFilter.h"

#include <vnl/vnl_det.h>

#include "itkVectorNearestNeighborInterpolateImageFunction.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

namespace
{

class CudaFieldFilters : public GpuOnAndOff
{
protected:
  /** Checks the documented properties of a filter. */
  template <typename TFilter>
  void
  ExpectPromised(const TFilter * filter, unsigned int dimension) const
  {
    const std::string name = filter->GetNameOfClass();
    EXPECT_EQ(filter->GetLastBackend(),
              PromisedBackend({ name, "vector", std::to_string(dimension), "-", "-", "-" }, GetParam()))
      << name << ": " << filter->GetFallbackReason();
  }

  /** Compares each filter with ITK's, for some fields. */
  ///@{
  template <typename TField>
  void
  CompareCompositions(const TField * displacement, const TField * warping) const;
  template <typename TField>
  void
  CompareInversions(const TField * field, const TField * estimate, unsigned int iterations, double tolerance) const;
  template <typename TField>
  void
  CompareExponentials(const TField * velocity, unsigned int iterations) const;
  template <typename TField>
  void
  CompareJacobians(const TField * field) const;
  ///@}

  template <typename TReal, unsigned int VDimension>
  void
  Compare(const std::vector<std::int64_t> & size) const;

  /** Compares random fields with random settings. */
  template <typename TReal, unsigned int VDimension>
  void
  CompareDrawn(Random & random) const;
};

template <typename TField>
constexpr double BoundOf = std::is_same<typename TField::PixelType::ValueType, double>::value ? 0.0 : SingleBound;

CUDASPLINE_GPU_ON_AND_OFF(CudaFieldFilters);

template <typename TField>
void
CudaFieldFilters::CompareCompositions(const TField * displacement, const TField * warping) const
{
  const auto set = [&](auto filter) {
    filter->SetDisplacementField(displacement);
    filter->SetWarpingField(warping);
    filter->Update();
  };
  const auto theirs = itk::ComposeDisplacementFieldsImageFilter<TField>::New();
  const auto ours = itk::CudaComposeDisplacementFieldsImageFilter<TField>::New();
  ours->SetGPUEnabled(GetParam());
  set(theirs);
  set(ours);
  this->ExpectPromised(ours.GetPointer(), TField::ImageDimension);
  EXPECT_LE(LargestDifference(ours->GetOutput(), theirs->GetOutput()), BoundOf<TField>);
}

template <typename TField>
void
CudaFieldFilters::CompareInversions(const TField * field,
                                    const TField * estimate,
                                    unsigned int   iterations,
                                    double         tolerance) const
{
  const double bound = 2.0 * BoundOf<TField>;
  for (const bool hasEstimate : { false, true })
  {
    const auto set = [&](auto filter) {
      filter->SetInput(field);
      filter->SetMaximumNumberOfIterations(iterations);
      filter->SetMeanErrorToleranceThreshold(tolerance);
      filter->SetMaxErrorToleranceThreshold(10.0 * tolerance);
      filter->SetEnforceBoundaryCondition(hasEstimate);
      filter->SetNumberOfWorkUnits(1);
      if (hasEstimate)
      {
        filter->SetInverseFieldInitialEstimate(const_cast<TField *>(estimate)); // not const in ITK
      }
      filter->Update();
    };
    const auto theirs = itk::InvertDisplacementFieldImageFilter<TField>::New();
    const auto ours = itk::CudaInvertDisplacementFieldImageFilter<TField>::New();
    ours->SetGPUEnabled(GetParam());
    const auto before = CopyOf(estimate);
    set(theirs);
    set(ours);
    this->ExpectPromised(ours.GetPointer(), TField::ImageDimension);
    EXPECT_LE(LargestDifference(ours->GetOutput(), theirs->GetOutput()), bound);
    EXPECT_NEAR(ours->GetMaxErrorNorm(), theirs->GetMaxErrorNorm(), bound);
    EXPECT_NEAR(ours->GetMeanErrorNorm(), theirs->GetMeanErrorNorm(), bound + 1e-13);
    EXPECT_EQ(LargestDifference(before.GetPointer(), estimate), 0.0); // it is not changed
  }
}

template <typename TField>
void
CudaFieldFilters::CompareExponentials(const TField * velocity, unsigned int iterations) const
{
  for (const bool isInverse : { false, true })
  {
    const auto set = [&](auto filter) {
      filter->SetInput(velocity);
      filter->SetComputeInverse(isInverse);
      filter->SetMaximumNumberOfIterations(iterations);
      filter->SetAutomaticNumberOfIterations(iterations == 20U);
      filter->Update();
    };
    const auto theirs = itk::ExponentialDisplacementFieldImageFilter<TField, TField>::New();
    const auto ours = itk::CudaExponentialDisplacementFieldImageFilter<TField, TField>::New();
    ours->SetGPUEnabled(GetParam());
    set(theirs);
    set(ours);
    this->ExpectPromised(ours.GetPointer(), TField::ImageDimension);
    EXPECT_LE(LargestDifference(ours->GetOutput(), theirs->GetOutput()), 4.0 * BoundOf<TField>) << iterations;
  }
}

template <typename TField>
void
CudaFieldFilters::CompareJacobians(const TField * field) const
{
  using Real = typename TField::PixelType::ValueType;
  for (const bool usesSpacing : { true, false })
  {
    const auto set = [&](auto filter) {
      filter->SetInput(field);
      filter->SetUseImageSpacing(usesSpacing);
      filter->Update();
    };
    const auto theirs = itk::DisplacementFieldJacobianDeterminantFilter<TField, Real>::New();
    const auto ours = itk::CudaDisplacementFieldJacobianDeterminantFilter<TField, Real>::New();
    ours->SetGPUEnabled(GetParam());
    set(theirs);
    set(ours);
    this->ExpectPromised(ours.GetPointer(), TField::ImageDimension);
    for (itk::SizeValueType i = 0; i < field->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      ASSERT_EQ(ours->GetOutput()->GetBufferPointer()[i], theirs->GetOutput()->GetBufferPointer()[i]) << i;
    }
  }
}

template <typename TReal, unsigned int VDimension>
void
CudaFieldFilters::Compare(const std::vector<std::int64_t> & size) const
{
  using Field = DisplacementsOf<TReal, VDimension>;
  Random     random(__LINE__ + VDimension);
  const auto field = MakeObliqueImage<Field>(size, true, random);
  auto       other = LikeImage(field.GetPointer());
  FillField(field.GetPointer(), 1.0, true, random);
  FillField(other.GetPointer(), 2.0, false, random);
  if (std::is_same<TReal, float>::value)
  {
    VanishAtTheBorder(
      field.GetPointer()); // points accumulate where the field jumps, and the rounding of float decides there
  }
  this->CompareCompositions<Field>(other, field);
  this->CompareInversions<Field>(field, other, 7, 1e-4);
  for (const unsigned int iterations : { 20U, 0U, 3U })
  {
    this->CompareExponentials<Field>(other, iterations);
  }
  this->CompareJacobians<Field>(other);
}

template <typename TReal, unsigned int VDimension>
void
CudaFieldFilters::CompareDrawn(Random & random) const
{
  using Field = DisplacementsOf<TReal, VDimension>;
  const std::vector<std::int64_t> lengths = VDimension == 2
                                              ? std::vector<std::int64_t>{ 1, 2, 3, 5, 11, 17, 23, 31, 37 }
                                              : std::vector<std::int64_t>{ 1, 2, 3, 5, 7, 11, 13, 17 };
  std::vector<std::int64_t>       size;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    size.push_back(lengths[static_cast<std::size_t>(random.Integer(0, static_cast<int>(lengths.size()) - 1))]);
  }
  const bool                 isSmooth = random.Integer(0, 1) == 0;
  const double               amplitude = random.Uniform(0.05, 2.0);
  const auto                 iterations = static_cast<unsigned int>(random.Integer(1, 12));
  const auto                 squarings = static_cast<unsigned int>(random.Integer(0, 4));
  const auto                 field = MakeObliqueImage<Field>(size, random.Integer(0, 1) == 0, random);
  auto                       other = LikeImage(field.GetPointer());
  const testing::ScopedTrace trace(__FILE__,
                                   __LINE__,
                                   testing::Message()
                                     << VDimension << "D, " << sizeof(TReal) << " bytes, size "
                                     << field->GetBufferedRegion().GetSize() << ", amplitude " << amplitude);
  FillField(field.GetPointer(), amplitude, true, random);
  FillField(other.GetPointer(), amplitude, isSmooth, random);
  // With float, rounding decides on which side of the border a point is, and whether errors are below a tolerance.
  constexpr bool isFloat = std::is_same<TReal, float>::value;
  if (isFloat)
  {
    VanishAtTheBorder(field.GetPointer());
    VanishAtTheBorder(other.GetPointer());
  }
  this->CompareCompositions<Field>(other, field);
  this->CompareInversions<Field>(field, other, iterations, isFloat ? 0.0 : std::pow(10.0, random.Uniform(-6.0, -1.0)));
  this->CompareExponentials<Field>(other, squarings == 4 ? 20 : squarings);
  this->CompareJacobians<Field>(other);
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

TEST_P(CudaFieldFilters, RandomFieldsAreItks)
{
  const int cases = TestCases(40);
  for (int number = 0; number < cases && !HasFailure(); ++number)
  {
    const testing::ScopedTrace trace(__FILE__, __LINE__, number);
    Random                     random(3000U + static_cast<unsigned int>(number));
    OfDrawnKind(number, [&](auto real, auto dimension) {
      this->CompareDrawn<decltype(real), decltype(dimension)::value>(random);
    });
  }
}

// Estimates of whole numbers of squarings, and fields of zeros: ITK 6 squares once less than ITK 5.
TEST_P(CudaFieldFilters, SquaringsAreItks)
{
  using Field = DisplacementsOf<double, 2>;
  Random     random(__LINE__);
  const auto field = MakeObliqueImage<Field>({ 23, 17 }, false, random);
  field->SetSpacing(Field::SpacingType(1.0));
  FillField(field.GetPointer(), 0.2, true, random);
  for (const double longest : { 0.0, 0.25, 0.5, 1.0, 2.0 })
  {
    SCOPED_TRACE(longest);
    const Field::IndexType middle = { { 11, 8 } };
    Field::PixelType       vector(0.0);
    vector[0] = longest;
    if (longest == 0.0)
    {
      field->FillBuffer(vector);
    }
    field->SetPixel(middle, vector);
    field->Modified();
    this->CompareExponentials<Field>(field, 20);
    FillField(field.GetPointer(), 0.1, true, random);
  }
}

// The determinant of a linear map is that of its matrix, within the border. Before ITK 6 only where the direction is
// the identity.
TEST_P(CudaFieldFilters, JacobianOfALinearMap)
{
  using Field = DisplacementsOf<double, 3>;
  Random random(__LINE__);
  auto   field = Field::New();
  if (itk::CudaSplineDetail::JacobianUsesDirection)
  {
    field->SetDirection(MakeObliqueImage<Field>({ 1, 1, 1 }, false, random)->GetDirection());
  }
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

// Each filter writes a line of the trace with all of its fields.
TEST_P(CudaFieldFilters, AreLinesOfTheTrace)
{
  using Field = DisplacementsOf<float, 2>;
  Random     random(__LINE__);
  const auto field = MakeObliqueImage<Field>({ 23, 17 }, false, random);
  FillField(field.GetPointer(), 1.0, true, random);
  const auto compose = itk::CudaComposeDisplacementFieldsImageFilter<Field>::New();
  const auto inverse = itk::CudaInvertDisplacementFieldImageFilter<Field>::New();
  const auto exponential = itk::CudaExponentialDisplacementFieldImageFilter<Field, Field>::New();
  const auto jacobian = itk::CudaDisplacementFieldJacobianDeterminantFilter<Field>::New();
  compose->SetDisplacementField(field); // its interpolator gets it, too
  compose->SetWarpingField(field);
  setenv("CUDASPLINE_TRACE", "1", 1);
  testing::internal::CaptureStderr();
  const auto update = [&](auto & filter) {
    filter->SetGPUEnabled(GetParam());
    filter->SetInput(field);
    filter->Update();
  };
  update(compose);
  update(inverse);
  update(exponential);
  update(jacobian);
  std::istringstream text(testing::internal::GetCapturedStderr());
  unsetenv("CUDASPLINE_TRACE");
  int lines = 0;
  for (std::string line; std::getline(text, line); ++lines)
  {
    std::size_t bars = 0;
    for (auto at = line.find(" | "); at != std::string::npos; at = line.find(" | ", at + 1))
    {
      ++bars;
    }
    EXPECT_EQ(bars, 6U) << line;
  }
  EXPECT_EQ(lines, 4);
}

// Cases that the kernels do not support are computed by ITK, with a reason.
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
