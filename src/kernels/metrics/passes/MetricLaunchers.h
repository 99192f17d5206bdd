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
#ifndef MetricLaunchers_h
#define MetricLaunchers_h

#include "itkCudaSpline/device/Stream.h"

#include "kernels/metrics/mutual_information/HistogramSpace.h"
#include "kernels/metrics/passes/MetricCuda.h"
#include "kernels/metrics/passes/MetricOrder.h"
#include "kernels/metrics/samples/MetricSpline.h"
#include "kernels/metrics/samples/MetricValues.h"

#include <cstddef>
#include <cstdint>

/** \file
 * \brief The device passes of a metric whose kernels take long to compile: instances of the launchers are compiled in
 * separate sources, which src/CudaSplineInstances.cmake lists.
 *
 * Dimensions 2 and 3. Values are PlainValues, SplineValues or KeptValues, of float or double. */

namespace itk::CudaSpline
{

/** \brief Sums of values, and histograms, of passes without derivative.
 *
 * \tparam VMove Affine, Field or Any; not Field with SplineValues */
template <SampleMove VMove, typename TValues, unsigned int VDimension>
struct SumsLauncher
{
  /** Sums over all samples. The call waits.
   *
   * \param[in,out] arguments the arguments, in device memory; their stride is set
   * \param[in] stream the stream
   * \exception DeviceError a device that is out of memory or lost */
  static MetricResult
  Sum(MetricArguments<VDimension> & arguments, const Stream & stream);

  /** Enqueues the histogram of all samples.
   *
   * \param[in,out] arguments the arguments, in device memory; their stride is set
   * \param[in] space destination, in device memory; zeros
   * \param[in] blocks number of blocks, with space.samples each
   * \param[in] shared dynamic shared memory of a block (bytes)
   * \param[in] stream the stream
   * \exception DeviceError the kernel cannot be launched */
  static void
  EnqueueHistogram(MetricArguments<VDimension> & arguments,
                   const HistogramSpace &        space,
                   unsigned int                  blocks,
                   std::size_t                   shared,
                   const Stream &                stream);
};

/** \brief Sums of values, and the moments of derivatives with respect to a linear stage.
 *
 * \tparam VSets sets of moments, 1 or 2
 * \tparam VMove Affine or AnyWithJacobian */
template <unsigned int VSets, SampleMove VMove, typename TValues, unsigned int VDimension>
struct MomentsLauncher
{
  /** Sums over all samples. The call waits.
   *
   * \param[in,out] arguments the arguments, in device memory; their stride is set
   * \param[in] stream the stream
   * \param[in] made count and value of the result, on the device; null: these are also summed
   * \exception DeviceError a device that is out of memory or lost */
  static MetricResult
  Sum(MetricArguments<VDimension> & arguments, const Stream & stream, const InformationNumbers * made);
};

/** \brief Sums of values, and the force of each sample on its own displacement.
 *
 * \tparam VMove Field or AnyWithJacobian; not Field with SplineValues */
template <SampleMove VMove, typename TValues, unsigned int VDimension>
struct ForcesLauncher
{
  /** Enqueues the kernel.
   *
   * \param[in] arguments the arguments, in device memory, with their stride
   * \param[in] parameters the stage of displacements
   * \param[in] blocks number of blocks
   * \param[out] partial sums of values for each block, see StoreBlockSums(), in device memory
   * \param[out] forces VDimension numbers per sample, in device memory
   * \param[in] stream the stream
   * \exception DeviceError the kernel cannot be launched */
  static void
  Enqueue(const MetricArguments<VDimension> &  arguments,
          const SplineParameters<VDimension> & parameters,
          std::int64_t                         blocks,
          double *                             partial,
          double *                             forces,
          const Stream &                       stream);
};

/** \brief Arguments of a pass over the samples in the order of the cells of a B-spline's grid, in device memory. */
template <unsigned int VDimension>
struct CellPass
{
  MetricArguments<VDimension>  arguments;
  SplineParameters<VDimension> parameters;
  SplineOrder                  order;
};

/** \brief Sums of values, or a histogram, in the order of the cells. Not for KeptValues. */
template <typename TValues, unsigned int VDimension>
struct CellsLauncher
{
  /** Sums over all samples. The call waits.
   *
   * \exception DeviceError a device that is out of memory or lost */
  static MetricResult
  Sum(const CellPass<VDimension> & pass, const Stream & stream);
};

/** \brief Sums of values, and the sums of each chunk's forces for the nodes of its cell.
 *
 * \tparam VHasOuterJacobian gradients are multiplied with the Jacobians of the stages after the spline */
template <bool VHasOuterJacobian, typename TValues, unsigned int VDimension>
struct ScatterLauncher
{
  /** Enqueues the kernel.
   *
   * \param[in] pass the arguments
   * \param[in] sets sets of weights, 1 or 2
   * \param[in] blocks MaxChunks() of the samples
   * \param[out] partial CellShape::Numbers for each block and set, in device memory
   * \param[out] values counts and values for each block, see StoreBlockSums(), in device memory
   * \param[in] stream the stream
   * \exception DeviceError the kernel cannot be launched */
  static void
  Enqueue(const CellPass<VDimension> & pass,
          unsigned int                 sets,
          std::int64_t                 blocks,
          double *                     partial,
          double *                     values,
          const Stream &               stream);
};

} // namespace itk::CudaSpline

#endif
