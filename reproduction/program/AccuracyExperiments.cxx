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
#include "../../benchmark/SplineValues.h"
#include "Ways.h"
#include "LongDoubleSpline.h"
#include "Workplace.h"

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/evaluation/ErrorBounds.h"
#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"
#include "itkCudaSpline/math/FirTaps.h"
#include "itkCudaSpline/math/SplinePoles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

/** \file
 * \brief Errors of values of B-splines by order, stage and mode, in the interior and near the edges, with their derived
 * bounds: the figures of doc/Accuracy.md. The reference is the exact prefilter and the exact sum in double, which is
 * itself compared with long double. Also errors of the interpolations that have no prefilter. */

namespace
{
using namespace itk::CudaSpline;

using Kind = PrefilterMethod::Kind;

/** What the bounds of an order are made of. */
struct OrderBounds
{
  double norm{ 1.0 };      ///< of the prefilter: sum of the magnitudes of its response
  double causal{ 1.0 };    ///< A, the same of one direction
  double poles{ 0.0 };     ///< their number
  double firError{ 0.0 };  ///< of 15 normalised taps along an axis, by the largest sample
  double firWeight{ 0.0 }; ///< sum of their magnitudes, at most
};

template <unsigned int VOrder>
OrderBounds
BoundsOfOrder()
{
  using Poles = SplinePoles<VOrder>;
  OrderBounds bounds;
  bounds.norm = Poles::Norm();
  bounds.poles = Poles::Count;
  for (unsigned int k = 0; k < Poles::Count; ++k)
  {
    bounds.causal /= 1.0 - std::abs(Poles::Pole(k));
  }
  bounds.firError = FirTruncationError<VOrder>(15, true);
  bounds.firWeight = bounds.norm + bounds.firError;
  return bounds;
}

OrderBounds
BoundsOf(unsigned int order)
{
  return order == 2 ? BoundsOfOrder<2>()
                    : (order == 3 ? BoundsOfOrder<3>() : (order == 4 ? BoundsOfOrder<4>() : BoundsOfOrder<5>()));
}

/** \brief What coordinates in single precision cost at most.
 *
 * A coordinate below 2^(e+1) is rounded by at most 2^(e-24). The slope of a B-spline along an axis is a mean of the
 * differences of neighbouring coefficients, weighted by the B-spline of one order less, whose weights are non-negative
 * and sum to 1: at most the largest of those differences, and the mirror adds none. */
double
CoordinateBound(const std::array<std::int64_t, 3> & size, const std::vector<double> & coefficients)
{
  double       bound = 0.0;
  std::int64_t stride = 1;
  for (const std::int64_t length : size)
  {
    double largest = 0.0;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(coefficients.size()); ++i)
    {
      if (i / stride % length + 1 < length)
      {
        largest = std::max(
          largest,
          std::abs(coefficients[static_cast<std::size_t>(i + stride)] - coefficients[static_cast<std::size_t>(i)]));
      }
    }
    bound += std::ldexp(largest, std::ilogb(static_cast<double>(length) - 0.5) - 24);
    stride *= length;
  }
  return bound;
}

/** \brief What ITK's rule of the support costs at most, in double precision (SplineSupportStart()).
 *
 * Within the rounding of a coordinate to float, and of its half more, 2^(e-23), of a breakpoint the polynomial of the
 * neighbouring piece may be taken. The two differ by the jump of the n-th derivative, a sum of n + 2 coefficients with
 * binomial weights, times the distance to the power of n over n!. */
double
SupportBound(const std::array<std::int64_t, 3> & size, unsigned int order, double largestCoefficient)
{
  double bound = 0.0;
  for (const std::int64_t length : size)
  {
    const double distance = std::ldexp(1.0, std::ilogb(static_cast<double>(length)) - 23);
    bound += std::pow(distance, order) * std::ldexp(1.0, static_cast<int>(order) + 1) / std::tgamma(order + 1.0);
  }
  return bound * largestCoefficient;
}

/** A picture, the places where it is evaluated, and the values there. */
class Study
{
public:
  Study(Workplace & place, const std::string & name, const Picture & picture, unsigned int order)
    : m_Place(place)
    , m_Name(name)
    , m_Picture(picture)
    , m_Order(order)
    , m_Range(picture.Range())
  {
    std::mt19937_64    random(20241120);
    const std::int64_t count = place.quick ? 4000 : 200000;
    for (std::int64_t i = 0; i < count; ++i)
    {
      bool inside = true;
      for (unsigned int d = 0; d < 3; ++d)
      {
        const double length = static_cast<double>(picture.size[d]);
        const double at = static_cast<double>(random() >> 11) / 9007199254740992.0 * length - 0.5;
        inside = inside && at >= 15.0 && at <= length - 16.0;
        m_Points.push_back(at);
      }
      m_Interior.push_back(inside);
    }
    for (const double value : picture.values)
    {
      m_Largest = std::max(m_Largest, std::abs(value));
    }
    if (order < 2)
    {
      return;
    }
    m_Exact = this->Coefficients<double>(Kind::Exact);
    for (const double value : m_Exact)
    {
      m_LargestCoefficient = std::max(m_LargestCoefficient, std::abs(value));
    }
    m_Expected = this->Values(*this->Source(m_Exact));
  }

