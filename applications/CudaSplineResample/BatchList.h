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
#ifndef CudaSplineResample_BatchList_h
#define CudaSplineResample_BatchList_h

#include "CommandLine.h"

#include <istream>
#include <string>
#include <vector>

namespace CudaSplineResample
{

/** \brief Reads a list of images: CSV with one line per image.
 *
 * Columns are input, transform and output, in this order or in that of a first line with their names. The transform may
 * be empty; a list with two columns has no transforms. Fields with commas or quotes are quoted as in RFC 4180
 * ("a.tfm,inverse"). Semicolons separate several transforms; the last one is applied first, as on the command line.
 * Empty lines and lines that begin with # are skipped. File names are relative to the folder of the list.
 *
 * \exception ProgramError the file cannot be read, or names an invalid line */
std::vector<BatchItem>
ReadBatchList(const std::string & file);

/** \brief ReadBatchList() for an open file.
 *
 * \param[in] stream the file
 * \param[in] file its name, for messages */
std::vector<BatchItem>
ReadBatchList(std::istream & stream, const std::string & file);

/** \brief Returns items for several inputs, whose outputs have the same names in a folder. If the name of the folder
 * ends with a slash, it is created.
 *
 * \exception ProgramError the last name is not a folder, or an input is a folder: its result has no format */
std::vector<BatchItem>
ItemsToFolder(const std::vector<std::string> & inputs, const std::string & folder);

/** \brief Throws if two items have the same output, or if an output is also an input, a transform, the reference or the
 * report, under any path.
 *
 * \exception ProgramError names the files */
void
CheckBatch(const std::vector<BatchItem> & items, const Options & options);

/** \brief Returns the names of the inputs of an item: input, transforms and reference. */
std::vector<std::string>
SourcesOf(const BatchItem & item, const Options & options);

/** \brief Returns the options of one item: those of the batch with its files. Its transforms are applied before the
 * others. */
Options
OptionsOf(const BatchItem & item, const Options & options);

} // namespace CudaSplineResample

#endif
