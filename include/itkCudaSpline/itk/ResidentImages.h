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
#ifndef itkCudaSpline_itk_ResidentImages_h
#define itkCudaSpline_itk_ResidentImages_h

#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"

/** \file
 * \brief Images of ITK in the memory of a backend. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief An image in the memory of a residence: uploaded to a device, borrowed on the host. */
template <typename TImage>
CudaSpline::ResidentImage
MakeResident(const TImage * image, const CudaSpline::Residence & residence)
{
  return image == nullptr
           ? CudaSpline::ResidentImage()
           : CudaSpline::MakeResidentImage(DescribeFieldGrid<TImage::ImageDimension>(image, image->GetBufferedRegion()),
                                           CudaSpline::ScalarTypeOf<typename TImage::PixelType>(),
                                           image->GetBufferPointer(),
                                           residence);
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
