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
// Images of ITKCudaCommon, which RTK uses, in a pipeline of the module's filters on a GPU. Compiled if ITK has the
// module CudaCommon. Expected: the results of itk::Image, without a copy to or from the host.

#include "itkCudaSplineCudaCommon.h"
#include "itkCudaRecursiveGaussianImageFilter.h"
#include "itkCudaSmoothingRecursiveGaussianImageFilter.h"
#include "itkCudaTransformToDisplacementFieldFilter.h"
#include "itkCudaWarpImageFilter.h"

#include "GpuIsRequired.h"

#include "itkAffineTransform.h"
#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIteratorWithIndex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace
{

using Plain = itk::Image<float, 3>;
using PlainField = itk::Image<itk::Vector<float, 3>, 3>;
using Cuda = itk::CudaImage<float, 3>;
using CudaField = itk::CudaImage<itk::Vector<float, 3>, 3>;

template <typename TImage>
typename TImage::Pointer
MakeImage()
{
  const auto image = TImage::New();
  image->SetRegions(typename TImage::SizeType{ { 40, 33, 21 } });
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto index = it.GetIndex();
    it.Set(static_cast<float>(std::sin(0.3 * static_cast<double>(index[0])) +
                              0.1 * static_cast<double>(index[1] * index[2])));
  }
  return image;
}

double
LargestDifference(const Plain * a, const Plain * b)
{
  double                               largest = 0.0;
  itk::ImageRegionConstIterator<Plain> itB(b, b->GetBufferedRegion());
  for (itk::ImageRegionConstIterator<Plain> it(a, a->GetBufferedRegion()); !it.IsAtEnd(); ++it, ++itB)
  {
    largest = std::max(largest, std::abs(static_cast<double>(it.Get()) - static_cast<double>(itB.Get())));
  }
  return largest;
}

/** Whether the newest pixels are in device memory, and those of the host are outdated. */
template <typename TImage>
bool
IsOnlyOnDevice(const TImage * image)
{
  return itk::CudaSplineDetail::OtherDeviceImage<TImage>::IsOnDevice(image) &&
         image->GetCudaDataManager()->IsCPUBufferDirty();
}

/** Smoothing, and a warp with the field of a transform. */
template <typename TImage, typename TField>
struct Pipeline
{
  explicit Pipeline(TImage * image, bool isOnDevice)
  {
    smoother->SetInput(image);
    smoother->SetSigma(1.5);
    const auto affine = itk::AffineTransform<double, 3>::New();
    affine->Rotate(0, 1, 0.1);
    field->SetTransform(affine);
    field->SetReferenceImage(image);
    field->UseReferenceImageOn();
    warper->SetInput(smoother->GetOutput());
    warper->SetDisplacementField(field->GetOutput());
    warper->SetOutputParametersFromImage(image);
    smoother->SetGPUEnabled(isOnDevice);
    field->SetGPUEnabled(isOnDevice);
    warper->SetGPUEnabled(isOnDevice);
    warper->Update();
  }

  typename itk::CudaSmoothingRecursiveGaussianImageFilter<TImage, TImage>::Pointer smoother =
    itk::CudaSmoothingRecursiveGaussianImageFilter<TImage, TImage>::New();
  typename itk::CudaTransformToDisplacementFieldFilter<TField, double>::Pointer field =
    itk::CudaTransformToDisplacementFieldFilter<TField, double>::New();
  typename itk::CudaWarpImageFilter<TImage, TImage, TField>::Pointer warper =
    itk::CudaWarpImageFilter<TImage, TImage, TField>::New();
};

} // namespace

