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
// The filters by recursive Gaussians in pipelines: in place, regions, what is printed, aborted and refused, and what
// happens where a device has too little memory.
//
// Expected: what ITK's filters do on the same input; the same bits however a filter is asked.

#include "itkCudaGradientRecursiveGaussianImageFilter.h"
#include "itkCudaSmoothingRecursiveGaussianImageFilter.h"

#include "GaussianTestSupport.h"
#include "ItkObjectTestSupport.h"
#include "GpuOnAndOff.h"
#include "SplineTestImages.h"

#include "itkStreamingImageFilter.h"

#include <cstdlib>
#include <sstream>
#include <string>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using itk::CudaSpline::NameOf;

using ImageType = itk::Image<float, 3>;
using Smoothing = itk::CudaSmoothingRecursiveGaussianImageFilter<ImageType>;
using Gradient = itk::CudaGradientRecursiveGaussianImageFilter<ImageType>;
using ItkSmoothing = itk::SmoothingRecursiveGaussianImageFilter<ImageType>;
using ItkGradient = itk::GradientRecursiveGaussianImageFilter<ImageType>;

class CudaRecursiveGaussianBehaviour : public GpuOnAndOff
{
protected:
  template <typename TFilter>
  typename TFilter::Pointer
  Make(const ImageType * image) const
  {
    auto filter = TFilter::New();
    filter->SetGPUEnabled(GetParam());
    filter->SetInput(image);
    filter->SetSigma(2.0);
    return filter;
  }
  Backend
  Expected() const
  {
    return Promised("CudaSmoothingRecursiveGaussianImageFilter", 3);
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaRecursiveGaussianBehaviour);

// In place, the output has the memory of the input, which is then released, as in ITK; the bits are the same.
TEST_P(CudaRecursiveGaussianBehaviour, InPlace)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 37, 21, 18 }, random);
  const auto copy = Copy<ImageType>(image);
  const auto whole = this->Make<Smoothing>(image);
  EXPECT_FALSE(whole->GetInPlace());
  EXPECT_TRUE(whole->CanRunInPlace());
  whole->Update();
  EXPECT_TRUE(SameBits<ImageType>(image, copy)) << "the input is left alone";
  EXPECT_NE(whole->GetOutput()->GetBufferPointer(), image->GetBufferPointer());

  const float * const memory = copy->GetBufferPointer();
  const auto          filter = this->Make<Smoothing>(copy);
  filter->InPlaceOn();
  filter->Update();
  EXPECT_STREQ(NameOf(filter->GetLastBackend()), NameOf(this->Expected()));
  EXPECT_EQ(filter->GetOutput()->GetBufferPointer(), memory);
  EXPECT_EQ(copy->GetBufferedRegion().GetNumberOfPixels(), 0u);
  EXPECT_TRUE(SameBits<ImageType>(filter->GetOutput(), whole->GetOutput()));
}

// Integers with the size of a float, in place.
TEST_P(CudaRecursiveGaussianBehaviour, IntegersInPlace)
{
  using Image = itk::Image<int, 2>;
  Random     random(__LINE__);
  const auto image = NoiseImage<Image>({ 45, 33 }, random);
  auto       reference = itk::SmoothingRecursiveGaussianImageFilter<Image>::New();
  reference->SetInput(image);
  reference->SetSigma(5.0);
  reference->Update();
  auto filter = itk::CudaSmoothingRecursiveGaussianImageFilter<Image>::New();
  filter->SetGPUEnabled(GetParam());
  filter->SetInput(image);
  filter->SetSigma(5.0);
  filter->InPlaceOn();
  filter->Update();
  EXPECT_EQ(filter->GetLastBackend(), Promised("CudaSmoothingRecursiveGaussianImageFilter", 2));
  ExpectSame<Image>(filter->GetOutput(), reference->GetOutput());
}

// The whole image is filtered for any requested region, and again for each update.
TEST_P(CudaRecursiveGaussianBehaviour, RequestedPartsAndUpdates)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 17, 13, 11 }, random);
  const auto whole = this->Make<Smoothing>(image);
  whole->Update();
  const auto filter = this->Make<Smoothing>(image);
  filter->UpdateOutputInformation();
  auto part = image->GetLargestPossibleRegion();
  part.ShrinkByRadius(3);
  filter->GetOutput()->SetRequestedRegion(part);
  filter->Update();
  EXPECT_EQ(filter->GetOutput()->GetBufferedRegion(), image->GetLargestPossibleRegion());
  EXPECT_TRUE(SameBits<ImageType>(filter->GetOutput(), whole->GetOutput()));

  const auto upstream = this->Make<Smoothing>(image);
  auto       streaming = itk::StreamingImageFilter<ImageType, ImageType>::New();
  streaming->SetInput(upstream->GetOutput());
  streaming->SetNumberOfStreamDivisions(4);
  streaming->Update();
  EXPECT_TRUE(SameBits<ImageType>(streaming->GetOutput(), whole->GetOutput()));

  filter->SetSigma(1.0);
  filter->Update();
  EXPECT_FALSE(SameBits<ImageType>(filter->GetOutput(), whole->GetOutput()));
  filter->SetSigma(2.0);
  filter->Update();
  EXPECT_TRUE(SameBits<ImageType>(filter->GetOutput(), whole->GetOutput()));
}

