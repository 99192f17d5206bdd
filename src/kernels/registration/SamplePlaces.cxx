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

#include <array>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{

/** The deviates of itk::Statistics::MersenneTwisterRandomVariateGenerator, whose generator is the standard's. */
class Deviates
{
public:
  explicit Deviates(std::uint32_t seed)
    : m_Generator(seed)
  {}

  /** In (0, 1). */
  double
  Open()
  {
    return (this->Next() + 0.5) * (1.0 / 4294967296.0);
  }

  /** Of the variance 1, by the method of Box and Muller. */
  double
  Normal()
  {
    constexpr double pi = 3.14159265358979323846;
    const double     radius = std::sqrt(-2.0 * std::log(1.0 - this->Open()));
    return radius * std::cos(2.0 * pi * (this->Next() * (1.0 / 4294967296.0)));
  }

private:
  double
  Next()
  {
    return static_cast<double>(m_Generator());
  }

  std::mt19937 m_Generator;
};

/** Of SampleChoice::Regular: one of so many samples. */
std::int64_t
StrideOf(const SampleRules & rules)
{
  return static_cast<std::int64_t>(std::ceil(1.0 / rules.fraction));
}

void
Check(const SampleRules & rules)
{
  // Less than that many samples no image has.
  if (!(rules.fraction >= 1e-15 && rules.fraction <= 1.0))
  {
    throw std::invalid_argument("The fraction of the samples is above 0 and at most 1, not " +
                                std::to_string(rules.fraction) + ".");
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
  // ITK's product of a float and a double.
  return static_cast<std::size_t>(static_cast<double>(static_cast<float>(grid.Count())) * rules.fraction);
}

std::vector<double>
DrawPlaces(const FieldGrid & grid, const SampleRules & rules, std::size_t level)
{
  const std::size_t   count = CountDrawnPlaces(grid, rules);
  std::vector<double> places;
  if (rules.choice == SampleChoice::All)
  {
    return places;
  }
  if (count == 0)
  {
    throw std::invalid_argument("A fraction of " + std::to_string(rules.fraction) + " leaves none of the " +
                                std::to_string(grid.Count()) + " samples of level " + std::to_string(level + 1) + ".");
  }
  const bool isRandom = rules.choice == SampleChoice::Random;
  // ITK takes a seed for what moves the samples, and then one for what chooses them, from level to level.
  const auto seed = rules.seed + static_cast<std::uint32_t>(isRandom ? 2 * level : level);
  Deviates   moved(seed);
  Deviates   chosen(seed + 1);
  places.reserve(count * grid.dimension);
  for (std::size_t n = 0; n < count; ++n)
  {
    // Random numbers of ITK reach half a sample less than there are.
    std::int64_t rest = isRandom ? static_cast<std::int64_t>(chosen.Open() * (static_cast<double>(grid.Count()) - 0.5))
                                 : static_cast<std::int64_t>(n) * StrideOf(rules);
    std::array<double, 3> index{};
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      index[d] = static_cast<double>(grid.start[d] + rest % grid.size[d]);
      rest /= grid.size[d];
    }
    for (unsigned int r = 0; r < grid.dimension; ++r)
    {
      double place = grid.origin[r];
      for (unsigned int c = 0; c < grid.dimension; ++c)
      {
        place += grid.indexToPoint[r][c] * index[c];
      }
      places.push_back(place + moved.Normal() * (grid.spacing[r] / 3.0));
    }
  }
  return places;
}

} // namespace itk::CudaSpline
