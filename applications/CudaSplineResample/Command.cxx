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
#include "ColdStart.h"
#include "console/DeviceOption.h"
#include "io/formats/DicomOutput.h"
#include "io/transforms/ElastixFile.h"
#include "console/Error.h"
#include "io/volume/GridCheck.h"
#include "io/formats/ImageInput.h"
#include "io/formats/ImageOutput.h"
#include "process/LibraryMessages.h"
#include "io/volume/OutputGrid.h"
#include "io/formats/PathIdentity.h"
#include "PixelTreatment.h"
#include "io/volume/PixelType.h"
#include "console/ProgressBar.h"
#include "process/ReadingProcess.h"
#include "Report.h"
#include "Resample.h"
#include "console/Stopwatch.h"
#include "io/transforms/TransformInput.h"

#include "itkCudaSplineSystem.h"

#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>
#include <optional>

namespace CudaSplineResample
{

namespace
{

/** Returns the files of an image. */
std::vector<std::string>
FilesOfImage(const ImageDescription & image)
{
  return image.slices.empty() ? std::vector<std::string>{ image.path } : image.slices;
}

std::vector<NamedPath>
NamedOutputs(const Options & options)
{
  return { { "the output", options.output }, { "--difference", options.difference }, { "--report", options.report } };
}

/** Returns the grid of the output before --spacing and --size. The layout receives the notes that belong to it, and the
 * origin of a DICOM output the files from which it is read. */
Grid
BaseGrid(const Options & options, const ImageDescription & input, ImageLayout & layout, DicomOrigin & origin)
{
  if (options.dicom)
  {
    origin = ReadDicomOrigin({ FilesOfImage(input).front() });
  }
  if (options.reference.empty())
  {
    // The last transform is applied first to a point of the output. If it is from elastix, it has the grid.
    if (!options.transforms.empty() && !options.transforms.back().inverse &&
        IsElastixFile(options.transforms.back().file))
    {
      const Grid grid = ReadElastixGrid(options.transforms.back().file);
      if (grid.dimension == input.grid.dimension)
      {
        return grid;
      }
    }
    return input.grid;
  }
  // --series selects a series of the input. For a reference folder with several series, any selection would be a guess.
  const ImageDescription reference = DescribeImage(options.reference, { "", options.force });
  const Grid             grid = reference.grid;
  if (options.dicom && origin.bytes.empty())
  {
    origin = ReadDicomOrigin({ FilesOfImage(reference).front() });
  }
  for (const char * const key : { "qform_code", "qform_code_name", "sform_code", "sform_code_name" })
  {
    layout.notes.erase(key);
    if (const auto found = reference.layout.notes.find(key); found != reference.layout.notes.end())
    {
      layout.notes.insert(*found); // of the space of the output
    }
  }
  if (grid.dimension != input.grid.dimension)
  {
    throw ProgramError("the reference \"" + options.reference + "\" has " + std::to_string(grid.dimension) +
                       " dimensions and the input " + std::to_string(input.grid.dimension) +
                       "; the numbers must be equal");
  }
  return grid;
}

/** Returns a transform of run-time dimension as a function of points. */
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

/** Transform and smoothing of a volume. */
struct VolumeTransform
{
  itk::TransformBase::Pointer transform;              ///< null: identity
  Coordinates                 steps{ 0.0, 0.0, 0.0 }; ///< voxels of the input between samples, if it is smoothed
};

/** Returns the transform of all volumes, or one for each. Warns about down-sampling, or computes the distance of
 * samples in voxels of the input. */
template <unsigned int VDimension>
std::vector<VolumeTransform>
PrepareTransforms(const Options & options, const ImageDescription & input, const Grid & outputGrid)
{
  std::vector<typename itk::Transform<double, VDimension, VDimension>::Pointer> transforms;
  if (options.transformPerVolume)
  {
    transforms =
      MakeVolumeTransforms<VDimension>(options.transforms, options.rotation, input.grid, input.layout.volumes);
  }
  else
  {
    transforms.push_back(MakeTransform<VDimension>(options.transforms, options.rotation, input.grid));
  }
  std::vector<VolumeTransform> prepared;
  for (const auto & transform : transforms)
  {
    prepared.push_back({ transform.GetPointer() });
    const auto mapping = AsFunction<VDimension>(transform);
    if (GetPixelTreatment().smooths)
    {
      prepared.back().steps = StepsOfSampling(input.grid, outputGrid, mapping);
      continue;
    }
    const std::string coarse =
      prepared.size() == 1 ? DescribeDownsampling(input.grid, outputGrid, mapping) : std::string();
    if (!coarse.empty())
    {
      Warn("the output grid is coarser than the input (" + coarse +
           ") and the input is not smoothed first: fine details may be lost or aliased" +
           (options.interpolation.IsOfLabels() ? ", which is usual for labels"
                                               : "; --smooth auto smooths the input first"));
    }
  }
  return prepared;
}

/** Throws if a device was requested by number and another backend was used. */
void
CheckBackend(const ResampleRequest & request, const ResampleResult & result)
{
  if (!request.device.empty() && request.device != "cpu" && result.backend != itk::CudaSpline::Backend::Cuda)
  {
    throw ProgramError("device " + request.device + " was requested but " + (request.explain ? "would" : "did") +
                       " not compute this: " + result.fallbackReason + "; use --device auto or --device cpu");
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
    throw ProgramError("not enough memory for an output of " + SizeText(request.outputGrid) +
                       " voxels; use a smaller output grid");
  }
  CheckBackend(request, result);
  return result;
}

/** The output files. */
struct OutputFiles
{
  AtomicOutput                image;
  std::optional<AtomicOutput> difference;
  std::optional<AtomicOutput> report;

