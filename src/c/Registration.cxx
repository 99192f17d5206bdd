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
#include "itkCudaSpline/c/CudaSplineRegistrationC.h"

#include "c/Call.h"
#include "c/Descriptors.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/FieldFolding.h"
#include "itkCudaSpline/kernels/registration/DeformableRegistration.h"
#include "itkCudaSpline/kernels/registration/ImageStatistics.h"
#include "itkCudaSpline/kernels/registration/LinearRegistration.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace itk::CudaSpline;

namespace
{

std::string
Indefinite(const std::string & name, double number, const char * allowed)
{
  return name + " is " + std::to_string(number) + ", and " + allowed + ".";
}

unsigned int
CheckDimension(std::int32_t dimension, const std::string & name)
{
  if (dimension != 2 && dimension != 3)
  {
    throw std::invalid_argument(name + " is " + std::to_string(dimension) + ", and images of 2 and 3 are registered.");
  }
  return static_cast<unsigned int>(dimension);
}

ScalarType
RealOfCode(std::int32_t code, const std::string & name)
{
  const ScalarType type = ScalarTypeOfCode(code, name.c_str());
  if (type != ScalarType::Float32 && type != ScalarType::Float64)
  {
    throw std::invalid_argument(name + " is " + NameOf(type) + ", and float32 and float64 are allowed.");
  }
  return type;
}

FieldGrid
DescribeGrid(const cudaspline_grid & from, unsigned int dimension, const std::string & name)
{
  FieldGrid grid;
  grid.dimension = dimension;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    if (from.size[d] < 1)
    {
      throw std::invalid_argument(name + ".size is " + std::to_string(from.size[d]) + " along axis " +
                                  std::to_string(d) + ", and 1 is the least.");
    }
    if (!(from.spacing[d] > 0.0))
    {
      throw std::invalid_argument(Indefinite(name + ".spacing", from.spacing[d], "it is above 0"));
    }
    grid.size[d] = from.size[d];
    grid.origin[d] = from.origin[d];
    grid.spacing[d] = from.spacing[d];
    for (unsigned int c = 0; c < dimension; ++c)
    {
      grid.indexToPoint[d][c] = from.index_to_point[3 * d + c];
      grid.pointToIndex[d][c] = from.point_to_index[3 * d + c];
    }
  }
  return grid;
}

void
WriteGrid(const FieldGrid & grid, cudaspline_grid & to)
{
  for (unsigned int d = 0; d < 3; ++d)
  {
    to.size[d] = grid.size[d];
    to.origin[d] = grid.origin[d];
    to.spacing[d] = grid.spacing[d];
    for (unsigned int c = 0; c < 3; ++c)
    {
      to.index_to_point[3 * d + c] = grid.indexToPoint[d][c];
      to.point_to_index[3 * d + c] = grid.pointToIndex[d][c];
    }
  }
}

/** An image of a registration, where the caller has it. */
ResidentImage
DescribeResident(const cudaspline_registration_image & from,
                 unsigned int                          dimension,
                 ScalarType                            pixel,
                 const std::string &                   name)
{
  ResidentImage image;
  if (from.pixels != nullptr)
  {
    image.grid = DescribeGrid(from.grid, dimension, name + ".grid");
    image.pixel = pixel;
    image.data = std::shared_ptr<const void>(from.pixels, [](const void *) {});
  }
  return image;
}

std::size_t
BytesOf(const ResidentImage & image)
{
  return image.data == nullptr ? 0 : static_cast<std::size_t>(image.grid.Count()) * SizeOf(image.pixel);
}

std::size_t
BytesOf(const SynSide & side)
{
  return BytesOf(side.image) + BytesOf(side.mask);
}

