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
#ifndef CudaSplineTest_SynTestSupport_h
#define CudaSplineTest_SynTestSupport_h

#include "OneItkThread.h"

#include "itkCudaBSplineSyNImageRegistrationMethod.h"
#include "itkCudaSyNImageRegistrationMethod.h"

#include "itkAffineTransform.h"
#include "itkBSplineSmoothingOnUpdateDisplacementFieldTransformParametersAdaptor.h"
#include "itkCommand.h"
#include "itkDemonsImageToImageMetricv4.h"
#include "itkDisplacementFieldTransformParametersAdaptor.h"
#include "itkEuclideanDistancePointSetToPointSetMetricv4.h"
#include "itkImageMaskSpatialObject.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkMattesMutualInformationImageToImageMetricv4.h"
#include "itkMeanSquaresImageToImageMetricv4.h"
#include "itkObjectToObjectMultiMetricv4.h"
#include "itkShrinkImageFilter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

/** \file
 * \brief Small SyN registrations by ITK's class or the module's, and their trajectories. The images have texture
 * everywhere: in constant windows, ITK's correlation is the noise of its sums, except for constants that its sums
 * represent exactly. */

namespace CudaSplineTest
{

/** Types of SyN with Gaussians, or with B-splines, with pixels and transforms of double or float. */
template <unsigned int VDimension, bool VSplines = false, typename TReal = double>
struct SynTypes
{
  using Image = itk::Image<TReal, VDimension>;
  using Transform = std::conditional_t<VSplines,
                                       itk::BSplineSmoothingOnUpdateDisplacementFieldTransform<TReal, VDimension>,
                                       itk::DisplacementFieldTransform<TReal, VDimension>>;
  using Field = typename Transform::DisplacementFieldType;
  using Base = itk::SyNImageRegistrationMethod<Image, Image, Transform>;
  using Reference = std::conditional_t<VSplines, itk::BSplineSyNImageRegistrationMethod<Image, Image, Transform>, Base>;
  using Method = std::conditional_t<VSplines,
                                    itk::CudaBSplineSyNImageRegistrationMethod<Image, Image, Transform>,
                                    itk::CudaSyNImageRegistrationMethod<Image, Image, Transform>>;
  using Metric = itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<Image, Image, Image, TReal>;
  using Mask = itk::ImageMaskSpatialObject<VDimension>;
  using Adaptor = std::conditional_t<VSplines,
                                     itk::BSplineSmoothingOnUpdateDisplacementFieldTransformParametersAdaptor<
                                       itk::BSplineSmoothingOnUpdateDisplacementFieldTransform<TReal, VDimension>>,
                                     itk::DisplacementFieldTransformParametersAdaptor<Transform>>;
};

/** Metric of two images. */
enum class SynTestMetric
{
  LocalCorrelation,
  MeanSquares,
  Demons,
  DemonsOfMoving, ///< with gradients of the moving image
  Mattes,
  OwnClass, ///< a user's class, which the kernels do not support
  Points    ///< of point sets
};

/** A metric of the user's. */
template <typename TImage, typename TReal>
class OwnMetric : public itk::MeanSquaresImageToImageMetricv4<TImage, TImage, TImage, TReal>
{
public:
  using Self = OwnMetric;
  using Pointer = itk::SmartPointer<Self>;
  itkSimpleNewMacro(Self);
};

/** Problem of the images of a case. */
enum class SynFlaw
{
  None,
  Apart,     ///< the moving image is far away
  Slice,     ///< both have one slice
  Constant,  ///< both are constant
  Nan,       ///< a slab of the moving one is NaN
  EmptyMasks ///< no voxel is under the masks
};

/** One of several pairs of images. */
struct SynTestPair
{
  SynTestMetric metric{ SynTestMetric::LocalCorrelation };
  double        weight{ 1.0 };
};

/** Parameters that differ between cases. */
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
  double                          threshold{ -1e9 }; ///< of convergence: never reached
  bool                            weighs{ false };
  bool                            filtersGradients{ false }; ///< ITK's default: with recursive Gaussians
  bool                            downsamples{ true };       ///< images for derivatives are downsampled
  bool                            hasBothGradients{ false }; ///< of both images, which is not accelerated
  unsigned int                    updateMesh{ 3 };           ///< cells of splines along x in the first level
  unsigned int                    totalMesh{ 0 };            ///< 0: total fields are not smoothed by splines
  unsigned int                    splineOrder{ 3 };          ///< of these splines
  bool                            hasPlainAdaptors{ false }; ///< without support for splines
  std::vector<SynTestPair>        pairs{ {} };               ///< each with other images
  bool         hasWeights{ true };     ///< of several metrics; false: ITK's default, which is equal weights
  bool         isMulti{ false };       ///< a multi-metric also for a single pair
  bool         hasBackground{ false }; ///< constant outside of a ball
  double       background{ 0.0 };      ///< value of the background
  bool         isExact{ false };       ///< grids whose indices come out exactly
  unsigned int bins{ 16 };             ///< of Mattes' metric
  unsigned int cube{ 0 };              ///< samples along each axis; 0: different numbers
  SynFlaw      flaw{ SynFlaw::None };  ///< what is wrong with the images

