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
#ifndef RandomComparisonBounds_hxx
#define RandomComparisonBounds_hxx

#include "RandomComparison.h"

#include <algorithm>

/** \file
 * \brief How far a value of a case may be from ITK's; read by RandomComparison.h. */

namespace CudaSplineTest
{

template <typename TIn, typename TOut, unsigned int VDimension, typename TReal>
double
RandomComparison<TIn, TOut, VDimension, TReal>::Bound() const
{
  if (m_Method == Method::Nearest || m_Method == Method::Labels || m_Outcome.backend == Backend::Superclass)
  {
    return 0.0;
  }
  const bool isDouble = m_Precision == itk::CudaSplinePrecision::Double ||
                        NeedsDoublePrecision(ScalarTypeOf<InputNumber>()) ||
                        NeedsDoublePrecision(ScalarTypeOf<OutputNumber>());
  double slope = 0.0; // a sample
  double bound = 0.0;
  if (m_Method == Method::Sinc)
  {
    const double norm = std::pow(2.28, VDimension) * m_Largest;
    bound = 0x1p-53 * norm * (2.0 * VDimension * (66.0 * m_Radius + 1.0) + std::pow(2.0 * m_Radius, VDimension)) +
            (isDouble ? 0.0 : 0x1p-24 * norm);
    slope = 4.0 * norm; // a window's lobes are wider than a quarter of a sample
  }
  else
  {
    SourceDescriptor descriptor;
    descriptor.dimension = VDimension;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      descriptor.size[d] = static_cast<std::int64_t>(m_Input->GetBufferedRegion().GetSize(d));
    }
    descriptor.order = m_Order;
    descriptor.element = isDouble ? ScalarType::Float64 : ScalarType::Float32;
    const bool   isReady = m_Method == Method::Ready; // the pixels are the coefficients
    const double coefficient = isReady ? m_Largest : LargestCoefficient(descriptor, m_Largest);
    // The start of ITK's recursion has an error of up to 3.7e-10 (order 5) per axis.
    bound = (isReady ? 0.0 : CoefficientAgreement(descriptor, m_Largest)) +
            ValueAgreement(descriptor, std::max(1U, m_Order), coefficient) +
            (m_Order >= 2 && !isReady ? VDimension * ((isDouble ? 1.1e-16 : 6e-8) + 3.7e-10) * coefficient : 0.0);
    slope = 2.0 * coefficient;
  }
  return bound + (m_IsLinear ? 0.0 : 1e-9 * VDimension * slope);
}

template <typename TIn, typename TOut, unsigned int VDimension, typename TReal>
bool
RandomComparison<TIn, TOut, VDimension, TReal>::MayFlip(const typename Output::IndexType & index) const
{
  typename Output::PointType point;
  m_Grid->TransformIndexToPhysicalPoint(index, point);
  typename TransformDraw<TReal, VDimension>::TransformType::InputPointType from;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    from[d] = static_cast<TReal>(point[d]);
  }
  const auto   mapped = m_Transform->TransformPoint(from);
  const auto   at = m_Input->template TransformPhysicalPointToContinuousIndex<double>(mapped);
  const auto & region = m_Input->GetBufferedRegion();
  bool         flips = false;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    const double lower = static_cast<double>(region.GetIndex(d)) - 0.5;
    const double upper = lower + static_cast<double>(region.GetSize(d));
    const auto   decisions = [&](double x) {
      std::vector<double> made{ x >= lower ? 1.0 : 0.0, x < upper ? 1.0 : 0.0 };
      if (m_Method == Method::Nearest || m_Extrapolated)
      {
        made.push_back(std::floor(x + 0.5));
      }
      if (this->IsSpline())
      {
        // ITK finds the support in single precision.
        made.push_back(std::floor(static_cast<float>(x) + (m_Order % 2 == 0 ? 0.5F : 0.0F)));
      }
      return made;
    };
    flips = flips || decisions(at[d] - 1e-9) != decisions(at[d] + 1e-9);
  }
  return flips;
}

template <typename TIn, typename TOut, unsigned int VDimension, typename TReal>
void
RandomComparison<TIn, TOut, VDimension, TReal>::Compare(const Output * ours, const Output * theirs)
{
  if (ours->GetBufferedRegion() != theirs->GetBufferedRegion() || ours->GetBufferedRegion() != m_Wanted ||
      ours->GetOrigin() != theirs->GetOrigin() || ours->GetDirection() != theirs->GetDirection())
  {
    m_Outcome.failure = "another region or geometry";
    return;
  }
  const std::vector<double> a = Numbers(ours);
  const std::vector<double> b = Numbers(theirs);
  std::vector<double>       real; // before truncation
  const double              bound = this->Bound();
  constexpr bool            isInteger = std::is_integral<OutputNumber>::value;
  if constexpr (isInteger)
  {
    using RealPixel = typename itk::NumericTraits<TOut>::RealType;
    using Real = itk::ResampleImageFilter<Input, itk::Image<RealPixel, VDimension>, TReal, TReal>;
    if (bound > 0.0)
    {
      auto judge = Real::New();
      this->Prepare(judge.GetPointer(), this->MakeInterpolator(true));
      this->Update(judge.GetPointer());
      real = Numbers(judge->GetOutput());
    }
  }
  m_Outcome.samples = static_cast<long>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
  {
    m_Outcome.inside += b[i] != m_Defaults[i % m_Components] ? 1 : 0;
    if (a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]))
    {
      continue;
    }
    ++m_Outcome.differing;
    const double difference = std::abs(a[i] - b[i]);
    bool         allowed = false;
    if (isInteger)
    {
      allowed = !real.empty() && (bound > 0.5 ? difference <= bound + 1.0
                                              : difference == 1.0 && std::abs(real[i] - std::round(real[i])) <= bound);
    }
    else
    {
      const double rounding =
        bound > 0.0 ? 2.0 * UnitOf(ScalarTypeOf<OutputNumber>()) * std::max(std::abs(a[i]), std::abs(b[i])) : 0.0;
      allowed = difference <= bound + rounding;
      m_Outcome.worst = std::max(m_Outcome.worst, allowed ? difference / (bound + rounding) : 0.0);
    }
    if (allowed)
    {
      continue;
    }
    const auto index = ours->ComputeIndex(static_cast<itk::OffsetValueType>(i / m_Components));
    if (!m_IsLinear && m_Outcome.backend != Backend::Superclass && this->MayFlip(index))
    {
      ++m_Outcome.flips;
      continue;
    }
    if (m_Outcome.failure.empty())
    {
      std::ostringstream text;
      text.precision(17);
      text << "at " << index << " " << a[i] << " and ITK's " << b[i] << " differ by " << difference << ", allowed is "
           << bound;
      m_Outcome.failure = text.str();
    }
  }
}

} // namespace CudaSplineTest

#endif
