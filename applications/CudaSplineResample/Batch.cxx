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
#include "Batch.h"

#include "io/files/AtomicOutput.h"
#include "BatchList.h"
#include "BatchRecord.h"
#include "BatchWorker.h"
#include "console/Error.h"
#include "console/ProgressBar.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include <poll.h>

namespace CudaSplineResample
{

namespace
{

/** State of an item. */
enum class Status : unsigned char
{
  Waiting,
  Done,
  Skipped,
  Failed
};

const char *
NameOf(Status status)
{
  switch (status)
  {
    case Status::Done:
      return "done";
    case Status::Skipped:
      return "skipped";
    case Status::Failed:
      return "failed";
    default:
      return "waiting";
  }
}

/** The list and its state. */
class BatchRun
{
public:
  explicit BatchRun(const Options & options)
    : m_Options(options)
    , m_States(options.items.size())
    , m_Reports(options.items.size())
  {
    for (std::size_t i = 0; i < m_States.size(); ++i)
    {
      const BatchRecord::Finding found =
        options.overwrite ? BatchRecord::Finding() : m_Record.Find(options.items[i], options);
      m_States[i].again = found.reason;
      if (found.isDone)
      {
        this->Finish(i, Status::Skipped, "it is there already, made with these options from these files");
      }
    }
  }

  /** Runs until every item has been processed. */
  void
  Run()
  {
    m_Workers.resize(std::min(m_States.size() - m_Finished, m_Options.GetNumberOfJobs()));
    for (std::size_t slot = 0; slot < m_Workers.size(); ++slot)
    {
      this->Occupy(slot);
    }
    while (m_Finished < m_States.size())
    {
      std::vector<pollfd> waiting;
      for (const auto & worker : m_Workers)
      {
        // poll() ignores a negative number.
        waiting.push_back({ worker && worker->GetItem() ? worker->GetResults() : -1, POLLIN, 0 });
      }
      if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR)
      {
        throw ProgramError(std::string("the batch cannot wait for its processes: ") + std::strerror(errno));
      }
      for (std::size_t slot = 0; slot < m_Workers.size(); ++slot)
      {
        if (waiting[slot].fd >= 0 && waiting[slot].revents != 0)
        {
          this->Collect(slot);
          this->Occupy(slot);
        }
      }
    }
  }

  /** Prints a line for each failure, and returns the exit code. */
  int
  Conclude() const
  {
    std::size_t failed = 0;
    std::size_t skipped = 0;
    std::size_t again = 0;
    for (std::size_t i = 0; i < m_States.size(); ++i)
    {
      const State & state = m_States[i];
      failed += state.status == Status::Failed ? 1 : 0;
      skipped += state.status == Status::Skipped ? 1 : 0;
      again += state.status == Status::Done && !state.again.empty() ? 1 : 0;
      for (const std::string & warning : state.warnings)
      {
        std::cerr << programName << ": warning: " << OneLine(m_Options.items[i].input) << ": " << warning << '\n';
      }
    }
    for (std::size_t i = 0; i < m_States.size(); ++i)
    {
      if (m_States[i].status == Status::Failed)
      {
        std::cerr << programName << ": error: " << OneLine(m_Options.items[i].input) << ": " << m_States[i].message
                  << '\n';
      }
    }
    // Always printed, because existing files may not be the ones that the user expects.
    if (skipped > 0)
    {
      std::cout
        << skipped << " of " << m_States.size()
        << " images were there already, made with these options from these files; --overwrite makes them again\n";
    }
    if (again > 0)
    {
      std::cout << again << " of " << m_States.size()
                << " images were there, made otherwise, and were made again; --verbose and --report say why\n";
    }
    std::cout << std::flush;
    const std::string counts = std::to_string(m_States.size() - failed - skipped) + " done, " +
                               std::to_string(skipped) + " there already, " + std::to_string(failed) + " failed";
    if (failed > 0)
    {
      std::cerr << programName << ": error: " << failed << " of " << m_States.size() << " images failed (" << counts
                << ')' << std::endl;
    }
    else if (m_Options.verbose)
    {
      std::cout << counts << std::endl;
    }
    return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
  }

  /** Returns the state of each item, with its own report. */
  std::string
  AsJson() const
  {
    nlohmann::json json;
    json["items"] = nlohmann::json::array();
    for (std::size_t i = 0; i < m_States.size(); ++i)
    {
      const BatchItem & item = m_Options.items[i];
      nlohmann::json    entry;
      entry["input"] = item.input;
      entry["output"] = item.output;
      entry["transforms"] = nlohmann::json::array();
      for (const TransformArgument & transform : item.transforms)
      {
        entry["transforms"].push_back(transform.file);
      }
      entry["status"] = NameOf(m_States[i].status);
      entry["message"] = m_States[i].message;
      entry["made_again"] = m_States[i].again;
      entry["warnings"] = m_States[i].warnings;
      entry["report"] = m_Reports[i];
      json["items"].push_back(entry);
    }
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }

private:
  struct State
  {
    Status                   status{ Status::Waiting };
    std::string              message;
    std::string              again;  ///< why it is made again although it exists
    std::optional<Making>    making; ///< inputs of the result when it was begun
    std::vector<std::string> warnings;
  };

