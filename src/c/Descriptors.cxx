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
#include "c/Descriptors.h"

#include "c/Call.h"

#include "itkCudaSpline/kernels/transforms/ScanlinesOfChain.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace itk::CudaSpline
{

static_assert(static_cast<int>(Interpolation::CubicConvolution) == CUDASPLINE_INTERPOLATE_CUBIC_CONVOLUTION &&
                static_cast<int>(Interpolation::LabelGaussian) == CUDASPLINE_INTERPOLATE_LABEL_GAUSSIAN &&
                InterpolationCount == CUDASPLINE_INTERPOLATE_LABEL_GAUSSIAN + 1,
              "The interpolations have the same numbers.");

namespace
{

/** \exception std::invalid_argument the number is not in [0, last] */
template <typename TEnum>
TEnum
EnumOf(std::int32_t code, TEnum last, const char * name)
{
  if (code < 0 || code > static_cast<std::int32_t>(last))
  {
    throw std::invalid_argument(std::string(name) + " is " + std::to_string(code) + "; 0 to " +
                                std::to_string(static_cast<std::int32_t>(last)) + " are allowed.");
  }
  return static_cast<TEnum>(code);
}

TransformChain::Matrix
MatrixOf(const double (&numbers)[9])
{
  TransformChain::Matrix matrix{};
  for (unsigned int i = 0; i < 9; ++i)
  {
    matrix[i / 3][i % 3] = numbers[i];
  }
  return matrix;
}

template <typename TNumber>
std::array<TNumber, 3>
VectorOf(const TNumber (&numbers)[3])
{
  return { { numbers[0], numbers[1], numbers[2] } };
}

TransformChain::Stage
DescribeStage(const cudaspline_stage & from, unsigned int dimension)
{
  TransformChain::Stage stage;
  stage.kind = EnumOf(from.kind, TransformKind::DisplacementField, "stage.kind");
  stage.matrix = MatrixOf(from.matrix);
  stage.offset = VectorOf(from.offset);
  if (stage.kind == TransformKind::Affine)
  {
    return stage;
  }
  stage.order = from.order;
  stage.nearest = from.nearest != 0;
  stage.goesOn = from.goes_on != 0;
  stage.start = VectorOf(from.start);
  stage.origin = VectorOf(from.origin);
  stage.pointToIndex = MatrixOf(from.point_to_index);
  const bool isSpline = stage.kind == TransformKind::BSpline;
  if (isSpline && (from.order < 1 || from.order > 3))
  {
    throw std::invalid_argument("stage.order is " + std::to_string(from.order) +
                                "; B-spline grids support orders 1 to 3.");
  }
  for (unsigned int d = 0; d < dimension; ++d)
  {
    const std::int64_t least = isSpline ? from.order + 1 : 1;
    if (from.size[d] < least)
    {
      throw std::invalid_argument("stage.size is " + std::to_string(from.size[d]) + " along axis " + std::to_string(d) +
                                  "; at least " + std::to_string(least) + " are needed.");
    }
    stage.size[d] = from.size[d];
  }
  RequirePointer(from.data, "stage.data");
  const ScalarType type = ScalarTypeOfCode(from.type, "stage.type");
  if (type == ScalarType::Float64)
  {
    stage.data = std::shared_ptr<const double>(static_cast<const double *>(from.data), [](const double *) {});
  }
  else if (type == ScalarType::Float32 && !isSpline)
  {
    stage.singleData = std::shared_ptr<const float>(static_cast<const float *>(from.data), [](const float *) {});
  }
  else
  {
    throw std::invalid_argument(
      std::string("stage.type is ") + NameOf(type) +
      "; coefficients of B-splines must be float64, displacements of fields float32 or float64.");
  }
  return stage;
}

/** Computes the continuous indices of both ends of every scanline, as itk::ResampleImageFilter maps them. */
template <unsigned int VDimension>
std::unique_ptr<double[]>
MapScanlines(const TransformChain & chain, const ExecutionContext & context)
{
  const AffineScanlines<VDimension> scanlines = ScanlinesOf<VDimension>(chain);
  std::int64_t                      lines = 1;
  for (unsigned int d = 1; d < VDimension; ++d)
  {
    lines *= chain.regionSize[d];
  }
  std::unique_ptr<double[]> ends(new double[static_cast<std::size_t>(lines) * 2 * VDimension]);
  context.ParallelFor(lines, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line)
    {
      ScanlineEnds<VDimension> ofLine;
      scanlines.EndsOf(line, ofLine);
      std::memcpy(ends.get() + line * 2 * VDimension, &ofLine, sizeof(ofLine));
    }
  });
  return ends;
}

} // namespace

