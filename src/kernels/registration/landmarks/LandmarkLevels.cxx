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
#include "kernels/registration/landmarks/LandmarkLevels.h"

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/fields/FieldOperations.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"

#include "kernels/fields/common/FieldLoopCpu.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

/** Runs a body, or a function that makes bodies, on the backend of the memory. */
template <typename TArguments, typename TWalk>
void
RunLandmarks(const TArguments & arguments, const Residence & residence, const TWalk & walk)
{
  if (residence.IsOnDevice())
  {
    WalkLandmarksOnCuda(arguments, residence);
    return;
  }
  walk(arguments, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

template <typename TBody>
void
RunLandmarkBody(const TBody & body, const Residence & residence)
{
  RunLandmarks(body, residence, [](const auto & own, const auto & enqueue) { enqueue(own); });
}

void
CheckLandmarks(const LandmarkTerm & term, unsigned int dimension)
{
  if (term.points.size() > MaxLandmarks)
  {
    throw std::invalid_argument("There are " + std::to_string(term.points.size()) + " landmarks; at most " +
                                std::to_string(MaxLandmarks) + " are supported.");
  }
  for (std::size_t n = 0; n < term.points.size(); ++n)
  {
    for (unsigned int d = 0; d < dimension; ++d)
    {
      if (!std::isfinite(term.points[n].fixed[d]) || !std::isfinite(term.points[n].moving[d]))
      {
        throw std::invalid_argument("Landmark " + std::to_string(n + 1) +
                                    " has a coordinate that is not a finite number.");
      }
    }
  }
}

/** Computes the weights of landmarks. Forces of landmarks that are close to each other should not add up, so each one
 * is divided by the sum of the Gaussians of all landmarks at its point. */
void
FindShares(std::vector<LandmarkTarget> & targets, const FieldGrid & grid, const ExecutionContext & context)
{
  std::vector<FieldGrid::Vector> samples(targets.size());
  for (std::size_t n = 0; n < targets.size(); ++n)
  {
    for (unsigned int r = 0; r < grid.dimension; ++r)
    {
      for (unsigned int c = 0; c < grid.dimension; ++c)
      {
        samples[n][r] += grid.pointToIndex[r][c] * targets[n].fixed[c];
      }
    }
  }
  context.ParallelFor(static_cast<std::int64_t>(targets.size()), [&](std::int64_t begin, std::int64_t end) {
    for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n)
    {
      double sum = 0.0;
      for (const FieldGrid::Vector & other : samples)
      {
        const double square = std::pow(samples[n][0] - other[0], 2) + std::pow(samples[n][1] - other[1], 2) +
                              std::pow(samples[n][2] - other[2], 2);
        sum += square < 9.0 * LandmarkVariance ? std::exp(-0.5 * square / LandmarkVariance) : 0.0;
      }
      targets[n].share = 1.0 / sum;
    }
  });
}

/** Allocates an array of the residence with the numbers of a list. */
template <typename T>
ResidentArray
UploadList(const std::vector<T> & list, const Residence & residence)
{
  ResidentArray array(list.size() * sizeof(T), residence);
  Upload(array.Data(), list.data(), array.Bytes(), residence);
  return array;
}

template <unsigned int VDimension>
LandmarkSupport
FindLandmarkSupport(const TransformChain::Stage & spline, const LandmarkTarget & target)
{
  const TransformStage<VDimension> stage = MakeStage<VDimension>(spline, nullptr);
  double                           point[VDimension];
  double                           weights[VDimension][4];
  std::int64_t                     offset = 0;
  std::copy_n(target.fixed, VDimension, point);
  LandmarkSupport support;
  if (!stage.template FindSupport<3>(point, weights, offset))
  {
    return support;
  }
  for (unsigned int tap = 0; tap < 1U << (2 * VDimension); ++tap)
  {
    double       weight = 1.0;
    std::int64_t node = offset;
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const unsigned int along = tap >> (2 * d) & 3U;
      weight *= weights[d][along];
      node += along * stride;
      stride *= spline.size[d];
    }
    support.nodes[support.count] = node;
    support.weights[support.count++] = weight;
  }
  return support;
}

} // namespace

