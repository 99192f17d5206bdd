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
#include "LibraryMessages.h"

#include "Error.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <vector>

#include <unistd.h>

namespace CudaSplineProgram
{

namespace
{

/** See CollectMessagesIn(). */
const SharedMemory *&
GetCollection()
{
  static const SharedMemory * messages = nullptr;
  return messages;
}

} // namespace

void
CollectMessagesIn(const SharedMemory * messages)
{
  GetCollection() = messages;
}

LibraryMessages::LibraryMessages()
{
  std::cerr.flush();
  std::fflush(stderr);
  if (GetCollection() != nullptr)
  {
    m_Begin = GetCollection()->GetText(0).size();
    return;
  }
  std::FILE * const file = std::tmpfile();
  if (file != nullptr)
  {
    m_File = dup(fileno(file));
    std::fclose(file);
    m_Terminal = dup(STDERR_FILENO);
    dup2(m_File, STDERR_FILENO);
  }
}

LibraryMessages::~LibraryMessages()
{
  this->Take();
}

std::string
LibraryMessages::Take()
{
  std::string text;
  if (GetCollection() != nullptr)
  {
    std::cerr.flush();
    text = GetCollection()->GetText(m_Begin);
    m_Begin += text.size();
  }
  if (m_File >= 0)
  {
    std::cerr.flush();
    std::fflush(stderr);
    dup2(m_Terminal, STDERR_FILENO);
    close(m_Terminal);
    char buffer[4096];
    lseek(m_File, 0, SEEK_SET);
    for (ssize_t count = 0; (count = read(m_File, buffer, sizeof(buffer))) > 0;)
    {
      text.append(buffer, static_cast<std::size_t>(count));
    }
    close(m_File);
    m_File = -1;
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
  // Of MetaIO, GDCM and libtiff, which go on with pixels that were never read, or fewer slices.
  for (const char * const phrase : { "not read completely", "Incomplete Pixel Data", "Failed to read directory" })
  {
    const std::size_t found = text.find(phrase);
    if (found != std::string::npos)
    {
      const std::size_t before = text.rfind('\n', found);
      const std::size_t begin = before == std::string::npos ? 0 : before + 1;
      throw ProgramError("the file \"" + path +
                         "\" is damaged or cut short: " + OneLine(text.substr(begin, text.find('\n', found) - begin)));
    }
  }
}

void
WarnOf(const std::string & text)
{
  constexpr std::size_t    most = 5; // a library can have hundreds of them for a file
  std::istringstream       lines(text);
  std::vector<std::string> messages;
  std::string              line;
  while (std::getline(lines, line))
  {
    std::string message = OneLine(line);
    // ITK's: "WARNING: In FILE, line N", "CLASS (ADDRESS): text" of one or more lines, an empty line.
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
    Warn("and " + std::to_string(messages.size() - most) + " more of that kind");
  }
}

} // namespace CudaSplineProgram
