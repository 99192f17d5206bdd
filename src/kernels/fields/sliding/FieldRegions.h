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
#ifndef FieldRegions_h
#define FieldRegions_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/FieldOperations.h"
#include "itkCudaSpline/kernels/fields/SlidingRegions.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/** \file
 * \brief The sliding regions of a level, and its operations that keep them apart. */

namespace itk::CudaSpline
{

/** \brief The sliding regions of a level, in the memory of a backend. All calls except the constructor and Resample()
 * are asynchronous. */
class FieldRegions
{
public:
  /** Resamples the map to the grid of the fields. The call waits.
   *
   * \exception std::invalid_argument the map has another dimension, or too many regions */
  FieldRegions(const SlidingRegions & map, const FieldShape & shape, const Residence & residence);

  /** Whether the level has more than one region. */
  bool
  AreUsed() const
  {
    return !m_Others.empty();
  }
  /** The region of each sample; null: one for all. */
  const std::uint8_t *
  Data() const
  {
    return this->AreUsed() ? m_Regions.As<std::uint8_t>() : nullptr;
  }

  /** Prepares normals and weights.
   *
   * \param[in] variances of the Gaussians of Smooth() (samples^2); 0: not used
   * \param[out] scratch memory of the size of the field */
  void
  Prepare(const std::array<double, 2> & variances, void * scratch);

  /** Smooths a field, as SmoothField() does, within the regions.
   *
   * \param[in] input the field
   * \param[in] variance one of those of Prepare()
   * \param[out] output another field
   * \param[out] scratch as for Prepare() */
  void
  Smooth(const void * input, double variance, void * output, void * scratch) const;

  /** Composes fields, as ComposeFields() does. Near a border the tangential component is interpolated between samples
   * of one region. To be called after Prepare().
   *
   * \param[in] displacement the field that maps second
   * \param[in,out] warping the field that maps first, which the result replaces */
  void
  Compose(const void * displacement, void * warping) const;

  /** Replaces the result of ResampleField() where it was interpolated between regions. The call waits.
   *
   * \param[in] inputShape, input the field of another level
   * \param[in,out] output its interpolation */
  void
  Resample(const FieldShape & inputShape, const void * input, void * output) const;

  /** Bytes of a level: 45 for a sample of a 3D field of float, and 4 for a sample of the map. */
  static std::size_t
  CountBytes(const SlidingRegions & map, const FieldShape & shape);

  /** Minimum variance of the Gaussian of indicators whose gradients are normals (samples^2): borders of labels have
   * steps of a sample. */
  static constexpr double NormalVariance = 4.0;

private:
  /** Values of the smoothed indicators, for a variance. */
  struct Weights
  {
    double        variance{ 0.0 };
    ResidentArray values;
  };

  template <typename TRun>
  void
  Dispatch(const TRun & run) const;
  /** Smooths the vectors of a region, or of its indicator, into m_Smoothed. */
  template <typename TPass>
  void
  SmoothRegion(TPass pass, const void * input, const FieldSmoothing & gaussian, void * scratch) const;
  /** Adds up normals or weights, with a Gaussian of this variance. */
  void
  AddBorders(double variance, void * normals, void * weights, void * scratch);
  /** The region of each sample of a grid. The call waits. */
  std::vector<std::uint8_t>
  ResampleMap(const FieldGrid & grid) const;

  SlidingRegions            m_Map;
  FieldShape                m_Shape;
  Residence                 m_Residence;
  ResidentArray             m_Regions; ///< on the grid of the fields
  unsigned int              m_Rest{ 0 };
  std::vector<unsigned int> m_Others; ///< regions of the level except the rest
  double                    m_NormalVariance{ 0.0 };
  ResidentArray             m_Normals;
  std::array<Weights, 2>    m_Weights;
  ResidentArray             m_Masked;
  ResidentArray             m_Smoothed;
};

} // namespace itk::CudaSpline

#endif
