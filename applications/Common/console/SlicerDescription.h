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
#ifndef CudaSplineProgram_SlicerDescription_h
#define CudaSplineProgram_SlicerDescription_h

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

/** \file
 * \brief The description of a program by which 3D Slicer builds its panel: the XML of Slicer's execution model, made
 * from the options of the command line.
 *
 * The type name of an option selects the widget: IMAGE, LABELS, MASK and FIELD are images, TRANSFORM is a transform,
 * FILE and CSV are files. All other values are texts, which Slicer omits where they are empty. */

namespace CudaSplineProgram
{

/** \brief Accepts every value; option->check(WrittenFile()) marks an option that names a file which the program writes.
 */
CLI::Validator
WrittenFile();

/** \brief Adds --xml, which prints the description and ends the program.
 * \param[in] category of Slicer's list of modules */
void
AddSlicerDescription(CLI::App & app, const std::string & category);

/** \brief The arguments after the program's name, where underscores in names of options are hyphens: Slicer does not
 * allow hyphens in names. */
std::vector<std::string>
GetArguments(int argc, char ** argv);

} // namespace CudaSplineProgram

#endif
