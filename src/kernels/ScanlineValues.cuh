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

#include "itkCudaSpline/device/GatherTexture.h"

#include "kernels/InterpolationMethods.h"
#include "kernels/ScanlineSpan.cuh"
#include "kernels/TextureMethods.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

/** \file
 * \brief What the methods that evaluate along scanlines read for a sample, and its value. */

namespace itk::CudaSpline
{

namespace
{

/** What the kernel reads often, ready for it. */
struct ScanlineBounds
{
  double least[3];        ///< of indices that need no folding and are inside
  double most[3];         ///< of those too
  double leastOfEdges[3]; ///< of indices that ScanlineValue can do, if it looks at the edges
  double mostOfEdges[3];  ///< of those too
  double start[3];        ///< index of the first sample of the input
  int    first[3];        ///< the same
  int    size[3];         ///< samples of the input
  int    logSlices;       ///< of GatherLayout
  int    slices;          ///< 2^logSlices - 1
};

/** The value at an index within ScanlineBounds, as TMethod has it: linear filtering by the texture. */
template <typename TMethod>
struct ScanlineValue
{
  static constexpr int  Lanes = 8;         ///< of a warp along the lines
  static constexpr int  Samples = 8;       ///< of a thread
  static constexpr bool FloatsOnly = true; ///< no other pixels are stored
  static constexpr int  Forms = 1;         ///< of the samples: in a texture, and where they are

  /** Blocks that shall be resident: reads take long, so that many warps are wanted, but the sum of several fetches
   * takes more than 32 registers. */
  static constexpr int Blocks = std::decay_t<decltype(TMethod::Paired(EvaluationArguments<3>()))>::Fetches == 1 ? 8 : 6;

  /** What was read for a sample: its value. */
  using Fetched = float;

  template <int, bool>
  __device__ __forceinline__ static float
  Fetch(const EvaluationArguments<3> & arguments, const ScanlineBounds & bounds, double (&index)[3])
  {
    for (int d = 0; d < 3; ++d)
    {
      index[d] -= bounds.start[d];
    }
    return TextureSplineValueWithin(TMethod::Paired(arguments), index, SourceFetch<3>{ arguments });
  }

  __device__ __forceinline__ static float
  ValueOf(float fetched)
  {
    return fetched;
  }

  /** Indices that need no folding; what is not such a number of samples is for other kernels. */
  static bool
  Bound(const EvaluationArguments<3> & arguments, ScanlineBounds & bounds)
  {
    for (int d = 0; d < 3; ++d)
    {
      const auto size = static_cast<double>(arguments.extent.size[d]);
      bounds.least[d] = std::max(arguments.lower[d], bounds.start[d] - 0.5);
      bounds.most[d] = std::min(std::nextafter(arguments.upper[d], -HUGE_VAL), bounds.start[d] + size - 0.5);
      bounds.leastOfEdges[d] = bounds.least[d];
      bounds.mostOfEdges[d] = bounds.most[d];
    }
    return true;
  }
};

/** Linear interpolation as LinearMethod has it, between samples that all are there. They are gathered from a texture,
 * where there is one of them: a load of 32 words that lie in several rows takes the cache a clock a row, and has one
 * word a lane; a gather has four, at the rate of a fetch. */
template <>
struct ScanlineValue<LinearMethod<float>>
{
  static constexpr int  Lanes = 8;
  static constexpr int  Samples = 16;
  static constexpr bool FloatsOnly = false;
  static constexpr int  Forms = 2;
  static constexpr int  Blocks = 6;

  /** The samples at the corners of a cell, x fastest, and where between them the place is. */
  struct Fetched
  {
    float        corner[8];
    float        distance[3];
    unsigned int upper; ///< a bit for each axis whose upper neighbours count
  };

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

  /** \param[in] upper neighbours that count: others are not read */
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

