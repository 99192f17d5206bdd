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
#ifndef itkCudaBSplineSyNImageRegistrationMethod_h
#define itkCudaBSplineSyNImageRegistrationMethod_h

#include "itkCudaSplineSyNMethod.h"

#include "itkBSplineSmoothingOnUpdateDisplacementFieldTransformParametersAdaptor.h"
#include "itkBSplineSyNImageRegistrationMethod.h"

#include <optional>
#include <string>

namespace itk
{

/** \class CudaBSplineSyNImageRegistrationMethod
 * \brief Symmetric normalization whose fields are smoothed by B-splines, resident on a GPU, or on all threads of the
 * host.
 *
 * Replaces BSplineSyNImageRegistrationMethod, with the same parameters, observers and results. As in ITK, the adaptors
 * of the levels set the numbers of control points of the splines of updates and of total fields: if an axis has 0,
 * fields are not smoothed. CudaSplineSyNMethod describes the accelerated cases and the accuracy. In addition, splines
 * must be cubic, and the first sample of the virtual domain must have index 0.
 *
 * In double precision the splines have ITK's rounding, which is that of float. Their sums are those of ITK on one
 * thread; on several threads the order of ITK's sums depends on the number of threads. In single precision and without
 * a mask they are fitted along the axes, which is many times as fast.
 *
 * \par Example
 * \code
 * using MethodType = itk::CudaBSplineSyNImageRegistrationMethod<ImageType, ImageType>;
 * using AdaptorType = itk::BSplineSmoothingOnUpdateDisplacementFieldTransformParametersAdaptor<
 *   MethodType::OutputTransformType>;
 * auto adaptor = AdaptorType::New();
 * adaptor->SetNumberOfControlPointsForTheUpdateField(updatePoints);
 * \endcode
 *
 * \ingroup CudaSpline */
template <typename TFixedImage,
          typename TMovingImage,
          typename TOutputTransform =
            BSplineSmoothingOnUpdateDisplacementFieldTransform<double, TFixedImage::ImageDimension>,
          typename TVirtualImage = TFixedImage,
          typename TPointSet = PointSet<unsigned int, TFixedImage::ImageDimension>>
class ITK_TEMPLATE_EXPORT CudaBSplineSyNImageRegistrationMethod
  : public CudaSplineSyNMethod<
      BSplineSyNImageRegistrationMethod<TFixedImage, TMovingImage, TOutputTransform, TVirtualImage, TPointSet>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBSplineSyNImageRegistrationMethod);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaBSplineSyNImageRegistrationMethod;
  using Superclass = CudaSplineSyNMethod<
    BSplineSyNImageRegistrationMethod<TFixedImage, TMovingImage, TOutputTransform, TVirtualImage, TPointSet>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaBSplineSyNImageRegistrationMethod, BSplineSyNImageRegistrationMethod);
  using typename Superclass::OutputTransformType;

  /** Dimension of the images. */
  static constexpr unsigned int ImageDimension = TFixedImage::ImageDimension;

protected:
  CudaBSplineSyNImageRegistrationMethod() = default;
  ~CudaBSplineSyNImageRegistrationMethod() override = default;

  /** By B-splines of the transforms' numbers of control points. */
  std::string
  DescribeSmoothing(CudaSpline::SynRules & rules) const override;

  /** Prepares a level as ITK does, and has the adaptor set the numbers of control points, before it adapts the fields.
   *
   * \exception ExceptionObject the first level has no adaptor of B-splines: ITK's class takes it for one */
  void
  InitializeRegistrationAtEachLevel(const SizeValueType level) override;

private:
  using AdaptorType = BSplineSmoothingOnUpdateDisplacementFieldTransformParametersAdaptor<OutputTransformType>;
  using ControlPointsType = typename OutputTransformType::ArrayType;

  static constexpr unsigned int CubicOrder = 3;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaBSplineSyNImageRegistrationMethod.hxx"
#endif

#endif
