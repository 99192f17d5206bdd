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
#ifndef itkCudaSmoothingRecursiveGaussianImageFilter_h
#define itkCudaSmoothingRecursiveGaussianImageFilter_h

#include "itkCudaDeviceImage.h"
#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/Gaussian.h"
#include "itkCudaSpline/itk/PixelTraits.h"

#include "itkSmoothingRecursiveGaussianImageFilter.h"

#include <type_traits>

namespace itk
{

/** \class CudaSmoothingRecursiveGaussianImageFilter
 * \brief Smooths images by recursive Gaussians, on a GPU or on all threads of the host.
 *
 * Replaces SmoothingRecursiveGaussianImageFilter, with the same parameters, pipeline behaviour and results, also in
 * place. It accelerates scalar images of 2 and 3 dimensions. The superclass filters all others, and throws where ITK
 * does; GetLastBackend() and GetFallbackReason() report this.
 *
 * \par Accuracy
 * Every operation is ITK's, in double precision with separate rounding, and rounded to float after each axis as in ITK.
 * Real results equal those of an ITK that was compiled without fused multiply-adds bit for bit, and differ from others
 * by some 2 units in the last place of a float. Integers are truncated towards zero as in ITK; values beyond their
 * range, undefined in ITK, are clamped.
 *
 * \tparam TInputImage image of scalars
 * \tparam TOutputImage image of scalars, of the same dimension
 *
 * \sa SmoothingRecursiveGaussianImageFilter, CudaGradientRecursiveGaussianImageFilter
 * \ingroup CudaSpline */
template <typename TInputImage, typename TOutputImage = TInputImage>
class ITK_TEMPLATE_EXPORT CudaSmoothingRecursiveGaussianImageFilter
  : public SmoothingRecursiveGaussianImageFilter<TInputImage, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaSmoothingRecursiveGaussianImageFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaSmoothingRecursiveGaussianImageFilter;
  using Superclass = SmoothingRecursiveGaussianImageFilter<TInputImage, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaSmoothingRecursiveGaussianImageFilter, SmoothingRecursiveGaussianImageFilter);

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
  CudaSmoothingRecursiveGaussianImageFilter() { this->SetNthOutput(0, Self::MakeOutput(0)); }
  ~CudaSmoothingRecursiveGaussianImageFilter() override = default;

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
#  include "itkCudaSmoothingRecursiveGaussianImageFilter.hxx"
#endif

#endif
