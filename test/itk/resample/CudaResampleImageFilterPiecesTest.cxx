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
// Updates that are divided into pieces, and plans. Expected: the bits of an update without a limit on the same backend,
// the pieces of the plan, and a GetPlan() that describes what the update then does.

#include "ResampleTestSupport.h"

#include "itkBSplineTransform.h"
#include "itkDisplacementFieldTransform.h"
#include "itkEuler3DTransform.h"
#include "itkStreamingImageFilter.h"

#include <cstdlib>
#include <sstream>

using namespace CudaSplineTest;

namespace
{

using PieceImage = itk::Image<short, 3>;
using PieceOutput = itk::Image<float, 3>;
using PieceFilter = itk::CudaResampleImageFilter<PieceImage, PieceOutput>;

/** Returns an image that is long enough for shorter windows of coefficients. */
PieceImage::Pointer
LongImage(bool allocate = true)
{
  auto                  image = PieceImage::New();
  PieceImage::IndexType start{ { -3, 2, 5 } };
  PieceImage::SizeType  size{ { 31, 27, 310 } };
  image->SetRegions(PieceImage::RegionType(start, size));
  image->SetSpacing(PieceImage::SpacingType(1.1));
  if (allocate)
  {
    image->Allocate();
    for (itk::ImageRegionIteratorWithIndex<PieceImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
    {
      const auto index = it.GetIndex();
      it.Set(static_cast<short>(1000.0 * std::sin(0.3 * index[0] + 0.7 * index[2]) + 70.0 * (index[1] % 5)));
    }
  }
  return image;
}

/** Returns a limit below the memory of the 259,470 samples: unchanged, as floats, or twice as floats while they are
 * filtered. */
std::size_t
LimitFor(const Interpolator & interpolator)
{
  return interpolator.name == "NearestNeighborInterpolateImageFunction" ? 450000
                                                                        : (interpolator.order < 2 ? 900000 : 1900000);
}

class CudaResampleImageFilterPiecesTest : public OnEachBackend
{
protected:
  PieceFilter::Pointer
  NewFilter(const PieceImage * input, const Interpolator & interpolator) const
  {
    auto filter = PieceFilter::New();
    filter->SetGPUEnabled(this->OnGpu());
    filter->SetInput(input);
    filter->SetInterpolator(MakeInterpolator<PieceFilter>(interpolator, false));
    filter->SetSize(PieceImage::SizeType{ { 37, 29, 290 } });
    filter->SetOutputStartIndex(PieceImage::IndexType{ { 2, -3, 1 } });
    filter->SetOutputSpacing(PieceImage::SpacingType(1.2));
    filter->SetDefaultPixelValue(-1000.0F);
    return filter;
  }

  /** Updates with a limit; expects pieces in the plan, and the bits of \p whole. */
  static void
  ExpectPieces(PieceFilter * filter, const PieceOutput * whole, std::size_t limit)
  {
    filter->SetMemoryLimit(limit);
    const itk::CudaSplineResamplePlan plan = filter->GetPlan();
    filter->Update();
    EXPECT_GT(filter->GetNumberOfPieces(), 1u) << filter->GetFallbackReason();
    EXPECT_EQ(plan.pieces, filter->GetNumberOfPieces());
    EXPECT_EQ(plan.backend, filter->GetLastBackend());
    EXPECT_LE(plan.deviceBytes, limit);
    EXPECT_EQ(Compare(filter->GetOutput(), whole).count, 0);
  }
};

PieceOutput::Pointer
WholeOf(PieceFilter * filter)
{
  filter->SetMemoryLimit(0);
  filter->Update();
  EXPECT_EQ(filter->GetNumberOfPieces(), 1u);
  const PieceOutput::Pointer whole = filter->GetOutput();
  whole->DisconnectPipeline();
  return whole;
}

TEST_P(CudaResampleImageFilterPiecesTest, SameBitsUnderALinearTransform)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto input = LongImage();
  for (const Interpolator & interpolator : EveryInterpolator)
  {
    for (const bool extrapolated : { false, true })
    {
      const auto filter = this->NewFilter(input, interpolator);
      auto       euler = itk::Euler3DTransform<double>::New();
      euler->SetRotation(0.01, -0.02, 0.3);
      filter->SetTransform(euler);
      if (extrapolated)
      {
        filter->SetExtrapolator(itk::NearestNeighborExtrapolateImageFunction<PieceImage, double>::New());
      }
      const auto whole = WholeOf(filter);
      ExpectPieces(filter, whole, LimitFor(interpolator));
    }
  }
}

TEST_P(CudaResampleImageFilterPiecesTest, SameBitsUnderTransformsThatAreNotLinear)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto input = LongImage();
  auto       spline = itk::BSplineTransform<double, 3, 3>::New();
  spline->SetTransformDomainPhysicalDimensions(itk::Vector<double, 3>(300.0));
  spline->SetTransformDomainMeshSize(itk::Size<3>{ { 4, 4, 9 } });
  auto parameters = spline->GetParameters();
  for (unsigned int i = 0; i < parameters.Size(); ++i)
  {
    parameters[i] = std::sin(0.7 * i);
  }
  spline->SetParameters(parameters);
  auto                   displacement = itk::DisplacementFieldTransform<double, 3>::New();
  auto                   field = itk::Image<itk::Vector<double, 3>, 3>::New();
  itk::Vector<double, 3> shift;
  field->SetRegions(itk::Size<3>{ { 9, 8, 30 } });
  field->SetSpacing(itk::Vector<double, 3>(10.0));
  field->Allocate();
  for (itk::ImageRegionIteratorWithIndex<itk::Image<itk::Vector<double, 3>, 3>> it(field, field->GetBufferedRegion());
       !it.IsAtEnd();
       ++it)
  {
    shift.Fill(std::sin(static_cast<double>(it.GetIndex()[2] + it.GetIndex()[0])));
    it.Set(shift);
  }
  displacement->SetDisplacementField(field);
  for (const Interpolator & interpolator : { EveryInterpolator[0], EveryInterpolator[1], EveryInterpolator[5] })
  {
    for (const itk::Transform<double, 3, 3> * const transform :
         { static_cast<const itk::Transform<double, 3, 3> *>(spline.GetPointer()),
           static_cast<const itk::Transform<double, 3, 3> *>(displacement.GetPointer()) })
    {
      const auto filter = this->NewFilter(input, interpolator);
      filter->SetTransform(transform);
      const auto whole = WholeOf(filter);
      ExpectPieces(filter, whole, LimitFor(interpolator));
    }
  }
}

