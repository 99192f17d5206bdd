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
 * \brief Mutual information of two images on one grid with Mattes' metric: value and forces on either image. */

namespace itk::CudaSpline
{

/** \brief The metric, with its memory. Comparisons wait, because the host computes the logarithms of histograms. */
class InformationForces final : public FieldMetric
{
public:
  /** \exception std::invalid_argument an unsupported number of bins
   * \exception DeviceError out of memory */
  InformationForces(const FieldMetricSetup & setup, const Residence & residence);

  /** \exception std::invalid_argument an image has a single value under its mask
   * \exception DeviceError the device failed */
  void
  Compare(const ComparedPair & pair, FieldMetricSums * sums, void * byMoving, void * byFixed, void * scratch) override;

  std::array<double, 2>
  ValuesOf(const FieldMetricSums & sums) const override
  {
    return sums.values;
  }

  const std::int64_t *
  FindCount(const FieldMetricSums *) const override
  {
    return nullptr;
  }

  bool
  Waits() const override
  {
    return true;
  }

  /** Device memory of the metric, except for the images (bytes). */
  static std::size_t
  CountBytes(const FieldMetricSetup & setup);

private:
  /** Computes value and force of one direction.
   *
   * \param[in] direction 0: the force with respect to the displacements of the moving image; 1: the same with the
   * images exchanged
   * \param[out] force field on the grid, 0 where a sample is not valid; null: not computed
   * \return the value; the largest double if no sample is valid */
  double
  CompareDirection(const LocalCorrelationImages & images, std::size_t direction, void * force);
  /** Numbers for the histogram: the pixels, or the converted pixels. */
  const void *
  Convert(std::size_t image, const void * pixels);

  FieldMetricSetup             m_Setup;
  ScalarType                   m_Element; ///< type of the histogram's numbers
  Residence                    m_Residence;
  std::array<ResidentArray, 2> m_Numbers; ///< pixels converted to the element's type, if their type differs
  std::array<ResidentArray, 2> m_Tables;  ///< of the derivatives: see PointForcesDescriptor
};

} // namespace itk::CudaSpline

#endif
