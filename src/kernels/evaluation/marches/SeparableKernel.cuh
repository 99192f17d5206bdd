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
#ifndef SeparableKernel_cuh
#define SeparableKernel_cuh

#include "kernels/evaluation/marches/AxisPlaces.cuh"
#include "kernels/evaluation/marches/SliceWindow.cuh"

namespace itk::CudaSpline
{

namespace
{

/** Returns the shared memory of SeparableKernel in bytes. */
template <unsigned int VTaps, typename TReal>
std::size_t
SeparableBytes(const MapTiles & tiles)
{
  return sizeof(TReal) * (static_cast<std::size_t>(tiles.pitch) * (WindowStages * tiles.rows + 2 * tiles.tileY) +
                          static_cast<std::size_t>(VTaps) * (tiles.tileY + MaxSlices)) +
         sizeof(int) * (static_cast<std::size_t>(tiles.tileY) + MaxSlices);
}

/** Evaluates a map whose axes are separate. A block computes a tile of the output in x and y and marches along z.
 *
 * The sums are in the order of TensorProductSum(), y, z, x, so the results are the same bit for bit. The sums over y
 * are computed as soon as a slice of the input is in shared memory, with one vector of neighbours per thread. The sums
 * over z are computed from the sums over y of the last slices, which stay in registers. The sums over x are computed
 * from a row of sums over z in shared memory. */
template <unsigned int VTaps, typename TReal, int VBlocks>
__global__ void
__launch_bounds__(TileThreads, VBlocks)
  SeparableKernel(const __grid_constant__ EvaluationArguments<3> arguments, const TiledPart part)
{
  using Place = AxisPlace<VTaps, TReal>;
  using Copies = WindowCopies<TReal, TileThreads, WindowCopiesPerThread>;
  constexpr int         taps = static_cast<int>(VTaps);
  constexpr int         wide = WideCopy<TReal>;
  const TapBasis<VTaps> basis{ part.isCubicConvolution, { arguments.cubic } };
  const int             tileX = arguments.tiles.tileX;
  const int             tileY = arguments.tiles.tileY;
  const int             pitch = arguments.tiles.pitch;
  const int             thread = static_cast<int>(threadIdx.x);

  extern __shared__ __align__(16) unsigned char sharedBytes[];
  const int                                     windowSize = arguments.tiles.rows * pitch;
  TReal * const                                 windows = reinterpret_cast<TReal *>(sharedBytes);
  TReal * const                                 sums = windows + WindowStages * windowSize; // two buffers
  TReal * const                                 weightsY = sums + 2 * tileY * pitch;
  TReal * const                                 weightsZ = weightsY + taps * tileY;
  int * const                                   basesZ = reinterpret_cast<int *>(weightsZ + taps * MaxSlices);
  int * const                                   basesY = basesZ + MaxSlices;
  __shared__ int range[6]; // ranges of the bases in x and y, and of the output slices that are inside
  __shared__ SliceList<taps>          list;
  __shared__ typename Copies::Singles singles;

  const SlabSlices & slab = part.slab;
  const int          slices = slab.count;
  const int          begin = static_cast<int>(blockIdx.z) * part.chunk;
  const int          count = min(part.chunk, slices - begin);
  const int          direction = arguments.tiles.backward ? -1 : 1;
  const int          firstSlice = arguments.tiles.backward ? slices - 1 - begin : begin;

  if (thread < 6)
  {
    range[thread] = thread % 2 == 0 ? INT_MAX : INT_MIN;
  }
  __syncthreads();
  const int          column = thread & (tileX - 1);
  const std::int64_t sample = std::int64_t{ blockIdx.x } * tileX + column;
  double             index[3] = { arguments.lower[0] - 1.0, 0.0, 0.0 };
  if (sample < arguments.samples)
  {
    arguments.ScanlineIndexOf(0, sample, index);
  }
  const Place placeX(basis, arguments, 0, index[0]);
  if (placeX.base != Place::Outside)
  {
    atomicMin(range + 0, placeX.base);
    atomicMax(range + 1, placeX.base);
  }
  const std::int64_t firstRow = std::int64_t{ blockIdx.y } * tileY;
  for (int i = thread; i < tileY; i += TileThreads)
  {
    const std::int64_t line = slab.LineOnRow(firstRow + i);
    index[1] = arguments.lower[1] - 1.0;
    if (line >= 0)
    {
      arguments.ScanlineIndexOf(line, 0, index);
    }
    const Place place(basis, arguments, 1, index[1]);
    basesY[i] = place.base;
    for (int k = 0; k < taps; ++k)
    {
      weightsY[i * taps + k] = place.weights[k];
    }
    if (place.base != Place::Outside)
    {
      atomicMin(range + 2, place.base);
      atomicMax(range + 3, place.base);
    }
  }
  for (int i = thread; i < count; i += TileThreads)
  {
    arguments.ScanlineIndexOf(slab.LineInSlice(firstSlice + direction * i), 0, index);
    const Place place(basis, arguments, 2, index[2]);
    basesZ[i] = place.base;
    for (int k = 0; k < taps; ++k)
    {
      weightsZ[i * taps + k] = place.weights[k];
    }
    if (place.base != Place::Outside)
    {
      atomicMin(range + 4, i);
      atomicMax(range + 5, i);
    }
  }
  __syncthreads();

  // Outputs of the thread in a slice: a column, every rowStep-th row.
  const int    rowStep = TileThreads / tileX;
  const int    firstOfThread = thread / tileX;
  unsigned int present = 0;
  unsigned int inside = 0;
  for (int i = 0, row = firstOfThread; row < tileY; ++i, row += rowStep)
  {
    const bool is = sample < arguments.samples && firstRow + row < slab.rows;
    present |= is ? 1U << i : 0U;
    inside |= is && placeX.base != Place::Outside && basesY[row] != Place::Outside ? 1U << i : 0U;
  }
  const std::uint64_t outside =
    arguments.defaultPixels != nullptr ? arguments.defaultPixels[part.component] : arguments.defaultPixel;
  const std::int64_t firstLine = slab.LineOf(0, firstRow + firstOfThread);
  const std::int64_t firstAt = (firstLine * arguments.samples + sample) * arguments.components + part.component;
  const std::int64_t sliceAt = slab.rows * arguments.samples * arguments.components;
  const std::int64_t rowAt = rowStep * arguments.samples * arguments.components;
  const int          rowPitch = rowStep * pitch;
  const int          outputs = __popc(present);
  const auto         valueOf = [&](const TReal * rowSums) {
    Lanes<VTaps, TReal> lanes;
#pragma unroll
    for (int k = 0; k < taps; ++k)
    {
      lanes.lane[k] = rowSums[k];
    }
    return lanes.Dot(placeX.weights);
  };
  // Stores floats of a slice that the slab contains completely.
  const auto storeFloats = [&](int i, const TReal * rowSums) {
    const int slice = firstSlice + direction * i;
    float *   to = static_cast<float *>(arguments.output) + (firstAt + slice * sliceAt);
    if (inside == present)
    {
#pragma unroll 4
      for (int k = 0; k < outputs; ++k, to += rowAt, rowSums += rowPitch)
      {
        *to = CastToFloat(valueOf(rowSums));
      }
      return;
    }
#pragma unroll 1
    for (int k = 0; k < outputs; ++k, to += rowAt, rowSums += rowPitch)
    {
      *to = FloatOf((inside >> k & 1U) != 0, outside, valueOf(rowSums));
    }
  };
  const auto storeRows = [&](int i, bool hasValues, const TReal * rowSums) {
    const int          slice = firstSlice + direction * i;
    std::int64_t       at = firstAt + slice * sliceAt;
    const unsigned int wanted = LinesWithin(firstLine + slice * slab.rows, rowStep, present, slab.lines);
    const unsigned int valued = hasValues ? inside : 0U;
#pragma unroll 1
    for (unsigned int bit = 1; bit != 0 && wanted >= bit; bit <<= 1, at += rowAt, rowSums += rowPitch)
    {
      if ((wanted & bit) != 0)
      {
        const bool has = (valued & bit) != 0;
        StoreValue(arguments.output, arguments.outputType, at, has, outside, has ? valueOf(rowSums) : TReal(0));
      }
    }
  };

  const bool none = range[0] > range[1] || range[2] > range[3] || range[4] > range[5];
  const int  firstInside = none ? count : range[4];
  const int  lastInside = none ? count - 1 : range[5];
#pragma unroll 1
  for (int i = 0; i < count; ++i)
  {
    if (i < firstInside || i > lastInside)
    {
      storeRows(i, false, sums);
    }
  }
  if (none)
  {
    return;
  }

  SliceWindow window;
  window.x = range[0] & ~(wide - 1);
  window.y = range[2];
  window.vectors = (range[1] + taps - window.x + wide - 1) / wide;
  window.rows = range[3] + taps - window.y;
  window.pitch = pitch;
  if (window.vectors * wide > pitch || window.rows > arguments.tiles.rows ||
      window.vectors * window.rows > WindowCopiesPerThread * TileThreads ||
      window.vectors * tileY > SeparableItems * TileThreads)
  {
    __trap(); // PlanMapTiles() guarantees that the windows fit
  }
  const Copies       copies(arguments, window, singles);
  const int          number = lastInside - firstInside + 1;
  const std::int64_t sliceSize = arguments.extent.size[0] * arguments.extent.size[1];
  list.Make(basesZ + firstInside, number, arguments.extent.size[2], arguments.extension[2], sliceSize);

  // Vectors of sums of the thread: positions in a window and in a row of sums.
  int   from[SeparableItems];
  int   to[SeparableItems];
  TReal weights[SeparableItems][taps];
#pragma unroll
  for (int m = 0; m < SeparableItems; ++m)
  {
    const int  item = thread + m * TileThreads;
    const int  row = item / window.vectors;
    const int  vector = item % window.vectors;
    const bool used = row < tileY && basesY[row] != Place::Outside;
    from[m] = (used ? (basesY[row] - window.y) * pitch : 0) + vector * wide;
    to[m] = used ? row * pitch + vector * wide : -1;
#pragma unroll
    for (int k = 0; k < taps; ++k)
    {
      weights[m][k] = used ? weightsY[row * taps + k] : TReal(0);
    }
  }

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

  Lanes<wide, TReal> ring[SeparableItems][taps]; // sums over y of the last slices
  int                stage = 0;
  int                done = 0;
  int                step = 0;
  int                buffer = 0;
  int pending = -1; // output slice whose sums are in the other buffer, and whose sums over x are computed next
  const TReal * const rowSums =
    sums + firstOfThread * pitch + (placeX.base != Place::Outside ? placeX.base - window.x : 0);
  const int  otherBuffer = tileY * pitch;
  const auto finish = [&](auto plain, int from) {
    if (pending >= 0)
    {
      if constexpr (decltype(plain)::value)
      {
        storeFloats(pending, rowSums + from);
      }
      else
      {
        storeRows(pending, true, rowSums + from);
      }
    }
  };
  // Processes one slice of the input. The sums over x of an output slice are computed one barrier after the sums over
  // z, together with the sums over y and z of the next slice.
  const auto march = [&](auto plain, auto now) {
    constexpr int phase = decltype(now)::value;
    __pipeline_wait_prior(WindowStages - 2);
    __syncthreads();
    startCopies(step + WindowStages - 1, windows + (stage == 0 ? WindowStages - 1 : stage - 1) * windowSize);
    const TReal * const read = windows + stage * windowSize;
    stage = stage == WindowStages - 1 ? 0 : stage + 1;
#pragma unroll
    for (int m = 0; m < SeparableItems; ++m)
    {
      if constexpr (!decltype(plain)::value)
      {
#pragma unroll
        for (int k = 0; k + 1 < taps; ++k)
        {
          ring[m][k] = ring[m][k + 1];
        }
      }
#pragma unroll
      for (int k = 0; k < taps; ++k)
      {
        const Lanes<wide, TReal> row = LoadWide(read + from[m] + k * pitch);
        k == 0 ? ring[m][phase].SetProduct(weights[m][k], row) : ring[m][phase].AddProduct(weights[m][k], row);
      }
    }
    bool first = true;
#pragma unroll 1
    for (; list.ready[done] == step; ++done)
    {
      if (!first)
      {
        __syncthreads();
      }
      first = false;
      const TReal * const weightZ = weightsZ + (firstInside + done) * taps;
#pragma unroll
      for (int m = 0; m < SeparableItems; ++m)
      {
        Lanes<wide, TReal> sum;
#pragma unroll
        for (int k = 0; k < taps; ++k)
        {
          const Lanes<wide, TReal> & term = ring[m][(phase + 1 + k) % taps];
          k == 0 ? sum.SetProduct(weightZ[k], term) : sum.AddProduct(weightZ[k], term);
        }
        if (to[m] >= 0)
        {
          StoreWide(sums + buffer + to[m], sum);
        }
      }
      buffer = otherBuffer - buffer;
      finish(plain, buffer);
      pending = firstInside + done;
    }
    return ++step < steps;
  };
  if (arguments.outputType == ScalarType::Float32 &&
      slab.AreWhole(min(firstSlice, firstSlice + direction * (count - 1)),
                    max(firstSlice, firstSlice + direction * (count - 1)) + 1))
  {
    while (StepThrough(std::make_integer_sequence<int, taps>(), [&](auto now) { return march(std::true_type(), now); }))
    {}
    __syncthreads();
    finish(std::true_type(), otherBuffer - buffer);
  }
  else
  {
    // The code contains a single step: the sums are shifted from slice to slice.
    while (march(std::false_type(), std::integral_constant<int, taps - 1>()))
    {}
    __syncthreads();
    finish(std::false_type(), otherBuffer - buffer);
  }
}

} // namespace
} // namespace itk::CudaSpline

#endif
