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
#include "kernels/common/ConvertPixels.h"
#include "kernels/common/HostLoop.h"
#include "kernels/evaluation/host/EvaluationCpu.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace itk::CudaSpline
{

namespace
{

// Samples that a thread takes at a time, at least: some 0.05 ms, longer than to ask for them.
constexpr std::int64_t FewestSamples = 2048;

template <typename TReal>
void
StoreRunOf(const ValueRun<TReal> & run, int count, void * output, ScalarType type, std::int64_t at, std::int64_t stride)
{
  const bool all = std::all_of(run.isSet, run.isSet + count, [](std::uint8_t isSet) { return isSet != 0; });
  WithConstantType(type, [&](auto constantType) {
    for (int i = 0; all && stride == 1 && i < count; ++i)
    {
      StoreScalar(output, decltype(constantType)::value, at + i, run.value[i]);
    }
    for (int i = 0; !(all && stride == 1) && i < count; ++i)
    {
      if (run.isSet[i] != 0)
      {
        StoreScalar(output, decltype(constantType)::value, at + i * stride, run.value[i]);
      }
    }
  });
}

/** Whether the only stage is a field that is read at the output's own samples: where both grids are one. */
template <unsigned int VDimension>
bool
IsReadAtSamples(const EvaluationArguments<VDimension> & arguments)
{
  if (arguments.coordinates != Coordinates::Stages || arguments.stageCount != 1)
  {
    return false;
  }
  const TransformStage<VDimension> & stage = arguments.stages[0];
  bool isSame = stage.kind == TransformKind::DisplacementField && stage.nearest && stage.goesOn;
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    isSame = isSame && stage.origin[r] == arguments.outputOrigin[r] &&
             arguments.region.start[r] >= stage.extent.start[r] &&
             arguments.region.start[r] + arguments.region.size[r] <= stage.extent.start[r] + stage.extent.size[r];
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      double product = 0.0;
      for (unsigned int k = 0; k < VDimension; ++k)
      {
        product += stage.pointToIndex[r][k] * arguments.indexToPoint[k][c];
      }
      // The nearest sample is that of the index, as far as an image can be long.
      isSame = isSame && std::abs(product - (r == c ? 1.0 : 0.0)) < 1e-9;
    }
    isSame = isSame && std::abs(arguments.region.start[r]) + arguments.region.size[r] < (1 << 26);
  }
  return isSame;
}

/** The continuous indices of samples of a line under such a field: IndexOf() without looking for the samples. */
template <unsigned int VDimension, typename TReal>
void
FindFieldIndices(const EvaluationArguments<VDimension> & arguments,
                 const TReal *                           displacements,
                 std::int64_t                            line,
                 std::int64_t                            sample,
                 int                                     count,
                 double * const (&indices)[VDimension])
{
  const TransformStage<VDimension> & stage = arguments.stages[0];
  std::int64_t                       place[VDimension];
  std::int64_t                       rest = arguments.firstLine + line;
  std::int64_t                       offset = arguments.region.start[0] + sample - stage.extent.start[0];
  std::int64_t                       stride = stage.extent.size[0];
  place[0] = arguments.region.start[0] + sample;
  for (unsigned int d = 1; d < VDimension; ++d)
  {
    place[d] = arguments.region.start[d] + rest % arguments.region.size[d];
    rest /= arguments.region.size[d];
    offset += (place[d] - stage.extent.start[d]) * stride;
    stride *= stage.extent.size[d];
  }
  const TReal * const first = displacements + offset * stage.elementStride;
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    std::fill_n(indices[r], count, 0.0);
  }
  for (unsigned int c = 0; c < VDimension; ++c)
  {
    double moved[SamplesOfRun]; // places along an axis of space, from the origin of the input
    for (int i = 0; i < count; ++i)
    {
      double point = arguments.outputOrigin[c];
      for (unsigned int k = 0; k < VDimension; ++k)
      {
        const auto at = static_cast<double>(k == 0 ? place[0] + i : place[k]);
        point = RoundedSum(point, RoundedProduct(arguments.indexToPoint[c][k], at));
      }
      point += static_cast<double>(first[i * stage.elementStride + c * stage.componentStride]);
      moved[i] = RoundedSum(point, -arguments.origin[c]);
    }
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      for (int i = 0; i < count; ++i)
      {
        indices[r][i] = RoundedSum(indices[r][i], RoundedProduct(arguments.pointToIndex[r][c], moved[i]));
      }
    }
  }
}

/** The continuous indices of samples of a line, which in double are computed in vectors.
 *
 * \param[out] indices where those of each axis go */
