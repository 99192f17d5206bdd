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
#ifndef itkCudaSpline_itk_ScanlineMapper_h
#define itkCudaSpline_itk_ScanlineMapper_h

#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/kernels/common/Execution.h"

#include "itkContinuousIndex.h"
#include "itkPoint.h"
#include "itkTransform.h"

#include <cstddef>
#include <cstdint>
#include <memory>

/** \file
 * \brief Maps the samples of an output to points of an input with ITK's own functions. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Index of the first sample of a scanline of a region.
 *
 * \param[in] region the region
 * \param[in] line number of the line, in memory order */
template <typename TRegion>
typename TRegion::IndexType
StartOfLine(const TRegion & region, std::int64_t line)
{
  auto index = region.GetIndex();
  for (unsigned int d = 1; d < TRegion::ImageDimension; ++d)
  {
    const auto size = static_cast<std::int64_t>(region.GetSize(d));
    index[d] += static_cast<IndexValueType>(line % size);
    line /= size;
  }
  return index;
}

/** \brief Maps samples of an output's requested region into an input, in ITK's order and with ITK's roundings.
 *
 * The indices are bitwise equal to those of itk::ResampleImageFilter for any transform. Several threads may use an
 * object at the same time if the transform allows it.
 *
 * \tparam TCoordinate coordinate type of the interpolator
 * \tparam TTransformPrecision scalar type of the transform */
template <typename TInputImage, typename TOutputImage, typename TCoordinate, typename TTransformPrecision>
class ScanlineMapper
{
public:
  /** Type of the transform, which maps points of the output to points of the input. */
  using TransformType = Transform<TTransformPrecision, TOutputImage::ImageDimension, TInputImage::ImageDimension>;

  /** \param[in] input, output their geometry is read, and the output's regions
   * \param[in] transform the transform */
  ScanlineMapper(const TInputImage * input, const TOutputImage * output, const TransformType * transform)
    : m_Input(input)
    , m_Output(output)
    , m_Transform(transform)
  {}

  /** \brief Continuous input index of an output sample.
   *
   * \param[in] index index of the sample
   * \param[out] at one number per axis of the input */
  void
  MapIndex(const typename TOutputImage::IndexType & index, double * at) const
  {
    using InputPoint = Point<ScanlinePointPrecision<TCoordinate, TTransformPrecision>, InputDimension>;
    typename TOutputImage::PointType outputPoint;
    m_Output->TransformIndexToPhysicalPoint(index, outputPoint);
    InputPoint inputPoint;
    inputPoint = m_Transform->TransformPoint(outputPoint);
    // This function also exists for images with special coordinates. Whether the point is inside is tested elsewhere.
    ContinuousIndex<TCoordinate, InputDimension> inputIndex;
    static_cast<void>(m_Input->TransformPhysicalPointToContinuousIndex(inputPoint, inputIndex));
    for (unsigned int d = 0; d < InputDimension; ++d)
    {
      at[d] = inputIndex[d];
    }
  }

  /** \brief Continuous input indices of all samples of some requested lines.
   *
   * \param[in] first number of the first line
   * \param[in] lines number of lines
   * \param[out] indices one number per axis of the input for each sample */
  void
  MapLines(std::int64_t first, std::int64_t lines, double * indices) const
  {
    const auto & wanted = m_Output->GetRequestedRegion();
    for (std::int64_t line = first; line < first + lines; ++line)
    {
      auto index = StartOfLine(wanted, line);
      for (SizeValueType sample = 0; sample < wanted.GetSize(0); ++sample, ++index[0], indices += InputDimension)
      {
        this->MapIndex(index, indices);
      }
    }
  }

  /** \brief Continuous input indices of both ends of every requested scanline, where each scanline extends over the
   * largest possible region.
   *
   * \param[in] context threads
   * \return lines x (start, end) x axes of the input */
  std::unique_ptr<double[]>
  MapScanlines(const CudaSpline::ExecutionContext & context) const
  {
    const auto & wanted = m_Output->GetRequestedRegion();
    const auto & largest = m_Output->GetLargestPossibleRegion();
    auto         lines = wanted;
    lines.SetSize(0, 1);
    const auto count = static_cast<std::int64_t>(lines.GetNumberOfPixels());
    // Not a std::vector: this thread would first write all its elements.
    std::unique_ptr<double[]> ends(new double[static_cast<std::size_t>(count) * 2 * InputDimension]);
    const auto                map = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t line = begin; line < end; ++line)
      {
        double * const at = ends.get() + static_cast<std::size_t>(line) * 2 * InputDimension;
        auto           index = StartOfLine(wanted, line);
        index[0] = largest.GetIndex(0);
        this->MapIndex(index, at);
        index[0] += static_cast<IndexValueType>(largest.GetSize(0));
        this->MapIndex(index, at + InputDimension);
      }
    };
    constexpr std::int64_t few = 512; // this thread maps them before another one is awake: 0.1 ms
    if (count < few)
    {
      map(0, count);
    }
    else
    {
      context.ParallelFor(count, map);
    }
    return ends;
  }

private:
  static constexpr unsigned int InputDimension = TInputImage::ImageDimension;

  const TInputImage *   m_Input;
  const TOutputImage *  m_Output;
  const TransformType * m_Transform;
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
