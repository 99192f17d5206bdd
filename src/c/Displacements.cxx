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
#include "c/Call.h"
#include "c/Descriptors.h"
#include "c/RegistrationGrids.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/transforms/Displacements.h"
#include "itkCudaSpline/kernels/transforms/ScanlinesOfChain.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

using namespace itk::CudaSpline;

std::int32_t
cudaspline_make_displacements(const cudaspline_grid *  grid,
                              std::int32_t             dimension,
                              const cudaspline_stage * stages,
                              std::int32_t             stage_count,
                              void *                   output,
                              std::int32_t             type,
                              std::int32_t             device,
                              void *                   stream,
                              cudaspline_execution *   execution)
{
  return Call([=] {
    RequirePointer(grid, "grid");
    RequirePointer(output, "output");
    if (dimension < 1 || dimension > 3)
    {
      throw std::invalid_argument("dimension is " + std::to_string(dimension) + "; it must be 1 to 3.");
    }
    CallExecution          call(execution);
    DisplacementDescriptor descriptor;
    descriptor.dimension = static_cast<unsigned int>(dimension);
    descriptor.output = RealOfCode(type, "type");
    const FieldGrid samples = DescribeGrid(*grid, descriptor.dimension, "grid");
    TransformChain  chain;
    chain.outputOrigin = samples.origin;
    chain.indexToPoint = samples.indexToPoint;
    chain.regionSize = samples.size;
    chain.stages = DescribeStages(stages, stage_count, descriptor.dimension, "transform");
    descriptor.samples = samples.size[0];
    descriptor.lines = samples.size[1] * samples.size[2];
    descriptor.lineLength = descriptor.samples;
    (HasAffineScanlines(chain) ? descriptor.scanlineChain : descriptor.chain) = &chain;
    if (device >= 0)
    {
      const ExecutionContext context = call.ContextOf(device);
      const Residence        residence(context);
      residence.Follow(static_cast<StreamHandle>(stream));
      residence.Wait();
      MakeDisplacements(descriptor, output, context);
      call.Report(device);
      return;
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
      plan.run = [&descriptor, output](const ExecutionContext & context) {
        MakeDisplacements(descriptor, output, context);
      };
      return plan;
    };
    call.Report(RunOperation(operation, call.GetWord(), call.GetContext()));
  });
}
