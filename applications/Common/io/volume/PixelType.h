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
#ifndef CudaSplineProgram_PixelType_h
#define CudaSplineProgram_PixelType_h

#include "io/volume/Volume.h"

#include "itkCommonEnums.h"

#include <optional>
#include <string>

namespace CudaSplineProgram
{

/** \brief Returns the name of a pixel type on the command line: uint8, int8, ..., float, double. */
std::string
NameOfPixelType(ScalarType type);

/** \brief Returns all names, separated by commas. */
std::string
PixelTypeNames();

/** \brief Returns the type of a name in any case. Names of NumPy, ANTs and c3d (float32, short, uchar) are accepted,
 * too.
 *
 * \param[in] option name of the option, for the message
 * \param[in] name the name
 * \exception ProgramError an unknown name */
ScalarType
ParsePixelType(const std::string & option, const std::string & name);

/** \brief Returns the type of a component of ITK's IO. Empty for unsupported components (long double). */
std::optional<ScalarType>
PixelTypeOfComponent(itk::IOComponentEnum component);

/** \brief Returns the component of ITK's IO for a type. */
itk::IOComponentEnum
ComponentOfPixelType(ScalarType type);

/** \brief Returns whether the second type represents every value of the first one, so that conversion loses nothing. */
bool
HoldsAllValues(ScalarType from, ScalarType to);

/** \brief Returns whether a pixel type represents a value, exactly for integers, within the range for real types. */
bool
CanHold(ScalarType type, double value);

/** \brief Copies pixels to another type. They are rounded as the type specifies, and clamped to its range. A ScalarType
 * truncates, like the cast of itk::ResampleImageFilter. */
Volume
CastVolume(const Volume & volume, itk::CudaSpline::StoredType type);

} // namespace CudaSplineProgram

#endif
