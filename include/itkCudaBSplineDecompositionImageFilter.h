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

#include "itkCudaDeviceImage.h"
#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/DecompositionBase.h"
#include "itkCudaSpline/itk/PixelTraits.h"
#include "itkCudaSpline/kernels/coefficients/SampleSource.h"

#include "itkPlatformMultiThreader.h"

#include <array>

namespace itk
{

/** \class CudaBSplineDecompositionImageFilter
 * \brief B-spline coefficients of an image, on a GPU or on all threads of the host.
 *
 * Replaces BSplineDecompositionImageFilter: the same coefficients, for spline orders 0 to 5 and whole-sample mirror
 * boundaries, of images of 1 to 4 dimensions. Pixels are integers or real numbers, or several of them (Vector,
 * CovariantVector, RGBPixel, RGBAPixel, complex, VectorImage), which are filtered one by one. Coefficients are float or
 * double, as many per pixel. The superclass computes other pixel types, dimensions and adaptors (GetLastBackend(),
 * GetFallbackReason()).
 *
 * \par Methods (SetPrefilter())
 * - \c Exact, the default: the recursive prefilter of Unser, Aldroubi and Eden \cite{Unser1993b} on independent
 *   segments of each line. The recursion starts so far ahead of each segment that the error is below rounding
 *   (CudaSpline::FilterSegment()).
 * - \c ItkHorizon: the same, started as far ahead as ITK does at the low edge of a line, for its tolerance of 1e-10.
 * - \c Fir: convolution with 2K + 1 taps that sum to 1, after Champagnat and Le Sant \cite{Champagnat2012}. The number
 *   of taps is given (SetNumberOfTaps()) or follows from a tolerance (SetTolerance()).
 *
 * \par Boundaries (SetExtension())
 * Whole-sample mirror, as in ITK. Half-sample reflection and periodic continuation are also available, axis by axis.
 *
 * \par Accuracy
 * Along one axis the truncation error of \c Exact is at most 6e-8 (float output) or 1.1e-16 (double output) of the
 * largest coefficient; that of \c Fir is CudaSpline::FirTruncationError() of the largest absolute sample, 3.4e-4 for
 * the cubic with 15 taps. Near the low edge ITK itself differs from the exact mirror by 1.2e-10 (cubic) to 3.7e-10
 * (order 5). Float output is computed in float; ITK computes in double and rounds to float after each axis.
 *
 * \par NaN and infinity
 * They affect the coefficients of their neighbourhood (CudaSpline::FilterSegment()); in ITK they spread over the whole
 * image.
 *
 * The whole input must be in memory, as for the superclass; the filter does not run in place. A scalar image may be
 * larger than the memory of the device: it is filtered slab by slab, with the same bits.
 *
 * \tparam TInputImage image to decompose
 * \tparam TOutputImage image of float or double, with the same dimension and number of components
 *
 * \sa BSplineDecompositionImageFilter, CudaBSplineInterpolateImageFunction
 * \ingroup CudaSpline */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT CudaBSplineDecompositionImageFilter
  : public CudaSplineDetail::DecompositionBase<TInputImage, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBSplineDecompositionImageFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaBSplineDecompositionImageFilter;
  using Superclass = CudaSplineDetail::DecompositionBase<TInputImage, TOutputImage>;
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

  /** Types of the numbers of a pixel. */
  ///@{
  using InputComponentType = typename CudaSplineDetail::ImageTraits<TInputImage>::ComponentType;
  using OutputComponentType = typename CudaSplineDetail::ImageTraits<TOutputImage>::ComponentType;
  ///@}

  /** The prefilters. */
  using PrefilterEnum = CudaSpline::PrefilterMethod::Kind;
  /** The boundaries. */
  using ExtensionEnum = CudaSpline::Extension;

  /** True where the module's own kernels can filter these images. */
  static constexpr bool IsAccelerated =
    CudaSplineDetail::ImageTraits<TInputImage>::IsReadable && CudaSplineDetail::ImageTraits<TOutputImage>::IsReadable &&
    CudaSplineDetail::ImageTraits<TInputImage>::Components == CudaSplineDetail::ImageTraits<TOutputImage>::Components &&
    (std::is_same<OutputComponentType, float>::value || std::is_same<OutputComponentType, double>::value) &&
    ImageDimension == TOutputImage::ImageDimension && ImageDimension <= CudaSpline::MaximumDimension;
  static_assert(IsAccelerated || CudaSplineDetail::IsDecomposedByItk<TInputImage, TOutputImage>,
                "The output must have float or double components, and as many per pixel as the input.");

  /** The prefilter; Exact until it is set. */
  ///@{
  itkSetMacro(Prefilter, PrefilterEnum);
  itkGetConstMacro(Prefilter, PrefilterEnum);
  ///@}

  /** Taps of the Fir prefilter, an odd number from 1 to 127; 15 until it is set. A tolerance goes before it. */
  ///@{
  itkSetMacro(NumberOfTaps, unsigned int);
  itkGetConstMacro(NumberOfTaps, unsigned int);
  ///@}

  /** Worst-case error of the Fir prefilter's coefficients along one axis, for samples of absolute value up to 1. The
   * fewest taps that keep it are taken, for the spline order in use. 0, the default: NumberOfTaps is taken. */
  ///@{
  itkSetMacro(Tolerance, double);
  itkGetConstMacro(Tolerance, double);
  ///@}

  /** Taps that the Fir prefilter has by the tolerance and the spline order, or by their number.
   * \exception ExceptionObject the number is not odd or above 127, or the tolerance is negative or needs more than 127
   * taps */
  unsigned int
  GetEffectiveNumberOfTaps() const;

  /** How the image continues outside, along one axis or all; Mirror until it is set.
   * \exception ExceptionObject there is no such axis */
  ///@{
  void
  SetExtension(unsigned int axis, ExtensionEnum extension);
  void
  SetExtension(ExtensionEnum extension);
  ExtensionEnum
  GetExtension(unsigned int axis) const;
  ///@}

  /** Selects the backend, and reports which one ran and the reason; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

  /** Makes the outputs as images that can be in the memory of a device, and reads inputs there; see CudaDeviceImage. */
  ///@{
  itkCudaSplineDeviceImageMacro(TOutputImage);
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
  CudaBSplineDecompositionImageFilter()
  {
    this->SetMultiThreader(PlatformMultiThreader::New());
    this->SetNthOutput(0, Self::MakeOutput(0));
  }
  ~CudaBSplineDecompositionImageFilter() override = default;

  /** Prints the choice of the backend and the one that ran last. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Checks the number of taps or the tolerance, and that ITK's own code is not asked for what it does not know.
   *
   * \exception ExceptionObject one of them is wrong; the message names the value */
  void
  VerifyPreconditions() const override;

  /** Makes the coefficients.
   *
   * \exception ExceptionObject an empty input, an input that is not in memory as a whole, or an unknown device */
  void
  GenerateData() override;

private:
  CudaSplineBackend                         m_Backend;
  PrefilterEnum                             m_Prefilter{ PrefilterEnum::Exact };
  unsigned int                              m_NumberOfTaps{ 15 };
  double                                    m_Tolerance{ 0.0 };
  std::array<ExtensionEnum, ImageDimension> m_Extension{}; // Mirror is its first value
  typename TInputImage::SizeType            m_LastSize{};  // of the last update's input
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaBSplineDecompositionImageFilter.hxx"
#endif

#endif
