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
#ifndef itkCudaSpline_math_SamplingGaussian_h
#define itkCudaSpline_math_SamplingGaussian_h

#include <cmath>
#include <cstdint>

/** \file
 * \brief The Gaussian that smooths an image before coarser sampling. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Maximum step without smoothing, in samples of the input: spacings that differ only by the rounding of a
 * header are not down-sampling. */
inline constexpr double LargestPlainStep = 1.1;

/** \brief Standard deviation of the Gaussian along an axis that turns the point spread of a sample of the input into
 * that of a sample of the output.
 *
 * Both are assumed to be Gaussians with a full width at half maximum of the spacing (Cardoso and others, MICCAI 2015).
 * The variances of successive Gaussians add, and a Gaussian of that width w has the variance w^2 / (8 ln 2).
 *
 * \param[in] step samples of the input per sample of the output
 * \param[in] samples samples of the input along the axis; recursive Gaussians need at least 4
 * \return standard deviation (samples); 0 without smoothing: for steps up to LargestPlainStep, NaN steps, and short
 * axes */
inline double
SamplingSigma(double step, std::int64_t samples)
{
  constexpr double eightLn2 = 5.545177444479562;
  return step > LargestPlainStep && samples >= 4 ? std::sqrt((step * step - 1.0) / eightLn2) : 0.0;
}

/** @} */
} // namespace itk::CudaSpline

#endif
