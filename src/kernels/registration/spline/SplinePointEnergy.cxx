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
#include "kernels/registration/spline/SplinePointEnergy.h"

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/math/SplineWeights.h"

#include "kernels/fields/common/FieldLoopCpu.h"

namespace itk::CudaSpline
{

namespace
{
constexpr int SupportOfPoint = 4; // nodes

/** Simpson's rule is exact for polynomials up to degree 3. */
PointBasis
MakePointBasis()
{
  constexpr double places[PointsOfCell] = { 0.0, 0.5, 1.0 };
  PointBasis       basis{ {}, { 1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0 } };
  for (int point = 0; point < PointsOfCell; ++point)
  {
    SplineWeights<3>(places[point], basis.values[point][0]);
    SplineDerivativeWeights<3>(places[point], basis.values[point][1]);
  }
  return basis;
}

/** Returns a grid with the sizes of the grid of points. */
FieldGrid
GridOfPoints(const FieldGrid & nodes)
{
  FieldGrid points = nodes;
  for (unsigned int axis = 0; axis < nodes.dimension; ++axis)
  {
    points.size[axis] = (nodes.size[axis] - SupportOfPoint + 1) * PointsOfCell;
  }
  return points;
}

std::size_t
CountStress(const FieldGrid & points)
{
  return static_cast<std::size_t>(points.Count()) * points.dimension * points.dimension;
}
} // namespace

SplinePointEnergy::SplinePointEnergy(const TransformChain::Stage & spline,
                                     unsigned int                  dimension,
                                     const Regularizers &          weights,
                                     const Residence &             residence)
  : m_Residence(residence)
{
  m_Arguments.spline = spline;
  m_Arguments.nodes = GridOfNodes(spline, dimension);
  m_Arguments.points = GridOfPoints(m_Arguments.nodes);
  m_Arguments.basis = MakePointBasis();
  m_Arguments.weights = { weights.variation, weights.jacobian };
  m_Stress = ResidentArray(CountStress(m_Arguments.points) * sizeof(double), residence);
  m_Terms = ResidentArray(static_cast<std::size_t>(m_Arguments.points.Count()) * sizeof(EnergySum), residence);
  m_Sums = ResidentArray((CountOrderedSums(m_Arguments.points) + 1) * sizeof(EnergySum), residence);
  m_Arguments.stress = m_Stress.As<double>();
  m_Arguments.terms = m_Terms.As<EnergySum>();
  m_Arguments.sums = m_Sums.As<EnergySum>();
  m_Arguments.total = m_Arguments.sums + CountOrderedSums(m_Arguments.points);
}

double
SplinePointEnergy::Evaluate(const double * coefficients, double * gradient) const
{
  PointEnergyArguments arguments = m_Arguments;
  arguments.coefficients = coefficients;
  arguments.gradient = gradient;
  if (m_Residence.IsOnDevice())
  {
    WalkPointEnergyOnCuda(arguments, m_Residence);
  }
  else
  {
    WalkPointEnergy(arguments, [&](const auto & body) { ForEachSampleOnCpu(body.walk, m_Residence, body); });
  }
  EnergySum energy;
  Download(&energy, arguments.total, sizeof(energy), m_Residence);
  return energy.value;
}

std::size_t
SplinePointEnergy::CountBytes(const TransformChain::Stage & spline, unsigned int dimension)
{
  const FieldGrid points = GridOfPoints(GridOfNodes(spline, dimension));
  return (CountStress(points) + static_cast<std::size_t>(points.Count()) + CountOrderedSums(points) + 1) *
         sizeof(double);
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WalkPointEnergyOnCuda(const PointEnergyArguments &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
