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
#ifndef itkCudaSpline_kernels_fields_WarpImage_h
#define itkCudaSpline_kernels_fields_WarpImage_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cstddef>
#include <memory>
#include <vector>

/** \file
 * \brief Images that are moved onto a grid by a field and transforms behind it: nothing waits, and nothing leaves the
 * memory of the residence. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Transforms behind a field, whose numbers are in the memory of the residence: made once, walked often. */
class ResidentStages
{
public:
  /** No transform. */
  ResidentStages() = default;
  /** \param[in] dimension 2 or 3
   * \param[in] stages in the order in which points go through them; their host memory is not used afterwards
   * \param[in] residence where
   * \exception DeviceError out of memory, or a lost device
   * \exception std::invalid_argument another dimension */
  ResidentStages(unsigned int                               dimension,
                 const std::vector<TransformChain::Stage> & stages,
                 const Residence &                          residence);

  /** Number of stages. */
  int
  Count() const
  {
    return m_Count;
  }
  /** TransformStage<dimension> one after the other, in the memory of the residence. */
  const void *
  Data() const
  {
    return m_Stages != nullptr ? m_Stages->Data() : nullptr;
  }

private:
  std::shared_ptr<const ResidentArray> m_Stages; ///< the stages, then their displacements
  int                                  m_Count{ 0 };
};

/** \brief An image in the memory of a residence. */
struct ResidentImage
{
  FieldGrid                   grid;                         ///< where its pixels are
  ScalarType                  pixel{ ScalarType::Float32 }; ///< Float32 or Float64; UInt8 of masks
  std::shared_ptr<const void> data;                         ///< x fastest; null: there is none
};

/** \brief Resamples an image onto the grid of a field: itk::ResampleImageFilter with
 * itk::LinearInterpolateImageFunction and a composite of that field's transform, then the stages; 0 outside. A mask
 * (UInt8) is read at the nearest pixel.
 *
 * The field is on the grid of the output, so that its vectors are taken as they are: places are those of ITK, which
 * interpolates between them, but for roundings.
 *
 * \param[in] image what is moved
 * \param[in] fieldShape grid and type of the field
 * \param[in] field displacements (mm) that a point goes through first; null: none, the grid alone counts
 * \param[in] stages transforms that it goes through then
 * \param[out] output pixels of the image's type on the field's grid
 * \exception std::invalid_argument a type or a dimension that is not supported */
void
WarpImage(const ResidentImage &  image,
          const FieldShape &     fieldShape,
          const void *           field,
          const ResidentStages & stages,
          void *                 output,
          const Residence &      residence);

/** \brief The field of a chain of transforms: how far it moves each sample of a grid (mm).
 *
 * \param[in] stages in the order in which a point goes through them
 * \param[in] shape of the output
 * \param[out] output memory of the residence */
void
MakeField(const ResidentStages & stages, const FieldShape & shape, void * output, const Residence & residence);

/** @} */
} // namespace itk::CudaSpline

#endif
