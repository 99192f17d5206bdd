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
#ifndef itkCudaSpline_math_TransformStage_h
#define itkCudaSpline_math_TransformStage_h

#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"
#include "itkCudaSpline/math/SplineWeights.h"
#include "itkCudaSpline/math/TensorProduct.h"

#include <cstdint>

/** \file
 * \brief Nonlinear transforms as a chain of stages that a kernel evaluates for every point. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief The kinds of stages of a chain. */
enum class TransformKind : unsigned char
{
  Affine,           ///< itk::MatrixOffsetTransformBase and all other linear transforms
  BSpline,          ///< itk::BSplineTransform of order 1 to 3
  DisplacementField ///< itk::DisplacementFieldTransform and itk::WarpImageFilter; linear or nearest neighbour
};

/** \brief One stage of a chain of transforms. All points and displacements are double, in mm. */
template <unsigned int VDimension>
struct TransformStage
{
  TransformKind         kind{ TransformKind::Affine }; ///< kind of the transform
  AffineMap<VDimension> map;                           ///< of Affine

  GridExtent<VDimension> extent;                                 ///< samples of the grid, for other kinds
  double                 origin[VDimension]{};                   ///< point of the grid's index 0 (mm)
  double                 pointToIndex[VDimension][VDimension]{}; ///< indices of the grid per mm
  const double *         data{ nullptr };                        ///< displacements (mm), x fastest, host or device
  const float *          singleData{ nullptr };                  ///< or float displacements, for DisplacementField
  std::int64_t           elementStride{ 1 };                     ///< distance of neighbours along x (numbers)
  std::int64_t           componentStride{ 0 };                   ///< distance of the components of a sample (numbers)
  int                    order{ 3 };                             ///< of BSpline: 1 to 3
  bool                   nearest{ false }; ///< of DisplacementField: nearest neighbour, else linear
  bool                   goesOn{ false };  ///< of DisplacementField: the border displacements are continued outside

  double lower[VDimension]{}; ///< smaller continuous indices are outside: the point does not move
  double upper[VDimension]{}; ///< indices at or above are outside, too
  /** Of BSpline: indices from this one up to \c pastUpper are replaced by \c belowUpper. */
  double atUpper[VDimension]{};
  double pastUpper[VDimension]{};  ///< see \c atUpper
  double belowUpper[VDimension]{}; ///< see \c atUpper

