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
#ifndef kernels_registration_CoarseImage_h
#define kernels_registration_CoarseImage_h

#include "kernels/registration/images/BoxSums.h"
#include "kernels/registration/images/SpatialMask.h"

#include "itkCudaSpline/kernels/registration/ImageStatistics.h"
#include "itkCudaSpline/kernels/registration/RotationSearch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace itk::CudaSpline
{

/** Number of bins of the histograms of coarse images. */
inline constexpr unsigned int bins = 24;

template <unsigned int VDimension>
using PlaceOf = std::array<double, VDimension>;
template <unsigned int VDimension>
using MatrixOf = std::array<PlaceOf<VDimension>, VDimension>;
template <unsigned int VDimension>
using IndexOf = std::array<std::ptrdiff_t, VDimension>;

template <std::size_t VDimension>
std::array<double, VDimension>
Turned(const std::array<std::array<double, VDimension>, VDimension> & matrix, const std::array<double, VDimension> & by)
{
  std::array<double, VDimension> turned{};
  for (std::size_t r = 0; r < VDimension; ++r)
  {
    for (std::size_t c = 0; c < VDimension; ++c)
    {
      turned[r] += matrix[r][c] * by[c];
    }
  }
  return turned;
}

template <std::size_t VDimension>
std::array<std::array<double, VDimension>, VDimension>
Product(const std::array<std::array<double, VDimension>, VDimension> & a,
        const std::array<std::array<double, VDimension>, VDimension> & b)
{
  std::array<std::array<double, VDimension>, VDimension> product{};
  for (std::size_t r = 0; r < VDimension; ++r)
  {
    for (std::size_t c = 0; c < VDimension; ++c)
    {
      for (std::size_t k = 0; k < VDimension; ++k)
      {
        product[r][c] += a[r][k] * b[k][c];
      }
    }
  }
  return product;
}

/** Index of a voxel by its number in memory. */
template <std::size_t VDimension>
std::array<std::ptrdiff_t, VDimension>
IndexOfVoxel(std::size_t number, const std::array<std::ptrdiff_t, VDimension> & size)
{
  std::array<std::ptrdiff_t, VDimension> index{};
  for (std::size_t d = 0; d < VDimension; ++d)
  {
    index[d] = static_cast<std::ptrdiff_t>(number % static_cast<std::size_t>(size[d]));
    number /= static_cast<std::size_t>(size[d]);
  }
  return index;
}

/** Advances to the next voxel. */
template <std::size_t VDimension>
void
Advance(std::array<std::ptrdiff_t, VDimension> & index, const std::array<std::ptrdiff_t, VDimension> & size)
{
  for (std::size_t d = 0; d < VDimension && ++index[d] == size[d]; ++d)
  {
    index[d] = 0;
  }
}

/** Calls a functor with the number and the index of each voxel, on several threads. */
template <std::size_t VDimension, typename TFunctor>
void
ForEachVoxel(const std::array<std::ptrdiff_t, VDimension> & size,
             const ExecutionContext &                       context,
             const TFunctor &                               functor)
{
  const std::ptrdiff_t rows = std::accumulate(size.begin() + 1, size.end(), std::ptrdiff_t{ 1 }, std::multiplies<>());
  context.ParallelFor(rows, [&](std::int64_t begin, std::int64_t end) {
    auto       number = static_cast<std::size_t>(begin * size[0]);
    const auto last = static_cast<std::size_t>(end * size[0]);
    for (auto index = IndexOfVoxel(number, size); number < last; ++number, Advance(index, size))
    {
      functor(number, index);
    }
  });
}

inline double
Entropy(const double * parts, std::size_t count)
{
  return std::accumulate(
    parts, parts + count, 0.0, [](double sum, double part) { return part > 0.0 ? sum - part * std::log(part) : sum; });
}

/** Means of boxes of voxels. */
template <unsigned int VDimension>
struct CoarseImage
{
  using Place = PlaceOf<VDimension>;
  using Index = IndexOf<VDimension>;

  FieldGrid            voxels; ///< grid of the coarse voxels
  Index                size{};
  double               widest{ 0.0 };  ///< largest spacing (mm)
  Place                first{};        ///< point of the first coarse voxel
  MatrixOf<VDimension> pointOfIndex{}; ///< per coarse voxel
  MatrixOf<VDimension> indexOfPoint{};
  std::vector<double>  values;
  std::vector<bool>    isUnderMask; ///< whether any of its voxels is under the mask
  double               least{ 0.0 };
  double               low{ 0.0 }; ///< smallest value of the bins
  double               high{ 0.0 };

  /** \param[in] image its pixels are in the memory of the residence, and its mask is on the host
   * \param[in] part of the image, on its grid
   * \param[in] isBrief three voxels along each axis of a coarse one are read, and the mask in its middle
   * \param[in] residence where the pixels are
   * \param[in] most voxels of the longest axis, about */
  CoarseImage(const MaskedImage & image,
              const FieldGrid &   part,
              bool                isBrief,
              const Residence &   residence,
              std::ptrdiff_t      most = 40)
  {
    const Index factor = this->Lay(part, most);
    VoxelBoxes  boxes;
    boxes.part = part;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      boxes.width[d] = factor[d];
      boxes.stride[d] = isBrief ? std::max<std::ptrdiff_t>(1, factor[d] / 3) : 1;
    }
    this->Fill(image, boxes, isBrief, residence);
    const auto range = std::minmax_element(values.begin(), values.end());
    least = *range.first;
    low = *range.first;
    high = *range.second;
    if (isBrief)
    {
      // A few outliers must not put all other values into one bin.
      std::vector<double> sorted = values;
      const auto          outer = static_cast<std::ptrdiff_t>(0.01 * static_cast<double>(sorted.size() - 1));
      std::nth_element(sorted.begin(), sorted.begin() + outer, sorted.end());
      low = sorted[static_cast<std::size_t>(outer)];
      std::nth_element(sorted.begin() + outer, sorted.end() - 1 - outer, sorted.end());
      high = *(sorted.end() - 1 - outer);
    }
  }

  Place
  PlaceAt(const Index & index) const
  {
    Place steps{};
    std::copy(index.begin(), index.end(), steps.begin());
    Place place = Turned(pointOfIndex, steps);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      place[d] += first[d];
    }
    return place;
  }

  unsigned int
  BinOf(double value) const
  {
    const double width = high - low;
    const double place = width > 0.0 ? bins * (value - low) / width : 0.0;
    return static_cast<unsigned int>(std::max(0.0, std::min(place, bins - 1.0)));
  }

  /** The image at a continuous index, linearly; its least value outside. */
  double
  ValueAt(const Place & index) const
  {
    Index base{};
    Place weight{};
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const auto   last = static_cast<double>(size[d] - 1);
      const double margin = size[d] == 1 ? 0.5 : 1e-6; // a single slice is as thick as a voxel; else points are rounded
      if (!(index[d] >= -margin && index[d] <= last + margin))
      {
        return least;
      }
      const double at = std::max(0.0, std::min(index[d], last));
      base[d] = std::min(static_cast<std::ptrdiff_t>(at), std::max<std::ptrdiff_t>(size[d] - 2, 0));
      weight[d] = at - static_cast<double>(base[d]);
    }
    double sum = 0.0;
    for (unsigned int corner = 0; corner < (1U << VDimension); ++corner)
    {
      double         product = 1.0;
      std::ptrdiff_t offset = 0;
      for (unsigned int d = VDimension; d-- > 0;)
      {
        const bool isNext = ((corner >> d) & 1U) != 0;
        product *= isNext ? weight[d] : 1.0 - weight[d];
        offset = offset * size[d] + std::min(base[d] + (isNext ? 1 : 0), size[d] - 1);
      }
      sum += product != 0.0 ? product * values[static_cast<std::size_t>(offset)] : 0.0;
    }
    return sum;
  }

