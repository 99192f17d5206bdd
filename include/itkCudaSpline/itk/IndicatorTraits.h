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
#ifndef itkCudaSpline_itk_IndicatorTraits_h
#define itkCudaSpline_itk_IndicatorTraits_h

#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaCatmullRomInterpolateImageFunction.h"
#include "itkCudaLinearInterpolateImageFunction.h"
#include "itkCudaNearestNeighborInterpolateImageFunction.h"

/** \file
 * \brief The interpolators with which CudaLabelImageGenericInterpolateImageFunction can interpolate the indicators of
 * labels. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief How the indicator of a label is interpolated. */
enum class IndicatorMethod : unsigned char
{
  Nearest,          ///< the nearest pixel's label wins
  Linear,           ///< linear between neighbours
  CubicConvolution, ///< cubic convolution; with Catmull-Rom weights a tension is supported
  BSpline           ///< B-spline of a given order
};

/** \brief Describes an interpolator for the interpolation of indicators. The default is an unsupported interpolator.
 *
 * \tparam TInterpolator class of the interpolator */
template <typename TInterpolator>
struct IndicatorTraits
{
  /** True if the interpolator is supported. */
  static constexpr bool IsKnown = false;
  /** How indicators are interpolated. */
  static constexpr IndicatorMethod Method = IndicatorMethod::Nearest;
  /** Type of B-spline coefficients. */
  using CoefficientType = double;
  /** B and C of cubic convolution. */
  static constexpr CudaSpline::CubicParameters Parameters{};
};

/** \brief A supported interpolator. */
template <IndicatorMethod VMethod, typename TCoefficient = double>
struct KnownIndicatorTraits
{
  /** True if the interpolator is supported. */
  static constexpr bool IsKnown = true;
  /** How indicators are interpolated. */
  static constexpr IndicatorMethod Method = VMethod;
  /** Type of B-spline coefficients. */
  using CoefficientType = TCoefficient;
  /** Default B and C of cubic convolution. */
  static constexpr CudaSpline::CubicParameters Parameters = CudaSpline::CatmullRomParameters;
};

/** \brief ITK's interpolators and the module's. */
///@{
template <typename TImage, typename TCoordRep>
struct IndicatorTraits<NearestNeighborInterpolateImageFunction<TImage, TCoordRep>>
  : KnownIndicatorTraits<IndicatorMethod::Nearest>
{};
template <typename TImage, typename TCoordRep>
struct IndicatorTraits<CudaNearestNeighborInterpolateImageFunction<TImage, TCoordRep>>
  : KnownIndicatorTraits<IndicatorMethod::Nearest>
{};
template <typename TImage, typename TCoordRep>
struct IndicatorTraits<LinearInterpolateImageFunction<TImage, TCoordRep>>
  : KnownIndicatorTraits<IndicatorMethod::Linear>
{};
template <typename TImage, typename TCoordRep>
struct IndicatorTraits<CudaLinearInterpolateImageFunction<TImage, TCoordRep>>
  : KnownIndicatorTraits<IndicatorMethod::Linear>
{};
template <typename TImage, typename TCoordRep>
struct IndicatorTraits<CudaCatmullRomInterpolateImageFunction<TImage, TCoordRep>>
  : KnownIndicatorTraits<IndicatorMethod::CubicConvolution>
{};
template <typename TImage, typename TCoordRep, typename TCoefficient>
struct IndicatorTraits<BSplineInterpolateImageFunction<TImage, TCoordRep, TCoefficient>>
  : KnownIndicatorTraits<IndicatorMethod::BSpline, TCoefficient>
{};
template <typename TImage, typename TCoordRep, typename TCoefficient>
struct IndicatorTraits<CudaBSplineInterpolateImageFunction<TImage, TCoordRep, TCoefficient>>
  : KnownIndicatorTraits<IndicatorMethod::BSpline, TCoefficient>
{};
///@}

/** \brief Cubic convolution, with the default of Mitchell-Netravali. */
template <typename TImage, typename TCoordRep>
struct IndicatorTraits<CudaCubicConvolutionInterpolateImageFunction<TImage, TCoordRep>>
  : KnownIndicatorTraits<IndicatorMethod::CubicConvolution>
{
  /** Default B and C. */
  static constexpr CudaSpline::CubicParameters Parameters = CudaSpline::MitchellNetravaliParameters;
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
