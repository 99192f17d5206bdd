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
#ifndef ImageMapping_h
#define ImageMapping_h

#include "itkCudaSpline/kernels/metrics/MappedImage.h"
#include "itkCudaSpline/math/LinearCell.h"

#include "kernels/fields/warping/ImageWarping.h"
#include "kernels/metrics/samples/OuterStages.h"
#include "kernels/metrics/samples/PointDifferences.h"

#include <cstdint>

/** \file
 * \brief Images mapped by a transform for metrics: the body for host and device. */

namespace itk::CudaSpline
{

/** \brief A grid, in the form that PointDifferences() needs. */
template <unsigned int VDimension>
struct DifferenceGrid : GridGeometry<VDimension>
{
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  IsInside(const double (&index)[VDimension]) const
  {
    return IsInsideBuffer(this->extent, index);
  }
};

/** \brief The mask of an image, sampled at the nearest pixel. */
template <unsigned int VDimension>
struct MaskOfImage
{
  GridGeometry<VDimension> grid;
  const std::uint8_t *     inside; ///< null: the image counts everywhere

  /** Whether the image counts at a point (mm). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  Admits(const double (&place)[VDimension]) const
  {
    if (inside == nullptr)
    {
      return true;
    }
    double index[VDimension];
    grid.PointToContinuousIndex(place, index);
    std::int64_t offset = 0;
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      constexpr double   beyond = 0x1p52; // beyond any index; false for NaN, too
      const bool         isKnown = index[d] >= -beyond && index[d] <= beyond;
      const std::int64_t near = isKnown ? NearestIndex(index[d]) - grid.extent.start[d] : -1;
      if (near < 0 || near >= grid.extent.size[d])
      {
        return false;
      }
      offset += near * stride;
      stride *= grid.extent.size[d];
    }
    return inside[offset] != 0;
  }
};

/** \brief The arrays of MapImage(). */
template <unsigned int VDimension, typename TPixel, typename TReal>
struct ImageMap
{
  DifferenceGrid<VDimension>    inputGrid;
  double                        halfSpacing[VDimension]; ///< of the image (mm)
  const TPixel *                input;
  const TReal *                 inputGradients; ///< null: differences
  MaskOfImage<VDimension>       mask;
  GridGeometry<VDimension>      grid;
  FieldWalk                     walk;
  WarpStages<VDimension, false> stages;
  TPixel *                      values;
  std::uint8_t *                inside;
  TReal *                       gradients;

  /** Computes a sample of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    double             place[VDimension];
    double             jacobian[VDimension][VDimension];
    double             index[VDimension];
    PlaceOfSample(grid, at, place);
    stages.field.Move(offset, place);
    WalkWithJacobian(stages.following, stages.count, place, jacobian);
    inputGrid.PointToContinuousIndex(place, index);
    double     gradient[VDimension] = {};
    TPixel     value = TPixel(0);
    const bool isInside = mask.Admits(place) && inputGrid.IsInside(index);
    if (isInside)
    {
      const LinearCell<VDimension> cell(inputGrid.extent, index);
      value = static_cast<TPixel>(cell.template Value<double>(input));
      this->FindGradient(cell, place, gradient);
    }
    values[offset] = value;
    inside[offset] = isInside ? 1 : 0;
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      double sum = 0.0;
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        sum += jacobian[r][c] * gradient[r];
      }
      gradients[offset * VDimension + c] = static_cast<TReal>(isInside ? sum : 0.0);
    }
  }

private:
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  FindGradient(LinearCell<VDimension> cell, const double (&place)[VDimension], double (&gradient)[VDimension]) const
  {
    if (inputGradients == nullptr)
    {
      PointDifferences(input, inputGrid, halfSpacing, place, gradient);
      return;
    }
    cell.offset *= VDimension; // offset of vectors
    for (std::int64_t & step : cell.step)
    {
      step *= VDimension;
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      gradient[d] = cell.template Value<double>(inputGradients + d);
    }
  }
};

/** \brief Calls \p run with the ImageMap of a mapping. */
template <typename TRun>
void
DispatchMapping(const ImageMapping &  mapping,
                const MappedSources & sources,
                const MappedImage &   output,
                const TRun &          run)
{
  DispatchField(mapping.output.grid.dimension, mapping.output.element, [&](auto compiled) {
    DispatchField(mapping.output.grid.dimension, mapping.pixel, [&](auto ofPixels) {
      using Real = typename decltype(compiled)::Real;
      using Pixel = typename decltype(ofPixels)::Real;
      constexpr unsigned int dimension = decltype(compiled)::Dimension;
      if constexpr (decltype(ofPixels)::Dimension == dimension)
      {
        ImageMap<dimension, Pixel, Real> map;
        static_cast<GridGeometry<dimension> &>(map.inputGrid) = MakeGeometry<dimension>(mapping.input);
        for (unsigned int d = 0; d < dimension; ++d)
        {
          map.halfSpacing[d] = 0.5 * mapping.input.spacing[d];
        }
        map.input = static_cast<const Pixel *>(sources.image);
        map.inputGradients = static_cast<const Real *>(sources.gradients);
        map.mask = { MakeGeometry<dimension>(mapping.mask), sources.mask };
        map.grid = MakeGeometry<dimension>(mapping.output.grid);
        map.walk = WalkOf(mapping.output.grid);
        map.stages = MakeWarpStages<dimension, false>(mapping.output.grid, mapping.stages);
        map.values = static_cast<Pixel *>(output.values);
        map.inside = output.inside;
        map.gradients = static_cast<Real *>(output.gradients);
        run(map);
      }
    });
  });
}

/** See MapImage(). */
void
MapImageOnCuda(const ImageMapping &  mapping,
               const MappedSources & sources,
               const MappedImage &   output,
               const Residence &     residence);

} // namespace itk::CudaSpline

#endif
