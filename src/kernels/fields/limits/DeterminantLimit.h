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
#ifndef DeterminantLimit_h
#define DeterminantLimit_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"

#include "kernels/fields/common/FieldLinear.h"
#include "kernels/fields/folding/FieldVolume.h"

#include <cstddef>
#include <cstdint>
#include <utility>

/** \file
 * \brief Updates that keep the Jacobian determinants of a field within bounds.
 *
 * Where an update takes a determinant out of the bounds, only the share of the update that reaches the bound is kept.
 * The share increases to 1 over LimitReach samples around it, to avoid large derivatives. These derivatives may exceed
 * the bounds again, which further passes correct. */

namespace itk::CudaSpline
{

inline constexpr int LimitReach = 4; ///< samples along each axis that a limited update reaches
inline constexpr int LimitPasses =
  4; ///< each one corrects determinants that the edges of the previous shares took out of bounds

/** \brief Shortens updates whose determinants are out of bounds. The call is asynchronous.
 *
 * \param[in] shape shape of both fields
 * \param[in] before the field without the update
 * \param[in] largest largest determinant, above 1; the smallest one is its reciprocal
 * \param[in,out] after the field with the update
 * \param[out] scratch CountLimitScratch() bytes
 * \param[in] residence memory of the backend
 * \param[in] regions sliding regions of the samples, whose borders determinants neglect; null: none */
void
LimitDeterminants(const FieldShape &   shape,
                  const void *         before,
                  double               largest,
                  void *               after,
                  void *               scratch,
                  const Residence &    residence,
                  const std::uint8_t * regions = nullptr);

/** \brief Flags of the passes, nonzero if a pass has found an update to shorten; else the next pass is skipped. */
struct LimitProgress
{
  std::int32_t isNeeded[LimitPasses];

  /** Whether a pass may have something to do. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  Begins(int pass) const
  {
    return pass == 0 || isNeeded[pass - 1] != 0;
  }

  /** Records that a pass has something to do: all samples store the same number. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Mark(int pass)
  {
#if defined(__CUDA_ARCH__)
    isNeeded[pass] = 1;
#else
    __atomic_store_n(&isNeeded[pass], 1, __ATOMIC_RELAXED);
#endif
  }
};

/** \brief Computes the share of each sample separately. */
template <unsigned int VDimension, typename TReal>
struct UpdateShare
{
  FieldVolume<VDimension, TReal> before;
  FieldVolume<VDimension, TReal> after;
  double                         largest;
  float *                        shares;
  LimitProgress *                progress;
  int                            pass;
  FieldWalk                      walk;

  using Matrix = double[VDimension][VDimension];

  /** The largest share of the update whose determinant is within the bounds, or no farther from them than without the
   * update.
   */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  FindShare(const Matrix & without, const Matrix & with) const
  {
    constexpr int steps = 12;
    const double  start = FieldVolume<VDimension, TReal>::DeterminantOf(without);
    const double  least = start < 1.0 / largest ? start : 1.0 / largest;
    const double  most = start > largest ? start : largest;
    double        share = 0.0;
    double        step = 1.0;
    for (int n = 0; n <= steps; ++n)
    {
      Matrix m;
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        for (unsigned int c = 0; c < VDimension; ++c)
        {
          const double change = RoundedSum(with[r][c], -without[r][c]);
          m[r][c] = RoundedSum(without[r][c], RoundedProduct(share + step, change));
        }
      }
      const double determinant = FieldVolume<VDimension, TReal>::DeterminantOf(m);
      share += share + step <= 1.0 && determinant >= least && determinant <= most ? step : 0.0;
      step *= 0.5;
    }
    return share;
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    if (!progress->Begins(pass))
    {
      return;
    }
    Matrix with;
    after.FindJacobian(at, with);
    const double determinant = FieldVolume<VDimension, TReal>::DeterminantOf(with);
    double       share = 1.0;
    if (!(determinant >= 1.0 / largest && determinant <= largest))
    {
      Matrix without;
      before.FindJacobian(at, without);
      share = this->FindShare(without, with);
    }
    if (share < 1.0)
    {
      progress->Mark(pass);
    }
    shares[OffsetOf(walk, at)] = static_cast<float>(share);
  }
};

/** \brief Computes the smallest share of the samples along an axis; those of more distant samples are increased by
 * their distance. */
struct ShareAround
{
  const float *         input;
  float *               output;
  int                   axis;
  int                   plateau; ///< samples on each side with the share of a sample, before it increases
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
    const std::int64_t offset = OffsetOf(walk, at);
    const std::int64_t stride = axis == 0 ? 1 : axis == 1 ? walk.size[0] : walk.size[0] * walk.size[1];
    const std::int64_t here = axis == 0 ? at[0] : axis == 1 ? at[1] : at[2];
    const std::int64_t last = (axis == 0 ? walk.size[0] : axis == 1 ? walk.size[1] : walk.size[2]) - 1;
    float              least = input[offset];
    for (int distance = 1; distance < LimitReach + plateau; ++distance)
    {
      const float lower = here >= distance ? input[offset - distance * stride] : 1.0F;
      const float upper = here + distance <= last ? input[offset + distance * stride] : 1.0F;
      const int   beyond = distance > plateau ? distance - plateau : 0;
      const float share = (lower < upper ? lower : upper) + static_cast<float>(beyond) / LimitReach;
      least = share < least ? share : least;
    }
    output[offset] = least;
  }
};

