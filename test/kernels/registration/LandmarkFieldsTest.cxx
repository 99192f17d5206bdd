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
// Landmarks in registrations by displacement fields on both backends. Expected: constant images cause no forces, so
// only landmarks have an effect. The field reduces their distance to a fifth of a sample, where each iteration moves at
// most a tenth, and it hardly moves the corners. Any number of threads gives the same bits, and host and device agree
// within 1e-6 samples in double.

#include "../fields/FieldCase.h"
#include "LevelCase.h"

#include "itkCudaSpline/kernels/fields/FieldFolding.h"
#include "itkCudaSpline/kernels/registration/GreedyLevel.h"
#include "itkCudaSpline/kernels/registration/SynLevel.h"
#include "itkCudaSpline/kernels/registration/VelocityLevel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** Constant images on an oblique grid, and a landmark in their middle with a given displacement. */
struct ConstantImages
{
  FieldShape   shape;
  LandmarkTerm landmarks;

  ConstantImages(const std::vector<std::int64_t> & size, ScalarType element, const std::vector<double> & samples)
  {
    FreshRandom random;
    shape = { RandomGrid(size, random, false), element };
    Landmark landmark;
    landmark.fixed = this->PointOf(std::vector<double>(samples.size(), 0.0));
    landmark.moving = this->PointOf(samples);
    landmarks.points = { landmark };
    landmarks.weight = 1.0;
  }

  /** A point that is some samples away from the middle. */
  FieldGrid::Vector
  PointOf(const std::vector<double> & samples) const
  {
    FieldGrid::Vector point = shape.grid.origin;
    for (unsigned int c = 0; c < shape.grid.dimension; ++c)
    {
      const double index = static_cast<double>(shape.grid.size[c] / 2) + samples[c];
      for (unsigned int r = 0; r < shape.grid.dimension; ++r)
      {
        point[r] += shape.grid.indexToPoint[r][c] * index;
      }
    }
    return point;
  }

  std::vector<SynTerm>
  Terms(const Residence & residence) const
  {
    std::vector<SynTerm> terms(1);
    const auto           count = static_cast<std::size_t>(shape.grid.Count());
    terms[0].metric.kind = MetricKind::MeanSquares;
    terms[0].metric.arithmetic = shape.element;
    for (SynSide * const side : { &terms[0].fixed, &terms[0].moving })
    {
      side->image = shape.element == ScalarType::Float64
                      ? MakeImage(shape.grid, std::vector<double>(count, 5.0), residence)
                      : MakeImage(shape.grid, std::vector<float>(count, 5.0F), residence);
    }
    return terms;
  }

  /** The field after some iterations. */
  template <typename TLevel>
  std::vector<double>
  Register(const ExecutionContext & context, int iterations) const
  {
    const Residence residence(context);
    SynRules        rules;
    rules.learningRate = 0.1;
    rules.totalVariance = 0.0;
    std::vector<double> field(static_cast<std::size_t>(shape.Numbers()));
    if constexpr (std::is_same<TLevel, VelocityLevel>::value)
    {
      VelocityLevel level(
        shape, this->Terms(residence), VelocityOptions(), residence, VelocityMethod::Symmetric, landmarks);
      this->Iterate(level, rules, iterations);
      level.GetTotalFields(field.data(), nullptr, ScalarType::Float64, FieldMemory::Host, {});
    }
    else
    {
      TLevel level(shape, this->Terms(residence), residence, landmarks);
      this->Iterate(level, rules, iterations);
      if constexpr (std::is_same<TLevel, SynLevel>::value)
      {
        level.GetTotalFields(field.data(), nullptr, ScalarType::Float64, FieldMemory::Host, {});
      }
      else
      {
        level.GetField(field.data(), ScalarType::Float64);
      }
    }
    return field;
  }

  template <typename TLevel>
  static void
  Iterate(TLevel & level, const SynRules & rules, int iterations)
  {
    for (int n = 0; n < iterations; ++n)
    {
      level.Iterate(rules);
    }
  }

  /** Distance of the landmark from its target (samples). */
  double
  DistanceOf(const std::vector<double> & field) const
  {
    const std::int64_t size[] = { shape.grid.size[0], shape.grid.size[1], shape.grid.size[2] };
    const std::int64_t z = shape.grid.dimension == 3 ? size[2] / 2 : 0;
    const std::int64_t middle = (z * size[1] + size[1] / 2) * size[0] + size[0] / 2;
    FieldGrid::Vector  error{};
    for (unsigned int d = 0; d < shape.grid.dimension; ++d)
    {
      error[d] = landmarks.points[0].fixed[d] - landmarks.points[0].moving[d] +
                 field[static_cast<std::size_t>(middle * shape.grid.dimension + d)];
    }
    return this->SamplesOf(error);
  }

  /** Length of a vector in samples. */
  double
  SamplesOf(const FieldGrid::Vector & vector) const
  {
    double square = 0.0;
    for (unsigned int r = 0; r < shape.grid.dimension; ++r)
    {
      double along = 0.0;
      for (unsigned int c = 0; c < shape.grid.dimension; ++c)
      {
        along += shape.grid.pointToIndex[r][c] * vector[c];
      }
      square += along * along;
    }
    return std::sqrt(square);
  }
};

