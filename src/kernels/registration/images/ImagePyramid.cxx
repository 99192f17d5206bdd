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
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"

#include "itkCudaSpline/kernels/gaussian/ResidentGaussian.h"
#include "itkCudaSpline/kernels/registration/ImageStatistics.h"

#include "kernels/registration/images/MaskedImage.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{

/** Returns the continuous index of the centre of a grid. */
FieldGrid::Vector
CentreOf(const FieldGrid & grid)
{
  FieldGrid::Vector centre{};
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    centre[d] = static_cast<double>(grid.start[d]) + static_cast<double>(grid.size[d] - 1) / 2.0;
  }
  return centre;
}

/** Describes a Gaussian over a grid, without its sigmas. */
GaussianDescriptor
DescribeGaussian(const FieldGrid & grid, ScalarType pixel, ScalarType output)
{
  GaussianDescriptor descriptor;
  descriptor.dimension = grid.dimension;
  descriptor.pixel = pixel;
  descriptor.output = output;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    descriptor.size[d] = grid.size[d];
    descriptor.spacing[d] = grid.spacing[d];
  }
  return descriptor;
}

} // namespace

std::array<unsigned int, 3>
ShrinkFactors(const FieldGrid & grid, const PyramidLevel & level)
{
  std::array<unsigned int, 3> factors{ { 1, 1, 1 } };
  const double wanted = level.shrink * *std::min_element(grid.spacing.begin(), grid.spacing.begin() + grid.dimension);
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    factors[d] = level.shrink;
    for (unsigned int smaller = level.shrink; level.isByAxis && smaller-- > 1;)
    {
      if (std::abs(grid.spacing[d] * smaller - wanted) < std::abs(grid.spacing[d] * factors[d] - wanted))
      {
        factors[d] = smaller;
      }
    }
  }
  return factors;
}

FieldGrid::Matrix
InvertGridMatrix(const FieldGrid::Matrix & matrix, unsigned int dimension)
{
  FieldGrid::Matrix whole{ { { { 1.0, 0.0, 0.0 } }, { { 0.0, 1.0, 0.0 } }, { { 0.0, 0.0, 1.0 } } } };
  bool              isDiagonal = true;
  for (unsigned int r = 0; r < dimension; ++r)
  {
    for (unsigned int c = 0; c < dimension; ++c)
    {
      whole[r][c] = matrix[r][c];
      isDiagonal = isDiagonal && (r == c || matrix[r][c] == 0.0);
    }
  }
  const auto cofactor = [&](unsigned int r, unsigned int c) {
    const unsigned int r1 = (r + 1) % 3;
    const unsigned int r2 = (r + 2) % 3;
    const unsigned int c1 = (c + 1) % 3;
    const unsigned int c2 = (c + 2) % 3;
    return whole[r1][c1] * whole[r2][c2] - whole[r1][c2] * whole[r2][c1];
  };
  const double determinant = whole[0][0] * cofactor(0, 0) + whole[0][1] * cofactor(0, 1) + whole[0][2] * cofactor(0, 2);
  if (!(std::abs(determinant) > 0.0) || !std::isfinite(determinant))
  {
    throw std::invalid_argument("The matrix of a grid is singular (determinant " + std::to_string(determinant) + ").");
  }
  FieldGrid::Matrix inverse{};
  for (unsigned int r = 0; r < dimension; ++r)
  {
    for (unsigned int c = 0; c < dimension; ++c)
    {
      inverse[r][c] = cofactor(c, r) / determinant;
    }
    if (isDiagonal)
    {
      inverse[r] = {};
      inverse[r][r] = 1.0 / whole[r][r]; // rounded once
    }
  }
  return inverse;
}

FieldGrid
ShrinkGrid(const FieldGrid & grid, unsigned int factor)
{
  return ShrinkGrid(grid, PyramidLevel{ factor });
}

FieldGrid
ShrinkGrid(const FieldGrid & grid, const PyramidLevel & level)
{
  if (level.shrink == 0)
  {
    throw std::invalid_argument("The shrink factor of a level is 0; it must be at least 1.");
  }
  const auto factors = ShrinkFactors(grid, level);
  if (factors == std::array<unsigned int, 3>{ { 1, 1, 1 } })
  {
    return grid;
  }
  FieldGrid shrunk = grid;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    const unsigned int factor = factors[d];
    shrunk.spacing[d] = grid.spacing[d] * factor;
    shrunk.size[d] = grid.size[d] / factor > 1 ? grid.size[d] / factor : 1;
    shrunk.start[d] =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(grid.start[d]) / static_cast<double>(factor)));
    for (unsigned int r = 0; r < grid.dimension; ++r)
    {
      shrunk.indexToPoint[r][d] = grid.indexToPoint[r][d] * factor;
    }
  }
  shrunk.pointToIndex = InvertGridMatrix(shrunk.indexToPoint, grid.dimension);
  const FieldGrid::Vector before = PlaceOfIndex(grid, CentreOf(grid));
  const FieldGrid::Vector after = PlaceOfIndex(shrunk, CentreOf(shrunk));
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    shrunk.origin[d] = grid.origin[d] + (before[d] - after[d]);
  }
  return shrunk;
}

