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
#ifndef RangeUnderMask_h
#define RangeUnderMask_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"
#include "itkCudaSpline/kernels/registration/RotationSearch.h"

#include "kernels/metrics/images/PixelRange.h"

#include <memory>

/** \file
 * \brief The range of an image of a registration under its mask. */

namespace itk::CudaSpline
{

/** \brief Resamples a mask to the grid of its image with the nearest pixel; null: no mask. */
std::shared_ptr<const void>
MaskOn(const FieldGrid & grid, const ResidentImage & mask, const Residence & residence);

/** \brief The range of an image's pixels under its mask. The call waits. */
PixelRange
FindPixelRange(const SynSide & side, const Residence & residence);

/** \brief The same for an image whose arrays are in the memory of the backend. */
PixelRange
FindPixelRange(const MaskedImage & image, const Residence & residence);

} // namespace itk::CudaSpline

#endif
