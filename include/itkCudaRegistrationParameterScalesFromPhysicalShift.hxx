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
#ifndef itkCudaRegistrationParameterScalesFromPhysicalShift_hxx
#define itkCudaRegistrationParameterScalesFromPhysicalShift_hxx

#include "itkCudaRegistrationParameterScalesFromPhysicalShift.h"
#include "itkCudaSpline/itk/ImageAccess.h"
#include "itkCudaSpline/itk/TransformDescriber.h"
#include "itkCudaSpline/kernels/metrics/PhysicalShift.h"

#include "itkCompositeTransform.h"
#include "itkVectorLinearInterpolateImageFunction.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <typeinfo>

namespace itk
{

template <typename TMetric>
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::CudaRegistrationParameterScalesFromPhysicalShift()
  : m_Threader(MultiThreaderBase::New())
  , m_Executor(m_Threader)
{}

template <typename TMetric>
void
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "NumberOfWorkUnits: " << this->GetNumberOfWorkUnits() << std::endl;
  os << indent << "Reason: " << (m_Reason.empty() ? "(none)" : m_Reason) << std::endl;
}

template <typename TMetric>
CudaSpline::ExecutionContext
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::MakeContext() const
{
  CudaSpline::ExecutionContext context;
  context.host = &m_Executor;
  return context;
}

template <typename TMetric>
auto
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::GetEstimatedTransform() -> const TransformType *
{
  return dynamic_cast<const TransformType *>(this->GetTransform());
}

template <typename TMetric>
void
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::AppendTransforms(const TransformType * transform,
                                                                            bool                  counts,
                                                                            std::vector<const TransformType *> & order,
                                                                            std::vector<std::size_t> & optimized)
{
  using CompositeType = CompositeTransform<double, Dimension>;
  if (typeid(*transform) == typeid(CompositeType))
  {
    const auto * const composite = static_cast<const CompositeType *>(transform);
    for (SizeValueType n = composite->GetNumberOfTransforms(); n-- > 0;) // the last one that was added goes first
    {
      AppendTransforms(
        composite->GetNthTransformConstPointer(n), counts && composite->GetNthTransformToOptimize(n), order, optimized);
    }
    return;
  }
  if (counts)
  {
    optimized.push_back(order.size());
  }
  order.push_back(transform);
}

template <typename TMetric>
auto
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::FindOptimized() -> Optimized
{
  Optimized found;
  if (const TransformType * const transform = this->GetEstimatedTransform())
  {
    std::vector<const TransformType *> order;
    std::vector<std::size_t>           optimized;
    AppendTransforms(transform, true, order, optimized);
    if (optimized.size() == 1)
    {
      found.transform = order[optimized.front()];
      found.before.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(optimized.front()));
    }
  }
  return found;
}

template <typename TMetric>
auto
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::AsField(const TransformType * transform)
  -> const FieldTransformType *
{
  using FieldType = typename FieldTransformType::DisplacementFieldType;
  if (transform == nullptr || typeid(*transform) != typeid(FieldTransformType))
  {
    return nullptr;
  }
  const auto * const field = static_cast<const FieldTransformType *>(transform);
  const auto * const interpolator = field->GetInterpolator();
  const bool         isLinear =
    interpolator != nullptr && typeid(*interpolator) == typeid(VectorLinearInterpolateImageFunction<FieldType, double>);
  return isLinear && field->GetDisplacementField() != nullptr &&
             interpolator->GetInputImage() == field->GetDisplacementField()
           ? field
           : nullptr;
}

template <typename TMetric>
template <typename TPoint>
void
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::MapPoints(std::vector<TPoint> & mapped)
{
  const auto count = static_cast<std::int64_t>(this->m_SamplePoints.size());
  mapped.resize(static_cast<std::size_t>(count));
  m_Executor.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
    {
      const auto at = static_cast<std::size_t>(i);
      this->template TransformPoint<TPoint>(this->m_SamplePoints[at], mapped[at]);
    }
  });
}

template <typename TMetric>
void
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::ComputeSampleShifts(const ParametersType & deltaParameters,
                                                                               ScalesType &           sampleShifts)
{
  const auto compute = [&](auto point) {
    using OutputPointType = decltype(point);
    auto * const transform =
      const_cast<TransformBaseTemplate<typename TMetric::MeasureType> *>(this->GetTransform()); // as ITK does
    const ParametersType         before = transform->GetParameters();
    std::vector<OutputPointType> old;
    this->MapPoints(old);
    sampleShifts.SetSize(static_cast<SizeValueType>(old.size()));
    auto * const shifts = sampleShifts.data_block();
    this->UpdateTransformParameters(deltaParameters);
    m_Executor.ParallelFor(static_cast<std::int64_t>(old.size()), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
      {
        const auto      at = static_cast<std::size_t>(i);
        OutputPointType moved;
        this->template TransformPoint<OutputPointType>(this->m_SamplePoints[at], moved);
        shifts[at] = moved.EuclideanDistanceTo(old[at]);
      }
    });
    transform->SetParameters(before);
  };
  if (this->GetTransformForward()) // NOLINT(bugprone-branch-clone): the branches' types differ
  {
    compute(typename Superclass::MovingTransformType::OutputPointType());
  }
  else
  {
    compute(typename Superclass::FixedTransformType::OutputPointType());
  }
}

