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
#include "kernels/fields/inversion/FieldAnderson.h"
#include "kernels/fields/common/FieldBackends.h"
#include "kernels/fields/inversion/FieldInverse.h"
#include "kernels/fields/common/FieldLoopCpu.h"
#include "kernels/fields/smoothing/FieldSmooth.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace itk::CudaSpline
{

namespace
{
/** Calls \p body with each box of samples, its number and its sums by lane, and adds these sums.
 *
 * \param[in] step called with a sample; returns its norm */
template <typename TStep>
void
SumBoxes(const FieldWalk &  walk,
         const FieldBoxes & boxes,
         NormSums *         sums,
         const Residence &  residence,
         const TStep &      step)
{
  residence.GetContext().ParallelFor(boxes.Count(), [&](std::int64_t begin, std::int64_t end) {
    std::array<NormSums, BoxLanes> lanes;
    for (std::int64_t box = begin; box < end; ++box)
    {
      lanes.fill({ 0.0, 0.0 });
      std::int64_t first[3];
      boxes.FirstOf(box, first);
      for (std::int64_t z = first[2]; z < std::min(first[2] + BoxDepth, walk.size[2]); ++z)
      {
        for (std::int64_t y = first[1]; y < std::min(first[1] + BoxHeight, walk.size[1]); ++y)
        {
          for (std::int64_t x = first[0]; x < std::min(first[0] + BoxWidth, walk.size[0]); ++x)
          {
            const std::int64_t at[3] = { x, y, z };
            const auto         norm = static_cast<double>(step(at));
            lanes[static_cast<std::size_t>((y - first[1]) * BoxWidth + (x - first[0]))].Add({ norm, norm });
          }
        }
      }
      AddLanes(lanes.data(), BoxLanes);
      sums[box] = lanes[0];
    }
  });
}

/** Returns the sum over all boxes. */
NormSums
TotalOf(const NormSums * sums, std::int64_t count)
{
  std::vector<NormSums> lanes(TotalLanes, NormSums{ 0.0, 0.0 });
  for (std::int64_t box = 0; box < count; ++box)
  {
    lanes[static_cast<std::size_t>(box % TotalLanes)].Add(sums[box]);
  }
  AddLanes(lanes.data(), TotalLanes);
  return lanes[0];
}

constexpr std::int64_t SmoothingRun = 2048; // numbers that are summed together: they stay in a cache

/** Smooths along one axis except x.
 *
 * \param[in] length samples along the axis
 * \param[in] inner numbers between neighbours along the axis
 * \param[in] finish called with the offset of a number and its sum; returns the number to store */
template <typename TReal, typename TFinish>
void
SmoothAxis(const TReal *              input,
           TReal *                    output,
           std::int64_t               count,
           std::int64_t               length,
           std::int64_t               inner,
           const std::vector<TReal> & weights,
           const Residence &          residence,
           const TFinish &            finish)
{
  const auto         radius = static_cast<std::int64_t>(weights.size() / 2);
  const std::int64_t runs = (inner + SmoothingRun - 1) / SmoothingRun; // runs of consecutive numbers
  residence.GetContext().ParallelFor(count / inner * runs, [&](std::int64_t begin, std::int64_t end) {
    std::array<TReal, SmoothingRun> sums;
    for (std::int64_t part = begin; part < end; ++part)
    {
      const std::int64_t row = part / runs;
      const std::int64_t first = part % runs * SmoothingRun;
      const std::int64_t numbers = std::min(SmoothingRun, inner - first);
      const std::int64_t place = row % length;
      std::fill_n(sums.begin(), numbers, TReal(0));
      for (std::int64_t k = -radius; k <= radius; ++k)
      {
        const std::int64_t at = std::min(std::max(place + k, std::int64_t{ 0 }), length - 1);
        const TReal *      from = input + (row - place + at) * inner + first;
        const TReal        weight = weights[static_cast<std::size_t>(k + radius)];
        for (std::int64_t i = 0; i < numbers; ++i)
        {
          sums[static_cast<std::size_t>(i)] = AddWeighted(sums[static_cast<std::size_t>(i)], weight, from[i]);
        }
      }
      for (std::int64_t i = 0; i < numbers; ++i)
      {
        output[row * inner + first + i] = finish(row * inner + first + i, sums[static_cast<std::size_t>(i)]);
      }
    }
  });
}

/** Smooths along x.
 *
 * \param[in] length samples of a row
 * \param[in] components numbers of a sample */
template <typename TReal>
void
SmoothRows(const TReal *              input,
           TReal *                    output,
           std::int64_t               count,
           std::int64_t               length,
           std::int64_t               components,
           const std::vector<TReal> & weights,
           const Residence &          residence)
{
  const auto         radius = static_cast<std::int64_t>(weights.size() / 2);
  const std::int64_t numbers = length * components;
  residence.GetContext().ParallelFor(count / numbers, [&](std::int64_t begin, std::int64_t end) {
    std::vector<TReal> padded(static_cast<std::size_t>((length + 2 * radius) * components)); // the ends are repeated
    for (std::int64_t row = begin; row < end; ++row)
    {
      const TReal * const from = input + row * numbers;
      TReal * const       to = output + row * numbers;
      std::copy_n(from, numbers, padded.begin() + radius * components);
      for (std::int64_t i = 0; i < radius; ++i)
      {
        std::copy_n(from, components, padded.begin() + i * components);
        std::copy_n(from + numbers - components, components, padded.begin() + (radius + length + i) * components);
      }
      std::fill_n(to, numbers, TReal(0));
      for (std::size_t k = 0; k < weights.size(); ++k)
      {
        const TReal * const shifted = padded.data() + static_cast<std::int64_t>(k) * components;
        const TReal         weight = weights[k];
        for (std::int64_t i = 0; i < numbers; ++i)
        {
          to[i] = AddWeighted(to[i], weight, shifted[i]);
        }
      }
    }
  });
}
} // namespace

void
ComposeFieldsOnCpu(const FieldShape & displacementShape,
                   const void *       displacement,
                   const FieldShape & warpingShape,
                   const void *       warping,
                   void *             output,
                   const Residence &  residence)
{
  DispatchField(warpingShape.grid.dimension, warpingShape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int                  dimension = decltype(compiled)::Dimension;
    const FieldComposition<dimension, Real> body{ MakeGeometry<dimension>(displacementShape.grid),
                                                  static_cast<const Real *>(displacement),
                                                  MakeGeometry<dimension>(warpingShape.grid),
                                                  static_cast<const Real *>(warping),
                                                  static_cast<Real *>(output),
                                                  WalkOf(warpingShape.grid) };
    ForEachSampleOnCpu(body.walk, residence, body);
  });
}

