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
#include "ImageInput.h"
#include "ImageOutput.h"
#include "LibraryMessages.h"
#include "Outside.h"
#include "Picture.h"
#include "PixelType.h"
#include "ProgressBar.h"
#include "QuietOutput.h"
#include "Registration.h"
#include "Report.h"
#include "Stopwatch.h"
#include "StopSignal.h"
#include "TransformInput.h"
#include "TransformOutput.h"

#include "itkCudaSplineFactory.h"
#include "itkCudaSplineSystem.h"
#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <list>
#include <sstream>

namespace CudaSplineRegister
{

namespace
{

/** Reads an image as real numbers. */
Volume
ReadAs(ImageDescription description, ScalarType type)
{
  const Volume volume = ReadImage(description);
  WarnOf(description.messages);
  return volume.type == type ? volume : CastVolume(volume, type);
}

/** Reads a mask: 1 where the image is a number that is not 0. */
std::optional<Volume>
ReadMask(const std::string & path, unsigned int dimension)
{
  if (path.empty())
  {
    return std::nullopt;
  }
  const Volume image = ReadAs(DescribeImage(path, {}), ScalarType::Float64);
  if (image.grid.dimension != dimension)
  {
    throw ProgramError("the mask \"" + path + "\" has " + std::to_string(image.grid.dimension) +
                       " dimensions, the images have " + std::to_string(dimension));
  }
  Volume             mask = Volume::Allocate(image.grid, ScalarType::UInt8);
  const auto * const from = static_cast<const double *>(image.pixels.get());
  auto * const       to = static_cast<std::uint8_t *>(mask.pixels.get());
  const std::size_t  count = image.grid.GetNumberOfVoxels();
  std::transform(from, from + count, to, [](double value) {
    return static_cast<std::uint8_t>(value != 0.0 && !std::isnan(value) ? 1 : 0);
  });
  if (std::find(to, to + count, 1) == to + count)
  {
    throw ProgramError("the mask \"" + path + "\" is 0 everywhere");
  }
  return mask;
}

/** Starts the GPU in the background where the iterations that the stages may take are worth it: half of them, as many
 * as optimizers are seen to take. Those of SyN, with warps and inversions, are as much work as some twenty
 * evaluations. */
void
StartDeviceAhead(const Grid & grid, const Options & options)
{
  itk::CudaSpline::MetricDescriptor descriptor;
  descriptor.dimension = grid.dimension;
  descriptor.gradient = itk::CudaSpline::MetricGradient::Image;
  descriptor.interpolation.interpolation = itk::CudaSpline::Interpolation::Linear;
  itk::CudaSpline::SourceDescriptor moving; // about as large as the fixed image
  moving.dimension = grid.dimension;
  std::copy_n(grid.size.begin(), grid.dimension, moving.size.begin());
  const auto voxels = static_cast<double>(grid.GetNumberOfVoxels());
  double     calls = 0.0; // of all voxels
  for (const StageOptions & stage : options.stages)
  {
    for (std::size_t level = 0; level < stage.iterations.size(); ++level)
    {
      const double evaluations = stage.kind == StageKind::Syn ? 10.0 : 0.5; // of a metric, an iteration
      calls += evaluations * stage.iterations[level] * stage.fraction / std::pow(stage.shrink[level], grid.dimension);
    }
  }
  itk::CudaSpline::BackendWork work;
  work.further = itk::CudaSpline::CountMetricWork(descriptor, moving, static_cast<std::int64_t>(voxels));
  work.host = *work.further;
  work.device = work.host + itk::CudaSpline::CountSourceWork(moving);
  work.calls = calls;
  itk::CudaSpline::StartDeviceAhead(
    options.device, work, itk::MultiThreaderBase::GetGlobalDefaultNumberOfThreads(), 0.0);
}

/** The images, masks and the transform to begin with.
 * \param[out] finite where the moving image had finite values, if not everywhere */
RegistrationRequest
ReadAll(const Options & options, std::optional<Volume> & finite)
{
  const ScalarType    type = options.inDouble ? ScalarType::Float64 : ScalarType::Float32;
  RegistrationRequest request;
  request.options = &options;
  const ImageDescription fixed = DescribeImage(options.fixed, {});
  StartDeviceAhead(fixed.grid, options); // behind the reading
  request.fixed = ReadAs(fixed, type);
  request.moving = ReadAs(DescribeImage(options.moving, {}), type);
  const unsigned int dimension = request.fixed.grid.dimension;
  if (request.moving.grid.dimension != dimension)
  {
    throw ProgramError("the fixed image has " + std::to_string(dimension) + " dimensions, the moving one " +
                       std::to_string(request.moving.grid.dimension) + "; they have to be the same");
  }
  for (const StageOptions & stage : options.stages)
  {
    if (stage.gridSpacing.size() > 1 && stage.gridSpacing.size() != dimension)
    {
      throw ProgramError("--grid-spacing has " + std::to_string(stage.gridSpacing.size()) +
                         " values; allowed are 1 or, for these " + std::to_string(dimension) + "D images, " +
                         std::to_string(dimension));
    }
  }
  finite = TakeOutWhatIsNotFinite(request.moving, "moving");
  request.fixedMask = JoinMasks(TakeOutWhatIsNotFinite(request.fixed, "fixed"), ReadMask(options.fixedMask, dimension));
  request.movingMask = JoinMasks(finite, ReadMask(options.movingMask, dimension));
  if (options.initial)
  {
    request.initial = dimension == 2 ? MakeTransform<2>({ *options.initial }, {}, request.fixed.grid).GetPointer()
                                     : static_cast<itk::TransformBase *>(
                                         MakeTransform<3>({ *options.initial }, {}, request.fixed.grid).GetPointer());
  }
  return request;
}

/** The files that the program writes. */
class OutputFiles
{
public:
  OutputFiles(const Options & options, const RegistrationRequest & request, const std::optional<Volume> & finite)
    : m_Options(options)
    , m_Finite(finite)
    , m_Transform(this->Open(options.output))
    , m_Warped(this->Open(options.warped))
    , m_Picture(this->Open(options.picture))
    , m_Report(this->Open(options.report))
    , m_Deformation(options, request, [this](const std::string & name) { return this->Open(name); })
  {
    const bool isComposite =
      options.initial || std::any_of(options.stages.begin(), options.stages.end(), [](const StageOptions & stage) {
        return stage.kind == StageKind::BSpline || stage.kind == StageKind::Syn;
      });
    if (m_Transform != nullptr)
    {
      ProbeTransform(*m_Transform, request.fixed.grid.dimension, isComposite);
    }
    if (m_Warped != nullptr)
    {
      ProbeOutput(*m_Warped, options.warped, request.fixed.grid, request.fixed.type);
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
      warped = this->WarpMovingOf(request, result.transform);
    }
    if (m_Picture != nullptr)
    {
      start = this->WarpMovingOf(request, result.start);
    }
    report.warpSeconds = warping.GetSeconds();
    if (m_Warped != nullptr)
    {
      WriteImage(warped, m_Warped->GetTemporaryName());
    }
    if (m_Picture != nullptr)
    {
      WriteImage(DrawCheckerboards(request.fixed, start, warped), m_Picture->GetTemporaryName());
    }
    report.folding = m_Deformation.Write(request, result, warped);
    if (report.folding && report.folding->voxels > 0)
    {
      Warn("the transform folds " + std::to_string(report.folding->voxels) + " of " +
           std::to_string(report.folding->all) + " voxels (the least determinant is " + Brief(report.folding->least) +
           ")");
    }
    report.writeSeconds = time.GetSeconds() - report.warpSeconds;
    if (m_Report != nullptr)
    {
      std::ofstream stream(m_Report->GetTemporaryName());
      stream << ToJson(report, m_Options);
      stream.close();
      if (!stream)
      {
        throw ProgramError("the report \"" + m_Options.report + "\" could not be written");
      }
    }
    // All are complete.
    for (AtomicOutput & file : m_Files)
    {
      file.Commit();
    }
  }

private:
  /** The moving image, where it was finite. */
  Volume
  WarpMovingOf(const RegistrationRequest & request, const itk::TransformBase * transform) const
  {
    const Volume warped = WarpMoving(request, transform);
    if (m_Finite)
    {
      DeformationSettings settings;
      settings.type = warped.type;
      settings.device = m_Options.device;
      BlankOutside(warped, *m_Finite, transform, m_Options.defaultValue, settings);
    }
    return warped;
  }