ScalarType
ScalarTypeOfCode(std::int32_t code, const char * name)
{
  static_assert(static_cast<int>(ScalarType::Float64) == CUDASPLINE_FLOAT64 &&
                  static_cast<int>(ScalarType::UInt8) == CUDASPLINE_UINT8,
                "The types have the same numbers.");
  return EnumOf(code, ScalarType::Float64, name);
}

StoredType
StoredTypeOfCodes(std::int32_t type, std::int32_t rounding, const std::string & name)
{
  static_assert(static_cast<int>(IntegerRounding::HalfToEven) == CUDASPLINE_ROUNDING_HALF_TO_EVEN &&
                  static_cast<int>(IntegerRounding::Truncate) == CUDASPLINE_ROUNDING_TRUNCATE,
                "The roundings have the same numbers.");
  return { ScalarTypeOfCode(type, (name + ".output_type").c_str()),
           EnumOf(rounding, IntegerRounding::HalfToEven, (name + ".rounding").c_str()) };
}

SourceDescriptor
DescribeImage(const cudaspline_image & image)
{
  SourceDescriptor source;
  if (image.dimension < 1 || image.dimension > CUDASPLINE_MAXIMUM_DIMENSION)
  {
    throw std::invalid_argument("image.dimension is " + std::to_string(image.dimension) + "; images must have 1 to " +
                                std::to_string(CUDASPLINE_MAXIMUM_DIMENSION) + " dimensions.");
  }
  RequirePointer(image.pixels, "image.pixels");
  source.dimension = static_cast<unsigned int>(image.dimension);
  for (unsigned int d = 0; d < source.dimension; ++d)
  {
    source.start[d] = image.start[d];
    source.size[d] = image.size[d];
    source.extension[d] = EnumOf(image.extension[d], Extension::GridConstant, "image.extension");
  }
  if (image.components < 1)
  {
    throw std::invalid_argument("image.components is " + std::to_string(image.components) + "; it must be at least 1.");
  }
  source.components = static_cast<unsigned int>(image.components);
  source.pixel = ScalarTypeOfCode(image.pixel, "image.pixel");
  source.element = ScalarTypeOfCode(image.element, "image.element");
  if (image.order < 0 || image.order > 5)
  {
    throw std::invalid_argument("image.order is " + std::to_string(image.order) + "; 0 to 5 are allowed.");
  }
  source.order = static_cast<unsigned int>(image.order);
  source.method.kind = EnumOf(image.method, PrefilterMethod::Kind::Coefficients, "image.method");
  source.method.taps = image.taps;
  source.storage = EnumOf(image.storage, CoefficientStorage::Texture, "image.storage");
  source.tableEntries = image.table_entries;
  return source;
}

InterpolationDescriptor
DescribeMethod(const cudaspline_interpolation & from)
{
  constexpr double        largest = 0x1p52; // beyond it indices are no longer distinct
  InterpolationDescriptor method;
  method.interpolation = EnumOf(from.kind, AllInterpolations.back(), "interpolation.kind");
  method.mode = EnumOf(from.mode, EvaluationMode::TextureTable, "interpolation.mode");
  method.window = EnumOf(from.window, SincWindow::Blackman, "interpolation.window");
  for (unsigned int d = 0; d < 3; ++d)
  {
    if (!(std::abs(from.lower[d]) <= largest && std::abs(from.upper[d]) <= largest))
    {
      throw std::invalid_argument("interpolation.lower[" + std::to_string(d) + "] is " + std::to_string(from.lower[d]) +
                                  " and upper[" + std::to_string(d) + "] is " + std::to_string(from.upper[d]) +
                                  "; their magnitudes must be at most 2^52.");
    }
  }
  method.lower = VectorOf(from.lower);
  method.upper = VectorOf(from.upper);
  method.border = from.border;
  method.cubic = { from.cubic_b, from.cubic_c };
  method.radius = from.radius;
  method.sigma = VectorOf(from.sigma);
  method.cutOff = VectorOf(from.cutoff);
  return method;
}

