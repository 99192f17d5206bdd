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
#ifndef itkCudaSpline_kernels_evaluation_Interpolation_h
#define itkCudaSpline_kernels_evaluation_Interpolation_h

#include "itkCudaSpline/math/CubicConvolution.h"
#include "itkCudaSpline/math/WindowedSinc.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <utility>

/** \file
 * \brief The interpolation methods: their numbers, their parameters, and one list of types with what differs from
 * method to method.
 *
 * Everything that asks a method for a property (names, taps, reach, derivatives, ...) asks these types. What a method
 * computes is its body in src/kernels/evaluation/InterpolationMethods.h. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief How a value is made from samples. The numbers are those of the interface in C. */
enum class Interpolation : unsigned char
{
  Nearest,          ///< ITK's rounding, the pixel's bits move
  Linear,           ///< ITK's rule at the border
  BSpline,          ///< of SourceDescriptor::order, 0 to 5
  CubicConvolution, ///< of four samples an axis, by CubicParameters: Catmull-Rom, Mitchell-Netravali
  WindowedSinc,     ///< ITK's windows, of a given radius
  LabelGaussian,    ///< the label of the largest Gaussian weight, its bits move
  CatmullRom [[deprecated("CubicConvolution")]] = CubicConvolution ///< its former name, for one release
};

/** \brief How the value of a B-spline is summed up. */
enum class EvaluationMode : unsigned char
{
  Exact,       ///< every tap by itself, in the precision of the elements
  Texture,     ///< pairs of taps by linearly filtered fetches, within TextureErrorBound(); values only
  TextureTable ///< the same, with weights from a lookup table (SourceDescriptor::tableEntries)
};

/** \brief Name of a mode as in messages. */
constexpr const char *
NameOf(EvaluationMode mode)
{
  return mode == EvaluationMode::Exact ? "Exact" : (mode == EvaluationMode::Texture ? "Texture" : "TextureTable");
}

/** \brief The parameters of interpolations that are numbers, for any dimension. */
struct InterpolationParameters
{
  CubicParameters cubic{};                       ///< of CubicConvolution
  SincWindow      window{ SincWindow::Hamming }; ///< of WindowedSinc
  int             radius{ 3 };                   ///< of WindowedSinc: 1 to MaximumSincRadius (samples)
};

/** \brief How a value is made, and where: part of the kernel descriptor. All of it is run-time except the
 * interpolation. */
struct InterpolationDescriptor : InterpolationParameters
{
  Interpolation interpolation{ Interpolation::Linear }; ///< how a value is made
  /** Of BSpline and Linear; all but Exact read a source of CoefficientStorage::Texture. */
  EvaluationMode mode{ EvaluationMode::Exact };
  /** Coordinates are rounded to float where ITK's interpolator has float coordinates. */
  bool singleCoordinates{ false };
  /** Lower bounds of continuous indices inside the input buffer, [lower, upper): ITK's half-pixel rule. Indices of
   * magnitudes of 2^62 and more must be outside. */
  std::array<double, 3> lower{ { 0, 0, 0 } };
  /** Upper bounds, which are outside. */
  std::array<double, 3> upper{ { 0, 0, 0 } };
  double                border{ 0.0 }; ///< the value outside under Extension::GridConstant
  /** Standard deviation of LabelGaussian, by axis (samples). */
  std::array<double, 3> sigma{ { 1, 1, 1 } };
  /** Distance beyond which LabelGaussian does not look, by axis (samples). */
  std::array<double, 3> cutOff{ { 1, 1, 1 } };
};

/** \brief Common properties of interpolation types; each type overrides those that differ.
 *
 * There is one type for each value of Interpolation. In addition to these constants it has
 *
 * * Kind, the value; Name, its name in messages; Word, its name in the Python package;
 * * Taps(method, order, axis): samples that a value is made of along an axis; 0 where they are only moved;
 * * Reach(method, order, axis): samples that are read before the floor of an index; after it one more.
 *
 * \p order is that of the source's coefficients, \p axis 0 to 2, x first. */
struct InterpolationType
{
  /** Pixels move as they are, and no arithmetic is done with them. */
  static constexpr bool MovesPixels = false;
  /** The value is a sum over the supports of a basis (EvaluateOnGrid()), so there are derivatives. */
  static constexpr bool HasBasis = false;
  /** The kernels that read tiles of the input (boxes and marches) know its basis. */
  static constexpr bool HasTiles = false;
  /** The samples are filtered to coefficients, which depend on the whole image. */
  static constexpr bool HasCoefficients = false;
  /** Weights are non-negative and sum to 1, and ModeErrorBound() is derived for them. */
  static constexpr bool HasErrorBound = false;
  /** The numbers of a pixel may follow each other (SourceDescriptor::isInterleaved). */
  static constexpr bool ReadsInterleaved = false;
  /** Pixels of several numbers are evaluated number by number. */
  static constexpr bool HasComponents = false;
  /** The reach does not depend on parameters of the method, except an order. */
  static constexpr bool HasFixedReach = true;
  /** Samples outside are mirrored unless an address mode says otherwise; else the outermost ones are repeated. */
  static constexpr bool IsMirrored = false;
};

