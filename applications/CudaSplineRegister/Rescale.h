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
#ifndef CudaSplineRegister_Rescale_h
#define CudaSplineRegister_Rescale_h

#include "Registration.h"

#include "itkCudaSpline/itk/ImageStatistics.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief Multiplies the values of a pair of images, of which the largest magnitude under a mask is below 2^-7 or above
 * 2^30, by powers of two that bring it to [1, 2).
 *
 * \param[in,out] fixed, moving another volume where it is multiplied
 * \param[in] comparesValues whether both have one factor, by the larger
 * \return the factors */
itk::CudaSpline::ValueScales
RescalePair(Volume &                      fixed,
            const std::optional<Volume> & fixedMask,
            Volume &                      moving,
            const std::optional<Volume> & movingMask,
            bool                          comparesValues);

/** \brief RescalePair() of all pairs: images that any stage compares by mean squares have one factor, others their own.
 *
 * \param[in,out] request whose note is told of images whose values are far from each other
 * \return factors of each pair */
ValueFactors
RescaleAll(RegistrationRequest & request);

/** \brief What a value of a stage is multiplied by for the units of the images: of mean squares of one pair. Of several
 * pairs values are sums of what has different units, and stay. */
double
UnitOfValues(const StageOptions & stage, const ValueFactors & factors);

} // namespace CudaSplineRegister

#endif
