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
#ifndef FieldVelocity_h
#define FieldVelocity_h

#include "itkCudaSpline/kernels/fields/VelocityField.h"

#include "kernels/fields/common/FieldLinear.h"

#include <array>
#include <cstdint>

/** \file
 * \brief Exponentials and Jacobian determinants of fields: bodies for host and device. */

namespace itk::CudaSpline
{

/** \brief A velocity field times a power of 2. */
template <unsigned int VDimension, typename TReal>
struct FieldScaling
{
  const TReal * input;
  TReal *       output;
  FieldWalk     walk;
  TReal         factor;

  /** Computes a vector of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    TReal              vector[VDimension];
    LoadVector(input, offset, vector);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      vector[d] *= factor;
    }
    StoreVector(output, offset, vector);
  }
};

/** \brief A field composed with another field or itself, with vectors at the border continued outside:
 * itk::WarpVectorImageFilter with itk::VectorLinearInterpolateNearestNeighborExtrapolateImageFunction, and a sum. */
template <unsigned int VDimension, typename TReal>
struct FieldSquaring
{
  GridGeometry<VDimension> grid;
  const TReal *            input;   ///< the field to interpolate
  const TReal *            warping; ///< displacements at which it is interpolated
  TReal *                  output;
  FieldWalk                walk;

  /** Computes a vector of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    double             place[VDimension];
    double             index[VDimension];
    TReal              vector[VDimension];
    TReal              there[VDimension];
    PlaceOfSample(grid, at, place);
    LoadVector(warping, offset, vector);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      place[d] = RoundedSum(place[d], static_cast<double>(vector[d]));
    }
    grid.PointToContinuousIndex(place, index);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const auto first = static_cast<double>(grid.extent.start[d]);
      const auto last = static_cast<double>(grid.extent.start[d] + grid.extent.size[d] - 1);
      index[d] = index[d] >= first ? (index[d] < last ? index[d] : last) : first; // NaN becomes the first index
    }
    InterpolateInDouble(index, there);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      vector[d] = RoundedSum(vector[d], there[d]);
    }
    StoreVector(output, offset, vector);
  }

private:
  /** Interpolates the field at an index in the buffer, with distances in double for either type, as in ITK. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  InterpolateInDouble(const double (&index)[VDimension], TReal (&vector)[VDimension]) const
  {
    if constexpr (sizeof(TReal) == sizeof(double))
    {
      InterpolateField(input, grid.extent, index, vector);
    }
    else
    {
      TReal        within[VDimension];
      std::int64_t offset = 0;
      std::int64_t stride = VDimension;
      std::int64_t step[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const std::int64_t base = FloorOfIndex(index[d]);
        within[d] = static_cast<TReal>(RoundedSum(index[d], -static_cast<double>(base)));
        step[d] = within[d] > TReal(0) ? stride : 0; // the last sample has a distance of 0
        offset += (base - grid.extent.start[d]) * stride;
        stride *= grid.extent.size[d];
      }
      for (unsigned int component = 0; component < VDimension; ++component)
      {
        constexpr unsigned int corners = 1U << VDimension;
        TReal                  value[corners];
        for (unsigned int corner = 0; corner < corners; ++corner)
        {
          std::int64_t at = offset + component;
          for (unsigned int d = 0; d < VDimension; ++d)
          {
            at += ((corner >> d) & 1U) != 0 ? step[d] : 0;
          }
          value[corner] = input[at];
        }
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          for (unsigned int pair = 0; pair < (corners >> (d + 1)); ++pair)
          {
            value[pair] = value[2 * pair] + (value[2 * pair + 1] - value[2 * pair]) * within[d];
          }
        }
        vector[component] = value[0];
      }
    }
  }
};

/** \brief The Jacobian determinant of x + u(x). */
template <unsigned int VDimension, typename TSample, typename TReal>
struct FieldJacobian
{
  const TSample * field;
  TReal *         output;
  FieldWalk       walk;
  TReal           weights[VDimension];               ///< factors of the differences along each axis
  bool            isRotated;                         ///< whether the slopes are rotated, as since ITK 6
  TReal           direction[VDimension][VDimension]; ///< direction cosines, one column per axis

  /** Computes a number of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    TReal              matrix[VDimension][VDimension]; // by axis and component
    std::int64_t       stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const std::int64_t above = at[d] + 1 < walk.size[d] ? offset + stride : offset;
      const std::int64_t below = at[d] > 0 ? offset - stride : offset;
      stride *= walk.size[d];
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        const auto next = static_cast<TReal>(field[above * VDimension + c]);
        const auto previous = static_cast<TReal>(field[below * VDimension + c]);
        matrix[d][c] = RoundedProduct(weights[d], RoundedSum(next, -previous));
      }
    }
    if (!isRotated)
    {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        matrix[d][d] = RoundedSum(matrix[d][d], TReal(1));
      }
      output[offset] = Determinant(matrix);
      return;
    }
    TReal rotated[VDimension][VDimension]; // by component and physical axis
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      for (unsigned int p = 0; p < VDimension; ++p)
      {
        TReal slope = RoundedProduct(direction[p][0], matrix[0][c]);
        for (unsigned int d = 1; d < VDimension; ++d)
        {
          slope = RoundedSum(slope, RoundedProduct(direction[p][d], matrix[d][c]));
        }
        rotated[c][p] = c == p ? RoundedSum(slope, TReal(1)) : slope;
      }
    }
    output[offset] = DeterminantByMinors(rotated);
  }

private:
  /** The products of Eigen's determinants, in their order. */
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE TReal
  DeterminantByMinors(const TReal (&m)[VDimension][VDimension])
  {
    if constexpr (VDimension == 2)
    {
      return Minor(m[0][0], m[1][1], m[1][0], m[0][1]);
    }
    else
    {
      const TReal first = RoundedProduct(m[0][0], Minor(m[1][1], m[2][2], m[1][2], m[2][1]));
      const TReal second = RoundedProduct(m[0][1], Minor(m[1][0], m[2][2], m[1][2], m[2][0]));
      const TReal third = RoundedProduct(m[0][2], Minor(m[1][0], m[2][1], m[1][1], m[2][0]));
      return RoundedSum(RoundedSum(first, -second), third);
    }
  }

