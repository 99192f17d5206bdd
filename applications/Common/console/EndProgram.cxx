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
#include "console/EndProgram.h"

#include "console/Error.h"

#include <cstdlib>
#include <iostream>

namespace CudaSplineProgram
{

int
EndProgram(const std::string & error, int code)
{
  const auto fail = [&code](const std::string & text) {
    std::cerr << programName << ": error: " << text << std::endl;
    code = EXIT_FAILURE;
  };
  if (error.empty())
  {
    ShowWarnings();
  }
  else
  {
    fail(error);
  }
  if (!std::cout.flush())
  {
    fail("the standard output cannot be written (is the disk full?)");
  }
  return code;
}

} // namespace CudaSplineProgram
