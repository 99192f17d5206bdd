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

/** \brief Values of an image at the samples of a metric, on the host: those of the fixed image, which do not change
 * during a registration.
 *
 * The image is given in the fields of the moving image (MetricSources::moving, with MetricDescriptor::interpolation and
 * the input of the chain), and its mask in those of the moving mask. The stages of the chain map the virtual domain to
 * its space. Values are bitwise equal to those of itk::LinearInterpolateImageFunction and
 * itk::NearestNeighborInterpolateImageFunction: computed in double, and rounded if pixels are float.
 *
 * \param[in] descriptor samples, image and mask: stages are Affine, the interpolation is Nearest or Linear
 * \param[in] sources \c moving (unfiltered pixels), \c points and \c mask, of Backend::Cpu; others are not read
 * \param[in] context threads of the host
 * \param[out] values one number per sample, of the type of the image's elements; 0 where it is outside
 * \param[out] inside 1 for each sample in the image and its mask, 0 for the others
 * \return whether all are inside
 * \exception std::invalid_argument sources that do not fit the descriptor */
bool
SampleForMetric(const MetricDescriptor & descriptor,
                const MetricSources &    sources,
                const ExecutionContext & context,
                void *                   values,
                std::uint8_t *           inside);

/** \brief Whether SampleForMetric() would return the unchanged pixels of the image in their order.
 *
 * This is the case if the virtual grid is the image's and no coordinate is rounded away from an index. Only grids along
 * the axes of physical space are tested, with one index for each sample of each axis.
 *
 * \param[in] descriptor, sources as for SampleForMetric() */
bool
AreSamplesPixels(const MetricDescriptor & descriptor, const MetricSources & sources);

/** @} */
} // namespace itk::CudaSpline

#endif
