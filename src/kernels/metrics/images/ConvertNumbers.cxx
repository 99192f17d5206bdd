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
#include "kernels/metrics/images/ConvertNumbers.h"

#include "itkCudaSpline/device/DeviceError.h"

#include <algorithm>

namespace itk::CudaSpline
{

namespace
{
template <typename TFrom, typename TTo>
void
ConvertOnHost(const void * from, void * to, std::int64_t count, const ExecutionContext & context)
{
  constexpr std::int64_t block = 65536; // enough work for a thread
  context.ParallelFor((count + block - 1) / block, [=](std::int64_t begin, std::int64_t end) {
    const auto * const source = static_cast<const TFrom *>(from);
    auto * const       target = static_cast<TTo *>(to);
    for (std::int64_t n = begin * block; n < std::min(end * block, count); ++n)
    {
      target[n] = static_cast<TTo>(source[n]);
    }
  });
}
} // namespace

void
ConvertNumbers(const void * from, ScalarType type, void * to, std::int64_t count, const Residence & residence)
{
  if (residence.IsOnDevice())
  {
    ConvertNumbersOnCuda(from, type, to, count, residence);
  }
  else if (type == ScalarType::Float32)
  {
    ConvertOnHost<float, double>(from, to, count, residence.GetContext());
  }
  else
  {
    ConvertOnHost<double, float>(from, to, count, residence.GetContext());
  }
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
ConvertNumbersOnCuda(const void *, ScalarType, void *, std::int64_t, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
