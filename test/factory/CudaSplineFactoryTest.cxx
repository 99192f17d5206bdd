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
// CudaSplineFactory in a user's program: the classes that New() returns, the switches, and objects that outlive the
// factory.

#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaResampleImageFilter.h"
#include "itkCudaSplineFactory.h"

#include "itkVersion.h"
#include "itkBSplineInterpolateImageFunction.h"
#include "itkComposeDisplacementFieldsImageFilter.h"
#include "itkDisplacementFieldJacobianDeterminantFilter.h"
#include "itkDisplacementFieldToBSplineImageFilter.h"
#include "itkExponentialDisplacementFieldImageFilter.h"
#include "itkGradientMagnitudeRecursiveGaussianImageFilter.h"
#include "itkGradientRecursiveGaussianImageFilter.h"
#include "itkInvertDisplacementFieldImageFilter.h"
#include "itkRecursiveGaussianImageFilter.h"
#include "itkSmoothingRecursiveGaussianImageFilter.h"
#include "itkWarpImageFilter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

namespace
{

template <typename TPixel, unsigned int VDimension>
using Resample = itk::ResampleImageFilter<itk::Image<TPixel, VDimension>, itk::Image<TPixel, VDimension>>;

template <typename TIn, typename TOut, unsigned int VDimension>
using Decomposition = itk::BSplineDecompositionImageFilter<itk::Image<TIn, VDimension>, itk::Image<TOut, VDimension>>;

template <typename TPixel, typename TDisplacement>
using Warp =
  itk::WarpImageFilter<itk::Image<TPixel, 3>, itk::Image<TPixel, 3>, itk::Image<itk::Vector<TDisplacement, 3>, 3>>;

template <typename TPixel, unsigned int VDimension>
using Smoothing = itk::SmoothingRecursiveGaussianImageFilter<itk::Image<TPixel, VDimension>>;

template <typename TPixel, typename TReal, unsigned int VDimension>
using Gradient =
  itk::GradientRecursiveGaussianImageFilter<itk::Image<TPixel, VDimension>,
                                            itk::Image<itk::CovariantVector<TReal, VDimension>, VDimension>>;

template <typename TReal, unsigned int VDimension>
using Field = itk::Image<itk::Vector<TReal, VDimension>, VDimension>;

/** Returns whether New() of ITK's class returns an object of the module's class with that name. */
template <typename TFilter>
bool
IsOurs()
{
  const typename TFilter::Pointer filter = TFilter::New();
  EXPECT_EQ(filter->GetReferenceCount(), 1);
  const std::string name = filter->GetNameOfClass();
  return name == "CudaResampleImageFilter" || name == "CudaWarpImageFilter" ||
         name == "CudaBSplineDecompositionImageFilter" || name == "CudaSmoothingRecursiveGaussianImageFilter" ||
         name == "CudaRecursiveGaussianImageFilter" || name == "CudaGradientMagnitudeRecursiveGaussianImageFilter" ||
         name == "CudaGradientRecursiveGaussianImageFilter" || name == "CudaComposeDisplacementFieldsImageFilter" ||
         name == "CudaInvertDisplacementFieldImageFilter" || name == "CudaExponentialDisplacementFieldImageFilter" ||
         name == "CudaDisplacementFieldJacobianDeterminantFilter" ||
         name == "CudaDisplacementFieldToBSplineImageFilter";
}

template <unsigned int VDimension, typename... TPixels>
void
ExpectResamples(bool ours)
{
  for (const bool is : { IsOurs<Resample<TPixels, VDimension>>()... })
  {
    EXPECT_EQ(is, ours) << VDimension;
  }
}

template <unsigned int... VDimensions>
void
ExpectDecompositions(bool ours)
{
  for (const bool is : { IsOurs<Decomposition<short, double, VDimensions>>()...,
                         IsOurs<Decomposition<float, double, VDimensions>>()...,
                         IsOurs<Decomposition<double, double, VDimensions>>()...,
                         IsOurs<Decomposition<float, float, VDimensions>>()... })
  {
    EXPECT_EQ(is, ours);
  }
}

/** A factory is registered during the lifetime of this object. */
class Registered : public testing::Test
{
protected:
  void
  SetUp() override
  {
    unsetenv("CUDASPLINE_FACTORY_CLASSES");
    ASSERT_TRUE(itk::CudaSplineFactory::GetRegisteredFactory().IsNull());
    m_Factory = itk::CudaSplineFactory::RegisterOneFactory();
  }
  void
  TearDown() override
  {
    itk::CudaSplineFactory::UnRegisterOneFactory();
    EXPECT_TRUE(itk::CudaSplineFactory::GetRegisteredFactory().IsNull());
  }

