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
#ifndef MetricCuda_h
#define MetricCuda_h

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"

#include "kernels/common/HostCopies.h"
#include "kernels/metrics/samples/MetricArguments.h"
#include "kernels/metrics/samples/MetricMovingValues.h"
#include "kernels/transforms/StagesCuda.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

/** \file
 * \brief Common functions of the device passes of a metric. */

namespace itk::CudaSpline
{

/** \brief Arrays that a pass reads on a device in addition to its sources: the stages of a chain, and the table of
 * bins. Owns their memory. */
class MetricUploads
{
public:
  /** Enqueues their copies. If passes share values, the stages of the first pass are kept for the next one.
   *
   * \param[in] descriptor the metric
   * \param[in] withStages whether the stages are read from memory, and are not only in the arguments
   * \param[in] stream the stream
   * \param[in,out] arguments stages and table are set
   * \param[in] context context whose threads copy
   * \param[in,out] shared values that this pass stores or reads; null: neither */
  template <unsigned int VDimension>
  MetricUploads(const MetricDescriptor &      descriptor,
                bool                          withStages,
                const Stream &                stream,
                MetricArguments<VDimension> & arguments,
                const ExecutionContext &      context,
                MetricMovingValues *          shared = nullptr)
    : m_Uploader(CopyThreadsOf(context))
    , m_Table(BytesOfTable(descriptor), stream)
  {
    if (withStages)
    {
      const bool isFirst = descriptor.gradient == MetricGradient::None;
      if (shared != nullptr && !isFirst)
      {
        m_Stages = std::exchange(shared->stages, nullptr);
      }
      const bool isThere = m_Stages != nullptr;
      if (!isThere)
      {
        const auto memory = std::make_shared<DeviceBuffer>(descriptor.chain.Bytes(VDimension), stream);
        m_Stages = std::shared_ptr<void>(memory, memory->Data());
      }
      if (shared != nullptr && isFirst)
      {
        shared->stages = m_Stages;
      }
      const auto stages = UploadStages(
        descriptor.chain, static_cast<char *>(m_Stages.get()), m_Uploader, stream, arguments.moving, isThere);
      arguments.Lead(stages[0]);
    }
    if (m_Table.Data() != nullptr)
    {
      m_Uploader.Copy(m_Table.Data(), arguments.table, m_Table.Bytes(), stream);
      arguments.table = static_cast<const double *>(m_Table.Data());
    }
  }

private:
  static std::size_t
  BytesOfTable(const MetricDescriptor & descriptor)
  {
    const auto * const pass = std::get_if<InformationPass>(&descriptor.pass);
    return pass != nullptr && pass->table != nullptr
             ? static_cast<std::size_t>(pass->bins.bins * pass->bins.bins) * sizeof(double)
             : 0;
  }

  Uploader              m_Uploader;
  std::shared_ptr<void> m_Stages;
  DeviceBuffer          m_Table;
};

/** \brief Device memory for the moving values that a pass stores; null if it stores none. */
inline std::shared_ptr<MetricMovingValues>
LeaveMovingValues(const MetricDescriptor & descriptor,
                  const ExecutionContext & context,
                  std::int64_t             samples,
                  const MetricWorkspace *  workspace,
                  const Stream &           stream)
{
  return MakeMovingValues(descriptor, context, samples, workspace, [&stream](std::size_t bytes) {
    const auto memory = std::make_shared<DeviceBuffer>(bytes, stream);
    return std::shared_ptr<void>(memory, memory->Data());
  });
}

/** \brief The values that a pass reads; null: none. */
inline MetricMovingValues *
SharedValues(const MetricDescriptor & descriptor, const MetricWorkspace * workspace)
{
  return descriptor.sharesValues && descriptor.gradient != MetricGradient::None ? workspace->values.get() : nullptr;
}

/** \brief Memory in which a pass stores moving values, or from which it reads them; null: neither. */
inline void *
KeptMemory(const MetricDescriptor &                    descriptor,
           const std::shared_ptr<MetricMovingValues> & left,
           const MetricWorkspace *                     workspace)
{
  if (left != nullptr)
  {
    return left->memory.get();
  }
  return descriptor.sharesValues ? workspace->values->memory.get() : nullptr;
}

/** \brief Results computed from a histogram on a device in addition to its table. */
struct InformationNumbers
{
  double value; ///< the negative information
  double count; ///< number of samples
};

/** \brief Threads and warps of a block. */
///@{
inline constexpr unsigned int MetricThreads = 128;
inline constexpr unsigned int MetricWarps = MetricThreads / 32;
///@}

/** \brief Maximum number of blocks of a kernel: enough to fill a large device, few enough to sum. */
inline constexpr std::int64_t MaxMetricBlocks = 4096;

/** \brief Enqueues the sums over blocks, with a fixed tree.
 *
 * \param[in] partial a row of \p blocks for each number, in device memory
 * \param[in] blocks number of blocks
 * \param[in] numbers number of sums
 * \param[out] total the sums, in device memory
 * \param[in] stream the stream
 * \param[in] made earlier results that are copied after the sums, for a single download; null: none */
void
LaunchMetricTotal(const double *             partial,
                  std::int64_t               blocks,
                  unsigned int               numbers,
                  double *                   total,
                  const Stream &             stream,
                  const InformationNumbers * made = nullptr);

/** \brief EvaluateMetric() on a device, with samples in the order of the cells of a B-spline stage: for derivatives
 * with respect to its coefficients and, with a workspace that keeps the order, also for values and histograms. */
MetricResult
EvaluateSplineMetricOnCuda(const MetricDescriptor & descriptor,
                           const MetricSources &    sources,
                           const ExecutionContext & context,
                           MetricWorkspace *        workspace);

/** \brief EvaluateMetric() on a device with derivatives with respect to the displacements of a stage. */
MetricResult
EvaluateFieldMetricOnCuda(const MetricDescriptor & descriptor,
                          const MetricSources &    sources,
                          const ExecutionContext & context,
                          const MetricWorkspace *  workspace);

} // namespace itk::CudaSpline

#endif
