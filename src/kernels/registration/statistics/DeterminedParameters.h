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
#ifndef kernels_registration_DeterminedParameters_h
#define kernels_registration_DeterminedParameters_h

#include "itkCudaSpline/kernels/registration/ImageAgreement.h"
#include "itkCudaSpline/kernels/transforms/LinearTransform.h"

#include <cstddef>
#include <vector>

/** \file
 * \brief Finds the parameters of a linear transform that a pair of images determines. */

namespace itk::CudaSpline
{

/** \brief Finds the parameters that can change without changing the moving image at the samples of the fixed image.
 *
 * The derivatives of the moving image with respect to the parameters, at coarse samples under the mask of the fixed
 * image, are the rows of a matrix. Each column is divided by the root mean square of the displacements that its
 * parameter causes (mm). A Cholesky factorization of the normal matrix selects the largest remaining column,
 * translations first. When the largest column is below MinSingularValue times the first one, the remaining columns
 * belong to undetermined parameters: a change of such a parameter has no effect, or nearly that of a change of the
 * others.
 *
 * \param[in] fixed, moving images; their pixels are in the memory of the backend, and their masks are on the host
 * \param[in] transform initial transform of a registration
 * \param[in] behind displacements (mm) of the stages that follow the transform, at the points of a grid
 * \param[in] residence memory of the pixels, and threads of the host
 * \return numbers of parameters, in their order; empty if fewer than 500 samples are inside both images
 * \par Source
 * G. H. Golub and C. F. Van Loan, Matrix Computations, 4th edition, 4.2.8 (pivoting) */
std::vector<std::size_t>
FindUndeterminedParameters(const MaskedImage &        fixed,
                           const MaskedImage &        moving,
                           const LinearTransform &    transform,
                           const DisplacementSource & behind,
                           const Residence &          residence);

/** Ratio of the lengths of columns below which a parameter is undetermined. */
inline constexpr double MinSingularValue = 3e-3;

} // namespace itk::CudaSpline

#endif
