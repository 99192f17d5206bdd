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

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/pipeline/RegistrationPipeline.h"
#include "itkCudaSpline/kernels/fields/TransformInversion.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

using namespace itk::CudaSpline;

namespace
{

unsigned int
CheckAxes(std::int32_t dimension)
{
  if (dimension < 1 || dimension > 3)
  {
    throw std::invalid_argument("dimension is " + std::to_string(dimension) + "; it must be 1 to 3.");
  }
  return static_cast<unsigned int>(dimension);
}

} // namespace

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
    CallExecution    call(execution);
    const auto       axes = CheckAxes(dimension);
    const FieldGrid  samples = DescribeGrid(*grid, axes, "grid");
    const auto       chain = DescribeStages(stages, stage_count, axes, "transform");
    const ScalarType element = RealOfCode(type, "type");
    if (device >= 0)
    {
      const Residence residence(call.ContextOf(device));
      residence.Follow(static_cast<StreamHandle>(stream));
      residence.Wait(); // the arrays are ready
    }
    const RunRecord record =
      ComputeDisplacements(samples, chain, element, output, device, call.GetWord(), call.GetContext());
    device >= 0 ? call.Report(device) : call.Report(record);
  });
}

std::int32_t
cudaspline_invert_transform(const cudaspline_grid *       grid,
                            std::int32_t                  dimension,
                            const cudaspline_stage *      stages,
                            std::int32_t                  stage_count,
                            double *                      output,
                            cudaspline_inverse_accuracy * accuracy,
                            cudaspline_execution *        execution)
{
  return Call([=] {
    RequirePointer(grid, "grid");
    RequirePointer(output, "output");
    CallExecution         call(execution);
    const auto            axes = CheckAxes(dimension);
    const FieldGrid       samples = DescribeGrid(*grid, axes, "grid");
    const auto            chain = DescribeStages(stages, stage_count, axes, "transform");
    const InverseAccuracy found = InvertTransform(samples, chain, output, call.GetContext());
    if (accuracy != nullptr)
    {
      *accuracy = { found.mean, found.largest, found.limit };
    }
    call.Report(-1);
  });
}
