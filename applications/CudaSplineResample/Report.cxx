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
#include "Report.h"

#include "console/Error.h"
#include "PixelTreatment.h"
#include "io/volume/PixelType.h"

#include "itkCudaSplineSystem.h"

#include "itkVersion.h"

#include <nlohmann/json.hpp>

#include <iomanip>

namespace CudaSplineResample
{

namespace
{

std::string
BackendText(const Report & report)
{
  return report.backend + " (" + report.device + (report.fallbackReason.empty() ? "" : "; " + report.fallbackReason) +
         ")";
}

void
PrintTime(std::ostream & stream, const char * stage, double seconds, const std::string & note)
{
  stream << std::left << std::setw(10) << stage << std::right << std::fixed << std::setprecision(3) << std::setw(9)
         << seconds << " s   " << std::defaultfloat << note << '\n';
}

nlohmann::json
GridAsJson(const Grid & grid)
{
  nlohmann::json json;
  for (unsigned int axis = 0; axis < grid.dimension; ++axis)
  {
    json["size"].push_back(grid.size[axis]);
    json["spacing"].push_back(grid.spacing[axis]);
    json["origin"].push_back(grid.origin[axis]);
    nlohmann::json row;
    for (unsigned int column = 0; column < grid.dimension; ++column)
    {
      row.push_back(grid.direction[axis][column]);
    }
    json["direction"].push_back(row);
  }
  return json;
}

nlohmann::json
Fraction(double error, double range)
{
  return error == 0.0 ? nlohmann::json(0.0) : (range > 0.0 ? nlohmann::json(error / range) : nlohmann::json(nullptr));
}

nlohmann::json
ComparisonAsJson(const Comparison & comparison)
{
  const double   range = comparison.GetInputRange();
  nlohmann::json json;
  json["itk_version"] = itk::Version::GetITKVersion();
  json["voxels"] = comparison.voxels;
  json["differing_voxels"] = comparison.differing;
  json["input_minimum"] = comparison.inputMinimum;
  json["input_maximum"] = comparison.inputMaximum;
  json["maximum"] = comparison.maximum;
  json["rms"] = comparison.rms;
  json["percentile_99_9"] = comparison.percentile999;
  json["maximum_fraction"] = Fraction(comparison.maximum, range);
  json["rms_fraction"] = Fraction(comparison.rms, range);
  json["percentile_99_9_fraction"] = Fraction(comparison.percentile999, range);
  json["distance_from_step"] = comparison.distanceFromStep;
  json["itk_seconds"] = comparison.itkSeconds;
  return json;
}

/** Returns the times of a Report or a VolumeReport. */
template <typename TReport>
nlohmann::json
SecondsAsJson(const TReport & report)
{
  return { { "read", report.readSeconds },
           { "prepare", report.prepareSeconds },
           { "evaluate", report.evaluateSeconds } };
}

} // namespace

void
PrintStages(std::ostream & stream, const Report & report, const Options & options)
{
  const auto describe = [](const Grid & grid, ScalarType type) {
    return SizeText(grid) + " voxels of " + SpacingText(grid) + ", " + NameOfPixelType(type);
  };
  PrintTime(stream, "read", report.readSeconds, describe(report.inputGrid, report.inputType));
  PrintTime(stream, "prepare", report.prepareSeconds, "conversion, coefficients, upload");
  PrintTime(stream, "evaluate", report.evaluateSeconds, TextOf(options.interpolation) + " by " + BackendText(report));
  PrintTime(stream, "write", report.writeSeconds, describe(report.outputGrid, report.outputType));
  stream << std::flush;
}

void
PrintComparison(std::ostream & stream, const Report & report)
{
  const Comparison & comparison = *report.comparison;
  const double       range = comparison.GetInputRange();
  const bool         isReal = IsReal(report.outputType);
  stream << "Difference from ITK " << itk::Version::GetITKVersion() << " on the CPU in double, " << comparison.voxels
         << " voxels\n"
         << std::setw(20) << "" << std::setw(14) << "pixel units"
         << "   fraction of the input's range, " << comparison.inputMinimum << " to " << comparison.inputMaximum
         << '\n';
  const std::pair<const char *, double> rows[] = { { "maximum", comparison.maximum },
                                                   { "RMS", comparison.rms },
                                                   { "99.9th percentile", comparison.percentile999 } };
  for (const auto & [name, error] : rows)
  {
    stream << "  " << std::left << std::setw(18) << name << std::right << std::scientific << std::setprecision(3)
           << std::setw(14) << error << std::setw(14);
    if (range > 0.0 || error == 0.0)
    {
      stream << (error == 0.0 ? 0.0 : error / range) << '\n';
    }
    else
    {
      stream << "-" << '\n';
    }
    stream << std::defaultfloat << std::setprecision(6);
  }
  if (!isReal)
  {
    stream << "  " << comparison.differing << " voxels differ";
    if (comparison.differing > 0)
    {
      stream << "; there ITK's value before it becomes an integer is within " << comparison.distanceFromStep << " of "
             << (GetPixelTreatment().rounds ? "a half" : "an integer");
    }
    stream << '\n';
  }
  const double seconds = report.prepareSeconds + report.evaluateSeconds;
  stream << std::setprecision(3) << "Time: " << seconds << " s by " << BackendText(report) << ", "
         << comparison.itkSeconds << " s by ITK (" << Brief(seconds > 0.0 ? comparison.itkSeconds / seconds : 0.0)
         << " times as long)" << std::setprecision(6) << std::endl;
}

std::string
ToJson(const Report & report, const Options & options)
{
  nlohmann::json json;
  json["program_version"] = CUDASPLINE_VERSION;
  json["cuda_toolkit"] =
    itk::CudaSpline::BuiltWithCuda() ? nlohmann::json(itk::CudaSpline::CudaToolkitVersion()) : nlohmann::json(nullptr);
  json["input"] = GridAsJson(report.inputGrid);
  json["input"]["file"] = options.input;
  json["input"]["type"] = NameOfPixelType(report.inputType);
  json["output"] = GridAsJson(report.outputGrid);
  json["output"]["file"] = options.output;
  json["output"]["type"] = NameOfPixelType(report.outputType);
  json["interpolation"] = options.interpolation.method.name;
  json["order"] =
    options.interpolation.HasOrder() ? nlohmann::json(options.interpolation.order) : nlohmann::json(nullptr);
  if (options.interpolation.method.interpolation == Interpolation::WindowedSinc)
  {
    json["radius"] = options.interpolation.radius;
  }
  json["backend"] = report.backend;
  json["device"] = report.device;
  json["fallback_reason"] = report.fallbackReason;
  json["seconds"] = SecondsAsJson(report);
  json["seconds"]["write"] = report.writeSeconds;
  for (const VolumeReport & volume : report.volumes)
  {
    json["volumes"].push_back(
      { { "volume", json["volumes"].size() },
        { "seconds", SecondsAsJson(volume) },
        { "all_default", volume.isDefault },
        { "comparison", volume.comparison ? ComparisonAsJson(*volume.comparison) : nlohmann::json(nullptr) } });
  }
  json["comparison"] = report.comparison ? ComparisonAsJson(*report.comparison) : nlohmann::json(nullptr);
  // File names may contain bytes that are not UTF-8. They are replaced, and are not an error.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace CudaSplineResample
