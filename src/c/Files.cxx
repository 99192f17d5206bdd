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
#include "itkCudaSpline/c/CudaSplineFilesC.h"
#include "itkCudaSpline/files/NiftiHeader.h"
#include "itkCudaSpline/files/NiftiPixels.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

using namespace itk::CudaSpline;

namespace
{

void
RequireCount(std::int64_t count, const char * name)
{
  if (count < 0)
  {
    throw std::invalid_argument(std::string(name) + ": " + std::to_string(count) +
                                " is negative; it must be at least 0");
  }
}

void
Assign(cudaspline_nifti & to, const NiftiDescription & from)
{
  to = {};
  to.version = from.version;
  to.single_file = from.isSingleFile ? 1 : 0;
  to.swapped = from.isSwapped ? 1 : 0;
  to.dimension = static_cast<std::int32_t>(from.grid.dimension);
  to.pixel = static_cast<std::int32_t>(from.pixel);
  to.components = static_cast<std::int32_t>(from.components);
  to.planes = from.arePlanes ? 1 : 0;
  to.stored_type = static_cast<std::int32_t>(from.storedType);
  to.type = static_cast<std::int32_t>(from.type);
  to.scaled = from.isScaled ? 1 : 0;
  to.volumes = static_cast<std::int64_t>(from.volumes);
  to.pixel_offset = from.pixelOffset;
  to.slope = from.slope;
  to.intercept = from.intercept;
  for (std::size_t row = 0; row < 3; ++row)
  {
    to.size[row] = static_cast<std::int64_t>(from.grid.size[row]);
    to.spacing[row] = from.grid.spacing[row];
    to.origin[row] = from.grid.origin[row];
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      to.direction[3 * row + axis] = from.grid.direction[row][axis];
    }
  }
  const NiftiFields & fields = from.fields;
  to.qform_code = fields.qformCode;
  to.sform_code = fields.sformCode;
  to.intent_code = fields.intentCode;
  to.dim_info = fields.dimInfo;
  to.slice_code = fields.sliceCode;
  to.volume_unit = fields.volumeUnit;
  std::copy(fields.intentParameters.begin(), fields.intentParameters.end(), to.intent_parameters);
  to.cal_min = fields.calMin;
  to.cal_max = fields.calMax;
  to.slice_duration = fields.sliceDuration;
  to.volume_spacing = fields.volumeSpacing;
  to.volume_origin = fields.volumeOrigin;
  to.slice_start = fields.sliceStart;
  to.slice_end = fields.sliceEnd;
  WriteText(fields.intentName, to.intent_name, sizeof(to.intent_name));
  WriteText(fields.description, to.description, sizeof(to.description));
  WriteText(fields.auxFile, to.aux_file, sizeof(to.aux_file));
}

template <std::size_t VBytes>
std::string
TextOf(const char (&text)[VBytes])
{
  return std::string(text, std::find(text, text + VBytes, '\0'));
}

ScalarType
TypeOf(std::int32_t code, const char * name)
{
  if (code < CUDASPLINE_UINT8 || code > CUDASPLINE_FLOAT64)
  {
    throw std::invalid_argument(std::string(name) + ": " + std::to_string(code) + " is not a cudaspline_type");
  }
  return static_cast<ScalarType>(code);
}

