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
#ifndef itkCudaSpline_itk_DevicePixels_h
#define itkCudaSpline_itk_DevicePixels_h

#include "CudaSplineExport.h"
#include "itkCudaSpline/kernels/common/MirroredArray.h"

#include "itkImage.h"
#include "itkMultiThreaderBase.h"
#include "itkProcessObject.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

/** \file
 * \brief How filters read the pixels of images from device memory, and leave them there
 * (doc/architecture/DeviceImages.md). */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief The pixels of a CudaDeviceImage: the part that does not depend on the type of the image. */
class CudaSpline_EXPORT DevicePixels
{
public:
  DevicePixels(const DevicePixels &) = delete;
  DevicePixels &
  operator=(const DevicePixels &) = delete;
  virtual ~DevicePixels();

  /** Whether the current pixels are in device memory, and those in host memory are undefined. */
  bool
  IsOnDevice() const
  {
    return m_Array->IsOnBackend();
  }
  /** The device memory with the current pixels; null if they are in host memory. */
  std::shared_ptr<const CudaSpline::BackendMemory>
  GetDeviceMemory() const
  {
    return m_Array->Get();
  }
  /** Makes device memory the current pixels. Null makes those in host memory current. */
  void
  SetDeviceMemory(std::shared_ptr<const CudaSpline::BackendMemory> memory);

  /** Copies the current pixels to host memory if they are not there. The device memory is then released.
   *
   * \exception ExceptionObject the device has failed; the image is then released, and an update computes it again */
  virtual void
  MoveToHost() const = 0;

  /** Whether a filter that reads device memory is updating this image. */
  bool
  IsReadOnDevice() const
  {
    return m_Readers > 0;
  }

protected:
  DevicePixels();

  /** Copies the pixels to host memory with the given threads, or with new threads if \p threads is null.
   *
   * \exception CudaSpline::DeviceError as for MirroredArray::MoveToHost() */
  void
  CopyToHost(void * host, MultiThreaderBase * threads) const;

  /** Shares the pixels of another image. If \p other is null the pixels are in host memory. */
  void
  Share(const DevicePixels * other);

private:
  friend class DeviceReader;

  std::shared_ptr<CudaSpline::MirroredArray> m_Array; ///< shared by grafted images
  std::atomic<unsigned int>                  m_Readers{ 0 };
};

/** \brief Announces, while it exists, that the pixels of an image are read in the memory where they are. */
class CudaSpline_EXPORT DeviceReader
{
public:
  /** \param[in] pixels the image's pixels; null: nothing is announced */
  explicit DeviceReader(DevicePixels * pixels);
  DeviceReader(const DeviceReader &) = delete;
  DeviceReader &
  operator=(const DeviceReader &) = delete;
  /** \param[in] other does not announce anything afterwards */
  DeviceReader(DeviceReader && other) noexcept;
  ~DeviceReader();

private:
  DevicePixels * m_Pixels;
};

/** \brief Updates the inputs of a filter that reads device memory. Their pixels stay there while this object exists.
 *
 * Images are announced one by one: the pixels of images that are computed for other filters meanwhile are copied to the
 * host as usual. */
class CudaSpline_EXPORT DeviceInputs
{
public:
  /** \param[in] filter the filter
   * \param[in,out] isUpdating of the filter: whether an update is running, as in ITK
   * \param[in] isAccelerated whether the module can compute the filter's operation */
  DeviceInputs(ProcessObject & filter, bool & isUpdating, bool isAccelerated);

private:
  std::vector<DeviceReader> m_Readers;
};

/** \brief Copies the pixels of all inputs of a filter to host memory, before code of ITK reads them. */
CudaSpline_EXPORT void
MoveInputsToHost(ProcessObject & filter);

/** \brief Bytes of a filter's inputs that are already in the memory of a device. */
CudaSpline_EXPORT std::size_t
                  CountBytesOnDevice(ProcessObject & filter, int device);

/** \brief Access to the device memory of an image class of another module. The primary template is for classes without
 * such memory; itkCudaSplineCudaCommon.h has a specialization.
 *
 * A specialization with \c HasMemory true has these functions:
 *
 * \code
 * // The current pixels if they are in the memory of the context's device, else null. The result keeps the memory.
 * static std::shared_ptr<const void>
 * Find(const TImage * image, const CudaSpline::ExecutionContext & context);
 * // New memory for the pixels on the context's device, or null if the pixels are to be written to the host.
 * static std::shared_ptr<void>
 * Allocate(const TImage * image, const CudaSpline::ExecutionContext & context);
 * // Makes that memory the current pixels. Null: the pixels were written to the host.
 * static void
 * Set(TImage * image, const std::shared_ptr<void> & memory);
 * // Whether the current pixels are in device memory.
 * static bool
 * IsOnDevice(const TImage * image);
 * \endcode
 *
 * \tparam TImage image type */
