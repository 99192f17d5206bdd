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
#ifndef MetricScatter_cuh
#define MetricScatter_cuh

#include "itkCudaSpline/math/MetricSums.h"

#include "kernels/metrics/passes/MetricCells.cuh"
#include "kernels/metrics/passes/MetricReduction.cuh"
#include "kernels/metrics/samples/MetricSpline.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/** \file
 * \brief Stores the forces of a cell of a B-spline grid in shared memory, and adds them to its nodes. */

namespace itk::CudaSpline
{

namespace
{

constexpr int BatchSamples = 256; // number of samples whose forces are in shared memory at the same time

/** The weights and forces of a batch in shared memory. Each number is stored for all samples consecutively. The
 * coefficients of the cell, sums of the warps, and sums of the chunk follow. */
template <unsigned int VDimension>
struct ForceBatch
{
  using Shape = CellShape<VDimension>;
  /** Samples plus padding: rows that threads read at the same time are in different banks of shared memory. */
  static constexpr int Pitch = BatchSamples + 4;
  static constexpr int Weights = static_cast<int>(VDimension) * WidestSupport;

  double * numbers;

  __device__ __forceinline__ double &
  Weight(unsigned int axis, int tap, int sample) const
  {
    return numbers[(static_cast<int>(axis) * WidestSupport + tap) * Pitch + sample];
  }
  __device__ __forceinline__ double &
  Force(unsigned int set, unsigned int axis, int sample) const
  {
    return numbers[(Weights + static_cast<int>(set * VDimension + axis)) * Pitch + sample];
  }
  /** Stores the weights of a sample. */
  __device__ __forceinline__ void
  KeepWeights(int sample, const double (&weights)[VDimension][WidestSupport]) const
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      for (int k = 0; k < WidestSupport; ++k)
      {
        this->Weight(d, k, sample) = weights[d][k];
      }
    }
  }
  /** Returns the coefficients of the cell's nodes: planes by axis, at a multiple of 16 bytes. */
  __device__ __forceinline__ double *
  Coefficients(unsigned int sets) const
  {
    return &this->Force(sets, 0, 0);
  }
  __device__ __forceinline__ double *
  WarpSums(unsigned int sets) const
  {
    return this->Coefficients(sets) + Shape::Numbers;
  }
  __device__ __forceinline__ double *
  Totals(unsigned int sets) const
  {
    return this->WarpSums(sets) + MetricWarps * Shape::Numbers;
  }
  /** Returns the shared memory of a block in bytes. */
  static std::size_t
  Bytes(unsigned int sets)
  {
    constexpr std::size_t lists = Weights;
    return sizeof(double) *
           ((lists + sets * VDimension) * Pitch + (1 + MetricWarps + sets) * std::size_t{ Shape::Numbers });
  }
};

/** MetricSums that writes its forces to a batch. */
template <unsigned int VDimension>
class ForceSums
{
public:
  static constexpr unsigned int Sets = 2;
  static constexpr bool         AnyPass = true;

  __device__ __forceinline__
  ForceSums(const SplineParameters<VDimension> & parameters, const ForceBatch<VDimension> & batch)
    : m_Parameters(parameters)
    , m_Batch(batch)
  {}

  /** Selects where forces are written. The forces are set to 0 there. */
  __device__ __forceinline__ void
  SelectSample(int sample, unsigned int sets)
  {
    m_Sample = sample;
    for (unsigned int set = 0; set < sets; ++set)
    {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        m_Batch.Force(set, d, sample) = 0.0;
      }
    }
  }
  __device__ __forceinline__ void
  AddSample()
  {
    m_Sums.AddSample();
  }
  __device__ __forceinline__ void
  AddValue(unsigned int which, double value)
  {
    m_Sums.AddValue(which, value);
  }
  __device__ __forceinline__ void
  AddForce(unsigned int set, double weight, const double (&gradient)[VDimension], const double (&)[VDimension])
  {
    double force[VDimension];
    m_Parameters.ForceOf(weight, gradient, force);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      m_Batch.Force(set, d, m_Sample) = force[d];
    }
  }
  __device__ __forceinline__ const MetricSums<VDimension, 0> &
                                   GetSums() const
  {
    return m_Sums;
  }

