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
#include "Timers.h"
#include "Ways.h"
#include "Workplace.h"

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief The counterparts of other libraries' functions (reproduction/reproduce.d/peers.py): the prefilter, and
 * rotations of coefficients with mirrored samples beyond every edge, as in SciPy's mode "mirror". Also the values of a
 * small volume, with which theirs are compared before anything is timed. */

namespace
{
using namespace itk::CudaSpline;

/** Samples are taken for coefficients, and every place has a value. */
Way
MirroredWay(const std::string & name)
{
  Way way = Way::Of(name);
  way.method.kind = PrefilterMethod::Kind::Coefficients;
  way.extension = Extension::Mirror;
  way.unbounded = true;
  return way;
}

/** A volume, slice below slice: all of it is one picture. */
void
KeepSlices(const Workplace & place, const std::string & name, const Picture & volume)
{
  Picture flat = Picture::Of({ volume.size[0], volume.size[1] * volume.size[2] });
  flat.values = volume.values;
  place.Keep("peer-values-" + name, flat);
}

void
PeerValues(Workplace & place)
{
  Picture    volume = Picture::Of({ 24, 24, 24 });
  const auto pixels = TimingPixels(volume.size, place.context);
  std::copy(pixels.begin(), pixels.end(), volume.values.begin());
  KeepSlices(place, "input", volume);
  std::vector<float> coefficients(pixels.size());
  Prefilter(Way::Of("cubic").Describe(volume), pixels.data(), coefficients.data(), place.context);
  Picture filtered = volume;
  std::copy(coefficients.begin(), coefficients.end(), filtered.values.begin());
  KeepSlices(place, "prefilter-cubic", filtered);
  for (const std::string name : { "linear", "cubic" })
  {
    const Way        way = MirroredWay(name);
    const Resampling turn(way, volume.size, 3, IndexMap::Rotation(volume.size, 3, 10.0), volume.size);
    KeepSlices(place, "evaluation-" + name, turn.Run(*MakeSourceOf(way, volume, place.context), place.context));
  }
}

/** Times of one backend, which is named. */
void
TimeWorks(Workplace & place, const std::string & by, const ExecutionContext & context)
{
  // One thread needs minutes for 512^3. The Cpu backend has smaller sizes by default.
  std::vector<std::int64_t> edges{ 128, 256, 512 };
  edges.resize(place.OnDevice() ? (context.backend == Backend::Cuda ? 3 : 2) : 1);
  edges = place.quick ? std::vector<std::int64_t>{ 32 } : edges;
  std::vector<std::pair<unsigned int, std::int64_t>> volumes{ { 2U, place.quick ? 256 : 4096 } };
  for (const std::int64_t edge : edges)
  {
    volumes.emplace_back(3U, edge);
  }
  for (const auto & [dimension, edge] : volumes)
  {
    const std::array<std::int64_t, 3> size{ { edge, edge, dimension == 3 ? edge : 1 } };
    const Report::Fields              cell{ { "by", by },
                               { "dimension", static_cast<int>(dimension) },
                               { "size", static_cast<long>(edge) } };
    const auto                        add = [&](const std::string & stage, const std::string & way, const Time & time) {
      Report::Fields named = cell;
      named.emplace_back("stage", stage);
      named.emplace_back("way", way);
      place.report.Add(named, { { "time", time } });
    };
    PrefilterTimer filter("cubic", size, dimension, 3, context);
    add("prefilter", "cubic", place.Measure([&] { return filter.Run(); }));
    if (dimension == 2)
    {
      continue;
    }
    for (const std::string name : { "linear", "cubic" })
    {
      EvaluationTimer timer(MirroredWay(name), size, 3, IndexMap::Rotation(size, 3, 10.0), size, context);
      add("evaluation", name, place.Measure([&] { return timer.Run(); }));
    }
  }
}

void
PeerWorks(Workplace & place)
{
  PeerValues(place);
  ExecutionContext one;
  ExecutionContext threads;
  threads.host = place.context.host;
  TimeWorks(place, "Cpu, one thread", one);
  TimeWorks(place, "Cpu, all threads", threads);
  if (place.OnDevice())
  {
    TimeWorks(place, "Cuda", place.context);
  }
}
} // namespace

std::vector<Experiment>
PeerExperiments()
{
  return { { "peer-works", "counterparts of other libraries' functions: mirrored beyond every edge", PeerWorks } };
}
