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
#ifndef ElementWeight_h
#define ElementWeight_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"

namespace itk::CudaSpline
{

/** \brief Relative cost of an element: double precision moves twice the bytes and has half the SIMD lanes. */
inline double
WeightOf(const SourceDescriptor & source)
{
  return source.element == ScalarType::Float64 ? 2.0 : 1.0;
}

} // namespace itk::CudaSpline

#endif
