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
#ifndef itkCudaSpline_kernels_metrics_MetricSamples_h
#define itkCudaSpline_kernels_metrics_MetricSamples_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"

#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Values of an image at the samples of a metric, on the host: those of the fixed image, which stay the same.
 *
 * The image stands where a metric has its moving image (MetricSources::moving, with MetricDescriptor::interpolation and
 * the input of the chain), its mask where the moving mask is, and what leads from the virtual domain to its space are
 * the stages of the chain. Values are those of itk::LinearInterpolateImageFunction and
 * itk::NearestNeighborInterpolateImageFunction, bit for bit: computed in double, and rounded where pixels are float.
 *
 * \param[in] descriptor samples, image and mask: stages are Affine, the interpolation is Nearest or Linear
 * \param[in] sources \c moving (its pixels as they are), \c points and \c mask, of Backend::Cpu; no others are read
 * \param[in] context threads of the host
 * \param[out] values a number for each sample, of the type of the image's elements; 0 where it is outside
 * \param[out] inside 1 for each sample that lies in the image and its mask, 0 for the others
 * \return whether all are inside
 * \exception std::invalid_argument sources that do not fit the descriptor */
bool
SampleForMetric(const MetricDescriptor & descriptor,
                const MetricSources &    sources,
                const ExecutionContext & context,
                void *                   values,
                std::uint8_t *           inside);

/** \brief Whether SampleForMetric() would find the pixels of the image as they are, one after the other.
 *
 * So it is where the virtual grid is the image's and no coordinate is rounded away from an index. Only grids along the
 * axes of space are looked at: one index for each sample of each axis.
 *
 * \param[in] descriptor, sources as for SampleForMetric() */
bool
AreSamplesPixels(const MetricDescriptor & descriptor, const MetricSources & sources);

/** @} */
} // namespace itk::CudaSpline

#endif
