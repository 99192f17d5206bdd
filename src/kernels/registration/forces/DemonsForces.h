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
#ifndef DemonsForces_h
#define DemonsForces_h

#include "itkCudaSpline/kernels/registration/DemonsLevel.h"
#include "itkCudaSpline/math/LinearCell.h"

#include "kernels/fields/common/FieldLinear.h"
#include "kernels/fields/common/OrderedSums.h"
#include "kernels/metrics/images/ImageMapping.h"

#include <cstdint>
#include <limits>

/** \file
 * \brief Forces of demons: bodies of host and device. */

namespace itk::CudaSpline
{

/** \brief Value of the warped moving image outside: ITK's largest pixel for functions that test it, 0 for the one that
 * does not. */
template <typename TPixel>
constexpr TPixel
OutsideOf(DemonsForce force)
{
  return force == DemonsForce::Symmetric ? TPixel(0) : std::numeric_limits<TPixel>::max();
}

/** \brief Computes the force of each sample, and its terms of the sums. */
template <unsigned int VDimension, typename TPixel, typename TReal>
struct DemonsForces
{
  DemonsForce                force;
  DemonsGradient             gradientOf;
  double                     differenceThreshold;
  double                     denominatorThreshold;
  double                     normalizer;
  GridGeometry<VDimension>   grid;
  FieldWalk                  walk;
  double                     spacing[VDimension];
  double                     direction[VDimension][VDimension]; ///< of the fixed image
  DifferenceGrid<VDimension> movingGrid;
  double                     halfSpacing[VDimension];               ///< of the moving image (mm)
  double                     movingInverse[VDimension][VDimension]; ///< of the moving image's direction
  const TPixel *             fixed;
  const TPixel *             moving;
  const TPixel *             warped;       ///< the moving image on the grid
  const std::uint8_t *       fixedInside;  ///< nonzero under the mask of the fixed image, on the grid; null: everywhere
  const std::uint8_t *       movingInside; ///< the same for the warped moving image
  const TReal *              field;
  TReal *                    update;
  DemonsIteration *          terms; ///< one per sample

  using Vector = double[VDimension];

