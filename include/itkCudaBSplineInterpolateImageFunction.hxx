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

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>
#include <typeinfo>

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

  const CudaSplineMethod method = this->DescribeMethod(inputData);

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
    isSame = kept.IsNotNull() && checksum == m_Checksum && m_CoefficientMethod.order == this->m_SplineOrder &&
             m_CoefficientMethod.extension == method.extension && kept->GetBufferedRegion() == region &&
             kept->GetSpacing() == inputData->GetSpacing() && kept->GetOrigin() == inputData->GetOrigin() &&
             kept->GetDirection() == inputData->GetDirection();
  }
  if (!isSame)
  {
    filter->SetInput(inputData);
    if constexpr (std::is_same<TImageType, Image<typename TImageType::PixelType, ImageDimension>>::value)
    {
      // A pipeline writes the requested region of its input, which interpolators of other threads may share: it gets
      // an image of its own with the same pixels. One that has a source belongs to a pipeline already.
      if (image->GetSource() == nullptr)
      {
        const auto graft = TImageType::New();
        graft->Graft(inputData);
        filter->SetInput(graft);
      }
    }
    filter->SetSplineOrder(this->m_SplineOrder);
    for (unsigned int d = 0; d < ImageDimension && this->m_SplineOrder >= 2 && this->HasAddressMode(); ++d)
    {
      filter->SetExtension(d, method.extension[d]);
    }
    filter->GetBackendSelection().CopyChoice(this->GetBackendSelection());
    filter->Update();
    this->GetBackendSelection().Record(filter->GetBackendSelection());
    this->m_Coefficients = filter->GetOutput();
    m_Checksum = checksum;
    m_CoefficientMethod = method;
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
  for (unsigned int d = 0; d < ImageDimension && splineOrder >= 2; ++d)
  {
    CheckOrderAndMode(splineOrder, this->GetAddressMode(d));
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
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::CheckOrderAndMode(
  unsigned int          order,
  CudaSplineAddressMode mode)
{
  if (order >= 2 && (mode == CudaSplineAddressMode::Nearest || mode == CudaSplineAddressMode::GridConstant))
  {
    itkGenericExceptionMacro(<< "CudaBSplineInterpolateImageFunction: splines of orders 2 to 5 continue by Mirror, "
                                "Reflect or GridWrap; the address mode is "
                             << mode << ".");
  }
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
void
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::CheckAddressMode(
  CudaSplineAddressMode mode) const
{
  CheckOrderAndMode(this->m_SplineOrder, mode);
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
void
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::AddressModeChanged()
{
  if (this->m_Coefficients.IsNotNull() && this->GetInputImage() != nullptr)
  {
    this->SetInputImage(this->GetInputImage());
  }
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
CudaSplineMethod
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::DescribeMethod(
  const ImageBase<ImageDimension> *) const
{
  CudaSplineMethod method;
  method.interpolation.interpolation = CudaSpline::Interpolation::BSpline;
  method.order = this->m_SplineOrder;
  method.interpolation.mode = m_Mode;
  method.storage = m_Mode == ModeEnum::Exact || m_Storage != StorageEnum::Element ? m_Storage : StorageEnum::Texture;
  method.tableEntries = m_Mode == ModeEnum::TextureTable ? m_NumberOfTableEntries : 0;
  this->DescribeAddressModes(method, CudaSpline::Extension::Mirror);
  this->RefuseUnlessSame(typeid(*this), typeid(Self), method);
  return method;
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
const void *
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::DescribeBatchSource(
  const CudaSplineMethod & method,
  bool,
  CudaSpline::SourceDescriptor & descriptor) const
{
  if (this->m_Coefficients.IsNull())
  {
    itkExceptionMacro(<< "There are no coefficients: SetInputImage() must be called first.");
  }
  descriptor = CudaSplineDetail::DescribeSource(this->m_Coefficients.GetPointer());
  CudaSplineDetail::DescribeMethodSource(method, descriptor);
  descriptor.method.kind = CudaSpline::PrefilterMethod::Kind::Coefficients;
  if (descriptor.storage != StorageEnum::Element)
  {
    descriptor.element = CudaSpline::ScalarType::Float32;
  }
  return this->m_Coefficients->GetBufferPointer();
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
template <CudaSpline::Derivatives VDerivatives>
auto
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::EvaluateJet(
  const ContinuousIndexType & index) const -> CudaSpline::Jet<ImageDimension, double>
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
  CudaSpline::Jet<ImageDimension, double>                       jet;
  CudaSpline::CoefficientGrid<ImageDimension, TCoefficientType> grid;
  grid.data = this->m_Coefficients->GetBufferPointer();
  grid.border = static_cast<TCoefficientType>(this->GetBorderValue());
  const auto & region = this->m_Coefficients->GetBufferedRegion();
  TCoordRep    at[ImageDimension];
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    grid.extent.start[d] = region.GetIndex(d);
    grid.extent.size[d] = static_cast<std::int64_t>(region.GetSize(d));
    if (d < CudaSpline::MaximumDimension)
    {
      grid.extension[d] = m_CoefficientMethod.extension[d];
    }
    at[d] = index[d];
    if (!(std::abs(static_cast<double>(at[d])) < 0x1p62)) // NaN, or beyond every index: undefined in ITK
    {
      constexpr double nan = std::numeric_limits<double>::quiet_NaN();
      jet.value = nan;
      std::fill(std::begin(jet.gradient), std::end(jet.gradient), nan);
      std::fill(std::begin(jet.hessian), std::end(jet.hessian), nan);
      return jet;
    }
  }
  CudaSpline::DispatchSplineOrder(this->m_SplineOrder, [&](auto order) {
    CudaSpline::EvaluateOnGrid<VDerivatives>(CudaSpline::SplineBasis<decltype(order)::value>(), grid, at, jet);
  });
  return jet;
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
auto
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::EvaluateAt(
  const ContinuousIndexType & index,
  CovariantVectorType &       derivative) const -> OutputType
{
  const auto   jet = this->template EvaluateJet<CudaSpline::Derivatives::First>(index);
  const auto & spacing = this->GetInputImage()->GetSpacing();
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    derivative[d] = static_cast<typename CovariantVectorType::ValueType>(jet.gradient[d] / spacing[d]);
  }
  if (this->GetUseImageDirection())
  {
    derivative = this->GetInputImage()->TransformLocalVectorToPhysicalVector(derivative);
  }
  return static_cast<OutputType>(jet.value);
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
auto
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::EvaluateHessianAtContinuousIndex(
  const ContinuousIndexType & index) const -> HessianType
{
  const auto   jet = this->template EvaluateJet<CudaSpline::Derivatives::Second>(index);
  const auto * image = this->GetInputImage();
  HessianType  hessian;
  for (unsigned int r = 0; r < ImageDimension; ++r)
  {
    for (unsigned int c = r; c < ImageDimension; ++c)
    {
      hessian(r, c) = jet.hessian[CudaSpline::SymmetricEntry(r, c, ImageDimension)] /
                      (image->GetSpacing()[r] * image->GetSpacing()[c]);
    }
  }
  if (!this->GetUseImageDirection())
  {
    return hessian;
  }
  HessianType rotated;
  const auto  turn = hessian.PreMultiply(image->GetDirection()); // D H
  for (unsigned int r = 0; r < ImageDimension; ++r)
  {
    for (unsigned int c = r; c < ImageDimension; ++c)
    {
      double sum = 0.0;
      for (unsigned int k = 0; k < ImageDimension; ++k)
      {
        sum += turn(r, k) * image->GetDirection()[c][k];
      }
      rotated(r, c) = sum;
    }
  }
  return rotated;
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
auto
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::EvaluateHessian(
  const PointType & point) const -> HessianType
{
  ContinuousIndexType index;
  if (this->GetInputImage() != nullptr) // else EvaluateJet() says what is missing
  {
    static_cast<void>(this->GetInputImage()->TransformPhysicalPointToContinuousIndex(point, index));
  }
  return this->EvaluateHessianAtContinuousIndex(index);
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
auto
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::Evaluate(const PointType & point) const
  -> OutputType
{
  ContinuousIndexType index;
  if (this->GetInputImage() != nullptr) // else EvaluateAtContinuousIndex() says what is missing
  {
    // By the function that image adaptors have too; whether the point is inside is the caller's question.
    static_cast<void>(this->GetInputImage()->TransformPhysicalPointToContinuousIndex(point, index));
  }
  return static_cast<OutputType>(this->template EvaluateJet<CudaSpline::Derivatives::None>(index).value);
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
  return static_cast<OutputType>(this->template EvaluateJet<CudaSpline::Derivatives::None>(index).value);
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
auto
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::EvaluateAtContinuousIndex(
  const ContinuousIndexType & index,
  ThreadIdType                itkNotUsed(threadId)) const -> OutputType
{
  return static_cast<OutputType>(this->template EvaluateJet<CudaSpline::Derivatives::None>(index).value);
}

template <typename TImageType, typename TCoordRep, typename TCoefficientType>
auto
CudaBSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>::EvaluateAtContinuousIndexInternal(
  const ContinuousIndexType & x,
  vnl_matrix<long> &          itkNotUsed(evaluateIndex),
  vnl_matrix<double> &        itkNotUsed(weights)) const -> OutputType
{
  return this->EvaluateAtContinuousIndex(x);
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
  value = this->EvaluateAt(x, derivativeValue);
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
  this->EvaluateAt(x, derivative);
  return derivative;
}

} // namespace itk

#endif
