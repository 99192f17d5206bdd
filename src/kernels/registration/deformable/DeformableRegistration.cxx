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
#include "itkCudaSpline/kernels/registration/DeformableRegistration.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/registration/ConvergenceWindow.h"
#include "itkCudaSpline/kernels/registration/DemonsLevel.h"
#include "itkCudaSpline/kernels/registration/GreedyLevel.h"
#include "itkCudaSpline/kernels/registration/RegistrationProgress.h"
#include "itkCudaSpline/kernels/registration/SynLevel.h"
#include "itkCudaSpline/kernels/registration/VelocityLevel.h"

#include "device/DeviceGroup.h"
#include "kernels/common/MemoryBudget.h"
#include "kernels/fields/sliding/FieldRegions.h"
#include "kernels/registration/deformable/LevelField.h"
#include "kernels/registration/deformable/LevelForces.h"
#include "kernels/registration/spline/FieldEnergy.h"
#include "kernels/registration/landmarks/LandmarkLevels.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

FieldShape
ShapeOf(const FieldGrid & fixed, const PyramidLevel & level, ScalarType element)
{
  return { ShrinkGrid(fixed, level), element };
}

/** Returns the metric of each pair.
 *
 * \param[in] options the options
 * \param[in] grid grid of the level
 * \param[in] pixel pixel type of the images */
std::vector<SynMetric>
MetricsOf(const DeformableOptions & options, const FieldGrid & grid, ScalarType pixel)
{
  std::vector<SynMetric> metrics;
  for (const DeformablePair & pair : options.pairs)
  {
    SynMetric metric;
    metric.kind = pair.metric;
    static_cast<MetricOptions &>(metric) = options;
    metric.arithmetic = options.element;
    metric.order = options.order;
    metric.epsilon = std::numeric_limits<double>::epsilon(); // like the metric of ITK, which uses double precision
    if (options.filtersGradients)
    {
      metric.gaussian = DescribeGradient(grid, pixel, options.element);
    }
    metrics.push_back(metric);
  }
  return metrics;
}

/** Returns the pairs of a level, with the weight of the force of each one. */
std::vector<SynTerm>
TermsOf(std::vector<SynSide>      fixed,
        std::vector<SynSide>      moving,
        const DeformableOptions & options,
        const FieldGrid &         grid)
{
  double sum = 0.0;
  for (const DeformablePair & pair : options.pairs)
  {
    sum += pair.weight;
  }
  const std::vector<SynMetric> metrics = MetricsOf(options, grid, fixed.front().image.pixel);
  std::vector<SynTerm>         terms(metrics.size());
  for (std::size_t n = 0; n < terms.size(); ++n)
  {
    terms[n].fixed = std::move(fixed[n]);
    terms[n].moving = std::move(moving[n]);
    terms[n].metric = metrics[n];
    terms[n].weight = options.pairs[n].weight / sum;
  }
  return terms;
}

DemonsRules
DemonsOf(const FieldGrid & grid, const SynRules & rules)
{
  return MakeDiffeomorphicDemons(grid, rules.learningRate, rules.updateVariance, rules.totalVariance);
}

/** Work of the inversion that demons compute at the end. It usually runs all iterations, because no point is mapped to
 * some samples at the border. Each iteration reads vectors at 8 positions and sums errors. */
OperationWork
CountFinalInversion(const FieldShape & shape, InversionMethod method)
{
  const double  iterations = method == InversionMethod::Anderson ? 20.0 : FinalInversion().maximumIterations;
  OperationWork work;
  work.samples = static_cast<double>(shape.grid.Count()) * iterations;
  work.taps = 3.0 * 8.0 * work.samples * (shape.element == ScalarType::Float64 ? 2.0 : 1.0);
  work.sums = work.samples;
  return work;
}

