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
#ifndef itkCudaSplineInterpolateImageFunctionContainers_hxx
#define itkCudaSplineInterpolateImageFunctionContainers_hxx

#include "itkCudaSplineInterpolateImageFunction.h"

/** \file
 * \brief Batches of ITK's containers, and those that no kernel evaluates; read by
 * itkCudaSplineInterpolateImageFunction.hxx. */

namespace itk
{

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TPixel, typename TTraits>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::PointsOf(
  const PointSet<TPixel, ImageDimension, TTraits> * set) -> std::vector<typename TTraits::PointType>
{
  std::vector<typename TTraits::PointType> points; // the container may be a map
  const auto * const                       container = set->GetPoints();
  if (container != nullptr) // a set that was never given any
  {
    points.reserve(container->Size());
    for (auto it = container->Begin(); it != container->End(); ++it)
    {
      points.push_back(it.Value());
    }
  }
  return points;
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TElement>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::ListOf(const std::vector<TElement> & entries,
                                                                                bool physical) -> List
{
  using Number = typename TElement::ValueType;
  static_assert(sizeof(TElement) == ImageDimension * sizeof(Number), "Points are arrays of ImageDimension numbers.");
  return { entries.data(), CudaSpline::ScalarTypeOf<Number>(), entries.size(), physical };
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TValue>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtContinuousIndices(
  const std::vector<ContinuousIndexType> & indices,
  const CudaSplineBatchResults<TValue> &   results) const
{
  this->EvaluateList(ListOf(indices, false), results);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TPoints, typename TValue>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtPoints(
  const TPoints &                        points,
  const CudaSplineBatchResults<TValue> & results) const
{
  const auto & entries = PointsOf(points);
  this->EvaluateList(ListOf(entries, true), results);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtContinuousIndices(
  const std::vector<ContinuousIndexType> & indices,
  OutputType                               defaultValue) const -> std::vector<OutputType>
{
  return this->ValuesOf(ListOf(indices, false), defaultValue);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TPoints>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtPoints(const TPoints & points,
                                                                                          OutputType defaultValue) const
  -> std::vector<OutputType>
{
  const auto & entries = PointsOf(points);
  return this->ValuesOf(ListOf(entries, true), defaultValue);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::ValuesOf(const List & list,
                                                                                  OutputType   defaultValue) const
  -> std::vector<OutputType>
{
  std::vector<OutputType> values(list.count, defaultValue);
  if (this->GetInputImage() == nullptr)
  {
    itkExceptionMacro(<< "There is no image: SetInputImage() must be called first.");
  }
  if (list.count == 0)
  {
    return values;
  }
  if constexpr (CudaSpline::IsSupportedScalar<OutputType>)
  {
    CudaSplineBatchResults<OutputType> results;
    results.values = values.data();
    results.defaultValue = defaultValue;
    this->EvaluateList(list, results);
  }
  else
  {
    this->EvaluateOneByOne(this->DescribeMethod(this->GetInputImage()),
                           list,
                           [this, &values](SizeValueType i, bool inside, const ContinuousIndexType & at) {
                             if (inside)
                             {
                               values[i] = this->EvaluateAtContinuousIndex(at);
                             }
                           });
  }
  return values;
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TTake>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateOneByOne(
  const CudaSplineMethod & method,
  const List &             list,
  const TTake &            take) const
{
  const CudaSplineTrace::Describe describe = [this, &list] { return this->TraceBatch(list.count); };
  CudaSplineTrace                 trace(describe);
  for (SizeValueType i = 0; i < list.count; ++i)
  {
    PointType           point;
    ContinuousIndexType index;
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      const auto at = static_cast<std::int64_t>(i * ImageDimension + d);
      point[d] = CudaSpline::LoadScalar<TCoordRep>(list.points, list.type, at);
      index[d] = point[d];
    }
    if (list.physical)
    {
      this->ConvertPointToContinuousIndex(point, index);
    }
    take(i, this->IsInsideBuffer(index), index);
  }
  const std::lock_guard<std::mutex> lock(m_BatchMutex);
  m_ErrorBound = std::numeric_limits<double>::quiet_NaN();
  m_Backend.RecordSuperclass(WhyNotAccelerated(method));
  trace.Finish(m_Backend);
}

} // namespace itk

#endif
