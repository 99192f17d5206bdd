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
// Pixels that stay on the device between two filters: how many bytes are copied, what filters of ITK and iterators see,
// and what is left when calls of CUDA fail. Runs on a GPU if there is one, otherwise on a simulated one, whose kernels
// do nothing (CudaShim.h): then only the copies are checked, not the numbers.

#include "ChildProcess.h"
#include "CudaShim.h"
#include "ScenarioSupport.h"

#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaComposeDisplacementFieldsImageFilter.h"
#include "itkCudaDemonsRegistrationFilter.h"
#include "itkCudaDeviceImage.h"
#include "itkCudaDisplacementFieldJacobianDeterminantFilter.h"
#include "itkCudaExponentialDisplacementFieldImageFilter.h"
#include "itkCudaGradientMagnitudeRecursiveGaussianImageFilter.h"
#include "itkCudaGradientRecursiveGaussianImageFilter.h"
#include "itkCudaInvertDisplacementFieldImageFilter.h"
#include "itkCudaRecursiveGaussianImageFilter.h"
#include "itkCudaResampleImageFilter.h"
#include "itkCudaSmoothingRecursiveGaussianImageFilter.h"
#include "itkCudaTransformToDisplacementFieldFilter.h"
#include "itkCudaWarpImageFilter.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/MemorySnapshot.h"
#include "itkCudaSpline/device/StagedCopy.h"

#include "itkAffineTransform.h"
#include "itkCastImageFilter.h"
#include "itkStreamingImageFilter.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

namespace
{

using Affine = itk::AffineTransform<double, 3>;

/** Small enough for a simulated device; the target size on a real one. */
itk::SizeValueType
SideOfImages()
{
  return ShimIsReal() ? 256 : 48;
}

std::size_t
BytesOf(const Floats * image)
{
  return image->GetBufferedRegion().GetNumberOfPixels() * sizeof(float);
}

bool
IsOnDevice(const itk::DataObject * image)
{
  const auto * const pixels = dynamic_cast<const itk::CudaSplineDetail::DevicePixels *>(image);
  return pixels != nullptr && pixels->IsOnDevice();
}

Affine::Pointer
MakeRotation(double angle)
{
  auto affine = Affine::New();
  affine->Rotate(0, 1, angle);
  return affine;
}

/** Resampling, smoothing, magnitude of the gradient, and a warp with the field of a transform. */
struct ImagePipeline
{
  explicit ImagePipeline(Floats * image, bool isOnDevice = true)
  {
    resampler->SetInput(image);
    resampler->SetTransform(MakeRotation(0.1));
    resampler->SetReferenceImage(image);
    resampler->UseReferenceImageOn();
    smoother->SetInput(resampler->GetOutput());
    smoother->SetSigma(2.0);
    magnitude->SetInput(smoother->GetOutput());
    magnitude->SetSigma(1.5);
    field->SetTransform(MakeRotation(-0.05));
    field->SetReferenceImage(image);
    field->UseReferenceImageOn();
    warper->SetInput(magnitude->GetOutput());
    warper->SetDisplacementField(field->GetOutput());
    warper->SetOutputParametersFromImage(image);
    resampler->SetGPUEnabled(isOnDevice);
    smoother->SetGPUEnabled(isOnDevice);
    magnitude->SetGPUEnabled(isOnDevice);
    field->SetGPUEnabled(isOnDevice);
    warper->SetGPUEnabled(isOnDevice);
  }

  /** Computes everything again. */
  void
  Run() const
  {
    resampler->Modified();
    field->Modified();
    warper->Update();
  }

