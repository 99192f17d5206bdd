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
#ifndef itkCudaSpline_math_WindowedSinc_h
#define itkCudaSpline_math_WindowedSinc_h

#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include <cmath>
#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief The windows that multiply the sinc so that it ends at the radius m \cite{Meijering1999}: ITK's five windows.
 */
enum class SincWindow : unsigned char
{
  Cosine,  ///< cos(pi x / (2 m))
  Hamming, ///< 0.54 + 0.46 cos(pi x / m); it does not end at 0
  Welch,   ///< 1 - x^2 / m^2
  Lanczos, ///< sin(pi x / m) / (pi x / m)
  Blackman ///< 0.42 + 0.5 cos(pi x / m) + 0.08 cos(2 pi x / m)
};

/** \brief Name of a window in messages. */
constexpr const char *
NameOf(SincWindow window)
{
  switch (window)
  {
    case SincWindow::Cosine:
      return "Cosine";
    case SincWindow::Hamming:
      return "Hamming";
    case SincWindow::Welch:
      return "Welch";
    case SincWindow::Lanczos:
      return "Lanczos";
    default:
      return "Blackman";
  }
}

/** \brief Maximum radius: arrays of taps have twice as many elements. */
inline constexpr int MaximumSincRadius = 5;

/** \brief A window, computed from the cosine and the sine of its angle, which is pi x / m, or pi x / (2 m) for Cosine.
 *
 * \param[in] window the window
 * \param[in] radius m (samples)
 * \param[in] x distance from the sample (samples)
 * \param[in] angle the angle (radians)
 * \param[in] cosine its cosine
 * \param[in] sine its sine */
CUDASPLINE_HOST_DEVICE inline double
SincWindowValue(SincWindow window, int radius, double x, double angle, double cosine, double sine)
{
  switch (window)
  {
    case SincWindow::Cosine:
      return cosine;
    case SincWindow::Hamming:
      return 0.54 + 0.46 * cosine;
    case SincWindow::Welch:
      return 1.0 - x * x / (radius * radius);
    case SincWindow::Lanczos:
      return angle == 0.0 ? 1.0 : sine / angle;
    default:
      return 0.42 + 0.5 * cosine + 0.08 * (2.0 * cosine * cosine - 1.0);
  }
}

/** \brief The weights of the 2 m samples around a point, with the rule of itk::WindowedSincInterpolateImageFunction.
 *
 * With the floor i of the coordinate (FloorIndex()), weight k belongs to sample i - m + 1 + k at the distance x from
 * the point, and is the window times sin(pi x) / (pi x). At a sample the weights are 0 and 1. As in ITK, the weights do
 * not exactly sum to 1: a constant is reproduced within 0.25 % (Hamming, m = 3).
 *
 * Sines and cosines of all distances are computed from those of the nearest one with the addition theorems: five are
 * computed, instead of up to 3 per sample.
 *
 * \param[in] distance distance of the point from sample i (samples), in [0, 1]. Just below 0 it is 1 after rounding,
 * and FloorIndex() may leave a negative rounding error
 * \param[in] radius m, 1 to MaximumSincRadius (samples)
 * \param[in] window the window
 * \param[out] w the 2 m weights
 *
 * \par Accuracy
 * Each within 32 units of 2^-53: 7 for the sinc, and for the window at most 3.5 more for every sample away from the
 * nearest one, divided by the growing distance; Lanczos with m = 5 divides them by an angle of pi / 10. Measured: 5
 * units. The sum of the absolute weights is at most 2.28, that of the sinc itself half-way between ten samples; with
 * the windows, measured: 1.96. */
CUDASPLINE_HOST_DEVICE inline void
WindowedSincWeights(double distance, int radius, SincWindow window, double * w)
{
  constexpr double pi = 3.14159265358979323846;
  if (distance == 0.0 || distance == 1.0)
  {
    const int nearest = distance == 0.0 ? radius - 1 : radius;
    for (int k = 0; k < 2 * radius; ++k)
    {
      w[k] = k == nearest ? 1.0 : 0.0;
    }
    return;
  }
  // Relative to the nearest sample, whose distance is exact: there is no cancellation next to it.
  const bool   below = distance <= 0.5;
  const int    nearest = below ? radius - 1 : radius;
  const double c = below ? distance : distance - 1.0;
  const double amplitude = ::sin(pi * c);
  const double frequency = pi / (window == SincWindow::Cosine ? 2 * radius : radius);
  const double cosine = ::cos(frequency * c);
  const double sine = ::sin(frequency * c);
  const double stepCosine = ::cos(frequency);
  const double stepSine = ::sin(frequency);
  double       turnedCosine = 1.0; // cosine of n steps
  double       turnedSine = 0.0;
  double       sign = 1.0;
  for (int n = 0; n <= radius; ++n)
  {
    for (int side = 0; side < (n == 0 ? 1 : 2); ++side)
    {
      const int k = side == 0 ? nearest + n : nearest - n;
      if (k >= 0 && k < 2 * radius)
      {
        const double x = side == 0 ? c - n : c + n;
        const double turn = side == 0 ? turnedSine : -turnedSine;
        const double value = SincWindowValue(
          window, radius, x, frequency * x, cosine * turnedCosine + sine * turn, sine * turnedCosine - cosine * turn);
        w[k] = value * (sign * amplitude / (pi * x));
      }
    }
    const double next = turnedCosine * stepCosine - turnedSine * stepSine;
    turnedSine = turnedSine * stepCosine + turnedCosine * stepSine;
    turnedCosine = next;
    sign = -sign;
  }
}

