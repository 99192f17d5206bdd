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
#include "Resample.h"

#include "console/Error.h"
#include "io/volume/PixelType.h"
#include "process/ReadingProcess.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

namespace CudaSplineResample
{

namespace
{

/** Calls a functor with a value of the C++ type of a run-time type. */
template <typename TFunctor>
auto
Dispatch(ScalarType type, const TFunctor & functor)
{
  switch (type)
  {
    case ScalarType::UInt8:
      return functor(std::uint8_t{});
    case ScalarType::Int8:
      return functor(std::int8_t{});
    case ScalarType::UInt16:
      return functor(std::uint16_t{});
    case ScalarType::Int16:
      return functor(std::int16_t{});
    case ScalarType::UInt32:
      return functor(std::uint32_t{});
    case ScalarType::Int32:
      return functor(std::int32_t{});
    case ScalarType::UInt64:
      return functor(std::uint64_t{});
    case ScalarType::Int64:
      return functor(std::int64_t{});
    case ScalarType::Float32:
      return functor(float{});
    default:
      return functor(double{});
  }
}

/** Calls a functor with each value of an image. */
template <typename TFunctor>
void
ForEachValue(const Volume & volume, const TFunctor & functor)
{
  Dispatch(volume.type, [&](auto zero) {
    const auto * const values = static_cast<const decltype(zero) *>(volume.pixels.get());
    std::for_each(values, values + volume.grid.GetNumberOfVoxels(), functor);
    return 0;
  });
}

/** Throws for labels that real numbers do not represent, and for more labels than fit into memory. */
void
CheckLabels(const ResampleRequest & request)
{
  if (!request.interpolation.IsOfLabels())
  {
    return;
  }
  constexpr double most = 9007199254740992.0; // 2^53
  bool             isExact = true;
  if (itk::CudaSpline::SizeOf(request.input.type) == 8 && !IsReal(request.input.type))
  {
    ForEachValue(request.input,
                 [&isExact](auto value) { isExact = isExact && std::abs(static_cast<double>(value)) < most; });
  }
  if (!isExact)
  {
    throw ProgramError(std::string("--interpolation ") + request.interpolation.method.name +
                       " supports only labels below 2^53, but the input has larger ones; use --interpolation nearest");
  }
  if (!request.interpolation.HasOrder() || request.interpolation.order < 2)
  {
    return;
  }
  std::set<double> labels;
  double           last = std::numeric_limits<double>::quiet_NaN();
  ForEachValue(request.input, [&](auto value) {
    const auto label = static_cast<double>(value);
    if (label != last && labels.size() < 100000)
    {
      labels.insert(label);
      last = label;
    }
  });
  const double bytes = 8.0 * static_cast<double>(labels.size() * request.input.grid.GetNumberOfVoxels());
  if (bytes > PhysicalMemory())
  {
    throw ProgramError(
      "--interpolation label-bspline stores the coefficients of all labels: " + std::to_string(labels.size()) +
      " labels need " + Brief(bytes / 1e9) + " GB, but only " + Brief(PhysicalMemory() / 1e9) +
      " GB of memory are available; use label-linear or label-gaussian");
  }
}

} // namespace

ResampleResult
Resample(const ResampleRequest & request)
{
  ResampleRequest first = request;
  const bool      needsDouble = NeedsDoublePrecision(request.input.type) || NeedsDoublePrecision(request.outputType);
  const auto      real = needsDouble ? ScalarType::Float64 : ScalarType::Float32;
  if (request.interpolation.IsFurther())
  {
    if (!request.explain)
    {
      CheckLabels(request);
      first.input = request.input.type == real ? request.input : CastVolume(request.input, real);
    }
    first.input.type = real;
    first.outputType = real;
  }
  else if (request.outputType != request.input.type && !IsReal(request.outputType))
  {
    first.outputType = real;
  }
  ResampleResult result =
    Dispatch(first.input.type, [&first](auto zero) { return ResampleTyped<decltype(zero)>(first); });
  if (first.outputType != request.outputType && !request.explain)
  {
    result.output = CastVolume(result.output, request.GetStoredType());
  }
  return result;
}

Comparison
CompareWithItk(const ResampleRequest & request, const Volume & output, bool keepDifference)
{
  double       seconds = 0.0;
  const Volume reference =
    Dispatch(request.input.type, [&](auto zero) { return ReferenceTyped<decltype(zero)>(request, seconds); });
  Comparison comparison =
    CompareVolumes(output, request.GetStoredType().rounding, reference, request.input, keepDifference);
  comparison.itkSeconds = seconds;
  return comparison;
}

} // namespace CudaSplineResample
