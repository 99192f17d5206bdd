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
#ifndef InterpolationTestSupport_h
#define InterpolationTestSupport_h

#include "itkCudaSplineInterpolateImageFunction.h"

#include "GpuOnAndOff.h"
#include "RandomData.h"
#include "ReferenceSpline.h"
#include "SplineErrorBounds.h"
#include "SplineTestImages.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/** \file
 * \brief Points, references and comparisons for the tests of the module's interpolators.
 *
 * No object factory is registered in these programs, so every ITK class that they create is ITK's own. */

namespace CudaSplineTest
{

using itk::CudaSpline::Backend;
using itk::CudaSplineAddressMode;

/** Address modes other than ITK's rule. */
inline const std::vector<CudaSplineAddressMode> EveryAddressMode{ CudaSplineAddressMode::Nearest,
                                                                  CudaSplineAddressMode::GridConstant,
                                                                  CudaSplineAddressMode::Mirror,
                                                                  CudaSplineAddressMode::Reflect,
                                                                  CudaSplineAddressMode::GridWrap };

/** \brief Returns points: inside according to ITK's rule, and some outside. With \p reach samples beyond the edges.
 *
 * Inside, they are on samples, half-way, in the half samples at the edges, and on their bounds. */
template <typename TFunction>
std::vector<typename TFunction::ContinuousIndexType>
PointsIn(const TFunction * function, Random & random, int count, bool someOutside, double reach = 0.0)
{
  using Index = typename TFunction::ContinuousIndexType;
  using Coordinate = typename Index::ValueType;
  const auto &       region = function->GetInputImage()->GetBufferedRegion();
  std::vector<Index> points;
  for (int i = 0; i < count; ++i)
  {
    Index index;
    for (unsigned int d = 0; d < Index::Dimension; ++d)
    {
      const auto first = static_cast<double>(region.GetIndex(d));
      const auto last = first + static_cast<double>(region.GetSize(d)) - 1.0;
      double     at = random.Uniform(first - 0.5, last + 0.5);
      switch (random.Integer(0, 7))
      {
        case 0:
          at = static_cast<double>(random.Integer(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)));
          break;
        case 1:
          at = std::floor(at) + 0.5;
          break;
        case 2:
          at = random.Uniform(first - 0.5, first);
          break;
        case 3:
          at = random.Uniform(last, last + 0.5);
          break;
        case 4:
          at = random.Integer(0, 1) == 0 ? first - 0.5 : last + 0.5;
          break;
        case 5:
          at = random.Uniform(first - reach, last + reach);
          break;
        default:
          break;
      }
      index[d] = static_cast<Coordinate>(at);
      if (index[d] >= static_cast<Coordinate>(last + 0.5) && reach == 0.0)
      {
        index[d] = std::nextafter(static_cast<Coordinate>(last + 0.5), static_cast<Coordinate>(first));
      }
    }
    if (someOutside && random.Integer(0, 4) == 0)
    {
      const auto   d = static_cast<unsigned int>(random.Integer(0, Index::Dimension - 1));
      const auto   last = static_cast<double>(region.GetIndex(d)) + static_cast<double>(region.GetSize(d)) - 1.0;
      const double choices[] = { last + 0.5,
                                 last + 7.25,
                                 static_cast<double>(region.GetIndex(d)) - 0.75,
                                 std::numeric_limits<double>::quiet_NaN() };
      index[d] = static_cast<Coordinate>(choices[random.Integer(0, 3)]);
    }
    points.push_back(index);
  }
  return points;
}

/** Returns the sample at \p index of a line of \p size under an address mode, or -1 for the border value. It is read
 * from an explicit period. */
inline std::int64_t
SampleUnder(CudaSplineAddressMode mode, std::int64_t index, std::int64_t size)
{
  switch (mode)
  {
    case CudaSplineAddressMode::GridConstant:
      return index < 0 || index >= size ? -1 : index;
    case CudaSplineAddressMode::Mirror:
      return ReferenceFold(index, ExtensionPeriod(size, Extension::Mirror));
    case CudaSplineAddressMode::Reflect:
      return ReferenceFold(index, ExtensionPeriod(size, Extension::Reflect));
    case CudaSplineAddressMode::GridWrap:
      return ReferenceFold(index, ExtensionPeriod(size, Extension::GridWrap));
    default:
      return index < 0 ? 0 : (index >= size ? size - 1 : index);
  }
}

