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
// Images whose newest pixels are in the memory of a backend. Here that is other memory of the host, which the Cpu
// backend reads directly, so the tests run on any machine. A source leaves its pixels there if its consumer reads them
// there. Expected: filters of ITK, iterators and users see the pixels of an itk::Image in all cases, and there are no
// more copies than needed. test/faults has the same with a GPU, or a simulated one.

#include "itkCudaDeviceImage.h"
#include "itkCudaGradientMagnitudeRecursiveGaussianImageFilter.h"
#include "itkCudaSmoothingRecursiveGaussianImageFilter.h"

#include "itkAddImageFilter.h"
#include "itkCastImageFilter.h"
#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIterator.h"
#include "itkImageSource.h"
#include "itkStreamingImageFilter.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>
#include <vector>

namespace
{

using Plane = itk::Image<float, 2>;
using DevicePlane = itk::CudaDeviceImage<float, 2>;

constexpr itk::SizeValueType SideOfPlane = 24;

itk::CudaSpline::ExecutionContext
OnOtherMemory()
{
  return {}; // of the Cpu backend
}

/** Returns the values that the source computes. */
float
ValueAt(itk::IndexValueType offset, float shift)
{
  return static_cast<float>(offset % 97) + shift;
}

std::vector<float>
ExpectedValues(float shift)
{
  std::vector<float> values(SideOfPlane * SideOfPlane);
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    values[i] = ValueAt(static_cast<itk::IndexValueType>(i), shift);
  }
  return values;
}

/** Writes its output to other memory if it is read there, and garbage to the host. */
class OtherMemorySource : public itk::ImageSource<Plane>
{
public:
  using Self = OtherMemorySource;
  using Superclass = itk::ImageSource<Plane>;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineFactorylessNewMacro(Self);

  int   m_Runs{ 0 };
  float m_Shift{ 0.0F };

protected:
  OtherMemorySource() { this->SetNthOutput(0, DevicePlane::New()); }

  void
  GenerateOutputInformation() override
  {
    this->GetOutput()->SetLargestPossibleRegion(Plane::RegionType(Plane::SizeType{ { SideOfPlane, SideOfPlane } }));
  }

  void
  EnlargeOutputRequestedRegion(itk::DataObject * output) override
  {
    output->SetRequestedRegionToLargestPossibleRegion();
  }

  void
  GenerateData() override
  {
    ++m_Runs;
    this->AllocateOutputs();
    auto * const             output = dynamic_cast<DevicePlane *>(this->GetOutput());
    const std::vector<float> values = ExpectedValues(m_Shift);
    float * const            host = output->GetPixelContainer()->GetBufferPointer();
    std::fill_n(host, values.size(), -1.0F);
    if (!output->IsReadOnDevice())
    {
      std::copy(values.begin(), values.end(), host);
      return;
    }
    auto memory =
      std::make_shared<const itk::CudaSpline::BackendMemory>(values.size() * sizeof(float), OnOtherMemory());
    std::copy(values.begin(), values.end(), static_cast<float *>(memory->Data()));
    output->SetDeviceMemory(memory);
  }
};

std::vector<float>
ValuesOf(const Plane * image)
{
  std::vector<float> values;
  for (itk::ImageRegionConstIterator<Plane> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    values.push_back(it.Get());
  }
  return values;
}

/** A source whose image was read by a filter of the module, so that it is in other memory. */
struct SourceWithReader
{
  SourceWithReader()
  {
    reader->SetInput(source->GetOutput());
    reader->SetGPUEnabled(false);
    reader->SetSigma(1.5);
  }

  DevicePlane *
  Image() const
  {
    return dynamic_cast<DevicePlane *>(source->GetOutput());
  }

  OtherMemorySource::Pointer                                            source = OtherMemorySource::New();
  itk::CudaSmoothingRecursiveGaussianImageFilter<Plane, Plane>::Pointer reader =
    itk::CudaSmoothingRecursiveGaussianImageFilter<Plane, Plane>::New();
};

/** Returns the smoothed values of the pixels of an ITK image. */
std::vector<float>
SmoothValues(float shift)
{
  const auto image = Plane::New();
  image->SetRegions(Plane::SizeType{ { SideOfPlane, SideOfPlane } });
  image->Allocate();
  const std::vector<float> values = ExpectedValues(shift);
  std::copy(values.begin(), values.end(), image->GetBufferPointer());
  const auto filter = itk::CudaSmoothingRecursiveGaussianImageFilter<Plane, Plane>::New();
  filter->SetInput(image);
  filter->SetGPUEnabled(false);
  filter->SetSigma(1.5);
  filter->Update();
  return ValuesOf(filter->GetOutput());
}

} // namespace

