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
// Dense displacement searches on both backends. Expected: costs and choices are those of plain loops, costs to the bit.
// Noise images that are shifted by a multiple of the step of the search are aligned exactly away from the border. Costs
// are integers and operations on floats are rounded separately, so device and host compute the same bits from the same
// cells.

#include "LevelCase.h"

#include "itkCudaSpline/kernels/registration/DenseSearch.h"

#include "kernels/registration/discrete/DenseCosts.h"

#include "../fields/FieldCase.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

using namespace CudaSplineTest;

namespace
{

using Steps = std::array<std::int64_t, 3>;

/** Random cells of a lattice, some of them invalid. */
struct RandomCells
{
  DenseLattice           lattice{};
  std::vector<DenseCell> fixed;
  std::vector<DenseCell> moving;
  std::vector<float>     near;

  RandomCells(const Steps & points, const Steps & ratio, int radius, int channels, FreshRandom & random)
  {
    lattice.channels = channels;
    for (std::size_t d = 0; d < 3; ++d)
    {
      lattice.points.size[d] = points[d];
      lattice.ratio[d] = static_cast<int>(ratio[d]);
      lattice.cells.size[d] = (points[d] - 1) * ratio[d] + 1;
      lattice.radius[d] = points[d] > 1 ? radius : 0;
      lattice.weight[d] = static_cast<float>(random.Uniform(0.5, 2.0));
    }
    Fill(fixed, lattice.CountPoints(), channels, random);
    Fill(moving, lattice.cells.size[0] * lattice.cells.size[1] * lattice.cells.size[2], channels, random);
    for (std::int64_t n = 0; n < 3 * lattice.CountPoints(); ++n)
    {
      near.push_back(static_cast<float>(random.Uniform(-3.0, 3.0)));
    }
  }

  static void
  Fill(std::vector<DenseCell> & cells, std::int64_t count, int channels, FreshRandom & random)
  {
    for (std::int64_t n = 0; n < count; ++n)
    {
      DenseCell cell{};
      cell.isValid = random.Uniform(0.0, 1.0) < 0.8 ? 1 : 0;
      for (int channel = 0; channel < channels; ++channel)
      {
        cell.features[channel] = static_cast<std::uint8_t>(random.Uniform(0.0, 255.99));
      }
      cells.push_back(cell);
    }
  }

  Steps
  PointOf(std::int64_t n) const
  {
    const auto & size = lattice.points.size;
    return { n % size[0], n / size[0] % size[1], n / size[0] / size[1] };
  }
  Steps
  DisplacementOf(int k) const
  {
    Steps found{};
    for (int d = 0; d < 3; ++d)
    {
      found[static_cast<std::size_t>(d)] = k % lattice.Width(d) - lattice.radius[d];
      k /= lattice.Width(d);
    }
    return found;
  }

  /** The rounded cost of a single control point; negative if there is none. */
  double
  PointCost(const Steps & point, const Steps & displacement) const
  {
    std::int64_t cell = 0;
    for (std::size_t d = 3; d-- > 0;)
    {
      const std::int64_t at = point[d] * lattice.ratio[d] + displacement[d];
      if (at < 0 || at >= lattice.cells.size[d])
      {
        return -1.0;
      }
      cell = cell * lattice.cells.size[d] + at;
    }
    const auto &      size = lattice.points.size;
    const auto        own = static_cast<std::size_t>((point[2] * size[1] + point[1]) * size[0] + point[0]);
    const DenseCell & here = fixed[own];
    const DenseCell & there = moving[static_cast<std::size_t>(cell)];
    double            sum = 0.0;
    for (int channel = 0; channel < lattice.channels; ++channel)
    {
      sum += std::pow(double(here.features[channel]) - double(there.features[channel]), 2.0);
    }
    return here.isValid != 0 && there.isValid != 0 ? std::floor(sum / lattice.channels + 0.5) : -1.0;
  }

  /** The rounded mean over the neighbours. */
  double
  MeanCost(const Steps & point, const Steps & displacement) const
  {
    double sum = 0.0;
    double count = 0.0;
    for (int n = 0; n < 27; ++n)
    {
      const Steps by{ n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1 };
      Steps       to{};
      bool        isInside = true;
      for (std::size_t d = 0; d < 3; ++d)
      {
        to[d] = point[d] + by[d];
        isInside = isInside && to[d] >= 0 && to[d] < lattice.points.size[d];
      }
      const double cost = isInside ? this->PointCost(to, displacement) : -1.0;
      sum += std::max(cost, 0.0);
      count += cost >= 0.0 ? 1.0 : 0.0;
    }
    return count > 0.0 ? std::floor(sum / count + 0.5) : -1.0;
  }

