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
#ifndef itkCudaSpline_kernels_registration_Regularizers_h
#define itkCudaSpline_kernels_registration_Regularizers_h

/** \file
 * \brief Weights of the energies that keep transforms smooth. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The weights of energies of displacements that are added to the value of a level; 0: not added. Energies are
 * means over the domain of a B-spline, or over the samples of a field, with components and axes in physical space. */
struct Regularizers
{
  double bending{ 0.0 };    ///< weight of the sum of the squares of all second derivatives of all components (mm^2)
  double elasticity{ 0.0 }; ///< weight of the sum of the squares of the strain: the symmetric part of the gradient
  double variation{ 0.0 };  ///< weight of the smoothed total variation: the Frobenius norm of the gradient
  double jacobian{ 0.0 };   ///< weight of J + 1 / J - 2, where J is the Jacobian determinant of the transform

  /** Whether an energy that is a quadratic form is added. */
  bool
  HasForms() const
  {
    return bending > 0.0 || elasticity > 0.0;
  }
  /** Whether an energy that depends on the gradient in another way is added. */
  bool
  HasPoints() const
  {
    return variation > 0.0 || jacobian > 0.0;
  }
  /** Whether an energy is added. */
  bool
  AreUsed() const
  {
    return this->HasForms() || this->HasPoints();
  }
};

/** \brief Their former name, for one release. */
using SplineRegularizers [[deprecated("Regularizers")]] = Regularizers;

/** @} */
} // namespace itk::CudaSpline

#endif
