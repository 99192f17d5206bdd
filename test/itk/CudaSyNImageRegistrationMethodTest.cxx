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

#include "itkCudaSyNImageRegistrationMethod.h"

#include "itkAffineTransform.h"
#include "itkCommand.h"
#include "itkDisplacementFieldTransformParametersAdaptor.h"
#include "itkImageMaskSpatialObject.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkShrinkImageFilter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

/** \file
 * \brief SyN with local correlation takes the steps of ITK's: the metric's value at every iteration of two levels, the
 * number of iterations, and the fields.
 *
 * Double mode against ITK on one thread: values within 1e-9 of them for the first ten iterations of a level and 1e-6 to
 * its end, fields within 1e-6 voxels. Single mode: fields within 0.05 voxels at 99 of 100 places. The images have
 * texture everywhere: where a window is constant, ITK's correlation is the noise of its sums. */

namespace
{

using namespace CudaSplineTest;

template <unsigned int VDimension>
struct SynTypes
{
  using Image = itk::Image<double, VDimension>;
  using Transform = itk::DisplacementFieldTransform<double, VDimension>;
  using Field = typename Transform::DisplacementFieldType;
  using Reference = itk::SyNImageRegistrationMethod<Image, Image>;
  using Method = itk::CudaSyNImageRegistrationMethod<Image, Image>;
  using Metric = itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<Image, Image>;
  using Mask = itk::ImageMaskSpatialObject<VDimension>;
  using Adaptor = itk::DisplacementFieldTransformParametersAdaptor<Transform>;
};

/** What differs from case to case. */
struct SynCase
{
  std::vector<itk::SizeValueType> iterations{ 12, 6 };
  unsigned int                    radius{ 2 };
  double                          updateVariance{ 3.0 };
  double                          totalVariance{ 0.5 };
  double                          learningRate{ 0.4 };
  bool                            averages{ false };
  bool                            isOblique{ false };
  bool                            hasMasks{ false };
  bool                            hasInitialTransforms{ false };
  double                          offset{ 0.0 };
  double                          threshold{ -1e9 }; ///< of convergence: never
  bool                            weighs{ false };
};

/** Waves and a ball; the same place by place on any grid. */
template <unsigned int VDimension>
double
Texture(const itk::Point<double, VDimension> & place)
{
  double waves = 0.0;
  double square = 0.0;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    const double x = place[d];
    waves += std::sin(0.71 * x + 0.9 * d) + 0.5 * std::sin(1.37 * x * (d + 1) + 0.3 * place[(d + 1) % VDimension]);
    square += (x - 15.0) * (x - 15.0);
  }
  return 100.0 + 20.0 * waves + 60.0 / (1.0 + std::exp(0.8 * (std::sqrt(square) - 8.0)));
}

template <unsigned int VDimension>
typename SynTypes<VDimension>::Image::Pointer
MakeImage(const SynCase & what, bool isMoving)
{
  using Image = typename SynTypes<VDimension>::Image;
  auto                          image = Image::New();
  typename Image::SizeType      size;
  typename Image::SpacingType   spacing;
  typename Image::PointType     origin;
  typename Image::DirectionType direction;
  direction.SetIdentity();
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    size[d] = (VDimension == 2 ? 41 : 26) + (isMoving ? 2 : 0) - d;
    spacing[d] = 1.0 + 0.15 * d;
    origin[d] = 1.5 - d;
  }
  if (what.isOblique)
  {
    direction[0][0] = direction[1][1] = std::cos(0.3);
    direction[0][1] = -std::sin(0.3);
    direction[1][0] = std::sin(0.3);
  }
  image->SetRegions(size);
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->SetDirection(direction);
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<Image> at(image, image->GetBufferedRegion()); !at.IsAtEnd(); ++at)
  {
    typename Image::PointType place;
    image->TransformIndexToPhysicalPoint(at.GetIndex(), place);
    if (isMoving)
    {
      const auto straight = place;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        place[d] += 1.2 * std::sin(0.21 * straight[(d + 1) % VDimension] + d);
      }
    }
    at.Set(what.offset + Texture<VDimension>(place));
  }
  return image;
}

template <unsigned int VDimension>
typename SynTypes<VDimension>::Mask::Pointer
MakeMask(const typename SynTypes<VDimension>::Image * image, itk::IndexValueType border)
{
  using Pixels = itk::Image<unsigned char, VDimension>;
  auto pixels = Pixels::New();
  pixels->CopyInformation(image);
  pixels->SetRegions(image->GetLargestPossibleRegion());
  pixels->Allocate(true);
  auto region = image->GetLargestPossibleRegion();
  region.ShrinkByRadius(static_cast<itk::OffsetValueType>(border));
  for (itk::ImageRegionIteratorWithIndex<Pixels> at(pixels, region); !at.IsAtEnd(); ++at)
  {
    at.Set((at.GetIndex()[0] + at.GetIndex()[1]) % 11 != 0);
  }
  auto mask = SynTypes<VDimension>::Mask::New();
  mask->SetImage(pixels);
  mask->Update();
  return mask;
}

