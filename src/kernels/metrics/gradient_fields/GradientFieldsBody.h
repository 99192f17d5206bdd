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
#ifndef GradientFieldsBody_h
#define GradientFieldsBody_h

#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"
#include "itkCudaSpline/kernels/metrics/PointForces.h"

#include "kernels/fields/common/OrderedSums.h"
#include "kernels/metrics/gradient_fields/GradientFields.h"
#include "kernels/metrics/samples/GridPair.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

/** \file
 * \brief The bodies of EvaluateGradientFields() and FindGradientRange(), for host and device. */

namespace itk::CudaSpline
{

/** \brief Numbers per sample in scratch memory, of the type of the pixels: its contribution to the value, and three
 * from which the derivatives of both images are computed. */
inline constexpr int GradientNumbers = 4;

/** \brief A contribution that marks a sample that does not count. */
inline constexpr int InvalidSample = -1;

/** \brief A difference of two samples along an axis. */
struct AxisDifference
{
  std::int64_t below;  ///< offset of the lower sample
  std::int64_t above;  ///< of the upper one
  double       weight; ///< factor of the difference of their values (1 / mm); 0: both are the same sample

  /** The derivative of an image along the axis (value per mm). */
  template <typename TPixel>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  Of(const TPixel * image) const
  {
    return weight * (static_cast<double>(image[above]) - static_cast<double>(image[below]));
  }
};

/** \brief Two images on one grid, and the differences of their gradients.
 *
 * Gradients are along the axes of the grid, which are orthogonal: their products are those of gradients in physical
 * space. Both images have the same differences, between samples that are valid in both. */
template <typename TPixel>
struct GradientSamples
{
  const TPixel *       fixed;
  const TPixel *       moving;
  const std::uint8_t * fixedInside;
  const std::uint8_t * movingInside;
  double               perStep[3]; ///< inverse spacing (1 / mm)
  std::int64_t         stride[3];  ///< distance of adjacent samples along an axis
  FieldWalk            walk;

  /** Whether a sample is under both masks and finite in both images. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  IsValid(std::int64_t offset) const
  {
    if ((fixedInside != nullptr && fixedInside[offset] == 0) || (movingInside != nullptr && movingInside[offset] == 0))
    {
      return false;
    }
    const TPixel f = fixed[offset];
    const TPixel m = moving[offset];
    return f - f == TPixel(0) && m - m == TPixel(0);
  }

  /** The difference at a valid sample: of its neighbours, or of the sample and its only valid neighbour.
   *
   * \param[in] at index of the sample along the axis, relative to the first of the grid
   * \param[in] offset its offset in memory */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE AxisDifference
  Along(int axis, std::int64_t at, std::int64_t offset) const
  {
    const bool   hasBelow = at > 0 && this->IsValid(offset - stride[axis]);
    const bool   hasAbove = at + 1 < walk.size[axis] && this->IsValid(offset + stride[axis]);
    const double inverse = hasBelow && hasAbove ? 0.5 : (hasBelow || hasAbove ? 1.0 : 0.0); // of the steps
    return { hasBelow ? offset - stride[axis] : offset,
             hasAbove ? offset + stride[axis] : offset,
             inverse * perStep[axis] };
  }
};

/** \brief The numbers of each sample.
 *
 * With the gradients a and b of the images, n = a.b, A = a.a + floor and B = b.b + floor these are 1 - n^2 / (A B), 2 n
 * / (A B), n / A and n / B. A zero gradient with a floor of 0 has no similarity with the other gradient. */
template <typename TPixel>
struct GradientComparison
{
  GradientSamples<TPixel> samples;
  double                  floors[2]; ///< squares of the edge parameters of the fixed and the moving image
  TPixel *                numbers;   ///< GradientNumbers per sample
  FieldWalk               walk;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    TPixel * const     own = numbers + offset * GradientNumbers;
    if (!samples.IsValid(offset))
    {
      own[0] = TPixel(InvalidSample);
      own[1] = own[2] = own[3] = TPixel(0);
      return;
    }
    double product = 0.0;
    double ofFixed = floors[0];
    double ofMoving = floors[1];
    for (int axis = 0; axis < 3; ++axis)
    {
      const AxisDifference difference = samples.Along(axis, at[axis], offset);
      const double         f = difference.Of(samples.fixed);
      const double         m = difference.Of(samples.moving);
      product += f * m;
      ofFixed += f * f;
      ofMoving += m * m;
    }
    const double byFixed = ofFixed > 0.0 ? product / ofFixed : 0.0;
    const double byMoving = ofMoving > 0.0 ? product / ofMoving : 0.0;
    const double part = 1.0 - byFixed * byMoving;
    own[0] = static_cast<TPixel>(part > 0.0 ? part : 0.0); // rounding errors of parallel gradients
    own[1] = static_cast<TPixel>(ofMoving > 0.0 ? 2.0 * byFixed / ofMoving : 0.0);
    own[2] = static_cast<TPixel>(byFixed);
    own[3] = static_cast<TPixel>(byMoving);
  }
};

