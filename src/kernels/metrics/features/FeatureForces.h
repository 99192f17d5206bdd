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
#ifndef FeatureForces_h
#define FeatureForces_h

#include "itkCudaSpline/kernels/metrics/Features.h"

#include "kernels/fields/warping/ImageWarping.h"
#include "kernels/fields/common/OrderedSums.h"
#include "kernels/metrics/features/ChannelNumbers.h"
#include "kernels/metrics/images/ImageMapping.h"

#include <cstddef>
#include <cstdint>

/** \file
 * \brief The bodies of EvaluateFeatureForces(), for host and device. */

namespace itk::CudaSpline
{

/** \brief The cell of an index: its corners and their weights in the value and in the derivatives with respect to the
 * index.
 *
 * The cell has an upper neighbour along each axis with at least two samples. The derivative exactly at a sample is the
 * mean of those of the adjacent cells, because that of a single cell would depend on the direction of the axis. */
template <unsigned int VDimension>
struct FeatureCell
{
  static constexpr int    Corners = 1 << VDimension;
  static constexpr double AtSample = 1e-9; ///< maximum distance from a sample that is due to the rounding of an index

  std::int64_t first{ 0 };        ///< offset of the lowest corner
  std::int64_t step[VDimension];  ///< distance to the upper corner along an axis
  std::int64_t shift[VDimension]; ///< of lower (negative) or upper corners in the derivative along an axis
  float        upper[VDimension]; ///< weight of the upper corners along an axis
  float        rise[VDimension];  ///< derivative of this weight, per index
  bool         isShifted{ false };

  /** \param[in] index inside the buffer by ITK's half-pixel rule */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  FeatureCell(const GridExtent<VDimension> & extent, const double (&index)[VDimension])
  {
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const std::int64_t last = extent.size[d] - 1;
      const double       from = index[d] - static_cast<double>(extent.start[d]);
      std::int64_t       base = LinearCell<VDimension>::Floor(from);
      base = base < 0 ? 0 : (base >= last ? (last > 0 ? last - 1 : 0) : base);
      const double above = from - static_cast<double>(base);
      const bool   isAtLower = above > -AtSample && above < AtSample;
      const bool   isAtUpper = above > 1.0 - AtSample && above < 1.0 + AtSample;
      const bool   isFlat = last == 0 || above < 0.0 || above > 1.0; // beyond the last sample the image is continued
      shift[d] = isAtLower && base > 0 ? -stride : (isAtUpper && base + 1 < last ? stride : 0);
      isShifted = isShifted || shift[d] != 0;
      rise[d] = last > 0 && (isAtLower || isAtUpper) ? 0.5F : (isFlat ? 0.0F : 1.0F);
      upper[d] = last == 0 || above < 0.0 ? 0.0F : (above > 1.0 ? 1.0F : static_cast<float>(above));
      step[d] = last == 0 ? 0 : stride;
      first += base * stride;
      stride *= extent.size[d];
    }
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static bool
  IsUpper(unsigned int axis, int corner)
  {
    return ((corner >> axis) & 1) != 0;
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           OffsetOf(int corner) const
  {
    std::int64_t offset = first;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      offset += IsUpper(d, corner) ? step[d] : 0;
    }
    return offset;
  }

