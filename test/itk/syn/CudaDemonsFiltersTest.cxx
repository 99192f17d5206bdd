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
#include "GpuOnAndOff.h"

#include "itkCudaDemonsRegistrationFilter.h"
#include "itkCudaDiffeomorphicDemonsRegistrationFilter.h"
#include "itkCudaFastSymmetricForcesDemonsRegistrationFilter.h"
#include "itkCudaSymmetricForcesDemonsRegistrationFilter.h"

#include "itkCommand.h"
#include "itkImageRegionIteratorWithIndex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

/** \file
 * \brief Demons take the same steps as ITK's filters: metric and change of every iteration, their number, and the
 * field.
 *
 * Doubles are compared with ITK on one thread: metrics within 1e-9 of themselves for the first ten iterations and 1e-6
 * to the end, fields within 1e-6 voxels. Floats: fields within 0.05 voxels at 99 of 100 points. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

/** Parameters that differ between cases. */
struct DemonsCase
{
  unsigned int iterations{ 14 };
  double       sigma{ 1.2 };       ///< of the field (samples); 0: it is not smoothed
  double       updateSigma{ 0.0 }; ///< of updates
  bool         isOblique{ false };
  bool         hasInitialField{ false };
  bool         isFar{ false }; ///< most of the moving image is outside: the initial field is long
  bool         areTurned{
    false
  }; ///< whether the images are rotated relative to each other, which all filters except Thirion's reject
  int    gradient{ 0 };         ///< ITK's number of the gradient
  double longest{ 0.5 };        ///< step (samples)
  bool   isFirstOrder{ false }; ///< of exponentials
  double smallestChange{ 0.0 }; ///< change at which the filter stops
};

template <typename TImage>
typename TImage::Pointer
MakeImage(const DemonsCase & what, bool isMoving)
{
  constexpr unsigned int         dimension = TImage::ImageDimension;
  auto                           image = TImage::New();
  typename TImage::SizeType      size;
  typename TImage::SpacingType   spacing;
  typename TImage::PointType     origin;
  typename TImage::DirectionType direction;
  direction.SetIdentity();
  for (unsigned int d = 0; d < dimension; ++d)
  {
    size[d] = (dimension == 2 ? 43 : 24) + (isMoving ? 3 : 0) - d;
    spacing[d] = 1.0 + 0.2 * d;
    origin[d] = 1.5 - d;
  }
  if (what.isOblique)
  {
    const double angle = isMoving && what.areTurned ? 0.25 : 0.3;
    direction[0][0] = direction[1][1] = std::cos(angle);
    direction[0][1] = -std::sin(angle);
    direction[1][0] = std::sin(angle);
  }
  image->SetRegions(size);
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->SetDirection(direction);
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<TImage> at(image, image->GetBufferedRegion()); !at.IsAtEnd(); ++at)
  {
    typename TImage::PointType place;
    image->TransformIndexToPhysicalPoint(at.GetIndex(), place);
    double value = 100.0;
    double square = 0.0;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      const double bent = place[d] + (isMoving ? 1.3 * std::sin(0.19 * place[(d + 1) % dimension] + d) : 0.0);
      value += 15.0 * std::sin(0.3 * bent + 0.9 * d);
      square += (bent - 14.0) * (bent - 14.0);
    }
    at.Set(static_cast<typename TImage::PixelType>(value + 60.0 / (1.0 + std::exp(0.6 * (std::sqrt(square) - 8.0)))));
  }
  return image;
}

/** Results of the iterations of a filter. */
struct DemonsCourse
{
  std::vector<double> metrics;
  std::vector<double> changes;
};

template <typename TFilter>
class DemonsObserver : public itk::Command
{
public:
  using Self = DemonsObserver;
  using Pointer = itk::SmartPointer<Self>;
  itkSimpleNewMacro(Self);

  void
  Execute(itk::Object * caller, const itk::EventObject & event) override
  {
    this->Execute(static_cast<const itk::Object *>(caller), event);
  }
  void
  Execute(const itk::Object * caller, const itk::EventObject &) override
  {
    const auto * const filter = static_cast<const TFilter *>(caller);
    course.metrics.push_back(filter->GetMetric());
    course.changes.push_back(filter->GetRMSChange());
    if (further)
    {
      further();
    }
  }

  DemonsCourse          course;
  std::function<void()> further; ///< called in each iteration
};

