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
#ifndef itkCudaBSplineInterpolateImageFunction_hxx
#define itkCudaBSplineInterpolateImageFunction_hxx

#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaSplineImageAccess.h"
#include "itkCudaSpline/kernels/ContentChecksum.h"
#include "itkCudaSpline/math/SplineEvaluation.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include <cmath>
#include <limits>

namespace itk
{

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
void
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::SetInputImage(
  const TImageType * inputData)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  if (inputData == nullptr)
  {
    this->m_Coefficients = nullptr;
    return;
  }
  // The coefficients depend on the whole image: as in ITK, it is brought up to date here.
  auto * const image = const_cast<TImageType *>(inputData);
  if (image->GetSource() != nullptr)
  {
    image->UpdateOutputInformation();
    image->SetRequestedRegionToLargestPossibleRegion();
    image->Update();
  }

  auto          filter = DecompositionFilter::New();
  const auto &  region = inputData->GetBufferedRegion();
  bool          isSame = false;
  std::uint64_t checksum = 0;
  // What the bytes of an adaptor mean depends on the adaptor: only plain images are known by their bytes.
  if constexpr (DecompositionFilter::IsAccelerated)
  {
    CudaSplineDetail::CheckNotEmpty(this, inputData);
    const CudaSplineHostExecutor executor(filter->GetMultiThreader());
    CudaSpline::ExecutionContext context;
    context.host = &executor;
    checksum = CudaSpline::ContentChecksum(
      inputData->GetBufferPointer(), region.GetNumberOfPixels() * sizeof(typename TImageType::PixelType), context);
    const auto & kept = this->m_Coefficients;
    isSame = kept.IsNotNull() && checksum == m_Checksum && m_CoefficientOrder == this->m_SplineOrder &&
             kept->GetBufferedRegion() == region && kept->GetSpacing() == inputData->GetSpacing() &&
             kept->GetOrigin() == inputData->GetOrigin() && kept->GetDirection() == inputData->GetDirection();
  }
  if (!isSame)
  {
    filter->SetInput(inputData);
    filter->SetSplineOrder(this->m_SplineOrder);
    filter->GetBackendSelection().CopyChoice(m_Backend);
    filter->Update();
    m_Backend.Record(filter->GetBackendSelection());
    this->m_Coefficients = filter->GetOutput();
    m_Checksum = checksum;
    m_CoefficientOrder = this->m_SplineOrder;
  }
  // Past the superclass, which would decompose the image itself.
  InterpolateImageFunction<TImageType, TCoordRep>::SetInputImage(inputData);
  this->m_DataLength = region.GetSize();
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
void
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::SetSplineOrder(unsigned int splineOrder)
{
  if (splineOrder > CudaSpline::MaximumSplineOrder)
  {
    itkExceptionMacro(<< "SplineOrder must be between 0 and 5; it is " << splineOrder << ".");
  }
  if (splineOrder == this->m_SplineOrder)
  {
    return;
  }
  Superclass::SetSplineOrder(splineOrder);
  this->Modified();
  if (this->m_Coefficients.IsNotNull() && this->GetInputImage() != nullptr)
  {
    this->SetInputImage(this->GetInputImage());
  }
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
void
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::PrintSelf(std::ostream & os,
                                                                                        Indent         indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
auto
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::EvaluateAt(
  const ContinuousIndexType & index,
  CovariantVectorType *       derivative) const -> OutputType
{
  if (this->m_Coefficients.IsNull())
  {
    itkExceptionMacro(<< "There are no coefficients: SetInputImage() must be called first.");
  }
  if (this->m_SplineOrder >
      CudaSpline::MaximumSplineOrder) // set through the parent, whose SetSplineOrder() is not virtual
  {
    itkExceptionMacro(<< "SplineOrder must be between 0 and 5; it is " << this->m_SplineOrder << ".");
  }
  CudaSpline::CoefficientGrid<ImageDimension, TCoefficientType> grid;
  grid.data = this->m_Coefficients->GetBufferPointer();
  const auto & region = this->m_Coefficients->GetBufferedRegion();
  TCoordRep    at[ImageDimension];
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    grid.extent.start[d] = region.GetIndex(d);
    grid.extent.size[d] = static_cast<std::int64_t>(region.GetSize(d));
    at[d] = index[d];
    if (!(std::abs(static_cast<double>(at[d])) < 0x1p62)) // NaN, or beyond every index: undefined in ITK
    {
      if (derivative != nullptr)
      {
        derivative->Fill(std::numeric_limits<typename CovariantVectorType::ValueType>::quiet_NaN());
      }
      return std::numeric_limits<OutputType>::quiet_NaN();
    }
  }
  double value = 0.0;
  double gradient[ImageDimension] = {};
  CudaSpline::DispatchSplineOrder(this->m_SplineOrder, [&](auto order) {
    if (derivative == nullptr)
    {
      value = CudaSpline::SplineValue<decltype(order)::value, double>(grid, at);
    }
    else
    {
      CudaSpline::SplineValueAndDerivative<decltype(order)::value>(grid, at, value, gradient);
    }
  });
  if (derivative != nullptr)
  {
    const auto & spacing = this->GetInputImage()->GetSpacing();
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      (*derivative)[d] = static_cast<typename CovariantVectorType::ValueType>(gradient[d] / spacing[d]);
    }
    if (this->GetUseImageDirection())
    {
      *derivative = this->GetInputImage()->TransformLocalVectorToPhysicalVector(*derivative);
    }
  }
  return static_cast<OutputType>(value);
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
auto
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::Evaluate(const PointType & point) const
  -> OutputType
{
  ContinuousIndexType index;
  if (this->GetInputImage() != nullptr) // else EvaluateAt() says what is missing
  {
    // The form that adaptors have; the answer, whether the point is inside, is not asked for.
    static_cast<void>(this->GetInputImage()->TransformPhysicalPointToContinuousIndex(point, index));
  }
  return this->EvaluateAt(index, nullptr);
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
auto
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::Evaluate(
  const PointType & point,
  ThreadIdType      itkNotUsed(threadId)) const -> OutputType
{
  return this->Evaluate(point);
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
auto
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::EvaluateAtContinuousIndex(
  const ContinuousIndexType & index) const -> OutputType
{
  return this->EvaluateAt(index, nullptr);
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
auto
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::EvaluateAtContinuousIndex(
  const ContinuousIndexType & index,
  ThreadIdType                itkNotUsed(threadId)) const -> OutputType
{
  return this->EvaluateAt(index, nullptr);
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
auto
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::EvaluateAtContinuousIndexInternal(
  const ContinuousIndexType & x,
  vnl_matrix<long> &          itkNotUsed(evaluateIndex),
  vnl_matrix<double> &        itkNotUsed(weights)) const -> OutputType
{
  return this->EvaluateAt(x, nullptr);
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
void
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::
  EvaluateValueAndDerivativeAtContinuousIndexInternal(const ContinuousIndexType & x,
                                                      OutputType &                value,
                                                      CovariantVectorType &       derivativeValue,
                                                      vnl_matrix<long> &          itkNotUsed(evaluateIndex),
                                                      vnl_matrix<double> &        itkNotUsed(weights),
                                                      vnl_matrix<double> &        itkNotUsed(weightsDerivative)) const
{
  value = this->EvaluateAt(x, &derivativeValue);
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
auto
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::
  EvaluateDerivativeAtContinuousIndexInternal(const ContinuousIndexType & x,
                                              vnl_matrix<long> &          itkNotUsed(evaluateIndex),
                                              vnl_matrix<double> &        itkNotUsed(weights),
                                              vnl_matrix<double> &        itkNotUsed(weightsDerivative)) const
  -> CovariantVectorType
{
  CovariantVectorType derivative;
  this->EvaluateAt(x, &derivative);
  return derivative;
}

} // namespace itk

#endif
