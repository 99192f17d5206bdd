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
#ifndef LocalCase_h
#define LocalCase_h

#include "kernels/metrics/gradient_fields/GradientFields.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"

#include "../common/KernelTestData.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/** \file
 * \brief Pairs of images for local correlation and for gradient fields, and the results of simple loops. */

namespace CudaSplineTest
{

/** Returns a grid along the axes of space, from index 0. */
inline FieldGrid
MakeGrid(const std::vector<std::int64_t> & size, const std::vector<double> & spacing = { 1.0, 1.0, 1.0 })
{
  FieldGrid grid;
  grid.dimension = static_cast<unsigned int>(size.size());
  for (std::size_t d = 0; d < size.size(); ++d)
  {
    grid.size[d] = size[d];
    grid.spacing[d] = spacing[d];
    grid.indexToPoint[d][d] = spacing[d];
    grid.pointToIndex[d][d] = 1.0 / spacing[d];
  }
  return grid;
}

/** Results of local correlation or gradient fields, on the host. */
struct LocalOutcome
{
  LocalCorrelationSums sums;
  PointSums            differences; ///< of gradient fields
  std::vector<double>  moving;      ///< derivative by the moving image's displacement, or its factors
  std::vector<double>  fixed;

  double
  Value() const
  {
    return differences.count > 0 ? differences.squares / static_cast<double>(differences.count)
                                 : LocalCorrelationValue(sums);
  }
};

/** Two images and their comparison. Pixels have the type of the descriptor. */
struct LocalCase
{
  LocalCorrelationDescriptor descriptor;
  bool                       comparesGradients{ false };
  std::vector<double>        fixed;
  std::vector<double>        moving;
  std::vector<std::uint8_t>  fixedInside; ///< empty: none
  std::vector<std::uint8_t>  movingInside;
  std::vector<double>        fixedGradient; ///< empty: differences
  std::vector<double>        movingGradient;

  std::size_t
  Count() const
  {
    return static_cast<std::size_t>(descriptor.grid.Count());
  }

  /** The options of gradient fields; variance floors are squares of edge parameters. */
  GradientFieldsDescriptor
  GetGradients() const
  {
    return {
      descriptor.grid, descriptor.pixel, descriptor.derivative, descriptor.factorsAlone, descriptor.varianceFloors
    };
  }

  /** Fills with noise about an offset, rounded to the type of the pixels. The moving image is correlated with the fixed
   * one. */
  void
  Fill(FreshRandom & random, double offset)
  {
    const auto rounded = [this](double x) {
      return descriptor.pixel == ScalarType::Float32 ? static_cast<double>(static_cast<float>(x)) : x;
    };
    fixed.resize(this->Count());
    moving.resize(this->Count());
    for (std::size_t i = 0; i < fixed.size(); ++i)
    {
      fixed[i] = rounded(offset + random.Uniform(-50.0, 50.0));
      moving[i] = rounded(0.4 * fixed[i] + random.Uniform(-20.0, 20.0));
    }
  }

  /** Returns a mask of samples with a given probability. */
  static std::vector<std::uint8_t>
  RandomMask(FreshRandom & random, std::size_t count, double likelihood)
  {
    std::vector<std::uint8_t> mask(count);
    for (auto & inside : mask)
    {
      inside = random.Uniform(0.0, 1.0) < likelihood ? 1 : 0;
    }
    return mask;
  }

