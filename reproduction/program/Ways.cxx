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
#include "Ways.h"

#include "Workplace.h"

#include "Phantoms.h"

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <stdexcept>

using namespace itk::CudaSpline;

std::vector<std::pair<std::string, Picture>>
Workplace::Inputs(unsigned int dimension, const std::vector<std::string> & phantoms, std::int64_t size) const
{
  std::vector<std::pair<std::string, Picture>> inputs;
  for (const std::string & name : phantoms)
  {
    inputs.emplace_back(name, MakePhantom(name, dimension, size));
  }
  std::copy_if(pictures.begin(), pictures.end(), std::back_inserter(inputs), [&](const auto & named) {
    return named.second.dimension == dimension;
  });
  return inputs;
}

void
Workplace::Keep(const std::string & name, const Picture & picture) const
{
  if (!folder.empty())
  {
    WritePfm(folder + "/" + name + ".pfm", picture);
  }
}

Time
Workplace::Measure(const std::function<double()> & seconds) const
{
  seconds(); // loads the kernels, touches the pages
  std::vector<double> milliseconds;
  for (int i = 0; i < repetitions; ++i)
  {
    milliseconds.push_back(1e3 * seconds());
  }
  return Time::Of(milliseconds);
}

double
Workplace::WallClock(const std::function<void()> & run)
{
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Way
Way::Of(const std::string & name)
{
  Way        way;
  const auto ends = [&](const std::string & end) {
    return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  const auto begins = [&](const std::string & begin) { return name.rfind(begin, 0) == 0; };
  way.name = name;
  if (name == "nearest")
  {
    way.interpolation = Interpolation::Nearest;
    way.order = 0;
  }
  else if (name.rfind("linear", 0) == 0)
  {
    way.order = 1;
    way.interpolation = Interpolation::Linear;
    way.extension = Extension::Nearest;
  }
  else if (name.rfind("catmull-rom", 0) == 0)
  {
    way.interpolation = Interpolation::CubicConvolution;
    way.order = 0;
  }
  else if (name == "order-2" || name == "order-4" || name == "order-5")
  {
    way.order = static_cast<unsigned int>(name.back() - '0');
  }
  else if (name.rfind("cubic", 0) != 0)
  {
    throw std::invalid_argument("There is no way " + name + ".");
  }
  if (ends("-double"))
  {
    way.element = ScalarType::Float64;
  }
  else if (ends("-texture") || ends("-table"))
  {
    way.interpolation = Interpolation::BSpline;
    way.storage = CoefficientStorage::Texture;
    way.mode = ends("-table") ? EvaluationMode::TextureTable : EvaluationMode::Texture;
    way.tableEntries = ends("-table") ? SmallestTable : 0;
  }
  else if (ends("-half") || ends("-int16"))
  {
    way.storage = ends("-half") ? CoefficientStorage::Half : CoefficientStorage::Int16;
  }
  else if (ends("-unfiltered"))
  {
    way.method.kind = PrefilterMethod::Kind::Coefficients;
  }
  else if (name.rfind("cubic-fir", 0) == 0)
  {
    way.method.kind = PrefilterMethod::Kind::Fir;
    way.method.taps = std::stoi(name.substr(9));
  }
  else if (name != "nearest" && name != "linear" && name != "cubic" && name != "catmull-rom" && !begins("order-"))
  {
    throw std::invalid_argument("There is no way " + name + ".");
  }
  return way;
}

SourceDescriptor
Way::Describe(const Picture & picture) const
{
  SourceDescriptor descriptor;
  descriptor.dimension = picture.dimension;
  std::copy(picture.size.begin(), picture.size.end(), descriptor.size.begin());
  descriptor.pixel = element;
  descriptor.element = element;
  descriptor.order = order;
  descriptor.method = method;
  descriptor.storage = storage;
  descriptor.tableEntries = tableEntries;
  descriptor.extension.fill(extension);
  return descriptor;
}

IndexMap
IndexMap::Rotation(const std::array<std::int64_t, 3> & size, unsigned int dimension, double degrees)
{
  const double angle = degrees * 3.14159265358979323846 / 180.0;
  const double c = std::cos(angle), s = std::sin(angle);
  IndexMap     map;
  if (dimension == 2)
  {
    map.matrix[0] = { { c, -s, 0.0 } };
    map.matrix[1] = { { s, c, 0.0 } };
  }
  else
  {
    // Rodrigues, about (1, 1, 1) / sqrt(3).
    const double a = c + (1.0 - c) / 3.0;
    const double b = (1.0 - c) / 3.0;
    const double t = s / std::sqrt(3.0);
    map.matrix = { { { { a, b - t, b + t } }, { { b + t, a, b - t } }, { { b - t, b + t, a } } } };
  }
  for (unsigned int r = 0; r < dimension; ++r)
  {
    map.offset[r] = 0.5 * static_cast<double>(size[r] - 1);
    for (unsigned int k = 0; k < dimension; ++k)
    {
      map.offset[r] -= map.matrix[r][k] * 0.5 * static_cast<double>(size[k] - 1);
    }
  }
  return map;
}

IndexMap
IndexMap::Zoom(double factor)
{
  IndexMap map;
  for (unsigned int d = 0; d < 3; ++d)
  {
    map.matrix[d][d] = 1.0 / factor;
    map.offset[d] = 0.5 / factor - 0.5;
  }
  return map;
}

IndexMap
IndexMap::ScaleAndShift(const std::array<double, 3> & centre, double scale, const std::array<double, 3> & shift)
{
  IndexMap map;
  for (unsigned int d = 0; d < 3; ++d)
  {
    map.matrix[d][d] = scale;
    map.offset[d] = centre[d] - centre[d] * scale + shift[d];
  }
  return map;
}

std::array<double, 3>
IndexMap::Apply(const std::array<std::int64_t, 3> & index) const
{
  std::array<double, 3> place = offset;
  for (unsigned int r = 0; r < 3; ++r)
  {
    for (unsigned int c = 0; c < 3; ++c)
    {
      place[r] += matrix[r][c] * static_cast<double>(index[c]);
    }
  }
  return place;
}

namespace
{
template <typename TReal>
SourcePointer
MakeSourceAs(const SourceDescriptor & descriptor, const Picture & picture, const ExecutionContext & context)
{
  // A source of what needs no preparation refers to the pixels.
  const auto pixels = std::make_shared<const std::vector<TReal>>(picture.values.begin(), picture.values.end());
  const auto source = MakeSource(descriptor, pixels->data(), context);
  return SourcePointer(source.get(), [pixels, source](const SampleSource *) {});
}
} // namespace

SourcePointer
MakeSourceOf(const Way & way, const Picture & picture, const ExecutionContext & context)
{
  const SourceDescriptor descriptor = way.Describe(picture);
  return way.element == ScalarType::Float64 ? MakeSourceAs<double>(descriptor, picture, context)
                                            : MakeSourceAs<float>(descriptor, picture, context);
}

Resampling::Resampling(const Way &                         way,
                       const std::array<std::int64_t, 3> & input,
                       unsigned int                        dimension,
                       const IndexMap &                    map,
                       const std::array<std::int64_t, 3> & output)
  : m_Dimension(dimension)
  , m_Output(output)
{
  m_Ends.reserve(static_cast<std::size_t>(output[1] * output[2]) * 2 * dimension);
  for (std::int64_t z = 0; z < output[2]; ++z)
  {
    for (std::int64_t y = 0; y < output[1]; ++y)
    {
      for (const std::int64_t x : { std::int64_t{ 0 }, output[0] })
      {
        const std::array<double, 3> place = map.Apply({ { x, y, z } });
        m_Ends.insert(m_Ends.end(), place.begin(), place.begin() + dimension);
      }
    }
  }
  m_Descriptor.interpolation = way.interpolation;
  m_Descriptor.mode = way.mode;
  m_Descriptor.output = way.element;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    m_Descriptor.lower[d] = way.unbounded ? -1e9 : -0.5;
    m_Descriptor.upper[d] = way.unbounded ? 1e9 : static_cast<double>(input[d]) - 0.5;
  }
  m_Descriptor.samples = output[0];
  m_Descriptor.lines = output[1] * output[2];
  m_Descriptor.lineLength = output[0];
  m_Descriptor.sliceLines = dimension == 3 ? output[1] : 0;
  m_Descriptor.scanlineEnds = m_Ends.data();
}

Picture
Resampling::Run(const SampleSource & source, const ExecutionContext & context) const
{
  Picture picture;
  picture.dimension = m_Dimension;
  picture.size = m_Output;
  picture.values.resize(static_cast<std::size_t>(picture.Count()));
  if (m_Descriptor.output == ScalarType::Float64)
  {
    Resample(m_Descriptor, source, picture.values.data(), context);
  }
  else
  {
    std::vector<float> values(picture.values.size());
    Resample(m_Descriptor, source, values.data(), context);
    std::copy(values.begin(), values.end(), picture.values.begin());
  }
  return picture;
}

Picture
Resampled(const std::string &                 name,
          const Picture &                     picture,
          const IndexMap &                    map,
          const std::array<std::int64_t, 3> & output,
          const ExecutionContext &            context)
{
  const Way way = Way::Of(name);
  return Resampling(way, picture.size, picture.dimension, map, output)
    .Run(*MakeSourceOf(way, picture, context), context);
}
