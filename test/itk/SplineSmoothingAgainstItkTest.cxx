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
// Smoothing by B-splines against itk::DisplacementFieldToBSplineImageFilter, whose sums are float.

#include "FieldTestSupport.h"

#include "itkCudaSpline/kernels/fields/SplineField.h"

#include "itkDisplacementFieldToBSplineImageFilter.h"

using namespace CudaSplineTest;
using namespace itk::CudaSpline;

namespace
{

class SplineSmoothing : public FieldsAgainstItkOn
{};

INSTANTIATE_TEST_SUITE_P(Backend, SplineSmoothing, testing::Bool(), NameOfFieldBackend);

template <typename TReal>
void
CheckSmoothing(const Residence & residence)
{
  using Field = DisplacementsOf<TReal, 3>;
  using Filter = itk::DisplacementFieldToBSplineImageFilter<Field>;
  Random     random(__LINE__ + sizeof(TReal));
  const auto field = MakeObliqueImage<Field>({ 23, 17, 12 }, false, random);
  FillField(field.GetPointer(), 3.0, true, random);
  for (const bool stationary : { true, false })
  {
    FieldSplineFit rules;
    rules.controlPoints = { 9, 6, 5 };
    rules.stationaryBoundary = stationary;
    typename Filter::ArrayType points;
    points[0] = 9;
    points[1] = 6;
    points[2] = 5;
    auto filter = Filter::New();
    filter->SetUseInputFieldToDefineTheBSplineDomain(true);
    filter->SetDisplacementField(field);
    filter->SetNumberOfControlPoints(points);
    filter->SetSplineOrder(3);
    filter->SetNumberOfFittingLevels(1);
    filter->SetEnforceStationaryBoundary(stationary);
    filter->SetEstimateInverse(false);
    filter->Update();
    const auto          shape = itk::CudaSplineDetail::DescribeField(field.GetPointer());
    const auto          input = Resident(field.GetPointer(), residence);
    const ResidentArray output(input.Bytes(), residence);
    const ResidentArray scratch(CountSplineSmoothingScratch(shape, rules), residence);
    SmoothFieldBySpline(shape, input.Data(), rules, output.Data(), scratch.Data(), residence);
    auto found = LikeImage(field.GetPointer());
    Download(found->GetBufferPointer(), output.Data(), output.Bytes(), residence);
    // Sums of some thousand points in float.
    EXPECT_LE(LargestDifference(found.GetPointer(), filter->GetOutput()), 3.0 * 1e-4);
    EXPECT_GT(LargestDifference(found.GetPointer(), field.GetPointer()), 0.1);
  }
}

} // namespace

TEST_P(SplineSmoothing, AsItkDoes)
{
  const Residence residence = this->MakeResidence();
  CheckSmoothing<float>(residence);
  CheckSmoothing<double>(residence);
}
