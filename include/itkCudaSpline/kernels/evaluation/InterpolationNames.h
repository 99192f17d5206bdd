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
#ifndef itkCudaSpline_kernels_evaluation_InterpolationNames_h
#define itkCudaSpline_kernels_evaluation_InterpolationNames_h

#include "itkCudaSpline/kernels/evaluation/Interpolation.h"

#include <array>
#include <string_view>

/** \file
 * \brief The user names of interpolations: one list for CudaSplineResample with its help and messages, the C interface
 * and the Python package. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A named interpolation: a method, with the parameters that the name implies. */
struct NamedInterpolation
{
  const char *                name;                   ///< in lower case
  Interpolation               interpolation;          ///< the method
  const char *                description{ nullptr }; ///< for the help; null: the name suffices
  std::array<const char *, 2> aliases{};              ///< other names, in lower case; null: no name
  CubicParameters             cubic{};                ///< of CubicConvolution
  SincWindow                  window{};               ///< of WindowedSinc
  /** Interpolates labels: the label with the largest interpolated indicator. */
  bool isOfIndicators{ false };
};

/** \brief All names, in the order of the help: first those for images, then those for labels. */
inline constexpr std::array<NamedInterpolation, 14> NamedInterpolations{ {
  { "nearest", Interpolation::Nearest, "the nearest voxel: for labels", { "nearestneighbor" } },
  { "linear", Interpolation::Linear, "the default" },
  { "bspline", Interpolation::BSpline, "B-spline of --order 0 to 5; 3 is cubic", { "b-spline", "cubic" } },
  { "catmull-rom",
    Interpolation::CubicConvolution,
    "a cubic through the voxels, without a prefilter",
    { "catmullrom", "catmull_rom" },
    CatmullRomParameters },
  { "mitchell",
    Interpolation::CubicConvolution,
    "Mitchell and Netravali's cubic: smooths a little, rings less",
    { "mitchell-netravali", "mitchellnetravali" },
    MitchellNetravaliParameters },
  { "lanczos",
    Interpolation::WindowedSinc,
    "windowed sinc of --radius 1 to 5 voxels",
    { "lanczoswindowedsinc" },
    {},
    SincWindow::Lanczos },
  { "hamming", Interpolation::WindowedSinc, "the same", { "hammingwindowedsinc" }, {}, SincWindow::Hamming },
  { "cosine", Interpolation::WindowedSinc, "the same", { "cosinewindowedsinc" }, {}, SincWindow::Cosine },
  { "welch", Interpolation::WindowedSinc, "the same", { "welchwindowedsinc" }, {}, SincWindow::Welch },
  { "blackman", Interpolation::WindowedSinc, "the same", { "blackmanwindowedsinc" }, {}, SincWindow::Blackman },
  { "label-gaussian",
    Interpolation::LabelGaussian,
    "the label whose Gaussian neighbourhood of --sigma weighs most",
    { "labelgaussian", "multilabel" } },
  { "label-linear",
    Interpolation::Linear,
    "the label whose indicator, interpolated linearly, is largest",
    { "genericlabel", "genericlabel[linear]" },
    {},
    {},
    true },
  { "label-catmull-rom",
    Interpolation::CubicConvolution,
    "the same by catmull-rom",
    {},
    CatmullRomParameters,
    {},
    true },
  { "label-bspline", Interpolation::BSpline, "the same by bspline of --order 0 to 5", {}, {}, {}, true },
} };

/** \brief Finds an interpolation by its name or an alias; null for an unknown name.
 *
 * \param[in] name in lower case */
constexpr const NamedInterpolation *
FindInterpolation(std::string_view name)
{
  for (const NamedInterpolation & named : NamedInterpolations)
  {
    bool isIt = name == named.name;
    for (const char * const alias : named.aliases)
    {
      isIt = isIt || (alias != nullptr && name == alias);
    }
    if (isIt)
    {
      return &named;
    }
  }
  return nullptr;
}

/** @} */
} // namespace itk::CudaSpline

#endif
