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
#ifndef CudaSplineResample_BatchWorker_h
#define CudaSplineResample_BatchWorker_h

#include "process/ChildProcess.h"
#include "CommandLine.h"

#include <cstddef>
#include <optional>
#include <string>

namespace CudaSplineResample
{

/** \brief A process that does items of a batch one after the other, as its parent sees it. */
class BatchWorker
{
public:
  /** Starts the process.
   *
   * \param[in] options with items
   * \param[in] device the GPU that it takes; empty for the device of the options
   * \exception ProgramError no process can be started */
  BatchWorker(const Options & options, const std::string & device);
  BatchWorker(const BatchWorker &) = delete;
  BatchWorker &
  operator=(const BatchWorker &) = delete;

  /** \brief Gives it an item to do.
   * \param[in] item its number
   * \param[in] left how many are to be done by all, with this one
   * \return false where it is gone */
  bool
  Order(std::size_t item, std::size_t left);

  /** \brief The item that it does; none before Order() and after TakeResult(). */
  const std::optional<std::size_t> &
  GetItem() const
  {
    return m_Item;
  }

  /** \brief Waits for the result of its item: JSON of "error" (empty where there was none), "warnings" and "report";
   * nothing where the process ended before it. */
  std::optional<std::string>
  TakeResult();

  /** \brief Ends it, and returns how it ended. */
  std::string
  End();

  /** \brief Removes what it has left of an output where it ended before it was done with it.
   * \pre End() */
  void
  RemoveLeft(const std::string & output) const;

  /** \brief The file that can be read when there is a result. */
  int
  GetResults() const
  {
    return m_Process.GetLink().GetFile();
  }

private:
  std::string                m_Mark; ///< of its outputs
  std::optional<std::size_t> m_Item;
  ChildProcess               m_Process;
};

} // namespace CudaSplineResample

#endif
