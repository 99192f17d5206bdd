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

/** \brief The parameters in a file of elastix': words behind names, without quotes. */
using ElastixParameters = std::map<std::string, std::vector<std::string>>;

/** \brief Whether a file is one of those that elastix writes and transformix reads (TransformParameters.0.txt): text
 * whose first character outside of comments is a bracket. */
bool
IsElastixFile(const std::string & file);

/** \brief Reads "(Name value "word" ...)" with comments behind "//".
 * \exception ProgramError what is wrong, with the line */
ElastixParameters
ReadElastixText(std::istream & stream);

/** \brief The parameters of a file of elastix', which is refused by its name where a member cannot give one. */
class ElastixFile
{
public:
  /** \exception ProgramError it is missing or damaged */
  explicit ElastixFile(std::string file);
  /** \exception ProgramError always: with the name of the file, and why */
  [[noreturn]] void
  Refuse(const std::string & why) const;
  /** The first word after a name; \p otherwise if there is none. */
  std::string
  Word(const std::string & name, const std::string & otherwise) const;
  /** Whether a name is there. */
  bool
  Has(const std::string & name) const;
  /** As many finite numbers as wanted; any number of them where 0 are. */
  std::vector<double>
  Numbers(const std::string & name, std::size_t count) const;
  /** 2 or 3. */
  unsigned int
  Dimension() const;
  /** The parameters of the transform, which may be in a file of their own. */
  std::vector<double>
  TransformParameters() const;
  /** The file of the initial transform; empty if there is none. If its path does not exist, for example after a move to
   * another machine, the path relative to the folder of this file and then the file name alone are tried there. Paths
   * of Windows (backslashes, a drive letter) are taken too. */
  std::string
  InitialFile() const;
  /** Where it was read. */
  const std::string &
  Name() const;

private:
  std::string       m_File;
  ElastixParameters m_Parameters;
};

/** \brief The grid of a file, whose origin is the place of index 0, not of its first sample. */
Grid
IndexedGridOf(const ElastixFile & file);

/** \brief The grid that transformix makes its result on (Size, Index, Spacing, Origin, Direction).
 * \exception ProgramError the file is missing or damaged, or has no such grid */
Grid
ReadElastixGrid(const std::string & file);

} // namespace CudaSplineProgram

#endif
