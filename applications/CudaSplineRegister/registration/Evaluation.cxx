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
#include "registration/Evaluation.h"

#include "registration/Deformation.h"
#include "console/Error.h"
#include "io/formats/ImageInput.h"
#include "process/LibraryMessages.h"
#include "console/Numbers.h"
#include "io/volume/PixelType.h"
#include "registration/RegistrationInput.h"
#include "registration/StageTransforms.h"
#include "console/Stopwatch.h"
#include "io/files/TextLines.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>

namespace CudaSplineRegister
{

namespace
{

/** Reads labels as numbers on their own grid. */
std::optional<Volume>
ReadLabels(const std::string & file, const Grid & of, bool force)
{
  if (file.empty())
  {
    return std::nullopt;
  }
  ImageDescription description = DescribeImage(file, { "", force });
  const Volume     image = ReadImage(description);
  WarnOf(description.messages);
  if (image.grid.dimension != of.dimension)
  {
    throw ProgramError("the labels \"" + file + "\" have " + std::to_string(image.grid.dimension) +
                       " dimensions, but the images have " + std::to_string(of.dimension));
  }
  CheckGeometry("the label map \"" + file + "\"", image.grid, of);
  return image.type == ScalarType::Float64 ? image : CastVolume(image, ScalarType::Float64);
}

/** Converts labels to integers. Voxels that are not a number become background. */
Volume
ToIntegers(const Volume & labels, const std::string & path, const std::string & option)
{
  Volume             integers = Volume::Allocate(labels.grid, ScalarType::Int32);
  const auto * const from = static_cast<const double *>(labels.pixels.get());
  auto * const       to = static_cast<std::int32_t *>(integers.pixels.get());
  for (std::size_t n = 0; n < labels.grid.GetNumberOfVoxels(); ++n)
  {
    const double label = std::isfinite(from[n]) ? from[n] : 0.0;
    to[n] = static_cast<std::int32_t>(std::abs(label) <= std::numeric_limits<std::int32_t>::max() ? label : 0.5);
    if (static_cast<double>(to[n]) != label)
    {
      throw ProgramError(option + ": the labels \"" + path + "\" have the value " + Brief(label) +
                         "; whole numbers of 32 bits are needed");
    }
  }
  return integers;
}

/** Returns the overlaps of two label images on the same grid. Voxels that are not a number are outside. */
std::map<std::int64_t, double>
CountOverlaps(const Volume & fixed, const Volume & moving)
{
  struct Counts
  {
    std::size_t fixed{ 0 };
    std::size_t moving{ 0 };
    std::size_t both{ 0 };
  };
  std::map<std::int64_t, Counts> counts;
  const auto * const             a = static_cast<const double *>(fixed.pixels.get());
  const auto * const             b = static_cast<const double *>(moving.pixels.get());
  const auto labelOf = [](double value) { return std::isfinite(value) ? std::llround(value) : 0LL; };
  for (std::size_t n = 0; n < fixed.grid.GetNumberOfVoxels(); ++n)
  {
    const auto ofFixed = labelOf(a[n]);
    const auto ofMoving = labelOf(b[n]);
    if (ofFixed != 0)
    {
      ++counts[ofFixed].fixed;
    }
    if (ofMoving != 0)
    {
      ++counts[ofMoving].moving;
    }
    if (ofFixed != 0 && ofFixed == ofMoving)
    {
      ++counts[ofFixed].both;
    }
  }
  std::map<std::int64_t, double> overlaps;
  for (const auto & [label, count] : counts)
  {
    overlaps[label] = 2.0 * static_cast<double>(count.both) / static_cast<double>(count.fixed + count.moving);
  }
  return overlaps;
}

template <unsigned int VDimension>
Distances
MeasureTyped(const GroundTruth & truth, const itk::TransformBase * base)
{
  using Transform = typename StageTransforms<VDimension>::Base;
  const auto * const  transform = dynamic_cast<const Transform *>(base);
  std::vector<double> distances;
  for (std::size_t n = 0; n < truth.fixedLandmarks.size(); ++n)
  {
    typename Transform::InputPointType point;
    std::copy_n(truth.fixedLandmarks[n].begin(), VDimension, point.Begin());
    const auto place = transform->TransformPoint(point);
    double     square = 0.0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const double difference = place[d] - truth.movingLandmarks[n][d];
      square += difference * difference;
    }
    distances.push_back(std::sqrt(square));
  }
  std::sort(distances.begin(), distances.end());
  const std::size_t count = distances.size();
  Distances         result;
  result.mean = std::accumulate(distances.begin(), distances.end(), 0.0) / static_cast<double>(count);
  result.median = 0.5 * (distances[count / 2] + distances[(count - 1) / 2]);
  result.largest = distances.back();
  return result;
}

void
PrintOverlaps(std::ostream & stream, const std::map<std::int64_t, Overlap> & overlaps)
{
  if (overlaps.empty())
  {
    return;
  }
  const auto row = [&stream](const std::string & name, const Overlap & overlap) {
    stream << std::right << std::setw(8) << name << std::fixed << std::setprecision(4) << std::setw(14)
           << overlap.before << std::setw(14) << overlap.after << std::defaultfloat << '\n';
  };
  stream << "   label   Dice before    Dice after\n";
  for (const auto & [label, overlap] : overlaps)
  {
    row(std::to_string(label), overlap);
  }
  row("mean", MeanOverlap(overlaps));
}

} // namespace

