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

#include "itkCompositeTransform.h"
#include "itkVectorLinearInterpolateImageFunction.h"

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
    "with linear ones behind it";
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
    itkExceptionMacro("EstimateLocalStepScales: the parameters of a B-spline transform are not those of voxels.");
  }
  Superclass::EstimateLocalStepScales(step, localStepScales);
}

} // namespace itk

#include "itkCudaRegistrationParameterScalesFromPhysicalShiftSupports.hxx"

#endif
