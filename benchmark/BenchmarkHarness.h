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
#ifndef BenchmarkHarness_h
#define BenchmarkHarness_h

#include <benchmark/benchmark.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

/** \file
 * \brief Common functions of the benchmark programs: defaults of the command line, statistics, and an error if nothing
 * was measured. */

/** Returns the lower or upper quartile of sorted repetitions. */
inline double
Quartile(const std::vector<double> & values, bool upper)
{
  std::vector<double> sorted(values);
  std::sort(sorted.begin(), sorted.end());
  const std::size_t quarter = sorted.size() / 4;
  return sorted[upper ? sorted.size() - 1 - quarter : quarter];
}

/** Adds quartiles and their distance: a measure of spread that one slow repetition does not change. */
inline benchmark::internal::Benchmark *
WithQuartiles(benchmark::internal::Benchmark * benchmark)
{
  return benchmark->ComputeStatistics("q1", [](const std::vector<double> & v) { return Quartile(v, false); })
    ->ComputeStatistics("q3", [](const std::vector<double> & v) { return Quartile(v, true); })
    ->ComputeStatistics("iqr", [](const std::vector<double> & v) { return Quartile(v, true) - Quartile(v, false); });
}

/** Measures the registered cells that match the filter.
 *
 * \return the exit status: 1 if there were none */
inline int
RunCells()
{
  const std::size_t cells = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (cells == 0)
  {
    std::cerr << "Nothing was measured: no cell has a name that the filter matches.\n";
    return 1;
  }
  return 0;
}

/** \brief The main function of a benchmark program.
 *
 * It measures seven repetitions of each cell and shows their statistics, unless the user's arguments change this.
 *
 * \param[in] argc, argv the arguments
 * \param[in] registerAll registers the cells; returns what is not measured and why, or an empty text
 * \return the exit status: 1 if no cell was measured */
template <typename TRegister>
int
RunBenchmarks(int argc, char ** argv, const TRegister & registerAll)
{
  try
  {
    // Placed before the user's arguments, which have priority.
    std::string         repetitions("--benchmark_repetitions=7");
    std::string         aggregates("--benchmark_display_aggregates_only=true");
    std::vector<char *> arguments{ argv[0], repetitions.data(), aggregates.data() };
    arguments.insert(arguments.end(), argv + 1, argv + argc);
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data()))
    {
      return 1;
    }
    const std::string missing = registerAll();
    const int         status = RunCells();
    if (!missing.empty())
    {
      std::cerr << missing << '\n';
    }
    return status;
  }
  catch (const std::exception & error)
  {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

#endif