  itk::CudaResampleImageFilter<Floats, Floats>::Pointer resampler = itk::CudaResampleImageFilter<Floats, Floats>::New();
  itk::CudaSmoothingRecursiveGaussianImageFilter<Floats, Floats>::Pointer smoother =
    itk::CudaSmoothingRecursiveGaussianImageFilter<Floats, Floats>::New();
  itk::CudaGradientMagnitudeRecursiveGaussianImageFilter<Floats, Floats>::Pointer magnitude =
    itk::CudaGradientMagnitudeRecursiveGaussianImageFilter<Floats, Floats>::New();
  itk::CudaTransformToDisplacementFieldFilter<Vectors, double>::Pointer field =
    itk::CudaTransformToDisplacementFieldFilter<Vectors, double>::New();
  itk::CudaWarpImageFilter<Floats, Floats, Vectors>::Pointer warper =
    itk::CudaWarpImageFilter<Floats, Floats, Vectors>::New();
};

class DeviceImagesFault : public testing::Test
{
protected:
  void
  TearDown() override
  {
    DisarmShim();
    HinderShim();
  }

  Floats::Pointer m_Image = MakeImage<Floats>({ { SideOfImages(), SideOfImages(), SideOfImages() } });
};

/** Returns the numbers of an image that is computed on the host. */
std::vector<double>
NumbersOfHost(Floats * image)
{
  const ImagePipeline pipeline(image, false);
  pipeline.Run();
  return NumbersOf(pipeline.warper->GetOutput());
}

double
SecondsOf(const std::function<void()> & run)
{
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/** Returns the seconds of a copy of an image to a device and back, in allocated memory. */
double
SecondsOfCopies(Floats * image)
{
  using namespace itk::CudaSpline;
  const itk::CudaSplineHostExecutor executor(itk::MultiThreaderBase::New());
  ExecutionContext                  context;
  context.backend = Backend::Cuda;
  context.host = &executor;
  const Residence     residence(context);
  const ResidentArray there(BytesOf(image), residence);
  double              best = 1e30;
  for (int repeat = 0; repeat < 10; ++repeat)
  {
    best = std::min(best, SecondsOf([&] {
                      Upload(there.Data(), image->GetBufferPointer(), BytesOf(image), residence);
                      residence.Wait();
                      Download(image->GetBufferPointer(), there.Data(), BytesOf(image), residence);
                    }));
  }
  return best;
}

} // namespace

/** The first test: its process is a child of one that has not used CUDA. */
TEST(DeviceImagesFaultLoss, AnUpdateAfterALossComputesThePixelsAgain)
{
  EXPECT_EQ(InChild([]() -> std::string {
              using Smoother = itk::CudaSmoothingRecursiveGaussianImageFilter<Floats, Floats>;
              const auto first = Smoother::New();
              const auto second = Smoother::New();
              first->SetInput(MakeImage<Floats>());
              second->SetInput(first->GetOutput());
              first->SetGPUEnabled(true);
              second->SetGPUEnabled(true);
              second->Update();
              if (!IsOnDevice(first->GetOutput()))
              {
                return "the image is not on the device";
              }
              Fault loss;
              loss.at = 0;
              loss.error = cudaErrorIllegalAddress;
              loss.sticky = true;
              ArmShim(loss);
              std::string message;
              try
              {
                first->GetOutput()->GetBufferPointer();
              }
              catch (const itk::ExceptionObject & error)
              {
                message = error.GetDescription();
              }
              if (message.find("The pixels are lost") == std::string::npos)
              {
                return "the message is \"" + message + "\"";
              }
              second->Modified();
              second->Update();
              const bool isOfHost = first->GetLastBackend() == Backend::Cpu && second->GetLastBackend() == Backend::Cpu;
              return isOfHost ? "" : "the host has not computed the images again";
            }),
            "");
}

TEST_F(DeviceImagesFault, APipelineCopiesOneImageToTheDeviceAndOneBack)
{
  const ImagePipeline pipeline(m_Image);
  pipeline.Run(); // one-time initializations of a process
  ArmShim(Fault());
  pipeline.Run();
  DisarmShim();
  ASSERT_EQ(pipeline.warper->GetLastBackend(), Backend::Cuda) << pipeline.warper->GetFallbackReason();
  const CopiedBytes copied = GetCopiedBytes();
  const std::size_t bytes = BytesOf(m_Image);
  // Parameters; the device computes the scanline ends of the resampling and of the field.
  EXPECT_GE(copied.toDevice, bytes);
  EXPECT_LE(copied.toDevice, bytes + 4096);
  EXPECT_EQ(CallsOf("cudaMemGetInfo"), 5) << "once for each filter";
  EXPECT_GE(copied.toHost, bytes);
  EXPECT_LE(copied.toHost, bytes + 4096);
  EXPECT_TRUE(IsOnDevice(pipeline.resampler->GetOutput()));
  EXPECT_TRUE(IsOnDevice(pipeline.smoother->GetOutput()));
  EXPECT_TRUE(IsOnDevice(pipeline.magnitude->GetOutput()));
  EXPECT_TRUE(IsOnDevice(pipeline.field->GetOutput()));
  EXPECT_FALSE(IsOnDevice(pipeline.warper->GetOutput()));
  // An estimate of the next call does not count this as an upload.
  EXPECT_EQ(itk::CudaSplineDetail::CountBytesOnDevice(*pipeline.magnitude, 0), bytes);
  EXPECT_EQ(itk::CudaSplineDetail::CountBytesOnDevice(*pipeline.warper, 0), 4 * bytes);
  EXPECT_EQ(itk::CudaSplineDetail::CountBytesOnDevice(*pipeline.warper, 1), 0U);
}

TEST_F(DeviceImagesFault, ThePipelineHasTheNumbersOfTheHost)
{
  if (!ShimIsReal())
  {
    GTEST_SKIP() << "kernels of a simulated device compute nothing";
  }
  const ImagePipeline pipeline(m_Image);
  pipeline.Run();
  EXPECT_LE(LargestDifference(NumbersOf(pipeline.warper->GetOutput()), NumbersOfHost(m_Image)), 1e-4);
}

TEST_F(DeviceImagesFault, ABufferOfAnIntermediateImageIsCopiedOnce)
{
  const ImagePipeline pipeline(m_Image);
  pipeline.Run();
  Floats * const smooth = pipeline.smoother->GetOutput();
  ASSERT_TRUE(IsOnDevice(smooth));
  ArmShim(Fault());
  const std::vector<double> numbers = NumbersOf(smooth);
  EXPECT_EQ(GetCopiedBytes().toHost, BytesOf(m_Image));
  EXPECT_FALSE(IsOnDevice(smooth));
  EXPECT_EQ(NumbersOf(smooth), numbers);
  EXPECT_EQ(GetCopiedBytes().toHost, BytesOf(m_Image));
  DisarmShim();
  if (ShimIsReal())
  {
    const ImagePipeline host(m_Image, false);
    host.smoother->Update();
    EXPECT_LE(LargestDifference(numbers, NumbersOf(host.smoother->GetOutput())), 1e-4);
  }
}

TEST_F(DeviceImagesFault, AnUpdateOfAnIntermediateImageMovesItToTheHost)
{
  const ImagePipeline pipeline(m_Image);
  pipeline.Run();
  pipeline.smoother->Update();
  EXPECT_FALSE(IsOnDevice(pipeline.smoother->GetOutput()));
  EXPECT_TRUE(IsOnDevice(pipeline.magnitude->GetOutput()));
}

TEST_F(DeviceImagesFault, AFilterOfItkGetsItsInputOnTheHost)
{
  using Doubles3 = itk::Image<double, 3>;
  const ImagePipeline pipeline(m_Image);
  pipeline.Run();
  const auto cast = itk::CastImageFilter<Floats, Doubles3>::New();
  cast->SetInput(pipeline.smoother->GetOutput());
  cast->Update();
  EXPECT_FALSE(IsOnDevice(pipeline.smoother->GetOutput()));
  EXPECT_EQ(NumbersOf(cast->GetOutput()), NumbersOf(pipeline.smoother->GetOutput()));
  EXPECT_TRUE(IsOnDevice(pipeline.resampler->GetOutput()));
}

TEST_F(DeviceImagesFault, ASecondFilterOfTheModuleReadsTheSameMemory)
{
  const ImagePipeline pipeline(m_Image);
  pipeline.Run();
  const auto second = itk::CudaSmoothingRecursiveGaussianImageFilter<Floats, Floats>::New();
  second->SetInput(pipeline.smoother->GetOutput());
  second->SetGPUEnabled(true);
  ArmShim(Fault());
  second->Update();
  DisarmShim();
  EXPECT_EQ(second->GetLastBackend(), Backend::Cuda);
  EXPECT_LE(GetCopiedBytes().toDevice, 65536U);
  EXPECT_EQ(GetCopiedBytes().toHost, BytesOf(m_Image));
  EXPECT_TRUE(IsOnDevice(pipeline.smoother->GetOutput()));
}

TEST_F(DeviceImagesFault, FiltersThatRunInPlaceCopyNothingBetween)
{
  using Filter = itk::CudaRecursiveGaussianImageFilter<Floats, Floats>;
  std::vector<Filter::Pointer> filters;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    filters.push_back(Filter::New());
    filters.back()->SetInput(axis == 0 ? m_Image.GetPointer() : filters[axis - 1]->GetOutput());
    filters.back()->SetDirection(axis);
    filters.back()->SetSigma(2.0);
    filters.back()->SetGPUEnabled(true);
    filters.back()->SetInPlace(axis != 0);
  }
  ArmShim(Fault());
  filters.back()->Update();
  DisarmShim();
  EXPECT_EQ(filters.back()->GetLastBackend(), Backend::Cuda) << filters.back()->GetFallbackReason();
  EXPECT_LE(GetCopiedBytes().toDevice, BytesOf(m_Image) + 65536);
  EXPECT_EQ(GetCopiedBytes().toHost, BytesOf(m_Image));
  EXPECT_FALSE(IsOnDevice(filters.front()->GetOutput())) << "a later filter has overwritten its image";
  if (ShimIsReal())
  {
    for (const auto & filter : filters)
    {
      filter->SetGPUEnabled(false);
    }
    const std::vector<double> numbers = NumbersOf(filters.back()->GetOutput());
    filters.back()->Update();
    EXPECT_EQ(NumbersOf(filters.back()->GetOutput()), numbers);
  }
}