template <unsigned int VDimension>
void
FindIndices(const EvaluationArguments<VDimension> & arguments,
            std::int64_t                            line,
            std::int64_t                            sample,
            int                                     count,
            bool                                    atSamples,
            double * const (&indices)[VDimension])
{
  if (atSamples)
  {
    const TransformStage<VDimension> & stage = arguments.stages[0];
    if (stage.singleData != nullptr)
    {
      FindFieldIndices(arguments, stage.singleData, line, sample, count, indices);
    }
    else
    {
      FindFieldIndices(arguments, stage.data, line, sample, count, indices);
    }
    return;
  }
  if (arguments.coordinates != Coordinates::Scanlines || arguments.singleCoordinates)
  {
    for (int i = 0; i < count; ++i)
    {
      double index[VDimension];
      arguments.IndexOf(line, sample + i, index);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        indices[d][i] = index[d];
      }
    }
    return;
  }
  // ScanlineEnds::At() for all of them.
  const ScanlineEnds<VDimension> ends = arguments.ends[line];
  const auto                     first = static_cast<double>(arguments.lineOffset + sample);
  double                         alpha[SamplesOfRun];
  for (int i = 0; i < count; ++i)
  {
    alpha[i] = (first + i) / arguments.lineLength;
  }
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    const double span = ends.end[d] - ends.start[d];
    for (int i = 0; i < count; ++i)
    {
      indices[d][i] = RoundedSum(ends.start[d], RoundedProduct(alpha[i], span));
    }
  }
}

} // namespace

void
StoreRun(const ValueRun<float> & run, int count, void * output, ScalarType type, std::int64_t at, std::int64_t stride)
{
  StoreRunOf(run, count, output, type, at, stride);
}

void
StoreRun(const ValueRun<double> & run, int count, void * output, ScalarType type, std::int64_t at, std::int64_t stride)
{
  StoreRunOf(run, count, output, type, at, stride);
}

void
StoreValue(void * output, ScalarType type, std::int64_t at, float value)
{
  StoreScalar(output, type, at, value);
}

void
StoreValue(void * output, ScalarType type, std::int64_t at, double value)
{
  StoreScalar(output, type, at, value);
}

template <unsigned int VDimension>
void
RunLines(const EvaluationArguments<VDimension> & arguments,
         std::int64_t                            lines,
         const ExecutionContext &                context,
         RunEvaluator<VDimension>                evaluate)
{
  const bool scattered = arguments.coordinates == Coordinates::Indices || arguments.coordinates == Coordinates::Points;
  const bool atSamples = IsReadAtSamples(arguments);
  const std::int64_t length = std::max<std::int64_t>(1, arguments.samples);
  const std::int64_t fewest = FewestSamples / length;
  // Samples are numbered line after line: short lines share a run, which costs as much as 20 samples beside its own.
  const std::int64_t linesOfRun = std::max<std::int64_t>(1, SamplesOfRun / length);
  RunInParts(lines, fewest, context, [&](std::int64_t begin, std::int64_t end) {
    double     indices[VDimension][SamplesOfRun];
    const auto find = [&](std::int64_t line, std::int64_t sample, int count, int to) {
      double * into[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        into[d] = indices[d] + to;
      }
      FindIndices(arguments, line, sample, count, atSamples, into);
    };
    for (std::int64_t line = begin; line < end; line += linesOfRun)
    {
      const std::int64_t at = line * arguments.samples;
      // The last line may be short.
      const std::int64_t samples = std::min(arguments.samples * std::min(linesOfRun, end - line), arguments.count - at);
      for (std::int64_t sample = 0; sample < samples; sample += SamplesOfRun)
      {
        const auto count = static_cast<int>(std::min<std::int64_t>(SamplesOfRun, samples - sample));
        for (std::int64_t to = 0; to < count; to += length)
        {
          const auto ofLine = static_cast<int>(std::min<std::int64_t>(length, count - to));
          find(line + to / length, sample, ofLine, static_cast<int>(to));
        }
        evaluate(arguments, indices, at + sample, count, scattered);
      }
    }
  });
}

template void
RunLines(const EvaluationArguments<1> &, std::int64_t, const ExecutionContext &, RunEvaluator<1>);
template void
RunLines(const EvaluationArguments<2> &, std::int64_t, const ExecutionContext &, RunEvaluator<2>);
template void
RunLines(const EvaluationArguments<3> &, std::int64_t, const ExecutionContext &, RunEvaluator<3>);

} // namespace itk::CudaSpline
