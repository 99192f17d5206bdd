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
#include "itkCudaSpline/kernels/fields/HostFields.h"
#include "itkCudaSpline/device/Device.h"

#include "kernels/common/MemoryBudget.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace itk::CudaSpline
{

namespace
{

/** Returns whether a field is in memory that is accessible to the steps of a residence. */
bool
IsThere(const void * field, const Residence & residence)
{
  return !residence.IsOnDevice() || DeviceOfPointer(field) == residence.GetContext().device;
}

/** A field in the memory of a residence. It is a copy if the field is elsewhere. */
class Visitor
{
public:
  /** An input, which is uploaded to a device. */
  Visitor(const void * field, std::size_t bytes, const Residence & residence)
    : m_IsThere(IsThere(field, residence))
    , m_Array(m_IsThere ? ResidentArray() : ResidentArray(bytes, residence))
    , m_Data(m_IsThere ? const_cast<void *>(field) : m_Array.Data()) // inputs are not written
  {
    if (!m_IsThere)
    {
      Upload(m_Data, field, bytes, residence);
    }
  }
  /** An output, which is memory of a device. */
  Visitor(void * field, std::size_t bytes, const Residence & residence)
    : m_IsThere(IsThere(field, residence))
    , m_Array(m_IsThere ? ResidentArray() : ResidentArray(bytes, residence))
    , m_Data(m_IsThere ? field : m_Array.Data())
    , m_Host(field)
    , m_Bytes(bytes)
  {}

  void *
  Data() const
  {
    return m_Data;
  }

  /** Copies an output to the host. */
  void
  Return(const Residence & residence) const
  {
    if (m_IsThere)
    {
      residence.Wait();
      return;
    }
    Download(m_Host, m_Data, m_Bytes, residence);
  }

private:
  bool          m_IsThere;
  ResidentArray m_Array;
  void *        m_Data{ nullptr };
  void *        m_Host{ nullptr };
  std::size_t   m_Bytes{ 0 };
};

/** Returns the number of elements of FieldSplineFit::places. */
std::size_t
CountPlaces(const FieldGrid & grid, const FieldSplineFit & fit)
{
  std::int64_t numbers = fit.placesAreByAxis ? 0 : grid.Count() * grid.dimension;
  for (unsigned int d = 0; d < grid.dimension && fit.placesAreByAxis; ++d)
  {
    numbers += grid.size[d];
  }
  return static_cast<std::size_t>(numbers);
}

/** Returns the number of elements of a spline. */
std::size_t
CountLattice(const FieldGrid & grid, const FieldSplineFit & fit)
{
  std::int64_t numbers = grid.dimension;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    numbers *= fit.controlPoints[d];
  }
  return static_cast<std::size_t>(numbers);
}

/** Returns the number of terms for each number of the result, except for those that all operations of a kind share. */
double
CountTerms(const HostFieldCall & call)
{
  const double corners = call.shape.grid.dimension == 2 ? 4.0 : 8.0;
  switch (call.kind)
  {
    case HostFieldCall::Kind::Jacobian:
      return 2.0;
    case HostFieldCall::Kind::SplineByAxes: // four control points along an axis, in both directions
      return 4.0 * call.shape.grid.dimension * 2.0;
    case HostFieldCall::Kind::SplineByPoints: // all control points of the support of a sample
      return corners * corners;
    default:
      return corners;
  }
}
} // namespace

OperationWork
CountHostFieldWork(const HostFieldCall & call)
{
  const double  numbers = static_cast<double>(call.shape.Numbers());
  OperationWork work;
  work.kind = KindOf({ static_cast<std::uint64_t>(WorkKind::Fields),
                       static_cast<std::uint64_t>(call.kind),
                       call.shape.grid.dimension,
                       static_cast<std::uint64_t>(call.shape.element) });
  work.samples = static_cast<double>(call.shape.grid.Count()) * call.repeats;
  work.taps = numbers * call.repeats * CountTerms(call) * static_cast<double>(SizeOf(call.shape.element)) /
              static_cast<double>(sizeof(float));
  work.uploadBytes = static_cast<double>(call.uploadBytes);
  work.downloadBytes = static_cast<double>(call.outputBytes);
  return work;
}

MemoryPlan
PlanHostField(const HostFieldCall & call, std::size_t budget)
{
  MemoryPlan plan;
  plan.sourceBytes = call.uploadBytes;
  plan.tableBytes = call.outputBytes + call.scratchBytes;
  RefuseUnlessWithin(plan, budget);
  return plan;
}

