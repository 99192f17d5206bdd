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
#ifndef CudaSplineTest_RegistrationImages_h
#define CudaSplineTest_RegistrationImages_h

#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/itk/ResidentImages.h"
#include "itkCudaSpline/itk/TransformDescriber.h"
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"

#include "itkImage.h"
#include "itkImageMaskSpatialObject.h"
#include "itkTransform.h"

#include <algorithm>
#include <cstddef>

/** \file
 * \brief The inputs of a registration of ITK's images, described for the kernels. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Two images, their masks, and the transforms that follow the optimized one.
 *
 * \tparam TPixel float or double
 * \tparam VDimension 2 or 3 */
template <typename TPixel, unsigned int VDimension>
struct RegistrationImages
{
  using ImageType = Image<TPixel, VDimension>;                     ///< type of both images
  using MaskType = ImageMaskSpatialObject<VDimension>;             ///< type of both masks
  using TransformType = Transform<double, VDimension, VDimension>; ///< base class of ITK's transforms

  typename ImageType::ConstPointer     fixed;      ///< in memory as a whole
  typename ImageType::ConstPointer     moving;     ///< in memory as a whole
  typename MaskType::ConstPointer      fixedMask;  ///< null: no mask
  typename MaskType::ConstPointer      movingMask; ///< null: no mask
  typename TransformType::ConstPointer before;     ///< follows the optimized one; null: no transform

  /** Grid of the fixed image. */
  CudaSpline::FieldGrid
  GetFixedGrid() const
  {
    return GridOf(fixed.GetPointer());
  }
  /** Grid of the moving image. */
  CudaSpline::FieldGrid
  GetMovingGrid() const
  {
    return GridOf(moving.GetPointer());
  }
  /** Whether an image has enough pixels along each axis for recursive Gaussians. */
  static bool
  IsForGaussians(const ImageBase<VDimension> * image)
  {
    const auto & size = image->GetBufferedRegion().GetSize();
    return *std::min_element(size.begin(), size.end()) >= static_cast<SizeValueType>(CudaSpline::SmallestGaussianLine);
  }
  /** Bytes of images and masks. */
  std::size_t
  CountBytes() const
  {
    const auto maskBytes = [](const auto & mask) {
      return mask.IsNull() ? std::size_t(0) : mask->GetImage()->GetBufferedRegion().GetNumberOfPixels();
    };
    return static_cast<std::size_t>(this->GetFixedGrid().Count() + this->GetMovingGrid().Count()) * sizeof(TPixel) +
           maskBytes(fixedMask) + maskBytes(movingMask);
  }
  /** Describes the transform that follows the optimized one as stages, which borrow its parameters.
   *
   * \param[out] chain the stages; undefined if false is returned
   * \return whether the kernels support the transform */
  bool
  Describe(CudaSpline::TransformChain & chain) const
  {
    return before.IsNull() || TransformDescriber<VDimension>::Append(before.GetPointer(), chain);
  }

  /** The fixed image with its mask, in the memory of a backend. \exception CudaSpline::DeviceError out of memory */
  CudaSpline::SynSide
  MakeFixed(const CudaSpline::Residence & residence) const
  {
    return MakeSide(fixed.GetPointer(), fixedMask.GetPointer(), residence);
  }
  /** The moving image with its mask and the stages of Describe(), in the memory of a backend. \exception
   * CudaSpline::DeviceError out of memory */
  CudaSpline::SynSide
  MakeMoving(const CudaSpline::TransformChain & behind, const CudaSpline::Residence & residence) const
  {
    CudaSpline::SynSide side = MakeSide(moving.GetPointer(), movingMask.GetPointer(), residence);
    side.stages = CudaSpline::MakeResidentStages(behind.stages, VDimension, residence);
    return side;
  }

private:
  static CudaSpline::FieldGrid
  GridOf(const ImageType * image)
  {
    return DescribeFieldGrid<VDimension>(image, image->GetBufferedRegion());
  }

  static CudaSpline::SynSide
  MakeSide(const ImageType * image, const MaskType * mask, const CudaSpline::Residence & residence)
  {
    CudaSpline::SynSide side;
    side.image = MakeResident(image, residence);
    side.mask = MakeResident(mask != nullptr ? mask->GetImage() : nullptr, residence);
    return side;
  }
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