/** Configures a filter. */
template <typename TFilter>
void
SetForce(TFilter * filter, const DemonsCase & what)
{
  using Fixed = typename TFilter::FixedImageType;
  using Field = typename TFilter::DisplacementFieldType;
  if constexpr (std::is_same<TFilter, itk::DemonsRegistrationFilter<Fixed, Fixed, Field>>::value)
  {
    filter->SetUseMovingImageGradient(what.gradient != 0);
  }
  using Fast = itk::FastSymmetricForcesDemonsRegistrationFilter<Fixed, Fixed, Field>;
  using Diffeomorphic = itk::DiffeomorphicDemonsRegistrationFilter<Fixed, Fixed, Field>;
  if constexpr (std::is_same<TFilter, Fast>::value || std::is_same<TFilter, Diffeomorphic>::value)
  {
    filter->SetUseGradientType(static_cast<typename TFilter::GradientType>(what.gradient));
    filter->SetMaximumUpdateStepLength(what.longest);
  }
  if constexpr (std::is_same<TFilter, Diffeomorphic>::value)
  {
    filter->SetUseFirstOrderExp(what.isFirstOrder);
  }
}

/** \tparam TFilter ITK's filter, or one of the module */
template <typename TFilter>
DemonsCourse
Register(TFilter * filter, const DemonsCase & what, const std::function<void()> & atIteration = {})
{
  using Image = typename TFilter::FixedImageType;
  using Field = typename TFilter::DisplacementFieldType;
  const auto fixed = MakeImage<Image>(what, false);
  filter->SetFixedImage(fixed);
  filter->SetMovingImage(MakeImage<Image>(what, true));
  filter->SetNumberOfIterations(what.iterations);
  filter->SetSmoothDisplacementField(what.sigma > 0.0);
  filter->SetStandardDeviations(what.sigma);
  filter->SetSmoothUpdateField(what.updateSigma > 0.0);
  // ITK 6 takes a single number for that of the field.
  filter->SetUpdateFieldStandardDeviations(typename TFilter::StandardDeviationsType(what.updateSigma));
  filter->SetMaximumRMSError(what.smallestChange);
  SetForce(filter, what);
  if (what.hasInitialField || what.isFar)
  {
    const auto field = Field::New();
    field->CopyInformation(fixed);
    field->SetRegions(fixed->GetBufferedRegion());
    field->Allocate();
    typename Field::PixelType vector;
    vector.Fill(what.isFar ? 7.0 : 0.4);
    field->FillBuffer(vector);
    filter->SetInitialDisplacementField(field);
  }
  auto observer = DemonsObserver<TFilter>::New();
  observer->further = atIteration;
  filter->AddObserver(itk::IterationEvent(), observer);
  filter->Update();
  return observer->course;
}

/** Types of an ITK filter and of the module's replacement. */
template <template <typename, typename, typename> class TReference,
          template <typename, typename, typename>
          class TMethod>
struct DemonsTypes
{
  template <typename TNumber, unsigned int VDimension>
  struct Of
  {
    using Image = itk::Image<TNumber, VDimension>;
    using Field = itk::Image<itk::Vector<TNumber, VDimension>, VDimension>;
    using Reference = TReference<Image, Image, Field>;
    using Method = TMethod<Image, Image, Field>;
  };
};
using Thirion = DemonsTypes<itk::DemonsRegistrationFilter, itk::CudaDemonsRegistrationFilter>;
using Symmetric =
  DemonsTypes<itk::SymmetricForcesDemonsRegistrationFilter, itk::CudaSymmetricForcesDemonsRegistrationFilter>;
using Fast =
  DemonsTypes<itk::FastSymmetricForcesDemonsRegistrationFilter, itk::CudaFastSymmetricForcesDemonsRegistrationFilter>;
using Diffeomorphic =
  DemonsTypes<itk::DiffeomorphicDemonsRegistrationFilter, itk::CudaDiffeomorphicDemonsRegistrationFilter>;

/** Returns the norms of the differences of two fields, in voxels, in increasing order. */
template <typename TField>
std::vector<double>
Differences(const TField * one, const TField * other)
{
  std::vector<double> norms;
  for (itk::SizeValueType n = 0; n < one->GetBufferedRegion().GetNumberOfPixels(); ++n)
  {
    double square = 0.0;
    for (unsigned int d = 0; d < TField::ImageDimension; ++d)
    {
      const double difference = one->GetBufferPointer()[n][d] - other->GetBufferPointer()[n][d];
      square += difference * difference / (one->GetSpacing()[d] * one->GetSpacing()[d]);
    }
    norms.push_back(std::sqrt(square));
  }
  std::sort(norms.begin(), norms.end());
  return norms;
}

