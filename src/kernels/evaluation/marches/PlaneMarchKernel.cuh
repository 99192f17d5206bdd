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
#ifndef PlaneMarchKernel_cuh
#define PlaneMarchKernel_cuh

#include "kernels/evaluation/marches/PlaneWindow.cuh"

namespace itk::CudaSpline
{

namespace
{

/** Returns the shared memory of PlaneMarchKernel in bytes. */
template <unsigned int VTaps, typename TReal>
std::size_t
PlaneMarchBytes(const MapTiles & tiles)
{
  return sizeof(TReal) * (static_cast<std::size_t>(tiles.pitch) * tiles.rows * WindowStages +
                          static_cast<std::size_t>(VTaps) * MaxSlices) +
         sizeof(int) * static_cast<std::size_t>(MaxSlices);
}

/** Evaluates a map whose z depends on the slice alone. A block computes a tile of the output in x and y, 32 samples
 * wide, and marches along z.
 *
 * The sums are in the order of TensorProductSum(), y, z, x, so the results are the same bit for bit. For each of its
 * columns, a thread holds the sums over y of the last slices.
 *
 * \tparam VColumns outputs of a slice for each thread */
template <unsigned int VTaps, typename TReal, int VColumns, int VBlocks>
__global__ void
__launch_bounds__(TileThreads, VBlocks)
  PlaneMarchKernel(const __grid_constant__ EvaluationArguments<3> arguments, const TiledPart part)
{
  using Place = AxisPlace<VTaps, TReal>;
  using Copies = WindowCopies<TReal, TileThreads, WindowCopiesPerThread>;
  constexpr int         taps = static_cast<int>(VTaps);
  constexpr int         tileRows = VColumns * PlaneRowStep;
  const TapBasis<VTaps> basis{ part.isCubicConvolution, { arguments.cubic } };
  const int             thread = static_cast<int>(threadIdx.x);
  const int             pitch = arguments.tiles.pitch;
  const int             windowSize = arguments.tiles.rows * pitch;

  extern __shared__ __align__(16) unsigned char sharedBytes[];
  TReal * const                                 windows = reinterpret_cast<TReal *>(sharedBytes);
  TReal * const                                 weightsZ = windows + WindowStages * windowSize;
  int * const                                   basesZ = reinterpret_cast<int *>(weightsZ + taps * MaxSlices);
  __shared__ int                                range[2]; // range of the output slices that are inside
  __shared__ SliceList<taps>          list;
  __shared__ typename Copies::Singles singles;

  const SlabSlices & slab = part.slab;
  const int          slices = slab.count;
  const int          begin = static_cast<int>(blockIdx.z) * part.chunk;
  const int          count = min(part.chunk, slices - begin);
  const int          direction = arguments.tiles.backward ? -1 : 1;
  const int          firstSlice = arguments.tiles.backward ? slices - 1 - begin : begin;
  if (thread == 0)
  {
    range[0] = INT_MAX;
    range[1] = INT_MIN;
  }
  __syncthreads();
  for (int i = thread; i < count; i += TileThreads)
  {
    double index[3];
    arguments.ScanlineIndexOf(slab.LineInSlice(firstSlice + direction * i), 0, index);
    const Place place(basis, arguments, 2, index[2]);
    basesZ[i] = place.base;
    for (int k = 0; k < taps; ++k)
    {
      weightsZ[i * taps + k] = place.weights[k];
    }
    if (place.base != Place::Outside)
    {
      atomicMin(range + 0, i);
      atomicMax(range + 1, i);
    }
  }

  const std::int64_t firstSample = std::int64_t{ blockIdx.x } * PlaneColumns;
  const std::int64_t tileRow = std::int64_t{ blockIdx.y } * tileRows;
  const SliceWindow  window = WindowOfTile<VTaps, TReal>(basis, arguments, slab, firstSample, tileRow, tileRows);
  if (window.vectors * window.rows > WindowCopiesPerThread * TileThreads)
  {
    __trap(); // PlanMapTiles() guarantees that the window fits
  }
  const Copies copies(arguments, window, singles);

  const PlaneThread                                 thisPlace(arguments.tiles.square);
  const std::int64_t                                sample = firstSample + thisPlace.column;
  const std::int64_t                                firstRow = tileRow + thisPlace.row;
  TensorWeights<2, VTaps, Derivatives::None, TReal> weights[VColumns];
  int                                               from[VColumns]; // positions in a window
  unsigned int                                      present = 0;
  unsigned int                                      inside = 0;
#pragma unroll
  for (int c = 0; c < VColumns; ++c)
  {
    const std::int64_t row = firstRow + c * PlaneRowStep;
    const std::int64_t line = slab.LineOnRow(row);
    present |= sample < arguments.samples && row < slab.rows ? 1U << c : 0U;
    double     index[3] = { 0.0, 0.0, 0.0 };
    const bool is = line >= 0 && sample < arguments.samples;
    if (is)
    {
      arguments.ScanlineIndexOf(line, sample, index);
    }
    const Place x(basis, arguments, 0, index[0]);
    const Place y(basis, arguments, 1, index[1]);
    const bool  isInside = is && x.base != Place::Outside && y.base != Place::Outside;
    inside |= isInside ? 1U << c : 0U;
    from[c] = isInside ? (y.base - window.y) * pitch + x.base - window.x : 0;
#pragma unroll
    for (int k = 0; k < taps; ++k)
    {
      weights[c].value[0][k] = x.weights[k];
      weights[c].value[1][k] = y.weights[k];
    }
  }
  __syncthreads(); // before the range, the bases and the shared data of the copies are used

  const std::uint64_t outside =
    arguments.defaultPixels != nullptr ? arguments.defaultPixels[part.component] : arguments.defaultPixel;
  const std::int64_t firstLine = slab.LineOf(0, firstRow);
  const std::int64_t firstAt = (firstLine * arguments.samples + sample) * arguments.components + part.component;
  const std::int64_t sliceAt = slab.rows * arguments.samples * arguments.components;
  const std::int64_t rowAt = PlaneRowStep * arguments.samples * arguments.components;
  // Stores floats of a slice that the slab contains completely.
  const auto storeFloats = [&](int i, const TReal(&values)[VColumns]) {
    const int slice = firstSlice + direction * i;
    float *   to = static_cast<float *>(arguments.output) + (firstAt + slice * sliceAt);
#pragma unroll
    for (int c = 0; c < VColumns; ++c, to += rowAt)
    {
      if ((present >> c & 1U) != 0)
      {
        *to = FloatOf((inside >> c & 1U) != 0, outside, values[c]);
      }
    }
  };
  const auto storeColumns = [&](int i, bool hasValues, const TReal(&values)[VColumns]) {
    const int          slice = firstSlice + direction * i;
    std::int64_t       at = firstAt + slice * sliceAt;
    const unsigned int wanted = LinesWithin(firstLine + slice * slab.rows, PlaneRowStep, present, slab.lines);
#pragma unroll
    for (int c = 0; c < VColumns; ++c, at += rowAt)
    {
      if ((wanted >> c & 1U) != 0)
      {
        StoreValue(
          arguments.output, arguments.outputType, at, hasValues && (inside >> c & 1U) != 0, outside, values[c]);
      }
    }
  };

  TReal      values[VColumns]{};
  const bool none = range[0] > range[1];
  const int  firstInside = none ? count : range[0];
  const int  lastInside = none ? count - 1 : range[1];
#pragma unroll 1
  for (int i = 0; i < count; ++i)
  {
    if (i < firstInside || i > lastInside)
    {
      storeColumns(i, false, values);
    }
  }
  if (none)
  {
    return;
  }

  const int          number = lastInside - firstInside + 1;
  const std::int64_t sliceSize = arguments.extent.size[0] * arguments.extent.size[1];
  list.Make(basesZ + firstInside, number, arguments.extent.size[2], arguments.extension[2], sliceSize);
  const auto source = static_cast<const TReal *>(arguments.source);
  const int  steps = list.ready[number - 1] + 1;
  const auto startCopies = [&](int step, TReal * to) {
    if (step < steps)
    {
      const std::int64_t offset = list.offsets[step];
      copies.Start(arguments, offset < 0 ? nullptr : source + offset, to);
    }
    __pipeline_commit(); // an empty group keeps the number of pending groups constant
  };
  for (int stage = 0; stage < WindowStages - 1; ++stage)
  {
    startCopies(stage, windows + stage * windowSize);
  }

  Lanes<VTaps, TReal> ring[VColumns][taps]; // sums over y of the last slices
  int                 stage = 0;
  int                 done = 0;
  int                 step = 0;
  // Processes one slice of the input.
  const auto march = [&](auto plain, auto now) {
    constexpr int phase = decltype(now)::value;
    __pipeline_wait_prior(WindowStages - 2);
    __syncthreads();
    startCopies(step + WindowStages - 1, windows + (stage == 0 ? WindowStages - 1 : stage - 1) * windowSize);
    const TReal * const read = windows + stage * windowSize;
    stage = stage == WindowStages - 1 ? 0 : stage + 1;
#pragma unroll
    for (int c = 0; c < VColumns; ++c)
    {
      if constexpr (!decltype(plain)::value)
      {
#pragma unroll
        for (int k = 0; k + 1 < taps; ++k)
        {
          ring[c][k] = ring[c][k + 1];
        }
      }
      RowSums<1, VTaps, Derivatives::None, TReal> rows;
      SumRows<1>(WindowTaps<TReal>{ read + from[c], pitch }, 0, weights[c], rows);
      ring[c][phase] = rows.value;
    }
#pragma unroll 1
    for (; list.ready[done] == step; ++done)
    {
      const TReal * const weightZ = weightsZ + (firstInside + done) * taps;
#pragma unroll
      for (int c = 0; c < VColumns; ++c)
      {
        Lanes<VTaps, TReal> sum;
#pragma unroll
        for (int k = 0; k < taps; ++k)
        {
          const Lanes<VTaps, TReal> & term = ring[c][(phase + 1 + k) % taps];
          k == 0 ? sum.SetProduct(weightZ[k], term) : sum.AddProduct(weightZ[k], term);
        }
        values[c] = sum.Dot(weights[c].value[0]);
      }
      if constexpr (decltype(plain)::value)
      {
        storeFloats(firstInside + done, values);
      }
      else
      {
        storeColumns(firstInside + done, true, values);
      }
    }
    return ++step < steps;
  };
  if (arguments.outputType == ScalarType::Float32 &&
      slab.AreWhole(min(firstSlice, firstSlice + direction * (count - 1)),
                    max(firstSlice, firstSlice + direction * (count - 1)) + 1))
  {
    while (StepThrough(std::make_integer_sequence<int, taps>(), [&](auto now) { return march(std::true_type(), now); }))
    {}
  }
  else
  {
    // The code contains a single step: the sums are shifted from slice to slice.
    while (march(std::false_type(), std::integral_constant<int, taps - 1>()))
    {}
  }
}

} // namespace
} // namespace itk::CudaSpline

#endif