  std::vector<double>
  MeanCosts(const Steps & point) const
  {
    std::vector<double> costs;
    for (int k = 0; k < lattice.CountDisplacements(); ++k)
    {
      costs.push_back(this->MeanCost(point, this->DisplacementOf(k)));
    }
    return costs;
  }

  /** Missing costs are replaced by the mean of the others. */
  static void
  Complete(std::vector<double> & costs)
  {
    double sum = 0.0;
    double count = 0.0;
    for (const double cost : costs)
    {
      sum += std::max(cost, 0.0);
      count += cost >= 0.0 ? 1.0 : 0.0;
    }
    const double neutral = count > 0.0 ? std::floor(sum / count + 0.5) : 0.0;
    std::replace_if(
      costs.begin(), costs.end(), [](double cost) { return cost < 0.0; }, neutral);
  }

  double
  SquareFromNear(std::int64_t point, const Steps & displacement) const
  {
    double sum = 0.0;
    for (std::size_t d = 0; d < 3; ++d)
    {
      const double from = double(displacement[d]) - double(near[static_cast<std::size_t>(point) * 3 + d]);
      sum += double(lattice.weight[d]) * from * from;
    }
    return sum;
  }
};

template <typename T>
ResidentArray
UploadAll(const std::vector<T> & items, const Residence & residence)
{
  ResidentArray array(items.size() * sizeof(T), residence);
  Upload(array.Data(), items.data(), array.Bytes(), residence);
  return array;
}

template <typename T>
std::vector<T>
DownloadAll(const void * data, std::size_t count, const Residence & residence)
{
  std::vector<T> items(count);
  Download(items.data(), data, count * sizeof(T), residence);
  return items;
}

/** All results that a search computes from cells. */
struct FoundInCells
{
  std::vector<std::uint16_t> costs;
  std::vector<float>         chosen;
  std::vector<float>         values;
  std::vector<float>         smooth;
  std::vector<float>         consistent;
};

FoundInCells
SearchCells(const RandomCells & cells, double coupling, const Residence & residence)
{
  const auto          points = static_cast<std::size_t>(cells.lattice.CountPoints());
  const ResidentArray fixed = UploadAll(cells.fixed, residence);
  const ResidentArray moving = UploadAll(cells.moving, residence);
  const ResidentArray near = UploadAll(cells.near, residence);
  const ResidentArray chosen(points * 3 * sizeof(float), residence);
  const ResidentArray smooth(points * 3 * sizeof(float), residence);
  const ResidentArray consistent(points * 3 * sizeof(float), residence);
  const ResidentArray values(points * sizeof(float), residence);
  const DenseCosts    costs(fixed.As<DenseCell>(), moving.As<DenseCell>(), cells.lattice, residence);
  costs.Choose(near.As<float>(), coupling, chosen.As<float>(), values.As<float>());
  EnqueueDenseBody(SmoothSteps{ chosen.As<float>(), smooth.As<float>(), cells.lattice.points }, residence);
  EnqueueDenseBody(
    ReconcileSteps{ smooth.As<float>(), near.As<float>(), consistent.As<float>(), cells.lattice, cells.lattice.points },
    residence);
  FoundInCells found;
  const auto   count = points * static_cast<std::size_t>(cells.lattice.CountDisplacements());
  found.costs = DownloadAll<std::uint16_t>(costs.Data(), count, residence);
  found.chosen = DownloadAll<float>(chosen.Data(), points * 3, residence);
  found.values = DownloadAll<float>(values.Data(), points, residence);
  found.smooth = DownloadAll<float>(smooth.Data(), points * 3, residence);
  found.consistent = DownloadAll<float>(consistent.Data(), points * 3, residence);
  return found;
}

void
ExpectPlainChoice(const RandomCells & cells, const FoundInCells & found, double coupling)
{
  const std::int64_t points = cells.lattice.CountPoints();
  for (std::int64_t n = 0; n < points; ++n)
  {
    std::vector<double> costs = cells.MeanCosts(cells.PointOf(n));
    for (std::size_t k = 0; k < costs.size(); ++k)
    {
      const double cost = found.costs[k * static_cast<std::size_t>(points) + static_cast<std::size_t>(n)];
      ASSERT_EQ(cost == NoCost ? -1.0 : cost, costs[k]) << n << ' ' << k;
    }
    RandomCells::Complete(costs);
    double lowest = std::numeric_limits<double>::max();
    double ofChosen = 0.0;
    for (std::size_t k = 0; k < costs.size(); ++k)
    {
      const Steps  displacement = cells.DisplacementOf(static_cast<int>(k));
      const double score = costs[k] + coupling * cells.SquareFromNear(n, displacement);
      bool         isChosen = true;
      for (std::size_t d = 0; d < 3; ++d)
      {
        isChosen = isChosen && found.chosen[static_cast<std::size_t>(n) * 3 + d] == static_cast<float>(displacement[d]);
      }
      lowest = std::min(lowest, score);
      ofChosen = isChosen ? score : ofChosen;
      if (isChosen)
      {
        EXPECT_EQ(found.values[static_cast<std::size_t>(n)], static_cast<float>(costs[k]));
      }
    }
    // Six rounding errors of floats below 2^17.
    ASSERT_NEAR(ofChosen, lowest, 6.0 * 131072.0 * std::numeric_limits<float>::epsilon()) << n;
  }
}

class DenseCostsOnBackend : public FieldsOnBackend
{};
INSTANTIATE_TEST_SUITE_P(Backend, DenseCostsOnBackend, testing::Bool(), NameOfBackend);

TEST_P(DenseCostsOnBackend, ChoosesAsPlainLoops)
{
  FreshRandom       random;
  const RandomCells solid({ 7, 5, 4 }, { 2, 1, 3 }, 2, 12, random);
  const RandomCells plane({ 37, 5, 1 }, { 2, 2, 1 }, 3, 4, random);
  for (const RandomCells * const cells : { &solid, &plane })
  {
    for (const double coupling : { 1e-4, 50.0, 3000.0 })
    {
      ExpectPlainChoice(*cells, SearchCells(*cells, coupling, this->MakeResidence()), coupling);
    }
  }
}

TEST(DenseCostsGpu, HasTheBitsOfTheHost)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom       random;
  const RandomCells cells({ 33, 17, 9 }, { 2, 2, 1 }, 4, 12, random);
  ExecutionContext  context;
  context.backend = Backend::Cpu;
  const FoundInCells host = SearchCells(cells, 70.0, Residence(context));
  context.backend = Backend::Cuda;
  const FoundInCells device = SearchCells(cells, 70.0, Residence(context));
  EXPECT_EQ(host.costs, device.costs);
  EXPECT_EQ(host.chosen, device.chosen);
  EXPECT_EQ(host.values, device.values);
  EXPECT_EQ(host.smooth, device.smooth);
  EXPECT_EQ(host.consistent, device.consistent);
}