Overlap
MeanOverlap(const std::map<std::int64_t, Overlap> & overlaps)
{
  Overlap mean;
  for (const auto & [label, overlap] : overlaps)
  {
    mean.before += overlap.before / static_cast<double>(overlaps.size());
    mean.after += overlap.after / static_cast<double>(overlaps.size());
  }
  return mean;
}

std::vector<Coordinates>
ReadLandmarks(const std::string & file, unsigned int dimension)
{
  std::ifstream stream(file);
  if (!stream)
  {
    throw ProgramError("the landmarks \"" + file + "\" cannot be read");
  }
  std::vector<Coordinates> points;
  std::size_t              number = 0;
  bool                     hadLine = false;
  const std::string        byteOrderMark = "\xEF\xBB\xBF"; // of tables from spreadsheets
  for (std::string line; GetTextLine(stream, line);)
  {
    if (++number == 1 && line.compare(0, byteOrderMark.size(), byteOrderMark) == 0)
    {
      line.erase(0, byteOrderMark.size());
    }
    line.erase(std::remove(line.begin(), line.end(), '\r'), line.end());
    if (line.find_first_not_of(" \t") == std::string::npos || line[line.find_first_not_of(" \t")] == '#')
    {
      continue;
    }
    std::istringstream words(line);
    Coordinates        point{};
    unsigned int       found = 0;
    bool               hasNumber = false;
    unsigned int       count = 0;
    for (std::string word; count < dimension && std::getline(words, word, ','); ++count)
    {
      const auto                  begin = word.find_first_not_of(" \t\"");
      const auto                  end = word.find_last_not_of(" \t\"");
      const std::optional<double> value =
        begin == std::string::npos ? std::nullopt : ParseNumber(word.substr(begin, end - begin + 1));
      hasNumber = hasNumber || value;
      if (value && std::isfinite(*value))
      {
        point[count] = *value;
        ++found;
      }
    }
    if (found == dimension)
    {
      points.push_back(point);
    }
    else if (hadLine || hasNumber) // otherwise it is a line of titles
    {
      throw ProgramError("the landmarks \"" + file + "\", line " + std::to_string(number) + ": " +
                         std::to_string(dimension) + " numbers in mm, separated by commas, are needed");
    }
    hadLine = true;
  }
  if (HasNoLines(stream))
  {
    throw ProgramError("the landmarks \"" + file + "\" have a line of more than 1 MB and are not a list of points");
  }
  if (points.empty())
  {
    throw ProgramError("the landmarks \"" + file + "\" do not contain a point");
  }
  return points;
}

GroundTruth
ReadGroundTruth(const Options & options, const Grid & fixed, const Grid & moving)
{
  const unsigned int dimension = fixed.dimension;
  GroundTruth        truth;
  truth.fixedLabels = ReadLabels(options.fixedLabels, fixed, options.force);
  truth.movingLabels = ReadLabels(options.movingLabels, moving, options.force);
  if (!options.fixedLandmarks.empty())
  {
    truth.fixedLandmarks = ReadLandmarks(options.fixedLandmarks, dimension);
    truth.movingLandmarks = ReadLandmarks(options.movingLandmarks, dimension);
    if (truth.fixedLandmarks.size() != truth.movingLandmarks.size())
    {
      throw ProgramError("there are " + std::to_string(truth.fixedLandmarks.size()) + " fixed landmarks and " +
                         std::to_string(truth.movingLandmarks.size()) + " moving landmarks; the numbers must be equal");
    }
  }
  return truth;
}

