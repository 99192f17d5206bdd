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
#ifndef ScanlineSpan_cuh
#define ScanlineSpan_cuh

#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include <cstdint>

namespace itk::CudaSpline
{

namespace
{

/** A prepared scanline. It gives the same results as ScanlineEnds::AtFraction(), but computes everything that is common
 * to the line only once. */
struct ScanlineSpan
{
  double first[3]; ///< index of the first sample, rounded to the type of the coordinates
  double span[3];  ///< distance from the first sample to one past the last sample, rounded in the same way

  __device__ __forceinline__ void
  Set(const ScanlineEnds<3> & ends, bool single)
  {
    for (int d = 0; d < 3; ++d)
    {
      if (single)
      {
        const float start = RoundedTo<float>(ends.start[d]);
        first[d] = static_cast<double>(start);
        span[d] = static_cast<double>(RoundedTo<float>(ends.end[d]) - start);
      }
      else
      {
        first[d] = ends.start[d];
        span[d] = ends.end[d] - ends.start[d];
      }
    }
  }

  __device__ __forceinline__ void
  At(double alpha, bool single, double (&index)[3]) const
  {
    for (int d = 0; d < 3; ++d)
    {
      index[d] = RoundedSum(first[d], RoundedProduct(alpha, span[d]));
      if (single)
      {
        index[d] = static_cast<double>(RoundedTo<float>(index[d]));
      }
    }
  }
};

/** Converts a number within 2^31 of 0 to a double with a sum, which is faster than a conversion. */
__device__ __forceinline__ double
ExactDouble(int x)
{
  return RoundedSum(__hiloint2double(0x43300000, static_cast<int>(static_cast<unsigned int>(x) ^ 0x80000000U)),
                    -4503601774854144.0); // 2^52 + 2^31
}

/** FloorIndex() is equal to the floor, except from this index up to 0: it does not return -1 there, because half of the
 * digits are lost in 2 x - 1/2. */
constexpr double LeastOfZero = -1.0 / (std::int64_t{ 1 } << 55);

} // namespace
} // namespace itk::CudaSpline

#endif