void
CheckOptions(const DeformableOptions & options)
{
  if (options.levels.empty())
  {
    throw std::invalid_argument("A registration needs at least 1 level; there are 0.");
  }
  if (options.element != ScalarType::Float32 && options.element != ScalarType::Float64)
  {
    throw std::invalid_argument(std::string("Fields of a registration must be float32 or float64, not ") +
                                NameOf(options.element) + ".");
  }
  if (options.pairs.empty() || (options.kind == DeformableKind::Demons && options.pairs.size() > 1))
  {
    throw std::invalid_argument("A registration with " + std::string(NameOf(options.kind)) + " has " +
                                std::to_string(options.pairs.size()) +
                                " pairs of images; at least 1 is needed, and demons supports only 1.");
  }
  for (const DeformablePair & pair : options.pairs)
  {
    if (!(pair.weight > 0.0 && std::isfinite(pair.weight)))
    {
      throw std::invalid_argument("Weights of pairs of images must be above 0, not " + std::to_string(pair.weight) +
                                  ".");
    }
  }
  if (options.kind == DeformableKind::Demons && options.landmarks.IsUsed())
  {
    throw std::invalid_argument("A registration with demons does not support landmarks.");
  }
  if (options.kind != DeformableKind::Greedy && options.regions.IsUsed())
  {
    throw std::invalid_argument(std::string("Sliding regions are only supported by greedy, not by ") +
                                NameOf(options.kind) + ".");
  }
  if (options.kind != DeformableKind::Greedy && options.regularizers.AreUsed())
  {
    throw std::invalid_argument(std::string("Regularizers of fields are only supported by greedy, not by ") +
                                NameOf(options.kind) + ".");
  }
  if (options.filtersGradients && options.kind != DeformableKind::Syn)
  {
    throw std::invalid_argument(std::string("Gradients by a filter are only supported by syn; ") +
                                NameOf(options.kind) + " uses central differences.");
  }
  if (options.window < 2)
  {
    throw std::invalid_argument("The window of the convergence must have at least 2 values, not " +
                                std::to_string(options.window) + ".");
  }
  const SynRules & rules = options.rules;
  if (!(rules.learningRate > 0.0) || !(rules.updateVariance >= 0.0) || !(rules.totalVariance >= 0.0))
  {
    throw std::invalid_argument("The learning rate is " + std::to_string(rules.learningRate) +
                                " and the variances are " + std::to_string(rules.updateVariance) + " and " +
                                std::to_string(rules.totalVariance) +
                                "; the rate must be above 0, and the variances at least 0.");
  }
  if (rules.determinantLimit != 0.0 && !(rules.determinantLimit > 1.0))
  {
    throw std::invalid_argument("The limit of determinants is " + std::to_string(rules.determinantLimit) +
                                "; it must be above 1, or 0 for no limit.");
  }
  for (const PyramidLevel & level : options.levels)
  {
    if (level.shrink < 1 || !(level.sigma >= 0.0))
    {
      throw std::invalid_argument("A level has a shrink factor of " + std::to_string(level.shrink) +
                                  " and a sigma of " + std::to_string(level.sigma) +
                                  "; the factor must be at least 1, and the sigma at least 0.");
    }
  }
}

/** The memory of a level of SyN or greedy. */
struct LevelPlan
{
  LevelMemory memory{ LevelMemory::Automatic };
  std::size_t bytes{ 0 }; ///< on a device, with the images and the fields of the previous level
};

/** Plans the levels of a registration by SyN or greedy.
 *
 * \param[in] ofImages bytes of all original images and their masks
 * \param[in] hasMasks whether an image has a mask
 * \param[in] budget bytes that may be allocated: each level uses the fastest way that fits, or the smallest
 * \param[in] isShared whether several devices share the arrays */
