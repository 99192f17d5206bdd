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

/** \brief Sets what every reading of files may take of memory, instead of what follows from the files.
 * \param[in] text bytes, optionally followed by K, M or G
 * \exception ProgramError it is no such number */
void
SetMaxMemory(const std::string & text);

/** \brief What SetMaxMemory() has set, in bytes; 0 where it was not called. */
std::size_t
GetMaxMemory();

/** \brief Bytes of memory that this machine has, for this process at most. */
double
PhysicalMemory();

/** \brief How many bytes a file's bytes can become when they are read. */
enum class Packing : unsigned char
{
  None,    ///< as they are
  Deflate, ///< at most 1032 times as many, by zlib's format
  Other    ///< codecs with run lengths or dictionaries, for which 65536 times is taken
};

/** \brief The most bytes that some bytes of a file can become. */
double
MostBytes(double fileBytes, Packing packing);

/** \brief The child that read a file was ended by a signal: what it said last, as one line. */
class ReadingProcessError : public ProgramError
{
public:
  using ProgramError::ProgramError;
};

/** \brief Reads files in a child of this process, which survives it where a library crashes or asks for too much.
 *
 * The child does steps, one after the other, each when it is asked. It may take of memory what AllowReading() says, at
 * least 1 GB, or what SetMaxMemory() said (not under sanitizers, whose shadows count); and of the processor's time 10 s
 * and another second a MB of the files. All that reads files goes through here. */
class ReadingProcess
{
public:
  /** \brief A step: an order in, a reply out; large data through the memory that both processes have. */
  using Step = std::function<nlohmann::json(const nlohmann::json & order, SharedMemory & memory)>;

  /** \param[in] name what is read, as the user named it
   * \param[in] fileBytes of all files that belong to it
   * \param[in] step is called in the child; it throws what is wrong
   * \exception ProgramError no process can be started */
  ReadingProcess(const std::string & name, double fileBytes, const Step & step);

  /** Ends the child. */
  ~ReadingProcess();

  ReadingProcess(const ReadingProcess &) = delete;
  ReadingProcess &
  operator=(const ReadingProcess &) = delete;

  /** \brief Has a step done. Warnings of the child are kept for ShowWarnings().
   * \exception ProgramError what the step threw
   * \exception ReadingProcessError how the child ended, with the last line that it wrote */
  nlohmann::json
  Ask(const nlohmann::json & order);

  /** \brief What the last step left in the memory of both. */
  std::shared_ptr<void>
  TakeMemory(std::size_t bytes);

private:
  std::string  m_Name;
  double       m_FileBytes;
  SharedMemory m_Messages; ///< what the child writes to its standard error
  SharedMemory m_Memory;
  ChildProcess m_Process;
};

/** \brief Within a step: raises the limit of memory to 4 times what a file declares, as far as its bytes can hold it.
 *
 * \param[in] declared bytes of the pixels or parameters that the file promises
 * \param[in] most bytes that it can hold, see MostBytes() */
void
AllowReading(double declared, double most);

/** \brief ReadingProcess with a single step. */
nlohmann::json
ReadInChild(const std::string & name, double fileBytes, const std::function<nlohmann::json()> & read);

} // namespace CudaSplineProgram

#endif
