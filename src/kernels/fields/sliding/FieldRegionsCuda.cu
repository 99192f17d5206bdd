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
#include "kernels/fields/common/FieldLaunch.cuh"
#include "kernels/fields/sliding/RegionPass.h"

namespace itk::CudaSpline
{

template <typename TReal>
void
RunRegionPassOnCuda(const RegionPass<TReal> & pass, const Residence & residence)
{
  LaunchField(pass, pass.walk, residence);
}

template void
RunRegionPassOnCuda(const RegionPass<float> &, const Residence &);
template void
RunRegionPassOnCuda(const RegionPass<double> &, const Residence &);

} // namespace itk::CudaSpline