TEST_F(DeviceImagesFault, OperationsOnFieldsCopyNothingBetween)
{
  const auto field = itk::CudaTransformToDisplacementFieldFilter<Vectors, double>::New();
  const auto exponential = itk::CudaExponentialDisplacementFieldImageFilter<Vectors, Vectors>::New();
  const auto inverse = itk::CudaInvertDisplacementFieldImageFilter<Vectors, Vectors>::New();
  const auto composition = itk::CudaComposeDisplacementFieldsImageFilter<Vectors, Vectors>::New();
  const auto determinant = itk::CudaDisplacementFieldJacobianDeterminantFilter<Vectors, float>::New();
  const auto image = MakeImage<Floats>();
  const auto run = [&](bool isOnDevice) {
    field->SetTransform(MakeRotation(0.01));
    field->SetReferenceImage(image);
    field->UseReferenceImageOn();
    exponential->SetInput(field->GetOutput());
    inverse->SetInput(exponential->GetOutput());
    composition->SetDisplacementField(inverse->GetOutput());
    composition->SetWarpingField(exponential->GetOutput());
    determinant->SetInput(composition->GetOutput());
    field->SetGPUEnabled(isOnDevice);
    exponential->SetGPUEnabled(isOnDevice);
    inverse->SetGPUEnabled(isOnDevice);
    composition->SetGPUEnabled(isOnDevice);
    determinant->SetGPUEnabled(isOnDevice);
    determinant->Update();
    return NumbersOf(determinant->GetOutput());
  };
  ArmShim(Fault());
  const std::vector<double> numbers = run(true);
  DisarmShim();
  EXPECT_EQ(determinant->GetLastBackend(), Backend::Cuda) << determinant->GetFallbackReason();
  EXPECT_TRUE(IsOnDevice(field->GetOutput()));
  EXPECT_TRUE(IsOnDevice(exponential->GetOutput()));
  EXPECT_TRUE(IsOnDevice(inverse->GetOutput()));
  EXPECT_TRUE(IsOnDevice(composition->GetOutput()));
  const std::size_t lines = image->GetBufferedRegion().GetSize(1) * image->GetBufferedRegion().GetSize(2);
  EXPECT_LE(GetCopiedBytes().toDevice, lines * 2 * 3 * sizeof(double) + 1024);
  EXPECT_LE(GetCopiedBytes().toHost, BytesOf(image) + 1024);
  if (ShimIsReal())
  {
    EXPECT_LE(LargestDifference(numbers, run(false)), 1e-5);
  }
}