std::vector<LandmarkTarget>
MakeLandmarkTargets(const LandmarkTerm &                       term,
                    const std::vector<TransformChain::Stage> & stages,
                    const FieldGrid &                          grid,
                    const Residence &                          residence)
{
  CheckLandmarks(term, grid.dimension);
  std::vector<LandmarkTarget> targets(term.points.size());
  for (std::size_t n = 0; n < targets.size(); ++n)
  {
    std::copy_n(term.points[n].fixed.begin(), grid.dimension, targets[n].fixed);
    std::copy_n(term.points[n].moving.begin(), grid.dimension, targets[n].moving);
  }
  const auto          there = MakeResidentStages(stages, grid.dimension, residence);
  const ResidentArray array = UploadList(targets, residence);
  if (residence.IsOnDevice())
  {
    WalkLandmarkPullBackOnCuda(grid, there, array.As<LandmarkTarget>(), targets.size(), residence);
  }
  else
  {
    WalkLandmarkPullBack(grid, there, array.As<LandmarkTarget>(), targets.size(), [&](const auto & body) {
      ForEachSampleOnCpu(body.walk, residence, body);
    });
  }
  Download(targets.data(), array.Data(), array.Bytes(), residence);
  FindShares(targets, grid, residence.GetContext());
  return targets;
}

SplineLandmarks::SplineLandmarks(const LandmarkTerm &                       term,
                                 const TransformChain::Stage &              spline,
                                 const std::vector<TransformChain::Stage> & stages,
                                 const FieldGrid &                          grid,
                                 const Residence &                          residence)
  : m_Residence(residence)
{
  if (spline.order != 3)
  {
    throw std::invalid_argument("Landmarks need a B-spline of order 3, not " + std::to_string(spline.order) + ".");
  }
  const std::vector<LandmarkTarget> targets = MakeLandmarkTargets(term, stages, grid, residence);
  std::vector<LandmarkSupport>      supports;
  for (const LandmarkTarget & target : targets)
  {
    supports.push_back(grid.dimension == 2 ? FindLandmarkSupport<2>(spline, target)
                                           : FindLandmarkSupport<3>(spline, target));
  }
  m_Targets = UploadList(targets, residence);
  m_Supports = UploadList(supports, residence);
  m_Terms = ResidentArray(targets.size() * sizeof(double), residence);
  m_Slopes = ResidentArray(3 * targets.size() * sizeof(double), residence);
  m_Points.targets = m_Targets.As<LandmarkTarget>();
  m_Points.supports = m_Supports.As<LandmarkSupport>();
  m_Points.nodes = m_Nodes.nodes = TransformChain::CountOf(spline, 1);
  m_Points.dimension = m_Nodes.dimension = grid.dimension;
  m_Points.weight = term.weight / static_cast<double>(targets.size());
  m_Points.terms = m_Terms.As<double>();
  m_Points.slopes = m_Slopes.As<double>();
  m_Points.walk = WalkOfList(targets.size());
  this->ListNodes(supports);
}

void
SplineLandmarks::ListNodes(const std::vector<LandmarkSupport> & supports)
{
  std::map<std::int64_t, std::vector<NodeLandmark>> byNode;
  for (std::size_t n = 0; n < supports.size(); ++n)
  {
    for (std::int32_t k = 0; k < supports[n].count; ++k)
    {
      byNode[supports[n].nodes[k]].push_back({ static_cast<std::int64_t>(n), supports[n].weights[k] });
    }
  }
  std::vector<std::int64_t> touched;
  std::vector<std::int64_t> first{ 0 };
  std::vector<NodeLandmark> landmarks;
  for (const auto & [node, own] : byNode)
  {
    touched.push_back(node);
    landmarks.insert(landmarks.end(), own.begin(), own.end());
    first.push_back(static_cast<std::int64_t>(landmarks.size()));
  }
  m_Touched = UploadList(touched, m_Residence);
  m_First = UploadList(first, m_Residence);
  m_Landmarks = UploadList(landmarks, m_Residence);
  m_Nodes.touched = m_Touched.As<std::int64_t>();
  m_Nodes.first = m_First.As<std::int64_t>();
  m_Nodes.landmarks = m_Landmarks.As<NodeLandmark>();
  m_Nodes.slopes = m_Slopes.As<double>();
  m_Nodes.walk = WalkOfList(touched.size());
}

double
SplineLandmarks::Evaluate(const double * coefficients, double * gradient) const
{
  SplineLandmark points = m_Points;
  points.coefficients = coefficients;
  RunLandmarkBody(points, m_Residence);
  if (gradient != nullptr && m_Nodes.walk.size[0] > 0)
  {
    LandmarkGradient nodes = m_Nodes;
    nodes.gradient = gradient;
    RunLandmarkBody(nodes, m_Residence);
  }
  std::vector<double> terms(m_Terms.Bytes() / sizeof(double));
  Download(terms.data(), m_Terms.Data(), m_Terms.Bytes(), m_Residence);
  return std::accumulate(terms.begin(), terms.end(), 0.0);
}

