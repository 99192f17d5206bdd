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
#include "Error.h"

#include <iostream>
#include <new>
#include <sstream>
#include <utility>
#include <vector>

namespace CudaSplineProgram
{

namespace
{

/** The program has one thread that warns. */
std::vector<std::string> &
GetWarnings()
{
  static std::vector<std::string> warnings;
  return warnings;
}

} // namespace

std::string
OneLine(const std::string & text)
{
  std::istringstream words(text);
  std::string        line;
  for (std::string word; words >> word;)
  {
    line += (line.empty() ? "" : " ") + word;
  }
  return line;
}

std::string
TextOf(const itk::ExceptionObject & exception)
{
  std::string       text = OneLine(exception.GetDescription());
  const std::string prefix = "ITK ERROR: ";
  if (text.compare(0, prefix.size(), prefix) == 0)
  {
    text.erase(0, prefix.size());
  }
  const std::size_t open = text.find("(0x");
  const std::size_t close = text.find("): ");
  // Only at the start: a class name has no spaces.
  if (open != std::string::npos && close != std::string::npos && open < text.find(' '))
  {
    text.erase(0, close + 3);
  }
  return text;
}

std::string
ErrorOf(const std::function<void()> & run)
{
  try
  {
    run();
    return "";
  }
  catch (const itk::ExceptionObject & exception)
  {
    return OneLine(TextOf(exception));
  }
  catch (const std::bad_alloc &)
  {
    return "not enough memory";
  }
  catch (const std::exception & exception)
  {
    return OneLine(exception.what());
  }
}

std::string
Brief(double number)
{
  std::ostringstream text;
  text << number;
  return text.str();
}

void
Warn(const std::string & message)
{
  GetWarnings().push_back(OneLine(message));
}

std::vector<std::string>
TakeWarnings()
{
  return std::exchange(GetWarnings(), {});
}

void
ShowWarnings()
{
  for (const std::string & warning : TakeWarnings())
  {
    std::cerr << programName << ": warning: " << warning << std::endl;
  }
}

} // namespace CudaSplineProgram