TEST_F(DeviceImagesFault, CoefficientsAndGradientsStay)
{
  using Gradients = itk::Image<itk::CovariantVector<float, 3>, 3>;
  const auto image = MakeImage<Floats>();
  const auto coefficients = itk::CudaBSplineDecompositionImageFilter<Floats, Floats>::New();
  const auto gradient = itk::CudaGradientRecursiveGaussianImageFilter<Floats, Gradients>::New();
  const auto resampler = itk::CudaResampleImageFilter<Gradients, Gradients>::New();
  const auto run = [&](bool isOnDevice) {
    coefficients->SetInput(image);
    gradient->SetInput(coefficients->GetOutput());
    gradient->SetSigma(1.5);
    resampler->SetInput(gradient->GetOutput());
    resampler->SetTransform(MakeRotation(0.1));
    resampler->SetReferenceImage(image);
    resampler->UseReferenceImageOn();
    coefficients->SetGPUEnabled(isOnDevice);
    gradient->SetGPUEnabled(isOnDevice);
    resampler->SetGPUEnabled(isOnDevice);
    resampler->Update();
    return NumbersOf(resampler->GetOutput());
  };
  ArmShim(Fault());
  const std::vector<double> numbers = run(true);
  DisarmShim();
  EXPECT_TRUE(IsOnDevice(coefficients->GetOutput()));
  EXPECT_TRUE(IsOnDevice(gradient->GetOutput()));
  EXPECT_EQ(GetCopiedBytes().toHost, 3 * BytesOf(image));
  if (ShimIsReal())
  {
    EXPECT_LE(LargestDifference(numbers, run(false)), 1e-4);
  }
}

