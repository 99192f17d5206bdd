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
#ifndef SplinePointEnergy_h
#define SplinePointEnergy_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/registration/SplineLevel.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include "kernels/registration/spline/SplineEnergy.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief Energies of a cubic B-spline of displacements whose densities are functions of the gradient G at a point.
 *
 * An energy is the mean of its density over the domain, by Simpson's rule in each cell. Its points include the ends of
 * the domain, where displacements are free on one side. The derivatives of the spline at the points are exact.
 *
 * Total variation: the density is the Frobenius norm of G, smoothed to sqrt(|G|^2 + e^2) - e with e of
 * VariationSmoothing (Vishnevskiy et al. 2017).
 *
 * Jacobian penalty: the density is J + 1 / J - 2, where J is the determinant of I + G. It is about the square of log J
 * near 1, and infinite at 0. Below MinDeterminant the density continues with its Taylor polynomial of degree 2, so
 * that it is finite where a trial step folds. */

namespace itk::CudaSpline
{

inline constexpr int    PointsOfCell = 3;          ///< along each axis
inline constexpr double VariationSmoothing = 0.01; ///< 1 % of stretch or shear
inline constexpr double MinDeterminant = 0.01;     ///< below it the penalty is a polynomial

/** \brief Weights of the densities. */
struct PointWeights
{
  double variation;
  double jacobian;
};

/** \brief The weighted sum of the densities, and its derivative with respect to the gradient of the displacement. */
template <unsigned int VDimension>
struct PointDensity
{
  PointWeights weights;

  using Matrix = double[VDimension][VDimension];

  /** Adds the derivative. \return the density */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  operator()(const Matrix & gradient, Matrix & derivative) const
  {
    double density = 0.0;
    if (weights.variation > 0.0)
    {
      density += this->AddVariation(gradient, derivative);
    }
    if (weights.jacobian > 0.0)
    {
      density += this->AddPenalty(gradient, derivative);
    }
    return density;
  }

private:
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  AddVariation(const Matrix & gradient, Matrix & derivative) const
  {
    double square = VariationSmoothing * VariationSmoothing;
    for (unsigned int n = 0; n < VDimension * VDimension; ++n)
    {
      const double number = gradient[n / VDimension][n % VDimension];
      square += number * number;
    }
    const double norm = sqrt(square);
    for (unsigned int n = 0; n < VDimension * VDimension; ++n)
    {
      derivative[n / VDimension][n % VDimension] += weights.variation * gradient[n / VDimension][n % VDimension] / norm;
    }
    return weights.variation * (norm - VariationSmoothing);
  }

  /** The derivative of a determinant with respect to each element of its matrix. */
  static CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  FindCofactors(const Matrix & m, Matrix & cofactors)
  {
    if constexpr (VDimension == 2)
    {
      cofactors[0][0] = m[1][1];
      cofactors[0][1] = -m[1][0];
      cofactors[1][0] = -m[0][1];
      cofactors[1][1] = m[0][0];
    }
    else
    {
      for (unsigned int n = 0; n < 9; ++n)
      {
        const unsigned int r = n / 3;
        const unsigned int c = n % 3;
        cofactors[r][c] = m[(r + 1) % 3][(c + 1) % 3] * m[(r + 2) % 3][(c + 2) % 3] -
                          m[(r + 1) % 3][(c + 2) % 3] * m[(r + 2) % 3][(c + 1) % 3];
      }
    }
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  AddPenalty(const Matrix & gradient, Matrix & derivative) const
  {
    Matrix stretched;
    Matrix cofactors;
    for (unsigned int n = 0; n < VDimension * VDimension; ++n)
    {
      const unsigned int r = n / VDimension;
      const unsigned int c = n % VDimension;
      stretched[r][c] = gradient[r][c] + (r == c ? 1.0 : 0.0);
    }
    FindCofactors(stretched, cofactors);
    double determinant = 0.0;
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      determinant += stretched[0][c] * cofactors[0][c];
    }
    const double from = determinant > MinDeterminant ? determinant : MinDeterminant;
    const double below = determinant - from;
    const double curvature = 2.0 / (from * from * from);
    const double slope = 1.0 - 1.0 / (from * from);
    for (unsigned int n = 0; n < VDimension * VDimension; ++n)
    {
      derivative[n / VDimension][n % VDimension] +=
        weights.jacobian * (slope + curvature * below) * cofactors[n / VDimension][n % VDimension];
    }
    return weights.jacobian * (from + 1.0 / from - 2.0 + (slope + 0.5 * curvature * below) * below);
  }
};

/** \brief The B-splines at the points of a cell along an axis. */
struct PointBasis
{
  double values[PointsOfCell][2][4]; ///< for each tap: values, and their derivatives
  double weights[PointsOfCell];      ///< of the quadrature; their sum is 1

