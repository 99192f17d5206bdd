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

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <stdexcept>

namespace
{
constexpr double pi = 3.14159265358979323846;

/** An ellipsoid with a value that is added within it. */
struct Ellipsoid
{
  double value;
  double half[3];   ///< half axes
  double centre[3]; ///< place
  double angle;     ///< turn about z (degrees)
};

/** An ellipsoid, ready for many questions. */
class Region
{
public:
  Region(const Ellipsoid & shape, unsigned int dimension)
    : m_Shape(shape)
    , m_Dimension(dimension)
    , m_Cosine(std::cos(shape.angle * pi / 180.0))
    , m_Sine(std::sin(shape.angle * pi / 180.0))
    , m_Smallest(std::min({ shape.half[0], shape.half[1], dimension == 3 ? shape.half[2] : shape.half[0] }))
  {}

  double
  Value() const
  {
    return m_Shape.value;
  }

  /** Distance from the centre in half axes: at most 1 within. */
  double
  Distance(const double * place) const
  {
    const double x = place[0] - m_Shape.centre[0], y = place[1] - m_Shape.centre[1];
    const double u = (m_Cosine * x + m_Sine * y) / m_Shape.half[0];
    const double v = (m_Cosine * y - m_Sine * x) / m_Shape.half[1];
    const double w = m_Dimension == 3 ? (place[2] - m_Shape.centre[2]) / m_Shape.half[2] : 0.0;
    return std::sqrt(u * u + v * v + w * w);
  }

