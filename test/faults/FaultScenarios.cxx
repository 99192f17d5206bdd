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
#include "FaultScenarios.h"

#include "itkCudaANTSNeighborhoodCorrelationImageToImageMetricv4.h"
#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaComposeDisplacementFieldsImageFilter.h"
#include "itkCudaDemonsImageToImageMetricv4.h"
#include "itkCudaDisplacementFieldJacobianDeterminantFilter.h"
#include "itkCudaDisplacementFieldToBSplineImageFilter.h"
#include "itkCudaExponentialDisplacementFieldImageFilter.h"
#include "itkCudaInvertDisplacementFieldImageFilter.h"
#include "itkCudaMeanSquaresImageToImageMetricv4.h"
#include "itkCudaResampleImageFilter.h"
#include "itkCudaSmoothingRecursiveGaussianImageFilter.h"
#include "itkCudaSpline/device/PinnedBuffer.h"
#include "itkCudaSyNImageRegistrationMethod.h"
#include "itkCudaWarpImageFilter.h"

#include "device/StreamPool.h"

#include "itkAffineTransform.h"
#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkDisplacementFieldTransformParametersAdaptor.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkNearestNeighborExtrapolateImageFunction.h"
#include "itkShrinkImageFilter.h"

#include <algorithm>
#include <cmath>
#include <typeinfo>

namespace CudaSplineTest
{
namespace
{

template <typename TImage>
typename TImage::Pointer
MakeImage(const typename TImage::SizeType & size = { { 19, 17, 13 } })
{
  auto image = TImage::New();
  image->SetRegions(typename TImage::RegionType(size));
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto & index = it.GetIndex();
    const double value = 50.0 + 20.0 * std::sin(0.7 * static_cast<double>(index[0])) +
                         15.0 * std::cos(0.5 * static_cast<double>(index[1] + 2 * index[2]));
    it.Set(static_cast<typename TImage::PixelType>(value));
  }
  return image;
}

template <typename TImage>
std::vector<double>
NumbersOf(const TImage * image)
{
  using Number = typename itk::CudaSplineDetail::ImageTraits<TImage>::ComponentType;
  const auto * const first = reinterpret_cast<const Number *>(image->GetBufferPointer());
  return std::vector<double>(
    first, first + image->GetBufferedRegion().GetNumberOfPixels() * image->GetNumberOfComponentsPerPixel());
}

/** A filter with one output. */
template <typename TFilter>
class FilterSubject : public Subject
{
public:
  FilterSubject()
    : m_Filter(TFilter::New())
  {}

  void
  Run() override
  {
    m_Filter->Modified();
    m_Filter->Update();
  }
  void
  SetGPUEnabled(bool enabled) override
  {
    m_Filter->SetGPUEnabled(enabled);
  }
  itk::CudaSpline::Backend
  GetLastBackend() const override
  {
    return m_Filter->GetLastBackend();
  }
  std::string
  GetFallbackReason() const override
  {
    return m_Filter->GetFallbackReason();
  }
  std::vector<double>
  GetNumbers() const override
  {
    return NumbersOf(m_Filter->GetOutput());
  }
  itk::ProcessObject *
  GetProcess() override
  {
    return m_Filter;
  }