class DemonsTrajectories : public GpuOnAndOff
{
protected:
  template <typename TTypes>
  void
  CompareOf(const DemonsCase & what, bool isSingle)
  {
    const auto reference = TTypes::Reference::New();
    reference->SetNumberOfWorkUnits(1);
    const auto expected = Register<typename TTypes::Reference>(reference, what);
    const auto method = TTypes::Method::New();
    method->SetGPUEnabled(GetParam());
    const auto found = Register<typename TTypes::Reference>(method, what);
    EXPECT_EQ(method->GetLastBackend(), GetParam() ? Backend::Cuda : Backend::Cpu) << method->GetFallbackReason();
    EXPECT_EQ(method->GetElapsedIterations(), reference->GetElapsedIterations());
    ASSERT_EQ(found.metrics.size(), expected.metrics.size());
    for (std::size_t n = 0; n < expected.metrics.size(); ++n)
    {
      const double share = isSingle ? 1e-3 : (n < 10 ? 1e-9 : 1e-6);
      EXPECT_NEAR(found.metrics[n], expected.metrics[n], share * expected.metrics[n]) << "iteration " << n;
      EXPECT_NEAR(found.changes[n], expected.changes[n], share * expected.changes[n]) << "iteration " << n;
    }
    if (!what.isFar)
    {
      EXPECT_LT(expected.metrics.back(), 0.8 * expected.metrics.front()); // the metric has improved
    }
    ASSERT_EQ(method->GetOutput()->GetBufferedRegion(), reference->GetOutput()->GetBufferedRegion());
    const auto norms = Differences(method->GetOutput(), reference->GetOutput());
    EXPECT_LE(norms[norms.size() * 99 / 100], isSingle ? 0.05 : 1e-6);
    if (!isSingle)
    {
      EXPECT_LE(norms.back(), 1e-6);
    }
  }

  /** Compares in 2D and 3D with doubles. */
  template <typename TFilter>
  void
  Compare(const DemonsCase & what)
  {
    this->CompareOf<typename TFilter::template Of<double, 2>>(what, false);
    this->CompareOf<typename TFilter::template Of<double, 3>>(what, false);
  }

  /** Compares the cases that all filters support. */
  template <typename TFilter>
  void
  CompareAll()
  {
    this->Compare<TFilter>(DemonsCase());
    DemonsCase what;
    what.iterations = 6;
    what.isOblique = true;
    what.hasInitialField = true;
    this->Compare<TFilter>(what);
    what.hasInitialField = false;
    what.isFar = true;
    what.sigma = 0.0;
    what.updateSigma = 1.5;
    this->Compare<TFilter>(what);
    this->CompareOf<typename TFilter::template Of<float, 2>>(DemonsCase(), true);
  }
};

TEST_P(DemonsTrajectories, OfThirion)
{
  this->CompareAll<Thirion>();
  DemonsCase what;
  what.iterations = 6;
  what.gradient = 1; // of the moving image
  this->Compare<Thirion>(what);
  what.isOblique = true;
  what.areTurned = true;
  this->Compare<Thirion>(what);
}

TEST_P(DemonsTrajectories, OfSymmetricForces)
{
  this->CompareAll<Symmetric>();
}

TEST_P(DemonsTrajectories, OfFastSymmetricForces)
{
  this->CompareAll<Fast>();
  for (const int gradient : { 1, 2, 3 })
  {
    SCOPED_TRACE(gradient);
    DemonsCase what;
    what.iterations = 6;
    what.gradient = gradient;
    what.isOblique = true;
    what.longest = gradient == 1 ? 0.0 : 2.0; // 0: any step
    this->Compare<Fast>(what);
  }
}

TEST_P(DemonsTrajectories, OfDiffeomorphisms)
{
  this->CompareAll<Diffeomorphic>();
  for (const double longest : { 0.2, 2.0 })
  {
    SCOPED_TRACE(longest);
    DemonsCase what;
    what.iterations = 6;
    what.longest = longest;
    what.gradient = longest < 1.0 ? 2 : 3;
    what.isFirstOrder = longest < 1.0;
    this->Compare<Diffeomorphic>(what);
  }
}

TEST_P(DemonsTrajectories, StopWhereItksDo)
{
  DemonsCase what;
  what.iterations = 100;
  what.smallestChange = 0.12;
  this->CompareOf<Thirion::Of<double, 2>>(what, false);
}

