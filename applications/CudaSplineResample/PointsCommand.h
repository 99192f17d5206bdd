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

/** \brief Maps the points of a table (CSV) through the transforms of the command line, and writes the table with the
 * mapped points.
 *
 * Columns named x, y and, in 3D, z (letters of any case) are points in mm, LPS; all others stay as they are. A table
 * without such a line has the points in its first two or three columns, as many as it has columns of numbers.
 * A point of the output's (fixed) space becomes the point of the input's (moving) space at which --transform takes the
 * value of an image.
 *
 * \param[in] options what the user asked for
 * \exception ProgramError a file that cannot be read or written, a line without numbers, or a wrong transform */
void
RunPoints(const Options & options);

} // namespace CudaSplineResample

#endif
