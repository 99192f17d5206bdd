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

#include "itkCudaSpline/itk/DevicePixels.h"
#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

/** \file
 * \brief ITK's images in the memory of a backend. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief An image in the memory of a backend: copied to a device, borrowed on the host. Empty if \p image is null. */
template <typename TImage>
CudaSpline::ResidentImage
MakeResident(const TImage * image, const CudaSpline::Residence & residence)
{
  if (image == nullptr)
  {
    return CudaSpline::ResidentImage();
  }
  const PixelsToRead        pixels(image, residence.GetContext());
  CudaSpline::ResidentImage made =
    CudaSpline::MakeResidentImage(DescribeFieldGrid<TImage::ImageDimension>(image, image->GetBufferedRegion()),
                                  CudaSpline::ScalarTypeOf<typename TImage::PixelType>(),
                                  pixels.Data(),
                                  residence);
  if (pixels.AreOnDevice())
  {
    residence.Wait(); // the caller may release their memory next
  }
  return made;
}

/** \brief The unmodified input images, each of them once in the memory of a backend. */
class ResidentOriginals
{
public:
  /** Returns an image in the memory of the backend. It is copied if it is not there yet. */
  template <typename TImage>
  CudaSpline::ResidentImage
  Provide(const TImage * image, const CudaSpline::Residence & residence)
  {
    const CudaSpline::ExecutionContext & context = residence.GetContext();
    const void * const                   pixels = image->GetBufferPointer();
    auto                                 original = std::find_if(
      m_Originals.begin(), m_Originals.end(), [pixels](const Original & other) { return other.pixels == pixels; });
    if (original == m_Originals.end())
    {
      original = m_Originals.insert(original, Original());
    }
    if (original->pixels != pixels || original->backend != context.backend || original->device != context.device)
    {
      *original = { MakeResident(image, residence), pixels, context.backend, context.device };
    }
    return original->image;
  }

  /** Releases all images. */
  void
  Clear()
  {
    m_Originals.clear();
  }

private:
  struct Original
  {
    CudaSpline::ResidentImage image;
    const void *              pixels{ nullptr }; ///< the pixels that were copied
    CudaSpline::Backend       backend{ CudaSpline::Backend::None };
    int                       device{ 0 };
  };

  std::vector<Original> m_Originals;
};

/** \brief A mask as numbers that weight the samples; an empty image if there is no mask. */
template <unsigned int VDimension>
CudaSpline::ResidentImage
MakeConfidence(const Image<unsigned char, VDimension> * mask,
               CudaSpline::ScalarType                   element,
               const CudaSpline::Residence &            residence)
{
  CudaSpline::ResidentImage confidence;
  if (mask == nullptr)
  {
    return confidence;
  }
  confidence.grid = DescribeFieldGrid<VDimension>(mask, mask->GetBufferedRegion());
  confidence.pixel = element;
  const auto count = static_cast<std::size_t>(confidence.grid.Count());
  const auto array = std::make_shared<CudaSpline::ResidentArray>(count * CudaSpline::SizeOf(element), residence);
  const auto upload = [&](auto number) {
    const std::vector<decltype(number)> numbers(mask->GetBufferPointer(), mask->GetBufferPointer() + count);
    CudaSpline::Upload(array->Data(), numbers.data(), array->Bytes(), residence);
  };
  element == CudaSpline::ScalarType::Float64 ? upload(double()) : upload(float());
  confidence.data = std::shared_ptr<const void>(array, array->Data());
  return confidence;
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
