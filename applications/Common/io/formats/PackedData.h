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
#ifndef CudaSplineProgram_PackedData_h
#define CudaSplineProgram_PackedData_h

#include "process/ReadingProcess.h"

#include <cstddef>
#include <string>

namespace CudaSplineProgram
{

struct OpenedImage;

/** \brief Returns how the bytes of an image's files may be packed. */
Packing
PackingOf(const OpenedImage & image);

/** \brief Changes the number of volumes in the header of a series that ITK has written.
 *
 * \param[in] format the name of ITK's class: NRRD or MetaImage
 * \param[in,out] header the bytes of the file before its pixels
 * \param[in] volumes the number of volumes
 * \return false if the header does not have this field */
bool
SetNumberOfVolumes(const std::string & format, std::string & header, std::size_t volumes);

/** \brief Throws if a VTK file has fewer numbers than its header specifies, which ITK does not check.
 *
 * \param[in] path the file
 * \param[in] numbers numbers of the pixels
 * \param[in] bytes bytes of a number, if the file is not text */
void
CheckVtkData(const std::string & path, double numbers, double bytes);

} // namespace CudaSplineProgram

#endif
