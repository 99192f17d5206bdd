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
#ifndef CudaSplineRegister_WarpedOutput_h
#define CudaSplineRegister_WarpedOutput_h

#include "registration/RegistrationInput.h"

#include <optional>

namespace CudaSplineRegister
{

/** \brief Format of the warped moving image. */
struct WarpedFormat
{
  Grid        grid;
  ScalarType  type{ ScalarType::Float32 };
  ImageLayout layout; ///< of colours, several numbers per pixel
};

/** \brief Returns the format of --warped. Its grid is that of --reference or the fixed image, changed by the grid
 * options. Its type is that of --output-type, otherwise that of colours and of formats without real numbers, otherwise
 * the precision.
 *
 * \exception ProgramError invalid options of the grid, or a default value that the type does not represent */
WarpedFormat
FindWarpedFormat(const Options & options, const RegistrationInputs & inputs);

/** \brief Warps the moving image, with each colour separately. It has the default value where the moving image was not
 * finite.
 *
 * \param[in] request, format the registration and the format
 * \param[in] transform the transform
 * \param[in] finite mask of the moving image, see ResampleWithValidityMask()
 * \return pixels of the format's type; the numbers of a colour are interleaved */
Volume
WarpToFormat(const RegistrationRequest &   request,
             const std::optional<Volume> & finite,
             const itk::TransformBase *    transform,
             const WarpedFormat &          format);

} // namespace CudaSplineRegister

#endif
