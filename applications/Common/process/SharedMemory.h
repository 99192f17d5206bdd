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
#ifndef CudaSplineProgram_SharedMemory_h
#define CudaSplineProgram_SharedMemory_h

#include <cstddef>
#include <memory>
#include <string>

namespace CudaSplineProgram
{

/** \brief Memory that a process shares with children that it forks later: an unnamed file. */
class SharedMemory
{
public:
  /** \exception ProgramError the system does not provide it */
  SharedMemory();
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &
  operator=(const SharedMemory &) = delete;
  ~SharedMemory();

  /** \brief Maps a number of bytes. They are valid during the lifetime of the result.
   *
   * \exception ProgramError there is not enough memory */
  std::shared_ptr<void>
  Map(std::size_t bytes);

  /** \brief Returns the text in the file from a byte on. */
  std::string
  GetText(std::size_t begin) const;

  int
  GetFile() const
  {
    return m_File;
  }

private:
  int m_File{ -1 };
};

} // namespace CudaSplineProgram

#endif
