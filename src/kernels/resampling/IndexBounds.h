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
#ifndef IndexBounds_h
#define IndexBounds_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/resampling/PiecePlan.h"

#include <array>
#include <cstdint>
#include <memory>

namespace itk::CudaSpline
{

/** \brief A box of continuous input indices; infinite if the bounds are unknown. */
struct IndexBox
{
  bool                  empty{ true }; ///< no sample reads the input
  std::array<double, 3> lower{ { 0, 0, 0 } };
  std::array<double, 3> upper{ { 0, 0, 0 } }; ///< included in the box

  /** Extends the box by another box. */
  void
  Include(const IndexBox & other);
};

/** \brief Bounds of the continuous indices at which the samples of a box of the output read the input.
 *
 * If samples are continued outside, indices outside the buffer are replaced by the nearest ones inside; else nothing is
 * read there. */
class IndexBounds
{
public:
  IndexBounds(const IndexBounds &) = delete;
  IndexBounds &
  operator=(const IndexBounds &) = delete;
  virtual ~IndexBounds() = default;

  /** \param[in] first sample, line of a slice, slice, \param[in] size number of each */
  virtual IndexBox
  Of(const std::array<std::int64_t, 3> & first, const std::array<std::int64_t, 3> & size) const = 0;

protected:
  explicit IndexBounds(const ResampleTask & task);

  /** The part of a box of indices that is read, with or without bounds. */
  IndexBox
  Read(const std::array<double, 3> & lower, const std::array<double, 3> & upper) const;

  const ResampleTask & m_Task;
};

/** \brief Creates bounds for the scanlines or the chain of a task, which they borrow; null if only the caller knows the
 * indices. */
std::unique_ptr<const IndexBounds>
MakeIndexBounds(const ResampleTask & task, const ExecutionContext & context);

} // namespace itk::CudaSpline

#endif
