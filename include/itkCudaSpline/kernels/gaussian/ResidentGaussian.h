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
#ifndef itkCudaSpline_kernels_gaussian_ResidentGaussian_h
#define itkCudaSpline_kernels_gaussian_ResidentGaussian_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"

#include <cstddef>

/** \file
 * \brief The filters of RecursiveGaussian.h for images that stay in the memory of a backend. They are asynchronous, and
 * the results are bitwise equal. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Bytes of scratch memory of SmoothResident() and MakeResidentGradient(); 0 on the host.
 *
 * \param[in] descriptor image and Gaussians
 * \param[in] operation Smoothing, or Gradient
 * \param[in] backend Cuda or Cpu */
std::size_t
CountResidentGaussianScratch(const GaussianDescriptor & descriptor, GaussianOperation operation, Backend backend);

/** \brief SmoothByGaussian() for an image in the memory of the backend.
 *
 * \param[in] descriptor image and Gaussians; pixels are float32 or float64, and the output has their type
 * \param[in] pixels x fastest
 * \param[out] output as many pixels; not \p pixels
 * \param[out] scratch CountResidentGaussianScratch() bytes
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument as for SmoothByGaussian(), or other types */
void
SmoothResident(const GaussianDescriptor & descriptor,
               const void *               pixels,
               void *                     output,
               void *                     scratch,
               const Residence &          residence);

/** \brief Memory layout of the components of gradients. */
enum class GradientLayout : unsigned char
{
  Vectors, ///< \c dimension components per pixel, contiguous
  Planes   ///< one image per component, one after the other: the layout of SampleSource
};

/** \brief MakeGaussianGradient() for an image in the memory of the backend.
 *
 * \param[in] descriptor image and Gaussians; pixels are float32 or float64
 * \param[in] pixels x fastest
 * \param[out] gradients \c dimension components per pixel
 * \param[out] scratch CountResidentGaussianScratch() bytes
 * \param[in] residence memory of the backend
 * \param[in] layout layout of the gradients
 * \exception std::invalid_argument as for MakeGaussianGradient(), or other pixels */
void
MakeResidentGradient(const GaussianDescriptor & descriptor,
                     const void *               pixels,
                     void *                     gradients,
                     void *                     scratch,
                     const Residence &          residence,
                     GradientLayout             layout = GradientLayout::Vectors);

/** @} */
} // namespace itk::CudaSpline

#endif
