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
// Storage of coefficients and texture mode, as selected by CudaBSplineInterpolateImageFunction. Expected:
// CudaResampleImageFilter and batches differ from the exact evaluation in double by at most GetErrorBound(), and the
// roundings of single precision, 3e-5 of the largest coefficient in 3D for noise.

#include "ResampleTestSupport.h"

#include "itkEuler3DTransform.h"

#include <algorithm>
#include <sstream>

using namespace CudaSplineTest;

namespace
{

using ImageType = itk::Image<float, 3>;
using OutputType = itk::Image<double, 3>;
using FilterType = itk::CudaResampleImageFilter<ImageType, OutputType>;
using InterpolatorType = itk::CudaBSplineInterpolateImageFunction<ImageType>;
using Mode = InterpolatorType::ModeEnum;
using Storage = InterpolatorType::StorageEnum;

struct Prepared
{
  FilterType::Pointer       filter;
  InterpolatorType::Pointer interpolator;
};

Prepared
Prepare(const ImageType * image, bool onGpu)
{
  Prepared made{ FilterType::New(), InterpolatorType::New() };
  auto     transform = itk::Euler3DTransform<double>::New();
  transform->SetRotation(0.17, 0.26, 0.35);
  made.interpolator->SetGPUEnabled(onGpu);
  made.filter->SetInput(image);
  made.filter->SetInterpolator(made.interpolator);
  made.filter->SetTransform(transform);
  made.filter->SetGPUEnabled(onGpu);
  made.filter->SetOutputParametersFromImage(image);
  return made;
}

std::string
Text(double number)
{
  std::ostringstream text;
  text << number;
  return text.str();
}

double
LargestDifference(const OutputType * first, const OutputType * second)
{
  double                                    largest = 0.0;
  itk::ImageRegionConstIterator<OutputType> a(first, first->GetBufferedRegion());
  itk::ImageRegionConstIterator<OutputType> b(second, second->GetBufferedRegion());
  for (; !a.IsAtEnd(); ++a, ++b)
  {
    largest = std::max(largest, std::abs(a.Get() - b.Get()));
  }
  return largest;
}

class CudaSplineStorage : public OnEachBackend
{};

} // namespace

CUDASPLINE_ON_EACH_BACKEND(CudaSplineStorage);

TEST_P(CudaSplineStorage, FilterIsWithinItsErrorBound)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto     image = MakePhantom<ImageType>(-1000.0, 2000.0);
  const Prepared exact = Prepare(image, this->OnGpu());
  exact.filter->Update();
  EXPECT_TRUE(std::isnan(exact.filter->GetErrorBound())) << "not requested";
  exact.filter->MeasureErrorBoundOn();
  exact.filter->Update();
  EXPECT_GT(exact.filter->GetErrorBound(), 0.0);
  EXPECT_LT(exact.filter->GetErrorBound(), 1e-10) << "coefficients in double";

  const auto check = [&](Mode mode, Storage storage, double most) {
    const Prepared other = Prepare(image, this->OnGpu());
    other.interpolator->SetMode(mode);
    other.interpolator->SetStorage(storage);
    other.filter->Update();
    EXPECT_NE(other.filter->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
    const double bound = other.filter->GetErrorBound();
    const double difference = LargestDifference(exact.filter->GetOutput(), other.filter->GetOutput());
    EXPECT_GT(bound, 0.0);
    EXPECT_LE(bound, most);
    EXPECT_LE(difference, bound + 3e-5 * 4000.0);
    EXPECT_GT(difference, 1e-4 * bound) << "nothing was stored otherwise";
    std::ostringstream text;
    other.filter->Print(text);
    EXPECT_NE(text.str().find("ErrorBound: " + Text(bound)), std::string::npos) << text.str();
    std::ostringstream choices;
    other.interpolator->Print(choices);
    EXPECT_NE(choices.str().find(std::string("Mode: ") + itk::CudaSpline::NameOf(mode)), std::string::npos);
    EXPECT_NE(choices.str().find(std::string("Storage: ") + itk::CudaSpline::NameOf(storage)), std::string::npos);
  };
  check(Mode::Exact, Storage::Half, 0x1p-11 * 4000.0);
  check(Mode::Exact, Storage::Int16, 8000.0 / 131068.0);
  check(Mode::Texture, Storage::Element, 200.0);
  check(Mode::TextureTable, Storage::Element, 200.0);
}

