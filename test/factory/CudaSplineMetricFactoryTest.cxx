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
// CudaSplineMetricFactory in a user's program: the class that New() of a metric returns, the switches, and a
// registration that names only ITK's class.

#include "itkCudaSplineImageMetric.h"
#include "itkCudaSplineMetricFactory.h"

#include "itkCudaSpline/itk/MetricClasses.h"

#include "itkCorrelationImageToImageMetricv4.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkANTSNeighborhoodCorrelationImageToImageMetricv4.h"
#include "itkDemonsImageToImageMetricv4.h"
#include "itkMattesMutualInformationImageToImageMetricv4.h"
#include "itkMeanSquaresImageToImageMetricv4.h"
#include "itkTranslationTransform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

namespace
{

using itk::CudaSplineMetricFactory;

using namespace itk::CudaSpline;
using itk::CudaSplineDetail::ForEachMetricClass;

template <typename TMetric, typename... TArguments>
using ItkClass = typename itk::CudaSplineDetail::MetricClass<TMetric>::template Theirs<TArguments...>;

/** Returns whether New() of ITK's class returns the module's class. */
template <typename TMetric>
bool
IsOurs()
{
  const typename TMetric::Pointer metric = TMetric::New();
  EXPECT_EQ(metric->GetReferenceCount(), 1);
  return std::string(metric->GetNameOfClass()).compare(0, 4, "Cuda") == 0;
}

template <typename TPixel, unsigned int VDimension>
void
ExpectMetrics(bool meanSquares, bool correlation, bool mattes, bool others)
{
  using Image = itk::Image<TPixel, VDimension>;
  ForEachMetricClass([&](auto metric) {
    using Metric = decltype(metric);
    const bool expected = Metric::Kind == MetricKind::MeanSquares   ? meanSquares
                          : Metric::Kind == MetricKind::Correlation ? correlation
                          : Metric::Kind == MetricKind::Mattes      ? mattes
                                                                    : others;
    EXPECT_EQ((IsOurs<ItkClass<Metric, Image, Image>>()), expected) << Metric::ItkClass;
  });
}

/** A factory is registered during the lifetime of this object. */
class RegisteredMetrics : public testing::Test
{
protected:
  void
  SetUp() override
  {
    unsetenv("CUDASPLINE_FACTORY_CLASSES");
    ASSERT_TRUE(CudaSplineMetricFactory::GetRegisteredFactory().IsNull());
    m_Factory = CudaSplineMetricFactory::RegisterOneFactory();
  }
  void
  TearDown() override
  {
    CudaSplineMetricFactory::UnRegisterOneFactory();
    EXPECT_TRUE(CudaSplineMetricFactory::GetRegisteredFactory().IsNull());
  }

  CudaSplineMetricFactory::Pointer m_Factory;
};

/** Returns shifted waves. */
itk::Image<float, 3>::Pointer
Waves(double shift)
{
  auto               image = itk::Image<float, 3>::New();
  const itk::Size<3> size{ { 21, 19, 17 } };
  image->SetRegions(itk::ImageRegion<3>(size));
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<itk::Image<float, 3>> it(image, image->GetBufferedRegion()); !it.IsAtEnd();
       ++it)
  {
    const auto & index = it.GetIndex();
    it.Set(static_cast<float>(50.0 * std::sin(0.4 * (index[0] - shift)) * std::cos(0.3 * index[1]) + 2.0 * index[2]));
  }
  return image;
}

} // namespace

TEST(CudaSplineMetricFactory, NothingIsOverriddenUnlessItIsRegistered)
{
  ExpectMetrics<float, 3>(false, false, false, false);
  const auto factory = CudaSplineMetricFactory::New();
  ExpectMetrics<float, 3>(false, false, false, false);
}

TEST_F(RegisteredMetrics, EveryClassOfTheListIsOurs)
{
  ExpectMetrics<float, 2>(true, true, true, true);
  ExpectMetrics<float, 3>(true, true, true, true);
  ExpectMetrics<double, 2>(true, true, true, true);
  ExpectMetrics<double, 3>(true, true, true, true);
}

