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
#include "itkCudaSpline/kernels/fields/TransformInversion.h"

#include "kernels/transforms/TransformStages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>

/** \file
 * \brief Inverts transforms that have no inverse in closed form. */

namespace itk::CudaSpline
{
namespace
{

template <unsigned int VDimension>
class TransformInverter
{
public:
  TransformInverter(const FieldGrid &                          grid,
                    const std::vector<TransformChain::Stage> & stages,
                    double *                                   output,
                    const ExecutionContext &                   context)
    : m_Grid(grid)
    , m_Vectors(output)
    , m_Context(context)
    , m_Distances(static_cast<std::size_t>(grid.Count()))
  {
    for (const TransformChain::Stage & stage : stages)
    {
      m_Stages.push_back(MakeStage<VDimension>(stage, DisplacementsOf(stage)));
    }
    const double finest = *std::min_element(grid.spacing.begin(), grid.spacing.begin() + VDimension);
    m_Unit = std::min(1.0, finest);
  }

  InverseAccuracy
  Run()
  {
    const std::int64_t count = m_Grid.Count();
    std::fill_n(m_Vectors, count * VDimension, 0.0);
    constexpr std::int64_t block = 1 << 18; // after each one the caller may stop
    for (std::int64_t first = 0; first < count; first += block)
    {
      m_Context.Report(0.9 * static_cast<double>(first) / static_cast<double>(count));
      this->Search(std::min(block, count - first), 100, [first](std::int64_t n) { return first + n; });
    }
    InverseAccuracy accuracy;
    accuracy.limit = 0.1 * m_Unit;
    std::vector<std::int64_t> missing;
    m_IsDone.assign(m_Distances.size(), 1);
    for (std::int64_t sample = 0; sample < count; ++sample)
    {
      if (!(m_Distances[sample] <= accuracy.limit))
      {
        m_IsDone[sample] = 0;
        missing.push_back(sample);
      }
    }
    if (static_cast<std::int64_t>(missing.size()) < count)
    {
      this->Continue(missing);
    }
    accuracy.largest = *std::max_element(m_Distances.begin(), m_Distances.end());
    accuracy.mean = std::accumulate(m_Distances.begin(), m_Distances.end(), 0.0) / static_cast<double>(count);
    return accuracy;
  }

private:
  using Vector = std::array<double, VDimension>;

  /** The closest point of a search so far. */
  struct Preimage
  {
    Vector point{};
    Vector error{};              ///< from the wanted point to the point's image (mm)
    double distance{ HUGE_VAL }; ///< length of the error
  };

  /** Searches the point that is mapped to another one: with whole steps, then with half steps, then from the closest
   * point with steps that are halved until they come closer. */
  Preimage
  FindPreimage(const Vector & wanted, const Vector & start, int iterations) const
  {
    constexpr int    maxFailures = 10;
    constexpr double minStep = 1.0 / 256.0; // fraction of the error
    const double     enough = 1e-4 * m_Unit;
    Preimage         best;
    best.point = start;
    Vector     error{};
    const auto measure = [&](const Vector & point) {
      double mapped[VDimension];
      std::copy(point.begin(), point.end(), mapped);
      WalkStages(m_Stages.data(), static_cast<int>(m_Stages.size()), mapped);
      double square = 0.0;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        error[d] = mapped[d] - wanted[d];
        square += error[d] * error[d];
      }
      const double length = std::sqrt(square);
      const bool   isCloser = length < best.distance;
      if (isCloser)
      {
        best = { point, error, length };
      }
      return isCloser;
    };
    const auto move = [](Vector point, const Vector & by, double factor) {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        point[d] -= factor * by[d];
      }
      return point;
    };
    for (const double factor : { 1.0, 0.5 })
    {
      Vector point = start;
      int    failures = 0;
      for (int iteration = 0; iteration < iterations && failures < maxFailures && best.distance > enough; ++iteration)
      {
        failures = measure(point) ? 0 : failures + 1;
        point = move(point, error, factor);
        if (!std::all_of(point.begin(), point.end(), [](double x) { return std::isfinite(x); }))
        {
          break;
        }
      }
    }
    double step = 0.5;
    for (int iteration = 0;
         iteration < iterations && step >= minStep && best.distance > enough && std::isfinite(best.distance);
         ++iteration)
    {
      step = measure(move(best.point, best.error, step)) ? std::min(1.0, 2.0 * step) : 0.5 * step;
    }
    return best;
  }

