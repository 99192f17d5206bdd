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
#include "kernels/metrics/gradient_fields/GradientFields.h"

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/common/FieldLoopCpu.h"
#include "kernels/metrics/gradient_fields/GradientFieldsBody.h"
#include "kernels/metrics/implementation/GridPass.h"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <variant>

namespace itk::CudaSpline
{

namespace
{

void
Require(bool holds, const char * what)
{
  if (!holds)
  {
    throw std::invalid_argument(std::string("Normalized gradient fields: ") + what + ".");
  }
}

GradientFieldsDescriptor
Describe(const FieldMetricSetup & setup)
{
  GradientFieldsDescriptor descriptor;
  descriptor.grid = setup.shape.grid;
  descriptor.pixel = setup.pixel;
  descriptor.derivative = setup.shape.element;
  for (std::size_t image = 0; setup.ranges && image < descriptor.edgeSquares.size(); ++image)
  {
    descriptor.edgeSquares[image] = SquareOfPart((*setup.ranges)[image], setup.options.edgeFactor);
  }
  return descriptor;
}

/** The metric, with memory for the numbers of its samples. */
class GradientFieldForces final : public FieldMetric
{
public:
  GradientFieldForces(const GradientFieldsDescriptor & descriptor, const Residence & residence)
    : m_Descriptor(descriptor)
    , m_Residence(residence)
    , m_Numbers(CountGradientFieldsScratch(descriptor), residence)
  {}

  void
  Compare(const ComparedPair & pair, FieldMetricSums * sums, void * byMoving, void * byFixed, void *) override
  {
    EvaluateGradientFields(
      m_Descriptor, pair.moved, &sums->differences, byMoving, byFixed, m_Numbers.Data(), m_Residence);
  }

  std::array<double, 2>
  ValuesOf(const FieldMetricSums & sums) const override
  {
    const PointSums & found = sums.differences;
    const double      value =
      found.count > 0 ? found.squares / static_cast<double>(found.count) : std::numeric_limits<double>::max();
    return { { value, value } };
  }

private:
  GradientFieldsDescriptor m_Descriptor;
  Residence                m_Residence;
  ResidentArray            m_Numbers;
};

} // namespace

PixelRange
FindGradientRange(const ResidentImage & image, const std::uint8_t * inside, const Residence & residence)
{
  Require(IsReal(image.pixel) && image.data != nullptr, "an image of float32 or float64 is needed");
  LocalCorrelationImages images;
  images.fixed = images.moving = image.data.get();
  images.fixedInside = inside;
  const std::size_t   ofRows = CountOrderedSums(image.grid);
  const ResidentArray magnitudes(static_cast<std::size_t>(image.grid.Count()) * SizeOf(image.pixel), residence);
  const ResidentArray sums((ofRows + 1) * sizeof(PointSums), residence);
  if (residence.IsOnDevice())
  {
    WalkGradientMagnitudesOnCuda(image.grid, image.pixel, images, magnitudes.Data(), sums.As<PointSums>(), residence);
  }
  else
  {
    WalkGradientMagnitudes(
      image.grid, image.pixel, images, magnitudes.Data(), sums.As<PointSums>(), [&](const auto & body) {
        ForEachSampleOnCpu(body.walk, residence, body);
      });
  }
  PointSums found;
  Download(&found, sums.As<PointSums>() + ofRows, sizeof(found), residence);
  PixelRange range;
  if (found.count > 0)
  {
    range.Add(0.0);
    range.Add(found.squares / static_cast<double>(found.count));
  }
  return range;
}

std::size_t
CountGradientFieldsScratch(const GradientFieldsDescriptor & descriptor)
{
  return static_cast<std::size_t>(descriptor.grid.Count()) * GradientNumbers * SizeOf(descriptor.pixel) +
         CountOrderedSums(descriptor.grid) * sizeof(PointSums);
}

void
EvaluateGradientFields(const GradientFieldsDescriptor & descriptor,
                       const LocalCorrelationImages &   images,
                       PointSums *                      sums,
                       void *                           movingDerivative,
                       void *                           fixedDerivative,
                       void *                           scratch,
                       const Residence &                residence)
{
  Require(descriptor.grid.dimension == 2 || descriptor.grid.dimension == 3, "images have 2 or 3 dimensions");
  Require(IsReal(descriptor.pixel) && IsReal(descriptor.derivative), "pixels and derivatives are float32 or float64");
  for (const double square : descriptor.edgeSquares)
  {
    Require(square >= 0.0 && std::isfinite(square), "edge parameters are 0 or more");
  }
  Require(sums != nullptr, "sums are needed");
  if (descriptor.grid.Count() == 0)
  {
    ClearResident(sums, sizeof(*sums), residence);
    return;
  }
  Require(images.fixed != nullptr && images.moving != nullptr, "two images are needed");
  Require(scratch != nullptr, "scratch memory is needed");
  const GradientFieldsResults results{ sums, movingDerivative, fixedDerivative, scratch };
  if (residence.IsOnDevice())
  {
    WalkGradientFieldsOnCuda(descriptor, images, results, residence);
    return;
  }
  WalkGradientFields(
    descriptor, images, results, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

MetricResult
CompareOnGrid(const GradientFieldsPass & pass, const GridComparison & comparison, const Residence & residence)
{
  GradientFieldsDescriptor descriptor;
  descriptor.grid = comparison.grid;
  descriptor.pixel = comparison.pixel;
  descriptor.derivative = comparison.element;
  descriptor.factorsAlone = comparison.factorsAlone;
  descriptor.edgeSquares = pass.edgeSquares;
  PointSums           found;
  const ResidentArray sums(sizeof(found), residence);
  const ResidentArray scratch(CountGradientFieldsScratch(descriptor), residence);
  EvaluateGradientFields(
    descriptor, comparison.images, sums.As<PointSums>(), comparison.derivative, nullptr, scratch.Data(), residence);
  Download(&found, sums.Data(), sizeof(found), residence);
  MetricResult result;
  result.count = found.count;
  result.values[0] = found.squares;
  return result;
}

template <>
MetricOutcome
MetricImplementation<GradientFieldsMetric>::Reduce(const MetricReduce & reduce, const MetricReduction & reduction)
{
  MetricOutcome outcome;
  MetricResult  sums = reduce(std::get<GradientFieldsPass>(reduction.pass), reduction.withDerivative);
  outcome.count = sums.count;
  outcome.comparesPixels = sums.values[2] != 0.0;
  if (sums.count > 0)
  {
    const auto number = static_cast<double>(sums.count);
    outcome.value = sums.values[0] / number;
    TakeDerivative(sums, reduction.takesMean ? number : 1.0, outcome);
  }
  return outcome;
}

template <>
std::unique_ptr<FieldMetric>
MetricImplementation<GradientFieldsMetric>::MakeFieldMetric(const FieldMetricSetup & setup, const Residence & residence)
{
  return std::make_unique<GradientFieldForces>(Describe(setup), residence);
}

template <>
std::size_t
MetricImplementation<GradientFieldsMetric>::CountFieldBytes(const FieldMetricSetup & setup)
{
  return SmallFieldMetricBytes + CountGradientFieldsScratch(Describe(setup));
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WalkGradientFieldsOnCuda(const GradientFieldsDescriptor &,
                         const LocalCorrelationImages &,
                         const GradientFieldsResults &,
                         const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
WalkGradientMagnitudesOnCuda(const FieldGrid &,
                             ScalarType,
                             const LocalCorrelationImages &,
                             void *,
                             PointSums *,
                             const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
