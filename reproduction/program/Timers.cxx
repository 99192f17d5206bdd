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

#include "Workplace.h"

#include "../../benchmark/kernels/PublishedRecursion.h"

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"

#if defined(CUDASPLINE_HAS_CUDA)
#  include "../../benchmark/kernels/DeviceEvaluation.h"
#  include "../../benchmark/kernels/DevicePrefilter.h"
#  include "../../benchmark/kernels/PublishedPrefilter.h"
#endif

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace itk::CudaSpline;

namespace
{
std::int64_t
CountOf(const std::array<std::int64_t, 3> & size)
{
  return size[0] * size[1] * size[2];
}

/** The published filter on the host: its lines in parallel, axis by axis. */
void
PublishedOnHost(std::vector<float> &                samples,
                const std::array<std::int64_t, 3> & size,
                unsigned int                        axis,
                const ExecutionContext &            context)
{
  const std::int64_t strides[3] = { 1, size[0], size[0] * size[1] };
  for (unsigned int d = 0; d < 3; ++d)
  {
    if ((axis < 3 && axis != d) || size[d] < 2)
    {
      continue;
    }
    const unsigned int fast = d == 0 ? 1 : 0;
    const unsigned int slow = d == 2 ? 1 : 2;
    context.ParallelFor(size[fast] * size[slow], [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t line = begin; line < end; ++line)
      {
        PublishedRecursion(
          samples.data() + line % size[fast] * strides[fast] + line / size[fast] * strides[slow], size[d], strides[d]);
      }
    });
  }
}
} // namespace

const std::vector<float> &
TimingPixels(const std::array<std::int64_t, 3> & size, const ExecutionContext & context)
{
  static std::vector<float> pixels;
  const std::int64_t        count = CountOf(size);
  if (static_cast<std::int64_t>(pixels.size()) != count)
  {
    pixels = std::vector<float>(); // before the next are made: two would not fit where one does
    pixels.resize(static_cast<std::size_t>(count));
    context.ParallelFor(count, [](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
      {
        std::uint64_t hash = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15ULL; // the golden ratio, as in SplitMix
        hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9ULL;
        hash ^= hash >> 31;
        pixels[static_cast<std::size_t>(i)] = static_cast<float>(hash >> 40) * (255.0F / 16777216.0F);
      }
    });
  }
  return pixels;
}

class PrefilterTimer::Implementation
{
public:
  Implementation(const std::string &                 name,
                 const std::array<std::int64_t, 3> & size,
                 unsigned int                        dimension,
                 unsigned int                        axis,
                 const ExecutionContext &            context)
    : m_Name(name)
    , m_Size(size)
    , m_Axis(axis)
    , m_Context(context)
    , m_Pixels(TimingPixels(size, context))
  {
    Picture shape;
    shape.dimension = dimension;
    shape.size = size;
    m_Descriptor = Way::Of(this->IsOurs() ? name : "cubic").Describe(shape);
    if (context.backend == Backend::Cuda)
    {
#if defined(CUDASPLINE_HAS_CUDA)
      if (name == "published")
      {
        m_Published = std::make_unique<PublishedPrefilter>(size, axis, m_Pixels.data(), context);
      }
      else
      {
        m_Device =
          std::make_unique<DevicePrefilter>(m_Descriptor, axis < 3 ? axis : MaximumDimension, m_Pixels.data(), context);
      }
#endif
    }
    else
    {
      if (axis < 3 && this->IsOurs())
      {
        throw std::invalid_argument("On the Cpu backend all axes are filtered together.");
      }
      m_Samples.resize(m_Pixels.size());
    }
  }

  double
  Run()
  {
#if defined(CUDASPLINE_HAS_CUDA)
    if (m_Published != nullptr)
    {
      return m_Published->Time(width, height);
    }
    if (m_Device != nullptr)
    {
      return m_Name == "copy" ? m_Device->TimeCopy() : m_Device->TimeFilter();
    }
#endif
    if (m_Name == "copy")
    {
      return Workplace::WallClock([this] { this->CopyPixels(); });
    }
    if (m_Name == "published")
    {
      this->CopyPixels(); // it filters in place, and a sum that is filtered again and again overflows
      return Workplace::WallClock([this] { PublishedOnHost(m_Samples, m_Size, m_Axis, m_Context); });
    }
    return Workplace::WallClock([this] { Prefilter(m_Descriptor, m_Pixels.data(), m_Samples.data(), m_Context); });
  }

  unsigned int width{ 0 }; ///< of a block of the published filter; 0: the best
  unsigned int height{ 0 };

