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
#include "kernels/coefficients/lines/PackTranspose.h"
#include "kernels/common/ConvertPixels.h"
#include "kernels/gaussian/GaussianPack.h"
#include "kernels/gaussian/GaussianPasses.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

/** \file
 * \brief Recursive Gaussians on the host in packs of eight lines, with one line per lane.
 *
 * A recursion is exact over a whole line, so a line is filtered at once. There are enough lines for all lanes and
 * threads. Columns are read and written in panels of 16, which is a cache line of floats. Rows are transposed in
 * registers to packs. The first two axes of a slice that stays in the cache are filtered together. */

namespace itk::CudaSpline
{

namespace
{
using Pack = GaussianPack;
constexpr std::int64_t PackSize = PackedLines<double>;

/** Columns that are filtered together: 64 bytes of floats. */
constexpr std::int64_t PanelSize = 16;
constexpr std::int64_t PanelPacks = PanelSize / PackSize;

/** A slice of this size stays in the L2 cache between two passes. */
constexpr std::size_t CachedSliceBytes = std::size_t(1) << 20;

/** Input of the first filters of an operation: pixels of any type, or results of previous filters. */
struct Samples
{
  const void * data;
  ScalarType   type;

  void
  Load(std::int64_t first, std::int64_t count, double * to) const
  {
    ConvertPixels(data, type, first, 1, count, to);
  }
};

/** Scratch memory of a thread: samples and results of some packs of lines. */
class Scratch
{
public:
  Scratch(std::int64_t length, std::int64_t packs)
    : m_Length(length)
    , m_Packs(static_cast<std::size_t>(length * packs * 2))
    , m_Rows(static_cast<std::size_t>(std::max(length * PackSize, PanelSize)))
  {}

  Pack *
  Samples(std::int64_t pack)
  {
    return m_Packs.data() + 2 * pack * m_Length;
  }
  Pack *
  Results(std::int64_t pack)
  {
    return this->Samples(pack) + m_Length;
  }
  double *
  Rows()
  {
    return m_Rows.data();
  }

private:
  std::int64_t        m_Length;
  std::vector<Pack>   m_Packs; // missing lines are 0
  std::vector<double> m_Rows;
};

/** Filters an image in a volume of floats. */
class HostGaussian
{
public:
  HostGaussian(const GaussianDescriptor & descriptor, float * volume, const ExecutionContext & context)
    : m_Descriptor(descriptor)
    , m_Volume(volume)
    , m_Context(context)
  {}

  /** Runs passes. The first one reads \p pixels, which may be the volume itself. */
  void
  Run(const std::vector<GaussianPass> & passes, const void * pixels, const ExecutionContext & progress) const
  {
    Samples from{ pixels, m_Descriptor.pixel };
    for (std::size_t i = 0; i < passes.size();)
    {
      progress.Report(static_cast<double>(i) / static_cast<double>(passes.size()));
      const bool together = i + 1 < passes.size() && passes[i].axis <= 1 && passes[i + 1].axis <= 1;
      if (together && this->SlicesAreCached())
      {
        this->FilterSlices(from, passes[i], passes[i + 1]);
        i += 2;
      }
      else
      {
        this->FilterAxis(from, passes[i]);
        i += 1;
      }
      from = { m_Volume, ScalarType::Float32 };
    }
  }

private:
  bool
  SlicesAreCached() const
  {
    const std::int64_t slice = m_Descriptor.size[0] * m_Descriptor.size[1];
    const unsigned int threads = m_Context.host != nullptr ? m_Context.host->GetConcurrency() : 1;
    return static_cast<std::size_t>(slice) * sizeof(float) <= CachedSliceBytes &&
           m_Descriptor.Count() / slice >= std::int64_t{ threads };
  }

  /** Filters rows first ... first + count - 1. */
  void
  FilterRows(const Samples & from, const GaussianPass & pass, std::int64_t first, std::int64_t count, Scratch & scratch)
    const
  {
    const std::int64_t length = m_Descriptor.size[0];
    for (std::int64_t row = first; row < first + count; row += PackSize)
    {
      const auto rows = static_cast<int>(std::min(PackSize, first + count - row));
      from.Load(row * length, rows * length, scratch.Rows());
      RowsToPacks<double>(scratch.Rows(), length, rows, length, scratch.Samples(0));
      FilterLines(pass.filter, scratch.Samples(0), scratch.Results(0), length);
      PacksToRows<double>(scratch.Results(0), length, scratch.Rows(), length, rows);
      std::copy_n(scratch.Rows(), rows * length, m_Volume + row * length);
    }
  }

