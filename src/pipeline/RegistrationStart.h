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
#ifndef pipeline_RegistrationStart_h
#define pipeline_RegistrationStart_h

#include "pipeline/PipelineMessages.h"
#include "pipeline/PreparedImages.h"

#include <optional>

/** \file
 * \brief Where a registration starts. */

namespace itk::CudaSpline
{

/** \brief Where the first stage starts. */
struct RegistrationStart
{
  FieldGrid::Vector              centre{};                        ///< of rotations, scales and matrices
  std::optional<LinearTransform> transform;                       ///< nothing: the identity, or the caller's transform
  LinearKind                     kind{ LinearKind::Translation }; ///< the smallest kind that represents it
};

/** \brief Finds it by RegistrationSpec::initial, unless the caller has a transform.
 *
 * \param[in] input whether there is a transform
 * \param[in] spec the registration
 * \param[in,out] images the images
 * \param[in,out] messages gets a warning if the best rotation explains little
 * \exception std::invalid_argument an image has no centre of gravity */
RegistrationStart
FindStart(const RegistrationInput & input,
          const RegistrationSpec &  spec,
          PreparedImages &          images,
          PipelineMessages &        messages);

/** \brief The best of many rotations about a centre, followed by a translation. */
FoundRotation
FindBestRotation(PreparedImages & images, const FieldGrid::Vector & centre, const LinearTransform::Vector & shift);

} // namespace itk::CudaSpline

#endif
