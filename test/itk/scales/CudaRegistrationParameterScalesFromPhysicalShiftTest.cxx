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
// CudaRegistrationParameterScalesFromPhysicalShift against its parent, for the transforms of registrations.
//
// Expected: ITK's own estimator on the same metric. Scales and local step scales to the bit: they are ITK's operations
// on the samples that count. Step scales of B-splines and displacement fields are lengths of differences of two places
// in ITK, and of a place and one that the step's displacement was added to here: each place is rounded to half a unit
// in the last place some ten times (a sum over a support, matrices), so 64 units of the largest coordinate bound both.

#include "itkCudaRegistrationParameterScalesFromPhysicalShift.h"

#include "MetricTestImages.h"
#include "RandomData.h"

#include "itkDisplacementFieldTransform.h"
#include "itkGaussianSmoothingOnUpdateDisplacementFieldTransform.h"
#include "itkMeanSquaresImageToImageMetricv4.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace
{

using namespace CudaSplineTest;

template <unsigned int VDimension>
using ImageOf = itk::Image<double, VDimension>;
template <unsigned int VDimension>
using MetricOf = itk::MeanSquaresImageToImageMetricv4<ImageOf<VDimension>, ImageOf<VDimension>>;
template <unsigned int VDimension>
using TransformOf = itk::Transform<double, VDimension, VDimension>;
template <unsigned int VDimension>
using CompositeOf = itk::CompositeTransform<double, VDimension>;

template <unsigned int VDimension>
struct Case
{
  explicit Case(typename TransformOf<VDimension>::Pointer transform)
    : metric(MetricOf<VDimension>::New())
    , moving(transform)
  {
    const std::vector<unsigned int> size =
      VDimension == 2 ? std::vector<unsigned int>{ 33, 27 } : std::vector<unsigned int>{ 25, 19, 16 };
    image = BlobImage<ImageOf<VDimension>>(size, 1.3, 0.0);
    metric->SetFixedImage(image);
    metric->SetMovingImage(image);
    metric->SetMovingTransform(transform);
    metric->SetVirtualDomainFromImage(image);
    metric->Initialize();
  }

  /** Returns the largest coordinate of points (mm), including displacements. */
  double
  Extent() const
  {
    return 150.0;
  }

  typename ImageOf<VDimension>::Pointer     image;
  typename MetricOf<VDimension>::Pointer    metric;
  typename TransformOf<VDimension>::Pointer moving;
};

template <unsigned int VDimension>
using Own = itk::CudaRegistrationParameterScalesFromPhysicalShift<MetricOf<VDimension>>;
template <unsigned int VDimension>
using Itks = itk::RegistrationParameterScalesFromPhysicalShift<MetricOf<VDimension>>;

/** Compares all estimates that ITK's class has for the transform.
 *
 * \param[in] bySupports whether supports are used */
template <unsigned int VDimension>
void
Compare(typename TransformOf<VDimension>::Pointer transform, bool bySupports, Random & random)
{
  const Case<VDimension> test(transform);
  const auto             own = Own<VDimension>::New();
  const auto             itks = Itks<VDimension>::New();
  own->SetMetric(test.metric);
  itks->SetMetric(test.metric);
  own->SetNumberOfWorkUnits(3);
  own->SetCentralRegionRadius(2); // otherwise ITK takes seconds
  itks->SetCentralRegionRadius(2);
  const auto                           before = transform->GetParameters();
  typename Own<VDimension>::ScalesType ownScales;
  typename Own<VDimension>::ScalesType itkScales;
  own->EstimateScales(ownScales);
  EXPECT_EQ(own->GetReason().empty(), bySupports) << own->GetReason();
  itks->EstimateScales(itkScales);
  ASSERT_EQ(ownScales.Size(), itkScales.Size());
  for (unsigned int p = 0; p < itkScales.Size(); ++p)
  {
    ASSERT_EQ(ownScales[p], itkScales[p]) << p;
  }
  EXPECT_EQ(transform->GetParameters(), before);

  for (int k = 0; k < 3; ++k)
  {
    typename Own<VDimension>::ParametersType step(transform->GetNumberOfParameters());
    step.Fill(0.0);
    for (unsigned int p = 0; p < step.Size(); ++p)
    {
      // All, every seventh, or one of the parameters.
      step[p] = k == 0 || (k == 1 && p % 7 == 0) || (k == 2 && p == step.Size() / 2) ? random.Uniform(-1.0, 1.0) : 0.0;
    }
    // Transforms that smooth a step do so in place: each estimate gets its own copy.
    const auto   copy = [&step] { return typename Own<VDimension>::ParametersType(step); };
    const double shift = own->EstimateStepScale(copy());
    EXPECT_EQ(own->GetReason().empty(), bySupports) << own->GetReason();
    const double expected = itks->EstimateStepScale(copy());
    const double bound = bySupports ? 64.0 * test.Extent() * std::numeric_limits<double>::epsilon() : 0.0;
    EXPECT_NEAR(shift, expected, bound);
    EXPECT_GT(shift, 0.0);
    EXPECT_EQ(transform->GetParameters(), before);
    if (transform->GetTransformCategory() == TransformOf<VDimension>::TransformCategoryEnum::DisplacementField)
    {
      own->EstimateLocalStepScales(copy(), ownScales);
      itks->EstimateLocalStepScales(copy(), itkScales);
      EXPECT_EQ(ownScales, itkScales);
      EXPECT_NEAR(ownScales.max_value(), expected, 0.0);
    }
  }
  const auto zero = typename Own<VDimension>::ParametersType(transform->GetNumberOfParameters(), 0.0);
  EXPECT_EQ(own->EstimateStepScale(typename Own<VDimension>::ParametersType(zero)), itks->EstimateStepScale(zero));
  EXPECT_EQ(own->EstimateMaximumStepSize(), itks->EstimateMaximumStepSize());
}

/** As in ImageRegistrationMethodv4: the previous transforms are applied last, and are not optimized. */
template <unsigned int VDimension>
typename TransformOf<VDimension>::Pointer
Composed(typename TransformOf<VDimension>::Pointer first,
         typename TransformOf<VDimension>::Pointer second,
         bool                                      onlyFirst = false)
{
  auto composite = CompositeOf<VDimension>::New();
  composite->AddTransform(first);
  composite->AddTransform(second);
  composite->SetAllTransformsToOptimizeOff();
  composite->SetNthTransformToOptimize(onlyFirst ? 0 : 1, true);
  return composite.GetPointer();
}

/** Returns a field of waves on the grid of the image, or on its own grid. */
template <unsigned int VDimension, typename TTransform = itk::DisplacementFieldTransform<double, VDimension>>
typename TTransform::Pointer
WavyField(bool isOwnGrid)
{
  using Field = typename TTransform::DisplacementFieldType;
  const auto grid = BlobImage<ImageOf<VDimension>>(VDimension == 2 ? std::vector<unsigned int>{ 33, 27 }
                                                                   : std::vector<unsigned int>{ 25, 19, 16 },
                                                   isOwnGrid ? 1.0 : 1.3,
                                                   0.0);
  auto field = Field::New();
  field->CopyInformation(grid);
  field->SetRegions(grid->GetBufferedRegion());
  field->Allocate();
  for (std::size_t i = 0; i < field->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      field->GetBufferPointer()[i][d] = std::sin(0.37 * static_cast<double>(i) + d);
    }
  }
  auto transform = TTransform::New();
  transform->SetDisplacementField(field);
  return transform;
}

} // namespace

