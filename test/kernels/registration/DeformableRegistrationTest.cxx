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
// Deformable registrations with several levels. Expected: the same bits as from separate calls that create, adapt and
// iterate the levels one after the other. Grids have closed forms.

#include "../fields/FieldCase.h"
#include "GridCase.h"

#include "itkCudaSpline/kernels/registration/DeformableRegistration.h"
#include "itkCudaSpline/kernels/registration/DemonsLevel.h"
#include "itkCudaSpline/kernels/registration/GreedyLevel.h"
#include "itkCudaSpline/kernels/registration/SynLevel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

using namespace CudaSplineTest;

namespace
{

TEST(ImagePyramid, ShrinksAboutTheCentre)
{
  FreshRandom random;
  for (const unsigned int dimension : { 2U, 3U })
  {
    const FieldGrid grid = MakeGrid(random, dimension, { { 41, 30, dimension == 3 ? 7 : 1 } });
    for (const unsigned int factor : { 1U, 2U, 3U, 5U, 8U })
    {
      const FieldGrid   shrunk = ShrinkGrid(grid, factor);
      FieldGrid::Vector before{};
      FieldGrid::Vector after{};
      for (unsigned int d = 0; d < dimension; ++d)
      {
        EXPECT_EQ(shrunk.size[d], std::max<std::int64_t>(1, grid.size[d] / factor));
        EXPECT_EQ(shrunk.spacing[d], grid.spacing[d] * factor);
        before[d] = 0.5 * static_cast<double>(grid.size[d] - 1);
        after[d] = 0.5 * static_cast<double>(shrunk.size[d] - 1);
      }
      const FieldGrid::Vector wanted = PlaceOfIndex(grid, before);
      const FieldGrid::Vector found = PlaceOfIndex(shrunk, after);
      for (unsigned int r = 0; r < dimension; ++r)
      {
        EXPECT_NEAR(found[r], wanted[r], 1e-12 * 200.0); // rounding errors of positions of some 100 mm
        for (unsigned int c = 0; c < dimension; ++c)
        {
          double product = 0.0;
          for (unsigned int i = 0; i < dimension; ++i)
          {
            product += shrunk.pointToIndex[r][i] * shrunk.indexToPoint[i][c];
          }
          EXPECT_NEAR(product, r == c ? 1.0 : 0.0, 1e-14 * 10.0);
        }
      }
    }
    EXPECT_TRUE(ShrinkGrid(grid, 1) == grid);
    EXPECT_THROW(ShrinkGrid(grid, 0), std::invalid_argument);
  }
  FieldGrid flat;
  flat.dimension = 2;
  EXPECT_THROW(InvertGridMatrix(flat.indexToPoint, 2), std::invalid_argument);
  FieldGrid::Matrix diagonal{};
  diagonal[0][0] = 0.7;
  diagonal[1][1] = -1.3;
  diagonal[2][2] = 2.1;
  EXPECT_EQ(InvertGridMatrix(diagonal, 3)[1][1], 1.0 / -1.3);
}

TEST(ImagePyramid, SmoothsAxesThatAreLongEnough)
{
  ResidentImage image;
  image.grid.dimension = 2;
  image.grid.size = { { 20, 3, 1 } };
  image.grid.spacing = { { 0.5, 2.0, 1.0 } };
  const GaussianDescriptor thin = DescribeSmoothing(image, 1.5, false);
  EXPECT_EQ(thin.sigma[0], 0.75);
  EXPECT_EQ(thin.sigma[1], 0.0);
  // Rows are smoothed like an image that consists of these rows only.
  const std::vector<float> pixels = [] {
    std::vector<float> made(20 * 3);
    for (std::size_t n = 0; n < made.size(); ++n)
    {
      made[n] = static_cast<float>((7 * n) % 13);
    }
    return made;
  }();
  const Residence     host{ ExecutionContext() };
  const ResidentImage whole = MakeResidentImage(image.grid, ScalarType::Float32, pixels.data(), host);
  const ResidentImage smooth = SmoothImage(whole, thin, host);
  GaussianDescriptor  rows = thin;
  rows.onlyAxis = 0;
  std::vector<float> wanted(pixels.size());
  SmoothByGaussian(rows, pixels.data(), wanted.data(), ExecutionContext());
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), static_cast<const float *>(smooth.data.get())));
  EXPECT_NE(wanted, pixels);
  image.grid.size[1] = 4;
  EXPECT_EQ(DescribeSmoothing(image, 1.5, false).sigma[0], 0.75);
  EXPECT_EQ(DescribeSmoothing(image, 1.5, false).sigma[1], 3.0);
  EXPECT_EQ(DescribeSmoothing(image, 1.5, true).sigma[1], 1.5);
}