FieldLandmarks::FieldLandmarks(const LandmarkTerm &                       term,
                               const FieldShape &                         shape,
                               const std::vector<TransformChain::Stage> & stages,
                               std::size_t                                comparisons,
                               const Residence &                          residence)
  : m_Shape(shape)
  , m_Residence(residence)
  , m_Weight(term.weight)
  , m_Count(term.points.size())
  , m_Targets(UploadList(MakeLandmarkTargets(term, stages, shape.grid, residence), residence))
  , m_Forces{ { ResidentArray(m_Count * sizeof(LandmarkForce), residence),
                ResidentArray(m_Count * sizeof(LandmarkForce), residence) } }
  , m_Squares(comparisons * m_Count * sizeof(double), residence)
  , m_Scattered(shape.Bytes(), residence)
  , m_Smooth(shape.Bytes(), residence)
  , m_Maximum(sizeof(double) + MaximumNormScratch, residence)
{}

void
FieldLandmarks::Place(const void * fixedField, const void * movingField, std::size_t comparison)
{
  const LandmarkPlacementArguments arguments{ m_Shape,
                                              m_Targets.As<LandmarkTarget>(),
                                              m_Count,
                                              fixedField,
                                              movingField,
                                              m_Forces[0].As<LandmarkForce>(),
                                              m_Forces[1].As<LandmarkForce>(),
                                              m_Squares.As<double>() + comparison * m_Count };
  RunLandmarks(
    arguments, m_Residence, [](const auto & own, const auto & enqueue) { WalkLandmarkPlacement(own, enqueue); });
}

void
FieldLandmarks::Add(bool isByFixed, const FieldShape & shapeOfNorms, void * force, void * scratch) const
{
  const bool isDouble = m_Shape.element == ScalarType::Float64;
  ClearResident(m_Scattered.Data(), m_Scattered.Bytes(), m_Residence);
  RunLandmarkBody(LandmarkScatter{ m_Forces[isByFixed ? 1 : 0].As<LandmarkForce>(),
                                   static_cast<std::int64_t>(m_Count),
                                   { m_Scattered.Data(), isDouble },
                                   m_Shape.grid.dimension,
                                   WalkOf(m_Shape.grid),
                                   WalkOfList(m_Count << m_Shape.grid.dimension) },
                  m_Residence);
  const FieldSmoothing gaussian = MakeFieldSmoothing(m_Shape.grid, LandmarkVariance);
  SmoothField(m_Shape, m_Scattered.Data(), gaussian, m_Smooth.Data(), scratch, m_Residence);
  double * const maximum = m_Maximum.As<double>();
  FindMaximumNorm(shapeOfNorms, force, maximum, maximum + 1, m_Residence);
  RunLandmarkBody(
    LandmarkSum{ { m_Smooth.Data(), isDouble }, { force, isDouble }, maximum, m_Weight, WalkOfNumbers(m_Shape.grid) },
    m_Residence);
}

double
FieldLandmarks::GetValue(std::size_t comparison) const
{
  std::vector<double> squares(m_Count);
  Download(squares.data(), m_Squares.As<double>() + comparison * m_Count, squares.size() * sizeof(double), m_Residence);
  return m_Weight * std::accumulate(squares.begin(), squares.end(), 0.0) / static_cast<double>(m_Count);
}

std::size_t
FieldLandmarks::CountScratch(const FieldShape & shape, Backend backend)
{
  return CountSmoothingScratch(shape, MakeFieldSmoothing(shape.grid, LandmarkVariance), backend);
}

std::size_t
FieldLandmarks::CountBytes(const FieldShape & shape, std::size_t count, std::size_t comparisons)
{
  return 2 * shape.Bytes() + sizeof(double) + MaximumNormScratch +
         count * (sizeof(LandmarkTarget) + 2 * sizeof(LandmarkForce) + comparisons * sizeof(double));
}

#if !defined(CUDASPLINE_HAS_CUDA)
namespace
{
[[noreturn]] void
RefuseLandmarksOnCuda()
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
} // namespace

void
WalkLandmarkPullBackOnCuda(const FieldGrid &,
                           const std::vector<TransformChain::Stage> &,
                           LandmarkTarget *,
                           std::size_t,
                           const Residence &)
{
  RefuseLandmarksOnCuda();
}

void
WalkLandmarksOnCuda(const LandmarkPlacementArguments &, const Residence &)
{
  RefuseLandmarksOnCuda();
}

void
WalkLandmarksOnCuda(const LandmarkScatter &, const Residence &)
{
  RefuseLandmarksOnCuda();
}

void
WalkLandmarksOnCuda(const LandmarkSum &, const Residence &)
{
  RefuseLandmarksOnCuda();
}

void
WalkLandmarksOnCuda(const SplineLandmark &, const Residence &)
{
  RefuseLandmarksOnCuda();
}

void
WalkLandmarksOnCuda(const LandmarkGradient &, const Residence &)
{
  RefuseLandmarksOnCuda();
}
#endif

} // namespace itk::CudaSpline
