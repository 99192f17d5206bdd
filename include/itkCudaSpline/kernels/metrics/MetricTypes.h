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
#ifndef itkCudaSpline_kernels_metrics_MetricTypes_h
#define itkCudaSpline_kernels_metrics_MetricTypes_h

#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

/** \file
 * \brief The metrics of registrations: one list of types with what differs from metric to metric.
 *
 * Everything that asks a metric for a property (names, requirements, which derivatives it has) asks these types.
 * What a metric computes is in its folder of src/kernels/metrics; its classes of ITK are in
 * itkCudaSpline/itk/MetricClasses.h. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What is compared of two images. The list of types has the same order. */
enum class MetricKind : unsigned char
{
  MeanSquares,      ///< mean of the squared differences
  Correlation,      ///< minus the square of the correlation
  Mattes,           ///< minus the mutual information, from a joint histogram
  LocalCorrelation, ///< minus the mean of the squared correlations in windows, with ITK's approximate derivative
  Demons,           ///< mean of the squared differences, with the demons force
  ExactCorrelation, ///< minus the mean of the squared correlations in windows, with its exact derivative
  SelfSimilarity,   ///< mean of the squared differences of self-similarity descriptors (MIND-SSC)
  GradientFields    ///< mean of the squared sines of the angles between gradients (normalized gradient fields)
};

/** \brief Common properties of metric types; each type overrides those that differ.
 *
 * There is one type for each value of MetricKind. In addition to these constants it has
 *
 * * Kind, the value; Name, its name in the sources; Word, its name for users; Description, its description;
 * * ItkClass, the name of ITK's class; the module's class has the same name with the prefix \c Cuda. */
struct MetricType
{
  /** Null for a metric that ITK does not have. */
  static constexpr const char * ItkClass = nullptr;
  /** Other names for users, separated by spaces: names in ITK, ANTs and elastix, in lower case. */
  static constexpr const char * OtherWords = "";
  /** Users can select it for a stage. */
  static constexpr bool IsForStages = true;
  /** Its value has the squared unit of the images: it depends on the scale of their values. */
  static constexpr bool HasSquaredUnit = false;
  /** Number of sets of weights whose contributions are added to the derivative. Each set is multiplied with the
   * gradient of the moving image. */
  static constexpr unsigned int Sets = 1;
  /** Passes over the samples to compute value and derivative. */
  static constexpr unsigned int Passes = 1;
  /** It has a derivative with respect to the parameters of linear transforms and the coefficients of B-splines. */
  static constexpr bool HasParameterDerivative = true;
  /** It has a force at each sample, for registrations of displacement fields. */
  static constexpr bool HasFieldForce = true;
  /** Its value is computed from a joint histogram: it has a number of bins, and uses the range of values of both
   * images. */
  static constexpr bool HasHistogram = false;
  /** It compares windows, or differences of neighbours: its samples must be all those of a grid. */
  static constexpr bool HasWindows = false;
  /** Its windows have a radius. */
  static constexpr bool HasRadius = false;
  /** It compares gradients, with edge parameters that are fractions of their mean magnitudes in both images. */
  static constexpr bool HasEdgeParameters = false;
  /** Variances of its windows have floors, which are fractions of the ranges of values of both images. */
  static constexpr bool HasVarianceFloors = false;
  /** It compares feature vectors of the images of a level at the mapped samples. */
  static constexpr bool HasFeatures = false;
  /** The force on one image may use the gradient of the other image. */
  static constexpr bool ExchangesGradients = false;
};

/** \brief Type of MetricKind::MeanSquares. */
struct MeanSquaresMetric : MetricType
{
  /** See MetricType. */
  ///@{
  static constexpr MetricKind   Kind = MetricKind::MeanSquares;
  static constexpr const char * Name = "MeanSquares";
  static constexpr const char * Word = "meansquares";
  static constexpr const char * OtherWords = "msq";
  static constexpr const char * Description = "mean squares";
  static constexpr bool         HasSquaredUnit = true;
  static constexpr const char * ItkClass = "MeanSquaresImageToImageMetricv4";
  ///@}
};

/** \brief Type of MetricKind::Correlation. */
struct CorrelationMetric : MetricType
{
  /** See MetricType. ITK adds the derivatives of all samples to the displacement of the first one: there is no force at
   * each sample. */
  ///@{
  static constexpr MetricKind   Kind = MetricKind::Correlation;
  static constexpr const char * Name = "Correlation";
  static constexpr const char * Word = "correlation";
  static constexpr const char * OtherWords = "gc globalcorrelation";
  static constexpr const char * Description = "correlation";
  static constexpr const char * ItkClass = "CorrelationImageToImageMetricv4";
  static constexpr unsigned int Sets = 2;
  static constexpr unsigned int Passes = 2;
  static constexpr bool         HasFieldForce = false;
  ///@}
};

