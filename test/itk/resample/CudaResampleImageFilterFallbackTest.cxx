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
// What CudaResampleImageFilter hands back to ITK, and what it refuses. Expected: the backend Superclass with a reason,
// and ITK's very values; exceptions that name what was wrong and what is allowed.

#include "ResampleTestSupport.h"

#include "itkConstantBoundaryCondition.h"
#include "itkNearestNeighborExtrapolateImageFunction.h"
#include "itkVectorImage.h"
#include "itkWindowedSincInterpolateImageFunction.h"

#include <cmath>
#include <cstddef>
#include <string>

using namespace CudaSplineTest;

namespace
{

using Image = itk::Image<float, 2>;
using Ours = itk::CudaResampleImageFilter<Image, Image>;
using Theirs = itk::ResampleImageFilter<Image, Image>;

/** Runs both filters with the same configuration; returns ours. */
template <typename TSetUp>
Ours::Pointer
ExpectItkAnswers(const std::string & interpolator,
                 const std::string & transform,
                 const std::string & extrapolator,
                 const TSetUp &      setUp)
{
  const auto input = MakePhantom<Image>(0.0, 100.0);
  auto       ours = Ours::New();
  auto       theirs = Theirs::New();
  const auto run = [&](auto filter) {
    filter->SetInput(input);
    SetOutputGrid(filter.GetPointer(), input.GetPointer());
    setUp(filter.GetPointer(), input.GetPointer());
    filter->Update();
  };
  run(ours);
  run(theirs);
  EXPECT_EQ(PromisedBackend({ "CudaResampleImageFilter", "scalar", "2", interpolator, transform, extrapolator }),
            itk::CudaSpline::Backend::Superclass);
  EXPECT_EQ(ours->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
  EXPECT_FALSE(ours->GetFallbackReason().empty());
  EXPECT_EQ(Compare(ours->GetOutput(), theirs->GetOutput()).count, 0);
  return ours;
}

/** A user's extrapolator. */
class Inverted : public itk::NearestNeighborExtrapolateImageFunction<Image, double>
{
public:
  using Self = Inverted;
  using Superclass = itk::NearestNeighborExtrapolateImageFunction<Image, double>;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  OutputType
  EvaluateAtContinuousIndex(const ContinuousIndexType & index) const override
  {
    return -Superclass::EvaluateAtContinuousIndex(index);
  }
};

/** A user's window. */
struct Triangle
{
  double
  operator()(double x) const
  {
    return 1.0 - std::abs(x) / 3.0;
  }
};

} // namespace

TEST(CudaResampleImageFilterFallback, DerivedExtrapolator)
{
  ExpectItkAnswers("LinearInterpolateImageFunction", "linear", "Inverted", [](auto * filter, Image *) {
    filter->SetExtrapolator(Inverted::New());
  });
}

TEST(CudaResampleImageFilterFallback, DerivedInterpolator)
{
  ExpectItkAnswers(
    "Doubled", "linear", "none", [](auto * filter, Image *) { filter->SetInterpolator(Doubled<Image>::New()); });
}

TEST(CudaResampleImageFilterFallback, WindowedSincOfAnotherRadiusWindowOrBoundary)
{
  ExpectItkAnswers("WindowedSincInterpolateImageFunction of radius 6", "linear", "none", [](auto * filter, Image *) {
    filter->SetInterpolator(itk::WindowedSincInterpolateImageFunction<Image, 6>::New());
  });
  ExpectItkAnswers("WindowedSincInterpolateImageFunction of a user", "linear", "none", [](auto * filter, Image *) {
    filter->SetInterpolator(itk::WindowedSincInterpolateImageFunction<Image, 3, Triangle>::New());
  });
  class OwnBoundary : public itk::ConstantBoundaryCondition<Image>
  {};
  ExpectItkAnswers("WindowedSincInterpolateImageFunction of a boundary", "linear", "none", [](auto * filter, Image *) {
    using Window = itk::Function::HammingWindowFunction<3>;
    filter->SetInterpolator(itk::WindowedSincInterpolateImageFunction<Image, 3, Window, OwnBoundary>::New());
  });
}

TEST(CudaResampleImageFilterFallback, TheNextUpdateIsAcceleratedAgain)
{
  const auto ours = ExpectItkAnswers(
    "Doubled", "linear", "none", [](auto * filter, Image *) { filter->SetInterpolator(Doubled<Image>::New()); });
  ours->SetInterpolator(itk::LinearInterpolateImageFunction<Image>::New());
  ours->Update();
  ExpectPromisedBackend(ours.GetPointer(), "LinearInterpolateImageFunction", true);
}

TEST(CudaResampleImageFilterFallback, Vectors)
{
  using Vectors = itk::VectorImage<float, 2>;
  auto input = Vectors::New();
  input->SetRegions(Vectors::SizeType{ { 20, 15 } });
  input->SetVectorLength(2);
  input->Allocate();
  itk::VariableLengthVector<float> value(2);
  value[0] = 3.0F;
  value[1] = -1.0F;
  input->FillBuffer(value);
  class OwnLinear : public itk::LinearInterpolateImageFunction<Vectors>
  {
  public:
    using Pointer = itk::SmartPointer<OwnLinear>;
    itkCudaSplineNewMacro(OwnLinear);
  };
  auto ours = itk::CudaResampleImageFilter<Vectors, Vectors>::New();
  ours->SetInput(input);
  ours->SetSize(Vectors::SizeType{ { 10, 10 } });
  ours->SetInterpolator(OwnLinear::New());
  ours->Update();
  EXPECT_EQ(PromisedBackend({ "CudaResampleImageFilter", "vector", "2", "OwnLinear", "linear", "none" }),
            itk::CudaSpline::Backend::Superclass);
  EXPECT_EQ(ours->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
  EXPECT_FALSE(ours->GetFallbackReason().empty());
  EXPECT_EQ(ours->GetOutput()->GetPixel(Vectors::IndexType{ { 3, 3 } }), value);
}

TEST(CudaResampleImageFilterErrors, MissingInput)
{
  auto filter = Ours::New();
  filter->SetSize(Image::SizeType{ { 5, 5 } });
  ExpectMention(UpdateErrorOf(filter.GetPointer()), "required but not set");
}

TEST(CudaResampleImageFilterErrors, EmptyInput)
{
  auto filter = Ours::New();
  auto input = Image::New();
  input->SetRegions(Image::SizeType{ { 0, 5 } });
  input->Allocate();
  filter->SetInput(input);
  filter->SetSize(Image::SizeType{ { 5, 5 } });
  ExpectMention(UpdateErrorOf(filter.GetPointer()), "empty");
}

TEST(CudaResampleImageFilterErrors, MissingInterpolator)
{
  auto filter = Ours::New();
  filter->SetInput(MakePhantom<Image>(0.0, 1.0));
  filter->SetInterpolator(nullptr);
  ExpectMention(UpdateErrorOf(filter.GetPointer()), "Interpolator not set");
}

TEST(CudaResampleImageFilterErrors, SingularDirection)
{
  auto filter = Ours::New();
  filter->SetInput(MakePhantom<Image>(0.0, 1.0));
  filter->SetSize(Image::SizeType{ { 5, 5 } });
  Ours::DirectionType direction;
  direction.Fill(1.0);
  filter->SetOutputDirection(direction);
  ExpectMention(UpdateErrorOf(filter.GetPointer()), "determinant");
}

TEST(CudaResampleImageFilterErrors, ReferenceImageWithoutItsFlag)
{
  auto filter = Ours::New();
  filter->SetInput(MakePhantom<Image>(0.0, 1.0));
  filter->SetReferenceImage(MakePhantom<Image>(0.0, 1.0));
  ExpectMention(UpdateErrorOf(filter.GetPointer()), "size is zero");
}

TEST(CudaResampleImageFilterErrors, UnknownDevice)
{
  auto filter = Ours::New();
  filter->SetInput(MakePhantom<Image>(0.0, 1.0));
  filter->SetSize(Image::SizeType{ { 5, 5 } });
  filter->SetDevice("99");
  const std::string message = UpdateErrorOf(filter.GetPointer());
  EXPECT_NE(message.find("\"99\""), std::string::npos) << message;
  EXPECT_NE(message.find("cpu"), std::string::npos) << message;
  filter->SetDevice("cpu");
  filter->Update();
  EXPECT_EQ(filter->GetLastBackend(), itk::CudaSpline::Backend::Cpu);
}

TEST(CudaResampleImageFilterErrors, EmptyOutputIsNoError)
{
  auto ours = Ours::New();
  ours->SetInput(MakePhantom<Image>(0.0, 1.0));
  ours->SetSize(Image::SizeType{ { 0, 5 } });
  EXPECT_NO_THROW(ours->Update());
}

/** Integers are rounded if the kernels compute them; cases that ITK's own code would truncate are refused. */
TEST(CudaResampleImageFilterFallback, IntegersThatAreRounded)
{
  using Shorts = itk::Image<short, 2>;
  const auto input = MakePhantom<Image>(0.0, 100.0);
  const auto run = [&](auto filter, bool rounds, bool isFallback) {
    filter->SetInput(input);
    SetOutputGrid(filter.GetPointer(), input.GetPointer());
    filter->SetRoundIntegers(rounds);
    if (isFallback)
    {
      filter->SetExtrapolator(Inverted::New());
    }
    filter->Update();
    return filter;
  };
  using Integers = itk::CudaResampleImageFilter<Image, Shorts>;
  const auto real = run(Ours::New(), true, false);
  const auto rounded = run(Integers::New(), true, false);
  const auto truncated = run(Integers::New(), false, false);
  const auto count = static_cast<std::size_t>(real->GetOutput()->GetBufferedRegion().GetNumberOfPixels());
  for (std::size_t i = 0; i < count; ++i)
  {
    const float value = real->GetOutput()->GetBufferPointer()[i];
    ASSERT_EQ(static_cast<float>(rounded->GetOutput()->GetBufferPointer()[i]), std::nearbyint(value));
    ASSERT_EQ(static_cast<float>(truncated->GetOutput()->GetBufferPointer()[i]), std::trunc(value));
  }
  EXPECT_EQ(run(Ours::New(), true, true)->GetLastBackend(), itk::CudaSpline::Backend::Superclass); // for real pixels
  EXPECT_EQ(run(Integers::New(), false, true)->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
  try
  {
    run(Integers::New(), true, true);
    FAIL() << "no exception";
  }
  catch (const itk::ExceptionObject & exception)
  {
    EXPECT_NE(std::string(exception.GetDescription()).find("RoundIntegers"), std::string::npos);
  }
}