/** \brief The derivatives of n^2 / (A B), summed over all samples, with respect to the values of a sample, times the
 * gradient of the image there.
 *
 * A value is used by the differences of the two neighbours along each axis, and by its own one if that is one-sided.
 * Each sample gathers its derivatives: the order of additions does not depend on threads. */
template <typename TPixel>
struct GradientForces
{
  GradientSamples<TPixel> samples;
  GridPair<TPixel>        pair;
  const TPixel *          numbers; ///< GradientComparison::numbers
  FieldWalk               walk;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    double             byFixed = 0.0;
    double             byMoving = 0.0;
    if (samples.IsValid(offset))
    {
      for (int axis = 0; axis < 3; ++axis)
      {
        for (int step = -1; step <= 1; ++step)
        {
          this->AddNeighbour(axis, step, at[axis], offset, byFixed, byMoving);
        }
      }
    }
    this->Store(byMoving, pair.moving, pair.movingGradient, at, offset, pair.movingDerivative);
    this->Store(byFixed, pair.fixed, pair.fixedGradient, at, offset, pair.fixedDerivative);
  }

private:
  /** Adds the derivatives of the contribution of a neighbour, or of the sample itself. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddNeighbour(int axis, int step, std::int64_t at, std::int64_t offset, double & byFixed, double & byMoving) const
  {
    const std::int64_t place = at + step;
    const std::int64_t of = offset + step * samples.stride[axis];
    if (place < 0 || place >= walk.size[axis] || (step != 0 && !samples.IsValid(of)))
    {
      return;
    }
    const AxisDifference difference = samples.Along(axis, place, of);
    const double         weight =
      (difference.above == offset ? difference.weight : 0.0) - (difference.below == offset ? difference.weight : 0.0);
    if (weight != 0.0)
    {
      const TPixel * const own = numbers + of * GradientNumbers;
      const double         f = difference.Of(samples.fixed);
      const double         m = difference.Of(samples.moving);
      const double         scaled = weight * static_cast<double>(own[1]);
      byFixed += scaled * (m - static_cast<double>(own[2]) * f);
      byMoving += scaled * (f - static_cast<double>(own[3]) * m);
    }
  }

  /** Stores the product with the gradient; 0 if it is not finite, as next to a non-finite value. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Store(double         factor,
        const TPixel * image,
        const void *   gradients,
        const std::int64_t (&at)[3],
        std::int64_t offset,
        void *       derivative) const
  {
    if (derivative == nullptr)
    {
      return;
    }
    constexpr double largest = std::numeric_limits<double>::max();
    double           gradient[3] = {};
    if (factor != 0.0)
    {
      pair.GradientOf(image, gradients, at, offset, gradient);
    }
    for (int d = 0; d < 3; ++d)
    {
      const double force = factor * gradient[d];
      if (d < pair.numbers)
      {
        pair.Store(derivative, offset * pair.numbers + d, force >= -largest && force <= largest ? force : 0.0);
      }
    }
  }
};

/** \brief The magnitudes of the gradients of an image (value per mm), or InvalidSample. */
template <typename TPixel>
struct GradientMagnitudes
{
  GradientSamples<TPixel> samples; ///< with the same image twice
  TPixel *                magnitudes;
  FieldWalk               walk;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    if (!samples.IsValid(offset))
    {
      magnitudes[offset] = TPixel(InvalidSample);
      return;
    }
    double square = 0.0;
    for (int axis = 0; axis < 3; ++axis)
    {
      const double slope = samples.Along(axis, at[axis], offset).Of(samples.fixed);
      square += slope * slope;
    }
    magnitudes[offset] = static_cast<TPixel>(sqrt(square));
  }
};

/** \brief Sums numbers along a row, for valid samples. */
template <typename TPixel>
struct RowOfGradients
{
  const TPixel * numbers;
  std::int64_t   stride; ///< numbers per sample, of which the first one is summed
  PointSums *    sums;
  std::int64_t   length;
  FieldWalk      walk; ///< rows, along x

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    PointSums sum;
    for (std::int64_t i = at[0] * length; i < (at[0] + 1) * length; ++i)
    {
      const auto number = static_cast<double>(numbers[i * stride]);
      if (number >= 0.0)
      {
        sum.Add({ number, 1 });
      }
    }
    sums[at[0]] = sum;
  }
};

