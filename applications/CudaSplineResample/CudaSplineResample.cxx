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
#include "io/files/AtomicOutput.h"
#include "Batch.h"
#include "Command.h"
#include "CommandLine.h"
#include "ComposeCommand.h"
#include "console/EndProgram.h"
#include "console/Error.h"
#include "PointsCommand.h"
#include "process/ThreadLimit.h"
#include "io/transforms/TransformInput.h"

#include "itkCudaSplineSystem.h"

#include <cstdlib>
#include <string>
#include <vector>

const char * const CudaSplineProgram::programName = "CudaSplineResample";

namespace
{

/** Returns all output files. */
std::vector<std::string>
OutputsOf(const CudaSplineResample::Options & options)
{
  std::vector<std::string> outputs{ options.output, options.difference, options.report };
  for (const CudaSplineResample::BatchItem & item : options.items)
  {
    outputs.push_back(item.output);
  }
  return outputs;
}

/** Resamples an image, or maps points, or composes transforms. */
void
RunOne(const CudaSplineResample::Options & options)
{
  if (options.points)
  {
    RunPoints(options);
  }
  else if (options.composes)
  {
    RunCompose(options);
  }
  else
  {
    RunCommand(options);
  }
}

} // namespace

/** Every error is reported here, as one line on stderr. */
int
main(int argc, char ** argv)
{
  using namespace CudaSplineResample;
  int               code = EXIT_SUCCESS;
  const std::string error = ErrorOf([&] {
    Options options;
    if (const std::optional<int> done = ParseCommandLine(argc, argv, options))
    {
      code = *done;
    }
    else
    {
      const MadeFolders folders(options.makesFolders ? OutputsOf(options) : std::vector<std::string>());
      LimitThreads();
      if (!options.items.empty())
      {
        code = RunBatch(options);
      }
      else
      {
        RemoveOutputsOnSignals();
        RunOne(options);
      }
      if (options.looksLikeAntsOrder) // once, for any number of images
      {
        WarnOfAntsOrder();
      }
    }
  });
  code = EndProgram(error, code);
  itk::CudaSpline::GiveUpDeviceStart(); // it may have begun before an error
  return code;
}
