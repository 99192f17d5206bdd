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
#ifndef itkCudaTimeVaryingVelocityFieldImageRegistrationMethodv4_h
#define itkCudaTimeVaryingVelocityFieldImageRegistrationMethodv4_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSplinePrecision.h"
#include "itkCudaSpline/itk/ResidentImages.h"
#include "itkCudaSpline/itk/SynLevelOfImages.h"
#include "itkCudaSpline/kernels/registration/VelocityLevel.h"

#include "itkTimeVaryingVelocityFieldImageRegistrationMethodv4.h"

#include <string>
#include <type_traits>

namespace itk
{

/** \class CudaTimeVaryingVelocityFieldImageRegistrationMethodv4
 * \brief Registration by a velocity field that varies in time, resident on a GPU, or on all threads of the host.
 *
 * Replaces TimeVaryingVelocityFieldImageRegistrationMethodv4, with the same parameters, observers and results. The
 * velocity field, its updates and the images stay in the memory of the backend during a level. The transform receives
 * its velocity, displacement and inverse displacement field at the end of each level; ITK's class changes them in each
 * iteration.
 *
 * What is accelerated:
 *
 * - images of float or double pixels, in 2D and 3D, with velocity fields of float or double vectors on the virtual
 *   domain, with 2 to 16 time points whose axis has origin 0 and spacing 1;
 * - GaussianSmoothingOnUpdateTimeVaryingVelocityFieldTransform;
 * - the metrics of CudaSyNImageRegistrationMethod, without masks;
 * - moving initial transforms that are linear, B-splines, displacement fields and composites of these.
 *
 * ITK's class computes all other cases, and GetFallbackReason() returns the reason.
 *
 * \par Accuracy
 * In double precision each iteration's metric value agrees with ITK's to a relative error of about 1e-9.
 *
 * \ingroup CudaSpline */
template <typename TFixedImage,
          typename TMovingImage,
          typename TOutputTransform =
            GaussianSmoothingOnUpdateTimeVaryingVelocityFieldTransform<double, TFixedImage::ImageDimension>,
          typename TVirtualImage = TFixedImage,
          typename TPointSet = PointSet<unsigned int, TFixedImage::ImageDimension>>
class ITK_TEMPLATE_EXPORT CudaTimeVaryingVelocityFieldImageRegistrationMethodv4
  : public TimeVaryingVelocityFieldImageRegistrationMethodv4<TFixedImage,
                                                             TMovingImage,
                                                             TOutputTransform,
                                                             TVirtualImage,
                                                             TPointSet>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaTimeVaryingVelocityFieldImageRegistrationMethodv4);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaTimeVaryingVelocityFieldImageRegistrationMethodv4;
  using Superclass = TimeVaryingVelocityFieldImageRegistrationMethodv4<TFixedImage,
                                                                       TMovingImage,
                                                                       TOutputTransform,
                                                                       TVirtualImage,
                                                                       TPointSet>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}
  using typename Superclass::DisplacementFieldType;
  using typename Superclass::RealType;

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaTimeVaryingVelocityFieldImageRegistrationMethodv4,
                         TimeVaryingVelocityFieldImageRegistrationMethodv4);

  /** Dimension of the images. */
  static constexpr unsigned int ImageDimension = TFixedImage::ImageDimension;

  /** Whether the kernels support the types. */
  static constexpr bool IsAccelerated = (ImageDimension == 2 || ImageDimension == 3) &&
                                        std::is_same<TFixedImage, TMovingImage>::value &&
                                        (std::is_same<TFixedImage, Image<float, ImageDimension>>::value ||
                                         std::is_same<TFixedImage, Image<double, ImageDimension>>::value) &&
                                        (std::is_same<RealType, float>::value || std::is_same<RealType, double>::value);

  /** Selects the backend, and reports which one ran and the reason; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

  /** Arithmetic and type of the fields; CudaSplinePrecision::Automatic by default: double if the images' pixels are.
   * Coordinates are double in any case. */
  ///@{
  itkSetEnumMacro(Precision, CudaSplinePrecision);
  itkGetEnumMacro(Precision, CudaSplinePrecision);
  ///@}

protected:
  CudaTimeVaryingVelocityFieldImageRegistrationMethodv4() = default;
  ~CudaTimeVaryingVelocityFieldImageRegistrationMethodv4() override = default;

  /** Prints the choice of backend, the last backend, and the arithmetic. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Iterates through a level on the first backend that can, or calls ITK's class. */
  void
  StartOptimization() override;

private:
  using Transform = GaussianSmoothingOnUpdateTimeVaryingVelocityFieldTransform<RealType, ImageDimension>;

  /** A level and its time points. */
  struct Level : CudaSplineDetail::SynLevelOfImages<TFixedImage, TMovingImage, TVirtualImage, RealType>
  {
    CudaSpline::VelocityOptions velocity;
  };

  /** Describes the level; returns why the kernels do not support it, or nothing. */
  std::string
  Describe(Level & level) const;
  /** The same of the transform. */
  std::string
  DescribeTransform(Level & level) const;
  /** Iterates from the velocity of the transform, which receives the result. */
  void
  Iterate(const Level & level, const CudaSpline::ExecutionContext & context);
  /** Sets the fields of the transform. */
  void
  SetFields(const Level & level, CudaSpline::VelocityLevel & resident);

  mutable CudaSplineBackend m_Backend;
  CudaSplinePrecision       m_Precision{ CudaSplinePrecision::Automatic };
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaTimeVaryingVelocityFieldImageRegistrationMethodv4.hxx"
#endif

#endif
