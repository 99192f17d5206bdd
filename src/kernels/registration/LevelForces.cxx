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
#include "kernels/registration/LevelForces.h"

#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/kernels/gaussian/ResidentGaussian.h"
#include "itkCudaSpline/kernels/metrics/MappedImage.h"

#include "device/LargePages.h"
#include "kernels/registration/ConvertNumbers.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace itk::CudaSpline
{

namespace
{
LocalCorrelationDescriptor
DescribeCorrelation(const FieldShape & shape, ScalarType pixel, const SynMetric & metric)
{
  LocalCorrelationDescriptor descriptor;
  descriptor.grid = shape.grid;
  descriptor.radius = metric.radius;
  descriptor.pixel = pixel;
  descriptor.derivative = shape.element;
  descriptor.arithmetic = metric.arithmetic;
  descriptor.epsilon = metric.epsilon;
  return descriptor;
}

/** What gradients, smoothing, inversion and norms share: never two of them at one time. */
std::size_t
ScratchBytes(const FieldShape & shape, const std::optional<GaussianDescriptor> & gaussian, Backend backend)
{
  const std::size_t ofGradients =
    gaussian ? CountResidentGaussianScratch(*gaussian, GaussianOperation::Gradient, backend) : 0;
  return std::max({ shape.Bytes(), CountInversionScratch(shape), MaximumNormScratch, ofGradients });
}

/** What splines need of the same memory. */
std::size_t
SplineScratchBytes(const FieldShape & shape, const SynRules & rules, bool hasConfidence)
{
  std::size_t bytes = 0;
  if (rules.updateSpline)
  {
    bytes = CountSplineSmoothingScratch(shape, *rules.updateSpline, hasConfidence);
  }
  if (rules.totalSpline)
  {
    bytes = std::max(bytes, CountSplineSmoothingScratch(shape, *rules.totalSpline));
  }
  return bytes;
}

} // namespace

void
CheckSide(const SynSide & side, const FieldShape & shape, ScalarType pixel)
{
  const auto isOf = [&](const ResidentImage & image) { return image.grid.dimension == shape.grid.dimension; };
  if (side.image.data == nullptr || !isOf(side.image) || side.image.pixel != pixel ||
      (pixel != ScalarType::Float32 && pixel != ScalarType::Float64))
  {
    throw std::invalid_argument("Images of a registration are float or double alike, of the dimension of its fields.");
  }
  if (side.mask.data != nullptr && (!isOf(side.mask) || side.mask.pixel != ScalarType::UInt8))
  {
    throw std::invalid_argument("Masks of a registration have pixels of 8 bits, and the dimension of its fields.");
  }
  if (side.stages.size() >= MaximumWarpStages)
  {
    throw std::invalid_argument("An initial transform has more stages than " + std::to_string(MaximumWarpStages - 1) +
                                '.');
  }
  if (side.confidence.data != nullptr && (!isOf(side.confidence) || side.confidence.pixel != shape.element))
  {
    throw std::invalid_argument("What samples count has the type and the dimension of the fields.");
  }
}

ImageWarp
DescribeMove(const SynSide & side, const FieldShape & shape, const void * field)
{
  ImageWarp warp;
  warp.input = side.image.grid;
  warp.pixel = side.image.pixel;
  warp.output = shape.grid;
  if (field != nullptr)
  {
    warp.stages.push_back(MakeFieldStage(shape, field));
  }
  warp.stages.insert(warp.stages.end(), side.stages.begin(), side.stages.end());
  return warp;
}

void
MoveMask(const SynSide & side, ImageWarp warp, void * output, const Residence & residence)
{
  if (side.mask.data != nullptr)
  {
    warp.input = side.mask.grid;
    warp.pixel = side.mask.pixel;
    warp.nearest = true;
    warp.largestOutside = false;
    WarpImage(warp, side.mask.data.get(), output, residence);
  }
}

std::vector<TransformChain::Stage>
MakeResidentStages(std::vector<TransformChain::Stage> stages, unsigned int dimension, const Residence & residence)
{
  const auto move = [&](auto & numbers, std::int64_t count) {
    using Number = std::remove_const_t<std::remove_reference_t<decltype(*numbers)>>;
    if (numbers != nullptr && residence.IsOnDevice())
    {
      const auto array = std::make_shared<ResidentArray>(static_cast<std::size_t>(count) * sizeof(Number), residence);
      Upload(array->Data(), numbers.get(), array->Bytes(), residence);
      numbers = std::shared_ptr<const Number>(array, array->template As<Number>());
    }
  };
  for (TransformChain::Stage & stage : stages)
  {
    const std::int64_t count = TransformChain::CountOf(stage, dimension);
    move(stage.data, count);
    move(stage.singleData, count);
  }
  return stages;
}

LevelForces::LevelForces(const FieldShape & shape,
                         SynSide            fixed,
                         SynSide            moving,
                         const SynMetric &  metric,
                         const Residence &  residence)
  : m_Shape(shape)
  , m_Residence(residence)
  , m_Fixed(std::move(fixed))
  , m_Moving(std::move(moving))
  , m_Correlation(DescribeCorrelation(shape, m_Fixed.image.pixel, metric))
  , m_Gaussian(metric.comparesOriginals ? std::nullopt : metric.gaussian)
  , m_ComparesOriginals(metric.comparesOriginals)
{
  CheckSide(m_Fixed, shape, m_Fixed.image.pixel);
  CheckSide(m_Moving, shape, m_Fixed.image.pixel);
  m_MovedFixed = this->MakeMoved(m_Fixed);
  m_MovedMoving = this->MakeMoved(m_Moving);
  m_Scratch = ResidentArray(ScratchBytes(shape, m_Gaussian, residence.GetBackend()), residence);
  m_CorrelationScratch = ResidentArray(CountLocalCorrelationScratch(m_Correlation, residence), residence);
}

LevelForces::Moved
LevelForces::MakeMoved(const SynSide & side) const
{
  const auto count = static_cast<std::size_t>(m_Shape.grid.Count());
  const auto array = [this](bool isNeeded, std::size_t bytes) {
    return ResidentArray(isNeeded ? bytes : 0, m_Residence);
  };
  Moved moved;
  moved.image = array(true, count * SizeOf(side.image.pixel));
  moved.mask = array(m_ComparesOriginals || side.mask.data != nullptr, count);
  moved.confidence = array(side.confidence.data != nullptr, count * SizeOf(m_Shape.element));
  // Of Gaussians on the grid those of the moving image alone are kept: the others are made in memory of a field.
  moved.gradients = array(m_ComparesOriginals || (m_Gaussian && &side == &m_Moving), m_Shape.Bytes());
  if (m_ComparesOriginals && side.gradient)
  {
    const auto numbers = static_cast<std::size_t>(side.image.grid.Count()) * m_Shape.grid.dimension;
    moved.ownGradients = array(true, numbers * SizeOf(m_Shape.element));
    const ResidentArray scratch(
      CountResidentGaussianScratch(*side.gradient, GaussianOperation::Gradient, m_Residence.GetBackend()), m_Residence);
    MakeResidentGradient(*side.gradient, side.image.data.get(), moved.ownGradients.Data(), scratch.Data(), m_Residence);
  }
  return moved;
}

void
LevelForces::Move(const SynSide & side, const void * field, const Moved & moved)
{
  ImageWarp warp = DescribeMove(side, m_Shape, field);
  if (m_ComparesOriginals)
  {
    const ImageMapping  mapping{ warp.input, warp.pixel, side.mask.grid, m_Shape, warp.stages };
    const MappedSources sources{ side.image.data.get(),
                                 static_cast<const std::uint8_t *>(side.mask.data.get()),
                                 moved.ownGradients.Data() };
    MapImage(
      mapping, sources, { moved.image.Data(), moved.mask.As<std::uint8_t>(), moved.gradients.Data() }, m_Residence);
  }
  else
  {
    WarpImage(warp, side.image.data.get(), moved.image.Data(), m_Residence);
  }
  if (side.confidence.data != nullptr)
  {
    warp.input = side.confidence.grid;
    warp.pixel = side.confidence.pixel;
    WarpImage(warp, side.confidence.data.get(), moved.confidence.Data(), m_Residence);
  }
  if (!m_ComparesOriginals)
  {
    MoveMask(side, std::move(warp), moved.mask.Data(), m_Residence);
  }
}

void
LevelForces::MoveFixed(const void * field)
{
  this->Move(m_Fixed, field, m_MovedFixed);
}

void
LevelForces::MoveMoving(const void * field)
{
  this->Move(m_Moving, field, m_MovedMoving);
}

void
LevelForces::Compare(LocalCorrelationSums * sums, void * byMoving, void * byFixed, void * work)
{
  LocalCorrelationImages images;
  images.fixed = m_MovedFixed.image.Data();
  images.moving = m_MovedMoving.image.Data();
  images.fixedInside = m_MovedFixed.mask.As<std::uint8_t>();
  images.movingInside = m_MovedMoving.mask.As<std::uint8_t>();
  if (m_ComparesOriginals)
  {
    images.movingGradient = m_MovedMoving.gradients.Data();
    images.fixedGradient = byFixed != nullptr ? m_MovedFixed.gradients.Data() : nullptr;
  }
  else if (m_Gaussian)
  {
    MakeResidentGradient(*m_Gaussian, images.moving, m_MovedMoving.gradients.Data(), m_Scratch.Data(), m_Residence);
    images.movingGradient = m_MovedMoving.gradients.Data();
    if (byFixed != nullptr)
    {
      MakeResidentGradient(*m_Gaussian, images.fixed, work, m_Scratch.Data(), m_Residence);
      images.fixedGradient = work;
    }
  }
  EvaluateLocalCorrelation(m_Correlation, images, sums, byMoving, byFixed, m_CorrelationScratch.Data(), m_Residence);
}

void
LevelForces::Reserve(const SynRules & rules)
{
  const bool hasConfidence = this->FixedConfidence() != nullptr || this->MovingConfidence() != nullptr;
  const auto bytes = SplineScratchBytes(m_Shape, rules, hasConfidence);
  if (bytes > m_Scratch.Bytes())
  {
    m_Scratch = ResidentArray(); // before the other one
    m_Scratch = ResidentArray(bytes, m_Residence);
  }
}

void
LevelForces::Smooth(const void *                          input,
                    const void *                          confidence,
                    double                                variance,
                    const std::optional<FieldSplineFit> & spline,
                    void *                                output)
{
  if (spline)
  {
    SmoothFieldBySpline(m_Shape, input, confidence, *spline, output, m_Scratch.Data(), m_Residence);
  }
  else if (variance > 0.0)
  {
    SmoothField(m_Shape, input, MakeFieldSmoothing(m_Shape.grid, variance), output, m_Scratch.Data(), m_Residence);
  }
  else
  {
    CopyResident(output, input, m_Shape.Bytes(), m_Residence);
  }
}

void
LevelForces::MakeUpdate(void * force, const void * confidence, const SynRules & rules, void * update, double * maximum)
{
  if (rules.weights != SynRules().weights)
  {
    WeighField(m_Shape, force, rules.weights, m_Residence);
  }
  this->Smooth(force, confidence, rules.updateVariance, rules.updateSpline, update);
  FindMaximumNorm(m_Shape, update, maximum, m_Scratch.Data(), m_Residence);
  ScaleField(m_Shape, update, rules.learningRate, maximum, m_Residence);
}

std::size_t
LevelForces::CountBytes(const FieldShape & shape, const SynMetric & metric, const SynRules & rules, ScalarType pixel)
{
  const auto count = static_cast<std::size_t>(shape.grid.Count());
  // Masks are moved as numbers, too, for splines of updates; and these have the places of all samples, at the most.
  const auto numbers = rules.updateSpline ? 2 * count * SizeOf(shape.element) : 0;
  const auto places = rules.SmoothsBySplines() ? count * shape.grid.dimension * sizeof(float) : 0;
  const auto gradients = metric.comparesOriginals ? 2 * shape.Bytes() : (metric.gaussian ? shape.Bytes() : 0);
  return 2 * count * (SizeOf(pixel) + 1) + gradients + numbers + places +
         std::max(ScratchBytes(shape, metric.gaussian, Backend::Cuda),
                  SplineScratchBytes(shape, rules, rules.updateSpline.has_value())) +
         (std::size_t(1) << 20); // sums of blocks
}

LevelField::LevelField(const FieldShape & shape, const Residence & residence)
  : m_Shape(shape)
  , m_Residence(residence)
  , m_Vectors(shape.Bytes(), residence)
{
  ClearResident(m_Vectors.Data(), m_Vectors.Bytes(), residence);
}

void
LevelField::Set(const void * vectors, ScalarType element)
{
  if (element == m_Shape.element)
  {
    Upload(m_Vectors.Data(), vectors, m_Shape.Bytes(), m_Residence);
    return;
  }
  ResidentArray copy(static_cast<std::size_t>(m_Shape.Numbers()) * SizeOf(element), m_Residence);
  Upload(copy.Data(), vectors, copy.Bytes(), m_Residence);
  ConvertNumbers(copy.Data(), element, m_Vectors.Data(), m_Shape.Numbers(), m_Residence);
}

void
LevelField::Get(void * vectors, ScalarType element) const
{
  GiveField(vectors, element, FieldMemory::Host, m_Vectors.Data(), m_Shape, m_Residence);
}

void
LevelField::AdaptFrom(const LevelField & other)
{
  if (other.m_Shape.element != m_Shape.element)
  {
    throw std::invalid_argument("The levels of a registration have fields of one type.");
  }
  const ExecutionContext & from = other.m_Residence.GetContext();
  const ExecutionContext & to = m_Residence.GetContext();
  const void *             field = other.m_Vectors.Data();
  ResidentArray            moved;
  if (from.backend == to.backend && (!m_Residence.IsOnDevice() || from.device == to.device))
  {
    other.m_Residence.Wait(); // it may be another stream
  }
  else
  {
    const std::unique_ptr<char[]> copy(new char[other.m_Shape.Bytes()]);
    Download(copy.get(), field, other.m_Shape.Bytes(), other.m_Residence);
    moved = ResidentArray(other.m_Shape.Bytes(), m_Residence);
    Upload(moved.Data(), copy.get(), moved.Bytes(), m_Residence);
    field = moved.Data();
  }
  if (other.m_Shape.grid == m_Shape.grid)
  {
    CopyResident(m_Vectors.Data(), field, m_Shape.Bytes(), m_Residence);
  }
  else
  {
    ResampleField(other.m_Shape, field, m_Shape, m_Vectors.Data(), m_Residence);
  }
  m_Residence.Wait(); // before the other field goes
}

FieldInversionState
LevelField::GetInverse(const FieldInversion & rules,
                       void *                 inverse,
                       FieldInversionState *  state,
                       void *                 scratch,
                       void *                 vectors,
                       ScalarType             element,
                       FieldMemory            memory) const
{
  ClearResident(inverse, m_Shape.Bytes(), m_Residence);
  InvertField(m_Shape, m_Vectors.Data(), inverse, rules, state, scratch, m_Residence);
  GiveField(vectors, element, memory, inverse, m_Shape, m_Residence);
  FieldInversionState cameTo;
  Download(&cameTo, state, sizeof(cameTo), m_Residence);
  return cameTo;
}

void
GiveField(void *             vectors,
          ScalarType         element,
          FieldMemory        memory,
          const void *       field,
          const FieldShape & shape,
          const Residence &  residence)
{
  if (!residence.IsOnDevice() || memory == FieldMemory::Host)
  {
    AdviseLargePages(vectors, static_cast<std::size_t>(shape.Numbers()) * SizeOf(element));
  }
  if (!residence.IsOnDevice() || memory == FieldMemory::Residence)
  {
    if (element == shape.element)
    {
      CopyResident(vectors, field, shape.Bytes(), residence);
    }
    else
    {
      ConvertNumbers(field, shape.element, vectors, shape.Numbers(), residence);
    }
    return;
  }
  if (element == shape.element)
  {
    Download(vectors, field, shape.Bytes(), residence);
    return;
  }
  const auto    slab = std::min<std::int64_t>(shape.Numbers(), TransferChunkBytes / SizeOf(element));
  ResidentArray converted(static_cast<std::size_t>(slab) * SizeOf(element), residence);
  for (std::int64_t first = 0; first < shape.Numbers(); first += slab)
  {
    const std::int64_t count = std::min(slab, shape.Numbers() - first);
    ConvertNumbers(static_cast<const char *>(field) + static_cast<std::size_t>(first) * SizeOf(shape.element),
                   shape.element,
                   converted.Data(),
                   count,
                   residence);
    Download(static_cast<char *>(vectors) + static_cast<std::size_t>(first) * SizeOf(element),
             converted.Data(),
             static_cast<std::size_t>(count) * SizeOf(element),
             residence);
  }
}

} // namespace itk::CudaSpline
