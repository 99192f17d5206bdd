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

#include <string>
#include <vector>

/** \file
 * \brief Champagnat and Le Sant \cite{Champagnat2012}: tables 1 and 2, times of prefilters by size and axis; table 3,
 * rotation and zoom. The same in volumes, and from 64^3 to 1024^3. */

namespace
{
using namespace itk::CudaSpline;

using Size = std::array<std::int64_t, 3>;

Size
SizeOf(unsigned int dimension, std::int64_t edge)
{
  return { { edge, edge, dimension == 3 ? edge : 1 } };
}

std::string
AxisName(unsigned int axis)
{
  return axis == 3 ? "all" : std::string(1, "xyz"[axis]);
}

double
CountOf(const Size & size)
{
  return static_cast<double>(size[0] * size[1] * size[2]);
}

void
TimePrefilter(Workplace & place, const std::string & name, unsigned int dimension, std::int64_t edge, unsigned int axis)
{
  const Size     size = SizeOf(dimension, edge);
  PrefilterTimer timer(name, size, dimension, axis, place.context);
  const Time     time = place.Measure([&] { return timer.Run(); });
  Report::Fields values{ { "time", time },
                         // Each sample read once and written once: the least that any of them must move.
                         { "least_gigabytes_a_second", 8e-6 * CountOf(size) / time.median } };
  if (name == "published" && axis == 3 && CountOf(size) <= 256.0 * 256.0 * 256.0)
  {
    values.emplace_back("error", timer.PublishedError());
  }
  place.report.Add({ { "dimension", static_cast<int>(dimension) },
                     { "size", static_cast<long>(edge) },
                     { "prefilter", name },
                     { "axis", AxisName(axis) } },
                   values);
}

/** Tables 1 and 2. */
void
Prefilters(Workplace & place)
{
  const std::vector<std::vector<std::int64_t>> edges =
    place.OnDevice()
      ? (place.quick ? std::vector<std::vector<std::int64_t>>{ { 512 }, { 64 } }
                     : std::vector<std::vector<std::int64_t>>{ { 1024, 2048, 4096, 8192 }, { 128, 256, 512 } })
      : (place.quick ? std::vector<std::vector<std::int64_t>>{ { 256 }, { 32 } }
                     : std::vector<std::vector<std::int64_t>>{ { 1024, 2048 }, { 64, 128 } });
  for (const unsigned int dimension : { 2U, 3U })
  {
    for (const std::int64_t edge : edges[dimension - 2])
    {
      for (const std::string name : { "copy", "published", "cubic", "cubic-fir7", "cubic-fir15", "cubic-fir27" })
      {
        TimePrefilter(place, name, dimension, edge, 3);
        for (unsigned int axis = 0; axis < dimension && name != "copy" && (place.OnDevice() || name == "published");
             ++axis)
        {
          TimePrefilter(place, name, dimension, edge, axis);
        }
      }
    }
  }
}

/** The yardstick's own times by the shape of its blocks: the best one is no worse than the published one. */
void
Blocks(Workplace & place)
{
  if (!place.OnDevice())
  {
    return;
  }
  struct
  {
    unsigned int width;
    unsigned int height;
  } const shapes[] = { { 64, 8 },  { 64, 4 },  { 64, 2 },  { 64, 1 },  { 32, 1 }, { 32, 4 },
                       { 32, 16 }, { 128, 4 }, { 256, 1 }, { 16, 16 }, { 8, 8 },  { 4, 8 } };
  const Size size = SizeOf(3, place.quick ? 64 : 512);
  for (const unsigned int axis : { 3U, 0U, 1U, 2U })
  {
    PrefilterTimer timer("published", size, 3, axis, place.context);
    for (const auto & [width, height] : shapes)
    {
      timer.SetPublishedBlock(width, height);
      place.report.Add({ { "size", static_cast<long>(size[0]) },
                         { "axis", AxisName(axis) },
                         { "block", std::to_string(width) + " x " + std::to_string(height) } },
                       { { "time", place.Measure([&] { return timer.Run(); }) } });
    }
  }
}

/** Table 3: the output's size is fixed, the input's follows from the factor. */
void
Transforms(Workplace & place)
{
  const std::vector<std::pair<unsigned int, std::int64_t>> outputs =
    place.OnDevice()
      ? (place.quick ? std::vector<std::pair<unsigned int, std::int64_t>>{ { 2, 512 }, { 3, 64 } }
                     : std::vector<std::pair<unsigned int, std::int64_t>>{ { 2, 2048 }, { 2, 8192 }, { 3, 512 } })
      : (place.quick ? std::vector<std::pair<unsigned int, std::int64_t>>{ { 2, 256 }, { 3, 32 } }
                     : std::vector<std::pair<unsigned int, std::int64_t>>{ { 2, 2048 }, { 3, 128 } });
  const std::vector<std::string> ways{ "nearest", "linear", "linear-texture", "cubic", "cubic-texture", "catmull-rom" };
  for (const auto & [dimension, edge] : outputs)
  {
    for (const int factor : { 1, 2, 4, 8, 16 })
    {
      const Size           input = SizeOf(dimension, edge / factor);
      const Size           output = SizeOf(dimension, edge);
      const IndexMap       map = factor == 1 ? IndexMap::Rotation(output, dimension, 10.0) : IndexMap::Zoom(factor);
      const Report::Fields cell{ { "dimension", static_cast<int>(dimension) },
                                 { "output", static_cast<long>(edge) },
                                 { "transform", factor == 1 ? "rotation" : "zoom " + std::to_string(factor) } };
      const auto           add = [&](const std::string & stage, const std::string & way, const Time & time) {
        Report::Fields named = cell;
        named.emplace_back("stage", stage);
        named.emplace_back("way", way);
        place.report.Add(named, { { "time", time } });
      };
      for (const std::string name : { "published", "cubic-fir15", "cubic" })
      {
        PrefilterTimer timer(name, input, dimension, 3, place.context);
        add("prefilter", name, place.Measure([&] { return timer.Run(); }));
      }
      for (const std::string & way : ways)
      {
        if (!place.OnDevice() && Way::Of(way).storage == CoefficientStorage::Texture)
        {
          continue; // a model of the hardware, whose speed is meaningless
        }
        EvaluationTimer timer(Way::Of(way), input, dimension, map, output, place.context);
        add("evaluation", way, place.Measure([&] { return timer.Run(); }));
      }
    }
  }
}

/** From small volumes to large ones. */
void
Scaling(Workplace & place)
{
  std::vector<std::int64_t> edges{ 64, 128, 256, 512, 1024 };
  if (place.quick || !place.OnDevice())
  {
    edges = place.quick ? std::vector<std::int64_t>{ 16, 32 } : std::vector<std::int64_t>{ 64, 128 };
  }
  std::vector<std::string> ways{ "linear", "cubic", "catmull-rom" };
  if (place.OnDevice())
  {
    ways.insert(ways.end(), { "linear-texture", "cubic-texture" });
  }
  for (const std::int64_t edge : edges)
  {
    const Size     size = SizeOf(3, edge);
    const IndexMap map = IndexMap::Rotation(size, 3, 10.0);
    const auto     add = [&](const std::string & stage, const std::string & way, const Time & time) {
      place.report.Add({ { "size", static_cast<long>(edge) }, { "stage", stage }, { "way", way } },
                       { { "time", time }, { "gigavoxels_a_second", 1e-6 * CountOf(size) / time.median } });
    };
    for (const std::string name : { "copy", "published", "cubic", "cubic-fir15" })
    {
      PrefilterTimer timer(name, size, 3, 3, place.context);
      add(name == "copy" ? "copy" : "prefilter", name, place.Measure([&] { return timer.Run(); }));
    }
    for (const std::string & way : ways)
    {
      EvaluationTimer timer(Way::Of(way), size, 3, map, size, place.context);
      add("evaluation", way, place.Measure([&] { return timer.Run(); }));
    }
  }
}

/** Where a stage's places are: a rotation about the diagonal, and what has simpler kernels. */
IndexMap
MapOfStage(const std::string & stage, const Size & size, unsigned int dimension)
{
  if (stage == "evaluation")
  {
    return IndexMap::Rotation(size, dimension, 10.0);
  }
  IndexMap map = stage == "in-plane" ? IndexMap::Rotation(size, 2, 10.0) : IndexMap();
  map.offset[2] = 0.3; // between slices
  map.offset[0] += stage == "shift" ? 0.3 : 0.0;
  map.offset[1] += stage == "shift" ? 0.3 : 0.0;
  return map;
}

/** One stage of the roofline, alone in the process: a profiler counts what its kernels do, the run before the
 * repetitions included. */
void
Once(Workplace & place, const std::string & stage, const std::string & name, unsigned int dimension)
{
  const bool large = place.OnDevice() && !place.quick;
  const Size size = SizeOf(dimension, large ? (dimension == 3 ? 512 : 8192) : 32);
  Time       time;
  if (stage == "prefilter")
  {
    PrefilterTimer timer(name, size, dimension, 3, place.context);
    time = place.Measure([&] { return timer.Run(); });
  }
  else
  {
    Way way = Way::Of(name);
    way.method.kind = PrefilterMethod::Kind::Coefficients; // no kernel of a prefilter
    EvaluationTimer timer(way, size, dimension, MapOfStage(stage, size, dimension), size, place.context);
    time = place.Measure([&] { return timer.Run(); });
  }
  place.report.Add({ { "stage", stage },
                     { "way", name },
                     { "dimension", static_cast<int>(dimension) },
                     { "size", static_cast<long>(size[0]) } },
                   { { "time", time } });
}
} // namespace

