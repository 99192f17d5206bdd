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
#ifndef LbfgsVectors_h
#define LbfgsVectors_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/registration/Lbfgs.h"
#include "itkCudaSpline/math/HostDevice.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief Operations of L-BFGS on its vectors: inner products of all of them in one pass, and steps. */

namespace itk::CudaSpline
{

/** \brief The vectors, each with places * components numbers: one plane of points after the other. */
struct LbfgsVectors
{
  std::int64_t places{ 0 };
  unsigned int components{ 1 };
  int          pairs{ 0 };              ///< number of stored iterations, in the first slots
  double *     at{ nullptr };           ///< evaluated parameters
  double *     before{ nullptr };       ///< previously evaluated parameters
  double *     base{ nullptr };         ///< parameters at the beginning of the line search
  double *     gradient{ nullptr };     ///< gradient at the parameters
  double *     baseGradient{ nullptr }; ///< gradient at the beginning of the line search
  double *     direction{ nullptr };
  double *     steps[Lbfgs::History]{};   ///< differences of parameters
  double *     changes[Lbfgs::History]{}; ///< differences of gradients

  /** Number of elements of each vector. */
  std::int64_t
  Count() const
  {
    return places * components;
  }
};

/** \brief Inner products; \c y is the change of the gradient since the search began. */
struct LbfgsProducts
{
  /** Numbers of the products; the last ones are for each pair. */
  enum Which : int
  {
    GradientGradient,
    AtAt,
    DirectionGradient,
    YGradient,
    YY,
    DirectionY,
    StepGradient,
    ChangeGradient = StepGradient + Lbfgs::History,
    StepY = ChangeGradient + Lbfgs::History,
    ChangeY = StepY + Lbfgs::History,
    ChangeDirection = ChangeY + Lbfgs::History,
    Sums = ChangeDirection + Lbfgs::History,
    /** Of the point with the longest displacement since the previous evaluation: not a sum, but a maximum. */
    SquaredWay = Sums,
    Numbers
  };

  double numbers[Numbers]{};

  /** The sum, or the larger one of two squared displacements. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static double
  Join(double a, double b, bool isSum)
  {
    return isSum ? a + b : (b > a ? b : a);
  }
  /** Adds the products of other points. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(const LbfgsProducts & other)
  {
    for (int n = 0; n < Numbers; ++n)
    {
      numbers[n] = Join(numbers[n], other.numbers[n], n < Sums);
    }
  }
  /** Adds the products of a point. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddPlace(const LbfgsVectors & vectors, std::int64_t place)
  {
    double square = 0.0;
    for (unsigned int c = 0; c < vectors.components; ++c)
    {
      const std::int64_t i = c * vectors.places + place;
      const double       at = vectors.at[i];
      const double       g = vectors.gradient[i];
      const double       y = g - vectors.baseGradient[i];
      const double       d = vectors.direction[i];
      const double       way = at - vectors.before[i];
      square += way * way;
      numbers[GradientGradient] += g * g;
      numbers[AtAt] += at * at;
      numbers[DirectionGradient] += d * g;
      numbers[YGradient] += y * g;
      numbers[YY] += y * y;
      numbers[DirectionY] += d * y;
#if defined(__CUDA_ARCH__)
#  pragma unroll
#endif
      for (int pair = 0; pair < Lbfgs::History; ++pair)
      {
        if (pair < vectors.pairs)
        {
          const double step = vectors.steps[pair][i];
          const double change = vectors.changes[pair][i];
          numbers[StepGradient + pair] += step * g;
          numbers[ChangeGradient + pair] += change * g;
          numbers[StepY + pair] += step * y;
          numbers[ChangeY + pair] += change * y;
          numbers[ChangeDirection + pair] += change * d;
        }
      }
    }
    numbers[SquaredWay] = Join(numbers[SquaredWay], square, false);
  }
};

/** \brief A step to the next parameters along the direction. */
struct LbfgsMove
{
  LbfgsVectors vectors;
  double       length; ///< length of the step from the beginning of the search, as a factor of the direction

