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
#include "itkCudaSplineImageAccess.h"
#include "itkCudaSpline/kernels/ContentChecksum.h"

#include <type_traits>
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
  // The coefficients depend on the whole image: as in ITK, it is brought up to date here.
  auto * const image = const_cast<TImageType *>(inputData);
  if (image->GetSource() != nullptr)
  {
    image->UpdateOutputInformation();
    image->SetRequestedRegionToLargestPossibleRegion();
    image->Update();
  }

  const CudaSplineMethod method = this->DescribeMethod(inputData);

  auto          filter = DecompositionFilter::New();
  const auto &  region = inputData->GetBufferedRegion();
  bool          isSame = false;
  std::uint64_t checksum = 0;
  // What the bytes of an adaptor mean depends on the adaptor: only plain images are known by their bytes.
  if constexpr (DecompositionFilter::IsAccelerated)
  {
    CudaSplineDetail::CheckNotEmpty(this, inputData);
    const CudaSplineHostExecutor executor(filter->GetMultiThreader());
    CudaSpline::ExecutionContext context;
    context.host = &executor;
    checksum = CudaSpline::ContentChecksum(
      inputData->GetBufferPointer(), region.GetNumberOfPixels() * sizeof(typename TImageType::PixelType), context);
    const auto & kept = this->m_Coefficients;
    isSame = kept.IsNotNull() && checksum == m_Checksum && m_CoefficientMethod.order == this->m_SplineOrder &&
             m_CoefficientMethod.extension == method.extension && kept->GetBufferedRegion() == region &&
             kept->GetSpacing() == inputData->GetSpacing() && kept->GetOrigin() == inputData->GetOrigin() &&
             kept->GetDirection() == inputData->GetDirection();
  }
  if (!isSame)
  {
    filter->SetInput(inputData);
    if constexpr (std::is_same<TImageType, Image<typename TImageType::PixelType, ImageDimension>>::value)
    {
      // A pipeline writes the requested region of its input, which interpolators of other threads may share: it gets
      // an image of its own with the same pixels. One that has a source belongs to a pipeline already.
      if (image->GetSource() == nullptr)
      {
        const auto graft = TImageType::New();
        graft->Graft(inputData);
        filter->SetInput(graft);
      }
    }
    filter->SetSplineOrder(this->m_SplineOrder);
    for (unsigned int d = 0; d < ImageDimension && this->m_SplineOrder >= 2 && this->HasAddressMode(); ++d)
    {
      filter->SetExtension(d, method.extension[d]);
    }
    filter->GetBackendSelection().CopyChoice(this->GetBackendSelection());
    filter->Update();
    this->GetBackendSelection().Record(filter->GetBackendSelection());
    this->m_Coefficients = filter->GetOutput();
    m_Checksum = checksum;
    m_CoefficientMethod = method;
  }
  // Past the superclass, which would decompose the image itself.
  InterpolateImageFunction<TImageType, TCoordRep>::SetInputImage(inputData);
  this->m_DataLength = region.GetSize();
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
