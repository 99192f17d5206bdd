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
#ifndef CudaSplineProgram_GridArguments_h
#define CudaSplineProgram_GridArguments_h

#include "io/volume/OutputGrid.h"

#include <string>

/** \file
 * \brief The command-line options for the grid of an output, which both programs have. */

namespace CudaSplineProgram
{

/** \brief The texts of the options. */
struct GridArguments
{
  std::string crop;
  std::string spacing;
  std::string size;
  std::string origin;
  std::string direction;
};

/** \brief Adds the options to a command line.
 *
 * \tparam TApp CLI::App, with the group of the options as its default */
template <typename TApp>
void
AddGridArguments(TApp & app, GridArguments & arguments)
{
  app
    .add_option(
      "--crop", arguments.crop, "Voxels to keep of that grid along each axis, from 0, as 10:50,20:60,: (end excluded)")
    ->type_name("X:X,Y:Y[,Z:Z]");
  app.add_option("--spacing", arguments.spacing, "Spacing in mm, one value or one per axis; the extent is kept")
    ->type_name("X[,Y[,Z]]");
  app.add_option("--size", arguments.size, "Size in voxels, one value or one per axis; alone it keeps the extent")
    ->type_name("X[,Y[,Z]]");
  app.add_option("--origin", arguments.origin, "Position of the first voxel in mm (LPS); default: the centre is kept")
    ->type_name("X,Y[,Z]");
  app
    .add_option("--direction",
                arguments.direction,
                "Direction matrix, row by row: 4 or 9 numbers, whose columns are the axes; without --origin the centre "
                "is kept")
    ->type_name("D11,D12,...");
}

/** \brief Checks the texts.
 *
 * \exception ProgramError with the option and its value */
GridOptions
ParseGridArguments(const GridArguments & raw);

} // namespace CudaSplineProgram

#endif
