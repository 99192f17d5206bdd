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
#include "Error.h"
#include "ImageOutput.h"
#include "LibraryMessages.h"
#include "PathIdentity.h"
#include "ProgressBar.h"
#include "QuietRegistration.h"
#include "Stopwatch.h"
#include "StopSignal.h"
#include "TransformOutput.h"

#include "itkEuler3DTransform.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <list>
#include <memory>

namespace CudaSplineRegister
{

namespace
{

constexpr double sphere = 50.0; // mm; radius of a head, as Power and others take it

/** What was found of a volume. */
struct VolumeResult
{
  std::vector<double> motion; ///< three translations (mm), three rotations (rad)
  double              value{ 0.0 };
};

/** Options that are for one moving image. */
void
CheckSeriesOptions(const Options & options)
{
  for (const auto & [option, isThere] : { std::pair("--output-prefix", !options.prefix.empty()),
                                          std::pair("--picture", !options.picture.empty()),
                                          std::pair("--report", !options.report.empty()),
                                          std::pair("--field", !options.field.empty()),
                                          std::pair("--inverse", !options.inverse.empty()),
                                          std::pair("--jacobian", !options.jacobian.empty()),
                                          std::pair("--evaluate", options.evaluate),
                                          std::pair("--fixed-labels", !options.fixedLabels.empty()),
                                          std::pair("--fixed-landmarks", !options.fixedLandmarks.empty()) })
  {
    if (isThere)
    {
      throw ProgramError(std::string(option) + " is for one moving image; of a series --output, --parameters and " +
                         "--warped are written");
    }
  }
}

/** A number as text that gives it back. */
std::string
Exactly(double number)
{
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", number);
  return text.data();
}

/** The table, with what its numbers are. */
std::string
TableOf(const std::vector<VolumeResult> & volumes, const Options & options, const Coordinates & centre)
{
  const std::string over = options.target == TargetKind::FixedImage ? "\"" + options.fixed + "\""
                           : options.target == TargetKind::Mean     ? "the mean of its volumes"
                                                                : "its volume " + std::to_string(options.targetVolume);
  std::string       text = "# motion of \"" + OneLine(options.moving) + "\" over " + OneLine(over) + "\n";
  text += "# a point x of the latter (mm, ITK's axes: to the left, to the back, upwards) is at R (x - c) + c + t in a "
          "volume; c = (" +
          Exactly(centre[0]) + ", " + Exactly(centre[1]) + ", " + Exactly(centre[2]) + ") mm\n";
  text += "# t = (trans_x, trans_y, trans_z) mm; R turns by rot_y, then rot_x, then rot_z radians about these axes "
          "(itk::Euler3DTransform)\n";
  text += "# framewise_displacement (Power and others 2012), mm: sum of the magnitudes of the differences from the "
          "volume before, of translations and of rotations times 50 mm\n";
  text += "# metric: value at the end, the lower the better\n";
  text += "volume\ttrans_x\ttrans_y\ttrans_z\trot_x\trot_y\trot_z\tframewise_displacement\tmetric\n";
  for (std::size_t number = 0; number < volumes.size(); ++number)
  {
    text += std::to_string(number);
    for (const double parameter : volumes[number].motion)
    {
      text += "\t" + Exactly(parameter);
    }
    text += "\t" + (number == 0 ? std::string("n/a")
                                : Exactly(FramewiseDisplacement(volumes[number - 1].motion, volumes[number].motion)));
    text += "\t" + Exactly(volumes[number].value) + "\n";
  }
  return text;
}

/** The files that are written, which are committed together. */
class SeriesOutput
{
public:
  SeriesOutput(const Options & options, const RegistrationInputs & inputs)
    : m_Options(options)
    , m_Layout(inputs.moving.layout)
    , m_Grid(inputs.fixed.grid)
    , m_Type(options.inDouble ? ScalarType::Float64 : ScalarType::Float32)
  {
    for (const auto & [key, value] : InSpaceOf(inputs.fixed).notes)
    {
      m_Layout.notes[key] = value; // of the space that the output is in
    }
    for (const std::string & name : NamesOfVolumes(options.output, m_Layout.volumes))
    {
      m_Transforms.push_back(&m_Files.emplace_back(name));
    }
    if (!m_Transforms.empty())
    {
      ProbeTransform(*m_Transforms.front(),
                     m_Grid.dimension,
                     options.initial ||
                       std::any_of(options.stages.begin(), options.stages.end(), [](const auto & stage) {
                         return stage.kind == StageKind::BSpline || stage.kind == StageKind::Syn;
                       }));
    }
    if (!options.parameters.empty())
    {
      m_Table = &m_Files.emplace_back(options.parameters);
    }
    if (!options.warped.empty())
    {
      m_Warped = &m_Files.emplace_back(options.warped);
      ProbeOutput(*m_Warped, options.warped, m_Grid, m_Type, m_Layout);
      m_Pixels.grid = m_Grid;
      m_Pixels.type = m_Type;
      m_Pixels.pixels = MapPixels(*m_Warped, m_Pixels.GetNumberOfBytes() * m_Layout.volumes);
    }
  }

