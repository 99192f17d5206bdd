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
#ifndef itkCudaMeanSquaresImageToImageMetricv4_h
#define itkCudaMeanSquaresImageToImageMetricv4_h

#include "itkCudaSplineImageMetric.h"

#include "itkMeanSquaresImageToImageMetricv4.h"

namespace itk
{

/** \class CudaMeanSquaresImageToImageMetricv4
 * \brief Mean of the squared differences of two images, on a GPU or on all threads of the host.
 *
 * Replaces MeanSquaresImageToImageMetricv4, with the same parameters and results. Let f and m be the fixed and the
 * moving value of the N valid samples, g the gradient of the moving image and J the Jacobian of the transform. Then
 *
 *     value      = 1/N  sum (f - m)^2
 *     derivative = 1/N  sum 2 (f - m) J' g
 *
 * where, as in ITK, a step along the derivative lowers the value. CudaSplineImageMetric describes the accelerated cases
 * and the accuracy.
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
class ITK_TEMPLATE_EXPORT CudaMeanSquaresImageToImageMetricv4
  : public CudaSplineImageMetric<MeanSquaresImageToImageMetricv4<TFixedImage,
                                                                 TMovingImage,
                                                                 TVirtualImage,
                                                                 TInternalComputationValueType,
                                                                 TMetricTraits>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaMeanSquaresImageToImageMetricv4);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaMeanSquaresImageToImageMetricv4;
  using Superclass = CudaSplineImageMetric<MeanSquaresImageToImageMetricv4<TFixedImage,
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
  itkCudaSplineTypeMacro(CudaMeanSquaresImageToImageMetricv4, MeanSquaresImageToImageMetricv4);

protected:
  CudaMeanSquaresImageToImageMetricv4() = default;
  ~CudaMeanSquaresImageToImageMetricv4() override = default;

  /** One pass: the formula above. */
  typename Superclass::Outcome
  Accumulate(const typename Superclass::Reduce & reduce, bool withDerivative) const override
  {
    // Of a displacement, which has its own sample's part alone, ITK makes no mean.
    CudaSpline::MetricReduction reduction;
    reduction.withDerivative = withDerivative;
    reduction.takesMean = !this->HasLocalSupport();
    return CudaSpline::ReduceMetric(CudaSpline::MetricKind::MeanSquares, reduce, reduction);
  }

  /** The pass computes the contribution of each sample to its own displacement. */
  bool
  TakesForces() const override
  {
    return true;
  }
};

/** \brief The classes of MetricKind::MeanSquares. */
template <>
struct CudaSplineDetail::MetricClass<CudaSpline::MeanSquaresMetric>
{
  /** ITK's class, and the module's. */
  ///@{
  template <typename... TArguments>
  using Theirs = MeanSquaresImageToImageMetricv4<TArguments...>;
  template <typename... TArguments>
  using Ours = CudaMeanSquaresImageToImageMetricv4<TArguments...>;
  ///@}
};

} // namespace itk

#endif
