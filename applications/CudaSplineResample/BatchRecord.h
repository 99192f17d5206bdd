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

/** \brief What decides how an item's result will be: the options, and the files that it is made from. */
struct Making
{
  std::string options; ///< checksum of the options
  std::string sources; ///< checksum of the files' names, sizes and times
};

/** \brief What the outputs of batches were made by: a small file in each folder of outputs, with a line for each output
 * that was made. A batch that is started again knows by it which of them it need not make. */
class BatchRecord
{
public:
  /** What is known of an item's output. */
  struct Finding
  {
    bool        isDone{ false }; ///< it is there, as it would be made
    std::string reason;          ///< why it is to be made though it is there; empty where it is not
  };

  /** \brief What decides about an item now; nothing where one of its files is missing, or cannot be asked. */
  static std::optional<Making>
  Look(const BatchItem & item, const Options & options);

  /** \brief Finds out whether an item's output is there and was made by the same options from the same files. */
  Finding
  Find(const BatchItem & item, const Options & options);

  /** \brief Records an output that was made.
   * \param[in] item its item
   * \param[in] making what decided about it, before it was made
   * \return false where the record cannot be written */
  bool
  Add(const BatchItem & item, const Making & making);

private:
  struct Output
  {
    std::string options;
    std::string sources;
    std::string state; ///< of its files: names, sizes, times
  };
  using Folder = std::map<std::string, Output>; ///< by the outputs' names

  const Folder &
  Read(const std::string & folder);

  std::map<std::string, Folder> m_Folders;
};

} // namespace CudaSplineResample

#endif
