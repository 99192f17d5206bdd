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

#include "kernels/fields/common/FieldLoopCpu.h"
#include "kernels/fields/spline/SplineFit.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
/** Returns whether the sums of a fit are computed along one axis after the other. */
bool
IsSeparable(const FieldShape & shape, const FieldSplineFit & rules)
{
  return shape.grid.dimension == 3 && rules.places == nullptr;
}

/** Returns the number of components of the sums, SplineFit::components. */
constexpr int
CountComponents(bool hasConfidence)
{
  return hasConfidence ? 4 : 3;
}

std::size_t
CountSeparableScratch(const FieldShape & shape, const FieldSplineFit & rules, bool hasConfidence)
{
  const auto & size = shape.grid.size;
  const auto & points = rules.controlPoints;
  const auto   samples = static_cast<std::size_t>(size[0] + size[1] + size[2]);
  const auto   numbers =
    static_cast<std::size_t>(CountComponents(hasConfidence) * size[0] * points[2] * (size[1] + points[1]) +
                             3 * points[0] * points[1] * points[2]);
  return samples * (sizeof(SplineEntry) + sizeof(FitShares)) +
         static_cast<std::size_t>(points[0] + points[1] + points[2]) * sizeof(FitControl) + numbers * sizeof(double);
}

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

/** Returns the numbers of a fit, with ITK's roundings. */
template <unsigned int VDimension, typename TReal>
PointFit<VDimension, TReal>
MakePointFit(const FieldShape & shape, const FieldSplineFit & rules)
{
  constexpr float             share = 1e-3F; // as in ITK, a fraction of the distance of samples
  PointFit<VDimension, TReal> fit{};
  for (unsigned int d = 0; d < 3; ++d)
  {
    fit.size[d] = d < VDimension ? shape.grid.size[d] : 1;
    fit.controls[d] = d < VDimension ? rules.controlPoints[d] : 1;
  }
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    const double spacing = rules.places != nullptr ? shape.grid.spacing[d] : 1.0;
    fit.origin[d] = rules.places != nullptr ? shape.grid.origin[d] : 0.0;
    fit.spans[d] = static_cast<float>(fit.controls[d] - (SplineTaps - 1));
    fit.rate[d] = static_cast<float>(static_cast<double>(fit.spans[d]) /
                                     (static_cast<double>(static_cast<float>(fit.size[d] - 1)) * spacing));
    fit.near[d] = static_cast<float>(static_cast<double>(fit.rate[d]) * spacing * static_cast<double>(share));
  }
  fit.stationary = rules.stationaryBoundary;
  fit.places = rules.places.get();
  fit.placesAreByAxis = rules.placesAreByAxis;
  return fit;
}

/** Evaluates a 3D spline over the whole grid. */
template <typename TReal>
void
EvaluateFit(const SplineRows<TReal> & rows, const std::int64_t (&controls)[3], const Residence & residence)
{
  if (!residence.IsOnDevice())
  {
    EvaluateRowsOnCpu(rows, residence);
    return;
  }
  const double step =
    static_cast<double>(controls[1] - (SplineTaps - 1)) / static_cast<double>(rows.grid.extent.size[1] - 1);
  if (!EvaluateRowsOnCuda(rows, step, false, residence))
  {
    throw DeviceError(DeviceError::Kind::Other,
                      "The shared memory of the device is too small for rows of " + std::to_string(controls[0]) +
                        " x " + std::to_string(controls[1]) + " control points; use fewer.");
  }
}

template <typename TReal>
SplineRows<TReal>
MakeFitRows(const FieldShape & shape,
            const std::int64_t (&controls)[3],
            const double * lattice,
            SplineEntry *  entries,
            void *         output)
{
  SplineRows<TReal> rows{ {}, MakeGeometry<3>(shape.grid), static_cast<TReal *>(output), entries };
  rows.spline.data = lattice;
  for (unsigned int d = 0; d < 3; ++d)
  {
    rows.spline.extent.size[d] = controls[d];
  }
  return rows;
}

/** A pass of a fit by the threads of the host, which process control points one by one. */
template <typename TPass>
void
ForEachPassOnCpu(const TPass & pass, const Residence & residence)
{
  if (pass.walk.size[1] * pass.walk.size[2] > 1)
  {
    ForEachSampleOnCpu(pass.walk, residence, pass);
    return;
  }
  residence.GetContext().ParallelFor(pass.walk.size[0], [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n)
    {
      const std::int64_t at[3] = { n, 0, 0 };
      pass(at);
    }
  });
}

