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
#ifndef ProjectionTransform_h
#define ProjectionTransform_h

#include "itkCudaSpline/itk/Compatibility.h"

#include "itkTransform.h"

/** \file
 * \brief Transforms between spaces of different dimension. ITK has none that compiles. */

namespace CudaSplineTest
{

/** \brief The functions that a transform needs in addition to the map of points. It has no parameters. */
template <unsigned int VFrom, unsigned int VTo>
class ProjectionTransform : public itk::Transform<double, VFrom, VTo>
{
public:
  using Self = ProjectionTransform;
  using Superclass = itk::Transform<double, VFrom, VTo>;

  void
  SetParameters(const typename Superclass::ParametersType &) override
  {}
  void
  SetFixedParameters(const typename Superclass::FixedParametersType &) override
  {}
  void
  ComputeJacobianWithRespectToParameters(const typename Superclass::InputPointType &,
                                         typename Superclass::JacobianType &) const override
  {}

protected:
  ProjectionTransform()
    : Superclass(0)
  {}
};

} // namespace CudaSplineTest

#endif