  /** Keeps what was found of a volume, and writes its transform. */
  void
  Add(const RegistrationRequest & request, const std::optional<Volume> & finite, const RegistrationResult & result)
  {
    const std::size_t number = m_Volumes.size();
    VolumeResult      volume;
    if (const LevelResult * const last = LastLevel(result))
    {
      volume.value = last->value;
    }
    if (m_Table != nullptr)
    {
      const auto * const rigid = dynamic_cast<const itk::Euler3DTransform<double> *>(result.transform.GetPointer());
      if (rigid == nullptr)
      {
        throw ProgramError("the transforms of the volumes are not rigid, as --parameters needs them");
      }
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        volume.motion.push_back(rigid->GetTranslation()[axis]);
        m_Centre[axis] = rigid->GetCenter()[axis];
      }
      volume.motion.insert(volume.motion.end(), { rigid->GetAngleX(), rigid->GetAngleY(), rigid->GetAngleZ() });
    }
    m_Volumes.push_back(volume);
    if (!m_Transforms.empty())
    {
      WriteTransform(result.transform, m_Transforms[number]->GetTemporaryName());
    }
    if (m_Warped != nullptr)
    {
      const Volume      warped = WarpWhatIsFinite(request, finite, result.transform);
      const std::size_t bytes = warped.GetNumberOfBytes();
      std::memcpy(static_cast<char *>(m_Pixels.pixels.get()) + number * bytes, warped.pixels.get(), bytes);
    }
  }

  /** Writes table and series, and replaces all files. */
  void
  Finish()
  {
    if (m_Warped != nullptr)
    {
      WriteImage(m_Pixels, m_Warped->GetTemporaryName(), m_Layout);
    }
    if (m_Table != nullptr)
    {
      std::ofstream stream(m_Table->GetTemporaryName());
      stream << TableOf(m_Volumes, m_Options, m_Centre);
      stream.close();
      if (!stream)
      {
        throw ProgramError("the table \"" + m_Options.parameters + "\" could not be written");
      }
    }
    for (AtomicOutput & file : m_Files)
    {
      file.Commit();
    }
  }

private:
  static const LevelResult *
  LastLevel(const RegistrationResult & result)
  {
    return result.stages.empty() || result.stages.back().levels.empty() ? nullptr : &result.stages.back().levels.back();
  }

