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
#include "Phantoms.h"
#include "Ways.h"
#include "Workplace.h"

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"

#if defined(CUDASPLINE_HAS_CUDA)
#  include "../../benchmark/kernels/DeviceEvaluation.h"
#endif

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

/** \file
 * \brief Wu, Bai and Wang \cite{Wu2013}: figure 5, three ways to enlarge an image; table 1 and figure 4, enlarging
 * 128 x 128 pixels by 2 to 14; frames of sizes of today. */

namespace
{
using namespace itk::CudaSpline;

/** The picture with each block of samples averaged: what a camera of fewer pixels would see. */
Picture
Reduced(const Picture & picture, std::int64_t factor)
{
  Picture small = Picture::Of({ picture.size[0] / factor, picture.size[1] / factor });
  for (std::int64_t y = 0; y < small.size[1] * factor; ++y)
  {
    for (std::int64_t x = 0; x < small.size[0] * factor; ++x)
    {
      small.values[static_cast<std::size_t>(y / factor * small.size[0] + x / factor)] +=
        picture.values[static_cast<std::size_t>(y * picture.size[0] + x)] / static_cast<double>(factor * factor);
    }
  }
  return small;
}

/** Figure 5: an image made small and large again, against itself; the zone plate against its formula. */
void
Quality(Workplace & place)
{
  const std::int64_t             size = place.quick ? 128 : 512;
  const std::vector<std::string> ways{ "nearest", "linear", "cubic-unfiltered", "cubic", "cubic-fir15", "catmull-rom" };
  for (const auto & [name, picture] : place.Inputs(2, { "shepp-logan", "zone-plate", "ct" }, size))
  {
    for (const int factor : { 2, 4 })
    {
      Picture                     truth = picture;
      Picture                     small;
      std::array<std::int64_t, 3> output = picture.size;
      const IndexMap              map = IndexMap::Zoom(factor);
      const bool                  analytic = name == "zone-plate";
      if (analytic)
      {
        small = ZonePlate(2, size / factor);
        for (std::int64_t i = 0; i < truth.Count(); ++i)
        {
          const auto at = map.Apply({ { i % size, i / size, 0 } });
          truth.values[static_cast<std::size_t>(i)] = ZonePlateAt(2, size / factor, at.data());
        }
      }
      else
      {
        small = Reduced(picture, factor);
        output = { { small.size[0] * factor, small.size[1] * factor, 1 } };
      }
      for (const std::string & way : ways)
      {
        Picture large = Resampled(way, small, map, output, place.context);
        if (output != truth.size) // a remainder of the reduction
        {
          Picture part = large;
          for (std::int64_t i = 0; i < part.Count(); ++i)
          {
            part.values[static_cast<std::size_t>(i)] =
              truth.values[static_cast<std::size_t>(i / output[0] * truth.size[0] + i % output[0])];
          }
          truth = part;
        }
        const Difference all = Difference::Between(large, truth, 0.0);
        place.report.Add(
          { { "image", name },
            { "factor", factor },
            { "way", way },
            { "against", analytic ? "the analytic image" : "the image before it was reduced" } },
          { { "rms", all.rms }, { "largest", all.largest }, { "rms_of_range", all.rms / picture.Range() } });
        place.Keep("zoom-" + name + "-" + std::to_string(factor) + "-" + way, large);
      }
    }
  }
}

/** How sharp: the way of a rising edge from a tenth of its step to nine, in samples of the small image, and by how much
 * of the step it goes beyond. */
void
Edge(Workplace & place)
{
  const std::int64_t size = 32;
  const int          factor = 16;
  Picture            step = Picture::Of({ size, size });
  for (std::int64_t i = 0; i < step.Count(); ++i)
  {
    step.values[static_cast<std::size_t>(i)] = i % size < size / 2 ? 0.0 : 1.0;
  }
  const std::array<std::int64_t, 3> output{ { size * factor, size * factor, 1 } };
  for (const std::string way : { "nearest", "linear", "cubic-unfiltered", "cubic", "catmull-rom" })
  {
    const Picture        large = Resampled(way, step, IndexMap::Zoom(factor), output, place.context);
    const double * const row = large.values.data() + output[0] * output[1] / 2;
    const auto           crossing = [&](double level) {
      // Backwards from the first value above the level after which none is lower, so ripples do not count as crossings.
      std::int64_t x = output[0] / 2 + 2 * factor;
      while (x > 0 && row[x - 1] >= level)
      {
        --x;
      }
      const double rise = row[x] - row[x - 1];
      return (static_cast<double>(x) - (row[x] - level) / rise) / factor;
    };
    place.report.Add({ { "way", way } },
                     { { "samples_from_a_tenth_to_nine", crossing(0.9) - crossing(0.1) },
                       { "overshoot_of_the_step", *std::max_element(row, row + output[0]) - 1.0 } });
  }
}

/** A zoom of a whole number from host memory to host memory, and its two parts. */
void
Enlarge(Workplace &              place,
        const Way &              way,
        const Picture &          picture,
        int                      factor,
        const std::string &      who,
        const ExecutionContext & context)
{
  const std::array<std::int64_t, 3> output{ { picture.size[0] * factor, picture.size[1] * factor, 1 } };
  const Resampling                  resampling(way, picture.size, 2, IndexMap::Zoom(factor), output);
  const std::vector<float>          pixels(picture.values.begin(), picture.values.end());
  std::vector<float>                values(static_cast<std::size_t>(output[0] * output[1]));
  const SourceDescriptor            descriptor = way.Describe(picture);
  SourcePointer                     source;
  const Time                        preparation = place.Measure(
    [&] { return Workplace::WallClock([&] { source = MakeSource(descriptor, pixels.data(), context); }); });
  const Time     total = place.Measure([&] {
    return Workplace::WallClock([&] {
      source = MakeSource(descriptor, pixels.data(), context);
      Resample(resampling.GetDescriptor(), *source, values.data(), context);
    });
  });
  Report::Fields found{ { "source", preparation }, { "total", total } };
#if defined(CUDASPLINE_HAS_CUDA)
  if (context.backend == Backend::Cuda)
  {
    DeviceEvaluation evaluation(resampling.GetDescriptor(), Derivatives::None, source, context);
    found.emplace_back("resampling_kernel", place.Measure([&] { return evaluation.Time(); }));
  }
#endif
  if (context.backend == Backend::Cpu)
  {
    found.emplace_back("resampling", place.Measure([&] {
      return Workplace::WallClock([&] { Resample(resampling.GetDescriptor(), *source, values.data(), context); });
    }));
  }
  place.report.Add({ { "way", way.name }, { "factor", factor }, { "backend", who } }, found);
}

/** Table 1 and figure 4. */
void
Table(Workplace & place)
{
  const Picture        picture = SheppLogan(2, 128);
  const ThreadExecutor all;
  ExecutionContext     one;
  ExecutionContext     threads;
  threads.host = &all;
  const std::vector<int> factors =
    place.quick ? std::vector<int>{ 2, 3 } : std::vector<int>{ 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };
  for (const std::string name : { "catmull-rom", "cubic", "linear" })
  {
    for (const int factor : factors)
    {
      Enlarge(place, Way::Of(name), picture, factor, "Cpu, one thread", one);
      Enlarge(place, Way::Of(name), picture, factor, "Cpu, all threads", threads);
      if (place.OnDevice())
      {
        Enlarge(place, Way::Of(name), picture, factor, "Cuda", place.context);
      }
    }
  }
}

/** Frames of 8 bits, doubled in either direction, in several streams: each has a thread, which enlarges frame after
 * frame from host memory to host memory. */
void
RunFrames(Workplace & place, const std::string & name, std::int64_t width, std::int64_t height, int streams, int frames)
{
  Way way = Way::Of(name);
  // Frame and output are bytes; what is between them is single precision.
  Picture          shape = Picture::Of({ width / 2, height / 2 });
  Resampling       resampling(way, shape.size, 2, IndexMap::Zoom(2.0), { { width, height, 1 } });
  SourceDescriptor source = way.Describe(shape);
  source.pixel = ScalarType::UInt8;
  ResampleDescriptor output = resampling.GetDescriptor();
  output.output = ScalarType::UInt8;
  std::vector<std::vector<std::uint8_t>> movie(8);
  for (std::size_t f = 0; f < movie.size(); ++f)
  {
    for (std::int64_t i = 0; i < shape.Count(); ++i)
    {
      movie[f].push_back(
        static_cast<std::uint8_t>((i * 7 + i / shape.size[0] * 13 + static_cast<std::int64_t>(f) * 5) % 251));
    }
  }
  const unsigned int                     cores = std::max(1U, std::thread::hardware_concurrency());
  const auto                             each = std::max(1U, cores / static_cast<unsigned int>(streams));
  std::vector<std::vector<double>>       times(static_cast<std::size_t>(streams));
  std::vector<std::vector<std::uint8_t>> results(static_cast<std::size_t>(streams));
  std::vector<std::exception_ptr>        failures(static_cast<std::size_t>(streams));
  const auto                             work = [&](std::size_t stream, bool counted) {
    try
    {
      const ThreadExecutor executor(each);
      ExecutionContext     context = place.context;
      context.host = &executor;
      results[stream].resize(static_cast<std::size_t>(width * height));
      for (int frame = static_cast<int>(stream); frame < (counted ? frames : streams); frame += streams)
      {
        times[stream].push_back(1e3 * Workplace::WallClock([&] {
                                  const auto samples = MakeSource(
                                    source, movie[static_cast<std::size_t>(frame) % movie.size()].data(), context);
                                  Resample(output, *samples, results[stream].data(), context);
                                }));
      }
    }
    catch (...)
    {
      failures[stream] = std::current_exception();
    }
  };
  const auto runAll = [&](bool counted) {
    std::vector<std::thread> threads;
    for (std::size_t stream = 0; stream < times.size(); ++stream)
    {
      threads.emplace_back(work, stream, counted);
    }
    for (std::thread & thread : threads)
    {
      thread.join();
    }
    for (const std::exception_ptr & failure : failures)
    {
      if (failure)
      {
        std::rethrow_exception(failure);
      }
    }
  };
  runAll(false); // contexts, kernels, pools
  for (auto & list : times)
  {
    list.clear();
  }
  const double        seconds = Workplace::WallClock([&] { runAll(true); });
  std::vector<double> latencies;
  for (const auto & list : times)
  {
    latencies.insert(latencies.end(), list.begin(), list.end());
  }
  const double slowest = *std::max_element(latencies.begin(), latencies.end());
  // Of the first stream, in order: is the last frame as quick as the first?
  const auto tenth = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, times[0].size() / 10));
  const Time first = Time::Of({ times[0].begin(), times[0].begin() + tenth });
  const Time last = Time::Of({ times[0].end() - tenth, times[0].end() });
  place.report.Add({ { "way", name },
                     { "width", static_cast<long>(width) },
                     { "height", static_cast<long>(height) },
                     { "streams", streams } },
                   { { "frames_a_second", static_cast<double>(frames) / seconds },
                     { "latency", Time::Of(latencies) },
                     { "slowest_ms", slowest },
                     { "first_tenth", first },
                     { "last_tenth", last },
                     { "frames", frames } });
}

void
Frames(Workplace & place)
{
  struct
  {
    std::int64_t width;
    std::int64_t height;
    int          frames;
  } sizes[] = { { 1920, 1080, 2000 }, { 3840, 2160, 500 }, { 7680, 4320, 120 } };
  for (const auto & [width, height, frames] : sizes)
  {
    const int count = place.quick ? 4 : (place.OnDevice() ? frames : 10);
    if (place.quick && width > 1920)
    {
      break;
    }
    for (const int streams : { 1, 2, 4, 8 })
    {
      if (!place.OnDevice() && streams > 2)
      {
        break;
      }
      RunFrames(place, "catmull-rom", width, height, streams, count);
    }
    RunFrames(place, "cubic", width, height, place.OnDevice() ? 4 : 1, count);
  }
}
} // namespace

std::vector<Experiment>
ZoomExperiments()
{
  return { { "zoom-quality", "001, figure 5: nearest, linear, cubic and Catmull-Rom on images", Quality },
           { "zoom-edge", "001, figure 5: how wide an enlarged edge is", Edge },
           { "zoom-times", "001, table 1 and figure 4: 128 x 128 pixels enlarged by 2 to 14", Table },
           { "frames", "001: frames a second at sizes of today, in several streams", Frames } };
}
