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
#ifndef itkCudaResampleImageFilterCoordinates_hxx
#define itkCudaResampleImageFilterCoordinates_hxx

#include "itkCudaResampleImageFilter.h"
#include "itkCudaSpline/itk/TransformDescriber.h"

#include <type_traits>

namespace itk
{

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
bool
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::IsLinear()
  const
{
  return this->GetTransform()->GetTransformCategory() == Superclass::TransformType::TransformCategoryEnum::Linear;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
bool
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::DescribeChain(
  CudaSpline::TransformChain & chain) const
{
  // Of float precision ITK rounds points and indices on the way, which only its own functions do alike.
  if constexpr (IsAccelerated && InputDimension == OutputDimension &&
                std::is_same<TInterpolatorPrecisionType, double>::value &&
                std::is_same<TTransformPrecisionType, double>::value)
  {
    if (!CudaSplineDetail::TransformDescriber<InputDimension>::Append(this->GetTransform(), chain))
    {
      return false;
    }
    this->DescribeGrids(chain);
    return true;
  }
  else
  {
    (void)chain;
    return false;
  }
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::DescribeGrids(
  CudaSpline::TransformChain & chain) const
{
  if constexpr (IsAccelerated && InputDimension == OutputDimension) // no others are asked
  {
    CudaSpline::TransformChain::Matrix unused{};
    CudaSplineDetail::DescribeAxes<InputDimension>(this->GetInput(), chain.inputOrigin, unused, chain.pointToIndex);
    CudaSplineDetail::DescribeAxes<OutputDimension>(this->GetOutput(), chain.outputOrigin, chain.indexToPoint, unused);
    const auto & wanted = this->GetOutput()->GetRequestedRegion();
    for (unsigned int d = 0; d < OutputDimension; ++d)
    {
      chain.regionStart[d] = wanted.GetIndex(d);
      chain.regionSize[d] = static_cast<std::int64_t>(wanted.GetSize(d));
    }
  }
  else
  {
    (void)chain;
  }
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::MapIndex(
  const typename TOutputImage::IndexType & index,
  double *                                 at) const
{
  using InputPoint =
    Point<CudaSplineDetail::ScanlinePointPrecision<TInterpolatorPrecisionType, TTransformPrecisionType>,
          InputDimension>;
  typename Superclass::OutputPointType outputPoint;
  this->GetOutput()->TransformIndexToPhysicalPoint(index, outputPoint);
  InputPoint inputPoint;
  inputPoint = this->GetTransform()->TransformPoint(outputPoint);
  // By the function that images with special coordinates have too; whether the point is inside is asked elsewhere.
  ContinuousIndex<TInterpolatorPrecisionType, InputDimension> inputIndex;
  static_cast<void>(this->GetInput()->TransformPhysicalPointToContinuousIndex(inputPoint, inputIndex));
  for (unsigned int d = 0; d < InputDimension; ++d)
  {
    at[d] = inputIndex[d];
  }
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
typename TOutputImage::IndexType
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::StartOfLine(
  std::int64_t line) const
{
  const auto & wanted = this->GetOutput()->GetRequestedRegion();
  auto         index = wanted.GetIndex();
  for (unsigned int d = 1; d < OutputDimension; ++d)
  {
    const auto size = static_cast<std::int64_t>(wanted.GetSize(d));
    index[d] += static_cast<IndexValueType>(line % size);
    line /= size;
  }
  return index;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::MapLines(
  std::int64_t first,
  std::int64_t lines,
  double *     indices) const
{
  const SizeValueType samples = this->GetOutput()->GetRequestedRegion().GetSize(0);
  for (std::int64_t line = first; line < first + lines; ++line)
  {
    auto index = this->StartOfLine(line);
    for (SizeValueType sample = 0; sample < samples; ++sample, ++index[0], indices += InputDimension)
    {
      this->MapIndex(index, indices);
    }
  }
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
std::unique_ptr<double[]>
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::MapScanlines(
  const CudaSpline::ExecutionContext & context) const
{
  const auto wanted = this->GetOutput()->GetRequestedRegion();
  const auto largest = this->GetOutput()->GetLargestPossibleRegion();

  auto lines = wanted;
  lines.SetSize(0, 1);
  const auto count = static_cast<std::int64_t>(lines.GetNumberOfPixels());
  // Not a vector: this thread would write all of it first.
  std::unique_ptr<double[]> ends(new double[static_cast<std::size_t>(count) * 2 * InputDimension]);
  // Whatever a transform of the category Linear computes, the indices are the same to the bit.
  context.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line)
    {
      double * const at = ends.get() + static_cast<std::size_t>(line) * 2 * InputDimension;
      auto           index = this->StartOfLine(line);
      index[0] = largest.GetIndex(0);
      this->MapIndex(index, at);
      index[0] += static_cast<IndexValueType>(largest.GetSize(0));
      this->MapIndex(index, at + InputDimension);
    }
  });
  return ends;
}

} // namespace itk

#endif
