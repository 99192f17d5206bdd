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
#include "kernels/common/VectorClones.h"
#include "kernels/evaluation/host/EvaluationCpu.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace itk::CudaSpline
{

namespace
{

// Minimum number of samples that a thread processes at a time: about 0.05 ms, which is longer than getting them.
constexpr std::int64_t FewestSamples = 2048;

template <typename TReal>
void
StoreRunOf(const ValueRun<TReal> & run, int count, void * output, StoredType type, std::int64_t at, std::int64_t stride)
{
  // The samples that are set are usually consecutive, because a line enters and leaves the image once.
  const auto         isSet = [](std::uint8_t set) { return set != 0; };
  const auto * const end = run.isSet + count;
  const auto * const begin = std::find_if(run.isSet, end, isSet);
  const auto         first = static_cast<int>(begin - run.isSet);
  const auto         last = static_cast<int>(std::find_if_not(begin, end, isSet) - run.isSet);
  const bool         all = std::none_of(run.isSet + last, end, isSet);
  const auto         store = [&](auto constantType, auto constantRounding) {
    constexpr StoredType constant(decltype(constantType)::value, decltype(constantRounding)::value);
    for (int i = first; all && stride == 1 && i < last; ++i)
    {
      StoreScalar(output, constant, at + i, run.value[i]);
    }
    for (int i = first; all && stride != 1 && i < last; ++i)
    {
      StoreScalar(output, constant, at + i * stride, run.value[i]);
    }
    for (int i = first; !all && i < count; ++i)
    {
      if (run.isSet[i] != 0)
      {
        StoreScalar(output, constant, at + i * stride, run.value[i]);
      }
    }
  };
  WithConstantType(type, [&](auto constantType) {
    if (type.rounding == IntegerRounding::HalfToEven)
    {
      store(constantType, std::integral_constant<IntegerRounding, IntegerRounding::HalfToEven>());
    }
    else
    {
      store(constantType, std::integral_constant<IntegerRounding, IntegerRounding::Truncate>());
    }
  });
}

/** Samples of a run from the first one inside to one past the last one inside. */
struct InsidePart
{
  int begin;
  int end;
};

/** Stores the default pixel for the samples outside at both ends of a run, and moves the other samples to the begin of
 * the run.
 *
 * \return the whole run if more than a pixel with one component is requested */
template <unsigned int VDimension>
InsidePart
StoreOutsideOfRun(const EvaluationArguments<VDimension> & arguments,
                  double (&indices)[VDimension][SamplesOfRun],
                  std::int64_t at,
                  int          count)
{
  if (arguments.components != 1 || arguments.output == nullptr || arguments.extrapolation != nullptr ||
      arguments.inside != nullptr || arguments.gradients != nullptr || arguments.hessians != nullptr)
  {
    return { 0, count };
  }
  const auto isInside = [&](int i) {
    double index[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      index[d] = indices[d][i];
    }
    return arguments.IsInside(index);
  };
  InsidePart part{ 0, count };
  while (part.begin < part.end && !isInside(part.begin))
  {
    ++part.begin;
  }
  while (part.begin < part.end && !isInside(part.end - 1))
  {
    --part.end;
  }
  const std::uint64_t pixel = arguments.defaultPixels != nullptr ? arguments.defaultPixels[0] : arguments.defaultPixel;
  const auto          store = [&](int begin, int end) {
    for (int i = begin; i < end; ++i)
    {
      StoreBits(arguments.output, at + i, pixel, SizeOf(arguments.outputType));
    }
  };
  store(0, part.begin);
  store(part.end, count);
  for (unsigned int d = 0; d < VDimension && part.begin > 0; ++d)
  {
    std::copy(indices[d] + part.begin, indices[d] + part.end, indices[d]);
  }
  return part;
}

/** Returns whether the only stage is a field on the grid of the output, so that it is read at its own samples. */
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
      // The nearest sample is that of the index for any possible length of an image.
      isSame = isSame && std::abs(product - (r == c ? 1.0 : 0.0)) < 1e-9;
    }
    isSame = isSame && std::abs(arguments.region.start[r]) + arguments.region.size[r] < (1 << 26);
  }
  return isSame;
}

/** Samples of a run in a field on the same grid. */
template <unsigned int VDimension>
struct FieldRun
{
  double       at[VDimension][SamplesOfRun]; ///< index in the grid of the output
  std::int64_t offset[SamplesOfRun];         ///< offset of the displacement from the first one of the field

  /** Appends samples of a line. */
  void
  Add(const EvaluationArguments<VDimension> & arguments, std::int64_t line, std::int64_t sample, int count, int to)
  {
    const TransformStage<VDimension> & stage = arguments.stages[0];
    std::int64_t                       place[VDimension];
    arguments.OutputIndexOf(line, sample, place);
    std::int64_t first = 0;
    std::int64_t stride = stage.elementStride;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      first += (place[d] - stage.extent.start[d]) * stride;
      stride *= stage.extent.size[d];
      const auto begin = static_cast<double>(place[d]);
      for (int i = 0; i < count; ++i)
      {
        at[d][to + i] = d == 0 ? begin + i : begin;
      }
    }
    for (int i = 0; i < count; ++i)
    {
      offset[to + i] = first + i * stage.elementStride;
    }
  }
};

