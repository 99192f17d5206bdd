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
#ifndef CudaSplineProgram_ImageInput_h
#define CudaSplineProgram_ImageInput_h

#include "Volume.h"

#include "itkImageIOBase.h"

#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief How a DICOM folder may be read. */
struct SeriesChoice
{
  std::string uid;            ///< the series to take; empty: the only one
  bool        force{ false }; ///< read it even if its geometry is not a regular grid
};

/** \brief An image that was found and can be read; its pixels were not read yet. */
struct ImageDescription
{
  std::string               path; ///< as the user named it
  Grid                      grid;
  ScalarType                type{ ScalarType::Float32 };
  std::string               messages; ///< what libraries printed while they read it; see WarnOf()
  itk::ImageIOBase::Pointer io;       ///< reader of a single file, its header read
  std::vector<std::string> slices; ///< files of a DICOM series in the order of their positions; empty for a single file
};

/** \brief Grid of a file whose header an ITK reader has read.
 *
 * Axes beyond the third that have a single sample are dropped; a negative spacing turns into the opposite direction, as
 * in itk::ImageFileReader. \exception ProgramError not 2D or 3D, or no voxels */
Grid
GridOfHeader(const itk::ImageIOBase & io, const std::string & path);

/** \brief Pixel type of a file whose header was read. \exception ProgramError not one integer or real number a pixel */
ScalarType
TypeOfHeader(const itk::ImageIOBase & io, const std::string & path);

/** \brief Finds an image and reads its header.
 *
 * \param[in] path a file, or a folder with a DICOM series
 * \exception ProgramError it is missing, unreadable, or not a 2D or 3D scalar image, or the series is refused */
ImageDescription
DescribeImage(const std::string & path, const SeriesChoice & choice);

/** \brief Reads the pixels.
 * \param[in,out] description the image; gets the messages of libraries
 * \exception ProgramError they cannot be read, or there are fewer than the header promises */
Volume
ReadImage(ImageDescription & description);

} // namespace CudaSplineProgram

#endif
