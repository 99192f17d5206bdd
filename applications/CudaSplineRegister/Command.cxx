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
#include "PathIdentity.h"
#include "Picture.h"
#include "PixelType.h"
#include "ProgressBar.h"
#include "QuietOutput.h"
#include "ReadingProcess.h"
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

/** Refuses a B-spline whose coefficients, and what its optimizer keeps of them, no memory holds. */
void
CheckMeshSize(const StageOptions & stage, const Grid & grid)
{
  if (stage.kind != StageKind::BSpline)
  {
    return;
  }
  double count = grid.dimension;
  for (unsigned int axis = 0; axis < grid.dimension; ++axis)
  {
    const double extent = static_cast<double>(std::max<std::size_t>(grid.size[axis], 2) - 1) * grid.spacing[axis];
    const double spacing = stage.gridSpacing.empty()       ? 24.0
                           : stage.gridSpacing.size() == 1 ? stage.gridSpacing.front()
                                                           : stage.gridSpacing[axis];
    count *= std::max(1.0, std::round(extent / spacing)) + 3.0;
  }
  constexpr double copies = 14.0; // parameters, gradient, the memory of lbfgs (2 x 5), the level before
  const double     bytes = copies * sizeof(double) * count;
  if (bytes > PhysicalMemory() || count > 2e9)
  {
    throw ProgramError("--grid-spacing needs " + Brief(count) + " parameters for " + SizeText(grid) + " voxels of " +
                       SpacingText(grid) + ", and about " + Brief(bytes / 1e9) +
                       " GB to optimize them; this machine has " + Brief(PhysicalMemory() / 1e9) +
                       " GB; use wider spacings");
  }
}

/** Finds a mask, if there is to be one. */
std::optional<ImageDescription>
DescribeMask(const std::string & path, unsigned int dimension)
{
  if (path.empty())
  {
    return std::nullopt;
  }
  ImageDescription image = DescribeImage(path, {});
  if (image.grid.dimension != dimension)
  {
    throw ProgramError("the mask \"" + path + "\" has " + std::to_string(image.grid.dimension) +
                       " dimensions, the images have " + std::to_string(dimension));
  }
  return image;
}

/** Reads a mask: 1 where the image is a number that is not 0. */
std::optional<Volume>
ReadMask(const std::optional<ImageDescription> & description)
{
  if (!description)
  {
    return std::nullopt;
  }
  const std::string & path = description->path;
  const Volume        image = ReadAs(*description, ScalarType::Float64);
  Volume              mask = Volume::Allocate(image.grid, ScalarType::UInt8);
  const auto * const  from = static_cast<const double *>(image.pixels.get());
  auto * const        to = static_cast<std::uint8_t *>(mask.pixels.get());
  const std::size_t   count = image.grid.GetNumberOfVoxels();
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
  // Processes that read are forked before the start of a device, which has threads.
  const ImageDescription fixed = DescribeImage(options.fixed, {});
  const ImageDescription moving = DescribeImage(options.moving, {});
  const unsigned int     dimension = fixed.grid.dimension;
  if (moving.grid.dimension != dimension)
  {
    throw ProgramError("the fixed image has " + std::to_string(dimension) + " dimensions, the moving one " +
                       std::to_string(moving.grid.dimension) + "; they have to be the same");
  }
  for (const StageOptions & stage : options.stages)
  {
    if (stage.gridSpacing.size() > 1 && stage.gridSpacing.size() != dimension)
    {
      throw ProgramError("--grid-spacing has " + std::to_string(stage.gridSpacing.size()) +
                         " values; allowed are 1 or, for these " + std::to_string(dimension) + "D images, " +
                         std::to_string(dimension));
    }
    CheckMeshSize(stage, fixed.grid);
  }
  const auto fixedMask = DescribeMask(options.fixedMask, dimension);
  const auto movingMask = DescribeMask(options.movingMask, dimension);
  if (options.initial)
  {
    request.initial =
      dimension == 2
        ? MakeTransform<2>({ *options.initial }, {}, fixed.grid).GetPointer()
        : static_cast<itk::TransformBase *>(MakeTransform<3>({ *options.initial }, {}, fixed.grid).GetPointer());
  }
  StartDeviceAhead(fixed.grid, options); // behind the reading
  request.fixed = ReadAs(fixed, type);
  request.moving = ReadAs(moving, type);
  finite = TakeOutWhatIsNotFinite(request.moving, "moving");
  request.fixedMask = JoinMasks(TakeOutWhatIsNotFinite(request.fixed, "fixed"), ReadMask(fixedMask));
  request.movingMask = JoinMasks(finite, ReadMask(movingMask));
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
  CheckPaths({ { "the fixed image", options.fixed },
               { "the moving image", options.moving },
               { "--fixed-mask", options.fixedMask },
               { "--moving-mask", options.movingMask },
               { "--initial-transform", options.initial ? options.initial->file : std::string() } },
             { { "--output", options.output },
               { "--warped", options.warped },
               { "--picture", options.picture },
               { "--report", options.report } });
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