void
ComposeHostFields(const FieldShape &       displacementShape,
                  const void *             displacement,
                  const FieldShape &       warpingShape,
                  const void *             warping,
                  void *                   output,
                  const ExecutionContext & context)
{
  context.Report(0.0);
  const Residence residence(context);
  const Visitor   first(displacement, displacementShape.Bytes(), residence);
  const Visitor   second(warping, warpingShape.Bytes(), residence);
  const Visitor   result(output, warpingShape.Bytes(), residence);
  ComposeFields(displacementShape, first.Data(), warpingShape, second.Data(), result.Data(), residence);
  result.Return(residence);
  context.Report(1.0);
}

FieldInversionState
InvertHostField(const FieldShape &       shape,
                const void *             field,
                const void *             estimate,
                void *                   inverse,
                const FieldInversion &   rules,
                const ExecutionContext & context)
{
  context.Report(0.0);
  const Residence     residence(context);
  const Visitor       input(field, shape.Bytes(), residence);
  const Visitor       result(inverse, shape.Bytes(), residence);
  const ResidentArray state(sizeof(FieldInversionState), residence);
  const ResidentArray scratch(CountInversionScratch(shape), residence);
  if (estimate != nullptr)
  {
    const Visitor first(estimate, shape.Bytes(), residence);
    CopyResident(result.Data(), first.Data(), shape.Bytes(), residence);
  }
  else
  {
    ClearResident(result.Data(), shape.Bytes(), residence);
  }
  InvertField(shape, input.Data(), result.Data(), rules, state.As<FieldInversionState>(), scratch.Data(), residence);
  FieldInversionState came;
  Download(&came, state.Data(), sizeof(came), residence);
  result.Return(residence);
  context.Report(1.0);
  return came;
}

void
ExponentiateHostField(const FieldShape &       shape,
                      const void *             velocity,
                      unsigned int             squarings,
                      bool                     inverse,
                      void *                   output,
                      const ExecutionContext & context)
{
  context.Report(0.0);
  const Residence     residence(context);
  const Visitor       input(velocity, shape.Bytes(), residence);
  const Visitor       result(output, shape.Bytes(), residence);
  const ResidentArray scratch(squarings > 0 ? shape.Bytes() : 0, residence);
  ExponentiateField(shape, input.Data(), squarings, inverse, result.Data(), scratch.Data(), residence);
  result.Return(residence);
  context.Report(1.0);
}

void
FindHostJacobianDeterminants(const FieldShape &       shape,
                             const void *             field,
                             const FieldDerivatives & derivatives,
                             ScalarType               real,
                             void *                   output,
                             const ExecutionContext & context)
{
  context.Report(0.0);
  const Residence residence(context);
  const Visitor   input(field, shape.Bytes(), residence);
  const Visitor   result(output, static_cast<std::size_t>(shape.grid.Count()) * SizeOf(real), residence);
  FindJacobianDeterminants(shape, input.Data(), derivatives, real, result.Data(), residence);
  result.Return(residence);
  context.Report(1.0);
}

void
SmoothHostFieldBySpline(const FieldShape &       shape,
                        const void *             field,
                        const void *             confidence,
                        const FieldSplineFit &   fit,
                        void *                   output,
                        double *                 lattice,
                        const ExecutionContext & context)
{
  context.Report(0.0);
  const Residence        residence(context);
  const Visitor          input(field, shape.Bytes(), residence);
  const Visitor          result(output, shape.Bytes(), residence);
  std::optional<Visitor> counts;
  std::optional<Visitor> places;
  FieldSplineFit         there = fit;
  if (confidence != nullptr)
  {
    counts.emplace(confidence, static_cast<std::size_t>(shape.grid.Count()) * SizeOf(shape.element), residence);
  }
  if (fit.places != nullptr)
  {
    places.emplace(fit.places.get(), CountPlaces(shape.grid, fit) * sizeof(float), residence);
    there.places = std::shared_ptr<const float>(fit.places, static_cast<const float *>(places->Data()));
  }
  const ResidentArray scratch(CountSplineSmoothingScratch(shape, there, confidence != nullptr), residence);
  const void * const  weights = counts ? counts->Data() : nullptr;
  SmoothFieldBySpline(shape, input.Data(), weights, there, result.Data(), scratch.Data(), residence);
  if (lattice != nullptr)
  {
    const double * const points = FindSplineLattice(shape, there, confidence != nullptr, scratch.Data());
    Download(lattice, points, CountLattice(shape.grid, fit) * sizeof(double), residence);
  }
  result.Return(residence);
  context.Report(1.0);
}

} // namespace itk::CudaSpline
