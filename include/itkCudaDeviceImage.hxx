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
#ifndef itkCudaDeviceImage_hxx
#define itkCudaDeviceImage_hxx

#include "itkCudaDeviceImage.h"
#include "itkCudaSpline/device/DeviceError.h"

namespace itk
{

template <typename TPixel, unsigned int VImageDimension>
void
CudaDeviceImage<TPixel, VImageDimension>::Allocate(bool initializePixels)
{
  this->SetDeviceMemory(nullptr);
  Superclass::Allocate(initializePixels);
}

template <typename TPixel, unsigned int VImageDimension>
void
CudaDeviceImage<TPixel, VImageDimension>::Initialize()
{
  Superclass::Initialize();
  this->Share(nullptr); // others keep what they share
}

template <typename TPixel, unsigned int VImageDimension>
void
CudaDeviceImage<TPixel, VImageDimension>::Graft(const Superclass * image)
{
  Superclass::Graft(image);
  if (image != nullptr)
  {
    this->Share(dynamic_cast<const DevicePixels *>(image));
  }
}

template <typename TPixel, unsigned int VImageDimension>
TPixel *
CudaDeviceImage<TPixel, VImageDimension>::GetBufferPointer()
{
  this->MoveToHost();
  return Superclass::GetBufferPointer();
}

template <typename TPixel, unsigned int VImageDimension>
const TPixel *
CudaDeviceImage<TPixel, VImageDimension>::GetBufferPointer() const
{
  this->MoveToHost();
  return Superclass::GetBufferPointer();
}

template <typename TPixel, unsigned int VImageDimension>
void
CudaDeviceImage<TPixel, VImageDimension>::UpdateOutputData()
{
  Superclass::UpdateOutputData();
  if (this->IsOnDevice() && !this->IsReadOnDevice())
  {
    this->MoveToHost(MultiThreaderBase::New());
  }
}

template <typename TPixel, unsigned int VImageDimension>
void
CudaDeviceImage<TPixel, VImageDimension>::MoveToHost() const
{
  this->MoveToHost(nullptr);
}

template <typename TPixel, unsigned int VImageDimension>
void
CudaDeviceImage<TPixel, VImageDimension>::MoveToHost(MultiThreaderBase * threads) const
{
  if (!this->IsOnDevice())
  {
    return;
  }
  auto * const self = const_cast<Self *>(this);
  try
  {
    this->CopyToHost(self->GetPixelContainer()->GetBufferPointer(), threads);
  }
  catch (const CudaSpline::DeviceError & error)
  {
    self->ReleaseData(); // the next update computes the pixels again
    itkExceptionMacro(<< "The pixels are lost, because the device that had them has failed: " << error.what()
                      << ". Update the filter again to compute them on the host.");
  }
}

template <typename TPixel, unsigned int VImageDimension>
void
CudaDeviceImage<TPixel, VImageDimension>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "IsOnDevice: " << (this->IsOnDevice() ? "Yes" : "No") << std::endl;
}

} // namespace itk

#endif