TEST(CudaCommonGpu, APipelineCopiesNothing)
{
  CUDASPLINE_SKIP_WITHOUT_GPU();
  const auto image = MakeImage<Cuda>();
  image->GetCudaDataManager()->GetGPUBufferPointer(); // copies the pixels to the device; those of the host are outdated
  ASSERT_TRUE(IsOnlyOnDevice(image.GetPointer()));
  const Pipeline<Cuda, CudaField> pipeline(image, true);
  ASSERT_EQ(pipeline.warper->GetLastBackend(), itk::CudaSpline::Backend::Cuda) << pipeline.warper->GetFallbackReason();
  EXPECT_TRUE(IsOnlyOnDevice(image.GetPointer()));
  EXPECT_TRUE(IsOnlyOnDevice(pipeline.smoother->GetOutput()));
  EXPECT_TRUE(IsOnlyOnDevice(pipeline.field->GetOutput()));
  EXPECT_TRUE(IsOnlyOnDevice(pipeline.warper->GetOutput()));
  const auto                        plain = MakeImage<Plain>();
  const Pipeline<Plain, PlainField> host(plain, false);
  EXPECT_LT(LargestDifference(pipeline.warper->GetOutput(), host.warper->GetOutput()), 1e-3);
  EXPECT_EQ(LargestDifference(image, plain), 0.0) << "the input has changed";
}

TEST(CudaCommonGpu, PixelsOfTheHostAreCopied)
{
  CUDASPLINE_SKIP_WITHOUT_GPU();
  const Pipeline<Cuda, CudaField>   pipeline(MakeImage<Cuda>(), true);
  const Pipeline<Plain, PlainField> host(MakeImage<Plain>(), false);
  EXPECT_LT(LargestDifference(pipeline.warper->GetOutput(), host.warper->GetOutput()), 1e-3);
}

TEST(CudaCommonGpu, TheHostComputesAndTheOutputIsThere)
{
  CUDASPLINE_SKIP_WITHOUT_GPU();
  const auto image = MakeImage<Cuda>();
  image->GetCudaDataManager()->GetGPUBufferPointer();
  const Pipeline<Cuda, CudaField>   pipeline(image, false);
  const Pipeline<Plain, PlainField> host(MakeImage<Plain>(), false);
  ASSERT_EQ(pipeline.warper->GetLastBackend(), itk::CudaSpline::Backend::Cpu);
  EXPECT_FALSE(pipeline.warper->GetOutput()->GetCudaDataManager()->IsCPUBufferDirty());
  EXPECT_EQ(LargestDifference(pipeline.warper->GetOutput(), host.warper->GetOutput()), 0.0);
}

TEST(CudaCommonGpu, MemoryOutlivesItsFilterAndPassesThroughTheHost)
{
  CUDASPLINE_SKIP_WITHOUT_GPU();
  Cuda::Pointer warped;
  {
    const Pipeline<Cuda, CudaField> pipeline(MakeImage<Cuda>(), true);
    warped = pipeline.warper->GetOutput();
    warped->DisconnectPipeline();
  }
  ASSERT_TRUE(IsOnlyOnDevice(warped.GetPointer()));
  const Pipeline<Plain, PlainField> host(MakeImage<Plain>(), false);
  EXPECT_LT(LargestDifference(warped, host.warper->GetOutput()), 1e-3);
  warped->FillBuffer(2.0F); // on the host: the device is outdated
  const auto smoother = itk::CudaSmoothingRecursiveGaussianImageFilter<Cuda, Cuda>::New();
  smoother->SetInput(warped);
  smoother->SetSigma(1.5);
  smoother->SetGPUEnabled(true);
  smoother->Update();
  const Plain::IndexType middle{ { 20, 16, 10 } };
  EXPECT_NEAR(smoother->GetOutput()->GetPixel(middle), 2.0, 1e-5);
}

TEST(CudaCommonGpu, AFilterThatRunsInPlace)
{
  CUDASPLINE_SKIP_WITHOUT_GPU();
  const auto run = [](auto image, bool isOnDevice) {
    using Image = typename std::remove_reference_t<decltype(*image)>;
    const auto filter = itk::CudaRecursiveGaussianImageFilter<Image, Image>::New();
    filter->SetInput(image);
    filter->SetSigma(2.0);
    filter->SetInPlace(true);
    filter->SetGPUEnabled(isOnDevice);
    filter->Update();
    const typename Image::Pointer output = filter->GetOutput();
    output->DisconnectPipeline();
    return output;
  };
  const auto image = MakeImage<Cuda>();
  image->GetCudaDataManager()->GetGPUBufferPointer();
  EXPECT_LT(LargestDifference(run(image, true), run(MakeImage<Plain>(), false)), 1e-3);
}
