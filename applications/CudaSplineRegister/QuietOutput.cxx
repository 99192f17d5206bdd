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
#include "QuietOutput.h"

#include <cstddef>
#include <cstdio>
#include <iostream>

#include <fcntl.h>
#include <unistd.h>

namespace CudaSplineRegister
{

QuietOutput::QuietOutput()
  : m_Output(dup(STDOUT_FILENO))
{
  std::cout << std::flush;
  std::fflush(stdout);
  const int nowhere = open("/dev/null", O_WRONLY);
  if (m_Output >= 0 && nowhere >= 0)
  {
    dup2(nowhere, STDOUT_FILENO);
  }
  if (nowhere >= 0)
  {
    close(nowhere);
  }
}

QuietOutput::~QuietOutput()
{
  std::cout << std::flush;
  std::fflush(stdout);
  if (m_Output >= 0)
  {
    dup2(m_Output, STDOUT_FILENO);
    close(m_Output);
  }
}

void
QuietOutput::Print(const std::string & line) const
{
  const std::string text = line + "\n";
  for (std::size_t done = 0; done < text.size();)
  {
    const ssize_t written = write(m_Output >= 0 ? m_Output : STDOUT_FILENO, text.data() + done, text.size() - done);
    if (written <= 0) // a pipe that nobody reads: nothing depends on the line
    {
      return;
    }
    done += static_cast<std::size_t>(written);
  }
}

} // namespace CudaSplineRegister
