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
#include "itkCudaSpline/kernels/registration/SynLevel.h"

#include "kernels/common/MemoryBudget.h"
#include "kernels/registration/deformable/LevelField.h"
#include "kernels/registration/deformable/LevelForces.h"

#include <utility>

namespace itk::CudaSpline
{

namespace
{
/** Results of an iteration, in the memory of the backend. */
struct Record
{
  LevelSums                          sums;
  std::array<double, 2>              maximumNorm{ { 0.0, 0.0 } };
  std::array<FieldInversionState, 4> inversions;
};
} // namespace

/** Fields, forces and steps. */
struct SynLevel::Parts
{
  LevelForces                  forces;
  std::shared_ptr<LevelFields> fields;  ///< indexed by SynField
  std::array<ResidentArray, 2> updates; ///< updates of the fixed and of the moving field; initially forces
  ResidentArray                record;
  RuledSteps                   steps;
  bool                         fieldsAreValid{ true }; ///< whether the total fields are valid

  LevelField &
  Field(SynField which) const
  {
    return (*fields)[static_cast<std::size_t>(which)];
  }
  /** Moves both images to the middle, and computes the forces there. */
  void
  EnqueueForces();
  void
  Enqueue(const SynRules & rules);
};

SynLevel::SynLevel(const FieldShape & shape,
                   SynSide            fixed,
                   SynSide            moving,
                   const SynMetric &  metric,
                   const Residence &  residence)
  : SynLevel(shape, MakeTerms(std::move(fixed), std::move(moving), metric), residence)
{}

SynLevel::SynLevel(const FieldShape &   shape,
                   std::vector<SynTerm> terms,
                   const Residence &    residence,
                   const LandmarkTerm & landmarks)
{
  const auto update = [&] { return ResidentArray(shape.Bytes(), residence); };
  m_Parts.reset(new Parts{ LevelForces(shape, std::move(terms), landmarks, residence),
                           std::make_shared<LevelFields>(4, shape, residence),
                           { update(), update() },
                           ResidentArray(sizeof(Record), residence),
                           RuledSteps() });
  ClearResident(m_Parts->record.Data(), sizeof(Record), residence);
}

SynLevel::~SynLevel() = default;

void
SynLevel::SetField(SynField which, const void * vectors, ScalarType element)
{
  m_Parts->Field(which).Set(vectors, element);
}

void
SynLevel::GetField(SynField which, void * vectors, ScalarType element) const
{
  m_Parts->Field(which).Get(vectors, element);
}

void
SynLevel::Clear()
{
  m_Parts->fields->Clear();
}

void
SynLevel::AdaptFrom(const LevelFields & coarser)
{
  m_Parts->fields->AdaptFrom(coarser);
}

std::shared_ptr<const LevelFields>
SynLevel::GetFields() const
{
  return m_Parts->fields;
}

void
SynLevel::Parts::EnqueueForces()
{
  // As in ITK, the fixed field is updated with the force on the moving image, and vice versa.
  forces.MoveFixed(this->Field(SynField::FixedToMiddleInverse).Data());
  forces.MoveMoving(this->Field(SynField::MovingToMiddleInverse).Data());
  forces.Compare(&record.As<Record>()->sums, updates[0].Data(), updates[1].Data());
}

void
SynLevel::Parts::Enqueue(const SynRules & rules)
{
  const FieldShape & shape = forces.GetShape();
  const Residence &  residence = forces.GetResidence();
  auto * const       numbers = record.As<Record>();
  void * const       fixed = this->Field(SynField::FixedToMiddle).Data();
  void * const       fixedInverse = this->Field(SynField::FixedToMiddleInverse).Data();
  void * const       moving = this->Field(SynField::MovingToMiddle).Data();
  void * const       movingInverse = this->Field(SynField::MovingToMiddleInverse).Data();

  this->EnqueueForces();
  void * const fixedUpdate = updates[0].Data();
  void * const movingUpdate = updates[1].Data();
  forces.MakeUpdate(LevelImage::Fixed, fixedUpdate, rules, &numbers->maximumNorm[0]);
  forces.MakeUpdate(LevelImage::Moving, movingUpdate, rules, &numbers->maximumNorm[1]);
  if (rules.averagesMidpointGradients)
  {
    AverageMidpointFields(shape, fixedUpdate, movingUpdate, residence);
  }

  // Smooths the total fields with their updates. Then inverts them, and inverts these inverses, which are the new total
  // fields.
  forces.AddUpdate(fixedUpdate, fixed, rules);
  forces.AddUpdate(movingUpdate, moving, rules);
  const auto invert = [&](const void * field, void * inverse, std::size_t number) {
    InvertField(forces.ShapeOfNorms(),
                field,
                inverse,
                rules.inversion,
                &numbers->inversions[number],
                forces.Scratch(),
                residence);
  };
  invert(fixed, fixedInverse, 0);
  invert(fixedInverse, fixed, 1);
  invert(moving, movingInverse, 2);
  invert(movingInverse, moving, 3);
}

double
SynLevel::Compare(const SynRules & rules)
{
  m_Parts->forces.Reserve(rules);
  m_Parts->EnqueueForces();
  LevelSums sums;
  Download(&sums, &m_Parts->record.As<Record>()->sums, sizeof(sums), m_Parts->forces.GetResidence());
  const std::array<double, 2> weighted = m_Parts->forces.WeightedValuesOf(sums);
  return 0.5 * (weighted[0] + weighted[1]);
}

SynIteration
SynLevel::Iterate(const SynRules & rules)
{
  const Residence & residence = m_Parts->forces.GetResidence();
  m_Parts->forces.Reserve(rules);
  m_Parts->forces.ReserveMoments(LevelImage::Fixed, rules);
  m_Parts->forces.ReserveMoments(LevelImage::Moving, rules);
  Record                record;
  std::array<double, 2> weighted{};
  try
  {
    m_Parts->steps.Run(
      rules, m_Parts->forces, [parts = m_Parts.get()](const SynRules & kept) { parts->Enqueue(kept); });
    Download(&record, m_Parts->record.Data(), sizeof(record), residence);
    weighted = m_Parts->forces.WeightedValuesOf(record.sums);
  }
  catch (...)
  {
    m_Parts->fieldsAreValid = !m_Parts->steps.HasBegun();
    throw;
  }
  return {
    m_Parts->forces.ValuesOf(record.sums), 0.5 * (weighted[0] + weighted[1]), record.maximumNorm, record.inversions
  };
}

bool
SynLevel::HasWholeFields() const
{
  return m_Parts->fieldsAreValid;
}

void
SynLevel::GetTotalFields(void *                                forward,
                         void *                                backward,
                         ScalarType                            element,
                         FieldMemory                           memory,
                         const std::optional<FieldInversion> & inversion)
{
  const FieldShape & shape = m_Parts->forces.GetShape();
  const Residence &  residence = m_Parts->forces.GetResidence();
  const auto         compose = [&](SynField displacement, SynField warping, const ResidentArray & whole) {
    ComposeFields(
      shape, m_Parts->Field(displacement).Data(), shape, m_Parts->Field(warping).Data(), whole.Data(), residence);
  };
  const auto & [whole, inverse] = m_Parts->updates;
  const bool inverts = backward != nullptr && inversion;
  if (forward != nullptr || inverts)
  {
    compose(SynField::MovingToMiddleInverse, SynField::FixedToMiddle, whole);
  }
  if (backward != nullptr)
  {
    compose(SynField::FixedToMiddleInverse, SynField::MovingToMiddle, inverse);
  }
  if (inverts)
  {
    FieldInversionState * const state = m_Parts->record.As<Record>()->inversions.data();
    InvertField(shape, whole.Data(), inverse.Data(), *inversion, state, m_Parts->forces.Scratch(), residence);
  }
  const auto give = [&](const ResidentArray & field, void * to) {
    if (to != nullptr)
    {
      CopyFieldTo(to, element, memory, field.Data(), shape, residence);
    }
  };
  give(whole, forward);
  give(inverse, backward);
}

MemoryPlan
PlanSynLevel(const FieldShape &             shape,
             const std::vector<SynMetric> & metrics,
             const SynRules &               rules,
             ScalarType                     pixel,
             std::size_t                    imageBytes,
             std::size_t                    budget)
{
  MemoryPlan plan;
  plan.sourceBytes = imageBytes + LevelForces::CountBytes(shape, metrics, rules, pixel) + 6 * shape.Bytes();
  // The fields of the previous level, from which these are made. They are usually half as long along each axis.
  plan.outsideBytes = 4 * shape.Bytes() / 8;
  RefuseUnlessWithin(plan, budget);
  return plan;
}

OperationWork
CountSynWork(const FieldShape & shape,
             const SynRules &   rules,
             std::uint64_t      iterations,
             std::size_t        imageBytes,
             std::size_t        terms)
{
  // Numbers that an iteration reads for each sample: 2 images per term at 8 positions; 12 passes of about 9 weights
  // over vectors; 2 compositions and about 20 iterations of inversions of vectors, at 8 positions each. Splines add a
  // sample to 4 control points along 3 axes, or to all 64 at once, for two updates and two total fields.
  const double fits = (rules.updateSpline ? 2.0 : 0.0) + (rules.totalSpline ? 2.0 : 0.0);
  const double passes = rules.SmoothsBySplines() ? 0.0 : 12.0 * 9.0;
  const double taps = 2.0 * 8.0 * static_cast<double>(terms) +
                      3.0 * (passes + fits * (shape.element == ScalarType::Float64 ? 64.0 : 12.0) + 22.0 * 8);
  const auto    count = static_cast<double>(shape.grid.Count()) * static_cast<double>(iterations);
  OperationWork counts;
  counts.kind = KindOf({ static_cast<std::uint64_t>(WorkKind::Syn),
                         shape.grid.dimension,
                         static_cast<std::uint64_t>(shape.element),
                         rules.SmoothsBySplines() ? 1U : 0U });
  counts.taps = count * taps * (shape.element == ScalarType::Float64 ? 2.0 : 1.0);
  counts.samples = count;
  counts.sums = 10.0 * static_cast<double>(terms) * count;
  counts.uploadBytes = static_cast<double>(imageBytes);
  counts.downloadBytes = 4.0 * static_cast<double>(shape.Bytes());
  return counts;
}

} // namespace itk::CudaSpline
