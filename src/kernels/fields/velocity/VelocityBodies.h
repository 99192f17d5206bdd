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
#ifndef VelocityBodies_h
#define VelocityBodies_h

#include "itkCudaSpline/kernels/fields/VelocityIntegration.h"

#include "kernels/fields/common/FieldLinear.h"

#include <cstdint>
#include <vector>

/** \file
 * \brief Integration and smoothing of velocity fields that vary in time: bodies for host and device. */

namespace itk::CudaSpline
{

/** \brief The cell of a field that contains a point, and the position in it.
 *
 * \tparam VComponents components of the field at each sample */
template <unsigned int VDimension, typename TReal, unsigned int VComponents = VDimension>
struct FieldCell
{
  std::int64_t offset{ 0 };        ///< offset of the lower corner
  std::int64_t stride[VDimension]; ///< offset to the upper corner along each axis; 0 at the end of an axis
  TReal        within[VDimension]; ///< 0 to 1

  /** The cell of a displaced sample. Outside the grid it is the nearest one at the border; for NaN the first one. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  FieldCell(const FieldWalk & walk, const std::int64_t (&at)[3], const TReal (&moved)[VDimension])
  {
    std::int64_t step = VComponents;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const auto  lowest = static_cast<TReal>(-at[d]);
      const auto  highest = static_cast<TReal>(walk.size[d] - 1 - at[d]);
      const TReal place = moved[d] >= lowest ? (moved[d] < highest ? moved[d] : highest) : lowest;
      const auto  base = FloorOfIndex(place);
      within[d] = place - static_cast<TReal>(base);
      stride[d] = within[d] > TReal(0) ? step : 0;
      offset += (at[d] + base) * step;
      step *= walk.size[d];
    }
  }

  /** Interpolates a field linearly there. */
  template <typename TNumber>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Interpolate(const TNumber * field, TReal (&vector)[VComponents]) const
  {
    constexpr unsigned int corners = 1U << VDimension;
    TReal                  value[corners][VComponents];
    for (unsigned int corner = 0; corner < corners; ++corner)
    {
      std::int64_t at = offset;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        at += ((corner >> d) & 1U) != 0 ? stride[d] : 0;
      }
      for (unsigned int component = 0; component < VComponents; ++component)
      {
        value[corner][component] = static_cast<TReal>(field[at + component]);
      }
    }
    for (unsigned int component = 0; component < VComponents; ++component)
    {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        for (unsigned int pair = 0; pair < (corners >> (d + 1)); ++pair)
        {
          const TReal low = value[2 * pair][component];
          value[pair][component] = low + (value[2 * pair + 1][component] - low) * within[d];
        }
      }
      vector[component] = value[0][component];
    }
  }
};

/** \brief The displacement of each sample between two time points. Times are counted in half steps. */
template <unsigned int VDimension, typename TReal>
struct VelocityIntegration
{
  const TReal * fields[MaxTimePoints];
  TReal *       output;
  FieldWalk     walk;
  TReal         toStep[VDimension][VDimension];  ///< converts a velocity to the displacement of a step (samples)
  TReal         toPoint[VDimension][VDimension]; ///< from samples to mm
  std::int32_t  start;                           ///< initial time
  std::int32_t  direction;                       ///< 1: forward in time; -1: backward
  std::int32_t  count;                           ///< number of steps
  std::int32_t  interval;                        ///< half steps between two time points