  template <typename TReal>
  std::vector<TReal>
  Coefficients(Kind kind) const
  {
    const SourceDescriptor   descriptor = this->Describe(ScalarTypeOf<TReal>(), kind);
    const std::vector<TReal> samples(m_Picture.values.begin(), m_Picture.values.end());
    std::vector<TReal>       coefficients(samples.size());
    Prefilter(descriptor, samples.data(), coefficients.data(), m_Place.context);
    return coefficients;
  }

  /** A source of coefficients. */
  template <typename TReal>
  SourcePointer
  Source(std::vector<TReal> coefficients, CoefficientStorage storage = CoefficientStorage::Element, int table = 0) const
  {
    SourceDescriptor descriptor = this->Describe(ScalarTypeOf<TReal>(), Kind::Coefficients);
    descriptor.storage = storage;
    descriptor.tableEntries = table;
    return KeepSource(descriptor, std::move(coefficients), m_Place.context);
  }

  InterpolationDescriptor
  Method(EvaluationMode mode, bool singleCoordinates) const
  {
    return SplineMethodWithin(m_Picture.size, mode, singleCoordinates);
  }

  std::vector<double>
  Values(const SampleSource & source, EvaluationMode mode = EvaluationMode::Exact, bool singleCoordinates = false) const
  {
    return ValuesAt(m_Points, this->Method(mode, singleCoordinates), source, m_Place.context);
  }

  /** The mode in double precision, against long double. */
  void
  AddDouble(const OrderBounds & bounds) const
  {
    const double unit = 0x1p-53;
    const double axis = 1.1e-16 + bounds.poles * (6.0 * bounds.causal + 2.0) * unit; // of the prefilter, by norm
    const double prefilter = m_Largest * std::pow(bounds.norm, 3) * axis * (3.0 + axis * (3.0 + axis));
    const double sum = 3.0 * (3.0 * m_Order + 8.0) * unit * m_LargestCoefficient;
    const auto   exact = LongDoubleSpline(m_Picture, m_Order, m_Points, m_Place.context);
    // Differences, taken before they are rounded.
    std::vector<double> errors;
    for (std::size_t i = 0; i < exact.size(); ++i)
    {
      errors.push_back(static_cast<double>(m_Expected[i] - exact[i]));
    }
    const double support = SupportBound(m_Picture.size, m_Order, m_LargestCoefficient);
    this->Add("mode: exact, double", prefilter + sum + support, errors, std::vector<double>(errors.size()));
  }

  /** Adds a row for the interior and one for the places within 15 samples of an edge. */
  void
  Add(const std::string &         what,
      double                      bound,
      const std::vector<double> & values,
      const std::vector<double> & expected) const
  {
    for (const bool interior : { true, false })
    {
      std::vector<double> errors;
      double              squares = 0.0;
      for (std::size_t i = 0; i < values.size(); ++i)
      {
        if (m_Interior[i] == interior)
        {
          errors.push_back(std::abs(values[i] - expected[i]) / m_Range);
          squares += errors.back() * errors.back();
        }
      }
      std::sort(errors.begin(), errors.end());
      const auto last = static_cast<double>(errors.size() - 1);
      m_Place.report.Add({ { "image", m_Name },
                           { "order", m_Label.empty() ? JsonText(static_cast<int>(m_Order)) : JsonText(m_Label) },
                           { "what", what },
                           { "where", interior ? "interior" : "within 15 samples of an edge" } },
                         { { "bound_of_range", bound / m_Range },
                           { "largest_of_range", errors.back() },
                           { "p99.9_of_range", errors[static_cast<std::size_t>(0.999 * last)] },
                           { "rms_of_range", std::sqrt(squares / static_cast<double>(errors.size())) } });
    }
  }

  /** Nearest neighbours, linear and Catmull-Rom interpolation in single precision, against double. */
  void
  RunWithoutPrefilter(const std::string & name, Interpolation interpolation, double bound)
  {
    InterpolationDescriptor method = this->Method(EvaluationMode::Exact, false);
    method.interpolation = interpolation;
    const auto values = [&](auto real) {
      using Real = decltype(real);
      SourceDescriptor descriptor = this->Describe(ScalarTypeOf<Real>(), Kind::Exact);
      descriptor.order = interpolation == Interpolation::Linear ? 1 : 0;
      const auto source =
        KeepSource(descriptor, std::vector<Real>(m_Picture.values.begin(), m_Picture.values.end()), m_Place.context);
      return ValuesAt(m_Points, method, *source, m_Place.context);
    };
    m_Label = name;
    // Samples are rounded to single precision, which errs by what the magnitudes of the weights sum to.
    const double rounding = interpolation == Interpolation::CubicConvolution ? std::pow(1.25, 3) : 1.0;
    this->Add("mode: exact, single", 0x1p-24 * m_Largest * (rounding + bound), values(0.0F), values(0.0));
  }

