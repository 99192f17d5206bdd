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
#ifndef CudaSplineProgram_StoredImage_h
#define CudaSplineProgram_StoredImage_h

#include "io/volume/VolumeReader.h"

#include "itkCudaSpline/files/ImageFileHeader.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief Reads the header of an NRRD file, recognized by its first bytes, or of a MetaImage, recognized by its name.
 *
 * \return empty: the file has neither format
 * \exception ProgramError a field, its value and what is allowed */
std::optional<itk::CudaSpline::ImageFileHeader>
ReadStoredHeader(const std::string & path);

/** \brief Returns the files with the numbers of an image, which may be missing. */
std::vector<std::filesystem::path>
DataFilesOf(const itk::CudaSpline::ImageFileHeader & header, const std::string & path);

/** \brief Returns the position of the volumes of an image in a file, if they are in order. Empty if ReadStoredImage()
 * has to rearrange the numbers, or if they are in several files. */
std::optional<VolumePlace>
PlaceOfVolumes(const itk::CudaSpline::ImageFileHeader & header, const std::string & path);

/** \brief Throws if a file is missing, or if an uncompressed file is too short. */
void
CheckStoredImage(const itk::CudaSpline::ImageFileHeader & header, const std::string & path);

/** \brief Reads all numbers: those of a pixel first, x fastest, volumes last.
 *
 * \param[in] header the header
 * \param[in] path the file with the header
 * \param[out] pixels as many as the header specifies
 * \exception ProgramError files are missing, truncated or damaged */
void
ReadStoredImage(const itk::CudaSpline::ImageFileHeader & header, const std::string & path, void * pixels);

} // namespace CudaSplineProgram

#endif
