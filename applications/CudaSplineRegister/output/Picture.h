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
#ifndef CudaSplineRegister_Picture_h
#define CudaSplineRegister_Picture_h

#include "io/volume/Volume.h"

#include <string>

namespace CudaSplineRegister
{

using namespace CudaSplineProgram; // common to both programs

/** \brief Returns the size of the picture of DrawCheckerboards() for images on a grid. */
Grid
PictureGrid(const Grid & grid);

/** \brief Draws checkerboards of two images before (top) and after (bottom) the registration, at least 900 pixels wide.
 *
 * Volumes are shown by their three middle slices in radiological orientation, with their names, their numbers and the
 * letters of the patient's sides (L and R, A and P, S and I; two letters for an oblique axis). Each image is scaled
 * separately: black is its 0.5th percentile, white its 99.5th. Pixels are squares of the finest spacing, or finer. Very
 * large or anisotropic images have coarser pixels, at most 8192 along a side.
 *
 * \param[in] fixed the fixed image with float or double pixels
 * \param[in] before the moving image on the grid of the fixed one at the start
 * \param[in] after the same at the end
 * \param[in] name name of the moving image in the title, for example "volume 7"
 * \return 2D, std::uint8_t */
Volume
DrawCheckerboards(const Volume &      fixed,
                  const Volume &      before,
                  const Volume &      after,
                  const std::string & name = "moving image");

} // namespace CudaSplineRegister

#endif
