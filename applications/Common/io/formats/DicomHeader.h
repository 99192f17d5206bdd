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

/** \brief Position of a frame of a DICOM file. Missing elements are empty. */
struct DicomPlane
{
  std::optional<Coordinates>           position;     ///< Image Position (Patient), mm
  std::optional<std::array<double, 6>> orientation;  ///< Image Orientation (Patient): of the rows, of the columns
  std::optional<std::array<double, 2>> pixelSpacing; ///< Pixel Spacing: between rows, between columns, mm
  std::optional<DicomRescale>          rescale;      ///< of this frame, or of doses
};

/** \brief Geometry of a DICOM file from its elements. */
struct DicomHeader
{
  std::vector<DicomPlane>              planes;           ///< one for each frame, in the order of the pixels
  std::optional<std::array<double, 2>> detectorSpacing;  ///< Imager Pixel Spacing, or Nominal Scanned Pixel Spacing
  double                               thickness{ 0.0 }; ///< Spacing Between Slices, or Slice Thickness, mm; 0: neither
  double                               sliceSpacing{ 0.0 }; ///< Spacing Between Slices, mm; may be negative; 0: none
  bool                                 isDose{ false };     ///< RT Dose
  std::string                          tilt;   ///< Gantry/Detector Tilt in degrees, as written; empty if missing
  std::string                          mosaic; ///< Image Type of a picture with slices as tiles; otherwise empty
  bool                                 hasTable{ false }; ///< Modality LUT Sequence: values are those of a table
  bool isInverted{ false }; ///< MONOCHROME1: the smallest value is white; ITK's reader inverts the stored numbers
  bool isMask{ false };     ///< one bit per pixel; ITK's reader converts these to 0 and 255, and loses the last ones
};

/** \brief Returns whether a file begins like DICOM files: 128 arbitrary bytes, and the letters DICM. */
bool
HasDicomPreamble(const std::string & path);

/** \brief Returns whether a data set has pixels: integers, float or double. */
bool
HasPixels(const gdcm::DataSet & data);

/** \brief Reads the elements with the positions of the frames of a file.
 *
 * Enhanced objects have them in the functional groups of each frame, or of all frames. The planes of RT Dose are
 * computed from Grid Frame Offset Vector. Other files with several frames have at most the position of the first one.
 *
 * GDCM continues with pixels that were never read. It only warns if it was compiled without NDEBUG. This is the case
 * for Debian's library, but not for the one of ITK's release builds, so its messages are not sufficient.
 *
 * \exception ProgramError the file ends within a value, has no pixels, or an element has a value that is not allowed */
DicomHeader
ReadDicomHeader(const std::string & path);

} // namespace CudaSplineProgram

#endif
