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
// CudaWarpImageFilter. Expected values: ITK's filter with ITK's interpolators. Tolerance of real numbers: 1e-9 of the
// range in double (100; ITK's own truncation of B-splines is 3.7e-10), 1e-6 in float. Voxels may differ whose
// continuous index, by ITK's own functions, is within 1e-9 of the border of the image, or for nearest neighbours of a
// tie; flips are counted. Integers differ by one where the real value is that close to an integer (few, and counted).

#include "WarpTestSupport.h"

#include "itkCudaVectorBSplineInterpolateImageFunction.h"

#include "itkCovariantVector.h"

#include <type_traits>

using namespace CudaSplineTest;

namespace
{

class CudaWarpImageFilter : public OnEachBackend
{
protected:
  /** Compares ITK's result with ours for three interpolators, with a field on the grid of the output or on its own, and
   * a part. */
  template <typename TField>
  void
  ExpectAgreement(bool isOnOutput)
  {
    constexpr unsigned int VDimension = TField::ImageDimension;
    using Input = itk::Image<float, VDimension>;
    using Output = itk::Image<double, VDimension>;
    using Ours = itk::CudaWarpImageFilter<Input, Output, TField>;
    using Theirs = ItkWarp<Input, Output, TField>;
    const auto input = MakePhantom<Input>(0.0, 100.0);
    const auto grid = MakeGrid(input.GetPointer());
    const auto field = MakeField<TField>(5, isOnOutput ? grid.GetPointer() : nullptr);
    for (const Interpolator & interpolator : { Interpolator{ "NearestNeighborInterpolateImageFunction", 0 },
                                               Interpolator{ "LinearInterpolateImageFunction", 0 },
                                               Interpolator{ "BSplineInterpolateImageFunction", 3 },
                                               Interpolator{ "CudaBSplineInterpolateImageFunction", 5 } })
    {
      SCOPED_TRACE(interpolator.name + (isOnOutput ? ", on the output" : ""));
      const auto setUp = [&](auto filter, bool itkOnly) {
        using Resample = itk::ResampleImageFilter<Input, Output>;
        filter->SetInput(input);
        filter->SetDisplacementField(field);
        filter->SetOutputParametersFromImage(grid);
        filter->SetInterpolator(MakeInterpolator<Resample>(interpolator, itkOnly));
        filter->SetEdgePaddingValue(-7.5);
      };
      auto ours = Ours::New();
      ours->SetGPUEnabled(this->OnGpu());
      setUp(ours, false);
      ours->Update();
      auto theirs = Theirs::New();
      setUp(theirs, true);
      theirs->Update();
      ExpectPromisedWarp(ours.GetPointer(), this->OnGpu(), interpolator.name);
      EXPECT_EQ(theirs->IsFieldOnOutput(), isOnOutput);
      EXPECT_EQ(ours->GetOutput()->GetLargestPossibleRegion(), theirs->GetOutput()->GetLargestPossibleRegion());
      EXPECT_EQ(ours->GetOutput()->GetOrigin(), theirs->GetOutput()->GetOrigin());
      EXPECT_EQ(ours->GetOutput()->GetSpacing(), theirs->GetOutput()->GetSpacing());
      EXPECT_EQ(ours->GetOutput()->GetDirection(), theirs->GetOutput()->GetDirection());
      const bool isNearest = interpolator.name == "NearestNeighborInterpolateImageFunction";
      ExpectSameButForFlips(
        ours->GetOutput(), theirs->GetOutput(), input.GetPointer(), theirs.GetPointer(), isNearest, 100.0 * 1e-9);
      const double inside = FractionOtherThan(theirs->GetOutput(), -7.5);
      EXPECT_GT(inside, 0.2);
      EXPECT_LT(inside, 0.999);

      // A part equals the same part of the whole.
      auto region = ours->GetOutput()->GetLargestPossibleRegion();
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        region.SetIndex(d, region.GetIndex(d) + 7 + d);
        region.SetSize(d, region.GetSize(d) / 2);
      }
      auto part = Ours::New();
      part->SetGPUEnabled(this->OnGpu());
      setUp(part, false);
      part->UpdateOutputInformation();
      part->GetOutput()->SetRequestedRegion(region);
      part->GetOutput()->Update();
      EXPECT_EQ(part->GetOutput()->GetBufferedRegion(), region);
      for (itk::ImageRegionConstIteratorWithIndex<Output> it(part->GetOutput(), region); !it.IsAtEnd(); ++it)
      {
        ASSERT_EQ(it.Get(), ours->GetOutput()->GetPixel(it.GetIndex())) << it.GetIndex();
      }
    }
  }

  /** Two dimensions, with other pixel types: the same numbers as ITK's. */
  template <typename TInput, typename TOutput>
  void
  ExpectSamePixels(unsigned int components, const std::string & interpolator)
  {
    using Field = itk::Image<itk::Vector<float, 2>, 2>;
    const auto input = MakeVectors<TInput>(components);
    const auto field = MakeField<Field>(6);
    const auto run = [&](auto filter) {
      filter->SetInput(input);
      filter->SetDisplacementField(field);
      filter->SetOutputParametersFromImage(input);
      if (interpolator == "NearestNeighborInterpolateImageFunction")
      {
        filter->SetInterpolator(itk::NearestNeighborInterpolateImageFunction<TInput>::New());
      }
      filter->Update();
      return Numbers(filter->GetOutput());
    };
    auto filter = itk::CudaWarpImageFilter<TInput, TOutput, Field>::New();
    filter->SetGPUEnabled(this->OnGpu());
    const auto ours = run(filter);
    const auto theirs = run(ItkWarp<TInput, TOutput, Field>::New());
    using Pixel = typename TOutput::PixelType;
    ExpectPromisedWarp(filter.GetPointer(),
                       this->OnGpu(),
                       interpolator,
                       itk::CudaSpline::IsSupportedScalar<Pixel> ? "scalar" : "vector");
    ASSERT_EQ(ours.size(), theirs.size());
    using Component = typename decltype(ours)::value_type;
    const bool isWhole = std::is_integral<Component>::value;
    long       differing = 0;
    for (std::size_t i = 0; i < ours.size(); ++i)
    {
      ASSERT_NEAR(ours[i], theirs[i], isWhole ? 1.0 : 1.3e-4) << i;
      differing += ours[i] != theirs[i] ? 1 : 0;
    }
    EXPECT_LE(differing, isWhole ? static_cast<long>(ours.size() / 1000) : static_cast<long>(ours.size()));
  }
};