/** Noise images; the moving image is the shifted fixed image. */
struct ShiftedNoise
{
  FieldGrid                 grid;
  Steps                     shift{}; ///< voxels
  std::vector<double>       fixed;
  std::vector<double>       moving;
  std::vector<std::uint8_t> fixedMask; ///< empty: no mask
  std::vector<std::uint8_t> movingMask;

  ShiftedNoise(const Steps & size, unsigned int dimension, const Steps & by, FreshRandom & random)
    : shift(by)
  {
    grid.dimension = dimension;
    for (std::size_t d = 0; d < dimension; ++d)
    {
      grid.size[d] = size[d];
      grid.indexToPoint[d][d] = grid.pointToIndex[d][d] = 1.0;
    }
    for (std::int64_t n = 0; n < grid.Count(); ++n)
    {
      fixed.push_back(random.Uniform(0.0, 100.0));
    }
    moving.resize(fixed.size());
    for (std::int64_t n = 0; n < grid.Count(); ++n)
    {
      moving[static_cast<std::size_t>(n)] = fixed[static_cast<std::size_t>(this->Wrapped(n, -1))];
    }
  }

  std::array<std::int64_t, 3>
  IndexOf(std::int64_t n) const
  {
    return { n % grid.size[0], n / grid.size[0] % grid.size[1], n / grid.size[0] / grid.size[1] };
  }
  /** The voxel at a multiple of the shift from this one, with periodic continuation. */
  std::int64_t
  Wrapped(std::int64_t n, std::int64_t times) const
  {
    auto at = this->IndexOf(n);
    for (std::size_t d = 0; d < 3; ++d)
    {
      at[d] = ((at[d] + times * shift[d]) % grid.size[d] + grid.size[d]) % grid.size[d];
    }
    return (at[2] * grid.size[1] + at[1]) * grid.size[0] + at[0];
  }