std::vector<LevelPlan>
PlanLevels(const FieldGrid &         fixed,
           ScalarType                pixel,
           std::size_t               ofImages,
           bool                      hasMasks,
           const DeformableOptions & options,
           std::size_t               budget,
           bool                      isShared)
{
  const bool             isSyn = options.kind == DeformableKind::Syn;
  const std::size_t      points = options.landmarks.IsUsed() ? options.landmarks.points.size() : 0;
  std::size_t            ofField = 0; // of the previous level
  std::vector<LevelPlan> plans;
  for (const PyramidLevel & level : options.levels)
  {
    PyramidLevel counted = level;
    counted.shrink = std::max(1U, level.shrink);
    LevelSetup setup;
    setup.shape = ShapeOf(fixed, counted, options.element);
    setup.metrics = MetricsOf(options, setup.shape.grid, pixel);
    setup.pixel = pixel;
    setup.hasLandmarks = points > 0;
    setup.hasRegions = options.regions.IsUsed();
    setup.hasMasks = hasMasks;
    setup.isShared = isShared;
    const bool        isUnderMask = options.smoothsUnderMasks && level.iterations > 0;
    const bool        isSmoothed = isUnderMask || (level.sigma > 0.0 && level.iterations > 0);
    const std::size_t making = isUnderMask ? 2 * ofImages : (isSmoothed ? ofImages / 2 : 0); // of smoothed images
    const auto        count = [&](LevelMemory memory) {
      setup.use.memory = memory;
      const std::size_t previous = memory == LevelMemory::Paged ? 1 : (isSyn ? 4 : 1);
      const LevelBytes  ofLevel = isSyn ? CountSynBytes(setup, options.rules) : CountGreedyBytes(setup, options.rules);
      std::size_t others = (isSmoothed ? 2 : 1) * ofImages + FieldRegions::CountBytes(options.regions, setup.shape);
      others += options.order > 1 ? ofImages : 0; // coefficients of splines
      others += points > 0 ? FieldLandmarks::CountBytes(setup.shape, points, 1) : 0;
      others += FieldEnergy::CountBytes(setup.shape, options.regularizers);
      const std::size_t iterating = others + previous * ofField + std::max(making, ofLevel.iterations);
      const std::size_t atEnd = &level == &options.levels.back() ? others + ofLevel.atEnd : 0;
      return LevelPlan{ memory, std::max(iterating, atEnd) };
    };
    LevelPlan plan = count(LevelMemory::Fastest);
    if (plan.bytes > budget)
    {
      plan = count(LevelMemory::Smallest);
    }
    if (isSyn && plan.bytes > budget && setup.CanBePaged())
    {
      plan = count(LevelMemory::Paged);
    }
    plans.push_back(plan);
    ofField = setup.shape.Bytes();
  }
  return plans;
}

/** Bytes of the original images and their masks. */
std::size_t
CountImageBytes(const std::vector<SynSide> & sides)
{
  std::size_t bytes = 0;
  for (const SynSide & side : sides)
  {
    for (const ResidentImage * const image : { &side.image, &side.mask })
    {
      bytes += image->data != nullptr ? static_cast<std::size_t>(image->grid.Count()) * SizeOf(image->pixel) : 0;
    }
  }
  return bytes;
}

} // namespace

/** The algorithm that runs, and its current state. */
struct DeformableRegistration::Parts
{
  std::vector<SynSide> fixed; ///< original images of each pair
  std::vector<SynSide> moving;
  DeformableOptions    options;
  Residence            residence;
  FieldGrid            grid; ///< of the last level

  /** Memory of each level, if the kind has a choice. */
  std::vector<LevelMemory> memories;

  std::optional<std::size_t> undone;      ///< first level whose result was undone
  double                     loss{ 0.0 }; ///< of that level

  std::unique_ptr<SynLevel>      syn; ///< the last level, which is one of these
  std::unique_ptr<GreedyLevel>   greedy;
  std::unique_ptr<DemonsLevel>   demons;
  std::unique_ptr<VelocityLevel> velocity;

