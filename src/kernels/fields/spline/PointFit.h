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
#ifndef PointFit_h
#define PointFit_h

#include "itkCudaSpline/kernels/fields/SplineField.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include "kernels/fields/common/FieldGeometry.h"
#include "kernels/fields/spline/SplineRows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief The approximation of a field by a cubic B-spline, point by point, rounded as in
 * itk::BSplineScatteredDataPointSetToImageFilter: bodies for host and device.
 *
 * ITK computes points, weights and the sums of their squares in float, for any type of the field. The weights of a
 * point are therefore not products, and each control point sums its samples one after the other, in ITK's order. */

namespace itk::CudaSpline
{

/** Sums of a control point that ITK treats as 0 (itk::Math::NotAlmostEquals of float). */
constexpr float NegligibleFitSum = static_cast<float>(0.1 * 1.1920928955078125e-7);

/** Weight of a sample on the border of a grid that is fitted to 0. */
constexpr double FitBorderWeight = 1.0e10;

/** \brief The centred cubic B-spline with the operations of itk::BSplineKernelFunction<3>. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
FitKernel(double x)
{
  const double a = std::abs(x);
  const double square = a * a;
  return a < 1.0 ? (4.0 - 6.0 * square + 3.0 * square * a) / 6.0
                 : (a < 2.0 ? (8.0 - 12.0 * a + 6.0 * square - square * a) / 6.0 : 0.0);
}

/** \brief The arrays and parameters of SmoothFieldBySpline(), point by point. */
template <unsigned int VDimension, typename TReal>
struct PointFit
{
  std::int64_t  size[3];            ///< samples per axis; 1 for unused axes
  std::int64_t  controls[3];        ///< control points per axis; 1 for unused axes
  bool          stationary;         ///< the border is fitted to 0
  float         spans[VDimension];  ///< cells of the spline per axis
  float         rate[VDimension];   ///< cells per mm
  float         near[VDimension];   ///< distance by which the last sample is moved into the last cell (cells)
  double        origin[VDimension]; ///< point of the first sample (mm)
  const float * places;             ///< of samples (mm); null: sample indices
  /** Coordinates of one axis after the other, else all coordinates of a sample are contiguous. */
  bool          placesAreByAxis;
  const TReal * input;      ///< the field
  const TReal * confidence; ///< weights of samples; null: 1
  float *       where;      ///< positions of samples: cells from the first one
  float *       squares;    ///< for each sample: sum of its squared weights
  SplineEntry * entries;    ///< for the samples along each axis, for the evaluation
  double *      lattice;    ///< the spline's coefficients, one component after the other
  TReal *       output;     ///< the smoothed field

  /** First element of an axis in an array with some elements per axis. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static std::int64_t
                         FirstOf(const std::int64_t (&counts)[3], unsigned int axis)
  {
    return (axis > 0 ? counts[0] : 0) + (axis > 1 ? counts[1] : 0);
  }

  /** Moves a position at an end of the spline into its last or first cell. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
  Within(unsigned int axis, float place) const
  {
    const float beyond = RoundedSum(place, -spans[axis]);
    if (std::abs(beyond) <= near[axis])
    {
      return RoundedSum(spans[axis], -near[axis]);
    }
    return place < 0.0F && -place <= near[axis] ? 0.0F : place;
  }

  /** Weight of a control point along an axis.
   *
   * \param[in] from the first one of the sample (cells)
   * \param[in] tap tap number of the control point, 0 to 3 */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static double
  WeightOf(float from, int tap)
  {
    const float beyond = RoundedSum(from, -static_cast<float>(tap));
    return FitKernel(static_cast<double>(RoundedToSingle(static_cast<double>(beyond) + 1.0)));
  }

