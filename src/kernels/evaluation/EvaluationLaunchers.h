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
#ifndef EvaluationLaunchers_h
#define EvaluationLaunchers_h

#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/math/TensorProduct.h"

#include "kernels/evaluation/KernelChoice.h"

/** \file
 * \brief The launches of the evaluating kernels. Each family, and each interpolation type, is compiled in a separate
 * file. Dimensions 1 to 3.
 *
 * \p lines is the number of lines of the slab of \p arguments, in device memory; the launch is enqueued in \p
 * stream. */

namespace itk::CudaSpline
{

/** One thread per sample. */
///@{
/** Any interpolation type except BSplineInterpolation. */
template <typename TType, unsigned int VDimension>
void
LaunchSamples(Derivatives                             derivatives,
              const EvaluationArguments<VDimension> & arguments,
              std::int64_t                            lines,
              StreamHandle                            stream);

template <unsigned int VDimension>
void
LaunchPacked(CoefficientStorage                      storage,
             Derivatives                             derivatives,
             const EvaluationArguments<VDimension> & arguments,
             std::int64_t                            lines,
             StreamHandle                            stream);

/** Linear interpolation and B-splines of orders 1 to 5, with arguments.mode. */
template <unsigned int VDimension>
void
LaunchTexture(const EvaluationArguments<VDimension> & arguments, std::int64_t lines, StreamHandle stream);
///@}

/** One thread per sample, B-splines of an order. Compiled for float and double, orders 0 to 5. */
template <typename TReal, unsigned int VOrder, unsigned int VDimension>
struct SplineLauncher
{
  /** Launches the kernel. */
  static void
  Launch(Derivatives                             derivatives,
         const EvaluationArguments<VDimension> & arguments,
         std::int64_t                            lines,
         StreamHandle                            stream);
};

/** Along scanlines, with a plan. */
///@{
void
LaunchLinearScanlines(const EvaluationArguments<3> & arguments,
                      std::int64_t                   lines,
                      const ScanlinePlan &           plan,
                      StreamHandle                   stream);

void
LaunchTextureScanlines(const EvaluationArguments<3> & arguments,
                       std::int64_t                   lines,
                       const ScanlinePlan &           plan,
                       StreamHandle                   stream);
///@}

/** Values of B-splines and cubic convolution for maps with tiles, see MapTiles; HasTiledKernel(). */
///@{
void
LaunchSeparable(const KernelRequest & request, const EvaluationArguments<3> & arguments, StreamHandle stream);

void
LaunchPlane(const KernelRequest & request, const EvaluationArguments<2> & arguments, StreamHandle stream);

void
LaunchPlane(const KernelRequest & request, const EvaluationArguments<3> & arguments, StreamHandle stream);
///@}

/** Cubic convolution, and B-splines of orders 1 to 5, of floats along scanlines, from tiles in shared memory. The sum
 * is that of the other kernels, in the same order. */
void
LaunchBoxes(const KernelRequest &          request,
            const EvaluationArguments<3> & arguments,
            const TilePlan &               plan,
            const SharedMemorySizes &      memory,
            StreamHandle                   stream);

} // namespace itk::CudaSpline

#endif
