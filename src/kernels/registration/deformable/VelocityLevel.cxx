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
#include "itkCudaSpline/kernels/registration/VelocityLevel.h"

#include "itkCudaSpline/kernels/fields/VelocityIntegration.h"

#include "kernels/common/MemoryBudget.h"
#include "kernels/fields/limits/VelocityLimit.h"
#include "kernels/registration/deformable/LevelField.h"
#include "kernels/registration/deformable/LevelForces.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace itk::CudaSpline
{

namespace
{
/** Steps between neighbouring time points: in an iteration, and for the result. Displacements between time points are
 * small, so a method of order 4 needs no more. */
constexpr unsigned int StepsOfIterations = 1;
constexpr unsigned int StepsOfResult = 4;

/** Results of an iteration, in the memory of the backend. */
struct Record
{
  std::array<LevelSums, MaxTimePoints> sums;
  std::array<double, MaxTimePoints>    maximumNorms;
  FieldInversionState                  inversion;
};

const VelocityOptions &
CheckedOptions(const VelocityOptions & velocity)
{
  if (velocity.timePoints < 2 || velocity.timePoints > MaxTimePoints)
  {
    throw std::invalid_argument("The number of time points is " + std::to_string(velocity.timePoints) + "; 2 to " +
                                std::to_string(MaxTimePoints) + " are supported.");
  }
  if (!(velocity.updateTimeVariance >= 0.0) || !(velocity.totalTimeVariance >= 0.0))
  {
    throw std::invalid_argument("The variances along time are " + std::to_string(velocity.updateTimeVariance) +
                                " and " + std::to_string(velocity.totalTimeVariance) + "; they must be at least 0.");
  }
  return velocity;
}

std::vector<ResidentArray>
MakeFields(unsigned int count, const FieldShape & shape, const Residence & residence)
{
  std::vector<ResidentArray> fields;
  for (unsigned int n = 0; n < count; ++n)
  {
    fields.emplace_back(shape.Bytes(), residence);
  }
  return fields;
}
} // namespace

namespace
{
/** The velocity before an update, and its integrals, which are needed to limit determinants. Empty without a limit. */
struct PreviousVelocity
{
  std::vector<ResidentArray> velocity; ///< at each time point
  std::vector<ResidentArray> toFixed;  ///< displacements to time 0, from each time point except the first
  ResidentArray              whole;    ///< displacements from time 0 to time 1

  bool
  IsReserved() const
  {
    return !velocity.empty();
  }
  static std::size_t
  CountBytes(const FieldShape & shape, unsigned int timePoints)
  {
    return std::size_t{ 2 } * timePoints * shape.Bytes();
  }
};
} // namespace

/** Velocity, updates and steps. */
struct VelocityLevel::Impl
{
  VelocityOptions              options;
  VelocityMethod               method;
  LevelForces                  forces;
  std::shared_ptr<LevelFields> velocity; ///< at each time point
  std::vector<ResidentArray>   updates;  ///< initially forces
  std::vector<UpdateMoments>   moments;
  PreviousVelocity             before;
  std::vector<ResidentArray>   previous; ///< updates of ITK's method, before they are smoothed
  std::vector<ResidentArray>   smooth;   ///< updates or velocities of ITK's method, smoothed in space
  ResidentArray                toFixed;  ///< displacements from a time point to time 0
  ResidentArray                toMoving;
  ResidentArray                opposite; ///< forces on the fixed image
  ResidentArray                norms;    ///< of FindMaximumNorm()
  ResidentArray                record;
  RuledSteps                   steps;

  Impl(const FieldShape &      shape,
       std::vector<SynTerm>    terms,
       const VelocityOptions & velocityOptions,
       const Residence &       residence,
       VelocityMethod          ofIterations,
       const LandmarkTerm &    landmarks);

  bool
  IsItk() const
  {
    return method == VelocityMethod::Itk;
  }
  /** Computes displacements from a time point to another one. */
  void
  Integrate(unsigned int from, unsigned int to, unsigned int stepsOfInterval, const ResidentArray & output) const;
  /** Computes displacements for an iteration. Returns null if both time points are the same. */
  const void *
  IntegrateUnlessEqual(unsigned int from, unsigned int to, const ResidentArray & output) const;
  /** Compares the images at all time points. The updates become forces. */
  void
  EnqueueForces();
  /** Smooths the velocity with its updates. */
  void
  EnqueueSmoothing(const SynRules & rules);
  /** Allocates memory to limit determinants. */
  void
  ReserveLimit(const SynRules & rules);
  /** Returns the memory for displacements from a time point to time 0. */
  const ResidentArray &
  ToFixed(unsigned int time) const
  {
    return time > 0 && before.IsReserved() ? before.toFixed[time - 1] : toFixed;
  }
  /** Returns the memory for displacements from a time point to time 1. */
  const ResidentArray &
  ToMoving(unsigned int time) const
  {
    return time == 0 && before.IsReserved() ? before.whole : toMoving;
  }
  /** Copies the velocity. */
  void
  EnqueueCopy();
  /** Shortens the update of the velocity that EnqueueCopy() has copied. */
  void
  EnqueueLimit(double largest);
  void
  Enqueue(const SynRules & rules);
  /** Returns the mean value of the metric. */
  double
  ValueOf(const Record & numbers) const;
  std::vector<void *>
  Velocities() const;
  /** Computes the updates of ITK's method at a time point, without smoothing. */
  void
  EnqueueItkUpdate(std::size_t time, const SynRules & rules);
  /** Smooths fields of all time points in place, like ITK's transform. */
  void
  EnqueueItkSmoothing(const std::vector<void *> & fields, double variance, double timeVariance);
  void
  EnqueueItk(const SynRules & rules);
};

namespace
{
std::vector<const void *>
ToConstant(const std::vector<void *> & fields)
{
  return { fields.begin(), fields.end() };
}

std::vector<void *>
PointersTo(const std::vector<ResidentArray> & arrays)
{
  std::vector<void *> pointers;
  for (const ResidentArray & array : arrays)
  {
    pointers.push_back(array.Data());
  }
  return pointers;
}
} // namespace

VelocityLevel::Impl::Impl(const FieldShape &      shape,
                          std::vector<SynTerm>    terms,
                          const VelocityOptions & velocityOptions,
                          const Residence &       residence,
                          VelocityMethod          ofIterations,
                          const LandmarkTerm &    landmarks)
  : options(CheckedOptions(velocityOptions))
  , method(ofIterations)
  , forces(shape,
           std::move(terms),
           landmarks,
           residence,
           LevelUse{ options.timePoints, 0, false, LevelMemory::Fastest })
  , velocity(std::make_shared<LevelFields>(options.timePoints, shape, residence))
  , updates(MakeFields(options.timePoints, shape, residence))
  , moments(options.timePoints)
  , previous(MakeFields(IsItk() ? options.timePoints : 0, shape, residence))
  , smooth(MakeFields(IsItk() ? options.timePoints : 0, shape, residence))
  , toFixed(shape.Bytes(), residence)
  , toMoving(shape.Bytes(), residence)
  , opposite(shape.Bytes(), residence)
  , norms(MaximumNormScratch, residence)
  , record(sizeof(Record), residence)
{
  for (const ResidentArray & update : previous)
  {
    ClearResident(update.Data(), update.Bytes(), residence);
  }
  ClearResident(record.Data(), sizeof(Record), residence);
}

std::vector<void *>
VelocityLevel::Impl::Velocities() const
{
  std::vector<void *> fields;
  for (unsigned int time = 0; time < options.timePoints; ++time)
  {
    fields.push_back((*velocity)[time].Data());
  }
  return fields;
}

void
VelocityLevel::Impl::Integrate(unsigned int          from,
                               unsigned int          to,
                               unsigned int          stepsOfInterval,
                               const ResidentArray & output) const
{
  const TimeVaryingVelocity field{ forces.GetShape(), ToConstant(this->Velocities()) };
  if (this->IsItk())
  {
    const double last = options.timePoints - 1;
    IntegrateVelocityAsItk(field, from / last, to / last, options.timePoints + 2, output.Data(), forces.GetResidence());
    return;
  }
  IntegrateVelocity(field, from, to, stepsOfInterval, output.Data(), forces.GetResidence());
}

const void *
VelocityLevel::Impl::IntegrateUnlessEqual(unsigned int from, unsigned int to, const ResidentArray & output) const
{
  if (from == to)
  {
    return nullptr;
  }
  this->Integrate(from, to, StepsOfIterations, output);
  return output.Data();
}

void
VelocityLevel::Impl::EnqueueForces()
{
  const unsigned int last = options.timePoints - 1;
  for (unsigned int time = 0; time <= last; ++time)
  {
    forces.MoveFixed(this->IntegrateUnlessEqual(time, 0, this->ToFixed(time)));
    forces.MoveMoving(this->IntegrateUnlessEqual(time, last, this->ToMoving(time)));
    forces.Compare(&record.As<Record>()->sums[time], updates[time].Data(), IsItk() ? nullptr : opposite.Data(), time);
    if (!IsItk())
    {
      AverageMidpointFields(forces.GetShape(), updates[time].Data(), opposite.Data(), forces.GetResidence());
    }
  }
}

void
VelocityLevel::Impl::EnqueueSmoothing(const SynRules & rules)
{
  const FieldShape &        shape = forces.GetShape();
  const Residence &         residence = forces.GetResidence();
  const std::vector<void *> velocities = this->Velocities();
  const std::vector<void *> changes = PointersTo(updates);
  const TimeSmoothing       adding{ MakeTimeWeights(options.updateTimeVariance, options.timePoints), 1.0, 1.0, false };
  const TimeSmoothing       ofTotals{ MakeTimeWeights(options.totalTimeVariance, options.timePoints), 1.0, 0.0, false };
  SmoothInTime(shape, ToConstant(changes), adding, velocities, residence);
  const LevelSmoothing smoothing = LevelSmoothing::OfTotals(rules);
  if (!smoothing.IsNone())
  {
    for (std::size_t time = 0; time < velocities.size(); ++time)
    {
      forces.Smooth(velocities[time], nullptr, smoothing, changes[time]);
    }
    SmoothInTime(shape, ToConstant(changes), ofTotals, velocities, residence);
  }
  else if (ofTotals.weights.size() > 1)
  {
    SmoothInTime(shape, ToConstant(velocities), ofTotals, velocities, residence);
  }
}

void
VelocityLevel::Impl::ReserveLimit(const SynRules & rules)
{
  if (rules.determinantLimit > 0.0 && !this->IsItk() && !before.IsReserved())
  {
    const FieldShape & shape = forces.GetShape();
    const Residence &  residence = forces.GetResidence();
    before.velocity = MakeFields(options.timePoints, shape, residence);
    before.toFixed = MakeFields(options.timePoints - 1, shape, residence);
    before.whole = ResidentArray(shape.Bytes(), residence);
  }
}

void
VelocityLevel::Impl::EnqueueCopy()
{
  const std::vector<void *> velocities = this->Velocities();
  for (std::size_t time = 0; time < velocities.size(); ++time)
  {
    CopyResident(before.velocity[time].Data(), velocities[time], forces.GetShape().Bytes(), forces.GetResidence());
  }
}

void
VelocityLevel::Impl::EnqueueLimit(double largest)
{
  const VelocityUpdate update{ forces.GetShape(),   ToConstant(PointersTo(before.velocity)), this->Velocities(),
                               before.whole.Data(), ToConstant(PointersTo(before.toFixed)),  toMoving.Data(),
                               forces.Scratch() };
  LimitVelocity(update, largest, StepsOfIterations, forces.GetResidence());
}

void
VelocityLevel::Impl::EnqueueItkUpdate(std::size_t time, const SynRules & rules)
{
  const FieldShape & shape = forces.GetShape();
  const Residence &  residence = forces.GetResidence();
  void * const       update = updates[time].Data();
  double * const     maximum = &record.As<Record>()->maximumNorms[time];
  FieldShape         inMm = shape;
  inMm.grid.spacing.fill(1.0); // norms are divided by it
  if (rules.weights != SynRules().weights)
  {
    WeighField(shape, update, rules.weights, residence);
  }
  FindMaximumNorm(inMm, update, maximum, norms.Data(), residence);
  ScaleField(inMm, update, 1.0, maximum, update, residence);
}

void
VelocityLevel::Impl::EnqueueItkSmoothing(const std::vector<void *> & fields, double variance, double timeVariance)
{
  const FieldShape & shape = forces.GetShape();
  const Residence &  residence = forces.GetResidence();
  TimeSmoothing      blending{ MakeTimeWeights(timeVariance, options.timePoints), 1.0, 0.0, true };
  if (!(variance > 0.0))
  {
    if (timeVariance > 0.0)
    {
      SmoothInTime(shape, ToConstant(fields), blending, fields, residence);
    }
    return;
  }
  FieldSmoothing gaussian = MakeFieldSmoothing(shape.grid, variance);
  gaussian.blends = false; // after the smoothing along time
  for (std::size_t time = 0; time < fields.size(); ++time)
  {
    SmoothField(shape, fields[time], gaussian, smooth[time].Data(), forces.Scratch(), residence);
  }
  blending.share = gaussian.share;
  blending.kept = 1.0 - gaussian.share;
  SmoothInTime(shape, ToConstant(PointersTo(smooth)), blending, fields, residence);
}

void
VelocityLevel::Impl::EnqueueItk(const SynRules & rules)
{
  const FieldShape &        shape = forces.GetShape();
  const Residence &         residence = forces.GetResidence();
  const std::vector<void *> changes = PointersTo(updates);
  this->EnqueueForces();
  for (std::size_t time = 0; time < updates.size(); ++time)
  {
    this->EnqueueItkUpdate(time, rules);
  }
  const TimeSmoothing averaging{ { 1.0 }, 0.5, 0.5, false };
  SmoothInTime(shape, ToConstant(changes), averaging, PointersTo(previous), residence);
  for (std::size_t time = 0; time < updates.size(); ++time)
  {
    CopyResident(changes[time], previous[time].Data(), shape.Bytes(), residence);
  }
  this->EnqueueItkSmoothing(changes, rules.updateVariance, options.updateTimeVariance);
  const TimeSmoothing adding{ { 1.0 }, rules.learningRate, 1.0, false };
  SmoothInTime(shape, ToConstant(changes), adding, this->Velocities(), residence);
  this->EnqueueItkSmoothing(this->Velocities(), rules.totalVariance, options.totalTimeVariance);
}

void
VelocityLevel::Impl::Enqueue(const SynRules & rules)
{
  if (this->IsItk())
  {
    this->EnqueueItk(rules);
    return;
  }
  this->EnqueueForces();
  for (std::size_t time = 0; time < updates.size(); ++time)
  {
    forces.MakeUpdate(nullptr, moments[time], updates[time].Data(), rules, &record.As<Record>()->maximumNorms[time]);
  }
  const bool isLimited = rules.determinantLimit > 0.0;
  if (isLimited)
  {
    this->EnqueueCopy();
  }
  this->EnqueueSmoothing(rules);
  if (isLimited)
  {
    this->EnqueueLimit(rules.determinantLimit);
  }
}

double
VelocityLevel::Impl::ValueOf(const Record & numbers) const
{
  double mean = 0.0;
  for (unsigned int time = 0; time < options.timePoints; ++time)
  {
    std::array<double, 2> values =
      IsItk() ? forces.ValuesOf(numbers.sums[time]) : forces.WeightedValuesOf(numbers.sums[time], time);
    values[1] = IsItk() ? values[0] : values[1]; // of the force that is evaluated
    for (const double value : values)
    {
      if (value == std::numeric_limits<double>::max())
      {
        return value;
      }
      mean += 0.5 * value / options.timePoints;
    }
  }
  return mean;
}

VelocityLevel::VelocityLevel(const FieldShape &      shape,
                             std::vector<SynTerm>    terms,
                             const VelocityOptions & velocity,
                             const Residence &       residence,
                             VelocityMethod          method,
                             const LandmarkTerm &    landmarks)
  : m_Impl(new Impl(shape, std::move(terms), velocity, residence, method, landmarks))
{}

VelocityLevel::~VelocityLevel() = default;

void
VelocityLevel::SetVelocity(const void * vectors, ScalarType element)
{
  const auto bytes = static_cast<std::size_t>(m_Impl->forces.GetShape().Numbers()) * SizeOf(element);
  for (unsigned int time = 0; time < m_Impl->options.timePoints; ++time)
  {
    (*m_Impl->velocity)[time].Set(static_cast<const char *>(vectors) + time * bytes, element);
  }
}

void
VelocityLevel::GetVelocity(void * vectors, ScalarType element) const
{
  const auto bytes = static_cast<std::size_t>(m_Impl->forces.GetShape().Numbers()) * SizeOf(element);
  for (unsigned int time = 0; time < m_Impl->options.timePoints; ++time)
  {
    (*m_Impl->velocity)[time].Get(static_cast<char *>(vectors) + time * bytes, element);
  }
}

void
VelocityLevel::AdaptFrom(const LevelFields & coarser)
{
  m_Impl->velocity->AdaptFrom(coarser);
}

void
VelocityLevel::Clear()
{
  m_Impl->velocity->Clear();
}

std::shared_ptr<const LevelFields>
VelocityLevel::GetFields() const
{
  return m_Impl->velocity;
}

double
VelocityLevel::Compare(const SynRules & rules)
{
  m_Impl->forces.Reserve(rules);
  m_Impl->EnqueueForces();
  Record record;
  Download(&record, m_Impl->record.Data(), sizeof(record), m_Impl->forces.GetResidence());
  return m_Impl->ValueOf(record);
}

VelocityIteration
VelocityLevel::Iterate(const SynRules & rules)
{
  const Residence & residence = m_Impl->forces.GetResidence();
  m_Impl->forces.Reserve(rules);
  m_Impl->ReserveLimit(rules);
  for (UpdateMoments & moments : m_Impl->moments)
  {
    moments.Reserve(m_Impl->forces.GetShape(), rules.optimizer, residence);
  }
  m_Impl->steps.Run(rules, m_Impl->forces, [impl = m_Impl.get()](const SynRules & kept) { impl->Enqueue(kept); });
  Record record;
  Download(&record, m_Impl->record.Data(), sizeof(record), residence);
  VelocityIteration iteration;
  iteration.value = m_Impl->ValueOf(record);
  iteration.maximumNorms.assign(record.maximumNorms.begin(), record.maximumNorms.begin() + m_Impl->options.timePoints);
  return iteration;
}

void
VelocityLevel::GetTotalFields(void *                                forward,
                              void *                                backward,
                              ScalarType                            element,
                              FieldMemory                           memory,
                              const std::optional<FieldInversion> & inversion)
{
  LevelForces &      forces = m_Impl->forces;
  const unsigned int last = m_Impl->options.timePoints - 1;
  m_Impl->Integrate(0, last, StepsOfResult, m_Impl->toMoving);
  if (backward != nullptr)
  {
    m_Impl->Integrate(last, 0, StepsOfResult, m_Impl->toFixed);
    if (inversion)
    {
      FieldInversionState * const state = &m_Impl->record.As<Record>()->inversion;
      InvertField(forces.GetShape(),
                  m_Impl->toMoving.Data(),
                  m_Impl->toFixed.Data(),
                  *inversion,
                  state,
                  forces.Borrow(CountInversionBytes(forces.GetShape(), inversion->method)),
                  forces.GetResidence());
    }
    CopyFieldTo(backward, element, memory, m_Impl->toFixed.Data(), forces.GetShape(), forces.GetResidence());
  }
  if (forward != nullptr)
  {
    CopyFieldTo(forward, element, memory, m_Impl->toMoving.Data(), forces.GetShape(), forces.GetResidence());
  }
}

MemoryPlan
PlanVelocityLevel(const FieldShape &             shape,
                  const std::vector<SynMetric> & metrics,
                  const SynRules &               rules,
                  const VelocityOptions &        velocity,
                  ScalarType                     pixel,
                  std::size_t                    imageBytes,
                  std::size_t                    budget,
                  VelocityMethod                 method)
{
  // Velocity and update of each time point, two of each with ITK's method; two displacements and a force.
  const std::size_t ofTimePoint = method == VelocityMethod::Itk ? 4 : 2;
  const std::size_t fields = (ofTimePoint * velocity.timePoints + 3) * shape.Bytes();
  const std::size_t moments = velocity.timePoints * UpdateMoments::CountBytes(shape, rules.optimizer);
  const bool        isLimited = rules.determinantLimit > 0.0 && method != VelocityMethod::Itk;
  const std::size_t limit = isLimited ? PreviousVelocity::CountBytes(shape, velocity.timePoints) : 0;
  LevelSetup        setup;
  setup.shape = shape;
  setup.metrics = metrics;
  setup.pixel = pixel;
  setup.use.memory = LevelMemory::Fastest;
  setup.hasMasks = true;
  setup.hasLandmarks = true;
  const std::size_t atEnd = CountInversionBytes(shape, rules.inversion.method);
  MemoryPlan        plan;
  plan.sourceBytes = imageBytes + LevelForces::CountBytes(setup, rules, atEnd) + fields + moments + limit;
  plan.outsideBytes = velocity.timePoints * shape.Bytes() / 8; // the velocity of the previous level
  RefuseUnlessWithin(plan, budget);
  return plan;
}

OperationWork
CountVelocityWork(const FieldShape &      shape,
                  const VelocityOptions & velocity,
                  std::uint64_t           iterations,
                  std::size_t             imageBytes,
                  std::size_t             terms)
{
  // Numbers read for each sample and time point: 2 images per term at 8 positions; 6 passes of about 9 weights over
  // vectors; 6 interpolations of vectors at 8 positions in each interval of the integrals to both ends.
  const double points = velocity.timePoints;
  const double taps =
    points * (2.0 * 8.0 * static_cast<double>(terms) + 3.0 * (6.0 * 9.0 + (points - 1.0) * 6.0 * 8.0));
  const auto    count = static_cast<double>(shape.grid.Count()) * static_cast<double>(iterations);
  OperationWork counts;
  counts.kind = KindOf({ static_cast<std::uint64_t>(WorkKind::Syn),
                         shape.grid.dimension,
                         static_cast<std::uint64_t>(shape.element),
                         2U }); // CountSynWork() uses 0 and 1
  counts.taps = count * taps * (shape.element == ScalarType::Float64 ? 2.0 : 1.0);
  counts.samples = count * points;
  counts.sums = 10.0 * static_cast<double>(terms) * count * points;
  counts.uploadBytes = static_cast<double>(imageBytes);
  counts.downloadBytes = 2.0 * static_cast<double>(shape.Bytes());
  return counts;
}

} // namespace itk::CudaSpline
