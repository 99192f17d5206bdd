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
#ifndef CudaSplineProgram_ElastixTransform_h
#define CudaSplineProgram_ElastixTransform_h

#include "io/volume/Volume.h"

#include "itkTransform.h"

#include <string>

namespace CudaSplineProgram
{

/** \brief Returns the transform of an elastix file, including its initial transforms
 * (InitialTransformParameterFileName). It maps points of the output to points of the input.
 *
 * Translation, Euler, similarity and affine transforms, and B-splines of orders 1 to 3 are supported. They are composed
 * or added (HowToCombineTransforms). A file that ignored directions (UseDirectionCosines "false") is a transform
 * between axes that are not rotated: the directions of the file's grid and of \p input precede and follow it.
 *
 * \tparam VDimension 2 or 3
 * \exception ProgramError a file is missing or damaged, the transform is not supported, or its dimension differs */
template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
ReadElastixTransform(const std::string & file, const Grid & input);

} // namespace CudaSplineProgram

#endif
