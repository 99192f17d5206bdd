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
#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaSplineOverrides.h"

namespace itk::CudaSplineDetail
{
namespace
{
template <typename TIn, typename TOut, unsigned int... VDimensions>
void
AppendDimensions(Overrides & overrides)
{
  (AppendOverride<BSplineDecompositionImageFilter<Image<TIn, VDimensions>, Image<TOut, VDimensions>>,
                  CudaBSplineDecompositionImageFilter<Image<TIn, VDimensions>, Image<TOut, VDimensions>>>(
     "BSplineDecompositionImageFilter", overrides),
   ...);
}
} // namespace

void
AppendDecomposition(Overrides & overrides)
{
  AppendDimensions<short, double, 1, 2, 3, 4>(overrides);
  AppendDimensions<float, double, 1, 2, 3, 4>(overrides);
  AppendDimensions<double, double, 1, 2, 3, 4>(overrides);
  AppendDimensions<float, float, 1, 2, 3, 4>(overrides);
}

} // namespace itk::CudaSplineDetail
