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
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/fields/SplineField.h"

#include "kernels/fields/FieldLoopCpu.h"
#include "kernels/fields/SplineFit.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace itk::CudaSpline
{

namespace
{
template <typename TReal>
SplineFit<TReal>
MakeFit(const FieldShape & shape, const FieldSplineFit & rules)
{
  SplineFit<TReal> fit{};
  for (unsigned int d = 0; d < 3; ++d)
  {
    fit.size[d] = shape.grid.size[d];
    fit.controls[d] = rules.controlPoints[d];
  }
  fit.stationary = rules.stationaryBoundary;
  return fit;
}
} // namespace

std::size_t
CountSplineSmoothingScratch(const FieldShape & shape, const FieldSplineFit & rules)
{
  const auto & size = shape.grid.size;
  const auto & points = rules.controlPoints;
  const auto   samples = static_cast<std::size_t>(size[0] + size[1] + size[2]);
  const auto   numbers =
    static_cast<std::size_t>(3 * size[0] * points[2] * (size[1] + points[1]) + 3 * points[0] * points[1] * points[2]);
  return samples * (sizeof(SplineEntry) + sizeof(FitShares)) +
         static_cast<std::size_t>(points[0] + points[1] + points[2]) * sizeof(FitControl) + numbers * sizeof(double);
}

void
SmoothFieldBySpline(const FieldShape &     shape,
                    const void *           input,
                    const FieldSplineFit & rules,
                    void *                 output,
                    void *                 scratch,
                    const Residence &      residence)
{
  for (unsigned int d = 0; d < 3; ++d)
  {
    if (shape.grid.dimension != 3 || shape.grid.size[d] < 2 || shape.grid.start[d] != 0)
    {
      throw std::invalid_argument("Splines smooth fields of 3 axes with at least 2 samples each, from index 0 on.");
    }
    if (rules.controlPoints[d] < SplineTaps)
    {
      throw std::invalid_argument("A cubic spline has at least 4 control points along each axis.");
    }
  }
  DispatchField(3, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    auto fit = MakeFit<Real>(shape, rules);
    SetFitScratch(fit, static_cast<char *>(scratch));
    fit.input = static_cast<const Real *>(input);
    SplineRows<Real> rows{ {}, MakeGeometry<3>(shape.grid), static_cast<Real *>(output), fit.entries };
    rows.spline.data = fit.lattice;
    for (unsigned int d = 0; d < 3; ++d)
    {
      rows.spline.extent.size[d] = fit.controls[d];
    }
    if (!residence.IsOnDevice())
    {
      WalkFit(fit, [&](const auto & pass) { ForEachSampleOnCpu(pass.walk, residence, pass); });
      EvaluateRowsOnCpu(rows, residence);
      return;
    }
    WalkFitOnCuda(fit, residence);
    const double step = static_cast<double>(fit.controls[1] - 3) / static_cast<double>(fit.size[1] - 1);
    if (!EvaluateRowsOnCuda(rows, step, false, residence))
    {
      throw DeviceError(DeviceError::Kind::Other,
                        "A block of the device cannot hold the rows of so many control points.");
    }
  });
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WalkFitOnCuda(const SplineFit<float> &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
WalkFitOnCuda(const SplineFit<double> &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
