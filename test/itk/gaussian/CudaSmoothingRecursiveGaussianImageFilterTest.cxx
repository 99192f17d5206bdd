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
// CudaSmoothingRecursiveGaussianImageFilter against its parent, for pixel types, dimensions, sizes and sigmas.
//
// Expected: ITK's own filter on the same image (no factory is registered here, and its dynamic type is checked), to the
// bit: both do the same operations of double precision in the same order, each rounded by itself (these tests are
// compiled without fused multiply-adds).

#include "itkCudaSmoothingRecursiveGaussianImageFilter.h"

#include "GaussianTestSupport.h"
#include "GpuOnAndOff.h"
#include "SplineTestImages.h"

#include <cstdint>
#include <string>
#include <typeinfo>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::NameOf;

class CudaSmoothingRecursiveGaussian : public GpuOnAndOff
{
protected:
  template <typename TInput, typename TOutput, unsigned int VDimension>
  void
  Compare(const std::vector<std::int64_t> & size, int line)
  {
    SCOPED_TRACE("line " + std::to_string(line));
    using InputImage = itk::Image<TInput, VDimension>;
    using OutputImage = itk::Image<TOutput, VDimension>;
    using ItkFilter = itk::SmoothingRecursiveGaussianImageFilter<InputImage, OutputImage>;
    Random     random(static_cast<std::uint64_t>(line));
    const auto image = NoiseImage<InputImage>(size, random);
    const auto sigmas = RandomSigmas<ItkFilter>(image.GetPointer(), random);
    const bool normalize = random.Integer(0, 1) == 1;
    auto       reference = ItkFilter::New();
    ASSERT_EQ(typeid(*reference), typeid(ItkFilter));
    auto filter = itk::CudaSmoothingRecursiveGaussianImageFilter<InputImage, OutputImage>::New();
    filter->SetGPUEnabled(GetParam());
    for (ItkFilter * each : { reference.GetPointer(), static_cast<ItkFilter *>(filter.GetPointer()) })
    {
      each->SetInput(image);
      each->SetSigmaArray(sigmas);
      each->SetNormalizeAcrossScale(normalize);
      each->Update();
    }
    EXPECT_STREQ(NameOf(filter->GetLastBackend()),
                 NameOf(Promised("CudaSmoothingRecursiveGaussianImageFilter", VDimension)));
    EXPECT_EQ(filter->GetFallbackReason().empty(), filter->GetLastBackend() == itk::CudaSpline::Backend::Cuda);
    ExpectSame<OutputImage>(filter->GetOutput(), reference->GetOutput());
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaSmoothingRecursiveGaussian);

TEST_P(CudaSmoothingRecursiveGaussian, TwoDimensionsEveryPixelType)
{
  Compare<unsigned char, unsigned char, 2>({ 67, 41 }, __LINE__);
  Compare<signed char, float, 2>({ 59, 61 }, __LINE__);
  Compare<short, short, 2>({ 83, 37 }, __LINE__);
  Compare<unsigned short, float, 2>({ 37, 89 }, __LINE__);
  Compare<int, int, 2>({ 53, 71 }, __LINE__);
  Compare<unsigned int, double, 2>({ 43, 47 }, __LINE__);
  Compare<long, long, 2>({ 61, 53 }, __LINE__);
  Compare<unsigned long, float, 2>({ 41, 73 }, __LINE__);
  Compare<float, float, 2>({ 101, 67 }, __LINE__);
  Compare<float, short, 2>({ 32, 48 }, __LINE__);
  Compare<double, float, 2>({ 79, 43 }, __LINE__);
  Compare<double, double, 2>({ 64, 64 }, __LINE__);
}

TEST_P(CudaSmoothingRecursiveGaussian, ThreeDimensions)
{
  Compare<float, float, 3>({ 41, 37, 29 }, __LINE__);
  Compare<double, double, 3>({ 33, 47, 18 }, __LINE__);
  Compare<short, float, 3>({ 64, 32, 16 }, __LINE__);
  Compare<unsigned char, unsigned char, 3>({ 17, 65, 31 }, __LINE__);
  Compare<float, double, 3>({ 8, 16, 48 }, __LINE__);
}

// Lines that end anywhere in a segment, in a pack and in a panel; the minimum size is four.
TEST_P(CudaSmoothingRecursiveGaussian, EverySmallSize)
{
  for (std::int64_t n = 4; n <= 36; ++n)
  {
    SCOPED_TRACE(n);
    Compare<float, float, 2>({ n, 40 - n }, __LINE__);
    Compare<double, float, 3>({ 4 + n % 5, n, 4 + n % 3 }, __LINE__);
  }
  Compare<float, float, 3>({ 4, 4, 4 }, __LINE__);
  Compare<float, float, 3>({ 5, 4, 300 }, __LINE__);
  Compare<float, float, 3>({ 300, 4, 5 }, __LINE__);
}

// Slices that do not fit into a cache are filtered axis by axis.
TEST_P(CudaSmoothingRecursiveGaussian, LargeSlices)
{
  Compare<float, float, 2>({ 700, 600 }, __LINE__);
  Compare<short, short, 3>({ 530, 510, 4 }, __LINE__);
}

TEST(CudaSmoothingRecursiveGaussianTypes, AcceleratedAndNot)
{
  using itk::CudaSmoothingRecursiveGaussianImageFilter;
  using itk::Image;
  static_assert(CudaSmoothingRecursiveGaussianImageFilter<Image<unsigned char, 2>>::IsAccelerated, "scalar");
  static_assert(CudaSmoothingRecursiveGaussianImageFilter<Image<long long, 3>, Image<double, 3>>::IsAccelerated,
                "both");
  static_assert(!CudaSmoothingRecursiveGaussianImageFilter<Image<float, 4>>::IsAccelerated, "dimension");
  static_assert(!CudaSmoothingRecursiveGaussianImageFilter<Image<itk::Vector<float, 2>, 2>>::IsAccelerated, "vectors");
  static_assert(!CudaSmoothingRecursiveGaussianImageFilter<Image<long double, 2>>::IsAccelerated, "long double");
}

// Cases without acceleration are computed by ITK, with a reason.
TEST_P(CudaSmoothingRecursiveGaussian, VectorsAreTheSuperclass)
{
  using Image = itk::Image<itk::Vector<float, 2>, 2>;
  auto image = Image::New();
  image->SetRegions(Image::SizeType{ { 9, 11 } });
  image->Allocate();
  Random random(__LINE__);
  for (std::size_t i = 0; i < 99; ++i)
  {
    image->GetBufferPointer()[i][0] = static_cast<float>(random.Uniform(-1.0, 1.0));
    image->GetBufferPointer()[i][1] = static_cast<float>(random.Uniform(-1.0, 1.0));
  }
  auto reference = itk::SmoothingRecursiveGaussianImageFilter<Image>::New();
  reference->SetInput(image);
  reference->Update();
  auto filter = itk::CudaSmoothingRecursiveGaussianImageFilter<Image>::New();
  filter->SetGPUEnabled(GetParam());
  filter->SetInput(image);
  filter->Update();
  EXPECT_EQ(filter->GetLastBackend(),
            PromisedBackend({ "CudaSmoothingRecursiveGaussianImageFilter", "vector", "2", "-", "-", "-" }));
  EXPECT_NE(filter->GetFallbackReason().find("scalars"), std::string::npos);
  for (std::size_t i = 0; i < 99; ++i)
  {
    EXPECT_EQ(filter->GetOutput()->GetBufferPointer()[i], reference->GetOutput()->GetBufferPointer()[i]);
  }
}

} // namespace
