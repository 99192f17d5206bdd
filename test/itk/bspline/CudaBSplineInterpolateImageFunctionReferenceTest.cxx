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
// Values and derivatives of CudaBSplineInterpolateImageFunction where ITK cannot judge: short axes, and points far
// outside.
//
// Expected values: the spline on the fully folded mirror extension in long double, its coefficients from the
// interpolation equations (ReferenceSpline.h). ITK folds once only, and reads outside of the buffer on axes of 2 and 3
// samples, and index 0 on an axis of one sample whatever its start index. Tolerance: the module's own bounds of
// SplineErrorBounds.h.

#include "itkCudaBSplineInterpolateImageFunction.h"

#include "GpuOnAndOff.h"
#include "RandomData.h"
#include "ReferenceSpline.h"
#include "SplineErrorBounds.h"
#include "SplineTestImages.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::NameOf;

class CudaBSplineInterpolateImageFunctionReferenceTest : public GpuOnAndOff
{
protected:
  template <unsigned int VDimension, typename TCoefficient>
  void
  Compare(const std::vector<std::int64_t> & size)
  {
    using ImageType = itk::Image<double, VDimension>;
    std::string name;
    for (const std::int64_t length : size)
    {
      name += std::to_string(length) + " ";
    }
    Random       random(std::hash<std::string>()(name));
    const auto   image = NoiseImage<ImageType>(size, random);
    const double sample = LargestPixel(image.GetPointer());
    for (unsigned int order = 0; order <= 5; ++order)
    {
      SCOPED_TRACE("size " + name + ", order " + std::to_string(order));
      auto interpolator = itk::CudaBSplineInterpolateImageFunction<ImageType, double, TCoefficient>::New();
      interpolator->SetGPUEnabled(GetParam());
      interpolator->SetSplineOrder(order);
      interpolator->UseImageDirectionOff();
      interpolator->SetInputImage(image);
      EXPECT_STREQ(NameOf(interpolator->GetLastBackend()),
                   NameOf(Promised("CudaBSplineInterpolateImageFunction", VDimension)));
      const ReferenceSpline reference(
        size, Values(image.GetPointer()), order, { Extension::Mirror }, StartOf(image.GetPointer()));
      const PrefilterBounds bounds(order);
      const auto            largest = static_cast<double>(reference.LargestCoefficient());
      // Orders 0 and 1 have no prefilter, but float coefficients round the samples.
      const double rounding = sizeof(TCoefficient) == 4 ? Unit<float> * std::pow(bounds.norm, VDimension) : 0.0;
      const double coefficient = bounds.Axes(VDimension, bounds.OwnAxis<TCoefficient>(), sample) + rounding * sample;
      // Far outside, the coordinate is rounded to float for the support; the weights follow from it exactly.
      constexpr double reach = 12.0;
      for (int repetition = 0; repetition < 60; ++repetition)
      {
        std::vector<double>                                              at;
        typename decltype(interpolator)::ObjectType::ContinuousIndexType index;
        double                                                           coordinate = 0.0;
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          const auto   start = static_cast<double>(image->GetBufferedRegion().GetIndex(d));
          const auto   length = static_cast<double>(size[d]);
          const double choices[] = { random.Uniform(start - 0.5, start + length - 0.5),
                                     start - 0.5,
                                     std::nextafter(start + length - 0.5, start),
                                     start + static_cast<double>(random.Integer(0, size[d] - 1)),
                                     random.Uniform(start - reach, start + length + reach) };
          index[d] = choices[random.Integer(0, 4)];
          at.push_back(index[d]);
          coordinate = std::max(coordinate, std::abs(index[d]));
        }
        EXPECT_LE(std::abs(static_cast<double>(interpolator->EvaluateAtContinuousIndex(index) - reference.Value(at))),
                  coefficient + ValueBound(order, VDimension) * largest)
          << index;
        const auto derivative = interpolator->EvaluateDerivativeAtContinuousIndex(index);
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          const long double expected = order == 0 ? 0.0L : reference.Derivative(at, d) / image->GetSpacing()[d];
          const double      bound =
            2.0 * coefficient + (DerivativeBound(order, VDimension, coordinate) + 4.0 * Unit<double>)*largest;
          EXPECT_LE(std::abs(static_cast<double>(derivative[d] - expected)), bound / image->GetSpacing()[d])
            << index << " axis " << d;
          if (size[d] == 1)
          {
            EXPECT_LE(std::abs(derivative[d]), bound / image->GetSpacing()[d]) << "an axis of one sample is constant";
          }
        }
      }
    }
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaBSplineInterpolateImageFunctionReferenceTest);

TEST_P(CudaBSplineInterpolateImageFunctionReferenceTest, ShortLines)
{
  for (const std::int64_t length : { 1, 2, 3, 4, 5, 6, 7, 33 })
  {
    Compare<1, double>({ length });
  }
}

TEST_P(CudaBSplineInterpolateImageFunctionReferenceTest, ShortAxesOfVolumes)
{
  Compare<3, double>({ 2, 3, 4 });
  Compare<3, double>({ 1, 2, 1 });
  Compare<3, double>({ 1, 1, 1 });
  Compare<3, double>({ 5, 1, 2 });
  Compare<3, double>({ 2, 2, 2 });
  Compare<3, double>({ 3, 17, 2 });
  Compare<3, float>({ 3, 2, 3 });
  Compare<3, float>({ 2, 11, 1 });
}

} // namespace
