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
#include "kernels/metrics/images/GridSources.h"
#include "kernels/metrics/gradient_fields/GradientFields.h"
#include "kernels/registration/forces/ForceSum.h"
#include "kernels/registration/images/RangeUnderMask.h"

#include <algorithm>
#include <cmath>
#include <memory>
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

/** Returns the size of the scratch memory that gradients, sums, smoothing and inversion use, one at a time. */
std::size_t
ScratchBytes(const FieldShape &                        shape,
             MetricKind                                kind,
             const std::optional<GaussianDescriptor> & gaussian,
             Backend                                   backend)
{
  const std::size_t ofGradients =
    gaussian ? CountResidentGaussianScratch(*gaussian, GaussianOperation::Gradient, backend) : 0;
  return std::max({ shape.Bytes(),
                    CountInversionScratch(shape),
                    ofGradients,
                    CountFieldMetricScratch(kind, shape.grid),
                    CountForceSumScratch(shape.grid),
                    CountLimitScratch(shape) });
}

/** Returns the size of the scratch memory that smoothing with given rules needs. */
std::size_t
SmoothingScratchBytes(const FieldShape & shape, const SynRules & rules, bool hasConfidence, Backend backend)
{
  return std::max(LevelSmoothing::OfUpdates(rules).CountScratch(shape, hasConfidence, backend),
                  LevelSmoothing::OfTotals(rules).CountScratch(shape, false, backend));
}

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

LevelForces::LevelForces(const FieldShape &     shape,
                         std::vector<SynTerm>   terms,
                         const LandmarkTerm &   landmarks,
                         const Residence &      residence,
                         std::size_t            comparisons,
                         const SlidingRegions & regions)
  : m_Shape(shape)
  , m_Residence(residence)
  , m_Regions(regions, shape, residence)
{
  if (terms.empty())
  {
    throw std::invalid_argument("A registration needs at least 1 pair of images; there are 0.");
  }
  const ScalarType pixel = terms.front().fixed.image.pixel;
  m_ComparesOriginals = terms.front().metric.comparesOriginals;
  std::size_t scratch = 0;
  for (SynTerm & term : terms)
  {
    CheckSide(term.fixed, shape, pixel);
    CheckSide(term.moving, shape, pixel);
    CheckTerm(term, m_ComparesOriginals);
    m_Terms.push_back(this->MakePair(std::move(term)));
    scratch = std::max(
      scratch, ScratchBytes(shape, m_Terms.back().term.metric.kind, m_Terms.back().gaussian, residence.GetBackend()));
  }
  if (landmarks.IsUsed())
  {
    m_Landmarks.emplace(landmarks, shape, m_Terms.front().term.moving.stages, comparisons, residence);
    scratch = std::max(scratch, FieldLandmarks::CountScratch(shape, residence.GetBackend()));
  }
  m_Scratch = ResidentArray(scratch, residence);
  m_Norms = ResidentArray(MaximumNormScratch, residence);
  if (std::any_of(m_Terms.begin(), m_Terms.end(), [](const Pair & pair) { return pair.gaussian.has_value(); }))
  {
    m_Between = ResidentArray(shape.Bytes(), residence); // gradients of the fixed image
  }
  if (m_Terms.size() > 1)
  {
    m_TermForces = { ResidentArray(shape.Bytes(), residence), ResidentArray(shape.Bytes(), residence) };
    m_Squares = ResidentArray(2 * m_Terms.size() * sizeof(SquareSum), residence);
    m_OtherSums = ResidentArray(comparisons * (m_Terms.size() - 1) * sizeof(LevelSums), residence);
  }
}

