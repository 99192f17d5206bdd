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
#ifndef itkCudaInvertDisplacementFieldImageFilter_h
#define itkCudaInvertDisplacementFieldImageFilter_h

#include "itkCudaDeviceImage.h"
#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/kernels/fields/HostFields.h"

#include "itkInvertDisplacementFieldImageFilter.h"

#include <type_traits>

namespace itk
{

/** \class CudaInvertDisplacementFieldImageFilter
 * \brief Inverts a displacement field by iterations, on a GPU or on all threads of the host.
 *
 * Replaces InvertDisplacementFieldImageFilter, with the same parameters, pipeline behaviour, iterations and results. It
 * accelerates whole fields of float or double vectors in 2D and 3D, with an initial estimate on the same grid or
 * without one. The superclass computes all other cases; GetLastBackend() and GetFallbackReason() report this. The
 * output is the filter's own image; ITK replaces it by a copy of the estimate.
 *
 * \par Accuracy
 * Double fields equal ITK's bit for bit, unless rounding of the mean error decides whether there is another iteration
 * (ITK's sum depends on its number of threads). Float fields differ by some units in the last place of their vectors.
 * The mean of their errors is added up in double; ITK's float sum loses small terms for large fields.
 *
 * \tparam TInputImage a field of vectors (mm), \tparam TOutputImage its inverse
 *
 * \sa InvertDisplacementFieldImageFilter

 * \ingroup CudaSpline */
template <typename TInputImage, typename TOutputImage = TInputImage>
class ITK_TEMPLATE_EXPORT CudaInvertDisplacementFieldImageFilter
  : public InvertDisplacementFieldImageFilter<TInputImage, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaInvertDisplacementFieldImageFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaInvertDisplacementFieldImageFilter;
  using Superclass = InvertDisplacementFieldImageFilter<TInputImage, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaInvertDisplacementFieldImageFilter, InvertDisplacementFieldImageFilter);

  /** Type of errors. */
  using RealType = typename Superclass::RealType;

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

  /** Errors of the last iteration (samples). */
  ///@{
  RealType
  GetMaxErrorNorm() const override
  {
    return m_HasRun ? static_cast<RealType>(m_State.maximumError) : Superclass::GetMaxErrorNorm();
  }
  RealType
  GetMeanErrorNorm() const override
  {
    return m_HasRun ? static_cast<RealType>(m_State.meanError) : Superclass::GetMeanErrorNorm();
  }
  ///@}

protected:
  CudaInvertDisplacementFieldImageFilter() { this->SetNthOutput(0, Self::MakeOutput(0)); }
  ~CudaInvertDisplacementFieldImageFilter() override = default;

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

  CudaSpline::FieldInversionState m_State;
  bool                            m_HasRun{ false }; ///< not the superclass

  CudaSplineBackend m_Backend;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaInvertDisplacementFieldImageFilter.hxx"
#endif

#endif