/** The images of a registration and what is around them, in the caller's memory. */
class Images
{
public:
  /** \param[in] pairs of which those behind the first have images of their own; null: there are none */
  explicit Images(const cudaspline_registration &      registration,
                  const cudaspline_registration_pair * pairs = nullptr,
                  std::int32_t                         pairCount = 1)
    : m_Registration(registration)
    , m_Dimension(CheckDimension(registration.dimension, "registration.dimension"))
    , m_Pixel(RealOfCode(registration.pixel, "registration.pixel"))
  {
    const auto describe = [&](const cudaspline_registration_image & image, ScalarType pixel, const char * name) {
      return DescribeResident(image, m_Dimension, pixel, std::string("registration.") + name);
    };
    RequirePointer(registration.fixed.pixels, "registration.fixed.pixels");
    RequirePointer(registration.moving.pixels, "registration.moving.pixels");
    m_Fixed.image = describe(registration.fixed, m_Pixel, "fixed");
    m_Fixed.mask = describe(registration.fixed_mask, ScalarType::UInt8, "fixed_mask");
    m_Moving.image = describe(registration.moving, m_Pixel, "moving");
    m_Moving.mask = describe(registration.moving_mask, ScalarType::UInt8, "moving_mask");
    m_Moving.stages = DescribeStages(registration.stages, registration.stage_count, m_Dimension, "registration");
    for (std::int32_t i = 1; i < pairCount; ++i)
    {
      this->AddPair(pairs[i], "pairs[" + std::to_string(i) + "].");
    }
    if (registration.level_count < 1)
    {
      throw std::invalid_argument("registration.level_count is " + std::to_string(registration.level_count) +
                                  ", and 1 is the least.");
    }
    RequirePointer(registration.levels, "registration.levels");
    for (std::int32_t i = 0; i < registration.level_count; ++i)
    {
      const cudaspline_registration_level & level = registration.levels[i];
      if (level.shrink < 1 || level.iterations < 0 || !(level.sigma >= 0.0 && std::isfinite(level.sigma)))
      {
        throw std::invalid_argument(
          "registration.levels: shrink is 1 or more, iterations and sigma are 0 or more, not " +
          std::to_string(level.shrink) + ", " + std::to_string(level.iterations) + " and " +
          std::to_string(level.sigma) + ".");
      }
      m_Levels.push_back(
        { static_cast<unsigned int>(level.shrink), level.sigma, static_cast<unsigned int>(level.iterations) });
    }
  }

  const FieldGrid &
  GetFixedGrid() const
  {
    return m_Fixed.image.grid;
  }
  const FieldGrid &
  GetMovingGrid() const
  {
    return m_Moving.image.grid;
  }
  ScalarType
  GetPixel() const
  {
    return m_Pixel;
  }
  const std::vector<PyramidLevel> &
  GetLevels() const
  {
    return m_Levels;
  }
  std::size_t
  CountBytes() const
  {
    std::size_t bytes = BytesOf(m_Fixed) + BytesOf(m_Moving);
    for (const SynSide & side : m_Further)
    {
      bytes += BytesOf(side);
    }
    return bytes;
  }

  /** The fixed image where a registration runs. */
  SynSide
  MakeFixed(const Residence & residence) const
  {
    return this->Make(m_Fixed, residence);
  }
  /** The same of the moving one. */
  SynSide
  MakeMoving(const Residence & residence) const
  {
    return this->Make(m_Moving, residence);
  }

  /** The fixed images of all pairs where a registration runs, and behind them the moving ones. */
  std::array<std::vector<SynSide>, 2>
  MakePairs(const Residence & residence) const
  {
    std::array<std::vector<SynSide>, 2> sides{ { { this->MakeFixed(residence) }, { this->MakeMoving(residence) } } };
    for (std::size_t n = 0; n < m_Further.size(); ++n)
    {
      std::vector<SynSide> & ofKind = sides[n % 2];
      ofKind.push_back(this->Make(m_Further[n], residence));
      ofKind.back().stages = ofKind.front().stages;
    }
    return sides;
  }

