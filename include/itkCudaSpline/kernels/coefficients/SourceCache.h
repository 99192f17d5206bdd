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
#ifndef itkCudaSpline_kernels_coefficients_SourceCache_h
#define itkCudaSpline_kernels_coefficients_SourceCache_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <mutex>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Keeps sources for operations on the same pixels: one after the other, or of several objects and threads.
 *
 * A source is identified by its content: the descriptor, the backend and device, and a checksum of all pixels
 * (ContentChecksum()). The array of the pixels does not matter, and pixels that were changed in place are not confused
 * with the former ones.
 *
 * The total size of all sources on the host and all devices is limited, and so is their number. The least recently used
 * sources are removed first, before the memory for a new one is allocated. A source that is still referenced remains
 * valid outside the cache. All functions are thread-safe. */
class SourceCache
{
public:
  /** \param[in] maximumBytes maximum bytes of all sources
   * \param[in] maximumSources maximum number of sources */
  explicit SourceCache(std::size_t maximumBytes = std::numeric_limits<std::size_t>::max(),
                       std::size_t maximumSources = std::numeric_limits<std::size_t>::max());
  SourceCache(const SourceCache &) = delete;
  SourceCache &
  operator=(const SourceCache &) = delete;
  ~SourceCache() = default;

  /** \brief Returns the source of some pixels: a cached one, or a new one of MakeSource(), which is cached.
   *
   * If the host backend reads the original pixels (SourceDescriptor::NeedsPreparation()), the source is not cached.
   * \param[in] descriptor, pixels, context as for MakeSource()
   * \param[out] reused whether it was cached; may be null
   * \exception exceptions of MakeSource() */
  std::shared_ptr<const SampleSource>
  Provide(const SourceDescriptor & descriptor,
          const void *             pixels,
          const ExecutionContext & context,
          bool *                   reused = nullptr);

  /** \brief Bytes of the sources with this descriptor on a backend and device, which Provide() may find. */
  std::size_t
  GetBytesOf(const SourceDescriptor & descriptor, Backend backend, int device) const;

  /** \brief Bytes of all sources on a device. */
  std::size_t
  GetBytesOnDevice(int device) const;

  /** \brief Bytes of all sources. */
  std::size_t
  GetBytes() const;

  /** \brief Sets the limit, and removes sources that exceed it. */
  void
  SetMaximumBytes(std::size_t bytes);

  /** \brief The limit. */
  std::size_t
  GetMaximumBytes() const;

  /** \brief Removes all sources. */
  void
  Clear();

private:
  struct Entry
  {
    std::uint64_t                       checksum;
    std::shared_ptr<const SampleSource> source;
  };

  /** Removes sources until one with these bytes fits. The caller has locked the mutex. */
  void
  MakeRoom(std::size_t bytes);

  mutable std::mutex m_Mutex;
  std::list<Entry>   m_Entries; ///< the most recently used one first
  std::size_t        m_Bytes{ 0 };
  std::size_t        m_MaximumBytes;
  std::size_t        m_MaximumSources;
};

/** @} */
} // namespace itk::CudaSpline

#endif
