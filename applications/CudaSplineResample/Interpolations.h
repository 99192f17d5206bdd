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
  std::vector<double> sigma;        ///< of the label Gaussian, mm, one value or one per axis; empty: the spacing
  double              alpha{ 4.0 }; ///< cutoff in sigmas

  /** Returns whether results are always values of the input. */
  bool
  IsOfLabels() const
  {
    return method.isOfIndicators || MovesPixels(method.interpolation);
  }

  /** Returns whether results are sums of several values of the input. */
  bool
  MixesPixels() const
  {
    return !this->IsOfLabels() && !(method.interpolation == Interpolation::BSpline && order == 0);
  }

  /** Returns whether it is computed with real numbers, for any type of the input. */
  bool
  IsFurther() const
  {
    return method.isOfIndicators ||
           (method.interpolation != Interpolation::Nearest && method.interpolation != Interpolation::Linear &&
            method.interpolation != Interpolation::BSpline);
  }

  /** Returns whether it has an order. */
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

/** \brief Parses words. Names of ANTs and SimpleITK are accepted, too.
 *
 * \exception ProgramError an unknown name, or a number that is invalid or for another interpolation */
InterpolationChoice
ParseInterpolation(const InterpolationWords & words);

/** \brief Returns its name, with order, radius or sigma. */
std::string
TextOf(const InterpolationChoice & choice);

/** \brief Returns all names, for messages. */
std::string
InterpolationNames();

/** \brief Returns all names with their descriptions, for the help: one per line. */
std::string
InterpolationTable();

} // namespace CudaSplineResample

#endif
