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
#include "pipeline/LabelCodes.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

/** Counts the voxels of each label except the background. */
std::map<std::int32_t, std::int64_t>
CountLabels(const LabelMap & map)
{
  std::map<std::int32_t, std::int64_t> counts;
  auto                                 last = counts.end();
  for (std::int64_t n = 0; n < map.grid.Count(); ++n)
  {
    const std::int32_t label = map.pixels[n];
    if (label != 0)
    {
      last = last != counts.end() && last->first == label ? last : counts.try_emplace(label, 0).first;
      ++last->second;
    }
  }
  return counts;
}

unsigned int
CountOnes(std::uint32_t code)
{
  unsigned int ones = 0;
  for (; code != 0; code &= code - 1)
  {
    ++ones;
  }
  return ones;
}

/** Lists all codes of a number of bits, half of which are 1. */
std::vector<std::uint32_t>
ListCodes(std::size_t bits)
{
  std::vector<std::uint32_t> codes;
  for (std::uint32_t code = 1; code < 1U << bits; ++code)
  {
    if (CountOnes(code) == std::max<std::size_t>(1, bits / 2))
    {
      codes.push_back(code);
    }
  }
  return codes;
}

/** Warns about labels that only one map has. */
void
WarnOfUnpaired(const std::vector<std::int32_t> & labels, const std::string & owner, PipelineMessages & messages)
{
  constexpr std::size_t most = 10;
  if (labels.empty())
  {
    return;
  }
  std::string list;
  for (std::size_t n = 0; n < std::min(most, labels.size()); ++n)
  {
    list += (n > 0 ? ", " : "") + std::to_string(labels[n]);
  }
  messages.Warn(PipelineWarning::Kind::UnpairedLabels,
                -1,
                "only the label map of the " + owner + " image has " + (labels.size() == 1 ? "the label " : "labels ") +
                  list + (labels.size() > most ? ", ..." : "") + "; " + (labels.size() == 1 ? "it is" : "they are") +
                  " not compared");
}

} // namespace

double
MeasureVoxel(const FieldGrid & grid)
{
  double volume = 1.0;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    volume *= grid.spacing[d];
  }
  return volume;
}

LabelCodes::LabelCodes(const LabelPair & labels, PipelineMessages & messages)
{
  const auto                fixed = CountLabels(labels.fixed);
  const auto                moving = CountLabels(labels.moving);
  std::vector<std::int32_t> unpaired[2];
  for (const auto & [label, count] : fixed)
  {
    if (const auto other = moving.find(label); other != moving.end())
    {
      m_Codes[label] = 0;
      m_Volume += static_cast<double>(count) * MeasureVoxel(labels.fixed.grid) +
                  static_cast<double>(other->second) * MeasureVoxel(labels.moving.grid);
      continue;
    }
    unpaired[0].push_back(label);
  }
  for (const auto & [label, count] : moving)
  {
    if (fixed.count(label) == 0)
    {
      unpaired[1].push_back(label);
    }
  }
  if (m_Codes.empty())
  {
    throw std::invalid_argument("the label maps of the fixed and the moving image have no label in common; labels are "
                                "numbers other than 0");
  }
  WarnOfUnpaired(unpaired[0], "fixed", messages);
  WarnOfUnpaired(unpaired[1], "moving", messages);
  std::vector<std::uint32_t> codes = ListCodes(m_Channels);
  while (codes.size() < m_Codes.size())
  {
    codes = ListCodes(++m_Channels);
  }
  auto code = codes.begin();
  for (auto & [label, own] : m_Codes)
  {
    own = *code++;
  }
  m_Volume *= CountOnes(codes.front());
}

void
LabelCodes::Write(const LabelMap &         map,
                  std::size_t              channel,
                  double                   volume,
                  ScalarType               pixel,
                  void *                   output,
                  const ExecutionContext & host) const
{
  const double one = std::sqrt(volume / m_Volume);
  host.ParallelFor(map.grid.Count(), [&](std::int64_t begin, std::int64_t end) {
    auto last = m_Codes.begin(); // neighbours usually have the same label
    for (std::int64_t n = begin; n < end; ++n)
    {
      const std::int32_t label = map.pixels[n];
      double             value = 0.0;
      if (label != 0)
      {
        last = last != m_Codes.end() && last->first == label ? last : m_Codes.find(label);
        value = last != m_Codes.end() && (last->second >> channel & 1U) != 0 ? one : 0.0;
      }
      if (pixel == ScalarType::Float64)
      {
        static_cast<double *>(output)[n] = value;
      }
      else
      {
        static_cast<float *>(output)[n] = static_cast<float>(value);
      }
    }
  });
}

} // namespace itk::CudaSpline
