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
#ifndef SelfSimilarity_h
#define SelfSimilarity_h

#include "itkCudaSpline/kernels/metrics/Features.h"
#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include "kernels/fields/common/OrderedSums.h"
#include "kernels/metrics/features/ChannelNumbers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief The bodies of MakeSelfSimilarity(), for host and device. */

namespace itk::CudaSpline
{

/** \brief Number of pairs of patches on different axes. */
template <unsigned int VDimension>
inline constexpr int SelfSimilarityChannels = VDimension == 3 ? 12 : 4;

/** \brief A sum with compensation of its rounding errors, so that it does not depend on the order. */
struct CompensatedSum
{
  float sum{ 0.0F };
  float rest{ 0.0F };

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(float number)
  {
    const float total = RoundedSum(sum, number);
    const float added = RoundedSum(total, -sum);
    rest += RoundedSum(RoundedSum(sum, -RoundedSum(total, -added)), RoundedSum(number, -added));
    sum = total;
  }
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
  Get() const
  {
    return sum + rest;
  }
};

/** \brief The distances between the patches around each sample, minus the smallest, and their mean.
 *
 * They do not depend on the order and the directions of the axes. */
template <unsigned int VDimension, typename TPixel>
struct PatchDistances
{
  const TPixel * image;
  float *        distances; ///< SelfSimilarityChannels per sample
  float *        means;     ///< one per sample
  int            radius;
  int            distance;
  FieldWalk      walk;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    constexpr int  channels = SelfSimilarityChannels<VDimension>;
    CompensatedSum found[channels] = {};
    if (this->IsInner(at))
    {
      const TPixel * const centre = image + OffsetOf(walk, at);
      this->ForEachOfPatch([&](int x, int y, int z) {
        const std::int64_t offset = x + walk.size[0] * (y + walk.size[1] * z);
        this->AddSample(
          [&](unsigned int axis, int along) {
            const std::int64_t stride = axis == 0 ? 1 : (axis == 1 ? walk.size[0] : walk.size[0] * walk.size[1]);
            return centre[offset + along * stride];
          },
          found);
      });
    }
    else
    {
      this->ForEachOfPatch([&](int x, int y, int z) {
        const std::int64_t centre[3] = { at[0] + x, at[1] + y, at[2] + z };
        this->AddSample(
          [&](unsigned int axis, int along) {
            std::int64_t of[3] = { centre[0], centre[1], centre[2] };
            of[axis] += along;
            return this->ValueAt(of[0], of[1], of[2]);
          },
          found);
      });
    }
    this->Store(OffsetOf(walk, at), found);
  }

private:
  static constexpr int Patches = 2 * static_cast<int>(VDimension);

  /** Calls a functor with the offset of each sample of a patch from its centre. */
  template <typename TFunctor>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  ForEachOfPatch(const TFunctor & functor) const
  {
    const int inPlane = VDimension > 2 ? radius : 0;
    for (int z = -inPlane; z <= inPlane; ++z)
    {
      for (int y = -radius; y <= radius; ++y)
      {
        for (int x = -radius; x <= radius; ++x)
        {
          functor(x, y, z);
        }
      }
    }
  }

  /** Whether all patches of a sample are in the image. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  IsInner(const std::int64_t (&at)[3]) const
  {
    const int reach = radius + distance;
    bool      isInner = true;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      isInner = isInner && at[d] >= reach && at[d] < walk.size[d] - reach;
    }
    return isInner;
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TPixel
  ValueAt(std::int64_t x, std::int64_t y, std::int64_t z) const
  {
    const auto clamp = [](std::int64_t index, std::int64_t size) {
      return index < 0 ? 0 : (index < size ? index : size - 1);
    };
    const std::int64_t inside[3] = { clamp(x, walk.size[0]), clamp(y, walk.size[1]), clamp(z, walk.size[2]) };
    return image[OffsetOf(walk, inside)];
  }

  /** Adds the squared differences of one sample of all patches.
   *
   * \param[in] valueAt returns the value at a distance along an axis */
  template <typename TValueAt>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddSample(const TValueAt & valueAt, CompensatedSum * found) const
  {
    TPixel values[Patches];
    for (int patch = 0; patch < Patches; ++patch)
    {
      values[patch] = valueAt(static_cast<unsigned int>(patch / 2), patch % 2 == 0 ? distance : -distance);
    }
    int channel = 0;
    for (int first = 0; first < Patches; ++first)
    {
      for (int second = (first / 2 + 1) * 2; second < Patches; ++second)
      {
        const auto difference = static_cast<float>(values[first] - values[second]);
        found[channel++].Add(RoundedProduct(difference, difference));
      }
    }
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Store(std::int64_t offset, const CompensatedSum * found) const
  {
    constexpr int  channels = SelfSimilarityChannels<VDimension>;
    float          least = found[0].Get();
    CompensatedSum sum;
    for (int channel = 0; channel < channels; ++channel)
    {
      least = found[channel].Get() < least ? found[channel].Get() : least;
    }
    for (int channel = 0; channel < channels; ++channel)
    {
      sum.Add(found[channel].Get() - least);
    }
    const float mean = sum.Get() / static_cast<float>(channels);
    const bool  isFinite = mean - mean == 0.0F;
    means[offset] = isFinite ? mean : 0.0F;
    for (int first = 0; first < channels; first += 4)
    {
      ChannelNumbers<4> four;
      for (int n = 0; n < 4; ++n)
      {
        four.numbers[n] = isFinite ? found[first + n].Get() - least : 0.0F;
      }
      four.Store(distances + offset * channels + first);
    }
  }
};

/** \brief A sum of numbers. */
struct PlainSum
{
  double sum{ 0.0 };

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(const PlainSum & other)
  {
    sum += other.sum;
  }
};

/** \brief Sums numbers along a row. */
struct RowSum
{
  const float * numbers;
  PlainSum *    sums;
  std::int64_t  length;
  FieldWalk     walk; ///< rows, along x

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    PlainSum sum;
    for (std::int64_t i = at[0] * length; i < (at[0] + 1) * length; ++i)
    {
      sum.Add({ static_cast<double>(numbers[i]) });
    }
    sums[at[0]] = sum;
  }
};

