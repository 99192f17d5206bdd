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
#include "itkCudaSpline/kernels/registration/DenseSearch.h"

#include "itkCudaSpline/kernels/metrics/Features.h"
#include "itkCudaSpline/kernels/metrics/MappedImage.h"
#include "itkCudaSpline/kernels/registration/DeformableRegistration.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"

#include "kernels/common/MemoryBudget.h"
#include "kernels/fields/common/OrderedSums.h"
#include "kernels/registration/discrete/DenseCosts.h"
#include "kernels/registration/deformable/LevelField.h"
#include "kernels/registration/deformable/LevelForces.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

/** Number of passes that make the fields of both directions consistent. */
constexpr int ConsistencyPasses = 15;

/** The weight of squared distances in the first search. It only decides between equal costs, in favour of the shorter
 * displacement. */
constexpr double TieBreak = 1e-4;

void
Require(bool holds, const std::string & what)
{
  if (!holds)
  {
    throw std::invalid_argument("Dense search: " + what + ".");
  }
}

void
CheckOptions(const DenseSearchOptions & options)
{
  const auto isWithin = [](unsigned int value, unsigned int most) { return value >= 1 && value <= most; };
  Require(isWithin(options.spacing, DenseSearchOptions::MaxSpacing),
          "the spacing of control points must be from 1 to 32 samples, not " + std::to_string(options.spacing));
  Require(isWithin(options.radius, DenseSearchOptions::MaxRadius),
          "the radius must be from 1 to 16 steps, not " + std::to_string(options.radius));
  Require(isWithin(options.step, options.spacing),
          "the step must be from 1 sample to the spacing of control points (" + std::to_string(options.spacing) +
            "), not " + std::to_string(options.step));
  Require(options.coupling > 0.0 && std::isfinite(options.coupling),
          "the coupling must be above 0, not " + std::to_string(options.coupling));
}

/** Samples between control points, and between displacements, along each axis. */
struct SearchLengths
{
  std::array<unsigned int, 3> spacing{ { 1, 1, 1 } };
  std::array<unsigned int, 3> step{ { 1, 1, 1 } };
};

SearchLengths
FindLengths(const FieldGrid & grid, const DenseSearchOptions & options)
{
  PyramidLevel level;
  level.shrink = options.spacing;
  level.isByAxis = true;
  SearchLengths lengths;
  lengths.spacing = ShrinkFactors(grid, level);
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    unsigned int & spacing = lengths.spacing[d];
    spacing = static_cast<unsigned int>(std::min<std::int64_t>(spacing, grid.size[d]));
    lengths.step[d] = std::max(1U, spacing * options.step / options.spacing);
    while (spacing % lengths.step[d] != 0)
    {
      --lengths.step[d];
    }
  }
  return lengths;
}

/** Returns the control points, which cover the image. They are symmetric: reversing the image results in the same
 * points. */
FieldWalk
WalkOfPoints(const FieldGrid & grid, const std::array<unsigned int, 3> & spacing)
{
  FieldWalk walk = WalkOf(grid);
  for (std::size_t d = 0; d < 3; ++d)
  {
    walk.size[d] = (walk.size[d] + spacing[d] - 1) / spacing[d];
  }
  return walk;
}

DenseLattice
MakeLattice(const FieldGrid & grid, const DenseSearchOptions & options)
{
  const SearchLengths lengths = FindLengths(grid, options);
  const FieldWalk     samples = WalkOf(grid);
  const double unit = options.step * *std::min_element(grid.spacing.begin(), grid.spacing.begin() + grid.dimension);
  DenseLattice lattice{};
  lattice.points = WalkOfPoints(grid, lengths.spacing);
  lattice.channels = CountSelfSimilarityChannels(grid.dimension);
  for (unsigned int d = 0; d < 3; ++d)
  {
    const bool   isAxis = d < grid.dimension && grid.size[d] > 1;
    const double length = isAxis ? lengths.step[d] * grid.spacing[d] / unit : 1.0;
    const auto   spacing = static_cast<int>(lengths.spacing[d]);
    const auto   step = static_cast<int>(lengths.step[d]);
    lattice.ratio[d] = spacing / step;
    // Additional cells with at least half of their samples in the image.
    const auto covered = static_cast<int>(lattice.points.size[d] * spacing - samples.size[d]);
    lattice.margin[d] = (spacing - covered) / (2 * step);
    lattice.cells.size[d] = (lattice.points.size[d] - 1) * lattice.ratio[d] + 1 + 2 * lattice.margin[d];
    lattice.radius[d] = isAxis ? static_cast<int>(options.radius) : 0;
    lattice.weight[d] = static_cast<float>(length * length);
  }
  return lattice;
}

