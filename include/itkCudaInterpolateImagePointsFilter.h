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
#ifndef itkCudaInterpolateImagePointsFilter_h
#define itkCudaInterpolateImagePointsFilter_h

#include "itkCudaResampleImageFilter.h"

#include "itkInterpolateImagePointsFilter.h"

#include <type_traits>

namespace itk
{

/** \class CudaInterpolateImagePointsFilter
 * \brief Interpolates an image at continuous indices, given by one image per coordinate, on a GPU or on all threads of
 * the host.
 *
 * Replaces InterpolateImagePointsFilter, with its interface and its default interpolator. It accelerates scalar images
 * of 1 to 3 dimensions with the interpolators that CudaResampleImageFilter accelerates. The superclass computes all
 * other cases; GetLastBackend() and GetFallbackReason() report this.
 *
 * In ITK, SetInputImage() passes the image to the interpolator, which then decomposes a B-spline on one thread. Here it
 * does not: the interpolator has no image before an update, and none afterwards if the kernels ran. Call
 * itk::InterpolateImagePointsFilter::SetInputImage() to pass it.
 *
 * \par Accuracy
 * See CudaResampleImageFilter. Continuous indices equal ITK's bit for bit.
 *
 * \tparam TInputImage image to interpolate; the images of coordinates are of its type, as in ITK
 * \tparam TOutputImage image that results
 * \tparam TCoordType type of the coordinates
 * \tparam TInterpolator interpolator, which the filter makes
 *
 * \sa InterpolateImagePointsFilter, CudaSplineInterpolateImageFunction, CudaResampleImageFilter
 * \ingroup CudaSpline */
template <typename TInputImage,
          typename TOutputImage,
          typename TCoordType = typename TInputImage::PixelType,
          typename TInterpolator = BSplineInterpolateImageFunction<TInputImage, TCoordType>>
class ITK_TEMPLATE_EXPORT CudaInterpolateImagePointsFilter
  : public InterpolateImagePointsFilter<TInputImage, TOutputImage, TCoordType, TInterpolator>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaInterpolateImagePointsFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaInterpolateImagePointsFilter;
  using Superclass = InterpolateImagePointsFilter<TInputImage, TOutputImage, TCoordType, TInterpolator>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaInterpolateImagePointsFilter, InterpolateImagePointsFilter);

  /** Type of the interpolator's coordinates. */
  using CoordinateType = typename TInterpolator::ContinuousIndexType::ValueType;
  /** Dimension of the images. */
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;

  /** True where the module's own kernels can interpolate these images. */
  static constexpr bool IsAccelerated =
    CudaResampleImageFilter<TInputImage, TOutputImage, CoordinateType, double>::IsScalar &&
    CudaResampleImageFilter<TInputImage, TOutputImage, CoordinateType, double>::IsAccelerated &&
    std::is_base_of<InterpolateImageFunction<TInputImage, CoordinateType>, TInterpolator>::value;

  /** Sets the image to interpolate.
   *
   * \param[in] image the image */
  void
  SetInputImage(const TInputImage * image)
  {
    this->SetInput(0, image);
  }

  /** Selects the backend, and reports which one ran and the reason; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
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
  CudaInterpolateImagePointsFilter() = default;
  ~CudaInterpolateImagePointsFilter() override = default;

  /** Prints the choices and the backend that ran last. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Interpolates.
   *
   * \exception ExceptionObject an empty input, or an unknown device
   * \exception ProcessAborted the abort flag was set */
  void
  GenerateData() override;

private:
  /** Runs the module's kernels; false, and a reason in the record, where they cannot. */
  bool
  InterpolateByKernels();

  CudaSplineBackend              m_Backend;
  CudaSplinePrecision            m_Precision{ CudaSplinePrecision::Automatic };
  CudaSplineSourceCache::Pointer m_SourceCache;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaInterpolateImagePointsFilter.hxx"
#endif

#endif
