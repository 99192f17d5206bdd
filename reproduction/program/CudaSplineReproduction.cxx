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
/** \file
 * \brief Runs the experiments of the papers that this module is based on, by name, and prints JSON (Report.h).
 * reproduction/reproduce runs them and makes tables and figures.
 *
 *   CudaSplineReproduction [options] [EXPERIMENT...]        (none: all but single stages)
 *
 * --backend cpu|cuda   where it is computed (default: cpu)
 *   --quick              small sizes and few repetitions: that it runs, not what it finds
 *   --repetitions N      of each time (default: 7, quick 3)
 *   --image NAME=FILE    one more input, PGM; a file of several images is a volume
 *   --pictures FOLDER    writes what was computed there, as portable float maps, and run.json: a report without rows
 *   --output FILE        where the JSON goes (default: standard output)
 *   --commit TEXT        is written into the context
 *   --list               names the experiments
 *
 * No ITK is needed. On the Cpu backend sizes are smaller by themselves, and filtered fetches are those of a model
 * (TextureModel). */

#include "Workplace.h"

#include "itkCudaSpline/device/Device.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{
using namespace itk::CudaSpline;

/** A command line that cannot be obeyed. */
struct UsageError : std::runtime_error
{
  using std::runtime_error::runtime_error;
};

std::vector<Experiment>
AllExperiments()
{
  std::vector<Experiment> all;
  for (const auto & some : { RotationExperiments(),
                             TimingExperiments(),
                             ZoomExperiments(),
                             TutorialExperiments(),
                             AddressModeExperiments(),
                             TextureExperiments(),
                             DeformationExperiments(),
                             AccuracyExperiments(),
                             PeerExperiments() })
  {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

struct Arguments
{
  std::string              backend{ "cpu" };
  std::string              output;
  std::string              commit;
  int                      repetitions{ 0 };
  bool                     list{ false };
  std::vector<std::string> wanted;
};

int
PositiveNumber(const std::string & text)
{
  std::size_t end = 0;
  int         number = 0;
  try
  {
    number = std::stoi(text, &end);
  }
  catch (const std::exception &)
  {
    end = 0;
  }
  if (end != text.size() || text.empty() || number < 1)
  {
    throw UsageError("A positive number is wanted, not " + text + ".");
  }
  return number;
}

Arguments
Parse(int argc, char ** argv, Workplace & place)
{
  Arguments arguments;
  for (int i = 1; i < argc; ++i)
  {
    const std::string word = argv[i];
    const auto        next = [&]() -> std::string {
      if (i + 1 >= argc)
      {
        throw UsageError(word + " wants a value.");
      }
      return argv[++i];
    };
    if (word == "--backend")
    {
      arguments.backend = next();
    }
    else if (word == "--quick")
    {
      place.quick = true;
    }
    else if (word == "--repetitions")
    {
      arguments.repetitions = PositiveNumber(next());
    }
    else if (word == "--image")
    {
      const std::string both = next();
      const std::size_t equal = both.find('=');
      if (equal == std::string::npos || equal == 0)
      {
        throw UsageError("--image wants NAME=FILE, not " + both + ".");
      }
      place.pictures.emplace_back(both.substr(0, equal), ReadPgm(both.substr(equal + 1)));
    }
    else if (word == "--pictures")
    {
      place.folder = next();
    }
    else if (word == "--output")
    {
      arguments.output = next();
    }
    else if (word == "--commit")
    {
      arguments.commit = next();
    }
    else if (word == "--list")
    {
      arguments.list = true;
    }
    else if (word.rfind("-", 0) == 0)
    {
      throw UsageError("There is no option " + word + ".");
    }
    else
    {
      arguments.wanted.push_back(word);
    }
  }
  if (arguments.backend != "cpu" && arguments.backend != "cuda")
  {
    throw UsageError("The backend is cpu or cuda, not " + arguments.backend + ".");
  }
  return arguments;
}

std::vector<Experiment>
Chosen(const std::vector<std::string> & wanted)
{
  std::vector<Experiment> all = AllExperiments();
  if (wanted.empty())
  {
    return all;
  }
  const std::vector<Experiment> stages = StageExperiments();
  all.insert(all.end(), stages.begin(), stages.end());
  std::vector<Experiment> chosen;
  for (const std::string & name : wanted)
  {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Experiment & one) { return one.name == name; });
    if (found == all.end())
    {
      throw UsageError("There is no experiment " + name + "; --list names them.");
    }
    chosen.push_back(*found);
  }
  return chosen;
}

