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
#include "FieldTestSupport.h"

#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/kernels/fields/FieldOperations.h"

#include "itkComposeDisplacementFieldsImageFilter.h"
#include "itkDisplacementFieldTransform.h"
#include "itkDisplacementFieldTransformParametersAdaptor.h"
#include "itkInvertDisplacementFieldImageFilter.h"
#include "itkSyNImageRegistrationMethod.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

// Compares field operations with ITK's filters: double fields are equal in all bits if ITK's sums have an order.

using namespace CudaSplineTest;
using namespace itk::CudaSpline;

namespace
{

class FieldsAgainstItk : public FieldsAgainstItkOn
{};

INSTANTIATE_TEST_SUITE_P(Backend, FieldsAgainstItk, testing::Bool(), NameOfFieldBackend);

const std::vector<std::vector<std::int64_t>> Sizes{ { 23, 17 },
                                                    { 31, 1 },
                                                    { 13, 11, 7 },
                                                    { 29, 19, 1 },
                                                    { 17, 23, 11 } };

/** A type that is passed to a callable. */
template <typename T>
struct Of
{
  using Type = T;
};

/** Calls \p run with every field type and a size. */
template <typename TRun>
void
ForAllFields(const TRun & run)
{
  for (const auto & size : Sizes)
  {
    SCOPED_TRACE("size " + std::to_string(size[0]) + " " + std::to_string(size[1]));
    if (size.size() == 2)
    {
      run(Of<DisplacementsOf<float, 2>>(), size);
      run(Of<DisplacementsOf<double, 2>>(), size);
    }
    else
    {
      run(Of<DisplacementsOf<float, 3>>(), size);
      run(Of<DisplacementsOf<double, 3>>(), size);
    }
  }
}

template <typename TField>
constexpr bool IsDouble = std::is_same<typename TField::PixelType::ValueType, double>::value;

/** The steps of ITK's registration. */
template <typename TReal, unsigned int VDimension>
class SynSteps
  : public itk::SyNImageRegistrationMethod<itk::Image<float, VDimension>,
                                           itk::Image<float, VDimension>,
                                           itk::DisplacementFieldTransform<TReal, VDimension>>
{
public:
  using Self = SynSteps;
  using Superclass = itk::SyNImageRegistrationMethod<itk::Image<float, VDimension>,
                                                     itk::Image<float, VDimension>,
                                                     itk::DisplacementFieldTransform<TReal, VDimension>>;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineFactorylessNewMacro(Self);
  using Superclass::GaussianSmoothDisplacementField;
  using Superclass::ScaleUpdateField;
};

} // namespace

TEST_P(FieldsAgainstItk, Compose)
{
  const Residence residence = this->MakeResidence();
  ForAllFields([&](auto example, const std::vector<std::int64_t> & size) {
    using Field = typename decltype(example)::Type;
    Random random(__LINE__ + Field::ImageDimension);
    for (const bool starts : { false, true })
    {
      const auto displacement = MakeObliqueImage<Field>(size, starts, random);
      auto       warping = LikeImage(displacement.GetPointer());
      FillField(displacement.GetPointer(), 3.0, false, random);
      FillField(warping.GetPointer(), 3.0, false, random);
      warping->GetBufferPointer()[warping->GetBufferedRegion().GetNumberOfPixels() / 2].Fill(
        std::numeric_limits<typename Field::PixelType::ValueType>::infinity());
      auto filter = itk::ComposeDisplacementFieldsImageFilter<Field>::New();
      filter->SetDisplacementField(displacement);
      filter->SetWarpingField(warping);
      filter->Update();
      const auto    first = Resident(displacement.GetPointer(), residence);
      const auto    second = Resident(warping.GetPointer(), residence);
      ResidentArray output(BytesOf(warping.GetPointer()), residence);
      const auto    shape = itk::CudaSplineDetail::DescribeField(warping.GetPointer());
      ComposeFields(itk::CudaSplineDetail::DescribeField(displacement.GetPointer()),
                    first.Data(),
                    shape,
                    second.Data(),
                    output.Data(),
                    residence);
      auto found = LikeImage(warping.GetPointer());
      Download(found->GetBufferPointer(), output.Data(), output.Bytes(), residence);
      unsigned int apart = 0; // on the border of the grid the rounding of float decides
      for (itk::SizeValueType i = 0; i < warping->GetBufferedRegion().GetNumberOfPixels(); ++i)
      {
        bool isNear = true;
        for (unsigned int d = 0; d < Field::ImageDimension; ++d)
        {
          const auto a = found->GetBufferPointer()[i][d];
          const auto b = filter->GetOutput()->GetBufferPointer()[i][d];
          if (IsDouble<Field>)
          {
            ASSERT_TRUE(a == b || (std::isnan(b) && std::isinf(a)) || std::isnan(a)) << i << " " << a << " " << b;
          }
          else if (std::isfinite(a))
          {
            isNear = isNear && std::abs(a - b) <= SingleBound;
          }
        }
        apart += isNear ? 0 : 1;
      }
      EXPECT_LE(apart, 1u);
    }
  });
}

