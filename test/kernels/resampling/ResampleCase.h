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
#ifndef ResampleCase_h
#define ResampleCase_h

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/resampling/Resample.h"
#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "Gpu.h"
#include "../common/KernelTestData.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

/** \file
 * \brief Random resamplings through the kernels layer, and the tolerances with which two backends must agree. */

namespace CudaSplineTest
{

/** A resampling with all data that the descriptor refers to. */
struct Case
{
  SourceDescriptor           source;
  ResampleDescriptor         resample;
  std::vector<unsigned char> pixels;
  std::vector<double>        ends;
};

/** Scanlines in random directions through and outside of the input. */
inline Case
MakeCase(const std::vector<std::int64_t> & sizes,
         ScalarType                        pixel,
         ScalarType                        output,
         Interpolation                     interpolation,
         unsigned int                      order,
         ScalarType                        element,
         FreshRandom &                     random)
{
  Case test;
  test.source = MakeDescriptor(sizes, pixel, interpolation == Interpolation::Nearest ? pixel : element, order);
  if (interpolation == Interpolation::Nearest || interpolation == Interpolation::Linear)
  {
    test.source.extension.fill(Extension::Nearest); // ITK's rule
  }
  test.pixels = RandomPixels(pixel, test.source.Count(), random);
  test.resample.interpolation = interpolation;
  test.resample.cubic = DrawCubicParameters(random);
  test.resample.output = output;
  test.resample.singleCoordinates = random.Engine()() % 4 == 0;
  test.resample.samples = 77;
  test.resample.lines = 203;
  test.resample.lineOffset = 5;
  test.resample.lineLength = 97;
  test.resample.defaultPixel = 0x4142434445464748ULL;
  for (unsigned int d = 0; d < test.source.dimension; ++d)
  {
    test.source.start[d] = static_cast<std::int64_t>(random.Engine()() % 21) - 10;
    test.resample.lower[d] = static_cast<double>(test.source.start[d]) - 0.5;
    test.resample.upper[d] = static_cast<double>(test.source.start[d] + test.source.size[d]) - 0.5;
  }
  for (std::int64_t line = 0; line < test.resample.lines; ++line)
  {
    for (int side = 0; side < 2; ++side)
    {
      for (unsigned int d = 0; d < test.source.dimension; ++d)
      {
        const double margin = 0.1 * static_cast<double>(test.source.size[d]) + 1.0;
        double       at = random.Uniform(test.resample.lower[d] - margin, test.resample.upper[d] + margin);
        if (line % 7 == 0)
        {
          at = std::floor(at) + (line % 2 == 0 ? 0.5 : 0.0); // exactly between samples, or at samples
        }
        test.ends.push_back(line == 11 ? std::numeric_limits<double>::quiet_NaN() : at);
      }
    }
  }
  return test;
}

inline std::vector<unsigned char>
Compute(const Case & test, const ExecutionContext & context, int poison = 0xA5)
{
  ResampleDescriptor resample = test.resample;
  resample.scanlineEnds = test.ends.data();
  std::vector<unsigned char> output(static_cast<std::size_t>(resample.samples * resample.lines) *
                                      SizeOf(resample.output),
                                    static_cast<unsigned char>(poison));
  const auto                 source = MakeSource(test.source, test.pixels.data(), context);
  Resample(resample, *source, output.data(), context);
  return output;
}

inline ExecutionContext
Cuda()
{
  ExecutionContext context;
  context.backend = Backend::Cuda;
  return context;
}

inline double
Largest(const Case & test)
{
  double largest = 0.0;
  for (std::int64_t i = 0; i < test.source.Elements(); ++i)
  {
    largest = std::max(largest, std::abs(LoadScalar<double>(test.pixels.data(), test.source.pixel, i)));
  }
  return largest;
}

inline double
Agreement(const Case & test)
{
  const double largest = Largest(test);
  if (test.resample.interpolation == Interpolation::WindowedSinc)
  {
    // The error of each backend, see WindowedSincValue().
    return 2.0 * test.source.dimension * (66.0 * test.resample.radius + 1.0) * std::pow(2.28, test.source.dimension) *
           UnitOf(ScalarType::Float64) * largest;
  }
  const auto order = test.resample.interpolation == Interpolation::BSpline ? test.source.order : 1U;
  return CoefficientAgreement(test.source, largest) +
         ValueAgreement(test.source, order, LargestCoefficient(test.source, largest));
}

/** Position of an output sample in the input, for messages. */
inline std::string
Place(const Case & test, std::int64_t i)
{
  std::ostringstream text;
  text << std::setprecision(17);
  const std::int64_t line = i / test.resample.samples;
  const double       alpha = static_cast<double>(i % test.resample.samples + test.resample.lineOffset) /
                       static_cast<double>(test.resample.lineLength);
  for (unsigned int d = 0; d < test.source.dimension; ++d)
  {
    const double * const ends = test.ends.data() + line * 2 * test.source.dimension;
    text << " "
         << ends[d] + alpha * (ends[d + test.source.dimension] - ends[d]) - static_cast<double>(test.source.start[d])
         << " of " << test.source.size[d];
  }
  text << (test.resample.singleCoordinates ? " in single coordinates" : "");
  return text.str();
}

inline const std::vector<std::vector<std::int64_t>> ResampleShapes{ { 50 },      { 2 },         { 61, 47 },
                                                                    { 1, 30 },   { 3, 2 },      { 43, 37, 29 },
                                                                    { 1, 2, 3 }, { 100, 2, 31 } };

} // namespace CudaSplineTest

#endif
