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
#ifndef RandomComparisonDraw_hxx
#define RandomComparisonDraw_hxx

#include "RandomComparison.h"

#include <algorithm>

/** \file
 * \brief How images, methods and grids of a case are drawn; read by RandomComparison.h. */

namespace CudaSplineTest
{

template <typename TIn, typename TOut, unsigned int VDimension, typename TReal>
void
RandomComparison<TIn, TOut, VDimension, TReal>::MakeInput()
{
  m_Simple = m_Draw.Percent(12);
  const double step = m_Draw.Percent(50) ? 0.5 : 0.1; // exact numbers, and rounded ones
  m_Input = Input::New();
  typename Input::RegionType  region;
  typename Input::SpacingType spacing;
  typename Input::PointType   origin;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    region.SetSize(
      d, static_cast<itk::SizeValueType>(m_Draw.Integer(m_Draw.Percent(20) ? 1 : 4, VDimension == 1 ? 60 : 14)));
    region.SetIndex(d, m_Draw.Integer(-20, 20));
    spacing[d] = m_Simple ? step : m_Draw.Uniform(0.3, 3.0);
    origin[d] = m_Simple ? step * m_Draw.Integer(-9, 9) : m_Draw.Uniform(-200.0, 200.0);
  }
  if (m_Draw.InPieces()) // coefficients are divided only where an axis has several segments
  {
    region.SetSize(static_cast<unsigned int>(m_Draw.Integer(0, VDimension - 1)),
                   static_cast<itk::SizeValueType>(m_Draw.Integer(70, 240)));
  }
  m_Input->SetRegions(region);
  m_Input->SetSpacing(spacing);
  m_Input->SetOrigin(origin);
  if (!m_Simple && m_Draw.Percent(80))
  {
    m_Input->SetDirection(m_Draw.template Rotation<typename Input::DirectionType>(VDimension, 3.1));
  }
  m_Components =
    IsLists ? static_cast<unsigned int>(m_Draw.Integer(2, 5)) : itk::CudaSplineDetail::ImageTraits<Output>::Components;
  m_Input->SetNumberOfComponentsPerPixel(m_Components);
  m_Input->Allocate();
  auto * const numbers = reinterpret_cast<InputNumber *>(m_Input->GetBufferPointer());
  const auto   count = region.GetNumberOfPixels() * m_Components;
  for (itk::SizeValueType i = 0; i < count; ++i)
  {
    numbers[i] = this->DrawNumber();
    m_Largest = std::max(m_Largest, std::abs(static_cast<double>(numbers[i])));
  }

  double                                   longest = 0.0;
  itk::ContinuousIndex<double, VDimension> middle;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    middle[d] = static_cast<double>(region.GetIndex(d)) + 0.5 * (static_cast<double>(region.GetSize(d)) - 1.0);
    const double extent = spacing[d] * static_cast<double>(region.GetSize(d));
    m_Place.extent = d == 0 ? extent : std::min(m_Place.extent, extent);
    longest = std::max(longest, extent);
    m_Place.step = d == 0 ? spacing[d] : std::min(m_Place.step, spacing[d]);
  }
  if (m_Draw.InPieces()) // so that the samples cover much of the long axis, and half of them are inside
  {
    m_Place.extent = std::pow(m_Place.extent, 0.65) * std::pow(longest, 0.35);
  }
  m_Input->TransformContinuousIndexToPhysicalPoint(middle, m_Place.center);
  m_Place.axes = m_Input->GetDirection();
}

