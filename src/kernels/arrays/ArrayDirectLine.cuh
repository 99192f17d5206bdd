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
#ifndef ArrayDirectLine_cuh
#define ArrayDirectLine_cuh

#include "itkCudaSpline/math/PixelAccess.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include "kernels/arrays/ArrayEvaluation.h"
#include "kernels/evaluation/ScanlineSpan.cuh"

#include <algorithm>
#include <cstdint>
#include <limits>

/** \file
 * \brief Lines of the output for ArrayDirect.cuh: values that the host prepares for all lines, and those that a thread
 * prepares for its line. */

namespace itk::CudaSpline
{

namespace
{

/** Increments along an axis of the output. */
template <unsigned int VDimension>
struct DirectAxis
{
  std::int64_t output;            ///< in elements of the output
  std::int64_t batch;             ///< in elements of the source
  double       place[VDimension]; ///< increment of the coordinates for an affine map

  DirectAxis(const ArrayArguments & arguments, unsigned int last, unsigned int before)
    : output(before > last ? 0 : arguments.output.shape.stride[last - before])
    , batch(before > last ? 0 : arguments.batchStride[last - before])
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      place[d] = before > last ? 0.0 : arguments.matrix[d][last - before];
    }
  }
};

/** Values that are the same for all elements. The axes are those of the source, x first. */
template <unsigned int VDimension>
struct ArrayDirect
{
  double low[VDimension]; ///< smallest coordinate whose support is within the array
  /** Upper bound (exclusive) of the coordinates whose support is within the array. */
  double                 high[VDimension];
  double                 last[VDimension]; ///< index of the last element
  int                    stride[VDimension];
  DirectAxis<VDimension> sample;
  DirectAxis<VDimension> row;
  DirectAxis<VDimension> slice;
  unsigned int           rows;      ///< rows of a slice
  bool                   isShallow; ///< the output has at most three axes and fewer than 2^32 lines
  bool                   isBounded; ///< the border value is used beyond the ends

  explicit ArrayDirect(const ArrayArguments & arguments)
    : sample(arguments, arguments.output.shape.dimension - 1, 0)
    , row(arguments, arguments.output.shape.dimension - 1, 1)
    , slice(arguments, arguments.output.shape.dimension - 1, 2)
  {
    const ArrayShape & shape = arguments.output.shape;
    const auto         half = static_cast<double>(arguments.order / 2);
    const bool         isOdd = arguments.order % 2 == 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      last[d] = static_cast<double>(arguments.size[d] - 1);
      // For even orders, half a sample is added before rounding down. The sum itself is rounded by less than the margin
      // used here.
      low[d] = std::max(isOdd ? half : half - 0.5, 0.0);
      high[d] = std::min(isOdd ? last[d] - half : last[d] - half + 0.5 - 0x1p-20, last[d]);
      stride[d] = static_cast<int>(arguments.stride[d]);
    }
    isShallow = shape.dimension <= 3 && shape.Lines() <= std::numeric_limits<std::uint32_t>::max();
    rows = isShallow && shape.dimension >= 2 ? static_cast<unsigned int>(shape.size[shape.dimension - 2]) : 1;
    isBounded = arguments.mode == ArrayMode::Constant;
  }

  /** Whether the source is small enough. */
  static bool
  CanEvaluate(const ArrayArguments & arguments)
  {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const ArrayShape &     output = arguments.output.shape;
    bool                   can = arguments.dimension == VDimension &&
               (arguments.map == ArrayMap::Coordinates || (output.Samples() <= most && output.Lines() <= most));
    can = can && (!ArrayRowsAreContiguous<VDimension> || arguments.HasRows());
    for (unsigned int d = 0; d < VDimension && can; ++d)
    {
      can = arguments.size[d] < (std::int64_t{ 1 } << 30) && arguments.stride[d] <= most;
    }
    return can;
  }
};

/** A line of the output. The coordinates of its elements are computed with the same operations as in
 * ArrayCoordinates().
 *
 * \tparam VList whether the coordinates are those of a list */
template <unsigned int VDimension, bool VList>
class DirectLine
{
public:
  std::int64_t output{ 0 }; ///< offset of the first element
  std::int64_t batch{ 0 };  ///< offset of the interpolated array for the first element

  __device__ __forceinline__
  DirectLine(const ArrayArguments & arguments, const ArrayDirect<VDimension> & direct, std::int64_t line)
    : m_First(line * arguments.output.shape.Samples())
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      m_Base[d] = arguments.offset[d];
    }
    if (direct.isShallow)
    {
      const unsigned int slice = static_cast<unsigned int>(line) / direct.rows;
      const unsigned int row = static_cast<unsigned int>(line) - slice * direct.rows;
      this->Add(direct.slice, slice);
      this->Add(direct.row, row);
      if (GoesByAxes(arguments.map))
      {
        m_Base[1] = AxisCoordinate(arguments, 1, row);
        if constexpr (VDimension > 2)
        {
          m_Base[2] = AxisCoordinate(arguments, 2, slice);
        }
      }
    }
    else // not a map that treats each axis separately
    {
      const ArrayShape & shape = arguments.output.shape;
      std::int64_t       index[MaximumArrayDimension];
      shape.IndexOf(line, 0, index);
      output = shape.OffsetOf(index);
      CUDASPLINE_UNROLL
      for (unsigned int k = 0; k + 1 < MaximumArrayDimension; ++k)
      {
        batch += index[k] * arguments.batchStride[k];
        for (unsigned int d = 0; d < VDimension && k + 1 < shape.dimension; ++d)
        {
          m_Base[d] = RoundedSum(m_Base[d], RoundedProduct(static_cast<double>(index[k]), arguments.matrix[d][k]));
        }
      }
    }
  }

  __device__ __forceinline__ void
  At(const ArrayArguments &          arguments,
     const ArrayDirect<VDimension> & direct,
     std::int64_t                    sample,
     double (&x)[VDimension]) const
  {
    if (VList || arguments.map == ArrayMap::Coordinates)
    {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const std::int64_t number = arguments.coordinateStride[d] + m_First + sample;
        const double       given = arguments.coordinateType == ScalarType::Float64
                                     ? static_cast<const double *>(arguments.coordinates)[number]
                                     : LoadScalar<double>(arguments.coordinates, arguments.coordinateType, number);
        x[d] = RoundedSum(given, arguments.padding);
      }
      return;
    }
    const double place = ExactDouble(static_cast<int>(sample));
    if (arguments.map == ArrayMap::Affine)
    {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        x[d] = RoundedSum(RoundedSum(m_Base[d], RoundedProduct(place, direct.sample.place[d])), arguments.padding);
      }
    }
    else
    {
      x[0] = AxisCoordinate(arguments, 0, place);
      for (unsigned int d = 1; d < VDimension; ++d)
      {
        x[d] = m_Base[d];
      }
    }
  }

private:
  __device__ __forceinline__ void
  Add(const DirectAxis<VDimension> & axis, unsigned int index)
  {
    output += index * axis.output;
    batch += index * axis.batch;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      m_Base[d] = RoundedSum(m_Base[d], RoundedProduct(static_cast<double>(index), axis.place[d]));
    }
  }
  double       m_Base[VDimension];
  std::int64_t m_First;
};

} // namespace
} // namespace itk::CudaSpline

#endif