/** \brief The samples of a windowed sinc and their weights, for each axis: the sum only adds offsets. */
template <unsigned int VDimension>
struct WindowedSincTaps
{
  int          count[VDimension];                         ///< taps of each axis, at most 2 m
  std::int64_t offset[VDimension][2 * MaximumSincRadius]; ///< folded index times stride (elements); -1: outside
  double       weight[VDimension][2 * MaximumSincRadius]; ///< those of WindowedSincWeights()

  /** \param[in] extent the samples in memory
   * \param[in] index continuous index (samples), in the index space of \p extent
   * \param[in] radius 1 to MaximumSincRadius (samples)
   * \param[in] window the window
   * \param[in] fold called with an index relative to the first sample (samples) and an axis; returns the sample of the
   * line there, in [0, size), or -1 for the border value
   * \param[in] skipZeroWeights omits the taps of weight 0 if the point is on a sample of an axis: up to 2 m times
   * faster per axis. ITK multiplies with them, which matters only for NaN and infinity */
  template <typename TCoordinate, typename TFold>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  WindowedSincTaps(const GridExtent<VDimension> & extent,
                   const TCoordinate (&index)[VDimension],
                   int           radius,
                   SincWindow    window,
                   const TFold & fold,
                   bool          skipZeroWeights)
  {
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const std::int64_t base = FloorIndex(index[d]);
      const double       distance = RoundedSum(static_cast<double>(index[d]), -static_cast<double>(base));
      const std::int64_t first = base - extent.start[d] - radius + 1;
      if (skipZeroWeights && distance == 0.0)
      {
        count[d] = 1;
        weight[d][0] = 1.0;
        offset[d][0] = OffsetOf(fold(first + radius - 1, d), stride);
      }
      else
      {
        count[d] = 2 * radius;
        WindowedSincWeights(distance, radius, window, weight[d]);
        for (int k = 0; k < 2 * radius; ++k)
        {
          offset[d][k] = OffsetOf(fold(first + k, d), stride);
        }
      }
      stride *= extent.size[d];
    }
  }

private:
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE std::int64_t
                                                  OffsetOf(std::int64_t folded, std::int64_t stride)
  {
    return folded < 0 ? -1 : folded * stride;
  }
};

/** \brief Sum over the taps of the axes 0 to VAxis - 1 of sample times weights, x innermost, in double.
 *
 * \tparam VAxis number of axes that are summed over: VDimension for the whole
 * \param[in] data first sample, host or device, x fastest
 * \param[in] taps the taps
 * \param[in] at offset from the higher axes (elements), -1 if one of them is outside; 0 for the whole
 * \param[in] border value of the samples outside */
template <unsigned int VAxis, unsigned int VDimension, typename TSample>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
SumOverWindow(const TSample * data, const WindowedSincTaps<VDimension> & taps, std::int64_t at, double border)
{
  static_assert(VAxis >= 1 && VAxis <= VDimension, "The axes summed over are the first VAxis ones.");
  double sum = 0.0;
  for (int k = 0; k < taps.count[VAxis - 1]; ++k)
  {
    const std::int64_t offset = taps.offset[VAxis - 1][k];
    const std::int64_t from = at < 0 || offset < 0 ? -1 : at + offset;
    if constexpr (VAxis == 1)
    {
      sum += taps.weight[0][k] * (from < 0 ? border : static_cast<double>(data[from]));
    }
    else
    {
      sum += taps.weight[VAxis - 1][k] * SumOverWindow<VAxis - 1>(data, taps, from, border);
    }
  }
  return sum;
}

/** \brief Windowed sinc interpolation at a continuous index, with the rule of
 * itk::WindowedSincInterpolateImageFunction.
 *
 * Weights and sums are double for any type of samples, as in ITK. ITK adds all products one after the other; here the
 * sum over an axis is multiplied with the weights of the next one.
 *
 * \tparam TSample type of the samples
 * \tparam TCoordinate float or double, type of the continuous index
 * \param[in] data first sample, host or device, x fastest
 * \param[in] extent the samples in memory
 * \param[in] index continuous index (samples), in the index space of \p extent
 * \param[in] radius m, 1 to MaximumSincRadius (samples)
 * \param[in] window the window
 * \param[in] fold see WindowedSincTaps; returns the nearest sample of the line for ITK's default
 * \param[in] border value of the samples for which \p fold returns -1
 * \param[in] skipZeroWeights see WindowedSincTaps
 *
 * \par Accuracy
 * With the largest sum N <= 2.28 of absolute weights of an axis, within VDimension (66 m + 1) N^VDimension units of
 * 2^-53 times the largest absolute sample */
template <typename TSample, unsigned int VDimension, typename TCoordinate, typename TFold>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
WindowedSincValue(const TSample *                data,
                  const GridExtent<VDimension> & extent,
                  const TCoordinate (&index)[VDimension],
                  int           radius,
                  SincWindow    window,
                  const TFold & fold,
                  double        border = 0.0,
                  bool          skipZeroWeights = false)
{
  const WindowedSincTaps<VDimension> taps(extent, index, radius, window, fold, skipZeroWeights);
  return SumOverWindow<VDimension>(data, taps, 0, border);
}

/** @} */
} // namespace itk::CudaSpline

#endif