  const Options &             m_Options;
  ImageLayout                 m_Layout;
  Grid                        m_Grid;
  ScalarType                  m_Type;
  std::list<AtomicOutput>     m_Files;
  std::vector<AtomicOutput *> m_Transforms;
  AtomicOutput *              m_Table{ nullptr };
  AtomicOutput *              m_Warped{ nullptr };
  Volume                      m_Pixels; ///< of all volumes
  std::vector<VolumeResult>   m_Volumes;
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
  std::string before = output;
  std::string behind;
  std::size_t width = 4;
  if (const std::size_t percent = output.find('%'); percent != std::string::npos)
  {
    std::size_t end = percent + 1;
    while (end < output.size() && std::isdigit(static_cast<unsigned char>(output[end])) != 0)
    {
      ++end;
    }
    const std::string digits = output.substr(percent + 1, end - percent - 1);
    if (end == output.size() || output[end] != 'd' || digits.size() > 2 || output.find('%', end) != std::string::npos)
    {
      throw ProgramError("--output \"" + output +
                         "\": the number of a volume takes the place of one %d, or of one as %04d");
    }
    before = output.substr(0, percent);
    behind = output.substr(end + 1);
    width = digits.empty() ? 1 : static_cast<std::size_t>(std::stoul(digits));
  }
  else if (output.back() == '/')
  {
    behind = ".tfm";
  }
  else
  {
    const std::filesystem::path path(output);
    behind = path.extension().string();
    before = output.substr(0, output.size() - behind.size()) + "_";
  }
  std::vector<std::string> names;
  for (std::size_t number = 0; number < volumes; ++number)
  {
    const std::string digits = std::to_string(number);
    names.push_back(before + std::string(width > digits.size() ? width - digits.size() : 0, '0') + digits + behind);
  }
  return names;
}

double
FramewiseDisplacement(const std::vector<double> & before, const std::vector<double> & now)
{
  double sum = 0.0;
  for (std::size_t parameter = 0; parameter < now.size(); ++parameter)
  {
    // Of angles the shorter way round.
    const double difference = now[parameter] - before[parameter];
    sum += parameter < 3 ? std::abs(difference) : sphere * std::abs(std::remainder(difference, 2.0 * itk::Math::pi));
  }
  return sum;
}

int
RunSeries(const Options & options, RegistrationInputs & inputs)
{
  CheckSeriesOptions(options);
  const std::size_t      volumes = inputs.moving.layout.volumes;
  std::vector<NamedPath> outputs{ { "--parameters", options.parameters }, { "--warped", options.warped } };
  for (const std::string & name : NamesOfVolumes(options.output, volumes))
  {
    outputs.push_back({ "--output", name });
  }
  CheckPaths({ { "the fixed image", options.fixed },
               { "the moving image", options.moving },
               { "--fixed-mask", options.fixedMask },
               { "--moving-mask", options.movingMask },
               { "--initial-transform", options.initial ? options.initial->file : std::string() } },
             outputs);
  if (!options.output.empty() && options.output.back() == '/')
  {
    std::error_code error;
    std::filesystem::create_directories(options.output, error); // asked for by the slash
  }
  const Stopwatch     time;
  RegistrationRequest request;
  request.options = &options;
  request.initial = inputs.initial;
  request.stopSignal = &GetStopSignal();
  ReadFixed(options, inputs, request);
  SeriesOutput             files(options, inputs);
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
    ReadMoving(options, inputs, number, request, finite);
    std::size_t iterations = 0;
    request.progress = [&iterations](const Iteration &) { ++iterations; };
    const std::string        where = "volume " + std::to_string(number) + " of \"" + options.moving + "\"";
    const RegistrationResult result = [&] {
      try
      {
        return RegisterQuietly(request, options, false);
      }
      catch (const itk::ExceptionObject & exception)
      {
        throw ProgramError(where + ": " + TextOf(exception));
      }
    }();
    request.note = nullptr; // what is to be said of one volume is to be said of all
    files.Add(request, finite, result);
    if (const std::string why = DescribePoorAgreement(MeasureAgreement(request, result.transform)); !why.empty())
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
  files.Finish();
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
    std::cout << volumes << " volumes in " << Brief(time.GetSeconds()) << " s" << std::endl;
  }
  return 0;
}

} // namespace CudaSplineRegister
