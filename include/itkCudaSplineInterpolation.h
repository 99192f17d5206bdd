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
#ifndef itkCudaSplineInterpolation_h
#define itkCudaSplineInterpolation_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/evaluation/InterpolationNames.h"

#include "itkImageBase.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <typeinfo>

namespace itk
{

/** \brief How an interpolator continues an image beyond its edges, along an axis.
 *
 * The names are those of scipy.ndimage. With every mode except Itk all finite points are inside along that axis.
 *
 * \ingroup CudaSpline */
enum class CudaSplineAddressMode : unsigned char
{
  Itk,          ///< ITK's: half a sample beyond the outermost ones is inside, all else outside
  Nearest,      ///< the outermost samples are repeated
  GridConstant, ///< samples of a given value, the border value
  Mirror,       ///< whole-sample symmetry
  Reflect,      ///< half-sample symmetry
  GridWrap      ///< periodic
};

/** \brief The samples beyond the edges under an address mode.
 *
 * \param[in] mode the mode
 * \param[in] itk the extension of CudaSplineAddressMode::Itk between the outermost samples and the bounds */
constexpr CudaSpline::Extension
ExtensionOf(CudaSplineAddressMode mode, CudaSpline::Extension itk)
{
  switch (mode)
  {
    case CudaSplineAddressMode::Itk:
      return itk;
    case CudaSplineAddressMode::Nearest:
      return CudaSpline::Extension::Nearest;
    case CudaSplineAddressMode::GridConstant:
      return CudaSpline::Extension::GridConstant;
    case CudaSplineAddressMode::Mirror:
      return CudaSpline::Extension::Mirror;
    case CudaSplineAddressMode::Reflect:
      return CudaSpline::Extension::Reflect;
    default:
      return CudaSpline::Extension::GridWrap;
  }
}

/** \brief The printed name of an address mode.
 *
 * \param[in] mode the mode */
constexpr const char *
NameOf(CudaSplineAddressMode mode)
{
  return mode == CudaSplineAddressMode::Itk ? "Itk"
                                            : CudaSpline::NameOf(ExtensionOf(mode, CudaSpline::Extension::Mirror));
}

/** \brief Prints the name of an address mode. */
inline std::ostream &
operator<<(std::ostream & stream, CudaSplineAddressMode mode)
{
  return stream << NameOf(mode);
}

/** \brief The parameters of an interpolator for the module's kernels: everything except the image and the points.
 *
 * \ingroup CudaSpline */
struct CudaSplineMethod
{
  /** How a value is made. Bounds are set with the image. */
  CudaSpline::InterpolationDescriptor interpolation;
  unsigned int                        order{ 0 }; ///< of B-splines
  CudaSpline::PrefilterMethod         prefilter;  ///< how B-spline coefficients are made of the pixels
  /** How they are stored; all but Element compute in single precision. */
  CudaSpline::CoefficientStorage storage{ CudaSpline::CoefficientStorage::Element };
  int                            tableEntries{ 0 }; ///< of EvaluationMode::TextureTable
  /** How the image continues outside, by axis. */
  std::array<CudaSpline::Extension, CudaSpline::MaximumDimension> extension{ { CudaSpline::Extension::Nearest,
                                                                               CudaSpline::Extension::Nearest,
                                                                               CudaSpline::Extension::Nearest,
                                                                               CudaSpline::Extension::Nearest } };
  /** Whether every finite point is inside, by axis. */
  std::array<bool, CudaSpline::MaximumDimension> unbounded{ { false, false, false, false } };
  const char *                                   refusal{ nullptr }; ///< why the kernels cannot; null where they can

  /** True where the whole image is needed: for B-spline coefficients, or for what stands beyond its edges. */
  bool
  NeedsWholeImage() const
  {
    bool any = CudaSpline::HasCoefficients(interpolation.interpolation);
    // A sinc looks beyond the edges from within the bounds, and finds the other end under a periodic boundary.
    any = any || (interpolation.interpolation == CudaSpline::Interpolation::WindowedSinc &&
                  extension[0] == CudaSpline::Extension::GridWrap);
    for (const bool axis : unbounded)
    {
      any = any || axis;
    }
    return any;
  }

