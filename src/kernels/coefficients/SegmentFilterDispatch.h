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
#ifndef SegmentFilterDispatch_h
#define SegmentFilterDispatch_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/math/SegmentFilter.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"

namespace itk::CudaSpline
{

/** \brief Calls \p run with the segment filter of a descriptor. It is not called if the descriptor has none (orders 0
 * and 1, and pixels that are coefficients).
 *
 * \tparam TReal type of the elements
 * \tparam VReaches reaches of FIR taps that have their own filter with a reach known at compile time
 * \exception std::invalid_argument the order or the number of taps is invalid */
template <typename TReal, int... VReaches, typename TRun>
void
DispatchSegmentFilter(const SourceDescriptor & descriptor, const TRun & run)
{
  if (!descriptor.NeedsFilter())
  {
    return;
  }
  DispatchSplineOrder(descriptor.order, [&](auto constantOrder) {
    constexpr unsigned int order = decltype(constantOrder)::value;
    if constexpr (SplinePoles<order>::Count > 0)
    {
      switch (descriptor.method.kind)
      {
        case PrefilterMethod::Kind::Exact:
          run(RecursiveSegment<order, TReal, RecursionWarmUp<order, TReal>::Samples>());
          break;
        case PrefilterMethod::Kind::ItkHorizon:
          run(RecursiveSegment<order, TReal, ItkHorizon<order>::Samples>());
          break;
        default: {
          const HalfTaps<TReal> taps = MakeHalfTaps<order, TReal>(descriptor.method.taps);
          // The filter only depends on the order through its taps.
          const bool known = ((taps.reach == VReaches && (run(FirSegment<TReal, VReaches>{ taps }), true)) || ...);
          if (!known)
          {
            run(FirSegment<TReal>{ taps });
          }
        }
      }
    }
  });
}

} // namespace itk::CudaSpline

#endif
