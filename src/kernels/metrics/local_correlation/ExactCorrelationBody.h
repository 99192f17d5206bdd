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
#ifndef ExactCorrelationBody_h
#define ExactCorrelationBody_h

#include "itkCudaSpline/math/HostDevice.h"

#include "kernels/metrics/samples/GridPair.h"
#include "kernels/metrics/local_correlation/ExactCorrelation.h"
#include "kernels/metrics/local_correlation/LocalWindow.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief The bodies of exact local correlation, for host and device: the numbers of a sample that are summed over a
 * window, the numbers of a window, and the gradient with respect to a value, computed from sums of those numbers over
 * the windows that contain it. */

namespace itk::CudaSpline
{

/** \brief The smallest variances that are above rounding errors, and the floors of variances. */
struct ExactBounds
{
  double ofSums;      ///< of squares of centred values: rounding errors of sums
  double ofPixels;    ///< of squares of the values themselves: interpolation errors of a constant patch
  double fixedFloor;  ///< added to the variance of each sample of a window
  double movingFloor; ///< see \c fixedFloor
};

/** \brief The arrays and parameters of the bodies. Passed by value. */
template <typename TReal>
struct ExactArguments
{
  GridPair<TReal> first;                       ///< the first pair of images
  std::int64_t    size[3];                     ///< x first
  std::int64_t    plane;                       ///< number of samples of an image
  std::int64_t    maskStride;                  ///< distance of the next pair's masks (samples)
  const double *  centres;                     ///< for each pair that of the fixed image, then that of the moving image
  TReal *         factors[ExactWindowNumbers]; ///< pairs x plane each; null: not computed
  ExactBounds     bounds;
  bool            keepsNonFinite; ///< see ExactCorrelation
};

/** \brief A pair of images with centred values, with its own derivatives. */
template <typename TReal>
struct CentredPair : GridPair<TReal>
{
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  CentredPair(const ExactArguments<TReal> & arguments, std::int64_t pair)
    : GridPair<TReal>(arguments.first)
    , fixedCentre(static_cast<TReal>(arguments.centres[2 * pair]))
    , movingCentre(static_cast<TReal>(arguments.centres[2 * pair + 1]))
  {
    const auto move = [](auto *& array, std::int64_t samples) { array = array == nullptr ? nullptr : array + samples; };
    const auto moveBytes = [](void *& array, std::int64_t bytes) {
      array = array == nullptr ? nullptr : static_cast<char *>(array) + bytes;
    };
    const std::int64_t samples = pair * arguments.plane;
    const std::int64_t bytes =
      samples * this->numbers * static_cast<std::int64_t>(this->isDouble ? sizeof(double) : sizeof(float));
    move(this->fixed, samples);
    move(this->moving, samples);
    move(this->fixedInside, pair * arguments.maskStride);
    move(this->movingInside, pair * arguments.maskStride);
    moveBytes(this->fixedDerivative, bytes);
    moveBytes(this->movingDerivative, bytes);
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  Fixed(std::int64_t offset) const
  {
    return this->fixed[offset] - fixedCentre;
  }
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  Moving(std::int64_t offset) const
  {
    return this->moving[offset] - movingCentre;
  }

  TReal fixedCentre;
  TReal movingCentre;
};

/** \brief The centre of an image with a given mean; 0 if the mean is not finite, unless non-finite values are kept. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
CentreOf(double mean, bool keepsNonFinite)
{
  return keepsNonFinite || mean - mean == 0.0 ? mean : 0.0;
}

/** \brief Adds sums to others. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
Add(const LocalCorrelationSums & sums, LocalCorrelationSums & total)
{
  total.correlation += sums.correlation;
  total.count += sums.count;
  total.flatWindows += sums.flatWindows;
}

/** \brief The squared correlation in a window, and its numbers. With c = C^2 / (A B) they are 2 C / (A B), and for the
 * fixed image k = 2 c / A, and k mean f - 2 C / (A B) mean m; then the same two for the moving image. */
struct ExactTerm
{
  double correlation;
  double factors[ExactWindowNumbers];
  bool   isFlat; ///< LocalCorrelationSums::flatWindows
};

/** \brief The formula. The correlation is NaN for a window with a non-finite value.
 *
 * \param[in] sums sums of the window's centred values, see WindowSums
 * \param[in] count valid samples of the window
 * \param[in] fixedCentre, movingCentre numbers that were subtracted from the values */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE ExactTerm
MakeExactTerm(const double (&sums)[WindowSums],
              double              count,
              double              fixedCentre,
              double              movingCentre,
              const ExactBounds & bounds)
{
  const double          inverse = 1.0 / count;
  const double          fixedMean = sums[0] * inverse;
  const double          movingMean = sums[1] * inverse;
  const WindowVariances variances(sums, fixedMean, movingMean);
  const double          fixedVariance = variances.fixed + count * bounds.fixedFloor;
  const double          movingVariance = variances.moving + count * bounds.movingFloor;
  const double          covariance = variances.covariance;
  const auto            leastOf = [&](double sum, double squares, double centre) {
    const double ofValues = squares + centre * (2.0 * sum + count * centre);
    return bounds.ofSums * squares + bounds.ofPixels * ofValues;
  };
  ExactTerm term{ 1.0, {}, true };
  if (fixedVariance <= leastOf(sums[0], sums[2], fixedCentre) ||
      movingVariance <= leastOf(sums[1], sums[3], movingCentre))
  {
    return term;
  }
  const double inverseOfFixed = 1.0 / fixedVariance; // divisions are the longest part of the formula
  const double inverseOfMoving = 1.0 / movingVariance;
  const double ofFixed = covariance * inverseOfFixed;
  const double both = 2.0 * ofFixed * inverseOfMoving;
  term.isFlat = false;
  term.correlation = ofFixed * (covariance * inverseOfMoving);
  term.factors[0] = both;
  term.factors[1] = 2.0 * term.correlation * inverseOfFixed;
  term.factors[2] = term.factors[1] * fixedMean - both * movingMean;
  term.factors[3] = 2.0 * term.correlation * inverseOfMoving;
  term.factors[4] = term.factors[3] * movingMean - both * fixedMean;
  return term;
}

/** \brief Evaluates a window, and stores its numbers.
 *
 * \tparam TPair CentredPair, or a class with its functions
 * \param[in] position offset of its centre in all pairs, \param[in] offset the same in its pair
 * \param[in,out] total the window is added to it */
template <typename TReal, typename TPair>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
EvaluateWindow(const ExactArguments<TReal> & arguments,
               const TPair &                 pair,
               std::int64_t                  position,
               std::int64_t                  offset,
               const double (&sums)[WindowSums],
               double                 count,
               LocalCorrelationSums & total)
{
  ExactTerm term{ 0.0, {}, false };
  if (pair.IsValid(offset))
  {
    term = MakeExactTerm(
      sums, count, static_cast<double>(pair.fixedCentre), static_cast<double>(pair.movingCentre), arguments.bounds);
    // NaN, and infinite factors.
    if (!arguments.keepsNonFinite && !(term.correlation < 2.0))
    {
      term = ExactTerm{ 1.0, {}, true };
    }
    ++total.count;
    total.flatWindows += term.isFlat ? 1 : 0;
    total.correlation += term.correlation;
  }
  for (int n = 0; n < ExactWindowNumbers; ++n)
  {
    if (arguments.factors[n] != nullptr)
    {
      arguments.factors[n][position] = static_cast<TReal>(term.factors[n]);
    }
  }
}

/** \brief The gradients of a pair's sum with respect to the centred values of a sample that counts.
 *
 * A non-finite sample is only in flat windows, and has no gradient, unless non-finite values are kept.
 *
 * \tparam VNumbers ExactWindowNumbers, or FactorsOfOne for one gradient
 * \param[in] sums sums of the numbers of the windows that contain the sample
 * \param[out] byFixed, byMoving the gradients; with FactorsOfOne only the requested one is correct */
template <int VNumbers>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
MakeValueGradients(double fixed,
                   double moving,
                   bool   keepsNonFinite,
                   const double (&sums)[VNumbers],
                   double & byFixed,
                   double & byMoving)
{
  constexpr int own = VNumbers - 2;
  const bool    isFinite = fixed - fixed == 0.0 && moving - moving == 0.0;
  if (isFinite || keepsNonFinite)
  {
    byFixed = moving * sums[0] - fixed * sums[1] + sums[2];
    byMoving = fixed * sums[0] - moving * sums[own] + sums[own + 1];
  }
}

/** \brief Rounding errors of sums with a depth of 2 r + 2 additions along each axis, four units each, and interpolation
 * errors of a constant; see MakeLocalBounds(). */
inline ExactBounds
MakeExactBounds(const LocalCorrelationDescriptor & descriptor)
{
  double depth = 8.0;
  for (const std::int64_t radius : CutRadius(descriptor))
  {
    depth += 2.0 * static_cast<double>(radius) + 2.0;
  }
  return { 4.0 * depth * 0x1p-53,
           descriptor.pixel == ScalarType::Float32 ? 0x1p-44 : 0.0,
           descriptor.varianceFloors[0],
           descriptor.varianceFloors[1] };
}

/** \brief The numbers of a window that the gradients need, in their order. */
inline std::array<bool, ExactWindowNumbers>
FactorsOf(const ExactCorrelation & correlation)
{
  const bool ofFixed = correlation.fixedDerivative != nullptr;
  const bool ofMoving = correlation.movingDerivative != nullptr;
  return { { ofFixed || ofMoving, ofFixed, ofFixed, ofMoving, ofMoving } };
}

/** \brief The scratch memory, in its order. */
template <typename TReal>
struct ExactScratch
{
  double * centres; ///< 2 per pair
  double * partial; ///< partial sums
  TReal *  factors; ///< arrays of pairs x plane

