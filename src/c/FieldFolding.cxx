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

#include "itkCudaSpline/kernels/fields/FieldFolding.h"

#include <cstdint>

using namespace itk::CudaSpline;

std::int32_t
cudaspline_measure_folding(const cudaspline_grid * grid,
                           std::int32_t            dimension,
                           const void *            field,
                           std::int32_t            type,
                           std::int32_t            logarithm,
                           void *                  output,
                           std::int32_t            device,
                           void *                  stream,
                           cudaspline_folding *    folding,
                           cudaspline_execution *  execution)
{
  return Call([=] {
    RequirePointer(grid, "grid");
    RequirePointer(field, "field");
    CallExecution call(execution);
    FieldShape    shape;
    shape.grid = DescribeGrid(*grid, CheckDimension(dimension, "dimension"), "grid");
    shape.element = RealOfCode(type, "type");
    const Residence residence(call.ContextOf(device));
    residence.Follow(static_cast<StreamHandle>(stream));
    const FieldFolding found = MeasureFolding(shape, field, output, logarithm != 0, residence);
    if (folding != nullptr)
    {
      *folding = { found.voxels, found.all, found.least, found.largest };
    }
    call.Report(device);
  });
}