using Types = Thirion::Of<double, 2>;

class DemonsStates : public GpuOnAndOff
{
protected:
  Types::Method::Pointer
  Make() const
  {
    auto method = Types::Method::New();
    method->SetGPUEnabled(GetParam());
    return method;
  }
};

bool
AreSame(const Types::Field * one, const Types::Field * other)
{
  return std::memcmp(one->GetBufferPointer(),
                     other->GetBufferPointer(),
                     one->GetBufferedRegion().GetNumberOfPixels() * sizeof(Types::Field::PixelType)) == 0;
}

TEST_P(DemonsStates, HaveTheSameBitsEachTimeAndOnAnyNumberOfThreads)
{
  const auto first = this->Make();
  const auto course = Register<Types::Reference>(first, DemonsCase());
  for (const unsigned int threads : { 1U, 3U })
  {
    const auto method = this->Make();
    method->SetNumberOfWorkUnits(threads);
    EXPECT_EQ(Register<Types::Reference>(method, DemonsCase()).metrics, course.metrics);
    EXPECT_TRUE(AreSame(method->GetOutput(), first->GetOutput()));
  }
}

TEST_P(DemonsStates, GiveTheFieldToWhoAsksAtAnIterationAndStop)
{
  const auto   method = this->Make();
  unsigned int asked = 0;
  double       largest = 0.0;
  const auto   look = [&] {
    const auto * const field = method->GetDisplacementField();
    for (itk::SizeValueType n = 0; n < field->GetBufferedRegion().GetNumberOfPixels(); ++n)
    {
      largest = std::max(largest, field->GetBufferPointer()[n].GetNorm());
    }
    if (++asked == 3)
    {
      method->StopRegistration();
    }
  };
  const auto course = Register<Types::Reference>(method, DemonsCase(), look);
  EXPECT_EQ(asked, 3U);
  EXPECT_EQ(course.metrics.size(), 3U);
  EXPECT_GT(largest, 0.1);
}

TEST_P(DemonsStates, BeginAnewAfterAnAbortion)
{
  const auto   method = this->Make();
  unsigned int asked = 0;
  EXPECT_THROW(Register<Types::Reference>(method,
                                          DemonsCase(),
                                          [&] {
                                            if (++asked == 2)
                                            {
                                              method->AbortGenerateDataOn();
                                            }
                                          }),
               itk::ProcessAborted);
  method->AbortGenerateDataOff();
  method->RemoveAllObservers();
  const auto again = Register<Types::Reference>(method, DemonsCase());
  EXPECT_EQ(again.metrics, Register<Types::Reference>(this->Make(), DemonsCase()).metrics);
}

// A single number for updates, which ITK 6 takes for that of the field.
TEST_P(DemonsStates, HaveItksDeviations)
{
  const auto reference = Types::Reference::New();
  const auto method = this->Make();
  reference->SetUpdateFieldStandardDeviations(2.5);
  method->SetUpdateFieldStandardDeviations(2.5);
  EXPECT_EQ(method->GetUpdateFieldStandardDeviations(), reference->GetUpdateFieldStandardDeviations());
  EXPECT_EQ(method->GetStandardDeviations(), reference->GetStandardDeviations());
}

TEST_P(DemonsStates, LeaveToItkWhatTheyDoNotKnow)
{
  DemonsCase what;
  what.iterations = 3;
  const auto reference = Types::Reference::New();
  const auto method = this->Make();
  const auto run = [&](Types::Reference * filter) {
    filter->SetManualReinitialization(true);
    filter->SetNumberOfWorkUnits(1); // the sum depends on the order of threads
    return Register<Types::Reference>(filter, what);
  };
  const auto expected = run(reference);
  EXPECT_EQ(run(method).metrics, expected.metrics);
  EXPECT_EQ(method->GetLastBackend(), Backend::Superclass);
  EXPECT_NE(method->GetFallbackReason().find("continue"), std::string::npos) << method->GetFallbackReason();
  EXPECT_TRUE(AreSame(method->GetOutput(), reference->GetOutput()));
  std::ostringstream text;
  method->Print(text);
  EXPECT_NE(text.str().find("UseMovingImageGradient"), std::string::npos);
}

CUDASPLINE_GPU_ON_AND_OFF(DemonsTrajectories);
CUDASPLINE_GPU_ON_AND_OFF(DemonsStates);

} // namespace
