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

/** \brief Name of a pixel type on the command line: uint8, int8, ..., float, double. */
std::string
NameOfPixelType(ScalarType type);

/** \brief All names, separated by commas. */
std::string
PixelTypeNames();

/** \brief The type of a name, in letters of any case; those of NumPy, ANTs and c3d (float32, short, uchar) are known,
 * too.
 *
 * \param[in] option name of the option, for the message
 * \param[in] name the name
 * \exception ProgramError an unknown name */
ScalarType
ParsePixelType(const std::string & option, const std::string & name);

/** \brief The type of a component of ITK's IO; empty for what has none here (long double). */
std::optional<ScalarType>
PixelTypeOfComponent(itk::IOComponentEnum component);

/** \brief The component of ITK's IO for a type. */
itk::IOComponentEnum
ComponentOfPixelType(ScalarType type);

/** \brief True where every value of the first type is one of the second, so that conversion loses nothing. */
bool
HoldsAllValues(ScalarType from, ScalarType to);

/** \brief Whether a pixel type has the value, exactly for integers, within the range for real types. */
bool
CanHold(ScalarType type, double value);

/** \brief Copies pixels to another type: rounded as the type says, and clamped to its range. A ScalarType by itself
 * truncates, as itk::ResampleImageFilter's cast does. */
Volume
CastVolume(const Volume & volume, itk::CudaSpline::StoredType type);

} // namespace CudaSplineProgram

#endif
