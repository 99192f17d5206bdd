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

#include "itkCudaBSplineInterpolateImageFunction.h"

namespace CudaSplineTest
{
namespace
{

/** A batch of points with gradients. */
class BatchSubject : public Subject
{
public:
  BatchSubject()
  {
    m_Interpolator->SetGPUEnabled(false); // the coefficients of a simulated device would be invalid
    m_Interpolator->SetInputImage(MakeImage<Floats>());
    for (int i = 0; i < 200; ++i)
    {
      m_Indices.insert(m_Indices.end(), { 0.09 * i, 16.0 - 0.08 * i, 0.05 * i });
    }
  }
  void
  Run() override
  {
    m_Values.assign(m_Indices.size() / 3, 0.0);
    m_Gradients.assign(m_Indices.size(), 0.0);
    itk::CudaSplineBatchResults<double> results;
    results.values = m_Values.data();
    results.gradients = m_Gradients.data();
    m_Interpolator->EvaluateAtContinuousIndices(m_Indices.data(), m_Indices.size() / 3, results);
  }
  void
  SetGPUEnabled(bool enabled) override
  {
    m_Interpolator->SetGPUEnabled(enabled);
  }
  itk::CudaSpline::Backend
  GetLastBackend() const override
  {
    return m_Interpolator->GetLastBackend();
  }
  std::string
  GetFallbackReason() const override
  {
    return m_Interpolator->GetFallbackReason();
  }
  std::vector<double>
  GetNumbers() const override
  {
    std::vector<double> numbers = m_Values;
    numbers.insert(numbers.end(), m_Gradients.begin(), m_Gradients.end());
    return numbers;
  }
  itk::ProcessObject *
  GetProcess() override
  {
    return nullptr;
  }

private:
  itk::CudaBSplineInterpolateImageFunction<Floats>::Pointer m_Interpolator{
    itk::CudaBSplineInterpolateImageFunction<Floats>::New()
  };
  std::vector<double> m_Indices;
  std::vector<double> m_Values;
  std::vector<double> m_Gradients;
};

} // namespace

std::vector<Scenario>
ScenariosOfPoints()
{
  return { { "Batch", []() -> std::unique_ptr<Subject> { return std::make_unique<BatchSubject>(); }, 1e-9 } };
}

} // namespace CudaSplineTest
