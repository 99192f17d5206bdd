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
#ifndef MetricCase_h
#define MetricCase_h

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "Gpu.h"
#include "../common/KernelTestData.h"

#include <gtest/gtest.h>

#include <algorithm>

/** \file
 * \brief A metric of small integers, of which every product and sum is exact. */

namespace CudaSplineTest
{

/** A volume of integers against another one, shifted; in millimetres of 1 a sample. */
struct IntegerMetric
{
  static constexpr std::int64_t Size[3] = { 37, 21, 19 };
  static constexpr std::int64_t Shift[3] = { 3, -2, 1 };

  std::vector<double>       fixed;
  std::vector<double>       moving;
  std::vector<double>       gradient; ///< vectors, sample by sample
  std::vector<std::uint8_t> inside;
  std::vector<std::uint8_t> mask;

  IntegerMetric()
  {
    FreshRandom random;
    const auto  count = static_cast<std::size_t>(Size[0] * Size[1] * Size[2]);
    const auto  integer = [&random](int most) { return std::floor(random.Uniform(-most, most + 1.0)); };
    for (std::size_t i = 0; i < count; ++i)
    {
      fixed.push_back(integer(50));
      moving.push_back(integer(50));
      inside.push_back(random.Uniform(0.0, 1.0) < 0.8 ? 1 : 0);
      mask.push_back(random.Uniform(0.0, 1.0) < 0.7 ? 255 : 0);
      for (int d = 0; d < 3; ++d)
      {
        gradient.push_back(integer(20));
      }
    }
  }

  static SourceDescriptor
  List(std::size_t count, ScalarType pixel, ScalarType element)
  {
    SourceDescriptor list;
    list.dimension = 1;
    list.size[0] = static_cast<std::int64_t>(count);
    list.pixel = pixel;
    list.element = element;
    return list;
  }

  /** The arrays, of which some are left out. */
  MetricSources
  Make(ScalarType element, bool withMasks, bool asList, const ExecutionContext & context) const
  {
    MetricSources    sources;
    SourceDescriptor volume;
    std::copy_n(Size, 3, volume.size.begin());
    volume.extension.fill(Extension::Nearest);
    volume.pixel = ScalarType::Float64;
    volume.element = element;
    sources.fixed = MakeSource(List(fixed.size(), ScalarType::Float64, element), fixed.data(), context);
    sources.moving = MakeSource(volume, moving.data(), context);
    SourceDescriptor vectors = volume;
    vectors.components = 3;
    sources.gradient = MakeSource(vectors, gradient.data(), context);
    if (withMasks)
    {
      sources.inside = MakeSource(List(inside.size(), ScalarType::UInt8, ScalarType::UInt8), inside.data(), context);
      SourceDescriptor pixels = volume;
      pixels.pixel = ScalarType::UInt8;
      pixels.element = ScalarType::UInt8;
      sources.mask = MakeSource(pixels, mask.data(), context);
    }
    if (asList)
    {
      std::vector<double> places;
      for (std::int64_t i = 0; i < Size[0] * Size[1] * Size[2]; ++i)
      {
        places.push_back(static_cast<double>(i % Size[0]));
        places.push_back(static_cast<double>(i / Size[0] % Size[1]));
        places.push_back(static_cast<double>(i / Size[0] / Size[1]));
      }
      const SourceDescriptor list = List(places.size(), ScalarType::Float64, ScalarType::Float64);
      // A source of its own on the host too: the list is gone when this function returns.
      if (context.backend == Backend::Cpu)
      {
        const auto owned = std::make_shared<std::vector<double>>(places);
        sources.points =
          std::make_shared<SampleSource>(list, Backend::Cpu, 0, std::shared_ptr<const void>(owned, owned->data()));
      }
      else
      {
        sources.points = MakeSource(list, places.data(), context);
      }
    }
    return sources;
  }

  static MetricDescriptor
  Describe(const MetricPass & pass, bool nearest)
  {
    MetricDescriptor descriptor;
    descriptor.pass = IsPass<CorrelationPass>(pass) ? CorrelationPass{ 2.0, -3.0, 0.0 } : pass;
    descriptor.gradient = IsPass<MeansPass>(pass) ? MetricGradient::None : MetricGradient::Image;
    descriptor.derivative = LinearMoments{};
    descriptor.interpolation.interpolation = nearest ? Interpolation::Nearest : Interpolation::Linear;
    TransformChain::Stage stage;
    for (unsigned int d = 0; d < 3; ++d)
    {
      descriptor.interpolation.lower[d] = -0.5;
      descriptor.interpolation.upper[d] = static_cast<double>(Size[d]) - 0.5;
      descriptor.chain.indexToPoint[d][d] = 1.0;
      descriptor.chain.pointToIndex[d][d] = 1.0;
      descriptor.chain.regionSize[d] = Size[d];
      descriptor.centre[d] = 2.0 * d + 1.0;
      descriptor.mask.matrix[d][d] = 1.0;
      descriptor.mask.pointToIndex[d][d] = 1.0;
      stage.matrix[d][d] = 1.0;
      stage.offset[d] = static_cast<double>(Shift[d]);
    }
    descriptor.chain.stages.push_back(stage);
    return descriptor;
  }

