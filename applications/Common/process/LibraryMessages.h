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
#ifndef CudaSplineProgram_LibraryMessages_h
#define CudaSplineProgram_LibraryMessages_h

#include "process/SharedMemory.h"

#include <cstddef>
#include <sstream>
#include <streambuf>
#include <string>

namespace CudaSplineProgram
{

/** \brief Collects messages that libraries print on stderr during its lifetime (ITK's warnings, MetaIO, GDCM, TIFF and
 * others).
 *
 * Some of them only report a truncated file there, and return pixels that were never read; see CheckComplete().
 * Messages that are not taken are dropped: after an exception, the error has all information in one line.
 *
 * The standard error belongs to the process. Objects that exist at the same time, in any threads, share a collection,
 * and each takes the messages since its construction. */
class LibraryMessages
{
public:
  LibraryMessages();
  LibraryMessages(const LibraryMessages &) = delete;
  LibraryMessages &
  operator=(const LibraryMessages &) = delete;
  ~LibraryMessages();

  /** \brief Ends the collection and returns the text. */
  std::string
  Take();

private:
  bool        m_IsCollecting{ false };
  std::size_t m_Begin{ 0 }; ///< position in the collected text, or in the file of CollectMessagesIn()
};

/** \brief From now on, LibraryMessages reads messages from a file to which the standard error is already redirected,
 * and keeps them there. Messages of a library that then crashes are not lost. */
void
CollectMessagesIn(const SharedMemory * messages);

/** \brief Collects messages that libraries write to std::cerr during its lifetime. Others can still use the terminal.
 */
class StreamMessages
{
public:
  StreamMessages();
  StreamMessages(const StreamMessages &) = delete;
  StreamMessages &
  operator=(const StreamMessages &) = delete;
  ~StreamMessages();

  /** \brief Returns the text so far. */
  std::string
  GetText() const
  {
    return m_Text.str();
  }

private:
  std::ostringstream m_Text;
  std::streambuf *   m_Before;
};

/** \brief Throws if a library reported that a file is truncated.
 *
 * \param[in] text LibraryMessages::Take() after reading
 * \param[in] path the file, for the message
 * \exception ProgramError the file is damaged */
void
CheckComplete(const std::string & text, const std::string & path);

/** \brief Converts messages to warnings: one per line, without duplicates, the first few. */
void
WarnOf(const std::string & text);

} // namespace CudaSplineProgram

#endif
