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
#ifndef FieldAnderson_h
#define FieldAnderson_h

#include "kernels/fields/inversion/FieldInverse.h"

#include <cstdint>

/** \file
 * \brief The inverse of a field with Anderson mixing (Walker and Ni 2011): bodies for host and device.
 *
 * The inverse v at x solves v = -u(x + v), independently of other samples. Each sample therefore runs all of its
 * iterations at once, in registers, and needs no memory except the field and the inverse. */

namespace itk::CudaSpline
{

/** \brief The fixed-point iteration of a sample, with the last two changes of the inverse and of the residuals. */
template <unsigned int VDimension, typename TReal>
struct AndersonSample
{
  const InversionArguments<VDimension, TReal> & arguments;
  double                                        place[VDimension];
  TReal                                         inverse[VDimension];  ///< the best one so far
  TReal                                         residual[VDimension]; ///< -u(x + v) - v
  TReal                                         norm;                 ///< norm of the residual (samples)
  TReal                                         moves[2][VDimension] = {};
  TReal                                         changes[2][VDimension] = {}; ///< of the residuals
  /** Share of a step; below 1 after a rejected one. */
  TReal share{ 1 };

  /** \param[in] inversion its fields, \param[in] at the sample, \param[in] offset its offset */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  AndersonSample(const InversionArguments<VDimension, TReal> & inversion,
                 const std::int64_t (&at)[3],
                 std::int64_t offset)
    : arguments(inversion)
  {
    PlaceOfSample(arguments.grid, at, place);
    LoadVector(arguments.inverse, offset, inverse);
    if (arguments.enforcesBoundary && IsOnBorder(arguments.grid.extent, at))
    {
      for (TReal & number : inverse)
      {
        number = TReal(0);
      }
    }
    norm = this->Evaluate(inverse, residual);
  }

  /** Computes the residual of an inverse. \return its norm (samples) */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  Evaluate(const TReal (&vector)[VDimension], TReal (&found)[VDimension]) const
  {
    ComposeAt(arguments.grid, arguments.field, place, vector, found);
    for (TReal & number : found)
    {
      number = -number;
    }
    return arguments.NormOf(found);
  }

  static CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  Product(const TReal (&a)[VDimension], const TReal (&b)[VDimension])
  {
    TReal sum = TReal(0);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      sum = RoundedSum(sum, RoundedProduct(a[d], b[d]));
    }
    return sum;
  }

  /** Factors of the changes whose sum is closest to the residual; 0 if they hardly differ. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Mix(TReal (&factors)[2]) const
  {
    constexpr TReal independent = TReal(1e-3); // squared sine of the angle between two changes
    const TReal     aa = Product(changes[0], changes[0]);
    const TReal     ab = Product(changes[0], changes[1]);
    const TReal     bb = Product(changes[1], changes[1]);
    const TReal     ra = Product(residual, changes[0]);
    const TReal     rb = Product(residual, changes[1]);
    const TReal     both = RoundedSum(RoundedProduct(aa, bb), -RoundedProduct(ab, ab));
    if (both > RoundedProduct(independent, RoundedProduct(aa, bb)))
    {
      factors[0] = RoundedQuotient(RoundedSum(RoundedProduct(bb, ra), -RoundedProduct(ab, rb)), both);
      factors[1] = RoundedQuotient(RoundedSum(RoundedProduct(aa, rb), -RoundedProduct(ab, ra)), both);
      return;
    }
    factors[0] = aa > TReal(0) ? RoundedQuotient(ra, aa) : TReal(0);
    factors[1] = TReal(0);
  }

  /** Computes the inverse after the next step. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Next(TReal (&next)[VDimension]) const
  {
    TReal factors[2];
    TReal step[VDimension];
    this->Mix(factors);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const TReal first = RoundedProduct(factors[0], RoundedSum(moves[0][d], changes[0][d]));
      const TReal second = RoundedProduct(factors[1], RoundedSum(moves[1][d], changes[1][d]));
      step[d] = RoundedSum(residual[d], -RoundedSum(first, second));
    }
    const TReal length = arguments.NormOf(step);
    const TReal twice = RoundedSum(norm, norm);
    const TReal bound = twice > TReal(1) ? twice : TReal(1);
    const TReal scale = length > bound ? RoundedProduct(share, RoundedQuotient(bound, length)) : share;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      next[d] = RoundedSum(inverse[d], RoundedProduct(scale, step[d]));
    }
  }

  /** Accepts a better inverse, with its residual. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Accept(const TReal (&next)[VDimension], const TReal (&found)[VDimension], TReal foundNorm)
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      moves[1][d] = moves[0][d];
      changes[1][d] = changes[0][d];
      moves[0][d] = RoundedSum(next[d], -inverse[d]);
      changes[0][d] = RoundedSum(found[d], -residual[d]);
      inverse[d] = next[d];
      residual[d] = found[d];
    }
    norm = foundNorm;
    share = TReal(1);
  }

  /** Resets the changes after a step that increased the error, and halves the next one. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Reject()
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      moves[0][d] = moves[1][d] = changes[0][d] = changes[1][d] = TReal(0);
    }
    share = RoundedProduct(share, TReal(0.5));
  }
};

/** \brief Inverts a field at a sample.
 *
 * \param[in] arguments the fields
 * \param[in] at the sample
 * \param[in] iterations maximum number of iterations
 * \return norm of the error (samples) */
template <unsigned int VDimension, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
InvertSample(const InversionArguments<VDimension, TReal> & arguments, const std::int64_t (&at)[3], int iterations)
{
  const std::int64_t offset = OffsetOf(arguments.walk, at);
  const TReal tolerance = arguments.meanTolerance > TReal(0) ? arguments.meanTolerance : arguments.maximumTolerance;
  const bool  isFixed = arguments.enforcesBoundary && IsOnBorder(arguments.grid.extent, at);
  AndersonSample<VDimension, TReal> sample(arguments, at, offset);
  for (int n = 0; n < iterations && !isFixed && sample.norm > tolerance; ++n)
  {
    TReal next[VDimension];
    TReal found[VDimension];
    sample.Next(next);
    const TReal norm = sample.Evaluate(next, found);
    norm < sample.norm ? sample.Accept(next, found, norm) : sample.Reject();
  }
  StoreVector(arguments.inverse, offset, sample.inverse);
  return sample.norm;
}

} // namespace itk::CudaSpline

#endif