  /** Tells the caller of iterations. */
  RegistrationWatch
  MakeWatch() const
  {
    if (m_Registration.iteration == nullptr)
    {
      return {};
    }
    return [&registration = m_Registration](const RegistrationIteration & iteration) {
      cudaspline_registration_iteration told{};
      told.level = static_cast<std::int32_t>(iteration.level);
      told.number = static_cast<std::int32_t>(iteration.number);
      told.value = iteration.value;
      told.convergence = iteration.convergence;
      told.step = iteration.step;
      told.data = registration.iteration_data;
      return registration.iteration(&told) != 0;
    };
  }

  /** Runs what works on the images: where they are on a device, else where that is done first.
   *
   * \param[in] work of the whole, \param[in] plan of it on a device
   * \param[in] run does it in a residence */
  void
  Run(CallExecution &                                call,
      const std::function<OperationWork()> &         work,
      const std::function<MemoryPlan(std::size_t)> & plan,
      const std::function<void(const Residence &)> & run) const
  {
    if (m_Registration.device >= 0)
    {
      const Residence residence(call.ContextOf(m_Registration.device));
      residence.Follow(static_cast<StreamHandle>(m_Registration.stream));
      run(residence);
      residence.Wait();
      call.Report(m_Registration.device);
      return;
    }
    RunnableOperation operation;
    operation.work = [&](int) { return BackendWork{ work(), work() }; };
    operation.plan = [&](const std::vector<int> & devices) {
      return OperationPlan{ devices.empty() ? MemoryPlan() : plan(AvailableDeviceMemory(devices.front())),
                            [&run](const ExecutionContext & context) { run(Residence(context)); } };
    };
    call.Report(RunOperation(operation, call.GetWord(), call.GetContext()));
  }

  /** Where results go. */
  FieldMemory
  GetMemory() const
  {
    return m_Registration.device >= 0 ? FieldMemory::Residence : FieldMemory::Host;
  }

  /** Writes what the levels have come to. */
  void
  Report(const std::vector<LevelRecord> & records) const
  {
    for (std::size_t i = 0; i < records.size(); ++i)
    {
      cudaspline_registration_level & level = m_Registration.levels[i];
      level.end = static_cast<std::int32_t>(records[i].end);
      level.made = static_cast<std::int32_t>(records[i].iterations);
      level.value = records[i].value;
      level.convergence = records[i].convergence;
      level.seconds = records[i].seconds;
    }
  }

private:
  /** A pair behind the first one. */
  void
  AddPair(const cudaspline_registration_pair & pair, const std::string & name)
  {
    const auto add =
      [&](const cudaspline_registration_image & image, const cudaspline_registration_image & mask, const char * side) {
        RequirePointer(image.pixels, (name + side + ".pixels").c_str());
        SynSide made;
        made.image = DescribeResident(image, m_Dimension, m_Pixel, name + side);
        made.mask = DescribeResident(mask, m_Dimension, ScalarType::UInt8, name + side + "_mask");
        m_Further.push_back(made);
      };
    add(pair.fixed, pair.fixed_mask, "fixed");
    add(pair.moving, pair.moving_mask, "moving");
  }

  SynSide
  Make(const SynSide & side, const Residence & residence) const
  {
    SynSide made = side;
    if (m_Registration.device < 0)
    {
      made.image = MakeResidentImage(side.image.grid, side.image.pixel, side.image.data.get(), residence);
      if (side.mask.data != nullptr)
      {
        made.mask = MakeResidentImage(side.mask.grid, side.mask.pixel, side.mask.data.get(), residence);
      }
      made.stages = MakeResidentStages(side.stages, m_Dimension, residence);
    }
    return made;
  }

  const cudaspline_registration & m_Registration;
  unsigned int                    m_Dimension;
  ScalarType                      m_Pixel;
  SynSide                         m_Fixed;
  SynSide                         m_Moving;
  std::vector<SynSide>            m_Further; ///< of each further pair the fixed image, then the moving one
  std::vector<PyramidLevel>       m_Levels;
};