  /** Calls \p visit with the index and the number of each valid sample, and the place in the moving image. */
  template <typename TVisit>
  void
  Visit(bool withMasks, const TVisit & visit) const
  {
    std::size_t sample = 0;
    for (std::int64_t z = 0; z < Size[2]; ++z)
    {
      for (std::int64_t y = 0; y < Size[1]; ++y)
      {
        for (std::int64_t x = 0; x < Size[0]; ++x, ++sample)
        {
          const std::int64_t from[3] = { x, y, z };
          const std::int64_t to[3] = { x + Shift[0], y + Shift[1], z + Shift[2] };
          bool               within = true;
          for (int d = 0; d < 3; ++d)
          {
            within = within && to[d] >= 0 && to[d] < Size[d];
          }
          const auto at = static_cast<std::size_t>((to[2] * Size[1] + to[1]) * Size[0] + to[0]);
          if (within && !(withMasks && (inside[sample] == 0 || mask[at] == 0)))
          {
            visit(from, sample, at);
          }
        }
      }
    }
  }

  /** Adds a pair of values to a result, and says the weights of its gradient. */
  void
  Weigh(const MetricDescriptor & descriptor,
        std::size_t              sample,
        std::size_t              at,
        MetricResult &           result,
        double (&weights)[2]) const
  {
    const double f = fixed[sample];
    const double m = moving[at];
    weights[0] = 2.0 * (f - m);
    weights[1] = 0.0;
    if (IsPass<MeanSquaresPass>(descriptor.pass))
    {
      result.values[0] += (f - m) * (f - m);
    }
    else if (IsPass<MeansPass>(descriptor.pass))
    {
      result.values[0] += f;
      result.values[1] += m;
    }
    else
    {
      const auto & pass = std::get<CorrelationPass>(descriptor.pass);
      weights[0] = f - pass.fixedMean;
      weights[1] = m - pass.movingMean;
      result.values[0] += weights[0] * weights[0];
      result.values[1] += weights[1] * weights[1];
      result.values[2] += weights[0] * weights[1];
    }
  }

  /** The same by plain loops. */
  MetricResult
  Expect(const MetricDescriptor & descriptor, bool withMasks) const
  {
    MetricResult result;
    for (auto & moments : result.derivatives)
    {
      moments.assign(12, 0.0);
    }
    this->Visit(withMasks, [&](const std::int64_t(&from)[3], std::size_t sample, std::size_t at) {
      ++result.count;
      double weights[2];
      this->Weigh(descriptor, sample, at, result, weights);
      for (int set = 0; set < 2 && descriptor.gradient != MetricGradient::None; ++set)
      {
        for (unsigned int i = 0; i < 3; ++i)
        {
          const double force = weights[set] * gradient[3 * at + i];
          result.derivatives[set][4 * i] += force;
          for (unsigned int j = 0; j < 3; ++j)
          {
            result.derivatives[set][4 * i + 1 + j] += force * (static_cast<double>(from[j]) - descriptor.centre[j]);
          }
        }
      }
    });
    return result;
  }
};

/** A grid of no displacements whose valid region is a part of the volume. */
inline TransformChain::Stage
RandomGrid(int order, FreshRandom & random)
{
  TransformChain::Stage stage;
  stage.kind = TransformKind::BSpline;
  stage.order = order;
  std::int64_t nodes = 3;
  for (unsigned int d = 0; d < 3; ++d)
  {
    stage.size[d] = order + 1 + static_cast<std::int64_t>(random.Engine()() % 4);
    const auto   cells = static_cast<double>(stage.size[d] - order);
    const double spacing = static_cast<double>(IntegerMetric::Size[d]) * random.Uniform(0.7, 1.1) / cells; // mm
    stage.origin[d] = random.Uniform(-2.0, 4.0) - 0.5 * (order - 1) * spacing;
    stage.pointToIndex[d][d] = 1.0 / spacing;
    nodes *= stage.size[d];
  }
  const auto zeros = std::make_shared<std::vector<double>>(static_cast<std::size_t>(nodes), 0.0);
  stage.data = std::shared_ptr<const double>(zeros, zeros->data());
  return stage;
}

/** The parameter is the backend. */
class OnMetricBackend : public testing::TestWithParam<Backend>
{
protected:
  void
  SetUp() override
  {
    if (GetParam() == Backend::Cuda)
    {
      CUDASPLINE_NEEDS_GPU();
    }
  }

  /** The backend of the test, with three threads of the host. */
  ExecutionContext
  OnBackend() const
  {
    ExecutionContext context;
    context.backend = GetParam();
    context.host = &m_Threads;
    return context;
  }

private:
  const ThreadExecutor m_Threads{ 3 };
};

/** The last part of a test's name. */
inline std::string
MetricBackendName(const testing::TestParamInfo<Backend> & test)
{
  return test.param == Backend::Cuda ? "Gpu" : "Cpu";
}

} // namespace CudaSplineTest

#endif
