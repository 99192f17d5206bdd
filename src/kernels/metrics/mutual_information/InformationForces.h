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
#ifndef InformationForces_h
#define InformationForces_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/math/ScalarType.h"

#include "kernels/metrics/implementation/FieldMetric.h"

#include <array>
#include <cstddef>

/** \file
 * \brief Mutual information of two images on one grid, by Mattes' metric: value and forces on either of them. */

namespace itk::CudaSpline
{

/** \brief The metric, with its memory. Comparisons wait, as logarithms of histograms are the host's. */
class InformationForces final : public FieldMetric
{
public:
  /** \exception std::invalid_argument the number of bins does not exist
   * \exception DeviceError out of memory */
  InformationForces(const FieldMetricSetup & setup, const Residence & residence);

  /** \exception std::invalid_argument an image has one value alone under its mask
   * \exception DeviceError the device failed */
  void
  Compare(const ComparedPair & pair, FieldMetricSums * sums, void * byMoving, void * byFixed, void * scratch) override;

  std::array<double, 2>
  ValuesOf(const FieldMetricSums & sums) const override
  {
    return sums.values;
  }

  bool
  Waits() const override
  {
    return true;
  }

  /** Bytes of a device that it takes, except for the images. */
  static std::size_t
  CountBytes(const FieldMetricSetup & setup);

private:
  /** Value and force of one direction.
   *
   * \param[in] direction 0: the force is by the displacements of the moving image; 1: the same with the images
   * exchanged
   * \param[out] force field on the grid, 0 where a sample is not valid; null: not wanted
   * \return the value; the largest double where no sample is valid */
  double
  CompareDirection(const LocalCorrelationImages & images, std::size_t direction, void * force);
  /** Numbers for the histogram: the pixels, or what they are converted to. */
  const void *
  Convert(std::size_t image, const void * pixels);

  FieldMetricSetup             m_Setup;
  ScalarType                   m_Element; ///< of the numbers that the histogram is made of
  Residence                    m_Residence;
  std::array<ResidentArray, 2> m_Numbers; ///< pixels of the element's type, where theirs is another
  std::array<ResidentArray, 2> m_Tables;  ///< of the derivatives: see PointForcesDescriptor
};

} // namespace itk::CudaSpline

#endif
