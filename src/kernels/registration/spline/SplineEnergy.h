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
#ifndef SplineEnergy_h
#define SplineEnergy_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/registration/SplineLevel.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include "kernels/fields/common/OrderedSums.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

/** \file
 * \brief Energies of a cubic B-spline of displacements, as means over its domain.
 *
 * The bending energy is the sum of the squares of all second derivatives of all components (1 / mm^2; Rueckert et al.
 * 1999), the elastic energy that of the squares of the components of the strain, the symmetric part of the gradient.
 *
 * The integrals are exact. In one dimension, the integral of the product of derivatives of the B-splines of two nodes
 * is an element of a Gram matrix with 7 diagonals. An energy is a quadratic form of the coefficients, whose matrix is a
 * sum of products of these matrices over the axes. The axes of the grid are orthogonal. */

namespace itk::CudaSpline
{

/** \brief Nodes whose B-splines overlap with that of a node, along an axis. */
inline constexpr int GramWidth = 7;
/** \brief The Gram matrices of an axis: of derivatives of the same order, and of a first derivative and a value. */
enum GramMatrix : int
{
  GramOfValues,
  GramOfFirst,
  GramOfSecond,
  GramOfFirstAndValue, ///< the row's B-spline is differentiated
  GramOfValueAndFirst, ///< the column's B-spline is differentiated
  GramMatrices
};

/** \brief A sum of numbers. */
struct EnergySum
{
  double value{ 0.0 };

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(const EnergySum & other)
  {
    value += other.value;
  }
};

/** \brief The coefficients of a spline, and the matrices of its grid. */
struct SplineNodes
{
  const double * coefficients; ///< one plane per component
  const double * gram[3];      ///< for each axis: all matrices, a row of GramWidth elements per node
  double         axes[3][3];   ///< unit vectors along the axes of the grid
  std::int32_t   dimension;
  FieldWalk      walk; ///< nodes

  /** Number of nodes. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           Count() const
  {
    return walk.size[0] * walk.size[1] * walk.size[2];
  }
  /** An element of a matrix. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  Gram(int axis, int matrix, std::int64_t node, int tap) const
  {
    return gram[axis][(matrix * walk.size[axis] + node) * GramWidth + tap];
  }
  /** Whether a node has a neighbour along an axis. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  HasTap(int axis, std::int64_t node, int tap) const
  {
    const std::int64_t other = node + tap - GramWidth / 2;
    return other >= 0 && other < walk.size[axis];
  }
  /** Offset of a neighbour. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           OffsetOfTap(const std::int64_t (&at)[3], int x, int y, int z) const
  {
    const std::int64_t other[3] = { at[0] + x - GramWidth / 2, at[1] + y - GramWidth / 2, at[2] + z - GramWidth / 2 };
    return OffsetOf(walk, other);
  }
  /** Calls a function with the taps of all neighbours along y and z. */
  template <typename TCall>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  ForEachLine(const std::int64_t (&at)[3], const TCall & call) const
  {
    for (int z = 0; z < GramWidth; ++z)
    {
      for (int y = 0; y < GramWidth; ++y)
      {
        if (this->HasTap(1, at[1], y) && this->HasTap(2, at[2], z))
        {
          call(y, z);
        }
      }
    }
  }
};

/** \brief The bending energy: its gradient with respect to the coefficients of a node, for each component. */
struct BendingGradient
{
  SplineNodes nodes;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3], double (&gradient)[3]) const
  {
    nodes.ForEachLine(at, [&](int y, int z) {
      for (std::int32_t component = 0; component < nodes.dimension; ++component)
      {
        gradient[component] += 2.0 * this->OfLine(at, nodes.coefficients + component * nodes.Count(), y, z);
      }
    });
  }

private:
  /** The squares of the second derivatives along each axis, and twice those of the mixed ones. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  OfLine(const std::int64_t (&at)[3], const double * plane, int y, int z) const
  {
    double ofX[3] = {};
    double ofY[3];
    double ofZ[3];
    for (int order = 0; order < 3; ++order)
    {
      for (int x = 0; x < GramWidth; ++x)
      {
        if (nodes.HasTap(0, at[0], x))
        {
          ofX[order] += nodes.Gram(0, order, at[0], x) * plane[nodes.OffsetOfTap(at, x, y, z)];
        }
      }
      ofY[order] = nodes.Gram(1, order, at[1], y);
      ofZ[order] = nodes.Gram(2, order, at[2], z);
    }
    return ofX[2] * ofY[0] * ofZ[0] + ofX[0] * ofY[2] * ofZ[0] + ofX[0] * ofY[0] * ofZ[2] +
           2.0 * (ofX[1] * ofY[1] * ofZ[0] + ofX[1] * ofY[0] * ofZ[1] + ofX[0] * ofY[1] * ofZ[1]);
  }
};

/** \brief The same for the elastic energy, which is evaluated in the axes of the grid. */
struct ElasticGradient
{
  SplineNodes nodes;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3], double (&gradient)[3]) const
  {
    double byAxis[3] = {};
    nodes.ForEachLine(at, [&](int y, int z) { this->AddLine(at, y, z, byAxis); });
    for (std::int32_t axis = 0; axis < nodes.dimension; ++axis)
    {
      for (std::int32_t component = 0; component < nodes.dimension; ++component)
      {
        gradient[component] += nodes.axes[axis][component] * byAxis[axis];
      }
    }
  }