  /** Offset of the sample that the derivative along an axis reads for a corner. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           OffsetInSlope(unsigned int axis, int corner) const
  {
    return this->OffsetOf(corner) + (IsUpper(axis, corner) == (shift[axis] > 0) ? shift[axis] : 0);
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
  WeightOf(int corner) const
  {
    float weight = 1.0F;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      weight *= IsUpper(d, corner) ? upper[d] : 1.0F - upper[d];
    }
    return weight;
  }

  /** Weight of a corner in the derivative along an axis. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
  SlopeOf(unsigned int axis, int corner) const
  {
    float slope = IsUpper(axis, corner) ? rise[axis] : -rise[axis];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      slope *= d == axis ? 1.0F : (IsUpper(d, corner) ? upper[d] : 1.0F - upper[d]);
    }
    return slope;
  }

  /** Adds the values of some channels and their derivatives with respect to the index. */
  template <int VWidth>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Read(const float * data, int channels, bool withSlopes, float (&value)[VWidth], float (&slope)[VDimension][VWidth])
    const
  {
#if defined(__CUDA_ARCH__)
#  pragma unroll 1 // weights and offsets of all corners do not fit into registers
#endif
    for (int corner = 0; corner < Corners; ++corner)
    {
      const float weight = this->WeightOf(corner);
      if (!withSlopes && weight == 0.0F)
      {
        continue; // at a sample, all corners except one
      }
      const ChannelNumbers<VWidth> read(data + this->OffsetOf(corner) * channels);
      for (int n = 0; n < VWidth; ++n)
      {
        value[n] += weight * read.numbers[n];
      }
      for (unsigned int d = 0; withSlopes && d < VDimension; ++d)
      {
        const float of = this->SlopeOf(d, corner);
        if (isShifted)
        {
          this->AddShifted<VWidth>(data + this->OffsetInSlope(d, corner) * channels, of, slope[d]);
        }
        else
        {
          for (int n = 0; n < VWidth; ++n)
          {
            slope[d][n] += of * read.numbers[n];
          }
        }
      }
    }
  }

private:
  template <int VWidth>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static void
  AddShifted(const float * data, float of, float (&slope)[VWidth])
  {
    const ChannelNumbers<VWidth> read(data);
    for (int n = 0; n < VWidth; ++n)
    {
      slope[n] += of * read.numbers[n];
    }
  }
};

/** \brief One of the images, for the bodies. */
template <unsigned int VDimension>
struct FeatureSide
{
  GridGeometry<VDimension>      grid;
  const float *                 data;
  MaskOfImage<VDimension>       mask;
  WarpStages<VDimension, false> stages;
  void *                        force; ///< null: not computed

  /** Maps a sample of the forces into this image.
   *
   * \param[out] index continuous index in the image
   * \param[out] jacobian of the mapped point with respect to the point before the stages after the field
   * \return whether the image counts there */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  Find(const GridGeometry<VDimension> & output,
       const std::int64_t (&at)[3],
       std::int64_t offset,
       double (&index)[VDimension],
       double (&jacobian)[VDimension][VDimension]) const
  {
    double place[VDimension];
    PlaceOfSample(output, at, place);
    stages.field.Move(offset, place);
    WalkWithJacobian(stages.following, stages.count, place, jacobian);
    grid.PointToContinuousIndex(place, index);
    return mask.Admits(place) && IsInsideBuffer(grid.extent, index);
  }

  /** Converts the derivative with respect to the index to the force. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  MakeForce(const float (&byIndex)[VDimension],
            const double (&jacobian)[VDimension][VDimension],
            double (&made)[VDimension]) const
  {
    double byPlace[VDimension];
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      byPlace[r] = 0.0;
      for (unsigned int k = 0; k < VDimension; ++k)
      {
        byPlace[r] += static_cast<double>(byIndex[k]) * grid.pointToIndex[k][r];
      }
    }
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      made[c] = 0.0;
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        made[c] += jacobian[r][c] * byPlace[r];
      }
    }
  }
};

/** \brief Two images at a sample. */
template <unsigned int VDimension>
struct FeatureComparison
{
  const float * data[2];       ///< of the fixed and of the moving image
  bool          withSlopes[2]; ///< whether the derivative with respect to the index in an image is needed
  int           channels;
  bool          isByFours; ///< whether channels are read four at a time