  /** Searches the inverse of samples, from their displacements.
   *
   * \param[in] sampleOf number of the nth sample */
  template <typename TSampleOf>
  void
  Search(std::int64_t count, int iterations, const TSampleOf & sampleOf)
  {
    m_Context.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t n = begin; n < end; ++n)
      {
        const std::int64_t                sample = sampleOf(n);
        double * const                    vector = m_Vectors + sample * VDimension;
        const std::array<std::int64_t, 3> index = this->IndexOf(sample);
        Vector                            wanted;
        Vector                            start;
        for (unsigned int r = 0; r < VDimension; ++r)
        {
          wanted[r] = m_Grid.origin[r];
          for (unsigned int c = 0; c < VDimension; ++c)
          {
            wanted[r] += m_Grid.indexToPoint[r][c] * static_cast<double>(m_Grid.start[c] + index[c]);
          }
          start[r] = wanted[r] + vector[r];
        }
        const Preimage found = this->FindPreimage(wanted, start, iterations);
        m_Distances[sample] = found.distance;
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          vector[d] = found.point[d] - wanted[d];
        }
      }
    });
  }

  /** Searches samples without an inverse again, layer by layer from the samples that are done. */
  void
  Continue(std::vector<std::int64_t> & missing)
  {
    std::vector<std::uint8_t> isNext;
    std::vector<std::int64_t> samples;
    while (!missing.empty())
    {
      m_Context.Report(1.0 - 0.1 * static_cast<double>(missing.size()) / static_cast<double>(m_Distances.size()));
      isNext.assign(missing.size(), 0);
      m_Context.ParallelFor(static_cast<std::int64_t>(missing.size()), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t n = begin; n < end; ++n)
        {
          isNext[n] = this->SetToMeanOfNeighbours(missing[n]) ? 1 : 0;
        }
      });
      samples.clear();
      std::size_t kept = 0;
      for (std::size_t n = 0; n < missing.size(); ++n)
      {
        if (isNext[n] != 0)
        {
          samples.push_back(missing[n]);
        }
        else
        {
          missing[kept++] = missing[n];
        }
      }
      missing.resize(kept);
      this->Search(static_cast<std::int64_t>(samples.size()), 10, [&samples](std::int64_t n) { return samples[n]; });
      for (const std::int64_t sample : samples)
      {
        m_IsDone[sample] = 1;
      }
    }
  }

  /** Sets a vector to the mean of neighbours that are done, by a face, an edge or a corner. Returns false if there are
   * none. */
  bool
  SetToMeanOfNeighbours(std::int64_t sample) const
  {
    const std::array<std::int64_t, 3> index = this->IndexOf(sample);
    Vector                            sum{};
    int                               count = 0;
    std::array<std::int64_t, 3>       low{};
    std::array<std::int64_t, 3>       high{};
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      low[d] = std::max<std::int64_t>(index[d] - 1, 0);
      high[d] = std::min(index[d] + 1, m_Grid.size[d] - 1);
    }
    for (std::int64_t z = low[2]; z <= high[2]; ++z)
    {
      for (std::int64_t y = low[1]; y <= high[1]; ++y)
      {
        for (std::int64_t x = low[0]; x <= high[0]; ++x)
        {
          const std::int64_t other = (z * m_Grid.size[1] + y) * m_Grid.size[0] + x;
          if (m_IsDone[other] != 0)
          {
            ++count;
            for (unsigned int d = 0; d < VDimension; ++d)
            {
              sum[d] += m_Vectors[other * VDimension + d];
            }
          }
        }
      }
    }
    for (unsigned int d = 0; d < VDimension && count > 0; ++d)
    {
      m_Vectors[sample * VDimension + d] = sum[d] / count;
    }
    return count > 0;
  }

  std::array<std::int64_t, 3>
  IndexOf(std::int64_t sample) const
  {
    const std::int64_t line = sample / m_Grid.size[0];
    return { { sample % m_Grid.size[0], line % m_Grid.size[1], line / m_Grid.size[1] } };
  }

  const FieldGrid &                       m_Grid;
  double * const                          m_Vectors;
  const ExecutionContext &                m_Context;
  double                                  m_Unit{ 1.0 }; ///< smallest spacing, at most 1 mm
  std::vector<TransformStage<VDimension>> m_Stages;
  std::vector<double>                     m_Distances;
  std::vector<std::uint8_t>               m_IsDone;
};

} // namespace

InverseAccuracy
InvertTransform(const FieldGrid &                          grid,
                const std::vector<TransformChain::Stage> & stages,
                double *                                   output,
                const ExecutionContext &                   context)
{
  switch (grid.dimension)
  {
    case 1:
      return TransformInverter<1>(grid, stages, output, context).Run();
    case 2:
      return TransformInverter<2>(grid, stages, output, context).Run();
    case 3:
      return TransformInverter<3>(grid, stages, output, context).Run();
    default:
      throw std::invalid_argument("the dimension is " + std::to_string(grid.dimension) + "; it must be 1 to 3");
  }
}

} // namespace itk::CudaSpline
