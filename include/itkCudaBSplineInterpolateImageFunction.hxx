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
#ifndef itkCudaBSplineInterpolateImageFunction_hxx
#define itkCudaBSplineInterpolateImageFunction_hxx

#include "itkCudaBSplineInterpolateImageFunction.h"

#include <typeinfo>

namespace itk
{

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
void
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::SetInputImage(
  const TImageType * inputData)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  if (inputData == nullptr)
  {
    this->m_Coefficients = nullptr;
    return;
  }
  CudaSplineDetail::MakeCoefficients(
    this, inputData, this->DescribeMethod(inputData), this->GetBackendSelection(), m_Record, this->m_Coefficients);
  // Past the superclass, which would decompose the image itself.
  InterpolateImageFunction<TImageType, TCoordRep>::SetInputImage(inputData);
  this->m_DataLength = inputData->GetBufferedRegion().GetSize();
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
void
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::MethodChanged()
{
  if (this->m_Coefficients.IsNotNull() && this->GetInputImage() != nullptr)
  {
    this->SetInputImage(this->GetInputImage());
  }
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
CudaSplineMethod
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::DescribeMethod(
  const ImageBase<ImageDimension> *) const
{
  CudaSplineMethod method = this->DescribeSpline();
  method.interpolation.mode = m_Mode;
  method.storage = m_Mode == ModeEnum::Exact || m_Storage != StorageEnum::Element ? m_Storage : StorageEnum::Texture;
  method.tableEntries = m_Mode == ModeEnum::TextureTable ? m_NumberOfTableEntries : 0;
  this->RefuseUnlessSame(typeid(*this), typeid(Self), method);
  return method;
}

} // namespace itk

#endif
