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
#include "registration/RegistrationInput.h"

#include "cli/RegistrationDocument.h"
#include "console/Error.h"
#include "process/LibraryMessages.h"
#include "registration/NonFiniteVoxels.h"
#include "io/volume/PixelType.h"
#include "process/ReadingProcess.h"
#include "io/transforms/TransformInput.h"

#include "itkCudaSplineSystem.h"

#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

namespace
{

/** Returns the type of the pixels of the images. */
ScalarType
TypeOf(const Options & options)
{
  return options.spec.precision;
}

/** Returns whether the numbers of a pixel are red, green and blue, and possibly opacity. Formats such as NRRD may call
 * them a vector; vectors of bytes have no direction. */
bool
IsOfColours(const ImageDescription & image)
{
  const ImageLayout & layout = image.layout;
  const bool          hasDirections = layout.HasDirections() && image.type != ScalarType::UInt8;
  return layout.components >= 3 && !hasDirections && layout.volumes == 1;
}

void
CheckIsPlainOrColour(const ImageDescription & image)
{
  if (!IsOfColours(image))
  {
    CheckIsPlain(image);
  }
}

/** Returns the luminance of colours, defined as in itk::RGBPixel. */
Volume
MakeLuminance(const std::vector<Volume> & planes, ScalarType type)
{
  constexpr std::array<double, 3> weights{ 0.30, 0.59, 0.11 };
  const Volume                    luminance = Volume::Allocate(planes.front().grid, type);
  const auto                      count = static_cast<std::int64_t>(luminance.grid.GetNumberOfVoxels());
  for (std::int64_t pixel = 0; pixel < count; ++pixel)
  {
    double sum = 0.0;
    for (std::size_t colour = 0; colour < weights.size(); ++colour)
    {
      const Volume & plane = planes[colour];
      sum += weights[colour] * itk::CudaSpline::LoadScalar<double>(plane.pixels.get(), plane.type, pixel);
    }
    itk::CudaSpline::StoreScalar(luminance.pixels.get(), type, pixel, sum);
  }
  return luminance;
}

/** Reads an image as real numbers. Colours are converted to their luminance.
 *
 * \param[in] description, type the image and the type of the result
 * \param[out] colours real numbers of its planes; null: not needed */
Volume
ReadAs(ImageDescription description, ScalarType type, std::vector<Volume> * colours = nullptr)
{
  if (IsOfColours(description))
  {
    const std::vector<Volume> planes = ReadPlanes(description, 0);
    WarnOf(description.messages);
    for (std::size_t plane = 0; plane < planes.size() && colours != nullptr; ++plane)
    {
      colours->push_back(CastVolume(planes[plane], type)); // planes are in memory of the process that reads
    }
    return MakeLuminance(planes, type);
  }
  const Volume volume = ReadImage(description);
  WarnOf(description.messages);
  return volume.type == type ? volume : CastVolume(volume, type);
}

/** Reads one of the numbers of colours. */
Volume
ReadPlane(ImageDescription description, std::size_t plane, ScalarType type)
{
  return CastVolume(ReadPlanes(description, 0)[plane], type);
}

/** Reads a volume of a series as real numbers. They remain valid when another one is read. */
Volume
ReadVolume(ImageDescription & series, std::size_t number, ScalarType type)
{
  const Volume volume = ReadPlanes(series, number).front();
  if (volume.type != type)
  {
    return CastVolume(volume, type);
  }
  Volume copy = Volume::Allocate(volume.grid, type);
  std::memcpy(copy.pixels.get(), volume.pixels.get(), volume.GetNumberOfBytes());
  return copy;
}

/** Returns the mean of all volumes of a series without registration. Voxels that are not finite in one of them are NaN.
 */
Volume
ReadMean(ImageDescription & series, ScalarType type)
{
  std::vector<double> sums(series.grid.GetNumberOfVoxels(), 0.0);
  for (std::size_t number = 0; number < series.layout.volumes; ++number)
  {
    const Volume         volume = ReadVolume(series, number, ScalarType::Float64);
    const double * const values = static_cast<const double *>(volume.pixels.get());
    for (std::size_t voxel = 0; voxel < sums.size(); ++voxel)
    {
      sums[voxel] += values[voxel];
    }
  }
  Volume     mean = Volume::Allocate(series.grid, ScalarType::Float64);
  const auto count = static_cast<double>(series.layout.volumes);
  std::transform(sums.begin(), sums.end(), static_cast<double *>(mean.pixels.get()), [count](double sum) {
    return std::isfinite(sum) ? sum / count : std::numeric_limits<double>::quiet_NaN();
  });
  return type == mean.type ? mean : CastVolume(mean, type);
}

/** Converts a grid to the pipeline's type, without the inverse of its matrix. */
itk::CudaSpline::FieldGrid
DescribeGrid(const Grid & grid)
{
  itk::CudaSpline::FieldGrid described;
  described.dimension = grid.dimension;
  std::copy_n(grid.size.begin(), grid.dimension, described.size.begin());
  std::copy_n(grid.spacing.begin(), grid.dimension, described.spacing.begin());
  std::copy_n(grid.origin.begin(), grid.dimension, described.origin.begin());
  for (unsigned int row = 0; row < grid.dimension; ++row)
  {
    for (unsigned int column = 0; column < grid.dimension; ++column)
    {
      described.indexToPoint[row][column] = grid.direction[row][column] * grid.spacing[column];
    }
  }
  return described;
}

/** Finds a mask of an image, if there is to be one. */
std::optional<ImageDescription>
DescribeMask(const std::string & path, const Grid & of, bool force)
{
  if (path.empty())
  {
    return std::nullopt;
  }
  ImageDescription image = DescribeImage(path, { "", force });
  if (image.grid.dimension != of.dimension)
  {
    throw ProgramError("the mask \"" + path + "\" has " + std::to_string(image.grid.dimension) +
                       " dimensions, but the images have " + std::to_string(of.dimension));
  }
  CheckGeometry("the mask \"" + path + "\"", image.grid, of);
  return image;
}

/** Opens the masks of an image: none, one, or one for each stage. */
std::vector<std::optional<ImageDescription>>
DescribeMasks(const std::string &              option,
              const std::vector<std::string> & paths,
              const Grid &                     of,
              const Options &                  options)
{
  const std::size_t stages = options.spec.stages.size();
  if (paths.size() > 1 && paths.size() != stages)
  {
    throw ProgramError(option + " is given " + std::to_string(paths.size()) +
                       " times; it must be given once, or once per stage (" + std::to_string(stages) + ")");
  }
  std::vector<std::optional<ImageDescription>> masks;
  for (const std::string & path : paths)
  {
    masks.push_back(DescribeMask(path == "none" ? std::string() : path, of, options.force));
  }
  return masks;
}

/** Opens an image of an additional pair. Colours are compared by their luminance. */
ImageDescription
DescribeFurther(const std::string & option, const std::string & path, unsigned int dimension, bool force)
{
  ImageDescription image = DescribeImage(path, { "", force });
  if (image.grid.dimension != dimension || image.layout.volumes > 1)
  {
    throw ProgramError(option + " \"" + path + "\" has " +
                       (image.layout.volumes > 1 ? std::to_string(image.layout.volumes) + " volumes"
                                                 : std::to_string(image.grid.dimension) + " dimensions") +
                       "; images of all pairs must have " + std::to_string(dimension) +
                       " dimensions and one volume, like the first pair");
  }
  CheckIsPlainOrColour(image);
  return image;
}

/** Throws if --channels does not have colours. */
void
CheckIsOfColours(const AdditionalFiles & files, const AdditionalDescription & pair)
{
  for (const ImageDescription * const image : { &pair.fixed, &pair.moving })
  {
    if (files.plane && !IsOfColours(*image))
    {
      throw ProgramError("--channels: \"" + image->path + "\" is not a colour image (red, green, blue)");
    }
  }
}

/** Reads a mask: 1 where the image is a number other than 0. */
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

/** Reads the masks of an image when they are needed for the first time. */
const MaskList &
ReadMasks(const std::vector<std::optional<ImageDescription>> & descriptions, std::optional<MaskList> & masks)
{
  if (!masks)
  {
    masks.emplace();
    std::transform(descriptions.begin(), descriptions.end(), std::back_inserter(*masks), ReadMask);
  }
  return *masks;
}

/** Joins finite voxels with each mask. */
MaskList
JoinAll(const std::optional<Volume> & finite, const MaskList & masks)
{
  if (masks.empty())
  {
    return finite ? MaskList{ finite } : MaskList();
  }
  MaskList joined;
  std::transform(masks.begin(), masks.end(), std::back_inserter(joined), [&finite](const std::optional<Volume> & mask) {
    return JoinMasks(finite, mask);
  });
  return joined;
}

/** Starts the GPU in the background if the expected iterations of the stages are worth it. These are half of the
 * maximum, as observed with optimizers. An iteration of SyN, with warps and inversions, is as much work as about
 * twenty evaluations. */
void
StartDeviceAhead(const Grid & grid, std::size_t volumes, const Options & options)
{
  itk::CudaSpline::MetricDescriptor descriptor;
  descriptor.dimension = grid.dimension;
  descriptor.gradient = itk::CudaSpline::MetricGradient::Image;
  descriptor.interpolation.interpolation = itk::CudaSpline::Interpolation::Linear;
  itk::CudaSpline::SourceDescriptor moving; // about as large as the fixed image
  moving.dimension = grid.dimension;
  std::copy_n(grid.size.begin(), grid.dimension, moving.size.begin());
  const auto voxels = static_cast<double>(grid.GetNumberOfVoxels());
  double     calls = 0.0; // with all voxels
  for (const StageSpec & stage : options.spec.stages)
  {
    for (const itk::CudaSpline::PyramidLevel & level : stage.levels)
    {
      const double evaluations = stage.IsOfFields() ? 10.0 : 0.5; // evaluations of a metric per maximum iteration
      const double fraction = stage.samples.choice == itk::CudaSpline::SampleChoice::All ? 1.0 : stage.samples.fraction;
      calls += evaluations * level.iterations * fraction / std::pow(level.shrink, grid.dimension);
    }
  }
  itk::CudaSpline::BackendWork work;
  work.further = itk::CudaSpline::CountMetricWork(descriptor, moving, static_cast<std::int64_t>(voxels));
  work.host = *work.further;
  work.device = work.host + itk::CudaSpline::CountSourceWork(moving);
  work.calls = calls * static_cast<double>(volumes);
  itk::CudaSpline::StartDeviceAhead(
    options.device, work, itk::MultiThreaderBase::GetGlobalDefaultNumberOfThreads(), 0.0);
}

} // namespace

