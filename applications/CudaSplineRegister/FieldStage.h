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
#ifndef CudaSplineRegister_FieldStage_h
#define CudaSplineRegister_FieldStage_h

#include "Error.h"
#include "Registration.h"

#include "itkDisplacementFieldTransform.h"
#include "itkImage.h"
#include "itkImageMaskSpatialObject.h"

#include <limits>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief A pair of images beside the first one; masks may be null. */
template <typename TPixel, unsigned int VDimension>
struct FieldPair
{
  typename itk::Image<TPixel, VDimension>::Pointer          fixed;
  typename itk::Image<TPixel, VDimension>::Pointer          moving;
  typename itk::ImageMaskSpatialObject<VDimension>::Pointer fixedMask;
  typename itk::ImageMaskSpatialObject<VDimension>::Pointer movingMask;
};

/** \brief What a stage of fields works on. */
template <typename TPixel, unsigned int VDimension>
struct FieldInputs
{
  using ImageType = itk::Image<TPixel, VDimension>;
  using MaskType = itk::ImageMaskSpatialObject<VDimension>;
  typename ImageType::Pointer                fixed;
  typename ImageType::Pointer                moving;
  typename MaskType::Pointer                 fixedMask;  ///< null: none
  typename MaskType::Pointer                 movingMask; ///< null: none
  std::vector<FieldPair<TPixel, VDimension>> further;    ///< of which a stage compares those that it has metrics for
  typename itk::Transform<double, VDimension, VDimension>::ConstPointer
    before; ///< what earlier stages found; null: none
};

/** \brief What a stage of fields found. */
template <unsigned int VDimension>
struct FieldOutcome
{
  typename itk::DisplacementFieldTransform<double, VDimension>::Pointer
              transform; ///< with its inverse, on the grid of the last level
  StageResult stage;
  bool        isStopped{ false }; ///< by the signal
};

/** \brief Why a level of a stage of fields ended.
 *
 * \param[in] convergence its last value, \param[in] least the one that ends a level */
inline std::string
DescribeFieldStop(bool isStopped, bool isConverged, double convergence, double least)
{
  return isStopped     ? "a signal"
         : isConverged ? "the convergence value " + Brief(convergence) + " is below " + Brief(least)
                       : "all iterations are done";
}

} // namespace CudaSplineRegister

#endif
