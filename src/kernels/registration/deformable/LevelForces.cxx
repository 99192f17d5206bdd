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
#include "kernels/registration/deformable/LevelForces.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/kernels/gaussian/ResidentGaussian.h"
#include "itkCudaSpline/kernels/metrics/MappedImage.h"

#include "kernels/fields/limits/DeterminantLimit.h"
#include "kernels/fields/smoothing/SlabSmoothing.h"
#include "kernels/metrics/images/GridSources.h"
#include "kernels/metrics/gradient_fields/GradientFields.h"
#include "kernels/registration/forces/ForceSum.h"
#include "kernels/registration/images/RangeUnderMask.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace itk::CudaSpline
{

namespace
{
void
CheckTerm(const SynTerm & term, bool comparesOriginals)
{
  const SynMetric & metric = term.metric;
  if (metric.comparesOriginals != comparesOriginals)
  {
    throw std::invalid_argument("comparesOriginals must be the same for all pairs of images of a registration.");
  }
}

/** Returns the setup of a metric, except for the data of its images. */
FieldMetricSetup
DescribeSetup(const FieldShape & shape, ScalarType pixel, const SynMetric & metric)
{
  FieldMetricSetup setup;
  setup.options = metric;
  setup.shape = shape;
  setup.pixel = pixel;
  setup.grids = { { shape.grid, shape.grid } };
  setup.comparesOriginals = metric.comparesOriginals;
  return setup;
}

/** Computes the B-spline coefficients of an image. */
std::shared_ptr<const void>
MakeCoefficients(const ResidentImage & image, unsigned int order, const Residence & residence)
{
  SourceDescriptor source = DescribeGrid(image.grid, image.pixel);
  source.order = order;
  const auto coefficients = std::make_shared<ResidentArray>(source.ElementBytes(), residence);
  CopyResident(coefficients->Data(), image.data.get(), coefficients->Bytes(), residence);
  residence.Wait();
  PrefilterInPlace(source, coefficients->Data(), residence.GetContext());
  return std::shared_ptr<const void>(coefficients, coefficients->Data());
}

/** Whether Gaussians compute gradients of the warped images. */
bool
HasGaussian(const SynMetric & metric)
{
  return metric.gaussian && !metric.comparesOriginals && !HasFeatures(metric.kind);
}

/** On the host, levels with at least so many samples use as little memory as they can. */
constexpr std::int64_t LargeLevel = std::int64_t{ 1 } << 24;

} // namespace

void
CheckSide(const SynSide & side, const FieldShape & shape, ScalarType pixel)
{
  const auto isOf = [&](const ResidentImage & image) { return image.grid.dimension == shape.grid.dimension; };
  if (side.image.data == nullptr || !isOf(side.image) || side.image.pixel != pixel ||
      (pixel != ScalarType::Float32 && pixel != ScalarType::Float64))
  {
    throw std::invalid_argument(
      "Images of a registration must all be float32 or all float64, and have the dimension of its fields.");
  }
  if (side.mask.data != nullptr && (!isOf(side.mask) || side.mask.pixel != ScalarType::UInt8))
  {
    throw std::invalid_argument("Masks of a registration must have pixels of 8 bits, and the dimension of its fields.");
  }
  if (side.stages.size() >= MaximumWarpStages)
  {
    throw std::invalid_argument("An initial transform has " + std::to_string(side.stages.size()) + " stages; at most " +
                                std::to_string(MaximumWarpStages - 1) + " are supported.");
  }
  if (side.confidence.data != nullptr && (!isOf(side.confidence) || side.confidence.pixel != shape.element))
  {
    throw std::invalid_argument("Confidence images must have the type and the dimension of the fields.");
  }
}

ImageWarp
DescribeMove(const SynSide & side, const FieldShape & shape, const void * field)
{
  ImageWarp warp;
  warp.input = side.image.grid;
  warp.pixel = side.image.pixel;
  warp.output = shape.grid;
  if (field != nullptr)
  {
    warp.stages.push_back(MakeFieldStage(shape, field));
  }
  warp.stages.insert(warp.stages.end(), side.stages.begin(), side.stages.end());
  return warp;
}

void
MoveMask(const SynSide & side, ImageWarp warp, void * output, const Residence & residence)
{
  if (side.mask.data != nullptr)
  {
    warp.input = side.mask.grid;
    warp.pixel = side.mask.pixel;
    warp.nearest = true;
    warp.largestOutside = false;
    WarpImage(warp, side.mask.data.get(), output, residence);
  }
}

std::vector<TransformChain::Stage>
MakeResidentStages(std::vector<TransformChain::Stage> stages, unsigned int dimension, const Residence & residence)
{
  const auto move = [&](auto & numbers, std::int64_t count) {
    using Number = std::remove_const_t<std::remove_reference_t<decltype(*numbers)>>;
    if (numbers == nullptr || !residence.IsOnDevice())
    {
      return;
    }
    const bool isOnHost = DeviceOfPointer(numbers.get()) < 0;
    if (isOnHost || !IsForAllDevices(numbers.get(), residence))
    {
      const auto array = std::make_shared<ResidentArray>(static_cast<std::size_t>(count) * sizeof(Number), residence);
      isOnHost ? Upload(array->Data(), numbers.get(), array->Bytes(), residence)
               : CopyResident(array->Data(), numbers.get(), array->Bytes(), residence);
      numbers = std::shared_ptr<const Number>(array, array->template As<Number>());
    }
  };
  for (TransformChain::Stage & stage : stages)
  {
    const std::int64_t count = TransformChain::CountOf(stage, dimension);
    move(stage.data, count);
    move(stage.singleData, count);
  }
  return stages;
}

std::vector<SynTerm>
MakeTerms(SynSide fixed, SynSide moving, const SynMetric & metric)
{
  std::vector<SynTerm> terms(1);
  terms[0].fixed = std::move(fixed);
  terms[0].moving = std::move(moving);
  terms[0].metric = metric;
  return terms;
}

std::size_t
LevelSmoothing::CountScratch(const FieldShape & shape, bool hasConfidence, Backend backend) const
{
  if (this->IsNone())
  {
    return 0;
  }
  return spline ? CountSplineSmoothingScratch(shape, *spline, hasConfidence)
                : CountSmoothingScratch(shape, MakeFieldSmoothing(shape.grid, variance), backend);
}

std::size_t
CountInversionBytes(const FieldShape & shape, InversionMethod method)
{
  return CountInversionScratch(shape) - (method == InversionMethod::Anderson ? shape.Bytes() : 0); // has no errors
}

std::size_t
LevelSetup::CountImageBytes() const
{
  return AlignBytes(static_cast<std::size_t>(shape.grid.Count()) * SizeOf(pixel));
}

std::size_t
LevelSetup::CountMovedPairs() const
{
  return static_cast<std::size_t>(
    std::count_if(metrics.begin(), metrics.end(), [](const SynMetric & metric) { return !HasFeatures(metric.kind); }));
}

bool
LevelSetup::IsSmall() const
{
  return use.memory == LevelMemory::Smallest || this->IsPaged() ||
         (use.memory == LevelMemory::Automatic && backend == Backend::Cpu && shape.grid.Count() >= LargeLevel);
}

bool
LevelSetup::SmoothsInPlace(const LevelSmoothing & smoothing) const
{
  return this->IsSmall() && !hasRegions && !smoothing.spline && smoothing.variance > 0.0 &&
         CanSmoothInSlabs(shape, MakeFieldSmoothing(shape.grid, smoothing.variance));
}

LevelLayout::LevelLayout(const LevelSetup & setup, const SynRules & rules)
{
  const FieldShape & shape = setup.shape;
  const std::size_t  field = AlignBytes(shape.Bytes());
  const auto         isOneWay = [](const SynMetric & metric) {
    return metric.kind == MetricKind::LocalCorrelation && !metric.comparesOriginals && !HasGaussian(metric);
  };
  isByDirection = setup.use.updates == 2 && setup.IsSmall() && !rules.averagesMidpointGradients &&
                  std::all_of(setup.metrics.begin(), setup.metrics.end(), isOneWay);
  const unsigned int own = setup.IsPaged() ? 0 : setup.use.updates;
  secondUpdate = own == 2 && !isByDirection ? field : 0;
  moved = own == 0 ? 0 : secondUpdate + field;

  const std::size_t ofImages = setup.CountMovedPairs() * setup.CountImageBytes();
  const std::size_t directions = setup.use.updates == 1 || isByDirection ? 1 : 2;
  const bool        hasGaussian = std::any_of(setup.metrics.begin(), setup.metrics.end(), HasGaussian);
  gradients = moved + 2 * ofImages;
  termForces = gradients + (hasGaussian ? field : 0);
  scratchOfComparison = termForces + (setup.metrics.size() > 1 ? directions * field : 0);
  std::size_t ofComparison = setup.metrics.size() > 1 ? CountForceSumScratch(shape.grid) : 0;
  for (const SynMetric & metric : setup.metrics)
  {
    ofComparison = std::max(ofComparison, CountFieldMetricScratch(metric.kind, shape.grid));
    if (HasGaussian(metric))
    {
      ofComparison = std::max(
        ofComparison, CountResidentGaussianScratch(*metric.gaussian, GaussianOperation::Gradient, setup.backend));
    }
  }
  if (setup.hasLandmarks)
  {
    ofComparison = std::max(ofComparison, FieldLandmarks::CountScratch(shape, setup.backend));
  }

  // Steps after a comparison overwrite the images that no comparison needs any more.
  // Several devices divide each array, so that the parts of arrays at one place would not be on the same devices.
  between = isByDirection || setup.isShared ? gradients : moved + (setup.use.keepsFixed ? ofImages : 0);
  bool        hasBetween = setup.use.updates == 2 && rules.determinantLimit > 0.0;
  std::size_t ofSteps = rules.determinantLimit > 0.0 ? CountLimitScratch(shape) : 0;
  ofSteps = std::max(ofSteps, setup.hasRegions ? field : 0);
  const auto count = [&](const LevelSmoothing & smoothing, bool hasConfidence, bool needsField) {
    const bool isInPlace = setup.SmoothsInPlace(smoothing);
    hasBetween = hasBetween || (needsField && !isInPlace && !smoothing.IsNone());
    ofSteps =
      std::max(ofSteps,
               isInPlace ? CountSlabBytes(shape, MakeFieldSmoothing(shape.grid, smoothing.variance), setup.backend)
                         : smoothing.CountScratch(shape, hasConfidence, setup.backend));
  };
  count(LevelSmoothing::OfUpdates(rules), setup.hasConfidence, true);
  count(LevelSmoothing::OfTotals(rules), false, setup.use.updates == 2);
  scratch = between + (hasBetween ? field : 0);
  bytes = std::max(scratchOfComparison + ofComparison, scratch + ofSteps);
  if (setup.use.updates != 1) // updates are not needed during inversions of SyN
  {
    bytes = std::max(bytes, CountInversionBytes(shape, rules.inversion.method));
  }

  std::set<std::size_t> places{
    secondUpdate, moved, gradients, gradients + (hasGaussian ? field : 0), between, scratch
  };
  for (std::size_t image = 1; image < 2 * setup.CountMovedPairs(); ++image)
  {
    places.insert(moved + image * setup.CountImageBytes());
  }
  for (std::size_t force = termForces; force < scratchOfComparison; force += field)
  {
    places.insert(force);
  }
  places.erase(0);
  starts.assign(places.begin(), places.lower_bound(bytes));
}

LevelForces::LevelForces(const FieldShape &     shape,
                         std::vector<SynTerm>   terms,
                         const LandmarkTerm &   landmarks,
                         const Residence &      residence,
                         const LevelUse &       use,
                         const SlidingRegions & regions)
  : m_Shape(shape)
  , m_Residence(residence)
  , m_Regions(regions, shape, residence)
{
  if (terms.empty())
  {
    throw std::invalid_argument("A registration needs at least 1 pair of images; there are 0.");
  }
  m_ComparesOriginals = terms.front().metric.comparesOriginals;
  m_Setup.shape = shape;
  m_Setup.pixel = terms.front().fixed.image.pixel;
  m_Setup.backend = residence.GetBackend();
  m_Setup.use = use;
  m_Setup.isShared = residence.GetGroup() != nullptr;
  m_Setup.hasLandmarks = landmarks.IsUsed();
  m_Setup.hasRegions = m_Regions.AreUsed();
  for (const SynTerm & term : terms)
  {
    CheckSide(term.fixed, shape, m_Setup.pixel);
    CheckSide(term.moving, shape, m_Setup.pixel);
    CheckTerm(term, m_ComparesOriginals);
    m_Setup.metrics.push_back(term.metric);
    m_Setup.hasConfidence =
      m_Setup.hasConfidence || term.fixed.confidence.data != nullptr || term.moving.confidence.data != nullptr;
  }
  if (m_Setup.IsPaged() && !m_Setup.CanBePaged())
  {
    throw std::invalid_argument("Levels with landmarks or features need all fields in the memory of the backend.");
  }
  std::size_t number = 0;
  for (SynTerm & term : terms)
  {
    const std::size_t next = number + (HasFeatures(term.metric.kind) ? 0 : 1);
    m_Terms.push_back(this->MakePair(std::move(term), number));
    number = next;
  }
  if (landmarks.IsUsed())
  {
    m_Landmarks.emplace(landmarks, shape, m_Terms.front().term.moving.stages, use.comparisons, residence);
  }
  m_Norms = ResidentArray(MaximumNormScratch, residence);
  if (m_Terms.size() > 1)
  {
    m_Squares = ResidentArray(2 * m_Terms.size() * sizeof(SquareSum), residence);
    m_OtherSums = ResidentArray(use.comparisons * (m_Terms.size() - 1) * sizeof(LevelSums), residence);
  }
}

LevelForces::Pair
LevelForces::MakePair(SynTerm term, std::size_t number) const
{
  Pair pair;
  pair.gaussian = HasGaussian(term.metric) ? term.metric.gaussian : std::nullopt;
  pair.term = std::move(term);
  pair.movedFixed = this->MakeMoved(pair, pair.term.fixed, number);
  pair.movedMoving = this->MakeMoved(pair, pair.term.moving, m_Setup.CountMovedPairs() + number);
  const SynSide &  fixed = pair.term.fixed;
  const SynSide &  moving = pair.term.moving;
  FieldMetricSetup setup = DescribeSetup(m_Shape, fixed.image.pixel, pair.term.metric);
  setup.hasStages = !(fixed.stages.empty() && moving.stages.empty());
  if (m_ComparesOriginals)
  {
    setup.grids = { { fixed.image.grid, moving.image.grid } };
  }
  if ((m_ComparesOriginals && HasHistogram(setup.options.kind)) || HasVarianceFloors(setup.options.kind))
  {
    setup.ranges = { { FindPixelRange(fixed, m_Residence), FindPixelRange(moving, m_Residence) } };
  }
  if (HasEdgeParameters(setup.options.kind))
  {
    const auto rangeOf = [&](const SynSide & side) {
      const auto mask = MaskOn(side.image.grid, side.mask, m_Residence);
      return FindGradientRange(side.image, static_cast<const std::uint8_t *>(mask.get()), m_Residence);
    };
    setup.ranges = { { rangeOf(fixed), rangeOf(moving) } };
  }
  if (HasFeatures(setup.options.kind))
  {
    setup.images = { { fixed.image, moving.image } };
  }
  pair.metric = MakeFieldMetric(setup, m_Residence);
  return pair;
}

LevelForces::Moved
LevelForces::MakeMoved(const Pair & pair, const SynSide & side, std::size_t number) const
{
  const auto count = static_cast<std::size_t>(m_Shape.grid.Count());
  const auto array = [this](bool isNeeded, std::size_t bytes) {
    return ResidentArray(isNeeded ? bytes : 0, m_Residence);
  };
  Moved moved;
  moved.number = number;
  moved.confidence = array(side.confidence.data != nullptr, count * SizeOf(m_Shape.element));
  if (HasFeatures(pair.term.metric.kind))
  {
    return moved;
  }
  moved.mask = array(m_ComparesOriginals || side.mask.data != nullptr, count);
  if (pair.term.metric.order > 1 && !m_ComparesOriginals)
  {
    moved.coefficients = MakeCoefficients(side.image, pair.term.metric.order, m_Residence);
  }
  // If gradients are Gaussians on the grid, only those of the moving image are kept. The others are computed in the
  // memory of a field.
  moved.gradients = array(m_ComparesOriginals || (pair.gaussian && &side == &pair.term.moving), m_Shape.Bytes());
  if (m_ComparesOriginals && side.gradient)
  {
    const auto numbers = static_cast<std::size_t>(side.image.grid.Count()) * m_Shape.grid.dimension;
    moved.ownGradients = array(true, numbers * SizeOf(m_Shape.element));
    const ResidentArray scratch(
      CountResidentGaussianScratch(*side.gradient, GaussianOperation::Gradient, m_Residence.GetBackend()), m_Residence);
    MakeResidentGradient(*side.gradient, side.image.data.get(), moved.ownGradients.Data(), scratch.Data(), m_Residence);
  }
  return moved;
}

void
LevelForces::Move(const Pair & pair, const SynSide & side, const void * field, const Moved & moved)
{
  ImageWarp  warp = DescribeMove(side, m_Shape, field);
  const bool isMoved = !HasFeatures(pair.term.metric.kind);
  if (isMoved && m_ComparesOriginals)
  {
    const ImageMapping  mapping{ warp.input, warp.pixel, side.mask.grid, m_Shape, warp.stages };
    const MappedSources sources{ side.image.data.get(),
                                 static_cast<const std::uint8_t *>(side.mask.data.get()),
                                 moved.ownGradients.Data() };
    MapImage(
      mapping, sources, { this->ImageOf(moved), moved.mask.As<std::uint8_t>(), moved.gradients.Data() }, m_Residence);
  }
  else if (isMoved)
  {
    warp.cubic = moved.coefficients != nullptr;
    WarpImage(warp, warp.cubic ? moved.coefficients.get() : side.image.data.get(), this->ImageOf(moved), m_Residence);
    warp.cubic = false;
  }
  if (side.confidence.data != nullptr)
  {
    warp.input = side.confidence.grid;
    warp.pixel = side.confidence.pixel;
    WarpImage(warp, side.confidence.data.get(), moved.confidence.Data(), m_Residence);
  }
  if (isMoved && !m_ComparesOriginals)
  {
    MoveMask(side, std::move(warp), moved.mask.Data(), m_Residence);
  }
}

void
LevelForces::MoveFixed(const void * field)
{
  m_FixedField = field;
  m_HasMovedFixed = true;
  for (const Pair & pair : m_Terms)
  {
    this->Move(pair, pair.term.fixed, field, pair.movedFixed);
  }
}

void
LevelForces::MoveMoving(const void * field)
{
  m_MovingField = field;
  for (const Pair & pair : m_Terms)
  {
    this->Move(pair, pair.term.moving, field, pair.movedMoving);
  }
}

LocalCorrelationImages
LevelForces::Present(const Pair & pair, bool withFixed)
{
  LocalCorrelationImages images;
  images.fixed = this->ImageOf(pair.movedFixed);
  images.moving = this->ImageOf(pair.movedMoving);
  images.fixedInside = pair.movedFixed.mask.As<std::uint8_t>();
  images.movingInside = pair.movedMoving.mask.As<std::uint8_t>();
  if (m_ComparesOriginals)
  {
    images.movingGradient = pair.movedMoving.gradients.Data();
    images.fixedGradient = withFixed ? pair.movedFixed.gradients.Data() : nullptr;
  }
  else if (pair.gaussian)
  {
    void * const scratch = this->At(m_Layout.scratchOfComparison);
    void * const gradients = pair.movedMoving.gradients.Data();
    MakeResidentGradient(*pair.gaussian, images.moving, gradients, scratch, m_Residence);
    images.movingGradient = gradients;
    if (withFixed)
    {
      MakeResidentGradient(*pair.gaussian, images.fixed, this->At(m_Layout.gradients), scratch, m_Residence);
      images.fixedGradient = this->At(m_Layout.gradients);
    }
  }
  return images;
}

UnmovedImage
LevelForces::PresentUnmoved(const SynSide & side, const void * field) const
{
  return { side.mask, DescribeMove(side, m_Shape, field).stages };
}

void
LevelForces::ComparePair(Pair & pair, LevelSums * sums, void * byMoving, void * byFixed)
{
  ComparedPair compared;
  if (HasFeatures(pair.term.metric.kind))
  {
    compared.unmoved = { { this->PresentUnmoved(pair.term.fixed, m_FixedField),
                           this->PresentUnmoved(pair.term.moving, m_MovingField) } };
  }
  else
  {
    compared.moved = this->Present(pair, byFixed != nullptr || pair.metric->ExchangesGradients());
    compared.moved.gradientsFollowGrid = pair.term.metric.gradientsFollowGrid;
  }
  pair.metric->Compare(compared, sums, byMoving, byFixed, this->At(m_Layout.scratchOfComparison));
}

void
LevelForces::Compare(LevelSums * sums, void * byMoving, void * byFixed, std::size_t comparison)
{
  this->ComparePairs(sums, byMoving, byFixed, comparison);
  if (!m_Landmarks)
  {
    return;
  }
  m_Landmarks->Place(m_FixedField, m_MovingField, comparison);
  for (void * const force : { byMoving, byFixed })
  {
    if (force != nullptr)
    {
      m_Landmarks->Add(force == byFixed, this->ShapeOfNorms(), force, this->At(m_Layout.scratchOfComparison));
    }
  }
}

void
LevelForces::ComparePairs(LevelSums * sums, void * byMoving, void * byFixed, std::size_t comparison)
{
  if (m_Terms.size() == 1)
  {
    this->ComparePair(m_Terms.front(), sums, byMoving, byFixed);
    return;
  }
  const std::size_t           count = m_Terms.size();
  auto * const                squares = m_Squares.As<SquareSum>();
  LevelSums * const           others = m_OtherSums.As<LevelSums>() + comparison * (count - 1);
  const std::array<void *, 2> totals{ { byMoving, byFixed } };
  std::array<void *, 2>       ofTerm{};
  std::size_t                 offset = m_Layout.termForces;
  for (std::size_t direction = 0; direction < 2; ++direction)
  {
    if (totals[direction] != nullptr)
    {
      ofTerm[direction] = this->At(offset);
      offset += AlignBytes(m_Shape.Bytes());
    }
  }
  for (std::size_t n = 0; n < count; ++n)
  {
    this->ComparePair(m_Terms[n], n == 0 ? sums : others + (n - 1), ofTerm[0], ofTerm[1]);
    for (std::size_t direction = 0; direction < 2; ++direction)
    {
      if (totals[direction] != nullptr)
      {
        AddForce(m_Shape,
                 ofTerm[direction],
                 m_Terms[n].term.weight,
                 n == 0,
                 totals[direction],
                 squares + direction * count + n,
                 static_cast<SquareSum *>(this->At(m_Layout.scratchOfComparison)),
                 m_Residence);
      }
    }
  }
  for (std::size_t direction = 0; direction < 2; ++direction)
  {
    if (totals[direction] != nullptr)
    {
      ScaleForceSum(m_Shape, totals[direction], squares + direction * count, static_cast<int>(count), m_Residence);
    }
  }
}

std::array<double, 2>
LevelForces::ValuesOf(const LevelSums & sums) const
{
  return m_Terms.front().metric->ValuesOf(sums);
}

std::array<double, 2>
LevelForces::WeightedValuesOf(const LevelSums & sums, std::size_t comparison) const
{
  std::vector<LevelSums> all(m_Terms.size(), sums);
  const std::size_t      others = all.size() - 1;
  if (others > 0)
  {
    const LevelSums * const from = m_OtherSums.As<LevelSums>() + comparison * others;
    Download(all.data() + 1, from, others * sizeof(LevelSums), m_Residence);
  }
  std::array<double, 2> values{};
  values.fill(m_Landmarks ? m_Landmarks->GetValue(comparison) : 0.0);
  for (std::size_t n = 0; n < m_Terms.size(); ++n)
  {
    const std::array<double, 2> own = m_Terms[n].metric->ValuesOf(all[n]);
    for (std::size_t direction = 0; direction < 2; ++direction)
    {
      values[direction] += (others > 0 ? m_Terms[n].term.weight : 1.0) * own[direction];
    }
  }
  return values;
}

bool
LevelForces::Waits() const
{
  return m_Setup.IsPaged() ||
         std::any_of(m_Terms.begin(), m_Terms.end(), [](const Pair & pair) { return pair.metric->Waits(); });
}

void
LevelForces::Allocate(std::size_t bytes)
{
  m_Memory = ResidentArray(); // before the new one is allocated
  m_HasMovedFixed = false;
  ++m_Allocations;
  m_Memory = ResidentArray(bytes, m_Residence, m_Layout.starts);
}

void
LevelForces::Reserve(const SynRules & rules)
{
  if (m_Regions.AreUsed() && rules.SmoothsBySplines())
  {
    throw std::invalid_argument("Fields with sliding regions are smoothed by Gaussians only, not by B-splines.");
  }
  m_Layout = LevelLayout(m_Setup, rules);
  if (m_Layout.bytes > m_Memory.Bytes())
  {
    this->Allocate(m_Layout.bytes);
  }
  m_Regions.Prepare({ { rules.updateVariance, rules.totalVariance } }, this->Scratch());
}

void *
LevelForces::Borrow(std::size_t bytes)
{
  m_HasMovedFixed = false;
  if (bytes > m_Memory.Bytes())
  {
    this->Allocate(bytes);
  }
  return this->Whole();
}

void
LevelForces::ReserveMoments(LevelImage image, const SynRules & rules)
{
  m_Moments[static_cast<std::size_t>(image)].Reserve(m_Shape, rules.optimizer, m_Residence);
}

void
LevelForces::SmoothInPlace(void * field, const LevelSmoothing & smoothing)
{
  SmoothFieldInPlace(m_Shape,
                     field,
                     MakeFieldSmoothing(m_Shape.grid, smoothing.variance),
                     this->Scratch(),
                     m_Memory.Bytes() - m_Layout.scratch,
                     m_Residence);
}

void
LevelForces::Smooth(void * input, const void * confidence, const LevelSmoothing & smoothing, void * output)
{
  if (smoothing.IsNone())
  {
    CopyResident(output, input, m_Shape.Bytes(), m_Residence);
  }
  else if (smoothing.spline)
  {
    SmoothFieldBySpline(m_Shape, input, confidence, *smoothing.spline, output, this->Scratch(), m_Residence);
  }
  else if (m_Regions.AreUsed())
  {
    m_Regions.Smooth(input, smoothing.variance, output, this->Scratch());
  }
  else if (m_Setup.SmoothsInPlace(smoothing))
  {
    this->SmoothInPlace(input, smoothing);
    CopyResident(output, input, m_Shape.Bytes(), m_Residence);
  }
  else
  {
    const FieldSmoothing gaussian = MakeFieldSmoothing(m_Shape.grid, smoothing.variance);
    SmoothField(m_Shape, input, gaussian, output, this->Scratch(), m_Residence);
  }
}

FieldShape
LevelForces::ShapeOfNorms() const
{
  FieldShape shape = m_Shape;
  for (unsigned int c = 0; m_Terms.front().term.metric.gradientsFollowGrid && c < shape.grid.dimension; ++c)
  {
    double square = 0.0; // square of the number of samples per mm along an axis of space
    for (unsigned int k = 0; k < shape.grid.dimension; ++k)
    {
      square += shape.grid.pointToIndex[k][c] * shape.grid.pointToIndex[k][c];
    }
    shape.grid.spacing[c] = 1.0 / std::sqrt(square);
  }
  return shape;
}

void
LevelForces::MakeUpdate(LevelImage image, void * force, const SynRules & rules, double * maximum)
{
  this->MakeUpdate(this->Confidence(image), m_Moments[static_cast<std::size_t>(image)], force, rules, maximum);
}

void
LevelForces::MakeUpdate(const void *          confidence,
                        const UpdateMoments & moments,
                        void *                force,
                        const SynRules &      rules,
                        double *              maximum)
{
  if (rules.weights != SynRules().weights)
  {
    WeighField(m_Shape, force, rules.weights, m_Residence);
  }
  const LevelSmoothing smoothing = LevelSmoothing::OfUpdates(rules);
  void *               smooth = force;
  if (m_Setup.SmoothsInPlace(smoothing))
  {
    this->SmoothInPlace(force, smoothing);
  }
  else if (!smoothing.IsNone())
  {
    smooth = this->At(m_Layout.between);
    this->Smooth(force, confidence, smoothing, smooth);
  }
  const FieldShape normed = this->ShapeOfNorms();
  FindMaximumNorm(normed, smooth, maximum, m_Norms.Data(), m_Residence);
  if (rules.optimizer == FieldOptimizer::FixedStep)
  {
    ScaleField(m_Shape, smooth, rules.learningRate, maximum, force, m_Residence);
    return;
  }
  moments.MakeUpdate(normed, smooth, maximum, rules.learningRate, force, m_Residence);
}

void
LevelForces::Limit(const void * before, void * after, double largest)
{
  if (largest > 0.0)
  {
    LimitDeterminants(m_Shape, before, largest, after, this->Scratch(), m_Residence, m_Regions.Data());
  }
}

void
LevelForces::Compose(const void * total, void * update) const
{
  if (m_Regions.AreUsed())
  {
    m_Regions.Compose(total, update);
    return;
  }
  ComposeFields(m_Shape, total, m_Shape, update, update, m_Residence);
}

void
LevelForces::AddUpdate(const void * update, void * total, const SynRules & rules)
{
  const LevelSmoothing smoothing = LevelSmoothing::OfTotals(rules);
  const bool           isLimited = rules.determinantLimit > 0.0;
  const bool           isInPlace = m_Setup.SmoothsInPlace(smoothing);
  void * const         composed = !isLimited && (smoothing.IsNone() || isInPlace) ? total : this->At(m_Layout.between);
  ComposeFields(m_Shape, update, m_Shape, total, composed, m_Residence);
  this->Limit(total, composed, std::sqrt(rules.determinantLimit)); // the determinants of both halves are multiplied
  if (composed != total)
  {
    this->Smooth(composed, nullptr, smoothing, total);
  }
  else if (isInPlace)
  {
    this->SmoothInPlace(total, smoothing);
  }
}

std::size_t
LevelForces::CountBytes(const LevelSetup & setup, const SynRules & rules, std::size_t borrowed)
{
  const FieldShape & shape = setup.shape;
  const auto         count = static_cast<std::size_t>(shape.grid.Count());
  std::size_t        bytes = std::max(LevelLayout(setup, rules).bytes, borrowed) + MaximumNormScratch;
  bytes += setup.use.updates * UpdateMoments::CountBytes(shape, rules.optimizer);
  bytes += setup.hasConfidence ? 2 * count * SizeOf(shape.element) : 0;
  bytes += rules.SmoothsBySplines() ? count * shape.grid.dimension * sizeof(float) : 0; // points, at most the samples
  for (const SynMetric & metric : setup.metrics)
  {
    const bool isMoved = !HasFeatures(metric.kind);
    bytes += isMoved && (setup.hasMasks || metric.comparesOriginals) ? 2 * count : 0;
    bytes += isMoved && metric.comparesOriginals ? 2 * shape.Bytes() : (HasGaussian(metric) ? shape.Bytes() : 0);
    bytes += CountFieldMetricBytes(DescribeSetup(shape, setup.pixel, metric));
  }
  return bytes;
}

} // namespace itk::CudaSpline
