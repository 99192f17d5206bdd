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
#include "kernels/fields/common/FieldBackends.h"
#include "kernels/fields/common/FieldLaunch.cuh"
#include "kernels/fields/smoothing/FieldSmooth.h"
#include "kernels/fields/smoothing/FieldSmoothingMarch.cuh"

#include <cstddef>
#include <cstdint>
#include <string>

namespace itk::CudaSpline
{

namespace
{
constexpr int MaxWeights = 401; // of an axis; they are arguments of the kernel

/** The weights of an axis. */
template <typename TReal>
struct AxisWeights
{
  int   radius;
  TReal of[MaxWeights];

  explicit AxisWeights(const std::vector<double> & weights)
    : radius(static_cast<int>(weights.size() / 2))
  {
    if (weights.size() > MaxWeights)
    {
      throw DeviceError(DeviceError::Kind::Other,
                        "A field has " + std::to_string(weights.size()) +
                          " smoothing weights; kernels support at most " + std::to_string(MaxWeights) + ".");
    }
    for (std::size_t i = 0; i < weights.size(); ++i)
    {
      of[i] = static_cast<TReal>(weights[i]);
    }
  }
};

/** Smooths along one axis, one thread per sample. */
template <unsigned int VDimension, typename TReal>
struct AxisSmoothing
{
  FieldWalk                     walk;
  unsigned int                  axis;
  std::int64_t                  stride; ///< numbers between neighbours along the axis
  const TReal *                 input;
  TReal *                       output;
  FieldBlend<VDimension, TReal> blend;
  AxisWeights<TReal>            weights;

  __device__ __forceinline__ void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at) * VDimension;
    const std::int64_t place = axis == 0 ? at[0] : (axis == 1 ? at[1] : at[2]);
    const std::int64_t last = (axis == 0 ? walk.size[0] : (axis == 1 ? walk.size[1] : walk.size[2])) - 1;
    TReal              sum[VDimension] = {};
    for (int k = 0; k <= 2 * weights.radius; ++k)
    {
      const std::int64_t there = min(max(place + k - weights.radius, std::int64_t{ 0 }), last);
      const TReal *      from = input + (offset + (there - place) * stride);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        sum[d] = AddWeighted(sum[d], weights.of[k], from[d]);
      }
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      output[offset + d] = axis + 1 == VDimension ? blend(at, offset + d, sum[d]) : sum[d];
    }
  }
};

/** Enqueues the march of a radius. */
template <int VRadius = 1>
void
March(int                          radius,
      const FieldGrid &            grid,
      const float *                input,
      float *                      output,
      const FieldBlend<3, float> & blend,
      const FieldSmoothing &       smoothing,
      const Residence &            residence)
{
  if constexpr (VRadius > MaxMarchRadius)
  {
    throw DeviceError(DeviceError::Kind::Other,
                      "No kernel supports a smoothing radius of " + std::to_string(radius) + " in one pass; at most " +
                        std::to_string(MaxMarchRadius) + " is supported.");
  }
  else if (radius == VRadius)
  {
    LaunchSmoothingMarch<VRadius>(grid, input, output, blend, smoothing, residence);
  }
  else
  {
    March<VRadius + 1>(radius, grid, input, output, blend, smoothing, residence);
  }
}
} // namespace

void
SmoothFieldOnCuda(const FieldShape &     shape,
                  const void *           input,
                  const FieldSmoothing & smoothing,
                  void *                 output,
                  void *                 scratch,
                  const Residence &      residence)
{
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int            dimension = decltype(compiled)::Dimension;
    const FieldBlend<dimension, Real> blend(shape.grid, input, smoothing);
    if constexpr (dimension == 3 && sizeof(Real) == sizeof(float))
    {
      if (const int radius = MarchRadius(shape, smoothing))
      {
        March(radius,
              shape.grid,
              static_cast<const float *>(input),
              static_cast<float *>(output),
              blend,
              smoothing,
              residence);
        return;
      }
    }
    const FieldWalk walk = WalkOf(shape.grid);
    const auto *    from = static_cast<const Real *>(input);
    std::int64_t    stride = dimension;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      auto * const            to = static_cast<Real *>((dimension - d) % 2 == 1 ? output : scratch);
      const AxisWeights<Real> weights(smoothing.weights[d]);
      LaunchField(
        AxisSmoothing<dimension, Real>{ walk, d, stride, from, to, blend, weights }, walk, AllDevicesOf(residence));
      from = to;
      stride *= shape.grid.size[d];
    }
  });
}

} // namespace itk::CudaSpline