  SynSide
  Side(const std::vector<double> & pixels, const std::vector<std::uint8_t> & mask, const Residence & residence) const
  {
    SynSide side;
    side.image = MakeImage(grid, pixels, residence);
    if (!mask.empty())
    {
      side.mask = MakeImage(grid, mask, residence);
    }
    return side;
  }

  std::vector<double>
  Search(const DenseSearchOptions & options, const Residence & residence, std::vector<double> * inverse = nullptr) const
  {
    DenseSearch search(this->Side(fixed, fixedMask, residence),
                       this->Side(moving, movingMask, residence),
                       options,
                       ScalarType::Float64,
                       residence);
    search.Run({});
    std::vector<double> field(fixed.size() * grid.dimension);
    if (inverse != nullptr)
    {
      inverse->resize(field.size());
    }
    search.GetFields(
      field.data(), inverse != nullptr ? inverse->data() : nullptr, ScalarType::Float64, FieldMemory::Host);
    return field;
  }

  /** The field equals the shift at all voxels that are away from the border. */
  void
  ExpectShift(const std::vector<double> & field, std::int64_t margin, double tolerance = 0.0) const
  {
    std::int64_t compared = 0;
    for (std::int64_t n = 0; n < grid.Count(); ++n)
    {
      const auto at = this->IndexOf(n);
      bool       isInside = true;
      for (std::size_t d = 0; d < grid.dimension; ++d)
      {
        isInside = isInside && at[d] >= margin && at[d] < grid.size[d] - margin;
      }
      for (std::size_t r = 0; r < grid.dimension && isInside; ++r)
      {
        double expected = 0.0;
        for (std::size_t d = 0; d < grid.dimension; ++d)
        {
          expected += grid.indexToPoint[r][d] * static_cast<double>(shift[d]);
        }
        ASSERT_NEAR(field[static_cast<std::size_t>(n) * grid.dimension + r], expected, tolerance) << n << ' ' << r;
        ++compared;
      }
    }
    EXPECT_GT(compared, 100);
  }
};

DenseSearchOptions
QuickSearch(bool isSymmetric)
{
  DenseSearchOptions options;
  options.radius = 4;
  options.isSymmetric = isSymmetric;
  return options;
}

/** A shift of 6 voxels, the support of features, and 4 cells: one for the mean of costs, two for that of displacements,
 * one for interpolation. */
constexpr std::int64_t MarginOfShifts = 26;
/** Near the extremes of displacements the fields of both directions depend on each other. */
constexpr std::int64_t MarginOfSymmetricShifts = MarginOfShifts + 8;
/** Each of 15 passes halves the largest inconsistency at the border, which is twice 8 voxels. The tolerance is doubled
 * because a pass composes fields that vary near the border, where it reduces the inconsistency by less than half. */
constexpr double ToleranceOfSymmetricShifts = 32.0 / 32768.0;

class DenseSearchOnBackend : public FieldsOnBackend
{};
INSTANTIATE_TEST_SUITE_P(Backend, DenseSearchOnBackend, testing::Bool(), NameOfBackend);

TEST_P(DenseSearchOnBackend, FindsShiftsExactly)
{
  FreshRandom        random;
  const ShiftedNoise solid({ 60, 58, 57 }, 3, { 6, -4, 2 }, random);
  const ShiftedNoise plane({ 110, 90, 1 }, 2, { -4, 6, 0 }, random);
  solid.ExpectShift(solid.Search(QuickSearch(false), this->MakeResidence()), MarginOfShifts);
  plane.ExpectShift(plane.Search(QuickSearch(false), this->MakeResidence()), MarginOfShifts);
  std::vector<double> inverse;
  const auto          field = plane.Search(QuickSearch(true), this->MakeResidence(), &inverse);
  plane.ExpectShift(field, MarginOfSymmetricShifts, ToleranceOfSymmetricShifts);
  std::transform(inverse.begin(), inverse.end(), inverse.begin(), std::negate<>());
  plane.ExpectShift(inverse, MarginOfSymmetricShifts, 0.02); // tolerance of FinalInversion()
}

