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
#ifndef VelocityLimit_h
#define VelocityLimit_h

#include "itkCudaSpline/kernels/fields/VelocityIntegration.h"

#include "kernels/fields/limits/DeterminantLimit.h"
#include "kernels/fields/velocity/VelocityBodies.h"

#include <cstddef>
#include <cstdint>
#include <vector>

/** \file
 * \brief Updates of velocity fields that keep the Jacobian determinants of their integral within bounds.
 *
 * The determinants are those of the displacements from time 0 to the last time point. Where an update takes one of them
 * out of the bounds, only a share of the update is kept, as in LimitDeterminants(). At each time point the share of a
 * point is that of the sample at time 0 whose path passes through it. */

namespace itk::CudaSpline
{

/** \brief Samples on each side with the share of a sample. Where space shrinks, the paths to the samples around a point
 * start some samples away. */
inline constexpr int SharePlateau = 3;

/** \brief An update of a velocity field. All fields have its shape and are in the memory of the backend. */
struct VelocityUpdate
{
  FieldShape                shape;
  std::vector<const void *> before;      ///< the velocity without the update, at each time point
  std::vector<void *>       after;       ///< the velocity with the update, which is shortened
  const void *              wholeBefore; ///< displacements from time 0 to the last time point, without the update
  std::vector<const void *> toStart;     ///< displacements to time 0 from each later time point, without the update
  void *                    whole;       ///< memory for a field
  void *                    scratch;     ///< CountLimitScratch() bytes
};

/** \brief Shortens updates of a velocity field whose determinants are out of bounds. The call is asynchronous.
 *
 * \param[in] update velocities with and without the update
 * \param[in] largest largest determinant, above 1; the smallest one is its reciprocal
 * \param[in] steps steps of the integration in each interval between time points
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument a shape or a number of time points that is not allowed */
void
LimitVelocity(const VelocityUpdate & update, double largest, unsigned int steps, const Residence & residence);

/** \brief The displacements after an update: in the first pass for all samples, then for those that the previous pass
 * changed. */
template <unsigned int VDimension, typename TReal>
struct ChangedIntegration
{
  VelocityIntegration<VDimension, TReal> integration;
  const float *                          shares; ///< of the previous pass
  const LimitProgress *                  progress;
  int                                    pass;
  FieldWalk                              walk;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    if (pass == 0 || (progress->Begins(pass) && shares[OffsetOf(walk, at)] < 1.0F))
    {
      integration(at);
    }
  }
};

/** \brief The shares at a later time point. */
template <unsigned int VDimension>
struct MovedShare
{
  const void *          toStart;
  bool                  isDouble;                        ///< type of the field's components
  double                toIndex[VDimension][VDimension]; ///< converts mm to samples
  const float *         input;
  float *               output;
  const LimitProgress * progress;
  int                   pass;
  FieldWalk             walk;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    if (progress->isNeeded[pass] == 0)
    {
      return;
    }
    const std::int64_t first = OffsetOf(walk, at) * VDimension;
    double             moved[VDimension] = {};
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        const double number = isDouble ? static_cast<const double *>(toStart)[first + c]
                                       : static_cast<double>(static_cast<const float *>(toStart)[first + c]);
        moved[r] = RoundedSum(moved[r], RoundedProduct(toIndex[r][c], number));
      }
    }
    double share[1];
    FieldCell<VDimension, double, 1>(walk, at, moved).Interpolate(input, share);
    output[OffsetOf(walk, at)] = static_cast<float>(share[0]);
  }
};

/** \brief Arguments of LimitVelocity(). */
struct VelocityLimitArguments
{
  VelocityUpdate update;
  double         largest;
  unsigned int   steps;
};

/** \brief The body of the shares at a time point. */
template <unsigned int VDimension>
MovedShare<VDimension>
MakeMovedShare(const FieldShape & shape, const void * toStart, const float * input, float * output)
{
  MovedShare<VDimension> body{};
  body.toStart = toStart;
  body.isDouble = shape.element == ScalarType::Float64;
  body.input = input;
  body.output = output;
  body.walk = WalkOf(shape.grid);
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      body.toIndex[r][c] = shape.grid.pointToIndex[r][c];
    }
  }
  return body;
}

/** \brief Calls \p enqueue with the bodies that shorten the update at all time points.
 *
 * \param[in] update the update
 * \param[in] shares shares at time 0, \param[out] other memory of the same size
 * \param[in] progress, pass, enqueue as of SpreadShares() */
template <unsigned int VDimension, typename TReal, typename TEnqueue>
void
WalkSharedVelocity(const VelocityUpdate & update,
                   const float *          shares,
                   float *                other,
                   const LimitProgress *  progress,
                   int                    pass,
                   const TEnqueue &       enqueue)
{
  for (std::size_t time = 0; time < update.after.size(); ++time)
  {
    if (time > 0)
    {
      auto moved = MakeMovedShare<VDimension>(update.shape, update.toStart[time - 1], shares, other);
      moved.progress = progress;
      moved.pass = pass;
      enqueue(moved);
    }
    enqueue(SharedUpdate<TReal>{ VDimension,
                                 static_cast<const TReal *>(update.before[time]),
                                 static_cast<TReal *>(update.after[time]),
                                 time > 0 ? other : shares,
                                 progress,
                                 pass,
                                 WalkOf(update.shape.grid) });
  }
}

/** \brief Calls \p enqueue with the bodies of LimitVelocity(). The scratch memory must begin with zeros. */
template <typename TEnqueue>
void
WalkVelocityLimit(const VelocityLimitArguments & arguments, const TEnqueue & enqueue)
{
  const VelocityUpdate &    update = arguments.update;
  const FieldGrid &         grid = update.shape.grid;
  const FieldWalk           walk = WalkOf(grid);
  const TimeVaryingVelocity velocity{ update.shape, { update.after.begin(), update.after.end() } };
  const VelocityPath        path{ 0, static_cast<unsigned int>(update.after.size() - 1), arguments.steps };
  auto * const              progress = static_cast<LimitProgress *>(update.scratch);
  auto * const              first = reinterpret_cast<float *>(progress + 1);
  DispatchField(grid.dimension, update.shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int             dimension = decltype(compiled)::Dimension;
    const auto                         integration = MakeIntegration<dimension, Real>(velocity, path, update.whole);
    const FieldVolume<dimension, Real> before(grid, update.wholeBefore);
    const FieldVolume<dimension, Real> after(grid, update.whole);
    std::pair<float *, float *>        shares{ first, first + grid.Count() };
    for (int pass = 0; pass < LimitPasses; ++pass)
    {
      enqueue(ChangedIntegration<dimension, Real>{ integration, shares.first, progress, pass, walk });
      enqueue(UpdateShare<dimension, Real>{ before, after, arguments.largest, shares.first, progress, pass, walk });
      shares = SpreadShares(shares.first, shares.second, progress, pass, walk, dimension, SharePlateau, enqueue);
      WalkSharedVelocity<dimension, Real>(update, shares.first, shares.second, progress, pass, enqueue);
    }
  });
}

/** \brief The same on a device. */
void
WalkVelocityLimitOnCuda(const VelocityLimitArguments & arguments, const Residence & residence);

} // namespace itk::CudaSpline

#endif
