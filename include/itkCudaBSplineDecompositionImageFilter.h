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
#ifndef itkCudaBSplineDecompositionImageFilter_h
#define itkCudaBSplineDecompositionImageFilter_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSplineCompatibility.h"
#include "itkCudaSpline/kernels/SampleSource.h"

#include "itkBSplineDecompositionImageFilter.h"
#include "itkImage.h"
#include "itkPlatformMultiThreader.h"

namespace itk
{

/** \class CudaBSplineDecompositionImageFilter
 * \brief B-spline coefficients of an image, on a GPU or on all threads of the host.
 *
 * Replaces BSplineDecompositionImageFilter: the same coefficients, for spline orders 0 to 5 and whole-sample mirror
 * boundaries, of images of 1 to 4 dimensions with integer or real pixels, as float or double. Other pixel types,
 * dimensions and adaptors are answered by the superclass (GetLastBackend(), GetFallbackReason()).
 *
 * The recursive prefilter of Unser, Aldroubi and Eden \cite{Unser1993b} runs on independent segments of each line,
 * whose recursion starts far enough ahead of them that nothing is lost (CudaSpline::FilterSegment()).
 *
 * \par Accuracy
 * Along one axis the truncation error is at most 6e-8 (float output) or 1.1e-16 (double output) of the largest
 * coefficient. ITK itself is 1.2e-10 (cubic) to 3.7e-10 (order 5) off the exact mirror near the low edge. Float output
 * is computed in float; ITK computes in double and rounds to float after each axis.
 *
 * \par NaN and infinity
 * reach the samples of their neighbourhood (CudaSpline::FilterSegment()); in ITK they spread over the whole image.
 *
 * The input must be in memory as a whole, as for the superclass; the filter is not in place.
 *
 * \tparam TInputImage image to decompose
 * \tparam TOutputImage image of float or double pixels of the same dimension
 *
 * \sa BSplineDecompositionImageFilter, CudaBSplineInterpolateImageFunction
 * \ingroup CudaSplineItk */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT CudaBSplineDecompositionImageFilter
  : public BSplineDecompositionImageFilter<TInputImage, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBSplineDecompositionImageFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaBSplineDecompositionImageFilter;
  using Superclass = BSplineDecompositionImageFilter<TInputImage, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaBSplineDecompositionImageFilter, BSplineDecompositionImageFilter);

  /** Pixel types and dimension of the images. */
  ///@{
  using InputPixelType = typename TInputImage::PixelType;
  using OutputPixelType = typename TOutputImage::PixelType;
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;
  ///@}

  /** True where the module's own kernels can filter these images. */
  static constexpr bool IsAccelerated =
    CudaSpline::IsSupportedScalar<InputPixelType> &&
    (std::is_same<OutputPixelType, float>::value || std::is_same<OutputPixelType, double>::value) &&
    ImageDimension == TOutputImage::ImageDimension && ImageDimension <= CudaSpline::MaximumDimension &&
    std::is_base_of<Image<InputPixelType, ImageDimension>, TInputImage>::value &&
    std::is_base_of<Image<OutputPixelType, ImageDimension>, TOutputImage>::value;

  /** Where it runs, who ran, and why not an earlier backend; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

  /** The choice of device and backend, to be shared with the objects that this one serves. */
  CudaSplineBackend &
  GetBackendSelection()
  {
    return m_Backend;
  }

protected:
  /** Threads of its own, not ITK's pool: the superclass runs without the pool, so code in a worker of the pool may call
   * it. */
  CudaBSplineDecompositionImageFilter() { this->SetMultiThreader(PlatformMultiThreader::New()); }
  ~CudaBSplineDecompositionImageFilter() override = default;

  /** Prints the choice of backend and who ran last. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Makes the coefficients.
   *
   * \exception ExceptionObject an empty input, an input that is not in memory as a whole, or an unknown device */
  void
  GenerateData() override;

private:
  CudaSplineBackend m_Backend;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaBSplineDecompositionImageFilter.hxx"
#endif

#endif