  void
  Run() const
  {
    const OrderBounds bounds = BoundsOf(m_Order);
    const double      unit = 0x1p-24;
    const double      prefilter =
      m_Largest * (std::pow(bounds.norm * (1.0 + 6e-8 + bounds.poles * (6.0 * bounds.causal + 2.0) * unit), 3) -
                   std::pow(bounds.norm, 3));
    const double             sum = 3.0 * (3.0 * m_Order + 8.0) * unit * m_LargestCoefficient;
    const double             storage = unit * m_LargestCoefficient;
    const double             taps = m_Largest * (std::pow(bounds.norm + bounds.firError, 3) - std::pow(bounds.norm, 3));
    const auto               singles = this->Coefficients<float>(Kind::Exact);
    const std::vector<float> rounded(m_Exact.begin(), m_Exact.end());
    const std::vector<double> roundedAgain(rounded.begin(), rounded.end());
    const auto                exactOfRounded = this->Values(*this->Source(roundedAgain));
    this->Add("stage: prefilter, single",
              prefilter,
              this->Values(*this->Source(std::vector<double>(singles.begin(), singles.end()))),
              m_Expected);
    this->Add("stage: prefilter, 15 taps",
              taps,
              this->Values(*this->Source(this->Coefficients<double>(Kind::Fir))),
              m_Expected);
    this->Add("stage: storage, float", storage, exactOfRounded, m_Expected);
    this->Add("stage: weights and sum, single", sum, this->Values(*this->Source(rounded)), exactOfRounded);
    this->Add("stage: coordinates, single",
              CoordinateBound(m_Picture.size, m_Exact),
              this->Values(*this->Source(m_Exact), EvaluationMode::Exact, true),
              m_Expected);
    // Samples are stored as single precision first, which errs by as much as storing does.
    this->Add("mode: exact, single",
              prefilter + storage + sum + unit * m_Largest * std::pow(bounds.norm, 3),
              this->Values(*this->Source(singles)),
              m_Expected);
    this->AddDouble(bounds);
    const auto add = [&](const std::string & what, CoefficientStorage stored, EvaluationMode mode, int table) {
      const SourcePointer source = this->Source(singles, stored, table);
      const double        bound = ModeErrorBound(this->Method(mode, false), *source, m_Place.context) + prefilter +
                           unit * m_Largest * std::pow(bounds.norm, 3);
      this->Add(what, bound, this->Values(*source, mode), m_Expected);
    };
    if (m_Order == 3)
    {
      add("mode: 16-bit integers", CoefficientStorage::Int16, EvaluationMode::Exact, 0);
      add("mode: halves", CoefficientStorage::Half, EvaluationMode::Exact, 0);
    }
    add("mode: texture", CoefficientStorage::Texture, EvaluationMode::Texture, 0);
    add("mode: texture, table of 128", CoefficientStorage::Texture, EvaluationMode::TextureTable, SmallestTable);
  }

private:
  SourceDescriptor
  Describe(ScalarType type, Kind kind) const
  {
    SourceDescriptor descriptor;
    std::copy(m_Picture.size.begin(), m_Picture.size.end(), descriptor.size.begin());
    descriptor.pixel = type;
    descriptor.element = type;
    descriptor.order = m_Order;
    descriptor.method.kind = kind;
    return descriptor;
  }

  Workplace &         m_Place;
  std::string         m_Name;
  const Picture &     m_Picture;
  unsigned int        m_Order;
  double              m_Range;
  double              m_Largest{ 0.0 };
  double              m_LargestCoefficient{ 0.0 };
  std::string         m_Label; ///< in place of the order
  std::vector<double> m_Points;
  std::vector<bool>   m_Interior;
  std::vector<double> m_Exact;
  std::vector<double> m_Expected;
};

void
Accuracy(Workplace & place)
{
  for (const auto & [name, picture] :
       place.Inputs(3, { "noise", "shepp-logan", "zone-plate", "ct" }, place.quick ? 40 : 96))
  {
    for (const unsigned int order : { 2U, 3U, 4U, 5U })
    {
      Study(place, name, picture, order).Run();
    }
    Study plain(place, name, picture, 0);
    // By the largest sample and 2^-24: a sample as it is; (3 n + 8) an axis; D 80 (1 + tension)^D.
    plain.RunWithoutPrefilter("nearest", Interpolation::Nearest, 0.0);
    plain.RunWithoutPrefilter("linear", Interpolation::Linear, 3.0 * 11.0);
    plain.RunWithoutPrefilter("Catmull-Rom", Interpolation::CubicConvolution, 3.0 * 80.0 * std::pow(1.5, 3));
  }
}
} // namespace

std::vector<Experiment>
AccuracyExperiments()
{
  return { { "accuracy", "errors of values by order, stage and mode, with their bounds", Accuracy } };
}