std::string
Now()
{
  const std::time_t now = std::time(nullptr);
  char              text[40];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

/** The version of NVIDIA's kernel driver, as it tells: the word of digits and points in the first line. */
std::string
DriverVersion()
{
  std::ifstream file("/proc/driver/nvidia/version");
  std::string   line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;)
  {
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos)
    {
      return word;
    }
  }
  return "unknown";
}

void
Describe(Workplace & place, const Arguments & arguments, int argc, char ** argv)
{
  std::string command;
  for (int i = 0; i < argc; ++i)
  {
    command += (i > 0 ? " " : "") + (i > 0 ? std::string(argv[i]) : std::string("CudaSplineReproduction"));
  }
  Report & report = place.report;
  report.Describe("date", Now());
  report.Describe("commit", arguments.commit.empty() ? "unknown" : arguments.commit);
  report.Describe("command", command);
  report.Describe("backend", NameOf(place.context.backend));
  if (place.OnDevice())
  {
    const DeviceInfo info = QueryDevice(place.context.device);
    report.Describe(
      "device", info.name + ", compute capability " + std::to_string(info.major) + "." + std::to_string(info.minor));
    report.Describe("multiprocessors", std::to_string(info.multiprocessors));
  }
  report.Describe("driver", DriverVersion());
  report.Describe("cuda_toolkit", BuiltWithCuda() ? CudaToolkitVersion() : "none");
  report.Describe("threads", std::to_string(std::thread::hardware_concurrency()));
  report.Describe("sizes", place.quick ? "quick" : "full");
}

void
Write(const std::string & path, const std::string & text)
{
  std::ofstream file(path);
  file << text;
  if (!file.flush())
  {
    throw std::runtime_error(path + " cannot be written.");
  }
}

int
Run(int argc, char ** argv)
{
  Workplace            place;
  const Arguments      arguments = Parse(argc, argv, place);
  const ThreadExecutor threads;
  if (arguments.list)
  {
    for (const auto & experiments : { AllExperiments(), StageExperiments() })
    {
      for (const Experiment & experiment : experiments)
      {
        std::cout << experiment.name << ": " << experiment.text << '\n';
      }
    }
    return 0;
  }
  const std::vector<Experiment> chosen = Chosen(arguments.wanted);
  place.context.host = &threads;
  place.repetitions = arguments.repetitions > 0 ? arguments.repetitions : (place.quick ? 3 : 7);
  if (arguments.backend == "cuda")
  {
    const DeviceChoice choice = SelectDevice("gpu");
    if (!choice)
    {
      std::cerr << "The Cuda backend cannot be used: " << choice.reason << '\n';
      return 1;
    }
    place.context.backend = Backend::Cuda;
    place.context.device = choice.device;
  }
  Describe(place, arguments, argc, argv);
  if (!place.folder.empty())
  {
    Write(place.folder + "/run.json", place.report.Json()); // whose pictures they are
  }
  for (const Experiment & experiment : chosen)
  {
    const auto start = std::chrono::steady_clock::now();
    place.report.Begin(experiment.name);
    experiment.run(place);
    std::cerr << experiment.name << ": "
              << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << " s\n";
  }
  if (arguments.output.empty())
  {
    std::cout << place.report.Json();
    return std::cout.flush() ? 0 : 1;
  }
  Write(arguments.output, place.report.Json());
  return 0;
}
} // namespace

int
main(int argc, char ** argv)
{
  try
  {
    return Run(argc, argv);
  }
  catch (const UsageError & error)
  {
    std::cerr << error.what() << '\n';
    return 2;
  }
  catch (const std::exception & error)
  {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
