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
#ifndef CudaSplineRegister_StageInputs_h
#define CudaSplineRegister_StageInputs_h

#include "itkImage.h"
#include "itkImageMaskSpatialObject.h"
#include "itkTransform.h"

namespace CudaSplineRegister
{

/** \brief What a stage of one transform works on. */
template <typename TPixel, unsigned int VDimension>
struct StageInputs
{
  using ImageType = itk::Image<TPixel, VDimension>;
  using MaskType = itk::ImageMaskSpatialObject<VDimension>;
  using TransformType = itk::Transform<double, VDimension, VDimension>;
  typename ImageType::Pointer          fixed;
  typename ImageType::Pointer          moving;
  typename MaskType::Pointer           fixedMask;  ///< null: none
  typename MaskType::Pointer           movingMask; ///< null: none
  typename TransformType::ConstPointer before;     ///< what earlier stages found, which comes behind; null: none
  TransformType *                      transform;  ///< that is optimized, of the stage's kind
};

} // namespace CudaSplineRegister

#endif
