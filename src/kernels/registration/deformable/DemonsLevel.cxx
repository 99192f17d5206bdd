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
#include "itkCudaSpline/kernels/registration/DemonsLevel.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/fields/VelocityField.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"

#include "kernels/common/MemoryBudget.h"
#include "kernels/fields/common/FieldLoopCpu.h"
#include "kernels/registration/forces/DemonsForces.h"
#include "kernels/registration/deformable/LevelField.h"
#include "kernels/registration/deformable/LevelForces.h"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

namespace itk::CudaSpline
{

double
EsmNormalizer(double squaredSpacing, double longest)
{
  return longest > 0.0 ? squaredSpacing * longest * longest : -1.0;
}

unsigned int
CountEsmSquarings(double longest)
{
  constexpr double ln2 = 0.69314718055994530942; // ITK's approximation
  const double     count = 2.0 + std::log(longest) / ln2;
  return count > 0.0 ? static_cast<unsigned int>(std::ceil(count)) : 0U;
}

DemonsRules
MakeDiffeomorphicDemons(const FieldGrid & grid, double longest, double updateVariance, double fieldVariance)
{
  const auto smoothing = [&grid](double variance) -> std::optional<FieldSmoothing> {
    if (!(variance > 0.0))
    {
      return std::nullopt;
    }
    // Error and width are those of itk::PDEDeformableRegistrationFilter. The border is smoothed like the other samples.
    FieldSmoothing made = MakeFieldSmoothing(grid, variance, 0.1, 30);
    made.blends = false;
    return made;
  };
  double squares = 0.0;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    squares += grid.spacing[d] * grid.spacing[d];
  }
  DemonsRules rules;
  rules.force = DemonsForce::Esm;
  rules.gradient = DemonsGradient::Symmetric;
  rules.update = DemonsUpdate::Exponential;
  rules.squarings = CountEsmSquarings(longest);
  rules.normalizer = EsmNormalizer(squares / grid.dimension, longest);
  rules.updateSmoothing = smoothing(updateVariance);
  rules.fieldSmoothing = smoothing(fieldVariance);
  rules.smoothsFieldFirst = false;
  return rules;
}

/** Images, field, and intermediate results of an iteration. */
struct DemonsLevel::Parts
{
  FieldShape                   shape;
  DemonsRules                  rules;
  Residence                    residence;
  SynSide                      fixed;
  SynSide                      moving;
  std::shared_ptr<LevelFields> fields;       ///< one field
  ResidentArray                fixedInside;  ///< the mask of the fixed image on the grid; empty if there is none
  ResidentArray                movingInside; ///< the mask of the moved moving image; empty if there is none
  ResidentArray                warped;       ///< the moving image on the grid
  ResidentArray                update;
  ResidentArray                scratch; ///< for smoothing and exponentials
  ResidentArray                before;  ///< a field before smoothing; the exponential
  ResidentArray                terms;   ///< DemonsIteration for each sample
  ResidentArray                sums;    ///< for rows and planes
  ResidentArray                record;  ///< totals that an iteration writes
  std::optional<RepeatedSteps> steps;

  LevelField &
  Field() const
  {
    return (*fields)[0];
  }
  void
  MoveFixed();
  void
  Enqueue();
  void
  Smooth(const std::optional<FieldSmoothing> & smoothing, void * vectors);
  void
  FindForces();
  void
  Apply();
};

