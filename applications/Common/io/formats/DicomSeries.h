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
#ifndef CudaSplineProgram_DicomSeries_h
#define CudaSplineProgram_DicomSeries_h

#include "io/formats/ImageReading.h"

#include <string>

namespace CudaSplineProgram
{

/** \brief Finds the series of a DICOM folder and checks that its slices are a regular grid.
 *
 * Slices are sorted by their positions along the normal of the image plane. As in itk::ImageSeriesReader, the slice
 * spacing is the distance between the first and the last position divided by the number of gaps, and the third axis is
 * the normal.
 *
 * Unless \p choice allows them, the following are rejected with their numbers:
 *
 * * several series;
 * * missing slices;
 * * gaps that differ by more than 1 % and 0.01 mm (positions are decimal strings, often with two digits), or that add
 *   up to a tenth of a gap;
 * * slices that are sheared by more than 0.05 degrees (gantry tilt), or shifted within their plane by more than a tenth
 *   of a pixel and 0.05 mm;
 * * tiles of a mosaic;
 * * tables of values.
 *
 * Slices that differ in size, orientation or pixel spacing, or share a position, are always rejected, and so is a
 * folder with a damaged or an empty file.
 *
 * \exception ProgramError there is no DICOM file, or the series is rejected */
OpenedImage
DescribeDicomFolder(const std::string & path, const SeriesChoice & choice);

/** \brief Finds the geometry of a DICOM file with one or several frames from the elements of its frames.
 *
 * Frames are sorted by their positions, and rejected like the slices of a folder. Unless \p choice allows them, files
 * without PixelSpacing, ImageOrientationPatient or ImagePositionPatient, and frames without positions are also
 * rejected. If they are allowed, the spacing is 1 mm (or the spacing at the detector), the plane is axial at 0, and
 * frames are in their order.
 *
 * \exception ProgramError the file is damaged, or rejected */
OpenedImage
DescribeDicomFile(const std::string & path, const SeriesChoice & choice);

} // namespace CudaSplineProgram

#endif
