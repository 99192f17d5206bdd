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
#ifndef CudaSplineProgram_NiftiInput_h
#define CudaSplineProgram_NiftiInput_h

#include "io/formats/ImageInput.h"
#include "io/volume/VolumeReader.h"

#include "itkCudaSpline/files/NiftiDescription.h"

#include <memory>
#include <optional>
#include <string>

namespace CudaSplineProgram
{

/** \brief Returns whether a name has a suffix of NIfTI files, compressed or not, in any case. */
bool
IsNiftiName(const std::string & path);

/** \brief A NIfTI file whose header was read. */
struct NiftiInput
{
  itk::CudaSpline::NiftiDescription description;
  std::string                       path;        ///< of the file with the pixels
  bool                              isPacked;    ///< by gzip
  std::string                       foreignWarp; ///< see itk::CudaSpline::GetForeignWarpReason()

  /** Returns whether the components of a volume are far apart in a stream that is only readable sequentially. */
  bool
  IsKeptDecompressed() const
  {
    return isPacked && description.arePlanes && description.volumes > 1;
  }
};

/** \brief Reads the header of a file, or of either file of a pair, and finds the file with the pixels. A problem of the
 * header that is not an error is reported with one warning.
 *
 * \return empty if the file has another format
 * \exception ProgramError it is a NIfTI file, or has its name, and cannot be read */
std::optional<NiftiInput>
OpenNifti(const std::string & path);

/** \brief Returns the grid of a description. */
Grid
GridOfNifti(const itk::CudaSpline::NiftiGrid & grid);

/** \brief Returns components, volumes and all properties of a file that are kept. */
ImageLayout
LayoutOfNifti(const NiftiInput & input);

/** \brief Reads the volumes of a NIfTI file. If they are read in order, a compressed file is decompressed once. A file
 * whose components are apart is decompressed to a temporary file if it has more than one volume. */
class NiftiReader
{
public:
  explicit NiftiReader(const NiftiInput & input);

  /** \brief Reads a volume.
   *
   * \param[in] volume its number
   * \param[out] numbers a plane for each component, one after the other
   * \exception ProgramError the file is truncated or damaged, or its scaled numbers are out of range */
  void
  Read(std::size_t volume, void * numbers);

private:
  /** Reads the stored bytes of a plane of all volumes. */
  void
  ReadStored(std::size_t index, void * bytes);
  /** Converts stored bytes of a plane to numbers.
   *
   * \exception ProgramError a scaled number is out of the range of the type */
  void
  Convert(std::uint32_t component, const void * stored, std::size_t count, void * numbers) const;

  NiftiInput            m_Input;
  VolumeReader          m_Reader;
  std::size_t           m_PlaneBytes;
  std::size_t           m_Planes;
  std::shared_ptr<void> m_All; ///< null: planes are read from the file
};

} // namespace CudaSplineProgram

#endif
