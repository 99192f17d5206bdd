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
#ifndef itkCudaSpline_itk_Fields_h
#define itkCudaSpline_itk_Fields_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/DevicePixels.h"
#include "itkCudaSpline/itk/ImageAccess.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/fields/HostFields.h"

#include "itkImage.h"
#include "itkVector.h"

#include <cstdint>
#include <type_traits>

/** \file
 * \brief Describes ITK's images and displacement fields for the kernels of fields. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief The grid of an image: its geometry, and a region whose samples are in memory.
 *
 * \param[in] image the image
 * \param[in] region the region of the samples */
template <unsigned int VDimension>
CudaSpline::FieldGrid
DescribeFieldGrid(const ImageBase<VDimension> * image, const ImageRegion<VDimension> & region)
{
  CudaSpline::FieldGrid grid;
  grid.dimension = VDimension;
  DescribeAxes<VDimension>(image, grid.origin, grid.indexToPoint, grid.pointToIndex);
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    grid.start[d] = region.GetIndex(d);
    grid.size[d] = static_cast<std::int64_t>(region.GetSize(d));
    grid.spacing[d] = image->GetSpacing()[d];
  }
  return grid;
}

/** \brief The shape of a displacement field in memory.
 *
 * \param[in] field the field: an image of vectors of float or double */
template <typename TField>
CudaSpline::FieldShape
DescribeField(const TField * field)
{
  static_assert(TField::PixelType::Dimension == TField::ImageDimension,
                "A displacement must have one component per axis.");
  CudaSpline::FieldShape shape;
  shape.grid = DescribeFieldGrid<TField::ImageDimension>(field, field->GetBufferedRegion());
  shape.element = CudaSpline::ScalarTypeOf<typename TField::PixelType::ValueType>();
  return shape;
}

/** \brief Whether the kernels support an image as a field: vectors of float or double in 2D or 3D, one component per
 * axis. */
template <typename TField>
struct IsField : std::false_type
{};

/** \brief Vectors with one component per axis. */
template <typename TReal, unsigned int VDimension>
struct IsField<Image<Vector<TReal, VDimension>, VDimension>>
{
  /** True for float and double in 2D and 3D. */
  static constexpr bool value = std::is_floating_point<TReal>::value && VDimension >= 2 && VDimension <= 3;
};

/** \brief Largest norm of the vectors of a field in device memory.
 *
 * \param[in] shape shape of the field
 * \param[in] memory the field
 * \exception CudaSpline::DeviceError the device has failed */
inline double
FindLargestNorm(CudaSpline::FieldShape shape, const CudaSpline::BackendMemory & memory)
{
  shape.grid.spacing.fill(1.0);
  CudaSpline::ExecutionContext context;
  context.backend = memory.GetBackend();
  context.device = memory.GetDevice();
  const CudaSpline::Residence     residence(context);
  const CudaSpline::ResidentArray maximum(sizeof(double), residence);
  const CudaSpline::ResidentArray scratch(CudaSpline::MaximumNormScratch, residence);
  CudaSpline::FindMaximumNorm(shape, memory.Data(), maximum.As<double>(), scratch.Data(), residence);
  double largest = 0.0;
  CudaSpline::Download(&largest, maximum.Data(), sizeof(largest), residence);
  return largest;
}

/** \brief The work and the memory of a call of HostFields.h, as an operation of CudaSplineBackend.
 *
 * \param[in] call the call */
inline CudaSplineBackend::Operation
MakeFieldOperation(const CudaSpline::HostFieldCall & call)
{
  CudaSplineBackend::Operation operation;
  operation.work = [call](int) {
    const CudaSpline::OperationWork work = CudaSpline::CountHostFieldWork(call);
    return CudaSpline::BackendWork{ work, work };
  };
  operation.memory = [call](int device) {
    return CudaSpline::PlanHostField(call, CudaSpline::AvailableDeviceMemory(device));
  };
  return operation;
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
