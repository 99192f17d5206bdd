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
#ifndef itkCudaSplineSyNMethod_h
#define itkCudaSplineSyNMethod_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSplinePrecision.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/ResidentImages.h"
#include "itkCudaSpline/itk/SynLevelOfImages.h"
#include "itkCudaSpline/kernels/registration/ConvergenceWindow.h"
#include "itkCudaSpline/kernels/registration/SynLevel.h"

#include "itkSyNImageRegistrationMethod.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace itk
{

/** \class CudaSplineSyNMethod
 * \brief Base class of the module's methods of symmetric normalization. It derives from the ITK method that each of
 * them replaces.
 *
 * Parameters, observers and results are ITK's. Images, fields, inverses and updates stay in the memory of the backend
 * during a level, and an iteration transfers only a few numbers to the host. The transforms of the state
 * (FixedToMiddle, MovingToMiddle) receive the fields at the end of each level, and whenever they are requested.
 *
 * What is accelerated:
 *
 * - images of float or double pixels, in 2D and 3D, with fields of float or double vectors;
 * - ANTSNeighborhoodCorrelationImageToImageMetricv4 with any radius, MeanSquaresImageToImageMetricv4,
 * DemonsImageToImageMetricv4 and MattesMutualInformationImageToImageMetricv4, or the module's replacements: one of
 * them, or several on several pairs of images in an ObjectToObjectMultiMetricv4, with weights; gradients by ITK's
 * default filter or its central differences, with or without downsampling for derivatives;
 * - masks that are an ImageMaskSpatialObject;
 * - initial transforms that are linear, B-splines, displacement fields and composites of these.
 *
 * ITK's class computes all other cases, and GetFallbackReason() returns the reason.
 *
 * \par Accuracy
 * In double precision (double pixels, or SetPrecision()) each iteration's metric value agrees with ITK's to a relative
 * error of about 1e-9. In single precision the fields are floats. Coordinates and sums are double in both: for
 * transforms of float, ITK rounds all of them, the module only values and fields.
 *
 * \tparam TMethod the method of ITK, with its template parameters
 * \ingroup CudaSpline */
template <typename TMethod>
class ITK_TEMPLATE_EXPORT CudaSplineSyNMethod : public TMethod
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaSplineSyNMethod);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaSplineSyNMethod;
  using Superclass = TMethod;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}
  using typename Superclass::DisplacementFieldType;
  using typename Superclass::FixedImageType;
  using typename Superclass::MovingImageType;
  using typename Superclass::OutputTransformType;
  using typename Superclass::RealType;
  using typename Superclass::VirtualImageType;

  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaSplineSyNMethod, SyNImageRegistrationMethod);

  /** Dimension of the images. */
  static constexpr unsigned int ImageDimension = FixedImageType::ImageDimension;

  /** True where the module's own kernels know the types. */
  static constexpr bool IsAccelerated = (ImageDimension == 2 || ImageDimension == 3) &&
                                        MovingImageType::ImageDimension == ImageDimension &&
                                        std::is_same<FixedImageType, MovingImageType>::value &&
                                        (std::is_same<FixedImageType, Image<float, ImageDimension>>::value ||
                                         std::is_same<FixedImageType, Image<double, ImageDimension>>::value) &&
                                        (std::is_same<RealType, float>::value || std::is_same<RealType, double>::value);

  /** Selects the backend, and reports which one ran and the reason; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

  /** Arithmetic and type of the fields; CudaSplinePrecision::Automatic by default: double where the images' pixels are.
   * Coordinates are double in any case. */
  ///@{
  itkSetEnumMacro(Precision, CudaSplinePrecision);
  itkGetEnumMacro(Precision, CudaSplinePrecision);
  ///@}

  /** What the inversions of the last iteration came to: of the fixed field, of its inverse, of the moving field, of its
   * inverse. Zeros if the module computed no iteration. */
  const std::array<CudaSpline::FieldInversionState, 4> &
  GetLastInversions() const
  {
    return m_LastInversions;
  }

  /** The state of the registration: its fields are those of the last iteration. */
  ///@{
  OutputTransformType *
  GetModifiableFixedToMiddleTransform() override
  {
    this->ProvideTransforms();
    return Superclass::GetModifiableFixedToMiddleTransform();
  }
  const OutputTransformType *
  GetFixedToMiddleTransform() const override
  {
    this->ProvideTransforms();
    return Superclass::GetFixedToMiddleTransform();
  }
  OutputTransformType *
  GetModifiableMovingToMiddleTransform() override
  {
    this->ProvideTransforms();
    return Superclass::GetModifiableMovingToMiddleTransform();
  }
  const OutputTransformType *
  GetMovingToMiddleTransform() const override
  {
    this->ProvideTransforms();
    return Superclass::GetMovingToMiddleTransform();
  }