TEST_P(DenseSearchOnBackend, KnowsSpacingsAndDirections)
{
  FreshRandom  random;
  ShiftedNoise image({ 60, 62, 57 }, 3, { -4, 6, 2 }, random);
  // The x axis of the index is the -y axis of space. The spacing along z is twice that along the others, so steps and
  // control points have half the voxels there.
  image.grid.spacing = { 1.5, 1.5, 3.0 };
  image.grid.indexToPoint = { { { 0.0, 1.5, 0.0 }, { -1.5, 0.0, 0.0 }, { 0.0, 0.0, 3.0 } } };
  image.grid.pointToIndex = { { { 0.0, -1.0 / 1.5, 0.0 }, { 1.0 / 1.5, 0.0, 0.0 }, { 0.0, 0.0, 1.0 / 3.0 } } };
  image.ExpectShift(image.Search(QuickSearch(false), this->MakeResidence()), MarginOfShifts, 1e-12);
}

TEST_P(DenseSearchOnBackend, DoesNotDependOnTheOrderOfAxes)
{
  FreshRandom        random;
  const ShiftedNoise image({ 40, 36, 32 }, 3, { 4, -2, 6 }, random);
  ShiftedNoise       permuted({ 32, 40, 36 }, 3, { 6, 4, -2 }, random);
  const auto         numberIn = [&](std::int64_t n) {
    const auto at = image.IndexOf(n);
    return static_cast<std::size_t>((at[1] * 40 + at[0]) * 32 + at[2]);
  };
  for (std::int64_t n = 0; n < image.grid.Count(); ++n)
  {
    permuted.fixed[numberIn(n)] = image.fixed[static_cast<std::size_t>(n)];
    permuted.moving[numberIn(n)] = image.moving[static_cast<std::size_t>(n)];
  }
  DenseSearchOptions options = QuickSearch(true);
  options.radius = 3;
  const std::vector<double> field = image.Search(options, this->MakeResidence());
  const std::vector<double> other = permuted.Search(options, this->MakeResidence());
  double                    sum = 0.0;
  for (std::int64_t n = 0; n < image.grid.Count(); ++n)
  {
    const double * const own = field.data() + n * 3;
    const double * const its = other.data() + numberIn(n) * 3;
    sum += std::abs(own[0] - its[1]) + std::abs(own[1] - its[2]) + std::abs(own[2] - its[0]);
  }
  // Squares are added in another order, so a cost may be rounded to the adjacent integer.
  EXPECT_LT(sum / static_cast<double>(image.grid.Count()), 0.01);
}

TEST_P(DenseSearchOnBackend, LeavesOutMaskedVoxels)
{
  FreshRandom  random;
  ShiftedNoise image({ 62, 60, 58 }, 3, { 4, -4, 6 }, random);
  image.fixedMask.assign(image.fixed.size(), 1);
  image.movingMask.assign(image.fixed.size(), 1);
  for (std::int64_t n = 0; n < image.grid.Count(); ++n)
  {
    const auto at = image.IndexOf(n);
    if (at[0] >= 24 && at[0] < 34 && at[1] >= 24 && at[1] < 32 && at[2] >= 22 && at[2] < 30) // another object
    {
      image.fixed[static_cast<std::size_t>(n)] = std::numeric_limits<double>::quiet_NaN();
      image.moving[static_cast<std::size_t>(n)] = 1000.0 * random.Uniform(0.0, 1.0);
      image.fixedMask[static_cast<std::size_t>(n)] = image.movingMask[static_cast<std::size_t>(n)] = 0;
    }
  }
  // Patches next to the object overlap it, so that costs are not 0; displacements are still multiples of the step.
  image.ExpectShift(image.Search(QuickSearch(false), this->MakeResidence()), MarginOfShifts, 1e-5);
}

TEST_P(DenseSearchOnBackend, LeavesConstantImagesWhereTheyAre)
{
  FreshRandom  random;
  ShiftedNoise image({ 30, 26, 22 }, 3, { 0, 0, 0 }, random);
  std::fill(image.fixed.begin(), image.fixed.end(), 7.0);
  image.moving = image.fixed;
  for (const bool isSymmetric : { false, true })
  {
    const std::vector<double> field = image.Search(QuickSearch(isSymmetric), this->MakeResidence());
    EXPECT_TRUE(std::all_of(field.begin(), field.end(), [](double number) { return number == 0.0; }));
  }
}

