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
#ifndef ArrayRun_h
#define ArrayRun_h

#include "itkCudaSpline/kernels/arrays/ArrayInterpolation.h"
#include "itkCudaSpline/kernels/coefficients/SampleSource.h"

#include "kernels/arrays/ArrayAxes.h"
#include "kernels/arrays/ArrayEvaluation.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

/** \file
 * \brief The steps of InterpolateArray() and FilterArray(), which a backend takes: TBackend has
 *
 * * Buffer<T>, which owns memory and has Data(), and Allocate<T>(count) that makes it;
 * * Copy(ArrayCopy, StridedArray, TReal *) of a box of that array, Store(const TReal *, ArrayShape, ScalarType, void
 * *);
 * * Filter(SourceDescriptor, axis, ArrayElements &, TReal * target): along an axis, or all (MaximumDimension), of
 * elements that follow each other, and may be overwritten where they are the backend's own. Into the target where there
 * is one and it takes no further pass;
 * * Fill(ArrayAxis, ArrayAxisTable), Sum(ArrayPass), Evaluate(ArrayCells), Evaluate<TReal>(ArrayArguments);
 * * EvaluateAllAxes<TReal>(ArrayArguments) of a map by axis: false if it is done axis by axis;
 * * convertsInFilter: it filters elements of any type. */