TEST_P(FieldsAgainstItk, Invert)
{
  const Residence residence = this->MakeResidence();
  ForAllFields([&](auto example, const std::vector<std::int64_t> & size) {
    using Field = typename decltype(example)::Type;
    using Filter = itk::InvertDisplacementFieldImageFilter<Field>;
    Random random(__LINE__ + Field::ImageDimension);
    for (const int most : { 1, 3, 20 })
    {
      const auto field = MakeObliqueImage<Field>(size, most == 3, random);
      auto       estimate = LikeImage(field.GetPointer());
      FillField(field.GetPointer(), 1.0, true, random);
      FillField(estimate.GetPointer(), 0.3, true, random);
      if (!IsDouble<Field>)
      {
        VanishAtTheBorder(
          field.GetPointer()); // points accumulate where the field jumps, and the rounding of float decides there
      }
      // If the border may move, errors become small, and fewer iterations are made.
      FieldInversion rules;
      rules.maximumIterations = most;
      rules.enforcesBoundary = most == 3;
      auto filter = Filter::New();
      filter->SetInput(field);
      filter->SetInverseFieldInitialEstimate(estimate);
      filter->SetMaximumNumberOfIterations(static_cast<unsigned int>(most));
      filter->SetMeanErrorToleranceThreshold(0.001);
      filter->SetMaxErrorToleranceThreshold(0.1);
      filter->SetEnforceBoundaryCondition(rules.enforcesBoundary);
      filter->SetNumberOfWorkUnits(1);
      filter->Update();
      const auto          shape = itk::CudaSplineDetail::DescribeField(field.GetPointer());
      const auto          input = Resident(field.GetPointer(), residence);
      const auto          inverse = Resident(estimate.GetPointer(), residence);
      const ResidentArray scratch(CountInversionScratch(shape), residence);
      const ResidentArray state(sizeof(FieldInversionState), residence);
      InvertField(
        shape, input.Data(), inverse.Data(), rules, state.As<FieldInversionState>(), scratch.Data(), residence);
      FieldInversionState came;
      Download(&came, state.Data(), sizeof(came), residence);
      auto found = LikeImage(field.GetPointer());
      Download(found->GetBufferPointer(), inverse.Data(), inverse.Bytes(), residence);
      // Errors of different iterations differ: those after the same number of iterations are equal.
      const double tolerance = IsDouble<Field> ? 1e-13 : 2.0 * SingleBound;
      EXPECT_NEAR(came.meanError, filter->GetMeanErrorNorm(), tolerance);
      EXPECT_NEAR(came.maximumError, filter->GetMaxErrorNorm(), tolerance);
      EXPECT_GE(came.iterations, 1);
      if (IsDouble<Field>)
      {
        EXPECT_EQ(came.maximumError, filter->GetMaxErrorNorm());
        EXPECT_EQ(LargestDifference(found.GetPointer(), filter->GetOutput()), 0.0);
      }
      else
      {
        EXPECT_LE(LargestDifference(found.GetPointer(), filter->GetOutput()), 2.0 * SingleBound);
      }
    }
  });
}