/** Computes the continuous indices of a run with such a field: like IndexOf(), but without a search for the samples. */
template <unsigned int VDimension, typename TReal>
CUDASPLINE_VECTOR_CLONES void
MoveRun(const EvaluationArguments<VDimension> & arguments,
        const TReal *                           displacements,
        const FieldRun<VDimension> &            run,
        int                                     count,
        double (&indices)[VDimension][SamplesOfRun])
{
  const std::int64_t componentStride = arguments.stages[0].componentStride;
  double             moved[VDimension][SamplesOfRun]; // points in space, relative to the origin of the input
  for (unsigned int c = 0; c < VDimension; ++c)
  {
    const double        origin = arguments.origin[c];
    const TReal * const of = displacements + c * componentStride;
    double              point[SamplesOfRun];
    std::fill_n(point, count, arguments.outputOrigin[c]);
    for (unsigned int k = 0; k < VDimension; ++k)
    {
      const double step = arguments.indexToPoint[c][k];
      for (int i = 0; i < count; ++i)
      {
        point[i] = RoundedSum(point[i], RoundedProduct(step, run.at[k][i]));
      }
    }
    for (int i = 0; i < count; ++i)
    {
      moved[c][i] = RoundedSum(RoundedSum(point[i], static_cast<double>(of[run.offset[i]])), -origin);
    }
  }
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    double index[SamplesOfRun];
    std::fill_n(index, count, 0.0);
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      const double step = arguments.pointToIndex[r][c];
      for (int i = 0; i < count; ++i)
      {
        index[i] = RoundedSum(index[i], RoundedProduct(step, moved[c][i]));
      }
    }
    std::copy_n(index, count, indices[r]);
  }
}

/** \name ScanlineEnds::At() For consecutive samples: their fractions of the line, and the numbers at these fractions
 * between its ends. */
///@{
CUDASPLINE_VECTOR_CLONES void
FindShares(double first, double length, int count, double (&shares)[SamplesOfRun])
{
  for (int i = 0; i < count; ++i)
  {
    shares[i] = (first + i) / length;
  }
}
CUDASPLINE_VECTOR_CLONES void
FindBetween(double start, double end, const double (&shares)[SamplesOfRun], int count, double * found)
{
  const double span = end - start;
  for (int i = 0; i < count; ++i)
  {
    found[i] = RoundedSum(start, RoundedProduct(shares[i], span));
  }
}
///@}

/** Computes the continuous indices of samples of a line. In double precision they are computed in vectors.
 *
 * \param[out] indices memory for the indices of each axis */
template <unsigned int VDimension>
void
FindIndices(const EvaluationArguments<VDimension> & arguments,
            std::int64_t                            line,
            std::int64_t                            sample,
            int                                     count,
            double * const (&indices)[VDimension])
{
  if (arguments.coordinates == Coordinates::Stages)
  {
    std::int64_t place[VDimension];
    arguments.OutputIndexOf(line, sample, place);
    for (int i = 0; i < count; ++i, ++place[0])
    {
      double point[VDimension];
      double index[VDimension];
      IndexToPoint(arguments.outputOrigin, arguments.indexToPoint, place, point);
      WalkStages(arguments.stages, arguments.stageCount, point);
      PointToContinuousIndex(arguments.origin, arguments.pointToIndex, point, index);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        indices[d][i] = index[d];
      }
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
  const ScanlineEnds<VDimension> ends = arguments.ends[line];
  double                         alpha[SamplesOfRun];
  FindShares(static_cast<double>(arguments.lineOffset + sample), arguments.lineLength, count, alpha);
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    FindBetween(ends.start[d], ends.end[d], alpha, count, indices[d]);
  }
}

} // namespace

void
StoreRun(const ValueRun<float> & run, int count, void * output, StoredType type, std::int64_t at, std::int64_t stride)
{
  StoreRunOf(run, count, output, type, at, stride);
}

void
StoreRun(const ValueRun<double> & run, int count, void * output, StoredType type, std::int64_t at, std::int64_t stride)
{
  StoreRunOf(run, count, output, type, at, stride);
}

void
StoreValue(void * output, StoredType type, std::int64_t at, float value)
{
  StoreScalar(output, type, at, value);
}

void
StoreValue(void * output, StoredType type, std::int64_t at, double value)
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
  // Samples are numbered line after line. Short lines share a run, because a run costs as much as 20 additional
  // samples.
  const std::int64_t linesOfRun = std::max<std::int64_t>(1, SamplesOfRun / length);
  RunInParts(lines, fewest, context, [&](std::int64_t begin, std::int64_t end) {
    double               indices[VDimension][SamplesOfRun];
    FieldRun<VDimension> fieldRun;
    const auto           find = [&](std::int64_t line, std::int64_t sample, int count, int to) {
      if (atSamples)
      {
        fieldRun.Add(arguments, line, sample, count, to);
        return;
      }
      double * into[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        into[d] = indices[d] + to;
      }
      FindIndices(arguments, line, sample, count, into);
    };
    for (std::int64_t line = begin; line < end; line += linesOfRun)
    {
      const std::int64_t at = line * arguments.samples;
      // The last line may be incomplete.
      const std::int64_t samples = std::min(arguments.samples * std::min(linesOfRun, end - line), arguments.count - at);
      for (std::int64_t sample = 0; sample < samples; sample += SamplesOfRun)
      {
        const auto count = static_cast<int>(std::min<std::int64_t>(SamplesOfRun, samples - sample));
        for (std::int64_t to = 0; to < count; to += length)
        {
          const auto ofLine = static_cast<int>(std::min<std::int64_t>(length, count - to));
          find(line + to / length, sample, ofLine, static_cast<int>(to));
        }
        if (atSamples && arguments.stages[0].singleData != nullptr)
        {
          MoveRun(arguments, arguments.stages[0].singleData, fieldRun, count, indices);
        }
        else if (atSamples)
        {
          MoveRun(arguments, arguments.stages[0].data, fieldRun, count, indices);
        }
        const InsidePart part = StoreOutsideOfRun(arguments, indices, at + sample, count);
        if (part.begin < part.end)
        {
          evaluate(arguments, indices, at + sample + part.begin, part.end - part.begin, scattered);
        }
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