  /** The cell of a position. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static std::int64_t
                         CellOf(float place)
  {
    return static_cast<std::int64_t>(place);
  }

  /** Computes the entry of the samples with one index along an axis. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  MakeEntry(unsigned int axis, std::int64_t sample) const
  {
    const float   product = RoundedProduct(spans[axis], static_cast<float>(sample));
    const float   place = this->Within(axis, product / static_cast<float>(size[axis] - 1));
    SplineEntry & entry = entries[FirstOf(size, axis) + sample];
    entry.start = CellOf(place);
    for (int k = 0; k < SplineTaps; ++k)
    {
      const float beyond = RoundedSum(place, -static_cast<float>(entry.start + k));
      const float at = RoundedToSingle(static_cast<double>(beyond) + 1.0);
      entry.weights[k] = static_cast<double>(RoundedToSingle(FitKernel(static_cast<double>(at))));
    }
  }

  /** Computes the position of a sample, and the sum of its squared weights. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  MakeSample(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = (at[2] * size[1] + at[1]) * size[0] + at[0];
    double             weights[VDimension][SplineTaps];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const float  point = places == nullptr
                             ? static_cast<float>(at[d])
                             : places[placesAreByAxis ? FirstOf(size, d) + at[d] : offset * VDimension + d];
      const double beyond = RoundedSum(static_cast<double>(point), -origin[d]);
      const float  place = this->Within(d, RoundedToSingle(RoundedProduct(beyond, static_cast<double>(rate[d]))));
      where[offset * VDimension + d] = place;
      const float from = RoundedSum(place, -static_cast<float>(CellOf(place)));
      for (int k = 0; k < SplineTaps; ++k)
      {
        weights[d][k] = WeightOf(from, k);
      }
    }
    float         sum = 0.0F;
    constexpr int taps = VDimension == 2 ? SplineTaps * SplineTaps : SplineTaps * SplineTaps * SplineTaps;
    for (int n = 0; n < taps; ++n)
    {
      float weight = 1.0F;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        weight = RoundedToSingle(static_cast<double>(weight) * weights[d][(n >> (2 * d)) % SplineTaps]);
      }
      sum = RoundedSum(sum, RoundedProduct(weight, weight));
    }
    squares[offset] = sum;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      if (at[0] + at[1] + at[2] == at[d]) // on the axis itself
      {
        this->MakeEntry(d, at[d]);
      }
    }
  }

  /** Whether a sample is on the border that is fitted to 0. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  IsFixed(const std::int64_t (&at)[3]) const
  {
    bool border = false;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      border = border || at[d] == 0 || at[d] == size[d] - 1;
    }
    return stationary && border;
  }

  /** Weight of a sample in a control point, rounded for each axis. \return false if it has no weight */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  FindWeight(const float * place, const std::int64_t (&control)[3], float & weight) const
  {
    weight = 1.0F;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const std::int64_t cell = CellOf(place[d]);
      const std::int64_t tap = control[d] - cell;
      if (tap < 0 || tap >= SplineTaps)
      {
        return false;
      }
      const float from = RoundedSum(place[d], -static_cast<float>(cell));
      weight = RoundedToSingle(static_cast<double>(weight) * WeightOf(from, static_cast<int>(tap)));
    }
    return true;
  }

  /** Computes a coefficient of the spline, for all components. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  MakeControl(std::int64_t number) const
  {
    const std::int64_t control[3] = { number % controls[0],
                                      number / controls[0] % controls[1],
                                      number / controls[0] / controls[1] };
    std::int64_t       first[3] = { 0, 0, 0 };
    std::int64_t       end[3] = { 1, 1, 1 };
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      // Samples at most 3 cells before and one after it, and one more because of rounding.
      const double samples = static_cast<double>(size[d] - 1) / static_cast<double>(spans[d]);
      const auto   low = static_cast<std::int64_t>(static_cast<double>(control[d] - (SplineTaps - 1)) * samples) - 1;
      const auto   high = static_cast<std::int64_t>(static_cast<double>(control[d] + 1) * samples) + 2;
      first[d] = low > 0 ? low : 0;
      end[d] = high < size[d] ? high : size[d];
    }
    float        omega = 0.0F;
    double       delta[VDimension] = {};
    std::int64_t at[3];
    for (at[2] = first[2]; at[2] < end[2]; ++at[2])
    {
      for (at[1] = first[1]; at[1] < end[1]; ++at[1])
      {
        for (at[0] = first[0]; at[0] < end[0]; ++at[0])
        {
          const std::int64_t offset = (at[2] * size[1] + at[1]) * size[0] + at[0];
          const bool         isFixed = this->IsFixed(at);
          float              confidenceOf = isFixed ? static_cast<float>(FitBorderWeight) : 1.0F;
          if (confidence != nullptr && !isFixed)
          {
            confidenceOf = static_cast<float>(confidence[offset]);
            if (!(confidence[offset] > TReal(0)))
            {
              continue;
            }
          }
          float weight;
          if (!this->FindWeight(where + offset * VDimension, control, weight))
          {
            continue;
          }
          const float square = RoundedProduct(RoundedProduct(confidenceOf, weight), weight);
          omega = RoundedSum(omega, square);
          if (!isFixed)
          {
            const float cube = RoundedProduct(RoundedProduct(RoundedProduct(weight, weight), weight), confidenceOf);
            const auto  share = static_cast<double>(cube / squares[offset]);
            for (unsigned int d = 0; d < VDimension; ++d)
            {
              delta[d] += share * static_cast<double>(input[offset * VDimension + d]);
            }
          }
        }
      }
    }
    const std::int64_t count = controls[0] * controls[1] * controls[2];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const double quotient = omega > NegligibleFitSum ? delta[d] / static_cast<double>(omega) : 0.0;
      // non-finite values become 0, as in ITK.
      lattice[d * count + number] = quotient - quotient == 0.0 ? quotient : 0.0;
    }
  }

  /** Evaluates the spline at a sample in 2D. In 3D it is evaluated by rows (SplineRows.h). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Evaluate(const std::int64_t (&at)[3]) const
  {
    const SplineEntry & x = entries[at[0]];
    const SplineEntry & y = entries[size[0] + at[1]];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      double sum = 0.0;
      for (int i = 0; i < SplineTaps; ++i)
      {
        double along = 0.0;
        for (int j = 0; j < SplineTaps; ++j)
        {
          along += y.weights[j] * lattice[(d * controls[1] + y.start + j) * controls[0] + x.start + i];
        }
        sum += x.weights[i] * along;
      }
      output[(at[1] * size[0] + at[0]) * VDimension + d] = static_cast<TReal>(sum);
    }
  }
};

/** \brief A pass of a fit, as a body of a walk: samples, control points, and in 2D the evaluation. */
template <unsigned int VDimension, typename TReal, int VPass>
struct PointFitPass
{
  PointFit<VDimension, TReal> fit;
  FieldWalk                   walk;

