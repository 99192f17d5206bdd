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
#include "itkCudaSpline/pipeline/RegistrationPipeline.h"

#include "pipeline/PipelineMessages.h"

#include <algorithm>
#include <cmath>

/** \file
 * \brief Results of a registration. */

namespace itk::CudaSpline
{

namespace
{

std::string
DescribeOverlap(std::size_t pair, int stage, const std::string & kind, double overlap, const std::string & detail)
{
  if (pair > 0)
  {
    return "additional pair " + std::to_string(pair) +
           ": no voxel of the fixed image is inside both of its images where the registration starts";
  }
  return "the images do not overlap: " + Brief(100.0 * overlap) + " % of the fixed image are inside the moving one " +
         (stage < 0 ? "where the registration starts" : "in stage " + std::to_string(stage + 1) + " (" + kind + ")") +
         (detail.empty() ? "" : " (" + detail + ")");
}

} // namespace

const char *
Describe(LevelEnd end, bool hasPenalties)
{
  if (end == LevelEnd::Undone && hasPenalties)
  {
    return "it made the metric plus its penalties worse and was undone";
  }
  static constexpr const char * texts[] = { "all iterations are done",
                                            "values hardly fall any more",
                                            "it was stopped",
                                            "steps are shorter than the minimum",
                                            "there is no direction in which values fall",
                                            "it made the metric worse and was undone",
                                            "it was skipped, because it has too few samples" };
  return texts[static_cast<std::size_t>(end)];
}

std::vector<FoundTransform>
RegistrationOutcome::GetChain() const
{
  std::vector<FoundTransform> chain; // in the order of the stages, reversed at the end
  if (start)
  {
    chain.emplace_back(*start);
  }
  for (const StageOutcome & stage : stages)
  {
    if (stage.replacesPrevious)
    {
      chain.pop_back();
    }
    chain.push_back(stage.transform);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

bool
HasLostGeometry(const FieldGrid & mask, const FieldGrid & image)
{
  bool isImageThere = true; // whether the image has the same geometry
  for (unsigned int row = 0; row < mask.dimension; ++row)
  {
    for (unsigned int column = 0; column < mask.dimension; ++column)
    {
      if (std::abs(mask.indexToPoint[row][column]) != (row == column ? 1.0 : 0.0))
      {
        return false;
      }
      isImageThere = isImageThere && std::abs(image.indexToPoint[row][column] - mask.indexToPoint[row][column]) < 1e-3;
    }
    if (mask.origin[row] != 0.0)
    {
      return false;
    }
    isImageThere = isImageThere && std::abs(image.origin[row]) < 1e-3;
  }
  return mask.size == image.size && !isImageThere;
}

OverlapError::OverlapError(std::size_t         pair,
                           int                 stage,
                           const std::string & kind,
                           double              overlap,
                           const std::string & detail)
  : std::invalid_argument(DescribeOverlap(pair, stage, kind, overlap, detail))
  , m_Pair(pair)
{}

} // namespace itk::CudaSpline
