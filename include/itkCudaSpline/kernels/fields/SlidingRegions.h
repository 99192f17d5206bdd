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
#ifndef itkCudaSpline_kernels_fields_SlidingRegions_h
#define itkCudaSpline_kernels_fields_SlidingRegions_h

#include "itkCudaSpline/kernels/fields/Field.h"

#include <cstdint>
#include <memory>

/** \file
 * \brief Regions that slide along their common borders in deformable registrations. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Maximum number of sliding regions, including that outside of all labels. Each region but one adds a smoothing
 * to that of a field. */
inline constexpr unsigned int MaxSlidingRegions = 8;

/** \brief A map of regions that slide along their common borders, such as the lungs and the chest wall.
 *
 * Displacements are smoothed within each region along its border, and over all regions across it: the tangential
 * component may jump at the border, and the normal component is continuous, so that neither gaps nor overlaps appear.
 *
 * \par Method
 * With a Gaussian G, the indicator m of a sample's region, the unit normal n of its border, and a field u, the result
 * is s + w (I - n n^T) (G*(m u) / G*(m) - s), where s = G*u. The normal is that of the smoothed gradient of m. The
 * weight w is 1 near the border and falls to 0 with that gradient. It follows the locally adaptive regularization of
 * Pace et al. \cite{Pace2013}, the decomposition of Schmidt-Richberg et al. \cite{SchmidtRichberg2012} and the
 * region-wise smoothing of Risser et al. \cite{Risser2013}. In the same way a composition interpolates the
 * tangential component only between samples of the region. */
struct SlidingRegions
{
  FieldGrid                           grid;       ///< grid of the map, in the space of the fields
  std::shared_ptr<const std::uint8_t> codes;      ///< host memory: region of each sample; points outside have code 0
  unsigned int                        count{ 0 }; ///< codes are below it; at most MaxSlidingRegions

  /** Whether there is a border. */
  bool
  IsUsed() const
  {
    return count > 1;
  }
};

/** @} */
} // namespace itk::CudaSpline

#endif
