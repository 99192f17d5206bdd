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
#ifndef itkCudaDeviceImage_h
#define itkCudaDeviceImage_h

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/DevicePixels.h"
#include "itkCudaSpline/itk/PixelTraits.h"

#include "itkImage.h"

#include <type_traits>
#include <typeinfo>

namespace itk
{

/** \class CudaDeviceImage
 * \brief An image whose pixels can be in the memory of a device.
 *
 * The outputs of the module's filters are such images. If the next filter is one of the module, too, the pixels stay in
 * the memory of the device, and that filter reads them there. In all other cases they are in host memory, as those of
 * itk::Image.
 *
 * The pixels are copied to host memory, and the memory of the device is released, when
 *
 * * a filter of ITK, or of anybody else, is updated whose input the image is;
 * * Update() of the image, or of the filter that it is the output of, is called;
 * * GetBufferPointer() is called, which is what iterators of ITK do.
 *
 * GetPixel(), SetPixel(), FillBuffer() and the functions of GetPixelContainer() access host memory without a check:
 * they are not virtual in ITK. They see undefined values as long as IsOnDevice() is true. That is so only for an image
 * between two filters of the module that was not updated itself: call its Update(), or MoveToHost().
 *
 * Each function may be called by several threads at once if ITK's may.
 *
 * \tparam TPixel pixel type
 * \tparam VImageDimension dimension
 *
 * \sa Image
 * \ingroup CudaSpline */
template <typename TPixel, unsigned int VImageDimension = 2>
class ITK_TEMPLATE_EXPORT CudaDeviceImage
  : public Image<TPixel, VImageDimension>
  , public CudaSplineDetail::DevicePixels
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaDeviceImage);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaDeviceImage;
  using Superclass = Image<TPixel, VImageDimension>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaDeviceImage, Image);

  /** Allocates host memory; the pixels are then there. */
  void
  Allocate(bool initializePixels = false) override;

  /** Releases the pixels in both memories. */
  void
  Initialize() override;

  /** Shares the pixels of another image, in both memories. */
  void
  Graft(const Superclass * image) override;

  /** The pixels in host memory, after a copy if a device has newer ones.
   *
   * \exception ExceptionObject as for MoveToHost() */
  ///@{
  TPixel *
  GetBufferPointer() override;
  const TPixel *
  GetBufferPointer() const override;
  ///@}

  /** Updates the image, and copies the pixels to host memory unless a filter of the module is the one that asks.
   *
   * \exception ExceptionObject as for MoveToHost() */
  void
  UpdateOutputData() override;

  void
  MoveToHost() const override;

protected:
  using Superclass::Graft;

  CudaDeviceImage() = default;
  ~CudaDeviceImage() override = default;

  /** Prints where the pixels are. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

private:
  void
  MoveToHost(MultiThreaderBase * threads) const;
};

namespace CudaSplineDetail
{
/** \brief An output of a filter as an image that can be in the memory of a device.
 *
 * \tparam TImage type of the filter's outputs
 * \param[in] made what ITK has made
 * \return a CudaDeviceImage if that was an itk::Image of pixels that the module knows, and there can be devices; else
 *   \p made */
template <typename TImage>
DataObject::Pointer
AsDeviceImage(DataObject::Pointer made)
{
  using Plain = Image<typename TImage::PixelType, TImage::ImageDimension>;
  if constexpr (std::is_same<TImage, Plain>::value && ImageTraits<TImage>::IsReadable)
  {
    const DataObject & object = *made;
    if (CudaSpline::BuiltWithCuda() && typeid(object) == typeid(Plain))
    {
      return CudaDeviceImage<typename TImage::PixelType, TImage::ImageDimension>::New().GetPointer();
    }
  }
  return made;
}
} // namespace CudaSplineDetail

/** \def itkCudaSplineDeviceImageMacro
 * \brief The functions by which a filter of the module reads images in the memory of devices and leaves its output
 * there; its constructor calls SetNthOutput(0, MakeOutput(0)). */
#define itkCudaSplineDeviceImageMacro(outputImageType)                                                                 \
  ProcessObject::DataObjectPointer MakeOutput(ProcessObject::DataObjectPointerArraySizeType index) override            \
  {                                                                                                                    \
    return CudaSplineDetail::AsDeviceImage<outputImageType>(Superclass::MakeOutput(index));                            \
  }                                                                                                                    \
  ProcessObject::DataObjectPointer MakeOutput(const ProcessObject::DataObjectIdentifierType & name) override           \
  {                                                                                                                    \
    return CudaSplineDetail::AsDeviceImage<outputImageType>(Superclass::MakeOutput(name));                             \
  }                                                                                                                    \
  void UpdateOutputData(DataObject * output) override                                                                  \
  {                                                                                                                    \
    const CudaSplineDetail::DeviceInputs inputs(*this, this->m_Updating, IsAccelerated);                               \
    Superclass::UpdateOutputData(output);                                                                              \
  }                                                                                                                    \
  static_assert(true, "a semicolon follows the macro")

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaDeviceImage.hxx"
#endif

#endif
