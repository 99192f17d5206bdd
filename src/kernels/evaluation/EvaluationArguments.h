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

/** \brief Where the continuous indices of the output samples come from. */
enum class Coordinates : unsigned char
{
  Scanlines, ///< interpolated between the ends of scanlines
  Stages,    ///< places of an output grid, moved by a chain of transforms
  Indices,   ///< a list of continuous indices
  Points     ///< a list of places in physical space
};

/** \brief What is evaluated: samples or coefficients. */
template <unsigned int VDimension>
struct SourceArguments
{
  const void *           source; ///< first element, host or device
  ScalarType             element;
  GridExtent<VDimension> extent;
  Extension              extension[VDimension];
  int                    components;   ///< planes of elements, numbers of an output pixel
  std::int64_t           sampleStride; ///< elements from a sample to the next along x: 1 on a device
  std::int64_t           planeStride;  ///< elements from a number of a sample to the next
  float                  scale;        ///< a coefficient is offset + scale * stored
  float                  offset;
  unsigned long long     texture; ///< on a device: of storage Texture, or a GatherTexture of the same samples; 0: none
  const void *           table;   ///< of its weights, host or device
  int                    tableEntries;
  unsigned int           order; ///< of its coefficients
};

/** \brief By which method. */
template <unsigned int VDimension>
struct MethodArguments : InterpolationParameters
{
  EvaluationMode mode;
  double         border;
  double         sigma[VDimension];
  double         cutOff[VDimension];
};

/** \brief Where. */
template <unsigned int VDimension>
struct CoordinateArguments
{
  Coordinates                      coordinates;
  bool                             singleCoordinates;
  double                           lower[VDimension];
  double                           upper[VDimension];
  const ScanlineEnds<VDimension> * ends; ///< of the first scanline of the slab, host or device
  /** About what a step along an axis of the output (second) adds to an index (first). */
  double         steps[VDimension][VDimension];
  double         lineLength;
  std::int64_t   lineOffset;
  const double * alphas;     ///< lineOffset plus sample, by lineLength, of each sample; null: to be divided
  std::int64_t   sliceLines; ///< lines of a slice of the output, by which a device groups them; 0: none
  int            laneAxis;   ///< axis of the output along which neighbours are neighbours in the rows of the input
  MapTiles       tiles;      ///< how a device cuts the output
  std::int64_t   samples;    ///< output samples a line
  std::int64_t   count;      ///< output samples of all lines of the slab
  const void *   points;     ///< of the slab, host or device
  ScalarType     pointType;
  double         origin[VDimension]; ///< of the input
  double         pointToIndex[VDimension][VDimension];
  GridExtent<VDimension>             region; ///< of the output: the first line of the slab is its line firstLine
  std::int64_t                       firstLine;
  double                             outputOrigin[VDimension];
  double                             indexToPoint[VDimension][VDimension];
  const TransformStage<VDimension> * stages; ///< in the order in which points go through them, host or device
  int                                stageCount;

  /** \brief Index of an output sample in the output's grid, of Coordinates::Stages.
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

  /** \brief Place of an output sample in physical space (mm), of Coordinates::Stages.
   *
   * \param[in] line line of the slab
   * \param[in] sample sample of the line
   * \param[out] point its place */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  PlaceOf(std::int64_t line, std::int64_t sample, double (&point)[VDimension]) const
  {
    std::int64_t index[VDimension];
    this->OutputIndexOf(line, sample, index);
    IndexToPoint(outputOrigin, indexToPoint, index, point);
  }

  /** \brief Place of an output sample on its scanline, as a fraction.
   *
   * \param[in] sample sample of the line */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  FractionOf(std::int64_t sample) const
  {
    return alphas != nullptr ? alphas[sample] : static_cast<double>(lineOffset + sample) / lineLength;
  }

  /** \brief Continuous index of a place on a scanline.
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

  /** \brief IndexOf() of Coordinates::Scanlines. */
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

  /** True where an index is within the bounds; NaN is not. */
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

/** \brief What becomes of it, of the slab, host or device. */
template <unsigned int VDimension>
struct OutputArguments
{
  void *                output;
  StoredType            outputType;
  std::uint64_t         defaultPixel;
  const std::uint64_t * defaultPixels; ///< of each component where there are several, host or device
  const void *          extrapolation; ///< samples that continue outside; null where they do not
  ScalarType            extrapolationElement;
  void *                gradients;
  void *                hessians;
  std::uint8_t *        inside;
  double                gradientMap[VDimension][VDimension];
};

/** \brief What an evaluating kernel reads: descriptor and source, with the dimension fixed. Passed by value.
 *
 * Output samples are numbered line by line; those of a list are cut into lines too, of which the last may be short. */
template <unsigned int VDimension>
struct EvaluationArguments
  : SourceArguments<VDimension>
  , MethodArguments<VDimension>
  , CoordinateArguments<VDimension>
  , OutputArguments<VDimension>
{};

/** \brief The arguments that follow from a description of the source and the method; all else is 0. */
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

/** \brief The same of a source that is there. */
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
