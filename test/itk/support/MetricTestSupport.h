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
#ifndef CudaSplineTest_MetricTestSupport_h
#define CudaSplineTest_MetricTestSupport_h

#include "GpuOnAndOff.h"
#include "MetricTestFields.h"
#include "MetricTestImages.h"
#include "RandomData.h"

#include "itkCudaSplineImageMetric.h"

#include "itkBSplineInterpolateImageFunction.h"
#include "itkNearestNeighborInterpolateImageFunction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

/** \file
 * \brief Settings of metrics, and the comparison with ITK's metric.
 *
 * The reference is ITK's metric on one thread, made without a factory. Tolerances are the promises of the metrics
 * (CudaSplineImageMetric): rounding of sums over some thousand samples in double, of values and gradients in float. */

namespace CudaSplineTest
{

/** Configuration of a metric. */
struct MetricCase
{
  std::string transform{ "affine" };       ///< see MetricTransforms() and FieldTransforms()
  int         splineOrder{ -1 };           ///< of the moving interpolator; -1: linear, -2: nearest neighbours
  bool        centralDifferences{ false }; ///< otherwise ITK's default, the image of the gradient filter
  bool        fixedMask{ false };
  bool        movingMask{ false };
  int         sampling{ 0 };       ///< 0: the virtual domain, 1: a regular point set, 2: a random one
  bool        ownDomain{ false };  ///< a virtual domain that is coarser than the fixed image, and rotated
  bool        fixedMoves{ false }; ///< a fixed transform that rotates, scales and shears
  bool        fixedField{ false }; ///< a fixed transform that is a displacement field
  bool        isDouble{ true };

  /** Returns whether the derivative is by coefficients. */
  bool
  IsBySpline() const
  {
    return transform.compare(0, 8, "B-spline") == 0;
  }

  /** Returns whether the derivative is by the displacements of a field. */
  bool
  IsByField() const
  {
    return transform.compare(0, 5, "field") == 0;
  }

  std::string
  Text() const
  {
    return transform + ", order " + std::to_string(splineOrder) + (centralDifferences ? ", differences" : ", filter") +
           (fixedMask ? ", fixed mask" : "") + (movingMask ? ", moving mask" : "") + ", sampling " +
           std::to_string(sampling) + (ownDomain ? ", own domain" : "") + (fixedMoves ? ", fixed transform" : "") +
           (fixedField ? ", fixed field" : "") + (isDouble ? ", double" : ", single");
  }
};

/** Configures a metric, ITK's or the module's. */
template <typename TMetric, typename TImage>
void
SetUpMetric(TMetric * metric, const MetricCase & what, const MetricImages<TImage> & images)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  metric->SetFixedImage(images.fixed);
  metric->SetMovingImage(images.moving);
  metric->SetMovingTransform(what.IsByField() ? FieldTransform(what.transform, images.fixed.GetPointer())
                                              : MetricTransform<dimension>(what.transform));
  if (what.splineOrder >= 0)
  {
    auto spline = itk::BSplineInterpolateImageFunction<TImage, double>::New();
    spline->SetSplineOrder(static_cast<unsigned int>(what.splineOrder));
    metric->SetMovingInterpolator(spline);
  }
  else if (what.splineOrder == -2)
  {
    metric->SetMovingInterpolator(itk::NearestNeighborInterpolateImageFunction<TImage, double>::New());
  }
  metric->SetUseMovingImageGradientFilter(!what.centralDifferences);
  metric->SetUseFixedImageGradientFilter(!what.centralDifferences);
  if (what.fixedMask)
  {
    metric->SetFixedImageMask(HalfMask(images.fixed.GetPointer(), true));
  }
  if (what.movingMask)
  {
    metric->SetMovingImageMask(HalfMask(images.moving.GetPointer(), true));
  }
  if (what.ownDomain)
  {
    auto domain = TImage::New();
    domain->CopyInformation(images.fixed);
    typename TImage::RegionType  region = images.fixed->GetBufferedRegion();
    typename TImage::SpacingType spacing = images.fixed->GetSpacing();
    for (unsigned int d = 0; d < dimension; ++d)
    {
      region.SetSize(d, region.GetSize(d) * 3 / 4);
      region.SetIndex(d, -static_cast<itk::IndexValueType>(region.GetSize(d)) / 2); // about the origin
      spacing[d] *= 1.4; // part of it is outside of the fixed image
    }
    domain->SetRegions(region);
    domain->SetSpacing(spacing);
    typename TImage::PointType centre;
    centre.Fill(0.0);
    domain->SetOrigin(centre);
    domain->SetDirection(typename TImage::DirectionType(ObliqueDirection<dimension>().GetTranspose()));
    metric->SetVirtualDomainFromImage(domain);
    auto fixedTransform = itk::TranslationTransform<double, dimension>::New();
    auto offset = fixedTransform->GetOffset();
    offset[1] = 0.75;
    fixedTransform->SetOffset(offset);
    metric->SetFixedTransform(fixedTransform);
  }
  if (what.fixedMoves)
  {
    metric->SetFixedTransform(MetricTransform<dimension>("affine"));
  }
  if (what.fixedField)
  {
    metric->SetFixedTransform(FieldTransform("field", images.fixed.GetPointer(), 0.9));
  }
  if (what.sampling > 0)
  {
    using PointSet = typename TMetric::FixedSampledPointSetType;
    auto                                      points = PointSet::New();
    Random                                    random(77);
    unsigned int                              number = 0;
    itk::ImageRegionIteratorWithIndex<TImage> it(images.fixed, images.fixed->GetBufferedRegion());
    for (unsigned int i = 0; !it.IsAtEnd(); ++it, ++i)
    {
      if (i % 3 == 0)
      {
        typename TImage::PointType place;
        images.fixed->TransformIndexToPhysicalPoint(it.GetIndex(), place);
        for (unsigned int d = 0; d < dimension && what.sampling == 2; ++d)
        {
          place[d] += random.Uniform(-0.4, 0.4);
        }
        points->SetPoint(number++, place);
      }
    }
    metric->SetFixedSampledPointSet(points);
    metric->SetUseSampledPointSet(true);
  }
}

