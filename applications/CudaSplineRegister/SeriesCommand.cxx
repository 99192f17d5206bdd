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
#include "SeriesCommand.h"

#include "io/files/AtomicOutput.h"
#include "output/DeformationOutput.h"
#include "console/Error.h"
#include "cli/FileNames.h"
#include "io/formats/ImageOutput.h"
#include "console/HelpLayout.h"
#include "process/LibraryMessages.h"
#include "output/MotionTable.h"
#include "io/formats/PathIdentity.h"
#include "output/Picture.h"
#include "console/ProgressBar.h"
#include "output/Report.h"
#include "console/Stopwatch.h"
#include "cli/StopSignal.h"
#include "output/Summary.h"
#include "io/transforms/TransformOutput.h"
#include "io/volume/VolumeNames.h"

#include "itkEuler3DTransform.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <list>
#include <optional>

#include <unistd.h>

namespace CudaSplineRegister
{

namespace
{

/** Checks options that are only for one moving image. */
void
CheckSeriesOptions(const Options & options, const RegistrationRequest & request)
{
  for (const auto & [option, isThere] : { std::pair("--field", !options.field.empty()),
                                          std::pair("--inverse", !options.inverse.empty()),
                                          std::pair("--jacobian", !options.jacobian.empty()),
                                          std::pair("--also-moving", !options.further.empty()),
                                          std::pair("--evaluate", options.evaluate),
                                          std::pair("--composite", options.composite),
                                          std::pair("--reference", !options.reference.empty()),
                                          std::pair("a grid of --warped", !options.grid.IsEmpty()),
                                          std::pair("--output-type", options.outputType.has_value()),
                                          std::pair("--fixed-labels", !options.fixedLabels.empty()),
                                          std::pair("--sliding-regions", !options.slidingRegions.empty()),
                                          std::pair("--fixed-landmarks", !options.fixedLandmarks.empty()) })
  {
    if (isThere)
    {
      throw ProgramError(std::string(option) +
                         " can only be used with one moving image; a series supports --output, --output-prefix, " +
                         "--parameters, --warped, --picture and --report");
    }
  }
  if (!options.prefix.empty() && WillBend(options, request))
  {
    throw ProgramError(
      "--output-prefix writes one matrix per volume of a series, but these stages result in fields; use --output " +
      options.prefix + "%04d.h5");
  }
}

/** Returns the volume of --picture: the middle one, when a subject has moved but the scanner is in its steady state. */
std::size_t
VolumeOfPicture(std::size_t volumes)
{
  return volumes / 2;
}

/** Returns the names of the matrices of --output-prefix. */
std::vector<std::string>
NamesOfMatrices(const Options & options, std::size_t volumes)
{
  return options.prefix.empty() ? std::vector<std::string>()
                                : NamesOfPattern({ options.prefix, "_0GenericAffine.mat" }, volumes);
}

/** Returns the name of the series of --output-prefix. Empty: none. */
std::string
NameOfWarped(const Options & options)
{
  return options.prefix.empty() ? std::string() : options.prefix + "Warped.nii.gz";
}

/** Writes a text.
 *
 * \exception ProgramError names the output if it cannot be written */
void
WriteText(const AtomicOutput & file, const std::string & text, const std::string & name)
{
  std::ofstream stream(file.GetTemporaryName());
  stream << text;
  stream.close();
  if (!stream)
  {
    throw ProgramError("\"" + name + "\" could not be written");
  }
}

/** The output files, which are committed together. */
class SeriesOutput
{
public:
  SeriesOutput(const Options & options, const RegistrationInputs & inputs, const RegistrationRequest & request)
    : m_Options(options)
    , m_Layout(LayoutsOf(inputs).warped)
    , m_Fixed(request.fixed)
    , m_Transforms(this->OpenAll(NamesOfVolumes(options.output, m_Layout.volumes)))
    , m_Matrices(this->OpenAll(NamesOfMatrices(options, m_Layout.volumes)))
    , m_Table(this->Open(options.parameters))
    , m_Sidecar(this->Open(NameOfMotionSidecar(options.parameters)))
    , m_Picture(this->Open(options.picture))
    , m_Report(this->Open(options.report))
  {
    if (!m_Transforms.empty())
    {
      ProbeTransform(
        *m_Transforms.front(), m_Fixed.grid.dimension, !options.initial.empty() || WillBend(options, request));
    }
    for (const std::string & name : { options.warped, NameOfWarped(options) })
    {
      if (AtomicOutput * const file = this->Open(name))
      {
        ProbeOutput(*file, name, m_Fixed.grid, m_Fixed.type, m_Layout);
        m_Warped.push_back(file);
      }
    }
    if (!m_Warped.empty())
    {
      m_Pixels.emplace(*m_Warped.front(), m_Fixed.grid, m_Fixed.type, m_Layout);
    }
    if (m_Picture != nullptr)
    {
      ProbeOutput(*m_Picture, options.picture, PictureGrid(m_Fixed.grid), ScalarType::UInt8);
    }
  }

