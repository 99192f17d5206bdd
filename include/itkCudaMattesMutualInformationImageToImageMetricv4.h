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
#ifndef itkCudaMattesMutualInformationImageToImageMetricv4_h
#define itkCudaMattesMutualInformationImageToImageMetricv4_h

#include "itkCudaSplineImageMetric.h"
#include "itkCudaSpline/math/ValueRange.h"

#include "itkMattesMutualInformationImageToImageMetricv4.h"

namespace itk
{

/** \class CudaMattesMutualInformationImageToImageMetricv4
 * \brief Mutual information of two images by the method of Mattes et al., on a GPU or on all threads of the host.
 *
 * Replaces MattesMutualInformationImageToImageMetricv4, with the same parameters and results. A joint histogram p of
 * fixed values (a box of a bin) and moving values (a cubic B-spline window of four bins) gives
 *
 *     value      = -sum p_fm ln(p_fm / (p_f p_m))
 *     derivative = -1 / (b N)  sum over samples  (sum over the four bins  B'(.) ln(p_fm / p_m)) J' g
 *
 * with b the size of a moving bin, N the number of valid samples, g the gradient of the moving image and J the Jacobian
 * of the transform; bins that are not larger than the rounding error of 1 do not contribute. There are two passes over
 * the samples. The first computes the histogram in integers, whose sums do not depend on the order. The second computes
 * the derivative from a table of bins x bins; ITK stores a derivative of each bin by each parameter instead.
 * GetJointPDF() and GetJointPDFDerivatives() are available only after evaluations by ITK's class.
 *
 * CudaSplineImageMetric describes the accelerated cases, with at most CudaSpline::MaxHistogramBins bins.
 *
 * \par Accuracy
 * The number of valid points is ITK's, except with B-splines in single precision: rounding may decide whether they
 * overshoot the range of the moving image. Values agree with ITK's to 1e-11, derivatives to 1e-9 in double precision,
 * to 1e-6 and 1e-4 in single (relative; derivatives in the L2 norm). With B-splines of orders 2 to 5 ITK's own
 * coefficients set the bound in double: 1e-8 and 1e-6. Samples whose moving value is NaN do not count; in ITK they do,
 * and the derivative is NaN. CudaSpline::ParzenWeight describes the rounding of the histogram's weights.
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
class ITK_TEMPLATE_EXPORT CudaMattesMutualInformationImageToImageMetricv4
  : public CudaSplineImageMetric<MattesMutualInformationImageToImageMetricv4<TFixedImage,
                                                                             TMovingImage,
                                                                             TVirtualImage,
                                                                             TInternalComputationValueType,
                                                                             TMetricTraits>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaMattesMutualInformationImageToImageMetricv4);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaMattesMutualInformationImageToImageMetricv4;
  using Superclass = CudaSplineImageMetric<MattesMutualInformationImageToImageMetricv4<TFixedImage,
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
  itkCudaSplineTypeMacro(CudaMattesMutualInformationImageToImageMetricv4, MattesMutualInformationImageToImageMetricv4);

protected:
  CudaMattesMutualInformationImageToImageMetricv4() = default;
  ~CudaMattesMutualInformationImageToImageMetricv4() override = default;

  /** The range of the images' pixels is found on all threads; ITK goes through each image on one. It is the same, and
   * so are exceptions. */
  void
  InitializeMetric() override;

  /** Two passes: the formula above. */
  typename Superclass::Outcome
  Accumulate(const typename Superclass::Reduce & reduce, bool withDerivative) const override;

  /** The second pass computes the contribution of each sample to its own displacement. */
  bool
  TakesForces() const override
  {
    return true;
  }

  /** ITK's metric throws where no sample is valid.
   *
   * \exception ExceptionObject there is no valid sample */
  void
  CheckOutcome(const typename Superclass::Outcome & outcome) const override;

  /** Histograms that are too large for a block of a device. */
  std::string
  WhyNotAccelerated() const override;

private:
  using FixedRange = CudaSpline::ValueRange<typename TFixedImage::PixelType>;
  using Bins = CudaSpline::ParzenBins;

  /** Throws ITK 6's exceptions for an image without samples, and for a constant one.
   *
   * \param[in] name fixed or moving
   * \param[in] lowest, highest range of its values
   * \exception ExceptionObject the range is empty */
  void
  CheckRange(const char * name, double lowest, double highest) const;

  /** The bins of the images' ranges, in double: ITK's members are these, rounded where it computes in float. */
  Bins
  MakeBins() const;

  /** The range of a list that is read in parts.
   *
   * \param[in] count parts
   * \param[in] ofPart FixedRange or that of the moving pixels, of the part of a number; called by several threads */
  template <typename TRange, typename TOfPart>
  TRange
  RangeOfParts(std::int64_t count, const TOfPart & ofPart) const;

  /** The range of an image's pixels in its mask, or of all of them.
   *
   * \param[in] image its buffered region counts
   * \param[in] mask in the image's space; null: there is none */
  template <typename TImage, typename TMask>
  CudaSpline::ValueRange<typename TImage::PixelType>
  RangeOfImage(const TImage * image, const TMask * mask) const;

  /** The range of the fixed pixels that are nearest to the sampled points. */
  FixedRange
  RangeOfPoints() const;
};

/** \brief The classes of MetricKind::Mattes. */
template <>
struct CudaSplineDetail::MetricClass<CudaSpline::MattesMetric>
{
  /** ITK's class, and the module's. */
  ///@{
  template <typename... TArguments>
  using Theirs = MattesMutualInformationImageToImageMetricv4<TArguments...>;
  template <typename... TArguments>
  using Ours = CudaMattesMutualInformationImageToImageMetricv4<TArguments...>;
  ///@}
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaMattesMutualInformationImageToImageMetricv4.hxx"
#endif

#endif
