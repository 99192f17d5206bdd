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
#include "kernels/registration/spline/SplineEnergy.h"

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/math/SplineWeights.h"

#include "kernels/fields/common/FieldLoopCpu.h"

#include <array>
#include <cmath>
#include <vector>

namespace itk::CudaSpline
{

namespace
{
constexpr int SupportOfCubic = 4; // nodes

/** Returns the k-th derivatives of the B-splines whose supports contain a cell, at a position in the cell. */
std::array<std::array<double, SupportOfCubic>, 3>
EvaluateSplines(double place)
{
  std::array<std::array<double, SupportOfCubic>, 3> values{};
  SplineWeights<3>(place, values[0].data());
  SplineDerivativeWeights<3>(place, values[1].data());
  SplineSecondDerivativeWeights<3>(place, values[2].data());
  return values;
}

/** Gauss-Legendre quadrature with 4 points is exact for polynomials up to degree 7; products of cubics have 6. */
struct QuadraturePoint
{
  double place;
  double weight;
};
std::array<QuadraturePoint, 4>
QuadratureOfCell()
{
  const double inner = std::sqrt(3.0 / 7.0 - 2.0 / 7.0 * std::sqrt(6.0 / 5.0));
  const double outer = std::sqrt(3.0 / 7.0 + 2.0 / 7.0 * std::sqrt(6.0 / 5.0));
  const double ofInner = (18.0 + std::sqrt(30.0)) / 72.0; // half of the weights on [-1, 1]
  const double ofOuter = (18.0 - std::sqrt(30.0)) / 72.0;
  return { { { 0.5 - 0.5 * outer, ofOuter },
             { 0.5 - 0.5 * inner, ofInner },
             { 0.5 + 0.5 * inner, ofInner },
             { 0.5 + 0.5 * outer, ofOuter } } };
}

/** The orders of the derivatives of both B-splines of a Gram matrix. */
constexpr int GramDerivatives[GramMatrices][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 1, 0 }, { 0, 1 } };

/** Returns the Gram matrices of an axis: means over the domain, with derivatives per mm.
 *
 * \param[in] nodes number of nodes
 * \param[in] perMm nodes per mm */
std::vector<double>
MakeGram(std::int64_t nodes, double perMm)
{
  const std::int64_t  cells = nodes - SupportOfCubic + 1;
  std::vector<double> gram(static_cast<std::size_t>(GramMatrices * nodes * GramWidth), 0.0);
  for (const QuadraturePoint & point : QuadratureOfCell())
  {
    const auto values = EvaluateSplines(point.place);
    for (std::int64_t matrix = 0; matrix < GramMatrices; ++matrix)
    {
      const int *  orders = GramDerivatives[matrix];
      const double factor = point.weight * std::pow(perMm, orders[0] + orders[1]) / static_cast<double>(cells);
      for (std::int64_t entry = 0; entry < cells * SupportOfCubic * SupportOfCubic; ++entry)
      {
        const std::int64_t row = entry % SupportOfCubic;
        const std::int64_t column = entry / SupportOfCubic % SupportOfCubic;
        const std::int64_t node = entry / (SupportOfCubic * SupportOfCubic) + row;
        gram[static_cast<std::size_t>((matrix * nodes + node) * GramWidth + column - row + GramWidth / 2)] +=
          factor * values[static_cast<std::size_t>(orders[0])][static_cast<std::size_t>(row)] *
          values[static_cast<std::size_t>(orders[1])][static_cast<std::size_t>(column)];
      }
    }
  }
  return gram;
}

/** Returns the Gram matrices of a missing axis, along which functions are constant. */
std::vector<double>
MakeUnitGram()
{
  std::vector<double> gram(static_cast<std::size_t>(GramMatrices * GramWidth), 0.0);
  gram[GramWidth / 2] = 1.0;
  return gram;
}

double
NodesPerMm(const TransformChain::Stage & spline, unsigned int axis, unsigned int dimension)
{
  double square = 0.0;
  for (unsigned int c = 0; c < dimension; ++c)
  {
    square += spline.pointToIndex[axis][c] * spline.pointToIndex[axis][c];
  }
  return std::sqrt(square);
}

/** Returns the number of elements of the Gram matrices of all axes. */
std::int64_t
CountGram(const FieldGrid & grid)
{
  return GramMatrices * GramWidth * (grid.size[0] + grid.size[1] + grid.size[2]);
}
} // namespace