  /** Makes a level whose field is zero. */
  template <typename TLevel>
  std::unique_ptr<TLevel>
  MakeLevel(const FieldShape & shape, const PyramidLevel & level, LevelMemory memory) const
  {
    std::vector<SynSide> smoothFixed;
    std::vector<SynSide> smoothMoving;
    for (std::size_t n = 0; n < fixed.size(); ++n)
    {
      smoothFixed.push_back(SmoothSide(fixed[n], level, options.sigmasInMm, residence, options.smoothsUnderMasks));
      smoothMoving.push_back(SmoothSide(moving[n], level, options.sigmasInMm, residence, options.smoothsUnderMasks));
    }
    if constexpr (std::is_same<TLevel, DemonsLevel>::value)
    {
      return std::make_unique<TLevel>(shape,
                                      std::move(smoothFixed.front()),
                                      std::move(smoothMoving.front()),
                                      DemonsOf(shape.grid, options.rules),
                                      residence);
    }
    else
    {
      std::vector<SynTerm> terms = TermsOf(std::move(smoothFixed), std::move(smoothMoving), options, shape.grid);
      if constexpr (std::is_same<TLevel, VelocityLevel>::value)
      {
        return std::make_unique<TLevel>(
          shape, std::move(terms), options.velocity, residence, VelocityMethod::Symmetric, options.landmarks);
      }
      else if constexpr (std::is_same<TLevel, GreedyLevel>::value)
      {
        return std::make_unique<TLevel>(
          shape, std::move(terms), residence, options.landmarks, options.regions, options.regularizers, memory);
      }
      else
      {
        return std::make_unique<TLevel>(shape, std::move(terms), residence, options.landmarks, memory);
      }
    }
  }

  /** Replaces the previous level and its fields, if there is one.
   *
   * \param[in,out] last the previous level, or null
   * \param[in] shape shape of the fields
   * \param[in] level the level
   * \param[in] number its number
   * \param[out] atZero the metric without a displacement; may be null
   * \return the fields of the previous level */
  template <typename TLevel>
  std::shared_ptr<const LevelFields>
  MakeNext(std::unique_ptr<TLevel> & last,
           const FieldShape &        shape,
           const PyramidLevel &      level,
           std::size_t               number,
           double *                  atZero) const
  {
    const LevelMemory memory = memories.empty() ? LevelMemory::Automatic : memories[number];
    const auto        coarser = last != nullptr ? last->GetFields() : nullptr;
    last.reset(); // before the next one is allocated, which is the largest so far
    if (coarser != nullptr && memory == LevelMemory::Paged)
    {
      coarser->MoveToHost();
    }
    last = this->MakeLevel<TLevel>(shape, level, memory);
    if (coarser != nullptr)
    {
      if (atZero != nullptr)
      {
        *atZero = this->Compare(*last);
      }
      last->AdaptFrom(*coarser);
    }
    return coarser;
  }

  /** Returns the metric for the current fields of a level. */
  template <typename TLevel>
  double
  Compare(TLevel & level) const
  {
    if constexpr (std::is_same<TLevel, DemonsLevel>::value)
    {
      return level.Compare().Metric();
    }
    else
    {
      return level.Compare(options.rules);
    }
  }

  /** Returns the last level that iterates. The result of the stage is compared with its start at this resolution. */
  std::size_t
  FindLastIterated() const
  {
    std::size_t last = options.levels.size();
    while (last > 0 && options.levels[last - 1].iterations == 0)
    {
      --last;
    }
    return last - 1;
  }

  /** Returns whether values at the start and at the end are comparable. Squared differences of demons under a mask are
   * not: at its border, interpolation includes values of masked voxels, which may have any magnitude. */
  bool
  HasComparableValues() const
  {
    const bool hasMask = fixed.front().mask.data != nullptr || moving.front().mask.data != nullptr;
    return options.kind != DeformableKind::Demons || !hasMask;
  }

