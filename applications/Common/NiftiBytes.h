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
#ifndef CudaSplineProgram_NiftiBytes_h
#define CudaSplineProgram_NiftiBytes_h

#include "Volume.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace CudaSplineProgram
{

/** \brief The bytes of a NIfTI file of an image, without the file: a header, and the image's numbers in the order of
 * the file.
 *
 * ITK has written the file of a sample, an image of the same kind with a voxel or two an axis. What it made of that is
 * made of the image. */
class NiftiBytes
{
public:
  /** \brief An image of few voxels with a number of its own in every place.
   * \param[in] volume grid and type of the image that it stands for */
  static Volume
  MakeSample(const Volume & volume, unsigned int components);

  /** \brief Learns how ITK writes.
   * \param[in] file that ITK has written, header and pixels in one
   * \param[in] sample of MakeSample()
   * \param[in] volume the image, of components behind each other in a pixel
   * \return empty where the numbers of the sample are neither as in memory nor a plane for each component, or the
   * format has no room for the image */
  static std::optional<NiftiBytes>
  Learn(const std::string & file, const Volume & sample, const Volume & volume, unsigned int components);

  /** \brief Bytes of the file. */
  std::uint64_t
  GetSize() const;

  /** \brief Copies bytes of the file; several threads may. */
  void
  Read(std::uint64_t begin, std::size_t bytes, char * to) const;

private:
  NiftiBytes(const Volume & volume, unsigned int components);

  /** Copies bytes behind the header. */
  void
  ReadPixels(std::uint64_t begin, std::size_t bytes, char * to) const;

  std::string  m_Header;
  Volume       m_Volume;
  unsigned int m_Components;
  bool         m_AreApart{ false }; ///< components are
};

} // namespace CudaSplineProgram

#endif