  /** Returns whether a metric is among those of its pairs. */
  bool
  Has(SynTestMetric metric) const
  {
    return std::any_of(
      pairs.begin(), pairs.end(), [metric](const SynTestPair & pair) { return pair.metric == metric; });
  }
};

/** Returns waves and a ball; the same at each point on any grid. */
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

/** \param[in] pair number of the pair: each has other values where the others are constant */
template <unsigned int VDimension, typename TReal = double>
typename SynTypes<VDimension, false, TReal>::Image::Pointer
MakeImage(const SynCase & what, bool isMoving, std::size_t pair = 0)
{
  using Image = typename SynTypes<VDimension, false, TReal>::Image;
  auto                          image = Image::New();
  typename Image::SizeType      size;
  typename Image::SpacingType   spacing;
  typename Image::PointType     origin;
  typename Image::DirectionType direction;
  direction.SetIdentity();
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    size[d] = what.cube > 0 ? what.cube : (VDimension == 2 ? 41 : 26) + (isMoving ? 2 : 0) - d;
    spacing[d] = what.isExact ? 1.0 : 1.0 + 0.15 * d;
    origin[d] = 1.5 - d;
  }
  if (what.flaw == SynFlaw::Slice)
  {
    size[VDimension - 1] = 1;
  }
  if (what.flaw == SynFlaw::Apart && isMoving)
  {
    origin[0] += 1000.0;
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
    double       value = what.flaw == SynFlaw::Constant ? 100.0 : Texture<VDimension>(place);
    const double fromMiddle = place.EuclideanDistanceTo(typename Image::PointType(15.0));
    value = what.hasBackground && fromMiddle > 11.0 ? what.background : value;
    if (what.flaw == SynFlaw::Nan && isMoving && at.GetIndex()[0] < 4)
    {
      value = std::numeric_limits<double>::quiet_NaN();
    }
    const auto other = static_cast<double>(pair);
    at.Set(static_cast<TReal>(what.offset +
                              (pair == 0 ? value : 260.0 - 0.7 * value + 12.0 * std::sin(0.03 * other * value))));
  }
  return image;
}

template <unsigned int VDimension>
typename SynTypes<VDimension>::Mask::Pointer
MakeMask(const itk::ImageBase<VDimension> * image, itk::IndexValueType border, bool isEmpty = false)
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
    at.Set(!isEmpty && (at.GetIndex()[0] + at.GetIndex()[1]) % 11 != 0);
  }
  auto mask = SynTypes<VDimension>::Mask::New();
  mask->SetImage(pixels);
  mask->Update();
  return mask;
}

/** Results of the iterations of a registration. */
template <unsigned int VDimension, bool VSplines = false, typename TReal = double>
struct SynCourse
{
  std::vector<itk::SizeValueType>                                             levels; ///< of each iteration
  std::vector<double>                                                         values;
  std::vector<double>                                                         convergence;
  std::vector<typename SynTypes<VDimension, VSplines, TReal>::Field::Pointer> fields;
};

/** Expects the values of two courses to agree to 1e-9, one by one. */
template <typename TCourse>
void
ExpectSameValues(const TCourse & found, const TCourse & expected)
{
  ASSERT_EQ(found.values.size(), expected.values.size());
  for (std::size_t n = 0; n < expected.values.size(); ++n)
  {
    EXPECT_NEAR(found.values[n], expected.values[n], 1e-9 * std::abs(expected.values[n]));
  }
}

