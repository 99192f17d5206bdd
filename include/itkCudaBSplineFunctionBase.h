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
#ifndef itkCudaBSplineFunctionBase_h
#define itkCudaBSplineFunctionBase_h

#include "itkCudaSplineInterpolateImageFunction.h"
#include "itkCudaSpline/itk/SingleEvaluation.h"

#include "itkSymmetricSecondRankTensor.h"

namespace itk
{

/** \class CudaBSplineFunctionBase
 * \brief Base class of the module's B-spline interpolators: values, derivatives and Hessians from coefficients in host
 * memory.
 *
 * \tparam TSuperclass BSplineInterpolateImageFunction or a class derived from it
 * \tparam TImageType scalar image
 * \tparam TCoordRep float or double
 *
 * \sa CudaBSplineInterpolateImageFunction, CudaBSplineResampleImageFunction
 * \ingroup CudaSpline */
template <typename TSuperclass, typename TImageType, typename TCoordRep>
class ITK_TEMPLATE_EXPORT CudaBSplineFunctionBase
  : public CudaSplineInterpolateImageFunction<TSuperclass, TImageType, TCoordRep>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBSplineFunctionBase);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaBSplineFunctionBase;
  using Superclass = CudaSplineInterpolateImageFunction<TSuperclass, TImageType, TCoordRep>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaBSplineFunctionBase, TSuperclass);

  /** Types and dimension of the superclass. */
  ///@{
  using OutputType = typename Superclass::OutputType;
  using ContinuousIndexType = typename Superclass::ContinuousIndexType;
  using PointType = typename Superclass::PointType;
  using SizeType = typename Superclass::SizeType;
  using CovariantVectorType = typename Superclass::CovariantVectorType;
  using CoefficientDataType = typename Superclass::CoefficientDataType;
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;
  ///@}

  /** Second derivatives: the upper triangle, xx, xy, xz, yy, yz, zz in 3D. */
  using HessianType = SymmetricSecondRankTensor<double, ImageDimension>;

  static_assert(std::is_floating_point<CoefficientDataType>::value, "B-spline coefficients are float or double.");

  /** Sets the order, 0 to 5.
   *
   * \param[in] splineOrder 0 to 5
   * \exception ExceptionObject any other order, or one that cannot have the address modes; the order then stays as it
   * was
   */
  void
  SetSplineOrder(unsigned int splineOrder);

  /** The spline's value at a point (mm) or a continuous index (samples, x first). The thread id is not used.
   *
   * \exception ExceptionObject there is no image */
  ///@{
  OutputType
  Evaluate(const PointType & point) const override;
  OutputType
  Evaluate(const PointType & point, ThreadIdType threadId) const override;
  OutputType
  EvaluateAtContinuousIndex(const ContinuousIndexType & index) const override;
  OutputType
  EvaluateAtContinuousIndex(const ContinuousIndexType & index, ThreadIdType threadId) const override;
  ///@}

  /** The spline's second derivatives (per mm squared) at a point (mm) or a continuous index (samples, x first), rotated
   * by the image's direction where UseImageDirection is on. They are 0 for orders 0 and 1, and piecewise constant along
   * an axis for order 2.
   *
   * \exception ExceptionObject there is no image */
  ///@{
  HessianType
  EvaluateHessian(const PointType & point) const;
  HessianType
  EvaluateHessianAtContinuousIndex(const ContinuousIndexType & index) const;
  ///@}

  /** Samples around a point: the order and one, or under an address mode all of the image. */
  SizeType
  GetRadius() const override
  {
    return this->RadiusOf(this->m_SplineOrder + 1);
  }

protected:
  CudaBSplineFunctionBase() = default;
  ~CudaBSplineFunctionBase() override = default;

  /** Called after order or address modes have changed. */
  virtual void
  MethodChanged()
  {}

  /** Orders 2 to 5 continue by Mirror, Reflect and GridWrap only. */
  void
  CheckAddressMode(CudaSplineAddressMode mode) const override;

  /** Calls MethodChanged(). */
  void
  AddressModeChanged() override
  {
    this->MethodChanged();
  }

  /** Describes order and address modes. */
  CudaSplineMethod
  DescribeSpline() const;

  /** The coefficients. */
  const void *
  DescribeBatchSource(const CudaSplineMethod &       method,
                      bool                           isDouble,
                      CudaSpline::SourceDescriptor & descriptor) const override;

  /** Whether derivatives are rotated: UseImageDirection. */
  bool
  IsDirectionUsed() const override
  {
    return this->GetUseImageDirection();
  }

  /** The non-virtual functions of the superclass call these. The matrices are the caller's scratch memory; they are not
   * used. */
  ///@{
  OutputType
  EvaluateAtContinuousIndexInternal(const ContinuousIndexType & x,
                                    vnl_matrix<long> &          evaluateIndex,
                                    vnl_matrix<double> &        weights) const override;

  void
  EvaluateValueAndDerivativeAtContinuousIndexInternal(const ContinuousIndexType & x,
                                                      OutputType &                value,
                                                      CovariantVectorType &       derivativeValue,
                                                      vnl_matrix<long> &          evaluateIndex,
                                                      vnl_matrix<double> &        weights,
                                                      vnl_matrix<double> &        weightsDerivative) const override;

  CovariantVectorType
  EvaluateDerivativeAtContinuousIndexInternal(const ContinuousIndexType & x,
                                              vnl_matrix<long> &          evaluateIndex,
                                              vnl_matrix<double> &        weights,
                                              vnl_matrix<double> &        weightsDerivative) const override;
  ///@}

private:
  /** Value and derivatives (per sample) at a continuous index; NaN where it is NaN or beyond every index. */
  template <CudaSpline::Derivatives VDerivatives>
  CudaSpline::Jet<ImageDimension, double>
  EvaluateJet(const ContinuousIndexType & index) const;

  /** Value and derivative (per mm) at a continuous index. */
  OutputType
  EvaluateAt(const ContinuousIndexType & index, CovariantVectorType & derivative) const;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaBSplineFunctionBase.hxx"
#endif

#endif