  /** Computes a vector of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    TReal        moved[VDimension] = {};
    std::int32_t time = start;
    for (std::int32_t step = 0; step < count; ++step)
    {
      this->Step(at, time, moved);
      time += 2 * direction;
    }
    TReal vector[VDimension];
    Multiply(toPoint, moved, vector);
    StoreVector(output, OffsetOf(walk, at), vector);
  }

private:
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Multiply(const TReal (&matrix)[VDimension][VDimension], const TReal (&in)[VDimension], TReal (&out)[VDimension])
  {
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      out[r] = matrix[r][0] * in[0];
      for (unsigned int c = 1; c < VDimension; ++c)
      {
        out[r] += matrix[r][c] * in[c];
      }
    }
  }

  /** The displacement of a step with the velocity at a time and a displaced sample. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Evaluate(const std::int64_t (&at)[3],
           const TReal (&moved)[VDimension],
           std::int32_t time,
           TReal (&step)[VDimension]) const
  {
    const FieldCell<VDimension, TReal> cell(walk, at, moved);
    const std::int32_t                 point = time / interval;
    const std::int32_t                 rest = time - point * interval;
    TReal                              velocity[VDimension];
    cell.Interpolate(fields[point], velocity);
    if (rest != 0)
    {
      const TReal share = static_cast<TReal>(rest) / static_cast<TReal>(interval);
      TReal       later[VDimension];
      cell.Interpolate(fields[point + 1], later);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        velocity[d] += (later[d] - velocity[d]) * share;
      }
    }
    Multiply(toStep, velocity, step);
  }

  /** A step of the Runge-Kutta method. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Step(const std::int64_t (&at)[3], std::int32_t time, TReal (&moved)[VDimension]) const
  {
    constexpr TReal share[4] = { TReal(1) / TReal(6), TReal(1) / TReal(3), TReal(1) / TReal(3), TReal(1) / TReal(6) };
    constexpr TReal way[4] = { TReal(0), TReal(0.5), TReal(0.5), TReal(1) };
    TReal           sum[VDimension] = {};
    TReal           step[VDimension] = {};
    for (int stage = 0; stage < 4; ++stage)
    {
      TReal place[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        place[d] = moved[d] + way[stage] * step[d];
      }
      this->Evaluate(at, place, time + direction * ((stage + 1) / 2), step);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        sum[d] += share[stage] * step[d];
      }
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      moved[d] += sum[d];
    }
  }
};

/** \brief The times of a step of itk::TimeVaryingVelocityFieldIntegrationImageFilter, in time points. */
struct ItkStepTimes
{
  double first;
  double middle;
  double last;
};

/** \brief The displacement of each sample, computed as in that filter. */
template <unsigned int VDimension, typename TReal>
struct ItkVelocityIntegration
{
  const TReal *            fields[MaxTimePoints];
  TReal *                  output;
  GridGeometry<VDimension> grid;
  FieldWalk                walk;
  ItkStepTimes             times[MaxItkSteps];
  std::int32_t             timePoints;
  std::int32_t             count;  ///< number of steps
  double                   length; ///< length of a step in the unit of time, above 0
  double                   sign;   ///< -1: backward in time

  /** Computes a vector of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    double start[VDimension];
    double moved[VDimension] = {};
    PlaceOfSample(grid, at, start);
    for (std::int32_t step = 0; step < count; ++step)
    {
      this->Step(times[step], start, moved);
    }
    TReal vector[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      vector[d] = static_cast<TReal>(moved[d]);
    }
    StoreVector(output, OffsetOf(walk, at), vector);
  }

private:
  /** The velocity at a point and a time; 0 outside the grid. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Evaluate(const double (&place)[VDimension], double time, double (&velocity)[VDimension]) const
  {
    double exact[VDimension];
    TReal  index[VDimension];
    grid.PointToContinuousIndex(place, exact);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      index[d] = static_cast<TReal>(exact[d]);
      velocity[d] = 0.0;
    }
    const bool isInTime = time >= -0.5 && time < timePoints - 0.5;
    if (!isInTime || !IsInsideBuffer(grid.extent, index))
    {
      return;
    }
    const double within = time < 0.0 ? 0.0 : (time > timePoints - 1 ? timePoints - 1.0 : time);
    const auto   point = static_cast<std::int32_t>(within);
    const double share = within - point;
    TReal        vector[VDimension];
    InterpolateField(fields[point], grid.extent, index, vector);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      velocity[d] = (1.0 - share) * vector[d];
    }
    if (share > 0.0)
    {
      InterpolateField(fields[point + 1], grid.extent, index, vector);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        velocity[d] += share * vector[d];
      }
    }
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Step(const ItkStepTimes & time, const double (&start)[VDimension], double (&moved)[VDimension]) const
  {
    constexpr double way[4] = { 0.0, 0.5, 0.5, 1.0 };
    constexpr double share[4] = { 1.0, 2.0, 2.0, 1.0 };
    const double     timeOf[4] = { time.first, time.middle, time.middle, time.last };
    double           sum[VDimension] = {};
    double           velocity[VDimension] = {};
    for (int stage = 0; stage < 4; ++stage)
    {
      double place[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        place[d] = start[d] + moved[d] + velocity[d] * length * way[stage]; // without the sign, as in the filter
      }
      this->Evaluate(place, timeOf[stage], velocity);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        sum[d] += share[stage] * velocity[d];
      }
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      moved[d] += sign * length / 6.0 * sum[d];
    }
  }
};

/** \brief Sums of the vectors of a sample over time points. */
template <unsigned int VDimension, typename TReal>
struct TimeSum
{
  const TReal *          input[MaxTimePoints];
  TReal *                output[MaxTimePoints];
  TReal                  weights[MaxTimePoints + 1]; ///< from the middle one outwards, multiplied by the share
  TReal                  kept;
  std::int32_t           timePoints;
  std::int32_t           radius;
  bool                   clearsBorder;
  GridExtent<VDimension> extent;
  FieldWalk              walk;