LevelForces::Pair
LevelForces::MakePair(SynTerm term) const
{
  Pair       pair;
  const bool hasOwnGradients = term.metric.comparesOriginals || HasFeatures(term.metric.kind);
  pair.gaussian = hasOwnGradients ? std::nullopt : term.metric.gaussian;
  pair.term = std::move(term);
  pair.movedFixed = this->MakeMoved(pair, pair.term.fixed);
  pair.movedMoving = this->MakeMoved(pair, pair.term.moving);
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
LevelForces::MakeMoved(const Pair & pair, const SynSide & side) const
{
  const auto count = static_cast<std::size_t>(m_Shape.grid.Count());
  const auto array = [this](bool isNeeded, std::size_t bytes) {
    return ResidentArray(isNeeded ? bytes : 0, m_Residence);
  };
  Moved moved;
  moved.confidence = array(side.confidence.data != nullptr, count * SizeOf(m_Shape.element));
  if (HasFeatures(pair.term.metric.kind))
  {
    return moved;
  }
  moved.mask = array(m_ComparesOriginals || side.mask.data != nullptr, count);
  moved.image = array(true, count * SizeOf(side.image.pixel));
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
      mapping, sources, { moved.image.Data(), moved.mask.As<std::uint8_t>(), moved.gradients.Data() }, m_Residence);
  }
  else if (isMoved)
  {
    warp.cubic = moved.coefficients != nullptr;
    WarpImage(warp, warp.cubic ? moved.coefficients.get() : side.image.data.get(), moved.image.Data(), m_Residence);
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
  images.fixed = pair.movedFixed.image.Data();
  images.moving = pair.movedMoving.image.Data();
  images.fixedInside = pair.movedFixed.mask.As<std::uint8_t>();
  images.movingInside = pair.movedMoving.mask.As<std::uint8_t>();
  if (m_ComparesOriginals)
  {
    images.movingGradient = pair.movedMoving.gradients.Data();
    images.fixedGradient = withFixed ? pair.movedFixed.gradients.Data() : nullptr;
  }
  else if (pair.gaussian)
  {
    void * const gradients = pair.movedMoving.gradients.Data();
    MakeResidentGradient(*pair.gaussian, images.moving, gradients, m_Scratch.Data(), m_Residence);
    images.movingGradient = gradients;
    if (withFixed)
    {
      MakeResidentGradient(*pair.gaussian, images.fixed, m_Between.Data(), m_Scratch.Data(), m_Residence);
      images.fixedGradient = m_Between.Data();
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
  pair.metric->Compare(compared, sums, byMoving, byFixed, m_Scratch.Data());
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
  m_Landmarks->Add(false, this->ShapeOfNorms(), byMoving, m_Scratch.Data());
  if (byFixed != nullptr)
  {
    m_Landmarks->Add(true, this->ShapeOfNorms(), byFixed, m_Scratch.Data());
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
  for (std::size_t n = 0; n < count; ++n)
  {
    this->ComparePair(m_Terms[n],
                      n == 0 ? sums : others + (n - 1),
                      m_TermForces[0].Data(),
                      byFixed != nullptr ? m_TermForces[1].Data() : nullptr);
    for (std::size_t direction = 0; direction < 2; ++direction)
    {
      if (totals[direction] != nullptr)
      {
        AddForce(m_Shape,
                 m_TermForces[direction].Data(),
                 m_Terms[n].term.weight,
                 n == 0,
                 totals[direction],
                 squares + direction * count + n,
                 m_Scratch.As<SquareSum>(),
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
  return std::any_of(m_Terms.begin(), m_Terms.end(), [](const Pair & pair) { return pair.metric->Waits(); });
}

void
LevelForces::Reserve(const SynRules & rules)
{
  const bool hasConfidence =
    this->Confidence(LevelImage::Fixed) != nullptr || this->Confidence(LevelImage::Moving) != nullptr;
  const auto bytes = SmoothingScratchBytes(m_Shape, rules, hasConfidence, m_Residence.GetBackend());
  if (bytes > m_Scratch.Bytes())
  {
    m_Scratch = ResidentArray(); // before the new one is allocated
    m_Scratch = ResidentArray(bytes, m_Residence);
  }
  // A field that is smoothed into another one, or limited, cannot be in the scratch memory.
  if (m_Between.Data() == nullptr && (bytes > 0 || rules.determinantLimit > 0.0))
  {
    m_Between = ResidentArray(m_Shape.Bytes(), m_Residence);
  }
  if (m_Regions.AreUsed() && rules.SmoothsBySplines())
  {
    throw std::invalid_argument("Fields with sliding regions are smoothed by Gaussians only, not by B-splines.");
  }
  m_Regions.Prepare({ { rules.updateVariance, rules.totalVariance } }, m_Scratch.Data());
}

void
LevelForces::ReserveMoments(LevelImage image, const SynRules & rules)
{
  m_Moments[static_cast<std::size_t>(image)].Reserve(m_Shape, rules.optimizer, m_Residence);
}

void
LevelForces::Smooth(const void * input, const void * confidence, const LevelSmoothing & smoothing, void * output)
{
  if (smoothing.IsNone())
  {
    CopyResident(output, input, m_Shape.Bytes(), m_Residence);
  }
  else if (smoothing.spline)
  {
    SmoothFieldBySpline(m_Shape, input, confidence, *smoothing.spline, output, m_Scratch.Data(), m_Residence);
  }
  else if (m_Regions.AreUsed())
  {
    m_Regions.Smooth(input, smoothing.variance, output, m_Scratch.Data());
  }
  else
  {
    const FieldSmoothing gaussian = MakeFieldSmoothing(m_Shape.grid, smoothing.variance);
    SmoothField(m_Shape, input, gaussian, output, m_Scratch.Data(), m_Residence);
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
  void * const         smooth = smoothing.IsNone() ? force : this->Between();
  if (smooth != force)
  {
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
    LimitDeterminants(m_Shape, before, largest, after, m_Scratch.Data(), m_Residence, m_Regions.Data());
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
  const bool           isDirect = smoothing.IsNone() && !(rules.determinantLimit > 0.0);
  void * const         composed = isDirect ? total : this->Between();
  ComposeFields(m_Shape, update, m_Shape, total, composed, m_Residence);
  this->Limit(total, composed, std::sqrt(rules.determinantLimit)); // the determinants of both halves are multiplied
  if (composed != total)
  {
    this->Smooth(composed, nullptr, smoothing, total);
  }
}

std::size_t
LevelForces::CountBytes(const FieldShape &             shape,
                        const std::vector<SynMetric> & metrics,
                        const SynRules &               rules,
                        ScalarType                     pixel)
{
  const auto count = static_cast<std::size_t>(shape.grid.Count());
  // Masks are also moved as numbers, for splines of updates. There are at most as many points as samples.
  const auto  numbers = rules.updateSpline ? 2 * count * SizeOf(shape.element) : 0;
  const auto  places = rules.SmoothsBySplines() ? count * shape.grid.dimension * sizeof(float) : 0;
  std::size_t scratch = SmoothingScratchBytes(shape, rules, rules.updateSpline.has_value(), Backend::Cuda);
  std::size_t bytes = numbers + places + (metrics.size() > 1 ? 2 * shape.Bytes() : 0) + MaximumNormScratch;
  const bool  hasGaussian = std::any_of(metrics.begin(), metrics.end(), [](const SynMetric & metric) {
    return metric.gaussian && !metric.comparesOriginals;
  });
  bytes += hasGaussian || scratch > 0 || rules.determinantLimit > 0.0 ? shape.Bytes() : 0;
  bytes += 2 * UpdateMoments::CountBytes(shape, rules.optimizer); // for both images
  for (const SynMetric & metric : metrics)
  {
    const bool isMoved = !HasFeatures(metric.kind);
    const auto gradients = metric.comparesOriginals ? 2 * shape.Bytes() : (metric.gaussian ? shape.Bytes() : 0);
    const auto sums = CountFieldMetricBytes(DescribeSetup(shape, pixel, metric));
    bytes += (isMoved ? 2 * count * (SizeOf(pixel) + 1) + gradients : 0) + sums;
    scratch = std::max(scratch, ScratchBytes(shape, metric.kind, metric.gaussian, Backend::Cuda));
  }
  return bytes + scratch;
}

} // namespace itk::CudaSpline
