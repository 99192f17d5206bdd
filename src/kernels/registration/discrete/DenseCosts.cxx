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
#include "kernels/registration/discrete/DenseCosts.h"

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/common/FieldLoopCpu.h"

#include <algorithm>

namespace itk::CudaSpline
{

namespace
{

/** Control points that the host processes together: their costs fill a cache line. */
constexpr int HostLanes = 32;

/** Returns the number of displacements whose costs are computed before their means. */
int
CountSlabDisplacements(const DenseLattice & lattice)
{
  constexpr std::int64_t costs = std::int64_t{ 1 } << 26;
  const std::int64_t     most = std::max<std::int64_t>(1, costs / lattice.CountPoints());
  return static_cast<int>(std::min<std::int64_t>(most, lattice.CountDisplacements()));
}

std::size_t
CountSlabBytes(const DenseLattice & lattice)
{
  return static_cast<std::size_t>(lattice.CountPoints()) * static_cast<std::size_t>(CountSlabDisplacements(lattice)) *
         sizeof(std::uint16_t);
}

std::size_t
CountCostBytes(const DenseLattice & lattice)
{
  return static_cast<std::size_t>(lattice.CountPoints()) * static_cast<std::size_t>(lattice.CountDisplacements()) *
         sizeof(std::uint16_t);
}

/** The costs of points of some displacements, then their means. */
void
EnqueueMeanCostsOnCpu(const DenseCell *    fixed,
                      const DenseCell *    moving,
                      std::uint16_t *      means,
                      const DenseLattice & lattice,
                      const Residence &    residence)
{
  const int           slab = CountSlabDisplacements(lattice);
  const int           all = lattice.CountDisplacements();
  const ResidentArray costs(CountSlabBytes(lattice), residence);
  for (int first = 0; first < all; first += slab)
  {
    FieldWalk walk = lattice.points;
    walk.size[2] *= std::min(slab, all - first);
    EnqueueDenseBody(PointCosts{ fixed, moving, costs.As<std::uint16_t>(), first, lattice, walk }, residence);
    EnqueueDenseBody(MeanCosts(costs.As<std::uint16_t>(),
                               means + first * lattice.CountPoints(),
                               static_cast<int>(lattice.points.size[2]),
                               walk),
                     residence);
  }
}

} // namespace

void
EnqueueDenseBody(const DenseBody & step, const Residence & residence)
{
  if (residence.IsOnDevice())
  {
    EnqueueDenseBodyOnCuda(step, residence);
    return;
  }
  VisitDenseBody<HostLanes>(step, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

DenseCosts::DenseCosts(const DenseCell *    fixed,
                       const DenseCell *    moving,
                       const DenseLattice & lattice,
                       const Residence &    residence)
  : m_Lattice(lattice)
  , m_Residence(residence)
  , m_Costs(CountCostBytes(lattice), residence)
  , m_Neutral(static_cast<std::size_t>(lattice.CountPoints()) * sizeof(std::uint16_t), residence)
{
  if (residence.IsOnDevice())
  {
    EnqueueMeanCostsOnCuda(fixed, moving, m_Costs.As<std::uint16_t>(), lattice, residence);
  }
  else
  {
    EnqueueMeanCostsOnCpu(fixed, moving, m_Costs.As<std::uint16_t>(), lattice, residence);
  }
  EnqueueDenseBody(NeutralCosts{ this->Data(), m_Neutral.As<std::uint16_t>(), lattice }, residence);
}

void
DenseCosts::Choose(const float * near, double coupling, float * chosen, float * values) const
{
  EnqueueDenseBody(
    ChooseSteps{ this->Data(), m_Neutral.As<std::uint16_t>(), near, chosen, values, coupling, m_Lattice }, m_Residence);
}

std::size_t
CountDenseCostsBytes(const DenseLattice & lattice)
{
  return CountCostBytes(lattice) + CountSlabBytes(lattice) +
         static_cast<std::size_t>(lattice.CountPoints()) * sizeof(std::uint16_t);
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
EnqueueDenseBodyOnCuda(const DenseBody &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
void
EnqueueMeanCostsOnCuda(const DenseCell *, const DenseCell *, std::uint16_t *, const DenseLattice &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
