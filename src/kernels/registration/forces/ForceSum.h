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
#ifndef ForceSum_h
#define ForceSum_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"

#include "kernels/fields/common/FieldGeometry.h"
#include "kernels/fields/common/OrderedSums.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

/** \file
 * \brief The sum of the forces of several metrics, as in itk::ObjectToObjectMultiMetricv4: each force is scaled to the
 * length of its weight, and the sum is multiplied by the mean length of the forces. */

namespace itk::CudaSpline
{

/** \brief A sum of squares. */
struct SquareSum
{
  double value{ 0.0 };

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(const SquareSum & other)
  {
    value += other.value;
  }
};

/** \brief Bytes of scratch memory of AddForce(). */
inline std::size_t
CountForceSumScratch(const FieldGrid & grid)
{
  return CountOrderedSums(grid) * sizeof(SquareSum);
}

/** \brief Adds a metric's force to the sum, scaled by weight / length. A force whose length is not above epsilon is
 * ignored. The call is asynchronous.
 *
 * \param[in] shape shape of both
 * \param[in] force force of the metric
 * \param[in] weight weight of the metric
 * \param[in] isFirst whether the sum begins with this force
 * \param[in,out] sum sum of forces
 * \param[out] square squared length: of all components of all vectors, in the memory of the backend
 * \param[out] scratch CountForceSumScratch() bytes
 * \param[in] residence memory of the backend */
void
AddForce(const FieldShape & shape,
         const void *       force,
         double             weight,
         bool               isFirst,
         void *             sum,
         SquareSum *        square,
         SquareSum *        scratch,
         const Residence &  residence);

/** \brief Multiplies a sum by the mean of the lengths of its forces.
 *
 * \param[in] shape shape of the sum
 * \param[in,out] sum sum of forces
 * \param[in] squares squared lengths, as written by AddForce()
 * \param[in] count number of forces
 * \param[in] residence memory of the backend */
void
ScaleForceSum(const FieldShape & shape, void * sum, const SquareSum * squares, int count, const Residence & residence);

/** \brief Components of vectors with a run-time type: a kernel for each type would not be faster. */
struct FieldNumbers
{
  void * data;
  bool   isDouble;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  Load(std::int64_t number) const
  {
    return isDouble ? static_cast<const double *>(data)[number]
                    : static_cast<double>(static_cast<const float *>(data)[number]);
  }
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Store(std::int64_t number, double value) const
  {
    if (isDouble)
    {
      static_cast<double *>(data)[number] = value;
    }
    else
    {
      static_cast<float *>(data)[number] = static_cast<float>(value);
    }
  }
};

/** \brief Sums the squares of the components along a row. */
struct RowSquares
{
  FieldNumbers field;
  SquareSum *  sums;
  std::int64_t length; ///< components of a row
  FieldWalk    walk;   ///< rows, along x

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    SquareSum sum;
    for (std::int64_t i = at[0] * length; i < (at[0] + 1) * length; ++i)
    {
      const double number = field.Load(i);
      sum.Add({ number * number });
    }
    sums[at[0]] = sum;
  }
};

/** \brief Adds a component of a force to that of the sum. */
struct WeightedSum
{
  FieldNumbers      force;
  FieldNumbers      sum;
  const SquareSum * square;
  double            weight;
  bool              isFirst;
  FieldWalk         walk; ///< components of vectors

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t number = OffsetOf(walk, at);
    const double       length = std::sqrt(square->value);
    const double       factor = length > std::numeric_limits<double>::epsilon() ? weight / length : 0.0;
    sum.Store(number, (isFirst ? 0.0 : sum.Load(number)) + force.Load(number) * factor);
  }
};

/** \brief Scales a component of the sum. */
struct ScaledSum
{
  FieldNumbers      sum;
  const SquareSum * squares;
  int               count;
  FieldWalk         walk; ///< components of vectors

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    double total = 0.0;
    for (int n = 0; n < count; ++n)
    {
      total += std::sqrt(squares[n].value);
    }
    const std::int64_t number = OffsetOf(walk, at);
    sum.Store(number, sum.Load(number) * (total / count));
  }
};

/** \brief The arguments of AddForce(). */
struct ForceSumArguments
{
  FieldShape   shape;
  const void * force;
  double       weight;
  bool         isFirst;
  void *       sum;
  SquareSum *  square;
  SquareSum *  scratch;
};

/** \brief The walk through the components of a field. */
inline FieldWalk
WalkOfNumbers(const FieldGrid & grid)
{
  FieldWalk walk = WalkOf(grid);
  walk.size[0] *= grid.dimension;
  return walk;
}

/** \brief Calls \p enqueue with the bodies of AddForce(). */
template <typename TEnqueue>
void
WalkForceSum(const ForceSumArguments & arguments, const TEnqueue & enqueue)
{
  const FieldGrid &  grid = arguments.shape.grid;
  const FieldWalk    walk = WalkOfNumbers(grid);
  const std::int64_t rows = walk.size[1] * walk.size[2];
  const bool         isDouble = arguments.shape.element == ScalarType::Float64;
  const FieldNumbers force{ const_cast<void *>(arguments.force), isDouble }; // is not written
  enqueue(RowSquares{ force, arguments.scratch, walk.size[0], { { rows, 1, 1 } } });
  WalkSumsOfRows(grid, arguments.scratch, arguments.square, enqueue);
  enqueue(
    WeightedSum{ force, { arguments.sum, isDouble }, arguments.square, arguments.weight, arguments.isFirst, walk });
}

/** \brief Calls \p enqueue with the body of ScaleForceSum(). */
template <typename TEnqueue>
void
WalkScaledSum(const FieldShape & shape, void * sum, const SquareSum * squares, int count, const TEnqueue & enqueue)
{
  enqueue(ScaledSum{ { sum, shape.element == ScalarType::Float64 }, squares, count, WalkOfNumbers(shape.grid) });
}

/** \brief The same on a device. */
///@{
void
WalkForceSumOnCuda(const ForceSumArguments & arguments, const Residence & residence);
void
WalkScaledSumOnCuda(const FieldShape & shape,
                    void *             sum,
                    const SquareSum *  squares,
                    int                count,
                    const Residence &  residence);
///@}

} // namespace itk::CudaSpline

#endif
