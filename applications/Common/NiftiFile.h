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
#ifndef CudaSplineProgram_NiftiFile_h
#define CudaSplineProgram_NiftiFile_h

#include "VolumeReader.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace CudaSplineProgram
{

/** \brief The name by which the NIfTI library reads a file: mostly its own.
 *
 * The library looks for pixels by the name without its ending, "a.nii" before "a.nii.gz", and so takes those of another
 * file where both are there. Then a link in a folder of its own names the file, while this lives. */
class NiftiName
{
public:
  /** \exception ProgramError the file is the compressed half of a pair, beside one that is not compressed; or there can
   * be no link */
  explicit NiftiName(const std::string & path);
  NiftiName(const NiftiName &) = delete;
  NiftiName &
  operator=(const NiftiName &) = delete;
  ~NiftiName();

  const std::string &
  Get() const
  {
    return m_Name;
  }

private:
  std::string m_Folder; ///< of the link; empty: none
  std::string m_Name;
};

/** \brief Throws where a NIfTI or Analyze file is shorter than its header says.
 *
 * ITK's NIfTI reader says nothing of it: what is missing comes out as zeros. Compressed files are decompressed once to
 * count their bytes, and to compare the checksum. \param[in] path .nii, .hdr or .img, also with .gz \exception
 * ProgramError the file, or the one that belongs to it, is cut short or damaged */
void
CheckNiftiLength(const std::string & path);

/** \brief What a header says beside grid and pixels that ITK does not write as it was. */
struct NiftiMarks
{
  std::optional<int> qform; ///< code of the space, 0 to 5
  std::optional<int> sform;
  std::optional<int> timeUnit; ///< 8 s, 16 ms, 24 us
  std::string        description;
};

/** \brief Reads description, unit of time and codes of a header; empty ones of files of another kind.
 *
 * \param[in] volumeSpacing of the fourth axis, as ITK has it, which may have converted it to seconds */
NiftiMarks
ReadNiftiMarks(const std::string & path, double volumeSpacing);

/** \brief Writes them into the header of an uncompressed file; those that are empty stay as they are.
 * \exception ProgramError the file cannot be written */
void
WriteNiftiMarks(const std::string & path, const NiftiMarks & marks);

/** \brief Where a file has the volumes of a series, in this machine's order of bytes.
 *
 * \param[in] bytes of all pixels as ITK gives them
 * \return empty where the numbers of the file are not those that ITK gives: they are rescaled, of the other byte order,
 * or components that lie apart */
std::optional<VolumePlace>
PlaceOfNiftiVolumes(const std::string & path, unsigned int components, double bytes);

/** \brief Writes another number of volumes into the bytes of a header of this machine's order.
 * \return false where the format has no room for it */
bool
SetNumberOfNiftiVolumes(std::string & header, std::size_t volumes);

/** \brief Writes another size of the first three axes into the bytes of a header of this machine's order.
 * \return false where the format has no room for it */
bool
SetSizeOfNifti(std::string & header, const std::array<std::size_t, 3> & size);

/** \brief The beginning of a NIfTI file of one slice of vectors, as if it had one number a pixel.
 *
 * ITK reads vectors of one slice as an image of two axes. The place of the third one is in the header all the same, and
 * ITK tells it of numbers. \return empty for all other files, and in the other order of bytes */
std::string
BeginningOfOneSlice(const std::string & path);

/** \brief Throws where the geometry of a NIfTI header is none: a spacing of 0, a matrix with NaN or without an inverse.
 * Warns where a sform is sheared, which an image cannot be: ITK takes the qform then. */
void
CheckNiftiGeometry(const std::string & path);

} // namespace CudaSplineProgram

#endif
