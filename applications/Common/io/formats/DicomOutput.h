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
  std::string bytes; ///< a DICOM file of these elements; empty: there is none
};

/** \brief Reads what the first DICOM file of some files says, in a process of its own (see ReadingProcess).
 * \param[in] files in the order in which they are asked; others than DICOM are passed over
 * \return empty where none is DICOM */
DicomOrigin
ReadDicomOrigin(const std::vector<std::string> & files);

/** \brief Name of the first file of a series that WriteDicomSeries() writes. */
std::string
FirstDicomName();

/** \brief Writes a volume as a new series of its origin's study: one file per slice, 16 bits per pixel, with new
 * identifiers of series, instances and frame of reference; reads it back and compares.
 *
 * Values that are whole numbers and go into 16 bits are stored as they are. Others are stored in 65536 steps from the
 * least to the largest one, with rescale slope and intercept, of which a warning has the step.
 * \param[in] volume 3D; a left-handed grid is written from its last slice on, which is the same image
 * \param[in] folder where to write; there is nothing else in it
 * \exception ProgramError values that are not finite, or what was written does not read as it should */
void
WriteDicomSeries(const Volume & volume, const DicomOrigin & origin, const std::string & folder);

} // namespace CudaSplineProgram

#endif
