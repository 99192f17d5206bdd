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
#ifndef itkCudaSplineImageMetric_h
#define itkCudaSplineImageMetric_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSplinePrecision.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/AffineJacobian.h"
#include "itkCudaSpline/itk/FixedSamples.h"
#include "itkCudaSpline/itk/InputIdentity.h"
#include "itkCudaSpline/itk/MetricArrays.h"
#include "itkCudaSpline/itk/MetricClass.h"
#include "itkCudaSpline/itk/Recognition.h"
#include "itkCudaSpline/itk/TransformDescriber.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/coefficients/SourceCache.h"
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "itkCudaSpline/kernels/metrics/MetricFormula.h"

#include "itkCentralDifferenceImageFunction.h"
#include "itkImageMaskSpatialObject.h"
#include "itkImageToImageMetricv4.h"

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace itk
{

/** \class CudaSplineImageMetric
 * \brief Base class of the module's image metrics. It derives from the ITK metric that each of them replaces.
 *
 * The kernels map the samples, interpolate the moving image and add up values and moments (CudaSpline::MetricSums). The
 * order of the sums depends only on the number of samples, so the same call gives the same bits. The host computes the
 * derivative from the moments and the transform's Jacobian (CudaSplineDetail::AffineJacobian).
 *
 * \code
 * // was: itk::MattesMutualInformationImageToImageMetricv4
 * auto metric = itk::CudaMattesMutualInformationImageToImageMetricv4<ImageType, ImageType>::New();
 * registration->SetMetric(metric); // an itk::ImageRegistrationMethodv4
 * registration->Update();
 * std::cout << NameOf(metric->GetLastBackend()) << ' ' << metric->GetFallbackReason() << '\n';
 * \endcode
 *
 * \par Evaluation
 * The class overrides GetValueAndDerivativeExecute(), which ITK calls for GetValue() and for GetValueAndDerivative().
 * The fixed image is sampled once, on all threads, by ITK's functions or with the same bits: any fixed transform, mask
 * and interpolator is supported. The following arrays stay on the backend until Initialize() is called, or until an
 * object that they depend on is replaced or modified. If Initialize() finds the same pixels (by a checksum of all of
 * them), they also stay:
 * - the fixed values, and the points of sampled point sets;
 * - the moving image, its coefficients, gradients and mask;
 * - on a device, the order of the samples by the cells of a B-spline transform's grid.
 *
 * \par What is accelerated
 * Images of 2 and 3 dimensions of float or double pixels, with every sampling, and the following. The superclass
 * computes all other cases; GetFallbackReason() returns the reason.
 * - Moving transforms (below), with double or float parameters.
 * - Moving images interpolated by nearest neighbours, linearly, or by B-splines, by ITK's classes or the module's.
 * - Gradients of any gradient filter on the moving image's grid, and of ITK's central differences.
 * - Moving masks that are ImageMaskSpatialObjects.
 *
 * \par Moving transforms
 * - Linear transforms, and composites of linear transforms as ImageRegistrationMethodv4 creates them.
 * - B-spline transforms of orders 1 to 3, and displacement fields, also smoothed ones, on the virtual grid (not with
 *   sampled points). Any transform that the kernels support may precede them, because its Jacobian is not needed.
 * - After all of these, any transform that the kernels support, for example from earlier stages of a registration.
 *   Gradients are multiplied by its Jacobian by position: for B-splines the derivative (ITK throws), for displacement
 *   fields ITK's differences.
 *
 * \par Metrics of float
 * If InternalComputationValueType is \c float, the kernels compute as for \c double and round the value and the
 * derivative at the end. This includes transforms, from their parameters (CudaSplineDetail::InDoublePrecision()), the
 * points of fixed samples, and sums. So the result is that of the metric of \c double except for the last rounding, and
 * closer to it than ITK's. Points on a border may be inside here and outside in ITK, or vice versa, because ITK rounds
 * them. Linear transforms of float are accelerated if they are of ITK's common classes, which include those of
 * antsRegistration.
 *
 * \par Accuracy
 * For metrics of double the number of valid points is ITK's. In double precision (CudaSplinePrecision::Double, or
 * double pixels) values agree with ITK's to 1e-12, derivatives to 1e-10; in single precision to 1e-6 and 1e-5
 * (relative; derivatives in the L2 norm). ITK's B-spline coefficients of orders 2 to 5 have an error of 4e-10 of the
 * largest pixel near the edges where its recursion begins. With those, both agree to some 1e-9; with an interpolator of
 * ITK that has float coefficients, to some 1e-6. The Jacobian by position of displacement fields is that of ITK 5.3 and
 * later. ITK 5.2 has other ones for rotated or anisotropic fields, at their borders, and outside, where it reads beyond
 * their memory.
 *
 * \tparam TMetric the metric of ITK, with its template parameters
 * \ingroup CudaSpline */
template <typename TMetric>
class CudaSplineImageMetric : public TMetric
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaSplineImageMetric);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaSplineImageMetric;
  using Superclass = TMetric;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  using FixedImageType = typename Superclass::FixedImageType;
  using MovingImageType = typename Superclass::MovingImageType;
  using VirtualImageType = typename Superclass::VirtualImageType;
  using FixedPixelType = typename FixedImageType::PixelType;
  using MovingPixelType = typename MovingImageType::PixelType;
  using MeasureType = typename Superclass::MeasureType;
  using DerivativeType = typename Superclass::DerivativeType;
  ///@}

  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaSplineImageMetric, ImageToImageMetricv4);

  /** Dimension of the images. */
  static constexpr unsigned int ImageDimension = MovingImageType::ImageDimension;

  /** True where the module's own kernels can evaluate such a metric. */
  static constexpr bool IsAccelerated =
    (ImageDimension == 2 || ImageDimension == 3) && FixedImageType::ImageDimension == ImageDimension &&
    VirtualImageType::ImageDimension == ImageDimension && std::is_floating_point<FixedPixelType>::value &&
    std::is_floating_point<MovingPixelType>::value && sizeof(FixedPixelType) <= sizeof(double) &&
    sizeof(MovingPixelType) <= sizeof(double) && CudaSplineDetail::ImageTraits<MovingImageType>::IsReadable &&
    CudaSplineDetail::ImageTraits<typename Superclass::MovingImageGradientImageType>::IsReadable &&
    std::is_floating_point<typename Superclass::InternalComputationValueType>::value &&
    sizeof(typename Superclass::InternalComputationValueType) <= sizeof(double);

  /** Selects the backend, and reports which one ran and the reason; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

  /** Arithmetic of values and gradients; CudaSplinePrecision::Automatic by default: double where an image's pixels are.
   * Coordinates and sums are double in any case. */
  ///@{
  itkSetEnumMacro(Precision, CudaSplinePrecision);
  itkGetEnumMacro(Precision, CudaSplinePrecision);
  ///@}

  /** Whether the gradient of the moving image is that of the B-spline which interpolates it, and not one of ITK's: the
   * derivative is then the value's own, except with displacement fields after the optimized transform, whose Jacobians
   * are differences. Off by default, as ITK has no such gradient. Where the kernels cannot evaluate the metric,
   * derivatives throw an exception then. */
  ///@{
  itkSetMacro(UseAnalyticMovingImageGradient, bool);
  itkGetConstMacro(UseAnalyticMovingImageGradient, bool);
  itkBooleanMacro(UseAnalyticMovingImageGradient);
  ///@}

  /** How many evaluations are expected after each Initialize(): where they are worth it, the GPU is started in the
   * background while the metric is prepared, and images move there at the first one. It changes no result. 100 by
   * default, which an optimizer's level seldom stays below; 0: nothing is known. */
  ///@{
  virtual void
  SetExpectedNumberOfEvaluations(unsigned int number)
  {
    m_ExpectedNumberOfEvaluations = number; // nothing is to be done anew: no Modified()
  }
  itkGetConstMacro(ExpectedNumberOfEvaluations, unsigned int);
  ///@}

  /** Prepares the metric, as ITK's does. A B-spline interpolator of the moving image is not handed it, and so computes
   * no coefficients on the host, until somebody asks for it or ITK's code needs it.
   *
   * \exception ExceptionObject what ITK's metric throws */
  void
  Initialize() override;

  /** Threads of the last evaluation; 1 where a GPU evaluated. */
  ThreadIdType
  GetNumberOfWorkUnitsUsed() const override;

  /** The interpolator of the moving image, which has the image. */
  ///@{
  typename Superclass::MovingInterpolatorType *
  GetModifiableMovingInterpolator() override
  {
    this->ProvideInterpolator();
    return Superclass::GetModifiableMovingInterpolator();
  }
  const typename Superclass::MovingInterpolatorType *
  GetMovingInterpolator() const override
  {
    this->ProvideInterpolator();
    return Superclass::GetMovingInterpolator();
  }
