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
#ifndef MetricArguments_h
#define MetricArguments_h

#include "itkCudaSpline/kernels/metrics/Metric.h"

#include "kernels/evaluation/InterpolationMethods.h"
#include "kernels/metrics/samples/PassNumbers.h"
#include "kernels/transforms/FieldAtSamples.h"
#include "kernels/transforms/OutputSamples.h"
#include "kernels/transforms/TransformStages.h"

#include <algorithm>
#include <cstdint>
#include <limits>

/** \file
 * \brief The arguments of the kernels of a metric. */

namespace itk::CudaSpline
{

/** \brief Maximum number of linear stages in the arguments; longer chains, and other stages, are read from memory. */
inline constexpr int MetricMaps = 3;

/** \brief How the samples of a pass are mapped. A kernel that calls the function for stages of every kind needs as many
 * registers per thread as that function, and thus has few threads. */
enum class SampleMove : unsigned char
{
  Affine, ///< by affine stages
  Field,  ///< by a field's vectors at the samples (LeadsByField()), and a few affine stages
  Any,    ///< by stages of any kind
  /** The same, and gradients are multiplied with the Jacobians of the following stages, if the arguments request it. */
  AnyWithJacobian
};

/** \brief The arguments of a kernel of a metric, with compile-time dimension. Passed by value. */
template <unsigned int VDimension>
struct MetricArguments : PassNumbers
{
  EvaluationArguments<VDimension> moving;  ///< source, method, bounds, virtual grid, stages, moving image's grid
  std::int64_t                    count;   ///< number of samples
  bool                            nearest; ///< for PlainValues: nearest neighbour, else linear
  MetricGradient                  gradientFrom;
  bool                            singleMoving;
  bool                            singleFixed;
  void *                          kept; ///< moving values that a pass stores or reads, float or double; null: neither
  /** Flags that a pass which stores values sets to 1 for valid samples; null: not stored. */
  std::uint8_t *             valid;
  const void *               fixed; ///< elements of the same type as those of \c moving
  const std::uint8_t *       inside;
  const double *             points;
  const void *               gradient; ///< with the extent of the moving image
  double                     halfSpacing[VDimension];
  double                     centre[VDimension];
  std::int64_t               stride;                 ///< of a step of a cursor, in samples
  double                     step[VDimension];       ///< the same for each axis, without carries
  double                     regionSize[VDimension]; ///< size of the virtual grid, and its ends
  double                     regionEnd[VDimension];
  AffineMap<VDimension>      maps[MetricMaps]; ///< the stages, except for a leading field
  int                        mapCount;         ///< negative: the stages of \c moving are used instead
  FieldAtSamples<VDimension> leading;          ///< a field before these stages
  const std::uint8_t *       mask;
  GridExtent<VDimension>     maskExtent;
  double                     maskOrigin[VDimension];
  double                     maskPointToIndex[VDimension][VDimension];
  AffineMap<VDimension>      maskMap;
  /** MetricDescriptor::CountFront(); negative: gradients are not multiplied with Jacobians. */
  int front;

  /** \brief Sets the step of MetricCursor::Advance().
   *
   * \param[in] by samples of a step, 1 or more */
  void
  SetStride(std::int64_t by)
  {
    stride = by;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      step[d] = static_cast<double>(d + 1 == VDimension ? by : by % moving.region.size[d]);
      by /= moving.region.size[d];
    }
  }

  /** \brief Stores the moving value of a sample if requested.
   *
   * \param[in] slot its position among the values
   * \param[in] value rounded to float if \c singleMoving is true */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Keep(std::int64_t slot, double value) const
  {
    if (kept != nullptr)
    {
      if (singleMoving)
      {
        static_cast<float *>(kept)[slot] = static_cast<float>(value);
      }
      else
      {
        static_cast<double *>(kept)[slot] = value;
      }
    }
  }

  /** \brief Stores that a sample is valid if requested. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Mark(std::int64_t slot) const
  {
    if (valid != nullptr)
    {
      valid[slot] = 1;
    }
  }

  /** \brief A value stored with Keep(). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  Kept(std::int64_t slot) const
  {
    return singleMoving ? static_cast<double>(static_cast<const float *>(kept)[slot])
                        : static_cast<const double *>(kept)[slot];
  }

  /** \brief Sets the displacements of a leading field for kernels.
   *
   * \param[in] stage the first stage; its samples are those of the virtual grid */
  void
  Lead(const TransformStage<VDimension> & stage)
  {
    leading = { stage.data, stage.singleData };
  }

