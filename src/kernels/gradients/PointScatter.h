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
#ifndef PointScatter_h
#define PointScatter_h

#include "kernels/gradients/PointSupport.h"

#include <cmath>
#include <cstdint>
#include <cstring>

/** \file
 * \brief Fixed-point contributions of points to an image and their sums, for host and device. */

namespace itk::CudaSpline
{

/** \brief The bits of the magnitude of a double, which have the same order as the magnitudes.
 *
 * \param[in] number a finite number */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::uint64_t
                                         BitsOfMagnitude(double number)
{
  constexpr std::uint64_t sign = std::uint64_t(1) << 63; // also set for -0
  std::uint64_t           bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits & ~sign;
}

/** \brief Computes 2 to a power from -1022 to 1023. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
PowerOfTwo(int power)
{
  constexpr int       bias = 1023;
  constexpr int       mantissa = 52;
  const std::uint64_t bits = static_cast<std::uint64_t>(power + bias) << mantissa;
  double              number;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}

/** \brief Splits a number into whole quanta and a remainder. The remainder is 0 for a float, because only its own
 * rounding error is lost. */
///@{
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
SplitNumber(float number, std::int64_t & whole, float & rest)
{
  whole = static_cast<std::int64_t>(llrintf(number));
  rest = 0.0F;
}
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
SplitNumber(double number, std::int64_t & whole, double & rest)
{
  whole = static_cast<std::int64_t>(llrint(number));
  rest = number - static_cast<double>(whole); // exact: there is no fraction above 2^53
}
///@}

/** \brief The quantum of an image and channel. The numbers of ScatterDerivatives() are rounded to multiples of it. */
struct ScatterQuantum
{
  double quantum; ///< a power of two
  double inverse;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  ScatterQuantum(const ScatterSums & sums, std::int64_t plane)
  {
    // Sums stay below 2^61 quanta, and their rounding errors are much smaller. No power of two leaves the range of
    // double: the quantum is 2^-1021 for sums that stay below 2^-960.
    constexpr int room = 61;
    constexpr int least = -960;
    constexpr int bias = 1023;
    constexpr int mantissa = 52;
    const int     exponent = static_cast<int>(sums.largest[plane] >> mantissa) - bias + 1 + sums.growth;
    const int     power = (exponent < least ? least : exponent) - room;
    quantum = PowerOfTwo(power);
    inverse = PowerOfTwo(-power);
  }
};

/** \brief The contribution of a point to an image and channel in quanta: factors by order of the derivatives along the
 * first axes.
 *
 * Numbers with the same axes in a different order share a weight. */
template <unsigned int VTotal, typename TReal>
struct ScatterFactors
{
  TReal of[VTotal + 1][VTotal + 1];
  bool  isFinite; ///< if false, MarkPoint() is used

  CUDASPLINE_HOST_DEVICE CUDASPLINE_DEVICE_INLINE
  ScatterFactors(const PointArguments & arguments,
                 const ScatterSums &    scatter,
                 std::int64_t           batch,
                 std::int64_t           channel,
                 std::int64_t           point)
    : of{}
    , isFinite(true)
  {
    const ScatterQuantum quantum(scatter, batch * arguments.channels + channel);
    const std::int64_t   first = NumbersOfPoint(arguments, batch, channel, point);
    const unsigned int   components = VTotal == 0 ? 1 : arguments.components;
    for (unsigned int component = 0; component < components; ++component)
    {
      const TReal number =
        arguments.weights != nullptr ? static_cast<const TReal *>(arguments.weights)[first + component] : TReal(1);
      const DerivativeCounts counts(component, VTotal, arguments.dimension);
      isFinite = isFinite && number - number == TReal(0);
      of[counts.of[0]][counts.of[1]] += static_cast<TReal>(static_cast<double>(number) * quantum.inverse);
    }
  }