std::vector<TransformChain::Stage>
DescribeStages(const cudaspline_stage * stages, std::int32_t count, unsigned int dimension, const std::string & name)
{
  if (count < 0)
  {
    throw std::invalid_argument(name + ".stage_count is " + std::to_string(count) + "; it must be at least 0.");
  }
  std::vector<TransformChain::Stage> described;
  for (std::int32_t i = 0; i < count; ++i)
  {
    RequirePointer(stages, (name + ".stages").c_str());
    described.push_back(DescribeStage(stages[i], dimension));
  }
  return described;
}

TransformChain
DescribeChain(const cudaspline_resampling & resampling, unsigned int dimension)
{
  TransformChain chain;
  chain.inputOrigin = VectorOf(resampling.input_origin);
  chain.pointToIndex = MatrixOf(resampling.input_point_to_index);
  chain.outputOrigin = VectorOf(resampling.output_origin);
  chain.indexToPoint = MatrixOf(resampling.output_index_to_point);
  for (unsigned int d = 0; d < dimension; ++d)
  {
    if (resampling.output_size[d] < 0)
    {
      throw std::invalid_argument("resampling.output_size[" + std::to_string(d) + "] is " +
                                  std::to_string(resampling.output_size[d]) + "; it must be at least 0.");
    }
    chain.regionStart[d] = resampling.output_start[d];
    chain.regionSize[d] = resampling.output_size[d];
  }
  chain.stages = DescribeStages(resampling.stages, resampling.stage_count, dimension, "resampling");
  return chain;
}

ResampleDescription
DescribeResampling(const cudaspline_resampling & resampling,
                   const SourceDescriptor &      source,
                   const ExecutionContext &      host)
{
  if (source.dimension > 3)
  {
    throw std::invalid_argument("image.dimension is " + std::to_string(source.dimension) +
                                "; only images of 1 to 3 dimensions can be resampled.");
  }
  ResampleDescription  description;
  ResampleDescriptor & descriptor = description.resampling;
  description.samples = source;
  description.extrapolates = resampling.extrapolate != 0;
  static_cast<InterpolationDescriptor &>(descriptor) = DescribeMethod(resampling.interpolation);
  descriptor.output = StoredTypeOfCodes(resampling.output_type, resampling.rounding, "resampling");
  TransformChain chain = DescribeChain(resampling, source.dimension);
  const auto     size = chain.regionSize;
  const bool     isPart = resampling.line_length != 0;
  const auto     lineStart = isPart ? resampling.line_start : chain.regionStart[0];
  const auto     lineLength = isPart ? resampling.line_length : size[0];
  if (lineStart > chain.regionStart[0] || lineLength < chain.regionStart[0] - lineStart + size[0])
  {
    throw std::invalid_argument(
      "resampling.line_start is " + std::to_string(resampling.line_start) + " and line_length is " +
      std::to_string(resampling.line_length) + "; scanlines must contain those of the output, which start at " +
      std::to_string(chain.regionStart[0]) + " and have " + std::to_string(size[0]) + " samples.");
  }
  descriptor.samples = size[0];
  descriptor.lines = size[1] * size[2];
  descriptor.lineOffset = chain.regionStart[0] - lineStart;
  descriptor.lineLength = lineLength > 0 ? lineLength : 1;
  descriptor.sliceLines = source.dimension == 3 ? size[1] : 0;
  if (descriptor.samples > 0 && descriptor.lines > 0)
  {
    RequirePointer(resampling.output, "resampling.output");
  }
  description.defaultPixels.assign(source.components, 0);
  if (resampling.default_pixel != nullptr)
  {
    const std::size_t bytes = SizeOf(descriptor.output);
    for (std::size_t c = 0; c < description.defaultPixels.size(); ++c)
    {
      std::memcpy(
        &description.defaultPixels[c], static_cast<const char *>(resampling.default_pixel) + c * bytes, bytes);
    }
  }
  // Scanlines of an output on a device are computed on the device, and those of long chains point by point.
  const bool isAffine = HasAffineScanlines(chain);
  if (resampling.device >= 0 && isAffine && isPart)
  {
    throw std::invalid_argument("resampling.line_length is " + std::to_string(resampling.line_length) +
                                "; it must be 0 for an output on a device.");
  }
  if (resampling.device >= 0 || !isAffine)
  {
    description.chain = std::move(chain);
    return description;
  }
  chain.regionStart[0] = lineStart;
  chain.regionSize[0] = lineLength;
  switch (source.dimension)
  {
    case 1:
      description.ends = MapScanlines<1>(chain, host);
      break;
    case 2:
      description.ends = MapScanlines<2>(chain, host);
      break;
    default:
      description.ends = MapScanlines<3>(chain, host);
      break;
  }
  return description;
}