TEST(CudaRegistrationParameterScales, OfLinearTransforms)
{
  Random random(__LINE__);
  for (const std::string name : { "translation", "affine", "rigid" })
  {
    SCOPED_TRACE(name);
    Compare<2>(MetricTransform<2>(name), false, random);
    Compare<3>(MetricTransform<3>(name), false, random);
  }
  Compare<3>(Composed<3>(MetricTransform<3>("rigid"), MetricTransform<3>("affine")), false, random);
}

TEST(CudaRegistrationParameterScales, OfSplines)
{
  Random random(__LINE__);
  Compare<2>(WavySpline<2, 1>().GetPointer(), true, random);
  Compare<2>(WavySpline<2, 2>().GetPointer(), true, random);
  Compare<2>(WavySpline<2, 3>().GetPointer(), true, random);
  Compare<3>(WavySpline<3, 1>().GetPointer(), true, random);
  Compare<3>(WavySpline<3, 2>().GetPointer(), true, random);
  Compare<3>(WavySpline<3, 3>().GetPointer(), true, random);
}

TEST(CudaRegistrationParameterScales, OfCompositesOfSplines)
{
  Random random(__LINE__);
  Compare<2>(Composed<2>(MetricTransform<2>("affine"), WavySpline<2, 3>().GetPointer()), true, random);
  Compare<3>(Composed<3>(MetricTransform<3>("affine"), WavySpline<3, 3>().GetPointer()), true, random);
  Compare<3>(Composed<3>(WavySpline<3, 2>().GetPointer(), MetricTransform<3>("rigid"), true), true, random);
  // A field is applied first: the blocks have no bound.
  Compare<2>(Composed<2>(WavySpline<2, 3>().GetPointer(), WavyField<2>(true).GetPointer(), true), true, random);
  Compare<3>(Composed<3>(Composed<3>(MetricTransform<3>("translation"), MetricTransform<3>("affine")),
                         WavySpline<3, 1>().GetPointer()),
             true,
             random);
}

