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
#ifndef PointsCase_h
#define PointsCase_h

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "DerivedBounds.h"
#include "../common/KernelTestData.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

/** \file
 * \brief Random batches of points through the kernels layer. */

namespace CudaSplineTest
{

/** The result of a batch. */
struct PointsResult
{
  std::vector<double>       values;
  std::vector<double>       gradients;
  std::vector<double>       hessians;
  std::vector<std::uint8_t> inside;
};

/** A batch with all data that the descriptor refers to. */
struct PointsCase
{
  SourceDescriptor           source;
  PointsDescriptor           points;
  std::vector<unsigned char> pixels;
  std::vector<double>        places;
  std::vector<float>         singlePlaces; ///< the same numbers, if points.pointType is Float32

  unsigned int
  Dimension() const
  {
    return source.dimension;
  }

  std::vector<double>
  PlaceOf(std::int64_t i) const
  {
    const auto first = places.begin() + i * source.dimension;
    return { first, first + source.dimension };
  }
};

/** Returns points inside and outside of the buffer, on samples, on halves and NaN. Coefficients are random, not
 * filtered. */
inline PointsCase
MakePointsCase(const std::vector<std::int64_t> & sizes,
               Interpolation                     interpolation,
               unsigned int                      order,
               ScalarType                        element,
               std::int64_t                      count,
               FreshRandom &                     random)
{
  PointsCase       test;
  const ScalarType pixels[] = { element, ScalarType::Float32, ScalarType::Int16 };
  const ScalarType pixel = pixels[random.Engine()() % 3];
  test.source = MakeDescriptor(sizes, pixel, element, order);
  test.source.method.kind = PrefilterMethod::Kind::Coefficients;
  test.pixels = RandomPixels(pixel, test.source.Count(), random);
  test.points.interpolation = interpolation;
  test.points.count = count;
  test.points.pointType = random.Engine()() % 2 == 0 ? ScalarType::Float32 : ScalarType::Float64;
  test.points.singleCoordinates = random.Engine()() % 4 == 0;
  test.points.cubic = DrawCubicParameters(random);
  const double defaultValue = -12345.5;
  std::memcpy(&test.points.defaultPixel, &defaultValue, sizeof(defaultValue));
  test.points.output = ScalarType::Float64;
  for (unsigned int d = 0; d < test.source.dimension; ++d)
  {
    test.source.extension[d] = static_cast<Extension>(random.Engine()() % 3);
    test.source.start[d] = static_cast<std::int64_t>(random.Engine()() % 21) - 10;
    test.points.lower[d] = static_cast<double>(test.source.start[d]) - 0.5;
    test.points.upper[d] = static_cast<double>(test.source.start[d] + test.source.size[d]) - 0.5;
  }
  for (std::int64_t i = 0; i < count; ++i)
  {
    for (unsigned int d = 0; d < test.source.dimension; ++d)
    {
      const double margin = 0.05 * static_cast<double>(test.source.size[d]) + 0.1;
      double       at = random.Uniform(test.points.lower[d] - margin, test.points.upper[d] + margin);
      if (i % 7 == 0)
      {
        at = std::floor(at) + (i % 2 == 0 ? 0.5 : 0.0);
      }
      if (i % 101 == 100)
      {
        at = std::numeric_limits<double>::quiet_NaN();
      }
      // The kernel reads rounded numbers.
      const auto single = static_cast<float>(at);
      const bool isSingle = test.points.pointType == ScalarType::Float32 || test.points.singleCoordinates;
      test.places.push_back(isSingle ? static_cast<double>(single) : at);
      test.singlePlaces.push_back(single);
    }
  }
  return test;
}

/** Runs a batch and returns its results, in arrays that contained other numbers before. */
inline PointsResult
Compute(const PointsCase & test, Derivatives derivatives, const ExecutionContext & context, double poison = 7e77)
{
  PointsDescriptor points = test.points;
  const auto       count = static_cast<std::size_t>(points.count);
  PointsResult     result;
  result.values.assign(count, poison);
  result.inside.assign(count, 0xA5);
  points.derivatives = derivatives;
  points.values = result.values.data();
  points.inside = result.inside.data();
  points.points = points.pointType == ScalarType::Float32 ? static_cast<const void *>(test.singlePlaces.data())
                                                          : static_cast<const void *>(test.places.data());
  if (derivatives != Derivatives::None)
  {
    result.gradients.assign(count * test.Dimension(), poison);
    points.gradients = result.gradients.data();
  }
  if (derivatives == Derivatives::Second)
  {
    result.hessians.assign(count * SymmetricEntries(test.Dimension()), poison);
    points.hessians = result.hessians.data();
  }
  SamplePoints(points, *MakeSource(test.source, test.pixels.data(), context), context);
  return result;
}

/** Returns the largest absolute element of the source. */
inline double
Largest(const PointsCase & test)
{
  double largest = 0.0;
  for (std::int64_t i = 0; i < test.source.Count(); ++i)
  {
    largest = std::max(largest, std::abs(LoadScalar<double>(test.pixels.data(), test.source.pixel, i)));
  }
  return largest;
}

/** Returns the bound of the difference between the values of two backends, or between a value and exact arithmetic. The
 * absolute weights of a derivative along an axis sum to at most 2 to the power of its order (3 and 12 for cubic
 * convolution with B and C in [0, 1]), and their errors are within 80 units. */
inline double
PointsAgreement(const PointsCase & test, int derivative)
{
  const bool   isCubic = test.points.interpolation == Interpolation::CubicConvolution;
  const double norm = isCubic ? CubicConvolutionNorm(test.points.cubic) : 1.0; // of an axis without derivative
  double       factor = std::pow(norm, test.Dimension());
  factor *= derivative == 0 ? 1.0 : (derivative == 1 ? (isCubic ? 6.0 : 2.0) : (isCubic ? 36.0 : 4.0));
  return 2.0 * test.Dimension() * 50.0 * UnitOf(test.source.element) * Largest(test) * factor;
}

inline const std::vector<std::vector<std::int64_t>> PointsShapes{ { 50 },   { 2 },          { 1 },       { 31, 27 },
                                                                  { 3, 2 }, { 23, 17, 19 }, { 1, 2, 3 }, { 30, 1, 4 } };

} // namespace CudaSplineTest

#endif