  AtomicOutput *
  Open(const std::string & name)
  {
    return name.empty() ? nullptr : &m_Files.emplace_back(name);
  }

  const Options &               m_Options;
  const std::optional<Volume> & m_Finite; ///< of the moving image
  std::list<AtomicOutput>       m_Files;
  AtomicOutput *                m_Transform;
  AtomicOutput *                m_Warped;
  AtomicOutput *                m_Picture;
  AtomicOutput *                m_Report;
  DeformationOutput             m_Deformation;
};

/** Register() with what ITK warns of kept for the end. That a line search of lbfgs found nothing lower, with which it
 * usually ends, VNL calls an error. */
RegistrationResult
RegisterQuietly(RegistrationRequest & request, const Options & options)
{
  const QuietOutput output;
  const auto        progress = request.progress;
  request.progress = [&](const Iteration & iteration) {
    progress(iteration);
    if (options.verbose)
    {
      output.Print(LineOf(iteration, options));
    }
  };
  const StreamMessages messages;
  RegistrationResult   result = Register(request);
  request.progress = progress;
  std::istringstream lines(messages.GetText());
  std::string        warnings;
  for (std::string line; std::getline(lines, line);)
  {
    warnings += line.compare(0, 4, "vnl_") == 0 ? "" : line + "\n";
  }
  WarnOf(warnings);
  return result;
}

bool
WantsEvaluation(const Options & options)
{
  return options.evaluate || !options.fixedLabels.empty() || !options.fixedLandmarks.empty();
}

/** The part of all iterations that are allowed which an iteration has behind it. */
double
FractionDone(const Iteration & iteration, const Options & options)
{
  double all = 0.0;
  double done = 0.0;
  for (std::size_t stage = 0; stage < options.stages.size(); ++stage)
  {
    for (std::size_t level = 0; level < options.stages[stage].iterations.size(); ++level)
    {
      const double allowed = options.stages[stage].iterations[level];
      const bool   isPast = stage < iteration.stage || (stage == iteration.stage && level < iteration.level);
      const bool   isNow = stage == iteration.stage && level == iteration.level;
      all += allowed;
      done += isPast ? allowed : (isNow ? std::min<double>(iteration.number, allowed) : 0.0);
    }
  }
  return all > 0.0 ? done / all : 1.0;
}

} // namespace

int
RunCommand(const Options & options)
{
  CheckDevice(options.device);
  if (!options.device.empty())
  {
    setenv("CUDASPLINE_DEVICE", options.device.c_str(), 1); // for the filters that ITK's registration makes itself
  }
  itk::CudaSplineFactory::RegisterOneFactory(); // its smoothing
  const Stopwatch       reading;
  std::optional<Volume> finite;
  RegistrationRequest   request = ReadAll(options, finite);
  Report                report;
  report.fixedGrid = request.fixed.grid;
  report.movingGrid = request.moving.grid;
  const Truth truth = ReadTruth(options, request.fixed.grid.dimension);
  report.readSeconds = reading.GetSeconds();
  OutputFiles files(options, request, finite);

  ProgressBar bar;
  request.stopSignal = &GetStopSignal();
  request.progress = [&](const Iteration & iteration) {
    ListenToSignals(!options.output.empty() || !options.prefix.empty()); // there is something to write now
    report.iterations.push_back(iteration);
    if (!options.verbose)
    {
      bar.Show(NameOf(options.stages[iteration.stage].kind), FractionDone(iteration, options));
    }
  };
  request.note = [&bar](const std::string & text) {
    bar.Wipe();
    // At once, while std::cerr is kept for the end.
    std::fputs((std::string(programName) + ": warning: " + OneLine(text) + "\n").c_str(), stderr);
  };
  const Stopwatch          registering;
  const RegistrationResult result = RegisterQuietly(request, options);
  report.registerSeconds = registering.GetSeconds();
  ListenToSignals(false);
  bar.Wipe();
  report.stages = result.stages;
  report.signal = GetStopSignal();
  if (report.signal == 0 && WantsEvaluation(options))
  {
    report.evaluation = Evaluate(request, result, truth);
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
         " of " + std::to_string(options.stages.size()) +
         "; the transform is the best so far, nothing else was written");
    return 128 + report.signal;
  }
  return 0;
}

} // namespace CudaSplineRegister
