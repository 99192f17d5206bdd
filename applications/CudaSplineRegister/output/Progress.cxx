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
#include "output/Progress.h"

#include "console/Error.h"
#include "output/Report.h"

#include <cstdio>
#include <iostream>

namespace CudaSplineRegister
{

namespace
{

/** Writes a line to stderr, also while std::cerr is redirected. */
void
WriteLine(const std::string & text)
{
  std::fputs((text + "\n").c_str(), stderr);
}

/** Returns for example "rigid 2/3, iteration 12 of at most 100: -0.5123". */
std::string
BarText(const Iteration & iteration, const Options & options)
{
  const StageSpec & stage = options.spec.stages[iteration.stage];
  return std::string(NameOf(stage.GetKind())) + " " + std::to_string(iteration.level + 1) + "/" +
         std::to_string(stage.levels.size()) + ", iteration " + std::to_string(iteration.number) + " of at most " +
         std::to_string(stage.levels[iteration.level].GetMaximum()) + ": " + Brief(iteration.value);
}

} // namespace

void
Progress::Show(const Iteration & iteration)
{
  if (m_Options.verbose)
  {
    std::cout << LineOf(iteration, m_Options) << std::endl; // flushes the line
    return;
  }
  if (m_Options.quiet)
  {
    return;
  }
  if (m_Bar.IsOnTerminal())
  {
    m_Bar.Show(BarText(iteration, m_Options), iteration.progress);
    return;
  }
  const bool isSameLevel = m_Last && m_Last->stage == iteration.stage && m_Last->level == iteration.level;
  if (!isSameLevel)
  {
    this->WriteLevel();
  }
  if (!isSameLevel || iteration.number == 1)
  {
    m_First = iteration;
  }
  m_Last = iteration;
}

void
Progress::WriteLevel()
{
  if (m_Last)
  {
    WriteLine(LevelText(*m_Last, m_Options) + ": " + std::to_string(m_Last->number) + " iterations, value " +
              Brief(m_First->value) + " to " + Brief(m_Last->value));
  }
  m_Last.reset();
}

void
Progress::Note(const std::string & text)
{
  m_Bar.Wipe();
  WriteLine(std::string(programName) + ": warning: " + OneLine(text));
}

void
Progress::End()
{
  this->WriteLevel();
  m_Bar.Wipe();
}

} // namespace CudaSplineRegister
