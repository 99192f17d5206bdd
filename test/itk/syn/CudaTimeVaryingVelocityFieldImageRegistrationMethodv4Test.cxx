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
#include "SynTestSupport.h"

#include "itkCudaTimeVaryingVelocityFieldImageRegistrationMethodv4.h"

#include "itkTimeVaryingVelocityFieldTransformParametersAdaptor.h"

#include <cmath>
#include <string>
#include <vector>

/** \file
 * \brief The module's registration with a time-varying velocity field takes the same steps as ITK's class: values of
 * the metric agree to 1e-9, fields to 1e-6 voxels, on one ITK thread. Other cases are computed by ITK's class, with a
 * reason. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

/** Options of a velocity field, in addition to those of images. */
struct VelocityCase
{
  SynCase      images;
  unsigned int timePoints{ 4 };
  double       updateTimeVariance{ 0.25 };
  double       totalTimeVariance{ 0.0 };
};

template <unsigned int VDimension, typename TReal = double>
struct VelocityTypes
{
  using Image = itk::Image<TReal, VDimension>;
  using Transform = itk::GaussianSmoothingOnUpdateTimeVaryingVelocityFieldTransform<TReal, VDimension>;
  using Reference = itk::TimeVaryingVelocityFieldImageRegistrationMethodv4<Image, Image, Transform>;
  using Method = itk::CudaTimeVaryingVelocityFieldImageRegistrationMethodv4<Image, Image, Transform>;
  using Velocity = typename Transform::VelocityFieldType;
  using Field = typename Transform::DisplacementFieldType;
};

/** Values of all iterations, and the fields at the end. */
template <typename TTypes>
struct VelocityCourse
{
  std::vector<double>                values;
  typename TTypes::Velocity::Pointer velocity;
  typename TTypes::Field::Pointer    forward;
  typename TTypes::Field::Pointer    backward;
};

/** The geometry of a velocity field: that of an image, with an axis of time. */
template <typename TVelocity, typename TImage>
struct VelocityGeometry
{
  static constexpr unsigned int     Dimension = TImage::ImageDimension;
  typename TVelocity::SizeType      size;
  typename TVelocity::PointType     origin{};
  typename TVelocity::SpacingType   spacing{ 1.0 };
  typename TVelocity::DirectionType direction;

  VelocityGeometry(const TImage * image, unsigned int timePoints)
  {
    direction.SetIdentity();
    for (unsigned int r = 0; r < Dimension; ++r)
    {
      size[r] = image->GetLargestPossibleRegion().GetSize()[r];
      origin[r] = image->GetOrigin()[r];
      spacing[r] = image->GetSpacing()[r];
      for (unsigned int c = 0; c < Dimension; ++c)
      {
        direction[r][c] = image->GetDirection()[r][c];
      }
    }
    size[Dimension] = timePoints;
  }
};

template <typename TImage>
typename TImage::Pointer
Shrink(const TImage * image, unsigned int factor)
{
  auto shrinker = itk::ShrinkImageFilter<TImage, TImage>::New();
  shrinker->SetShrinkFactors(factor);
  shrinker->SetInput(image);
  shrinker->Update();
  return shrinker->GetOutput();
}

/** Sets levels and adaptors. */
template <typename TTypes>
void
SetLevels(typename TTypes::Reference * method, const VelocityCase & what, const typename TTypes::Image * fixed)
{
  using Reference = typename TTypes::Reference;
  using Adaptor = itk::TimeVaryingVelocityFieldTransformParametersAdaptor<typename TTypes::Transform>;
  const auto                                      levels = static_cast<unsigned int>(what.images.iterations.size());
  typename Reference::ShrinkFactorsArrayType      shrink(levels);
  typename Reference::SmoothingSigmasArrayType    sigmas(levels);
  typename Reference::NumberOfIterationsArrayType iterations(levels);
  typename Reference::TransformParametersAdaptorsContainerType adaptors;
  for (unsigned int level = 0; level < levels; ++level)
  {
    shrink[level] = levels - level;
    sigmas[level] = 0.7 * (levels - 1 - level);
    iterations[level] = what.images.iterations[level];
    const auto                                                                coarse = Shrink(fixed, shrink[level]);
    const VelocityGeometry<typename TTypes::Velocity, typename TTypes::Image> geometry(coarse, what.timePoints);
    auto                                                                      adaptor = Adaptor::New();
    adaptor->SetRequiredSize(geometry.size);
    adaptor->SetRequiredOrigin(geometry.origin);
    adaptor->SetRequiredSpacing(geometry.spacing);
    adaptor->SetRequiredDirection(geometry.direction);
    adaptors.push_back(adaptor.GetPointer());
  }
  method->SetNumberOfLevels(levels);
  method->SetShrinkFactorsPerLevel(shrink);
  method->SetSmoothingSigmasPerLevel(sigmas);
  method->SetNumberOfIterationsPerLevel(iterations);
  method->SetTransformParametersAdaptorsPerLevel(adaptors);
}