/** The cells of an image: control points of its own search, and points that displacements of the other search reach. */
struct ImageCells
{
  ResidentArray points;
  ResidentArray steps;
};

/** \param[in] features the features
 * \param[in] window samples of a cell
 * \param[in] stride samples between cells
 * \param[in] walk cells, which are centred in the image */
ResidentArray
Pool(const FeatureImage &                features,
     const std::uint8_t *                inside,
     const std::array<unsigned int, 3> & window,
     const std::array<unsigned int, 3> & stride,
     const FieldWalk &                   walk,
     const Residence &                   residence)
{
  PoolCells pool{};
  pool.features = static_cast<const float *>(features.data.get());
  pool.inside = inside;
  pool.channels = features.channels;
  pool.image = WalkOf(features.grid);
  pool.walk = walk;
  for (std::size_t d = 0; d < 3; ++d)
  {
    pool.window[d] = static_cast<int>(window[d]);
    pool.stride[d] = static_cast<int>(stride[d]);
    pool.start[d] = static_cast<int>(pool.image.size[d] - (walk.size[d] - 1) * pool.stride[d]) - pool.window[d];
  }
  const auto    count = static_cast<std::size_t>(pool.walk.size[0] * pool.walk.size[1] * pool.walk.size[2]);
  ResidentArray cells(count * sizeof(DenseCell), residence);
  pool.cells = cells.As<DenseCell>();
  EnqueueDenseBody(pool, residence);
  return cells;
}

} // namespace

/** Both images as cells, and the displacements of the control points. */
struct DenseSearch::Impl
{
  DenseSearchOptions options;
  FieldShape         shape;
  Residence          residence;
  SearchLengths      lengths;
  DenseLattice       lattice;
  SynSide            fixed;
  SynSide            moving;
  LevelField         field;

  Impl(SynSide                    fixedSide,
       SynSide                    movingSide,
       const DenseSearchOptions & of,
       const FieldShape &         on,
       const Residence &          where)
    : options(of)
    , shape(on)
    , residence(where)
    , lengths(FindLengths(on.grid, of))
    , lattice(MakeLattice(on.grid, of))
    , fixed(std::move(fixedSide))
    , moving(std::move(movingSide))
    , field(on, where)
  {}

  ImageCells
  MakeCells(const SynSide & side) const
  {
    const auto          count = static_cast<std::size_t>(shape.grid.Count());
    const ResidentArray values(count * SizeOf(side.image.pixel), residence);
    const ResidentArray inside(count, residence);
    {
      const ResidentArray gradients(shape.Bytes(), residence); // not used
      const ImageMapping  mapping{ side.image.grid, side.image.pixel, side.mask.grid, shape, side.stages };
      const MappedSources sources{ side.image.data.get(),
                                   static_cast<const std::uint8_t *>(side.mask.data.get()),
                                   nullptr };
      MapImage(mapping, sources, { values.Data(), inside.As<std::uint8_t>(), gradients.Data() }, residence);
    }
    const FeatureImage features =
      MakeSelfSimilarity(shape.grid, side.image.pixel, values.Data(), options.features, residence);
    ImageCells cells;
    cells.points =
      Pool(features, inside.As<std::uint8_t>(), lengths.spacing, lengths.spacing, lattice.points, residence);
    cells.steps = Pool(features, inside.As<std::uint8_t>(), lengths.spacing, lengths.step, lattice.cells, residence);
    residence.Wait(); // before the features are released
    return cells;
  }

  ResidentArray
  MakeSteps() const
  {
    return ResidentArray(static_cast<std::size_t>(lattice.CountPoints()) * 3 * sizeof(float), residence);
  }

  /** Returns the mean of values of control points. Waits for the backend. */
  double
  MeanOf(const float * values) const
  {
    FieldGrid points;
    std::copy(lattice.points.size, lattice.points.size + 3, points.size.begin());
    std::vector<double> sums(static_cast<std::size_t>(points.size[1] * points.size[2]));
    const ResidentArray ofRows(sums.size() * sizeof(double), residence);
    EnqueueDenseBody(
      RowCosts{ values, ofRows.As<double>(), points.size[0], { { static_cast<std::int64_t>(sums.size()), 1, 1 } } },
      residence);
    Download(sums.data(), ofRows.Data(), ofRows.Bytes(), residence);
    double sum = 0.0;
    for (const double row : sums)
    {
      sum += row;
    }
    return sum / static_cast<double>(lattice.CountPoints()) / CostScale;
  }

  /** Averages displacements over neighbours, twice.
   *
   * \param[in,out] steps the displacements
   * \param[out] between scratch */
  void
  Smooth(const ResidentArray & steps, const ResidentArray & between) const
  {
    EnqueueDenseBody(SmoothSteps{ steps.As<float>(), between.As<float>(), lattice.points }, residence);
    EnqueueDenseBody(SmoothSteps{ between.As<float>(), steps.As<float>(), lattice.points }, residence);
  }

