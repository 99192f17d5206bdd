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
// Spline evaluation and the line recursion against ITK's B-spline classes.
//
// Expected values: itk::BSplineInterpolateImageFunction on the same coefficients (a subclass sets them), so that
// only the evaluation is compared; itk::BSplineDecompositionImageFilter on single lines. Tolerance: evaluation: the
// module's VDimension (VOrder + 4) units of 2^-53 and ITK's: one unit for each of its (VOrder + 1)^VDimension
// sequential additions and 16 per axis for its weights; for derivatives twice that, and a rounding of the coordinate,
// to which ITK adds 1/2 (second derivatives' weights' absolute values sum to at most 4). Decomposition: ITK truncates
// its start at 1e-10 and has an error of at most 3.7e-10 of the range; the module's error is negligible.

#include "itkCudaSpline/math/LineRecursion.h"
#include "itkCudaSpline/math/SplineEvaluation.h"

#include "RandomData.h"
#include "TestOrders.h"

#include "itkBSplineDecompositionImageFilter.h"
#include "itkBSplineInterpolateImageFunction.h"
#include "itkImage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::CoefficientGrid;
using itk::CudaSpline::Extension;
using itk::CudaSpline::FilterSegment;
using itk::CudaSpline::FoldIndex;
using itk::CudaSpline::LineSegmentLength;
using itk::CudaSpline::SplineValueAndDerivative;

/** ITK's interpolator, with access to its coefficients. */
template <typename TImage>
class OpenInterpolator : public itk::BSplineInterpolateImageFunction<TImage, double, double>
{
public:
  using Self = OpenInterpolator;
  using Pointer = itk::SmartPointer<Self>;
  static Pointer
  New()
  {
    Pointer object = new Self;
    object->UnRegister();
    return object;
  }

  const double *
  Coefficients() const
  {
    return this->m_Coefficients->GetBufferPointer();
  }
};

template <unsigned int VDimension>
typename itk::Image<double, VDimension>::Pointer
RandomImage(Random & random, std::int64_t smallest, std::int64_t largest)
{
  using ImageType = itk::Image<double, VDimension>;
  const auto                     image = ImageType::New();
  typename ImageType::RegionType region;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    region.SetIndex(d, random.Integer(-20, 20));
    region.SetSize(d, static_cast<itk::SizeValueType>(random.Integer(smallest, largest)));
  }
  image->SetRegions(region);
  image->Allocate();
  for (std::size_t k = 0; k < region.GetNumberOfPixels(); ++k)
  {
    image->GetBufferPointer()[k] = random.Uniform(-1.0, 1.0);
  }
  return image;
}

template <unsigned int VDimension>
void
ExpectEvaluation(int images)
{
  using ImageType = itk::Image<double, VDimension>;
  SCOPED_TRACE("dimension " + std::to_string(VDimension));
  Random random(__LINE__ + VDimension);
  ForOrders<0, 5>([&](auto order) {
    constexpr unsigned int n = order();
    for (int trial = 0; trial < images; ++trial)
    {
      // From 4 samples on ITK's single fold is enough for every order.
      const auto image = RandomImage<VDimension>(random, 4, 9);
      const auto function = OpenInterpolator<ImageType>::New();
      function->SetSplineOrder(n);
      function->SetInputImage(image);
      CoefficientGrid<VDimension, double> grid;
      grid.data = function->Coefficients();
      double largest = 0;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        grid.extent.start[d] = image->GetBufferedRegion().GetIndex(d);
        grid.extent.size[d] = static_cast<std::int64_t>(image->GetBufferedRegion().GetSize(d));
      }
      for (std::int64_t k = 0; k < grid.extent.Count(); ++k)
      {
        largest = std::max(largest, std::abs(grid.data[k]));
      }
      const double bound =
        (VDimension * (n + 4.0) + std::pow(n + 1.0, VDimension) + 16.0 * VDimension) * UnitOfRounding<double> * largest;
      for (int point = 0; point < 100; ++point)
      {
        typename OpenInterpolator<ImageType>::ContinuousIndexType itkIndex;
        double                                                    index[VDimension];
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          const auto low = static_cast<double>(grid.extent.start[d]) - 0.5;
          const auto size = static_cast<double>(grid.extent.size[d]);
          // Half of them next to a breakpoint, where the float floor decides which support it is.
          index[d] =
            point % 2 == 0
              ? random.Uniform(low, low + size)
              : random.Near(low + 0.5 * static_cast<double>(random.Integer(1, 2 * grid.extent.size[d] - 1)), 100);
          itkIndex[d] = index[d];
        }
        double value;
        double derivative[VDimension];
        SplineValueAndDerivative<n>(grid, index, value, derivative);
        const double expected = function->EvaluateAtContinuousIndex(itkIndex);
        const auto   gradient = function->EvaluateDerivativeAtContinuousIndex(itkIndex);
        if (n == 0)
        {
          ASSERT_EQ(value, expected) << itkIndex;
        }
        ASSERT_NEAR(value, expected, bound) << itkIndex;
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          ASSERT_NEAR(
            derivative[d], gradient[d], 2 * bound + 4 * largest * UnitOfRounding<double> * (std::abs(index[d]) + 1))
            << itkIndex;
        }
      }
    }
  });
}

TEST(SplineAgainstITK, Evaluation)
{
  ExpectEvaluation<1>(20);
  ExpectEvaluation<2>(10);
  ExpectEvaluation<3>(4);
}

TEST(SplineAgainstITK, DecompositionOfLines)
{
  using ImageType = itk::Image<double, 1>;
  Random random(__LINE__);
  ForOrders<2, 5>([&](auto order) {
    constexpr unsigned int n = order();
    for (const std::int64_t size : { 2, 3, 4, 7, 31, 32, 33, 100, 1000 })
    {
      const auto image = RandomImage<1>(random, size, size);
      const auto filter = itk::BSplineDecompositionImageFilter<ImageType, ImageType>::New();
      filter->SetSplineOrder(n);
      filter->SetInput(image);
      filter->Update();
      const double * samples = image->GetBufferPointer();
      const double * expected = filter->GetOutput()->GetBufferPointer();
      for (std::int64_t begin = 0; begin < size; begin += LineSegmentLength)
      {
        FilterSegment<n, double, double>(
          begin,
          [&](std::int64_t k) { return samples[FoldIndex(k, size, Extension::Mirror)]; },
          [&](int k, double value) {
            if (begin + k < size)
            {
              EXPECT_NEAR(value, expected[begin + k], 2 * 3.7e-10) << "size " << size << ", sample " << begin + k;
            }
          });
      }
    }
  });
}

} // namespace
