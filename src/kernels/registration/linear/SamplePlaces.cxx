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
#include "itkCudaSpline/kernels/registration/SamplePlaces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{

/** The generator of itk::Statistics::MersenneTwisterRandomVariateGenerator. */
using Generator = std::mt19937;

/** Maps a number of the generator to (0, 1). */
double
Open(std::uint32_t number)
{
  return (number + 0.5) * (1.0 / 4294967296.0);
}

/** Maps two numbers of the generator to a normal distribution of variance 1, by the method of Box and Muller. */
double
Normal(const std::uint32_t * numbers)
{
  constexpr double pi = 3.14159265358979323846;
  const double     radius = std::sqrt(-2.0 * std::log(1.0 - Open(numbers[0])));
  return radius * std::cos(2.0 * pi * (numbers[1] * (1.0 / 4294967296.0)));
}

/** Number of points that are computed at once: enough for all threads. */
constexpr std::size_t BlockOfPlaces = 1 << 16;

/** Returns the stride of SampleChoice::Regular. */
std::int64_t
StrideOf(const SampleRules & rules)
{
  return static_cast<std::int64_t>(std::ceil(1.0 / rules.fraction));
}

void
Check(const SampleRules & rules)
{
  // No image has enough samples for a smaller fraction.
  if (!(rules.fraction >= 1e-15 && rules.fraction <= 1.0))
  {
    throw std::invalid_argument("The fraction of the samples is " + std::to_string(rules.fraction) +
                                "; it must be above 0 and at most 1.");
  }
}

} // namespace

std::size_t
CountDrawnPlaces(const FieldGrid & grid, const SampleRules & rules)
{
  if (rules.choice == SampleChoice::All)
  {
    return 0;
  }
  Check(rules);
  if (rules.choice == SampleChoice::Regular)
  {
    const std::int64_t stride = StrideOf(rules);
    return static_cast<std::size_t>((grid.Count() - 1) / stride + 1);
  }
  // ITK multiplies a float and a double.
  return static_cast<std::size_t>(static_cast<double>(static_cast<float>(grid.Count())) * rules.fraction);
}

std::vector<double>
DrawPlaces(const FieldGrid & grid, const SampleRules & rules, std::size_t level, const ExecutionContext & context)
{
  const std::size_t count = CountDrawnPlaces(grid, rules);
  if (rules.choice == SampleChoice::All)
  {
    return {};
  }
  if (count == 0)
  {
    throw std::invalid_argument("A fraction of " + std::to_string(rules.fraction) + " selects no sample of level " +
                                std::to_string(level + 1) + ", which has " + std::to_string(grid.Count()) +
                                "; use a larger fraction.");
  }
  const bool isRandom = rules.choice == SampleChoice::Random;
  // ITK uses one seed to move the samples and another one to choose them. The seeds increase from level to level.
  const auto seed = rules.seed + static_cast<std::uint32_t>(isRandom ? 2 * level : level);
  Generator  mover(seed);
  Generator  chooser(seed + 1);

  // The generator is sequential. Computing points from its numbers takes most of the time, and uses all threads.
  const std::size_t          dimension = grid.dimension;
  const std::size_t          block = std::min(count, BlockOfPlaces);
  std::vector<std::uint32_t> moves(2 * dimension * block);
  std::vector<std::uint32_t> choices(isRandom ? block : 0);
  std::vector<double>        places(count * dimension);
  for (std::size_t first = 0; first < count; first += block)
  {
    const std::size_t some = std::min(block, count - first);
    std::generate_n(moves.begin(), 2 * dimension * some, std::ref(mover));
    std::generate_n(choices.begin(), isRandom ? some : 0, std::ref(chooser));
    context.ParallelFor(static_cast<std::int64_t>(some), [&, first](std::int64_t begin, std::int64_t end) {
      for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n)
      {
        // Random positions of ITK end half a sample before the number of samples.
        std::int64_t          rest = isRandom
                                       ? static_cast<std::int64_t>(Open(choices[n]) * (static_cast<double>(grid.Count()) - 0.5))
                                       : static_cast<std::int64_t>(first + n) * StrideOf(rules);
        std::array<double, 3> index{};
        for (unsigned int d = 0; d < dimension; ++d)
        {
          index[d] = static_cast<double>(grid.start[d] + rest % grid.size[d]);
          rest /= grid.size[d];
        }
        for (unsigned int r = 0; r < dimension; ++r)
        {
          double place = grid.origin[r];
          for (unsigned int c = 0; c < dimension; ++c)
          {
            place += grid.indexToPoint[r][c] * index[c];
          }
          const double move = Normal(&moves[2 * (dimension * n + r)]);
          places[dimension * (first + n) + r] = place + move * (grid.spacing[r] / 3.0);
        }
      }
    });
  }
  return places;
}

} // namespace itk::CudaSpline
