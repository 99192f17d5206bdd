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
#ifndef itkCudaCorrelationImageToImageMetricv4_h
#define itkCudaCorrelationImageToImageMetricv4_h

#include "itkCudaSplineImageMetric.h"

#include "itkCorrelationImageToImageMetricv4.h"

#include <limits>
#include <string>

namespace itk
{

/** \class CudaCorrelationImageToImageMetricv4
 * \brief Normalised correlation of two images, on a GPU or on all threads of the host.
 *
 * Replaces CorrelationImageToImageMetricv4, with the same parameters and results. Let f1 and m1 be the fixed and the
 * moving values minus their means over the valid samples, ff, mm and fm the sums of their products, g the gradient of
 * the moving image and J the Jacobian of the transform. Then
 *
 *     value      = -fm^2 / (ff mm)
 *     derivative = 2 fm / (ff mm) (sum f1 J' g - fm / mm  sum m1 J' g)
 *
 * where, as in ITK, a step along the derivative lowers the value. There are two passes over the samples: the first
 * computes the means, the second all other sums. ITK's own pass for the means, before each evaluation, is not executed.
 * CudaSplineImageMetric describes the accelerated cases and the accuracy.
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
class ITK_TEMPLATE_EXPORT CudaCorrelationImageToImageMetricv4
  : public CudaSplineImageMetric<CorrelationImageToImageMetricv4<TFixedImage,
                                                                 TMovingImage,
                                                                 TVirtualImage,
                                                                 TInternalComputationValueType,
                                                                 TMetricTraits>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaCorrelationImageToImageMetricv4);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaCorrelationImageToImageMetricv4;
  using Superclass = CudaSplineImageMetric<CorrelationImageToImageMetricv4<TFixedImage,
                                                                           TMovingImage,
                                                                           TVirtualImage,
                                                                           TInternalComputationValueType,
                                                                           TMetricTraits>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaCorrelationImageToImageMetricv4, CorrelationImageToImageMetricv4);

protected:
  CudaCorrelationImageToImageMetricv4() = default;
  ~CudaCorrelationImageToImageMetricv4() override = default;

  /** Derivatives by displacement fields: of these ITK adds up all samples' to the displacement of the first one. */
  std::string
  WhyNotAccelerated() const override
  {
    return this->GetComputeDerivative() && this->HasLocalSupport()
             ? std::string("the derivative of the correlation by the displacements of a field is not accelerated")
             : std::string();
  }

  /** Two passes: the formula above. Where the product of ff and mm is no more than a rounding of 1, value and
   * derivative are 0, as in ITK. */
  typename Superclass::Outcome
  Accumulate(const typename Superclass::Reduce & reduce, bool withDerivative) const override
  {
    CudaSpline::MetricReduction reduction;
    reduction.withDerivative = withDerivative;
    reduction.pass = CudaSpline::CorrelationPass{
      0.0, 0.0, static_cast<double>(std::numeric_limits<TInternalComputationValueType>::epsilon())
    };
    return CudaSpline::ReduceMetric(CudaSpline::MetricKind::Correlation, reduce, reduction);
  }
};

/** \brief The classes of MetricKind::Correlation. */
template <>
struct CudaSplineDetail::MetricClass<CudaSpline::CorrelationMetric>
{
  /** ITK's class, and the module's. */
  ///@{
  template <typename... TArguments>
  using Theirs = CorrelationImageToImageMetricv4<TArguments...>;
  template <typename... TArguments>
  using Ours = CudaCorrelationImageToImageMetricv4<TArguments...>;
  ///@}
};

} // namespace itk

#endif
