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
#ifndef itkCudaSplineImageMetric_hxx
#define itkCudaSplineImageMetric_hxx

#include "itkCudaSplineImageMetric.h"
#include "itkCudaSpline/device/Device.h"

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace itk
{

template <typename TMetric>
CudaSplineImageMetric<TMetric>::CudaSplineImageMetric()
  : m_Cache(new CudaSpline::SourceCache(std::numeric_limits<std::size_t>::max(), 12)) // the arrays of two backends
  , m_Threader(MultiThreaderBase::New())
{}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
  os << indent << "Precision: " << m_Precision << std::endl;
  os << indent << "ExpectedNumberOfEvaluations: " << m_ExpectedNumberOfEvaluations << std::endl;
  os << indent << "UseAnalyticMovingImageGradient: " << (m_UseAnalyticMovingImageGradient ? "On" : "Off") << std::endl;
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::Initialize()
{
  m_Preparation.reset();
  m_WaitingGradient.reset();
  m_InterpolatorWaits = false;
  m_Evaluations = 0;
  this->StartAhead();
  // A B-spline interpolator of ITK's would decompose the image, on one thread, when it is handed it: the kernels have
  // coefficients of their own. It gets the image where ITK's metric turns out to be needed.
  const auto chosen = this->m_MovingInterpolator;
  if constexpr (IsAccelerated)
  {
    if (chosen.IsNotNull() && this->m_MovingImage.IsNotNull())
    {
      const CudaSplineMethod method =
        CudaSplineDetail::RecogniseInterpolator(chosen.GetPointer(), this->m_MovingImage.GetPointer());
      m_InterpolatorWaits =
        method.refusal == nullptr && method.interpolation.interpolation == CudaSpline::Interpolation::BSpline;
    }
  }
  if (m_InterpolatorWaits)
  {
    this->m_MovingInterpolator =
      LinearInterpolateImageFunction<MovingImageType, typename Superclass::CoordinateRepresentationType>::New();
  }
  try
  {
    this->InitializeMetric();
  }
  catch (...)
  {
    this->m_MovingInterpolator = chosen;
    m_InterpolatorWaits = false;
    throw;
  }
  this->m_MovingInterpolator = chosen;
}

template <typename TMetric>
double
CudaSplineImageMetric<TMetric>::CountExpected() const
{
  // Beyond what was expected nothing is known.
  return m_Evaluations < m_ExpectedNumberOfEvaluations ? m_ExpectedNumberOfEvaluations - m_Evaluations : 1.0;
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::StartAhead() const
{
  if constexpr (IsAccelerated)
  {
    if (this->m_FixedImage.IsNull() || this->m_MovingImage.IsNull())
    {
      return; // what ITK's metric says of that comes first
    }
    const auto countOf = [](const auto * image) {
      return static_cast<double>(image->GetLargestPossibleRegion().GetNumberOfPixels());
    };
    const double finest = countOf(this->m_FixedImage.GetPointer());
    const double domain = this->m_VirtualImage.IsNotNull() ? countOf(this->m_VirtualImage.GetPointer()) : finest;
    const bool   isSampled = this->m_UseSampledPointSet && this->m_FixedSampledPointSet.IsNotNull();
    const double samples = isSampled ? static_cast<double>(this->m_FixedSampledPointSet->GetNumberOfPoints()) : domain;

    CudaSpline::MetricDescriptor descriptor;
    descriptor.dimension = ImageDimension;
    descriptor.gradient = CudaSpline::MetricGradient::Image;
    descriptor.interpolation.interpolation = CudaSpline::Interpolation::Linear;
    CudaSpline::SourceDescriptor moving;
    moving.dimension = ImageDimension;
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      moving.size[d] = static_cast<std::int64_t>(this->m_MovingImage->GetLargestPossibleRegion().GetSize(d));
    }
    CudaSpline::BackendWork work;
    work.further = CudaSpline::CountMetricWork(descriptor, moving, static_cast<std::int64_t>(samples));
    work.host = *work.further;
    work.device = *work.further + CudaSpline::CountSourceWork(moving);
    const double finerLevels = finest > domain && domain > 0.0 ? 0.5 * finest / domain : 0.0;
    work.calls = std::max(1.0, m_ExpectedNumberOfEvaluations * (1.0 + finerLevels));
    m_Backend.StartAhead(work, this->GetMaximumNumberOfWorkUnits());
  }
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::InitializeForIteration() const
{
  if (this->GetComputeDerivative() && this->m_DerivativeResult->Size() != this->GetNumberOfParameters())
  {
    this->m_DerivativeResult->SetSize(this->GetNumberOfParameters());
  }
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::ProvideInterpolator() const
{
  if (m_InterpolatorWaits)
  {
    this->m_MovingInterpolator->SetInputImage(this->m_MovingImage);
    m_InterpolatorWaits = false;
  }
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::RunSuperclass(const std::string &               reason,
                                              const CudaSplineTrace::Describe & describe) const
{
  if (m_UseAnalyticMovingImageGradient && this->GetComputeDerivative())
  {
    itkExceptionMacro(
      << "Analytic gradients of the moving image are the kernels' alone, and these cannot evaluate this "
         "metric: "
      << reason << '.');
  }
  this->ProvideInterpolator();
  if (this->GetComputeDerivative())
  {
    this->ProvideGradientImage();
  }
  m_Backend.RunSuperclass(reason, describe, [this] {
    Superclass::InitializeForIteration();
    Superclass::GetValueAndDerivativeExecute();
  });
}

template <typename TMetric>
std::string
CudaSplineImageMetric<TMetric>::DescribeTransform(CudaSpline::MetricDescriptor &                     descriptor,
                                                  CudaSplineDetail::AffineJacobian<ImageDimension> & jacobian) const
{
  std::vector<std::size_t> optimized;
  if (!CudaSplineDetail::TransformDescriber<ImageDimension>::Append(
        this->GetMovingTransform(), descriptor.chain, &optimized))
  {
    return "only linear, B-spline and displacement field transforms, and composites of these, are accelerated";
  }
  const bool   withDerivative = this->GetComputeDerivative();
  const auto & stages = descriptor.chain.stages;
  const auto   isAllOf = [&](std::size_t stage) {
    return CudaSpline::TransformChain::CountOf(stages[stage], ImageDimension) ==
           static_cast<std::int64_t>(this->GetNumberOfParameters());
  };
  if (optimized.size() == 1 && stages[optimized[0]].kind == CudaSpline::TransformKind::BSpline && isAllOf(optimized[0]))
  {
    descriptor.splineStage = static_cast<int>(optimized[0]);
    return std::string();
  }
  if (!withDerivative)
  {
    return std::string();
  }
  if (optimized.size() == 1 && stages[optimized[0]].kind == CudaSpline::TransformKind::DisplacementField)
  {
    const auto & field = stages[optimized[0]];
    bool         isOnGrid = this->HasLocalSupport() && !this->m_UseSampledPointSet && isAllOf(optimized[0]);
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      isOnGrid = isOnGrid && field.start[d] == descriptor.chain.regionStart[d] &&
                 field.size[d] == descriptor.chain.regionSize[d];
    }
    if (!isOnGrid)
    {
      return "derivatives by the displacements of a field are accelerated on its own grid, without sampled points";
    }
    descriptor.fieldStage = static_cast<int>(optimized[0]);
    return std::string();
  }
  // The linear ones that a point goes through first; what is behind brings gradients back.
  const auto front = static_cast<std::size_t>(
    std::find_if(stages.begin(),
                 stages.end(),
                 [](const auto & stage) { return stage.kind != CudaSpline::TransformKind::Affine; }) -
    stages.begin());
  if (std::any_of(optimized.begin(), optimized.end(), [front](std::size_t stage) { return stage >= front; }))
  {
    return "derivatives are accelerated by the parameters of one B-spline transform or displacement field, or of "
           "linear "
           "transforms that a point goes through before others";
  }
  descriptor.linearStages = static_cast<int>(front);
  const auto linear =
    front == stages.size() ? nullptr : CudaSplineDetail::FirstLinearOnes<ImageDimension>(this->GetMovingTransform());
  if (!jacobian.Set(linear != nullptr ? linear.GetPointer() : this->GetMovingTransform(),
                    descriptor.centre,
                    m_Preparation->extent) ||
      jacobian.GetNumberOfParameters() != this->GetNumberOfParameters())
  {
    return "the Jacobian of the moving transform is not that of a linear transform";
  }
  return std::string();
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::GetValueAndDerivativeExecute() const
{
  const bool                      withDerivative = this->GetComputeDerivative();
  const CudaSplineTrace::Describe describe = [this] {
    return std::string(this->GetNameOfClass()) + " | " +
           CudaSplineDetail::TraceSize(this->GetVirtualRegion().GetSize(), ImageDimension) + " | " +
           this->GetMovingTransform()->GetNameOfClass() +
           (this->GetComputeDerivative() ? ", value and derivative" : ", value");
  };
  if constexpr (!IsAccelerated)
  {
    this->RunSuperclass("only metrics of double precision on images of 2 or 3 dimensions of float or double pixels are "
                        "accelerated",
                        describe);
  }
  else
  {
    static_cast<void>(this->GetVirtualRegion()); // throws before Initialize(), as ITK's code does
    this->Prepare();
    const Preparation &                              preparation = *m_Preparation;
    CudaSpline::MetricDescriptor                     descriptor = preparation.descriptor;
    CudaSplineDetail::AffineJacobian<ImageDimension> jacobian;
    std::string                                      reason = preparation.refusal;
    if (reason.empty())
    {
      reason = this->WhyNotAccelerated();
    }
    if (reason.empty() && withDerivative)
    {
      reason = preparation.gradientRefusal;
    }
    if (reason.empty())
    {
      reason = this->DescribeTransform(descriptor, jacobian);
    }
    if (!reason.empty())
    {
      this->RunSuperclass(reason, describe);
      return;
    }
    Outcome                      outcome;
    CudaSplineBackend::Operation operation;
    const std::int64_t           count = preparation.fixed.descriptor.Count();
    auto                         planned = descriptor;
    planned.gradient = withDerivative ? preparation.gradientFrom : CudaSpline::MetricGradient::None;
    this->DescribePass(planned);
    // Passes before that of the derivative leave their moving values to it.
    const bool shares = withDerivative && planned.gradient != CudaSpline::MetricGradient::Analytic;
    planned.sharesValues = shares;
    operation.work = [&](int device) {
      CudaSpline::OperationWork evaluating = CudaSpline::CountMetricWork(planned, preparation.moving.descriptor, count);
      evaluating.kind = CudaSpline::KindOf({ evaluating.kind, typeid(*this).hash_code() }); // its passes
      const bool onDevice = preparation.onDevice.moving != nullptr && preparation.device == device;
      return CudaSpline::BackendWork{ evaluating + this->CountSources(preparation.onHost.moving != nullptr),
                                      evaluating + this->CountSources(onDevice),
                                      evaluating,
                                      this->CountExpected() };
    };
    const bool byStage = withDerivative && (descriptor.splineStage >= 0 || descriptor.fieldStage >= 0);
    const bool takesForces = withDerivative && descriptor.fieldStage >= 0 && this->TakesForces();
    operation.memory = [&](int device) {
      auto plan = this->PlanSources(device, CudaSpline::CountMetricBytes(planned, count));
      if (const char * const reasonForHost = CudaSpline::ReasonForHostOnly(planned, count))
      {
        plan.fits = false;
        plan.reason = reasonForHost;
      }
      return plan;
    };
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      const CudaSpline::MetricSources & sources = this->ProvideSources(context);
      CudaSpline::MetricWorkspace       workspace;
      const bool                        onDevice = context.backend == CudaSpline::Backend::Cuda;
      if (onDevice)
      {
        workspace.order = std::move(m_Preparation->workspace.order); // none is left where this fails
      }
      bool         isFirst = true;
      const Reduce reduce =
        [&](CudaSpline::MetricPass pass, bool withMoments, const CudaSpline::MetricParameters & parameters) {
          auto wanted = descriptor;
          wanted.pass = pass;
          wanted.gradient = withMoments ? preparation.gradientFrom : CudaSpline::MetricGradient::None;
          wanted.parameters = parameters;
          wanted.forces = takesForces && withMoments ? this->m_DerivativeResult->data_block() : nullptr;
          wanted.sharesValues = shares && !(isFirst && withMoments);
          isFirst = false;
          return CudaSpline::EvaluateMetric(wanted, sources, context, &workspace);
        };
      outcome = this->Accumulate(reduce, withDerivative);
      if (onDevice)
      {
        m_Preparation->workspace.order = std::move(workspace.order);
      }
    };
    operation.describe = describe;
    m_Threader->SetNumberOfWorkUnits(this->GetMaximumNumberOfWorkUnits());
    m_Backend.Run(operation, m_Threader, nullptr);
    ++m_Evaluations;

    this->m_NumberOfValidPoints = static_cast<SizeValueType>(outcome.count);
    this->CheckOutcome(outcome);
    if (this->VerifyNumberOfValidPoints(this->m_Value, *this->m_DerivativeResult))
    {
      this->m_Value = outcome.value;
      const auto     parameters = static_cast<std::int64_t>(this->GetNumberOfParameters());
      double * const derivative = withDerivative ? this->m_DerivativeResult->data_block() : nullptr;
      const bool     isZero = outcome.derivative.empty();
      const auto     write = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t p = begin; p < end; ++p)
        {
          derivative[p] = isZero    ? 0.0
                              : byStage ? outcome.derivative[static_cast<std::size_t>(p)]
                                        : jacobian.Contract(outcome.derivative, static_cast<unsigned int>(p));
        }
      };
      this->ParallelFor(!withDerivative || takesForces ? 0 : parameters, write);
    }
  }
}

template <typename TMetric>
auto
CudaSplineImageMetric<TMetric>::ProvideSources(const CudaSpline::ExecutionContext & context) const
  -> const CudaSpline::MetricSources &
{
  Preparation &               preparation = *m_Preparation;
  const bool                  onDevice = context.backend == CudaSpline::Backend::Cuda;
  CudaSpline::MetricSources & sources = onDevice ? preparation.onDevice : preparation.onHost;
  if (sources.moving != nullptr && (!onDevice || preparation.device == context.device))
  {
    return sources;
  }
  CudaSpline::MetricSources made;
  const auto                provide = [&](const HostArray & array) -> std::shared_ptr<const CudaSpline::SampleSource> {
    return array.pixels != nullptr ? m_Cache->Provide(array.descriptor, array.pixels, context) : nullptr;
  };
  made.fixed = provide(preparation.fixed);
  made.inside = provide(preparation.inside);
  made.points = provide(preparation.points);
  made.moving = provide(preparation.moving);
  made.gradient = preparation.gaussian == nullptr
                    ? provide(preparation.gradient)
                    : CudaSpline::MakeGaussianGradientSource(
                        *preparation.gaussian, preparation.gradient.descriptor, preparation.gradient.pixels, context);
  made.mask = provide(preparation.mask);
  sources = made;
  if (onDevice)
  {
    preparation.device = context.device;
  }
  return sources;
}

template <typename TMetric>
CudaSpline::OperationWork
CudaSplineImageMetric<TMetric>::CountSources(bool isThere) const
{
  CudaSpline::OperationWork work;
  const Preparation &       preparation = *m_Preparation;
  for (const HostArray * array : { &preparation.fixed,
                                   &preparation.inside,
                                   &preparation.points,
                                   &preparation.moving,
                                   &preparation.gradient,
                                   &preparation.mask })
  {
    if (!isThere && array->pixels != nullptr)
    {
      const bool isMadeHere = array == &preparation.gradient && preparation.gaussian != nullptr;
      work = work + (isMadeHere ? CudaSpline::CountGaussianWork(*preparation.gaussian,
                                                                CudaSpline::GaussianOperation::GradientSource)
                                : CudaSpline::CountSourceWork(array->descriptor));
    }
  }
  return work;
}

template <typename TMetric>
CudaSpline::MemoryPlan
CudaSplineImageMetric<TMetric>::PlanSources(int device, std::size_t others) const
{
  const Preparation & preparation = *m_Preparation;
  const bool          isMade = preparation.onDevice.moving != nullptr && preparation.device == device;
  // Of the other sources none needs room beside itself that the largest, the moving image, does not.
  for (const HostArray * array :
       { &preparation.fixed, &preparation.inside, &preparation.points, &preparation.gradient, &preparation.mask })
  {
    others += array->pixels != nullptr ? array->descriptor.Bytes() : 0;
  }
  if (preparation.gaussian != nullptr && !isMade)
  {
    // Beside the gradients what they are made of, while they are made.
    const std::size_t peak = CudaSpline::PlanGaussian(*preparation.gaussian,
                                                      CudaSpline::GaussianOperation::GradientSource,
                                                      std::numeric_limits<std::size_t>::max())
                               .PeakBytes();
    const std::size_t bytes = preparation.gradient.descriptor.Bytes();
    others += peak > bytes ? peak - bytes : 0;
  }
  const std::size_t budget = CudaSpline::AvailableDeviceMemory(device, m_Cache->GetBytesOnDevice(device));
  return CudaSpline::PlanSource(preparation.moving.descriptor, budget > others ? budget - others : 0, isMade);
}

} // namespace itk

#include "itkCudaSplineImageMetricFixed.hxx"
#include "itkCudaSplineImageMetricGradient.hxx"
#include "itkCudaSplineImageMetricSamples.hxx"

#endif
