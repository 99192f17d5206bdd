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
#include "itkCudaSpline/c/CudaSplineTensorsC.h"
#include "itkCudaSpline/math/ScalarType.h"

#include "c/Call.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

using namespace itk::CudaSpline;

namespace
{

/** The layout of a DLTensor, as specified by DLPack. */
struct Tensor
{
  void *               data;
  std::int32_t         deviceType;
  std::int32_t         device;
  std::int32_t         dimension;
  std::uint8_t         typeCode;
  std::uint8_t         bits;
  std::uint16_t        lanes;
  const std::int64_t * shape;
  const std::int64_t * strides; // in elements; null: contiguous, the last axis fastest
  std::uint64_t        byteOffset;
};
static_assert(sizeof(void *) != 8 || sizeof(Tensor) == 48, "A DLTensor has 48 bytes.");

/** Codes of DLPack. */
///@{
constexpr std::int32_t DlCpu = 1;
constexpr std::int32_t DlCuda = 2;
constexpr std::int32_t DlCudaHost = 3;
constexpr std::int32_t DlCudaManaged = 13;
constexpr std::uint8_t DlInt = 0;
constexpr std::uint8_t DlUInt = 1;
constexpr std::uint8_t DlFloat = 2;
constexpr std::uint8_t DlBool = 6;
///@}

std::int32_t
DeviceOf(const Tensor & tensor)
{
  switch (tensor.deviceType)
  {
    case DlCpu:
    case DlCudaHost:
      return -1;
    case DlCuda:
    case DlCudaManaged:
      return tensor.device;
    default:
      throw std::invalid_argument("tensor.device.device_type is " + std::to_string(tensor.deviceType) +
                                  "; 1 (kDLCPU), 2 (kDLCUDA), 3 (kDLCUDAHost) and 13 (kDLCUDAManaged) are supported.");
  }
}

std::int32_t
TypeOf(const Tensor & tensor)
{
  const auto of = [&tensor](std::uint8_t code, std::uint8_t bits) {
    return tensor.typeCode == code && tensor.bits == bits && tensor.lanes == 1;
  };
  for (const int power : { 0, 1, 2, 3 })
  {
    const auto bits = static_cast<std::uint8_t>(8 << power);
    if (of(DlUInt, bits) || (power == 0 && of(DlBool, bits)))
    {
      return CUDASPLINE_UINT8 + 2 * power;
    }
    if (of(DlInt, bits))
    {
      return CUDASPLINE_INT8 + 2 * power;
    }
  }
  if (of(DlFloat, 32) || of(DlFloat, 64))
  {
    return tensor.bits == 32 ? CUDASPLINE_FLOAT32 : CUDASPLINE_FLOAT64;
  }
  throw std::invalid_argument("tensor.dtype has code " + std::to_string(tensor.typeCode) + ", " +
                              std::to_string(tensor.bits) + " bits and " + std::to_string(tensor.lanes) +
                              " lanes; integers of 8 to 64 bits, float32, float64 and bool with 1 lane are supported.");
}

/** Sets the number of elements between neighbours along each axis of a contiguous tensor. */
void
SetContiguousStrides(const Tensor & tensor, std::int64_t * strides)
{
  std::int64_t next = 1;
  for (std::int32_t axis = tensor.dimension - 1; axis >= 0; --axis)
  {
    strides[axis] = next;
    next *= tensor.shape[axis];
  }
}

cudaspline_array
DescribeTensor(const Tensor & tensor)
{
  if (tensor.dimension < 1 || tensor.dimension > CUDASPLINE_MAXIMUM_ARRAY_DIMENSION)
  {
    throw std::invalid_argument("tensor.ndim is " + std::to_string(tensor.dimension) + "; 1 to " +
                                std::to_string(CUDASPLINE_MAXIMUM_ARRAY_DIMENSION) + " are supported.");
  }
  RequirePointer(tensor.shape, "tensor.shape");
  cudaspline_array array{};
  array.data = static_cast<char *>(tensor.data) + tensor.byteOffset;
  array.type = TypeOf(tensor);
  array.dimension = tensor.dimension;
  std::copy_n(tensor.shape, tensor.dimension, array.size);
  SetContiguousStrides(tensor, array.stride);
  if (tensor.strides != nullptr)
  {
    std::copy_n(tensor.strides, tensor.dimension, array.stride);
  }
  return array;
}

void
RequireContiguous(const Tensor & tensor, const cudaspline_array & array)
{
  std::int64_t strides[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION];
  SetContiguousStrides(tensor, strides);
  for (std::int32_t axis = 0; axis < array.dimension; ++axis)
  {
    if (array.size[axis] > 1 && array.stride[axis] != strides[axis])
    {
      throw std::invalid_argument(
        "tensor.strides[" + std::to_string(axis) + "] is " + std::to_string(array.stride[axis]) +
        "; pixels of an image must be contiguous, with " + std::to_string(strides[axis]) + ".");
    }
  }
}

cudaspline_image
DescribeImage(const Tensor & tensor, bool hasComponents)
{
  const cudaspline_array array = DescribeTensor(tensor);
  const std::int32_t     dimension = array.dimension - (hasComponents ? 1 : 0);
  if (dimension < 1 || dimension > CUDASPLINE_MAXIMUM_DIMENSION)
  {
    throw std::invalid_argument("tensor.ndim is " + std::to_string(array.dimension) + "; images of 1 to " +
                                std::to_string(CUDASPLINE_MAXIMUM_DIMENSION) + " axes are supported" +
                                (hasComponents ? ", in addition to that of the components." : "."));
  }
  RequireContiguous(tensor, array);
  cudaspline_image image{};
  image.pixels = array.data;
  image.device = DeviceOf(tensor);
  image.dimension = dimension;
  std::reverse_copy(array.size, array.size + dimension, image.size);
  image.components = hasComponents ? static_cast<std::int32_t>(array.size[dimension]) : 1;
  image.pixel = array.type;
  const bool isDouble = NeedsDoublePrecision(static_cast<ScalarType>(array.type));
  image.element = isDouble ? CUDASPLINE_FLOAT64 : CUDASPLINE_FLOAT32;
  image.order = 1;
  return image;
}

} // namespace

std::int32_t
cudaspline_array_of_tensor(const void * tensor, cudaspline_array * array, std::int32_t * device)
{
  return Call([=] {
    RequirePointer(tensor, "tensor");
    RequirePointer(array, "array");
    RequirePointer(device, "device");
    const auto & from = *static_cast<const Tensor *>(tensor);
    *device = DeviceOf(from);
    *array = DescribeTensor(from);
  });
}

std::int32_t
cudaspline_image_of_tensor(const void * tensor, std::int32_t has_components, cudaspline_image * image)
{
  return Call([=] {
    RequirePointer(tensor, "tensor");
    RequirePointer(image, "image");
    *image = DescribeImage(*static_cast<const Tensor *>(tensor), has_components != 0);
  });
}
