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
#ifndef CudaSplineResample_PlainItk_h
#define CudaSplineResample_PlainItk_h

#include "itkCudaSpline/itk/Compatibility.h"

#include "itkMacro.h"
#include "itkObjectFactoryBase.h"

#include <typeinfo>

namespace CudaSplineResample
{

/** \brief A class of ITK whose New() does not use object factories, so that it is ITK's own implementation. */
template <typename TClass>
class PlainItk : public TClass
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(PlainItk);

  using Self = PlainItk;
  using Superclass = TClass;
  using Pointer = itk::SmartPointer<Self>;
  using ConstPointer = itk::SmartPointer<const Self>;

  itkCudaSplineFactorylessNewMacro(Self);

protected:
  PlainItk() = default;
  ~PlainItk() override = default;
};

/** \brief Removes a class from every registered object factory, for objects that ITK's classes create themselves. */
template <typename TClass>
void
DisableFactoriesOf()
{
  for (itk::ObjectFactoryBase * const factory : itk::ObjectFactoryBase::GetRegisteredFactories())
  {
    factory->Disable(typeid(TClass).name());
  }
}

} // namespace CudaSplineResample

#endif