/** \exception std::invalid_argument the number is not in [0, last] */
template <typename TEnum>
TEnum
KindOfCode(std::int32_t code, TEnum last, const std::string & name)
{
  if (code < 0 || code > static_cast<std::int32_t>(last))
  {
    throw std::invalid_argument(name + " is " + std::to_string(code) + ", and 0 to " +
                                std::to_string(static_cast<std::int32_t>(last)) + " are known.");
  }
  return static_cast<TEnum>(code);
}

void
CheckWindow(std::int32_t window, const std::string & name)
{
  if (window < 2)
  {
    throw std::invalid_argument(name + " is " + std::to_string(window) + ", and 2 is the least.");
  }
}

LinearOptions
DescribeLinear(const cudaspline_linear & from, const Images & images, bool sigmasInMm)
{
  LinearOptions options;
  options.levels = images.GetLevels();
  options.sigmasInMm = sigmasInMm;
  static_assert(static_cast<int>(LinearMetricKind::MeanSquares) == CUDASPLINE_MEAN_SQUARES &&
                  static_cast<int>(LinearMetricKind::LocalCorrelation) == CUDASPLINE_LOCAL_CORRELATION,
                "The metrics have the same numbers.");
  options.metric.kind = KindOfCode(from.metric, LinearMetricKind::LocalCorrelation, "linear.metric");
  options.metric.arithmetic = images.GetPixel();
  if (options.metric.kind == LinearMetricKind::Mattes && (from.bins < 5 || from.bins > 160))
  {
    throw std::invalid_argument("linear.bins is " + std::to_string(from.bins) + ", and 5 to 160 are allowed.");
  }
  options.metric.bins = from.bins;
  for (unsigned int d = 0; d < images.GetFixedGrid().dimension; ++d)
  {
    if (options.metric.kind == LinearMetricKind::LocalCorrelation && from.radius[d] < 1)
    {
      throw std::invalid_argument("linear.radius is " + std::to_string(from.radius[d]) + ", and 1 is the least.");
    }
    options.metric.radius[d] = from.radius[d];
  }
  options.rules.descent = KindOfCode(from.descent, LinearDescent::ConjugateGradient, "linear.descent");
  for (const double step : { from.step, from.minimum_step })
  {
    if (!(step >= 0.0 && std::isfinite(step)))
    {
      throw std::invalid_argument(Indefinite("linear.step or minimum_step", step, "0 is the least"));
    }
  }
  options.rules.maximumStep = from.step;
  const FieldGrid::Vector & spacing = images.GetFixedGrid().spacing;
  options.rules.minimumStep =
    from.minimum_step > 0.0
      ? from.minimum_step
      : 1e-3 * *std::min_element(spacing.begin(), spacing.begin() + images.GetFixedGrid().dimension);
  options.rules.convergence = from.convergence;
  CheckWindow(from.window, "linear.window");
  options.rules.window = static_cast<std::size_t>(from.window);
  return options;
}

LinearTransform
DescribeStart(const cudaspline_linear & from, unsigned int dimension)
{
  static_assert(static_cast<int>(LinearKind::Translation) == CUDASPLINE_TRANSLATION &&
                  static_cast<int>(LinearKind::Affine) == CUDASPLINE_AFFINE &&
                  LinearTransform::MostParameters == CUDASPLINE_MAXIMUM_LINEAR_PARAMETERS,
                "The kinds have the same numbers.");
  const LinearKind        kind = KindOfCode(from.kind, LinearKind::Affine, "linear.kind");
  LinearTransform::Vector centre{};
  std::copy_n(from.centre, 3, centre.begin());
  LinearTransform start(KindOfCode(from.start_kind, LinearKind::Affine, "linear.start_kind"), dimension, centre);
  LinearTransform::Parameters parameters{};
  std::copy_n(from.parameters, start.CountParameters(), parameters.begin());
  for (const double parameter : parameters)
  {
    if (!std::isfinite(parameter))
    {
      throw std::invalid_argument("linear.parameters are not finite.");
    }
  }
  start.SetParameters(parameters);
  return start.As(kind);
}

