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
#ifndef CudaSplineProgram_ReadingProcess_h
#define CudaSplineProgram_ReadingProcess_h

#include "process/ChildProcess.h"
#include "console/Error.h"
#include "process/SharedMemory.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace CudaSplineProgram
{

/** \brief Sets the memory limit for reading files, instead of a limit that is derived from the files.
 *
 * \param[in] text bytes, optionally followed by K, M or G
 * \exception ProgramError it is not such a number */
void
SetMaxMemory(const std::string & text);

/** \brief Returns the limit that SetMaxMemory() has set, in bytes; 0 if it was not called. */
std::size_t
GetMaxMemory();

/** \brief Returns the bytes of memory of this machine that this process may use. */
double
PhysicalMemory();

/** \brief How many bytes the bytes of a file can expand to. */
enum class Packing : unsigned char
{
  None,    ///< not compressed
  Deflate, ///< zlib's format: at most 1032 times as many
  Other    ///< codecs with run lengths or dictionaries: 65536 times as many are assumed
};

/** \brief Returns the maximum number of bytes that bytes of a file can expand to. */
double
MaxBytes(double fileBytes, Packing packing);

/** \brief The child that read a file was ended by a signal. The text is its last message, as one line. */
class ReadingProcessError : public ProgramError
{
public:
  using ProgramError::ProgramError;
};

/** \brief Reads files in a child process. This process continues if a library crashes or requests too much memory.
 *
 * The child runs steps on request, one after the other. Its memory is limited to the value of AllowReading(), at least
 * 1 GB, or of SetMaxMemory() (not with sanitizers, because of their shadow memory). Its processor time is limited to 10
 * s plus a second per MB of the files. All files are read with this class. */
class ReadingProcess
{
public:
  /** \brief A step: it receives a request and returns a reply. Large data are passed in shared memory. */
  using Step = std::function<nlohmann::json(const nlohmann::json & order, SharedMemory & memory)>;

  /** \param[in] name name of the file as specified by the user
   * \param[in] fileBytes bytes of all files that belong to it
   * \param[in] step called in the child; throws errors
   * \exception ProgramError no process can be started */
  ReadingProcess(const std::string & name, double fileBytes, const Step & step);

  /** Ends the child. */
  ~ReadingProcess();

  ReadingProcess(const ReadingProcess &) = delete;
  ReadingProcess &
  operator=(const ReadingProcess &) = delete;

  /** \brief Runs a step. Warnings of the child are stored for ShowWarnings().
   *
   * \exception ProgramError the error that the step threw
   * \exception ReadingProcessError how the child ended, with the last line that it wrote */
  nlohmann::json
  Ask(const nlohmann::json & order);

  /** \brief Returns the data that the last step has stored in shared memory. */
  std::shared_ptr<void>
  TakeMemory(std::size_t bytes);

private:
  std::string  m_Name;
  double       m_FileBytes;
  SharedMemory m_Messages; ///< standard error of the child
  SharedMemory m_Memory;
  ChildProcess m_Process;
};

/** \brief Within a step: raises the limit of memory to 4 times the declared bytes, unless these exceed what the file
 * can expand to.
 *
 * \param[in] declared bytes of the pixels or parameters according to the file
 * \param[in] most maximum number of bytes, see MaxBytes() */
void
AllowReading(double declared, double most);

/** \brief Runs a ReadingProcess with a single step. */
nlohmann::json
ReadInChild(const std::string & name, double fileBytes, const std::function<nlohmann::json()> & read);

} // namespace CudaSplineProgram

#endif
