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
 * \brief Moving values that one pass of a metric leaves for another. */

namespace itk::CudaSpline
{

/** \brief Bytes of a moving value: a float where values are rounded to float. */
inline std::size_t
BytesOfMovingValue(const MetricDescriptor & descriptor)
{
  return descriptor.singleMoving ? sizeof(float) : sizeof(double);
}

/** \brief Whether a pass that shares values takes its samples in the order of the cells of a grid. */
inline bool
IsByCells(const MetricDescriptor & descriptor, const ExecutionContext & context)
{
  return context.backend == Backend::Cuda && descriptor.GetSpline() != nullptr;
}

/** \brief Moving values by sample, or by place in the order of cells; those of samples that are not valid are not
 * written, and not read: validity is found anew. */
struct MetricMovingValues
{
  Backend               backend{ Backend::Cpu };
  int                   device{ 0 };
  std::int64_t          count{ 0 };
  bool                  isSingle{ false }; ///< floats
  bool                  inOrder{ false };  ///< by place in the order of cells
  std::shared_ptr<void> memory;            ///< \c count values, in the memory of the backend
  std::shared_ptr<void> valid;             ///< \c count bytes, not 0 for valid samples; null: nothing is known
  std::shared_ptr<void> stages;            ///< a device's copy of the chain, which the next pass takes; may be null

  /** \brief Whether a pass can take them. */
  bool
  Fits(const MetricDescriptor & descriptor, const ExecutionContext & context, std::int64_t samples) const
  {
    return backend == context.backend && (backend != Backend::Cuda || device == context.device) && count == samples &&
           isSingle == descriptor.singleMoving && inOrder == IsByCells(descriptor, context);
  }
};

/** \brief Values that a pass is to leave, with memory that \p allocate makes; none where it is to leave none.
 *
 * \param[in] workspace its values are overwritten if they fit and are not shared; null: there is none
 * \param[in] allocate called with the bytes, gives a shared pointer to void */
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
    values->valid = allocate(static_cast<std::size_t>(samples)); // to be cleared
  }
  return values;
}

} // namespace itk::CudaSpline

#endif
