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
#ifndef CudaSplineProgram_VolumeReader_h
#define CudaSplineProgram_VolumeReader_h

#include <cstddef>
#include <memory>
#include <string>

namespace CudaSplineProgram
{

/** \brief Position of the volumes of a series in a file. They are consecutive, and have the type of the image, except
 * the byte order. */
struct VolumePlace
{
  std::string path;               ///< of the file with the pixels
  double      stream{ 0.0 };      ///< byte of the file where compressed data begin
  double      begin{ 0.0 };       ///< byte of the first volume in the file, or in the decompressed data
  bool        isPacked{ false };  ///< compressed with zlib or gzip
  bool        isSwapped{ false }; ///< whether the byte order of numbers differs from this machine's
  std::size_t numberBytes{ 1 };   ///< bytes of a number
};

/** \brief Reads volumes from a file with one of them in memory at a time. If they are read in order, a compressed file
 * is decompressed once. */
class VolumeReader
{
public:
  /** \exception ProgramError the file cannot be opened */
  explicit VolumeReader(const VolumePlace & place);
  ~VolumeReader();
  VolumeReader(const VolumeReader &) = delete;
  VolumeReader &
  operator=(const VolumeReader &) = delete;

  /** \brief Reads a volume. With the last one the end of a compressed file, and its checksum, are checked.
   *
   * \param[in] volume its number
   * \param[in] volumes number of volumes
   * \param[in] bytes bytes of a volume
   * \param[out] pixels the pixels
   * \exception ProgramError the file is truncated or damaged */
  void
  Read(std::size_t volume, std::size_t volumes, std::size_t bytes, void * pixels);

private:
  class Source;

  /** Throws if an uncompressed file is too short for all volumes. */
  void
  CheckLength(double bytes) const;

  VolumePlace             m_Place;
  std::unique_ptr<Source> m_Source;
};

} // namespace CudaSplineProgram

#endif