/** Returns the L2 norm of a difference divided by that of the first. */
template <typename TArray>
double
RelativeDistance(const TArray & expected, const TArray & found)
{
  double square = 0.0;
  double distance = 0.0;
  for (unsigned int p = 0; p < expected.Size(); ++p)
  {
    square += expected[p] * expected[p];
    distance += (expected[p] - found[p]) * (expected[p] - found[p]);
  }
  return std::sqrt(distance) / std::sqrt(square);
}

/** Expects the same numbers within a fraction of their L2 norm, NaN where NaN is expected, and 0 where 0 is expected.
 */
template <typename TArray>
void
ExpectTheSameDerivative(const TArray & expected, const TArray & found, double tolerance)
{
  ASSERT_EQ(found.Size(), expected.Size());
  double square = 0.0;
  double distance = 0.0;
  for (unsigned int p = 0; p < expected.Size(); ++p)
  {
    ASSERT_EQ(std::isnan(found[p]), std::isnan(expected[p])) << "number " << p;
    if (!std::isnan(expected[p]))
    {
      square += expected[p] * expected[p];
      distance += (expected[p] - found[p]) * (expected[p] - found[p]);
    }
  }
  EXPECT_LE(std::sqrt(distance), tolerance * std::sqrt(square));
}

/** Tolerances of a metric: relative, of the value and of the derivative in the L2 norm. */
struct MetricTolerance
{
  double value;
  double derivative;
};

/** Returns the backend that the table specifies for a case. */
inline itk::CudaSpline::Backend
PromisedToMetric(const std::string & className, const MetricCase & what, unsigned int dimension, bool onGpu)
{
  const char * const interpolator = what.splineOrder == -1   ? "LinearInterpolateImageFunction"
                                    : what.splineOrder == -2 ? "NearestNeighborInterpolateImageFunction"
                                                             : "BSplineInterpolateImageFunction";
  const char * const transform = what.IsBySpline() ? "B-spline" : what.IsByField() ? "displacement" : "linear";
  return PromisedBackend({ className, "scalar", std::to_string(dimension), interpolator, transform, "-" }, onGpu);
}

