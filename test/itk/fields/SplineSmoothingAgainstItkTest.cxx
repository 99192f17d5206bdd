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
// Smoothing by B-splines against itk::DisplacementFieldToBSplineImageFilter, whose places and weights are float.

#include "FieldTestSupport.h"
#include "GpuOnAndOff.h"
#include "OneItkThread.h"
#include "TestCases.h"

#include "itkCudaDisplacementFieldToBSplineImageFilter.h"
#include "itkCudaSpline/itk/FitPlaces.h"
#include "itkCudaSpline/kernels/fields/SplineField.h"

#include "itkDisplacementFieldToBSplineImageFilter.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

using namespace CudaSplineTest;
using namespace itk::CudaSpline;

namespace
{

class SplineSmoothing : public FieldsAgainstItkOn
{};

INSTANTIATE_TEST_SUITE_P(Backend, SplineSmoothing, testing::Bool(), NameOfFieldBackend);

/** Runs ITK's filter or a replacement, as itk::BSplineSyNImageRegistrationMethod calls it. On one thread, ITK adds in
 * the order of points. */
template <typename TField, typename TFilter = itk::DisplacementFieldToBSplineImageFilter<TField>>
typename TFilter::Pointer
MakeFilter(const TField * field, const std::vector<unsigned int> & controlPoints, bool stationary)
{
  typename TFilter::ArrayType points;
  std::copy_n(controlPoints.begin(), TField::ImageDimension, points.Begin());
  auto filter = TFilter::New();
  filter->SetUseInputFieldToDefineTheBSplineDomain(true);
  filter->SetDisplacementField(field);
  filter->SetNumberOfControlPoints(points);
  filter->SetSplineOrder(3);
  filter->SetNumberOfFittingLevels(1);
  filter->SetEnforceStationaryBoundary(stationary);
  filter->SetEstimateInverse(false);
  return filter;
}

/** Returns the result of the module for the same input. */
template <typename TField>
typename TField::Pointer
Smooth(const TField * field, const void * confidence, const FieldSplineFit & rules, const Residence & residence)
{
  const auto          shape = itk::CudaSplineDetail::DescribeField(field);
  const auto          input = Resident(field, residence);
  const ResidentArray output(input.Bytes(), residence);
  const ResidentArray scratch(CountSplineSmoothingScratch(shape, rules, confidence != nullptr), residence);
  SmoothFieldBySpline(shape, input.Data(), confidence, rules, output.Data(), scratch.Data(), residence);
  auto found = LikeImage(field);
  Download(found->GetBufferPointer(), output.Data(), output.Bytes(), residence);
  return found;
}

/** Returns an image of weights of samples, many of which are 0. */
template <typename TReal, unsigned int VDimension, typename TField>
typename itk::Image<TReal, VDimension>::Pointer
MakeConfidence(const TField * field, Random & random)
{
  auto confidence = itk::Image<TReal, VDimension>::New();
  confidence->CopyInformation(field);
  confidence->SetRegions(field->GetBufferedRegion());
  confidence->Allocate();
  for (itk::SizeValueType n = 0; n < field->GetBufferedRegion().GetNumberOfPixels(); ++n)
  {
    confidence->GetBufferPointer()[n] = std::max(TReal(0), static_cast<TReal>(random.Uniform(-1.0, 1.0)));
  }
  return confidence;
}

/** Returns numbers of the type of a field. */
template <typename TReal, typename TImage>
auto
RoundTo(const TImage * image)
{
  auto rounded = itk::Image<TReal, TImage::ImageDimension>::New();
  rounded->CopyInformation(image);
  rounded->SetRegions(image->GetBufferedRegion());
  rounded->Allocate();
  std::copy_n(image->GetBufferPointer(), image->GetBufferedRegion().GetNumberOfPixels(), rounded->GetBufferPointer());
  return rounded;
}

template <typename TReal, unsigned int VDimension>
void
CheckSums(const Residence & residence)
{
  using Field = DisplacementsOf<TReal, VDimension>;
  Random                          random(__LINE__ + VDimension + sizeof(TReal));
  const std::vector<std::int64_t> size =
    VDimension == 2 ? std::vector<std::int64_t>{ 47, 33 } : std::vector<std::int64_t>{ 23, 17, 12 };
  const std::vector<unsigned int> points =
    VDimension == 2 ? std::vector<unsigned int>{ 11, 8 } : std::vector<unsigned int>{ 9, 6, 5 };
  const auto field = MakeObliqueImage<Field>(size, false, random);
  FillField(field.GetPointer(), 3.0, true, random);
  // ITK's type, for any field
  const auto confidence = MakeConfidence<double, VDimension>(field.GetPointer(), random);
  const auto rounded = RoundTo<TReal>(confidence.GetPointer());
  const auto weights = Resident(rounded.GetPointer(), residence);
  for (const bool stationary : { true, false })
  {
    FieldSplineFit rules;
    std::copy(points.begin(), points.end(), rules.controlPoints.begin());
    rules.stationaryBoundary = stationary;
    for (const bool hasConfidence : { false, true })
    {
      SCOPED_TRACE(testing::Message() << VDimension << "D, stationary " << stationary << ", confidence "
                                      << hasConfidence);
      const auto filter = MakeFilter(field.GetPointer(), points, stationary);
      if (hasConfidence)
      {
        filter->SetConfidenceImage(confidence);
      }
      filter->Update();
      const auto found = Smooth(field.GetPointer(), hasConfidence ? weights.Data() : nullptr, rules, residence);
      // Sums of some thousand points in float.
      EXPECT_LE(LargestDifference(found.GetPointer(), filter->GetOutput()), 3.0 * 1e-4);
      EXPECT_GT(LargestDifference(found.GetPointer(), field.GetPointer()), 0.1);
    }
  }
}

/** With ITK's points and roundings. */
template <typename TReal, unsigned int VDimension>
void
CheckRoundings(const Residence & residence, bool isOblique)
{
  using Field = DisplacementsOf<TReal, VDimension>;
  Random                          random(__LINE__ + VDimension + 7 * isOblique);
  const std::vector<std::int64_t> size =
    VDimension == 2 ? std::vector<std::int64_t>{ 37, 29 } : std::vector<std::int64_t>{ 19, 15, 12 };
  const auto field = MakeObliqueImage<Field>(size, false, random);
  if (!isOblique)
  {
    auto direction = field->GetDirection();
    direction.SetIdentity();
    direction[0][0] = -1.0;
    field->SetDirection(direction);
  }
  FillField(field.GetPointer(), 3.0, true, random);
  const auto places = itk::CudaSplineDetail::MakeFitPlaces<Field>(field);
  EXPECT_EQ(places.areByAxis, !isOblique);
  const auto resident = std::make_shared<ResidentArray>(places.numbers.size() * sizeof(float), residence);
  Upload(resident->Data(), places.numbers.data(), resident->Bytes(), residence);
  FieldSplineFit rules;
  rules.places = std::shared_ptr<const float>(resident, resident->template As<float>());
  rules.placesAreByAxis = places.areByAxis;
  for (const std::vector<unsigned int> & points :
       { std::vector<unsigned int>{ 4, 4, 4 },
         { 7, 9, 5 },
         { 25, 24, 19 } }) // the last one has fewer samples than control points
  {
    const std::vector<unsigned int> used(points.begin(), points.begin() + VDimension);
    std::copy(used.begin(), used.end(), rules.controlPoints.begin());
    for (const bool stationary : { true, false })
    {
      rules.stationaryBoundary = stationary;
      for (const bool hasConfidence : { false, true })
      {
        SCOPED_TRACE(testing::Message() << VDimension << "D, " << points[0] << " control points, stationary "
                                        << stationary << ", confidence " << hasConfidence << ", oblique " << isOblique);
        const auto filter = MakeFilter(field.GetPointer(), used, stationary);
        const auto confidence = MakeConfidence<double, VDimension>(field.GetPointer(), random);
        if (hasConfidence)
        {
          filter->SetConfidenceImage(confidence);
        }
        filter->Update();
        const auto rounded = RoundTo<TReal>(confidence.GetPointer());
        const auto weights = Resident(rounded.GetPointer(), residence);
        const auto found = Smooth(field.GetPointer(), hasConfidence ? weights.Data() : nullptr, rules, residence);
        // The same operations in the same order, except those that a device fuses, on vectors of some mm. Float vectors
        // and weights are rounded.
        constexpr bool isFloat = std::is_same<TReal, float>::value;
        const double   bound = isFloat ? 1e-5 : residence.IsOnDevice() ? 1e-8 : 1e-13;
        EXPECT_LE(LargestDifference(found.GetPointer(), filter->GetOutput()), bound);
        EXPECT_GT(LargestDifference(found.GetPointer(), field.GetPointer()), 0.01); // the finest mesh changes little
      }
    }
  }
}

} // namespace

