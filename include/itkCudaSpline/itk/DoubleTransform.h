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
#ifndef itkCudaSpline_itk_DoubleTransform_h
#define itkCudaSpline_itk_DoubleTransform_h

#include "CudaSplineExport.h"

#include "itkTransform.h"

/** \file
 * \brief Linear transforms of ITK's own classes: those of float as transforms of double, because the kernels, and what
 * is made of their sums, are double; and those whose roundings the kernels reproduce. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Returns a linear transform that is already of double precision.
 *
 * \param[in] transform the transform
 * \return the same object */
template <unsigned int VDimension>
typename Transform<double, VDimension, VDimension>::ConstPointer
InDoublePrecision(const Transform<double, VDimension, VDimension> * transform)
{
  return transform;
}

/** \brief Converts a linear transform of float to a transform of double with the same class and parameters.
 *
 * Matrix, offset and Jacobian are computed from the parameters in double. In the transform of float each of them is
 * rounded.
 *
 * \param[in] transform the transform
 * \return a new object, or null if its class is not one of ITK's classes with a counterpart of double */
CudaSpline_EXPORT Transform<double, 2, 2>::ConstPointer
                  InDoublePrecision(const Transform<float, 2, 2> * transform);

/** \brief The same in three dimensions.
 *
 * \param[in] transform the transform
 * \return a new object, or null if its class is not one of ITK's classes with a counterpart of double */
CudaSpline_EXPORT Transform<double, 3, 3>::ConstPointer
                  InDoublePrecision(const Transform<float, 3, 3> * transform);

/** \brief Whether the points of a linear transform are, to the bit, those of the affine maps that describe it
 * (CudaSpline::AffineMap): of ITK's classes that multiply by a matrix and add an offset, and composites of these.
 *
 * \param[in] transform the transform */
CudaSpline_EXPORT bool
IsChainOfAffineMaps(const Transform<double, 2, 2> * transform);

/** \brief The same in three dimensions.
 *
 * \param[in] transform the transform */
CudaSpline_EXPORT bool
IsChainOfAffineMaps(const Transform<double, 3, 3> * transform);

/** @} */
} // namespace itk::CudaSplineDetail

#endif
