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
#include "LocalMetricTestSupport.h"

#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

/** \file
 * \brief Compares local correlation with ITK's: with transforms of all kinds, and if they move nothing. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

class LocalMetric : public MetricMatrix<LocalReference, LocalOurs>
{
protected:
  MetricTolerance
  ToleranceOf(const MetricCase & what) const override
  {
    return what.isDouble ? LocalInDouble : LocalInSingle;
  }

  /** Images on one grid, as SyN configures the metric. */
  template <typename TImage>
  void
  CompareOnOneGrid(const MetricImages<TImage> & images,
                   unsigned int                 radius,
                   bool                         isDouble,
                   const MetricTolerance &      tolerance)
  {
    const auto both = AskBoth(images, GetParam(), isDouble, [&](auto * metric) {
      SetZeroFields(metric, images.fixed);
      SetRadius(metric, radius);
    });
    ExpectTheSame(both, tolerance);
    EXPECT_GT(both.expected.derivative.two_norm(), 0.0);
    EXPECT_EQ(both.found.flatWindows, 0u);
    EXPECT_TRUE(both.found.comparesPixels);
  }
};

TEST_P(LocalMetric, Transforms)
{
  this->CompareTransforms();
}

TEST_P(LocalMetric, SplinesAndFields)
{
  auto transforms = SplineTransforms();
  for (const std::string & field : FieldTransforms())
  {
    transforms.push_back(field);
  }
  int choice = 0;
  for (const std::string & transform : transforms)
  {
    MetricCase what;
    what.transform = transform;
    what.fixedMask = choice % 4 == 1;
    what.movingMask = choice % 4 >= 2;
    what.centralDifferences = choice % 2 == 1;
    choice % 3 == 0 ? this->Compare<DoubleImage2D>(what) : this->Compare<Image2D>(what);
    choice % 2 == 0 ? this->Compare<Image3D>(what) : this->Compare<DoubleImage3D>(what);
    ++choice;
  }
}

TEST_P(LocalMetric, MasksDomainsAndFixedTransforms)
{
  for (int choice = 0; choice < 16; ++choice)
  {
    MetricCase what;
    what.transform = "rigid";
    what.fixedMask = (choice & 1) != 0;
    what.movingMask = (choice & 2) != 0;
    what.ownDomain = (choice & 4) != 0;
    what.fixedMoves = (choice & 8) != 0;
    what.centralDifferences = choice % 3 == 0;
    what.splineOrder = choice % 5 == 0 ? -2 : -1;
    this->Compare<Image2D>(what);
    this->Compare<Image3D>(what);
  }
}

TEST_P(LocalMetric, FixedDisplacementFields)
{
  int choice = 0;
  for (const char * const transform : { "field", "rigid", "B-spline", "field before others" })
  {
    MetricCase what;
    what.transform = transform;
    what.fixedField = true;
    what.fixedMask = choice % 2 == 1;
    what.movingMask = choice >= 2;
    what.centralDifferences = choice % 3 != 1;
    choice < 2 ? this->Compare<Image3D>(what) : this->Compare<DoubleImage2D>(what);
    ++choice;
  }
}

TEST_P(LocalMetric, FieldsThatMoveNothing)
{
  for (int direction = 0; direction < 4; ++direction)
  {
    const testing::ScopedTrace trace(__FILE__, __LINE__, direction);
    CompareOnOneGrid(NoisyImages<Image2D>({ 37, 29 }, 0.0, direction), 2, true, LocalInDouble);
    CompareOnOneGrid(NoisyImages<Image2D>({ 37, 29 }, 0.0, direction), 4, false, LocalInSingle);
    CompareOnOneGrid(NoisyImages<Image3D>({ 17, 13, 19 }, 0.0, direction), 2, true, LocalInDouble);
    CompareOnOneGrid(NoisyImages<Image3D>({ 17, 13, 19 }, 0.0, direction), 1, false, LocalInSingle);
    CompareOnOneGrid(NoisyImages<DoubleImage2D>({ 37, 29 }, 0.0, direction), 3, true, LocalInDouble);
    CompareOnOneGrid(NoisyImages<DoubleImage3D>({ 17, 13, 19 }, 0.0, direction), 2, true, LocalInDouble);
  }
}

// Pixels are used directly if this costs nothing, and only if nothing moves.
TEST_P(LocalMetric, PixelsAreComparedWhereNothingMovesThem)
{
  using Image = DoubleImage2D;
  using Field = itk::DisplacementFieldTransform<double, 2>;
  const auto compare = [&](const MetricImages<Image> & images, bool comparesPixels, const auto & setUp) {
    const auto both = AskBoth(images, GetParam(), true, setUp);
    ExpectTheSame(both, LocalInDouble);
    EXPECT_EQ(both.found.comparesPixels, comparesPixels);
  };
  const auto images = NoisyImages<Image>({ 31, 23 }, 0.0, 2);
  const auto zero = [&](auto * metric) { SetZeroFields(metric, images.fixed); };
  compare(images, true, [](auto *) {}); // both transforms are identities
  compare(images, true, zero);
  compare(images, true, [&](auto * metric) {
    zero(metric);
    metric->SetFixedImageMask(HalfMask(images.fixed.GetPointer(), true));
  });
  compare(images, true, [&](auto * metric) { // the fixed image moves, the moving one does not
    zero(metric);
    metric->SetFixedTransform(WavyField<Field>(images.fixed.GetPointer(), 0.3));
  });
  compare(images, false, [&](auto * metric) {
    zero(metric);
    metric->SetMovingImageMask(HalfMask(images.moving.GetPointer(), true));
  });
  compare(images, false, [&](auto * metric) { metric->SetMovingTransform(MetricTransform<2>("translation")); });
  for (const itk::SizeValueType voxel : { 0, 31 * 23 - 1 })
  {
    compare(images, false, [&](auto * metric) { // one displacement for all
      const auto field = WavyField<Field>(images.fixed.GetPointer(), 0.0);
      field->GetModifiableDisplacementField()->GetBufferPointer()[voxel][1] = 1e-3;
      metric->SetMovingTransform(field);
    });
  }
  auto origin = images.moving->GetOrigin();
  origin[0] += 1e-3;
  auto beside = NoisyImages<Image>({ 31, 23 }, 0.0, 2);
  beside.moving->SetOrigin(origin);
  compare(beside, false, zero);
}