void
WriteLinear(const LinearTransform & found, cudaspline_linear & to)
{
  const LinearTransform::Vector translation = found.GetTranslation();
  std::copy(found.GetParameters().begin(), found.GetParameters().end(), to.parameters);
  for (unsigned int d = 0; d < 3; ++d)
  {
    to.translation[d] = translation[d];
    std::copy(found.GetMatrix()[d].begin(), found.GetMatrix()[d].end(), to.matrix + 3 * d);
  }
}

/** Work of all levels, of whose images the first one has the way to a device. */
OperationWork
CountLinearLevels(const Images & images, const LinearOptions & options)
{
  OperationWork work;
  for (std::size_t level = 0; level < options.levels.size(); ++level)
  {
    const std::size_t bytes = level == 0 ? images.CountBytes() : 0;
    work = work + CountLinearRegistrationWork(images.GetFixedGrid(), images.GetMovingGrid(), options, level, bytes);
  }
  return work;
}

/** Memory of the level that takes most. */
MemoryPlan
PlanLinearLevels(const Images & images, const LinearOptions & options, std::size_t budget)
{
  MemoryPlan largest;
  for (std::size_t level = 0; level < options.levels.size(); ++level)
  {
    const MemoryPlan plan = PlanLinearRegistration(
      images.GetFixedGrid(), images.GetMovingGrid(), images.GetPixel(), options, level, images.CountBytes(), budget);
    if (level == 0 || (largest.fits && (!plan.fits || plan.PeakBytes() > largest.PeakBytes())))
    {
      largest = plan;
    }
  }
  return largest;
}

LinearWatch
MakeLinearWatch(const RegistrationWatch & watch)
{
  if (!watch)
  {
    return {};
  }
  return [watch](std::size_t level, const LinearIteration & iteration, const LinearTransform &) {
    const bool isOfTooFew = iteration.convergence == std::numeric_limits<double>::max();
    return watch({ level,
                   iteration.number,
                   iteration.value,
                   isOfTooFew ? std::numeric_limits<double>::infinity() : iteration.convergence,
                   iteration.step });
  };
}

LevelEnd
EndOf(LinearStop stop)
{
  switch (stop)
  {
    case LinearStop::Converged:
      return LevelEnd::Converged;
    case LinearStop::NoGradient:
      return LevelEnd::NoGradient;
    case LinearStop::ShortStep:
      return LevelEnd::ShortStep;
    case LinearStop::Stopped:
      return LevelEnd::Stopped;
    default:
      return LevelEnd::Iterations;
  }
}

/** \exception std::invalid_argument a level without a sample */
std::vector<LevelRecord>
RecordsOf(const std::vector<LinearRecord> & levels, std::size_t count)
{
  std::vector<LevelRecord> records;
  for (const LinearRecord & level : levels)
  {
    if (level.stop == LinearStop::NoSamples)
    {
      throw std::invalid_argument("The images do not overlap: no sample of the fixed image lies in the moving one, and "
                                  "under the masks, where level " +
                                  std::to_string(records.size() + 1) + " has come to.");
    }
    LevelRecord record;
    record.end = EndOf(level.stop);
    record.iterations = level.iterations;
    record.value = level.value;
    record.convergence = std::numeric_limits<double>::infinity();
    record.seconds = level.seconds;
    records.push_back(record);
  }
  LevelRecord stopped; // those that have not run
  stopped.end = LevelEnd::Stopped;
  records.resize(count, stopped);
  return records;
}

