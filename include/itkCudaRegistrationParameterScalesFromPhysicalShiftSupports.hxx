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
#ifndef itkCudaRegistrationParameterScalesFromPhysicalShiftSupports_hxx
#define itkCudaRegistrationParameterScalesFromPhysicalShiftSupports_hxx

#include "itkCudaRegistrationParameterScalesFromPhysicalShift.h"
#include "itkCudaSpline/itk/ImageAccess.h"
#include "itkCudaSpline/itk/TransformDescriber.h"
#include "itkCudaSpline/kernels/metrics/PhysicalShift.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <typeinfo>

/** \file
 * \brief What the estimator does by the local support of B-splines and displacement fields. */

namespace itk
{

template <typename TMetric>
bool
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::EstimateScalesOfSpline(ScalesType & scales)
{
  const Optimized optimized = this->FindOptimized();
  return optimized.transform != nullptr && (this->template EstimateScalesOfOrder<1>(optimized, scales) ||
                                            this->template EstimateScalesOfOrder<2>(optimized, scales) ||
                                            this->template EstimateScalesOfOrder<3>(optimized, scales));
}

template <typename TMetric>
template <unsigned int VOrder>
bool
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::EstimateScalesOfOrder(const Optimized & optimized,
                                                                                 ScalesType &      scales)
{
  using SplineType = BSplineTransform<double, Dimension, VOrder>;
  if (typeid(*optimized.transform) != typeid(SplineType))
  {
    return false;
  }
  auto * const     spline = const_cast<SplineType *>(static_cast<const SplineType *>(optimized.transform));
  const auto       grid = spline->GetCoefficientImages()[0];
  const auto       region = grid->GetLargestPossibleRegion();
  const auto       plane = static_cast<std::size_t>(region.GetNumberOfPixels());
  const auto       parameters = static_cast<std::size_t>(this->GetNumberOfLocalParameters());
  const auto &     points = this->m_SamplePoints;
  constexpr double margin = 1e-6; // samples too many do no harm: they do not move

  // The samples that a coefficient may move, by coefficient.
  std::vector<std::vector<std::size_t>> moved(plane);
  for (std::size_t i = 0; i < points.size(); ++i)
  {
    PointType point = points[i];
    for (const TransformType * const before : optimized.before)
    {
      point = before->TransformPoint(point);
    }
    ContinuousIndex<double, Dimension> index;
    grid->TransformPhysicalPointToContinuousIndex(point, index);
    std::int64_t first[3] = { 0, 0, 0 };
    std::int64_t last[3] = { 0, 0, 0 };
    std::int64_t stride[3] = { 0, 0, 0 };
    std::int64_t size = 1;
    bool         isNear = true;
    for (unsigned int d = 0; d < Dimension; ++d)
    {
      const auto   end = static_cast<std::int64_t>(region.GetSize(d)) - 1;
      const double start = index[d] - static_cast<double>(region.GetIndex(d)) - 0.5 * (double{ VOrder } - 1.0);
      isNear = isNear && start >= -1.0 && start <= static_cast<double>(end) + 1.0;
      first[d] = isNear ? std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(start - margin))) : 0;
      last[d] =
        isNear ? std::min<std::int64_t>(end, static_cast<std::int64_t>(std::floor(start + margin)) + VOrder) : -1;
      stride[d] = size;
      size *= end + 1;
    }
    for (std::int64_t z = first[2]; isNear && z <= last[2]; ++z)
    {
      for (std::int64_t y = first[1]; y <= last[1]; ++y)
      {
        for (std::int64_t x = first[0]; x <= last[0]; ++x)
        {
          moved[static_cast<std::size_t>(z * stride[2] + y * stride[1] + x)].push_back(i);
        }
      }
    }
  }

  std::vector<PointType> old;
  this->MapPoints(old);
  const ParametersType before = spline->GetParameters();
  ParametersType       changed = before;
  const double         variation = this->GetSmallParameterVariation();
  FloatType            least = NumericTraits<FloatType>::max();
  for (std::size_t k = 0; k < plane; ++k)
  {
    const std::vector<std::size_t> & list = moved[k];
    for (std::size_t d = 0; d < Dimension && !list.empty(); ++d)
    {
      const auto at = static_cast<unsigned int>(d * plane + k);
      changed[at] += variation;
      spline->SetParameters(changed);
      std::vector<double> shifts(list.size());
      m_Executor.ParallelFor(static_cast<std::int64_t>(list.size()), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
        {
          PointType mapped;
          this->template TransformPoint<PointType>(points[list[static_cast<std::size_t>(i)]], mapped);
          shifts[static_cast<std::size_t>(i)] = mapped.EuclideanDistanceTo(old[list[static_cast<std::size_t>(i)]]);
        }
      });
      const double most = std::accumulate(
        shifts.begin(), shifts.end(), 0.0, [](double so, double shift) { return so < shift ? shift : so; });
      if (most > NumericTraits<FloatType>::epsilon() && most < least)
      {
        least = most;
      }
      changed[at] = before[at];
    }
  }
  spline->SetParameters(before);

  scales.SetSize(static_cast<SizeValueType>(parameters));
  if (Math::ExactlyEquals(least, NumericTraits<FloatType>::max()))
  {
    itkWarningMacro(<< "Variation in any parameter won't change a voxel position. The default scales (1.0) are used to "
                       "avoid division-by-zero.");
    least = 1.0;
  }
  scales.Fill(least);
  return true;
}

