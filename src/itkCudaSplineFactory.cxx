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
#include "itkCudaSplineFactory.h"
#include "itkCudaSplineOverrides.h"

#include "itkVersion.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <sstream>

namespace itk
{

/** What is overridden, and whether. Registered overrides are ITK's to keep; it finds them by the names of both classes.
 */
struct CudaSplineFactory::Switches
{
  CudaSplineDetail::Overrides overrides;
  std::map<std::string, bool> enabled;
};

CudaSplineFactory::CudaSplineFactory()
  : m_Switches(std::make_unique<Switches>())
{
  CudaSplineDetail::Overrides & overrides = m_Switches->overrides;
  CudaSplineDetail::AppendResampleSmall2D(overrides);
  CudaSplineDetail::AppendResampleLarge2D(overrides);
  CudaSplineDetail::AppendResampleSmall3D(overrides);
  CudaSplineDetail::AppendResampleLarge3D(overrides);
  CudaSplineDetail::AppendResampleVector3D(overrides);
  CudaSplineDetail::AppendWarpSmall3D(overrides);
  CudaSplineDetail::AppendWarpLarge3D(overrides);
  CudaSplineDetail::AppendDecomposition(overrides);

  for (const CudaSplineDetail::Override & override : overrides)
  {
    this->RegisterOverride(
      override.overridden.c_str(), override.with.c_str(), "CudaSpline", true, override.create.GetPointer());
  }
  for (const std::string & name : GetClassNames())
  {
    m_Switches->enabled[name] = true;
  }

  const char * const words = std::getenv("CUDASPLINE_FACTORY_CLASSES");
  if (words == nullptr || *words == '\0')
  {
    return;
  }
  for (const std::string & name : GetClassNames())
  {
    this->SetClassEnabled(name, false);
  }
  std::istringstream list(words);
  for (std::string word; std::getline(list, word, ',');)
  {
    if (m_Switches->enabled.count(word) > 0)
    {
      this->SetClassEnabled(word, true);
    }
    else if (word != "none")
    {
      // A program that was never compiled for this must not end because of a word.
      std::cerr << "CudaSpline: CUDASPLINE_FACTORY_CLASSES names \"" << word
                << "\", which is no class that can be overridden.\n";
    }
  }
}

CudaSplineFactory::~CudaSplineFactory() = default;

const char *
CudaSplineFactory::GetITKSourceVersion() const
{
  return ITK_SOURCE_VERSION;
}

const char *
CudaSplineFactory::GetDescription() const
{
  return "CudaSpline: resampling and B-spline decomposition on a GPU or on all threads of the host";
}

std::vector<std::string>
CudaSplineFactory::GetClassNames()
{
  return { "ResampleImageFilter", "WarpImageFilter", "BSplineDecompositionImageFilter" };
}

void
CudaSplineFactory::SetClassEnabled(const std::string & name, bool enabled)
{
  static_cast<void>(this->GetClassEnabled(name)); // refuses other names
  m_Switches->enabled[name] = enabled;
  for (const CudaSplineDetail::Override & override : m_Switches->overrides)
  {
    if (name == override.name)
    {
      this->SetEnableFlag(enabled, override.overridden.c_str(), override.with.c_str());
    }
  }
  this->Modified();
}

bool
CudaSplineFactory::GetClassEnabled(const std::string & name) const
{
  const auto found = m_Switches->enabled.find(name);
  if (found == m_Switches->enabled.end())
  {
    std::string names;
    for (const std::string & known : GetClassNames())
    {
      names += (names.empty() ? "" : ", ") + known;
    }
    itkExceptionMacro(<< "The class \"" << name << "\" is not overridden; these can be: " << names << ".");
  }
  return found->second;
}

auto
CudaSplineFactory::GetRegisteredFactory() -> Pointer
{
  // By name: one that ITK loaded may come from another copy of this library.
  for (ObjectFactoryBase * factory : ObjectFactoryBase::GetRegisteredFactories())
  {
    if (auto * const ours = dynamic_cast<Self *>(factory))
    {
      return ours;
    }
  }
  return nullptr;
}

auto
CudaSplineFactory::RegisterOneFactory() -> Pointer
{
  Pointer factory = GetRegisteredFactory();
  if (factory.IsNull())
  {
    factory = Self::New();
    ObjectFactoryBase::RegisterFactory(factory);
  }
  return factory;
}

void
CudaSplineFactory::UnRegisterOneFactory()
{
  const Pointer factory = GetRegisteredFactory();
  if (factory.IsNotNull())
  {
    ObjectFactoryBase::UnRegisterFactory(factory);
  }
}

void
CudaSplineFactory::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  for (const auto & entry : m_Switches->enabled)
  {
    os << indent << entry.first << ": " << (entry.second ? "overridden" : "not overridden") << std::endl;
  }
}

namespace
{

/** \brief A factory that overrides nothing: what ITK gets where the classes must not be used.
 *
 * ITK takes no null from itkLoad(). It says that it was compiled with the ITK that runs, so that ITK does not complain
 * of it, nor refuse it. */
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

ObjectFactoryBase::Pointer
MakeLoadedFactory()
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
      return CudaSplineFactory::New().GetPointer();
    }
    catch (const std::exception & error)
    {
      reason = error.what();
    }
  }
  std::cerr << "CudaSpline: libCudaSplineFactories overrides no class of ITK's, because " << reason << ".\n";
  return EmptyFactory::New().GetPointer();
}

} // namespace
} // namespace itk

/** \brief What ITK calls of each library in the folders of ITK_AUTOLOAD_PATH.
 *
 * It registers what it gets, and keeps no count of references of its own before that: the factory lives as long as the
 * library. So it is the same one, and a message comes once, when ITK loads its libraries again. */
extern "C" CudaSplineFactories_EXPORT itk::ObjectFactoryBase *
                                      itkLoad()
{
  static const itk::ObjectFactoryBase::Pointer factory = itk::MakeLoadedFactory();
  return factory.GetPointer();
}
