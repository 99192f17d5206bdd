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
#ifndef RegionPass_h
#define RegionPass_h

#include "itkCudaSpline/kernels/common/Residence.h"

#include "kernels/fields/common/FieldGeometry.h"

#include <cmath>
#include <cstdint>

/** \file
 * \brief Passes over fields with sliding regions: bodies for host and device. */

namespace itk::CudaSpline
{

/** \brief The passes. They share a body, because each body is a kernel for each type of fields. */
enum class RegionStep : unsigned char
{
  Mask,       ///< copies the vectors of a region; those of other regions become 0
  Border,     ///< adds up the gradient and the values of the smoothed indicator of a region
  Smooth,     ///< replaces the tangential components near a border
  Interpolate ///< interpolates again where samples of other regions were mixed in
};

/** \brief A pass over the samples of a field with regions.
 *
 * One region, the rest, has no smoothing of its own. Its indicator and its masked field are the sums of the whole
 * without those of all other regions, which the passes subtract. */
template <typename TReal>
struct RegionPass
{
  RegionStep           step;
  unsigned int         dimension;
  FieldWalk            walk;
  const std::uint8_t * regions;
  unsigned int         region;  ///< of this pass
  unsigned int         rest;    ///< the region without a pass
  bool                 isFirst; ///< the first pass
  const TReal *        input;   ///< Mask: the field, null: 1. Smooth: the field. Interpolate: updates; null: 0
  const TReal *        smooth;  ///< Border, Smooth: the smoothed result of Mask. Interpolate: the interpolated field
  TReal *              output;  ///< the result; Border: normals, null: not computed
  TReal *       weights; ///< values of the smoothed indicator of each sample's region; Border: null: not computed
  const TReal * normals; ///< Smooth, Interpolate: the result of Border, null: all components are interpolated again

  std::int64_t start[3];           ///< index of the first sample
  double       pointToIndex[3][3]; ///< of the grid of the field that is read
  double       indexToPoint[3][3]; ///< its inverse
  TReal        share;              ///< of the smoothed field; the rest is the input
  bool         keepsBorder;        ///< Smooth: the border of the grid is not changed

  const std::uint8_t * smoothRegions;  ///< Interpolate: regions of the field that is interpolated
  FieldWalk            smoothWalk;     ///< Interpolate: its samples
  double               toSmooth[3][4]; ///< Interpolate: its index, from that of a sample

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    switch (step)
    {
      case RegionStep::Mask:
        this->Mask(offset);
        break;
      case RegionStep::Border:
        this->AddBorder(at, offset);
        break;
      case RegionStep::Smooth:
        this->Smooth(at, offset);
        break;
      case RegionStep::Interpolate:
        this->Interpolate(at, offset);
        break;
    }
  }

private:
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Mask(std::int64_t offset) const
  {
    const bool isInside = regions[offset] == region;
    for (std::int64_t number = offset * dimension; number < (offset + 1) * dimension; ++number)
    {
      output[number] = !isInside ? TReal(0) : input != nullptr ? input[number] : TReal(1);
    }
  }

