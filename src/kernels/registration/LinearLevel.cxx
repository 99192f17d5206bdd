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
#include "itkCudaSpline/kernels/registration/LinearLevel.h"

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/gaussian/ResidentGaussian.h"
#include "itkCudaSpline/kernels/metrics/MetricFormula.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"

#include "kernels/common/MemoryBudget.h"
#include "kernels/metrics/MetricMovingValues.h"
#include "kernels/registration/ConvertNumbers.h"
#include "kernels/registration/GridSources.h"
#include "kernels/registration/PixelRange.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace itk::CudaSpline
{

namespace
{
using Matrix = TransformChain::Matrix;
using Vector = TransformChain::Vector;

Interpolation
InterpolationOf(unsigned int order)
{
  return order == 0 ? Interpolation::Nearest : (order == 1 ? Interpolation::Linear : Interpolation::BSpline);
}

/** The coefficients of the moving image. */
SourceDescriptor
DescribeMoving(const FieldGrid & grid, const LinearMetric & metric)
{
  SourceDescriptor source = DescribeGrid(grid, metric.arithmetic);
  source.order = metric.order > 1 ? metric.order : 0;
  return source;
}

MetricDescriptor
DescribeMetric(const FieldGrid & grid, const SynSide & side, Interpolation method)
{
  MetricDescriptor descriptor;
  descriptor.dimension = grid.dimension;
  descriptor.interpolation = DescribeInterpolation(side.image.grid, method);
  descriptor.singleMoving = side.image.pixel == ScalarType::Float32;
  descriptor.singleFixed = descriptor.singleMoving;
  descriptor.chain.stages = side.stages;
  descriptor.chain.outputOrigin = grid.origin;
  descriptor.chain.indexToPoint = grid.indexToPoint;
  descriptor.chain.regionStart = grid.start;
  descriptor.chain.regionSize = grid.size;
  descriptor.chain.inputOrigin = side.image.grid.origin;
  descriptor.chain.pointToIndex = side.image.grid.pointToIndex;
  descriptor.spacing = side.image.grid.spacing;
  for (unsigned int r = 0; r < grid.dimension; ++r)
  {
    descriptor.centre[r] = grid.origin[r];
    for (unsigned int c = 0; c < grid.dimension; ++c)
    {
      const double half = 0.5 * (static_cast<double>(grid.size[c]) - 1.0);
      descriptor.centre[r] += grid.indexToPoint[r][c] * (static_cast<double>(grid.start[c]) + half);
    }
    descriptor.mask.matrix[r][r] = 1.0;
  }
  descriptor.mask.origin = side.mask.grid.origin;
  descriptor.mask.pointToIndex = side.mask.grid.pointToIndex;
  return descriptor;
}

std::size_t
CountPlaces(const FieldGrid & grid, const LinearMetric & metric)
{
  return metric.places.empty() ? static_cast<std::size_t>(grid.Count()) : metric.places.size() / grid.dimension;
}

void
Require(bool holds, const std::string & what)
{
  if (!holds)
  {
    throw std::invalid_argument("A level of a linear registration: " + what + ".");
  }
}

void
Check(const FieldGrid & grid, const SynSide & side, ScalarType pixel)
{
  const auto isOf = [&](const ResidentImage & image) { return image.grid.dimension == grid.dimension; };
  Require(side.image.data != nullptr && isOf(side.image) && side.image.pixel == pixel && IsReal(pixel),
          "images are float or double alike, of the dimension of the virtual domain");
  Require(side.mask.data == nullptr || (isOf(side.mask) && side.mask.pixel == ScalarType::UInt8),
          "masks have pixels of 8 bits and the dimension of the virtual domain");
}

void
Check(const FieldGrid & grid, const SynSide & fixed, const SynSide & moving, const LinearMetric & metric)
{
  Require(grid.dimension == 2 || grid.dimension == 3, "it has 2 or 3 dimensions");
  Require(*std::min_element(grid.size.begin(), grid.size.end()) >= 1, "the virtual domain is not empty");
  Check(grid, fixed, fixed.image.pixel);
  Check(grid, moving, fixed.image.pixel);
  Require(IsReal(metric.arithmetic), "its arithmetic is float or double");
  Require(metric.order <= 5, "splines have an order of 0 to 5, not " + std::to_string(metric.order));
  Require(metric.kind != LinearMetricKind::Mattes || (metric.bins >= 5 && metric.bins <= MostHistogramBins),
          "a histogram has 5 to " + std::to_string(MostHistogramBins) + " bins, not " + std::to_string(metric.bins));
  Require(metric.gradient == MetricGradient::CentralDifferences || metric.gradient == MetricGradient::Image ||
            (metric.gradient == MetricGradient::Analytic && metric.order > 1),
          "gradients are central differences, those of a Gaussian, or those of a spline of order 2 or more");
  Require(metric.places.empty() ||
            (metric.places.size() % grid.dimension == 0 && metric.kind != LinearMetricKind::LocalCorrelation),
          "places have a number an axis each, and local correlation has none");
}

/** A matrix and an offset. */
struct Map
{
  Matrix matrix{ { { { 1.0, 0.0, 0.0 } }, { { 0.0, 1.0, 0.0 } }, { { 0.0, 0.0, 1.0 } } } };

  Vector
  Turn(const Vector & vector) const
  {
    Vector turned{};
    for (unsigned int r = 0; r < 3; ++r)
    {
      for (unsigned int c = 0; c < 3; ++c)
      {
        turned[r] += matrix[r][c] * vector[c];
      }
    }
    return turned;
  }
};

} // namespace

std::vector<double>
CornersOf(const FieldGrid & grid)
{
  std::vector<double> places;
  for (unsigned int corner = 0; corner < 1U << grid.dimension; ++corner)
  {
    for (unsigned int r = 0; r < grid.dimension; ++r)
    {
      double place = grid.origin[r];
      for (unsigned int c = 0; c < grid.dimension; ++c)
      {
        const std::int64_t at = grid.start[c] + ((corner >> c & 1U) != 0 ? grid.size[c] - 1 : 0);
        place += grid.indexToPoint[r][c] * static_cast<double>(at);
      }
      places.push_back(place);
    }
  }
  return places;
}

struct LinearLevel::Parts
{
  Parts(const FieldGrid & virtualGrid, SynSide moving, const LinearMetric & how, const Residence & where)
    : grid(virtualGrid)
    , metric(how)
    , residence(where)
    , context(where.GetContext())
    , behind(moving.stages)
    , descriptor(DescribeMetric(virtualGrid, moving, InterpolationOf(how.order)))
  {
    context.progress = nullptr;
    descriptor.chain.stages.insert(descriptor.chain.stages.begin(), TransformChain::Stage());
    isAffine = descriptor.IsAffineFrom(0);
    descriptor.linearStages = isAffine ? -1 : 1;
    for (const TransformChain::Stage & stage : behind)
    {
      if (isAffine)
      {
        const Map before = outer;
        for (unsigned int r = 0; r < 3; ++r)
        {
          for (unsigned int c = 0; c < 3; ++c)
          {
            outer.matrix[r][c] = 0.0;
            for (unsigned int k = 0; k < 3; ++k)
            {
              outer.matrix[r][c] += stage.matrix[r][k] * before.matrix[k][c];
            }
          }
        }
      }
    }
  }

  std::shared_ptr<const SampleSource>
  Own(const SourceDescriptor & source, std::shared_ptr<const void> data) const
  {
    return std::make_shared<SampleSource>(source, context.backend, context.device, std::move(data));
  }

  std::shared_ptr<ResidentArray>
  Allocate(std::size_t bytes) const
  {
    return std::make_shared<ResidentArray>(bytes, residence);
  }

  /** Pixels as numbers of the arithmetic: as they are, or converted. */
  std::shared_ptr<const void>
  Convert(const std::shared_ptr<const void> & numbers, ScalarType type, std::int64_t count) const
  {
    if (type == metric.arithmetic)
    {
      return numbers;
    }
    const auto converted = this->Allocate(static_cast<std::size_t>(count) * SizeOf(metric.arithmetic));
    ConvertNumbers(numbers.get(), type, converted->Data(), count, residence);
    residence.Wait(); // what was converted may go, on another stream
    return std::shared_ptr<const void>(converted, converted->Data());
  }

  /** Values of an image at the samples, of the type of its pixels: what a pass leaves that finds it where a metric has
   * the moving image.
   *
   * \param[out] count of the valid ones */
  std::shared_ptr<const MetricMovingValues>
  Sample(const SynSide & side, Interpolation method, std::int64_t & count) const
  {
    const auto       samples = static_cast<std::int64_t>(CountPlaces(grid, metric));
    MetricDescriptor wanted = DescribeMetric(grid, side, method);
    wanted.pass = MetricPass::Means;
    wanted.sharesValues = true;
    wanted.marksValid = true;
    // A pass has fixed values, too: of these nothing is kept.
    const auto    none = this->Allocate(static_cast<std::size_t>(samples) * SizeOf(side.image.pixel));
    MetricSources from;
    ClearResident(none->Data(), none->Bytes(), residence);
    from.fixed = this->Own(DescribeList(samples, side.image.pixel), std::shared_ptr<const void>(none, none->Data()));
    from.points = sources.points;
    from.moving = this->Own(DescribeGrid(side.image.grid, side.image.pixel), side.image.data);
    from.mask = this->SourceOfMask(side.mask);
    residence.Wait(); // passes have streams of their own
    MetricWorkspace left;
    count = EvaluateMetric(wanted, from, context, &left).count;
    return left.values;
  }

  std::shared_ptr<const SampleSource>
  SourceOfMask(const ResidentImage & mask) const
  {
    return mask.data != nullptr ? this->Own(DescribeGrid(mask.grid, ScalarType::UInt8), mask.data) : nullptr;
  }

  void
  TakePlaces()
  {
    if (!metric.places.empty())
    {
      const auto places = this->Allocate(metric.places.size() * sizeof(double));
      Upload(places->Data(), metric.places.data(), places->Bytes(), residence);
      sources.points = this->Own(DescribeList(static_cast<std::int64_t>(metric.places.size()), ScalarType::Float64),
                                 std::shared_ptr<const void>(places, places->Data()));
    }
  }

  /** The samples of the fixed image, and their range; of an image on the virtual grid they are its pixels. */
  PixelRange
  TakeFixed(const SynSide & fixed)
  {
    const auto                  samples = static_cast<std::int64_t>(CountPlaces(grid, metric));
    std::shared_ptr<const void> values = fixed.image.data;
    std::shared_ptr<const void> inside;
    PixelRange                  range;
    if (fixed.stages.empty() && metric.places.empty() && fixed.image.grid == grid)
    {
      inside = MaskOn(grid, fixed.mask, residence);
      range = FindPixelRange(fixed, residence);
      Require(range.lowest <= range.highest, "the fixed image has values under its mask");
    }
    else
    {
      std::int64_t count = 0;
      const auto   sampled = this->Sample(fixed, Interpolation::Linear, count);
      Require(count > 0, "a sample of the virtual domain lies in the fixed image and its mask");
      values = std::shared_ptr<const void>(sampled, sampled->memory.get());
      inside = count < samples ? std::shared_ptr<const void>(sampled, sampled->valid.get()) : nullptr;
      if (metric.kind == LinearMetricKind::Mattes)
      {
        range = metric.places.empty() ? FindPixelRange(fixed, residence) : this->RangeAtPlaces(fixed);
      }
    }
    sources.fixed =
      this->Own(DescribeList(samples, metric.arithmetic), this->Convert(values, fixed.image.pixel, samples));
    if (inside != nullptr)
    {
      sources.inside = this->Own(DescribeList(samples, ScalarType::UInt8), inside);
    }
    return range;
  }

  /** Of the pixels that are nearest to the places, as ITK has it for sampled points. */
  PixelRange
  RangeAtPlaces(const SynSide & fixed) const
  {
    std::int64_t count = 0;
    const auto   nearest = this->Sample(fixed, Interpolation::Nearest, count);
    return FindPixelRange(nearest->memory.get(),
                          fixed.image.pixel,
                          static_cast<const std::uint8_t *>(nearest->valid.get()),
                          nearest->count,
                          residence);
  }

  void
  TakeMoving(const SynSide & moving)
  {
    const std::int64_t     count = moving.image.grid.Count();
    const SourceDescriptor source = DescribeMoving(moving.image.grid, metric);
    const auto             numbers = this->Convert(moving.image.data, moving.image.pixel, count);
    const auto             samples = this->Own(DescribeGrid(moving.image.grid, metric.arithmetic), numbers);
    sources.moving = samples;
    if (source.NeedsFilter())
    {
      const auto coefficients = this->Allocate(source.ElementBytes());
      CopyResident(coefficients->Data(), numbers.get(), coefficients->Bytes(), residence);
      residence.Wait();
      PrefilterInPlace(source, coefficients->Data(), context);
      sources.moving = this->Own(source, std::shared_ptr<const void>(coefficients, coefficients->Data()));
    }
    if (metric.gradient == MetricGradient::Image)
    {
      sources.gradient = this->MakeGradients(moving.image);
    }
    else if (metric.gradient == MetricGradient::CentralDifferences)
    {
      sources.gradient = samples;
    }
    sources.mask = this->SourceOfMask(moving.mask);
  }

  /** Those of itk::ImageToImageMetricv4's default filter. */
  std::shared_ptr<const SampleSource>
  MakeGradients(const ResidentImage & image) const
  {
    const GaussianDescriptor gaussian = DescribeGradient(image.grid, image.pixel, metric.arithmetic);
    SourceDescriptor         source = DescribeGrid(image.grid, metric.arithmetic);
    source.components = grid.dimension;
    const auto          planes = this->Allocate(source.ElementBytes());
    const ResidentArray scratch(CountResidentGaussianScratch(gaussian, GaussianOperation::Gradient, context.backend),
                                residence);
    MakeResidentGradient(gaussian, image.data.get(), planes->Data(), scratch.Data(), residence, GradientLayout::Planes);
    residence.Wait(); // before the scratch goes
    return this->Own(source, std::shared_ptr<const void>(planes, planes->Data()));
  }

  /** From moments to the derivative by a parameter. */
  double
  Contract(const std::vector<double> & moments, const LinearTransform & transform, std::size_t parameter) const
  {
    const LinearTransform::Slope slope = transform.GetSlope(parameter);
    const unsigned int           dimension = grid.dimension;
    // J(x) = matrix (x - centre of moments) + atCentre.
    Vector atCentre = slope.shift;
    for (unsigned int r = 0; r < dimension; ++r)
    {
      for (unsigned int c = 0; c < dimension; ++c)
      {
        atCentre[r] += slope.matrix[r][c] * (descriptor.centre[c] - transform.GetCentre()[c]);
      }
    }
    atCentre = outer.Turn(atCentre);
    double sum = 0.0;
    for (unsigned int r = 0; r < dimension; ++r)
    {
      sum += moments[std::size_t{ r } * (dimension + 1)] * atCentre[r];
    }
    for (unsigned int c = 0; c < dimension; ++c)
    {
      const Vector column = outer.Turn({ slope.matrix[0][c], slope.matrix[1][c], slope.matrix[2][c] });
      for (unsigned int r = 0; r < dimension; ++r)
      {
        sum += moments[std::size_t{ r } * (dimension + 1) + 1 + c] * column[r];
      }
    }
    return sum;
  }

  FieldGrid                          grid;
  LinearMetric                       metric;
  Residence                          residence;
  ExecutionContext                   context;
  std::vector<TransformChain::Stage> behind; ///< the transform
  bool                               isAffine{ true };
  Map                                outer; ///< of the stages behind; the identity where a pass brings gradients back
  MetricDescriptor                   descriptor; ///< its first stage is the transform
  MetricSources                      sources;
  MetricWorkspace                    workspace;
  ParzenBins                         bins;
  unsigned int                       evaluations{ 0 };
};

LinearLevel::LinearLevel(const FieldGrid &    grid,
                         SynSide              fixed,
                         SynSide              moving,
                         const LinearMetric & metric,
                         const Residence &    residence)
{
  Check(grid, fixed, moving, metric);
  m_Parts = std::make_unique<Parts>(grid, moving, metric, residence);
  m_Parts->TakePlaces();
  const PixelRange fixedRange = m_Parts->TakeFixed(fixed);
  m_Parts->TakeMoving(moving);
  if (metric.kind == LinearMetricKind::Mattes)
  {
    const PixelRange movingRange = FindPixelRange(moving, residence);
    for (const PixelRange * range : { &fixedRange, &movingRange })
    {
      Require(std::isnormal((range->highest - range->lowest) / metric.bins) && range->lowest < range->highest,
              "the mutual information of an image is not defined that has one value alone under its mask");
    }
    m_Parts->bins =
      MakeParzenBins(metric.bins, fixedRange.lowest, fixedRange.highest, movingRange.lowest, movingRange.highest);
  }
  residence.Wait(); // evaluations have streams of their own
}

LinearLevel::~LinearLevel() = default;

LinearEvaluation
LinearLevel::Evaluate(const LinearTransform & transform, bool withDerivative)
{
  Parts & parts = *m_Parts;
  Require(transform.GetDimension() == parts.grid.dimension, "its transform has its dimension");
  MetricDescriptor & descriptor = parts.descriptor;
  descriptor.chain.stages[0] = transform.MakeStage();
  // Passes before that of the derivative leave their moving values to it.
  const bool         shares = withDerivative && parts.metric.gradient != MetricGradient::Analytic;
  bool               isFirst = true;
  const MetricReduce reduce = [&](MetricPass pass, bool withMoments, const MetricParameters & parameters) {
    descriptor.pass = pass;
    descriptor.gradient = withMoments ? parts.metric.gradient : MetricGradient::None;
    descriptor.parameters = parameters;
    descriptor.sharesValues = shares && !(isFirst && withMoments);
    isFirst = false;
    return EvaluateMetric(descriptor, parts.sources, parts.context, &parts.workspace);
  };
  ++parts.evaluations;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  MetricOutcome    outcome;
  switch (parts.metric.kind)
  {
    case LinearMetricKind::MeanSquares:
      outcome = ReduceMeanSquares(reduce, withDerivative);
      break;
    case LinearMetricKind::Correlation:
      outcome = ReduceCorrelation(reduce, withDerivative, epsilon);
      break;
    case LinearMetricKind::Mattes:
      outcome = ReduceMattes(reduce, withDerivative, parts.bins);
      break;
    default: {
      MetricParameters parameters;
      parameters.radius = parts.metric.radius;
      parameters.epsilon = epsilon;
      outcome = ReduceLocalCorrelation(reduce, withDerivative, parameters);
    }
  }
  LinearEvaluation evaluation;
  evaluation.count = outcome.count;
  evaluation.value = outcome.count > 0 ? outcome.value : std::numeric_limits<double>::max();
  for (std::size_t p = 0; outcome.count > 0 && !outcome.derivative.empty() && p < transform.CountParameters(); ++p)
  {
    evaluation.derivative[p] = parts.Contract(outcome.derivative, transform, p);
  }
  return evaluation;
}

double
LinearLevel::LargestShift(const LinearTransform &             transform,
                          const LinearTransform::Parameters & change,
                          double                              factor) const
{
  const FieldGrid & grid = m_Parts->grid;
  LinearTransform   changed = transform;
  changed.Update(change, factor);
  const auto moveOn = [&](Vector place) {
    for (const TransformChain::Stage & stage : m_Parts->behind)
    {
      Vector moved = place;
      for (unsigned int r = 0; r < grid.dimension && stage.kind == TransformKind::Affine; ++r)
      {
        double sum = 0.0;
        for (unsigned int c = 0; c < grid.dimension; ++c)
        {
          sum += stage.matrix[r][c] * place[c];
        }
        moved[r] = sum + stage.offset[r];
      }
      place = moved;
    }
    return place;
  };
  double                    largest = 0.0;
  const std::vector<double> corners = CornersOf(grid);
  for (std::size_t first = 0; first < corners.size(); first += grid.dimension)
  {
    Vector place{};
    std::copy_n(corners.begin() + static_cast<std::ptrdiff_t>(first), grid.dimension, place.begin());
    const Vector before = moveOn(transform.Apply(place));
    const Vector after = moveOn(changed.Apply(place));
    double       square = 0.0;
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      square += (after[d] - before[d]) * (after[d] - before[d]);
    }
    largest = std::max(largest, std::sqrt(square));
  }
  return largest;
}

