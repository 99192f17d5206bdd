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
#ifndef SplineValues_h
#define SplineValues_h

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

/** \file
 * \brief Values of B-splines at points, for programs that measure errors. */

/** Returns a source of coefficients that owns them. On the host, a source that needs no preparation only refers to its
 * data. */
template <typename TReal>
std::shared_ptr<const itk::CudaSpline::SampleSource>
KeepSource(const itk::CudaSpline::SourceDescriptor & descriptor,
           std::vector<TReal>                        coefficients,
           const itk::CudaSpline::ExecutionContext & context)
{
  const auto kept = std::make_shared<const std::vector<TReal>>(std::move(coefficients));
  const auto source = itk::CudaSpline::MakeSource(descriptor, kept->data(), context);
  return std::shared_ptr<const itk::CudaSpline::SampleSource>(source.get(),
                                                              [kept, source](const itk::CudaSpline::SampleSource *) {});
}

/** Returns B-spline interpolation within a volume. */
inline itk::CudaSpline::InterpolationDescriptor
SplineMethodWithin(const std::array<std::int64_t, 3> & size,
                   itk::CudaSpline::EvaluationMode     mode,
                   bool                                singleCoordinates)
{
  itk::CudaSpline::InterpolationDescriptor method;
  method.interpolation = itk::CudaSpline::Interpolation::BSpline;
  method.mode = mode;
  method.singleCoordinates = singleCoordinates;
  for (unsigned int d = 0; d < 3; ++d)
  {
    method.lower[d] = -0.5;
    method.upper[d] = static_cast<double>(size[d]) - 0.5;
  }
  return method;
}

/** Returns values at continuous indices, which have three numbers each. */
inline std::vector<double>
ValuesAt(const std::vector<double> &                      indices,
         const itk::CudaSpline::InterpolationDescriptor & method,
         const itk::CudaSpline::SampleSource &            source,
         const itk::CudaSpline::ExecutionContext &        context)
{
  std::vector<double>               values(indices.size() / 3);
  itk::CudaSpline::PointsDescriptor points;
  static_cast<itk::CudaSpline::InterpolationDescriptor &>(points) = method;
  points.count = static_cast<std::int64_t>(values.size());
  points.points = indices.data();
  points.values = values.data();
  itk::CudaSpline::SamplePoints(points, source, context);
  return values;
}

#endif