  /** Whether the sample is of the region or of the rest. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  IsConcerned(std::int64_t offset) const
  {
    return regions[offset] == region || regions[offset] == rest;
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddBorder(const std::int64_t (&at)[3], std::int64_t offset) const
  {
    if (!this->IsConcerned(offset))
    {
      return;
    }
    const bool  isRest = regions[offset] == rest;
    const TReal sign = isRest ? TReal(-1) : TReal(1);
    if (weights != nullptr)
    {
      const TReal before = !isRest ? TReal(0) : isFirst ? TReal(1) : weights[offset];
      weights[offset] = before + sign * smooth[offset * dimension];
    }
    if (output == nullptr)
    {
      return;
    }
    double       byIndex[3] = {};
    std::int64_t stride = 1;
    for (unsigned int axis = 0; axis < dimension; ++axis)
    {
      const std::int64_t lower = at[axis] > 0 ? offset - stride : offset;
      const std::int64_t upper = at[axis] + 1 < walk.size[axis] ? offset + stride : offset;
      byIndex[axis] =
        0.5 * (static_cast<double>(smooth[upper * dimension]) - static_cast<double>(smooth[lower * dimension]));
      stride *= walk.size[axis];
    }
    for (unsigned int d = 0; d < dimension; ++d)
    {
      double sum = 0.0;
      for (unsigned int axis = 0; axis < dimension; ++axis)
      {
        sum += pointToIndex[axis][d] * byIndex[axis];
      }
      TReal & normal = output[offset * dimension + d];
      normal = (isRest && !isFirst ? normal : TReal(0)) + sign * static_cast<TReal>(sum);
    }
  }

  /** IsOnBorder(), for a run-time dimension. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  IsOnEdge(const std::int64_t (&at)[3]) const
  {
    bool edge = false;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      edge = edge || at[d] == 0 || at[d] + 2 * start[d] == walk.size[d] - 1;
    }
    return edge;
  }

  /** Weight of changes of the tangential component; 0 far from borders. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  FindWeight(std::int64_t offset) const
  {
    // Length of a gradient, per sample, from which there is a change; from its double on the change is complete. At a
    // border the length is 0.4 over the sigma of the Gaussian.
    constexpr double least = 0.01;
    double           square = 0.0;
    for (unsigned int axis = 0; axis < dimension; ++axis)
    {
      double byIndex = 0.0;
      for (unsigned int d = 0; d < dimension; ++d)
      {
        byIndex += indexToPoint[d][axis] * static_cast<double>(normals[offset * dimension + d]);
      }
      square += byIndex * byIndex;
    }
    const double ramp = std::sqrt(square) / least - 1.0;
    return static_cast<TReal>(ramp > 1.0 ? 1.0 : ramp > 0.0 ? ramp : 0.0);
  }

  /** Adds the tangential component of a change to a vector of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddTangential(std::int64_t offset, TReal weight, const TReal (&change)[3]) const
  {
    const std::int64_t first = offset * dimension;
    TReal              square = TReal(0);
    TReal              across = TReal(0);
    for (unsigned int d = 0; d < dimension; ++d)
    {
      square += normals[first + d] * normals[first + d];
      across += change[d] * normals[first + d];
    }
    for (unsigned int d = 0; d < dimension; ++d)
    {
      output[first + d] += weight * (change[d] - across / square * normals[first + d]);
    }
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Smooth(const std::int64_t (&at)[3], std::int64_t offset) const
  {
    const TReal weight = this->FindWeight(offset);
    if (weight == TReal(0) || !this->IsConcerned(offset) || (keepsBorder && this->IsOnEdge(at)))
    {
      return;
    }
    const bool  isRest = regions[offset] == rest;
    const TReal kept = TReal(1) - share;
    const TReal inverse = TReal(1) / weights[offset];
    TReal       change[3] = {};
    for (unsigned int d = 0; d < dimension; ++d)
    {
      const std::int64_t number = offset * dimension + d;
      const TReal        masked = share * smooth[number] * inverse;
      const TReal        unchanged = kept * input[number];
      const TReal        all = output[number];
      change[d] = !isRest   ? masked + unchanged - all
                  : isFirst ? (all - unchanged) * inverse - masked + unchanged - all
                            : -masked;
    }
    this->AddTangential(offset, weight, change);
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Interpolate(const std::int64_t (&at)[3], std::int64_t offset) const
  {
    const TReal weight = normals != nullptr ? this->FindWeight(offset) : TReal(1);
    if (weight == TReal(0))
    {
      return;
    }
    TReal vector[3] = {};
    for (unsigned int d = 0; input != nullptr && d < dimension; ++d)
    {
      vector[d] = input[offset * dimension + d];
    }
    std::int64_t base[3] = {};
    double       above[3] = {};
    for (unsigned int axis = 0; axis < dimension; ++axis)
    {
      double index = toSmooth[axis][3];
      for (unsigned int d = 0; d < dimension; ++d)
      {
        index +=
          toSmooth[axis][d] * static_cast<double>(at[d]) + pointToIndex[axis][d] * static_cast<double>(vector[d]);
      }
      if (!(index >= -0.5 && index < static_cast<double>(smoothWalk.size[axis]) - 0.5))
      {
        return;
      }
      base[axis] = static_cast<std::int64_t>(std::floor(index));
      above[axis] = index - static_cast<double>(base[axis]);
    }
    const unsigned int own = regions[offset];
    double             total = 0.0;
    double             sum[3] = {};
    bool               isMixed = false;
    for (unsigned int corner = 0; corner < 1U << dimension; ++corner)
    {
      double       overlap = 1.0;
      std::int64_t neighbour = 0;
      for (unsigned int axis = dimension; axis-- > 0;)
      {
        const unsigned int upper = (corner >> axis) & 1U;
        const std::int64_t last = smoothWalk.size[axis] - 1;
        const std::int64_t place = base[axis] + upper;
        overlap *= upper != 0 ? above[axis] : 1.0 - above[axis];
        neighbour = neighbour * smoothWalk.size[axis] + (place < 0 ? 0 : place > last ? last : place);
      }
      if (overlap == 0.0)
      {
        continue;
      }
      if (smoothRegions[neighbour] != own)
      {
        isMixed = true;
        continue;
      }
      total += overlap;
      for (unsigned int d = 0; d < dimension; ++d)
      {
        sum[d] += overlap * static_cast<double>(smooth[neighbour * dimension + d]);
      }
    }
    if (!isMixed || (total == 0.0 && input == nullptr))
    {
      return;
    }
    TReal change[3] = {};
    for (unsigned int d = 0; d < dimension; ++d)
    {
      // A composition that leaves the region is replaced by a sum.
      const double there = total > 0.0 ? sum[d] / total : static_cast<double>(smooth[offset * dimension + d]);
      change[d] = vector[d] + static_cast<TReal>(there) - output[offset * dimension + d];
    }
    if (normals != nullptr)
    {
      this->AddTangential(offset, weight, change);
      return;
    }
    for (unsigned int d = 0; d < dimension; ++d)
    {
      output[offset * dimension + d] += change[d];
    }
  }
};

/** \brief Runs a pass on a device. */
template <typename TReal>
void
RunRegionPassOnCuda(const RegionPass<TReal> & pass, const Residence & residence);

} // namespace itk::CudaSpline

#endif