  /** Restores the start of the stage, or the start of the last level, if the metric is better there.
   *
   * \param[in] level the level
   * \param[in] number its number
   * \param[in] atZero the metric at the start of the stage
   * \param[in] first the metric at the start of the level
   * \param[in] before the metric before the last iteration
   * \param[in] coarser the fields of the previous level, if there is one */
  template <typename TLevel>
  void
  KeepBest(TLevel & level, std::size_t number, double atZero, double first, double before, const LevelFields * coarser)
  {
    const double best = std::min(atZero, first);
    if (before < best) // the last step is short
    {
      return;
    }
    const double found = this->Compare(level);
    if (!(best < found))
    {
      return;
    }
    level.Clear();
    undone = number;
    loss = RelativeLoss(best, found);
    if (coarser != nullptr && first <= atZero)
    {
      level.AdaptFrom(*coarser);
    }
    else
    {
      undone = 0;
    }
  }

  /** Runs an iteration, and returns the value of its metric. */
  template <typename TLevel>
  double
  Iterate(TLevel & level) const
  {
    if constexpr (std::is_same<TLevel, DemonsLevel>::value)
    {
      return level.Iterate().Metric();
    }
    else if constexpr (std::is_same<TLevel, SynLevel>::value)
    {
      return level.Iterate(options.rules).weightedValue;
    }
    else
    {
      return level.Iterate(options.rules).Value();
    }
  }

  /** Chooses the memory of each level: the fastest way that fits into the memory of the device. */
  void
  PlanMemory()
  {
    memories.clear();
    const bool hasChoice = options.kind == DeformableKind::Syn || options.kind == DeformableKind::Greedy;
    if (hasChoice && residence.IsOnDevice())
    {
      const auto hasMask = [](const SynSide & side) { return side.mask.data != nullptr; };
      const bool hasMasks =
        std::any_of(fixed.begin(), fixed.end(), hasMask) || std::any_of(moving.begin(), moving.end(), hasMask);
      const std::size_t     ofImages = CountImageBytes(fixed) + CountImageBytes(moving);
      const ResidentImage & image = fixed.front().image;
      const std::size_t     devices = residence.GetGroup() != nullptr ? residence.GetGroup()->Count() : 1;
      const std::size_t     own = AvailableDeviceMemory(residence.GetContext().device, ofImages / devices);
      const std::size_t     budget = own * devices;
      for (const LevelPlan & plan :
           PlanLevels(image.grid, image.pixel, ofImages, hasMasks, options, budget, devices > 1))
      {
        memories.push_back(plan.memory);
      }
    }
  }

  template <typename TLevel>
  LevelRecord
  RunLevel(std::unique_ptr<TLevel> & last, std::size_t number, const RegistrationWatch & watch, bool & isStopped)
  {
    const auto         begin = std::chrono::steady_clock::now();
    const PyramidLevel planned = options.levels[number];
    PyramidLevel       level = planned;
    level.iterations = isStopped ? 0 : planned.iterations;
    const FieldShape shape = ShapeOf(fixed.front().image.grid, level, options.element);
    const bool       isCompared = !isStopped && number == this->FindLastIterated() && this->HasComparableValues();
    double           atZero = std::numeric_limits<double>::max();
    auto             coarser = this->MakeNext(last, shape, level, number, isCompared ? &atZero : nullptr);
    if (!isCompared)
    {
      coarser.reset();
    }
    grid = shape.grid;

    LevelRecord       record;
    double            first = std::numeric_limits<double>::max();
    FallRate          fallRate;
    ConvergenceWindow window(options.window);
    record.end = isStopped ? LevelEnd::Stopped : LevelEnd::Iterations;
    while (record.iterations < level.iterations && record.end == LevelEnd::Iterations)
    {
      record.value = this->Iterate(*last);
      first = record.iterations++ == 0 ? record.value : first;
      window.Add(record.value);
      fallRate.Add(record.value);
      record.convergence = window.GetValue();
      if (record.convergence == std::numeric_limits<double>::max())
      {
        record.convergence = std::numeric_limits<double>::infinity(); // of too few values
      }
      isStopped = watch && !watch({ number, record.iterations, record.value, record.convergence, 0.0 });
      record.end = isStopped                                  ? LevelEnd::Stopped
                   : record.convergence < options.convergence ? LevelEnd::Converged
                                                              : LevelEnd::Iterations;
    }
    record.fallRate = fallRate.GetValue();
    if (isCompared && !isStopped)
    {
      this->KeepBest(*last, number, atZero, first, record.value, coarser.get());
    }
    record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return record;
  }
};