  typename TFilter::Pointer m_Filter;
};

using Shorts = itk::Image<short, 3>;
using Floats = itk::Image<float, 3>;
using Doubles = itk::Image<double, 3>;
using Vectors = itk::Image<itk::Vector<float, 3>, 3>;

template <typename TInput, typename TOutput>
std::unique_ptr<FilterSubject<itk::CudaResampleImageFilter<TInput, TOutput>>>
MakeResampler(itk::Transform<double, 3, 3> * transform)
{
  auto       subject = std::make_unique<FilterSubject<itk::CudaResampleImageFilter<TInput, TOutput>>>();
  const auto image = MakeImage<TInput>();
  subject->m_Filter->SetInput(image);
  subject->m_Filter->SetTransform(transform);
  subject->m_Filter->SetReferenceImage(image);
  subject->m_Filter->UseReferenceImageOn();
  return subject;
}

itk::AffineTransform<double, 3>::Pointer
MakeAffine()
{
  auto affine = itk::AffineTransform<double, 3>::New();
  affine->Rotate(0, 1, 0.2);
  affine->Rotate(0, 2, -0.1);
  return affine;
}

/** A transform that no kernel knows: its points are ITK's. */
class Bend : public itk::AffineTransform<double, 3>
{
public:
  using Self = Bend;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  TransformCategoryEnum
  GetTransformCategory() const override
  {
    return TransformCategoryEnum::UnknownTransformCategory;
  }
  OutputPointType
  TransformPoint(const InputPointType & point) const override
  {
    auto result = point;
    result[0] += 0.02 * point[1] * point[2];
    return result;
  }
};

std::unique_ptr<Subject>
MakeCubic()
{
  auto subject = MakeResampler<Shorts, Floats>(MakeAffine());
  subject->m_Filter->SetInterpolator(itk::BSplineInterpolateImageFunction<Shorts>::New());
  return subject;
}

std::unique_ptr<Subject>
MakeChain()
{
  auto spline = itk::BSplineTransform<double, 3, 3>::New();
  spline->SetTransformDomainPhysicalDimensions(itk::Vector<double, 3>(15.0).GetDataPointer());
  auto parameters = spline->GetParameters();
  for (unsigned int i = 0; i < parameters.Size(); ++i)
  {
    parameters[i] = 0.8 * std::sin(0.3 * i);
  }
  spline->SetParametersByValue(parameters);
  auto composite = itk::CompositeTransform<double, 3>::New();
  composite->AddTransform(MakeAffine());
  composite->AddTransform(spline);
  return MakeResampler<Floats, Floats>(composite);
}

/** Linear interpolation of a source that was evaluated before: it has its samples in a texture, too. */
class AgainSubject : public FilterSubject<itk::CudaResampleImageFilter<Floats, Floats>>
{
public:
  AgainSubject()
  {
    const auto image = MakeImage<Floats>();
    m_Filter->SetInput(image);
    m_Filter->SetTransform(MakeAffine());
    m_Filter->SetReferenceImage(image);
    m_Filter->UseReferenceImageOn();
    m_Filter->KeepSourceOn();
  }
  void
  Run() override
  {
    FilterSubject::Run();
    FilterSubject::Run();
  }
};

std::unique_ptr<Subject>
MakePointsOfVectors()
{
  auto subject = MakeResampler<Vectors, Vectors>(Bend::New());
  subject->m_Filter->SetDefaultPixelValue(itk::Vector<float, 3>(3.0F));
  return subject;
}

std::unique_ptr<Subject>
MakeExtrapolated()
{
  auto subject = MakeResampler<Doubles, Doubles>(MakeAffine());
  subject->m_Filter->SetInterpolator(itk::BSplineInterpolateImageFunction<Doubles>::New());
  subject->m_Filter->SetExtrapolator(itk::NearestNeighborExtrapolateImageFunction<Doubles, double>::New());
  subject->m_Filter->KeepSourceOn();
  return subject;
}

std::unique_ptr<Subject>
MakeTexture()
{
  auto subject = MakeResampler<Floats, Floats>(MakeAffine());
  auto spline = itk::CudaBSplineInterpolateImageFunction<Floats>::New();
  spline->SetMode(itk::CudaSpline::EvaluationMode::TextureTable);
  subject->m_Filter->SetInterpolator(spline);
  return subject;
}

std::unique_ptr<Subject>
MakeDecomposition()
{
  using Filter = itk::CudaBSplineDecompositionImageFilter<Shorts, Doubles>;
  auto subject = std::make_unique<FilterSubject<Filter>>();
  subject->m_Filter->SetInput(MakeImage<Shorts>());
  subject->m_Filter->SetSplineOrder(5);
  return subject;
}

std::unique_ptr<Subject>
MakeGaussian()
{
  auto subject = std::make_unique<FilterSubject<itk::CudaSmoothingRecursiveGaussianImageFilter<Floats>>>();
  subject->m_Filter->SetInput(MakeImage<Floats>());
  subject->m_Filter->SetSigma(1.5);
  return subject;
}

std::unique_ptr<Subject>
MakeWarp()
{
  auto       subject = std::make_unique<FilterSubject<itk::CudaWarpImageFilter<Floats, Floats, Vectors>>>();
  const auto image = MakeImage<Floats>();
  const auto field = MakeImage<Vectors>();
  for (itk::ImageRegionIteratorWithIndex<Vectors> it(field, field->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set((it.Get() - Vectors::PixelType(50.0F)) * 0.05F);
  }
  subject->m_Filter->SetInput(image);
  subject->m_Filter->SetDisplacementField(field);
  subject->m_Filter->SetOutputParametersFromImage(image);
  return subject;
}

/** A smooth field of small displacements. */
Vectors::Pointer
MakeSmallField()
{
  const auto field = MakeImage<Vectors>();
  for (itk::ImageRegionIteratorWithIndex<Vectors> it(field, field->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set((it.Get() - Vectors::PixelType(50.0F)) * 0.02F);
  }
  return field;
}

std::unique_ptr<Subject>
MakeInversion()
{
  auto subject = std::make_unique<FilterSubject<itk::CudaInvertDisplacementFieldImageFilter<Vectors>>>();
  subject->m_Filter->SetInput(MakeSmallField());
  return subject;
}

std::unique_ptr<Subject>
MakeExponential()
{
  auto subject = std::make_unique<FilterSubject<itk::CudaExponentialDisplacementFieldImageFilter<Vectors, Vectors>>>();
  subject->m_Filter->SetInput(MakeSmallField());
  return subject;
}

std::unique_ptr<Subject>
MakeComposition()
{
  auto subject = std::make_unique<FilterSubject<itk::CudaComposeDisplacementFieldsImageFilter<Vectors, Vectors>>>();
  subject->m_Filter->SetDisplacementField(MakeSmallField());
  subject->m_Filter->SetWarpingField(MakeSmallField());
  return subject;
}

std::unique_ptr<Subject>
MakeJacobian()
{
  using Filter = itk::CudaDisplacementFieldJacobianDeterminantFilter<Vectors, float>;
  auto subject = std::make_unique<FilterSubject<Filter>>();
  subject->m_Filter->SetInput(MakeSmallField());
  return subject;
}

/** Of double vectors over an oblique grid: with a place of each sample, and with a confidence image. */
std::unique_ptr<Subject>
MakeSplineSmoothing()
{
  using Field = itk::Image<itk::Vector<double, 3>, 3>;
  using Filter = itk::CudaDisplacementFieldToBSplineImageFilter<Field>;
  auto       subject = std::make_unique<FilterSubject<Filter>>();
  const auto field = MakeImage<Field>();
  const auto confidence = MakeImage<Doubles>();
  auto       direction = field->GetDirection();
  direction[0][0] = direction[1][1] = 0.8;
  direction[0][1] = 0.6;
  direction[1][0] = -0.6;
  field->SetDirection(direction);
  confidence->SetDirection(direction);
  subject->m_Filter->SetUseInputFieldToDefineTheBSplineDomain(true);
  subject->m_Filter->SetDisplacementField(field);
  subject->m_Filter->SetConfidenceImage(confidence);
  subject->m_Filter->SetNumberOfControlPoints(Filter::ArrayType(5));
  return subject;
}

/** A metric by a displacement field: value and derivative. */
template <typename TMetric>
class MetricSubject : public Subject
{
public:
  using Transform = itk::DisplacementFieldTransform<double, 3>;

  /** \param[in] share of the field of MakeSmallField(): 0 moves nothing, and nothing is interpolated */
  explicit MetricSubject(double share)
  {
    const auto fixed = MakeImage<Floats>();
    const auto moving = MakeImage<Floats>();
    for (itk::ImageRegionIteratorWithIndex<Floats> it(moving, moving->GetBufferedRegion()); !it.IsAtEnd(); ++it)
    {
      it.Set(it.Get() + 9.0F * std::sin(0.9F * static_cast<float>(it.GetIndex()[1] - it.GetIndex()[0])));
    }
    const auto small = MakeSmallField();
    const auto field = Transform::DisplacementFieldType::New();
    field->CopyInformation(fixed);
    field->SetRegions(fixed->GetLargestPossibleRegion());
    field->Allocate();
    for (itk::SizeValueType n = 0; n < field->GetBufferedRegion().GetNumberOfPixels(); ++n)
    {
      for (unsigned int d = 0; d < 3; ++d)
      {
        field->GetBufferPointer()[n][d] = share * static_cast<double>(small->GetBufferPointer()[n][d]);
      }
    }
    const auto transform = Transform::New();
    transform->SetDisplacementField(field);
    m_Metric->SetFixedImage(fixed);
    m_Metric->SetMovingImage(moving);
    m_Metric->SetMovingTransform(transform);
    m_Metric->SetUseMovingImageGradientFilter(false);
    m_Metric->SetUseFixedImageGradientFilter(false);
    m_Metric->Initialize();
  }
  void
  Run() override
  {
    m_Metric->GetValueAndDerivative(m_Value, m_Derivative);
  }
  void
  SetGPUEnabled(bool enabled) override
  {
    m_Metric->SetGPUEnabled(enabled);
  }
  itk::CudaSpline::Backend
  GetLastBackend() const override
  {
    return m_Metric->GetLastBackend();
  }
  std::string
  GetFallbackReason() const override
  {
    return m_Metric->GetFallbackReason();
  }
  std::vector<double>
  GetNumbers() const override
  {
    std::vector<double> numbers(m_Derivative.begin(), m_Derivative.end());
    numbers.push_back(m_Value);
    return numbers;
  }
  itk::ProcessObject *
  GetProcess() override
  {
    return nullptr;
  }

private:
  typename TMetric::Pointer        m_Metric{ TMetric::New() };
  typename TMetric::MeasureType    m_Value{ 0.0 };
  typename TMetric::DerivativeType m_Derivative;
};

using LocalMetric = itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4<Floats, Floats>;
using DemonsMetric = itk::CudaDemonsImageToImageMetricv4<Floats, Floats>;
using DifferenceMetric = itk::CudaMeanSquaresImageToImageMetricv4<Floats, Floats>;

/** A batch of points with gradients. */
class BatchSubject : public Subject
{
public:
  BatchSubject()
  {
    m_Interpolator->SetGPUEnabled(false); // a stand-in's coefficients would be no coefficients
    m_Interpolator->SetInputImage(MakeImage<Floats>());
    for (int i = 0; i < 200; ++i)
    {
      m_Indices.insert(m_Indices.end(), { 0.09 * i, 16.0 - 0.08 * i, 0.05 * i });
    }
  }
  void
  Run() override
  {
    m_Values.assign(m_Indices.size() / 3, 0.0);
    m_Gradients.assign(m_Indices.size(), 0.0);
    itk::CudaSplineBatchResults<double> results;
    results.values = m_Values.data();
    results.gradients = m_Gradients.data();
    m_Interpolator->EvaluateAtContinuousIndices(m_Indices.data(), m_Indices.size() / 3, results);
  }
  void
  SetGPUEnabled(bool enabled) override
  {
    m_Interpolator->SetGPUEnabled(enabled);
  }
  itk::CudaSpline::Backend
  GetLastBackend() const override
  {
    return m_Interpolator->GetLastBackend();
  }
  std::string
  GetFallbackReason() const override
  {
    return m_Interpolator->GetFallbackReason();
  }
  std::vector<double>
  GetNumbers() const override
  {
    std::vector<double> numbers = m_Values;
    numbers.insert(numbers.end(), m_Gradients.begin(), m_Gradients.end());
    return numbers;
  }
  itk::ProcessObject *
  GetProcess() override
  {
    return nullptr;
  }

private:
  itk::CudaBSplineInterpolateImageFunction<Floats>::Pointer m_Interpolator{
    itk::CudaBSplineInterpolateImageFunction<Floats>::New()
  };
  std::vector<double> m_Indices;
  std::vector<double> m_Values;
  std::vector<double> m_Gradients;
};

/** Two levels of two iterations of SyN, the latter of which are a recorded graph. */
class SynSubject : public Subject
{
public:
  using Method = itk::CudaSyNImageRegistrationMethod<Floats, Floats>;
  using Metric = itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<Floats, Floats>;
  using Transform = itk::DisplacementFieldTransform<double, 3>;

  SynSubject()
  {
    const auto metric = Metric::New();
    metric->SetRadius(Metric::RadiusType::Filled(1));
    metric->SetUseMovingImageGradientFilter(false);
    metric->SetUseFixedImageGradientFilter(false);
    const auto   fixed = MakeImage<Floats>({ { 12, 10, 9 } }); // every call fails once: few voxels
    const auto   moving = MakeImage<Floats>({ { 12, 10, 9 } });
    const double place[3] = { 0.7, -0.4, 0.3 };
    moving->SetOrigin(place);
    const auto field = Transform::DisplacementFieldType::New();
    field->CopyInformation(fixed);
    field->SetRegions(fixed->GetLargestPossibleRegion());
    field->Allocate(true);
    const auto transform = Transform::New();
    transform->SetDisplacementField(field);
    m_Method->SetFixedImage(fixed);
    m_Method->SetMovingImage(moving);
    m_Method->SetMetric(metric);
    m_Method->SetInitialTransform(transform);
    m_Method->SetNumberOfLevels(2);
    Method::ShrinkFactorsArrayType                   factors(2);
    Method::SmoothingSigmasArrayType                 sigmas(2);
    Method::TransformParametersAdaptorsContainerType adaptors;
    for (unsigned int level = 0; level < 2; ++level)
    {
      factors[level] = 2 - level;
      sigmas[level] = 1.0 - level;
      const auto shrunk = itk::ShrinkImageFilter<Floats, Floats>::New();
      shrunk->SetShrinkFactors(factors[level]);
      shrunk->SetInput(fixed);
      shrunk->UpdateOutputInformation();
      const auto adaptor = itk::DisplacementFieldTransformParametersAdaptor<Transform>::New();
      adaptor->SetRequiredSpacing(shrunk->GetOutput()->GetSpacing());
      adaptor->SetRequiredSize(shrunk->GetOutput()->GetLargestPossibleRegion().GetSize());
      adaptor->SetRequiredDirection(shrunk->GetOutput()->GetDirection());
      adaptor->SetRequiredOrigin(shrunk->GetOutput()->GetOrigin());
      adaptors.push_back(adaptor.GetPointer());
    }
    m_Method->SetShrinkFactorsPerLevel(factors);
    m_Method->SetSmoothingSigmasPerLevel(sigmas);
    m_Method->SetTransformParametersAdaptorsPerLevel(adaptors);
    m_Method->SetNumberOfIterationsPerLevel(Method::NumberOfIterationsArrayType(2, 2));
    m_Method->AddObserver(itk::IterationEvent(), [this](const itk::EventObject & event) {
      m_Iterations += typeid(event) == typeid(itk::IterationEvent) ? 1 : 0; // not the beginning of a level
    });
  }
  int
  GetIterations() const override
  {
    return m_Iterations;
  }
  void
  Run() override
  {
    m_Iterations = 0;
    m_Method->SetFixedToMiddleTransform(nullptr); // not from where it ended before
    m_Method->SetMovingToMiddleTransform(nullptr);
    m_Method->Modified();
    m_Method->Update();
  }
  void
  SetGPUEnabled(bool enabled) override
  {
    m_Method->SetGPUEnabled(enabled);
  }
  itk::CudaSpline::Backend
  GetLastBackend() const override
  {
    return m_Method->GetLastBackend();
  }
  std::string
  GetFallbackReason() const override
  {
    return m_Method->GetFallbackReason();
  }
  std::vector<double>
  GetNumbers() const override
  {
    return NumbersOf(m_Method->GetTransform()->GetDisplacementField());
  }
  itk::ProcessObject *
  GetProcess() override
  {
    return nullptr;
  }

private:
  Method::Pointer m_Method{ Method::New() };
  int             m_Iterations{ 0 };
};

} // namespace

const std::vector<Scenario> &
Scenarios()
{
  // Tolerances: some thousand units of rounding of numbers below 100, in the precision of each; of texture mode its
  // hardware's weights of 8 bits (3 / 256 of the coefficients in a volume, twice).
  static const std::vector<Scenario> scenarios{
    { "Cubic", MakeCubic, 1e-2 },
    { "Chain", MakeChain, 1e-2 },
    { "PointsOfVectors", MakePointsOfVectors, 1e-2 },
    { "Extrapolated", MakeExtrapolated, 1e-9 },
    { "Texture", MakeTexture, 8.0 },
    { "LinearAgain", []() -> std::unique_ptr<Subject> { return std::make_unique<AgainSubject>(); }, 1e-2, true },
    { "Decomposition", MakeDecomposition, 1e-9 },
    { "Gaussian", MakeGaussian, 1e-2 },
    { "Warp", MakeWarp, 1e-2 },
    { "Inversion", MakeInversion, 1e-4 },
    { "Exponential", MakeExponential, 1e-4 },
    { "Composition", MakeComposition, 1e-4 },
    { "Jacobian", MakeJacobian, 1e-4 },
    { "SplineSmoothing", MakeSplineSmoothing, 1e-8 },
    { "LocalCorrelation",
      []() -> std::unique_ptr<Subject> { return std::make_unique<MetricSubject<LocalMetric>>(0.0); },
      1e-4 },
    { "LocalCorrelationMoved",
      []() -> std::unique_ptr<Subject> { return std::make_unique<MetricSubject<LocalMetric>>(1.0); },
      1e-4 },
    { "Demons", []() -> std::unique_ptr<Subject> { return std::make_unique<MetricSubject<DemonsMetric>>(1.0); }, 1e-2 },
    { "MeanSquares",
      []() -> std::unique_ptr<Subject> { return std::make_unique<MetricSubject<DifferenceMetric>>(1.0); },
      1e-2 },
    { "Syn", []() -> std::unique_ptr<Subject> { return std::make_unique<SynSubject>(); }, 1e-2, true, true },
    { "Batch", []() -> std::unique_ptr<Subject> { return std::make_unique<BatchSubject>(); }, 1e-9 }
  };
  return scenarios;
}

double
LargestDifference(const std::vector<double> & a, const std::vector<double> & b)
{
  double largest = a.size() == b.size() ? 0.0 : 1e300;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
  {
    largest = std::max(largest, std::isnan(a[i] - b[i]) ? 1e300 : std::abs(a[i] - b[i]));
  }
  return largest;
}

void
ReleaseWhatIsKept()
{
  itk::CudaSpline::ReleasePinnedMemory();
  itk::CudaSpline::ReleaseStreams();
}

} // namespace CudaSplineTest
