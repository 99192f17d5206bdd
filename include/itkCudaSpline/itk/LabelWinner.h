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
#ifndef itkCudaSpline_itk_LabelWinner_h
#define itkCudaSpline_itk_LabelWinner_h

#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/SingleEvaluation.h"
#include "itkCudaSpline/math/LinearEvaluation.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include "itkInterpolateImageFunction.h"

#include <algorithm>
#include <cstdint>

/** \file
 * \brief The label of a point: the label whose interpolated indicator is largest. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief The label with the largest indicator among the labels of a support: the smallest of several such labels, and
 * 0 if no value is above 0.
 *
 * \param[in] labels labels of the support's samples
 * \param[in] value function that returns the interpolated value of the indicator of a label in the support */
template <typename TLabel, unsigned int VCount, typename TValue>
TLabel
WinnerOf(const TLabel (&labels)[VCount], const TValue & value)
{
  TLabel winner{};
  double largest = 0.0;
  bool   isDone[VCount] = {};
  for (unsigned int first = 0; first < VCount; ++first)
  {
    if (isDone[first])
    {
      continue;
    }
    double       indicator[VCount];
    unsigned int count = 0;
    for (unsigned int k = 0; k < VCount; ++k)
    {
      const bool is = labels[k] == labels[first];
      indicator[k] = is ? 1.0 : 0.0;
      isDone[k] = isDone[k] || is;
      count += is ? 1 : 0;
    }
    if (count == VCount)
    {
      return labels[first]; // the only label: its indicator is 1
    }
    const double here = value(indicator);
    if (here > largest || (here == largest && here > 0.0 && labels[first] < winner))
    {
      largest = here;
      winner = labels[first];
    }
  }
  return winner;
}

/** \brief The label with the largest indicator in linear interpolation, with ITK's arithmetic, so that ties are broken
 * as in ITK.
 *
 * \param[in] image scalar image of labels
 * \param[in] at continuous index (samples), inside the buffer */
template <typename TImage, typename TCoordinate>
typename TImage::PixelType
LinearLabelWinner(const TImage * image, const TCoordinate (&at)[TImage::ImageDimension])
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  const auto             extent = ExtentOf(image);
  // The corners of the cell, as LinearValue() finds them. A neighbour without a weight gets the label of the lower one.
  CudaSpline::Extension             extension[dimension];
  CudaSpline::GridExtent<dimension> cell;
  std::int64_t                      start[dimension];
  for (unsigned int d = 0; d < dimension; ++d)
  {
    extension[d] = CudaSpline::Extension::Nearest;
    cell.start[d] = std::max(CudaSpline::FloorIndex(at[d]), extent.start[d]);
    cell.size[d] = 2;
    start[d] = cell.start[d] - extent.start[d];
  }
  typename TImage::PixelType labels[SupportSize<dimension, 2>()];
  ForEachOfSupport<2>(
    image, start, extension, [&](unsigned int place, std::int64_t offset) { labels[place] = PixelAt(image, offset); });
  return WinnerOf(labels, [&](const double * indicator) { return CudaSpline::LinearValue(indicator, cell, at); });
}

/** \brief An interpolator that only calls LinearLabelWinner(). The resampling filter uses it instead of ITK's
 * LabelImageGenericInterpolateImageFunction, which makes an image for each label.
 *
 * \tparam TImage scalar image of labels
 * \tparam TCoordinate float or double */
template <typename TImage, typename TCoordinate>
class LinearLabelInterpolateImageFunction : public InterpolateImageFunction<TImage, TCoordinate>
{
public:
  /** Types of ITK's conventions. */
  ///@{
  using Self = LinearLabelInterpolateImageFunction;
  using Superclass = InterpolateImageFunction<TImage, TCoordinate>;
  using Pointer = SmartPointer<Self>;
  using OutputType = typename Superclass::OutputType;
  using ContinuousIndexType = typename Superclass::ContinuousIndexType;
  using SizeType = typename Superclass::SizeType;
  ///@}

  /** Creates an object. Object factories are not used for this class. */
  itkCudaSplineFactorylessNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(LinearLabelInterpolateImageFunction, InterpolateImageFunction);

  /** The label at a continuous index inside the buffer. */
  OutputType
  EvaluateAtContinuousIndex(const ContinuousIndexType & index) const override
  {
    TCoordinate at[TImage::ImageDimension];
    return CopyIndex(index, at) ? static_cast<OutputType>(LinearLabelWinner(this->GetInputImage(), at))
                                : NumericTraits<OutputType>::ZeroValue();
  }

  /** One sample in each direction. */
  SizeType
  GetRadius() const override
  {
    return SizeType::Filled(1);
  }

protected:
  LinearLabelInterpolateImageFunction() = default;
  ~LinearLabelInterpolateImageFunction() override = default;
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
