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

#include "io/files/AtomicOutput.h"
#include "console/DeviceOption.h"
#include "console/Error.h"
#include "output/Explain.h"
#include "cli/FileNames.h"
#include "registration/Evaluation.h"
#include "console/HelpLayout.h"
#include "process/LibraryMessages.h"
#include "io/formats/PathIdentity.h"
#include "output/Progress.h"
#include "registration/Registration.h"
#include "registration/RegistrationInput.h"
#include "output/RegistrationOutput.h"
#include "output/Report.h"
#include "SeriesCommand.h"
#include "console/Stopwatch.h"
#include "cli/StopSignal.h"
#include "output/Summary.h"

#include "itkCudaSplineFactory.h"
#include "itkCudaSplineSystem.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <tuple>
#include <vector>

#include <unistd.h>

namespace CudaSplineRegister
{

namespace
{

bool
WantsEvaluation(const Options & options)
{
  return options.evaluate || !options.fixedLabels.empty() || !options.fixedLandmarks.empty();
}

/** Returns the outputs whose missing folders are created. */
std::vector<std::string>
FoldersToMake(const Options & options)
{
  std::vector<std::string> names;
  for (const NamedPath & output : OutputsOf(options))
  {
    names.push_back(options.makesFolders && !options.explain ? output.path : std::string());
  }
  return names;
}

/** Adds an iteration; a stage that starts anew replaces its former iterations and those of later stages. */
void
AddIteration(const Iteration & iteration, std::vector<Iteration> & iterations)
{
  const auto positionOf = [](const Iteration & one) { return std::tuple(one.stage, one.level, one.number); };
  if (!iterations.empty() && positionOf(iteration) <= positionOf(iterations.back()))
  {
    const auto isReplaced = [&iteration](const Iteration & one) { return one.stage >= iteration.stage; };
    iterations.erase(std::remove_if(iterations.begin(), iterations.end(), isReplaced), iterations.end());
  }
  iterations.push_back(iteration);
}

/** Writes the complete document. \return whether there is more to do */
bool
WriteSpec(const Options & options)
{
  const std::string text = itk::CudaSpline::WriteSpec(options.spec) + "\n";
  if (options.specOutput == "-")
  {
    std::cout << text << std::flush;
  }
  else
  {
    AtomicOutput file(options.specOutput);
    WriteReport(text, options.specOutput, file.GetTemporaryName());
    file.Commit();
  }
  const auto outputs = OutputsOf(options);
  return WantsEvaluation(options) || std::any_of(outputs.begin(), outputs.end(), [](const NamedPath & output) {
           return !output.path.empty() && output.role != "--dump-spec";
         });
}

/** Evaluates the result. A registration that was stopped is not evaluated. */
void
MeasureResult(const RegistrationRequest & request,
              const RegistrationResult &  result,
              const GroundTruth &         truth,
              Report &                    report)
{
  const Options & options = *request.options;
  const Stopwatch time;
  if (report.signal == 0 && WantsEvaluation(options))
  {
    report.evaluation = Evaluate(request, result, truth);
  }
  report.agreement = result.agreement;
  if (result.agreement)
  {
    if (!options.quiet || !options.report.empty())
    {
      report.before = MeasureAgreement(request, result.start);
    }
    if (const std::string poor = itk::CudaSpline::DescribePoorAgreement(*result.agreement); !poor.empty())
    {
      Warn(poor + "; --picture shows whether the images are aligned");
    }
  }
  report.evaluateSeconds = time.GetSeconds();
}

/** Prints a summary, and returns the exit code. */
int
Conclude(const Report & report, const Options & options)
{
  if (report.evaluation)
  {
    PrintEvaluation(std::cout, *report.evaluation);
  }
  if (options.verbose)
  {
    PrintStages(std::cout, report, options);
  }
  if (!options.quiet)
  {
    std::cerr << MakeSummary(report, options, GetTextWidth(STDERR_FILENO)) << std::flush;
  }
  if (report.signal == 0)
  {
    return 0;
  }
  Warn("stopped by signal " + std::to_string(report.signal) + " in stage " + std::to_string(report.stages.size()) +
       " of " + std::to_string(options.spec.stages.size()) + "; only the best transform so far was written");
  return 128 + report.signal;
}

/** Registers a single moving image.
 *
 * \param[in] options, inputs the options, and the headers of the images
 * \param[in] reading started before the headers were read */
int
RunOne(const Options & options, RegistrationInputs & inputs, const Stopwatch & reading)
{
  const WarpedFormat    format = FindWarpedFormat(options, inputs);
  std::optional<Volume> finite;
  RegistrationRequest   request;
  request.options = &options;
  request.initial = inputs.initial;
  ReadFixed(options, inputs, request);
  ReadMoving(options, inputs, 0, request, finite);
  ReadFurther(options, inputs, request);
  Report report;
  report.fixedGrid = request.fixed.grid;
  report.movingGrid = request.moving.grid;
  const GroundTruth truth = ReadGroundTruth(options, request.fixed.grid, request.moving.grid);
  AddTerms(truth, request);
  report.readSeconds = reading.GetSeconds();
  const MadeFolder   folder(FolderAskedFor(options.prefix));
  RegistrationOutput files(options, request, finite, LayoutsOf(inputs), format);

  Progress progress(options);
  request.stopSignal = &GetStopSignal();
  request.progress = [&](const Iteration & iteration) {
    ListenToSignals(!options.output.empty() || !options.prefix.empty()); // there is something to write now
    AddIteration(iteration, report.iterations);
    progress.Show(iteration);
  };
  request.note = [&progress](const std::string & text) { progress.Note(text); };
  const Stopwatch          registering;
  const RegistrationResult result = Register(request);
  report.registerSeconds = registering.GetSeconds();
  ListenToSignals(false);
  progress.End();
  report.stages = result.stages;
  report.valueFactors = result.valueFactors;
  report.signal = GetStopSignal();
  MeasureResult(request, result, truth, report);
  files.Write(request, result, report);
  return Conclude(report, options);
}

} // namespace

int
RunCommand(Options options)
{
  CheckPaths(InputsOf(options), OutputsOf(options));
  const MadeFolders made(FoldersToMake(options));
  CheckDevice(options.device);
  if (!options.device.empty())
  {
    setenv("CUDASPLINE_DEVICE", options.device.c_str(), 1); // for filters inside others
  }
  itk::CudaSplineFactory::RegisterOneFactory();
  const Stopwatch    reading;
  RegistrationInputs inputs = DescribeInputs(options);
  if (options.explain)
  {
    std::cout << ExplainRegistration(options, inputs, FindWarpedFormat(options, inputs), OutputsOf(options))
              << std::flush;
    return 0;
  }
  if (!options.specOutput.empty() && !WriteSpec(options))
  {
    return 0;
  }
  return inputs.IsSeries() ? RunSeries(options, inputs) : RunOne(options, inputs, reading);
}

} // namespace CudaSplineRegister
