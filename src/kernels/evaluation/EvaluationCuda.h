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
#ifndef EvaluationCuda_h
#define EvaluationCuda_h

#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include "kernels/evaluation/EvaluationLaunchers.h"

namespace itk::CudaSpline
{

/** \brief Enqueues the evaluation of one slab, for any method, on the current device.
 *
 * \param[in] method interpolation
 * \param[in] source the source
 * \param[in] derivatives derivatives to evaluate in addition to the value
 * \param[in] arguments all in device memory
 * \param[in] lines lines of the slab
 * \param[in] stream the stream */
template <unsigned int VDimension>
void
LaunchEvaluation(Interpolation                           method,
                 const SourceDescriptor &                source,
                 Derivatives                             derivatives,
                 const EvaluationArguments<VDimension> & arguments,
                 std::int64_t                            lines,
                 StreamHandle                            stream)
{
  const KernelRequest     request{ method, source.element, source.storage, source.order, derivatives, lines };
  const SharedMemorySizes memory = GetSharedMemorySizes();
  const KernelChoice      choice = ChooseKernel(request, arguments, memory);
  switch (choice.family)
  {
    case KernelFamily::SeparableMarch:
      if constexpr (VDimension == 3)
      {
        LaunchSeparable(request, arguments, stream);
      }
      break;
    case KernelFamily::PlaneMarch:
      if constexpr (VDimension > 1)
      {
        LaunchPlane(request, arguments, stream);
      }
      break;
    case KernelFamily::Boxes:
      if constexpr (VDimension == 3)
      {
        LaunchBoxes(request, arguments, choice.boxes, memory, stream);
      }
      break;
    case KernelFamily::LinearScanlines:
      if constexpr (VDimension == 3)
      {
        LaunchLinearScanlines(arguments, lines, choice.scanlines, stream);
      }
      break;
    case KernelFamily::TextureScanlines:
      if constexpr (VDimension == 3)
      {
        LaunchTextureScanlines(arguments, lines, choice.scanlines, stream);
      }
      break;
    case KernelFamily::Texture:
      LaunchTexture(arguments, lines, stream);
      break;
    case KernelFamily::Packed:
      LaunchPacked(source.storage, derivatives, arguments, lines, stream);
      break;
    case KernelFamily::Samples:
      VisitInterpolation(method, [&](auto type) {
        using Type = decltype(type);
        if constexpr (Type::HasCoefficients)
        {
          const bool isSingle = source.element == ScalarType::Float32;
          DispatchSplineOrder(source.order, [&](auto order) {
            constexpr unsigned int splineOrder = decltype(order)::value;
            isSingle ? SplineLauncher<float, splineOrder, VDimension>::Launch(derivatives, arguments, lines, stream)
                     : SplineLauncher<double, splineOrder, VDimension>::Launch(derivatives, arguments, lines, stream);
          });
        }
        else
        {
          LaunchSamples<Type>(derivatives, arguments, lines, stream);
        }
      });
      break;
  }
}

} // namespace itk::CudaSpline

#endif
