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

/** \brief How values between the samples are made. */
enum class Interpolation : unsigned char
{
  Nearest,
  Linear,
  BSpline,
  CatmullRom,
  WindowedSinc,
  LabelGaussian,   ///< the label whose Gaussian neighbourhood weighs most
  LabelLinear,     ///< the label whose indicator is largest, interpolated linearly
  LabelCatmullRom, ///< the same by Catmull-Rom
  LabelBSpline     ///< the same by B-splines of an order
};

/** \brief An interpolation with what it is told. */
struct InterpolationChoice
{
  Interpolation               kind{ Interpolation::Linear };
  unsigned int                order{ 3 }; ///< of B-splines
  itk::CudaSpline::SincWindow window{ itk::CudaSpline::SincWindow::Lanczos };
  unsigned int                radius{ 3 };  ///< of windowed sincs, samples
  std::vector<double>         sigma;        ///< of the label Gaussian, mm, one or one an axis; empty: the spacing
  double                      alpha{ 4.0 }; ///< where it ends, in sigmas

  /** Whether results are among the values of the input. */
  bool
  IsOfLabels() const
  {
    return kind == Interpolation::Nearest || kind >= Interpolation::LabelGaussian;
  }

  /** Whether results are sums of several values of the input. */
  bool
  MixesPixels() const
  {
    return !this->IsOfLabels() && !(kind == Interpolation::BSpline && order == 0);
  }

  /** Whether it is computed in real numbers, whatever the input's type. */
  bool
  IsFurther() const
  {
    return kind > Interpolation::BSpline;
  }

  /** Whether it has an order. */
  bool
  HasOrder() const
  {
    return kind == Interpolation::BSpline || kind == Interpolation::LabelBSpline;
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

/** \brief Its word on the command line: "nearest", "lanczos", "label-linear". */
std::string
NameOf(const InterpolationChoice & choice);

/** \brief The same, with order, radius or sigma. */
std::string
TextOf(const InterpolationChoice & choice);

/** \brief All words, for the help and for messages. */
std::string
InterpolationNames();

} // namespace CudaSplineResample

#endif
