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
#ifndef SplineFit_h
#define SplineFit_h

#include "itkCudaSpline/kernels/fields/SplineField.h"

#include "kernels/fields/spline/PointFit.h"

#include <algorithm>
#include <cstdint>

/** \file
 * \brief The approximation of a field by a cubic B-spline: bodies for host and device.
 *
 * In itk::BSplineScatteredDataPointSetToImageFilter the control point c is the quotient of two sums over the points: of
 * the values times w_c^3 / sum w^2, and of w_c^2, where w are the weights of a point's control points. Weights of
 * points on a grid are products of weights of the axes, and so are the sums, except for ITK's roundings (PointFit.h).
 * If samples have different weights the sum of w_c^2 depends on them, and is computed like a fourth component. */

namespace itk::CudaSpline
{

/** \brief Share of a sample in the sums of its control points. */
struct FitShares
{
  double of[SplineTaps]; ///< w^3 / sum w^2; 0 if the sample's value is treated as 0
};

/** \brief A control point along an axis. */
struct FitControl
{
  std::int64_t first;  ///< first sample that contributes: none on a border that is fitted to 0
  std::int64_t end;    ///< one past the last one
  double       all;    ///< sum of w^2
  double       within; ///< the same for samples that are not on the border
};

/** \brief The arrays and parameters of SmoothFieldBySpline(). */
template <typename TReal>
struct SplineFit
{
  std::int64_t  size[3];
  std::int64_t  controls[3];
  bool          stationary;
  int           components; ///< 3: those of the vectors; 4: with the sum of w^2
  const TReal * input;
  const TReal * confidence; ///< weights of samples; null: 1
  SplineEntry * entries;    ///< for samples, one axis after the other
  FitShares *   shares;     ///< for samples, one axis after the other
  FitControl *  of;         ///< control points, one axis after the other
  double *      alongZ;     ///< sums along z, for control points along z
  double *      alongY;     ///< sums along z and y
  double *      lattice;    ///< the spline's coefficients, one component after the other

  /** First element of an axis in an array with some elements per axis. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static std::int64_t
                         FirstOf(const std::int64_t (&counts)[3], unsigned int axis)
  {
    return (axis > 0 ? counts[0] : 0) + (axis > 1 ? counts[1] : 0);
  }

  /** Computes the entry of a sample along an axis, and its shares. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  MakeSample(unsigned int axis, std::int64_t sample) const
  {
    const auto   spans = static_cast<double>(controls[axis] - (SplineTaps - 1));
    const double step = spans / static_cast<double>(size[axis] - 1);
    const double near = 1e-3 * step; // as in ITK: the last sample is moved into the last span
    double       place = step * static_cast<double>(sample);
    if (place >= spans - near)
    {
      place = spans - near;
    }
    SplineEntry & entry = entries[FirstOf(size, axis) + sample];
    FitShares &   share = shares[FirstOf(size, axis) + sample];
    entry.start = static_cast<std::int64_t>(place);
    SplineWeights<3>(place - static_cast<double>(entry.start), entry.weights);
    double squares = 0.0;
    for (const double weight : entry.weights)
    {
      squares += weight * weight;
    }
    const bool isBorder = stationary && (sample == 0 || sample == size[axis] - 1);
    for (int k = 0; k < SplineTaps; ++k)
    {
      const double weight = entry.weights[k];
      share.of[k] = isBorder ? 0.0 : weight * weight * weight / squares;
    }
  }

  /** Computes a control point along an axis, after all entries. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  MakeControl(unsigned int axis, std::int64_t control) const
  {
    const SplineEntry * const entry = entries + FirstOf(size, axis);
    FitControl                made{ size[axis], 0, 0.0, 0.0 };
    for (std::int64_t i = 0; i < size[axis]; ++i)
    {
      const std::int64_t k = control - entry[i].start;
      if (k >= 0 && k < SplineTaps)
      {
        const double square = entry[i].weights[k] * entry[i].weights[k];
        const bool   isBorder = i == 0 || i == size[axis] - 1;
        if (!isBorder || !stationary)
        {
          made.first = made.first < i ? made.first : i;
          made.end = i + 1;
        }
        made.all += square;
        made.within += isBorder ? 0.0 : square;
      }
    }
    of[FirstOf(controls, axis) + control] = made;
  }

  /** The weight of a sample along an axis in a sum of a control point.
   *
   * \param[in] axis the axis
   * \param[in] sample index along the axis, one that contributes to the control point
   * \param[in] control control point along the axis
   * \param[in] component component of the sum: a share, or the square for the fourth one, to which the border does not
   * contribute either if it is fitted to 0 */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  WeightOf(unsigned int axis, std::int64_t sample, std::int64_t control, std::int64_t component) const
  {
    const std::int64_t  at = FirstOf(size, axis) + sample;
    const SplineEntry & entry = entries[at];
    const std::int64_t  tap = control - entry.start;
    if (component < 3)
    {
      return shares[at].of[tap];
    }
    const bool isBorder = stationary && (sample == 0 || sample == size[axis] - 1);
    return isBorder ? 0.0 : entry.weights[tap] * entry.weights[tap];
  }