/** \brief The variance of a sample: its own, within bounds.
 *
 * \param[in] own mean of its distances, \param[in] total sum of the means of all samples */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
VarianceOf(float own, double total, double samples)
{
  const auto  typical = static_cast<float>(total / samples);
  const float least = 0.001F * typical;
  const float most = 1000.0F * typical;
  return own < least ? least : (own > most ? most : own);
}

/** \brief Converts the distances of a sample to its channels. */
struct SelfSimilarityOfDistances
{
  float *        channels; ///< distances on input
  const float *  means;
  const double * total; ///< sum of the means
  int            count; ///< channels per sample, a multiple of 4
  double         samples;
  FieldWalk      walk;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    const float        variance = VarianceOf(means[offset], *total, samples);
    for (int first = 0; first < count; first += 4)
    {
      float * const     of = channels + offset * count + first;
      ChannelNumbers<4> four(of);
      for (float & number : four.numbers)
      {
        number = variance > 0.0F ? expf(-number / variance) : 1.0F;
      }
      four.Store(of);
    }
  }
};

/** \brief How a device divides an image among warps that compute all of a sample's distances. */
///@{
inline constexpr int MarchWarps = 4;    ///< of a block, along y
inline constexpr int MarchColumns = 30; ///< samples of a warp along x: two lanes only have neighbours
inline constexpr int MarchRows = 2;     ///< samples of a lane along y
inline constexpr int MarchSlices = 32;  ///< samples of a warp along z
///@}

/** \brief The blocks of threads of the march, along each axis. */
inline FieldGrid
MarchBlocks(const FieldGrid & grid)
{
  constexpr std::int64_t samples[3] = { MarchColumns, MarchRows * MarchWarps, MarchSlices };
  FieldGrid              blocks = grid;
  for (std::size_t d = 0; d < 3; ++d)
  {
    blocks.size[d] = (grid.size[d] + samples[d] - 1) / samples[d];
  }
  return blocks;
}

/** \brief Whether a device computes the distances twice and stores channels alone. */
inline bool
CanMarch(const FieldGrid & grid, ScalarType pixel, const SelfSimilarityOptions & options)
{
  constexpr std::int64_t mostInSlice = std::int64_t{ 1 } << 30; // offsets are in 32 bits
  constexpr std::int64_t mostBlocks = 65535;
  const FieldGrid        blocks = MarchBlocks(grid);
  return grid.dimension == 3 && pixel == ScalarType::Float32 && options.radius == 1 &&
         grid.size[0] * grid.size[1] <= mostInSlice && blocks.size[1] <= mostBlocks && blocks.size[2] <= mostBlocks;
}

/** \brief Number of sums that MakeSelfSimilarity() needs: of rows, planes and all samples, or of blocks. */
inline std::size_t
CountSelfSimilaritySums(const FieldGrid & grid)
{
  const FieldGrid blocks = MarchBlocks(grid);
  return std::max(CountOrderedSums(grid), static_cast<std::size_t>(blocks.Count()) + CountOrderedSums(blocks)) + 1;
}

/** \brief Calls \p enqueue with the bodies, one after the other.
 *
 * \param[out] channels SelfSimilarityChannels per sample
 * \param[out] means one per sample
 * \param[out] sums CountOrderedSums(), and one more */
template <unsigned int VDimension, typename TPixel, typename TEnqueue>
void
WalkSelfSimilarity(const FieldGrid &             grid,
                   const TPixel *                image,
                   const SelfSimilarityOptions & options,
                   float *                       channels,
                   float *                       means,
                   PlainSum *                    sums,
                   const TEnqueue &              enqueue)
{
  const FieldWalk    walk = WalkOf(grid);
  const std::int64_t rows = walk.size[1] * walk.size[2];
  PlainSum * const   total = sums + CountOrderedSums(grid);
  enqueue(PatchDistances<VDimension, TPixel>{ image, channels, means, options.radius, options.distance, walk });
  enqueue(RowSum{ means, sums, walk.size[0], { { rows, 1, 1 } } });
  WalkSumsOfRows(grid, sums, total, enqueue);
  enqueue(SelfSimilarityOfDistances{
    channels, means, &total->sum, SelfSimilarityChannels<VDimension>, static_cast<double>(grid.Count()), walk });
}

/** \brief WalkSelfSimilarity() for a run-time type of pixels. */
template <typename TEnqueue>
void
WalkSelfSimilarity(const FieldGrid &             grid,
                   ScalarType                    pixel,
                   const void *                  image,
                   const SelfSimilarityOptions & options,
                   float *                       channels,
                   float *                       means,
                   PlainSum *                    sums,
                   const TEnqueue &              enqueue)
{
  DispatchField(grid.dimension, pixel, [&](auto compiled) {
    using Pixel = typename decltype(compiled)::Real;
    WalkSelfSimilarity<decltype(compiled)::Dimension>(
      grid, static_cast<const Pixel *>(image), options, channels, means, sums, enqueue);
  });
}

} // namespace itk::CudaSpline

#endif