  /** \param[in] partialBytes bytes of partial sums, a multiple of 8 */
  ExactScratch(const ExactCorrelation & correlation, std::size_t partialBytes)
    : centres(static_cast<double *>(correlation.scratch))
    , partial(centres + 2 * correlation.pairs)
    , factors(reinterpret_cast<TReal *>(partial + partialBytes / sizeof(double)))
  {}
};

/** \brief Creates the arguments of the bodies. */
template <typename TReal>
ExactArguments<TReal>
MakeExactArguments(const ExactCorrelation & correlation, const ExactScratch<TReal> & scratch)
{
  const LocalCorrelationDescriptor & descriptor = correlation.descriptor;
  ExactArguments<TReal>              arguments{};
  arguments.first = MakeGridPair<TReal>(descriptor.grid,
                                        descriptor.derivative,
                                        correlation.images,
                                        correlation.movingDerivative,
                                        correlation.fixedDerivative,
                                        descriptor.factorsAlone);
  std::copy_n(descriptor.grid.size.begin(), 3, arguments.size);
  arguments.plane = descriptor.grid.Count();
  arguments.maskStride = correlation.maskStride;
  arguments.centres = scratch.centres;
  const auto wanted = FactorsOf(correlation);
  for (std::int64_t n = 0, next = 0; n < ExactWindowNumbers; ++n)
  {
    if (wanted[static_cast<std::size_t>(n)])
    {
      arguments.factors[n] = scratch.factors + next++ * correlation.pairs * arguments.plane;
    }
  }
  arguments.bounds = MakeExactBounds(descriptor);
  arguments.keepsNonFinite = correlation.keepsNonFinite;
  return arguments;
}

} // namespace itk::CudaSpline

#endif
