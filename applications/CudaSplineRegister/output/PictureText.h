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
#ifndef CudaSplineRegister_PictureText_h
#define CudaSplineRegister_PictureText_h

#include "io/volume/Volume.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace CudaSplineRegister
{

using namespace CudaSplineProgram; // common to both programs

/** \brief Height of letters of DrawText() in units of its scale. A letter and its gap are 6 wide. */
inline constexpr std::size_t letterHeight = 7;
inline constexpr std::size_t letterWidth = 6;

/** \brief Draws text with dots into a picture, in capitals. Parts outside of the picture are omitted. Letters that the
 * font does not have are blank.
 *
 * \param[in] picture 2D, std::uint8_t
 * \param[in] text the text
 * \param[in] left, top pixels from the upper left corner
 * \param[in] scale pixels of a dot */
void
DrawText(const Volume &      picture,
         const std::string & text,
         std::size_t         left,
         std::size_t         top,
         std::size_t         scale,
         std::uint8_t        grey);

} // namespace CudaSplineRegister

#endif
