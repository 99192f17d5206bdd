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

#include "itkCudaSpline/kernels/Resample.h"

#include <stdexcept>
#include <string>
#include <type_traits>

namespace itk::CudaSpline
{

/** \brief Calls \p run with std::integral_constant<unsigned, dimension> for the dimensions that are built: 1 to 3. */
template <typename TRun>
void
DispatchDimension(unsigned int dimension, const TRun & run)
{
  switch (dimension)
  {
    case 1:
      run(std::integral_constant<unsigned int, 1>());
      break;
    case 2:
      run(std::integral_constant<unsigned int, 2>());
      break;
    case 3:
      run(std::integral_constant<unsigned int, 3>());
      break;
    default:
      throw std::invalid_argument("Images of 1 to 3 dimensions can be resampled; the dimension is " +
                                  std::to_string(dimension) + ".");
  }
}

/** \brief Resample() on the host's threads. */
void
ResampleOnCpu(const ResampleDescriptor & descriptor,
              const SampleSource &       source,
              void *                     output,
              const ExecutionContext &   context);

/** \brief Resample() on a device; there is none without the CUDA Toolkit. */
void
ResampleOnCuda(const ResampleDescriptor & descriptor,
               const SampleSource &       source,
               void *                     output,
               const ExecutionContext &   context);

} // namespace itk::CudaSpline

#endif