TEST(CudaDeviceImage, AFilterOfTheModuleReadsThePixelsWhereTheyAre)
{
  const SourceWithReader test;
  test.reader->Update();
  EXPECT_TRUE(test.Image()->IsOnDevice());
  EXPECT_EQ(test.Image()->GetPixelContainer()->GetBufferPointer()[0], -1.0F) << "the host's pixels were written";
  EXPECT_EQ(ValuesOf(test.reader->GetOutput()), SmoothValues(0.0F));
}

TEST(CudaDeviceImage, IteratorsAndBuffersSeeThePixels)
{
  const SourceWithReader test;
  test.reader->Update();
  EXPECT_EQ(ValuesOf(test.Image()), ExpectedValues(0.0F));
  EXPECT_FALSE(test.Image()->IsOnDevice());
  const Plane * const image = test.Image();
  EXPECT_EQ(image->GetBufferPointer()[5], ValueAt(5, 0.0F));
  EXPECT_EQ(image->GetPixel({ { 5, 0 } }), ValueAt(5, 0.0F));
  EXPECT_EQ(test.source->m_Runs, 1);
}

TEST(CudaDeviceImage, AnUpdateMakesPixelsAccessibleWithoutACheck)
{
  const SourceWithReader test;
  test.reader->Update();
  test.source->Update();
  EXPECT_EQ(test.source->m_Runs, 1);
  EXPECT_EQ(test.source->GetOutput()->GetPixel({ { 7, 0 } }), ValueAt(7, 0.0F));
}

TEST(CudaDeviceImage, AFilterOfItkGetsItsPixelsOnTheHost)
{
  const SourceWithReader test;
  const auto             cast = itk::CastImageFilter<Plane, itk::Image<double, 2>>::New();
  cast->SetInput(test.source->GetOutput());
  cast->Update();
  EXPECT_EQ(cast->GetOutput()->GetPixel({ { 3, 1 } }), ValueAt(SideOfPlane + 3, 0.0F));
  test.reader->Update(); // from the host
  EXPECT_EQ(ValuesOf(test.reader->GetOutput()), SmoothValues(0.0F));
  test.source->m_Shift = 2.0F;
  test.source->Modified();
  test.reader->Update();
  EXPECT_TRUE(test.Image()->IsOnDevice());
  cast->Update();
  EXPECT_EQ(cast->GetOutput()->GetPixel({ { 3, 1 } }), ValueAt(SideOfPlane + 3, 2.0F));
  EXPECT_EQ(test.source->m_Runs, 2);
}

TEST(CudaDeviceImage, OneUpdateServesBothKindsOfFilters)
{
  // The sum reads the image itself and the result of a filter of the module for it, in both orders.
  for (const unsigned int first : { 0U, 1U })
  {
    const SourceWithReader test;
    const auto             sum = itk::AddImageFilter<Plane, Plane, Plane>::New();
    sum->SetInput(first, test.source->GetOutput());
    sum->SetInput(1 - first, test.reader->GetOutput());
    sum->Update();
    std::vector<float>       expected = ExpectedValues(0.0F);
    const std::vector<float> smooth = SmoothValues(0.0F);
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
      expected[i] += smooth[i];
    }
    EXPECT_EQ(ValuesOf(sum->GetOutput()), expected) << "input " << first;
  }
}

TEST(CudaDeviceImage, AFilterOfItkBetweenReadsTheHost)
{
  // The filter of the module reads the source's image after a filter of ITK, in one update.
  const auto source = OtherMemorySource::New();
  const auto cast = itk::CastImageFilter<Plane, Plane>::New();
  cast->InPlaceOff();
  cast->SetInput(source->GetOutput());
  const auto magnitude = itk::CudaGradientMagnitudeRecursiveGaussianImageFilter<Plane, Plane>::New();
  magnitude->SetGPUEnabled(false);
  magnitude->SetInput(cast->GetOutput());
  magnitude->Update();
  EXPECT_EQ(ValuesOf(cast->GetOutput()), ExpectedValues(0.0F));
  EXPECT_FALSE(dynamic_cast<DevicePlane *>(source->GetOutput())->IsOnDevice());
}

TEST(CudaDeviceImage, GraftedImagesShareBothMemories)
{
  const SourceWithReader test;
  test.reader->Update();
  const auto graft = DevicePlane::New();
  graft->Graft(test.Image());
  EXPECT_TRUE(graft->IsOnDevice());
  EXPECT_EQ(ValuesOf(graft), ExpectedValues(0.0F));
  EXPECT_FALSE(test.Image()->IsOnDevice());
  EXPECT_EQ(test.Image()->GetPixel({ { 9, 0 } }), ValueAt(9, 0.0F));
  const auto plain = Plane::New();
  plain->SetRegions(Plane::SizeType{ { 2, 2 } });
  plain->Allocate();
  plain->FillBuffer(4.0F);
  graft->Graft(plain.GetPointer());
  EXPECT_EQ(graft->GetPixel({ { 1, 1 } }), 4.0F);
  EXPECT_EQ(test.Image()->GetPixel({ { 9, 0 } }), ValueAt(9, 0.0F));
}

