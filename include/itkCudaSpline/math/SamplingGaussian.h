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
 * \brief The Gaussian by which an image is smoothed before it is sampled more coarsely. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Steps up to which nothing is smoothed, in samples of the input: spacings that differ by roundings of a header
 * do not count as down-sampling. */
inline constexpr double LargestPlainStep = 1.1;

/** \brief Standard deviation of the Gaussian along an axis that makes of the point spread of a sample of the input that
 * of a sample of the output.
 *
 * Both are taken for Gaussians with a full width at half maximum of the spacing (Cardoso and others, MICCAI 2015).
 * Variances of Gaussians that follow each other add up, and a Gaussian of that width w has the variance w^2 / (8 ln 2).
 *
 * \param[in] step samples of the input from a sample of the output to the next
 * \param[in] samples of the input along the axis; recursive Gaussians take 4 at least
 * \return samples; 0 where nothing is smoothed: steps up to LargestPlainStep, steps that are not numbers, short axes */
inline double
SamplingSigma(double step, std::int64_t samples)
{
  constexpr double eightLn2 = 5.545177444479562;
  return step > LargestPlainStep && samples >= 4 ? std::sqrt((step * step - 1.0) / eightLn2) : 0.0;
}

/** @} */
} // namespace itk::CudaSpline

#endif