// A B-spline that follows the optimized transform: there is no formula for the step, so ITK's transform computes it on
// all threads.
TEST(CudaRegistrationParameterScales, OfSplinesBehindSplines)
{
  Random        random(__LINE__);
  const auto    transform = Composed<2>(WavySpline<2, 2>().GetPointer(), WavySpline<2, 3>().GetPointer());
  const Case<2> test(transform);
  const auto    own = Own<2>::New();
  const auto    itks = Itks<2>::New();
  own->SetMetric(test.metric);
  itks->SetMetric(test.metric);
  Own<2>::ScalesType ownScales;
  Own<2>::ScalesType itkScales;
  own->EstimateScales(ownScales);
  EXPECT_EQ(own->GetReason(), "");
  itks->EstimateScales(itkScales);
  EXPECT_EQ(ownScales, itkScales);
  Own<2>::ParametersType step(transform->GetNumberOfParameters());
  for (unsigned int p = 0; p < step.Size(); ++p)
  {
    step[p] = random.Uniform(-1.0, 1.0);
  }
  EXPECT_EQ(own->EstimateStepScale(step), itks->EstimateStepScale(step));
  EXPECT_NE(own->GetReason(), "");
}

TEST(CudaRegistrationParameterScales, OfDisplacementFields)
{
  Random random(__LINE__);
  Compare<2>(WavyField<2>(false).GetPointer(), true, random);
  Compare<3>(WavyField<3>(false).GetPointer(), true, random);
  Compare<3>(Composed<3>(MetricTransform<3>("affine"), WavyField<3>(false).GetPointer()), true, random);
}

// Its update smooths: a step differs from its displacement.
TEST(CudaRegistrationParameterScales, OfFieldsThatAreSmoothed)
{
  Random random(__LINE__);
  Compare<2>(WavyField<2, itk::GaussianSmoothingOnUpdateDisplacementFieldTransform<double, 2>>(false).GetPointer(),
             false,
             random);
}

// Constant steps move every voxel within the region by the same vector: the bound does not end the search too early.
TEST(CudaRegistrationParameterScales, OfAConstantStep)
{
  const auto    spline = WavySpline<3, 3>();
  const Case<3> test(spline.GetPointer());
  const auto    own = Own<3>::New();
  own->SetMetric(test.metric);
  Own<3>::ParametersType step(spline->GetNumberOfParameters());
  step.Fill(2.0);
  EXPECT_NEAR(own->EstimateStepScale(step), std::sqrt(12.0), 1e-12);
}

TEST(CudaRegistrationParameterScales, Errors)
{
  const auto         own = Own<2>::New();
  Own<2>::ScalesType scales;
  EXPECT_THROW(own->EstimateScales(scales), itk::ExceptionObject); // no metric
  const auto    spline = WavySpline<2, 3>();
  const Case<2> test(spline.GetPointer());
  own->SetMetric(test.metric);
  EXPECT_THROW(own->EstimateLocalStepScales(spline->GetParameters(), scales), itk::ExceptionObject);
  const Case<2> affine(MetricTransform<2>("affine"));
  own->SetMetric(affine.metric);
  EXPECT_THROW(own->EstimateLocalStepScales(affine.moving->GetParameters(), scales), itk::ExceptionObject);
}