  /** Filters the columns of one panel, whose first sample is element \p corner. */
  void
  FilterPanel(const Samples &       from,
              const GaussianPass &  pass,
              const GaussianLines & lines,
              std::int64_t          corner,
              std::int64_t          width,
              Scratch &             scratch) const
  {
    const std::int64_t packs = (width + PackSize - 1) / PackSize;
    const auto         lanes = [width](std::int64_t pack) { return std::min(PackSize, width - pack * PackSize); };
    for (std::int64_t n = 0; n < lines.length; ++n)
    {
      from.Load(corner + n * lines.inner, width, scratch.Rows());
      for (std::int64_t pack = 0; pack < packs; ++pack)
      {
        std::copy_n(scratch.Rows() + pack * PackSize, lanes(pack), scratch.Samples(pack)[n].lane);
      }
    }
    for (std::int64_t pack = 0; pack < packs; ++pack)
    {
      FilterLines(pass.filter, scratch.Samples(pack), scratch.Results(pack), lines.length);
    }
    for (std::int64_t n = 0; n < lines.length; ++n)
    {
      for (std::int64_t pack = 0; pack < packs; ++pack)
      {
        std::copy_n(scratch.Results(pack)[n].lane, lanes(pack), m_Volume + corner + n * lines.inner + pack * PackSize);
      }
    }
  }

  void
  FilterAxis(const Samples & from, const GaussianPass & pass) const
  {
    const GaussianLines lines = LinesOf(m_Descriptor, pass.axis);
    if (pass.axis == 0)
    {
      const std::int64_t packs = (lines.outer + PackSize - 1) / PackSize;
      m_Context.ParallelFor(packs, [&](std::int64_t begin, std::int64_t end) {
        Scratch            scratch(lines.length, 1);
        const std::int64_t last = std::min(lines.outer, end * PackSize);
        this->FilterRows(from, pass, begin * PackSize, last - begin * PackSize, scratch);
      });
      return;
    }
    const std::int64_t panels = (lines.inner + PanelSize - 1) / PanelSize;
    m_Context.ParallelFor(panels * lines.outer, [&](std::int64_t begin, std::int64_t end) {
      Scratch scratch(lines.length, PanelPacks);
      for (std::int64_t item = begin; item < end; ++item)
      {
        const std::int64_t column = item % panels * PanelSize;
        this->FilterPanel(from,
                          pass,
                          lines,
                          item / panels * lines.length * lines.inner + column,
                          std::min(PanelSize, lines.inner - column),
                          scratch);
      }
    });
  }

  /** Runs a pass along x and one along y, in their order, slice by slice. */
  void
  FilterSlices(const Samples & from, const GaussianPass & first, const GaussianPass & second) const
  {
    const std::int64_t nx = m_Descriptor.size[0];
    const std::int64_t ny = m_Descriptor.size[1];
    GaussianLines      columns = LinesOf(m_Descriptor, 1);
    m_Context.ParallelFor(m_Descriptor.Count() / (nx * ny), [&](std::int64_t begin, std::int64_t end) {
      Scratch scratch(std::max(nx, ny), PanelPacks);
      for (std::int64_t slice = begin; slice < end; ++slice)
      {
        const auto filter = [&](const Samples & samples, const GaussianPass & pass) {
          if (pass.axis == 0)
          {
            this->FilterRows(samples, pass, slice * ny, ny, scratch);
            return;
          }
          for (std::int64_t x = 0; x < nx; x += PanelSize)
          {
            this->FilterPanel(samples, pass, columns, slice * nx * ny + x, std::min(PanelSize, nx - x), scratch);
          }
        };
        filter(from, first);
        filter({ m_Volume, ScalarType::Float32 }, second);
      }
    });
  }