  /** Returns the weight of squared distances in a pass, in units of costs. */
  double
  CouplingOf(unsigned int pass) const
  {
    return pass == 0 ? TieBreak
                     : CostScale * options.coupling * std::pow(10.0, -0.5 * static_cast<double>(options.passes - pass));
  }

  /** Finds displacements from one image to the other.
   *
   * \param[in] report called with the number of a pass and its value; false ends the search */
  template <typename TReport>
  ResidentArray
  Search(const ResidentArray & from, const ResidentArray & to, const TReport & report) const
  {
    const DenseCosts    costs(from.As<DenseCell>(), to.As<DenseCell>(), lattice, residence);
    ResidentArray       steps = this->MakeSteps();
    const ResidentArray chosen = this->MakeSteps();
    const ResidentArray values(static_cast<std::size_t>(lattice.CountPoints()) * sizeof(float), residence);
    bool                goesOn = true;
    for (unsigned int pass = 0; pass <= options.passes && goesOn; ++pass)
    {
      costs.Choose(
        pass == 0 ? nullptr : steps.As<float>(), this->CouplingOf(pass), chosen.As<float>(), values.As<float>());
      CopyResident(steps.Data(), chosen.Data(), steps.Bytes(), residence);
      this->Smooth(steps, chosen);
      goesOn = pass == 0 || report(pass, values.As<float>());
    }
    residence.Wait(); // before the costs are released
    return steps;
  }

  /** Makes the displacements of both directions consistent. */
  void
  Reconcile(ResidentArray & forward, ResidentArray & backward) const
  {
    ResidentArray next[2] = { this->MakeSteps(), this->MakeSteps() };
    for (int pass = 0; pass < ConsistencyPasses; ++pass)
    {
      const auto reconcile = [&](const ResidentArray & of, const ResidentArray & other, const ResidentArray & to) {
        EnqueueDenseBody(ReconcileSteps{ of.As<float>(), other.As<float>(), to.As<float>(), lattice, lattice.points },
                         residence);
      };
      reconcile(forward, backward, next[0]);
      reconcile(backward, forward, next[1]);
      std::swap(forward, next[0]);
      std::swap(backward, next[1]);
    }
    residence.Wait();
  }

  /** Interpolates displacements on the grid of the fixed image. */
  void
  Spread(const ResidentArray & steps)
  {
    DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
      constexpr unsigned int                                    dimension = decltype(compiled)::Dimension;
      SpreadSteps<dimension, typename decltype(compiled)::Real> spread{};
      spread.steps = steps.As<float>();
      spread.field = static_cast<typename decltype(compiled)::Real *>(field.Data());
      spread.lattice = lattice;
      spread.walk = WalkOf(shape.grid);
      for (unsigned int d = 0; d < 3; ++d)
      {
        spread.spacing[d] = static_cast<int>(lengths.spacing[d]);
        const std::int64_t covered = (lattice.points.size[d] - 1) * spread.spacing[d];
        spread.first[d] = 0.5 * static_cast<double>(spread.walk.size[d] - 1 - covered);
      }
      for (unsigned int r = 0; r < dimension; ++r)
      {
        for (unsigned int d = 0; d < dimension; ++d)
        {
          spread.stepToPoint[r][d] = shape.grid.indexToPoint[r][d] * lengths.step[d];
        }
      }
      EnqueueDenseBody(spread, residence);
    });
    residence.Wait();
  }

  /** Returns whether a control point has a valid cell. */
  bool
  HasValidCell(const ResidentArray & cells) const
  {
    std::vector<DenseCell> all(static_cast<std::size_t>(lattice.CountPoints()));
    Download(all.data(), cells.Data(), cells.Bytes(), residence);
    return std::any_of(all.begin(), all.end(), [](const DenseCell & cell) { return cell.isValid != 0; });
  }
};

DenseSearch::DenseSearch(SynSide                    fixed,
                         SynSide                    moving,
                         const DenseSearchOptions & options,
                         ScalarType                 element,
                         const Residence &          residence)
{
  CheckOptions(options);
  const FieldShape shape{ fixed.image.grid, element };
  CheckSide(fixed, shape, fixed.image.pixel);
  CheckSide(moving, shape, fixed.image.pixel);
  m_Impl = std::make_unique<Impl>(std::move(fixed), std::move(moving), options, shape, residence);
}

DenseSearch::~DenseSearch() = default;