/** \brief Type of Interpolation::Nearest. */
struct NearestInterpolation : InterpolationType
{
  /** As InterpolationType describes it. */
  ///@{
  static constexpr Interpolation Kind = Interpolation::Nearest;
  static constexpr const char *  Name = "Nearest";
  static constexpr const char *  Word = "nearest";
  static constexpr bool          MovesPixels = true;
  static constexpr bool          ReadsInterleaved = true;
  static constexpr bool          HasComponents = true;

  static constexpr double
  Taps(const InterpolationDescriptor &, unsigned int, unsigned int)
  {
    return 0.0;
  }
  static constexpr std::int64_t
  Reach(const InterpolationDescriptor &, unsigned int, unsigned int)
  {
    return 1;
  }
  ///@}
};

/** \brief Type of Interpolation::Linear. */
struct LinearInterpolation : InterpolationType
{
  /** As InterpolationType describes it. */
  ///@{
  static constexpr Interpolation Kind = Interpolation::Linear;
  static constexpr const char *  Name = "Linear";
  static constexpr const char *  Word = "linear";
  static constexpr bool          HasErrorBound = true;
  static constexpr bool          ReadsInterleaved = true;
  static constexpr bool          HasComponents = true;

  static constexpr double
  Taps(const InterpolationDescriptor &, unsigned int, unsigned int)
  {
    return 2.0;
  }
  static constexpr std::int64_t
  Reach(const InterpolationDescriptor &, unsigned int, unsigned int)
  {
    return 1;
  }
  ///@}
};

/** \brief Type of Interpolation::BSpline. */
struct BSplineInterpolation : InterpolationType
{
  /** As InterpolationType describes it. */
  ///@{
  static constexpr Interpolation Kind = Interpolation::BSpline;
  static constexpr const char *  Name = "BSpline";
  static constexpr const char *  Word = "bspline";
  static constexpr bool          HasBasis = true;
  static constexpr bool          HasTiles = true;
  static constexpr bool          HasCoefficients = true;
  static constexpr bool          HasErrorBound = true;
  static constexpr bool          HasComponents = true;
  static constexpr bool          IsMirrored = true;

  static constexpr double
  Taps(const InterpolationDescriptor &, unsigned int order, unsigned int)
  {
    return order + 1.0;
  }
  static constexpr std::int64_t
  Reach(const InterpolationDescriptor &, unsigned int order, unsigned int)
  {
    return static_cast<std::int64_t>(order) / 2 + 1;
  }
  ///@}
};

/** \brief Type of Interpolation::CubicConvolution. */
struct CubicConvolutionInterpolation : InterpolationType
{
  /** As InterpolationType describes it. */
  ///@{
  static constexpr Interpolation Kind = Interpolation::CubicConvolution;
  static constexpr const char *  Name = "CubicConvolution";
  static constexpr const char *  Word = "cubic-convolution";
  static constexpr bool          HasBasis = true;
  static constexpr bool          HasTiles = true;
  static constexpr bool          HasComponents = true;
  static constexpr bool          IsMirrored = true;

  static constexpr double
  Taps(const InterpolationDescriptor &, unsigned int, unsigned int)
  {
    return 4.0;
  }
  static constexpr std::int64_t
  Reach(const InterpolationDescriptor &, unsigned int, unsigned int)
  {
    return 2;
  }
  ///@}
};

/** \brief Type of Interpolation::WindowedSinc. */
struct WindowedSincInterpolation : InterpolationType
{
  /** As InterpolationType describes it. */
  ///@{
  static constexpr Interpolation Kind = Interpolation::WindowedSinc;
  static constexpr const char *  Name = "WindowedSinc";
  static constexpr const char *  Word = "sinc";
  static constexpr bool          HasFixedReach = false;

  static constexpr double
  Taps(const InterpolationDescriptor & method, unsigned int, unsigned int)
  {
    return 2.0 * method.radius;
  }
  static constexpr std::int64_t
  Reach(const InterpolationDescriptor & method, unsigned int, unsigned int)
  {
    return method.radius;
  }
  ///@}
};

/** \brief Type of Interpolation::LabelGaussian. */
struct LabelGaussianInterpolation : InterpolationType
{
  /** As InterpolationType describes it. */
  ///@{
  static constexpr Interpolation Kind = Interpolation::LabelGaussian;
  static constexpr const char *  Name = "LabelGaussian";
  static constexpr const char *  Word = "label";
  static constexpr bool          HasFixedReach = false;
  static constexpr bool          MovesPixels = true;

  static constexpr double
  Taps(const InterpolationDescriptor & method, unsigned int, unsigned int axis)
  {
    return 2.0 * method.cutOff[axis] + 1.0;
  }
  static std::int64_t
  Reach(const InterpolationDescriptor & method, unsigned int, unsigned int axis)
  {
    return static_cast<std::int64_t>(std::ceil(std::min(std::abs(method.cutOff[axis]), 1e9))) + 2;
  }
  ///@}
};

