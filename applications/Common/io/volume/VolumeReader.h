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

/** \brief Where a file has the volumes of a series: one after the other, as numbers of the image's type, except the
 * order of their bytes. */
struct VolumePlace
{
  std::string path;               ///< of the file with the pixels
  double      stream{ 0.0 };      ///< byte of the file where what is compressed begins
  double      begin{ 0.0 };       ///< byte of the first volume: in the file, or in the decompressed data
  bool        isPacked{ false };  ///< by zlib or gzip
  bool        isSwapped{ false }; ///< the bytes of a number are not in this machine's order
  std::size_t numberBytes{ 1 };   ///< of a number
};

/** \brief Reads volumes from their place, one in memory at a time. In their order a compressed file is decompressed
 * once. */
class VolumeReader
{
public:
  /** \exception ProgramError the file cannot be opened */
  explicit VolumeReader(const VolumePlace & place);
  ~VolumeReader();
  VolumeReader(const VolumeReader &) = delete;
  VolumeReader &
  operator=(const VolumeReader &) = delete;

  /** \brief Reads a volume. With the last one the end of a compressed file, and its checksum, are tested.
   * \param[in] volume its number, of \p volumes
   * \param[in] bytes of a volume
   * \exception ProgramError the file is cut short or damaged */
  void
  Read(std::size_t volume, std::size_t volumes, std::size_t bytes, void * pixels);

private:
  class Source;

  /** Throws where a file that is not compressed is too short for all volumes. */
  void
  CheckLength(double bytes) const;

  VolumePlace             m_Place;
  std::unique_ptr<Source> m_Source;
};

} // namespace CudaSplineProgram

#endif