TEST_F(DeviceImagesFault, TheFieldOfARegistrationStays)
{
  const auto image = MakeImage<Floats>();
  const auto demons = itk::CudaDemonsRegistrationFilter<Floats, Floats, Vectors>::New();
  const auto warper = itk::CudaWarpImageFilter<Floats, Floats, Vectors>::New();
  const auto run = [&](bool isOnDevice) {
    demons->SetFixedImage(image);
    demons->SetMovingImage(MakeImage<Floats>());
    demons->SetNumberOfIterations(3);
    warper->SetInput(image);
    warper->SetDisplacementField(demons->GetOutput());
    warper->SetOutputParametersFromImage(image);
    demons->SetGPUEnabled(isOnDevice);
    warper->SetGPUEnabled(isOnDevice);
    warper->Update();
    return NumbersOf(warper->GetOutput());
  };
  ArmShim(Fault());
  const std::vector<double> numbers = run(true);
  DisarmShim();
  EXPECT_EQ(demons->GetLastBackend(), Backend::Cuda) << demons->GetFallbackReason();
  EXPECT_TRUE(IsOnDevice(demons->GetOutput()));
  EXPECT_GE(GetCopiedBytes().toHost, BytesOf(image));
  EXPECT_LE(GetCopiedBytes().toHost, BytesOf(image) + 4096);
  if (ShimIsReal())
  {
    EXPECT_LE(LargestDifference(numbers, run(false)), 1e-3);
  }
}

