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
#include "console/ProgressBar.h"

#include "console/HelpLayout.h"

#include <algorithm>
#include <iostream>

#include <unistd.h>

namespace CudaSplineProgram
{

ProgressBar::ProgressBar()
  : m_Stream(std::cerr.rdbuf())
  , m_Terminal(isatty(STDERR_FILENO) == 1)
{}

ProgressBar::~ProgressBar()
{
  this->Wipe();
}

void
ProgressBar::Show(const std::string & stage, double fraction)
{
  const auto now = std::chrono::steady_clock::now();
  const bool ends = fraction <= 0.0 || fraction >= 1.0;
  if (!m_Terminal || (!ends && now - m_LastTime < std::chrono::milliseconds(100)))
  {
    return;
  }
  const std::string line = this->MakeLine(stage, std::clamp(fraction, 0.0, 1.0));
  if (line != m_Drawn)
  {
    // The escape sequence clears the rest of a longer line.
    m_Stream << '\r' << line << "\033[K" << std::flush;
    m_Drawn = line;
  }
  m_LastTime = now;
}

std::string
ProgressBar::MakeLine(const std::string & stage, double fraction)
{
  constexpr std::size_t around = 9; // brackets, spaces and the percentage
  constexpr std::size_t shortest = 10;
  constexpr std::size_t longest = 40;
  const std::size_t     columns = GetTextWidth(STDERR_FILENO) - 1; // a line that fills the terminal may wrap
  const std::size_t     needed = around + stage.size();
  const std::size_t     width = std::clamp(columns > needed ? columns - needed : 0, shortest, longest);
  const auto            filled = static_cast<std::size_t>(fraction * static_cast<double>(width));
  const std::string     percent = std::to_string(static_cast<int>(100.0 * fraction));
  const std::string     line = "[" + std::string(filled, '#') + std::string(width - filled, '.') + "] " +
                           std::string(3 - percent.size(), ' ') + percent + " % " + stage;
  return line.substr(0, columns);
}

void
ProgressBar::Wipe()
{
  if (!m_Drawn.empty())
  {
    m_Stream << "\r\033[K" << std::flush;
    m_Drawn.clear();
  }
}

} // namespace CudaSplineProgram
