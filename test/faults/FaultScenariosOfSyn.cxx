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

#include "itkCudaSyNImageRegistrationMethod.h"

#include "itkDisplacementFieldTransformParametersAdaptor.h"
#include "itkMultiThreaderBase.h"
#include "itkShrinkImageFilter.h"

#include <typeinfo>

namespace CudaSplineTest
{
namespace
{

/** One thread filters small images, because waking another one takes longer. */
class OneThread
{
public:
  OneThread() { itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(1); }
  OneThread(const OneThread &) = delete;
  OneThread &
  operator=(const OneThread &) = delete;
  ~OneThread() { itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(m_Before); }

private:
  itk::ThreadIdType m_Before{ itk::MultiThreaderBase::GetGlobalDefaultNumberOfThreads() };
};

/** Two levels of two iterations of SyN; the second iterations are a recorded graph. */
class SynSubject : public Subject
{
public:
  using Method = itk::CudaSyNImageRegistrationMethod<Floats, Floats>;
  using Metric = itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<Floats, Floats>;
  using Transform = itk::DisplacementFieldTransform<double, 3>;

  SynSubject()
  {
    const auto metric = Metric::New();
    metric->SetRadius(Metric::RadiusType::Filled(1));
    metric->SetUseMovingImageGradientFilter(false);
    metric->SetUseFixedImageGradientFilter(false);
    const auto   fixed = MakeImage<Floats>({ { 8, 7, 6 } }); // few voxels, because each of 700 calls fails once
    const auto   moving = MakeImage<Floats>({ { 8, 7, 6 } });
    const double place[3] = { 0.7, -0.4, 0.3 };
    moving->SetOrigin(place);
    const auto field = Transform::DisplacementFieldType::New();
    field->CopyInformation(fixed);
    field->SetRegions(fixed->GetLargestPossibleRegion());
    field->Allocate(true);
    const auto transform = Transform::New();
    transform->SetDisplacementField(field);
    m_Method->SetFixedImage(fixed);
    m_Method->SetMovingImage(moving);
    m_Method->SetMetric(metric);
    m_Method->SetInitialTransform(transform);
    m_Method->SetNumberOfLevels(2);
    Method::ShrinkFactorsArrayType                   factors(2);
    Method::SmoothingSigmasArrayType                 sigmas(2);
    Method::TransformParametersAdaptorsContainerType adaptors;
    for (unsigned int level = 0; level < 2; ++level)
    {
      factors[level] = 2 - level;
      sigmas[level] = 1.0 - level;
      const auto shrunk = itk::ShrinkImageFilter<Floats, Floats>::New();
      shrunk->SetShrinkFactors(factors[level]);
      shrunk->SetInput(fixed);
      shrunk->UpdateOutputInformation();
      const auto adaptor = itk::DisplacementFieldTransformParametersAdaptor<Transform>::New();
      adaptor->SetRequiredSpacing(shrunk->GetOutput()->GetSpacing());
      adaptor->SetRequiredSize(shrunk->GetOutput()->GetLargestPossibleRegion().GetSize());
      adaptor->SetRequiredDirection(shrunk->GetOutput()->GetDirection());
      adaptor->SetRequiredOrigin(shrunk->GetOutput()->GetOrigin());
      adaptors.push_back(adaptor.GetPointer());
    }
    m_Method->SetShrinkFactorsPerLevel(factors);
    m_Method->SetSmoothingSigmasPerLevel(sigmas);
    m_Method->SetTransformParametersAdaptorsPerLevel(adaptors);
    m_Method->SetNumberOfIterationsPerLevel(Method::NumberOfIterationsArrayType(2, 2));
    m_Method->AddObserver(itk::IterationEvent(), [this](const itk::EventObject & event) {
      m_Iterations += typeid(event) == typeid(itk::IterationEvent) ? 1 : 0; // excludes the start of a level
    });
  }
  int
  GetIterations() const override
  {
    return m_Iterations;
  }
  void
  Run() override
  {
    m_Iterations = 0;
    m_Method->SetFixedToMiddleTransform(nullptr); // instead of continuing from the previous end
    m_Method->SetMovingToMiddleTransform(nullptr);
    m_Method->Modified();
    m_Method->Update();
  }
  void
  SetGPUEnabled(bool enabled) override
  {
    m_Method->SetGPUEnabled(enabled);
  }
  itk::CudaSpline::Backend
  GetLastBackend() const override
  {
    return m_Method->GetLastBackend();
  }
  std::string
  GetFallbackReason() const override
  {
    return m_Method->GetFallbackReason();
  }
  std::vector<double>
  GetNumbers() const override
  {
    return NumbersOf(m_Method->GetTransform()->GetDisplacementField());
  }
  itk::ProcessObject *
  GetProcess() override
  {
    return nullptr;
  }

private:
  OneThread       m_Threads; // of the method, and of ITK's filters in it
  Method::Pointer m_Method{ Method::New() };
  int             m_Iterations{ 0 };
};

} // namespace

std::vector<Scenario>
ScenariosOfSyn()
{
  return {
    { "Syn", []() -> std::unique_ptr<Subject> { return std::make_unique<SynSubject>(); }, 1e-2, true, true },
  };
}

} // namespace CudaSplineTest
