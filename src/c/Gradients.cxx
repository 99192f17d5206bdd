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
#include "itkCudaSpline/c/CudaSplineGradientsC.h"

#include "c/ArrayDescriptors.h"
#include "c/Call.h"
#include "c/Descriptors.h"

#include "itkCudaSpline/kernels/gradients/JointHistogram.h"
#include "itkCudaSpline/kernels/gradients/LocalCorrelationLoss.h"
#include "itkCudaSpline/kernels/gradients/SplineGradients.h"

#include <algorithm>

using namespace itk::CudaSpline;

namespace
{

SplinePoints
DescribeSplinePoints(const cudaspline_spline_points & from)
{
  SplinePoints points;
  points.dimension = UnsignedOf(from.dimension, "points.dimension");
  std::copy_n(from.size, CUDASPLINE_MAXIMUM_POINT_DIMENSION, points.size.begin());
  points.batches = from.batches;
  points.channels = from.channels;
  points.count = from.count;
  points.order = UnsignedOf(from.order, "points.order");
  points.mode = ArrayModeOfCode(from.mode, "points.mode");
  points.border = from.border;
  points.element = ScalarTypeOfCode(from.element, "points.element");
  points.derivatives = UnsignedOf(from.derivatives, "points.derivatives");
  points.points = from.points;
  points.pointStride = from.point_stride;
  points.coefficients = from.coefficients;
  points.coefficientStride = from.coefficient_stride;
  points.weights = from.weights;
  points.result = from.result;
  points.place = { from.device >= 0, from.stream };
  return points;
}

using PointOperation = void (*)(const SplinePoints &, const ExecutionContext &);

std::int32_t
RunAtPoints(const cudaspline_spline_points * points, cudaspline_execution * execution, PointOperation operation)
{
  return Call([=] {
    RequirePointer(points, "points");
    CallExecution      call(execution);
    const SplinePoints descriptor = DescribeSplinePoints(*points);
    Naming("points", [&] { operation(descriptor, call.ContextOf(points->device)); });
    call.Report(points->device);
  });
}

/** Calls \p operation with the samples and a context. */
template <typename TOperation>
std::int32_t
RunOnSamples(const cudaspline_joint_samples * samples, cudaspline_execution * execution, const TOperation & operation)
{
  return Call([=] {
    RequirePointer(samples, "samples");
    CallExecution call(execution);
    JointSamples  descriptor;
    descriptor.count = samples->count;
    descriptor.bins = samples->bins;
    descriptor.element = ScalarTypeOfCode(samples->element, "samples.element");
    descriptor.fixed = samples->fixed;
    descriptor.moving = samples->moving;
    descriptor.mask = samples->mask;
    descriptor.ends = samples->ends;
    descriptor.place = { samples->device >= 0, samples->stream };
    Naming("samples", [&] { operation(descriptor, call.ContextOf(samples->device)); });
    call.Report(samples->device);
  });
}

} // namespace

std::int32_t
cudaspline_evaluate_derivatives(const cudaspline_spline_points * points, cudaspline_execution * execution)
{
  return RunAtPoints(points, execution, EvaluateDerivatives);
}

std::int32_t
cudaspline_contract_derivatives(const cudaspline_spline_points * points, cudaspline_execution * execution)
{
  return RunAtPoints(points, execution, ContractDerivatives);
}

std::int32_t
cudaspline_scatter_derivatives(const cudaspline_spline_points * points, cudaspline_execution * execution)
{
  return RunAtPoints(points, execution, ScatterDerivatives);
}

std::int32_t
cudaspline_filter_array_adjoint(const cudaspline_array_filter * filter, cudaspline_execution * execution)
{
  return Call([=] {
    RequirePointer(filter, "filter");
    CallExecution     call(execution);
    const ArrayFilter descriptor = DescribeFilter(*filter);
    Naming("filter", [&] { FilterArrayAdjoint(descriptor, call.ContextOf(filter->device)); });
    call.Report(filter->device);
  });
}

std::int32_t
cudaspline_correlate_locally(const cudaspline_local_correlation * pairs, cudaspline_execution * execution)
{
  return Call([=] {
    RequirePointer(pairs, "pairs");
    CallExecution         call(execution);
    LocalCorrelationPairs descriptor;
    descriptor.dimension = UnsignedOf(pairs->dimension, "pairs.dimension");
    std::copy_n(pairs->size, CUDASPLINE_MAXIMUM_POINT_DIMENSION, descriptor.size.begin());
    std::copy_n(pairs->radius, CUDASPLINE_MAXIMUM_POINT_DIMENSION, descriptor.radius.begin());
    descriptor.images = pairs->images;
    descriptor.element = ScalarTypeOfCode(pairs->element, "pairs.element");
    descriptor.fixed = pairs->fixed;
    descriptor.moving = pairs->moving;
    descriptor.mask = pairs->mask;
    descriptor.maskStride = pairs->mask_stride;
    descriptor.sums = pairs->sums;
    descriptor.fixedGradient = pairs->fixed_gradient;
    descriptor.movingGradient = pairs->moving_gradient;
    descriptor.place = { pairs->device >= 0, pairs->stream };
    Naming("pairs", [&] { EvaluateLocalCorrelationLoss(descriptor, call.ContextOf(pairs->device)); });
    call.Report(pairs->device);
  });
}

std::int32_t
cudaspline_accumulate_joint_histogram(const cudaspline_joint_samples * samples, cudaspline_execution * execution)
{
  return RunOnSamples(samples, execution, [samples](const JointSamples & of, const ExecutionContext & context) {
    AccumulateJointHistogram(of, samples->joint, context);
  });
}

std::int32_t
cudaspline_differentiate_joint_histogram(const cudaspline_joint_samples * samples, cudaspline_execution * execution)
{
  return RunOnSamples(samples, execution, [samples](const JointSamples & of, const ExecutionContext & context) {
    DifferentiateJointHistogram(of, samples->joint, samples->fixed_gradient, samples->moving_gradient, context);
  });
}