const FieldGrid &
LinearLevel::GetGrid() const
{
  return m_Parts->grid;
}

unsigned int
LinearLevel::CountEvaluations() const
{
  return m_Parts->evaluations;
}

namespace
{
/** The pass that a metric's work and memory are planned for. */
MetricDescriptor
PlannedPass(const FieldGrid & grid, const LinearMetric & metric)
{
  MetricDescriptor descriptor;
  descriptor.dimension = grid.dimension;
  descriptor.chain.regionSize = grid.size;
  descriptor.pass =
    metric.kind == LinearMetricKind::LocalCorrelation ? MetricPass::LocalCorrelation : MetricPass::MeanSquares;
  descriptor.gradient = metric.gradient;
  descriptor.interpolation.interpolation = InterpolationOf(metric.order);
  descriptor.parameters.radius = metric.radius;
  descriptor.sharesValues = metric.kind == LinearMetricKind::Correlation || metric.kind == LinearMetricKind::Mattes;
  return descriptor;
}
} // namespace

MemoryPlan
PlanLinearLevel(const FieldGrid &    grid,
                const LinearMetric & metric,
                const FieldGrid &    moving,
                ScalarType           pixel,
                std::size_t          imageBytes,
                std::size_t          budget,
                std::size_t          places)
{
  const SourceDescriptor source = DescribeMoving(moving, metric);
  const std::size_t      named = places > 0 ? places : metric.places.size() / grid.dimension;
  const std::size_t      samples = named > 0 ? named : static_cast<std::size_t>(grid.Count());
  const MetricDescriptor pass = PlannedPass(grid, metric);
  const std::size_t      volume = source.ElementBytes();
  const auto             gradients = metric.gradient == MetricGradient::Image ? volume * grid.dimension : 0;
  MemoryPlan             plan;
  plan.sourceBytes = imageBytes + samples * (SizeOf(metric.arithmetic) + SizeOf(pixel) + 1) + gradients +
                     named * grid.dimension * sizeof(double) + (metric.arithmetic != pixel ? volume : 0) +
                     (source.NeedsFilter() ? volume : 0);
  plan.workspaceBytes = (source.NeedsFilter() ? volume : 0) + (gradients > 0 ? 2 * grid.dimension * volume : 0);
  plan.outsideBytes = CountMetricBytes(pass, static_cast<std::int64_t>(samples));
  RefuseUnlessWithin(plan, budget);
  if (const char * const reason = ReasonForHostOnly(pass, static_cast<std::int64_t>(samples)))
  {
    plan.fits = false;
    plan.reason = reason;
  }
  return plan;
}

OperationWork
CountLinearWork(const FieldGrid &    grid,
                const LinearMetric & metric,
                const FieldGrid &    moving,
                std::uint64_t        evaluations,
                std::size_t          imageBytes,
                std::size_t          places)
{
  const SourceDescriptor source = DescribeMoving(moving, metric);
  const std::size_t      samples = places > 0 ? places : CountPlaces(grid, metric);
  OperationWork          work = CountMetricWork(PlannedPass(grid, metric), source, static_cast<std::int64_t>(samples));
  const auto             times = static_cast<double>(evaluations);
  work.taps *= times;
  work.sums *= times;
  work.samples *= times;
  work.kind =
    KindOf({ static_cast<std::uint64_t>(WorkKind::Linear), static_cast<std::uint64_t>(metric.kind), work.kind });
  work.uploadBytes = static_cast<double>(imageBytes);
  return work;
}

} // namespace itk::CudaSpline
