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
#ifndef CudaSplineProgram_DicomGeometry_h
#define CudaSplineProgram_DicomGeometry_h

#include "io/formats/DicomHeader.h"

#include <optional>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief A DICOM slice: its file and the data of its header. */
struct DicomSlice
{
  std::string                 file;
  std::size_t                 frame{ 0 }; ///< in the file
  Grid                        grid;
  ScalarType                  type{ ScalarType::Int16 };
  std::string                 tilt; ///< Gantry/Detector Tilt (0018,1120) in degrees, as written; empty if missing
  double                      position{ 0.0 }; ///< mm along the normal of the image plane
  std::optional<DicomRescale> rescale;         ///< of the stored numbers, if ITK's reader has other values
  bool                        isMask{ false }; ///< one bit per pixel
};

/** \brief Sorts slices by their position along the normal of the image plane, which it computes. */
void
SortByPosition(std::vector<DicomSlice> & slices);

/** \brief Returns the reason why the slices cannot be a volume. Empty if they can. */
std::string
WhyNoVolume(const std::vector<DicomSlice> & slices);

/** \brief Describes how the sorted slices differ from a regular grid, with numbers. Empty if they do not. */
std::vector<std::string>
FindIrregularities(const std::vector<DicomSlice> & slices);

/** \brief Returns the grid of the sorted slices, like ITK's series reader. */
Grid
GridOfSlices(const std::vector<DicomSlice> & slices);

} // namespace CudaSplineProgram

#endif
