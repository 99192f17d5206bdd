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
#ifndef CudaSplineProgram_ImageReading_h
#define CudaSplineProgram_ImageReading_h

#include "io/formats/DicomHeader.h"
#include "io/formats/ImageInput.h"
#include "io/formats/NiftiInput.h"
#include "io/volume/VolumeReader.h"

#include "itkCudaSpline/files/ImageFileHeader.h"

#include "itkImageIOBase.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief A frame of a DICOM file. */
struct DicomFrame
{
  std::size_t                 number{ 0 };     ///< in the file
  std::optional<DicomRescale> rescale;         ///< of the stored numbers, if ITK's reader has other values
  bool                        isMask{ false }; ///< one bit per pixel
};

/** \brief An image whose header this process has read. Files of users are read by DescribeImage(), which uses a
 * separate process. */
struct OpenedImage : ImageDescription
{
  itk::ImageIOBase::Pointer                       io;      ///< of a single file that ITK reads
  std::optional<NiftiInput>                       nifti;   ///< of a NIfTI file
  std::shared_ptr<NiftiReader>                    reader;  ///< reads the volumes of a NIfTI file
  std::optional<itk::CudaSpline::ImageFileHeader> stored;  ///< of an NRRD file or a MetaImage
  std::vector<DicomFrame>                         frames;  ///< frames of DICOM files in the order of the image
  std::optional<VolumePlace>                      place;   ///< set if volumes can be read one by one
  std::shared_ptr<VolumeReader>                   volumes; ///< reads these volumes
  std::shared_ptr<void> all; ///< pixels of all volumes, if the format only provides them at once
};

/** \brief Returns volumes, components and notes of a file whose header was read. */
ImageLayout
LayoutOfHeader(const itk::ImageIOBase & io);

/** \brief Returns the grid of a file whose header an ITK reader has read.
 *
 * The fourth axis belongs to a series. Axes beyond the third with a single sample are dropped. A negative spacing
 * becomes the opposite direction, as in itk::ImageFileReader.
 *
 * \exception ProgramError not 2D or 3D, no voxels, or an invalid geometry */
Grid
GridOfHeader(const itk::ImageIOBase & io, const std::string & path);

/** \brief Returns the type of the numbers of a file whose header was read.
 *
 * \exception ProgramError the type is not supported */
ScalarType
TypeOfHeader(const itk::ImageIOBase & io, const std::string & path);

/** \brief Reads a header. Parameters and exceptions are as for DescribeImage(). */
OpenedImage
OpenImage(const std::string & path, const SeriesChoice & choice);

/** \brief Checks whether the files of an image have as many data as the header specifies, if the format is supported.
 *
 * \exception ProgramError they do not */
void
CheckPixels(const OpenedImage & image);

/** \brief Reads the pixels of a volume. The numbers of a pixel are consecutive; NIfTI has a plane for each component
 * instead.
 *
 * \param[in,out] image receives the messages of libraries
 * \param[in] volume its number, from 0
 * \param[out] pixels as many as the grid has
 * \exception ProgramError as ReadImage() */
void
ReadPixels(OpenedImage & image, std::size_t volume, void * pixels);

/** \brief Returns the bytes of a volume with all its components. */
std::size_t
BytesOfVolume(const ImageDescription & image);

} // namespace CudaSplineProgram

#endif
