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
#ifndef BenchmarkCell_h
#define BenchmarkCell_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/resampling/Resample.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

/** \file
 * \brief One cell of the axes of CudaSplineBenchmark, its data, and the counters that every family reports. */

/** One cell of the axes. */
struct Cell
{
  itk::CudaSpline::Backend         backend{ itk::CudaSpline::Backend::Cpu };
  unsigned int                     dimension{ 3 };
  std::int64_t                     size{ 64 }; ///< samples per axis of input and output
  itk::CudaSpline::ScalarType      type{ itk::CudaSpline::ScalarType::Float32 };
  itk::CudaSpline::Interpolation   interpolation{ itk::CudaSpline::Interpolation::BSpline };
  unsigned int                     order{ 3 };
  itk::CudaSpline::PrefilterMethod method;
  unsigned int axis{ itk::CudaSpline::MaximumDimension }; ///< axis of PrefilterKernel; MaximumDimension: all

  /** Returns the number of lines of the volume. */
  std::int64_t
  Lines() const;
  /** Returns the bytes of the volume. */
  std::int64_t
  Bytes() const;
  /** Returns for example "/backend:cpu/dimension:3/size:64/precision:single". */
  std::string
  Axes() const;
  /** Returns for example "/order:3/mode:fir/taps:15". */
  std::string
  FilterAxes() const;
};

/** \brief Returns the pixels of a cell in host memory: uniform in [-1000, 1000), the same in every run. Those of the
 * last cell are cached, because consecutive benchmarks use the same ones. */
const void *
PixelsOf(const Cell & cell);

/** \brief Returns the source of a cell. */
itk::CudaSpline::SourceDescriptor
SourceOf(const Cell & cell);

/** \brief Returns the context: backend, all threads of the host, and the selected device. */
itk::CudaSpline::ExecutionContext
ContextOf(const Cell & cell);

/** \brief Sets counters: the minimum number of bytes that an operation reads and writes, and their sum divided by the
 * time. */
void
Declare(benchmark::State & state, std::int64_t read, std::int64_t written);

/** \brief Sets counters: the time in copies of the volume, and the speed as a fraction of that of a copy.
 *
 * \param[in,out] state the benchmark
 * \param[in] seconds time of an operation that reads and writes the volume at least once
 * \param[in] copySeconds time of a copy of the volume */
void
DeclareCopies(benchmark::State & state, double seconds, double copySeconds);

/** \brief Registers Prefilter, PrefilterKernel and Copy for all sizes and types. */
void
RegisterPrefilters(bool withCuda);

/** \brief Registers EvaluationKernel for the methods and transforms that doc/Performance.md compares. */
void
RegisterEvaluations();

/** \brief Registers Resample for all sizes and types. */
void
RegisterResamplings(bool withCuda);

/** \brief Calls \p run with a cell of each backend, size and type. */
template <typename TRun>
void
ForCells(bool withCuda, const TRun & run)
{
  using namespace itk::CudaSpline;
  struct
  {
    unsigned int dimension;
    std::int64_t size;
  } const sizes[] = {
    { 2, 512 }, { 2, 2048 }, { 2, 4096 }, { 2, 8192 }, { 3, 64 }, { 3, 128 }, { 3, 256 }, { 3, 512 }
  };
  for (const auto & [dimension, size] : sizes)
  {
    for (const ScalarType type : { ScalarType::Float32, ScalarType::Float64 })
    {
      Cell cell;
      cell.dimension = dimension;
      cell.size = size;
      cell.type = type;
      run(cell);
      if (withCuda)
      {
        cell.backend = Backend::Cuda;
        run(cell);
      }
    }
  }
}

#endif
