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
#include "output/WarpedOutput.h"

#include "registration/Deformation.h"
#include "console/Error.h"
#include "console/Names.h"
#include "registration/NonFiniteVoxels.h"
#include "io/volume/PixelType.h"

#include <cstdint>
#include <filesystem>

namespace CudaSplineRegister
{

namespace
{

/** Returns whether a picture format stores integers only. */
bool
HoldsIntegersOnly(const std::string & name)
{
  const std::string ending = ToLower(std::filesystem::path(name).extension().string());
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg" || ending == ".bmp";
}

ScalarType
FindType(const Options & options, const ImageDescription & moving)
{
  if (options.outputType)
  {
    return *options.outputType;
  }
  const bool keepsType = moving.layout.components > 1 || HoldsIntegersOnly(options.warped);
  return keepsType ? moving.type : options.spec.precision;
}

/** Interleaves planes, so that the numbers of a pixel are consecutive. */
Volume
Interleave(const std::vector<Volume> & planes, itk::CudaSpline::StoredType type)
{
  const Grid & grid = planes.front().grid;
  Volume       all;
  all.grid = grid;
  all.type = type;
  const std::size_t count = grid.GetNumberOfVoxels();
  all.pixels = std::shared_ptr<void>(new char[count * planes.size() * itk::CudaSpline::SizeOf(all.type)],
                                     [](void * pixels) { delete[] static_cast<char *>(pixels); });
  for (std::size_t component = 0; component < planes.size(); ++component)
  {
    const Volume & plane = planes[component];
    for (std::size_t pixel = 0; pixel < count; ++pixel)
    {
      itk::CudaSpline::StoreScalar(
        all.pixels.get(),
        type,
        static_cast<std::int64_t>(pixel * planes.size() + component),
        itk::CudaSpline::LoadScalar<double>(plane.pixels.get(), plane.type, static_cast<std::int64_t>(pixel)));
    }
  }
  return all;
}

} // namespace

WarpedFormat
FindWarpedFormat(const Options & options, const RegistrationInputs & inputs)
{
  WarpedFormat     format;
  const bool       hasReference = !options.reference.empty();
  ImageDescription other = hasReference ? DescribeImage(options.reference, { "", options.force }) : inputs.fixed;
  if (other.grid.dimension != inputs.fixed.grid.dimension)
  {
    throw ProgramError("the reference \"" + options.reference + "\" has " + std::to_string(other.grid.dimension) +
                       " dimensions, but the images have " + std::to_string(inputs.fixed.grid.dimension));
  }
  format.grid = MakeOutputGrid(other.grid, options.grid);
  format.type = FindType(options, inputs.moving);
  format.layout = LayoutOnGrid(other, &inputs.moving);
  if (!CanHold(format.type, options.defaultValue))
  {
    throw ProgramError("--default-value " + Brief(options.defaultValue) + " cannot be stored as " +
                       NameOfPixelType(format.type) + "; use another value, or another --output-type");
  }
  return format;
}

Volume
WarpToFormat(const RegistrationRequest &   request,
             const std::optional<Volume> & finite,
             const itk::TransformBase *    transform,
             const WarpedFormat &          format)
{
  const std::vector<Volume> single{ request.moving };
  std::vector<Volume>       planes;
  for (const Volume & plane : request.movingColours.empty() ? single : request.movingColours)
  {
    planes.push_back(ResampleWithValidityMask(request, plane, finite, transform, format.grid));
  }
  const itk::CudaSpline::StoredType type{ format.type, itk::CudaSpline::IntegerRounding::HalfToEven };
  if (planes.size() > 1)
  {
    return Interleave(planes, type);
  }
  return planes.front().type == format.type ? planes.front() : CastVolume(planes.front(), type);
}

} // namespace CudaSplineRegister
