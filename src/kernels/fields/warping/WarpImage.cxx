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
#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/common/FieldLoopCpu.h"
#include "kernels/fields/warping/ImageWarping.h"

#include <stdexcept>

namespace itk::CudaSpline
{

namespace
{
void
CheckStages(const std::vector<TransformChain::Stage> & stages)
{
  if (stages.size() > MaximumWarpStages)
  {
    throw std::invalid_argument("The chain has " + std::to_string(stages.size()) + " transforms; at most " +
                                std::to_string(MaximumWarpStages) + " are supported.");
  }
}
} // namespace

TransformChain::Stage
MakeFieldStage(const FieldShape & shape, const void * field)
{
  TransformChain::Stage stage;
  stage.kind = TransformKind::DisplacementField;
  stage.start = shape.grid.start;
  stage.size = shape.grid.size;
  stage.origin = shape.grid.origin;
  stage.pointToIndex = shape.grid.pointToIndex;
  if (shape.element == ScalarType::Float32)
  {
    stage.singleData = std::shared_ptr<const float>(static_cast<const float *>(field), [](const float *) {});
  }
  else
  {
    stage.data = std::shared_ptr<const double>(static_cast<const double *>(field), [](const double *) {});
  }
  return stage;
}

void
WarpImage(const ImageWarp & warp, const void * image, void * output, const Residence & residence)
{
  CheckStages(warp.stages);
  const unsigned int dimension = warp.output.dimension;
  if (dimension < 2 || dimension > 3 || warp.input.dimension != dimension)
  {
    throw std::invalid_argument("The input image has " + std::to_string(warp.input.dimension) +
                                " dimensions and the output " + std::to_string(dimension) +
                                "; both must have 2, or both 3.");
  }
  if (warp.cubic && warp.nearest)
  {
    throw std::invalid_argument("A B-spline cannot be read by nearest neighbours.");
  }
  if (!IsReal(warp.pixel) && !(warp.pixel == ScalarType::UInt8 && warp.nearest))
  {
    throw std::invalid_argument(std::string("Pixels of type ") + NameOf(warp.pixel) +
                                " cannot be warped; use float32, float64, or uint8 with nearest neighbours.");
  }
  if (residence.IsOnDevice())
  {
    WarpImageOnCuda(warp, image, output, residence);
    return;
  }
  DispatchWarp(warp, image, output, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

void
MakeField(const std::vector<TransformChain::Stage> & stages,
          const FieldShape &                         shape,
          void *                                     output,
          const Residence &                          residence)
{
  CheckStages(stages);
  if (residence.IsOnDevice())
  {
    MakeFieldOnCuda(stages, shape, output, residence);
    return;
  }
  DispatchChainField(stages, shape, output, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WarpImageOnCuda(const ImageWarp &, const void *, void *, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
MakeFieldOnCuda(const std::vector<TransformChain::Stage> &, const FieldShape &, void *, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
