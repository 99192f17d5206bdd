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
// CudaResampleImageFilter with ITK's nearest-neighbour extrapolator. Expected values: ITK's filter. Tolerance: 1e-9 of
// the range (ITK truncates the first coefficients of splines); nearest neighbours and values outside are the same bits,
// because indices are, except for flips under transforms that the kernels compute
// (CudaResampleImageFilterTransformsTest).

#include "TransformTestSupport.h"

#include "itkNearestNeighborExtrapolateImageFunction.h"

using namespace CudaSplineTest;

namespace
{

class CudaResampleImageFilterExtrapolation : public OnEachBackend
{
protected:
  /** Compares our filter with ITK's, with the same configuration. */
  template <typename TPrecision, typename TInput, typename TOutput>
  void
  ExpectAgreement(const Interpolator &                                                               interpolator,
                  const itk::Transform<TPrecision, TInput::ImageDimension, TInput::ImageDimension> * transform,
                  const std::string &                                                                kind,
                  itk::CudaSplinePrecision                                                           precision,
                  double                                                                             tolerance)
  {
    using Ours = itk::CudaResampleImageFilter<TInput, TOutput, TPrecision, TPrecision>;
    using Theirs = itk::ResampleImageFilter<TInput, TOutput, TPrecision, TPrecision>;
    SCOPED_TRACE(interpolator.name + " " + std::to_string(interpolator.order) + ", " + kind);
    const auto input = MakePhantom<TInput>(10.0, 110.0);
    const auto run = [&](auto filter, bool itkOnly) {
      using Filter = typename decltype(filter)::ObjectType;
      filter->SetInput(input);
      SetOutputGrid(filter.GetPointer(), input.GetPointer());
      filter->SetTransform(transform);
      filter->SetInterpolator(MakeInterpolator<Filter>(interpolator, itkOnly));
      filter->SetExtrapolator(itk::NearestNeighborExtrapolateImageFunction<TInput, TPrecision>::New());
      filter->SetDefaultPixelValue(3);
      filter->Update();
    };
    auto ours = Ours::New();
    ours->SetGPUEnabled(this->OnGpu());
    ours->SetPrecision(precision);
    run(ours, false);
    auto theirs = Theirs::New();
    run(theirs, true);
    ExpectPromisedBackend(ours.GetPointer(), interpolator.name, this->OnGpu(), kind, "nearest");
    ExpectSameButForFlips(ours->GetOutput(), theirs->GetOutput(), input.GetPointer(), transform, true, tolerance);
    EXPECT_EQ(FractionOtherThan(ours->GetOutput(), 3), 1.0); // nothing is outside
  }
};

CUDASPLINE_ON_EACH_BACKEND(CudaResampleImageFilterExtrapolation);

using Precision = itk::CudaSplinePrecision;

} // namespace

TEST_P(CudaResampleImageFilterExtrapolation, EveryInterpolator)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Output = itk::Image<double, 2>;
  const auto affine = MakeAffineTransform<2>(0.2);
  for (const Interpolator & interpolator : EveryInterpolator)
  {
    this->ExpectAgreement<double, itk::Image<float, 2>, Output>(
      interpolator, affine.GetPointer(), "linear", Precision::Automatic, 100.0 * 1e-9);
    this->ExpectAgreement<double, itk::Image<short, 2>, Output>(
      interpolator, affine.GetPointer(), "linear", Precision::Automatic, 100.0 * 1e-9);
  }
}

TEST_P(CudaResampleImageFilterExtrapolation, InThreeDimensionsAndUnderOtherTransforms)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Input = itk::Image<float, 3>;
  using Output = itk::Image<double, 3>;
  const auto affine = MakeAffineTransform<3>(-0.1);
  const auto spline = MakeSplineTransform<double, 3, 3>(31);
  const auto wave = Wave<3>::New();
  for (const Interpolator & interpolator : { EveryInterpolator[0], EveryInterpolator[1], EveryInterpolator[5] })
  {
    this->ExpectAgreement<double, Input, Output>(
      interpolator, affine.GetPointer(), "linear", Precision::Automatic, 100.0 * 1e-9);
    this->ExpectAgreement<double, Input, Output>(
      interpolator, spline.GetPointer(), "bspline", Precision::Automatic, 100.0 * 1e-9);
    this->ExpectAgreement<double, Input, Output>(
      interpolator, wave.GetPointer(), "other", Precision::Automatic, 100.0 * 1e-9);
  }
}

TEST_P(CudaResampleImageFilterExtrapolation, FloatCoordinates)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  auto affine = itk::AffineTransform<float, 2>::New();
  affine->Rotate2D(0.3F);
  for (const Interpolator & interpolator : { EveryInterpolator[0], EveryInterpolator[1] })
  {
    this->ExpectAgreement<float, itk::Image<float, 2>, itk::Image<double, 2>>(
      interpolator, affine.GetPointer(), "linear", Precision::Automatic, 100.0 * 1e-9);
  }
}

TEST_P(CudaResampleImageFilterExtrapolation, PixelsThatTheArithmeticDoesNotHold)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  // In single precision, integers of 32 bits are rounded inside, but not outside.
  using Image = itk::Image<int, 2>;
  const auto input = MakePhantom<Image>(1.0e9, 2.0e9);
  const auto run = [&](auto filter) {
    filter->SetInput(input);
    SetOutputGrid(filter.GetPointer(), input.GetPointer());
    filter->SetExtrapolator(itk::NearestNeighborExtrapolateImageFunction<Image, double>::New());
    filter->Update();
  };
  auto ours = itk::CudaResampleImageFilter<Image, Image>::New();
  ours->SetGPUEnabled(this->OnGpu());
  ours->SetPrecision(Precision::Single);
  run(ours);
  auto theirs = itk::ResampleImageFilter<Image, Image>::New();
  run(theirs);
  ExpectPromisedBackend(ours.GetPointer(), "LinearInterpolateImageFunction", this->OnGpu(), "linear", "nearest");
  EXPECT_LE(Compare(ours->GetOutput(), theirs->GetOutput()).maximum, 2.0e9 * 1e-6);
  auto inside = itk::ResampleImageFilter<Image, Image>::New();
  inside->SetInput(input);
  SetOutputGrid(inside.GetPointer(), input.GetPointer());
  inside->SetDefaultPixelValue(-1);
  inside->Update();
  long outside = 0;
  for (itk::ImageRegionConstIteratorWithIndex<Image> it(inside->GetOutput(), inside->GetOutput()->GetBufferedRegion());
       !it.IsAtEnd();
       ++it)
  {
    if (it.Get() == -1)
    {
      ASSERT_EQ(ours->GetOutput()->GetPixel(it.GetIndex()), theirs->GetOutput()->GetPixel(it.GetIndex()));
      ++outside;
    }
  }
  EXPECT_GT(outside, 100);
}
