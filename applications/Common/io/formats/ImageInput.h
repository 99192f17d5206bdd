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

#include "process/ReadingProcess.h"
#include "io/volume/Volume.h"

#include "itkCudaSpline/files/NiftiDescription.h"

#include "itkCommonEnums.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief Options to read DICOM files. */
struct SeriesChoice
{
  std::string uid;              ///< the series of a folder to read; empty: the only one
  bool        force{ false };   ///< read files even if their geometry is not a regular grid, or unknown
  bool        isQuiet{ false }; ///< with \c force: without a warning, for a file that this process has written
};

/** \brief Properties of a NIfTI file that an output of the same format keeps. */
struct NiftiOrigin
{
  int                          version{ 1 };
  bool                         isDisplacement{ false }; ///< its vectors were along the axes of NIfTI (intent 1006)
  itk::CudaSpline::NiftiFields fields;
  Grid                         grid;        ///< of the file
  std::string                  foreignWarp; ///< see itk::CudaSpline::GetForeignWarpReason()
};

/** \brief Properties of a file in addition to a grid and a type of numbers: several numbers per pixel, several volumes.
 */
struct ImageLayout
{
  unsigned int     components{ 1 };                   ///< numbers of a pixel
  itk::IOPixelEnum pixel{ itk::IOPixelEnum::SCALAR }; ///< their meaning
  std::size_t      volumes{ 1 };                      ///< along the fourth axis
  bool             isSeries{ false };                 ///< whether there is a fourth axis
  double           volumeSpacing{ 1.0 };              ///< of the fourth axis; in NIfTI in s, if it is a time
  double           volumeOrigin{ 0.0 };
  /** Information in the file that is kept: NIfTI's codes of the space, its description. */
  std::map<std::string, std::string> notes;
  std::optional<NiftiOrigin>         nifti; ///< of a NIfTI file

  /** Returns the number of volumes with one number per pixel. */
  std::size_t
  GetNumberOfPlanes() const
  {
    return volumes * components;
  }

  /** Returns whether the numbers are coordinates of a vector, or of a tensor, in space. */
  bool
  HasDirections() const
  {
    return components > 1 && pixel != itk::IOPixelEnum::RGB && pixel != itk::IOPixelEnum::RGBA &&
           pixel != itk::IOPixelEnum::COMPLEX;
  }
};

/** \brief An image that was found and can be read. Its pixels have not been read yet. */
struct ImageDescription
{
  std::string              path; ///< as specified by the user
  Grid                     grid;
  ScalarType               type{ ScalarType::Float32 };
  ImageLayout              layout;
  std::string              messages; ///< messages that libraries printed while they read it; see WarnOf()
  std::vector<std::string> slices; ///< files of a DICOM series in the order of their positions; empty for a single file
  std::shared_ptr<ReadingProcess> reader; ///< has opened the file
};

/** \brief Finds an image and reads its header in a separate process (see ReadingProcess).
 *
 * \param[in] path a file, or a folder with a DICOM series
 * \param[in] choice options for DICOM files
 * \exception ProgramError it is missing, unreadable, or not a 2D or 3D scalar image, or the series is rejected */
ImageDescription
DescribeImage(const std::string & path, const SeriesChoice & choice);

/** \brief Reads a volume of a series, or an image with several numbers per pixel, in the process that has read the
 * header. Reading volumes in their order is fastest.
 *
 * \param[in,out] description the image; receives the messages of libraries
 * \param[in] volume its number, from 0
 * \return an image for each component, which are valid until the next volume is read
 * \exception ProgramError as ReadImage() */
std::vector<Volume>
ReadPlanes(ImageDescription & description, std::size_t volume);

/** \brief Throws if an image has several volumes, or several numbers per pixel. */
void
CheckIsPlain(const ImageDescription & description);

/** \brief Reads the pixels in the process that has read the header.
 *
 * \param[in,out] description the image; receives the messages of libraries, and loses its reader
 * \exception ProgramError the pixels cannot be read, there are fewer than the header specifies, or CheckIsPlain()
 * throws */
Volume
ReadImage(ImageDescription & description);

} // namespace CudaSplineProgram

#endif