DemonsLevel::DemonsLevel(const FieldShape &  shape,
                         SynSide             fixed,
                         SynSide             moving,
                         const DemonsRules & rules,
                         const Residence &   residence)
{
  CheckSide(fixed, shape, fixed.image.pixel);
  CheckSide(moving, shape, fixed.image.pixel);
  const bool isSymmetric = rules.force == DemonsForce::Symmetric;
  if (isSymmetric && (fixed.mask.data != nullptr || moving.mask.data != nullptr))
  {
    throw std::invalid_argument("Symmetric forces of demons do not support masks.");
  }
  if ((isSymmetric || rules.gradient == DemonsGradient::MappedMoving) && !moving.stages.empty())
  {
    throw std::invalid_argument("Symmetric forces of demons, and those with gradients of the mapped moving image, do "
                                "not support an initial transform.");
  }
  const auto count = static_cast<std::size_t>(shape.grid.Count());
  const auto pixels = count * SizeOf(fixed.image.pixel);
  const auto masks = [&](const SynSide & side) { return side.mask.data != nullptr ? count : 0; };
  const auto ofFixed = masks(fixed);
  const auto ofMoving = masks(moving);
  const auto array = [&](std::size_t bytes) { return ResidentArray(bytes, residence); };
  m_Parts.reset(new Parts{ shape,
                           rules,
                           residence,
                           std::move(fixed),
                           std::move(moving),
                           std::make_shared<LevelFields>(1, shape, residence),
                           array(ofFixed),
                           array(ofMoving),
                           array(pixels),
                           array(shape.Bytes()),
                           array(shape.Bytes()),
                           array(shape.Bytes()),
                           array(count * sizeof(DemonsIteration)),
                           array(CountOrderedSums(shape.grid) * sizeof(DemonsIteration)),
                           array(sizeof(DemonsIteration)),
                           std::nullopt });
  m_Parts->MoveFixed();
  m_Parts->steps.emplace([parts = m_Parts.get()] { parts->Enqueue(); });
}

DemonsLevel::~DemonsLevel() = default;

void
DemonsLevel::SetField(const void * vectors, ScalarType element)
{
  m_Parts->Field().Set(vectors, element);
}

void
DemonsLevel::GetField(void * vectors, ScalarType element, FieldMemory memory) const
{
  CopyFieldTo(vectors, element, memory, m_Parts->Field().Data(), m_Parts->shape, m_Parts->residence);
}

void
DemonsLevel::Clear()
{
  m_Parts->fields->Clear();
}

void
DemonsLevel::AdaptFrom(const LevelFields & coarser)
{
  m_Parts->fields->AdaptFrom(coarser);
}

std::shared_ptr<const LevelFields>
DemonsLevel::GetFields() const
{
  return m_Parts->fields;
}

FieldInversionState
DemonsLevel::GetInverse(const FieldInversion & rules, void * vectors, ScalarType element, FieldMemory memory)
{
  const Residence &   residence = m_Parts->residence;
  const ResidentArray state(sizeof(FieldInversionState), residence);
  const ResidentArray inversion(CountInversionScratch(m_Parts->shape), residence);
  return m_Parts->Field().GetInverse(
    rules, m_Parts->before.Data(), state.As<FieldInversionState>(), inversion.Data(), vectors, element, memory);
}

/** The fixed image is interpolated once, because it does not move. */
void
DemonsLevel::Parts::MoveFixed()
{
  const ImageWarp warp = DescribeMove(fixed, shape, nullptr);
  MoveMask(fixed, warp, fixedInside.Data(), residence);
  if (!(fixed.image.grid == shape.grid) || !fixed.stages.empty())
  {
    const auto moved = std::make_shared<ResidentArray>(warped.Bytes(), residence);
    WarpImage(warp, fixed.image.data.get(), moved->Data(), residence);
    fixed.image.grid = shape.grid;
    fixed.image.data = std::shared_ptr<const void>(moved, moved->Data());
  }
}

void
DemonsLevel::Parts::Smooth(const std::optional<FieldSmoothing> & smoothing, void * vectors)
{
  if (smoothing)
  {
    CopyResident(before.Data(), vectors, shape.Bytes(), residence);
    SmoothField(shape, before.Data(), *smoothing, vectors, scratch.Data(), residence);
  }
}

