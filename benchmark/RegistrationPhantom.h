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
#ifndef RegistrationPhantom_h
#define RegistrationPhantom_h

#include "itkBSplineTransform.h"
#include "itkImage.h"
#include "itkTransform.h"

/** \file
 * \brief A head of ellipsoids for registrations with a known result. */

namespace RegistrationBenchmark
{

using ImageType = itk::Image<float, 3>;
using LabelImage = itk::Image<unsigned char, 3>;
using TransformType = itk::Transform<double, 3, 3>;
using SplineType = itk::BSplineTransform<double, 3, 3>;

/** \brief Images of a phantom with voxels of 1 mm, and their labels. */
struct Phantom
{
  ImageType::Pointer     fixed;
  ImageType::Pointer     moving; ///< with different grey values, so that mutual information is needed
  LabelImage::Pointer    fixedLabels;
  LabelImage::Pointer    movingLabels;
  TransformType::Pointer known; ///< maps points of the fixed image to points of the moving one
};

/** \brief Returns a cubic B-spline transform on the domain of a cube without displacements, with some cells per axis.
 */
SplineType::Pointer
MakeSpline(unsigned int size, unsigned int cells);

/** \brief Returns the phantom in a cube with \p size voxels per axis, moved by an affine transform or by B-splines with
 * a few cells. */
const Phantom &
GetPhantom(unsigned int size, bool isSpline);

/** \brief Returns the Dice overlap of the fixed labels and the moving ones under a transform: the mean over the labels,
 * in [0, 1]. */
double
OverlapOf(const Phantom & phantom, const TransformType * transform);

/** \brief Returns the distance between a transform and the known one over the labels of the fixed image, root mean
 * square in mm. */
double
DistanceOf(const Phantom & phantom, const TransformType * transform);

} // namespace RegistrationBenchmark

#endif
