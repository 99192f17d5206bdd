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
// CudaRecursiveGaussianImageFilter and CudaGradientMagnitudeRecursiveGaussianImageFilter against their parents.
//
// Expected: ITK's own filters on the same image (no factory is registered here). Along an axis to the bit, as in
// CudaSmoothingRecursiveGaussianImageFilterTest.cxx. Magnitudes: each component is rounded to float, 2^-24 of itself,
// before it is squared, and both classes round the sum to float after each of three components and the result once:
// 2^-24 (1 + 3/2 + 3/2 + 1 + 1) of it, below 4e-7.

#include "itkCudaGradientMagnitudeRecursiveGaussianImageFilter.h"
#include "itkCudaRecursiveGaussianImageFilter.h"

#include "GaussianTestSupport.h"
#include "GpuOnAndOff.h"
#include "SplineTestImages.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <typeinfo>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::NameOf;

class CudaRecursiveGaussian : public GpuOnAndOff
{
protected:
  template <typename TInput, unsigned int VDimension>
  void
  CompareAxes(const std::vector<std::int64_t> & size, bool inPlace)
  {
    using InputImage = itk::Image<TInput, VDimension>;
    using OutputImage = itk::Image<float, VDimension>;
    using ItkFilter = itk::RecursiveGaussianImageFilter<InputImage, OutputImage>;
    Random random(static_cast<std::uint64_t>(__LINE__));
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      for (const auto order : { itk::GaussianOrderEnum::ZeroOrder, itk::GaussianOrderEnum::FirstOrder })
      {
        const auto   image = NoiseImage<InputImage>(size, random);
        const double sigma = random.Uniform(0.7, 4.0) * image->GetSpacing()[axis];
        const bool   normalize = random.Integer(0, 1) == 1;
        auto         reference = ItkFilter::New();
        ASSERT_EQ(typeid(*reference), typeid(ItkFilter));
        auto filter = itk::CudaRecursiveGaussianImageFilter<InputImage, OutputImage>::New();
        filter->SetGPUEnabled(GetParam());
        for (ItkFilter * each : { reference.GetPointer(), static_cast<ItkFilter *>(filter.GetPointer()) })
        {
          auto own = InputImage::New(); // an in-place filter overwrites its pixels
          own->CopyInformation(image);
          own->SetRegions(image->GetBufferedRegion());
          own->Allocate();
          std::copy_n(image->GetBufferPointer(), Count(image.GetPointer()), own->GetBufferPointer());
          each->SetInput(own);
          each->SetSigma(sigma);
          each->SetOrder(order);
          each->SetDirection(axis);
          each->SetNormalizeAcrossScale(normalize);
          each->SetInPlace(inPlace);
          each->Update();
        }
        EXPECT_STREQ(NameOf(filter->GetLastBackend()),
                     NameOf(Promised("CudaRecursiveGaussianImageFilter", VDimension)));
        ExpectSame<OutputImage>(filter->GetOutput(), reference->GetOutput());
      }
    }
  }

  template <typename TInput, unsigned int VDimension>
  void
  CompareMagnitudes(const std::vector<std::int64_t> & size)
  {
    using InputImage = itk::Image<TInput, VDimension>;
    using OutputImage = itk::Image<float, VDimension>;
    using ItkFilter = itk::GradientMagnitudeRecursiveGaussianImageFilter<InputImage, OutputImage>;
    Random       random(static_cast<std::uint64_t>(__LINE__));
    const auto   image = NoiseImage<InputImage>(size, random);
    const double sigma = random.Uniform(0.7, 2.0) * image->GetSpacing()[0];
    auto         reference = ItkFilter::New();
    auto         filter = itk::CudaGradientMagnitudeRecursiveGaussianImageFilter<InputImage, OutputImage>::New();
    filter->SetGPUEnabled(GetParam());
    for (ItkFilter * each : { reference.GetPointer(), static_cast<ItkFilter *>(filter.GetPointer()) })
    {
      each->SetInput(image);
      each->SetSigma(sigma);
      each->SetNormalizeAcrossScale(VDimension == 3);
      each->Update();
    }
    EXPECT_STREQ(NameOf(filter->GetLastBackend()),
                 NameOf(Promised("CudaGradientMagnitudeRecursiveGaussianImageFilter", VDimension)));
    ASSERT_EQ(filter->GetOutput()->GetBufferedRegion(), reference->GetOutput()->GetBufferedRegion());
    for (std::size_t i = 0; i < Count(image.GetPointer()); ++i)
    {
      const double expected = reference->GetOutput()->GetBufferPointer()[i];
      ASSERT_NEAR(filter->GetOutput()->GetBufferPointer()[i], expected, 4e-7 * expected) << i;
    }
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaRecursiveGaussian);

TEST_P(CudaRecursiveGaussian, AlongEachAxis)
{
  CompareAxes<float, 2>({ 43, 37 }, false);
  CompareAxes<float, 3>({ 17, 23, 12 }, true);
  CompareAxes<short, 3>({ 21, 4, 9 }, false);
  CompareAxes<double, 2>({ 5, 61 }, false);
}

TEST_P(CudaRecursiveGaussian, Magnitudes)
{
  CompareMagnitudes<float, 2>({ 43, 37 });
  CompareMagnitudes<short, 3>({ 17, 23, 12 });
}

// Axes that are not filtered may be short; second derivatives are computed by ITK.
TEST_P(CudaRecursiveGaussian, ShortAxesAndSecondDerivatives)
{
  CompareAxes<float, 3>({ 17, 23, 12 }, false);
  using Image = itk::Image<float, 2>;
  Random     random(__LINE__);
  const auto image = NoiseImage<Image>({ 9, 3 }, random);
  auto       filter = itk::CudaRecursiveGaussianImageFilter<Image, Image>::New();
  filter->SetGPUEnabled(GetParam());
  filter->SetInput(image);
  filter->SetDirection(0);
  filter->SetSigma(image->GetSpacing()[0]);
  filter->Update();
  EXPECT_NE(filter->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
  filter->SetSecondOrder();
  filter->Update();
  EXPECT_EQ(filter->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
  filter->SetZeroOrder();
  filter->SetDirection(1);
  EXPECT_THROW(filter->Update(), itk::ExceptionObject); // less than four samples
}

} // namespace