void
SmoothFieldOnCpu(const FieldShape &     shape,
                 const void *           input,
                 const FieldSmoothing & smoothing,
                 void *                 output,
                 void *                 scratch,
                 const Residence &      residence)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int            dimension = decltype(compiled)::Dimension;
    const FieldBlend<dimension, Real> blend(shape.grid, input, smoothing);
    const FieldWalk                   walk = WalkOf(shape.grid);
    const auto *                      from = static_cast<const Real *>(input);
    std::int64_t                      inner = dimension;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      const std::vector<Real> weights(smoothing.weights[d].begin(), smoothing.weights[d].end());
      // The last axis writes to the output.
      auto * const       to = static_cast<Real *>((dimension - d) % 2 == 1 ? output : scratch);
      const std::int64_t length = shape.grid.size[d];
      if (d == 0)
      {
        SmoothRows(from, to, shape.Numbers(), length, dimension, weights, residence);
      }
      else if (d + 1 < dimension)
      {
        SmoothAxis(
          from, to, shape.Numbers(), length, inner, weights, residence, [](std::int64_t, Real sum) { return sum; });
      }
      else
      {
        SmoothAxis(from, to, shape.Numbers(), length, inner, weights, residence, [&](std::int64_t number, Real sum) {
          const std::int64_t sample = number / dimension;
          const std::int64_t at[3] = { sample % walk.size[0],
                                       sample / walk.size[0] % walk.size[1],
                                       sample / walk.size[0] / walk.size[1] };
          return blend(at, number, sum);
        });
      }
      from = to;
      inner *= shape.grid.size[d];
    }
  });
}

