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
#ifndef PrefilterBackends_h
#define PrefilterBackends_h

#include "itkCudaSpline/kernels/SampleSource.h"

#include <memory>

namespace itk::CudaSpline
{

/** \brief One axis of an N-dimensional array as lines; components are planes beside each other, so a slowest axis:
 * element (i, n, o) is at (o * length + n) * inner + i. */
struct AxisView
{
  std::int64_t inner;  ///< product of the sizes of the faster axes: elements between neighbours on a line
  std::int64_t length; ///< samples of a line
  std::int64_t outer;  ///< product of the sizes of the slower axes

  /** Number of lines. */
  std::int64_t
  Lines() const
  {
    return inner * outer;
  }
};

inline AxisView
ViewAxis(const SourceDescriptor & descriptor, unsigned int axis)
{
  AxisView view{ 1, descriptor.size[axis], descriptor.components };
  for (unsigned int d = 0; d < MaximumDimension; ++d)
  {
    (d < axis ? view.inner : view.outer) *= d == axis ? 1 : descriptor.size[d];
  }
  return view;
}

/** \brief Prefilter() on the host's threads. */
void
PrefilterOnCpu(const SourceDescriptor & descriptor,
               const void *             pixels,
               void *                   coefficients,
               const ExecutionContext & context);

/** \brief MakeSource() in device memory; there is none without the CUDA Toolkit. */
std::shared_ptr<const void>
PrefilterOnCuda(const SourceDescriptor & descriptor, const void * pixels, const ExecutionContext & context);

/** \brief Copies a device source to host memory. */
void
DownloadFromCuda(const SampleSource & source, void * elements, const ExecutionContext & context);

} // namespace itk::CudaSpline

#endif