  /** Computes the vectors of a sample. All of them are read first: the output may be the input. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    const bool         isCleared = clearsBorder && IsOnBorder(extent, at);
    TReal              vectors[MaxTimePoints][VDimension];
    for (std::int32_t time = 0; time < timePoints; ++time)
    {
      LoadVector(input[time], offset, vectors[time]);
    }
    for (std::int32_t time = 0; time < timePoints; ++time)
    {
      TReal sum[VDimension] = {};
      if (!isCleared)
      {
        this->Add(vectors, time, offset, sum);
      }
      StoreVector(output[time], offset, sum);
    }
  }

private:
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(const TReal (&vectors)[MaxTimePoints][VDimension],
      std::int32_t time,
      std::int64_t offset,
      TReal (&sum)[VDimension]) const
  {
    for (std::int32_t lag = -radius; lag <= radius; ++lag)
    {
      const std::int32_t other = time + lag < 0 ? 0 : (time + lag < timePoints ? time + lag : timePoints - 1);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        sum[d] += weights[lag < 0 ? -lag : lag] * vectors[other][d];
      }
    }
    if (kept != TReal(0))
    {
      TReal before[VDimension];
      LoadVector(output[time], offset, before);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        sum[d] += kept * before[d];
      }
    }
  }
};

/** \brief Arguments of IntegrateVelocity(). */
struct VelocityPath
{
  unsigned int from;
  unsigned int to;
  unsigned int steps;
};

/** \brief The body of IntegrateVelocity(). */
template <unsigned int VDimension, typename TReal>
VelocityIntegration<VDimension, TReal>
MakeIntegration(const TimeVaryingVelocity & velocity, const VelocityPath & path, void * output)
{
  const FieldGrid &                      grid = velocity.shape.grid;
  VelocityIntegration<VDimension, TReal> body{};
  for (std::size_t time = 0; time < velocity.fields.size(); ++time)
  {
    body.fields[time] = static_cast<const TReal *>(velocity.fields[time]);
  }
  body.output = static_cast<TReal *>(output);
  body.walk = WalkOf(grid);
  body.direction = path.to < path.from ? -1 : 1;
  body.interval = static_cast<std::int32_t>(2 * path.steps);
  body.start = static_cast<std::int32_t>(path.from) * body.interval;
  body.count =
    body.direction * (static_cast<std::int32_t>(path.to) - static_cast<std::int32_t>(path.from)) * body.interval / 2;
  const double length = body.direction / (static_cast<double>(velocity.fields.size() - 1) * path.steps);
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      body.toStep[r][c] = static_cast<TReal>(grid.pointToIndex[r][c] * length);
      body.toPoint[r][c] = static_cast<TReal>(grid.indexToPoint[r][c]);
    }
  }
  return body;
}

/** \brief Calls \p enqueue with the body of IntegrateVelocity(). */
template <typename TEnqueue>
void
WalkIntegration(const TimeVaryingVelocity & velocity,
                const VelocityPath &        path,
                void *                      output,
                const TEnqueue &            enqueue)
{
  DispatchField(velocity.shape.grid.dimension, velocity.shape.element, [&](auto compiled) {
    using Compiled = decltype(compiled);
    enqueue(MakeIntegration<Compiled::Dimension, typename Compiled::Real>(velocity, path, output));
  });
}

/** \brief Arguments of IntegrateVelocityAsItk(). */
struct ItkVelocityPath
{
  double       lower;
  double       upper;
  unsigned int steps;
};

/** \brief The times of a step, from that of the filter's state, which increases from step to step. */
inline ItkStepTimes
MakeItkStepTimes(double time, double signedLength, double lastPoint)
{
  const auto within = [](double x) { return x < 0.0 ? 0.0 : (x > 1.0 ? 1.0 : x); };
  return { within(time - signedLength) * lastPoint, within(time - signedLength * 0.5) * lastPoint, time * lastPoint };
}

/** \brief Calls \p enqueue with the body of IntegrateVelocityAsItk(). */
template <typename TEnqueue>
void
WalkItkIntegration(const TimeVaryingVelocity & velocity,
                   const ItkVelocityPath &     path,
                   void *                      output,
                   const TEnqueue &            enqueue)
{
  const FieldGrid & grid = velocity.shape.grid;
  DispatchField(grid.dimension, velocity.shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int                  dimension = decltype(compiled)::Dimension;
    ItkVelocityIntegration<dimension, Real> body{};
    for (std::size_t time = 0; time < velocity.fields.size(); ++time)
    {
      body.fields[time] = static_cast<const Real *>(velocity.fields[time]);
    }
    body.output = static_cast<Real *>(output);
    body.grid = MakeGeometry<dimension>(grid);
    body.walk = WalkOf(grid);
    body.timePoints = static_cast<std::int32_t>(velocity.fields.size());
    body.sign = path.upper < path.lower ? -1.0 : 1.0;
    body.length = body.sign * (path.upper - path.lower) / path.steps;
    body.count = body.length > 0.0 ? static_cast<std::int32_t>(path.steps) : 0;
    const double lastPoint = body.timePoints - 1.0;
    double       time = (path.lower * lastPoint + 1.0) / body.timePoints;
    for (std::int32_t step = 0; step < body.count; ++step)
    {
      body.times[step] = MakeItkStepTimes(time, body.sign * body.length, lastPoint);
      time += body.length * body.sign;
    }
    enqueue(body);
  });
}

