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
#ifndef TapCounts_h
#define TapCounts_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/evaluation/Interpolation.h"

#include "kernels/coefficients/ElementWeight.h"

#include <cstdint>

/** \file
 * \brief The number of input samples of a value, for the counts of work (CostModel.h). */

namespace itk::CudaSpline
{

/** \brief Number of input samples of a value; those of double precision count twice. */
inline double
TapsOf(const InterpolationDescriptor & method, const SourceDescriptor & source)
{
  double taps = WeightOf(source);
  for (unsigned int d = 0; d < source.dimension; ++d)
  {
    taps *= GetTaps(method, source.order, d);
  }
  return taps;
}

/** \brief A number that identifies source and method. */
inline std::uint64_t
KindOfMethod(const InterpolationDescriptor & method, const SourceDescriptor & source)
{
  return KindOf({ source.dimension,
                  static_cast<std::uint64_t>(method.interpolation),
                  static_cast<std::uint64_t>(method.mode),
                  source.order,
                  static_cast<std::uint64_t>(source.element),
                  static_cast<std::uint64_t>(source.storage),
                  source.components });
}

} // namespace itk::CudaSpline

#endif