/** Returns an image in double with \p pad additional samples on each side, which extend it with address modes. Every
 * method then finds its samples in memory. Index and physical space are those of the image. */
template <typename TImage>
typename itk::Image<double, TImage::ImageDimension>::Pointer
Padded(const TImage *                                                    image,
       const std::array<CudaSplineAddressMode, TImage::ImageDimension> & modes,
       double                                                            border,
       std::int64_t                                                      pad)
{
  using Result = itk::Image<double, TImage::ImageDimension>;
  const auto & from = image->GetBufferedRegion();
  auto         region = from;
  region.PadByRadius(pad);
  auto padded = Result::New();
  padded->CopyInformation(image);
  padded->SetRegions(region);
  padded->Allocate();
  const auto count = static_cast<itk::OffsetValueType>(region.GetNumberOfPixels());
  for (itk::OffsetValueType i = 0; i < count; ++i)
  {
    auto index = padded->ComputeIndex(i);
    bool inside = true;
    for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
    {
      const auto sample =
        SampleUnder(modes[d], index[d] - from.GetIndex(d), static_cast<std::int64_t>(from.GetSize(d)));
      inside = inside && sample >= 0;
      index[d] = from.GetIndex(d) + sample;
    }
    padded->GetBufferPointer()[i] = inside ? static_cast<double>(image->GetPixel(index)) : border;
  }
  return padded;
}

/** \brief Compares batches of every form with single evaluations of the same object.
 *
 * \param[in] function the interpolator, which has an image
 * \param[in] indices continuous indices
 * \param[in] tolerance tolerance of values with double results (rounding: the device fuses operations)
 * \param[in] floatTolerance tolerance of values with float results */