NiftiDescription
DescriptionOf(const cudaspline_nifti & from)
{
  NiftiDescription to;
  if (from.version != 1 && from.version != 2)
  {
    throw std::invalid_argument("image.version: " + std::to_string(from.version) +
                                " is not allowed; it must be 1 or 2");
  }
  if (from.dimension != 2 && from.dimension != 3)
  {
    throw std::invalid_argument("image.dimension: " + std::to_string(from.dimension) +
                                " is not allowed; it must be 2 or 3");
  }
  if (from.pixel < CUDASPLINE_NIFTI_SCALAR || from.pixel > CUDASPLINE_NIFTI_COMPLEX)
  {
    throw std::invalid_argument("image.pixel: " + std::to_string(from.pixel) + " is not a cudaspline_nifti_pixel");
  }
  if (from.components < 1 || from.components > 1024)
  {
    throw std::invalid_argument("image.components: " + std::to_string(from.components) + "; 1 to 1024 are allowed");
  }
  double numbers = 8.0 * from.components;
  for (const std::int64_t count : { from.size[0], from.size[1], from.size[2], from.volumes })
  {
    if (count < 1)
    {
      throw std::invalid_argument("image.size, image.volumes: " + std::to_string(count) + "; at least 1 is allowed");
    }
    numbers *= static_cast<double>(count);
  }
  if (!(numbers < 4e18))
  {
    throw std::invalid_argument("image.size: the image has more numbers than can be addressed (4e18)");
  }
  to.version = from.version;
  to.isSingleFile = from.single_file != 0;
  to.isSwapped = from.swapped != 0;
  to.grid.dimension = static_cast<unsigned int>(from.dimension);
  to.pixel = static_cast<NiftiPixel>(from.pixel);
  to.components = static_cast<std::uint32_t>(from.components);
  to.arePlanes = from.planes != 0;
  to.storedType = TypeOf(from.stored_type, "image.stored_type");
  to.type = TypeOf(from.type, "image.type");
  to.isScaled = from.scaled != 0;
  if (!to.isScaled && to.storedType != to.type)
  {
    throw std::invalid_argument("image.type: it must be equal to stored_type if numbers are not scaled");
  }
  to.volumes = static_cast<std::uint64_t>(from.volumes);
  to.pixelOffset = from.pixel_offset;
  to.slope = from.slope;
  to.intercept = from.intercept;
  for (std::size_t row = 0; row < 3; ++row)
  {
    to.grid.size[row] = static_cast<std::uint64_t>(from.size[row]);
    to.grid.spacing[row] = from.spacing[row];
    to.grid.origin[row] = from.origin[row];
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      to.grid.direction[row][axis] = from.direction[3 * row + axis];
    }
  }
  NiftiFields & fields = to.fields;
  fields.qformCode = from.qform_code;
  fields.sformCode = from.sform_code;
  fields.intentCode = from.intent_code;
  fields.dimInfo = from.dim_info;
  fields.sliceCode = from.slice_code;
  fields.volumeUnit = from.volume_unit;
  std::copy_n(from.intent_parameters, 3, fields.intentParameters.begin());
  fields.calMin = from.cal_min;
  fields.calMax = from.cal_max;
  fields.sliceDuration = from.slice_duration;
  fields.volumeSpacing = from.volume_spacing;
  fields.volumeOrigin = from.volume_origin;
  fields.sliceStart = from.slice_start;
  fields.sliceEnd = from.slice_end;
  fields.intentName = TextOf(from.intent_name);
  fields.description = TextOf(from.description);
  fields.auxFile = TextOf(from.aux_file);
  return to;
}

/** Checks that the type of a scaled image can be scaled in NIfTI. */
void
CheckScaling(const NiftiDescription & image)
{
  if (image.isScaled && image.type != GetScaledNiftiType(image))
  {
    throw std::invalid_argument(std::string("image.type: it must be ") + NameOf(GetScaledNiftiType(image)) +
                                ", the type of scaled numbers of stored_type");
  }
}

} // namespace

std::int32_t
cudaspline_describe_nifti(const void *       bytes,
                          std::int64_t       count,
                          cudaspline_nifti * image,
                          char *             warnings,
                          std::int64_t       warning_bytes)
{
  return Call([=] {
    RequirePointer(bytes, "bytes");
    RequirePointer(image, "image");
    RequireCount(count, "count");
    const NiftiDescription found = DescribeNifti(bytes, static_cast<std::size_t>(count));
    Assign(*image, found);
    std::string text;
    for (const std::string & warning : found.warnings)
    {
      text += (text.empty() ? "" : "; ") + warning;
    }
    if (warnings != nullptr && warning_bytes > 0)
    {
      WriteText(text, warnings, static_cast<std::size_t>(warning_bytes));
    }
  });
}

