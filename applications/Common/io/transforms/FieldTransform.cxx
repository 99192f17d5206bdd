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
#include "io/transforms/FieldTransform.h"

#include "console/Error.h"
#include "io/formats/ImageInput.h"
#include "process/LibraryMessages.h"
#include "io/formats/NiftiInput.h"
#include "io/volume/PixelType.h"

#include "itkBSplineTransform.h"
#include "itkDisplacementFieldTransform.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace CudaSplineProgram
{
namespace
{

template <unsigned int VDimension>
using FieldTransformType = itk::DisplacementFieldTransform<double, VDimension>;
template <unsigned int VDimension>
using FieldType = typename FieldTransformType<VDimension>::DisplacementFieldType;

/** Sets the grid of a field to the one on which the inverse of a B-spline is sampled: it covers the domain of the
 * spline with the spacing of the input. */
template <typename TSpline, typename TField>
void
SetDomainOfSpline(const TSpline * spline, const Grid & input, TField * field)
{
  constexpr unsigned int       dimension = TField::ImageDimension;
  const auto                   extent = spline->GetTransformDomainPhysicalDimensions();
  const double                 finest = *std::min_element(input.spacing.begin(), input.spacing.begin() + dimension);
  typename TField::SizeType    size;
  typename TField::SpacingType spacing;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    size[d] = static_cast<itk::SizeValueType>(std::min(2000.0, std::max(2.0, std::ceil(extent[d] / finest) + 1.0)));
    spacing[d] = extent[d] / static_cast<double>(size[d] - 1);
  }
  field->SetRegions(size);
  field->SetSpacing(spacing);
  field->SetOrigin(spline->GetTransformDomainOrigin());
  field->SetDirection(spline->GetTransformDomainDirection());
}

/** Returns the grid on which an inverse is sampled. Null if there is no domain. */
template <unsigned int VDimension>
typename FieldType<VDimension>::Pointer
DomainOf(const itk::Transform<double, VDimension, VDimension> * transform, const Grid & input)
{
  const auto field = FieldType<VDimension>::New();
  if (const auto * const displacements = dynamic_cast<const FieldTransformType<VDimension> *>(transform))
  {
    const auto * const from = displacements->GetDisplacementField();
    field->CopyInformation(from);
    field->SetRegions(from->GetLargestPossibleRegion());
  }
  else if (const auto * const cubic = dynamic_cast<const itk::BSplineTransform<double, VDimension, 3> *>(transform))
  {
    SetDomainOfSpline(cubic, input, field.GetPointer());
  }
  else if (const auto * const square = dynamic_cast<const itk::BSplineTransform<double, VDimension, 2> *>(transform))
  {
    SetDomainOfSpline(square, input, field.GetPointer());
  }
  else if (const auto * const linear = dynamic_cast<const itk::BSplineTransform<double, VDimension, 1> *>(transform))
  {
    SetDomainOfSpline(linear, input, field.GetPointer());
  }
  else
  {
    return nullptr;
  }
  field->Allocate();
  return field;
}

} // namespace

bool
IsNameOfField(const std::string & file)
{
  std::string name = file;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::filesystem::path path(name);
  const std::string           ending = path.extension().string();
  const auto                  is = [&ending](std::initializer_list<const char *> endings) {
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
  };
  return IsNiftiName(file) || is({ ".nrrd", ".nhdr", ".mha", ".mhd", ".vtk" });
}

template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
ReadFieldTransform(const std::string & file)
{
  ImageDescription image = DescribeImage(file, {});
  const Grid &     grid = image.grid;
  if (image.layout.nifti && !image.layout.nifti->foreignWarp.empty())
  {
    throw ProgramError("the transform \"" + file +
                       "\" is not a displacement field of ITK: " + image.layout.nifti->foreignWarp);
  }
  if (grid.dimension != VDimension || image.layout.components != VDimension || image.layout.volumes != 1)
  {
    throw ProgramError("the transform \"" + file + "\" is an image of " + std::to_string(image.grid.dimension) +
                       " dimensions with " + std::to_string(image.layout.components) +
                       " components per pixel; a displacement field for this image must have " +
                       std::to_string(VDimension) + " dimensions and " + std::to_string(VDimension) + " components");
  }
  const auto field = FieldType<VDimension>::New();
  SetGeometry<VDimension>(grid, field.GetPointer());
  field->Allocate();
  const std::vector<Volume> planes = ReadPlanes(image, 0);
  const auto                count = static_cast<std::int64_t>(grid.GetNumberOfVoxels());
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    for (std::int64_t voxel = 0; voxel < count; ++voxel)
    {
      const auto value = itk::CudaSpline::LoadScalar<double>(planes[d].pixels.get(), planes[d].type, voxel);
      if (!std::isfinite(value))
      {
        throw ProgramError("the displacement field \"" + file + "\" has a component that is " + Brief(value));
      }
      field->GetBufferPointer()[voxel][d] = value;
    }
  }
  WarnOf(image.messages);
  const auto transform = FieldTransformType<VDimension>::New();
  transform->SetDisplacementField(field);
  return transform.GetPointer();
}

template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
InvertByIteration(const itk::Transform<double, VDimension, VDimension> * transform,
                  const Grid &                                           input,
                  itk::CudaSpline::InverseAccuracy &                     accuracy)
{
  const typename FieldType<VDimension>::Pointer inverse = DomainOf<VDimension>(transform, input);
  if (inverse.IsNull())
  {
    return nullptr;
  }
  const auto found = itk::CudaSplineDetail::InvertOnField<VDimension>(transform, inverse.GetPointer());
  if (!found)
  {
    return nullptr;
  }
  accuracy = *found;
  const auto result = FieldTransformType<VDimension>::New();
  result->SetDisplacementField(inverse);
  return result.GetPointer();
}

template itk::Transform<double, 2, 2>::Pointer
ReadFieldTransform<2>(const std::string &);
template itk::Transform<double, 3, 3>::Pointer
ReadFieldTransform<3>(const std::string &);
template itk::Transform<double, 2, 2>::Pointer
InvertByIteration<2>(const itk::Transform<double, 2, 2> *, const Grid &, itk::CudaSpline::InverseAccuracy &);
template itk::Transform<double, 3, 3>::Pointer
InvertByIteration<3>(const itk::Transform<double, 3, 3> *, const Grid &, itk::CudaSpline::InverseAccuracy &);

} // namespace CudaSplineProgram