#if defined(CUDASPLINE_ITK_HAS_NON_CONST_GETTERS)
  typename Superclass::MovingInterpolatorType *
  GetMovingInterpolator() override
  {
    this->ProvideInterpolator();
    return Superclass::GetMovingInterpolator();
  }
#endif
  ///@}

  /** The gradient image of the moving image. Where it is that of ITK's default filter,
   * GradientRecursiveGaussianImageFilter or the module's, and the kernels evaluate the metric, they make it where they
   * read it, and the image only when it is asked for. */
  ///@{
  typename Superclass::MovingImageGradientImageType *
  GetModifiableMovingImageGradientImage() override
  {
    this->ProvideGradientImage();
    return Superclass::GetModifiableMovingImageGradientImage();
  }
  const typename Superclass::MovingImageGradientImageType *
  GetMovingImageGradientImage() const override
  {
    this->ProvideGradientImage();
    return Superclass::GetMovingImageGradientImage();
  }
#if defined(CUDASPLINE_ITK_HAS_NON_CONST_GETTERS)
  typename Superclass::MovingImageGradientImageType *
  GetMovingImageGradientImage() override
  {
    this->ProvideGradientImage();
    return Superclass::GetMovingImageGradientImage();
  }
#endif
  ///@}

protected:
  /** What a metric is made of, when all samples were added up. */
  using Outcome = CudaSpline::MetricOutcome;

  /** Adds up a pass over all samples; the second parameter is whether moments are wanted. */
  using Reduce = CudaSpline::MetricReduce;

  CudaSplineImageMetric();
  ~CudaSplineImageMetric() override = default;

  /** Prints the choice of backend, who ran last, and the arithmetic. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** What Initialize() has ITK's metric do, with another interpolator of the moving image where that waits. */
  virtual void
  InitializeMetric()
  {
    Superclass::Initialize();
  }

  /** Runs a loop on as many threads as the metric may take. What \p body throws is thrown again. */
  void
  ParallelFor(std::int64_t count, const CudaSpline::HostExecutor::Body & body) const
  {
    m_Threader->SetNumberOfWorkUnits(this->GetMaximumNumberOfWorkUnits());
    CudaSplineHostExecutor(m_Threader).ParallelFor(count, body);
  }

  /** Sets the size of the derivative only: the kernels write all of it, and do what ITK's metric does in addition on
   * the host. */
  void
  InitializeForIteration() const override;

  /** Computes the value and, where wanted, adds the derivative. */
  void
  GetValueAndDerivativeExecute() const override;

  /** Computes no gradient image where gradients are analytic, nor where the kernels can make it: then it waits until it
   * is asked for. */
  void
  ComputeMovingImageGradientFilterImage() const override;

  /** \brief The formula of the metric: computes its value and moments from passes over the samples.
   *
   * If a backend fails, it is called again for the next one, so it must not change the metric.
   *
   * \param[in] reduce executes a pass and returns its sums
   * \param[in] withDerivative whether moments are wanted */
  virtual Outcome
  Accumulate(const Reduce & reduce, bool withDerivative) const = 0;

  /** Why the kernels do not support the metric, in addition to the reasons of all metrics; empty if they do. */
  virtual std::string
  WhyNotAccelerated() const
  {
    return std::string();
  }

  /** Sets what passes work and memory are planned for; others are planned as one of mean squares. */
  virtual void
  DescribePass(CudaSpline::MetricDescriptor &) const
  {}

  /** Whether the derivative by displacements is the unchanged result of a pass: it is then written directly to ITK's
   * array and is not part of the outcome. */
  virtual bool
  TakesForces() const
  {
    return false;
  }

  /** Whether derivatives are by gradients of the fixed image, and by these alone. */
  virtual bool
  TakesFixedGradients() const
  {
    return false;
  }

  /** Throws like ITK's metric for invalid sums; other metrics do nothing. */
  virtual void
  CheckOutcome(const Outcome &) const
  {}