template <typename TImage>
struct OtherDeviceImage
{
  /** Whether images of the type can be in the memory of a device. */
  static constexpr bool HasMemory = false;
};

/** \brief Address of the pixels in host memory, whether they are current or not. The pixels are not copied.
 *
 * \tparam TImage image type; one that hides GetPixelContainer() derives from itk::Image */
template <typename TImage>
auto *
GetHostPixels(const TImage * image)
{
  if constexpr (OtherDeviceImage<TImage>::HasMemory)
  {
    return GetHostPixels<Image<typename TImage::PixelType, TImage::ImageDimension>>(image);
  }
  else
  {
    auto * const container = const_cast<TImage *>(image)->GetPixelContainer();
    return container != nullptr ? container->GetBufferPointer() : nullptr;
  }
}

/** \brief Whether an image has pixels, on a device or on the host. */
template <typename TImage>
bool
HasPixels(const TImage * image)
{
  if constexpr (OtherDeviceImage<TImage>::HasMemory)
  {
    if (OtherDeviceImage<TImage>::IsOnDevice(image))
    {
      return true;
    }
  }
  return GetHostPixels(image) != nullptr;
}

/** \brief The pixels of an image that an operation reads: in the memory of its device if they are there, else in host
 * memory.
 *
 * It exists while the operation runs. */
class CudaSpline_EXPORT PixelsToRead
{
public:
  /** \param[in] image the image
   * \param[in] context where the operation runs */
  template <typename TImage>
  PixelsToRead(const TImage * image, const CudaSpline::ExecutionContext & context)
    : m_Memory(Find(image, context))
    , m_Data(m_Memory != nullptr ? m_Memory.get() : image->GetBufferPointer())
  {}

  /** First byte: memory of the context's device, or of the host. */
  const void *
  Data() const
  {
    return m_Data;
  }
  /** Whether that is memory of the device. */
  bool
  AreOnDevice() const
  {
    return m_Memory != nullptr;
  }

private:
  template <typename TImage>
  static std::shared_ptr<const void>
  Find(const TImage * image, const CudaSpline::ExecutionContext & context)
  {
    if constexpr (OtherDeviceImage<TImage>::HasMemory)
    {
      return OtherDeviceImage<TImage>::Find(image, context);
    }
    else
    {
      return FindMemory(dynamic_cast<const DevicePixels *>(image), context);
    }
  }
  static std::shared_ptr<const void>
  FindMemory(const DevicePixels * pixels, const CudaSpline::ExecutionContext & context);

  std::shared_ptr<const void> m_Memory;
  const void *                m_Data;
};

/** \brief The pixels of an image that an operation computes: in device memory if the next filter reads them there and
 * the device has enough memory, else in host memory.
 *
 * The image keeps its previous pixels until Finish(): it may be the operation's input. */
class CudaSpline_EXPORT PixelsToWrite
{
public:
  /** \param[in] image the image, allocated
   * \param[in] context where the operation runs */
  template <typename TImage>
  PixelsToWrite(TImage * image, const CudaSpline::ExecutionContext & context)
  {
    if constexpr (OtherDeviceImage<TImage>::HasMemory)
    {
      const std::shared_ptr<void> memory = OtherDeviceImage<TImage>::Allocate(image, context);
      m_Data = memory.get();
      m_Finish = [image, memory] { OtherDeviceImage<TImage>::Set(image, memory); };
    }
    else if (auto * const pixels = dynamic_cast<DevicePixels *>(image))
    {
      const std::size_t pixelBytes = sizeof(*image->GetPixelContainer()->GetBufferPointer());
      const auto        memory = Allocate(*pixels, image->GetPixelContainer()->Size() * pixelBytes, context);
      m_Data = memory != nullptr ? memory->Data() : nullptr;
      m_Finish = [pixels, memory] { pixels->SetDeviceMemory(memory); };
    }
    if (m_Data == nullptr)
    {
      m_Data = GetHostPixels(image);
    }
  }

  /** First byte: memory of the context's device, or of the host. */
  void *
  Data() const
  {
    return m_Data;
  }

  /** Makes the computed pixels those of the image. */
  void
  Finish() const
  {
    if (m_Finish)
    {
      m_Finish();
    }
  }

private:
  static std::shared_ptr<const CudaSpline::BackendMemory>
  Allocate(const DevicePixels & pixels, std::size_t bytes, const CudaSpline::ExecutionContext & context);

  void *                m_Data{ nullptr };
  std::function<void()> m_Finish;
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
