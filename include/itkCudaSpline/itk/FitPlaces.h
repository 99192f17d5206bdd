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
#ifndef itkCudaSpline_itk_FitPlaces_h
#define itkCudaSpline_itk_FitPlaces_h

#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/kernels/common/Execution.h"

#include "itkContinuousIndex.h"
#include "itkDisplacementFieldToBSplineImageFilter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/** \file
 * \brief The points at which itk::DisplacementFieldToBSplineImageFilter takes the samples of a field. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Points of the samples of a grid, in the form of CudaSpline::FieldSplineFit. */
struct FitPlaces
{
  std::vector<float> numbers; ///< along the axes (mm)
  /** The coordinates along x, then along y, and so on; else the coordinates of each sample are adjacent. */
  bool areByAxis{ false };
};

/** \brief Computes the points with ITK's functions, in the order and with the types of its filter.
 *
 * \tparam TField the displacement field that the filter gets
 * \param[in] domain grid of the field, whose first sample has index 0
 * \param[in] host threads, which share the samples of an oblique grid */
template <typename TField>
FitPlaces
MakeFitPlaces(const ImageBase<TField::ImageDimension> * domain,
              const CudaSpline::HostExecutor &          host = CudaSpline::HostExecutor())
{
  constexpr unsigned int dimension = TField::ImageDimension;
  using Filter = DisplacementFieldToBSplineImageFilter<TField>;
  using Place = typename Filter::InputPointSetType::PointType; // of float, for any type of the field
  using Index = ContinuousIndex<typename TField::PointType::ValueType, dimension>;
  const auto region = domain->GetBufferedRegion();
  const auto parametric = TField::New(); // the grid, with its axes along those of physical space
  parametric->SetOrigin(domain->GetOrigin());
  parametric->SetSpacing(domain->GetSpacing());
  parametric->SetRegions(region.GetSize());
  const auto placeOf = [&](const typename TField::IndexType & index) {
    Place physical;
    Index continuous;
    Place place;
    domain->TransformIndexToPhysicalPoint(index, physical);
    static_cast<void>(domain->TransformPhysicalPointToContinuousIndex(physical, continuous));
    parametric->TransformContinuousIndexToPhysicalPoint(continuous, place);
    return place;
  };

  FitPlaces  places;
  const auto grid = DescribeFieldGrid<dimension>(domain, region);
  const auto isDiagonal = [](const CudaSpline::FieldGrid::Matrix & matrix) {
    bool diagonal = true;
    for (unsigned int n = 0; n < dimension * dimension; ++n)
    {
      diagonal = diagonal && (n / dimension == n % dimension || matrix[n / dimension][n % dimension] == 0.0);
    }
    return diagonal;
  };
  places.areByAxis = isDiagonal(grid.indexToPoint) && isDiagonal(grid.pointToIndex);
  typename TField::IndexType index;
  index.Fill(0);
  for (unsigned int d = 0; d < dimension && places.areByAxis; ++d)
  {
    for (index[d] = 0; index[d] < static_cast<IndexValueType>(region.GetSize(d)); ++index[d])
    {
      places.numbers.push_back(placeOf(index)[d]);
    }
    index[d] = 0;
  }
  if (places.areByAxis)
  {
    return places;
  }
  places.numbers.resize(region.GetNumberOfPixels() * dimension);
  const auto length = static_cast<IndexValueType>(region.GetSize(0));
  const auto rows = static_cast<std::int64_t>(region.GetNumberOfPixels() / region.GetSize(0));
  host.ParallelFor(rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
    {
      float *                    to = places.numbers.data() + row * length * dimension;
      typename TField::IndexType at;
      std::int64_t               rest = row;
      for (unsigned int d = 1; d < dimension; ++d)
      {
        at[d] = rest % static_cast<std::int64_t>(region.GetSize(d));
        rest /= static_cast<std::int64_t>(region.GetSize(d));
      }
      for (at[0] = 0; at[0] < length; ++at[0])
      {
        const Place place = placeOf(at);
        to = std::copy(place.Begin(), place.End(), to);
      }
    }
  });
  return places;
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
