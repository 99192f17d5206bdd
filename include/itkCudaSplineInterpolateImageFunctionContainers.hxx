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
 * \brief Batches of ITK's containers; read by itkCudaSplineInterpolateImageFunction.hxx. */

namespace itk
{

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtContinuousIndices(
  const std::vector<ContinuousIndexType> & indices,
  OutputType                               defaultValue) const -> std::vector<OutputType>
{
  return this->EvaluateContainer(indices, defaultValue, false);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtPoints(
  const std::vector<PointType> & points,
  OutputType                     defaultValue) const -> std::vector<OutputType>
{
  return this->EvaluateContainer(points, defaultValue, true);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TIdentifier, typename TPoint>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtPoints(
  const CudaSplineDetail::AnyVectorContainer<TIdentifier, TPoint> * points,
  OutputType                                                        defaultValue) const -> std::vector<OutputType>
{
  return this->EvaluateContainer(points->CastToSTLConstContainer(), defaultValue, true);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TPixel, typename TTraits>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtPoints(
  const PointSet<TPixel, ImageDimension, TTraits> * points,
  OutputType                                        defaultValue) const -> std::vector<OutputType>
{
  std::vector<typename TTraits::PointType> list; // the container may be a map
  const auto * const                       container = points->GetPoints();
  list.reserve(container->Size());
  for (auto it = container->Begin(); it != container->End(); ++it)
  {
    list.push_back(it.Value());
  }
  return this->EvaluateContainer(list, defaultValue, true);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TElement>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateContainer(
  const std::vector<TElement> & list,
  OutputType                    defaultValue,
  bool                          physical) const -> std::vector<OutputType>
{
  using Number = typename TElement::ValueType;
  static_assert(sizeof(TElement) == ImageDimension * sizeof(Number), "Points are arrays of ImageDimension numbers.");
  std::vector<OutputType> values(list.size(), defaultValue);
  if (this->GetInputImage() == nullptr)
  {
    itkExceptionMacro(<< "There is no image: SetInputImage() must be called first.");
  }
  if (list.empty())
  {
    return values;
  }
  if constexpr (CudaSpline::IsSupportedScalar<OutputType>)
  {
    CudaSplineBatchResults<OutputType> results;
    results.values = values.data();
    results.defaultValue = defaultValue;
    this->EvaluateList({ list.front().GetDataPointer(), CudaSpline::ScalarTypeOf<Number>(), list.size(), physical },
                       results);
  }
  else
  {
    const CudaSplineTrace::Describe describe = [this, &list] { return this->TraceBatch(list.size()); };
    CudaSplineTrace                 trace(describe);
    for (std::size_t i = 0; i < list.size(); ++i)
    {
      ContinuousIndexType index;
      PointType           point;
      for (unsigned int d = 0; d < ImageDimension; ++d)
      {
        index[d] = static_cast<TCoordRep>(list[i][d]);
        point[d] = static_cast<TCoordRep>(list[i][d]);
      }
      if (physical)
      {
        this->ConvertPointToContinuousIndex(point, index);
      }
      if (this->IsInsideBuffer(index))
      {
        values[i] = this->EvaluateAtContinuousIndex(index);
      }
    }
    const std::lock_guard<std::mutex> lock(m_BatchMutex);
    m_Backend.RecordSuperclass(WhyNotAccelerated(this->DescribeMethod(this->GetInputImage())));
    trace.Finish(m_Backend);
  }
  return values;
}

} // namespace itk

#endif
