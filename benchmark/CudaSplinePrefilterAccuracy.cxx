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

/** \file
 * \brief Errors of the prefilters' coefficients, as comma-separated values; reproduction/accuracy-figures makes the
 * tables and plots of doc/Accuracy.md of them.
 *
 * A line is a filter and a signal:
 *
 *   mode,precision,order,taps,dimension,signal,bound,error
 *
 * error is the largest absolute difference from the exact coefficients, bound the derived limit of it, both by the
 * largest absolute sample. Signals are uniform noise, and for FIR also the one with the largest error of all: the signs
 * of the difference of the two impulse responses. The filters are those of the Cpu backend, on the whole-sample mirror.
 *
 * The exact coefficients are those that solve the interpolation equations in long double: the sampled B-spline, whose
 * values are rational numbers, gives the samples again. They are refined from those of the module, until nothing
 * changes. */

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/FirTaps.h"
#include "itkCudaSpline/math/LineRecursion.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"
#include "itkCudaSpline/math/SplinePoles.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace
{
using namespace itk::CudaSpline;

constexpr int firTaps[] = { 7, 9, 11, 13, 15, 19, 27 }; // those of Champagnat and Le Sant

/** Samples of a line, or of a cube. */
struct Signal
{
  unsigned int        dimension;
  std::int64_t        size;
  std::vector<double> samples;
};

template <typename TReal>
SourceDescriptor
Describe(const Signal & signal, unsigned int order, const PrefilterMethod & method)
{
  SourceDescriptor descriptor;
  descriptor.dimension = signal.dimension;
  std::fill_n(descriptor.size.begin(), signal.dimension, signal.size);
  descriptor.pixel = sizeof(TReal) == 4 ? ScalarType::Float32 : ScalarType::Float64;
  descriptor.element = descriptor.pixel;
  descriptor.order = order;
  descriptor.method = method;
  return descriptor;
}

template <typename TReal>
std::vector<TReal>
Filter(const Signal & signal, unsigned int order, const PrefilterMethod & method)
{
  const std::vector<TReal> samples(signal.samples.begin(), signal.samples.end());
  std::vector<TReal>       coefficients(samples.size());
  Prefilter(Describe<TReal>(signal, order, method), samples.data(), coefficients.data(), ExecutionContext());
  return coefficients;
}

/** Returns the B-spline of an order at the integers 0, 1 and 2. */
const long double *
SampledSpline(unsigned int order)
{
  static const long double values[4][3] = { { 6 / 8.0L, 1 / 8.0L, 0 },
                                            { 4 / 6.0L, 1 / 6.0L, 0 },
                                            { 230 / 384.0L, 76 / 384.0L, 1 / 384.0L },
                                            { 66 / 120.0L, 26 / 120.0L, 1 / 120.0L } };
  return values[order - 2];
}

/** Returns the values of a spline at the integers. */
std::vector<long double>
ValuesOfSpline(const Signal & signal, unsigned int order, std::vector<long double> coefficients)
{
  const long double * const spline = SampledSpline(order);
  std::vector<long double>  values(coefficients.size());
  std::int64_t              stride = 1;
  for (unsigned int axis = 0; axis < signal.dimension; ++axis)
  {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(values.size()); ++i)
    {
      const std::int64_t n = i / stride % signal.size;
      long double        sum = 0;
      for (std::int64_t k = -2; k <= 2; ++k)
      {
        const std::int64_t at = FoldIndex(n + k, signal.size, Extension::Mirror);
        sum += spline[std::abs(k)] * coefficients[static_cast<std::size_t>(i + (at - n) * stride)];
      }
      values[static_cast<std::size_t>(i)] = sum;
    }
    coefficients.swap(values);
    stride *= signal.size;
  }
  return coefficients;
}

std::vector<long double>
ExactCoefficients(const Signal & signal, unsigned int order)
{
  std::vector<long double> coefficients(signal.samples.size());
  Signal                   residual = signal;
  for (int step = 0; step < 4; ++step) // each step gains 15 digits; a long double has 19
  {
    const std::vector<double> correction = Filter<double>(residual, order, PrefilterMethod());
    for (std::size_t i = 0; i < coefficients.size(); ++i)
    {
      coefficients[i] += correction[i];
    }
    const std::vector<long double> values = ValuesOfSpline(signal, order, coefficients);
    for (std::size_t i = 0; i < coefficients.size(); ++i)
    {
      residual.samples[i] = static_cast<double>(signal.samples[i] - values[i]);
    }
  }
  return coefficients;
}

template <typename TReal>
double
LargestDifference(const std::vector<TReal> & coefficients, const std::vector<long double> & exact)
{
  long double largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i)
  {
    largest = std::max(largest, std::abs(coefficients[i] - exact[i]));
  }
  return static_cast<double>(largest);
}

/** Returns uniform values in [-1, 1) that single precision represents. */
Signal
Noise(unsigned int dimension, std::int64_t size)
{
  Signal                                signal{ dimension, size, {} };
  const auto                            count = static_cast<std::size_t>(dimension == 3 ? size * size * size : size);
  std::mt19937_64                       generator(12345);
  std::uniform_real_distribution<float> distribution(-1.0F, 1.0F);
  std::generate_n(std::back_inserter(signal.samples), count, [&] { return distribution(generator); });
  return signal;
}

