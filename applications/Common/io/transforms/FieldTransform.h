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
#ifndef CudaSplineProgram_FieldTransform_h
#define CudaSplineProgram_FieldTransform_h

#include "io/volume/Volume.h"

#include "itkCudaSpline/itk/TransformInversion.h"

#include "itkTransform.h"

#include <string>

namespace CudaSplineProgram
{

/** \brief Returns whether a name has the suffix of an image, not of a transform file. */
bool
IsNameOfField(const std::string & file);

/** \brief Reads an image of displacements in the format of ANTs and ITK: one vector per pixel, in mm, along the axes of
 * ITK's space (x to the patient's left, y to the back).
 *
 * \tparam VDimension 2 or 3
 * \exception ProgramError it cannot be read, or has no such vectors */
template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
ReadFieldTransform(const std::string & file);

/** \brief Returns the inverse of a displacement field or a B-spline transform, as a field on its domain. It is computed
 * by iteration, as InvertTransform() documents.
 *
 * Outside the domain the inverse is the identity, like the transforms.
 *
 * \tparam VDimension 2 or 3
 * \param[in] input determines the spacing of the field of a B-spline
 * \param[out] accuracy accuracy of the inverse
 * \return null for other transforms */
template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
InvertByIteration(const itk::Transform<double, VDimension, VDimension> * transform,
                  const Grid &                                           input,
                  itk::CudaSpline::InverseAccuracy &                     accuracy);

} // namespace CudaSplineProgram

#endif
