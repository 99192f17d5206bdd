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
#ifndef itkCudaDisplacementFieldJacobianDeterminantFilter_h
#define itkCudaDisplacementFieldJacobianDeterminantFilter_h

#include "itkCudaDeviceImage.h"
#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/kernels/fields/HostFields.h"

#include "itkDisplacementFieldJacobianDeterminantFilter.h"

#include <type_traits>

namespace itk
{

/** \class CudaDisplacementFieldJacobianDeterminantFilter
 * \brief Jacobian determinants of a displacement field, on a GPU or on all threads of the host.
 *
 * Replaces DisplacementFieldJacobianDeterminantFilter, with the same parameters, pipeline behaviour and results. It
 * accelerates whole fields of float or double vectors in 2D and 3D, if the output has the type of the arithmetic, float
 * or double. The superclass computes all other cases; GetLastBackend() and GetFallbackReason() report this. If a user's
 * class derives from this one, the superclass calls its EvaluateAtNeighborhood().
 *
 * \par Accuracy
 * Results equal ITK's bit for bit.
 *
 * \tparam TInputImage a field of vectors (mm), \tparam TRealType type of the arithmetic, \tparam TOutputImage image of
 * determinants
 *
 * \sa DisplacementFieldJacobianDeterminantFilter

 * \ingroup CudaSpline */
template <typename TInputImage,
          typename TRealType = float,
          typename TOutputImage = Image<TRealType, TInputImage::ImageDimension>>
class ITK_TEMPLATE_EXPORT CudaDisplacementFieldJacobianDeterminantFilter
  : public DisplacementFieldJacobianDeterminantFilter<TInputImage, TRealType, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaDisplacementFieldJacobianDeterminantFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaDisplacementFieldJacobianDeterminantFilter;
  using Superclass = DisplacementFieldJacobianDeterminantFilter<TInputImage, TRealType, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaDisplacementFieldJacobianDeterminantFilter, DisplacementFieldJacobianDeterminantFilter);


  /** True where the module's own kernels know such fields. */
  static constexpr bool IsAccelerated =
    CudaSplineDetail::IsField<TInputImage>::value && std::is_floating_point<TRealType>::value &&
    std::is_same<TOutputImage, Image<TRealType, TInputImage::ImageDimension>>::value;

  /** Selects the backend, and reports which one ran and the reason; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

  /** Makes the outputs as images that can be in the memory of a device, and reads inputs there; see CudaDeviceImage. */
  ///@{
  itkCudaSplineDeviceImageMacro(TOutputImage);
  ///@}

protected:
  CudaDisplacementFieldJacobianDeterminantFilter() { this->SetNthOutput(0, Self::MakeOutput(0)); }
  ~CudaDisplacementFieldJacobianDeterminantFilter() override = default;

  /** Prints the choice of the backend and the one that ran last. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Writes the output.
   *
   * \exception ExceptionObject an unknown device, and ITK's own
   * \exception ProcessAborted the abort flag was set */
  void
  GenerateData() override;

private:
  /** Why the kernels cannot do this; null where they can. */
  const char *
  Refusal() const;

  CudaSplineBackend m_Backend;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaDisplacementFieldJacobianDeterminantFilter.hxx"
#endif

#endif
