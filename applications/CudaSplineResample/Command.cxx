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
#include "ColdStart.h"
#include "DeviceWord.h"
#include "Error.h"
#include "ImageInput.h"
#include "ImageOutput.h"
#include "LibraryMessages.h"
#include "OutputGrid.h"
#include "PixelType.h"
#include "ProgressBar.h"
#include "Report.h"
#include "Resample.h"
#include "Stopwatch.h"
#include "TransformInput.h"

#include "itkCudaSplineSystem.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <new>
#include <optional>

namespace CudaSplineResample
{

namespace
{

/** The grid of the output, before --spacing and --size. */
Grid
BaseGrid(const Options & options, const ImageDescription & input)
{
  if (options.reference.empty())
  {
    return input.grid;
  }
  // --series chooses in the input; of a reference folder with several series any would be a guess.
  const Grid grid = DescribeImage(options.reference, { "", options.force }).grid;
  if (grid.dimension != input.grid.dimension)
  {
    throw ProgramError("the reference \"" + options.reference + "\" has " + std::to_string(grid.dimension) +
                       " dimensions, the input " + std::to_string(input.grid.dimension) + "; they have to be the same");
  }
  return grid;
}

/** A transform of run-time dimension as a function of points. */
template <unsigned int VDimension>
std::function<Coordinates(const Coordinates &)>
AsFunction(const itk::Transform<double, VDimension, VDimension> * transform)
{
  return [transform](const Coordinates & point) {
    typename itk::Transform<double, VDimension, VDimension>::InputPointType from;
    std::copy_n(point.begin(), VDimension, from.Begin());
    const auto  to = transform == nullptr ? from : transform->TransformPoint(from);
    Coordinates result{ 0.0, 0.0, 0.0 };
    std::copy_n(to.Begin(), VDimension, result.begin());
    return result;
  };
}

/** Makes the transform and warns of down-sampling. */
template <unsigned int VDimension>
itk::TransformBase::Pointer
PrepareTransform(const Options & options, const ImageDescription & input, const Grid & outputGrid)
{
  const auto        transform = MakeTransform<VDimension>(options.transforms, options.rotation, input.grid);
  const std::string coarse = DescribeDownsampling(input.grid, outputGrid, AsFunction<VDimension>(transform));
  if (!coarse.empty())
  {
    Warn(
      "the output samples the input coarsely (" + coarse +
      ") and nothing is smoothed: detail between the samples is lost or aliased" +
      (options.interpolation == Interpolation::Nearest ? ", which is usual for labels" : "; smooth the input first"));
  }
  return transform.GetPointer();
}

/** With a device asked for by number nothing else will do. */
void
CheckBackend(const ResampleRequest & request, const ResampleResult & result)
{
  if (!request.device.empty() && request.device != "cpu" && result.backend != itk::CudaSpline::Backend::Cuda)
  {
    throw ProgramError("device " + request.device + " was asked for but " + (request.explain ? "would" : "did") +
                       " not compute this: " + result.fallbackReason + "; --device auto or cpu allow another");
  }
}

/** Resamples. */
ResampleResult
ResampleOnDevice(const ResampleRequest & request)
{
  ResampleResult result;
  try
  {
    result = Resample(request);
  }
  catch (const itk::MemoryAllocationError &)
  {
    throw ProgramError("not enough memory for an output of " + SizeText(request.outputGrid) + " voxels; use fewer");
  }
  CheckBackend(request, result);
  return result;
}

/** The files that the program writes. */
struct OutputFiles
{
  AtomicOutput                image;
  std::optional<AtomicOutput> difference;
  std::optional<AtomicOutput> report;

