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
#ifndef itkCudaSpline_kernels_common_MemoryPlan_h
#define itkCudaSpline_kernels_common_MemoryPlan_h

#include <cstddef>
#include <cstdint>
#include <string>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The memory that an operation will allocate on a device, planned before any allocation.
 *
 * Memory of fixed size must fit: the source, and its workspace while it is made. The output is divided into slabs of
 * whole scanlines, double-buffered. A plan that does not fit has a reason, and the caller uses the next backend. */
struct MemoryPlan
{
  bool         fits{ true };        ///< whether it can run on the device
  std::size_t  sourceBytes{ 0 };    ///< elements of the source, kept while it is evaluated
  std::size_t  workspaceBytes{ 0 }; ///< while the source is made: second volume of the prefilter, chunks of raw pixels
  std::size_t  outsideBytes{ 0 };   ///< second source, for the values outside; made after the first
  std::size_t  tableBytes{ 0 };     ///< scanline ends
  std::size_t  slabBytes{ 0 };      ///< one of two output slabs
  std::int64_t slabLines{ 0 };      ///< scanlines per slab; a multiple of this number covers the output
  std::string  reason;              ///< why it does not fit; empty if it does

  /** The maximum number of bytes that are allocated at one time. */
  std::size_t
  PeakBytes() const
  {
    const std::size_t making = sourceBytes + workspaceBytes;
    const std::size_t evaluating = sourceBytes + outsideBytes + tableBytes + 2 * slabBytes;
    return making > evaluating ? making : evaluating;
  }
};

/** \brief Approximate size of output slabs, and interval of progress reports of transfers to a device. */
inline constexpr std::size_t TransferChunkBytes = std::size_t(64) << 20;

/** \brief Device memory for pixels that are converted on the device: a chunk for each thread that copies.
 *
 * \param[in] bytes bytes of the pixels */
std::size_t
RawBytes(std::size_t bytes);

/** @} */
} // namespace itk::CudaSpline

#endif
