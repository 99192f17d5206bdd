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

/** \brief Collects what libraries print on stderr (ITK's warnings, MetaIO, GDCM, TIFF and others), while it lives.
 *
 * Some of them report a file that is cut short only there and return what was never read; see CheckComplete(). What is
 * not taken is dropped: after an exception the error has everything in one line.
 *
 * The standard error is the process': objects that exist at the same time, in any threads, share a collection, and each
 * takes what came since it began. */
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
  std::size_t m_Begin{ 0 }; ///< in what is collected, or in the file of CollectMessagesIn()
};

/** \brief From now on LibraryMessages reads what is written to a file that is the standard error already, and leaves it
 * there: what a library wrote before it crashed is not lost. */
void
CollectMessagesIn(const SharedMemory * messages);

/** \brief Collects what libraries write to std::cerr, while it lives; the terminal stays for others. */
class StreamMessages
{
public:
  StreamMessages();
  StreamMessages(const StreamMessages &) = delete;
  StreamMessages &
  operator=(const StreamMessages &) = delete;
  ~StreamMessages();

  /** \brief The text so far. */
  std::string
  GetText() const
  {
    return m_Text.str();
  }

private:
  std::ostringstream m_Text;
  std::streambuf *   m_Before;
};

/** \brief Throws where a library said that a file is cut short.
 * \param[in] text LibraryMessages::Take() after reading
 * \param[in] path the file, for the message
 * \exception ProgramError the file is damaged */
void
CheckComplete(const std::string & text, const std::string & path);

/** \brief Turns messages into warnings: a line each, each once, the first few. */
void
WarnOf(const std::string & text);

} // namespace CudaSplineProgram

#endif