TEST_P(CudaResampleImageFilterPiecesTest, RegionsAreCutToo)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto filter = this->NewFilter(LongImage(), EveryInterpolator[5]);
  const auto whole = WholeOf(filter);
  filter->SetMemoryLimit(LimitFor(EveryInterpolator[5]));
  auto streamer = itk::StreamingImageFilter<PieceOutput, PieceOutput>::New();
  streamer->SetInput(filter->GetOutput());
  streamer->SetNumberOfStreamDivisions(3);
  streamer->Update();
  EXPECT_EQ(Compare(streamer->GetOutput(), whole.GetPointer()).count, 0);
}

TEST_P(CudaResampleImageFilterPiecesTest, WhatCannotBeCutIsDoneByTheHostAtOnce)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto filter = this->NewFilter(LongImage(), EveryInterpolator[5]);
  const auto whole = WholeOf(filter);
  filter->SetMemoryLimit(20000); // less than a segment of each axis
  const itk::CudaSplineResamplePlan plan = filter->GetPlan();
  filter->Update();
  EXPECT_EQ(filter->GetLastBackend(), itk::CudaSpline::Backend::Cpu);
  EXPECT_EQ(filter->GetNumberOfPieces(), 1u);
  EXPECT_EQ(plan.backend, itk::CudaSpline::Backend::Cpu);
  EXPECT_EQ(plan.pieces, 1u);
  if (this->OnGpu())
  {
    EXPECT_NE(filter->GetFallbackReason().find("one sample"), std::string::npos) << filter->GetFallbackReason();
  }
  else
  {
    EXPECT_EQ(Compare(filter->GetOutput(), whole.GetPointer()).count, 0);
  }
}

