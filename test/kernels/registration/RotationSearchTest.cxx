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
// The search for rotations, and the quick check whether two images agree. Expected: an image of blobs is rotated by a
// known angle about a centre, and translated. Steps of refinement end at a sixteenth of 12 degrees (5 in 2-D) and of a
// coarse voxel, which correspond to voxels here. The error of mutual information on coarse voxels is below half of a
// voxel. The sum of these errors is below three quarters.

#include "itkCudaSpline/kernels/registration/RotationSearch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

using namespace itk::CudaSpline;

namespace
{

using Vector = LinearTransform::Vector;
using Matrix = LinearTransform::Matrix;

constexpr double pi = 3.14159265358979323846;

FieldGrid
MakeGrid(unsigned int dimension)
{
  FieldGrid grid;
  grid.dimension = dimension;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    grid.size[d] = (dimension == 2 ? 44 : 18) + 2 * static_cast<std::int64_t>(d);
    grid.start[d] = static_cast<std::int64_t>(d) - 1;
    grid.origin[d] = 10.0 - 30.0 * d;
    grid.spacing[d] = (dimension == 2 ? 1.0 : 2.4) + 0.1 * d;
    grid.indexToPoint[d][d] = grid.spacing[d];
    grid.pointToIndex[d][d] = 1.0 / grid.spacing[d];
  }
  return grid;
}

Vector
PlaceOf(const FieldGrid & grid, std::size_t number)
{
  Vector place{};
  auto   rest = static_cast<std::int64_t>(number);
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    place[d] = grid.origin[d] + grid.spacing[d] * static_cast<double>(grid.start[d] + rest % grid.size[d]);
    rest /= grid.size[d];
  }
  return place;
}

Vector
MiddleOf(const FieldGrid & grid)
{
  Vector middle{};
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    const double index = static_cast<double>(grid.start[d]) + 0.5 * (static_cast<double>(grid.size[d]) - 1.0);
    middle[d] = grid.origin[d] + grid.spacing[d] * index;
  }
  return middle;
}

/** Three blobs with different sizes and values around the middle; no rotation maps them to themselves. */
double
BlobsAt(const Vector & place, const Vector & middle, unsigned int dimension)
{
  constexpr double blobs[3][5] = { { 9.0, 1.0, 0.0, 5.0, 1.0 },
                                   { -6.0, 8.0, 3.0, 4.0, 0.7 },
                                   { -2.0, -9.0, 6.0, 3.5, 0.4 } };
  double           value = 0.0;
  for (const auto & blob : blobs)
  {
    double square = 0.0;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      const double away = place[d] - middle[d] - blob[d];
      square += away * away;
    }
    value += blob[4] * std::exp(-0.5 * square / (blob[3] * blob[3]));
  }
  return value;
}

/** Two images, and the transform that aligns the moving one with the fixed one. */
struct TurnedPair
{
  explicit TurnedPair(unsigned int dimension)
    : grid(MakeGrid(dimension))
    , known(MakeKnown(dimension))
  {
    const Vector middle = MiddleOf(grid);
    const auto   count = static_cast<std::size_t>(grid.Count());
    for (std::size_t n = 0; n < count; ++n)
    {
      const Vector place = PlaceOf(grid, n);
      fixed.push_back(static_cast<float>(BlobsAt(known.Apply(place), middle, dimension)));
      moving.push_back(static_cast<float>(BlobsAt(place, middle, dimension)));
    }
  }

  static LinearTransform
  MakeKnown(unsigned int dimension)
  {
    const FieldGrid             grid = MakeGrid(dimension);
    LinearTransform             transform(LinearKind::Rigid, dimension, MiddleOf(grid));
    LinearTransform::Parameters parameters{};
    if (dimension == 2)
    {
      parameters = { 2.4, 1.5, -1.0 };
    }
    else
    {
      parameters = { 0.6, -2.1, 1.1, 1.5, -1.0, 0.5 };
    }
    transform.SetParameters(parameters);
    return transform;
  }

  MaskedImage
  Describe(const std::vector<float> & pixels) const
  {
    MaskedImage image;
    image.grid = grid;
    image.pixels = pixels.data();
    return image;
  }

  /** The largest distance between two transforms within 10 mm of the middle. */
  double
  Distance(const LinearTransform & a, const LinearTransform & b) const
  {
    double farthest = 0.0;
    for (unsigned int corner = 0; corner < 1U << grid.dimension; ++corner)
    {
      Vector place = MiddleOf(grid);
      for (unsigned int d = 0; d < grid.dimension; ++d)
      {
        place[d] += ((corner >> d) & 1U) != 0 ? 7.0 : -7.0;
      }
      const Vector there = a.Apply(place);
      const Vector other = b.Apply(place);
      farthest = std::max(farthest, std::hypot(there[0] - other[0], there[1] - other[1], there[2] - other[2]));
    }
    return farthest;
  }

  FieldGrid          grid;
  LinearTransform    known;
  std::vector<float> fixed;
  std::vector<float> moving;
};

