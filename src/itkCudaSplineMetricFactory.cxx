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
#include "itkCudaSplineMetricFactory.h"
#include "itkCudaSplineLoadedFactory.h"
#include "itkCudaSplineRegistrationOverrides.h"

#include "itkCudaSpline/itk/MetricClass.h"

namespace itk
{

CudaSplineMetricFactory::CudaSplineMetricFactory()
{
  CudaSplineDetail::Overrides overrides;
  CudaSplineDetail::AppendMetrics(overrides);
  CudaSplineDetail::AppendMetricsOfFloat(overrides);
  CudaSplineDetail::AppendRegistrations(overrides);
  CudaSplineDetail::AppendDemons(overrides);
  for (const CudaSplineDetail::Override & override : overrides)
  {
    this->AddOverride(override.name, override.overridden, override.with, override.create.GetPointer());
  }
  this->ReadEnvironment();
}

CudaSplineMetricFactory::~CudaSplineMetricFactory() = default;

const char *
CudaSplineMetricFactory::GetDescription() const
{
  return "CudaSpline: metrics of image registration on a GPU or on all threads of the host";
}

std::vector<std::string>
CudaSplineMetricFactory::GetClassNames()
{
  return CudaSplineDetail::MetricClassNames({ "SyNImageRegistrationMethod",
                                              "BSplineSyNImageRegistrationMethod",
                                              "TimeVaryingVelocityFieldImageRegistrationMethodv4",
                                              "DemonsRegistrationFilter",
                                              "SymmetricForcesDemonsRegistrationFilter",
                                              "FastSymmetricForcesDemonsRegistrationFilter",
                                              "DiffeomorphicDemonsRegistrationFilter" });
}

auto
CudaSplineMetricFactory::GetRegisteredFactory() -> Pointer
{
  return CudaSplineDetail::FindRegisteredFactory<Self>();
}

auto
CudaSplineMetricFactory::RegisterOneFactory() -> Pointer
{
  return CudaSplineDetail::RegisterFactoryOnce<Self>();
}

void
CudaSplineMetricFactory::UnRegisterOneFactory()
{
  CudaSplineDetail::UnRegisterFactoryIfThere<Self>();
}

} // namespace itk

/** \brief What ITK gets for the itkLoad() of the library in the folder that ITK_AUTOLOAD_PATH names.
 *
 * That library finds it here (loader/FactoryLoader.cxx), and ITK calls it. It has another name here, so that no ITK
 * takes an object from this library by itself: this one brings the ITK that it is linked to.
 *
 * ITK registers what it gets, and keeps no count of references of its own before that: the factory exists as long as
 * the library. So it is the same one, and a message comes once, when ITK loads its libraries again. */
extern "C" CudaSplineMetricFactories_EXPORT itk::ObjectFactoryBase *
                                            CudaSplineMakeLoadedFactory()
{
  static const itk::ObjectFactoryBase::Pointer factory =
    itk::CudaSplineDetail::MakeLoadedFactory<itk::CudaSplineMetricFactory>("libCudaSplineMetricFactories");
  return factory.GetPointer();
}
