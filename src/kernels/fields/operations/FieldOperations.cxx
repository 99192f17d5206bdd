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
#include "itkCudaSpline/kernels/fields/FieldOperations.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/common/FieldBackends.h"
#include "kernels/fields/inversion/FieldInverse.h"

#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
void
Check(const FieldShape & shape)
{
  DispatchField(shape.grid.dimension, shape.element, [](auto) {});
  for (unsigned int d = 0; d < 3; ++d)
  {
    if (shape.grid.size[d] < 1 || (d >= shape.grid.dimension && shape.grid.size[d] != 1))
    {
      throw std::invalid_argument("The size of the field along axis " + std::to_string(d) + " is " +
                                  std::to_string(shape.grid.size[d]) + "; it must be " +
                                  (d < shape.grid.dimension ? "at least 1." : "1."));
    }
  }
}

void
CheckAlike(const FieldShape & one, const FieldShape & other)
{
  Check(one);
  Check(other);
  if (one.grid.dimension != other.grid.dimension || one.element != other.element)
  {
    throw std::invalid_argument("The fields have " + std::to_string(one.grid.dimension) + " and " +
                                std::to_string(other.grid.dimension) + " dimensions, and types " + NameOf(one.element) +
                                " and " + NameOf(other.element) + "; they must have the same.");
  }
}
} // namespace

void
ComposeFields(const FieldShape & displacementShape,
              const void *       displacement,
              const FieldShape & warpingShape,
              const void *       warping,
              void *             output,
              const Residence &  residence)
{
  CheckAlike(displacementShape, warpingShape);
  (residence.IsOnDevice() ? ComposeFieldsOnCuda : ComposeFieldsOnCpu)(
    displacementShape, displacement, warpingShape, warping, output, residence);
}

int
MarchRadius(const FieldShape & shape, const FieldSmoothing & smoothing)
{
  constexpr std::size_t  widest = 2 * MaxMarchRadius + 1;
  constexpr std::int64_t mostRows = 65535; // of a grid of blocks
  const FieldGrid &      grid = shape.grid;
  const std::size_t      count = smoothing.weights[0].size();
  // Offsets within a slice have 32 bits.
  const bool fits = grid.dimension == 3 && shape.element == ScalarType::Float32 && count >= 3 && count <= widest &&
                    smoothing.weights[1].size() == count && smoothing.weights[2].size() == count &&
                    grid.size[1] <= mostRows &&
                    grid.size[0] * grid.size[1] * 3 <= std::numeric_limits<std::int32_t>::max();
  return fits ? static_cast<int>(count / 2) : 0;
}

std::size_t
CountSmoothingScratch(const FieldShape & shape, const FieldSmoothing & smoothing, Backend backend)
{
  return backend == Backend::Cuda && MarchRadius(shape, smoothing) > 0 ? 0 : shape.Bytes();
}

void
SmoothField(const FieldShape &     shape,
            const void *           input,
            const FieldSmoothing & smoothing,
            void *                 output,
            void *                 scratch,
            const Residence &      residence)
{
  Check(shape);
  for (unsigned int d = 0; d < shape.grid.dimension; ++d)
  {
    if (smoothing.weights[d].size() % 2 == 0)
    {
      throw std::invalid_argument("The number of smoothing weights along axis " + std::to_string(d) + " is " +
                                  std::to_string(smoothing.weights[d].size()) + "; it must be odd.");
    }
  }
  (residence.IsOnDevice() ? SmoothFieldOnCuda : SmoothFieldOnCpu)(shape, input, smoothing, output, scratch, residence);
}

std::size_t
CountInversionScratch(const FieldShape & shape)
{
  const FieldBoxes boxes = BoxesOf(WalkOf(shape.grid));
  return static_cast<std::size_t>(boxes.Count()) * sizeof(NormSums) + shape.Bytes();
}

void
InvertField(const FieldShape &     shape,
            const void *           field,
            void *                 inverse,
            const FieldInversion & rules,
            FieldInversionState *  state,
            void *                 scratch,
            const Residence &      residence)
{
  Check(shape);
  (residence.IsOnDevice() ? InvertFieldOnCuda
                          : InvertFieldOnCpu)(shape, field, inverse, rules, state, scratch, residence);
}

void
FindMaximumNorm(const FieldShape & shape,
                const void *       field,
                double *           maximum,
                void *             scratch,
                const Residence &  residence)
{
  Check(shape);
  (residence.IsOnDevice() ? FindMaximumNormOnCuda : FindMaximumNormOnCpu)(shape, field, maximum, scratch, residence);
}

void
ScaleField(const FieldShape & shape,
           const void *       field,
           double             length,
           const double *     maximum,
           void *             scaled,
           const Residence &  residence)
{
  Check(shape);
  (residence.IsOnDevice() ? ScaleFieldOnCuda : ScaleFieldOnCpu)(shape, field, length, maximum, scaled, residence);
}

void
WeighField(const FieldShape & shape, void * field, const std::array<double, 3> & weights, const Residence & residence)
{
  Check(shape);
  (residence.IsOnDevice() ? WeighFieldOnCuda : WeighFieldOnCpu)(shape, field, weights, residence);
}

void
AverageMidpointFields(const FieldShape & shape, void * first, void * second, const Residence & residence)
{
  Check(shape);
  (residence.IsOnDevice() ? AverageMidpointFieldsOnCuda : AverageMidpointFieldsOnCpu)(shape, first, second, residence);
}

void
ResampleField(const FieldShape & inputShape,
              const void *       input,
              const FieldShape & outputShape,
              void *             output,
              const Residence &  residence)
{
  CheckAlike(inputShape, outputShape);
  (residence.IsOnDevice() ? ResampleFieldOnCuda
                          : ResampleFieldOnCpu)(inputShape, input, outputShape, output, residence);
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

void
ComposeFieldsOnCuda(const FieldShape &, const void *, const FieldShape &, const void *, void *, const Residence &)
{
  ThrowUnavailable();
}

void
SmoothFieldOnCuda(const FieldShape &, const void *, const FieldSmoothing &, void *, void *, const Residence &)
{
  ThrowUnavailable();
}

void
InvertFieldOnCuda(const FieldShape &,
                  const void *,
                  void *,
                  const FieldInversion &,
                  FieldInversionState *,
                  void *,
                  const Residence &)
{
  ThrowUnavailable();
}

void
FindMaximumNormOnCuda(const FieldShape &, const void *, double *, void *, const Residence &)
{
  ThrowUnavailable();
}

void
ScaleFieldOnCuda(const FieldShape &, const void *, double, const double *, void *, const Residence &)
{
  ThrowUnavailable();
}

void
WeighFieldOnCuda(const FieldShape &, void *, const std::array<double, 3> &, const Residence &)
{
  ThrowUnavailable();
}

void
AverageMidpointFieldsOnCuda(const FieldShape &, void *, void *, const Residence &)
{
  ThrowUnavailable();
}

void
ResampleFieldOnCuda(const FieldShape &, const void *, const FieldShape &, void *, const Residence &)
{
  ThrowUnavailable();
}
#endif

} // namespace itk::CudaSpline
