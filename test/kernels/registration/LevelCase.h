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
#ifndef LevelCase_h
#define LevelCase_h

#include "../metrics/MetricCase.h"

#include "itkCudaSpline/kernels/registration/LinearLevel.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

/** \file
 * \brief Images, metrics and transforms for the tests of levels. */

namespace CudaSplineTest
{

/** A grid whose axes are those of space, with samples 1 mm apart. */
inline FieldGrid
MakeGrid(unsigned int dimension, std::int64_t length)
{
  FieldGrid grid;
  grid.dimension = dimension;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    grid.size[d] = length;
    grid.indexToPoint[d][d] = 1.0;
    grid.pointToIndex[d][d] = 1.0;
  }
  return grid;
}

/** Pixels from a function of the position. */
template <typename TFunction>
std::vector<double>
MakePixels(const FieldGrid & grid, const TFunction & function)
{
  std::vector<double> pixels;
  for (std::int64_t z = 0; z < grid.size[2]; ++z)
  {
    for (std::int64_t y = 0; y < grid.size[1]; ++y)
    {
      for (std::int64_t x = 0; x < grid.size[0]; ++x)
      {
        pixels.push_back(function(LinearTransform::Vector{ grid.origin[0] + static_cast<double>(x),
                                                           grid.origin[1] + static_cast<double>(y),
                                                           grid.origin[2] + static_cast<double>(z) }));
      }
    }
  }
  return pixels;
}

template <typename TPixel>
ResidentImage
MakeImage(const FieldGrid & grid, const std::vector<TPixel> & pixels, const Residence & residence)
{
  ResidentImage image;
  const auto    array = std::make_shared<ResidentArray>(pixels.size() * sizeof(TPixel), residence);
  Upload(array->Data(), pixels.data(), array->Bytes(), residence);
  image.grid = grid;
  image.pixel = ScalarTypeOf<TPixel>();
  image.data = std::shared_ptr<const void>(array, array->Data());
  return image;
}

/** Waves with wavelengths of some samples. */
inline double
Waves(const LinearTransform::Vector & x)
{
  double value = 100.0;
  for (unsigned int d = 0; d < 3; ++d)
  {
    value += 20.0 * std::sin(0.31 * x[d] + d) + 10.0 * std::sin(0.47 * x[d] + 0.2 * x[(d + 1) % 3]);
  }
  return value;
}

/** A fixed image inside of a larger moving one, so that all samples stay valid. */
struct Pair
{
  FieldGrid           inner;
  FieldGrid           outer;
  std::vector<double> fixed;
  std::vector<double> moving;

  explicit Pair(unsigned int dimension)
    : inner(MakeGrid(dimension, 18))
    , outer(MakeGrid(dimension, 34))
  {
    outer.origin.fill(-8.0);
    if (dimension == 2)
    {
      outer.origin[2] = 0.0;
    }
    fixed = MakePixels(inner, Waves);
    moving = MakePixels(outer, [](LinearTransform::Vector x) {
      x[0] += 0.4;
      return 3.0 + 0.8 * Waves(x) + 4.0 * std::sin(0.2 * x[1]);
    });
    // Splines exceed the range of their pixels slightly, and mutual information ignores values outside of that range.
    // So there are lower and higher pixels far away.
    moving.front() = -100.0;
    moving.back() = 400.0;
  }

  /** The fixed side and the moving one. */
  std::array<SynSide, 2>
  Sides(const Residence & residence, std::vector<TransformChain::Stage> behind) const
  {
    std::array<SynSide, 2> sides;
    sides[0].image = MakeImage(inner, fixed, residence);
    sides[1].image = MakeImage(outer, moving, residence);
    sides[1].stages = std::move(behind);
    return sides;
  }

  /** The same images as an additional pair. */
  std::vector<LinearPair>
  Others(double weight, const Residence & residence, std::vector<TransformChain::Stage> behind = {}) const
  {
    auto sides = this->Sides(residence, std::move(behind));
    return { { sides[0], sides[1], weight } };
  }