TEST_P(SplineSmoothing, AddsUpWhatItkDoes)
{
  const Residence residence = this->MakeResidence();
  CheckSums<float, 2>(residence);
  CheckSums<double, 2>(residence);
  CheckSums<float, 3>(residence);
  CheckSums<double, 3>(residence);
}

TEST_P(SplineSmoothing, HasItksRoundings)
{
  const Residence    residence = this->MakeResidence();
  const OneItkThread oneThread;
  for (const bool isOblique : { false, true })
  {
    CheckRoundings<float, 2>(residence, isOblique);
    CheckRoundings<double, 2>(residence, isOblique);
    CheckRoundings<double, 3>(residence, isOblique);
  }
}

namespace
{

/** The module's filter as a replacement of ITK's. */
class CudaDisplacementFieldToBSpline : public GpuOnAndOff
{
protected:
  template <typename TField>
  typename itk::CudaDisplacementFieldToBSplineImageFilter<TField>::Pointer
  MakeOurs(const TField * field, const std::vector<unsigned int> & controlPoints, bool stationary) const
  {
    using Filter = itk::CudaDisplacementFieldToBSplineImageFilter<TField>;
    const auto filter = MakeFilter<TField, Filter>(field, controlPoints, stationary);
    filter->SetGPUEnabled(GetParam());
    return filter;
  }

