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
// CudaLabelImageGenericInterpolateImageFunction against its rule: the label whose interpolated indicator is largest.
//
// Expected labels: ITK's or the module's interpolator on the indicator image of each label. Linear sums are ITK's bit
// for bit, ties included; coefficients differ by rounding and ITK's truncation (1e-9), those in float by 1e-6, so
// B-splines are compared where values differ more. (For nearest neighbours ITK's class may read outside of the buffer,
// see NearestPixelInside(); the reference is the module's class, which is tested against ITK's elsewhere.)

#include "itkCudaLabelImageGenericInterpolateImageFunction.h"

#include "LabelTestSupport.h"

#include <map>
#include <string>

namespace
{

using namespace CudaSplineTest;

class CudaLabelImageGenericInterpolateImageFunctionTest : public GpuOnAndOff
{
protected:
  /** Returns the labels that win with an interpolator on the indicator of each label. */
  template <typename TImage, template <typename, typename> class TInterpolator, typename TIndicator, typename TSetUp>
  void
  CompareGeneric(const TImage * image, double margin, Random & random, const TSetUp & setUp)
  {
    constexpr unsigned int D = TImage::ImageDimension;
    using Own = itk::CudaLabelImageGenericInterpolateImageFunction<TImage, TInterpolator, double>;
    using Indicator = itk::Image<double, D>;
    auto own = Own::New();
    own->SetGPUEnabled(GetParam());
    std::map<typename TImage::PixelType, typename TIndicator::Pointer> judges;
    for (std::size_t i = 0; i < Count(image); ++i)
    {
      const auto label = image->GetBufferPointer()[i];
      if (judges.find(label) == judges.end())
      {
        auto indicator = Indicator::New();
        indicator->CopyInformation(image);
        indicator->SetRegions(image->GetBufferedRegion());
        indicator->Allocate();
        for (std::size_t k = 0; k < Count(image); ++k)
        {
          indicator->GetBufferPointer()[k] = image->GetBufferPointer()[k] == label ? 1.0 : 0.0;
        }
        judges[label] = TIndicator::New();
        setUp(own.GetPointer(), judges[label].GetPointer());
        judges[label]->SetInputImage(indicator);
      }
    }
    own->SetInputImage(image);
    const auto points = PointsIn(own.GetPointer(), random, 200, true);
    long       judged = 0;
    for (const auto & index : points)
    {
      if (!own->IsInsideBuffer(index))
      {
        continue;
      }
      std::map<typename TImage::PixelType, long double> values;
      for (const auto & judge : judges)
      {
        values[judge.first] = judge.second->EvaluateAtContinuousIndex(index);
      }
      const Winner<TImage> expected(values);
      if (expected.margin >= margin)
      {
        ++judged;
        ASSERT_EQ(own->EvaluateAtContinuousIndex(index), static_cast<double>(expected.label)) << index;
      }
    }
    EXPECT_GT(judged, 100);
    ExpectBatchesAreSingle(
      own.GetPointer(),
      points,
      0.0,
      0.0,
      PromisedBackend({ "CudaLabelImageGenericInterpolateImageFunction",
                        "scalar",
                        std::to_string(D),
                        std::is_same<TIndicator, itk::CudaNearestNeighborInterpolateImageFunction<Indicator>>::value
                          ? "nearest"
                          : "another",
                        "-",
                        "-" },
                      GetParam()));
  }
};

template <typename TImage, typename TCoordRep>
using Spline = itk::CudaBSplineInterpolateImageFunction<TImage, TCoordRep, double>;
template <typename TImage, typename TCoordRep>
using ItkSplineOfFloats = itk::BSplineInterpolateImageFunction<TImage, TCoordRep, float>;

CUDASPLINE_GPU_ON_AND_OFF(CudaLabelImageGenericInterpolateImageFunctionTest);

TEST_P(CudaLabelImageGenericInterpolateImageFunctionTest, LinearTiesIncluded)
{
  Random     random(__LINE__);
  const auto flat = Labels<itk::Image<short, 2>>({ 13, 9 }, random, 5, short(-2), false);
  const auto none = [](auto *, auto *) {};
  CompareGeneric<itk::Image<short, 2>,
                 itk::LinearInterpolateImageFunction,
                 itk::LinearInterpolateImageFunction<itk::Image<double, 2>>>(flat.GetPointer(), 0.0, random, none);
  const auto volume = Labels<itk::Image<unsigned char, 3>>({ 7, 9, 6 }, random, 12, 0, false);
  CompareGeneric<itk::Image<unsigned char, 3>,
                 itk::CudaLinearInterpolateImageFunction,
                 itk::LinearInterpolateImageFunction<itk::Image<double, 3>>>(volume.GetPointer(), 0.0, random, none);
}

TEST_P(CudaLabelImageGenericInterpolateImageFunctionTest, Nearest)
{
  Random     random(__LINE__);
  const auto volume = Labels<itk::Image<unsigned char, 3>>({ 7, 9, 6 }, random, 12, 0, false);
  CompareGeneric<itk::Image<unsigned char, 3>,
                 itk::NearestNeighborInterpolateImageFunction,
                 itk::CudaNearestNeighborInterpolateImageFunction<itk::Image<double, 3>>>(
    volume.GetPointer(), 0.0, random, [](auto *, auto *) {});
}

TEST_P(CudaLabelImageGenericInterpolateImageFunctionTest, CatmullRom)
{
  Random     random(__LINE__);
  const auto volume = Labels<itk::Image<int, 3>>({ 7, 9, 6 }, random, 12, -4, false);
  CompareGeneric<itk::Image<int, 3>,
                 itk::CudaCatmullRomInterpolateImageFunction,
                 itk::CudaCatmullRomInterpolateImageFunction<itk::Image<double, 3>>>(
    volume.GetPointer(), 1e-14, random, [](auto * own, auto * judge) {
      own->SetTension(0.6);
      judge->SetTension(0.6);
    });
}

// Smoothed indicators: by default like the interpolator, Mitchell-Netravali.
TEST_P(CudaLabelImageGenericInterpolateImageFunctionTest, CubicConvolution)
{
  Random     random(__LINE__);
  const auto volume = Labels<itk::Image<int, 3>>({ 7, 9, 6 }, random, 12, -4, false);
  const auto compare = [&](const auto & setUp) {
    CompareGeneric<itk::Image<int, 3>,
                   itk::CudaCubicConvolutionInterpolateImageFunction,
                   itk::CudaCubicConvolutionInterpolateImageFunction<itk::Image<double, 3>>>(
      volume.GetPointer(), 1e-14, random, setUp);
  };
  compare([](auto *, auto *) {});
  compare([](auto * own, auto * judge) {
    own->SetB(0.8);
    judge->SetB(0.8);
    own->SetC(0.1);
    judge->SetC(0.1);
  });
}

TEST_P(CudaLabelImageGenericInterpolateImageFunctionTest, Splines)
{
  Random random(__LINE__);
  using ImageType = itk::Image<unsigned short, 2>;
  const auto flat = Labels<ImageType>({ 13, 9 }, random, 7, 0, false);
  for (unsigned int order = 0; order <= 5; ++order)
  {
    const auto setUp = [order](auto * own, auto * judge) {
      own->SetSplineOrder(order);
      judge->SetSplineOrder(order);
    };
    CompareGeneric<ImageType, Spline, itk::BSplineInterpolateImageFunction<itk::Image<double, 2>>>(
      flat.GetPointer(), 1e-8, random, setUp);
    CompareGeneric<ImageType, ItkSplineOfFloats, itk::BSplineInterpolateImageFunction<itk::Image<double, 2>>>(
      flat.GetPointer(), 1e-4, random, setUp);
  }
}

TEST_P(CudaLabelImageGenericInterpolateImageFunctionTest, SplinesSeeChanges)
{
  using ImageType = itk::Image<short, 2>;
  auto image = ImageType::New();
  image->SetRegions(ImageType::SizeType{ { 8, 8 } });
  image->Allocate();
  image->FillBuffer(4);
  auto own = itk::CudaLabelImageGenericInterpolateImageFunction<ImageType, Spline>::New();
  own->SetGPUEnabled(GetParam());
  own->SetInputImage(image);
  itk::ContinuousIndex<double, 2> index;
  index.Fill(3.25);
  EXPECT_EQ(own->EvaluateAtContinuousIndex(index), 4.0);
  image->SetPixel({ { 3, 3 } }, 9); // without Modified()
  own->SetInputImage(image);
  EXPECT_EQ(own->EvaluateAtContinuousIndex(index), 9.0);
  own->SetSplineOrder(1);
  EXPECT_EQ(own->EvaluateAtContinuousIndex(index), 9.0);
  own->SetSplineOrder(5);
  EXPECT_EQ(own->EvaluateAtContinuousIndex(index), 9.0);
  EXPECT_THROW(own->SetSplineOrder(6), itk::ExceptionObject);
  EXPECT_EQ(own->GetSplineOrder(), 5);
  EXPECT_THROW(own->SetAddressMode(CudaSplineAddressMode::Mirror), itk::ExceptionObject);
  own->SetInputImage(nullptr);
}

} // namespace
