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
#include "output/MotionTable.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>

namespace CudaSplineRegister
{

namespace
{

/** Formats a number so that reading it returns the same number. */
std::string
Exactly(double number)
{
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", number);
  return text.data();
}

/** Returns the metric at the end; 0 if there was no iteration. */
double
LastValue(const VolumeReport & volume)
{
  return volume.stages.empty() || volume.stages.back().levels.empty() ? 0.0 : volume.stages.back().levels.back().value;
}

/** A column of the table of motion, in the format of BIDS: a JSON file next to a TSV file. */
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

} // namespace

std::string
MakeMotionTable(const std::vector<VolumeReport> & volumes)
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

std::string
MakeMotionSidecar(const Options & options, const Coordinates & centre)
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

std::string
NameOfMotionSidecar(const std::string & table)
{
  return table.empty() ? std::string() : std::filesystem::path(table).replace_extension(".json").string();
}

} // namespace CudaSplineRegister
