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
#ifndef itkCudaSpline_itk_Recognition_h
#define itkCudaSpline_itk_Recognition_h

#include "itkCudaSplineInterpolation.h"
#include "itkCudaSpline/itk/LabelGaussian.h"
#include "itkCudaSpline/itk/WindowTraits.h"

#include "itkBSplineInterpolateImageFunction.h"
#include "itkBSplineResampleImageFunction.h"
#include "itkLabelImageGaussianInterpolateImageFunction.h"
#include "itkLinearInterpolateImageFunction.h"
#include "itkNearestNeighborInterpolateImageFunction.h"
#include "itkWindowedSincInterpolateImageFunction.h"

#include <type_traits>
#include <typeinfo>

/** \file
 * \brief Which interpolators the module's kernels can stand in for: its own, and ITK's standard ones. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Calls \p found with SincWindow and radius where \p type is the windowed sinc interpolator of ITK with one of
 * its own windows, a radius of 1 to 5 and ITK's default boundary.
 *
 * \tparam VRadius radius from which on is looked
 * \param[in] type class of an interpolator
 * \param[in] found callable with a CudaSpline::SincWindow and an int */
template <typename TImage, typename TCoordRep, unsigned int VRadius = 1, typename TFound>
void
FindWindowedSinc(const std::type_info & type, const TFound & found)
{
  if constexpr (VRadius <= CudaSpline::MaximumSincRadius)
  {
    using Boundary = ZeroFluxNeumannBoundaryCondition<TImage, TImage>;
    const auto is = [&](auto * window) {
      using Window = std::remove_pointer_t<decltype(window)>;
      if (type == typeid(WindowedSincInterpolateImageFunction<TImage, VRadius, Window, Boundary, TCoordRep>))
      {
        found(WindowTraits<Window, VRadius>::Window, static_cast<int>(VRadius));
      }
    };
    is(static_cast<Function::CosineWindowFunction<VRadius> *>(nullptr));
    is(static_cast<Function::HammingWindowFunction<VRadius> *>(nullptr));
    is(static_cast<Function::WelchWindowFunction<VRadius> *>(nullptr));
    is(static_cast<Function::LanczosWindowFunction<VRadius> *>(nullptr));
    is(static_cast<Function::BlackmanWindowFunction<VRadius> *>(nullptr));
    FindWindowedSinc<TImage, TCoordRep, VRadius + 1>(type, found);
  }
}

/** \brief What the kernels do for an interpolator of an image of several numbers a pixel: nearest neighbours and linear
 * interpolation, by the module's classes or ITK's, B-splines and Catmull-Rom by the module's. Of all others the method
 * has a refusal.
 *
 * \tparam TImage image of pixels of several numbers
 * \param[in] interpolator the interpolator; it need not have an image
 * \param[in] image the image that it would be given; its pixels are not read */
template <typename TImage, typename TCoordRep>
CudaSplineMethod
RecogniseVectorInterpolator(const InterpolateImageFunction<TImage, TCoordRep> * interpolator,
                            const ImageBase<TImage::ImageDimension> *           image)
{
  using Interpolation = CudaSpline::Interpolation;
  const std::type_info & type = typeid(*interpolator);
  CudaSplineMethod       method;
  bool                   known = true;
  if (const auto * own = dynamic_cast<const CudaSplineInterpolation<TImage::ImageDimension> *>(interpolator))
  {
    method = own->DescribeMethod(image);
    const Interpolation kind = method.interpolation.interpolation;
    known = kind == Interpolation::Nearest || kind == Interpolation::Linear || kind == Interpolation::BSpline ||
            kind == Interpolation::CatmullRom;
  }
  else if (type == typeid(NearestNeighborInterpolateImageFunction<TImage, TCoordRep>))
  {
    method.interpolation.interpolation = Interpolation::Nearest;
  }
  else if (type == typeid(LinearInterpolateImageFunction<TImage, TCoordRep>))
  {
    method.interpolation.interpolation = Interpolation::Linear;
  }
  else
  {
    known = false;
  }
  if (!known)
  {
    method.refusal =
      "pixels of several numbers are accelerated with the module's nearest-neighbour, linear, B-spline "
      "and Catmull-Rom interpolators, ITK's nearest-neighbour and linear ones, and no classes derived from "
      "them";
  }
  return method;
}

