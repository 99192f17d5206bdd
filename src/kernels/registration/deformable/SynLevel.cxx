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

constexpr std::size_t Fields = 4;
constexpr std::size_t PagedSlots = 2; // a step uses at most two of the fields and updates

std::shared_ptr<LevelFields>
MakeFields(const FieldShape & shape, LevelMemory memory, const Residence & residence)
{
  return memory == LevelMemory::Paged ? std::make_shared<LevelFields>(Fields, 2, PagedSlots, shape, residence)
                                      : std::make_shared<LevelFields>(Fields, shape, residence);
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
  /** Vectors of two fields that a step uses. */
  std::array<void *, 2>
  Use(SynField first, PageUse ofFirst, SynField second, PageUse ofSecond) const
  {
    return fields->GetPages().Use(
      { { static_cast<std::size_t>(first), ofFirst }, { static_cast<std::size_t>(second), ofSecond } });
  }
  /** Number of an update among the pages. Both have the same one if forces are computed in one direction after the
   * other. */
  std::size_t
  UpdatePage(LevelImage image) const
  {
    return Fields + (image == LevelImage::Moving && !forces.IsByDirection() ? 1 : 0);
  }
  void *
  Update(LevelImage image, PageUse use) const
  {
    return forces.IsPaged() ? fields->GetPages().Use({ { this->UpdatePage(image), use } })[0] : forces.Update(image);
  }
  std::array<void *, 2>
  Updates(PageUse use) const
  {
    if (!forces.IsPaged())
    {
      return { { forces.Update(LevelImage::Fixed), forces.Update(LevelImage::Moving) } };
    }
    return fields->GetPages().Use(
      { { this->UpdatePage(LevelImage::Fixed), use }, { this->UpdatePage(LevelImage::Moving), use } });
  }
  /** Adds an update to its total field. The update is not needed afterwards. */
  void
  AddUpdate(LevelImage image, SynField total, const SynRules & rules);
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
                       MakeFields(shape, memory, residence),
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
  forces.MoveFixed(this->Field(SynField::FixedToMiddleInverse).Data(PageUse::Read));
  forces.MoveMoving(this->Field(SynField::MovingToMiddleInverse).Data(PageUse::Read));
}

void
SynLevel::Parts::AddUpdate(LevelImage image, SynField total, const SynRules & rules)
{
  if (!forces.IsPaged())
  {
    forces.AddUpdate(forces.Update(image), this->Field(total).Data(), rules);
    return;
  }
  const std::size_t page = this->UpdatePage(image);
  const auto [update, field] =
    fields->GetPages().Use({ { page, PageUse::Read }, { static_cast<std::size_t>(total), PageUse::Change } });
  forces.AddUpdate(update, field, rules);
  fields->GetPages().Drop(page);
}

void
SynLevel::Parts::Enqueue(const SynRules & rules)
{
  auto * const      numbers = record.As<Record>();
  LevelSums * const sums = &numbers->sums;
  const auto        makeUpdate = [&](LevelImage image) {
    void * const update = this->Update(image, PageUse::Change);
    forces.MakeUpdate(image, update, rules, &numbers->maximumNorm[static_cast<std::size_t>(image)]);
  };

  // As in ITK, the fixed field is updated with the force on the moving image, and vice versa. Total fields with their
  // updates are smoothed.
  this->MoveImages();
  if (forces.IsByDirection()) // both updates are in the same memory
  {
    forces.Compare(sums, this->Update(LevelImage::Fixed, PageUse::Overwrite), nullptr);
    makeUpdate(LevelImage::Fixed);
    this->AddUpdate(LevelImage::Fixed, SynField::FixedToMiddle, rules);
    forces.Compare(sums, nullptr, this->Update(LevelImage::Moving, PageUse::Overwrite));
    makeUpdate(LevelImage::Moving);
    this->AddUpdate(LevelImage::Moving, SynField::MovingToMiddle, rules);
  }
  else
  {
    const auto [fixedForce, movingForce] = this->Updates(PageUse::Overwrite);
    forces.Compare(sums, fixedForce, movingForce);
    makeUpdate(LevelImage::Fixed);
    makeUpdate(LevelImage::Moving);
    if (rules.averagesMidpointGradients)
    {
      const auto [fixedUpdate, movingUpdate] = this->Updates(PageUse::Change);
      AverageMidpointFields(forces.GetShape(), fixedUpdate, movingUpdate, forces.GetResidence());
    }
    this->AddUpdate(LevelImage::Fixed, SynField::FixedToMiddle, rules);
    this->AddUpdate(LevelImage::Moving, SynField::MovingToMiddle, rules);
  }

  // Inverts the total fields, and inverts these inverses, which are the new total fields. The fields that the next
  // iteration reads first are inverted last.
  const auto invert = [&](SynField from, SynField to, std::size_t number) {
    const auto [field, inverse] = this->Use(from, PageUse::Read, to, PageUse::Change);
    InvertField(forces.ShapeOfNorms(),
                field,
                inverse,
                rules.inversion,
                &numbers->inversions[number],
                forces.Whole(),
                forces.GetResidence());
  };
  invert(SynField::MovingToMiddle, SynField::MovingToMiddleInverse, 2);
  invert(SynField::MovingToMiddleInverse, SynField::MovingToMiddle, 3);
  invert(SynField::FixedToMiddle, SynField::FixedToMiddleInverse, 0);
  invert(SynField::FixedToMiddleInverse, SynField::FixedToMiddle, 1);
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
    forces.Compare(numbers, m_Parts->Update(LevelImage::Fixed, PageUse::Overwrite), nullptr);
  }
  else
  {
    const auto [fixedForce, movingForce] = m_Parts->Updates(PageUse::Overwrite);
    forces.Compare(numbers, fixedForce, movingForce);
  }
  if (forces.IsPaged()) // forces are not needed
  {
    m_Parts->fields->GetPages().Drop(m_Parts->UpdatePage(LevelImage::Fixed));
    m_Parts->fields->GetPages().Drop(m_Parts->UpdatePage(LevelImage::Moving));
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
    const auto [outer, inner] = m_Parts->Use(displacement, PageUse::Read, warping, PageUse::Read);
    ComposeFields(shape, outer, shape, inner, whole, residence);
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
  const std::size_t own = (setup.IsPaged() ? PagedSlots : Fields) * setup.shape.Bytes() + sizeof(Record);
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
