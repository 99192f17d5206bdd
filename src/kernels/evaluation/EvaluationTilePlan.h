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
#ifndef EvaluationTilePlan_h
#define EvaluationTilePlan_h

#include "itkCudaSpline/math/TensorProduct.h"

#include "kernels/common/SharedMemorySizes.h"

#include <array>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief Division of an evaluation along scanlines in three dimensions into boxes, each of which reads a tile of the
 * input in shared memory. */

namespace itk::CudaSpline
{

/** \brief The tile for which kernels are compiled: with compile-time pitches, the addresses of all taps of a support
 * are one register plus constants.
 *
 * A warp's 32 samples are in 32 rows and columns of the tile. The words that they read at once are in different banks
 * of shared memory if x + pitch y + slice z differ modulo 32. Lanes are 4 along the axis of the output that follows the
 * input's rows, and 8 along another. With a pitch of 4 and a slice of 12 modulo 32 the average number of words in the
 * fullest bank is 1.0 to 2.0, for any rotation. Both are multiples of 4: rows begin at multiples of 16 bytes. */
struct TileShape
{
  static constexpr int Lanes = 4;            ///< of a warp along its first axis
  static constexpr int Pitch = 36;           ///< distance of adjacent rows (elements)
  static constexpr int Slice = 940;          ///< distance of adjacent slices (elements)
  static constexpr int Rows = Slice / Pitch; ///< maximum number of rows of a tile
  static constexpr int MaxSamples = 32;      ///< maximum number of samples of a box of the output along its lines
  static constexpr int MaxLines = 256;       ///< maximum number of lines of a box of the output
};

/** \brief Maximum sizes and indices of the input of a tile: positions in it are computed with 32 bits. */
inline constexpr std::int64_t MaxTileIndex = std::int64_t{ 1 } << 20;

/** \brief Data before the tile in shared memory; it is followed by the scanlines of the block, then the tile. */
struct TileShared
{
  double places[TileShape::MaxSamples];       ///< positions of the samples of a line
  int    bounds[TileShape::MaxLines / 32][8]; ///< for each warp: smallest starts, negative largest starts, flags
  union
  {
    int fold[3][64];            ///< for each axis of the input: index in the array of a position in the tile
    int scatteredBounds[16][8]; ///< bounds of more warps, used before \c fold
  };
};

/** \brief Division of a launch into boxes of the output, and arrangement of threads in them. */
struct TilePlan
{
  bool   exists{ false };    ///< false: no box has a tile that fits
  int    threads{ 0 };       ///< threads of a block
  int    axis[3]{};          ///< axes of the output: of a warp's first and second lanes, and the third
  int    logExtent[3]{};     ///< of the box along each axis of the output, as a power of two
  int    logOther{ 0 };      ///< steps of a warp along that of its first two axes that is not x
  int    slices{ 0 };        ///< of the tile
  int    rows{ 0 };          ///< lines of a slice of the output
  double clocks{ 0.0 };      ///< estimated clocks of a multiprocessor for 32 samples
  bool   isAligned{ false }; ///< rows of the input begin at multiples of 16 bytes
};

/** \brief Plans the boxes.
 *
 * \param[in] steps approximate change of an index (first) for a step along an axis of the output (second)
 * \param[in] counts samples of a line, lines of a slice, slices of the output
 * \param[in] taps samples of a support along each axis
 * \param[in] blockBytes maximum shared memory of a block
 * \param[in] multiprocessorBytes shared memory of a multiprocessor
 * \param[in] mostThreads maximum number of threads of a block: 256 or 512
 * \param[in] residentThreads maximum number of resident threads on a multiprocessor
 * \return a plan whose \c rows and \c isAligned must be set */
TilePlan
PlanTiles(const double (&steps)[3][3],
          const std::int64_t (&counts)[3],
          int         taps,
          std::size_t blockBytes,
          std::size_t multiprocessorBytes,
          int         mostThreads,
          int         residentThreads);

/** \brief The same with the tuning of the kernels, for a source.
 *
 * \param[in] derivatives derivatives to evaluate in addition to the value
 * \param[in] isAligned whether rows of the input begin at multiples of 16 bytes
 * \param[in] memory shared memory of the device */
TilePlan
PlanTiles(const double (&steps)[3][3],
          const std::int64_t (&counts)[3],
          int                       taps,
          Derivatives               derivatives,
          bool                      isAligned,
          const SharedMemorySizes & memory);

/** \brief Blocks of a plan along the axes of the output.
 *
 * \param[in] samples samples of a line
 * \param[in] lines lines of the output */
std::array<std::int64_t, 3>
BlocksOf(const TilePlan & plan, std::int64_t samples, std::int64_t lines);

/** \brief Whether a plan exists whose blocks fit a grid; parameters as for BlocksOf(). */
bool
FitsGrid(const TilePlan & plan, std::int64_t samples, std::int64_t lines);

/** \brief True if rows of the input begin at multiples of 16 bytes.
 *
 * \param[in] data floats
 * \param[in] size size of a row */
inline bool
AreRowsAligned(const void * data, std::int64_t size)
{
  return size % 4 == 0 && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

/** \brief Bytes of shared memory of a block. */
std::size_t
TileBytes(const TilePlan & plan);

} // namespace itk::CudaSpline

#endif