  template <typename TFilter>
  void
  ExpectOurs(const TFilter * filter) const
  {
    const auto dimension = std::to_string(TFilter::ImageDimension);
    EXPECT_EQ(filter->GetLastBackend(),
              PromisedBackend({ filter->GetNameOfClass(), "vector", dimension, "-", "-", "-" }, GetParam()))
      << filter->GetFallbackReason();
    EXPECT_NE(filter->GetLastBackend(), Backend::Superclass);
  }

  template <typename TReal, unsigned int VDimension>
  void
  Compare(const std::vector<std::int64_t> & size, const std::vector<unsigned int> & controlPoints) const;

  /** Draws a grid, field, spline and confidence image. */
  template <typename TReal, unsigned int VDimension>
  void
  CompareDrawn(Random & random) const;

  /** ITK's class computes the same result, and a reason is given. */
  template <typename TField, typename TSet>
  void
  ExpectSuperclass(const TField * field, const TSet & set) const
  {
    const auto theirs = MakeFilter(field, { 5, 6 }, true);
    const auto ours = this->MakeOurs(field, { 5, 6 }, true);
    set(theirs.GetPointer());
    set(ours.GetPointer());
    theirs->Update();
    ours->Update();
    EXPECT_EQ(ours->GetLastBackend(), Backend::Superclass);
    EXPECT_NE(ours->GetFallbackReason(), "");
    EXPECT_EQ(LargestDifference(ours->GetOutput(), theirs->GetOutput()), 0.0) << ours->GetFallbackReason();
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaDisplacementFieldToBSpline);

template <typename TReal, unsigned int VDimension>
void
CudaDisplacementFieldToBSpline::Compare(const std::vector<std::int64_t> & size,
                                        const std::vector<unsigned int> & controlPoints) const
{
  using Field = DisplacementsOf<TReal, VDimension>;
  Random     random(__LINE__ + VDimension + sizeof(TReal));
  const auto field = MakeObliqueImage<Field>(size, false, random);
  FillField(field.GetPointer(), 3.0, true, random);
  const auto confidence = MakeConfidence<double, VDimension>(field.GetPointer(), random);
  // As in the kernels: for double the same operations, except those that a device fuses; for float, sums of some
  // thousand points.
  const double bound = std::is_same<TReal, float>::value ? 3.0 * 1e-4 : (GetParam() ? 1e-8 : 1e-13);
  for (const bool stationary : { true, false })
  {
    for (const bool hasConfidence : { false, true })
    {
      SCOPED_TRACE(testing::Message() << VDimension << "D, " << sizeof(TReal) << " bytes, stationary " << stationary
                                      << ", confidence " << hasConfidence);
      const auto theirs = MakeFilter(field.GetPointer(), controlPoints, stationary);
      const auto ours = this->MakeOurs(field.GetPointer(), controlPoints, stationary);
      if (hasConfidence)
      {
        theirs->SetConfidenceImage(confidence);
        ours->SetConfidenceImage(confidence);
      }
      const auto output = ours->GetOutput();
      theirs->Update();
      ours->Update();
      ours->Update(); // nothing has to be updated
      this->ExpectOurs(ours.GetPointer());
      EXPECT_EQ(ours->GetBackendUse()[ours->GetLastBackend()].calls, 1u);
      EXPECT_EQ(ours->GetOutput(), output);
      EXPECT_LE(LargestDifference(ours->GetOutput(), theirs->GetOutput()), bound);
      EXPECT_GT(LargestDifference(ours->GetOutput(), field.GetPointer()), 0.01);
      EXPECT_EQ(ours->GetOutput()->GetOrigin(), theirs->GetOutput()->GetOrigin());
      EXPECT_EQ(ours->GetOutput()->GetSpacing(), theirs->GetOutput()->GetSpacing());
      EXPECT_EQ(ours->GetOutput()->GetDirection(), theirs->GetOutput()->GetDirection());

      // ITK 5.2 has a getter of its own that does not compile; ITK 6 has one output.
      ASSERT_EQ(ours->GetNumberOfIndexedOutputs(), theirs->GetNumberOfIndexedOutputs());
      ASSERT_EQ(ours->GetNumberOfIndexedOutputs(), itk::CudaSplineDetail::SplineSmoothingHasLattice ? 2u : 1u);
      if (itk::CudaSplineDetail::SplineSmoothingHasLattice)
      {
        const auto * const lattice = ours->GetOutput(1);
        const auto * const theirLattice = theirs->GetOutput(1);
        // Control points with next to no samples are quotients of small numbers.
        EXPECT_LE(LargestDifference(lattice, theirLattice), 100.0 * bound);
        EXPECT_EQ(lattice->GetOrigin(), theirLattice->GetOrigin());
        EXPECT_EQ(lattice->GetSpacing(), theirLattice->GetSpacing());
        EXPECT_EQ(lattice->GetDirection(), theirLattice->GetDirection());
        EXPECT_EQ(lattice->GetLargestPossibleRegion(), theirLattice->GetLargestPossibleRegion());
      }

      EXPECT_EQ(ours->GetBSplineDomainOrigin(), theirs->GetBSplineDomainOrigin());
      EXPECT_EQ(ours->GetBSplineDomainSpacing(), theirs->GetBSplineDomainSpacing());
      EXPECT_EQ(ours->GetBSplineDomainSize(), theirs->GetBSplineDomainSize());
      EXPECT_EQ(ours->GetBSplineDomainDirection(), theirs->GetBSplineDomainDirection());
      EXPECT_TRUE(ours->GetUseInputFieldToDefineTheBSplineDomain());
    }
  }
}

template <typename TReal, unsigned int VDimension>
void
CudaDisplacementFieldToBSpline::CompareDrawn(Random & random) const
{
  using Field = DisplacementsOf<TReal, VDimension>;
  constexpr bool            isFloat = std::is_same<TReal, float>::value;
  std::vector<std::int64_t> size;
  std::vector<unsigned int> points;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    const std::vector<std::int64_t> lengths{ 2, 3, 5, 7, 11, 13, 17, 23 };
    size.push_back(lengths[static_cast<std::size_t>(random.Integer(0, VDimension == 2 ? 7 : 6))]);
    // With float every control point has enough samples: ITK's quotients of small float sums are inaccurate.
    points.push_back(
      static_cast<unsigned int>(random.Integer(4, isFloat ? std::max<std::int64_t>(4, size[d] / 2) : 12)));
  }
  const auto field = MakeObliqueImage<Field>(size, false, random);
  if (random.Integer(0, 1) == 0)
  {
    auto direction = field->GetDirection();
    direction.SetIdentity();
    direction[0][0] = random.Sign();
    field->SetDirection(direction);
  }
  FillField(field.GetPointer(), 3.0, random.Integer(0, 1) == 0, random);
  const bool                 stationary = random.Integer(0, 1) == 0;
  const bool                 hasConfidence = !isFloat && random.Integer(0, 1) == 0;
  const testing::ScopedTrace trace(__FILE__,
                                   __LINE__,
                                   testing::Message()
                                     << VDimension << "D, " << sizeof(TReal) << " bytes, size "
                                     << field->GetBufferedRegion().GetSize() << ", control points " << points[0] << ' '
                                     << points[1] << ", stationary " << stationary << ", confidence " << hasConfidence);
  const auto                 theirs = MakeFilter(field.GetPointer(), points, stationary);
  const auto                 ours = this->MakeOurs(field.GetPointer(), points, stationary);
  if (hasConfidence)
  {
    const auto confidence = MakeConfidence<double, VDimension>(field.GetPointer(), random);
    confidence->GetBufferPointer()[0] = 1.0;
    theirs->SetConfidenceImage(confidence);
    ours->SetConfidenceImage(confidence);
  }
  theirs->Update();
  ours->Update();
  this->ExpectOurs(ours.GetPointer());
  EXPECT_LE(LargestDifference(ours->GetOutput(), theirs->GetOutput()),
            isFloat ? 3.0 * 1e-4 : (GetParam() ? 1e-8 : 1e-12));
}

} // namespace