LevelRecord
DenseSearch::Run(const RegistrationWatch & watch)
{
  Impl &           impl = *m_Impl;
  const auto       begin = std::chrono::steady_clock::now();
  const ImageCells fixed = impl.MakeCells(impl.fixed);
  const ImageCells moving = impl.MakeCells(impl.moving);
  LevelRecord      record;
  const auto       report = [&](unsigned int pass, const float * values) {
    record.iterations = pass;
    record.value = impl.MeanOf(values);
    record.convergence = std::numeric_limits<double>::infinity();
    const bool goesOn = !watch || watch({ 0, pass, record.value, record.convergence, 0.0 });
    record.end = goesOn ? LevelEnd::Iterations : LevelEnd::Stopped;
    return goesOn;
  };
  const bool    isSymmetric = impl.options.isSymmetric;
  ResidentArray backward;
  if (isSymmetric)
  {
    backward = impl.Search(moving.points, fixed.steps, [](unsigned int, const float *) { return true; });
  }
  ResidentArray forward = impl.Search(fixed.points, moving.steps, report);
  if (isSymmetric)
  {
    impl.Reconcile(forward, backward);
  }
  impl.Spread(forward);
  if (!impl.HasValidCell(fixed.points) || !impl.HasValidCell(moving.points))
  {
    record.value = std::numeric_limits<double>::max();
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return record;
}

void
DenseSearch::GetFields(void * forward, void * backward, ScalarType element, FieldMemory memory)
{
  const Impl & impl = *m_Impl;
  if (forward != nullptr)
  {
    CopyFieldTo(forward, element, memory, impl.field.Data(), impl.shape, impl.residence);
  }
  if (backward != nullptr)
  {
    const ResidentArray inverse(impl.shape.Bytes(), impl.residence);
    const ResidentArray state(sizeof(FieldInversionState), impl.residence);
    const ResidentArray scratch(CountInversionScratch(impl.shape), impl.residence);
    impl.field.GetInverse(
      FinalInversion(), inverse.Data(), state.As<FieldInversionState>(), scratch.Data(), backward, element, memory);
  }
  impl.residence.Wait();
}

double
CountDenseSearchCostBytes(const FieldGrid & fixed, const DenseSearchOptions & options)
{
  const DenseLattice lattice = MakeLattice(fixed, options);
  return static_cast<double>(lattice.CountPoints()) * lattice.CountDisplacements() * sizeof(std::uint16_t);
}

MemoryPlan
PlanDenseSearch(const FieldGrid &          fixed,
                ScalarType                 pixel,
                ScalarType                 element,
                std::size_t                imageBytes,
                const DenseSearchOptions & options,
                std::size_t                budget)
{
  const DenseLattice lattice = MakeLattice(fixed, options);
  const FieldShape   shape{ fixed, element };
  const auto         samples = static_cast<std::size_t>(fixed.Count());
  const auto         cellsOf = [](const FieldWalk & walk) {
    return static_cast<std::size_t>(walk.size[0] * walk.size[1] * walk.size[2]) * sizeof(DenseCell);
  };
  const std::size_t making =
    samples * (SizeOf(pixel) + 1 + sizeof(float) * (static_cast<std::size_t>(lattice.channels) + 1)) + shape.Bytes();
  const std::size_t searching = CountDenseCostsBytes(lattice) + cellsOf(lattice.points) * 4;
  const std::size_t inverting = shape.Bytes() + CountInversionScratch(shape);
  MemoryPlan        plan;
  plan.sourceBytes = imageBytes + shape.Bytes() + 2 * (cellsOf(lattice.points) + cellsOf(lattice.cells));
  plan.workspaceBytes = std::max({ making, searching, inverting });
  RefuseUnlessWithin(plan, budget);
  return plan;
}

OperationWork
CountDenseSearchWork(const FieldGrid & fixed, std::size_t imageBytes, const DenseSearchOptions & options)
{
  const DenseLattice lattice = MakeLattice(fixed, options);
  const double       directions = options.isSymmetric ? 2.0 : 1.0;
  const double       costs =
    directions * static_cast<double>(lattice.CountPoints()) * static_cast<double>(lattice.CountDisplacements());
  const double  samples = static_cast<double>(fixed.Count());
  OperationWork work;
  work.kind = KindOf({ static_cast<std::uint64_t>(WorkKind::Syn), fixed.dimension, 100 });
  work.samples = 2.0 * samples;
  work.taps = 2.0 * samples * 27.0 * lattice.channels + costs * (lattice.channels + 27.0);
  work.sums = costs * (options.passes + 2.0);
  work.uploadBytes = static_cast<double>(imageBytes);
  work.downloadBytes = static_cast<double>(FieldShape{ fixed, ScalarType::Float32 }.Bytes());
  return work;
}

} // namespace itk::CudaSpline
