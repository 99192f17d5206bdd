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
#ifndef SegmentsOfPart_h
#define SegmentsOfPart_h

#include <algorithm>
#include <cstdint>

/** \file
 * \brief SegmentsOfPart(): how lines are divided among the blocks of a device. */

namespace itk::CudaSpline
{

/** \brief Segments that a block marches over without a gap, such that all blocks together are done first.
 *
 * A block of a part of n segments takes n + extra steps, because a segment needs samples of its neighbours; and blocks
 * go in rounds of as many as the device holds. Sought is the least rounds * (n + extra), and of equals the longest
 * part, among whole lines and divisions that give the device a few rounds.
 *
 * \param[in] segments segments of a line, at least 1
 * \param[in] groups blocks that whole lines make, at least 1
 * \param[in] slots blocks that the device holds, at least 1
 * \param[in] extra steps of a part without coefficients
 * \return from 1 to \p segments */
inline std::int64_t
SegmentsOfPart(std::int64_t segments, std::int64_t groups, std::int64_t slots, std::int64_t extra)
{
  const std::int64_t most = std::min(segments, 2 * ((slots + groups - 1) / groups) + 6);
  std::int64_t       best = segments;
  std::int64_t       fewest = (groups + slots - 1) / slots * (segments + extra);
  for (std::int64_t wanted = 2; wanted <= most; ++wanted)
  {
    const std::int64_t perPart = (segments + wanted - 1) / wanted;
    const std::int64_t parts = (segments + perPart - 1) / perPart;
    const std::int64_t steps = (groups * parts + slots - 1) / slots * (perPart + extra);
    if (steps < fewest)
    {
      fewest = steps;
      best = perPart;
    }
  }
  return best;
}

} // namespace itk::CudaSpline

#endif