class LandmarkFields : public OnMetricBackend
{
protected:
  /** Offset of the first component of a vector next to a corner. */
  static std::size_t
  OffsetOfCorner(const ConstantImages & images)
  {
    const FieldGrid &  grid = images.shape.grid;
    const std::int64_t slices = grid.dimension == 3 ? 1 : 0;
    return static_cast<std::size_t>(((slices * grid.size[1] + 1) * grid.size[0] + 1) * grid.dimension);
  }

  template <typename TLevel>
  void
  BringsALandmarkToItsTarget(ScalarType element)
  {
    const std::vector<ConstantImages> cases{ ConstantImages({ 33, 31 }, element, { 1.5, -1.0 }),
                                             ConstantImages({ 17, 19, 15 }, element, { 1.0, 0.5, -0.5 }) };
    for (const ConstantImages & images : cases)
    {
      ExecutionContext context = this->OnBackend();
      const auto       field = images.Register<TLevel>(context, 40);
      EXPECT_LT(images.DistanceOf(field), 0.2);
      EXPECT_LT(std::abs(field[this->OffsetOfCorner(images)]), 0.1);
      const ThreadExecutor one{ 1 };
      context.host = &one;
      EXPECT_EQ(images.Register<TLevel>(context, 40), field);
      context.backend = Backend::Cpu;
      const auto onHost = images.Register<TLevel>(context, 40);
      double     worst = 0.0;
      for (std::size_t n = 0; n < field.size(); ++n)
      {
        worst = std::max(worst, std::abs(onHost[n] - field[n]));
      }
      EXPECT_LE(worst, element == ScalarType::Float64 ? 1e-6 : 0.05);
    }
  }
};

TEST_P(LandmarkFields, GreedyBringsALandmarkToItsTarget)
{
  this->BringsALandmarkToItsTarget<GreedyLevel>(ScalarType::Float64);
  this->BringsALandmarkToItsTarget<GreedyLevel>(ScalarType::Float32);
}

TEST_P(LandmarkFields, SynBringsALandmarkToItsTarget)
{
  this->BringsALandmarkToItsTarget<SynLevel>(ScalarType::Float64);
  this->BringsALandmarkToItsTarget<SynLevel>(ScalarType::Float32);
}

TEST_P(LandmarkFields, VelocitiesBringALandmarkToItsTarget)
{
  this->BringsALandmarkToItsTarget<VelocityLevel>(ScalarType::Float64);
}

/** The value is the weighted mean squared distance, to which the images add nothing. */
TEST_P(LandmarkFields, AddTheirSquaredDistances)
{
  ConstantImages images({ 21, 25 }, ScalarType::Float64, { 2.0, 1.0 });
  images.landmarks.weight = 0.5;
  Landmark same;
  same.fixed = same.moving = images.PointOf({ 4.0, -3.0 });
  images.landmarks.points.push_back(same);
  const Residence  residence(this->OnBackend());
  const Landmark & own = images.landmarks.points.front();
  const double     square = std::pow(own.fixed[0] - own.moving[0], 2) + std::pow(own.fixed[1] - own.moving[1], 2);
  GreedyLevel      greedy(images.shape, images.Terms(residence), residence, images.landmarks);
  SynLevel         syn(images.shape, images.Terms(residence), residence, images.landmarks);
  EXPECT_NEAR(greedy.Compare(SynRules()), 0.25 * square, 1e-12 * square);
  EXPECT_NEAR(syn.Compare(SynRules()), 0.25 * square, 1e-12 * square);
}

/** Many landmarks at one point have the same effect as one. */
TEST_P(LandmarkFields, CloseLandmarksDoNotAddUp)
{
  ConstantImages images({ 33, 31 }, ScalarType::Float64, { 3.0, -2.0 });
  const auto     field = images.Register<GreedyLevel>(this->OnBackend(), 5);
  images.landmarks.points.assign(100, images.landmarks.points.front());
  const auto many = images.Register<GreedyLevel>(this->OnBackend(), 5);
  for (std::size_t n = 0; n < field.size(); ++n)
  {
    ASSERT_NEAR(many[n], field[n], 1e-12);
  }
}

/** A landmark outside of the grid has no force. */
TEST_P(LandmarkFields, OutsideOfTheGridHaveNoForce)
{
  const ConstantImages images({ 21, 25 }, ScalarType::Float64, { 40.0, 0.0 });
  ConstantImages       outside = images;
  std::swap(outside.landmarks.points[0].fixed, outside.landmarks.points[0].moving);
  const auto field = outside.Register<GreedyLevel>(this->OnBackend(), 3);
  EXPECT_EQ(*std::max_element(field.begin(), field.end()), 0.0);
  EXPECT_EQ(*std::min_element(field.begin(), field.end()), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Backends, LandmarkFields, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
