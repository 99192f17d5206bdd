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
#include "ComposeCommand.h"

#include "io/files/AtomicOutput.h"
#include "console/DeviceOption.h"
#include "console/Error.h"
#include "io/transforms/FieldTransform.h"
#include "io/formats/ImageInput.h"
#include "process/LibraryMessages.h"
#include "io/formats/PathIdentity.h"
#include "io/transforms/TransformInput.h"
#include "io/transforms/TransformOutput.h"

#include "itkCudaTransformToDisplacementFieldFilter.h"

#include "itkIdentityTransform.h"

#include <algorithm>
#include <iostream>

namespace CudaSplineResample
{

namespace
{

/** Returns the grid of displacements: that of the reference, or of the first field that is applied to a point. */
Grid
FindFieldGrid(const Options & options)
{
  std::string name = options.reference;
  if (name.empty())
  {
    const auto found =
      std::find_if(options.transforms.rbegin(), options.transforms.rend(), [](const TransformArgument & one) {
        return IsNameOfField(one.file) && !one.inverse;
      });
    if (found == options.transforms.rend())
    {
      throw ProgramError("writing displacements to \"" + options.output +
                         "\" needs an output grid; name an image with --reference");
    }
    name = found->file;
  }
  return MakeOutputGrid(DescribeImage(name, { "", options.force }).grid, options.grid);
}

/** Returns the displacements of a transform as an image. Its pixels have as many numbers as it has axes. */
template <typename TNumber, unsigned int VDimension>
Volume
MakeDisplacements(const itk::Transform<double, VDimension, VDimension> * transform,
                  const Grid &                                           grid,
                  const std::string &                                    device)
{
  using FieldType = itk::Image<itk::Vector<TNumber, VDimension>, VDimension>;
  const auto reference = FieldType::New();
  SetGeometry<VDimension>(grid, reference.GetPointer());
  const auto sampler = itk::CudaTransformToDisplacementFieldFilter<FieldType, double>::New();
  sampler->SetTransform(transform);
  sampler->SetReferenceImage(reference);
  sampler->UseReferenceImageOn();
  sampler->SetDevice(device);
  sampler->Update();
  CheckDeviceDid(sampler->GetLastBackend(), sampler->GetFallbackReason(), device, "the displacements");
  const typename FieldType::Pointer field = sampler->GetOutput();
  Volume                            vectors;
  vectors.grid = grid;
  vectors.type = itk::CudaSpline::ScalarTypeOf<TNumber>();
  vectors.pixels = std::shared_ptr<void>(field->GetBufferPointer(), [field](void *) {});
  return vectors;
}

template <unsigned int VDimension>
void
WriteComposed(const Options & options, const AtomicOutput & output)
{
  using TransformType = itk::Transform<double, VDimension, VDimension>;
  Grid grid; // of an image that elastix rotates
  grid.dimension = VDimension;
  const bool isField = IsNameOfField(options.output);
  if (isField)
  {
    grid = FindFieldGrid(options);
  }
  typename TransformType::Pointer transform = MakeTransform<VDimension>(options.transforms, {}, grid);
  if (transform.IsNull())
  {
    transform = itk::IdentityTransform<double, VDimension>::New().GetPointer();
  }
  if (!isField)
  {
    WriteTransform(transform, output.GetTemporaryName());
    return;
  }
  const Volume vectors = options.outputType == ScalarType::Float64
                           ? MakeDisplacements<double, VDimension>(transform, grid, options.device)
                           : MakeDisplacements<float, VDimension>(transform, grid, options.device);
  if (const std::string lost = WriteDisplacements(vectors, output.GetTemporaryName()); !lost.empty())
  {
    Warn("the format of \"" + options.output + "\" does not keep the " + lost +
         " of displacements, so programs would place the field at a wrong position; use .nii.gz, .nrrd or .mha");
  }
}

/** Returns the number of axes: those of the reference or a field, otherwise those that all transforms have. */
unsigned int
FindDimension(const Options & options)
{
  if (IsNameOfField(options.output))
  {
    return FindFieldGrid(options).dimension;
  }
  const auto errorOf = [&options](auto dimension) {
    Grid unused;
    unused.dimension = decltype(dimension)::value;
    return ErrorOf([&] { MakeTransform<decltype(dimension)::value>(options.transforms, {}, unused); });
  };
  const std::string error = errorOf(std::integral_constant<unsigned int, 3>());
  const bool        isFlat = !error.empty() && errorOf(std::integral_constant<unsigned int, 2>()).empty();
  if (!error.empty() && !isFlat)
  {
    throw ProgramError(error);
  }
  TakeWarnings(); // of inverses, which are computed again
  return isFlat ? 2 : 3;
}

} // namespace

void
RunCompose(const Options & options)
{
  std::vector<NamedPath> sources{ { "--reference", options.reference } };
  for (const TransformArgument & transform : options.transforms)
  {
    sources.push_back({ "--transform", transform.file });
  }
  CheckPaths(sources, { { "--compose", options.output } });
  if (options.outputType && *options.outputType != ScalarType::Float32 && *options.outputType != ScalarType::Float64)
  {
    throw ProgramError("--output-type: displacements must be float or double");
  }
  AtomicOutput output(options.output);
  FindDimension(options) == 2 ? WriteComposed<2>(options, output) : WriteComposed<3>(options, output);
  output.Commit();
  if (options.verbose)
  {
    std::cout << options.transforms.size() << " transforms composed to \"" << options.output << '"' << std::endl;
  }
}

} // namespace CudaSplineResample
