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
#ifndef itkCudaDemonsImageToImageMetricv4_h
#define itkCudaDemonsImageToImageMetricv4_h

#include "itkCudaSplineImageMetric.h"

#include "itkDemonsImageToImageMetricv4.h"

#include <string>

namespace itk
{

/** \class CudaDemonsImageToImageMetricv4
 * \brief The demons' force on the displacements of a field, on a GPU or on all threads of the host.
 *
 * Replaces DemonsImageToImageMetricv4, with the same parameters, results and exceptions. Let f and m be the fixed and
 * the moving value of the N valid samples, g the gradient of the fixed image (by default) or of the moving one, and K
 * the mean square of that image's spacing. Then
 *
 *     value      = 1/N  sum (f - m)^2
 *     derivative = (f - m) g / ((f - m)^2 / K + g^2)      of each sample
 *
 * and 0 where |f - m| or the denominator are below thresholds. The gradients of the fixed image are sampled once, by
 * ITK's functions on all threads. As in ITK, the derivative does not include a Jacobian: a transform after the field,
 * or of the fixed image, moves samples but does not rotate their gradients. CudaSplineImageMetric describes the
 * accelerated cases and the accuracy. If InternalComputationValueType is float, gradients of the fixed image are ITK's
 * in float.
 *
 * \tparam TFixedImage type of the fixed image
 * \tparam TMovingImage type of the moving image
 * \tparam TVirtualImage type of the image that is the virtual domain
 * \tparam TInternalComputationValueType double, or float (CudaSplineImageMetric)
 * \tparam TMetricTraits see ITK
 *
 * \ingroup CudaSpline */
template <typename TFixedImage,
          typename TMovingImage,
          typename TVirtualImage = TFixedImage,
          typename TInternalComputationValueType = double,
          typename TMetricTraits =
            DefaultImageToImageMetricTraitsv4<TFixedImage, TMovingImage, TVirtualImage, TInternalComputationValueType>>
class ITK_TEMPLATE_EXPORT CudaDemonsImageToImageMetricv4
  : public CudaSplineImageMetric<DemonsImageToImageMetricv4<TFixedImage,
                                                            TMovingImage,
                                                            TVirtualImage,
                                                            TInternalComputationValueType,
                                                            TMetricTraits>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaDemonsImageToImageMetricv4);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaDemonsImageToImageMetricv4;
  using Superclass = CudaSplineImageMetric<
    DemonsImageToImageMetricv4<TFixedImage, TMovingImage, TVirtualImage, TInternalComputationValueType, TMetricTraits>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaDemonsImageToImageMetricv4, DemonsImageToImageMetricv4);

protected:
  CudaDemonsImageToImageMetricv4() = default;
  ~CudaDemonsImageToImageMetricv4() override = default;

  /** One pass: the formula above. */
  typename Superclass::Outcome
  Accumulate(const typename Superclass::Reduce & reduce, bool withDerivative) const override
  {
    CudaSpline::MetricReduction reduction;
    reduction.withDerivative = withDerivative;
    reduction.pass = this->MakePass();
    return CudaSpline::ReduceMetric(CudaSpline::MetricKind::Demons, reduce, reduction);
  }

  /** Sampled points, of which there is no derivative by displacements. */
  std::string
  WhyNotAccelerated() const override
  {
    return this->GetComputeDerivative() && this->m_UseSampledPointSet
             ? std::string("derivatives of demons by sampled points are not accelerated")
             : std::string();
  }

  /** The pass of demons. */
  void
  DescribePass(CudaSpline::MetricDescriptor & planned) const override
  {
    planned.pass = this->MakePass();
  }

  /** A sample's force is its displacement's derivative. */
  bool
  TakesForces() const override
  {
    return true;
  }

  /** ITK's default. */
  bool
  TakesFixedGradients() const override
  {
    return this->GetGradientSourceIncludesFixed() && !this->GetGradientSourceIncludesMoving() &&
           !this->m_UseSampledPointSet;
  }

private:
  /** Parameters of the formula in addition to the images. */
  CudaSpline::DemonsPass
  MakePass() const
  {
    return { static_cast<double>(this->GetNormalizer()),
             static_cast<double>(this->GetIntensityDifferenceThreshold()),
             static_cast<double>(this->GetDenominatorThreshold()) };
  }
};

/** \brief The classes of MetricKind::Demons. */
template <>
struct CudaSplineDetail::MetricClass<CudaSpline::DemonsMetric>
{
  /** ITK's class, and the module's. */
  ///@{
  template <typename... TArguments>
  using Theirs = DemonsImageToImageMetricv4<TArguments...>;
  template <typename... TArguments>
  using Ours = CudaDemonsImageToImageMetricv4<TArguments...>;
  ///@}
};

} // namespace itk

#endif