void
CheckGeometry(const std::string & name, const Grid & grid, const Grid & image)
{
  if (itk::CudaSpline::HasLostGeometry(DescribeGrid(grid), DescribeGrid(image)))
  {
    throw ProgramError(name + " has no geometry (spacing 1, origin 0), but its image has one: they are not in the same "
                              "position; give it the geometry of the image, for example with SimpleITK: "
                              "mask.CopyInformation(image)");
  }
}

RegistrationInputs
DescribeInputs(Options & options)
{
  // Processes that read are forked before a device is started, which starts threads.
  RegistrationInputs inputs;
  inputs.moving = DescribeImage(options.moving, { "", options.force });
  inputs.fixed =
    options.target == TargetKind::FixedImage ? DescribeImage(options.fixed, { "", options.force }) : inputs.moving;
  const unsigned int               dimension = inputs.fixed.grid.dimension;
  const itk::CudaSpline::FieldGrid grid = DescribeGrid(inputs.fixed.grid);
  FitDocument(grid, options);
  if (inputs.moving.grid.dimension != dimension)
  {
    throw ProgramError("the fixed image has " + std::to_string(dimension) + " dimensions and the moving image " +
                       std::to_string(inputs.moving.grid.dimension) + "; the numbers must be equal");
  }
  if (options.target == TargetKind::FixedImage)
  {
    if (inputs.fixed.layout.volumes > 1)
    {
      throw ProgramError("the fixed image \"" + options.fixed + "\" is a series of " +
                         std::to_string(inputs.fixed.layout.volumes) +
                         " volumes; it must be an image of 2 or 3 dimensions (to register a series to one of its own "
                         "volumes, use --motion)");
    }
    CheckIsPlainOrColour(inputs.fixed);
  }
  else if (!inputs.IsSeries())
  {
    throw ProgramError("\"" + options.moving +
                       "\" is a single volume; --motion can only be used with a series of volumes (4D)");
  }
  if (!inputs.IsSeries() || inputs.moving.layout.components != 1)
  {
    CheckIsPlainOrColour(inputs.moving);
  }
  if (!inputs.IsSeries() && !options.parameters.empty())
  {
    throw ProgramError("--parameters can only be used with a series of volumes (4D); \"" + options.moving +
                       "\" is a single volume");
  }
  if (options.targetVolume >= inputs.moving.layout.volumes)
  {
    throw ProgramError("--motion " + std::to_string(options.targetVolume) + ": \"" + options.moving +
                       "\" has the volumes 0 to " + std::to_string(inputs.moving.layout.volumes - 1));
  }
  CheckDocument(grid, options);
  for (const AdditionalFiles & files : options.further)
  {
    inputs.further.push_back({ DescribeFurther("--also-fixed", files.fixed, dimension, options.force),
                               DescribeFurther("--also-moving", files.moving, dimension, options.force) });
    CheckIsOfColours(files, inputs.further.back());
  }
  inputs.fixedMasks = DescribeMasks("--fixed-mask", options.fixedMasks, inputs.fixed.grid, options);
  inputs.movingMasks = DescribeMasks("--moving-mask", options.movingMasks, inputs.moving.grid, options);
  if (!options.initial.empty())
  {
    inputs.initial =
      dimension == 2
        ? MakeTransform<2>(options.initial, {}, inputs.fixed.grid).GetPointer()
        : static_cast<itk::TransformBase *>(MakeTransform<3>(options.initial, {}, inputs.fixed.grid).GetPointer());
  }
  if (!options.explain)
  {
    StartDeviceAhead(inputs.fixed.grid, inputs.moving.layout.volumes, options); // after the images were read
  }
  return inputs;
}

