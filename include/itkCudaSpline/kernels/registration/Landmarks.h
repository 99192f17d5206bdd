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
#ifndef itkCudaSpline_kernels_registration_Landmarks_h
#define itkCudaSpline_kernels_registration_Landmarks_h

#include "itkCudaSpline/kernels/fields/Field.h"

#include <cstddef>
#include <vector>

/** \file
 * \brief Corresponding points of two images, as a term of registrations. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A point of the fixed image and the corresponding point of the moving image (mm). */
struct Landmark
{
  FieldGrid::Vector fixed{};  ///< in the fixed image
  FieldGrid::Vector moving{}; ///< in the moving image
};

/** \brief A term of landmarks that is added to the value of a level: the weight times the mean of |T(fixed) - moving|^2
 * (mm^2), where T is the total transform from the fixed image to the moving image.
 *
 * The derivative with respect to parameters and B-spline coefficients is that of the term. If nonlinear transforms
 * follow the optimized one, distances use a linear approximation of these at the moving point.
 *
 * For displacement fields each landmark has a force, which is spread by a Gaussian of LandmarkVariance. With a weight
 * of 1 it is as long as the longest force of the images if the points are a sample or more apart, and proportional to
 * the distance if they are closer. */
struct LandmarkTerm
{
  std::vector<Landmark> points;        ///< at most MaxLandmarks
  double                weight{ 0.0 }; ///< 1 / mm^2; 0: the term is not used

  /** Whether the term is used. */
  bool
  IsUsed() const
  {
    return weight > 0.0 && !points.empty();
  }
};

/** \brief Maximum number of landmarks. The work of the forces grows with its square. */
inline constexpr std::size_t MaxLandmarks = 10000;

/** \brief Variance of the Gaussian that spreads the forces of landmarks (squared samples of the level). */
inline constexpr double LandmarkVariance = 9.0;

/** @} */
} // namespace itk::CudaSpline

#endif