  /** The sum of the squared differences of all channels.
   *
   * \param[in,out] byIndex half its derivatives are subtracted */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
  Run(const FeatureCell<VDimension> & fixed,
      const FeatureCell<VDimension> & moving,
      float (&byIndex)[2][VDimension]) const
  {
    float sum = 0.0F;
    if (isByFours)
    {
      for (int channel = 0; channel < channels; channel += 4)
      {
        this->CompareChannels<4>(fixed, moving, channel, sum, byIndex);
      }
    }
    else
    {
      for (int channel = 0; channel < channels; ++channel)
      {
        this->CompareChannels<1>(fixed, moving, channel, sum, byIndex);
      }
    }
    return sum;
  }

private:
  template <int VWidth>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  CompareChannels(const FeatureCell<VDimension> & fixed,
                  const FeatureCell<VDimension> & moving,
                  int                             channel,
                  float &                         sum,
                  float (&byIndex)[2][VDimension]) const
  {
    float value[2][VWidth] = {};
    float slope[2][VDimension][VWidth] = {};
    fixed.Read(data[0] + channel, channels, withSlopes[0], value[0], slope[0]);
    moving.Read(data[1] + channel, channels, withSlopes[1], value[1], slope[1]);
    for (int n = 0; n < VWidth; ++n)
    {
      const float difference = value[0][n] - value[1][n];
      sum += difference * difference;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        byIndex[0][d] -= difference * slope[0][d][n];
        byIndex[1][d] += difference * slope[1][d][n];
      }
    }
  }
};

/** \brief Computes forces and squared differences of all samples. */
template <unsigned int VDimension>
struct FeatureForces
{
  GridGeometry<VDimension> output;
  FeatureSide<VDimension>  sides[2]; ///< fixed, moving
  int                      channels;
  bool                     isByFours; ///< whether channels are read four at a time
  bool                     isDouble;  ///< type of the forces
  double *                 squares;   ///< one per sample, divided by the channels; -1: it does not count
  FieldWalk                walk;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    squares[OffsetOf(walk, at)] = this->Evaluate(at);
  }

  /** Stores the forces of a sample, and returns the squared difference; -1: it does not count. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  Evaluate(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    double             index[2][VDimension];
    double             jacobian[2][VDimension][VDimension];
    const bool         isFixedInside = sides[0].Find(output, at, offset, index[0], jacobian[0]);
    const bool         isInside = sides[1].Find(output, at, offset, index[1], jacobian[1]) && isFixedInside;
    float              byIndex[2][VDimension] = {};
    const double       square = isInside ? this->Compare(index, byIndex) : -1.0;
    for (int side = 0; side < 2; ++side)
    {
      this->Store(sides[side], offset, byIndex[side], jacobian[side]);
    }
    return square;
  }

private:
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  Compare(const double (&index)[2][VDimension], float (&byIndex)[2][VDimension]) const
  {
    const FeatureCell<VDimension>       fixed(sides[0].grid.extent, index[0]);
    const FeatureCell<VDimension>       moving(sides[1].grid.extent, index[1]);
    const FeatureComparison<VDimension> comparison{
      { sides[0].data, sides[1].data }, { sides[0].force != nullptr, sides[1].force != nullptr }, channels, isByFours
    };
    return static_cast<double>(comparison.Run(fixed, moving, byIndex) / static_cast<float>(channels));
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Store(const FeatureSide<VDimension> & side,
        std::int64_t                    offset,
        const float (&byIndex)[VDimension],
        const double (&jacobian)[VDimension][VDimension]) const
  {
    if (side.force == nullptr)
    {
      return;
    }
    double force[VDimension];
    side.MakeForce(byIndex, jacobian, force);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const double       scaled = force[d] * 2.0 / static_cast<double>(channels);
      const std::int64_t number = offset * VDimension + d;
      if (isDouble)
      {
        static_cast<double *>(side.force)[number] = scaled;
      }
      else
      {
        static_cast<float *>(side.force)[number] = static_cast<float>(scaled);
      }
    }
  }
};

/** \brief Sums the squares along a row. */
struct RowSampleSquares
{
  const double * squares;
  PointSums *    sums;
  std::int64_t   length;
  FieldWalk      walk; ///< rows, along x

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    PointSums sum;
    for (std::int64_t i = at[0] * length; i < (at[0] + 1) * length; ++i)
    {
      if (squares[i] >= 0.0)
      {
        sum.Add({ squares[i], 1 });
      }
    }
    sums[at[0]] = sum;
  }
};