ImageLayout
LayoutOnGrid(const ImageDescription & grid, const ImageDescription * image)
{
  ImageLayout layout = image == nullptr ? ImageLayout() : image->layout;
  for (const char * const key : { "qform_code", "qform_code_name", "sform_code", "sform_code_name" })
  {
    layout.notes.erase(key);
    if (const auto found = grid.layout.notes.find(key); found != grid.layout.notes.end())
    {
      layout.notes.insert(*found);
    }
  }
  return layout;
}

OutputLayouts
LayoutsOf(const RegistrationInputs & inputs)
{
  OutputLayouts layouts{ LayoutOnGrid(inputs.fixed, &inputs.moving),
                         LayoutOnGrid(inputs.moving, &inputs.fixed),
                         LayoutOnGrid(inputs.fixed, nullptr) };
  layouts.inverseWarped.components = 1; // the luminance of colours
  layouts.inverseWarped.pixel = itk::IOPixelEnum::SCALAR;
  return layouts;
}

void
ReadFixed(const Options & options, RegistrationInputs & inputs, RegistrationRequest & request)
{
  const ScalarType type = TypeOf(options);
  request.fixed = options.target == TargetKind::FixedImage ? ReadAs(inputs.fixed, type)
                  : options.target == TargetKind::Mean     ? ReadMean(inputs.moving, type)
                                                           : ReadVolume(inputs.moving, options.targetVolume, type);
  request.fixedMasks =
    JoinAll(MaskNonFiniteVoxels(request.fixed, "fixed"), ReadMasks(inputs.fixedMasks, inputs.masksOfFixed));
}

