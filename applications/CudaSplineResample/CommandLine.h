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
#ifndef CudaSplineResample_CommandLine_h
#define CudaSplineResample_CommandLine_h

#include "Interpolations.h"
#include "io/volume/OutputGrid.h"
#include "io/transforms/TransformInput.h"
#include "io/volume/Volume.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace CudaSplineResample
{

using namespace CudaSplineProgram; // common to both programs

/** \brief One of several images. */
struct BatchItem
{
  std::string                    input;
  std::vector<TransformArgument> transforms; ///< in the given order
  std::string                    output;
};

/** \brief The options of the user. Options on which a result depends are also listed in BatchRecord.cxx. */
struct Options
{
  std::vector<BatchItem>         items; ///< several images; empty: one, input and output
  std::string                    input;
  std::string                    output;
  std::string                    reference;                   ///< empty: the grid of the input
  std::vector<TransformArgument> transforms;                  ///< in the given order
  bool                           looksLikeAntsOrder{ false }; ///< a list may have the order of ANTs, not requested
  bool                           transformPerVolume{ false }; ///< files of several transforms have one per volume
  InterpolationChoice            interpolation;
  GridOptions                    grid;     ///< of the output
  std::vector<double>            rotation; ///< degrees; empty, one (2D) or three (3D)
  double                         defaultValue{ 0.0 };
  std::string                    device;     ///< "" (automatic), "cpu", a number, or several that share one image
  std::optional<ScalarType>      outputType; ///< empty: the type of the input
  bool                           compare{ false };
  std::string                    difference;            ///< image of the differences from ITK; empty: none
  std::string                    report;                ///< JSON file; empty: none
  std::string                    series;                ///< UID; empty: the only one
  bool                           points{ false };       ///< input and output are lists of points
  bool                           composes{ false };     ///< the output is one transform, the composition of all
  bool                           makesFolders{ false }; ///< whether missing folders of outputs are created
  bool                           dicom{ false };        ///< the output is a folder with a DICOM series
  bool                           force{ false };
  bool                           verbose{ false };
  bool                           quiet{ false };      ///< no progress bar
  bool                           explain{ false };    ///< only print what would be done
  bool                           overwrite{ false };  ///< for several images: also make those that exist already
  unsigned int                   jobs{ 0 };           ///< for several images: number at a time; 0: a suitable number
  std::vector<std::string>       devices;             ///< for several images: used in turn; empty: device
  unsigned int                   expectedImages{ 1 }; ///< images of the process, including this one

  /** Returns how many of several images are processed at a time, if there are as many. */
  std::size_t
  GetNumberOfJobs() const
  {
    return jobs > 0 ? jobs : std::max<std::size_t>(3, 2 * devices.size());
  }
};

/** \brief Reads the command line.
 *
 * \param[out] options the options of the user
 * \return the exit code if the program is done, after --help, --version or an error (one line on stderr); otherwise
 * empty */
std::optional<int>
ParseCommandLine(int argc, char ** argv, Options & options);

} // namespace CudaSplineResample

#endif
