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
#include "itkCudaSpline/pipeline/RegistrationPipeline.h"

#include "pipeline/PreparedImages.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

/** \file
 * \brief Measures the similarity of two images under a given transform. */

namespace itk::CudaSpline
{

ImageAgreement
MeasureAgreement(const ImagePair &                          pair,
                 const std::vector<TransformChain::Stage> & stages,
                 const ExecutionContext &                   context)
{
  RegistrationInput input;
  input.pairs.push_back(pair);
  return PreparedImages(input, context).MeasureAgreement(stages, &stages);
}

PairSimilarity
MeasureSimilarity(const ImagePair &                          pair,
                  const std::vector<TransformChain::Stage> & stages,
                  const ExecutionContext &                   context)
{
  RegistrationInput input;
  input.pairs.push_back(pair);
  PreparedImages   images(input, context);
  RegistrationSpec spec;
  images.Rescale(spec, {});
  ExecutionContext host = context;
  host.backend = Backend::Cpu;
  const Residence residence(host);
  const auto      valueOf = [&](MetricKind kind) {
    LinearMetric metric;
    metric.kind = kind;
    metric.arithmetic = pair.fixed.pixel;
    LinearLevel            level(pair.fixed.grid,
                      images.MakeFixed(StageSpec(), residence).front(),
                      images.MakeMoving(StageSpec(), stages, residence).front(),
                      metric,
                      residence);
    const LinearTransform  identity(LinearKind::Translation, pair.fixed.grid.dimension);
    const LinearEvaluation found = level.Evaluate(identity, false);
    if (found.count == 0)
    {
      throw std::invalid_argument("the images do not overlap");
    }
    return found.value;
  };
  PairSimilarity similarity;
  similarity.correlation = std::sqrt(std::max(0.0, -valueOf(MetricKind::Correlation))); // the value is its square
  similarity.localCorrelation = -valueOf(MetricKind::LocalCorrelation);
  return similarity;
}

} // namespace itk::CudaSpline
