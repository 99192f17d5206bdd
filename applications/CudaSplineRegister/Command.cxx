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

#include "AtomicOutput.h"
#include "DeformationOutput.h"
#include "DeviceWord.h"
#include "Error.h"
#include "Evaluation.h"
#include "ImageOutput.h"
#include "LibraryMessages.h"
#include "PathIdentity.h"
#include "Picture.h"
#include "ProgressBar.h"
#include "Registration.h"
#include "RegistrationInput.h"
#include "Report.h"
#include "SeriesCommand.h"
#include "Stopwatch.h"
#include "StopSignal.h"
#include "TransformOutput.h"

#include "itkCudaSplineFactory.h"
#include "itkCudaSplineSystem.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <list>
#include <vector>

namespace CudaSplineRegister
{

namespace
{

/** The files that the program writes. */
class OutputFiles
{
public:
  OutputFiles(const Options &               options,
              const RegistrationRequest &   request,
              const std::optional<Volume> & finite,
              const OutputLayouts &         layouts)
    : m_Options(options)
    , m_Layout(layouts.warped)
    , m_Finite(finite)
    , m_Transform(this->Open(options.output))
    , m_Warped(this->Open(options.warped))
    , m_Picture(this->Open(options.picture))
    , m_Report(this->Open(options.report))
    , m_Deformation(options, request, layouts, [this](const std::string & name) { return this->Open(name); })
  {
    const bool isComposite =
      options.initial || std::any_of(options.spec.stages.begin(), options.spec.stages.end(), IsBending);
    if (m_Transform != nullptr)
    {
      ProbeTransform(*m_Transform, request.fixed.grid.dimension, isComposite);
    }
    if (m_Warped != nullptr)
    {
      ProbeOutput(*m_Warped, options.warped, request.fixed.grid, request.fixed.type, m_Layout);
    }
    if (m_Picture != nullptr)
    {
      ProbeOutput(*m_Picture, options.picture, PictureGrid(request.fixed.grid), ScalarType::UInt8);
    }
  }

  /** Writes what the user wants, and of what was stopped the transform. */
  void
  Write(const RegistrationRequest & request, const RegistrationResult & result, Report & report)
  {
    const Stopwatch time;
    if (m_Transform != nullptr)
    {
      WriteTransform(result.transform, m_Transform->GetTemporaryName());
    }
    if (report.signal != 0)
    {
      if (m_Transform != nullptr)
      {
        m_Transform->Commit();
      }
      for (AtomicOutput * const file : m_Deformation.WriteTransforms(request, result))
      {
        file->Commit();
      }
      return;
    }
    const Stopwatch warping;
    Volume          warped;
    Volume          start;
    if (m_Warped != nullptr || m_Picture != nullptr || m_Deformation.WantsWarped())
    {
      warped = WarpWhatIsFinite(request, m_Finite, result.transform);
    }
    if (m_Picture != nullptr)
    {
      start = WarpWhatIsFinite(request, m_Finite, result.start);
    }
    report.warpSeconds = warping.GetSeconds();
    std::future<void> writing; // waits when it is destroyed
    if (m_Warped != nullptr)
    {
      writing = std::async(std::launch::async, [&] { WriteImage(warped, m_Warped->GetTemporaryName(), m_Layout); });
    }
    if (m_Picture != nullptr)
    {
      WriteImage(DrawCheckerboards(request.fixed, start, warped), m_Picture->GetTemporaryName());
    }
    report.folding = m_Deformation.Write(request, result, warped);
    if (writing.valid())
    {
      writing.get();
    }
    if (report.folding && report.folding->voxels > 0)
    {
      Warn("the transform folds " + std::to_string(report.folding->voxels) + " of " +
           std::to_string(report.folding->all) + " voxels (the least determinant is " + Brief(report.folding->least) +
           ")");
    }
    report.writeSeconds = time.GetSeconds() - report.warpSeconds;
    if (m_Report != nullptr)
    {
      WriteReport(ToJson(report, m_Options), m_Options.report, m_Report->GetTemporaryName());
    }
    // All are complete.
    for (AtomicOutput & file : m_Files)
    {
      file.Commit();
    }
  }

private:
  AtomicOutput *
  Open(const std::string & name)
  {
    return name.empty() ? nullptr : &m_Files.emplace_back(name);
  }