template <unsigned int VDimension, typename TReal>
void
SmoothByPoints(const FieldShape &     shape,
               const void *           input,
               const void *           confidence,
               const FieldSplineFit & rules,
               void *                 output,
               void *                 scratch,
               const Residence &      residence)
{
  auto fit = MakePointFit<VDimension, TReal>(shape, rules);
  SetPointFitScratch(fit, scratch);
  fit.input = static_cast<const TReal *>(input);
  fit.confidence = static_cast<const TReal *>(confidence);
  fit.output = static_cast<TReal *>(output);
  if (residence.IsOnDevice())
  {
    WalkPointFitOnCuda(fit, residence);
  }
  else
  {
    WalkPointFit(fit, [&](const auto & pass) { ForEachPassOnCpu(pass, residence); });
  }
  if constexpr (VDimension == 3)
  {
    EvaluateFit(MakeFitRows<TReal>(shape, fit.controls, fit.lattice, fit.entries, output), fit.controls, residence);
  }
}

template <typename TReal>
void
SmoothByAxes(const FieldShape &     shape,
             const void *           input,
             const void *           confidence,
             const FieldSplineFit & rules,
             void *                 output,
             void *                 scratch,
             const Residence &      residence)
{
  auto fit = MakeFit<TReal>(shape, rules);
  fit.components = CountComponents(confidence != nullptr);
  fit.confidence = static_cast<const TReal *>(confidence);
  SetFitScratch(fit, static_cast<char *>(scratch));
  fit.input = static_cast<const TReal *>(input);
  if (residence.IsOnDevice())
  {
    WalkFitOnCuda(fit, residence);
  }
  else
  {
    WalkFit(fit, [&](const auto & pass) { ForEachSampleOnCpu(pass.walk, residence, pass); });
  }
  EvaluateFit(MakeFitRows<TReal>(shape, fit.controls, fit.lattice, fit.entries, output), fit.controls, residence);
}
} // namespace

std::size_t
CountSplineSmoothingScratch(const FieldShape & shape, const FieldSplineFit & rules, bool hasConfidence)
{
  return IsSeparable(shape, rules) ? CountSeparableScratch(shape, rules, hasConfidence)
                                   : CountPointFitScratch(shape, rules);
}

void
SmoothFieldBySpline(const FieldShape &     shape,
                    const void *           input,
                    const void *           confidence,
                    const FieldSplineFit & rules,
                    void *                 output,
                    void *                 scratch,
                    const Residence &      residence)
{
  for (unsigned int d = 0; d < shape.grid.dimension; ++d)
  {
    if (shape.grid.size[d] < 2 || shape.grid.start[d] != 0)
    {
      throw std::invalid_argument("A field to be smoothed by a spline has " + std::to_string(shape.grid.size[d]) +
                                  " samples along axis " + std::to_string(d) + " and starts at index " +
                                  std::to_string(shape.grid.start[d]) +
                                  "; at least 2 samples, and index 0, are needed.");
    }
    if (rules.controlPoints[d] < SplineTaps)
    {
      throw std::invalid_argument("A cubic spline has " + std::to_string(rules.controlPoints[d]) +
                                  " control points along axis " + std::to_string(d) + "; at least " +
                                  std::to_string(SplineTaps) + " are needed.");
    }
  }
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Compiled = decltype(compiled);
    using Real = typename Compiled::Real;
    if constexpr (Compiled::Dimension == 3)
    {
      if (IsSeparable(shape, rules))
      {
        SmoothByAxes<Real>(shape, input, confidence, rules, output, scratch, residence);
        return;
      }
    }
    SmoothByPoints<Compiled::Dimension, Real>(shape, input, confidence, rules, output, scratch, residence);
  });
}

const double *
FindSplineLattice(const FieldShape & shape, const FieldSplineFit & rules, bool hasConfidence, void * scratch)
{
  if (!IsSeparable(shape, rules))
  {
    return static_cast<const double *>(scratch); // SetPointFitScratch()
  }
  auto fit = MakeFit<double>(shape, rules);
  fit.components = CountComponents(hasConfidence);
  SetFitScratch(fit, static_cast<char *>(scratch));
  return fit.lattice;
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

void
WalkPointFitOnCuda(const PointFit<2, float> &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
WalkPointFitOnCuda(const PointFit<2, double> &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
WalkPointFitOnCuda(const PointFit<3, float> &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
WalkPointFitOnCuda(const PointFit<3, double> &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
