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
#include "kernels/registration/statistics/DeterminedParameters.h"

#include "kernels/registration/images/CoarseImage.h"

#include "itkCudaSpline/kernels/registration/ImagePyramid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

constexpr std::size_t Most = LinearTransform::MaxParameters;
using Vector = LinearTransform::Vector;
template <unsigned int VDimension>
constexpr std::ptrdiff_t SamplesOfAnAxis = VDimension == 2 ? 64 : 24;

/** The normal matrix of the derivatives of images by parameters, and the displacements that parameters cause. */
struct NormalMatrix
{
  std::array<std::array<double, Most>, Most> products{};
  std::array<double, Most>                   motions{}; ///< sums of squares of displacements
  std::size_t                                samples{ 0 };

  void
  Add(const NormalMatrix & other)
  {
    for (std::size_t p = 0; p < Most; ++p)
    {
      std::transform(
        products[p].begin(), products[p].end(), other.products[p].begin(), products[p].begin(), std::plus<>());
    }
    std::transform(motions.begin(), motions.end(), other.motions.begin(), motions.begin(), std::plus<>());
    samples += other.samples;
  }
};

/** Returns the grid of the points to which a linear transform maps the points of a grid. */
FieldGrid
MapGrid(const LinearTransform & transform, const FieldGrid & grid)
{
  FieldGrid mapped = grid;
  mapped.origin = transform.Apply(grid.origin);
  for (unsigned int row = 0; row < grid.dimension; ++row)
  {
    for (unsigned int column = 0; column < grid.dimension; ++column)
    {
      mapped.indexToPoint[row][column] = 0.0;
      for (unsigned int k = 0; k < grid.dimension; ++k)
      {
        mapped.indexToPoint[row][column] += transform.GetMatrix()[row][k] * grid.indexToPoint[k][column];
      }
    }
  }
  mapped.pointToIndex = InvertGridMatrix(mapped.indexToPoint, grid.dimension);
  return mapped;
}

/** Returns the point of a sample of a grid (mm). */
Vector
PointOf(const FieldGrid & grid, std::int64_t sample)
{
  Vector index{};
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    index[d] = static_cast<double>(grid.start[d] + sample % grid.size[d]);
    sample /= grid.size[d];
  }
  return PlaceOfIndex(grid, index);
}

/** Samples a moving image through stages. */
template <unsigned int VDimension>
class MovingSampler
{
public:
  MovingSampler(const MaskedImage & moving, const DisplacementSource & behind, const Residence & residence)
    : m_Context(residence.GetContext())
    , m_Image(moving, moving.grid, false, residence, SamplesOfAnAxis<VDimension>)
    , m_Behind(behind)
  {}

  /** Returns values at the points of a grid; NaN outside. */
  std::vector<double>
  ValuesAt(const FieldGrid & grid) const
  {
    const std::vector<double> displacements = m_Behind(grid);
    std::vector<double>       values(static_cast<std::size_t>(grid.Count()));
    m_Context.ParallelFor(grid.Count(), [&](std::int64_t begin, std::int64_t end) {
      for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n)
      {
        const Vector        point = PointOf(grid, static_cast<std::int64_t>(n));
        PlaceOf<VDimension> moved{};
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          moved[d] = point[d] + displacements[n * VDimension + d] - m_Image.first[d];
        }
        values[n] = this->ValueAt(Turned(m_Image.indexOfPoint, moved));
      }
    });
    return values;
  }

private:
  double
  ValueAt(const PlaceOf<VDimension> & index) const
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      if (!(index[d] >= -0.5 && index[d] <= static_cast<double>(m_Image.size[d]) - 0.5))
      {
        return std::numeric_limits<double>::quiet_NaN();
      }
    }
    PlaceOf<VDimension> inside = index;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      inside[d] = std::clamp(index[d], 0.0, static_cast<double>(m_Image.size[d] - 1));
    }
    return m_Image.ValueAt(inside);
  }

  const ExecutionContext &   m_Context;
  CoarseImage<VDimension>    m_Image;
  const DisplacementSource & m_Behind;
};

/** Returns the derivatives of a transformed moving image (per mm) by central differences along the axes of a grid. An
 * image that is constant along an axis then has no derivative along it due to interpolation. If a difference needs a
 * value outside the image, it uses the sample itself. */
template <unsigned int VDimension>
std::vector<Vector>
FindGradients(const MovingSampler<VDimension> & sampler, const FieldGrid & mapped, const std::vector<double> & values)
{
  std::vector<Vector> gradients(values.size());
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    for (const double sign : { -1.0, 1.0 })
    {
      FieldGrid moved = mapped;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        moved.origin[d] += sign * mapped.indexToPoint[d][axis];
      }
      const std::vector<double> neighbors = sampler.ValuesAt(moved);
      for (std::size_t n = 0; n < values.size(); ++n)
      {
        const double difference = std::isnan(neighbors[n]) ? 0.0 : 0.5 * sign * (neighbors[n] - values[n]);
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          gradients[n][d] += mapped.pointToIndex[axis][d] * difference;
        }
      }
    }
  }
  return gradients;
}

/** Returns the displacement per unit of a parameter (mm). */
Vector
MotionOf(const LinearTransform::Slope & slope, const Vector & fromCentre)
{
  Vector motion = slope.shift;
  for (std::size_t row = 0; row < motion.size(); ++row)
  {
    motion[row] += std::inner_product(fromCentre.begin(), fromCentre.end(), slope.matrix[row].begin(), 0.0);
  }
  return motion;
}

std::vector<LinearTransform::Slope>
SlopesOf(const LinearTransform & transform)
{
  std::vector<LinearTransform::Slope> slopes;
  for (std::size_t p = 0; p < transform.CountParameters(); ++p)
  {
    slopes.push_back(transform.GetSlope(p));
  }
  return slopes;
}