private:
  using ImageMetric = typename TMetric::Superclass;
  /** Of the derivative, and of transforms; the kernels' is double. */
  using ParameterType = typename TMetric::InternalComputationValueType;
  static constexpr bool IsSingle = std::is_same<ParameterType, float>::value;

  /** What follows from everything but the moving transform. */
  struct Inputs
  {
    CudaSplineDetail::InputIdentity         madeFrom;
    std::string                             refusal;         ///< why no kernel can; empty where one can
    std::string                             gradientRefusal; ///< why none can give the derivative
    CudaSpline::MetricDescriptor            descriptor;
    CudaSpline::MetricGradient              gradientFrom{ CudaSpline::MetricGradient::Image };
    double                                  extent{ 1.0 }; ///< of the virtual domain, half of it (mm)
    CudaSplineDetail::FixedSamples<TMetric> samples;       ///< owns fixed, inside, points and gradients of these
    std::vector<LightObject::ConstPointer>  kept;          ///< images whose pixels may be borrowed
    CudaSplineDetail::MetricArrays          arrays;
    CudaSpline::MetricWorkspace             workspace; ///< what the device keeps
  };

  /** What m_Inputs depend on, as it is now. */
  CudaSplineDetail::InputIdentity
  IdentifyInputs() const;
  /** Makes m_Inputs where there are none, or none that are still valid. */
  void
  Prepare() const;
  void
  DescribeMoving(Inputs & inputs) const;
  void
  DescribeGradient(Inputs & inputs) const;
  /** Samples of the fixed image and, where the metric takes them, its gradients there. */
  void
  SampleFixed(Inputs & inputs) const;
  /** Why the moving transform cannot be evaluated, or the derivative by its parameters; empty where it can. */
  std::string
  DescribeTransform(CudaSpline::MetricDescriptor &                     descriptor,
                    CudaSplineDetail::AffineJacobian<ImageDimension> & jacobian) const;
  /** Starts the GPU in the background where the expected evaluations are worth it, those of finer levels too: a virtual
   * domain that is coarser than the fixed image is one of a pyramid. */
  void
  StartAhead() const;
  /** Evaluations that are expected to come, with the next one. */
  double
  CountExpected() const;
  /** Hands the moving image to its interpolator, where it waits for that. */
  void
  ProvideInterpolator() const;
  /** Computes the gradient image, where it waits for that. */
  void
  ProvideGradientImage() const;
  void
  RunSuperclass(const std::string & reason, const CudaSplineTrace::Describe & describe) const;

  mutable CudaSplineBackend                        m_Backend;
  mutable std::unique_ptr<Inputs>                  m_Inputs;
  mutable std::unique_ptr<CudaSpline::SourceCache> m_Cache;
  mutable bool                                     m_InterpolatorWaits{ false }; ///< for its image
  /** What the gradient image would be that was not computed by Initialize(); null where it was, or there is none. */
  mutable std::unique_ptr<const CudaSpline::GaussianDescriptor> m_WaitingGradient;
  mutable bool               m_GradientImageIsThere{ false }; ///< nevertheless: somebody asked for it
  mutable unsigned int       m_Evaluations{ 0 };              ///< since Initialize()
  mutable ThreadIdType       m_WorkUnitsUsed{ 0 };            ///< of the last one by kernels; 0: ITK's code knows
  unsigned int               m_ExpectedNumberOfEvaluations{ 100 };
  MultiThreaderBase::Pointer m_Threader;
  CudaSplinePrecision        m_Precision{ CudaSplinePrecision::Automatic };
  bool                       m_UseAnalyticMovingImageGradient{ false };
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaSplineImageMetric.hxx"
#endif

#endif
