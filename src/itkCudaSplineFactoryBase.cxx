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
#include "itkCudaSplineFactoryBase.h"
#include "itkCudaSplineTrace.h"

#include "itkCudaSpline/itk/MetricClass.h"

#include "itkVersion.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <utility>

#if defined(__GNUC__)
#  include <cxxabi.h>
#endif

namespace itk
{

namespace
{

/** The classes of all factories, some of which a process may have loaded. */
const std::vector<std::string> AllClassNames =
  CudaSplineDetail::MetricClassNames({ "ResampleImageFilter",
                                       "WarpImageFilter",
                                       "BSplineDecompositionImageFilter",
                                       "SmoothingRecursiveGaussianImageFilter",
                                       "RecursiveGaussianImageFilter",
                                       "GradientRecursiveGaussianImageFilter",
                                       "GradientMagnitudeRecursiveGaussianImageFilter",
                                       "ComposeDisplacementFieldsImageFilter",
                                       "InvertDisplacementFieldImageFilter",
                                       "ExponentialDisplacementFieldImageFilter",
                                       "DisplacementFieldJacobianDeterminantFilter",
                                       "DisplacementFieldToBSplineImageFilter",
                                       "SyNImageRegistrationMethod",
                                       "BSplineSyNImageRegistrationMethod",
                                       "TimeVaryingVelocityFieldImageRegistrationMethodv4",
                                       "DemonsRegistrationFilter",
                                       "SymmetricForcesDemonsRegistrationFilter",
                                       "FastSymmetricForcesDemonsRegistrationFilter",
                                       "DiffeomorphicDemonsRegistrationFilter" });

/** Returns the name of a class as in source code. */
std::string
ReadableName(const char * name)
{
#if defined(__GNUC__)
  int                                           status = 0;
  const std::unique_ptr<char, void (*)(void *)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  if (status == 0 && text != nullptr)
  {
    return text.get();
  }
#endif
  return name;
}

/** Classes that the process has requested, with the number of requests, and whether a factory had them. */
class MissedClasses
{
public:
  ~MissedClasses()
  {
    for (const auto & entry : m_Asked)
    {
      if (entry.second.isGiven)
      {
        continue;
      }
      const std::string name = ReadableName(entry.first.c_str());
      const auto        begin = name.compare(0, 5, "itk::") == 0 ? 5U : 0U;
      const std::string plain = name.substr(begin, name.find('<', begin) - begin);
      if (plain.compare(0, 4, "Cuda") == 0)
      {
        continue; // classes of the module: New() requests them afterwards
      }
      const std::string line = "CudaSpline | not overridden | " + std::to_string(entry.second.count) + " | " + name +
                               " | " + ReasonOf(plain) + "\n";
      static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
    }
  }

  /** \param[in] factory the factory that received the request; ITK asks several factories one after the other
   * \param[in] name the class
   * \param[in] isGiven whether the factory had it */
  void
  Note(const CudaSplineFactoryBase * factory, const char * name, bool isGiven)
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    Asked &                           asked = m_Asked[name];
    if (asked.first == nullptr)
    {
      asked.first = factory;
    }
    asked.count += asked.first == factory ? 1 : 0;
    asked.isGiven = asked.isGiven || isGiven;
  }

private:
  /** Returns the reason why a class is ITK's. Empty if there is no particular reason.
   *
   * \param[in] plain its name without arguments */
  static const char *
  ReasonOf(const std::string & plain)
  {
    if (std::find(AllClassNames.begin(), AllClassNames.end(), plain) != AllClassNames.end())
    {
      return "other template arguments are";
    }
    if (plain == "VectorNeighborhoodOperatorImageFilter")
    {
      return "it has no access to its boundary condition";
    }
    const bool isOfOperator = plain == "NeighborhoodOperatorImageFilter" || plain == "DiscreteGaussianImageFilter";
    return isOfOperator ? "the module has no kernel for Gaussians that are cut off" : "";
  }

  struct Asked
  {
    const CudaSplineFactoryBase * first{ nullptr }; ///< the factory whose requests are counted
    int                           count{ 0 };
    bool                          isGiven{ false };
  };

  std::mutex                   m_Mutex;
  std::map<std::string, Asked> m_Asked; ///< by the name of the class
};

} // namespace

/** The overridden classes, and whether they are enabled. ITK owns the registered overrides, which are found by the
 * names of both classes. */
struct CudaSplineFactoryBase::Switches
{
  std::vector<std::string>    names; ///< names of classes, in the order in which they were added
  std::map<std::string, bool> enabled;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> overrides; ///< names of both classes
};

CudaSplineFactoryBase::CudaSplineFactoryBase()
  : m_Switches(std::make_unique<Switches>())
{}

CudaSplineFactoryBase::~CudaSplineFactoryBase() = default;

const char *
CudaSplineFactoryBase::GetITKSourceVersion() const
{
  return ITK_SOURCE_VERSION;
}

void
CudaSplineFactoryBase::AddOverride(const std::string &        name,
                                   const std::string &        overridden,
                                   const std::string &        with,
                                   CreateObjectFunctionBase * create)
{
  this->RegisterOverride(overridden.c_str(), with.c_str(), "CudaSpline", true, create);
  m_Switches->overrides[name].emplace_back(overridden, with);
  if (m_Switches->enabled.emplace(name, true).second)
  {
    m_Switches->names.push_back(name);
  }
}

void
CudaSplineFactoryBase::ReadEnvironment()
{
  const char * const words = std::getenv("CUDASPLINE_FACTORY_CLASSES");
  if (words == nullptr || *words == '\0')
  {
    return;
  }
  for (const std::string & name : m_Switches->names)
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
    else if (word != "none" && std::find(AllClassNames.begin(), AllClassNames.end(), word) == AllClassNames.end())
    {
      // A program that was not compiled for this module must not end because of an unknown name.
      std::cerr << "CudaSpline: CUDASPLINE_FACTORY_CLASSES names \"" << word
                << "\", which is not a class that can be overridden.\n";
    }
  }
}

void
CudaSplineFactoryBase::SetClassEnabled(const std::string & name, bool enabled)
{
  static_cast<void>(this->GetClassEnabled(name)); // throws for other names
  m_Switches->enabled[name] = enabled;
  for (const auto & override : m_Switches->overrides[name])
  {
    this->SetEnableFlag(enabled, override.first.c_str(), override.second.c_str());
  }
  this->Modified();
}

bool
CudaSplineFactoryBase::GetClassEnabled(const std::string & name) const
{
  const auto found = m_Switches->enabled.find(name);
  if (found == m_Switches->enabled.end())
  {
    std::string names;
    for (const std::string & known : m_Switches->names)
    {
      names += (names.empty() ? "" : ", ") + known;
    }
    itkExceptionMacro(<< "The class \"" << name << "\" cannot be overridden; allowed are " << names << ".");
  }
  return found->second;
}

LightObject::Pointer
CudaSplineFactoryBase::CreateObject(const char * itkclassname)
{
  LightObject::Pointer object = Superclass::CreateObject(itkclassname);
  if (CudaSplineTrace::ListsClasses())
  {
    static MissedClasses missed; // printed when the process ends
    missed.Note(this, itkclassname, object.IsNotNull());
  }
  return object;
}

void
CudaSplineFactoryBase::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  for (const auto & entry : m_Switches->enabled)
  {
    os << indent << entry.first << ": " << (entry.second ? "overridden" : "not overridden") << std::endl;
  }
}

} // namespace itk