  itk::CudaSplineFactory::Pointer m_Factory;
};

} // namespace

TEST(CudaSplineFactory, NothingIsOverriddenUnlessItIsRegistered)
{
  ExpectResamples<3, float, short>(false);
  const auto factory = itk::CudaSplineFactory::New();
  ExpectResamples<3, float, short>(false);
}

TEST_F(Registered, EveryClassOfTheListIsOurs)
{
  ExpectResamples<2, char, signed char, unsigned char, short, unsigned short, int, unsigned int, float, double>(true);
  ExpectResamples<3,
                  char,
                  signed char,
                  unsigned char,
                  short,
                  unsigned short,
                  int,
                  unsigned int,
                  float,
                  double,
                  itk::Vector<float, 3>>(true);
  ExpectDecompositions<1, 2, 3, 4>(true);
  for (const bool is : { IsOurs<Warp<char, float>>(),
                         IsOurs<Warp<unsigned char, float>>(),
                         IsOurs<Warp<short, float>>(),
                         IsOurs<Warp<unsigned int, float>>(),
                         IsOurs<Warp<float, float>>(),
                         IsOurs<Warp<double, float>>() })
  {
    EXPECT_TRUE(is);
  }
}

TEST_F(Registered, ResamplingOfFloatPrecisionIsOurs)
{
  EXPECT_TRUE((IsOurs<itk::ResampleImageFilter<itk::Image<float, 2>, itk::Image<float, 2>, float, float>>()));
  EXPECT_TRUE((IsOurs<itk::ResampleImageFilter<itk::Image<float, 3>, itk::Image<float, 3>, float>>()));
  EXPECT_TRUE((IsOurs<itk::ResampleImageFilter<itk::Image<short, 3>, itk::Image<short, 3>, float, float>>()));
}

TEST_F(Registered, GaussiansAlongAnAxisAndMagnitudesAreOurs)
{
  EXPECT_TRUE((IsOurs<itk::RecursiveGaussianImageFilter<itk::Image<float, 2>, itk::Image<float, 2>>>()));
  EXPECT_TRUE((IsOurs<itk::RecursiveGaussianImageFilter<itk::Image<short, 3>, itk::Image<float, 3>>>()));
  EXPECT_FALSE((IsOurs<itk::RecursiveGaussianImageFilter<itk::Image<double, 3>, itk::Image<double, 3>>>()));
  using Magnitude = itk::GradientMagnitudeRecursiveGaussianImageFilter<itk::Image<float, 3>, itk::Image<float, 3>>;
  EXPECT_TRUE((IsOurs<Magnitude>()));
  m_Factory->SetClassEnabled("GradientMagnitudeRecursiveGaussianImageFilter", false);
  EXPECT_FALSE((IsOurs<Magnitude>()));
}

TEST_F(Registered, FiltersOfFieldsAreOurs)
{
  for (const bool is : { IsOurs<itk::ComposeDisplacementFieldsImageFilter<Field<float, 2>>>(),
                         IsOurs<itk::ComposeDisplacementFieldsImageFilter<Field<double, 3>>>(),
                         IsOurs<itk::InvertDisplacementFieldImageFilter<Field<double, 2>>>(),
                         IsOurs<itk::InvertDisplacementFieldImageFilter<Field<float, 3>>>(),
                         IsOurs<itk::ExponentialDisplacementFieldImageFilter<Field<float, 2>, Field<float, 2>>>(),
                         IsOurs<itk::ExponentialDisplacementFieldImageFilter<Field<double, 3>, Field<double, 3>>>(),
                         IsOurs<itk::DisplacementFieldJacobianDeterminantFilter<Field<double, 2>, double>>(),
                         IsOurs<itk::DisplacementFieldJacobianDeterminantFilter<Field<float, 3>, float>>(),
                         IsOurs<itk::DisplacementFieldToBSplineImageFilter<Field<double, 2>>>(),
                         IsOurs<itk::DisplacementFieldToBSplineImageFilter<Field<float, 3>>>() })
  {
    EXPECT_TRUE(is);
  }
  EXPECT_FALSE((IsOurs<itk::DisplacementFieldJacobianDeterminantFilter<Field<double, 3>, float>>()));
  m_Factory->SetClassEnabled("InvertDisplacementFieldImageFilter", false);
  EXPECT_FALSE((IsOurs<itk::InvertDisplacementFieldImageFilter<Field<float, 3>>>()));
  EXPECT_TRUE((IsOurs<itk::ComposeDisplacementFieldsImageFilter<Field<float, 3>>>()));
}