DeformableOptions
DescribeDeformable(const cudaspline_deformable & from, const Images & images, bool sigmasInMm)
{
  DeformableOptions options;
  static_assert(static_cast<int>(DeformableKind::Syn) == CUDASPLINE_SYN &&
                  static_cast<int>(DeformableKind::Greedy) == CUDASPLINE_GREEDY &&
                  static_cast<int>(DeformableKind::Demons) == CUDASPLINE_DEMONS,
                "The kinds have the same numbers.");
  options.kind = KindOfCode(from.kind, DeformableKind::Demons, "deformable.kind");
  options.levels = images.GetLevels();
  options.sigmasInMm = sigmasInMm;
  options.element = RealOfCode(from.element, "deformable.element");
  for (unsigned int d = 0; d < images.GetFixedGrid().dimension; ++d)
  {
    if (from.radius[d] < 1)
    {
      throw std::invalid_argument("deformable.radius is " + std::to_string(from.radius[d]) + ", and 1 is the least.");
    }
    options.radius[d] = from.radius[d];
  }
  if (!(from.learning_rate > 0.0 && std::isfinite(from.learning_rate)))
  {
    throw std::invalid_argument(Indefinite("deformable.learning_rate", from.learning_rate, "it is above 0"));
  }
  for (const double variance : { from.update_variance, from.total_variance })
  {
    if (!(variance >= 0.0 && std::isfinite(variance)))
    {
      throw std::invalid_argument(
        Indefinite("deformable.update_variance or total_variance", variance, "0 is the least"));
    }
  }
  options.rules.learningRate = from.learning_rate;
  options.rules.updateVariance = from.update_variance;
  options.rules.totalVariance = from.total_variance;
  options.convergence = from.convergence;
  CheckWindow(from.window, "deformable.window");
  options.window = static_cast<std::size_t>(from.window);
  return options;
}

/** How a pair of images is compared. */
DeformablePair
DescribePair(const cudaspline_registration_pair & from, DeformableKind kind, const std::string & name)
{
  DeformablePair pair;
  switch (from.metric)
  {
    case CUDASPLINE_LOCAL_CORRELATION:
      pair.metric = SynMetricKind::LocalCorrelation;
      break;
    case CUDASPLINE_MEAN_SQUARES:
      pair.metric = SynMetricKind::MeanSquares;
      break;
    case CUDASPLINE_MATTES:
      pair.metric = SynMetricKind::Mattes;
      break;
    default:
      throw std::invalid_argument(
        name + ".metric is " + std::to_string(from.metric) +
        ", and mean squares (0), Mattes (2) and local correlation (3) have forces on samples.");
  }
  if (kind == DeformableKind::Demons && pair.metric != SynMetricKind::MeanSquares)
  {
    throw std::invalid_argument(name + ".metric is " + std::to_string(from.metric) +
                                ", and demons know mean squares (0) alone.");
  }
  if (pair.metric == SynMetricKind::Mattes && (from.bins < 5 || from.bins > 160))
  {
    throw std::invalid_argument(name + ".bins is " + std::to_string(from.bins) + ", and 5 to 160 are allowed.");
  }
  if (!(from.weight > 0.0 && std::isfinite(from.weight)))
  {
    throw std::invalid_argument(Indefinite(name + ".weight", from.weight, "it is above 0"));
  }
  pair.bins = from.bins;
  pair.weight = from.weight;
  return pair;
}

/** A registration of one pair of images or several. \param[in] pairs null: one, as its kind has it */
void
RegisterDeformable(cudaspline_registration *            registration,
                   const cudaspline_deformable *        deformable,
                   const cudaspline_registration_pair * pairs,
                   std::int32_t                         pairCount,
                   cudaspline_execution *               execution)
{
  RequirePointer(registration, "registration");
  RequirePointer(deformable, "deformable");
  RequirePointer(deformable->forward, "deformable.forward");
  CallExecution     call(execution);
  const Images      images(*registration, pairs, pairCount);
  DeformableOptions options = DescribeDeformable(*deformable, images, registration->sigmas_in_mm != 0);
  if (pairs != nullptr)
  {
    options.pairs.clear();
    for (std::int32_t i = 0; i < pairCount; ++i)
    {
      options.pairs.push_back(DescribePair(pairs[i], options.kind, "pairs[" + std::to_string(i) + "]"));
    }
  }
  const ScalarType  type = RealOfCode(deformable->field_type, "deformable.field_type");
  const std::size_t bytes = images.CountBytes();
  Naming("registration", [&] {
    images.Run(
      call,
      [&] { return CountDeformableWork(images.GetFixedGrid(), bytes, options); },
      [&](std::size_t budget) {
        return PlanDeformableRegistration(images.GetFixedGrid(), images.GetPixel(), bytes, options, budget);
      },
      [&](const Residence & residence) {
        auto [fixed, moving] = images.MakePairs(residence);
        DeformableRegistration running(std::move(fixed), std::move(moving), options, residence);
        images.Report(running.Run(images.MakeWatch()));
        running.GetFields(deformable->forward, deformable->backward, type, images.GetMemory());
        residence.Wait(); // before the fields that are read go
      });
  });
}

