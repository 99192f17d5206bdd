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
#include "kernels/metrics/mutual_information/InformationForces.h"

#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "itkCudaSpline/kernels/metrics/MetricFormula.h"
#include "itkCudaSpline/kernels/metrics/PointForces.h"

#include "kernels/metrics/images/ConvertNumbers.h"
#include "kernels/metrics/images/GridSources.h"
#include "kernels/metrics/mutual_information/MutualInformation.h"
#include "kernels/metrics/mutual_information/SmoothHistogram.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

/** Describes a pass over images on the same grid, with masks on it. */
MetricDescriptor
DescribeGridPass(const FieldGrid & grid)
{
  MetricDescriptor descriptor;
  descriptor.dimension = grid.dimension;
  descriptor.interpolation = DescribeInterpolation(grid, Interpolation::Linear);
  descriptor.chain.outputOrigin = grid.origin;
  descriptor.chain.indexToPoint = grid.indexToPoint;
  descriptor.chain.regionStart = grid.start;
  descriptor.chain.regionSize = grid.size;
  descriptor.chain.inputOrigin = grid.origin;
  descriptor.chain.pointToIndex = grid.pointToIndex;
  descriptor.spacing = grid.spacing;
  descriptor.mask.origin = grid.origin;
  descriptor.mask.pointToIndex = grid.pointToIndex;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    descriptor.mask.matrix[d][d] = 1.0;
  }
  return descriptor;
}

/** Returns the type of the numbers of a histogram. They are at least as exact as the pixels. */
ScalarType
ElementOf(const FieldMetricSetup & setup)
{
  return setup.pixel == ScalarType::Float64 ? setup.pixel : setup.options.arithmetic;
}

/** Returns the bytes of the numbers of one image, if they are not its pixels. */
std::size_t
BytesOfNumbers(const FieldMetricSetup & setup)
{
  const ScalarType element = ElementOf(setup);
  return element == setup.pixel ? 0 : static_cast<std::size_t>(setup.shape.grid.Count()) * SizeOf(element);
}

} // namespace

InformationForces::InformationForces(const FieldMetricSetup & setup, const Residence & residence)
  : m_Setup(setup)
  , m_Element(ElementOf(setup))
  , m_Residence(residence)
{
  if (!IsBinCount(setup.options.bins))
  {
    throw std::invalid_argument(DescribeBinProblem(setup.options.bins));
  }
  const auto bins = static_cast<std::size_t>(setup.options.bins);
  for (std::size_t n = 0; n < 2; ++n)
  {
    m_Numbers[n] = ResidentArray(BytesOfNumbers(setup), residence);
    m_Tables[n] = ResidentArray(bins * bins * sizeof(double), residence);
  }
}

const void *
InformationForces::Convert(std::size_t image, const void * pixels)
{
  if (m_Element == m_Setup.pixel)
  {
    return pixels;
  }
  void * const numbers = m_Numbers[image].Data();
  ConvertNumbers(pixels, m_Setup.pixel, numbers, m_Setup.shape.grid.Count(), m_Residence);
  return numbers;
}

void
InformationForces::Compare(const ComparedPair & pair, FieldMetricSums * sums, void * byMoving, void * byFixed, void *)
{
  std::array<double, 2> values{ { this->CompareDirection(pair.moved, 0, byMoving), 0.0 } };
  if (byFixed != nullptr)
  {
    values[1] = this->CompareDirection(pair.moved, 1, byFixed);
  }
  Upload(&sums->values, &values, sizeof(values), m_Residence);
}

