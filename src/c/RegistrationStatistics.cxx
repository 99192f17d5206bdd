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
#include "c/RegistrationImages.h"

#include "itkCudaSpline/kernels/fields/FieldFolding.h"
#include "itkCudaSpline/kernels/registration/ImageStatistics.h"
#include "itkCudaSpline/kernels/registration/RotationSearch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

using namespace itk::CudaSpline;

namespace
{

/** An image and its mask, in the caller's memory. */
MaskedImage
DescribeMasked(const cudaspline_registration_image * image,
               const cudaspline_registration_image * mask,
               std::int32_t                          type,
               unsigned int                          dimension,
               const std::string &                   name)
{
  RequirePointer(image, name.c_str());
  RequirePointer(image->pixels, (name + ".pixels").c_str());
  MaskedImage described;
  described.grid = DescribeGrid(image->grid, dimension, name + ".grid");
  described.pixel = RealOfCode(type, "type");
  described.pixels = image->pixels;
  if (mask != nullptr && mask->pixels != nullptr)
  {
    described.maskGrid = DescribeGrid(mask->grid, dimension, name + "_mask.grid");
    described.mask = static_cast<const std::uint8_t *>(mask->pixels);
  }
  return described;
}

} // namespace

std::int32_t
cudaspline_shrink_grid(const cudaspline_grid * grid,
                       std::int32_t            dimension,
                       std::int32_t            factor,
                       cudaspline_grid *       shrunk)
{
  return Call([=] {
    RequirePointer(grid, "grid");
    RequirePointer(shrunk, "shrunk");
    if (factor < 1)
    {
      throw std::invalid_argument("factor is " + std::to_string(factor) + ", and 1 is the least.");
    }
    const FieldGrid from = DescribeGrid(*grid, CheckDimension(dimension, "dimension"), "grid");
    WriteGrid(ShrinkGrid(from, static_cast<unsigned int>(factor)), *shrunk);
  });
}

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

std::int32_t
cudaspline_find_quantiles(const void *           pixels,
                          std::int32_t           type,
                          std::int64_t           count,
                          const double *         parts,
                          double *               values,
                          cudaspline_execution * execution)
{
  return Call([=] {
    RequirePointer(pixels, "pixels");
    RequirePointer(parts, "parts");
    RequirePointer(values, "values");
    if (count < 0)
    {
      throw std::invalid_argument("count is negative.");
    }
    CallExecution    call(execution);
    const auto       found = Naming("parts", [&] {
      return FindQuantiles(pixels, RealOfCode(type, "type"), count, { { parts[0], parts[1] } }, call.GetContext());
    });
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    values[0] = found ? (*found)[0] : none;
    values[1] = found ? (*found)[1] : none;
    call.Report(-1);
  });
}

std::int32_t
cudaspline_find_centre_of_gravity(const cudaspline_registration_image * image,
                                  std::int32_t                          type,
                                  const cudaspline_registration_image * mask,
                                  std::int32_t                          dimension,
                                  double *                              centre,
                                  cudaspline_execution *                execution)
{
  return Call([=] {
    RequirePointer(centre, "centre");
    CallExecution     call(execution);
    const MaskedImage from = DescribeMasked(image, mask, type, CheckDimension(dimension, "dimension"), "image");
    const auto        found =
      FindCentreOfGravity(from.grid, from.pixels, from.pixel, from.maskGrid, from.mask, call.GetContext());
    for (unsigned int d = 0; d < 3; ++d)
    {
      centre[d] = found ? (*found)[d] : std::numeric_limits<double>::quiet_NaN();
    }
    call.Report(-1);
  });
}

std::int32_t
cudaspline_find_rotation(const cudaspline_registration_image * fixed,
                         const cudaspline_registration_image * fixed_mask,
                         const cudaspline_registration_image * moving,
                         const cudaspline_registration_image * moving_mask,
                         std::int32_t                          type,
                         std::int32_t                          dimension,
                         cudaspline_rotation *                 rotation,
                         cudaspline_execution *                execution)
{
  return Call([=] {
    RequirePointer(rotation, "rotation");
    CallExecution           call(execution);
    const unsigned int      axes = CheckDimension(dimension, "dimension");
    LinearTransform::Vector centre{};
    LinearTransform::Vector translation{};
    std::copy_n(rotation->centre, axes, centre.begin());
    std::copy_n(rotation->translation, axes, translation.begin());
    for (const double number : { centre[0], centre[1], centre[2], translation[0], translation[1], translation[2] })
    {
      if (!std::isfinite(number))
      {
        throw std::invalid_argument(Indefinite("rotation.centre or translation", number, "it is finite"));
      }
    }
    const FoundRotation found = FindRotation(DescribeMasked(fixed, fixed_mask, type, axes, "fixed"),
                                             DescribeMasked(moving, moving_mask, type, axes, "moving"),
                                             centre,
                                             translation,
                                             call.GetContext());
    const auto          way = found.transform.GetTranslation();
    std::copy_n(found.transform.GetParameters().begin(), 6, rotation->parameters);
    for (unsigned int r = 0; r < 3; ++r)
    {
      rotation->translation[r] = way[r];
      std::copy(found.transform.GetMatrix()[r].begin(), found.transform.GetMatrix()[r].end(), rotation->matrix + 3 * r);
    }
    rotation->explained = found.explained;
    rotation->is_poor = found.explained < PoorExplanation ? 1 : 0;
    call.Report(-1);
  });
}

std::int32_t
cudaspline_find_value_scales(const cudaspline_registration_image * fixed,
                             const cudaspline_registration_image * fixed_mask,
                             const cudaspline_registration_image * moving,
                             const cudaspline_registration_image * moving_mask,
                             std::int32_t                          type,
                             std::int32_t                          dimension,
                             std::int32_t                          compares_values,
                             std::int32_t                          device,
                             void *                                stream,
                             cudaspline_value_scales *             scales,
                             cudaspline_execution *                execution)
{
  return Call([=] {
    RequirePointer(scales, "scales");
    CallExecution      call(execution);
    const unsigned int axes = CheckDimension(dimension, "dimension");
    const Residence    residence(call.ContextOf(device));
    residence.Follow(static_cast<StreamHandle>(stream));
    const ValueScales found = FindValueScales(DescribeMasked(fixed, fixed_mask, type, axes, "fixed"),
                                              DescribeMasked(moving, moving_mask, type, axes, "moving"),
                                              compares_values != 0,
                                              residence);
    std::copy(found.largest.begin(), found.largest.end(), scales->largest);
    std::copy(found.factors.begin(), found.factors.end(), scales->factors);
    scales->is_faint = found.isFaint ? 1 : 0;
    call.Report(device);
  });
}
