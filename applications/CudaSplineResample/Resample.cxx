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

#include "PixelType.h"

#include <cstdint>

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

} // namespace

ResampleResult
Resample(const ResampleRequest & request)
{
  const ScalarType inputType = request.input.type;
  ResampleRequest  first = request;
  if (request.outputType != inputType && !IsReal(request.outputType))
  {
    const bool needsDouble = NeedsDoublePrecision(inputType) || NeedsDoublePrecision(request.outputType);
    first.outputType = needsDouble ? ScalarType::Float64 : ScalarType::Float32;
  }
  ResampleResult result = Dispatch(inputType, [&first](auto zero) { return ResampleTyped<decltype(zero)>(first); });
  if (first.outputType != request.outputType && !request.explain)
  {
    result.output = CastVolume(result.output, request.outputType);
  }
  return result;
}

Comparison
CompareWithItk(const ResampleRequest & request, const Volume & output, bool keepDifference)
{
  double       seconds = 0.0;
  const Volume reference =
    Dispatch(request.input.type, [&](auto zero) { return ReferenceTyped<decltype(zero)>(request, seconds); });
  Comparison comparison = CompareVolumes(output, reference, request.input, keepDifference);
  comparison.itkSeconds = seconds;
  return comparison;
}

} // namespace CudaSplineResample