template <typename TTypes>
typename TTypes::Transform::Pointer
MakeVelocityTransform(const VelocityCase & what, const typename TTypes::Image * fixed)
{
  const VelocityGeometry<typename TTypes::Velocity, typename TTypes::Image> geometry(fixed, what.timePoints);
  auto                                                                      velocity = TTypes::Velocity::New();
  velocity->SetRegions(geometry.size);
  velocity->SetOrigin(geometry.origin);
  velocity->SetSpacing(geometry.spacing);
  velocity->SetDirection(geometry.direction);
  velocity->Allocate(true);
  auto transform = TTypes::Transform::New();
  transform->SetVelocityField(velocity);
  transform->SetGaussianSpatialSmoothingVarianceForTheUpdateField(what.images.updateVariance);
  transform->SetGaussianSpatialSmoothingVarianceForTheTotalField(what.images.totalVariance);
  transform->SetGaussianTemporalSmoothingVarianceForTheUpdateField(what.updateTimeVariance);
  transform->SetGaussianTemporalSmoothingVarianceForTheTotalField(what.totalTimeVariance);
  transform->IntegrateVelocityField();
  return transform;
}

template <unsigned int VDimension, typename TReal = double>
VelocityCourse<VelocityTypes<VDimension, TReal>>
RegisterVelocity(typename VelocityTypes<VDimension, TReal>::Reference * method, const VelocityCase & what)
{
  using Types = VelocityTypes<VDimension, TReal>;
  const auto fixed = MakeImage<VDimension, TReal>(what.images, false);
  SetPairs<VDimension, TReal>(method, what.images);
  SetLevels<Types>(method, what, fixed);
  method->SetLearningRate(what.images.learningRate);
  method->SetConvergenceThreshold(what.images.threshold);
  method->SetConvergenceWindowSize(5);
  if (what.images.weighs)
  {
    typename Types::Reference::OptimizerWeightsType weights(VDimension);
    weights.Fill(1.0);
    weights[VDimension - 1] = 0.0;
    method->SetOptimizerWeights(weights);
  }
  if (what.images.hasInitialTransforms)
  {
    auto affine = itk::AffineTransform<TReal, VDimension>::New();
    typename itk::AffineTransform<TReal, VDimension>::OutputVectorType shift;
    shift.Fill(0.6);
    affine->Translate(shift);
    affine->Rotate(0, 1, 0.05);
    method->SetMovingInitialTransform(affine);
  }
  const auto transform = MakeVelocityTransform<Types>(
    what, Shrink<typename Types::Image>(fixed, static_cast<unsigned int>(what.images.iterations.size())));
  method->SetInitialTransform(transform);
  method->InPlaceOn();
  VelocityCourse<Types> course;
  auto                  observer = itk::CStyleCommand::New();
  using Record = std::pair<typename Types::Reference *, std::vector<double> *>;
  Record record(method, &course.values);
  observer->SetClientData(&record);
  observer->SetCallback([](itk::Object *, const itk::EventObject &, void * data) {
    const auto * const own = static_cast<Record *>(data);
    own->second->push_back(own->first->GetCurrentMetricValue());
  });
  method->AddObserver(itk::IterationEvent(), observer);
  method->Update();
  course.velocity = transform->GetModifiableVelocityField();
  course.forward = transform->GetModifiableDisplacementField();
  course.backward = transform->GetModifiableInverseDisplacementField();
  return course;
}

class VelocityTrajectories : public GpuOnAndOff
{
protected:
  template <unsigned int VDimension, typename TReal = double>
  void
  Compare(const VelocityCase & what, double tolerance = 1e-9)
  {
    using Types = VelocityTypes<VDimension, TReal>;
    const OneItkThread oneThread;
    const auto         expected = RegisterVelocity<VDimension, TReal>(Types::Reference::New(), what);
    const auto         method = Types::Method::New();
    method->SetGPUEnabled(GetParam());
    method->SetPrecision(itk::CudaSplinePrecision::Double);
    const auto found = RegisterVelocity<VDimension, TReal>(method, what);
    EXPECT_EQ(method->GetLastBackend(), GetParam() ? Backend::Cuda : Backend::Cpu) << method->GetFallbackReason();
    ASSERT_EQ(found.values.size(), expected.values.size());
    for (std::size_t n = 0; n < expected.values.size(); ++n)
    {
      EXPECT_NEAR(found.values[n], expected.values[n], tolerance * std::abs(expected.values[n])) << "iteration " << n;
    }
    EXPECT_LT(expected.values.at(2), expected.values.at(1)); // the first event is that of the level
    EXPECT_LT(Differences(found.forward.GetPointer(), expected.forward.GetPointer()).back(), 1e3 * tolerance);
    EXPECT_LT(Differences(found.backward.GetPointer(), expected.backward.GetPointer()).back(), 1e3 * tolerance);
    EXPECT_GT(Differences(found.forward.GetPointer(), found.backward.GetPointer()).back(), 0.01); // they move
    const auto * const one = found.velocity->GetBufferPointer();
    const auto * const other = expected.velocity->GetBufferPointer();
    for (itk::SizeValueType n = 0; n < found.velocity->GetBufferedRegion().GetNumberOfPixels(); ++n)
    {
      ASSERT_LT((one[n] - other[n]).GetNorm(), 1e3 * tolerance);
    }
  }