  /** The sum along an axis.
   *
   * \param[in] axis the axis
   * \param[in] control control point along it
   * \param[in] component component of the sum
   * \param[in] from element at the first sample
   * \param[in] stride distance of neighbours (elements) */
  template <typename TNumber>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  SumAlong(unsigned int axis, std::int64_t control, std::int64_t component, const TNumber * from, std::int64_t stride)
    const
  {
    const FitControl & made = of[FirstOf(controls, axis) + control];
    double             sum = 0.0;
    for (std::int64_t i = made.first; i < made.end; ++i)
    {
      sum += this->WeightOf(axis, i, control, component) * static_cast<double>(from[i * stride]);
    }
    return sum;
  }

  /** The sum along z of samples with different weights.
   *
   * \param[in] control control point along z
   * \param[in] component component of the sum
   * \param[in] column number of the first sample */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  SumColumn(std::int64_t control, std::int64_t component, std::int64_t column) const
  {
    const FitControl & made = of[FirstOf(controls, 2) + control];
    double             sum = 0.0;
    for (std::int64_t i = made.first; i < made.end; ++i)
    {
      const std::int64_t offset = i * size[0] * size[1] + column;
      const TReal        counts = confidence[offset];
      if (counts > TReal(0))
      {
        const auto number = component < 3 ? static_cast<double>(input[offset * 3 + component]) : 1.0;
        sum += this->WeightOf(2, i, control, component) * static_cast<double>(counts) * number;
      }
    }
    return sum;
  }
};

/** \brief A fit for the passes that do not read the field: they are compiled for one type only. */
template <typename TReal>
SplineFit<double>
WithoutInput(const SplineFit<TReal> & fit)
{
  SplineFit<double> rest{};
  std::copy_n(fit.size, 3, rest.size);
  std::copy_n(fit.controls, 3, rest.controls);
  rest.stationary = fit.stationary;
  rest.components = fit.components;
  rest.entries = fit.entries;
  rest.shares = fit.shares;
  rest.of = fit.of;
  rest.alongZ = fit.alongZ;
  rest.alongY = fit.alongY;
  rest.lattice = fit.lattice;
  return rest;
}

/** \brief A pass of a fit, as a body of a walk. */
template <typename TReal, int VPass>
struct FitPass
{
  SplineFit<TReal> fit;
  FieldWalk        walk;

  explicit FitPass(const SplineFit<TReal> & what)
    : fit(what)
    , walk{}
  {
    const std::int64_t longest = LongestOf(VPass == 0 ? what.size : what.controls);
    const std::int64_t numbers = what.components * what.size[0];
    const FieldWalk    walks[] = { { { longest, 3, 1 } },
                                   { { longest, 3, 1 } },
                                   { { numbers, what.size[1], what.controls[2] } },
                                   { { numbers, what.controls[1], what.controls[2] } },
                                   { { 3 * what.controls[0], what.controls[1], what.controls[2] } } };
    walk = walks[VPass];
  }

