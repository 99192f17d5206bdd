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

#include "xla/ffi/api/ffi.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

/** \file
 * \brief The operations of cudaspline.jax as handlers of XLA's foreign function interface. Compiled functions call
 * them without Python. Arrays are dense and row-major. Their shapes are described in
 * python/cudaspline/jax/_operators.py. */

namespace ffi = xla::ffi;

namespace
{

/** Attributes of an operation at points. */
struct PointOptions
{
  std::int32_t order;
  std::int32_t mode;
  double       border;
  std::int32_t derivatives;
  std::int32_t threads; ///< threads of the host; 0: the default of the library
};

/** Attributes of a filter. */
struct FilterOptions
{
  std::int32_t order;
  std::int32_t mode;
  std::int32_t first; ///< first of the consecutive axes that are filtered
  std::int32_t axes;  ///< number of these
  std::int32_t adjoint;
  std::int32_t threads; ///< threads of the host; 0: the default of the library
};

/** Attributes of local correlation. */
struct CorrelationOptions
{
  ffi::Span<const std::int64_t> radius;  ///< radius of windows, by axis
  std::int32_t                  threads; ///< threads of the host; 0: the default of the library
};

/** Attributes of a joint histogram. */
struct JointOptions
{
  std::int32_t threads; ///< threads of the host; 0: the default of the library
};

/** Device and stream of a call. */
struct Place
{
  bool   isDevice;
  void * stream;

  /** Returns the number of the device of an array. XLA counts the devices that it was given, the library counts all. */
  std::int32_t
  DeviceOf(const void * array) const
  {
    return isDevice ? cudaspline_device_of_pointer(array) : -1;
  }
};

/** Contexts with which a binding requests a Place. */
struct OnHost
{};
struct OnDevice
{};

} // namespace

template <>
struct xla::ffi::CtxDecoding<OnHost>
{
  using Type = Place;

  static std::optional<Place>
  Decode(const XLA_FFI_Api *, XLA_FFI_ExecutionContext *, DiagnosticEngine &)
  {
    return Place{ false, nullptr };
  }
};

template <>
struct xla::ffi::CtxDecoding<OnDevice>
{
  using Type = Place;

  static std::optional<Place>
  Decode(const XLA_FFI_Api * api, XLA_FFI_ExecutionContext * context, DiagnosticEngine & diagnostic)
  {
    const std::optional<void *> stream = CtxDecoding<PlatformStream<void *>>::Decode(api, context, diagnostic);
    return stream ? std::optional<Place>(Place{ true, *stream }) : std::nullopt;
  }
};

XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(PointOptions,
                                      xla::ffi::StructMember<std::int32_t>("order"),
                                      xla::ffi::StructMember<std::int32_t>("mode"),
                                      xla::ffi::StructMember<double>("border"),
                                      xla::ffi::StructMember<std::int32_t>("derivatives"),
                                      xla::ffi::StructMember<std::int32_t>("threads"));
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(FilterOptions,
                                      xla::ffi::StructMember<std::int32_t>("order"),
                                      xla::ffi::StructMember<std::int32_t>("mode"),
                                      xla::ffi::StructMember<std::int32_t>("first"),
                                      xla::ffi::StructMember<std::int32_t>("axes"),
                                      xla::ffi::StructMember<std::int32_t>("adjoint"),
                                      xla::ffi::StructMember<std::int32_t>("threads"));
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(CorrelationOptions,
                                      xla::ffi::StructMember<ffi::Span<const std::int64_t>>("radius"),
                                      xla::ffi::StructMember<std::int32_t>("threads"));
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(JointOptions, xla::ffi::StructMember<std::int32_t>("threads"));

