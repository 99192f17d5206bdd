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
#ifndef itkCudaSplineLoadedFactory_h
#define itkCudaSplineLoadedFactory_h

#include "itkCudaSpline/itk/Compatibility.h"

#include "itkObjectFactoryBase.h"
#include "itkVersion.h"

#include <cstring>
#include <exception>
#include <iostream>
#include <string>

/** \file
 * \brief Registration of the module's factories by a program, or by ITK, which loaded the library. */

namespace itk::CudaSplineDetail
{

/** Finds the registered factory of a class; null if there is none. */
template <typename TFactory>
typename TFactory::Pointer
FindRegisteredFactory()
{
  // By name: a factory that ITK loaded may come from another copy of the library.
  for (ObjectFactoryBase * factory : ObjectFactoryBase::GetRegisteredFactories())
  {
    if (auto * const ours = dynamic_cast<TFactory *>(factory))
    {
      return ours;
    }
  }
  return nullptr;
}

/** Registers a factory, unless it is registered, and returns the registered one. */
template <typename TFactory>
typename TFactory::Pointer
RegisterFactoryOnce()
{
  typename TFactory::Pointer factory = FindRegisteredFactory<TFactory>();
  if (factory.IsNull())
  {
    factory = TFactory::New();
    ObjectFactoryBase::RegisterFactory(factory);
  }
  return factory;
}

/** Unregisters a factory if it is registered. */
template <typename TFactory>
void
UnRegisterFactoryIfThere()
{
  const typename TFactory::Pointer factory = FindRegisteredFactory<TFactory>();
  if (factory.IsNotNull())
  {
    ObjectFactoryBase::UnRegisterFactory(factory);
  }
}

/** \brief A factory without overrides, which ITK gets if the classes must not be used.
 *
 * ITK does not accept null from itkLoad(), which must therefore return a factory. This one reports that it was compiled
 * with the running ITK: ITK then neither warns of it nor rejects it. */
class EmptyFactory : public ObjectFactoryBase
{
public:
  using Self = EmptyFactory;
  using Pointer = SmartPointer<Self>;
  itkCudaSplineFactorylessNewMacro(Self);

  const char *
  GetITKSourceVersion() const override
  {
    return Version::GetITKSourceVersion();
  }
  const char *
  GetDescription() const override
  {
    return "CudaSpline: no class is overridden";
  }
};

/** \brief Creates the factory that ITK gets from a library.
 *
 * \param[in] library name for the message if there are no overrides */
template <typename TFactory>
ObjectFactoryBase::Pointer
MakeLoadedFactory(const std::string & library)
{
  std::string reason;
  if (std::strcmp(Version::GetITKSourceVersion(), ITK_SOURCE_VERSION) != 0)
  {
    reason = std::string("it was built with ") + ITK_SOURCE_VERSION + ", and the program runs with " +
             Version::GetITKSourceVersion();
  }
  else
  {
    try
    {
      return TFactory::New().GetPointer();
    }
    catch (const std::exception & error)
    {
      reason = error.what();
    }
  }
  std::cerr << "CudaSpline: " << library << " overrides no class of ITK's, because " << reason << ".\n";
  return EmptyFactory::New().GetPointer();
}

} // namespace itk::CudaSplineDetail

#endif