  const GaussianDescriptor & m_Descriptor;
  float *                    m_Volume;
  const ExecutionContext &   m_Context;
};

/** Allocates floats without initializing them. */
std::unique_ptr<float[]>
MakeVolume(const GaussianDescriptor & descriptor)
{
  return std::unique_ptr<float[]>(new float[static_cast<std::size_t>(descriptor.Count())]);
}

template <unsigned int VDimension, typename TReal>
void
Rotate(const GaussianDescriptor & descriptor,
       TReal *                    output,
       std::int64_t               pixelStride,
       std::int64_t               componentStride,
       const ExecutionContext &   context)
{
  context.ParallelFor(descriptor.Count(), [=, &descriptor](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
    {
      float gradient[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        gradient[d] = static_cast<float>(output[i * pixelStride + d * componentStride]);
      }
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        output[i * pixelStride + d * componentStride] = static_cast<TReal>(
          GaussianGradientAlong<VDimension>(&descriptor.direction[std::size_t{ d } * VDimension], gradient));
      }
    }
  });
}

template <typename TReal>
void
MakeGradient(const GaussianDescriptor & descriptor,
             const void *               pixels,
             TReal *                    output,
             std::int64_t               pixelStride,
             std::int64_t               componentStride,
             const ExecutionContext &   context)
{
  const auto         volume = MakeVolume(descriptor);
  const HostGaussian filters(descriptor, volume.get(), context);
  for (unsigned int component = 0; component < descriptor.dimension; ++component)
  {
    filters.Run(GradientPasses(descriptor, component),
                pixels,
                context.Part(0.95 * component / descriptor.dimension, 0.95 * (component + 1) / descriptor.dimension));
    const float * const filtered = volume.get();
    const double        spacing = descriptor.spacing[component];
    TReal * const       to = output + component * componentStride;
    context.ParallelFor(descriptor.Count(), [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
      {
        to[i * pixelStride] = static_cast<TReal>(GaussianGradientComponent(filtered[i], spacing));
      }
    });
  }
  if (descriptor.isRotated)
  {
    switch (descriptor.dimension)
    {
      case 2:
        return Rotate<2>(descriptor, output, pixelStride, componentStride, context);
      case 3:
        return Rotate<3>(descriptor, output, pixelStride, componentStride, context);
      default:
        return Rotate<4>(descriptor, output, pixelStride, componentStride, context);
    }
  }
}
} // namespace

void
SmoothOnCpu(const GaussianDescriptor & descriptor, const void * pixels, void * output, const ExecutionContext & context)
{
  if (descriptor.output == ScalarType::Float32 && (pixels != output || descriptor.pixel == ScalarType::Float32))
  {
    HostGaussian(descriptor, static_cast<float *>(output), context).Run(SmoothingPasses(descriptor), pixels, context);
    return;
  }
  const auto volume = MakeVolume(descriptor);
  HostGaussian(descriptor, volume.get(), context).Run(SmoothingPasses(descriptor), pixels, context.Part(0.0, 0.95));
  const float * const filtered = volume.get();
  const ScalarType    type = descriptor.output;
  context.ParallelFor(descriptor.Count(), [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
    {
      StoreScalar(output, type, i, filtered[i]);
    }
  });
}

void
GradientOnCpu(const GaussianDescriptor & descriptor,
              const void *               pixels,
              void *                     output,
              std::int64_t               pixelStride,
              std::int64_t               componentStride,
              const ExecutionContext &   context)
{
  if (descriptor.output == ScalarType::Float32)
  {
    MakeGradient(descriptor, pixels, static_cast<float *>(output), pixelStride, componentStride, context);
  }
  else
  {
    MakeGradient(descriptor, pixels, static_cast<double *>(output), pixelStride, componentStride, context);
  }
}

void
GradientMagnitudeOnCpu(const GaussianDescriptor & descriptor,
                       const void *               pixels,
                       void *                     output,
                       const ExecutionContext &   context)
{
  const std::int64_t count = descriptor.Count();
  const unsigned int dimension = descriptor.dimension;
  GaussianDescriptor single = descriptor;
  single.output = ScalarType::Float32;
  single.isRotated = false;
  // Not a std::vector: this thread would initialize all of it first.
  const std::unique_ptr<float[]> gradients(new float[static_cast<std::size_t>(count) * dimension]);
  const float * const            components = gradients.get();
  MakeGradient(single, pixels, gradients.get(), dimension, 1, context.Part(0.0, 0.95));
  context.ParallelFor(count, [=, type = descriptor.output](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
    {
      StoreGaussianMagnitude(components + i * dimension, 1, dimension, output, type, i);
    }
  });
}

} // namespace itk::CudaSpline
