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
#include "itkCudaSpline/math/CubicConvolution.h"
#include "itkCudaSpline/math/SplineWeights.h"
#include "itkCudaSpline/math/TextureModel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

/** \file
 * \brief The tutorial of Vitality Learning \cite{VitalityLearning}: its listings as printed, on a model of a texture,
 * and the same interpolation corrected; the check of exercise 3; PGM in and out. */

namespace
{
using namespace itk::CudaSpline;

/** A two-dimensional texture of floats. Edges are continued; coordinates are in texels, and the centre of the first is
 * 1/2. */
class Texture
{
public:
  explicit Texture(const Picture & picture)
    : m_Texels(picture.values.begin(), picture.values.end())
    , m_Model{ m_Texels.data(), { picture.size[0], picture.size[1] } }
  {}

  /** A linearly filtered fetch. */
  float
  Filtered(float x, float y) const
  {
    return m_Model({ x, y });
  }

  /** The texel in which the coordinates fall. */
  float
  Point(float x, float y) const
  {
    const auto column = std::clamp(static_cast<std::int64_t>(std::floor(x)), std::int64_t{ 0 }, m_Model.size[0] - 1);
    const auto row = std::clamp(static_cast<std::int64_t>(std::floor(y)), std::int64_t{ 0 }, m_Model.size[1] - 1);
    return m_Texels[static_cast<std::size_t>(row * m_Model.size[0] + column)];
  }

private:
  std::vector<float> m_Texels;
  TextureModel<2>    m_Model;
};

using Weights = std::array<float, 4>;

Weights
CubicWeights(float fraction)
{
  Weights w;
  SplineWeights<3>(fraction, w.data());
  return w;
}

Weights
CatmullWeights(float fraction)
{
  Weights w;
  CubicConvolutionWeights(fraction, 0.0F, 0.5F, w.data());
  return w;
}

/** Listing 8: a filtered fetch at the centre of the texel. */
float
PrintedFetch(const Texture & texture, float x, float y)
{
  return texture.Filtered(x + 0.5F, y + 0.5F);
}

/** Listings 9 and 10: half a texel is added before the floor, and once more within h. */
float
PrintedFiltering(const Texture & texture, float x, float y)
{
  const float   column = std::floor(x + 0.5F), row = std::floor(y + 0.5F);
  const Weights u = CubicWeights(x + 0.5F - column), v = CubicWeights(y + 0.5F - row);
  float         sum = 0.0F;
  for (unsigned int j = 0; j < 2; ++j)
  {
    for (unsigned int i = 0; i < 2; ++i)
    {
      const float gu = u[2 * i] + u[2 * i + 1], gv = v[2 * j] + v[2 * j + 1];
      const float hu = 2.0F * static_cast<float>(i) - 1.0F + u[2 * i + 1] / gu + 0.5F;
      const float hv = 2.0F * static_cast<float>(j) - 1.0F + v[2 * j + 1] / gv + 0.5F;
      sum += gu * gv * texture.Filtered(column + hu, row + hv);
    }
  }
  return sum;
}

/** The lookups of exercises 1, 4 and 5: half a texel is added before the floor, and point fetches do not take it away.
 */
template <typename TWeights>
float
PrintedLookup(const Texture & texture, float x, float y, int first, int count, const TWeights & weights)
{
  const float column = std::floor(x + 0.5F), row = std::floor(y + 0.5F);
  const auto  u = weights(x + 0.5F - column), v = weights(y + 0.5F - row);
  float       sum = 0.0F;
  for (int j = 0; j < count; ++j)
  {
    for (int i = 0; i < count; ++i)
    {
      sum += u[static_cast<std::size_t>(i)] * v[static_cast<std::size_t>(j)] *
             texture.Point(column + static_cast<float>(first + i), row + static_cast<float>(first + j));
    }
  }
  return sum;
}

float
PrintedBilinear(const Texture & texture, float x, float y)
{
  return PrintedLookup(texture, x, y, 0, 2, [](float f) { return std::array<float, 2>{ { 1.0F - f, f } }; });
}

float
PrintedBicubic(const Texture & texture, float x, float y)
{
  return PrintedLookup(texture, x, y, -1, 4, CubicWeights);
}

float
PrintedCatmullRom(const Texture & texture, float x, float y)
{
  return PrintedLookup(texture, x, y, -1, 4, CatmullWeights);
}

/** A listing, and the way of the library that computes what it is meant to. */
struct Listing
{
  std::string                                             name;
  std::function<float(const Texture &, float x, float y)> printed;
  std::string                                             way;       ///< the same weights, where they belong
  std::string                                             corrected; ///< with a prefilter, where one is missing
};

const std::vector<Listing> listings{
  { "listing 8, linear by filtering", PrintedFetch, "linear", "linear" },
  { "listing 9, cubic by filtering", PrintedFiltering, "cubic-unfiltered", "cubic" },
  { "exercise 1, linear by lookup", PrintedBilinear, "linear", "linear" },
  { "exercise 4, cubic by lookup", PrintedBicubic, "cubic-unfiltered", "cubic" },
  { "exercise 5, Catmull-Rom by lookup", PrintedCatmullRom, "catmull-rom", "catmull-rom" }
};

/** A case of the figures. */
struct Case
{
  std::string name;
  double      scale;
  double      shift;
};
const std::vector<Case> cases{ { "as it is", 1.0, 0.0 },
                               { "figure 16", 2.0, 0.0 },
                               { "figure 17", 0.5, 0.0 },
                               { "figures 18 to 24", 0.125, 100.0 } };

IndexMap
MapOf(const Picture & picture, const Case & which, double more)
{
  const double x = std::floor(0.5 * static_cast<double>(picture.size[0]));
  const double y = std::floor(0.5 * static_cast<double>(picture.size[1]));
  const double shift = which.shift * static_cast<double>(picture.size[0]) / 512.0;
  return IndexMap::ScaleAndShift({ { x, y, 0.0 } }, which.scale, { { shift + more, shift + more, 0.0 } });
}

Picture
Printed(const Listing & listing, const Picture & picture, const IndexMap & map)
{
  const Texture texture(picture);
  Picture       result = picture;
  for (std::int64_t i = 0; i < picture.Count(); ++i)
  {
    const auto at = map.Apply({ { i % picture.size[0], i / picture.size[0], 0 } });
    result.values[static_cast<std::size_t>(i)] =
      static_cast<double>(listing.printed(texture, static_cast<float>(at[0]), static_cast<float>(at[1])));
  }
  return result;
}

/** The part of the output whose support is within the input, as the largest radius of a disk. */
double
RadiusOf(const Picture & picture, const Case & which)
{
  // The support of outputs at this radius reaches to 8 samples from the border of the input.
  const double half = 0.5 * static_cast<double>(std::min(picture.size[0], picture.size[1]) - 1);
  const double shift = which.shift * static_cast<double>(picture.size[0]) / 512.0 * std::sqrt(2.0);
  return std::min(1.0, (half - 8.0 - shift) / (half * which.scale));
}

void
Tutorial(Workplace & place)
{
  for (const auto & [name, picture] : place.Inputs(2, { "shepp-logan", "zone-plate" }, place.quick ? 128 : 512))
  {
    for (const Case & which : cases)
    {
      const double radius = RadiusOf(picture, which);
      for (const Listing & listing : listings)
      {
        const Picture printed = Printed(listing, picture, MapOf(picture, which, 0.0));
        const Picture same = Resampled(listing.way, picture, MapOf(picture, which, 0.0), picture.size, place.context);
        const Picture half = Resampled(listing.way, picture, MapOf(picture, which, 0.5), picture.size, place.context);
        const Picture corrected =
          Resampled(listing.corrected, picture, MapOf(picture, which, 0.0), picture.size, place.context);
        Report::Fields values{
          { "printed_less_library", Difference::Between(printed, same, radius).rms },
          { "printed_less_library_half_a_sample_on", Difference::Between(printed, half, radius).rms },
          { "printed_less_corrected", Difference::Between(printed, corrected, radius).rms },
        };
        if (which.scale == 1.0 && which.shift == 0.0)
        {
          values.emplace_back("printed_less_original", Difference::Between(printed, picture, radius).rms);
          values.emplace_back("corrected_less_original", Difference::Between(corrected, picture, radius).rms);
        }
        place.report.Add({ { "image", name }, { "case", which.name }, { "listing", listing.name } }, values);
        const std::string file = "tutorial-" + name + "-" + which.name + "-" + listing.name;
        place.Keep(file + "-printed", printed);
        place.Keep(file + "-corrected", corrected);
      }
      Way clamped = Way::Of("nearest"); // what the figures show outside of the image
      clamped.unbounded = true;
      clamped.extension = Extension::Nearest;
      place.Keep("tutorial-" + name + "-" + which.name + "-nearest",
                 Resampling(clamped, picture.size, 2, MapOf(picture, which, 0.0), picture.size)
                   .Run(*MakeSourceOf(clamped, picture, place.context), place.context));
    }
  }
}

/** Exercises 3 and 5: is the fraction within a pair of taps one that a filtered fetch can have? */
void
Fractions(Workplace & place)
{
  const auto ratios = [&](const std::string & name, const std::function<Weights(float)> & weights) {
    for (const unsigned int first : { 0U, 2U })
    {
      double low = 1e30, high = -1e30;
      for (int i = 0; i <= 1000; ++i)
      {
        const Weights w = weights(static_cast<float>(i) / 1000.0F);
        const double  sum = static_cast<double>(w[first]) + static_cast<double>(w[first + 1]);
        if (std::abs(sum) > 1e-6)
        {
          low = std::min(low, static_cast<double>(w[first + 1]) / sum);
          high = std::max(high, static_cast<double>(w[first + 1]) / sum);
        }
      }
      place.report.Add({ { "weights", name }, { "pair", static_cast<int>(first / 2) } },
                       { { "smallest", low }, { "largest", high } });
    }
  };
  ratios("cubic B-spline", CubicWeights);
  ratios("Catmull-Rom", CatmullWeights);

  // Listing 8 writes outSample * 0xff into a byte: what becomes of the byte that was read as a fraction of 255.
  int lost = 0;
  for (int grey = 0; grey < 256; ++grey)
  {
    const float fraction = static_cast<float>(grey) / 255.0F;
    lost += static_cast<int>(fraction * 255.0F) != grey ? 1 : 0;
  }
  place.report.Add({ { "what", "bytes that a fraction of 255 does not reproduce, truncated" } }, { { "count", lost } });

  if (!place.folder.empty())
  {
    for (const int largest : { 255, 65535 })
    {
      Picture volume = Noise(3, 9);
      for (double & value : volume.values)
      {
        value = std::floor(value * static_cast<double>(largest) / 255.0);
      }
      const std::string file = place.folder + "/round-trip-" + std::to_string(largest) + ".pgm";
      WritePgm(file, volume, largest);
      place.report.Add({ { "what", "PGM written and read" }, { "largest", largest } },
                       { { "difference", Difference::Between(volume, ReadPgm(file), 0.0).largest } });
    }
  }
}

} // namespace

std::vector<Experiment>
TutorialExperiments()
{
  return { { "tutorial", "002, figures 15 to 24: listings as printed and corrected", Tutorial },
           { "fractions", "002, exercises 3 and 5, bytes, PGM in and out", Fractions } };
}