private:
  /** Sets the grid of the coarse voxels; returns their size in voxels along each axis. */
  Index
  Lay(const FieldGrid & image, std::ptrdiff_t most)
  {
    double extent = 0.0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      extent = std::max(extent, static_cast<double>(image.size[d]) * image.spacing[d]);
    }
    Index             factor{};
    FieldGrid::Vector corner{};
    std::size_t       count = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      factor[d] = std::max<std::ptrdiff_t>(
        1, static_cast<std::ptrdiff_t>(std::round(extent / static_cast<double>(most) / image.spacing[d])));
      factor[d] = std::min(factor[d], static_cast<std::ptrdiff_t>(image.size[d]));
      size[d] = (static_cast<std::ptrdiff_t>(image.size[d]) + factor[d] - 1) / factor[d];
      widest = std::max(widest, image.spacing[d] * static_cast<double>(factor[d]));
      corner[d] = static_cast<double>(image.start[d]) + 0.5 * static_cast<double>(factor[d] - 1);
      count *= static_cast<std::size_t>(size[d]);
    }
    const FieldGrid::Vector place = PlaceOfIndex(image, corner);
    std::copy_n(place.begin(), VDimension, first.begin());
    voxels.dimension = VDimension;
    voxels.origin = place;
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      voxels.size[r] = size[r];
      voxels.spacing[r] = image.spacing[r] * static_cast<double>(factor[r]);
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        pointOfIndex[r][c] = image.indexToPoint[r][c] * static_cast<double>(factor[c]);
        indexOfPoint[r][c] = image.pointToIndex[r][c] / static_cast<double>(factor[r]);
        voxels.indexToPoint[r][c] = pointOfIndex[r][c];
        voxels.pointToIndex[r][c] = indexOfPoint[r][c];
      }
    }
    values.assign(count, 0.0);
    isUnderMask.resize(count);
    return factor;
  }

  void
  Fill(const MaskedImage & image, const VoxelBoxes & boxes, bool isBrief, const Residence & residence)
  {
    const std::vector<BoxSum> sums = SumBoxes(image, !isBrief, boxes, residence);
    double                    lowest = std::numeric_limits<double>::infinity();
    for (const BoxSum & sum : sums)
    {
      lowest = std::min(lowest, sum.lowest);
    }
    const SpatialMask mask(image.maskGrid, image.mask);
    Index             coarse{};
    for (std::size_t n = 0; n < values.size(); ++n, Advance(coarse, size))
    {
      bool isCounted = sums[n].count > 0.0;
      if (isCounted && isBrief && image.mask != nullptr)
      {
        const Place       place = this->PlaceAt(coarse);
        FieldGrid::Vector middle{};
        std::copy(place.begin(), place.end(), middle.begin());
        isCounted = mask.IsInside(middle);
      }
      isUnderMask[n] = isCounted;
      values[n] = isCounted ? sums[n].sum / sums[n].count : lowest;
    }
  }
};

/** Throws for images that cannot be made coarse. */
inline void
CheckCoarsePair(const MaskedImage & fixed, const MaskedImage & moving)
{
  const unsigned int dimension = fixed.grid.dimension;
  const auto         isOf = [dimension](const MaskedImage & image) {
    return image.pixels != nullptr && image.grid.dimension == dimension && image.grid.Count() > 0 &&
           (image.mask == nullptr || image.maskGrid.dimension == dimension);
  };
  if ((dimension != 2 && dimension != 3) || !isOf(fixed) || !isOf(moving))
  {
    throw std::invalid_argument("Images and masks to be aligned must have 2 or 3 dimensions.");
  }
}

} // namespace itk::CudaSpline

#endif
