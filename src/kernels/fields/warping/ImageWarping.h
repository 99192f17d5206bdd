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
#ifndef ImageWarping_h
#define ImageWarping_h

#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/math/LinearCell.h"
#include "itkCudaSpline/math/SplineEvaluation.h"
#include "itkCudaSpline/math/TransformStage.h"

#include "kernels/fields/common/FieldLinear.h"
#include "kernels/transforms/FieldAtSamples.h"
#include "kernels/transforms/TransformStages.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

/** \file
 * \brief Images and fields under chains of transforms: bodies for host and device. */

namespace itk::CudaSpline
{

/** \brief The stages of a chain, by value: a field on the output's own grid, and the stages that follow.
 *
 * \tparam VAffine whether all following stages are affine */
template <unsigned int VDimension, bool VAffine>
struct WarpStages
{
  using Following = std::conditional_t<VAffine, AffineMap<VDimension>, TransformStage<VDimension>>;

  FieldAtSamples<VDimension> field; ///< at the samples of the output; may be empty
  int                        count{ 0 };
  Following                  following[MaximumWarpStages]; ///< the stages that follow

  /** Maps the point of a sample of the output through all stages.
   *
   * \param[in] offset offset of the sample
   * \param[in,out] place its point (mm) */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Move(std::int64_t offset, double (&place)[VDimension]) const
  {
    field.Move(offset, place);
    if constexpr (VAffine)
    {
      for (int i = 0; i < count; ++i)
      {
        double moved[VDimension];
        following[i].Apply(place, moved);
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          place[d] = moved[d];
        }
      }
    }
    else
    {
      WalkStages(following, count, place);
    }
  }
};

/** \brief Whether a stage is a field on a grid, whose vectors need no interpolation at the samples. */
inline bool
IsFieldOn(const FieldGrid & grid, const TransformChain::Stage & stage)
{
  return stage.kind == TransformKind::DisplacementField && stage.start == grid.start && stage.size == grid.size &&
         stage.origin == grid.origin && stage.pointToIndex == grid.pointToIndex;
}

/** \brief Number of leading stages that are a field on the grid: 1 or 0. */
inline std::size_t
CountFieldsOn(const FieldGrid & grid, const std::vector<TransformChain::Stage> & stages)
{
  return !stages.empty() && IsFieldOn(grid, stages[0]) ? 1 : 0;
}

/** \brief Creates the WarpStages of a chain, whose stages after the field are affine, or arbitrary. */
template <unsigned int VDimension, bool VAffine>
WarpStages<VDimension, VAffine>
MakeWarpStages(const FieldGrid & grid, const std::vector<TransformChain::Stage> & stages)
{
  WarpStages<VDimension, VAffine> chain;
  const std::size_t               first = CountFieldsOn(grid, stages);
  if (first > 0)
  {
    chain.field.data = stages[0].singleData != nullptr ? nullptr : stages[0].data.get();
    chain.field.singleData = stages[0].singleData.get();
  }
  for (std::size_t i = first; i < stages.size(); ++i)
  {
    const TransformStage<VDimension> stage = MakeStage<VDimension>(stages[i], DisplacementsOf(stages[i]));
    if constexpr (VAffine)
    {
      chain.following[chain.count] = stage.map;
    }
    else
    {
      chain.following[chain.count] = stage;
    }
    ++chain.count;
  }
  return chain;
}

/** \brief Calls \p run with the WarpStages of a chain. */
template <unsigned int VDimension, typename TRun>
void
DispatchStages(const FieldGrid & grid, const std::vector<TransformChain::Stage> & stages, const TRun & run)
{
  const bool isAffine =
    std::all_of(stages.begin() + static_cast<std::ptrdiff_t>(CountFieldsOn(grid, stages)),
                stages.end(),
                [](const TransformChain::Stage & stage) { return stage.kind == TransformKind::Affine; });
  isAffine ? run(MakeWarpStages<VDimension, true>(grid, stages)) : run(MakeWarpStages<VDimension, false>(grid, stages));
}

/** \brief The arrays of WarpImage().
 *
 * \tparam VCubic whether the input are coefficients of a cubic B-spline */
template <unsigned int VDimension, typename TPixel, typename TStages, bool VCubic>
struct ImageWarping
{
  GridGeometry<VDimension> inputGrid;
  const TPixel *           input;
  GridGeometry<VDimension> grid;
  TPixel *                 output;
  FieldWalk                walk;
  bool                     nearest;
  bool                     singleCoordinates;
  TPixel                   outside;
  TStages                  stages;

