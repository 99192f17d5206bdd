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
#ifndef itkCudaSplineCudaCommon_h
#define itkCudaSplineCudaCommon_h

#if defined(__has_include)
#  if __has_include("itkCudaImage.h") // otherwise this file has no content
#    define CUDASPLINE_HAS_CUDA_IMAGE
#  endif
#endif
#if defined(CUDASPLINE_HAS_CUDA_IMAGE)

#  include "itkCudaSpline/device/Device.h"
#  include "itkCudaSpline/device/Stream.h"
#  include "itkCudaSpline/itk/DevicePixels.h"

#  include "itkCudaImage.h"

#  include <cstddef>
#  include <memory>

/** \file
 * \brief The filters of the module read and write itk::CudaImage, the image class of ITKCudaCommon and RTK, in the
 * memory of the device.
 *
 * Include this file before the headers of the filters, in every file that uses them with itk::CudaImage. It needs the
 * module CudaCommon of ITK (doc/architecture/DeviceImages.md). */

namespace itk::CudaSplineDetail
{

/** \brief Device memory of itk::CudaImage.
 *
 * Its CudaDataManager owns the memory, also that of an output of the module's filters. Work in the default stream,
 * which ITKCudaCommon uses, is complete before the memory is read.
 *
 * \tparam TPixel pixel type
 * \tparam VDimension dimension
 * \ingroup CudaSpline */
template <typename TPixel, unsigned int VDimension>
struct OtherDeviceImage<CudaImage<TPixel, VDimension>>
{
  /** The image class. */
  using ImageType = CudaImage<TPixel, VDimension>;

  /** Images of the class can be in the memory of a device. */
  static constexpr bool HasMemory = true;

  /** Whether the current pixels are in device memory. */
  static bool
  IsOnDevice(const ImageType * image)
  {
    const CudaDataManager::Pointer manager = image->GetCudaDataManager();
    return manager->GetBufferSize() > 0 && manager->GetGPUBufferSize() == manager->GetBufferSize() &&
           !manager->IsGPUBufferDirty();
  }

  /** The current pixels if they are in the memory of the context's device, else null. */
  static std::shared_ptr<const void>
  Find(const ImageType * image, const CudaSpline::ExecutionContext & context)
  {
    if (context.backend != CudaSpline::Backend::Cuda || !IsOnDevice(image))
    {
      return nullptr;
    }
    const CudaDataManager::Pointer manager = image->GetCudaDataManager();
    const bool                     isHostOutdated = manager->IsCPUBufferDirty();
    void * const                   pixels = manager->GetGPUBufferPointer();
    manager->SetCPUDirtyFlag(isHostOutdated); // which GetGPUBufferPointer() sets, for callers that write
    if (CudaSpline::DeviceOfPointer(pixels) != context.device)
    {
      return nullptr;
    }
    const CudaSpline::DeviceScope scope(context.device);
    CudaSpline::Stream::Of(nullptr).Synchronize();
    return std::shared_ptr<const void>(pixels, Owner{ manager });
  }

  /** New memory for the pixels on the context's device; null for the host, or if the device has too little memory. */
  static std::shared_ptr<void>
  Allocate(const ImageType * image, const CudaSpline::ExecutionContext & context)
  {
    const std::size_t     bytes = image->GetBufferedRegion().GetNumberOfPixels() * sizeof(TPixel);
    constexpr std::size_t fraction = 4; // of the remaining memory, because later operations also need some
    if (context.backend != CudaSpline::Backend::Cuda || bytes == 0 ||
        bytes > CudaSpline::AvailableDeviceMemory(context.device) / fraction)
    {
      return nullptr;
    }
    const auto manager = CudaDataManager::New();
    manager->SetBufferSize(bytes);
    manager->SetGPUDirtyFlag(true);
    manager->SetCPUDirtyFlag(true);
    void * const pixels = manager->GetGPUBufferPointer(); // allocates, and copies nothing
    if (CudaSpline::DeviceOfPointer(pixels) != context.device)
    {
      return nullptr;
    }
    return std::shared_ptr<void>(pixels, Owner{ manager });
  }

  /** Makes that memory the current pixels. Null: the pixels were written to the host. */
  static void
  Set(ImageType * image, const std::shared_ptr<void> & memory)
  {
    const CudaDataManager::Pointer manager = image->GetCudaDataManager();
    if (memory != nullptr)
    {
      manager->Graft(std::get_deleter<Owner>(memory)->manager);
    }
    manager->SetCPUBufferPointer(GetHostPixels(image));
    if (memory == nullptr)
    {
      manager->SetCPUDirtyFlag(false);
      manager->SetGPUDirtyFlag(true);
    }
  }

private:
  /** Keeps memory: a deleter that deletes nothing itself. */
  struct Owner
  {
    void
    operator()(const void *) const
    {}
    CudaDataManager::Pointer manager;
  };
};

} // namespace itk::CudaSplineDetail

#endif
#endif
