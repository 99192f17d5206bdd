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
#ifndef itkCudaSpline_kernels_resampling_PiecePlan_h
#define itkCudaSpline_kernels_resampling_PiecePlan_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/resampling/ResampleTask.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A box of the output and the box of the input that all of its samples read. */
struct ResamplePiece
{
  std::array<std::int64_t, 3> first{ { 0, 0, 0 } }; ///< of the wanted output: sample, line of a slice, slice
  std::array<std::int64_t, 3> size{ { 1, 1, 1 } };  ///< samples, lines of a slice, slices
  /** First sample of the input that is read, from the first one in memory. */
  std::array<std::int64_t, MaximumDimension> windowFirst{ { 0, 0, 0, 0 } };
  /** Samples of the input that are read, by axis. */
  std::array<std::int64_t, MaximumDimension> windowSize{ { 1, 1, 1, 1 } };
  MemoryPlan                                 memory; ///< what it takes on a device

  /** Samples of the window. */
  std::int64_t
  WindowCount() const
  {
    return windowSize[0] * windowSize[1] * windowSize[2] * windowSize[3];
  }
};

/** \brief How a resampling is cut into pieces, of which each fits the memory of a device. */
struct PiecePlan
{
  bool                       fits{ false }; ///< whether it could be cut so
  std::string                reason;        ///< why not
  std::vector<ResamplePiece> pieces;        ///< disjoint, they cover the wanted output

  /** The most that one of them allocates. */
  std::size_t
  PeakBytes() const;

  /** Samples of the input that are read for all of them. */
  std::int64_t
  WindowCount() const;
};

/** \brief Cuts a resampling into boxes of the output, each with the box of the input that it needs, until each fits.
 *
 * Where the samples of a box are is bounded, not computed: by the ends of its scanlines, which is exact, or, for a
 * chain of transforms, by intervals (see IndexBounds). To that box of the input come the support of the interpolation,
 * what the extension folds back, and, for B-splines that are filtered, as many segments as the recursion reads: the
 * window is an image of its own, made into a source of its own, and gives the bits of the whole, because its first
 * sample is at a multiple of LineSegmentLength and wrong coefficients near its ends are not read.
 *
 * Boxes are halved along the axis by which the least of the input is read, the slower one where that hardly differs.
 *
 * \param[in] task what is done, with its scanline ends or its chain
 * \param[in] budget bytes that a piece may allocate
 * \param[in] least as many pieces are made at least, where there are as many samples along an axis of the output
 * \param[in] host threads; null for the calling thread alone
 * \return the plan, or the reason why there is none: a transform that only the caller computes; coefficients in another
 *   storage than Element; a piece of one sample that does not fit; pieces that would read the input many times */
PiecePlan
PlanPieces(const ResampleTask & task, std::size_t budget, std::int64_t least, const HostExecutor * host);

/** \brief Sets the windows of boxes that a caller has cut a resampling into: what PlanPieces() does with its own.
 *
 * \param[in] task what is done, with its scanline ends or its chain
 * \param[in,out] pieces the boxes, which get their windows; of size 0 where no sample of a box reads the input
 * \param[in] host threads; null for the calling thread alone
 * \exception std::invalid_argument coefficients in another storage than Element */
void
SetWindows(const ResampleTask & task, std::vector<ResamplePiece> & pieces, const HostExecutor * host);

/** \brief The samples of a line from which some of its coefficients are computed, bit for bit as from the whole.
 *
 * Under Extension::GridWrap they may begin before the line, or end after it: those are the samples of the extension
 * there. Otherwise the window ends where the line does wherever the extension is asked, and has the line's own.
 *
 * \param[in] samples the whole image
 * \param[in] axis of the line
 * \param[in,out] first wanted coefficient, from the line's first sample; gets the first sample, a multiple of
 *   LineSegmentLength
 * \param[in,out] size as many; gets as many samples */
void
PrefilterWindow(const SourceDescriptor & samples, unsigned int axis, std::int64_t & first, std::int64_t & size);

/** \brief Lines of a slice and slices of the wanted output: those of the chain's region where there is a chain.
 *
 * \param[in] resampling what is done
 * \return samples, lines of a slice, slices */
std::array<std::int64_t, 3>
OutputSizeOf(const ResampleDescriptor & resampling);

/** \brief The task of a piece, without its scanline ends and its chain.
 *
 * \param[in] whole the task
 * \param[in] piece a box of its output, and its window */
ResampleTask
TaskOf(const ResampleTask & whole, const ResamplePiece & piece);

/** @} */
} // namespace itk::CudaSpline

#endif