void
InvertFieldOnCpu(const FieldShape &     shape,
                 const void *           field,
                 void *                 inverse,
                 const FieldInversion & rules,
                 FieldInversionState *  state,
                 void *                 scratch,
                 const Residence &      residence)
{
  *state = FieldInversionState();
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    const auto arguments = MakeInversionArguments<dimension, Real>(shape, field, inverse, rules, state, scratch);
    if (rules.method == InversionMethod::Anderson && rules.maximumIterations > 0)
    {
      SumBoxes(arguments.walk, arguments.boxes, arguments.sums, residence, [&](const std::int64_t(&at)[3]) {
        return InvertSample(arguments, at, rules.maximumIterations);
      });
      arguments.Conclude(TotalOf(arguments.sums, arguments.boxes.Count()));
      return;
    }
    // One step more than iterations: the update that completes the last iteration.
    for (int step = 0; step <= rules.maximumIterations && rules.maximumIterations > 0; ++step)
    {
      const bool goesOn = step < rules.maximumIterations && state->isDone == 0;
      const auto epsilon = InversionEpsilon<Real>(state->iterations);
      const auto maximum = static_cast<Real>(state->maximumError);
      SumBoxes(arguments.walk,
               arguments.boxes,
               arguments.sums,
               residence,
               [&, updates = step > 0](const std::int64_t(&at)[3]) {
                 return arguments.Step(at, updates, goesOn, epsilon, maximum);
               });
      if (!goesOn)
      {
        break;
      }
      arguments.Conclude(TotalOf(arguments.sums, arguments.boxes.Count()));
    }
  });
}

void
FindMaximumNormOnCpu(const FieldShape & shape,
                     const void *       field,
                     double *           maximum,
                     void *             scratch,
                     const Residence &  residence)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    constexpr auto         parts = static_cast<std::int64_t>(MaximumNormScratch / sizeof(double));
    const std::int64_t     count = shape.grid.Count();
    const std::int64_t     length = (count + parts - 1) / parts;
    auto * const           largest = static_cast<double *>(scratch);
    double                 spacing[dimension];
    std::copy_n(shape.grid.spacing.begin(), dimension, spacing);
    residence.GetContext().ParallelFor(parts, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t part = begin; part < end; ++part)
      {
        double most = 0.0;
        for (std::int64_t i = part * length; i < std::min(count, (part + 1) * length); ++i)
        {
          Real vector[dimension];
          LoadVector(static_cast<const Real *>(field), i, vector);
          const double norm = UpdateNorm(vector, spacing);
          most = most < norm ? norm : most; // NaN is never the largest
        }
        largest[part] = most;
      }
    });
    *maximum = *std::max_element(largest, largest + parts);
  });
}

void
ScaleFieldOnCpu(const FieldShape & shape,
                const void *       field,
                double             length,
                const double *     maximum,
                void *             scaled,
                const Residence &  residence)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    const auto   most = static_cast<Real>(*maximum);
    const Real   scale = most > Real(0) ? static_cast<Real>(length) / most : static_cast<Real>(length);
    const auto * numbers = static_cast<const Real *>(field);
    auto * const products = static_cast<Real *>(scaled);
    residence.GetContext().ParallelFor(shape.Numbers(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
      {
        products[i] = numbers[i] * scale;
      }
    });
  });
}

void
WeighFieldOnCpu(const FieldShape &            shape,
                void *                        field,
                const std::array<double, 3> & weights,
                const Residence &             residence)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    const unsigned int dimension = shape.grid.dimension;
    auto * const       numbers = static_cast<Real *>(field);
    residence.GetContext().ParallelFor(shape.grid.Count(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
      {
        for (unsigned int d = 0; d < dimension; ++d)
        {
          Real & number = numbers[i * dimension + d];
          number = static_cast<Real>(number * weights[d]);
        }
      }
    });
  });
}

void
AverageMidpointFieldsOnCpu(const FieldShape & shape, void * first, void * second, const Residence & residence)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    auto * const one = static_cast<Real *>(first);
    auto * const other = static_cast<Real *>(second);
    residence.GetContext().ParallelFor(shape.Numbers(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
      {
        one[i] -= other[i];
        other[i] = -one[i];
      }
    });
  });
}

void
ResampleFieldOnCpu(const FieldShape & inputShape,
                   const void *       input,
                   const FieldShape & outputShape,
                   void *             output,
                   const Residence &  residence)
{
  DispatchField(inputShape.grid.dimension, inputShape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int                 dimension = decltype(compiled)::Dimension;
    const FieldResampling<dimension, Real> body{ MakeGeometry<dimension>(inputShape.grid),
                                                 static_cast<const Real *>(input),
                                                 MakeGeometry<dimension>(outputShape.grid),
                                                 static_cast<Real *>(output),
                                                 WalkOf(outputShape.grid) };
    ForEachSampleOnCpu(body.walk, residence, body);
  });
}

} // namespace itk::CudaSpline
