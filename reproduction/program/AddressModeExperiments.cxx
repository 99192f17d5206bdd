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
#include "Phantoms.h"
#include "Ways.h"
#include "Workplace.h"

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

/** \file
 * \brief Exercise 2 of Vitality Learning \cite{VitalityLearning}: address modes. */

namespace
{
using namespace itk::CudaSpline;

/** How samples are continued beyond the edges of each axis. */
struct AddressMode
{
  std::string name;
  Extension   x;
  Extension   y;
};
const std::vector<AddressMode> addressModes{ { "clamp", Extension::Nearest, Extension::Nearest },
                                             { "clamp and border", Extension::Nearest, Extension::GridConstant },
                                             { "border", Extension::GridConstant, Extension::GridConstant },
                                             { "wrap", Extension::GridWrap, Extension::GridWrap },
                                             { "mirror", Extension::Reflect, Extension::Reflect },
                                             { "mirror about the sample", Extension::Mirror, Extension::Mirror } };

/** Fills what is beyond the ends of a line, outwards, sample by sample: each is a copy of one that is there already.
 * \param[in,out] first sample 0
 * \param[in] stride from a sample to the next one
 * \param[in] size samples of the line
 * \param[in] margin samples beyond either end */
void
Continue(double * first, std::int64_t stride, std::int64_t size, std::int64_t margin, Extension extension)
{
  const auto at = [&](std::int64_t index) -> double & { return first[index * stride]; };
  for (std::int64_t k = 1; k <= margin; ++k)
  {
    double & before = at(-k);
    double & behind = at(size - 1 + k);
    switch (extension)
    {
      case Extension::Nearest:
        before = at(0);
        behind = at(size - 1);
        break;
      case Extension::GridWrap:
        before = at(size - k);
        behind = at(k - 1);
        break;
      case Extension::Reflect:
        before = at(k - 1);
        behind = at(size - k);
        break;
      case Extension::Mirror:
        before = at(k);
        behind = at(size - 1 - k);
        break;
      default:
        before = 0.0;
        behind = 0.0;
    }
  }
}

/** The image with a margin all around, in memory. */
Picture
Continued(const Picture & image, std::int64_t margin, const AddressMode & mode)
{
  const std::int64_t width = image.size[0] + 2 * margin;
  Picture            large = Picture::Of({ width, image.size[1] + 2 * margin });
  for (std::int64_t y = 0; y < image.size[1]; ++y)
  {
    double * const row = large.values.data() + (y + margin) * width + margin;
    std::copy_n(image.values.data() + y * image.size[0], image.size[0], row);
    Continue(row, 1, image.size[0], margin, mode.x);
  }
  for (std::int64_t x = 0; x < width; ++x)
  {
    Continue(large.values.data() + margin * width + x, width, image.size[1], margin, mode.y);
  }
  return large;
}

Picture
WithAddressMode(const Workplace & place, Way way, const Picture & image, const AddressMode & mode, const IndexMap & map)
{
  way.unbounded = true;
  SourceDescriptor descriptor = way.Describe(image);
  descriptor.extension = { { mode.x, mode.y, mode.y, mode.y } };
  const std::vector<float> pixels(image.values.begin(), image.values.end());
  const auto               source = MakeSource(descriptor, pixels.data(), place.context);
  return Resampling(way, image.size, 2, map, image.size).Run(*source, place.context);
}

IndexMap
ScaledAboutTheMiddle(const Picture & image, double scale, double shift)
{
  const double x = std::floor(0.5 * static_cast<double>(image.size[0]));
  const double y = std::floor(0.5 * static_cast<double>(image.size[1]));
  return IndexMap::ScaleAndShift({ { x, y, 0.0 } }, scale, { { shift, shift, 0.0 } });
}

/** Exercise 2: what stands outside, by axis; a reduction to a half shows it (figures 16 and 23). Another one, to less
 * than a quarter and a part of a sample off, goes beyond the first repetition, and its places lie between samples:
 * there the values are those of the same method in an image that is continued in memory. */
void
AddressModes(Workplace & place)
{
  Picture image = SheppLogan(2, place.quick ? 64 : 512);
  for (const auto & [name, picture] : place.pictures)
  {
    image = name == "camera" && picture.dimension == 2 ? picture : image;
  }
  for (double & value : image.values)
  {
    value = static_cast<double>(static_cast<float>(0.75 * value + 40.0)); // so that the border's 0 is seen
  }
  const IndexMap half = ScaledAboutTheMiddle(image, 2.0, 0.0);
  const IndexMap beyond = ScaledAboutTheMiddle(image, 4.37, 0.1234567);
  // 1.7 sizes beyond each end, and what the prefilter of the continued image loses at its own ends.
  const std::int64_t margin = 2 * std::max(image.size[0], image.size[1]) + 64;
  IndexMap           within = beyond;
  within.offset[0] += static_cast<double>(margin);
  within.offset[1] += static_cast<double>(margin);
  for (const AddressMode & mode : addressModes)
  {
    const Picture large = Continued(image, margin, mode);
    for (const std::string wayName : { "nearest", "linear", "catmull-rom", "cubic" })
    {
      if (wayName == "cubic" && (!HasCoefficients(mode.x) || !HasCoefficients(mode.y)))
      {
        continue;
      }
      const Way way = Way::Of(wayName);
      Way       exact = way;
      exact.element = ScalarType::Float64;
      const Picture found = WithAddressMode(place, way, image, mode, beyond);
      const Picture expected = Resampling(exact, large.size, 2, within, image.size)
                                 .Run(*MakeSourceOf(exact, large, place.context), place.context);
      const Difference difference = Difference::Between(found, expected, 0.0);
      place.report.Add(
        { { "way", wayName }, { "address", mode.name } },
        { { "difference_from_an_image_continued_in_memory", difference.largest }, { "range", image.Range() } });
      if (wayName == "nearest")
      {
        place.Keep("address-nearest-" + mode.name, WithAddressMode(place, way, image, mode, half));
      }
    }
  }
}
} // namespace

std::vector<Experiment>
AddressModeExperiments()
{
  return { { "address-modes", "002, exercise 2: what stands outside", AddressModes } };
}