/** \brief Calls \p enqueue with the body of SmoothInTime(). */
template <typename TEnqueue>
void
WalkTimeSum(const FieldShape &                shape,
            const std::vector<const void *> & input,
            const TimeSmoothing &             smoothing,
            const std::vector<void *> &       output,
            const TEnqueue &                  enqueue)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int   dimension = decltype(compiled)::Dimension;
    TimeSum<dimension, Real> body{};
    for (std::size_t time = 0; time < input.size(); ++time)
    {
      body.input[time] = static_cast<const Real *>(input[time]);
      body.output[time] = static_cast<Real *>(output[time]);
    }
    for (std::size_t lag = 0; lag < smoothing.weights.size(); ++lag)
    {
      body.weights[lag] = static_cast<Real>(smoothing.share * smoothing.weights[lag]);
    }
    body.kept = static_cast<Real>(smoothing.kept);
    body.timePoints = static_cast<std::int32_t>(input.size());
    body.radius = static_cast<std::int32_t>(smoothing.weights.size()) - 1;
    body.clearsBorder = smoothing.clearsBorder;
    body.extent = MakeGeometry<dimension>(shape.grid).extent;
    body.walk = WalkOf(shape.grid);
    enqueue(body);
  });
}

/** See IntegrateVelocity(). */
void
IntegrateVelocityOnCuda(const TimeVaryingVelocity & velocity,
                        const VelocityPath &        path,
                        void *                      output,
                        const Residence &           residence);

/** See IntegrateVelocityAsItk(). */
void
IntegrateVelocityAsItkOnCuda(const TimeVaryingVelocity & velocity,
                             const ItkVelocityPath &     path,
                             void *                      output,
                             const Residence &           residence);

/** See SmoothInTime(). */
void
SmoothInTimeOnCuda(const FieldShape &                shape,
                   const std::vector<const void *> & input,
                   const TimeSmoothing &             smoothing,
                   const std::vector<void *> &       output,
                   const Residence &                 residence);

} // namespace itk::CudaSpline

#endif