  void
  Finish(std::size_t item, Status status, const std::string & message)
  {
    m_States[item].status = status;
    m_States[item].message = message;
    ++m_Finished;
    if (!m_Options.quiet)
    {
      m_Bar.Show("images", static_cast<double>(m_Finished) / static_cast<double>(m_States.size()));
    }
    if (m_Options.verbose)
    {
      m_Bar.Wipe();
      std::cout << '[' << m_Finished << '/' << m_States.size() << "] " << OneLine(m_Options.items[item].output) << ": "
                << NameOf(status);
      const nlohmann::json & report = m_Reports[item];
      if (report.is_object())
      {
        std::cout << ", " << report.value("backend", "");
      }
      const std::string & again = m_States[item].again;
      std::cout << (again.empty() ? "" : "; " + again);
      std::cout << std::endl;
    }
  }

  /** Passes the next item to a process, or to a new process if the last one has ended. */
  void
  Occupy(std::size_t slot)
  {
    std::unique_ptr<BatchWorker> & worker = m_Workers[slot];
    while (m_Next < m_States.size() && m_States[m_Next].status != Status::Waiting)
    {
      ++m_Next;
    }
    if (m_Next == m_States.size())
    {
      return;
    }
    const bool isNew = !worker;
    if (isNew)
    {
      const auto & devices = m_Options.devices;
      try
      {
        worker = std::make_unique<BatchWorker>(m_Options, devices.empty() ? "" : devices[slot % devices.size()]);
      }
      catch (const ProgramError &)
      {
        if (std::all_of(m_Workers.begin(), m_Workers.end(), [](const auto & other) { return !other; }))
        {
          throw;
        }
        return; // the others continue
      }
    }
    m_States[m_Next].making = BatchRecord::Look(m_Options.items[m_Next], m_Options); // before it is read
    const auto left = std::count_if(m_States.begin() + static_cast<std::ptrdiff_t>(m_Next),
                                    m_States.end(),
                                    [](const State & state) { return state.status == Status::Waiting; });
    if (worker->Order(m_Next, static_cast<std::size_t>(left)))
    {
      ++m_Next;
      return;
    }
    // The process ended without an item. Another one replaces it, unless it had just begun.
    const std::string end = worker->End();
    worker = nullptr;
    if (isNew)
    {
      this->Finish(m_Next++, Status::Failed, end);
    }
    this->Occupy(slot);
  }

  void
  Collect(std::size_t slot)
  {
    std::unique_ptr<BatchWorker> &   worker = m_Workers[slot];
    const std::size_t                item = *worker->GetItem();
    const std::optional<std::string> text = worker->TakeResult();
    if (!text)
    {
      const std::string end = worker->End();
      worker->RemoveLeft(m_Options.items[item].output);
      worker = nullptr;
      this->Finish(item, Status::Failed, end);
      return;
    }
    const nlohmann::json result = nlohmann::json::parse(*text);
    const std::string    error = result.at("error").get<std::string>();
    m_States[item].warnings = result.at("warnings").get<std::vector<std::string>>();
    if (error.empty())
    {
      m_Reports[item] = result.at("report");
      const std::optional<Making> & making = m_States[item].making;
      if (making && !m_Record.Add(m_Options.items[item], *making))
      {
        m_States[item].warnings.emplace_back("that it was made cannot be recorded: another batch makes it again");
      }
    }
    this->Finish(item, error.empty() ? Status::Done : Status::Failed, error);
  }

  const Options &                           m_Options;
  BatchRecord                               m_Record;
  std::vector<State>                        m_States;
  std::vector<nlohmann::json>               m_Reports; ///< reports of the items that have one
  std::vector<std::unique_ptr<BatchWorker>> m_Workers;
  std::size_t                               m_Next{ 0 };
  std::size_t                               m_Finished{ 0 };
  ProgressBar                               m_Bar;
};

} // namespace

int
RunBatch(const Options & options)
{
  CheckBatch(options.items, options);
  std::signal(SIGPIPE, SIG_IGN); // a process that has ended is noticed because its result is missing
  if (!options.report.empty())
  {
    CheckOutput(options.report); // checked before the work
  }
  BatchRun run(options);
  run.Run();
  RemoveOutputsOnSignals(); // no more processes are started
  if (!options.report.empty())
  {
    AtomicOutput  report(options.report);
    std::ofstream stream(report.GetTemporaryName());
    stream << run.AsJson();
    stream.close();
    if (!stream)
    {
      throw ProgramError("the report \"" + options.report + "\" could not be written");
    }
    report.Commit();
  }
  return run.Conclude();
}

} // namespace CudaSplineResample
