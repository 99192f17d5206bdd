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

using namespace CudaSplineProgram; // what the programs share

/** \brief An image of several. */
struct BatchItem
{
  std::string                    input;
  std::vector<TransformArgument> transforms; ///< in the order given
  std::string                    output;
};

/** \brief What the user asked for. Those on which a result depends are listed in BatchRecord.cxx too. */
struct Options
{
  std::vector<BatchItem>         items; ///< several images; empty: one, input and output
  std::string                    input;
  std::string                    output;
  std::string                    reference;              ///< empty: the input's grid
  std::vector<TransformArgument> transforms;             ///< in the order given
  bool                      looksLikeAntsOrder{ false }; ///< some list of transforms, and ANTs' order is not asked for
  bool                      transformPerVolume{ false }; ///< files of several transforms have one for each volume
  InterpolationChoice       interpolation;
  GridOptions               grid;     ///< of the output
  std::vector<double>       rotation; ///< degrees; empty, one (2D) or three (3D)
  double                    defaultValue{ 0.0 };
  std::string               device;     ///< "" (automatic), "cpu", a number, or several that share one image
  std::optional<ScalarType> outputType; ///< empty: the input's
  bool                      compare{ false };
  std::string               difference;            ///< image of the differences from ITK; empty: none
  std::string               report;                ///< JSON file; empty: none
  std::string               series;                ///< UID; empty: the only one
  bool                      points{ false };       ///< input and output are lists of points
  bool                      composes{ false };     ///< the output is one transform of all that are given
  bool                      makesFolders{ false }; ///< of outputs, where they do not exist
  bool                      dicom{ false };        ///< the output is a folder with a DICOM series
  bool                      force{ false };
  bool                      verbose{ false };
  bool                      quiet{ false };      ///< no progress bar
  bool                      explain{ false };    ///< print what would be done, and do nothing
  bool                      overwrite{ false };  ///< of several images: also those that are there already
  unsigned int              jobs{ 0 };           ///< of several images: at one time; 0 for a number that is well
  std::vector<std::string>  devices;             ///< of several images: taken in turn; empty: device
  unsigned int              expectedImages{ 1 }; ///< of the process, with this one

  /** Of several images, how many are made at one time, where there are as many. */
  std::size_t
  GetNumberOfJobs() const
  {
    return jobs > 0 ? jobs : std::max<std::size_t>(3, 2 * devices.size());
  }
};

/** \brief Reads the command line.
 *
 * \param[out] options the user's wishes
 * \return the exit code if the program is done, after --help, --version or an error (one line on stderr); empty
 * otherwise */
std::optional<int>
ParseCommandLine(int argc, char ** argv, Options & options);

} // namespace CudaSplineResample

#endif
