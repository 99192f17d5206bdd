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
#ifndef BentPhantoms_h
#define BentPhantoms_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/** \file
 * \brief Pairs of images whose displacements are known. */

namespace CudaSplineTest
{

using namespace itk::CudaSpline;

/** Images of 30^3 samples or 40^2, 1 mm apart. */
template <unsigned int VDimension>
struct BentPhantoms
{
  static constexpr std::int64_t Length = VDimension == 2 ? 40 : 30;
  using Place = std::array<double, VDimension>;

  FieldShape          shape;
  std::vector<double> fixed;
  std::vector<double> moving;

  explicit BentPhantoms(ScalarType element)
  {
    shape.element = element;
    shape.grid.dimension = VDimension;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      shape.grid.size[d] = Length;
      shape.grid.indexToPoint[d][d] = 1.0;
      shape.grid.pointToIndex[d][d] = 1.0;
    }
    for (std::int64_t n = 0; n < shape.grid.Count(); ++n)
    {
      const Place place = PlaceOf(n);
      fixed.push_back(Texture(place));
      moving.push_back(Texture(Move(place)));
    }
  }

  static Place
  PlaceOf(std::int64_t n)
  {
    Place place;
    for (double & x : place)
    {
      x = static_cast<double>(n % Length);
      n /= Length;
    }
    return place;
  }
  static Place
  Move(const Place & y)
  {
    Place moved = y;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      moved[d] += 1.1 * std::sin(0.2 * y[(d + 1) % VDimension] + d);
    }
    return moved;
  }
  static double
  Texture(const Place & x)
  {
    double value = 100.0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      value += 20.0 * std::sin(0.7 * x[d] + d) + 10.0 * std::sin(1.2 * x[d] + 0.5 * x[(d + 1) % VDimension]);
    }
    return value;
  }

  /** Mean of |p(x) + d(p(x)) - x| at least 5 samples off the border. */
  double
  MeanError(const std::vector<double> & field) const
  {
    double       sum = 0.0;
    std::int64_t count = 0;
    for (std::int64_t n = 0; n < shape.grid.Count(); ++n)
    {
      const Place x = PlaceOf(n);
      Place       to = x;
      bool        isInside = true;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        to[d] += field[static_cast<std::size_t>(n) * VDimension + d];
        isInside = isInside && x[d] >= 5.0 && x[d] < static_cast<double>(Length - 5);
      }
      if (isInside)
      {
        const Place found = Move(to);
        double      square = 0.0;
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          square += (found[d] - x[d]) * (found[d] - x[d]);
        }
        sum += std::sqrt(square);
        ++count;
      }
    }
    return sum / static_cast<double>(count);
  }

  /** A side of the registration. */
  SynSide
  Side(const std::vector<double> & pixels, const Residence & residence) const
  {
    SynSide    side;
    const auto array = std::make_shared<ResidentArray>(pixels.size() * sizeof(double), residence);
    Upload(array->Data(), pixels.data(), array->Bytes(), residence);
    side.image.grid = shape.grid;
    side.image.pixel = ScalarType::Float64;
    side.image.data = std::shared_ptr<const void>(array, array->Data());
    return side;
  }

  static SynRules
  MakeRules(FieldOptimizer optimizer = FieldOptimizer::FixedStep, double determinantLimit = 0.0)
  {
    SynRules rules;
    rules.learningRate = 0.3;
    rules.updateVariance = 2.0;
    rules.totalVariance = 0.3;
    rules.optimizer = optimizer;
    rules.determinantLimit = determinantLimit;
    return rules;
  }
};

} // namespace CudaSplineTest

#endif
