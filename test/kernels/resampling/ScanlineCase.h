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
#ifndef ScanlineCase_h
#define ScanlineCase_h

#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"

#include "ResampleCase.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

/** \file
 * \brief Scanlines of rotated maps in three dimensions, evaluated by the kernels for scanlines, and by those for lists
 * of points. */

namespace CudaSplineTest
{

using Matrix = std::array<std::array<double, 3>, 3>;

/** Rotation about x, y and z by angles in radians, times a scale. */
inline Matrix
Rotation(double a, double b, double c, double scale = 1.0)
{
  const double ca = std::cos(a), sa = std::sin(a), cb = std::cos(b), sb = std::sin(b), cc = std::cos(c),
               sc = std::sin(c);
  Matrix matrix{ { { { cb * cc, -cb * sc, sb } },
                   { { ca * sc + sa * sb * cc, ca * cc - sa * sb * sc, -sa * cb } },
                   { { sa * sc - ca * sb * cc, sa * cc + ca * sb * sc, ca * cb } } } };
  for (auto & row : matrix)
  {
    for (double & entry : row)
    {
      entry *= scale;
    }
  }
  return matrix;
}

/** Maps. The last two do not fit into a tile: one fits into small boxes, the other does not fit at all. */
inline std::vector<Matrix>
Maps()
{
  constexpr double quarter = 1.5707963267948966;
  return {
    Rotation(0.17, 0.26, 0.35), Rotation(0, 0, 0),        Rotation(0, quarter, 0),    Rotation(0, 0, quarter),
    Rotation(quarter, 0, 0),    Rotation(1.1, -0.4, 2.3), Rotation(-0.7, 0.9, 0.5),   Rotation(0.3, 0.2, 0.1, 0.4),
    Rotation(0, 0.8, 0),        Rotation(0.5, 0, 3.0),    Rotation(0.2, 0.3, 0.4, 3), Rotation(0.2, 0.3, 0.4, 40)
  };
}

/** Gives a case an output with its own shape, centred on the input. */
inline void
PlaceOutput(Case &                              test,
            const Matrix &                      matrix,
            const std::array<std::int64_t, 3> & shape,
            double                              bend,
            FreshRandom &                       random)
{
  ResampleDescriptor & resample = test.resample;
  resample.samples = shape[0];
  resample.lines = shape[1] * shape[2];
  resample.sliceLines = shape[1];
  resample.lineOffset = 3;
  resample.lineLength = shape[0] + 5;
  test.ends.clear();
  for (std::int64_t line = 0; line < resample.lines; ++line)
  {
    const double y = static_cast<double>(line % shape[1]) - 0.5 * static_cast<double>(shape[1] - 1);
    const double z = static_cast<double>(line / shape[1]) - 0.5 * static_cast<double>(shape[2] - 1);
    for (const double x : { -0.5 * static_cast<double>(shape[0]) - 3.0, 0.5 * static_cast<double>(shape[0]) + 2.0 })
    {
      for (unsigned int d = 0; d < 3; ++d)
      {
        test.ends.push_back(static_cast<double>(test.source.start[d]) +
                            0.5 * static_cast<double>(test.source.size[d] - 1) + matrix[d][0] * x + matrix[d][1] * y +
                            matrix[d][2] * z + random.Uniform(-bend, bend));
      }
    }
  }
}

/** Moves the output of a case with the shape { 9, 6, 5 } so that index 0 is inside: scanlines are at index 0, just
 * below it, where the sum with 1 is rounded to 1, or cross it. */
inline void
PlaceOutputAtZero(Case & test, FreshRandom & random)
{
  test.resample.singleCoordinates = false;
  for (unsigned int d = 0; d < 3; ++d)
  {
    test.source.start[d] = d == 0 ? -4 : -2;
    test.resample.lower[d] = static_cast<double>(test.source.start[d]) - 0.5;
    test.resample.upper[d] = static_cast<double>(test.source.start[d] + test.source.size[d]) - 0.5;
  }
  PlaceOutput(test, Rotation(0, 0, 0), { { 70, 50, 45 } }, 0.0, random);
  // FloorIndex() is 0 from -2^-55 on, and 1 - 2^-54 is rounded to 1.
  const double tie = -std::ldexp(1.0, -55);
  const double below[] = { -1e-17,  tie, std::nextafter(tie, -1.0), 2.0 * tie, std::nextafter(2.0 * tie, -1.0),
                           -1e-300, -0.0 };
  for (std::size_t i = 0; i < test.ends.size(); i += 6)
  {
    for (std::size_t d = 0; d < 3; ++d)
    {
      double & from = test.ends[i + d];
      double & to = test.ends[i + 3 + d];
      switch (random.Engine()() % 4)
      {
        case 0:
          from = to = below[random.Engine()() % std::size(below)];
          break;
        case 1: // so close that many samples of the line are in this interval
          from = random.Uniform(-1e-15, 0.0);
          to = random.Uniform(0.0, 1e-15);
          break;
        case 2:
          from = random.Uniform(-1.9, 0.0);
          to = random.Uniform(0.0, 1.9);
          break;
        default:
          from = random.Uniform(-1.9, 1.9);
          to = from;
      }
      if (random.Engine()() % 2 == 0)
      {
        std::swap(from, to);
      }
    }
  }
}

/** Values at the same points from the kernel for lists of points. */
inline std::vector<float>
ByPoints(const Case & test, const std::shared_ptr<const SampleSource> & source)
{
  const ResampleDescriptor & resample = test.resample;
  std::vector<double>        indices;
  for (std::int64_t line = 0; line < resample.lines; ++line)
  {
    ScanlineEnds<3> ends;
    std::copy_n(test.ends.data() + line * 6, 3, ends.start);
    std::copy_n(test.ends.data() + line * 6 + 3, 3, ends.end);
    for (std::int64_t sample = 0; sample < resample.samples; ++sample)
    {
      double index[3];
      if (resample.singleCoordinates)
      {
        ends.At<float>(sample + resample.lineOffset, static_cast<double>(resample.lineLength), index);
      }
      else
      {
        ends.At<double>(sample + resample.lineOffset, static_cast<double>(resample.lineLength), index);
      }
      indices.insert(indices.end(), index, index + 3);
    }
  }
  PointsDescriptor points;
  static_cast<InterpolationDescriptor &>(points) = resample;
  points.count = resample.samples * resample.lines;
  points.points = indices.data();
  points.output = ScalarType::Float32;
  points.defaultPixel = resample.defaultPixel;
  std::vector<float> values(static_cast<std::size_t>(points.count));
  points.values = values.data();
  SamplePoints(points, *source, Cuda());
  return values;
}

inline std::vector<float>
ByScanlines(const Case & test, const std::shared_ptr<const SampleSource> & source, const ExecutionContext & context)
{
  ResampleDescriptor resample = test.resample;
  resample.scanlineEnds = test.ends.data();
  std::vector<float> values(static_cast<std::size_t>(resample.samples * resample.lines), -7.0F);
  Resample(resample, *source, values.data(), context);
  for (int i = 0; i < 2 && context.backend == Backend::Cuda; ++i) // with another form of the samples, if any
  {
    std::vector<float> again(values.size(), -8.0F);
    Resample(resample, *source, again.data(), context);
    for (std::size_t k = 0; k < values.size(); ++k)
    {
      if (!(again[k] == values[k] || (std::isnan(again[k]) && std::isnan(values[k]))))
      {
        ADD_FAILURE() << again[k] << " and " << values[k] << " before, at" << Place(test, static_cast<std::int64_t>(k));
        break;
      }
    }
  }
  return values;
}

/** Compares one case; \p exact: bit for bit with the kernel for lists of points. Counts points inside. */
inline void
Check(const Case & test, bool exact, std::int64_t & inside)
{
  const auto cuda = ByScanlines(test, MakeSource(test.source, test.pixels.data(), Cuda()), Cuda());
  const auto cpu =
    ByScanlines(test, MakeSource(test.source, test.pixels.data(), ExecutionContext()), ExecutionContext());
  const double bound = Agreement(test) * (test.resample.interpolation == Interpolation::CubicConvolution ? 8.0 : 1.0);
  for (std::size_t i = 0; i < cuda.size(); ++i)
  {
    inside += cpu[i] != -1.0F ? 1 : 0;
    if (!(std::abs(cuda[i] - cpu[i]) <= bound))
    {
      FAIL() << cuda[i] << " and " << cpu[i] << ", bound " << bound << ", at"
             << Place(test, static_cast<std::int64_t>(i));
    }
  }
  if (exact)
  {
    const auto points = ByPoints(test, MakeSource(test.source, test.pixels.data(), Cuda()));
    for (std::size_t i = 0; i < cuda.size(); ++i)
    {
      if (std::memcmp(&cuda[i], &points[i], sizeof(float)) != 0)
      {
        FAIL() << cuda[i] << " and " << points[i] << " by points, at" << Place(test, static_cast<std::int64_t>(i));
      }
    }
  }
}

inline Case
FloatCase(const std::vector<std::int64_t> & sizes,
          Interpolation                     interpolation,
          unsigned int                      order,
          FreshRandom &                     random)
{
  Case test =
    MakeCase(sizes, ScalarType::Float32, ScalarType::Float32, interpolation, order, ScalarType::Float32, random);
  const float outside = -1.0F;
  test.resample.defaultPixel = 0;
  std::memcpy(&test.resample.defaultPixel, &outside, sizeof(outside));
  return test;
}

inline const std::vector<std::vector<std::int64_t>>   InputSizes{ { 64, 48, 40 },
                                                                { 61, 47, 39 },
                                                                { 9, 6, 5 },
                                                                { 3, 2, 1 } };
inline const std::vector<std::array<std::int64_t, 3>> OutputSizes{ { { 70, 50, 45 } },
                                                                   { { 33, 17, 16 } },
                                                                   { { 5, 64, 9 } } };

} // namespace CudaSplineTest

#endif
