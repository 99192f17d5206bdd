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
#ifndef EvaluationBackends_h
#define EvaluationBackends_h

#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"

#include "kernels/evaluation/EvaluationArguments.h"

/** \file
 * \brief Evaluation for each backend: lines on the host, points on both. Not available on a device without the CUDA
 * Toolkit.
 */

namespace itk::CudaSpline
{

/** \brief Number of points that are evaluated as a line, by one thread of the host at a time. */
inline constexpr std::int64_t PointsOfLine = 1024;

/** \brief Number of lines for some points, of which the last one may be short. */
constexpr std::int64_t
LinesOfPoints(std::int64_t count)
{
  return (count + PointsOfLine - 1) / PointsOfLine;
}

/** \brief Evaluates lines of output samples on the host's threads; reports progress from 0 to 1.
 *
 * Dimensions 1 to 3.
 *
 * \param[in] method interpolation
 * \param[in] source the source
 * \param[in] derivatives derivatives to evaluate in addition to the value
 * \param[in] arguments all in host memory
 * \param[in] lines lines of the output
 * \param[in] context threads, progress */
template <unsigned int VDimension>
void
EvaluateOnCpu(Interpolation                           method,
              const SourceDescriptor &                source,
              Derivatives                             derivatives,
              const EvaluationArguments<VDimension> & arguments,
              std::int64_t                            lines,
              const ExecutionContext &                context);

/** \brief True if the values of the points are not requested, only the mask. */
inline bool
MakesUnwantedValues(const PointsDescriptor & descriptor)
{
  return descriptor.derivatives == Derivatives::None && descriptor.values == nullptr;
}

/** \brief SamplePoints() on a device. */
void
SamplePointsOnCuda(const PointsDescriptor & descriptor, const SampleSource & source, const ExecutionContext & context);

/** \brief Throws for a source that the interpolation cannot read.
 *
 * \exception std::invalid_argument the source was made by another backend or on another device, has elements that are
 * not real, or an extension that the interpolation does not support; a radius or tension out of range */
void
CheckSource(const InterpolationDescriptor & method, const SampleSource & source, const ExecutionContext & context);

/** \brief The arguments of SamplePoints(), without the arrays. */
template <unsigned int VDimension>
EvaluationArguments<VDimension>
MakePointsArguments(const PointsDescriptor & descriptor, const SampleSource & source)
{
  EvaluationArguments<VDimension> arguments = MakeEvaluationArguments<VDimension>(descriptor, source);
  arguments.coordinates = descriptor.physical ? Coordinates::Points : Coordinates::Indices;
  arguments.pointType = descriptor.pointType;
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    arguments.origin[r] = descriptor.origin[r];
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      arguments.pointToIndex[r][c] = descriptor.pointToIndex[r][c];
      arguments.gradientMap[r][c] = descriptor.gradientMap[r][c];
    }
  }
  arguments.samples = PointsOfLine;
  arguments.outputType = descriptor.output;
  arguments.defaultPixel = descriptor.defaultPixel;
  return arguments;
}

} // namespace itk::CudaSpline

#endif
