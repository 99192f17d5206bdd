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

/** \brief Values, and derivatives, of a source at a list of points.
 *
 * D is the dimension of the source. Arrays are in host memory, or all of them in memory of the context's device. */
struct PointsDescriptor : InterpolationDescriptor
{
  /** A matrix by row and column, of which the first D of each count. */
  using Matrix = std::array<std::array<double, 3>, 3>;

  std::int64_t count{ 0 };                       ///< points
  const void * points{ nullptr };                ///< D numbers a point, x first, one point after the other
  ScalarType   pointType{ ScalarType::Float64 }; ///< of those numbers: Float32 or Float64
  /** Points are places in physical space (mm), and not continuous indices. */
  bool                  physical{ false };
  std::array<double, 3> origin{ { 0, 0, 0 } }; ///< place of index 0 (mm), for physical points
  /** Indices a mm, by row and column: itk::ImageBase's matrix, for physical points. */
  Matrix pointToIndex{ { { { 1, 0, 0 } }, { { 0, 1, 0 } }, { { 0, 0, 1 } } } };

  Derivatives derivatives{ Derivatives::None }; ///< what is evaluated; of methods that have a basis (HasBasis())
  /** What derivatives per sample are multiplied with, M, by row and column: the gradient is M g, the Hessian M H M^T.
   * The identity gives those per sample. */
  Matrix gradientMap{ { { { 1, 0, 0 } }, { { 0, 1, 0 } }, { { 0, 0, 1 } } } };

  StoredType     output{ ScalarType::Float64 }; ///< of the values; with derivatives Float32 or Float64, of those too
  void *         values{ nullptr };             ///< count numbers; may be null
  void *         gradients{ nullptr };          ///< D a point, x first; for First and Second
  void *         hessians{ nullptr };           ///< D (D + 1) / 2 a point, as SymmetricEntry(); for Second
  std::uint8_t * inside{ nullptr };             ///< 1 where a point is inside, else 0; may be null
  std::uint64_t  defaultPixel{ 0 }; ///< bits of the value outside, in the low bytes; derivatives are 0 there

  bool onDevice{ false }; ///< arrays are in memory of the context's device
  /** Of arrays on a device: the cudaStream_t in whose order they are read and written. Null: the default stream, for
   * whose end SamplePoints() waits. */
  void * stream{ nullptr };
};

/** \brief Evaluates a source at points.
 *
 * \param[in] descriptor what is done, and where the results go
 * \param[in] source samples or coefficients; made by the same backend (and device) as the context names
 * \param[in] context backend, device, threads, progress
 *
 * Complete when the function returns; with arrays on a device and a stream it is enqueued there, and whoever lets go of
 * the source's last owner meanwhile waits until that has run.
 *
 * \exception std::invalid_argument a dimension or order that is not built, a source of another backend, derivatives of
 *   an interpolation that has none, arrays on a device for the Cpu backend, or null pointers
 * \exception DeviceError a device that is out of memory or lost; results are then undefined
 * \exception OperationAborted the progress callback stopped it
 *
 * \par Accuracy
 * see EvaluateOnGrid(); physical points become the indices that ITK makes of them bit for bit */
void
SamplePoints(const PointsDescriptor & descriptor, const SampleSource & source, const ExecutionContext & context);

/** \brief Plans SamplePoints() of host arrays on a device: \c slabLines points at a time, in two buffers of
 * \c slabBytes.
 *
 * \param[in] source what is evaluated; made before
 * \param[in] points what is done
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory()) */
MemoryPlan
PlanPoints(const SourceDescriptor & source, const PointsDescriptor & points, std::size_t budget);

/** \brief Work of SamplePoints() with host arrays.
 *
 * \param[in] source what is evaluated
 * \param[in] points what is done; what its pointers point to does not matter */
OperationWork
CountPointsWork(const SourceDescriptor & source, const PointsDescriptor & points);

/** @} */
} // namespace itk::CudaSpline

#endif
