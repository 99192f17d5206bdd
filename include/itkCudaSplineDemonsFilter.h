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
#ifndef itkCudaSplineDemonsFilter_h
#define itkCudaSplineDemonsFilter_h

#include "itkCudaDeviceImage.h"
#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/kernels/registration/DemonsLevel.h"

#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace itk
{

/** \class CudaSplineDemonsFilter
 * \brief Base class of the module's demons filters. It derives from the ITK filter that each of them replaces.
 *
 * Parameters, observers, stopping criteria and results are ITK's: ITK's loop calls the module's kernels in each
 * iteration. Both images, the field and its updates stay in the memory of the backend; an iteration transfers only
 * three sums to the host. The output receives the field at the end, and at each iteration if there is an observer of
 * iterations.
 *
 * What is accelerated:
 *
 * - two images of float or two of double pixels, in 2D and 3D, with fields of float or double vectors;
 * - moving images interpolated linearly, by ITK's default;
 * - the whole fixed image, on the grid of the field;
 * - Gaussians of deviations above 0.
 *
 * ITK's filter computes all other cases, and GetFallbackReason() returns the reason.
 *
 * \par Accuracy
 * With images and fields of double the metric of each iteration agrees with ITK's to a relative error of about 1e-9. If
 * pixels are float, the moved image is rounded to float; if vectors are float, sums of a smoothing are float.
 *
 * \tparam TFilter the filter of ITK, with its template parameters
 * \ingroup CudaSpline */
template <typename TFilter>
class ITK_TEMPLATE_EXPORT CudaSplineDemonsFilter : public TFilter
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaSplineDemonsFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaSplineDemonsFilter;
  using Superclass = TFilter;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}
  using typename Superclass::DisplacementFieldType;
  using typename Superclass::FixedImageType;
  using typename Superclass::MovingImageType;
  using typename Superclass::TimeStepType;

  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaSplineDemonsFilter, PDEDeformableRegistrationFilter);

  /** Dimension of the images. */
  static constexpr unsigned int ImageDimension = FixedImageType::ImageDimension;

  /** True where the module's own kernels know the types. */
  static constexpr bool IsAccelerated = (ImageDimension == 2 || ImageDimension == 3) &&
                                        std::is_same<FixedImageType, MovingImageType>::value &&
                                        (std::is_same<FixedImageType, Image<float, ImageDimension>>::value ||
                                         std::is_same<FixedImageType, Image<double, ImageDimension>>::value) &&
                                        CudaSplineDetail::IsField<DisplacementFieldType>::value;

  /** Selects the backend, and reports which one ran and the reason; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

  /** Makes the output as an image that can be in the memory of a device, and reads inputs there; see CudaDeviceImage.
   */
  ///@{
  itkCudaSplineDeviceImageMacro(DisplacementFieldType);
  ///@}

  /** The mean square difference of the images at the last iteration. */
  double
  GetMetric() const override
  {
    return m_Iteration ? m_Iteration->Metric() : Superclass::GetMetric();
  }

  /** Root mean square of the lengths of the last updates (mm). */
  const double &
  GetRMSChange() const override
  {
    return m_Iteration ? m_RmsChange : Superclass::GetRMSChange();
  }

protected:
  CudaSplineDemonsFilter() { this->SetNthOutput(0, Self::MakeOutput(0)); }
  ~CudaSplineDemonsFilter() override = default;

  /** Prints the choice of the backend and the one that ran last. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Describes the force that moves the field.
   *
   * \param[in,out] rules receives the force, its thresholds, and the kind of update
   * \return the reason if the kernels do not support it, otherwise nothing */
  virtual std::string
  DescribeForce(CudaSpline::DemonsRules & rules) const = 0;

  /** Mean of the squared spacings of the fixed image (mm^2). */
  double
  MeanSquaredSpacing() const;

  /** The function of the forces, if it is ITK's own with linear interpolation; null: it is another one. */
  template <typename TFunction>
  const TFunction *
  GetKnownFunction() const;

  /** Runs ITK's iterations on the first backend that supports them, or in ITK's filter. */
  void
  GenerateData() override;

  /** The parts of an iteration, for GenerateData() of FiniteDifferenceImageFilter. */
  ///@{
  void
  Initialize() override;
  void
  AllocateUpdateBuffer() override;
  void
  InitializeIteration() override;
  TimeStepType
  CalculateChange() override;
  void
  ApplyUpdate(const TimeStepType & dt) override;
  void
  PostProcessOutput() override;
  ///@}

private:
  /** Sets the rules; returns the reason if the kernels do not support the case, otherwise nothing. */
  std::string
  Describe(CudaSpline::DemonsRules & rules) const;
  /** The weights of a smoothing; nothing if a deviation is 0. */
  std::optional<CudaSpline::FieldSmoothing>
  MakeSmoothing(const double * deviations) const;
  /** Iterates on the backend of the context. */
  void
  Iterate(const CudaSpline::DemonsRules & rules, const CudaSpline::ExecutionContext & context);
  /** Brings the field to the output, in the memory of the context's device if the next filter reads it there. */
  void
  ReadField(const CudaSpline::ExecutionContext & context);

  mutable CudaSplineBackend                  m_Backend;
  std::unique_ptr<CudaSpline::DemonsLevel>   m_Level;     ///< while it iterates by the kernels
  CudaSpline::ExecutionContext               m_Context;   ///< where it does
  std::optional<CudaSpline::DemonsIteration> m_Iteration; ///< the last one; nothing: ITK's filter ran
  double                                     m_RmsChange{ 0.0 };
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaSplineDemonsFilter.hxx"
#endif

#endif
