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
#ifndef itkCudaSpline_kernels_evaluation_SamplePoints_h
#define itkCudaSpline_kernels_evaluation_SamplePoints_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/evaluation/Interpolation.h"
#include "itkCudaSpline/math/StoredType.h"
#include "itkCudaSpline/math/TensorProduct.h"

#include <array>
#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Values and derivatives of a source at a list of points.
 *
 * D is the dimension of the source. All arrays are in host memory, or all are in memory of the context's device. */
struct PointsDescriptor : InterpolationDescriptor
{
  /** A matrix by row and column; its leading D rows and columns are used. */
  using Matrix = std::array<std::array<double, 3>, 3>;

  std::int64_t count{ 0 };                       ///< number of points
  const void * points{ nullptr };                ///< D coordinates per point, x first, one point after the other
  ScalarType   pointType{ ScalarType::Float64 }; ///< type of the coordinates: Float32 or Float64
  /** Points are physical (mm), else continuous indices. */
  bool                  physical{ false };
  std::array<double, 3> origin{ { 0, 0, 0 } }; ///< point of index 0 (mm), for physical points
  /** Indices per mm, by row and column: itk::ImageBase's matrix, for physical points. */
  Matrix pointToIndex{ { { { 1, 0, 0 } }, { { 0, 1, 0 } }, { { 0, 0, 1 } } } };

  Derivatives derivatives{ Derivatives::None }; ///< the derivatives to evaluate, for methods with a basis (HasBasis())
  /** The matrix M, by row and column, that multiplies derivatives per sample: the gradient is M g, the Hessian M H M^T.
   * The identity gives derivatives per sample. */
  Matrix gradientMap{ { { { 1, 0, 0 } }, { { 0, 1, 0 } }, { { 0, 0, 1 } } } };

  /** Type of the values; with derivatives Float32 or Float64, also their type. */
  StoredType     output{ ScalarType::Float64 };
  void *         values{ nullptr };    ///< count numbers; may be null
  void *         gradients{ nullptr }; ///< D per point, x first; for First and Second
  void *         hessians{ nullptr };  ///< D (D + 1) / 2 per point, ordered as SymmetricEntry(); for Second
  std::uint8_t * inside{ nullptr };    ///< 1 where a point is inside, else 0; may be null
  std::uint64_t  defaultPixel{ 0 };    ///< bits of the value outside, in the low bytes; derivatives are 0 there

  bool onDevice{ false }; ///< all arrays are in memory of the context's device
  /** For arrays on a device: the cudaStream_t in which they are read and written. Null: the default stream, whose work
   * SamplePoints() waits for. */
  void * stream{ nullptr };
};

/** \brief Evaluates a source at points.
 *
 * \param[in] descriptor points, options and results
 * \param[in] source samples or coefficients; made by the backend (and device) of the context
 * \param[in] context backend, device, threads, progress
 *
 * The call waits for the results. With arrays on a device and a stream it enqueues the work in that stream; the
 * destructor of the source then waits for that work.
 *
 * \exception std::invalid_argument an unsupported dimension or order, a source of another backend, derivatives of an
 * interpolation without derivatives, arrays on a device for the Cpu backend, or null pointers
 * \exception DeviceError a device that is out of memory or lost; results are then undefined
 * \exception OperationAborted the progress callback stopped it
 *
 * \par Accuracy
 * see EvaluateOnGrid(); the indices of physical points are bitwise equal to ITK's */
void
SamplePoints(const PointsDescriptor & descriptor, const SampleSource & source, const ExecutionContext & context);

/** \brief Plans the memory of SamplePoints() with host arrays on a device: \c slabLines points at a time, in two
 * buffers of \c slabBytes.
 *
 * \param[in] source the source, which already exists
 * \param[in] points points and options
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory()) */
MemoryPlan
PlanPoints(const SourceDescriptor & source, const PointsDescriptor & points, std::size_t budget);

/** \brief Work of SamplePoints() with host arrays.
 *
 * \param[in] source the source
 * \param[in] points points and options; its arrays are not read */
OperationWork
CountPointsWork(const SourceDescriptor & source, const PointsDescriptor & points);

/** @} */
} // namespace itk::CudaSpline

#endif
