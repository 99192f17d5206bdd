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
#include "output/DeformationOutput.h"

#include "console/Error.h"
#include "io/formats/ImageOutput.h"
#include "process/LibraryMessages.h"
#include "registration/StageTransforms.h"
#include "io/transforms/TransformOutput.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <vector>

namespace CudaSplineRegister
{

namespace
{

DeformationSettings
SettingsOf(const RegistrationRequest & request)
{
  DeformationSettings settings;
  settings.type = request.fixed.type;
  settings.order = request.options->spec.warpedOrder;
  settings.device = request.options->device;
  return settings;
}

/** Checks with a few displacements whether they can be written, and warns if their format drops their geometry. */
void
ProbeField(AtomicOutput * file, const std::string & name, Grid grid, const RegistrationRequest & request)
{
  if (file == nullptr)
  {
    return;
  }
  for (unsigned int axis = 0; axis < grid.dimension; ++axis)
  {
    grid.size[axis] = std::min<std::size_t>(grid.size[axis], 2);
  }
  const itk::TransformBase::Pointer still = grid.dimension == 2
                                              ? itk::TransformBase::Pointer(StageTransforms<2>::Affine::New())
                                              : itk::TransformBase::Pointer(StageTransforms<3>::Affine::New());
  DeformationSettings               settings = SettingsOf(request);
  settings.device = "cpu";
  std::string lost;
  {
    const LibraryMessages silence;
    lost = WriteField(MakeField(still, grid, settings), grid, settings.type, file->GetTemporaryName());
  }
  file->Clear();
  if (!lost.empty())
  {
    Warn("the format of \"" + name + "\" does not keep the " + lost +
         " of displacements, so programs would place the field at a wrong position; use .nii.gz, .nrrd or .mha");
  }
}

} // namespace

std::string
FolderAskedFor(const std::string & name)
{
  return name.empty() || name.back() != '/' ? std::string() : name;
}

bool
WillBend(const Options & options, const RegistrationRequest & request)
{
  return (request.initial.IsNotNull() && TakeApart(request.initial, request.fixed.grid.dimension).rest.IsNotNull()) ||
         std::any_of(options.spec.stages.begin(), options.spec.stages.end(), IsBending);
}

DeformationOutput::DeformationOutput(const Options &             options,
                                     const RegistrationRequest & request,
                                     const OutputLayouts &       layouts,
                                     const WarpedFormat &        format,
                                     const Open &                open)
  : m_Options(options)
  , m_Layouts(layouts)
  , m_Format(format)
{
  const auto openNamed = [&](const std::string & ending, bool isWanted) {
    return open(options.prefix.empty() || !isWanted ? std::string() : options.prefix + ending);
  };
  const bool bends = WillBend(options, request);
  m_Composite = openNamed("Composite.h5", options.composite);
  m_InverseComposite = openNamed("InverseComposite.h5", options.composite);
  m_Affine = openNamed("0GenericAffine.mat", !options.composite);
  m_Warp = openNamed("1Warp.nii.gz", !options.composite && bends);
  m_InverseWarp = openNamed("1InverseWarp.nii.gz", !options.composite && bends);
  std::error_code error;
  for (const char * const ending : { "1Warp.nii.gz", "1InverseWarp.nii.gz" })
  {
    if (m_Affine != nullptr && !bends && std::filesystem::exists(options.prefix + ending, error))
    {
      Warn("\"" + options.prefix + ending +
           "\" is from an earlier registration; this one has no displacement fields and does not replace it");
    }
  }
  m_Warped = openNamed("Warped.nii.gz", true);
  m_InverseWarped = openNamed("InverseWarped.nii.gz", true);
  m_Field = open(options.field);
  m_Inverse = open(options.inverse);
  m_Jacobian = open(options.jacobian);
  ProbeField(m_Warp, options.prefix + "1Warp.nii.gz", request.fixed.grid, request);
  ProbeField(m_Field, options.field, request.fixed.grid, request);
  ProbeField(m_Inverse, options.inverse, request.moving.grid, request);
  if (m_Composite != nullptr)
  {
    ProbeTransform(*m_Composite, request.fixed.grid.dimension, true);
    ProbeTransform(*m_InverseComposite, request.fixed.grid.dimension, true);
  }
  if (m_Warped != nullptr)
  {
    ProbeOutput(*m_Warped, options.prefix + "Warped.nii.gz", m_Format.grid, m_Format.type, m_Format.layout);
  }
  if (m_Jacobian != nullptr)
  {
    ProbeOutput(*m_Jacobian, options.jacobian, request.fixed.grid, request.fixed.type, m_Layouts.computed);
  }
}

void
DeformationOutput::StartField(const AtomicOutput *             file,
                              const itk::DataObject::Pointer & field,
                              const Grid &                     grid,
                              ScalarType                       type,
                              Writing &                        writing)
{
  writing.push_back(std::async(
    std::launch::async, [name = file->GetTemporaryName(), field, grid, type] { WriteField(field, grid, type, name); }));
}

void
DeformationOutput::StartImage(const AtomicOutput * file,
                              const Volume &       image,
                              const ImageLayout &  layout,
                              Writing &            writing)
{
  if (file != nullptr)
  {
    writing.push_back(std::async(
      std::launch::async, [name = file->GetTemporaryName(), image, layout] { WriteImage(image, name, layout); }));
  }
}

std::vector<AtomicOutput *>
DeformationOutput::StartTransforms(const RegistrationRequest & request,
                                   const RegistrationResult &  result,
                                   Writing &                   writing) const
{
  const DeformationSettings settings = SettingsOf(request);
  const Grid &              fixed = request.fixed.grid;
  if (m_Composite != nullptr)
  {
    WriteTransform(result.transform, m_Composite->GetTemporaryName());
    WriteTransform(Invert(result.transform, fixed, settings), m_InverseComposite->GetTemporaryName());
    return { m_Composite, m_InverseComposite };
  }
  if (m_Affine == nullptr)
  {
    return {};
  }
  const AntsParts             parts = TakeApart(result.transform, fixed.dimension);
  std::vector<AtomicOutput *> files{ m_Affine };
  WriteTransform(parts.linear, m_Affine->GetTemporaryName());
  if (parts.rest.IsNotNull())
  {
    StartField(m_Warp, MakeField(parts.rest, fixed, settings), fixed, settings.type, writing);
    StartField(
      m_InverseWarp, MakeField(Invert(parts.rest, fixed, settings), fixed, settings), fixed, settings.type, writing);
    files.insert(files.end(), { m_Warp, m_InverseWarp });
  }
  return files;
}

std::vector<AtomicOutput *>
DeformationOutput::WriteTransforms(const RegistrationRequest & request, const RegistrationResult & result) const
{
  const LibraryMessages silence;
  Writing               writing;
  const auto            files = this->StartTransforms(request, result, writing);
  for (std::future<void> & one : writing)
  {
    one.get();
  }
  return files;
}

std::optional<Folding>
DeformationOutput::Write(const RegistrationRequest & request,
                         const RegistrationResult &  result,
                         const Volume &              warped) const
{
  const DeformationSettings settings = SettingsOf(request);
  const Grid &              fixed = request.fixed.grid;
  const Grid &              moving = request.moving.grid;

  // Files are compressed in the background. The destructor of a future waits for the end.
  const LibraryMessages silence;
  Writing               writing;
  const auto start = [&](const AtomicOutput * file, const itk::DataObject::Pointer & field, const Grid & grid) {
    StartField(file, field, grid, settings.type, writing);
  };
  StartImage(m_Warped, warped, m_Format.layout, writing);
  this->StartTransforms(request, result, writing);
  itk::TransformBase::Pointer inverse;
  if (m_InverseWarped != nullptr || m_Inverse != nullptr)
  {
    inverse = Invert(result.transform, fixed, settings);
  }
  if (m_Inverse != nullptr)
  {
    start(m_Inverse, MakeField(inverse, moving, settings), moving);
  }

  std::optional<Folding> folding;
  if (m_Field != nullptr || m_Jacobian != nullptr || WillBend(m_Options, request))
  {
    const itk::DataObject::Pointer field = MakeField(result.transform, fixed, settings);
    if (m_Field != nullptr)
    {
      start(m_Field, field, fixed);
    }
    Volume determinants;
    folding = MeasureFolding(
      field, fixed, settings.type, m_Jacobian != nullptr ? &determinants : nullptr, m_Options.logJacobian);
    StartImage(m_Jacobian, determinants, m_Layouts.computed, writing);
  }
  if (m_InverseWarped != nullptr)
  {
    StartImage(m_InverseWarped,
               Warp(request.fixed, moving, inverse, m_Options.defaultValue, settings),
               m_Layouts.inverseWarped,
               writing);
  }
  for (std::future<void> & one : writing)
  {
    one.get();
  }
  return folding;
}

} // namespace CudaSplineRegister