  /** Writes the transform of the next volume, and the volume on the grid of the fixed image.
   *
   * \return its motion; empty if the transform is not rigid */
  std::vector<double>
  Add(const RegistrationRequest & request, const std::optional<Volume> & finite, const RegistrationResult & result)
  {
    const std::size_t   number = m_Count++;
    std::vector<double> motion;
    if (const auto * const rigid = dynamic_cast<const itk::Euler3DTransform<double> *>(result.transform.GetPointer()))
    {
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        motion.push_back(rigid->GetTranslation()[axis]);
        m_Centre[axis] = rigid->GetCenter()[axis];
      }
      motion.insert(motion.end(), { rigid->GetAngleX(), rigid->GetAngleY(), rigid->GetAngleZ() });
    }
    else if (m_Table != nullptr)
    {
      throw ProgramError("--parameters needs rigid transforms, but those of the volumes are not rigid");
    }
    if (!m_Transforms.empty())
    {
      WriteTransform(result.transform, m_Transforms[number]->GetTemporaryName());
    }
    if (!m_Matrices.empty())
    {
      WriteTransform(TakeApart(result.transform, m_Fixed.grid.dimension).linear,
                     m_Matrices[number]->GetTemporaryName());
    }
    const bool isInPicture = m_Picture != nullptr && number == VolumeOfPicture(m_Layout.volumes);
    if (!m_Warped.empty() || isInPicture)
    {
      const Volume warped = ResampleWithValidityMask(request, finite, result.transform);
      if (m_Pixels)
      {
        m_Pixels->Put(number, warped.pixels.get());
      }
      if (isInPicture)
      {
        const Volume start = ResampleWithValidityMask(request, finite, result.start);
        WriteImage(DrawCheckerboards(m_Fixed, start, warped, "volume " + std::to_string(number)),
                   m_Picture->GetTemporaryName());
      }
    }
    return motion;
  }

