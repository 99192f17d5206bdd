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
#ifndef ComparedImages_h
#define ComparedImages_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "itkCudaSpline/kernels/metrics/MetricFormula.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/LinearLevel.h"

#include "kernels/metrics/images/PixelRange.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/** \file
 * \brief Two images that a metric compares under a changing transform, for levels of linear transforms and of
 * B-splines. */

namespace itk::CudaSpline
{

/** \brief Images, masks, samples of the fixed image, gradients of the moving one, on a backend. */
class MetricEvaluator
{
public:
  /** Samples the fixed image, and allocates all memory.
   *
   * \param[in] grid, fixed, moving, metric, residence see LinearLevel
   * \param[in] transform the first stage that maps samples; Compare() may replace it by others of its kind
   * \exception see LinearLevel */
  MetricEvaluator(const FieldGrid &             grid,
                  const SynSide &               fixed,
                  const SynSide &               moving,
                  const LinearMetric &          metric,
                  const TransformChain::Stage & transform,
                  const Residence &             residence);

  /** \brief Compares the images. The call waits.
   *
   * \param[in] transform the first stage
   * \param[in] withDerivative whether the derivative is computed
   * \param[out] forces see MetricDescriptor; may be null */
  MetricOutcome
  Compare(const TransformChain::Stage & transform, bool withDerivative, double * forces = nullptr);

  /** The options of a pass. */
  const MetricDescriptor &
  GetDescriptor() const
  {
    return m_Descriptor;
  }
  /** The virtual domain. */
  const FieldGrid &
  GetGrid() const
  {
    return m_Grid;
  }
  /** Number of calls of Compare(). */
  unsigned int
  CountEvaluations() const
  {
    return m_Evaluations;
  }

private:
  std::shared_ptr<const SampleSource>
  Own(const SourceDescriptor & source, std::shared_ptr<const void> data) const;
  std::shared_ptr<ResidentArray>
  Allocate(std::size_t bytes) const;
  std::shared_ptr<const void>
  Convert(const std::shared_ptr<const void> & numbers, ScalarType type, std::int64_t count) const;
  std::shared_ptr<const MetricMovingValues>
  Sample(const SynSide & side, Interpolation method, std::int64_t & count) const;
  std::shared_ptr<const SampleSource>
  SourceOfMask(const ResidentImage & mask) const;
  void
  TakePlaces();
  PixelRange
  TakeFixed(const SynSide & fixed);
  PixelRange
  RangeAtPlaces(const SynSide & fixed) const;
  void
  TakeMoving(const SynSide & moving);
  std::shared_ptr<const SampleSource>
  MakeGradients(const ResidentImage & image) const;

  FieldGrid        m_Grid;
  LinearMetric     m_Metric;
  Residence        m_Residence;
  ExecutionContext m_Context;
  MetricDescriptor m_Descriptor; ///< its first stage is the transform
  MetricSources    m_Sources;
  MetricWorkspace  m_Workspace;
  MetricPass       m_Pass; ///< of the metric, for MetricReduction
  unsigned int     m_Evaluations{ 0 };
};

/** \brief An additional pair that is compared with mean squares. */
struct AdditionalImages
{
  std::unique_ptr<MetricEvaluator> images;
  double                           weight{ 1.0 }; ///< weight of the mean squared difference
};

/** \brief Creates the additional pairs, which are compared with mean squares at the samples of a metric.
 *
 * \param[in] grid, metric, transform, residence see MetricEvaluator
 * \param[in] pairs pairs that are smoothed for the level */
std::vector<AdditionalImages>
CompareAdditional(const FieldGrid &               grid,
                  const std::vector<LinearPair> & pairs,
                  const LinearMetric &            metric,
                  const TransformChain::Stage &   transform,
                  const Residence &               residence);

/** \brief Prepares additional pairs for a level; see SmoothSide(). */
std::vector<LinearPair>
SmoothPairs(const std::vector<LinearPair> & pairs,
            const PyramidLevel &            level,
            bool                            isInMm,
            const Residence &               residence);

/** \brief The pass for which a metric's work and memory are planned. */
MetricDescriptor
PlannedPass(const FieldGrid & grid, const LinearMetric & metric);

/** \brief PlanLinearLevel() and CountLinearWork() for a pass, with any transform. */
///@{
MemoryPlan
PlanComparedImages(const FieldGrid &        grid,
                   const LinearMetric &     metric,
                   const MetricDescriptor & pass,
                   const FieldGrid &        moving,
                   ScalarType               pixel,
                   std::size_t              imageBytes,
                   std::size_t              budget,
                   std::size_t              places);
OperationWork
CountComparisonWork(const FieldGrid &        grid,
                    const LinearMetric &     metric,
                    const MetricDescriptor & pass,
                    const FieldGrid &        moving,
                    WorkKind                 kind,
                    std::uint64_t            evaluations,
                    std::size_t              imageBytes,
                    std::size_t              places);
///@}

} // namespace itk::CudaSpline

#endif