/** \brief What the kernels do for an interpolator: one of the module's, which says so itself, or one of ITK's standard
 * ones, known by their very class. Of all others the method has a refusal.
 *
 * \tparam TImage image of scalars
 * \param[in] interpolator the interpolator; it need not have an image
 * \param[in] image the image that it would be given; its pixels are not read */
template <typename TImage, typename TCoordRep>
CudaSplineMethod
RecogniseInterpolator(const InterpolateImageFunction<TImage, TCoordRep> * interpolator,
                      const ImageBase<TImage::ImageDimension> *           image)
{
  if (const auto * own = dynamic_cast<const CudaSplineInterpolation<TImage::ImageDimension> *>(interpolator))
  {
    return own->DescribeMethod(image);
  }
  using Interpolation = CudaSpline::Interpolation;
  using LabelGaussian = LabelImageGaussianInterpolateImageFunction<TImage, TCoordRep>;
  using SplineToDouble = BSplineInterpolateImageFunction<TImage, TCoordRep, double>;
  using SplineToFloat = BSplineInterpolateImageFunction<TImage, TCoordRep, float>;
  const std::type_info & type = typeid(*interpolator);

  CudaSplineMethod method;
  bool             known = true;
  const auto       describeSpline = [&](unsigned int order) {
    method.interpolation.interpolation = Interpolation::BSpline;
    method.order = order;
    method.extension.fill(CudaSpline::Extension::Mirror);
  };
  if (type == typeid(NearestNeighborInterpolateImageFunction<TImage, TCoordRep>))
  {
    method.interpolation.interpolation = Interpolation::Nearest;
  }
  else if (type == typeid(LinearInterpolateImageFunction<TImage, TCoordRep>))
  {
    method.interpolation.interpolation = Interpolation::Linear;
  }
  else if (type == typeid(SplineToDouble))
  {
    describeSpline(static_cast<unsigned int>(static_cast<const SplineToDouble *>(interpolator)->GetSplineOrder()));
  }
  else if (type == typeid(SplineToFloat))
  {
    describeSpline(static_cast<unsigned int>(static_cast<const SplineToFloat *>(interpolator)->GetSplineOrder()));
  }
  else if (type == typeid(LabelGaussian))
  {
    const auto * const labels = static_cast<const LabelGaussian *>(interpolator);
    DescribeLabelGaussian(labels->GetSigma(), labels->GetAlpha(), image, method);
    for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
    {
      if (image->GetLargestPossibleRegion().GetIndex(d) != 0)
      {
        // ITK adds it twice, and its class shall give its results; the module's own class has the Gaussian in its
        // place.
        method.refusal = "ITK misplaces its label Gaussian in images whose largest possible region does not begin at "
                         "index 0: CudaLabelImageGaussianInterpolateImageFunction does not";
      }
    }
  }
  else
  {
    known = false;
    FindWindowedSinc<TImage, TCoordRep>(type, [&](CudaSpline::SincWindow window, int radius) {
      method.interpolation.interpolation = Interpolation::WindowedSinc;
      method.interpolation.window = window;
      method.interpolation.radius = radius;
      known = true;
    });
  }
  if constexpr (std::is_floating_point<typename TImage::PixelType>::value)
  {
    using Ready = BSplineResampleImageFunction<TImage, TCoordRep>;
    if (type == typeid(Ready))
    {
      describeSpline(static_cast<unsigned int>(static_cast<const Ready *>(interpolator)->GetSplineOrder()));
      method.prefilter.kind = CudaSpline::PrefilterMethod::Kind::Coefficients;
      known = true;
    }
  }
  if (!known)
  {
    method.refusal = "only the module's interpolators and ITK's nearest-neighbour, linear, B-spline, windowed sinc and "
                     "label Gaussian ones are accelerated, and not classes derived from them";
  }
  return method;
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
