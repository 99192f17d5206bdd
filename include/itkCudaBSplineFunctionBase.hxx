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
#ifndef itkCudaBSplineFunctionBase_hxx
#define itkCudaBSplineFunctionBase_hxx

#include "itkCudaBSplineFunctionBase.h"
#include "itkCudaSpline/itk/ImageAccess.h"
#include "itkCudaSpline/math/SplineEvaluation.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"

namespace itk
{

template <typename TSuperclass, typename TImageType, typename TCoordRep>
void
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::SetSplineOrder(unsigned int splineOrder)
{
  if (splineOrder > CudaSpline::MaximumSplineOrder)
  {
    itkExceptionMacro(<< "SplineOrder must be between 0 and 5; it is " << splineOrder << ".");
  }
  if (splineOrder == this->m_SplineOrder)
  {
    return;
  }
  for (unsigned int d = 0; d < ImageDimension && splineOrder >= 2; ++d)
  {
    CudaSplineDetail::CheckSplineAddressMode(splineOrder, this->GetAddressMode(d));
  }
  const auto before = static_cast<unsigned int>(this->m_SplineOrder);
  Superclass::SetSplineOrder(splineOrder);
  this->Modified();
  try
  {
    this->MethodChanged();
  }
  catch (...)
  {
    Superclass::SetSplineOrder(before); // of which the coefficients still are
    throw;
  }
}

template <typename TSuperclass, typename TImageType, typename TCoordRep>
void
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::CheckAddressMode(CudaSplineAddressMode mode) const
{
  CudaSplineDetail::CheckSplineAddressMode(this->m_SplineOrder, mode);
}

template <typename TSuperclass, typename TImageType, typename TCoordRep>
const void *
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::DescribeBatchSource(
  const CudaSplineMethod & method,
  bool,
  CudaSpline::SourceDescriptor & descriptor) const
{
  if (this->m_Coefficients.IsNull())
  {
    itkExceptionMacro(<< "The interpolator has no coefficients. Call SetInputImage() first.");
  }
  descriptor = CudaSplineDetail::DescribeSource(this->m_Coefficients.GetPointer());
  CudaSplineDetail::DescribeMethodSource(method, descriptor);
  descriptor.method.kind = CudaSpline::PrefilterMethod::Kind::Coefficients;
  if (descriptor.storage != CudaSpline::CoefficientStorage::Element)
  {
    descriptor.element = CudaSpline::ScalarType::Float32;
  }
  return this->m_Coefficients->GetBufferPointer();
}

template <typename TSuperclass, typename TImageType, typename TCoordRep>
CudaSplineMethod
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::DescribeSpline() const
{
  CudaSplineMethod method;
  method.interpolation.interpolation = CudaSpline::Interpolation::BSpline;
  method.order = this->m_SplineOrder;
  this->DescribeAddressModes(method, CudaSpline::Extension::Mirror);
  return method;
}

template <typename TSuperclass, typename TImageType, typename TCoordRep>
template <CudaSpline::Derivatives VDerivatives>
auto
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::EvaluateJet(const ContinuousIndexType & index) const
  -> CudaSpline::Jet<ImageDimension, double>
{
  if (this->m_Coefficients.IsNull())
  {
    itkExceptionMacro(<< "The interpolator has no coefficients. Call SetInputImage() first.");
  }
  if (this->m_SplineOrder >
      CudaSpline::MaximumSplineOrder) // set through the parent, whose SetSplineOrder() is not virtual
  {
    itkExceptionMacro(<< "SplineOrder must be between 0 and 5; it is " << this->m_SplineOrder << ".");
  }
  TCoordRep at[ImageDimension];
  if (!CudaSplineDetail::CopyIndex(index, at))
  {
    return CudaSplineDetail::JetOfNaN<ImageDimension>();
  }
  CudaSpline::CoefficientGrid<ImageDimension, CoefficientDataType> grid;
  grid.data = this->m_Coefficients->GetBufferPointer();
  grid.extent = CudaSplineDetail::ExtentOf(this->m_Coefficients.GetPointer());
  grid.border = static_cast<CoefficientDataType>(this->GetBorderValue());
  this->GetExtensions(CudaSpline::Extension::Mirror, grid.extension);
  CudaSpline::Jet<ImageDimension, double> jet;
  CudaSpline::DispatchSplineOrder(this->m_SplineOrder, [&](auto order) {
    CudaSpline::EvaluateOnGrid<VDerivatives>(CudaSpline::SplineBasis<decltype(order)::value>(), grid, at, jet);
  });
  return jet;
}

template <typename TSuperclass, typename TImageType, typename TCoordRep>
auto
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::EvaluateAt(const ContinuousIndexType & index,
                                                                        CovariantVectorType &       derivative) const
  -> OutputType
{
  const auto jet = this->template EvaluateJet<CudaSpline::Derivatives::First>(index);
  derivative =
    CudaSplineDetail::GradientOf<CovariantVectorType>(jet, this->GetInputImage(), this->GetUseImageDirection());
  return static_cast<OutputType>(jet.value);
}

template <typename TSuperclass, typename TImageType, typename TCoordRep>
auto
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::EvaluateHessianAtContinuousIndex(
  const ContinuousIndexType & index) const -> HessianType
{
  const auto jet = this->template EvaluateJet<CudaSpline::Derivatives::Second>(index);
  return CudaSplineDetail::HessianOf(jet, this->GetInputImage(), this->GetUseImageDirection());
}

template <typename TSuperclass, typename TImageType, typename TCoordRep>
auto
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::EvaluateHessian(const PointType & point) const
  -> HessianType
{
  ContinuousIndexType index;
  if (this->GetInputImage() != nullptr) // else EvaluateJet() throws
  {
    static_cast<void>(this->GetInputImage()->TransformPhysicalPointToContinuousIndex(point, index));
  }
  return this->EvaluateHessianAtContinuousIndex(index);
}

template <typename TSuperclass, typename TImageType, typename TCoordRep>
auto
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::Evaluate(const PointType & point) const -> OutputType
{
  ContinuousIndexType index;
  if (this->GetInputImage() != nullptr) // else EvaluateAtContinuousIndex() throws
  {
    // By the function that image adaptors have too; whether the point is inside is the caller's question.
    static_cast<void>(this->GetInputImage()->TransformPhysicalPointToContinuousIndex(point, index));
  }
  return static_cast<OutputType>(this->template EvaluateJet<CudaSpline::Derivatives::None>(index).value);
}

template <typename TSuperclass, typename TImageType, typename TCoordRep>
auto
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::Evaluate(const PointType & point,
                                                                      ThreadIdType      itkNotUsed(threadId)) const
  -> OutputType
{
  return this->Evaluate(point);
}

template <typename TSuperclass, typename TImageType, typename TCoordRep>
auto
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::EvaluateAtContinuousIndex(
  const ContinuousIndexType & index) const -> OutputType
{
  return static_cast<OutputType>(this->template EvaluateJet<CudaSpline::Derivatives::None>(index).value);
}

template <typename TSuperclass, typename TImageType, typename TCoordRep>
auto
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::EvaluateAtContinuousIndex(
  const ContinuousIndexType & index,
  ThreadIdType                itkNotUsed(threadId)) const -> OutputType
{
  return static_cast<OutputType>(this->template EvaluateJet<CudaSpline::Derivatives::None>(index).value);
}

template <typename TSuperclass, typename TImageType, typename TCoordRep>
auto
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::EvaluateAtContinuousIndexInternal(
  const ContinuousIndexType & x,
  vnl_matrix<long> &          itkNotUsed(evaluateIndex),
  vnl_matrix<double> &        itkNotUsed(weights)) const -> OutputType
{
  return this->EvaluateAtContinuousIndex(x);
}

template <typename TSuperclass, typename TImageType, typename TCoordRep>
void
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::EvaluateValueAndDerivativeAtContinuousIndexInternal(
  const ContinuousIndexType & x,
  OutputType &                value,
  CovariantVectorType &       derivativeValue,
  vnl_matrix<long> &          itkNotUsed(evaluateIndex),
  vnl_matrix<double> &        itkNotUsed(weights),
  vnl_matrix<double> &        itkNotUsed(weightsDerivative)) const
{
  value = this->EvaluateAt(x, derivativeValue);
}

template <typename TSuperclass, typename TImageType, typename TCoordRep>
auto
CudaBSplineFunctionBase<TSuperclass, TImageType, TCoordRep>::EvaluateDerivativeAtContinuousIndexInternal(
  const ContinuousIndexType & x,
  vnl_matrix<long> &          itkNotUsed(evaluateIndex),
  vnl_matrix<double> &        itkNotUsed(weights),
  vnl_matrix<double> &        itkNotUsed(weightsDerivative)) const -> CovariantVectorType
{
  CovariantVectorType derivative;
  this->EvaluateAt(x, derivative);
  return derivative;
}

} // namespace itk

#endif