template <typename TIn, typename TOut, unsigned int VDimension, typename TReal>
void
RandomComparison<TIn, TOut, VDimension, TReal>::DrawMethod()
{
  const int number = m_Draw.Integer(0, 99);
  m_Method = !IsScalar ? (number < 40 ? Method::Nearest : Method::Linear)
                       : (number < 16   ? Method::Nearest
                          : number < 34 ? Method::Linear
                          : number < 76 ? Method::BSpline
                          : number < 86 ? Method::Sinc
                          : number < 91 ? (HasReady ? Method::Ready : Method::BSpline)
                          : number < 96 ? (HasLabels && !m_Simple ? Method::Labels : Method::Linear) // without ties
                                        : Method::Users);
  m_Own = m_Draw.Percent(20);
  m_Order = static_cast<unsigned int>(m_Draw.Integer(0, 5));
  m_Radius = m_Draw.Integer(2, 3);
  m_Width = m_Draw.Uniform(0.4, 1.0);
  if (m_Method == Method::Labels) // whose image has to begin at index 0: the same point has another index
  {
    typename Input::PointType first;
    m_Input->TransformIndexToPhysicalPoint(m_Input->GetBufferedRegion().GetIndex(), first);
    m_Input->SetRegions(m_Input->GetBufferedRegion().GetSize());
    m_Input->SetOrigin(first);
  }
  if (this->IsSpline())
  {
    // ITK folds its support only once. Where it reads outside of the buffer it cannot be the reference.
    const auto & region = m_Input->GetBufferedRegion();
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const auto size = static_cast<unsigned int>(region.GetSize(d));
      if (size == 1 && region.GetIndex(d) != 0)
      {
        m_Method = Method::Linear;
      }
      m_Order = size > 1 ? std::min(m_Order, size) : m_Order;
    }
  }
  m_Order = this->IsSpline() ? m_Order : 0;
  const char * names[] = { "NearestNeighborInterpolateImageFunction",
                           "LinearInterpolateImageFunction",
                           "BSplineInterpolateImageFunction",
                           "WindowedSincInterpolateImageFunction",
                           "BSplineResampleImageFunction",
                           "LabelImageGaussianInterpolateImageFunction",
                           "UsersInterpolator" };
  m_Own = m_Own && m_Method <= Method::BSpline;
  m_Name = std::string(m_Own ? "Cuda" : "") + names[static_cast<int>(m_Method)];
}

template <typename TIn, typename TOut, unsigned int VDimension, typename TReal>
void
RandomComparison<TIn, TOut, VDimension, TReal>::DrawOutput()
{
  m_Grid = Output::New();
  typename Output::RegionType  region;
  typename Output::SpacingType spacing;
  auto                         origin = m_Place.center;
  auto                         direction = m_Input->GetDirection();
  if (!m_Simple && m_Draw.Percent(70))
  {
    direction = m_Draw.template Rotation<typename Output::DirectionType>(VDimension, 3.1);
  }
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    const int least = m_Draw.InPieces() ? 9 : 1;
    region.SetSize(d, static_cast<itk::SizeValueType>(m_Draw.Integer(least, VDimension == 1 ? 80 : 13)));
    region.SetIndex(d, m_Draw.Integer(-15, 15));
    spacing[d] = m_Simple ? m_Input->GetSpacing()[d]
                          : m_Place.extent * m_Draw.Uniform(0.2, 0.9) / static_cast<double>(region.GetSize(d));
  }
  if (m_Simple)
  {
    origin = m_Input->GetOrigin();
  }
  else
  {
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        origin[r] -=
          direction[r][c] * spacing[c] *
          (static_cast<double>(region.GetIndex(c)) + m_Draw.Uniform(0.3, 0.7) * static_cast<double>(region.GetSize(c)));
      }
    }
  }
  if (m_Simple) // near the input
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      region.SetIndex(d, m_Input->GetBufferedRegion().GetIndex(d) + m_Draw.Integer(-3, 3));
    }
  }
  m_Grid->SetRegions(region);
  m_Grid->SetSpacing(spacing);
  m_Grid->SetOrigin(origin);
  m_Grid->SetDirection(direction);
  m_Wanted = region;
  if (m_Draw.Percent(m_Draw.InPieces() ? 10 : 30))
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const int size = static_cast<int>(region.GetSize(d));
      const int first = m_Draw.Integer(0, size - 1);
      m_Wanted.SetIndex(d, region.GetIndex(d) + first);
      m_Wanted.SetSize(d, static_cast<itk::SizeValueType>(m_Draw.Integer(1, size - first)));
    }
  }
}

template <typename TIn, typename TOut, unsigned int VDimension, typename TReal>
void
RandomComparison<TIn, TOut, VDimension, TReal>::Describe(const std::string & transform)
{
  std::ostringstream text;
  text << NameOf(ScalarTypeOf<InputNumber>()) << " to " << NameOf(ScalarTypeOf<OutputNumber>())
       << (m_Components > 1 ? " x " + std::to_string(m_Components) : std::string())
       << (sizeof(TReal) == 4 ? ", float coordinates" : "") << ", " << m_Name;
  if (this->IsSpline())
  {
    text << ' ' << m_Order;
  }
  if (m_Method == Method::Sinc)
  {
    text << ' ' << m_Radius;
  }
  text << ", " << transform << ", " << m_Input->GetBufferedRegion().GetSize() << " to " << m_Wanted.GetSize() << " of "
       << m_Grid->GetLargestPossibleRegion().GetSize() << (m_Extrapolated ? ", extrapolated" : "")
       << (m_Reference ? ", reference" : "") << (m_Twice ? ", twice" : "")
       << (m_Precision == itk::CudaSplinePrecision::Double ? ", in double" : "")
       << (m_Simple ? ", whole and half indices" : "");
  m_Outcome.description = text.str();
}