void
DemonsLevel::Parts::FindForces()
{
  ImageWarp warp = DescribeMove(moving, shape, this->Field().Data());
  warp.largestOutside = rules.force != DemonsForce::Symmetric;
  WarpImage(warp, moving.image.data.get(), warped.Data(), residence);
  MoveMask(moving, warp, movingInside.Data(), residence);
  const DemonsArrays arrays{ shape,
                             &fixed.image,
                             &moving.image,
                             warped.Data(),
                             fixedInside.As<std::uint8_t>(),
                             movingInside.As<std::uint8_t>(),
                             this->Field().Data(),
                             update.Data(),
                             terms.As<DemonsIteration>(),
                             sums.As<DemonsIteration>(),
                             record.As<DemonsIteration>() };
  if (residence.IsOnDevice())
  {
    WalkDemonsForcesOnCuda(rules, arrays, residence);
    return;
  }
  WalkDemonsForces(rules, arrays, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

void
DemonsLevel::Parts::Apply()
{
  if (rules.update == DemonsUpdate::Exponential)
  {
    ExponentiateField(shape, update.Data(), rules.squarings, false, before.Data(), scratch.Data(), residence);
    ComposeFieldsBeyond(shape, this->Field().Data(), before.Data(), scratch.Data(), residence);
    CopyResident(this->Field().Data(), scratch.Data(), shape.Bytes(), residence);
  }
  else if (residence.IsOnDevice())
  {
    WalkFieldSumOnCuda(shape, update.Data(), this->Field().Data(), residence);
  }
  else
  {
    WalkFieldSum(shape, update.Data(), this->Field().Data(), [&](const auto & body) {
      ForEachSampleOnCpu(body.walk, residence, body);
    });
  }
}

void
DemonsLevel::Parts::Enqueue()
{
  if (rules.smoothsFieldFirst)
  {
    this->Smooth(rules.fieldSmoothing, this->Field().Data());
  }
  this->FindForces();
  this->Smooth(rules.updateSmoothing, update.Data());
  this->Apply();
  if (!rules.smoothsFieldFirst)
  {
    this->Smooth(rules.fieldSmoothing, this->Field().Data());
  }
}

DemonsIteration
DemonsLevel::Compare()
{
  m_Parts->FindForces();
  DemonsIteration found;
  Download(&found, m_Parts->record.Data(), sizeof(found), m_Parts->residence);
  return found;
}

DemonsIteration
DemonsLevel::Iterate()
{
  m_Parts->steps->Run(m_Parts->residence);
  DemonsIteration iteration;
  Download(&iteration, m_Parts->record.Data(), sizeof(iteration), m_Parts->residence);
  return iteration;
}

MemoryPlan
PlanDemonsLevel(const FieldShape & shape, ScalarType pixel, std::size_t imageBytes, std::size_t budget)
{
  const auto count = static_cast<std::size_t>(shape.grid.Count());
  MemoryPlan plan;
  // In addition to fields and sums: the moving image on the grid, the fixed one, and both masks.
  plan.sourceBytes = imageBytes + 4 * shape.Bytes() + count * (2 * SizeOf(pixel) + 2 + sizeof(DemonsIteration)) +
                     CountOrderedSums(shape.grid) * sizeof(DemonsIteration);
  RefuseUnlessWithin(plan, budget);
  return plan;
}

OperationWork
CountDemonsWork(const FieldShape & shape, const DemonsRules & rules, std::uint64_t iterations, std::size_t imageBytes)
{
  // Numbers that an iteration reads for each sample: two images at 8 positions and 6 neighbours; passes of weights over
  // vectors; squarings and a composition of vectors, at 8 positions each.
  double weights = 0.0;
  for (const auto * const smoothing : { &rules.updateSmoothing, &rules.fieldSmoothing })
  {
    for (unsigned int d = 0; *smoothing && d < shape.grid.dimension; ++d)
    {
      weights += static_cast<double>((*smoothing)->weights[d].size());
    }
  }
  const double            compositions = rules.update == DemonsUpdate::Exponential ? rules.squarings + 1.0 : 0.0;
  const double            taps = 2.0 * (8.0 + 6.0) + 3.0 * (weights + 8.0 * compositions);
  const double            count = static_cast<double>(shape.grid.Count()) * static_cast<double>(iterations);
  OperationWork           counts;
  constexpr std::uint64_t afterSyn = 2; // SyN uses 0 and 1 as the last number
  counts.kind = KindOf({ static_cast<std::uint64_t>(WorkKind::Syn),
                         shape.grid.dimension,
                         static_cast<std::uint64_t>(shape.element),
                         afterSyn + static_cast<std::uint64_t>(rules.force) });
  counts.taps = count * taps * (shape.element == ScalarType::Float64 ? 2.0 : 1.0);
  counts.samples = count;
  counts.sums = 3.0 * count;
  counts.uploadBytes = static_cast<double>(imageBytes);
  counts.downloadBytes = static_cast<double>(shape.Bytes());
  return counts;
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WalkDemonsForcesOnCuda(const DemonsRules &, const DemonsArrays &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
WalkFieldSumOnCuda(const FieldShape &, const void *, void *, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