  /** The product of the B-splines of a tap along all axes, differentiated along one of them. */
  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  Product(const int (&point)[3], const int (&tap)[3], unsigned int differentiated) const
  {
    double product = 1.0;
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      product *= values[point[axis]][axis == differentiated ? 1 : 0][tap[axis]];
    }
    return product;
  }
};

/** \brief The points of a spline, and the data that is stored for them. */
template <unsigned int VDimension>
struct SplineEnergyPoints
{
  const double *           coefficients; ///< one plane per component
  double *                 stress;       ///< for each point: derivative of the energy with respect to du/di
  EnergySum *              terms;        ///< one per point
  FieldWalk                nodes;
  FieldWalk                walk;                                 ///< points
  double                   pointToIndex[VDimension][VDimension]; ///< nodes per mm
  double                   share;                                ///< share of a cell in the domain
  PointBasis               basis;
  PointDensity<VDimension> density;
};

/** \brief The energy of a point. */
template <unsigned int VDimension>
struct PointTerm
{
  SplineEnergyPoints<VDimension> points;
  FieldWalk                      walk;

  using Matrix = double[VDimension][VDimension];

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    Matrix       gradient;
    Matrix       derivative = {};
    const double share = this->FindGradient(at, gradient);
    EnergySum    term;
    term.value = share * points.density(gradient, derivative);
    const std::int64_t offset = OffsetOf(walk, at);
    points.terms[offset] = term;
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      for (unsigned int i = 0; i < VDimension; ++i)
      {
        double sum = 0.0;
        for (unsigned int c = 0; c < VDimension; ++c)
        {
          sum += derivative[r][c] * points.pointToIndex[i][c];
        }
        points.stress[(offset * VDimension + r) * VDimension + i] = share * sum;
      }
    }
  }

private:
  /** The gradient of the displacement in physical space. \return the share of the point in the domain */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  FindGradient(const std::int64_t (&at)[3], Matrix & gradient) const
  {
    std::int64_t first[3] = {}; // node
    int          point[3] = {};
    double       share = points.share;
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      first[axis] = at[axis] / PointsOfCell;
      point[axis] = static_cast<int>(at[axis] % PointsOfCell);
      share *= points.basis.weights[point[axis]];
    }
    Matrix byIndex = {};
    this->Differentiate(first, point, byIndex);
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        gradient[r][c] = 0.0;
        for (unsigned int i = 0; i < VDimension; ++i)
        {
          gradient[r][c] += byIndex[r][i] * points.pointToIndex[i][c];
        }
      }
    }
    return share;
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Differentiate(const std::int64_t (&first)[3], const int (&point)[3], Matrix & byIndex) const
  {
    const FieldWalk &  nodes = points.nodes;
    const std::int64_t count = nodes.size[0] * nodes.size[1] * nodes.size[2];
    for (int n = 0; n < 1 << (2 * VDimension); ++n)
    {
      const int          tap[3] = { n & 3, (n >> 2) & 3, n >> 4 };
      const std::int64_t node[3] = { first[0] + tap[0], first[1] + tap[1], first[2] + tap[2] };
      const double *     coefficient = points.coefficients + OffsetOf(nodes, node);
      for (unsigned int i = 0; i < VDimension; ++i)
      {
        const double product = points.basis.template Product<VDimension>(point, tap, i);
        for (unsigned int r = 0; r < VDimension; ++r)
        {
          byIndex[r][i] += product * coefficient[r * count];
        }
      }
    }
  }
};

/** \brief Adds the derivative of the energy with respect to the coefficients of a node. */
template <unsigned int VDimension>
struct PointGradient
{
  SplineEnergyPoints<VDimension> points;
  double *                       gradient;
  FieldWalk                      walk; ///< nodes

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    double sums[VDimension] = {};
    for (int n = 0; n < 1 << (2 * VDimension); ++n)
    {
      const int          tap[3] = { n & 3, (n >> 2) & 3, n >> 4 };
      const std::int64_t cell[3] = { at[0] - tap[0], at[1] - tap[1], at[2] - tap[2] };
      if (this->IsInside(cell))
      {
        this->AddCell(cell, tap, sums);
      }
    }
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      gradient[r * walk.size[0] * walk.size[1] * walk.size[2] + OffsetOf(walk, at)] += sums[r];
    }
  }