  /** Sets how the image continues along an axis.
   *
   * \param[in] axis the axis
   * \param[in] mode the mode
   * \param[in] itk the extension of CudaSplineAddressMode::Itk between the outermost samples and the bounds */
  void
  SetAddressMode(unsigned int axis, CudaSplineAddressMode mode, CudaSpline::Extension itk)
  {
    unbounded[axis] = mode != CudaSplineAddressMode::Itk;
    extension[axis] = ExtensionOf(mode, itk);
  }
};

namespace CudaSplineDetail
{

/** \brief Indices beyond this magnitude are outside under every address mode. */
inline constexpr double LargestIndex = 0x1p52;

/** \brief Throws for an address mode that B-splines of an order do not support.
 *
 * \param[in] order 0 to 5
 * \param[in] mode the mode
 * \exception ExceptionObject orders 2 to 5 support only Mirror, Reflect and GridWrap */
inline void
CheckSplineAddressMode(unsigned int order, CudaSplineAddressMode mode)
{
  if (order >= 2 && (mode == CudaSplineAddressMode::Nearest || mode == CudaSplineAddressMode::GridConstant))
  {
    itkGenericExceptionMacro(<< "Address mode " << mode
                             << " is not supported by B-splines of orders 2 to 5; use Mirror, Reflect or GridWrap.");
  }
}

/** \brief Describes the samples that a method needs of an image: extensions, prefilter, order. The element type is not
 * set.
 *
 * \param[in] method the method
 * \param[in,out] source described as DescribeSource() does */
inline void
DescribeMethodSource(const CudaSplineMethod & method, CudaSpline::SourceDescriptor & source)
{
  source.order = CudaSpline::HasCoefficients(method.interpolation.interpolation) ? method.order : 0;
  source.method = method.prefilter;
  source.storage = method.storage;
  source.tableEntries = method.tableEntries;
  source.extension = method.extension;
}

/** \brief A method's descriptor for an image: with the bounds of itk::ImageFunction::SetInputImage(), or without
 * bounds.
 *
 * \tparam TCoordinate coordinate type of the interpolator, to which bounds are rounded
 * \param[in] method the method
 * \param[in] region the buffered region */
template <typename TCoordinate, unsigned int VDimension>
CudaSpline::InterpolationDescriptor
DescribeInterpolation(const CudaSplineMethod & method, const ImageRegion<VDimension> & region)
{
  CudaSpline::InterpolationDescriptor descriptor = method.interpolation;
  descriptor.singleCoordinates = std::is_same<TCoordinate, float>::value;
  // Images of more dimensions are not for the kernels.
  constexpr auto axes = std::min<std::size_t>(VDimension, std::tuple_size<decltype(descriptor.lower)>::value);
  for (unsigned int d = 0; d < axes; ++d)
  {
    const IndexValueType first = region.GetIndex(d);
    const IndexValueType last = first + static_cast<IndexValueType>(region.GetSize(d)) - 1;
    descriptor.lower[d] = method.unbounded[d] ? -LargestIndex : static_cast<TCoordinate>(first - 0.5);
    descriptor.upper[d] = method.unbounded[d] ? LargestIndex : static_cast<TCoordinate>(last + 0.5);
  }
  return descriptor;
}

} // namespace CudaSplineDetail

/** \class CudaSplineInterpolation
 * \brief Interface between the module's interpolators and the filters that evaluate them on a backend.
 *
 * \tparam VDimension dimension of the image
 * \ingroup CudaSpline */
template <unsigned int VDimension>
class CudaSplineInterpolation
{
public:
  /** What the kernels do for this interpolator on an image.
   *
   * A class derived from one of the module's interpolators may evaluate otherwise: its method has a refusal, unless it
   * overrides this.
   *
   * \param[in] image gives the spacing; its pixels are not read */
  virtual CudaSplineMethod
  DescribeMethod(const ImageBase<VDimension> * image) const = 0;

protected:
  CudaSplineInterpolation() = default;
  virtual ~CudaSplineInterpolation() = default;

  /** Refuses a method of a class derived from the one that describes it.
   *
   * \param[in] self type of the object
   * \param[in] described type of the class that describes the method
   * \param[in,out] method the method */
  static void
  RefuseUnlessSame(const std::type_info & self, const std::type_info & described, CudaSplineMethod & method)
  {
    if (self != described)
    {
      method.refusal = "a class derived from one of the module's interpolators may evaluate otherwise";
    }
  }
};

} // namespace itk

#endif
