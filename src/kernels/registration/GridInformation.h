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
#ifndef GridInformation_h
#define GridInformation_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"
#include "itkCudaSpline/math/ScalarType.h"

#include "kernels/registration/PixelRange.h"

#include <array>
#include <cstddef>
#include <optional>

/** \file
 * \brief Mutual information of two images on one grid, by Mattes' metric: value and forces on either of them. */

namespace itk::CudaSpline
{

/** \brief What is compared, and by which histogram. */
struct GridInformationDescriptor
{
  FieldShape shape;                          ///< grid of both images, and type of forces on it
  ScalarType pixel{ ScalarType::Float32 };   ///< of both images: Float32 or Float64
  ScalarType element{ ScalarType::Float32 }; ///< of the numbers that the histogram is made of
  int        bins{ 50 };                     ///< of the histogram, along either axis: 5 to MostHistogramBins
};

/** \brief The metric, with its memory. */
class GridInformation
{
public:
  /** \exception std::invalid_argument a number of bins that there is not
   * \exception DeviceError out of memory */
  GridInformation(const GridInformationDescriptor & descriptor, const Residence & residence);

  /** Sets what the axes of the histogram hold, for all comparisons; else each finds what is in the images. */
  void
  SetRanges(const PixelRange & fixed, const PixelRange & moving)
  {
    m_Ranges = { { fixed, moving } };
  }

  /** \brief Value and force of one direction; waits, as logarithms of histograms are the host's.
   *
   * \param[in] images on the grid, with their masks, and gradients where there are any
   * \param[in] direction 0: the force is by the displacements of the moving image; 1: the same with the images
   * exchanged
   * \param[out] force field on the grid, 0 where a sample is not valid; null: not wanted
   * \exception std::invalid_argument an image has one value alone under its mask
   * \exception DeviceError the device failed */
  void
  Compare(const LocalCorrelationImages & images, std::size_t direction, void * force);

  /** Values of the last comparison of each direction; the largest double where no sample was valid. */
  const std::array<double, 2> &
  GetValues() const
  {
    return m_Values;
  }

  /** Bytes of a device that it takes, but for the images. */
  static std::size_t
  CountBytes(const GridInformationDescriptor & descriptor);

private:
  /** Numbers for the histogram: the pixels, or what they are converted to. */
  const void *
  Convert(std::size_t image, const void * pixels);

  GridInformationDescriptor                m_Descriptor;
  Residence                                m_Residence;
  std::optional<std::array<PixelRange, 2>> m_Ranges;  ///< nothing: of each comparison their own
  std::array<ResidentArray, 2>             m_Numbers; ///< pixels of the element's type, where theirs is another
  std::array<ResidentArray, 2>             m_Tables;  ///< of the derivatives: see PointForcesDescriptor
  std::array<double, 2>                    m_Values{ { 0.0, 0.0 } };
};

} // namespace itk::CudaSpline

#endif