double
InformationForces::CompareDirection(const LocalCorrelationImages & images, std::size_t direction, void * force)
{
  const FieldShape &   shape = m_Setup.shape;
  const ScalarType     pixel = m_Setup.pixel;
  const ScalarType     element = m_Element;
  const std::int64_t   count = shape.grid.Count();
  PixelRange           ranges[2];
  const void *         numbers[2] = { images.fixed, images.moving };
  const std::uint8_t * inside[2] = { images.fixedInside, images.movingInside };
  for (std::size_t n = 0; n < 2; ++n)
  {
    ranges[n] =
      m_Setup.ranges ? (*m_Setup.ranges)[n] : FindPixelRange(numbers[n], pixel, inside[n], count, m_Residence);
    numbers[n] = this->Convert(n, numbers[n]);
    if (!std::isnormal((ranges[n].highest - ranges[n].lowest) / m_Setup.options.bins) ||
        ranges[n].lowest > ranges[n].highest)
    {
      throw std::invalid_argument(
        std::string("Mutual information needs at least 2 different values of each image under its mask; the ") +
        (n == 0 ? "fixed" : "moving") + " image has only one.");
    }
  }
  m_Residence.Wait(); // passes have their own streams
  const std::size_t fixed = direction;
  const std::size_t moving = 1 - direction;
  ExecutionContext  context = m_Residence.GetContext();
  context.progress = nullptr;
  const auto own = [&](const SourceDescriptor & source, const void * data) {
    return std::make_shared<SampleSource>(
      source, context.backend, context.device, std::shared_ptr<const void>(std::shared_ptr<const void>(), data));
  };
  MetricSources sources;
  sources.fixed = own(DescribeList(count, element), numbers[fixed]);
  sources.moving = own(DescribeGrid(shape.grid, element), numbers[moving]);
  if (inside[fixed] != nullptr)
  {
    sources.inside = own(DescribeList(count, ScalarType::UInt8), inside[fixed]);
  }
  if (inside[moving] != nullptr)
  {
    sources.mask = own(DescribeGrid(shape.grid, ScalarType::UInt8), inside[moving]);
  }
  const bool         isSmooth = m_Setup.options.gradientsFollowGrid;
  const auto         bins = static_cast<std::size_t>(m_Setup.options.bins);
  const MetricReduce reduce = [&](const MetricPass & pass, bool) {
    if (const auto * const information = std::get_if<InformationPass>(&pass))
    {
      ResidentArray &       table = m_Tables[direction];
      PointForcesDescriptor descriptor;
      descriptor.grid = shape.grid;
      descriptor.pixel = pixel;
      descriptor.derivative = shape.element;
      descriptor.passes.fill(InformationPass{ information->bins, table.As<double>() });
      std::vector<double> ratios(information->table, information->table + bins * bins);
      if (isSmooth)
      {
        SmoothHistogram(ratios, bins);
      }
      Upload(table.Data(), ratios.data(), table.Bytes(), m_Residence);
      void * const forces[2] = { direction == 0 ? force : nullptr, direction == 0 ? nullptr : force };
      EvaluatePointForces(descriptor, images, nullptr, forces[0], forces[1], nullptr, m_Residence);
      return MetricResult();
    }
    MetricDescriptor descriptor = DescribeGridPass(shape.grid);
    descriptor.pass = pass;
    descriptor.singleMoving = pixel == ScalarType::Float32;
    descriptor.singleFixed = descriptor.singleMoving;
    MetricResult result = EvaluateMetric(descriptor, sources, context);
    if (isSmooth && IsPass<HistogramPass>(pass))
    {
      SmoothHistogram(result.histogram, bins);
    }
    return result;
  };
  MetricReduction reduction;
  reduction.withDerivative = force != nullptr;
  reduction.pass = HistogramPass{ MakeParzenBins(
    m_Setup.options.bins, ranges[fixed].lowest, ranges[fixed].highest, ranges[moving].lowest, ranges[moving].highest) };
  const MetricOutcome outcome = MetricImplementation<MattesMetric>::Reduce(reduce, reduction);
  if (outcome.count == 0 && force != nullptr)
  {
    ClearResident(force, shape.Bytes(), m_Residence);
  }
  return outcome.count > 0 ? outcome.value : std::numeric_limits<double>::max();
}

std::size_t
InformationForces::CountBytes(const FieldMetricSetup & setup)
{
  // Sums of blocks. Histograms need some MiB on the device.
  return 2 * BytesOfNumbers(setup) + (std::size_t(8) << 20);
}

template <>
std::unique_ptr<FieldMetric>
MetricImplementation<MattesMetric>::MakeFieldMetric(const FieldMetricSetup & setup, const Residence & residence)
{
  return std::make_unique<InformationForces>(setup, residence);
}

template <>
std::size_t
MetricImplementation<MattesMetric>::CountFieldBytes(const FieldMetricSetup & setup)
{
  return InformationForces::CountBytes(setup);
}

} // namespace itk::CudaSpline
