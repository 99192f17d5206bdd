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
// The classes as parts of other programs: adaptors, images without memory, callers that are workers of ITK's thread
// pool, and lifetimes of objects. Expected: the behaviour of ITK's own classes, or an exception where they crash.

#include "ResampleTestSupport.h"

#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "itkNthElementImageAdaptor.h"
#include "itkPlatformMultiThreader.h"
#include "itkPoolMultiThreader.h"

#include <vector>

using namespace CudaSplineTest;

namespace
{
using Image = itk::Image<float, 2>;
using SplineFunction = itk::CudaBSplineInterpolateImageFunction<Image>;
using Filter = itk::CudaResampleImageFilter<Image, Image>;
} // namespace

// The bytes of the image do not change when the adaptor selects another component.
TEST(CudaSplineInItk, AdaptorsAreAskedForTheirPixels)
{
  using Vectors = itk::Image<itk::Vector<float, 2>, 2>;
  using Adaptor = itk::NthElementImageAdaptor<Vectors, float>;
  auto vectors = Vectors::New();
  vectors->SetRegions(Vectors::SizeType{ { 9, 8 } });
  vectors->Allocate();
  itk::Vector<float, 2> value;
  value[0] = 1.0F;
  value[1] = 100.0F;
  vectors->FillBuffer(value);
  auto adaptor = Adaptor::New();
  adaptor->SetImage(vectors);
  auto                            interpolator = itk::CudaBSplineInterpolateImageFunction<Adaptor>::New();
  itk::ContinuousIndex<double, 2> middle;
  middle.Fill(4.25);
  for (unsigned int element = 0; element < 2; ++element)
  {
    adaptor->SelectNthElement(element);
    adaptor->Modified();
    interpolator->SetInputImage(adaptor);
    EXPECT_EQ(interpolator->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
    EXPECT_NEAR(interpolator->EvaluateAtContinuousIndex(middle), value[element], 1e-4);
  }
}

TEST(CudaSplineInItk, ImagesWithoutMemoryAreRefused)
{
  auto image = Image::New();
  image->SetRegions(Image::SizeType{ { 5, 5 } });
  EXPECT_THROW(SplineFunction::New()->SetInputImage(image), itk::ExceptionObject);
  EXPECT_THROW(SplineFunction::New()->SetInputImage(Image::New()), itk::ExceptionObject);
  auto filter = Filter::New();
  filter->SetInput(image);
  filter->SetSize(Image::SizeType{ { 5, 5 } });
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
}

// ITK's B-spline interpolator does not use the pool, so a worker of the pool may set its image; ours would wait
// endlessly for the pool.
TEST(CudaSplineInItk, WorkersOfThePoolMayMakeCoefficients)
{
  std::vector<Image::Pointer> images;
  for (unsigned int i = 0; i < 8; ++i)
  {
    images.push_back(MakePhantom<Image>(0.0, 1.0, i));
  }
  auto pool = itk::PoolMultiThreader::New();
  pool->SetNumberOfWorkUnits(8);
  std::vector<double> values(images.size());
  pool->ParallelizeArray(
    0,
    images.size(),
    [&](itk::SizeValueType i) {
      auto interpolator = SplineFunction::New();
      interpolator->SetInputImage(images[i]);
      auto index = images[i]->GetBufferedRegion().GetIndex();
      index[0] += 20;
      index[1] += 20;
      itk::ContinuousIndex<double, 2> at;
      at[0] = static_cast<double>(index[0]);
      at[1] = static_cast<double>(index[1]);
      values[i] = interpolator->EvaluateAtContinuousIndex(at) - images[i]->GetPixel(index);
    },
    nullptr);
  for (const double value : values)
  {
    EXPECT_NEAR(value, 0.0, 1e-6);
  }
}

TEST(CudaSplineInItk, TheInterpolatorLetsTheInputGo)
{
  for (const Interpolator & interpolator : EveryInterpolator)
  {
    const auto input = MakePhantom<Image>(0.0, 1.0);
    const auto filter = Filter::New();
    filter->SetInterpolator(MakeInterpolator<Filter>(interpolator, false));
    SetOutputGrid(filter.GetPointer(), input.GetPointer());
    filter->SetInput(input);
    filter->Update();
    EXPECT_NE(filter->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
    EXPECT_EQ(filter->GetInterpolator()->GetInputImage(), nullptr) << interpolator.name;
    filter->SetInput(nullptr);
    EXPECT_EQ(input->GetReferenceCount(), 1) << interpolator.name;
  }
}

TEST(CudaSplineInItk, CoordinatesThatAreNoNumbersGiveNone)
{
  const auto input = MakePhantom<Image>(0.0, 1.0);
  auto       interpolator = SplineFunction::New();
  interpolator->SetInputImage(input);
  itk::ContinuousIndex<double, 2> at;
  for (const double wrong :
       { std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1e300 })
  {
    at.Fill(wrong);
    EXPECT_TRUE(std::isnan(interpolator->EvaluateAtContinuousIndex(at)));
  }
}

// Errors of single precision are relative to the largest absolute value. Double precision is for images whose range is
// small compared with their values.
TEST(CudaSplineInItk, LargeOffsetsAskForDoublePrecision)
{
  const auto input = MakePhantom<Image>(1.0e6, 1.0e6 + 1000.0);
  const auto setUp = [&](auto filter, const auto & interpolator) {
    filter->SetInput(input);
    filter->SetInterpolator(interpolator);
    SetOutputGrid(filter.GetPointer(), input.GetPointer());
    filter->SetDefaultPixelValue(1.0e6);
    filter->Update();
  };
  auto theirs = itk::ResampleImageFilter<Image, itk::Image<double, 2>>::New();
  setUp(theirs, MakeInterpolator<itk::ResampleImageFilter<Image, itk::Image<double, 2>>>(EveryInterpolator[5], true));
  for (const auto precision : { itk::CudaSplinePrecision::Single, itk::CudaSplinePrecision::Double })
  {
    auto ours = Filter::New();
    ours->SetPrecision(precision);
    setUp(ours, MakeInterpolator<Filter>(EveryInterpolator[5], false));
    // Double: only the rounding of the output to float, half a unit of 1e6.
    EXPECT_LE(Compare(ours->GetOutput(), theirs->GetOutput()).maximum,
              precision == itk::CudaSplinePrecision::Single ? 1.0 : 0.0313);
  }
}

// ITK's pool drops exceptions of its threads; a failed copy to a device would then look like a successful one.
TEST(CudaSplineInItk, WhatAThreadThrowsIsThrownAgain)
{
  using itk::CudaSpline::DeviceError;
  const std::vector<itk::MultiThreaderBase::Pointer> threaders{ itk::PoolMultiThreader::New().GetPointer(),
                                                                itk::PlatformMultiThreader::New().GetPointer() };
  for (const auto & threader : threaders)
  {
    threader->SetNumberOfWorkUnits(4);
    const itk::CudaSplineHostExecutor executor(threader);
    for (std::int64_t guilty = 0; guilty < 16; ++guilty)
    {
      const auto body = [guilty](std::int64_t begin, std::int64_t end) {
        if (begin <= guilty && guilty < end)
        {
          throw DeviceError(DeviceError::Kind::OutOfMemory, "of part " + std::to_string(guilty));
        }
      };
      try
      {
        executor.ParallelFor(16, body);
        ADD_FAILURE() << threader->GetNameOfClass() << ": nothing was thrown by part " << guilty;
      }
      catch (const DeviceError & error)
      {
        EXPECT_EQ(error.GetKind(), DeviceError::Kind::OutOfMemory);
      }
    }
  }
}
