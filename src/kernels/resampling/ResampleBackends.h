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
#ifndef ResampleBackends_h
#define ResampleBackends_h

#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/resampling/Resample.h"

#include "kernels/evaluation/EvaluationArguments.h"

/** \file
 * \brief Resample() for each backend. Not available on a device without the CUDA Toolkit. */

namespace itk::CudaSpline
{

class DeviceWork;

/** \brief Throws for a source, or for samples outside, that the descriptor cannot read.
 *
 * \exception std::invalid_argument as for Resample() */
void
CheckResample(const ResampleDescriptor & descriptor, const SampleSource & source, const ExecutionContext & context);

/** \brief Resample() on a device. */
void
ResampleOnCuda(const ResampleDescriptor & descriptor,
               const SampleSource &       source,
               void *                     output,
               const ExecutionContext &   context);

/** \brief Resample() into an array on a device. It is enqueued; the call waits if there is no stream, or if host memory
 * is read. */
void
ResampleArrayOnCuda(const ResampleDescriptor & descriptor,
                    const SampleSource &       source,
                    void *                     output,
                    StreamHandle               caller,
                    DeviceWork &               work,
                    const ExecutionContext &   context);

/** \brief Whether a device makes the table of scanline ends itself. */
inline bool
MakesScanlinesOnDevice(const ResampleDescriptor & descriptor)
{
  return descriptor.scanlineChain != nullptr && descriptor.scanlineEnds == nullptr;
}

/** \brief Axis of the output along which neighbours are the closest neighbours in the rows of the input.
 *
 * \param[in] descriptor the resampling; 0 without scanlines in host memory
 * \param[in] dimension components of an index */
inline int
LaneAxisOf(const ResampleDescriptor & descriptor, unsigned int dimension)
{
  if (descriptor.scanlineEnds == nullptr || dimension < 2 || descriptor.lines < 2)
  {
    return 0;
  }
  // The change of the first component of an index for a step along each axis.
  const auto   start = [&](std::int64_t line) { return descriptor.scanlineEnds[line * 2 * dimension]; };
  const auto   magnitude = [](double x) { return x < 0.0 ? -x : x; };
  const double alongX =
    magnitude(descriptor.scanlineEnds[dimension] - start(0)) / static_cast<double>(descriptor.lineLength);
  const double alongY = magnitude(start(1) - start(0));
  const double alongZ = descriptor.sliceLines > 0 && descriptor.sliceLines < descriptor.lines
                          ? magnitude(start(descriptor.sliceLines) - start(0))
                          : 0.0;
  return alongX >= alongY && alongX >= alongZ ? 0 : (alongY >= alongZ ? 1 : 2);
}

/** \brief The change of an index (first) for a step along each axis of the output (second), from the first scanlines; 0
 * along missing axes of the output, and without scanlines in host memory. */
template <unsigned int VDimension>
void
SetSteps(const ResampleDescriptor & descriptor, double (&steps)[VDimension][VDimension])
{
  for (unsigned int d = 0; d < VDimension && descriptor.scanlineEnds != nullptr && descriptor.lines > 0; ++d)
  {
    const double * const ends = descriptor.scanlineEnds + d;
    const auto           start = [ends](std::int64_t line) { return ends[line * 2 * VDimension]; };
    const std::int64_t   slice = descriptor.sliceLines;
    steps[d][0] = (ends[VDimension] - start(0)) / static_cast<double>(descriptor.lineLength);
    if constexpr (VDimension > 1)
    {
      steps[d][1] = descriptor.lines > 1 ? start(1) - start(0) : 0.0;
    }
    if constexpr (VDimension > 2)
    {
      steps[d][2] = slice > 0 && slice < descriptor.lines ? start(slice) - start(0) : 0.0;
    }
  }
}

/** \brief Sets the arguments that follow only from the descriptor of a resampling. */
template <unsigned int VDimension>
void
DescribeResampling(const ResampleDescriptor & descriptor, EvaluationArguments<VDimension> & arguments)
{
  arguments.coordinates = Coordinates::Scanlines;
  arguments.lineLength = static_cast<double>(descriptor.lineLength);
  arguments.lineOffset = descriptor.lineOffset;
  arguments.sliceLines = descriptor.sliceLines;
  arguments.laneAxis = LaneAxisOf(descriptor, VDimension);
  SetSteps(descriptor, arguments.steps);
  arguments.samples = descriptor.samples;
  arguments.outputType = descriptor.output;
  arguments.defaultPixel = descriptor.defaultPixel;
}

/** \brief The arguments of Resample(), without the arrays and the number of samples. */
template <unsigned int VDimension>
EvaluationArguments<VDimension>
MakeResampleArguments(const ResampleDescriptor & descriptor, const SampleSource & source)
{
  auto arguments = MakeEvaluationArguments<VDimension>(descriptor, source);
  DescribeResampling(descriptor, arguments);
  if (descriptor.extrapolation != nullptr)
  {
    arguments.extrapolation = descriptor.extrapolation->GetData();
    arguments.extrapolationElement = descriptor.extrapolation->GetDescriptor().element;
  }
  return arguments;
}

} // namespace itk::CudaSpline

#endif