template <typename TMetric>
void
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::SampleVirtualDomain()
{
  const bool isThere = !(this->m_SamplingTime < this->GetTimeStamp()) &&
                       !(this->m_SamplingTime < this->m_Metric->GetVirtualDomainTimeStamp());
  if (isThere || this->GetSamplingStrategy() != SamplingStrategyEnum::FullDomainSampling ||
      !this->m_Metric->SupportsArbitraryVirtualDomainSamples())
  {
    Superclass::SampleVirtualDomain();
    return;
  }
  const auto                                       region = this->m_Metric->GetVirtualRegion();
  const typename TMetric::VirtualImageType * const image = this->m_Metric->GetVirtualImage();
  const auto                                       count = static_cast<std::int64_t>(region.GetNumberOfPixels());
  const std::int64_t length = count > 0 ? static_cast<std::int64_t>(region.GetSize(0)) : 1;
  this->m_SamplePoints.resize(static_cast<std::size_t>(count));
  m_Executor.ParallelFor(count / length, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line)
    {
      VirtualIndexType index = region.GetIndex();
      std::int64_t     rest = line;
      for (unsigned int d = 1; d < Dimension; ++d)
      {
        const auto size = static_cast<std::int64_t>(region.GetSize(d));
        index[d] += static_cast<IndexValueType>(rest % size);
        rest /= size;
      }
      for (std::int64_t i = 0; i < length; ++i, ++index[0])
      {
        image->TransformIndexToPhysicalPoint(index, this->m_SamplePoints[static_cast<std::size_t>(line * length + i)]);
      }
    }
  });
  if (this->m_SamplePoints.empty())
  {
    itkExceptionMacro("No sample points were created.");
  }
  this->Modified();
  this->m_SamplingTime = this->GetTimeStamp();
}

template <typename TMetric>
void
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::EstimateScales(ScalesType & scales)
{
  m_Reason.clear();
  if constexpr (IsAccelerated)
  {
    this->CheckAndSetInputs();
    this->SetScalesSamplingStrategy();
    this->SampleVirtualDomain();
    if (this->IsBSplineTransform() ? this->EstimateScalesOfSpline(scales)
                                   : (this->IsDisplacementFieldTransform() && this->EstimateScalesOfField(scales)))
    {
      return;
    }
  }
  m_Reason =
    "not the one B-spline or displacement field transform to optimize, of ITK's own classes in double precision";
  Superclass::EstimateScales(scales);
}

template <typename TMetric>
auto
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::EstimateStepScale(const ParametersType & step) -> FloatType
{
  m_Reason.clear();
  if constexpr (IsAccelerated)
  {
    this->CheckAndSetInputs();
    this->SetStepScaleSamplingStrategy();
    FloatType shift = 0.0;
    if (this->GetSamplingStrategy() == SamplingStrategyEnum::FullDomainSampling && this->EstimateShift(step, shift))
    {
      return shift;
    }
  }
  m_Reason =
    "not the one B-spline or displacement field transform to optimize, of ITK's own classes in double precision, "
    "followed by linear ones only";
  return Superclass::EstimateStepScale(step);
}

template <typename TMetric>
void
CudaRegistrationParameterScalesFromPhysicalShift<TMetric>::EstimateLocalStepScales(const ParametersType & step,
                                                                                   ScalesType & localStepScales)
{
  m_Reason = "of every voxel";
  if (this->m_Metric.IsNotNull() && this->m_Metric->GetMovingTransform() != nullptr &&
      this->m_Metric->GetFixedTransform() != nullptr && !this->IsDisplacementFieldTransform() &&
      this->IsBSplineTransform())
  {
    itkExceptionMacro("EstimateLocalStepScales: B-spline transforms are not supported, because their parameters are "
                      "not local to voxels.");
  }
  Superclass::EstimateLocalStepScales(step, localStepScales);
}

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
    static_cast<void>(grid->TransformPhysicalPointToContinuousIndex(point, index));
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
    // Where nothing moves, a small number instead of 0; all by the square of the variation.
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
