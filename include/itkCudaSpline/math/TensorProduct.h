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
#ifndef itkCudaSpline_math_TensorProduct_h
#define itkCudaSpline_math_TensorProduct_h

#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/Lanes.h"

#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief The derivatives that are evaluated in addition to a value. */
enum class Derivatives : unsigned char
{
  None,  ///< only the value
  First, ///< also the gradient
  Second ///< also the gradient and the Hessian
};

/** \brief True if \p derivatives includes those of an order.
 *
 * \param[in] derivatives the evaluated derivatives
 * \param[in] order 1 or 2 */
CUDASPLINE_HOST_DEVICE constexpr bool
HasOrder(Derivatives derivatives, int order)
{
  return static_cast<int>(derivatives) >= order;
}

/** \brief Number of entries of a symmetric matrix: dimension (dimension + 1) / 2. */
CUDASPLINE_HOST_DEVICE constexpr unsigned int
SymmetricEntries(unsigned int dimension)
{
  return dimension * (dimension + 1) / 2;
}

/** \brief Position of an entry of a symmetric matrix whose upper triangle is stored row by row: xx, xy, xz, yy, yz, zz.
 *
 * \param[in] row row, at most \p column
 * \param[in] column column
 * \param[in] dimension rows of the matrix */
CUDASPLINE_HOST_DEVICE constexpr unsigned int
SymmetricEntry(unsigned int row, unsigned int column, unsigned int dimension)
{
  return row * dimension - row * (row + 1) / 2 + column;
}

/** \brief A value and its derivatives (per sample, along the grid's axes); derivatives that are not evaluated are 0. */
template <unsigned int VDimension, typename TReal>
struct Jet
{
  TReal value{};                                 ///< the value
  TReal gradient[VDimension]{};                  ///< first derivatives, x first
  TReal hessian[SymmetricEntries(VDimension)]{}; ///< second derivatives, ordered as SymmetricEntry()
};

/** \brief Weights of a support by axis and tap: of the value and of its derivatives. */
template <unsigned int VDimension, unsigned int VTaps, Derivatives VDerivatives, typename TReal>
struct TensorWeights
{
  TReal value[VDimension][VTaps];                                  ///< of the value
  TReal first[HasOrder(VDerivatives, 1) ? VDimension : 1][VTaps];  ///< of the first derivative
  TReal second[HasOrder(VDerivatives, 2) ? VDimension : 1][VTaps]; ///< of the second derivative
};

/** \brief Offsets of a support's taps from its first element, for a support inside the array, without folding. */
template <unsigned int VDimension, typename TStored>
struct ContiguousTaps
{
  const TStored * data;               ///< the support's first tap, host or device; contiguous along x
  std::int64_t    stride[VDimension]; ///< distance of neighbours along each axis (elements); 1 for x

  /** The part of the offset that a tap of an axis contributes (elements). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           Offset(unsigned int axis, unsigned int tap) const
  {
    return static_cast<std::int64_t>(tap) * stride[axis];
  }
  /** The element of a tap along x.
   *
   * \param[in] at offset from the axes above x (elements)
   * \param[in] tap tap along x */
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  Load(std::int64_t at, unsigned int tap) const
  {
    return static_cast<TReal>(data[at + tap]);
  }
};

/** \brief Offset of a tap outside the array, whose value is the border value. The sum of several is still negative. */
inline constexpr std::int64_t OffsetOutside = -(std::int64_t{ 1 } << 60);

/** \brief Offsets of a support's taps with every index folded into the array, or outside it. */
template <unsigned int VDimension, unsigned int VTaps, typename TStored>
struct FoldedTaps
{
  const TStored * data;                      ///< first element of the array, host or device
  TStored         border;                    ///< value for OffsetOutside
  std::int64_t    offset[VDimension][VTaps]; ///< folded index times stride (elements), or OffsetOutside

  /** The part of the offset that a tap of an axis contributes (elements). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           Offset(unsigned int axis, unsigned int tap) const
  {
    return offset[axis][tap];
  }
  /** The element of a tap along x, or the border value, in the stored type.
   *
   * \param[in] at offset from the axes above x (elements)
   * \param[in] tap tap along x */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TStored
  Element(std::int64_t at, unsigned int tap) const
  {
    const std::int64_t element = at + offset[0][tap];
    return element < 0 ? border : data[element];
  }
  /** The same in another type; see ContiguousTaps::Load(). */
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  Load(std::int64_t at, unsigned int tap) const
  {
    return static_cast<TReal>(this->Element(at, tap));
  }
};

/** \brief Sums over the axes above x of a support, for all neighbours along x.
 *
 * \tparam VAxes number of axes that were summed over, without x */
template <unsigned int VAxes, unsigned int VTaps, Derivatives VDerivatives, typename TReal>
struct RowSums
{
  /** Derivatives along the axes above x. */
  static constexpr unsigned int FirstCount = HasOrder(VDerivatives, 1) && VAxes > 0 ? VAxes : 1;
  /** Second derivatives along the axes above x. */
  static constexpr unsigned int SecondCount = HasOrder(VDerivatives, 2) && VAxes > 0 ? SymmetricEntries(VAxes) : 1;

  Lanes<VTaps, TReal> value; ///< weighted by the value's weights
  /** For each axis, y first: weighted by the weights of the first derivative along it. */
  Lanes<VTaps, TReal> first[FirstCount];
  Lanes<VTaps, TReal> second[SecondCount]; ///< for each pair of axes (SymmetricEntry() of VAxes), without x