/** Two images of waves, one of which is deformed. */
class Deformable : public FieldsOnBackend
{
protected:
  template <unsigned int VDimension>
  void
  Make()
  {
    FreshRandom random;
    m_Grid = MakeGrid(random, VDimension, { { 26, 22, VDimension == 3 ? 18 : 1 } });
    const FieldGrid::Vector middle = PlaceOf(m_Grid, m_Grid.Count() / 2);
    for (std::int64_t n = 0; n < m_Grid.Count(); ++n)
    {
      FieldGrid::Vector place = PlaceOf(m_Grid, n);
      for (const bool isBent : { false, true })
      {
        double value = 100.0;
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          const double x =
            place[d] - middle[d] + (isBent ? std::sin(0.2 * (place[(d + 1) % VDimension] - middle[d])) : 0.0);
          value +=
            20.0 * std::sin(0.6 * x + d) + 10.0 * std::sin(0.3 * x + 0.2 * (place[(d + 1) % VDimension] - middle[0]));
        }
        (isBent ? m_Moving : m_Fixed).push_back(static_cast<float>(value));
      }
    }
  }

  SynSide
  Side(const std::vector<float> & pixels, const Residence & residence) const
  {
    SynSide side;
    side.image = MakeResidentImage(m_Grid, ScalarType::Float32, pixels.data(), residence);
    return side;
  }

  static DeformableOptions
  MakeOptions(DeformableKind kind)
  {
    DeformableOptions options;
    options.kind = kind;
    options.levels = { { 2, 1.0, 5 }, { 1, 0.0, 4 } };
    options.radius = { { 2, 2, 2 } };
    options.rules.learningRate = 0.3;
    return options;
  }

  std::vector<float>
  FieldOf(DeformableRegistration & registration, bool isForward) const
  {
    std::vector<float> field(static_cast<std::size_t>(registration.GetGrid().Count() * m_Grid.dimension));
    registration.GetFields(
      isForward ? field.data() : nullptr, isForward ? nullptr : field.data(), ScalarType::Float32, FieldMemory::Host);
    return field;
  }

  /** The same steps by separate calls. */
  template <typename TLevel>
  std::unique_ptr<TLevel>
  ByHand(const DeformableOptions &         options,
         const std::vector<unsigned int> & iterations,
         const Residence &                 residence) const
  {
    std::unique_ptr<TLevel> last;
    SynMetric               metric;
    metric.radius = options.radius;
    metric.epsilon = std::numeric_limits<double>::epsilon();
    for (std::size_t n = 0; n < options.levels.size(); ++n)
    {
      const PyramidLevel & level = options.levels[n];
      SynSide              fixed = this->Side(m_Fixed, residence);
      SynSide              moving = this->Side(m_Moving, residence);
      if (level.sigma > 0.0)
      {
        fixed.image = SmoothImage(fixed.image, DescribeSmoothing(fixed.image, level.sigma, false), residence);
        moving.image = SmoothImage(moving.image, DescribeSmoothing(moving.image, level.sigma, false), residence);
      }
      const FieldShape        shape{ ShrinkGrid(m_Grid, level.shrink), options.element };
      std::unique_ptr<TLevel> made;
      if constexpr (std::is_same<TLevel, DemonsLevel>::value)
      {
        const SynRules & rules = options.rules;
        made = std::make_unique<TLevel>(
          shape,
          fixed,
          moving,
          MakeDiffeomorphicDemons(shape.grid, rules.learningRate, rules.updateVariance, rules.totalVariance),
          residence);
      }
      else
      {
        made = std::make_unique<TLevel>(shape, fixed, moving, metric, residence);
      }
      if (last != nullptr)
      {
        made->AdaptFrom(*last->GetFields());
      }
      last = std::move(made);
      for (unsigned int i = 0; i < iterations[n]; ++i)
      {
        if constexpr (std::is_same<TLevel, DemonsLevel>::value)
        {
          last->Iterate();
        }
        else
        {
          last->Iterate(options.rules);
        }
      }
    }
    return last;
  }

  template <unsigned int VDimension>
  void
  IsTheSameByHand()
  {
    this->Make<VDimension>();
    const Residence         residence = this->MakeResidence();
    const DeformableOptions options = MakeOptions(DeformableKind::Syn);
    DeformableRegistration  syn(this->Side(m_Fixed, residence), this->Side(m_Moving, residence), options, residence);
    const auto              records = syn.Run({});
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].iterations, 5U);
    EXPECT_EQ(records[1].iterations, 4U);
    EXPECT_EQ(records[1].end, LevelEnd::Iterations);
    EXPECT_LT(records[1].value, 0.0);
    const auto         synByHand = this->ByHand<SynLevel>(options, { 5, 4 }, residence);
    std::vector<float> forward(static_cast<std::size_t>(m_Grid.Count() * VDimension));
    std::vector<float> backward(forward.size());
    synByHand->GetTotalFields(forward.data(), backward.data(), ScalarType::Float32);
    EXPECT_EQ(this->FieldOf(syn, true), forward);
    EXPECT_EQ(this->FieldOf(syn, false), backward);
    this->GivesFieldsWhereTheyAre(syn, forward, residence);

    this->IsTheSameByHandOf<GreedyLevel>(DeformableKind::Greedy, residence);
    this->IsTheSameByHandOf<DemonsLevel>(DeformableKind::Demons, residence);
  }

  /** Compares levels with one field. */
  template <typename TLevel>
  void
  IsTheSameByHandOf(DeformableKind kind, const Residence & residence)
  {
    const DeformableOptions options = MakeOptions(kind);
    DeformableRegistration  whole(this->Side(m_Fixed, residence), this->Side(m_Moving, residence), options, residence);
    const auto              records = whole.Run({});
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[1].iterations, 4U);
    const auto         byHand = this->ByHand<TLevel>(options, { 5, 4 }, residence);
    std::vector<float> forward(static_cast<std::size_t>(m_Grid.Count() * m_Grid.dimension));
    std::vector<float> backward(forward.size());
    byHand->GetField(forward.data(), ScalarType::Float32);
    const auto inversion = byHand->GetInverse(FinalInversion(), backward.data(), ScalarType::Float32);
    if (kind == DeformableKind::Greedy) // demons sample the moving image beyond the border, where no voxel is moved to
    {
      EXPECT_NE(inversion.isDone, 0);
      EXPECT_LE(inversion.maximumError, 0.01);
    }
    EXPECT_NE(forward, std::vector<float>(forward.size(), 0.0F));
    EXPECT_EQ(this->FieldOf(whole, true), forward);
    EXPECT_EQ(this->FieldOf(whole, false), backward);
    this->GivesFieldsWhereTheyAre(whole, forward, residence);
  }

  /** Fields are also copied to memory of the backend, as float or double. */
  static void
  GivesFieldsWhereTheyAre(DeformableRegistration &   registration,
                          const std::vector<float> & wanted,
                          const Residence &          residence)
  {
    residence.Follow(nullptr); // after the work of the default stream, which is empty
    const ResidentArray singles(wanted.size() * sizeof(float), residence);
    const ResidentArray doubles(wanted.size() * sizeof(double), residence);
    registration.GetFields(singles.Data(), nullptr, ScalarType::Float32, FieldMemory::Residence);
    registration.GetFields(doubles.Data(), nullptr, ScalarType::Float64, FieldMemory::Residence);
    std::vector<float>  ofSingles(wanted.size());
    std::vector<double> ofDoubles(wanted.size());
    Download(ofSingles.data(), singles.Data(), singles.Bytes(), residence);
    Download(ofDoubles.data(), doubles.Data(), doubles.Bytes(), residence);
    EXPECT_EQ(ofSingles, wanted);
    EXPECT_EQ(ofDoubles, std::vector<double>(wanted.begin(), wanted.end()));
  }

  FieldGrid          m_Grid;
  std::vector<float> m_Fixed;
  std::vector<float> m_Moving;
};

