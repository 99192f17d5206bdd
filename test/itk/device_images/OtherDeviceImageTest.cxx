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
// Images of a class of another module, which has its own memory of a device. The class here has other memory of the
// host, which the Cpu backend reads directly, so the tests run on any machine; CudaCommonTest.cxx has itk::CudaImage.
// Like that class, this one hides GetPixelContainer() and copies in all functions that give access to host memory.
// Expected: the module's filters read and write that memory without a copy, with the results of itk::Image.

#include "itkImage.h"

#include <memory>
#include <vector>

namespace
{

/** The pixels of an image in other memory, and which of both memories has the current ones. */
template <typename TPixel>
struct OtherMemory
{
  std::shared_ptr<std::vector<TPixel>> pixels;
  bool                                 isCurrent{ false };
  int                                  copies{ 0 }; ///< to the host
};

template <typename TPixel, unsigned int VDimension>
class OtherImage : public itk::Image<TPixel, VDimension>
{
public:
  using Self = OtherImage;
  using Superclass = itk::Image<TPixel, VDimension>;
  using Pointer = itk::SmartPointer<Self>;
  using ConstPointer = itk::SmartPointer<const Self>;
  using PixelContainer = typename Superclass::PixelContainer;
  itkSimpleNewMacro(Self);

  TPixel *
  GetBufferPointer() override
  {
    this->MoveToHost();
    return Superclass::GetBufferPointer();
  }
  const TPixel *
  GetBufferPointer() const override
  {
    this->MoveToHost();
    return Superclass::GetBufferPointer();
  }
  PixelContainer *
  GetPixelContainer()
  {
    this->MoveToHost();
    return Superclass::GetPixelContainer();
  }
  const PixelContainer *
  GetPixelContainer() const
  {
    this->MoveToHost();
    return Superclass::GetPixelContainer();
  }
  void
  Initialize() override
  {
    Superclass::Initialize();
    m_Memory = std::make_shared<OtherMemory<TPixel>>();
  }
  void
  Graft(const Self * image)
  {
    Superclass::Graft(image);
    m_Memory = image->m_Memory;
  }
  void
  MoveToHost() const
  {
    if (m_Memory->isCurrent)
    {
      std::copy(m_Memory->pixels->begin(),
                m_Memory->pixels->end(),
                const_cast<Self *>(this)->Superclass::GetPixelContainer()->GetBufferPointer());
      m_Memory->isCurrent = false;
      ++m_Memory->copies;
    }
  }
  void
  MoveToOtherMemory()
  {
    const TPixel * const pixels = this->GetBufferPointer();
    m_Memory->pixels =
      std::make_shared<std::vector<TPixel>>(pixels, pixels + this->GetBufferedRegion().GetNumberOfPixels());
    m_Memory->isCurrent = true;
    this->Superclass::FillBuffer(TPixel()); // a filter that reads the host's is found out
  }

  std::shared_ptr<OtherMemory<TPixel>> m_Memory = std::make_shared<OtherMemory<TPixel>>();

protected:
  using Superclass::Graft;
  void
  Graft(const itk::DataObject * data) override
  {
    this->Graft(dynamic_cast<const Self *>(data));
  }
};

} // namespace

#include "itkCudaSpline/itk/DevicePixels.h"

namespace itk::CudaSplineDetail
{
template <typename TPixel, unsigned int VDimension>
struct OtherDeviceImage<OtherImage<TPixel, VDimension>>
{
  using ImageType = OtherImage<TPixel, VDimension>;
  static constexpr bool HasMemory = true;

  static bool
  IsOnDevice(const ImageType * image)
  {
    return image->m_Memory->isCurrent;
  }
  static std::shared_ptr<const void>
  Find(const ImageType * image, const CudaSpline::ExecutionContext &)
  {
    const auto & memory = *image->m_Memory;
    return memory.isCurrent ? std::shared_ptr<const void>(memory.pixels, memory.pixels->data()) : nullptr;
  }
  static std::shared_ptr<void>
  Allocate(const ImageType * image, const CudaSpline::ExecutionContext &)
  {
    auto pixels = std::make_shared<std::vector<TPixel>>(image->GetBufferedRegion().GetNumberOfPixels());
    return std::shared_ptr<void>(pixels->data(), [pixels](void *) {});
  }
  static void
  Set(ImageType * image, const std::shared_ptr<void> & memory)
  {
    const auto * const first = static_cast<const TPixel *>(memory.get());
    image->m_Memory->pixels =
      std::make_shared<std::vector<TPixel>>(first, first + image->GetBufferedRegion().GetNumberOfPixels());
    image->m_Memory->isCurrent = true;
  }
};
} // namespace itk::CudaSplineDetail

#include "itkCudaRecursiveGaussianImageFilter.h"
#include "itkCudaResampleImageFilter.h"
#include "itkCudaSmoothingRecursiveGaussianImageFilter.h"
#include "itkCudaWarpImageFilter.h"

#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIteratorWithIndex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace
{

using Plain = itk::Image<float, 2>;
using Other = OtherImage<float, 2>;
using Vector2 = itk::Vector<float, 2>;

template <typename TImage>
typename TImage::Pointer
MakeImage()
{
  const auto image = TImage::New();
  image->SetRegions(typename TImage::SizeType{ { 23, 17 } });
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto index = it.GetIndex();
    const auto x = static_cast<float>(index[0]);
    const auto y = static_cast<float>(index[1]);
    if constexpr (std::is_same<typename TImage::PixelType, float>::value)
    {
      it.Set(x * 0.5F + std::sin(y));
    }
    else
    {
      const float displacement[] = { std::sin(0.3F * y), 0.1F * x };
      it.Set(displacement);
    }
  }
  return image;
}

