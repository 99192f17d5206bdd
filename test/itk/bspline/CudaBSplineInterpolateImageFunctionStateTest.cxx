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
// What CudaBSplineInterpolateImageFunction keeps from call to call: image, order, coefficients, and when they are made
// anew.
//
// Expected values: a fresh interpolator on the same input, bit for bit, and the rules of the class documentation. Where
// ITK intentionally differs (stale pixels, an order set after the image), its behaviour is asserted too, so the tests
// show the difference.

#include "itkCudaBSplineInterpolateImageFunction.h"

#include "GpuOnAndOff.h"
#include "RandomData.h"
#include "SplineTestImages.h"

#include "itkImageRegionIterator.h"
#include "itkImageSource.h"

#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using itk::CudaSpline::NameOf;

using ImageType = itk::Image<float, 2>;
using OwnType = itk::CudaBSplineInterpolateImageFunction<ImageType>;
using ItkType = itk::BSplineInterpolateImageFunction<ImageType>;
using ContinuousIndex = OwnType::ContinuousIndexType;
using PointType = OwnType::PointType;
using VectorType = OwnType::CovariantVectorType;

class CudaBSplineInterpolateImageFunctionStateTest : public GpuOnAndOff
{
protected:
  OwnType::Pointer
  MakeInterpolator(const ImageType * image = nullptr, unsigned int order = 3) const
  {
    auto interpolator = OwnType::New();
    interpolator->SetGPUEnabled(GetParam());
    interpolator->SetSplineOrder(order);
    if (image != nullptr)
    {
      interpolator->SetInputImage(image);
    }
    return interpolator;
  }

  /** Returns a point in the middle of an image. */
  static ContinuousIndex
  Middle(const ImageType * image)
  {
    ContinuousIndex index;
    for (unsigned int d = 0; d < 2; ++d)
    {
      index[d] = static_cast<double>(image->GetBufferedRegion().GetIndex(d)) +
                 0.4 * static_cast<double>(image->GetBufferedRegion().GetSize(d)) + 0.3;
    }
    return index;
  }

  /** Expects that two interpolators have the same bits in value and derivative. */
  static void
  ExpectSame(const OwnType * a, const OwnType * b)
  {
    ASSERT_NE(a->GetCoefficients(), nullptr);
    ASSERT_NE(b->GetCoefficients(), nullptr);
    EXPECT_TRUE(SameBits<OwnType::CoefficientImageType>(a->GetCoefficients(), b->GetCoefficients()));
    const ContinuousIndex at = Middle(b->GetInputImage());
    EXPECT_EQ(a->EvaluateAtContinuousIndex(at), b->EvaluateAtContinuousIndex(at));
    EXPECT_EQ(a->EvaluateDerivativeAtContinuousIndex(at), b->EvaluateDerivativeAtContinuousIndex(at));
  }

