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
#ifndef CudaSplineProgram_DicomHeader_h
#define CudaSplineProgram_DicomHeader_h

#include "io/volume/Volume.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace gdcm
{
class DataSet;
}

namespace CudaSplineProgram
{

/** \brief Slope and intercept of a frame: value = slope * stored + intercept. */
struct DicomRescale
{
  double slope{ 1.0 };
  double intercept{ 0.0 };
};

/** \brief Where a frame of a DICOM file is. What the file does not have is empty. */
struct DicomPlane
{
  std::optional<Coordinates>           position;     ///< Image Position (Patient), mm
  std::optional<std::array<double, 6>> orientation;  ///< Image Orientation (Patient): of the rows, of the columns
  std::optional<std::array<double, 2>> pixelSpacing; ///< Pixel Spacing: between rows, between columns, mm
  std::optional<DicomRescale>          rescale;      ///< of this frame, or of doses
};

/** \brief Geometry of a DICOM file by its elements. */
struct DicomHeader
{
  std::vector<DicomPlane>              planes;           ///< a frame each, in the order of the pixels
  std::optional<std::array<double, 2>> detectorSpacing;  ///< Imager Pixel Spacing, or Nominal Scanned Pixel Spacing
  double                               thickness{ 0.0 }; ///< Spacing Between Slices, or Slice Thickness, mm; 0: neither
  double                               sliceSpacing{ 0.0 }; ///< Spacing Between Slices, mm; may be negative; 0: none
  bool                                 isDose{ false };     ///< RT Dose
  std::string                          tilt;   ///< Gantry/Detector Tilt in degrees, as written; empty without
  std::string                          mosaic; ///< Image Type of a picture with slices as tiles; else empty
  bool                                 hasTable{ false }; ///< Modality LUT Sequence: values are those of a table
  bool isInverted{ false }; ///< MONOCHROME1: the smallest value is white; ITK's reader inverts the stored numbers
  bool isMask{ false };     ///< one bit per pixel, of which ITK's reader makes 0 and 255, and loses the last ones
};

/** \brief Whether a file begins as DICOM files do: 128 bytes of anything, and the letters DICM. */
bool
HasDicomPreamble(const std::string & path);

/** \brief Whether a data set has pixels: integers, float or double. */
bool
HasPixels(const gdcm::DataSet & data);

/** \brief Reads the elements with the positions of the frames of a file.
 *
 * Enhanced objects have them in the functional groups of each frame, or of all. The planes of RT Dose follow from Grid
 * Frame Offset Vector. Other files with several frames have the position of the first one at most.
 *
 * GDCM continues with pixels that were never read. It warns of them only where it was compiled without NDEBUG, as
 * Debian's library and not as the one that ITK's release builds bring, so its messages are not enough.
 * \exception ProgramError the file ends within a value, has no pixels, or an element has a value that is not allowed */
DicomHeader
ReadDicomHeader(const std::string & path);

} // namespace CudaSplineProgram

#endif
