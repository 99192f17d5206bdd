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
#ifndef itkCudaSpline_kernels_evaluation_Interpolation_h
#define itkCudaSpline_kernels_evaluation_Interpolation_h

#include "itkCudaSpline/math/WindowedSinc.h"

#include <array>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief How a value is made from samples. */
enum class Interpolation : unsigned char
{
  Nearest,      ///< ITK's rounding, the pixel's bits move
  Linear,       ///< ITK's rule at the border
  BSpline,      ///< of SourceDescriptor::order, 0 to 5
  CatmullRom,   ///< cubic through the samples, of a given tension
  WindowedSinc, ///< ITK's windows, of a given radius
  LabelGaussian ///< the label of the largest Gaussian weight, its bits move
};

/** \brief Name of an interpolation as in messages. */
constexpr const char *
NameOf(Interpolation interpolation)
{
  switch (interpolation)
  {
    case Interpolation::Nearest:
      return "Nearest";
    case Interpolation::Linear:
      return "Linear";
    case Interpolation::BSpline:
      return "BSpline";
    case Interpolation::CatmullRom:
      return "CatmullRom";
    case Interpolation::WindowedSinc:
      return "WindowedSinc";
    default:
      return "LabelGaussian";
  }
}

/** \brief True where pixels move as they are, and no arithmetic is done with them.
 *
 * \param[in] interpolation the interpolation */
constexpr bool
MovesPixels(Interpolation interpolation)
{
  return interpolation == Interpolation::Nearest || interpolation == Interpolation::LabelGaussian;
}

/** \brief How the value of a B-spline is summed up. */
enum class EvaluationMode : unsigned char
{
  Exact,       ///< every tap by itself, in the precision of the elements
  Texture,     ///< pairs of taps by linearly filtered fetches, within TextureErrorBound(); values only
  TextureTable ///< the same, with weights from a lookup table (SourceDescriptor::tableEntries)
};

/** \brief Name of a mode as in messages. */
constexpr const char *
NameOf(EvaluationMode mode)
{
  return mode == EvaluationMode::Exact ? "Exact" : (mode == EvaluationMode::Texture ? "Texture" : "TextureTable");
}

/** \brief How a value is made, and where: part of the kernel descriptor. All of it is run-time but for the
 * interpolation. */
struct InterpolationDescriptor
{
  Interpolation interpolation{ Interpolation::Linear }; ///< how a value is made
  /** Of BSpline and Linear; all but Exact read a source of CoefficientStorage::Texture. */
  EvaluationMode mode{ EvaluationMode::Exact };
  /** Coordinates are rounded to float where ITK's interpolator has float coordinates. */
  bool singleCoordinates{ false };
  /** Lower bounds of continuous indices inside the input buffer, [lower, upper): ITK's half-pixel rule. Indices of
   * magnitudes of 2^62 and more must be outside. */
  std::array<double, 3> lower{ { 0, 0, 0 } };
  /** Upper bounds, which are outside. */
  std::array<double, 3> upper{ { 0, 0, 0 } };
  double                border{ 0.0 };                 ///< what stands outside under Extension::GridConstant
  double                tension{ 0.5 };                ///< of CatmullRom
  SincWindow            window{ SincWindow::Hamming }; ///< of WindowedSinc
  int                   radius{ 3 };                   ///< of WindowedSinc: 1 to MaximumSincRadius (samples)
  /** Standard deviation of LabelGaussian, by axis (samples). */
  std::array<double, 3> sigma{ { 1, 1, 1 } };
  /** Distance beyond which LabelGaussian does not look, by axis (samples). */
  std::array<double, 3> cutOff{ { 1, 1, 1 } };
};

/** @} */
} // namespace itk::CudaSpline

#endif
