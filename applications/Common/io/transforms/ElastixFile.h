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
#ifndef CudaSplineProgram_ElastixFile_h
#define CudaSplineProgram_ElastixFile_h

#include "io/volume/Volume.h"

#include <cstddef>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief The parameters of an elastix file: words after names, without quotes. */
using ElastixParameters = std::map<std::string, std::vector<std::string>>;

/** \brief Returns whether a file is a transform parameter file of elastix, which transformix reads
 * (TransformParameters.0.txt). It is text whose first character outside of comments is a bracket. */
bool
IsElastixFile(const std::string & file);

/** \brief Reads "(Name value "word" ...)" with comments after "//".
 *
 * \exception ProgramError the problem, with the line */
ElastixParameters
ReadElastixText(std::istream & stream);

/** \brief The parameters of an elastix file. Members that cannot return a valid value throw an error with its name. */
class ElastixFile
{
public:
  /** \exception ProgramError it is missing or damaged */
  explicit ElastixFile(std::string file);
  /** \exception ProgramError always: with the name of the file, and the reason */
  [[noreturn]] void
  Refuse(const std::string & why) const;
  /** Returns the first word after a name, or \p otherwise if the name is missing. */
  std::string
  Word(const std::string & name, const std::string & otherwise) const;
  /** Returns whether a name exists. */
  bool
  Has(const std::string & name) const;
  /** Returns \p count finite numbers, or any number of them if \p count is 0. */
  std::vector<double>
  Numbers(const std::string & name, std::size_t count) const;
  /** Returns 2 or 3. */
  unsigned int
  Dimension() const;
  /** Returns the parameters of the transform, which may be in a separate file. */
  std::vector<double>
  TransformParameters() const;
  /** Returns the file of the initial transform. Empty if there is none. If its path does not exist, for example after a
   * move to another machine, the path relative to the folder of this file and then the file name alone are tried
   * there. Windows paths (backslashes, a drive letter) are also accepted. */
  std::string
  InitialFile() const;
  /** Returns the name of the file. */
  const std::string &
  Name() const;

private:
  std::string       m_File;
  ElastixParameters m_Parameters;
};

/** \brief Returns the grid of a file. Its origin is the point of index 0, not of its first sample. */
Grid
IndexedGridOf(const ElastixFile & file);

/** \brief Returns the grid on which transformix computes its result (Size, Index, Spacing, Origin, Direction).
 *
 * \exception ProgramError the file is missing or damaged, or has no such grid */
Grid
ReadElastixGrid(const std::string & file);

} // namespace CudaSplineProgram

#endif