DeformableRegistration::DeformableRegistration(SynSide                   fixed,
                                               SynSide                   moving,
                                               const DeformableOptions & options,
                                               const Residence &         residence)
  : DeformableRegistration(std::vector<SynSide>{ std::move(fixed) },
                           std::vector<SynSide>{ std::move(moving) },
                           options,
                           residence)
{}

DeformableRegistration::DeformableRegistration(std::vector<SynSide>      fixed,
                                               std::vector<SynSide>      moving,
                                               const DeformableOptions & options,
                                               const Residence &         residence)
{
  CheckOptions(options);
  if (fixed.size() != options.pairs.size() || moving.size() != options.pairs.size())
  {
    throw std::invalid_argument("There are " + std::to_string(fixed.size()) + " fixed and " +
                                std::to_string(moving.size()) + " moving images for " +
                                std::to_string(options.pairs.size()) + " pairs; the numbers must be equal.");
  }
  const FieldGrid grid = fixed.front().image.grid;
  m_Parts.reset(
    new Parts{ std::move(fixed), std::move(moving), options, residence, grid, {}, {}, 0.0, {}, {}, {}, {} });
}

DeformableRegistration::~DeformableRegistration() = default;

std::vector<LevelRecord>
DeformableRegistration::Run(const RegistrationWatch & watch)
{
  m_Parts->syn.reset();
  m_Parts->greedy.reset();
  m_Parts->demons.reset();
  m_Parts->velocity.reset();
  m_Parts->undone.reset();
  m_Parts->PlanMemory();
  std::vector<LevelRecord> records;
  bool                     isStopped = false;
  const auto               run = [&](auto & last, std::size_t number) {
    records.push_back(m_Parts->RunLevel(last, number, watch, isStopped));
  };
  for (std::size_t number = 0; number < m_Parts->options.levels.size(); ++number)
  {
    switch (m_Parts->options.kind)
    {
      case DeformableKind::Syn:
        run(m_Parts->syn, number);
        break;
      case DeformableKind::Greedy:
        run(m_Parts->greedy, number);
        break;
      case DeformableKind::Demons:
        run(m_Parts->demons, number);
        break;
      case DeformableKind::TimeVaryingVelocity:
        run(m_Parts->velocity, number);
        break;
    }
  }
  MarkUndone(records, m_Parts->undone, m_Parts->loss);
  return records;
}

const FieldGrid &
DeformableRegistration::GetGrid() const
{
  return m_Parts->grid;
}

void
DeformableRegistration::GetFields(void * forward, void * backward, ScalarType element, FieldMemory memory)
{
  FieldInversion inversion = FinalInversion();
  inversion.method = m_Parts->options.rules.inversion.method;
  const auto get = [&](auto & level) { // of one field
    if (forward != nullptr)
    {
      level.GetField(forward, element, memory);
    }
    if (backward != nullptr)
    {
      level.GetInverse(inversion, backward, element, memory);
    }
  };
  const auto getBoth = [&](auto & level) { // composed or integrated, or the second field is the inverse of the first
    const bool inverts = inversion.method == InversionMethod::Anderson;
    level.GetTotalFields(
      forward, backward, element, memory, inverts ? std::optional<FieldInversion>(inversion) : std::nullopt);
  };
  if (m_Parts->syn != nullptr)
  {
    getBoth(*m_Parts->syn);
  }
  else if (m_Parts->velocity != nullptr)
  {
    getBoth(*m_Parts->velocity);
  }
  else if (m_Parts->greedy != nullptr)
  {
    get(*m_Parts->greedy);
  }
  else if (m_Parts->demons != nullptr)
  {
    get(*m_Parts->demons);
  }
  else
  {
    throw std::invalid_argument("The registration has no fields; run it first.");
  }
}