TEST_P(Deformable, IsTheSameByHandInThePlane)
{
  this->IsTheSameByHand<2>();
}

TEST_P(Deformable, IsTheSameByHandInSpace)
{
  this->IsTheSameByHand<3>();
}

TEST_P(Deformable, StopsWithFieldsOnTheLastGrid)
{
  this->Make<2>();
  const Residence         residence = this->MakeResidence();
  const DeformableOptions options = MakeOptions(DeformableKind::Syn);
  DeformableRegistration  syn(this->Side(m_Fixed, residence), this->Side(m_Moving, residence), options, residence);
  std::vector<double>     values;
  const auto              records = syn.Run([&](const RegistrationIteration & iteration) {
    EXPECT_EQ(iteration.level, 0U);
    EXPECT_EQ(iteration.number, values.size() + 1);
    EXPECT_TRUE(std::isinf(iteration.convergence));
    values.push_back(iteration.value);
    return iteration.number < 3;
  });
  ASSERT_EQ(values.size(), 3U);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].end, LevelEnd::Stopped);
  EXPECT_EQ(records[0].iterations, 3U);
  EXPECT_EQ(records[0].value, values.back());
  EXPECT_EQ(records[1].end, LevelEnd::Stopped);
  EXPECT_EQ(records[1].iterations, 0U);
  EXPECT_TRUE(syn.GetGrid() == m_Grid);
  const auto         byHand = this->ByHand<SynLevel>(options, { 3, 0 }, residence);
  std::vector<float> forward(static_cast<std::size_t>(m_Grid.Count() * 2));
  byHand->GetTotalFields(forward.data(), nullptr, ScalarType::Float32);
  EXPECT_EQ(this->FieldOf(syn, true), forward);
}