  /** Computes the numbers for a row of taps, by order of the derivative along the row. */
  template <unsigned int VOrder>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  OfRow(const AxisTaps<VOrder, VTotal, TReal> & z,
        unsigned int                            kz,
        const AxisTaps<VOrder, VTotal, TReal> & y,
        unsigned int                            ky,
        TReal (&row)[VTotal + 1]) const
  {
    CUDASPLINE_UNROLL
    for (unsigned int c = 0; c <= VTotal; ++c)
    {
      row[c] = TReal(0);
    }
    CUDASPLINE_UNROLL
    for (unsigned int a = 0; a <= VTotal; ++a)
    {
      CUDASPLINE_UNROLL
      for (unsigned int b = 0; a + b <= VTotal; ++b)
      {
        row[VTotal - a - b] += of[a][b] * z.weight[a][kz] * y.weight[b][ky];
      }
    }
  }
};

/** \brief Splits the number of a tap (ScatterFactors::OfRow()) into whole quanta and a remainder. */
template <unsigned int VOrder, unsigned int VTotal, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
SplitTap(const TReal (&row)[VTotal + 1],
         const AxisTaps<VOrder, VTotal, TReal> & x,
         unsigned int                            kx,
         std::int64_t &                          whole,
         TReal &                                 rest)
{
  TReal number = TReal(0);
  CUDASPLINE_UNROLL
  for (unsigned int c = 0; c <= VTotal; ++c)
  {
    number += row[c] * x.weight[c][kx];
  }
  SplitNumber(number, whole, rest);
}

/** \brief Implements ScatterDerivatives() for a point that has a support, for each image and channel.
 *
 * \tparam VTotal n
 * \param[in] begin, end range of offsets in elements to which contributions are added; all others are skipped. Rows of
 * the slowest axis.
 * \param[in] add called with the index of a sum and its contribution as whole quanta and parts of a quantum */
template <unsigned int VOrder, unsigned int VTotal, typename TReal, typename TAdd>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
ScatterSupport(const PointArguments &                  arguments,
               const ScatterSums &                     scatter,
               std::int64_t                            batch,
               std::int64_t                            point,
               const AxisTaps<VOrder, VTotal, TReal> & z,
               const AxisTaps<VOrder, VTotal, TReal> & y,
               const AxisTaps<VOrder, VTotal, TReal> & x,
               std::int64_t                            begin,
               std::int64_t                            end,
               const TAdd &                            add)
{
  // Accessed with a run-time index, so that all other objects can stay in registers.
  const AxisTaps<VOrder, VTotal, TReal> ownZ = z;
  const AxisTaps<VOrder, VTotal, TReal> ownY = y;
  const AxisOffsets<VOrder>             ofZ(z, arguments.size[0], arguments.stride[0], arguments.mode);
  const AxisOffsets<VOrder>             ofY(y, arguments.size[1], arguments.stride[1], arguments.mode);
  const AxisOffsets<VOrder>             ofX(x, arguments.size[2], 1, arguments.mode);
  for (std::int64_t channel = 0; channel < arguments.channels; ++channel)
  {
    const ScatterFactors<VTotal, TReal> factors(arguments, scatter, batch, channel, point);
    if (!factors.isFinite)
    {
      continue;
    }
    const std::int64_t base = (batch * arguments.channels + channel) * arguments.plane;
    for (unsigned int kz = 0; kz < z.count; ++kz)
    {
      for (unsigned int ky = 0; ky < y.count; ++ky)
      {
        TReal row[VTotal + 1];
        factors.OfRow(ownZ, kz, ownY, ky, row);
        CUDASPLINE_UNROLL
        for (unsigned int kx = 0; kx <= VOrder; ++kx)
        {
          const std::int64_t at = ofZ.of[kz] + ofY.of[ky] + ofX.of[kx];
          if (at >= begin && at < end)
          {
            std::int64_t whole;
            TReal        rest;
            SplitTap(row, x, kx, whole, rest);
            add(base + at, whole, rest);
          }
        }
      }
    }
  }
}

/** \brief Calls ScatterSupport() for a point if it has a support. */
template <unsigned int VOrder, unsigned int VTotal, typename TReal, typename TAdd>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
ScatterPoint(const PointArguments & arguments,
             const ScatterSums &    scatter,
             std::int64_t           batch,
             std::int64_t           point,
             std::int64_t           begin,
             std::int64_t           end,
             const TAdd &           add)
{
  AxisTaps<VOrder, VTotal, TReal> z;
  AxisTaps<VOrder, VTotal, TReal> y;
  AxisTaps<VOrder, VTotal, TReal> x;
  if (PlacePoint(arguments, CoordinatesOf<TReal>(arguments, batch, point), z, y, x) == PointPlace::Inside)
  {
    ScatterSupport(arguments, scatter, batch, point, z, y, x, begin, end, add);
  }
}

/** \brief Calls \p mark with the indices of all sums to which a point contributes if its own numbers are not finite. */
template <unsigned int VOrder, typename TReal, typename TMark>
CUDASPLINE_HOST_DEVICE CUDASPLINE_DEVICE_INLINE void
MarkPoint(const PointArguments & arguments,
          const ScatterSums &    scatter,
          std::int64_t           batch,
          std::int64_t           point,
          const TMark &          mark)
{
  for (std::int64_t channel = 0; channel < arguments.channels; ++channel)
  {
    const std::int64_t plane = batch * arguments.channels + channel;
    if (scatter.broken[plane] == 0 || arguments.weights == nullptr)
    {
      continue;
    }
    const std::int64_t first = NumbersOfPoint(arguments, batch, channel, point);
    bool               isFinite = true;
    for (unsigned int component = 0; component < arguments.components; ++component)
    {
      const TReal number = static_cast<const TReal *>(arguments.weights)[first + component];
      isFinite = isFinite && number - number == TReal(0);
    }
    AxisTaps<VOrder, 0, TReal> z;
    AxisTaps<VOrder, 0, TReal> y;
    AxisTaps<VOrder, 0, TReal> x;
    if (isFinite || PlacePoint(arguments, CoordinatesOf<TReal>(arguments, batch, point), z, y, x) != PointPlace::Inside)
    {
      continue;
    }
    const AxisOffsets<VOrder> ofZ(z, arguments.size[0], arguments.stride[0], arguments.mode);
    const AxisOffsets<VOrder> ofY(y, arguments.size[1], arguments.stride[1], arguments.mode);
    const AxisOffsets<VOrder> ofX(x, arguments.size[2], 1, arguments.mode);
    for (unsigned int kz = 0; kz < z.count; ++kz)
    {
      for (unsigned int ky = 0; ky < y.count; ++ky)
      {
        for (unsigned int kx = 0; kx <= VOrder; ++kx)
        {
          const std::int64_t at = ofZ.of[kz] + ofY.of[ky] + ofX.of[kx];
          if (at >= 0)
          {
            mark(plane * arguments.plane + at);
          }
        }
      }
    }
  }
}

/** \brief Converts a sum to a number.
 *
 * \param[in] at index of the sum */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
FinishedSum(const PointArguments & arguments, const ScatterSums & scatter, std::int64_t at)
{
  const ScatterQuantum quantum(scatter, at / arguments.plane);
  const double low = scatter.low != nullptr ? static_cast<double>(scatter.low[at]) * PowerOfTwo(-scatter.parts) : 0.0;
  return static_cast<TReal>((static_cast<double>(scatter.high[at]) + low) * quantum.quantum);
}

} // namespace itk::CudaSpline

#endif