TEST_P(CudaDisplacementFieldToBSpline, RandomFieldsAreItks)
{
  const OneItkThread oneThread;
  const int          cases = TestCases(24);
  for (int number = 0; number < cases && !HasFailure(); ++number)
  {
    const testing::ScopedTrace trace(__FILE__, __LINE__, number);
    Random                     random(4000U + static_cast<unsigned int>(number));
    OfDrawnKind(number, [&](auto real, auto dimension) {
      this->CompareDrawn<decltype(real), decltype(dimension)::value>(random);
    });
  }
}

TEST_P(CudaDisplacementFieldToBSpline, IsItks)
{
  const OneItkThread oneThread;
  this->Compare<float, 2>({ 31, 23 }, { 8, 6 });
  this->Compare<double, 2>({ 29, 37 }, { 7, 9 });
  this->Compare<float, 3>({ 19, 17, 12 }, { 7, 5, 6 });
  this->Compare<double, 3>({ 17, 13, 11 }, { 6, 7, 5 });
}

// A NaN vector on a border that is set to 0 is not read. Elsewhere it affects its own control points, not all.
TEST_P(CudaDisplacementFieldToBSpline, NanIsWhereItksIs)
{
  using Field = DisplacementsOf<float, 3>;
  const OneItkThread oneThread;
  Random             random(__LINE__);
  const auto         field = MakeObliqueImage<Field>({ 19, 17, 12 }, false, random);
  FillField(field.GetPointer(), 3.0, true, random);
  for (const Field::IndexType index : { Field::IndexType{ { 0, 8, 5 } }, { { 9, 16, 5 } }, { { 9, 8, 0 } } })
  {
    field->GetPixel(index)[1] = std::numeric_limits<float>::quiet_NaN();
  }
  for (const bool isInside : { false, true })
  {
    if (isInside)
    {
      field->GetPixel({ { 3, 8, 5 } })[2] = std::numeric_limits<float>::quiet_NaN();
    }
    const auto theirs = MakeFilter(field.GetPointer(), { 9, 7, 6 }, true);
    const auto ours = this->MakeOurs(field.GetPointer(), { 9, 7, 6 }, true);
    theirs->Update();
    ours->Update();
    this->ExpectOurs(ours.GetPointer());
    EXPECT_LE(LargestDifference(ours->GetOutput(), theirs->GetOutput()), 3.0 * 1e-4) << isInside;
  }
}

