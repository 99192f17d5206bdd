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

#include "kernels/evaluation/InterpolationMethods.h"
#include "kernels/evaluation/ScanlineSpan.cuh"
#include "kernels/evaluation/EvaluationTilePlan.h"

/** \file
 * \brief Reads a tile of the input in shared memory for each interpolation method. The arithmetic and its order are the
 * same as in the kernels that read the input directly. */

namespace itk::CudaSpline
{

namespace
{

/** The taps of a support in a tile. The strides are known at compile time, so that all addresses have constant
 * distances. */
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

/** The starts of supports for a tile: TBasis::Start() for coordinates with a magnitude below Furthest. */
template <typename TBasis>
struct TileSupport
{
  static constexpr auto Furthest = static_cast<double>(MaxTileIndex);

  __device__ static __forceinline__ int
  Start(double x)
  {
    return TBasis::template Start<int>(x);
  }
};

/** B-splines of images use a single floor. With two of them and a branch, order 1 needed 10 % more instructions, and
 * few images have samples farther away. */
template <unsigned int VOrder>
struct TileSupport<SplineBasis<VOrder>>
{
  static constexpr double Furthest = RoundedSupports;

  __device__ static __forceinline__ int
  Start(double x)
  {
    return RoundedSupportStart<VOrder, int>(x);
  }
};

/** Reads a tile for a method with a basis. */
template <typename TMethod>
struct TileReader : TileSupport<std::decay_t<decltype(TMethod::Basis(EvaluationArguments<3>()))>>
{
  using Basis = std::decay_t<decltype(TMethod::Basis(EvaluationArguments<3>()))>;
  static constexpr int Taps = static_cast<int>(Basis::Taps);

  /** Same as Basis::Position(): the coordinate minus the index at this distance from the start. */
  __device__ static __forceinline__ double
  PositionOf(double x, int start)
  {
    return x - ExactDouble(start - static_cast<int>(Basis::Position(0.0, 0)));
  }

  template <Derivatives VDerivatives>
  __device__ static __forceinline__ void
  Evaluate(const EvaluationArguments<3> & arguments,
           const float *                  tile,
           int                            offset,
           const double (&index)[3],
           Jet<3, float> & jet)
  {
    float position[3];
    for (int d = 0; d < 3; ++d)
    {
      const int start = TileReader::Start(index[d]);
      position[d] = static_cast<float>(PositionOf(index[d], start));
      offset += start * (d == 0 ? 1 : (d == 1 ? TileShape::Pitch : TileShape::Slice));
    }
    TensorWeights<3, Basis::Taps, VDerivatives, float> weights;
    FillWeights(TMethod::Basis(arguments), position, weights);
    const TileTaps taps{ tile + offset };
    TensorProductSum(taps, weights, jet);
  }
};

} // namespace
} // namespace itk::CudaSpline

#endif