#if defined(CUDASPLINE_ITK_HAS_NON_CONST_GETTERS)
  OutputTransformType *
  GetFixedToMiddleTransform() override
  {
    return this->GetModifiableFixedToMiddleTransform();
  }
  OutputTransformType *
  GetMovingToMiddleTransform() override
  {
    return this->GetModifiableMovingToMiddleTransform();
  }
#endif
  ///@}

protected:
  CudaSplineSyNMethod() = default;
  ~CudaSplineSyNMethod() override = default;

  /** Prints the choice of backend, who ran last, and the arithmetic. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Registers: all levels, then the whole transform of both fields. */
  void
  GenerateData() override;

  /** Prepares a level as ITK does, except for its smoothing, which the module does, and the fields of the previous
   * level, which are adapted in their own memory. */
  void
  InitializeRegistrationAtEachLevel(const SizeValueType level) override;

  /** Iterates through a level on the first backend that can, or lets ITK's class do it. */
  void
  StartOptimization() override;

  /** Says how updates and total fields are smoothed. It is asked before each iteration.
   *
   * \param[in,out] rules it sets variances or splines
   * \return why the kernels cannot smooth so; nothing where they can */
  virtual std::string
  DescribeSmoothing(CudaSpline::SynRules & rules) const = 0;

private:
  /** A level, and where it has come to. */
  struct Level : CudaSplineDetail::SynLevelOfImages<FixedImageType, MovingImageType, VirtualImageType, RealType>
  {
    std::optional<CudaSpline::ConvergenceWindow> monitoring; ///< of the iterations that have ended; none: not begun
    SizeValueType                                finished{ 0 };
  };

  /** The smoothing of the level, where that waits. */
  CudaSplineDetail::LevelSigma
  GetWaitingSigma() const
  {
    return { m_WaitingSigma, this->m_SmoothingSigmasAreSpecifiedInPhysicalUnits };
  }

  /** Smooths the images of the level on the host or by the module's filter, where that waits: for ITK's class. */
  void
  SmoothImages();
  /** Describes the level; returns why the kernels cannot do it, nothing where they can. */
  std::string
  Describe(Level & level) const;
  /** A level where the residence is, with the fields of the resident one, which is gone then, or of the transforms. */
  std::unique_ptr<CudaSpline::SynLevel>
  MakeResident(const Level & level, const CudaSpline::Residence & residence);
  /** Iterates on the backend of the context, from the level's beginning or from where it has come to. */
  void
  Iterate(Level & level, const CudaSpline::ExecutionContext & context);
  /** Where a device failed in a level: the transforms get the fields of the last iteration that has ended, or, where
   * the device has lost these, the level begins anew from what the transforms hold. */
  void
  LeaveDevice(Level & level);
  /** Adapts the transforms of the state to the level by ITK's adaptors. */
  void
  AdaptTransforms();
  /** Brings the fields of the resident level to the transforms of the state, where they are not there.
   *
   * \exception CudaSpline::DeviceError a lost device */
  void
  ReadFields() const;
  /** The same for the caller. \exception ExceptionObject a lost device */
  void
  ProvideTransforms() const;
  /** The same where something else is wrong already: what was reached is not lost. */
  void
  KeepWhatIsThere() const;
  /** Sets the output: from the fixed image's space through the middle to the moving one's, and back. */
  void
  ComposeWhole();
  /** The rules of the next iteration, without what is in the memory of a backend. */
  CudaSpline::SynRules
  MakeRules() const;
  /** A field on the current virtual domain. */
  typename DisplacementFieldType::Pointer
  MakeField() const;

  mutable CudaSplineBackend               m_Backend;
  CudaSplinePrecision                     m_Precision{ CudaSplinePrecision::Automatic };
  std::unique_ptr<CudaSplineHostExecutor> m_Executor; ///< of \c m_Resident
  std::unique_ptr<CudaSpline::SynLevel>   m_Resident; ///< the fields after the last iteration; null: ITK's transforms
  mutable bool                            m_TransformsAreCurrent{ true };
  CudaSplineDetail::ResidentOriginals     m_Originals;             ///< each image once
  double                                  m_WaitingSigma{ 0.0 };   ///< of the level, as it was given
  mutable bool                            m_AdaptorsWait{ false }; ///< of this level

  std::array<CudaSpline::FieldInversionState, 4> m_LastInversions{};
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaSplineSyNMethod.hxx"
#endif

#endif