/** \brief Applies a share to the update. */
template <typename TReal>
struct SharedUpdate
{
  unsigned int          dimension;
  const TReal *         before;
  TReal *               after;
  const float *         shares;
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
    const std::int64_t offset = OffsetOf(walk, at);
    const auto         share = static_cast<TReal>(shares[offset]);
    for (unsigned int d = 0; share < TReal(1) && d < dimension; ++d)
    {
      const std::int64_t number = offset * dimension + d;
      const TReal        change = RoundedSum(after[number], -before[number]);
      after[number] = RoundedSum(before[number], RoundedProduct(share, change));
    }
  }
};

/** \brief Bytes of scratch memory of LimitDeterminants(). */
inline std::size_t
CountLimitScratch(const FieldShape & shape)
{
  return sizeof(LimitProgress) + 2 * static_cast<std::size_t>(shape.grid.Count()) * sizeof(float);
}

/** \brief The arguments of LimitDeterminants(). */
struct LimitArguments
{
  FieldShape           shape;
  const void *         before;
  double               largest;
  void *               after;
  void *               scratch;
  const std::uint8_t * regions;
};

/** \brief Spreads the shares of a pass along all axes.
 *
 * \param[in,out] first separate shares of each sample
 * \param[out] second memory of the same size
 * \param[in] progress, pass, walk as of UpdateShare
 * \param[in] dimension dimension of the walk
 * \param[in] plateau samples on each side with the share of a sample
 * \param[in] enqueue called with the bodies
 * \return the result and the other memory */
template <typename TEnqueue>
std::pair<float *, float *>
SpreadShares(float *               first,
             float *               second,
             const LimitProgress * progress,
             int                   pass,
             const FieldWalk &     walk,
             unsigned int          dimension,
             int                   plateau,
             const TEnqueue &      enqueue)
{
  for (int axis = 0; axis < static_cast<int>(dimension); ++axis)
  {
    enqueue(ShareAround{ first, second, axis, plateau, progress, pass, walk });
    std::swap(first, second);
  }
  return { first, second };
}

/** \brief Calls \p enqueue with the bodies of LimitDeterminants(). The scratch memory must begin with zeros. */
template <typename TEnqueue>
void
WalkLimit(const LimitArguments & arguments, const TEnqueue & enqueue)
{
  const FieldGrid & grid = arguments.shape.grid;
  const FieldWalk   walk = WalkOf(grid);
  auto * const      progress = static_cast<LimitProgress *>(arguments.scratch);
  auto * const      first = reinterpret_cast<float *>(progress + 1);
  float * const     second = first + grid.Count();
  DispatchField(grid.dimension, arguments.shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    const auto * const     before = static_cast<const Real *>(arguments.before);
    auto * const           after = static_cast<Real *>(arguments.after);
    for (int pass = 0; pass < LimitPasses; ++pass)
    {
      enqueue(UpdateShare<dimension, Real>{ { grid, before, arguments.regions },
                                            { grid, after, arguments.regions },
                                            arguments.largest,
                                            first,
                                            progress,
                                            pass,
                                            walk });
      const float * const shares = SpreadShares(first, second, progress, pass, walk, dimension, 0, enqueue).first;
      enqueue(SharedUpdate<Real>{ dimension, before, after, shares, progress, pass, walk });
    }
  });
}

/** \brief The same on a device. */
void
WalkLimitOnCuda(const LimitArguments & arguments, const Residence & residence);

} // namespace itk::CudaSpline

#endif
