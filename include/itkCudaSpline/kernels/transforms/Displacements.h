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
#ifndef itkCudaSpline_kernels_transforms_Displacements_h
#define itkCudaSpline_kernels_transforms_Displacements_h

#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cstddef>
#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The parameters of a computation of a transform's displacements on a grid: the kernel descriptor. */
struct DisplacementDescriptor
{
  unsigned int dimension{ 3 };                ///< dimension of the grid and of a displacement, 1 to 3
  ScalarType   output{ ScalarType::Float32 }; ///< Float32 or Float64
  std::int64_t samples{ 0 };                  ///< requested samples per scanline
  std::int64_t lines{ 0 };                    ///< requested scanlines, in memory order
  /** First requested sample, relative to the start of the largest possible scanline. */
  std::int64_t lineOffset{ 0 };
  std::int64_t lineLength{ 1 }; ///< samples of the largest possible scanline

  /** \name The transform
   * One of the first two is given, or the third alone. */
  ///@{
  /** Displacements (mm) at both ends of every requested scanline, between which they are linear: lines x (start, end) x
   * dimension, in host memory. The end is one past the last sample. */
  const double * scanlineEnds{ nullptr };
  /** Transforms that a kernel evaluates; its region contains the requested samples, its input is not used. */
  const TransformChain * chain{ nullptr };
  /** Affine maps (HasAffineScanlines()) that give the scanline ends if they are null: those of the whole output, which
   * is the region of the chain. */
  const TransformChain * scanlineChain{ nullptr };
  ///@}
};

/** \brief Computes the displacements of the samples of a grid under a transform.
 *
 * \param[in] descriptor grid and transform
 * \param[out] output host memory, descriptor.samples x descriptor.lines vectors (mm), sample index fastest; the
 * components of a vector, x first, are contiguous
 * \param[in] context backend, device, threads, progress
 * \exception std::invalid_argument an unsupported dimension or output type, or no transform
 * \exception DeviceError a device that is out of memory or lost; the output is then undefined
 * \exception OperationAborted the progress callback stopped it
 *
 * \par Accuracy
 * Between scanline ends bitwise equal to itk::TransformToDisplacementFieldFilter. Through a chain a few units of
 * rounding of the points, because kernels may fuse multiplications and additions */
void
MakeDisplacements(const DisplacementDescriptor & descriptor, void * output, const ExecutionContext & context);

/** \brief Plans the memory of MakeDisplacements() on a device.
 *
 * \param[in] displacements grid and transform
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory()) */
MemoryPlan
PlanDisplacements(const DisplacementDescriptor & displacements, std::size_t budget);

/** \brief Work of MakeDisplacements().
 *
 * \param[in] displacements grid and transform; its arrays are not read */
OperationWork
CountDisplacementWork(const DisplacementDescriptor & displacements);

/** @} */
} // namespace itk::CudaSpline

#endif
