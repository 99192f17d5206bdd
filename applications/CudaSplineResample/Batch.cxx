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

#include "AtomicOutput.h"
#include "BatchList.h"
#include "Command.h"
#include "Error.h"
#include "ProgressBar.h"
#include "Report.h"

#include "itkCudaSplineSystem.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#  include <sys/prctl.h>
#endif

namespace CudaSplineResample
{

namespace
{

/** What became of an item. */
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

/** All bytes, or false at the end of the other side. */
bool
ReadAll(int file, void * bytes, std::size_t count)
{
  for (char * at = static_cast<char *>(bytes); count > 0;)
  {
    const ssize_t got = read(file, at, count);
    if (got < 0 && errno == EINTR)
    {
      continue;
    }
    if (got <= 0)
    {
      return false;
    }
    at += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

bool
WriteAll(int file, const void * bytes, std::size_t count)
{
  for (const char * at = static_cast<const char *>(bytes); count > 0;)
  {
    const ssize_t put = write(file, at, count);
    if (put < 0 && errno == EINTR)
    {
      continue;
    }
    if (put <= 0)
    {
      return false;
    }
    at += put;
    count -= static_cast<std::size_t>(put);
  }
  return true;
}

/** Does one item; its result as the parent reads it. */
nlohmann::json
RunItem(const Options & options)
{
  nlohmann::json result;
  result["error"] = ErrorOf([&] { result["report"] = nlohmann::json::parse(ToJson(RunCommand(options), options)); });
  result["warnings"] = TakeWarnings();
  return result;
}

/** The life of a process: items by their number, until there are no more. */
[[noreturn]] void
RunWorker(const Options & options, const std::string & device, int orders, int results)
{
#if defined(__linux__)
  prctl(PR_SET_PDEATHSIG, SIGTERM); // what the parent does not live to collect is not wanted
#endif
  RemoveOutputsOnSignals();
  Options ours = options;
  ours.verbose = false;
  ours.quiet = true;
  ours.report.clear();
  if (!device.empty())
  {
    setenv("CUDASPLINE_DEVICE", device.c_str(), 1);
    ours.device = options.device.empty() ? "" : device; // asked for by --device it has to do the work
  }
  std::uint64_t number = 0;
  while (ReadAll(orders, &number, sizeof(number)))
  {
    const nlohmann::json result = RunItem(OptionsOf(options.items[number], ours));
    const std::string    text = result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const std::uint64_t  length = text.size();
    if (!WriteAll(results, &length, sizeof(length)) || !WriteAll(results, text.data(), text.size()))
    {
      break;
    }
  }
  itk::CudaSpline::WaitForDeviceStart();
  std::_Exit(EXIT_SUCCESS); // the parent's destructors are not this process's
}

/** A process that does items, as its parent sees it. */
class Worker
{
public:
  /** \param[in] others files of the other processes, which this one is not to keep open */
  Worker(const Options & options, const std::string & device, const std::vector<int> & others)
  {
    int orders[2];
    int results[2];
    if (pipe(orders) != 0 || pipe(results) != 0)
    {
      throw ProgramError(std::string("no process can be started for the batch: ") + std::strerror(errno));
    }
    std::cout.flush();
    std::cerr.flush();
    m_Process = fork();
    if (m_Process < 0)
    {
      throw ProgramError(std::string("no process can be started for the batch: ") + std::strerror(errno));
    }
    if (m_Process == 0)
    {
      for (const int file : others)
      {
        close(file);
      }
      close(orders[1]);
      close(results[0]);
      RunWorker(options, device, orders[0], results[1]);
    }
    close(orders[0]);
    close(results[1]);
    m_Orders = orders[1];
    m_Results = results[0];
  }
  Worker(const Worker &) = delete;
  Worker &
  operator=(const Worker &) = delete;
  ~Worker() { this->End(); }

  /** Gives it an item to do; false where it is gone. */
  bool
  Order(std::size_t item)
  {
    this->item = item;
    const std::uint64_t number = item;
    return WriteAll(m_Orders, &number, sizeof(number));
  }

  /** Waits for the result of its item; nothing where the process ended before it. */
  std::optional<nlohmann::json>
  TakeResult()
  {
    std::uint64_t length = 0;
    if (!ReadAll(m_Results, &length, sizeof(length)))
    {
      return std::nullopt;
    }
    std::string text(length, '\0');
    if (!ReadAll(m_Results, text.data(), text.size()))
    {
      return std::nullopt;
    }
    return nlohmann::json::parse(text);
  }

  /** Ends it; how it ended, where that was not its own wish. */
  std::string
  End()
  {
    if (m_Process <= 0)
    {
      return "";
    }
    close(m_Orders);
    close(m_Results);
    int status = 0;
    while (waitpid(m_Process, &status, 0) < 0 && errno == EINTR)
    {}
    m_Process = -1;
    return WIFSIGNALED(status) ? std::string("its process was ended by a signal: ") + strsignal(WTERMSIG(status))
                               : "its process ended with code " + std::to_string(WEXITSTATUS(status));
  }

  int
  GetOrders() const
  {
    return m_Orders;
  }
  int
  GetResults() const
  {
    return m_Results;
  }

  std::optional<std::size_t> item; ///< what it is doing

private:
  pid_t m_Process{ -1 };
  int   m_Orders{ -1 };
  int   m_Results{ -1 };
};

/** The list while it is worked through. */
class BatchRun
{
public:
  explicit BatchRun(const Options & options)
    : m_Options(options)
    , m_States(options.items.size())
  {
    for (std::size_t i = 0; i < m_States.size(); ++i)
    {
      if (!options.overwrite && IsFinished(options.items[i], options))
      {
        this->Finish(i, Status::Skipped, "it is there already");
      }
    }
  }

  /** Works until every item has been done, or tried. */
  void
  Run()
  {
    const std::size_t left = m_States.size() - m_Finished;
    const std::size_t most =
      m_Options.jobs > 0 ? m_Options.jobs : std::max<std::size_t>(3, 2 * m_Options.devices.size());
    m_Workers.resize(std::min(left, most));
    for (std::size_t slot = 0; slot < m_Workers.size(); ++slot)
    {
      this->Occupy(slot);
    }
    while (m_Finished < m_States.size())
    {
      std::vector<pollfd> waiting;
      for (const auto & worker : m_Workers)
      {
        // A negative number is passed over.
        waiting.push_back({ worker && worker->item ? worker->GetResults() : -1, POLLIN, 0 });
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

  /** Tells what happened, a line for each failure; the exit code. */
  int
  Conclude() const
  {
    std::size_t failed = 0;
    std::size_t skipped = 0;
    for (std::size_t i = 0; i < m_States.size(); ++i)
    {
      const State & state = m_States[i];
      failed += state.status == Status::Failed ? 1 : 0;
      skipped += state.status == Status::Skipped ? 1 : 0;
      for (const std::string & warning : state.warnings)
      {
        std::cerr << "CudaSplineResample: warning: " << m_Options.items[i].input << ": " << warning << '\n';
      }
    }
    for (std::size_t i = 0; i < m_States.size(); ++i)
    {
      if (m_States[i].status == Status::Failed)
      {
        std::cerr << "CudaSplineResample: error: " << m_Options.items[i].input << ": " << m_States[i].message << '\n';
      }
    }
    const std::string counts = std::to_string(m_States.size() - failed - skipped) + " done, " +
                               std::to_string(skipped) + " there already, " + std::to_string(failed) + " failed";
    if (failed > 0)
    {
      std::cerr << "CudaSplineResample: error: " << failed << " of " << m_States.size() << " images failed (" << counts
                << ')' << std::endl;
    }
    else if (m_Options.verbose)
    {
      std::cout << counts << std::endl;
    }
    return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
  }

  /** What became of each item, with its own report. */
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
      entry["transform"] = item.transform ? nlohmann::json(item.transform->file) : nlohmann::json(nullptr);
      entry["status"] = NameOf(m_States[i].status);
      entry["message"] = m_States[i].message;
      entry["warnings"] = m_States[i].warnings;
      entry["report"] = m_States[i].report;
      json["items"].push_back(entry);
    }
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }

private:
  struct State
  {
    Status                   status{ Status::Waiting };
    std::string              message;
    std::vector<std::string> warnings;
    nlohmann::json           report;
  };

  void
  Finish(std::size_t item, Status status, const std::string & message)
  {
    m_States[item].status = status;
    m_States[item].message = message;
    ++m_Finished;
    m_Bar.Show("images", static_cast<double>(m_Finished) / static_cast<double>(m_States.size()));
    if (m_Options.verbose)
    {
      m_Bar.Wipe();
      std::cout << '[' << m_Finished << '/' << m_States.size() << "] " << m_Options.items[item].output << ": "
                << NameOf(status);
      const nlohmann::json & report = m_States[item].report;
      if (report.is_object())
      {
        std::cout << ", " << report.value("backend", "");
      }
      std::cout << std::endl;
    }
  }

  /** Gives a process the next item, a new process where the last one ended. */
  void
  Occupy(std::size_t slot)
  {
    std::unique_ptr<Worker> & worker = m_Workers[slot];
    while (m_Next < m_States.size() && m_States[m_Next].status != Status::Waiting)
    {
      ++m_Next;
    }
    if (m_Next == m_States.size())
    {
      return;
    }
    if (!worker)
    {
      const auto &     devices = m_Options.devices;
      std::vector<int> others;
      for (const auto & other : m_Workers)
      {
        if (other)
        {
          others.insert(others.end(), { other->GetOrders(), other->GetResults() });
        }
      }
      worker = std::make_unique<Worker>(m_Options, devices.empty() ? "" : devices[slot % devices.size()], others);
    }
    worker->Order(m_Next++); // where it is gone, its result will be missing
  }

  void
  Collect(std::size_t slot)
  {
    std::unique_ptr<Worker> & worker = m_Workers[slot];
    const std::size_t         item = *worker->item;
    worker->item.reset();
    const std::optional<nlohmann::json> result = worker->TakeResult();
    if (!result)
    {
      const std::string end = worker->End();
      worker = nullptr;
      this->Finish(item, Status::Failed, end);
      return;
    }
    m_States[item].warnings = result->at("warnings").get<std::vector<std::string>>();
    const std::string error = result->at("error").get<std::string>();
    if (error.empty())
    {
      m_States[item].report = result->at("report");
    }
    this->Finish(item, error.empty() ? Status::Done : Status::Failed, error);
  }

  const Options &                      m_Options;
  std::vector<State>                   m_States;
  std::vector<std::unique_ptr<Worker>> m_Workers;
  std::size_t                          m_Next{ 0 };
  std::size_t                          m_Finished{ 0 };
  ProgressBar                          m_Bar;
};

} // namespace

int
RunBatch(const Options & options)
{
  CheckBatch(options.items);
  std::signal(SIGPIPE, SIG_IGN); // a process that ended is noticed when its result is missing
  if (!options.report.empty())
  {
    const AtomicOutput attempt(options.report); // that it can be written is known before the work
  }
  BatchRun run(options);
  run.Run();
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
