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
#ifndef AffineScanlinesCuda_h
#define AffineScanlinesCuda_h

#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/math/AffineScanlines.h"

#include <cstdint>

namespace itk::CudaSpline
{

/** \brief Enqueues the computation of a table of scanline ends, and of the fractions of a line at its samples.
 *
 * \param[in] scanlines the map
 * \param[in] lines scanlines of the whole output
 * \param[out] ends ends of each scanline, in device memory
 * \param[out] alphas fraction of each sample of a line, in device memory
 * \param[in] stream the stream
 * \exception DeviceError the launch failed */
template <unsigned int VDimension>
void
LaunchMapScanlines(const AffineScanlines<VDimension> & scanlines,
                   std::int64_t                        lines,
                   ScanlineEnds<VDimension> *          ends,
                   double *                            alphas,
                   const Stream &                      stream);

/** \brief Enqueues the making of a table of the displacements at the ends of scanlines.
 *
 * \param[in] scanlines the map
 * \param[in] lines scanlines of the whole output
 * \param[out] ends displacements of each (mm), device memory
 * \param[in] stream the stream
 * \exception DeviceError the launch failed */
template <unsigned int VDimension>
void
LaunchMoveScanlines(const AffineScanlines<VDimension> & scanlines,
                    std::int64_t                        lines,
                    ScanlineEnds<VDimension> *          ends,
                    const Stream &                      stream);

} // namespace itk::CudaSpline

#endif