/** \brief Prepares an image for the bodies. */
template <unsigned int VDimension>
FeatureSide<VDimension>
MakeFeatureSide(const FieldGrid & output, const MovedFeatures & image, void * force)
{
  FeatureSide<VDimension> side;
  side.grid = MakeGeometry<VDimension>(image.features.grid);
  side.data = static_cast<const float *>(image.features.data.get());
  side.mask = { MakeGeometry<VDimension>(image.maskGrid), image.mask };
  side.stages = MakeWarpStages<VDimension, false>(output, image.stages);
  side.force = force;
  return side;
}

/** \brief Whether four numbers can be read together. */
inline bool
IsAligned(const float * data)
{
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

/** \brief Whether channels of both images can be read four at a time. */
inline bool
IsByFours(const std::array<MovedFeatures, 2> & images)
{
  const auto isAligned = [](const FeatureImage & features) {
    return features.channels % 4 == 0 && IsAligned(static_cast<const float *>(features.data.get()));
  };
  return isAligned(images[0].features) && isAligned(images[1].features);
}

/** \brief Calls \p run with the body of EvaluateFeatureForces(), except for the squares. */
template <typename TRun>
void
DispatchFeatureForces(const FieldShape &                   shape,
                      const std::array<MovedFeatures, 2> & images,
                      void *                               byMoving,
                      void *                               byFixed,
                      const TRun &                         run)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    constexpr unsigned int   dimension = decltype(compiled)::Dimension;
    FeatureForces<dimension> body;
    body.output = MakeGeometry<dimension>(shape.grid);
    body.sides[0] = MakeFeatureSide<dimension>(shape.grid, images[0], byFixed);
    body.sides[1] = MakeFeatureSide<dimension>(shape.grid, images[1], byMoving);
    body.channels = images[0].features.channels;
    body.isByFours = IsByFours(images);
    body.isDouble = shape.element == ScalarType::Float64;
    body.squares = nullptr;
    body.walk = WalkOf(shape.grid);
    run(body);
  });
}

/** \brief Calls \p enqueue with the bodies of EvaluateFeatureForces(), one after the other. */
template <typename TEnqueue>
void
WalkFeatureForces(const FieldShape &                   shape,
                  const std::array<MovedFeatures, 2> & images,
                  PointSums *                          sums,
                  void *                               byMoving,
                  void *                               byFixed,
                  void *                               scratch,
                  const TEnqueue &                     enqueue)
{
  const FieldWalk walk = WalkOf(shape.grid);
  auto * const    squares = static_cast<double *>(scratch);
  DispatchFeatureForces(shape, images, byMoving, byFixed, [&](auto body) {
    body.squares = squares;
    enqueue(body);
  });
  auto * const       ofRows = reinterpret_cast<PointSums *>(squares + shape.grid.Count());
  const std::int64_t rows = walk.size[1] * walk.size[2];
  enqueue(RowSampleSquares{ squares, ofRows, walk.size[0], { { rows, 1, 1 } } });
  WalkSumsOfRows(shape.grid, ofRows, sums, enqueue);
}

/** \brief MakeSelfSimilarity() and EvaluateFeatureForces() on a device; arguments have been checked. */
///@{
void
WalkSelfSimilarityOnCuda(const FieldGrid &             grid,
                         ScalarType                    pixel,
                         const void *                  image,
                         const SelfSimilarityOptions & options,
                         float *                       channels,
                         float *                       means,
                         void *                        sums,
                         const Residence &             residence);
void
WalkFeatureForcesOnCuda(const FieldShape &                   shape,
                        const std::array<MovedFeatures, 2> & images,
                        PointSums *                          sums,
                        void *                               byMoving,
                        void *                               byFixed,
                        void *                               scratch,
                        const Residence &                    residence);
///@}

} // namespace itk::CudaSpline

#endif