CallExecution::CallExecution(cudaspline_execution * execution)
  : m_Execution(execution != nullptr ? execution : &m_Default)
{
  if (m_Execution->threads < 0)
  {
    throw std::invalid_argument("execution.threads is " + std::to_string(m_Execution->threads) +
                                "; it must be at least 0.");
  }
  m_Execution->backend = CUDASPLINE_BACKEND_NONE;
  m_Execution->used_device = -1;
  m_Execution->pieces = 0;
  m_Execution->reason[0] = '\0';
  m_Execution->seconds = 0.0;
  std::fill(std::begin(m_Execution->calls), std::end(m_Execution->calls), 0);
  std::fill(std::begin(m_Execution->call_seconds), std::end(m_Execution->call_seconds), 0.0);
  m_Host = std::make_unique<ThreadExecutor>(static_cast<unsigned int>(m_Execution->threads));
  m_Context.host = m_Host.get();
  m_Context.memoryLimit = m_Execution->memory_limit;
  if (m_Execution->progress != nullptr)
  {
    m_Context.progress = [execution = m_Execution](double fraction) {
      const cudaspline_progress progress{ fraction, execution->progress_data };
      return execution->progress(&progress) != 0;
    };
  }
}

ExecutionContext
CallExecution::ContextOf(std::int32_t device) const
{
  ExecutionContext context = m_Context;
  context.backend = device >= 0 ? Backend::Cuda : Backend::Cpu;
  context.device = device >= 0 ? device : 0;
  return context;
}

void
CallExecution::Report(const RunRecord & record, std::int32_t pieces)
{
  m_Execution->backend = record.backend == Backend::Cuda ? CUDASPLINE_BACKEND_CUDA : CUDASPLINE_BACKEND_CPU;
  m_Execution->used_device = record.backend == Backend::Cuda ? record.devices.front() : -1;
  m_Execution->pieces = pieces;
  WriteText(record.DescribeFallback(), m_Execution->reason, sizeof(m_Execution->reason));
  m_Execution->seconds = record.seconds;
  const BackendUse use = GetBackendUse();
  for (const auto & [backend, code] :
       { std::pair(Backend::Cuda, CUDASPLINE_BACKEND_CUDA), std::pair(Backend::Cpu, CUDASPLINE_BACKEND_CPU) })
  {
    m_Execution->calls[code] = static_cast<std::int64_t>(use[backend].calls);
    m_Execution->call_seconds[code] = use[backend].seconds;
  }
}

void
CallExecution::Report(std::int32_t device)
{
  RunRecord record;
  record.backend = device >= 0 ? Backend::Cuda : Backend::Cpu;
  record.devices.assign(1, device);
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_Begin).count();
  CountCall(record.backend, record.seconds, nullptr);
  this->Report(record);
}

} // namespace itk::CudaSpline
