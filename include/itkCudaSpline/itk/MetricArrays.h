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
#ifndef itkCudaSpline_itk_MetricArrays_h
#define itkCudaSpline_itk_MetricArrays_h

#include "CudaSplineExport.h"
#include "itkCudaSpline/itk/ImageAccess.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/coefficients/SourceCache.h"
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"

#include "itkImageMaskSpatialObject.h"
#include "itkLightObject.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <typeinfo>
#include <vector>

/** \file
 * \brief Host arrays that the metrics pass to their kernels, and the sources made from them on a backend. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief A list or an image on the host, and the description of the source made from it on a backend. */
struct HostArray
{
  CudaSpline::SourceDescriptor descriptor;        ///< of the source
  const void *                 pixels{ nullptr }; ///< null: no array
};

/** \brief Describes a list of numbers as a source of one dimension.
 *
 * \tparam TNumber type of the numbers
 * \param[in] count number of elements
 * \param[in] element type to which they are converted */
template <typename TNumber>
CudaSpline::SourceDescriptor
DescribeList(std::int64_t count, CudaSpline::ScalarType element)
{
  CudaSpline::SourceDescriptor descriptor;
  descriptor.dimension = 1;
  descriptor.size[0] = count;
  descriptor.pixel = CudaSpline::ScalarTypeOf<TNumber>();
  descriptor.element = element;
  return descriptor;
}

/** \brief An uninitialized array, for threads that write all its elements before they are read. */
template <typename TNumber>
std::unique_ptr<TNumber[]>
MakeUninitialized(std::int64_t count)
{
  return std::unique_ptr<TNumber[]>(new TNumber[static_cast<std::size_t>(count)]);
}

/** \brief Describes a mask if there is one.
 *
 * \tparam VDimension dimension of the space
 * \param[in] mask the mask; null: no mask
 * \param[out] to geometry of the mask
 * \param[out] pixels its pixels
 * \param[in,out] kept receives the image whose pixels are read
 * \return false unless the mask is null or a readable ImageMaskSpatialObject */
template <unsigned int VDimension>
bool
DescribeMask(const SpatialObject<VDimension> *        mask,
             CudaSpline::MetricDescriptor::Mask &     to,
             HostArray &                              pixels,
             std::vector<LightObject::ConstPointer> & kept)
{
  using MaskType = ImageMaskSpatialObject<VDimension>;
  if (mask == nullptr)
  {
    return true;
  }
  const auto * const image =
    typeid(*mask) == typeid(MaskType) ? static_cast<const MaskType *>(mask)->GetImage() : nullptr;
  if (image == nullptr || image->GetBufferPointer() == nullptr || image->GetBufferedRegion().GetNumberOfPixels() == 0)
  {
    return false;
  }
  pixels.descriptor = DescribeSource(image);
  pixels.pixels = image->GetBufferPointer();
  kept.emplace_back(image);
  CudaSpline::TransformChain::Matrix unused{};
  DescribeAxes<VDimension>(image, to.origin, unused, to.pointToIndex);
  const auto * const map = mask->GetObjectToWorldTransformInverse();
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    to.offset[r] = map->GetOffset()[r];
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      to.matrix[r][c] = map->GetMatrix()[r][c];
    }
  }
  return true;
}

/** \brief All arrays of a metric, and the sources made from them on the host and on one device. */
class CudaSpline_EXPORT MetricArrays
{
public:
  HostArray fixed;    ///< values of the fixed image, one per sample
  HostArray inside;   ///< whether each sample counts; empty if all do
  HostArray points;   ///< points of the samples; empty for samples on the grid
  HostArray moving;   ///< the moving image
  HostArray gradient; ///< gradient of the moving image, or of the fixed image at the samples
  HostArray mask;     ///< mask of the moving image
  /** How \c gradient is computed from the moving image's pixels, which are then its pixels. Null if \c gradient has its
   * own values. */
  std::shared_ptr<const CudaSpline::GaussianDescriptor> gaussian;

  /** \brief True if Provide() has made all arrays on the host. */
  bool
  AreOnHost() const
  {
    return m_OnHost.moving != nullptr;
  }

  /** \brief True if Provide() has made all arrays on a device. */
  bool
  AreOnDevice(int device) const
  {
    return m_OnDevice.moving != nullptr && m_Device == device;
  }

  /** \brief Provides the arrays on the backend of a context, and makes those that are missing there.
   *
   * \param[in,out] cache cache of the sources
   * \param[in] context the backend
   * \return valid until the next call */
  const CudaSpline::MetricSources &
  Provide(CudaSpline::SourceCache & cache, const CudaSpline::ExecutionContext & context);

  /** \brief Work of making all arrays. */
  CudaSpline::OperationWork
  CountWork() const;

  /** \brief Device memory for the arrays and the rest of a call.
   *
   * \param[in] device the device
   * \param[in] others bytes of the rest
   * \param[in] cache as for Provide() */
  CudaSpline::MemoryPlan
  PlanMemory(int device, std::size_t others, const CudaSpline::SourceCache & cache) const;

private:
  CudaSpline::MetricSources m_OnHost;
  CudaSpline::MetricSources m_OnDevice;
  int                       m_Device{ -1 };
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
