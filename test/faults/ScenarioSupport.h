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
#ifndef ScenarioSupport_h
#define ScenarioSupport_h

#include "FaultScenarios.h"

#include "itkCudaSpline/itk/PixelTraits.h"

#include "itkImageRegionIteratorWithIndex.h"
#include "itkVector.h"

#include <cmath>

/** \file
 * \brief Common parts of the fault scenarios: images, fields, filters. */

namespace CudaSplineTest
{

template <typename TImage>
typename TImage::Pointer
MakeImage(const typename TImage::SizeType & size = { { 19, 17, 13 } })
{
  auto image = TImage::New();
  image->SetRegions(typename TImage::RegionType(size));
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto & index = it.GetIndex();
    const double value = 50.0 + 20.0 * std::sin(0.7 * static_cast<double>(index[0])) +
                         15.0 * std::cos(0.5 * static_cast<double>(index[1] + 2 * index[2]));
    it.Set(static_cast<typename TImage::PixelType>(value));
  }
  return image;
}

template <typename TImage>
std::vector<double>
NumbersOf(const TImage * image)
{
  using Number = typename itk::CudaSplineDetail::ImageTraits<TImage>::ComponentType;
  const auto * const first = reinterpret_cast<const Number *>(image->GetBufferPointer());
  return std::vector<double>(
    first, first + image->GetBufferedRegion().GetNumberOfPixels() * image->GetNumberOfComponentsPerPixel());
}

/** A filter with one output. */
template <typename TFilter>
class FilterSubject : public Subject
{
public:
  FilterSubject()
    : m_Filter(TFilter::New())
  {}

  void
  Run() override
  {
    m_Filter->Modified();
    m_Filter->Update();
  }
  void
  SetGPUEnabled(bool enabled) override
  {
    m_Filter->SetGPUEnabled(enabled);
  }
  itk::CudaSpline::Backend
  GetLastBackend() const override
  {
    return m_Filter->GetLastBackend();
  }
  std::string
  GetFallbackReason() const override
  {
    return m_Filter->GetFallbackReason();
  }
  std::vector<double>
  GetNumbers() const override
  {
    return NumbersOf(m_Filter->GetOutput());
  }
  itk::ProcessObject *
  GetProcess() override
  {
    return m_Filter;
  }

  typename TFilter::Pointer m_Filter;
};

using Shorts = itk::Image<short, 3>;
using Floats = itk::Image<float, 3>;
using Doubles = itk::Image<double, 3>;
using Vectors = itk::Image<itk::Vector<float, 3>, 3>;

/** Returns a smooth field of small displacements. */
inline Vectors::Pointer
MakeSmallField()
{
  const auto field = MakeImage<Vectors>();
  for (itk::ImageRegionIteratorWithIndex<Vectors> it(field, field->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set((it.Get() - Vectors::PixelType(50.0F)) * 0.02F);
  }
  return field;
}

/** By subject, in the order of Scenarios(). */
///@{
std::vector<Scenario>
ScenariosOfImages();
std::vector<Scenario>
ScenariosOfFields();
std::vector<Scenario>
ScenariosOfMetrics();
std::vector<Scenario>
ScenariosOfSyn();
std::vector<Scenario>
ScenariosOfPoints();
///@}

} // namespace CudaSplineTest

#endif
