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
#include "output/RegistrationOutput.h"

#include "console/Error.h"
#include "io/formats/ImageOutput.h"
#include "output/Picture.h"
#include "console/Stopwatch.h"
#include "io/transforms/TransformOutput.h"

#include <algorithm>
#include <future>

namespace CudaSplineRegister
{

namespace
{

void
WarnOfFolding(const Folding & folding)
{
  if (folding.voxels > 0)
  {
    Warn("the transform folds " + std::to_string(folding.voxels) + " of " + std::to_string(folding.all) +
         " voxels (the minimum determinant is " + Brief(folding.least) + ")");
  }
}

} // namespace

RegistrationOutput::RegistrationOutput(const Options &               options,
                                       const RegistrationRequest &   request,
                                       const std::optional<Volume> & finite,
                                       const OutputLayouts &         layouts,
                                       const WarpedFormat &          format)
  : m_Options(options)
  , m_Format(format)
  , m_Finite(finite)
  , m_Transform(this->Open(options.output))
  , m_Warped(this->Open(options.warped))
  , m_Picture(this->Open(options.picture))
  , m_Report(this->Open(options.report))
  , m_Deformation(options, request, layouts, format, [this](const std::string & name) { return this->Open(name); })
{
  const bool isComposite =
    !options.initial.empty() || std::any_of(options.spec.stages.begin(), options.spec.stages.end(), IsBending);
  if (m_Transform != nullptr)
  {
    ProbeTransform(*m_Transform, request.fixed.grid.dimension, isComposite);
  }
  if (m_Warped != nullptr)
  {
    ProbeOutput(*m_Warped, options.warped, m_Format.grid, m_Format.type, m_Format.layout);
  }
  if (m_Picture != nullptr)
  {
    ProbeOutput(*m_Picture, options.picture, PictureGrid(request.fixed.grid), ScalarType::UInt8);
  }
}

void
RegistrationOutput::WriteTransforms(const RegistrationRequest & request,
                                    const RegistrationResult &  result,
                                    Report &                    report)
{
  if (m_Transform != nullptr)
  {
    m_Transform->Commit();
    report.files.push_back(m_Options.output);
  }
  for (AtomicOutput * const file : m_Deformation.WriteTransforms(request, result))
  {
    file->Commit();
    report.files.push_back(file->GetTarget());
  }
}

void
RegistrationOutput::Write(const RegistrationRequest & request, const RegistrationResult & result, Report & report)
{
  const Stopwatch time;
  if (m_Transform != nullptr)
  {
    WriteTransform(result.transform, m_Transform->GetTemporaryName());
  }
  if (report.signal != 0)
  {
    this->WriteTransforms(request, result, report);
    return;
  }
  const Stopwatch warping;
  Volume          warped;
  Volume          picture; // on the grid of the fixed image
  Volume          start;
  if (m_Warped != nullptr || m_Deformation.NeedsWarped())
  {
    warped = WarpToFormat(request, m_Finite, result.transform, m_Format);
  }
  if (m_Picture != nullptr)
  {
    picture = ResampleWithValidityMask(request, m_Finite, result.transform);
    start = ResampleWithValidityMask(request, m_Finite, result.start);
  }
  report.warpSeconds = warping.GetSeconds();
  std::future<void> writing; // its destructor waits
  if (m_Warped != nullptr)
  {
    writing =
      std::async(std::launch::async, [&] { WriteImage(warped, m_Warped->GetTemporaryName(), m_Format.layout); });
  }
  if (m_Picture != nullptr)
  {
    WriteImage(DrawCheckerboards(request.fixed, start, picture), m_Picture->GetTemporaryName());
  }
  report.folding = m_Deformation.Write(request, result, warped);
  if (writing.valid())
  {
    writing.get();
  }
  if (report.folding)
  {
    WarnOfFolding(*report.folding);
  }
  report.writeSeconds = time.GetSeconds() - report.warpSeconds;
  if (m_Report != nullptr)
  {
    WriteReport(ToJson(report, m_Options), m_Options.report, m_Report->GetTemporaryName());
  }
  for (AtomicOutput & file : m_Files)
  {
    file.Commit();
    report.files.push_back(file.GetTarget());
  }
}

AtomicOutput *
RegistrationOutput::Open(const std::string & name)
{
  return name.empty() ? nullptr : &m_Files.emplace_back(name);
}

} // namespace CudaSplineRegister
