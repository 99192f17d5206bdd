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
#ifndef itkCudaSpline_itk_Gaussian_h
#define itkCudaSpline_itk_Gaussian_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/DevicePixels.h"
#include "itkCudaSpline/itk/PixelTraits.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"

#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

/** \file
 * \brief What the filters by recursive Gaussians share. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief True for images of one number a pixel that the kernels of recursive Gaussians read and write.
 *
 * \tparam TImage image type */
template <typename TImage>
inline constexpr bool IsGaussianImage =
  ImageTraits<TImage>::IsReadable && !ImageTraits<TImage>::IsVectorImage && ImageTraits<TImage>::Components == 1 &&
  (TImage::ImageDimension == 2 || TImage::ImageDimension == 3);

/** \brief An image and the Gaussians as the kernels take them.
 *
 * \param[in] image its largest region is described
 * \param[in] sigmas standard deviations (mm)
 * \param[in] normalizeAcrossScale as ITK's filters have it */
template <typename TImage, typename TSigmas>
CudaSpline::GaussianDescriptor
DescribeGaussian(const TImage * image, const TSigmas & sigmas, bool normalizeAcrossScale)
{
  CudaSpline::GaussianDescriptor descriptor;
  const auto &                   region = image->GetLargestPossibleRegion();
  descriptor.dimension = TImage::ImageDimension;
  for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
  {
    descriptor.size[d] = static_cast<std::int64_t>(region.GetSize(d));
    descriptor.spacing[d] = image->GetSpacing()[d];
    descriptor.sigma[d] = sigmas[d];
    for (unsigned int c = 0; c < TImage::ImageDimension; ++c)
    {
      descriptor.direction[d * TImage::ImageDimension + c] = image->GetDirection()[d][c];
    }
  }
  descriptor.normalizeAcrossScale = normalizeAcrossScale;
  descriptor.pixel = CudaSpline::ScalarTypeOf<typename ImageTraits<TImage>::ComponentType>();
  return descriptor;
}

/** \brief Why ITK's code is to answer, with its own exception mostly; null where the kernels can.
 *
 * \param[in] image the input
 * \param[in] descriptor what DescribeGaussian() made of it
 * \param[in] onlyAxis the axis along which alone it is filtered; below 0 for all */
template <typename TImage>
const char *
WhyNotGaussian(const TImage * image, const CudaSpline::GaussianDescriptor & descriptor, int onlyAxis = -1)
{
  constexpr double smallestSpacing = 1e-8; // of itk::RecursiveGaussianImageFilter
  if (image->GetBufferedRegion() != image->GetLargestPossibleRegion() || !HasPixels(image))
  {
    return "the image is not in memory as a whole";
  }
  if (onlyAxis >= static_cast<int>(TImage::ImageDimension))
  {
    return "there is no such axis";
  }
  for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
  {
    if (onlyAxis >= 0 && onlyAxis != static_cast<int>(d))
    {
      continue;
    }
    if (descriptor.size[d] < CudaSpline::SmallestGaussianLine)
    {
      return "the image has less than 4 pixels along an axis";
    }
    if (!(descriptor.sigma[d] > 0.0))
    {
      return "a sigma is not above 0";
    }
    if (!(std::abs(descriptor.spacing[d]) >= smallestSpacing))
    {
      return "a spacing is below 1e-8";
    }
  }
  return nullptr;
}

/** \brief Plans and counts an operation for CudaSplineBackend::Run().
 *
 * \param[in] descriptor what is done; outlives the result
 * \param[in] which of the operations */
inline CudaSplineBackend::Operation
MakeGaussianOperation(const CudaSpline::GaussianDescriptor & descriptor, CudaSpline::GaussianOperation which)
{
  CudaSplineBackend::Operation operation;
  operation.work = [&descriptor, which](int) {
    const CudaSpline::OperationWork work = CudaSpline::CountGaussianWork(descriptor, which);
    return CudaSpline::BackendWork{ work, work };
  };
  operation.memory = [&descriptor, which](int device) {
    return CudaSpline::PlanGaussian(descriptor, which, CudaSpline::AvailableDeviceMemory(device));
  };
  return operation;
}

/** \brief How a trace names an operation: sizes and sigmas.
 *
 * \param[in] image the image
 * \param[in] sigmas standard deviations (mm) */
template <typename TImage, typename TSigmas>
std::string
TraceGaussian(const TImage * image, const TSigmas & sigmas)
{
  std::ostringstream text;
  text << TraceSize(image->GetLargestPossibleRegion().GetSize(), TImage::ImageDimension) << " | sigma";
  for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
  {
    text << (d == 0 ? " " : ", ") << sigmas[d];
  }
  return text.str();
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