/** Adds a sample. */
void
AddSample(const std::vector<LinearTransform::Slope> & slopes,
          const Vector &                              fromCentre,
          const Vector &                              gradient,
          NormalMatrix &                              normal)
{
  std::array<double, Most> derivatives{};
  for (std::size_t p = 0; p < slopes.size(); ++p)
  {
    const Vector motion = MotionOf(slopes[p], fromCentre);
    derivatives[p] = std::inner_product(motion.begin(), motion.end(), gradient.begin(), 0.0);
    normal.motions[p] += std::inner_product(motion.begin(), motion.end(), motion.begin(), 0.0);
    for (std::size_t q = 0; q <= p; ++q)
    {
      normal.products[p][q] += derivatives[p] * derivatives[q];
      normal.products[q][p] = normal.products[p][q];
    }
  }
  ++normal.samples;
}

template <unsigned int VDimension>
NormalMatrix
MakeNormalMatrix(const MaskedImage &        fixed,
                 const MaskedImage &        moving,
                 const LinearTransform &    transform,
                 const DisplacementSource & behind,
                 const Residence &          residence)
{
  const CoarseImage<VDimension>   samples(fixed, fixed.grid, true, residence, SamplesOfAnAxis<VDimension>);
  const MovingSampler<VDimension> sampler(moving, behind, residence);
  const SpatialMask               mask(fixed.maskGrid, fixed.mask);
  const FieldGrid                 mapped = MapGrid(transform, samples.voxels);
  const std::vector<double>       values = sampler.ValuesAt(mapped);
  const std::vector<Vector>       gradients = FindGradients(sampler, mapped, values);
  const auto                      slopes = SlopesOf(transform);
  constexpr std::size_t           parts = 64; // the sums are the same for any number of threads
  std::array<NormalMatrix, parts> normals;
  residence.GetContext().ParallelFor(parts, [&](std::int64_t begin, std::int64_t end) {
    for (auto part = static_cast<std::size_t>(begin); part < static_cast<std::size_t>(end); ++part)
    {
      for (std::size_t n = values.size() * part / parts; n < values.size() * (part + 1) / parts; ++n)
      {
        Vector point = PointOf(samples.voxels, static_cast<std::int64_t>(n));
        if (std::isnan(values[n]) || !mask.IsInside(point))
        {
          continue;
        }
        std::transform(point.begin(), point.end(), transform.GetCentre().begin(), point.begin(), std::minus<>());
        AddSample(slopes, point, gradients[n], normals[part]);
      }
    }
  });
  NormalMatrix normal;
  std::for_each(normals.begin(), normals.end(), [&normal](const NormalMatrix & part) { normal.Add(part); });
  return normal;
}

/** Removes the projection onto a column from all columns: a step of a Cholesky factorization. */
void
Eliminate(std::array<std::array<double, Most>, Most> & products, std::size_t pivot)
{
  const std::array<double, Most> row = products[pivot];
  for (std::size_t p = 0; p < Most; ++p)
  {
    for (std::size_t q = 0; q < Most; ++q)
    {
      products[p][q] -= row[p] * row[q] / row[pivot];
    }
  }
}

/** Returns the parameters that remain. */
std::vector<std::size_t>
FactorizeMatrix(const LinearTransform & transform, NormalMatrix normal)
{
  std::vector<std::size_t> left(transform.CountParameters());
  std::iota(left.begin(), left.end(), 0);
  const auto scaleOf = [&](std::size_t p) {
    return normal.motions[p] > 0.0 ? 1.0 / std::sqrt(normal.motions[p]) : 0.0;
  };
  for (const std::size_t p : left)
  {
    for (const std::size_t q : left)
    {
      normal.products[p][q] *= scaleOf(p) * scaleOf(q);
    }
  }
  const auto isTranslation = [&](std::size_t p) { return transform.GetSlope(p).matrix == LinearTransform::Matrix{}; };
  const auto lengthOf = [&](std::size_t p) { return normal.products[p][p]; };
  double     largest = 0.0;
  for (const std::size_t p : left)
  {
    largest = std::max(largest, lengthOf(p));
  }
  const double least = MinSingularValue * MinSingularValue * largest;
  // Translations are eliminated last while they are significant, so that they explain what they can.
  const auto isLess = [&](std::size_t a, std::size_t b) {
    const bool isA = isTranslation(a) && lengthOf(a) > least;
    const bool isB = isTranslation(b) && lengthOf(b) > least;
    return isA != isB ? isB : lengthOf(a) < lengthOf(b);
  };
  while (!left.empty())
  {
    const auto pivot = std::max_element(left.begin(), left.end(), isLess);
    if (!(lengthOf(*pivot) > least))
    {
      break;
    }
    Eliminate(normal.products, *pivot);
    left.erase(pivot);
  }
  return left;
}

} // namespace

std::vector<std::size_t>
FindUndeterminedParameters(const MaskedImage &        fixed,
                           const MaskedImage &        moving,
                           const LinearTransform &    transform,
                           const DisplacementSource & behind,
                           const Residence &          residence)
{
  constexpr std::size_t fewest = 500;
  const NormalMatrix    normal = transform.GetDimension() == 2
                                   ? MakeNormalMatrix<2>(fixed, moving, transform, behind, residence)
                                   : MakeNormalMatrix<3>(fixed, moving, transform, behind, residence);
  double                trace = 0.0;
  for (std::size_t p = 0; p < Most; ++p)
  {
    trace += normal.products[p][p];
  }
  const bool canTell = normal.samples >= fewest && trace > 0.0;
  return canTell ? FactorizeMatrix(transform, normal) : std::vector<std::size_t>{};
}

} // namespace itk::CudaSpline
