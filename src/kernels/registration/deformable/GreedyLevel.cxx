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
#include "itkCudaSpline/kernels/registration/GreedyLevel.h"

#include "kernels/registration/deformable/LevelField.h"
#include "kernels/registration/deformable/LevelForces.h"
#include "kernels/registration/spline/FieldEnergy.h"

#include <utility>

namespace itk::CudaSpline
{

namespace
{
/** Results of an iteration and an inversion, in the memory of the backend. */
struct Record
{
  LevelSums           sums;
  double              maximumNorm{ 0.0 };
  FieldInversionState inversion;
};

/** Fixed images are warped once, because they do not move. */
LevelUse
OfGreedy(LevelMemory memory)
{
  return { 1, 1, true, memory };
}
} // namespace

/** Field, force and steps. */
struct GreedyLevel::Parts
{
  LevelForces                  forces;
  std::shared_ptr<LevelFields> fields; ///< one field
  ResidentArray                record;
  FieldEnergy                  energy; ///< of the field
  RuledSteps                   steps;

  LevelField &
  Field() const
  {
    return (*fields)[0];
  }
  /** Allocates the memory of rules, and warps the fixed images, which do not move, unless they are there. */
  void
  Reserve(const SynRules & rules);
  void
  Enqueue(const SynRules & rules);
  /** Returns the metric plus the energies. */
  double
  ValueOf(const LevelSums & sums) const
  {
    return forces.WeightedValuesOf(sums)[0] + energy.GetValue();
  }
};

GreedyLevel::GreedyLevel(const FieldShape & shape,
                         SynSide            fixed,
                         SynSide            moving,
                         const SynMetric &  metric,
                         const Residence &  residence)
  : GreedyLevel(shape, MakeTerms(std::move(fixed), std::move(moving), metric), residence)
{}

GreedyLevel::GreedyLevel(const FieldShape &     shape,
                         std::vector<SynTerm>   terms,
                         const Residence &      residence,
                         const LandmarkTerm &   landmarks,
                         const SlidingRegions & regions,
                         const Regularizers &   regularizers,
                         LevelMemory            memory)
  : m_Parts(new Parts{ LevelForces(shape, std::move(terms), landmarks, residence, OfGreedy(memory), regions),
                       std::make_shared<LevelFields>(1, shape, residence),
                       ResidentArray(sizeof(Record), residence),
                       FieldEnergy(shape, regularizers, residence),
                       RuledSteps() })
{
  ClearResident(m_Parts->record.Data(), sizeof(Record), residence);
}

GreedyLevel::~GreedyLevel() = default;

void
GreedyLevel::SetField(const void * vectors, ScalarType element)
{
  m_Parts->Field().Set(vectors, element);
}

void
GreedyLevel::GetField(void * vectors, ScalarType element, FieldMemory memory) const
{
  const LevelForces & forces = m_Parts->forces;
  CopyFieldTo(vectors, element, memory, m_Parts->Field().Data(), forces.GetShape(), forces.GetResidence());
}

void
GreedyLevel::Clear()
{
  m_Parts->fields->Clear();
}

void
GreedyLevel::AdaptFrom(const LevelFields & coarser)
{
  m_Parts->fields->AdaptFrom(coarser, &m_Parts->forces.GetRegions());
}

std::shared_ptr<const LevelFields>
GreedyLevel::GetFields() const
{
  return m_Parts->fields;
}

void
GreedyLevel::Parts::Reserve(const SynRules & rules)
{
  forces.Reserve(rules);
  if (!forces.HasMovedFixed())
  {
    forces.MoveFixed(nullptr);
  }
}

void
GreedyLevel::Parts::Enqueue(const SynRules & rules)
{
  auto * const numbers = record.As<Record>();
  void * const field = this->Field().Data();
  void * const update = forces.Update(LevelImage::Fixed); // the force, then the composed field
  forces.MoveMoving(field);
  forces.Compare(&numbers->sums, update, nullptr);
  energy.Add(field, update, forces.FindCount(&numbers->sums));
  forces.MakeUpdate(LevelImage::Fixed, update, rules, &numbers->maximumNorm);
  forces.Compose(field, update);
  forces.Limit(field, update, rules.determinantLimit);
  forces.Smooth(update, nullptr, LevelSmoothing::OfTotals(rules), field);
}

double
GreedyLevel::Compare(const SynRules & rules)
{
  m_Parts->Reserve(rules);
  m_Parts->forces.MoveMoving(m_Parts->Field().Data());
  LevelSums * const numbers = &m_Parts->record.As<Record>()->sums;
  m_Parts->forces.Compare(numbers, m_Parts->forces.Update(LevelImage::Fixed), nullptr);
  m_Parts->energy.Add(m_Parts->Field().Data(), nullptr, nullptr);
  LevelSums sums;
  Download(&sums, numbers, sizeof(sums), m_Parts->forces.GetResidence());
  return m_Parts->ValueOf(sums);
}

GreedyIteration
GreedyLevel::Iterate(const SynRules & rules)
{
  const Residence & residence = m_Parts->forces.GetResidence();
  m_Parts->Reserve(rules);
  m_Parts->forces.ReserveMoments(LevelImage::Fixed, rules);
  m_Parts->steps.Run(rules, m_Parts->forces, [parts = m_Parts.get()](const SynRules & kept) { parts->Enqueue(kept); });
  Record record;
  Download(&record, m_Parts->record.Data(), sizeof(record), residence);
  GreedyIteration iteration;
  iteration.value = m_Parts->ValueOf(record.sums);
  iteration.maximumNorm = record.maximumNorm;
  return iteration;
}

FieldInversionState
GreedyLevel::GetInverse(const FieldInversion & rules, void * vectors, ScalarType element, FieldMemory memory)
{
  LevelForces &      forces = m_Parts->forces;
  const FieldShape & shape = forces.GetShape();
  const bool         isDirect = IsFieldWrittenTo(element, memory, shape, forces.GetResidence());
  const std::size_t  ofInverse = isDirect ? 0 : AlignBytes(shape.Bytes());
  auto * const borrowed = static_cast<char *>(forces.Borrow(ofInverse + CountInversionBytes(shape, rules.method)));
  return m_Parts->Field().GetInverse(rules,
                                     isDirect ? vectors : borrowed,
                                     &m_Parts->record.As<Record>()->inversion,
                                     borrowed + ofInverse,
                                     vectors,
                                     element,
                                     memory);
}

LevelBytes
CountGreedyBytes(LevelSetup setup, const SynRules & rules)
{
  setup.use = OfGreedy(setup.use.memory);
  const std::size_t atEnd = AlignBytes(setup.shape.Bytes()) + CountInversionBytes(setup.shape, rules.inversion.method);
  const std::size_t own = setup.shape.Bytes() + sizeof(Record);
  return { own + LevelForces::CountBytes(setup, rules), own + LevelForces::CountBytes(setup, rules, atEnd) };
}

} // namespace itk::CudaSpline