CUDASPLINE_ON_EACH_BACKEND(CudaWarpImageFilter);

} // namespace

TEST_P(CudaWarpImageFilter, FieldOnTheOutput)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<FieldOf<float, 2>>(true);
  this->ExpectAgreement<FieldOf<double, 3>>(true);
}

TEST_P(CudaWarpImageFilter, FieldOfItsOwnPlace)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<FieldOf<float, 2>>(false);
  this->ExpectAgreement<FieldOf<float, 3>>(false);
  this->ExpectAgreement<FieldOf<double, 3>>(false);
}

TEST_P(CudaWarpImageFilter, OtherVectors)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<itk::Image<itk::CovariantVector<float, 2>, 2>>(false);
  this->ExpectAgreement<itk::VectorImage<float, 2>>(false);
  this->ExpectAgreement<itk::VectorImage<double, 2>>(true);
}

TEST_P(CudaWarpImageFilter, PixelTypes)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const std::string linear = "LinearInterpolateImageFunction";
  const std::string nearest = "NearestNeighborInterpolateImageFunction";
  using Short = itk::Image<short, 2>;
  using Bytes = itk::Image<unsigned char, 2>;
  using Vectors =
    itk::VectorImage<float, 2>; // ITK's filter does not support other images with several numbers per pixel
  using Colours = itk::VectorImage<unsigned char, 2>;
  this->ExpectSamePixels<Short, Bytes>(1, linear);
  this->ExpectSamePixels<Short, Short>(1, nearest);
  this->ExpectSamePixels<Colours, Colours>(3, linear);
  this->ExpectSamePixels<Colours, Colours>(3, nearest);
  this->ExpectSamePixels<Vectors, Vectors>(4, linear);
}

// Padding of vector images: zeros if its length differs, as in ITK.
TEST_P(CudaWarpImageFilter, PaddingOfVectorImages)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::VectorImage<float, 2>;
  using Field = FieldOf<float, 2>;
  const auto input = MakeVectors<Image>(3);
  const auto grid = MakeGrid(ComponentOf(input.GetPointer(), 0).GetPointer());
  const auto field = MakeField<Field>(6, grid);
  for (const unsigned int length : { 2U, 3U })
  {
    Image::PixelType padding(length);
    padding.Fill(-4.25F);
    const auto run = [&](auto filter) {
      filter->SetInput(input);
      filter->SetDisplacementField(field);
      filter->SetOutputParametersFromImage(grid);
      filter->SetEdgePaddingValue(padding);
      filter->Update();
      return Numbers(filter->GetOutput());
    };
    auto filter = itk::CudaWarpImageFilter<Image, Image, Field>::New();
    filter->SetGPUEnabled(this->OnGpu());
    const auto ours = run(filter);
    const auto theirs = run(ItkWarp<Image, Image, Field>::New());
    ExpectPromisedWarp(filter.GetPointer(), this->OnGpu(), "LinearInterpolateImageFunction", "vector");
    ASSERT_EQ(ours.size(), theirs.size());
    long padded = 0;
    for (std::size_t i = 0; i < ours.size(); ++i)
    {
      ASSERT_NEAR(ours[i], theirs[i], 1.3e-4);
      padded += theirs[i] == (length == 3 ? -4.25F : 0.0F) ? 1 : 0;
    }
    EXPECT_GT(padded, 100);
  }
}

// B-splines of vectors, which ITK lacks: each component is the same as when ITK warps it alone.
TEST_P(CudaWarpImageFilter, SplinesOfVectors)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::VectorImage<float, 3>;
  using Scalars = itk::Image<float, 3>;
  using Field = FieldOf<float, 3>;
  const auto input = MakeVectors<Image>(3);
  const auto field = MakeField<Field>(6);
  auto       ours = itk::CudaWarpImageFilter<Image, Image, Field>::New();
  ours->SetGPUEnabled(this->OnGpu());
  ours->SetInput(input);
  ours->SetDisplacementField(field);
  ours->SetOutputParametersFromImage(input);
  ours->SetInterpolator(itk::CudaVectorBSplineInterpolateImageFunction<Image>::New());
  ours->Update();
  ExpectPromisedWarp(ours.GetPointer(), this->OnGpu(), "CudaVectorBSplineInterpolateImageFunction", "vector");
  for (unsigned int c = 0; c < 3; ++c)
  {
    auto theirs = ItkWarp<Scalars, Scalars, Field>::New();
    theirs->SetInput(ComponentOf(input.GetPointer(), c));
    theirs->SetDisplacementField(field);
    theirs->SetOutputParametersFromImage(input);
    theirs->SetInterpolator(itk::BSplineInterpolateImageFunction<Scalars>::New());
    theirs->Update();
    EXPECT_LE(Compare(ComponentOf(ours->GetOutput(), c).GetPointer(), theirs->GetOutput()).maximum, 1.3e-4);
  }
}