template <typename TIn, typename TOut, unsigned int VDimension, typename TReal>
auto
RandomComparison<TIn, TOut, VDimension, TReal>::MakeInterpolator(bool itkOnly) const -> InterpolatorPointer
{
  const bool own = m_Own && !itkOnly;
  if (m_Method == Method::Nearest)
  {
    return own ? Made<itk::CudaNearestNeighborInterpolateImageFunction<Input, TReal>>()
               : Made<itk::NearestNeighborInterpolateImageFunction<Input, TReal>>();
  }
  if constexpr (IsScalar)
  {
    if (m_Method == Method::BSpline && own)
    {
      auto spline = itk::CudaBSplineInterpolateImageFunction<Input, TReal, double>::New();
      spline->SetSplineOrder(m_Order);
      return spline.GetPointer();
    }
    if (m_Method == Method::BSpline)
    {
      auto spline = itk::BSplineInterpolateImageFunction<Input, TReal, double>::New();
      spline->SetSplineOrder(m_Order);
      return spline.GetPointer();
    }
    if (m_Method == Method::Sinc)
    {
      using Hamming = itk::Function::HammingWindowFunction<3>;
      using Lanczos = itk::Function::LanczosWindowFunction<2>;
      return m_Radius == 3
               ? Made<itk::WindowedSincInterpolateImageFunction<Input,
                                                                3,
                                                                Hamming,
                                                                itk::ZeroFluxNeumannBoundaryCondition<Input, Input>,
                                                                TReal>>()
               : Made<itk::WindowedSincInterpolateImageFunction<Input,
                                                                2,
                                                                Lanczos,
                                                                itk::ZeroFluxNeumannBoundaryCondition<Input, Input>,
                                                                TReal>>();
    }
    if constexpr (HasReady)
    {
      if (m_Method == Method::Ready)
      {
        auto spline = itk::BSplineResampleImageFunction<Input, TReal>::New();
        spline->SetSplineOrder(m_Order);
        return spline.GetPointer();
      }
    }
    if constexpr (HasLabels)
    {
      if (m_Method == Method::Labels)
      {
        auto labels = itk::LabelImageGaussianInterpolateImageFunction<Input, TReal>::New();
        auto sigma = labels->GetSigma();
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          sigma[d] = m_Width * m_Input->GetSpacing()[d];
        }
        labels->SetSigma(sigma);
        labels->SetAlpha(static_cast<typename decltype(labels)::ObjectType::RealType>(m_Radius));
        return labels.GetPointer();
      }
    }
    if (m_Method == Method::Users)
    {
      return Made<UsersInterpolator<Input, TReal>>();
    }
  }
  return own ? Made<itk::CudaLinearInterpolateImageFunction<Input, TReal>>()
             : Made<itk::LinearInterpolateImageFunction<Input, TReal>>();
}

template <typename TIn, typename TOut, unsigned int VDimension, typename TReal>
std::size_t
RandomComparison<TIn, TOut, VDimension, TReal>::Limit(Ours * filter)
{
  if (!m_Draw.InPieces())
  {
    return 0;
  }
  const int          more = m_Draw.Integer(1, 4);
  itk::SizeValueType best = 0;
  std::size_t        planned = 0;
  itk::SizeValueType limit = 32 * m_Input->GetBufferedRegion().GetNumberOfPixels() * m_Components + 100000;
  for (int cuts = 0; limit > 0 && cuts < more; limit /= 2)
  {
    filter->SetMemoryLimit(limit);
    const itk::CudaSplineResamplePlan plan = this->PlanOf(filter);
    if (plan.backend == Backend::Superclass || (plan.pieces == 1 && cuts > 0) ||
        (m_Gpu && plan.backend != Backend::Cuda))
    {
      break; // less is not sufficient
    }
    cuts += plan.pieces > 1 ? 1 : 0;
    best = limit;
    planned = plan.pieces;
  }
  filter->SetMemoryLimit(best);
  return planned;
}

} // namespace CudaSplineTest

#endif
