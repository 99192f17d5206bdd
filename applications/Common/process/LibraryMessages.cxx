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
#include "process/LibraryMessages.h"

#include "console/Error.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <sstream>
#include <vector>

#include <unistd.h>

namespace CudaSplineProgram
{

namespace
{

/** See CollectMessagesIn(). */
const SharedMemory *&
GetKeptMessages()
{
  static const SharedMemory * messages = nullptr;
  return messages;
}

/** The standard error during collection. The first collector redirects it to a file, and the last one restores the
 * terminal. */
class Collection
{
public:
  static Collection &
  Get()
  {
    static Collection collection;
    return collection;
  }

  /** \return number of bytes that have been collected already */
  std::size_t
  Begin()
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    if (m_Users++ == 0)
    {
      this->Divert();
    }
    const off_t end = m_File >= 0 ? lseek(m_File, 0, SEEK_END) : 0;
    return static_cast<std::size_t>(std::max<off_t>(end, 0));
  }

  /** \return the text from a position on */
  std::string
  End(std::size_t begin)
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    Flush();
    std::string text;
    char        buffer[4096];
    for (ssize_t count = 0;
         (count = pread(m_File, buffer, sizeof(buffer), static_cast<off_t>(begin + text.size()))) > 0;)
    {
      text.append(buffer, static_cast<std::size_t>(count));
    }
    if (--m_Users == 0 && m_File >= 0)
    {
      dup2(m_Terminal, STDERR_FILENO);
      close(m_Terminal);
      close(m_File);
      m_File = -1;
    }
    return text;
  }

  static void
  Flush()
  {
    std::cerr.flush();
    std::fflush(stderr);
  }

private:
  void
  Divert()
  {
    std::FILE * const file = std::tmpfile();
    if (file != nullptr)
    {
      m_File = dup(fileno(file));
      std::fclose(file);
      m_Terminal = dup(STDERR_FILENO);
      dup2(m_File, STDERR_FILENO);
    }
  }

  std::mutex  m_Mutex;
  std::size_t m_Users{ 0 };
  int         m_Terminal{ -1 };
  int         m_File{ -1 };
};

} // namespace

void
CollectMessagesIn(const SharedMemory * messages)
{
  GetKeptMessages() = messages;
}

LibraryMessages::LibraryMessages()
{
  Collection::Flush();
  if (GetKeptMessages() != nullptr)
  {
    m_Begin = GetKeptMessages()->GetText(0).size();
    return;
  }
  m_Begin = Collection::Get().Begin();
  m_IsCollecting = true;
}

LibraryMessages::~LibraryMessages()
{
  this->Take();
}

std::string
LibraryMessages::Take()
{
  std::string text;
  if (GetKeptMessages() != nullptr)
  {
    std::cerr.flush();
    text = GetKeptMessages()->GetText(m_Begin);
    m_Begin += text.size();
  }
  if (m_IsCollecting)
  {
    m_IsCollecting = false;
    text = Collection::Get().End(m_Begin);
  }
  return text;
}

StreamMessages::StreamMessages()
  : m_Before(std::cerr.rdbuf(m_Text.rdbuf()))
{}

StreamMessages::~StreamMessages()
{
  std::cerr.rdbuf(m_Before);
}

void
CheckComplete(const std::string & text, const std::string & path)
{
  // Messages of MetaIO, GDCM and libtiff, which continue with pixels that were never read, or with fewer slices.
  for (const char * const phrase : { "not read completely", "Incomplete Pixel Data", "Failed to read directory" })
  {
    const std::size_t found = text.find(phrase);
    if (found != std::string::npos)
    {
      const std::size_t before = text.rfind('\n', found);
      const std::size_t begin = before == std::string::npos ? 0 : before + 1;
      throw ProgramError("the file \"" + path +
                         "\" is damaged or truncated: " + OneLine(text.substr(begin, text.find('\n', found) - begin)));
    }
  }
}

void
WarnOf(const std::string & text)
{
  constexpr std::size_t    most = 5; // a library may print hundreds of them for a file
  std::istringstream       lines(text);
  std::vector<std::string> messages;
  std::string              line;
  while (std::getline(lines, line))
  {
    std::string message = OneLine(line);
    // ITK's messages: "WARNING: In FILE, line N", "CLASS (ADDRESS): text" with one or more lines, an empty line.
    if (message.compare(0, 12, "WARNING: In ") == 0)
    {
      message.clear();
      while (std::getline(lines, line) && !line.empty())
      {
        message += line + " ";
      }
      const std::size_t end = message.find("): ");
      message = end == std::string::npos ? message : message.substr(end + 3);
    }
    if (!message.empty() && std::find(messages.begin(), messages.end(), message) == messages.end())
    {
      messages.push_back(message);
    }
  }
  for (std::size_t index = 0; index < std::min(messages.size(), most); ++index)
  {
    Warn(messages[index]);
  }
  if (messages.size() > most)
  {
    Warn(std::to_string(messages.size() - most) + " more messages of the library are not shown");
  }
}

} // namespace CudaSplineProgram