/** Host memory that holds what is in memory of a device, or the caller's own. */
class OnHost
{
public:
  OnHost(const void * data, std::size_t bytes, const Residence & residence)
    : m_Copy(residence.IsOnDevice() ? new char[bytes] : nullptr)
    , m_Data(residence.IsOnDevice() ? m_Copy.get() : data)
  {
    if (residence.IsOnDevice())
    {
      Download(m_Copy.get(), data, bytes, residence);
    }
  }

  const void *
  Data() const
  {
    return m_Data;
  }

private:
  std::unique_ptr<char[]> m_Copy;
  const void *            m_Data;
};

} // namespace

std::int32_t
cudaspline_shrink_grid(const cudaspline_grid * grid,
                       std::int32_t            dimension,
                       std::int32_t            factor,
                       cudaspline_grid *       shrunk)
{
  return Call([=] {
    RequirePointer(grid, "grid");
    RequirePointer(shrunk, "shrunk");
    if (factor < 1)
    {
      throw std::invalid_argument("factor is " + std::to_string(factor) + ", and 1 is the least.");
    }
    const FieldGrid from = DescribeGrid(*grid, CheckDimension(dimension, "dimension"), "grid");
    WriteGrid(ShrinkGrid(from, static_cast<unsigned int>(factor)), *shrunk);
  });
}

std::int32_t
cudaspline_register_deformable(cudaspline_registration *     registration,
                               const cudaspline_deformable * deformable,
                               cudaspline_execution *        execution)
{
  return Call([=] { RegisterDeformable(registration, deformable, nullptr, 1, execution); });
}

std::int32_t
cudaspline_register_deformable_pairs(cudaspline_registration *            registration,
                                     const cudaspline_deformable *        deformable,
                                     const cudaspline_registration_pair * pairs,
                                     std::int32_t                         pairCount,
                                     cudaspline_execution *               execution)
{
  return Call([=] {
    RequirePointer(pairs, "pairs");
    if (pairCount < 1)
    {
      throw std::invalid_argument("pair_count is " + std::to_string(pairCount) + ", and 1 is the least.");
    }
    RegisterDeformable(registration, deformable, pairs, pairCount, execution);
  });
}

std::int32_t
cudaspline_register_linear(cudaspline_registration * registration,
                           cudaspline_linear *       linear,
                           cudaspline_execution *    execution)
{
  return Call([=] {
    RequirePointer(registration, "registration");
    RequirePointer(linear, "linear");
    CallExecution         call(execution);
    const Images          images(*registration);
    const LinearOptions   options = DescribeLinear(*linear, images, registration->sigmas_in_mm != 0);
    const LinearTransform start =
      Naming("linear.parameters", [&] { return DescribeStart(*linear, images.GetFixedGrid().dimension); });
    Naming("registration", [&] {
      images.Run(
        call,
        [&] { return CountLinearLevels(images, options); },
        [&](std::size_t budget) { return PlanLinearLevels(images, options, budget); },
        [&](const Residence & residence) {
          const LinearRegistration running(
            images.MakeFixed(residence), images.MakeMoving(residence), options, residence);
          LinearTransform                 transform = start;
          const std::vector<LinearRecord> records = running.Run(transform, MakeLinearWatch(images.MakeWatch()));
          images.Report(RecordsOf(records, options.levels.size()));
          WriteLinear(transform, *linear);
        });
    });
  });
}