// Fields of float that are extended at the border. Points accumulate where a field jumps there, and rounding decides on
// which side they are. So no point is near the end of the border: the inverse of an expanding field points inwards, and
// for one displacement all points of an iteration are well inside or outside.
TEST_P(FieldsAgainstItk, InvertAtTheBorder)
{
  const Residence residence = this->MakeResidence();
  ForAllFields([&](auto example, const std::vector<std::int64_t> & size) {
    using Field = typename decltype(example)::Type;
    using Vector = typename Field::PixelType;
    using Filter = itk::InvertDisplacementFieldImageFilter<Field>;
    constexpr unsigned int dimension = Field::ImageDimension;
    Random                 random(__LINE__ + dimension);
    for (int choice = 0; choice < 4; ++choice)
    {
      SCOPED_TRACE(choice);
      const bool     spreads = choice < 2;
      FieldInversion rules;
      rules.maximumIterations = 20;
      rules.enforcesBoundary = choice % 2 == 1;
      const auto field = MakeObliqueImage<Field>(size, false, random);
      const auto region = field->GetBufferedRegion();
      for (itk::SizeValueType i = 0; i < region.GetNumberOfPixels(); ++i)
      {
        const auto                     index = field->ComputeIndex(static_cast<itk::OffsetValueType>(i));
        itk::Vector<double, dimension> samples; // along the axes of the field
        for (unsigned int d = 0; d < dimension; ++d)
        {
          const auto   last = static_cast<double>(region.GetSize(d)) - 1.0;
          const double fromMiddle = static_cast<double>(index[d]) - 0.5 * last;
          samples[d] = spreads ? 0.15 * fromMiddle : 0.77 - 0.6 * d;
          samples[d] *= field->GetSpacing()[d];
        }
        field->GetBufferPointer()[i] = Vector(field->GetDirection() * samples);
      }
      auto filter = Filter::New();
      filter->SetInput(field);
      filter->SetMaximumNumberOfIterations(20);
      filter->SetMeanErrorToleranceThreshold(0.001);
      filter->SetMaxErrorToleranceThreshold(0.1);
      filter->SetEnforceBoundaryCondition(rules.enforcesBoundary);
      filter->SetNumberOfWorkUnits(1);
      filter->Update();
      const auto          shape = itk::CudaSplineDetail::DescribeField(field.GetPointer());
      const auto          input = Resident(field.GetPointer(), residence);
      auto                found = LikeImage(field.GetPointer());
      const ResidentArray inverse(input.Bytes(), residence);
      ClearResident(inverse.Data(), inverse.Bytes(), residence);
      const ResidentArray scratch(CountInversionScratch(shape), residence);
      const ResidentArray state(sizeof(FieldInversionState), residence);
      InvertField(
        shape, input.Data(), inverse.Data(), rules, state.As<FieldInversionState>(), scratch.Data(), residence);
      FieldInversionState came;
      Download(&came, state.Data(), sizeof(came), residence);
      Download(found->GetBufferPointer(), inverse.Data(), inverse.Bytes(), residence);
      const double bound = IsDouble<Field> ? 0.0 : 2.0 * SingleBound;
      EXPECT_NEAR(came.meanError, filter->GetMeanErrorNorm(), IsDouble<Field> ? 1e-13 : bound);
      EXPECT_NEAR(came.maximumError, filter->GetMaxErrorNorm(), bound);
      EXPECT_LE(LargestDifference(found.GetPointer(), filter->GetOutput()), bound);
      // Samples on the border have an inverse, or are fixed at 0.
      double largest = 0.0;
      for (unsigned int d = 0; d < dimension; ++d)
      {
        largest = std::max(largest, std::abs(static_cast<double>(found->GetBufferPointer()[0][d])));
      }
      EXPECT_EQ(largest == 0.0, rules.enforcesBoundary);
    }
  });
}