  double
  PublishedError()
  {
#if defined(CUDASPLINE_HAS_CUDA)
    if (m_Published != nullptr)
    {
      m_Samples.resize(m_Pixels.size());
      m_Published->Read(m_Samples.data());
    }
#endif
    SourceDescriptor exact = m_Descriptor;
    exact.element = ScalarType::Float64;
    exact.extension.fill(Extension::Reflect);
    std::vector<double> expected(m_Pixels.size());
    ExecutionContext    host = m_Context;
    host.backend = Backend::Cpu;
    Prefilter(exact, m_Pixels.data(), expected.data(), host);
    double largest = 0.0, error = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
      largest = std::max(largest, std::abs(expected[i]));
      error = std::max(error, std::abs(expected[i] - static_cast<double>(m_Samples[i])));
    }
    return error / largest;
  }

private:
  bool
  IsOurs() const
  {
    return m_Name != "published" && m_Name != "copy";
  }

  void
  CopyPixels()
  {
    m_Context.ParallelFor(static_cast<std::int64_t>(m_Pixels.size()), [this](std::int64_t begin, std::int64_t end) {
      std::copy(m_Pixels.begin() + begin, m_Pixels.begin() + end, m_Samples.begin() + begin);
    });
  }

  std::string                 m_Name;
  std::array<std::int64_t, 3> m_Size;
  unsigned int                m_Axis;
  ExecutionContext            m_Context;
  const std::vector<float> &  m_Pixels;
  SourceDescriptor            m_Descriptor;
  std::vector<float>          m_Samples;
#if defined(CUDASPLINE_HAS_CUDA)
  std::unique_ptr<PublishedPrefilter> m_Published;
  std::unique_ptr<DevicePrefilter>    m_Device;
#endif
};

PrefilterTimer::PrefilterTimer(const std::string &                 name,
                               const std::array<std::int64_t, 3> & size,
                               unsigned int                        dimension,
                               unsigned int                        axis,
                               const ExecutionContext &            context)
  : m_Implementation(std::make_unique<Implementation>(name, size, dimension, axis, context))
{}

PrefilterTimer::~PrefilterTimer() = default;

double
PrefilterTimer::Run()
{
  return m_Implementation->Run();
}

void
PrefilterTimer::SetPublishedBlock(unsigned int width, unsigned int height)
{
  m_Implementation->width = width;
  m_Implementation->height = height;
}

double
PrefilterTimer::PublishedError()
{
  return m_Implementation->PublishedError();
}

class EvaluationTimer::Implementation
{
public:
  Implementation(const Way &                         way,
                 const std::array<std::int64_t, 3> & input,
                 unsigned int                        dimension,
                 const IndexMap &                    map,
                 const std::array<std::int64_t, 3> & output,
                 const ExecutionContext &            context)
    : m_Context(context)
    , m_Resampling(way, input, dimension, map, output)
  {
    Picture shape;
    shape.dimension = dimension;
    shape.size = input;
    m_Source = MakeSource(way.Describe(shape), TimingPixels(input, context).data(), context);
    if (context.backend == Backend::Cuda)
    {
#if defined(CUDASPLINE_HAS_CUDA)
      m_Device = std::make_unique<DeviceEvaluation>(m_Resampling.GetDescriptor(), Derivatives::None, m_Source, context);
#endif
    }
    else
    {
      m_Values.resize(static_cast<std::size_t>(CountOf(output)));
    }
  }

  double
  Run()
  {
#if defined(CUDASPLINE_HAS_CUDA)
    if (m_Device != nullptr)
    {
      return m_Device->Time();
    }
#endif
    return Workplace::WallClock(
      [this] { Resample(m_Resampling.GetDescriptor(), *m_Source, m_Values.data(), m_Context); });
  }

private:
  ExecutionContext   m_Context;
  Resampling         m_Resampling;
  SourcePointer      m_Source;
  std::vector<float> m_Values;
#if defined(CUDASPLINE_HAS_CUDA)
  std::unique_ptr<DeviceEvaluation> m_Device;
#endif
};

EvaluationTimer::EvaluationTimer(const Way &                         way,
                                 const std::array<std::int64_t, 3> & input,
                                 unsigned int                        dimension,
                                 const IndexMap &                    map,
                                 const std::array<std::int64_t, 3> & output,
                                 const ExecutionContext &            context)
  : m_Implementation(std::make_unique<Implementation>(way, input, dimension, map, output, context))
{}

EvaluationTimer::~EvaluationTimer() = default;

double
EvaluationTimer::Run()
{
  return m_Implementation->Run();
}