  /** \brief Maps a sample of the virtual domain into the moving image's space (mm).
   *
   * \param[in] sample its number, for Field
   * \param[in] place its point in the virtual domain
   * \param[out] moved its point in the moving image's space */
  template <SampleMove VMove>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Move(std::int64_t sample, const double (&place)[VDimension], double (&moved)[VDimension]) const
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      moved[d] = place[d];
    }
    if constexpr (VMove == SampleMove::Any || VMove == SampleMove::AnyWithJacobian)
    {
      double walked[VDimension]; // a copy: on a device an array whose address is passed to a function is in memory
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        walked[d] = place[d];
      }
      WalkStages(moving.stages, moving.stageCount, walked);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        moved[d] = walked[d];
      }
    }
    else
    {
      if constexpr (VMove == SampleMove::Field)
      {
        leading.Move(sample, moved);
      }
      const auto apply = [&moved](const AffineMap<VDimension> & map) {
        double from[VDimension];
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          from[d] = moved[d];
        }
        map.Apply(from, moved);
      };
      for (int map = 0; map < mapCount; ++map)
      {
        apply(maps[map]);
      }
      for (int stage = 0; VMove == SampleMove::Affine && mapCount < 0 && stage < moving.stageCount; ++stage)
      {
        apply(moving.stages[stage].map);
      }
    }
  }

  /** \brief Whether the moving mask includes a point of the moving image's space: the rounded index of
   * itk::ImageMaskSpatialObject. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_DEVICE_INLINE bool
  MaskAdmits(const double (&place)[VDimension]) const
  {
    double own[VDimension];
    double index[VDimension];
    maskMap.Apply(place, own);
    PointToContinuousIndex(maskOrigin, maskPointToIndex, own, index);
    std::int64_t offset = 0;
    std::int64_t voxels = 1;
    bool         within = true;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      // Beyond any index, where rounding is undefined.
      const bool         known = index[d] >= -0x1p52 && index[d] <= 0x1p52;
      const std::int64_t at = known ? NearestIndex(index[d]) - maskExtent.start[d] : -1;
      within = within && at >= 0 && at < maskExtent.size[d];
      offset += at * voxels;
      voxels *= maskExtent.size[d];
    }
    return within && mask[offset] != 0;
  }
};

/** \brief A sample of a metric, and its index if samples are those of a grid.
 *
 * Steps between samples are additions of doubles, in which all indices are exact. Divisions and conversions of integers
 * are needed only at the start. */
template <unsigned int VDimension>
struct MetricCursor
{
  std::int64_t sample;            ///< number of the sample
  double       index[VDimension]; ///< in the grid

  /** \param[in] arguments the grid
   * \param[in] first number of the first sample */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  MetricCursor(const MetricArguments<VDimension> & arguments, std::int64_t first)
    : sample(first)
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const std::int64_t size = arguments.moving.region.size[d];
      // The slowest axis has the remainder: for a list there is no carry.
      index[d] = static_cast<double>(arguments.moving.region.start[d] + (d + 1 == VDimension ? first : first % size));
      first /= size;
    }
  }

  /** The same if all numbers fit 32 bits, which a device divides much faster. The index is 0 if points are those of a
   * list. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  MetricCursor(const MetricArguments<VDimension> & arguments, std::uint32_t first)
    : sample(first)
    , index{}
  {
    for (unsigned int d = 0; d < VDimension && arguments.points == nullptr; ++d)
    {
      const auto          size = static_cast<std::uint32_t>(arguments.moving.region.size[d]);
      const std::uint32_t at = d + 1 == VDimension ? first : first % size;
      index[d] = static_cast<double>(arguments.moving.region.start[d] + static_cast<std::int64_t>(at));
      first /= size;
    }
  }

  /** Advances by a step of MetricArguments::SetStride(). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Advance(const MetricArguments<VDimension> & arguments)
  {
    sample += arguments.stride;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      index[d] += arguments.step[d];
      if (d + 1 < VDimension && index[d] >= arguments.regionEnd[d])
      {
        index[d] -= arguments.regionSize[d];
        index[d + 1] += 1.0;
      }
    }
  }

  /** Point of the sample in the virtual domain (mm): IndexToPoint(), or that of the list. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  PlaceIn(const MetricArguments<VDimension> & arguments, double (&place)[VDimension]) const
  {
    const auto & moving = arguments.moving;
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      if (arguments.points != nullptr)
      {
        place[r] = arguments.points[sample * VDimension + r];
        continue;
      }
      place[r] = moving.outputOrigin[r];
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        place[r] = RoundedSum(place[r], RoundedProduct(moving.indexToPoint[r][c], index[c]));
      }
    }
  }
};

/** \brief Whether gradients are multiplied with the Jacobians of the stages after that of the derivative; see
 * DemonsPass. */
