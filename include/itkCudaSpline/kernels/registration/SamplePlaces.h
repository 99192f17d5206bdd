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
#ifndef itkCudaSpline_kernels_registration_SamplePlaces_h
#define itkCudaSpline_kernels_registration_SamplePlaces_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/fields/Field.h"

#include <cstddef>
#include <cstdint>
#include <vector>

/** \file
 * \brief Draws the samples of a level that a metric uses, as itk::ImageRegistrationMethodv4 does. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief How the samples of the virtual domain are selected. */
enum class SampleChoice : unsigned char
{
  All,     ///< all samples, on the grid
  Regular, ///< every n-th sample in memory order
  Random   ///< random samples, some more than once
};

/** \brief Number and selection of samples. Drawn samples are displaced randomly by a third of a spacing of the level (a
 * normal deviate along each axis of physical space), so that they are not all on the grid. */
struct SampleRules
{
  SampleChoice  choice{ SampleChoice::All }; ///< all choices except All need \c fraction and \c seed
  double        fraction{ 1.0 };             ///< fraction of the level's samples, above 0 and at most 1
  std::uint32_t seed{ 121212 };              ///< seed of the first level; each level has a different one
};

/** \brief Number of points that DrawPlaces() returns; 0 for SampleChoice::All. */
std::size_t
CountDrawnPlaces(const FieldGrid & grid, const SampleRules & rules);

/** \brief Draws the points of a level: those of itk::ImageRegistrationMethodv4 with the same seed, in the same order.
 *
 * ITK omits points outside the mask of the fixed image, and stores points as floats. Here they are doubles, and a level
 * does not count points outside the mask.
 *
 * \param[in] grid the virtual domain of the level
 * \param[in] rules number and selection of samples
 * \param[in] level its number
 * \param[in] context threads; the points do not depend on their number
 * \return points (mm), \c dimension numbers each, x first; empty for SampleChoice::All
 * \exception std::invalid_argument a fraction that is not in (0, 1], or one that leaves no sample */
std::vector<double>
DrawPlaces(const FieldGrid & grid, const SampleRules & rules, std::size_t level, const ExecutionContext & context = {});

/** @} */
} // namespace itk::CudaSpline

#endif
