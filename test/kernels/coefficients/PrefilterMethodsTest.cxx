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
// The methods and extensions of Prefilter() on each backend.
//
// Expected values: FIR mode is the convolution in long double, with the normalised taps, of the written-out extension
// (ExtensionPeriod()), axis by axis; the recursions solve the interpolation equations, solved densely in long double
// (ReferenceSpline.h), on every extension; the spline of the coefficients has the samples at the samples. Tolerances,
// derived: FirRounding(); FirTruncationError() an axis, which an axis amplifies by the norm; CoefficientAgreement() and
// the truncation of the recursion. Pixels of several components have the bits of each component alone.

#include "PrefilterCase.h"
#include "ReferenceSpline.h"

using namespace CudaSplineTest;

namespace
{

const std::vector<std::vector<std::int64_t>> ShortShapes{ { 1 },        { 2 },        { 3 },        { 5 },
                                                          { 31 },       { 65 },       { 2, 3 },     { 1, 4 },
                                                          { 4, 1 },     { 37, 6 },    { 1, 1, 7 },  { 2, 2, 2 },
                                                          { 3, 1, 40 }, { 9, 35, 4 }, { 33, 2, 3 }, { 3, 5, 2, 4 } };

class PrefilterMethods : public OnBackend
{};
CUDASPLINE_CPU_AND_GPU(PrefilterMethods);

std::vector<std::int64_t>
SizesOf(const SourceDescriptor & descriptor)
{
  return { descriptor.size.begin(), descriptor.size.begin() + descriptor.dimension };
}

std::vector<Extension>
ExtensionsOf(const SourceDescriptor & descriptor)
{
  return { descriptor.extension.begin(), descriptor.extension.begin() + descriptor.dimension };
}

/** Returns the convolution with the taps in long double. */
std::vector<double>
Convolution(const SourceDescriptor & descriptor, const std::vector<double> & samples)
{
  const std::vector<double> taps = DispatchSplineOrder(
    descriptor.order, [&](auto order) { return FirTaps<decltype(order)::value>(descriptor.method.taps, true); });
  const std::int64_t       reach = descriptor.method.taps / 2;
  std::vector<long double> values(samples.begin(), samples.end());
  std::int64_t             inner = 1;
  for (unsigned int d = 0; d < descriptor.dimension; ++d)
  {
    const std::int64_t length = descriptor.size[d];
    if (length > 1)
    {
      const std::vector<std::int64_t> period = ExtensionPeriod(length, descriptor.extension[d]);
      std::vector<long double>        next(values.size());
      for (std::size_t at = 0; at < values.size(); ++at)
      {
        const std::int64_t n = static_cast<std::int64_t>(at) / inner % length;
        for (std::int64_t k = -reach; k <= reach; ++k)
        {
          const std::int64_t other = static_cast<std::int64_t>(at) + (ReferenceFold(n + k, period) - n) * inner;
          next[at] += taps[static_cast<std::size_t>(reach + k)] * values[static_cast<std::size_t>(other)];
        }
      }
      values.swap(next);
      inner *= length;
    }
  }
  return { values.begin(), values.end() };
}

/** Calls \p check with a descriptor and pixels for every short shape, order from 2 on, and element type. */
template <typename TCheck>
void
ForEachShort(const TCheck & check)
{
  FreshRandom random;
  for (const auto & shape : ShortShapes)
  {
    for (unsigned int order = 2; order <= 5; ++order)
    {
      for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
      {
        SourceDescriptor descriptor = MakeDescriptor(shape, element, element, order);
        ChooseExtensions(descriptor, random);
        check(descriptor, PixelsFor(descriptor, random));
      }
    }
  }
}

/** Returns the truncation error of the recursion along one axis for samples up to 1: 2 gain A T(K), where A is the sum
 * of the absolute impulse response in one direction, and T(K) is the part of it beyond K. */
double
TruncationOfRecursion(unsigned int order, int warmUp)
{
  return DispatchSplineOrder(order, [warmUp](auto constantOrder) {
    using Poles = SplinePoles<decltype(constantOrder)::value>;
    std::vector<double> response(400, 0.0);
    response[0] = 1.0;
    for (unsigned int pole = 0; pole < Poles::Count; ++pole)
    {
      for (std::size_t k = 1; k < response.size(); ++k)
      {
        response[k] += Poles::Pole(pole) * response[k - 1];
      }
    }
    double all = 0.0;
    double beyond = 0.0;
    for (std::size_t k = 0; k < response.size(); ++k)
    {
      all += std::abs(response[k]);
      beyond += static_cast<int>(k) > warmUp ? std::abs(response[k]) : 0.0;
    }
    return 2.0 * Poles::Gain() * all * beyond;
  });
}

/** Returns the error for errors of \p axisError per axis, which the following axes amplify. */
double
OfAllAxes(const SourceDescriptor & descriptor, double axisError, double largest)
{
  return DispatchSplineOrder(descriptor.order, [&](auto order) {
    // An axis may amplify by its own error more than the exact one does.
    const double norm = SplinePoles<decltype(order)::value>::Norm() + axisError;
    double       bound = 0.0;
    for (unsigned int d = 0; d < descriptor.dimension; ++d)
    {
      if (descriptor.size[d] > 1)
      {
        bound = norm * bound + axisError * largest;
        largest *= norm;
      }
    }
    return bound;
  });
}

/** Returns the spline of the coefficients at the samples. */
std::vector<double>
Reconstructed(const SourceDescriptor & descriptor, const std::vector<double> & coefficients)
{
  const ReferenceSpline spline(SizesOf(descriptor), coefficients, descriptor.order, ExtensionsOf(descriptor), {}, true);
  std::vector<double>   values;
  for (std::size_t i = 0; i < coefficients.size(); ++i)
  {
    std::vector<double> at;
    std::size_t         rest = i;
    for (unsigned int d = 0; d < descriptor.dimension; ++d)
    {
      at.push_back(static_cast<double>(rest % static_cast<std::size_t>(descriptor.size[d])));
      rest /= static_cast<std::size_t>(descriptor.size[d]);
    }
    values.push_back(static_cast<double>(spline.Value(at)));
  }
  return values;
}

/** Compares with the dense solution, and at the samples: the weights of a spline sum to 1, so its error is at most that
 * of its coefficients. */
void
ExpectSolved(const SourceDescriptor &           descriptor,
             const std::vector<unsigned char> & pixels,
             double                             bound,
             const ExecutionContext &           context)
{
  const std::vector<double> samples = AsDouble(descriptor, descriptor.pixel, pixels.data());
  const std::vector<double> coefficients = Compute(descriptor, pixels.data(), context);
  const ReferenceSpline     spline(SizesOf(descriptor), samples, descriptor.order, ExtensionsOf(descriptor));
  ExpectNear(coefficients, { spline.Coefficients().begin(), spline.Coefficients().end() }, bound, Name(descriptor));
  ExpectNear(Reconstructed(descriptor, coefficients), samples, bound, "at the samples: " + Name(descriptor));
}

TEST_P(PrefilterMethods, FirIsTheConvolution)
{
  ForEachShort([](SourceDescriptor descriptor, const std::vector<unsigned char> & pixels) {
    for (const int taps : { 1, 3, 7, 15, 27, 33, MaximumFirTaps })
    {
      descriptor.method = Fir(taps);
      ExpectNear(Compute(descriptor, pixels.data(), Context()),
                 Convolution(descriptor, AsDouble(descriptor, descriptor.pixel, pixels.data())),
                 FirRounding(descriptor, LargestOf(pixels, descriptor.pixel)),
                 Name(descriptor));
    }
  });
}

// The normalised columns of the table: taps by tolerance, and the error of 15 taps by order.
TEST_P(PrefilterMethods, FirKeepsItsTolerance)
{
  constexpr double errorOfFifteen[4] = { 6.2e-6, 3.4e-4, 6.8e-3, 5.1e-2 };
  ForEachShort([&](SourceDescriptor descriptor, const std::vector<unsigned char> & pixels) {
    const double largest = LargestOf(pixels, descriptor.pixel);
    for (const double tolerance : { 1e-3, 1e-5, 6e-8 })
    {
      descriptor.method = Fir(FirTapCountOf(descriptor.order, tolerance));
      ExpectSolved(
        descriptor, pixels, OfAllAxes(descriptor, tolerance, largest) + FirRounding(descriptor, largest), Context());
    }
    descriptor.method = Fir(15);
    const double tolerance = 1.05 * errorOfFifteen[descriptor.order - 2]; // two digits
    ExpectSolved(
      descriptor, pixels, OfAllAxes(descriptor, tolerance, largest) + FirRounding(descriptor, largest), Context());
  });
}

TEST_P(PrefilterMethods, ExactSolvesTheEquations)
{
  ForEachShort([](const SourceDescriptor & descriptor, const std::vector<unsigned char> & pixels) {
    const double largest = LargestOf(pixels, descriptor.pixel);
    const double truncation = descriptor.dimension * (descriptor.element == ScalarType::Float32 ? 6e-8 : 1.1e-16);
    ExpectSolved(descriptor,
                 pixels,
                 CoefficientAgreement(descriptor, largest) + truncation * LargestCoefficient(descriptor, largest),
                 Context());
  });
}

TEST_P(PrefilterMethods, ItkHorizonTruncatesWhereItkDoes)
{
  constexpr int horizon[4] = { 14, 18, 23, 28 }; // ceil(ln 1e-10 / ln |z|)
  ForEachShort([&](SourceDescriptor descriptor, const std::vector<unsigned char> & pixels) {
    descriptor.method = Recursion(PrefilterMethod::Kind::ItkHorizon);
    const double largest = LargestOf(pixels, descriptor.pixel);
    const double truncation = TruncationOfRecursion(descriptor.order, horizon[descriptor.order - 2]);
    EXPECT_LE(truncation, 1e-8) << "no more than a factor from ITK's 1e-10";
    ExpectSolved(descriptor,
                 pixels,
                 OfAllAxes(descriptor, truncation, largest) + CoefficientAgreement(descriptor, largest),
                 Context());
  });
}

TEST_P(PrefilterMethods, MethodsDiffer)
{
  FreshRandom      random;
  SourceDescriptor descriptor = MakeDescriptor({ 70, 50 }, ScalarType::Float64, ScalarType::Float64, 3);
  const auto       pixels = PixelsFor(descriptor, random);
  // If a requested method were not run, a better one could hide it.
  std::vector<std::vector<double>> results;
  for (const PrefilterMethod & method : AllMethods())
  {
    descriptor.method = method;
    results.push_back(Compute(descriptor, pixels.data(), Context()));
    for (std::size_t other = 0; other + 1 < results.size(); ++other)
    {
      EXPECT_NE(results[other], results.back()) << Name(descriptor);
    }
  }
}

TEST_P(PrefilterMethods, OrdersWithoutPrefilterPassTheSamples)
{
  FreshRandom random;
  for (const unsigned int order : { 0U, 1U })
  {
    for (const PrefilterMethod & method : AllMethods())
    {
      for (const unsigned int components : { 1U, 3U })
      {
        SourceDescriptor descriptor = MakeDescriptor({ 41, 7, 3 }, ScalarType::Int16, ScalarType::Float32, order);
        descriptor.method = method;
        descriptor.components = components;
        const auto pixels = PixelsFor(descriptor, random);
        EXPECT_EQ(Compute(descriptor, pixels.data(), Context()), AsDouble(descriptor, ScalarType::Int16, pixels.data()))
          << Name(descriptor);
      }
    }
  }
}

/** Returns one component of the pixels. */
std::vector<unsigned char>
ComponentOf(const std::vector<unsigned char> & pixels, const SourceDescriptor & descriptor, unsigned int component)
{
  const std::size_t          bytes = SizeOf(descriptor.pixel);
  std::vector<unsigned char> alone;
  for (std::size_t at = component * bytes; at < pixels.size(); at += descriptor.components * bytes)
  {
    alone.insert(alone.end(),
                 pixels.begin() + static_cast<std::ptrdiff_t>(at),
                 pixels.begin() + static_cast<std::ptrdiff_t>(at + bytes));
  }
  return alone;
}

TEST_P(PrefilterMethods, ComponentsAreFilteredOneByOne)
{
  FreshRandom random;
  for (const auto & shape : std::vector<std::vector<std::int64_t>>{
         { 1 }, { 300 }, { 1, 5 }, { 37, 21 }, { 140, 67 }, { 20, 33, 17 }, { 3, 130, 5 }, { 5, 4, 3, 35 } })
  {
    for (const unsigned int components : { 2U, 3U, 4U, 7U })
    {
      for (const ScalarType pixel : { ScalarType::UInt8, ScalarType::Float32, ScalarType::Float64 })
      {
        SourceDescriptor descriptor = MakeDescriptor(
          shape, pixel, random.Engine()() % 2 == 0 ? ScalarType::Float32 : ScalarType::Float64, 2 + components % 4);
        descriptor.method = AllMethods()[random.Engine()() % AllMethods().size()];
        descriptor.components = components;
        ChooseExtensions(descriptor, random);
        const auto       pixels = PixelsFor(descriptor, random);
        const auto       together = Compute(descriptor, pixels.data(), Context());
        SourceDescriptor single = descriptor;
        single.components = 1;
        for (unsigned int c = 0; c < components; ++c)
        {
          const auto          alone = Compute(single, ComponentOf(pixels, descriptor, c).data(), Context());
          std::vector<double> own;
          for (std::size_t i = c; i < together.size(); i += components)
          {
            own.push_back(together[i]);
          }
          EXPECT_EQ(own, alone) << "component " << c << ", " << Name(descriptor);
        }
      }
    }
  }
}

TEST_P(PrefilterMethods, WrongArgumentsAreRefused)
{
  std::vector<float> pixels(64, 1.0F);
  std::vector<float> coefficients(64);
  const auto         refused = [&](const SourceDescriptor & descriptor) {
    EXPECT_THROW(Prefilter(descriptor, pixels.data(), coefficients.data(), Context()), std::invalid_argument)
      << Name(descriptor);
    EXPECT_THROW(MakeSource(descriptor, pixels.data(), Context()), std::invalid_argument) << Name(descriptor);
  };
  SourceDescriptor descriptor = MakeDescriptor({ 8, 4 }, ScalarType::Float32, ScalarType::Float32, 3);
  for (const int taps : { 0, -1, -15, 2, 16, 128, 129, std::numeric_limits<int>::max() })
  {
    descriptor.method = Fir(taps);
    refused(descriptor);
  }
  descriptor.order = 1; // no filter, no taps
  EXPECT_NO_THROW(Prefilter(descriptor, pixels.data(), coefficients.data(), Context()));
  descriptor = MakeDescriptor({ 8, 4 }, ScalarType::Float32, ScalarType::Float32, 3);
  descriptor.components = 0;
  refused(descriptor);
  descriptor = MakeDescriptor({ 8, 4 }, ScalarType::UInt8, ScalarType::UInt8, 0);
  descriptor.components = 2;
  refused(descriptor);
}

} // namespace
