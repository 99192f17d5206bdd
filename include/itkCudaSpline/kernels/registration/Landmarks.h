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

/** \brief A point of the fixed image and the same point of the moving image (mm). */
struct Landmark
{
  FieldGrid::Vector fixed{};  ///< in the fixed image
  FieldGrid::Vector moving{}; ///< in the moving image
};

/** \brief Landmarks whose distances are added to the value of a level: weight times the mean of |T(fixed) - moving|^2
 * (mm^2), where T is the whole transform from the fixed image to the moving image.
 *
 * The derivative by parameters and B-spline coefficients is that of the term. If nonlinear transforms follow the one
 * that is found, distances are linear approximations of theirs at the moving point.
 *
 * Displacement fields get a force at each landmark, which is spread by a Gaussian of LandmarkVariance. With a weight of
 * 1 it is as long as the longest force of the images if the points are a sample or more apart, and proportional to the
 * distance if they are closer. */
struct LandmarkTerm
{
  std::vector<Landmark> points;        ///< at most MaxLandmarks
  double                weight{ 0.0 }; ///< 1 / mm^2; 0: the term is not used

  /** Whether there is such a term. */
  bool
  IsUsed() const
  {
    return weight > 0.0 && !points.empty();
  }
};

/** \brief Maximum number of landmarks: the work of forces grows with its square. */
inline constexpr std::size_t MaxLandmarks = 10000;

/** \brief Variance of the Gaussian that spreads forces of landmarks (samples of the level^2). */
inline constexpr double LandmarkVariance = 9.0;

/** @} */
} // namespace itk::CudaSpline

#endif
