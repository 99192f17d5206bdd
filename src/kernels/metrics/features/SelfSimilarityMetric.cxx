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
#include "kernels/metrics/features/SelfSimilarityMetric.h"

#include "itkCudaSpline/kernels/metrics/Features.h"

#include <limits>

namespace itk::CudaSpline
{

namespace
{

/** Images of features on one backend. */
class FeatureFieldMetric final : public FieldMetric
{
public:
  FeatureFieldMetric(const FieldShape & shape, std::array<FeatureImage, 2> features, const Residence & residence)
    : m_Shape(shape)
    , m_Features(std::move(features))
    , m_Residence(residence)
  {}

  void
  Compare(const ComparedPair & pair, FieldMetricSums * sums, void * byMoving, void * byFixed, void * scratch) override
  {
    std::array<MovedFeatures, 2> images;
    for (std::size_t side = 0; side < images.size(); ++side)
    {
      const UnmovedImage & image = pair.unmoved[side];
      images[side].features = m_Features[side];
      images[side].maskGrid = image.mask.grid;
      images[side].mask = static_cast<const std::uint8_t *>(image.mask.data.get());
      images[side].stages = image.stages;
    }
    EvaluateFeatureForces(m_Shape, images, &sums->differences, byMoving, byFixed, scratch, m_Residence);
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
  FieldShape                  m_Shape;
  std::array<FeatureImage, 2> m_Features;
  Residence                   m_Residence;
};

} // namespace

template <>
std::unique_ptr<FieldMetric>
MetricImplementation<SelfSimilarityMetric>::MakeFieldMetric(const FieldMetricSetup & setup, const Residence & residence)
{
  const auto describe = [&](const ResidentImage & image) {
    return MakeSelfSimilarity(image.grid, image.pixel, image.data.get(), setup.options.selfSimilarity, residence);
  };
  std::array<FeatureImage, 2> features{ { describe(setup.images[0]), describe(setup.images[1]) } };
  return std::make_unique<FeatureFieldMetric>(setup.shape, std::move(features), residence);
}

template <>
std::size_t
MetricImplementation<SelfSimilarityMetric>::CountFieldBytes(const FieldMetricSetup & setup)
{
  // Both images' channels, and the means of the one that is made.
  const auto channels = static_cast<std::size_t>(CountSelfSimilarityChannels(setup.shape.grid.dimension));
  return SmallFieldMetricBytes +
         static_cast<std::size_t>(setup.shape.grid.Count()) * (2 * channels + 1) * sizeof(float);
}

} // namespace itk::CudaSpline
