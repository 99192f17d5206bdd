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
#include "itkCudaSpline/kernels/fields/FieldFolding.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/folding/FieldVolume.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{

template <unsigned int VDimension, typename TReal>
FieldFolding
Measure(const FieldGrid & grid, const void * field, void * to, bool isLogarithm, const ExecutionContext & context)
{
  using Volume = FieldVolume<VDimension, TReal>;
  const Volume  volume(grid, field);
  TReal * const output = static_cast<TReal *>(to);
  const std::int64_t(&size)[3] = volume.walk.size;
  FieldFolding whole;
  std::mutex   mutex;
  whole.all = grid.Count();
  context.ParallelFor(size[1] * size[2], [&](std::int64_t begin, std::int64_t end) {
    FieldFolding here;
    for (std::int64_t line = begin; line < end; ++line)
    {
      std::int64_t at[3] = { 0, line % size[1], line / size[1] };
      for (; at[0] < size[0]; ++at[0])
      {
        const double determinant = volume(at);
        here.voxels += determinant > 0.0 ? 0 : 1;
        here.least = std::min(here.least, determinant);
        here.largest = std::max(here.largest, determinant);
        if (output != nullptr)
        {
          output[OffsetOf(volume.walk, at)] = Volume::Written(determinant, isLogarithm);
        }
      }
    }
    const std::lock_guard<std::mutex> lock(mutex);
    whole.voxels += here.voxels;
    whole.least = std::min(whole.least, here.least);
    whole.largest = std::max(whole.largest, here.largest);
  });
  return whole;
}

void
CheckShape(const FieldShape & shape)
{
  if ((shape.grid.dimension != 2 && shape.grid.dimension != 3) || shape.grid.Count() < 1 ||
      (shape.element != ScalarType::Float32 && shape.element != ScalarType::Float64))
  {
    throw std::invalid_argument("The field has " + std::to_string(shape.grid.dimension) + " dimensions, " +
                                std::to_string(shape.grid.Count()) + " samples and numbers of " +
                                NameOf(shape.element) +
                                "; it must have 2 or 3 dimensions, at least 1 sample, and float32 or float64.");
  }
}

} // namespace

FieldFolding
MeasureFolding(const FieldShape &       shape,
               const void *             field,
               void *                   determinants,
               bool                     isLogarithm,
               const ExecutionContext & context)
{
  CheckShape(shape);
  FieldFolding found;
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Compiled = decltype(compiled);
    found =
      Measure<Compiled::Dimension, typename Compiled::Real>(shape.grid, field, determinants, isLogarithm, context);
  });
  return found;
}

FieldFolding
MeasureFolding(const FieldShape & shape,
               const void *       field,
               void *             determinants,
               bool               isLogarithm,
               const Residence &  residence)
{
  if (!residence.IsOnDevice())
  {
    return MeasureFolding(shape, field, determinants, isLogarithm, residence.GetContext());
  }
  CheckShape(shape);
  return MeasureFoldingOnCuda(shape, field, determinants, isLogarithm, residence);
}

#if !defined(CUDASPLINE_HAS_CUDA)
FieldFolding
MeasureFoldingOnCuda(const FieldShape &, const void *, void *, bool, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
