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

#include "itkCudaSpline/math/FirTaps.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief Champagnat and Le Sant \cite{Champagnat2012}: figure 1, the coefficients; figures 2 to 4, 36 rotations by 10
 * degrees; and what those hide, the error of one rotation. The properties of the phantoms. */

namespace
{
using namespace itk::CudaSpline;

const std::vector<int> tapCounts{ 7, 9, 11, 13, 15, 19, 27 };

std::vector<std::string>
WaysOf(unsigned int dimension)
{
  std::vector<std::string> ways{ "nearest",       "linear",           "linear-texture", "catmull-rom",
                                 "cubic-texture", "cubic-unfiltered", "cubic" };
  for (const int taps : tapCounts)
  {
    ways.push_back("cubic-fir" + std::to_string(taps));
  }
  ways.push_back("cubic-double");
  if (dimension == 3)
  {
    ways.insert(ways.end(), { "cubic-half", "cubic-int16" });
  }
  return ways;
}

/** Part of the half edge within which errors count: nothing from beyond the border reaches it. */
double
InnerRadius(const Picture & picture)
{
  const double half =
    0.5 * static_cast<double>(*std::min_element(picture.size.begin(), picture.size.begin() + picture.dimension) - 1);
  return std::max(0.5, 1.0 - 16.0 / half);
}

/** The picture after a full turn in steps. */
Picture
Turned(const std::string & name, const Picture & picture, int steps, const ExecutionContext & context)
{
  const Way  way = Way::Of(name);
  Resampling turn(way,
                  picture.size,
                  picture.dimension,
                  IndexMap::Rotation(picture.size, picture.dimension, 360.0 / steps),
                  picture.size);
  Picture    now = picture;
  for (int i = 0; i < steps; ++i)
  {
    now = turn.Run(*MakeSourceOf(way, now, context), context);
  }
  return now;
}

Report::Fields
Values(const Difference & inner, const Difference & whole, double range)
{
  return { { "rms", inner.rms },
           { "largest", inner.largest },
           { "p99.9", inner.percentile },
           { "rms_of_range", inner.rms / range },
           { "largest_of_range", inner.largest / range },
           { "rms_whole", whole.rms },
           { "largest_whole", whole.largest } };
}

void
Rotate(Workplace & place, unsigned int dimension)
{
  const std::int64_t size =
    dimension == 2 ? (place.quick ? 96 : 512) : (place.quick ? 32 : (place.OnDevice() ? 96 : 64));
  const int                steps = 36;
  std::vector<std::string> phantoms{ "shepp-logan", "zone-plate", "ct", "noise" };
  if (place.quick && dimension == 3)
  {
    phantoms = { "shepp-logan", "noise" };
  }
  const std::string file = "rotations-" + std::to_string(dimension) + "d-";
  for (const auto & [name, picture] : place.Inputs(dimension, phantoms, size))
  {
    const double   range = picture.Range();
    const double   radius = InnerRadius(picture);
    const Picture  exact = Turned("cubic-double", picture, steps, place.context);
    const IndexMap once = IndexMap::Rotation(picture.size, dimension, 10.0);
    const Picture  exactOnce = Resampled("cubic-double", picture, once, picture.size, place.context);
    place.Keep(file + name + "-original", picture);
    for (const std::string & way : WaysOf(dimension))
    {
      const Report::Fields cell{ { "image", name },
                                 { "dimension", static_cast<int>(dimension) },
                                 { "size", static_cast<long>(picture.size[0]) },
                                 { "way", way } };
      const auto           add = [&](const std::string & measure, const Picture & one, const Picture & other) {
        Report::Fields named = cell;
        named.emplace_back("error", measure);
        place.report.Add(named,
                         Values(Difference::Between(one, other, radius), Difference::Between(one, other, 0.0), range));
      };
      const Picture turned = Turned(way, picture, steps, place.context);
      add("36 rotations, against the original", turned, picture);
      add("36 rotations, against the exact cubic", turned, exact);
      place.Keep(file + name + "-" + way, turned);
      const Picture direct = Resampled(way, picture, once, picture.size, place.context);
      add("one rotation, against the exact cubic", direct, exactOnce);
      if (name == "zone-plate")
      {
        Picture truth = picture;
        for (std::int64_t i = 0; i < truth.Count(); ++i)
        {
          const auto at = once.Apply(
            { { i % truth.size[0], i / truth.size[0] % truth.size[1], i / (truth.size[0] * truth.size[1]) } });
          truth.values[static_cast<std::size_t>(i)] = ZonePlateAt(dimension, truth.size[0], at.data());
        }
        add("one rotation, against the analytic image", direct, truth);
      }
    }
  }
}

/** Figure 1, and what each number of taps leaves. */
void
Coefficients(Workplace & place)
{
  for (int k = 0; k < 16; ++k)
  {
    place.report.Add(
      { { "what", "coefficient" }, { "k", k } },
      { { "value", FirCoefficient<3>(k) }, { "closed_form", std::sqrt(3.0) * std::pow(std::sqrt(3.0) - 2.0, k) } });
  }
  for (const int taps : tapCounts)
  {
    place.report.Add({ { "what", "taps" }, { "taps", taps } },
                     { { "bound_raw", FirTruncationError<3>(taps, false) },
                       { "bound_normalised", FirTruncationError<3>(taps, true) } });
  }
}

/** Mean and deviation of a part of a picture. */
std::pair<double, double>
Moments(const Picture & picture, std::int64_t from, std::int64_t to)
{
  double sum = 0.0, squares = 0.0, count = 0.0;
  for (std::int64_t i = 0; i < picture.Count(); ++i)
  {
    const std::int64_t x = i % picture.size[0], y = i / picture.size[0] % picture.size[1];
    if (x >= from && x < to && y >= from && y < to)
    {
      const double value = picture.values[static_cast<std::size_t>(i)];
      sum += value;
      squares += value * value;
      count += 1.0;
    }
  }
  return { sum / count, std::sqrt(squares / count - sum * sum / (count * count)) };
}

void
Properties(Workplace & place)
{
  for (const unsigned int dimension : { 2U, 3U })
  {
    const std::int64_t size = dimension == 2 ? (place.quick ? 128 : 512) : (place.quick ? 48 : 128);
    for (const std::string & name : PhantomNames())
    {
      const Picture picture = MakePhantom(name, dimension, size);
      const auto [mean, deviation] = Moments(picture, 0, size);
      Report::Fields values{ { "mean", mean }, { "deviation", deviation }, { "range", picture.Range() } };
      if (name == "shepp-logan")
      {
        values.emplace_back("mean_in_closed_form", SheppLoganIntegral(dimension) / std::pow(2.0, dimension));
      }
      else if (name == "zone-plate")
      {
        Picture turned = picture; // a quarter turn, by its samples, leaves it as it is
        for (std::int64_t i = 0; i < picture.Count(); ++i)
        {
          const std::int64_t x = i % size, y = i / size % size, z = i / (size * size);
          turned.values[static_cast<std::size_t>(i)] =
            picture.values[static_cast<std::size_t>((z * size + x) * size + size - 1 - y)];
        }
        values.emplace_back("difference_after_a_quarter_turn", Difference::Between(picture, turned, 0.0).largest);
      }
      else if (name == "ct")
      {
        Picture       noise = picture;
        const Picture quiet = CtLike(dimension, size, false);
        for (std::size_t i = 0; i < noise.values.size(); ++i)
        {
          noise.values[i] -= quiet.values[i];
        }
        values.emplace_back("noise", Moments(noise, 4, size - 4).second);
        values.emplace_back("noise_in_closed_form", CtNoise);
      }
      place.report.Add(
        { { "phantom", name }, { "dimension", static_cast<int>(dimension) }, { "size", static_cast<long>(size) } },
        values);
      place.Keep("phantom-" + name + "-" + std::to_string(dimension) + "d", picture);
    }
  }
}
} // namespace

std::vector<Experiment>
RotationExperiments()
{
  return { { "phantoms", "the phantoms' properties, with their closed forms", Properties },
           { "coefficients", "000, figure 1: coefficients of the prefilter, and bounds by taps", Coefficients },
           { "rotations-2d",
             "000, figures 2 to 4: 36 rotations by 10 degrees, and one",
             [](Workplace & place) { Rotate(place, 2); } },
           { "rotations-3d", "the same in a volume, about its diagonal", [](Workplace & place) {
              Rotate(place, 3);
            } } };
}
