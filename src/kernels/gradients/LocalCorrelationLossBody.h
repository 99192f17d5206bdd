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
#ifndef LocalCorrelationLossBody_h
#define LocalCorrelationLossBody_h

#include "itkCudaSpline/kernels/gradients/LocalCorrelationLoss.h"
#include "itkCudaSpline/math/HostDevice.h"

#include "kernels/metrics/local_correlation/LocalWindow.h"

#include <cstdint>

/** \file
 * \brief The bodies of EvaluateLocalCorrelationLoss(), on host and device: what of a sample is summed over a window,
 * what its sums say, and what a gradient is of sums over the windows that hold a sample. */

namespace itk::CudaSpline
{

/** \brief Numbers of a window whose sums make the gradients, and their order: with c = C^2 / (A B), 2 C / (A B); of the
 * fixed image k = 2 c / A, and k mean f - 2 C / (A B) mean m; the same two of the moving image. */
inline constexpr int WindowFactors = 5;
/** \brief Those of one gradient alone. */
inline constexpr int FactorsOfOne = 3;

/** \brief The least variances that say something, as parts of sums of squares. */
struct LossBounds
{
  double ofSums;   ///< of squares of centred values: roundings of sums
  double ofPixels; ///< of squares of the values themselves: what interpolation makes of a constant patch
};

/** \brief What the bodies read and write. Passed by value. */
template <typename TReal>
struct LossArguments
{
  std::int64_t         size[3];                ///< x first
  std::int64_t         plane;                  ///< samples of an image
  const TReal *        fixed;                  ///< images x plane
  const TReal *        moving;                 ///< images x plane
  const std::uint8_t * mask;                   ///< null: all samples count
  std::int64_t         maskStride;             ///< samples to the next image's
  const double *       centres;                ///< of each pair that of the fixed image, then that of the moving one
  TReal *              factors[WindowFactors]; ///< images x plane each; null: not wanted
  TReal *              fixedGradient;          ///< images x plane; null: not wanted
  TReal *              movingGradient;         ///< the same
  LossBounds           bounds;
};

/** \brief A pair of images with centred values. Outside of the mask there are none. */
template <typename TReal>
struct CentredPair
{
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  CentredPair(const LossArguments<TReal> & arguments, std::int64_t image)
    : fixed(arguments.fixed + image * arguments.plane)
    , moving(arguments.moving + image * arguments.plane)
    , mask(arguments.mask == nullptr ? nullptr : arguments.mask + image * arguments.maskStride)
    , fixedCentre(static_cast<TReal>(arguments.centres[2 * image]))
    , movingCentre(static_cast<TReal>(arguments.centres[2 * image + 1]))
  {}

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  IsValid(std::int64_t offset) const
  {
    return mask == nullptr || mask[offset] != 0;
  }
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  Fixed(std::int64_t offset) const
  {
    return fixed[offset] - fixedCentre;
  }
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  Moving(std::int64_t offset) const
  {
    return moving[offset] - movingCentre;
  }

  const TReal *        fixed;
  const TReal *        moving;
  const std::uint8_t * mask;
  TReal                fixedCentre;
  TReal                movingCentre;
};

/** \brief What a window says. */
struct LossTerm
{
  double correlation;            ///< its square
  double factors[WindowFactors]; ///< of the gradients
};

/** \brief The formula. A window that holds something that is not finite has no number.
 *
 * \param[in] sums of the window's centred values, as WindowSums says
 * \param[in] count valid samples of the window
 * \param[in] fixedCentre, movingCentre what was taken off */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE LossTerm
MakeLossTerm(const double (&sums)[WindowSums],
             double             count,
             double             fixedCentre,
             double             movingCentre,
             const LossBounds & bounds)
{
  const double          fixedMean = sums[0] / count;
  const double          movingMean = sums[1] / count;
  const WindowVariances variances(sums, fixedMean, movingMean);
  const double          fixedVariance = variances.fixed;
  const double          movingVariance = variances.moving;
  const double          covariance = variances.covariance;
  const auto            leastOf = [&](double sum, double squares, double centre) {
    const double ofValues = squares + centre * (2.0 * sum + count * centre);
    return bounds.ofSums * squares + bounds.ofPixels * ofValues;
  };
  LossTerm term{ 1.0, {} };
  if (fixedVariance <= leastOf(sums[0], sums[2], fixedCentre) ||
      movingVariance <= leastOf(sums[1], sums[3], movingCentre))
  {
    return term;
  }
  const double ofFixed = covariance / fixedVariance;
  const double ofMoving = covariance / movingVariance;
  const double both = 2.0 * ofFixed / movingVariance;
  term.correlation = ofFixed * ofMoving;
  term.factors[0] = both;
  term.factors[1] = 2.0 * term.correlation / fixedVariance;
  term.factors[2] = term.factors[1] * fixedMean - both * movingMean;
  term.factors[3] = 2.0 * term.correlation / movingVariance;
  term.factors[4] = term.factors[3] * movingMean - both * fixedMean;
  return term;
}

/** \brief Evaluates a window, and keeps its numbers.
 *
 * \param[in] place of its centre in all images
 * \param[in] offset the same in its pair
 * \return the square of the correlation */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
EvaluateWindow(const LossArguments<TReal> & arguments,
               const CentredPair<TReal> &   pair,
               std::int64_t                 place,
               std::int64_t                 offset,
               const double (&sums)[WindowSums],
               double count)
{
  LossTerm term{ 0.0, {} };
  if (pair.IsValid(offset))
  {
    term = MakeLossTerm(
      sums, count, static_cast<double>(pair.fixedCentre), static_cast<double>(pair.movingCentre), arguments.bounds);
  }
  for (int n = 0; n < WindowFactors; ++n)
  {
    if (arguments.factors[n] != nullptr)
    {
      arguments.factors[n][place] = static_cast<TReal>(term.factors[n]);
    }
  }
  return term.correlation;
}

/** \brief Sums over the windows that hold a sample, by which its gradients are made: of both images, or of one.
 *
 * \tparam VNumbers WindowFactors or FactorsOfOne */
template <int VNumbers, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
EvaluateGradients(const LossArguments<TReal> & arguments,
                  const CentredPair<TReal> &   pair,
                  std::int64_t                 place,
                  std::int64_t                 offset,
                  const double (&sums)[VNumbers])
{
  const bool isValid = pair.IsValid(offset);
  const auto fixed = isValid ? static_cast<double>(pair.Fixed(offset)) : 0.0;
  const auto moving = isValid ? static_cast<double>(pair.Moving(offset)) : 0.0;
  const auto gradient = [&](double own, double other, double ofOwn, double rest) {
    return static_cast<TReal>(isValid ? other * sums[0] - own * ofOwn + rest : 0.0);
  };
  if (arguments.fixedGradient != nullptr)
  {
    arguments.fixedGradient[place] = gradient(fixed, moving, sums[1], sums[2]);
  }
  if (arguments.movingGradient != nullptr)
  {
    constexpr int own = VNumbers - 2;
    arguments.movingGradient[place] = gradient(moving, fixed, sums[own], sums[own + 1]);
  }
}

} // namespace itk::CudaSpline

#endif
