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
#include "kernels/evaluation/plain/EvaluationLaunch.cuh"
#include "kernels/evaluation/plain/EvaluationScanlines.cuh"

namespace itk::CudaSpline
{

template <unsigned int VDimension>
void
LaunchLinear(const EvaluationArguments<VDimension> & arguments, std::int64_t lines, StreamHandle stream)
{
  if (arguments.element == ScalarType::Float32)
  {
    LaunchPlain<LinearMethod<float>, Derivatives::None>(arguments, lines, stream);
  }
  else
  {
    LaunchPlain<LinearMethod<double>, Derivatives::None>(arguments, lines, stream);
  }
}

void
LaunchLinearScanlines(const EvaluationArguments<3> & arguments,
                      std::int64_t                   lines,
                      const ScanlinePlan &           plan,
                      StreamHandle                   stream)
{
  LaunchScanlines<LinearMethod<float>>(arguments, lines, plan, stream);
}

template void
LaunchLinear(const EvaluationArguments<1> &, std::int64_t, StreamHandle);
template void
LaunchLinear(const EvaluationArguments<2> &, std::int64_t, StreamHandle);
template void
LaunchLinear(const EvaluationArguments<3> &, std::int64_t, StreamHandle);

} // namespace itk::CudaSpline
