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
#ifndef GaussianPasses_h
#define GaussianPasses_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include <cmath>
#include <cstdint>
#include <vector>

/** \file
 * \brief The line filters of an operation, and the operations on the two backends. */

namespace itk::CudaSpline
{

/** \brief A filter of all lines along an axis. */
struct GaussianPass
{
  unsigned int      axis;
  RecursiveGaussian filter;
};

/** \brief The filters of SmoothByGaussian(), in their order. */
std::vector<GaussianPass>
SmoothingPasses(const GaussianDescriptor & descriptor);

/** \brief The filters of a component of the gradient, in their order. */
std::vector<GaussianPass>
GradientPasses(const GaussianDescriptor & descriptor, unsigned int component);

/** \brief The lines of an axis: sample n of line (i, o) is at (o * length + n) * inner + i. */
struct GaussianLines
{
  std::int64_t inner;  ///< distance of neighbours on a line (elements)
  std::int64_t length; ///< samples of a line
  std::int64_t outer;  ///< lines divided by \c inner
};

inline GaussianLines
LinesOf(const GaussianDescriptor & descriptor, unsigned int axis)
{
  GaussianLines lines{ 1, descriptor.size[axis], 1 };
  for (unsigned int d = 0; d < MaximumDimension; ++d)
  {
    lines.inner *= d < axis ? descriptor.size[d] : 1;
    lines.outer *= d > axis ? descriptor.size[d] : 1;
  }
  return lines;
}

/** \brief Number of samples of a line between two states of the causal recursion that a device stores. */
inline constexpr int GaussianSegmentLength = 16;

/** \brief Bytes of these states: four doubles for each segment except the first, for each line. */
inline std::size_t
GaussianNotesBytes(const GaussianLines & lines)
{
  const std::int64_t segments = (lines.length + GaussianSegmentLength - 1) / GaussianSegmentLength;
  return static_cast<std::size_t>(lines.inner * lines.outer * (segments - 1)) * 4 * sizeof(double);
}

/** \brief The element type of the source that transfers pixels to a device: a type that represents them as exactly as
 * ITK's double. */
inline ScalarType
GaussianElementOf(ScalarType pixel)
{
  return pixel == ScalarType::Float32 || SizeOf(pixel) <= 2 ? ScalarType::Float32 : ScalarType::Float64;
}

/** \brief Stores the magnitude of a gradient, with ITK's roundings: the sum of squares is a float after each component.
 *
 * \param[in] components the components of the gradient, at a distance of \p stride
 * \param[in] dimension number of components
 * \param[out] output image of pixels of a type, of which one is stored at \p index */
CUDASPLINE_HOST_DEVICE inline void
StoreGaussianMagnitude(const float * components,
                       std::int64_t  stride,
                       unsigned int  dimension,
                       void *        output,
                       ScalarType    type,
                       std::int64_t  index)
{
  float sum = 0.0F;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    const double component = components[d * stride];
    sum = RoundedToSingle(sum + component * component); // the product of two floats is exact
  }
  const double magnitude = std::sqrt(static_cast<double>(sum));
  if (type == ScalarType::Float32)
  {
    static_cast<float *>(output)[index] = RoundedToSingle(magnitude); // infinity is preserved
  }
  else
  {
    StoreScalar(output, type, index, magnitude);
  }
}

/** \brief The operations of kernels/gaussian/RecursiveGaussian.h on the host's threads; arguments have been checked.
 *
 * For gradients, component c of pixel i is written to \p output [i * pixelStride + c * componentStride]. */
///@{
void
SmoothOnCpu(const GaussianDescriptor & descriptor,
            const void *               pixels,
            void *                     output,
            const ExecutionContext &   context);
void
GradientOnCpu(const GaussianDescriptor & descriptor,
              const void *               pixels,
              void *                     output,
              std::int64_t               pixelStride,
              std::int64_t               componentStride,
              const ExecutionContext &   context);
void
GradientMagnitudeOnCpu(const GaussianDescriptor & descriptor,
                       const void *               pixels,
                       void *                     output,
                       const ExecutionContext &   context);
///@}

/** \brief The operations on a device; not available without the CUDA Toolkit. */
///@{
void
SmoothOnCuda(const GaussianDescriptor & descriptor,
             const void *               pixels,
             void *                     output,
             const ExecutionContext &   context);
void
GradientOnCuda(const GaussianDescriptor & descriptor,
               const void *               pixels,
               void *                     output,
               const ExecutionContext &   context);
void
GradientMagnitudeOnCuda(const GaussianDescriptor & descriptor,
                        const void *               pixels,
                        void *                     output,
                        const ExecutionContext &   context);
std::shared_ptr<const SampleSource>
GradientSourceOnCuda(const GaussianDescriptor & descriptor,
                     const SourceDescriptor &   source,
                     const void *               pixels,
                     const ExecutionContext &   context);
void
SmoothResidentOnCuda(const GaussianDescriptor & descriptor,
                     std::size_t                notesBytes,
                     const void *               pixels,
                     void *                     output,
                     void *                     scratch,
                     const Residence &          residence);
void
GradientResidentOnCuda(const GaussianDescriptor & descriptor,
                       std::size_t                notesBytes,
                       const void *               pixels,
                       void *                     gradients,
                       std::int64_t               pixelStride,
                       std::int64_t               componentStride,
                       void *                     scratch,
                       const Residence &          residence);
///@}

class Stream;

/** \brief Enqueues filters of floats in device memory.
 *
 * \param[in] passes the filters in their order
 * \param[in] samples input of the first filter
 * \param[in,out] volume output of the first filter, which the others filter in place; may be \p samples
 * \param[in] notes GaussianNotesBytes() of the axis with the largest number */
void
LaunchGaussianPasses(const GaussianDescriptor &        descriptor,
                     const std::vector<GaussianPass> & passes,
                     const float *                     samples,
                     float *                           volume,
                     double *                          notes,
                     const Stream &                    stream);

} // namespace itk::CudaSpline

#endif
