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

/** The classes of all factories, of which a process may have loaded some. */
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

/** A class's name as a programmer writes it. */
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

/** What the process asked for, by the name of the class, and how often; and what some factory had. */
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
        continue; // the module's own: New() asks for them in turn
      }
      const std::string line = "CudaSpline | not overridden | " + std::to_string(entry.second.count) + " | " + name +
                               " | " + ReasonOf(plain) + "\n";
      static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
    }
  }

  /** \param[in] factory who was asked: where there are several, ITK asks one after the other. */
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
  /** Why a class is ITK's; nothing where there is no more to say. \param[in] plain its name without arguments */
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
    const CudaSplineFactoryBase * first{ nullptr }; ///< the one whose askings are counted
    int                           count{ 0 };
    bool                          isGiven{ false };
  };

  std::mutex                   m_Mutex;
  std::map<std::string, Asked> m_Asked; ///< by the name of the class
};

} // namespace

/** What is overridden, and whether. Registered overrides are ITK's to keep; it finds them by the names of both classes.
 */
struct CudaSplineFactoryBase::Switches
{
  std::vector<std::string>                                                names; ///< of classes, as they were added
  std::map<std::string, bool>                                             enabled;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> overrides; ///< both classes, by name
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
      // A program that was never compiled for this must not end because of a word.
      std::cerr << "CudaSpline: CUDASPLINE_FACTORY_CLASSES names \"" << word
                << "\", which is not a class that can be overridden.\n";
    }
  }
}

void
CudaSplineFactoryBase::SetClassEnabled(const std::string & name, bool enabled)
{
  static_cast<void>(this->GetClassEnabled(name)); // refuses other names
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
    static MissedClasses missed; // written when the process ends
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
