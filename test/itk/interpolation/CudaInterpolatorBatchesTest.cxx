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
// Batches of interpolators at their limits: empty ones, values that a type cannot hold, error bounds.
//
// Expected: single evaluations, and for the bounds an interpolator in double precision.

#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaLinearInterpolateImageFunction.h"

#include "InterpolationTestSupport.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace
{

using namespace CudaSplineTest;

class CudaInterpolatorBatches : public GpuOnAndOff
{};

} // namespace

CUDASPLINE_GPU_ON_AND_OFF(CudaInterpolatorBatches);

TEST_P(CudaInterpolatorBatches, NothingInNothingOut)
{
  using ImageType = itk::Image<float, 3>;
  using Function = itk::CudaLinearInterpolateImageFunction<ImageType>;
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 5, 4, 3 }, random);
  auto       function = Function::New();
  function->SetGPUEnabled(GetParam());
  function->SetInputImage(image);
  const auto set = itk::PointSet<float, 3>::New(); // points were never set: ITK's container is null then
  EXPECT_TRUE(function->EvaluateAtPoints(set.GetPointer()).empty());
  EXPECT_TRUE(function->EvaluateAtPoints(std::vector<Function::PointType>()).empty());
  unsigned char                       untouched = 7;
  itk::CudaSplineBatchResults<double> results;
  results.inside = &untouched;
  function->EvaluateAtPoints(set.GetPointer(), results);
  function->EvaluateAtContinuousIndices(std::vector<Function::ContinuousIndexType>(), results);
  EXPECT_EQ(untouched, 7);
}

TEST_P(CudaInterpolatorBatches, IntegersAreClampedWithAndWithoutKernels)
{
  const auto check = [&](auto image, itk::CudaSpline::Backend promised) {
    using ImageType = typename decltype(image)::ObjectType;
    using Function = itk::CudaLinearInterpolateImageFunction<ImageType>;
    const float                  values[] = { 300.0F, -7.0F, 3e9F, 254.75F };
    typename ImageType::SizeType size;
    size.Fill(1);
    size[0] = 4;
    image->SetRegions(size);
    image->Allocate();
    std::copy_n(values, 4, image->GetBufferPointer());
    auto function = Function::New();
    function->SetGPUEnabled(GetParam());
    function->SetInputImage(image);
    std::vector<typename Function::ContinuousIndexType> indices(5);
    for (std::size_t i = 0; i < indices.size(); ++i)
    {
      indices[i].Fill(0.0);
      indices[i][0] = static_cast<double>(i);
    }
    std::vector<unsigned char>                 found(5);
    std::vector<unsigned char>                 inside(5);
    itk::CudaSplineBatchResults<unsigned char> results;
    results.values = found.data();
    results.inside = inside.data();
    results.defaultValue = 9;
    function->EvaluateAtContinuousIndices(indices, results);
    EXPECT_EQ(found, (std::vector<unsigned char>{ 255, 0, 255, 254, 9 }));
    EXPECT_EQ(inside, (std::vector<unsigned char>{ 1, 1, 1, 1, 0 }));
    EXPECT_STREQ(NameOf(function->GetLastBackend()), NameOf(promised));
  };
  check(itk::Image<float, 2>::New(), this->Promised("CudaLinearInterpolateImageFunction", 2));
  check(itk::Image<float, 4>::New(), itk::CudaSpline::Backend::Superclass);
}

TEST_P(CudaInterpolatorBatches, AreWithinTheirErrorBounds)
{
  using ImageType = itk::Image<double, 3>;
  using Single = itk::CudaBSplineInterpolateImageFunction<ImageType, double, float>;
  using Storage = itk::CudaSpline::CoefficientStorage;
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 17, 13, 11 }, random);
  for (const double offset : { 0.0, 1e6 }) // the sum's rounding is larger than the error of the storage
  {
    for (itk::SizeValueType i = 0; i < Count(image.GetPointer()); ++i)
    {
      image->GetBufferPointer()[i] += offset;
    }
    image->Modified();
    auto function = Single::New();
    function->SetGPUEnabled(GetParam());
    function->SetInputImage(image);
    const auto points = PointsIn(function.GetPointer(), random, 500, false);
    double     bound = std::numeric_limits<double>::quiet_NaN();
    const auto values = [&](Storage storage) {
      function->SetStorage(storage);
      std::vector<float>                 found(points.size());
      itk::CudaSplineBatchResults<float> results;
      results.values = found.data();
      function->EvaluateAtContinuousIndices(points, results);
      bound = function->GetErrorBound();
      return found;
    };
    function->MeasureErrorBoundOff();
    (void)values(Storage::Element);
    EXPECT_TRUE(std::isnan(bound)) << "not requested";
    function->MeasureErrorBoundOn();
    for (const Storage storage : { Storage::Element, Storage::Half, Storage::Int16 })
    {
      const auto found = values(storage);
      double     worst = 0.0;
      for (std::size_t i = 0; i < points.size(); ++i)
      {
        // Single evaluations sum, in double, coefficients that are stored as float. All batches begin with these.
        worst = std::max(worst, std::abs(found[i] - function->EvaluateAtContinuousIndex(points[i])));
      }
      EXPECT_GT(worst, 0.0);
      EXPECT_LE(worst, bound + 0x1p-24 * (std::abs(offset) + 1e3)) << NameOf(storage) << " about " << offset;
    }
  }
}
