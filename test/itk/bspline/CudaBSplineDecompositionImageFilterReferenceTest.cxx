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
// Coefficients of CudaBSplineDecompositionImageFilter where ITK cannot be the reference, or is not accurate enough:
// short axes, interpolation of the samples.
//
// Expected values: the interpolation equations on the fully folded mirror extension, solved directly in long double
// (ReferenceSpline.h: no recursion, no poles), and the samples themselves. Tolerance: the module's own bound of
// SplineErrorBounds.h. A spline of the coefficients has non-negative weights of sum 1, so at the samples it errs by no
// more than the coefficients.

#include "itkCudaBSplineDecompositionImageFilter.h"

#include "GpuOnAndOff.h"
#include "RandomData.h"
#include "ReferenceSpline.h"
#include "SplineErrorBounds.h"
#include "SplineTestImages.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::NameOf;

class CudaBSplineDecompositionImageFilterReferenceTest : public GpuOnAndOff
{
protected:
  template <typename TImage>
  typename TImage::Pointer
  Decompose(const TImage * image, unsigned int order) const
  {
    auto filter = itk::CudaBSplineDecompositionImageFilter<TImage, TImage>::New();
    filter->SetInput(image);
    filter->SetSplineOrder(order);
    filter->SetGPUEnabled(GetParam());
    filter->Update();
    EXPECT_STREQ(NameOf(filter->GetLastBackend()),
                 NameOf(Promised("CudaBSplineDecompositionImageFilter", TImage::ImageDimension)));
    return filter->GetOutput();
  }

  /** Returns the largest absolute difference; infinity for a NaN. */
  template <typename TFirst, typename TSecond>
  static double
  Difference(const TFirst & first, const TSecond & second)
  {
    double worst = 0.0;
    for (std::size_t i = 0; i < first.size(); ++i)
    {
      const double difference = std::abs(static_cast<double>(first[i] - second[i]));
      worst = difference <= worst ? worst : (std::isnan(difference) ? INFINITY : difference);
    }
    return worst;
  }

  /** Compares with the equations, and at the samples. */
  template <typename TPixel, unsigned int VDimension>
  void
  Compare(const std::vector<std::int64_t> & size)
  {
    using ImageType = itk::Image<TPixel, VDimension>;
    std::string name;
    for (const std::int64_t length : size)
    {
      name += std::to_string(length) + " ";
    }
    Random     random(std::hash<std::string>()(name));
    const auto image = NoiseImage<ImageType>(size, random);
    const auto samples = Values(image.GetPointer());
    for (unsigned int order = 0; order <= 5; ++order)
    {
      SCOPED_TRACE("size " + name + ", order " + std::to_string(order));
      const PrefilterBounds bounds(order);
      const double          bound = bounds.Axes(VDimension, bounds.OwnAxis<TPixel>(), LargestPixel(image.GetPointer()));
      const auto            coefficients = Values(this->Decompose<ImageType>(image, order).GetPointer());
      const ReferenceSpline reference(size, samples, order);
      EXPECT_LE(Difference(coefficients, reference.Coefficients()), bound);

      const ReferenceSpline    spline(size, coefficients, order, { Extension::Mirror }, {}, true);
      std::vector<long double> reconstructed;
      for (std::size_t i = 0; i < samples.size(); ++i)
      {
        std::vector<double> at;
        std::size_t         rest = i;
        for (const std::int64_t length : size)
        {
          at.push_back(static_cast<double>(rest % static_cast<std::size_t>(length)));
          rest /= static_cast<std::size_t>(length);
        }
        reconstructed.push_back(spline.Value(at));
      }
      EXPECT_LE(Difference(samples, reconstructed), bound);
    }
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaBSplineDecompositionImageFilterReferenceTest);

TEST_P(CudaBSplineDecompositionImageFilterReferenceTest, ShortLines)
{
  // Shorter than the support, than the warm-up (21 to 46 samples in double, 10 to 23 in float), than a segment of 32,
  // and around it.
  for (const std::int64_t length :
       { 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 21, 23, 29, 31, 32, 33, 38, 45, 46, 47, 63, 64, 65 })
  {
    Compare<double, 1>({ length });
    Compare<float, 1>({ length });
  }
}

TEST_P(CudaBSplineDecompositionImageFilterReferenceTest, ShortAxesOfVolumes)
{
  Compare<double, 3>({ 1, 2, 3 });
  Compare<double, 3>({ 2, 2, 2 });
  Compare<double, 3>({ 3, 1, 5 });
  Compare<double, 3>({ 4, 3, 2 });
  Compare<double, 3>({ 5, 4, 1 });
  Compare<double, 3>({ 17, 2, 33 });
  Compare<float, 3>({ 2, 3, 1 });
  Compare<float, 3>({ 3, 35, 2 });
  Compare<float, 3>({ 1, 1, 1 });
}

TEST_P(CudaBSplineDecompositionImageFilterReferenceTest, LongAxes)
{
  Compare<double, 3>({ 19, 37, 11 });
  Compare<float, 3>({ 41, 13, 23 });
}

} // namespace
