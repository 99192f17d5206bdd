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
// The checks of itkResampleImageFilterGTest, made anew for CudaResampleImageFilter: what becomes of a pixel's value,
// and of a reference image that is not used.

#include "ItkResampleCheckSupport.h"

#include <cmath>
#include <limits>
#include <random>

using namespace CudaSplineTest;

namespace
{

class ItkResamplePixelChecks : public OursOnEachBackend
{
protected:
  /** Expects the value of a pixel in an output type. */
  template <typename TInput, typename TOutput>
  void
  ExpectPixel(TInput input, TOutput output)
  {
    using Input = itk::Image<TInput, 2>;
    using Output = itk::Image<TOutput, 2>;
    auto image = Input::New();
    image->SetRegions(typename Input::SizeType{ { 1, 1 } });
    image->Allocate();
    image->FillBuffer(input);
    auto filter = this->template Ours<Input, Output>();
    filter->SetInput(image);
    filter->SetSize(typename Output::SizeType{ { 1, 1 } });
    filter->Update();
    EXPECT_NE(filter->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
    EXPECT_EQ(filter->GetOutput()->GetPixel({ { 0, 0 } }), output) << +input;
  }

  /** Expects that the value of a pixel does not change. */
  template <typename TPixel>
  void
  ExpectSame(TPixel value)
  {
    this->ExpectPixel<TPixel, TPixel>(value, value);
  }
};

CUDASPLINE_ON_EACH_BACKEND(ItkResamplePixelChecks);

} // namespace

// The precisions may be mixed.
template class itk::CudaResampleImageFilter<itk::Image<int>, itk::Image<int>, float, float>;
template class itk::CudaResampleImageFilter<itk::Image<int>, itk::Image<int>, double, float>;
template class itk::CudaResampleImageFilter<itk::Image<int>, itk::Image<int>, float, double>;
template class itk::CudaResampleImageFilter<itk::Image<int>, itk::Image<int>, double, double>;

TEST_P(ItkResamplePixelChecks, GTestPixels)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Limits = std::numeric_limits<double>;
  for (const double value : { 0.0,
                              1.0,
                              -1.0,
                              Limits::lowest(),
                              Limits::denorm_min(),
                              Limits::min(),
                              Limits::epsilon(),
                              Limits::max(),
                              Limits::infinity(),
                              -Limits::infinity() })
  {
    this->ExpectSame(value);
  }
  std::mt19937 random(11);
  for (int i = 0; i < 11; ++i)
  {
    const double value = std::uniform_real_distribution<double>(0.0, 1.0)(random);
    this->ExpectSame(value);
    this->ExpectSame(-value);
    this->ExpectSame(value * Limits::max());
    this->ExpectSame(-value * Limits::max());
  }
  this->ExpectSame(std::numeric_limits<std::int64_t>::min());
  this->ExpectSame(std::numeric_limits<std::int64_t>::max());
  // ITK's cast of values that the output type does not represent.
  this->ExpectPixel<float, unsigned char>(-1.0F, 0);
  this->ExpectPixel<float, unsigned char>(256.0F, 255);
  this->ExpectPixel<float, unsigned char>(255.9F, 255);
  this->ExpectPixel<int, unsigned char>(-1, 0);
  this->ExpectPixel<double, short>(1e300, 32767);
  this->ExpectPixel<double, short>(-32769.0, -32768);
  this->ExpectPixel<double, float>(std::numeric_limits<double>::max(), std::numeric_limits<float>::max());
  this->ExpectPixel<double, float>(std::numeric_limits<double>::lowest(), std::numeric_limits<float>::lowest());
  this->ExpectPixel<unsigned char, double>(255, 255.0);
  this->ExpectPixel<unsigned int, int>(std::numeric_limits<unsigned int>::max(), std::numeric_limits<int>::max());
}

TEST_P(ItkResamplePixelChecks, GTestNanAndReferenceImage)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<double, 2>;
  auto image = Image::New();
  image->SetRegions(Image::SizeType{ { 1, 1 } });
  image->Allocate();
  image->FillBuffer(std::numeric_limits<double>::quiet_NaN());
  auto filter = this->Ours<Image, Image>();
  filter->SetInput(image);
  filter->SetReferenceImage(image);
  EXPECT_THROW(filter->Update(), itk::ExceptionObject); // it is not used
  filter->UseReferenceImageOn();
  filter->Update();
  EXPECT_TRUE(std::isnan(filter->GetOutput()->GetPixel({ { 0, 0 } })));
}
