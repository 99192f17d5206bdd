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
#ifndef FieldVolume_h
#define FieldVolume_h

#include "itkCudaSpline/kernels/fields/FieldFolding.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include "kernels/fields/common/FieldGeometry.h"

#include <cmath>
#include <cstdint>

/** \file
 * \brief How a field scales volumes: the body for host and device. */

namespace itk::CudaSpline
{

/** \brief The Jacobian determinant of x + u(x) in physical space, in double. Neighbours in another region are left out
 * of differences. */
template <unsigned int VDimension, typename TReal>
struct FieldVolume
{
  const TReal * field;
  FieldWalk     walk;
  double        pointToIndex[VDimension][VDimension];

  const std::uint8_t * regions; ///< of each sample; null: one for all

  FieldVolume(const FieldGrid & grid, const void * vectors, const std::uint8_t * itsRegions = nullptr)
    : field(static_cast<const TReal *>(vectors))
    , walk(WalkOf(grid))
    , regions(itsRegions)
  {
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        pointToIndex[r][c] = grid.pointToIndex[r][c];
      }
    }
  }

  /** The determinant at a sample. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  operator()(const std::int64_t (&at)[3]) const
  {
    double m[VDimension][VDimension];
    this->FindJacobian(at, m);
    return DeterminantOf(m);
  }

  /** The Jacobian matrix at a sample: du/dx = du/di di/dx, where di/dx is constant. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  FindJacobian(const std::int64_t (&at)[3], double (&m)[VDimension][VDimension]) const
  {
    const std::int64_t  offset = OffsetOf(walk, at);
    const TReal * const vector = field + offset * VDimension;
    double              byIndex[VDimension][VDimension] = {}; // by component and axis
    std::int64_t        stride = VDimension;
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      const std::int64_t samples = stride / VDimension;
      const std::int64_t behind = at[axis] > 0 && this->AreTogether(offset, offset - samples) ? stride : 0;
      const std::int64_t ahead =
        at[axis] + 1 < walk.size[axis] && this->AreTogether(offset, offset + samples) ? stride : 0;
      const double steps = (behind != 0 ? 1.0 : 0.0) + (ahead != 0 ? 1.0 : 0.0);
      stride *= walk.size[axis];
      for (unsigned int d = 0; d < VDimension && steps > 0.0; ++d)
      {
        const auto next = static_cast<double>(vector[ahead + d]);
        byIndex[d][axis] = RoundedSum(next, -static_cast<double>(vector[d - behind])) / steps;
      }
    }
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        m[r][c] = 0.0;
        for (unsigned int i = 0; i < VDimension; ++i)
        {
          m[r][c] = RoundedSum(m[r][c], RoundedProduct(byIndex[r][i], pointToIndex[i][c]));
        }
      }
      m[r][r] = RoundedSum(m[r][r], 1.0);
    }
  }

  /** The determinant of a matrix. */
  static CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  DeterminantOf(const double (&m)[VDimension][VDimension])
  {
    const double plane = Minor(m, 0, 1, 0, 1);
    if constexpr (VDimension == 2)
    {
      return plane;
    }
    else
    {
      const double sum = RoundedSum(RoundedProduct(m[2][2], plane), -RoundedProduct(m[1][2], Minor(m, 0, 2, 0, 1)));
      return RoundedSum(sum, RoundedProduct(m[0][2], Minor(m, 1, 2, 0, 1)));
    }
  }

  /** The output for a determinant. */
  static CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  Written(double determinant, bool isLogarithm)
  {
    constexpr double leastOfLogarithm = 1e-4;
    return static_cast<TReal>(isLogarithm ? std::log(determinant > leastOfLogarithm ? determinant : leastOfLogarithm)
                                          : determinant);
  }

private:
  /** Whether two samples are in the same region. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  AreTogether(std::int64_t one, std::int64_t other) const
  {
    return regions == nullptr || regions[one] == regions[other];
  }

  /** The minor of two rows and two columns. */
  static CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  Minor(const double (&m)[VDimension][VDimension], unsigned int a, unsigned int b, unsigned int c, unsigned int d)
  {
    return RoundedSum(RoundedProduct(m[a][c], m[b][d]), -RoundedProduct(m[a][d], m[b][c]));
  }
};

/** See MeasureFolding(). */
FieldFolding
MeasureFoldingOnCuda(const FieldShape & shape,
                     const void *       field,
                     void *             determinants,
                     bool               isLogarithm,
                     const Residence &  residence);

} // namespace itk::CudaSpline

#endif