TEST_P(CudaDisplacementFieldToBSpline, OthersAreItks)
{
  using Field = DisplacementsOf<double, 2>;
  using Filter = itk::DisplacementFieldToBSplineImageFilter<Field>;
  const OneItkThread oneThread;
  Random             random(__LINE__);
  const auto         field = MakeObliqueImage<Field>({ 23, 17 }, false, random);
  FillField(field.GetPointer(), 1.0, true, random);
  const Field * const whole = field.GetPointer();
  // If an inverse is estimated, no sample may leave the domain.
  const auto inner = MakeObliqueImage<Field>({ 23, 17 }, false, random);
  FillField(inner.GetPointer(), 0.05, true, random);
  for (itk::OffsetValueType n = 0; n < 23 * 17; ++n)
  {
    const auto index = inner->ComputeIndex(n);
    if (std::min(index[0], 22 - index[0]) < 3 || std::min(index[1], 16 - index[1]) < 3)
    {
      inner->SetPixel(index, Field::PixelType(0.0));
    }
  }
  const Field * const within = inner.GetPointer();
  this->ExpectSuperclass(within, [](Filter * filter) { filter->SetEstimateInverse(true); });
  this->ExpectSuperclass(whole, [](Filter * filter) { filter->SetSplineOrder(2); });
  this->ExpectSuperclass(whole, [](Filter * filter) { filter->SetNumberOfFittingLevels(2); });
  this->ExpectSuperclass(whole, [&](Filter * filter) { filter->SetBSplineDomainFromImage(whole); });
  this->ExpectSuperclass(whole, [&](Filter * filter) {
    const auto points = Filter::InputPointSetType::New();
    for (const itk::OffsetValueType n : { 100, 150 })
    {
      Filter::InputPointSetType::PointType place;
      whole->TransformIndexToPhysicalPoint(whole->ComputeIndex(n), place);
      const auto number = static_cast<itk::IdentifierType>(n / 50 - 2);
      points->SetPoint(number, place);
      points->SetPointData(number, Field::PixelType(2.0));
    }
    filter->SetPointSet(points);
  });
  this->ExpectSuperclass(whole, [&](Filter * filter) { // its weight is 1 in ITK
    const auto confidence = MakeConfidence<double, 2>(whole, random);
    confidence->FillBuffer(0.5);
    confidence->SetPixel({ { 7, 7 } }, std::numeric_limits<double>::quiet_NaN());
    filter->SetConfidenceImage(confidence);
  });

  // ITK's exceptions: no input; samples outside of the domain, which begins at index 0; no spline; no points.
  EXPECT_THROW(Filter::New()->Update(), itk::ExceptionObject);
  EXPECT_THROW(itk::CudaDisplacementFieldToBSplineImageFilter<Field>::New()->Update(), itk::ExceptionObject);
  const auto shifted = MakeObliqueImage<Field>({ 23, 17 }, false, random);
  FillField(shifted.GetPointer(), 1.0, true, random);
  shifted->SetRegions(Field::RegionType({ { 1, -1 } }, { { 23, 17 } }));
  const auto beside = this->MakeOurs<Field>(shifted, { 4, 4 }, true);
  EXPECT_THROW(beside->Update(), itk::ExceptionObject);
  EXPECT_EQ(beside->GetLastBackend(), Backend::Superclass);
  const auto fewPoints = this->MakeOurs(whole, { 3, 4 }, true);
  EXPECT_THROW(fewPoints->Update(), itk::ExceptionObject);
  const auto nothing = this->MakeOurs(whole, { 4, 4 }, false);
  const auto confidence = MakeConfidence<double, 2>(whole, random);
  confidence->FillBuffer(0.0);
  nothing->SetConfidenceImage(confidence);
  EXPECT_THROW(nothing->Update(), itk::ExceptionObject);
}