TEST_F(Registered, RecursiveGaussiansAreOurs)
{
  for (const bool is : { IsOurs<Smoothing<unsigned char, 2>>(),
                         IsOurs<Smoothing<short, 3>>(),
                         IsOurs<Smoothing<unsigned short, 2>>(),
                         IsOurs<Smoothing<int, 3>>(),
                         IsOurs<Smoothing<float, 2>>(),
                         IsOurs<Smoothing<float, 3>>(),
                         IsOurs<Smoothing<double, 2>>(),
                         IsOurs<Smoothing<double, 3>>(),
                         IsOurs<Gradient<short, double, 3>>(),
                         IsOurs<Gradient<float, float, 2>>(),
                         IsOurs<Gradient<float, double, 2>>(),
                         IsOurs<Gradient<float, double, 3>>(),
                         IsOurs<Gradient<double, double, 3>>() })
  {
    EXPECT_TRUE(is);
  }
  EXPECT_FALSE((IsOurs<Gradient<short, float, 3>>()));
  EXPECT_FALSE((IsOurs<Smoothing<long, 3>>()));
  m_Factory->SetSmoothingRecursiveGaussianImageFilterEnabled(false);
  EXPECT_FALSE((IsOurs<Smoothing<float, 3>>()));
  EXPECT_TRUE((IsOurs<Gradient<float, double, 3>>()));
  m_Factory->SetGradientRecursiveGaussianImageFilterEnabled(false);
  EXPECT_FALSE((IsOurs<Gradient<float, double, 3>>()));
}

TEST_F(Registered, OtherTemplateArgumentsAreItks)
{
  EXPECT_FALSE((IsOurs<itk::ResampleImageFilter<itk::Image<short, 3>, itk::Image<float, 3>>>()));
  EXPECT_FALSE((IsOurs<itk::ResampleImageFilter<itk::Image<double, 3>, itk::Image<double, 3>, float, float>>()));
  EXPECT_FALSE((IsOurs<Decomposition<int, double, 3>>()));
  EXPECT_FALSE((IsOurs<Warp<float, double>>()));
  ExpectResamples<1, float>(false);
}

TEST_F(Registered, AnInterpolatorOfItksIsServed)
{
  using Image = itk::Image<float, 3>;
  auto               image = Image::New();
  const itk::Size<3> size{ { 5, 6, 7 } };
  image->SetRegions(Image::RegionType(size));
  image->Allocate();
  image->FillBuffer(2.5F);
  auto interpolator = itk::BSplineInterpolateImageFunction<Image>::New();
  setenv("CUDASPLINE_TRACE", "1", 1);
  testing::internal::CaptureStderr();
  interpolator->SetInputImage(image);
  const std::string trace = testing::internal::GetCapturedStderr();
  unsetenv("CUDASPLINE_TRACE");
  EXPECT_EQ(trace.find("CudaSpline | CudaBSplineDecompositionImageFilter | float32 5x6x7 -> float64 | order 3, Exact"),
            0U)
    << trace;
  itk::ContinuousIndex<double, 3> index;
  index.Fill(1.25);
  EXPECT_NEAR(interpolator->EvaluateAtContinuousIndex(index), 2.5, 1e-12);
}

TEST_F(Registered, OursAreMadeByTheirOwnName)
{
  // New() of an overriding class must not use the factory again.
  using Ours = itk::CudaResampleImageFilter<itk::Image<float, 3>, itk::Image<float, 3>>;
  EXPECT_EQ(Ours::New()->GetReferenceCount(), 1);
  const itk::Object::Pointer object = Resample<float, 3>::New().GetPointer();
  EXPECT_NE(dynamic_cast<Ours *>(object.GetPointer()), nullptr);
  const itk::LightObject::Pointer another = object->CreateAnother();
  EXPECT_NE(dynamic_cast<Ours *>(another.GetPointer()), nullptr);
}