TEST_F(DeviceImagesFault, AResamplingInPiecesReadsTheHost)
{
  const ImagePipeline pipeline(m_Image);
  const auto          resampler = itk::CudaResampleImageFilter<Floats, Floats>::New();
  resampler->SetInput(pipeline.smoother->GetOutput());
  resampler->SetTransform(MakeRotation(0.2));
  resampler->SetReferenceImage(m_Image);
  resampler->UseReferenceImageOn();
  resampler->SetGPUEnabled(true);
  resampler->SetMemoryLimit(BytesOf(m_Image) / 2);
  const auto last = itk::CudaSmoothingRecursiveGaussianImageFilter<Floats, Floats>::New();
  last->SetInput(resampler->GetOutput());
  last->SetGPUEnabled(true);
  last->Update();
  EXPECT_EQ(resampler->GetLastBackend(), Backend::Cuda) << resampler->GetFallbackReason();
  EXPECT_GT(resampler->GetNumberOfPieces(), 1U);
  EXPECT_FALSE(IsOnDevice(pipeline.smoother->GetOutput()));
  EXPECT_FALSE(IsOnDevice(resampler->GetOutput()));
  if (ShimIsReal())
  {
    const std::vector<double> numbers = NumbersOf(resampler->GetOutput());
    resampler->SetMemoryLimit(0);
    resampler->Update();
    EXPECT_EQ(NumbersOf(resampler->GetOutput()), numbers);
  }
}

TEST_F(DeviceImagesFault, AReleasedImageLeavesNoMemoryOnTheDevice)
{
  const ImagePipeline pipeline(m_Image);
  pipeline.resampler->ReleaseDataFlagOn();
  pipeline.smoother->ReleaseDataFlagOn();
  pipeline.magnitude->ReleaseDataFlagOn();
  pipeline.field->ReleaseDataFlagOn();
  pipeline.Run();
  EXPECT_FALSE(IsOnDevice(pipeline.smoother->GetOutput()));
  EXPECT_TRUE(pipeline.smoother->GetOutput()->GetDataReleased());
  EXPECT_EQ(AllocatedBytes(), 0U);
}

