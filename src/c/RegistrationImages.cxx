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
#include "c/RegistrationImages.h"

#include "c/Call.h"

#include "itkCudaSpline/device/Device.h"

#include <cmath>
#include <memory>

namespace itk::CudaSpline
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

void
CheckWindow(std::int32_t window, const std::string & name)
{
  if (window < 2)
  {
    throw std::invalid_argument(name + " is " + std::to_string(window) + ", and 2 is the least.");
  }
}

namespace
{

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

} // namespace

RegistrationImages::RegistrationImages(const cudaspline_registration &      registration,
                                       const cudaspline_registration_pair * pairs,
                                       std::int32_t                         pairCount)
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
      throw std::invalid_argument("registration.levels: shrink is 1 or more, iterations and sigma are 0 or more, not " +
                                  std::to_string(level.shrink) + ", " + std::to_string(level.iterations) + " and " +
                                  std::to_string(level.sigma) + ".");
    }
    m_Levels.push_back(
      { static_cast<unsigned int>(level.shrink), level.sigma, static_cast<unsigned int>(level.iterations) });
  }
}

std::size_t
RegistrationImages::CountBytes() const
{
  std::size_t bytes = BytesOf(m_Fixed) + BytesOf(m_Moving);
  for (const SynSide & side : m_Further)
  {
    bytes += BytesOf(side);
  }
  return bytes;
}

std::array<std::vector<SynSide>, 2>
RegistrationImages::MakePairs(const Residence & residence) const
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

RegistrationWatch
RegistrationImages::MakeWatch() const
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

void
RegistrationImages::Run(CallExecution &                                call,
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

void
RegistrationImages::Report(const std::vector<LevelRecord> & records) const
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

void
RegistrationImages::AddPair(const cudaspline_registration_pair & pair, const std::string & name)
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
RegistrationImages::Make(const SynSide & side, const Residence & residence) const
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

} // namespace itk::CudaSpline