namespace
{

using Array = ffi::AnyBuffer;
using Result = ffi::Result<ffi::AnyBuffer>;

/** Returns -1 for a type that is not supported; the library then refuses it by name. */
std::int32_t
ElementOf(const Array & array)
{
  switch (array.element_type())
  {
    case ffi::DataType::F32:
      return CUDASPLINE_FLOAT32;
    case ffi::DataType::F64:
      return CUDASPLINE_FLOAT64;
    default:
      return -1;
  }
}

/** Returns the number of elements from an image to the next one; 0 if one image is used for the whole batch. */
std::int64_t
StrideOf(const Array & array, std::int64_t batches)
{
  const std::int64_t images = array.dimensions()[0];
  return images == 1 && batches > 1
           ? 0
           : static_cast<std::int64_t>(array.element_count()) / std::max<std::int64_t>(images, 1);
}

/** Calls a function of the interface with a description, and converts its error to XLA's. */
template <typename TDescribed>
ffi::Error
Run(std::int32_t (*function)(const TDescribed *, cudaspline_execution *),
    const Place &      place,
    const TDescribed & described,
    std::int32_t       threads)
{
  if (place.isDevice && described.device < 0) // it would be computed on the host
  {
    return ffi::Error::Internal("CudaSpline cannot find the device of an array of XLA.");
  }
  cudaspline_execution execution{};
  execution.threads = threads;
  switch (function(&described, &execution))
  {
    case CUDASPLINE_OK:
      return ffi::Error::Success();
    case CUDASPLINE_INVALID_ARGUMENT:
      return ffi::Error::InvalidArgument(cudaspline_last_error());
    case CUDASPLINE_OUT_OF_MEMORY:
      return ffi::Error(ffi::ErrorCode::kResourceExhausted, cudaspline_last_error());
    default:
      return ffi::Error::Internal(cudaspline_last_error());
  }
}

/** Returns the common part of the operations at points.
 *
 * \param[in] image has the shape (B, C, *size) */
cudaspline_spline_points
Describe(const Place &        place,
         const PointOptions & options,
         const Array &        image,
         const Array &        points,
         const Array &        result)
{
  cudaspline_spline_points described{};
  const auto               shape = image.dimensions();
  described.dimension = static_cast<std::int32_t>(shape.size()) - 2;
  std::copy_n(
    shape.begin() + 2, std::min<std::size_t>(shape.size() - 2, CUDASPLINE_MAXIMUM_POINT_DIMENSION), described.size);
  described.batches = result.dimensions()[0];
  described.channels = shape[1];
  described.count = points.dimensions()[1];
  described.order = options.order;
  described.mode = options.mode;
  described.border = options.border;
  described.element = ElementOf(points);
  described.derivatives = options.derivatives;
  described.points = points.untyped_data();
  described.point_stride = StrideOf(points, described.batches);
  described.result = result.untyped_data();
  described.device = place.DeviceOf(described.result);
  described.stream = place.stream;
  return described;
}

ffi::Error
Evaluate(Place place, const PointOptions & options, Array coefficients, Array points, Result result)
{
  cudaspline_spline_points described = Describe(place, options, coefficients, points, *result);
  described.coefficients = coefficients.untyped_data();
  described.coefficient_stride = StrideOf(coefficients, described.batches);
  return Run(cudaspline_evaluate_derivatives, place, described, options.threads);
}

ffi::Error
Contract(Place place, const PointOptions & options, Array coefficients, Array points, Array weights, Result result)
{
  cudaspline_spline_points described = Describe(place, options, coefficients, points, *result);
  described.coefficients = coefficients.untyped_data();
  described.coefficient_stride = StrideOf(coefficients, described.batches);
  described.weights = weights.untyped_data();
  return Run(cudaspline_contract_derivatives, place, described, options.threads);
}

ffi::Error
Scatter(Place place, const PointOptions & options, Array weights, Array points, Result result)
{
  cudaspline_spline_points described = Describe(place, options, *result, points, *result);
  described.weights = weights.untyped_data();
  return Run(cudaspline_scatter_derivatives, place, described, options.threads);
}

/** The axes before the filtered ones are joined to one, to limit their number. */
cudaspline_array
DescribeArray(const Array & array, std::int32_t first)
{
  cudaspline_array described{};
  const auto       shape = array.dimensions();
  described.data = array.untyped_data();
  described.type = ElementOf(array);
  described.dimension = static_cast<std::int32_t>(shape.size()) - first + 1;
  std::int64_t step = 1;
  for (std::int32_t axis = std::min(described.dimension, CUDASPLINE_MAXIMUM_ARRAY_DIMENSION) - 1; axis > 0; --axis)
  {
    described.size[axis] = shape[static_cast<std::size_t>(first + axis - 1)];
    described.stride[axis] = step;
    step *= described.size[axis];
  }
  described.size[0] = static_cast<std::int64_t>(array.element_count()) / std::max<std::int64_t>(step, 1);
  described.stride[0] = step;
  return described;
}

ffi::Error
Filter(Place place, const FilterOptions & options, Array samples, Result result)
{
  cudaspline_array_filter described{};
  described.input = DescribeArray(samples, options.first);
  described.output = DescribeArray(*result, options.first);
  described.order = options.order;
  described.mode = options.mode;
  described.element = ElementOf(samples);
  std::fill_n(described.filtered + 1, std::min(options.axes, CUDASPLINE_MAXIMUM_ARRAY_DIMENSION - 1), 1);
  described.device = place.DeviceOf(described.output.data);
  described.stream = place.stream;
  return Run(options.adjoint != 0 ? cudaspline_filter_array_adjoint : cudaspline_filter_array,
             place,
             described,
             options.threads);
}

/** \param[in] mask without numbers: all samples count
 * \param[out] fixedGradient, movingGradient without numbers: not computed */
ffi::Error
Correlate(Place                      place,
          const CorrelationOptions & options,
          Array                      fixed,
          Array                      moving,
          Array                      mask,
          Result                     sums,
          Result                     fixedGradient,
          Result                     movingGradient)
{
  cudaspline_local_correlation described{};
  const auto                   shape = fixed.dimensions();
  constexpr std::size_t        most = CUDASPLINE_MAXIMUM_POINT_DIMENSION;
  described.dimension = static_cast<std::int32_t>(shape.size()) - 1;
  std::copy_n(shape.begin() + 1, std::min(shape.size() - 1, most), described.size);
  std::copy_n(options.radius.begin(), std::min(options.radius.size(), most), described.radius);
  described.images = shape[0];
  described.element = ElementOf(fixed);
  described.fixed = fixed.untyped_data();
  described.moving = moving.untyped_data();
  if (mask.element_count() > 0)
  {
    described.mask = static_cast<const std::uint8_t *>(mask.untyped_data());
    described.mask_stride = StrideOf(mask, described.images);
  }
  const auto wanted = [](Result & gradient) {
    return gradient->element_count() > 0 ? gradient->untyped_data() : nullptr;
  };
  described.sums = sums->untyped_data();
  described.fixed_gradient = wanted(fixedGradient);
  described.moving_gradient = wanted(movingGradient);
  described.device = place.DeviceOf(described.sums);
  described.stream = place.stream;
  return Run(cudaspline_correlate_locally, place, described, options.threads);
}

/** Returns the common part of both operations of a joint histogram.
 *
 * \param[in] mask without numbers: all samples count */
cudaspline_joint_samples
DescribeJoint(const Place & place, Array fixed, Array moving, Array mask, Array ends, Array joint)
{
  cudaspline_joint_samples described{};
  described.count = static_cast<std::int64_t>(fixed.element_count());
  described.bins = joint.dimensions()[0];
  described.element = ElementOf(fixed);
  described.fixed = fixed.untyped_data();
  described.moving = moving.untyped_data();
  described.mask = mask.element_count() > 0 ? static_cast<const std::uint8_t *>(mask.untyped_data()) : nullptr;
  described.ends = ends.untyped_data();
  described.joint = joint.untyped_data();
  described.device = place.DeviceOf(described.joint);
  described.stream = place.stream;
  return described;
}

ffi::Error
MakeJoint(Place place, const JointOptions & options, Array fixed, Array moving, Array mask, Array ends, Result joint)
{
  const cudaspline_joint_samples described = DescribeJoint(place, fixed, moving, mask, ends, *joint);
  return Run(cudaspline_accumulate_joint_histogram, place, described, options.threads);
}

/** \param[out] fixedGradient, movingGradient without numbers: not computed */
ffi::Error
DifferentiateJoint(Place                place,
                   const JointOptions & options,
                   Array                fixed,
                   Array                moving,
                   Array                mask,
                   Array                ends,
                   Array                weights,
                   Result               fixedGradient,
                   Result               movingGradient)
{
  cudaspline_joint_samples described = DescribeJoint(place, fixed, moving, mask, ends, weights);
  described.fixed_gradient = fixedGradient->element_count() > 0 ? fixedGradient->untyped_data() : nullptr;
  described.moving_gradient = movingGradient->element_count() > 0 ? movingGradient->untyped_data() : nullptr;
  return Run(cudaspline_differentiate_joint_histogram, place, described, options.threads);
}

template <int VCount, typename TBinding>
auto
WithArrays(TBinding && binding)
{
  if constexpr (VCount == 1)
  {
    return std::forward<TBinding>(binding).template Arg<Array>();
  }
  else
  {
    return WithArrays<VCount - 1>(std::forward<TBinding>(binding).template Arg<Array>());
  }
}

template <int VCount, typename TBinding>
auto
WithResults(TBinding && binding)
{
  if constexpr (VCount == 1)
  {
    return std::forward<TBinding>(binding).template Ret<Array>();
  }
  else
  {
    return WithResults<VCount - 1>(std::forward<TBinding>(binding).template Ret<Array>());
  }
}

/** Returns the signature by which XLA calls an operation: platform, attributes, arrays, and results. */
template <typename TPlace, typename TOptions, int VArrays, int VResults>
auto
Bind()
{
  return WithResults<VResults>(WithArrays<VArrays>(ffi::Ffi::Bind().Ctx<TPlace>().template Attrs<TOptions>()));
}

} // namespace

// The names are those in python/cudaspline/jax/_ffi.py.
#define CUDASPLINE_JAX_HANDLER(name, operation, options, arrays, results)                                              \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(cudaspline_jax_##name##_cpu, operation, (Bind<OnHost, options, arrays, results>()));   \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(cudaspline_jax_##name##_cuda, operation, (Bind<OnDevice, options, arrays, results>()))
CUDASPLINE_JAX_HANDLER(evaluate, Evaluate, PointOptions, 2, 1);
CUDASPLINE_JAX_HANDLER(contract, Contract, PointOptions, 3, 1);
CUDASPLINE_JAX_HANDLER(scatter, Scatter, PointOptions, 2, 1);
CUDASPLINE_JAX_HANDLER(filter, Filter, FilterOptions, 1, 1);
CUDASPLINE_JAX_HANDLER(correlate, Correlate, CorrelationOptions, 3, 3);
CUDASPLINE_JAX_HANDLER(joint_histogram, MakeJoint, JointOptions, 4, 1);
CUDASPLINE_JAX_HANDLER(joint_gradients, DifferentiateJoint, JointOptions, 5, 2);