void
ReadMoving(const Options &         options,
           RegistrationInputs &    inputs,
           std::size_t             volume,
           RegistrationRequest &   request,
           std::optional<Volume> & finite)
{
  const ScalarType type = TypeOf(options);
  request.moving =
    inputs.IsSeries() ? ReadVolume(inputs.moving, volume, type) : ReadAs(inputs.moving, type, &request.movingColours);
  finite = MaskNonFiniteVoxels(request.moving, "moving");
  request.movingMasks = JoinAll(finite, ReadMasks(inputs.movingMasks, inputs.masksOfMoving));
}

void
ReadFurther(const Options & options, RegistrationInputs & inputs, RegistrationRequest & request)
{
  const ScalarType type = TypeOf(options);
  for (std::size_t number = 0; number < inputs.further.size(); ++number)
  {
    const AdditionalDescription & from = inputs.further[number];
    AdditionalPair                pair;
    const auto                    plane = options.further[number].plane;
    pair.fixed = plane ? ReadPlane(from.fixed, *plane, type) : ReadAs(from.fixed, type);
    pair.moving = plane ? ReadPlane(from.moving, *plane, type) : ReadAs(from.moving, type);
    const std::string which = "further " + std::to_string(number + 1);
    pair.fixedMasks =
      JoinAll(MaskNonFiniteVoxels(pair.fixed, which + ". fixed"), ReadMasks(inputs.fixedMasks, inputs.masksOfFixed));
    pair.movingMasks = JoinAll(MaskNonFiniteVoxels(pair.moving, which + ". moving"),
                               ReadMasks(inputs.movingMasks, inputs.masksOfMoving));
    request.further.push_back(std::move(pair));
  }
}

} // namespace CudaSplineRegister