template <typename TMetric>
bool
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::EstimateScalesOfField(ScalesType & scales)
{
  const FieldTransformType * const transform = AsField(this->FindOptimized().transform);
  if (transform == nullptr)
  {
    return false;
  }
  const SizeValueType count = this->GetNumberOfLocalParameters();
  const auto          offset = static_cast<std::size_t>(
    this->GetSamplingStrategy() == SamplingStrategyEnum::VirtualDomainPointSetSampling
               ? this->m_Metric->ComputeParameterOffsetFromVirtualPoint(this->m_SamplePoints[0], count)
               : this->m_Metric->ComputeParameterOffsetFromVirtualIndex(this->GetVirtualDomainCentralIndex(), count));
  auto * const   field = const_cast<FieldTransformType *>(transform)->GetModifiableDisplacementField();
  double * const numbers = reinterpret_cast<double *>(field->GetBufferPointer());
  const auto     held = static_cast<std::size_t>(field->GetBufferedRegion().GetNumberOfPixels()) * Dimension;
  if (count != Dimension || offset + count > held)
  {
    return false;
  }
  std::vector<PointType> old;
  std::vector<PointType> mapped;
  this->MapPoints(old);
  const double variation = this->GetSmallParameterVariation();
  FloatType    least = NumericTraits<FloatType>::max();
  scales.SetSize(count);
  for (unsigned int p = 0; p < count; ++p)
  {
    const double before = numbers[offset + p];
    numbers[offset + p] += variation;
    this->MapPoints(mapped);
    numbers[offset + p] = before;
    double most = 0.0;
    for (std::size_t i = 0; i < old.size(); ++i)
    {
      const double shift = mapped[i].EuclideanDistanceTo(old[i]);
      most = most < shift ? shift : most;
    }
    scales[p] = most;
    if (most > NumericTraits<FloatType>::epsilon() && most < least)
    {
      least = most;
    }
  }
  if (Math::ExactlyEquals(least, NumericTraits<FloatType>::max()))
  {
    itkWarningMacro(<< "Variation in any parameter won't change a voxel position. The default scales (1.0) are used to "
                       "avoid division-by-zero.");
    scales.Fill(1.0);
    return true;
  }
  for (unsigned int p = 0; p < count; ++p)
  {
    // Where nothing moves, a small number in the place of 0; all by the square of the variation.
    scales[p] = scales[p] <= NumericTraits<FloatType>::epsilon() ? least * least : scales[p] * scales[p];
    scales[p] *= 1.0 / Math::sqr(variation);
  }
  return true;
}

template <typename TMetric>
bool
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::EstimateShift(const ParametersType & step, FloatType & shift)
{
  CudaSpline::TransformChain  chain;
  std::vector<std::size_t>    stages;
  const TransformType * const estimated = this->GetEstimatedTransform();
  const TransformType * const optimized = this->FindOptimized().transform;
  if (!this->m_Metric->SupportsArbitraryVirtualDomainSamples() || optimized == nullptr ||
      !CudaSplineDetail::TransformDescriber<Dimension>::Append(estimated, chain, &stages) || stages.size() != 1)
  {
    return false;
  }
  const CudaSpline::TransformChain::Stage & stage = chain.stages[stages.front()];
  const bool                                isKnown = stage.kind == CudaSpline::TransformKind::BSpline ||
                       (stage.kind == CudaSpline::TransformKind::DisplacementField && AsField(optimized) != nullptr);
  const bool isOuterLinear =
    std::all_of(chain.stages.begin() + static_cast<std::ptrdiff_t>(stages.front()) + 1,
                chain.stages.end(),
                [](const auto & behind) { return behind.kind == CudaSpline::TransformKind::Affine; });
  if (!isKnown || !isOuterLinear ||
      CudaSpline::TransformChain::CountOf(stage, Dimension) != static_cast<std::int64_t>(step.Size()))
  {
    return false;
  }
  CudaSpline::TransformChain::Matrix               unused{};
  const typename TMetric::VirtualImageType * const image = this->m_Metric->GetVirtualImage();
  CudaSplineDetail::DescribeAxes<Dimension>(image, chain.outputOrigin, chain.indexToPoint, unused);
  const auto region = this->m_Metric->GetVirtualRegion();
  for (unsigned int d = 0; d < Dimension; ++d)
  {
    chain.regionStart[d] = region.GetIndex(d);
    chain.regionSize[d] = static_cast<std::int64_t>(region.GetSize(d));
  }
  shift = CudaSpline::LargestPhysicalShift(chain, Dimension, stages.front(), step.data_block(), this->MakeContext());
  return true;
}

} // namespace itk

#endif
