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
#ifndef PointForcesBody_h
#define PointForcesBody_h

#include "itkCudaSpline/kernels/metrics/PointForces.h"

#include "kernels/fields/common/OrderedSums.h"
#include "kernels/metrics/samples/GridPair.h"
#include "kernels/metrics/passes/MetricContributions.h"

#include <cstdint>
#include <type_traits>

/** \file
 * \brief EvaluatePointForces(): bodies for host and device. */

namespace itk::CudaSpline
{

/** \brief A sample of a grid for contributions. In two dimensions the third component of a gradient is not used. */
struct GridSample : SamplePair<3>
{
  int axes; ///< 2 or 3

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE int
  CountAxes() const
  {
    return axes;
  }
};

/** \brief Receives the force of a sample instead of sums. */
struct GridForce
{
  static constexpr unsigned int Sets = 1;
  static constexpr bool         AnyPass = false;

  double direction[3]{};
  double weight{ 0.0 };
  bool   isThere{ false };

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddSample()
  {}
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddValue(unsigned int, double)
  {}
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddForce(unsigned int, double factor, const double (&along)[3], const double (&)[3])
  {
    for (int d = 0; d < 3; ++d)
    {
      direction[d] = along[d];
    }
    weight = factor;
    isThere = true;
  }
};

/** \brief The forces of a sample.
 *
 * \tparam TContributions the list of the contributions that a pass may use */
template <typename TPixel, typename TContributions>
struct ForcesOfContributions
{
  static constexpr bool IsSingle = std::is_same<TPixel, float>::value; ///< rounding of differences

  GridPair<TPixel> pair;
  FieldWalk        walk;
  PassNumbers      passes[2]; ///< for both directions
  bool             exchangesGradients;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    this->Store(0, at, offset, pair.movingDerivative);
    this->Store(1, at, offset, pair.fixedDerivative);
  }

private:
  /** \param[in] direction 0: the moving image is displaced; 1: the fixed one is, and the images are exchanged */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Store(int direction, const std::int64_t (&at)[3], std::int64_t offset, void * derivative) const
  {
    if (derivative == nullptr)
    {
      return;
    }
    GridForce force;
    if (pair.IsValid(offset))
    {
      this->FindForce(direction, at, offset, force);
    }
    for (int d = 0; d < GridSample::MaximumAxes; ++d)
    {
      if (d < pair.numbers)
      {
        pair.Store(derivative, offset * pair.numbers + d, force.isThere ? force.weight * force.direction[d] : 0.0);
      }
    }
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  FindForce(int direction, const std::int64_t (&at)[3], std::int64_t offset, GridForce & force) const
  {
    const bool isOfMoving = (direction == 0) != exchangesGradients;
    GridSample sample{};
    this->GradientOf(isOfMoving, at, offset, sample.movingGradient);
    if constexpr (TContributions::NeedsFixedGradient)
    {
      this->GradientOf(!isOfMoving, at, offset, sample.fixedGradient);
    }
    sample.axes = pair.numbers;
    sample.fixed = static_cast<double>((direction == 0 ? pair.fixed : pair.moving)[offset]);
    sample.moving = static_cast<double>((direction == 0 ? pair.moving : pair.fixed)[offset]);
    sample.isSingle = IsSingle;
    const double arm[3] = {};
    TContributions::Add(passes[direction], sample, arm, force);
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  GradientOf(bool isOfMoving, const std::int64_t (&at)[3], std::int64_t offset, double (&gradient)[3]) const
  {
    pair.GradientOf(isOfMoving ? pair.moving : pair.fixed,
                    isOfMoving ? pair.movingGradient : pair.fixedGradient,
                    at,
                    offset,
                    gradient);
  }
};

/** \brief The forces of a sample for any metric. */
template <typename TPixel>
struct PointForces : ForcesOfContributions<TPixel, PointContributions>
{};

/** \brief Sums the differences along a row. The type of the pixels is run-time: a kernel for each type would not be
 * faster. */
struct RowDifferences
{
  LocalCorrelationImages images;
  bool                   isDouble; ///< type of the pixels
  PointSums *            sums;
  std::int64_t           length; ///< samples of a row
  FieldWalk              walk;   ///< rows, along x

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    PointSums sum;
    for (std::int64_t offset = at[0] * length; offset < (at[0] + 1) * length; ++offset)
    {
      if ((images.fixedInside == nullptr || images.fixedInside[offset] != 0) &&
          (images.movingInside == nullptr || images.movingInside[offset] != 0))
      {
        const double difference =
          PairDifference(this->Load(images.fixed, offset), this->Load(images.moving, offset), !isDouble);
        sum.Add({ difference * difference, 1 });
      }
    }
    sums[at[0]] = sum;
  }

private:
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  Load(const void * pixels, std::int64_t offset) const
  {
    return isDouble ? static_cast<const double *>(pixels)[offset]
                    : static_cast<double>(static_cast<const float *>(pixels)[offset]);
  }
};

/** \brief Arrays of EvaluatePointForces() in addition to the images. */
struct PointForcesResults
{
  PointSums * sums;
  void *      movingDerivative;
  void *      fixedDerivative;
  PointSums * scratch;
};

/** \brief Calls \p enqueue with the bodies that evaluate the forces and their sums, one after the other. */
template <typename TEnqueue>
void
WalkPointForces(const PointForcesDescriptor &  descriptor,
                const LocalCorrelationImages & images,
                const PointForcesResults &     results,
                const TEnqueue &               enqueue)
{
  const FieldWalk walk = WalkOf(descriptor.grid);
  const auto      run = [&](auto pixel) {
    using Pixel = decltype(pixel);
    PointForces<Pixel> body{};
    body.pair = MakeGridPair<Pixel>(
      descriptor.grid, descriptor.derivative, images, results.movingDerivative, results.fixedDerivative);
    body.walk = walk;
    body.exchangesGradients = descriptor.exchangesGradients;
    for (std::size_t direction = 0; direction < 2; ++direction)
    {
      body.passes[direction].SetPass(descriptor.passes[direction]);
    }
    enqueue(body);
  };
  const bool isDouble = descriptor.pixel == ScalarType::Float64;
  if (results.movingDerivative != nullptr || results.fixedDerivative != nullptr)
  {
    isDouble ? run(double()) : run(float());
  }
  if (results.sums != nullptr)
  {
    const std::int64_t rows = walk.size[1] * walk.size[2];
    enqueue(RowDifferences{ images, isDouble, results.scratch, walk.size[0], { { rows, 1, 1 } } });
    WalkSumsOfRows(descriptor.grid, results.scratch, results.sums, enqueue);
  }
}

/** \brief The same on a device. */
void
WalkPointForcesOnCuda(const PointForcesDescriptor &  descriptor,
                      const LocalCorrelationImages & images,
                      const PointForcesResults &     results,
                      const Residence &              residence);

} // namespace itk::CudaSpline

#endif
