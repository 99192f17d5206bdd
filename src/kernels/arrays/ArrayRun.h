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
 * \brief The steps of InterpolateArray() and FilterArray() for any backend. TBackend has the following members:
 *
 * * Buffer<T>, which owns memory and has Data(), and Allocate<T>(count), which creates it;
 * * Copy(ArrayCopy, StridedArray, TReal *), which copies a box of the array, and Store(const TReal *, ArrayShape,
 *   ScalarType, void *);
 * * Filter(SourceDescriptor, axis, ArrayElements &, TReal * target), which filters contiguous elements along an axis or
 *   along all axes (MaximumDimension). The elements may be overwritten if the backend owns them. The result is written
 *   to the target if there is one and if this does not require another pass;
 * * Fill(ArrayAxis, ArrayAxisTable), Sum(ArrayPass), Evaluate(ArrayCells), Evaluate<TReal>(ArrayArguments);
 * * EvaluateAllAxes<TReal>(ArrayArguments) for maps that treat each axis separately; it returns false if the axes have
 *   to be evaluated one by one;
 * * convertsInFilter, which is true if the backend can filter elements of any type. */

namespace itk::CudaSpline
{

/** \brief The operations on the host or on a device. The arguments have been checked. */
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

/** \brief Numbers in the memory of a backend, which are owned or belong to the caller. */
template <typename TBackend, typename TReal>
struct ArrayElements
{
  typename TBackend::template Buffer<TReal> owned;
  StridedArray                              view; ///< its data are those of \c owned if they are not null
};

/** \brief Makes a contiguous copy of a box of an array. The box may reach beyond the ends of the array.
 *
 * \param[in] first begin of the box for each axis, relative to the first element of the array
 * \param[in] size size of the box
 * \param[in] isConstant true if a border value is used beyond the ends, false if the first and last samples are
 * repeated */
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

/** \brief Makes a contiguous copy of an array that is padded along the axes.
 *
 * \param[in] padding number of samples on each side, for each axis */
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

/** \brief Filters elements along some of their axes. Afterwards, they are contiguous real numbers.
 *
 * \param[in,out] elements contiguous elements
 * \param[in] target memory for the result; may be null. The result may be stored elsewhere even if it is not null. */
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

/** \brief True if a filter can read the elements directly. */
template <typename TReal, typename TBackend>
bool
CanBeFiltered(const StridedArray & array)
{
  constexpr std::uintptr_t widest = 16; // number of bytes that are copied at once
  return array.IsContiguous() && (TBackend::convertsInFilter || array.type == ScalarTypeOf<TReal>()) &&
         reinterpret_cast<std::uintptr_t>(array.data) % widest == 0;
}

/** \brief Memory of the table of an axis. */
template <typename TBackend, typename TReal>
struct ArrayTableMemory
{
  typename TBackend::template Buffer<std::int32_t> index;
  typename TBackend::template Buffer<TReal>        weight;
  typename TBackend::template Buffer<bool>         outside;
};

/** \brief Interpolates with maps that treat each axis separately. */
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
  // Linear interpolation is memory-bound, so all axes are evaluated in one pass. This is not the case for splines.
  const unsigned int together = taps <= 2 ? std::min(dimension, 3U) : 1;

  // The axes of a batch have not been filtered and remain unchanged.
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

/** \brief Joins the lines of the output for a list of coordinates if its elements are contiguous. The index along each
 * axis is not needed in this case, which avoids divisions.
 *
 * \param[in,out] arguments arguments with any map */
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

/** \brief Creates the arguments for the evaluation at coordinates.
 *
 * \param[in] interpolation interpolation with any map
 * \param[in] view view of its elements
 * \param[in] padding samples before the first one of the array */
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

/** \brief True if the elements can be read directly. */
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
