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
#include "ErrorStatistics.h"

#include "io/volume/PixelType.h"

#include "itkCudaSplineSystem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace CudaSplineResample
{

namespace
{

double
ErrorOf(double value, double expected)
{
  if (value == expected || (std::isnan(value) && std::isnan(expected)))
  {
    return 0.0;
  }
  const double error = std::abs(value - expected);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

void
FindRange(const Volume & input, Comparison & comparison)
{
  bool               found = false;
  const std::int64_t count = static_cast<std::int64_t>(input.grid.GetNumberOfVoxels());
  for (std::int64_t index = 0; index < count; ++index)
  {
    const double value = itk::CudaSpline::LoadScalar<double>(input.pixels.get(), input.type, index);
    if (std::isfinite(value))
    {
      comparison.inputMinimum = found ? std::min(comparison.inputMinimum, value) : value;
      comparison.inputMaximum = found ? std::max(comparison.inputMaximum, value) : value;
      found = true;
    }
  }
}

} // namespace

Comparison
Join(const Comparison & a, const Comparison & b)
{
  Comparison   both = b;
  const double voxels = static_cast<double>(a.voxels) + static_cast<double>(b.voxels);
  both.maximum = std::max(a.maximum, b.maximum);
  both.rms =
    std::sqrt((a.rms * a.rms * static_cast<double>(a.voxels) + b.rms * b.rms * static_cast<double>(b.voxels)) / voxels);
  both.percentile999 = std::max(a.percentile999, b.percentile999);
  both.voxels = a.voxels + b.voxels;
  both.differing = a.differing + b.differing;
  both.inputMinimum = std::min(a.inputMinimum, b.inputMinimum);
  both.inputMaximum = std::max(a.inputMaximum, b.inputMaximum);
  both.distanceFromStep = std::max(a.distanceFromStep, b.distanceFromStep);
  both.itkSeconds = a.itkSeconds + b.itkSeconds;
  return both;
}

Comparison
CompareVolumes(const Volume &                   output,
               itk::CudaSpline::IntegerRounding rounding,
               const Volume &                   reference,
               const Volume &                   input,
               bool                             keepDifference)
{
  Comparison comparison;
  FindRange(input, comparison);
  float * difference = nullptr;
  if (keepDifference)
  {
    comparison.difference = Volume::Allocate(output.grid, ScalarType::Float32);
    difference = static_cast<float *>(comparison.difference.pixels.get());
  }
  const bool isReal = IsReal(output.type);
  // For float, the reference is only clamped, so that errors below the rounding of float are visible.
  const Volume       cast = isReal ? reference : CastVolume(reference, { output.type, rounding });
  const double       step = rounding == itk::CudaSpline::IntegerRounding::HalfToEven ? 0.5 : 0.0;
  const auto * const exact = static_cast<const double *>(reference.pixels.get());
  const std::int64_t count = static_cast<std::int64_t>(output.grid.GetNumberOfVoxels());

  std::vector<double> errors(static_cast<std::size_t>(count));
  double              sumOfSquares = 0.0;
  for (std::int64_t index = 0; index < count; ++index)
  {
    const double value = itk::CudaSpline::LoadScalar<double>(output.pixels.get(), output.type, index);
    double       expected = itk::CudaSpline::LoadScalar<double>(cast.pixels.get(), cast.type, index);
    if (output.type == ScalarType::Float32)
    {
      constexpr double largest = std::numeric_limits<float>::max();
      expected = expected < -largest ? -largest : (expected > largest ? largest : expected);
    }
    const double error = ErrorOf(value, expected);
    errors[static_cast<std::size_t>(index)] = error;
    sumOfSquares += error * error;
    if (difference != nullptr)
    {
      difference[index] = error == 0.0 ? 0.0f : static_cast<float>(value - expected);
    }
    comparison.maximum = std::max(comparison.maximum, error);
    if (error > 0.0)
    {
      ++comparison.differing;
      if (!isReal)
      {
        comparison.distanceFromStep =
          std::max(comparison.distanceFromStep, std::abs(exact[index] - step - std::round(exact[index] - step)));
      }
    }
  }
  comparison.voxels = errors.size();
  comparison.rms = std::sqrt(sumOfSquares / static_cast<double>(count));
  const auto rank = errors.begin() + static_cast<std::ptrdiff_t>(std::ceil(0.999 * static_cast<double>(count))) - 1;
  std::nth_element(errors.begin(), rank, errors.end());
  comparison.percentile999 = *rank;
  return comparison;
}

} // namespace CudaSplineResample