  std::int64_t
  Count() const
  {
    return vectors.Count();
  }
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(std::int64_t i) const
  {
    vectors.before[i] = vectors.at[i];
    vectors.at[i] = vectors.base[i] + length * vectors.direction[i];
  }
};

/** \brief Computes a new direction, and the first step along it. */
struct LbfgsTurn
{
  LbfgsVectors vectors; ///< including the new pair
  int          slot;    ///< slot of the iteration that ends here; -1: none ends
  double       taken;   ///< the last step of that iteration
  double       length;  ///< length of the first step along the new direction
  double       ofGradient;
  double       ofSteps[Lbfgs::History];   ///< factors of the steps in the direction, including the new one
  double       ofChanges[Lbfgs::History]; ///< factors of the changes in the direction, including the new one

  std::int64_t
  Count() const
  {
    return vectors.Count();
  }
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(std::int64_t i) const
  {
    const double gradient = vectors.gradient[i];
    const double at = vectors.at[i];
    if (slot >= 0)
    {
      vectors.steps[slot][i] = taken * vectors.direction[i];
      vectors.changes[slot][i] = gradient - vectors.baseGradient[i];
    }
    double direction = ofGradient * gradient;
    for (int pair = 0; pair < vectors.pairs; ++pair)
    {
      direction += ofChanges[pair] * vectors.changes[pair][i];
    }
    for (int pair = 0; pair < vectors.pairs; ++pair)
    {
      direction += ofSteps[pair] * vectors.steps[pair][i];
    }
    vectors.direction[i] = direction;
    vectors.baseGradient[i] = gradient;
    vectors.base[i] = at;
    vectors.before[i] = at;
    vectors.at[i] = at + length * direction;
  }
};

/** \brief The gradient of a function of sums, computed from the gradients of the sums. */
struct LbfgsGradient
{
  std::int64_t   count;
  const double * first;
  const double * second; ///< null: there is only one sum
  double         ofFirst;
  double         ofSecond;
  double *       gradient;

  std::int64_t
  Count() const
  {
    return count;
  }
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(std::int64_t i) const
  {
    // A sum with a factor of 0 may not have been computed.
    const double own = ofFirst != 0.0 ? ofFirst * first[i] : 0.0;
    gradient[i] = second != nullptr && ofSecond != 0.0 ? own + ofSecond * second[i] : own;
  }
};

/** \brief Bytes of scratch memory of SumLbfgsProducts(). */
std::size_t
CountLbfgsScratch(std::int64_t places, const Residence & residence);

/** \brief Computes the inner products. The call waits.
 *
 * \param[in] vectors vectors in the memory of the backend
 * \param[out] scratch CountLbfgsScratch() bytes
 * \param[in] residence memory of the backend
 * \exception DeviceError a previous step failed, or a lost device */
LbfgsProducts
SumLbfgsProducts(const LbfgsVectors & vectors, void * scratch, const Residence & residence);

/** \brief Runs a step for each element of the vectors. */
///@{
void
WalkLbfgs(const LbfgsMove & body, const Residence & residence);
void
WalkLbfgs(const LbfgsTurn & body, const Residence & residence);
void
WalkLbfgs(const LbfgsGradient & body, const Residence & residence);
///@}

/** \brief The same on a device. */
///@{
std::size_t
CountLbfgsScratchOnCuda(std::int64_t places);
LbfgsProducts
SumLbfgsProductsOnCuda(const LbfgsVectors & vectors, void * scratch, const Residence & residence);
void
WalkLbfgsOnCuda(const LbfgsMove & body, const Residence & residence);
void
WalkLbfgsOnCuda(const LbfgsTurn & body, const Residence & residence);
void
WalkLbfgsOnCuda(const LbfgsGradient & body, const Residence & residence);
///@}

} // namespace itk::CudaSpline

#endif
