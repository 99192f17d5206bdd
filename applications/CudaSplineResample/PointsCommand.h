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
#ifndef CudaSplineResample_PointsCommand_h
#define CudaSplineResample_PointsCommand_h

#include "CommandLine.h"

namespace CudaSplineResample
{

/** \brief Maps the points of a table (CSV) with the transforms of the command line, and writes the table with the
 * mapped points.
 *
 * Columns named x, y and, in 3D, z (in any case) are points in mm, LPS; all others are not changed. A table without a
 * line of names has the points in its first two or three columns, depending on its number of numeric columns. A point
 * of the output's (fixed) space is mapped to the point of the input's (moving) space at which --transform takes the
 * value of an image.
 *
 * \param[in] options the options of the user
 * \exception ProgramError a file that cannot be read or written, a line without numbers, or an invalid transform */
void
RunPoints(const Options & options);

} // namespace CudaSplineResample

#endif
