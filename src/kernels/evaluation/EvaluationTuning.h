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
#ifndef EvaluationTuning_h
#define EvaluationTuning_h

#include "itkCudaSpline/math/TensorProduct.h"

#include <cstdint>

/** \file
 * \brief The tuning parameters of the evaluating kernels of a device, for the selection and planning of kernels, and
 * for the kernels, which are compiled with them.
 *
 * They follow from registers and shared memory, as documented at each, or from measurements on an H100
 * (reproduction/PerformanceHistory.md). With other values kernels are as correct, but slower. */

namespace itk::CudaSpline
{

/** \name One thread per output sample: plain/EvaluationLaunch.cuh
 * @{ */

/** \brief Threads of a block. */
inline constexpr unsigned int SampleThreads = 128;

/** \brief Minimum number of resident blocks on a multiprocessor.
 *
 * It limits the registers of the kernel, and those of WalkStages(), which it calls: a chain of transforms may spill
 * registers, so that kernels without a chain are not slowed down. The sum over a cubic support needs 72 registers. */
constexpr unsigned int
SampleBlocks(bool sumsOverSupport, Derivatives derivatives)
{
  return derivatives == Derivatives::None ? (sumsOverSupport ? 7 : 8) : 1;
}
/** @} */

/** \name One thread for several samples of a line: plain/EvaluationScanlines.cuh
 * @{ */

/** \brief Threads of a block: two adjacent warps, in four slices. */
inline constexpr int ScanlineThreads = 256;

/** \brief How the kernel processes lines, for each method. */
struct ScanlineTuning
{
  int lanes;    ///< lanes of a warp along the lines; the others are rows
  int samples;  ///< samples of a thread
  int unrolled; ///< samples per iteration of the loop over those of a thread
};

/** \brief Linear interpolation: reads are short, and several are in flight at a time. */
inline constexpr ScanlineTuning LinearScanlineTuning{ 8, 16, 4 };

/** \brief Texture fetches: reads take long, and many warps are needed. */
inline constexpr ScanlineTuning TextureScanlineTuning{ 8, 8, 1 };
/** @} */

/** \name Boxes of the output, each with a tile of the input in shared memory: boxes/
 * TileShape has the pitches of the tile.
 * @{ */

/** \brief Maximum number of threads of a block: sums with derivatives need more than 64 registers. */
constexpr int
BoxThreads(Derivatives derivatives)
{
  return derivatives == Derivatives::None ? 512 : 256;
}

/** \brief Minimum number of resident blocks on a multiprocessor. */
constexpr int
BoxBlocks(Derivatives derivatives)
{
  return derivatives == Derivatives::None ? 2 : 3;
}
/** @} */

/** \name Tiles of the output that march along z: marches/
 * @{ */

/** \brief Threads of a block. */
inline constexpr int TileThreads = 256;

/** \brief Rows of the output in an in-plane tile, for each dimension. */
constexpr int
PlaneTileRows(unsigned int dimension)
{
  return dimension == 2 ? 64 : 16;
}

/** \brief Minimum number of resident blocks: of the separable kernel, and of the in-plane ones for each dimension. */
///@{
inline constexpr int SeparableBlocks = 2;
constexpr int
PlaneBlocks(unsigned int dimension)
{
  return dimension == 2 ? 5 : 2;
}
///@}

/** \brief Vectors (of 16 bytes) whose sums over y and z a thread of the separable kernel stores. */
inline constexpr int SeparableItems = 2;

/** \brief Maximum number of vectors (of 16 bytes) of a window that a thread copies. */
inline constexpr int WindowCopiesPerThread = 4;

/** \brief Number of windows of slices that are being copied into shared memory, or being read. */
inline constexpr int WindowStages = 4;

/** \brief Maximum shared memory of the windows of a block (bytes). */
inline constexpr int MaxWindowBytes = 72 << 10;

/** \brief Maximum number of columns of a window: TileThreads outputs, or 32 of a rotated tile, plus those of their
 * supports. */
inline constexpr int MaxWindowColumns = 512;
/** @} */

/** \brief Maximum number of blocks along the second and third axis of a grid: CUDA's own limit. */
inline constexpr std::int64_t MaxGridBlocks = 65535;

} // namespace itk::CudaSpline

#endif
