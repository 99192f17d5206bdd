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
#ifndef GridPair_h
#define GridPair_h

#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"

#include "kernels/metrics/samples/GridDifferences.h"

#include <cstdint>

/** \file
 * \brief Two images on one grid for metrics: validity, gradients, derivatives. */

namespace itk::CudaSpline
{

/** \brief Two images on one grid, their gradients, and the destinations of derivatives. Passed by value.
 *
 * Types of derivatives, and dimensions, are run-time: they cost little compared with the reads of a metric. */
template <typename TPixel>
struct GridPair
{
  const TPixel *       fixed;
  const TPixel *       moving;
  const std::uint8_t * fixedInside;
  const std::uint8_t * movingInside;
  const void *         fixedGradient;
  const void *         movingGradient;
  void *               movingDerivative;
  void *               fixedDerivative;
  GridDifferences      differences;
  int                  numbers; ///< components of a derivative: the dimension, or 1 if it is only a factor
  bool                 factorsAlone;
  bool                 isDouble; ///< type of gradients and derivatives

  /** Whether a sample counts. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  IsValid(std::int64_t offset) const
  {
    return (fixedInside == nullptr || fixedInside[offset] != 0) &&
           (movingInside == nullptr || movingInside[offset] != 0);
  }

  /** Whether the gradients of an image are differences along axes other than those of physical space. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  IsOblique(const void * gradients) const
  {
    return !factorsAlone && gradients == nullptr && !differences.isAlongAxes;
  }

  /** Whether the gradients of an image are differences of neighbours. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  HasDifferences(const void * gradients) const
  {
    return !factorsAlone && gradients == nullptr && differences.isAlongAxes;
  }

  /** The vector that a factor multiplies. With IsOblique() it is (1, 0, 0), and the factor must be multiplied later.
   *
   * \param[in] around neighbours in the image, read if HasDifferences()
   * \param[in] gradients null: differences
   * \param[in] at index of the sample, relative to the first of the grid
   * \param[in] offset its offset in memory */
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Gradient(const GridNeighbours<TPixel> & around,
           const void *                   gradients,
           const std::int64_t (&at)[3],
           std::int64_t offset,
           TReal (&gradient)[3]) const
  {
    if (gradients != nullptr && !factorsAlone)
    {
      for (int d = 0; d < 3; ++d)
      {
        const std::int64_t number = offset * numbers + d;
        gradient[d] = d >= numbers ? TReal(0)
                                   : (isDouble ? static_cast<TReal>(static_cast<const double *>(gradients)[number])
                                               : static_cast<TReal>(static_cast<const float *>(gradients)[number]));
      }
    }
    else if (this->HasDifferences(gradients))
    {
      differences.AlongAxes(around, at, gradient);
    }
    else
    {
      gradient[0] = TReal(1);
      gradient[1] = TReal(0);
      gradient[2] = TReal(0);
    }
  }

  /** The same on any grid, including differences along any axes. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  GradientOf(const TPixel * image,
             const void *   gradients,
             const std::int64_t (&at)[3],
             std::int64_t offset,
             double (&gradient)[3]) const
  {
    if (this->IsOblique(gradients))
    {
      differences.OfPlace(image, at, gradient);
      return;
    }
    const auto around =
      this->HasDifferences(gradients) ? differences.Neighbours(image, at, offset) : GridNeighbours<TPixel>{};
    this->Gradient(around, gradients, at, offset, gradient);
  }

  /** A component of a derivative that was written. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  Load(const void * derivative, std::int64_t number) const
  {
    return isDouble ? static_cast<const double *>(derivative)[number]
                    : static_cast<double>(static_cast<const float *>(derivative)[number]);
  }

  /** Writes a component of a derivative. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Store(void * derivative, std::int64_t number, double value) const
  {
    if (isDouble)
    {
      static_cast<double *>(derivative)[number] = value;
    }
    else
    {
      static_cast<float *>(derivative)[number] = static_cast<float>(value);
    }
  }
};

/** \brief Creates a pair of images.
 *
 * \param[in] grid grid of all arrays
 * \param[in] derivative type of gradients and derivatives
 * \param[in] images the arrays to compare
 * \param[out] movingDerivative, fixedDerivative destinations of derivatives; null: not computed
 * \param[in] factorsAlone see LocalCorrelationDescriptor */
template <typename TPixel>
GridPair<TPixel>
MakeGridPair(const FieldGrid &              grid,
             ScalarType                     derivative,
             const LocalCorrelationImages & images,
             void *                         movingDerivative,
             void *                         fixedDerivative,
             bool                           factorsAlone = false)
{
  GridPair<TPixel> pair{};
  pair.fixed = static_cast<const TPixel *>(images.fixed);
  pair.moving = static_cast<const TPixel *>(images.moving);
  pair.fixedInside = images.fixedInside;
  pair.movingInside = images.movingInside;
  pair.fixedGradient = images.fixedGradient;
  pair.movingGradient = images.movingGradient;
  pair.movingDerivative = movingDerivative;
  pair.fixedDerivative = fixedDerivative;
  pair.differences = MakeGridDifferences(grid, images.gradientsFollowGrid);
  pair.numbers = factorsAlone ? 1 : static_cast<int>(grid.dimension);
  pair.factorsAlone = factorsAlone;
  pair.isDouble = derivative == ScalarType::Float64;
  return pair;
}

} // namespace itk::CudaSpline

#endif
