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
#include "Command.h"
#include "cli/CommandLine.h"
#include "console/EndProgram.h"
#include "console/Error.h"
#include "cli/StopSignal.h"
#include "process/ThreadLimit.h"

#include "itkCudaSplineSystem.h"

#include <cstdlib>

const char * const CudaSplineProgram::programName = "CudaSplineRegister";

/** Every error is reported here, as one line on stderr. */
int
main(int argc, char ** argv)
{
  using namespace CudaSplineRegister;
  int               code = EXIT_SUCCESS;
  const std::string error = ErrorOf([&] {
    Options options;
    if (const std::optional<int> done = ParseCommandLine(argc, argv, options))
    {
      code = *done;
    }
    else
    {
      LimitThreads();
      HandleSignals();
      code = RunCommand(options);
    }
  });
  code = EndProgram(error, code);
  itk::CudaSpline::GiveUpDeviceStart(); // it may have begun before an error
  return code;
}