  LocalOutcome
  Run(const ExecutionContext & context, bool wantsMoving = true, bool wantsFixed = true) const
  {
    const Residence residence(context);
    const auto      upload = [&](const std::vector<double> & numbers, ScalarType type) {
      ResidentArray array(numbers.size() * SizeOf(type), residence);
      if (type == ScalarType::Float32)
      {
        const std::vector<float> single(numbers.begin(), numbers.end());
        Upload(array.Data(), single.data(), array.Bytes(), residence);
      }
      else
      {
        Upload(array.Data(), numbers.data(), array.Bytes(), residence);
      }
      return array;
    };
    const auto uploadMask = [&](const std::vector<std::uint8_t> & mask) {
      ResidentArray array(mask.size(), residence);
      Upload(array.Data(), mask.data(), mask.size(), residence);
      return array;
    };
    const ResidentArray onFixed = upload(fixed, descriptor.pixel);
    const ResidentArray onMoving = upload(moving, descriptor.pixel);
    const ResidentArray onFixedInside = uploadMask(fixedInside);
    const ResidentArray onMovingInside = uploadMask(movingInside);
    const ResidentArray onFixedGradient = upload(fixedGradient, descriptor.derivative);
    const ResidentArray onMovingGradient = upload(movingGradient, descriptor.derivative);

    const std::size_t   numbers = this->Count() * (descriptor.factorsAlone ? 1 : descriptor.grid.dimension);
    const std::size_t   bytes = numbers * SizeOf(descriptor.derivative);
    const ResidentArray sums(sizeof(LocalCorrelationSums), residence);
    const ResidentArray ofMoving(wantsMoving ? bytes : 0, residence);
    const ResidentArray ofFixed(wantsFixed ? bytes : 0, residence);
    const ResidentArray scratch(comparesGradients ? CountGradientFieldsScratch(this->GetGradients())
                                                  : CountLocalCorrelationScratch(descriptor, residence),
                                residence);

    LocalCorrelationImages images;
    images.fixed = onFixed.Data();
    images.moving = onMoving.Data();
    images.fixedInside = onFixedInside.As<std::uint8_t>();
    images.movingInside = onMovingInside.As<std::uint8_t>();
    images.fixedGradient = onFixedGradient.Data();
    images.movingGradient = onMovingGradient.Data();
    LocalOutcome outcome;
    if (comparesGradients)
    {
      auto * const found = sums.As<PointSums>();
      EvaluateGradientFields(
        this->GetGradients(), images, found, ofMoving.Data(), ofFixed.Data(), scratch.Data(), residence);
      Download(&outcome.differences, found, sizeof(outcome.differences), residence);
    }
    else
    {
      auto * const found = sums.As<LocalCorrelationSums>();
      EvaluateLocalCorrelation(descriptor, images, found, ofMoving.Data(), ofFixed.Data(), scratch.Data(), residence);
      Download(&outcome.sums, found, sizeof(outcome.sums), residence);
    }
    const auto download = [&](const ResidentArray & array) {
      std::vector<double> result(array.Bytes() / SizeOf(descriptor.derivative));
      if (descriptor.derivative == ScalarType::Float32)
      {
        std::vector<float> single(result.size());
        Download(single.data(), array.Data(), array.Bytes(), residence);
        result.assign(single.begin(), single.end());
      }
      else
      {
        Download(result.data(), array.Data(), array.Bytes(), residence);
      }
      return result;
    };
    outcome.moving = download(ofMoving);
    outcome.fixed = download(ofFixed);
    return outcome;
  }

