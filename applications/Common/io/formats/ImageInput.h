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

/** \brief How DICOM files may be read. */
struct SeriesChoice
{
  std::string uid;              ///< the series of a folder to take; empty: the only one
  bool        force{ false };   ///< read them even if their geometry is not a regular grid, or is not known
  bool        isQuiet{ false }; ///< with \c force: without a warning, of a file that this process has written
};

/** \brief What a NIfTI file had that an output of the same format keeps. */
struct NiftiOrigin
{
  int                          version{ 1 };
  bool                         isDisplacement{ false }; ///< its vectors were along NIfTI's axes (intent 1006)
  itk::CudaSpline::NiftiFields fields;
  Grid                         grid;        ///< of the file
  std::string                  foreignWarp; ///< see itk::CudaSpline::GetForeignWarpReason()
};

/** \brief What a file has beyond a grid and a type of numbers: several numbers a pixel, several volumes. */
struct ImageLayout
{
  unsigned int     components{ 1 };                   ///< numbers a pixel
  itk::IOPixelEnum pixel{ itk::IOPixelEnum::SCALAR }; ///< what they are
  std::size_t      volumes{ 1 };                      ///< along the fourth axis
  bool             isSeries{ false };                 ///< there is a fourth axis
  double           volumeSpacing{ 1.0 };              ///< of the fourth axis; of NIfTI in s, if it is a time
  double           volumeOrigin{ 0.0 };
  /** What the file says of itself and is kept: NIfTI's codes of the space, its description. */
  std::map<std::string, std::string> notes;
  std::optional<NiftiOrigin>         nifti; ///< of a NIfTI file

  /** Volumes of one number a pixel. */
  std::size_t
  GetNumberOfPlanes() const
  {
    return volumes * components;
  }

  /** Whether the numbers are coordinates of a vector, or of a tensor, in space. */
  bool
  HasDirections() const
  {
    return components > 1 && pixel != itk::IOPixelEnum::RGB && pixel != itk::IOPixelEnum::RGBA &&
           pixel != itk::IOPixelEnum::COMPLEX;
  }
};

/** \brief An image that was found and can be read; its pixels were not read yet. */
struct ImageDescription
{
  std::string              path; ///< as the user named it
  Grid                     grid;
  ScalarType               type{ ScalarType::Float32 };
  ImageLayout              layout;
  std::string              messages; ///< what libraries printed while they read it; see WarnOf()
  std::vector<std::string> slices; ///< files of a DICOM series in the order of their positions; empty for a single file
  std::shared_ptr<ReadingProcess> reader; ///< has the file open
};

/** \brief Finds an image and has its header read, in a process of its own (see ReadingProcess).
 *
 * \param[in] path a file, or a folder with a DICOM series
 * \exception ProgramError it is missing, unreadable, or not a 2D or 3D scalar image, or the series is refused */
ImageDescription
DescribeImage(const std::string & path, const SeriesChoice & choice);

/** \brief Has a volume of a series, or an image with several numbers a pixel, read, by the process that has read the
 * header. Volumes in their order cost least.
 * \param[in,out] description the image; gets the messages of libraries
 * \param[in] volume its number, from 0
 * \return an image for each component, which are valid until the next one is read
 * \exception ProgramError as ReadImage() */
std::vector<Volume>
ReadPlanes(ImageDescription & description, std::size_t volume);

/** \brief Throws where an image has several volumes, or several numbers a pixel. */
void
CheckIsPlain(const ImageDescription & description);

/** \brief Has the pixels read, by the process that has read the header.
 * \param[in,out] description the image; gets the messages of libraries, and loses its reader
 * \exception ProgramError they cannot be read, there are fewer than the header promises, or CheckIsPlain() throws */
Volume
ReadImage(ImageDescription & description);

} // namespace CudaSplineProgram

#endif
