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
// CudaGradientRecursiveGaussianImageFilter against its parent, for pixel types, vectors, dimensions, sizes, sigmas and
// options.
//
// Expected: ITK's own filter on the same image (no factory is registered here, and its dynamic type is checked), to the
// bit: both do the same operations of double precision in the same order, each rounded by itself (these tests are
// compiled without fused multiply-adds).

#include "itkCudaGradientRecursiveGaussianImageFilter.h"

#include "GpuOnAndOff.h"
#include "SplineTestImages.h"

#include "itkVector.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <typeinfo>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::NameOf;

class CudaGradientRecursiveGaussian : public GpuOnAndOff
{
protected:
  template <typename TInput, typename TGradient>
  void
  Compare(const std::vector<std::int64_t> & size, int line)
  {
    constexpr unsigned int dimension = TGradient::Dimension;
    using InputImage = itk::Image<TInput, dimension>;
    using OutputImage = itk::Image<TGradient, dimension>;
    using ItkFilter = itk::GradientRecursiveGaussianImageFilter<InputImage, OutputImage>;
    Random                             random(static_cast<std::uint64_t>(line));
    const auto                         image = NoiseImage<InputImage>(size, random);
    typename ItkFilter::SigmaArrayType sigmas;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      sigmas[d] = random.Uniform(0.5, 8.0);
    }
    for (const bool isRotated : { true, false })
    {
      const bool normalize = random.Integer(0, 1) == 1;
      SCOPED_TRACE("line " + std::to_string(line) + (isRotated ? ", rotated" : "") + (normalize ? ", normalized" : ""));
      auto reference = ItkFilter::New();
      ASSERT_EQ(typeid(*reference), typeid(ItkFilter));
      auto filter = itk::CudaGradientRecursiveGaussianImageFilter<InputImage, OutputImage>::New();
      filter->SetGPUEnabled(GetParam());
      for (ItkFilter * each : { reference.GetPointer(), static_cast<ItkFilter *>(filter.GetPointer()) })
      {
        each->SetInput(image);
        each->SetSigmaArray(sigmas);
        each->SetNormalizeAcrossScale(normalize);
        each->SetUseImageDirection(isRotated);
        each->Update();
      }
      EXPECT_STREQ(NameOf(filter->GetLastBackend()),
                   NameOf(Promised("CudaGradientRecursiveGaussianImageFilter", dimension)));
      EXPECT_EQ(filter->GetFallbackReason().empty(), filter->GetLastBackend() == itk::CudaSpline::Backend::Cuda);
      const OutputImage * const own = filter->GetOutput();
      const OutputImage * const itks = reference->GetOutput();
      ASSERT_EQ(own->GetBufferedRegion(), itks->GetBufferedRegion());
      EXPECT_EQ(own->GetSpacing(), itks->GetSpacing());
      EXPECT_EQ(own->GetDirection(), itks->GetDirection());
      EXPECT_EQ(own->GetOrigin(), itks->GetOrigin());
      std::size_t different = 0;
      for (std::size_t i = 0; i < Count(own); ++i)
      {
        const TGradient & a = own->GetBufferPointer()[i];
        const TGradient & b = itks->GetBufferPointer()[i];
        if (std::memcmp(&a, &b, sizeof(TGradient)) != 0 && ++different <= 3)
        {
          ADD_FAILURE() << "pixel " << i << ": " << a << " and in ITK " << b;
        }
      }
      EXPECT_EQ(different, 0u) << "of " << Count(own);
    }
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaGradientRecursiveGaussian);

TEST_P(CudaGradientRecursiveGaussian, TwoDimensions)
{
  Compare<float, itk::CovariantVector<double, 2>>({ 67, 41 }, __LINE__);
  Compare<double, itk::CovariantVector<float, 2>>({ 40, 83 }, __LINE__);
  Compare<short, itk::CovariantVector<float, 2>>({ 33, 34 }, __LINE__);
  Compare<unsigned char, itk::Vector<float, 2>>({ 35, 36 }, __LINE__);
  Compare<int, itk::Vector<double, 2>>({ 21, 64 }, __LINE__);
  Compare<unsigned long, itk::CovariantVector<double, 2>>({ 64, 21 }, __LINE__);
}

TEST_P(CudaGradientRecursiveGaussian, ThreeDimensions)
{
  Compare<float, itk::CovariantVector<double, 3>>({ 41, 37, 29 }, __LINE__);
  Compare<float, itk::CovariantVector<float, 3>>({ 32, 48, 16 }, __LINE__);
  Compare<double, itk::CovariantVector<double, 3>>({ 17, 33, 47 }, __LINE__);
  Compare<unsigned short, itk::Vector<double, 3>>({ 29, 19, 23 }, __LINE__);
}

TEST_P(CudaGradientRecursiveGaussian, EverySmallSize)
{
  for (std::int64_t n = 4; n <= 36; n += 3)
  {
    SCOPED_TRACE(n);
    Compare<float, itk::CovariantVector<double, 2>>({ n, 40 - n }, __LINE__);
    Compare<double, itk::CovariantVector<float, 3>>({ 4 + n % 5, n, 4 + n % 3 }, __LINE__);
  }
  Compare<float, itk::CovariantVector<double, 3>>({ 4, 4, 4 }, __LINE__);
}

// The gradient of a ramp along an oblique direction is its slope in mm, except near edges.
TEST_P(CudaGradientRecursiveGaussian, OfARampIsItsSlope)
{
  using Image = itk::Image<double, 3>;
  Random                          random(__LINE__);
  const auto                      image = NoiseImage<Image>({ 40, 40, 40 }, random);
  itk::CovariantVector<double, 3> slope;
  for (unsigned int d = 0; d < 3; ++d)
  {
    slope[d] = random.Uniform(-3.0, 3.0);
  }
  const double spacing[3] = { 1.5, 0.8, 2.0 };
  image->SetSpacing(spacing);
  const auto region = image->GetBufferedRegion();
  for (itk::SizeValueType i = 0; i < region.GetNumberOfPixels(); ++i)
  {
    Image::PointType point;
    image->TransformIndexToPhysicalPoint(image->ComputeIndex(static_cast<itk::OffsetValueType>(i)), point);
    image->GetBufferPointer()[i] = slope * (point - image->GetOrigin());
  }
  auto filter = itk::CudaGradientRecursiveGaussianImageFilter<Image>::New();
  filter->SetGPUEnabled(GetParam());
  filter->SetInput(image);
  filter->SetSigma(1.6);
  filter->Update();
  auto centre = region.GetIndex();
  for (unsigned int d = 0; d < 3; ++d)
  {
    centre[d] += 20;
  }
  // Floats of some hundred; differences of pixels with some distance are taken, and edges are ten sigmas away.
  for (unsigned int d = 0; d < 3; ++d)
  {
    EXPECT_NEAR(filter->GetOutput()->GetPixel(centre)[d], slope[d], 2e-4);
  }
}

TEST(CudaGradientRecursiveGaussianTypes, AcceleratedAndNot)
{
  using itk::CovariantVector;
  using itk::CudaGradientRecursiveGaussianImageFilter;
  using itk::Image;
  static_assert(CudaGradientRecursiveGaussianImageFilter<Image<float, 3>>::IsAccelerated, "ITK's default output");
  static_assert(
    !CudaGradientRecursiveGaussianImageFilter<Image<float, 2>, Image<CovariantVector<int, 2>, 2>>::IsAccelerated,
    "integers");
  static_assert(!CudaGradientRecursiveGaussianImageFilter<Image<float, 4>>::IsAccelerated, "dimension");
}

} // namespace
