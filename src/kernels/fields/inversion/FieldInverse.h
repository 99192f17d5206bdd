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
#ifndef FieldInverse_h
#define FieldInverse_h

#include "itkCudaSpline/kernels/fields/FieldOperations.h"

#include "kernels/fields/common/FieldLinear.h"
#include "kernels/fields/common/FieldReduction.h"

#include <cmath>
#include <cstdint>

/** \file
 * \brief The iteration of itk::InvertDisplacementFieldImageFilter: bodies for host and device.
 *
 * A step updates the inverse with the errors of the previous step, and computes the errors of the new inverse: each
 * sample needs only its own inverse. The norms of the errors are then summed, which decides whether this was the last
 * step. An iteration of ITK ends with the update: one more step therefore only updates. */

namespace itk::CudaSpline
{

/** \brief Square root, rounded once. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
RoundedRoot(double x)
{
#if defined(__CUDA_ARCH__)
  return __dsqrt_rn(x);
#else
  return std::sqrt(x);
#endif
}

/** \brief Square root, rounded once. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
RoundedRoot(float x)
{
#if defined(__CUDA_ARCH__)
  return __fsqrt_rn(x);
#else
  return std::sqrt(x);
#endif
}

/** \brief Quotient, rounded once. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
RoundedQuotient(float a, float b)
{
#if defined(__CUDA_ARCH__)
  return __fdiv_rn(a, b);
#else
  return a / b;
#endif
}

/** \brief Quotient, rounded once. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
RoundedQuotient(double a, double b)
{
#if defined(__CUDA_ARCH__)
  return __ddiv_rn(a, b);
#else
  return a / b;
#endif
}

/** \brief The arrays and parameters of an inversion. */
template <unsigned int VDimension, typename TReal>
struct InversionArguments
{
  GridGeometry<VDimension> grid;
  FieldWalk                walk;
  FieldBoxes               boxes;
  const TReal *            field;
  TReal *                  inverse;
  TReal *                  errors; ///< errors of the current inverse: the composition of field and inverse
  NormSums *               sums;   ///< sums of the errors' norms, one per box
  FieldInversionState *    state;  ///< see InvertField()
  TReal                    inverseSpacing[VDimension];
  TReal                    meanTolerance;
  TReal                    maximumTolerance;
  bool                     enforcesBoundary;

  /** Norm of an error (samples). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  NormOf(const TReal (&error)[VDimension]) const
  {
    TReal sum = TReal(0);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const TReal scaled = RoundedProduct(error[d], inverseSpacing[d]);
      sum = RoundedSum(sum, RoundedProduct(scaled, scaled));
    }
    return RoundedRoot(sum);
  }

  /** Updates the inverse at a sample with its error.
   *
   * \param[in] at the sample
   * \param[in] offset its offset
   * \param[in] epsilon factor of the update
   * \param[in] maximum largest norm of the errors (samples)
   * \param[out] vector the inverse */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Update(const std::int64_t (&at)[3], std::int64_t offset, TReal epsilon, TReal maximum, TReal (&vector)[VDimension])
    const
  {
    TReal error[VDimension];
    LoadVector(inverse, offset, vector);
    LoadVector(errors, offset, error);
    const TReal norm = this->NormOf(error);
    const TReal limit = RoundedProduct(epsilon, maximum);
    const bool  isClamped = norm > limit;
    const TReal scale = isClamped ? RoundedQuotient(limit, norm) : TReal(1);
    const bool  isFixed = enforcesBoundary && IsOnBorder(grid.extent, at);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const TReal update = isClamped ? RoundedProduct(-error[d], scale) : -error[d];
      vector[d] = isFixed ? TReal(0) : RoundedSum(vector[d], RoundedProduct(update, epsilon));
    }
    StoreVector(inverse, offset, vector);
  }

  /** A step at a sample.
   *
   * \param[in] at the sample
   * \param[in] updates whether the inverse is updated
   * \param[in] goesOn whether new errors are computed
   * \param[in] epsilon,maximum see Update()
   * \return the norm of the new error (samples) */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  Step(const std::int64_t (&at)[3], bool updates, bool goesOn, TReal epsilon, TReal maximum) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    TReal              vector[VDimension];
    if (updates)
    {
      this->Update(at, offset, epsilon, maximum, vector);
    }
    else
    {
      LoadVector(inverse, offset, vector);
    }
    if (!goesOn)
    {
      return TReal(0);
    }
    double place[VDimension];
    TReal  error[VDimension];
    PlaceOfSample(grid, at, place);
    ComposeAt(grid, field, place, vector, error);
    StoreVector(errors, offset, error);
    return this->NormOf(error);
  }

  /** Decides whether the errors of the inverse are small enough, and stores them.
   *
   * \param[in] total sums over all norms */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Conclude(const NormSums & total) const
  {
    const auto count = static_cast<double>(walk.size[0] * walk.size[1] * walk.size[2]);
    const auto mean = static_cast<TReal>(total.sum / count);
    const auto maximum = static_cast<TReal>(total.maximum);
    state->meanError = static_cast<double>(mean);
    state->maximumError = static_cast<double>(maximum);
    ++state->iterations;
    state->isDone = maximum > maximumTolerance && mean > meanTolerance ? 0 : 1;
  }
};

/** \brief Factor of ITK's update after the errors of an iteration, which counts from 1. */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
InversionEpsilon(std::int32_t iteration)
{
  return iteration == 1 ? TReal(0.75) : TReal(0.5);
}

/** \brief Creates the arguments, and divides the scratch memory. */
template <unsigned int VDimension, typename TReal>
InversionArguments<VDimension, TReal>
MakeInversionArguments(const FieldShape &     shape,
                       const void *           field,
                       void *                 inverse,
                       const FieldInversion & rules,
                       FieldInversionState *  state,
                       void *                 scratch)
{
  InversionArguments<VDimension, TReal> arguments{};
  arguments.grid = MakeGeometry<VDimension>(shape.grid);
  arguments.walk = WalkOf(shape.grid);
  arguments.boxes = BoxesOf(arguments.walk);
  arguments.field = static_cast<const TReal *>(field);
  arguments.inverse = static_cast<TReal *>(inverse);
  arguments.sums = static_cast<NormSums *>(scratch);
  arguments.errors = reinterpret_cast<TReal *>(arguments.sums + arguments.boxes.Count());
  arguments.state = state;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    arguments.inverseSpacing[d] = static_cast<TReal>(1.0 / shape.grid.spacing[d]);
  }
  arguments.meanTolerance = static_cast<TReal>(rules.meanTolerance);
  arguments.maximumTolerance = static_cast<TReal>(rules.maximumTolerance);
  arguments.enforcesBoundary = rules.enforcesBoundary;
  return arguments;
}

/** \brief The norm of a vector (samples) as in itk::SyNImageRegistrationMethod: each component is divided by the
 * spacing.
 *
 * \param[in] vector the vector (mm)
 * \param[in] spacing mm */
template <unsigned int VDimension, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
UpdateNorm(const TReal (&vector)[VDimension], const double (&spacing)[VDimension])
{
  TReal sum = TReal(0);
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    const double scaled = RoundedQuotient(static_cast<double>(vector[d]), spacing[d]);
    sum = static_cast<TReal>(RoundedSum(static_cast<double>(sum), RoundedProduct(scaled, scaled)));
  }
  return static_cast<double>(RoundedRoot(sum));
}

} // namespace itk::CudaSpline

#endif
