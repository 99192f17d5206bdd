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

/** \brief A process that handles items of a batch one after the other, as its parent uses it. */
class BatchWorker
{
public:
  /** Starts the process.
   *
   * \param[in] options with items
   * \param[in] device the GPU that it uses; empty: the device of the options
   * \exception ProgramError no process can be started */
  BatchWorker(const Options & options, const std::string & device);
  BatchWorker(const BatchWorker &) = delete;
  BatchWorker &
  operator=(const BatchWorker &) = delete;

  /** \brief Passes an item to the process.
   *
   * \param[in] item its number
   * \param[in] left number of items that remain for all processes, including this one
   * \return false if the process has ended */
  bool
  Order(std::size_t item, std::size_t left);

  /** \brief Returns the current item. Empty before Order() and after TakeResult(). */
  const std::optional<std::size_t> &
  GetItem() const
  {
    return m_Item;
  }

  /** \brief Waits for the result of the item: JSON of "error" (empty if there was none), "warnings" and "report". Empty
   * if the process ended before it. */
  std::optional<std::string>
  TakeResult();

  /** \brief Ends the process, and returns how it ended. */
  std::string
  End();

  /** \brief Removes incomplete files of an output if the process ended early.
   *
   * \pre End() */
  void
  RemoveLeft(const std::string & output) const;

  /** \brief Returns the file that becomes readable when there is a result. */
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