  /** InterpolateCorners(), of the corners from VFirst on. */
  template <int VAxis, int VFirst, bool VAll>
  __device__ __forceinline__ static float
  Between(const Fetched & fetched)
  {
    if constexpr (VAxis == 0)
    {
      return fetched.corner[VFirst];
    }
    else
    {
      constexpr int axis = VAxis - 1;
      float         low = Between<axis, VFirst, VAll>(fetched);
      const float   high = Between<axis, VFirst + (1 << axis), VAll>(fetched);
      if (VAll || (fetched.upper & (1U << axis)) != 0U)
      {
        low = low + (high - low) * fetched.distance[axis];
      }
      return low;
    }
  }

  /** \tparam VForm 0: from the texture; 1: from where the samples are
   * \tparam VEdges the place may be beside the outermost samples, or at the last of them */
  template <int VForm, bool VEdges>
  __device__ __forceinline__ static Fetched
  Fetch(const EvaluationArguments<3> & arguments, const ScanlineBounds & bounds, const double (&index)[3])
  {
    Fetched fetched;
    int     cell[3];
    double  above[3];
    bool    isBetween = !VEdges;
    for (int d = 0; d < 3; ++d)
    {
      double below;
      int    floor = ShortFloorIndex(index[d], below);
      if constexpr (VEdges)
      {
        floor = min(max(floor, bounds.first[d]), bounds.first[d] + bounds.size[d] - 1);
        below = ExactDouble(floor);
      }
      above[d] = RoundedSum(index[d], -below);
      fetched.distance[d] = static_cast<float>(above[d]);
      cell[d] = floor - bounds.first[d];
      isBetween = isBetween && fetched.distance[d] > 0.0F;
    }
    fetched.upper = 7U;
    if (!isBetween) // rarely: no place along an axis is nearer to a sample than floats can tell
    {
      fetched.upper = 0U;
      for (int d = 0; d < 3; ++d)
      {
        const bool isThere = !VEdges || cell[d] + 1 < bounds.size[d];
        fetched.upper |= above[d] > 0.0 && isThere ? 1U << d : 0U;
      }
    }
    if constexpr (VForm == 0)
    {
      Gather(arguments, bounds, cell, fetched.corner);
    }
    else
    {
      Load(arguments, bounds, cell, fetched.upper, fetched.corner);
    }
    return fetched;
  }

  __device__ __forceinline__ static float
  ValueOf(const Fetched & fetched)
  {
    return fetched.upper == 7U ? Between<3, 0, true>(fetched) : Between<3, 0, false>(fetched);
  }

  /** Indices of which each has a sample on either side, all of them there; at most 2^30 samples an axis, 2^32 in all.
   */
  static bool
  Bound(const EvaluationArguments<3> & arguments, ScanlineBounds & bounds)
  {
    constexpr std::int64_t largest = std::int64_t{ 1 } << 29;
    const auto &           extent = arguments.extent;
    bool                   can = extent.size[0] * extent.size[1] < (std::int64_t{ 1 } << 32) / extent.size[2];
    for (int d = 0; d < 3; ++d)
    {
      const std::int64_t last = extent.start[d] + extent.size[d] - 1;
      can = can && extent.start[d] > -largest && last < largest;
      bounds.least[d] = std::max(arguments.lower[d], bounds.start[d]);
      bounds.most[d] = std::nextafter(std::min(arguments.upper[d], static_cast<double>(last)), -HUGE_VAL);
      // As LinearMethod tells what goes on outside from what is ITK's rule.
      const bool   isNearest = arguments.extension[d] == Extension::Nearest;
      const double below = std::nextafter(arguments.upper[d], -HUGE_VAL);
      const double end = static_cast<double>(last) + 1.0;
      bounds.leastOfEdges[d] =
        isNearest ? std::max(arguments.lower[d], -static_cast<double>(largest)) : bounds.least[d];
      bounds.mostOfEdges[d] = std::min(below, isNearest ? std::nextafter(end, -HUGE_VAL) : static_cast<double>(last));
      bounds.first[d] = static_cast<int>(extent.start[d]);
      bounds.size[d] = static_cast<int>(extent.size[d]);
    }
    bounds.logSlices = GatherLayout(extent.size[0], extent.size[1], extent.size[2]).logSlices;
    bounds.slices = (1 << bounds.logSlices) - 1;
    return can;
  }
};

} // namespace
} // namespace itk::CudaSpline

#endif
