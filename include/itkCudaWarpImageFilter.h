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
#ifndef itkCudaWarpImageFilter_h
#define itkCudaWarpImageFilter_h

#include "itkCudaDeviceImage.h"
#include "itkCudaResampleImageFilter.h"

#include "itkWarpImageFilter.h"

#include <type_traits>

namespace itk
{

/** \class CudaWarpImageFilter
 * \brief Warps an image by a displacement field, on a GPU or on all threads of the host.
 *
 * Replaces WarpImageFilter, with the same parameters, pipeline behaviour and results. A sample of the output is the
 * value of the input at the sample's point plus its displacement. If output and field have the same origin, spacing and
 * direction, the displacement is the field's pixel with the sample's index. Otherwise it is interpolated linearly in
 * the field, whose outermost displacements continue outside.
 *
 * It accelerates images of 1 to 3 dimensions with all pixel types and interpolators that CudaResampleImageFilter
 * accelerates, and fields of vectors of float or double (Vector, CovariantVector, VectorImage). The superclass computes
 * all other cases; GetLastBackend() and GetFallbackReason() report this. Fields of float are copied to a device without
 * conversion. A supported B-spline interpolator does not receive the image.
 *
 * \par Accuracy
 * Displacements are summed up in the field's type, as in ITK; continuous indices agree with ITK's to some 1e-12, so a
 * voxel may differ if its point is that close to a border or to the middle between two samples. Values are those of
 * CudaResampleImageFilter. Values beyond the range of the output's type are clamped; WarpImageFilter's cast is
 * undefined for them. Infinities become the largest float in float outputs.
 *
 * \tparam TInputImage image to warp
 * \tparam TOutputImage output image
 * \tparam TDisplacementField image of vectors (mm)
 *
 * \sa WarpImageFilter, CudaResampleImageFilter
 * \ingroup CudaSpline */
template <typename TInputImage, typename TOutputImage, typename TDisplacementField>
class ITK_TEMPLATE_EXPORT CudaWarpImageFilter : public WarpImageFilter<TInputImage, TOutputImage, TDisplacementField>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaWarpImageFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaWarpImageFilter;
  using Superclass = WarpImageFilter<TInputImage, TOutputImage, TDisplacementField>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaWarpImageFilter, WarpImageFilter);

  /** Type of the numbers of a displacement. */
  using DisplacementComponentType = typename CudaSplineDetail::ImageTraits<TDisplacementField>::ComponentType;
  /** Dimension of images and field. */
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;

  /** True where the module's own kernels can warp these images. */
  static constexpr bool IsAccelerated =
    CudaResampleImageFilter<TInputImage, TOutputImage>::IsAccelerated &&
    TInputImage::ImageDimension == TOutputImage::ImageDimension &&
    CudaSplineDetail::ImageTraits<TDisplacementField>::IsReadable &&
    (CudaSplineDetail::ImageTraits<TDisplacementField>::IsVectorImage ||
     CudaSplineDetail::ImageTraits<TDisplacementField>::Components == ImageDimension) &&
    std::is_floating_point<DisplacementComponentType>::value;

  /** Selects the backend, and reports which one ran and the reason; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

  /** Makes the outputs as images that can be in the memory of a device, and reads inputs there; see CudaDeviceImage. */
  ///@{
  itkCudaSplineDeviceImageMacro(TOutputImage);
  ///@}

  /** Arithmetic; CudaSplinePrecision::Automatic by default. */
  ///@{
  itkSetEnumMacro(Precision, CudaSplinePrecision);
  itkGetEnumMacro(Precision, CudaSplinePrecision);
  ///@}

  /** Coefficients shared with other filters and updates. None until it is set. */
  ///@{
  itkSetObjectMacro(SourceCache, CudaSplineSourceCache);
  itkGetModifiableObjectMacro(SourceCache, CudaSplineSourceCache);
  ///@}

protected:
  CudaWarpImageFilter() { this->SetNthOutput(0, Self::MakeOutput(0)); }
  ~CudaWarpImageFilter() override = default;

  /** Prints the choices and the backend that ran last. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Warps.
   *
   * \exception ExceptionObject no interpolator, an empty input, or an unknown device
   * \exception ProcessAborted the abort flag was set */
  void
  GenerateData() override;

private:
  /** Runs the module's kernels; false, and a reason in the record, where they cannot. */
  bool
  WarpByKernels();

  CudaSplineBackend              m_Backend;
  CudaSplinePrecision            m_Precision{ CudaSplinePrecision::Automatic };
  CudaSplineSourceCache::Pointer m_SourceCache;
  ProcessObject::Pointer         m_Resampler; ///< does the work; kept from one update to the next
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaWarpImageFilter.hxx"
#endif

#endif
