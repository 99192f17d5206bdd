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
#ifndef StagesCuda_h
#define StagesCuda_h

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/StagedCopy.h"

#include "kernels/transforms/TransformStages.h"

#include <vector>

namespace itk::CudaSpline
{

/** \brief Enqueues the copy of a chain of transforms to a device, and sets the arguments to the copy; displacements in
 * device memory are not copied.
 *
 * \param[in] chain the chain
 * \param[out] at device memory of chain.Bytes() bytes
 * \param[in] uploader copies to the device
 * \param[in] stream the stream
 * \param[in,out] arguments grids and stages are set
 * \param[in] isThere whether the same chain has already been copied there
 * \return the stages with the addresses of the copy */
template <unsigned int VDimension>
std::vector<TransformStage<VDimension>>
UploadStages(const TransformChain &            chain,
             char *                            at,
             Uploader &                        uploader,
             const Stream &                    stream,
             EvaluationArguments<VDimension> & arguments,
             bool                              isThere = false)
{
  std::vector<TransformStage<VDimension>> stages;
  SetGrids(chain, arguments);
  for (const TransformChain::Stage & stage : chain.stages)
  {
    const std::size_t  element = stage.singleData != nullptr ? sizeof(float) : sizeof(double);
    const auto         bytes = static_cast<std::size_t>(TransformChain::CountOf(stage, VDimension)) * element;
    const void * const displacements = DisplacementsOf(stage);
    if (bytes > 0 && DeviceOfPointer(displacements) >= 0)
    {
      stages.push_back(MakeStage<VDimension>(stage, displacements)); // read in their memory
    }
    else
    {
      stages.push_back(MakeStage<VDimension>(stage, at));
      if (!isThere)
      {
        uploader.Copy(at, displacements, bytes, stream);
      }
    }
    at += TransformChain::BytesOf(stage, VDimension);
  }
  if (!isThere)
  {
    uploader.Copy(at, stages.data(), stages.size() * sizeof(stages[0]), stream);
  }
  arguments.stages = reinterpret_cast<const TransformStage<VDimension> *>(at);
  return stages;
}

} // namespace itk::CudaSpline

#endif