  /** Computes the force of a sample. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    TReal              vector[VDimension] = {};
    DemonsIteration    term;
    if (force == DemonsForce::Symmetric)
    {
      this->FindSymmetric(at, offset, vector, term);
    }
    else if (IsUnder(fixedInside, offset) && this->IsMoved(offset))
    {
      this->FindInside(at, offset, vector, term);
    }
    StoreVector(update, offset, vector);
    terms[offset] = term;
  }

private:
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static bool
  IsUnder(const std::uint8_t * mask, std::int64_t offset)
  {
    return mask == nullptr || mask[offset] != 0;
  }
  /** Whether a sample is mapped into the moving image and its mask. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  IsMoved(std::int64_t offset) const
  {
    return warped[offset] != OutsideOf<TPixel>(force) && IsUnder(movingInside, offset);
  }

  /** Differences of an image at a sample, along the axes of the grid; 0 at its border, and next to samples that its
   * mask excludes. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Differences(const TPixel *       image,
              const std::uint8_t * mask,
              const std::int64_t (&at)[3],
              std::int64_t offset,
              Vector &     gradient) const
  {
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      gradient[d] = 0.0;
      if (at[d] > 0 && at[d] < walk.size[d] - 1 && IsUnder(mask, offset + stride) && IsUnder(mask, offset - stride))
      {
        gradient[d] = (static_cast<double>(image[offset + stride]) - static_cast<double>(image[offset - stride])) *
                      (0.5 / spacing[d]);
      }
      stride *= walk.size[d];
    }
  }

  /** Differences of the image as it was moved: to one side where the other one is outside. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  WarpedDifferences(const std::int64_t (&at)[3], std::int64_t offset, Vector & gradient) const
  {
    const auto   here = static_cast<double>(warped[offset]);
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const bool hasAbove = at[d] < walk.size[d] - 1 && this->IsMoved(offset + stride);
      const bool hasBelow = at[d] > 0 && this->IsMoved(offset - stride);
      const auto above = hasAbove ? static_cast<double>(warped[offset + stride]) : here;
      const auto below = hasBelow ? static_cast<double>(warped[offset - stride]) : here;
      gradient[d] = 0.0;
      if (hasAbove && hasBelow)
      {
        gradient[d] = (above - below) * (0.5 / spacing[d]);
      }
      else if (hasAbove || hasBelow)
      {
        gradient[d] = (above - below) / spacing[d];
      }
      stride *= walk.size[d];
    }
  }

  /** Differences of the moving image at the mapped sample, along the axes of physical space. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  MappedDifferences(const std::int64_t (&at)[3], std::int64_t offset, Vector & gradient) const
  {
    double place[VDimension];
    this->PlaceOf(at, offset, place);
    PointDifferences(moving, movingGrid, halfSpacing, place, gradient);
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  PlaceOf(const std::int64_t (&at)[3], std::int64_t offset, Vector & place) const
  {
    PlaceOfSample(grid, at, place);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      place[d] = RoundedSum(place[d], static_cast<double>(field[offset * VDimension + d]));
    }
  }

  /** Multiplies a vector with a matrix. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static void
  Turn(const double (&matrix)[VDimension][VDimension], Vector & vector)
  {
    double turned[VDimension];
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      turned[r] = 0.0;
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        turned[r] += matrix[r][c] * vector[c];
      }
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      vector[d] = turned[d];
    }
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static double
  SquareOf(const Vector & vector)
  {
    double sum = 0.0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      sum += vector[d] * vector[d];
    }
    return sum;
  }

  /** The squared length of an update after it is rounded to its type. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static double
  ChangeOf(const TReal (&vector)[VDimension])
  {
    double sum = 0.0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      sum += static_cast<double>(vector[d]) * static_cast<double>(vector[d]);
    }
    return sum;
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static double
  SizeOfNumber(double number)
  {
    return number < 0.0 ? -number : number;
  }

  /** The forces of Thirion and ESM, for samples that are mapped into the moving image. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  FindInside(const std::int64_t (&at)[3],
             std::int64_t offset,
             TReal (&vector)[VDimension],
             DemonsIteration & term) const
  {
    const double difference = static_cast<double>(fixed[offset]) - static_cast<double>(warped[offset]);
    const double square = difference * difference;
    double       gradient[VDimension]; // for ESM twice the gradient
    double       factor = difference;
    if (force == DemonsForce::Thirion)
    {
      if (gradientOf == DemonsGradient::MappedMoving)
      {
        this->MappedDifferences(at, offset, gradient);
      }
      else
      {
        this->Differences(fixed, fixedInside, at, offset, gradient);
        Turn(direction, gradient);
      }
    }
    else
    {
      factor = 2.0 * difference;
      this->FindGradientTimes2(at, offset, gradient);
    }
    const double denominator = SquareOf(gradient) + (normalizer > 0.0 ? square / normalizer : 0.0);
    term.squaredDifferences = square;
    term.count = 1.0;
    if (!(SizeOfNumber(difference) < differenceThreshold) && !(denominator < denominatorThreshold))
    {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        vector[d] = static_cast<TReal>(force == DemonsForce::Thirion ? factor * gradient[d] / denominator
                                                                     : factor / denominator * gradient[d]);
      }
    }
    term.squaredChanges = ChangeOf(vector);
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  FindGradientTimes2(const std::int64_t (&at)[3], std::int64_t offset, Vector & gradient) const
  {
    double other[VDimension];
    if (gradientOf == DemonsGradient::MappedMoving)
    {
      this->MappedDifferences(at, offset, gradient);
      Turn(movingInverse, gradient);
    }
    else if (gradientOf == DemonsGradient::Fixed)
    {
      this->Differences(fixed, fixedInside, at, offset, gradient);
    }
    else
    {
      this->WarpedDifferences(at, offset, gradient);
    }
    if (gradientOf == DemonsGradient::Symmetric)
    {
      this->Differences(fixed, fixedInside, at, offset, other);
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      gradient[d] += gradientOf == DemonsGradient::Symmetric ? other[d] : gradient[d];
    }
    Turn(direction, gradient);
  }

  /** The symmetric force, which exists everywhere: the moving image is 0 outside. As in ITK, its own gradient is along
   * the axes of the grid, for any direction. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  FindSymmetric(const std::int64_t (&at)[3],
                std::int64_t offset,
                TReal (&vector)[VDimension],
                DemonsIteration & term) const
  {
    double gradient[VDimension];
    double ofMoving[VDimension];
    double place[VDimension];
    this->Differences(fixed, nullptr, at, offset, gradient);
    Turn(direction, gradient);
    this->Differences(warped, nullptr, at, offset, ofMoving);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      gradient[d] += ofMoving[d];
    }
    const auto   value = static_cast<double>(fixed[offset]);
    const double difference = value - static_cast<double>(warped[offset]);
    const double denominator = difference * difference / normalizer + SquareOf(gradient);
    this->PlaceOf(at, offset, place);
    bool isInner = true; // at least two samples from the border
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      if (!(SizeOfNumber(difference) < differenceThreshold) && !(denominator < denominatorThreshold))
      {
        vector[d] = static_cast<TReal>(2.0 * difference * gradient[d] / denominator);
      }
      place[d] = RoundedSum(place[d], static_cast<double>(vector[d]));
      isInner = isInner && at[d] >= 2 && at[d] <= walk.size[d] - 3;
    }
    term.squaredChanges = ChangeOf(vector);
    if (isInner)
    {
      double index[VDimension];
      movingGrid.PointToContinuousIndex(place, index);
      double next = 0.0;
      if (movingGrid.IsInside(index))
      {
        next = LinearCell<VDimension>(movingGrid.extent, index).template Value<double>(moving);
      }
      term.squaredDifferences = (value - next) * (value - next);
      term.count = 1.0;
    }
  }
};

/** \brief Adds a field to another field. */
template <typename TReal>
struct FieldSum
{
  const TReal * update;
  TReal *       field;
  FieldWalk     walk; ///< components of vectors

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t number = OffsetOf(walk, at);
    field[number] += update[number];
  }
};

/** \brief The arrays of the forces. */
struct DemonsArrays
{
  FieldShape            shape;
  const ResidentImage * fixed; ///< on the grid of the field
  const ResidentImage * moving;
  const void *          warped;
  const std::uint8_t *  fixedInside;  ///< on the grid; null: everywhere
  const std::uint8_t *  movingInside; ///< on the grid; null: everywhere
  void *                field;
  void *                update;
  DemonsIteration *     terms;  ///< one per sample
  DemonsIteration *     sums;   ///< one per row, then one per plane
  DemonsIteration *     record; ///< the total
};

/** \brief Calls \p enqueue with the bodies that compute forces and their sums, one after the other. */
template <typename TEnqueue>
void
WalkDemonsForces(const DemonsRules & rules, const DemonsArrays & arrays, const TEnqueue & enqueue)
{
  const FieldGrid & grid = arrays.shape.grid;
  DispatchField(grid.dimension, arrays.shape.element, [&](auto compiled) {
    DispatchField(grid.dimension, arrays.fixed->pixel, [&](auto ofPixels) {
      using Real = typename decltype(compiled)::Real;
      using Pixel = typename decltype(ofPixels)::Real;
      constexpr unsigned int dimension = decltype(compiled)::Dimension;
      if constexpr (decltype(ofPixels)::Dimension == dimension)
      {
        DemonsForces<dimension, Pixel, Real> body{};
        body.force = rules.force;
        body.gradientOf = rules.gradient;
        body.differenceThreshold = rules.differenceThreshold;
        body.denominatorThreshold = rules.denominatorThreshold;
        body.normalizer = rules.normalizer;
        body.grid = MakeGeometry<dimension>(grid);
        body.walk = WalkOf(grid);
        const FieldGrid & moving = arrays.moving->grid;
        static_cast<GridGeometry<dimension> &>(body.movingGrid) = MakeGeometry<dimension>(moving);
        for (unsigned int r = 0; r < dimension; ++r)
        {
          body.spacing[r] = grid.spacing[r];
          body.halfSpacing[r] = 0.5 * moving.spacing[r];
          for (unsigned int c = 0; c < dimension; ++c)
          {
            body.direction[r][c] = grid.indexToPoint[r][c] / grid.spacing[c];
            body.movingInverse[r][c] = moving.pointToIndex[r][c] * moving.spacing[r];
          }
        }
        body.fixed = static_cast<const Pixel *>(arrays.fixed->data.get());
        body.moving = static_cast<const Pixel *>(arrays.moving->data.get());
        body.warped = static_cast<const Pixel *>(arrays.warped);
        body.fixedInside = arrays.fixedInside;
        body.movingInside = arrays.movingInside;
        body.field = static_cast<const Real *>(arrays.field);
        body.update = static_cast<Real *>(arrays.update);
        body.terms = arrays.terms;
        enqueue(body);
      }
    });
  });
  const FieldWalk    walk = WalkOf(grid);
  const std::int64_t rows = walk.size[1] * walk.size[2];
  enqueue(OrderedSums<DemonsIteration>{ arrays.terms, arrays.sums, walk.size[0], { { rows, 1, 1 } } });
  WalkSumsOfRows(grid, arrays.sums, arrays.record, enqueue);
}

/** \brief Calls \p enqueue with the body that adds an update to a field. */
template <typename TEnqueue>
void
WalkFieldSum(const FieldShape & shape, const void * update, void * field, const TEnqueue & enqueue)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    FieldWalk walk = WalkOf(shape.grid);
    walk.size[0] *= shape.grid.dimension;
    enqueue(FieldSum<Real>{ static_cast<const Real *>(update), static_cast<Real *>(field), walk });
  });
}

/** \brief The same on a device. */
///@{
void
WalkDemonsForcesOnCuda(const DemonsRules & rules, const DemonsArrays & arrays, const Residence & residence);
void
WalkFieldSumOnCuda(const FieldShape & shape, const void * update, void * field, const Residence & residence);
///@}

} // namespace itk::CudaSpline

#endif
