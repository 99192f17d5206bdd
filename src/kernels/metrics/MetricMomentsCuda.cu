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
#include "itkCudaSpline/device/Device.h"

#include "kernels/metrics/MetricPass.cuh"

/** \file
 * \brief Values of a metric and the moments of its derivative by linear transforms, on a device. */

namespace itk::CudaSpline
{

MetricResult
EvaluateMomentsOnCuda(const MetricDescriptor &   descriptor,
                      const MetricSources &      sources,
                      const ExecutionContext &   context,
                      const MetricWorkspace *    workspace,
                      const Stream &             stream,
                      const double *             table,
                      const InformationNumbers * made)
{
  MetricResult result;
  DispatchMetricDerivatives(
    descriptor, sources.moving->GetDescriptor().element, [&](auto dimension, auto values, auto sets, auto move) {
      PassArguments<decltype(dimension)::value> pass(descriptor, sources, context, nullptr, workspace, stream);
      if (table != nullptr)
      {
        pass.arguments.table = table;
      }
      result = SumSamples<decltype(move)::value, decltype(values), decltype(sets)::value>(pass.arguments, stream, made);
    });
  return result;
}

} // namespace itk::CudaSpline
