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
#ifndef itkCudaSpline_math_Geometry_h
#define itkCudaSpline_math_Geometry_h

#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Samples of a grid in memory: their number, and the index of the first one. Axis 0 (x) is fastest. */
template <unsigned int VDimension>
struct GridExtent
{
  std::int64_t start[VDimension]{}; ///< index of the first sample
  std::int64_t size[VDimension]{};  ///< samples along each axis

  /** Number of samples. */
  CUDASPLINE_HOST_DEVICE std::int64_t
                         Count() const
  {
    std::int64_t count = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      count *= size[d];
    }
    return count;
  }
};

/** \brief y = matrix x + offset, in ITK's order of operations, each of them rounded separately. */
template <unsigned int VDimension>
struct AffineMap
{
  double matrix[VDimension][VDimension]{}; ///< row by row
  double offset[VDimension]{};             ///< in the unit of y

  /** itk::MatrixOffsetTransformBase::TransformPoint(): the row sums, then the offset.
   *
   * \param[in] x a point, in mm for a map between physical spaces
   * \param[out] y the mapped point */
  CUDASPLINE_HOST_DEVICE void
  Apply(const double (&x)[VDimension], double (&y)[VDimension]) const
  {
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      double sum = 0.0;
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        sum = RoundedSum(sum, RoundedProduct(matrix[r][c], x[c]));
      }
      y[r] = RoundedSum(sum, offset[r]);
    }
  }
};

/** \brief itk::ImageBase::TransformIndexToPhysicalPoint(): starts at the origin, adds one column after the other.
 *
 * \param[in] origin point of index 0 (mm)
 * \param[in] indexToPoint mm per index, row by row
 * \param[in] index an index, x first, of any sign
 * \param[out] point its point (mm) */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
IndexToPoint(const double (&origin)[VDimension],
             const double (&indexToPoint)[VDimension][VDimension],
             const std::int64_t (&index)[VDimension],
             double (&point)[VDimension])
{
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    point[r] = origin[r];
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      point[r] = RoundedSum(point[r], RoundedProduct(indexToPoint[r][c], static_cast<double>(index[c])));
    }
  }
}

/** \brief itk::ImageBase::TransformPhysicalPointToContinuousIndex(): the difference to the origin, then the row sums.
 *
 * \param[in] origin point of index 0 (mm)
 * \param[in] pointToIndex indices per mm, row by row
 * \param[in] point a point (mm)
 * \param[out] index its continuous index, x first; another array than \p point */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
PointToContinuousIndex(const double (&origin)[VDimension],
                       const double (&pointToIndex)[VDimension][VDimension],
                       const double (&point)[VDimension],
                       double (&index)[VDimension])
{
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    double sum = 0.0;
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      sum = RoundedSum(sum, RoundedProduct(pointToIndex[r][c], RoundedSum(point[c], -origin[c])));
    }
    index[r] = sum;
  }
}

/** \brief A sampled grid in physical space: the one type for extents and the affine map from index to point.
 *
 * Points are in mm (ITK's physical space, LPS). The matrices are those of itk::ImageBase: direction times spacing and
 * its inverse. */
template <unsigned int VDimension>
struct GridGeometry
{
  GridExtent<VDimension> extent;                                 ///< the samples in memory
  double                 origin[VDimension]{};                   ///< point of index 0 (mm)
  double                 indexToPoint[VDimension][VDimension]{}; ///< direction times spacing (mm per index)
  double                 pointToIndex[VDimension][VDimension]{}; ///< its inverse (indices per mm)

  /** itk::ImageBase::TransformIndexToPhysicalPoint(): starts at the origin, adds one column after the other.
   *
   * \param[in] index an index, x first, of any sign
   * \param[out] point its point (mm) */
  CUDASPLINE_HOST_DEVICE void
  IndexToPoint(const std::int64_t (&index)[VDimension], double (&point)[VDimension]) const
  {
    CudaSpline::IndexToPoint(origin, indexToPoint, index, point);
  }

  /** itk::ImageBase::TransformPhysicalPointToContinuousIndex(): the difference to the origin, then the row sums.
   *
   * \param[in] point a point (mm)
   * \param[out] index its continuous index, x first */
  CUDASPLINE_HOST_DEVICE void
  PointToContinuousIndex(const double (&point)[VDimension], double (&index)[VDimension]) const
  {
    CudaSpline::PointToContinuousIndex(origin, pointToIndex, point, index);
  }
};

/** \brief Continuous input indices of both ends of an output scanline: at its first sample and one past its last.
 *
 * itk::ResampleImageFilter maps only these two with a linear transform and interpolates between them, over the scanline
 * of the *largest possible* output region: results do not depend on how the work is divided. */
template <unsigned int VDimension>
struct ScanlineEnds
{
  double start[VDimension]{}; ///< continuous index of the first sample, x first
  double end[VDimension]{};   ///< continuous index one past the last sample

  /** \brief Continuous input index of one sample of the scanline, bitwise equal to ITK's.
   *
   * \tparam TCoordinate float or double, the interpolator's coordinate type: every value is rounded to it
   * \param[in] sample number of the sample in the scanline
   * \param[in] length samples of the scanline, as a double
   * \param[out] index continuous input index, a value of TCoordinate */
  template <typename TCoordinate>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  At(std::int64_t sample, double length, double (&index)[VDimension]) const
  {
    this->AtFraction<TCoordinate>(static_cast<double>(sample) / length, index);
  }

  /** \brief At() for a fraction of the scanline.
   *
   * \tparam TCoordinate as for At()
   * \param[in] alpha sample divided by length
   * \param[out] index continuous input index, a value of TCoordinate */
  template <typename TCoordinate>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AtFraction(double alpha, double (&index)[VDimension]) const
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const TCoordinate first = RoundedTo<TCoordinate>(start[d]);
      const TCoordinate span = RoundedTo<TCoordinate>(end[d]) - first;
      index[d] = RoundedTo<TCoordinate>(
        RoundedSum(static_cast<double>(first), RoundedProduct(alpha, static_cast<double>(span))));
    }
  }
};

/** \brief The ends of one output scanline under an affine map between physical spaces.
 *
 * \param[in] output geometry of the output; its extent is the largest possible region
 * \param[in] map maps output points to input points
 * \param[in] input geometry of the input
 * \param[in] index an index on the scanline; index[0] is not used */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE ScanlineEnds<VDimension>
                       MapScanline(const GridGeometry<VDimension> & output,
                                   const AffineMap<VDimension> &    map,
                                   const GridGeometry<VDimension> & input,
                                   const std::int64_t (&index)[VDimension])
{
  ScanlineEnds<VDimension> ends;
  std::int64_t             onLine[VDimension];
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    onLine[d] = index[d];
  }
  double outputPoint[VDimension];
  double inputPoint[VDimension];

  onLine[0] = output.extent.start[0];
  output.IndexToPoint(onLine, outputPoint);
  map.Apply(outputPoint, inputPoint);
  input.PointToContinuousIndex(inputPoint, ends.start);

  onLine[0] += output.extent.size[0];
  output.IndexToPoint(onLine, outputPoint);
  map.Apply(outputPoint, inputPoint);
  input.PointToContinuousIndex(inputPoint, ends.end);
  return ends;
}

/** @} */
} // namespace itk::CudaSpline

#endif
