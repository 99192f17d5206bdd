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
#ifndef CudaSplineProgram_DicomOutput_h
#define CudaSplineProgram_DicomOutput_h

#include "io/volume/Volume.h"

#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief Patient, study, device and acquisition of a DICOM file, for images that are derived from it. */
struct DicomOrigin
{
  std::string bytes; ///< a DICOM file with these elements; empty: there is none
};

/** \brief Reads the elements of the first DICOM file of some files, in a separate process (see ReadingProcess).
 *
 * \param[in] files files in the order of priority; other files than DICOM are skipped
 * \return empty if no file is DICOM */
DicomOrigin
ReadDicomOrigin(const std::vector<std::string> & files);

/** \brief Returns the name of the first file of a series that WriteDicomSeries() writes. */
std::string
FirstDicomName();

/** \brief Writes a volume as a new series of the study of its origin. There is one file per slice with 16 bits per
 * pixel, and new identifiers of series, instances and frame of reference. The series is read back and compared.
 *
 * Integers that fit into 16 bits are stored without change. Other values are stored in 65536 steps from the smallest to
 * the largest one, with rescale slope and intercept. A warning reports the step.
 *
 * \param[in] volume 3D; a left-handed grid is written from its last slice on, which is the same image
 * \param[in] origin the origin
 * \param[in] folder an empty folder
 * \exception ProgramError values are not finite, or the files are not read as expected */
void
WriteDicomSeries(const Volume & volume, const DicomOrigin & origin, const std::string & folder);

} // namespace CudaSplineProgram

#endif