TEST(RotationSearch, FindsARotationFromAfar)
{
  for (const unsigned int dimension : { 2U, 3U })
  {
    const TurnedPair images(dimension);
    const auto       found = FindRotation(images.Describe(images.fixed),
                                    images.Describe(images.moving),
                                    MiddleOf(images.grid),
                                    {},
                                    Residence(ExecutionContext()));
    EXPECT_EQ(found.transform.GetKind(), LinearKind::Rigid);
    EXPECT_GT(found.explained, PoorExplanation);
    EXPECT_LT(images.Distance(found.transform, images.known), 0.75 * images.grid.spacing[dimension - 1]) << dimension;
    EXPECT_GT(images.Distance(LinearTransform(LinearKind::Rigid, dimension, MiddleOf(images.grid)), images.known), 5.0);
  }
}

TEST(RotationSearch, HasTheSameBitsOnAnyNumberOfThreads)
{
  const TurnedPair     images(2);
  const ThreadExecutor three{ 3 };
  ExecutionContext     threads;
  threads.host = &three;
  const auto find = [&](const ExecutionContext & context) {
    return FindRotation(images.Describe(images.fixed),
                        images.Describe(images.moving),
                        MiddleOf(images.grid),
                        { 1.0, 2.0 },
                        Residence(context));
  };
  const auto one = find(ExecutionContext());
  const auto other = find(threads);
  EXPECT_EQ(one.transform.GetParameters(), other.transform.GetParameters());
  EXPECT_EQ(one.explained, other.explained);
}

TEST(RotationSearch, MasksLeaveOutWhatTheyDoNotCover)
{
  // A bright bar that is not rotated with the other structures, and masks without it.
  TurnedPair                images(2);
  std::vector<std::uint8_t> mask(images.fixed.size(), 1);
  for (std::size_t n = 0; n < mask.size(); ++n)
  {
    if (PlaceOf(images.grid, n)[0] > MiddleOf(images.grid)[0] + 17.0)
    {
      mask[n] = 0;
      images.fixed[n] = 50.0F;
      images.moving[n] = 50.0F;
    }
  }
  MaskedImage fixed = images.Describe(images.fixed);
  MaskedImage moving = images.Describe(images.moving);
  const auto  distance = [&] {
    return images.Distance(
      FindRotation(fixed, moving, MiddleOf(images.grid), {}, Residence(ExecutionContext())).transform, images.known);
  };
  EXPECT_GT(distance(), 2.0) << "the bar does not lead astray";
  for (MaskedImage * const image : { &fixed, &moving })
  {
    image->maskGrid = images.grid;
    image->mask = mask.data();
  }
  EXPECT_LT(distance(), 0.75 * images.grid.spacing[1]);
}

TEST(RotationSearch, Refusals)
{
  const TurnedPair  plane(2);
  const TurnedPair  space(3);
  const MaskedImage fixed = plane.Describe(plane.fixed);
  EXPECT_THROW(FindRotation(fixed, space.Describe(space.moving), {}, {}, Residence(ExecutionContext())),
               std::invalid_argument);
  EXPECT_THROW(FindRotation(fixed, MaskedImage(), {}, {}, Residence(ExecutionContext())), std::invalid_argument);
  MaskedImage bytes = fixed;
  bytes.pixel = ScalarType::UInt8;
  EXPECT_THROW(FindRotation(fixed, bytes, {}, {}, Residence(ExecutionContext())), std::invalid_argument);
}

TEST(RotationSearch, RotationsHaveAngles)
{
  // A matrix is reproduced up to some rounding errors of products of sines and cosines. For a right angle about x the
  // other two angles are equivalent.
  const LinearTransform::Vector centre{ 3.0, -2.0, 5.0 };
  const LinearTransform::Vector translation{ 1.0, 2.0, -4.0 };
  for (const double x : { 0.3, -1.2, 0.5 * pi, -0.5 * pi })
  {
    for (const double y : { 0.0, 2.0, -2.9 })
    {
      for (const double z : { 0.0, 1.7, 3.1 })
      {
        LinearTransform wanted(LinearKind::Rigid, 3, centre);
        wanted.SetParameters({ x, y, z, translation[0], translation[1], translation[2] });
        const auto found = LinearTransform::OfRotation(3, wanted.GetMatrix(), centre, translation);
        EXPECT_EQ(found.GetTranslation(), translation);
        for (unsigned int r = 0; r < 3; ++r)
        {
          for (unsigned int c = 0; c < 3; ++c)
          {
            EXPECT_NEAR(found.GetMatrix()[r][c], wanted.GetMatrix()[r][c], 1e-14) << x << ' ' << y << ' ' << z;
          }
        }
      }
    }
  }
  LinearTransform plane(LinearKind::Rigid, 2, centre);
  plane.SetParameters({ -2.8, 1.0, 2.0 });
  EXPECT_NEAR(LinearTransform::OfRotation(2, plane.GetMatrix(), centre, translation).GetParameters()[0], -2.8, 1e-15);
}

} // namespace