  std::unique_ptr<LinearLevel>
  Level(const LinearMetric & metric, const Residence & residence, std::vector<TransformChain::Stage> behind = {}) const
  {
    auto sides = this->Sides(residence, std::move(behind));
    return std::make_unique<LinearLevel>(inner, sides[0], sides[1], metric, residence);
  }
};

/** A metric whose gradient is the derivative of its values. */
inline LinearMetric
SplineMetric(MetricKind kind)
{
  LinearMetric metric;
  metric.kind = kind;
  metric.bins = 20;
  metric.order = 3;
  metric.gradient = MetricGradient::Analytic;
  metric.arithmetic = ScalarType::Float64;
  return metric;
}

/** Landmarks around a Pair; the last one is outside of its fixed image. */
inline LandmarkTerm
SomeLandmarks(unsigned int dimension)
{
  LandmarkTerm term;
  term.weight = 30.0;
  term.points = { { { 3.0, 4.5, 6.0 }, { 5.0, 4.0, 7.5 } },
                  { { 12.25, 9.0, 2.0 }, { 11.0, 8.0, 3.0 } },
                  { { 12.5, 9.25, 2.0 }, { 13.0, 10.0, 1.0 } },
                  { { -4.0, 25.0, 9.0 }, { -2.0, 24.0, 9.5 } } };
  for (Landmark & landmark : term.points)
  {
    landmark.fixed[2] *= dimension == 3 ? 1.0 : 0.0;
    landmark.moving[2] *= dimension == 3 ? 1.0 : 0.0;
  }
  return term;
}

/** A slight shear. */
inline TransformChain::Stage
Shear(unsigned int dimension)
{
  TransformChain::Stage stage;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    stage.matrix[d][d] = 1.0 + 0.02 * d;
    stage.matrix[d][(d + 1) % dimension] = 0.05;
    stage.offset[d] = 0.3;
  }
  return stage;
}

/** Small waves as a cubic B-spline whose domain contains the fixed image. */
inline TransformChain::Stage
Bend(unsigned int dimension)
{
  TransformChain::Stage stage;
  stage.kind = TransformKind::BSpline;
  stage.order = 3;
  std::int64_t numbers = dimension;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    stage.size[d] = 7;
    stage.origin[d] = -15.0;
    stage.pointToIndex[d][d] = 1.0 / 8.0;
    numbers *= stage.size[d];
  }
  const auto data = std::make_shared<std::vector<double>>();
  for (std::int64_t n = 0; n < numbers; ++n)
  {
    data->push_back(0.4 * std::cos(1.7 * static_cast<double>(n)));
  }
  stage.data = std::shared_ptr<const double>(data, data->data());
  return stage;
}

/** Where a cubic B-spline moves a position, by a plain loop over all coefficients. */
inline LinearTransform::Vector
MoveBySpline(const TransformChain::Stage &   spline,
             const std::vector<double> &     coefficients,
             const LinearTransform::Vector & place,
             unsigned int                    dimension)
{
  const auto weight = [](double x) {
    x = std::abs(x);
    return x < 1.0 ? 2.0 / 3.0 - x * x + 0.5 * x * x * x : (x < 2.0 ? (2.0 - x) * (2.0 - x) * (2.0 - x) / 6.0 : 0.0);
  };
  LinearTransform::Vector moved = place;
  const std::int64_t      nodes = spline.size[0] * spline.size[1] * spline.size[2];
  for (std::int64_t node = 0; node < nodes; ++node)
  {
    const std::int64_t at[3] = { node % spline.size[0],
                                 node / spline.size[0] % spline.size[1],
                                 node / spline.size[0] / spline.size[1] };
    double             all = 1.0;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      const double index = (place[d] - spline.origin[d]) * spline.pointToIndex[d][d];
      all *= weight(index - static_cast<double>(at[d]));
    }
    for (unsigned int d = 0; d < dimension; ++d)
    {
      moved[d] += all * coefficients[static_cast<std::size_t>(d * nodes + node)];
    }
  }
  return moved;
}

} // namespace CudaSplineTest

#endif