GaussianDescriptor
DescribeSmoothing(const ResidentImage & image, double sigma, bool isInMm)
{
  GaussianDescriptor descriptor = DescribeGaussian(image.grid, image.pixel, image.pixel);
  for (unsigned int d = 0; d < image.grid.dimension; ++d)
  {
    const bool isThin = image.grid.size[d] < SmallestGaussianLine;
    descriptor.sigma[d] = isThin ? 0.0 : isInMm ? sigma : sigma * image.grid.spacing[d];
  }
  return descriptor;
}

GaussianDescriptor
DescribeGradient(const FieldGrid & grid, ScalarType pixel, ScalarType output)
{
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    if (grid.size[d] < SmallestGaussianLine)
    {
      throw std::invalid_argument("The image has " + std::to_string(grid.size[d]) + " samples along axis " +
                                  std::to_string(d) + "; gradients by a filter need at least " +
                                  std::to_string(SmallestGaussianLine) + " (central differences support any number)");
    }
  }
  GaussianDescriptor descriptor = DescribeGaussian(grid, pixel, output);
  descriptor.normalizeAcrossScale = true;
  descriptor.isRotated = true;
  const auto & spacing = grid.spacing;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    descriptor.sigma[d] = *std::max_element(spacing.begin(), spacing.begin() + grid.dimension);
    for (unsigned int c = 0; c < grid.dimension; ++c)
    {
      descriptor.direction[std::size_t{ d } * grid.dimension + c] = grid.indexToPoint[d][c] / spacing[c];
    }
  }
  return descriptor;
}

ResidentImage
SmoothImage(const ResidentImage & image, const GaussianDescriptor & smoothing, const Residence & residence)
{
  // Axes that are too short for the filter are not filtered. The others are filtered in ITK's order.
  const auto last = static_cast<int>(smoothing.dimension) - 1;
  const bool isWhole = std::all_of(
    smoothing.sigma.begin(), smoothing.sigma.begin() + smoothing.dimension, [](double sigma) { return sigma > 0.0; });
  ResidentImage smooth = image;
  for (int pass = isWhole ? last : 0; pass <= last; ++pass)
  {
    GaussianDescriptor descriptor = smoothing;
    if (!isWhole)
    {
      descriptor.onlyAxis = pass == 0 ? last : pass - 1;
      if (!(smoothing.sigma[static_cast<std::size_t>(descriptor.onlyAxis)] > 0.0))
      {
        continue;
      }
    }
    const std::size_t   bytes = static_cast<std::size_t>(image.grid.Count()) * SizeOf(image.pixel);
    const auto          array = std::make_shared<ResidentArray>(bytes, residence);
    const ResidentArray scratch(
      CountResidentGaussianScratch(descriptor, GaussianOperation::Smoothing, residence.GetBackend()), residence);
    SmoothResident(descriptor, smooth.data.get(), array->Data(), scratch.Data(), residence);
    smooth.data = std::shared_ptr<const void>(array, array->Data());
  }
  return smooth;
}

SynSide
SmoothSide(const SynSide & side, const PyramidLevel & level, bool isInMm, const Residence & residence, bool isUnderMask)
{
  SynSide smooth = side;
  if (isUnderMask && side.mask.data != nullptr && level.iterations > 0)
  {
    const bool               isSmoothed = level.sigma > 0.0;
    const GaussianDescriptor smoothing =
      isSmoothed ? DescribeSmoothing(side.image, level.sigma, isInMm) : DescribeSmoothing(side.image, 1.0, false);
    smooth.image = SmoothUnderMask(side, smoothing, !isSmoothed, residence);
    return smooth;
  }
  if (level.sigma > 0.0 && level.iterations > 0)
  {
    smooth.image = SmoothImage(side.image, DescribeSmoothing(side.image, level.sigma, isInMm), residence);
  }
  return smooth;
}

ResidentImage
MakeResidentImage(const FieldGrid & grid, ScalarType pixel, const void * pixels, const Residence & residence)
{
  ResidentImage image;
  image.grid = grid;
  image.pixel = pixel;
  if (residence.IsOnDevice())
  {
    const auto array =
      std::make_shared<ResidentArray>(static_cast<std::size_t>(grid.Count()) * SizeOf(pixel), residence);
    Upload(array->Data(), pixels, array->Bytes(), residence);
    image.data = std::shared_ptr<const void>(array, array->Data());
  }
  else
  {
    image.data = std::shared_ptr<const void>(pixels, [](const void *) {});
  }
  return image;
}

} // namespace itk::CudaSpline