  ImageType::Pointer
  Image(int line, std::vector<std::int64_t> size = { 23, 19 }) const
  {
    Random random(static_cast<std::uint64_t>(line));
    return NoiseImage<ImageType>(size, random);
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaBSplineInterpolateImageFunctionStateTest);

TEST_P(CudaBSplineInterpolateImageFunctionStateTest, Defaults)
{
  const auto interpolator = OwnType::New();
  EXPECT_EQ(interpolator->GetSplineOrder(), 3);
  EXPECT_EQ(interpolator->GetRadius()[0], 4u);
  EXPECT_TRUE(interpolator->GetUseImageDirection());
  EXPECT_EQ(interpolator->GetNumberOfWorkUnits(), 1u);
  EXPECT_EQ(interpolator->GetInputImage(), nullptr);
  EXPECT_EQ(interpolator->GetLastBackend(), Backend::None);
  EXPECT_EQ(interpolator->GetFallbackReason(), "");
  EXPECT_EQ(interpolator->GetGPUEnabled(), itk::CudaSpline::DeviceCount() > 0);
  EXPECT_STREQ(interpolator->GetNameOfClass(), "CudaBSplineInterpolateImageFunction");
}

TEST_P(CudaBSplineInterpolateImageFunctionStateTest, EvaluationBeforeAnImageThrows)
{
  // In ITK each of these reads a null pointer. EvaluateDerivative(point) and EvaluateAtIndex() do so before any virtual
  // function is called.
  const auto interpolator = this->MakeInterpolator();
  EXPECT_EQ(interpolator->GetCoefficients(), nullptr);
  ContinuousIndex index;
  index.Fill(1.5);
  PointType point;
  point.Fill(1.5);
  double     value = 0.0;
  VectorType derivative;
  EXPECT_THROW(interpolator->EvaluateAtContinuousIndex(index), itk::ExceptionObject);
  EXPECT_THROW(interpolator->EvaluateAtContinuousIndex(index, 0), itk::ExceptionObject);
  EXPECT_THROW(interpolator->Evaluate(point), itk::ExceptionObject);
  EXPECT_THROW(interpolator->Evaluate(point, 0), itk::ExceptionObject);
  EXPECT_THROW(interpolator->EvaluateDerivativeAtContinuousIndex(index), itk::ExceptionObject);
  EXPECT_THROW(interpolator->EvaluateDerivativeAtContinuousIndex(index, 0), itk::ExceptionObject);
  EXPECT_THROW(interpolator->EvaluateValueAndDerivativeAtContinuousIndex(index, value, derivative),
               itk::ExceptionObject);
  EXPECT_THROW(interpolator->EvaluateValueAndDerivativeAtContinuousIndex(index, value, derivative, 0),
               itk::ExceptionObject);
}

TEST_P(CudaBSplineInterpolateImageFunctionStateTest, NullImageForgetsTheCoefficients)
{
  const auto image = this->Image(__LINE__);
  const auto interpolator = this->MakeInterpolator(image);
  ASSERT_NE(interpolator->GetCoefficients(), nullptr);
  interpolator->SetInputImage(nullptr);
  EXPECT_EQ(interpolator->GetCoefficients(), nullptr);
  const ContinuousIndex at = Middle(image);
  PointType             point;
  image->TransformContinuousIndexToPhysicalPoint(at, point);
  double     value = 0.0;
  VectorType derivative;
  EXPECT_THROW(interpolator->EvaluateAtContinuousIndex(at), itk::ExceptionObject);
  EXPECT_THROW(interpolator->EvaluateAtContinuousIndex(at, 0), itk::ExceptionObject);
  EXPECT_THROW(interpolator->Evaluate(point), itk::ExceptionObject);
  EXPECT_THROW(interpolator->EvaluateDerivative(point), itk::ExceptionObject);
  EXPECT_THROW(interpolator->EvaluateValueAndDerivative(point, value, derivative), itk::ExceptionObject);
  interpolator->SetInputImage(image);
  ExpectSame(interpolator, this->MakeInterpolator(image));
}

TEST_P(CudaBSplineInterpolateImageFunctionStateTest, OrderSixThrowsAndLeavesTheOrder)
{
  const auto image = this->Image(__LINE__);
  const auto interpolator = this->MakeInterpolator(image, 2);
  try
  {
    interpolator->SetSplineOrder(6);
    FAIL() << "no exception";
  }
  catch (const itk::ExceptionObject & error)
  {
    const std::string text = error.GetDescription();
    EXPECT_NE(text.find("between 0 and 5"), std::string::npos) << text;
    EXPECT_NE(text.find("6"), std::string::npos) << text;
  }
  EXPECT_EQ(interpolator->GetSplineOrder(), 2);
  ExpectSame(interpolator, this->MakeInterpolator(image, 2));

  // ITK throws too, but keeps the 6.
  const auto itks = ItkType::New();
  EXPECT_THROW(itks->SetSplineOrder(6), itk::ExceptionObject);
  EXPECT_EQ(itks->GetSplineOrder(), 6);
}

TEST_P(CudaBSplineInterpolateImageFunctionStateTest, OrderSixThroughTheParent)
{
  // SetSplineOrder() is not virtual: with a pointer to the parent, ITK's function is called, which keeps the 6. Nothing
  // is evaluated with it.
  const auto image = this->Image(__LINE__);
  const auto interpolator = this->MakeInterpolator(image);
  ItkType *  parent = interpolator;
  EXPECT_THROW(parent->SetSplineOrder(6), itk::ExceptionObject);
  if (interpolator->GetSplineOrder() == 6)
  {
    EXPECT_THROW(interpolator->EvaluateAtContinuousIndex(Middle(image)), itk::ExceptionObject);
    EXPECT_THROW(interpolator->SetInputImage(image), itk::ExceptionObject);
  }
  interpolator->SetSplineOrder(4);
  ExpectSame(interpolator, this->MakeInterpolator(image, 4));
}

TEST_P(CudaBSplineInterpolateImageFunctionStateTest, OrderSetAfterTheImage)
{
  const auto image = this->Image(__LINE__);
  const auto interpolator = this->MakeInterpolator(image, 3);
  for (const unsigned int order : { 5, 0, 1, 4, 2, 3 })
  {
    SCOPED_TRACE("order " + std::to_string(order));
    interpolator->SetSplineOrder(order);
    ExpectSame(interpolator, this->MakeInterpolator(image, order));
  }
  // ITK continues with the coefficients of the previous order until the next SetInputImage().
  const auto itks = ItkType::New();
  itks->SetInputImage(image);
  itks->SetSplineOrder(5);
  const double stale = itks->EvaluateAtContinuousIndex(Middle(image));
  itks->SetInputImage(image);
  EXPECT_NE(itks->EvaluateAtContinuousIndex(Middle(image)), stale);
}

TEST_P(CudaBSplineInterpolateImageFunctionStateTest, OrderSetThroughTheParent)
{
  const auto image = this->Image(__LINE__);
  const auto interpolator = this->MakeInterpolator(image, 3);
  ItkType *  parent = interpolator;
  parent->SetSplineOrder(5);
  parent->SetInputImage(image);
  ExpectSame(interpolator, this->MakeInterpolator(image, 5));
}

TEST_P(CudaBSplineInterpolateImageFunctionStateTest, PixelsChangedWithoutModifiedAreSeen)
{
  const auto image = this->Image(__LINE__);
  const auto interpolator = this->MakeInterpolator(image);
  const auto itks = ItkType::New();
  itks->SetInputImage(image);
  const ContinuousIndex at = Middle(image);
  const double          itkBefore = itks->EvaluateAtContinuousIndex(at);
  const double          before = interpolator->EvaluateAtContinuousIndex(at);

  // One pixel changes by its last bit, the smallest possible change; then all of them.
  auto & pixel = image->GetBufferPointer()[Count(image.GetPointer()) / 2];
  pixel = std::nextafter(pixel, 1000.0F);
  interpolator->SetInputImage(image);
  ExpectSame(interpolator, this->MakeInterpolator(image));
  for (itk::ImageRegionIterator<ImageType> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(it.Get() + 100.0F);
  }
  interpolator->SetInputImage(image);
  itks->SetInputImage(image);
  ExpectSame(interpolator, this->MakeInterpolator(image));
  EXPECT_NEAR(interpolator->EvaluateAtContinuousIndex(at), before + 100.0, 0.1);
  EXPECT_EQ(itks->EvaluateAtContinuousIndex(at), itkBefore) << "ITK asks for the modification time";
}

TEST_P(CudaBSplineInterpolateImageFunctionStateTest, UnchangedImageKeepsTheCoefficients)
{
  const auto image = this->Image(__LINE__);
  const auto interpolator = this->MakeInterpolator(image);
  const auto coefficients = interpolator->GetCoefficients();
  interpolator->SetInputImage(image);
  EXPECT_EQ(interpolator->GetCoefficients(), coefficients);
  EXPECT_STREQ(NameOf(interpolator->GetLastBackend()), NameOf(Promised("CudaBSplineInterpolateImageFunction", 2)));
}

TEST_P(CudaBSplineInterpolateImageFunctionStateTest, OtherImages)
{
  const auto first = this->Image(__LINE__);
  const auto interpolator = this->MakeInterpolator(first);
  // Other pixels, other sizes, other start index.
  const auto second = this->Image(__LINE__, { 17, 29 });
  interpolator->SetInputImage(second);
  ExpectSame(interpolator, this->MakeInterpolator(second));
  EXPECT_EQ(interpolator->GetInputImage(), second.GetPointer());
  EXPECT_EQ(interpolator->GetEndIndex()[1], second->GetBufferedRegion().GetUpperIndex()[1]);

  // The same pixels at other positions and with another spacing: the geometry is that of the new image.
  const auto third = Copy<ImageType>(second);
  auto       region = third->GetBufferedRegion();
  region.SetIndex(0, region.GetIndex(0) + 7);
  third->SetRegions(region);
  third->SetSpacing(2.0 * second->GetSpacing());
  interpolator->SetInputImage(third);
  ExpectSame(interpolator, this->MakeInterpolator(third));
}

TEST_P(CudaBSplineInterpolateImageFunctionStateTest, ImageThatCannotBeSetLosesNothing)
{
  const auto image = this->Image(__LINE__);
  const auto interpolator = this->MakeInterpolator(image);
  const auto empty = ImageType::New();
  EXPECT_THROW(interpolator->SetInputImage(empty), itk::ExceptionObject);
  auto source = StreamingSource<ImageType>::New();
  source->SetImage(image);
  source->SetTooLittle(true);
  EXPECT_THROW(interpolator->SetInputImage(source->GetOutput()), itk::ExceptionObject);
  EXPECT_EQ(interpolator->GetInputImage(), image.GetPointer());
  ExpectSame(interpolator, this->MakeInterpolator(image));
}

TEST_P(CudaBSplineInterpolateImageFunctionStateTest, Device)
{
  const auto image = this->Image(__LINE__);
  const auto interpolator = OwnType::New();
  interpolator->GPUEnabledOn();
  interpolator->SetDevice("99");
  try
  {
    interpolator->SetInputImage(image);
    FAIL() << "no exception";
  }
  catch (const itk::ExceptionObject & error)
  {
    const std::string text = error.GetDescription();
    EXPECT_NE(text.find("99"), std::string::npos) << text;
    EXPECT_NE(text.find("allowed are cpu"), std::string::npos) << text;
  }
  interpolator->SetDevice("cpu");
  interpolator->SetInputImage(image);
  EXPECT_EQ(interpolator->GetLastBackend(), Backend::Cpu);
  EXPECT_NE(interpolator->GetFallbackReason(), "");
}

/** A source that fails on request. */
class Failing : public itk::ImageSource<ImageType>
{
public:
  using Self = Failing;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineFactorylessNewMacro(Self);

