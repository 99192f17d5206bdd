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

#include "itkCudaSpline/math/CatmullRomBasis.h"

#include "kernels/evaluation/EvaluationLaunchers.h"

namespace itk::CudaSpline
{

/** \brief Enqueues the evaluation of a slab of a map that has tiles, see MapTiles.
 *
 * \return false where the map has none: nothing was done */
template <unsigned int VDimension>
bool
LaunchMapTiles(Interpolation                           method,
               const SourceDescriptor &                source,
               const EvaluationArguments<VDimension> & arguments,
               std::int64_t                            lines,
               StreamHandle                            stream)
{
  const bool         isCatmullRom = method == Interpolation::CatmullRom;
  const unsigned int taps = isCatmullRom ? CatmullRomBasis::Taps : source.order + 1;
  if constexpr (VDimension == 3)
  {
    if (arguments.tiles.shape == MapShape::Separable)
    {
      LaunchSeparable(taps, isCatmullRom, arguments, lines, stream);
      return true;
    }
  }
  if constexpr (VDimension > 1)
  {
    if (arguments.tiles.shape == MapShape::InPlane)
    {
      LaunchPlane(taps, isCatmullRom, arguments, lines, stream);
      return true;
    }
  }
  return false;
}

/** \brief Enqueues the evaluation of one slab, by whatever method.
 *
 * \param[in] method interpolation
 * \param[in] source what is evaluated
 * \param[in] derivatives what is evaluated beside the value
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
  if (derivatives == Derivatives::None && LaunchMapTiles(method, source, arguments, lines, stream))
  {
    return;
  }
  if constexpr (VDimension == 3)
  {
    if (LaunchBoxes(method, source, derivatives, arguments, lines, stream))
    {
      return;
    }
  }
  if (arguments.mode != EvaluationMode::Exact)
  {
    LaunchTexture(arguments, lines, stream);
    return;
  }
  if (IsPacked(source.storage))
  {
    LaunchPacked(source.storage, derivatives, arguments, lines, stream);
    return;
  }
  switch (method)
  {
    case Interpolation::Nearest:
    case Interpolation::LabelGaussian:
      LaunchPixels(method, arguments, lines, stream);
      break;
    case Interpolation::Linear:
      LaunchLinear(arguments, lines, stream);
      break;
    case Interpolation::WindowedSinc:
      LaunchSinc(arguments, lines, stream);
      break;
    case Interpolation::CatmullRom:
      LaunchCatmullRom(derivatives, arguments, lines, stream);
      break;
    case Interpolation::BSpline:
      (source.element == ScalarType::Float32
         ? LaunchSplineSingle<VDimension>
         : LaunchSplineDouble<VDimension>)(source.order, derivatives, arguments, lines, stream);
      break;
  }
}

} // namespace itk::CudaSpline

#endif
