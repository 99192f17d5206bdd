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
#ifndef CudaSplineProgram_DicomPixels_h
#define CudaSplineProgram_DicomPixels_h

#include "io/formats/ImageReading.h"

namespace CudaSplineProgram
{

/** \brief Reads the frames of a DICOM file in the order of OpenedImage::frames.
 *
 * \param[in] image a DICOM file
 * \param[out] pixels as many as the grid has
 * \exception ProgramError they cannot be read */
void
ReadDicomFrames(const OpenedImage & image, void * pixels);

/** \brief Reads the slices of a series into a volume, and applies rescale slope and intercept of each slice.
 *
 * \param[in] description the series
 * \param[out] volume volume with the grid and type of the series
 * \exception ProgramError a slice cannot be read */
void
ReadDicomSlices(const OpenedImage & description, const Volume & volume);

} // namespace CudaSplineProgram

#endif