/** What a registration went through. */
template <unsigned int VDimension>
struct SynCourse
{
  std::vector<itk::SizeValueType>                            levels; ///< of each iteration
  std::vector<double>                                        values;
  std::vector<double>                                        convergence;
  std::vector<typename SynTypes<VDimension>::Field::Pointer> fields;
};

template <unsigned int VDimension>
class Observer : public itk::Command
{
public:
  using Self = Observer;
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
    const auto * const method = static_cast<const typename SynTypes<VDimension>::Reference *>(caller);
    course.levels.push_back(method->GetCurrentLevel());
    course.values.push_back(method->GetCurrentMetricValue());
    course.convergence.push_back(method->GetCurrentConvergenceValue());
  }

  SynCourse<VDimension> course;
};

template <unsigned int VDimension>
SynCourse<VDimension>
Register(typename SynTypes<VDimension>::Reference * method, const SynCase & what)
{
  using Types = SynTypes<VDimension>;
  const auto                         fixed = MakeImage<VDimension>(what, false);
  const auto                         moving = MakeImage<VDimension>(what, true);
  auto                               metric = Types::Metric::New();
  typename Types::Metric::RadiusType radius;
  radius.Fill(what.radius);
  metric->SetRadius(radius);
  metric->SetUseMovingImageGradientFilter(false);
  metric->SetUseFixedImageGradientFilter(false);
  metric->SetMaximumNumberOfWorkUnits(1);
  if (what.hasMasks)
  {
    metric->SetFixedImageMask(MakeMask<VDimension>(fixed, 2));
    metric->SetMovingImageMask(MakeMask<VDimension>(moving, 3));
  }
  const auto                                             levels = static_cast<unsigned int>(what.iterations.size());
  typename Types::Reference::ShrinkFactorsArrayType      shrink(levels);
  typename Types::Reference::SmoothingSigmasArrayType    sigmas(levels);
  typename Types::Reference::NumberOfIterationsArrayType iterations(levels);
  typename Types::Reference::TransformParametersAdaptorsContainerType adaptors;
  for (unsigned int level = 0; level < levels; ++level)
  {
    shrink[level] = levels - level;
    sigmas[level] = 0.7 * (levels - 1 - level);
    iterations[level] = what.iterations[level];
    auto shrinker = itk::ShrinkImageFilter<typename Types::Image, typename Types::Image>::New();
    shrinker->SetShrinkFactors(shrink[level]);
    shrinker->SetInput(fixed);
    shrinker->Update();
    auto adaptor = Types::Adaptor::New();
    adaptor->SetRequiredSpacing(shrinker->GetOutput()->GetSpacing());
    adaptor->SetRequiredSize(shrinker->GetOutput()->GetLargestPossibleRegion().GetSize());
    adaptor->SetRequiredDirection(shrinker->GetOutput()->GetDirection());
    adaptor->SetRequiredOrigin(shrinker->GetOutput()->GetOrigin());
    adaptors.push_back(adaptor.GetPointer());
  }
  method->SetFixedImage(fixed);
  method->SetMovingImage(moving);
  method->SetMetric(metric);
  method->SetNumberOfLevels(levels);
  method->SetShrinkFactorsPerLevel(shrink);
  method->SetSmoothingSigmasPerLevel(sigmas);
  method->SetNumberOfIterationsPerLevel(iterations);
  method->SetTransformParametersAdaptorsPerLevel(adaptors);
  method->SetLearningRate(what.learningRate);
  method->SetConvergenceThreshold(what.threshold);
  method->SetConvergenceWindowSize(5);
  method->SetGaussianSmoothingVarianceForTheUpdateField(what.updateVariance);
  method->SetGaussianSmoothingVarianceForTheTotalField(what.totalVariance);
  method->SetAverageMidPointGradients(what.averages);
  if (what.weighs)
  {
    typename Types::Reference::OptimizerWeightsType weights(VDimension);
    weights.Fill(1.0);
    weights[VDimension - 1] = 0.0;
    method->SetOptimizerWeights(weights);
  }
  if (what.hasInitialTransforms)
  {
    using Affine = itk::AffineTransform<double, VDimension>;
    auto                              affine = Affine::New();
    typename Affine::OutputVectorType shift;
    shift.Fill(0.6);
    affine->Translate(shift);
    affine->Rotate(0, 1, 0.05);
    method->SetMovingInitialTransform(affine);
    auto back = Affine::New();
    back->Rotate(0, 1, -0.03);
    method->SetFixedInitialTransform(back);
  }
  auto output = Types::Transform::New();
  auto zero = Types::Field::New();
  zero->CopyInformation(fixed);
  zero->SetRegions(fixed->GetLargestPossibleRegion());
  zero->Allocate(true);
  output->SetDisplacementField(zero);
  method->SetInitialTransform(output);
  method->InPlaceOn();
  auto observer = Observer<VDimension>::New();
  method->AddObserver(itk::IterationEvent(), observer);
  method->Update();
  auto       course = observer->course;
  const auto add = [&course](const auto * transform) {
    course.fields.push_back(const_cast<typename Types::Field *>(transform->GetDisplacementField()));
    course.fields.push_back(const_cast<typename Types::Field *>(transform->GetInverseDisplacementField()));
  };
  add(method->GetTransform());
  add(method->GetModifiableFixedToMiddleTransform());
  add(method->GetModifiableMovingToMiddleTransform());
  return course;
}