private:
  const SplineParameters<VDimension> & m_Parameters;
  const ForceBatch<VDimension> &       m_Batch;
  int                                  m_Sample{ 0 };
  MetricSums<VDimension, 0>            m_Sums;
};

/** Stores the weights at the position of a sample, if the grid moves it. */
template <unsigned int VDimension>
__device__ __forceinline__ void
KeepWeightsOf(const MetricArguments<VDimension> &  arguments,
              const SplineParameters<VDimension> & parameters,
              const MetricCursor<VDimension> &     cursor,
              const ForceBatch<VDimension> &       batch,
              int                                  sample)
{
  double       place[VDimension];
  double       point[VDimension];
  double       weights[VDimension][WidestSupport];
  std::int64_t offset = 0;
  cursor.PlaceIn(arguments, place);
  parameters.Enter(place, point);
  FindPaddedSupport(parameters.GetStage(), point, weights, offset); // 0 if there is no support
  batch.KeepWeights(sample, weights);
}

/** Adds the forces of a batch, multiplied with the weights of a set, to the sums of the chunk over the nodes of the
 * cell. Several threads process a sample, each with some rows of nodes. A tree then adds the results of the threads of
 * a row. Needs to be called by all threads. */
template <unsigned int VDimension>
__device__ __forceinline__ void
ScatterBatch(const ForceBatch<VDimension> & batch, unsigned int set, int count, double * ofWarps, double * total)
{
  using Shape = CellShape<VDimension>;
  constexpr int groups = static_cast<int>(MetricThreads) / Shape::Threads;
  const int     thread = static_cast<int>(threadIdx.x);
  const int     firstRow = thread % Shape::Threads * Shape::ThreadRows;
  const int     y = firstRow % WidestSupport;
  const int     z = firstRow / WidestSupport;
  double        sums[Shape::ThreadRows][VDimension][WidestSupport]{};
  for (int i = thread / Shape::Threads; i < count; i += groups)
  {
    double along[WidestSupport];
#pragma unroll
    for (int k = 0; k < WidestSupport; ++k)
    {
      along[k] = batch.Weight(0, k, i);
    }
    double force[VDimension];
#pragma unroll
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      force[d] = batch.Force(set, d, i);
      if constexpr (VDimension == 3)
      {
        force[d] *= batch.Weight(2, z, i);
      }
    }
#pragma unroll
    for (int row = 0; row < Shape::ThreadRows; ++row)
    {
      const double weight = batch.Weight(1, y + row, i);
#pragma unroll
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const double part = weight * force[d];
#pragma unroll
        for (int k = 0; k < WidestSupport; ++k)
        {
          sums[row][d][k] += part * along[k];
        }
      }
    }
  }
  double * const own = ofWarps + thread / 32 * Shape::Numbers;
#pragma unroll
  for (int row = 0; row < Shape::ThreadRows; ++row)
  {
#pragma unroll
    for (unsigned int d = 0; d < VDimension; ++d)
    {
#pragma unroll
      for (int k = 0; k < WidestSupport; ++k)
      {
        double sum = sums[row][d][k];
        for (int distance = 16; distance >= Shape::Threads; distance /= 2)
        {
          sum += __shfl_down_sync(0xFFFFFFFFU, sum, distance);
        }
        if (thread % 32 < Shape::Threads)
        {
          own[static_cast<int>(d) * Shape::Nodes + (firstRow + row) * WidestSupport + k] = sum;
        }
      }
    }
  }
  __syncthreads();
  for (int n = thread; n < Shape::Numbers; n += MetricThreads)
  {
    double sum = 0.0;
    for (unsigned int warp = 0; warp < MetricWarps; ++warp)
    {
      sum += ofWarps[static_cast<int>(warp) * Shape::Numbers + n];
    }
    total[n] += sum;
  }
  __syncthreads();
}

} // namespace
} // namespace itk::CudaSpline

#endif