  /** True where the border may be nearer to the place than this: the distance changes by at most 1 by half axis. */
  bool
  BorderWithin(const double * place, double length) const
  {
    return std::abs(this->Distance(place) - 1.0) <= length / m_Smallest;
  }

private:
  Ellipsoid    m_Shape;
  unsigned int m_Dimension;
  double       m_Cosine;
  double       m_Sine;
  double       m_Smallest;
};

constexpr std::array<Ellipsoid, 10> head{ { { 1.0, { 0.69, 0.92, 0.81 }, { 0.0, 0.0, 0.0 }, 0.0 },
                                            { -0.8, { 0.6624, 0.874, 0.78 }, { 0.0, -0.0184, 0.0 }, 0.0 },
                                            { -0.2, { 0.11, 0.31, 0.22 }, { 0.22, 0.0, 0.0 }, -18.0 },
                                            { -0.2, { 0.16, 0.41, 0.28 }, { -0.22, 0.0, 0.0 }, 18.0 },
                                            { 0.1, { 0.21, 0.25, 0.41 }, { 0.0, 0.35, -0.15 }, 0.0 },
                                            { 0.1, { 0.046, 0.046, 0.05 }, { 0.0, 0.1, 0.25 }, 0.0 },
                                            { 0.1, { 0.046, 0.046, 0.05 }, { 0.0, -0.1, 0.25 }, 0.0 },
                                            { 0.1, { 0.046, 0.023, 0.05 }, { -0.08, -0.605, 0.0 }, 0.0 },
                                            { 0.1, { 0.023, 0.023, 0.02 }, { 0.0, -0.606, 0.0 }, 0.0 },
                                            { 0.1, { 0.023, 0.046, 0.05 }, { 0.06, -0.605, 0.0 }, 0.0 } } };

// Hounsfield units above air: body, lungs, spine and ribs, vessels with contrast agent, a calcification, fat.
constexpr std::array<Ellipsoid, 9> body{ { { 1040.0, { 0.85, 0.65, 0.9 }, { 0.0, 0.0, 0.0 }, 0.0 },
                                           { -840.0, { 0.28, 0.42, 0.6 }, { -0.42, -0.05, 0.0 }, 8.0 },
                                           { -840.0, { 0.28, 0.42, 0.6 }, { 0.42, -0.05, 0.0 }, -8.0 },
                                           { 860.0, { 0.10, 0.08, 0.8 }, { 0.0, 0.48, 0.0 }, 0.0 },
                                           { 300.0, { 0.08, 0.08, 0.7 }, { 0.02, 0.1, 0.0 }, 0.0 },
                                           { 280.0, { 0.03, 0.03, 0.5 }, { -0.06, -0.15, 0.0 }, 0.0 },
                                           { 1300.0, { 0.02, 0.012, 0.05 }, { 0.1, -0.25, 0.0 }, 20.0 },
                                           { -140.0, { 0.06, 0.2, 0.3 }, { 0.0, -0.35, 0.0 }, 0.0 },
                                           { 700.0, { 0.03, 0.06, 0.3 }, { 0.7, 0.1, 0.0 }, 30.0 } } };
constexpr double                   air = -1000.0;

Picture
Square(unsigned int dimension, std::int64_t size)
{
  return Picture::Of(std::vector<std::int64_t>(dimension, size));
}

/** Sets each sample to a function of its index. */
void
Fill(Picture & picture, const std::function<double(const std::array<std::int64_t, 3> &)> & value)
{
  std::size_t i = 0;
  for (std::int64_t z = 0; z < picture.size[2]; ++z)
  {
    for (std::int64_t y = 0; y < picture.size[1]; ++y)
    {
      for (std::int64_t x = 0; x < picture.size[0]; ++x)
      {
        picture.values[i++] = value({ { x, y, z } });
      }
    }
  }
}

/** The sum of ellipsoids as the mean over 4 points an axis and sample, where a border is near. */
template <std::size_t VCount>
Picture
Rasterized(const std::array<Ellipsoid, VCount> & shapes, unsigned int dimension, std::int64_t size)
{
  constexpr int       points = 4;
  Picture             picture = Square(dimension, size);
  const double        step = 2.0 / static_cast<double>(size);
  const int           depth = dimension == 3 ? points : 1;
  std::vector<Region> regions;
  for (const Ellipsoid & shape : shapes)
  {
    regions.emplace_back(shape, dimension);
  }
  Fill(picture, [&](const std::array<std::int64_t, 3> & index) {
    double centre[3];
    for (unsigned int d = 0; d < 3; ++d)
    {
      centre[d] = -1.0 + step * (static_cast<double>(index[d]) + 0.5);
    }
    double sum = 0.0;
    for (const Region & region : regions)
    {
      if (!region.BorderWithin(centre, 0.5 * step * std::sqrt(static_cast<double>(dimension))))
      {
        sum += region.Distance(centre) <= 1.0 ? region.Value() : 0.0;
        continue;
      }
      int within = 0;
      for (int k = 0; k < points * points * depth; ++k)
      {
        const int offset[3] = { k % points, k / points % points, k / (points * points) };
        double    place[3];
        for (unsigned int d = 0; d < 3; ++d)
        {
          place[d] = centre[d] + step * ((offset[d] + 0.5) / points - 0.5);
        }
        within += region.Distance(place) <= 1.0 ? 1 : 0;
      }
      sum += region.Value() * within / (points * points * depth);
    }
    return sum;
  });
  return picture;
}

/** A convolution with a sampled Gaussian of the sum 1; lines are continued by their end samples. Returns the sum of its
 * squares. */
double
Blur(Picture & picture, double deviation)
{
  const int           reach = static_cast<int>(std::ceil(5.0 * deviation));
  std::vector<double> taps;
  double              sum = 0.0;
  for (int k = -reach; k <= reach; ++k)
  {
    taps.push_back(std::exp(-0.5 * k * k / (deviation * deviation)));
    sum += taps.back();
  }
  double squares = 0.0;
  for (double & tap : taps)
  {
    tap /= sum;
    squares += tap * tap;
  }
  std::int64_t stride = 1;
  for (unsigned int d = 0; d < picture.dimension; ++d)
  {
    const std::vector<double> before = picture.values;
    for (std::int64_t i = 0; i < picture.Count(); ++i)
    {
      const std::int64_t place = i / stride % picture.size[d];
      double             value = 0.0;
      for (int k = -reach; k <= reach; ++k)
      {
        const std::int64_t there = std::min(std::max<std::int64_t>(place + k, 0), picture.size[d] - 1);
        value +=
          taps[static_cast<std::size_t>(k + reach)] * before[static_cast<std::size_t>(i + (there - place) * stride)];
      }
      picture.values[static_cast<std::size_t>(i)] = value;
    }
    stride *= picture.size[d];
  }
  return squares;
}

/** In [0, 1): written out, since the library's distributions differ from one implementation to the next. */
double
Uniform(std::mt19937_64 & random)
{
  return static_cast<double>(random() >> 11) * (1.0 / 9007199254740992.0);
}
} // namespace