std::vector<Experiment>
StageExperiments()
{
  std::vector<Experiment> stages;
  const auto              add = [&](const std::string & stage, const std::string & name, unsigned int dimension) {
    stages.push_back({ stage + ":" + name + (dimension == 2 ? ":2d" : ""),
                       "one stage of the roofline, for a profiler",
                       [=](Workplace & place) { Once(place, stage, name, dimension); } });
  };
  for (const unsigned int dimension : { 3U, 2U })
  {
    for (const std::string name : { "published", "cubic", "cubic-fir15" })
    {
      add("prefilter", name, dimension);
    }
    for (const std::string name : { "linear", "cubic", "catmull-rom", "linear-texture", "cubic-texture" })
    {
      add("evaluation", name, dimension);
    }
  }
  for (const std::string name : { "nearest", "order-2", "order-4", "order-5", "cubic-half", "cubic-int16" })
  {
    add("evaluation", name, 3);
  }
  add("in-plane", "cubic", 3);
  add("shift", "cubic", 3);
  return stages;
}

std::vector<Experiment>
TimingExperiments()
{
  return { { "prefilter-times", "000, tables 1 and 2: prefilters by size and axis", Prefilters },
           { "published-blocks", "the line-a-thread recursion by the shape of its blocks (on a GPU)", Blocks },
           { "transform-times", "000, table 3: rotation and zoom, prefilter and evaluation apart", Transforms },
           { "scaling", "prefilter and evaluation of volumes of 64^3 to 1024^3", Scaling } };
}