TEST_P(Deformable, EndsLevelsWhereValuesHardlyFall)
{
  this->Make<2>();
  const Residence   residence = this->MakeResidence();
  DeformableOptions options = MakeOptions(DeformableKind::Greedy);
  options.levels = { { 1, 1.0, 200 } };
  options.convergence = 1e-3;
  options.window = 5;
  DeformableRegistration registration(
    this->Side(m_Fixed, residence), this->Side(m_Moving, residence), options, residence);
  std::vector<double> convergences;
  const auto          records = registration.Run([&](const RegistrationIteration & iteration) {
    convergences.push_back(iteration.convergence);
    return true;
  });
  EXPECT_EQ(records[0].end, LevelEnd::Converged);
  ASSERT_EQ(convergences.size(), records[0].iterations);
  EXPECT_LT(convergences.back(), 1e-3);
  EXPECT_EQ(std::count_if(convergences.begin(), convergences.end(), [](double value) { return value < 1e-3; }), 1);
  EXPECT_TRUE(std::isinf(convergences[3]));
}

/** Two identical pairs have the same effect as one, for any weights: forces are normalised, and values are averaged. */
TEST_P(Deformable, OfAPairTwiceIsThatOfThePair)
{
  this->Make<2>();
  const Residence residence = this->MakeResidence();
  for (const DeformableKind kind : { DeformableKind::Syn, DeformableKind::Greedy })
  {
    SCOPED_TRACE(NameOf(kind));
    DeformableOptions      options = MakeOptions(kind);
    DeformableRegistration once(this->Side(m_Fixed, residence), this->Side(m_Moving, residence), options, residence);
    const auto             wanted = once.Run({});
    const auto             wantedField = this->FieldOf(once, true);
    options.pairs.resize(2);
    options.pairs[0].weight = 3.0;
    const auto twice = [&](const std::vector<float> & pixels) {
      return std::vector<SynSide>(2, this->Side(pixels, residence));
    };
    DeformableRegistration both(twice(m_Fixed), twice(m_Moving), options, residence);
    const auto             found = both.Run({});
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t level = 0; level < found.size(); ++level)
    {
      EXPECT_EQ(found[level].iterations, wanted[level].iterations);
      EXPECT_NEAR(found[level].value, wanted[level].value, 1e-4 * std::abs(wanted[level].value)); // fields of floats
    }
    const auto field = this->FieldOf(both, true);
    for (std::size_t n = 0; n < field.size(); ++n)
    {
      ASSERT_NEAR(field[n], wantedField[n], 1e-3); // mm
    }
  }
}

TEST_P(Deformable, RefusesWhatCannotBe)
{
  this->Make<2>();
  const Residence residence = this->MakeResidence();
  const auto      refuses = [&](const std::function<void(DeformableOptions &)> & change) {
    DeformableOptions options = MakeOptions(DeformableKind::Syn);
    change(options);
    EXPECT_THROW(
      DeformableRegistration(this->Side(m_Fixed, residence), this->Side(m_Moving, residence), options, residence),
      std::invalid_argument);
  };
  refuses([](DeformableOptions & options) { options.levels.clear(); });
  refuses([](DeformableOptions & options) { options.levels[0].shrink = 0; });
  refuses([](DeformableOptions & options) { options.levels[0].sigma = -1.0; });
  refuses([](DeformableOptions & options) { options.window = 1; });
  refuses([](DeformableOptions & options) { options.element = ScalarType::Int16; });
  refuses([](DeformableOptions & options) { options.rules.learningRate = 0.0; });
  refuses([](DeformableOptions & options) { options.rules.totalVariance = -1.0; });
  refuses([](DeformableOptions & options) { options.pairs.clear(); });
  refuses([](DeformableOptions & options) { options.pairs.resize(2); }); // only one of the pairs has images
  refuses([](DeformableOptions & options) { options.pairs[0].weight = 0.0; });
  refuses([](DeformableOptions & options) { options.pairs[0].weight = std::numeric_limits<double>::infinity(); });
  const auto ofTwo = [&](DeformableKind kind) {
    DeformableOptions options = MakeOptions(kind);
    options.pairs.resize(2);
    const auto twice = [&](const std::vector<float> & pixels) {
      return std::vector<SynSide>(2, this->Side(pixels, residence));
    };
    DeformableRegistration(twice(m_Fixed), twice(m_Moving), options, residence);
  };
  EXPECT_NO_THROW(ofTwo(DeformableKind::Greedy));
  EXPECT_THROW(ofTwo(DeformableKind::Demons), std::invalid_argument);
  DeformableRegistration idle(
    this->Side(m_Fixed, residence), this->Side(m_Moving, residence), MakeOptions(DeformableKind::Syn), residence);
  EXPECT_THROW(idle.GetFields(nullptr, nullptr, ScalarType::Float32, FieldMemory::Host), std::invalid_argument);
}