  explicit OutputFiles(const Options & options)
    : image(options.output)
  {
    if (!options.difference.empty())
    {
      difference.emplace(options.difference);
    }
    if (!options.report.empty())
    {
      report.emplace(options.report);
    }
  }
};

/** Checks all that can be wrong without the pixels, and fills in what follows from the headers. */
ImageDescription
Prepare(const Options & options, ResampleRequest & request)
{
  CheckDevice(options.device);
  ImageDescription input = DescribeImage(options.input, { options.series, options.force });
  if (!options.series.empty() && input.slices.empty())
  {
    throw ProgramError("--series is for a DICOM folder; \"" + options.input + "\" is a file");
  }
  request.outputGrid = MakeOutputGrid(BaseGrid(options, input), options.spacing, options.size);
  request.outputType = options.outputType.value_or(input.type);
  if (!CanHold(request.outputType, options.defaultValue))
  {
    throw ProgramError("--default-value " + Brief(options.defaultValue) + " is no value of the output type " +
                       NameOfPixelType(request.outputType) + "; choose another, or another --output-type");
  }
  request.transform = input.grid.dimension == 2 ? PrepareTransform<2>(options, input, request.outputGrid)
                                                : PrepareTransform<3>(options, input, request.outputGrid);
  request.interpolation = options.interpolation;
  request.order = options.order;
  request.defaultValue = options.defaultValue;
  request.device = options.device;
  request.expectedImages = options.expectedImages;
  return input;
}

/** Resamples, compares if asked to, and reports. */
Volume
Compute(const Options & options, ResampleRequest & request, Report & report)
{
  ProgressBar bar;
  request.progress = [&](double fraction) {
    if (!options.quiet)
    {
      bar.Show("resampling", fraction);
    }
  };
  const ResampleResult result = ResampleOnDevice(request);
  report.inputGrid = request.input.grid;
  report.inputType = request.input.type;
  report.outputGrid = request.outputGrid;
  report.outputType = request.outputType;
  report.backend = NameOf(result.backend);
  report.device = DeviceText(result.backend, options.device);
  report.fallbackReason = result.fallbackReason;
  report.prepareSeconds = result.prepareSeconds;
  report.evaluateSeconds = result.evaluateSeconds;
  if (options.compare)
  {
    request.progress = [&bar](double fraction) { bar.Show("resampling by ITK, to compare", fraction); };
    report.comparison = CompareWithItk(request, result.output, !options.difference.empty());
  }
  request.progress = nullptr;
  return result.output;
}

void
WriteReport(const Report & report, const Options & options, const std::string & file)
{
  std::ofstream stream(file);
  stream << ToJson(report, options);
  stream.close();
  if (!stream)
  {
    throw ProgramError("the report \"" + options.report + "\" could not be written");
  }
}

} // namespace

Report
RunCommand(const Options & options)
{
  ResampleRequest  request;
  Report           report;
  Stopwatch        reading;
  ImageDescription input = Prepare(options, request);
  if (options.explain)
  {
    request.explain = true;
    request.input = Volume{ input.grid, input.type, nullptr };
    const ResampleResult result = Resample(request);
    std::cout << result.plan << std::flush;
    CheckBackend(request, result);
    return report;
  }
  StartDeviceAhead(request, input);
  report.readSeconds = reading.GetSeconds();

  OutputFiles files(options);
  ProbeOutput(files.image, options.output, request.outputGrid, request.outputType);
  if (files.difference)
  {
    ProbeOutput(*files.difference, options.difference, request.outputGrid, ScalarType::Float32);
  }

  reading = Stopwatch();
  request.input = ReadImage(input);
  WarnOf(input.messages);
  report.readSeconds += reading.GetSeconds();

  const Volume output = Compute(options, request, report);

  const Stopwatch writing;
  WriteImage(output, files.image.GetTemporaryName());
  report.writeSeconds = writing.GetSeconds();
  if (files.difference)
  {
    WriteImage(report.comparison->difference, files.difference->GetTemporaryName());
  }
  if (files.report)
  {
    WriteReport(report, options, files.report->GetTemporaryName());
  }
  // All are complete.
  files.image.Commit();
  if (files.difference)
  {
    files.difference->Commit();
  }
  if (files.report)
  {
    files.report->Commit();
  }

  if (options.verbose)
  {
    PrintStages(std::cout, report, options);
  }
  if (options.compare)
  {
    PrintComparison(std::cout, report);
  }
  return report;
}

} // namespace CudaSplineResample
