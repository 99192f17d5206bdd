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
#ifndef itkCudaDisplacementFieldToBSplineImageFilter_hxx
#define itkCudaDisplacementFieldToBSplineImageFilter_hxx

#include "itkCudaDisplacementFieldToBSplineImageFilter.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace itk
{

template <typename TInputImage, typename TInputPointSet, typename TOutputImage>
void
CudaDisplacementFieldToBSplineImageFilter<TInputImage, TInputPointSet, TOutputImage>::PrintSelf(std::ostream & os,
                                                                                                Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
}

template <typename TInputImage, typename TInputPointSet, typename TOutputImage>
void
CudaDisplacementFieldToBSplineImageFilter<TInputImage, TInputPointSet, TOutputImage>::GenerateOutputInformation()
{
  const auto * const field = this->GetInput();
  if (field == nullptr)
  {
    Superclass::GenerateOutputInformation();
    return;
  }
  this->GetOutput()->CopyInformation(field); // not the control points' grid, which the superclass does too
  if (this->GetUseInputFieldToDefineTheBSplineDomain())
  {
    // The setter takes the domain for another one than the field's.
    this->SetBSplineDomain(
      field->GetOrigin(), field->GetSpacing(), field->GetLargestPossibleRegion().GetSize(), field->GetDirection());
    this->SetUseInputFieldToDefineTheBSplineDomain(true);
  }
}

template <typename TInputImage, typename TInputPointSet, typename TOutputImage>
const char *
CudaDisplacementFieldToBSplineImageFilter<TInputImage, TInputPointSet, TOutputImage>::Refusal() const
{
  if (!IsAccelerated)
  {
    return "only fields of float or double vectors in 2D and 3D are accelerated";
  }
  const auto * const field = this->GetInput();
  if (field == nullptr || this->GetPointSet() != nullptr)
  {
    return "only a field without points is accelerated";
  }
  if (!this->GetUseInputFieldToDefineTheBSplineDomain())
  {
    return "only the domain of the field itself is accelerated";
  }
  if (this->GetEstimateInverse())
  {
    return "the estimate of an inverse is not accelerated";
  }
  const auto controlPoints = this->GetNumberOfControlPoints();
  const auto levels = this->GetNumberOfFittingLevels();
  if (this->GetSplineOrder() != CubicOrder || *std::min_element(levels.Begin(), levels.End()) != 1 ||
      *std::max_element(levels.Begin(), levels.End()) != 1)
  {
    return "only cubic splines of one fitting level are accelerated";
  }
  if (*std::min_element(controlPoints.Begin(), controlPoints.End()) <= CubicOrder)
  {
    return "a spline has fewer control points than are accelerated";
  }
  const auto region = field->GetBufferedRegion();
  if (region != field->GetLargestPossibleRegion() || region != field->GetRequestedRegion() ||
      region != this->GetOutput()->GetRequestedRegion())
  {
    return "only whole fields are accelerated";
  }
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    if (region.GetIndex(d) != 0 || region.GetSize(d) < 2)
    {
      return "fields whose first index is not 0, or that are thin, are not accelerated";
    }
  }
  const auto * const confidence = this->GetConfidenceImage();
  if (confidence != nullptr)
  {
    if (confidence->GetBufferedRegion() != region)
    {
      return "only a confidence image of the samples of the field is accelerated";
    }
    const auto * const begin = confidence->GetBufferPointer();
    const auto * const end = begin + region.GetNumberOfPixels();
    if (std::any_of(begin, end, [](auto number) { return number != number; }))
    {
      return "a confidence image with values that are not numbers is not accelerated";
    }
    if (!this->GetEnforceStationaryBoundary() && std::none_of(begin, end, [](auto number) { return number > 0; }))
    {
      return "there are no points"; // ITK's exception
    }
  }
  return nullptr;
}

template <typename TInputImage, typename TInputPointSet, typename TOutputImage>
void
CudaDisplacementFieldToBSplineImageFilter<TInputImage, TInputPointSet, TOutputImage>::SetLattice(const double * numbers)
{
  using Lattice = typename Superclass::DisplacementFieldControlPointLatticeType;
  using Element = typename Lattice::PixelType::ValueType;
  const auto * const                   field = this->GetInput();
  const auto                           lattice = Lattice::New();
  typename Lattice::SizeType           size;
  typename Lattice::SpacingType        spacing;
  typename Lattice::PointType          origin;
  const typename TInputImage::SizeType samples = field->GetBufferedRegion().GetSize();
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    // With the roundings of BSplineScatteredDataPointSetToImageFilter, whose domain is float.
    const auto domain = static_cast<float>(field->GetSpacing()[d] * static_cast<float>(samples[d] - 1));
    size[d] = this->GetNumberOfControlPoints()[d];
    spacing[d] = domain / static_cast<float>(size[d] - CubicOrder);
    origin[d] = -0.5 * spacing[d] * (CubicOrder - 1);
  }
  origin = field->GetDirection() * origin;
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    origin[d] += field->GetOrigin()[d];
  }
  lattice->SetRegions(size);
  lattice->SetSpacing(spacing);
  lattice->SetOrigin(origin);
  lattice->SetDirection(field->GetDirection());
  lattice->Allocate();
  const auto count = lattice->GetBufferedRegion().GetNumberOfPixels();
  for (SizeValueType n = 0; n < count; ++n)
  {
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      lattice->GetBufferPointer()[n][d] = static_cast<Element>(numbers[d * count + n]);
    }
  }
  this->SetNthOutput(1, lattice);
}

