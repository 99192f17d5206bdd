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
#include "itkCudaGradientRecursiveGaussianImageFilter.h"
#include "itkCudaSpline/itk/Gaussian.h"
#include "itkCudaSpline/device/Device.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

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
ThreadIdType
CudaSplineImageMetric<TMetric>::GetNumberOfWorkUnitsUsed() const
{
  return m_WorkUnitsUsed > 0 ? m_WorkUnitsUsed : Superclass::GetNumberOfWorkUnitsUsed();
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::Initialize()
{
  m_Inputs.reset();
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
      << "Analytic gradients of the moving image are supported only by the kernels, which cannot evaluate this metric: "
      << reason << '.');
  }
  this->ProvideInterpolator();
  if (this->GetComputeDerivative())
  {
    this->ProvideGradientImage();
  }
  m_WorkUnitsUsed = 0;
  m_Backend.RunSuperclass(reason, describe, [this] {
    Superclass::InitializeForIteration();
    Superclass::GetValueAndDerivativeExecute();
  });
}

template <typename TMetric>
CudaSplineDetail::InputIdentity
CudaSplineImageMetric<TMetric>::IdentifyInputs() const
{
  CudaSplineDetail::InputIdentity identity;
  identity.AddImage(this->m_FixedImage.GetPointer());
  identity.AddImage(this->m_MovingImage.GetPointer());
  identity.Add(this->m_FixedInterpolator.GetPointer());
  identity.Add(this->m_MovingInterpolator.GetPointer());
  identity.Add(m_WaitingGradient == nullptr ? this->m_MovingImageGradientImage.GetPointer() : nullptr);
  identity.Add(this->m_MovingImageGradientCalculator.GetPointer());
  if (this->TakesFixedGradients())
  {
    identity.Add(this->m_FixedImageGradientImage.GetPointer());
    identity.Add(this->m_FixedImageGradientCalculator.GetPointer());
  }
  identity.Add(this->GetVirtualImage());
  identity.AddTransform(this->m_FixedTransform.GetPointer());
  identity.AddMask(this->m_FixedImageMask.GetPointer());
  identity.AddMask(this->m_MovingImageMask.GetPointer());
  identity.AddPoints(this->m_UseSampledPointSet ? this->m_VirtualSampledPointSet.GetPointer() : nullptr);
  identity.AddOptions((this->m_UseSampledPointSet ? 1 : 0) + (this->m_UseMovingImageGradientFilter ? 2 : 0) +
                      (m_UseAnalyticMovingImageGradient ? 4 : 0) + 8 * static_cast<int>(m_Precision) +
                      (this->GetGradientSourceIncludesMoving() ? 32 : 0) +
                      (this->GetUseFloatingPointCorrection() ? 64 : 0) + (this->TakesFixedGradients() ? 128 : 0) +
                      (this->m_UseFixedImageGradientFilter ? 256 : 0));
  return identity;
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::Prepare() const
{
  auto identity = this->IdentifyInputs();
  if (m_Inputs != nullptr && m_Inputs->madeFrom == identity)
  {
    return;
  }
  m_Inputs.reset(); // their memory first
  auto inputs = std::make_unique<Inputs>();
  inputs->madeFrom = std::move(identity);
  this->DescribeMoving(*inputs);
  if (inputs->refusal.empty())
  {
    if (!CudaSplineDetail::DescribeMask(
          this->m_MovingImageMask.GetPointer(), inputs->descriptor.mask, inputs->arrays.mask, inputs->kept))
    {
      inputs->refusal = "moving masks of another type than ImageMaskSpatialObject of unsigned char are not accelerated";
    }
    this->DescribeGradient(*inputs);
  }
  if (inputs->refusal.empty())
  {
    this->SampleFixed(*inputs);
  }
  m_Inputs = std::move(inputs);
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::DescribeMoving(Inputs & inputs) const
{
  using Interpolation = CudaSpline::Interpolation;
  const MovingImageType * const image = this->m_MovingImage.GetPointer();
  const CudaSplineMethod        method =
    CudaSplineDetail::RecogniseInterpolator(this->m_MovingInterpolator.GetPointer(), image);
  const Interpolation kind = method.interpolation.interpolation;
  if (method.refusal != nullptr)
  {
    inputs.refusal = method.refusal;
    return;
  }
  const bool isKnown =
    kind == Interpolation::Nearest || kind == Interpolation::Linear || kind == Interpolation::BSpline;
  if (!isKnown || method.unbounded != decltype(method.unbounded){ { false, false, false, false } } ||
      method.storage != CudaSpline::CoefficientStorage::Element ||
      method.interpolation.mode != CudaSpline::EvaluationMode::Exact)
  {
    inputs.refusal = "moving images are interpolated by nearest neighbours, linearly, or by B-splines from exact "
                     "coefficients, inside of their buffers alone";
    return;
  }
  if (image->GetBufferedRegion().GetNumberOfPixels() == 0 || image->GetBufferPointer() == nullptr)
  {
    inputs.refusal = "the moving image is empty";
    return;
  }
  const bool isDouble = m_Precision == CudaSplinePrecision::Automatic
                          ? std::is_same<FixedPixelType, double>::value || std::is_same<MovingPixelType, double>::value
                          : m_Precision == CudaSplinePrecision::Double;
  inputs.arrays.moving.descriptor = CudaSplineDetail::DescribeSource(image);
  CudaSplineDetail::DescribeMethodSource(method, inputs.arrays.moving.descriptor);
  inputs.arrays.moving.descriptor.element =
    isDouble ? CudaSpline::ScalarType::Float64 : CudaSpline::ScalarType::Float32;
  inputs.arrays.moving.pixels = image->GetBufferPointer();
  inputs.kept.emplace_back(image);

  CudaSpline::MetricDescriptor & descriptor = inputs.descriptor;
  descriptor.dimension = ImageDimension;
  descriptor.interpolation = CudaSplineDetail::DescribeInterpolation<double>(method, image->GetBufferedRegion());
  descriptor.singleMoving = std::is_same<MovingPixelType, float>::value;
  descriptor.singleFixed = std::is_same<FixedPixelType, float>::value;
  CudaSpline::TransformChain::Matrix unused{};
  CudaSplineDetail::DescribeAxes<ImageDimension>(
    image, descriptor.chain.inputOrigin, unused, descriptor.chain.pointToIndex);
  CudaSplineDetail::DescribeAxes<ImageDimension>(
    this->GetVirtualImage(), descriptor.chain.outputOrigin, descriptor.chain.indexToPoint, unused);
  const auto & region = this->GetVirtualRegion();
  double       extent = 0.0;
  for (unsigned int r = 0; r < ImageDimension; ++r)
  {
    descriptor.spacing[r] = image->GetSpacing()[r];
    descriptor.chain.regionStart[r] = region.GetIndex(r);
    descriptor.chain.regionSize[r] = static_cast<std::int64_t>(region.GetSize(r));
    descriptor.centre[r] = descriptor.chain.outputOrigin[r];
    for (unsigned int c = 0; c < ImageDimension; ++c)
    {
      const double half = 0.5 * (static_cast<double>(region.GetSize(c)) - 1.0);
      descriptor.centre[r] += descriptor.chain.indexToPoint[r][c] * (static_cast<double>(region.GetIndex(c)) + half);
      extent = std::max(extent, std::abs(descriptor.chain.indexToPoint[r][c]) * half);
    }
  }
  inputs.extent = extent;
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::ComputeMovingImageGradientFilterImage() const
{
  m_WaitingGradient.reset();
  m_GradientImageIsThere = false;
  if (m_UseAnalyticMovingImageGradient)
  {
    return;
  }
  if constexpr (IsAccelerated)
  {
    using GradientImage = typename Superclass::MovingImageGradientImageType;
    using Filter = GradientRecursiveGaussianImageFilter<MovingImageType, GradientImage>;
    using OwnFilter = CudaGradientRecursiveGaussianImageFilter<MovingImageType, GradientImage>;
    const auto * const filter = this->m_MovingImageGradientFilter.GetPointer();
    // Gradients of float vectors would be rounded once more before they become elements, which a metric of float leaves
    // out.
    if (OwnFilter::IsAccelerated &&
        (IsSingle || std::is_same<typename OwnFilter::OutputComponentType, double>::value) &&
        (typeid(*filter) == typeid(Filter) || typeid(*filter) == typeid(OwnFilter)))
    {
      const auto * const recursive = static_cast<const Filter *>(filter);
      const auto * const image = this->m_MovingImage.GetPointer();
      auto               gaussian = std::make_unique<CudaSpline::GaussianDescriptor>(
        CudaSplineDetail::DescribeGaussian(image, recursive->GetSigmaArray(), recursive->GetNormalizeAcrossScale()));
      gaussian->isRotated = recursive->GetUseImageDirection();
      if (CudaSplineDetail::WhyNotGaussian(image, *gaussian) == nullptr)
      {
        m_WaitingGradient = std::move(gaussian);
        this->m_MovingImageGradientImage = nullptr;
        return;
      }
    }
  }
  Superclass::ComputeMovingImageGradientFilterImage();
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::ProvideGradientImage() const
{
  if (m_WaitingGradient != nullptr && !m_GradientImageIsThere)
  {
    Superclass::ComputeMovingImageGradientFilterImage();
    m_GradientImageIsThere = true;
  }
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::DescribeGradient(Inputs & inputs) const
{
  const MovingImageType * const image = this->m_MovingImage.GetPointer();
  if (this->GetUseFloatingPointCorrection())
  {
    inputs.gradientRefusal = "derivatives with the floating-point correction are not accelerated";
  }
  else if (this->TakesFixedGradients())
  {
    inputs.gradientFrom = CudaSpline::MetricGradient::Samples;
  }
  else if (!this->GetGradientSourceIncludesMoving())
  {
    inputs.gradientRefusal = "derivatives without gradients of the moving image are not accelerated";
  }
  else if (m_UseAnalyticMovingImageGradient)
  {
    inputs.gradientFrom = CudaSpline::MetricGradient::Analytic;
    if (inputs.descriptor.interpolation.interpolation != CudaSpline::Interpolation::BSpline)
    {
      inputs.gradientRefusal = "analytic gradients are those of B-spline interpolators";
    }
  }
  else if (this->m_UseMovingImageGradientFilter && m_WaitingGradient != nullptr)
  {
    inputs.gradientFrom = CudaSpline::MetricGradient::Image;
    auto gaussian = *m_WaitingGradient;
    gaussian.output = inputs.arrays.moving.descriptor.element;
    inputs.arrays.gaussian = std::make_shared<const CudaSpline::GaussianDescriptor>(gaussian);
    inputs.arrays.gradient.descriptor = CudaSplineDetail::DescribeSource(image);
    inputs.arrays.gradient.descriptor.components = ImageDimension;
    inputs.arrays.gradient.descriptor.pixel = gaussian.output;
    inputs.arrays.gradient.pixels = image->GetBufferPointer();
  }
  else if (this->m_UseMovingImageGradientFilter)
  {
    const auto * const gradients = this->m_MovingImageGradientImage.GetPointer();
    if (gradients == nullptr || gradients->GetBufferedRegion() != image->GetBufferedRegion() ||
        gradients->GetOrigin() != image->GetOrigin() || gradients->GetSpacing() != image->GetSpacing() ||
        gradients->GetDirection() != image->GetDirection())
    {
      inputs.gradientRefusal = "gradient images that are not on the moving image's grid are not accelerated";
      return;
    }
    inputs.gradientFrom = CudaSpline::MetricGradient::Image;
    inputs.arrays.gradient.descriptor = CudaSplineDetail::DescribeSource(gradients);
    inputs.arrays.gradient.pixels = gradients->GetBufferPointer();
    inputs.kept.emplace_back(gradients);
  }
  else
  {
    using Differences = typename Superclass::DefaultMovingImageGradientCalculator;
    using Linear = LinearInterpolateImageFunction<MovingImageType, typename Superclass::CoordinateRepresentationType>;
    auto * const calculator = this->m_MovingImageGradientCalculator.GetPointer();
    auto * const differences =
      typeid(*calculator) == typeid(Differences) ? static_cast<Differences *>(calculator) : nullptr;
    if (differences == nullptr || !differences->GetUseImageDirection() ||
        typeid(*differences->GetInterpolator()) != typeid(Linear))
    {
      inputs.gradientRefusal = "gradients by another calculator than ITK's central differences of linear "
                               "interpolation, with the image's direction, are not accelerated";
      return;
    }
    inputs.gradientFrom = CudaSpline::MetricGradient::CentralDifferences;
    inputs.arrays.gradient.descriptor = CudaSplineDetail::DescribeSource(image);
    inputs.arrays.gradient.pixels = image->GetBufferPointer();
  }
  inputs.arrays.gradient.descriptor.element = inputs.arrays.moving.descriptor.element;
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::SampleFixed(Inputs & inputs) const
{
  typename CudaSplineDetail::FixedSamples<TMetric>::Domain domain;
  domain.image = this->m_FixedImage.GetPointer();
  domain.transform = this->m_FixedTransform.GetPointer();
  domain.interpolator = this->m_FixedInterpolator.GetPointer();
  domain.mask = this->m_FixedImageMask.GetPointer();
  domain.virtualImage = this->GetVirtualImage();
  domain.region = this->GetVirtualRegion();
  domain.points = this->m_UseSampledPointSet ? this->m_VirtualSampledPointSet.GetPointer() : nullptr;
  domain.count = static_cast<std::int64_t>(this->GetNumberOfDomainPoints());
  domain.grid = inputs.descriptor.chain;
  m_Threader->SetNumberOfWorkUnits(this->GetMaximumNumberOfWorkUnits());
  const CudaSplineHostExecutor executor(m_Threader);
  CudaSpline::ExecutionContext context;
  context.host = &executor;
  const auto evaluate = [this](const auto & place, auto & mapped, auto & value) {
    return this->TransformAndEvaluateFixedPoint(place, mapped, value);
  };
  const auto element = inputs.arrays.moving.descriptor.element;
  if (!inputs.samples.Sample(domain, element, context, evaluate))
  {
    inputs.refusal = "there is no sample in the fixed image";
    return;
  }
  inputs.arrays.fixed = inputs.samples.GetValues();
  inputs.arrays.inside = inputs.samples.GetInside();
  inputs.arrays.points = inputs.samples.GetPlaces();
  if (inputs.gradientRefusal.empty() && this->TakesFixedGradients())
  {
    inputs.samples.SampleGradients(domain, element, context, [this](const auto & place, auto & gradient) {
      this->ComputeFixedImageGradientAtPoint(place, gradient);
    });
    inputs.arrays.gradient = inputs.samples.GetGradients();
  }
}

template <typename TMetric>
std::string
CudaSplineImageMetric<TMetric>::DescribeTransform(CudaSpline::MetricDescriptor &                     descriptor,
                                                  CudaSplineDetail::AffineJacobian<ImageDimension> & jacobian) const
{
  std::vector<std::size_t> optimized;
  if (!CudaSplineDetail::TransformDescriber<ImageDimension, ParameterType>::Append(
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
    descriptor.derivative = CudaSpline::SplineCoefficients{ optimized[0] };
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
    descriptor.derivative = CudaSpline::FieldDisplacements{ optimized[0] };
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
  descriptor.derivative = CudaSpline::LinearMoments{ front };
  typename Transform<double, ImageDimension, ImageDimension>::ConstPointer linear;
  if constexpr (!IsSingle)
  {
    if (front == stages.size())
    {
      linear = this->GetMovingTransform(); // whatever its class is
    }
  }
  if (linear.IsNull())
  {
    linear = CudaSplineDetail::FirstLinearOnes(this->GetMovingTransform());
  }
  if (!jacobian.Set(linear.GetPointer(), descriptor.centre, m_Inputs->extent) ||
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
    this->RunSuperclass("only metrics of float and double precision on images of 2 or 3 dimensions of float or double "
                        "pixels are accelerated",
                        describe);
  }
  else
  {
    static_cast<void>(this->GetVirtualRegion()); // throws before Initialize(), as ITK's code does
    this->Prepare();
    const Inputs &                                   inputs = *m_Inputs;
    CudaSpline::MetricDescriptor                     descriptor = inputs.descriptor;
    CudaSplineDetail::AffineJacobian<ImageDimension> jacobian;
    std::string                                      reason = inputs.refusal;
    if (reason.empty())
    {
      reason = this->WhyNotAccelerated();
    }
    if (reason.empty() && withDerivative)
    {
      reason = inputs.gradientRefusal;
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
    const std::int64_t           count = inputs.arrays.fixed.descriptor.Count();
    auto                         planned = descriptor;
    planned.gradient = withDerivative ? inputs.gradientFrom : CudaSpline::MetricGradient::None;
    this->DescribePass(planned);
    // Passes before that of the derivative leave their moving values to it.
    const bool shares = withDerivative && planned.gradient != CudaSpline::MetricGradient::Analytic;
    planned.sharesValues = shares;
    operation.work = [&](int device) {
      CudaSpline::OperationWork evaluating =
        CudaSpline::CountMetricWork(planned, inputs.arrays.moving.descriptor, count);
      evaluating.kind = CudaSpline::KindOf({ evaluating.kind, typeid(*this).hash_code() }); // its passes
      const auto withArrays = [&](bool areThere) {
        return areThere ? evaluating : evaluating + inputs.arrays.CountWork();
      };
      return CudaSpline::BackendWork{ withArrays(inputs.arrays.AreOnHost()),
                                      withArrays(inputs.arrays.AreOnDevice(device)),
                                      evaluating,
                                      this->CountExpected() };
    };
    const bool byStage = withDerivative && descriptor.GetStage().has_value();
    const bool takesForces = withDerivative && descriptor.GetField() != nullptr && this->TakesForces();
    const auto parameterCount = static_cast<std::int64_t>(this->GetNumberOfParameters());
    // Forces are the derivative, in double: of a metric of float they have an array of their own until they are
    // rounded.
    std::unique_ptr<double[]> ownForces;
    double *                  forces = nullptr;
    if (takesForces)
    {
      if constexpr (IsSingle)
      {
        ownForces = CudaSplineDetail::MakeUninitialized<double>(parameterCount);
        forces = ownForces.get();
      }
      else
      {
        forces = this->m_DerivativeResult->data_block();
      }
    }
    operation.memory = [&](int device) {
      auto plan = inputs.arrays.PlanMemory(
        device, CudaSpline::CountMetricBytes(planned, count, inputs.arrays.moving.descriptor.element), *m_Cache);
      if (const char * const reasonForHost = CudaSpline::ReasonForHostOnly(planned, count))
      {
        plan.fits = false;
        plan.reason = reasonForHost;
      }
      return plan;
    };
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      const CudaSpline::MetricSources & sources = m_Inputs->arrays.Provide(*m_Cache, context);
      CudaSpline::MetricWorkspace       workspace;
      const bool                        onDevice = context.backend == CudaSpline::Backend::Cuda;
      if (onDevice)
      {
        workspace.order = std::move(m_Inputs->workspace.order); // none is left where this fails
      }
      bool         isFirst = true;
      const Reduce reduce = [&](const CudaSpline::MetricPass & pass, bool withMoments) {
        auto wanted = descriptor;
        wanted.pass = pass;
        wanted.gradient = withMoments ? inputs.gradientFrom : CudaSpline::MetricGradient::None;
        wanted.forces = withMoments ? forces : nullptr;
        wanted.sharesValues = shares && !(isFirst && withMoments);
        isFirst = false;
        return CudaSpline::EvaluateMetric(wanted, sources, context, &workspace);
      };
      outcome = this->Accumulate(reduce, withDerivative);
      if (onDevice)
      {
        m_Inputs->workspace.order = std::move(workspace.order);
      }
    };
    operation.describe = describe;
    m_Threader->SetNumberOfWorkUnits(this->GetMaximumNumberOfWorkUnits());
    m_Backend.Run(operation, m_Threader, nullptr);
    ++m_Evaluations;
    m_WorkUnitsUsed = m_Backend.GetLastBackend() == CudaSpline::Backend::Cpu
                        ? static_cast<ThreadIdType>(CudaSplineHostExecutor(m_Threader).GetConcurrency())
                        : 1;

    this->m_NumberOfValidPoints = static_cast<SizeValueType>(outcome.count);
    this->CheckOutcome(outcome);
    if (this->VerifyNumberOfValidPoints(this->m_Value, *this->m_DerivativeResult))
    {
      this->m_Value = static_cast<MeasureType>(outcome.value);
      ParameterType * const derivative = withDerivative ? this->m_DerivativeResult->data_block() : nullptr;
      const bool            isZero = !takesForces && outcome.derivative.empty();
      const auto            write = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t p = begin; p < end; ++p)
        {
          const double part = isZero        ? 0.0
                                         : takesForces ? forces[p]
                                         : byStage     ? outcome.derivative[static_cast<std::size_t>(p)]
                                                   : jacobian.Contract(outcome.derivative, static_cast<unsigned int>(p));
          derivative[p] = static_cast<ParameterType>(part);
        }
      };
      const bool isThere = takesForces && !IsSingle; // where the kernels put it
      this->ParallelFor(!withDerivative || isThere ? 0 : parameterCount, write);
    }
  }
}

} // namespace itk

#endif
