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
#ifndef EvaluationArguments_h
#define EvaluationArguments_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/evaluation/Interpolation.h"
#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/StoredType.h"
#include "itkCudaSpline/math/TransformStage.h"

#include "kernels/evaluation/MapTiles.h"

namespace itk::CudaSpline
{

/** \brief The source of the continuous indices of the output samples. */
enum class Coordinates : unsigned char
{
  Scanlines, ///< interpolated between the ends of scanlines
  Stages,    ///< points of an output grid, mapped by a chain of transforms
  Indices,   ///< a list of continuous indices
  Points     ///< a list of points in physical space
};

/** \brief The samples or coefficients to evaluate. */
template <unsigned int VDimension>
struct SourceArguments
{
  const void *           source; ///< first element, host or device
  ScalarType             element;
  GridExtent<VDimension> extent;
  Extension              extension[VDimension];
  int                    components;   ///< planes of elements, components of an output pixel
  std::int64_t           sampleStride; ///< distance of adjacent samples along x (elements): 1 on a device
  std::int64_t           planeStride;  ///< distance of the components of a sample (elements)
  float                  scale;        ///< a coefficient is offset + scale * stored
  float                  offset;
  /** On a device: of storage Texture, or a GatherTexture of the same samples; 0: no texture. */
  unsigned long long texture;
  const void *       table; ///< table of weights of the texture modes, host or device
  int                tableEntries;
  unsigned int       order; ///< order of its coefficients
};

/** \brief The interpolation method. */
template <unsigned int VDimension>
struct MethodArguments : InterpolationParameters
{
  EvaluationMode mode;
  double         border;
  double         sigma[VDimension];
  double         cutOff[VDimension];
};

/** \brief The coordinates of the output samples. */
template <unsigned int VDimension>
struct CoordinateArguments
{
  Coordinates                      coordinates;
  bool                             singleCoordinates;
  double                           lower[VDimension];
  double                           upper[VDimension];
  const ScanlineEnds<VDimension> * ends; ///< ends of the first scanline of the slab, host or device
  /** Approximate change of an index (first) for a step along an axis of the output (second). */
  double                 steps[VDimension][VDimension];
  double                 lineLength;
  std::int64_t           lineOffset;
  const double *         alphas;     ///< (lineOffset + sample) / lineLength for each sample; null: must be computed
  std::int64_t           sliceLines; ///< lines of a slice of the output, with which a device groups lines; 0: no slices
  int                    laneAxis; ///< axis of the output along which neighbours are adjacent in the rows of the input
  MapTiles               tiles;    ///< tiles into which a device divides the output
  std::int64_t           samples;  ///< output samples per line
  std::int64_t           count;    ///< output samples of all lines of the slab
  const void *           points;   ///< points of the slab, host or device
  ScalarType             pointType;
  double                 origin[VDimension]; ///< origin of the input
  double                 pointToIndex[VDimension][VDimension];
  GridExtent<VDimension> region; ///< region of the output: the first line of the slab is its line firstLine
  std::int64_t           firstLine;
  double                 outputOrigin[VDimension];
  double                 indexToPoint[VDimension][VDimension];
  const TransformStage<VDimension> * stages; ///< in the order in which they map points, host or device
  int                                stageCount;

  /** \brief Index of an output sample in the output's grid, for Coordinates::Stages.
   *
   * \param[in] line line of the slab
   * \param[in] sample sample of the line
   * \param[out] index its index */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  OutputIndexOf(std::int64_t line, std::int64_t sample, std::int64_t (&index)[VDimension]) const
  {
    std::int64_t rest = firstLine + line;
    index[0] = region.start[0] + sample;
    for (unsigned int d = 1; d < VDimension; ++d)
    {
      index[d] = region.start[d] + rest % region.size[d];
      rest /= region.size[d];
    }
  }

  /** \brief Point of an output sample in physical space (mm), for Coordinates::Stages.
   *
   * \param[in] line line of the slab
   * \param[in] sample sample of the line
   * \param[out] point its point */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  PlaceOf(std::int64_t line, std::int64_t sample, double (&point)[VDimension]) const
  {
    std::int64_t index[VDimension];
    this->OutputIndexOf(line, sample, index);
    IndexToPoint(outputOrigin, indexToPoint, index, point);
  }

  /** \brief Position of an output sample on its scanline, as a fraction.
   *
   * \param[in] sample sample of the line */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  FractionOf(std::int64_t sample) const
  {
    return alphas != nullptr ? alphas[sample] : static_cast<double>(lineOffset + sample) / lineLength;
  }

