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
#include "Timers.h"
#include "Ways.h"
#include "Workplace.h"

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/evaluation/ErrorBounds.h"
#include "itkCudaSpline/math/HalfPrecision.h"
#include "itkCudaSpline/math/SplineWeights.h"
#include "itkCudaSpline/math/TextureModel.h"

#if defined(CUDASPLINE_HAS_CUDA)
#  include "../../benchmark/kernels/TextureRamp.h"
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

/** \file
 * \brief Ruijters, ter Haar Romeny and Suetens \cite{Ruijters2008b}: weights from a lookup table and on the fly (table
 * 1), linear ramps (figure 3). */

namespace
{
using namespace itk::CudaSpline;

/** The published lookup table, on the host: 128 entries of g0 and the two fractions in 16 bits, fetched by linear
 * filtering, of which the result has 16 bits again; then four filtered fetches of the coefficients. */
class PublishedTable
{
public:
  explicit PublishedTable(const Picture & coefficients)
    : m_Coefficients(coefficients.values.begin(), coefficients.values.end())
    , m_Model{ m_Coefficients.data(), { coefficients.size[0], coefficients.size[1] } }
  {
    for (int k = 0; k < entries; ++k)
    {
      double w[4];
      SplineWeights<3>(static_cast<double>(k) / (entries - 1), w);
      m_Table[0].push_back(SixteenBits(w[0] + w[1]));
      m_Table[1].push_back(SixteenBits(w[1] / (w[0] + w[1])));
      m_Table[2].push_back(SixteenBits(w[3] / (w[2] + w[3])));
    }
  }

  double
  Value(double x, double y) const
  {
    const std::array<double, 2> at{ { x, y } };
    float                       g[2][2], h[2][2]; // by axis and pair
    for (unsigned int d = 0; d < 2; ++d)
    {
      const auto piece = static_cast<float>(std::floor(at[d]));
      const auto fraction = static_cast<float>(at[d] - std::floor(at[d]));
      g[d][0] = this->Entry(0, fraction);
      g[d][1] = 1.0F - g[d][0];
      h[d][0] = piece - 1.0F + this->Entry(1, fraction) + 0.5F;
      h[d][1] = piece + 1.0F + this->Entry(2, fraction) + 0.5F;
    }
    float sum = 0.0F;
    for (unsigned int corner = 0; corner < 4; ++corner)
    {
      const unsigned int i = corner & 1U, j = corner >> 1U;
      sum += g[0][i] * g[1][j] * m_Model({ h[0][i], h[1][j] });
    }
    return static_cast<double>(sum);
  }

private:
  static constexpr int entries = 128;

  static float
  SixteenBits(double value)
  {
    return static_cast<float>(std::round(value * 65535.0) / 65535.0);
  }

  float
  Entry(unsigned int which, float fraction) const
  {
    const TextureModel<1> table{ m_Table[which].data(), { entries } };
    return SixteenBits(static_cast<double>(table({ fraction * (entries - 1) + 0.5F })));
  }