/** \brief Type of MetricKind::Mattes. */
struct MattesMetric : MetricType
{
  /** See MetricType. */
  ///@{
  static constexpr MetricKind   Kind = MetricKind::Mattes;
  static constexpr const char * Name = "Mattes";
  static constexpr const char * Word = "mattes";
  static constexpr const char * OtherWords = "mi mattesmutualinformation";
  static constexpr const char * Description = "mutual information";
  static constexpr const char * ItkClass = "MattesMutualInformationImageToImageMetricv4";
  static constexpr unsigned int Passes = 2;
  static constexpr bool         HasHistogram = true;
  ///@}
};

/** \brief Type of MetricKind::LocalCorrelation. */
struct LocalCorrelationMetric : MetricType
{
  /** See MetricType. */
  ///@{
  static constexpr MetricKind   Kind = MetricKind::LocalCorrelation;
  static constexpr const char * Name = "LocalCorrelation";
  static constexpr const char * Word = "cc";
  static constexpr const char * Description = "local correlation";
  static constexpr const char * ItkClass = "ANTSNeighborhoodCorrelationImageToImageMetricv4";
  static constexpr bool         HasWindows = true;
  static constexpr bool         HasRadius = true;
  ///@}
};

/** \brief Type of MetricKind::Demons. */
struct DemonsMetric : MetricType
{
  /** See MetricType. */
  ///@{
  static constexpr MetricKind   Kind = MetricKind::Demons;
  static constexpr const char * Name = "Demons";
  static constexpr const char * Word = "demons";
  static constexpr const char * Description = "demons";
  static constexpr bool         IsForStages = false; // the stage named "demons" uses the demons forces instead
  static constexpr bool         HasSquaredUnit = true;
  static constexpr const char * ItkClass = "DemonsImageToImageMetricv4";
  static constexpr bool         HasParameterDerivative = false;
  static constexpr bool         ExchangesGradients = true;
  ///@}
};

/** \brief Type of MetricKind::ExactCorrelation. */
struct ExactCorrelationMetric : MetricType
{
  /** See MetricType. ITK's metric neglects how a displacement changes the windows of neighbours. */
  ///@{
  static constexpr MetricKind   Kind = MetricKind::ExactCorrelation;
  static constexpr const char * Name = "ExactCorrelation";
  static constexpr const char * Word = "lncc";
  static constexpr const char * Description = "local correlation with its exact derivative";
  static constexpr bool         HasWindows = true;
  static constexpr bool         HasRadius = true;
  static constexpr bool         HasVarianceFloors = true;
  ///@}
};

/** \brief Type of MetricKind::SelfSimilarity. */
struct SelfSimilarityMetric : MetricType
{
  /** See MetricType. */
  ///@{
  static constexpr MetricKind   Kind = MetricKind::SelfSimilarity;
  static constexpr const char * Name = "SelfSimilarity";
  static constexpr const char * Word = "mind";
  static constexpr const char * Description = "self-similarity, across contrasts";
  static constexpr bool         HasParameterDerivative = false;
  static constexpr bool         HasFeatures = true;
  ///@}
};

/** \brief Type of MetricKind::GradientFields. */
struct GradientFieldsMetric : MetricType
{
  /** See MetricType. */
  ///@{
  static constexpr MetricKind   Kind = MetricKind::GradientFields;
  static constexpr const char * Name = "GradientFields";
  static constexpr const char * Word = "ngf";
  static constexpr const char * OtherWords = "normalizedgradientfields";
  static constexpr const char * Description = "normalized gradient fields, across contrasts";
  static constexpr bool         HasWindows = true;
  static constexpr bool         HasEdgeParameters = true;
  ///@}
};

/** \brief The list of the metric types, in the order of MetricKind. */
using MetricTypes = std::tuple<MeanSquaresMetric,
                               CorrelationMetric,
                               MattesMetric,
                               LocalCorrelationMetric,
                               DemonsMetric,
                               ExactCorrelationMetric,
                               SelfSimilarityMetric,
                               GradientFieldsMetric>;

/** \brief Number of metric types. */
inline constexpr std::size_t MetricCount = std::tuple_size<MetricTypes>::value;

namespace MetricDetail
{
/** \brief Whether the types are in the order of MetricKind. */
template <std::size_t... VIndices>
constexpr bool
AreInOrder(std::index_sequence<VIndices...>)
{
  return ((std::tuple_element_t<VIndices, MetricTypes>::Kind == static_cast<MetricKind>(VIndices)) && ...);
}
static_assert(AreInOrder(std::make_index_sequence<MetricCount>()), "The list has the order of the enumeration.");

/** \brief VisitMetric() for the types of the list from VIndex on.
 *
 * \param[in] index index of the type
 * \param[in] visit callable with an object of each type */
template <std::size_t VIndex, typename TVisit>
constexpr auto
Visit(std::size_t index, const TVisit & visit)
{
  if constexpr (VIndex + 1 < MetricCount)
  {
    if (index != VIndex)
    {
      return Visit<VIndex + 1>(index, visit);
    }
  }
  else if (index != VIndex)
  {
    throw std::invalid_argument("unknown metric");
  }
  return visit(std::tuple_element_t<VIndex, MetricTypes>());
}
} // namespace MetricDetail

