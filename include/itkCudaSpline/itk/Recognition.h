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

#include <cstring>
#include <type_traits>
#include <typeinfo>

namespace itk
{
// A class of a remote module that is off by default. If the program's ITK has the class, this library uses only its
// name.
template <typename TInputImage, template <typename, typename> class TInterpolator, typename TCoordRep>
class LabelImageGenericInterpolateImageFunction;
} // namespace itk

/** \file
 * \brief The interpolators that the module's kernels can replace: the module's own, and ITK's standard ones. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief The reason why no kernel does generic interpolation of labels with linear interpolation. A class of the
 * module (LinearLabelInterpolateImageFunction) replaces ITK's interpolator, which makes an image of each label.
 */
inline constexpr char GenericOfLabelsByPoints[] =
  "generic interpolation of labels is accelerated on the host, and on a GPU by nearest neighbours";

/** \brief True if \p type is ITK's generic interpolation of labels with another interpolator.
 *
 * The types are compared by name. The name of a pointer type is the letter P followed by the name of the class, and a
 * pointer type can be named even if the class is not defined.
 *
 * \tparam TInterpolator interpolates the indicators of labels
 * \param[in] type class of an interpolator */
template <typename TImage, template <typename, typename> class TInterpolator, typename TCoordRep>
bool
IsGenericOfLabels(const std::type_info & type)
{
  using Pointer = LabelImageGenericInterpolateImageFunction<TImage, TInterpolator, TCoordRep> *;
  const char * const name = typeid(Pointer).name();
  return name[0] == 'P' && std::strcmp(name + 1, type.name()) == 0;
}

/** \brief Calls \p found with the SincWindow, radius and Extension if \p type is ITK's windowed sinc interpolator with
 * one of ITK's own windows, a radius of 1 to 5, and the boundary condition zero flux, constant or periodic.
 *
 * \tparam VRadius smallest radius to try
 * \param[in] type class of an interpolator
 * \param[in] found callable with a CudaSpline::SincWindow, an int and a CudaSpline::Extension */
template <typename TImage, typename TCoordRep, unsigned int VRadius = 1, typename TFound>
void
FindWindowedSinc(const std::type_info & type, const TFound & found)
{
  if constexpr (VRadius <= CudaSpline::MaximumSincRadius)
  {
    const auto isWith = [&](auto * window, auto * boundary) {
      using Window = std::remove_pointer_t<decltype(window)>;
      using Boundary = std::remove_pointer_t<decltype(boundary)>;
      if (type == typeid(WindowedSincInterpolateImageFunction<TImage, VRadius, Window, Boundary, TCoordRep>))
      {
        found(WindowTraits<Window, VRadius>::Window,
              static_cast<int>(VRadius),
              BoundaryTraits<Boundary, TImage>::Extension);
      }
    };
    const auto is = [&](auto * window) {
      isWith(window, static_cast<ZeroFluxNeumannBoundaryCondition<TImage, TImage> *>(nullptr));
      isWith(window, static_cast<ConstantBoundaryCondition<TImage, TImage> *>(nullptr));
      isWith(window, static_cast<PeriodicBoundaryCondition<TImage, TImage> *>(nullptr));
    };
    const auto isOf = [&](auto real) {
      using Real = decltype(real);
      is(static_cast<Function::CosineWindowFunction<VRadius, Real, Real> *>(nullptr));
      is(static_cast<Function::HammingWindowFunction<VRadius, Real, Real> *>(nullptr));
      is(static_cast<Function::WelchWindowFunction<VRadius, Real, Real> *>(nullptr));
      is(static_cast<Function::LanczosWindowFunction<VRadius, Real, Real> *>(nullptr));
      is(static_cast<Function::BlackmanWindowFunction<VRadius, Real, Real> *>(nullptr));
    };
    isOf(double{});
    if constexpr (std::is_same<TCoordRep, float>::value)
    {
      isOf(float{}); // its weights are rounded with a relative error of 6e-8
    }
    FindWindowedSinc<TImage, TCoordRep, VRadius + 1>(type, found);
  }
}

/** \brief Describes an interpolator of an image with several components per pixel for the kernels.
 *
 * They support nearest neighbours and linear interpolation with the module's classes or ITK's, and B-splines and cubic
 * convolution with the module's classes. For all others the method states why it is not supported.
 *
 * \tparam TImage image with several components per pixel
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
    known = CudaSpline::HasComponents(method.interpolation.interpolation);
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
      "and cubic convolution interpolators, ITK's nearest-neighbour and linear ones, and no classes derived from "
      "them";
  }
  return method;
}

/** \brief Describes an interpolator for the kernels: one of the module's, which describes itself, or one of ITK's
 * standard ones, recognised by their exact class. For all others the method states why it is not supported.
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
        // ITK adds the start index twice. ITK's class must give ITK's results; the module's own class centres the
        // Gaussian correctly.
        method.refusal = "ITK misplaces its label Gaussian in images whose largest possible region does not begin at "
                         "index 0: CudaLabelImageGaussianInterpolateImageFunction does not";
      }
    }
  }
  else if (IsGenericOfLabels<TImage, NearestNeighborInterpolateImageFunction, TCoordRep>(type))
  {
    method.interpolation.interpolation = Interpolation::Nearest; // the label of the nearest pixel wins
  }
  else if (IsGenericOfLabels<TImage, LinearInterpolateImageFunction, TCoordRep>(type))
  {
    method.refusal = GenericOfLabelsByPoints;
  }
  else
  {
    known = false;
    FindWindowedSinc<TImage, TCoordRep>(
      type, [&](CudaSpline::SincWindow window, int radius, CudaSpline::Extension extension) {
        method.interpolation.interpolation = Interpolation::WindowedSinc;
        method.interpolation.window = window;
        method.interpolation.radius = radius;
        method.extension.fill(extension);
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
