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
#ifndef CudaSplineResample_Report_h
#define CudaSplineResample_Report_h

#include "CommandLine.h"
#include "ErrorStatistics.h"
#include "io/volume/Volume.h"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace CudaSplineResample
{

/** \brief The numbers of a volume of a series. */
struct VolumeReport
{
  double                    readSeconds{ 0.0 };
  double                    prepareSeconds{ 0.0 };
  double                    evaluateSeconds{ 0.0 };
  bool                      isDefault{ false }; ///< every voxel has the default value
  std::optional<Comparison> comparison;
};

/** \brief Results of the program in numbers. They are printed, and written as JSON for other programs. */
struct Report
{
  Grid                      inputGrid;
  Grid                      outputGrid;
  ScalarType                inputType{ ScalarType::Float32 };
  ScalarType                outputType{ ScalarType::Float32 };
  std::string               backend;        ///< Cuda, Cpu or Superclass
  std::string               device;         ///< name of the GPU, or of the CPU's threads
  std::string               fallbackReason; ///< why an earlier backend was not used
  double                    readSeconds{ 0.0 };
  double                    prepareSeconds{ 0.0 };
  double                    evaluateSeconds{ 0.0 };
  double                    writeSeconds{ 0.0 };
  std::optional<Comparison> comparison;     ///< of all volumes
  std::optional<Comparison> lastComparison; ///< of the last one only
  std::vector<VolumeReport> volumes;        ///< of a series, or of several numbers per pixel; otherwise empty
};

/** \brief Prints the result, the backend, and the time of each stage. */
void
PrintStages(std::ostream & stream, const Report & report, const Options & options);

/** \brief Prints differences from ITK and both times. */
void
PrintComparison(std::ostream & stream, const Report & report);

/** \brief Returns the report as JSON: times in seconds, errors in pixel units and as fractions of the input's range
 * (null if the range is 0). "volumes" has the same for each volume of a series. */
std::string
ToJson(const Report & report, const Options & options);

} // namespace CudaSplineResample

#endif
