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
#ifndef itkCudaDisplacementFieldToBSplineImageFilter_h
#define itkCudaDisplacementFieldToBSplineImageFilter_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/itk/FitPlaces.h"
#include "itkCudaSpline/kernels/fields/HostFields.h"

#include "itkDisplacementFieldToBSplineImageFilter.h"
#include "itkPointSet.h"

#include <type_traits>

namespace itk
{

/** \class CudaDisplacementFieldToBSplineImageFilter
 * \brief Smooths a displacement field by a cubic B-spline, on a GPU or on all threads of the host.
 *
 * Replaces DisplacementFieldToBSplineImageFilter, as BSplineSmoothingOnUpdateDisplacementFieldTransform and
 * BSplineSyNImageRegistrationMethod use it, with the same parameters, outputs and results. It accelerates whole fields
 * of float or double vectors in 2D and 3D that define the domain themselves, with or without a confidence image, with
 * cubic splines of one fitting level and with or without a stationary boundary. The superclass computes point sets,
 * other domains, inverses, other orders and several levels; GetLastBackend() and GetFallbackReason() report this. The
 * output is the filter's own image; before version 6 ITK replaces it by another one. The second output, the control
 * points, exists before ITK 6 only.
 *
 * \par Accuracy
 * For double fields, points and weights are rounded to float as in ITK: results differ from ITK's filter on one thread
 * by rounding in double. Float fields are fitted in double, which is more accurate than ITK's sums in float: they
 * differ from ITK's by up to 1e-4 of their largest vector.
 *
 * \tparam TInputImage a field of vectors (mm), \tparam TInputPointSet points with vectors, for the superclass,
 * \tparam TOutputImage the smooth field
 *
 * \sa DisplacementFieldToBSplineImageFilter

 * \ingroup CudaSpline */
template <typename TInputImage,
          typename TInputPointSet = PointSet<typename TInputImage::PixelType, TInputImage::ImageDimension>,
          typename TOutputImage = TInputImage>
class ITK_TEMPLATE_EXPORT CudaDisplacementFieldToBSplineImageFilter
  : public DisplacementFieldToBSplineImageFilter<TInputImage, TInputPointSet, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaDisplacementFieldToBSplineImageFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaDisplacementFieldToBSplineImageFilter;
  using Superclass = DisplacementFieldToBSplineImageFilter<TInputImage, TInputPointSet, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaDisplacementFieldToBSplineImageFilter, DisplacementFieldToBSplineImageFilter);

  /** Dimension of the field. */
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;

  /** True where the module's own kernels know such fields. */
  static constexpr bool IsAccelerated =
    CudaSplineDetail::IsField<TInputImage>::value && std::is_same<TInputImage, TOutputImage>::value &&
    std::is_same<TInputPointSet, PointSet<typename TInputImage::PixelType, TInputImage::ImageDimension>>::value;

  /** Selects the backend, and reports which one ran and the reason; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

protected:
  CudaDisplacementFieldToBSplineImageFilter() = default;
  ~CudaDisplacementFieldToBSplineImageFilter() override = default;

  /** Prints the choice of the backend and the one that ran last. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** The grid of the smooth field is the field's, and so is the domain, where it is to be. */
  void
  GenerateOutputInformation() override;

  /** Writes the smooth field and its control points.
   *
   * \exception ExceptionObject an unknown device, and ITK's own
   * \exception ProcessAborted the abort flag was set */
  void
  GenerateData() override;

private:
  /** Why the kernels cannot do this; null where they can. */
  const char *
  Refusal() const;

  /** The image of control points, on ITK's grid.
   *
   * \param[in] numbers a component after the other, x fastest */
  void
  SetLattice(const double * numbers);

  static constexpr unsigned int CubicOrder = 3;

  CudaSplineBackend m_Backend;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaDisplacementFieldToBSplineImageFilter.hxx"
#endif

#endif
