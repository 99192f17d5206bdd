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

/** \brief How the moving image is written under the transform. */
struct WarpedFormat
{
  Grid        grid;
  ScalarType  type{ ScalarType::Float32 };
  ImageLayout layout; ///< of colours, several numbers a pixel
};

/** \brief The format of --warped: the grid of --reference or the fixed image, with the grid options; the type of
 * --output-type, else that of colours and of formats without real numbers, else the precision.
 *
 * \exception ProgramError wrong options of the grid, or a default value that the type does not have */
WarpedFormat
FindWarpedFormat(const Options & options, const RegistrationInputs & inputs);

/** \brief The moving image under a transform: its colours one by one, with the default value where it was not finite.
 *
 * \param[in] finite of the moving image, see WarpWhatIsFinite()
 * \return pixels of the format's type; the numbers of a colour together */
Volume
WarpToFormat(const RegistrationRequest &   request,
             const std::optional<Volume> & finite,
             const itk::TransformBase *    transform,
             const WarpedFormat &          format);

} // namespace CudaSplineRegister

#endif