  /** Maps a point (mm), in place. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Apply(double (&point)[VDimension]) const
  {
    if (kind == TransformKind::Affine)
    {
      double mapped[VDimension];
      map.Apply(point, mapped);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        point[d] = mapped[d];
      }
      return;
    }
    double index[VDimension];
    PointToContinuousIndex(origin, pointToIndex, point, index);
    if (!this->Admit(index))
    {
      return;
    }
    if (kind == TransformKind::BSpline)
    {
      switch (order)
      {
        case 1:
          this->AddSpline<1>(index, point);
          break;
        case 2:
          this->AddSpline<2>(index, point);
          break;
        default:
          this->AddSpline<3>(index, point);
          break;
      }
    }
    else if (nearest)
    {
      this->AddNearest(index, point);
    }
    else
    {
      this->AddLinear(index, point);
    }
  }

  /** \brief The coefficients that determine a point's displacement, and their weights, for BSpline.
   *
   * \tparam VOrder the order
   * \param[in] point the point (mm)
   * \param[out] weights one row per axis
   * \param[out] offset offset of the first coefficient in its plane; the others of the support follow along each axis
   * \return false outside the grid's valid region, where there is no displacement */
  template <unsigned int VOrder>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  FindSupport(const double (&point)[VDimension], double (&weights)[VDimension][VOrder + 1], std::int64_t & offset) const
  {
    double index[VDimension];
    PointToContinuousIndex(origin, pointToIndex, point, index);
    if (!this->Admit(index))
    {
      return false;
    }
    this->SupportOf<VOrder>(index, weights, offset);
    return true;
  }

private:
  /** Whether there is a displacement at an index, with ITK's rules at the upper end. NaN is outside, or at the lower
   * end if displacements are continued. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  Admit(double (&index)[VDimension]) const
  {
    for (unsigned int d = 0; d < VDimension && goesOn; ++d)
    {
      const auto first = static_cast<double>(extent.start[d]);
      const auto last = static_cast<double>(extent.start[d] + extent.size[d] - 1);
      index[d] = index[d] > first ? (index[d] < last ? index[d] : last) : first;
    }
    if (goesOn)
    {
      return true;
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      if (kind == TransformKind::BSpline && index[d] >= atUpper[d] && index[d] <= pastUpper[d])
      {
        index[d] = belowUpper[d];
      }
      else if (!(index[d] >= lower[d] && index[d] < upper[d]))
      {
        return false;
      }
    }
    return true;
  }

  /** The support of itk::BSplineInterpolationWeightFunction, for a support inside the grid. */
  template <unsigned int VOrder>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  SupportOf(const double (&index)[VDimension], double (&weights)[VDimension][VOrder + 1], std::int64_t & offset) const
  {
    std::int64_t stride = 1;
    offset = 0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const std::int64_t start = FloorIndex(index[d] + 0.5 - VOrder / 2.0);
      SplineWeights<VOrder>(index[d] - static_cast<double>(start + static_cast<std::int64_t>(VOrder / 2)), weights[d]);
      offset += (start - extent.start[d]) * stride;
      stride *= extent.size[d];
    }
  }

  /** Adds the weighted sum of coefficients. */
  template <unsigned int VOrder>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddSpline(const double (&index)[VDimension], double (&point)[VDimension]) const
  {
    TensorWeights<VDimension, VOrder + 1, Derivatives::None, double> weights;
    ContiguousTaps<VDimension, double>                               taps;
    std::int64_t                                                     offset = 0;
    this->SupportOf<VOrder>(index, weights.value, offset);
    taps.data = data + offset;
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      taps.stride[d] = stride;
      stride *= extent.size[d];
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      Jet<VDimension, double> displacement;
      TensorProductSum(taps, weights, displacement);
      point[d] += displacement.value;
      taps.data += componentStride;
    }
  }

  /** A component of a field's displacement (mm). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  Displacement(std::int64_t offset, unsigned int component) const
  {
    const std::int64_t at = offset + static_cast<std::int64_t>(component) * componentStride;
    return singleData != nullptr ? static_cast<double>(singleData[at]) : data[at];
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddNearest(const double (&index)[VDimension], double (&point)[VDimension]) const
  {
    std::int64_t offset = 0;
    std::int64_t stride = elementStride;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const std::int64_t last = extent.size[d] - 1;
      const std::int64_t at = NearestIndex(index[d]) - extent.start[d];
      offset += (at < 0 ? 0 : (at > last ? last : at)) * stride;
      stride *= extent.size[d];
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      point[d] += this->Displacement(offset, d);
    }
  }

  /** itk::VectorLinearInterpolateImageFunction and itk::WarpImageFilter::EvaluateDisplacementAtPhysicalPoint(): the
   * neighbours' displacements times their overlaps, with border displacements continued beyond the border. A neighbour
   * without overlap is not read. The latter sums in the field's type, and stops when the overlaps sum to 1. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddLinear(const double (&index)[VDimension], double (&point)[VDimension]) const
  {
    std::int64_t offset[VDimension][2];
    double       weight[VDimension][2];
    std::int64_t stride = elementStride;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const std::int64_t base = FloorIndex(index[d]);
      const std::int64_t last = extent.size[d] - 1;
      weight[d][1] = index[d] - static_cast<double>(base);
      weight[d][0] = 1.0 - weight[d][1];
      for (int k = 0; k < 2; ++k)
      {
        const std::int64_t at = base + k - extent.start[d];
        offset[d][k] = (at < 0 ? 0 : (at > last ? last : at)) * stride;
      }
      stride *= extent.size[d];
    }
    double sum[VDimension] = {};
    double total = 0.0;
    for (unsigned int corner = 0; corner < (1U << VDimension) && !(goesOn && total == 1.0); ++corner)
    {
      double       overlap = 1.0;
      std::int64_t at = 0;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const unsigned int upperOne = (corner >> d) & 1U;
        overlap *= weight[d][upperOne];
        at += offset[d][upperOne];
      }
      if (overlap != 0.0)
      {
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          const double next = RoundedSum(sum[d], RoundedProduct(overlap, this->Displacement(at, d)));
          sum[d] = singleData != nullptr ? static_cast<double>(RoundedToSingle(next)) : next;
        }
        total += overlap;
      }
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      point[d] += sum[d];
    }
  }
};

/** \brief Maps a point (mm) through a chain of stages.
 *
 * It is a separate function, which kernels call: inlined bodies for all kinds of stages would make each kernel many
 * times longer.
 *
 * \param[in] stages the stages, in the order in which they map the point; host or device
 * \param[in] count number of stages
 * \param[in,out] point the point (mm) */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_NOINLINE void
WalkStages(const TransformStage<VDimension> * stages, int count, double (&point)[VDimension])
{
  for (int stage = 0; stage < count; ++stage)
  {
    stages[stage].Apply(point);
  }
}

/** @} */
} // namespace itk::CudaSpline

#endif
