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
#ifndef MetricMovingValues_h
#define MetricMovingValues_h

#include "itkCudaSpline/kernels/metrics/Metric.h"

#include <cstddef>
#include <cstdint>
#include <memory>

/** \file
 * \brief Moving values that one pass of a metric stores for another. */

namespace itk::CudaSpline
{

/** \brief Bytes of a moving value: those of a float if values are rounded to float. */
inline std::size_t
BytesOfMovingValue(const MetricDescriptor & descriptor)
{
  return descriptor.singleMoving ? sizeof(float) : sizeof(double);
}

/** \brief Whether a pass that shares values visits its samples in the order of the cells of a grid. */
inline bool
IsByCells(const MetricDescriptor & descriptor, const ExecutionContext & context)
{
  return context.backend == Backend::Cuda && descriptor.GetSpline() != nullptr;
}

/** \brief Moving values, in the order of the samples or of the cells. Those of invalid samples are neither written nor
 * read: validity is computed again. */
struct MetricMovingValues
{
  Backend               backend{ Backend::Cpu };
  int                   device{ 0 };
  std::int64_t          count{ 0 };
  bool                  isSingle{ false }; ///< floats
  bool                  inOrder{ false };  ///< in the order of the cells
  std::shared_ptr<void> memory;            ///< \c count values, in the memory of the backend
  std::shared_ptr<void> valid;             ///< \c count bytes, nonzero for valid samples; null: unknown
  std::shared_ptr<void> stages;            ///< a device's copy of the chain, which the next pass reuses; may be null

  /** \brief Whether a pass can use them. */
  bool
  Fits(const MetricDescriptor & descriptor, const ExecutionContext & context, std::int64_t samples) const
  {
    return backend == context.backend && (backend != Backend::Cuda || device == context.device) && count == samples &&
           isSingle == descriptor.singleMoving && inOrder == IsByCells(descriptor, context);
  }
};

/** \brief Creates the values that a pass stores, with memory from \p allocate; null if it stores none.
 *
 * \param[in] workspace its values are overwritten if they fit and are not shared; may be null
 * \param[in] allocate called with the number of bytes, returns a shared pointer to void */
template <typename TAllocate>
std::shared_ptr<MetricMovingValues>
MakeMovingValues(const MetricDescriptor & descriptor,
                 const ExecutionContext & context,
                 std::int64_t             samples,
                 const MetricWorkspace *  workspace,
                 const TAllocate &        allocate)
{
  if (!descriptor.sharesValues || descriptor.gradient != MetricGradient::None)
  {
    return nullptr;
  }
  const auto * const before = workspace != nullptr ? &workspace->values : nullptr;
  if (before != nullptr && before->use_count() == 1 && (*before)->Fits(descriptor, context, samples) &&
      ((*before)->valid != nullptr) == descriptor.marksValid)
  {
    return *before;
  }
  auto values = std::make_shared<MetricMovingValues>();
  values->backend = context.backend;
  values->device = context.device;
  values->count = samples;
  values->isSingle = descriptor.singleMoving;
  values->inOrder = IsByCells(descriptor, context);
  values->memory = allocate(static_cast<std::size_t>(samples) * BytesOfMovingValue(descriptor));
  if (descriptor.marksValid)
  {
    values->valid = allocate(static_cast<std::size_t>(samples)); // must be cleared
  }
  return values;
}

} // namespace itk::CudaSpline

#endif