/** \brief The samples of two images. */
template <typename TPixel>
GradientSamples<TPixel>
MakeGradientSamples(const FieldGrid & grid, const LocalCorrelationImages & images)
{
  GradientSamples<TPixel> samples{};
  samples.fixed = static_cast<const TPixel *>(images.fixed);
  samples.moving = static_cast<const TPixel *>(images.moving);
  samples.fixedInside = images.fixedInside;
  samples.movingInside = images.movingInside;
  samples.walk = WalkOf(grid);
  std::int64_t stride = 1;
  for (unsigned int d = 0; d < 3; ++d)
  {
    double square = 0.0; // of the step of an index, for any direction
    for (unsigned int r = 0; r < grid.dimension; ++r)
    {
      square += grid.indexToPoint[r][d] * grid.indexToPoint[r][d];
    }
    samples.perStep[d] = d < grid.dimension && square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
    samples.stride[d] = stride;
    stride *= samples.walk.size[d];
  }
  return samples;
}

/** \brief Enqueues the sums of numbers over all samples.
 *
 * \param[in] numbers \p stride numbers per sample, of which the first one is summed
 * \param[out] sums CountOrderedSums()
 * \param[out] total the total */
template <typename TPixel, typename TEnqueue>
void
WalkGradientSums(const FieldGrid & grid,
                 const TPixel *    numbers,
                 int               stride,
                 PointSums *       sums,
                 PointSums *       total,
                 const TEnqueue &  enqueue)
{
  const FieldWalk    walk = WalkOf(grid);
  const std::int64_t rows = walk.size[1] * walk.size[2];
  enqueue(RowOfGradients<TPixel>{ numbers, stride, sums, walk.size[0], { { rows, 1, 1 } } });
  WalkSumsOfRows(grid, sums, total, enqueue);
}

/** \brief The results of EvaluateGradientFields(). */
struct GradientFieldsResults
{
  PointSums * sums;
  void *      movingDerivative;
  void *      fixedDerivative;
  void *      scratch;
};

/** \brief Calls \p enqueue with the bodies of EvaluateGradientFields(), one after the other. */
template <typename TEnqueue>
void
WalkGradientFields(const GradientFieldsDescriptor & descriptor,
                   const LocalCorrelationImages &   images,
                   const GradientFieldsResults &    results,
                   const TEnqueue &                 enqueue)
{
  const FieldGrid & grid = descriptor.grid;
  const FieldWalk   walk = WalkOf(grid);
  const auto        run = [&](auto pixel) {
    using Pixel = decltype(pixel);
    auto * const numbers = static_cast<Pixel *>(results.scratch);
    auto * const ofRows = reinterpret_cast<PointSums *>(numbers + grid.Count() * GradientNumbers);
    const auto   samples = MakeGradientSamples<Pixel>(grid, images);
    enqueue(
      GradientComparison<Pixel>{ samples, { descriptor.edgeSquares[0], descriptor.edgeSquares[1] }, numbers, walk });
    WalkGradientSums(grid, numbers, GradientNumbers, ofRows, results.sums, enqueue);
    if (results.movingDerivative != nullptr || results.fixedDerivative != nullptr)
    {
      const auto pair = MakeGridPair<Pixel>(grid,
                                            descriptor.derivative,
                                            images,
                                            results.movingDerivative,
                                            results.fixedDerivative,
                                            descriptor.factorsAlone);
      enqueue(GradientForces<Pixel>{ samples, pair, numbers, walk });
    }
  };
  descriptor.pixel == ScalarType::Float64 ? run(double()) : run(float());
}

/** \brief Calls \p enqueue with the bodies of FindGradientRange(), one after the other.
 *
 * \param[in] image \c fixed and \c moving are the same
 * \param[out] magnitudes one number per sample, of the type of the pixels
 * \param[out] sums CountOrderedSums(), and one more: the sum and the number of the magnitudes */
template <typename TEnqueue>
void
WalkGradientMagnitudes(const FieldGrid &              grid,
                       ScalarType                     pixel,
                       const LocalCorrelationImages & image,
                       void *                         magnitudes,
                       PointSums *                    sums,
                       const TEnqueue &               enqueue)
{
  const auto run = [&](auto number) {
    using Pixel = decltype(number);
    auto * const to = static_cast<Pixel *>(magnitudes);
    enqueue(GradientMagnitudes<Pixel>{ MakeGradientSamples<Pixel>(grid, image), to, WalkOf(grid) });
    WalkGradientSums(grid, to, 1, sums, sums + CountOrderedSums(grid), enqueue);
  };
  pixel == ScalarType::Float64 ? run(double()) : run(float());
}

/** \brief The same on a device; arguments have been checked. */
///@{
void
WalkGradientFieldsOnCuda(const GradientFieldsDescriptor & descriptor,
                         const LocalCorrelationImages &   images,
                         const GradientFieldsResults &    results,
                         const Residence &                residence);
void
WalkGradientMagnitudesOnCuda(const FieldGrid &              grid,
                             ScalarType                     pixel,
                             const LocalCorrelationImages & image,
                             void *                         magnitudes,
                             PointSums *                    sums,
                             const Residence &              residence);
///@}

} // namespace itk::CudaSpline

#endif
