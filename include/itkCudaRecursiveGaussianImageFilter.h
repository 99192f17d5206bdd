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
#ifndef itkCudaRecursiveGaussianImageFilter_h
#define itkCudaRecursiveGaussianImageFilter_h

#include "itkCudaDeviceImage.h"
#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/Gaussian.h"
#include "itkCudaSpline/itk/PixelTraits.h"

#include "itkRecursiveGaussianImageFilter.h"

#include <type_traits>

namespace itk
{

/** \class CudaRecursiveGaussianImageFilter
 * \brief Filters images along one axis by a recursive Gaussian or its first derivative, on a GPU or on all threads of
 * the host.
 *
 * Replaces RecursiveGaussianImageFilter, with the same parameters, pipeline behaviour and results, also in place. It
 * accelerates whole scalar images of 2 and 3 dimensions, with float results, of orders zero and one. The superclass
 * filters all others; GetLastBackend() and GetFallbackReason() report this.
 *
 * \par Accuracy
 * Every operation is ITK's, in double precision with separate rounding: results equal those of an ITK that was compiled
 * without fused multiply-adds bit for bit.
 *
 * \tparam TInputImage image of scalars
 * \tparam TOutputImage image of floats, of the same dimension
 *
 * \sa RecursiveGaussianImageFilter, CudaSmoothingRecursiveGaussianImageFilter
 * \ingroup CudaSpline */
template <typename TInputImage, typename TOutputImage = TInputImage>
class ITK_TEMPLATE_EXPORT CudaRecursiveGaussianImageFilter
  : public RecursiveGaussianImageFilter<TInputImage, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaRecursiveGaussianImageFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaRecursiveGaussianImageFilter;
  using Superclass = RecursiveGaussianImageFilter<TInputImage, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaRecursiveGaussianImageFilter, RecursiveGaussianImageFilter);

  /** Dimension of the images. */
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;
  /** Type of the numbers of the output. */
  using OutputComponentType = typename CudaSplineDetail::ImageTraits<TOutputImage>::ComponentType;

  /** True where the module's own kernels can filter these images. */
  static constexpr bool IsAccelerated =
    CudaSplineDetail::IsGaussianImage<TInputImage> && CudaSplineDetail::IsGaussianImage<TOutputImage> &&
    std::is_same<OutputComponentType, float>::value && TOutputImage::ImageDimension == ImageDimension;

  /** Selects the backend, and reports which one ran and the reason; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

  /** Makes the outputs as images that can be in the memory of a device, and reads inputs there; see CudaDeviceImage. */
  ///@{
  itkCudaSplineDeviceImageMacro(TOutputImage);
  ///@}

protected:
  CudaRecursiveGaussianImageFilter() { this->SetNthOutput(0, Self::MakeOutput(0)); }
  ~CudaRecursiveGaussianImageFilter() override = default;

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
#  include "itkCudaRecursiveGaussianImageFilter.hxx"
#endif

#endif
