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
#ifndef itkCudaGradientMagnitudeRecursiveGaussianImageFilter_h
#define itkCudaGradientMagnitudeRecursiveGaussianImageFilter_h

#include "itkCudaDeviceImage.h"
#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/Gaussian.h"
#include "itkCudaSpline/itk/PixelTraits.h"

#include "itkGradientMagnitudeRecursiveGaussianImageFilter.h"

#include <type_traits>

namespace itk
{

/** \class CudaGradientMagnitudeRecursiveGaussianImageFilter
 * \brief Magnitude of the gradient of an image that is smoothed by recursive Gaussians, on a GPU or on all threads of
 * the host.
 *
 * Replaces GradientMagnitudeRecursiveGaussianImageFilter, with the same parameters, pipeline behaviour and results. It
 * accelerates scalar images of 2 and 3 dimensions. The superclass filters all others, and throws where ITK does;
 * GetLastBackend() and GetFallbackReason() report this.
 *
 * \par Accuracy
 * The components of the gradient have ITK's bits (CudaGradientRecursiveGaussianImageFilter). They are rounded to float
 * before and after they are squared: magnitudes agree to a relative error of 4e-7, and integers to 1.
 *
 * \par Memory
 * While the filter runs it stores the gradient, a float per axis and pixel.
 *
 * \tparam TInputImage image of scalars
 * \tparam TOutputImage image of scalars, of the same dimension
 *
 * \sa GradientMagnitudeRecursiveGaussianImageFilter, CudaGradientRecursiveGaussianImageFilter
 * \ingroup CudaSpline */
template <typename TInputImage, typename TOutputImage = TInputImage>
class ITK_TEMPLATE_EXPORT CudaGradientMagnitudeRecursiveGaussianImageFilter
  : public GradientMagnitudeRecursiveGaussianImageFilter<TInputImage, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaGradientMagnitudeRecursiveGaussianImageFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaGradientMagnitudeRecursiveGaussianImageFilter;
  using Superclass = GradientMagnitudeRecursiveGaussianImageFilter<TInputImage, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaGradientMagnitudeRecursiveGaussianImageFilter,
                         GradientMagnitudeRecursiveGaussianImageFilter);

  /** Dimension of the images. */
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;
  /** Type of the numbers of the output. */
  using OutputComponentType = typename CudaSplineDetail::ImageTraits<TOutputImage>::ComponentType;

  /** True where the module's own kernels can filter these images. */
  static constexpr bool IsAccelerated = CudaSplineDetail::IsGaussianImage<TInputImage> &&
                                        CudaSplineDetail::IsGaussianImage<TOutputImage> &&
                                        TOutputImage::ImageDimension == ImageDimension;

  /** Selects the backend, and reports which one ran and the reason; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

  /** Makes the outputs as images that can be in the memory of a device, and reads inputs there; see CudaDeviceImage. */
  ///@{
  itkCudaSplineDeviceImageMacro(TOutputImage);
  ///@}

protected:
  CudaGradientMagnitudeRecursiveGaussianImageFilter() { this->SetNthOutput(0, Self::MakeOutput(0)); }
  ~CudaGradientMagnitudeRecursiveGaussianImageFilter() override = default;

  /** Prints the choice of the backend and the one that ran last. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Filters the image.
   *
   * \exception ExceptionObject what ITK's filter throws: an axis of less than 4 pixels, a sigma that is not above 0; an
   *   unknown device
   * \exception ProcessAborted the abort flag was set */
  void
  GenerateData() override;

private:
  CudaSplineBackend m_Backend;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaGradientMagnitudeRecursiveGaussianImageFilter.hxx"
#endif

#endif
