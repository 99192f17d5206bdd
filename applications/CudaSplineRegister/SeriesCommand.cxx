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

#include "AtomicOutput.h"
#include "DeformationOutput.h"
#include "Error.h"
#include "ImageOutput.h"
#include "LibraryMessages.h"
#include "PathIdentity.h"
#include "Picture.h"
#include "ProgressBar.h"
#include "Report.h"
#include "Stopwatch.h"
#include "StopSignal.h"
#include "TransformOutput.h"
#include "VolumeNames.h"

#include "itkEuler3DTransform.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <list>
#include <optional>

namespace CudaSplineRegister
{

namespace
{

/** Options that are for one moving image. */
void
CheckSeriesOptions(const Options & options, const RegistrationRequest & request)
{
  for (const auto & [option, isThere] : { std::pair("--field", !options.field.empty()),
                                          std::pair("--inverse", !options.inverse.empty()),
                                          std::pair("--jacobian", !options.jacobian.empty()),
                                          std::pair("--also-moving", !options.further.empty()),
                                          std::pair("--evaluate", options.evaluate),
                                          std::pair("--fixed-labels", !options.fixedLabels.empty()),
                                          std::pair("--fixed-landmarks", !options.fixedLandmarks.empty()) })
  {
    if (isThere)
    {
      throw ProgramError(std::string(option) + " is for one moving image; of a series --output, --output-prefix, " +
                         "--parameters, --warped, --picture and --report are written");
    }
  }
  if (!options.prefix.empty() && WillBend(options, request))
  {
    throw ProgramError("--output-prefix of a series writes a matrix a volume, and these stages find fields; --output " +
                       options.prefix + "%04d.h5 has room for them");
  }
}

/** The volume of --picture: that in the middle, when a subject has moved but the scanner is in its steady state. */
std::size_t
VolumeOfPicture(std::size_t volumes)
{
  return volumes / 2;
}

/** Names of the matrices of --output-prefix. */
std::vector<std::string>
NamesOfMatrices(const Options & options, std::size_t volumes)
{
  return options.prefix.empty() ? std::vector<std::string>()
                                : NamesOfPattern({ options.prefix, "_0GenericAffine.mat" }, volumes);
}

/** Name of the series of --output-prefix; empty: none. */
std::string
NameOfWarped(const Options & options)
{
  return options.prefix.empty() ? std::string() : options.prefix + "Warped.nii.gz";
}

/** A number as text that gives it back. */
std::string
Exactly(double number)
{
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", number);
  return text.data();
}

/** The metric at the end; 0 where nothing was iterated. */
double
LastValue(const VolumeReport & volume)
{
  return volume.stages.empty() || volume.stages.back().levels.empty() ? 0.0 : volume.stages.back().levels.back().value;
}

/** A column of the table of motion, as BIDS describes it in a JSON file next to a TSV file. */
struct MotionColumn
{
  const char * name;
  const char * description;
  const char * units; ///< null: a number without a unit
};

constexpr std::array<MotionColumn, 9> motionColumns{
  { { "volume", "Number of the volume, from 0", nullptr },
    { "trans_x", "t_x: translation to the patient's left", "mm" },
    { "trans_y", "t_y: translation to the patient's back", "mm" },
    { "trans_z", "t_z: translation to the patient's head", "mm" },
    { "rot_x", "Rotation about the x axis, applied second", "rad" },
    { "rot_y", "Rotation about the y axis, applied first", "rad" },
    { "rot_z", "Rotation about the z axis, applied third", "rad" },
    { "framewise_displacement",
      "Sum of the magnitudes of the differences from the volume before, of translations and of rotations times 50 mm "
      "(Power and others 2012); n/a for the first volume",
      "mm" },
    { "metric", "Value of the registration's metric at the end; the lower, the better", nullptr } }
};

/** The table: a line with the names of columns, and a line a volume. */
std::string
TableOf(const std::vector<VolumeReport> & volumes)
{
  std::string text;
  for (const MotionColumn & column : motionColumns)
  {
    text += (text.empty() ? "" : "\t") + std::string(column.name);
  }
  text += "\n";
  for (std::size_t number = 0; number < volumes.size(); ++number)
  {
    text += std::to_string(number);
    for (const double parameter : volumes[number].motion)
    {
      text += "\t" + Exactly(parameter);
    }
    text += "\t" + (number == 0 ? std::string("n/a")
                                : Exactly(FramewiseDisplacement(volumes[number - 1].motion, volumes[number].motion)));
    text += "\t" + Exactly(LastValue(volumes[number])) + "\n";
  }
  return text;
}

/** The description of the table, of its columns and of what the volumes are laid over. */
std::string
SidecarOf(const Options & options, const Coordinates & centre)
{
  nlohmann::ordered_json json;
  json["Description"] =
    "Rigid motion of the volumes of a series. A point x of the reference (mm; LPS, the axes of ITK and DICOM: to the "
    "patient's left, back and head) is at R (x - c) + c + t in a volume, where t = (trans_x, trans_y, trans_z), c is "
    "CentreOfRotation, and R rotates by rot_y, then rot_x, then rot_z about these axes (itk::Euler3DTransform).";
  json["Sources"] = { options.moving };
  json["Reference"] = options.target == TargetKind::FixedImage ? options.fixed
                      : options.target == TargetKind::Mean     ? "mean of the volumes"
                                                               : "volume " + std::to_string(options.targetVolume);
  json["CentreOfRotation"] = centre;
  json["CentreOfRotationUnits"] = "mm";
  for (const MotionColumn & column : motionColumns)
  {
    json[column.name]["Description"] = column.description;
    if (column.units != nullptr)
    {
      json[column.name]["Units"] = column.units;
    }
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/** Name of the description: that of the table with the extension .json. */
std::string
NameOfSidecar(const std::string & table)
{
  return table.empty() ? std::string() : std::filesystem::path(table).replace_extension(".json").string();
}

/** Writes a text. \exception ProgramError with the name of the output, where it cannot be written */
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

/** The files that are written, which are committed together. */
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
    , m_Sidecar(this->Open(NameOfSidecar(options.parameters)))
    , m_Picture(this->Open(options.picture))
    , m_Report(this->Open(options.report))
  {
    if (!m_Transforms.empty())
    {
      ProbeTransform(*m_Transforms.front(), m_Fixed.grid.dimension, options.initial || WillBend(options, request));
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

  /** Writes the transform of the next volume, and lays it over the fixed image.
   * \return its motion, empty where it is not rigid */
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
      throw ProgramError("the transforms of the volumes are not rigid, as --parameters needs them");
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
      const Volume warped = WarpWhatIsFinite(request, finite, result.transform);
      if (m_Pixels)
      {
        m_Pixels->Put(number, warped.pixels.get());
      }
      if (isInPicture)
      {
        const Volume start = WarpWhatIsFinite(request, finite, result.start);
        WriteImage(DrawCheckerboards(m_Fixed, start, warped, "volume " + std::to_string(number)),
                   m_Picture->GetTemporaryName());
      }
    }
    return motion;
  }

  /** Writes table, report and series, and replaces all files. */
  void
  Finish(const SeriesReport & report)
  {
    for (const AtomicOutput * const file : m_Warped)
    {
      WriteSeries(*m_Pixels, file->GetTemporaryName(), m_Layout);
    }
    if (m_Table != nullptr)
    {
      WriteText(*m_Table, TableOf(report.volumes), m_Options.parameters);
      WriteText(*m_Sidecar, SidecarOf(m_Options, m_Centre), NameOfSidecar(m_Options.parameters));
    }
    if (m_Report != nullptr)
    {
      WriteReport(ToJson(report, m_Options), m_Options.report, m_Report->GetTemporaryName());
    }
    for (AtomicOutput & file : m_Files)
    {
      file.Commit();
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
    { "--parameters", options.parameters }, { "--parameters (.json)", NameOfSidecar(options.parameters) },
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
  CheckPaths({ { "the fixed image", options.fixed },
               { "the moving image", options.moving },
               { "--fixed-mask", options.fixedMask },
               { "--moving-mask", options.movingMask },
               { "--initial-transform", options.initial ? options.initial->file : std::string() } },
             outputs);
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
    request.note = nullptr; // what is to be said of one volume is to be said of all
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
    if (options.verbose)
    {
      std::cout << "volume " << number << " (" << number + 1 << " of " << volumes << "): " << iterations
                << " iterations, " << Brief(one.GetSeconds()) << " s" << std::endl;
    }
    else
    {
      bar.Show("volumes", static_cast<double>(number + 1) / static_cast<double>(volumes));
    }
  }
  report.seconds = time.GetSeconds();
  files.Finish(report);
  bar.Wipe();
  WarnOf(inputs.moving.messages);
  if (!poor.empty())
  {
    Warn(poor.front() + (poor.size() > 1 ? "; so it is with " + std::to_string(poor.size()) + " of " +
                                             std::to_string(volumes) + " volumes"
                                         : ""));
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
