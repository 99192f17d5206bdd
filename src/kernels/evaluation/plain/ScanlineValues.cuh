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
#ifndef ScanlineValues_cuh
#define ScanlineValues_cuh

#include "kernels/evaluation/InterpolationMethods.h"
#include "kernels/evaluation/ScanlineSpan.cuh"
#include "kernels/evaluation/TextureMethods.h"
#include "kernels/evaluation/ScanlinePlan.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

/** \file
 * \brief Reads and values of a sample for the methods that evaluate along scanlines. */

namespace itk::CudaSpline
{

namespace
{

/** The value at an index within ScanlineBounds, as TMethod defines it. This is linear filtering by the texture. */
template <typename TMethod>
struct ScanlineValue
{
  static constexpr int  Lanes = TextureScanlineTuning.lanes;
  static constexpr int  Samples = TextureScanlineTuning.samples;
  static constexpr int  Unrolled = TextureScanlineTuning.unrolled;
  static constexpr bool FloatsOnly = true; ///< other pixel types are not stored
  static constexpr int  Forms = 1;         ///< forms of the samples: in a texture, and in memory

  /** Minimum number of resident blocks. Reads have a long latency, so many warps are needed, but the sum of several
   * fetches needs more than 32 registers. */
  static constexpr int Blocks = std::decay_t<decltype(TMethod::Paired(EvaluationArguments<3>()))>::Fetches == 1 ? 8 : 6;

  /** Returns whether ValueWithin() is valid for all indices between two indices. */
  __device__ __forceinline__ static bool
  AreForWithin(const ScanlineBounds &, const double (&)[2][3])
  {
    return true;
  }

  /** Returns the value at an index that needs no folding. */
  template <int>
  __device__ __forceinline__ static float
  ValueWithin(const EvaluationArguments<3> & arguments, const ScanlineBounds & bounds, double (&index)[3])
  {
    for (int d = 0; d < 3; ++d)
    {
      index[d] -= bounds.start[d];
    }
    return TextureSplineValueWithin(TMethod::Paired(arguments), index, SourceFetch<3>{ arguments });
  }

  /** The same as ValueWithin(): texture mode does not treat edges differently. */
  template <int VForm>
  __device__ __forceinline__ static float
  ValueAtEdges(const EvaluationArguments<3> & arguments, const ScanlineBounds & bounds, double (&index)[3])
  {
    return ValueWithin<VForm>(arguments, bounds, index);
  }
};

/** Linear interpolation like LinearMethod, between samples that all exist. They are gathered from a texture if there is
 * one. The cache needs one clock per row for a load of 32 words in several rows, and a lane receives one word. A
 * gather returns four words per lane, at the rate of a fetch. */
template <>
struct ScanlineValue<LinearMethod<float>>
{
  static constexpr int  Lanes = LinearScanlineTuning.lanes;
  static constexpr int  Samples = LinearScanlineTuning.samples;
  static constexpr int  Unrolled = LinearScanlineTuning.unrolled;
  static constexpr bool FloatsOnly = false;
  static constexpr int  Forms = 2;
  static constexpr int  Blocks = 6;

  __device__ __forceinline__ static void
  Gather(const EvaluationArguments<3> & arguments,
         const ScanlineBounds &         bounds,
         const int (&cell)[3],
         float (&corner)[8])
  {
    for (int k = 0; k < 2; ++k)
    {
      const int    z = cell[2] + k;
      const int    u = (z >> bounds.logSlices) * bounds.size[0] + cell[0] + 1;
      const int    v = (z & bounds.slices) * bounds.size[1] + cell[1] + 1;
      const float4 texels = tex2Dgather<float4>(arguments.texture, static_cast<float>(u), static_cast<float>(v), 0);
      corner[4 * k] = texels.w;
      corner[4 * k + 1] = texels.z;
      corner[4 * k + 2] = texels.x;
      corner[4 * k + 3] = texels.y;
    }
  }