  /** Expects that ITK's class computes a case, with a reason that contains a text. */
  void
  ExpectFallback(const VelocityCase & what, const std::string & text)
  {
    const OneItkThread oneThread;
    const auto         expected = RegisterVelocity<2>(VelocityTypes<2>::Reference::New(), what);
    const auto         method = VelocityTypes<2>::Method::New();
    const auto         found = RegisterVelocity<2>(method, what);
    EXPECT_EQ(method->GetLastBackend(), Backend::Superclass);
    EXPECT_NE(method->GetFallbackReason().find(text), std::string::npos) << method->GetFallbackReason();
    EXPECT_EQ(found.values, expected.values);
  }
};

/** The defaults of the tests: local correlation of radius 2, two levels. */
VelocityCase
MakeVelocityCase(std::vector<itk::SizeValueType> iterations = { 5, 3 })
{
  VelocityCase what;
  what.images.iterations = std::move(iterations);
  return what;
}

TEST_P(VelocityTrajectories, OfThePlane)
{
  this->Compare<2>(MakeVelocityCase());
}

TEST_P(VelocityTrajectories, OfSpace)
{
  this->Compare<3>(MakeVelocityCase({ 2, 1 }));
}

TEST_P(VelocityTrajectories, OfObliqueGrids)
{
  VelocityCase what = MakeVelocityCase();
  what.images.isOblique = true;
  this->Compare<2>(what);
}

TEST_P(VelocityTrajectories, OfEachSmoothing)
{
  VelocityCase what = MakeVelocityCase({ 3 });
  what.totalTimeVariance = 0.4;
  this->Compare<2>(what);
  what.images.updateVariance = 0.0;
  what.images.totalVariance = 0.3; // the previous field has a weight
  this->Compare<2>(what);
  what.images.totalVariance = 0.0;
  this->Compare<2>(what);
  what.updateTimeVariance = 0.0;
  what.totalTimeVariance = 0.0;
  this->Compare<2>(what);
}

TEST_P(VelocityTrajectories, OfEachNumberOfTimePoints)
{
  for (const unsigned int timePoints : { 2U, 16U })
  {
    VelocityCase what = MakeVelocityCase({ 2 });
    what.timePoints = timePoints;
    this->Compare<2>(what);
  }
}

TEST_P(VelocityTrajectories, OfEachMetric)
{
  for (const SynTestMetric metric :
       { SynTestMetric::MeanSquares, SynTestMetric::Mattes, SynTestMetric::DemonsOfMoving })
  {
    VelocityCase what = MakeVelocityCase({ 3 });
    what.images.pairs = { { metric, 1.0 } };
    this->Compare<2>(what);
  }
}

TEST_P(VelocityTrajectories, OfWeightsGradientsAndInitialTransforms)
{
  VelocityCase what = MakeVelocityCase();
  what.images.weighs = true;
  what.images.hasInitialTransforms = true;
  this->Compare<2>(what);
  what = MakeVelocityCase({ 3 });
  what.images.filtersGradients = true;
  this->Compare<2>(what, 1e-7); // ITK's gradients are floats
}

TEST_P(VelocityTrajectories, StopsWhereItksDoes)
{
  VelocityCase what = MakeVelocityCase({ 40, 10 });
  what.images.threshold = 1e-2;
  this->Compare<2>(what, 1e-8);
}

TEST_P(VelocityTrajectories, OfFloatPixelsInDouble)
{
  this->Compare<2, float>(MakeVelocityCase({ 3 }), 1e-4);
}

TEST_P(VelocityTrajectories, LeavesOtherCasesToItk)
{
  VelocityCase what = MakeVelocityCase({ 1 });
  what.images.hasMasks = true;
  this->ExpectFallback(what, "masks");
  what.images.hasMasks = false;
  what.timePoints = 17;
  this->ExpectFallback(what, "16 time points");
  what.timePoints = 4;
  what.images.pairs = { { SynTestMetric::OwnClass, 1.0 } };
  this->ExpectFallback(what, "are accelerated, not");
}

CUDASPLINE_GPU_ON_AND_OFF(VelocityTrajectories);

} // namespace