/** Norms of the differences of two fields, in voxels, in rising order. */
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

class SynTrajectories : public GpuOnAndOff
{
protected:
  template <unsigned int VDimension>
  void
  Compare(const SynCase & what, bool isSingle = false)
  {
    using Types = SynTypes<VDimension>;
    const auto reference = Types::Reference::New();
    reference->SetNumberOfWorkUnits(1);
    const auto expected = Register<VDimension>(reference, what);
    const auto method = Types::Method::New();
    method->SetGPUEnabled(GetParam());
    method->SetPrecision(isSingle ? itk::CudaSplinePrecision::Single : itk::CudaSplinePrecision::Double);
    const auto found = Register<VDimension>(method, what);
    EXPECT_EQ(method->GetLastBackend(), GetParam() ? itk::CudaSpline::Backend::Cuda : itk::CudaSpline::Backend::Cpu)
      << method->GetFallbackReason();
    ASSERT_EQ(found.levels, expected.levels);
    itk::SizeValueType inLevel = 0;
    for (std::size_t n = 0; n < expected.values.size(); ++n)
    {
      inLevel = n > 0 && expected.levels[n] == expected.levels[n - 1] ? inLevel + 1 : 0;
      const double share = isSingle ? 1e-3 : (inLevel < 10 ? 1e-9 : 1e-6);
      EXPECT_NEAR(found.values[n], expected.values[n], share * std::abs(expected.values[n]))
        << "iteration " << inLevel << " of level " << expected.levels[n];
    }
    EXPECT_LT(expected.values.back(), expected.values.front()); // it did improve
    for (std::size_t n = 0; n < expected.fields.size(); ++n)
    {
      ASSERT_EQ(found.fields[n]->GetBufferedRegion(), expected.fields[n]->GetBufferedRegion());
      const auto norms = Differences(found.fields[n].GetPointer(), expected.fields[n].GetPointer());
      EXPECT_LE(norms[norms.size() * 99 / 100], isSingle ? 0.05 : 1e-6) << "field " << n;
      if (!isSingle)
      {
        EXPECT_LE(norms.back(), 1e-6) << "field " << n;
      }
    }
  }
};

TEST_P(SynTrajectories, OfThePlane)
{
  this->Compare<2>(SynCase());
}

TEST_P(SynTrajectories, OfSpace)
{
  this->Compare<3>(SynCase());
}

TEST_P(SynTrajectories, OfObliqueGrids)
{
  SynCase what;
  what.isOblique = true;
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
  this->Compare<3>(what);
}

TEST_P(SynTrajectories, OfMasks)
{
  SynCase what;
  what.hasMasks = true;
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
  this->Compare<3>(what);
}

TEST_P(SynTrajectories, OfInitialTransforms)
{
  SynCase what;
  what.hasInitialTransforms = true;
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
  this->Compare<3>(what);
}

TEST_P(SynTrajectories, OfAveragedGradients)
{
  SynCase what;
  what.averages = true;
  what.iterations = { 6, 4 };
  this->Compare<2>(what);
}

TEST_P(SynTrajectories, OfWeights)
{
  SynCase what;
  what.weighs = true;
  what.iterations = { 6, 4 };
  this->Compare<2>(what);
}

TEST_P(SynTrajectories, OfOtherVariances)
{
  for (const double total : { 0.0, 0.3, 1.0 })
  {
    SCOPED_TRACE(total);
    SynCase what;
    what.updateVariance = total == 0.3 ? 0.0 : 2.0;
    what.totalVariance = total;
    what.iterations = { 6, 4 };
    this->Compare<2>(what);
  }
}

TEST_P(SynTrajectories, OfLargeOffsets)
{
  SynCase what;
  what.offset = 1000.0;
  what.radius = 4;
  what.iterations = { 6, 4 };
  this->Compare<2>(what);
}

TEST_P(SynTrajectories, StopsWhereItksDoes)
{
  SynCase what;
  what.iterations = { 60, 10 };
  what.threshold = 1e-3;
  this->Compare<2>(what);
}

TEST_P(SynTrajectories, OfSinglePrecision)
{
  this->Compare<2>(SynCase(), true);
  SynCase what;
  what.iterations = { 6, 4 };
  this->Compare<3>(what, true);
}

CUDASPLINE_GPU_ON_AND_OFF(SynTrajectories);

} // namespace