std::int32_t
cudaspline_nifti_foreign_warp(const void * bytes, std::int64_t count, char * reason, std::int64_t reason_bytes)
{
  return Call([=] {
    RequirePointer(bytes, "bytes");
    RequirePointer(reason, "reason");
    RequireCount(count, "count");
    RequireCount(reason_bytes - 1, "reason_bytes");
    WriteText(
      GetForeignWarpReason(bytes, static_cast<std::size_t>(count)), reason, static_cast<std::size_t>(reason_bytes));
  });
}

std::int32_t
cudaspline_read_nifti(const cudaspline_nifti * image, const void * stored, std::int64_t count, void * numbers)
{
  return Call([=] {
    RequirePointer(image, "image");
    RequirePointer(stored, "stored");
    RequirePointer(numbers, "numbers");
    NiftiDescription description = DescriptionOf(*image);
    CheckScaling(description);
    description.pixelOffset = 0;
    if (count < 0 || static_cast<std::uint64_t>(count) < description.GetStoredBytes())
    {
      throw std::invalid_argument("stored: the file has " + std::to_string(count) +
                                  " bytes of pixels, but the header requires " +
                                  std::to_string(description.GetStoredBytes()));
    }
    const std::size_t numberBytes = SizeOf(description.type);
    const auto        voxels = static_cast<std::size_t>(description.GetNumberOfVoxels());
    for (std::uint64_t volume = 0; volume < description.volumes; ++volume)
    {
      char * const to = static_cast<char *>(numbers) + volume * voxels * description.components * numberBytes;
      for (std::uint32_t index = 0; index < GetNumberOfNiftiPlanes(description); ++index)
      {
        const NiftiPlane plane = GetNiftiPlane(description, volume, index);
        ConvertNiftiNumbers(description,
                            plane.component,
                            static_cast<const char *>(stored) + plane.offset,
                            static_cast<std::size_t>(plane.count),
                            to + plane.component * numberBytes,
                            description.arePlanes ? description.components : 1);
      }
    }
  });
}

std::int32_t
cudaspline_make_nifti_header(cudaspline_nifti * image, void * bytes, std::int64_t * count)
{
  return Call([=] {
    RequirePointer(image, "image");
    RequirePointer(bytes, "bytes");
    RequirePointer(count, "count");
    image->stored_type = image->type;
    NiftiDescription  description = DescriptionOf(*image);
    const std::string header = MakeNiftiHeader(description);
    DescribeNifti(header.data(), header.size()); // throws for headers that cannot be read
    Assign(*image, description);
    std::memcpy(bytes, header.data(), header.size());
    *count = static_cast<std::int64_t>(header.size());
  });
}

std::int32_t
cudaspline_write_nifti(const cudaspline_nifti * image,
                       const void *             numbers,
                       std::int64_t             begin,
                       std::int64_t             count,
                       void *                   stored)
{
  return Call([=] {
    RequirePointer(image, "image");
    RequirePointer(numbers, "numbers");
    RequirePointer(stored, "stored");
    RequireCount(begin, "begin");
    RequireCount(count, "count");
    const NiftiFileBytes bytes(DescriptionOf(*image), numbers);
    const std::uint64_t  offset = bytes.GetDescription().pixelOffset;
    if (static_cast<std::uint64_t>(begin) > bytes.GetSize() - offset ||
        static_cast<std::uint64_t>(count) > bytes.GetSize() - offset - static_cast<std::uint64_t>(begin))
    {
      throw std::invalid_argument("count: " + std::to_string(count) + " bytes from " + std::to_string(begin) +
                                  " exceed the " + std::to_string(bytes.GetSize() - offset) + " bytes of the image");
    }
    bytes.Read(
      offset + static_cast<std::uint64_t>(begin), static_cast<std::size_t>(count), static_cast<char *>(stored));
  });
}
