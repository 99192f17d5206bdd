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
#ifndef itkCudaLabelImageGaussianInterpolateImageFunction_h
#define itkCudaLabelImageGaussianInterpolateImageFunction_h

#include "itkCudaSplineInterpolateImageFunction.h"

#include "itkLabelImageGaussianInterpolateImageFunction.h"

namespace itk
{

/** \class CudaLabelImageGaussianInterpolateImageFunction
 * \brief The label with the largest Gaussian weight around a point \cite{YushkevichGaussian}, by ITK's rule, in batches
 * on a GPU or all threads of the host.
 *
 * Replaces LabelImageGaussianInterpolateImageFunction, with its parameters: sigma by axis (mm) and alpha, the cut-off
 * (standard deviations).
 *
 * Differences from ITK: ITK adds the start index of the largest possible region twice, so its Gaussian is misplaced
 * unless images start at 0; here it is around the point. ITK's error function has an error of up to 3.3e-8, so another
 * label may win if two sums differ by less than the bound of LabelGaussianWinner(). Labels keep all 64 bits in batches
 * of the pixel's type and in CudaResampleImageFilter; single evaluations return double, in which those above 2^53 are
 * rounded.
 *
 * It accelerates scalar images. The superclass computes other pixel types, a sigma that is not above 0, and other
 * comparisons than the default. There are no address modes.
 *
 * \par Threads
 * Evaluations may run in any number of threads at once. They use no heap, unlike ITK's.
 *
 * \tparam TInputImage image of labels
 * \tparam TCoordRep float or double
 * \tparam TPixelCompare order of labels, as in ITK
 *
 * \sa LabelImageGaussianInterpolateImageFunction, CudaResampleImageFilter
 * \ingroup CudaSpline */
template <typename TInputImage,
          typename TCoordRep = double,
          typename TPixelCompare = std::less<typename NumericTraits<typename TInputImage::PixelType>::RealType>>
class ITK_TEMPLATE_EXPORT CudaLabelImageGaussianInterpolateImageFunction
  : public CudaSplineInterpolateImageFunction<
      LabelImageGaussianInterpolateImageFunction<TInputImage, TCoordRep, TPixelCompare>,
      TInputImage,
      TCoordRep>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaLabelImageGaussianInterpolateImageFunction);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaLabelImageGaussianInterpolateImageFunction;
  using Superclass = CudaSplineInterpolateImageFunction<
    LabelImageGaussianInterpolateImageFunction<TInputImage, TCoordRep, TPixelCompare>,
    TInputImage,
    TCoordRep>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaLabelImageGaussianInterpolateImageFunction, LabelImageGaussianInterpolateImageFunction);

  /** Types and dimension of the superclass. */
  ///@{
  using OutputType = typename Superclass::OutputType;
  using ContinuousIndexType = typename Superclass::ContinuousIndexType;
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;
  ///@}

  /** True where the module evaluates by itself: the kernels in 1 to 3 dimensions, single evaluations in any. */
  static constexpr bool IsOwn =
    std::is_same<TPixelCompare, std::less<typename NumericTraits<typename TInputImage::PixelType>::RealType>>::value &&
    CudaSplineDetail::ImageTraits<TInputImage>::IsReadable &&
    CudaSpline::IsSupportedScalar<typename TInputImage::PixelType>;

  /** The label at a continuous index (samples, x first); 0 where no weight is positive.
   *
   * \pre there is an image */
  OutputType
  EvaluateAtContinuousIndex(const ContinuousIndexType & index) const override;

  /** The method of the kernels for this class. */
  CudaSplineMethod
  DescribeMethod(const ImageBase<ImageDimension> * image) const override;

protected:
  CudaLabelImageGaussianInterpolateImageFunction() = default;
  ~CudaLabelImageGaussianInterpolateImageFunction() override = default;

  /** Only CudaSplineAddressMode::Itk is allowed. */
  void
  CheckAddressMode(CudaSplineAddressMode mode) const override;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaLabelImageGaussianInterpolateImageFunction.hxx"
#endif

#endif
