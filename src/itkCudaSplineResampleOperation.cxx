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
#include "itkCudaSplineTrace.h"
#include "itkCudaSpline/itk/ResampleOperation.h"

namespace itk::CudaSplineDetail
{

std::string
TraceResampling(const std::string &              name,
                const std::string &              size,
                CudaSpline::ResampleJob &        job,
                const CudaSpline::ResamplePlan * plan)
{
  const CudaSpline::ResampleTask &       task = job.GetTask();
  const CudaSpline::ResampleDescriptor & resampling = task.resampling;
  const std::string                      kernel = plan != nullptr ? job.DescribeKernel(*plan) : std::string();
  const std::string                      where = resampling.chain != nullptr
                                                   ? "chain of " + std::to_string(resampling.chain->stages.size())
                                                   : (resampling.indexProvider ? "points by ITK's transform" : "linear");
  return name + " | " + TraceSource(task.samples) + " -> " + NameOf(resampling.output) + " " + size + " | " +
         TraceMethod(resampling, task.samples) + ", " + where + (task.extrapolates ? ", extrapolated" : "") +
         (plan != nullptr && plan->pieces.fits ? ", " + std::to_string(plan->Count()) + " pieces" : "") +
         (kernel.empty() ? "" : ", by " + kernel);
}

CudaSplineBackend::Operation
MakeResampleOperation(CudaSpline::ResampleJob &                      job,
                      const CudaSpline::ResampleJob::ProvideArrays & arrays,
                      const std::string &                            name,
                      const std::string &                            size)
{
  const CudaSpline::RunnableOperation runnable = job.MakeOperation(arrays);
  CudaSplineBackend::Operation        operation;
  operation.work = runnable.work;
  operation.plan = runnable.plan;
  operation.describe = [&job, name, size] { return TraceResampling(name, size, job, job.GetPlan().get()); };
  return operation;
}

} // namespace itk::CudaSplineDetail