  /** Computes simple loops over the window of each sample, in extended precision. Constant windows are detected by
   * their values. */
  LocalOutcome
  Expected() const
  {
    using Real = long double;
    LocalOutcome       outcome;
    const auto &       size = descriptor.grid.size;
    const unsigned int dimension = descriptor.grid.dimension;
    const std::size_t  numbers = descriptor.factorsAlone ? 1 : dimension;
    const bool isRounded = descriptor.pixel == ScalarType::Float32 && descriptor.arithmetic == ScalarType::Float64;
    const auto product = [isRounded](double a, double b) {
      const volatile float single = static_cast<float>(a) * static_cast<float>(b);
      return isRounded ? static_cast<Real>(single) : static_cast<Real>(a) * static_cast<Real>(b);
    };
    const auto isValid = [&](std::size_t at) {
      return (fixedInside.empty() || fixedInside[at] != 0) && (movingInside.empty() || movingInside[at] != 0);
    };
    outcome.moving.assign(this->Count() * numbers, 0.0);
    outcome.fixed.assign(this->Count() * numbers, 0.0);
    std::vector<Real>           byMoving(this->Count(), 0); // factors of the gradients
    std::vector<Real>           byFixed(this->Count(), 0);
    Real                        correlation = 0;
    std::array<std::int64_t, 3> at{};
    for (std::size_t i = 0; i < this->Count(); ++i)
    {
      auto rest = static_cast<std::int64_t>(i);
      for (unsigned int d = 0; d < 3; ++d)
      {
        at[d] = rest % size[d];
        rest /= size[d];
      }
      if (!isValid(i))
      {
        continue;
      }
      std::array<std::int64_t, 3> first{};
      std::array<std::int64_t, 3> last{};
      for (unsigned int d = 0; d < 3; ++d)
      {
        const std::int64_t radius = d < dimension ? descriptor.radius[d] : 0;
        first[d] = std::max<std::int64_t>(0, at[d] - radius);
        last[d] = std::min(size[d] - 1, at[d] + radius);
      }
      Real                     n = 0, f = 0, m = 0, ff = 0, mm = 0, fm = 0;
      std::vector<std::size_t> window;
      double                   lowest[2] = { HUGE_VAL, HUGE_VAL };
      double                   highest[2] = { -HUGE_VAL, -HUGE_VAL };
      bool                     isFinite = true;
      for (std::int64_t z = first[2]; z <= last[2]; ++z)
      {
        for (std::int64_t y = first[1]; y <= last[1]; ++y)
        {
          for (std::int64_t x = first[0]; x <= last[0]; ++x)
          {
            const auto k = static_cast<std::size_t>((z * size[1] + y) * size[0] + x);
            if (!isValid(k))
            {
              continue;
            }
            window.push_back(k);
            const double a = fixed[k];
            const double b = moving[k];
            isFinite = isFinite && std::isfinite(a) && std::isfinite(b);
            lowest[0] = std::min(lowest[0], a);
            highest[0] = std::max(highest[0], a);
            lowest[1] = std::min(lowest[1], b);
            highest[1] = std::max(highest[1], b);
            n += 1;
            f += a;
            m += b;
            ff += product(a, a);
            mm += product(b, b);
            fm += product(a, b);
          }
        }
      }
      ++outcome.sums.count;
      const auto & floors = descriptor.varianceFloors;
      if (!isFinite || (lowest[0] == highest[0] && floors[0] == 0.0) || (lowest[1] == highest[1] && floors[1] == 0.0))
      {
        ++outcome.sums.flatWindows;
        correlation += 1;
        continue;
      }
      const Real sff = ff - f / n * f + n * (descriptor.isExact ? floors[0] : 0.0);
      const Real smm = mm - m / n * m + n * (descriptor.isExact ? floors[1] : 0.0);
      const Real sfm = fm - f / n * m;
      correlation += sfm * sfm / (sff * smm);
      // The window changes the factor of its centre, or those of all of its samples.
      for (const std::size_t k : descriptor.isExact ? window : std::vector<std::size_t>{ i })
      {
        const Real df = fixed[k] - f / n;
        const Real dm = moving[k] - m / n;
        byMoving[k] += 2 * sfm / (sff * smm) * (df - sfm / smm * dm);
        byFixed[k] += 2 * sfm / (sff * smm) * (dm - sfm / sff * df);
      }
    }
    for (std::size_t i = 0; i < this->Count(); ++i)
    {
      for (std::size_t d = 0; d < numbers; ++d)
      {
        const auto ofSample = [&](Real factor, const std::vector<double> & given, const std::vector<double> & image) {
          if (descriptor.factorsAlone || factor == 0)
          {
            return static_cast<double>(factor);
          }
          const double gradient = given.empty() ? this->Difference(image, i, d) : given[i * numbers + d];
          return static_cast<double>(factor * gradient);
        };
        outcome.moving[i * numbers + d] = ofSample(byMoving[i], movingGradient, moving);
        outcome.fixed[i * numbers + d] = ofSample(byFixed[i], fixedGradient, fixed);
      }
    }
    outcome.sums.correlation = static_cast<double>(correlation);
    return outcome;
  }

  /** Computes differences along the axes of space, from index 0 and point 0 with a spacing for which halves are exact:
   * the point before the first sample is at index -1/2, inside, the one after the last sample is at the end, outside.
   */
  double
  Difference(const std::vector<double> & image, std::size_t i, std::size_t d) const
  {
    const auto & size = descriptor.grid.size;
    std::size_t  step = 1;
    for (std::size_t k = 0; k < d; ++k)
    {
      step *= static_cast<std::size_t>(size[k]);
    }
    const auto at = i / step % static_cast<std::size_t>(size[d]);
    if (at + 1 == static_cast<std::size_t>(size[d]))
    {
      return 0.0;
    }
    const double below = at == 0 ? image[i] : image[i - step];
    return (image[i + step] - below) * 0.5 / descriptor.grid.spacing[d];
  }
};

/** Returns the L2 norm of a difference divided by that of \p expected. */
inline double
RelativeDistance(const std::vector<double> & found, const std::vector<double> & expected)
{
  EXPECT_EQ(found.size(), expected.size());
  double difference = 0.0;
  double norm = 0.0;
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
  {
    difference += (found[i] - expected[i]) * (found[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  return norm > 0.0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

} // namespace CudaSplineTest

#endif