  std::vector<float> m_Coefficients;
  TextureModel<2>    m_Model;
  std::vector<float> m_Table[3];
};

/** Table 1: errors of 256^2 pixels of grey values in [0, 1], and times. */
void
LookupTable(Workplace & place)
{
  const std::int64_t size = place.quick ? 64 : 256;
  const double       disk = 0.9; // no support reaches beyond the border
  for (auto [name, picture] : place.Inputs(2, { "shepp-logan", "zone-plate", "ct", "noise" }, size))
  {
    const double low = *std::min_element(picture.values.begin(), picture.values.end());
    const double range = picture.Range();
    for (double & value : picture.values)
    {
      value = (value - low) / range;
    }
    const std::array<std::int64_t, 3> output = picture.size;
    IndexMap                          map = IndexMap::Rotation(picture.size, 2, 10.0);
    const Picture                     exact = Resampled("cubic-double", picture, map, output, place.context);
    for (const int entries : { -1, 0, 128, 256, 1024, 4096 })
    {
      Way way = Way::Of(entries < 0 ? "cubic" : (entries == 0 ? "cubic-texture" : "cubic-table"));
      way.tableEntries = std::max(entries, 0);
      const Resampling resampling(way, picture.size, 2, map, output);
      const auto       source = MakeSourceOf(way, picture, place.context);
      const Difference error = Difference::Between(resampling.Run(*source, place.context), exact, disk);
      place.report.Add(
        { { "image", name }, { "way", way.name }, { "entries", way.tableEntries } },
        { { "sum_of_squares_of_256x256", error.rms * error.rms * 65536.0 },
          { "rms", error.rms },
          { "largest", error.largest },
          { "bound",
            entries < 0 ? std::nan("") : ModeErrorBound(resampling.GetDescriptor(), *source, place.context) } });
    }
    // What the paper describes, by a model of the hardware.
    SourceDescriptor descriptor = Way::Of("cubic-double").Describe(picture);
    Picture          coefficients = picture;
    Prefilter(descriptor, picture.values.data(), coefficients.values.data(), place.context);
    const PublishedTable table(coefficients);
    Picture              values = picture;
    for (std::int64_t i = 0; i < values.Count(); ++i)
    {
      const auto at = map.Apply({ { i % values.size[0], i / values.size[0], 0 } });
      values.values[static_cast<std::size_t>(i)] = table.Value(at[0], at[1]);
    }
    const Difference error = Difference::Between(values, exact, disk);
    place.report.Add({ { "image", name }, { "way", "table of 16 bits" }, { "entries", 128 } },
                     { { "sum_of_squares_of_256x256", error.rms * error.rms * 65536.0 },
                       { "rms", error.rms },
                       { "largest", error.largest } });
  }
  if (place.OnDevice())
  {
    const std::vector<std::pair<unsigned int, std::int64_t>> sizes = { { 2, 4096 }, { 3, 256 } };
    for (const auto & [dimension, edge] : sizes)
    {
      const std::array<std::int64_t, 3> volume{ { edge, edge, dimension == 3 ? edge : 1 } };
      for (const std::string name : { "cubic", "cubic-texture", "cubic-table", "linear-texture" })
      {
        EvaluationTimer timer(
          Way::Of(name), volume, dimension, IndexMap::Rotation(volume, dimension, 10.0), volume, place.context);
        place.report.Add(
          { { "way", name }, { "dimension", static_cast<int>(dimension) }, { "size", static_cast<long>(edge) } },
          { { "time", place.Measure([&] { return timer.Run(); }) } });
      }
    }
  }
}

/** Values between 0 and 1 of a ramp: how many there are, and how far from the line and from the line in 256 steps. */
void
AddRamp(Workplace & place, const std::string & format, const std::string & who, const std::vector<double> & values)
{
  const auto       count = static_cast<double>(values.size() - 1);
  double           line = 0.0, steps = 0.0;
  std::set<double> distinct;
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    const double fraction = static_cast<double>(i) / count;
    line = std::max(line, std::abs(values[i] - fraction));
    steps = std::max(steps, std::abs(values[i] - std::round(256.0 * fraction) / 256.0));
    distinct.insert(values[i]);
  }
  place.report.Add({ { "format", format }, { "by", who }, { "samples", static_cast<int>(values.size()) } },
                   { { "distinct_values", static_cast<int>(distinct.size()) },
                     { "largest_departure_from_the_line", line },
                     { "largest_departure_from_256_steps", steps },
                     { "ramp", values } });
}

/** Figure 3: linear interpolation between 0 and the smallest step of 16-bit integers. */
void
Ramps(Workplace & place)
{
  for (const int samples : { 256, 1024 })
  {
    const float         texels[2] = { 0.0F, 1.0F };
    TextureModel<1>     model{ texels, { 2 } };
    std::vector<double> linear, staircase;
    for (int i = 0; i < samples; ++i)
    {
      const float fraction = static_cast<float>(i) / static_cast<float>(samples - 1);
      linear.push_back(static_cast<double>(model({ 0.5F + fraction })));
      staircase.push_back(std::floor(static_cast<double>(fraction) + 0.5));
    }
    AddRamp(place, "32-bit float", "the model", linear);
    AddRamp(place, "16-bit integer", "the paper", staircase);
#if defined(CUDASPLINE_HAS_CUDA)
    if (place.OnDevice())
    {
      const double step = 1.0 / 65535.0;
      struct
      {
        const char * name;
        RampFormat   format;
        float        texel;
        double       unit; ///< what the upper texel is read as
      } const formats[] = { { "8-bit integer", RampFormat::Integer8, 1.0F, 1.0 / 255.0 },
                            { "16-bit integer", RampFormat::Integer16, 1.0F, step },
                            { "16-bit float",
                              RampFormat::Half,
                              static_cast<float>(step),
                              static_cast<double>(HalfToFloat(FloatToHalf(static_cast<float>(step)))) },
                            // A sixteenth of the step has 16 halves below it.
                            { "16-bit float, a sixteenth",
                              RampFormat::Half,
                              static_cast<float>(step / 16.0),
                              static_cast<double>(HalfToFloat(FloatToHalf(static_cast<float>(step / 16.0)))) },
                            { "32-bit float", RampFormat::Float, static_cast<float>(step), step } };
      for (const auto & format : formats)
      {
        std::vector<double> values;
        for (const float value : FetchRamp(format.format, format.texel, samples, place.context))
        {
          values.push_back(static_cast<double>(value) / format.unit);
        }
        AddRamp(place, format.name, "the device", values);
      }
    }
#endif
  }
}

} // namespace

std::vector<Experiment>
TextureExperiments()
{
  return { { "lookup-table", "003, table 1: weights from a table and on the fly", LookupTable },
           { "ramps", "003, figure 3: linear interpolation by texel format", Ramps } };
}