Picture
SheppLogan(unsigned int dimension, std::int64_t size)
{
  Picture picture = Rasterized(head, dimension, size);
  for (double & value : picture.values)
  {
    value *= 255.0;
  }
  return picture;
}

double
SheppLoganIntegral(unsigned int dimension)
{
  double sum = 0.0;
  for (const Ellipsoid & shape : head)
  {
    const double area = pi * shape.half[0] * shape.half[1];
    sum += 255.0 * shape.value * (dimension == 3 ? area * shape.half[2] * 4.0 / 3.0 : area);
  }
  return sum;
}

double
ZonePlateAt(unsigned int dimension, std::int64_t size, const double * index, double frequency)
{
  double squares = 0.0;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    const double x = index[d] - 0.5 * static_cast<double>(size - 1);
    squares += x * x;
  }
  return 127.5 * (1.0 + std::cos(pi * frequency * squares / (0.5 * static_cast<double>(size))));
}

Picture
ZonePlate(unsigned int dimension, std::int64_t size, double frequency)
{
  Picture picture = Square(dimension, size);
  Fill(picture, [&](const std::array<std::int64_t, 3> & index) {
    const double place[3] = { static_cast<double>(index[0]),
                              static_cast<double>(index[1]),
                              static_cast<double>(index[2]) };
    return ZonePlateAt(dimension, size, place, frequency);
  });
  return picture;
}

Picture
CtLike(unsigned int dimension, std::int64_t size, bool withNoise)
{
  Picture picture = Rasterized(body, dimension, size);
  for (double & value : picture.values)
  {
    value += air;
  }
  Blur(picture, CtSpread);
  if (withNoise)
  {
    Picture         noise = Square(dimension, size);
    std::mt19937_64 random(20240711);
    for (double & value : noise.values)
    {
      // Box and Muller.
      const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform(random)));
      value = radius * std::cos(2.0 * pi * Uniform(random));
    }
    const double squares = Blur(noise, CtSpread);
    const double gain = CtNoise / std::pow(squares, 0.5 * dimension);
    for (std::size_t i = 0; i < noise.values.size(); ++i)
    {
      picture.values[i] += gain * noise.values[i];
    }
  }
  return picture;
}

Picture
Noise(unsigned int dimension, std::int64_t size)
{
  Picture         picture = Square(dimension, size);
  std::mt19937_64 random(12345);
  for (double & value : picture.values)
  {
    value = 255.0 * Uniform(random);
  }
  return picture;
}

std::vector<std::string>
PhantomNames()
{
  return { "shepp-logan", "zone-plate", "ct", "noise" };
}

Picture
MakePhantom(const std::string & name, unsigned int dimension, std::int64_t size)
{
  if (name == "shepp-logan")
  {
    return SheppLogan(dimension, size);
  }
  if (name == "zone-plate")
  {
    return ZonePlate(dimension, size);
  }
  if (name == "ct")
  {
    return CtLike(dimension, size);
  }
  if (name == "noise")
  {
    return Noise(dimension, size);
  }
  throw std::invalid_argument("There is no phantom " + name + "; there are shepp-logan, zone-plate, ct and noise.");
}