TEST_F(DeviceImagesFault, PixelsThatWereChangedOnTheHostAreUploadedAgain)
{
  const ImagePipeline pipeline(m_Image);
  pipeline.Run();
  Floats * const smooth = pipeline.smoother->GetOutput();
  for (itk::ImageRegionIterator<Floats> it(smooth, smooth->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(3.0F);
  }
  smooth->Modified();
  ArmShim(Fault());
  pipeline.warper->Update();
  DisarmShim();
  EXPECT_GE(GetCopiedBytes().toDevice, BytesOf(m_Image));
  if (ShimIsReal())
  {
    const auto numbers = NumbersOf(pipeline.magnitude->GetOutput());
    EXPECT_LE(*std::max_element(numbers.begin(), numbers.end()), 1e-4) << "the magnitude of a constant image";
  }
}

TEST_F(DeviceImagesFault, AStreamedPipelineEndsOnTheHost)
{
  const ImagePipeline pipeline(m_Image);
  const auto          streamer = itk::StreamingImageFilter<Floats, Floats>::New();
  streamer->SetInput(pipeline.warper->GetOutput());
  streamer->SetNumberOfStreamDivisions(4);
  streamer->Update();
  if (ShimIsReal())
  {
    EXPECT_LE(LargestDifference(NumbersOf(streamer->GetOutput()), NumbersOfHost(m_Image)), 1e-4);
  }
  EXPECT_FALSE(IsOnDevice(pipeline.warper->GetOutput()));
}

TEST_F(DeviceImagesFault, TheUserCanKeepImagesOnTheHost)
{
  setenv("CUDASPLINE_IMAGES_ON_DEVICE", "0", 1);
  const ImagePipeline pipeline(m_Image);
  pipeline.Run();
  unsetenv("CUDASPLINE_IMAGES_ON_DEVICE");
  EXPECT_FALSE(IsOnDevice(pipeline.smoother->GetOutput()));
  EXPECT_FALSE(IsOnDevice(pipeline.field->GetOutput()));
}

TEST_F(DeviceImagesFault, LittleMemoryIsLeftToTheOperations)
{
  const ImagePipeline pipeline(m_Image);
  Hindrance           little;
  little.free = 12 * BytesOf(m_Image);
  HinderShim(little);
  pipeline.Run();
  EXPECT_EQ(pipeline.field->GetLastBackend(), Backend::Cuda) << pipeline.field->GetFallbackReason();
  EXPECT_FALSE(IsOnDevice(pipeline.field->GetOutput())) << "three images are more than a quarter of the memory";
  EXPECT_TRUE(IsOnDevice(pipeline.smoother->GetOutput()));
}

TEST_F(DeviceImagesFault, ASnapshotAsksForFreeMemoryOnce)
{
  using itk::CudaSpline::AvailableDeviceMemory;
  using itk::CudaSpline::MemorySnapshot;
  const std::size_t before = AvailableDeviceMemory(0);
  Hindrance         little;
  little.free = std::size_t{ 1 } << 20;
  {
    const MemorySnapshot outer;
    EXPECT_GE(AvailableDeviceMemory(0), before);
    HinderShim(little);
    EXPECT_GE(AvailableDeviceMemory(0), before);
    {
      const MemorySnapshot inner; // of a nested operation
      EXPECT_LT(AvailableDeviceMemory(0), little.free);
    }
    EXPECT_GE(AvailableDeviceMemory(0), before);
    MemorySnapshot::Forget();
    EXPECT_LT(AvailableDeviceMemory(0), little.free);
  }
  HinderShim();
  EXPECT_GE(AvailableDeviceMemory(0), before);
}

/** Every call of a short pipeline fails in turn. */
TEST(DeviceImagesFaultInjection, AFailedCallLeavesTheRightPixels)
{
  using Smoother = itk::CudaSmoothingRecursiveGaussianImageFilter<Floats, Floats>;
  const auto image = MakeImage<Floats>();
  const auto host = Smoother::New();
  const auto reference = Smoother::New();
  host->SetGPUEnabled(false);
  reference->SetGPUEnabled(false);
  host->SetInput(image);
  reference->SetInput(host->GetOutput());
  reference->Update();
  const std::vector<double> expected = NumbersOf(reference->GetOutput());
  std::int64_t              calls = 0;
  for (std::int64_t at = -1; at < calls; ++at)
  {
    const auto first = Smoother::New();
    const auto second = Smoother::New();
    first->SetInput(image);
    second->SetInput(first->GetOutput());
    first->SetGPUEnabled(true);
    second->SetGPUEnabled(true);
    Fault fault;
    fault.at = at;
    fault.error = cudaErrorMemoryAllocation;
    ArmShim(fault);
    try
    {
      second->Update();
    }
    catch (const itk::ExceptionObject & error)
    {
      EXPECT_NE(std::string(error.GetDescription()).find("The pixels are lost"), std::string::npos) << error;
      EXPECT_TRUE(first->GetOutput()->GetDataReleased());
      DisarmShim();
      second->Update();
    }
    calls = std::max(calls, DisarmShim());
    // A simulated device computes nothing: the numbers equal those of the host only if both filters ran there.
    const bool isOfHost = first->GetLastBackend() == Backend::Cpu && second->GetLastBackend() == Backend::Cpu;
    if (ShimIsReal() || isOfHost)
    {
      EXPECT_LE(LargestDifference(NumbersOf(second->GetOutput()), expected), 0.0) << at << ": " << FailedCall();
    }
    first->Modified();
    second->Update();
    EXPECT_EQ(second->GetLastBackend(), Backend::Cuda) << at << ": " << second->GetFallbackReason();
  }
  EXPECT_GT(calls, 20);
  ReleaseWhatIsKept();
  EXPECT_EQ(AllocatedBytes(), 0U);
}

/** Times at which a filter of a pipeline started and finished generating its data, from its events. */
class FilterTime
{
public:
  explicit FilterTime(itk::ProcessObject * filter)
    : m_Name(filter->GetNameOfClass())
  {
    filter->AddObserver(itk::StartEvent(), [this](const itk::EventObject &) { m_Begin = Clock::now(); });
    filter->AddObserver(itk::EndEvent(), [this](const itk::EventObject &) { m_End = Clock::now(); });
  }

  /** Prints the time since the previous event, and the time of the filter. Returns its end. */
  std::chrono::steady_clock::time_point
  Print(std::chrono::steady_clock::time_point before) const
  {
    std::cout << "  " << m_Name << ": " << Milliseconds(m_Begin - before) << " ms before it, "
              << Milliseconds(m_End - m_Begin) << " ms in it" << std::endl;
    return m_End;
  }

  static double
  Milliseconds(std::chrono::steady_clock::duration time)
  {
    return std::chrono::duration<double>(time).count() * 1e3;
  }

private:
  using Clock = std::chrono::steady_clock;
  std::string       m_Name;
  Clock::time_point m_Begin;
  Clock::time_point m_End;
};

/** Prints times, and asserts nothing. Run it with --gtest_also_run_disabled_tests. On a simulated device, whose kernels
 * take no time, it prints the time of the host and of copies within its memory. */
TEST(DeviceImagesTime, DISABLED_TimeOfThePipeline)
{
  const auto          image = MakeImage<Floats>({ { 256, 256, 256 } });
  const ImagePipeline pipeline(image);
  const auto          timeOf = [&] {
    double best = 1e30;
    for (int repeat = 0; repeat < 20; ++repeat)
    {
      best = std::min(best, SecondsOf([&] { pipeline.Run(); }));
    }
    return best;
  };
  pipeline.Run();
  const double whole = timeOf();
  setenv("CUDASPLINE_IMAGES_ON_DEVICE", "0", 1);
  pipeline.Run();
  const double separate = timeOf();
  unsetenv("CUDASPLINE_IMAGES_ON_DEVICE");
  pipeline.Run();
  double kernels = 0.0;
  if (ShimIsReal())
  {
    BeginKernelTimes();
    pipeline.Run();
    kernels = EndKernelTimes();
  }
  const double copies = SecondsOfCopies(image);
  std::cout << "pipeline " << whole * 1e3 << " ms; with images on the host " << separate * 1e3 << " ms; kernels "
            << kernels * 1e3 << " ms; two copies " << copies * 1e3 << " ms; ratio " << whole / (kernels + copies)
            << std::endl;

  const FilterTime times[] = { FilterTime(pipeline.resampler.GetPointer()),
                               FilterTime(pipeline.smoother.GetPointer()),
                               FilterTime(pipeline.magnitude.GetPointer()),
                               FilterTime(pipeline.field.GetPointer()),
                               FilterTime(pipeline.warper.GetPointer()) };
  for (int repeat = 0; repeat < 3; ++repeat)
  {
    auto before = std::chrono::steady_clock::now();
    std::cout << "one run, " << SecondsOf([&] { pipeline.Run(); }) * 1e3 << " ms" << std::endl;
    for (const FilterTime & time : times)
    {
      before = time.Print(before);
    }
  }
  std::cout << "calls of CUDA of the main thread in one run: number, ms" << std::endl;
  BeginCallTimes();
  pipeline.Run();
  for (const auto & [name, time] : EndCallTimes())
  {
    std::cout << "  " << name << ' ' << time.calls << ' ' << time.seconds * 1e3 << std::endl;
  }
}