/** Compares value, derivative and number of valid points with ITK's, and the backend with the table. */
template <typename TReference, typename TMetric, typename TImage>
void
CompareMetric(const MetricCase &           what,
              const MetricImages<TImage> & images,
              const MetricTolerance &      tolerance,
              bool                         onGpu)
{
  SCOPED_TRACE(what.Text());
  auto reference = TReference::New();
  SetUpMetric(reference.GetPointer(), what, images);
  reference->SetMaximumNumberOfWorkUnits(1);
  reference->Initialize();
  auto metric = TMetric::New();
  SetUpMetric(metric.GetPointer(), what, images);
  metric->SetGPUEnabled(onGpu);
  metric->SetPrecision(what.isDouble ? itk::CudaSplinePrecision::Double : itk::CudaSplinePrecision::Single);
  metric->Initialize();
  const auto promised = PromisedToMetric(metric->GetNameOfClass(), what, TImage::ImageDimension, onGpu);

  typename TMetric::MeasureType    expected;
  typename TMetric::DerivativeType expectedDerivative;
  reference->GetValueAndDerivative(expected, expectedDerivative);
  typename TMetric::MeasureType    value;
  typename TMetric::DerivativeType derivative;
  metric->GetValueAndDerivative(value, derivative);
  ASSERT_EQ(metric->GetLastBackend(), promised) << metric->GetFallbackReason();
  EXPECT_EQ(metric->GetNumberOfValidPoints(), reference->GetNumberOfValidPoints());
  ASSERT_GT(reference->GetNumberOfValidPoints(), 40u);
  EXPECT_NEAR(value, expected, tolerance.value * std::abs(expected));
  ASSERT_EQ(derivative.Size(), expectedDerivative.Size());
  EXPECT_LE(RelativeDistance(expectedDerivative, derivative), tolerance.derivative);

  EXPECT_NEAR(metric->GetValue(), expected, tolerance.value * std::abs(expected));
  ASSERT_EQ(metric->GetLastBackend(), promised) << metric->GetFallbackReason();
  EXPECT_EQ(metric->GetNumberOfValidPoints(), reference->GetNumberOfValidPoints());

  // The same bits again, also with another number of threads.
  typename TMetric::MeasureType    again;
  typename TMetric::DerivativeType derivativeAgain;
  metric->SetMaximumNumberOfWorkUnits(1);
  metric->GetValueAndDerivative(again, derivativeAgain);
  EXPECT_EQ(again, value);
  EXPECT_EQ(derivativeAgain, derivative);
}

/** Compares with ITK's metric if no sample is valid: value, derivative and count, or an exception of both. */
template <typename TReference, typename TMetric, typename TImage>
void
CompareNothingInCommon(const MetricImages<TImage> & images, const std::string & transform, bool onGpu)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  using Mask = itk::ImageMaskSpatialObject<dimension>;
  for (const std::string how : { "far moving image", "far fixed image", "fixed mask", "moving mask", "both masks" })
  {
    SCOPED_TRACE(transform + ", " + how);
    MetricCase what;
    what.transform = transform;
    what.centralDifferences = true;
    const auto ask = [&](auto * metric) {
      SetUpMetric(metric, what, images);
      const auto emptyOf = [](const TImage * image) {
        auto pixels = Mask::ImageType::New();
        pixels->CopyInformation(image);
        pixels->SetRegions(image->GetBufferedRegion());
        pixels->Allocate(true);
        auto mask = Mask::New();
        mask->SetImage(pixels);
        mask->Update();
        return mask;
      };
      auto far = itk::TranslationTransform<double, dimension>::New();
      auto offset = far->GetOffset();
      offset.Fill(1e5);
      far->SetOffset(offset);
      if (how == "far moving image")
      {
        auto beside = TImage::New();
        beside->Graft(images.moving);
        auto origin = beside->GetOrigin();
        origin[0] += 1e5;
        beside->SetOrigin(origin);
        metric->SetMovingImage(beside);
      }
      if (how == "far fixed image")
      {
        metric->SetFixedTransform(far);
      }
      if (how == "fixed mask" || how == "both masks")
      {
        metric->SetFixedImageMask(emptyOf(images.fixed));
      }
      if (how == "moving mask" || how == "both masks")
      {
        metric->SetMovingImageMask(emptyOf(images.moving));
      }
      typename TMetric::MeasureType    value{};
      typename TMetric::DerivativeType derivative;
      std::string                      answer;
      try
      {
        metric->Initialize();
        metric->GetValueAndDerivative(value, derivative);
        answer = testing::PrintToString(value) + ", " + std::to_string(derivative.Size()) + " numbers of " +
                 testing::PrintToString(derivative.two_norm()) + ", " +
                 std::to_string(metric->GetNumberOfValidPoints()) + " points";
        answer += ", " + testing::PrintToString(metric->GetValue());
      }
      catch (const itk::ExceptionObject &)
      {
        answer += " an exception";
      }
      return answer;
    };
    auto metric = TMetric::New();
    metric->SetGPUEnabled(onGpu);
    EXPECT_EQ(ask(metric.GetPointer()), ask(TReference::New().GetPointer()));
    EXPECT_NE(metric->GetLastBackend(), itk::CudaSpline::Backend::Superclass) << metric->GetFallbackReason();
  }
}

} // namespace CudaSplineTest

#endif
