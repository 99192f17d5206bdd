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
#ifndef itkCudaExponentialDisplacementFieldImageFilter_h
#define itkCudaExponentialDisplacementFieldImageFilter_h

#include "itkCudaDeviceImage.h"
#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/kernels/fields/HostFields.h"

#include "itkExponentialDisplacementFieldImageFilter.h"

#include <type_traits>

namespace itk
{

/** \class CudaExponentialDisplacementFieldImageFilter
 * \brief Exponential of a velocity field by scaling and squaring, on a GPU or on all threads of the host.
 *
 * Replaces ExponentialDisplacementFieldImageFilter, with the same parameters, pipeline behaviour, number of iterations
 * and results. It accelerates whole fields of float or double vectors in 2D and 3D. The superclass computes all other
 * cases; GetLastBackend() and GetFallbackReason() report this.
 *
 * \par Accuracy
 * Double fields equal ITK's bit for bit; float fields differ by some units in the last place of the vectors.
 *
 * \tparam TInputImage a field of vectors (mm), \tparam TOutputImage its exponential
 *
 * \sa ExponentialDisplacementFieldImageFilter

 * \ingroup CudaSpline */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT CudaExponentialDisplacementFieldImageFilter
  : public ExponentialDisplacementFieldImageFilter<TInputImage, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaExponentialDisplacementFieldImageFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaExponentialDisplacementFieldImageFilter;
  using Superclass = ExponentialDisplacementFieldImageFilter<TInputImage, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaExponentialDisplacementFieldImageFilter, ExponentialDisplacementFieldImageFilter);


  /** True where the module's own kernels know such fields. */
  static constexpr bool IsAccelerated =
    CudaSplineDetail::IsField<TInputImage>::value && std::is_same<TInputImage, TOutputImage>::value;

  /** Selects the backend, and reports which one ran and the reason; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

  /** Makes the outputs as images that can be in the memory of a device, and reads inputs there; see CudaDeviceImage. */
  ///@{
  itkCudaSplineDeviceImageMacro(TOutputImage);
  ///@}

protected:
  CudaExponentialDisplacementFieldImageFilter() { this->SetNthOutput(0, Self::MakeOutput(0)); }
  ~CudaExponentialDisplacementFieldImageFilter() override = default;

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

  /** ITK's number of compositions: so many that the first order of the divided field is invertible. */
  unsigned int
  CountSquarings() const;

  double
  FindLargestSquaredNorm() const;

  CudaSplineBackend m_Backend;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaExponentialDisplacementFieldImageFilter.hxx"
#endif

#endif