TEST_P(LocalMetric, PixelsAreNoLongerComparedWhenAFieldBeginsToMove)
{
  using Field = itk::DisplacementFieldTransform<double, 2>;
  const auto images = NoisyImages<DoubleImage2D>({ 31, 23 }, 0.0, 0);
  const auto zero = WavyField<Field>(images.fixed.GetPointer(), 0.0);
  auto       metric = LocalOurs<DoubleImage2D>::New();
  metric->SetGPUEnabled(GetParam());
  const auto still = AskLocal(metric.GetPointer(), images, [&](auto * one) { one->SetMovingTransform(zero); });
  EXPECT_TRUE(metric->GetComparesPixels());
  Field::DerivativeType update(zero->GetNumberOfParameters());
  update.Fill(0.1);
  zero->UpdateTransformParameters(update);
  EXPECT_GT(std::abs(metric->GetValue() - still.value), 1e-6);
  EXPECT_FALSE(metric->GetComparesPixels());
  auto       reference = LocalReference<DoubleImage2D>::New();
  const auto moved = AskLocal(reference.GetPointer(), images, [&](auto * one) { one->SetMovingTransform(zero); });
  EXPECT_NEAR(metric->GetValue(), moved.value, 1e-10);
}

TEST_P(LocalMetric, ThinImagesAndWideWindows)
{
  CompareOnOneGrid(NoisyImages<Image3D>({ 31, 23, 1 }, 0.0, 0), 2, true, LocalInDouble);
  CompareOnOneGrid(NoisyImages<Image3D>({ 5, 4, 6 }, 0.0, 0), 7, true, LocalInDouble);
  CompareOnOneGrid(NoisyImages<Image2D>({ 3, 61 }, 0.0, 0), 5, true, LocalInDouble);
}

TEST_P(LocalMetric, WindowsThatNoDeviceHasMemoryForAreTheHosts)
{
  const auto images = NoisyImages<Image2D>({ 61, 53 }, 0.0, 0);
  auto       metric = LocalOurs<Image2D>::New();
  metric->SetGPUEnabled(GetParam());
  metric->SetPrecision(itk::CudaSplinePrecision::Double);
  const auto setUp = [&](auto * one) {
    SetZeroFields(one, images.fixed);
    SetRadius(one, 24);
  };
  const LocalAnswers both{ AskItk(images, setUp), AskLocal(metric.GetPointer(), images, setUp) };
  EXPECT_EQ(metric->GetLastBackend(), Backend::Cpu);
  EXPECT_EQ(metric->GetFallbackReason().find("radius") != std::string::npos, GetParam());
  ExpectTheSame(both, LocalInDouble);
}

TEST_P(LocalMetric, SampledPointsAreItks)
{
  const auto compare = [&](const auto & images, const char * transform, int sampling) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, transform);
    using Image = std::decay_t<decltype(*images.fixed)>;
    MetricCase what;
    what.transform = transform;
    what.sampling = sampling;
    const auto evaluate = [&](auto * metric) {
      SetUpMetric(metric, what, images);
      metric->SetMaximumNumberOfWorkUnits(1);
      metric->Initialize();
      double                                                   value = 0.0;
      typename std::decay_t<decltype(*metric)>::DerivativeType derivative;
      metric->GetValueAndDerivative(value, derivative);
      return std::make_pair(value, derivative);
    };
    auto metric = LocalOurs<Image>::New();
    metric->SetGPUEnabled(GetParam());
    const auto found = evaluate(metric.GetPointer());
    EXPECT_EQ(found, evaluate(LocalReference<Image>::New().GetPointer()));
    EXPECT_GT(found.second.two_norm(), 0.0);
    EXPECT_EQ(metric->GetLastBackend(), Backend::Superclass);
    EXPECT_NE(metric->GetFallbackReason().find("sampled points"), std::string::npos) << metric->GetFallbackReason();
    EXPECT_EQ(metric->GetNumberOfFlatWindows(), 0u);
  };
  compare(MetricImages<Image2D>(), "affine", 1);
  compare(MetricImages<Image2D>(), "field", 2);
  compare(MetricImages<Image3D>(), "affine", 2);
  compare(MetricImages<Image3D>(), "field", 1);
}

INSTANTIATE_TEST_SUITE_P(Backends, LocalMetric, testing::Bool(), GpuOrHost);

} // namespace
