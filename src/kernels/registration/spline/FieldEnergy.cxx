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
#include "kernels/registration/spline/FieldEnergy.h"

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/common/FieldLoopCpu.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

FieldEnergy::FieldEnergy(const FieldShape & shape, const Regularizers & weights, const Residence & residence)
  : m_Shape(shape)
  , m_Residence(residence)
{
  for (const double weight : { weights.bending, weights.elasticity, weights.variation, weights.jacobian })
  {
    if (!(weight >= 0.0 && std::isfinite(weight)))
    {
      throw std::invalid_argument("Weights of regularizers must be at least 0, not " + std::to_string(weight) + ".");
    }
  }
  if (!weights.AreUsed())
  {
    return;
  }
  m_Terms = ResidentArray(CountBytes(shape, weights), residence);
  FieldEnergyTerm & term = m_Arguments.term;
  term.terms = m_Terms.As<EnergySum>();
  m_Arguments.grid = shape.grid;
  m_Arguments.sums = term.terms + shape.grid.Count();
  m_Arguments.total = m_Arguments.sums + CountOrderedSums(shape.grid);
  for (unsigned int axis = 0; axis < shape.grid.dimension; ++axis)
  {
    double square = 0.0;
    for (unsigned int d = 0; d < shape.grid.dimension; ++d)
    {
      term.pointToIndex[axis][d] = shape.grid.pointToIndex[axis][d];
      square += term.pointToIndex[axis][d] * term.pointToIndex[axis][d];
    }
    term.perMm[axis] = std::sqrt(square);
  }
  term.density.weights = { weights.variation, weights.jacobian };
  term.bending = weights.bending;
  term.elasticity = weights.elasticity;
  term.dimension = static_cast<std::int32_t>(shape.grid.dimension);
  term.walk = WalkOf(shape.grid);
  term.samples = static_cast<double>(shape.grid.Count());
}

void
FieldEnergy::Add(const void * field, void * force, const std::int64_t * valid) const
{
  if (m_Terms.Data() == nullptr)
  {
    return;
  }
  FieldEnergyArguments arguments = m_Arguments;
  const bool           isDouble = m_Shape.element == ScalarType::Float64;
  arguments.term.field = { const_cast<void *>(field), isDouble }; // is not written
  arguments.term.force = { force, isDouble };
  arguments.term.valid = valid;
  if (m_Residence.IsOnDevice())
  {
    WalkFieldEnergyOnCuda(arguments, m_Residence);
    return;
  }
  WalkFieldEnergy(arguments, [&](const auto & body) { ForEachSampleOnCpu(body.walk, m_Residence, body); });
}

double
FieldEnergy::GetValue() const
{
  if (m_Terms.Data() == nullptr)
  {
    return 0.0;
  }
  EnergySum energy;
  Download(&energy, m_Arguments.total, sizeof(energy), m_Residence);
  return energy.value / static_cast<double>(m_Shape.grid.Count());
}

std::size_t
FieldEnergy::CountBytes(const FieldShape & shape, const Regularizers & weights)
{
  return weights.AreUsed()
           ? (static_cast<std::size_t>(shape.grid.Count()) + CountOrderedSums(shape.grid) + 1) * sizeof(EnergySum)
           : 0;
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WalkFieldEnergyOnCuda(const FieldEnergyArguments &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