TEST_F(Registered, ClassesAreSwitched)
{
  const auto names = itk::CudaSplineFactory::GetClassNames();
  EXPECT_EQ(names.size(), 12U);
  for (const std::string & name : names)
  {
    EXPECT_TRUE(m_Factory->GetClassEnabled(name));
  }
  m_Factory->SetResampleImageFilterEnabled(false);
  EXPECT_FALSE(m_Factory->GetResampleImageFilterEnabled());
  ExpectResamples<2, unsigned char, double>(false);
  ExpectResamples<3, short, itk::Vector<float, 3>>(false);
  ExpectDecompositions<1, 3>(true);
  EXPECT_TRUE((IsOurs<Warp<float, float>>()));
  m_Factory->SetWarpImageFilterEnabled(false);
  EXPECT_FALSE((IsOurs<Warp<float, float>>()));
  m_Factory->SetClassEnabled("ResampleImageFilter", true);
  m_Factory->SetBSplineDecompositionImageFilterEnabled(false);
  EXPECT_FALSE(m_Factory->GetBSplineDecompositionImageFilterEnabled());
  ExpectResamples<3, short, itk::Vector<float, 3>>(true);
  ExpectDecompositions<2, 4>(false);
  std::ostringstream printed;
  m_Factory->Print(printed);
  EXPECT_NE(printed.str().find("BSplineDecompositionImageFilter: not overridden"), std::string::npos) << printed.str();
  EXPECT_NE(printed.str().find("ResampleImageFilter: overridden"), std::string::npos) << printed.str();
}

TEST_F(Registered, AnUnknownClassIsAnErrorThatNamesTheOthers)
{
  try
  {
    m_Factory->SetClassEnabled("WienerFilter", true);
    FAIL();
  }
  catch (const itk::ExceptionObject & error)
  {
    EXPECT_NE(std::string(error.what()).find("WienerFilter"), std::string::npos) << error;
    EXPECT_NE(std::string(error.what()).find("ResampleImageFilter, WarpImageFilter, BSplineDecomposition"),
              std::string::npos)
      << error;
  }
}

TEST_F(Registered, ASecondFactoryIsNotRegistered)
{
  EXPECT_EQ(itk::CudaSplineFactory::RegisterOneFactory(), m_Factory);
  const auto factories = itk::ObjectFactoryBase::GetRegisteredFactories();
  EXPECT_EQ(std::count_if(factories.begin(),
                          factories.end(),
                          [](const itk::ObjectFactoryBase * factory) {
                            return dynamic_cast<const itk::CudaSplineFactory *>(factory) != nullptr;
                          }),
            1);
  EXPECT_STREQ(m_Factory->GetITKSourceVersion(), itk::Version::GetITKSourceVersion());
}

TEST(CudaSplineFactory, ObjectsOutliveIt)
{
  itk::CudaSplineFactory::RegisterOneFactory();
  using Filter = Resample<short, 2>;
  const Filter::Pointer filter = Filter::New();
  itk::CudaSplineFactory::UnRegisterOneFactory();
  EXPECT_FALSE((IsOurs<Filter>()));
  auto               image = itk::Image<short, 2>::New();
  const itk::Size<2> size{ { 4, 3 } };
  image->SetRegions(itk::ImageRegion<2>(size));
  image->Allocate();
  image->FillBuffer(17);
  filter->SetInput(image);
  filter->SetSize(size);
  filter->Update();
  EXPECT_STREQ(filter->GetNameOfClass(), "CudaResampleImageFilter");
  EXPECT_EQ(filter->GetOutput()->GetPixel({ { 3, 2 } }), 17);
}

TEST(CudaSplineFactory, TheEnvironmentSwitchesClasses)
{
  setenv("CUDASPLINE_FACTORY_CLASSES", "BSplineDecompositionImageFilter,Nonsense", 1);
  testing::internal::CaptureStderr();
  const auto factory = itk::CudaSplineFactory::New();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("\"Nonsense\""), std::string::npos);
  EXPECT_FALSE(factory->GetResampleImageFilterEnabled());
  EXPECT_TRUE(factory->GetBSplineDecompositionImageFilterEnabled());
  unsetenv("CUDASPLINE_FACTORY_CLASSES");
}
