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
 * \brief The interpolation methods: their enumeration, their parameters, and one list of types with their properties.
 *
 * All code that needs a property of a method (names, taps, reach, derivatives, ...) reads these types. The formula of a
 * method is in src/kernels/evaluation/InterpolationMethods.h. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The interpolation methods. The numbers are those of the C interface. */
enum class Interpolation : unsigned char
{
  Nearest,          ///< ITK's rounding; the pixel is copied bitwise
  Linear,           ///< ITK's rule at the border
  BSpline,          ///< of SourceDescriptor::order, 0 to 5
  CubicConvolution, ///< of four samples per axis, with CubicParameters: Catmull-Rom, Mitchell-Netravali
  WindowedSinc,     ///< with ITK's windows and a given radius
  LabelGaussian,    ///< the label with the largest Gaussian weight, copied bitwise
  CatmullRom [[deprecated("CubicConvolution")]] = CubicConvolution ///< deprecated name, for one release
};

/** \brief How the value of a B-spline is summed. */
enum class EvaluationMode : unsigned char
{
  Exact,       ///< each tap separately, in the precision of the elements
  Texture,     ///< pairs of taps with linearly filtered texture fetches, within TextureErrorBound(); values only
  TextureTable ///< the same, with weights from a lookup table (SourceDescriptor::tableEntries)
};

/** \brief Name of a mode in messages. */
constexpr const char *
NameOf(EvaluationMode mode)
{
  return mode == EvaluationMode::Exact ? "Exact" : (mode == EvaluationMode::Texture ? "Texture" : "TextureTable");
}

/** \brief The numerical parameters of interpolations that do not depend on the dimension. */
struct InterpolationParameters
{
  CubicParameters cubic{};                       ///< of CubicConvolution
  SincWindow      window{ SincWindow::Hamming }; ///< of WindowedSinc
  int             radius{ 3 };                   ///< of WindowedSinc: 1 to MaximumSincRadius (samples)
};

/** \brief An interpolation method and its bounds: part of the kernel descriptor. All values except the interpolation
 * are run-time. */
struct InterpolationDescriptor : InterpolationParameters
{
  Interpolation interpolation{ Interpolation::Linear }; ///< the method
  /** For BSpline and Linear; all modes except Exact read a source of CoefficientStorage::Texture. */
  EvaluationMode mode{ EvaluationMode::Exact };
  /** Rounds coordinates to float, as for ITK's interpolators with float coordinates. */
  bool singleCoordinates{ false };
  /** Lower bounds of continuous indices inside the input buffer, [lower, upper): ITK's half-pixel rule. Indices with a
   * magnitude of 2^62 or more must be outside. */
  std::array<double, 3> lower{ { 0, 0, 0 } };
  /** Upper bounds, which are outside. */
  std::array<double, 3> upper{ { 0, 0, 0 } };
  double                border{ 0.0 }; ///< value outside for Extension::GridConstant
  /** Standard deviation of LabelGaussian along each axis (samples). */
  std::array<double, 3> sigma{ { 1, 1, 1 } };
  /** Cut-off distance of LabelGaussian along each axis (samples). */
  std::array<double, 3> cutOff{ { 1, 1, 1 } };
};

/** \brief Common properties of interpolation types; each type overrides those that differ.
 *
 * There is one type for each value of Interpolation. In addition to these constants it has
 *
 * * Kind, the value; Name, its name in messages; Word, its name in the Python package;
 * * Taps(method, order, axis): number of input samples of a value along an axis; 0 if samples are only copied;
 * * Reach(method, order, axis): number of samples that are read before the floor of an index; one more is read after
 *   it.
 *
 * \p order is that of the source's coefficients, \p axis 0 to 2, x first. */
struct InterpolationType
{
  /** Pixels are copied unchanged, without arithmetic. */
  static constexpr bool MovesPixels = false;
  /** The value is a sum over the supports of a basis (EvaluateOnGrid()): derivatives are supported. */
  static constexpr bool HasBasis = false;
  /** The kernels that read tiles of the input (boxes and marches) support its basis. */
  static constexpr bool HasTiles = false;
  /** The samples are filtered to coefficients, which depend on the whole image. */
  static constexpr bool HasCoefficients = false;
  /** Weights are non-negative and sum to 1, and ModeErrorBound() is derived for them. */
  static constexpr bool HasErrorBound = false;
  /** The components of a pixel may be contiguous (SourceDescriptor::isInterleaved). */
  static constexpr bool ReadsInterleaved = false;
  /** Pixels with several components are evaluated one component at a time. */
  static constexpr bool HasComponents = false;
  /** The reach does not depend on parameters of the method, except the order. */
  static constexpr bool HasFixedReach = true;
  /** Samples outside are mirrored unless an address mode is given. Else the border samples are repeated. */
  static constexpr bool IsMirrored = false;
};

/** \brief Type of Interpolation::Nearest. */
struct NearestInterpolation : InterpolationType
{
  /** See InterpolationType. */
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
  /** See InterpolationType. */
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
  /** See InterpolationType. */
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
  /** See InterpolationType. */
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
  /** See InterpolationType. */
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
  /** See InterpolationType. */
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

/** \brief VisitInterpolation() for the types of the list from VIndex on.
 *
 * \param[in] index index of the type
 * \param[in] visit callable with an object of each type */
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
 * \exception std::invalid_argument an invalid value of Interpolation */
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

/** \brief Number of input samples of a value along an axis; 0 if samples are only copied.
 *
 * \param[in] method the method
 * \param[in] order order of the source's coefficients
 * \param[in] axis 0 to 2, x first */
inline double
GetTaps(const InterpolationDescriptor & method, unsigned int order, unsigned int axis)
{
  return VisitInterpolation(method.interpolation, [&](auto type) { return type.Taps(method, order, axis); });
}

/** \brief Number of samples that are read before the floor of an index; one more may be read after it.
 *
 * \param[in] method the method
 * \param[in] order order of the source's coefficients
 * \param[in] axis 0 to 2, x first */
inline std::int64_t
GetReach(const InterpolationDescriptor & method, unsigned int order, unsigned int axis)
{
  return VisitInterpolation(method.interpolation, [&](auto type) { return type.Reach(method, order, axis); });
}

/** @} */
} // namespace itk::CudaSpline

#endif