TEST(DeformableWork, GrowsWithLevels)
{
  FreshRandom     random;
  const FieldGrid grid = MakeGrid(random, 3, { { 100, 100, 100 } });
  for (const DeformableKind kind : { DeformableKind::Syn, DeformableKind::Greedy, DeformableKind::Demons })
  {
    DeformableOptions options;
    options.kind = kind;
    options.levels = { { 2, 1.0, 10 } };
    const OperationWork one = CountDeformableWork(grid, 1000, options);
    options.levels.push_back({ 1, 0.0, 10 });
    const OperationWork two = CountDeformableWork(grid, 1000, options);
    // The inverse of demons takes up to 100 iterations, which read 3 numbers at 8 positions, on the last grid.
    const double inverse = kind == DeformableKind::Demons ? 2400.0 * 1e6 : 0.0;
    EXPECT_DOUBLE_EQ(two.taps - inverse, 9.0 * (one.taps - inverse / 8.0)); // eight times as many samples
    EXPECT_EQ(two.uploadBytes, one.uploadBytes);
    EXPECT_TRUE(PlanDeformableRegistration(grid, ScalarType::Float32, 1000, options, std::size_t(1) << 40).fits);
    EXPECT_FALSE(PlanDeformableRegistration(grid, ScalarType::Float32, 1000, options, 1000).fits);
  }
}

/** The memory of registrations of large images from and to host memory, without masks; see Memory.md. */
TEST(DeformablePlan, BytesPerVoxel)
{
  FieldGrid grid;
  grid.size = { { 512, 512, 512 } };
  for (unsigned int d = 0; d < 3; ++d)
  {
    grid.indexToPoint[d][d] = grid.pointToIndex[d][d] = 1.0;
  }
  const auto plan = [&](DeformableKind kind, bool hasMasks, double bytesPerVoxel) {
    DeformableOptions options;
    options.kind = kind;
    options.rules.totalVariance = 0.0;
    options.radius = { { 4, 4, 4 } };
    options.levels = { { 4, 2.0, 100 }, { 2, 1.0, 70 }, { 1, 0.0, 20 } };
    const auto voxels = static_cast<double>(grid.Count());
    const auto images = static_cast<std::size_t>(2 * grid.Count()) * sizeof(float);
    const auto budget = static_cast<std::size_t>(bytesPerVoxel * voxels);
    const auto bytes = PlanDeformableRegistration(grid, ScalarType::Float32, images, options, budget, hasMasks);
    return static_cast<double>(bytes.PeakBytes()) / voxels;
  };
  // The fastest way that fits, or else the smallest one.
  const double all = plan(DeformableKind::Syn, false, 1000.0);
  EXPECT_NEAR(all, 98.0, 0.5);
  EXPECT_DOUBLE_EQ(plan(DeformableKind::Syn, false, all + 0.01), all);
  const double less = plan(DeformableKind::Syn, false, all - 0.01);
  EXPECT_GT(less, 80.0);
  EXPECT_LT(less, 84.0);
  EXPECT_DOUBLE_EQ(plan(DeformableKind::Syn, true, 90.0), less + 2.0);
  const double paged = plan(DeformableKind::Syn, false, less - 0.01);
  EXPECT_GT(paged, 44.0);
  EXPECT_LT(paged, 48.0);
  EXPECT_DOUBLE_EQ(plan(DeformableKind::Syn, false, 1.0), paged);
  EXPECT_NEAR(plan(DeformableKind::Greedy, false, 1000.0), 49.5, 1.0);
  EXPECT_GT(plan(DeformableKind::Greedy, false, 45.0), 43.9);
  EXPECT_LT(plan(DeformableKind::Greedy, false, 45.0), 44.2);
}

INSTANTIATE_TEST_SUITE_P(Backend, Deformable, testing::Bool(), NameOfBackend);

} // namespace
