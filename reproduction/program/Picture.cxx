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
#include "Picture.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <fstream>
#include <istream>
#include <stdexcept>

namespace
{
/** The next number of a header or of text pixels; comments go from # to the end of their line. Negative: none. */
long
NextNumber(std::istream & stream)
{
  for (int c = stream.peek(); c == '#' || std::isspace(c); c = stream.peek())
  {
    if (c == '#')
    {
      std::string comment;
      std::getline(stream, comment);
    }
    else
    {
      stream.get();
    }
  }
  long number = -1;
  return stream >> number ? number : -1;
}

/** One image of a PGM file, appended. */
void
ReadImage(std::istream & stream, bool binary, long width, long height, long largest, std::vector<double> & values)
{
  for (long i = 0; i < width * height; ++i)
  {
    long value = -1;
    if (binary)
    {
      const int high = largest > 255 ? stream.get() : 0; // 16 bits: the high byte first
      const int low = stream.get();
      value = stream ? 256L * high + low : -1;
    }
    else
    {
      value = NextNumber(stream);
    }
    if (value < 0 || value > largest)
    {
      throw std::runtime_error("pixels are missing, or larger than the header says");
    }
    values.push_back(static_cast<double>(value));
  }
}
} // namespace

Picture
Picture::Of(const std::vector<std::int64_t> & edges, double value)
{
  Picture picture;
  picture.dimension = static_cast<unsigned int>(edges.size());
  std::copy(edges.begin(), edges.end(), picture.size.begin());
  picture.values.assign(static_cast<std::size_t>(picture.Count()), value);
  return picture;
}

double
Picture::Range() const
{
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}

Difference
Difference::Between(const Picture & one, const Picture & other, double radius)
{
  if (one.size != other.size)
  {
    throw std::invalid_argument("Pictures of different sizes have no difference.");
  }
  std::vector<double> errors;
  double              squares = 0.0;
  for (std::int64_t i = 0; i < one.Count(); ++i)
  {
    std::int64_t rest = i;
    double       distance = 0.0;
    for (unsigned int d = 0; d < one.dimension; ++d)
    {
      const double half = 0.5 * static_cast<double>(one.size[d] - 1);
      const double place = (static_cast<double>(rest % one.size[d]) - half) / half;
      distance += place * place;
      rest /= one.size[d];
    }
    if (radius > 0.0 && distance > radius * radius)
    {
      continue;
    }
    const double error = std::abs(one.values[static_cast<std::size_t>(i)] - other.values[static_cast<std::size_t>(i)]);
    errors.push_back(error);
    squares += error * error;
  }
  Difference difference;
  difference.count = static_cast<std::int64_t>(errors.size());
  if (!errors.empty())
  {
    difference.largest = *std::max_element(errors.begin(), errors.end());
    difference.rms = std::sqrt(squares / static_cast<double>(errors.size()));
    const auto place = static_cast<std::ptrdiff_t>(0.999 * static_cast<double>(errors.size() - 1));
    std::nth_element(errors.begin(), errors.begin() + place, errors.end());
    difference.percentile = errors[static_cast<std::size_t>(place)];
  }
  return difference;
}

Picture
ReadPgm(const std::string & path)
{
  std::ifstream stream(path, std::ios::binary);
  try
  {
    if (!stream)
    {
      throw std::runtime_error("it cannot be opened");
    }
    Picture     picture;
    std::string magic;
    long        images = 0;
    while (stream >> magic)
    {
      const bool binary = magic == "P5";
      const long width = NextNumber(stream);
      const long height = NextNumber(stream);
      const long largest = NextNumber(stream);
      if ((!binary && magic != "P2") || width < 1 || height < 1 || width > 100000 || height > 100000 || largest < 1 ||
          largest > 65535)
      {
        throw std::runtime_error("it is not a PGM file of 8 or 16 bits");
      }
      stream.get(); // one white space ends the header
      if (images > 0 && (picture.size[0] != width || picture.size[1] != height))
      {
        throw std::runtime_error("its images differ in size");
      }
      picture.size = { { width, height, ++images } };
      ReadImage(stream, binary, width, height, largest, picture.values);
    }
    if (images == 0)
    {
      throw std::runtime_error("it is not a PGM file");
    }
    picture.dimension = images > 1 ? 3 : 2;
    return picture;
  }
  catch (const std::runtime_error & error)
  {
    throw std::runtime_error(path + ": " + error.what() + ".");
  }
}

void
WritePgm(const std::string & path, const Picture & picture, int largest)
{
  std::ofstream      stream(path, std::ios::binary);
  const std::int64_t slice = picture.size[0] * picture.size[1];
  for (std::int64_t i = 0; i < picture.Count(); ++i)
  {
    if (i % slice == 0)
    {
      stream << "P5\n" << picture.size[0] << ' ' << picture.size[1] << '\n' << largest << '\n';
    }
    const double value = std::clamp(picture.values[static_cast<std::size_t>(i)], 0.0, static_cast<double>(largest));
    const auto   rounded = static_cast<int>(std::lround(value));
    if (largest > 255)
    {
      stream.put(static_cast<char>(rounded / 256));
    }
    stream.put(static_cast<char>(rounded % 256));
  }
  if (!stream.flush())
  {
    throw std::runtime_error(path + " cannot be written.");
  }
}

void
WritePfm(const std::string & path, const Picture & picture)
{
  std::ofstream      stream(path, std::ios::binary);
  const std::int64_t first = picture.size[0] * picture.size[1] * (picture.size[2] / 2);
  stream << "Pf\n" << picture.size[0] << ' ' << picture.size[1] << "\n-1.0\n";
  for (std::int64_t y = picture.size[1] - 1; y >= 0; --y)
  {
    for (std::int64_t x = 0; x < picture.size[0]; ++x)
    {
      const auto value = static_cast<float>(picture.values[static_cast<std::size_t>(first + y * picture.size[0] + x)]);
      char       bytes[sizeof(value)];
      std::memcpy(bytes, &value, sizeof(value));
      stream.write(bytes, sizeof(value));
    }
  }
  if (!stream.flush())
  {
    throw std::runtime_error(path + " cannot be written.");
  }
}
