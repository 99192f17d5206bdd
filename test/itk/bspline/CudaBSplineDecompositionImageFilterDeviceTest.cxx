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
// How CudaBSplineDecompositionImageFilter chooses a device and a backend, what it says about it, and when the
// superclass answers.
//
// Expected values: the rules of the class documentation and doc/BackendTable.csv; where the superclass answers, ITK's
// own filter, bit for bit.

#include "itkCudaBSplineDecompositionImageFilter.h"

#include "GpuOnAndOff.h"
#include "ItkObjectTestSupport.h"
#include "RandomData.h"
#include "SplineTestImages.h"

#include "itkVector.h"

#include <cstdlib>
#include <string>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using itk::CudaSpline::NameOf;

using ImageType = itk::Image<float, 2>;
using FilterType = itk::CudaBSplineDecompositionImageFilter<ImageType, ImageType>;

/** Sets CUDASPLINE_DEVICE during its lifetime. */
class DeviceEnvironment
{
public:
  explicit DeviceEnvironment(const char * value)
  {
    const char * const before = std::getenv("CUDASPLINE_DEVICE");
    m_WasSet = before != nullptr;
    m_Before = m_WasSet ? before : "";
    setenv("CUDASPLINE_DEVICE", value, 1);
  }
  ~DeviceEnvironment()
  {
    if (m_WasSet)
    {
      setenv("CUDASPLINE_DEVICE", m_Before.c_str(), 1);
    }
    else
    {
      unsetenv("CUDASPLINE_DEVICE");
    }
  }
  DeviceEnvironment(const DeviceEnvironment &) = delete;
  DeviceEnvironment &
  operator=(const DeviceEnvironment &) = delete;

private:
  bool        m_WasSet;
  std::string m_Before;
};

FilterType::Pointer
MakeFilter()
{
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 41, 37 }, random);
  auto       filter = FilterType::New();
  filter->SetInput(image);
  return filter;
}

TEST(CudaBSplineDecompositionImageFilterDeviceTest, NothingHasRunYet)
{
  const auto filter = MakeFilter();
  EXPECT_EQ(filter->GetLastBackend(), Backend::None);
  EXPECT_EQ(filter->GetFallbackReason(), "");
  EXPECT_EQ(filter->GetDevice(), "");
  EXPECT_EQ(filter->GetGPUEnabled(), itk::CudaSpline::DeviceCount() > 0) << "on where there is a usable GPU";
  EXPECT_STREQ(filter->GetNameOfClass(), "CudaBSplineDecompositionImageFilter");
}

TEST(CudaBSplineDecompositionImageFilterDeviceTest, Switch)
{
  const auto filter = MakeFilter();
  filter->GPUEnabledOff();
  EXPECT_FALSE(filter->GetGPUEnabled());
  filter->Update();
  EXPECT_EQ(filter->GetLastBackend(), Backend::Cpu);
  ExpectMention(filter->GetFallbackReason(), "switched off");
  filter->GPUEnabledOn();
  EXPECT_TRUE(filter->GetGPUEnabled());
}

TEST(CudaBSplineDecompositionImageFilterDeviceTest, TheBackendIsAsPromised)
{
  const Backend promised = PromisedBackend({ "CudaBSplineDecompositionImageFilter", "scalar", "2", "-", "-", "-" });
  const auto    byDefault = MakeFilter();
  byDefault->Update();
  const auto enabled = MakeFilter();
  enabled->GPUEnabledOn();
  enabled->Update();
  for (const FilterType * filter : { byDefault.GetPointer(), enabled.GetPointer() })
  {
    EXPECT_STREQ(NameOf(filter->GetLastBackend()), NameOf(promised));
    EXPECT_EQ(filter->GetFallbackReason().empty(), promised == Backend::Cuda) << "it says why it is not the GPU";
  }
}

TEST(CudaBSplineDecompositionImageFilterDeviceTest, UnknownDevice)
{
  for (const char * const device : { "99", "-1", "gpus", "0x0", "1 2" })
  {
    SCOPED_TRACE(device);
    const auto filter = MakeFilter();
    filter->GPUEnabledOn();
    filter->SetDevice(device);
    EXPECT_EQ(filter->GetDevice(), device);
    const std::string text = UpdateErrorOf(filter.GetPointer());
    ExpectMention(text, device);
    ExpectMention(text, "allowed are cpu");
    EXPECT_EQ(filter->GetLastBackend(), Backend::None);
    // The filter is usable again.
    filter->SetDevice("");
    EXPECT_NO_THROW(filter->Update());
  }
}

TEST(CudaBSplineDecompositionImageFilterDeviceTest, DeviceCpu)
{
  const auto filter = MakeFilter();
  filter->SetDevice("cpu");
  filter->Update();
  EXPECT_EQ(filter->GetLastBackend(), Backend::Cpu);
  ExpectMention(filter->GetFallbackReason(), "cpu");
}