  /** \param[in] upper neighbours that are used; others are not read */
  __device__ __forceinline__ static void
  Load(const EvaluationArguments<3> & arguments,
       const ScanlineBounds &         bounds,
       const int (&cell)[3],
       unsigned int upper,
       float (&corner)[8])
  {
    const auto         row = static_cast<unsigned int>(bounds.size[0]);
    const unsigned int slice = row * static_cast<unsigned int>(bounds.size[1]);
    const unsigned int first = static_cast<unsigned int>(cell[0]) + static_cast<unsigned int>(cell[1]) * row +
                               static_cast<unsigned int>(cell[2]) * slice;
    const unsigned int  across = upper & 1U;
    const unsigned int  down = (upper & 2U) != 0U ? row : 0U;
    const unsigned int  deep = (upper & 4U) != 0U ? slice : 0U;
    const float * const samples = static_cast<const float *>(arguments.source);
    for (unsigned int k = 0; k < 4; ++k)
    {
      const float * const from = samples + (first + k % 2 * down + k / 2 * deep);
      corner[2 * k] = __ldg(from);
      corner[2 * k + 1] = __ldg(from + across);
    }
  }

  /** \tparam VForm 0: from the texture; 1: from memory */
  template <int VForm>
  __device__ __forceinline__ static void
  Read(const EvaluationArguments<3> & arguments,
       const ScanlineBounds &         bounds,
       const int (&cell)[3],
       unsigned int upper,
       float (&corner)[8])
  {
    if constexpr (VForm == 0)
    {
      Gather(arguments, bounds, cell, corner);
    }
    else
    {
      Load(arguments, bounds, cell, upper, corner);
    }
  }

  /** Computes InterpolateCorners() for the corners from VFirst on.
   *
   * \param[in] upper a bit for each axis whose upper neighbours are used; all axes if VAll is set */
  template <int VAxis, int VFirst, bool VAll>
  __device__ __forceinline__ static float
  Between(const float (&corner)[8], const float (&distance)[3], unsigned int upper)
  {
    if constexpr (VAxis == 0)
    {
      return corner[VFirst];
    }
    else
    {
      constexpr int axis = VAxis - 1;
      float         low = Between<axis, VFirst, VAll>(corner, distance, upper);
      const float   high = Between<axis, VFirst + (1 << axis), VAll>(corner, distance, upper);
      if (VAll || (upper & (1U << axis)) != 0U)
      {
        low = low + (high - low) * distance[axis];
      }
      return low;
    }
  }

  /** Returns whether ValueWithin() is valid for all indices between two indices: the floor of each is its FloorIndex().
   */
  __device__ __forceinline__ static bool
  AreForWithin(const ScanlineBounds & bounds, const double (&ends)[2][3])
  {
    bool are = true;
    for (int d = 0; d < 3; ++d)
    {
      if (bounds.first[d] < 0) // for an input with samples before index 0; within other inputs no index is negative
      {
        are =
          are && ((ends[0][d] >= 0.0 && ends[1][d] >= 0.0) || (ends[0][d] < LeastOfZero && ends[1][d] < LeastOfZero));
      }
    }
    return are;
  }

  /** Returns the value between samples that all exist. If the point is on a sample, its neighbours are not used. This
   * makes a difference only if they are not finite, and then the value is not finite either. An exception is the sign
   * of a sample that is -0. */
  template <int VForm>
  __device__ __forceinline__ static float
  ValueWithin(const EvaluationArguments<3> & arguments, const ScanlineBounds & bounds, const double (&index)[3])
  {
    float distance[3];
    int   cell[3];
    for (int d = 0; d < 3; ++d)
    {
      double below;
      cell[d] = ShortFloor(index[d], below) - bounds.first[d];
      distance[d] = static_cast<float>(RoundedSum(index[d], -below));
    }
    float corner[8];
    Read<VForm>(arguments, bounds, cell, 7U, corner);
    return Between<3, 0, true>(corner, distance, 7U);
  }

  /** Returns the value if the point may be outside of the outermost samples, or on the last of them. */
  template <int VForm>
  __device__ __forceinline__ static float
  ValueAtEdges(const EvaluationArguments<3> & arguments, const ScanlineBounds & bounds, const double (&index)[3])
  {
    float        distance[3];
    int          cell[3];
    unsigned int upper = 0U;
    for (int d = 0; d < 3; ++d)
    {
      cell[d] = min(max(ShortFloorIndex(index[d]), bounds.first[d]), bounds.first[d] + bounds.size[d] - 1);
      const double above = RoundedSum(index[d], -ExactDouble(cell[d]));
      cell[d] -= bounds.first[d];
      distance[d] = static_cast<float>(above);
      upper |= above > 0.0 && cell[d] + 1 < bounds.size[d] ? 1U << d : 0U;
    }
    float corner[8];
    Read<VForm>(arguments, bounds, cell, upper, corner);
    return Between<3, 0, false>(corner, distance, upper);
  }
};

} // namespace
} // namespace itk::CudaSpline

#endif
