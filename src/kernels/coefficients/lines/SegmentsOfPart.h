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
 * \brief SegmentsOfPart(): how lines are distributed over the blocks of a device. */

namespace itk::CudaSpline
{

/** \brief Number of consecutive segments for each block, such that all blocks together finish as early as possible.
 *
 * A block that processes n segments takes n + extra steps, because a segment needs samples of its neighbours. The
 * blocks run in rounds, each with as many blocks as the device can hold. The function minimizes rounds * (n + extra)
 * and prefers the longest part among equal results. It considers whole lines and divisions that lead to a few rounds.
 *
 * \param[in] segments segments of a line, at least 1
 * \param[in] groups number of blocks if each processes whole lines, at least 1
 * \param[in] slots number of blocks that the device can hold, at least 1
 * \param[in] extra steps of a part that do not produce coefficients
 * \return a number from 1 to \p segments */
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
