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
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/FieldLoopCpu.h"
#include "kernels/fields/ImageWarping.h"

#include <cstddef>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
/** The stages, then their displacements, each of which begins at a multiple of 8. */
template <unsigned int VDimension>
std::shared_ptr<const ResidentArray>
MakeStages(const std::vector<TransformChain::Stage> & stages, const Residence & residence)
{
  std::size_t bytes = stages.size() * sizeof(TransformStage<VDimension>);
  for (const TransformChain::Stage & stage : stages)
  {
    bytes += TransformChain::BytesOf(stage, VDimension);
  }
  auto                                    array = std::make_shared<ResidentArray>(bytes, residence);
  char *                                  at = array->As<char>() + stages.size() * sizeof(TransformStage<VDimension>);
  std::vector<TransformStage<VDimension>> made;
  for (const TransformChain::Stage & stage : stages)
  {
    const void * const displacements = DisplacementsOf(stage);
    made.push_back(MakeStage<VDimension>(stage, at));
    if (displacements != nullptr)
    {
      const std::size_t element = stage.singleData != nullptr ? sizeof(float) : sizeof(double);
      const auto        length = static_cast<std::size_t>(TransformChain::CountOf(stage, VDimension)) * element;
      const bool        isThere = residence.IsOnDevice() && DeviceOfPointer(displacements) >= 0;
      (isThere ? CopyResident : Upload)(at, displacements, length, residence);
    }
    at += TransformChain::BytesOf(stage, VDimension);
  }
  Upload(array->Data(), made.data(), made.size() * sizeof(made[0]), residence);
  return array;
}
} // namespace

ResidentStages::ResidentStages(unsigned int                               dimension,
                               const std::vector<TransformChain::Stage> & stages,
                               const Residence &                          residence)
  : m_Count(static_cast<int>(stages.size()))
{
  if (dimension < 2 || dimension > 3)
  {
    throw std::invalid_argument("Transforms are of 2 or 3 dimensions here, not " + std::to_string(dimension) + ".");
  }
  if (!stages.empty())
  {
    m_Stages = dimension == 2 ? MakeStages<2>(stages, residence) : MakeStages<3>(stages, residence);
  }
}

void
WarpImage(const ResidentImage &  image,
          const FieldShape &     fieldShape,
          const void *           field,
          const ResidentStages & stages,
          void *                 output,
          const Residence &      residence)
{
  if (image.grid.dimension != fieldShape.grid.dimension || image.data == nullptr)
  {
    throw std::invalid_argument("An image that is warped has pixels, and as many dimensions as the field.");
  }
  if (residence.IsOnDevice())
  {
    WarpImageOnCuda(image, fieldShape, field, stages, output, residence);
    return;
  }
  DispatchWarp(image, fieldShape, field, stages, output, [&](const auto & body) {
    ForEachSampleOnCpu(body.walk, residence, body);
  });
}

void
MakeField(const ResidentStages & stages, const FieldShape & shape, void * output, const Residence & residence)
{
  if (residence.IsOnDevice())
  {
    MakeFieldOnCuda(stages, shape, output, residence);
    return;
  }
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    const auto body = MakeChainField<decltype(compiled)::Dimension, Real>(stages, shape, output);
    ForEachSampleOnCpu(body.walk, residence, body);
  });
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WarpImageOnCuda(const ResidentImage &,
                const FieldShape &,
                const void *,
                const ResidentStages &,
                void *,
                const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
MakeFieldOnCuda(const ResidentStages &, const FieldShape &, void *, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