namespace itk::CudaSpline
{

/** \brief The operations of a device, or of the host; arguments checked. */
void
InterpolateArrayOnCpu(const ArrayInterpolation & interpolation, const ExecutionContext & context);
void
InterpolateArrayOnCuda(const ArrayInterpolation & interpolation, const ExecutionContext & context);
void
FilterArrayOnCpu(const ArrayFilter & filter, const ExecutionContext & context);
void
FilterArrayOnCuda(const ArrayFilter & filter, const ExecutionContext & context);

inline ArrayShape
ShapeOf(const StridedArray & array)
{
  ArrayShape shape{};
  shape.dimension = array.dimension;
  for (unsigned int d = 0; d < array.dimension; ++d)
  {
    shape.size[d] = array.size[d];
    shape.stride[d] = array.stride[d];
  }
  return shape;
}

/** \brief Numbers in the memory of a backend: its own, or where the caller has them. */
template <typename TBackend, typename TReal>
struct ArrayElements
{
  typename TBackend::template Buffer<TReal> owned;
  StridedArray                              view; ///< its data are those of \c owned, where these are not null
};

/** \brief The contiguous copy of a box of an array, which may reach beyond the array's ends.
 *
 * \param[in] first of the box, by axis, from the array's first element
 * \param[in] size of the box
 * \param[in] isConstant a border value is used beyond the ends, else the array continues with its ends */
template <typename TReal, typename TBackend>
ArrayElements<TBackend, TReal>
CopyBox(TBackend &                    backend,
        const StridedArray &          array,
        const StridedArray::Numbers & first,
        const StridedArray::Numbers & size,
        bool                          isConstant,
        double                        border)
{
  ArrayElements<TBackend, TReal> elements;
  elements.view = array;
  elements.view.type = ScalarTypeOf<TReal>();
  elements.view.size = size;
  elements.view.SetContiguous();
  elements.owned = backend.template Allocate<TReal>(elements.view.Count());
  elements.view.data = elements.owned.Data();
  ArrayCopy copy{};
  copy.source = array.data;
  copy.type = array.type;
  copy.input = ShapeOf(array);
  copy.output = ShapeOf(elements.view);
  std::copy(first.begin(), first.end(), copy.first);
  copy.isConstant = isConstant;
  copy.border = border;
  backend.Copy(copy, array, elements.owned.Data());
  return elements;
}

/** \brief The contiguous copy of an array, padded along axes.
 *
 * \param[in] padding samples on either side, by axis */
template <typename TReal, typename TBackend>
ArrayElements<TBackend, TReal>
CopyArray(TBackend &                    backend,
          const StridedArray &          array,
          const StridedArray::Numbers & padding,
          bool                          isConstant,
          double                        border)
{
  StridedArray::Numbers first{};
  StridedArray::Numbers size = array.size;
  for (unsigned int d = 0; d < array.dimension; ++d)
  {
    first[d] = -padding[d];
    size[d] += 2 * padding[d];
  }
  return CopyBox<TReal>(backend, array, first, size, isConstant, border);
}

/** \brief Filters elements along some of their axes; they are real numbers and follow each other then.
 *
 * \param[in,out] elements contiguous
 * \param[in] target memory for the result, which may go elsewhere still; may be null */
template <typename TReal, typename TBackend>
void
FilterElements(TBackend &                                      backend,
               ArrayElements<TBackend, TReal> &                elements,
               const std::array<bool, MaximumArrayDimension> & isFiltered,
               unsigned int                                    order,
               Extension                                       extension,
               TReal *                                         target = nullptr)
{
  const StridedArray & view = elements.view;
  SourceDescriptor     descriptor;
  descriptor.element = ScalarTypeOf<TReal>();
  descriptor.order = order;
  descriptor.extension.fill(extension);
  bool         isWhole = view.dimension <= MaximumDimension;
  unsigned int passes = 0;
  for (unsigned int d = 0; d < view.dimension; ++d)
  {
    isWhole = isWhole && (isFiltered[d] || view.size[d] == 1);
    passes += isFiltered[d] && view.size[d] > 1 ? 1 : 0;
  }
  if (passes > 0 && isWhole)
  {
    descriptor.pixel = view.type;
    descriptor.dimension = view.dimension;
    for (unsigned int d = 0; d < view.dimension; ++d)
    {
      descriptor.size[d] = view.size[view.dimension - 1 - d];
    }
    backend.Filter(descriptor, MaximumDimension, elements, target);
  }
  descriptor.dimension = 3;
  for (unsigned int axis = 0; axis < view.dimension && !isWhole; ++axis)
  {
    if (!isFiltered[axis] || view.size[axis] == 1)
    {
      continue;
    }
    descriptor.pixel = view.type;
    descriptor.size = { 1, view.size[axis], 1, 1 };
    for (unsigned int d = 0; d < view.dimension; ++d)
    {
      descriptor.size[d < axis ? 2 : 0] *= d == axis ? 1 : view.size[d];
    }
    backend.Filter(descriptor, 1, elements, passes == 1 ? target : nullptr);
  }
  if (view.type != descriptor.element)
  {
    elements = CopyArray<TReal>(backend, view, {}, false, 0.0);
  }
}

/** \brief True where a filter can read elements where they are. */
template <typename TReal, typename TBackend>
bool
CanBeFiltered(const StridedArray & array)
{
  constexpr std::uintptr_t widest = 16; // bytes that are copied at a time
  return array.IsContiguous() && (TBackend::convertsInFilter || array.type == ScalarTypeOf<TReal>()) &&
         reinterpret_cast<std::uintptr_t>(array.data) % widest == 0;
}

/** \brief Allocations of a table of an axis. */
template <typename TBackend, typename TReal>
struct ArrayTableMemory
{
  typename TBackend::template Buffer<std::int32_t> index;
  typename TBackend::template Buffer<TReal>        weight;
  typename TBackend::template Buffer<bool>         outside;
};

/** \brief Interpolates by the maps of the axes. */
template <typename TReal, typename TBackend>
void
InterpolateAxes(TBackend &                       backend,
                const ArrayInterpolation &       interpolation,
                ArrayElements<TBackend, TReal> & elements,
                double                           padding)
{
  const unsigned int   dimension = interpolation.output.dimension;
  const unsigned int   taps = interpolation.order + 1;
  const StridedArray & output = interpolation.output;
  // Linear interpolation is bound by memory: one pass over it for all axes. Splines are not.
  const unsigned int together = taps <= 2 ? std::min(dimension, 3U) : 1;

  // The axes of a batch stay as they are, and have not been filtered.
  const auto orderOf = [&](unsigned int d) { return interpolation.isBatch[d] ? 0U : interpolation.order; };

  std::vector<ArrayTableMemory<TBackend, TReal>> memory(dimension);
  ArrayCells<TReal>                              cells{};
  for (unsigned int d = 0; d < dimension; ++d)
  {
    const std::int64_t count = output.size[d];
    memory[d].index = backend.template Allocate<std::int32_t>(count * taps);
    memory[d].weight = backend.template Allocate<TReal>(count * taps);
    memory[d].outside = backend.template Allocate<bool>(count);
    cells.table[d] = { memory[d].index.Data(), memory[d].weight.Data(), memory[d].outside.Data(), count };
    ArrayAxis axis{};
    axis.size = elements.view.size[d];
    axis.count = count;
    axis.scale = interpolation.scale[d];
    axis.shift = interpolation.shift[d];
    axis.isPixel = interpolation.map == ArrayMap::PixelScale;
    axis.padding = interpolation.isBatch[d] ? 0.0 : padding;
    axis.mode = interpolation.mode;
    axis.order = orderOf(d);
    backend.Fill(axis, cells.table[d]);
  }
  for (unsigned int axis = 0; axis + together < dimension; ++axis)
  {
    if (interpolation.isBatch[axis])
    {
      continue;
    }
    ArrayElements<TBackend, TReal> next;
    next.view = elements.view;
    next.view.size[axis] = output.size[axis];
    next.view.SetContiguous();
    next.owned = backend.template Allocate<TReal>(next.view.Count());
    next.view.data = next.owned.Data();
    ArrayPass<TReal> pass{};
    pass.source = static_cast<const TReal *>(elements.view.data);
    pass.output = next.owned.Data();
    pass.table = cells.table[axis];
    pass.taps = taps;
    pass.inner = elements.view.stride[axis];
    pass.length = elements.view.size[axis];
    pass.outer = next.view.Count() / (next.view.size[axis] * pass.inner);
    pass.border = static_cast<TReal>(interpolation.border);
    backend.Sum(pass);
    elements = std::move(next);
  }
  cells.source = static_cast<const TReal *>(elements.view.data);
  cells.dimension = together;
  cells.taps = together == 1 ? orderOf(dimension - 1) + 1 : taps;
  std::copy_n(elements.view.stride.begin(), dimension, cells.stride);
  cells.output = { ShapeOf(output), const_cast<void *>(output.data), output.type, interpolation.border };
  backend.Evaluate(cells);
}

/** \brief Makes one line of the output of a list of coordinates whose elements follow each other: their indices do not
 * matter then, and need no divisions.
 *
 * \param[in,out] arguments of any map */
inline void
JoinLinesOfList(ArrayArguments & arguments)
{
  ArrayShape & shape = arguments.output.shape;
  std::int64_t count = 1;
  bool         isContiguous = true;
  for (unsigned int d = shape.dimension; d-- > 0; count *= shape.size[d])
  {
    isContiguous = isContiguous && (shape.size[d] == 1 || shape.stride[d] == count);
  }
  if (arguments.map == ArrayMap::Coordinates && isContiguous)
  {
    shape = {};
    shape.dimension = 1;
    shape.size[0] = count;
    shape.stride[0] = 1;
  }
}

/** \brief What the evaluation at coordinates takes.
 *
 * \param[in] interpolation of any map
 * \param[in] view of its elements
 * \param[in] padding samples before the first of the array */
inline ArrayArguments
ArgumentsOf(const ArrayInterpolation & interpolation, const StridedArray & view, double padding)
{
  const StridedArray & output = interpolation.output;
  ArrayArguments       arguments{};
  arguments.source = view.data;
  arguments.order = interpolation.order;
  arguments.mode = interpolation.mode;
  arguments.padding = padding;
  arguments.map = interpolation.map;
  arguments.coordinates = interpolation.coordinates;
  arguments.coordinateType = interpolation.coordinateType;
  for (unsigned int d = interpolation.input.dimension; d-- > 0;)
  {
    if (arguments.map == ArrayMap::Affine && interpolation.isBatch[d])
    {
      arguments.batchStride[d] = view.stride[d];
      continue;
    }
    const unsigned int axis = arguments.dimension++; // x first
    arguments.size[axis] = view.size[d];
    arguments.stride[axis] = view.stride[d];
    arguments.coordinateStride[axis] = d * interpolation.coordinateStride;
    arguments.offset[axis] = interpolation.offset[d];
    arguments.scale[axis] = interpolation.scale[d];
    arguments.shift[axis] = interpolation.shift[d];
    std::copy(interpolation.matrix[d].begin(), interpolation.matrix[d].end(), arguments.matrix[axis]);
  }
  arguments.output = { ShapeOf(output), const_cast<void *>(output.data), output.type, interpolation.border };
  return arguments;
}

/** \brief True where elements can be read where they are. */
template <typename TReal>
bool
CanReadOriginal(const ArrayInterpolation & interpolation, bool goesByAxes)
{
  const StridedArray & input = interpolation.input;
  bool                 isForward = true; // the sign of the offset of a folded tap marks taps outside
  for (unsigned int d = 0; d < input.dimension; ++d)
  {
    isForward = isForward && input.stride[d] >= 0;
  }
  const bool hasRows = input.stride[input.dimension - 1] == 1 || input.size[input.dimension - 1] == 1;
  return input.IsPlain() && input.type == ScalarTypeOf<TReal>() && isForward &&
         (goesByAxes ? input.IsContiguous() : input.dimension != 3 || hasRows);
}

/** \brief InterpolateArray() for the type of its elements. */
template <typename TReal, typename TBackend>
void
RunInterpolation(TBackend & backend, const ArrayInterpolation & interpolation)
{
  const bool goesByAxes = GoesByAxes(interpolation.map);
  const bool isFiltered = interpolation.prefilter && interpolation.order >= 2;
  const bool isPadded = isFiltered && IsPadded(interpolation.mode);

  ArrayElements<TBackend, TReal> elements;
  elements.view = WithPlainStrides(interpolation.input);
  StridedArray::Numbers                   padded{};
  std::array<bool, MaximumArrayDimension> axes{};
  for (unsigned int d = 0; d < interpolation.input.dimension; ++d)
  {
    axes[d] = !interpolation.isBatch[d];
    padded[d] = isPadded && axes[d] ? ArrayPadding : 0;
  }
  if (isPadded ||
      !(isFiltered ? CanBeFiltered<TReal, TBackend>(elements.view) : CanReadOriginal<TReal>(interpolation, goesByAxes)))
  {
    elements = CopyArray<TReal>(
      backend, interpolation.input, padded, interpolation.mode == ArrayMode::GridConstant, interpolation.padding);
  }
  if (isFiltered)
  {
    FilterElements(backend, elements, axes, interpolation.order, FilterExtensionOf(interpolation.mode));
  }
  const double         padding = isPadded ? static_cast<double>(ArrayPadding) : 0.0;
  const ArrayArguments arguments = ArgumentsOf(interpolation, elements.view, padding);
  if (!goesByAxes)
  {
    backend.template Evaluate<TReal>(arguments);
  }
  else if (!backend.template EvaluateAllAxes<TReal>(arguments))
  {
    InterpolateAxes(backend, interpolation, elements, padding);
  }
}

/** \brief FilterArray() for the type of its elements. */
template <typename TReal, typename TBackend>
void
RunFilter(TBackend & backend, const ArrayFilter & filter)
{
  ArrayElements<TBackend, TReal> elements;
  elements.view = WithPlainStrides(filter.input);
  void * const output = const_cast<void *>(filter.output.data);
  const bool   isApart = filter.input.data != output;
  if (!isApart || !CanBeFiltered<TReal, TBackend>(filter.input))
  {
    elements = CopyArray<TReal>(backend, filter.input, {}, false, 0.0);
  }
  const bool    isTarget = filter.output.type == ScalarTypeOf<TReal>() && CanBeFiltered<TReal, TBackend>(filter.output);
  TReal * const target = isTarget ? static_cast<TReal *>(output) : nullptr;
  FilterElements(backend, elements, filter.isFiltered, filter.order, FilterExtensionOf(filter.mode), target);
  if (elements.view.data != output)
  {
    if (!elements.view.IsContiguous())
    {
      elements = CopyArray<TReal>(backend, elements.view, {}, false, 0.0);
    }
    backend.Store(static_cast<const TReal *>(elements.view.data), ShapeOf(filter.output), filter.output.type, output);
  }
}

} // namespace itk::CudaSpline

#endif
