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
#ifndef StageTaps_h
#define StageTaps_h

#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief The number of values that the transforms of a chain read, for the counts of work (CostModel.h). */

namespace itk::CudaSpline
{

/** \brief Number of double values that the transforms of a chain read for a sample.
 *
 * \param[in] chain null: no chain */
inline double
StageTapsOf(const TransformChain * chain, unsigned int dimension)
{
  double taps = 0.0;
  for (std::size_t i = 0; chain != nullptr && i < chain->stages.size(); ++i)
  {
    const TransformChain::Stage & stage = chain->stages[i];
    if (stage.kind != TransformKind::Affine)
    {
      const double support = stage.kind == TransformKind::BSpline ? stage.order + 1.0 : (stage.nearest ? 1.0 : 2.0);
      taps += 2.0 * dimension * std::pow(support, dimension);
    }
  }
  return taps;
}

/** \brief A number that identifies the kinds of a chain's stages.
 *
 * \param[in] chain null: no chain */
inline std::uint64_t
KindOfStages(const TransformChain * chain)
{
  std::uint64_t kind = 0;
  for (std::size_t i = 0; chain != nullptr && i < chain->stages.size(); ++i)
  {
    const TransformChain::Stage & stage = chain->stages[i];
    kind = KindOf({ kind,
                    static_cast<std::uint64_t>(stage.kind),
                    static_cast<std::uint64_t>(stage.order),
                    stage.nearest ? 1U : 0U });
  }
  return kind;
}

} // namespace itk::CudaSpline

#endif
