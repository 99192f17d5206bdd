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
#include "BatchWorker.h"

#include "io/files/AtomicOutput.h"
#include "BatchList.h"
#include "Command.h"
#include "console/Error.h"
#include "Report.h"

#include "itkCudaSplineSystem.h"

#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdlib>
#include <random>
#include <sstream>

namespace CudaSplineResample
{

namespace
{

/** Processes one item, and returns its result as text for the parent. */
std::string
RunItem(const Options & options)
{
  nlohmann::json result;
  result["error"] = ErrorOf([&] { result["report"] = nlohmann::json::parse(ToJson(RunCommand(options), options)); });
  result["warnings"] = TakeWarnings();
  return result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/** Returns a mark that is unique on all machines: several may write to the same folder. */
std::string
RandomMark()
{
  std::random_device random;
  std::ostringstream mark;
  mark << std::hex << random() << random();
  return mark.str();
}

/** The main loop of a process: it receives numbers of items until there are no more. */
void
Work(const Options & options, const std::string & device, const std::string & mark, const ProcessLink & parent)
{
  RemoveOutputsOnSignals();
  SetOutputMark(mark);
  Options ours = options;
  ours.verbose = false;
  ours.quiet = true;
  ours.report.clear();
  if (!device.empty())
  {
    setenv("CUDASPLINE_DEVICE", device.c_str(), 1);
    ours.device = options.device.empty() ? "" : device; // a device that was requested with --device has to be used
  }
  while (const std::optional<std::string> order = parent.Receive())
  {
    std::istringstream numbers(*order); // number of the item, and number of remaining items
    std::size_t        item = 0;
    std::size_t        left = 0;
    numbers >> item >> left;
    // The processes share the remaining items about equally.
    ours.expectedImages = static_cast<unsigned int>((left - 1) / options.GetNumberOfJobs() + 1);
    if (!parent.Send(RunItem(OptionsOf(options.items.at(item), ours))))
    {
      break;
    }
  }
  itk::CudaSpline::GiveUpDeviceStart();
}

} // namespace

BatchWorker::BatchWorker(const Options & options, const std::string & device)
  : m_Mark(RandomMark())
  , m_Process([&](const ProcessLink & parent) { Work(options, device, m_Mark, parent); }, SIGTERM)
{}

bool
BatchWorker::Order(std::size_t item, std::size_t left)
{
  if (!m_Process.GetLink().Send(std::to_string(item) + " " + std::to_string(left)))
  {
    return false;
  }
  m_Item = item;
  return true;
}

std::optional<std::string>
BatchWorker::TakeResult()
{
  m_Item.reset();
  return m_Process.GetLink().Receive();
}

std::string
BatchWorker::End()
{
  return TextOf(m_Process.End());
}

void
BatchWorker::RemoveLeft(const std::string & output) const
{
  RemoveLeftOutput(output, m_Mark);
}

} // namespace CudaSplineResample
