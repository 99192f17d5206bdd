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
#include "FeatureBenchmark.h"
#include "BenchmarkCell.h"
#include "BenchmarkHarness.h"

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/kernels/metrics/Features.h"
#include "itkCudaSpline/kernels/registration/DenseSearch.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace
{
using namespace itk::CudaSpline;

/** Returns a cube of waves that are shifted by some samples. */
ResidentImage
MakeWaves(std::int64_t size, float shift, const Residence & residence)
{
  FieldGrid grid;
  grid.dimension = 3;
  for (std::size_t d = 0; d < 3; ++d)
  {
    grid.size[d] = size;
    grid.spacing[d] = grid.indexToPoint[d][d] = grid.pointToIndex[d][d] = 1.0;
  }
  std::vector<float> waves;
  for (std::int64_t n = 0; n < grid.Count(); ++n)
  {
    const auto x = static_cast<float>(n % size) + shift;
    const auto y = static_cast<float>(n / size % size) + shift;
    const auto z = static_cast<float>(n / size / size) + shift;
    waves.push_back(std::sin(0.21F * x) * std::cos(0.17F * y) + std::sin(0.13F * z + 0.05F * x));
  }
  return MakeResidentImage(grid, ScalarType::Float32, waves.data(), residence);
}

FeatureImage
MakeFeatures(const ResidentImage & image, const Residence & residence)
{
  return MakeSelfSimilarity(image.grid, image.pixel, image.data.get(), SelfSimilarityOptions(), residence);
}

/** Measures a call. On a device, several calls follow one another without waiting. */
template <typename TCall>
void
Repeat(benchmark::State & state, const Residence & residence, int times, const TCall & call)
{
  call(); // loads the kernels
  residence.Wait();
  for (auto _ : state)
  {
    const auto begin = std::chrono::steady_clock::now();
    for (int n = 0; n < times; ++n)
    {
      call();
    }
    residence.Wait();
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / times);
  }
}

void
MeasureDescriptor(benchmark::State & state, const Residence & residence, std::int64_t size, int times)
{
  const ResidentImage image = MakeWaves(size, 0.0F, residence);
  Repeat(state, residence, times, [&] { MakeFeatures(image, residence); });
}

/** Measures value and forces: on the moving image, which a field moves, or on both images, each moved by a field. */
void
MeasureForces(benchmark::State & state, const Residence & residence, std::int64_t size, int times, bool isOfBoth)
{
  std::array<MovedFeatures, 2> images;
  images[0].features = MakeFeatures(MakeWaves(size, 0.0F, residence), residence);
  images[1].features = MakeFeatures(MakeWaves(size, 3.0F, residence), residence);
  const FieldShape    shape{ images[0].features.grid, ScalarType::Float32 };
  const ResidentArray field(shape.Bytes(), residence);
  std::vector<float>  moves(static_cast<std::size_t>(shape.Numbers()));
  for (std::size_t n = 0; n < moves.size(); ++n)
  {
    moves[n] =
      1.5F * std::sin(0.02F * static_cast<float>(n / 3 % static_cast<std::size_t>(size)) + static_cast<float>(n % 3));
  }
  Upload(field.Data(), moves.data(), field.Bytes(), residence);
  images[1].stages.push_back(MakeFieldStage(shape, field.Data()));
  if (isOfBoth)
  {
    images[0].stages = images[1].stages;
  }
  const ResidentArray byMoving(shape.Bytes(), residence);
  const ResidentArray byFixed(shape.Bytes(), residence);
  const ResidentArray sums(sizeof(PointSums), residence);
  const ResidentArray scratch(CountFeatureForcesScratch(shape.grid), residence);
  Repeat(state, residence, times, [&] {
    EvaluateFeatureForces(shape,
                          images,
                          sums.As<PointSums>(),
                          byMoving.Data(),
                          isOfBoth ? byFixed.Data() : nullptr,
                          scratch.Data(),
                          residence);
  });
}

/** Measures features of both images, costs and coupled passes, for one direction or for both with their consistency. */
void
MeasureSearch(benchmark::State & state, const Residence & residence, std::int64_t size, bool isSymmetric)
{
  DenseSearchOptions options;
  options.isSymmetric = isSymmetric;
  SynSide fixed;
  SynSide moving;
  fixed.image = MakeWaves(size, 0.0F, residence);
  moving.image = MakeWaves(size, 3.0F, residence);
  Repeat(state, residence, 1, [&] { DenseSearch(fixed, moving, options, ScalarType::Float32, residence).Run({}); });
}

enum class Subject : unsigned char
{
  Descriptor,
  Forces,
  MovingForces,
  Search,
  SymmetricSearch
};

void
Measure(benchmark::State & state, const Cell & cell, Subject subject)
{
  try
  {
    const Residence residence(ContextOf(cell));
    const int       times = residence.IsOnDevice() ? 20 : 1;
    switch (subject)
    {
      case Subject::Descriptor:
        MeasureDescriptor(state, residence, cell.size, times);
        break;
      case Subject::Forces:
      case Subject::MovingForces:
        MeasureForces(state, residence, cell.size, times, subject == Subject::Forces);
        break;
      case Subject::Search:
      case Subject::SymmetricSearch:
        MeasureSearch(state, residence, cell.size, subject == Subject::SymmetricSearch);
        break;
    }
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}
} // namespace

void
RegisterFeatures(bool withCuda)
{
  const std::array<std::string, 5> names{
    { "SelfSimilarity", "SelfSimilarityForces", "SelfSimilarityMovingForces", "DenseSearch", "SymmetricDenseSearch" }
  };
  for (const std::int64_t size : { 128, 256 })
  {
    for (const Subject subject :
         { Subject::Descriptor, Subject::Forces, Subject::MovingForces, Subject::Search, Subject::SymmetricSearch })
    {
      for (const Backend backend : { Backend::Cpu, Backend::Cuda })
      {
        Cell cell;
        cell.backend = backend;
        cell.size = size;
        if (withCuda || backend == Backend::Cpu)
        {
          const std::string name = names.at(static_cast<std::size_t>(subject)) + cell.Axes();
          WithQuartiles(benchmark::RegisterBenchmark(name.c_str(), Measure, cell, subject))
            ->UseManualTime()
            ->Iterations(5)
            ->Unit(benchmark::kMillisecond);
        }
      }
    }
  }
}