private:
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  IsInside(const std::int64_t (&cell)[3]) const
  {
    bool isInside = true;
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      isInside = isInside && cell[axis] >= 0 && cell[axis] * PointsOfCell < points.walk.size[axis];
    }
    return isInside;
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddCell(const std::int64_t (&cell)[3], const int (&tap)[3], double (&sums)[VDimension]) const
  {
    constexpr int depth = VDimension == 3 ? PointsOfCell : 1;
    for (int n = 0; n < PointsOfCell * PointsOfCell * depth; ++n)
    {
      const int point[3] = { n % PointsOfCell, n / PointsOfCell % PointsOfCell, n / PointsOfCell / PointsOfCell };
      const std::int64_t at[3] = { cell[0] * PointsOfCell + point[0],
                                   cell[1] * PointsOfCell + point[1],
                                   VDimension == 3 ? cell[2] * PointsOfCell + point[2] : 0 };
      const double *     stress = points.stress + OffsetOf(points.walk, at) * VDimension * VDimension;
      for (unsigned int i = 0; i < VDimension; ++i)
      {
        const double product = points.basis.template Product<VDimension>(point, tap, i);
        for (unsigned int r = 0; r < VDimension; ++r)
        {
          sums[r] += product * stress[r * VDimension + i];
        }
      }
    }
  }
};

/** \brief Arguments of an energy of points. */
struct PointEnergyArguments
{
  TransformChain::Stage spline; ///< its grid
  FieldGrid             nodes;
  FieldGrid             points; ///< only the sizes are used
  PointBasis            basis;
  PointWeights          weights;
  const double *        coefficients;
  double *              gradient; ///< null: not computed
  double *              stress;
  EnergySum *           terms; ///< one per point
  EnergySum *           sums;  ///< CountOrderedSums()
  EnergySum *           total;
};

/** \brief Calls \p enqueue with the bodies that compute the energy. */
template <unsigned int VDimension, typename TEnqueue>
void
WalkPoints(const PointEnergyArguments & arguments, const TEnqueue & enqueue)
{
  const FieldWalk                walk = WalkOf(arguments.points);
  const FieldWalk                nodes = WalkOf(arguments.nodes);
  SplineEnergyPoints<VDimension> points{};
  points.coefficients = arguments.coefficients;
  points.stress = arguments.stress;
  points.terms = arguments.terms;
  points.nodes = nodes;
  points.walk = walk;
  points.basis = arguments.basis;
  points.density.weights = arguments.weights;
  points.share = 1.0;
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    points.share *= static_cast<double>(PointsOfCell) / static_cast<double>(walk.size[r]);
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      points.pointToIndex[r][c] = arguments.spline.pointToIndex[r][c];
    }
  }
  enqueue(PointTerm<VDimension>{ points, walk });
  if (arguments.gradient != nullptr)
  {
    enqueue(PointGradient<VDimension>{ points, arguments.gradient, nodes });
  }
  enqueue(
    OrderedSums<EnergySum>{ arguments.terms, arguments.sums, walk.size[0], { { walk.size[1] * walk.size[2], 1, 1 } } });
  WalkSumsOfRows(arguments.points, arguments.sums, arguments.total, enqueue);
}

/** \brief The same for 2 or 3 dimensions. */
template <typename TEnqueue>
void
WalkPointEnergy(const PointEnergyArguments & arguments, const TEnqueue & enqueue)
{
  arguments.nodes.dimension == 2 ? WalkPoints<2>(arguments, enqueue) : WalkPoints<3>(arguments, enqueue);
}

/** \brief The total variation and the penalty of splines on one grid, with their memory. */
class SplinePointEnergy
{
public:
  /** \param[in] spline, dimension, weights, residence see SplineEnergy */
  SplinePointEnergy(const TransformChain::Stage & spline,
                    unsigned int                  dimension,
                    const Regularizers &          weights,
                    const Residence &             residence);

  /** \brief The weighted sum of the energies. The call waits. \param[in] coefficients,gradient see SplineEnergy */
  double
  Evaluate(const double * coefficients, double * gradient) const;

  /** Bytes that an object allocates. */
  static std::size_t
  CountBytes(const TransformChain::Stage & spline, unsigned int dimension);

private:
  PointEnergyArguments m_Arguments{};
  Residence            m_Residence;
  ResidentArray        m_Stress;
  ResidentArray        m_Terms;
  ResidentArray        m_Sums; ///< those of rows and planes, then the total
};

/** See WalkPointEnergy(). */
void
WalkPointEnergyOnCuda(const PointEnergyArguments & arguments, const Residence & residence);

} // namespace itk::CudaSpline

#endif