TEST(CudaDeviceImage, AReleasedImageKeepsNothingAndAGraftOfItDoes)
{
  const SourceWithReader test;
  test.source->ReleaseDataFlagOn();
  test.reader->Update();
  EXPECT_TRUE(test.Image()->GetDataReleased());
  EXPECT_FALSE(test.Image()->IsOnDevice());
  EXPECT_EQ(test.Image()->GetDeviceMemory(), nullptr);
  EXPECT_EQ(ValuesOf(test.reader->GetOutput()), SmoothValues(0.0F));
  test.source->ReleaseDataFlagOff();
  test.reader->Modified();
  test.reader->Update();
  EXPECT_EQ(test.source->m_Runs, 2);
  const auto graft = DevicePlane::New();
  graft->Graft(test.Image());
  test.Image()->ReleaseData();
  EXPECT_EQ(ValuesOf(graft), ExpectedValues(0.0F));
}

TEST(CudaDeviceImage, AnInPlaceFilterOfItkOverwritesTheHostsPixels)
{
  const SourceWithReader test;
  test.reader->Update();
  const auto sum = itk::AddImageFilter<Plane, Plane, Plane>::New();
  sum->SetInput1(test.source->GetOutput());
  sum->SetConstant2(10.0F);
  sum->InPlaceOn();
  sum->Update();
  EXPECT_EQ(ValuesOf(sum->GetOutput()), ExpectedValues(10.0F));
  EXPECT_TRUE(test.Image()->GetDataReleased());
  test.reader->Modified();
  test.reader->Update();
  EXPECT_EQ(ValuesOf(test.reader->GetOutput()), SmoothValues(0.0F));
}

TEST(CudaDeviceImage, PixelsThatAreWrittenOnTheHostAreTheNewest)
{
  const SourceWithReader test;
  test.reader->Update();
  for (itk::ImageRegionIterator<Plane> it(test.Image(), test.Image()->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(it.Get() + 5.0F);
  }
  test.Image()->Modified();
  test.reader->Update();
  EXPECT_EQ(ValuesOf(test.reader->GetOutput()), SmoothValues(5.0F));
  EXPECT_EQ(test.source->m_Runs, 1);
}

TEST(CudaDeviceImage, StreamingAsksForEachDivisionOnTheHost)
{
  const SourceWithReader test;
  test.reader->Update();
  const auto streamer = itk::StreamingImageFilter<Plane, Plane>::New();
  streamer->SetInput(test.source->GetOutput());
  streamer->SetNumberOfStreamDivisions(3);
  streamer->Update();
  EXPECT_EQ(ValuesOf(streamer->GetOutput()), ExpectedValues(0.0F));
}

TEST(CudaDeviceImage, ThreadsGetThePixelsAtOnce)
{
  for (int repeat = 0; repeat < 20; ++repeat)
  {
    const SourceWithReader test;
    test.reader->Update();
    std::vector<std::vector<float>> seen(8);
    std::vector<std::thread>        threads;
    for (auto & values : seen)
    {
      threads.emplace_back([&values, &test] { values = ValuesOf(test.Image()); });
    }
    for (std::thread & thread : threads)
    {
      thread.join();
    }
    for (const auto & values : seen)
    {
      ASSERT_EQ(values, ExpectedValues(0.0F));
    }
  }
}

TEST(CudaDeviceImage, ADisconnectedImageKeepsItsPixels)
{
  const SourceWithReader test;
  test.reader->Update();
  const Plane::Pointer image = test.source->GetOutput();
  image->DisconnectPipeline();
  EXPECT_EQ(ValuesOf(image), ExpectedValues(0.0F));
  const Plane::Pointer smooth = test.reader->GetOutput();
  smooth->DisconnectPipeline();
  EXPECT_NE(test.reader->GetOutput(), smooth.GetPointer());
  EXPECT_STREQ(test.reader->GetOutput()->GetNameOfClass(), smooth->GetNameOfClass());
}

TEST(CudaDeviceImage, CodeOfItkReadsTheHostWhereAFilterIsNotAccelerated)
{
  const auto source = OtherMemorySource::New();
  const auto filter = itk::CudaSmoothingRecursiveGaussianImageFilter<Plane, Plane>::New();
  filter->SetInput(source->GetOutput());
  filter->SetSigma(-1.0); // an error of ITK's filter
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
  EXPECT_EQ(filter->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
  EXPECT_FALSE(dynamic_cast<DevicePlane *>(source->GetOutput())->IsOnDevice());
  filter->SetSigma(1.5);
  filter->Update();
  EXPECT_EQ(ValuesOf(filter->GetOutput()), SmoothValues(0.0F));
}

TEST(CudaDeviceImage, ItPrintsWhereItsPixelsAre)
{
  const SourceWithReader test;
  test.reader->Update();
  std::ostringstream text;
  test.Image()->Print(text);
  EXPECT_NE(text.str().find("IsOnDevice: Yes"), std::string::npos);
}
