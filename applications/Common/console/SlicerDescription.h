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
 * \brief The description of a program from which 3D Slicer builds its panel: the XML of Slicer's execution model. It
 * is generated from the options of the command line.
 *
 * The type name of an option selects the widget: IMAGE, LABELS, MASK and FIELD are images, TRANSFORM is a transform,
 * FILE and CSV are files. All other values are texts, which Slicer omits if they are empty. */

namespace CudaSplineProgram
{

/** \brief Accepts every value. option->check(WrittenFile()) marks an option with the name of an output file. */
CLI::Validator
WrittenFile();

/** \brief Adds --xml, which prints the description and ends the program.
 *
 * \param[in] app the program
 * \param[in] category category in Slicer's list of modules */
void
AddSlicerDescription(CLI::App & app, const std::string & category);

/** \brief Returns the arguments after the name of the program. Underscores in names of options become hyphens, because
 * Slicer does not allow hyphens in names. */
std::vector<std::string>
GetArguments(int argc, char ** argv);

} // namespace CudaSplineProgram

#endif
