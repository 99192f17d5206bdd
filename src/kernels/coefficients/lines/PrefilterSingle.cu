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
#include "kernels/coefficients/lines/LaunchPrefilter.cuh"

namespace itk::CudaSpline
{

template float *
LaunchPrefilter<float>(const SourceDescriptor &, float *, float *, const Stream &, const AxisPart &);
template const float *
LaunchPrefilterFrom<float>(const SourceDescriptor &, const float *, float *, float *, const Stream &, const AxisPart &);
template int
PrefilterPasses<float>(const SourceDescriptor &);
template void
LaunchAxisPrefilter<float>(const SourceDescriptor &, unsigned int, const float *, float *, const Stream &);

} // namespace itk::CudaSpline
