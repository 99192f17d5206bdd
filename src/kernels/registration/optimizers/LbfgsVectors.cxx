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
#include "kernels/registration/optimizers/LbfgsVectors.h"

#include "itkCudaSpline/device/DeviceError.h"

#include <algorithm>

namespace itk::CudaSpline
{

namespace
{
constexpr std::int64_t SumBlock = 1024; // places: enough for a thread, few enough for all of them

std::int64_t
BlocksOf(std::int64_t places)
{
  return (places + SumBlock - 1) / SumBlock;
}

template <typename TBody>
void
Walk(const TBody & body, const Residence & residence)
{
  const std::int64_t numbers = body.Count();
  residence.GetContext().ParallelFor(BlocksOf(numbers), [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t last = std::min(numbers, end * SumBlock);
    for (std::int64_t i = begin * SumBlock; i < last; ++i)
    {
      body(i);
    }
  });
}
} // namespace

std::size_t
CountLbfgsScratch(std::int64_t places, const Residence & residence)
{
  return residence.IsOnDevice() ? CountLbfgsScratchOnCuda(places)
                                : static_cast<std::size_t>(BlocksOf(places)) * sizeof(LbfgsProducts);
}

LbfgsProducts
SumLbfgsProducts(const LbfgsVectors & vectors, void * scratch, const Residence & residence)
{
  if (residence.IsOnDevice())
  {
    return SumLbfgsProductsOnCuda(vectors, scratch, residence);
  }
  const std::int64_t blocks = BlocksOf(vectors.places);
  auto * const       partial = static_cast<LbfgsProducts *>(scratch);
  residence.GetContext().ParallelFor(blocks, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block)
    {
      LbfgsProducts      own;
      const std::int64_t last = std::min(vectors.places, (block + 1) * SumBlock);
      for (std::int64_t place = block * SumBlock; place < last; ++place)
      {
        own.AddPlace(vectors, place);
      }
      partial[block] = own;
    }
  });
  for (std::int64_t stride = 1; stride < blocks; stride *= 2)
  {
    for (std::int64_t at = 0; at + stride < blocks; at += 2 * stride)
    {
      partial[at].Add(partial[at + stride]);
    }
  }
  return partial[0];
}

void
WalkLbfgs(const LbfgsMove & body, const Residence & residence)
{
  residence.IsOnDevice() ? WalkLbfgsOnCuda(body, residence) : Walk(body, residence);
}

void
WalkLbfgs(const LbfgsTurn & body, const Residence & residence)
{
  residence.IsOnDevice() ? WalkLbfgsOnCuda(body, residence) : Walk(body, residence);
}

void
WalkLbfgs(const LbfgsGradient & body, const Residence & residence)
{
  residence.IsOnDevice() ? WalkLbfgsOnCuda(body, residence) : Walk(body, residence);
}

#if !defined(CUDASPLINE_HAS_CUDA)
namespace
{
[[noreturn]] void
ThrowUnavailable()
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
} // namespace

std::size_t
CountLbfgsScratchOnCuda(std::int64_t)
{
  ThrowUnavailable();
}

LbfgsProducts
SumLbfgsProductsOnCuda(const LbfgsVectors &, void *, const Residence &)
{
  ThrowUnavailable();
}

void
WalkLbfgsOnCuda(const LbfgsMove &, const Residence &)
{
  ThrowUnavailable();
}

void
WalkLbfgsOnCuda(const LbfgsTurn &, const Residence &)
{
  ThrowUnavailable();
}

void
WalkLbfgsOnCuda(const LbfgsGradient &, const Residence &)
{
  ThrowUnavailable();
}
#endif

} // namespace itk::CudaSpline
