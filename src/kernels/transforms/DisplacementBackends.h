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
#ifndef DisplacementBackends_h
#define DisplacementBackends_h

#include "itkCudaSpline/kernels/transforms/Displacements.h"

#include "kernels/evaluation/EvaluationArguments.h"

/** \file
 * \brief The body of the kernels that compute displacements, and the operation on a device. */

namespace itk::CudaSpline
{

/** \brief The arguments that follow from the descriptor; all others are 0. */
template <unsigned int VDimension>
EvaluationArguments<VDimension>
MakeDisplacementArguments(const DisplacementDescriptor & descriptor)
{
  EvaluationArguments<VDimension> arguments{};
  arguments.coordinates = Coordinates::Scanlines;
  arguments.lineLength = static_cast<double>(descriptor.lineLength);
  arguments.lineOffset = descriptor.lineOffset;
  arguments.samples = descriptor.samples;
  arguments.outputType = descriptor.output;
  return arguments;
}

/** \brief Writes the displacement of a sample: interpolated between both ends of its scanline as in
 * itk::TransformToDisplacementFieldFilter, or computed by the stages at its point.
 *
 * \param[in] line line of the slab
 * \param[in] sample requested sample of the line */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
StoreDisplacement(const EvaluationArguments<VDimension> & arguments, std::int64_t line, std::int64_t sample)
{
  double displacement[VDimension];
  if (arguments.coordinates == Coordinates::Scanlines)
  {
    const double                     alpha = static_cast<double>(arguments.lineOffset + sample) / arguments.lineLength;
    const ScanlineEnds<VDimension> & ends = arguments.ends[line];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      displacement[d] = RoundedSum(RoundedProduct(1.0 - alpha, ends.start[d]), RoundedProduct(alpha, ends.end[d]));
    }
  }
  else
  {
    double point[VDimension];
    double moved[VDimension];
    arguments.PlaceOf(line, sample, point);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      moved[d] = point[d];
    }
    WalkStages(arguments.stages, arguments.stageCount, moved);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      displacement[d] = moved[d] - point[d];
    }
  }
  const std::int64_t at = (line * arguments.samples + sample) * VDimension;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    if (arguments.outputType == ScalarType::Float32)
    {
      static_cast<float *>(arguments.output)[at + d] = static_cast<float>(displacement[d]);
    }
    else
    {
      static_cast<double *>(arguments.output)[at + d] = displacement[d];
    }
  }
}

/** \brief MakeDisplacements() on a device. */
void
MakeDisplacementsOnCuda(const DisplacementDescriptor & descriptor, void * output, const ExecutionContext & context);

} // namespace itk::CudaSpline

#endif