private:
  /** Sums along x, for each axis of the displacement and each matrix. */
  using LineSums = double[3][GramMatrices];

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  SumAlongX(const std::int64_t (&at)[3], int y, int z, LineSums & sums) const
  {
    for (int x = 0; x < GramWidth; ++x)
    {
      for (std::int32_t axis = 0; axis < nodes.dimension && nodes.HasTap(0, at[0], x); ++axis)
      {
        double along = 0.0;
        for (std::int32_t component = 0; component < nodes.dimension; ++component)
        {
          along += nodes.axes[axis][component] *
                   nodes.coefficients[component * nodes.Count() + nodes.OffsetOfTap(at, x, y, z)];
        }
        for (int matrix = 0; matrix < GramMatrices; ++matrix)
        {
          sums[axis][matrix] += nodes.Gram(0, matrix, at[0], x) * along;
        }
      }
    }
  }

  /** The integral of the product of the derivatives of the node's B-spline along an axis, and of a component of the
   * displacement along another one. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  Product(const std::int64_t (&at)[3], int y, int z, const LineSums & sums, int ofNode, int ofField, int component)
    const
  {
    int matrix[3] = { GramOfValues, GramOfValues, GramOfValues };
    matrix[ofNode] = ofNode == ofField ? GramOfFirst : GramOfFirstAndValue;
    matrix[ofField] = ofNode == ofField ? GramOfFirst : GramOfValueAndFirst;
    return sums[component][matrix[0]] * nodes.Gram(1, matrix[1], at[1], y) * nodes.Gram(2, matrix[2], at[2], z);
  }

  /** Adds twice the product of the strains of the node's B-spline along each axis and of the displacement. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddLine(const std::int64_t (&at)[3], int y, int z, double (&byAxis)[3]) const
  {
    LineSums sums = {};
    this->SumAlongX(at, y, z, sums);
    for (std::int32_t b = 0; b < nodes.dimension; ++b)
    {
      for (std::int32_t a = 0; a < nodes.dimension; ++a)
      {
        byAxis[b] += this->Product(at, y, z, sums, a, a, b) + this->Product(at, y, z, sums, a, b, a);
      }
    }
  }
};

/** \brief Adds an energy's gradient with respect to the coefficients of a node, and computes their contribution to the
 * energy: half of the product of both, because it is a quadratic form. */
template <typename TEnergy>
struct EnergyTerm
{
  TEnergy     energy;
  double      weight;
  double *    gradient; ///< null: not computed
  EnergySum * terms;    ///< one per node
  FieldWalk   walk;

  /** Computes the terms of a node. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t node = OffsetOf(walk, at);
    double             own[3] = {};
    EnergySum          term;
    energy(at, own);
    for (std::int32_t component = 0; component < energy.nodes.dimension; ++component)
    {
      const std::int64_t number = component * energy.nodes.Count() + node;
      term.value += 0.5 * weight * own[component] * energy.nodes.coefficients[number];
      if (gradient != nullptr)
      {
        gradient[number] += weight * own[component];
      }
    }
    terms[node] = term;
  }
};

/** \brief Arguments of an energy. */
struct EnergyArguments
{
  SplineNodes nodes;
  bool        isElastic; ///< else the bending energy
  double      weight;
  double *    gradient;
  EnergySum * terms; ///< one per node
  EnergySum * sums;  ///< CountOrderedSums()
  EnergySum * total; ///< the weighted energy
  FieldGrid   grid;  ///< of the nodes
};

/** \brief Calls \p enqueue with the bodies that compute an energy. */
template <typename TEnqueue>
void
WalkEnergy(const EnergyArguments & arguments, const TEnqueue & enqueue)
{
  const FieldWalk & walk = arguments.nodes.walk;
  const auto        add = [&](const auto & energy) {
    using Energy = std::decay_t<decltype(energy)>;
    enqueue(EnergyTerm<Energy>{ energy, arguments.weight, arguments.gradient, arguments.terms, walk });
  };
  arguments.isElastic ? add(ElasticGradient{ arguments.nodes }) : add(BendingGradient{ arguments.nodes });
  enqueue(
    OrderedSums<EnergySum>{ arguments.terms, arguments.sums, walk.size[0], { { walk.size[1] * walk.size[2], 1, 1 } } });
  WalkSumsOfRows(arguments.grid, arguments.sums, arguments.total, enqueue);
}

/** \brief The grid of the nodes of a spline; only its size is set. */
FieldGrid
GridOfNodes(const TransformChain::Stage & spline, unsigned int dimension);

/** \brief The bending and the elastic energy of splines on one grid, with their memory. */
class SplineEnergy
{
public:
  /** \param[in] spline cubic, with 4 nodes or more along each axis; no coefficients
   * \param[in] dimension 2 or 3
   * \param[in] weights weights of the energies
   * \param[in] residence memory of the backend
   * \exception DeviceError out of memory, or a lost device */
  SplineEnergy(const TransformChain::Stage & spline,
               unsigned int                  dimension,
               const Regularizers &          weights,
               const Residence &             residence);

  /** \brief The weighted sum of the energies. The call waits.
   *
   * \param[in] coefficients one plane per axis (mm), in the memory of the backend
   * \param[in,out] gradient the gradient of the sum is added to it; null: not computed */
  double
  Evaluate(const double * coefficients, double * gradient) const;

  /** Bytes that an object allocates. */
  static std::size_t
  CountBytes(const TransformChain::Stage & spline, unsigned int dimension);

private:
  double
  EvaluateOne(EnergyArguments arguments, bool isElastic, double weight) const;

  Regularizers  m_Weights;
  SplineNodes   m_Nodes{};
  FieldGrid     m_Grid; ///< of the nodes; only its size is used
  Residence     m_Residence;
  ResidentArray m_Gram;
  ResidentArray m_Terms;
  ResidentArray m_Sums; ///< those of rows and planes, then the total
};

/** See WalkEnergy(). */
void
WalkEnergyOnCuda(const EnergyArguments & arguments, const Residence & residence);

} // namespace itk::CudaSpline

#endif
