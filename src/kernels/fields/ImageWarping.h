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
#include <stdexcept>
#include <string>

/** \file
 * \brief Images and fields under chains of transforms: bodies of host and device. */

namespace itk::CudaSpline
{

/** \brief A chain of stages, in the memory of the backend. */
template <unsigned int VDimension>
struct StagesOfWarp
{
  const TransformStage<VDimension> * first;
  int                                count;

  explicit StagesOfWarp(const ResidentStages & stages)
    : first(static_cast<const TransformStage<VDimension> *>(stages.Data()))
    , count(stages.Count())
  {}

  /** Moves a place (mm). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Walk(double (&place)[VDimension]) const
  {
    if (count > 0)
    {
      WalkStages(first, count, place);
    }
  }
};

/** \brief What WarpImage() reads and writes. */
template <unsigned int VDimension, typename TPixel, typename TReal>
struct ImageWarping
{
  GridGeometry<VDimension> inputGrid;
  const TPixel *           input;
  GridGeometry<VDimension> grid;
  const TReal *            field; ///< null: none
  TPixel *                 output;
  FieldWalk                walk;
  StagesOfWarp<VDimension> stages;

  /** A pixel of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    double             place[VDimension];
    double             index[VDimension];
    PlaceOfSample(grid, at, place);
    if (field != nullptr)
    {
      TReal vector[VDimension];
      LoadVector(field, offset, vector);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        place[d] = RoundedSum(place[d], static_cast<double>(vector[d]));
      }
    }
    stages.Walk(place);
    inputGrid.PointToContinuousIndex(place, index);
    TPixel pixel = TPixel(0);
    if (IsInsideBuffer(inputGrid.extent, index))
    {
      pixel = this->PixelAt(index);
    }
    output[offset] = pixel;
  }

private:
  /** The image within its buffer: linear; of a mask the nearest pixel. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TPixel
  PixelAt(const double (&index)[VDimension]) const
  {
    if constexpr (sizeof(TPixel) >= sizeof(float))
    {
      const LinearCell<VDimension> cell(inputGrid.extent, index);
      return static_cast<TPixel>(cell.template Value<double>(input));
    }
    else
    {
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
    stages.Walk(moved);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      vector[d] = static_cast<TReal>(moved[d] - place[d]);
    }
    StoreVector(output, OffsetOf(walk, at), vector);
  }
};

/** \brief Calls \p run with the arguments of a warp. */
template <typename TRun>
void
DispatchWarp(const ResidentImage &  image,
             const FieldShape &     shape,
             const void *           field,
             const ResidentStages & stages,
             void *                 output,
             const TRun &           run)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    const auto             of = [&](auto pixel) {
      using Pixel = decltype(pixel);
      run(ImageWarping<dimension, Pixel, Real>{ MakeGeometry<dimension>(image.grid),
                                                static_cast<const Pixel *>(image.data.get()),
                                                MakeGeometry<dimension>(shape.grid),
                                                static_cast<const Real *>(field),
                                                static_cast<Pixel *>(output),
                                                WalkOf(shape.grid),
                                                StagesOfWarp<dimension>(stages) });
    };
    switch (image.pixel)
    {
      case ScalarType::UInt8:
        of(std::uint8_t());
        break;
      case ScalarType::Float32:
        of(float());
        break;
      case ScalarType::Float64:
        of(double());
        break;
      default:
        throw std::invalid_argument(std::string("Images of ") + NameOf(image.pixel) +
                                    " are not warped: float32, float64, and uint8 of masks.");
    }
  });
}

/** \brief The arguments of a field. */
template <unsigned int VDimension, typename TReal>
ChainField<VDimension, TReal>
MakeChainField(const ResidentStages & stages, const FieldShape & shape, void * output)
{
  return { MakeGeometry<VDimension>(shape.grid),
           static_cast<TReal *>(output),
           WalkOf(shape.grid),
           StagesOfWarp<VDimension>(stages) };
}

/** See WarpImage(). */
void
WarpImageOnCuda(const ResidentImage &  image,
                const FieldShape &     fieldShape,
                const void *           field,
                const ResidentStages & stages,
                void *                 output,
                const Residence &      residence);

/** See MakeField(). */
void
MakeFieldOnCuda(const ResidentStages & stages, const FieldShape & shape, void * output, const Residence & residence);

} // namespace itk::CudaSpline

#endif
