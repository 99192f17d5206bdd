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
#ifndef LocalCentre_h
#define LocalCentre_h

#include "kernels/metrics/samples/GridPair.h"
#include "kernels/metrics/local_correlation/LocalCorrelationBackends.h"
#include "kernels/metrics/local_correlation/LocalWindow.h"

#include <cstdint>

/** \file
 * \brief The body of local correlation after its window sums: for one sample, on host and device. */

namespace itk::CudaSpline
{

/** \brief The arguments of a sample in addition to its window's sums. Passed by value. */
template <typename TPixel>
struct LocalCentre : GridPair<TPixel>
{
  LocalBounds bounds;
};

/** \brief Creates the arguments of a sample from a descriptor. */
template <typename TPixel>
LocalCentre<TPixel>
MakeLocalCentre(const LocalCorrelationDescriptor & descriptor,
                const LocalCorrelationImages &     images,
                const LocalCorrelationResults &    results)
{
  LocalCentre<TPixel> centre{};
  static_cast<GridPair<TPixel> &>(centre) = MakeGridPair<TPixel>(descriptor.grid,
                                                                 descriptor.derivative,
                                                                 images,
                                                                 results.movingDerivative,
                                                                 results.fixedDerivative,
                                                                 descriptor.factorsAlone);
  centre.bounds = MakeLocalBounds(descriptor);
  return centre;
}

} // namespace itk::CudaSpline

#endif