template <unsigned int VDimension, bool VSplines = false, typename TReal = double>
class SynObserver : public itk::Command
{
public:
  using Self = SynObserver;
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
    const auto * const method = static_cast<const typename SynTypes<VDimension, VSplines, TReal>::Base *>(caller);
    course.levels.push_back(method->GetCurrentLevel());
    course.values.push_back(method->GetCurrentMetricValue());
    course.convergence.push_back(method->GetCurrentConvergenceValue());
    if (further)
    {
      further();
    }
  }

  SynCourse<VDimension, VSplines, TReal> course;
  std::function<void()>                  further; ///< called in each iteration
};

/** Sets the control points of the splines of a level: the mesh is twice as fine in each level, as in antsRegistration.
 */
template <typename TAdaptor>
void
SetControlPoints(TAdaptor * adaptor, const SynCase & what, unsigned int level)
{
  const auto pointsOf = [level](unsigned int mesh) {
    typename TAdaptor::ArrayType points;
    for (unsigned int d = 0; d < TAdaptor::SpaceDimension; ++d)
    {
      points[d] = mesh > 0 ? ((mesh + d) << level) + 3 : 0;
    }
    return points;
  };
  adaptor->SetNumberOfControlPointsForTheUpdateField(pointsOf(what.updateMesh));
  adaptor->SetNumberOfControlPointsForTheTotalField(pointsOf(what.totalMesh));
}

/** Returns a metric with the common options of a case. */
template <unsigned int VDimension, typename TReal>
typename itk::ObjectToObjectMetric<VDimension, VDimension, itk::Image<TReal, VDimension>, TReal>::Pointer
MakeMetric(const SynCase &                    what,
           std::size_t                        pair,
           const itk::ImageBase<VDimension> * fixed,
           const itk::ImageBase<VDimension> * moving)
{
  using Types = SynTypes<VDimension, false, TReal>;
  using Image = typename Types::Image;
  using PointSet = itk::PointSet<unsigned int, VDimension>;
  const auto configure = [&](const auto & metric) {
    metric->SetUseMovingImageGradientFilter(what.filtersGradients);
    metric->SetUseFixedImageGradientFilter(what.filtersGradients);
    metric->SetMaximumNumberOfWorkUnits(1);
    if (what.hasMasks)
    {
      const auto border = static_cast<itk::IndexValueType>(pair);
      const bool isEmpty = what.flaw == SynFlaw::EmptyMasks;
      metric->SetFixedImageMask(MakeMask<VDimension>(fixed, 2 + border, isEmpty));
      metric->SetMovingImageMask(MakeMask<VDimension>(moving, 3 - border, isEmpty));
    }
    if (what.hasBothGradients)
    {
      metric->SetGradientSource(itk::ObjectToObjectMetricBaseTemplateEnums::GradientSource::GRADIENT_SOURCE_BOTH);
    }
  };
  const SynTestMetric kind = what.pairs[pair].metric;
  switch (kind)
  {
    case SynTestMetric::MeanSquares: {
      const auto metric = itk::MeanSquaresImageToImageMetricv4<Image, Image, Image, TReal>::New();
      configure(metric);
      return metric.GetPointer();
    }
    case SynTestMetric::Demons:
    case SynTestMetric::DemonsOfMoving: {
      const auto metric = itk::DemonsImageToImageMetricv4<Image, Image, Image, TReal>::New();
      configure(metric);
      if (kind == SynTestMetric::DemonsOfMoving)
      {
        metric->SetGradientSource(itk::ObjectToObjectMetricBaseTemplateEnums::GradientSource::GRADIENT_SOURCE_MOVING);
      }
      return metric.GetPointer();
    }
    case SynTestMetric::Mattes: {
      const auto metric = itk::MattesMutualInformationImageToImageMetricv4<Image, Image, Image, TReal>::New();
      configure(metric);
      metric->SetNumberOfHistogramBins(what.bins);
      return metric.GetPointer();
    }
    case SynTestMetric::OwnClass: {
      const auto metric = OwnMetric<Image, TReal>::New();
      configure(metric);
      return metric.GetPointer();
    }
    case SynTestMetric::Points:
      return itk::EuclideanDistancePointSetToPointSetMetricv4<PointSet, PointSet, TReal>::New().GetPointer();
    default: {
      const auto                         metric = Types::Metric::New();
      typename Types::Metric::RadiusType radius;
      radius.Fill(what.radius);
      metric->SetRadius(radius);
      configure(metric);
      return metric.GetPointer();
    }
  }
}