/** Returns the signs of the difference of the impulse responses of FIR taps and of the exact filter, about the centre.
 */
template <unsigned int VOrder>
Signal
WorstCase(unsigned int dimension, std::int64_t size, int taps)
{
  const std::vector<double> truncated = FirTaps<VOrder>(taps, true);
  const auto                tapAt = [&](std::int64_t k) {
    return std::abs(k) <= taps / 2 ? truncated[static_cast<std::size_t>(k + taps / 2)] : 0.0;
  };
  const std::int64_t centre = size / 2;
  Signal             signal{ dimension, size, {} };
  const auto         depth = dimension == 3 ? size : 1;
  const auto         height = dimension == 3 ? size : 1;
  for (std::int64_t z = 0; z < depth; ++z)
  {
    for (std::int64_t y = 0; y < height; ++y)
    {
      for (std::int64_t x = 0; x < size; ++x)
      {
        double fir = tapAt(x - centre);
        double exact = FirCoefficient<VOrder>(static_cast<int>(x - centre));
        if (dimension == 3)
        {
          fir *= tapAt(y - centre) * tapAt(z - centre);
          exact *=
            FirCoefficient<VOrder>(static_cast<int>(y - centre)) * FirCoefficient<VOrder>(static_cast<int>(z - centre));
        }
        signal.samples.push_back(fir < exact ? -1.0 : 1.0);
      }
    }
  }
  return signal;
}

/** Returns the bound for all dimensions from the bound of an axis: (norm + bound)^D - norm^D, because each axis
 * amplifies the previous errors by its norm. It is D bound norm^(D-1) for a small bound. */
double
BoundOfAll(double bound, double norm, unsigned int dimension)
{
  return dimension == 1 ? bound : bound * (3.0 * norm * norm + 3.0 * norm * bound + bound * bound);
}

void
Print(const std::string & filter, const Signal & signal, const char * name, double bound, double error)
{
  std::printf("%s,%u,%s,%.3e,%.3e\n", filter.c_str(), signal.dimension, name, bound, error);
}

/** Prints the lines of Fir for one order and one noise. */
template <unsigned int VOrder>
void
PrintFir(const Signal & noise, const std::vector<long double> & exactNoise)
{
  for (const int taps : firTaps)
  {
    const PrefilterMethod method{ PrefilterMethod::Kind::Fir, taps };
    const std::string     filter = "fir,double," + std::to_string(VOrder) + "," + std::to_string(taps);
    const double          bound =
      BoundOfAll(FirTruncationError<VOrder>(taps, true), SplinePoles<VOrder>::Norm(), noise.dimension);
    Print(filter, noise, "noise", bound, LargestDifference(Filter<double>(noise, VOrder, method), exactNoise));
    const Signal worst = WorstCase<VOrder>(noise.dimension, noise.dimension == 3 ? 65 : 257, taps);
    Print(filter,
          worst,
          "worst",
          bound,
          LargestDifference(Filter<double>(worst, VOrder, method), ExactCoefficients(worst, VOrder)));
  }
}

/** Prints the line of Exact for one order and precision: truncation and rounding, as derived in doc/Accuracy.md. */
template <unsigned int VOrder, typename TReal>
void
PrintExact(const Signal & noise, const std::vector<long double> & exactNoise)
{
  using Poles = SplinePoles<VOrder>;
  double sum = 1.0; // of the absolute values of the response in one direction
  for (unsigned int i = 0; i < Poles::Count; ++i)
  {
    sum /= 1.0 - std::abs(Poles::Pole(i));
  }
  const bool   single = sizeof(TReal) == 4;
  const double unit = 0.5 * std::numeric_limits<TReal>::epsilon();
  const double bound = Poles::Norm() * ((single ? 6e-8 : 1.1e-16) + Poles::Count * (6.0 * sum + 2.0) * unit);
  Print(std::string("exact,") + (single ? "single," : "double,") + std::to_string(VOrder) + ",",
        noise,
        "noise",
        BoundOfAll(bound, Poles::Norm(), noise.dimension),
        LargestDifference(Filter<TReal>(noise, VOrder, PrefilterMethod()), exactNoise));
}
} // namespace

int
main()
{
  try
  {
    std::printf("mode,precision,order,taps,dimension,signal,bound,error\n");
    for (const Signal & noise : { Noise(1, 65536), Noise(3, 65) })
    {
      for (const unsigned int order : { 2, 3, 4, 5 })
      {
        const std::vector<long double> exact = ExactCoefficients(noise, order);
        DispatchSplineOrder(order, [&](auto constantOrder) {
          constexpr unsigned int constant = decltype(constantOrder)::value;
          if constexpr (constant >= 2)
          {
            PrintExact<constant, float>(noise, exact);
            PrintExact<constant, double>(noise, exact);
            PrintFir<constant>(noise, exact);
          }
        });
      }
    }
    return 0;
  }
  catch (const std::exception & error)
  {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