// ITK's exceptions with their text: axes of less than four pixels, sigmas that are not above 0.
TEST_P(CudaRecursiveGaussianBehaviour, ErrorsAreItks)
{
  Random random(__LINE__);
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    std::vector<std::int64_t> size{ 5, 6, 7 };
    size[axis] = 3;
    const auto image = NoiseImage<ImageType>(size, random);
    const auto smoothing = this->Make<Smoothing>(image);
    auto       itkSmoothing = ItkSmoothing::New();
    itkSmoothing->SetInput(image);
    itkSmoothing->SetSigma(2.0);
    const std::string text = UpdateErrorOf(smoothing.GetPointer());
    EXPECT_NE(text.find("less than 4"), std::string::npos) << text;
    const std::string itks = UpdateErrorOf(itkSmoothing.GetPointer());
    EXPECT_EQ(text.substr(text.find("The number")), itks.substr(itks.find("The number")));
    EXPECT_EQ(smoothing->GetLastBackend(), Backend::Superclass);
    const auto gradient = this->Make<Gradient>(image);
    EXPECT_NE(UpdateErrorOf(gradient.GetPointer()).find("less than 4"), std::string::npos);
    EXPECT_EQ(gradient->GetLastBackend(), Backend::Superclass);
  }
  const auto image = NoiseImage<ImageType>({ 5, 6, 7 }, random);
  for (const double sigma : { 0.0, -1.0 })
  {
    const auto smoothing = this->Make<Smoothing>(image);
    smoothing->SetSigma(sigma);
    EXPECT_NE(UpdateErrorOf(smoothing.GetPointer()).find("Sigma must be greater than zero"), std::string::npos);
    const auto gradient = this->Make<Gradient>(image);
    gradient->SetSigma(sigma);
    EXPECT_NE(UpdateErrorOf(gradient.GetPointer()).find("Sigma must be greater than zero"), std::string::npos);
    gradient->SetSigma(1.0);
    gradient->Update(); // it is usable again
    EXPECT_EQ(gradient->GetLastBackend(), this->Expected());
  }
}

template <typename TFilter>
void
CheckProgress(TFilter * filter)
{
  float last = -1.0F;
  bool  stop = true;
  filter->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    EXPECT_GE(filter->GetProgress(), stop ? 0.0F : last);
    last = filter->GetProgress();
    if (stop && last > 0.2F)
    {
      filter->AbortGenerateDataOn();
    }
  });
  EXPECT_THROW(filter->Update(), itk::ProcessAborted);
  EXPECT_LT(last, 1.0F);
  stop = false;
  last = -1.0F;
  filter->AbortGenerateDataOff();
  filter->Update();
  EXPECT_EQ(last, 1.0F);
}

TEST_P(CudaRecursiveGaussianBehaviour, ProgressAndAbort)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 37, 23, 31 }, random);
  CheckProgress(this->Make<Smoothing>(image).GetPointer());
  CheckProgress(this->Make<Gradient>(image).GetPointer());
}

TEST_P(CudaRecursiveGaussianBehaviour, PrintsItsBackend)
{
  Random             random(__LINE__);
  const auto         image = NoiseImage<ImageType>({ 9, 8, 7 }, random);
  const auto         filter = this->Make<Gradient>(image);
  std::ostringstream before;
  filter->Print(before);
  EXPECT_NE(before.str().find("LastBackend: None"), std::string::npos);
  filter->Update();
  std::ostringstream after;
  filter->Print(after);
  EXPECT_NE(after.str().find(std::string("LastBackend: ") + NameOf(this->Expected())), std::string::npos);
}

// Seven fields, as for all operations.
TEST_P(CudaRecursiveGaussianBehaviour, IsInTheTrace)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 9, 8, 7 }, random);
  const auto filter = this->Make<Smoothing>(image);
  setenv("CUDASPLINE_TRACE", "1", 1);
  testing::internal::CaptureStderr();
  filter->Update();
  const std::string trace = testing::internal::GetCapturedStderr();
  unsetenv("CUDASPLINE_TRACE");
  EXPECT_NE(trace.find("CudaSpline | CudaSmoothingRecursiveGaussianImageFilter | 9x8x7 | sigma 2, 2, 2 | " +
                       std::string(NameOf(this->Expected())) + " | "),
            std::string::npos)
    << trace;
}

// As many threads as ITK's setting requests, with the same bits.
TEST_P(CudaRecursiveGaussianBehaviour, ThreadsDoNotMatter)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 31, 29, 27 }, random);
  const auto one = this->Make<Gradient>(image);
  one->SetNumberOfWorkUnits(1);
  one->Update();
  const auto seven = this->Make<Gradient>(image);
  seven->SetNumberOfWorkUnits(7);
  seven->Update();
  using GradientImage = Gradient::OutputImageType;
  EXPECT_TRUE(SameBits<GradientImage>(one->GetOutput(), seven->GetOutput()));
}

// If a device has too little memory, the host filters, and the reason has the numbers.
TEST_P(CudaRecursiveGaussianBehaviour, LittleMemoryOnTheDevice)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 40, 40, 40 }, random);
  const auto reference = this->Make<Smoothing>(image);
  reference->Update();
  setenv("CUDASPLINE_MEMORY_LIMIT", "100K", 1);
  const auto filter = this->Make<Smoothing>(image);
  filter->Update();
  unsetenv("CUDASPLINE_MEMORY_LIMIT");
  EXPECT_EQ(filter->GetLastBackend(), Backend::Cpu);
  if (GetParam())
  {
    EXPECT_NE(filter->GetFallbackReason().find("memory"), std::string::npos) << filter->GetFallbackReason();
  }
  EXPECT_TRUE(SameBits<ImageType>(filter->GetOutput(), reference->GetOutput()));
}

} // namespace