template <typename TFunction>
void
ExpectBatchesAreSingle(const TFunction *                                            function,
                       const std::vector<typename TFunction::ContinuousIndexType> & indices,
                       double                                                       tolerance,
                       double                                                       floatTolerance,
                       Backend                                                      promised)
{
  using Index = typename TFunction::ContinuousIndexType;
  using Point = typename TFunction::PointType;
  using Coordinate = typename Index::ValueType;
  using PointSet = itk::PointSet<float, Index::Dimension>;
  constexpr unsigned int     D = Index::Dimension;
  constexpr double           outside = -77.0;
  const std::size_t          n = indices.size();
  std::vector<Point>         points(n);
  std::vector<double>        single(n);
  std::vector<double>        singleOfPoint(n);
  std::vector<unsigned char> inside(n);
  std::vector<unsigned char> pointInside(n);
  std::vector<Coordinate>    flat;
  std::vector<double>        flatPoints;
  std::vector<float>         floats;
  auto                       set = PointSet::New();
  std::vector<double>        singleOfSet(n); // its points are float
  using Container = itk::VectorContainer<unsigned int, Point>;
  auto container = Container::New();
  for (std::size_t i = 0; i < n; ++i)
  {
    function->GetInputImage()->TransformContinuousIndexToPhysicalPoint(indices[i], points[i]);
    inside[i] = function->IsInsideBuffer(indices[i]) ? 1 : 0;
    single[i] = inside[i] ? static_cast<double>(function->EvaluateAtContinuousIndex(indices[i])) : outside;
    pointInside[i] = function->IsInsideBuffer(points[i]) ? 1 : 0;
    singleOfPoint[i] = pointInside[i] ? static_cast<double>(function->Evaluate(points[i])) : outside;
    typename PointSet::PointType setPoint;
    Point                        back;
    for (unsigned int d = 0; d < D; ++d)
    {
      flat.push_back(indices[i][d]);
      flatPoints.push_back(points[i][d]);
      floats.push_back(static_cast<float>(indices[i][d]));
      setPoint[d] = static_cast<typename PointSet::PointType::ValueType>(points[i][d]);
      back[d] = static_cast<Coordinate>(setPoint[d]);
    }
    set->SetPoint(static_cast<typename PointSet::PointIdentifier>(i), setPoint);
    singleOfSet[i] = function->IsInsideBuffer(back) ? static_cast<double>(function->Evaluate(back)) : outside;
    container->InsertElement(static_cast<unsigned int>(i), points[i]);
  }

  const auto expect = [&](const auto & values, const std::vector<double> & expected, double bound, const char * what) {
    ASSERT_EQ(values.size(), expected.size()) << what;
    for (std::size_t i = 0; i < n; ++i)
    {
      const auto value = static_cast<double>(values[i]);
      if (expected[i] == outside)
      {
        ASSERT_EQ(value, outside) << what << ", " << indices[i];
      }
      else
      {
        ASSERT_LE(std::abs(value - expected[i]), bound) << what << ", " << indices[i] << " " << value;
      }
    }
    EXPECT_STREQ(NameOf(function->GetLastBackend()), NameOf(promised)) << function->GetFallbackReason();
  };

  expect(function->EvaluateAtContinuousIndices(indices, outside), single, tolerance, "std::vector of indices");
  expect(function->EvaluateAtPoints(points, outside), singleOfPoint, tolerance, "std::vector of points");
  expect(function->EvaluateAtPoints(container.GetPointer(), outside), singleOfPoint, tolerance, "VectorContainer");
  expect(function->EvaluateAtPoints(set.GetPointer(), outside), singleOfSet, tolerance, "PointSet");

  std::vector<double>                 values(n);
  std::vector<unsigned char>          mask(n, 2);
  itk::CudaSplineBatchResults<double> results;
  results.values = values.data();
  results.inside = mask.data();
  results.defaultValue = outside;
  function->EvaluateAtContinuousIndices(flat.data(), n, results);
  expect(values, single, tolerance, "indices");
  EXPECT_EQ(mask, inside);
  std::fill(mask.begin(), mask.end(), static_cast<unsigned char>(2));
  function->EvaluateAtPoints(flatPoints.data(), n, results);
  expect(values, singleOfPoint, tolerance, "points");
  EXPECT_EQ(mask, pointInside);
  const auto fill = [&] {
    std::fill(mask.begin(), mask.end(), static_cast<unsigned char>(2));
    std::fill(values.begin(), values.end(), std::nan(""));
  };
  fill();
  function->EvaluateAtContinuousIndices(indices, results);
  expect(values, single, tolerance, "std::vector of indices, with a mask");
  EXPECT_EQ(mask, inside);
  fill();
  function->EvaluateAtPoints(container.GetPointer(), results);
  expect(values, singleOfPoint, tolerance, "VectorContainer, with a mask");
  EXPECT_EQ(mask, pointInside);
  fill();
  function->EvaluateAtPoints(set.GetPointer(), results);
  expect(values, singleOfSet, tolerance, "PointSet, with a mask");
  // Only the mask.
  std::fill(mask.begin(), mask.end(), static_cast<unsigned char>(2));
  results.values = nullptr;
  function->EvaluateAtContinuousIndices(flat.data(), n, results);
  EXPECT_EQ(mask, inside);

  // Arrays of float: the index is rounded.
  std::vector<double> ofFloats(n);
  for (std::size_t i = 0; i < n; ++i)
  {
    Index index;
    for (unsigned int d = 0; d < D; ++d)
    {
      index[d] = static_cast<Coordinate>(floats[i * D + d]);
    }
    ofFloats[i] =
      function->IsInsideBuffer(index) ? static_cast<double>(function->EvaluateAtContinuousIndex(index)) : outside;
  }
  std::vector<float>                 floatValues(n);
  itk::CudaSplineBatchResults<float> floatResults;
  floatResults.values = floatValues.data();
  floatResults.defaultValue = static_cast<float>(outside);
  function->EvaluateAtContinuousIndices(floats.data(), n, floatResults);
  expect(floatValues, ofFloats, floatTolerance, "float");
}

/** EvaluateAtIndex() returns the pixel if there is one, otherwise the value of the mode, at any distance. */
template <typename TFunction, typename TImage>
void
ExpectPixelsAndBeyond(TFunction * function, const TImage * image, Random & random)
{
  const auto & region = image->GetBufferedRegion();
  for (int i = 0; i < 60; ++i)
  {
    typename TImage::IndexType index = region.GetIndex();
    for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
    {
      const auto reach = random.Integer(0, 9) == 0 ? 1000000 : 3;
      index[d] += random.Integer(-reach, static_cast<std::int64_t>(region.GetSize(d)) + reach);
    }
    if (region.IsInside(index))
    {
      ASSERT_EQ(function->EvaluateAtIndex(index), image->GetPixel(index)) << index;
    }
    else if (function->IsInsideBuffer(index))
    {
      const itk::ContinuousIndex<double, TImage::ImageDimension> at(index);
      ASSERT_EQ(function->EvaluateAtIndex(index), function->EvaluateAtContinuousIndex(at)) << index;
    }
  }
}

} // namespace CudaSplineTest

#endif
