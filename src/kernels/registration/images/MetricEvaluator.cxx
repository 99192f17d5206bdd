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
#include "kernels/registration/images/MetricEvaluator.h"

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/gaussian/ResidentGaussian.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"

#include "kernels/common/MemoryBudget.h"
#include "kernels/metrics/images/ConvertNumbers.h"
#include "kernels/metrics/gradient_fields/GradientFields.h"
#include "kernels/metrics/images/GridSources.h"
#include "kernels/metrics/samples/MetricMovingValues.h"
#include "kernels/registration/images/RangeUnderMask.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace itk::CudaSpline
{

namespace
{
Interpolation
InterpolationOf(unsigned int order)
{
  return order == 0 ? Interpolation::Nearest : (order == 1 ? Interpolation::Linear : Interpolation::BSpline);
}

/** Describes the coefficients of the moving image. */
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

/** Returns the pass of a metric, without the numbers that images determine. A metric whose pass has no parameters does
 * not read it. */
MetricPass
MakePass(const LinearMetric & metric)
{
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  if (HasEdgeParameters(metric.kind))
  {
    return GradientFieldsPass();
  }
  if (HasRadius(metric.kind))
  {
    return LocalCorrelationPass{ metric.radius, epsilon, metric.kind == MetricKind::ExactCorrelation, {} };
  }
  return CorrelationPass{ 0.0, 0.0, epsilon };
}

std::size_t
CountPlaces(const FieldGrid & grid, const LinearMetric & metric)
{
  return metric.places == nullptr ? static_cast<std::size_t>(grid.Count()) : metric.places->size() / grid.dimension;
}

void
Require(bool holds, const std::string & what)
{
  if (!holds)
  {
    throw std::invalid_argument("Registration level: " + what + ".");
  }
}

void
Check(const FieldGrid & grid, const SynSide & side, ScalarType pixel)
{
  const auto isOf = [&](const ResidentImage & image) { return image.grid.dimension == grid.dimension; };
  Require(side.image.data != nullptr && isOf(side.image) && side.image.pixel == pixel && IsReal(pixel),
          "images must all be float32 or all float64, and have the dimension of the virtual domain");
  Require(side.mask.data == nullptr || (isOf(side.mask) && side.mask.pixel == ScalarType::UInt8),
          "masks must have pixels of 8 bits and the dimension of the virtual domain");
}

void
Check(const FieldGrid & grid, const SynSide & fixed, const SynSide & moving, const LinearMetric & metric)
{
  Require(grid.dimension == 2 || grid.dimension == 3,
          "the virtual domain must have 2 or 3 dimensions, not " + std::to_string(grid.dimension));
  Require(*std::min_element(grid.size.begin(), grid.size.end()) >= 1, "the virtual domain must not be empty");
  Check(grid, fixed, fixed.image.pixel);
  Check(grid, moving, fixed.image.pixel);
  Require(IsReal(metric.arithmetic), "the arithmetic must be float32 or float64");
  Require(metric.order <= 5, "the order of splines must be from 0 to 5, not " + std::to_string(metric.order));
  Require(HasParameterDerivative(metric.kind),
          std::string(NameOf(metric.kind)) + " is supported only for displacement fields");
  Require(!HasHistogram(metric.kind) || IsBinCount(metric.bins), DescribeBinProblem(metric.bins));
  Require(metric.gradient == MetricGradient::CentralDifferences || metric.gradient == MetricGradient::Image ||
            (metric.gradient == MetricGradient::Analytic && metric.order > 1),
          "gradients must be computed by central differences, by a Gaussian filter, or analytically from a spline of "
          "order 2 or more");
  Require(metric.places == nullptr || (metric.places->size() % grid.dimension == 0 && !HasWindows(metric.kind)),
          "points need one coordinate per axis, and metrics with windows do not support points");
}

} // namespace

MetricEvaluator::MetricEvaluator(const FieldGrid &             grid,
                                 const SynSide &               fixed,
                                 const SynSide &               moving,
                                 const LinearMetric &          metric,
                                 const TransformChain::Stage & transform,
                                 const Residence &             residence)
  : m_Grid(grid)
  , m_Metric(metric)
  , m_Residence(residence)
  , m_Context(residence.GetContext())
  , m_Pass(MakePass(metric))
{
  Check(grid, fixed, moving, metric);
  m_Context.progress = nullptr;
  m_Descriptor = DescribeMetric(grid, moving, InterpolationOf(metric.order));
  m_Descriptor.chain.stages.insert(m_Descriptor.chain.stages.begin(), transform);
  if (transform.kind == TransformKind::BSpline)
  {
    m_Descriptor.derivative = SplineCoefficients{ 0 };
  }
  else
  {
    m_Descriptor.derivative = m_Descriptor.IsAffineFrom(0) ? LinearMoments{} : LinearMoments{ 1 };
  }
  this->TakePlaces();
  const PixelRange fixedRange = this->TakeFixed(fixed);
  this->TakeMoving(moving);
  if (HasHistogram(metric.kind))
  {
    const PixelRange movingRange = FindPixelRange(moving, residence);
    for (const PixelRange * range : { &fixedRange, &movingRange })
    {
      Require(std::isnormal((range->highest - range->lowest) / metric.bins) && range->lowest < range->highest,
              "mutual information needs at least 2 different values of each image under its mask");
    }
    m_Pass = HistogramPass{ MakeParzenBins(
      metric.bins, fixedRange.lowest, fixedRange.highest, movingRange.lowest, movingRange.highest) };
  }
  if (HasVarianceFloors(metric.kind))
  {
    std::get<LocalCorrelationPass>(m_Pass).varianceFloors = { { SquareOfPart(fixedRange, metric.varianceFloor),
                                                                SquareOfPart(FindPixelRange(moving, residence),
                                                                             metric.varianceFloor) } };
  }
  if (HasEdgeParameters(metric.kind))
  {
    const auto squareOf = [&](const SynSide & side) {
      const auto mask = MaskOn(side.image.grid, side.mask, residence);
      return SquareOfPart(FindGradientRange(side.image, static_cast<const std::uint8_t *>(mask.get()), residence),
                          metric.edgeFactor);
    };
    m_Pass = GradientFieldsPass{ { { squareOf(fixed), squareOf(moving) } } };
  }
  residence.Wait(); // evaluations have their own streams
}

MetricOutcome
MetricEvaluator::Compare(const TransformChain::Stage & transform, bool withDerivative, double * forces)
{
  m_Descriptor.chain.stages[0] = transform;
  // Passes before the one with the derivative keep their moving values for it.
  const bool         shares = withDerivative && m_Metric.gradient != MetricGradient::Analytic;
  bool               isFirst = true;
  const MetricReduce reduce = [&](const MetricPass & pass, bool withMoments) {
    m_Descriptor.pass = pass;
    m_Descriptor.gradient = withMoments ? m_Metric.gradient : MetricGradient::None;
    m_Descriptor.forces = withMoments ? forces : nullptr;
    m_Descriptor.sharesValues = shares && !(isFirst && withMoments);
    isFirst = false;
    return EvaluateMetric(m_Descriptor, m_Sources, m_Context, &m_Workspace);
  };
  ++m_Evaluations;
  MetricReduction reduction;
  reduction.withDerivative = withDerivative;
  reduction.makesTable = MakesTable(m_Descriptor, m_Context);
  reduction.pass = m_Pass;
  return ReduceMetric(m_Metric.kind, reduce, reduction);
}

std::shared_ptr<const SampleSource>
MetricEvaluator::Own(const SourceDescriptor & source, std::shared_ptr<const void> data) const
{
  return std::make_shared<SampleSource>(source, m_Context.backend, m_Context.device, std::move(data));
}

std::shared_ptr<ResidentArray>
MetricEvaluator::Allocate(std::size_t bytes) const
{
  return std::make_shared<ResidentArray>(bytes, m_Residence);
}

/** Converts pixels to numbers of the arithmetic, if they have another type. */
std::shared_ptr<const void>
MetricEvaluator::Convert(const std::shared_ptr<const void> & numbers, ScalarType type, std::int64_t count) const
{
  if (type == m_Metric.arithmetic)
  {
    return numbers;
  }
  const auto converted = this->Allocate(static_cast<std::size_t>(count) * SizeOf(m_Metric.arithmetic));
  ConvertNumbers(numbers.get(), type, converted->Data(), count, m_Residence);
  m_Residence.Wait(); // another stream may free converted numbers
  return std::shared_ptr<const void>(converted, converted->Data());
}

/** Computes the values of an image at the samples, in the type of its pixels. A pass computes them with this image as
 * its moving image.
 *
 * \param[out] count number of valid values */
std::shared_ptr<const MetricMovingValues>
MetricEvaluator::Sample(const SynSide & side, Interpolation method, std::int64_t & count) const
{
  const auto       samples = static_cast<std::int64_t>(CountPlaces(m_Grid, m_Metric));
  MetricDescriptor wanted = DescribeMetric(m_Grid, side, method);
  wanted.pass = MeansPass();
  wanted.sharesValues = true;
  wanted.marksValid = true;
  // A pass also needs fixed values. Zeros are used, and not kept.
  const auto    none = this->Allocate(static_cast<std::size_t>(samples) * SizeOf(side.image.pixel));
  MetricSources from;
  ClearResident(none->Data(), none->Bytes(), m_Residence);
  from.fixed = this->Own(DescribeList(samples, side.image.pixel), std::shared_ptr<const void>(none, none->Data()));
  from.points = m_Sources.points;
  from.moving = this->Own(DescribeGrid(side.image.grid, side.image.pixel), side.image.data);
  from.mask = this->SourceOfMask(side.mask);
  m_Residence.Wait(); // passes have their own streams
  MetricWorkspace left;
  count = EvaluateMetric(wanted, from, m_Context, &left).count;
  return left.values;
}

std::shared_ptr<const SampleSource>
MetricEvaluator::SourceOfMask(const ResidentImage & mask) const
{
  return mask.data != nullptr ? this->Own(DescribeGrid(mask.grid, ScalarType::UInt8), mask.data) : nullptr;
}

void
MetricEvaluator::TakePlaces()
{
  if (m_Metric.places != nullptr)
  {
    const auto places = this->Allocate(m_Metric.places->size() * sizeof(double));
    Upload(places->Data(), m_Metric.places->data(), places->Bytes(), m_Residence);
    m_Sources.points = this->Own(DescribeList(static_cast<std::int64_t>(m_Metric.places->size()), ScalarType::Float64),
                                 std::shared_ptr<const void>(places, places->Data()));
  }
}

/** Computes the samples of the fixed image, and their range. If it is on the virtual grid, they are its pixels. */
PixelRange
MetricEvaluator::TakeFixed(const SynSide & fixed)
{
  const auto                  samples = static_cast<std::int64_t>(CountPlaces(m_Grid, m_Metric));
  std::shared_ptr<const void> values = fixed.image.data;
  std::shared_ptr<const void> inside;
  PixelRange                  range;
  if (fixed.stages.empty() && m_Metric.places == nullptr && fixed.image.grid == m_Grid)
  {
    inside = MaskOn(m_Grid, fixed.mask, m_Residence);
    range = FindPixelRange(fixed, m_Residence);
    Require(range.lowest <= range.highest, "the fixed image has no value under its mask");
  }
  else
  {
    std::int64_t count = 0;
    const auto   sampled = this->Sample(fixed, Interpolation::Linear, count);
    Require(count > 0, "no sample of the virtual domain is inside the fixed image and its mask");
    values = std::shared_ptr<const void>(sampled, sampled->memory.get());
    inside = count < samples ? std::shared_ptr<const void>(sampled, sampled->valid.get()) : nullptr;
    if (HasHistogram(m_Metric.kind))
    {
      range = m_Metric.places == nullptr ? FindPixelRange(fixed, m_Residence) : this->RangeAtPlaces(fixed);
    }
  }
  m_Sources.fixed =
    this->Own(DescribeList(samples, m_Metric.arithmetic), this->Convert(values, fixed.image.pixel, samples));
  if (inside != nullptr)
  {
    m_Sources.inside = this->Own(DescribeList(samples, ScalarType::UInt8), inside);
  }
  return range;
}

/** Returns the range of the pixels that are nearest to the sampled points, like ITK. */
PixelRange
MetricEvaluator::RangeAtPlaces(const SynSide & fixed) const
{
  std::int64_t count = 0;
  const auto   nearest = this->Sample(fixed, Interpolation::Nearest, count);
  return FindPixelRange(nearest->memory.get(),
                        fixed.image.pixel,
                        static_cast<const std::uint8_t *>(nearest->valid.get()),
                        nearest->count,
                        m_Residence);
}

void
MetricEvaluator::TakeMoving(const SynSide & moving)
{
  const std::int64_t     count = moving.image.grid.Count();
  const SourceDescriptor source = DescribeMoving(moving.image.grid, m_Metric);
  const auto             numbers = this->Convert(moving.image.data, moving.image.pixel, count);
  const auto             samples = this->Own(DescribeGrid(moving.image.grid, m_Metric.arithmetic), numbers);
  m_Sources.moving = samples;
  if (source.NeedsFilter())
  {
    const auto coefficients = this->Allocate(source.ElementBytes());
    CopyResident(coefficients->Data(), numbers.get(), coefficients->Bytes(), m_Residence);
    m_Residence.Wait();
    PrefilterInPlace(source, coefficients->Data(), m_Context);
    m_Sources.moving = this->Own(source, std::shared_ptr<const void>(coefficients, coefficients->Data()));
  }
  if (m_Metric.gradient == MetricGradient::Image)
  {
    m_Sources.gradient = this->MakeGradients(moving.image);
  }
  else if (m_Metric.gradient == MetricGradient::CentralDifferences)
  {
    m_Sources.gradient = samples;
  }
  m_Sources.mask = this->SourceOfMask(moving.mask);
}

/** Computes the gradients like the default filter of itk::ImageToImageMetricv4. */
std::shared_ptr<const SampleSource>
MetricEvaluator::MakeGradients(const ResidentImage & image) const
{
  const GaussianDescriptor gaussian = DescribeGradient(image.grid, image.pixel, m_Metric.arithmetic);
  SourceDescriptor         source = DescribeGrid(image.grid, m_Metric.arithmetic);
  source.components = m_Grid.dimension;
  const auto          planes = this->Allocate(source.ElementBytes());
  const ResidentArray scratch(CountResidentGaussianScratch(gaussian, GaussianOperation::Gradient, m_Context.backend),
                              m_Residence);
  MakeResidentGradient(gaussian, image.data.get(), planes->Data(), scratch.Data(), m_Residence, GradientLayout::Planes);
  m_Residence.Wait(); // before the scratch memory is freed
  return this->Own(source, std::shared_ptr<const void>(planes, planes->Data()));
}

std::vector<AdditionalImages>
CompareAdditional(const FieldGrid &               grid,
                  const std::vector<LinearPair> & pairs,
                  const LinearMetric &            metric,
                  const TransformChain::Stage &   transform,
                  const Residence &               residence)
{
  LinearMetric squares = metric;
  squares.kind = MetricKind::MeanSquares;
  std::vector<AdditionalImages> compared;
  for (const LinearPair & pair : pairs)
  {
    compared.push_back(
      { std::make_unique<MetricEvaluator>(grid, pair.fixed, pair.moving, squares, transform, residence), pair.weight });
  }
  return compared;
}

std::vector<LinearPair>
SmoothPairs(const std::vector<LinearPair> & pairs, const PyramidLevel & level, bool isInMm, const Residence & residence)
{
  std::vector<LinearPair> smooth;
  for (const LinearPair & pair : pairs)
  {
    smooth.push_back({ SmoothSide(pair.fixed, level, isInMm, residence),
                       SmoothSide(pair.moving, level, isInMm, residence),
                       pair.weight });
  }
  return smooth;
}

MetricDescriptor
PlannedPass(const FieldGrid & grid, const LinearMetric & metric)
{
  MetricDescriptor descriptor;
  descriptor.dimension = grid.dimension;
  descriptor.chain.regionSize = grid.size;
  descriptor.pass = HasWindows(metric.kind) ? MakePass(metric) : MeanSquaresPass();
  descriptor.gradient = metric.gradient;
  descriptor.derivative = LinearMoments{};
  descriptor.interpolation.interpolation = InterpolationOf(metric.order);
  descriptor.sharesValues = CountPasses(metric.kind) > 1;
  return descriptor;
}

MemoryPlan
PlanComparedImages(const FieldGrid &        grid,
                   const LinearMetric &     metric,
                   const MetricDescriptor & pass,
                   const FieldGrid &        moving,
                   ScalarType               pixel,
                   std::size_t              imageBytes,
                   std::size_t              budget,
                   std::size_t              places)
{
  const SourceDescriptor source = DescribeMoving(moving, metric);
  const std::size_t named = places == 0 && metric.places != nullptr ? metric.places->size() / grid.dimension : places;
  const std::size_t samples = named > 0 ? named : static_cast<std::size_t>(grid.Count());
  const std::size_t volume = source.ElementBytes();
  const auto        gradients = metric.gradient == MetricGradient::Image ? volume * grid.dimension : 0;
  MemoryPlan        plan;
  plan.sourceBytes = imageBytes + samples * (SizeOf(metric.arithmetic) + SizeOf(pixel) + 1) + gradients +
                     named * grid.dimension * sizeof(double) + (metric.arithmetic != pixel ? volume : 0) +
                     (source.NeedsFilter() ? volume : 0);
  plan.workspaceBytes = (source.NeedsFilter() ? volume : 0) + (gradients > 0 ? 2 * grid.dimension * volume : 0);
  plan.outsideBytes = CountMetricBytes(pass, static_cast<std::int64_t>(samples), metric.arithmetic);
  RefuseUnlessWithin(plan, budget);
  if (const char * const reason = ReasonForHostOnly(pass, static_cast<std::int64_t>(samples)))
  {
    plan.fits = false;
    plan.reason = reason;
  }
  return plan;
}

OperationWork
CountComparisonWork(const FieldGrid &        grid,
                    const LinearMetric &     metric,
                    const MetricDescriptor & pass,
                    const FieldGrid &        moving,
                    WorkKind                 kind,
                    std::uint64_t            evaluations,
                    std::size_t              imageBytes,
                    std::size_t              places)
{
  const SourceDescriptor source = DescribeMoving(moving, metric);
  const std::size_t      samples = places > 0 ? places : CountPlaces(grid, metric);
  OperationWork          work = CountMetricWork(pass, source, static_cast<std::int64_t>(samples));
  const auto             times = static_cast<double>(evaluations);
  work.taps *= times;
  work.sums *= times;
  work.samples *= times;
  work.kind = KindOf({ static_cast<std::uint64_t>(kind), static_cast<std::uint64_t>(metric.kind), work.kind });
  work.uploadBytes = static_cast<double>(imageBytes);
  return work;
}

} // namespace itk::CudaSpline