TEST_P(CudaSplineStorage, BatchesUseThem)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto image = MakePhantom<ImageType>(-1000.0, 2000.0);
  const auto interpolator = InterpolatorType::New();
  interpolator->SetGPUEnabled(this->OnGpu());
  interpolator->SetInputImage(image);
  std::vector<InterpolatorType::ContinuousIndexType> indices(500);
  std::mt19937                                       random(std::random_device{}());
  for (auto & index : indices)
  {
    for (unsigned int d = 0; d < 3; ++d)
    {
      const auto first = static_cast<double>(image->GetBufferedRegion().GetIndex(d));
      const auto size = static_cast<double>(image->GetBufferedRegion().GetSize(d));
      index[d] = std::uniform_real_distribution<double>(first, first + size - 1.0)(random);
    }
  }
  const auto exact = interpolator->EvaluateAtContinuousIndices(indices, 0.0);
  const auto compare = [&](double bound) {
    const auto values = interpolator->EvaluateAtContinuousIndices(indices, 0.0);
    double     worst = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i)
    {
      worst = std::max(worst, std::abs(values[i] - exact[i]));
      EXPECT_NEAR(interpolator->EvaluateAtContinuousIndex(indices[i]), exact[i], 1e-9) << "one by one it is exact";
    }
    EXPECT_LE(worst, bound);
    EXPECT_GT(worst, 0.0) << "the batch was exact";
  };
  interpolator->SetStorage(Storage::Half);
  compare(0x1p-11 * 4000.0 + 0.12);
  interpolator->SetStorage(Storage::Int16);
  compare(8000.0 / 131068.0 + 0.12);
  interpolator->SetStorage(Storage::Element);
  interpolator->SetMode(Mode::Texture);
  compare(100.0);
  interpolator->SetMode(Mode::TextureTable);
  interpolator->SetNumberOfTableEntries(500);
  compare(100.0);
}

TEST_P(CudaSplineStorage, WrongChoicesAreExceptions)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto image = MakePhantom<ImageType>(-1000.0, 2000.0);
  EXPECT_THROW(InterpolatorType::New()->SetStorage(Storage::Texture), itk::ExceptionObject);
  {
    const Prepared wrong = Prepare(image, this->OnGpu());
    wrong.interpolator->SetStorage(Storage::Half);
    wrong.interpolator->SetSplineOrder(2);
    EXPECT_THROW(wrong.filter->Update(), itk::ExceptionObject);
  }
  {
    const Prepared wrong = Prepare(image, this->OnGpu());
    wrong.interpolator->SetMode(Mode::Texture);
    wrong.filter->SetPrecision(itk::CudaSplinePrecision::Double);
    EXPECT_THROW(wrong.filter->Update(), itk::ExceptionObject);
  }
  {
    const Prepared wrong = Prepare(image, this->OnGpu());
    wrong.interpolator->SetMode(Mode::Texture);
    wrong.interpolator->SetStorage(Storage::Int16);
    EXPECT_THROW(wrong.filter->Update(), itk::ExceptionObject);
  }
  {
    const Prepared wrong = Prepare(image, this->OnGpu());
    wrong.interpolator->SetMode(Mode::TextureTable);
    wrong.interpolator->SetNumberOfTableEntries(100);
    EXPECT_THROW(wrong.filter->Update(), itk::ExceptionObject);
  }
}