/** \brief The list of the interpolation types, in the order of Interpolation. */
using InterpolationTypes = std::tuple<NearestInterpolation,
                                      LinearInterpolation,
                                      BSplineInterpolation,
                                      CubicConvolutionInterpolation,
                                      WindowedSincInterpolation,
                                      LabelGaussianInterpolation>;

/** \brief Number of interpolation types. */
inline constexpr std::size_t InterpolationCount = std::tuple_size<InterpolationTypes>::value;

/** \brief All values of Interpolation. */
inline constexpr auto AllInterpolations = []() {
  std::array<Interpolation, InterpolationCount> all{};
  for (std::size_t i = 0; i < InterpolationCount; ++i)
  {
    all[i] = static_cast<Interpolation>(i);
  }
  return all;
}();

namespace InterpolationDetail
{
/** \brief Whether the types are in the order of Interpolation. */
template <std::size_t... VIndices>
constexpr bool
AreInOrder(std::index_sequence<VIndices...>)
{
  return ((std::tuple_element_t<VIndices, InterpolationTypes>::Kind == static_cast<Interpolation>(VIndices)) && ...);
}
static_assert(AreInOrder(std::make_index_sequence<InterpolationCount>()), "The list has the order of the enumeration.");

/** \brief VisitInterpolation() from a type of the list on.
 *
 * \param[in] index of the type
 * \param[in] visit what is called */
template <std::size_t VIndex, typename TVisit>
constexpr auto
Visit(std::size_t index, const TVisit & visit)
{
  if constexpr (VIndex + 1 < InterpolationCount)
  {
    if (index != VIndex)
    {
      return Visit<VIndex + 1>(index, visit);
    }
  }
  else if (index != VIndex)
  {
    throw std::invalid_argument("unknown interpolation");
  }
  return visit(std::tuple_element_t<VIndex, InterpolationTypes>());
}
} // namespace InterpolationDetail

/** \brief Calls \p visit with an object of the type of an interpolation, and returns its result.
 *
 * \param[in] interpolation the interpolation
 * \param[in] visit callable with an object of each type, whose result has the same type for all
 * \exception std::invalid_argument the number is not in Interpolation */
template <typename TVisit>
constexpr auto
VisitInterpolation(Interpolation interpolation, const TVisit & visit)
{
  return InterpolationDetail::Visit<0>(static_cast<std::size_t>(interpolation), visit);
}

/** \brief Properties of an interpolation; see InterpolationType. */
///@{
constexpr const char *
NameOf(Interpolation interpolation)
{
  return VisitInterpolation(interpolation, [](auto type) { return decltype(type)::Name; });
}
constexpr const char *
WordOf(Interpolation interpolation)
{
  return VisitInterpolation(interpolation, [](auto type) { return decltype(type)::Word; });
}
constexpr bool
MovesPixels(Interpolation interpolation)
{
  return VisitInterpolation(interpolation, [](auto type) { return decltype(type)::MovesPixels; });
}
constexpr bool
HasBasis(Interpolation interpolation)
{
  return VisitInterpolation(interpolation, [](auto type) { return decltype(type)::HasBasis; });
}
constexpr bool
HasTiles(Interpolation interpolation)
{
  return VisitInterpolation(interpolation, [](auto type) { return decltype(type)::HasTiles; });
}
constexpr bool
HasCoefficients(Interpolation interpolation)
{
  return VisitInterpolation(interpolation, [](auto type) { return decltype(type)::HasCoefficients; });
}
constexpr bool
HasErrorBound(Interpolation interpolation)
{
  return VisitInterpolation(interpolation, [](auto type) { return decltype(type)::HasErrorBound; });
}
constexpr bool
ReadsInterleaved(Interpolation interpolation)
{
  return VisitInterpolation(interpolation, [](auto type) { return decltype(type)::ReadsInterleaved; });
}
constexpr bool
HasComponents(Interpolation interpolation)
{
  return VisitInterpolation(interpolation, [](auto type) { return decltype(type)::HasComponents; });
}
constexpr bool
HasFixedReach(Interpolation interpolation)
{
  return VisitInterpolation(interpolation, [](auto type) { return decltype(type)::HasFixedReach; });
}
constexpr bool
IsMirrored(Interpolation interpolation)
{
  return VisitInterpolation(interpolation, [](auto type) { return decltype(type)::IsMirrored; });
}
///@}

/** \brief Samples that a value is made of along an axis; 0 where they are only moved.
 *
 * \param[in] method the method
 * \param[in] order of the source's coefficients
 * \param[in] axis 0 to 2, x first */
inline double
GetTaps(const InterpolationDescriptor & method, unsigned int order, unsigned int axis)
{
  return VisitInterpolation(method.interpolation, [&](auto type) { return type.Taps(method, order, axis); });
}

/** \brief Samples that a value is made of before the floor of an index; after it one more may be read.
 *
 * \param[in] method the method
 * \param[in] order of the source's coefficients
 * \param[in] axis 0 to 2, x first */
inline std::int64_t
GetReach(const InterpolationDescriptor & method, unsigned int order, unsigned int axis)
{
  return VisitInterpolation(method.interpolation, [&](auto type) { return type.Reach(method, order, axis); });
}

/** @} */
} // namespace itk::CudaSpline

#endif
