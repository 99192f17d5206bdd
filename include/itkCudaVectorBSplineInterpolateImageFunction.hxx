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
#ifndef itkCudaVectorBSplineInterpolateImageFunction_hxx
#define itkCudaVectorBSplineInterpolateImageFunction_hxx

#include "itkCudaVectorBSplineInterpolateImageFunction.h"
#include "itkCudaSpline/itk/SingleEvaluation.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include <typeinfo>

namespace itk
{

template <typename TInputImage, typename TCoordRep, typename TCoefficient>
void
CudaVectorBSplineInterpolateImageFunction<TInputImage, TCoordRep, TCoefficient>::SetSplineOrder(
  unsigned int splineOrder)
{
  if (splineOrder > CudaSpline::MaximumSplineOrder)
  {
    itkExceptionMacro(<< "SplineOrder must be between 0 and 5; it is " << splineOrder << ".");
  }
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    CudaSplineDetail::CheckSplineAddressMode(splineOrder, this->GetAddressMode(d));
  }
  if (splineOrder != m_SplineOrder)
  {
    const auto before = m_SplineOrder;
    m_SplineOrder = splineOrder;
    this->Modified();
    try
    {
      this->AddressModeChanged();
    }
    catch (...)
    {
      m_SplineOrder = before; // of which the coefficients still are
      throw;
    }
  }
}

template <typename TInputImage, typename TCoordRep, typename TCoefficient>
void
CudaVectorBSplineInterpolateImageFunction<TInputImage, TCoordRep, TCoefficient>::AddressModeChanged()
{
  if (m_Coefficients.IsNotNull() && this->GetInputImage() != nullptr)
  {
    this->SetInputImage(this->GetInputImage());
  }
}

template <typename TInputImage, typename TCoordRep, typename TCoefficient>
void
CudaVectorBSplineInterpolateImageFunction<TInputImage, TCoordRep, TCoefficient>::SetInputImage(
  const TInputImage * inputData)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  if (inputData == nullptr)
  {
    m_Coefficients = nullptr;
  }
  else
  {
    CudaSplineDetail::MakeCoefficients(
      this, inputData, this->DescribeMethod(inputData), this->GetBackendSelection(), m_Record, m_Coefficients);
  }
  Superclass::SetInputImage(inputData);
}

template <typename TInputImage, typename TCoordRep, typename TCoefficient>
CudaSplineMethod
CudaVectorBSplineInterpolateImageFunction<TInputImage, TCoordRep, TCoefficient>::DescribeMethod(
  const ImageBase<ImageDimension> *) const
{
  CudaSplineMethod method;
  method.interpolation.interpolation = CudaSpline::Interpolation::BSpline;
  method.order = m_SplineOrder;
  this->DescribeAddressModes(method, CudaSpline::Extension::Mirror);
  this->RefuseUnlessSame(typeid(*this), typeid(Self), method);
  return method;
}

template <typename TInputImage, typename TCoordRep, typename TCoefficient>
auto
CudaVectorBSplineInterpolateImageFunction<TInputImage, TCoordRep, TCoefficient>::EvaluateAtContinuousIndex(
  const ContinuousIndexType & index) const -> OutputType
{
  if (m_Coefficients.IsNull())
  {
    itkExceptionMacro(<< "The interpolator has no coefficients. Call SetInputImage() first.");
  }
  CudaSpline::Extension extension[ImageDimension];
  this->GetExtensions(CudaSpline::Extension::Mirror, extension);
  OutputType value;
  CudaSpline::DispatchSplineOrder(m_SplineOrder, [&](auto order) {
    value = CudaSplineDetail::EvaluatePixel<OutputType>(
      CudaSpline::SplineBasis<decltype(order)::value>(),
      reinterpret_cast<const TCoefficient *>(m_Coefficients->GetBufferPointer()),
      m_Coefficients->GetNumberOfComponentsPerPixel(),
      CudaSplineDetail::ExtentOf(m_Coefficients.GetPointer()),
      extension,
      this->GetBorderValue(),
      index);
  });
  return value;
}

} // namespace itk

#endif
