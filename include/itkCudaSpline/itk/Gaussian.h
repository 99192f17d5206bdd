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
 * \brief Functions that the filters with recursive Gaussians share. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief True for scalar images that the kernels of recursive Gaussians read and write.
 *
 * \tparam TImage image type */
template <typename TImage>
inline constexpr bool IsGaussianImage =
  ImageTraits<TImage>::IsReadable && !ImageTraits<TImage>::IsVectorImage && ImageTraits<TImage>::Components == 1 &&
  (TImage::ImageDimension == 2 || TImage::ImageDimension == 3);

/** \brief Describes an image and its Gaussians for the kernels.
 *
 * \param[in] image the image; its largest possible region is described
 * \param[in] sigmas standard deviations (mm)
 * \param[in] normalizeAcrossScale as in ITK's filters */
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

/** \brief Returns why ITK's code must handle an image, mostly by throwing its own exception; null if the kernels
 * support it.
 *
 * \param[in] image the input
 * \param[in] descriptor the result of DescribeGaussian()
 * \param[in] onlyAxis the only axis to filter; below 0: all axes */
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

/** \brief Plans an operation for CudaSplineBackend::Run(), with its work and its memory.
 *
 * \param[in] descriptor the operation's parameters; must outlive the result
 * \param[in] which the operation */
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

/** \brief The description of an operation in a trace: sizes and sigmas.
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
