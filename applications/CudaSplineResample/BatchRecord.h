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
#ifndef CudaSplineResample_BatchRecord_h
#define CudaSplineResample_BatchRecord_h

#include "CommandLine.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace CudaSplineResample
{

/** \brief Everything that determines the result of an item: the options, and the input files. */
struct Making
{
  std::string options; ///< checksum of the options
  std::string sources; ///< checksum of the names, sizes and times of files
};

/** \brief Records how the outputs of batches were made: a small file in each folder of outputs, with a line for each
 * output. If a batch is started again, it skips outputs that are up to date. */
class BatchRecord
{
public:
  /** State of the output of an item. */
  struct Finding
  {
    bool        isDone{ false }; ///< it exists and is up to date
    std::string reason;          ///< why it is made again although it exists; empty if it does not exist
  };

  /** \brief Returns what determines the result of an item now. Empty if one of its files is missing or inaccessible. */
  static std::optional<Making>
  Look(const BatchItem & item, const Options & options);

  /** \brief Returns whether the output of an item exists and was made with the same options from the same files. */
  Finding
  Find(const BatchItem & item, const Options & options);

  /** \brief Records an output that was made.
   *
   * \param[in] item its item
   * \param[in] making what determined the result, before it was made
   * \return false if the record cannot be written */
  bool
  Add(const BatchItem & item, const Making & making);

private:
  struct Output
  {
    std::string options;
    std::string sources;
    std::string state; ///< names, sizes and times of its files
  };
  using Folder = std::map<std::string, Output>; ///< by the names of outputs

  const Folder &
  Read(const std::string & folder);

  std::map<std::string, Folder> m_Folders;
};

} // namespace CudaSplineResample

#endif