  /** a b - c d. */
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE TReal
  Minor(TReal a, TReal b, TReal c, TReal d)
  {
    return RoundedSum(RoundedProduct(a, b), -RoundedProduct(c, d));
  }

  /** The products of vnl_det(), in its order. */
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE TReal
  Determinant(const TReal (&m)[VDimension][VDimension])
  {
    if constexpr (VDimension == 2)
    {
      return RoundedSum(RoundedProduct(m[0][0], m[1][1]), -RoundedProduct(m[0][1], m[1][0]));
    }
    else
    {
      TReal sum = Product(m[0][0], m[1][1], m[2][2]);
      sum = RoundedSum(sum, -Product(m[0][0], m[2][1], m[1][2]));
      sum = RoundedSum(sum, -Product(m[1][0], m[0][1], m[2][2]));
      sum = RoundedSum(sum, Product(m[1][0], m[2][1], m[0][2]));
      sum = RoundedSum(sum, Product(m[2][0], m[0][1], m[1][2]));
      return RoundedSum(sum, -Product(m[2][0], m[1][1], m[0][2]));
    }
  }

  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE TReal
  Product(TReal a, TReal b, TReal c)
  {
    return RoundedProduct(RoundedProduct(a, b), c);
  }
};

/** \brief Calls \p enqueue with the bodies of ExponentiateField(), one after the other. */
template <typename TEnqueue>
void
WalkExponential(const FieldShape & shape,
                const void *       velocity,
                unsigned int       squarings,
                bool               inverse,
                void *             output,
                void *             scratch,
                const TEnqueue &   enqueue)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    const FieldWalk        walk = WalkOf(shape.grid);
    const auto             factor = static_cast<Real>(1.0 / static_cast<double>(std::int64_t{ 1 } << squarings));
    auto *                 to = static_cast<Real *>(squarings % 2 == 0 ? output : scratch);
    enqueue(FieldScaling<dimension, Real>{ static_cast<const Real *>(velocity), to, walk, inverse ? -factor : factor });
    for (unsigned int i = 0; i < squarings; ++i)
    {
      const Real * const from = to;
      to = static_cast<Real *>((squarings - i) % 2 == 1 ? output : scratch);
      enqueue(FieldSquaring<dimension, Real>{ MakeGeometry<dimension>(shape.grid), from, from, to, walk });
    }
  });
}

/** \brief Calls \p enqueue with the body of ComposeFieldsBeyond(). */
template <typename TEnqueue>
void
WalkComposition(const FieldShape & shape,
                const void *       displacement,
                const void *       warping,
                void *             output,
                const TEnqueue &   enqueue)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    enqueue(FieldSquaring<dimension, Real>{ MakeGeometry<dimension>(shape.grid),
                                            static_cast<const Real *>(displacement),
                                            static_cast<const Real *>(warping),
                                            static_cast<Real *>(output),
                                            WalkOf(shape.grid) });
  });
}

/** \brief Calls \p enqueue with the body of FindJacobianDeterminants(). */
template <typename TEnqueue>
void
WalkJacobian(const FieldShape &       shape,
             const void *             field,
             const FieldDerivatives & derivatives,
             ScalarType               real,
             void *                   output,
             const TEnqueue &         enqueue)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto input) {
    DispatchField(shape.grid.dimension, real, [&](auto of) {
      using Sample = typename decltype(input)::Real;
      using Real = typename decltype(of)::Real;
      constexpr unsigned int dimension = decltype(input)::Dimension;
      if constexpr (dimension == decltype(of)::Dimension)
      {
        FieldJacobian<dimension, Sample, Real> body{ static_cast<const Sample *>(field),
                                                     static_cast<Real *>(output),
                                                     WalkOf(shape.grid),
                                                     {},
                                                     derivatives.direction.has_value(),
                                                     {} };
        for (unsigned int d = 0; d < dimension; ++d)
        {
          body.weights[d] = static_cast<Real>(derivatives.weights[d]);
          for (unsigned int e = 0; e < dimension && body.isRotated; ++e)
          {
            body.direction[d][e] = static_cast<Real>((*derivatives.direction)[d][e]);
          }
        }
        enqueue(body);
      }
    });
  });
}

/** See ExponentiateField(). */
void
ExponentiateFieldOnCuda(const FieldShape & shape,
                        const void *       velocity,
                        unsigned int       squarings,
                        bool               inverse,
                        void *             output,
                        void *             scratch,
                        const Residence &  residence);

/** See ComposeFieldsBeyond(). */
void
ComposeFieldsBeyondOnCuda(const FieldShape & shape,
                          const void *       displacement,
                          const void *       warping,
                          void *             output,
                          const Residence &  residence);

/** See FindJacobianDeterminants(). */
void
FindJacobianDeterminantsOnCuda(const FieldShape &       shape,
                               const void *             field,
                               const FieldDerivatives & derivatives,
                               ScalarType               real,
                               void *                   output,
                               const Residence &        residence);

} // namespace itk::CudaSpline

#endif