  const Options &               m_Options;
  ImageLayout                   m_Layout;
  const std::optional<Volume> & m_Finite; ///< of the moving image
  std::list<AtomicOutput>       m_Files;
  AtomicOutput *                m_Transform;
  AtomicOutput *                m_Warped;
  AtomicOutput *                m_Picture;
  AtomicOutput *                m_Report;
  DeformationOutput             m_Deformation;
};

bool
WantsEvaluation(const Options & options)
{
  return options.evaluate || !options.fixedLabels.empty() || !options.fixedLandmarks.empty();
}

/** What is read for a single moving image. */
std::vector<NamedPath>
InputsOf(const Options & options)
{
  std::vector<NamedPath> inputs{ { "the fixed image", options.fixed },
                                 { "the moving image", options.moving },
                                 { "--fixed-mask", options.fixedMask },
                                 { "--moving-mask", options.movingMask },
                                 { "--initial-transform", options.initial ? options.initial->file : std::string() },
                                 { "--fixed-labels", options.fixedLabels },
                                 { "--moving-labels", options.movingLabels },
                                 { "--fixed-landmarks", options.fixedLandmarks },
                                 { "--moving-landmarks", options.movingLandmarks } };
  for (const FurtherFiles & pair : options.further)
  {
    inputs.push_back({ "--also-fixed", pair.fixed });
    inputs.push_back({ "--also-moving", pair.moving });
  }
  return inputs;
}

/** What is written for a single moving image. */
std::vector<NamedPath>
OutputsOf(const Options & options)
{
  std::vector<NamedPath> outputs{ { "--output", options.output },
                                  { "--warped", options.warped },
                                  { "--picture", options.picture },
                                  { "--report", options.report },
                                  { "--field", options.field },
                                  { "--inverse", options.inverse },
                                  { "--jacobian", options.jacobian },
                                  { "--parameters", options.parameters },
                                  { "--dump-spec", options.specOutput == "-" ? std::string() : options.specOutput } };
  for (const char * const ending :
       { "0GenericAffine.mat", "1Warp.nii.gz", "1InverseWarp.nii.gz", "Warped.nii.gz", "InverseWarped.nii.gz" })
  {
    outputs.push_back({ "--output-prefix", options.prefix.empty() ? std::string() : options.prefix + ending });
  }
  return outputs;
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

} // namespace

int
RunCommand(Options options)
{
  CheckPaths(InputsOf(options), OutputsOf(options));
  std::vector<std::string> outputs;
  for (const NamedPath & output : OutputsOf(options))
  {
    outputs.push_back(options.makesFolders ? output.path : std::string());
  }
  const MadeFolders made(outputs);
  CheckDevice(options.device);
  if (!options.device.empty())
  {
    setenv("CUDASPLINE_DEVICE", options.device.c_str(), 1); // for filters inside of others
  }
  itk::CudaSplineFactory::RegisterOneFactory();
  const Stopwatch    reading;
  RegistrationInputs inputs = DescribeInputs(options);
  if (!options.specOutput.empty() && !WriteSpec(options))
  {
    return 0;
  }
  if (inputs.IsSeries())
  {
    return RunSeries(options, inputs);
  }
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
  const Truth truth = ReadTruth(options, request.fixed.grid.dimension);
  report.readSeconds = reading.GetSeconds();
  const MadeFolder folder(FolderAskedFor(options.prefix));
  OutputFiles      files(options, request, finite, LayoutsOf(inputs));

  ProgressBar bar;
  request.stopSignal = &GetStopSignal();
  request.progress = [&](const Iteration & iteration) {
    ListenToSignals(!options.output.empty() || !options.prefix.empty()); // there is something to write now
    report.iterations.push_back(iteration);
    if (options.verbose)
    {
      std::cout << LineOf(iteration, options) << std::endl; // at once
    }
    else
    {
      bar.Show(NameOf(options.spec.stages[iteration.stage].GetKind()), iteration.progress);
    }
  };
  request.note = [&bar](const std::string & text) {
    bar.Wipe();
    // At once, while std::cerr is kept for the end.
    std::fputs((std::string(programName) + ": warning: " + OneLine(text) + "\n").c_str(), stderr);
  };
  const Stopwatch          registering;
  const RegistrationResult result = Register(request);
  report.registerSeconds = registering.GetSeconds();
  ListenToSignals(false);
  bar.Wipe();
  report.stages = result.stages;
  report.valueFactors = result.valueFactors;
  report.signal = GetStopSignal();
  if (report.signal == 0 && WantsEvaluation(options))
  {
    report.evaluation = Evaluate(request, result, truth);
  }
  report.agreement = result.agreement;
  if (result.agreement)
  {
    if (const std::string poor = itk::CudaSpline::DescribePoorAgreement(*result.agreement); !poor.empty())
    {
      Warn(poor + "; --picture shows whether the images lie on each other");
    }
  }
  files.Write(request, result, report);
  if (report.evaluation)
  {
    PrintEvaluation(std::cout, *report.evaluation);
  }
  if (options.verbose)
  {
    PrintStages(std::cout, report, options);
  }
  if (report.signal != 0)
  {
    Warn("stopped by signal " + std::to_string(report.signal) + " in stage " + std::to_string(result.stages.size()) +
         " of " + std::to_string(options.spec.stages.size()) +
         "; the transform is the best so far, nothing else was written");
    return 128 + report.signal;
  }
  return 0;
}

} // namespace CudaSplineRegister
