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
#include "itkCudaSpline/kernels/fields/SplineField.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"

#include "kernels/fields/spline/SplineRows.h"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace itk::CudaSpline
{

namespace
{
/** Returns the component along an axis of the spline's grid (row) of a step along an axis of the output (column), in
 * samples of the spline's grid. */
double
StepOf(const TransformChain::Stage & spline, const FieldGrid & grid, unsigned int row, unsigned int column)
{
  double sum = 0.0;
  for (unsigned int d = 0; d < 3; ++d)
  {
    sum += spline.pointToIndex[row][d] * grid.indexToPoint[d][column];
  }
  return sum;
}

/** Returns whether the axes of the grid of a spline are parallel to those of the output. */
bool
IsParallel(const TransformChain::Stage & spline, const FieldGrid & grid)
{
  constexpr double near = 1e-11; // tolerance in cells, over all samples of an axis
  for (unsigned int r = 0; r < 3; ++r)
  {
    for (unsigned int c = 0; c < 3; ++c)
    {
      if (r != c && !(std::abs(StepOf(spline, grid, r, c)) * static_cast<double>(grid.size[c]) <= near))
      {
        return false;
      }
    }
  }
  return true;
}

template <typename TReal>
void
EvaluateRows(const SplineRows<TReal> & rows, const Residence & residence)
{
  const auto & size = rows.grid.extent.size;
  const auto & extent = rows.spline.extent;
  residence.GetContext().ParallelFor(size[1] * size[2], [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t across = extent.size[0];
    std::vector<TReal> line(static_cast<std::size_t>(3 * across)); // coefficients, one component after the other
    for (std::int64_t row = begin; row < end; ++row)
    {
      const SplineEntry & y = rows.EntriesOf(1)[row % size[1]];
      const SplineEntry & z = rows.EntriesOf(2)[row / size[1]];
      TReal * const       output = rows.output + row * size[0] * 3;
      const bool          isValid = y.start >= 0 && z.start >= 0;
      for (std::int64_t n = 0; n < 3 * across && isValid; ++n)
      {
        const double * const plane = rows.spline.data + n / across * extent.Count() + n % across;
        TReal                sum = TReal(0);
        for (int k = 0; k < SplineTaps; ++k)
        {
          TReal along = TReal(0);
          for (int l = 0; l < SplineTaps; ++l)
          {
            along += static_cast<TReal>(z.weights[l]) *
                     static_cast<TReal>(plane[((z.start + l) * extent.size[1] + y.start + k) * across]);
          }
          sum += static_cast<TReal>(y.weights[k]) * along;
        }
        line[static_cast<std::size_t>(n)] = sum;
      }
      for (std::int64_t i = 0; i < size[0]; ++i)
      {
        const SplineEntry & x = rows.EntriesOf(0)[i];
        for (std::int64_t c = 0; c < 3; ++c)
        {
          TReal sum = TReal(0);
          for (int k = 0; k < SplineTaps && isValid && x.start >= 0; ++k)
          {
            sum += static_cast<TReal>(x.weights[k]) * line[static_cast<std::size_t>(c * across + x.start + k)];
          }
          output[3 * i + c] = sum;
        }
      }
    }
  });
}
} // namespace

void
EvaluateRowsOnCpu(const SplineRows<float> & rows, const Residence & residence)
{
  EvaluateRows(rows, residence);
}

void
EvaluateRowsOnCpu(const SplineRows<double> & rows, const Residence & residence)
{
  EvaluateRows(rows, residence);
}

std::size_t
CountSplineFieldScratch(const FieldShape & shape)
{
  return static_cast<std::size_t>(shape.grid.size[0] + shape.grid.size[1] + shape.grid.size[2]) * sizeof(SplineEntry);
}

void
MakeSplineField(const TransformChain::Stage & spline,
                const FieldShape &            shape,
                void *                        output,
                void *                        scratch,
                const Residence &             residence)
{
  if (spline.kind != TransformKind::BSpline || spline.data == nullptr)
  {
    throw std::invalid_argument("A B-spline transform with coefficients is needed to compute its displacement field.");
  }
  if (shape.grid.dimension == 3 && spline.order == 3 && IsParallel(spline, shape.grid))
  {
    bool isDone = true;
    DispatchField(3, shape.element, [&](auto compiled) {
      const auto rows = MakeSplineRows<typename decltype(compiled)::Real>(spline, shape, output, scratch);
      if (residence.IsOnDevice())
      {
        isDone = EvaluateRowsOnCuda(rows, StepOf(spline, shape.grid, 1, 1), true, residence);
        return;
      }
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        for (std::int64_t i = 0; i < shape.grid.size[axis]; ++i)
        {
          rows.MakeEntry(axis, i);
        }
      }
      EvaluateRowsOnCpu(rows, residence);
    });
    if (isDone)
    {
      return;
    }
  }
  MakeField({ spline }, shape, output, residence);
}

#if !defined(CUDASPLINE_HAS_CUDA)
bool
EvaluateRowsOnCuda(const SplineRows<float> &, double, bool, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

bool
EvaluateRowsOnCuda(const SplineRows<double> &, double, bool, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