  /** \brief Continuous index of a position on a scanline.
   *
   * \param[in] line line of the slab
   * \param[in] alpha FractionOf() a sample
   * \param[out] index continuous index */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  ScanlineIndexAt(std::int64_t line, double alpha, double (&index)[VDimension]) const
  {
    if (singleCoordinates)
    {
      ends[line].template AtFraction<float>(alpha, index);
    }
    else
    {
      ends[line].template AtFraction<double>(alpha, index);
    }
  }

  /** \brief IndexOf() for Coordinates::Scanlines. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  ScanlineIndexOf(std::int64_t line, std::int64_t sample, double (&index)[VDimension]) const
  {
    this->ScanlineIndexAt(line, this->FractionOf(sample), index);
  }

  /** \brief Continuous index of an output sample.
   *
   * \param[in] line line of the slab
   * \param[in] sample sample of the line
   * \param[out] index continuous index */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  IndexOf(std::int64_t line, std::int64_t sample, double (&index)[VDimension]) const
  {
    if (coordinates == Coordinates::Scanlines)
    {
      this->ScanlineIndexOf(line, sample, index);
      return;
    }
    double point[VDimension];
    if (coordinates == Coordinates::Stages)
    {
      this->PlaceOf(line, sample, point);
      WalkStages(stages, stageCount, point);
      PointToContinuousIndex(origin, pointToIndex, point, index);
      return;
    }
    const std::int64_t at = (line * samples + sample) * VDimension;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      point[d] = pointType == ScalarType::Float32 ? static_cast<double>(static_cast<const float *>(points)[at + d])
                                                  : static_cast<const double *>(points)[at + d];
      index[d] = point[d];
    }
    if (coordinates == Coordinates::Points)
    {
      PointToContinuousIndex(origin, pointToIndex, point, index);
    }
    if (singleCoordinates)
    {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        index[d] = RoundedTo<float>(index[d]);
      }
    }
  }

  /** True if an index is within the bounds; NaN is not. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  IsInside(const double (&index)[VDimension]) const
  {
    bool within = true;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      within = within && index[d] >= lower[d] && index[d] < upper[d];
    }
    return within;
  }
};

/** \brief The output of a slab, host or device. */
template <unsigned int VDimension>
struct OutputArguments
{
  void *                output;
  StoredType            outputType;
  std::uint64_t         defaultPixel;
  const std::uint64_t * defaultPixels; ///< one per component if there are several, host or device
  const void *          extrapolation; ///< samples for the values outside; null: not used
  ScalarType            extrapolationElement;
  void *                gradients;
  void *                hessians;
  std::uint8_t *        inside;
  double                gradientMap[VDimension][VDimension];
};

/** \brief The arguments of an evaluating kernel: descriptor and source, with compile-time dimension. Passed by value.
 *
 * Output samples are numbered line by line. A list is also divided into lines, of which the last one may be short. */
template <unsigned int VDimension>
struct EvaluationArguments
  : SourceArguments<VDimension>
  , MethodArguments<VDimension>
  , CoordinateArguments<VDimension>
  , OutputArguments<VDimension>
{};

/** \brief The arguments that follow from a description of the source and the method; all others are 0. */
template <unsigned int VDimension>
EvaluationArguments<VDimension>
DescribeEvaluation(const InterpolationDescriptor & method, const SourceDescriptor & samples)
{
  EvaluationArguments<VDimension> arguments{};
  arguments.element = samples.element;
  arguments.components = static_cast<int>(samples.components);
  arguments.sampleStride = samples.isInterleaved ? arguments.components : 1;
  arguments.planeStride = samples.isInterleaved ? 1 : samples.Count();
  arguments.tableEntries = samples.tableEntries;
  arguments.order = samples.order;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    arguments.extent.start[d] = samples.start[d];
    arguments.extent.size[d] = samples.size[d];
    arguments.extension[d] = samples.extension[d];
    arguments.lower[d] = method.lower[d];
    arguments.upper[d] = method.upper[d];
    arguments.sigma[d] = method.sigma[d];
    arguments.cutOff[d] = method.cutOff[d];
  }
  arguments.mode = method.mode;
  arguments.border = method.border;
  static_cast<InterpolationParameters &>(arguments) = method;
  arguments.singleCoordinates = method.singleCoordinates;
  return arguments;
}

/** \brief The same for an existing source. */
template <unsigned int VDimension>
EvaluationArguments<VDimension>
MakeEvaluationArguments(const InterpolationDescriptor & method, const SampleSource & source)
{
  auto arguments = DescribeEvaluation<VDimension>(method, source.GetDescriptor());
  arguments.source = source.GetData();
  arguments.scale = source.GetScale().scale;
  arguments.offset = source.GetScale().offset;
  arguments.texture = source.GetTexture().object;
  arguments.table = source.GetTexture().table;
  return arguments;
}

} // namespace itk::CudaSpline

#endif