  static std::int64_t
  LongestOf(const std::int64_t (&counts)[3])
  {
    return counts[0] > counts[1] ? (counts[0] > counts[2] ? counts[0] : counts[2])
                                 : (counts[1] > counts[2] ? counts[1] : counts[2]);
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t numbers = fit.components * fit.size[0];
    const auto         axis = static_cast<unsigned int>(at[1]);
    if constexpr (VPass == 0)
    {
      if (at[0] < fit.size[axis])
      {
        fit.MakeSample(axis, at[0]);
      }
    }
    else if constexpr (VPass == 1)
    {
      if (at[0] < fit.controls[axis])
      {
        fit.MakeControl(axis, at[0]);
      }
    }
    else if constexpr (VPass == 2)
    {
      if (fit.confidence != nullptr)
      {
        const std::int64_t x = at[0] / fit.components;
        fit.alongZ[OffsetOf(walk, at)] = fit.SumColumn(at[2], at[0] - x * fit.components, at[1] * fit.size[0] + x);
        return;
      }
      const TReal * const from = fit.input + (at[1] * numbers + at[0]);
      fit.alongZ[OffsetOf(walk, at)] = fit.SumAlong(2, at[2], 0, from, numbers * fit.size[1]);
    }
    else if constexpr (VPass == 3)
    {
      const double * const from = fit.alongZ + (at[2] * fit.size[1] * numbers + at[0]);
      const std::int64_t   component = fit.components == 3 ? 0 : at[0] % fit.components; // 0 to 2 have the same weights
      fit.alongY[OffsetOf(walk, at)] = fit.SumAlong(1, at[1], component, from, numbers);
    }
    else
    {
      const std::int64_t   component = at[0] / fit.controls[0];
      const std::int64_t   x = at[0] - component * fit.controls[0];
      const double * const from = fit.alongY + (at[2] * fit.controls[1] + at[1]) * numbers;
      const double         sum = fit.SumAlong(0, x, component, from + component, fit.components);
      const FitControl &   ofX = fit.of[x];
      const FitControl &   ofY = fit.of[SplineFit<TReal>::FirstOf(fit.controls, 1) + at[1]];
      const FitControl &   ofZ = fit.of[SplineFit<TReal>::FirstOf(fit.controls, 2) + at[2]];
      const double         all = ofX.all * ofY.all * ofZ.all;
      const double         within = ofX.within * ofY.within * ofZ.within;
      const double         alike = fit.stationary ? within : all;
      const double         counted = fit.components == 3 ? alike : fit.SumAlong(0, x, 3, from + 3, fit.components);
      const double         total = counted + (fit.stationary ? FitBorderWeight * (all - within) : 0.0);
      const double         quotient = total > NegligibleFitSum ? sum / total : 0.0;
      // Non-finite values become 0, as in ITK.
      fit.lattice[((component * fit.controls[2] + at[2]) * fit.controls[1] + at[1]) * fit.controls[0] + x] =
        quotient - quotient == 0.0 ? quotient : 0.0;
    }
  }
};

/** \brief Divides the scratch memory. */
template <typename TReal>
void
SetFitScratch(SplineFit<TReal> & fit, char * scratch)
{
  const std::int64_t samples = fit.size[0] + fit.size[1] + fit.size[2];
  const std::int64_t points = fit.controls[0] + fit.controls[1] + fit.controls[2];
  const std::int64_t numbers = fit.components * fit.size[0];
  fit.entries = reinterpret_cast<SplineEntry *>(scratch);
  fit.shares = reinterpret_cast<FitShares *>(fit.entries + samples);
  fit.of = reinterpret_cast<FitControl *>(fit.shares + samples);
  fit.alongZ = reinterpret_cast<double *>(fit.of + points);
  fit.alongY = fit.alongZ + numbers * fit.size[1] * fit.controls[2];
  fit.lattice = fit.alongY + numbers * fit.controls[1] * fit.controls[2];
}

/** \brief Calls \p enqueue with the passes, one after the other. */
template <typename TReal, typename TEnqueue>
void
WalkFit(const SplineFit<TReal> & fit, const TEnqueue & enqueue)
{
  const SplineFit<double> rest = WithoutInput(fit);
  enqueue(FitPass<double, 0>(rest));
  enqueue(FitPass<double, 1>(rest));
  enqueue(FitPass<TReal, 2>(fit));
  enqueue(FitPass<double, 3>(rest));
  enqueue(FitPass<double, 4>(rest));
}

/** \brief The passes on a device. */
///@{
void
WalkFitOnCuda(const SplineFit<float> & fit, const Residence & residence);
void
WalkFitOnCuda(const SplineFit<double> & fit, const Residence & residence);
///@}

} // namespace itk::CudaSpline

#endif
