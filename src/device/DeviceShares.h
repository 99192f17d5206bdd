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
#ifndef DeviceShares_h
#define DeviceShares_h

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

/** \file
 * \brief How devices divide the items of a step, and the memory of an array. */

namespace itk::CudaSpline
{

/** \brief Consecutive items of a step. */
struct ItemRange
{
  std::int64_t first; ///< first item
  std::int64_t count; ///< number of items
};

/** \brief Returns the items of one of several devices. Their ranges follow one another and cover all items.
 *
 * \param[in] items number of items
 * \param[in] number number of the device, from 0
 * \param[in] devices number of devices */
inline ItemRange
RangeOf(std::int64_t items, std::size_t number, std::size_t devices)
{
  const auto count = static_cast<std::int64_t>(devices);
  const auto begin = [&](std::int64_t device) { return items / count * device + items % count * device / count; };
  const auto first = begin(static_cast<std::int64_t>(number));
  return { first, begin(static_cast<std::int64_t>(number) + 1) - first };
}

/** \brief Bytes of an array from which on all devices have a part of it. Smaller ones are on the first device. */
inline constexpr std::size_t MinStripedBytes = std::size_t(16) << 20;

/** \brief Samples from which on all devices share a step: each one takes longer than the wait for the others. */
inline constexpr std::int64_t MinSharedSamples = std::int64_t(1) << 22;

/** \brief Consecutive bytes of an array in the memory of one device. */
struct Stripe
{
  std::size_t device; ///< number in the list of devices
  std::size_t bytes;  ///< length
};

/** \brief Returns how the memory of an array is divided: each device has an equal part, in their order, except for
 * rounding.
 *
 * \param[in] bytes length of the array
 * \param[in] devices number of devices
 * \param[in] granularity all stripes are multiples of it
 * \param[in] starts where other arrays begin in it, ascending (bytes): each of them is divided
 * \return stripes in their order; the sum of their bytes is \p bytes, rounded up */
inline std::vector<Stripe>
StripesOf(std::size_t bytes, std::size_t devices, std::size_t granularity, const std::vector<std::size_t> & starts = {})
{
  const std::size_t   pages = (bytes + granularity - 1) / granularity;
  std::vector<Stripe> stripes;
  for (std::size_t page = 0; page < pages; ++page)
  {
    const std::size_t middle = std::min(page * granularity + granularity / 2, bytes - 1);
    const auto        next = std::upper_bound(starts.begin(), starts.end(), middle);
    const std::size_t first = next == starts.begin() ? 0 : *std::prev(next);
    const std::size_t length = (next == starts.end() ? bytes : *next) - first;
    const std::size_t device = bytes < MinStripedBytes ? 0 : (middle - first) * devices / length;
    if (stripes.empty() || stripes.back().device != device)
    {
      stripes.push_back({ device, 0 });
    }
    stripes.back().bytes += granularity;
  }
  return stripes;
}

} // namespace itk::CudaSpline

#endif
