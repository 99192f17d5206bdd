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
#ifndef TransformStages_h
#define TransformStages_h

#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include "kernels/evaluation/EvaluationArguments.h"

#include <cmath>
#include <limits>

/** \file
 * \brief A chain of transforms, prepared for kernels. */

namespace itk::CudaSpline
{

/** \brief A number some units of the last place away, as in itk::Math::FloatAddULP() for finite positive numbers. */
inline double
AddUnits(double x, int units)
{
  const double towards = units > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  for (int i = 0; i < (units > 0 ? units : -units); ++i)
  {
    x = std::nextafter(x, towards);
  }
  return x;
}

/** \brief Prepares a stage for kernels.
 *
 * \param[in] from the stage
 * \param[in] data its displacements in the memory that the kernel reads, with the stage's type, double or float
 * \return the stage with the bounds of itk::BSplineTransform::InsideValidRegion(), or of itk::ImageFunction */
template <unsigned int VDimension>
TransformStage<VDimension>
MakeStage(const TransformChain::Stage & from, const void * data)
{
  TransformStage<VDimension> stage;
  stage.kind = from.kind;
  stage.order = from.order;
  stage.nearest = from.nearest;
  stage.goesOn = from.goesOn;
  if (from.singleData != nullptr)
  {
    stage.singleData = static_cast<const float *>(data);
  }
  else
  {
    stage.data = static_cast<const double *>(data);
  }
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    stage.map.offset[r] = from.offset[r];
    stage.origin[r] = from.origin[r];
    stage.extent.start[r] = from.start[r];
    stage.extent.size[r] = from.size[r];
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      stage.map.matrix[r][c] = from.matrix[r][c];
      stage.pointToIndex[r][c] = from.pointToIndex[r][c];
    }
    if (from.kind == TransformKind::BSpline)
    {
      const double margin = 0.5 * (from.order - 1);
      stage.lower[r] = margin;
      stage.upper[r] = static_cast<double>(from.size[r]) - margin - 1.0;
      stage.atUpper[r] = AddUnits(stage.upper[r], -4);
      stage.pastUpper[r] = AddUnits(stage.upper[r], 4);
      stage.belowUpper[r] = AddUnits(stage.upper[r], -6);
    }
    else
    {
      stage.lower[r] = static_cast<double>(from.start[r]) - 0.5;
      stage.upper[r] = static_cast<double>(from.start[r] + from.size[r] - 1) + 0.5;
    }
  }
  const bool interleaved = from.kind == TransformKind::DisplacementField;
  stage.elementStride = interleaved ? VDimension : 1;
  stage.componentStride = interleaved ? 1 : stage.extent.Count();
  return stage;
}

/** \brief The displacements of a stage in host memory; null if it has none. */
inline const void *
DisplacementsOf(const TransformChain::Stage & stage)
{
  return stage.singleData != nullptr ? static_cast<const void *>(stage.singleData.get()) : stage.data.get();
}

/** \brief Writes the grids of a chain into the arguments; the caller must set the stages. */
template <unsigned int VDimension>
void
SetGrids(const TransformChain & chain, EvaluationArguments<VDimension> & arguments)
{
  arguments.coordinates = Coordinates::Stages;
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    arguments.origin[r] = chain.inputOrigin[r];
    arguments.outputOrigin[r] = chain.outputOrigin[r];
    arguments.region.start[r] = chain.regionStart[r];
    arguments.region.size[r] = chain.regionSize[r];
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      arguments.pointToIndex[r][c] = chain.pointToIndex[r][c];
      arguments.indexToPoint[r][c] = chain.indexToPoint[r][c];
    }
  }
  arguments.stageCount = static_cast<int>(chain.stages.size());
}

} // namespace itk::CudaSpline

#endif
