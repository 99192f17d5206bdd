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
#include "kernels/evaluation/EvaluationBackends.h"
#include "kernels/evaluation/host/EvaluationCpu.h"

namespace itk::CudaSpline
{

template <unsigned int VDimension>
void
EvaluateOnCpu(Interpolation                           method,
              const SourceDescriptor &                source,
              Derivatives                             derivatives,
              const EvaluationArguments<VDimension> & arguments,
              std::int64_t                            lines,
              const ExecutionContext &                context)
{
  if (arguments.mode != EvaluationMode::Exact)
  {
    EvaluateTextureOnCpu(arguments, lines, context);
    return;
  }
  if (IsPacked(source.storage))
  {
    EvaluatePackedOnCpu(source.storage, derivatives, arguments, lines, context);
    return;
  }
  VisitInterpolation(method, [&](auto type) {
    using Type = decltype(type);
    if constexpr (Type::HasCoefficients)
    {
      const bool isSingle = source.element == ScalarType::Float32;
      (isSingle ? EvaluateSplineSingleOnCpu<VDimension>
                : EvaluateSplineDoubleOnCpu<VDimension>)(source.order, derivatives, arguments, lines, context);
    }
    else
    {
      DispatchMethod<Type>(source.element, derivatives, [&](auto compiled) {
        EvaluateLines<typename decltype(compiled)::Method, decltype(compiled)::derivatives>(arguments, lines, context);
      });
    }
  });
}

template void
EvaluateOnCpu(Interpolation,
              const SourceDescriptor &,
              Derivatives,
              const EvaluationArguments<1> &,
              std::int64_t,
              const ExecutionContext &);
template void
EvaluateOnCpu(Interpolation,
              const SourceDescriptor &,
              Derivatives,
              const EvaluationArguments<2> &,
              std::int64_t,
              const ExecutionContext &);
template void
EvaluateOnCpu(Interpolation,
              const SourceDescriptor &,
              Derivatives,
              const EvaluationArguments<3> &,
              std::int64_t,
              const ExecutionContext &);

} // namespace itk::CudaSpline
