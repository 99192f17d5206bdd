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

#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"
#include "itkCudaSpline/math/SplineWeights.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief Ruijters, ter Haar Romeny and Suetens \cite{Ruijters2008b}: the artefact in a B-spline deformation (figure 1),
 * the truncation of the pseudo code. */

namespace
{
using namespace itk::CudaSpline;

/** Largest and RMS second difference along x. */
std::pair<double, double>
Bends(const Picture & field)
{
  double       largest = 0.0, squares = 0.0;
  std::int64_t count = 0;
  for (std::int64_t y = 0; y < field.size[1]; ++y)
  {
    for (std::int64_t x = 1; x + 1 < field.size[0]; ++x)
    {
      const double * const at = field.values.data() + y * field.size[0] + x;
      const double         bend = std::abs(at[-1] - 2.0 * at[0] + at[1]);
      largest = std::max(largest, bend);
      squares += bend * bend;
      ++count;
    }
  }
  return { largest, std::sqrt(squares / static_cast<double>(count)) };
}

/** Figure 1: a displacement field from a coarse grid of coefficients, evaluated at each pixel; an image under it. */
void
Deform(Workplace & place, std::int64_t cells)
{
  const std::int64_t size = place.quick ? 128 : 512;
  const std::string  file = "deformation-" + std::to_string(cells) + "-";
  const double       pitch = static_cast<double>(size) / static_cast<double>(cells);
  std::mt19937_64    random(4711);
  Picture            coefficients[2] = { Picture::Of({ cells + 3, cells + 3 }), Picture::Of({ cells + 3, cells + 3 }) };
  for (Picture & one : coefficients)
  {
    for (double & value : one.values)
    {
      value = (static_cast<double>(random() >> 11) / 9007199254740992.0 - 0.5) * pitch; // up to half a cell (pixels)
    }
  }
  IndexMap map; // from pixels to the grid, whose first cell begins at its index 1
  for (unsigned int d = 0; d < 2; ++d)
  {
    map.matrix[d][d] = 1.0 / pitch;
    map.offset[d] = 1.0 + 0.5 / pitch;
  }
  Picture lines = Picture::Of({ size, size });
  for (std::int64_t i = 0; i < lines.Count(); ++i)
  {
    const double x = static_cast<double>(i % size), y = static_cast<double>(i / size);
    lines.values[static_cast<std::size_t>(i)] = 127.5 + 63.75 * (std::sin(x * 0.5) + std::sin(y * 0.5));
  }
  const std::vector<std::pair<std::string, Picture>> inputs{ { "lines", lines },
                                                             { "shepp-logan", SheppLogan(2, size) } };
  Picture                                            exact[2];
  Picture                                            exactWarped[2];
  for (const std::string name : { "cubic-double", "cubic", "cubic-texture", "cubic-table" })
  {
    Way way = Way::Of(name);
    way.method.kind = PrefilterMethod::Kind::Coefficients;
    Picture field[2];
    for (unsigned int d = 0; d < 2; ++d)
    {
      field[d] = Resampling(way, coefficients[d].size, 2, map, { { size, size, 1 } })
                   .Run(*MakeSourceOf(way, coefficients[d], place.context), place.context);
      exact[d] = name == "cubic-double" ? field[d] : exact[d];
    }
    const Difference error = Difference::Between(field[0], exact[0], 0.0);
    const auto [largest, rms] = Bends(field[0]);
    Picture departure = field[0];
    for (std::size_t i = 0; i < departure.values.size(); ++i)
    {
      departure.values[i] -= exact[0].values[i];
    }
    place.report.Add(
      { { "what", "displacement along x (pixels)" }, { "cells", static_cast<int>(cells) }, { "way", name } },
      { { "error_rms", error.rms },
        { "error_largest", error.largest },
        { "second_difference_rms", rms },
        { "second_difference_largest", largest },
        { "second_difference_of_error_rms", Bends(departure).second } });
    place.Keep(file + "field-" + name, field[0]);
    // The image itself by the exact cubic, so that the field alone makes the difference.
    std::vector<double> points;
    for (std::int64_t i = 0; i < field[0].Count(); ++i)
    {
      points.push_back(static_cast<double>(i % size) + field[0].values[static_cast<std::size_t>(i)]);
      points.push_back(static_cast<double>(i / size) + field[1].values[static_cast<std::size_t>(i)]);
    }
    for (std::size_t k = 0; k < inputs.size(); ++k)
    {
      const auto       source = MakeSourceOf(Way::Of("cubic-double"), inputs[k].second, place.context);
      Picture          warped = inputs[k].second;
      PointsDescriptor wanted;
      wanted.interpolation = Interpolation::BSpline;
      wanted.lower.fill(-0.5);
      wanted.upper.fill(static_cast<double>(size) - 0.5);
      wanted.count = warped.Count();
      wanted.points = points.data();
      wanted.values = warped.values.data();
      SamplePoints(wanted, *source, place.context);
      exactWarped[k] = name == "cubic-double" ? warped : exactWarped[k];
      const Difference difference = Difference::Between(warped, exactWarped[k], 0.0);
      place.report.Add({ { "what", "image under it" },
                         { "image", inputs[k].first },
                         { "cells", static_cast<int>(cells) },
                         { "way", name } },
                       { { "rms", difference.rms }, { "largest", difference.largest } });
      place.Keep(file + inputs[k].first + "-" + name, warped);
    }
  }
}

/** Cells of 64 pixels, as registrations have them, and of 512, whose steps are large enough to be seen in an image. */
void
Deformation(Workplace & place)
{
  Deform(place, 8);
  Deform(place, 1);
}

/** The pseudo code's int2(): truncation towards 0, where a floor is meant; what it gives left of the first sample. */
void
Truncation(Workplace & place)
{
  const std::vector<double> c{ 0.0, 1.0, 0.25, 0.75, 0.5 };
  const auto                value = [&](double x, double start) {
    double w[4];
    SplineWeights<3>(x - start, w);
    double sum = 0.0;
    for (int k = 0; k < 4; ++k)
    {
      const int at = std::clamp(static_cast<int>(start) - 1 + k, 0, static_cast<int>(c.size()) - 1);
      sum += w[k] * c[static_cast<std::size_t>(at)];
    }
    return sum;
  };
  for (const double x : { -0.5, -0.25, 0.25, 1.5 })
  {
    place.report.Add({ { "x", x } },
                     { { "with_truncation", value(x, std::trunc(x)) }, { "with_floor", value(x, std::floor(x)) } });
  }
}
} // namespace

std::vector<Experiment>
DeformationExperiments()
{
  return { { "deformation", "003, figure 1: a B-spline deformation by texture and exactly", Deformation },
           { "truncation", "003, appendix 1: int2() where a floor is meant", Truncation } };
}
