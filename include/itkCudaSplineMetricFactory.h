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
#ifndef itkCudaSplineMetricFactory_h
#define itkCudaSplineMetricFactory_h

#include "CudaSplineMetricFactoriesExport.h"
#include "itkCudaSplineFactoryBase.h"

#include <string>
#include <vector>

namespace itk
{

/** \class CudaSplineMetricFactory
 * \brief Object factory that makes New() of ITK's image metrics return the module's metrics.
 *
 * An ITK object factory like CudaSplineFactory, in a separate library: programs without registration need not load the
 * libraries that metrics depend on. It overrides, for images \c I of float and double in two and three dimensions,
 * - \c MeanSquaresImageToImageMetricv4<I, I> by CudaMeanSquaresImageToImageMetricv4,
 * - \c CorrelationImageToImageMetricv4<I, I> by CudaCorrelationImageToImageMetricv4,
 * - \c MattesMutualInformationImageToImageMetricv4<I, I> by CudaMattesMutualInformationImageToImageMetricv4,
 * - \c ANTSNeighborhoodCorrelationImageToImageMetricv4<I, I> by CudaANTSNeighborhoodCorrelationImageToImageMetricv4,
 * - \c DemonsImageToImageMetricv4<I, I> by CudaDemonsImageToImageMetricv4,
 *
 * with ITK's defaults for their other arguments, and for images of float also \c Metricv4<I, I, I, float>, whose
 * parameters are float. So registering the factory is enough to accelerate a registration with \c
 * ImageRegistrationMethodv4.
 *
 * A program calls RegisterOneFactory(), and links libCudaSplineMetricFactories (target
 * CudaSpline::CudaSplineMetricFactories). A program that cannot be recompiled, but is linked to shared libraries of the
 * same version of ITK, is started with the environment variable ITK_AUTOLOAD_PATH set to the folder of
 * libCudaSplineMetricFactories. Each class can be disabled, see CudaSplineFactoryBase.
 *
 * \ingroup CudaSpline */
class CudaSplineMetricFactories_EXPORT CudaSplineMetricFactory : public CudaSplineFactoryBase
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaSplineMetricFactory);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaSplineMetricFactory;
  using Superclass = CudaSplineFactoryBase;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes a factory, which is not registered. */
  itkCudaSplineFactorylessNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaSplineMetricFactory, CudaSplineFactoryBase);

  /** What the factory is for. */
  const char *
  GetDescription() const override;

  /** Registers a factory, unless there is one, and returns the one that is registered. */
  static Pointer
  RegisterOneFactory();

  /** Takes the registered factory back, by RegisterOneFactory() or by ITK_AUTOLOAD_PATH; nothing where there is none.
   */
  static void
  UnRegisterOneFactory();

  /** The registered factory, or null. */
  static Pointer
  GetRegisteredFactory();

  /** Names of the classes that can be overridden, without their template arguments. */
  static std::vector<std::string>
  GetClassNames();

protected:
  CudaSplineMetricFactory();
  ~CudaSplineMetricFactory() override;
};

} // namespace itk

#endif