template <unsigned int VDimension>
void
ExpectMetricsOfFloat()
{
  using Image = itk::Image<float, VDimension>;
  ForEachMetricClass([](auto metric) {
    EXPECT_TRUE((IsOurs<ItkClass<decltype(metric), Image, Image, Image, float>>())) << decltype(metric)::ItkClass;
  });
}

TEST_F(RegisteredMetrics, MetricsOfFloatParametersAreOurs)
{
  ExpectMetricsOfFloat<2>();
  ExpectMetricsOfFloat<3>();
}

TEST_F(RegisteredMetrics, OtherTemplateArgumentsAreItks)
{
  ExpectMetrics<float, 4>(false, false, false, false);
  using Single = itk::Image<float, 3>;
  using Double = itk::Image<double, 3>;
  EXPECT_FALSE((IsOurs<itk::MeanSquaresImageToImageMetricv4<Single, Double>>()));
}

TEST_F(RegisteredMetrics, ClassesAreSwitched)
{
  EXPECT_EQ(CudaSplineMetricFactory::GetClassNames().size(), 12U);
  for (const std::string & name : CudaSplineMetricFactory::GetClassNames())
  {
    EXPECT_TRUE(m_Factory->GetClassEnabled(name));
  }
  m_Factory->SetClassEnabled("CorrelationImageToImageMetricv4", false);
  ExpectMetrics<float, 3>(true, false, true, true);
  m_Factory->SetClassEnabled("CorrelationImageToImageMetricv4", true);
  m_Factory->SetClassEnabled("MeanSquaresImageToImageMetricv4", false);
  ExpectMetrics<double, 2>(false, true, true, true);
  EXPECT_THROW(m_Factory->SetClassEnabled("ResampleImageFilter", true), itk::ExceptionObject);
}

TEST_F(RegisteredMetrics, ValuesAreThoseOfItk)
{
  using Metric = ItkClass<MeanSquaresMetric, itk::Image<float, 3>, itk::Image<float, 3>>;
  using Ours = itk::CudaSplineImageMetric<Metric>;
  const auto            fixed = Waves(0.0);
  const auto            moving = Waves(1.3);
  double                values[2];
  itk::Array<double>    derivatives[2];
  const Metric::Pointer metrics[2] = { Metric::New(),
                                       (CudaSplineMetricFactory::UnRegisterOneFactory(), Metric::New()) };
  for (int m = 0; m < 2; ++m)
  {
    auto transform = itk::TranslationTransform<double, 3>::New();
    metrics[m]->SetFixedImage(fixed);
    metrics[m]->SetMovingImage(moving);
    metrics[m]->SetMovingTransform(transform);
    metrics[m]->SetVirtualDomainFromImage(fixed);
    metrics[m]->Initialize();
    metrics[m]->GetValueAndDerivative(values[m], derivatives[m]);
  }
  const auto * const ours = dynamic_cast<const Ours *>(metrics[0].GetPointer());
  ASSERT_NE(ours, nullptr);
  EXPECT_NE(ours->GetLastBackend(), itk::CudaSpline::Backend::Superclass) << ours->GetFallbackReason();
  EXPECT_NE(ours->GetLastBackend(), itk::CudaSpline::Backend::None);
  EXPECT_EQ(dynamic_cast<const Ours *>(metrics[1].GetPointer()), nullptr);
  EXPECT_NEAR(values[0], values[1], 1e-6 * values[1]);
  EXPECT_LE((derivatives[0] - derivatives[1]).two_norm(), 1e-5 * derivatives[1].two_norm());
}

TEST(CudaSplineMetricFactory, TheEnvironmentSwitchesClassesOfAllFactories)
{
  setenv("CUDASPLINE_FACTORY_CLASSES", "ResampleImageFilter,CorrelationImageToImageMetricv4", 1);
  testing::internal::CaptureStderr();
  const auto factory = CudaSplineMetricFactory::New();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), ""); // the class of another factory is not unknown
  EXPECT_TRUE(factory->GetClassEnabled("CorrelationImageToImageMetricv4"));
  EXPECT_FALSE(factory->GetClassEnabled("MattesMutualInformationImageToImageMetricv4"));
  unsetenv("CUDASPLINE_FACTORY_CLASSES");
}