  explicit OutputFiles(const Options & options)
    : image(options.dicom ? (std::filesystem::path(options.output) / FirstDicomName()).string() : options.output)
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

/** Throws if the output cannot be a DICOM series, or if its folder has other files. */
void
CheckDicomOutput(const Options & options, const Grid & grid, const ImageLayout & layout, const DicomOrigin & origin)
{
  if (origin.bytes.empty())
  {
    throw ProgramError("a DICOM series needs a patient and a study; the input or --reference must be DICOM");
  }
  if (grid.dimension != 3 || layout.GetNumberOfPlanes() != 1)
  {
    throw ProgramError("a DICOM series can store only one volume with one component per pixel");
  }
  std::error_code error;
  if (std::filesystem::exists(options.output, error) && !std::filesystem::is_empty(options.output, error))
  {
    throw ProgramError("the folder \"" + options.output + "\" is not empty; a DICOM series needs an empty folder");
  }
}

/** Checks everything that does not need the pixels, and completes options from the headers. */
ImageDescription
Prepare(const Options &                options,
        ResampleRequest &              request,
        ImageLayout &                  layout,
        std::vector<VolumeTransform> & transforms,
        DicomOrigin &                  origin)
{
  CheckDevice(options.device);
  ImageDescription input = DescribeImage(options.input, { options.series, options.force });
  for (const TransformArgument & transform : options.transforms)
  {
    if (options.transformPerVolume)
    {
      for (const std::string & file : FilesOfVolumes(transform.file, input.layout.volumes))
      {
        CheckPaths({ { "--transform", file } }, NamedOutputs(options));
      }
    }
  }
  if (!options.series.empty() && input.slices.empty())
  {
    throw ProgramError("--series can only be used with a DICOM folder; \"" + options.input + "\" is a file");
  }
  layout = input.layout;
  request.outputGrid = MakeOutputGrid(BaseGrid(options, input, layout, origin), options.grid);
  request.outputType = options.outputType.value_or(input.type);
  if (options.dicom)
  {
    CheckDicomOutput(options, request.outputGrid, layout, origin);
  }
  const double bytes = CountBytes(request.outputGrid, request.outputType);
  const double most = GetMaxMemory() > 0 ? static_cast<double>(GetMaxMemory()) : PhysicalMemory();
  if (bytes > most)
  {
    throw ProgramError("the output of " + SizeText(request.outputGrid) + " voxels needs " + Brief(bytes / 1e9) +
                       " GB of memory; only " + Brief(most / 1e9) + " GB are allowed or available");
  }
  if (!CanHold(request.outputType, options.defaultValue))
  {
    throw ProgramError("--default-value " + Brief(options.defaultValue) + " cannot be stored as " +
                       NameOfPixelType(request.outputType) + "; use another value, or another --output-type");
  }
  transforms = input.grid.dimension == 2 ? PrepareTransforms<2>(options, input, request.outputGrid)
                                         : PrepareTransforms<3>(options, input, request.outputGrid);
  request.transform = transforms.front().transform;
  request.interpolation = options.interpolation;
  request.defaultValue = options.defaultValue;
  request.device = options.device;
  request.expectedImages =
    options.expectedImages *
    static_cast<unsigned int>(std::min<std::size_t>(input.layout.GetNumberOfPlanes(), std::size_t{ 1 } << 20));
  if (input.layout.components > 1 && options.compare)
  {
    throw ProgramError("--compare-itk supports only images with one component per pixel; \"" + options.input +
                       "\" has " + std::to_string(input.layout.components) + " components");
  }
  if (options.compare && request.interpolation.IsFurther())
  {
    throw ProgramError("--compare-itk can only be used with --interpolation nearest, linear and bspline, not with " +
                       std::string(request.interpolation.method.name));
  }
  if (input.layout.HasDirections() && (request.transform || transforms.size() > 1))
  {
    Warn("the " + std::to_string(input.layout.components) +
         " components per pixel are resampled independently: the transform does not rotate vectors and tensors");
  }
  return input;
}

/** Smooths if requested, resamples, compares if requested, and reports. */
Volume
Compute(const Options & options, ResampleRequest request, const Coordinates & steps, Report & report)
{
  const ScalarType inputType = request.input.type;
  if (GetPixelTreatment().smooths)
  {
    const Stopwatch smoothing;
    request.input = SmoothForSampling(request.input, steps);
    report.prepareSeconds += smoothing.GetSeconds();
  }
  request.rounds = GetPixelTreatment().rounds;
  ProgressBar bar;
  request.progress = [&](double fraction) {
    if (!options.quiet)
    {
      bar.Show("resampling", fraction);
    }
  };
  const ResampleResult result = ResampleOnDevice(request);
  report.inputGrid = request.input.grid;
  report.inputType = inputType;
  report.outputGrid = request.outputGrid;
  report.outputType = request.outputType;
  report.backend = NameOf(result.backend);
  report.device = DeviceText(result.backend, options.device);
  report.fallbackReason = result.fallbackReason;
  report.prepareSeconds += result.prepareSeconds; // of all volumes
  report.evaluateSeconds += result.evaluateSeconds;
  if (options.compare)
  {
    request.progress = [&bar](double fraction) { bar.Show("resampling by ITK, to compare", fraction); };
    const Comparison comparison = CompareWithItk(request, result.output, !options.difference.empty());
    report.comparison = report.comparison ? Join(*report.comparison, comparison) : comparison;
    report.lastComparison = comparison;
  }
  return result.output;
}

/** Copies the numbers of a plane to their positions among those of the other components. */
template <typename TNumber>
void
PutTogether(const void * plane, std::size_t pixels, unsigned int components, unsigned int component, void * to)
{
  const auto * const from = static_cast<const TNumber *>(plane);
  auto * const       numbers = static_cast<TNumber *>(to);
  for (std::size_t pixel = 0; pixel < pixels; ++pixel)
  {
    numbers[pixel * components + component] = from[pixel];
  }
}

void
PutTogether(const Volume & plane, unsigned int components, unsigned int component, void * to)
{
  const std::size_t pixels = plane.grid.GetNumberOfVoxels();
  switch (itk::CudaSpline::SizeOf(plane.type))
  {
    case 1:
      PutTogether<std::uint8_t>(plane.pixels.get(), pixels, components, component, to);
      return;
    case 2:
      PutTogether<std::uint16_t>(plane.pixels.get(), pixels, components, component, to);
      return;
    case 4:
      PutTogether<std::uint32_t>(plane.pixels.get(), pixels, components, component, to);
      return;
    default:
      PutTogether<std::uint64_t>(plane.pixels.get(), pixels, components, component, to);
  }
}

/** Warns if values of an image that looks like labels are mixed, unless real numbers are requested. */
void
WarnOfLabels(const Volume & image, const Options & options)
{
  const bool asksForReals = options.outputType && IsReal(*options.outputType);
  if (!asksForReals && options.interpolation.MixesPixels() &&
      itk::CudaSpline::LooksLikeLabels(
        image.pixels.get(), image.type, static_cast<std::int64_t>(image.grid.GetNumberOfVoxels())))
  {
    Warn("the input of " + NameOfPixelType(image.type) +
         " has few distinct values, like labels, which --interpolation " + options.interpolation.method.name +
         " mixes; use --interpolation label-linear (or nearest) for labels, or --output-type float for fractions");
  }
}

/** Warns if the recursive filter of B-splines, or a Gaussian, spreads non-finite voxels.
 *
 * \return whether it does */
bool
WarnOfSpreading(const Volume & image, const Options & options, const Coordinates & steps)
{
  const InterpolationChoice & choice = options.interpolation;
  const bool                  isFiltered = !choice.IsOfLabels() && choice.HasOrder() && choice.order >= 2;
  const bool                  smooths = IsSmoothed(image, steps);
  if (!isFiltered && !smooths)
  {
    return false;
  }
  const auto                            count = static_cast<std::int64_t>(image.grid.GetNumberOfVoxels());
  const itk::CudaSpline::ThreadExecutor host(itk::MultiThreaderBase::GetGlobalDefaultNumberOfThreads());
  const std::int64_t found = itk::CudaSpline::CountNonFiniteValues(image.pixels.get(), image.type, count, host);
  if (found == 0)
  {
    return false;
  }
  Warn(std::to_string(found) + " of " + std::to_string(count) +
       " voxels of the input are not finite (NaN or infinite), and " +
       (smooths ? "--smooth auto" : "the filter of --interpolation " + std::string(choice.method.name)) +
       " spreads them over the image, so that finite voxels become NaN, too; replace them first, or use " +
       (smooths ? "--smooth none" : "--interpolation linear or catmull-rom"));
  return true;
}

/** Warns that the output has no value of the input. */
void
WarnOfDefault(std::size_t values, const Options & options)
{
  Warn("all " + std::to_string(values) + " voxels of the output have the default value " + Brief(options.defaultValue) +
       ": they are outside the input, or the transform is for another image");
}

/** Reads and resamples an image with one volume and one number per pixel. */
Volume
ComputeOne(const Options &     options,
           ImageDescription &  input,
           ResampleRequest &   request,
           const Coordinates & steps,
           Report &            report)
{
  const Stopwatch reading;
  request.input = ReadImage(input);
  WarnOf(input.messages);
  WarnOfLabels(request.input, options);
  WarnOfSpreading(request.input, options, steps);
  report.readSeconds += reading.GetSeconds();
  Volume output = Compute(options, request, steps, report);
  if (IsAll(output, options.defaultValue) && !IsAll(request.input, options.defaultValue))
  {
    WarnOfDefault(output.grid.GetNumberOfVoxels(), options);
  }
  return output;
}

/** Reads and resamples volume by volume, component by component, with one volume in memory at a time.
 *
 * \param[in] transforms one for all volumes, or one for each
 * \param[in] differences from ITK; null: not needed */
void
ComputeAll(const Options &                      options,
           ImageDescription &                   input,
           ResampleRequest &                    request,
           const std::vector<VolumeTransform> & transforms,
           Report &                             report,
           VolumeStore &                        store,
           VolumeStore *                        differences)
{
  const ImageLayout & layout = input.layout;
  Stopwatch           reading;
  std::vector<char>   pixels(store.GetNumberOfBytes());
  bool                isDefault = true;   // whether the whole output has the default value
  bool                hasContent = false; // whether any input has other values
  bool                spreads = false;    // whether non-finite voxels are spread
  for (std::size_t number = 0; number < layout.volumes; ++number)
  {
    const Report before = report; // of the volumes so far
    bool         isOneDefault = true;
    reading = Stopwatch();
    const std::vector<Volume> planes = ReadPlanes(input, number);
    report.readSeconds += reading.GetSeconds();
    const VolumeTransform & transform = transforms[transforms.size() == 1 ? 0 : number];
    request.transform = transform.transform;
    for (unsigned int component = 0; component < layout.components; ++component)
    {
      request.input = planes[component];
      if (number == 0 && layout.components == 1)
      {
        WarnOfLabels(request.input, options);
      }
      spreads = spreads || WarnOfSpreading(request.input, options, transform.steps);
      const Volume output = Compute(options, request, transform.steps, report);
      isOneDefault = isOneDefault && IsAll(output, options.defaultValue);
      isDefault = isDefault && isOneDefault;
      hasContent = hasContent || (isDefault && !IsAll(request.input, options.defaultValue));
      PutTogether(output, layout.components, component, pixels.data());
    }
    store.Put(number, pixels.data());
    if (differences != nullptr)
    {
      differences->Put(number, report.lastComparison->difference.pixels.get());
    }
    VolumeReport volume;
    volume.readSeconds = report.readSeconds - before.readSeconds;
    volume.prepareSeconds = report.prepareSeconds - before.prepareSeconds;
    volume.evaluateSeconds = report.evaluateSeconds - before.evaluateSeconds;
    volume.isDefault = isOneDefault;
    volume.comparison = report.lastComparison;
    if (volume.comparison)
    {
      volume.comparison->difference = Volume(); // it is on the disk
    }
    report.volumes.push_back(volume);
  }
  WarnOf(input.messages);
  if (isDefault && hasContent)
  {
    WarnOfDefault(request.outputGrid.GetNumberOfVoxels() * layout.GetNumberOfPlanes(), options);
  }
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
  std::vector<NamedPath> sources{ { "the input", options.input }, { "--reference", options.reference } };
  for (const TransformArgument & transform : options.transforms)
  {
    sources.push_back({ "--transform", transform.file });
  }
  CheckPaths(sources, NamedOutputs(options));
  ResampleRequest              request;
  Report                       report;
  Stopwatch                    reading;
  ImageLayout                  layout;
  std::vector<VolumeTransform> transforms;
  DicomOrigin                  origin;
  ImageDescription             input = Prepare(options, request, layout, transforms, origin);
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

  const MadeFolder folder(options.dicom ? options.output : std::string());
  OutputFiles      files(options);
  if (!options.dicom)
  {
    ProbeOutput(files.image, options.output, request.outputGrid, request.outputType, layout);
  }
  if (files.difference)
  {
    ProbeOutput(*files.difference, options.difference, request.outputGrid, ScalarType::Float32, layout);
  }

  Volume                     output;
  std::optional<VolumeStore> store; // if it is not one volume of scalars
  std::optional<VolumeStore> differences;
  if (layout.GetNumberOfPlanes() == 1)
  {
    output = ComputeOne(options, input, request, transforms.front().steps, report);
  }
  else
  {
    store.emplace(files.image, request.outputGrid, request.outputType, layout);
    if (files.difference)
    {
      differences.emplace(*files.difference, request.outputGrid, ScalarType::Float32, layout);
    }
    ComputeAll(options, input, request, transforms, report, *store, differences ? &*differences : nullptr);
  }
  const Stopwatch writing;
  if (store)
  {
    WriteSeries(*store, files.image.GetTemporaryName(), layout);
  }
  else if (options.dicom)
  {
    WriteDicomSeries(output, origin, std::filesystem::path(files.image.GetTemporaryName()).parent_path().string());
  }
  else
  {
    WriteImage(output, files.image.GetTemporaryName(), layout);
  }
  report.writeSeconds = writing.GetSeconds();
  if (differences)
  {
    WriteSeries(*differences, files.difference->GetTemporaryName(), layout);
  }
  else if (files.difference)
  {
    WriteImage(report.comparison->difference, files.difference->GetTemporaryName(), layout);
  }
  if (files.report)
  {
    WriteReport(report, options, files.report->GetTemporaryName());
  }
  // All files are complete.
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