  /** Computes a pixel of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    double             place[VDimension];
    double             index[VDimension];
    PlaceOfSample(grid, at, place);
    stages.Move(offset, place);
    inputGrid.PointToContinuousIndex(place, index);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      index[d] = singleCoordinates ? static_cast<double>(static_cast<float>(index[d])) : index[d];
    }
    TPixel pixel = outside;
    if (IsInsideBuffer(inputGrid.extent, index))
    {
      pixel = this->PixelAt(index);
    }
    output[offset] = pixel;
  }

private:
  /** Interpolates the image inside its buffer. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TPixel
  PixelAt(const double (&index)[VDimension]) const
  {
    if constexpr (VCubic)
    {
      return SplineValue<3, TPixel>(CoefficientGrid<VDimension, TPixel>{ input, inputGrid.extent, {}, {} }, index);
    }
    else if constexpr (sizeof(TPixel) >= sizeof(float))
    {
      if (!nearest)
      {
        const LinearCell<VDimension> cell(inputGrid.extent, index);
        return static_cast<TPixel>(cell.template Value<double>(input));
      }
    }
    std::int64_t offset = 0;
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const std::int64_t last = inputGrid.extent.size[d] - 1;
      const std::int64_t near = NearestIndex(index[d]) - inputGrid.extent.start[d];
      offset += (near < 0 ? 0 : (near > last ? last : near)) * stride;
      stride *= inputGrid.extent.size[d];
    }
    return input[offset];
  }
};

/** \brief The arrays of MakeField(). */
template <unsigned int VDimension, typename TReal, typename TStages>
struct ChainField
{
  GridGeometry<VDimension> grid;
  TReal *                  output;
  FieldWalk                walk;
  TStages                  stages;

  /** Computes a vector of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    double             place[VDimension];
    double             moved[VDimension];
    TReal              vector[VDimension];
    PlaceOfSample(grid, at, place);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      moved[d] = place[d];
    }
    stages.Move(offset, moved);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      vector[d] = static_cast<TReal>(moved[d] - place[d]);
    }
    StoreVector(output, offset, vector);
  }
};

/** \brief Calls \p run with the ImageWarping of a warp. */
template <typename TRun>
void
DispatchWarp(const ImageWarp & warp, const void * image, void * output, const TRun & run)
{
  const auto of = [&](auto compiled) {
    using Pixel = typename decltype(compiled)::Real;
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    DispatchStages<dimension>(warp.output, warp.stages, [&](const auto & stages) {
      using Stages = std::decay_t<decltype(stages)>;
      const auto make = [&](auto isCubic) {
        return ImageWarping<dimension, Pixel, Stages, decltype(isCubic)::value>{ MakeGeometry<dimension>(warp.input),
                                                                                 static_cast<const Pixel *>(image),
                                                                                 MakeGeometry<dimension>(warp.output),
                                                                                 static_cast<Pixel *>(output),
                                                                                 WalkOf(warp.output),
                                                                                 warp.nearest,
                                                                                 warp.singleCoordinates,
                                                                                 warp.largestOutside
                                                                                   ? std::numeric_limits<Pixel>::max()
                                                                                   : Pixel(0),
                                                                                 stages };
      };
      if constexpr (!std::is_integral<Pixel>::value)
      {
        if (warp.cubic)
        {
          run(make(std::true_type()));
          return;
        }
      }
      run(make(std::false_type()));
    });
  };
  if (warp.pixel != ScalarType::UInt8)
  {
    DispatchField(warp.output.dimension, warp.pixel, of);
  }
  else if (warp.output.dimension == 2)
  {
    of(CompiledField<2, std::uint8_t>());
  }
  else
  {
    of(CompiledField<3, std::uint8_t>());
  }
}

/** \brief Calls \p run with the ChainField of a field. */
template <typename TRun>
void
DispatchChainField(const std::vector<TransformChain::Stage> & stages,
                   const FieldShape &                         shape,
                   void *                                     output,
                   const TRun &                               run)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    DispatchStages<dimension>(shape.grid, stages, [&](const auto & chain) {
      using Stages = std::decay_t<decltype(chain)>;
      run(ChainField<dimension, Real, Stages>{
        MakeGeometry<dimension>(shape.grid), static_cast<Real *>(output), WalkOf(shape.grid), chain });
    });
  });
}

/** See WarpImage(). */
void
WarpImageOnCuda(const ImageWarp & warp, const void * image, void * output, const Residence & residence);

/** See MakeField(). */
void
MakeFieldOnCuda(const std::vector<TransformChain::Stage> & stages,
                const FieldShape &                         shape,
                void *                                     output,
                const Residence &                          residence);

} // namespace itk::CudaSpline

#endif
