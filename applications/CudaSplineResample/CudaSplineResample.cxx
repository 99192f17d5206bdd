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
#include "AtomicOutput.h"
#include "Command.h"
#include "CommandLine.h"
#include "Error.h"

#include "itkCudaSplineSystem.h"

#include "itkMacro.h"

#include <cstdlib>
#include <iostream>
#include <new>

/** Every error ends here, as one line on stderr. */
int
main(int argc, char ** argv)
{
  using namespace CudaSplineResample;
  std::string message;
  try
  {
    Options options;
    if (const std::optional<int> code = ParseCommandLine(argc, argv, options))
    {
      return *code;
    }
    RemoveOutputsOnSignals();
    RunCommand(options);
    itk::CudaSpline::WaitForDeviceStart();
    ShowWarnings();
    return EXIT_SUCCESS;
  }
  catch (const itk::ExceptionObject & exception)
  {
    message = TextOf(exception);
  }
  catch (const std::bad_alloc &)
  {
    message = "not enough memory";
  }
  catch (const std::exception & exception)
  {
    message = exception.what();
  }
  itk::CudaSpline::WaitForDeviceStart(); // which may have begun before the error
  std::cerr << "CudaSplineResample: error: " << OneLine(message) << std::endl;
  return EXIT_FAILURE;
}