  /** Writes table, report and series, and replaces all files. */
  void
  Finish(SeriesReport & report)
  {
    for (const AtomicOutput * const file : m_Warped)
    {
      WriteSeries(*m_Pixels, file->GetTemporaryName(), m_Layout);
    }
    if (m_Table != nullptr)
    {
      WriteText(*m_Table, MakeMotionTable(report.volumes), m_Options.parameters);
      WriteText(*m_Sidecar, MakeMotionSidecar(m_Options, m_Centre), NameOfMotionSidecar(m_Options.parameters));
    }
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

private:
  AtomicOutput *
  Open(const std::string & name)
  {
    return name.empty() ? nullptr : &m_Files.emplace_back(name);
  }

  std::vector<AtomicOutput *>
  OpenAll(const std::vector<std::string> & names)
  {
    std::vector<AtomicOutput *> files;
    for (const std::string & name : names)
    {
      files.push_back(this->Open(name));
    }
    return files;
  }

  const Options &             m_Options;
  ImageLayout                 m_Layout;
  Volume                      m_Fixed;
  std::list<AtomicOutput>     m_Files;
  std::vector<AtomicOutput *> m_Transforms;
  std::vector<AtomicOutput *> m_Matrices;
  AtomicOutput *              m_Table;
  AtomicOutput *              m_Sidecar; ///< of the table
  AtomicOutput *              m_Picture;
  AtomicOutput *              m_Report;
  std::vector<AtomicOutput *> m_Warped;
  std::optional<VolumeStore>  m_Pixels; ///< of all volumes
  std::size_t                 m_Count{ 0 };
  Coordinates                 m_Centre{ 0.0, 0.0, 0.0 };
};

} // namespace

std::vector<std::string>
NamesOfVolumes(const std::string & output, std::size_t volumes)
{
  if (output.empty())
  {
    return {};
  }
  if (const auto pattern = ParseVolumePattern("--output", output))
  {
    return NamesOfPattern(*pattern, volumes);
  }
  if (output.back() == '/')
  {
    return NamesOfPattern({ output, ".tfm" }, volumes);
  }
  const std::string ending = std::filesystem::path(output).extension().string();
  return NamesOfPattern({ output.substr(0, output.size() - ending.size()) + "_", ending }, volumes);
}

int
RunSeries(const Options & options, RegistrationInputs & inputs)
{
  const std::size_t      volumes = inputs.moving.layout.volumes;
  std::vector<NamedPath> outputs{
    { "--parameters", options.parameters }, { "--parameters (.json)", NameOfMotionSidecar(options.parameters) },
    { "--warped", options.warped },         { "--picture", options.picture },
    { "--report", options.report },         { "--output-prefix", NameOfWarped(options) }
  };
  for (const std::string & name : NamesOfVolumes(options.output, volumes))
  {
    outputs.push_back({ "--output", name });
  }
  for (const std::string & name : NamesOfMatrices(options, volumes))
  {
    outputs.push_back({ "--output-prefix", name });
  }
  CheckPaths(InputsOf(options), outputs);
  const Stopwatch     time;
  RegistrationRequest request;
  request.options = &options;
  request.initial = inputs.initial;
  request.stopSignal = &GetStopSignal();
  ReadFixed(options, inputs, request);
  CheckSeriesOptions(options, request);
  const MadeFolder folder(FolderAskedFor(options.output));
  const MadeFolder folderOfPrefix(FolderAskedFor(options.prefix));
  SeriesOutput     files(options, inputs, request);
  SeriesReport     report;
  report.fixedGrid = request.fixed.grid;
  report.movingGrid = inputs.moving.grid;
  ProgressBar              bar;
  std::vector<std::string> poor;
  request.note = [&bar](const std::string & text) {
    bar.Wipe();
    Warn(text);
  };
  for (std::size_t number = 0; number < volumes; ++number)
  {
    const Stopwatch       one;
    std::optional<Volume> finite;
    std::size_t           iterations = 0;
    request.progress = [&iterations](const Iteration &) { ++iterations; };
    const std::string        where = "volume " + std::to_string(number) + " of \"" + options.moving + "\"";
    const RegistrationResult result = [&] {
      try
      {
        ReadMoving(options, inputs, number, request, finite);
        return Register(request);
      }
      catch (const itk::ExceptionObject & exception)
      {
        throw ProgramError(where + ": " + TextOf(exception));
      }
      catch (const ProgramError & error)
      {
        throw ProgramError(where + ": " + error.what());
      }
    }();
    request.note = nullptr; // a note is printed once for all volumes
    VolumeReport volume;
    volume.motion = files.Add(request, finite, result);
    volume.stages = result.stages;
    volume.valueFactors = result.valueFactors;
    volume.agreement = result.agreement.value_or(Agreement());
    volume.seconds = one.GetSeconds();
    report.volumes.push_back(volume);
    if (const std::string why = itk::CudaSpline::DescribePoorAgreement(volume.agreement); !why.empty())
    {
      poor.push_back(where + ": " + why);
    }
    const std::string line = "volume " + std::to_string(number) + " (" + std::to_string(number + 1) + " of " +
                             std::to_string(volumes) + "): " + std::to_string(iterations) + " iterations, " +
                             Brief(one.GetSeconds()) + " s";
    if (options.verbose)
    {
      std::cout << line << std::endl;
    }
    else if (bar.IsOnTerminal() && !options.quiet)
    {
      bar.Show("volume " + std::to_string(number), static_cast<double>(number + 1) / static_cast<double>(volumes));
    }
    else if (!options.quiet)
    {
      std::cerr << line << std::endl;
    }
  }
  report.seconds = time.GetSeconds();
  files.Finish(report);
  bar.Wipe();
  WarnOf(inputs.moving.messages);
  if (!poor.empty())
  {
    Warn(poor.front() + (poor.size() > 1 ? " (the same for " + std::to_string(poor.size()) + " of " +
                                             std::to_string(volumes) + " volumes)"
                                         : ""));
  }
  if (!options.quiet)
  {
    std::cerr << MakeSummary(report, GetTextWidth(STDERR_FILENO)) << std::flush;
  }
  if (options.verbose)
  {
    std::cout << volumes << " volumes in " << Brief(time.GetSeconds()) << " s"
              << (options.picture.empty() ? "" : "; --picture shows volume " + std::to_string(VolumeOfPicture(volumes)))
              << std::endl;
  }
  return 0;
}

} // namespace CudaSplineRegister