/** \brief Calls \p visit with an object of the type of a metric, and returns its result.
 *
 * \param[in] kind the metric
 * \param[in] visit callable with an object of each type, whose result has the same type for all
 * \exception std::invalid_argument an invalid value of MetricKind */
template <typename TVisit>
constexpr auto
VisitMetric(MetricKind kind, const TVisit & visit)
{
  return MetricDetail::Visit<0>(static_cast<std::size_t>(kind), visit);
}

/** \brief Calls \p visit with an object of each metric type, in the order of the list. */
template <typename TVisit>
constexpr void
ForEachMetric(const TVisit & visit)
{
  std::apply([&visit](auto... types) { (visit(types), ...); }, MetricTypes());
}

/** \brief Properties of a metric; see MetricType. */
///@{
constexpr const char *
NameOf(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::Name; });
}
constexpr const char *
WordOf(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::Word; });
}
constexpr const char *
DescriptionOf(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::Description; });
}
constexpr bool
IsForStages(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::IsForStages; });
}
constexpr bool
HasSquaredUnit(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::HasSquaredUnit; });
}
constexpr unsigned int
CountSets(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::Sets; });
}
constexpr unsigned int
CountPasses(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::Passes; });
}
constexpr bool
HasParameterDerivative(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::HasParameterDerivative; });
}
constexpr bool
HasFieldForce(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::HasFieldForce; });
}
constexpr bool
HasHistogram(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::HasHistogram; });
}
constexpr bool
HasVarianceFloors(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::HasVarianceFloors; });
}
constexpr bool
HasFeatures(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::HasFeatures; });
}
constexpr bool
HasWindows(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::HasWindows; });
}
constexpr bool
HasRadius(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::HasRadius; });
}
constexpr bool
HasEdgeParameters(MetricKind kind)
{
  return VisitMetric(kind, [](auto type) { return decltype(type)::HasEdgeParameters; });
}
///@}

/** \brief True for every metric: a property that selects all of them. */
constexpr bool
AnyMetric(MetricKind)
{
  return true;
}

/** \brief The metrics with a property, in the order of the list.
 *
 * \tparam VHas a function of a kind, as HasFieldForce() */
template <bool (*VHas)(MetricKind)>
inline constexpr auto MetricsThat = []() {
  constexpr auto count = []() {
    std::size_t number = 0;
    for (std::size_t i = 0; i < MetricCount; ++i)
    {
      number += VHas(static_cast<MetricKind>(i)) ? 1 : 0;
    }
    return number;
  }();
  std::array<MetricKind, count> found{};
  std::size_t                   at = 0;
  for (std::size_t i = 0; i < MetricCount; ++i)
  {
    if (VHas(static_cast<MetricKind>(i)))
    {
      found[at++] = static_cast<MetricKind>(i);
    }
  }
  return found;
}();

/** \brief All metrics; those that users can select for a stage; those with a derivative for linear transforms and
 * B-splines; those with a force for displacement fields. */
///@{
inline constexpr auto AllMetrics = MetricsThat<AnyMetric>;
inline constexpr auto StageMetrics = MetricsThat<IsForStages>;
inline constexpr auto ParameterMetrics = MetricsThat<HasParameterDerivative>;
inline constexpr auto FieldMetrics = MetricsThat<HasFieldForce>;
///@}

namespace MetricDetail
{
/** \brief Whether a list of words, separated by spaces, contains a word. */
constexpr bool
HasWord(std::string_view list, std::string_view word)
{
  while (!word.empty() && !list.empty())
  {
    const std::size_t end = list.find(' ');
    if (list.substr(0, end) == word)
    {
      return true;
    }
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return false;
}
} // namespace MetricDetail

/** \brief Finds a metric by its name in the sources (\c Name) or for users (\c Word or one of \c OtherWords, in lower
 * case); empty for an unknown name. */
///@{
constexpr std::optional<MetricKind>
FindMetricByName(std::string_view name)
{
  for (const MetricKind kind : AllMetrics)
  {
    if (name == NameOf(kind))
    {
      return kind;
    }
  }
  return std::nullopt;
}
constexpr std::optional<MetricKind>
FindMetricByWord(std::string_view word)
{
  for (const MetricKind kind : AllMetrics)
  {
    const bool isOther =
      VisitMetric(kind, [word](auto type) { return MetricDetail::HasWord(decltype(type)::OtherWords, word); });
    if (word == WordOf(kind) || isOther)
    {
      return kind;
    }
  }
  return std::nullopt;
}
///@}

/** @} */
} // namespace itk::CudaSpline

#endif