void
AddTerms(const GroundTruth & truth, RegistrationRequest & request)
{
  const std::string & regions = request.options->slidingRegions;
  if (const auto labels = ReadLabels(regions, request.fixed.grid, request.options->force))
  {
    request.slidingRegions = ToIntegers(*labels, regions, "--sliding-regions");
  }
  const auto & stages = request.options->spec.stages;
  const auto   uses = [&stages](std::optional<double> StageSpec::*weight) {
    return std::any_of(
      stages.begin(), stages.end(), [weight](const StageSpec & stage) { return (stage.*weight).value_or(0.0) > 0.0; });
  };
  for (std::size_t n = 0; uses(&StageSpec::landmarkWeight) && n < truth.fixedLandmarks.size(); ++n)
  {
    request.landmarks.push_back({ truth.fixedLandmarks[n], truth.movingLandmarks[n] });
  }
  if (uses(&StageSpec::labelWeight) && truth.fixedLabels)
  {
    request.fixedLabels = ToIntegers(*truth.fixedLabels, request.options->fixedLabels, "--label-weight");
    request.movingLabels = ToIntegers(*truth.movingLabels, request.options->movingLabels, "--label-weight");
  }
}

Evaluation
Evaluate(const RegistrationRequest & request, const RegistrationResult & result, const GroundTruth & truth)
{
  const Stopwatch time;
  const auto      transforms = std::array<const itk::TransformBase *, 2>{ result.start, result.transform };
  Evaluation      evaluation;
  if (request.options->evaluate)
  {
    evaluation.similarity =
      std::array<Similarity, 2>{ MeasureSimilarity(request, transforms[0]), MeasureSimilarity(request, transforms[1]) };
  }
  if (truth.fixedLabels)
  {
    DeformationSettings settings;
    settings.type = ScalarType::Float64;
    settings.isLabels = true;
    settings.device = request.options->device;
    constexpr double outside = std::numeric_limits<double>::quiet_NaN();
    const auto       overlaps = [&](const itk::TransformBase * transform) {
      return CountOverlaps(*truth.fixedLabels,
                           Warp(*truth.movingLabels, truth.fixedLabels->grid, transform, outside, settings));
    };
    for (const auto & [label, overlap] : overlaps(transforms[0]))
    {
      evaluation.overlaps[label].before = overlap;
    }
    for (const auto & [label, overlap] : overlaps(transforms[1]))
    {
      evaluation.overlaps[label].after = overlap;
    }
  }
  evaluation.landmarks = truth.fixedLandmarks.size();
  for (std::size_t n = 0; n < transforms.size() && evaluation.landmarks > 0; ++n)
  {
    evaluation.distances[n] =
      request.fixed.grid.dimension == 2 ? MeasureTyped<2>(truth, transforms[n]) : MeasureTyped<3>(truth, transforms[n]);
  }
  evaluation.seconds = time.GetSeconds();
  return evaluation;
}

void
PrintEvaluation(std::ostream & stream, const Evaluation & evaluation)
{
  const auto line = [&stream](const std::string & name, double before, double after) {
    stream << name << ": " << Brief(before) << " before, " << Brief(after) << " after\n";
  };
  if (evaluation.similarity)
  {
    const auto & [before, after] = *evaluation.similarity;
    line("correlation", before.correlation, after.correlation);
    line("local correlation", before.localCorrelation, after.localCorrelation);
  }
  PrintOverlaps(stream, evaluation.overlaps);
  if (evaluation.landmarks > 0)
  {
    const auto & [before, after] = evaluation.distances;
    const auto name = " distance of " + std::to_string(evaluation.landmarks) + " landmarks, mm";
    line("mean" + name, before.mean, after.mean);
    line("median" + name, before.median, after.median);
    line("largest" + name, before.largest, after.largest);
  }
  stream << std::flush;
}

} // namespace CudaSplineRegister