TEST(CudaBSplineDecompositionImageFilterDeviceTest, FirstGpu)
{
  CUDASPLINE_NEEDS_GPU();
  const auto filter = MakeFilter();
  filter->SetDevice("0");
  filter->Update();
  EXPECT_STREQ(NameOf(filter->GetLastBackend()), "Cuda");
  EXPECT_EQ(filter->GetFallbackReason(), "");
}

TEST(CudaBSplineDecompositionImageFilterDeviceTest, EnvironmentCpu)
{
  const DeviceEnvironment environment("cpu");
  const auto              filter = MakeFilter();
  filter->GPUEnabledOn();
  filter->Update();
  EXPECT_EQ(filter->GetLastBackend(), Backend::Cpu) << "the environment overrides";
  ExpectMention(filter->GetFallbackReason(), "cpu");
}

TEST(CudaBSplineDecompositionImageFilterDeviceTest, EnvironmentOfNonsense)
{
  const DeviceEnvironment environment("nonsense");
  const auto              filter = MakeFilter();
  const std::string       text = UpdateErrorOf(filter.GetPointer());
  ExpectMention(text, "nonsense");
  ExpectMention(text, "allowed are cpu");
  // A request of the program has precedence over the environment.
  filter->SetDevice("cpu");
  EXPECT_NO_THROW(filter->Update());
}

TEST(CudaBSplineDecompositionImageFilterDeviceTest, PrintSelf)
{
  const auto filter = MakeFilter();
  ExpectMention(Printed(filter), "LastBackend: None");
  filter->SetDevice("cpu");
  filter->Update();
  const std::string text = Printed(filter);
  ExpectMention(text, "LastBackend: Cpu");
  ExpectMention(text, "FallbackReason: " + filter->GetFallbackReason());
  ExpectMention(text, "Device: cpu");
  ExpectMention(text, "GPUEnabled: ");
  ExpectMention(text, "Spline Order: 3");
  std::ostringstream sizes; // as ITK's class prints those of its last update
  sizes << filter->GetInput()->GetBufferedRegion().GetSize();
  ExpectMention(text, "Data Length: " + sizes.str());
}

template <typename TInput, typename TOutput>
void
ExpectSuperclass(const TInput * image, const std::string & pixels)
{
  auto reference = itk::BSplineDecompositionImageFilter<TInput, TOutput>::New();
  reference->SetInput(image);
  reference->Update();
  auto filter = itk::CudaBSplineDecompositionImageFilter<TInput, TOutput>::New();
  filter->SetInput(image);
  filter->Update();
  const std::string dimension = std::to_string(TInput::ImageDimension);
  EXPECT_EQ(PromisedBackend({ "CudaBSplineDecompositionImageFilter", pixels, dimension, "-", "-", "-" }),
            Backend::Superclass);
  EXPECT_STREQ(NameOf(filter->GetLastBackend()), "Superclass");
  ExpectMention(filter->GetFallbackReason(), "images of 1 to 4 dimensions, whose pixels are numbers");
  ExpectMention(Printed(filter), "LastBackend: Superclass");
  EXPECT_TRUE(SameBits<TOutput>(filter->GetOutput(), reference->GetOutput()));
}

TEST(CudaBSplineDecompositionImageFilterDeviceTest, VectorsOfFiveDimensionsAreForTheSuperclass)
{
  using Input = itk::Image<itk::Vector<float, 3>, 5>;
  Random     random(__LINE__);
  const auto image = Input::New();
  image->SetRegions(Input::SizeType{ { 7, 3, 4, 5, 2 } });
  image->Allocate();
  for (std::size_t i = 0; i < Count(image.GetPointer()); ++i)
  {
    for (unsigned int component = 0; component < 3; ++component)
    {
      image->GetBufferPointer()[i][component] = static_cast<float>(random.Uniform(-1.0, 1.0));
    }
  }
  ExpectSuperclass<Input, itk::Image<itk::Vector<double, 3>, 5>>(image, "vector");
}

TEST(CudaBSplineDecompositionImageFilterDeviceTest, LongDoublesAreForTheSuperclass)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<itk::Image<long double, 2>>({ 37, 11 }, random);
  ExpectSuperclass<itk::Image<long double, 2>, itk::Image<double, 2>>(image, "long double");
}

TEST(CudaBSplineDecompositionImageFilterDeviceTest, FiveDimensionsAreForTheSuperclass)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<itk::Image<float, 5>>({ 5, 4, 3, 6, 7 }, random);
  ExpectSuperclass<itk::Image<float, 5>, itk::Image<double, 5>>(image, "scalar");
}

} // namespace