MemoryPlan
PlanDeformableRegistration(const FieldGrid &         fixed,
                           ScalarType                pixel,
                           std::size_t               imageBytes,
                           const DeformableOptions & options,
                           std::size_t               budget,
                           bool                      hasMasks)
{
  if (options.kind == DeformableKind::Syn || options.kind == DeformableKind::Greedy)
  {
    MemoryPlan plan;
    for (const LevelPlan & level : PlanLevels(fixed, pixel, imageBytes, hasMasks, options, budget, false))
    {
      plan.sourceBytes = std::max(plan.sourceBytes, level.bytes);
    }
    RefuseUnlessWithin(plan, budget);
    return plan;
  }
  const auto isCoarser = [](const PyramidLevel & one, const PyramidLevel & other) { return one.shrink > other.shrink; };
  const auto finest = std::max_element(options.levels.begin(), options.levels.end(), isCoarser);
  PyramidLevel level;
  level.shrink = finest == options.levels.end() ? 1 : std::max(1U, finest->shrink);
  level.isByAxis = finest != options.levels.end() && finest->isByAxis;
  const bool isSmoothed =
    std::any_of(options.levels.begin(), options.levels.end(), [](const PyramidLevel & one) { return one.sigma > 0.0; });
  const FieldShape shape = ShapeOf(fixed, level, options.element);
  // Original and smoothed images, coefficients, and temporary memory of smoothing under masks.
  const std::size_t volumes =
    1 + (isSmoothed ? 1 : 0) + (options.order > 1 ? 1 : 0) + (options.smoothsUnderMasks ? 2 : 0);
  const std::size_t points = options.landmarks.IsUsed() ? options.landmarks.points.size() : 0;
  const std::size_t ofLandmarks =
    points > 0 ? FieldLandmarks::CountBytes(shape, points, options.velocity.timePoints) : 0;
  const std::size_t bytes = volumes * imageBytes + ofLandmarks + FieldRegions::CountBytes(options.regions, shape);
  if (options.kind == DeformableKind::Demons)
  {
    return PlanDemonsLevel(shape, pixel, bytes + CountInversionScratch(shape), budget);
  }
  const std::vector<SynMetric> metrics = MetricsOf(options, shape.grid, pixel);
  return PlanVelocityLevel(shape, metrics, options.rules, options.velocity, pixel, bytes, budget);
}

OperationWork
CountDeformableWork(const FieldGrid & fixed, std::size_t imageBytes, const DeformableOptions & options)
{
  const auto count = [&options](const FieldShape & shape, unsigned int iterations, std::size_t bytes) {
    switch (options.kind)
    {
      case DeformableKind::Demons:
        return CountDemonsWork(shape, DemonsOf(shape.grid, options.rules), iterations, bytes);
      case DeformableKind::TimeVaryingVelocity:
        return CountVelocityWork(shape, options.velocity, iterations, bytes, options.pairs.size());
      default:
        return CountSynWork(shape, options.rules, iterations, bytes, options.pairs.size());
    }
  };
  OperationWork work = count({ fixed, options.element }, 0, imageBytes);
  for (const PyramidLevel & level : options.levels)
  {
    PyramidLevel counted = level;
    counted.shrink = std::max(1U, level.shrink);
    work = work + count(ShapeOf(fixed, counted, options.element), level.iterations, 0);
    if (options.kind == DeformableKind::Demons && &level == &options.levels.back())
    {
      work = work + CountFinalInversion(ShapeOf(fixed, counted, options.element), options.rules.inversion.method);
    }
  }
  return work;
}

} // namespace itk::CudaSpline