TEST_P(CudaResampleImageFilterPiecesTest, ThePlanNeedsNoPixels)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto filter = this->NewFilter(LongImage(false), EveryInterpolator[5]);
  filter->SetMemoryLimit(LimitFor(EveryInterpolator[5]));
  const itk::CudaSplineResamplePlan plan = filter->GetPlan();
  EXPECT_EQ(filter->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 0u) << "nothing is allocated";
  EXPECT_GT(plan.pieces, 1u);
  EXPECT_GT(plan.seconds, 0.0);
  const bool onGpu = this->OnGpu();
  EXPECT_EQ(plan.backend, onGpu ? itk::CudaSpline::Backend::Cuda : itk::CudaSpline::Backend::Cpu);
  EXPECT_EQ(plan.devices, onGpu ? std::vector<int>{ 0 } : std::vector<int>{});
  EXPECT_EQ(plan.downloadBytes, onGpu ? 37u * 29 * 290 * sizeof(float) : 0u);
  EXPECT_EQ(plan.uploadBytes > 31u * 27 * 310 * sizeof(short) / 2, onGpu);
  EXPECT_EQ(plan.slabs >= static_cast<std::int64_t>(plan.pieces), onGpu);
  std::ostringstream text;
  text << plan;
  for (const char * const word : { "int16 31x27x310", "backend: ", "pieces: ", "estimate: " })
  {
    EXPECT_NE(text.str().find(word), std::string::npos) << text.str();
  }
  EXPECT_EQ(text.str().find("device memory") != std::string::npos, onGpu) << text.str();
}

CUDASPLINE_ON_EACH_BACKEND(CudaResampleImageFilterPiecesTest);

/** This class is not one of ITK's, so the module does not recognise it. */
class UnknownInterpolator : public itk::LinearInterpolateImageFunction<PieceImage, double>
{
public:
  using Self = UnknownInterpolator;
  using Pointer = itk::SmartPointer<Self>;
  itkSimpleNewMacro(Self);
};

TEST(CudaResampleImageFilterPlan, OfTheSuperclass)
{
  auto filter = PieceFilter::New();
  filter->SetInput(LongImage());
  filter->SetOutputParametersFromImage(filter->GetInput());
  filter->SetInterpolator(UnknownInterpolator::New());
  const itk::CudaSplineResamplePlan plan = filter->GetPlan();
  filter->Update();
  EXPECT_EQ(plan.backend, itk::CudaSpline::Backend::Superclass);
  EXPECT_EQ(plan.reason, filter->GetFallbackReason());
  EXPECT_FALSE(plan.reason.empty());
  EXPECT_EQ(filter->GetNumberOfPieces(), 0u);
  std::ostringstream text;
  text << plan;
  EXPECT_NE(text.str().find("backend: Superclass"), std::string::npos);
  EXPECT_EQ(text.str().find("estimate"), std::string::npos);
}

TEST(CudaResampleImageFilterPiecesGpu, ThereIsLessMemoryThanTheVolumeTakes)
{
  CUDASPLINE_NEEDS_GPU();
  auto filter = PieceFilter::New();
  filter->SetGPUEnabled(true);
  filter->SetInput(LongImage());
  filter->SetOutputParametersFromImage(filter->GetInput());
  filter->SetInterpolator(MakeInterpolator<PieceFilter>(EveryInterpolator[5], false));
  const auto whole = WholeOf(filter);
  filter->Modified();
  setenv("CUDASPLINE_MEMORY_LIMIT", "1800K", 1);
  filter->Update();
  unsetenv("CUDASPLINE_MEMORY_LIMIT");
  EXPECT_EQ(filter->GetLastBackend(), itk::CudaSpline::Backend::Cuda) << filter->GetFallbackReason();
  EXPECT_GT(filter->GetNumberOfPieces(), 1u);
  EXPECT_EQ(Compare(filter->GetOutput(), whole.GetPointer()).count, 0);
}

TEST(CudaResampleImageFilterPiecesGpu, TwoDevicesShareAVolume)
{
  CUDASPLINE_NEEDS_GPU();
  if (itk::CudaSpline::DeviceCount() < 2)
  {
    GTEST_SKIP() << "there is one device";
  }
  for (const Interpolator & interpolator : EveryInterpolator)
  {
    auto filter = PieceFilter::New();
    filter->SetInput(LongImage());
    filter->SetOutputParametersFromImage(filter->GetInput());
    filter->SetInterpolator(MakeInterpolator<PieceFilter>(interpolator, false));
    filter->SetDevice("0");
    const auto whole = WholeOf(filter);
    filter->SetDevice("0,1");
    const itk::CudaSplineResamplePlan plan = filter->GetPlan();
    filter->Update();
    EXPECT_EQ(plan.devices, (std::vector<int>{ 0, 1 }));
    EXPECT_EQ(filter->GetLastBackend(), itk::CudaSpline::Backend::Cuda) << filter->GetFallbackReason();
    EXPECT_EQ(filter->GetNumberOfPieces(), 2u);
    EXPECT_EQ(Compare(filter->GetOutput(), whole.GetPointer()).count, 0) << interpolator.name << interpolator.order;
  }
}

} // namespace
