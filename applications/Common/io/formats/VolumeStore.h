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
#ifndef CudaSplineProgram_VolumeStore_h
#define CudaSplineProgram_VolumeStore_h

#include "io/files/AtomicOutput.h"
#include "io/formats/ImageInput.h"
#include "io/volume/Volume.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace CudaSplineProgram
{

/** \brief The pixels of a series until it is written. They are in an unnamed file in the hidden folder of the output,
 * so that only one volume needs to be in memory. */
class VolumeStore
{
public:
  /** \param[in] file the output
   * \param[in] grid grid of a volume
   * \param[in] type type of the numbers
   * \param[in] layout number of volumes, and of components, which are consecutive in a pixel
   * \exception ProgramError the file cannot be created */
  VolumeStore(const AtomicOutput & file, const Grid & grid, ScalarType type, const ImageLayout & layout);
  ~VolumeStore();
  VolumeStore(const VolumeStore &) = delete;
  VolumeStore &
  operator=(const VolumeStore &) = delete;

  const Grid &
  GetGrid() const
  {
    return m_Grid;
  }

  ScalarType
  GetType() const
  {
    return m_Type;
  }

  /** Returns the bytes of a volume, including its components. */
  std::size_t
  GetNumberOfBytes() const
  {
    return m_Bytes;
  }

  /** \brief Stores a volume.
   *
   * \exception ProgramError the disk is full */
  void
  Put(std::size_t number, const void * pixels);

  /** \brief Reads a volume.
   *
   * \exception ProgramError it cannot be read */
  void
  Get(std::size_t number, void * pixels) const;

  /** \brief Copies bytes of all volumes. Several threads may call it.
   *
   * \exception ProgramError the bytes cannot be read */
  void
  Read(std::uint64_t begin, std::size_t bytes, char * to) const;

  /** \brief Maps all volumes to memory. The system decides which pages are in memory.
   *
   * \exception ProgramError there is not enough address space */
  std::shared_ptr<void>
  Map() const;

private:
  Grid        m_Grid;
  ScalarType  m_Type;
  std::size_t m_Bytes;
  std::size_t m_Volumes;
  int         m_File{ -1 };
};

} // namespace CudaSplineProgram

#endif