template <typename TInputImage, typename TInputPointSet, typename TOutputImage>
void
CudaDisplacementFieldToBSplineImageFilter<TInputImage, TInputPointSet, TOutputImage>::GenerateData()
{
  const CudaSplineTrace::Describe describe = [this] {
    return std::string(this->GetNameOfClass()) + " | " +
           CudaSplineDetail::TraceSize(this->GetOutput()->GetRequestedRegion().GetSize(), ImageDimension) +
           " | BSpline " + std::to_string(this->GetSplineOrder()) + ", control points " +
           CudaSplineDetail::TraceSize(this->GetNumberOfControlPoints(), ImageDimension);
  };
  if (const char * const refusal = this->Refusal())
  {
    m_Backend.RunSuperclass(refusal, describe, [this] { Superclass::GenerateData(); });
    return;
  }
  if constexpr (IsAccelerated)
  {
    using Real = typename TInputImage::PixelType::ValueType;
    const TInputImage * const field = this->GetInput();
    TOutputImage * const      output = this->GetOutput();
    const auto * const        confidence = this->GetConfidenceImage();
    const auto                region = field->GetBufferedRegion();
    const auto                count = region.GetNumberOfPixels();
    output->SetBufferedRegion(region);
    output->Allocate();

    CudaSpline::FieldSplineFit fit;
    const auto                 controlPoints = this->GetNumberOfControlPoints();
    std::copy(controlPoints.Begin(), controlPoints.End(), fit.controlPoints.begin());
    fit.stationaryBoundary = this->GetEnforceStationaryBoundary();
    CudaSplineDetail::FitPlaces places;
    if (std::is_same<Real, double>::value)
    {
      const CudaSplineHostExecutor executor(this->GetMultiThreader());
      places = CudaSplineDetail::MakeFitPlaces<TInputImage>(field, executor);
      fit.places = std::shared_ptr<const float>(places.numbers.data(), [](const float *) {});
      fit.placesAreByAxis = places.areByAxis;
    }
    std::vector<Real> counts; // of the field's type
    const void *      weights = confidence != nullptr ? confidence->GetBufferPointer() : nullptr;
    if (confidence != nullptr && std::is_same<Real, float>::value)
    {
      counts.assign(confidence->GetBufferPointer(), confidence->GetBufferPointer() + count);
      weights = counts.data();
    }
    SizeValueType points = ImageDimension;
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      points *= controlPoints[d];
    }
    std::vector<double> lattice(CudaSplineDetail::SplineSmoothingHasLattice ? points : 0);

    CudaSpline::HostFieldCall call;
    call.kind = places.numbers.empty() ? CudaSpline::HostFieldCall::Kind::SplineByAxes
                                       : CudaSpline::HostFieldCall::Kind::SplineByPoints;
    call.shape = CudaSplineDetail::DescribeField(field);
    call.uploadBytes = call.shape.Bytes() + places.numbers.size() * sizeof(float) +
                       (confidence != nullptr ? count * sizeof(Real) : std::size_t{ 0 });
    call.outputBytes = call.shape.Bytes();
    call.scratchBytes = CudaSpline::CountSplineSmoothingScratch(call.shape, fit, confidence != nullptr);
    auto operation = CudaSplineDetail::MakeFieldOperation(call);
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      CudaSpline::SmoothHostFieldBySpline(call.shape,
                                          field->GetBufferPointer(),
                                          weights,
                                          fit,
                                          output->GetBufferPointer(),
                                          lattice.empty() ? nullptr : lattice.data(),
                                          context);
    };
    operation.describe = describe;
    m_Backend.Run(operation, this->GetMultiThreader(), this);
    if constexpr (CudaSplineDetail::SplineSmoothingHasLattice)
    {
      this->SetLattice(lattice.data());
    }
  }
}

} // namespace itk

#endif
