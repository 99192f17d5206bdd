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
#include "kernels/fields/smoothing/SlabSmoothing.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
constexpr std::int64_t SlabsOfField = 10; // of CountSlabBytes()
constexpr std::int64_t ReachesOfSlab = 4; // minimum length of its slabs, in lengths of the reach of the weights

/** The slices of a field, and what a slab of them needs. */
struct SlabGeometry
{
  unsigned int axis;
  std::int64_t slices;
  std::int64_t reach;      ///< adjacent slices that a slab reads, and whose results are not used
  std::int64_t copies;     ///< smoothed slabs and scratch memory of SmoothField()
  std::size_t  sliceBytes; ///< of one slice

  SlabGeometry(const FieldShape & shape, const FieldSmoothing & smoothing, Backend backend)
    : axis(shape.grid.dimension - 1)
    , slices(shape.grid.size[axis])
    , reach(std::max<std::int64_t>(1, static_cast<std::int64_t>(smoothing.weights[axis].size() / 2)))
    , copies(CountSmoothingScratch(shape, smoothing, backend) > 0 ? 2 : 1)
    , sliceBytes(shape.Bytes() / static_cast<std::size_t>(slices))
  {}

  /** Bytes for slabs of a length. */
  std::size_t
  CountBytes(std::int64_t length) const
  {
    const std::int64_t whole = copies * slices;
    const std::int64_t needed = copies * (length + 2 * reach) + reach;
    return static_cast<std::size_t>(std::min(needed, whole)) * sliceBytes;
  }
  /** Returns the length of slabs that fit. */
  std::int64_t
  FindLength(std::size_t bytes) const
  {
    const auto fits = static_cast<std::int64_t>(bytes / sliceBytes);
    if (fits >= copies * slices)
    {
      return slices;
    }
    const std::int64_t length = (fits - reach) / copies - 2 * reach;
    if (length < 2 * reach)
    {
      throw std::invalid_argument("The workspace of a smoothing has " + std::to_string(bytes) + " bytes; at least " +
                                  std::to_string(this->CountBytes(2 * reach)) + " are needed.");
    }
    const std::int64_t slabs = (slices + length - 1) / length;
    return (slices + slabs - 1) / slabs; // equal lengths, at least half as long
  }
};
} // namespace

bool
CanSmoothInSlabs(const FieldShape & shape, const FieldSmoothing & smoothing)
{
  return !smoothing.blends || shape.grid.start[shape.grid.dimension - 1] == 0;
}

std::size_t
CountSlabBytes(const FieldShape & shape, const FieldSmoothing & smoothing, Backend backend)
{
  const SlabGeometry geometry(shape, smoothing, backend);
  return geometry.CountBytes(std::max(geometry.slices / SlabsOfField, ReachesOfSlab * geometry.reach));
}

void
SmoothFieldInPlace(const FieldShape &     shape,
                   void *                 field,
                   const FieldSmoothing & smoothing,
                   void *                 workspace,
                   std::size_t            bytes,
                   const Residence &      residence)
{
  const SlabGeometry geometry(shape, smoothing, residence.GetBackend());
  const std::int64_t length = geometry.FindLength(bytes);
  const std::int64_t reach = geometry.reach;
  const std::int64_t padded = std::min(geometry.slices, length + 2 * reach);
  const auto         at = [&](void * array, std::int64_t slice) {
    return static_cast<char *>(array) + static_cast<std::size_t>(slice) * geometry.sliceBytes;
  };
  const auto copy = [&](void * to, const void * from, std::int64_t slices) {
    CopyResident(to, from, static_cast<std::size_t>(slices) * geometry.sliceBytes, residence);
  };
  void * const scratch = at(workspace, padded);
  void * const kept = at(workspace, geometry.copies * padded); // the last slices of a slab
  for (std::int64_t begin = 0; begin < geometry.slices; begin += length)
  {
    const std::int64_t end = std::min(begin + length, geometry.slices);
    const std::int64_t from = std::max<std::int64_t>(begin - reach, 0);
    FieldShape         slab = shape;
    slab.grid.size[geometry.axis] = std::min(end + reach, geometry.slices) - from;
    SmoothField(slab, at(field, from), smoothing, workspace, scratch, residence);
    if (begin > 0)
    {
      copy(at(field, begin - reach), kept, reach);
    }
    const std::int64_t last = end < geometry.slices ? end - reach : end;
    copy(at(field, begin), at(workspace, begin - from), last - begin);
    if (end < geometry.slices)
    {
      copy(kept, at(workspace, last - from), reach);
    }
  }
}

} // namespace itk::CudaSpline
