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
 * \brief The numbers that the evaluating kernels of a device are tuned by, for those who choose and plan kernels and
 * for the kernels, which are compiled with them.
 *
 * They follow from registers and shared memory, as said at each, or from measurements on an H100
 * (reproduction/PerformanceHistory.md). With other numbers kernels are as right, and slower. */

namespace itk::CudaSpline
{

/** \name A thread an output sample: plain/EvaluationLaunch.cuh
 * @{ */

/** \brief Threads of a block. */
inline constexpr unsigned int SampleThreads = 128;

/** \brief Blocks that shall be resident on a multiprocessor.
 *
 * It bounds the registers of the kernel, and those of WalkStages(), which it calls: a chain of transforms may spill, so
 * that a kernel does not pay for one that is not there. 72 registers are what the sum over a cubic support takes. */
constexpr unsigned int
SampleBlocks(bool sumsOverSupport, Derivatives derivatives)
{
  return derivatives == Derivatives::None ? (sumsOverSupport ? 7 : 8) : 1;
}
/** @} */

/** \name A thread some samples of a line: plain/EvaluationScanlines.cuh
 * @{ */

/** \brief Threads of a block: two adjacent warps, in four slices. */
inline constexpr int ScanlineThreads = 256;

/** \brief How the kernel goes along lines, by method. */
struct ScanlineTuning
{
  int lanes;    ///< of a warp along the lines; the others are rows
  int samples;  ///< of a thread
  int unrolled; ///< samples a turn of the loop over those of a thread
};

/** \brief Linear interpolation: reads are short, and several are on their way at a time. */
inline constexpr ScanlineTuning LinearScanlineTuning{ 8, 16, 4 };

/** \brief Fetches of a texture: reads take long, so that many warps are wanted. */
inline constexpr ScanlineTuning TextureScanlineTuning{ 8, 8, 1 };
/** @} */

/** \name Boxes of the output, each with a tile of the input in shared memory: boxes/
 * TileShape has the pitches of the tile.
 * @{ */

/** \brief Threads of a block, at most: sums with derivatives take more than 64 registers. */
constexpr int
BoxThreads(Derivatives derivatives)
{
  return derivatives == Derivatives::None ? 512 : 256;
}

/** \brief Blocks that shall be resident on a multiprocessor. */
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

/** \brief Rows of the output in an in-plane tile, by dimension. */
constexpr int
PlaneTileRows(unsigned int dimension)
{
  return dimension == 2 ? 64 : 16;
}

/** \brief Blocks that shall be resident: of the separable kernel, and of the in-plane ones by dimension. */
///@{
inline constexpr int SeparableBlocks = 2;
constexpr int
PlaneBlocks(unsigned int dimension)
{
  return dimension == 2 ? 5 : 2;
}
///@}

/** \brief Vectors (of 16 bytes) whose sums over y and z a thread of the separable kernel holds. */
inline constexpr int SeparableItems = 2;

/** \brief Vectors (of 16 bytes) of a window that a thread copies at most. */
inline constexpr int WindowCopiesPerThread = 4;

/** \brief Windows of slices that are on their way into shared memory, or being read. */
inline constexpr int WindowStages = 4;

/** \brief Bytes of shared memory that the windows of a block may take. */
inline constexpr int MaxWindowBytes = 72 << 10;

/** \brief Columns of a window at most: of TileThreads outputs, or 32 of a turned tile, and what their supports add. */
inline constexpr int MaxWindowColumns = 512;
/** @} */

/** \brief Blocks along the second and third axis of a grid, at most: CUDA's own limit. */
inline constexpr std::int64_t MaxGridBlocks = 65535;

} // namespace itk::CudaSpline

#endif
