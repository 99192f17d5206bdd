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
#include "OneItkThread.h"

#include "itkCudaSpline/itk/FitPlaces.h"
#include "itkCudaSpline/kernels/fields/SplineField.h"

#include "itkDisplacementFieldToBSplineImageFilter.h"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

using namespace CudaSplineTest;
using namespace itk::CudaSpline;

namespace
{

class SplineSmoothing : public FieldsAgainstItkOn
{};

INSTANTIATE_TEST_SUITE_P(Backend, SplineSmoothing, testing::Bool(), NameOfFieldBackend);

/** ITK's filter as itk::BSplineSyNImageRegistrationMethod calls it, on one thread: it adds up in the order of points.
 */
template <typename TField>
auto
MakeFilter(const TField * field, const std::vector<unsigned int> & controlPoints, bool stationary)
{
  using Filter = itk::DisplacementFieldToBSplineImageFilter<TField>;
  typename Filter::ArrayType points;
  std::copy(controlPoints.begin(), controlPoints.end(), points.Begin());
  auto filter = Filter::New();
  filter->SetUseInputFieldToDefineTheBSplineDomain(true);
  filter->SetDisplacementField(field);
  filter->SetNumberOfControlPoints(points);
  filter->SetSplineOrder(3);
  filter->SetNumberOfFittingLevels(1);
  filter->SetEnforceStationaryBoundary(stationary);
  filter->SetEstimateInverse(false);
  return filter;
}

/** The module's of the same. */
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

/** An image of how much samples count, of which many do not. */
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

/** Numbers of a field's type. */
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
  // ITK's type, whatever the field's is
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

/** With ITK's places and roundings. */
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
       { std::vector<unsigned int>{ 4, 4, 4 }, { 7, 9, 5 }, { 25, 24, 19 } }) // the last one: emptier than the grid
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
        // The same operations in the same order: but for what a device fuses, of vectors of some mm. Float vectors
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
