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
#ifndef UpdateMoments_h
#define UpdateMoments_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"

#include "kernels/fields/common/FieldLinear.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief Updates with momentum and with Adam (Kingma and Ba 2015).
 *
 * Forces are divided by the length of the longest one: the scale of a metric does not matter. The second moment is that
 * of the squared length of a vector, not of its components: the update does not depend on the orientation of the axes.
 * Both means are corrected for their start at 0. */

namespace itk::CudaSpline
{

inline constexpr double FirstDecay = 0.9;         ///< decay of the mean of forces per iteration
inline constexpr double SecondDecay = 0.99;       ///< decay of the mean of their squared lengths
inline constexpr double AdamRegularization = 0.1; ///< added to the root of that mean, relative to the longest force

/** \brief Sums of the weights of both means so far; 0 at the start. */
struct MomentWeights
{
  double first;
  double second;
};

/** \brief The moments of the forces on a field, in the memory of a backend. */
class UpdateMoments
{
public:
  /** Allocates the memory of an optimizer, all 0, unless it exists. \exception DeviceError out of memory */
  void
  Reserve(const FieldShape & shape, FieldOptimizer optimizer, const Residence & residence);

  /** Adds a force to the moments, and computes an update from them. The call is asynchronous.
   *
   * \param[in] shape shape of the field
   * \param[in] force smoothed force
   * \param[in] maximum largest norm of its vectors (samples), in the memory of the backend
   * \param[in] length length of the longest update (samples)
   * \param[out] update may be \p force
   * \param[in] residence memory of the backend */
  void
  MakeUpdate(const FieldShape & shape,
             const void *       force,
             const double *     maximum,
             double             length,
             void *             update,
             const Residence &  residence) const;

  /** Bytes of the moments of one field. */
  static std::size_t
  CountBytes(const FieldShape & shape, FieldOptimizer optimizer);

private:
  ResidentArray m_First;
  ResidentArray m_Second; ///< for Adam
  ResidentArray m_Weights;
};

/** \brief Adds the weights of an iteration. */
struct MomentWeighting
{
  MomentWeights * weights;
  FieldWalk       walk; ///< one sample

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&)[3]) const
  {
    weights->first = RoundedSum(RoundedProduct(weights->first, FirstDecay), 1.0 - FirstDecay);
    weights->second = RoundedSum(RoundedProduct(weights->second, SecondDecay), 1.0 - SecondDecay);
  }
};

/** \brief Adds the force of a sample to its moments, and computes its update. */
template <unsigned int VDimension, typename TReal>
struct MomentUpdate
{
  const TReal *         force;
  TReal *               first;
  TReal *               second; ///< null: only momentum
  const MomentWeights * weights;
  const double *        maximum;
  double                length;
  double                inverseSpacing[VDimension];
  TReal *               update;
  FieldWalk             walk;

  /** Squared length of a vector (samples). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  SquareOf(const double (&vector)[VDimension]) const
  {
    double sum = 0.0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const double scaled = RoundedProduct(vector[d], inverseSpacing[d]);
      sum = RoundedSum(sum, RoundedProduct(scaled, scaled));
    }
    return sum;
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    const double       scale = *maximum > 0.0 ? 1.0 / *maximum : 0.0;
    double             vector[VDimension];
    double             mean[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const std::int64_t number = offset * VDimension + d;
      vector[d] = RoundedProduct(static_cast<double>(force[number]), scale);
      const double kept = RoundedProduct(FirstDecay, static_cast<double>(first[number]));
      mean[d] = RoundedSum(kept, RoundedProduct(1.0 - FirstDecay, vector[d]));
      first[number] = static_cast<TReal>(mean[d]);
    }
    double factor = 1.0 / weights->first;
    if (second != nullptr)
    {
      const double kept = RoundedProduct(SecondDecay, static_cast<double>(second[offset]));
      const double square = RoundedSum(kept, RoundedProduct(1.0 - SecondDecay, this->SquareOf(vector)));
      second[offset] = static_cast<TReal>(square);
      factor = factor / RoundedSum(std::sqrt(square / weights->second), AdamRegularization);
    }
    const double norm = RoundedProduct(factor, std::sqrt(this->SquareOf(mean)));
    const double step = RoundedProduct(length, norm > 1.0 ? factor / norm : factor);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      update[offset * VDimension + d] = static_cast<TReal>(RoundedProduct(step, mean[d]));
    }
  }
};

/** \brief The arguments of UpdateMoments::MakeUpdate(), with the moments. */
struct MomentArguments
{
  FieldShape      shape;
  const void *    force;
  void *          first;
  void *          second;
  MomentWeights * weights;
  const double *  maximum;
  double          length;
  void *          update;
};

/** \brief Calls \p enqueue with the bodies of an update. */
template <typename TEnqueue>
void
WalkMoments(const MomentArguments & arguments, const TEnqueue & enqueue)
{
  const FieldGrid & grid = arguments.shape.grid;
  enqueue(MomentWeighting{ arguments.weights, { { 1, 1, 1 } } });
  DispatchField(grid.dimension, arguments.shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int        dimension = decltype(compiled)::Dimension;
    MomentUpdate<dimension, Real> body{ static_cast<const Real *>(arguments.force),
                                        static_cast<Real *>(arguments.first),
                                        static_cast<Real *>(arguments.second),
                                        arguments.weights,
                                        arguments.maximum,
                                        arguments.length,
                                        {},
                                        static_cast<Real *>(arguments.update),
                                        WalkOf(grid) };
    for (unsigned int d = 0; d < dimension; ++d)
    {
      body.inverseSpacing[d] = 1.0 / grid.spacing[d];
    }
    enqueue(body);
  });
}

/** \brief The same on a device. */
void
WalkMomentsOnCuda(const MomentArguments & arguments, const Residence & residence);

} // namespace itk::CudaSpline

#endif
