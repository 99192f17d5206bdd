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
#include "ScenarioSupport.h"

#include "itkCudaANTSNeighborhoodCorrelationImageToImageMetricv4.h"
#include "itkCudaDemonsImageToImageMetricv4.h"
#include "itkCudaMeanSquaresImageToImageMetricv4.h"

namespace CudaSplineTest
{
namespace
{

/** A metric by a displacement field: value and derivative. */
template <typename TMetric>
class MetricSubject : public Subject
{
public:
  using Transform = itk::DisplacementFieldTransform<double, 3>;

  /** \param[in] share factor of the field of MakeSmallField(); 0: nothing moves, and nothing is interpolated */
  explicit MetricSubject(double share)
  {
    const auto fixed = MakeImage<Floats>();
    const auto moving = MakeImage<Floats>();
    for (itk::ImageRegionIteratorWithIndex<Floats> it(moving, moving->GetBufferedRegion()); !it.IsAtEnd(); ++it)
    {
      it.Set(it.Get() + 9.0F * std::sin(0.9F * static_cast<float>(it.GetIndex()[1] - it.GetIndex()[0])));
    }
    const auto small = MakeSmallField();
    const auto field = Transform::DisplacementFieldType::New();
    field->CopyInformation(fixed);
    field->SetRegions(fixed->GetLargestPossibleRegion());
    field->Allocate();
    for (itk::SizeValueType n = 0; n < field->GetBufferedRegion().GetNumberOfPixels(); ++n)
    {
      for (unsigned int d = 0; d < 3; ++d)
      {
        field->GetBufferPointer()[n][d] = share * static_cast<double>(small->GetBufferPointer()[n][d]);
      }
    }
    const auto transform = Transform::New();
    transform->SetDisplacementField(field);
    m_Metric->SetFixedImage(fixed);
    m_Metric->SetMovingImage(moving);
    m_Metric->SetMovingTransform(transform);
    m_Metric->SetUseMovingImageGradientFilter(false);
    m_Metric->SetUseFixedImageGradientFilter(false);
    m_Metric->Initialize();
  }
  void
  Run() override
  {
    m_Metric->GetValueAndDerivative(m_Value, m_Derivative);
  }
  void
  SetGPUEnabled(bool enabled) override
  {
    m_Metric->SetGPUEnabled(enabled);
  }
  itk::CudaSpline::Backend
  GetLastBackend() const override
  {
    return m_Metric->GetLastBackend();
  }
  std::string
  GetFallbackReason() const override
  {
    return m_Metric->GetFallbackReason();
  }
  std::vector<double>
  GetNumbers() const override
  {
    std::vector<double> numbers(m_Derivative.begin(), m_Derivative.end());
    numbers.push_back(m_Value);
    return numbers;
  }
  itk::ProcessObject *
  GetProcess() override
  {
    return nullptr;
  }

private:
  typename TMetric::Pointer        m_Metric{ TMetric::New() };
  typename TMetric::MeasureType    m_Value{ 0.0 };
  typename TMetric::DerivativeType m_Derivative;
};

using LocalMetric = itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4<Floats, Floats>;
using DemonsMetric = itk::CudaDemonsImageToImageMetricv4<Floats, Floats>;
using DifferenceMetric = itk::CudaMeanSquaresImageToImageMetricv4<Floats, Floats>;

} // namespace

std::vector<Scenario>
ScenariosOfMetrics()
{
  return {
    { "LocalCorrelation",
      []() -> std::unique_ptr<Subject> { return std::make_unique<MetricSubject<LocalMetric>>(0.0); },
      1e-4 },
    { "LocalCorrelationMoved",
      []() -> std::unique_ptr<Subject> { return std::make_unique<MetricSubject<LocalMetric>>(1.0); },
      1e-4 },
    { "Demons", []() -> std::unique_ptr<Subject> { return std::make_unique<MetricSubject<DemonsMetric>>(1.0); }, 1e-2 },
    { "MeanSquares",
      []() -> std::unique_ptr<Subject> { return std::make_unique<MetricSubject<DifferenceMetric>>(1.0); },
      1e-2 },
  };
}

} // namespace CudaSplineTest