  explicit PointFitPass(const PointFit<VDimension, TReal> & what)
    : fit(what)
    , walk{ { what.size[0], what.size[1], what.size[2] } }
  {
    if (VPass == 1)
    {
      walk = { { what.controls[0] * what.controls[1] * what.controls[2], 1, 1 } };
    }
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    if constexpr (VPass == 0)
    {
      fit.MakeSample(at);
    }
    else if constexpr (VPass == 1)
    {
      fit.MakeControl(at[0]);
    }
    else
    {
      fit.Evaluate(at);
    }
  }
};

/** \brief A fit for the pass that does not read the field: it is compiled for one type only. */
template <unsigned int VDimension, typename TReal>
PointFit<VDimension, double>
WithoutInput(const PointFit<VDimension, TReal> & fit)
{
  PointFit<VDimension, double> rest{};
  std::copy_n(fit.size, 3, rest.size);
  std::copy_n(fit.spans, VDimension, rest.spans);
  std::copy_n(fit.rate, VDimension, rest.rate);
  std::copy_n(fit.near, VDimension, rest.near);
  std::copy_n(fit.origin, VDimension, rest.origin);
  rest.places = fit.places;
  rest.placesAreByAxis = fit.placesAreByAxis;
  rest.where = fit.where;
  rest.squares = fit.squares;
  rest.entries = fit.entries;
  return rest;
}

/** \brief Bytes of scratch memory, in the order of SetPointFitScratch(). */
inline std::size_t
CountPointFitScratch(const FieldShape & shape, const FieldSplineFit & rules)
{
  const unsigned int dimension = shape.grid.dimension;
  std::int64_t       controls = static_cast<std::int64_t>(dimension);
  std::int64_t       samples = 0;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    controls *= rules.controlPoints[d];
    samples += shape.grid.size[d];
  }
  return static_cast<std::size_t>(controls) * sizeof(double) + static_cast<std::size_t>(samples) * sizeof(SplineEntry) +
         static_cast<std::size_t>(shape.grid.Count()) * (dimension + 1) * sizeof(float);
}

/** \brief Divides the scratch memory. */
template <unsigned int VDimension, typename TReal>
void
SetPointFitScratch(PointFit<VDimension, TReal> & fit, void * scratch)
{
  fit.lattice = static_cast<double *>(scratch);
  fit.entries = reinterpret_cast<SplineEntry *>(fit.lattice + static_cast<std::int64_t>(VDimension) * fit.controls[0] *
                                                                fit.controls[1] * fit.controls[2]);
  fit.where = reinterpret_cast<float *>(fit.entries + fit.size[0] + fit.size[1] + (VDimension > 2 ? fit.size[2] : 0));
  fit.squares = fit.where + VDimension * fit.size[0] * fit.size[1] * fit.size[2];
}

/** \brief Calls \p enqueue with the passes, one after the other. */
template <unsigned int VDimension, typename TReal, typename TEnqueue>
void
WalkPointFit(const PointFit<VDimension, TReal> & fit, const TEnqueue & enqueue)
{
  enqueue(PointFitPass<VDimension, double, 0>(WithoutInput(fit)));
  enqueue(PointFitPass<VDimension, TReal, 1>(fit));
  if constexpr (VDimension == 2)
  {
    enqueue(PointFitPass<VDimension, TReal, 2>(fit));
  }
}

/** \brief The passes on a device. */
///@{
void
WalkPointFitOnCuda(const PointFit<2, float> & fit, const Residence & residence);
void
WalkPointFitOnCuda(const PointFit<2, double> & fit, const Residence & residence);
void
WalkPointFitOnCuda(const PointFit<3, float> & fit, const Residence & residence);
void
WalkPointFitOnCuda(const PointFit<3, double> & fit, const Residence & residence);
///@}

} // namespace itk::CudaSpline

#endif