  ImageType::Pointer image;
  bool               fails{ false };

private:
  void
  GenerateOutputInformation() override
  {
    this->GetOutput()->CopyInformation(image);
    this->GetOutput()->SetLargestPossibleRegion(image->GetLargestPossibleRegion());
  }
  void
  GenerateData() override
  {
    if (fails)
    {
      throw itk::ExceptionObject(__FILE__, __LINE__, "It was told to fail.");
    }
    this->GraftOutput(image);
  }
};

TEST_P(CudaBSplineInterpolateImageFunctionStateTest, AnOrderThatCannotBeHadChangesNothing)
{
  const auto source = Failing::New();
  source->image = this->Image(__LINE__);
  source->Update();
  const auto            interpolator = this->MakeInterpolator(source->GetOutput());
  const ContinuousIndex middle = Middle(source->image);
  const double          before = interpolator->EvaluateAtContinuousIndex(middle);
  source->fails = true;
  source->Modified();
  EXPECT_THROW(interpolator->SetSplineOrder(5), itk::ExceptionObject);
  EXPECT_EQ(interpolator->GetSplineOrder(), 3);
  EXPECT_EQ(interpolator->EvaluateAtContinuousIndex(middle), before);
  source->fails = false;
  source->Modified();
  interpolator->SetSplineOrder(5);
  EXPECT_EQ(interpolator->EvaluateAtContinuousIndex(middle),
            this->MakeInterpolator(source->image, 5)->EvaluateAtContinuousIndex(middle));
}

TEST_P(CudaBSplineInterpolateImageFunctionStateTest, PrintSelf)
{
  const auto         image = this->Image(__LINE__);
  const auto         interpolator = this->MakeInterpolator(image);
  std::ostringstream stream;
  interpolator->Print(stream);
  const std::string text = stream.str();
  // What ITK itself prints differs in form: "UseImageDirection = On" in 5.2, "UseImageDirection: On" in 5.4.
  for (const std::string & word : { std::string("Spline Order: 3"),
                                    std::string("UseImageDirection"),
                                    std::string("LastBackend: ") + NameOf(interpolator->GetLastBackend()),
                                    std::string("FallbackReason: ") + interpolator->GetFallbackReason(),
                                    std::string("GPUEnabled: ") + (GetParam() ? "On" : "Off") })
  {
    EXPECT_NE(text.find(word), std::string::npos) << "\"" << word << "\" is not in: " << text;
  }
}

} // namespace