std::vector<float>
ValuesOf(const Plain * image)
{
  std::vector<float> values;
  for (itk::ImageRegionConstIterator<Plain> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    values.push_back(it.Get());
  }
  return values;
}

/** Smoothing, and a warp with a field. */
template <typename TImage, typename TField>
struct Pipeline
{
  Pipeline()
  {
    smoother->SetInput(image);
    smoother->SetSigma(1.5);
    smoother->SetGPUEnabled(false);
    warper->SetInput(smoother->GetOutput());
    warper->SetDisplacementField(field);
    warper->SetOutputParametersFromImage(image);
    warper->SetGPUEnabled(false);
  }

  typename TImage::Pointer                                                         image = MakeImage<TImage>();
  typename TField::Pointer                                                         field = MakeImage<TField>();
  typename itk::CudaSmoothingRecursiveGaussianImageFilter<TImage, TImage>::Pointer smoother =
    itk::CudaSmoothingRecursiveGaussianImageFilter<TImage, TImage>::New();
  typename itk::CudaWarpImageFilter<TImage, TImage, TField>::Pointer warper =
    itk::CudaWarpImageFilter<TImage, TImage, TField>::New();
};

} // namespace

TEST(OtherDeviceImage, APipelineReadsAndWritesTheOtherMemory)
{
  const Pipeline<Other, OtherImage<Vector2, 2>> other;
  other.image->MoveToOtherMemory();
  other.field->MoveToOtherMemory();
  other.warper->Update();
  ASSERT_EQ(other.warper->GetLastBackend(), itk::CudaSpline::Backend::Cpu) << other.warper->GetFallbackReason();
  EXPECT_TRUE(other.image->m_Memory->isCurrent);
  EXPECT_TRUE(other.field->m_Memory->isCurrent);
  EXPECT_TRUE(other.smoother->GetOutput()->m_Memory->isCurrent);
  EXPECT_TRUE(other.warper->GetOutput()->m_Memory->isCurrent);
  EXPECT_EQ(other.image->m_Memory->copies + other.field->m_Memory->copies, 0);
  EXPECT_EQ(other.smoother->GetOutput()->m_Memory->copies + other.warper->GetOutput()->m_Memory->copies, 0);
  const Pipeline<Plain, itk::Image<Vector2, 2>> plain;
  plain.warper->Update();
  EXPECT_EQ(ValuesOf(other.warper->GetOutput()), ValuesOf(plain.warper->GetOutput()));
  EXPECT_EQ(other.warper->GetOutput()->m_Memory->copies, 1);
}

TEST(OtherDeviceImage, PixelsOnTheHostAreReadThere)
{
  const Pipeline<Other, OtherImage<Vector2, 2>> other;
  other.warper->Update();
  const Pipeline<Plain, itk::Image<Vector2, 2>> plain;
  plain.warper->Update();
  EXPECT_EQ(ValuesOf(other.warper->GetOutput()), ValuesOf(plain.warper->GetOutput()));
}

TEST(OtherDeviceImage, ImagesOfBothClassesInOnePipeline)
{
  const auto image = MakeImage<Other>();
  image->MoveToOtherMemory();
  const auto smoother = itk::CudaSmoothingRecursiveGaussianImageFilter<Other, Plain>::New();
  smoother->SetInput(image);
  smoother->SetSigma(1.5);
  smoother->SetGPUEnabled(false);
  const auto warper = itk::CudaWarpImageFilter<Plain, Other, itk::Image<Vector2, 2>>::New();
  warper->SetInput(smoother->GetOutput());
  warper->SetDisplacementField(MakeImage<itk::Image<Vector2, 2>>());
  warper->SetOutputParametersFromImage(image);
  warper->SetGPUEnabled(false);
  warper->Update();
  EXPECT_EQ(image->m_Memory->copies, 0);
  EXPECT_TRUE(warper->GetOutput()->m_Memory->isCurrent);
  const Pipeline<Plain, itk::Image<Vector2, 2>> plain;
  plain.warper->Update();
  EXPECT_EQ(ValuesOf(warper->GetOutput()), ValuesOf(plain.warper->GetOutput()));
}

TEST(OtherDeviceImage, AFilterThatRunsInPlace)
{
  const auto run = [](auto image) {
    using Image = typename std::remove_reference_t<decltype(*image)>;
    const auto filter = itk::CudaRecursiveGaussianImageFilter<Image, Image>::New();
    filter->SetInput(image);
    filter->SetSigma(2.0);
    filter->SetInPlace(true);
    filter->SetGPUEnabled(false);
    filter->Update();
    return ValuesOf(filter->GetOutput());
  };
  const auto image = MakeImage<Other>();
  image->MoveToOtherMemory();
  EXPECT_EQ(run(image), run(MakeImage<Plain>()));
}

TEST(OtherDeviceImage, AnInputWithoutHostMemory)
{
  const auto image = MakeImage<Other>();
  image->MoveToOtherMemory();
  image->Other::Superclass::GetPixelContainer()->Initialize();
  const auto resampler = itk::CudaResampleImageFilter<Other, Plain>::New();
  resampler->SetInput(image);
  resampler->SetOutputParametersFromImage(image);
  resampler->SetGPUEnabled(false);
  resampler->Update();
  EXPECT_EQ(ValuesOf(resampler->GetOutput()), ValuesOf(MakeImage<Plain>()));
}
