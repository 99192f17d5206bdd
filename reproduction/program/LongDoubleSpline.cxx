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
#include "LongDoubleSpline.h"

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

using namespace itk::CudaSpline;

namespace
{
using Weights = std::array<long double, 6>;

/** Where whole-sample symmetry finds a sample; the index is less than a period outside. */
std::int64_t
Mirrored(std::int64_t index, std::int64_t size)
{
  index = index < 0 ? -index : index;
  return index >= size ? 2 * (size - 1) - index : index;
}

/** With M the B-spline of an order on [0, order + 1]: M(fraction + j) for j = 0 to order, by the recurrence
 * M_d(y) = (y M_{d-1}(y) + (d + 1 - y) M_{d-1}(y - 1)) / d. */
Weights
ShiftedSpline(unsigned int order, long double fraction)
{
  Weights values{ { 1.0L } };
  for (unsigned int d = 1; d <= order; ++d)
  {
    for (unsigned int j = d + 1; j-- > 0;)
    {
      const long double y = fraction + j;
      const long double left = j < d ? values[j] : 0.0L;
      const long double right = j > 0 ? values[j - 1] : 0.0L;
      values[j] = (y * left + (d + 1.0L - y) * right) / d;
    }
  }
  return values;
}

/** The spline's values at the samples. */
std::vector<long double>
AtSamples(const Picture & volume, unsigned int order, std::vector<long double> coefficients)
{
  // For even orders the sample is in the middle of a piece.
  const Weights            spline = ShiftedSpline(order, order % 2 == 0 ? 0.5L : 0.0L);
  const std::int64_t       reach = order / 2;
  const std::int64_t       first = order % 2 == 0 ? 0 : 1; // M(0) = 0 of odd orders
  std::vector<long double> values(coefficients.size());
  std::int64_t             stride = 1;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const std::int64_t size = volume.size[axis];
    for (std::int64_t i = 0; i < volume.Count(); ++i)
    {
      const std::int64_t n = i / stride % size;
      long double        sum = 0.0L;
      for (std::int64_t k = -reach; k <= reach; ++k)
      {
        sum += spline[static_cast<std::size_t>(first + reach + k)] *
               coefficients[static_cast<std::size_t>(i + (Mirrored(n + k, size) - n) * stride)];
      }
      values[static_cast<std::size_t>(i)] = sum;
    }
    coefficients.swap(values);
    stride *= size;
  }
  return coefficients;
}

std::vector<long double>
CoefficientsOf(const Picture & volume, unsigned int order, const ExecutionContext & context)
{
  SourceDescriptor descriptor;
  std::copy(volume.size.begin(), volume.size.end(), descriptor.size.begin());
  descriptor.pixel = ScalarType::Float64;
  descriptor.element = ScalarType::Float64;
  descriptor.order = order;
  std::vector<long double> coefficients(volume.values.size());
  std::vector<double>      residual = volume.values;
  std::vector<double>      correction(residual.size());
  for (int step = 0; step < 3; ++step) // each gains some 14 digits; a long double has 19
  {
    Prefilter(descriptor, residual.data(), correction.data(), context);
    for (std::size_t i = 0; i < coefficients.size(); ++i)
    {
      coefficients[i] += correction[i];
    }
    const std::vector<long double> values = AtSamples(volume, order, coefficients);
    for (std::size_t i = 0; i < coefficients.size(); ++i)
    {
      residual[i] = static_cast<double>(volume.values[i] - values[i]);
    }
  }
  return coefficients;
}
} // namespace

std::vector<long double>
LongDoubleSpline(const Picture &             volume,
                 unsigned int                order,
                 const std::vector<double> & points,
                 const ExecutionContext &    context)
{
  const std::vector<long double> coefficients = CoefficientsOf(volume, order, context);
  std::vector<long double>       values(points.size() / 3);
  context.ParallelFor(static_cast<std::int64_t>(values.size()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p)
    {
      Weights                                    weights[3];
      std::array<std::array<std::int64_t, 6>, 3> at{};
      for (unsigned int d = 0; d < 3; ++d)
      {
        const long double place = points[static_cast<std::size_t>(3 * p + d)] + 0.5L * (order + 1.0L);
        const long double piece = std::floor(place);
        weights[d] = ShiftedSpline(order, place - piece);
        for (unsigned int j = 0; j <= order; ++j)
        {
          at[d][j] = Mirrored(static_cast<std::int64_t>(piece) - j, volume.size[d]);
        }
      }
      long double sum = 0.0L;
      for (unsigned int k = 0; k <= order; ++k)
      {
        for (unsigned int j = 0; j <= order; ++j)
        {
          const std::int64_t row = (at[2][k] * volume.size[1] + at[1][j]) * volume.size[0];
          long double        line = 0.0L;
          for (unsigned int i = 0; i <= order; ++i)
          {
            line += weights[0][i] * coefficients[static_cast<std::size_t>(row + at[0][i])];
          }
          sum += weights[2][k] * weights[1][j] * line;
        }
      }
      values[static_cast<std::size_t>(p)] = sum;
    }
  });
  return values;
}