  /** Adds (for the first tap: sets) the sums of one tap of the highest axis.
   *
   * \param[in] row sums over the axes below it
   * \param[in] weights weights of the support
   * \param[in] tap tap of the highest axis */
  template <typename TWeights>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(const RowSums<VAxes - 1, VTaps, VDerivatives, TReal> & row, const TWeights & weights, unsigned int tap)
  {
    constexpr int top = static_cast<int>(VAxes) - 1; // the axis of this sum, where y is 0
    const TReal   w = weights.value[VAxes][tap];
    Put(value, w, row.value, tap);
    if constexpr (HasOrder(VDerivatives, 1))
    {
      const TReal dw = weights.first[VAxes][tap];
      Put(first[top], dw, row.value, tap);
      for (int a = 0; a < top; ++a)
      {
        Put(first[a], w, row.first[a], tap);
      }
      if constexpr (HasOrder(VDerivatives, 2))
      {
        Put(second[SymmetricEntry(top, top, VAxes)], weights.second[VAxes][tap], row.value, tap);
        for (int a = 0; a < top; ++a)
        {
          Put(second[SymmetricEntry(a, top, VAxes)], dw, row.first[a], tap);
          for (int b = a; b < top; ++b)
          {
            Put(second[SymmetricEntry(a, b, VAxes)], w, row.second[SymmetricEntry(a, b, top)], tap);
          }
        }
      }
    }
  }

private:
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Put(Lanes<VTaps, TReal> & sum, TReal weight, const Lanes<VTaps, TReal> & term, unsigned int tap)
  {
    if (tap == 0)
    {
      sum.SetProduct(weight, term);
    }
    else
    {
      sum.AddProduct(weight, term);
    }
  }
};

/** \brief Sums the rows of a support over the axes 1 to VAxes.
 *
 * \tparam VAxes number of axes above x that are summed over: dimension - 1 for the whole
 * \param[in] taps ContiguousTaps or FoldedTaps
 * \param[in] at offset from the axes above those (elements); 0 for the whole
 * \param[in] weights TensorWeights of the support
 * \param[out] sums the sums */
template <unsigned int VAxes,
          unsigned int VTaps,
          Derivatives  VDerivatives,
          typename TReal,
          typename TTaps,
          typename TWeights>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
SumRows(const TTaps &                                taps,
        std::int64_t                                 at,
        const TWeights &                             weights,
        RowSums<VAxes, VTaps, VDerivatives, TReal> & sums)
{
  if constexpr (VAxes == 0)
  {
    for (unsigned int k = 0; k < VTaps; ++k)
    {
      sums.value.lane[k] = taps.template Load<TReal>(at, k);
    }
  }
  else
  {
#if defined(__CUDA_ARCH__)
#  pragma unroll
#elif defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#  pragma GCC unroll 6
#endif
    for (unsigned int k = 0; k < VTaps; ++k)
    {
      RowSums<VAxes - 1, VTaps, VDerivatives, TReal> row;
      SumRows<VAxes - 1>(taps, at + taps.Offset(VAxes, k), weights, row);
      sums.Add(row, weights, k);
    }
  }
}

/** \brief Sum over the support of coefficient times the product of the weights of all axes, and its derivatives.
 *
 * The rows of the support are summed over the slower axes first, lane by lane along x, which is best for the vector
 * instructions of the host. The device does as many multiply-adds as in any other order.
 *
 * \tparam VDimension number of axes
 * \tparam VTaps taps per axis
 * \tparam VDerivatives the derivatives to evaluate
 * \tparam TReal type of the weights and of the sums
 * \param[in] taps ContiguousTaps or FoldedTaps
 * \param[in] weights weights by axis and tap
 * \param[out] jet value and derivatives */
template <unsigned int VDimension, unsigned int VTaps, Derivatives VDerivatives, typename TReal, typename TTaps>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
TensorProductSum(const TTaps &                                                 taps,
                 const TensorWeights<VDimension, VTaps, VDerivatives, TReal> & weights,
                 Jet<VDimension, TReal> &                                      jet)
{
  RowSums<VDimension - 1, VTaps, VDerivatives, TReal> sums;
  SumRows<VDimension - 1>(taps, 0, weights, sums);
  jet.value = sums.value.Dot(weights.value[0]);
  if constexpr (HasOrder(VDerivatives, 1))
  {
    jet.gradient[0] = sums.value.Dot(weights.first[0]);
    for (unsigned int a = 1; a < VDimension; ++a)
    {
      jet.gradient[a] = sums.first[a - 1].Dot(weights.value[0]);
    }
  }
  if constexpr (HasOrder(VDerivatives, 2))
  {
    jet.hessian[0] = sums.value.Dot(weights.second[0]);
    for (unsigned int a = 1; a < VDimension; ++a)
    {
      jet.hessian[SymmetricEntry(0, a, VDimension)] = sums.first[a - 1].Dot(weights.first[0]);
      for (unsigned int b = a; b < VDimension; ++b)
      {
        jet.hessian[SymmetricEntry(a, b, VDimension)] =
          sums.second[SymmetricEntry(a - 1, b - 1, VDimension - 1)].Dot(weights.value[0]);
      }
    }
  }
}

/** @} */
} // namespace itk::CudaSpline

#endif
