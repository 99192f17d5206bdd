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
#ifndef itkCudaSpline_itk_WindowTraits_h
#define itkCudaSpline_itk_WindowTraits_h

#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/WindowedSinc.h"

#include "itkConstantBoundaryCondition.h"
#include "itkPeriodicBoundaryCondition.h"
#include "itkWindowedSincInterpolateImageFunction.h"
#include "itkZeroFluxNeumannBoundaryCondition.h"

/** \file
 * \brief Maps ITK's windows and boundary conditions to those of the lower layers. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief The kernels' name of a window of ITK. The primary template is for windows that the kernels do not support.
 *
 * \tparam TWindow window function
 * \tparam VRadius radius (samples) */
template <typename TWindow, unsigned int VRadius>
struct WindowTraits
{
  /** True if the kernels support the window. */
  static constexpr bool IsKnown = false;
};

/** \brief A window that the kernels support, up to their largest radius. */
template <CudaSpline::SincWindow VWindow, unsigned int VRadius>
struct KnownWindowTraits
{
  /** True if the kernels support the window. */
  static constexpr bool IsKnown = VRadius >= 1 && VRadius <= CudaSpline::MaximumSincRadius;
  /** The kernels' window. */
  static constexpr CudaSpline::SincWindow Window = VWindow;
};

/** \brief ITK's own windows; those of float are computed in double. */
///@{
template <unsigned int VRadius, typename TReal>
struct WindowTraits<Function::CosineWindowFunction<VRadius, TReal, TReal>, VRadius>
  : KnownWindowTraits<CudaSpline::SincWindow::Cosine, VRadius>
{};
template <unsigned int VRadius, typename TReal>
struct WindowTraits<Function::HammingWindowFunction<VRadius, TReal, TReal>, VRadius>
  : KnownWindowTraits<CudaSpline::SincWindow::Hamming, VRadius>
{};
template <unsigned int VRadius, typename TReal>
struct WindowTraits<Function::WelchWindowFunction<VRadius, TReal, TReal>, VRadius>
  : KnownWindowTraits<CudaSpline::SincWindow::Welch, VRadius>
{};
template <unsigned int VRadius, typename TReal>
struct WindowTraits<Function::LanczosWindowFunction<VRadius, TReal, TReal>, VRadius>
  : KnownWindowTraits<CudaSpline::SincWindow::Lanczos, VRadius>
{};
template <unsigned int VRadius, typename TReal>
struct WindowTraits<Function::BlackmanWindowFunction<VRadius, TReal, TReal>, VRadius>
  : KnownWindowTraits<CudaSpline::SincWindow::Blackman, VRadius>
{};
///@}

/** \brief The extension that corresponds to a boundary condition of ITK. The primary template is for boundary
 * conditions that the kernels do not support.
 *
 * \tparam TBoundary boundary condition
 * \tparam TImage image */
template <typename TBoundary, typename TImage>
struct BoundaryTraits
{
  /** True if the kernels support the boundary condition. */
  static constexpr bool IsKnown = false;
};

/** \brief ITK's clamp. */
template <typename TImage>
struct BoundaryTraits<ZeroFluxNeumannBoundaryCondition<TImage, TImage>, TImage>
{
  /** True if the kernels support the boundary condition. */
  static constexpr bool IsKnown = true;
  /** The kernels' extension. */
  static constexpr CudaSpline::Extension Extension = CudaSpline::Extension::Nearest;
};
/** \brief ITK's periodic boundary condition. */
template <typename TImage>
struct BoundaryTraits<PeriodicBoundaryCondition<TImage, TImage>, TImage>
{
  /** True if the kernels support the boundary condition. */
  static constexpr bool IsKnown = true;
  /** The kernels' extension. */
  static constexpr CudaSpline::Extension Extension = CudaSpline::Extension::GridWrap;
};
/** \brief ITK's constant boundary condition: 0, because the interpolator cannot set another. */
template <typename TImage>
struct BoundaryTraits<ConstantBoundaryCondition<TImage, TImage>, TImage>
{
  /** True if the kernels support the boundary condition. */
  static constexpr bool IsKnown = true;
  /** The kernels' extension. */
  static constexpr CudaSpline::Extension Extension = CudaSpline::Extension::GridConstant;
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
