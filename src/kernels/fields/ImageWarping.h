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
#include "itkCudaSpline/math/TransformStage.h"

#include "kernels/fields/FieldLinear.h"
#include "kernels/transforms/TransformStages.h"

#include <cstdint>

/** \file
 * \brief Images and fields under chains of transforms: bodies of host and device. */

namespace itk::CudaSpline
{

/** \brief The stages of a chain, by value. */
template <unsigned int VDimension>
struct StagesOfWarp
{
  TransformStage<VDimension> stage[MaximumWarpStages];
  int                        count;

  explicit StagesOfWarp(const std::vector<TransformChain::Stage> & stages)
    : count(static_cast<int>(stages.size()))
  {
    for (std::size_t i = 0; i < stages.size(); ++i)
    {
      stage[i] = MakeStage<VDimension>(stages[i], DisplacementsOf(stages[i]));
    }
  }
};

/** \brief What WarpImage() reads and writes. */
template <unsigned int VDimension, typename TPixel>
struct ImageWarping
{
  GridGeometry<VDimension> inputGrid;
  const TPixel *           input;
  GridGeometry<VDimension> grid;
  TPixel *                 output;
  FieldWalk                walk;
  bool                     nearest;
  bool                     singleCoordinates;
  StagesOfWarp<VDimension> stages;

  /** A pixel of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    double place[VDimension];
    double index[VDimension];
    PlaceOfSample(grid, at, place);
    WalkStages(stages.stage, stages.count, place);
    inputGrid.PointToContinuousIndex(place, index);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      index[d] = singleCoordinates ? static_cast<double>(static_cast<float>(index[d])) : index[d];
    }
    TPixel pixel = TPixel(0);
    if (IsInsideBuffer(inputGrid.extent, index))
    {
      pixel = this->PixelAt(index);
    }
    output[OffsetOf(walk, at)] = pixel;
  }

private:
  /** The image within its buffer. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TPixel
  PixelAt(const double (&index)[VDimension]) const
  {
    if constexpr (sizeof(TPixel) >= sizeof(float))
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

/** \brief What MakeField() reads and writes. */
template <unsigned int VDimension, typename TReal>
struct ChainField
{
  GridGeometry<VDimension> grid;
  TReal *                  output;
  FieldWalk                walk;
  StagesOfWarp<VDimension> stages;

  /** A vector of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    double place[VDimension];
    double moved[VDimension];
    TReal  vector[VDimension];
    PlaceOfSample(grid, at, place);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      moved[d] = place[d];
    }
    WalkStages(stages.stage, stages.count, moved);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      vector[d] = static_cast<TReal>(moved[d] - place[d]);
    }
    StoreVector(output, OffsetOf(walk, at), vector);
  }
};

/** \brief The arguments of a warp. */
template <unsigned int VDimension, typename TPixel>
ImageWarping<VDimension, TPixel>
MakeImageWarping(const ImageWarp & warp, const void * image, void * output)
{
  return { MakeGeometry<VDimension>(warp.input),
           static_cast<const TPixel *>(image),
           MakeGeometry<VDimension>(warp.output),
           static_cast<TPixel *>(output),
           WalkOf(warp.output),
           warp.nearest,
           warp.singleCoordinates,
           StagesOfWarp<VDimension>(warp.stages) };
}

/** \brief The arguments of a field. */
template <unsigned int VDimension, typename TReal>
ChainField<VDimension, TReal>
MakeChainField(const std::vector<TransformChain::Stage> & stages, const FieldShape & shape, void * output)
{
  return { MakeGeometry<VDimension>(shape.grid),
           static_cast<TReal *>(output),
           WalkOf(shape.grid),
           StagesOfWarp<VDimension>(stages) };
}

/** \brief Calls \p run with CompiledField of an image's pixels. */
template <typename TRun>
void
DispatchWarp(const ImageWarp & warp, const TRun & run)
{
  if (warp.pixel != ScalarType::UInt8)
  {
    DispatchField(warp.output.dimension, warp.pixel, run);
  }
  else if (warp.output.dimension == 2)
  {
    run(CompiledField<2, std::uint8_t>());
  }
  else
  {
    run(CompiledField<3, std::uint8_t>());
  }
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