std::int32_t
cudaspline_measure_folding(const cudaspline_grid * grid,
                           std::int32_t            dimension,
                           const void *            field,
                           std::int32_t            type,
                           std::int32_t            logarithm,
                           void *                  output,
                           std::int32_t            device,
                           void *                  stream,
                           cudaspline_folding *    folding,
                           cudaspline_execution *  execution)
{
  return Call([=] {
    RequirePointer(grid, "grid");
    RequirePointer(field, "field");
    CallExecution call(execution);
    FieldShape    shape;
    shape.grid = DescribeGrid(*grid, CheckDimension(dimension, "dimension"), "grid");
    shape.element = RealOfCode(type, "type");
    const Residence residence(call.ContextOf(device));
    residence.Follow(static_cast<StreamHandle>(stream));
    const OnHost                  vectors(field, shape.Bytes(), residence);
    const std::size_t             bytes = static_cast<std::size_t>(shape.grid.Count()) * SizeOf(shape.element);
    const bool                    isUploaded = residence.IsOnDevice() && output != nullptr;
    const std::unique_ptr<char[]> made(isUploaded ? new char[bytes] : nullptr);
    const FieldFolding            found =
      MeasureFolding(shape, vectors.Data(), isUploaded ? made.get() : output, logarithm != 0, call.GetContext());
    if (isUploaded)
    {
      Upload(output, made.get(), bytes, residence);
      residence.Wait();
    }
    if (folding != nullptr)
    {
      *folding = { found.voxels, found.all, found.least, found.largest };
    }
    call.Report(-1);
  });
}

std::int32_t
cudaspline_find_quantiles(const void *           pixels,
                          std::int32_t           type,
                          std::int64_t           count,
                          const double *         parts,
                          double *               values,
                          cudaspline_execution * execution)
{
  return Call([=] {
    RequirePointer(pixels, "pixels");
    RequirePointer(parts, "parts");
    RequirePointer(values, "values");
    if (count < 0)
    {
      throw std::invalid_argument("count is negative.");
    }
    CallExecution    call(execution);
    const auto       found = Naming("parts", [&] {
      return FindQuantiles(pixels, RealOfCode(type, "type"), count, { { parts[0], parts[1] } }, call.GetContext());
    });
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    values[0] = found ? (*found)[0] : none;
    values[1] = found ? (*found)[1] : none;
    call.Report(-1);
  });
}

std::int32_t
cudaspline_find_centre_of_gravity(const cudaspline_registration_image * image,
                                  std::int32_t                          type,
                                  const cudaspline_registration_image * mask,
                                  std::int32_t                          dimension,
                                  double *                              centre,
                                  cudaspline_execution *                execution)
{
  return Call([=] {
    RequirePointer(image, "image");
    RequirePointer(image->pixels, "image.pixels");
    RequirePointer(centre, "centre");
    CallExecution      call(execution);
    const unsigned int axes = CheckDimension(dimension, "dimension");
    const bool         isMasked = mask != nullptr && mask->pixels != nullptr;
    const auto         found = FindCentreOfGravity(DescribeGrid(image->grid, axes, "image.grid"),
                                           image->pixels,
                                           RealOfCode(type, "type"),
                                           isMasked ? DescribeGrid(mask->grid, axes, "mask.grid") : FieldGrid(),
                                           isMasked ? static_cast<const std::uint8_t *>(mask->pixels) : nullptr,
                                           call.GetContext());
    for (unsigned int d = 0; d < 3; ++d)
    {
      centre[d] = found ? (*found)[d] : std::numeric_limits<double>::quiet_NaN();
    }
    call.Report(-1);
  });
}
