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

/** \brief A box of the output, and the box of the input that all of its samples read. */
struct ResamplePiece
{
  std::array<std::int64_t, 3> first{ { 0, 0, 0 } }; ///< in the requested output: sample, line of a slice, slice
  std::array<std::int64_t, 3> size{ { 1, 1, 1 } };  ///< samples, lines of a slice, slices
  /** First sample of the input that is read, relative to the first one in memory. */
  std::array<std::int64_t, MaximumDimension> windowFirst{ { 0, 0, 0, 0 } };
  /** Samples of the input that are read, along each axis. */
  std::array<std::int64_t, MaximumDimension> windowSize{ { 1, 1, 1, 1 } };
  MemoryPlan                                 memory; ///< its memory on a device

  /** Samples of the window. */
  std::int64_t
  WindowCount() const
  {
    return windowSize[0] * windowSize[1] * windowSize[2] * windowSize[3];
  }
};

/** \brief A division of a resampling into pieces that fit the memory of a device. */
struct PiecePlan
{
  bool                       fits{ false }; ///< whether such a division exists
  std::string                reason;        ///< why it does not exist
  std::vector<ResamplePiece> pieces;        ///< disjoint boxes that cover the requested output

  /** The maximum number of bytes that a piece allocates. */
  std::size_t
  PeakBytes() const;

  /** Samples of the input that all pieces read. */
  std::int64_t
  WindowCount() const;
};

/** \brief Divides a resampling into boxes of the output, each with the box of the input that it needs, until each of
 * them fits.
 *
 * The input points of a box are bounded, not computed: by the ends of its scanlines, which is exact, or, for a chain of
 * transforms, by intervals (see IndexBounds). That box of the input is enlarged by the support of the interpolation, by
 * the samples that the extension folds back, and, for filtered B-splines, by as many segments as the recursion reads.
 * This window is filtered as a separate image, with a separate source. The results are bitwise equal to those of the
 * whole, because its first sample is at a multiple of LineSegmentLength and inexact coefficients near its ends are not
 * read.
 *
 * Boxes are halved along the axis that minimizes the samples that are read from the input; the slower axis if there is
 * hardly a difference.
 *
 * \param[in] task the resampling, with its scanline ends or its chain
 * \param[in] budget bytes that a piece may allocate
 * \param[in] least minimum number of pieces, if an axis of the output has enough samples
 * \param[in] host threads; null: only the calling thread
 * \return the plan, or the reason why there is none: a transform that only the caller computes; coefficients in another
 * storage than Element; a piece of one sample that does not fit; pieces that would read the input many times */
PiecePlan
PlanPieces(const ResampleTask & task, std::size_t budget, std::int64_t least, const HostExecutor * host);

/** \brief Sets the input windows of boxes into which a caller has divided a resampling, as PlanPieces() does for its
 * own.
 *
 * \param[in] task the resampling, with its scanline ends or its chain
 * \param[in,out] pieces the boxes, whose windows are set; of size 0 if no sample of a box reads the input
 * \param[in] host threads; null: only the calling thread
 * \exception std::invalid_argument coefficients in another storage than Element */
void
SetWindows(const ResampleTask & task, std::vector<ResamplePiece> & pieces, const HostExecutor * host);

/** \brief Finds the samples of a line that are needed to compute some of its coefficients, bitwise equal to those from
 * the whole line.
 *
 * With Extension::GridWrap the window may begin before the line, or end after it: there its samples are those of the
 * extension. Otherwise the window ends at the end of the line wherever the extension is needed, and the line's
 * extension applies.
 *
 * \param[in] samples the whole image
 * \param[in] axis axis of the line
 * \param[in,out] first first requested coefficient, relative to the line's first sample; receives the first sample, a
 * multiple of LineSegmentLength
 * \param[in,out] size number of coefficients; receives the number of samples */
void
PrefilterWindow(const SourceDescriptor & samples, unsigned int axis, std::int64_t & first, std::int64_t & size);

/** \brief Lines of a slice and slices of the requested output: those of the chain's region if there is a chain.
 *
 * \param[in] resampling the resampling
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