inline bool
ComesBack(const MetricDescriptor & descriptor)
{
  return !IsPass<DemonsPass>(descriptor.pass);
}

/** \brief Whether a chain is a field on the virtual grid, whose vectors need no interpolation, followed by a few affine
 * stages. */
inline bool
LeadsByField(const MetricDescriptor & descriptor, const MetricSources & sources)
{
  const auto & chain = descriptor.chain;
  if (sources.points != nullptr || chain.stages.empty() || chain.stages.size() > 1 + MetricMaps)
  {
    return false;
  }
  const TransformChain::Stage & field = chain.stages[0];
  return field.kind == TransformKind::DisplacementField && descriptor.IsAffineFrom(1) &&
         AreOutputSamples(chain, descriptor.dimension, field.origin, field.pointToIndex, field.start, field.size);
}

/** \brief The arguments that follow from descriptor and sources. The caller must set the stages of longer chains, and
 * the displacements of a leading field. */
template <unsigned int VDimension>
MetricArguments<VDimension>
MakeMetricArguments(const MetricDescriptor & descriptor, const MetricSources & sources)
{
  MetricArguments<VDimension> arguments{};
  arguments.moving = MakeEvaluationArguments<VDimension>(descriptor.interpolation, *sources.moving);
  SetGrids(descriptor.chain, arguments.moving);
  arguments.count = CountMetricSamples(sources);
  arguments.front =
    descriptor.HasOuterJacobian() && ComesBack(descriptor) ? static_cast<int>(descriptor.CountFront()) : -1;
  arguments.nearest = descriptor.interpolation.interpolation == Interpolation::Nearest;
  arguments.SetPass(descriptor.pass);
  arguments.gradientFrom = descriptor.gradient;
  arguments.singleMoving = descriptor.singleMoving;
  arguments.singleFixed = descriptor.singleFixed;
  arguments.fixed = sources.fixed->GetData();
  const auto dataOf = [](const std::shared_ptr<const SampleSource> & source) {
    return source != nullptr ? source->GetData() : nullptr;
  };
  arguments.inside = static_cast<const std::uint8_t *>(dataOf(sources.inside));
  arguments.points = static_cast<const double *>(dataOf(sources.points));
  arguments.gradient = dataOf(sources.gradient);
  arguments.mask = static_cast<const std::uint8_t *>(dataOf(sources.mask));
  if (sources.moving->GetDescriptor().element == ScalarType::Float32) // pixels may have been rounded beyond the ends
  {
    for (ParzenBins * const bins : { &arguments.HistogramPass::bins, &arguments.InformationPass::bins })
    {
      bins->movingLowest = std::min(bins->movingLowest, static_cast<double>(RoundedToSingle(bins->movingLowest)));
      bins->movingHighest = std::max(bins->movingHighest, static_cast<double>(RoundedToSingle(bins->movingHighest)));
    }
  }
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    arguments.halfSpacing[r] = 0.5 * descriptor.spacing[r];
    arguments.centre[r] = descriptor.GetSpline() != nullptr ? 0.0 : descriptor.centre[r];
    arguments.regionSize[r] = static_cast<double>(arguments.moving.region.size[r]);
    arguments.regionEnd[r] = static_cast<double>(arguments.moving.region.start[r] + arguments.moving.region.size[r]);
    arguments.maskOrigin[r] = descriptor.mask.origin[r];
    arguments.maskMap.offset[r] = descriptor.mask.offset[r];
    if (sources.mask != nullptr)
    {
      arguments.maskExtent.start[r] = sources.mask->GetDescriptor().start[r];
      arguments.maskExtent.size[r] = sources.mask->GetDescriptor().size[r];
    }
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      arguments.maskPointToIndex[r][c] = descriptor.mask.pointToIndex[r][c];
      arguments.maskMap.matrix[r][c] = descriptor.mask.matrix[r][c];
    }
  }
  const auto &      stages = descriptor.chain.stages;
  const std::size_t first = LeadsByField(descriptor, sources) ? 1 : 0;
  const bool        travels = stages.size() <= first + MetricMaps && descriptor.IsAffineFrom(first);
  arguments.mapCount = travels ? static_cast<int>(stages.size() - first) : -1;
  for (std::size_t i = first; travels && i < stages.size(); ++i)
  {
    arguments.maps[i - first] = MakeStage<VDimension>(stages[i], nullptr).map;
  }
  return arguments;
}

} // namespace itk::CudaSpline

#endif
