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
#ifndef itkCudaANTSNeighborhoodCorrelationImageToImageMetricv4_h
#define itkCudaANTSNeighborhoodCorrelationImageToImageMetricv4_h

#include "itkCudaSplineImageMetric.h"

#include "itkANTSNeighborhoodCorrelationImageToImageMetricv4.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

namespace itk
{

/** \class CudaANTSNeighborhoodCorrelationImageToImageMetricv4
 * \brief Correlation of two images in a window around each sample, on a GPU or on all threads of the host.
 *
 * Replaces ANTSNeighborhoodCorrelationImageToImageMetricv4, with the same parameters and results. Let f and m be the
 * fixed and the moving value of a valid sample minus the means of its window, s the sums over the window of products of
 * such values, g the gradient of the moving image and J the Jacobian of the transform. Then
 *
 *     value      = -1/N  sum s_fm^2 / (s_ff s_mm)
 *     derivative =  1/N  sum 2 s_fm / (s_ff s_mm) (f - s_fm / s_mm m) J' g
 *
 * (without 1/N for the displacements of a field). Windows are cut at the border of the virtual domain and contain only
 * valid samples: those in both images and both masks. As in ITK, the derivative ignores the effect of a parameter on
 * the windows of a sample's neighbours.
 *
 * Both images are sampled once, and the time of window sums does not depend on the radius. If the moving transform is
 * the identity (also a displacement field of zeros, as SyNImageRegistrationMethod sets it) and the virtual grid is the
 * moving image's, nothing is interpolated: GetComparesPixels() is true then.
 *
 * \par Accuracy
 * In double (see CudaSplineImageMetric) values agree with ITK's to 1e-10, derivatives to 1e-8 (L2 norm); products of
 * float pixels are rounded to float before they are added, as in ITK. In single precision products are exact: values
 * agree to 1e-5 and derivatives to 1e-4 if the variances of the windows are at least some 1e-3 of their mean squares.
 * With smaller variances the difference is ITK's rounding of products. Windows whose variance is not larger than the
 * rounding error of the sums (constant patches) are flat: they have correlation 1 and no derivative, while ITK's result
 * is rounding noise. GetNumberOfFlatWindows() counts them.
 *
 * CudaSplineImageMetric lists what is accelerated. ITK computes sampled point sets, and images of different pixel
 * types.
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
class ITK_TEMPLATE_EXPORT CudaANTSNeighborhoodCorrelationImageToImageMetricv4
  : public CudaSplineImageMetric<ANTSNeighborhoodCorrelationImageToImageMetricv4<TFixedImage,
                                                                                 TMovingImage,
                                                                                 TVirtualImage,
                                                                                 TInternalComputationValueType,
                                                                                 TMetricTraits>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaANTSNeighborhoodCorrelationImageToImageMetricv4);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaANTSNeighborhoodCorrelationImageToImageMetricv4;
  using Superclass =
    CudaSplineImageMetric<ANTSNeighborhoodCorrelationImageToImageMetricv4<TFixedImage,
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
  itkCudaSplineTypeMacro(CudaANTSNeighborhoodCorrelationImageToImageMetricv4,
                         ANTSNeighborhoodCorrelationImageToImageMetricv4);

  /** Number of flat windows about valid samples in the last evaluation; 0 if ITK's code computed it. */
  virtual SizeValueType
  GetNumberOfFlatWindows() const
  {
    return this->WasAccelerated() ? m_NumberOfFlatWindows : 0;
  }

  /** Whether the last evaluation compared the moving image's pixels without interpolation, because its transform is the
   * identity and the virtual grid is its own. False if ITK's code computed it. */
  virtual bool
  GetComparesPixels() const
  {
    return this->WasAccelerated() && m_ComparesPixels;
  }

protected:
  CudaANTSNeighborhoodCorrelationImageToImageMetricv4() = default;
  ~CudaANTSNeighborhoodCorrelationImageToImageMetricv4() override = default;

  /** Prints the properties of the last evaluation. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override
  {
    Superclass::PrintSelf(os, indent);
    os << indent << "NumberOfFlatWindows: " << this->GetNumberOfFlatWindows() << std::endl;
    os << indent << "ComparesPixels: " << (this->GetComparesPixels() ? "On" : "Off") << std::endl;
  }

  /** One pass: the formula above. */
  typename Superclass::Outcome
  Accumulate(const typename Superclass::Reduce & reduce, bool withDerivative) const override
  {
    CudaSpline::MetricReduction reduction;
    reduction.withDerivative = withDerivative;
    reduction.takesMean = !this->HasLocalSupport();
    reduction.pass = this->MakePass();
    typename Superclass::Outcome outcome =
      CudaSpline::ReduceMetric(CudaSpline::MetricKind::LocalCorrelation, reduce, reduction);
    m_NumberOfFlatWindows = static_cast<SizeValueType>(outcome.flatWindows);
    m_ComparesPixels = outcome.comparesPixels;
    return outcome;
  }

  /** Sampled point sets, for which ITK has another way, and pixels whose products are of two types. */
  std::string
  WhyNotAccelerated() const override
  {
    if (this->m_UseSampledPointSet)
    {
      return "local correlation of sampled points is not accelerated";
    }
    return std::is_same<typename TFixedImage::PixelType, typename TMovingImage::PixelType>::value
             ? std::string()
             : std::string("local correlation of images with two types of pixels is not accelerated");
  }

  /** Windows. */
  void
  DescribePass(CudaSpline::MetricDescriptor & planned) const override
  {
    planned.pass = this->MakePass();
  }

  /** The pass computes the contribution of each sample to its own displacement. */
  bool
  TakesForces() const override
  {
    return true;
  }

private:
  /** Whether it was not ITK's code that evaluated. */
  bool
  WasAccelerated() const
  {
    return this->GetLastBackend() != CudaSpline::Backend::Superclass;
  }

  /** Parameters of the formula in addition to the images. */
  CudaSpline::LocalCorrelationPass
  MakePass() const
  {
    CudaSpline::LocalCorrelationPass pass;
    const auto &                     radius = this->GetRadius();
    for (unsigned int d = 0; d < Superclass::ImageDimension; ++d)
    {
      constexpr SizeValueType most = 1U << 30; // beyond any image
      pass.radius[d] = static_cast<int>(std::min<SizeValueType>(radius[d], most));
    }
    pass.epsilon = static_cast<double>(NumericTraits<TInternalComputationValueType>::epsilon());
    return pass;
  }

  mutable SizeValueType m_NumberOfFlatWindows{ 0 };
  mutable bool          m_ComparesPixels{ false };
};

/** \brief The classes of MetricKind::LocalCorrelation. */
template <>
struct CudaSplineDetail::MetricClass<CudaSpline::LocalCorrelationMetric>
{
  /** ITK's class, and the module's. */
  ///@{
  template <typename... TArguments>
  using Theirs = ANTSNeighborhoodCorrelationImageToImageMetricv4<TArguments...>;
  template <typename... TArguments>
  using Ours = CudaANTSNeighborhoodCorrelationImageToImageMetricv4<TArguments...>;
  ///@}
};

} // namespace itk

#endif