FieldGrid
GridOfNodes(const TransformChain::Stage & spline, unsigned int dimension)
{
  FieldGrid grid;
  grid.dimension = dimension;
  for (unsigned int axis = 0; axis < dimension; ++axis)
  {
    grid.size[axis] = spline.size[axis];
  }
  return grid;
}

SplineEnergy::SplineEnergy(const TransformChain::Stage & spline,
                           unsigned int                  dimension,
                           const Regularizers &          weights,
                           const Residence &             residence)
  : m_Weights(weights)
  , m_Grid(GridOfNodes(spline, dimension))
  , m_Residence(residence)
  , m_Gram(static_cast<std::size_t>(CountGram(m_Grid)) * sizeof(double), residence)
  , m_Terms(static_cast<std::size_t>(m_Grid.Count()) * sizeof(EnergySum), residence)
  , m_Sums((CountOrderedSums(m_Grid) + 1) * sizeof(EnergySum), residence)
{
  std::vector<double> gram;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    m_Nodes.gram[axis] = m_Gram.As<double>() + gram.size();
    const double perMm = axis < dimension ? NodesPerMm(spline, axis, dimension) : 0.0;
    const auto   own = axis < dimension ? MakeGram(m_Grid.size[axis], perMm) : MakeUnitGram();
    gram.insert(gram.end(), own.begin(), own.end());
    for (unsigned int component = 0; component < dimension && axis < dimension; ++component)
    {
      m_Nodes.axes[axis][component] = spline.pointToIndex[axis][component] / perMm;
    }
  }
  m_Nodes.dimension = static_cast<std::int32_t>(dimension);
  m_Nodes.walk = WalkOf(m_Grid);
  Upload(m_Gram.Data(), gram.data(), m_Gram.Bytes(), residence);
}

double
SplineEnergy::EvaluateOne(EnergyArguments arguments, bool isElastic, double weight) const
{
  if (!(weight > 0.0))
  {
    return 0.0;
  }
  arguments.isElastic = isElastic;
  arguments.weight = weight;
  if (m_Residence.IsOnDevice())
  {
    WalkEnergyOnCuda(arguments, m_Residence);
  }
  else
  {
    WalkEnergy(arguments, [&](const auto & body) { ForEachSampleOnCpu(body.walk, m_Residence, body); });
  }
  EnergySum energy;
  Download(&energy, arguments.total, sizeof(energy), m_Residence);
  return energy.value;
}

double
SplineEnergy::Evaluate(const double * coefficients, double * gradient) const
{
  EnergyArguments arguments{};
  arguments.nodes = m_Nodes;
  arguments.nodes.coefficients = coefficients;
  arguments.gradient = gradient;
  arguments.terms = m_Terms.As<EnergySum>();
  arguments.sums = m_Sums.As<EnergySum>();
  arguments.total = arguments.sums + CountOrderedSums(m_Grid);
  arguments.grid = m_Grid;
  return this->EvaluateOne(arguments, false, m_Weights.bending) +
         this->EvaluateOne(arguments, true, m_Weights.elasticity);
}

std::size_t
SplineEnergy::CountBytes(const TransformChain::Stage & spline, unsigned int dimension)
{
  const FieldGrid grid = GridOfNodes(spline, dimension);
  return (static_cast<std::size_t>(CountGram(grid) + grid.Count()) + CountOrderedSums(grid) + 1) * sizeof(double);
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WalkEnergyOnCuda(const EnergyArguments &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
