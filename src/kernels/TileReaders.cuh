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
#ifndef TileReaders_cuh
#define TileReaders_cuh

#include "kernels/EvaluationTilePlan.h"
#include "kernels/InterpolationMethods.h"
#include "kernels/ScanlineSpan.cuh"

/** \file
 * \brief How the methods read a tile of the input in shared memory: with the arithmetic of the kernels that read the
 * input itself, in the same order. */

namespace itk::CudaSpline
{

namespace
{

/** The taps of a support in a tile: strides are known to the compiler, so that all addresses are constants apart. */
struct TileTaps
{
  const float * data; ///< first tap, in shared memory

  __device__ __forceinline__ std::int64_t
                             Offset(unsigned int axis, unsigned int tap) const
  {
    return static_cast<std::int64_t>(tap) * (axis == 1 ? TileShape::Pitch : TileShape::Slice);
  }
  template <typename TReal>
  __device__ __forceinline__ TReal
  Load(std::int64_t at, unsigned int tap) const
  {
    return data[static_cast<int>(at) + static_cast<int>(tap)];
  }
};

/** How a method of a basis reads a tile. */
template <typename TMethod>
struct TileReader
{
  using Basis = std::decay_t<decltype(TMethod::Basis(EvaluationArguments<3>()))>;
  static constexpr int  Taps = static_cast<int>(Basis::Taps);
  static constexpr bool HasEdges = false; ///< whether samples at the edges of the array are special

  __device__ static __forceinline__ int
  Start(double x, bool)
  {
    return Basis::template Start<int>(x);
  }

  /** Basis::Position(): a coordinate less an index that is so far from the start. */
  __device__ static __forceinline__ double
  PositionOf(double x, int start)
  {
    return x - ExactDouble(start - static_cast<int>(Basis::Position(0.0, 0)));
  }

  template <Derivatives VDerivatives, bool VInterior>
  __device__ static __forceinline__ void
  Evaluate(const EvaluationArguments<3> & arguments,
           const float *                  tile,
           int                            offset,
           bool,
           const double (&index)[3],
           Jet<3, float> & jet)
  {
    const Basis                                        basis = TMethod::Basis(arguments);
    TensorWeights<3, Basis::Taps, VDerivatives, float> weights;
    for (int d = 0; d < 3; ++d)
    {
      const int   start = Start(index[d], false);
      const float position = static_cast<float>(PositionOf(index[d], start));
      basis.Weights(position, weights.value[d]);
      if constexpr (HasOrder(VDerivatives, 1))
      {
        basis.DerivativeWeights(position, weights.first[d]);
      }
      offset += start * (d == 0 ? 1 : (d == 1 ? TileShape::Pitch : TileShape::Slice));
    }
    const TileTaps taps{ tile + offset };
    TensorProductSum(taps, weights, jet);
  }
};

/** Linear interpolation of a tile, as LinearMethod has it. */
template <>
struct TileReader<LinearMethod<float>>
{
  static constexpr int  Taps = 2;
  static constexpr bool HasEdges = true;

  __device__ static __forceinline__ int
  Start(double x, bool single)
  {
    return single ? ShortFloorIndex(static_cast<float>(x)) : ShortFloorIndex(x);
  }

  template <int VAxis>
  __device__ static __forceinline__ float
  Corners(const float * corner, const bool (&hasUpper)[3], const float (&distance)[3])
  {
    if constexpr (VAxis == 0)
    {
      return *corner;
    }
    else
    {
      float       low = Corners<VAxis - 1>(corner, hasUpper, distance);
      const float high = Corners<VAxis - 1>(
        corner + (VAxis == 1 ? 1 : (VAxis == 2 ? TileShape::Pitch : TileShape::Slice)), hasUpper, distance);
      if (hasUpper[VAxis - 1])
      {
        low = low + (high - low) * distance[VAxis - 1];
      }
      return low;
    }
  }

  template <Derivatives VDerivatives, bool VInterior>
  __device__ static __forceinline__ void
  Evaluate(const EvaluationArguments<3> & arguments,
           const float *                  tile,
           int                            offset,
           bool                           single,
           const double (&index)[3],
           Jet<3, float> & jet)
  {
    bool  hasUpper[3];
    float distance[3];
    bool  itk = true; // the rule of LinearMethod, see there
    if constexpr (!VInterior)
    {
      for (int d = 0; d < 3; ++d)
      {
        const auto first = static_cast<double>(arguments.extent.start[d]);
        const auto last = static_cast<double>(arguments.extent.start[d] + arguments.extent.size[d] - 1);
        itk = itk && (arguments.extension[d] == Extension::Nearest ? index[d] < last + 1.0
                                                                   : index[d] >= first && index[d] <= last);
      }
    }
    for (int d = 0; d < 3; ++d)
    {
      const int base = Start(index[d], single);
      int       corner = base; // a sample before the first is the first, in the tile too
      if constexpr (!VInterior)
      {
        const int first = static_cast<int>(arguments.extent.start[d]);
        corner = itk && base < first ? first : base;
      }
      double above = RoundedSum(index[d], -ExactDouble(corner));
      if (single)
      {
        above = static_cast<double>(RoundedTo<float>(above));
      }
      hasUpper[d] = above > 0.0;
      distance[d] = static_cast<float>(above);
      if constexpr (!VInterior)
      {
        const int end = static_cast<int>(arguments.extent.start[d] + arguments.extent.size[d]);
        hasUpper[d] = hasUpper[d] && (itk ? corner + 1 < end : distance[d] != 0.0F);
      }
      offset += base * (d == 0 ? 1 : (d == 1 ? TileShape::Pitch : TileShape::Slice));
    }
    jet.value = Corners<3>(tile + offset, hasUpper, distance);
  }
};

} // namespace
} // namespace itk::CudaSpline

#endif
