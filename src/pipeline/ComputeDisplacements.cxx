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
#include "itkCudaSpline/pipeline/RegistrationPipeline.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/transforms/Displacements.h"
#include "itkCudaSpline/kernels/transforms/ScanlinesOfChain.h"

/** \file
 * \brief The displacements of a transform on a grid. */

namespace itk::CudaSpline
{

RunRecord
ComputeDisplacements(const FieldGrid &                          grid,
                     const std::vector<TransformChain::Stage> & stages,
                     ScalarType                                 type,
                     void *                                     output,
                     int                                        memory,
                     const std::string &                        device,
                     const ExecutionContext &                   context)
{
  TransformChain chain;
  chain.outputOrigin = grid.origin;
  chain.indexToPoint = grid.indexToPoint;
  chain.regionStart = grid.start;
  chain.regionSize = grid.size;
  chain.stages = stages;
  DisplacementDescriptor descriptor;
  descriptor.dimension = grid.dimension;
  descriptor.output = type;
  descriptor.samples = grid.size[0];
  descriptor.lines = grid.size[1] * grid.size[2];
  descriptor.lineLength = descriptor.samples;
  (HasAffineScanlines(chain) ? descriptor.scanlineChain : descriptor.chain) = &chain;
  if (memory >= 0)
  {
    ExecutionContext there = context;
    there.backend = Backend::Cuda;
    there.device = memory;
    MakeDisplacements(descriptor, output, there);
    RunRecord record;
    record.backend = Backend::Cuda;
    record.devices.assign(1, memory);
    return record;
  }
  RunnableOperation operation;
  operation.work = [&descriptor](int) {
    const OperationWork work = CountDisplacementWork(descriptor);
    return BackendWork{ work, work };
  };
  operation.plan = [&descriptor, output](const std::vector<int> & devices) {
    OperationPlan plan;
    if (!devices.empty())
    {
      plan.memory = PlanDisplacements(descriptor, AvailableDeviceMemory(devices.front()));
    }
    plan.run = [&descriptor, output](const ExecutionContext & of) { MakeDisplacements(descriptor, output, of); };
    return plan;
  };
  return RunOperation(operation, device, context);
}

} // namespace itk::CudaSpline
