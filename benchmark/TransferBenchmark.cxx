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
 * \brief What a user waits for: itk::CudaResampleImageFilter from an ITK image in memory to another, cubic with
 * prefilter, in a process that is warm.
 *
 *   ResampleFilter/backend:cuda/size:512/type:float32/output:new     the result's memory is fresh
 *   ResampleFilter/.../output:reused                                  the result's memory is that of the time before
 *   ResampleFilter/.../output:reused/source:kept                      the same input under another transform
 *   ResampleFilter/.../output:new/series:64                           time of one of 64 different volumes in a row,
 * filters and all
 *
 * Counters: preparation_ms and evaluation_ms, as the filter tells them. */

#include "BenchmarkHarness.h"
#include "TransferBenchmark.h"

#include "itkCudaResampleImageFilter.h"

#include "itkBSplineInterpolateImageFunction.h"
#include "itkEuler3DTransform.h"
#include "itkImage.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace
{
using itk::CudaSpline::Backend;

/** One cell of the axes. */
struct Cell
{
  Backend     backend{ Backend::Cuda };
  std::size_t size{ 512 }; ///< samples per axis
  bool        reused{ false };
  bool        kept{ false };
  std::size_t series{ 1 }; ///< consecutive volumes
};

template <typename TImage>
using FilterOf = itk::CudaResampleImageFilter<TImage, TImage>;

template <typename TImage>
typename TImage::Pointer
NewImage(std::size_t size)
{
  typename TImage::SizeType sizes;
  sizes.Fill(size);
  const auto image = TImage::New();
  image->SetRegions(sizes);
  image->Allocate();
  return image;
}

/** Returns different images: uniform values in [-1000, 1000), each time rotated by another number of samples. This is
 * much faster than drawing new values. */
template <typename TImage>
std::vector<typename TImage::Pointer>
RandomImages(std::size_t size, std::size_t images)
{
  std::vector<typename TImage::Pointer> made{ NewImage<TImage>(size) };
  auto * const                          first = made[0]->GetBufferPointer();
  const std::size_t                     count = made[0]->GetBufferedRegion().GetNumberOfPixels();
  std::mt19937                          generator(1);
  std::generate_n(first, count, [&generator] {
    return static_cast<typename TImage::PixelType>(static_cast<int>(generator() % 2000) - 1000);
  });
  for (std::size_t i = 1; i < images; ++i)
  {
    made.push_back(NewImage<TImage>(size));
    std::rotate_copy(first, first + i * (size + 1), first + count, made[i]->GetBufferPointer());
  }
  return made;
}

/** Returns a rotation about three axes and the centre. Each \p turn is a different one. */
template <typename TImage>
itk::Euler3DTransform<double>::Pointer
Rotation(const TImage * image, unsigned int turn)
{
  const auto                                    transform = itk::Euler3DTransform<double>::New();
  itk::Euler3DTransform<double>::InputPointType centre;
  centre.Fill(0.5 * static_cast<double>(image->GetBufferedRegion().GetSize()[0] - 1));
  transform->SetCenter(centre);
  const double more = 0.001 * turn;
  transform->SetRotation(0.17 + more, 0.26 - more, 0.35 + more);
  return transform;
}

template <typename TImage>
typename FilterOf<TImage>::Pointer
MakeFilter(const Cell & cell, const TImage * image)
{
  const auto filter = FilterOf<TImage>::New();
  filter->SetInput(image);
  filter->SetInterpolator(itk::BSplineInterpolateImageFunction<TImage, double, double>::New());
  filter->SetTransform(Rotation<TImage>(image, 0));
  filter->SetOutputParametersFromImage(image);
  filter->SetDevice(cell.backend == Backend::Cuda ? "gpu" : "cpu");
  filter->SetKeepSource(cell.kept);
  return filter;
}

template <typename TImage>
void
Measure(benchmark::State & state, const Cell & cell)
{
  try
  {
    const std::vector<typename TImage::Pointer> images = RandomImages<TImage>(cell.size, cell.series);
    auto                                        filter = MakeFilter<TImage>(cell, images[0]);
    filter->Update(); // threads, kernels, pools
    double       preparation = 0.0;
    double       evaluation = 0.0;
    unsigned int turn = 0;
    for (auto _ : state)
    {
      double seconds = 0.0;
      for (std::size_t i = 0; i < cell.series; ++i)
      {
        const auto start = std::chrono::steady_clock::now();
        if (cell.reused)
        {
          filter->SetTransform(Rotation<TImage>(images[0], ++turn));
        }
        else
        {
          filter = nullptr; // frees the memory of its output first
          filter = MakeFilter<TImage>(cell, images[i]);
        }
        filter->Update();
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        preparation += 1000.0 * filter->GetPreparationTime();
        evaluation += 1000.0 * filter->GetEvaluationTime();
        if (filter->GetLastBackend() != cell.backend || filter->GetSourceReused() != cell.kept)
        {
          throw std::runtime_error("another backend ran, or the source was not kept: " + filter->GetFallbackReason());
        }
      }
      state.SetIterationTime(seconds / static_cast<double>(cell.series));
    }
    const double updates = static_cast<double>(state.iterations()) * static_cast<double>(cell.series);
    state.counters["preparation_ms"] = preparation / updates;
    state.counters["evaluation_ms"] = evaluation / updates;
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}

template <typename TPixel>
void
Register(const Cell & cell, const std::string & type)
{
  const std::string name = std::string("ResampleFilter/backend:") + (cell.backend == Backend::Cuda ? "cuda" : "cpu") +
                           "/size:" + std::to_string(cell.size) + "/type:" + type +
                           "/output:" + (cell.reused ? "reused" : "new") + (cell.kept ? "/source:kept" : "") +
                           (cell.series > 1 ? "/series:" + std::to_string(cell.series) : "");
  auto * const rows = WithQuartiles(benchmark::RegisterBenchmark(
    name.c_str(), [cell](benchmark::State & state) { Measure<itk::Image<TPixel, 3>>(state, cell); }));
  rows->UseManualTime()->Unit(benchmark::kMillisecond);
  if (cell.series > 1)
  {
    rows->Iterations(2); // the time is that of one volume, from which the program would choose far too many series
  }
}
} // namespace

void
RegisterTransfers(Backend backend)
{
  for (const std::size_t size : { 256, 512 })
  {
    for (const bool reused : { false, true })
    {
      Cell cell;
      cell.backend = backend;
      cell.size = size;
      cell.reused = reused;
      Register<float>(cell, "float32");
      Register<short>(cell, "int16");
      if (reused)
      {
        cell.kept = true;
        Register<float>(cell, "float32");
      }
      else if (size == 256)
      {
        cell.series = 64;
        Register<float>(cell, "float32");
      }
    }
  }
}
