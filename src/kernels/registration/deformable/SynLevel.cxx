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

LevelUse
OfSyn(LevelMemory memory)
{
  return { 1, 2, false, memory };
}
} // namespace

/** Fields, forces and steps. */
struct SynLevel::Parts
{
  LevelForces                  forces;
  std::shared_ptr<LevelFields> fields; ///< indexed by SynField
  ResidentArray                record;
  RuledSteps                   steps;
  bool                         fieldsAreValid{ true }; ///< whether the total fields are valid

  LevelField &
  Field(SynField which) const
  {
    return (*fields)[static_cast<std::size_t>(which)];
  }
  void
  MoveImages();
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
                   const LandmarkTerm & landmarks,
                   LevelMemory          memory)
  : m_Parts(new Parts{ LevelForces(shape, std::move(terms), landmarks, residence, OfSyn(memory)),
                       std::make_shared<LevelFields>(4, shape, residence),
                       ResidentArray(sizeof(Record), residence),
                       RuledSteps() })
{
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

/** Moves both images to the middle. */
void
SynLevel::Parts::MoveImages()
{
  forces.MoveFixed(this->Field(SynField::FixedToMiddleInverse).Data());
  forces.MoveMoving(this->Field(SynField::MovingToMiddleInverse).Data());
}

void
SynLevel::Parts::Enqueue(const SynRules & rules)
{
  auto * const      numbers = record.As<Record>();
  LevelSums * const sums = &numbers->sums;
  void * const      fixed = this->Field(SynField::FixedToMiddle).Data();
  void * const      fixedInverse = this->Field(SynField::FixedToMiddleInverse).Data();
  void * const      moving = this->Field(SynField::MovingToMiddle).Data();
  void * const      movingInverse = this->Field(SynField::MovingToMiddleInverse).Data();
  void * const      fixedUpdate = forces.Update(LevelImage::Fixed);
  void * const      movingUpdate = forces.Update(LevelImage::Moving);
  const auto        makeUpdate = [&](LevelImage image, void * update) {
    forces.MakeUpdate(image, update, rules, &numbers->maximumNorm[static_cast<std::size_t>(image)]);
  };

  // As in ITK, the fixed field is updated with the force on the moving image, and vice versa. Total fields with their
  // updates are smoothed.
  this->MoveImages();
  if (forces.IsByDirection()) // both updates are in the same memory
  {
    forces.Compare(sums, fixedUpdate, nullptr);
    makeUpdate(LevelImage::Fixed, fixedUpdate);
    forces.AddUpdate(fixedUpdate, fixed, rules);
    forces.Compare(sums, nullptr, movingUpdate);
    makeUpdate(LevelImage::Moving, movingUpdate);
    forces.AddUpdate(movingUpdate, moving, rules);
  }
  else
  {
    forces.Compare(sums, fixedUpdate, movingUpdate);
    makeUpdate(LevelImage::Fixed, fixedUpdate);
    makeUpdate(LevelImage::Moving, movingUpdate);
    if (rules.averagesMidpointGradients)
    {
      AverageMidpointFields(forces.GetShape(), fixedUpdate, movingUpdate, forces.GetResidence());
    }
    forces.AddUpdate(fixedUpdate, fixed, rules);
    forces.AddUpdate(movingUpdate, moving, rules);
  }

  // Inverts the total fields, and inverts these inverses, which are the new total fields.
  const auto invert = [&](const void * field, void * inverse, std::size_t number) {
    InvertField(forces.ShapeOfNorms(),
                field,
                inverse,
                rules.inversion,
                &numbers->inversions[number],
                forces.Whole(),
                forces.GetResidence());
  };
  invert(fixed, fixedInverse, 0);
  invert(fixedInverse, fixed, 1);
  invert(moving, movingInverse, 2);
  invert(movingInverse, moving, 3);
}

double
SynLevel::Compare(const SynRules & rules)
{
  LevelForces & forces = m_Parts->forces;
  forces.Reserve(rules);
  m_Parts->MoveImages();
  LevelSums * const numbers = &m_Parts->record.As<Record>()->sums;
  if (forces.IsByDirection())
  {
    forces.Compare(numbers, forces.Update(LevelImage::Fixed), nullptr);
  }
  else
  {
    forces.Compare(numbers, forces.Update(LevelImage::Fixed), forces.Update(LevelImage::Moving));
  }
  LevelSums sums;
  Download(&sums, numbers, sizeof(sums), forces.GetResidence());
  const std::array<double, 2> weighted = forces.WeightedValuesOf(sums);
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
  LevelForces &      forces = m_Parts->forces;
  const FieldShape & shape = forces.GetShape();
  const Residence &  residence = forces.GetResidence();
  const bool         inverts = backward != nullptr && inversion;
  const bool         isDirect = IsFieldWrittenTo(element, memory, shape, residence);
  const std::size_t  field = AlignBytes(shape.Bytes());
  // Without an inversion one field is written after the other, in the same memory.
  const auto        needsField = [&](const void * to) { return to == nullptr || !isDirect; };
  const std::size_t ofForward = inverts && needsField(forward) ? field : 0;
  const std::size_t ofBoth = ofForward + (isDirect ? 0 : field);
  auto * const      borrowed =
    static_cast<char *>(forces.Borrow(ofBoth + (inverts ? CountInversionBytes(shape, inversion->method) : 0)));
  const auto compose = [&](SynField displacement, SynField warping, void * to, std::size_t offset) {
    void * const whole = needsField(to) ? borrowed + offset : to;
    ComposeFields(shape, m_Parts->Field(displacement).Data(), shape, m_Parts->Field(warping).Data(), whole, residence);
    return whole;
  };
  const auto give = [&](const void * from, void * to) {
    if (to != nullptr && from != to)
    {
      CopyFieldTo(to, element, memory, from, shape, residence);
    }
  };
  const void * whole = nullptr;
  if (forward != nullptr || inverts)
  {
    whole = compose(SynField::MovingToMiddleInverse, SynField::FixedToMiddle, forward, 0);
    give(whole, forward);
  }
  if (backward != nullptr)
  {
    void * const inverse = compose(SynField::FixedToMiddleInverse, SynField::MovingToMiddle, backward, ofForward);
    if (inverts)
    {
      FieldInversionState * const state = m_Parts->record.As<Record>()->inversions.data();
      InvertField(shape, whole, inverse, *inversion, state, borrowed + ofBoth, residence);
    }
    give(inverse, backward);
  }
}

MemoryPlan
PlanSynLevel(const FieldShape &             shape,
             const std::vector<SynMetric> & metrics,
             const SynRules &               rules,
             ScalarType                     pixel,
             std::size_t                    imageBytes,
             std::size_t                    budget)
{
  LevelSetup setup;
  setup.shape = shape;
  setup.metrics = metrics;
  setup.pixel = pixel;
  setup.hasConfidence = rules.updateSpline.has_value();
  setup.hasMasks = true;
  MemoryPlan plan;
  plan.sourceBytes = imageBytes + CountSynBytes(setup, rules).atEnd;
  // The fields of the previous level, from which these are made. They are usually half as long along each axis.
  plan.outsideBytes = 4 * shape.Bytes() / 8;
  RefuseUnlessWithin(plan, budget);
  return plan;
}

LevelBytes
CountSynBytes(LevelSetup setup, const SynRules & rules)
{
  setup.use = OfSyn(setup.use.memory);
  const bool        inverts = rules.inversion.method == InversionMethod::Anderson;
  const std::size_t field = AlignBytes(setup.shape.Bytes());
  const std::size_t atEnd = inverts ? 2 * field + CountInversionBytes(setup.shape, rules.inversion.method) : field;
  const std::size_t own = 4 * setup.shape.Bytes() + sizeof(Record);
  return { own + LevelForces::CountBytes(setup, rules), own + LevelForces::CountBytes(setup, rules, atEnd) };
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