/** Sets the pairs of a case and their metrics in a method. */
template <unsigned int VDimension, typename TReal, typename TMethod>
void
SetPairs(TMethod * method, const SynCase & what)
{
  using Image = itk::Image<TReal, VDimension>;
  using Multi = itk::ObjectToObjectMultiMetricv4<VDimension, VDimension, Image, TReal>;
  const auto                       several = Multi::New();
  typename Multi::WeightsArrayType weights(static_cast<unsigned int>(what.pairs.size()));
  for (std::size_t n = 0; n < what.pairs.size(); ++n)
  {
    const auto fixed = MakeImage<VDimension, TReal>(what, false, n);
    const auto moving = MakeImage<VDimension, TReal>(what, true, n);
    const auto metric = MakeMetric<VDimension, TReal>(what, n, fixed, moving);
    if (what.pairs[n].metric == SynTestMetric::Points)
    {
      for (const bool isMoving : { false, true })
      {
        const auto                                points = TMethod::PointSetType::New();
        typename TMethod::PointSetType::PointType place(12.0);
        place[0] += isMoving ? 0.7 : 0.0;
        points->SetPoint(0, place);
        isMoving ? method->SetMovingPointSet(n, points) : method->SetFixedPointSet(n, points);
      }
    }
    else
    {
      method->SetFixedImage(n, fixed);
      method->SetMovingImage(n, moving);
    }
    weights[static_cast<unsigned int>(n)] = what.pairs[n].weight;
    several->AddMetric(metric);
    if (what.pairs.size() == 1 && !what.isMulti)
    {
      method->SetMetric(metric);
      return;
    }
  }
  if (what.hasWeights)
  {
    several->SetMetricWeights(weights);
  }
  method->SetMetric(several);
}

template <unsigned int VDimension, bool VSplines = false, typename TReal = double>
SynCourse<VDimension, VSplines, TReal>
Register(typename SynTypes<VDimension, VSplines, TReal>::Base * method,
         const SynCase &                                        what,
         const std::function<void()> &                          atIteration = {})
{
  using Types = SynTypes<VDimension, VSplines, TReal>;
  const auto fixed = MakeImage<VDimension, TReal>(what, false);
  method->SetDownsampleImagesForMetricDerivatives(what.downsamples);
  SetPairs<VDimension, TReal>(method, what);
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
    if constexpr (VSplines)
    {
      SetControlPoints(adaptor.GetPointer(), what, level);
    }
    using Plain = itk::DisplacementFieldTransformParametersAdaptor<typename Types::Transform>;
    if (what.hasPlainAdaptors)
    {
      adaptors.push_back(Plain::New().GetPointer());
      continue;
    }
    adaptors.push_back(adaptor.GetPointer());
  }
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
    using Affine = itk::AffineTransform<TReal, VDimension>;
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
  const typename Types::Transform::Pointer initial = Types::Transform::New();
  auto                                     zero = Types::Field::New();
  zero->CopyInformation(fixed);
  zero->SetRegions(fixed->GetLargestPossibleRegion());
  zero->Allocate(true);
  initial->SetDisplacementField(zero);
  if constexpr (VSplines)
  {
    initial->SetSplineOrder(what.splineOrder);
  }
  method->SetInitialTransform(initial);
  method->InPlaceOn();
  auto observer = SynObserver<VDimension, VSplines, TReal>::New();
  observer->further = atIteration;
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

/** Returns the norms of the differences of two fields, in voxels, in increasing order. */
template <typename TField, typename TOther>
std::vector<double>
Differences(const TField * one, const TOther * other)
{
  std::vector<double> norms;
  for (itk::SizeValueType n = 0; n < one->GetBufferedRegion().GetNumberOfPixels(); ++n)
  {
    double square = 0.0;
    for (unsigned int d = 0; d < TField::ImageDimension; ++d)
    {
      const double difference =
        static_cast<double>(one->GetBufferPointer()[n][d]) - static_cast<double>(other->GetBufferPointer()[n][d]);
      square += difference * difference / (one->GetSpacing()[d] * one->GetSpacing()[d]);
    }
    norms.push_back(std::sqrt(square));
  }
  std::sort(norms.begin(), norms.end());
  return norms;
}

} // namespace CudaSplineTest

#endif
