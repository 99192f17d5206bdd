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
#include "itkCudaSpline/kernels/registration/SplineRegistration.h"

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/registration/ImageStatistics.h"
#include "itkCudaSpline/kernels/registration/RegistrationProgress.h"
#include "itkCudaSpline/math/SplineWeights.h"

#include "kernels/registration/spline/SplineEnergy.h"
#include "kernels/registration/spline/SplinePointEnergy.h"

#include "kernels/registration/images/MetricEvaluator.h"
#include "kernels/registration/optimizers/LbfgsVectors.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace itk::CudaSpline
{

namespace
{
/** The squared coefficients of each plane times SplineOptions::nodePenalties, computed on the host. */
class NodePenalty
{
public:
  NodePenalty(const std::vector<double> & factors, std::size_t coefficients, const Residence & residence)
    : m_Factors(factors)
    , m_Numbers(factors.empty() ? 0 : coefficients)
    , m_Gradient(m_Numbers.size() * sizeof(double), residence)
    , m_Residence(residence)
  {}

  /** \param[in] value value of the metric
   * \param[in] parameters coefficients, in the memory of the backend
   * \param[in,out] gradient of the metric, then of the sum */
  double
  Evaluate(double value, const double * parameters, double * gradient)
  {
    if (m_Factors.empty() || value == std::numeric_limits<double>::max())
    {
      return 0.0;
    }
    m_Scale = m_Scale > 0.0 ? m_Scale : std::abs(value);
    Download(m_Numbers.data(), parameters, m_Gradient.Bytes(), m_Residence);
    double sum = 0.0;
    for (std::size_t n = 0; n < m_Numbers.size(); ++n)
    {
      const double factor = m_Scale * m_Factors[n % m_Factors.size()];
      sum += factor * m_Numbers[n] * m_Numbers[n];
      m_Numbers[n] *= 2.0 * factor;
    }
    Upload(m_Gradient.Data(), m_Numbers.data(), m_Gradient.Bytes(), m_Residence);
    const auto count = static_cast<std::int64_t>(m_Numbers.size());
    WalkLbfgs(LbfgsGradient{ count, gradient, m_Gradient.As<double>(), 1.0, 1.0, gradient }, m_Residence);
    return sum;
  }

private:
  const std::vector<double> & m_Factors;
  std::vector<double>         m_Numbers;
  ResidentArray               m_Gradient;
  const Residence &           m_Residence;
  double                      m_Scale{ 0.0 }; ///< magnitude of the first value
};
} // namespace

SplineRegistration::SplineRegistration(SynSide                 fixed,
                                       SynSide                 moving,
                                       const SplineOptions &   options,
                                       const Residence &       residence,
                                       std::vector<LinearPair> others)
  : m_Fixed(std::move(fixed))
  , m_Moving(std::move(moving))
  , m_Options(options)
  , m_Residence(residence)
  , m_Others(std::move(others))
{
  if (options.levels.empty())
  {
    throw std::invalid_argument("A B-spline registration needs at least 1 level; there are 0.");
  }
  if (options.samples.choice != SampleChoice::All && HasWindows(options.metric.kind))
  {
    throw std::invalid_argument(std::string(NameOf(options.metric.kind)) +
                                " does not support sampling; all samples must be used.");
  }
}

SplineRecord
SplineRegistration::RunLevel(std::size_t                   level,
                             const TransformChain::Stage & spline,
                             std::vector<double> &         coefficients,
                             const SplineWatch &           watch,
                             unsigned int                  done,
                             bool                          isCompared) const
{
  const auto           begin = std::chrono::steady_clock::now();
  const PyramidLevel & of = m_Options.levels.at(level);
  const FieldGrid      grid = ShrinkGrid(m_Fixed.image.grid, of);
  if (static_cast<std::int64_t>(coefficients.size()) != TransformChain::CountOf(spline, grid.dimension))
  {
    throw std::invalid_argument("A level of a B-spline registration has " + std::to_string(coefficients.size()) +
                                " coefficients; its grid needs " +
                                std::to_string(TransformChain::CountOf(spline, grid.dimension)) + ".");
  }
  const auto nodes = static_cast<std::size_t>(CountSplineNodes(spline));
  if (!m_Options.nodePenalties.empty() && m_Options.nodePenalties.size() != nodes)
  {
    throw std::invalid_argument("A level of a B-spline registration has " +
                                std::to_string(m_Options.nodePenalties.size()) + " penalties; its grid has " +
                                std::to_string(nodes) + " nodes.");
  }
  LinearMetric metric = m_Options.metric;
  if (m_Options.samples.choice != SampleChoice::All)
  {
    metric.places =
      std::make_shared<const std::vector<double>>(DrawPlaces(grid, m_Options.samples, level, m_Residence.GetContext()));
  }
  SplineLevel images(grid,
                     SmoothSide(m_Fixed, of, m_Options.sigmasInMm, m_Residence),
                     SmoothSide(m_Moving, of, m_Options.sigmasInMm, m_Residence),
                     metric,
                     spline,
                     m_Residence,
                     m_Options.regularizers,
                     SmoothPairs(m_Others, of, m_Options.sigmasInMm, m_Residence));
  LbfgsRules  rules = m_Options.rules;
  rules.evaluations = of.iterations > done ? of.iterations - done : 0;
  rules.limit = of.iterations > 0 && of.limit > done ? of.limit - done : 0;
  if (rules.firstStep == 0.0)
  {
    rules.firstStep = *std::min_element(grid.spacing.begin(), grid.spacing.begin() + grid.dimension);
  }
  const std::size_t   bytes = coefficients.size() * sizeof(double);
  const ResidentArray start(bytes, m_Residence);
  Upload(start.Data(), coefficients.data(), bytes, m_Residence);
  NodePenalty penalty(m_Options.nodePenalties, coefficients.size(), m_Residence);
  const auto  evaluate = [&](const double * parameters, double * gradient) {
    const double value = images.Evaluate(parameters, gradient).value;
    return value + penalty.Evaluate(value, parameters, gradient);
  };
  Lbfgs search(CountSplineNodes(spline), grid.dimension, start.As<double>(), evaluate, rules, m_Residence);
  // If the search starts at zero, the best coefficients are kept: there are no others to compare with.
  const bool isFromZero =
    done == 0 && std::all_of(coefficients.begin(), coefficients.end(), [](double number) { return number == 0.0; });
  SplineRecord record;
  record.evaluations = done;
  bool goesOn = true;
  try
  {
    while (goesOn)
    {
      auto evaluation = search.Evaluate();
      if (!evaluation)
      {
        break;
      }
      evaluation->number += done;
      record.evaluations = evaluation->number;
      record.value = evaluation->value;
      goesOn = !watch || watch(level, *evaluation);
    }
  }
  catch (const DeviceError &)
  {
    try
    {
      Download(coefficients.data(), search.GetBest(), bytes, m_Residence);
    }
    catch (const DeviceError &)
    {
      // The device is lost, including the best coefficients. The copy is either not started or complete.
    }
    throw;
  }
  Download(coefficients.data(), search.GetBest(), bytes, m_Residence);
  record.stop = search.GetStop();
  record.best = search.GetBestValue();
  record.fallRate = search.GetFallRate();
  if (isCompared && goesOn && !isFromZero)
  {
    ClearResident(start.Data(), bytes, m_Residence);
    const double atStart = images.Evaluate(start.As<double>(), nullptr).value;
    record.isUndone = atStart < record.best;
    record.loss = record.isUndone ? RelativeLoss(atStart, record.best) : 0.0;
    std::fill(coefficients.begin(), record.isUndone ? coefficients.end() : coefficients.begin(), 0.0);
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return record;
}

std::vector<SplineRecord>
SplineRegistration::Run(const SplineCells & cells, std::vector<double> & coefficients, const SplineWatch & watch) const
{
  const FieldGrid &         image = m_Fixed.image.grid;
  const std::size_t         levels = m_Options.levels.size();
  std::vector<SplineRecord> records;
  TransformChain::Stage     before;
  bool                      goesOn = true;
  for (std::size_t level = 0; level < levels; ++level)
  {
    // If a callback has ended the search, its result is refined to the grid of the last level.
    const TransformChain::Stage spline = MakeSplineGrid(image, CellsOfLevel(cells, level, levels));
    coefficients =
      level == 0 ? std::vector<double>(static_cast<std::size_t>(TransformChain::CountOf(spline, image.dimension)), 0.0)
                 : RefineSpline(before, coefficients, spline, image.dimension, m_Residence.GetContext());
    before = spline;
    if (goesOn)
    {
      records.push_back(this->RunLevel(level, spline, coefficients, watch));
      goesOn = records.back().stop != LbfgsStop::None;
    }
  }
  return records;
}

SplineCells
CellsOfLevel(const SplineCells & last, std::size_t level, std::size_t levels)
{
  SplineCells cells = last;
  for (std::size_t finer = levels; finer > level + 1; --finer)
  {
    for (std::int64_t & along : cells)
    {
      along = (along + 1) / 2;
    }
  }
  return cells;
}

FieldGrid
MakeSplineNodes(const FieldGrid & image, const SplineCells & cells)
{
  FieldGrid::Vector first{};
  for (unsigned int d = 0; d < image.dimension; ++d)
  {
    first[d] = static_cast<double>(image.start[d]);
  }
  first = PlaceOfIndex(image, first);
  // A coordinate is a sum of a few products, so its error is some roundings of the largest one.
  FieldGrid::Vector extent{};
  double            largest = 0.0;
  for (unsigned int d = 0; d < image.dimension; ++d)
  {
    extent[d] = image.spacing[d] * static_cast<double>(std::max<std::int64_t>(image.size[d], 2) - 1);
    largest += std::abs(first[d]) + std::abs(image.origin[d]) + extent[d];
  }
  const double margin = 4.0 * std::numeric_limits<double>::epsilon() * largest;

  FieldGrid nodes;
  nodes.dimension = image.dimension;
  nodes.origin = first;
  for (unsigned int c = 0; c < image.dimension; ++c)
  {
    if (cells[c] < 1)
    {
      throw std::invalid_argument("A grid of B-splines has 0 cells along axis " + std::to_string(c) +
                                  "; at least 1 is needed.");
    }
    nodes.size[c] = cells[c] + 3;
    nodes.spacing[c] = (extent[c] + 2.0 * margin) / static_cast<double>(cells[c]);
    for (unsigned int r = 0; r < image.dimension; ++r)
    {
      const double direction = image.indexToPoint[r][c] / image.spacing[c];
      nodes.indexToPoint[r][c] = direction * nodes.spacing[c];
      nodes.origin[r] -= direction * (nodes.spacing[c] + margin); // the first node is one cell before the domain
    }
  }
  nodes.pointToIndex = InvertGridMatrix(nodes.indexToPoint, image.dimension);
  return nodes;
}

TransformChain::Stage
MakeSplineGrid(const FieldGrid & image, const SplineCells & cells)
{
  const FieldGrid       nodes = MakeSplineNodes(image, cells);
  TransformChain::Stage spline;
  spline.kind = TransformKind::BSpline;
  spline.order = 3;
  spline.size = nodes.size;
  spline.origin = nodes.origin;
  spline.pointToIndex = nodes.pointToIndex;
  return spline;
}

namespace
{
/** Returns the index of a coefficient after mirroring about the ends of its line. */
std::int64_t
Mirror(std::int64_t index, std::int64_t size)
{
  if (size == 1)
  {
    return 0;
  }
  const std::int64_t period = 2 * (size - 1);
  index = std::abs(index) % period;
  return index < size ? index : period - index;
}

/** Four coefficients along an axis, and their weights. */
struct Taps
{
  std::array<std::int64_t, 4> at;
  std::array<double, 4>       weights;
};

/** Returns the taps for the nodes of a grid along an axis, in another grid with the same axes. */
std::vector<Taps>
TapsOf(const TransformChain::Stage & from, const TransformChain::Stage & to, unsigned int axis, unsigned int dimension)
{
  // The nodes of the other grid vary along this axis alone, because both grids have the same axes.
  double origin = 0.0;
  for (unsigned int c = 0; c < dimension; ++c)
  {
    origin += from.pointToIndex[axis][c] * (to.origin[c] - from.origin[c]);
  }
  // Rows of both matrices are parallel. Their lengths are the samples per mm.
  double along = 0.0;
  double other = 0.0;
  for (unsigned int c = 0; c < dimension; ++c)
  {
    along += from.pointToIndex[axis][c] * from.pointToIndex[axis][c];
    other += to.pointToIndex[axis][c] * to.pointToIndex[axis][c];
  }
  const double      step = std::sqrt(along / other);
  std::vector<Taps> taps(static_cast<std::size_t>(to.size[axis]));
  for (std::int64_t n = 0; n < to.size[axis]; ++n)
  {
    const double index = origin + step * static_cast<double>(to.start[axis] + n);
    const double first = std::floor(index);
    Taps &       own = taps[static_cast<std::size_t>(n)];
    double       weights[4];
    SplineWeights<3>(index - first, weights);
    for (std::int64_t k = 0; k < 4; ++k)
    {
      own.at[static_cast<std::size_t>(k)] =
        Mirror(static_cast<std::int64_t>(first) - 1 + k - from.start[axis], from.size[axis]);
      own.weights[static_cast<std::size_t>(k)] = weights[k];
    }
  }
  return taps;
}

/** Evaluates splines along an axis, after the previous axes have been evaluated. */
std::vector<double>
EvaluateAlong(const std::vector<double> &         values,
              const std::array<std::int64_t, 3> & from,
              const std::array<std::int64_t, 3> & to,
              unsigned int                        axis,
              const std::vector<Taps> &           taps,
              const ExecutionContext &            context)
{
  // Distance of samples along the axis.
  const std::int64_t  stride = (axis > 0 ? to[0] : 1) * (axis > 1 ? to[1] : 1);
  const std::int64_t  after = to[axis];
  const auto          blocks = static_cast<std::int64_t>(values.size()) / (stride * from[axis]);
  std::vector<double> found(static_cast<std::size_t>(blocks * stride * after));
  context.ParallelFor(blocks * after, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
    {
      const Taps &   own = taps[static_cast<std::size_t>(row % after)];
      const double * lines[4];
      for (std::size_t k = 0; k < 4; ++k)
      {
        lines[k] = values.data() + (row / after * from[axis] + own.at[k]) * stride;
      }
      double * const output = found.data() + row * stride;
      for (std::int64_t i = 0; i < stride; ++i)
      {
        output[i] = own.weights[0] * lines[0][i] + own.weights[1] * lines[1][i] + own.weights[2] * lines[2][i] +
                    own.weights[3] * lines[3][i];
      }
    }
  });
  return found;
}

/** Returns whether two grids have the same axes, up to roundings. */
bool
HaveSameAxes(const TransformChain::Stage & a, const TransformChain::Stage & b, unsigned int dimension)
{
  constexpr double near = 1e-9;
  for (unsigned int r = 0; r < dimension; ++r)
  {
    double ofA = 0.0;
    double ofB = 0.0;
    for (unsigned int c = 0; c < dimension; ++c)
    {
      ofA += a.pointToIndex[r][c] * a.pointToIndex[r][c];
      ofB += b.pointToIndex[r][c] * b.pointToIndex[r][c];
    }
    for (unsigned int c = 0; c < dimension; ++c)
    {
      if (!(std::abs(a.pointToIndex[r][c] / std::sqrt(ofA) - b.pointToIndex[r][c] / std::sqrt(ofB)) <= near))
      {
        return false;
      }
    }
  }
  return true;
}
} // namespace

std::vector<double>
RefineSpline(const TransformChain::Stage & from,
             const std::vector<double> &   coefficients,
             const TransformChain::Stage & to,
             unsigned int                  dimension,
             const ExecutionContext &      context)
{
  if (from.order != 3 || to.order != 3 || !HaveSameAxes(from, to, dimension) ||
      static_cast<std::int64_t>(coefficients.size()) != TransformChain::CountOf(from, dimension))
  {
    throw std::invalid_argument("A spline can only be transferred to another grid if both are cubic, all coefficients "
                                "are given and both grids have the same axes.");
  }
  SourceDescriptor filter;
  filter.dimension = dimension;
  filter.pixel = ScalarType::Float64;
  filter.element = ScalarType::Float64;
  filter.order = 3;
  std::vector<std::vector<Taps>> taps;
  for (unsigned int axis = 0; axis < dimension; ++axis)
  {
    taps.push_back(TapsOf(from, to, axis, dimension));
    filter.start[axis] = to.start[axis];
    filter.size[axis] = to.size[axis];
  }
  ExecutionContext onHost = context;
  onHost.backend = Backend::Cpu;
  onHost.progress = nullptr;
  const std::int64_t  ofPlane = CountSplineNodes(from);
  std::vector<double> refined;
  refined.reserve(static_cast<std::size_t>(TransformChain::CountOf(to, dimension)));
  for (unsigned int component = 0; component < dimension; ++component)
  {
    const auto          first = coefficients.begin() + component * ofPlane;
    std::vector<double> values(first, first + ofPlane);
    for (unsigned int axis = 0; axis < dimension; ++axis)
    {
      values = EvaluateAlong(values, from.size, to.size, axis, taps[axis], onHost);
    }
    PrefilterInPlace(filter, values.data(), onHost);
    refined.insert(refined.end(), values.begin(), values.end());
  }
  return refined;
}

MemoryPlan
PlanSplineRegistration(const TransformChain::Stage & spline,
                       const FieldGrid &             fixed,
                       const FieldGrid &             moving,
                       ScalarType                    pixel,
                       const SplineOptions &         options,
                       std::size_t                   level,
                       std::size_t                   imageBytes,
                       std::size_t                   budget)
{
  const PyramidLevel & of = options.levels.at(level);
  const FieldGrid      grid = ShrinkGrid(fixed, of);
  const std::size_t ofForms = options.regularizers.HasForms() ? SplineEnergy::CountBytes(spline, fixed.dimension) : 0;
  const std::size_t ofPoints =
    options.regularizers.HasPoints() ? SplinePointEnergy::CountBytes(spline, fixed.dimension) : 0;
  return PlanSplineLevel(spline,
                         grid,
                         options.metric,
                         moving,
                         pixel,
                         (of.sigma > 0.0 ? 2 : 1) * imageBytes + ofForms + ofPoints,
                         budget,
                         CountDrawnPlaces(grid, options.samples));
}

OperationWork
CountSplineRegistrationWork(const TransformChain::Stage & spline,
                            const FieldGrid &             fixed,
                            const FieldGrid &             moving,
                            const SplineOptions &         options,
                            std::size_t                   level,
                            std::size_t                   imageBytes)
{
  const PyramidLevel & of = options.levels.at(level);
  const FieldGrid      grid = ShrinkGrid(fixed, of);
  return CountSplineWork(
    spline, grid, options.metric, moving, of.iterations, imageBytes, CountDrawnPlaces(grid, options.samples));
}

} // namespace itk::CudaSpline