TEST_P(FieldsAgainstItk, SmoothAndScale)
{
  const Residence residence = this->MakeResidence();
  ForAllFields([&](auto example, const std::vector<std::int64_t> & size) {
    using Field = typename decltype(example)::Type;
    using Real = typename Field::PixelType::ValueType;
    Random     random(__LINE__ + Field::ImageDimension);
    const auto syn = SynSteps<Real, Field::ImageDimension>::New();
    syn->SetLearningRate(0.25);
    for (const double variance : { 0.1, 0.3, 0.5, 3.0, 5.5 })
    {
      const auto field = MakeObliqueImage<Field>(size, variance == 0.3, random);
      FillField(field.GetPointer(), 3.0, false, random);
      const auto          expected = syn->GaussianSmoothDisplacementField(field, static_cast<Real>(variance));
      const auto          shape = itk::CudaSplineDetail::DescribeField(field.GetPointer());
      const auto          input = Resident(field.GetPointer(), residence);
      const ResidentArray output(input.Bytes(), residence);
      const ResidentArray scratch(input.Bytes(), residence);
      SmoothField(shape,
                  input.Data(),
                  MakeFieldSmoothing(shape.grid, static_cast<Real>(variance)),
                  output.Data(),
                  scratch.Data(),
                  residence);
      auto found = LikeImage(field.GetPointer());
      Download(found->GetBufferPointer(), output.Data(), output.Bytes(), residence);
      const double bound = IsDouble<Field> ? 0.0 : 3.0 * 2.0 * 40.0 * 0x1p-24;
      EXPECT_LE(LargestDifference(found.GetPointer(), expected.GetPointer()), bound) << variance;

      const auto          scaled = syn->ScaleUpdateField(field);
      const ResidentArray maximum(sizeof(double), residence);
      const ResidentArray norms(MaximumNormScratch, residence);
      FindMaximumNorm(shape, input.Data(), maximum.As<double>(), norms.Data(), residence);
      ScaleField(shape, input.Data(), 0.25, maximum.As<double>(), input.Data(), residence);
      Download(found->GetBufferPointer(), input.Data(), input.Bytes(), residence);
      EXPECT_EQ(LargestDifference(found.GetPointer(), scaled.GetPointer()), 0.0);
    }
  });
}

TEST_P(FieldsAgainstItk, ResampleBetweenLevels)
{
  const Residence residence = this->MakeResidence();
  ForAllFields([&](auto example, const std::vector<std::int64_t> & size) {
    using Field = typename decltype(example)::Type;
    using Real = typename Field::PixelType::ValueType;
    constexpr unsigned int dimension = Field::ImageDimension;
    using Transform = itk::DisplacementFieldTransform<Real, dimension>;
    Random random(__LINE__ + dimension);
    for (const bool aligned : { true, false })
    {
      const auto                field = MakeObliqueImage<Field>(size, !aligned, random);
      std::vector<std::int64_t> larger = size;
      for (auto & length : larger)
      {
        length = 2 * length - 1;
      }
      auto fine = MakeObliqueImage<Field>(larger, false, random);
      fine->SetOrigin(field->GetOrigin());
      fine->SetDirection(field->GetDirection());
      if (aligned)
      {
        fine->SetSpacing(field->GetSpacing() / 2.0);
      }
      FillField(field.GetPointer(), 3.0, false, random);
      auto transform = Transform::New();
      transform->SetDisplacementField(field);
      auto adaptor = itk::DisplacementFieldTransformParametersAdaptor<Transform>::New();
      adaptor->SetTransform(transform);
      adaptor->SetRequiredSize(fine->GetLargestPossibleRegion().GetSize());
      adaptor->SetRequiredSpacing(fine->GetSpacing());
      typename Transform::DisplacementFieldType::PointType origin = fine->GetOrigin();
      adaptor->SetRequiredOrigin(origin);
      adaptor->SetRequiredDirection(fine->GetDirection());
      const auto shape = itk::CudaSplineDetail::DescribeField(field.GetPointer());
      const auto input = Resident(field.GetPointer(), residence);
      adaptor->AdaptTransformParameters();
      const Field *       expected = transform->GetDisplacementField();
      const ResidentArray output(BytesOf(expected), residence);
      ResampleField(shape, input.Data(), itk::CudaSplineDetail::DescribeField(expected), output.Data(), residence);
      auto found = LikeImage(expected);
      Download(found->GetBufferPointer(), output.Data(), output.Bytes(), residence);
      EXPECT_EQ(LargestDifference(found.GetPointer(), expected), 0.0);
    }
  });
}
