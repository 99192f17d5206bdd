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
#ifndef CudaSplineResample_Interpolations_h
#define CudaSplineResample_Interpolations_h

#include "itkCudaSplineInterpolation.h"

#include <string>
#include <vector>

namespace CudaSplineResample
{

using itk::CudaSpline::Interpolation;

/** \brief An interpolation with its parameters. */
struct InterpolationChoice
{
  itk::CudaSpline::NamedInterpolation method{ *itk::CudaSpline::FindInterpolation("linear") };
  unsigned int                        order{ 3 };  ///< of B-splines
  unsigned int                        radius{ 3 }; ///< of windowed sincs, samples
  std::vector<double>                 sigma; ///< of the label Gaussian, mm, one or one an axis; empty: the spacing
  double                              alpha{ 4.0 }; ///< where it ends, in sigmas

  /** Whether results are among the values of the input. */
  bool
  IsOfLabels() const
  {
    return method.isOfIndicators || MovesPixels(method.interpolation);
  }

  /** Whether results are sums of several values of the input. */
  bool
  MixesPixels() const
  {
    return !this->IsOfLabels() && !(method.interpolation == Interpolation::BSpline && order == 0);
  }

  /** Whether it is computed in real numbers, whatever the input's type. */
  bool
  IsFurther() const
  {
    return method.isOfIndicators ||
           (method.interpolation != Interpolation::Nearest && method.interpolation != Interpolation::Linear &&
            method.interpolation != Interpolation::BSpline);
  }

  /** Whether it has an order. */
  bool
  HasOrder() const
  {
    return HasCoefficients(method.interpolation);
  }
};

/** \brief The words of the command line. */
struct InterpolationWords
{
  std::string name{ "linear" };
  std::string order;
  std::string radius;
  std::string sigma;
};

/** \brief What words mean. ANTs' and SimpleITK's names are known, too.
 * \exception ProgramError an unknown name, or a number that is wrong or for another interpolation */
InterpolationChoice
ParseInterpolation(const InterpolationWords & words);

/** \brief Its name, with order, radius or sigma. */
std::string
TextOf(const InterpolationChoice & choice);

/** \brief All names, for messages. */
std::string
InterpolationNames();

/** \brief All names with their descriptions, for the help: a line each. */
std::string
InterpolationTable();

} // namespace CudaSplineResample

#endif
