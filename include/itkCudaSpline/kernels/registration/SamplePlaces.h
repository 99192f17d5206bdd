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
 * \brief The part of a level's samples that a metric looks at, as itk::ImageRegistrationMethodv4 draws it. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Which samples of the virtual domain are compared. */
enum class SampleChoice : unsigned char
{
  All,     ///< each, where it is
  Regular, ///< each n-th in memory
  Random   ///< anyone, some more than once
};

/** \brief How many samples are compared, and which. Those that are drawn are moved by a third of a spacing of the level
 * (a normal deviate along each axis of space), so that not all of them lie on the grid. */
struct SampleRules
{
  SampleChoice  choice{ SampleChoice::All }; ///< all others need \c fraction and \c seed
  double        fraction{ 1.0 };             ///< of the level's samples, above 0 and at most 1
  std::uint32_t seed{ 121212 };              ///< of the first level; each level has another one
};

/** \brief Number of places that DrawPlaces() gives; 0 of SampleChoice::All. */
std::size_t
CountDrawnPlaces(const FieldGrid & grid, const SampleRules & rules);

/** \brief Draws the places of a level: those of itk::ImageRegistrationMethodv4 with that seed, in its order.
 *
 * ITK leaves out what the mask of the fixed image does not cover, and keeps places as floats; here they are doubles,
 * and a level does not count those that are not under the mask.
 *
 * \param[in] grid the virtual domain of the level
 * \param[in] rules how many, and which
 * \param[in] level its number
 * \param[in] context its threads share the work; the places are the same, however many there are
 * \return places (mm), \c dimension numbers each, x first; empty of SampleChoice::All
 * \exception std::invalid_argument a fraction that is not in (0, 1], or one that leaves no sample */
std::vector<double>
DrawPlaces(const FieldGrid & grid, const SampleRules & rules, std::size_t level, const ExecutionContext & context = {});

/** @} */
} // namespace itk::CudaSpline

#endif