TEST_P(DenseSearchOnBackend, ExchangesImages)
{
  FreshRandom  random;
  ShiftedNoise image({ 110, 90, 1 }, 2, { 6, -4, 0 }, random);
  ShiftedNoise exchanged = image;
  std::swap(exchanged.fixed, exchanged.moving);
  exchanged.shift = { -6, 4, 0 };
  exchanged.ExpectShift(
    exchanged.Search(QuickSearch(true), this->MakeResidence()), MarginOfSymmetricShifts, ToleranceOfSymmetricShifts);
}

TEST_P(DenseSearchOnBackend, ReportsPassesAndStops)
{
  FreshRandom         random;
  const ShiftedNoise  image({ 30, 26, 22 }, 3, { 4, 0, 0 }, random);
  const Residence     residence = this->MakeResidence();
  std::vector<double> values;
  DenseSearch         search(image.Side(image.fixed, {}, residence),
                     image.Side(image.moving, {}, residence),
                     QuickSearch(false),
                     ScalarType::Float32,
                     residence);
  const LevelRecord   all = search.Run([&](const RegistrationIteration & iteration) {
    values.push_back(iteration.value);
    return true;
  });
  EXPECT_EQ(values.size(), 6U);
  EXPECT_EQ(all.iterations, 6U);
  EXPECT_EQ(all.value, values.back());
  EXPECT_EQ(all.end, LevelEnd::Iterations);
  EXPECT_GT(all.value, 0.0);
  EXPECT_LT(all.value, 1.0);
  const LevelRecord first = search.Run([](const RegistrationIteration &) { return false; });
  EXPECT_EQ(first.iterations, 1U);
  EXPECT_EQ(first.end, LevelEnd::Stopped);
}

TEST_P(DenseSearchOnBackend, ReportsThatNoCellIsValid)
{
  FreshRandom  random;
  ShiftedNoise image({ 20, 20, 20 }, 3, { 0, 0, 0 }, random);
  image.movingMask.assign(image.fixed.size(), 0);
  const Residence residence = this->MakeResidence();
  DenseSearch     search(image.Side(image.fixed, {}, residence),
                     image.Side(image.moving, image.movingMask, residence),
                     QuickSearch(true),
                     ScalarType::Float32,
                     residence);
  EXPECT_EQ(search.Run({}).value, std::numeric_limits<double>::max());
}

TEST_P(DenseSearchOnBackend, RefusesOptions)
{
  FreshRandom        random;
  const ShiftedNoise image({ 20, 20, 20 }, 3, { 0, 0, 0 }, random);
  const auto         expectRefusal = [&](const auto & change) {
    DenseSearchOptions options;
    change(options);
    EXPECT_THROW(image.Search(options, this->MakeResidence()), std::invalid_argument);
  };
  expectRefusal([](DenseSearchOptions & options) { options.spacing = 0; });
  expectRefusal([](DenseSearchOptions & options) { options.spacing = 33; });
  expectRefusal([](DenseSearchOptions & options) { options.radius = 17; });
  expectRefusal([](DenseSearchOptions & options) { options.step = 5; });
  expectRefusal([](DenseSearchOptions & options) { options.coupling = 0.0; });
}

TEST(DenseSearch, HasTheSameBitsOnAnyNumberOfThreads)
{
  FreshRandom        random;
  const ShiftedNoise image({ 37, 33, 29 }, 3, { 4, -2, 0 }, random);
  const auto         searchWith = [&](unsigned int threads) {
    ThreadExecutor   executor(threads);
    ExecutionContext context;
    context.backend = Backend::Cpu;
    context.host = &executor;
    return image.Search(QuickSearch(true), Residence(context));
  };
  const std::vector<double> one = searchWith(1);
  EXPECT_EQ(one, searchWith(2));
  EXPECT_EQ(one, searchWith(7));
}

TEST(DenseSearch, PlansTheMemoryOfTheCosts)
{
  FieldGrid grid = MakeGrid(3, 256);
  EXPECT_EQ(CountDenseSearchCostBytes(grid, DenseSearchOptions()), 2.0 * 64 * 64 * 64 * 17 * 17 * 17);
  const auto plan = [&](std::size_t budget) {
    return PlanDenseSearch(grid, ScalarType::Float32, ScalarType::Float32, 0, DenseSearchOptions(), budget);
  };
  EXPECT_TRUE(plan(std::size_t{ 8 } << 30).fits);
  EXPECT_FALSE(plan(std::size_t{ 2 } << 30).fits);
}

} // namespace
